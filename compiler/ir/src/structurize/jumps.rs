//! Branches out of constructs, and what stands behind constructs to send them on.

use super::code::{self, value_of};
use super::emit::{Construct, Fall, Open, Walk};
use super::graph::FlowId;
use crate::arena::Id;
use crate::program::{BlockId, Node, RegisterId, Switch};
use crate::span::Span;

impl Walk<'_> {
    /// Goes to a block that stands elsewhere.
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
        // Made in every run: the last one clears the register before it writes anything else.
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

    /// The open construct whose end or next round is the target.
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

    /// Whether one node leads to the target.
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

    /// Notes a branch that leaves all constructs inside `place`.
    fn pass(&mut self, target: FlowId, place: usize) {
        let round = self.is_round(target, place);
        for index in place + 1..self.open.len() {
            if self.is_real(self.open[index].construct)
                && !self.open[index].passing.contains(&target)
            {
                self.open[index].passing.push(target);
            }
        }
        // A new round begins where the construct inside the loop ends, not behind the loop.
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

    /// A block that `Break` leaves: a switch that has nothing but a default.
    fn breakable(&mut self, block: BlockId, span: Span) -> Node {
        // Any register will do: there are no cases.
        let [register, _] = self.registers();
        let switch = self.builder.program.switches.push(Switch {
            selector: (register, 0),
            cases: Vec::new(),
            default: Some(block),
            span,
        });
        Node::Switch(switch)
    }

    /// Leaves the innermost construct, whose end is written.
    pub(super) fn leave_construct(&mut self) {
        let Some(mut open) = self.open.pop() else {
            return;
        };
        self.send_on(&open);
        open.passing.clear();
        self.spare.push(open.passing);
    }

    /// Sends branches on that leave more than a construct whose end was written.
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
        // A branch that has arrived is on its way no more; the register may hold the target of another one that goes further.
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
        // The construct around sends it on in its turn.
        if further {
            code::when(self.builder, code::non_zero(register), |builder| {
                builder.node(Node::Break);
            });
        }
    }
}
