//! A front end whose memory is kept allocates nothing for programs without flow control.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use allocation_counter::measure;
use glasm_frontend::{Scratch, Source, translate_with};
use glasm_tests::generator::{Variant, program, real};

/// Allocations of a translation.
fn allocations(scratch: &mut Scratch, text: &str) -> u64 {
    let source = Source::new("test", text);
    let mut translation = None;
    let counted = measure(|| translation = Some(translate_with(scratch, &source)));
    let (program, diagnostics) = translation.unwrap();
    assert!(
        diagnostics.list.is_empty(),
        "{}",
        diagnostics.render(&source)
    );
    scratch.recycle(program.unwrap());
    counted.count_total
}

#[test]
fn later_translations_allocate_nothing() {
    let mut texts: Vec<String> = (0..100).map(|number| real(number).text).collect();
    texts.push(program(Variant::Straight, 1000, 1).assembly());
    // Labels and branches make graphs, which have memory of their own.
    texts.retain(|text| !text.contains("BRA") && !text.contains("CAL"));
    assert!(texts.len() > 50);
    let mut scratch = Scratch::new();
    for text in &texts {
        allocations(&mut scratch, text);
    }
    for text in &texts {
        assert_eq!(allocations(&mut scratch, text), 0, "{text}");
    }
}
