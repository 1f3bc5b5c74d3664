//! What the server offers, and what the editor understands.

use glasm_analysis::{ColumnUnit, TokenClass};
use serde_json::{Value, json};

/// Command that shows the explanation of an error code.
pub(super) const EXPLAIN_COMMAND: &str = "glasm.explain";

/// Classes of tokens that are highlighted, with the types of the protocol that themes know.
pub(super) const TOKEN_TYPES: [(TokenClass, &str); 14] = [
    (TokenClass::Header, "macro"),
    (TokenClass::Opcode, "function"),
    (TokenClass::Modifier, "modifier"),
    (TokenClass::Keyword, "keyword"),
    (TokenClass::Option, "namespace"),
    (TokenClass::Label, "method"),
    (TokenClass::Variable, "variable"),
    (TokenClass::Register, "parameter"),
    (TokenClass::Binding, "property"),
    (TokenClass::Target, "type"),
    (TokenClass::Condition, "enumMember"),
    (TokenClass::Swizzle, "decorator"),
    (TokenClass::Semantic, "enum"),
    (TokenClass::Number, "number"),
];

/// Type of comments in the legend, after those of the classes.
pub(super) const COMMENT_TYPE: u32 = TOKEN_TYPES.len() as u32;

/// What the editor understands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Client {
    /// Unit of columns.
    pub(super) unit: ColumnUnit,
    /// True if links such as `glasm-explain:E0201` show explanations.
    pub(super) has_explain_links: bool,
}

/// Returns what the editor understands, from the parameters of its first request: columns in bytes
/// if it offers them, else in code units of UTF-16, which all editors understand.
pub(super) fn read_client(params: &Value) -> Client {
    let encodings = params.pointer("/capabilities/general/positionEncodings");
    let encodings = encodings.and_then(Value::as_array);
    let has_bytes = encodings.is_some_and(|list| list.iter().any(|it| it == "utf-8"));
    let links = params.pointer("/initializationOptions/explainLinks");
    Client {
        unit: if has_bytes {
            ColumnUnit::Utf8
        } else {
            ColumnUnit::Utf16
        },
        has_explain_links: links == Some(&Value::Bool(true)),
    }
}

/// Returns the capabilities of the server.
pub(super) fn describe_capabilities(client: &Client) -> Value {
    let encoding = match client.unit {
        ColumnUnit::Utf8 => "utf-8",
        ColumnUnit::Utf16 => "utf-16",
    };
    let types = TOKEN_TYPES.iter().map(|(_, name)| *name);
    let types: Vec<&str> = types.chain(["comment"]).collect();
    json!({
        "positionEncoding": encoding,
        // Documents are sent as a whole: a program of 10,000 lines has a few hundred kilobytes.
        "textDocumentSync": { "openClose": true, "change": 1 },
        "hoverProvider": true,
        "completionProvider": { "triggerCharacters": [".", "(", "!"], "resolveProvider": true },
        "signatureHelpProvider": { "triggerCharacters": [" ", ","] },
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "foldingRangeProvider": true,
        "documentFormattingProvider": true,
        "renameProvider": { "prepareProvider": true },
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "executeCommandProvider": { "commands": [EXPLAIN_COMMAND] },
        "semanticTokensProvider": {
            "legend": { "tokenTypes": types, "tokenModifiers": ["declaration", "modification"] },
            "full": true,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_preferred() {
        let unit = |encodings: Value| {
            read_client(
                &json!({ "capabilities": { "general": { "positionEncodings": encodings } } }),
            )
            .unit
        };
        assert_eq!(unit(json!(["utf-16", "utf-8"])), ColumnUnit::Utf8);
        assert_eq!(unit(json!(["utf-16", "utf-32"])), ColumnUnit::Utf16);
        assert_eq!(unit(Value::Null), ColumnUnit::Utf16);
    }
}
