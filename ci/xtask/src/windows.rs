//! The vendor library for Windows, `opengl32.dll`, in Wine: built for both word sizes with MinGW-w64,
//! and tried with clients in C, each with the library in its directory.
//!
//! 32-bit programs need Wine for i386, whose packages of Debian are unpacked below `target`; the
//! machine is not changed.

use crate::cargo_steps::run_tests;
use crate::downloads::{self, Download};
use crate::wine::WinePrefix;
use crate::workspace_build::prepare_vendor_test;
use crate::{i386, installed};
use anyhow::{Result, ensure};
use glasm_ci_support::counts::{Counts, Skip};
use glasm_ci_support::shell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Directory of all output.
static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("windows"));

/// Word size of Windows programs.
struct Architecture {
    /// Rust's name of the target.
    target: &'static str,
    /// Prefix of the names of the tools of MinGW-w64.
    tools: &'static str,
    /// Finds Wine for it.
    find_wine: fn(&Path) -> Result<Wine>,
}

/// Architectures of the library.
const ARCHITECTURES: [Architecture; 2] = [
    Architecture {
        target: "x86_64-pc-windows-gnu",
        tools: "x86_64-w64-mingw32-",
        find_wine: find_installed_wine,
    },
    Architecture {
        target: "i686-pc-windows-gnu",
        tools: "i686-w64-mingw32-",
        find_wine: unpack_wine,
    },
];

/// Packages that a 32-bit program of OpenGL needs in Wine.
const WINE_PACKAGES: &str =
    "wine32:i386 libgl1:i386 libglx-mesa0:i386 libgl1-mesa-dri:i386 libx11-6:i386 libxext6:i386";

/// Wine, with the program that it is started by.
struct Wine {
    /// Program that runs programs of Windows.
    program: PathBuf,
    prefix: WinePrefix,
}

impl Wine {
    /// Creates the settings, which takes Wine several seconds, before tests that run at the same
    /// time would.
    fn create_settings(&self) -> Result<()> {
        let mut command = Command::new("xvfb-run");
        command.args(["-a", "timeout", "-k", "5", "120"]);
        command.arg(&self.program).args(["cmd", "/c", "exit"]);
        self.prefix.set_variables(&mut command);
        shell::run_checked(&mut command)
    }
}

/// Runs the step that builds the library for both word sizes and tests it. A word size whose tools
/// are missing is skipped.
pub(crate) fn run_step() -> Result<Counts> {
    let mut tally = Counts::default();
    for architecture in &ARCHITECTURES {
        println!("{}:", architecture.target);
        tally += Counts::from_step(architecture.test())?;
    }
    Ok(tally)
}

impl Architecture {
    /// Builds the library and runs the tests with it.
    fn test(&self) -> Result<Counts> {
        installed::require_program(&format!("{}gcc", self.tools))?;
        ensure!(
            i386::has_target(self.target)?,
            Skip::with_reason(format!("`rustup target add {}` was not run", self.target))
        );
        let out = std::path::absolute(OUT.join(self.target))?;
        shell::create_dir(&out)?;
        let library = self.build()?;
        let wine = (self.find_wine)(&out)?;
        wine.create_settings()?;
        let mut test = prepare_vendor_test("windows")?;
        test.env("GLASM_TEST_WINDOWS_LIBRARY", library);
        test.env("GLASM_TEST_WINDOWS_TOOLS", self.tools);
        test.env("GLASM_TEST_WINE", &wine.program);
        test.env("WINEPREFIX", wine.prefix.directory());
        run_tests(&mut test)
    }

    /// Builds the library and returns its path. The part that is written in C++ is left out if no
    /// compiler for it is installed.
    fn build(&self) -> Result<PathBuf> {
        let mut build = shell::cargo();
        build.args([
            "build",
            "--package",
            "glasm-glvendor",
            "--target",
            self.target,
        ]);
        if !installed::has_program(&format!("{}g++", self.tools)) {
            println!(
                "{}g++ is not installed: the library is built without GLSL",
                self.tools
            );
            build.arg("--no-default-features");
        }
        shell::run_checked(&mut build)?;
        let library = format!("{}/debug/glasm_glvendor.dll", self.target);
        Ok(std::path::absolute(shell::below_target(&library))?)
    }
}

/// Returns the installed Wine.
fn find_installed_wine(out: &Path) -> Result<Wine> {
    let programs = ["wine", "wineserver"];
    for program in programs {
        installed::require_program(program)?;
    }
    let [program, server] = programs.map(PathBuf::from);
    Ok(Wine {
        program,
        prefix: WinePrefix::new(out.join("prefix"), server),
    })
}

/// Unpacks Debian's Wine for i386, and returns it.
///
/// The dynamic linker of i386 is not where programs name it, so that scripts start it with the
/// program. Wine finds itself by the path of the running program, that of the dynamic linker: it
/// must find the scripts next to that, and its data relative to that.
fn unpack_wine(out: &Path) -> Result<Wine> {
    ensure!(
        cfg!(target_arch = "x86_64") && downloads::can_unpack(),
        Skip::with_reason("Wine for 32 bits comes from Debian, on x86-64")
    );
    let root = out.join("wine");
    Download::without_hashes(downloads::SYSTEM, WINE_PACKAGES).fetch(&root)?;
    let data = root.join("share");
    if !data.exists() {
        std::os::unix::fs::symlink("usr/share", &data)?;
    }
    let prefix = out.join("prefix");
    // Debian's Wine for i386 has this library in a directory that it finds below / only.
    let system = prefix.join("drive_c/windows/system32");
    shell::create_dir(&system)?;
    let library = "zlib1.dll";
    std::fs::copy(
        root.join("usr/i686-w64-mingw32/lib").join(library),
        system.join(library),
    )?;
    Ok(Wine {
        prefix: WinePrefix::new(prefix, write_script(&root, "wineserver", "wineserver32")?),
        program: write_script(&root, "wine", "wine")?,
    })
}

/// Writes a script that runs a program of Wine below a directory with its dynamic linker and
/// libraries there, and returns its path.
fn write_script(root: &Path, name: &str, program: &str) -> Result<PathBuf> {
    let libraries = root.join("usr/lib/i386-linux-gnu");
    let linker = root.join("lib/i386-linux-gnu");
    let text = format!(
        "#!/bin/sh\n\
         export WINEARCH=win32 WINELOADER={linker}/wine WINESERVER={linker}/wineserver\n\
         export WINEDLLPATH={libraries}/wine LIBGL_DRIVERS_PATH={libraries}/dri\n\
         exec {linker}/ld-linux.so.2 --library-path {libraries}:{linker}:{libraries}/pulseaudio \\\n\
         {root}/usr/lib/wine/{program} \"$@\"\n",
        root = root.display(),
        libraries = libraries.display(),
        linker = linker.display(),
    );
    shell::write_program(&linker.join(name), &text)
}
