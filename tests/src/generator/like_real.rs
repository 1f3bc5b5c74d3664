//! What generated programs like real ones have in common in every language: proportions, temporaries whose values are read again, modifiers
//! of operands. Only the proportions are those of shipped programs.

use super::gp::letter;
use crate::rng::Rng;

/// Most temporaries of a program.
pub(super) const TEMPS: usize = 8;

/// Numbers of instructions: weight in percent, the fewest, and how many more at most. The mean is 43.
pub(super) const SIZES: [(usize, usize, usize); 6] = [
    (20, 5, 6),
    (30, 10, 15),
    (25, 25, 25),
    (17, 50, 50),
    (6, 100, 90),
    (2, 200, 200),
];

/// Percent of lines with masks, swizzles or signs.
pub(super) const MODIFIED: usize = 46;
/// Percent of lines with a binding path, an input, a parameter or a result.
pub(super) const BOUND: usize = 21;
/// Percent of lines with a literal.
pub(super) const LITERAL: usize = 9;
/// Percent of lines of fragment programs that read textures: 7.5 of all lines.
pub(super) const TEXTURED: usize = 14;

/// What stands for an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    Vector,
    Scalar,
}

/// One of the rows, as often as its weight says.
pub(super) fn weighted<'a, T>(rng: &mut Rng, rows: &'a [T], weight: impl Fn(&T) -> usize) -> &'a T {
    let mut ticket = rng.below(rows.iter().map(&weight).sum());
    for row in rows {
        match ticket.checked_sub(weight(row)) {
            Some(rest) => ticket = rest,
            None => return row,
        }
    }
    &rows[0]
}

/// The temporaries of a program.
pub(super) struct Temps {
    pub(super) count: usize,
    /// Those that have a value.
    written: Vec<usize>,
    /// Those whose last value nobody has read yet, oldest first.
    unread: Vec<usize>,
}

impl Temps {
    /// Those of a program of so many instructions.
    pub(super) fn for_size(size: usize) -> Self {
        Self {
            count: (2 + size / 8).min(TEMPS),
            written: Vec::new(),
            unread: Vec::new(),
        }
    }

    pub(super) fn has_value(&self, temp: usize) -> bool {
        self.written.contains(&temp)
    }

    /// The one that the next result goes to.
    pub(super) fn next(&self, rng: &mut Rng) -> usize {
        if self.written.len() < self.count {
            self.written.len()
        } else {
            rng.below(self.count)
        }
    }

    /// One that an operand reads.
    pub(super) fn read(&mut self, rng: &mut Rng) -> usize {
        if self.unread.is_empty() {
            *rng.pick(&self.written)
        } else {
            self.unread.remove(0)
        }
    }

    pub(super) fn wrote(&mut self, temp: usize) {
        for list in [&mut self.written, &mut self.unread] {
            if !list.contains(&temp) {
                list.push(temp);
            }
        }
    }
}

/// A component of an operand.
pub(super) fn component_of(rng: &mut Rng, source: &str) -> String {
    format!("{source}.{}", letter(rng.below(4)))
}

/// An operand with a swizzle, a sign, both or neither.
pub(super) fn modified_source(rng: &mut Rng, source: &str) -> String {
    let sign = if rng.percent(20) { "-" } else { "" };
    match rng.below(100) {
        0..30 => format!("{sign}{source}.{}", letter(rng.below(4))),
        30..50 => format!("{sign}{source}.xyzz"),
        50..60 => {
            let picks: String = (0..4).map(|_| letter(rng.below(4))).collect();
            format!("{sign}{source}.{picks}")
        }
        _ => format!("{sign}{source}"),
    }
}
