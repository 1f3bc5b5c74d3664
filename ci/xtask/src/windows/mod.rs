//! The vendor library for Windows, `opengl32.dll`, in Wine: built for both word sizes with MinGW-w64,
//! and tried with clients in C, each with the library in its directory.
//!
//! 32-bit programs need Wine for i386, whose packages of Debian are unpacked below `target`; the
//! machine is not changed.

mod scripts;
pub(crate) mod toolchain;

use crate::cargo_steps::run_tests;
use crate::downloads::{self, Download};
use crate::installed;
use crate::wine::WinePrefix;
use crate::workspace_build::prepare_vendor_test;
use anyhow::{Result, ensure};
use glasm_ci_support::counts::{Counts, Skip};
use glasm_ci_support::shell;
use glasm_tests::cg;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use toolchain::{Architecture, NARROW, Toolchain, WIDE};

/// Directory of all output.
static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("windows"));

/// Architecture with what its programs are tested with.
struct Tested {
    architecture: &'static Architecture,
    /// Finds Wine, or unpacks it below a directory.
    find_wine: fn(&Path) -> Result<Wine>,
    /// NVIDIA's Cg runtime, which the Python package of Panda3D contains.
    cg: Download<'static>,
}

static ARCHITECTURES: [Tested; 2] = [
    Tested {
        architecture: &WIDE,
        find_wine: find_installed_wine,
        cg: Download {
            source: "pip3 download --quiet --no-deps --only-binary=:all: --implementation cp \
                --platform win_amd64 --python-version 3.11 --abi cp311",
            packages: cg::PACKAGE,
            sha256: "37acfb92655c4226879f95c988e2ef1449a53c54486d6c1ebc00e2772429af82",
            paths: "",
        },
    },
    Tested {
        architecture: &NARROW,
        find_wine: unpack_wine,
        cg: Download {
            source: "pip3 download --quiet --no-deps --only-binary=:all: --implementation cp \
                --platform win32 --python-version 3.11 --abi cp311",
            packages: cg::PACKAGE,
            sha256: "63a93dd393de1d8a3ab3520b02acc55803ee53efbf63b952bd45951f534b3f68",
            paths: "",
        },
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
    for tested in &ARCHITECTURES {
        println!("{}:", tested.architecture.target);
        tally += Counts::from_step(tested.run())?;
    }
    Ok(tally)
}

impl Tested {
    /// Builds the library for the architecture and runs the tests with it.
    fn run(&self) -> Result<Counts> {
        let architecture = self.architecture;
        let toolchain = Toolchain::prepare(architecture, &OUT)?;
        // Scripts run with one word size: the command is the same program for both.
        let has_command = architecture.target == WIDE.target;
        build(&toolchain, has_command)?;
        let library = toolchain.built("debug", "glasm_glvendor.dll");
        let out = std::path::absolute(OUT.join(architecture.target))?;
        shell::create_dir(&out)?;
        let wine = (self.find_wine)(&out)?;
        wine.create_settings()?;
        let mut test = prepare_vendor_test("windows")?;
        toolchain.set_path(&mut test);
        test.env("GLASM_TEST_WINDOWS_LIBRARY", &library);
        test.env("GLASM_TEST_WINDOWS_TOOLS", architecture.tools);
        test.env("GLASM_TEST_WINE", &wine.program);
        test.env("WINEPREFIX", wine.prefix.directory());
        match self.cg.fetch(&out.join("cg")) {
            Ok(()) => {
                test.env("GLASM_TEST_WINDOWS_CG", out.join("cg/panda3d"));
            }
            Err(error) => println!("{error:#}"),
        }
        let mut tally = run_tests(&mut test)?;
        if has_command {
            let command = toolchain.built("debug", "glasm.exe");
            tally +=
                scripts::run_scripts(architecture, &toolchain, &wine, &command, &library, &out)?;
        }
        Ok(tally)
    }
}

/// Builds the library, and the command if `has_command` is set: together, since Cargo selects the
/// features of the crates that both have by the packages that it builds.
fn build(toolchain: &Toolchain, has_command: bool) -> Result<()> {
    let mut build = toolchain.cargo("build")?;
    build.args(["--package", "glasm-glvendor", "--lib"]);
    if has_command {
        build.args(["--package", "glasm-cli", "--bins"]);
    }
    // The tests run for less time than optimizing these takes.
    for package in [
        "glasm-codegen",
        "glasm-extract",
        "glasm-frontend",
        "glasm-ir",
    ] {
        let setting = format!("profile.dev.package.{package}.opt-level=0");
        build.args(["--config", &setting]);
    }
    // MinGW-w64's linker takes a minute for the debug information of both.
    build.args(["--config", "profile.dev.debug=false"]);
    shell::run_checked(&mut build)
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
