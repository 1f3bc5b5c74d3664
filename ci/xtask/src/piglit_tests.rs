//! Piglit's tests with programs as applications of the vendor library, before Mesa's OpenGL driver
//! for the CPU: once unchanged, once with all programs executed by glasm. Piglit itself determines
//! the results. A test that does not pass must have the same result with Mesa alone.

use crate::{reference, requirements, suite, workspace_build};
use anyhow::{Context as _, Result};
use glasm_ci_support::counts::Counts;
use glasm_ci_support::shell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Known differences, with the reasons.
const EXPECTED: &str = "tests/vendor/piglit.txt";

/// Directory of the links to the library.
static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("vendor"));

/// Driver.
const DRIVER: &str = "llvmpipe";

/// Fewer passing tests would mean that the library or the driver rejects programs that it accepted
/// before.
const LEAST: u64 = 850;

/// Time limit of a test in seconds.
const SECONDS: &str = "100";

/// Strings in executables that contain programs of the assembly languages, or that query their
/// extensions.
const WORDS: [&str; 5] = [
    "vertex_program",
    "fragment_program",
    "!!ARB",
    "!!VP",
    "!!FP",
];

/// Sections of scripts with such programs.
const SECTIONS: [&str; 2] = ["[vertex program]", "[fragment program]"];

/// Configuration of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TestMode {
    /// With the library; the driver executes the programs that it supports.
    Vendor,
    /// With the library and `GLASM_COMPILE_ARB_PROGRAMS=1`.
    VendorAll,
    /// With Mesa alone.
    Mesa,
}

/// Test.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PiglitTest {
    /// Name in piglit.
    name: String,
    /// Executable and its arguments.
    words: Vec<String>,
    modes: &'static [TestMode],
}

/// Output of a test: its result, and those of its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
struct TestOutput {
    result: String,
    subtests: BTreeMap<String, String>,
}

/// Unpacked packages of piglit.
struct Piglit {
    /// Directory of piglit, with `bin` and `tests`.
    root: PathBuf,
    /// Directories of its libraries.
    libraries: [PathBuf; 2],
}

impl Piglit {
    /// Returns the absolute paths of the unpacked packages.
    fn locate() -> Result<Self> {
        let unpacked = std::path::absolute(&*requirements::PIGLIT_DIRECTORY)?;
        let libraries = unpacked.join("usr/lib/x86_64-linux-gnu");
        let root = libraries.join("piglit");
        Ok(Self {
            libraries: [root.join("lib"), libraries],
            root,
        })
    }
}

/// Runs the step of `cargo xtask test`.
pub(crate) fn run_step() -> Result<Counts> {
    let piglit = Piglit::locate()?;
    workspace_build::build_workspace()?;
    shell::create_dir(&OUT)?;
    let known = std::fs::read_to_string(EXPECTED).with_context(|| format!("reading {EXPECTED}"))?;
    let tests = find_tests(&piglit)?;
    let tally = run_all_tests(&piglit, &tests, &KnownDifferences::parse(&known)?)?;
    Ok(tally.require_passed(LEAST, "tests"))
}

/// Returns all tests with programs.
fn find_tests(piglit: &Piglit) -> Result<Vec<PiglitTest>> {
    let mut found = Vec::new();
    let mut executables = BTreeMap::new();
    for entry in read_entries(piglit, "opengl")? {
        let words = entry.option_values("command");
        let executable = executable_path(piglit, &words);
        let known = executables.entry(executable);
        let known = known.or_insert_with_key(|file| contains_any(file, &WORDS));
        if entry.kind == "gl" && *known {
            found.push(entry.to_test(words, &[TestMode::Vendor, TestMode::VendorAll]));
        }
    }
    for entry in read_entries(piglit, "shader")? {
        let words = entry.option_values("command");
        let script = words.get(1).map(|path| piglit.root.join(path));
        if script.is_some_and(|script| contains_any(&script, &SECTIONS)) {
            found.push(entry.to_test(words, &[TestMode::Vendor, TestMode::VendorAll]));
        }
    }
    // The driver's acceptance of these programs does not depend on the library.
    for entry in read_entries(piglit, "glslparser")? {
        if entry.kind == "asm_parser" {
            let mut words = vec!["asmparsertest".to_owned()];
            words.extend(
                ["type_", "filename"]
                    .iter()
                    .flat_map(|name| entry.option_values(name)),
            );
            found.push(entry.to_test(words, &[TestMode::VendorAll]));
        }
    }
    Ok(found)
}

/// Returns the path of the executable of a test, the first of `words`; that of the directory if
/// there are no words.
fn executable_path(piglit: &Piglit, words: &[String]) -> PathBuf {
    let name = words.first().map_or("", String::as_str);
    piglit.root.join("bin").join(name)
}

/// Returns true if the contents of a file include one of these strings, also within longer words;
/// false if it cannot be read.
fn contains_any(file: &Path, words: &[&str]) -> bool {
    let bytes = std::fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    words.iter().any(|word| text.contains(word))
}

/// Entry of one of piglit's lists.
struct ListEntry {
    kind: String,
    name: String,
    options: BTreeMap<String, String>,
}

impl ListEntry {
    /// Returns the values of an option, which are strings of Python: one, or a list of them. Empty
    /// if the entry does not have the option.
    fn option_values(&self, option: &str) -> Vec<String> {
        let value = self.options.get(option).map_or("", String::as_str);
        let words = value.split('\'').skip(1).step_by(2);
        words.map(str::to_owned).collect()
    }

    /// Returns the test of the entry with an executable and its arguments, in these modes.
    fn to_test(&self, words: Vec<String>, modes: &'static [TestMode]) -> PiglitTest {
        PiglitTest {
            name: self.name.clone(),
            words,
            modes,
        }
    }
}

/// Returns the entries of a list. Returns an error if its file cannot be unpacked or is not UTF-8.
fn read_entries(piglit: &Piglit, list: &str) -> Result<Vec<ListEntry>> {
    let file = piglit.root.join(format!("tests/{list}.xml.gz"));
    let output = shell::capture_output(Command::new("gzip").arg("-dc").arg(&file))?;
    anyhow::ensure!(
        output.status.success(),
        "gzip cannot read {}",
        file.display()
    );
    let text = String::from_utf8(output.stdout).with_context(|| file.display().to_string())?;
    Ok(parse_entries(&text))
}

/// Parses elements `Test` with elements `option` in them. Elements without the attributes that they
/// need are ignored.
fn parse_entries(text: &str) -> Vec<ListEntry> {
    let entry = |part: &str| {
        let (head, options) = part.split_once('>')?;
        let option = |option: &str| {
            Some((
                parse_attribute(option, "name")?,
                parse_attribute(option, "value")?,
            ))
        };
        Some(ListEntry {
            kind: parse_attribute(head, "type")?,
            name: parse_attribute(head, "name")?,
            options: options.split("<option ").filter_map(option).collect(),
        })
    };
    text.split("<Test ").skip(1).filter_map(entry).collect()
}

/// Returns the value of the first attribute of XML with this name, with its references to
/// characters replaced; `None` if there is none.
fn parse_attribute(text: &str, name: &str) -> Option<String> {
    let (_, value) = text.split_once(&format!("{name}=\""))?;
    let (value, _) = value.split_once('"')?;
    let mut value = value.to_owned();
    for (word, character) in [
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ] {
        value = value.replace(word, character);
    }
    Some(value)
}

/// Known differences: names of tests, after `GLASM_COMPILE_ARB_PROGRAMS=1` if they differ in that
/// mode only.
struct KnownDifferences(BTreeMap<String, String>);

impl KnownDifferences {
    /// Parses lines of a name, `#` and the reason; ignores comments and empty lines. Returns an
    /// error for a line without a reason.
    fn parse(text: &str) -> Result<Self> {
        let lines = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let row = |line: &str| {
            let (name, reason) = line.split_once(" # ").context("a line has no reason")?;
            Ok((name.trim().to_owned(), reason.trim().to_owned()))
        };
        lines.map(row).collect::<Result<_>>().map(Self)
    }

    /// Returns the reason for which a test may differ in a mode; `None` if it must not.
    fn find_reason(&self, test: &PiglitTest, mode: TestMode) -> Option<&str> {
        let in_all = || {
            self.0
                .get(&format!("GLASM_COMPILE_ARB_PROGRAMS=1 {}", test.name))
        };
        let reason = self.0.get(&test.name);
        let reason = reason.or_else(|| in_all().filter(|_| mode == TestMode::VendorAll));
        reason.map(String::as_str)
    }
}

/// Runs all tests, as many in parallel as there are processor cores. Tests that cannot run on this
/// machine are ignored.
fn run_all_tests(
    piglit: &Piglit,
    tests: &[PiglitTest],
    known: &KnownDifferences,
) -> Result<Counts> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{} tests, {workers} at a time", tests.len());
    let next = AtomicUsize::new(0);
    let total = Mutex::new(Counts::default());
    let work = || -> Result<()> {
        while let Some(test) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
            for &mode in test.modes {
                let (tally, message) = evaluate_test(piglit, test, mode, known)?;
                print!("{message}");
                *total.lock().unwrap_or_else(|it| it.into_inner()) += tally;
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let mut ends = threads.into_iter().map(|thread| thread.join());
        ends.try_for_each(|end| end.unwrap_or_else(|_| anyhow::bail!("a thread has ended")))
    })?;
    let tally = *total.lock().unwrap_or_else(|it| it.into_inner());
    println!("piglit: {tally}\n");
    Ok(Counts {
        skipped: 0,
        ..tally
    })
}

/// Runs a test; returns its counts and a message.
fn evaluate_test(
    piglit: &Piglit,
    test: &PiglitTest,
    mode: TestMode,
    known: &KnownDifferences,
) -> Result<(Counts, String)> {
    let said = run_piglit_test(piglit, test, mode)?;
    let passes = said.result == "pass";
    let alone = if passes {
        None
    } else {
        Some(run_piglit_test(piglit, test, TestMode::Mesa)?)
    };
    let is_right = passes || alone.as_ref() == Some(&said);
    let name = &test.name;
    Ok(match (is_right, known.find_reason(test, mode)) {
        (true, None) if passes => (Counts::from_check(true), String::new()),
        (true, None) => (
            Counts::one_skipped(),
            format!("{} as with Mesa alone: {name}\n", said.result),
        ),
        (true, Some(_)) => {
            let message = format!("FAIL {name} ({mode:?}): passes, take it out of {EXPECTED}\n");
            (Counts::from_check(false), message)
        }
        (false, Some(reason)) => (
            Counts::one_skipped(),
            format!("KNOWN {name} ({mode:?}): {reason}\n"),
        ),
        (false, None) => {
            let alone = alone.map_or(String::new(), |alone| alone.differences(&said));
            (
                Counts::from_check(false),
                format!("FAIL {name} ({mode:?}): {}\n{alone}", said.result),
            )
        }
    })
}

impl TestOutput {
    /// Parses the result in the last lines of a test; if there is none, the result is the exit of
    /// the process.
    fn parse(text: &str, end: &str) -> Self {
        let mut said = Self {
            result: end.to_owned(),
            subtests: BTreeMap::new(),
        };
        for line in text
            .lines()
            .filter_map(|line| line.strip_prefix("PIGLIT: "))
        {
            let Ok(value) = serde_json::from_str::<serde_json::Value>(line) else {
                continue;
            };
            if let (Some(result), "") = (value["result"].as_str(), end) {
                said.result = result.to_owned();
            }
            let parts = value["subtest"].as_object().into_iter().flatten();
            let parts = parts
                .filter_map(|(name, result)| Some((name.clone(), result.as_str()?.to_owned())));
            said.subtests.extend(parts);
        }
        said
    }

    /// Returns the parts whose result differs in another run.
    fn differences(&self, other: &Self) -> String {
        let mut text = format!("     with Mesa alone: {}\n", self.result);
        for (name, result) in &self.subtests {
            let other = other.subtests.get(name).map_or("nothing", String::as_str);
            if other != result {
                text.push_str(&format!("     {name}: {other}, with Mesa alone {result}\n"));
            }
        }
        text
    }
}

/// Runs a test and returns its result.
fn run_piglit_test(piglit: &Piglit, test: &PiglitTest, mode: TestMode) -> Result<TestOutput> {
    let program = executable_path(piglit, &test.words);
    let mut command = match mode {
        TestMode::Mesa => Command::new("timeout"),
        TestMode::Vendor | TestMode::VendorAll => suite::glasm_command()?,
    };
    if mode != TestMode::Mesa {
        let out = OUT
            .canonicalize()
            .with_context(|| OUT.display().to_string())?;
        command.env("XDG_RUNTIME_DIR", out.join("run"));
        command.args(["gl", "--", "timeout"]);
    }
    if mode == TestMode::VendorAll {
        command.env("GLASM_COMPILE_ARB_PROGRAMS", "1");
    }
    command.args(["--kill-after", "1", SECONDS]).arg(program);
    command
        .args(test.words.iter().skip(1))
        .args(["-auto", "-fbo"]);
    command.current_dir(&piglit.root);
    command.env("LD_LIBRARY_PATH", std::env::join_paths(&piglit.libraries)?);
    command.env("PIGLIT_PLATFORM", "surfaceless_egl");
    command.env("PIGLIT_SOURCE_DIR", &piglit.root);
    command.env("PIGLIT_BUILD_DIR", &piglit.root);
    command.env("LP_NUM_THREADS", "1");
    reference::use_gallium(&mut command, DRIVER);
    let output = shell::capture_output(&mut command)?;
    // 1 is the exit status of tests that fail. With any other status the test has crashed.
    let end = match output.status.code() {
        Some(0 | 1) => String::new(),
        _ => output.status.to_string(),
    };
    Ok(TestOutput::parse(
        &String::from_utf8_lossy(&output.stdout),
        &end,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_piglit_are_read() {
        let text = "<?xml?><PiglitTestList><Test type=\"gl\" name=\"spec@a&amp;b c\"><option name=\"command\" value=\"['fp-x', '-1']\" />\
                    <option name=\"run_concurrent\" value=\"True\" /></Test><Test type=\"asm_parser\" name=\"d\"><option name=\"type_\" \
                    value=\"'ARBfp1.0'\" /></Test></PiglitTestList>";
        let entries = parse_entries(text);
        assert_eq!(entries.len(), 2);
        assert_eq!(
            (entries[0].kind.as_str(), entries[0].name.as_str()),
            ("gl", "spec@a&b c")
        );
        assert_eq!(entries[0].option_values("command"), ["fp-x", "-1"]);
        assert_eq!(entries[1].option_values("type_"), ["ARBfp1.0"]);
        assert!(entries[1].option_values("command").is_empty());
    }

    #[test]
    fn results_are_those_of_the_last_lines() {
        let text = "PIGLIT: {\"subtest\": {\"a\" : \"pass\"}}\nprobe\nPIGLIT: {\"subtest\": {\"b\" : \"fail\"}}\nPIGLIT: {\"result\": \"fail\" }\n";
        let said = TestOutput::parse(text, "");
        assert_eq!(said.result, "fail");
        assert_eq!(said.subtests["a"], "pass");
        assert_eq!(said.subtests["b"], "fail");
        // A test that has crashed at its end has not passed.
        assert_eq!(
            TestOutput::parse("PIGLIT: {\"result\": \"pass\" }", "signal: 6").result,
            "signal: 6"
        );
        assert_eq!(TestOutput::parse("nothing", "").result, "");
    }

    #[test]
    fn known_differences_have_reasons() {
        let known = KnownDifferences::parse(
            "# about\n\nspec@a b # one\nGLASM_COMPILE_ARB_PROGRAMS=1 c # two\n",
        )
        .ok()
        .map(|it| it.0);
        let known = KnownDifferences(known.unwrap_or_default());
        let test = |name: &str| PiglitTest {
            name: name.to_owned(),
            words: Vec::new(),
            modes: &[],
        };
        assert_eq!(
            known.find_reason(&test("spec@a b"), TestMode::Vendor),
            Some("one")
        );
        assert_eq!(
            known.find_reason(&test("c"), TestMode::VendorAll),
            Some("two")
        );
        assert_eq!(known.find_reason(&test("c"), TestMode::Vendor), None);
        assert!(KnownDifferences::parse("a\n").is_err());
    }
}
