//! Programs of Windows in Wine, with the library as `opengl32.dll` in their directory: the clients
//! that do not depend on another window system, and those of `tests/windows`, whose cases concern
//! WGL and the library itself.
//!
//! The tests run where [`LIBRARY`] names the library: `cargo xtask test --only windows` sets it.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "windows/cg.rs"]
mod cg;
#[path = "windows/panda.rs"]
mod panda;
#[path = "cg/panda_runs.rs"]
mod panda_runs;
#[path = "cg/picture.rs"]
mod picture;
#[path = "cg/profiles.rs"]
mod profiles;
mod support;

use glasm_tests::skip::skip;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use support::Vendor;

/// Environment variable with the path of the DLL.
const LIBRARY: &str = "GLASM_TEST_WINDOWS_LIBRARY";

/// Environment variable with the prefix of the names of the tools of MinGW-w64.
const TOOLS: &str = "GLASM_TEST_WINDOWS_TOOLS";

/// Environment variable with the path of Wine. Variables of Wine set its prefix, and `DISPLAY` its X
/// server.
const WINE: &str = "GLASM_TEST_WINE";

/// Environment variable with the directory of the Python package of Panda3D for Windows, which
/// contains NVIDIA's Cg runtime.
const PANDA3D: &str = "GLASM_TEST_WINDOWS_CG";

/// Time limit in seconds of a program that hangs.
const SECONDS: &str = "170";

/// Exit status of clients if the system lacks a requirement.
const CANNOT_RUN: i32 = 77;

/// Library that a program uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Library {
    /// The library under test, which gives the driver SPIR-V.
    Glasm,
    /// The library under test, which gives the driver GLSL.
    GlasmWithGlsl,
    /// The system's.
    System,
}

/// Tools and libraries of a run.
struct Setup {
    library: PathBuf,
    tools: String,
    wine: OsString,
}

/// Returns the tools and libraries; `None` if the step of xtask has not set them.
fn find_setup() -> Option<Setup> {
    let variables = [LIBRARY, TOOLS, WINE].map(std::env::var_os);
    let [Some(library), Some(tools), Some(wine)] = variables else {
        skip("no DLL: run `cargo xtask test --only windows`");
        return None;
    };
    Some(Setup {
        library: library.into(),
        tools: tools.into_string().unwrap(),
        wine,
    })
}

/// Returns the directory of the package of Panda3D; `None` if the step of xtask has not set it.
fn find_panda3d() -> Option<PathBuf> {
    let found = std::env::var_os(PANDA3D).map(PathBuf::from);
    if found.is_none() {
        skip("no Cg runtime for Windows");
    }
    found
}

/// Returns the library that an application of a vendor has.
fn library_of(vendor: Vendor) -> Library {
    match vendor {
        Vendor::Mesa => Library::System,
        Vendor::Glasm | Vendor::GlasmAlone => Library::Glasm,
    }
}

impl Setup {
    /// Returns a directory for a program, in which it finds the library.
    fn create_directory(&self, name: &str) -> PathBuf {
        let directory = support::test_output_path(&format!("windows-{}{name}", self.tools));
        std::fs::create_dir_all(&directory).unwrap();
        let links = [
            ("opengl32.dll", &self.library),
            ("bcryptprimitives.dll", self.random_library()),
        ];
        for (name, target) in links {
            let link = directory.join(name);
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(target, link).unwrap();
        }
        directory
    }

    /// Returns the path of the library with random numbers, which Wine 8 lacks and Windows has; it
    /// is built once.
    fn random_library(&self) -> &'static PathBuf {
        static BUILT: OnceLock<PathBuf> = OnceLock::new();
        BUILT.get_or_init(|| {
            let name = format!("bcryptprimitives-{}{}.dll", self.tools, std::process::id());
            let path = support::test_output_path(&name);
            let source = windows_folder().join("bcryptprimitives.c");
            self.compile(
                &path,
                &[source],
                &["-shared", "-Wl,--kill-at"],
                &["advapi32"],
            );
            path
        })
    }

    /// Compiles sources in C to a program or library.
    fn compile(&self, path: &Path, sources: &[PathBuf], arguments: &[&str], libraries: &[&str]) {
        let directory = path.parent().unwrap();
        let mut command = Command::new(format!("{}gcc", self.tools));
        command.args([
            "-std=gnu11",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-static",
        ]);
        command.args(["-D__USE_MINGW_ANSI_STDIO=1", "-pthread"]);
        command
            .arg("-I")
            .arg(directory)
            .arg("-I")
            .arg(support::folder());
        command.args(arguments).arg("-o").arg(path).args(sources);
        command.args(libraries.iter().map(|it| format!("-l{it}")));
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}\n{errors}");
    }

    /// Runs a program in its directory.
    fn run(&self, program: &Path, arguments: &[&str], library: Library) -> Output {
        self.prepare(program, arguments, library).output().unwrap()
    }

    /// Returns the command that runs a program in its directory.
    fn prepare(&self, program: &Path, arguments: &[&str], library: Library) -> Command {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", SECONDS]);
        command.arg(&self.wine).arg(program.file_name().unwrap());
        command
            .args(arguments)
            .current_dir(program.parent().unwrap());
        let overrides = match library {
            Library::Glasm | Library::GlasmWithGlsl => "opengl32,bcryptprimitives=n,b",
            Library::System => "opengl32=b",
        };
        command.env("WINEDLLOVERRIDES", format!("mscoree,mshtml=;{overrides}"));
        command
            .env("WINEDEBUG", "-all")
            .env("LIBGL_ALWAYS_SOFTWARE", "1");
        for variable in [
            "GLASM_LOG",
            "GLASM_GLSL_VERSION",
            "GLASM_COMPILE_ARB_PROGRAMS",
        ] {
            command.env_remove(variable);
        }
        if library == Library::GlasmWithGlsl {
            command.env("GLASM_GLSL_VERSION", "1");
        }
        command
    }
}

/// Returns the directory of programs about Windows alone.
fn windows_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/windows")
}

/// Returns the output of a program, without carriage returns. Fails if the program failed.
fn check_output(name: &str, output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    let errors = String::from_utf8_lossy(&output.stderr);
    let is_success = output.status.success() && !text.lines().any(|it| it.starts_with("FAIL "));
    assert!(is_success, "{name}: {}\n{text}{errors}", output.status);
    text
}

/// Builds a client of `tests/clients`, runs it and returns its output; `None` if the tests do not
/// run here.
fn run_client(name: &str, library: Library) -> Option<String> {
    let setup = find_setup()?;
    if support::NEED_TEXT.contains(&name) && support::lacks_text() {
        return None;
    }
    let directory = setup.create_directory(&format!("{name}-{library:?}"));
    let sources = ["client", "client_windows", name];
    let sources = sources.map(|it| support::folder().join(format!("{it}.c")));
    support::write_header(&directory, &sources);
    let program = directory.join("client.exe");
    setup.compile(&program, &sources, &[], &["gdi32"]);
    let output = setup.run(&program, &[], library);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_ne!(output.status.code(), Some(CANNOT_RUN), "{name}: {errors}");
    Some(check_output(name, &output))
}

/// Builds a program of a directory of tests, runs it with an argument and returns its output;
/// `None` if the tests do not run here.
fn run_program(
    source: &Path,
    argument: &str,
    libraries: &[&str],
    library: Library,
) -> Option<String> {
    let setup = find_setup()?;
    let name = source.file_stem().and_then(OsStr::to_str).unwrap();
    let directory = setup.create_directory(&format!("{name}-{argument}-{library:?}"));
    let program = directory.join(format!("{name}.exe"));
    setup.compile(&program, &[source.to_owned()], &[], libraries);
    let arguments = if argument.is_empty() {
        &[][..]
    } else {
        &[argument][..]
    };
    Some(check_output(name, &setup.run(&program, arguments, library)))
}

/// Libraries that `library.c` needs.
const GROUP_LIBRARIES: &[&str] = &["gdi32", "psapi"];

/// Runs a group of cases of `library.c`.
fn run_group(group: &str, library: Library) -> Option<String> {
    run_program(
        &windows_folder().join("library.c"),
        group,
        GROUP_LIBRARIES,
        library,
    )
}

macro_rules! clients {
    ($($name:ident),* $(,)?) => {
        mod clients {
            $(#[test] fn $name() { super::run_client(stringify!($name), super::Library::Glasm); })*
        }
    };
}

// All but those that concern GLX (`legacy`, `owners`), processes of Unix (`exits`, `lifetimes`) or
// what Mesa does in callbacks (`callbacks`).
clients! {
    arguments,
    arrays,
    attributes,
    beside,
    clamps,
    combiners,
    command_limits,
    texture_shaders,
    compute,
    draws,
    errors,
    errors_nv,
    evaluators,
    fixed,
    hints,
    limits,
    lists,
    materials,
    modes,
    names,
    occlusion,
    parameters,
    pixels,
    quads,
    queries,
    races,
    ranges,
    raster,
    shaders,
    stacks,
    textures,
    threads,
}

macro_rules! cg_pairs {
    ($($name:ident),* $(,)?) => {
        mod cg_pairs {
            $(#[test] fn $name() { super::cg::test_pair(stringify!($name)); })*
        }

        #[test]
        fn all_pairs_of_profiles_are_compared() {
            let names = [$(stringify!($name)),*];
            assert!(profiles::PAIRS.iter().map(|it| it.name).eq(names));
        }
    };
}

cg_pairs! { arb, arb_alone, fp20, vp20, vp30, vp40, gp4, gp5, gp5_text }

#[test]
fn panda3d_draws_a_shader_of_cg() {
    panda::test_runs();
}

/// Runs a program that is linked with the import library.
fn run_linked_program(library: Library) {
    let source = windows_folder().with_file_name("wine").join("wgl.c");
    run_program(&source, "", &["opengl32", "gdi32"], library);
}

#[test]
fn programs_of_four_languages_draw() {
    run_linked_program(Library::Glasm);
}

#[test]
fn programs_of_four_languages_draw_as_glsl() {
    if !support::lacks_text() {
        run_linked_program(Library::GlasmWithGlsl);
    }
}

/// Tests that an application without programs draws what it draws with the system's library.
#[test]
fn nothing_changes_without_programs() {
    let [ours, theirs] = [Library::Glasm, Library::System].map(|it| run_client("plain", it));
    assert_eq!(ours, theirs);
}

/// Tests that the exported names are those of the import library of MinGW-w64, without decorations,
/// and that ordinals follow the order of the names, as in the library of Windows.
#[test]
fn exports_are_those_of_the_import_library() {
    let Some(setup) = find_setup() else { return };
    let run = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{command:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let mut find = Command::new(format!("{}gcc", setup.tools));
    let path = run(find.arg("-print-file-name=libopengl32.a"));
    let symbols = run(Command::new(format!("{}nm", setup.tools)).arg(path.trim()));
    let names = symbols
        .lines()
        .filter_map(|line| line.split_once(" T "))
        .map(|(_, name)| match name.split_once('@') {
            Some((name, _)) => name.trim_start_matches('_'),
            None => name,
        });
    let mut expected: Vec<&str> = names.collect();
    expected.sort_unstable();
    let table = run(Command::new(format!("{}objdump", setup.tools))
        .arg("-p")
        .arg(&setup.library));
    let (_, table) = table.split_once("[Ordinal/Name Pointer] Table\n").unwrap();
    let rows = table.lines().take_while(|line| line.contains(']'));
    let found: Vec<&str> = rows.map(|row| row.rsplit(' ').next().unwrap()).collect();
    assert_eq!(found.len(), 368);
    assert_eq!(found, expected);
}

#[test]
fn variables_with_invalid_values_are_reported() {
    let Some(setup) = find_setup() else { return };
    let directory = setup.create_directory("variables");
    let program = directory.join("library.exe");
    let source = windows_folder().join("library.c");
    setup.compile(&program, &[source], &[], GROUP_LIBRARIES);
    let mut command = setup.prepare(&program, &["lookup"], Library::Glasm);
    let output = command.env("GLASM_NEWEST_PROFILE", "gp6").output().unwrap();
    check_output("variables", &output);
    let errors = String::from_utf8_lossy(&output.stderr);
    let message = "glasm: GLASM_NEWEST_PROFILE: `gp6` is none of arbvp1, arbfp1, vp20,";
    assert_eq!(errors.matches(message).count(), 1, "{errors}");
}

#[test]
fn the_library_exports_what_the_system_exports() {
    run_group("exports", Library::Glasm);
}

#[test]
fn closing_the_library_loses_nothing() {
    run_group("unload", Library::Glasm);
}

#[test]
fn commands_are_found_with_a_context() {
    run_group("lookup", Library::Glasm);
}

#[test]
fn contexts_have_attributes() {
    run_group("attributes", Library::Glasm);
}

#[test]
fn contexts_share_and_copy() {
    run_group("sharing", Library::Glasm);
}

#[test]
fn characters_are_lists() {
    run_group("fonts", Library::Glasm);
}

/// Tests that a thousand contexts with a hundred programs each take no more memory than those of the
/// system alone, except for a few bytes each.
#[test]
fn contexts_leave_nothing() {
    const KIBIBYTES: i64 = 4096;
    let read = |text: String| {
        let line = text.lines().find_map(|line| line.strip_prefix("growth "));
        let number = line.and_then(|it| it.split(' ').next()?.parse::<i64>().ok());
        number.unwrap()
    };
    let ours = run_group("growth", Library::Glasm).map(read);
    let theirs = run_group("reference-growth", Library::System).map(read);
    if let (Some(ours), Some(theirs)) = (ours, theirs) {
        assert!(
            ours <= theirs.max(0) + KIBIBYTES,
            "{ours} KiB, {theirs} KiB"
        );
    }
}
