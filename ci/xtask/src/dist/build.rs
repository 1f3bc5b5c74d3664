//! Builds of the binaries for an old version of glibc, stripped, with their debug information in
//! separate files.

use super::release::Release;
use crate::downloads::Download;
use crate::{cross, i386, web, workspace_build};
use anyhow::{Context as _, Result};
use glasm_ci_support::shell;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Version of glibc that binaries require.
pub(super) const GLIBC: &str = "2.28";

/// Rust's names of the targets for 64 and 32 bits.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", cross::LINUX_32];

/// Shared object name of the C interface.
pub(super) const SONAME: &str = "libglasm.so.0";

/// Variable that gives it to the build script of the C interface.
const NAME_VARIABLE: &str = "GLASM_CAPI_SONAME";

/// Shared object name of the vendor library, by which GLVND finds it for GLX. Its build script sets
/// it.
pub(super) const VENDOR_SONAME: &str = "libGLX_glasm.so.0";

/// File name of the vendor library as Cargo builds it.
const VENDOR_FILE: &str = "libglasm_glvendor.so";

/// Linker and C++ compiler for old versions of glibc, in a package of Python.
const ZIG: Download<'_> = Download {
    source: "pip3 download --quiet --no-deps",
    packages: "ziglang==0.17.1",
    sha256: "ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54",
    paths: "",
};

/// Cargo's interface to it.
const ZIGBUILD: Download<'_> = Download {
    source: "pip3 download --quiet --no-deps",
    packages: "cargo-zigbuild==0.24.1",
    sha256: "238a1ab54a95053a4eadc34775c81f795a8ad75f80bfed63f3f445f518102375",
    paths: "",
};

/// Flags of clang for C++. Many functions of SPIRV-Cross are instances of templates with equal code,
/// which clang merges only with this flag, and the linker of zig not at all.
const MERGE_FUNCTIONS: [&str; 2] = ["-Xclang", "-fmerge-functions"];

/// Stripped binaries, and directories of their debug information.
pub(super) struct Builds {
    /// The command.
    pub(super) command: PathBuf,
    /// The vendor libraries for 64 and 32 bits.
    pub(super) vendor_libraries: [PathBuf; 2],
    /// The shared and the static library of the C interface.
    pub(super) c_libraries: [PathBuf; 2],
    /// Directory of the debug information, with a file for each binary.
    pub(super) debug_directory: PathBuf,
    /// The command as it runs on this machine, which prints its manual pages and completions.
    pub(super) runnable_command: PathBuf,
    /// Directory of the files of the playground, if it was built.
    pub(super) playground: Option<PathBuf>,
    /// Debian's dependencies of the binaries.
    pub(super) dependencies: String,
    /// Directory of zig, if its C++ library is part of binaries.
    pub(super) zig_directory: Option<PathBuf>,
}

/// Binaries as Cargo builds them, with their debug information.
struct UnstrippedBinaries {
    command: PathBuf,
    vendor_libraries: [PathBuf; 2],
    shared_c_library: PathBuf,
    static_c_library: PathBuf,
}

impl Builds {
    /// Builds everything for an old version of glibc, with a profile of Cargo. Downloads the tools
    /// first. The files of the playground are in a directory.
    pub(super) fn create(
        profile: &str,
        release: &Release,
        playground: Option<&Path>,
    ) -> Result<Self> {
        let directory = std::path::absolute(shell::below_target("dist"))?;
        let tools = Tools::download(&directory)?;
        let binaries = build_with_zig(&tools, profile, release, &directory)?;
        let dependencies = format!("libc6 (>= {GLIBC})");
        let zig = directory.join("zig/ziglang");
        let builds = Self::strip(&binaries, &directory, dependencies, Some(zig))?;
        Ok(Self {
            playground: playground.map(Path::to_owned),
            ..builds
        })
    }

    /// Builds everything unoptimized with the linker of this machine, whose version of glibc the
    /// binaries require: tests of packages do without downloads, and share builds with other tests.
    pub(super) fn create_with_system_linker() -> Result<Self> {
        let directory = std::path::absolute(shell::below_target("packages"))?;
        let binaries = build_with_system_linker()?;
        let mut getconf = Command::new("getconf");
        let glibc = shell::read_output(getconf.arg("GNU_LIBC_VERSION"))?;
        let version = glibc.rsplit(' ').next().unwrap_or_default();
        let dependencies = format!("libc6 (>= {version}), libgcc-s1, libstdc++6");
        let builds = Self::strip(&binaries, &directory, dependencies, None)?;
        let playground = web::find_site();
        Ok(Self {
            playground,
            ..builds
        })
    }

    /// Moves the debug information of binaries to files below the directory.
    fn strip(
        binaries: &UnstrippedBinaries,
        directory: &Path,
        dependencies: String,
        zig_directory: Option<PathBuf>,
    ) -> Result<Self> {
        let stripped = directory.join("stripped");
        let debug_directory = directory.join("debug-information");
        shell::create_empty_dir(&stripped)?;
        shell::create_empty_dir(&debug_directory)?;
        let [wide, narrow] = TARGETS;
        let strip = |target: &str, binary: &Path, name: &str| {
            let stripped = stripped.join(target).join(name);
            let debug = debug_directory.join(target).join(format!("{name}.debug"));
            strip_binary(binary, &stripped, &debug).map(|()| stripped)
        };
        let [vendor_64_bit, vendor_32_bit] = &binaries.vendor_libraries;
        Ok(Self {
            command: strip(wide, &binaries.command, "glasm")?,
            vendor_libraries: [
                strip(wide, vendor_64_bit, VENDOR_FILE)?,
                strip(narrow, vendor_32_bit, VENDOR_FILE)?,
            ],
            c_libraries: [
                strip(wide, &binaries.shared_c_library, SONAME)?,
                strip_archive(&binaries.static_c_library, &stripped.join("libglasm.a"))?,
            ],
            runnable_command: binaries.command.clone(),
            debug_directory,
            playground: None,
            dependencies,
            zig_directory,
        })
    }

    /// Returns the paths of all stripped binaries.
    pub(super) fn binaries(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.command)
            .chain(&self.vendor_libraries)
            .chain(&self.c_libraries)
            .map(PathBuf::as_path)
    }
}

/// Builds everything below a directory with zig as linker and C++ compiler.
fn build_with_zig(
    tools: &Tools,
    profile: &str,
    release: &Release,
    directory: &Path,
) -> Result<UnstrippedBinaries> {
    let [wide, narrow] = TARGETS;
    let command =
        |subcommand, target| tools.command(subcommand, target, profile, release, directory);
    let mut build = command("zigbuild", wide)?;
    build.args(["-p", "glasm-cli"]);
    shell::run_checked(&mut build)?;
    let vendor_library = ["-p", "glasm-glvendor", "--lib"];
    shell::run_checked(command("zigbuild", wide)?.args(vendor_library))?;
    build_c_library(&mut command("rustc", wide)?)?;
    build_static_c_library(&mut command("rustc", wide)?)?;
    shell::run_checked(command("zigbuild", narrow)?.args(vendor_library))?;
    let built = |target: &str, name: &str| {
        let output = directory.join(target);
        output
            .join(cross::name_profile_directory(profile))
            .join(name)
    };
    Ok(UnstrippedBinaries {
        command: built(wide, "glasm"),
        vendor_libraries: TARGETS.map(|target| built(target, VENDOR_FILE)),
        shared_c_library: built(wide, "libglasm_capi.so"),
        static_c_library: built(wide, "libglasm_capi.a"),
    })
}

/// Builds everything as the tests do, so that hardly anything is built again after them.
fn build_with_system_linker() -> Result<UnstrippedBinaries> {
    workspace_build::build_workspace()?;
    // The static library has the C++ of the shared one.
    let mut build = workspace_build::build_command();
    build.args(["--features", "glasm-capi/spirv-cross"]);
    shell::run_checked(build.env(NAME_VARIABLE, SONAME))?;
    let debug = std::path::absolute(shell::below_target("debug"))?;
    Ok(UnstrippedBinaries {
        command: debug.join("glasm"),
        vendor_libraries: [debug.join(VENDOR_FILE), i386::build_vendor_library()?],
        shared_c_library: debug.join("libglasm_capi.so"),
        static_c_library: debug.join("libglasm_capi.a"),
    })
}

/// Completes and runs a command of `cargo rustc` that builds the shared library of the C interface
/// with all shading languages.
fn build_c_library(rustc: &mut Command) -> Result<()> {
    rustc.args(["-p", "glasm-capi", "--features", "spirv-cross"]);
    rustc.args(["--lib", "--crate-type", "cdylib"]);
    shell::run_checked(rustc.env(NAME_VARIABLE, SONAME))
}

/// Completes and runs a command of `cargo rustc` that builds the static library of the C interface.
/// It has no C++, whose library users would have to link.
fn build_static_c_library(rustc: &mut Command) -> Result<()> {
    rustc.args(["-p", "glasm-capi"]);
    shell::run_checked(rustc.args(["--lib", "--crate-type", "staticlib"]))
}

/// Downloaded tools.
struct Tools {
    zig: PathBuf,
    zigbuild: PathBuf,
}

impl Tools {
    /// Downloads zig and cargo-zigbuild, unless that was done.
    fn download(directory: &Path) -> Result<Self> {
        let [zig, zigbuild] = ["zig", "cargo-zigbuild"].map(|name| directory.join(name));
        ZIG.fetch(&zig)?;
        ZIGBUILD.fetch(&zigbuild)?;
        let version = ZIGBUILD.packages.rsplit('=').next().unwrap_or_default();
        let scripts = format!("cargo_zigbuild-{version}.data/scripts");
        let tools = Self {
            zig: zig.join("ziglang/zig"),
            zigbuild: zigbuild.join(scripts).join("cargo-zigbuild"),
        };
        // Archives of Python do not store that files are programs.
        let mut chmod = Command::new("chmod");
        shell::run_checked(chmod.arg("+x").args([&tools.zig, &tools.zigbuild]))?;
        Ok(tools)
    }

    /// Returns a command of cargo-zigbuild for a target. No path of this machine gets into the
    /// output.
    fn command(
        &self,
        subcommand: &str,
        target: &str,
        profile: &str,
        release: &Release,
        directory: &Path,
    ) -> Result<Command> {
        let mut command = Command::new(&self.zigbuild);
        command.args([subcommand, "--locked", "--profile", profile]);
        command.arg("--target").arg(format!("{target}.{GLIBC}"));
        command.arg("--target-dir").arg(directory);
        command.env("CARGO_ZIGBUILD_ZIG_PATH", &self.zig);
        command.env("SOURCE_DATE_EPOCH", release.epoch.to_string());
        let paths = [
            (std::env::current_dir()?, "/glasm"),
            (cargo_home()?, "/cargo"),
        ];
        set_path_names(&mut command, &paths, &[], &MERGE_FUNCTIONS);
        command.env("CCC_OVERRIDE_OPTIONS", format_clang_edits(&paths[0]));
        // The libraries of zig that other builds compiled contain other paths.
        command.env("ZIG_GLOBAL_CACHE_DIR", directory.join("zig-cache"));
        Ok(command)
    }
}

/// Returns the changes that clang makes to all of its arguments: a name replaces a path. zig compiles
/// the libraries of C and C++ with debug information, and with none of the flags of the build.
fn format_clang_edits((path, name): &(PathBuf, &str)) -> OsString {
    // Without the mark, clang would print each change.
    let mut edits = OsString::from("# +-ffile-prefix-map=");
    edits.push(path);
    edits.push(format!("={name}"));
    edits
}

/// Sets the flags of the compilers for a build whose files must not depend on this machine: they
/// contain a name instead of each path. `rust_flags` and `cxx_flags` are further flags of Rust and of
/// C++.
pub(super) fn set_path_names(
    command: &mut Command,
    paths: &[(PathBuf, &str)],
    rust_flags: &[&str],
    cxx_flags: &[&str],
) {
    let mut rust_flags: Vec<OsString> = rust_flags.iter().map(OsString::from).collect();
    let mut c_flags = Vec::new();
    for (path, name) in paths {
        for (flags, option) in [
            (&mut rust_flags, "--remap-path-prefix="),
            (&mut c_flags, "-ffile-prefix-map="),
        ] {
            let mut flag = OsString::from(option);
            flag.push(path);
            flag.push(format!("={name}"));
            flags.push(flag);
        }
    }
    // Flags of Rust are separated by a control character, so that paths may have spaces.
    command.env(
        "CARGO_ENCODED_RUSTFLAGS",
        rust_flags.join(OsStr::new("\u{1f}")),
    );
    command.env("CFLAGS", c_flags.join(OsStr::new(" ")));
    c_flags.extend(cxx_flags.iter().map(OsString::from));
    command.env("CXXFLAGS", c_flags.join(OsStr::new(" ")));
}

/// Returns the directory of Cargo's registry.
pub(super) fn cargo_home() -> Result<PathBuf> {
    if let Some(home) = std::env::var_os("CARGO_HOME") {
        return Ok(home.into());
    }
    let home = std::env::home_dir().context("the home directory is unknown")?;
    Ok(home.join(".cargo"))
}

/// Moves the debug information of a binary to the file `debug`, which the stripped copy `stripped`
/// names.
fn strip_binary(binary: &Path, stripped: &Path, debug: &Path) -> Result<()> {
    for path in [stripped, debug] {
        shell::create_dir(path.parent().unwrap_or(Path::new(".")))?;
    }
    let objcopy = || Command::new("objcopy");
    shell::run_checked(objcopy().arg("--only-keep-debug").args([binary, debug]))?;
    let mut link = OsString::from("--add-gnu-debuglink=");
    link.push(debug);
    shell::run_checked(
        objcopy()
            .arg("--strip-all")
            .arg(link)
            .args([binary, stripped]),
    )
}

/// Removes the debug information of a static library, and returns the path of the copy.
fn strip_archive(library: &Path, stripped: &Path) -> Result<PathBuf> {
    let mut strip = Command::new("objcopy");
    strip.args(["--strip-debug", "--enable-deterministic-archives"]);
    shell::run_checked(strip.args([library, stripped]))?;
    Ok(stripped.to_owned())
}
