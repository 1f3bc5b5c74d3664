//! The GLSL compiler that runs for a whole run of scripts: `tests/tools/glslang_server.c`, built
//! with the libraries of glslang if they are installed.

use crate::installed;
use glasm_ci_support::shell;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

const SOURCE: &str = "tests/tools/glslang_server.c";
/// Environment variable that passes the program to `glasm run`.
const VARIABLE: &str = "GLASM_GLSLANG_SERVER";
/// Libraries of glslang 11 to 13, and those of later versions, which contain the others.
const LIBRARIES: &[&[&str]] = &[
    &[
        "glslang",
        "MachineIndependent",
        "GenericCodeGen",
        "OGLCompiler",
        "OSDependent",
        "SPIRV",
        "HLSL",
        "glslang-default-resource-limits",
        "SPIRV-Tools-opt",
        "SPIRV-Tools",
    ],
    &[
        "glslang",
        "MachineIndependent",
        "GenericCodeGen",
        "OSDependent",
        "SPIRV",
        "glslang-default-resource-limits",
        "SPIRV-Tools-opt",
        "SPIRV-Tools",
    ],
];

/// Header of the C interface of glslang.
pub(crate) const HEADER: &str = "glslang/Include/glslang_c_interface.h";

/// Program, built on first use; `None` if that is impossible here.
static SERVER: LazyLock<Option<PathBuf>> = LazyLock::new(build);

/// Passes the server to a `glasm` command, which does without if it cannot be built.
pub(crate) fn use_server(command: &mut Command) {
    if let Some(server) = SERVER.as_ref() {
        command.env(VARIABLE, server);
    }
}

/// Builds the server below the target directory.
fn build() -> Option<PathBuf> {
    if !installed::has_header(HEADER) {
        return None;
    }
    let program = shell::below_target("glslang-server");
    let mut lists = LIBRARIES.iter();
    let built = lists.any(|libraries| {
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-std=gnu11", SOURCE, "-o"]);
        compiler.arg(&program).arg("-Wl,--start-group");
        compiler.args(libraries.iter().map(|name| format!("-l{name}")));
        compiler.args(["-Wl,--end-group", "-lstdc++", "-lm", "-lpthread"]);
        shell::capture(&mut compiler).is_ok_and(|output| output.status.success())
    });
    // An absolute path: children run in other directories.
    built.then(|| program.canonicalize().ok())?
}
