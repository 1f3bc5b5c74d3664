//! Where the Vulkan parts of this machine are: loader, CPU drivers, validation layer.

use crate::shell;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Chromium's folder: SwiftShader and a recent validation layer come with it.
const CHROMIUM: &[&str] = &[
    "/usr/lib/chromium",
    "/usr/lib64/chromium-browser",
    "/usr/lib/chromium-browser",
];

/// Where our layer manifest goes.
static LAYER_DIR: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("vulkan-layers"));

/// Name of the validation layer and of its manifest.
const LAYER: &str = "VK_LAYER_KHRONOS_validation";

/// A CPU driver that the script suites run on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Driver {
    /// Name in reports.
    pub name: &'static str,
    /// Manifest for the loader.
    pub manifest: PathBuf,
}

/// Mesa's CPU driver, under any of its names.
pub fn lavapipe() -> Option<Driver> {
    find_lavapipe(&driver_dirs())
}

/// Finds Mesa's CPU driver in a directory of manifests.
pub fn lavapipe_in(folder: &Path) -> Option<Driver> {
    find_lavapipe(&[folder.to_owned()])
}

fn find_lavapipe(folders: &[PathBuf]) -> Option<Driver> {
    find_manifest(&["lvp_icd"], folders).map(|manifest| Driver {
        name: "lavapipe",
        manifest,
    })
}

/// SwiftShader, as Chromium ships it or as installed by hand.
pub fn swiftshader() -> Option<Driver> {
    let dirs: Vec<PathBuf> = driver_dirs()
        .into_iter()
        .chain(CHROMIUM.iter().map(PathBuf::from))
        .collect();
    find_manifest(&["vk_swiftshader_icd", "swiftshader_icd"], &dirs).map(|manifest| Driver {
        name: "SwiftShader",
        manifest,
    })
}

/// Whether a validation layer is there: installed for the loader, or Chromium's.
pub fn validation_layer_present() -> bool {
    chromium_layer().is_some() || installed_layer_present()
}

/// Whether a validation layer is installed for the loader.
pub fn installed_layer_present() -> bool {
    installed_layer().is_some()
}

/// Points `command` at one driver only.
pub fn use_driver(command: &mut Command, driver: &Driver) {
    // Loaders before 1.3.207 know only the second name.
    command
        .env("VK_DRIVER_FILES", &driver.manifest)
        .env("VK_ICD_FILENAMES", &driver.manifest);
}

/// Which validation layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layer {
    /// Chromium's if it is there: of the layers at hand it knows most rules.
    Newest,
    /// The one that is installed for the loader: what users have.
    Installed,
}

/// Lets the loader find the validation layer. Chromium ships the library without a manifest, so we write one.
/// Returns `false` if there is no layer.
pub fn use_validation_layer(command: &mut Command, layer: Layer) -> Result<bool> {
    let Some(library) = chromium_layer().filter(|_| layer == Layer::Newest) else {
        return Ok(installed_layer_present());
    };
    let dir = write_manifest(&library, &LAYER_DIR)?;
    command.env("VK_ADD_LAYER_PATH", dir);
    Ok(true)
}

/// Writes a loader manifest for the layer `library` into `dir` and returns that folder's absolute path.
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

fn chromium_layer() -> Option<PathBuf> {
    CHROMIUM
        .iter()
        .map(|dir| Path::new(dir).join("libVkLayer_khronos_validation.so"))
        .find(|file| file.is_file())
}

fn installed_layer() -> Option<PathBuf> {
    let from_environment = ["VK_ADD_LAYER_PATH", "VK_LAYER_PATH"]
        .into_iter()
        .filter_map(std::env::var_os);
    let dirs: Vec<PathBuf> = from_environment
        .flat_map(|paths| std::env::split_paths(&paths).collect::<Vec<_>>())
        .chain(
            data_dirs()
                .into_iter()
                .map(|dir| dir.join("vulkan/explicit_layer.d")),
        )
        .collect();
    find_manifest(&["VkLayer_khronos_validation", LAYER], &dirs)
}

/// The first `.json` file in `dirs` whose name starts with one of `stems`; the machine's own architecture first.
fn find_manifest(stems: &[&str], dirs: &[PathBuf]) -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = dirs
        .iter()
        .filter_map(|dir| std::fs::read_dir(dir).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .filter(|path| {
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            stems.iter().any(|stem| name.starts_with(stem))
        })
        .collect();
    let foreign = |path: &PathBuf| !path.to_string_lossy().contains(std::env::consts::ARCH);
    found.sort_by_key(|path| (foreign(path), path.clone()));
    found.into_iter().next()
}

fn driver_dirs() -> Vec<PathBuf> {
    data_dirs()
        .into_iter()
        .map(|dir| dir.join("vulkan/icd.d"))
        .collect()
}

/// The folders in which the loader looks for `vulkan/`.
fn data_dirs() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let xdg = std::env::var_os("XDG_DATA_DIRS");
    let mut dirs: Vec<PathBuf> = home.iter().map(|home| home.join(".local/share")).collect();
    dirs.extend(xdg.iter().flat_map(std::env::split_paths));
    let usual = [
        "/etc",
        "/usr/local/etc",
        "/usr/local/share",
        "/usr/share",
        "/opt/homebrew/share",
    ];
    dirs.extend(usual.iter().map(PathBuf::from));
    dirs
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
            find_manifest(&["lvp_icd"], std::slice::from_ref(&dir)),
            Some(dir.join(own))
        );
        assert_eq!(
            find_manifest(&["vk_swiftshader_icd"], std::slice::from_ref(&dir)),
            None
        );
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
