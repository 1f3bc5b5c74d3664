//! Runs programs in C that use the entire interface: without tools, with AddressSanitizer, and in
//! valgrind; and compiles the header as C++.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use glasm_tests::skip::has_program;
use std::path::PathBuf;
use std::process::Command;
use support::{Linkage, build, check_compiles, crate_dir, output_path, run};

const PROGRAMS: [&str; 3] = [
    "tests/c/interface.c",
    "tests/c/programs.c",
    "tests/c/layers.c",
];

/// Builds the programs; returns none if there is no C compiler.
fn build_variants(flags: &[&str]) -> impl Iterator<Item = PathBuf> {
    PROGRAMS
        .into_iter()
        .filter_map(move |source| build(source, Linkage::Shared, flags))
}

#[test]
fn the_interface_in_c() {
    for program in build_variants(&[]) {
        run(&mut Command::new(program));
    }
}

/// The sanitizers watch the program, and the memory that the library gives it and takes back.
#[test]
fn with_address_sanitizer() {
    let flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    if !check_compiles("int main(void) { return 0; }", &flags, "AddressSanitizer") {
        return;
    }
    for program in build_variants(&flags) {
        run(&mut Command::new(program));
    }
}

#[test]
fn in_valgrind() {
    if !has_program("valgrind") {
        return;
    }
    for program in build_variants(&["-O1"]) {
        // Tables that live as long as the program are held by interior pointers, which are reported
        // as possibly lost.
        let flags = [
            "--quiet",
            "--leak-check=full",
            "--show-leak-kinds=definite",
            "--errors-for-leak-kinds=definite",
            "--error-exitcode=9",
        ];
        run(Command::new("valgrind").args(flags).arg(program));
    }
}

/// With the C++ compiler, because the feature `spirv-cross` brings C++ into the library.
#[test]
fn the_header_in_cpp_with_the_static_library() {
    if let Some(program) = build("tests/c/unit.cpp", Linkage::Static, &[]) {
        run(&mut Command::new(program));
    }
}

/// The program of the page about embedding.
#[test]
fn the_program_of_the_documentation() {
    let page = crate_dir().join("../../docs/embedding.md");
    let page = std::fs::read_to_string(page).unwrap();
    let programs: Vec<&str> = page.split("```c\n").skip(1).collect();
    assert!(!programs.is_empty());
    for (number, rest) in programs.iter().enumerate() {
        let source = output_path(&format!("documentation-{number}.c"));
        std::fs::write(&source, rest.split("```").next().unwrap()).unwrap();
        if let Some(program) = build(&source.to_string_lossy(), Linkage::Shared, &[]) {
            run(&mut Command::new(program));
        }
    }
}
