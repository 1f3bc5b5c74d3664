//! Messages of the error types of the library: one text without a line end, which the caller adds.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::ir::interp::StepLimitExceeded;
use glasm::layout::{DescriptorConflict, build_set_layouts};
use glasm::state::{MatrixError, ShortBlock};
use glasm::{LinkErrors, Options, Program, ProgramErrors, Source, Stage, compile, link};
use glasm_text::{Language, LanguageMismatch, UnknownLanguage, write_shader};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const TINT: &str = "!!ARBfp1.0\nMUL result.color, fragment.color, program.local[0];\nEND";

/// Two errors, so that the messages have a closing line.
const WRONG: &str = "!!ARBfp1.0\nMOV result.color, a;\nMOV result.color, b;\nEND";

fn load(text: &str) -> Result<Program, ProgramErrors> {
    Program::load_string("test", Stage::Fragment, text)
}

fn find_conflict() -> DescriptorConflict {
    let mut options = Options::default();
    // The slot of the texture.
    options.bindings.parameter_block_set = 1;
    options.bindings.parameter_block_binding = Some(2);
    let text = "!!ARBfp1.0\nTEMP r;\nTEX r, fragment.texcoord[0], texture[2], 2D;\n\
                MUL result.color, r, program.local[0];\nEND";
    let shader = compile(&Source::new("test", text), &options).unwrap();
    build_set_layouts(&[&shader.reflection]).unwrap_err()
}

fn find_mismatch() -> LanguageMismatch {
    let shader = load(TINT).unwrap().compile(&Options::default()).unwrap();
    match write_shader(&shader, &glasm_text::Options::default()) {
        Err(glasm_text::Error::OtherLanguage(mismatch)) => mismatch,
        other => panic!("{other:?}"),
    }
}

fn link_wrong() -> LinkErrors {
    let fragment = load(TINT).unwrap();
    link(&[&fragment, &fragment], &Options::default())
        .check()
        .unwrap_err()
}

/// Returns the messages of each error type, by its name.
fn list_messages() -> Vec<(&'static str, String)> {
    let errors = load(WRONG).unwrap_err();
    let mut broken = load(TINT).unwrap().ir().clone();
    broken.outputs.clear();
    let verified = glasm::ir::verify(&broken).unwrap_err();
    let pointer = "!!NVfp5.0\nTEMP r;\nLOAD.F32 r, program.local[0].x;\nMOV result.color, r;\nEND";
    let unwritten = glasm_text::write(
        &Source::new("test", pointer),
        &glasm_text::Options::default(),
    );
    let unknown = glasm_text::Options::new(Language::Glsl(120));
    let unknown = glasm_text::write(&Source::new("test", TINT), &unknown).unwrap_err();
    vec![
        ("Diagnostic", errors.diagnostics.list[0].to_string()),
        ("Diagnostics", errors.diagnostics.to_string()),
        ("ProgramErrors", errors.to_string()),
        ("ProgramErrors", format!("{errors:?}")),
        ("LinkErrors", link_wrong().to_string()),
        ("DescriptorConflict", find_conflict().to_string()),
        ("MatrixError", MatrixError::StackOverflow.to_string()),
        (
            "ShortBlock",
            ShortBlock {
                needed: 16,
                given: 0,
            }
            .to_string(),
        ),
        ("StepLimitExceeded", StepLimitExceeded(9).to_string()),
        ("ParseError", glasm::ir::parse("").unwrap_err().to_string()),
        ("VerifyError", verified[0].to_string()),
        ("Error", unwritten.unwrap_err().to_string()),
        ("Error", unknown.to_string()),
        (
            "UnknownLanguage",
            UnknownLanguage("a".to_owned()).to_string(),
        ),
        ("LanguageMismatch", find_mismatch().to_string()),
    ]
}

#[test]
fn messages_end_without_a_line_end() {
    for (name, message) in list_messages() {
        assert_eq!(message.trim(), message, "{name}");
        assert!(
            !message.is_empty() && !message.contains("\n\n\n"),
            "{name}: {message}"
        );
    }
}

/// Checks that the errors of a pipeline are separated as those of one program are.
#[test]
fn errors_of_stages_are_separated_by_an_empty_line() {
    let stage = |name| {
        (
            Stage::Fragment,
            Program::load_string(name, Stage::Fragment, WRONG).unwrap_err(),
        )
    };
    let errors = LinkErrors {
        stages: vec![stage("one"), stage("other")],
    };
    let messages = errors.stages.iter().map(|(_, errors)| errors.to_string());
    assert_eq!(
        errors.to_string(),
        messages.collect::<Vec<_>>().join("\n\n")
    );
    assert!(errors.to_string().contains("\n\nerror"), "{errors}");
}

/// Checks that the list has all error types of the published crates.
#[test]
fn all_error_types_are_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler");
    let mut found = BTreeSet::new();
    for name in ["frontend", "glasm", "ir", "text"] {
        visit(&root.join(name).join("src"), &mut |path| {
            let text = std::fs::read_to_string(path).unwrap();
            for line in text.lines() {
                if let Some(name) = line.strip_prefix("impl std::error::Error for ") {
                    found.insert(name.trim_end_matches(" {}").to_owned());
                }
            }
        });
    }
    let listed = list_messages().into_iter();
    let listed: BTreeSet<String> = listed.map(|(name, _)| name.to_owned()).collect();
    assert_eq!(found, listed);
}

/// Calls a function for each file of a directory.
fn visit(directory: &Path, function: &mut impl FnMut(&PathBuf)) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit(&path, function);
        } else {
            function(&path);
        }
    }
}
