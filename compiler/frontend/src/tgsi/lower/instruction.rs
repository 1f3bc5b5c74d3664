//! Instructions: their operands are resolved, then they are lowered.

use super::outputs::Outputs;
use super::statement::TgsiLowerer;
use crate::codes::Code;
use crate::lower::formula::Formulas;
use crate::tgsi::ast::{self, Extra};
use crate::tgsi::check::Parsed;
use crate::tgsi::files::File;
use crate::tgsi::inst::{Inst, Predicate};
use crate::tgsi::opcodes::{Flow, Lookup, Lower, Memory, Suffixes, ViewLookup, is_resource};
use crate::tgsi::operand::Register;
use crate::tgsi::targets::Target as TextureTarget;
use glasm_ir::types::Type;
use glasm_ir::{Guard, InstFlags, Op, Saturate, Span, Src};

impl TgsiLowerer<'_> {
    /// Lowers an instruction. `failure`: the syntax error that ended it.
    #[inline]
    pub(super) fn instruction(
        &mut self,
        inst: &mut Inst,
        it: &ast::Inst,
        predicate: Option<Predicate>,
        failure: Option<u32>,
    ) -> Parsed<()> {
        let row = it.row;
        let acceptance = self.cx.check.reports.acceptance();
        if !row.is_available(self.cx.check.stage, acceptance) {
            return Err(self.cx.check.report_refused_opcode(row, it.opcode));
        }
        self.cx.emit.begin(it.opcode);
        let is_first = !self.in_code;
        if is_first {
            self.begin_code();
        }
        self.cx.constant_type = row.constant_type(self.cx.check.stage);
        inst.begin(row, it.opcode, self.cx.emit.word(0));
        let resolved = if self.is_dead() {
            self.resolve_dead_operands(inst, it, failure)
        } else {
            self.operands(inst, it, failure)
        };
        // The block exists nevertheless, and its end should find it.
        if let (Err(_), Lower::Flow(flow)) = (&resolved, row.lower) {
            self.lower_wrong_flow(flow, inst, is_first);
        }
        resolved?;
        inst.span = it.span;
        self.cx.emit.span = inst.span;
        self.apply_suffixes(inst, it.suffixes);
        if let Lower::Flow(flow) = row.lower {
            // Of flow control only KILP can have a predicate.
            return match (flow, predicate) {
                (Flow::Kill, Some(predicate)) => {
                    self.lower_predicated_kill(predicate);
                    Ok(())
                }
                _ => self.flow(flow, inst, is_first),
            };
        }
        if self.is_dead() {
            return Ok(());
        }
        // After the test for dead code: that is not lowered and need not be correct.
        self.check_signs(inst)?;
        if let (Some(predicate), Some(dst)) = (predicate, &mut inst.dst) {
            dst.guard = Some(self.guard(predicate));
        }
        let lowered = self.lower(inst);
        if std::mem::take(&mut self.cx.emit.clamps_integers) {
            self.cx.check.report_clamp_on_integers(inst.row, inst.span);
        }
        lowered?;
        // Written components may be outputs of the device under other names.
        if inst.target.register.file == File::Out {
            Outputs::new(&mut self.cx).spread(&inst.target);
        }
        Ok(())
    }

    /// Resolves the operands of an instruction in dead code, and drops the instructions that they
    /// need.
    #[cold]
    fn resolve_dead_operands(
        &mut self,
        inst: &mut Inst,
        it: &ast::Inst,
        failure: Option<u32>,
    ) -> Parsed<()> {
        let (insts, kept) = (
            self.cx.emit.builder.program.insts.len(),
            self.cx.emit.kept_count(),
        );
        let sources = self.cx.emit.builder.program.srcs.len();
        let read = self.operands(inst, it, failure);
        self.cx.emit.builder.program.insts.truncate(insts);
        self.cx.emit.builder.program.srcs.truncate(sources);
        // Values that the operands loaded are removed with their instructions.
        self.cx.emit.forget(kept);
        read
    }

    /// Reports absolute values of integers, which only exist in TGSI of 2010.
    #[inline]
    fn check_signs(&mut self, inst: &mut Inst) -> Parsed<()> {
        let (Lower::Direct(_, ty) | Lower::Convert(ty, ..)) = inst.row.lower else {
            return Ok(());
        };
        if ty.is_float() {
            return Ok(());
        }
        let mut sources = inst.sources[..inst.count].iter();
        match sources.position(|source| source.abs) {
            // Negation is that of two's complement.
            None => Ok(()),
            Some(_) if self.cx.check.options.old => {
                for source in &mut inst.sources[..inst.count] {
                    if source.abs {
                        *source = self.cx.emit.compute(Op::Mov, Type::S32, &[*source]);
                    }
                }
                Ok(())
            }
            Some(number) => {
                let span = inst.registers[number].span;
                let message = "integers have no absolute values";
                Err(self
                    .cx
                    .check
                    .error(Code::ModifierUnsupported, span, message))
            }
        }
    }

    fn apply_suffixes(&mut self, inst: &mut Inst, suffixes: Suffixes) {
        if suffixes.precise {
            self.cx.emit.flags = InstFlags::PRECISE;
        }
        if suffixes.saturate {
            inst.saturate = saturation(suffixes.signed, self.cx.check.options.old);
        }
    }

    /// Returns the condition of a predicate.
    pub(super) fn guard(&mut self, predicate: Predicate) -> Guard {
        Guard {
            cc: self.cx.emit.tested(Src::register(predicate.register)),
            test: predicate.test,
            swizzle: predicate.swizzle,
        }
    }

    /// Resolves the operands of an opcode and the parts that follow them, then reports the syntax
    /// error that ended it, if there is one.
    #[inline]
    fn operands(&mut self, inst: &mut Inst, it: &ast::Inst, failure: Option<u32>) -> Parsed<()> {
        let ast = self.cx.check.ast;
        let first = it.first_operand as usize;
        let operands = &ast.operands[first..first + it.operand_count as usize];
        let results = usize::from(it.row.results).min(operands.len());
        let (results, others) = operands.split_at(results);
        let (sources, offsets) = others.split_at(it.source_count as usize);
        self.results(inst, results)?;
        self.sources(inst, sources)?;
        match it.extra {
            Extra::Nothing => {}
            Extra::Texture(target, span) => {
                inst.texture = Some(target);
                inst.target_span = span;
            }
            Extra::Access(access) => inst.access = ast.accesses[access as usize],
            Extra::Label(label, span) => inst.label = Some((label, span)),
        }
        if !offsets.is_empty() {
            self.offsets(inst, offsets)?;
        }
        self.cx.check.check_failure(failure)
    }

    #[inline]
    fn results(&mut self, inst: &mut Inst, results: &[ast::Operand]) -> Parsed<()> {
        let Some(first) = results.first() else {
            return Ok(());
        };
        inst.target = self.cx.target(first)?;
        // STORE has a result that is a resource.
        if !matches!(inst.row.lower, Lower::Memory(Memory::Store)) {
            inst.dst = self.cx.destination(&inst.target)?;
        }
        if let Some(second) = results.get(1) {
            let second = self.cx.target(second)?;
            inst.second = self.cx.destination(&second)?;
        }
        Ok(())
    }

    #[inline]
    fn sources(&mut self, inst: &mut Inst, sources: &[ast::Operand]) -> Parsed<()> {
        // Few opcodes have resources; the others have sources of one kind.
        if inst.row.has_unusual_sources() {
            return self.resolve_other_sources(inst, sources);
        }
        for (number, source) in sources.iter().enumerate() {
            inst.sources[number] = self.cx.source(source, &mut inst.registers[number])?;
        }
        inst.count = sources.len();
        Ok(())
    }

    /// Resolves sources of which some are resources, or are missing.
    #[inline(never)]
    fn resolve_other_sources(&mut self, inst: &mut Inst, sources: &[ast::Operand]) -> Parsed<()> {
        let row = inst.row;
        for (number, source) in sources.iter().enumerate() {
            // The component that TG4 gathers may be part of the sampler.
            let is_short = number == 1
                && matches!(row.lower, Lower::Lookup(Lookup::Gather))
                && source.register.file == File::Samp;
            if is_short || is_resource(row, number) {
                inst.registers[number] = self.cx.resolve_register(&source.register)?;
                inst.sources[number].swizzle = source.swizzle;
            } else {
                inst.sources[number] = self.cx.source(source, &mut inst.registers[number])?;
            }
            inst.count += 1;
        }
        Ok(())
    }

    /// Resolves texel offsets: up to four registers.
    fn offsets(&mut self, inst: &mut Inst, offsets: &[ast::Operand]) -> Parsed<()> {
        // The second source of SAMPLE_INFO, which the table of opcodes does not have.
        let is_ignored = inst.row.lower == Lower::ViewLookup(ViewLookup::SampleInfo);
        for (number, offset) in offsets.iter().enumerate() {
            if is_ignored {
                self.cx.source(offset, &mut { Register::NONE })?;
            } else {
                inst.offsets[number] = Some(self.offset(offset, inst.texture)?);
            }
        }
        Ok(())
    }

    #[inline]
    fn offset(&mut self, offset: &ast::Operand, target: Option<&TextureTarget>) -> Parsed<Src> {
        let source = self.cx.source(offset, &mut { Register::NONE })?;
        // Also zeros: an offset has no direction on the faces of a cube.
        if target.is_some_and(|target| target.target.is_cube()) {
            let span = Span::new(offset.register.span.start, offset.end);
            let message = "texels of cubes have no offsets";
            return Err(self.cx.check.error(Code::OffsetTarget, span, message));
        }
        Ok(source)
    }
}

/// Returns the clamp of results that have `_SAT`, or `_SATNV` if `signed`.
fn saturation(signed: bool, is_old: bool) -> Saturate {
    match (signed, is_old) {
        (false, false) => Saturate::Unsigned,
        // In 2010 a clamp was two comparisons, which let NaN pass.
        (false, true) => Saturate::UnsignedOrNan,
        (true, _) => Saturate::SignedOrNan,
    }
}
