//! Tests of mutation sites and rewriting, on small sources.

use crate::mutation_sites::{MutationSite, find_sites};
use crate::replacements::EnumVariants;
use crate::replacements::rewrite;

fn sites(text: &str) -> Vec<MutationSite> {
    let file = syn::parse_file(text).unwrap();
    let mut enums = EnumVariants::default();
    enums.add_enums(&file);
    find_sites(text, &file, &enums)
}

fn changes(text: &str) -> Vec<String> {
    sites(text).into_iter().map(|site| site.change).collect()
}

/// Returns the text with the mutation of this change in it.
fn with(text: &str, change: &str) -> String {
    let sites = sites(text);
    let wanted = sites.iter().find(|site| site.change == change);
    let edits = &wanted
        .unwrap_or_else(|| panic!("{change} is none of {sites:#?}"))
        .edits;
    let edits: Vec<_> = edits.iter().map(|edit| (7, edit)).collect();
    rewrite(text, &edits, "on").text
}

#[test]
fn operators_literals_and_conditions() {
    let text = "fn f(a: u32) -> bool { if a < 2 { return !true; } a == 0 }";
    let expected = [
        "return !true; -> nothing",
        "!true -> true",
        "true -> false",
        "a < 2 -> true",
        "a < 2 -> false",
        "a < 2 -> a <= 2",
        "2 -> 3",
        "2 -> 0",
        "a == 0 -> a != 0",
        "0 -> 1",
    ];
    let mut found = changes(text);
    let mut expected = expected.map(str::to_owned).to_vec();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(
        with(text, "a < 2 -> a <= 2"),
        "fn f(a: u32) -> bool { if (if on(7) { a <= 2 } else { a < 2 }) { return !true; } a == 0 }"
    );
}

#[test]
fn statements_go_and_calls_of_tests_stay() {
    let text = "fn f(v: &mut V) { v.push(x); } #[cfg(test)] mod tests { fn g() { h(); } }";
    assert_eq!(changes(text), ["v.push(x); -> nothing"]);
    assert_eq!(
        with(text, "v.push(x); -> nothing"),
        "fn f(v: &mut V) { { if on(7) {  } else { v.push(x); } } } #[cfg(test)] mod tests { fn g() { h(); } }"
    );
}

#[test]
fn arms_arguments_and_siblings() {
    let text = "enum E { A, B(u8), C } fn f(e: E) -> E { match e { E::A => g(x, y), E::B(_) => { E::C } _ => E::A, } }";
    let found = changes(text);
    for change in [
        "arms g(x, y) <-> { E::C }",
        "arms { E::C } <-> E::A",
        "arguments x <-> y",
        "E::C -> E::A",
        "E::A -> E::C",
    ] {
        assert!(found.iter().any(|it| it == change), "{change} in {found:?}");
    }
    assert_eq!(found.len(), 5);
    assert!(with(text, "arms { E::C } <-> E::A").ends_with(
        "E::B(_) => { if on(7) { E::A } else { { E::C } } } _ => { if on(7) { { E::C } } else { E::A } }, } }"
    ));
}

#[test]
fn what_binds_names_stays() {
    let text = "fn f() { while let Some(x) = a && b {} }";
    assert_eq!(changes(text), ["b -> true", "b -> false"]);
}

#[test]
fn tables_are_read_through_a_switch() {
    let text = "const T: [u8; 1] = [4];\nfn f() -> u8 { T[i] }";
    assert_eq!(changes(text), ["4 -> 5", "4 -> 0"]);
    let new = with(text, "4 -> 0");
    assert!(
        new.contains(
            "const T: [u8; 1] = [4];\n#[allow(dead_code)] const T_MUTANT_1: [u8; 1] = [0];"
        )
    );
    assert!(new.ends_with("fn f() -> u8 { (*(if on(7) { &T_MUTANT_1 } else { &T }))[i] }"));
    // No function of this file reads it.
    assert!(changes("const T: u8 = 4;").is_empty());
}

#[test]
fn mutations_within_mutations() {
    let text = "fn f() -> bool { a < 1 }";
    let sites = sites(text);
    let edits: Vec<_> = sites
        .iter()
        .enumerate()
        .flat_map(|(number, site)| site.edits.iter().map(move |edit| (number, edit)))
        .collect();
    let new = rewrite(text, &edits, "on");
    assert_eq!(
        new.text,
        "fn f() -> bool { (if on(0) { a <= 1 } else { a < (if on(1) { 2 } else { (if on(2) { 0 } else { 1 }) }) }) }"
    );
    let part = |number| {
        let (_, part) = new
            .mutation_ranges
            .iter()
            .find(|(other, _)| *other == number)
            .unwrap();
        &new.text[part.clone()]
    };
    assert_eq!(part(2), "(if on(2) { 0 } else { 1 })");
}
