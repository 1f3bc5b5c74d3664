//! Properties of the analysis that hold for the programs of all scripts.

use glasm_analysis::{
    FormatOptions, Program, ProgramContext, StatementKind, TokenClass, TokenRole, complete,
    find_definition, find_signature, format_program, hover, list_folds, list_symbols,
};
use glasm_tests::scripts::distinct_programs;
use std::collections::HashSet;
use std::sync::Arc;

/// Returns the analysis of a source, which is one program.
fn analyze(text: &[u8]) -> Program {
    let text: Arc<[u8]> = Arc::from(text);
    let mut programs = Program::analyze_all(&text, &ProgramContext::default());
    programs.swap_remove(0)
}

/// Returns the text form of the IR of a program, without the positions in its source; `None` if it
/// has errors.
fn translate(text: &[u8]) -> Option<String> {
    let (program, _) = glasm::frontend::translate(&glasm::Source::new("", text));
    let text = program?.to_string();
    let lines = text.lines();
    // Comments of the text form are positions.
    Some(
        lines
            .map(|it| it.split("    ; @").next().unwrap_or(it).to_owned() + "\n")
            .collect(),
    )
}

#[test]
fn formatting_preserves_programs() {
    let options = FormatOptions::default();
    let mut changed = 0;
    for program in distinct_programs() {
        let text = program.text.as_bytes();
        let Some(formatted) = format_program(&analyze(text), &options) else {
            continue;
        };
        changed += 1;
        let shown = String::from_utf8_lossy(&formatted);
        assert_eq!(
            translate(text),
            translate(&formatted),
            "{}:\n{shown}",
            program.name
        );
        let again = format_program(&analyze(&formatted), &options);
        let again = again.map(|it| String::from_utf8_lossy(&it).into_owned());
        assert_eq!(again, None, "{}:\n{shown}", program.name);
    }
    assert!(changed > 100, "{changed}");
}

#[test]
fn all_bytes_are_tokens_or_whitespace_or_comments() {
    for program in distinct_programs() {
        let analyzed = analyze(program.text.as_bytes());
        let tokens = &analyzed.outline.tokens;
        let is_ordered = |pair: &[glasm_analysis::Token]| pair[0].span.end <= pair[1].span.start;
        assert!(tokens.windows(2).all(is_ordered), "{}", program.name);
        let statements = &analyzed.outline.statements;
        if analyzed.dialect().is_none() {
            assert!(statements.is_empty(), "{}", program.name);
            continue;
        }
        let ends = statements.iter().map(|it| it.tokens.end);
        let starts = statements.iter().skip(1).map(|it| it.tokens.start);
        let starts = starts.chain([tokens.len()]);
        assert!(ends.eq(starts), "{}", program.name);
    }
}

#[test]
fn correct_programs_consist_of_known_words() {
    let mut unknown = Vec::new();
    for program in distinct_programs() {
        let analyzed = analyze(program.text.as_bytes());
        if analyzed.diagnostics.has_errors() {
            continue;
        }
        let text = |token: &glasm_analysis::Token| analyzed.token_text(token).to_owned();
        let tokens = analyzed.outline.tokens.iter();
        let defined: HashSet<String> = tokens
            .clone()
            .filter(|it| it.role == TokenRole::Definition)
            .map(text)
            .collect();
        let mut statements = analyzed.outline.statements.iter();
        let end = statements.find(|it| it.kind == StatementKind::End);
        let end = end.map_or(usize::MAX, |it| it.tokens.end);
        let is_tgsi = program.text.trim_start().starts_with(char::is_alphabetic);
        // Text after `END` has no classes.
        for token in tokens.take(end) {
            let word = text(token);
            let is_known = match token.class {
                // The language declares the first two.
                TokenClass::Variable => {
                    matches!(word.as_str(), "A0" | "CC") || defined.contains(&word)
                }
                TokenClass::Label => is_tgsi || defined.contains(&word),
                TokenClass::Other => false,
                TokenClass::Opcode => hover(&analyzed, token.span.start).is_some(),
                TokenClass::Swizzle => word.chars().all(|it| "xyzwrgbaXYZW".contains(it)),
                TokenClass::Header
                | TokenClass::Modifier
                | TokenClass::Keyword
                | TokenClass::Option
                | TokenClass::Register
                | TokenClass::Binding
                | TokenClass::Target
                | TokenClass::Condition
                | TokenClass::Semantic
                | TokenClass::Number
                | TokenClass::Punctuation => true,
            };
            if !is_known {
                let line = program.text[..token.span.start as usize].lines().count();
                unknown.push(format!("{}: `{word}` in line {line}", program.name));
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn symbols_and_blocks_are_complete() {
    for program in distinct_programs() {
        let analyzed = analyze(program.text.as_bytes());
        if analyzed.diagnostics.has_errors() {
            continue;
        }
        for symbol in list_symbols(&analyzed) {
            let declared = find_definition(&analyzed, symbol.name_span.start);
            assert!(declared.is_some(), "{}: {}", program.name, symbol.name);
        }
        for fold in list_folds(&analyzed) {
            assert!(fold.span.start <= fold.span.end, "{}", program.name);
        }
    }
}

#[test]
fn every_position_has_an_answer() {
    // A part of the programs: the functions take time in proportion to the program.
    for program in distinct_programs().iter().step_by(50) {
        let analyzed = analyze(program.text.as_bytes());
        for offset in (0..=program.text.len() as u32).step_by(7) {
            hover(&analyzed, offset);
            find_signature(&analyzed, offset);
            let words = complete(&analyzed, offset);
            let replaced = words.replaced;
            assert!(
                replaced.start <= offset && offset <= replaced.end,
                "{}",
                program.name
            );
        }
    }
}
