//! CPU drivers of Vulkan and validation layers on this machine.

use crate::counts::Skip;
use crate::shell;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Directories of Chromium, which has SwiftShader and a recent validation layer.
const CHROMIUM: [&str; 3] = [
    "/usr/lib/chromium",
    "/usr/lib64/chromium-browser",
    "/usr/lib/chromium-browser",
];

/// Name of the validation layer and of its manifest.
const LAYER: &str = "VK_LAYER_KHRONOS_validation";

/// CPU driver that the script suites run on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Driver {
    /// Name in reports.
    pub name: &'static str,
    /// Manifest for the loader.
    pub manifest: PathBuf,
}

/// Returns lavapipe, Mesa's Vulkan driver for CPUs; `None` if it is not installed.
pub fn find_lavapipe() -> Option<Driver> {
    let directories = list_data_directories("vulkan/icd.d");
    find_driver("lavapipe", &["lvp_icd"], directories)
}

/// Returns Mesa's CPU driver.
///
/// # Errors
///
/// Fails with [`Skip`] if it is not installed.
pub fn require_lavapipe() -> Result<Driver, Skip> {
    find_lavapipe().ok_or_else(|| Skip::with_reason("lavapipe is not installed"))
}

/// Finds Mesa's CPU driver in a directory of manifests.
pub fn find_lavapipe_in(directory: &Path) -> Option<Driver> {
    find_driver("lavapipe", &["lvp_icd"], [directory.to_owned()])
}

/// Finds SwiftShader, as Chromium ships it or as installed by hand.
pub fn find_swiftshader() -> Option<Driver> {
    let directories = list_data_directories("vulkan/icd.d").chain(CHROMIUM.map(PathBuf::from));
    let stems = ["vk_swiftshader_icd", "swiftshader_icd"];
    find_driver("SwiftShader", &stems, directories)
}

/// Returns the driver whose manifest is the first one found in the directories.
fn find_driver(
    name: &'static str,
    stems: &[&str],
    directories: impl IntoIterator<Item = PathBuf>,
) -> Option<Driver> {
    find_manifest(stems, directories).map(|manifest| Driver { name, manifest })
}

/// Returns true if a validation layer is installed for the loader, or Chromium's.
pub fn has_validation_layer() -> bool {
    find_chromium_layer().is_some() || has_installed_layer()
}

/// Returns true if a validation layer is installed for the loader.
pub fn has_installed_layer() -> bool {
    let variables = ["VK_ADD_LAYER_PATH", "VK_LAYER_PATH"];
    let listed = variables.into_iter().filter_map(std::env::var_os);
    let listed = listed.flat_map(|paths| std::env::split_paths(&paths).collect::<Vec<_>>());
    let directories = listed.chain(list_data_directories("vulkan/explicit_layer.d"));
    find_manifest(&["VkLayer_khronos_validation", LAYER], directories).is_some()
}

/// Sets the environment that restricts the Vulkan loader of `command` to one driver.
pub fn use_driver(command: &mut Command, driver: &Driver) {
    // Loaders before 1.3.207 support only the second name.
    command
        .env("VK_DRIVER_FILES", &driver.manifest)
        .env("VK_ICD_FILENAMES", &driver.manifest);
}

/// Variable that selects how Mesa's drivers for the CPU compile shaders.
const COMPILATION: &str = "GALLIVM_PERF";

/// Makes Mesa's drivers for the CPU compile the shaders of `command` without LLVM's optimizations,
/// which take half of the processor time of short scripts.
pub fn disable_llvm_optimizations(command: &mut Command) {
    command.env(COMPILATION, "nopt");
}

/// Makes Mesa's drivers for the CPU compile the shaders of `command` as for users.
pub fn enable_llvm_optimizations(command: &mut Command) {
    command.env_remove(COMPILATION);
}

/// Choice of validation layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layer {
    /// Chromium's if it is installed, the one with most rules.
    Newest,
    /// Layer that is installed for the loader, as for users.
    Installed,
}

/// Enables the loader to find the validation layer. Chromium ships the library without a manifest,
/// so this writes one. Returns true if there is a layer.
///
/// # Errors
///
/// Fails if the manifest cannot be written.
pub fn use_validation_layer(command: &mut Command, layer: Layer) -> Result<bool> {
    let Some(library) = find_chromium_layer().filter(|_| layer == Layer::Newest) else {
        return Ok(has_installed_layer());
    };
    let dir = write_manifest(&library, &shell::below_target("vulkan-layers"))?;
    command.env("VK_ADD_LAYER_PATH", dir);
    Ok(true)
}

/// Writes a loader manifest for the layer `library` into `dir` and returns the absolute path of
/// that directory.
fn write_manifest(library: &Path, dir: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(dir).with_context(|| format!("creating {}", dir.display()))?;
    let manifest = serde_json::json!({
        "file_format_version": "1.2.0",
        "layer": {
            "name": LAYER,
            "type": "GLOBAL",
            "library_path": library,
            "api_version": "1.3.300",
            "implementation_version": "1",
            "description": "Khronos Validation Layer",
            "instance_extensions": [
                { "name": "VK_EXT_debug_report", "spec_version": "9" },
                { "name": "VK_EXT_debug_utils", "spec_version": "1" },
                { "name": "VK_EXT_validation_features", "spec_version": "2" },
                { "name": "VK_EXT_layer_settings", "spec_version": "2" },
            ],
        },
    });
    let file = dir.join(format!("{LAYER}.json"));
    std::fs::write(&file, format!("{manifest:#}\n"))
        .with_context(|| format!("writing {}", file.display()))?;
    dir.canonicalize()
        .with_context(|| format!("path of {}", dir.display()))
}

/// Returns the validation layer that comes with Chromium, if it is installed.
fn find_chromium_layer() -> Option<PathBuf> {
    let mut files = CHROMIUM
        .iter()
        .map(|directory| Path::new(directory).join("libVkLayer_khronos_validation.so"));
    files.find(|file| file.is_file())
}

/// Returns the first JSON file whose name starts with one of `stems`; files of this architecture
/// precede others.
fn find_manifest(
    stems: &[&str],
    directories: impl IntoIterator<Item = PathBuf>,
) -> Option<PathBuf> {
    let entries = directories
        .into_iter()
        .filter_map(|it| std::fs::read_dir(it).ok());
    let paths = entries.flatten().flatten().map(|entry| entry.path());
    let is_wanted = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.extension().is_some_and(|it| it == "json")
            && stems.iter().any(|it| name.starts_with(it))
    };
    let is_foreign = |path: &PathBuf| !path.to_string_lossy().contains(std::env::consts::ARCH);
    paths
        .filter(is_wanted)
        .min_by_key(|path| (is_foreign(path), path.clone()))
}

/// Returns the directories of this path that the loader reads.
fn list_data_directories(path: &str) -> impl Iterator<Item = PathBuf> {
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/share"));
    let listed = std::env::var_os("XDG_DATA_DIRS").into_iter();
    let listed = listed.flat_map(|paths| std::env::split_paths(&paths).collect::<Vec<_>>());
    let system = [
        "/etc",
        "/usr/local/etc",
        "/usr/local/share",
        "/usr/share",
        "/opt/homebrew/share",
    ];
    let all = home
        .into_iter()
        .chain(listed)
        .chain(system.map(PathBuf::from));
    all.map(move |directory| directory.join(path))
}

#[cfg(test)]
mod tests {
    use super::{find_manifest, write_manifest};
    use std::path::{Path, PathBuf};

    fn scratch(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("glasm-xtask-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        dir
    }

    #[test]
    fn the_manifest_of_this_architecture_wins() {
        let dir = scratch("icd");
        let own = format!("lvp_icd.{}.json", std::env::consts::ARCH);
        for name in ["lvp_icd.aaa.json", &own, "lvp_icd.zzz.json", "lvp_icd.so"] {
            std::fs::write(dir.join(name), "{}").unwrap();
        }
        assert_eq!(
            find_manifest(&["lvp_icd"], [dir.clone()]),
            Some(dir.join(own))
        );
        assert_eq!(find_manifest(&["vk_swiftshader_icd"], [dir.clone()]), None);
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_layer_manifest_names_the_library_absolutely() {
        let dir = scratch("layer");
        let written = write_manifest(Path::new("/usr/lib/x/libLayer.so"), &dir).unwrap();
        assert!(written.is_absolute());
        let text =
            std::fs::read_to_string(written.join("VK_LAYER_KHRONOS_validation.json")).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["layer"]["library_path"], "/usr/lib/x/libLayer.so");
        std::fs::remove_dir_all(dir).unwrap();
    }
}
