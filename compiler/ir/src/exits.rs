//! Exits of blocks other than their ends.

use crate::program::Node;

bitflags::bitflags! {
    /// Targets of the jumps that leave a block.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub(crate) struct Exits: u8 {
        /// The code after the innermost loop or switch.
        const BREAK = 1;
        /// The next iteration of the innermost loop.
        const CONTINUE = 2;
        /// The caller of the routine.
        const RETURN = 4;
    }
}

impl Exits {
    /// Returns the exit that a node itself takes, without the nodes of its blocks.
    pub(crate) const fn from_node(node: Node) -> Self {
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

    /// Returns the exits that leave a node, given the exits of its blocks.
    pub(crate) fn propagate_through(self, node: Node) -> Self {
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
