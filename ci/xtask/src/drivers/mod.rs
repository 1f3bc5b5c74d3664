//! Scripts on newer versions of Mesa than the system's: those of Debian 13 and of Debian's
//! unstable, on Vulkan and through the vendor library.
//!
//! The machine is not changed: packages are unpacked below `target`, and programs see their files
//! at `/usr` and `/etc` in a mount namespace of a process, which ends with it. Lists in
//! `tests/drivers` name the known differences on a version, with the reasons; a record for each
//! version on Vulkan lists all scripts that did not pass, for `docs/support.md`.

pub(crate) mod record;

use crate::suite;
use crate::unpacked::{self, Origin};
use crate::{installed, vendor};
use anyhow::{Context as _, Result, bail, ensure};
use glasm_ci_support::report::SCRIPTS;
use glasm_ci_support::tally::{Skip, Tally};
use glasm_ci_support::{shell, vulkan};
use record::Version;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Instant;

/// Directory of packages and reports, with one of each suite.
static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("drivers"));

/// Suites of Debian.
const SUITES: [&str; 2] = ["trixie", "sid"];

/// Mesa's drivers for the CPU, the loaders, and the compilers of shaders that scripts name.
const PACKAGES: &[&str] = &[
    "mesa-vulkan-drivers",
    "libvulkan1",
    "libgl1-mesa-dri",
    "libegl1",
    "libegl-mesa0",
    "libgl1",
    "libgles2",
    "libglx-mesa0",
    "spirv-tools",
    "glslang-tools",
];

/// Properties that the drivers must not derive from the CPU, or from earlier runs.
const VARIABLES: [(&str, &str); 2] = [
    ("LP_NATIVE_VECTOR_WIDTH", "256"),
    ("MESA_SHADER_CACHE_DISABLE", "true"),
];

/// Arguments that create a mount namespace. The second list also creates a user namespace, which
/// needs no privileges if the system permits it.
const NAMESPACES: [&[&str]; 2] = [
    &["--mount", "--propagation", "private"],
    &["--map-root-user", "--mount", "--propagation", "private"],
];

/// Script that runs in the namespace: `$1` are the unpacked packages, `$2` is the workspace, which
/// becomes read-only, `$3` is the directory for the output of the program. The shell needs no file
/// after its `/usr` is gone.
const ENTER: &str = "\
    mount --bind \"$2\" \"$2\"; mount -o remount,bind,ro \"$2\"; mount --bind \"$3\" \"$3\"; mount -o remount,bind,rw \"$3\"; \
    mount --bind \"$1/etc\" /etc; mount --bind \"$1/usr\" /usr; cd \"$2\"; shift 3; exec \"$@\"";

/// Interfaces that scripts run through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Interface {
    /// All scripts on lavapipe.
    Vulkan,
    /// Scripts with programs of the NV languages through the vendor library, on llvmpipe.
    Vendor,
}

impl Interface {
    const ALL: [Self; 2] = [Self::Vulkan, Self::Vendor];

    /// Returns the word in names of files.
    fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::Vendor => "vendor",
        }
    }

    /// Returns the minimum number of passing scripts: fewer would mean that the driver did not
    /// start, or lacks a feature that most need.
    fn least(self) -> u64 {
        match self {
            Self::Vulkan => 3500,
            Self::Vendor => 1500,
        }
    }
}

/// Unpacked packages of a suite.
struct Root {
    /// Directory that is mounted as the root of the file system.
    folder: PathBuf,
    /// Reports, and output of the programs.
    out: PathBuf,
    /// Arguments of `unshare`.
    namespace: &'static [&'static str],
    version: Version,
}

/// Runs the step of `cargo xtask test`. Drivers that cannot be fetched or entered here are skipped.
pub(crate) fn test() -> Result<Tally> {
    check_machine()?;
    shell::run(shell::cargo().args(["build", "--package", "glasm-glvendor"]))?;
    let mut tally = Tally::default();
    for suite in SUITES {
        match Root::prepare(suite) {
            Ok(root) => {
                for interface in Interface::ALL {
                    tally += run(&root, suite, interface)?;
                }
            }
            Err(error) => {
                println!("Mesa of Debian's suite {suite} cannot be had: {error:#}: skipped");
                tally += Tally::skip();
            }
        }
    }
    Ok(tally)
}

/// Skips the step where packages of Debian cannot run in a namespace.
fn check_machine() -> Result<()> {
    ensure!(
        cfg!(target_os = "linux") && unpacked::possible(),
        Skip::because("other versions of Mesa come from packages of Debian")
    );
    ensure!(
        installed::has_program("unshare"),
        Skip::because("unshare, of util-linux, is not installed")
    );
    let libraries = std::fs::read_link("/lib").unwrap_or_default();
    ensure!(
        libraries.ends_with("usr/lib"),
        Skip::because("the system's libraries are not all in /usr")
    );
    let workspace = std::env::current_dir()?;
    ensure!(
        !["/usr", "/etc"].iter().any(|it| workspace.starts_with(it)),
        Skip::because("the workspace is in a folder that the packages replace")
    );
    Ok(())
}

impl Root {
    /// Unpacks the packages of a suite, unless that was done, and tries to run the command in them.
    fn prepare(suite: &str) -> Result<Self> {
        let folder = std::path::absolute(OUT.join(suite))?;
        let packages = folder.join("packages");
        let root = unpacked::unpack(&packages, Origin::Suite(suite), PACKAGES)?;
        let out = folder.join("out");
        std::fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
        let version = find_version(&root)?.context("the packages have no Mesa")?;
        let mut reason = String::new();
        for namespace in NAMESPACES {
            let root = Self {
                folder: root.clone(),
                out: out.clone(),
                namespace,
                version,
            };
            let mut command = suite::glasm()?;
            command.arg("--version");
            let output = shell::capture(&mut root.enter(&command)?)?;
            if output.status.success() {
                return Ok(root);
            }
            reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        }
        bail!("the command does not run there: {reason}")
    }

    /// Returns the command as it runs in the unpacked packages, with the same arguments and
    /// variables.
    fn enter(&self, command: &Command) -> Result<Command> {
        let mut inside = Command::new("unshare");
        inside.args(self.namespace).args(["sh", "-ec", ENTER, "sh"]);
        inside.args([&self.folder, &std::env::current_dir()?, &self.out]);
        inside.arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => inside.env(name, value),
                None => inside.env_remove(name),
            };
        }
        inside.envs(VARIABLES);
        Ok(inside)
    }

    /// Returns the command that runs the scripts, as outside of the namespace.
    fn command(&self, interface: Interface, list: &Path, report: &Path) -> Result<Command> {
        match interface {
            Interface::Vulkan => {
                let inside = "usr/share/vulkan/icd.d";
                let driver = vulkan::lavapipe_in(&self.folder.join(inside));
                let mut driver = driver.context("the packages have no lavapipe")?;
                driver.manifest = Path::new("/").join(driver.manifest.strip_prefix(&self.folder)?);
                let mut command = suite::glasm()?;
                vulkan::use_driver(&mut command, &driver);
                command.arg("run").args(SCRIPTS).arg(record::FOLDER);
                command.args(["--validation", "off", "--expected-failures"]);
                command.arg(list).arg("--json").arg(report);
                Ok(command)
            }
            Interface::Vendor => {
                let mut command = vendor::nv_command(list, report, &self.out)?;
                command.arg(record::FOLDER);
                Ok(command)
            }
        }
    }
}

/// Runs the scripts on one driver. If the list is that of another version, differences are shown
/// and reported as skipped: they may be the driver's.
fn run(root: &Root, suite: &str, interface: Interface) -> Result<Tally> {
    let name = format!("{}, Mesa {} of {suite}", interface.name(), root.version);
    let lists = record::find(interface.name(), "txt")?;
    let (of, list) =
        nearest(&lists, root.version).with_context(|| format!("no list for {name}"))?;
    let report = root.out.join(format!("{}.json", interface.name()));
    if report.exists() {
        std::fs::remove_file(&report)?;
    }
    let start = Instant::now();
    let command = root.enter(&root.command(interface, list, &report)?)?;
    let (tally, results) = suite::run_reported(command, &report, &name)?;
    let mut tally = tally.with_least(interface.least(), "scripts");
    if interface == Interface::Vulkan && *of == root.version {
        tally += record::check(root.version, &results)?;
    }
    println!("{name}: {tally}, {:.0} s", start.elapsed().as_secs_f64());
    if *of != root.version && tally.failed > 0 {
        println!("there is no list for this version, only that of {of}: failures count as skipped");
        tally = Tally {
            failed: 0,
            skipped: tally.skipped + tally.failed,
            ..tally
        };
    }
    println!();
    Ok(match interface {
        Interface::Vulkan => tally,
        // Scripts that need features that OpenGL or the driver lacks are ignored here.
        Interface::Vendor => tally.without_skipped(),
    })
}

/// Returns the list of this version, otherwise that of the last version before it, otherwise the
/// first one.
fn nearest<T>(lists: &BTreeMap<Version, T>, version: Version) -> Option<(&Version, &T)> {
    lists
        .range(..=version)
        .next_back()
        .or_else(|| lists.first_key_value())
}

/// Returns the version of Mesa in unpacked packages, which the name of its largest library has.
fn find_version(root: &Path) -> Result<Option<Version>> {
    let libraries = root.join("usr/lib");
    for folder in std::fs::read_dir(&libraries).with_context(|| libraries.display().to_string())? {
        let Ok(files) = std::fs::read_dir(folder?.path()) else {
            continue;
        };
        for file in files {
            let name = file?.file_name().to_string_lossy().into_owned();
            let version = name.strip_prefix("libgallium-").and_then(Version::parse);
            if version.is_some() {
                return Ok(version);
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_list_is_that_of_the_last_version_before() {
        let versions = ["25.0", "26.2"].map(|it| Version::parse(it).unwrap());
        let lists = BTreeMap::from(versions.map(|it| (it, it.to_string())));
        let of = |text: &str| {
            let version = Version::parse(text).unwrap();
            nearest(&lists, version).map(|(_, list)| list.as_str())
        };
        assert_eq!(of("25.0.7-2+deb13u1.so"), Some("25.0"));
        assert_eq!(of("26.1.0"), Some("25.0"));
        assert_eq!(of("27.0"), Some("26.2"));
        assert_eq!(of("24.3"), Some("25.0"));
        assert_eq!(nearest(&BTreeMap::<Version, ()>::new(), versions[0]), None);
    }
}
