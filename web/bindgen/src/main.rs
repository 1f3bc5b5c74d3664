//! `glasm-web-bindgen MODULE.wasm DIRECTORY`: writes the module and its JavaScript interface for
//! pages that load it as an ES module.

use anyhow::{Result, bail};
use wasm_bindgen_cli_support::Bindgen;

/// Writes the interface of the module that the command line names.
fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, directory] = &arguments[..] else {
        bail!("usage: glasm-web-bindgen MODULE.wasm DIRECTORY");
    };
    Bindgen::new()
        .input_path(module)
        .web(true)?
        .typescript(true)
        .out_name("glasm")
        // A seventh of the compressed module.
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(directory)
}
