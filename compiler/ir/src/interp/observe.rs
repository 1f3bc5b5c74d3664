//! Observed execution: descriptions of instructions before and after their execution, and of changes
//! of control flow, for an [`Observer`].

use super::environment::TextureSource;
use super::evaluate::Flags;
use super::flow::FrameKind;
use super::machine::Machine;
use super::observer::{
    FlowChange, FlowEvent, InstructionEvent, Observer, OperandValue, SelectedElement, WrittenValue,
};
use crate::arena::IndexId;
use crate::inst::{Cond, Inst, InstData, compute_read_lanes};
use crate::operand::{IndexTerm, WriteMask};
use crate::program::Node;
use crate::resource::UnitSet;

impl<T: TextureSource, O: Observer> Machine<'_, '_, T, O> {
    /// Executes an instruction, given with its index in the program, and reports it.
    pub(super) fn execute_observed(&mut self, inst: &Inst, index: usize) {
        let written = self.find_written_lanes(inst);
        let operands = (0..usize::from(inst.source_count))
            .map(|number| self.describe_operand(inst, number, written))
            .collect();
        let element = inst.dst.and_then(|dst| self.describe_element(dst.index));
        let is_access_out_of_bounds =
            self.is_memory_out_of_bounds(inst) || self.is_texture_out_of_bounds(inst);
        self.execute_inst(inst);
        let result = inst.dst.map(|dst| WrittenValue {
            register: dst.register,
            element,
            written,
            lanes: self.load_register(dst.register, element.map_or(0, |it| it.clamp_to_array())),
            codes: dst.cc.map(|cc| self.load_codes(cc)),
        });
        let event = InstructionEvent {
            invocation: self.current.index,
            index,
            inst,
            operands,
            result,
            is_access_out_of_bounds,
        };
        self.observer.record_instruction(&event);
    }

    /// Returns the lanes that an instruction will write: those of its mask whose guard holds.
    fn find_written_lanes(&self, inst: &Inst) -> WriteMask {
        let Some(dst) = inst.dst else {
            return WriteMask::NONE;
        };
        let Some(guard) = dst.guard else {
            return dst.mask;
        };
        let passes = self.test_guard(guard);
        let lanes = dst.mask.lanes().filter(|lane| passes[*lane]);
        WriteMask(lanes.fold(0, |mask, lane| mask | 1 << lane))
    }

    /// Returns the value of operand `number` before the execution of an instruction that writes the
    /// lanes `written`.
    fn describe_operand(&self, inst: &Inst, number: usize, written: WriteMask) -> OperandValue {
        let src = self.program.source(inst, number);
        OperandValue {
            lanes: self.load_source(inst, number),
            read: WriteMask(compute_read_lanes(self.program, inst, number, written.0)),
            element: self.describe_element(src.index),
        }
    }

    /// Returns the element that an index selects now; `None` without an index.
    fn describe_element(&self, index: Option<IndexId>) -> Option<SelectedElement> {
        let index = self.program.indices[index?];
        Some(SelectedElement {
            requested: self.eval_index_term(index.element),
            len: index.len,
        })
    }

    /// Returns true if a texture access selects no texture of its array.
    fn is_texture_out_of_bounds(&self, inst: &Inst) -> bool {
        let InstData::Tex(id) = inst.data else {
            return false;
        };
        let access = self.program.tex_accesses[id];
        let is_outside = |term: IndexTerm| match self.program.textures[access.texture].units {
            UnitSet::Array { count, .. } => {
                !(0..i64::from(count)).contains(&self.eval_index_term(term))
            }
            UnitSet::Single(_) | UnitSet::Handle | UnitSet::QueryHandle => false,
        };
        access.element.is_some_and(is_outside)
    }

    /// Returns the condition codes that a condition tests, in its order.
    fn find_tested_codes(&self, cond: Cond) -> Option<[Flags; 4]> {
        let Cond::Any(guard) = cond else { return None };
        let codes = self.load_codes(guard.cc);
        Some(std::array::from_fn(|lane| codes[guard.swizzle.lane(lane)]))
    }

    /// Reports a node other than a run, before its execution.
    pub(super) fn record_node(&mut self, node: &Node) {
        let change = match *node {
            Node::Run { .. } => return,
            Node::If { cond, span, .. } => FlowChange::Branch {
                is_taken: self.test_cond(cond),
                codes: self.find_tested_codes(cond),
                span,
            },
            Node::Loop { span, .. } => FlowChange::LoopStart { span },
            Node::Switch(id) => {
                let switch = &self.program.switches[id];
                FlowChange::Switch {
                    value: self.load_lane(switch.selector) as u32,
                    span: switch.span,
                }
            }
            Node::Break => FlowChange::Break {
                leaves_loop: self.current.block_stack.is_in_loop(),
            },
            Node::Continue => FlowChange::Continue,
            Node::Call(routine, span) => FlowChange::Call { routine, span },
            Node::Return => FlowChange::Return,
        };
        self.record_change(change);
    }

    /// Reports the end of a block that [`BlockStack::end_block`](super::flow::BlockStack::end_block)
    /// closes, if it is that of a routine.
    pub(super) fn record_block_end(&mut self) {
        let innermost = self.current.block_stack.get_innermost();
        if innermost.is_some_and(|frame| frame.kind == FrameKind::Routine) {
            self.record_change(FlowChange::Return);
        }
    }

    /// Reports the iteration of a loop that the invocation is about to begin, if it is at the start
    /// of one that is not the first.
    pub(super) fn record_iteration(&mut self) {
        let Some(frame) = self.current.block_stack.get_innermost() else {
            return;
        };
        let is_start = (frame.next_node, frame.next_inst) == (0, 0);
        let complete = frame.iteration;
        if matches!(frame.kind, FrameKind::LoopBody(_)) && is_start && complete > 0 {
            self.record_change(FlowChange::Iteration { complete });
        }
    }

    /// Reports a change of control flow of the current invocation.
    fn record_change(&mut self, change: FlowChange) {
        self.observer.record_flow(FlowEvent {
            invocation: self.current.index,
            change,
        });
    }
}
