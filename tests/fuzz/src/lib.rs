//! What every fuzz target checks of a compilation.

use glasm::{Diagnostics, Location, Options, Severity, Source, TgsiOptions, compile};

/// Compiles `text` and checks what holds for any input: no panic, no fault of glasm itself, modules that load, errors with
/// positions inside the text. Returns the errors, if there are any.
pub fn check(text: &[u8], tgsi: TgsiOptions, options: &Options) -> Result<(), Diagnostics> {
    let source = Source {
        tgsi,
        ..Source::new("input", text)
    };
    match compile(&source, options) {
        Ok(shader) => {
            if let Err(state) = rspirv::dr::load_words(&shader.words) {
                panic!("the module does not load: {state}");
            }
            Ok(())
        }
        Err(diagnostics) => {
            assert!(diagnostics.has_errors());
            let fault = diagnostics
                .list
                .iter()
                .find(|diagnostic| diagnostic.severity == Severity::InternalError);
            assert!(
                fault.is_none(),
                "{}\n{fault:?}",
                String::from_utf8_lossy(text)
            );
            assert!(
                diagnostics
                    .gl_error_position(&source)
                    .is_some_and(|position| position <= text.len())
            );
            assert!(!diagnostics.render(&source).is_empty());
            Err(diagnostics)
        }
    }
}

/// Rounds of [`check_repaired`].
const REPAIRS: usize = 6;

/// Checks `text`, then takes out the lines that errors point at and checks again, until the rest compiles or a few rounds are
/// over: one wrong statement must not keep all others from code generation.
pub fn check_repaired(mut text: String, tgsi: TgsiOptions, options: &Options) {
    for _ in 0..REPAIRS {
        let Err(diagnostics) = check(text.as_bytes(), tgsi, options) else {
            return;
        };
        let Some(repaired) = without_errors(&text, &diagnostics) else {
            return;
        };
        text = repaired;
    }
}

/// The lines without errors; `None` if no error has a position behind the first line.
fn without_errors(text: &str, diagnostics: &Diagnostics) -> Option<String> {
    let positions: Vec<usize> = diagnostics
        .list
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .filter_map(|diagnostic| match diagnostic.location {
            Location::Span(span) => Some(span.start as usize),
            Location::WholeProgram => None,
        })
        .collect();
    let mut kept = String::with_capacity(text.len());
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        if range.start == 0 || !positions.iter().any(|position| range.contains(position)) {
            kept.push_str(line);
        }
    }
    (kept.len() < text.len()).then_some(kept)
}
