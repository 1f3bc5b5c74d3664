//! Switches. TGSI, section "GLSL ISA": sections follow each other in the order of the text, and `DEFAULT` may stand anywhere.

use crate::codes::Code;
use crate::lower::formula::Formulas;
use crate::tgsi::check::Parsed;
use crate::tgsi::inst::Inst;
use crate::tgsi::lower::emitter::Emitter;
use crate::tgsi::lower::statement::Lowerer;
use crate::tgsi::nesting::{Level, OpenConstruct, Section};
use crate::tgsi::operand::splat;
use glasm_ir::Routine;
use glasm_ir::program::{Case, Switch};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Base, BlockId, Cond, Node, Op, RegisterId, Span, Src, WriteMask};
use rustc_hash::FxHashSet;
use std::mem;

impl Emitter {
    /// Keeps a block that nothing runs.
    pub(in crate::tgsi) fn uncalled(&mut self, body: BlockId) {
        let routines = &mut self.builder.program.routines;
        routines.push(Routine { name: None, body });
    }

    /// Keeps a section that nothing leads to, in a loop and a switch that its jumps leave.
    fn unreached(&mut self, selector: RegisterId, section: BlockId) {
        self.builder.open_block();
        self.builder.open_block();
        self.push_switch(Switch {
            selector: (selector, 0),
            cases: Vec::new(),
            default: Some(section),
            span: Span::default(),
        });
        self.builder.node(Node::Break);
        let body = self.builder.close_block();
        self.builder.node(Node::Loop {
            body,
            continuing: None,
            span: Span::default(),
        });
        let body = self.builder.close_block();
        self.uncalled(body);
    }

    fn push_switch(&mut self, switch: Switch) {
        let id = self.builder.program.switches.push(switch);
        self.builder.node(Node::Switch(id));
    }
}

impl Lowerer<'_> {
    pub(in crate::tgsi) fn switch(&mut self, inst: &Inst) -> Parsed<()> {
        let selector = self.cx.emit.register(Width::W32);
        if !self.nesting.dead {
            let source = splat(inst.sources[0], 0);
            self.cx
                .emit
                .put(selector, WriteMask::X, Op::Mov, Type::F32, &[source]);
        }
        let open = OpenConstruct::Switch {
            selector,
            sections: Vec::new(),
            current: None,
            has_default: false,
        };
        self.open(open, inst.span)?;
        // Nothing leads to what stands before the first label.
        self.nesting.dead = true;
        Ok(())
    }

    pub(in crate::tgsi) fn case(&mut self, inst: &Inst) -> Parsed<()> {
        let source = inst.sources[0];
        let Base::Literal(literal) = source.base else {
            let message = "the value of `CASE` is an immediate";
            return Err(self.cx.check.error(
                Code::OperandNotVariable,
                inst.registers[0].span,
                message,
            ));
        };
        let words = self.cx.emit.builder.program.literals[literal];
        let mut value = words[source.swizzle.lane(0)] as u32;
        // Negation of an integer: cases are compared at bit level. TGSI, section "GLSL ISA", SWITCH.
        if source.negate {
            value = value.wrapping_neg();
        }
        self.section(inst, Some(value))
    }

    /// CASE with its value, or DEFAULT.
    pub(in crate::tgsi) fn section(&mut self, inst: &Inst, value: Option<u32>) -> Parsed<()> {
        // The section before runs into this one if it did not end with a jump.
        let falls = !self.nesting.dead;
        let Some(level) = self.nesting.levels.last_mut() else {
            let message = format!("`{}` stands in no switch", inst.row.name);
            return Err(self
                .cx
                .check
                .error(Code::BreakOutsideLoop, inst.span, message));
        };
        let OpenConstruct::Switch {
            sections,
            current,
            has_default,
            ..
        } = &mut level.open
        else {
            return Err(self.mismatch(inst));
        };
        if value.is_none() && mem::replace(has_default, true) {
            let message = "a switch has one `DEFAULT`";
            return Err(self.cx.check.error(Code::BlockMismatch, inst.span, message));
        }
        if level.is_dead {
            return Ok(());
        }
        let kept = level.kept;
        let block = self.cx.emit.builder.close_block();
        sections.extend(
            current
                .take()
                .map(|labels| Section::new(labels, block, falls)),
        );
        *current = Some((value.into_iter().collect(), value.is_none()));
        self.nesting.dead = false;
        self.cx.emit.forget(kept);
        self.cx.emit.builder.open_block();
        Ok(())
    }

    pub(in crate::tgsi) fn end_switch(&mut self, inst: &Inst) -> Parsed<()> {
        let is_switch = |level: &mut Level| matches!(level.open, OpenConstruct::Switch { .. });
        let Some(Level {
            open:
                OpenConstruct::Switch {
                    selector,
                    mut sections,
                    current,
                    ..
                },
            kept,
            is_dead,
            span,
        }) = self.nesting.levels.pop_if(is_switch)
        else {
            return Err(self.mismatch(inst));
        };
        if is_dead {
            return Ok(());
        }
        let block = self.cx.emit.builder.close_block();
        self.cx.emit.forget(kept);
        // Behind the last section there is none to run into.
        sections.extend(current.map(|labels| Section::new(labels, block, false)));
        self.nesting.dead = false;
        let mut sections = self.without_empty(sections);
        unique_values(&mut sections);
        match sections.iter().any(|section| section.falls) {
            false => self.plain_switch(selector, sections, span),
            true => self.falling_switch(selector, &sections, span),
        }
        Ok(())
    }

    /// Labels that stand together lead to one section.
    fn without_empty(&self, sections: Vec<Section>) -> Vec<Section> {
        let mut kept: Vec<Section> = Vec::new();
        let mut waiting: Option<Section> = None;
        for mut section in sections {
            if let Some(mut before) = waiting.take() {
                // Behind the labels before, for those may be many and should not be moved for each one.
                before.values.append(&mut section.values);
                section.values = before.values;
                section.is_default |= before.is_default;
            }
            let is_empty = self.cx.emit.builder.program.blocks[section.block].len == 0;
            match is_empty && section.falls {
                // A section without instructions that runs into the next one: its labels are labels of that.
                true => waiting = Some(section),
                false => kept.push(section),
            }
        }
        // Labels before ENDSWITCH, which lead to nothing.
        kept.extend(waiting);
        kept
    }

    fn plain_switch(&mut self, selector: RegisterId, sections: Vec<Section>, span: Span) {
        let mut default = None;
        let mut cases = Vec::new();
        for section in sections {
            if section.is_default {
                default = Some(section.block);
            } else if section.values.is_empty() {
                // Another section has all its values. Its block exists and has to belong to some routine.
                self.cx.emit.unreached(selector, section.block);
            } else {
                cases.push(Case {
                    values: section.values,
                    block: section.block,
                });
            }
        }
        self.cx.emit.push_switch(Switch {
            selector: (selector, 0),
            cases,
            default,
            span,
        });
    }

    /// A switch whose sections follow each other: the first one that runs is found, and each behind it runs unless one has left.
    fn falling_switch(&mut self, selector: RegisterId, sections: &[Section], span: Span) {
        let entry = self.cx.emit.register(Width::W32);
        let mut cases = Vec::new();
        // Behind the last section: without DEFAULT nothing runs.
        let mut default = sections.len();
        for (number, section) in sections.iter().enumerate() {
            if section.is_default {
                default = number;
            } else if !section.values.is_empty() {
                let values = section.values.clone();
                let block = self.entry_block(entry, number);
                cases.push(Case { values, block });
            }
        }
        let default = Some(self.entry_block(entry, default));
        self.cx.emit.push_switch(Switch {
            selector: (selector, 0),
            cases,
            default,
            span,
        });
        // A switch with a default alone is what the breaks of the sections leave.
        self.cx.emit.builder.open_block();
        for (number, section) in sections.iter().enumerate() {
            let test = self.cx.emit.register(Width::W32);
            let number = self.cx.emit.word(number as u32);
            let sources = [Src::register(entry), number];
            // This section is the entry, or lies behind it.
            self.cx
                .emit
                .put(test, WriteMask::X, Op::SetLe, Type::U32, &sources);
            let cond = Cond::NonZero(test, 0, Type::U32);
            self.cx.emit.builder.branch(cond, section.block, None, span);
        }
        let body = self.cx.emit.builder.close_block();
        self.cx.emit.push_switch(Switch {
            selector: (selector, 0),
            cases: Vec::new(),
            default: Some(body),
            span,
        });
    }

    fn entry_block(&mut self, entry: RegisterId, number: usize) -> BlockId {
        self.cx.emit.builder.open_block();
        let number = self.cx.emit.word(number as u32);
        self.cx
            .emit
            .put(entry, WriteMask::X, Op::Mov, Type::U32, &[number]);
        self.cx.emit.builder.close_block()
    }
}

/// Values that several sections have lead to the first one.
fn unique_values(sections: &mut [Section]) {
    let mut seen = FxHashSet::default();
    for section in sections {
        section.values.retain(|value| seen.insert(*value));
    }
}
