//! `include/glasm.h` is generated from the sources of the crate. To write it again:
//! `GLASM_WRITE_HEADER=1 cargo test -p glasm-capi --test header`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

/// The sources in the order of the header: a reader meets programs first.
const SOURCES: &[&str] = &[
    "ffi_guard",
    "enums",
    "source",
    "diagnostics",
    "semantic",
    "varyings",
    "options",
    "compiler",
    "program",
    "variants",
    "owned_options",
    "variables",
    "limits",
    "shader",
    "state_parameter",
    "parameters",
    "parameter_block",
    "reflection",
    "descriptors",
    "set_layouts",
    "text_output",
    "link",
    "stages",
    "state",
    "matrix",
    "matrix_commands",
    "text",
    "cache",
    "pipeline_cache",
    "validate",
    "state_forms",
    "state_words",
    "state_groups",
    "names",
    "fixed_function",
];

fn crate_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn generate_header() -> String {
    let config = cbindgen::Config::from_file(crate_dir().join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for name in SOURCES {
        builder = builder.with_src(crate_dir().join("src").join(name).with_extension("rs"));
    }
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    String::from_utf8(header).unwrap()
}

#[test]
fn the_header_is_what_the_sources_say() {
    let path = crate_dir().join("include/glasm.h");
    let header = generate_header();
    if std::env::var_os("GLASM_WRITE_HEADER").is_some() {
        std::fs::write(&path, &header).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let different = header.lines().zip(committed.lines());
    let different = different.enumerate().find(|(_, (now, then))| now != then);
    assert!(
        header == committed,
        "include/glasm.h is not up to date, see the top of this file; first difference: {different:?}"
    );
}

/// Checks that all functions are declared: a file that the list does not name would be missing in
/// the header.
#[test]
fn every_function_is_declared() {
    let header = generate_header();
    for name in list_c_functions() {
        assert!(header.contains(&format!("{name}(")), "{name}");
    }
}

#[test]
fn every_function_is_tested() {
    let files = ["interface.c", "programs.c", "layers.c"]
        .map(|name| crate_dir().join("tests/c").join(name));
    let program: String = files
        .iter()
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect();
    for name in list_c_functions() {
        assert!(program.contains(&format!("{name}(")), "{name}");
    }
}

/// Checks that every function documents the ownership of its pointers.
#[test]
fn every_function_says_who_owns_what() {
    for file in list_sources() {
        let text = std::fs::read_to_string(&file).unwrap();
        for (at, _) in text.match_indices("extern \"C\" fn ") {
            let before = &text[..at];
            let start = before.rfind("\n\n").map_or(0, |blank| blank + 2);
            let documented: Vec<&str> = before[start..]
                .lines()
                .filter_map(|line| line.strip_prefix("/// "))
                .collect();
            let documentation = documented.join(" ");
            let words = ["belong", "own", "stay", "away", "memory of the caller"];
            let says = words.iter().any(|word| documentation.contains(word));
            let name = text[at..].lines().next().unwrap_or_default();
            assert!(says, "{}: {name}", file.display());
        }
    }
}

fn list_sources() -> Vec<PathBuf> {
    let files = std::fs::read_dir(crate_dir().join("src")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    files
        .filter(|path| path.extension() == Some(Path::new("rs").as_os_str()))
        .collect()
}

fn list_c_functions() -> Vec<String> {
    let mut names = Vec::new();
    for file in list_sources() {
        let text = std::fs::read_to_string(file).unwrap();
        let found = text.split("extern \"C\" fn ").skip(1);
        names.extend(found.map(|rest| rest.split('(').next().unwrap().to_owned()));
    }
    assert!(names.len() > 40, "{names:?}");
    names
}
