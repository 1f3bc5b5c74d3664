//! Programs, libraries and headers that are installed on this machine.

use glasm_ci_support::shell;
use glasm_ci_support::tally::Skip;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Directories of headers.
const INCLUDE: [&str; 3] = [
    "/usr/include",
    "/usr/local/include",
    "/opt/homebrew/include",
];

/// Directories of shared libraries, next to those of the architecture.
const LIBRARIES: [&str; 6] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/opt/homebrew/lib",
];

/// Returns true if a program is in `PATH`.
pub(crate) fn has_program(name: &str) -> bool {
    shell::find_program(name).is_some()
}

/// Returns true if a header is installed, given by its path as programs include it.
pub(crate) fn has_header(path: &str) -> bool {
    let mut directories = INCLUDE.iter();
    directories.any(|directory| Path::new(directory).join(path).is_file())
}

/// Returns true if a shared library is installed.
pub(crate) fn has_library(name: &str) -> bool {
    let mut directories = library_directories();
    directories.any(|directory| directory.join(name).exists())
}

/// Returns true if Mesa's OpenGL drivers for the CPU can be used without a window system.
pub(crate) fn has_opengl() -> bool {
    has_library("libEGL.so.1") && has_mesa()
}

/// Returns true if Mesa's OpenGL drivers for the CPU can be used through GLX.
pub(crate) fn has_glx() -> bool {
    has_library("libGLX_mesa.so.0") && has_mesa()
}

/// Returns true if Mesa's OpenGL drivers for the CPU are installed: before Mesa 24.3 a library for
/// each driver, since then one for all.
pub(crate) fn has_mesa() -> bool {
    library_directories().any(|directory| {
        let mut entries = std::fs::read_dir(&directory)
            .into_iter()
            .flatten()
            .flatten();
        let is_gallium = |name: OsString| name.to_string_lossy().starts_with("libgallium");
        directory.join("dri/swrast_dri.so").exists()
            || entries.any(|entry| is_gallium(entry.file_name()))
    })
}

/// Skips a step if one of its needs is not present.
pub(crate) fn require<const N: usize>(needs: [(&str, bool); N]) -> Result<(), Skip> {
    match needs.iter().find(|(_, is_present)| !is_present) {
        Some((what, _)) => Err(Skip::because(format!("{what} is not installed"))),
        None => Ok(()),
    }
}

/// Skips a step if Mesa's OpenGL drivers for the CPU cannot be used without a window system.
pub(crate) fn require_opengl() -> Result<(), Skip> {
    let is_present = has_opengl();
    let missing = || Skip::because("EGL or Mesa's OpenGL drivers are not installed");
    is_present.then_some(()).ok_or_else(missing)
}

/// Returns the directories that may contain a shared library.
fn library_directories() -> impl Iterator<Item = PathBuf> {
    let variables = ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"];
    let listed = variables.into_iter().filter_map(std::env::var_os);
    let listed = listed.flat_map(|paths| std::env::split_paths(&paths).collect::<Vec<_>>());
    let arch = std::env::consts::ARCH;
    let of_arch = ["/usr/lib", "/lib"].map(|it| format!("{it}/{arch}-linux-gnu").into());
    listed.chain(LIBRARIES.map(PathBuf::from)).chain(of_arch)
}
