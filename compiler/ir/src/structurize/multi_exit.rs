//! Branches that leave one or several constructs, and the code after constructs that continues such
//! branches.

use super::emit::{Construct, FallThroughTarget, OpenConstruct, TreeEmitter};
use super::graph::FlowId;
use super::selector::{self, encode_block};
use crate::arena::Id;
use crate::program::{BlockId, Node, RegisterId, Switch};
use crate::span::Span;

impl TreeEmitter<'_> {
    /// Emits a branch to a block that is emitted elsewhere, out of as many constructs as necessary;
    /// nothing if the end of the code reaches it without a jump. Records that constructs are left,
    /// which passes that do not emit collect.
    pub(super) fn emit_jump(&mut self, target: FlowId, fall: FallThroughTarget) {
        if fall == FallThroughTarget::Block(target) {
            return;
        }
        let Some(index) = self.find_target_construct(target) else {
            debug_assert!(false, "every target has a construct that leads to it");
            return;
        };
        if let Construct::Before(block) = self.open_constructs[index].construct {
            self.has_break[block.index()] = true;
        }
        if self.is_single_exit(target, index) {
            self.emit_node(self.make_exit_node(target, index));
            return;
        }
        // Created in every run: the last run clears the register before it emits any other code.
        let [register, _] = self.get_registers();
        if self.is_emitting() {
            selector::emit_set_word(self.builder, register, encode_block(target));
        }
        self.emit_node(Node::Break);
        self.record_multi_exit(target, index);
    }

    /// Returns the register of targets and the one for tests, which the first call creates.
    fn get_registers(&mut self) -> [RegisterId; 2] {
        let builder = &mut self.builder;
        *self
            .registers
            .get_or_insert_with(|| std::array::from_fn(|_| selector::push_register(builder)))
    }

    /// Returns the index of the innermost open construct whose end or next iteration is the target;
    /// `None` if there is none.
    fn find_target_construct(&self, target: FlowId) -> Option<usize> {
        self.open_constructs
            .iter()
            .rposition(|open| match open.construct {
                Construct::Before(block) => block == target,
                Construct::Loop(header, after) => header == target || after == Some(target),
                Construct::Switch => false,
            })
    }

    /// Returns true if a jump to `target` is the next iteration of the open construct `index`, a
    /// loop.
    fn is_next_iteration(&self, target: FlowId, index: usize) -> bool {
        matches!(self.open_constructs[index].construct, Construct::Loop(header, _) if header == target)
    }

    /// Returns true if one node suffices to reach the target from inside the open construct
    /// `index`, which leads to it.
    fn is_single_exit(&self, target: FlowId, index: usize) -> bool {
        let inner = &self.open_constructs[index + 1..];
        // `Continue` leaves all switches inside its loop, `Break` only one construct.
        if self.is_next_iteration(target, index) {
            !inner
                .iter()
                .any(|open| matches!(open.construct, Construct::Loop(..)))
        } else {
            !inner.iter().any(|open| self.is_emitted(open.construct))
        }
    }

    /// Returns the node that jumps to `target` from directly inside the open construct `index`:
    /// `Continue` for the next iteration of a loop, else `Break`.
    fn make_exit_node(&self, target: FlowId, index: usize) -> Node {
        if self.is_next_iteration(target, index) {
            Node::Continue
        } else {
            Node::Break
        }
    }

    /// Records a branch to `target` that leaves all constructs inside `index`: in these as a target
    /// outside of them, and in the construct itself, unless a new iteration begins, as an arrival.
    fn record_multi_exit(&mut self, target: FlowId, index: usize) {
        let is_next_iteration = self.is_next_iteration(target, index);
        for index in index + 1..self.open_constructs.len() {
            if self.is_emitted(self.open_constructs[index].construct)
                && !self.open_constructs[index].outer_targets.contains(&target)
            {
                self.open_constructs[index].outer_targets.push(target);
            }
        }
        // A new iteration begins at the end of the construct inside the loop, not after the loop.
        self.open_constructs[index].has_arrivals |= !is_next_iteration;
    }

    /// Ends the innermost construct: appends its node if it is emitted, and continues branches that
    /// leave more constructs. Does nothing if none is open.
    pub(super) fn close_construct(&mut self, span: Span) {
        let Some(open) = self.open_constructs.last() else {
            return;
        };
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
                Construct::Before(_) | Construct::Switch => self.make_breakable_block(block, span),
            };
            self.builder.push_node(node);
        }
        self.pop_construct();
    }

    /// Returns a node that contains the block and that `Break` leaves: a new switch with only a
    /// default.
    fn make_breakable_block(&mut self, block: BlockId, span: Span) -> Node {
        // Any register can be the selector: the switch has no cases.
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
    pub(super) fn pop_construct(&mut self) {
        let Some(mut open) = self.open_constructs.pop() else {
            return;
        };
        self.emit_continuations(&open);
        open.outer_targets.clear();
        self.spare_lists.push(open.outer_targets);
    }

    /// Emits the code after the end of a construct that continues branches out of further
    /// constructs, and clears the register of targets for those that have arrived. Does nothing in
    /// passes that do not emit.
    fn emit_continuations(&mut self, open: &OpenConstruct) {
        let arrival_block = match open.construct {
            Construct::Before(block) => Some(block),
            Construct::Loop(_, after) => after,
            Construct::Switch => None,
        };
        if !self.is_emitting() || (!open.has_arrivals && open.outer_targets.is_empty()) {
            return;
        }
        let [register, scratch] = self.get_registers();
        // A branch that has arrived is complete; the register may contain the target of another
        // branch that leaves further constructs.
        if let (true, Some(landing)) = (open.has_arrivals, arrival_block) {
            if open.outer_targets.is_empty() {
                selector::emit_set_word(self.builder, register, 0);
            } else {
                let own = encode_block(landing);
                selector::emit_if_equal(self.builder, register, own, scratch, |builder| {
                    selector::emit_set_word(builder, register, 0);
                });
            }
        }
        let mut has_outer_targets = false;
        for &target in &open.outer_targets {
            let index = self.find_target_construct(target);
            let next_iteration = index.filter(|index| {
                self.is_next_iteration(target, *index) && self.is_single_exit(target, *index)
            });
            if next_iteration.is_some() {
                let own = encode_block(target);
                selector::emit_if_equal(self.builder, register, own, scratch, |builder| {
                    selector::emit_set_word(builder, register, 0);
                    builder.push_node(Node::Continue);
                });
            } else {
                has_outer_targets = true;
            }
        }
        // The enclosing construct continues it in turn.
        if has_outer_targets {
            selector::emit_if(
                self.builder,
                selector::make_non_zero_cond(register),
                |builder| {
                    builder.push_node(Node::Break);
                },
            );
        }
    }
}
