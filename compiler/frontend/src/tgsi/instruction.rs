//! Instructions: operands and rules. What they become stands in [`lower`](super::lower).

use super::ast::{self, Extra};
use super::files::File;
use super::inst::{Inst, Predicate};
use super::opcodes::{Era, Flow, Lookup, Lower, Memory, Row, Suffixes, ViewLookup, is_resource};
use super::operand::Register;
use super::state::{Parsed, Reported, Translation};
use super::targets::Target as TextureTarget;
use crate::codes::Code;
use crate::lang::stage_name;
use crate::lower::formula::Formulas;
use crate::source::Acceptance;
use glasm_ir::types::Type;
use glasm_ir::{Cond, Guard, InstFlags, Op, Span, Src};

impl Translation<'_> {
    /// Translates an instruction. `failure`: the syntax error that ended it.
    #[inline]
    pub(super) fn instruction(
        &mut self,
        inst: &mut Inst,
        it: &ast::Inst,
        predicate: Option<Predicate>,
        failure: Option<u32>,
    ) -> Parsed<()> {
        let row = it.row;
        let is_old = row.era == Era::Removed && self.reports.acceptance() == Acceptance::Strict;
        if !row.stages.has(self.stage) || is_old {
            return Err(self.refused_opcode(row, it.opcode));
        }
        self.begin(it.opcode);
        if !self.in_code {
            self.begin_code();
        }
        self.constant_type = row.constant_type(self.stage);
        // Counted before the operands are resolved: an instruction with mistakes has a number, too.
        let ordinal = self.nesting.count;
        self.nesting.count += 1;
        inst.begin(row, it.opcode, self.word(0));
        let resolved = if self.nesting.is_dead() {
            self.dead_operands(inst, it, failure)
        } else {
            self.operands(inst, it, failure)
        };
        // The block exists nevertheless, and its end should find it.
        if let (Err(_), Lower::Flow(flow)) = (&resolved, row.lower) {
            self.flow_of_wrong_operands(flow, inst, ordinal);
        }
        resolved?;
        inst.span = it.span;
        self.span = inst.span;
        self.apply_suffixes(inst, it.suffixes);
        if let Lower::Flow(flow) = row.lower {
            // Of flow control only KILP is known with a predicate.
            return match (flow, predicate) {
                (Flow::Kill, Some(predicate)) => {
                    self.predicated_kill(predicate);
                    Ok(())
                }
                _ => self.flow(flow, inst, [ordinal, it.printed.unwrap_or(ordinal)]),
            };
        }
        if self.nesting.is_dead() {
            return Ok(());
        }
        // Behind the look at where control is: what nothing leads to is not translated and need not be right.
        self.check_signs(inst)?;
        if let (Some(predicate), Some(dst)) = (predicate, &mut inst.dst) {
            dst.guard = Some(self.guard(predicate));
        }
        self.lower(inst)?;
        // Written components may be outputs of the device under other names.
        if inst.target.register.file == File::Out {
            self.spread(&inst.target);
        }
        Ok(())
    }

    /// An opcode that programs of this stage or of this time do not have.
    #[cold]
    fn refused_opcode(&mut self, row: &Row, span: Span) -> Reported {
        if !row.stages.has(self.stage) {
            let stage = stage_name(self.stage);
            let message = format!("`{}` is no opcode of {stage} programs", row.name);
            return self.error(Code::FeatureStage, span, message);
        }
        let message = format!("`{}` is an opcode of the text of 2010", row.name);
        self.error(Code::OldLanguage, span, message)
    }

    /// The operands of an instruction that nothing leads to: nothing is made of them.
    #[cold]
    fn dead_operands(
        &mut self,
        inst: &mut Inst,
        it: &ast::Inst,
        failure: Option<u32>,
    ) -> Parsed<()> {
        let (insts, kept) = (self.builder.program.insts.len(), self.kept_count());
        let sources = self.builder.program.srcs.len();
        let read = self.operands(inst, it, failure);
        self.builder.program.insts.truncate(insts);
        self.builder.program.srcs.truncate(sources);
        // Values that the operands loaded are gone with their instructions.
        self.forget(kept);
        read
    }

    /// Integers have no absolute values but in the text of 2010.
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
            Some(_) if self.options.old => {
                for source in &mut inst.sources[..inst.count] {
                    if source.abs {
                        *source = self.compute(Op::Mov, Type::S32, &[*source]);
                    }
                }
                Ok(())
            }
            Some(number) => {
                let span = inst.registers[number].span;
                let message = "integers have no absolute values";
                Err(self.error(Code::ModifierUnsupported, span, message))
            }
        }
    }

    fn apply_suffixes(&mut self, inst: &mut Inst, suffixes: Suffixes) {
        if suffixes.precise {
            self.flags = InstFlags::PRECISE;
        }
        if suffixes.saturate {
            inst.saturate = self.saturation(suffixes.signed);
        }
    }

    /// The condition that a predicate stands for.
    fn guard(&mut self, predicate: Predicate) -> Guard {
        Guard {
            cc: self.tested(Src::register(predicate.register)),
            test: predicate.test,
            swizzle: predicate.swizzle,
        }
    }

    /// `KILP` behind a predicate.
    #[cold]
    fn predicated_kill(&mut self, predicate: Predicate) {
        if self.nesting.is_dead() {
            return;
        }
        let guard = self.guard(predicate);
        self.discard(Cond::Any(guard));
    }

    /// Resolves the operands of an opcode and what follows them, then reports the syntax error that ended it, if there is one.
    #[inline]
    fn operands(&mut self, inst: &mut Inst, it: &ast::Inst, failure: Option<u32>) -> Parsed<()> {
        let ast = self.ast;
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
        self.check_failure(failure)
    }

    #[inline]
    fn results(&mut self, inst: &mut Inst, results: &[ast::Operand]) -> Parsed<()> {
        let Some(first) = results.first() else {
            return Ok(());
        };
        inst.target = self.target(first)?;
        // STORE has a result that is a resource, in the first place like all results.
        if !matches!(inst.row.lower, Lower::Memory(Memory::Store)) {
            inst.dst = self.destination(&inst.target)?;
        }
        if let Some(second) = results.get(1) {
            inst.second = Some(self.target(second)?);
        }
        Ok(())
    }

    #[inline]
    fn sources(&mut self, inst: &mut Inst, sources: &[ast::Operand]) -> Parsed<()> {
        // Few opcodes have resources; the others have sources of one kind.
        if inst.row.has_unusual_sources() {
            return self.unusual_sources(inst, sources);
        }
        for (number, source) in sources.iter().enumerate() {
            inst.sources[number] = self.source(source, &mut inst.registers[number])?;
        }
        inst.count = sources.len();
        Ok(())
    }

    /// Resolves sources of which some are resources, or are missing.
    #[inline(never)]
    fn unusual_sources(&mut self, inst: &mut Inst, sources: &[ast::Operand]) -> Parsed<()> {
        let row = inst.row;
        for (number, source) in sources.iter().enumerate() {
            // The component that TG4 gathers may be part of the sampler.
            let is_short = number == 1
                && matches!(row.lower, Lower::Lookup(Lookup::Gather))
                && source.register.file == File::Samp;
            if is_short || is_resource(row, number) {
                inst.registers[number] = self.resolve_register(&source.register)?;
                inst.sources[number].swizzle = source.swizzle;
            } else {
                inst.sources[number] = self.source(source, &mut inst.registers[number])?;
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
                self.source(offset, &mut { Register::NONE })?;
            } else {
                inst.offsets[number] = Some(self.offset(offset, inst.texture)?);
            }
        }
        Ok(())
    }

    #[inline]
    fn offset(&mut self, offset: &ast::Operand, target: Option<&TextureTarget>) -> Parsed<Src> {
        let source = self.source(offset, &mut { Register::NONE })?;
        // Also zeros: an offset has no direction on the faces of a cube.
        if target.is_some_and(|target| target.target.is_cube()) {
            let span = Span::new(offset.register.span.start, offset.end);
            let message = "texels of cubes have no offsets";
            return Err(self.error(Code::OffsetTarget, span, message));
        }
        Ok(source)
    }
}
