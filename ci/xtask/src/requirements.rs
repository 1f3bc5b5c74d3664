//! Requirements on the machine: one table with purpose, detection and source of each, and the steps
//! of the tests that are skipped without it.

use crate::downloads::{self, CG_LINUX, Download};
use crate::installed::{self, has_header, has_library, has_program, has_programs};
use crate::packages::{self, PackageNames};
use crate::{cross, suite, web, wine};
use glasm_ci_support::counts::Skip;
use glasm_ci_support::{shell, vulkan};
use glasm_tests::cg;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

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
pub(crate) struct Requirement {
    /// Name for users.
    pub(crate) name: &'static str,
    /// Use of it, for users.
    pub(crate) usage: &'static str,
    /// Commands that need it.
    pub(crate) purpose: Purpose,
    /// Steps of the tests that are skipped without it. Others do less, or fail.
    pub(crate) steps: &'static [&'static str],
    /// Returns true if it is on this machine.
    pub(crate) is_present: fn() -> bool,
    source: Source,
}

/// Source of a requirement.
enum Source {
    /// Packages of the system.
    Packages(PackageNames),
    /// Archives that are unpacked below the target directory.
    Downloaded(fn() -> PathBuf, Download<'static>),
    /// Standard library of Rust for this target, which rustup installs.
    RustTarget(&'static str),
}
use Source::{Downloaded, Packages, RustTarget};

impl Requirement {
    /// Returns instructions for installing it manually.
    pub(crate) fn hint(&self) -> String {
        match &self.source {
            Packages(names) => packages::format_install_command(names),
            Downloaded(_, download) => format!("cargo xtask setup downloads {}", download.packages),
            RustTarget(target) => {
                format!("rustup target add {target} (or your distribution's package)")
            }
        }
    }
}

/// Installs requirements, if that is possible without the user: packages of the system in one
/// command, then archives, whose tools may be among the packages, and targets of Rust. Prints errors.
pub(crate) fn install(requirements: &[&Requirement]) {
    let mut names = Vec::new();
    let mut downloads = Vec::new();
    let mut targets = Vec::new();
    for requirement in requirements {
        match &requirement.source {
            Packages(packages) => names.push(packages),
            Downloaded(directory, download) => downloads.push((directory(), download)),
            RustTarget(target) => targets.push(target),
        }
    }
    let installed = std::iter::once_with(|| packages::install(&names));
    let downloaded = downloads
        .iter()
        .map(|(directory, download)| download.fetch(directory));
    let added = targets.iter().map(|target| {
        installed::require_program("rustup")?;
        shell::run_checked(Command::new("rustup").args(["target", "add", target]))
    });
    let results = installed.chain(downloaded).chain(added);
    for error in results.filter_map(Result::err) {
        println!("  {error:#}");
    }
}

/// Returns the requirements of `purpose` and of the purposes before it in [`Purpose`], without
/// those that this machine cannot have: archives are for Linux on 64-bit x86 with the programs that
/// unpack them.
pub(crate) fn find_applicable(purpose: Purpose) -> impl Iterator<Item = &'static Requirement> {
    let has_archives = cfg!(target_arch = "x86_64") && downloads::can_unpack();
    let of_purpose = REQUIREMENTS.iter().filter(move |it| it.purpose <= purpose);
    of_purpose.filter(move |it| has_archives || !matches!(it.source, Downloaded(..)))
}

/// Returns a [`Skip`] that names the first missing requirement of a step of the tests; `Ok` if none
/// is missing, also for steps without requirements.
pub(crate) fn check_step(requirements: &[Requirement], step: &str) -> Result<(), Skip> {
    let mut of_step = requirements.iter().filter(|it| it.steps.contains(&step));
    let Some(missing) = of_step.find(|it| !(it.is_present)()) else {
        return Ok(());
    };
    let reason = format!("{} is missing (cargo xtask setup)", missing.name);
    Err(Skip::with_reason(reason))
}

/// Defines the requirements: purpose, name, steps that are skipped without it, the condition that it
/// is present, its source and its use.
macro_rules! requirements {
    ($($purpose:ident $name:literal for [$($step:literal)*] if $is_present:expr => $source:expr, $usage:literal;)*) => {
        pub(crate) const REQUIREMENTS: &[Requirement] = &[$(Requirement {
            name: $name,
            usage: $usage,
            purpose: Purpose::$purpose,
            steps: &[$($step),*],
            is_present: || $is_present,
            source: $source,
        }),*];
    };
}

// All requirements that are not crates. Components of Rust are checked by
// `setup::find_missing_rust_components`.
requirements! {
    Required "C++ compiler" for [] if ["c++", "g++", "clang++"].iter().any(|name| has_program(name))
        => Packages(["g++", "gcc-c++", "gcc", "llvm"]),
        "builds SPIRV-Cross, which writes GLSL, HLSL and MSL for the command and its tests; the compiler needs none";
    Required "Vulkan loader" for [] if ["libvulkan.so.1", "libvulkan.1.dylib", "libvulkan.dylib", "libMoltenVK.dylib"].iter().any(|name| has_library(name))
        => Packages(["libvulkan1", "vulkan-loader", "vulkan-icd-loader", "vulkan-loader"]),
        "programs run through it";
    Demo "lavapipe" for ["vector-widths" "shading-languages" "mutate"] if vulkan::find_lavapipe().is_some()
        => Packages(["mesa-vulkan-drivers", "mesa-vulkan-drivers", "vulkan-swrast", "molten-vk"]),
        "Mesa's Vulkan driver for the CPU: programs run without a GPU";
    Test "spirv-val" for ["spirv-val"] if has_program("spirv-val")
        => Packages(["spirv-tools"; 4]),
        "checks every module that the tests produce";
    Test "glslangValidator" for [] if has_program("glslangValidator")
        => Packages(["glslang-tools", "glslang", "glslang", "glslang"]),
        "compiles the GLSL sections of scripts";
    Test "glslang's libraries" for [] if has_header(suite::GLSLANG_HEADER)
        => Packages(["glslang-dev", "glslang-devel", "glslang", "glslang"]),
        "compile the GLSL of all scripts in one process";
    Test "SwiftShader" for [] if vulkan::find_swiftshader().is_some()
        => Packages(["chromium-common", "chromium-common", "chromium", "swiftshader (build it yourself)"]),
        "a second Vulkan driver for the CPU, part of Chromium: scripts must give the same on both";
    Test "Vulkan validation layer" for [] if vulkan::has_installed_layer()
        => Packages(["vulkan-validationlayers", "vulkan-validation-layers", "vulkan-validation-layers", "vulkan-validationlayers"]),
        "wrong use of Vulkan fails the tests; Chromium's, which comes with SwiftShader, is newer and finds other mistakes";
    Test "Vulkan headers" for [] if has_header("vulkan/vulkan.h")
        => Packages(["libvulkan-dev", "vulkan-loader-devel", "vulkan-headers", "vulkan-headers"]),
        "the examples of the C interface are built and draw";
    Test "EGL" for ["gl-spirv" "vendor-library" "piglit" "thread-sanitizer" "i386"] if has_library("libEGL.so.1")
        => Packages(["libegl1", "libglvnd-egl", "libglvnd", "libglvnd (build it yourself)"]),
        "OpenGL without a window: its drivers implement the languages themselves, a reference for our results";
    Test "Mesa's OpenGL" for ["gl-spirv" "vendor-library" "piglit" "cg" "wine" "windows" "thread-sanitizer" "i386"] if installed::has_mesa()
        => Packages(["libgl1-mesa-dri", "mesa-dri-drivers", "mesa", "mesa (build it yourself)"]),
        "llvmpipe and softpipe, OpenGL drivers for the CPU: the reference runs without a GPU";
    Test "Mesa's GLX" for ["cg" "wine" "windows"] if has_library("libGLX_mesa.so.0")
        => Packages(["libglx-mesa0", "mesa-libGL", "mesa", "mesa (Linux only)"]),
        "OpenGL in windows of an X server: the vendor library is tested with applications of GLX";
    Test "Xvfb" for ["cg" "wine" "windows"] if has_programs(&["xvfb-run", "xauth"])
        => Packages(["xvfb xauth", "xorg-x11-server-Xvfb", "xorg-server-xvfb", "xvfb (Linux only)"]),
        "an X server without a screen, for these applications";
    Test "glxinfo" for [] if has_program("glxinfo")
        => Packages(["mesa-utils", "glx-utils", "mesa-utils", "mesa-utils (Linux only)"]),
        "an application of GLX, which prints the extensions that it finds";
    Test "pip" for [] if has_program("pip3")
        => Packages(["python3-pip", "python3-pip", "python-pip", "python"]),
        "downloads the next one from the registry of Python's packages";
    Test "Cg runtime" for ["cg"] if cg::libraries().is_some()
        => Downloaded(cg::folder, CG_LINUX),
        "NVIDIA's compiler for its own languages, with Panda3D (53 MB): applications of the vendor library, on 64-bit x86";
    Test "Python 3.11" for [] if has_program(cg::PYTHON)
        => Packages(["python3.11", "python3.11", "python311 (of the user repository)", "python@3.11"]),
        "runs Panda3D with a shader of Cg";
    Test "piglit's tests" for ["piglit"] if PIGLIT.is_complete(&PIGLIT_DIRECTORY)
        => Downloaded(|| PIGLIT_DIRECTORY.clone(), PIGLIT),
        "applications with programs, which the vendor library must satisfy (34 MB), unpacked below target";
    Test "Wine" for ["wine" "windows"] if cfg!(target_arch = "x86_64") && has_programs(&["wine", "wineserver"])
        => Packages(["wine|wine64", "wine-core", "wine", "wine (Linux only)"]),
        "runs programs of Windows as applications of the vendor library (100 MB to download, 670 MB installed)";
    Test "MinGW-w64" for ["wine"] if has_program(wine::COMPILER)
        => Packages(["gcc-mingw-w64-x86-64-win32", "mingw64-gcc", "mingw-w64-gcc", "mingw-w64"]),
        "compiles these programs (39 MB to download, 230 MB installed)";
    Test "Node.js" for ["web"] if has_programs(&["node", "npm"])
        => Packages(["nodejs npm", "nodejs npm", "nodejs npm", "node"]),
        "bundles the page of the playground, with packages of its lock file, and runs its tests";
    Test "Chromium" for ["web"] if web::find_browser().is_some()
        => Packages(["chromium", "chromium", "chromium", "chromium (install it yourself)"]),
        "a browser, in which the playground is tested";
    Test "Rust for WebAssembly" for ["web"] if cross::has_target(cross::WASM)
        => RustTarget(cross::WASM),
        "compiles the playground";
    Test "Rust for i686 Linux" for ["i386" "packages"] if cross::has_target(cross::LINUX_32)
        => RustTarget(cross::LINUX_32),
        "compiles the vendor library for 32-bit applications";
    Test "Rust for Windows" for [] if cross::has_target(cross::WINDOWS_64)
        => RustTarget(cross::WINDOWS_64),
        "compiles the command and the vendor library for Windows";
    Test "Rust for i686 Windows" for [] if cross::has_target(cross::WINDOWS_32)
        => RustTarget(cross::WINDOWS_32),
        "compiles the vendor library for 32-bit applications for Windows";
    Test "mmdebstrap" for ["packages"] if has_program("mmdebstrap")
        => Packages(["mmdebstrap", "mmdebstrap", "mmdebstrap", "mmdebstrap (Linux only)"]),
        "creates root file systems of Debian, in which packages are installed and tested";
    Bench "valgrind" for [] if has_program("valgrind")
        => Packages(["valgrind", "valgrind", "valgrind", "valgrind (Linux only)"]),
        "counts the instructions that translation retires, for `cargo xtask bench`; the C interface is tested in it";
}

/// Directory of piglit's tests.
pub(crate) static PIGLIT_DIRECTORY: LazyLock<PathBuf> =
    LazyLock::new(|| shell::below_target("piglit-package"));

/// Piglit's tests, as Debian 12 has built them, to the extent that they concern programs (all would
/// take 2 GB), and the library that they need.
const PIGLIT: Download<'_> = Download {
    source: "apt-get --quiet download",
    packages: "piglit=0~git20220119-124bca3c9-1 libwaffle-1-0=1.7.0-2",
    sha256: "37dd651ae04419602b4287ea590fca1f5bcaabc0ea4bf32fe48ffe86b946c986 \
             6246ecd28459db1ac2f34288d61952cd4880075480ba751b0ebb4a49dc311130",
    paths: "*/piglit/bin */piglit/lib */piglit/tests/*.xml.gz */asmparsertest \
            */piglit/tests/spec/arb_fragment_coord_conventions */piglit/tests/spec/arb_fragment_program* \
            */piglit/tests/spec/arb_vertex_program */libwaffle-1.so.*",
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps;

    #[test]
    fn requirements_name_steps_that_exist() {
        for requirement in REQUIREMENTS {
            for step in requirement.steps {
                assert!(
                    steps::find_step(step).is_ok(),
                    "{}: {step}",
                    requirement.name
                );
            }
        }
    }

    #[test]
    fn steps_are_skipped_without_their_requirements() {
        let requirement = |name, steps, is_present| Requirement {
            name,
            usage: "",
            purpose: Purpose::Test,
            steps,
            is_present,
            source: Packages([""; 4]),
        };
        let requirements = [
            requirement("present", &["a", "b"], || true),
            requirement("absent", &["b"], || false),
        ];
        assert!(check_step(&requirements, "a").is_ok());
        assert!(check_step(&requirements, "c").is_ok());
        let skip = check_step(&requirements, "b").expect_err("a requirement is missing");
        assert_eq!(
            skip.to_string(),
            "absent is missing (cargo xtask setup): skipped"
        );
    }
}
