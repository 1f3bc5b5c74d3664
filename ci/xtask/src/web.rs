//! `cargo xtask web`: builds the playground, static files of a page and a WebAssembly module, and the
//! step that tests it in a browser.

use crate::{cross, installed};
use anyhow::{Context, Result, ensure};
use glasm_ci_support::counts::{Counts, Skip};
use glasm_ci_support::shell;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::LazyLock;

/// Explains the command.
pub(crate) const HELP: &str = "\
Needs Node.js, npm and the target wasm32-unknown-unknown (rustup target add wasm32-unknown-unknown).
Writes target/web/site, for any server of static files, and for `glasm serve --directory
target/web/site`. The packages of npm are those of web/page/package-lock.json.";

/// Sources of the page.
const PAGE: &str = "web/page";

/// Directory of the static files.
static SITE: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("web/site"));

/// Tests in the browser, below [`PAGE`].
const TESTS: &str = "tests/playground.mjs";

/// Runs `cargo xtask web`: builds the playground.
pub(crate) fn run_command() -> Result<ExitCode> {
    build_site()?;
    println!("{}", SITE.display());
    Ok(ExitCode::SUCCESS)
}

/// Returns the program of the browser that tests use.
pub(crate) fn find_browser() -> Option<PathBuf> {
    let mut names = ["chromium", "chromium-browser", "google-chrome"].iter();
    names.find_map(|name| shell::find_program(name))
}

/// Builds the playground for packages, and returns the directory of its files; `None` if this
/// machine cannot build it.
///
/// # Errors
///
/// If a build fails.
pub(crate) fn build_if_possible() -> Result<Option<PathBuf>> {
    if !cross::has_target(cross::WASM) || !installed::has_programs(&["node", "npm"]) {
        let target = cross::WASM;
        println!("packages do not contain the playground: Node.js or {target} is missing");
        return Ok(None);
    }
    build_site()?;
    Ok(Some(SITE.clone()))
}

/// Returns the directory of the files of the playground if it was built.
pub(crate) fn find_site() -> Option<PathBuf> {
    SITE.join("index.html").is_file().then(|| SITE.clone())
}

/// Builds the WebAssembly module and the page in [`SITE`].
///
/// # Errors
///
/// If a build fails, or if the module is larger than the page permits.
fn build_site() -> Result<()> {
    ensure!(
        installed::has_programs(&["node", "npm"]),
        "Node.js and npm are missing"
    );
    build_module()?;
    install_packages()?;
    run_in_page(&["npm", "run", "--silent", "check"])?;
    let site = std::path::absolute(&*SITE)?;
    let site = site.to_str().context("the path is not Unicode")?;
    run_in_page(&["node", "build.mjs", site])
}

/// Builds the WebAssembly module and its interface for JavaScript in the directory of the page.
fn build_module() -> Result<()> {
    let mut build = cross::cargo("build", cross::WASM)?;
    build.args(["--package", "glasm-web", "--lib"]);
    shell::run_checked(build.args(["--profile", "web"]))?;
    let module = cross::built_file(cross::WASM, "web", "glasm_web.wasm")?;
    let generated = Path::new(PAGE).join("generated");
    shell::create_empty_dir(&generated)?;
    let mut bindgen = shell::cargo();
    bindgen.args(["run", "--quiet", "--package", "glasm-web-bindgen"]);
    bindgen.args(["--features", "tool", "--target-dir"]);
    bindgen.arg(cross::build_directory()?).arg("--");
    shell::run_checked(bindgen.arg(module).arg(generated))
}

/// Installs the packages of the lock file, unless they are installed.
fn install_packages() -> Result<()> {
    let installed = Path::new(PAGE).join("node_modules/.package-lock.json");
    let lock = Path::new(PAGE).join("package-lock.json");
    let modified = |path: &Path| path.metadata().and_then(|it| it.modified()).ok();
    if modified(&installed) >= modified(&lock) && installed.is_file() {
        return Ok(());
    }
    // No package may run programs while it is installed; esbuild does not need its own.
    run_in_page(&["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"])
}

/// Runs a command in the directory of the page.
fn run_in_page(words: &[&str]) -> Result<()> {
    let mut command = Command::new(words[0]);
    shell::run_checked(command.args(&words[1..]).current_dir(PAGE))
}

/// Runs the step that builds the playground and tests it in the browser.
pub(crate) fn run_step() -> Result<Counts> {
    let browser = find_browser();
    let browser = browser.ok_or_else(|| Skip::with_reason("Chromium is not installed"))?;
    build_site()?;
    let command_line = crate::suite::glasm_command()?;
    let mut tests = Command::new("node");
    tests.arg(TESTS).current_dir(PAGE);
    tests.env("GLASM", command_line.get_program());
    tests.env("GLASM_SITE", std::path::absolute(&*SITE)?);
    tests.env("GLASM_BROWSER", browser);
    let output = shell::run_and_capture(&mut tests)?;
    Ok(Counts::from_test_output(&output.text, output.success))
}
