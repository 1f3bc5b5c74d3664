//! Checks that cargo-c installs all files, and that they agree with the crate.

use std::path::PathBuf;

fn read(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn files_that_are_installed_are_there() {
    let manifest = read("Cargo.toml");
    assert!(
        manifest.contains("from = \"include/glasm.h\"")
            && manifest.contains("from = \"cmake/*.cmake\"")
    );
    assert!(manifest.contains("from = \"include/glasm_vulkan.h\""));
    assert!(read("include/glasm.h").contains("glasm_program_load"));
    assert!(read("include/glasm_vulkan.h").contains("glasm_vulkan_enable_feature"));
    assert!(read("cmake/glasm-config.cmake").contains("glasm::glasm"));
}

#[test]
fn cmake_knows_the_version() {
    let version = env!("CARGO_PKG_VERSION");
    let (major, minor) = (
        env!("CARGO_PKG_VERSION_MAJOR"),
        env!("CARGO_PKG_VERSION_MINOR"),
    );
    let cmake = read("cmake/glasm-config-version.cmake");
    assert!(cmake.contains(&format!("set(PACKAGE_VERSION \"{version}\")")));
    assert!(cmake.contains(&format!("PACKAGE_FIND_VERSION_MAJOR EQUAL {major}")));
    assert!(cmake.contains(&format!("PACKAGE_FIND_VERSION_MINOR EQUAL {minor}")));
}
