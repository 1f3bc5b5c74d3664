//! The manual of the language, `docs/scripts.md`, agrees with the parser: its examples can be read,
//! and it has an example of every word.

use super::test::{COMMANDS, fixed_state, gl_state, parameters, properties};
use super::{Script, fixed, require, section};
use glasm::ProgramType;
use glasm_tests::manual::examples;
use std::collections::BTreeSet;

pub(super) const MANUAL: &str = include_str!("../../../docs/scripts.md");

fn parse(text: &str) {
    let result = Script::parse(text.as_bytes());
    assert!(result.is_ok(), "{text}\n{:#?}", result.err());
}

/// Returns the examples between backticks in the first cell of a table row.
fn examples_of_row(row: &str) -> Vec<&str> {
    let cell = row
        .strip_prefix("| ")
        .and_then(|rest| rest.split_once(" |"))
        .map_or("", |(cell, _)| cell);
    cell.split('`')
        .skip(1)
        .step_by(2)
        .filter(|example| !example.contains("..."))
        .collect()
}

#[test]
fn examples_of_the_manual_are_right() {
    let mut count = 0;
    let mut section = "";
    for line in MANUAL.lines() {
        section = line.strip_prefix("## ").unwrap_or(section);
        let (prefix, rest) = match section {
            // Lines may name registers of a program.
            "`[require]`" => (
                "[require]\n",
                "[vertex program]\nVERT\nDCL OUT[3], GENERIC\n",
            ),
            "Drawing and dispatching"
            | "What programs read"
            | "Comparing"
            | "Printing and images" => (
                "[require]\nframebuffer 1 R8_UNORM\ndepthstencil D32_SFLOAT_S8_UINT\nsamples 4\nfblayers 3\n\
                 [test]\nbuffer in size 16\nbuffer out size 16\nssbo 3 64\natomic counters 4\natomic counter buffer 2 4\nxfb 0 size 64\n\
                 image 2D 0 R32_UINT (4, 4)\nimage 2DArray 1 levels 2 R8G8B8A8_UNORM (4, 4, 4)\n",
                "",
            ),
            _ => continue,
        };
        for example in examples_of_row(line) {
            // Lines of values and of attribute names are not commands.
            if !example.contains(' ') && prefix != "[require]\n" {
                continue;
            }
            parse(&format!("{prefix}{example}\n{rest}"));
            count += 1;
        }
    }
    assert!(count > 60, "found {count} examples");
    for example in examples(MANUAL) {
        parse(&format!(
            "{}{}",
            "\n".repeat(example.line - 1),
            example.text
        ));
    }
}

/// Returns the name of a section `[STAGE ...]`, with the first of the stage's names.
fn stage_word(program_type: ProgramType) -> String {
    let names = section::STAGE_NAMES.iter();
    let mut names = names.filter(|(_, known)| *known == program_type);
    format!("[{} ...]", names.next().map_or("", |(name, _)| *name))
}

fn property_words() -> impl Iterator<Item = String> {
    let plain = properties::PROPERTIES
        .iter()
        .map(|(word, _)| (*word).to_owned());
    let attachment = properties::ATTACHMENT_PROPERTIES
        .iter()
        .map(|(word, _)| (*word).to_owned());
    let stencil = properties::STENCIL_PROPERTIES
        .iter()
        .map(|(word, _)| format!("front.{word}"));
    plain.chain(attachment).chain(stencil)
}

/// Returns the words that follow the first word of a command: `light ambient`.
fn property_pairs() -> BTreeSet<String> {
    fn pairs<'a, T>(command: &'a str, table: &'a [(&str, T)]) -> impl Iterator<Item = String> + 'a {
        table
            .iter()
            .map(move |(word, _)| format!("{command} {word}"))
    }
    pairs("matrix", parameters::MATRIX_OPERATIONS)
        .chain(pairs("light", gl_state::LIGHT))
        .chain(pairs("material", gl_state::MATERIAL))
        .chain(pairs("lightmodel", gl_state::LIGHT_MODEL))
        .chain(pairs("lightmodel", fixed_state::LIGHT_MODEL))
        .chain(pairs("fog", gl_state::FOG))
        .chain(pairs("fog", fixed_state::FOG))
        .chain(pairs("point", gl_state::POINT))
        .collect()
}

/// Returns all words that must occur in an example: first words of commands, properties, words of
/// `[require]`, sections.
fn vocabulary() -> BTreeSet<String> {
    let commands = COMMANDS.iter().map(|(word, _)| (*word).to_owned());
    let requirements = require::REQUIREMENTS
        .iter()
        .map(|(word, _)| format!("[require] {word}"));
    let stages = section::STAGE_NAMES
        .iter()
        .map(|(_, stage)| stage_word(*stage));
    let forms = section::FORM_NAMES
        .iter()
        .map(|(name, _)| format!("[... {name}]"));
    let sections = section::PLAIN_NAMES
        .iter()
        .map(|(name, _)| format!("[{name}]"));
    commands
        .chain(property_words())
        .chain(property_pairs())
        .chain(requirements)
        .chain(stages)
        .chain(forms)
        .chain(sections)
        .collect()
}

/// Returns the words of a script that may be in [`vocabulary`].
fn words_of(script: &str) -> BTreeSet<String> {
    let properties: BTreeSet<String> = property_words().collect();
    let pairs = property_pairs();
    let mut found = BTreeSet::new();
    let mut section = "";
    for line in script.lines().map(str::trim_end) {
        let header = line.strip_prefix('[').and_then(|l| l.strip_suffix(']'));
        let mut words = line.split_whitespace().take_while(|w| !w.starts_with('#'));
        if let Some(header) = header {
            section = header;
            found.insert(line.to_owned());
            for (name, stage) in section::STAGE_NAMES {
                let form = header.strip_prefix(name).and_then(|l| l.strip_prefix(' '));
                if let Some(form) = form {
                    found.extend([stage_word(*stage), format!("[... {form}]")]);
                }
            }
        } else if section == "require" {
            found.extend(words.next().map(|word| format!("[require] {word}")));
        } else if section == "test" {
            // Properties may follow a word that selects their object.
            let later = words.clone().map(|word| word.replace("back.", "front."));
            found.extend(later.filter(|word| properties.contains(word)));
            if let Some(command) = words.next() {
                let all = words.map(|word| format!("{command} {word}"));
                found.extend(all.filter(|pair| pairs.contains(pair)));
                found.insert(command.to_owned());
            }
        }
    }
    found
}

#[test]
fn the_manual_has_an_example_of_every_word() {
    let shown: BTreeSet<String> = examples(MANUAL)
        .iter()
        .flat_map(|example| words_of(&example.text))
        .collect();
    let vocabulary = vocabulary();
    let missing: Vec<&String> = vocabulary.difference(&shown).collect();
    assert!(
        missing.is_empty(),
        "no `shader_test` block of docs/scripts.md shows {missing:#?}"
    );
}

/// Returns the text of the manual outside of fenced blocks.
fn prose() -> String {
    MANUAL.split("```").step_by(2).collect()
}

#[test]
fn the_manual_explains_every_word() {
    let prose = prose();
    let unexplained: Vec<String> = vocabulary()
        .into_iter()
        .map(|word| word.replace("[require] ", "").replace("front.", ""))
        .filter(|word| !word.contains("...") && !word.starts_with('['))
        .filter(|words| {
            // The second word of a pair may appear alone or after a number.
            let (starts, word) = match words.split_once(' ') {
                Some((_, second)) => (&["`", " "][..], second),
                None => (&["`"][..], words.as_str()),
            };
            let ends = [" ", "`"];
            let mut forms = starts
                .iter()
                .flat_map(|start| ends.map(|end| format!("{start}{word}{end}")));
            !forms.any(|form| prose.contains(&form))
        })
        .collect();
    assert!(
        unexplained.is_empty(),
        "docs/scripts.md does not explain {unexplained:#?}"
    );
}

#[test]
fn the_manual_explains_every_fixed_property() {
    let prose = prose();
    for (name, _) in fixed::PROPERTIES {
        let word = format!("`fixed {name}");
        assert!(prose.contains(&word), "docs/scripts.md lacks {word}");
    }
}

#[test]
fn the_contents_name_every_chapter() {
    let prose = prose();
    let titles = prose.lines().filter(|line| line.starts_with("##"));
    for title in titles.map(|line| line.trim_start_matches('#').trim()) {
        let kept = |c: &char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let anchor: String = title.chars().filter(kept).collect();
        let anchor = anchor.to_ascii_lowercase().replace(' ', "-");
        let link = format!("[{title}](#{anchor})");
        assert!(prose.contains(&link), "the contents lack {link}");
    }
}

#[test]
fn tables_of_words_are_sorted() {
    assert!(COMMANDS.is_sorted_by_key(|(word, _)| *word));
    assert!(require::REQUIREMENTS.is_sorted_by_key(|(word, _)| *word));
    assert!(fixed::PROPERTIES.is_sorted_by_key(|(word, _)| *word));
}
