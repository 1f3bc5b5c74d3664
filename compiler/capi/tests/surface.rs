//! Compares the surface of the library in Rust with the header for C: what C does not have is in
//! `tests/surface.tsv`, with the reason.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::Path;

/// A line of the list.
struct Exception {
    /// The item in Rust; `*` at its end stands for any end.
    item: String,
    /// The name in C, or `-`.
    name: String,
    reason: String,
}

impl Exception {
    fn matches(&self, item: &str) -> bool {
        match self.item.strip_suffix('*') {
            Some(start) => item.starts_with(start),
            None => item == self.item,
        }
    }
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read_exceptions() -> Vec<Exception> {
    let text = read("tests/surface.tsv");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let parse = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [item, name, reason] = columns[..] else {
            panic!("{line}");
        };
        Exception {
            item: item.to_owned(),
            name: name.to_owned(),
            reason: reason.to_owned(),
        }
    };
    lines.map(parse).collect()
}

/// Returns the items of the surface, members with their type. Variants are left out, because the
/// mirrors of enumerations do not compile without them.
fn list_items() -> Vec<String> {
    let text = read("../../tests/acceptance/public-api.txt");
    let mut items = Vec::new();
    let mut parent = "";
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let is_member = line.starts_with("  ");
        if !is_member {
            parent = line;
        }
        let kind = line.trim().rsplit("::").next().unwrap();
        let kind = kind.split('.').next().unwrap();
        match kind {
            "method" | "structfield" => items.push(format!("{parent}{line}")),
            "fn" | "struct" | "enum" | "constant" => items.push(line.to_owned()),
            "variant" | "associatedconstant" | "type" | "trait" | "macro" => {}
            _ => panic!("an item of another kind: {line}"),
        }
    }
    items
}

/// Returns a name as identifiers of C spell it: `ClipDepth` as `clip_depth`.
fn to_snake_case(name: &str) -> String {
    let mut text = String::new();
    let mut before_is_lower = false;
    for character in name.chars() {
        if character.is_ascii_uppercase() && before_is_lower {
            text.push('_');
        }
        before_is_lower = character.is_ascii_lowercase() || character.is_ascii_digit();
        text.push(character.to_ascii_lowercase());
    }
    text
}

#[test]
fn c_has_the_surface_of_the_library_or_a_reason() {
    let header = read("include/glasm.h");
    let words = header.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let exact: BTreeSet<&str> = words.collect();
    let words: Vec<String> = exact.iter().map(|word| word.to_lowercase()).collect();
    // `with_missing_textures` is in `glasm_program_with_missing_textures`.
    let is_in_c = |item: &str| {
        let name = to_snake_case(item.rsplit('.').next().unwrap());
        let end = format!("_{name}");
        words
            .iter()
            .any(|word| *word == name || word.ends_with(&end))
    };
    let missing: Vec<String> = list_items()
        .into_iter()
        .filter(|item| !is_in_c(item))
        .collect();
    assert!(missing.len() > 100, "{}", missing.len());
    let exceptions = read_exceptions();
    let unlisted = |item: &&String| !exceptions.iter().any(|it| it.matches(item));
    let unlisted: Vec<_> = missing.iter().filter(unlisted).collect();
    assert!(
        unlisted.is_empty(),
        "neither in glasm.h nor in tests/surface.tsv: {unlisted:#?}"
    );
    for exception in &exceptions {
        let (item, name) = (&exception.item, &exception.name);
        assert!(
            missing.iter().any(|missing| exception.matches(missing)),
            "no item of this name is missing in C: {item}"
        );
        match name.as_str() {
            "-" => assert!(!exception.reason.is_empty(), "no reason: {item}"),
            _ => assert!(exact.contains(name.as_str()), "{item}: {name} is not in C"),
        }
    }
}
