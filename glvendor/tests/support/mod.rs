//! Builds the clients, programs in C that draw with OpenGL, and runs them with the vendor library
//! that Cargo has built for the tests.
//!
//! A client gets its commands from EGL or GLX, as applications do, and ends with 0 if all its
//! checks pass, with [`CANNOT_RUN`] if the system has no usable OpenGL.

#![allow(dead_code, reason = "each test takes a part of it")]

mod header;

use glasm_tests::skip::{has_program, skip};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

/// Exit status of clients if the system lacks a requirement; the reason is the last line of their
/// output.
const CANNOT_RUN: i32 = 77;

/// Window system interface of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Window {
    /// EGL without a window system.
    Egl,
    /// GLX on a virtual X server.
    Glx,
}

/// Vendor that draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Vendor {
    /// The library under test, in front of Mesa, which executes the ARB programs that it supports.
    Glasm,
    /// The library under test, which answers for all programs.
    GlasmAlone,
    /// Mesa alone.
    Mesa,
}

/// Returns the directory of the sources of the clients.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/clients")
}

/// Returns the path of a file or directory that tests create.
pub(crate) fn test_output_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Environment variable with the path of a library to test instead of the one that Cargo has built,
/// as for i386. The clients are built with `CC`.
const LIBRARY: &str = "GLASM_TEST_LIBRARY";

/// Is set where that library is built without the feature `text`.
const WITHOUT_TEXT: &str = "GLASM_TEST_WITHOUT_TEXT";

/// Clients that need this feature.
pub(crate) const NEED_TEXT: [&str; 1] = ["beside"];

/// Environment variable with the directory of Mesa's drivers for such clients. Their X server uses
/// its default.
const DRIVERS: &str = "GLASM_TEST_DRI_DIR";

/// Environment variable with the directories of the libraries that such clients load.
const LIBRARIES: &str = "GLASM_TEST_LIBRARY_PATH";

/// Returns the path of the library that Cargo has built: in the directory of the test program, or
/// above it.
fn library() -> PathBuf {
    const NAME: &str = "libglasm_glvendor.so";
    if let Some(given) = std::env::var_os(LIBRARY) {
        return given.into();
    }
    let program = std::env::current_exe().unwrap();
    let mut folders = program.ancestors().skip(1).take(2);
    let found = folders.find(|folder| folder.join(NAME).exists());
    let found = found.unwrap_or_else(|| panic!("{NAME} is not beside {}", program.display()));
    found.join(NAME)
}

/// Returns a directory in which GLVND finds the library; creates it once.
fn prepare_vendor_dir() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = test_output_path(&format!("vendors-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["libEGL_glasm.so.0", "libGLX_glasm.so.0"] {
            let link = folder.join(name);
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(library(), &link).unwrap();
        }
        let manifest =
            r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "libEGL_glasm.so.0"}}"#;
        std::fs::write(folder.join("glasm.json"), manifest).unwrap();
        folder
    })
}

/// Builds a client, once; `None` if there is no compiler.
fn build(name: &str) -> Option<PathBuf> {
    static BUILT: Mutex<Option<HashMap<String, Option<PathBuf>>>> = Mutex::new(None);
    let mut built = BUILT.lock().unwrap_or_else(|it| it.into_inner());
    let built = built.get_or_insert_default();
    built
        .entry(name.to_owned())
        .or_insert_with(|| compile(name))
        .clone()
}

fn compile(name: &str) -> Option<PathBuf> {
    compile_sources(name, &list_sources(name), &[])
}

/// Returns the sources of a client for this system.
fn list_sources(name: &str) -> [PathBuf; 3] {
    ["client", "client_unix", name].map(|it| folder().join(format!("{it}.c")))
}

/// Builds a client of these sources, with more arguments for the compiler; `None` if there is no
/// compiler. Other processes may build and run the same client meanwhile, so each uses a separate
/// directory, and the program appears complete.
pub(crate) fn compile_sources(
    name: &str,
    sources: &[PathBuf],
    arguments: &[OsString],
) -> Option<PathBuf> {
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    if !has_program(&compiler.to_string_lossy()) {
        return None;
    }
    let generated = test_output_path(&format!("client-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&generated).unwrap();
    write_header(&generated, sources);
    let unfinished = generated.join("client");
    let mut command = Command::new(&compiler);
    command
        .args(["-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror"])
        .arg("-I")
        .arg(&generated)
        .arg("-I")
        .arg(folder())
        .args(sources)
        .arg("-o")
        .arg(&unfinished)
        .args(["-pthread", "-ldl", "-lm"])
        .args(arguments);
    let said = command.output().unwrap();
    assert!(
        said.status.success(),
        "{command:?}\n{}",
        String::from_utf8_lossy(&said.stderr)
    );
    let program = test_output_path(&name_client_directory(name, &compiler)).join("client");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::rename(&unfinished, &program).unwrap();
    std::fs::remove_dir_all(&generated).unwrap();
    Some(program)
}

/// Returns the name of the directory of a client. It depends on the compiler: steps for other
/// architectures run the same tests at the same time.
fn name_client_directory(name: &str, compiler: &OsStr) -> String {
    let mut hasher = DefaultHasher::new();
    compiler.hash(&mut hasher);
    format!("client-{name}-{:x}", hasher.finish())
}

/// Writes the header that these sources include, `gl.h`, to a directory.
pub(crate) fn write_header(directory: &Path, sources: &[PathBuf]) {
    let texts = sources
        .iter()
        .map(|it| std::fs::read_to_string(it).unwrap());
    let texts: String = texts.collect();
    std::fs::write(directory.join("gl.h"), header::generate_header(&texts)).unwrap();
}

/// Returns true, and records that the test is skipped, if the library is built without GLSL.
pub(crate) fn lacks_text() -> bool {
    let is_missing = std::env::var_os(WITHOUT_TEXT).is_some();
    if is_missing {
        skip("the library is built without GLSL");
    }
    is_missing
}

/// Runs a client and returns its output; `None` if it cannot run here.
pub(crate) fn run(name: &str, window: Window, vendor: Vendor) -> Option<String> {
    if NEED_TEXT.contains(&name) && lacks_text() {
        return None;
    }
    check_exit(&command(name, window, vendor)?.output().unwrap(), name)
}

/// Runs a client with more variables.
pub(crate) fn run_with(name: &str, window: Window, vendor: Vendor, variables: &[(&str, &str)]) {
    if lacks_text() {
        return;
    }
    if let Some(mut command) = command(name, window, vendor) {
        command.envs(variables.iter().copied());
        check_exit(&command.output().unwrap(), name);
    }
}

/// Runs the client `settings` with a file of rules of the user, and returns its messages. `case` is
/// what the client must find. `None` if it cannot run here.
pub(crate) fn run_with_rules(
    window: Window,
    vendor: Vendor,
    case: &str,
    rules: &str,
    variables: &[(&str, &str)],
) -> Option<String> {
    let mut command = command("settings", window, vendor)?;
    let folder = write_rules(&format!("{case}-{window:?}-{vendor:?}"), rules);
    command.env("CLIENT_CASE", case);
    command.env("XDG_CONFIG_HOME", &folder);
    command.env("XDG_DATA_DIRS", folder.join("nothing"));
    command.envs(variables.iter().copied());
    let ran = command.output().unwrap();
    check_exit(&ran, case)?;
    Some(String::from_utf8_lossy(&ran.stderr).into_owned())
}

/// Writes a file of rules below a new directory and returns the directory.
pub(crate) fn write_rules(name: &str, rules: &str) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    let folder = test_output_path(&format!("rules-{name}-{process}-{number}"));
    std::fs::create_dir_all(folder.join("glasm")).unwrap();
    std::fs::write(folder.join("glasm/applications.toml"), rules).unwrap();
    folder
}

/// Runs a client on GLX as a set-user-ID program of root, started by another user, and returns its
/// output on the standard error stream. `None` if it cannot run.
pub(crate) fn run_privileged(name: &str, variables: &[(&str, &str)]) -> Option<String> {
    use std::os::unix::fs::{PermissionsExt, chown};
    if std::env::var_os(LIBRARY).is_some() || !(has_program("xvfb-run") && has_program("setpriv")) {
        skip("setpriv or xvfb-run is not installed, or the library is given");
        return None;
    }
    // The dynamic linker takes no other paths for such programs.
    let path = format!(
        "-Wl,--disable-new-dtags,-rpath,{}",
        prepare_vendor_dir().display()
    );
    let sources = list_sources(name);
    let program = compile_sources(&format!("{name}-privileged"), &sources, &[path.into()])?;
    if chown(&program, Some(0), None).is_err() {
        skip("only root makes set-user-ID programs of root");
        return None;
    }
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o4755)).unwrap();
    let mut command = Command::new("xvfb-run");
    command.args([
        "--auto-servernum",
        "--server-args=-ac",
        "setpriv",
        "--reuid=65534",
    ]);
    command.arg("--clear-groups").arg(&program);
    set_vendor(&mut command, Window::Glx, Vendor::Glasm);
    command
        .env("CLIENT_PRIVILEGED", "1")
        .envs(variables.iter().copied());
    let ran = command.output().unwrap();
    let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
    if errors.contains("Permission denied") {
        skip("other users do not reach the folder of the tests");
        return None;
    }
    // The client ends so where the vendor is not found, too.
    if !errors.contains("glasm:") {
        check_exit(&ran, name)?;
    }
    Some(errors)
}

/// Runs a client on EGL in valgrind, and fails if this library uses memory that it must not.
pub(crate) fn run_in_valgrind(name: &str) {
    if std::env::var_os(LIBRARY).is_some() || !has_program("valgrind") {
        return skip("valgrind is not installed, or the library is given");
    }
    let Some(client) = command(name, Window::Egl, Vendor::Glasm) else {
        return;
    };
    let reports = test_output_path(&format!("valgrind-{name}.xml"));
    let mut valgrind = Command::new("valgrind");
    valgrind.args([
        "--quiet",
        "--leak-check=no",
        "--num-callers=40",
        "--xml=yes",
    ]);
    let mut file = OsString::from("--xml-file=");
    file.push(&reports);
    valgrind.arg(file).arg("--").arg(build(name).unwrap());
    for (variable, value) in client.get_envs() {
        match value {
            Some(value) => valgrind.env(variable, value),
            None => valgrind.env_remove(variable),
        };
    }
    // It is some fifty times slower.
    valgrind.env("CLIENT_SECONDS", "550");
    valgrind.env("CLIENT_VALGRIND", "1");
    check_exit(&valgrind.output().unwrap(), name);
    let reports = std::fs::read_to_string(reports).unwrap();
    let ours: Vec<&str> = reports
        .split("<error>")
        .skip(1)
        .filter(|it| is_library_report(it))
        .collect();
    assert!(
        ours.is_empty(),
        "{name}: {} reports, of which the first is\n{}",
        ours.len(),
        ours[0]
    );
}

/// Returns true if a report is about an access of this library: determined by its first frame
/// outside of the C library and valgrind, which implement copies. Memory that lives as long as the
/// process is reported as lost if only interior pointers refer to it.
fn is_library_report(report: &str) -> bool {
    if report.contains("<kind>Leak_") {
        return false;
    }
    let objects = report.split("<obj>").skip(1);
    let mut objects = objects.filter_map(|it| it.split_once("</obj>").map(|it| it.0));
    let others = ["/libc.so", "/vgpreload", "/ld-linux", "/libpthread"];
    let first = objects.find(|object| !others.iter().any(|it| object.contains(it)));
    first.is_some_and(|object| object.contains("glasm_glvendor"))
}

/// Returns the output of a client if there is no driver of a name: it finds another one, or no
/// OpenGL. `None` if clients cannot run here.
pub(crate) fn run_without_driver(name: &str, window: Window, driver: &str) -> Option<String> {
    run(name, window, Vendor::Glasm)?;
    let mut command = command(name, window, Vendor::Glasm)?;
    let ran = command.env("GLASM_DRIVER", driver).output().unwrap();
    let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
    let is_well = matches!(ran.status.code(), Some(0 | CANNOT_RUN));
    assert!(is_well, "{}\n{errors}", ran.status);
    Some(errors)
}

fn command(name: &str, window: Window, vendor: Vendor) -> Option<Command> {
    let program = build(name)?;
    let mut command = match window {
        Window::Egl => Command::new("env"),
        Window::Glx if !has_program("xvfb-run") => return None,
        Window::Glx => {
            let mut command = Command::new("xvfb-run");
            command.args(["--auto-servernum", "env"]);
            command
        }
    };
    if let Some(folder) = std::env::var_os(DRIVERS) {
        let mut setting = OsString::from("LIBGL_DRIVERS_PATH=");
        setting.push(folder);
        command.arg(setting);
    }
    command.arg(program);
    set_vendor(&mut command, window, vendor);
    Some(command)
}

/// Sets what decides which vendor draws.
pub(crate) fn set_vendor(command: &mut Command, window: Window, vendor: Vendor) {
    for row in glasm_settings::SETTINGS {
        command.env_remove(row.variable);
    }
    command.env_remove("MESA_LOADER_DRIVER_OVERRIDE");
    // Neither rules of this user nor of this system apply.
    command.env_remove(glasm_settings::rules::SHIPPED_VARIABLE);
    command.env("XDG_CONFIG_HOME", test_output_path("no-rules"));
    command.env("XDG_DATA_DIRS", test_output_path("no-rules"));
    command.env("CLIENT_WINDOW", format!("{window:?}"));
    command.env("LIBGL_ALWAYS_SOFTWARE", "1");
    // A run path of the client does not reach libraries that libraries with a separate run path
    // load, as LLVM's is.
    let others = [LIBRARIES, "LD_LIBRARY_PATH"].map(std::env::var_os);
    let own = (vendor != Vendor::Mesa).then(|| OsString::from(prepare_vendor_dir()));
    let lists: Vec<OsString> = own
        .into_iter()
        .chain(others.into_iter().flatten())
        .collect();
    command.env("LD_LIBRARY_PATH", lists.join(OsStr::new(":")));
    match vendor {
        Vendor::Mesa => {
            command.env("__GLX_VENDOR_LIBRARY_NAME", "mesa");
            command.env_remove("__EGL_VENDOR_LIBRARY_FILENAMES");
        }
        Vendor::Glasm | Vendor::GlasmAlone => {
            if vendor == Vendor::GlasmAlone {
                command.env("GLASM_COMPILE_ARB_PROGRAMS", "1");
            }
            command.env("__GLX_VENDOR_LIBRARY_NAME", "glasm");
            command.env(
                "__EGL_VENDOR_LIBRARY_FILENAMES",
                prepare_vendor_dir().join("glasm.json"),
            );
        }
    }
}

fn check_exit(ran: &Output, name: &str) -> Option<String> {
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let errors = String::from_utf8_lossy(&ran.stderr);
    if ran.status.code() == Some(CANNOT_RUN) {
        skip(
            errors
                .trim()
                .lines()
                .last()
                .unwrap_or("the client cannot run here"),
        );
        return None;
    }
    assert!(
        ran.status.success(),
        "{name}: {}\n{said}{errors}",
        ran.status
    );
    Some(said)
}
