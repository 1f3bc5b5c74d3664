//! Ways out of blocks besides their ends.

use crate::program::Node;

bitflags::bitflags! {
    /// Where nodes inside of a block go that leave it.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub(crate) struct Exits: u8 {
        /// Behind the nearest loop or switch.
        const BREAK = 1;
        /// To the next round of the nearest loop.
        const CONTINUE = 2;
        /// Out of the routine.
        const RETURN = 4;
    }
}

impl Exits {
    /// The exit that a node is by itself.
    pub(crate) const fn of_node(node: Node) -> Self {
        match node {
            Node::Break => Self::BREAK,
            Node::Continue => Self::CONTINUE,
            Node::Return => Self::RETURN,
            Node::Run { .. }
            | Node::If { .. }
            | Node::Loop { .. }
            | Node::Switch(_)
            | Node::Call(..) => Self::empty(),
        }
    }

    /// The exits that lead out of a node, given those out of its blocks.
    pub(crate) fn through(self, node: Node) -> Self {
        match node {
            Node::Loop { .. } => self.difference(Self::BREAK.union(Self::CONTINUE)),
            Node::Switch(_) => self.difference(Self::BREAK),
            Node::Run { .. }
            | Node::If { .. }
            | Node::Break
            | Node::Continue
            | Node::Call(..)
            | Node::Return => self,
        }
    }
}
