//! Script source is untrusted: for any input, parsing terminates soon, with a script or with errors
//! that have a position.

use super::test::{COMMANDS, properties};
use super::{Script, require, section};
use glasm_tests::manual::{Example, examples};
use glasm_tests::mutate::{mutate, split};
use glasm_tests::rng::Rng;

/// Words that are invalid or unusual in scripts.
const ODD: &[&str] = &[
    "-1",
    "0",
    "31",
    "32",
    "255",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "-9223372036854775808",
    "0xFFFFFFFFFFFFFFFF",
    "1e39",
    "nan",
    "-inf",
    "inf",
    "(",
    ")",
    ",",
    "#",
    "\\",
    ";",
    "[",
    "]",
    "\n",
    "\u{e9}",
    "identity",
    "~=",
    "==",
    "|",
    "1:3",
    "..",
];

/// Returns every word of the language, of the manual's examples, and invalid ones.
fn vocabulary(examples: &[Example]) -> Vec<String> {
    let mut words: Vec<String> = ODD.iter().map(|word| (*word).to_owned()).collect();
    words.extend(COMMANDS.iter().map(|(word, _)| format!("\n{word} ")));
    words.extend(
        require::REQUIREMENTS
            .iter()
            .map(|(word, _)| format!("\n{word} ")),
    );
    let properties = properties::PROPERTIES.iter();
    words.extend(properties.map(|(word, _)| format!("\n{word} ")));
    let sections = section::PLAIN_NAMES.iter();
    words.extend(sections.map(|(name, _)| format!("\n[{name}]\n")));
    let shown = examples.iter().flat_map(|example| split(&example.text));
    words.extend(shown.map(str::to_owned));
    words.sort();
    words.dedup();
    words
}

/// Parses a script, which must not panic, and checks the positions of the errors.
fn read(text: &[u8]) -> bool {
    let lines = 1 + text.iter().filter(|byte| **byte == b'\n').count();
    let result = Script::parse(text);
    let Err(errors) = &result else {
        return true;
    };
    assert!(!errors.is_empty());
    assert!(errors.is_sorted_by_key(|error| (error.line, error.column)));
    for error in errors {
        let line = error.line as usize;
        let inside = (1..=lines).contains(&line) && error.column >= 1;
        assert!(inside, "{error:?}\n{}", String::from_utf8_lossy(text));
        assert!(!error.message.is_empty());
    }
    false
}

#[test]
fn changed_examples_are_read_or_refused() {
    let examples = examples(super::doc_tests::MANUAL);
    let vocabulary = vocabulary(&examples);
    let mut rng = Rng::new(1);
    let mut right = 0;
    for _ in 0..4000 {
        let example = rng.pick(&examples);
        right += usize::from(read(&mutate(&example.text, &vocabulary, &mut rng)));
    }
    // Most changes are errors, but not all: otherwise only errors would be tested.
    assert!((200..3900).contains(&right), "{right} scripts were right");
}

#[test]
fn words_in_no_order_are_read_or_refused() {
    let vocabulary = vocabulary(&examples(super::doc_tests::MANUAL));
    let mut rng = Rng::new(2);
    for _ in 0..400 {
        let count = 1 + rng.below(60);
        let mut text = String::from("[test]\n");
        for _ in 0..count {
            text.push_str(rng.pick::<String>(&vocabulary));
            text.push(' ');
        }
        read(text.as_bytes());
    }
}

/// No number of words after a command makes the parser panic.
#[test]
fn commands_with_any_number_of_words_do_not_panic() {
    for (command, _) in COMMANDS {
        for word in ODD {
            for count in 0..=12 {
                let words = vec![*word; count].join(" ");
                read(format!("[test]\n{command} {words}\n").as_bytes());
            }
        }
    }
}

#[test]
fn bytes_of_any_kind() {
    let mut rng = Rng::new(3);
    for _ in 0..2000 {
        let mut text = b"[test]\n".to_vec();
        for _ in 0..rng.below(60) {
            text.push(rng.bits().to_le_bytes()[0]);
        }
        read(&text);
        read(&text[7..]);
    }
}
