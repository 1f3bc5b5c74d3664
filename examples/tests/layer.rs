//! Runs the example of a layer, and compares what it prints and writes.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Creates an empty directory for the results of a test.
fn create_directory(test: &str) -> PathBuf {
    let name = format!("glasm-layer-{test}-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// The values are those of GL for the state in the example: a rotation by 90 degrees about y, which
/// makes (x, y, z) to (z, y, -x), before a translation by (0, 0, -10), and a projection of 90 degrees
/// with planes at 1 and 100, which makes z to -101 / 99 z - 200 / 99.
#[test]
fn a_pair_of_programs_becomes_modules_and_texts() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("layer");
    let results = create_directory("results");
    let mut command = Command::new(env!("CARGO_BIN_EXE_layer"));
    let output = command.arg(programs).arg(&results).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    for expected in [
        "position 32: \"line 2, column 22: `tint` is not declared\"",
        "position 0: \"line 1, column 1: ",
        "position -1: \"\"",
        "set 0, binding 0: UNIFORM_BUFFER, VERTEX\n",
        "set 0, binding 4: UNIFORM_BUFFER, FRAGMENT\n",
        "set 1, binding 3: COMBINED_IMAGE_SAMPLER, FRAGMENT\n",
        "attribute at location 8: R32G32B32A32_SFLOAT\n",
        "offset 32: state.matrix.mvp.row[2] = [1.020202, 0.0, 0.0, 8.1818",
        "state.matrix.modelview[0].invtrans.row[2] = [-1.0, 0.0, 0.0, 0.0]\n",
        "state.light[0].position = [3.0, 2.0, -11.0, 1.0]\n",
        "program.env[7] = [0.5, 0.5, 1.0, 1.0]\n",
        "program.local[2] = [1.0, 0.75, 0.5, 1.0]\n",
        "state.fog.params = [0.25, 0.0, 1.0, 1.0]\n",
        "draw 0: upload true\ndraw 1: upload false\n",
        "variant 0: new modules: [Fragment]\n",
        "variant 1: new modules: [Fragment]\n",
        "variant 2: new modules: []\n",
        "variant 3: new modules: []\n",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    for module in ["vert.spv", "frag.spv"] {
        let bytes = fs::read(results.join(module)).unwrap();
        assert_eq!(bytes[..4], 0x0723_0203_u32.to_le_bytes(), "{module}");
    }
    for (file, part) in [
        ("glsl330.vert", "gl_Position"),
        ("glsl330.frag", "#version 330"),
        ("msl24.vert", "metal_stdlib"),
        ("msl24.frag", "fragment "),
    ] {
        let text = fs::read_to_string(results.join(file)).unwrap();
        assert!(text.contains(part), "{file}: {text}");
    }
    fs::remove_dir_all(&results).unwrap();
}

/// Checks that the page about embedding has the example as its listing.
#[test]
fn the_page_has_the_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../docs/embedding.md")).unwrap();
    let example = fs::read_to_string(root.join("layer/main.rs")).unwrap();
    let (_, code) = example.split_once("\nuse ").unwrap();
    assert!(
        page.contains(&format!("```rs\nuse {code}```\n")),
        "docs/embedding.md does not have examples/layer/main.rs from its first `use` on"
    );
}

/// Checks that an error of a program names it, with the line.
#[test]
fn errors_have_the_lines_of_their_program() {
    let results = create_directory("errors");
    fs::write(
        results.join("light.vp"),
        "!!ARBvp1.0\nMOV result.position, tint;\nEND",
    )
    .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_layer"));
    let output = command.arg(&results).arg(&results).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(errors.contains("--> light.vp:2:22"), "{errors}");
    fs::remove_dir_all(&results).unwrap();
}
