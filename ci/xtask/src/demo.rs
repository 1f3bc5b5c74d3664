//! `cargo xtask demo`: from a fresh machine to a gallery of the images and values that the sample
//! programs produce.

use crate::requirements::Purpose;
use crate::{setup, suite};
use anyhow::{Context, Result, bail};
use glasm_ci_support::report::{Outcome, ScriptResult};
use glasm_ci_support::{report, shell, vulkan};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Explains the command.
pub(crate) const HELP: &str = "\
Installs what is missing (as setup --yes does), builds the glasm command, runs every script in
shaders/ on the best Vulkan device present, and writes pictures, printed numbers and program texts
to out/gallery/index.html.";

/// Output directory of the gallery.
const GALLERY: &str = "out/gallery";

/// Sample programs.
const SAMPLES: &str = "shaders";

/// Runs `cargo xtask demo`: draws the sample programs and writes a page with their images. Returns
/// exit code 1 if a script fails, and an error if no report is written.
pub(crate) fn run_command() -> Result<ExitCode> {
    setup::ensure_installed(Purpose::Demo)?;
    // The dev profile compiles dependencies optimized and this workspace fast, so the first image
    // is available soonest.
    shell::run_checked(shell::cargo().args(["build", "--package", "glasm-cli"]))?;
    let dir = Path::new(GALLERY);
    shell::create_empty_dir(dir)?;
    let report = dir.join("report.json");
    let mut command = suite::glasm_command()?;
    command
        .args(["run", SAMPLES])
        .arg("--json")
        .arg(&report)
        .arg("--save-images")
        .arg(dir);
    // Without a driver selected in the environment, `glasm run` prefers a real GPU to a CPU driver;
    // if no driver is installed for the loader, SwiftShader is used.
    if vulkan::find_lavapipe().is_none()
        && let Some(driver) = vulkan::find_swiftshader()
        && std::env::var_os("VK_DRIVER_FILES").is_none()
    {
        vulkan::use_driver(&mut command, &driver);
    }
    let transcript = shell::run_and_capture(&mut command)?;
    if !report.is_file() {
        bail!(
            "the samples did not run; `cargo run -p glasm-cli -- devices` shows the Vulkan devices of this machine"
        );
    }
    let results = report::read_report(&report)?;
    let page = write_page(dir, &results)?;
    for image in results.iter().flat_map(|result| &result.images) {
        println!("picture  {}", image.display());
    }
    println!("gallery  {}", page.canonicalize().unwrap_or(page).display());
    Ok(ExitCode::from(u8::from(!transcript.success)))
}

const STYLE: &str = "\
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
article { border-top: 1px solid #8888; padding: 1rem 0; }
img { max-width: 100%; image-rendering: pixelated; background: #8882; margin: 0 .5rem .5rem 0; }
pre { overflow-x: auto; background: #8882; padding: .75rem; font-size: .85rem; }
.fail { color: #c33; } .skip { color: #b80; } .pass { color: #282; }";

/// Writes the gallery page of the results into `dir` and returns its path.
fn write_page(dir: &Path, results: &[ScriptResult]) -> Result<PathBuf> {
    let mut page = String::new();
    page.push_str("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n");
    page.push_str(
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>glasm gallery</title>\n",
    );
    let _ = write!(page, "<style>\n{STYLE}\n</style>\n<h1>glasm gallery</h1>\n");
    page.push_str("<p>What the sample programs in <code>shaders/</code> drew and computed on this machine.</p>\n");
    for result in results {
        let text =
            std::fs::read(&result.script).with_context(|| format!("reading {}", result.script))?;
        write_article(&mut page, dir, result, &String::from_utf8_lossy(&text));
    }
    page.push_str("</html>\n");
    let file = dir.join("index.html");
    std::fs::write(&file, page).with_context(|| format!("writing {}", file.display()))?;
    Ok(file)
}

// Writing into a String cannot fail, so the results of `write!` are dropped here.
/// Appends a script to the page: name, outcome, program, and the images and values that it
/// produced.
fn write_article(page: &mut String, dir: &Path, result: &ScriptResult, text: &str) {
    let (word, class) = match result.outcome {
        Outcome::Pass => ("passed", "pass"),
        Outcome::Fail => ("failed", "fail"),
        Outcome::Skip => ("skipped", "skip"),
    };
    let name = Path::new(&result.script)
        .file_stem()
        .map(|stem| stem.to_string_lossy())
        .unwrap_or_default();
    let _ = writeln!(
        page,
        "<article>\n<h2>{} <small class=\"{class}\">{word}</small></h2>",
        escape(&name)
    );
    let description = read_description(text);
    if !description.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", escape(&description));
    }
    for image in &result.images {
        let link = image
            .strip_prefix(dir)
            .unwrap_or(image)
            .to_string_lossy()
            .replace('\\', "/");
        let _ = writeln!(page, "<img src=\"{0}\" alt=\"{0}\">", escape(&link));
    }
    if !result.output.is_empty() {
        let _ = writeln!(page, "<pre>{}</pre>", escape(&result.output.join("\n")));
    }
    let _ = writeln!(
        page,
        "<details><summary><code>{}</code></summary>\n<pre>{}</pre></details>\n</article>",
        escape(&result.script),
        escape(text)
    );
}

/// Returns the comment at the top of a script as one line of text: without `#`, empty lines and
/// `covers:` lines, joined by spaces.
fn read_description(text: &str) -> String {
    let lines = text
        .lines()
        .map_while(|line| line.strip_prefix('#'))
        .map(str::trim);
    let prose: Vec<&str> = lines
        .filter(|line| !line.starts_with("covers:") && !line.is_empty())
        .collect();
    prose.join(" ")
}

/// Escapes the characters that HTML reserves.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{read_description, write_article};
    use glasm_ci_support::report::{Outcome, ScriptResult};
    use std::path::{Path, PathBuf};

    #[test]
    fn the_description_is_the_first_comment() {
        let text = "# A fractal,\n# zoomed.\n# covers: gp.op.REP\n[require]\n# not this\n";
        assert_eq!(read_description(text), "A fractal, zoomed.");
        assert_eq!(read_description("[require]\n"), "");
    }

    #[test]
    fn text_is_escaped_and_pictures_are_relative() {
        let result = ScriptResult {
            script: "shaders/a.shader_test".to_owned(),
            outcome: Outcome::Pass,
            images: vec![PathBuf::from("out/gallery/a.png")],
            output: vec!["1 < 2".to_owned()],
            ..ScriptResult::default()
        };
        let mut page = String::new();
        write_article(&mut page, Path::new("out/gallery"), &result, "<&>");
        assert!(page.contains("<img src=\"a.png\""));
        assert!(page.contains("1 &lt; 2"));
        assert!(page.contains("&lt;&amp;&gt;"));
    }
}
