//! Programs, headers and libraries that are installed on this machine.

use glasm_ci_support::counts::Skip;
use glasm_ci_support::shell;
use std::path::{Path, PathBuf};

/// Parents of the directories of headers and libraries.
const PREFIXES: [&str; 4] = ["/", "/usr", "/usr/local", "/opt/homebrew"];

/// Returns true if a program is in `PATH`.
pub(crate) fn has_program(name: &str) -> bool {
    shell::find_program(name).is_some()
}

/// Returns true if all these programs are in `PATH`.
pub(crate) fn has_programs(names: &[&str]) -> bool {
    names.iter().all(|name| has_program(name))
}

/// Skips a step if a program is not in `PATH`.
pub(crate) fn require_program(name: &str) -> Result<(), Skip> {
    let missing = || Skip::with_reason(format!("{name} is not installed"));
    has_program(name).then_some(()).ok_or_else(missing)
}

/// Returns true if a header is installed, given by its path as programs include it.
pub(crate) fn has_header(path: &str) -> bool {
    let mut directories = PREFIXES.iter().map(|it| Path::new(it).join("include"));
    directories.any(|directory| directory.join(path).is_file())
}

/// Returns true if a shared library is in one of the system's library directories.
pub(crate) fn has_library(name: &str) -> bool {
    list_library_directories().any(|directory| directory.join(name).exists())
}

/// Returns true if Mesa's OpenGL drivers for the CPU can be used without a window system.
pub(crate) fn has_opengl() -> bool {
    has_library("libEGL.so.1") && has_mesa()
}

/// Returns true if Mesa's OpenGL drivers for the CPU are installed: before Mesa 24.3 a library for
/// each driver, since then one for all.
pub(crate) fn has_mesa() -> bool {
    let entries = list_library_directories().filter_map(|directory| directory.read_dir().ok());
    let mut names = entries.flatten().flatten().map(|entry| entry.file_name());
    has_library("dri/swrast_dri.so")
        || names.any(|name| name.to_string_lossy().starts_with("libgallium"))
}

/// Returns the directories in which shared libraries are searched: those of the environment, then
/// those of the system.
fn list_library_directories() -> impl Iterator<Item = PathBuf> {
    let variables = ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"];
    let listed = variables.into_iter().filter_map(std::env::var_os);
    let listed = listed.flat_map(|paths| std::env::split_paths(&paths).collect::<Vec<_>>());
    let of_arch = format!("lib/{}-linux-gnu", std::env::consts::ARCH);
    let names = ["lib".to_owned(), "lib64".to_owned(), of_arch].into_iter();
    let system = names.flat_map(|name| PREFIXES.map(|it| Path::new(it).join(&name)));
    listed.chain(system)
}
