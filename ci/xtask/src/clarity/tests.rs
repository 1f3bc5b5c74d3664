//! The measurements on small crates.

use super::modules::{Crate, Module};
use super::{circles, count_lines, functions};
use std::path::Path;

fn code(files: &[(&str, &str)]) -> Crate {
    let read = |(file, text): &(&str, &str)| Module::read(Path::new(file), text).unwrap();
    Crate::new(files.iter().map(read).collect())
}

#[test]
fn lines_of_code_are_neither_empty_nor_comments() {
    let lines = count_lines("//! File.\n\n/// Item.\nfn a() {\n    // Reason.\n}\n");
    assert_eq!((lines.all, lines.code, lines.comments), (6, 2, 1));
}

#[test]
fn functions_have_lengths_and_parameters_and_tests_do_not_count() {
    let code = code(&[(
        "lib.rs",
        "impl A {\n    fn a(&self, b: u8) {\n        match Family::Arb {\n            _ => {}\n        }\n    }\n}\n\
         #[cfg(test)]\nmod tests {\n    fn b() {}\n}\n",
    )]);
    let found = functions::of(&code.modules[0]);
    assert_eq!(found.functions.len(), 1);
    assert_eq!(
        (found.functions[0].lines, found.functions[0].parameters),
        (5, 2)
    );
    assert_eq!(found.family_questions, 1);
    assert_eq!(code.modules[0].text.lines().count(), 7);
}

#[test]
fn circles_of_imports_lead_to_where_items_are() {
    let code = code(&[
        ("lib.rs", "mod a; mod b; mod c;\npub use a::A;\n"),
        ("a.rs", "use crate::b::B;\npub struct A;\n"),
        ("b/mod.rs", "mod d;\npub use d::B;\n"),
        ("b/d.rs", "use super::super::A;\npub struct B;\n"),
        ("c.rs", "use crate::A;\nuse std::fmt::Write;\n"),
    ]);
    let circles = circles::circles(&code, &circles::imports(&code));
    let files = [("a.rs", ["b/d.rs"]), ("b/d.rs", ["a.rs"])];
    let files = files.map(|(file, needs)| (file.to_owned(), needs.map(str::to_owned).to_vec()));
    assert_eq!(circles, [files]);
}

#[test]
fn circles_of_calls_follow_receivers_whose_type_is_written() {
    let code = code(&[
        (
            "lib.rs",
            "struct A;\nimpl A { fn one(&self) { self.two() } }\n",
        ),
        (
            "a.rs",
            "impl crate::A { fn two(&self) { crate::b::three(self) } }\n",
        ),
        ("b.rs", "pub fn three(it: &crate::A) { it.one() }\n"),
        (
            "c.rs",
            "fn four(list: &[u8]) { list.len(); crate::b::three(&crate::A) }\n",
        ),
    ]);
    let circles = circles::circles(&code, &circles::calls(&code));
    let files = circles
        .iter()
        .map(|circle| circle.iter().map(|(file, _)| file));
    let files: Vec<Vec<&String>> = files.map(Iterator::collect).collect();
    assert_eq!(files, [["lib.rs", "a.rs", "b.rs"]]);
}
