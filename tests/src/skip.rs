//! Tests that cannot run where they are.
//!
//! Rust's test harness knows tests that pass and tests that fail. A test that lacks a device or a program calls [`skip`] and ends:
//! `cargo test` calls it passed, `cargo xtask test` counts it as skipped.

#![expect(clippy::print_stderr, reason = "tests say why they are skipped")]

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// The environment variable that names the file to which [`skip`] adds lines; without it nothing is written.
pub const LIST: &str = "GLASM_SKIPPED_TESTS";

/// Says why the test that calls it, or a part of that test, cannot run.
///
/// # Panics
/// If the list of skipped tests cannot be written: the test would count as passed.
pub fn skip(reason: impl Display) {
    let reason = reason.to_string();
    eprintln!("skipped: {}", reason.trim_end());
    if let Some(list) = std::env::var_os(LIST) {
        let thread = std::thread::current();
        let line = line(&program(), thread.name().unwrap_or_default(), &reason);
        // One write: tests that run side by side do not tear each other's lines.
        let file = OpenOptions::new().append(true).create(true).open(&list);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        assert!(written.is_ok(), "{}: {written:?}", list.to_string_lossy());
    }
}

/// The name of the test program without the hash that Cargo adds to it.
fn program() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    match stem.rsplit_once('-') {
        Some((name, _)) => name.to_owned(),
        None => stem.into_owned(),
    }
}

fn line(program: &str, test: &str, reason: &str) -> String {
    let mut lines = reason.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
    format!("{program}::{test}\t{}\n", first.replace('\t', " "))
}

/// The tests that a list names, each with the first reason that it gives.
pub fn tests_of(list: &str) -> BTreeMap<&str, &str> {
    let mut tests = BTreeMap::new();
    for (test, reason) in list.lines().filter_map(|line| line.split_once('\t')) {
        tests.entry(test).or_insert(reason);
    }
    tests
}

/// Whether a program of the system starts when it is asked for its version; a test that needs it is skipped else.
pub fn has_program(name: &str) -> bool {
    let starts = std::process::Command::new(Path::new(name))
        .arg("--version")
        .output()
        .is_ok();
    if !starts {
        skip(format!("{name} is not installed"));
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::{line, program, tests_of};

    #[test]
    fn a_test_is_skipped_once() {
        let list = [
            line("device", "a", "\nno\tdevice\nat all\n"),
            line("device", "b", "no EGL"),
            line("device", "a", "no EGL"),
            line("values", "a", ""),
        ];
        let list = list.concat();
        let tests: Vec<_> = tests_of(&list).into_iter().collect();
        assert_eq!(
            tests,
            [
                ("device::a", "no device"),
                ("device::b", "no EGL"),
                ("values::a", ""),
            ]
        );
    }

    #[test]
    fn the_program_has_no_hash() {
        assert_eq!(program(), "glasm_tests");
    }
}
