//! Branches that leave one or several constructs, and the code after constructs that continues such
//! branches.

use super::code::{self, value_of};
use super::emit::{Construct, Fall, Open, Walk};
use super::graph::FlowId;
use crate::arena::Id;
use crate::program::{BlockId, Node, RegisterId, Switch};
use crate::span::Span;

impl Walk<'_> {
    /// Emits a branch to a block that is emitted elsewhere.
    pub(super) fn go(&mut self, target: FlowId, fall: Fall) {
        if fall == Fall::To(target) {
            return;
        }
        let Some(place) = self.landing(target) else {
            debug_assert!(false, "every target has a construct that leads to it");
            return;
        };
        if let Construct::Before(block) = self.open[place].construct {
            self.is_left[block.index()] = true;
        }
        if self.is_direct(target, place) {
            self.node(self.leaving(target, place));
            return;
        }
        // Created in every run: the last run clears the register before it emits any other code.
        let [register, _] = self.registers();
        if self.writes() {
            code::set(self.builder, register, value_of(target));
        }
        self.node(Node::Break);
        self.pass(target, place);
    }

    fn registers(&mut self) -> [RegisterId; 2] {
        let builder = &mut self.builder;
        *self
            .registers
            .get_or_insert_with(|| std::array::from_fn(|_| code::new_register(builder)))
    }

    /// Returns the index of the open construct whose end or next iteration is the target.
    fn landing(&self, target: FlowId) -> Option<usize> {
        self.open.iter().rposition(|open| match open.construct {
            Construct::Before(block) => block == target,
            Construct::Loop(header, behind) => header == target || behind == Some(target),
            Construct::Switch => false,
        })
    }

    fn is_round(&self, target: FlowId, place: usize) -> bool {
        matches!(self.open[place].construct, Construct::Loop(header, _) if header == target)
    }

    /// Returns true if one node suffices to reach the target.
    fn is_direct(&self, target: FlowId, place: usize) -> bool {
        let inner = &self.open[place + 1..];
        // `Continue` leaves all switches inside its loop, `Break` only one construct.
        if self.is_round(target, place) {
            !inner
                .iter()
                .any(|open| matches!(open.construct, Construct::Loop(..)))
        } else {
            !inner.iter().any(|open| self.is_real(open.construct))
        }
    }

    fn leaving(&self, target: FlowId, place: usize) -> Node {
        if self.is_round(target, place) {
            Node::Continue
        } else {
            Node::Break
        }
    }

    /// Records a branch that leaves all constructs inside `index`.
    fn pass(&mut self, target: FlowId, place: usize) {
        let round = self.is_round(target, place);
        for index in place + 1..self.open.len() {
            if self.is_real(self.open[index].construct)
                && !self.open[index].passing.contains(&target)
            {
                self.open[index].passing.push(target);
            }
        }
        // A new iteration begins at the end of the construct inside the loop, not after the loop.
        self.open[place].arrives |= !round;
    }

    /// Ends the innermost construct.
    pub(super) fn close(&mut self, span: Span) {
        let Some(open) = self.open.last() else { return };
        let construct = open.construct;
        if self.is_real(construct)
            && let Some(block) = self.close_block()
        {
            let node = match construct {
                Construct::Loop(..) => Node::Loop {
                    body: block,
                    continuing: None,
                    span,
                },
                Construct::Before(_) | Construct::Switch => self.breakable(block, span),
            };
            self.builder.node(node);
        }
        self.leave_construct();
    }

    /// Returns a node that contains the block and that `Break` leaves: a switch with only a
    /// default.
    fn breakable(&mut self, block: BlockId, span: Span) -> Node {
        // Any register can be the selector: there are no cases.
        let [register, _] = self.registers();
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
        self.send_on(&open);
        open.passing.clear();
        self.spare.push(open.passing);
    }

    /// Continues branches that leave further constructs than the one whose end was emitted.
    fn send_on(&mut self, open: &Open) {
        let landing = match open.construct {
            Construct::Before(block) => Some(block),
            Construct::Loop(_, behind) => behind,
            Construct::Switch => None,
        };
        if !self.writes() || (!open.arrives && open.passing.is_empty()) {
            return;
        }
        let [register, scratch] = self.registers();
        // A branch that has arrived is complete; the register may contain the target of another
        // branch that leaves further constructs.
        if let (true, Some(landing)) = (open.arrives, landing) {
            if open.passing.is_empty() {
                code::set(self.builder, register, 0);
            } else {
                let own = value_of(landing);
                code::when_equal(self.builder, register, own, scratch, |builder| {
                    code::set(builder, register, 0);
                });
            }
        }
        let mut further = false;
        for &target in &open.passing {
            let place = self.landing(target);
            let round = place
                .filter(|place| self.is_round(target, *place) && self.is_direct(target, *place));
            if round.is_some() {
                let own = value_of(target);
                code::when_equal(self.builder, register, own, scratch, |builder| {
                    code::set(builder, register, 0);
                    builder.node(Node::Continue);
                });
            } else {
                further = true;
            }
        }
        // The enclosing construct continues it in turn.
        if further {
            code::when(self.builder, code::non_zero(register), |builder| {
                builder.node(Node::Break);
            });
        }
    }
}
