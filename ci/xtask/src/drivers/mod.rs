//! Scripts on newer versions of Mesa than the system's: those of Debian 13 and of Debian's
//! unstable, on Vulkan and through the vendor library.
//!
//! The machine is not changed: packages are unpacked below `target`, and programs see their files
//! at `/usr` and `/etc` in a mount namespace of a process, which ends with it. Lists in
//! `tests/drivers` name the known differences on a version, with the reasons; a record for each
//! version on Vulkan lists all scripts that did not pass, for `docs/support.md`.

pub(crate) mod record;

use crate::downloads::{self, Download};
use crate::suite;
use crate::workspace_build;
use crate::{installed, script_steps};
use anyhow::{Context as _, Result, bail, ensure};
use glasm_ci_support::counts::{Counts, Skip};
use glasm_ci_support::report::SCRIPTS;
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

/// Suite with the newest LLVM, whose optimizations are tested in addition to Mesa.
const OPTIMIZING_SUITE: &str = "sid";

/// Mesa's drivers for the CPU, the loaders, and the compilers of shaders that scripts name.
const PACKAGES: &str = "mesa-vulkan-drivers libvulkan1 libgl1-mesa-dri libegl1 libegl-mesa0 libgl1 \
    libgles2 libglx-mesa0 spirv-tools glslang-tools";

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
enum ScriptInterface {
    /// All scripts on lavapipe.
    Vulkan,
    /// Scripts with programs of the NV languages through the vendor library, on llvmpipe.
    Vendor,
}

impl ScriptInterface {
    const ALL: [Self; 2] = [Self::Vulkan, Self::Vendor];

    /// Returns the name of the interface in file names.
    fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::Vendor => "vendor",
        }
    }

    /// Returns the minimum number of passing scripts: fewer would mean that the driver did not
    /// start, or lacks a feature that most need.
    fn min_passed(self) -> u64 {
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
    /// True if LLVM optimizes shaders of scripts on Vulkan.
    optimizes: bool,
}

/// Runs the step of `cargo xtask test`: builds the vendor library and runs scripts with Mesa of
/// each of [`SUITES`]. Suites whose packages cannot be downloaded or do not run here are skipped.
/// Fails with [`Skip`] on systems where no packages of Debian run in a namespace.
pub(crate) fn run_step() -> Result<Counts> {
    check_machine()?;
    workspace_build::build_workspace()?;
    let mut tally = Counts::default();
    for suite in SUITES {
        println!("Mesa of Debian's suite {suite}");
        tally += Counts::from_step(run_suite(suite))?;
    }
    Ok(tally)
}

/// Unpacks Mesa of a suite of Debian, which it downloads if necessary, runs scripts with it on
/// Vulkan and through the vendor library, and returns the sum of their counts. Fails with [`Skip`]
/// if the packages cannot be downloaded or do not run here.
fn run_suite(suite: &str) -> Result<Counts> {
    let root = Root::prepare(suite)?;
    let mut tally = Counts::default();
    for interface in ScriptInterface::ALL {
        tally += run_interface(&root, suite, interface)?;
    }
    Ok(tally)
}

/// Fails with [`Skip`] where packages of Debian cannot run in a namespace.
fn check_machine() -> Result<()> {
    ensure!(
        downloads::can_unpack(),
        Skip::with_reason("other versions of Mesa come from packages of Debian")
    );
    installed::require_program("unshare")?;
    let libraries = std::fs::read_link("/lib").unwrap_or_default();
    ensure!(
        libraries.ends_with("usr/lib"),
        Skip::with_reason("the system's libraries are not all in /usr")
    );
    let workspace = std::env::current_dir()?;
    ensure!(
        !["/usr", "/etc"].iter().any(|it| workspace.starts_with(it)),
        Skip::with_reason("the workspace is in a folder that the packages replace")
    );
    Ok(())
}

impl Root {
    /// Unpacks the packages of a suite, unless that was done, and tries to run the command in them.
    /// Fails with [`Skip`] if the packages cannot be downloaded or the command does not run.
    fn prepare(suite: &str) -> Result<Self> {
        let folder = std::path::absolute(OUT.join(suite))?;
        let root = folder.join("packages");
        let source = format!("suite_packages {suite}");
        Download::without_hashes(&source, PACKAGES).fetch(&root)?;
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
                optimizes: suite == OPTIMIZING_SUITE,
            };
            let mut command = suite::glasm_command()?;
            command.arg("--version");
            let output = shell::capture_output(&mut root.command_in_namespace(&command)?)?;
            if output.status.success() {
                return Ok(root);
            }
            reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        }
        bail!(Skip::with_reason(format!(
            "the command does not run in the packages: {reason}"
        )))
    }

    /// Returns the command as it runs in the unpacked packages, with the same arguments and
    /// variables.
    fn command_in_namespace(&self, command: &Command) -> Result<Command> {
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
    fn script_command(
        &self,
        interface: ScriptInterface,
        list: &Path,
        report: &Path,
    ) -> Result<Command> {
        match interface {
            ScriptInterface::Vulkan => {
                let inside = "usr/share/vulkan/icd.d";
                let driver = vulkan::find_lavapipe_in(&self.folder.join(inside));
                let mut driver = driver.context("the packages have no lavapipe")?;
                driver.manifest = Path::new("/").join(driver.manifest.strip_prefix(&self.folder)?);
                let mut command = suite::glasm_command()?;
                vulkan::use_driver(&mut command, &driver);
                if self.optimizes {
                    vulkan::enable_llvm_optimizations(&mut command);
                }
                command.arg("run").args(SCRIPTS).arg(record::FOLDER);
                command.args(["--validation", "off", "--expected-failures"]);
                command.arg(list).arg("--json").arg(report);
                Ok(command)
            }
            ScriptInterface::Vendor => {
                let mut command = script_steps::nv_command(list, report, &self.out)?;
                command.arg(record::FOLDER);
                Ok(command)
            }
        }
    }
}

/// Runs the scripts on one driver. If the list is that of another version, differences are shown
/// and reported as skipped: they may be the driver's.
fn run_interface(root: &Root, suite: &str, interface: ScriptInterface) -> Result<Counts> {
    let name = format!("{}, Mesa {} of {suite}", interface.name(), root.version);
    let lists = record::find_files(interface.name(), "txt")?;
    let (of, list) =
        find_nearest(&lists, root.version).with_context(|| format!("no list for {name}"))?;
    let report = root.out.join(format!("{}.json", interface.name()));
    if report.exists() {
        std::fs::remove_file(&report)?;
    }
    let start = Instant::now();
    let command = root.command_in_namespace(&root.script_command(interface, list, &report)?)?;
    let (tally, results) = suite::run_with_report(command, &report, &name)?;
    let mut tally = tally.require_passed(interface.min_passed(), "scripts");
    if interface == ScriptInterface::Vulkan && *of == root.version {
        tally += record::check_record(root.version, &results)?;
    }
    println!("{name}: {tally}, {:.0} s", start.elapsed().as_secs_f64());
    if *of != root.version && tally.failed > 0 {
        println!("there is no list for this version, only that of {of}: failures count as skipped");
        tally = Counts {
            failed: 0,
            skipped: tally.skipped + tally.failed,
            ..tally
        };
    }
    println!();
    Ok(match interface {
        ScriptInterface::Vulkan => tally,
        // Scripts that need features that OpenGL or the driver lacks are ignored here.
        ScriptInterface::Vendor => tally.without_skipped(),
    })
}

/// Returns the list of this version, otherwise that of the last version before it, otherwise the
/// first one.
fn find_nearest<T>(lists: &BTreeMap<Version, T>, version: Version) -> Option<(&Version, &T)> {
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
            find_nearest(&lists, version).map(|(_, list)| list.as_str())
        };
        assert_eq!(of("25.0.7-2+deb13u1.so"), Some("25.0"));
        assert_eq!(of("26.1.0"), Some("25.0"));
        assert_eq!(of("27.0"), Some("26.2"));
        assert_eq!(of("24.3"), Some("25.0"));
        assert_eq!(
            find_nearest(&BTreeMap::<Version, ()>::new(), versions[0]),
            None
        );
    }
}
