//! The vendor library for 32-bit applications: built for i386, and its clients in C with it, on
//! Mesa's driver for the CPU. The library for C is built for i386, too.
//!
//! The machine is not changed: Debian's packages of i386 are unpacked below `target`, and clients
//! name their dynamic linker and libraries there.

use crate::cargo_steps::run_tests;
use crate::downloads::{self, Download};
use crate::workspace_build::prepare_vendor_test;
use crate::{cross, installed};
use anyhow::{Context as _, Result, ensure};
use glasm_ci_support::counts::{Counts, Skip};
use glasm_ci_support::shell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Directory of all output.
static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("i386"));

/// Packages that a client of OpenGL needs to be built and to run, in addition to the library of the
/// compiler's version.
const LIBRARIES: &str = "libc6-dev:i386 libgl1:i386 libegl1:i386 libegl-mesa0:i386 \
    libglx-mesa0:i386 libgl1-mesa-dri:i386 libx11-6:i386";

/// Runs the step that builds the vendor library for i386 and tests it with clients of that
/// architecture; libraries come from Debian's packages.
pub(crate) fn run_step() -> Result<Counts> {
    let toolchain = Toolchain::prepare()?;
    let library = toolchain.build_vendor_library()?;
    toolchain.test_clients(&library)
}

/// Builds the vendor library for i386 as the step does, and returns its path.
pub(crate) fn build_vendor_library() -> Result<PathBuf> {
    Toolchain::prepare()?.build_vendor_library()
}

/// C compiler and libraries for i386.
struct Toolchain {
    /// Root of unpacked Debian packages.
    root: PathBuf,
    /// Script that wraps the system's gcc.
    compiler: PathBuf,
}

impl Toolchain {
    /// Downloads the libraries and writes the compiler. Fails with [`Skip`] if this machine cannot
    /// have them.
    fn prepare() -> Result<Self> {
        ensure!(
            cfg!(target_arch = "x86_64") && downloads::can_unpack(),
            Skip::with_reason("packages of i386 come from Debian, on x86-64")
        );
        installed::require_program("gcc")?;
        cross::require_target(cross::LINUX_32)?;
        let out = std::path::absolute(&*OUT)?;
        let version = read_gcc_version()?;
        let packages = format!("{LIBRARIES} libgcc-{version}-dev:i386");
        let root = out.join("system");
        Download::without_hashes(downloads::SYSTEM, &packages).fetch(&root)?;
        let compiler = write_c_compiler(&out, &root, &version)?;
        Ok(Self { root, compiler })
    }

    /// Builds the vendor library and the C interface without C++, and returns the path of the former.
    /// The compiler checks the sizes of the structures of the C interface.
    fn build_vendor_library(&self) -> Result<PathBuf> {
        let mut build = cross::cargo("build", cross::LINUX_32)?;
        build.args(["--package", "glasm-glvendor", "--package", "glasm-capi"]);
        build.args(["--lib", "--no-default-features"]);
        let linker = "CARGO_TARGET_I686_UNKNOWN_LINUX_GNU_LINKER";
        build.env(linker, &self.compiler);
        // The clients run for less time than optimizing takes, regardless of the caller's setting.
        build.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0");
        cross::skip_optimization(&mut build, &cross::OPTIMIZED_CRATES);
        shell::run_checked(&mut build)?;
        cross::built_file(cross::LINUX_32, "dev", "libglasm_glvendor.so")
    }

    /// Runs the client tests of the vendor library with the library at a path.
    fn test_clients(&self, library: &Path) -> Result<Counts> {
        let mut test = prepare_vendor_test("clients")?;
        test.env("GLASM_TEST_LIBRARY", library);
        test.env("CC", &self.compiler);
        let folders = list_library_directories(&self.root);
        test.env("GLASM_TEST_DRI_DIR", folders[0].join("dri"));
        test.env("GLASM_TEST_LIBRARY_PATH", std::env::join_paths(&folders)?);
        // The feature needs a C++ compiler for i386.
        test.env("GLASM_TEST_WITHOUT_TEXT", "1");
        run_tests(&mut test)
    }
}

/// Returns the directories of i386 libraries below the root of unpacked Debian packages.
fn list_library_directories(root: &Path) -> [PathBuf; 2] {
    ["usr/lib/i386-linux-gnu", "lib/i386-linux-gnu"].map(|it| root.join(it))
}

/// Returns the major version of gcc, which names its packages and directories.
fn read_gcc_version() -> Result<String> {
    let version = shell::read_output(Command::new("gcc").arg("-dumpversion"))?;
    Ok(version.split('.').next().unwrap_or_default().to_owned())
}

/// Writes a script for the system's gcc, for i386. Programs that it builds start with the dynamic
/// linker and the libraries below `root`, and so do libraries that they load: a run path of the old
/// kind (`DT_RPATH`) applies to them, too.
fn write_c_compiler(out: &Path, root: &Path, version: &str) -> Result<PathBuf> {
    let folders = list_library_directories(root);
    let [first, second] = folders.each_ref().map(|it| it.display());
    let linkers = ["lib/ld-linux.so.2", "usr/lib/ld-linux.so.2"].map(|it| root.join(it));
    let linker = linkers.iter().find(|it| it.exists());
    let linker = linker.context("no dynamic linker for i386")?;
    let runtime = root.join("usr/lib/gcc/i686-linux-gnu").join(version);
    let text = format!(
        "#!/bin/sh\n\
         exec gcc -m32 --sysroot={root} -B{runtime} -L{runtime} -L{first} -L{second} \"$@\" \\\n\
         -Wl,--dynamic-linker={linker} -Wl,--disable-new-dtags,-rpath,{first}:{second}\n",
        root = root.display(),
        runtime = runtime.display(),
        linker = linker.display(),
    );
    shell::write_program(&out.join("cc"), &text)
}
