//! `cargo xtask setup`: what demo and test need of the machine, and how it gets there.

use crate::packages::{Apt, Names, System};
use crate::{glslang, installed, piglit_package, wheel, wine};
use anyhow::{Result, bail};
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

/// Which command needs it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Purpose {
    /// The gallery, and everything else that runs programs.
    Demo,
    /// Tests only.
    Test,
    /// `cargo xtask bench` only, which does without: it is reported, not installed.
    Bench,
}

/// What happens without it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Without {
    /// The command cannot run.
    Stop,
    /// Some checks are skipped, and say so.
    Skip,
}

/// One thing that has to be on the machine.
struct Need {
    what: &'static str,
    why: &'static str,
    purpose: Purpose,
    without: Without,
    present: fn() -> bool,
    source: Source,
}

/// Where it comes from.
enum Source {
    /// The system's packages.
    Packages(Names),
    /// The registry of Python's packages.
    Python,
    /// Packages of Debian that are unpacked, on machines that can run them; nobody else needs them.
    Unpacked,
}

impl Source {
    /// How to install it here by hand.
    fn hint(&self, system: System) -> String {
        match self {
            Self::Packages(names) => system.hint(names),
            Self::Python => format!("cargo xtask setup takes {} with pip", wheel::PACKAGE),
            Self::Unpacked => "cargo xtask setup takes it with apt-get download".to_owned(),
        }
    }

    /// Whether this machine is one that it is for.
    fn is_for_this_machine(&self) -> bool {
        match self {
            Self::Packages(_) | Self::Python => true,
            Self::Unpacked => piglit_package::is_for_this_machine(),
        }
    }
}

/// Everything that is not a crate. Rust's own parts are checked by [`require_rust_components`].
const NEEDS: &[Need] = &[
    Need {
        what: "C++ compiler",
        why: "builds SPIRV-Cross, which writes GLSL, HLSL and MSL for the command and its tests; the compiler needs none",
        purpose: Purpose::Demo,
        without: Without::Stop,
        present: || {
            ["c++", "g++", "clang++"]
                .iter()
                .any(|name| installed::has_program(name))
        },
        source: Source::Packages(Names {
            debian: &["g++"],
            fedora: "gcc-c++",
            arch: "gcc",
            homebrew: "llvm",
        }),
    },
    Need {
        what: "Vulkan loader",
        why: "programs run through it",
        purpose: Purpose::Demo,
        without: Without::Stop,
        present: has_vulkan_loader,
        source: Source::Packages(Names {
            debian: &["libvulkan1"],
            fedora: "vulkan-loader",
            arch: "vulkan-icd-loader",
            homebrew: "vulkan-loader",
        }),
    },
    Need {
        what: "lavapipe",
        why: "Mesa's Vulkan driver for the CPU: programs run without a GPU",
        purpose: Purpose::Demo,
        without: Without::Skip,
        present: || vulkan::lavapipe().is_some(),
        source: Source::Packages(Names {
            debian: &["mesa-vulkan-drivers"],
            fedora: "mesa-vulkan-drivers",
            arch: "vulkan-swrast",
            homebrew: "molten-vk",
        }),
    },
    Need {
        what: "spirv-val",
        why: "checks every module that the tests produce",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: || installed::has_program("spirv-val"),
        source: Source::Packages(Names {
            debian: &["spirv-tools"],
            fedora: "spirv-tools",
            arch: "spirv-tools",
            homebrew: "spirv-tools",
        }),
    },
    Need {
        what: "glslangValidator",
        why: "compiles the GLSL sections of scripts",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: || installed::has_program("glslangValidator"),
        source: Source::Packages(Names {
            debian: &["glslang-tools"],
            fedora: "glslang",
            arch: "glslang",
            homebrew: "glslang",
        }),
    },
    Need {
        what: "glslang's libraries",
        why: "compile the GLSL of all scripts in one process",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: || installed::has_header(glslang::HEADER),
        source: Source::Packages(Names {
            debian: &["glslang-dev"],
            fedora: "glslang-devel",
            arch: "glslang",
            homebrew: "glslang",
        }),
    },
    Need {
        what: "SwiftShader",
        why: "a second Vulkan driver for the CPU, part of Chromium: scripts must give the same on both",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: || vulkan::swiftshader().is_some(),
        source: Source::Packages(Names {
            debian: &["chromium-common"],
            fedora: "chromium-common",
            arch: "chromium",
            homebrew: "swiftshader (build it yourself)",
        }),
    },
    Need {
        what: "Vulkan validation layer",
        why: "wrong use of Vulkan fails the tests; Chromium's, which comes with SwiftShader, is newer and finds other mistakes",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: vulkan::installed_layer_present,
        source: Source::Packages(Names {
            debian: &["vulkan-validationlayers"],
            fedora: "vulkan-validation-layers",
            arch: "vulkan-validation-layers",
            homebrew: "vulkan-validationlayers",
        }),
    },
    Need {
        what: "Vulkan headers",
        why: "the examples of the C interface are built and draw",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: || installed::has_header("vulkan/vulkan.h"),
        source: Source::Packages(Names {
            debian: &["libvulkan-dev"],
            fedora: "vulkan-loader-devel",
            arch: "vulkan-headers",
            homebrew: "vulkan-headers",
        }),
    },
    Need {
        what: "EGL",
        why: "OpenGL without a window: its drivers implement the languages themselves, a reference for our results",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: || installed::has_library("libEGL.so.1"),
        source: Source::Packages(Names {
            debian: &["libegl1"],
            fedora: "libglvnd-egl",
            arch: "libglvnd",
            homebrew: "libglvnd (build it yourself)",
        }),
    },
    Need {
        what: "Mesa's OpenGL",
        why: "llvmpipe and softpipe, OpenGL drivers for the CPU: the reference runs without a GPU",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: installed::has_mesa,
        source: Source::Packages(Names {
            debian: &["libgl1-mesa-dri"],
            fedora: "mesa-dri-drivers",
            arch: "mesa",
            homebrew: "mesa (build it yourself)",
        }),
    },
    Need {
        what: "Xvfb",
        why: "an X server without a screen: the vendor library is tested with applications of GLX",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: || installed::has_program("xvfb-run"),
        source: Source::Packages(Names {
            debian: &["xvfb", "xauth"],
            fedora: "xorg-x11-server-Xvfb",
            arch: "xorg-server-xvfb",
            homebrew: "xvfb (Linux only)",
        }),
    },
    Need {
        what: "glxinfo",
        why: "an application of GLX, which says what extensions it sees",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: || installed::has_program("glxinfo") && installed::has_library("libGLX_mesa.so.0"),
        source: Source::Packages(Names {
            debian: &["mesa-utils", "libglx-mesa0"],
            fedora: "glx-utils",
            arch: "mesa-utils",
            homebrew: "mesa-utils (Linux only)",
        }),
    },
    Need {
        what: "pip",
        why: "takes the next one from the registry of Python's packages",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: wheel::pip_present,
        source: Source::Packages(Names {
            debian: &["python3-pip"],
            fedora: "python3-pip",
            arch: "python-pip",
            homebrew: "python",
        }),
    },
    Need {
        what: "Cg runtime",
        why: "NVIDIA's compiler for its own languages, with Panda3D (53 MB): applications of the vendor library, on 64-bit x86",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: || cg::libraries().is_some(),
        source: Source::Python,
    },
    Need {
        what: "Python 3.11",
        why: "runs Panda3D with a shader of Cg",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: || shell::find_program(&format!("python{}", cg::PYTHON)).is_some(),
        source: Source::Packages(Names {
            debian: &["python3.11"],
            fedora: "python3.11",
            arch: "python311 (of the user repository)",
            homebrew: "python@3.11",
        }),
    },
    Need {
        what: "piglit's tests",
        why: "applications with programs, which the vendor library must satisfy; they lie below target",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: || piglit_package::find().is_some(),
        source: Source::Unpacked,
    },
    Need {
        what: "Wine",
        why: "runs programs of Windows as applications of the vendor library (100 MB to download, 670 MB installed)",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: wine::is_present,
        source: Source::Packages(Names {
            debian: &["wine", "wine64"],
            fedora: "wine-core",
            arch: "wine",
            homebrew: "wine (Linux only)",
        }),
    },
    Need {
        what: "MinGW-w64",
        why: "compiles these programs (39 MB to download, 230 MB installed)",
        purpose: Purpose::Test,
        without: Without::Skip,
        present: || installed::has_program(wine::COMPILER),
        source: Source::Packages(Names {
            debian: &["gcc-mingw-w64-x86-64-win32"],
            fedora: "mingw64-gcc",
            arch: "mingw-w64-gcc",
            homebrew: "mingw-w64",
        }),
    },
    Need {
        what: "valgrind",
        why: "counts the instructions that translation retires, for `cargo xtask bench`; the C interface is tested in it",
        purpose: Purpose::Bench,
        without: Without::Skip,
        present: || installed::has_program("valgrind"),
        source: Source::Packages(Names {
            debian: &["valgrind"],
            fedora: "valgrind",
            arch: "valgrind",
            homebrew: "valgrind (Linux only)",
        }),
    },
];

/// Decides whether the Vulkan loader is installed.
fn has_vulkan_loader() -> bool {
    let names: &[&str] = if cfg!(target_os = "macos") {
        &["libvulkan.1.dylib", "libvulkan.dylib", "libMoltenVK.dylib"]
    } else {
        &["libvulkan.so.1"]
    };
    names.iter().any(|name| installed::has_library(name))
}

/// `cargo xtask setup`.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let complete = if options.check {
        report(Purpose::Test)
    } else {
        if !options.yes && (report(Purpose::Test) || !agreed()?) {
            return Ok(ExitCode::SUCCESS);
        }
        ensure(Purpose::Test)?
    };
    for problem in missing_rust_components() {
        println!("{problem}");
    }
    Ok(if complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// Says what is there and what is not. `true` if nothing that `purpose` needs is missing.
fn report(purpose: Purpose) -> bool {
    let system = System::detect();
    let mut complete = true;
    for need in needs(Purpose::Bench) {
        let present = (need.present)();
        complete &= present || need.purpose > purpose;
        let state = if present { "found  " } else { "MISSING" };
        println!("{state}  {}: {}", need.what, need.why);
        if !present {
            println!("         to install: {}", need.source.hint(system));
        }
    }
    complete
}

/// What this machine needs for something.
fn needs(purpose: Purpose) -> impl Iterator<Item = &'static Need> {
    let here = NEEDS
        .iter()
        .filter(|need| need.source.is_for_this_machine());
    here.filter(move |need| need.purpose <= purpose)
}

/// Asks on a terminal; anywhere else nobody could answer, so the command itself was the consent.
fn agreed() -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Ok(true);
    }
    print!("Install what is missing? [Y/n] ");
    std::io::stdout().flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(!answer.trim().to_ascii_lowercase().starts_with('n'))
}

/// Installs what `purpose` lacks. `Ok(false)`: something optional is still missing; an error: cannot go on.
pub(crate) fn ensure(purpose: Purpose) -> Result<bool> {
    let system = System::detect();
    let mut apt = Apt::new();
    let mut complete = true;
    // One after the other: a package may bring what a later need asks for.
    for need in needs(purpose) {
        if (need.present)() {
            continue;
        }
        println!("missing: {} ({})", need.what, need.why);
        match &need.source {
            Source::Packages(names) if system == System::Debian => install(&mut apt, need, names)?,
            Source::Packages(names) => println!("  to install: {}", system.hint(names)),
            Source::Python => tell(wheel::fetch()),
            Source::Unpacked => tell(piglit_package::ensure_unpacked()),
        }
        if !(need.present)() {
            complete = false;
            give_up(system, need)?;
        }
    }
    Ok(complete)
}

/// What keeps something optional from being there.
fn tell(outcome: Result<()>) {
    if let Err(error) = outcome {
        println!("  {error:#}");
    }
}

fn install(apt: &mut Apt, need: &Need, names: &Names) -> Result<()> {
    let outcome = apt.choose(names.debian).and_then(|package| match package {
        Some(package) => {
            println!("  installing the package {package}");
            apt.install(&[package])
        }
        None => {
            println!(
                "  this distribution has no package {}",
                names.debian.join(" or ")
            );
            Ok(())
        }
    });
    match need.without {
        Without::Stop => outcome,
        Without::Skip => {
            tell(outcome);
            Ok(())
        }
    }
}

fn give_up(system: System, need: &Need) -> Result<()> {
    match need.without {
        Without::Stop => bail!(
            "{} is required ({}); {}",
            need.what,
            need.why,
            need.source.hint(system)
        ),
        Without::Skip => {
            println!("  going on without {}: what needs it is skipped", need.what);
            Ok(())
        }
    }
}

/// What to say about each part of Rust that is not installed.
pub(crate) fn missing_rust_components() -> Vec<String> {
    let tools = [("fmt", "rustfmt"), ("clippy", "clippy")];
    let lacks = |tool: &str| {
        !shell::capture(shell::cargo().args([tool, "--version"])).is_ok_and(|o| o.status.success())
    };
    tools
        .into_iter()
        .filter(|(tool, _)| lacks(tool))
        .map(|(tool, component)| {
            format!("missing: `cargo {tool}`; to install: rustup component add {component} (or your distribution's package)")
        })
        .collect()
}
