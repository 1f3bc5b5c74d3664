//! Branches that leave one or several constructs, and the code after constructs that continues such
//! branches.

use super::code::{self, encode_target};
use super::emit::{Construct, Fall, Open, Walk};
use super::graph::FlowId;
use crate::arena::Id;
use crate::program::{BlockId, Node, RegisterId, Switch};
use crate::span::Span;

impl Walk<'_> {
    /// Emits a branch to a block that is emitted elsewhere.
    pub(super) fn emit_jump(&mut self, target: FlowId, fall: Fall) {
        if fall == Fall::To(target) {
            return;
        }
        let Some(index) = self.find_landing(target) else {
            debug_assert!(false, "every target has a construct that leads to it");
            return;
        };
        if let Construct::Before(block) = self.open[index].construct {
            self.is_left[block.index()] = true;
        }
        if self.is_direct(target, index) {
            self.emit_node(self.make_exit_node(target, index));
            return;
        }
        // Created in every run: the last run clears the register before it emits any other code.
        let [register, _] = self.get_registers();
        if self.is_writing() {
            code::emit_set(self.builder, register, encode_target(target));
        }
        self.emit_node(Node::Break);
        self.record_passing(target, index);
    }

    fn get_registers(&mut self) -> [RegisterId; 2] {
        let builder = &mut self.builder;
        *self
            .registers
            .get_or_insert_with(|| std::array::from_fn(|_| code::new_register(builder)))
    }

    /// Returns the index of the open construct whose end or next iteration is the target.
    fn find_landing(&self, target: FlowId) -> Option<usize> {
        self.open.iter().rposition(|open| match open.construct {
            Construct::Before(block) => block == target,
            Construct::Loop(header, after) => header == target || after == Some(target),
            Construct::Switch => false,
        })
    }

    fn is_next_iteration(&self, target: FlowId, index: usize) -> bool {
        matches!(self.open[index].construct, Construct::Loop(header, _) if header == target)
    }

    /// Returns true if one node suffices to reach the target.
    fn is_direct(&self, target: FlowId, index: usize) -> bool {
        let inner = &self.open[index + 1..];
        // `Continue` leaves all switches inside its loop, `Break` only one construct.
        if self.is_next_iteration(target, index) {
            !inner
                .iter()
                .any(|open| matches!(open.construct, Construct::Loop(..)))
        } else {
            !inner.iter().any(|open| self.is_emitted(open.construct))
        }
    }

    fn make_exit_node(&self, target: FlowId, index: usize) -> Node {
        if self.is_next_iteration(target, index) {
            Node::Continue
        } else {
            Node::Break
        }
    }

    /// Records a branch that leaves all constructs inside `index`.
    fn record_passing(&mut self, target: FlowId, index: usize) {
        let round = self.is_next_iteration(target, index);
        for index in index + 1..self.open.len() {
            if self.is_emitted(self.open[index].construct)
                && !self.open[index].passing.contains(&target)
            {
                self.open[index].passing.push(target);
            }
        }
        // A new iteration begins at the end of the construct inside the loop, not after the loop.
        self.open[index].arrives |= !round;
    }

    /// Ends the innermost construct.
    pub(super) fn close(&mut self, span: Span) {
        let Some(open) = self.open.last() else { return };
        let construct = open.construct;
        if self.is_emitted(construct)
            && let Some(block) = self.close_block()
        {
            let node = match construct {
                Construct::Loop(..) => Node::Loop {
                    body: block,
                    continuing: None,
                    span,
                },
                Construct::Before(_) | Construct::Switch => self.make_breakable(block, span),
            };
            self.builder.node(node);
        }
        self.leave_construct();
    }

    /// Returns a node that contains the block and that `Break` leaves: a switch with only a
    /// default.
    fn make_breakable(&mut self, block: BlockId, span: Span) -> Node {
        // Any register can be the selector: there are no cases.
        let [register, _] = self.get_registers();
        let switch = self.builder.program.switches.push(Switch {
            selector: (register, 0),
            cases: Vec::new(),
            default: Some(block),
            span,
        });
        Node::Switch(switch)
    }

    /// Removes the innermost construct, whose end has been emitted, and continues the branches that
    /// leave further constructs.
    pub(super) fn leave_construct(&mut self) {
        let Some(mut open) = self.open.pop() else {
            return;
        };
        self.emit_continuations(&open);
        open.passing.clear();
        self.spare.push(open.passing);
    }

    /// Continues branches that leave further constructs than the one whose end was emitted.
    fn emit_continuations(&mut self, open: &Open) {
        let landing = match open.construct {
            Construct::Before(block) => Some(block),
            Construct::Loop(_, after) => after,
            Construct::Switch => None,
        };
        if !self.is_writing() || (!open.arrives && open.passing.is_empty()) {
            return;
        }
        let [register, scratch] = self.get_registers();
        // A branch that has arrived is complete; the register may contain the target of another
        // branch that leaves further constructs.
        if let (true, Some(landing)) = (open.arrives, landing) {
            if open.passing.is_empty() {
                code::emit_set(self.builder, register, 0);
            } else {
                let own = encode_target(landing);
                code::emit_if_equal(self.builder, register, own, scratch, |builder| {
                    code::emit_set(builder, register, 0);
                });
            }
        }
        let mut further = false;
        for &target in &open.passing {
            let index = self.find_landing(target);
            let round = index.filter(|index| {
                self.is_next_iteration(target, *index) && self.is_direct(target, *index)
            });
            if round.is_some() {
                let own = encode_target(target);
                code::emit_if_equal(self.builder, register, own, scratch, |builder| {
                    code::emit_set(builder, register, 0);
                    builder.node(Node::Continue);
                });
            } else {
                further = true;
            }
        }
        // The enclosing construct continues it in turn.
        if further {
            code::emit_if(self.builder, code::test_non_zero(register), |builder| {
                builder.node(Node::Break);
            });
        }
    }
}
