//! NVIDIA's Cg runtime as an application, unmodified: it compiles our programs for its profiles of
//! assembly, loads them through the vendor library, and must draw the same image as its own GLSL of
//! the same programs on the driver alone. The purpose of a case is described in its file below
//! `programs`.
//!
//! One test per pair of profiles and case, one per pair of profiles for Panda3D. They need the
//! software that `cargo xtask setup` installs: the runtime, Xvfb, Mesa. `GLASM_TEST_CG=off` leaves
//! the list empty: `cargo xtask test` has a separate step for it.

#![cfg_attr(not(target_os = "linux"), allow(unused))]
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stderr, reason = "says why tests are ignored")]

mod panda;
mod panda_runs;
mod picture;
mod profiles;
#[path = "../support/mod.rs"]
mod support;

use glasm_tests::cg;
use libtest_mimic::{Arguments, Failed, Trial};
use picture::ClientImage;
use profiles::{CASES, Case, PAIRS, Pair, REFERENCE};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::{Mutex, OnceLock};
use support::Window;

/// Edge length of the images.
const SIZE: usize = 128;

/// Maximum number of pixels at edges that may differ by more than a step. Profiles compute
/// positions in different orders, so that an edge may run on the other side of a pixel's center.
const MAX_EDGE_PIXELS: usize = 8;

/// An image with fewer colors is considered empty.
const LEAST_COLORS: usize = 8;

/// Says that there is an X server of our own.
const INSIDE: &str = "GLASM_TEST_CG_IN_XVFB";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let off = std::env::var_os("GLASM_TEST_CG").is_some_and(|value| value == "off");
    if off {
        return libtest_mimic::run(&arguments, Vec::new()).exit_code();
    }
    let missing = if arguments.list {
        None
    } else {
        missing_software()
    };
    if let Some(reason) = &missing {
        eprintln!("Cg: {reason}");
    } else if !arguments.list && std::env::var_os(INSIDE).is_none() {
        return run_inside_xvfb();
    } else if !arguments.list {
        // Errors in building it are reported once.
        client();
    }
    let cases = PAIRS.iter().flat_map(|pair| {
        let cases = CASES.iter().filter(|case| pair.has(case));
        cases.map(move |case| {
            let name = format!("{}::{}", pair.name, case.name);
            Trial::test(name, move || compare(pair, case))
        })
    });
    let panda = panda::trials();
    let trials = cases.chain(panda);
    let trials = trials.map(|trial| trial.with_ignored_flag(missing.is_some()));
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// Returns a description of the software that the machine lacks.
fn missing_software() -> Option<String> {
    if cg::libraries().is_none() {
        return Some(format!(
            "the Cg runtime is not in {}",
            cg::folder().display()
        ));
    }
    let lacks = |program: &str| Command::new(program).arg("--help").output().is_err();
    lacks("xvfb-run").then(|| "xvfb-run is not installed".to_owned())
}

/// Continues with an X server, which runs as long as this program.
fn run_inside_xvfb() -> ExitCode {
    let mut command = Command::new("xvfb-run");
    command.args(["--auto-servernum", "--server-args=-screen 0 1280x1024x24"]);
    command.arg(std::env::current_exe().unwrap());
    command.args(std::env::args_os().skip(1));
    let error = command.env(INSIDE, "1").exec();
    eprintln!("xvfb-run: {error}");
    ExitCode::FAILURE
}

/// Output of the client that drew all cases of a pair of profiles.
struct PairOutput {
    folder: PathBuf,
    /// Messages about each case: errors that the client found, and output of the client, the
    /// runtime and the vendor library on standard error.
    messages: BTreeMap<String, String>,
    exit_status: ExitStatus,
}

impl PairOutput {
    /// Returns the image of a case, or its messages as an error.
    fn picture(&self, case: &Case) -> Result<ClientImage, Failed> {
        let told = self
            .messages
            .get(case.name)
            .map_or("", String::as_str)
            .trim();
        if !told.is_empty() {
            return Err(told.into());
        }
        let picture = ClientImage::read(&self.folder.join(format!("{}.pam", case.name)));
        picture
            .ok_or_else(|| format!("no picture; the client ended with {}", self.exit_status).into())
    }
}

/// Returns the path of the client, which is built once.
fn client() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cg");
        let mut sources: Vec<PathBuf> = ["client.c", "client_unix.c"]
            .map(|name| support::folder().join(name))
            .into();
        sources.extend(["run.c", "cases.c", "shapes.c"].map(|name| folder.join(name)));
        let libraries = cg::libraries().unwrap();
        let mut arguments: Vec<OsString> = vec![format!("-DCLIENT_SIZE={SIZE}").into()];
        for (option, value) in [
            ("-L", &libraries),
            ("-Wl,-rpath,", &libraries),
            ("-I", &folder),
        ] {
            let mut argument = OsString::from(option);
            argument.push(value);
            arguments.push(argument);
        }
        arguments.extend(["-lCgGL", "-lCg"].map(OsString::from));
        support::compile_sources("cg", &sources, &arguments).unwrap()
    })
}

/// Draws all cases of a pair, once.
fn draw_once(pair: &'static Pair) -> &'static PairOutput {
    static DRAWN: Mutex<BTreeMap<&str, &OnceLock<PairOutput>>> = Mutex::new(BTreeMap::new());
    let mut all = DRAWN.lock().unwrap_or_else(|it| it.into_inner());
    let one = *all
        .entry(pair.name)
        .or_insert_with(|| Box::leak(Box::default()));
    drop(all);
    one.get_or_init(|| draw_pair(pair))
}

fn draw_pair(pair: &Pair) -> PairOutput {
    let folder = support::test_output_path("cg").join(pair.name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = Command::new(client());
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cg/programs"));
    command.arg(&folder).args(pair.stages());
    command.args(CASES.iter().filter(|it| pair.has(it)).map(|it| it.name));
    support::set_vendor(&mut command, Window::Glx, pair.vendor);
    command.envs(pair.variables.iter().copied());
    let output = command.output().unwrap();
    let mut told = BTreeMap::new();
    for text in [output.stdout, output.stderr] {
        assign_messages(&String::from_utf8_lossy(&text), &mut told);
    }
    PairOutput {
        folder,
        messages: told,
        exit_status: output.status,
    }
}

/// Assigns lines to the cases at whose beginning the client prints their names.
fn assign_messages(text: &str, told: &mut BTreeMap<String, String>) {
    let mut case = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("case ") {
            name.clone_into(&mut case);
        } else {
            let lines = told.entry(case.clone()).or_default();
            lines.push_str(line);
            lines.push('\n');
        }
    }
}

/// Checks that both images are equal, within the limits of [`MAX_EDGE_PIXELS`] and a step of rounding.
fn compare(pair: &'static Pair, case: &Case) -> Result<(), Failed> {
    let reference = draw_once(&REFERENCE).picture(case);
    let reference = reference.map_err(|it| format!("reference: {}", it.message().unwrap_or("")))?;
    let picture = draw_once(pair).picture(case)?;
    let colors = reference.colors();
    if colors < LEAST_COLORS {
        return Err(format!("the reference has {colors} colors only").into());
    }
    let distance = reference.distance(&picture).ok_or("another size")?;
    if std::env::var_os("GLASM_TEST_CG_VERBOSE").is_some() {
        eprintln!("{}::{} {distance:?}", pair.name, case.name);
    }
    if distance.elsewhere > 0 || distance.at_edges > MAX_EDGE_PIXELS {
        let folders = [&draw_once(&REFERENCE).folder, &draw_once(pair).folder];
        return Err(format!("{distance:?}\n{}.pam of {folders:?}", case.name).into());
    }
    Ok(())
}
