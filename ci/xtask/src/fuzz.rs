//! `cargo xtask fuzz`: cargo-fuzz on the targets of `tests/fuzz`, with the programs of the scripts
//! as corpus.

use crate::installed;
use anyhow::{Context, Result, bail};
use glasm_ci_support::{report, shell};
use std::path::Path;
use std::process::{Command, ExitCode};

/// Target that runs without another name.
pub(crate) const DEFAULT: &str = "compile";

const HELP: &str = "\
Runs a fuzz target of tests/fuzz with cargo-fuzz, which needs a nightly toolchain:
  rustup toolchain install nightly
  cargo install cargo-fuzz
Targets: compile (any bytes, the default), structured (programs made of valid words), tgsi (the same
for TGSI).";

/// `cargo xtask fuzz`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
#[command(
    override_usage = "cargo xtask fuzz [TARGET] [OPTIONS OF CARGO-FUZZ] [-- OPTIONS OF LIBFUZZER]"
)]
pub(crate) struct Options {
    /// Target, followed by options of cargo-fuzz
    #[arg(value_name = "TARGET", allow_hyphen_values = true)]
    words: Vec<String>,
    /// Options of libFuzzer
    #[arg(value_name = "OPTION", last = true)]
    libfuzzer: Vec<String>,
}

impl Options {
    /// Returns the target and the arguments that follow it on the command line of cargo-fuzz.
    pub(crate) fn split_target(&self) -> (String, Vec<String>) {
        let (target, words) = match self.words.as_slice() {
            [first, rest @ ..] if !first.starts_with('-') => (first.as_str(), rest),
            all => (DEFAULT, all),
        };
        let mut rest = words.to_vec();
        if !self.libfuzzer.is_empty() {
            rest.push("--".to_owned());
            rest.extend_from_slice(&self.libfuzzer);
        }
        (target.to_owned(), rest)
    }
}

/// Runs a fuzz target with cargo-fuzz, with the nightly toolchain if it is installed. The default
/// target starts from the programs of the repository.
pub(crate) fn run_command(options: &Options) -> Result<ExitCode> {
    if !installed::has_program("cargo-fuzz") {
        bail!("cargo-fuzz is not installed\n\n{HELP}");
    }
    let (target, rest) = options.split_target();
    if target == DEFAULT {
        seed_corpus(Path::new("tests/fuzz/corpus/compile"))?;
    }
    let mut command = Command::new("cargo");
    if has_nightly() {
        // The outer cargo has set its toolchain in the environment.
        command
            .arg("+nightly")
            .env_remove("RUSTUP_TOOLCHAIN")
            .env_remove("CARGO");
    } else {
        println!(
            "no nightly toolchain: letting the stable one use the sanitizer flags (RUSTC_BOOTSTRAP=1)"
        );
        command.env("RUSTC_BOOTSTRAP", "1");
    }
    command
        .args(["fuzz", "run", "--fuzz-dir", "tests/fuzz", &target])
        .args(rest);
    Ok(ExitCode::from(u8::from(!shell::run_succeeds(
        &mut command,
    )?)))
}

/// Returns true if rustup lists a nightly toolchain; false without rustup.
fn has_nightly() -> bool {
    let list = shell::read_output(Command::new("rustup").args(["toolchain", "list"]));
    list.is_ok_and(|list| list.contains("nightly"))
}

/// Writes every program of the repository's scripts to a separate file in `dir`.
fn seed_corpus(dir: &Path) -> Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("creating {}", dir.display()))?;
    let mut count = 0;
    for script in report::find_scripts(|_| true)? {
        let text =
            std::fs::read(&script).with_context(|| format!("reading {}", script.display()))?;
        for program in extract_programs(&text) {
            std::fs::write(dir.join(format!("script-{count}")), program)?;
            count += 1;
        }
    }
    println!("corpus: {count} programs of scripts");
    Ok(())
}

/// First bytes of programs: a header, or the name of a TGSI processor. Other forms of programs have
/// separate keywords in the names of their sections.
const PROGRAM_STARTS: [&[u8]; 7] = [
    b"!!",
    b"VERT",
    b"FRAG",
    b"GEOM",
    b"TESS_CTRL",
    b"TESS_EVAL",
    b"COMP",
];

/// Returns the program sections of a script. Scripts are read as bytes: some test invalid ones.
fn extract_programs(script: &[u8]) -> Vec<&[u8]> {
    let find =
        |text: &[u8], what: &[u8]| text.windows(what.len()).position(|window| window == what);
    let mut found = Vec::new();
    let mut rest = script;
    while let Some(start) = find(rest, b"]\n") {
        rest = &rest[start + 2..];
        if PROGRAM_STARTS.iter().any(|word| rest.starts_with(word)) {
            let end = find(rest, b"\n[").map_or(rest.len(), |end| end + 1);
            found.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::extract_programs;

    #[test]
    fn programs_end_at_the_next_section() {
        let script = b"[vertex program]\n!!NVvp5.0\nEND\n[fragment program]\n!!NVfp5.0\nEND \xff\n\n[compute program]\nCOMP\nEND\n[test]\ndraw\n";
        let expected: [&[u8]; 3] = [
            b"!!NVvp5.0\nEND\n",
            b"!!NVfp5.0\nEND \xff\n\n",
            b"COMP\nEND\n",
        ];
        assert_eq!(extract_programs(script), expected);
    }
}
