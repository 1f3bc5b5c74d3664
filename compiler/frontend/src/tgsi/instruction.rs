//! Instructions: operands and rules. What they become stands in [`lower`](super::lower).

use super::cursor::Word;
use super::files::File;
use super::inst::{Inst, Predicate};
use super::opcodes::{
    Besides, Era, Flow, Lookup, Lower, Memory, Row, Suffixes, ViewLookup, begins_statement,
    is_resource,
};
use super::operand::{Register, Target};
use super::state::{Parsed, Reported, Translation, quoted};
use super::targets::{self, Target as TextureTarget};
use crate::codes::Code;
use crate::lang::stage_name;
use crate::lower::formula::Formulas;
use crate::suggest::suggest;
use glasm_ir::resource::MemFlags;
use glasm_ir::types::Type;
use glasm_ir::{Cond, Guard, InstFlags, Op, Span, Src, Swizzle};
use std::mem;

impl Translation<'_> {
    /// An instruction whose opcode was read; `printed` is the number before it.
    #[inline]
    pub(super) fn instruction(
        &mut self,
        inst: &mut Inst,
        word: &Word<'_>,
        printed: Option<u32>,
        predicate: Option<Predicate>,
    ) -> Parsed<()> {
        let Some((row, suffixes)) = Row::of(word) else {
            return Err(self.unknown_opcode(word));
        };
        if !row.stages.has(self.stage) || row.era == Era::Removed && !self.cursor.extended {
            return Err(self.refused_opcode(row, word.span()));
        }
        self.begin(word.span());
        if !self.in_code {
            self.begin_code();
        }
        self.constant_type = row.constant_type(self.stage);
        // Counted before the operands are read: an instruction with mistakes has a number, too.
        let ordinal = self.nesting.count;
        self.nesting.count += 1;
        inst.begin(row, word.span(), self.word(0));
        let read = match self.nesting.is_dead() {
            false => self.operands(inst),
            true => self.dead_operands(inst),
        };
        // The block is there all the same, and its end should find it.
        if let (Err(_), Lower::Flow(flow)) = (&read, row.lower) {
            self.flow_of_wrong_operands(flow, inst, ordinal);
        }
        read?;
        inst.span = self.cursor.since(word.start);
        self.span = inst.span;
        self.apply_suffixes(inst, suffixes);
        if let Lower::Flow(flow) = row.lower {
            // Of flow control only KILP is known with a predicate.
            return match (flow, predicate) {
                (Flow::Kill, Some(predicate)) => {
                    self.predicated_kill(predicate);
                    Ok(())
                }
                _ => self.flow(flow, inst, [ordinal, printed.unwrap_or(ordinal)]),
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
    fn dead_operands(&mut self, inst: &mut Inst) -> Parsed<()> {
        let (insts, kept) = (self.builder.program.insts.len(), self.kept_count());
        let sources = self.builder.program.srcs.len();
        let read = self.operands(inst);
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

    #[cold]
    fn unknown_opcode(&mut self, word: &Word<'_>) -> Reported {
        if word.text.is_empty() {
            return self.unexpected("an instruction");
        }
        let text = quoted(word.text);
        let hint = suggest(&text, Row::names());
        let message = format!("`{text}` is no opcode");
        self.error_with(Code::UnknownOpcode, word.span(), message, hint)
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

    /// The operands of an opcode and what stands behind them.
    #[inline]
    fn operands(&mut self, inst: &mut Inst) -> Parsed<()> {
        // STORE has a result that is a resource, in the first place like all results.
        if inst.row.results > 0 {
            self.results(inst)?;
        }
        self.sources(inst)?;
        self.behind_operands(inst)
    }

    #[inline]
    fn results(&mut self, inst: &mut Inst) -> Parsed<()> {
        self.target(&mut inst.target)?;
        if !matches!(inst.row.lower, Lower::Memory(Memory::Store)) {
            inst.dst = self.destination(&inst.target)?;
        }
        if inst.row.results > 1 {
            self.comma(inst, 1)?;
            let second = inst.second.insert(Target::NONE);
            self.target(second)?;
        }
        Ok(())
    }

    #[inline]
    fn sources(&mut self, inst: &mut Inst) -> Parsed<()> {
        let row = inst.row;
        // Few opcodes have resources; the others read all sources alike.
        if row.has_unusual_sources() {
            return self.unusual_sources(inst);
        }
        for number in 0..usize::from(row.sources) {
            let before = number + usize::from(row.results);
            if before > 0 {
                self.comma(inst, before)?;
            }
            inst.sources[number] = self.source(&mut inst.registers[number])?;
            inst.count += 1;
        }
        Ok(())
    }

    /// Sources of which some are resources, or may lack.
    #[inline(never)]
    fn unusual_sources(&mut self, inst: &mut Inst) -> Parsed<()> {
        let row = inst.row;
        // Streams were none in 2010.
        let may_lack = matches!(row.lower, Lower::Emit | Lower::EndPrimitive);
        for number in 0..usize::from(row.sources) {
            let before = number + usize::from(row.results);
            if before > 0 {
                self.comma(inst, before)?;
            } else if may_lack && !self.is_at_operand() {
                // The next instruction stands here, or the end.
                break;
            }
            // The component that TG4 gathers may be part of the sampler.
            let is_short = number == 1
                && matches!(row.lower, Lower::Lookup(Lookup::Gather))
                && self.is_at_sampler();
            if is_short || is_resource(row, number) {
                self.register_operand(&mut inst.registers[number])?;
                inst.sources[number].swizzle = self.optional_swizzle()?;
            } else {
                inst.sources[number] = self.source(&mut inst.registers[number])?;
            }
            inst.count += 1;
            if is_short {
                break;
            }
        }
        Ok(())
    }

    /// Whether an operand stands here: a register, perhaps behind a sign or a bar.
    fn is_at_operand(&mut self) -> bool {
        self.cursor.blanks();
        if matches!(self.cursor.byte(), b'-' | b'|') {
            return true;
        }
        let mut ahead = self.cursor;
        let word = ahead.word();
        ahead.blanks();
        // A bracket, because labels of flow control and opcodes are words, too.
        File::of(word.text).is_some() && ahead.byte() == b'['
    }

    fn is_at_sampler(&self) -> bool {
        // A copy of the cursor, so that nothing is taken.
        let mut ahead = self.cursor;
        ahead.word().is("SAMP")
    }

    #[inline]
    fn comma(&mut self, inst: &Inst, number: usize) -> Parsed<()> {
        if self.cursor.eat(b',') {
            return Ok(());
        }
        Err(self.too_few(inst, number))
    }

    #[cold]
    fn too_few(&mut self, inst: &Inst, number: usize) -> Reported {
        if !self.is_at_statement() {
            return self.unexpected("`,`");
        }
        let row = inst.row;
        let count = usize::from(row.sources + row.results);
        let message = format!("`{}` has {count} operands, not {number}", row.name);
        self.error(Code::MissingOperand, inst.span, message)
    }

    /// Whether a line ends here, or the text, or a statement begins.
    #[cold]
    pub(super) fn is_at_statement(&mut self) -> bool {
        // Nothing is taken here, either: the next statement is read from its start.
        let before = self.cursor.at;
        let next = self.cursor.token();
        let text = self.cursor.text;
        let start = next.start as usize;
        // Blanks may have been read already.
        let blank = text[..start].iter().rposition(|&byte| byte > b' ');
        let ends_line = text[blank.map_or(0, |at| at + 1)..start].contains(&b'\n');
        let word = self.cursor.word();
        self.cursor.at = before;
        let is_numbered = word.text.first().is_some_and(u8::is_ascii_digit);
        ends_line || next.range().is_empty() || is_numbered || begins_statement(&word)
    }

    /// Targets, offsets, qualifiers and labels.
    #[inline]
    fn behind_operands(&mut self, inst: &mut Inst) -> Parsed<()> {
        match inst.row.lower.besides() {
            Besides::Sampler | Besides::Memory(Memory::SamplerHandle) => {
                self.texture_target(inst)?;
            }
            Besides::View(_) => self.offsets(inst)?,
            Besides::Memory(_) => self.qualifiers(inst)?,
            Besides::Label => self.label(inst)?,
            Besides::Nothing => {}
        }
        // What stands behind a comma is one operand too many for every opcode.
        match self.cursor.sees(b',') {
            true => Err(self.too_many(inst)),
            false => Ok(()),
        }
    }

    #[cold]
    fn too_many(&mut self, inst: &Inst) -> Reported {
        let span = self.cursor.token();
        let count = inst.row.sources + inst.row.results;
        let message = format!("`{}` has {count} operands", inst.row.name);
        self.error(Code::ExtraOperand, span, message)
    }

    fn texture_target(&mut self, inst: &mut Inst) -> Parsed<()> {
        if !self.cursor.eat(b',') {
            return Err(self.unexpected_as(Code::TargetUnknown, "`,` and a texture target"));
        }
        let word = self.cursor.word();
        let Some(target) = TextureTarget::of(&word) else {
            return Err(self.unknown_target(word.span()));
        };
        inst.texture = Some(target);
        inst.target_span = word.span();
        // The offsets of a lookup stand behind its target, those of a view behind the operands.
        self.offsets(inst)
    }

    /// Texel offsets: up to four registers.
    fn offsets(&mut self, inst: &mut Inst) -> Parsed<()> {
        // Whoever writes SAMPLE_INFO by the table of opcodes gives it a second source.
        let ignored = inst.row.lower == Lower::ViewLookup(ViewLookup::SampleInfo);
        // TG4 may have four, one for each texel; all other lookups read the first one.
        for number in 0..4 {
            if !self.cursor.eat(b',') {
                break;
            }
            if ignored {
                let mut unread = Register::NONE;
                self.source(&mut unread)?;
            } else {
                inst.offsets[number] = Some(self.offset(inst.texture)?);
            }
        }
        Ok(())
    }

    #[inline]
    fn offset(&mut self, target: Option<&TextureTarget>) -> Parsed<Src> {
        let mut register = Register::NONE;
        self.register_operand(&mut register)?;
        let mut source = self.source_register(&register)?;
        if self.cursor.sees(b'.') {
            source = source.swizzled(self.offset_swizzle()?);
        }
        // Also zeros: an offset has no direction on the faces of a cube.
        if target.is_some_and(|target| target.target.is_cube()) {
            let span = self.cursor.since(register.span.start);
            let message = "texels of cubes have no offsets";
            return Err(self.error(Code::OffsetTarget, span, message));
        }
        Ok(source)
    }

    /// The swizzle of an offset: three letters.
    fn offset_swizzle(&mut self) -> Parsed<Swizzle> {
        let mut ahead = self.cursor;
        ahead.at += 1;
        let word = ahead.word();
        if word.text.len() > 3 {
            let text = self.text_of(word.span());
            let message = format!("`{text}`: offsets have three components");
            return Err(self.error(Code::SwizzleLetters, word.span(), message));
        }
        // Three letters instead of four, which is otherwise a short form of extended texts.
        let is_extended = mem::replace(&mut self.cursor.extended, true);
        let swizzle = self.swizzle();
        self.cursor.extended = is_extended;
        swizzle
    }

    /// Qualifiers, target and format of an access, in any order.
    fn qualifiers(&mut self, inst: &mut Inst) -> Parsed<()> {
        while self.cursor.eat(b',') {
            let start = self.cursor;
            let word = self.cursor.word();
            let access = &mut inst.access;
            if word.is("COHERENT") {
                access.flags |= MemFlags::COHERENT;
            } else if word.is("VOLATILE") {
                access.flags |= MemFlags::VOLATILE;
            } else if word.is("RESTRICT") || word.is("STREAM_CACHE_POLICY") {
                // Promises and hints that nothing here needs.
            } else if let Some(target) = TextureTarget::of(&word) {
                access.target = Some(target);
            } else if let Some(ty) = targets::format_type(&word) {
                access.ty = ty;
                access.is_word = targets::is_word_format(word.text);
            // A register cannot be a qualifier, so the message is about operands.
            } else if File::of(word.text).is_some() {
                self.cursor = start;
                return Err(self.too_many(inst));
            } else {
                return Err(self.unknown_target(word.span()));
            }
        }
        Ok(())
    }

    /// The label of flow control. Only that of CAL counts: others may be stale.
    fn label(&mut self, inst: &mut Inst) -> Parsed<()> {
        self.cursor.blanks();
        let start = self.cursor.at as u32;
        if self.cursor.byte() == b':' {
            self.cursor.at += 1;
            let Some(label) = self.cursor.number() else {
                return Err(self.unexpected("the number of an instruction"));
            };
            inst.label = Some((label, self.cursor.since(start)));
        }
        Ok(())
    }
}
