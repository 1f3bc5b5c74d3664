//! Any bytes. `cargo xtask fuzz` starts it with the programs of all scripts.
#![no_main]

use glasm::Options;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    // Errors are what most bytes give.
    let _ = glasm_fuzz::check(text, &Options::default());
});
