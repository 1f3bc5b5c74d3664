//! What is said of programs that do not start with the header of a language that glasm has.

use glasm_frontend::{Code, Diagnostic, Location, ProgramType, Source, translate};
use glasm_ir::{Span, Stage};

/// The only message about a program, and what it marks.
fn parse_header_error(text: &str, program_type: Option<ProgramType>) -> (Diagnostic, &str) {
    let source = Source {
        program_type,
        ..Source::new("a", text)
    };
    let (program, found) = translate(&source);
    assert!(program.is_none());
    let [found] = <[Diagnostic; 1]>::try_from(found.list).unwrap();
    assert_eq!(found.code, Code::HeaderUnknown);
    let Location::Span(Span { start, end }) = found.location else {
        panic!("no place")
    };
    (found, &text[start as usize..end as usize])
}

fn check_header_error(text: &str, parts: &[&str]) {
    let (found, _) = parse_header_error(text, None);
    let said = format!("{}\n{}", found.message, found.notes.join("\n"));
    for part in parts {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

#[test]
fn languages_that_are_not_there_yet_are_named() {
    let (found, marked) = parse_header_error("!!FCP1.0\nEND", None);
    assert_eq!(
        found.message,
        "glasm does not have the language of `!!FCP1.0` yet"
    );
    let note = &found.notes[0];
    assert!(note.contains("register combiners"), "{note}");
    assert_eq!(marked, "!!FCP1.0");
}

#[test]
fn other_languages_are_named() {
    check_header_error(
        "ps_2_0\ndef c0, 1, 1, 1, 1\n",
        &["pixel shaders of Direct3D"],
    );
    check_header_error("#version 330\n", &["starts GLSL", "glslangValidator"]);
    check_header_error(
        "!!VP3.0\nEND",
        &[
            "there is no language `!!VP3.0`",
            "OPTION NV_vertex_program3;",
        ],
    );
}

#[test]
fn misspelt_headers_get_suggestions() {
    for (text, close) in [
        ("!!NVvp50\nEND", "!!NVvp5.0"),
        ("!!ARBvp1.1 END", "!!ARBvp1.0"),
        ("!!ARBFP1.0\nEND", "!!ARBfp1.0"),
        ("!NVcp5.0\nEND", "!!NVcp5.0"),
    ] {
        let (found, marked) = parse_header_error(text, None);
        assert_eq!(
            found.message,
            "the program does not start with a known header"
        );
        assert_eq!(found.notes[0], format!("did you mean `{close}`?"));
        assert_eq!(marked, text.split_whitespace().next().unwrap());
    }
    // Which of several that are alike is meant depends on what the caller wants.
    let (found, _) =
        parse_header_error("!!NVxp5.0\nEND", Some(ProgramType::Stage(Stage::Fragment)));
    assert_eq!(found.notes[0], "did you mean `!!NVfp5.0`?");
}

#[test]
fn empty_programs_are_called_empty() {
    for text in ["", " \n\t\r\n"] {
        let (found, _) = parse_header_error(text, None);
        assert_eq!(found.message, "the program is empty", "{text:?}");
        assert!(found.notes.is_empty(), "{:?}", found.notes);
    }
}

#[test]
fn nonsense_is_nonsense() {
    for text in ["hello world", "MOV r, 1;", "VECTOR", "!!"] {
        let (found, _) = parse_header_error(text, None);
        assert_eq!(
            found.message,
            "the program does not start with a known header"
        );
        assert!(
            found.notes[0].starts_with("known headers: !!NVvp4.0, "),
            "{:?}",
            found.notes
        );
    }
}
