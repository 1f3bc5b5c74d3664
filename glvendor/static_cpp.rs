//! The C++ library in programs and libraries for Windows: they are copied to machines that lack the
//! dynamic one. The build script of the command includes this file, too.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// Makes the linker prefer the static C++ library of GNU compilers for Windows. Does nothing for
/// other targets, without the feature that builds C++, whose variable of Cargo is `feature`, or if
/// the compiler has no static library. `kind` is the kind of binary that Cargo links: `cdylib` or
/// `bins`. A copy of the library is written to `folder`.
pub(crate) fn link_static_cpp(folder: &Path, feature: &str, kind: &str) -> io::Result<()> {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let is_mingw =
        variable("CARGO_CFG_TARGET_OS") == "windows" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    if !is_mingw || variable(feature).is_empty() {
        return Ok(());
    }
    let compiler = find_cpp_compiler();
    let run = |argument: &str| {
        let output = Command::new(&compiler).arg(argument).output();
        output.map(|it| String::from_utf8_lossy(&[it.stdout, it.stderr].concat()).into_owned())
    };
    let folder = folder.join("cpp");
    fs::create_dir_all(&folder)?;
    let copy = |library: &str| -> io::Result<bool> {
        let path = run(&format!("-print-file-name={library}"))?;
        // The compiler prints the name alone for libraries that it does not have.
        let path = Path::new(path.trim());
        Ok(path.is_absolute() && fs::copy(path, folder.join(library)).is_ok())
    };
    if copy("libstdc++.a")? {
        println!("cargo::rustc-link-search=native={}", folder.display());
    }
    if run("-v")?.contains("Thread model: posix") && copy("libwinpthread.a")? {
        println!("cargo::rustc-link-arg-{kind}=-lwinpthread");
    }
    Ok(())
}

/// Returns the C++ compiler that dependencies are built with: that of the environment, or else the
/// one of MinGW for the target.
fn find_cpp_compiler() -> String {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let target = variable("TARGET");
    let names = [
        format!("CXX_{target}"),
        format!("CXX_{}", target.replace('-', "_")),
        "CXX".to_owned(),
    ];
    for name in names {
        println!("cargo::rerun-if-env-changed={name}");
        if let Ok(compiler) = std::env::var(name) {
            return compiler;
        }
    }
    if variable("HOST") == target {
        return "g++".to_owned();
    }
    let architecture = target.split('-').next().unwrap_or_default();
    format!("{architecture}-w64-mingw32-g++")
}
