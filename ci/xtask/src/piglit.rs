//! `cargo xtask piglit`: verdicts of glasm compared with those of piglit's tests of the ARB
//! languages.
//!
//! Programs of `tests/asmparsertest` state in a comment if they must load; scripts with programs of
//! these languages must pass. Both are compared twice: with the acceptance for shipped programs,
//! and strictly. Intentional differences are in a table with the deciding section of the
//! specification.

use crate::{suite, workspace_build};
use anyhow::{Context, Result, bail};
use glasm_ci_support::report::{self, Outcome, ScriptResult};
use glasm_ci_support::{shell, vulkan};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;

const HELP: &str = "\
Loads every program of tests/asmparsertest, runs every script with a vertex or fragment program on
lavapipe, and prints where our verdict differs from piglit's. Differences that a specification
decides are listed in tests/acceptance/piglit.tsv.";

/// `cargo xtask piglit`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Options {
    /// Directory of a piglit checkout
    #[arg(value_name = "CHECKOUT", value_parser = |path: &str| std::path::absolute(path))]
    checkout: PathBuf,
}

/// Output directory of converted programs and the report.
static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("piglit"));

/// Path below the checkout, way of loading, deciding section and reason.
const KNOWN: &str = "tests/acceptance/piglit.tsv";

/// Programs that only load or do not.
const PROGRAMS: &str = "tests/asmparsertest/shaders";

/// Acceptance of programs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AcceptanceMode {
    /// Violations that shipped programs contain are warnings.
    Shipped,
    /// Violations are errors.
    Strict,
}

impl AcceptanceMode {
    /// Returns the name of the mode in the table of known differences.
    const fn name(self) -> &'static str {
        match self {
            Self::Shipped => "shipped",
            Self::Strict => "strict",
        }
    }
}

/// File of piglit and its result.
struct Case {
    /// Below the checkout.
    path: String,
    outcome: Outcome,
    /// Description of the error or the missing requirement.
    detail: String,
}

/// Cases that a table lists as decided otherwise.
struct KnownDifferences(BTreeMap<String, String>);

impl KnownDifferences {
    /// Reads the known differences of a mode: reasons by path of the program.
    fn read(mode: AcceptanceMode) -> Result<Self> {
        let text = std::fs::read_to_string(KNOWN).with_context(|| format!("reading {KNOWN}"))?;
        let row = |line: &str| {
            let (path, rest) = line.split_once('\t')?;
            let (of, why) = rest.split_once('\t')?;
            (of == mode.name()).then(|| (path.to_owned(), why.replace('\t', ": ")))
        };
        Ok(Self(text.lines().skip(1).filter_map(row).collect()))
    }
}

/// Compares with the piglit checkout and prints a table. Fails if a verdict differs and is not in
/// the table of known differences, or if a known difference does not occur any more.
pub(crate) fn run_command(options: &Options) -> Result<ExitCode> {
    let checkout = options.checkout.as_path();
    if !checkout.join("tests").is_dir() {
        bail!(
            "{} is not a piglit checkout: it has no folder tests",
            checkout.display()
        );
    }
    workspace_build::build_workspace()?;
    let mut wrong = false;
    for mode in [AcceptanceMode::Shipped, AcceptanceMode::Strict] {
        let known = KnownDifferences::read(mode)?;
        let mut cases = check_programs(checkout, mode)?;
        cases.extend(run_scripts(checkout, mode)?);
        if cases.is_empty() {
            bail!("no programs of the ARB languages in {}", checkout.display());
        }
        println!("{}:", mode.name());
        print_table(&cases, &known);
        wrong |= print_differences(&cases, &known);
    }
    Ok(ExitCode::from(u8::from(wrong)))
}

/// Returns a path relative to the checkout of piglit.
fn relative_path(path: &Path, checkout: &Path) -> String {
    path.strip_prefix(checkout)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}

/// Checks the programs of the parser test.
fn check_programs(checkout: &Path, mode: AcceptanceMode) -> Result<Vec<Case>> {
    let folder = checkout.join(PROGRAMS);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    shell::create_dir(&OUT)?;
    let files = shell::find_files_below(&folder, "txt")?;
    let check = |file: &PathBuf| check_program_file(file, checkout, mode);
    files.iter().map(check).collect()
}

/// Checks a program of the parser test, with Unix and with DOS line ends as that test loads it.
fn check_program_file(file: &Path, checkout: &Path, mode: AcceptanceMode) -> Result<Case> {
    let text = std::fs::read(file).with_context(|| format!("reading {}", file.display()))?;
    let loads = !contains_bytes(&text, b"# FAIL");
    let path = relative_path(file, checkout);
    // As in that test, programs of the directory ARBvp1.0 are loaded as vertex programs regardless
    // of their headers.
    let stage = if path.contains("vp1.0/") {
        "vertex"
    } else {
        "fragment"
    };
    let mut case = Case {
        path,
        outcome: Outcome::Pass,
        detail: String::new(),
    };
    for line_end in ["\n", "\r\n"] {
        let converted = convert_line_ends(&text, line_end.as_bytes());
        let (loaded, messages) = check_program(&converted, stage, mode)?;
        if loaded != loads {
            case.outcome = Outcome::Fail;
            case.detail = if loaded {
                "loads, but should not".to_owned()
            } else {
                format!("does not load: {messages}")
            };
        }
    }
    Ok(case)
}

/// Replaces the line ends of a text, `\n` with or without `\r`.
fn convert_line_ends(text: &[u8], line_end: &[u8]) -> Vec<u8> {
    let unix: Vec<u8> = text.iter().copied().filter(|&byte| byte != b'\r').collect();
    let lines: Vec<&[u8]> = unix.split(|&byte| byte == b'\n').collect();
    lines.join(line_end)
}

/// Returns true if `text` contains `part`, which is not empty.
fn contains_bytes(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Compiles a program by `glasm check`. Returns true if it compiles, otherwise false with the first
/// error.
fn check_program(text: &[u8], stage: &str, mode: AcceptanceMode) -> Result<(bool, String)> {
    let file = OUT.join("program.txt");
    std::fs::write(&file, text)?;
    let mut command = suite::glasm_command()?;
    command.args(["check", "--stage", stage]).arg(&file);
    if mode == AcceptanceMode::Strict {
        command.arg("--strict");
    }
    let output = shell::capture_output(&mut command)?;
    let messages = String::from_utf8_lossy(&output.stderr);
    let first = messages.lines().find(|line| line.starts_with("error"));
    match output.status.code() {
        Some(0) => Ok((true, String::new())),
        Some(1) => Ok((false, first.unwrap_or_default().to_owned())),
        _ => bail!("glasm check: {}\n{messages}", output.status),
    }
}

/// Writes a copy of a script that requires strict acceptance, and returns its path.
fn write_strict_copy(file: &Path, text: &[u8], checkout: &Path) -> Result<PathBuf> {
    let copy = OUT.join("strict").join(relative_path(file, checkout));
    if let Some(folder) = copy.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let text = String::from_utf8_lossy(text);
    let text = match text.split_once("[require]") {
        Some((before, behind)) => format!("{before}[require]\nstrict{behind}"),
        None => format!("[require]\nstrict\n\n{text}"),
    };
    std::fs::write(&copy, text).with_context(|| format!("writing {}", copy.display()))?;
    Ok(copy)
}

/// Runs piglit's scripts with assembly programs on lavapipe, in the given acceptance mode.
fn run_scripts(checkout: &Path, mode: AcceptanceMode) -> Result<Vec<Case>> {
    let Some(driver) = vulkan::find_lavapipe() else {
        bail!("lavapipe is not installed (cargo xtask setup)");
    };
    let mut with_programs = Vec::new();
    for file in shell::find_files_below(&checkout.join("tests"), "shader_test")? {
        let text = std::fs::read(&file)?;
        if contains_bytes(&text, b"[vertex program]")
            || contains_bytes(&text, b"[fragment program]")
        {
            with_programs.push(match mode {
                AcceptanceMode::Shipped => file,
                AcceptanceMode::Strict => write_strict_copy(&file, &text, checkout)?,
            });
        }
    }
    if with_programs.is_empty() {
        return Ok(Vec::new());
    }
    shell::create_dir(&OUT)?;
    let report = OUT.join("report.json");
    let mut command = suite::run_command(&driver, vulkan::Layer::Newest)?;
    command.args(&with_programs).arg("--json").arg(&report);
    shell::capture_output(&mut command)?;
    let strict = OUT.join("strict");
    let root = match mode {
        AcceptanceMode::Shipped => checkout,
        AcceptanceMode::Strict => &strict,
    };
    let case = |result: ScriptResult| Case {
        path: relative_path(Path::new(&result.script), root),
        outcome: result.outcome,
        detail: match result.outcome {
            Outcome::Pass => String::new(),
            Outcome::Fail => result.failures.join("; ").trim().to_owned(),
            Outcome::Skip => result.reason,
        },
    };
    Ok(report::read_report(&report)?
        .into_iter()
        .map(case)
        .collect())
}

/// Prints the number of tests that agree, differ by decision, differ and are skipped, by directory.
fn print_table(cases: &[Case], known: &KnownDifferences) {
    let mut folders: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for case in cases {
        let folder = case.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let column = match case.outcome {
            Outcome::Pass => 0,
            Outcome::Fail if known.0.contains_key(&case.path) => 1,
            Outcome::Fail => 2,
            Outcome::Skip => 3,
        };
        folders.entry(folder).or_default()[column] += 1;
    }
    let width = folders.keys().map(|folder| folder.len()).max().unwrap_or(0);
    println!("{:width$}  agree  decided  differ  skipped", "folder");
    for (folder, [agree, decided, differ, skipped]) in folders {
        println!("{folder:width$}  {agree:5}  {decided:7}  {differ:6}  {skipped:7}");
    }
}

/// Prints every case that does not agree. Returns true if one of them is not known, or a known one
/// agrees now.
fn print_differences(cases: &[Case], known: &KnownDifferences) -> bool {
    let mut wrong = false;
    for case in cases {
        let why = known.0.get(&case.path);
        match (case.outcome, why) {
            (Outcome::Pass, None) => {}
            (Outcome::Pass, Some(_)) => {
                wrong = true;
                println!("{}: agrees now, remove it from {KNOWN}", case.path);
            }
            (Outcome::Fail, Some(why)) => {
                println!("decided {}: {}\n    {why}", case.path, case.detail)
            }
            (Outcome::Fail, None) => {
                wrong = true;
                println!("differs {}: {}", case.path, case.detail);
            }
            (Outcome::Skip, _) => println!("skipped {}: {}", case.path, case.detail),
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::convert_line_ends;

    #[test]
    fn line_ends_are_converted() {
        let convert = |text: &str, end: &str| {
            String::from_utf8(convert_line_ends(text.as_bytes(), end.as_bytes())).unwrap()
        };
        assert_eq!(convert("a\r\nb\n\nc", "\n"), "a\nb\n\nc");
        assert_eq!(convert("a\r\nb\n\nc", "\r\n"), "a\r\nb\r\n\r\nc");
        assert_eq!(convert("a\n", "\r\n"), "a\r\n");
    }
}
