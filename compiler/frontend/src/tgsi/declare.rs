//! Declarations. TGSI, section "Declaration".

mod properties;
mod varyings;

use super::ast::{Body, Declaration, Dimension, Head, Image, MemoryKind, View};
use super::check::Suffixes;
use super::covered::Covered;
use super::files::File;
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::limits;
use crate::tgsi::ast;
use crate::tgsi::check::Parsed;
use crate::tgsi::operand::{Number, Register, TgsiResolver};
use crate::tgsi::symbols::Immediate;
use crate::tgsi::symbols::{Array, TempPlace, row, slot};
use glasm_ir::types::Width;
use glasm_ir::{Span, Stage, Storage};
use std::mem::{replace, take};
use std::ops::RangeInclusive;

/// Declares registers.
pub(super) struct Declarer<'r, 'a> {
    pub(in crate::tgsi) cx: &'r mut TgsiResolver<'a>,
}

impl<'r, 'a> Declarer<'r, 'a> {
    /// Returns the context of declarations.
    pub(super) fn new(cx: &'r mut TgsiResolver<'a>) -> Self {
        Self { cx }
    }
}

impl Declarer<'_, '_> {
    /// Declares an immediate.
    pub(super) fn declare_immediate(&mut self, it: &ast::Immediate) {
        let count = self.cx.declared.immediates.len();
        if let Some((number, span)) = it.number
            && number != count as u32
        {
            // Operands name immediates by their position, so a wrong number would select other
            // immediates than intended.
            let message = format!("this is immediate {count}, not {number}");
            self.cx.check.error(Code::ImmediateOrder, span, message);
        }
        if count >= limits::IMMEDIATES {
            let message = format!("more than {} immediates", limits::IMMEDIATES);
            self.cx
                .check
                .reports
                .whole(Code::TooManyParameters, message);
        } else {
            let words = it.words;
            let literal = None;
            self.cx
                .declared
                .immediates
                .push(Immediate { words, literal });
        }
    }

    /// Declares registers. `failure`: the syntax error that ended the declaration.
    pub(super) fn declaration(&mut self, it: &Declaration, failure: Option<u32>) -> Parsed<()> {
        let head = &it.head;
        if let Some(Dimension::Implied(bracket)) = head.dimension {
            self.check_implied(head, bracket)?;
        }
        if !it.has_registers {
            return self.cx.check.check_failure(failure);
        }
        let declared = self.declare(it, failure);
        if declared.is_ok() {
            self.cx.add_register(&head.last_register());
        } else {
            let row = (head.file, head.first, head.last);
            // Registers of this declaration are not reported as undeclared: each use of them would
            // be one more error.
            self.cx.declared.broken.push(row);
        }
        declared
    }

    fn declare(&mut self, it: &Declaration, failure: Option<u32>) -> Parsed<()> {
        let head = &it.head;
        if let Body::Suffixes { first, count } = it.body {
            let suffixes = &self.cx.check.ast.suffixes[first as usize..][..count as usize];
            let suffixes = self.cx.check.check_suffixes(head, suffixes)?;
            self.cx.check.check_failure(failure)?;
            return if matches!(head.file, File::In | File::Sv) {
                self.inputs(head, &suffixes)
            } else if head.file == File::Out {
                self.outputs(head, &suffixes)
            } else {
                self.declare_plain_registers(head, &suffixes)
            };
        }
        self.cx.check.check_failure(failure)?;
        match it.body {
            Body::Broken | Body::Suffixes { .. } => {}
            Body::Image(image) => self.declare_images(head, image),
            Body::View(view) => self.declare_views(head, view),
            Body::Buffer => self.declare_buffers(head),
            Body::Memory(kind) => self.declare_memories(head, kind),
            Body::Rows { first, count } => {
                let rows = &self.cx.check.ast.rows[first as usize..][..count as usize];
                self.cx.declared.rows.clear();
                self.cx.declared.rows.extend_from_slice(rows);
            }
        }
        Ok(())
    }

    /// Declares registers whose declaration has no other content.
    fn declare_plain_registers(&mut self, head: &Head, suffixes: &Suffixes) -> Parsed<()> {
        match head.file {
            File::Temp => self.temps(head, suffixes),
            File::TempX => self.declare_old_array(head),
            File::Addr => self.addresses(head),
            File::Pred => head.numbers().for_each(|number| {
                self.cx.predicate(number);
            }),
            File::Const => self.cx.declared.constants.push(head.covered()),
            File::HwAtomic => {
                let buffers = self.cx.declared.counter_buffers.max(head.buffer() + 1);
                self.cx.declared.counter_buffers = buffers;
            }
            File::Samp => self.each_once(head, |it, number| {
                replace(slot(&mut it.cx.declared.samplers, number), true)
            }),
            File::Null
            | File::In
            | File::Out
            | File::Imm
            | File::Sv
            | File::ImmX
            | File::Image
            | File::Res
            | File::Sview
            | File::Buffer
            | File::Memory
            | File::ConstBuf => {
                let message = format!("registers of `{}` are not declared", head.file.word());
                return Err(self.cx.check.error(Code::Declaration, head.span, message));
            }
        }
        Ok(())
    }

    #[inline]
    fn addresses(&mut self, head: &Head) {
        self.each_once(head, |it, number| {
            // `address` declares it, so that it has to be tested before.
            let known = row(&it.cx.declared.addresses, number).is_some();
            it.cx.address(number);
            known
        });
    }

    /// Reports brackets without a number whose size no stage implies.
    fn check_implied(&mut self, head: &Head, bracket: Span) -> Parsed<()> {
        let file = head.file;
        let stages = [Stage::Geometry, Stage::TessControl, Stage::TessEval];
        if !matches!(file, File::In | File::Out) || !stages.contains(&self.cx.check.stage) {
            let message = format!("`{}[]` has no size that the stage implies", file.word());
            return Err(self.cx.check.error(Code::RegisterIndex, bracket, message));
        }
        // Patches have as many vertices as the draw specifies; primitives have those of the
        // property.
        if self.cx.check.stage == Stage::Geometry && self.cx.properties.input_primitive.is_none() {
            let message = "`GS_INPUT_PRIMITIVE` stands behind `IN[]`, whose size it gives";
            // The file, whose name has the same length in either case.
            let start = head.span.start;
            let word = Span::new(start, start + file.word().len() as u32);
            self.cx.check.lenient(Rule::LatePrimitive, word, message);
        }
        Ok(())
    }

    /// Reports declarations of constants that overlap earlier ones. Called at the end, so that many
    /// of them are compared in the order of their numbers. If three or more overlap, one error may
    /// represent several.
    pub(super) fn check_overlapping_constants(&mut self) {
        let mut ranges = take(&mut self.cx.declared.constants.ranges);
        ranges.sort_unstable_by_key(|range| (range.buffer, range.first, range.span.start));
        let mut twice = Vec::new();
        let mut reaching: Option<Covered> = None;
        for &range in &ranges {
            let overlapped = reaching.filter(|other| other.has(range.buffer, range.first));
            if let Some(other) = overlapped {
                let is_earlier = other.span.start < range.span.start;
                twice.push(if is_earlier { range } else { other });
            }
            // The range that reaches farthest is the one that a later range may overlap.
            let is_inside = overlapped.is_some_and(|other| other.last >= range.last);
            reaching = if is_inside { overlapped } else { Some(range) };
        }
        self.cx.declared.constants.ranges = ranges;
        twice.sort_unstable_by_key(|range| range.span.start);
        // One declaration may overlap several others.
        twice.dedup_by_key(|range| range.span.start);
        for range in twice {
            self.cx
                .check
                .report_declared_twice(File::Const, range.first, range.span);
        }
    }

    fn temps(&mut self, head: &Head, suffixes: &Suffixes) {
        let (first, len) = (head.first, head.len());
        let mut array = None;
        // An index without the id of an array may select any temporary, so that all of them are one
        // array. TGSI, section "Array Declaration".
        if self.cx.check.ast.indexes_file(File::Temp) {
            array = Some(self.cx.whole_temps(head.last + 1));
        } else if self.cx.check.ast.indexes_array(File::Temp, suffixes.array) {
            let register = self
                .cx
                .emit
                .storage_register(Storage::Temp, Width::W32, Some(len));
            array = Some(Array {
                first,
                len,
                register,
            });
        }
        // Id 0 denotes no array. Its slot is the whole file, which is in `whole_temps`.
        if let Some(array) = array.filter(|_| suffixes.array != 0) {
            let arrays = &mut self.cx.declared.temp_arrays;
            *slot(arrays, suffixes.array as usize) = Some(array);
        }
        self.place_temps(head, array);
    }

    /// Assigns a location to each temporary of a declaration.
    #[inline]
    fn place_temps(&mut self, head: &Head, array: Option<Array>) {
        for number in head.first..=head.last {
            let place = match array {
                // The index of an operand counts from the start of the file, not of the array.
                // TGSI, section "Array Declaration".
                Some(array) => TempPlace::Element(array.register, number - array.first),
                None => TempPlace::Own(self.cx.emit.register(Width::W32)),
            };
            let known = slot(&mut self.cx.declared.temps, number as usize).replace(place);
            if known.is_some() {
                // One message for each declaration, not for each of its registers.
                self.cx
                    .check
                    .report_declared_twice(head.file, number, head.span);
                break;
            }
        }
    }

    fn declare_old_array(&mut self, head: &Head) {
        let len = head.last + 1;
        let register = self
            .cx
            .emit
            .storage_register(Storage::Temp, Width::W32, Some(len));
        let array = Array {
            first: 0,
            len,
            register,
        };
        *slot(&mut self.cx.declared.old_arrays, head.buffer() as usize) = Some(array);
    }

    /// Declares each register of a declaration; `declare` returns true if it was declared before,
    /// which is reported.
    fn each_once(&mut self, head: &Head, mut declare: impl FnMut(&mut Self, usize) -> bool) {
        for number in head.numbers() {
            if declare(self, number) {
                self.cx
                    .check
                    .report_declared_twice(head.file, number as u32, head.span);
                break;
            }
        }
    }

    /// Declares images.
    fn declare_images(&mut self, head: &Head, image: Image) {
        self.each_once(head, |it, number| {
            let images = &mut it.cx.declared.images;
            slot(images, number).replace(image).is_some()
        });
    }

    /// Declares views of textures.
    fn declare_views(&mut self, head: &Head, view: View) {
        self.each_once(head, |it, number| {
            slot(&mut it.cx.declared.views, number)
                .replace(view)
                .is_some()
        });
    }

    /// Declares storage buffers.
    fn declare_buffers(&mut self, head: &Head) {
        self.each_once(head, |it, number| {
            replace(slot(&mut it.cx.declared.buffers, number), true)
        });
    }

    /// Declares memories.
    fn declare_memories(&mut self, head: &Head, kind: MemoryKind) {
        self.each_once(head, |it, number| {
            let memories = &mut it.cx.declared.memories;
            slot(memories, number).replace(kind).is_some()
        });
    }
}

impl Head {
    /// Returns the numbers of its registers.
    pub(super) fn numbers(&self) -> RangeInclusive<usize> {
        self.first as usize..=self.last as usize
    }

    /// Returns the last one of its registers.
    pub(super) fn last_register(&self) -> Register {
        let outer = match self.dimension {
            Some(Dimension::Number(number)) => Some(Number::constant(number)),
            Some(Dimension::Implied(_)) | None => None,
        };
        Register {
            file: self.file,
            outer,
            number: Number::constant(self.last),
            span: self.span,
        }
    }

    /// Returns the number of its registers.
    pub(super) fn len(&self) -> u32 {
        self.last - self.first + 1
    }

    /// Returns the number in the first bracket of two, 0 without one.
    pub(super) fn buffer(&self) -> u32 {
        match self.dimension {
            Some(Dimension::Number(number)) => number,
            // `CONST[n]` is vector n of buffer 0.
            Some(Dimension::Implied(_)) | None => 0,
        }
    }

    /// Returns the registers of a buffer that the declaration covers.
    pub(super) fn covered(&self) -> Covered {
        Covered {
            buffer: self.buffer(),
            first: self.first,
            last: self.last,
            span: self.span,
        }
    }
}
