//! The archive for all distributions, and the files that it shares with the packages of Debian.

use super::build::Builds;
use super::release::Release;
use super::tree::{Tree, write_archive};
use anyhow::{Context as _, Result};
use glasm_ci_support::shell;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Completion scripts: the shell, and the path below the directory for data.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/glasm"),
    ("zsh", "zsh/site-functions/_glasm"),
    ("fish", "fish/vendor_completions.d/glasm.fish"),
];

/// Documents of the repository that are installed.
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Script in the archive that installs it.
const INSTALL: &str = include_str!("install.sh");

/// Writes the archive with the debug information of all binaries.
pub(super) fn write_debug_archive(builds: &Builds, release: &Release, output: &Path) -> Result<()> {
    let name = format!("glasm-{}-linux-x86_64-debug.tar.xz", release.version);
    write_archive(&builds.debug_directory, release, &output.join(name))
}

/// Writes the archive with the command and the vendor libraries.
pub(super) fn write_command_archive(
    builds: &Builds,
    licenses: &Path,
    release: &Release,
    output: &Path,
) -> Result<()> {
    let name = format!("glasm-{}-linux-x86_64", release.version);
    let tree = Tree::create(shell::below_target("dist/archive").join(&name))?;
    tree.add_program("bin/glasm", &builds.command)?;
    let [wide, narrow] = &builds.vendor_libraries;
    tree.add_data("lib/libglasm_glvendor.so", wide)?;
    tree.add_data("lib32/libglasm_glvendor.so", narrow)?;
    add_command_files(&tree, builds, "share", false)?;
    for document in DOCUMENTS {
        tree.add_data(&format!("share/doc/glasm/{document}"), Path::new(document))?;
    }
    for document in shell::find_files_below(Path::new("docs"), "md")? {
        tree.add_data(
            &format!("share/doc/glasm/{}", document.display()),
            &document,
        )?;
    }
    tree.add_data("share/doc/glasm/THIRD-PARTY-LICENSES.txt", licenses)?;
    let script = shell::write_program(&shell::below_target("dist/install.sh"), INSTALL)?;
    tree.add_program("install.sh", &script)?;
    let archive = output.join(format!("{name}.tar.xz"));
    write_archive(tree.root(), release, &archive)
}

/// Adds the manual pages and the completions of the command below the directory for data, as the
/// command prints them, the rules for applications and the playground. Debian compresses manual
/// pages.
pub(super) fn add_command_files(
    tree: &Tree,
    builds: &Builds,
    data: &str,
    is_compressed: bool,
) -> Result<()> {
    let pages = shell::below_target("dist/man");
    shell::create_empty_dir(&pages)?;
    let glasm = || Command::new(&builds.runnable_command);
    shell::run_checked(glasm().arg("man-pages").arg(&pages))?;
    for page in shell::find_files_below(&pages, "1")? {
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        let path = format!("{data}/man/man1/{name}");
        if is_compressed {
            tree.add_compressed(&format!("{path}.gz"), &fs::read(&page)?)?;
        } else {
            tree.add_data(&path, &page)?;
        }
    }
    for (name, path) in COMPLETIONS {
        let script = shell::read_checked_output(glasm().args(["completions", name]))?;
        tree.add_text(&format!("{data}/{path}"), script)?;
    }
    let rules = Path::new("share/applications.toml");
    tree.add_data(&format!("{data}/glasm/applications.toml"), rules)?;
    add_playground(tree, builds.playground.as_deref(), data)
}

/// Adds the files of the playground, if it was built, below the directory for data: those that
/// `glasm serve` reads, and not those for other servers.
pub(super) fn add_playground(tree: &Tree, site: Option<&Path>, data: &str) -> Result<()> {
    let Some(site) = site else { return Ok(()) };
    for entry in fs::read_dir(site).with_context(|| site.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "gz") {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        tree.add_data(&format!("{data}/glasm/playground/{name}"), &path)?;
    }
    Ok(())
}
