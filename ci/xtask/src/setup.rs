//! `cargo xtask setup`: requirements of demo and test on the machine, and their installation.

use crate::packages::{self, Apt, Names};
use crate::{fetched, glslang, installed, wine};
use anyhow::{Result, ensure};
use glasm_ci_support::{shell, vulkan};
use glasm_tests::cg;
use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;

const HELP: &str = "\
Finds what is missing, prints its purpose, and installs it with apt-get on Debian, Ubuntu and their
relatives: directly as root, else through sudo. On other systems it prints the package names.
Piglit's tests are unpacked below target and not installed.";

/// `cargo xtask setup`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Options {
    /// Do not ask before installing
    #[arg(short, long, overrides_with = "check")]
    yes: bool,
    /// Only report; exit status 1 if something is missing
    #[arg(long, overrides_with = "yes")]
    check: bool,
}

/// Commands that need something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Purpose {
    /// Required for the gallery, and everything else that runs programs.
    Required,
    /// Used by the same; without it some checks are skipped with a message.
    Demo,
    /// Used by tests only; without it some checks are skipped.
    Test,
    /// `cargo xtask bench` only: missing requirements are reported, not installed.
    Bench,
}

/// Requirement on the machine.
struct Need {
    what: &'static str,
    why: &'static str,
    purpose: Purpose,
    is_present: fn() -> bool,
    source: Source,
}

/// Source of a requirement.
enum Source {
    /// System's packages.
    Packages(Names),
    /// Packages that are unpacked below the target directory.
    Unpacked(&'static fetched::Fetched),
}
use Source::{Packages, Unpacked};

impl Need {
    /// Returns instructions for installing it by hand.
    fn hint(&self, system: Option<usize>) -> String {
        match &self.source {
            Packages(names) => packages::hint(system, names),
            Unpacked(source) => format!("cargo xtask setup takes {}", source.hint.join(" with ")),
        }
    }

    /// Installs it if that is possible without the user, otherwise prints instructions.
    fn install(&self, system: Option<usize>, apt: &mut Apt) -> Result<()> {
        match &self.source {
            Packages([names, ..]) if system == Some(0) => return apt.install(names),
            Packages(_) => println!("  to install: {}", self.hint(system)),
            Unpacked(source) => return (source.fetch)(),
        }
        Ok(())
    }
}

/// Defines the requirements: purpose and name, the condition that it is present, its source, and
/// its use.
macro_rules! needs {
    ($($purpose:ident $what:literal if $is_present:expr => $source:expr, $why:literal;)*) => {
        const NEEDS: &[Need] = &[$(Need {
            what: $what,
            why: $why,
            purpose: Purpose::$purpose,
            is_present: || $is_present,
            source: $source,
        }),*];
    };
}

// All requirements that are not crates. Components of Rust are checked by
// `missing_rust_components`.
needs! {
    Required "C++ compiler" if ["c++", "g++", "clang++"].iter().any(|name| installed::has_program(name))
        => Packages(["g++", "gcc-c++", "gcc", "llvm"]),
        "builds SPIRV-Cross, which writes GLSL, HLSL and MSL for the command and its tests; the compiler needs none";
    Required "Vulkan loader" if has_vulkan_loader()
        => Packages(["libvulkan1", "vulkan-loader", "vulkan-icd-loader", "vulkan-loader"]),
        "programs run through it";
    Demo "lavapipe" if vulkan::lavapipe().is_some()
        => Packages(["mesa-vulkan-drivers", "mesa-vulkan-drivers", "vulkan-swrast", "molten-vk"]),
        "Mesa's Vulkan driver for the CPU: programs run without a GPU";
    Test "spirv-val" if installed::has_program("spirv-val")
        => Packages(["spirv-tools"; 4]),
        "checks every module that the tests produce";
    Test "glslangValidator" if installed::has_program("glslangValidator")
        => Packages(["glslang-tools", "glslang", "glslang", "glslang"]),
        "compiles the GLSL sections of scripts";
    Test "glslang's libraries" if installed::has_header(glslang::HEADER)
        => Packages(["glslang-dev", "glslang-devel", "glslang", "glslang"]),
        "compile the GLSL of all scripts in one process";
    Test "SwiftShader" if vulkan::swiftshader().is_some()
        => Packages(["chromium-common", "chromium-common", "chromium", "swiftshader (build it yourself)"]),
        "a second Vulkan driver for the CPU, part of Chromium: scripts must give the same on both";
    Test "Vulkan validation layer" if vulkan::installed_layer_present()
        => Packages(["vulkan-validationlayers", "vulkan-validation-layers", "vulkan-validation-layers", "vulkan-validationlayers"]),
        "wrong use of Vulkan fails the tests; Chromium's, which comes with SwiftShader, is newer and finds other mistakes";
    Test "Vulkan headers" if installed::has_header("vulkan/vulkan.h")
        => Packages(["libvulkan-dev", "vulkan-loader-devel", "vulkan-headers", "vulkan-headers"]),
        "the examples of the C interface are built and draw";
    Test "EGL" if installed::has_library("libEGL.so.1")
        => Packages(["libegl1", "libglvnd-egl", "libglvnd", "libglvnd (build it yourself)"]),
        "OpenGL without a window: its drivers implement the languages themselves, a reference for our results";
    Test "Mesa's OpenGL" if installed::has_mesa()
        => Packages(["libgl1-mesa-dri", "mesa-dri-drivers", "mesa", "mesa (build it yourself)"]),
        "llvmpipe and softpipe, OpenGL drivers for the CPU: the reference runs without a GPU";
    Test "Xvfb" if installed::has_program("xvfb-run") && installed::has_program("xauth")
        => Packages(["xvfb xauth", "xorg-x11-server-Xvfb", "xorg-server-xvfb", "xvfb (Linux only)"]),
        "an X server without a screen: the vendor library is tested with applications of GLX";
    Test "glxinfo" if installed::has_program("glxinfo") && installed::has_library("libGLX_mesa.so.0")
        => Packages(["mesa-utils libglx-mesa0", "glx-utils", "mesa-utils", "mesa-utils (Linux only)"]),
        "an application of GLX, which says what extensions it sees";
    Test "pip" if fetched::has_pip()
        => Packages(["python3-pip", "python3-pip", "python-pip", "python"]),
        "takes the next one from the registry of Python's packages";
    Test "Cg runtime" if cg::libraries().is_some()
        => Unpacked(&fetched::CG),
        "NVIDIA's compiler for its own languages, with Panda3D (53 MB): applications of the vendor library, on 64-bit x86";
    Test "Python 3.11" if installed::has_program(&format!("python{}", cg::PYTHON))
        => Packages(["python3.11", "python3.11", "python311 (of the user repository)", "python@3.11"]),
        "runs Panda3D with a shader of Cg";
    Test "piglit's tests" if fetched::find_piglit().is_some()
        => Unpacked(&fetched::PIGLIT_TESTS),
        "applications with programs, which the vendor library must satisfy; they lie below target";
    Test "Wine" if wine::is_present()
        => Packages(["wine or wine64", "wine-core", "wine", "wine (Linux only)"]),
        "runs programs of Windows as applications of the vendor library (100 MB to download, 670 MB installed)";
    Test "MinGW-w64" if installed::has_program(wine::COMPILER)
        => Packages(["gcc-mingw-w64-x86-64-win32", "mingw64-gcc", "mingw-w64-gcc", "mingw-w64"]),
        "compiles these programs (39 MB to download, 230 MB installed)";
    Bench "valgrind" if installed::has_program("valgrind")
        => Packages(["valgrind", "valgrind", "valgrind", "valgrind (Linux only)"]),
        "counts the instructions that translation retires, for `cargo xtask bench`; the C interface is tested in it";
}

/// Returns true if the Vulkan loader is installed.
fn has_vulkan_loader() -> bool {
    let names: &[&str] = if cfg!(target_os = "macos") {
        &["libvulkan.1.dylib", "libvulkan.dylib", "libMoltenVK.dylib"]
    } else {
        &["libvulkan.so.1"]
    };
    names.iter().any(|name| installed::has_library(name))
}

/// Runs `cargo xtask setup`.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let complete = if options.check {
        report(Purpose::Test)
    } else {
        if !options.yes && (report(Purpose::Test) || !ask_for_consent()?) {
            return Ok(ExitCode::SUCCESS);
        }
        ensure(Purpose::Test)?
    };
    for problem in missing_rust_components() {
        println!("{problem}");
    }
    Ok(ExitCode::from(u8::from(!complete)))
}

/// Prints the present and the missing requirements. Returns true if no requirement of `purpose` is
/// missing.
fn report(purpose: Purpose) -> bool {
    let system = packages::detect_system();
    let mut complete = true;
    for need in needs(Purpose::Bench) {
        if (need.is_present)() {
            println!("found    {}: {}", need.what, need.why);
        } else {
            complete &= need.purpose > purpose;
            println!("MISSING  {}: {}", need.what, need.why);
            println!("         to install: {}", need.hint(system));
        }
    }
    complete
}

/// Returns the requirements of a purpose on this machine.
fn needs(purpose: Purpose) -> impl Iterator<Item = &'static Need> {
    NEEDS.iter().filter(move |need| match &need.source {
        Unpacked(source) if !(source.is_for_this_machine)() => false,
        Packages(_) | Unpacked(_) => need.purpose <= purpose,
    })
}

/// Asks on a terminal; otherwise there is no user to answer, so the command itself is the consent.
fn ask_for_consent() -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Ok(true);
    }
    print!("Install what is missing? [Y/n] ");
    std::io::stdout().flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(!answer.trim().to_ascii_lowercase().starts_with('n'))
}

/// Installs the missing requirements of `purpose`. Returns true if all requirements are met
/// afterwards; an error if a mandatory one is missing.
pub(crate) fn ensure(purpose: Purpose) -> Result<bool> {
    let system = packages::detect_system();
    let mut apt = Apt::default();
    let mut complete = true;
    // Installed in order: a package may contain a program that a later requirement needs.
    for need in needs(purpose).filter(|need| !(need.is_present)()) {
        let Need { what, why, .. } = need;
        println!("missing: {what} ({why})");
        let is_required = need.purpose == Purpose::Required;
        match need.install(system, &mut apt) {
            Err(error) if is_required => return Err(error),
            Err(error) => println!("  {error:#}"),
            Ok(()) => {}
        }
        if !(need.is_present)() {
            let hint = need.hint(system);
            ensure!(!is_required, "{what} is required ({why}); {hint}");
            complete = false;
            println!("  going on without {what}: what needs it is skipped");
        }
    }
    Ok(complete)
}

/// Returns a message about each component of Rust that is not installed.
pub(crate) fn missing_rust_components() -> Vec<String> {
    let is_missing = |tool: &str| {
        let version = shell::capture(shell::cargo().args([tool, "--version"]));
        !version.is_ok_and(|output| output.status.success())
    };
    let tools = [("fmt", "rustfmt"), ("clippy", "clippy")].into_iter();
    let missing = tools.filter(|(tool, _)| is_missing(tool));
    missing.map(|(tool, component)| {
        format!("missing: `cargo {tool}`; to install: rustup component add {component} (or your distribution's package)")
    })
    .collect()
}
