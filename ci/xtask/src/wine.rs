//! Programs of Windows in Wine as applications of the vendor library: `glvendor/tests/wine`. One
//! has OpenGL and compares pixels with arithmetic; the other has Direct3D 9, which Wine translates
//! to programs of the ARB and NV languages, compared with its translation to GLSL.

use crate::{installed, suite};
use anyhow::{Context as _, Result, bail};
use glasm_ci_support::shell;
use glasm_ci_support::tally::Tally;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// C compiler for 64-bit Windows.
pub(crate) const COMPILER: &str = "x86_64-w64-mingw32-gcc";

/// Sources of the programs.
const SOURCES: &str = "glvendor/tests/wine";

/// Prefix of Wine, the programs and their images.
static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("wine"));

/// Time limit in seconds of a program that hangs.
const SECONDS: &str = "60";

/// Variables that select the ARB backend of Direct3D. Wine ignores it in core contexts, which it
/// creates unless the version is limited.
const ARB: (&str, &str) = ("WINE_D3D_CONFIG", "shader_backend=arb,MaxVersionGL=0x20001");

/// Width and height of the images of Direct3D in pixels.
const SIDE: usize = 64;

/// Bytes of one image.
const IMAGE_BYTES: usize = SIDE * SIDE * 4;

/// Returns true if Wine and its server are in `PATH`, on a machine that runs programs for 64-bit
/// x86.
pub(crate) fn is_present() -> bool {
    let programs = ["wine", "wineserver"];
    cfg!(target_arch = "x86_64") && programs.iter().all(|name| installed::has_program(name))
}

/// Runs the step of `cargo xtask test`.
pub(crate) fn test() -> Result<Tally> {
    let has = |name| installed::has_program(name);
    installed::require([
        ("Wine", is_present()),
        ("MinGW-w64", has(COMPILER)),
        ("Xvfb", has("xvfb-run") && has("timeout")),
        ("Mesa's GLX", installed::has_glx()),
    ])?;
    let packages = ["--package", "glasm-cli", "--package", "glasm-glvendor"];
    shell::run(shell::cargo().arg("build").args(packages))?;
    shell::create_dir(&OUT)?;
    let wine = Wine {
        out: OUT
            .canonicalize()
            .with_context(|| OUT.display().to_string())?,
    };
    build("wgl", &["-lopengl32", "-lgdi32"])?;
    build("d3d9", &["-ld3d9"])?;
    let mut tally = wine.test_opengl()?;
    tally += wine.test_direct3d()?;
    Ok(tally)
}

/// Compiles a program to [`OUT`].
fn build(name: &str, libraries: &[&str]) -> Result<()> {
    let mut command = Command::new(COMPILER);
    command.args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]);
    command.arg(OUT.join(format!("{name}.exe")));
    command.arg(Path::new(SOURCES).join(format!("{name}.c")));
    shell::run(command.args(libraries))
}

/// Prefix of Wine below `target`. Its server ends when this is dropped.
struct Wine {
    out: PathBuf,
}

impl Drop for Wine {
    fn drop(&mut self) {
        let mut command = Command::new("wineserver");
        self.set_variables(&mut command);
        // This fails if no server is running, which is fine.
        let _ = shell::capture(command.arg("-k"));
    }
}

impl Wine {
    /// Sets the prefix, and turns off the installers of .NET and HTML, which would wait for an
    /// answer.
    fn set_variables(&self, command: &mut Command) {
        command
            .env("WINEPREFIX", self.out.join("prefix"))
            .env("WINEDLLOVERRIDES", "mscoree,mshtml=")
            .env("WINEDEBUG", "-all");
    }

    /// Returns a command that runs these words on a separate X server, with a time limit.
    fn command(&self, words: &[&OsStr]) -> Command {
        let mut command = Command::new("xvfb-run");
        command.args(["-a", "-s", "-screen 0 640x480x24 -noreset"]);
        command.args(["timeout", "-k", "5", SECONDS]).args(words);
        command.current_dir(&self.out);
        command.env("LIBGL_ALWAYS_SOFTWARE", "1");
        self.set_variables(&mut command);
        command
    }

    /// Runs the program of OpenGL through the library and counts its cases.
    fn test_opengl(&self) -> Result<Tally> {
        let glasm = suite::glasm()?;
        let words = ["gl", "--", "wine", "wgl.exe"].map(OsStr::new);
        let mut command = self.command(&[&[glasm.get_program()], &words[..]].concat());
        let transcript = shell::tee(&mut command)?;
        Ok(count_cases(&transcript))
    }

    /// Compares the images of Direct3D through the library with those of Wine's GLSL, first with
    /// the programs that the driver lacks, then with all.
    fn test_direct3d(&self) -> Result<Tally> {
        let glasm = suite::glasm()?;
        let words = ["wine", "d3d9.exe", "glsl.bin"].map(OsStr::new);
        let reference = self.draw(self.command(&words), "glsl.bin")?;
        let mut tally = Tally::default();
        for all in ["0", "1"] {
            let file = format!("arb{all}.bin");
            let words = ["gl", "--", "wine", "d3d9.exe", &file].map(OsStr::new);
            let mut command = self.command(&[&[glasm.get_program()], &words[..]].concat());
            command.env(ARB.0, ARB.1).env("GLASM_LOG", "info");
            if all == "1" {
                command.env("GLASM_ALL", all);
            }
            let drawn = self.draw(command, &file)?;
            tally += compare(&reference, &drawn)?;
            // Otherwise Wine would have been compared with itself.
            let loads = drawn.output.contains("ArbVp1_0") && drawn.output.contains("ArbFp1_0");
            if !loads {
                println!("FAIL the library has loaded no programs of Wine");
            }
            tally += Tally::check(loads);
        }
        Ok(tally)
    }

    /// Runs the program of Direct3D, and reads the image that it drew.
    fn draw(&self, mut command: Command, file: &str) -> Result<Drawn> {
        let path = self.out.join(file);
        if path.exists() {
            std::fs::remove_file(&path)?;
        }
        let transcript = shell::tee(&mut command)?;
        if !transcript.success {
            bail!("the program of Direct3D failed");
        }
        Ok(Drawn {
            images: std::fs::read(&path).with_context(|| path.display().to_string())?,
            output: transcript.text,
        })
    }
}

/// Counts the lines of passed and failed cases; a program that fails without such a line is a
/// failure, too.
fn count_cases(transcript: &shell::Transcript) -> Tally {
    let count = |word| {
        let lines = transcript.text.lines();
        lines.filter(|line| line.starts_with(word)).count() as u64
    };
    let mut tally = Tally {
        passed: count("PASS "),
        failed: count("FAIL "),
        skipped: 0,
    };
    if tally.failed == 0 && (!transcript.success || tally.passed == 0) {
        tally.failed = 1;
    }
    tally
}

/// Output of the program of Direct3D.
struct Drawn {
    /// Images of all cases.
    images: Vec<u8>,
    /// Printed output.
    output: String,
}

impl Drawn {
    /// Returns names and images of the cases.
    fn cases(&self) -> Result<Vec<(&str, &[u8])>> {
        let lines = self.output.lines();
        let names = lines.filter_map(|line| line.trim_end().strip_prefix("CASE "));
        let cases: Vec<_> = names.zip(self.images.chunks_exact(IMAGE_BYTES)).collect();
        if cases.is_empty() || cases.len() * IMAGE_BYTES != self.images.len() {
            bail!("names and images of Direct3D do not match");
        }
        // A shader that does not link draws nothing, or the same as the one before it.
        if cases.windows(2).any(|pair| pair[0].1 == pair[1].1) {
            bail!("two cases of Direct3D have the same image");
        }
        Ok(cases)
    }
}

/// Compares the images of each case: channels may differ by one step of eight bits.
fn compare(reference: &Drawn, drawn: &Drawn) -> Result<Tally> {
    let (expected, found) = (reference.cases()?, drawn.cases()?);
    let mut tally = Tally::check(expected.len() == found.len());
    for ((name, expected), (_, found)) in expected.iter().zip(&found) {
        let differences = expected.iter().zip(*found).map(|(a, b)| a.abs_diff(*b));
        let largest = differences.max().unwrap_or(0);
        if largest > 1 {
            println!("FAIL {name}: channels differ by up to {largest}");
        }
        tally += Tally::check(largest <= 1);
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(color: u8, names: &str) -> Drawn {
        Drawn {
            images: vec![color; IMAGE_BYTES],
            output: names.to_owned(),
        }
    }

    #[test]
    fn images_may_differ_by_one_step() {
        let reference = drawn(10, "CASE a\r\n");
        let failed = |color| {
            compare(&reference, &drawn(color, "CASE a\n"))
                .unwrap()
                .failed
        };
        assert_eq!((failed(11), failed(12)), (0, 1));
    }

    #[test]
    fn every_image_has_a_name() {
        assert!(drawn(0, "").cases().is_err());
        assert_eq!(drawn(0, "CASE a\n").cases().unwrap().len(), 1);
        let twice = Drawn {
            images: vec![0; 2 * IMAGE_BYTES],
            output: "CASE a\nCASE b\n".to_owned(),
        };
        assert!(twice.cases().is_err());
    }
}
