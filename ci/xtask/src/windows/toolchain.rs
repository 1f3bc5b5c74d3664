//! Compilers for Windows, which run on this machine: Rust, and MinGW-w64 for C, C++ and linking.
//!
//! If MinGW-w64 is not installed, packages of Debian are unpacked below `target`; the machine is not
//! changed.

use crate::cross;
use crate::downloads::{self, Download};
use crate::installed;
use anyhow::{Context as _, Result, ensure};
use glasm_ci_support::counts::Skip;
use glasm_ci_support::shell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Word size of programs for Windows.
pub(crate) struct Architecture {
    /// Rust's name of the target.
    pub(crate) target: &'static str,
    /// Prefix of the names of the tools of MinGW-w64.
    pub(crate) tools: &'static str,
    /// Packages of MinGW-w64, without the dependencies that each Debian with gcc has.
    packages: &'static str,
}

/// 64-bit programs.
pub(crate) static WIDE: Architecture = Architecture {
    target: cross::WINDOWS_64,
    tools: "x86_64-w64-mingw32-",
    packages: "binutils-mingw-w64-x86-64 mingw-w64-common mingw-w64-x86-64-dev gcc-mingw-w64-base \
        gcc-mingw-w64-x86-64-win32-runtime gcc-mingw-w64-x86-64-win32 g++-mingw-w64-x86-64-win32",
};

/// 32-bit programs.
pub(crate) static NARROW: Architecture = Architecture {
    target: cross::WINDOWS_32,
    tools: "i686-w64-mingw32-",
    packages: "binutils-mingw-w64-i686 mingw-w64-common mingw-w64-i686-dev gcc-mingw-w64-base \
        gcc-mingw-w64-i686-win32-runtime gcc-mingw-w64-i686-win32 g++-mingw-w64-i686-win32",
};

/// Compilers whose packages name their thread model, after the name.
const COMPILERS: [&str; 2] = ["gcc", "g++"];

/// Directory of programs below the root of a file system.
const PROGRAMS: &str = "usr/bin";

/// Compilers for an architecture.
pub(crate) struct Toolchain {
    architecture: &'static Architecture,
    /// Directory of files that builds need.
    directory: PathBuf,
    /// Root of the file system that has the tools of MinGW-w64.
    root: PathBuf,
    /// Value of `PATH` with which commands find the tools of MinGW-w64.
    path: OsString,
}

impl Toolchain {
    /// Finds the tools of MinGW-w64, or unpacks them below a directory. Fails with [`Skip`] if this
    /// machine cannot have them.
    pub(crate) fn prepare(architecture: &'static Architecture, directory: &Path) -> Result<Self> {
        shell::create_dir(directory)?;
        let directory = std::path::absolute(directory)?;
        let tools = architecture.tools;
        let is_installed = |name| installed::has_program(&format!("{tools}{name}"));
        let mut path = std::env::var_os("PATH").unwrap_or_default();
        let mut root = PathBuf::from("/");
        if !COMPILERS.iter().all(is_installed) {
            root = unpack_mingw(architecture, &directory)?;
            let others = std::env::split_paths(&path);
            let own = std::iter::once(root.join(PROGRAMS));
            path = std::env::join_paths(own.chain(others))?;
        }
        Ok(Self {
            architecture,
            directory,
            root,
            path,
        })
    }

    /// Sets `PATH` of a command, so that it finds the tools of MinGW-w64.
    pub(crate) fn set_path(&self, command: &mut Command) {
        command.env("PATH", &self.path);
    }

    /// Returns the C compiler.
    pub(super) fn c_compiler(&self) -> Command {
        let mut compiler = Command::new(format!("{}gcc", self.architecture.tools));
        self.set_path(&mut compiler);
        compiler
    }

    /// Returns a command of Cargo, such as `build`, for the architecture. Fails with [`Skip`] if Rust
    /// lacks its standard library.
    pub(crate) fn cargo(&self, subcommand: &str) -> Result<Command> {
        let mut cargo = cross::cargo(subcommand, self.architecture.target)?;
        self.set_path(&mut cargo);
        Ok(cargo)
    }

    /// Lets a build avoid what GNU's tools are slow at. Their linker takes 40 seconds for a library
    /// that is not optimized, and the index of an archive of C++ takes as long: the build links with
    /// the LLD of the current toolchain of Rust, if it has one, and rustc writes the only index.
    pub(super) fn use_fast_tools(&self, build: &mut Command) -> Result<()> {
        let target = self.architecture.target;
        build.env(
            format!("AR_{}", target.replace('-', "_")),
            self.write_archiver()?,
        );
        let mut rustc = Command::new("rustc");
        let directory = shell::read_output(rustc.args(["--print", "target-libdir"]))?;
        let linker = Path::new(&directory).with_file_name("bin/gcc-ld/ld.lld");
        if linker.is_file() {
            let wrapper = self.write_linker_wrapper(&linker)?;
            let target = target.to_uppercase().replace('-', "_");
            build.env(format!("CARGO_TARGET_{target}_LINKER"), wrapper);
        }
        Ok(())
    }

    /// Writes a script that has the arguments of `ar` and writes archives without an index, and
    /// returns its path.
    fn write_archiver(&self) -> Result<PathBuf> {
        let text = format!(
            "#!/bin/sh\n\
             operation=$1\n\
             shift\n\
             case $operation in\n\
             # The command to write an index.\n\
             s*) ;;\n\
             *) exec {tools}ar \"${{operation}}S\" \"$@\" ;;\n\
             esac\n",
            tools = self.architecture.tools,
        );
        let name = format!("archive-{}", self.architecture.target);
        shell::write_program(&self.directory.join(name), &text)
    }

    /// Writes a script that has the arguments of gcc and runs a linker, and returns its path. gcc
    /// prints how it would run the linker that its package names, and uses no other one.
    fn write_linker_wrapper(&self, linker: &Path) -> Result<PathBuf> {
        let text = format!(
            "#!/bin/sh\n\
             words=$({tools}gcc -### \"$@\" 2>&1 | grep '/collect2 ') || exit 1\n\
             eval \"set -- $words\"\n\
             shift\n\
             for word; do\n\
             shift\n\
             case $word in\n\
             # GNU's linker ignores the name on Windows.\n\
             -soname=*) ;;\n\
             *) set -- \"$@\" \"$word\" ;;\n\
             esac\n\
             done\n\
             exec {linker} \"$@\"\n",
            tools = self.architecture.tools,
            linker = linker.display(),
        );
        let name = format!("link-{}", self.architecture.target);
        shell::write_program(&self.directory.join(name), &text)
    }

    /// Returns the directory of the documents of the packages of MinGW-w64.
    pub(crate) fn document_directory(&self) -> PathBuf {
        self.root.join("usr/share/doc")
    }
}

/// Unpacks the tools of MinGW-w64 below a directory, and returns the root of their files.
fn unpack_mingw(architecture: &Architecture, directory: &Path) -> Result<PathBuf> {
    let tools = architecture.tools;
    ensure!(
        cfg!(target_arch = "x86_64") && downloads::can_unpack(),
        Skip::with_reason(format!("{tools}g++ is not installed"))
    );
    let root = directory.join(format!("mingw-{}", architecture.target));
    let download = Download::without_hashes("apt-get --quiet download", architecture.packages);
    download.fetch(&root)?;
    let programs = root.join(PROGRAMS);
    for compiler in COMPILERS {
        // An installation has these links as alternatives.
        let link = programs.join(format!("{tools}{compiler}"));
        if !link.exists() {
            let target = format!("{tools}{compiler}-win32");
            std::os::unix::fs::symlink(target, &link)
                .with_context(|| link.display().to_string())?;
        }
    }
    Ok(root)
}
