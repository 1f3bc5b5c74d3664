//! Explanation of a name, and its formatting.

use glasm::frontend::lang::options::Features;
use glasm::frontend::lang::{Stages, stage_name};
use glasm::ir::Stage;
use serde_json::{Map, Value, json};

/// Characters of a line of running text.
const WIDTH: usize = 80;

/// Kinds of names that can be explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Group {
    Opcode,
    Error,
    Option,
    Declaration,
    Binding,
    State,
    Target,
    File,
    Semantic,
    Property,
    Language,
}

impl Group {
    /// All groups, in the order of the list.
    pub(super) const ALL: [Self; 11] = [
        Self::Opcode,
        Self::Error,
        Self::Option,
        Self::Declaration,
        Self::Binding,
        Self::State,
        Self::Target,
        Self::File,
        Self::Semantic,
        Self::Property,
        Self::Language,
    ];

    /// Returns the noun for one member.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Opcode => "opcode",
            Self::Error => "error",
            Self::Option => "option",
            Self::Declaration => "declaration",
            Self::Binding => "binding",
            Self::State => "state",
            Self::Target => "target",
            Self::File => "file",
            Self::Semantic => "semantic",
            Self::Property => "property",
            Self::Language => "language",
        }
    }

    /// Returns the name of the group on the command line, and its heading in the list.
    pub(super) const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Opcode => ("opcodes", "Opcodes"),
            Self::Error => ("errors", "Error codes"),
            Self::Option => ("options", "Options"),
            Self::Declaration => (
                "declarations",
                "Declarations of geometry and tessellation programs",
            ),
            Self::Binding => ("bindings", "Bindings of attributes and results"),
            Self::State => ("state", "Bindings of GL state"),
            Self::Target => ("targets", "Texture targets"),
            Self::File => ("files", "Register files of TGSI"),
            Self::Semantic => ("semantics", "Semantics of TGSI"),
            Self::Property => ("properties", "Properties of TGSI"),
            Self::Language => ("languages", "Languages, by the headers of programs"),
        }
    }
}

/// Explanation of a name.
#[derive(Clone, Debug)]
pub(super) struct Topic {
    pub(super) group: Group,
    pub(super) name: String,
    /// One line.
    pub(super) about: String,
    /// Its syntax.
    pub(super) syntax: Option<String>,
    pub(super) fields: Vec<(&'static str, String)>,
    /// Running text, a paragraph on each line; may be empty.
    pub(super) text: String,
}

impl Topic {
    pub(super) fn new(group: Group, name: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            group,
            name: name.into(),
            about: about.into(),
            syntax: None,
            fields: Vec::new(),
            text: String::new(),
        }
    }

    /// Formats the topic for users.
    pub(super) fn format_text(&self) -> String {
        let mut text = format!("{}: {}\n", self.name, self.about);
        if let Some(syntax) = &self.syntax {
            text += &format!("\n  {syntax}\n");
        }
        if !self.fields.is_empty() {
            text.push('\n');
        }
        for (name, value) in &self.fields {
            text += &format!("  {name:<10} {value}\n");
        }
        for paragraph in self.text.lines() {
            text += &format!("\n{}", wrap_text(paragraph));
        }
        text
    }

    /// Formats the topic for tools: an object with `kind`, `name`, `about`, `syntax`, `fields` and
    /// `text`.
    pub(super) fn format_json(&self) -> Value {
        let fields = self.fields.iter();
        let fields: Map<String, Value> = fields
            .map(|(name, value)| ((*name).to_owned(), value.as_str().into()))
            .collect();
        json!({
            "kind": self.group.word(), "name": self.name, "about": self.about, "syntax": self.syntax,
            "fields": fields, "text": self.text,
        })
    }
}

/// Formats the option that an entry requires, to be appended to its version.
pub(super) fn with_option(needs: Features) -> String {
    if needs.is_empty() {
        String::new()
    } else {
        format!(", with OPTION {}", needs.option())
    }
}

/// Lists program types.
pub(super) fn format_programs(stages: Stages) -> String {
    if stages == Stages::ALL {
        return "all".to_owned();
    }
    let all = [
        Stage::Vertex,
        Stage::TessControl,
        Stage::TessEval,
        Stage::Geometry,
        Stage::Fragment,
        Stage::Compute,
    ];
    all.into_iter()
        .filter(|stage| stages.has(*stage))
        .map(stage_name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Wraps running text in lines, each with its line end.
fn wrap_text(text: &str) -> String {
    let mut wrapped = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        if column > 0 && column + 1 + word.chars().count() > WIDTH {
            wrapped.push('\n');
            column = 0;
        } else if column > 0 {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += word.chars().count();
    }
    wrapped + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_text_is_wrapped() {
        assert_eq!(wrap_text("one two"), "one two\n");
        let long = wrap_text(&"word ".repeat(40));
        assert!(long.lines().count() > 1 && long.lines().all(|line| line.len() <= WIDTH));
    }
}
