//! Instructions: their operands are resolved, then the rules of their opcodes are checked.

use super::checker::{CheckResult, Reported};
use super::contexts::StatementChecker;
use super::registers::TgsiInst;
use crate::codes::Code;
use crate::tgsi::ast::{self, TrailingOperand};
use crate::tgsi::checked::{
    CheckedDst, CheckedInst, CheckedSource, CheckedValue, InstDetails, TexelOffsets, WrittenOutputs,
};
use crate::tgsi::declaration_tables::RegisterFile;
use crate::tgsi::opcodes::{
    Flow, Lookup, OpcodeLowering, OpcodeModifiers, ViewLookup, is_resource,
};
use glasm_ir::{Saturate, Span};

impl StatementChecker<'_> {
    /// Resolves and checks an instruction, and adds it to the checked program if it is reachable.
    /// The first one begins the main routine. Overwrites `inst`, whose memory is reused. `guard` is
    /// the number of the resolved predicate; `syntax_error` is the number of the syntax error that
    /// ended the statement, which is reported after errors of the operands. Returns `Err` after
    /// reporting an error.
    pub(super) fn check_instruction(
        &mut self,
        inst: &mut TgsiInst,
        parsed: &ast::Inst,
        guard: Option<u32>,
        syntax_error: Option<u32>,
    ) -> CheckResult<()> {
        let row = parsed.opcode_row;
        let acceptance = self.resolver.checker.reports.acceptance();
        if !row.is_available(self.resolver.checker.stage, acceptance) {
            return Err(self
                .resolver
                .checker
                .report_unavailable_opcode(row, parsed.opcode));
        }
        self.resolver.current_span = parsed.opcode;
        let is_first = !self.has_instructions;
        if is_first {
            self.begin_main();
        }
        inst.reset_for(row, parsed.opcode);
        inst.saturates = parsed.modifiers.saturate;
        inst.first_source = self.resolver.program.sources.len();
        let resolved = self.resolve_operands(inst, parsed, syntax_error);
        // The block exists nevertheless, and its end should find it.
        if let (Err(_), OpcodeLowering::Flow(flow)) = (&resolved, row.lower) {
            self.check_erroneous_flow(flow, inst, is_first);
        }
        resolved?;
        inst.span = parsed.span;
        self.resolver.current_span = parsed.span;
        if let OpcodeLowering::Flow(flow) = row.lower {
            // Of flow control only KILP can have a predicate.
            if let (Flow::Kill, Some(guard)) = (flow, guard) {
                self.check_predicated_kill(inst, guard);
                return Ok(());
            }
            return self.check_flow_inst(flow, inst, is_first);
        }
        // Code that cannot run need not be correct.
        if self.resolver.checker.blocks.is_dead() {
            self.resolver.program.sources.truncate(inst.first_source);
            return Ok(());
        }
        self.check_signs(inst)?;
        let details = self.check_operation(inst)?;
        let saturate = self.select_saturation(parsed.modifiers);
        self.push_inst(CheckedInst {
            saturate,
            is_precise: parsed.modifiers.precise,
            guard,
            written_outputs: self.find_written_outputs(inst),
            ..inst.to_checked(details)
        });
        Ok(())
    }

    /// Returns the output registers that an instruction may have written.
    fn find_written_outputs(&self, inst: &TgsiInst) -> WrittenOutputs {
        let register = &inst.result;
        if register.file != RegisterFile::Out {
            return WrittenOutputs::None;
        }
        if let Some(number) = register.index.as_constant() {
            return WrittenOutputs::Register(number as u32);
        }
        // Any of the array may have been written.
        let array = self.resolver.declared.find_output_array(register.index);
        array.map_or(WrittenOutputs::None, |array| WrittenOutputs::Array {
            first: array.first,
            len: array.len,
        })
    }

    /// Reports absolute values of integers, which only exist in TGSI of 2010.
    fn check_signs(&mut self, inst: &TgsiInst) -> CheckResult<()> {
        let (OpcodeLowering::Direct(_, ty) | OpcodeLowering::Convert(ty, ..)) =
            inst.opcode_row.lower
        else {
            return Ok(());
        };
        if ty.is_float() {
            return Ok(());
        }
        let mut sources = self.sources(inst).iter();
        match sources.position(|source| source.absolute) {
            // Negation is that of two's complement.
            Some(number) if !self.resolver.checker.options.legacy_semantics => {
                let message = "integers have no absolute values";
                let span = self.source_span(inst, number);
                Err(self
                    .resolver
                    .checker
                    .report_error(Code::ModifierUnsupported, span, message))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Returns the resolved sources of an instruction.
    pub(super) fn sources(&self, inst: &TgsiInst) -> &[CheckedSource] {
        &self.resolver.program.sources[inst.first_source..][..inst.source_count]
    }

    /// Returns the span of the register of a source.
    pub(super) fn source_span(&self, inst: &TgsiInst, number: usize) -> Span {
        let operands = &self.resolver.checker.ast.operands;
        operands[inst.first_operand + number].register.span
    }

    /// Returns the span of the first result.
    pub(super) fn result_span(&self, inst: &TgsiInst) -> Span {
        let results = usize::from(inst.opcode_row.results);
        let result = &self.resolver.checker.ast.operands[inst.first_operand - results];
        Span::new(result.register.span.start, result.end)
    }

    /// Returns the clamp of results that have `_SAT` or `_SATNV`.
    fn select_saturation(&self, modifiers: OpcodeModifiers) -> Saturate {
        let is_old = self.resolver.checker.options.legacy_semantics;
        match (modifiers.saturate, modifiers.signed, is_old) {
            (false, ..) => Saturate::None,
            (true, false, false) => Saturate::Unsigned,
            // In 2010 a clamp was two comparisons, which let NaN pass.
            (true, false, true) => Saturate::UnsignedOrNan,
            (true, true, _) => Saturate::SignedOrNan,
        }
    }

    /// Resolves the operands of an opcode and the parts that follow them, then reports the syntax
    /// error that ended it, if there is one.
    fn resolve_operands(
        &mut self,
        inst: &mut TgsiInst,
        parsed: &ast::Inst,
        syntax_error: Option<u32>,
    ) -> CheckResult<()> {
        let ast = self.resolver.checker.ast;
        let first = parsed.first_operand as usize;
        let operands = &ast.operands[first..first + parsed.operand_count as usize];
        let results = usize::from(parsed.opcode_row.results).min(operands.len());
        inst.first_operand = first + results;
        let (results, others) = operands.split_at(results);
        let (sources, offsets) = others.split_at(parsed.source_count as usize);
        self.resolve_results(inst, results)?;
        self.resolve_sources(inst, sources)?;
        match parsed.trailing {
            TrailingOperand::None => {}
            TrailingOperand::Texture(target, span) => inst.texture_target = Some((target, span)),
            TrailingOperand::Qualifiers(access) => {
                inst.qualifiers = ast.qualifiers[access as usize]
            }
            TrailingOperand::Label(label, span) => inst.label = Some((label, span)),
        }
        if !offsets.is_empty() {
            self.resolve_offsets(inst, offsets)?;
        }
        self.resolver.checker.check_syntax_error(syntax_error)
    }

    /// Resolves the results of an instruction.
    fn resolve_results(
        &mut self,
        inst: &mut TgsiInst,
        results: &[ast::Operand],
    ) -> CheckResult<()> {
        let Some(first) = results.first() else {
            return Ok(());
        };
        inst.mask = first.mask;
        match self.resolver.find_temp_fast(&first.register) {
            Some(place) if !inst.opcode_row.has_resource_result() => {
                let mask = first.mask;
                inst.dst = Some(CheckedDst { place, mask });
            }
            Some(_) | None => self.resolve_first_result(inst, first)?,
        }
        if let Some(second) = results.get(1) {
            let register = self.resolver.resolve_register(&second.register)?;
            inst.second_dst = self.resolver.resolve_destination(&register, second.mask)?;
        }
        Ok(())
    }

    /// Resolves the first result of an instruction. The result of STORE is a resource, which has no
    /// destination.
    fn resolve_first_result(
        &mut self,
        inst: &mut TgsiInst,
        operand: &ast::Operand,
    ) -> CheckResult<()> {
        inst.result = self.resolver.resolve_register(&operand.register)?;
        if !inst.opcode_row.has_resource_result() {
            let dst = self
                .resolver
                .resolve_destination(&inst.result, operand.mask)?;
            inst.dst = dst;
        }
        Ok(())
    }

    /// Resolves the source operands of an instruction and sets their number.
    fn resolve_sources(
        &mut self,
        inst: &mut TgsiInst,
        sources: &[ast::Operand],
    ) -> CheckResult<()> {
        // Few opcodes have resources; the others have sources of one kind.
        if inst.opcode_row.has_resource_sources() {
            return self.resolve_resource_sources(inst, sources);
        }
        for source in sources {
            self.resolver.resolve_operand_source(source)?;
        }
        inst.source_count = sources.len();
        Ok(())
    }

    /// Resolves the sources of an opcode of which some are resources or optional.
    #[inline(never)]
    fn resolve_resource_sources(
        &mut self,
        inst: &mut TgsiInst,
        sources: &[ast::Operand],
    ) -> CheckResult<()> {
        let row = inst.opcode_row;
        for (number, source) in sources.iter().enumerate() {
            // The component that TG4 gathers may be part of the sampler.
            let is_short = number == 1
                && matches!(row.lower, OpcodeLowering::Lookup(Lookup::Gather))
                && source.register.file == RegisterFile::Samp;
            if is_short || is_resource(row, number) {
                inst.resources[number] = self.resolver.resolve_register(&source.register)?;
                self.resolver.program.sources.push(CheckedSource {
                    value: CheckedValue::Resource,
                    swizzle: source.swizzle,
                    negate: false,
                    absolute: false,
                });
            } else {
                self.resolver.resolve_operand_source(source)?;
            }
            inst.source_count += 1;
        }
        Ok(())
    }

    /// Resolves up to four texel offsets of an instruction.
    fn resolve_offsets(
        &mut self,
        inst: &mut TgsiInst,
        offsets: &[ast::Operand],
    ) -> CheckResult<()> {
        let first = self.resolver.program.sources.len();
        for offset in offsets {
            self.resolver.resolve_operand_source(offset)?;
            self.check_offset(inst, offset)?;
        }
        // SAMPLE_INFO may have a second source, which the table of opcodes does not have.
        if inst.opcode_row.lower == OpcodeLowering::ViewLookup(ViewLookup::SampleInfo) {
            self.resolver.program.sources.truncate(first);
        } else {
            inst.offsets = TexelOffsets {
                first: first as u32,
                count: offsets.len() as u8,
            };
        }
        Ok(())
    }

    /// Reports texel offsets of cubes.
    fn check_offset(&mut self, inst: &TgsiInst, offset: &ast::Operand) -> CheckResult<()> {
        // Also zeros: an offset has no direction on the faces of a cube.
        let of_cube = inst
            .texture_target
            .is_some_and(|(it, _)| it.target.is_cube());
        if !of_cube {
            return Ok(());
        }
        let span = Span::new(offset.register.span.start, offset.end);
        let message = "texels of cubes have no offsets";
        Err(self
            .resolver
            .checker
            .report_error(Code::OffsetTarget, span, message))
    }

    /// Checks the rules of an opcode without effect on control flow, and returns the parts that
    /// only some instructions have.
    fn check_operation(&mut self, inst: &TgsiInst) -> CheckResult<InstDetails> {
        let lower = inst.opcode_row.lower;
        let mut result_type = lower.result_type();
        let mut details = InstDetails::None;
        match lower {
            OpcodeLowering::Move
            | OpcodeLowering::Direct(..)
            | OpcodeLowering::First(..)
            | OpcodeLowering::Bits(..)
            | OpcodeLowering::Convert(..)
            | OpcodeLowering::Flow(_)
            | OpcodeLowering::KillIf
            | OpcodeLowering::Demote
            | OpcodeLowering::Barrier
            | OpcodeLowering::MemoryBarrier
            | OpcodeLowering::Vote(_)
            | OpcodeLowering::Ballot => {}
            OpcodeLowering::Formula(formula) => self.check_formula(inst, formula),
            OpcodeLowering::Wide(..) => self.check_wide(inst, inst.source_count)?,
            OpcodeLowering::WideBits(..) => self.check_wide_sources(inst, 2)?,
            OpcodeLowering::WideFormula(formula) => {
                details = self.check_wide_formula(inst, formula)?;
            }
            OpcodeLowering::WideShift(..) | OpcodeLowering::WideConvert(..) => {
                self.check_wide(inst, 1)?;
            }
            OpcodeLowering::Widen(..) => self.check_pair_result(inst)?,
            OpcodeLowering::Narrow(..) => self.check_narrow(inst)?,
            OpcodeLowering::Lookup(lookup) => {
                (details, result_type) = self.check_lookup(inst, lookup)?;
            }
            OpcodeLowering::ViewLookup(lookup) => {
                (details, result_type) = self.check_view_lookup(inst, lookup)?;
            }
            OpcodeLowering::Memory(memory) => {
                (details, result_type) = self.check_memory_access(inst, memory)?;
            }
            OpcodeLowering::Emit | OpcodeLowering::EndPrimitive => self.check_stream(inst)?,
            OpcodeLowering::Interpolate(_) => self.check_interpolated(inst)?,
        }
        if inst.saturates && result_type.is_some_and(|ty| !ty.is_float()) {
            let checker = &mut self.resolver.checker;
            checker.report_clamp_on_integers(inst.opcode_row, inst.span);
        }
        Ok(details)
    }

    /// Reports an error at `span`; the result is the proof that an error was reported.
    pub(super) fn report_error(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> Reported {
        self.resolver.checker.report_error(code, span, message)
    }
}

impl TgsiInst {
    /// Returns the instruction for the checked program, without modifiers and written outputs.
    pub(super) fn to_checked(&self, details: InstDetails) -> CheckedInst {
        CheckedInst {
            opcode_row: self.opcode_row,
            first_source: self.first_source as u32,
            source_count: self.source_count as u8,
            saturate: Saturate::None,
            is_precise: false,
            mask: self.mask,
            dst: self.dst,
            guard: None,
            written_outputs: WrittenOutputs::None,
            details,
            opcode: self.opcode_span,
            span: self.span,
        }
    }
}
