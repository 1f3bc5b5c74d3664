//! C has the layouts of Rust: with pointers of 64 bits, and of 32. Rust's own sizes are checked
//! where the crate is compiled, for 32 bits by `cargo xtask test --only published-crates`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm_tests::skip::{has_program, skip};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn crate_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Reads the entries of `src/abi_sizes.rs`: structure, size with 64 bits, size with 32 bits.
fn read_size_table() -> Vec<(String, [usize; 2])> {
    let text = std::fs::read_to_string(crate_dir().join("src/abi_sizes.rs")).unwrap();
    let rows = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.trim().strip_suffix(';')?.split(' ').collect();
        let [name, of_64, of_32] = words[..] else {
            return None;
        };
        let name = name.split_once("::")?.1;
        Some((name.to_owned(), [of_64.parse().ok()?, of_32.parse().ok()?]))
    });
    rows.collect()
}

/// Compiles assertions of the sizes; the compiler needs no system library for that, which few
/// machines have for 32 bits.
fn check_sizes(column: usize, flag: &str) {
    if cfg!(windows) {
        return skip("compilers on Windows take other arguments");
    }
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    if !has_program(&compiler.to_string_lossy()) {
        return;
    }
    let mut text = String::from("#include \"glasm.h\"\n");
    for (name, sizes) in read_size_table() {
        let size = sizes[column];
        writeln!(
            text,
            "_Static_assert(sizeof(struct {name}) == {size}, \"{name}\");"
        )
        .unwrap();
    }
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("layout{flag}.c"));
    let compile = |text: &str| {
        std::fs::write(&source, text).unwrap();
        let mut command = Command::new(&compiler);
        command.args(["-std=c11", "-ffreestanding", "-fsyntax-only", flag, "-I"]);
        command.arg(crate_dir().join("include")).arg(&source);
        command.output().unwrap()
    };
    if !compile("int nothing;\n").status.success() {
        return skip(format!("the C compiler does not know {flag}"));
    }
    let checked = compile(&text);
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{said}");
}

#[test]
fn with_pointers_of_64_bits() {
    check_sizes(0, "-m64");
}

#[test]
fn with_pointers_of_32_bits() {
    check_sizes(1, "-m32");
}

#[test]
fn every_structure_has_a_row() {
    let header = std::fs::read_to_string(crate_dir().join("include/glasm.h")).unwrap();
    let structures: Vec<&str> = header
        .lines()
        .filter_map(|line| line.strip_prefix("typedef struct ")?.strip_suffix(" {"))
        .collect();
    assert!(structures.len() > 20, "{structures:?}");
    let rows = read_size_table();
    for name in structures {
        assert!(rows.iter().any(|row| row.0 == name), "{name}");
    }
}
