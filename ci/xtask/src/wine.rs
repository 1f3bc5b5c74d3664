//! Windows programs on Wine as applications of the vendor library, in front of Mesa's OpenGL driver for the CPU.

use crate::tally::Tally;
use crate::{opengl, reference, shell, suite};
use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Directory of the sources.
const SOURCES: &str = "glvendor/tests/wine";

/// Directory of the programs and of Wine's files: `~/.wine` is not touched.
const OUT: &str = "target/wine";

/// Compiler for Windows programs of 64 bits.
const COMPILER: &str = "x86_64-w64-mingw32-gcc";

/// Seconds after which a program is killed; creating Wine's files needs the most time.
const SECONDS: &str = "300";

/// Wine's settings for Direct3D as assembly; see docs/driver.md.
const ASSEMBLY: &str = "shader_backend=arb,MaxVersionGL=0x20001";

/// Returns the name of something that is not installed.
fn missing() -> Option<&'static str> {
    let has = |name: &str| shell::find_program(name).is_some();
    let needs = [
        ("Wine", has("wine") && has("wineserver")),
        ("mingw-w64", has(COMPILER)),
        ("Xvfb", has("xvfb-run")),
        (
            "Mesa's GLX",
            opengl::glx_present() && opengl::mesa_present(),
        ),
    ];
    let missing = needs.into_iter().find(|(_, is_there)| !is_there);
    missing.map(|(what, _)| what)
}

/// The step of `cargo xtask test`.
pub(crate) fn test() -> Result<Tally> {
    if let Some(what) = missing() {
        println!("{what} is not installed: skipped");
        return Ok(Tally::skip());
    }
    let packages = ["--package", "glasm-cli", "--package", "glasm-glvendor"];
    shell::run(shell::cargo().arg("build").args(packages))?;
    std::fs::create_dir_all(Path::new(OUT).join("run")).context(OUT)?;
    let out = Path::new(OUT).canonicalize().context(OUT)?;
    let wgl = build(&out, "wgl", &["-lopengl32", "-lgdi32"])?;
    let d3d9 = build(&out, "d3d9", &["-ld3d9", "-lgdi32"])?;
    let mut boot = Command::new("xvfb-run");
    boot.args(["-a", "timeout", SECONDS, "wine", "wineboot", "-i"]);
    let booted = run(&out, boot)?;
    if !booted.status.success() {
        return Ok(Tally::check(false));
    }
    let mut tally = Tally::check(passes(&run(&out, with_library(&wgl)?)?));
    let mut alone = Command::new("xvfb-run");
    alone.args(["-a", "timeout", SECONDS, "wine"]).arg(&d3d9);
    let reference = run(&out, alone)?;
    tally += Tally::check(passes(&reference));
    for all in ["0", "1"] {
        let mut command = with_library(&d3d9)?;
        command.env("WINE_D3D_CONFIG", ASSEMBLY);
        command.env("GLASM_ALL", all);
        let image = run(&out, command)?;
        let is_equal = image.stdout == reference.stdout;
        if !is_equal {
            println!("GLASM_ALL={all}: the image differs from that of Wine's GLSL");
        }
        tally += Tally::check(passes(&image) && is_equal);
    }
    Ok(tally)
}

/// Builds a program, and returns its path.
fn build(out: &Path, name: &str, libraries: &[&str]) -> Result<PathBuf> {
    let program = out.join(format!("{name}.exe"));
    let mut command = Command::new(COMPILER);
    command.args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"]);
    command.arg(&program);
    command.arg(Path::new(SOURCES).join(format!("{name}.c")));
    shell::run(command.args(libraries))?;
    Ok(program)
}

/// Returns the command that runs a program with the vendor library.
fn with_library(program: &Path) -> Result<Command> {
    let mut command = Command::new("xvfb-run");
    command.args(["-a", "timeout", SECONDS]);
    command.arg(suite::glasm()?.get_program());
    command.args(["gl", "--", "wine"]).arg(program);
    Ok(command)
}

/// Runs a command with Wine's files below `out`, and ends all of Wine's processes that it has started.
fn run(out: &Path, mut command: Command) -> Result<Output> {
    let prefix = out.join("prefix");
    command.env("WINEPREFIX", &prefix);
    command.env("WINEARCH", "win64");
    command.env("WINEDEBUG", "-all");
    // Neither Mono nor Gecko is asked for.
    command.env("WINEDLLOVERRIDES", "mscoree,mshtml=d;winedbg.exe=d");
    command.env("XDG_RUNTIME_DIR", out.join("run"));
    reference::use_gallium(&mut command, "llvmpipe");
    println!("$ {}", shell::display(&command));
    let output = shell::capture(&mut command);
    let mut end = Command::new("wineserver");
    end.arg("-k").env("WINEPREFIX", &prefix);
    // It fails if no process is left.
    shell::capture(&mut end)?;
    output
}

/// Whether a program reports that all pixels are right; prints what it reports otherwise.
fn passes(output: &Output) -> bool {
    let is_right = output.status.success();
    if !is_right {
        print!("{}", String::from_utf8_lossy(&output.stdout));
        print!("{}", String::from_utf8_lossy(&output.stderr));
        println!("{}", output.status);
    }
    is_right
}
