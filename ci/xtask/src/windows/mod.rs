//! The vendor library for Windows, `opengl32.dll`, in Wine: built for both word sizes with MinGW-w64,
//! and tried with clients in C, each with the library in its directory. The command `glasm.exe` of
//! both word sizes is compared with that of Linux.
//!
//! 32-bit programs need Wine for i386, whose packages of Debian are unpacked below `target`; the
//! machine is not changed.

mod command;
mod scripts;
mod session;
pub(crate) mod toolchain;

use crate::cargo_steps::run_tests;
use crate::cross;
use crate::downloads::{self, CG_WINDOWS_32, CG_WINDOWS_64, Download};
use crate::installed;
use crate::wine::WinePrefix;
use crate::workspace_build::prepare_vendor_test;
use anyhow::{Context as _, Result, ensure};
use command::InstalledCommand;
use glasm_ci_support::counts::{Counts, Skip};
use glasm_ci_support::shell;
use glasm_ci_support::vulkan::{self, Driver};
use serde_json::json;
use session::{WineSession, XServer};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use toolchain::{Architecture, NARROW, Toolchain, WIDE};

/// Directory of all output.
static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("windows"));

/// Architecture with what its programs are tested with.
struct Tested {
    architecture: &'static Architecture,
    /// Finds Wine, or unpacks it below a directory.
    find_wine: fn(&Path) -> Result<Wine>,
    /// NVIDIA's Cg runtime.
    cg: Download<'static>,
    /// Arguments of Cargo that select what is built.
    packages: &'static [&'static str],
    extent: Extent,
}

/// Parts of the tests that run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extent {
    /// All.
    Full,
    /// Those with another result than for the other word size if a type, a layout or a calling
    /// convention is wrong: neither those of GLSL, whose C++ takes longer to build than the rest,
    /// nor scripts through the library.
    WordSize,
}

static ARCHITECTURES: [Tested; 2] = [
    Tested {
        architecture: &WIDE,
        find_wine: find_installed_wine,
        cg: CG_WINDOWS_64,
        // Together, since Cargo selects the features of the crates that both have by the packages
        // that it builds.
        packages: &[
            "--package",
            "glasm-glvendor",
            "--lib",
            "--package",
            "glasm-cli",
            "--bins",
        ],
        extent: Extent::Full,
    },
    Tested {
        architecture: &NARROW,
        find_wine: unpack_wine,
        cg: CG_WINDOWS_32,
        packages: &[
            "--package",
            "glasm-glvendor",
            "--lib",
            "--package",
            "glasm-cli",
            "--bins",
            "--no-default-features",
            "--features",
            "glasm-cli/run",
        ],
        extent: Extent::WordSize,
    },
];

/// Packages that 32-bit programs of OpenGL and Vulkan need in Wine.
const WINE_PACKAGES: &str = "wine32:i386 libgl1:i386 libglx-mesa0:i386 libgl1-mesa-dri:i386 \
    libx11-6:i386 libxext6:i386 libvulkan1:i386 mesa-vulkan-drivers:i386";

/// Directory of the libraries of these packages.
const LIBRARIES: &str = "usr/lib/i386-linux-gnu";

/// Wine, with the program that it is started by.
struct Wine {
    /// Program that runs programs of Windows.
    program: PathBuf,
    prefix: WinePrefix,
    /// Vulkan driver for the CPU with the word size of the programs; `None` if it is not installed.
    vulkan_driver: Option<Driver>,
}

/// Runs the step that builds the library and the command for both word sizes and tests them. A word
/// size whose tools are missing is skipped.
pub(crate) fn run_step() -> Result<Counts> {
    let server = XServer::start()?;
    let mut tally = Counts::default();
    for tested in &ARCHITECTURES {
        println!("{}:", tested.architecture.target);
        tally += Counts::from_step(tested.run(&server))?;
    }
    Ok(tally)
}

impl Tested {
    /// Builds the library and the command for the architecture and runs the tests with them.
    fn run(&self, server: &XServer) -> Result<Counts> {
        let architecture = self.architecture;
        let toolchain = Toolchain::prepare(architecture, &OUT)?;
        let out = std::path::absolute(OUT.join(architecture.target))?;
        shell::create_dir(&out)?;
        let wine = (self.find_wine)(&out)?;
        self.build(&toolchain)?;
        let built = |name| cross::built_file(architecture.target, "dev", name);
        let library = built("glasm_glvendor.dll")?;
        let session = WineSession::start(&wine, server, &toolchain, &out)?;
        let mut tally = self.test_library(&toolchain, &session, &library, &out)?;
        let command = built("glasm.exe")?;
        let directory = out.join("command");
        let installed = InstalledCommand::install(&toolchain, &command, &library, directory)?;
        tally += installed.test(&session)?;
        match self.extent {
            Extent::Full => tally += scripts::run_scripts(&session, &installed, &out)?,
            Extent::WordSize => {}
        }
        Ok(tally)
    }

    /// Builds the library and the command.
    fn build(&self, toolchain: &Toolchain) -> Result<()> {
        let mut build = toolchain.cargo("build")?;
        build.args(self.packages);
        // Only scripts run for more time than optimizing the compiler takes.
        let unoptimized: &[&str] = match self.extent {
            Extent::Full => &["glasm-extract"],
            Extent::WordSize => &cross::OPTIMIZED_CRATES,
        };
        cross::skip_optimization(&mut build, unoptimized);
        toolchain.use_fast_tools(&mut build)?;
        // The linker would copy the debug information, which no test uses.
        build.args(["--config", "profile.dev.debug=false"]);
        shell::run_checked(&mut build)
    }

    /// Runs the tests with applications of the library.
    fn test_library(
        &self,
        toolchain: &Toolchain,
        session: &WineSession<'_>,
        library: &Path,
        out: &Path,
    ) -> Result<Counts> {
        let mut test = prepare_vendor_test("windows")?;
        session.set_variables(&mut test);
        toolchain.set_path(&mut test);
        test.env("GLASM_TEST_WINDOWS_LIBRARY", library);
        test.env("GLASM_TEST_WINDOWS_TOOLS", self.architecture.tools);
        test.env("GLASM_TEST_WINE", &session.wine.program);
        match self.extent {
            Extent::Full => {}
            Extent::WordSize => {
                test.env("GLASM_TEST_WITHOUT_TEXT", "1");
                test.env("GLASM_TEST_CONTEXT_ROUNDS", "100");
            }
        }
        match self.cg.fetch(&out.join("cg")) {
            Ok(()) => {
                test.env("GLASM_TEST_WINDOWS_CG", out.join("cg"));
            }
            Err(error) => println!("{error:#}"),
        }
        run_tests(&mut test)
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
        vulkan_driver: vulkan::find_lavapipe(),
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
        vulkan_driver: Some(find_unpacked_driver(&root)?),
    })
}

/// Returns the Vulkan driver for the CPU below a directory. Its own manifest names the path of an
/// installed driver.
fn find_unpacked_driver(root: &Path) -> Result<Driver> {
    let library = root.join(LIBRARIES).join("libvulkan_lvp.so");
    let manifest = root.join("lavapipe.json");
    let text = json!({
        "file_format_version": "1.0.0",
        "ICD": { "api_version": "1.1.0", "library_path": library },
    });
    std::fs::write(&manifest, text.to_string()).with_context(|| manifest.display().to_string())?;
    Ok(Driver {
        name: "lavapipe",
        manifest,
    })
}

/// Writes a script that runs a program of Wine below a directory with its dynamic linker and
/// libraries there, and returns its path.
fn write_script(root: &Path, name: &str, program: &str) -> Result<PathBuf> {
    let libraries = root.join(LIBRARIES);
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
