//! `glasm lsp`: each capability, asked for as an editor does.

use crate::support::editor::{Editor, range};
use serde_json::{Value, json};

const URI: &str = "file:///tint.fp";

/// Columns of the tests are counted in this text by hand.
const TINT: &str = "\
!!NVfp4.0
# tint
TEMP c, left;
MAD c, fragment.position, program.local[0], {0, 0, 0.5, 1};
SLTC left.x, c.x, 0.5;
IF NE.x;
  MOV c.y, 0;
ENDIF;
MOV result.color, c;
END
";

/// The positions of `c` in it: line, first column. Each has one character.
const PLACES_OF_C: [(u32, u32); 5] = [(2, 5), (3, 4), (4, 13), (6, 6), (8, 18)];

/// Returns an editor with a document.
fn open(language: &str, text: &str) -> (Editor, Vec<Value>) {
    let mut editor = Editor::start(json!({}));
    let diagnostics = editor.open(URI, language, text);
    (editor, diagnostics)
}

/// Returns the labels of completions at a position.
fn complete(editor: &mut Editor, at: (u32, u32)) -> Vec<String> {
    let list = editor.ask_at("textDocument/completion", URI, at);
    let items = list["items"].as_array().unwrap().iter();
    let labels = items.map(|item| item["label"].as_str().unwrap().to_owned());
    labels.collect()
}

#[test]
fn sessions_begin_and_end() {
    let (mut editor, diagnostics) = open("glasm", TINT);
    assert_eq!(diagnostics, Vec::<Value>::new());
    assert_eq!(editor.capabilities["positionEncoding"], "utf-16");
    let unknown = editor.ask("textDocument/unknown", json!({})).unwrap_err();
    // MethodNotFound of JSON-RPC.
    assert_eq!(unknown["code"], -32601);
    let malformed = editor.ask("textDocument/hover", json!({ "textDocument": 1 }));
    assert!(malformed.is_err());
    let closed = json!({ "textDocument": { "uri": "file:///closed" }, "position": { "line": 0, "character": 0 } });
    assert_eq!(editor.ask("textDocument/hover", closed), Ok(Value::Null));
    assert_eq!(editor.end(), 0);
}

#[test]
fn words_are_explained() {
    let (mut editor, _) = open("glasm", TINT);
    let mut text = |at| {
        let hover = editor.ask_at("textDocument/hover", URI, at);
        let value = hover["contents"]["value"].as_str().unwrap_or_default();
        (value.to_owned(), hover["range"].clone())
    };
    let (mad, place) = text((3, 1));
    assert!(mad.contains("MAD result, a, b, c;"), "{mad}");
    // Programs of other families have other entries.
    assert!(
        !mad.contains("TGSI") && !mad.contains("ARB programs"),
        "{mad}"
    );
    assert_eq!(place, range(3, 0, 3));
    let (position, place) = text((3, 20));
    assert!(position.contains("fragment.position: "), "{position}");
    assert_eq!(place, range(3, 7, 24));
    let (header, _) = text((0, 3));
    assert!(header.contains("NV_gpu_program4"), "{header}");
    // MAD and the MOV in the block write it, SLTC and the last MOV read it.
    let (name, _) = text((4, 13));
    assert!(
        name.contains("TEMP c, left;\n\nwritten 2 times, read 2 times"),
        "{name}"
    );
    assert_eq!(text((1, 3)).0, "");
}

#[test]
fn names_are_found_and_renamed() {
    let (mut editor, _) = open("glasm", TINT);
    let definition = editor.ask_at("textDocument/definition", URI, (8, 18));
    assert_eq!(definition, json!({ "uri": URI, "range": range(2, 5, 6) }));
    let places = PLACES_OF_C.map(|(line, column)| range(line, column, column + 1));
    let references = editor.ask_at("textDocument/references", URI, (3, 4));
    let expected: Vec<Value> = places
        .iter()
        .map(|it| json!({ "uri": URI, "range": it }))
        .collect();
    assert_eq!(references, json!(expected));
    let highlights = editor.ask_at("textDocument/documentHighlight", URI, (3, 4));
    let kinds: Vec<&Value> = highlights
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["kind"])
        .collect();
    // Declared, written, read, written, read.
    assert_eq!(kinds, [3, 3, 2, 3, 2]);
    let place = editor.ask_at("textDocument/prepareRename", URI, (4, 13));
    assert_eq!(place, range(4, 13, 14));
    let mut rename = |at: (u32, u32), name: &str| {
        let position = json!({ "line": at.0, "character": at.1 });
        let document = json!({ "uri": URI });
        let params = json!({ "textDocument": document, "position": position, "newName": name });
        editor.ask("textDocument/rename", params)
    };
    let edits: Vec<Value> = places
        .iter()
        .map(|it| json!({ "range": it, "newText": "tint" }))
        .collect();
    assert_eq!(
        rename((4, 13), "tint"),
        Ok(json!({ "changes": { URI: edits } }))
    );
    // In use, reserved, not a name, not a name that the program declares.
    for (at, name) in [
        ((4, 13), "left"),
        ((4, 13), "result"),
        ((4, 13), "1c"),
        ((3, 8), "c"),
    ] {
        assert!(rename(at, name).is_err(), "{name}");
    }
}

#[test]
fn symbols_and_blocks_are_listed() {
    let (mut editor, _) = open("glasm", TINT);
    let symbols = editor.ask_about("textDocument/documentSymbol", URI);
    let found: Vec<_> = (symbols.as_array().unwrap().iter())
        .map(|it| (it["name"].as_str().unwrap(), it["selectionRange"].clone()))
        .collect();
    assert_eq!(found, [("c", range(2, 5, 6)), ("left", range(2, 8, 12))]);
    assert_eq!(symbols[0]["detail"], "TEMP c, left;");
    let folds = editor.ask_about("textDocument/foldingRange", URI);
    assert_eq!(
        folds,
        json!([{ "startLine": 5, "endLine": 6, "kind": "region" }])
    );
}

#[test]
fn operands_are_shown() {
    let (mut editor, _) = open("glasm", TINT);
    let active = |editor: &mut Editor, at| {
        let help = editor.ask_at("textDocument/signatureHelp", URI, at);
        let label = help["signatures"][0]["label"].as_str().map(str::to_owned);
        (label, help["activeParameter"].as_u64())
    };
    let mad = Some("MAD result, a, b, c;".to_owned());
    // In the result, the second operand, and the vector with commas.
    assert_eq!(active(&mut editor, (3, 5)), (mad.clone(), Some(0)));
    assert_eq!(active(&mut editor, (3, 26)), (mad.clone(), Some(2)));
    assert_eq!(active(&mut editor, (3, 51)), (mad, Some(3)));
    assert_eq!(active(&mut editor, (2, 7)), (None, None));
    editor.change(
        URI,
        2,
        "!!NVfp4.0\nTEX r, {0, 0, 0, 1}, texture[0], 2D;\nEND\n",
    );
    let tex = Some("TEX result, a, texture[n], target;".to_owned());
    // The texture is the third operand: commas in braces divide none.
    assert_eq!(active(&mut editor, (1, 24)), (tex, Some(2)));
}

#[test]
fn tokens_have_classes() {
    let (mut editor, _) = open("glasm", "!!ARBfp1.0\n# \u{e9}\nTEMP r;\nMOV r.x, 1;\nEND\n");
    let legend = editor.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"].clone();
    let tokens = editor.ask_about("textDocument/semanticTokens/full", URI);
    let data: Vec<u64> = (tokens["data"].as_array().unwrap().iter())
        .map(|it| it.as_u64().unwrap())
        .collect();
    let decoded: Vec<_> = data
        .chunks(5)
        .map(|it| {
            (
                it[0],
                it[1],
                it[2],
                legend[it[3] as usize].as_str().unwrap(),
                it[4],
            )
        })
        .collect();
    // Lines and columns are relative to the token before; the last number has the modifiers:
    // 1 for declarations, 2 for writes.
    let expected = [
        (0, 0, 10, "macro", 0),
        (1, 0, 3, "comment", 0),
        (1, 0, 4, "keyword", 0),
        (0, 5, 1, "variable", 1),
        (1, 0, 3, "function", 0),
        (0, 4, 1, "variable", 2),
        (0, 2, 1, "decorator", 0),
        (0, 3, 1, "number", 0),
        (1, 0, 3, "keyword", 0),
    ];
    assert_eq!(decoded, expected);
}

#[test]
fn completion_follows_header_and_options() {
    let text = "!!ARBfp1.0\nTEMP near;\n\nMOV near, fragment.\nTEX near, near, texture[0], \nEND\n";
    let (mut editor, _) = open("glasm", text);
    let has = |words: &[String], word: &str| words.iter().any(|it| it == word);
    let first = complete(&mut editor, (2, 0));
    // NV_fragment_program_option adds DDX, NV_gpu_program4 TXF.
    assert!(
        has(&first, "MAD") && has(&first, "TEMP") && !has(&first, "DDX") && !has(&first, "TXF")
    );
    let words = complete(&mut editor, (3, 19));
    assert!(
        has(&words, "texcoord") && has(&words, "position"),
        "{words:?}"
    );
    assert!(!has(&words, "facing") && !has(&words, "near"), "{words:?}");
    let targets = complete(&mut editor, (4, 28));
    assert!(
        has(&targets, "2D") && !has(&targets, "SHADOW2D") && !has(&targets, "near"),
        "{targets:?}"
    );
    editor.change(URI, 2, "!!ARBfp1.0\nOPTION NV_fragment_program;\nOPTION ARB_fragment_program_shadow;\n\nTEX r, r, texture[0], \n");
    let first = complete(&mut editor, (3, 0));
    assert!(has(&first, "DDX") && !has(&first, "TXF"));
    assert!(has(&complete(&mut editor, (4, 22)), "SHADOW2D"));
    assert!(has(&complete(&mut editor, (1, 7)), "ARB_fog_exp"));
    editor.change(URI, 3, "!!NVfp5.0\nMAD.\nIF \nMOV r (\n!!");
    let modifiers = complete(&mut editor, (1, 4));
    // Table X.13: MAD has types and clamps, but not the modifier ROUND, which CVT has.
    assert!(has(&modifiers, "SAT") && has(&modifiers, "F32") && !has(&modifiers, "ROUND"));
    assert!(has(&complete(&mut editor, (2, 3)), "GT"));
    let resolved = editor
        .ask("completionItem/resolve", json!({ "label": "MAD" }))
        .unwrap();
    let documentation = resolved["documentation"]["value"].as_str().unwrap();
    assert!(
        documentation.contains("MAD result, a, b, c;"),
        "{documentation}"
    );
    editor.change(URI, 4, "");
    assert!(has(&complete(&mut editor, (0, 0)), "!!ARBvp1.0"));
}

/// A program with a name that is declared twice, one that is misspelled, an opcode that needs an
/// option, and without `END`.
const WRONG: &str = "!!ARBfp1.0\nTEMP left;\nTEMP left;\nMOV left, lft;\nDDX left, left;\nMOV result.color, left;\n";

#[test]
fn diagnostics_have_positions_and_hints() {
    let (mut editor, diagnostics) = open("glasm", WRONG);
    let find = |code: &str| {
        let mut list = diagnostics.iter();
        list.find(|it| it["code"] == code).unwrap().clone()
    };
    // A second declaration in line 2, columns 5 to 9, of the name in line 1.
    let twice = find("E0202");
    let marked = (&twice["range"], &twice["severity"]);
    assert_eq!(marked, (&range(2, 5, 9), &json!(1)));
    let first = json!({ "uri": URI, "range": range(1, 5, 9) });
    let related = json!([{ "location": first, "message": "`left` is declared here" }]);
    assert_eq!(twice["relatedInformation"], related);
    assert_eq!(twice["codeDescription"]["href"], "glasm-explain:E0202");
    let message = find("E0201")["message"].as_str().unwrap().to_owned();
    assert!(
        message.ends_with("\nhelp: did you mean `left`?"),
        "{message}"
    );
    let params = json!({ "command": "glasm.explain", "arguments": ["E0201"] });
    let answer = editor.ask("workspace/executeCommand", params);
    assert_eq!(answer, Ok(Value::Null));
    let shown = editor.wait_for(|it| it["method"] == "window/showMessage");
    let shown = shown["params"]["message"].as_str().unwrap();
    assert!(shown.starts_with("E0201: undeclared name"), "{shown}");
}

#[test]
fn diagnostics_have_fixes() {
    let (mut editor, _) = open("glasm", WRONG);
    let mut fixes = |line: u32, start: u32, end: u32| -> Vec<(String, Value)> {
        let params = json!({
            "textDocument": { "uri": URI },
            "range": range(line, start, end),
            "context": { "diagnostics": [] },
        });
        let actions = editor.ask("textDocument/codeAction", params).unwrap();
        let actions = actions.as_array().unwrap().iter();
        actions
            .map(|it| {
                let edit = it["edit"]["changes"][URI][0].clone();
                (it["title"].as_str().unwrap().to_owned(), edit)
            })
            .collect()
    };
    let titled = |title: &str, place: Value, text: &str| {
        let edit = json!({ "range": place, "newText": text });
        (title.to_owned(), edit)
    };
    let declared = "Declare `lft` as a temporary variable";
    assert_eq!(
        fixes(3, 10, 13),
        [
            titled("Replace with `left`", range(3, 10, 13), "left"),
            titled(declared, range(2, 10, 10), "\nTEMP lft;"),
            ("Explain E0201".to_owned(), Value::Null),
        ]
    );
    let option = "Add `OPTION NV_fragment_program`";
    let line = "\nOPTION NV_fragment_program;";
    let expected = titled(option, range(0, 10, 10), line);
    assert_eq!(fixes(4, 0, 3)[0], expected);
    let expected = titled("Add `END`", range(5, 23, 23), "\nEND");
    assert_eq!(fixes(6, 0, 0)[0], expected);
}

#[test]
fn fixed_programs_have_no_errors() {
    let (mut editor, diagnostics) = open(
        "glasm",
        "!!NVfp4.0\nTEMP r;\nTXGO r, r, r, r, texture[0], 2D\nMOV result.color, r;\nEND\n",
    );
    // A missing semicolon after the target, and an opcode of version 5.0.
    assert_eq!(diagnostics[0]["code"], "E0102", "{diagnostics:?}");
    let params = json!({ "textDocument": { "uri": URI }, "range": range(3, 0, 1), "context": { "diagnostics": [] } });
    let actions = editor.ask("textDocument/codeAction", params).unwrap();
    let edit = &actions[0]["edit"]["changes"][URI][0];
    assert_eq!(edit, &json!({ "range": range(2, 31, 31), "newText": ";" }));
    let diagnostics = editor.change(
        URI,
        2,
        "!!NVfp4.0\nTEMP r;\nTXGO r, r, r, r, texture[0], 2D;\nMOV result.color, r;\nEND\n",
    );
    assert!(
        diagnostics[0]["message"]
            .as_str()
            .unwrap()
            .contains("language version 5.0")
    );
    let params = json!({ "textDocument": { "uri": URI }, "range": range(2, 0, 4), "context": { "diagnostics": [] } });
    let actions = editor.ask("textDocument/codeAction", params).unwrap();
    let edit = &actions[0]["edit"]["changes"][URI][0];
    assert_eq!(
        edit,
        &json!({ "range": range(0, 0, 9), "newText": "!!NVfp5.0" })
    );
}

#[test]
fn programs_are_formatted() {
    let text = "!!NVfp4.0\nTEMP  c ,d ;  # two\nIF   GT.x ;\nMOV c,  d;MOV d , -c;\n\n\n\nELSE;\n# one\nMOV c.x,{ 1, 2 }.x ;\nENDIF;\nMOV result.color,c;END\n";
    let expected = "!!NVfp4.0\nTEMP c, d;  # two\nIF GT.x;\n    MOV c, d;\n    MOV d, -c;\n\nELSE;\n    # one\n    MOV c.x, { 1, 2 }.x;\nENDIF;\nMOV result.color, c;\nEND\n";
    let (mut editor, diagnostics) = open("glasm", text);
    assert_eq!(diagnostics, Vec::<Value>::new());
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    let params = json!({ "textDocument": { "uri": URI }, "options": options });
    let edits = editor
        .ask("textDocument/formatting", params.clone())
        .unwrap();
    assert_eq!(edits[0]["newText"], expected);
    assert_eq!(edits.as_array().map(Vec::len), Some(1));
    editor.change(URI, 2, expected);
    assert_eq!(editor.ask("textDocument/formatting", params), Ok(json!([])));
}

#[test]
fn sections_of_scripts_are_programs() {
    let text = "[require]\nfbsize 4 4\n[vertex program passthrough]\n[fragment program]\n!!ARBfp1.0\nMOV result.color, colour;\nEND\n[test]\ndraw nothing\n";
    let (mut editor, diagnostics) = open("plaintext", text);
    let found: Vec<_> = diagnostics
        .iter()
        .map(|it| it["range"]["start"].clone())
        .collect();
    // The command in line 8, whose second word is wrong, and the name in line 5.
    assert_eq!(
        found,
        [
            json!({ "line": 8, "character": 5 }),
            json!({ "line": 5, "character": 18 })
        ]
    );
    let hover = editor.ask_at("textDocument/hover", URI, (5, 1));
    assert_eq!(hover["range"], range(5, 0, 3));
    // A program of another type than that of its section.
    let wrong =
        "[fragment program]\n!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n[test]\n";
    let diagnostics = editor.change(URI, 2, wrong);
    assert_eq!(
        diagnostics[0]["range"]["start"]["line"], 1,
        "{diagnostics:?}"
    );
    let expected =
        "[vertex program]\n!!ARBvp1.0\nMOV x, vertex.position;\nEND\n[test]\nexpect error E0201\n";
    let diagnostics = editor.change(URI, 3, expected);
    // Information: the script expects it.
    assert_eq!(
        (&diagnostics[0]["code"], &diagnostics[0]["severity"]),
        (&json!("E0201"), &json!(3))
    );
}

#[test]
fn programs_in_literals_have_their_places() {
    // The character before the literal is two code units of UTF-16 and four bytes.
    let text = "const char *p = /* \u{1f600} */ \"!!ARBfp1.0\\n\"\n  \"TEMP tint; # \\\"t\\\"\\n\" /* \u{1f600} */ \"MOV tint, colr;\\n\"\n  \"MOV result.color, tint;\\nEND\\n\";\n";
    for (unit, wide) in [("utf-16", 2), ("utf-8", 4)] {
        let mut editor = Editor::start(json!({ "general": { "positionEncodings": [unit] } }));
        let diagnostics = editor.open(URI, "c", text);
        assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
        // Before `MOV tint, colr` are 33 characters and the wide one.
        let line = text.lines().nth(1).unwrap();
        let before = line.chars().take_while(|it| *it != '\u{1f600}').count();
        let mov = before as u32 + wide + " */ \"".len() as u32;
        assert_eq!(diagnostics[0]["range"], range(1, mov + 10, mov + 14));
        let definition = editor.ask_at("textDocument/definition", URI, (2, 22));
        assert_eq!(definition["range"], range(1, 8, 12));
        let references = editor.ask_at("textDocument/references", URI, (2, 22));
        let places: Vec<&Value> = references
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["range"])
            .collect();
        assert_eq!(
            places,
            [
                &range(1, 8, 12),
                &range(1, mov + 4, mov + 8),
                &range(2, 21, 25)
            ]
        );
        // Edits have escapes.
        let params = json!({ "textDocument": { "uri": URI }, "range": range(1, mov + 10, mov + 11), "context": { "diagnostics": [] } });
        let actions = editor.ask("textDocument/codeAction", params).unwrap();
        assert_eq!(
            actions[0]["edit"]["changes"][URI][0]["newText"], "\\nTEMP colr;",
            "{actions}"
        );
        let params = json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 2, "insertSpaces": true } });
        assert_eq!(
            editor.ask("textDocument/formatting", params),
            Ok(Value::Null)
        );
    }
}

#[test]
fn tgsi_has_registers_and_labels() {
    let text = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\nIMM[0] FLT32 {0.0, 1.0, 0.0, 0.0}\n  0: MOV TEMP[1], IN[0]\n  1: MUL OUT[0], TEMP[1], IMM[0].yyyy\n  2: END\n";
    let (mut editor, diagnostics) = open("tgsi", text);
    assert_eq!(diagnostics, Vec::<Value>::new());
    let symbols = editor.ask_about("textDocument/documentSymbol", URI);
    let names: Vec<_> = symbols
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["IN[0]", "OUT[0]", "TEMP[0..1]"]);
    let references = editor.ask_at("textDocument/references", URI, (6, 18));
    let lines: Vec<_> = references
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["range"]["start"]["line"].clone())
        .collect();
    assert_eq!(lines, [3, 5, 6]);
    let definition = editor.ask_at("textDocument/definition", URI, (6, 27));
    assert_eq!(definition["range"], range(4, 0, 3));
    let hover = editor.ask_at("textDocument/hover", URI, (1, 13));
    assert!(
        hover["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("GENERIC: ")
    );
    let words = complete(&mut editor, (2, 12));
    assert!(words.iter().any(|it| it == "COLOR") && !words.iter().any(|it| it == "THREAD_ID"));
    let help = editor.ask_at("textDocument/signatureHelp", URI, (6, 20));
    assert_eq!(
        (&help["signatures"][0]["label"], &help["activeParameter"]),
        (&json!("MUL result, a, b"), &json!(1))
    );
}

#[test]
fn any_text_is_answered() {
    let mut editor = Editor::start(json!({}));
    let long = format!("!!ARBfp1.0\n{}", "MOV a,b;".repeat(3000));
    let texts = [
        "!!",
        "!!ARBfp1.0",
        "!!NVfp5.0\nMAD.",
        "[",
        "[test]",
        "FRAG",
        "\u{0}\"!!ARBvp1.0",
        "!!ARBfp1.0\n{{{{[[[[((((",
        "!!NVfp5.0 IF IF IF ELSE ENDIF",
        long.as_str(),
        "!!ARBfp1.0 a: b: c SUBROUTINENUM(",
        "FRAG DCL TEMP[0..4294967295] 0: 1: 2:",
    ];
    for (version, text) in (1..).zip(texts) {
        if version == 1 {
            editor.open(URI, "glasm", text);
        } else {
            editor.change(URI, version, text);
        }
        for method in [
            "documentSymbol",
            "foldingRange",
            "semanticTokens/full",
            "formatting",
        ] {
            editor.ask_about(&format!("textDocument/{method}"), URI);
        }
        for column in (0..40).chain([5000, u32::MAX]) {
            for method in [
                "hover",
                "completion",
                "signatureHelp",
                "definition",
                "references",
            ] {
                editor.ask_at(&format!("textDocument/{method}"), URI, (column % 3, column));
            }
        }
    }
    assert_eq!(editor.end(), 0);
}
