//! Any bytes. `cargo xtask fuzz` starts it with the programs of all scripts.
#![no_main]

use glasm::frontend::source::Family;
use glasm::{Dialect, Options, TgsiOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    for old in [false, true] {
        // TGSI texts mean one thing or the other; nothing else does.
        if old && !glasm::programs(text).any(|part| part.dialect.is_some_and(is_tgsi)) {
            return;
        }
        let tgsi = TgsiOptions {
            legacy_semantics: old,
            ..TgsiOptions::default()
        };
        // Errors are what most bytes give.
        let _ = glasm_fuzz::check(text, tgsi, &Options::default());
    }
});

fn is_tgsi(dialect: Dialect) -> bool {
    dialect.family() == Family::Tgsi
}
