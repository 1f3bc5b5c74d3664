//! Piglit's tests with programs as applications of the vendor library, before Mesa's OpenGL driver
//! for the CPU: once unchanged, once with all programs executed by glasm. Piglit itself determines
//! the results. A test that does not pass must have the same result with Mesa alone.

use crate::fetched::{self, Piglit};
use crate::{installed, reference, suite};
use anyhow::{Context as _, Result};
use glasm_ci_support::shell;
use glasm_ci_support::tally::{Skip, Tally};
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
enum Mode {
    /// With the library; the driver executes the programs that it supports.
    Ours,
    /// With the library and `GLASM_ALL=1`.
    All,
    /// With Mesa alone.
    Mesa,
}

/// Test.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Test {
    /// Name in piglit.
    name: String,
    /// Executable and its arguments.
    words: Vec<String>,
    modes: &'static [Mode],
}

/// Output of a test: its result, and those of its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Said {
    result: String,
    parts: BTreeMap<String, String>,
}

/// Runs the step of `cargo xtask test`.
pub(crate) fn test() -> Result<Tally> {
    installed::require_opengl()?;
    let missing = "piglit's tests are not there (cargo xtask setup)";
    let piglit = fetched::find_piglit().ok_or_else(|| Skip::because(missing))?;
    let build = [
        "build",
        "--package",
        "glasm-cli",
        "--package",
        "glasm-glvendor",
    ];
    shell::run(shell::cargo().args(build))?;
    shell::create_dir(&OUT)?;
    let known = std::fs::read_to_string(EXPECTED).with_context(|| format!("reading {EXPECTED}"))?;
    let tests = find_tests(&piglit)?;
    let tally = judge_all(&piglit, &tests, &Known::read(&known)?)?;
    Ok(tally.with_least(LEAST, "tests"))
}

/// Returns all tests with programs.
fn find_tests(piglit: &Piglit) -> Result<Vec<Test>> {
    let mut found = Vec::new();
    let mut executables = BTreeMap::new();
    for entry in read_entries(piglit, "opengl")? {
        let words = entry.words("command");
        let executable = executable(piglit, &words);
        let known = executables.entry(executable);
        let known = known.or_insert_with_key(|file| contains(file, &WORDS));
        if entry.kind == "gl" && *known {
            found.push(entry.test(words, &[Mode::Ours, Mode::All]));
        }
    }
    for entry in read_entries(piglit, "shader")? {
        let words = entry.words("command");
        let script = words.get(1).map(|path| piglit.root.join(path));
        if script.is_some_and(|script| contains(&script, &SECTIONS)) {
            found.push(entry.test(words, &[Mode::Ours, Mode::All]));
        }
    }
    // The driver's acceptance of these programs does not depend on the library.
    for entry in read_entries(piglit, "glslparser")? {
        if entry.kind == "asm_parser" {
            let mut words = vec!["asmparsertest".to_owned()];
            words.extend(
                ["type_", "filename"]
                    .iter()
                    .flat_map(|name| entry.words(name)),
            );
            found.push(entry.test(words, &[Mode::All]));
        }
    }
    Ok(found)
}

fn executable(piglit: &Piglit, words: &[String]) -> PathBuf {
    let name = words.first().map_or("", String::as_str);
    piglit.root.join("bin").join(name)
}

/// Returns true if a file contains one of these words; false for a missing file.
fn contains(file: &Path, words: &[&str]) -> bool {
    let bytes = std::fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    words.iter().any(|word| text.contains(word))
}

/// Entry of one of piglit's lists.
struct Entry {
    kind: String,
    name: String,
    options: BTreeMap<String, String>,
}

impl Entry {
    /// Returns the values of an option, which are strings of Python: one, or a list of them.
    fn words(&self, option: &str) -> Vec<String> {
        let value = self.options.get(option).map_or("", String::as_str);
        let words = value.split('\'').skip(1).step_by(2);
        words.map(str::to_owned).collect()
    }

    fn test(&self, words: Vec<String>, modes: &'static [Mode]) -> Test {
        Test {
            name: self.name.clone(),
            words,
            modes,
        }
    }
}

/// Returns the entries of a list.
fn read_entries(piglit: &Piglit, list: &str) -> Result<Vec<Entry>> {
    let file = piglit.root.join(format!("tests/{list}.xml.gz"));
    let output = shell::capture(Command::new("gzip").arg("-dc").arg(&file))?;
    anyhow::ensure!(
        output.status.success(),
        "gzip cannot read {}",
        file.display()
    );
    let text = String::from_utf8(output.stdout).with_context(|| file.display().to_string())?;
    Ok(parse_entries(&text))
}

/// Parses elements `Test` with elements `option` in them.
fn parse_entries(text: &str) -> Vec<Entry> {
    let entry = |part: &str| {
        let (head, options) = part.split_once('>')?;
        let option = |option: &str| Some((attribute(option, "name")?, attribute(option, "value")?));
        Some(Entry {
            kind: attribute(head, "type")?,
            name: attribute(head, "name")?,
            options: options.split("<option ").filter_map(option).collect(),
        })
    };
    text.split("<Test ").skip(1).filter_map(entry).collect()
}

/// Returns the value of an attribute of XML.
fn attribute(text: &str, name: &str) -> Option<String> {
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

/// Known differences: names of tests, after `GLASM_ALL=1` if they differ in that mode only.
struct Known(BTreeMap<String, String>);

impl Known {
    /// Parses lines of a name, `#` and the reason.
    fn read(text: &str) -> Result<Self> {
        let lines = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let row = |line: &str| {
            let (name, reason) = line.split_once(" # ").context("a line has no reason")?;
            Ok((name.trim().to_owned(), reason.trim().to_owned()))
        };
        lines.map(row).collect::<Result<_>>().map(Self)
    }

    fn reason(&self, test: &Test, mode: Mode) -> Option<&str> {
        let in_all = || self.0.get(&format!("GLASM_ALL=1 {}", test.name));
        let reason = self.0.get(&test.name);
        let reason = reason.or_else(|| in_all().filter(|_| mode == Mode::All));
        reason.map(String::as_str)
    }
}

/// Runs all tests, as many in parallel as there are processor cores. Tests that cannot run on this
/// machine are ignored.
fn judge_all(piglit: &Piglit, tests: &[Test], known: &Known) -> Result<Tally> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{} tests, {workers} at a time", tests.len());
    let next = AtomicUsize::new(0);
    let total = Mutex::new(Tally::default());
    let work = || -> Result<()> {
        while let Some(test) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
            for &mode in test.modes {
                let (tally, message) = judge(piglit, test, mode, known)?;
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
    Ok(Tally {
        skipped: 0,
        ..tally
    })
}

/// Runs a test; returns its counts and a message.
fn judge(piglit: &Piglit, test: &Test, mode: Mode, known: &Known) -> Result<(Tally, String)> {
    let said = run(piglit, test, mode)?;
    let passes = said.result == "pass";
    let alone = if passes {
        None
    } else {
        Some(run(piglit, test, Mode::Mesa)?)
    };
    let is_right = passes || alone.as_ref() == Some(&said);
    let name = &test.name;
    Ok(match (is_right, known.reason(test, mode)) {
        (true, None) if passes => (Tally::check(true), String::new()),
        (true, None) => (
            Tally::skip(),
            format!("{} as with Mesa alone: {name}\n", said.result),
        ),
        (true, Some(_)) => {
            let message = format!("FAIL {name} ({mode:?}): passes, take it out of {EXPECTED}\n");
            (Tally::check(false), message)
        }
        (false, Some(reason)) => (
            Tally::skip(),
            format!("KNOWN {name} ({mode:?}): {reason}\n"),
        ),
        (false, None) => {
            let alone = alone.map_or(String::new(), |alone| alone.differences(&said));
            (
                Tally::check(false),
                format!("FAIL {name} ({mode:?}): {}\n{alone}", said.result),
            )
        }
    })
}

impl Said {
    /// Parses the result in the last lines of a test; if there is none, the result is the exit of
    /// the process.
    fn read(text: &str, end: &str) -> Self {
        let mut said = Self {
            result: end.to_owned(),
            parts: BTreeMap::new(),
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
            said.parts.extend(parts);
        }
        said
    }

    /// Returns the parts whose result differs in another run.
    fn differences(&self, other: &Self) -> String {
        let mut text = format!("     with Mesa alone: {}\n", self.result);
        for (name, result) in &self.parts {
            let other = other.parts.get(name).map_or("nothing", String::as_str);
            if other != result {
                text.push_str(&format!("     {name}: {other}, with Mesa alone {result}\n"));
            }
        }
        text
    }
}

/// Runs a test and returns its result.
fn run(piglit: &Piglit, test: &Test, mode: Mode) -> Result<Said> {
    let program = executable(piglit, &test.words);
    let mut command = match mode {
        Mode::Mesa => Command::new("timeout"),
        Mode::Ours | Mode::All => suite::glasm()?,
    };
    if mode != Mode::Mesa {
        let out = OUT
            .canonicalize()
            .with_context(|| OUT.display().to_string())?;
        command.env("XDG_RUNTIME_DIR", out.join("run"));
        command.args(["gl", "--", "timeout"]);
    }
    if mode == Mode::All {
        command.env("GLASM_ALL", "1");
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
    let output = shell::capture(&mut command)?;
    // 1 is the exit status of tests that fail. With any other status the test has crashed.
    let end = match output.status.code() {
        Some(0 | 1) => String::new(),
        _ => output.status.to_string(),
    };
    Ok(Said::read(&String::from_utf8_lossy(&output.stdout), &end))
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
        assert_eq!(entries[0].words("command"), ["fp-x", "-1"]);
        assert_eq!(entries[1].words("type_"), ["ARBfp1.0"]);
        assert!(entries[1].words("command").is_empty());
    }

    #[test]
    fn results_are_those_of_the_last_lines() {
        let text = "PIGLIT: {\"subtest\": {\"a\" : \"pass\"}}\nprobe\nPIGLIT: {\"subtest\": {\"b\" : \"fail\"}}\nPIGLIT: {\"result\": \"fail\" }\n";
        let said = Said::read(text, "");
        assert_eq!(said.result, "fail");
        assert_eq!(said.parts["a"], "pass");
        assert_eq!(said.parts["b"], "fail");
        // A test that has crashed at its end has not passed.
        assert_eq!(
            Said::read("PIGLIT: {\"result\": \"pass\" }", "signal: 6").result,
            "signal: 6"
        );
        assert_eq!(Said::read("nothing", "").result, "");
    }

    #[test]
    fn known_differences_have_reasons() {
        let known = Known::read("# about\n\nspec@a b # one\nGLASM_ALL=1 c # two\n")
            .ok()
            .map(|it| it.0);
        let known = Known(known.unwrap_or_default());
        let test = |name: &str| Test {
            name: name.to_owned(),
            words: Vec::new(),
            modes: &[],
        };
        assert_eq!(known.reason(&test("spec@a b"), Mode::Ours), Some("one"));
        assert_eq!(known.reason(&test("c"), Mode::All), Some("two"));
        assert_eq!(known.reason(&test("c"), Mode::Ours), None);
        assert!(Known::read("a\n").is_err());
    }
}
