//! Programs of Windows in Wine as applications of the vendor library: `glvendor/tests/wine`. One
//! has OpenGL and compares pixels with arithmetic; the other has Direct3D 9, which Wine translates
//! to programs of the ARB and NV languages, compared with its translation to GLSL.

use crate::{suite, workspace_build};
use anyhow::{Context as _, Result, bail};
use glasm_ci_support::counts::Counts;
use glasm_ci_support::shell;
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

/// Runs the step that builds Windows clients and runs them in Wine on the vendor library.
pub(crate) fn run_step() -> Result<Counts> {
    workspace_build::build_workspace()?;
    shell::create_dir(&OUT)?;
    let out = OUT
        .canonicalize()
        .with_context(|| OUT.display().to_string())?;
    let prefix = WinePrefix::new(out.join("prefix"), PathBuf::from("wineserver"));
    let wine = Wine { out, prefix };
    build_program("wgl", &["-lopengl32", "-lgdi32"])?;
    build_program("d3d9", &["-ld3d9"])?;
    let mut tally = wine.test_opengl()?;
    tally += wine.test_direct3d()?;
    Ok(tally)
}

/// Compiles a C program for Windows to an executable in [`OUT`].
fn build_program(name: &str, libraries: &[&str]) -> Result<()> {
    let mut command = Command::new(COMPILER);
    command.args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]);
    command.arg(OUT.join(format!("{name}.exe")));
    command.arg(Path::new(SOURCES).join(format!("{name}.c")));
    shell::run_checked(command.args(libraries))
}

/// Prefix of Wine: the directory of its settings. Its server ends when this is dropped.
pub(crate) struct WinePrefix {
    directory: PathBuf,
    /// Program that ends all processes of a prefix.
    server: PathBuf,
}

impl WinePrefix {
    /// Creates the description of a prefix, which Wine creates when a program first runs.
    pub(crate) fn new(directory: PathBuf, server: PathBuf) -> Self {
        Self { directory, server }
    }

    /// Sets the prefix, and turns off the installers of .NET and HTML, which would wait for an
    /// answer.
    pub(crate) fn set_variables(&self, command: &mut Command) {
        command
            .env("WINEPREFIX", &self.directory)
            .env("WINEDLLOVERRIDES", "mscoree,mshtml=")
            .env("WINEDEBUG", "-all");
    }
}

impl Drop for WinePrefix {
    fn drop(&mut self) {
        let mut command = Command::new(&self.server);
        self.set_variables(&mut command);
        // This fails if no server is running, which is fine.
        let _ = shell::capture_output(command.arg("-k"));
    }
}

/// Wine with the directory of the programs and their images.
struct Wine {
    out: PathBuf,
    prefix: WinePrefix,
}

impl Wine {
    /// Returns a command that runs these words on a separate X server, with a time limit.
    fn build_command(&self, words: &[&OsStr]) -> Command {
        let mut command = Command::new("xvfb-run");
        command.args(["-a", "-s", "-screen 0 640x480x24 -noreset"]);
        command.args(["timeout", "-k", "5", SECONDS]).args(words);
        command.current_dir(&self.out);
        command.env("LIBGL_ALWAYS_SOFTWARE", "1");
        self.prefix.set_variables(&mut command);
        command
    }

    /// Runs the program of OpenGL through the library and counts its cases.
    fn test_opengl(&self) -> Result<Counts> {
        let glasm = suite::glasm_command()?;
        let words = ["gl", "--", "wine", "wgl.exe"].map(OsStr::new);
        let mut command = self.build_command(&[&[glasm.get_program()], &words[..]].concat());
        let transcript = shell::run_and_capture(&mut command)?;
        Ok(count_cases(&transcript))
    }

    /// Compares the images of Direct3D through the library with those of Wine's GLSL, first with
    /// the programs that the driver lacks, then with all.
    fn test_direct3d(&self) -> Result<Counts> {
        let glasm = suite::glasm_command()?;
        let words = ["wine", "d3d9.exe", "glsl.bin"].map(OsStr::new);
        let reference = self.draw_images(self.build_command(&words), "glsl.bin")?;
        let mut tally = Counts::default();
        for all in ["0", "1"] {
            let file = format!("arb{all}.bin");
            let words = ["gl", "--", "wine", "d3d9.exe", &file].map(OsStr::new);
            let mut command = self.build_command(&[&[glasm.get_program()], &words[..]].concat());
            command.env(ARB.0, ARB.1).env("GLASM_LOG", "info");
            if all == "1" {
                command.env("GLASM_COMPILE_ARB_PROGRAMS", all);
            }
            let drawn = self.draw_images(command, &file)?;
            tally += compare_images(&reference, &drawn)?;
            // Otherwise Wine would have been compared with itself.
            let loads = drawn.output.contains("ArbVp1_0") && drawn.output.contains("ArbFp1_0");
            if !loads {
                shell::report_failure("FAIL the library has loaded no programs of Wine");
            }
            tally += Counts::from_check(loads);
        }
        Ok(tally)
    }

    /// Runs the Direct3D client and returns the images that it has written to `file`, with its
    /// output.
    fn draw_images(&self, mut command: Command, file: &str) -> Result<DrawnImages> {
        let path = self.out.join(file);
        if path.exists() {
            std::fs::remove_file(&path)?;
        }
        let transcript = shell::run_and_capture(&mut command)?;
        if !transcript.success {
            bail!("the program of Direct3D failed");
        }
        Ok(DrawnImages {
            images: std::fs::read(&path).with_context(|| path.display().to_string())?,
            output: transcript.text,
        })
    }
}

/// Counts the lines of passed and failed cases; a program that fails without such a line is a
/// failure, too.
fn count_cases(transcript: &shell::CapturedOutput) -> Counts {
    let count = |word| {
        let lines = transcript.text.lines();
        lines.filter(|line| line.starts_with(word)).count() as u64
    };
    let mut tally = Counts {
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
struct DrawnImages {
    /// Images of all cases.
    images: Vec<u8>,
    /// Printed output.
    output: String,
}

impl DrawnImages {
    /// Pairs the names of the cases with their images. Fails if the numbers differ or two
    /// consecutive images are equal.
    fn pair_cases(&self) -> Result<Vec<(&str, &[u8])>> {
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
fn compare_images(reference: &DrawnImages, drawn: &DrawnImages) -> Result<Counts> {
    let (expected, found) = (reference.pair_cases()?, drawn.pair_cases()?);
    let mut tally = Counts::from_check(expected.len() == found.len());
    for ((name, expected), (_, found)) in expected.iter().zip(&found) {
        let differences = expected.iter().zip(*found).map(|(a, b)| a.abs_diff(*b));
        let largest = differences.max().unwrap_or(0);
        if largest > 1 {
            shell::report_failure(&format!("FAIL {name}: channels differ by up to {largest}"));
        }
        tally += Counts::from_check(largest <= 1);
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(color: u8, names: &str) -> DrawnImages {
        DrawnImages {
            images: vec![color; IMAGE_BYTES],
            output: names.to_owned(),
        }
    }

    #[test]
    fn images_may_differ_by_one_step() {
        let reference = drawn(10, "CASE a\r\n");
        let failed = |color| {
            compare_images(&reference, &drawn(color, "CASE a\n"))
                .unwrap()
                .failed
        };
        assert_eq!((failed(11), failed(12)), (0, 1));
    }

    #[test]
    fn every_image_has_a_name() {
        assert!(drawn(0, "").pair_cases().is_err());
        assert_eq!(drawn(0, "CASE a\n").pair_cases().unwrap().len(), 1);
        let twice = DrawnImages {
            images: vec![0; 2 * IMAGE_BYTES],
            output: "CASE a\nCASE b\n".to_owned(),
        };
        assert!(twice.pair_cases().is_err());
    }
}
