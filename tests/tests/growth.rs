//! The time that programs and scripts take to be read grows in proportion to their size.

use glasm::{Options, Source};
use glasm_scripts::script::Script;
use glasm_tests::clock;
use glasm_tests::shapes::{self, Reader, Shape};
use std::time::Duration;

/// Bytes of the shorter of two programs; the longer one has four times as many.
const SIZE: usize = 1 << 15;
/// Growth of the time that is accepted as linear. A program of four times the size takes 4 times as
/// long in linear time and 16 times in quadratic time.
const MOST: f64 = 8.0;
/// Times that a text is read before its growth is called too large. The shortest time is the one that other programs disturbed least.
const ATTEMPTS: usize = 6;

/// Returns the processor time that reading `text` takes, whether it is correct or not.
fn time(shape: Shape, text: &str) -> Duration {
    match shape.reader {
        Reader::Compiler => {
            let source = Source::new("shape", text);
            clock::time(|| drop(glasm::compile(&source, &Options::default())))
        }
        Reader::Script => clock::time(|| drop(Script::parse(text.as_bytes()))),
    }
}

/// Returns how much longer a text of four times the size takes, measured until that is linear or the attempts are used up.
fn growth(shape: Shape) -> f64 {
    let texts = [SIZE, 4 * SIZE].map(|size| shape.text(size));
    let mut best = [Duration::MAX; 2];
    let mut found = f64::INFINITY;
    for _ in 0..ATTEMPTS {
        for (best, text) in best.iter_mut().zip(&texts) {
            *best = time(shape, text).min(*best);
        }
        found = best[1].as_secs_f64() / best[0].as_secs_f64().max(1e-6);
        if found <= MOST {
            break;
        }
    }
    found
}

#[test]
fn no_shape_takes_more_than_linear_time() {
    let growths = shapes::all().map(|shape| (shape.name, growth(shape)));
    let slow: Vec<_> = growths.filter(|&(_, growth)| growth > MOST).collect();
    assert!(slow.is_empty(), "{slow:?}");
}
