//! GLSL, and the TGSI that Mesa's driver virpipe compiled from it, are both drawn: the GLSL by
//! llvmpipe, the TGSI by lavapipe through glasm. `tests/virgl/README.md` documents the origin of
//! the programs.

use crate::suite;
use crate::{installed, reference};
use anyhow::{Context, Result};
use glasm_ci_support::counts::Counts;
use glasm_ci_support::report::{self, ScriptResult};
use glasm_ci_support::{shell, vulkan};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Scripts of GLSL.
const GLSL: &str = "tests/virgl/glsl";

/// Same scripts with TGSI.
const TGSI: &str = "tests/virgl/tgsi";

/// Known failures.
const EXPECTED: &str = "tests/virgl/expected-failures.txt";

/// Output directory of reports and recordings.
static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("virgl"));

/// Driver that draws GLSL.
const OPENGL: &str = "llvmpipe";

/// Runs the step that draws GLSL by llvmpipe and the TGSI captured from it by lavapipe, and
/// compares the outcomes of all probes.
pub(crate) fn run_step() -> Result<Counts> {
    let mut tally = Counts::from_check(list_script_names(GLSL)? == list_script_names(TGSI)?);
    if tally.failed > 0 {
        println!("{GLSL} and {TGSI} have scripts of different names: capture again");
    }
    let out = &*OUT;
    shell::create_empty_dir(out)?;
    let Some(lavapipe) = vulkan::find_lavapipe() else {
        println!("lavapipe is not installed: skipped");
        tally += Counts::one_skipped();
        return Ok(tally);
    };
    let mut tgsi = suite::glasm_command()?;
    vulkan::use_driver(&mut tgsi, &lavapipe);
    tgsi.args(["run", TGSI, "--expected-failures", EXPECTED]);
    tally += run_side(tgsi, "vulkan")?;
    if !installed::has_opengl() {
        println!("EGL or Mesa's OpenGL drivers are not installed: GLSL is skipped");
        tally += Counts::one_skipped();
        return Ok(tally);
    }
    let mut glsl = suite::glasm_command()?;
    reference::use_gallium(&mut glsl, OPENGL);
    glsl.args(["run", "--api", "gl", "--device", OPENGL, GLSL]);
    tally += run_side(glsl, "gl")?;
    tally += compare_recordings(&out.join("gl"), &out.join("vulkan"))?;
    Ok(tally)
}

/// Returns the file names of the scripts of a directory.
fn list_script_names(folder: &str) -> Result<BTreeSet<OsString>> {
    let scripts = shell::find_files_below(Path::new(folder), "shader_test")?;
    let names = scripts.iter().filter_map(|path| path.file_name());
    Ok(names.map(OsStr::to_owned).collect())
}

/// Runs the scripts of one side and records what they observe in a directory.
fn run_side(mut command: Command, side: &str) -> Result<Counts> {
    let folder = OUT.join(side);
    let report = OUT.join(format!("{side}.json"));
    command.args(["--validation", "auto", "--record"]);
    command.arg(&folder).arg("--json").arg(&report);
    let (tally, _) = suite::run_with_report(command, &report, side)?;
    println!("{side}: {tally}\n");
    Ok(tally)
}

/// Compares the output of scripts in GLSL and in TGSI. Recordings belong to a script: here both
/// name the one with TGSI.
fn compare_recordings(gl: &Path, vulkan: &Path) -> Result<Counts> {
    let sides = ["same-gl", "same-vulkan"].map(|side| OUT.join(side));
    for path in shell::find_files_below(&vulkan.join(TGSI), "recording")? {
        let name = path.file_name().context("a recording has a name")?;
        let other = gl.join(GLSL).join(name);
        if !other.is_file() {
            continue;
        }
        let [gl, vulkan] = [read_recording(&other)?, read_recording(&path)?];
        // Failures have been reported already.
        if !vulkan.lines().any(|line| line == "outcome pass") {
            continue;
        }
        let texts = align_recordings(&gl, &vulkan);
        for (side, text) in std::iter::zip(&sides, texts) {
            let folder = side.join(TGSI);
            std::fs::create_dir_all(&folder)?;
            std::fs::write(folder.join(name), text)?;
        }
    }
    let report = OUT.join("compared.json");
    let mut command = suite::glasm_command()?;
    let [gl, vulkan] = sides.map(|side| side.display().to_string());
    command.args(["run", TGSI, "--compare", &format!("{gl},{vulkan}")]);
    command.arg("--json").arg(&report);
    println!("$ {}", shell::display_command(&command));
    let output = shell::capture_output(&mut command)?;
    print!("{}", String::from_utf8_lossy(&output.stderr));
    let results: Vec<ScriptResult> = report::read_report(&report)?;
    for result in &results {
        if result.outcome == report::Outcome::Fail {
            println!("DIFF {}\n{}", result.script, result.failures.join("\n"));
        }
    }
    let tally = reference::count_agreements(&results, output.status.success());
    println!("compared: {tally}");
    Ok(tally)
}

/// Reads the recording of a run. Errors name the file.
fn read_recording(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
}

/// Converts both recordings to recordings of the second one's script, with the entries that both
/// have. Probes are the same ones in the same order at other lines; uniform buffers have other
/// numbers, constants are in separate buffers; and only Vulkan has verdicts on single programs.
fn align_recordings(gl: &str, vulkan: &str) -> [String; 2] {
    let is_common = |entry: &&String| {
        let own = [" of ubo ", " of buffer `"];
        let is_own = entry.starts_with("end ") && own.iter().any(|name| entry.contains(name));
        !is_own && !entry.starts_with("verdict ")
    };
    let [gl, vulkan] = [gl, vulkan].map(split_entries);
    let vulkan: Vec<&String> = vulkan.iter().filter(is_common).collect();
    let gl: Vec<&String> = gl.iter().filter(is_common).collect();
    let places = |entries: &[&'_ String]| -> Vec<String> {
        let places = entries.iter().filter_map(|entry| probe_location(entry));
        places.map(str::to_owned).collect()
    };
    let moved: Vec<(String, String)> = std::iter::zip(places(&gl), places(&vulkan)).collect();
    let mut same = String::new();
    for line in gl.iter().flat_map(|entry| entry.lines()) {
        let word = line.split(' ').next().unwrap_or_default();
        // The recording has the name of its script, and a digest that detects changes of it.
        let is_script = matches!(word, "script" | "text");
        let mut others = vulkan.iter().filter(|_| is_script);
        let line = match others.find(|other| other.starts_with(word)) {
            Some(other) => other.trim_end().to_owned(),
            None => move_line(line, &moved),
        };
        same.push_str(&line);
        same.push('\n');
    }
    [same, vulkan.into_iter().map(String::as_str).collect()]
}

/// Returns a line of a recording with the number of another line of the script: that of a probe, or
/// of one that has seen the same.
fn move_line(line: &str, moved: &[(String, String)]) -> String {
    for start in ["line ", "  same as line "] {
        if let Some(rest) = line.strip_prefix(start) {
            let (own, end) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
            let found = moved.iter().find(|(from, _)| from == own);
            let other = found.map_or(own, |(_, to)| to.as_str());
            return format!("{start}{other}{end}");
        }
    }
    line.to_owned()
}

/// Returns the source location of a probe in an entry of the recording; `None` for other entries.
fn probe_location(entry: &str) -> Option<&str> {
    entry.strip_prefix("line ")?.split(' ').next()
}

/// Returns the entries of a recording, each with its continuation lines, which begin with spaces.
fn split_entries(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        match found.last_mut() {
            Some(entry) if line.starts_with(' ') => entry.push_str(line),
            _ => found.push(line.to_owned()),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::align_recordings;

    #[test]
    fn recordings_become_those_of_one_script() {
        let gl = "glasm recording 1\nscript a/glsl\ntext 1\napi gl\nline 7 x of attachment 0\n  0: 1\nline 9 y\n  same as line 7\n\
            end words 4 of ubo 0:0\n  0: 3\nend words 1 of ssbo 0:0\n  0: 4\n";
        let vulkan = "glasm recording 1\nscript a/tgsi\ntext 2\napi vulkan\nverdict vertex 0 accepted\n\
            line 17 x of attachment 0\n  0: 1\nline 19 y\n  0: 2\nend words 4 of buffer `c`\n  0: 3\nend words 1 of ssbo 0:0\n  0: 5\n";
        let [gl, vulkan] = align_recordings(gl, vulkan);
        assert_eq!(
            gl,
            "glasm recording 1\nscript a/tgsi\ntext 2\napi gl\nline 17 x of attachment 0\n  0: 1\nline 19 y\n  same as line 17\n\
            end words 1 of ssbo 0:0\n  0: 4\n"
        );
        assert_eq!(
            vulkan,
            "glasm recording 1\nscript a/tgsi\ntext 2\napi vulkan\nline 17 x of attachment 0\n  0: 1\nline 19 y\n  0: 2\n\
            end words 1 of ssbo 0:0\n  0: 5\n"
        );
    }
}
