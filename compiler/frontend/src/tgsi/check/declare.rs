//! Declarations. TGSI, section "Declaration".

mod properties;
mod varyings;

use super::checker::CheckResult;
use super::contexts::Declarer;
use super::declaration::DclModifiers;
use super::registers::{RegisterIndex, ResolvedRegister};
use super::symbols::{DeclaredRange, RegisterArray, get_entry, get_or_grow};
use crate::codes::{Code, LenientRule};
use crate::lang::limits;
use crate::tgsi::ast::{
    DclBody, DclHeader, Declaration, Dimension, ImageDecl, Immediate, MemoryKind, ViewDecl,
};
use crate::tgsi::checked::TempStorage;
use crate::tgsi::declaration_tables::RegisterFile;
use glasm_ir::{Span, Stage, Storage};
use std::mem::{replace, take};
use std::ops::RangeInclusive;

impl Declarer<'_, '_> {
    /// Declares an immediate with the next number. Reports a printed number that differs from it,
    /// and too many immediates.
    pub(super) fn declare_immediate(&mut self, immediate: &Immediate) {
        let count = self.resolver.program.immediates.len();
        if count >= limits::IMMEDIATES {
            // Once: each other immediate is one too many as well.
            if !replace(&mut self.resolver.declared.has_excess_immediates, true) {
                let message = format!("more than {} immediates", limits::IMMEDIATES);
                let reports = &mut self.resolver.checker.reports;
                reports.report_program_error(Code::TooManyParameters, message);
            }
            return;
        }
        if let Some((number, span)) = immediate.number
            && number != count as u32
        {
            // Operands name immediates by their position, so a wrong number would select other
            // immediates than intended.
            let message = format!("this is immediate {count}, not {number}");
            self.resolver
                .checker
                .report_error(Code::ImmediateOrder, span, message);
        }
        self.resolver.program.immediates.push(immediate.words);
    }

    /// Declares the registers of a declaration. `failure` is the syntax error that ended it.
    pub(super) fn declare_registers(
        &mut self,
        declaration: &Declaration,
        failure: Option<u32>,
    ) -> CheckResult<()> {
        let head = &declaration.header;
        if let Some(Dimension::Implied(bracket)) = head.dimension {
            self.check_implied_dimension(head, bracket)?;
        }
        if !declaration.has_registers {
            return self.resolver.checker.check_syntax_error(failure);
        }
        let declared = self.declare_by_body(declaration, failure);
        if declared.is_ok() {
            self.resolver.record_register(&head.last_register());
        } else {
            let row = (head.file, head.first, head.last);
            // Registers of this declaration are not reported as undeclared: each use of them would
            // be one more error.
            self.resolver.declared.failed_declarations.push(row);
        }
        declared
    }

    /// Declares the registers of a declaration by the kind of its body. Reports the syntax error
    /// `failure` after those of the modifiers that precede it.
    fn declare_by_body(
        &mut self,
        declaration: &Declaration,
        failure: Option<u32>,
    ) -> CheckResult<()> {
        let head = &declaration.header;
        if let DclBody::Modifiers { first, count } = declaration.body {
            let suffixes =
                &self.resolver.checker.ast.dcl_modifiers[first as usize..][..count as usize];
            let suffixes = self.resolver.checker.check_modifiers(head, suffixes)?;
            self.resolver.checker.check_syntax_error(failure)?;
            return if matches!(head.file, RegisterFile::In | RegisterFile::Sv) {
                self.declare_inputs(head, &suffixes)
            } else if head.file == RegisterFile::Out {
                self.declare_outputs(head, &suffixes)
            } else {
                self.declare_plain_registers(head, &suffixes)
            };
        }
        self.resolver.checker.check_syntax_error(failure)?;
        match declaration.body {
            DclBody::Broken | DclBody::Modifiers { .. } => {}
            DclBody::Image(image) => self.declare_images(head, image),
            DclBody::View(view) => self.declare_views(head, view),
            DclBody::Buffer => self.declare_buffers(head),
            DclBody::Memory(kind) => self.declare_memories(head, kind),
            DclBody::ImmxVectors { first, count } => {
                let rows =
                    &self.resolver.checker.ast.immx_vectors[first as usize..][..count as usize];
                self.resolver.program.immx_vectors.clear();
                self.resolver.program.immx_vectors.extend_from_slice(rows);
            }
        }
        Ok(())
    }

    /// Declares registers of files whose declarations have no content but array ids: temporaries,
    /// constants, samplers and others.
    fn declare_plain_registers(
        &mut self,
        head: &DclHeader,
        suffixes: &DclModifiers,
    ) -> CheckResult<()> {
        match head.file {
            RegisterFile::Temp => self.declare_temps(head, suffixes),
            RegisterFile::TempX => self.declare_tempx_array(head),
            RegisterFile::Addr => self.declare_addresses(head),
            RegisterFile::Pred => head.numbers().for_each(|number| {
                self.resolver.get_predicate_register(number);
            }),
            RegisterFile::Const => self.resolver.declared.constants.push(head.declared_range()),
            RegisterFile::HwAtomic => {
                let buffers = self
                    .resolver
                    .declared
                    .counter_buffers
                    .max(head.buffer_index() + 1);
                self.resolver.declared.counter_buffers = buffers;
            }
            RegisterFile::Samp => self.for_each_new(head, |declarer, number| {
                replace(
                    get_or_grow(&mut declarer.resolver.declared.samplers, number),
                    true,
                )
            }),
            RegisterFile::Null
            | RegisterFile::In
            | RegisterFile::Out
            | RegisterFile::Imm
            | RegisterFile::Sv
            | RegisterFile::ImmX
            | RegisterFile::Image
            | RegisterFile::Res
            | RegisterFile::Sview
            | RegisterFile::Buffer
            | RegisterFile::Memory
            | RegisterFile::ConstBuf => {
                let message = format!("registers of `{}` are not declared", head.file.word());
                return Err(self.resolver.checker.report_error(
                    Code::Declaration,
                    head.span,
                    message,
                ));
            }
        }
        Ok(())
    }

    /// Declares address registers. Reports those that are declared already.
    fn declare_addresses(&mut self, head: &DclHeader) {
        self.for_each_new(head, |declarer, number| {
            // `address` declares it, so that it has to be tested before.
            let known = get_entry(&declarer.resolver.declared.addresses, number).is_some();
            declarer.resolver.get_address_register(number);
            known
        });
    }

    /// Reports empty brackets before the register number, unless the stage implies the number of
    /// vertices.
    fn check_implied_dimension(&mut self, head: &DclHeader, bracket: Span) -> CheckResult<()> {
        let file = head.file;
        let stages = [Stage::Geometry, Stage::TessControl, Stage::TessEval];
        if !matches!(file, RegisterFile::In | RegisterFile::Out)
            || !stages.contains(&self.resolver.checker.stage)
        {
            let message = format!("`{}[]` has no size that the stage implies", file.word());
            return Err(self
                .resolver
                .checker
                .report_error(Code::RegisterIndex, bracket, message));
        }
        // Patches have as many vertices as the draw specifies; primitives have those of the
        // property.
        let property = self.resolver.properties.input_primitive_start;
        if self.resolver.checker.stage == Stage::Geometry
            && property.is_none_or(|start| start > head.span.start)
        {
            let message = "`GS_INPUT_PRIMITIVE` must precede `IN[]`, whose size it defines";
            // The file, whose name has the same length in either case.
            let start = head.span.start;
            let word = Span::new(start, start + file.word().len() as u32);
            self.resolver
                .checker
                .report_lenient(LenientRule::LatePrimitive, word, message);
        }
        Ok(())
    }

    /// Reports declarations of constants that overlap earlier ones. Called at the end, so that many
    /// of them are compared in the order of their numbers. If three or more overlap, one error may
    /// represent several.
    pub(super) fn check_overlapping_constants(&mut self) {
        let mut ranges = take(&mut self.resolver.declared.constants.ranges);
        ranges.sort_unstable_by_key(|range| (range.buffer, range.first, range.span.start));
        let mut overlapping = Vec::new();
        let mut farthest: Option<DeclaredRange> = None;
        for &range in &ranges {
            let overlapped = farthest.filter(|other| other.contains(range.buffer, range.first));
            if let Some(other) = overlapped {
                let is_earlier = other.span.start < range.span.start;
                overlapping.push(if is_earlier { range } else { other });
            }
            // The range that reaches farthest is the one that a later range may overlap.
            let is_inside = overlapped.is_some_and(|other| other.last >= range.last);
            farthest = if is_inside { overlapped } else { Some(range) };
        }
        self.resolver.declared.constants.ranges = ranges;
        overlapping.sort_unstable_by_key(|range| range.span.start);
        // One declaration may overlap several others.
        overlapping.dedup_by_key(|range| range.span.start);
        for range in overlapping {
            self.resolver.checker.report_declared_twice(
                RegisterFile::Const,
                range.first,
                range.span,
            );
        }
    }

    /// Declares temporaries: elements of an array if an instruction indexes them dynamically, else
    /// separate registers. TGSI, section "Array Declaration".
    fn declare_temps(&mut self, head: &DclHeader, suffixes: &DclModifiers) {
        let (first, len) = (head.first, head.len());
        let mut array = None;
        // An index without the id of an array may select any temporary, so that all of them are one
        // array. TGSI, section "Array Declaration".
        if self
            .resolver
            .checker
            .ast
            .is_file_indexed(RegisterFile::Temp)
        {
            array = Some(self.resolver.get_temp_file_array(head.last + 1));
        } else if self
            .resolver
            .checker
            .ast
            .is_array_indexed(RegisterFile::Temp, suffixes.array)
        {
            let register = self.resolver.program.add_register(Storage::Temp, Some(len));
            array = Some(RegisterArray {
                first,
                len,
                register,
            });
        }
        // Id 0 denotes no array. Its slot is the whole file, which is in `get_temp_file_array`.
        if let Some(array) = array.filter(|_| suffixes.array != 0) {
            let arrays = &mut self.resolver.declared.temp_arrays;
            *get_or_grow(arrays, suffixes.array as usize) = Some(array);
        }
        self.assign_temp_storage(head, array);
    }

    /// Assigns storage to each temporary of a declaration: an element of `array`, or a separate
    /// register.
    fn assign_temp_storage(&mut self, head: &DclHeader, array: Option<RegisterArray>) {
        for number in head.first..=head.last {
            let storage = match array {
                // The index of an operand counts from the start of the file, not of the array.
                // TGSI, section "Array Declaration".
                Some(array) => TempStorage::ArrayElement(array.register, number - array.first),
                None => {
                    TempStorage::Register(self.resolver.program.add_register(Storage::Temp, None))
                }
            };
            let previous =
                get_or_grow(&mut self.resolver.declared.temps, number as usize).replace(storage);
            if previous.is_some() {
                // One message for each declaration, not for each of its registers.
                self.resolver
                    .checker
                    .report_declared_twice(head.file, number, head.span);
                break;
            }
        }
    }

    /// Declares an array of `TEMPX` registers, as TGSI had them in 2010.
    fn declare_tempx_array(&mut self, head: &DclHeader) {
        let len = head.last + 1;
        let register = self.resolver.program.add_register(Storage::Temp, Some(len));
        let array = RegisterArray {
            first: 0,
            len,
            register,
        };
        *get_or_grow(
            &mut self.resolver.declared.tempx_arrays,
            head.buffer_index() as usize,
        ) = Some(array);
    }

    /// Declares each register of a declaration; `declare` returns true if it was declared before,
    /// which is reported.
    fn for_each_new(
        &mut self,
        head: &DclHeader,
        mut declare: impl FnMut(&mut Self, usize) -> bool,
    ) {
        for number in head.numbers() {
            if declare(self, number) {
                self.resolver
                    .checker
                    .report_declared_twice(head.file, number as u32, head.span);
                break;
            }
        }
    }

    /// Declares the images of a declaration with target, format and access. Reports those declared
    /// before.
    fn declare_images(&mut self, head: &DclHeader, image: ImageDecl) {
        self.for_each_new(head, |declarer, number| {
            let declared = &mut *declarer.resolver.declared;
            let other = declared.images.first();
            declared.has_mixed_formats |= other.is_some_and(|it| it.format != image.format);
            declared.images.declare(number, image).is_some()
        });
    }

    /// Declares the sampler views of a declaration with target and type. Reports those declared
    /// before.
    fn declare_views(&mut self, head: &DclHeader, view: ViewDecl) {
        self.for_each_new(head, |declarer, number| {
            let views = &mut declarer.resolver.declared.views;
            views.declare(number, view).is_some()
        });
    }

    /// Declares the storage buffers of a declaration. Reports those declared before.
    fn declare_buffers(&mut self, head: &DclHeader) {
        self.for_each_new(head, |declarer, number| {
            replace(
                get_or_grow(&mut declarer.resolver.declared.buffers, number),
                true,
            )
        });
    }

    /// Declares memories of a kind: global, shared, private or input.
    fn declare_memories(&mut self, head: &DclHeader, kind: MemoryKind) {
        self.for_each_new(head, |declarer, number| {
            let memories = &mut declarer.resolver.declared.memories;
            memories.declare(number, kind).is_some()
        });
    }
}

impl DclHeader {
    /// Returns the range of the declared register numbers.
    pub(super) fn numbers(&self) -> RangeInclusive<usize> {
        self.first as usize..=self.last as usize
    }

    /// Returns the last one of the declared registers.
    pub(super) fn last_register(&self) -> ResolvedRegister {
        let outer = match self.dimension {
            Some(Dimension::Number(number)) => Some(RegisterIndex::from_constant(number)),
            Some(Dimension::Implied(_)) | None => None,
        };
        ResolvedRegister {
            file: self.file,
            outer,
            index: RegisterIndex::from_constant(self.last),
            span: self.span,
        }
    }

    /// Returns the number of declared registers.
    pub(super) fn len(&self) -> u32 {
        self.last - self.first + 1
    }

    /// Returns the number in the first bracket of two, 0 without one.
    pub(super) fn buffer_index(&self) -> u32 {
        match self.dimension {
            Some(Dimension::Number(number)) => number,
            // `CONST[n]` is vector n of buffer 0.
            Some(Dimension::Implied(_)) | None => 0,
        }
    }

    /// Returns the registers of a buffer that the declaration covers.
    pub(super) fn declared_range(&self) -> DeclaredRange {
        DeclaredRange {
            buffer: self.buffer_index(),
            first: self.first,
            last: self.last,
            span: self.span,
        }
    }
}
