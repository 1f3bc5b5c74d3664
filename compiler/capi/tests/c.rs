//! A program in C that uses all of the interface: as it is, with AddressSanitizer, and in valgrind; and the header in C++.

mod support;

use glasm_tests::skip::{has_program, skip};
use std::process::Command;
use support::{Linkage, build, folder, run};

const INTERFACE: &str = "tests/c/interface.c";

#[test]
fn the_interface_in_c() {
    if let Some(program) = build(INTERFACE, Linkage::Shared, &[]) {
        run(&mut Command::new(program));
    }
}

/// The sanitizers watch the program, and the memory that the library gives it and takes back.
#[test]
fn with_address_sanitizer() {
    if !has_sanitizers() {
        return;
    }
    let flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    if let Some(program) = build(INTERFACE, Linkage::Shared, &flags) {
        run(&mut Command::new(program));
    }
}

/// Whether the compiler links programs with its sanitizers, which come in packages of their own.
fn has_sanitizers() -> bool {
    let program = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("sanitized");
    let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    command
        .args(["-fsanitize=address,undefined", "-x", "c", "-o"])
        .arg(program)
        .arg(folder().join("tests/c/nothing.c"));
    let links = command.output().is_ok_and(|linked| linked.status.success());
    if !links {
        skip("the C compiler has no AddressSanitizer");
    }
    links
}

#[test]
fn in_valgrind() {
    if !has_program("valgrind") {
        return;
    }
    if let Some(program) = build(INTERFACE, Linkage::Shared, &["-O1"]) {
        // Tables that live as long as the program are held by pointers into them, which count as possibly lost.
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
