//! What every fuzz target checks of a compilation.

use glasm::{Options, Source, compile};

/// Compiles `text` and checks what holds for any input: no panic, modules that load, errors with positions inside the text.
pub fn check(text: &[u8], options: &Options) {
    let source = Source::new("input", text);
    match compile(&source, options) {
        Ok(shader) => {
            if let Err(state) = rspirv::dr::load_words(&shader.words) {
                panic!("the module does not load: {state}");
            }
        }
        Err(diagnostics) => {
            assert!(diagnostics.has_errors());
            assert!(diagnostics.gl_error_position(&source).is_some_and(|position| position <= text.len()));
            assert!(!diagnostics.render(&source).is_empty());
        }
    }
}
