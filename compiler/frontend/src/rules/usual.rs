//! Lines that most instructions become. Results and operands that break no rule are found out without looking further: variables, or
//! elements with a constant index within bounds, that fit the type of the instruction. Others go through the rules one by one.

use super::types::usual_types;
use super::uses::{ATTRIBUTE, PARAMETER, UNKNOWN, Uses};
use super::{Checker, InstTypes, VarKind};
use crate::lang::opcodes::{OpcodeInfo, OperandKind, ResultKind};
use crate::lang::options::Features;
use crate::line::{Line, Source, Target, Value};
use crate::names::Named;
use crate::statement::{Base, Dst, Extra, Inst, Operand, SuffixKind};
use glasm_ir::types::{Base as TypeBase, Type};

impl Checker<'_> {
    /// Makes the line of the instruction that was read last, if only types and kinds of its operands count. False for others, of which nothing
    /// is made.
    ///
    /// The instruction and its operands stay where the parser has put them: nothing of them is copied but into the line.
    #[inline(always)]
    pub(super) fn usual_line(&mut self) -> bool {
        // Declarations since the last instruction have made variables.
        self.add_uses();
        let Some(inst) = self.syntax.inst() else {
            return false;
        };
        let info = inst.opcode.info();
        if !info.usual {
            return false;
        }
        let Some(types) = usual_types(inst, info) else {
            return false;
        };
        if !self.is_usual_form(inst, info) {
            return false;
        }
        // The result first: it stands first in the text, so do its errors.
        let dst = match &inst.dst {
            None => None,
            Some(dst) => match self.usual_target(dst, info, types.ty) {
                Some(target) => Some(target),
                None => self.unusual_target(types),
            },
        };
        // Sources of all lines stand in one list; this is where those of this line begin.
        let first_source = self.program.lines.sources.len() as u32;
        self.usual_sources(info, types);
        // Asked for again: to check result and sources, which may make variables, needs all of the checker.
        let Some(inst) = self.syntax.inst() else {
            return false;
        };
        self.program.lines.list.push(Line {
            opcode: inst.opcode,
            modifiers: inst.modifiers,
            types,
            dst,
            first_source,
            // Operands with errors are missing from the list; a program with errors is not lowered, so the count does not matter then.
            source_count: inst.operand_count,
            cond: None,
            extra: Extra::None,
            span: inst.span,
        });
        if self.facts.registers.is_some() {
            self.usual_registers(first_source as usize);
        }
        true
    }

    #[inline(always)]
    fn usual_sources(&mut self, info: &OpcodeInfo, types: InstTypes) {
        let own = types.ty.base();
        for (number, &kind) in info.operands.iter().enumerate() {
            let Some(operand) = self.syntax.reading.operands.get(number) else {
                break;
            };
            match self.usual_read(operand, kind, own) {
                Some(var) => self.program.lines.sources.push(Source {
                    base: Value::Var(var),
                    index: operand.index,
                    suffix: operand.suffix,
                    signs: operand.signs,
                    span: operand.span,
                }),
                None => self.other_source(number, types),
            }
        }
    }

    /// A literal, or an operand that needs all rules.
    #[inline(never)]
    fn other_source(&mut self, number: usize, types: InstTypes) {
        let operand = &self.syntax.reading.operands[number];
        let source = match self.usual_literal(operand, number, types) {
            true => operand.resolved(),
            false => self.unusual_source(number, types),
        };
        self.program.lines.sources.extend(source);
    }

    /// The rules for all registers of the line that was made last.
    #[inline]
    fn usual_registers(&mut self, first_source: usize) {
        let sources = &self.program.lines.sources[first_source..];
        let count: u8 = sources
            .iter()
            .map(|source| self.register_count(source))
            // Cannot overflow: an instruction has three operands at most, and none counts more than 16.
            .sum();
        // The lowest two bits count attributes, those above them parameters and constants; UNKNOWN makes the latter more than one.
        if count % PARAMETER > ATTRIBUTE || count / PARAMETER > 1 {
            self.several_registers(first_source);
        }
        if let Some(Line { dst: Some(dst), .. }) = self.program.lines.list.last()
            && let VarKind::Result { .. } = self.program.vars[dst.var as usize].kind
        {
            let dst = *dst;
            self.register_result(&dst);
        }
    }

    #[inline]
    fn register_count(&self, source: &Source) -> u8 {
        match source.base {
            Value::Var(var) => match self.uses.get(var as usize) {
                // A number with a suffix breaks a rule, which the other way of counting reports.
                Some(uses) if !uses.is_number || source.suffix.is_none() => uses.count,
                _ => UNKNOWN,
            },
            Value::Scalar(_) | Value::Vector { .. } => PARAMETER,
        }
    }

    /// A line that reads several attributes, parameters or constants: they may be the same.
    #[inline(never)]
    fn several_registers(&mut self, first_source: usize) {
        let mut operands = std::mem::take(&mut self.syntax.reading.operands);
        let sources = &self.program.lines.sources[first_source..];
        // What could not be resolved was reported.
        if sources.len() == operands.len() {
            for (operand, source) in operands.iter_mut().zip(sources) {
                (operand.base, operand.index) = (source.base.base(), source.index);
            }
            self.register_operands(&operands);
        }
        self.syntax.reading.operands = operands;
    }

    #[inline(never)]
    fn unusual_target(&mut self, types: InstTypes) -> Option<Target> {
        let inst = *self.syntax.inst()?;
        let mut dst = inst.dst?;
        self.checked_result(&mut dst, &inst, types);
        self.add_uses();
        dst.resolved()
    }

    #[inline(never)]
    fn unusual_source(&mut self, number: usize, types: InstTypes) -> Option<Source> {
        let inst = *self.syntax.inst()?;
        let mut operand = self.syntax.reading.operands[number];
        let kind = inst.opcode.info().operands[number];
        self.checked_operand(&mut operand, kind, &inst, types);
        // The next operand may name the same register, which did not exist before.
        self.add_uses();
        operand.resolved()
    }

    /// Whether opcode and modifiers exist in the language, with the options of the program.
    #[inline(always)]
    fn is_usual_form(&self, inst: &Inst, info: &OpcodeInfo) -> bool {
        let exists = if self.facts.registers.is_some() {
            self.has_usual_register_form(inst, info)
        } else if self.facts.forms_by_options {
            let operands = &self.syntax.reading.operands;
            let form = info.arb.of(self.stage);
            form.is_some_and(|form| self.has_form(inst, form))
                && (!self.is_plain_arb() || self.is_plain_line(inst, operands))
        } else {
            self.has_opcode(info) && self.has_modifiers(inst, info)
        };
        // No usual opcode takes the operation of an atomic.
        exists && !inst.modifiers.is_atomic()
    }

    /// Makes sure that the uses of all variables are known.
    #[inline(always)]
    fn add_uses(&mut self) {
        if self.uses.len() < self.program.vars.len() {
            self.add_new_uses();
        }
    }

    #[cold]
    fn add_new_uses(&mut self) {
        for number in self.uses.len()..self.program.vars.len() {
            let var = &self.program.vars[number];
            let elements = match var.by_vertex {
                false => var.array,
                true => Some(self.usual_vertices(number as u32)),
            };
            self.uses.push(Uses::of(var, elements));
        }
    }

    #[inline(always)]
    fn usual_target(&self, dst: &Dst, info: &OpcodeInfo, ty: Type) -> Option<Target> {
        let base = match info.result {
            ResultKind::V | ResultKind::S => ty.base(),
            ResultKind::Vf => TypeBase::Float,
            // Rare enough not to slow down all others.
            ResultKind::Vs | ResultKind::Vu | ResultKind::Address | ResultKind::None => {
                return None;
            }
        };
        // Results have declared sizes there.
        let is_sized =
            self.program.features.contains(Features::NV_FRAGMENT) && self.facts.registers.is_none();
        let var = self.usual_variable(dst.base)?;
        let uses = self.uses[var as usize];
        (uses.written.has(base) && uses.takes(dst.index) && !is_sized).then_some(Target {
            var,
            index: dst.index,
            mask: dst.mask,
            guard: dst.guard,
            span: dst.span,
        })
    }

    /// The variable that an operand reads, in an instruction whose type has the base type `own`.
    #[inline(always)]
    fn usual_read(&self, operand: &Operand, kind: OperandKind, own: TypeBase) -> Option<u32> {
        let base = usual_base(operand, kind, own)?;
        let var = self.usual_variable(operand.base)?;
        let uses = self.uses[var as usize];
        (uses.read.has(base) && uses.takes(operand.index)).then_some(var)
    }

    /// Whether an operand is a literal that is read as float: numbers with a fraction are floats only.
    fn usual_literal(&self, operand: &Operand, number: usize, types: InstTypes) -> bool {
        let info = self.syntax.inst().map(|inst| inst.opcode.info());
        let kind = info.and_then(|info| info.operands.get(number));
        let base = kind.and_then(|&kind| usual_base(operand, kind, types.ty.base()));
        matches!(operand.base, Base::Scalar(_) | Base::Vector { .. })
            && base == Some(TypeBase::Float)
    }

    #[inline(always)]
    fn usual_variable(&self, base: Base) -> Option<u32> {
        // Apart from the match below, so that the most frequent case is one comparison.
        if let Base::Name(name) = base {
            // Undeclared names are left to the rules, which report or declare them.
            return match self.syntax.words[name.index()].named {
                Named::Var(var) => Some(var),
                Named::Nothing | Named::SubroutineType | Named::Poisoned => None,
            };
        }
        match base {
            Base::Var(var) => Some(var),
            Base::Name(_) | Base::Path(_) | Base::Scalar(_) | Base::Vector { .. } => None,
        }
    }
}

/// As what a usual operand is read, in an instruction whose type has the base type `own`.
#[inline(always)]
fn usual_base(operand: &Operand, kind: OperandKind, own: TypeBase) -> Option<TypeBase> {
    if kind == OperandKind::V {
        return Some(own);
    }
    let is_one = || matches!(operand.suffix.kind(), SuffixKind::One(_));
    match kind == OperandKind::S {
        true => is_one().then_some(own),
        false => (kind == OperandKind::Vf).then_some(TypeBase::Float),
    }
}
