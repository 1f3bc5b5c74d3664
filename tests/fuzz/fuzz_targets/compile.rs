//! Any bytes. Start it with a corpus of real programs: `tests/fuzz/corpus/compile/`.
#![no_main]

use glasm::Options;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| glasm_fuzz::check(text, &Options::default()));
