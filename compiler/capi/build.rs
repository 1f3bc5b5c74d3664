//! Names the shared library that cargo builds without cargo-c, so that programs depend on its name
//! and not on the path that they were linked with. cargo-c, which enables the feature `capi`, names
//! its library itself.

/// Variable with another name for the library.
const NAME_VARIABLE: &str = "GLASM_CAPI_SONAME";

/// Prints the argument of the linker.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={NAME_VARIABLE}");
    let is_linux = std::env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|name| name == "linux");
    let is_named = std::env::var_os("CARGO_FEATURE_CAPI").is_some();
    if is_linux && !is_named {
        let name = std::env::var(NAME_VARIABLE).unwrap_or_else(|_| "libglasm_capi.so".to_owned());
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{name}");
    }
}
