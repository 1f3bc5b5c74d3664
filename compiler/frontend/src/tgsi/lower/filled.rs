//! Dynamically indexed arrays of numbers: they are filled where the program begins.

use crate::tgsi::operand::TgsiResolver;
use crate::tgsi::symbols::{Filled, Rows};
use glasm_ir::inst::Aux;
use glasm_ir::samples::STANDARD_PLACES;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Block, Dst, IndexTerm, Node, Op, RegisterId, Routine, Span, Storage, WriteMask};

impl TgsiResolver<'_> {
    /// Returns a register array filled with these values, and its length.
    pub(in crate::tgsi) fn find_filled_array(&mut self, rows: Rows) -> (RegisterId, u32) {
        let known = self.declared.filled.iter().find(|it| it.rows == rows);
        if let Some(known) = known {
            return (known.array, known.len);
        }
        let len = match rows {
            Rows::Immediates => self.declared.immediates.len(),
            Rows::Old => self.declared.rows.len(),
            Rows::SamplePlaces => sample_places().count(),
        };
        // An array of the IR has at least one element.
        let len = len.max(1) as u32;
        let array = self
            .emit
            .storage_register(Storage::Temp, Width::W32, Some(len));
        self.declared.filled.push(Filled { rows, array, len });
        (array, len)
    }

    /// Creates a main routine that fills arrays and calls the program's main routine, if there are
    /// arrays to fill.
    pub(in crate::tgsi) fn fill_arrays(&mut self) {
        if self.declared.filled.is_empty() {
            return;
        }
        // All arrays are only known at the end of the source, so the code that fills them is
        // inserted before the finished program.
        let own = self.emit.builder.program.main;
        let body = self
            .emit
            .builder
            .program
            .blocks
            .push(Block { first: 0, len: 0 });
        let routine = Routine { name: None, body };
        self.emit.builder.program.main = self.emit.builder.program.routines.push(routine);
        self.emit.builder.open_block();
        for number in 0..self.declared.filled.len() {
            self.fill(self.declared.filled[number]);
        }
        self.emit.builder.node(Node::Call(own, Span::default()));
        self.emit.builder.close_block_as(body);
    }

    fn fill(&mut self, filled: Filled) {
        for number in 0..filled.len {
            let row = number as usize;
            let words = match filled.rows {
                Rows::Immediates => self.declared.immediates.get(row).map(|it| it.words),
                Rows::Old => self.declared.rows.get(row).copied(),
                Rows::SamplePlaces => sample_places().nth(row),
            };
            // The only element of an empty array.
            let Some(words) = words else { continue };
            let source = self.emit.words(words);
            let place =
                self.emit
                    .element(filled.array, IndexTerm::constant(number as i32), filled.len);
            let dst = Dst {
                index: place.index,
                ..Dst::new(filled.array, WriteMask::XYZW)
            };
            self.emit
                .inst(Op::Mov, Type::U32, Some(dst), Aux::None, &[source]);
        }
    }
}

/// Returns the table of sample positions, four words for each sample.
pub(in crate::tgsi) fn sample_places() -> impl Iterator<Item = [u32; 4]> {
    let bits = |sixteenths: u8| (f32::from(sixteenths) / 16.0).to_bits();
    STANDARD_PLACES
        .iter()
        .map(move |&[x, y]| [bits(x), bits(y), 0, 0])
}
