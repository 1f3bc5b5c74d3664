//! `cargo xtask demo`: from a fresh machine to a gallery of what the sample programs draw and
//! compute.

use crate::setup::{self, Purpose};
use crate::{gallery, suite};
use anyhow::{Result, bail};
use glasm_ci_support::{report, shell, vulkan};
use std::path::Path;
use std::process::ExitCode;

/// Explains the command.
pub(crate) const HELP: &str = "\
Installs what is missing (as setup --yes does), builds the glasm command, runs every script in
shaders/ on the best Vulkan device present, and writes pictures, printed numbers and program texts
to out/gallery/index.html.";

/// Where the gallery goes.
const GALLERY: &str = "out/gallery";

/// The sample programs.
const SAMPLES: &str = "shaders";

/// `cargo xtask demo`.
pub(crate) fn run() -> Result<ExitCode> {
    setup::ensure(Purpose::Demo)?;
    // The dev profile: it compiles dependencies optimized and ours fast, so the first picture comes
    // soonest.
    shell::run(shell::cargo().args(["build", "--package", "glasm-cli"]))?;
    let dir = Path::new(GALLERY);
    shell::create_empty_dir(dir)?;
    let report = dir.join("report.json");
    let mut command = suite::glasm()?;
    command
        .args(["run", SAMPLES])
        .arg("--json")
        .arg(&report)
        .arg("--save-images")
        .arg(dir);
    // Without a driver of its own choice in the environment, `glasm run` takes a real GPU before a
    // CPU driver; if no driver is installed for the loader, SwiftShader will do.
    if vulkan::lavapipe().is_none()
        && let Some(driver) = vulkan::swiftshader()
        && std::env::var_os("VK_DRIVER_FILES").is_none()
    {
        vulkan::use_driver(&mut command, &driver);
    }
    let transcript = shell::tee(&mut command)?;
    if !report.is_file() {
        bail!(
            "the samples did not run; `cargo run -p glasm-cli -- devices` shows the Vulkan devices of this machine"
        );
    }
    let results = report::read_report(&report)?;
    let page = gallery::write(dir, &results)?;
    for image in results.iter().flat_map(|result| &result.images) {
        println!("picture  {}", image.display());
    }
    println!("gallery  {}", page.canonicalize().unwrap_or(page).display());
    Ok(ExitCode::from(u8::from(!transcript.success)))
}
