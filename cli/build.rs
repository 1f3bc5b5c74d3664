//! Records the commit of the sources in the variable `GLASM_COMMIT`, which `glasm --version` prints.
//! A build may set the variable itself, for example from an archive of sources without repository.

#[path = "../glvendor/static_cpp.rs"]
mod static_cpp;

use std::io;
use std::path::Path;
use std::process::Command;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=../glvendor/static_cpp.rs");
    let folder = std::env::var("OUT_DIR").map_err(io::Error::other)?;
    static_cpp::link_static_cpp(Path::new(&folder), "CARGO_FEATURE_SPIRV_CROSS", "bins")?;
    record_commit();
    Ok(())
}

/// Sets the variable of the commit for the build of the command.
fn record_commit() {
    println!("cargo::rerun-if-env-changed=GLASM_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("GLASM_COMMIT").is_some() {
        return;
    }
    // Git appends to this file whenever another commit is checked out.
    if let Some(log) = read_git_output(&["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo::rerun-if-changed={log}");
    }
    // Sources from an archive may be below the directory of another repository.
    if read_git_output(&["ls-files", "--error-unmatch", "build.rs"]).is_some()
        && let Some(commit) = read_git_output(&["rev-parse", "--short=12", "HEAD"])
    {
        println!("cargo::rustc-env=GLASM_COMMIT={commit}");
    }
}

/// Runs git in the directory of the package and returns the line that it prints; `None` without git
/// or repository.
fn read_git_output(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
