//! Blocks, labels, calls and critical sections. NV_gpu_program4 section 2.X.5,
//! NV_fragment_shader_interlock section 2.X.8.Z.

use crate::ast::{ExtraPart, Inst, Operand};
use crate::check::context::RuleCx;
use crate::check::control::{
    FlowState, InterlockOp, Jump, JumpTarget, OpenBlock, OpenBlockKind, label_from_name,
    name_from_label,
};
use crate::check::instructions::arb::check_arb_label;
use crate::check::operands::index::check_address_mask;
use crate::check::program::CheckedProgram;
use crate::check::registers::register_limits::check_register_label;
use crate::codes::Code;
use crate::diagnostic_sink::suggest_spelling;
use crate::interner::NameId;
use crate::lang::dialect_traits::DialectTraits;
use crate::lang::limits;
use crate::lang::limits::LimitedItem;
use crate::lang::opcodes::FlowOp;
use crate::lang::options::Features;
use crate::variables::VarKind;
use glasm_ir::Span;
use glasm_ir::cfg::{
    BasicBlockId, BranchKind, CallConvention, CallGraph, LabelFallThrough, OnStackOverflow,
};

/// Returns the convention for subroutine calls of a language. NV_gpu_program4 section 2.X.5; in ARB
/// programs instructions run in source order, labels or not: NV_vertex_program2_option section
/// 2.14.4.X, NV_fragment_program2 section 3.11.4.X.
fn call_convention(facts: &DialectTraits) -> CallConvention {
    CallConvention {
        max_depth: facts.max_call_depth,
        on_overflow: if facts.stack_overflow_ends {
            OnStackOverflow::EndProgram
        } else {
            OnStackOverflow::SkipCall
        },
        at_label: if facts.falls_through {
            LabelFallThrough::FallThrough
        } else {
            LabelFallThrough::Return
        },
    }
}

/// Rules for control flow. They have access to labels and blocks, but not to names of variables.
pub(crate) struct FlowRules<'r, 's> {
    pub(crate) cx: &'r mut RuleCx<'s>,
    pub(crate) program: &'r mut CheckedProgram,
    pub(crate) flow: &'r mut FlowState,
    /// Number of open LOOP blocks.
    pub(crate) open_loops: &'r mut usize,
}

impl FlowRules<'_, '_> {
    /// Returns the index that the next instruction will have in the checked program.
    fn next_inst_index(&self) -> u32 {
        self.program.insts.insts.len() as u32
    }

    /// Checks an instruction that changes control flow, reports violations, and records its effect
    /// on open blocks, jumps and the control-flow graph.
    pub(crate) fn check_flow_op(&mut self, inst: &Inst, operands: &[Operand], op: FlowOp) {
        match op {
            FlowOp::If => self.open_block(inst, OpenBlockKind::If),
            FlowOp::Else => self.check_else(inst),
            FlowOp::EndIf => self.close_block(inst, OpenBlockKind::If),
            FlowOp::Rep => self.open_block(inst, OpenBlockKind::Rep),
            FlowOp::Loop => self.open_block(inst, OpenBlockKind::Loop),
            FlowOp::EndRep => self.close_block(inst, OpenBlockKind::Rep),
            FlowOp::EndLoop => self.close_block(inst, OpenBlockKind::Loop),
            FlowOp::Brk | FlowOp::Cont => self.check_break_or_continue(inst, op),
            FlowOp::Ret => self.check_return(inst),
            FlowOp::Bra | FlowOp::Cal => self.add_branch_or_call(inst, op),
            // PUSHA and POPA use the stack of calls: NV_vertex_program3 section 2.14.5.44.
            FlowOp::Push => self.program.cfg.record_address_access(),
            FlowOp::Pop => {
                self.program.cfg.record_address_access();
                check_address_mask(self.cx, inst);
            }
            FlowOp::InterlockBegin | FlowOp::InterlockEnd => self.add_interlock_op(inst, op),
            FlowOp::Cali => self.add_indirect_call(inst, operands),
        }
    }

    /// Changes the innermost open IF to an ELSE block; reports an ELSE without IF or a second one.
    fn check_else(&mut self, inst: &Inst) {
        match self.flow.open_blocks.last_mut() {
            // The block remains open under another kind, so that a second ELSE is distinguished
            // from the first.
            Some(open) if open.kind == OpenBlockKind::If => open.kind = OpenBlockKind::Else,
            Some(open) if open.kind == OpenBlockKind::Else => {
                self.cx
                    .report_error(Code::BlockMismatch, inst.span, "a second ELSE in one IF");
            }
            _ => self
                .cx
                .report_error(Code::BlockMismatch, inst.span, "ELSE without IF"),
        }
    }

    /// Reports a BRK or CONT outside of a loop. BRK records that the innermost loop can end, also
    /// from within IF blocks.
    fn check_break_or_continue(&mut self, inst: &Inst, op: FlowOp) {
        // The innermost loop need not be the innermost block: IF blocks inside of it are skipped.
        let mut inner_first = self.flow.open_blocks.iter_mut().rev();
        match inner_first.find(|open| open.kind.is_loop()) {
            // BRK ends the innermost loop only, RET all that contain it. NV_gpu_program4 section
            // 2.X.5.
            Some(open) => open.is_endless &= op != FlowOp::Brk,
            None => {
                let message = format!("{} outside a loop", inst.opcode.mnemonic());
                self.cx
                    .report_error(Code::BreakOutsideLoop, inst.span, message);
            }
        }
    }

    /// Records a RET: all open loops can end, and a RET that is unconditional and outside of blocks
    /// ends its basic block in the control-flow graph.
    fn check_return(&mut self, inst: &Inst) {
        for open in &mut self.flow.open_blocks {
            open.is_endless = false;
        }
        // Control may continue after any other RET.
        if inst.cond.is_none() && self.flow.open_blocks.is_empty() {
            self.program.cfg.add_return();
        }
    }

    /// Records a CALI as a jump to all labels of the type of its SUBROUTINE variable; does nothing
    /// if the operand is not such a variable, which was reported.
    fn add_indirect_call(&mut self, inst: &Inst, operands: &[Operand]) {
        // `None` if the operand is not a SUBROUTINE variable, which was reported.
        let var = operands
            .first()
            .and_then(|it| self.program.find_base_var(it.base));
        if let Some((_, var)) = var
            && let VarKind::Subroutine { ty, .. } = var.kind
        {
            self.flow.jumps.push(Jump {
                from_block: self.program.cfg.current_block(),
                target: JumpTarget::CallType(ty),
                span: inst.span,
            });
        }
    }

    /// Records a BRA or CAL to a label as a jump, whose label is resolved when the program ends; a
    /// branch also ends the basic block of the control-flow graph. Does nothing if the label could
    /// not be parsed.
    fn add_branch_or_call(&mut self, inst: &Inst, op: FlowOp) {
        // The label could not be parsed.
        let ExtraPart::Label(label, span) = inst.extra else {
            return;
        };
        let from = self.program.cfg.current_block();
        let mut target = JumpTarget::CallLabel(label);
        if op == FlowOp::Bra {
            target = JumpTarget::BranchLabel(label);
            let kind = match inst.cond {
                Some(_) => BranchKind::Conditional,
                None => BranchKind::Unconditional,
            };
            let next = self.next_inst_index() + 1;
            self.program
                .cfg
                .add_branch(label_from_name(label), kind, next);
        }
        self.flow.jumps.push(Jump {
            from_block: from,
            target,
            span,
        });
    }

    /// Records FSIB or FSIE with its basic block, to check their order when the program ends.
    fn add_interlock_op(&mut self, inst: &Inst, op: FlowOp) {
        self.flow.interlocks.push(InterlockOp {
            op,
            block: self.program.cfg.current_block(),
            is_nested: !self.flow.open_blocks.is_empty(),
            span: inst.span,
        });
    }

    /// Opens the block of IF, REP or LOOP, and records the depth of nesting for the limits that GL
    /// reports. Reports a block beyond the depth limit of its kind; then the remainder of the
    /// program is not checked, which bounds the list of open blocks.
    fn open_block(&mut self, inst: &Inst, kind: OpenBlockKind) {
        // If the operands could not be parsed, there may have been a count.
        let endless =
            kind == OpenBlockKind::Rep && inst.operand_count == 0 && !inst.has_syntax_error;
        self.flow.open_blocks.push(OpenBlock {
            kind,
            span: inst.span,
            is_endless: endless,
        });
        // Counted separately: A0 has a value inside LOOP only, and REP does not set it.
        *self.open_loops += usize::from(kind == OpenBlockKind::Loop);
        let (limit, code) = if kind.is_loop() {
            (self.cx.traits.max_loop_depth, Code::LoopDepth)
        } else {
            (self.cx.traits.max_if_depth, Code::IfDepth)
        };
        // Each kind of block has a separate depth: NV_gpu_program4 section 2.X.5 counts IF blocks
        // separately from loops.
        let is_same_kind = |open: &&OpenBlock| open.kind.is_loop() == kind.is_loop();
        let count = self.flow.open_blocks.iter().filter(is_same_kind).count();
        let numbered = if kind.is_loop() {
            LimitedItem::LoopBlocks
        } else {
            LimitedItem::IfBlocks
        };
        // The specifications limit the number of enclosing blocks.
        let enclosing_count = count as u32 - 1;
        self.program
            .index_usage
            .record(numbered, enclosing_count, || Some(inst.span));
        if count > limit {
            self.flow.is_too_deep = true;
            let message = format!(
                "more than {limit} {} blocks inside each other",
                kind.keyword()
            );
            self.cx.report_error(code, inst.span, message);
        }
    }

    /// Reports an END instruction of another kind than the innermost open block `open`, and closes
    /// the innermost block that `word` belongs to, with those inside of it; no block if none is
    /// open.
    fn report_block_mismatch(&mut self, inst: &Inst, open: OpenBlock, word: &str) {
        let open_keyword = open.kind.keyword();
        let message = format!("END{word} closes a block that {open_keyword} has opened");
        self.cx
            .report_error(Code::BlockMismatch, inst.span, message);
        // If such a block is open further out, the inner ones were not closed: continue outside.
        let is_closed_by_word = |open: &OpenBlock| open.kind.keyword() == word;
        // Otherwise the word closes no block, and all blocks remain open.
        if let Some(position) = self.flow.open_blocks.iter().rposition(is_closed_by_word) {
            self.close_blocks_from(position);
        }
    }

    /// Closes the innermost block at ENDIF, ENDREP or ENDLOOP. Reports an END without a block or of
    /// another kind, and a loop that cannot end.
    fn close_block(&mut self, inst: &Inst, kind: OpenBlockKind) {
        let word = kind.keyword();
        match self.flow.open_blocks.last().copied() {
            // Words are compared, not kinds: ELSE is treated as IF.
            Some(open) if open.kind.keyword() == word => {
                self.close_blocks_from(self.flow.open_blocks.len() - 1);
                if open.is_endless {
                    let message = "this loop has no count, no BRK that leaves it and no RET inside";
                    self.cx.report_error(Code::InfiniteLoop, open.span, message);
                }
            }
            Some(open) => self.report_block_mismatch(inst, open, word),
            None => {
                let message = format!("END{word} without {word}");
                self.cx
                    .report_error(Code::BlockMismatch, inst.span, message);
            }
        }
    }

    /// Closes the open blocks from index `position` on, 0 being the outermost, and subtracts the
    /// LOOP blocks among them from the number of open loops.
    fn close_blocks_from(&mut self, position: usize) {
        let closed = self.flow.open_blocks.drain(position..);
        *self.open_loops -= closed
            .filter(|open| open.kind == OpenBlockKind::Loop)
            .count();
    }

    /// Starts a basic block at a label. Reports labels that the language does not have, labels
    /// inside of blocks, whose blocks are then treated as closed, and labels that are defined
    /// twice. NV_gpu_program4 section 2.X.5.
    pub(crate) fn add_label(&mut self, name: NameId, span: Span) {
        if self.cx.traits.forms_by_options {
            check_arb_label(self.cx, name, span);
        }
        check_register_label(self.cx, span);
        // A label cannot be inside a block (NV_gpu_program4 section 2.X.5): open blocks are treated
        // as closed.
        if !self.flow.open_blocks.is_empty() {
            self.cx
                .report_error(Code::LabelInBlock, span, "a label inside a block");
            self.close_blocks_from(0);
        }
        let position = self.next_inst_index();
        if (self.program.cfg.add_label(label_from_name(name), position)).is_some() {
            self.report_duplicate_label(name, span);
        }
    }

    /// Reports a label whose name another label has.
    fn report_duplicate_label(&mut self, name: NameId, span: Span) {
        let message = format!("label `{}` is defined already", self.cx.display_name(name));
        self.cx.report_error(Code::DuplicateLabel, span, message);
    }

    /// Checks the rules that need all blocks, labels and calls of the program, and reports
    /// violations. Completes the control-flow graph with the calls, and stores the call graph and
    /// the depth of calls in the program.
    pub(crate) fn check_program_flow(&mut self) {
        let mut flow = std::mem::take(self.flow);
        for open in flow.open_blocks.drain(..) {
            let word = open.kind.keyword();
            let message = format!("this {word} has no END{word}");
            self.cx.report_error(Code::BlockOpen, open.span, message);
        }
        let position = self.next_inst_index();
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
            .build_call_graph(entry, call_convention(self.cx.traits));
        // In ARB programs a call beyond the limit ends the program when it runs.
        // NV_fragment_program2 section 3.11.4.X.
        if !self.cx.traits.stack_overflow_ends {
            self.check_call_limits(&call_graph);
        }
        if let Some(around) = call_graph.max_call_depth().checked_sub(1) {
            let caller_count = u32::try_from(around).unwrap_or(u32::MAX);
            self.program
                .index_usage
                .record(LimitedItem::Calls, caller_count, || None);
        }
        self.check_indirect_recursion(&flow.jumps, &call_graph);
        self.program.call_graph = call_graph;
        *self.flow = flow;
    }

    /// Returns the basic block that runs first: that of the label `main`, or the first one with an
    /// instruction, or block 0 of an empty program. NV_gpu_program4 section 2.X.5.
    fn find_entry(&self) -> BasicBlockId {
        let (cfg, names) = (&self.program.cfg, &self.cx.ast.names);
        let mut labels = cfg.labels();
        let main = labels.find(|&label| names.bytes(name_from_label(label)) == b"main");
        let mut blocks = cfg.blocks();
        let first = blocks.find(|(_, block)| !block.insts().is_empty());
        main.and_then(|label| cfg.find_label(label))
            .or(first.map(|(block, _)| block))
            .unwrap_or_default()
    }

    /// Adds calls to the control-flow graph, which contains branches already. Reports undefined
    /// labels of branches and calls and too many targets of indirect calls; after the latter, later
    /// jumps are not resolved.
    fn resolve_jumps(&mut self, jumps: &[Jump]) {
        let mut indirect = 0;
        for &Jump {
            from_block: from,
            target,
            span,
        } in jumps
        {
            match target {
                // Labels may be defined after their uses. NV_gpu_program4 section 2.X.5.
                JumpTarget::BranchLabel(label) | JumpTarget::CallLabel(label)
                    if self
                        .program
                        .cfg
                        .find_label(label_from_name(label))
                        .is_none() =>
                {
                    self.report_undefined_label(label, span);
                }
                // The graph contains it since the statement was checked.
                JumpTarget::BranchLabel(_) => {}
                JumpTarget::CallLabel(label) => {
                    self.program.cfg.add_call(from, label_from_name(label))
                }
                JumpTarget::CallType(ty) => {
                    // Each indirect call becomes a branch to each label of its type.
                    indirect += self.program.find_type_routines(ty).len();
                    if indirect > limits::INDIRECT_BRANCHES {
                        let limit = limits::INDIRECT_BRANCHES;
                        let message = format!("indirect calls have more than {limit} targets");
                        self.cx
                            .report_error(Code::TooManyInstructions, span, message);
                        break;
                    }
                    let CheckedProgram {
                        cfg,
                        subroutine_routines,
                        ..
                    } = &mut self.program;
                    for &(label, _) in subroutine_routines.get(&ty).into_iter().flatten() {
                        cfg.add_call(from, label_from_name(label));
                    }
                }
            }
        }
    }

    /// Reports a label that the program does not define, with a hint if the name of another label
    /// is similar.
    fn report_undefined_label(&mut self, label: NameId, span: Span) {
        let text = self.cx.display_name(label);
        // In source order, so that the hint does not depend on the order of a table.
        let mut labels: Vec<_> = self.program.cfg.labels().collect();
        labels.sort_unstable();
        let labels: Vec<String> = (labels.into_iter())
            .map(|label| self.cx.display_name(name_from_label(label)))
            .collect();
        let notes = suggest_spelling(&text, labels.iter().map(String::as_str))
            .into_iter()
            .collect();
        let message = format!("label `{text}` is not defined");
        self.cx
            .report_error_with_notes(Code::UndefinedLabel, span, message, notes);
    }

    /// Reports chains of calls that are too deep and too many groups of mutually recursive
    /// subroutines, as errors of the whole program.
    fn check_call_limits(&mut self, call_graph: &CallGraph) {
        if call_graph.max_call_depth() > limits::CALL_DEPTH {
            let message = format!("chains of more than {} calls", limits::CALL_DEPTH);
            self.cx.report_program_error(Code::CallDepth, message);
        }
        if call_graph.group_count() > limits::RECURSIVE_GROUPS {
            let limit = limits::RECURSIVE_GROUPS;
            let message = format!("more than {limit} subroutines that can call themselves");
            self.cx.report_program_error(Code::CallDepth, message);
        }
    }

    /// Reports indirect calls (CALI) that can lead back to the routine that contains them.
    /// ARB_shader_subroutine section 2.X.5.
    fn check_indirect_recursion(&mut self, jumps: &[Jump], call_graph: &CallGraph) {
        let mut remaining_targets = limits::INDIRECT_BRANCHES;
        for jump in jumps {
            // Only routines that reach themselves are in a group.
            let (JumpTarget::CallType(ty), Some(group)) =
                (jump.target, call_graph.find_group(jump.from_block))
            else {
                continue;
            };
            let routines = self.program.find_type_routines(ty);
            // Calls beyond the limit are already an error.
            let Some(remaining) = remaining_targets.checked_sub(routines.len()) else {
                return;
            };
            remaining_targets = remaining;
            let is_member = |&(label, _): &(NameId, u32)| {
                let entry = self.program.cfg.find_label(label_from_name(label));
                entry.and_then(|entry| call_graph.find_group(entry)) == Some(group)
            };
            if routines.iter().any(is_member) {
                let message = "this indirect call can lead back to itself";
                self.cx.report_error(Code::Recursion, jump.span, message);
            }
        }
    }

    /// Checks that with an interlock option there are exactly one FSIB and, after it, one FSIE,
    /// both at the outermost level of the main routine, and without one neither; reports
    /// violations.
    pub(crate) fn check_interlocks(&mut self, sections: &[InterlockOp], main: BasicBlockId) {
        if !self.cx.features.intersects(Features::INTERLOCK) {
            if let Some(section) = sections.first() {
                let message = "FSIB and FSIE need OPTION NV_pixel_interlock_ordered or one like it";
                self.cx
                    .report_error(Code::FeatureOption, section.span, message);
            }
            return;
        }
        // One message for each section; errors of its position have precedence over errors of the
        // number of sections.
        for (number, section) in sections.iter().enumerate() {
            let mut earlier_ops = sections[..number].iter();
            let message = if section.is_nested {
                "FSIB and FSIE must be outside of IF and REP"
            } else if section.block != main {
                "FSIB and FSIE must be in the main routine"
            } else if earlier_ops.any(|other| other.op == section.op) {
                "a program has one FSIB and one FSIE"
            } else if number == 0 && section.op == FlowOp::InterlockEnd {
                "FSIE without FSIB before it"
            } else {
                continue;
            };
            self.cx.report_error(Code::Interlock, section.span, message);
        }
        let has = |op| sections.iter().any(|section| section.op == op);
        if !has(FlowOp::InterlockBegin) || !has(FlowOp::InterlockEnd) {
            let message = "a program with an interlock option needs FSIB and FSIE";
            // Reported for the whole program: a missing instruction has no source location.
            self.cx.report_program_error(Code::Interlock, message);
        }
    }
}
