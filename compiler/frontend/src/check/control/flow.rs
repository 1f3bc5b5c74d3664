//! Blocks, labels, calls and critical sections. NV_gpu_program4 section 2.X.5,
//! NV_fragment_shader_interlock section 2.X.8.Z.

use crate::ast::{Extra, Inst, Operand};
use crate::check::context::RuleCx;
use crate::check::control::blocks::{
    Block, Flow, Jump, OpenBlock, Section, Target, label_of, name_of,
};
use crate::check::instructions::arb::check_arb_label;
use crate::check::operands::index::check_address_mask;
use crate::check::program::checked::Checked;
use crate::check::registers::rules::check_register_label;
use crate::codes::Code;
use crate::lang::facts::LanguageFacts;
use crate::lang::limits;
use crate::lang::numbered::Numbered;
use crate::lang::opcodes::FlowOp;
use crate::lang::options::Features;
use crate::names::NameId;
use crate::suggest::suggest;
use crate::vars::VarKind;
use glasm_ir::Span;
use glasm_ir::flow::{
    AtLabel, BasicBlockId, BranchKind, CallConvention, CallGraph, OnStackOverflow,
};

/// Returns the convention for subroutine calls of a language. NV_gpu_program4 section 2.X.5; in ARB
/// programs instructions run in source order, labels or not: NV_vertex_program2_option section
/// 2.14.4.X, NV_fragment_program2 section 3.11.4.X.
fn call_convention(facts: &LanguageFacts) -> CallConvention {
    CallConvention {
        depth: facts.call_depth,
        overflow: if facts.full_stack_ends {
            OnStackOverflow::EndProgram
        } else {
            OnStackOverflow::SkipCall
        },
        at_label: if facts.falls_through {
            AtLabel::FallThrough
        } else {
            AtLabel::Return
        },
    }
}

/// Rules for control flow. They have access to labels and blocks, but not to names of variables.
pub(crate) struct FlowRules<'r, 's> {
    pub(crate) cx: &'r mut RuleCx<'s>,
    pub(crate) program: &'r mut Checked,
    pub(crate) flow: &'r mut Flow,
    /// Number of open LOOP blocks.
    pub(crate) open_loops: &'r mut usize,
}

impl FlowRules<'_, '_> {
    /// Returns the position of the next instruction.
    fn get_position(&self) -> u32 {
        self.program.lines.list.len() as u32
    }

    /// Checks the effect of an instruction on the flow of control.
    pub(crate) fn check_flow_op(&mut self, inst: &Inst, operands: &[Operand], op: FlowOp) {
        match op {
            FlowOp::If => self.open_block(inst, Block::If),
            FlowOp::Else => self.check_else(inst),
            FlowOp::EndIf => self.close_block(inst, Block::If),
            FlowOp::Rep => self.open_block(inst, Block::Rep),
            FlowOp::Loop => self.open_block(inst, Block::Loop),
            FlowOp::EndRep => self.close_block(inst, Block::Rep),
            FlowOp::EndLoop => self.close_block(inst, Block::Loop),
            FlowOp::Brk | FlowOp::Cont => self.check_break_or_continue(inst, op),
            FlowOp::Ret => self.check_return(inst),
            FlowOp::Bra | FlowOp::Cal => self.add_branch_or_call(inst, op),
            // PUSHA and POPA use the stack of calls: NV_vertex_program3 section 2.14.5.44.
            FlowOp::Push => self.program.cfg.add_saved_address(),
            FlowOp::Pop => {
                self.program.cfg.add_saved_address();
                check_address_mask(self.cx, inst);
            }
            FlowOp::InterlockBegin | FlowOp::InterlockEnd => self.add_section(inst, op),
            FlowOp::Cali => self.add_indirect_call(inst, operands),
        }
    }

    #[inline]
    fn check_else(&mut self, inst: &Inst) {
        match self.flow.open.last_mut() {
            // The block remains open under another kind, so that a second ELSE is distinguished
            // from the first.
            Some(open) if open.kind == Block::If => open.kind = Block::Else,
            Some(open) if open.kind == Block::Else => {
                self.cx
                    .error(Code::BlockMismatch, inst.span, "a second ELSE in one IF");
            }
            _ => self
                .cx
                .error(Code::BlockMismatch, inst.span, "ELSE without IF"),
        }
    }

    /// Checks BRK and CONT.
    #[inline]
    fn check_break_or_continue(&mut self, inst: &Inst, op: FlowOp) {
        // The innermost loop need not be the innermost block: IF blocks inside of it are skipped.
        let mut inner_first = self.flow.open.iter_mut().rev();
        match inner_first.find(|open| open.kind.is_loop()) {
            // BRK ends the innermost loop only, RET all that contain it. NV_gpu_program4 section
            // 2.X.5.
            Some(open) => open.endless &= op != FlowOp::Brk,
            None => {
                let message = format!("{} outside a loop", inst.opcode.mnemonic());
                self.cx.error(Code::BreakOutsideLoop, inst.span, message);
            }
        }
    }

    #[inline]
    fn check_return(&mut self, inst: &Inst) {
        for open in &mut self.flow.open {
            open.endless = false;
        }
        // Control may continue after any other RET.
        if inst.cond.is_none() && self.flow.open.is_empty() {
            self.program.cfg.add_return();
        }
    }

    #[inline]
    fn add_indirect_call(&mut self, inst: &Inst, operands: &[Operand]) {
        // `None` if the operand is not a SUBROUTINE variable, which was reported.
        let var = operands.first().and_then(|it| self.program.var(it.base));
        if let Some((_, var)) = var
            && let VarKind::Subroutine { ty, .. } = var.kind
        {
            self.flow.jumps.push(Jump {
                from: self.program.cfg.current(),
                target: Target::Type(ty),
                span: inst.span,
            });
        }
    }

    fn add_branch_or_call(&mut self, inst: &Inst, op: FlowOp) {
        // The label could not be parsed.
        let Extra::Label(label, span) = inst.extra else {
            return;
        };
        let from = self.program.cfg.current();
        let mut target = Target::Label(label);
        if op == FlowOp::Bra {
            target = Target::Branch(label);
            let kind = match inst.cond {
                Some(_) => BranchKind::Conditional,
                None => BranchKind::Unconditional,
            };
            let next = self.get_position() + 1;
            self.program.cfg.add_branch(label_of(label), kind, next);
        }
        self.flow.jumps.push(Jump { from, target, span });
    }

    /// Adds FSIB or FSIE.
    fn add_section(&mut self, inst: &Inst, op: FlowOp) {
        self.flow.interlocks.push(Section {
            op,
            block: self.program.cfg.current(),
            in_block: !self.flow.open.is_empty(),
            span: inst.span,
        });
    }

    /// Opens the block of IF, REP or LOOP. Beyond the limit of open blocks the rest of the program
    /// is not checked, which bounds their list.
    fn open_block(&mut self, inst: &Inst, kind: Block) {
        // If the operands could not be parsed, there may have been a count.
        let endless = kind == Block::Rep && inst.operand_count == 0 && !inst.broken;
        self.flow.open.push(OpenBlock {
            kind,
            span: inst.span,
            endless,
        });
        // Counted separately: A0 has a value inside LOOP only, and REP does not set it.
        *self.open_loops += usize::from(kind == Block::Loop);
        let (limit, code) = if kind.is_loop() {
            (self.cx.facts.loop_depth, Code::LoopDepth)
        } else {
            (self.cx.facts.if_depth, Code::IfDepth)
        };
        // Each kind of block has a separate depth: NV_gpu_program4 section 2.X.5 counts IF blocks
        // separately from loops.
        let same = |open: &&OpenBlock| open.kind.is_loop() == kind.is_loop();
        let count = self.flow.open.iter().filter(same).count();
        let numbered = if kind.is_loop() {
            Numbered::LoopBlocks
        } else {
            Numbered::IfBlocks
        };
        // The specifications limit the number of enclosing blocks.
        let around = count as u32 - 1;
        self.program.usage.add(numbered, around, || Some(inst.span));
        if count > limit {
            self.flow.too_deep = true;
            let message = format!("more than {limit} {} blocks inside each other", kind.word());
            self.cx.error(code, inst.span, message);
        }
    }

    /// Reports the end of a block other than the innermost open one.
    #[cold]
    fn report_block_mismatch(&mut self, inst: &Inst, open: OpenBlock, word: &str) {
        let other = open.kind.word();
        let message = format!("END{word} closes a block that {other} has opened");
        self.cx.error(Code::BlockMismatch, inst.span, message);
        // If such a block is open further out, the inner ones were not closed: continue outside.
        let same = |open: &OpenBlock| open.kind.word() == word;
        // Otherwise the word closes no block, and all blocks remain open.
        if let Some(position) = self.flow.open.iter().rposition(same) {
            self.close_from(position);
        }
    }

    /// Closes the block of ENDIF, ENDREP or ENDLOOP.
    fn close_block(&mut self, inst: &Inst, kind: Block) {
        let word = kind.word();
        match self.flow.open.last().copied() {
            // Words are compared, not kinds: ELSE is treated as IF.
            Some(open) if open.kind.word() == word => {
                self.close_from(self.flow.open.len() - 1);
                if open.endless {
                    let message = "this loop has no count, no BRK of its own and no RET inside";
                    self.cx.error(Code::InfiniteLoop, open.span, message);
                }
            }
            Some(open) => self.report_block_mismatch(inst, open, word),
            None => {
                let message = format!("END{word} without {word}");
                self.cx.error(Code::BlockMismatch, inst.span, message);
            }
        }
    }

    /// Removes the open blocks from `position` on.
    fn close_from(&mut self, position: usize) {
        let closed = self.flow.open.drain(position..);
        *self.open_loops -= closed.filter(|open| open.kind == Block::Loop).count();
    }

    pub(crate) fn add_label(&mut self, name: NameId, span: Span) {
        if self.cx.facts.forms_by_options {
            check_arb_label(self.cx, name, span);
        }
        check_register_label(self.cx, span);
        // A label cannot be inside a block (NV_gpu_program4 section 2.X.5): open blocks are treated
        // as closed.
        if !self.flow.open.is_empty() {
            self.cx
                .error(Code::LabelInBlock, span, "a label inside a block");
            self.close_from(0);
        }
        let position = self.get_position();
        if (self.program.cfg.add_label(label_of(name), position)).is_some() {
            self.report_duplicate_label(name, span);
        }
    }

    #[cold]
    fn report_duplicate_label(&mut self, name: NameId, span: Span) {
        let message = format!("label `{}` is defined already", self.cx.name_text(name));
        self.cx.error(Code::DuplicateLabel, span, message);
    }

    /// Checks the rules that need all blocks, labels and calls of the program.
    pub(crate) fn check_program_flow(&mut self) {
        let mut flow = std::mem::take(self.flow);
        for open in flow.open.drain(..) {
            let word = open.kind.word();
            let message = format!("this {word} has no END{word}");
            self.cx.error(Code::BlockOpen, open.span, message);
        }
        let position = self.get_position();
        self.program.cfg.finish(position);
        let entry = self.find_entry();
        // The labels of subroutine types first: indirect calls, which are resolved below, branch to
        // each of them.
        self.resolve_subroutine_numbers();
        self.check_interlocks(&flow.interlocks, entry);
        self.resolve_jumps(&flow.jumps);
        let call_graph = self
            .program
            .cfg
            .analyze(entry, call_convention(self.cx.facts));
        // In ARB programs a call beyond the limit ends the program when it runs.
        // NV_fragment_program2 section 3.11.4.X.
        if !self.cx.facts.full_stack_ends {
            self.check_call_limits(&call_graph);
        }
        if let Some(around) = call_graph.longest_chain().checked_sub(1) {
            let around = u32::try_from(around).unwrap_or(u32::MAX);
            self.program.usage.add(Numbered::Calls, around, || None);
        }
        self.check_indirect_recursion(&flow.jumps, &call_graph);
        self.program.call_graph = call_graph;
        *self.flow = flow;
    }

    /// Returns the basic block that runs first: that of the label `main`, or the first one with an
    /// instruction. NV_gpu_program4 section 2.X.5.
    fn find_entry(&self) -> BasicBlockId {
        let (cfg, names) = (&self.program.cfg, &self.cx.ast.names);
        let mut labels = cfg.labels();
        let main = labels.find(|&label| names.text(name_of(label)) == b"main");
        let mut blocks = cfg.blocks();
        let first = blocks.find(|(_, block)| !block.insts().is_empty());
        main.and_then(|label| cfg.find_label(label))
            .or(first.map(|(block, _)| block))
            .unwrap_or_default()
    }

    /// Finds the labels of branches and calls.
    fn resolve_jumps(&mut self, jumps: &[Jump]) {
        let mut indirect = 0;
        for &Jump { from, target, span } in jumps {
            match target {
                // Labels may be defined after their uses. NV_gpu_program4 section 2.X.5.
                Target::Branch(label) | Target::Label(label)
                    if self.program.cfg.find_label(label_of(label)).is_none() =>
                {
                    self.report_undefined_label(label, span);
                }
                // The graph contains it since the statement was checked.
                Target::Branch(_) => {}
                Target::Label(label) => self.program.cfg.add_call(from, label_of(label)),
                Target::Type(ty) => {
                    // Each indirect call becomes a branch to each label of its type.
                    indirect += self.program.routines_of(ty).len();
                    if indirect > limits::INDIRECT_BRANCHES {
                        let limit = limits::INDIRECT_BRANCHES;
                        let message = format!("indirect calls have more than {limit} targets");
                        self.cx.error(Code::TooManyInstructions, span, message);
                        break;
                    }
                    let Checked {
                        cfg,
                        subroutine_routines,
                        ..
                    } = &mut self.program;
                    for &(label, _) in subroutine_routines.get(&ty).into_iter().flatten() {
                        cfg.add_call(from, label_of(label));
                    }
                }
            }
        }
    }

    #[cold]
    fn report_undefined_label(&mut self, label: NameId, span: Span) {
        let text = self.cx.name_text(label);
        // In source order, so that the hint does not depend on the order of a table.
        let mut labels: Vec<_> = self.program.cfg.labels().collect();
        labels.sort_unstable();
        let labels: Vec<String> = (labels.into_iter())
            .map(|label| self.cx.name_text(name_of(label)))
            .collect();
        let notes = suggest(&text, labels.iter().map(String::as_str))
            .into_iter()
            .collect();
        let message = format!("label `{text}` is not defined");
        self.cx
            .error_with(Code::UndefinedLabel, span, message, notes);
    }

    fn check_call_limits(&mut self, call_graph: &CallGraph) {
        if call_graph.longest_chain() > limits::CALL_DEPTH {
            let message = format!("chains of more than {} calls", limits::CALL_DEPTH);
            self.cx.whole(Code::CallDepth, message);
        }
        if call_graph.groups() > limits::RECURSIVE_GROUPS {
            let limit = limits::RECURSIVE_GROUPS;
            let message = format!("more than {limit} subroutines that can call themselves");
            self.cx.whole(Code::CallDepth, message);
        }
    }

    /// Checks that routines that call themselves do so without CALI. ARB_shader_subroutine section
    /// 2.X.5.
    fn check_indirect_recursion(&mut self, jumps: &[Jump], call_graph: &CallGraph) {
        let mut left = limits::INDIRECT_BRANCHES;
        for jump in jumps {
            // Only routines that reach themselves are in a group.
            let (Target::Type(ty), Some(group)) = (jump.target, call_graph.group_of(jump.from))
            else {
                continue;
            };
            let routines = self.program.routines_of(ty);
            // Calls beyond the limit are already an error.
            let Some(rest) = left.checked_sub(routines.len()) else {
                return;
            };
            left = rest;
            let is_member = |&(label, _): &(NameId, u32)| {
                let entry = self.program.cfg.find_label(label_of(label));
                entry.and_then(|entry| call_graph.group_of(entry)) == Some(group)
            };
            if routines.iter().any(is_member) {
                let message = "this indirect call can lead back to itself";
                self.cx.error(Code::Recursion, jump.span, message);
            }
        }
    }

    /// Checks that with an interlock option there are exactly one FSIB and, after it, one FSIE,
    /// both at the outermost level of the main routine.
    pub(crate) fn check_interlocks(&mut self, sections: &[Section], main: BasicBlockId) {
        if !self.cx.features.intersects(Features::INTERLOCK) {
            if let Some(section) = sections.first() {
                let message = "FSIB and FSIE need OPTION NV_pixel_interlock_ordered or one like it";
                self.cx.error(Code::FeatureOption, section.span, message);
            }
            return;
        }
        // One message for each section; errors of its position have precedence over errors of the
        // number of sections.
        for (number, section) in sections.iter().enumerate() {
            let mut before = sections[..number].iter();
            let message = if section.in_block {
                "FSIB and FSIE stand outside of IF and REP"
            } else if section.block != main {
                "FSIB and FSIE stand in the main routine"
            } else if before.any(|other| other.op == section.op) {
                "a program has one FSIB and one FSIE"
            } else if number == 0 && section.op == FlowOp::InterlockEnd {
                "FSIE without FSIB before it"
            } else {
                continue;
            };
            self.cx.error(Code::Interlock, section.span, message);
        }
        let has = |op| sections.iter().any(|section| section.op == op);
        if !has(FlowOp::InterlockBegin) || !has(FlowOp::InterlockEnd) {
            let message = "a program with an interlock option needs FSIB and FSIE";
            // Reported for the whole program: a missing instruction has no source location.
            self.cx.whole(Code::Interlock, message);
        }
    }
}
