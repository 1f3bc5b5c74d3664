//! Replaces returns inside of loops and switches by breaks, so that every loop is left by its own
//! exits and a routine returns only at its end or between constructs. Some drivers mishandle other
//! returns: Mesa 25.0 loses the results that vertex shaders have computed before them.
//!
//! If the end of the routine follows a construct, a break is equivalent to a return. A loop that is
//! left by returns only is followed by the return. In all other cases a register, which each exit
//! of the construct sets, records whether the routine returns, and a branch after the construct
//! tests it.

use crate::arena::IndexVec;
use crate::builder::Builder;
use crate::exits::Exits;
use crate::program::{BlockId, Node, Program, RoutineId};
use crate::span::Span;
use crate::structurize::code::{self, LazyRegister};

#[cfg(test)]
mod tests;

/// Returns a program equivalent to the verified `program`, without returns inside of loops and
/// switches; `None` if it has none there.
pub fn lower(program: &Program) -> Option<Program> {
    if !program.nodes.contains(&Node::Return) {
        return None;
    }
    let mut facts = ExitSummary::default();
    facts.exits.grow(program.blocks.len(), Exits::empty());
    let mut affected: Vec<RoutineId> = Vec::new();
    for (id, routine) in program.routines.iter_enumerated() {
        facts.returns_inside = false;
        facts.collect(program, routine.body);
        if facts.returns_inside {
            affected.push(id);
        }
    }
    if affected.is_empty() {
        return None;
    }
    let mut lowering = Lowering {
        builder: Builder::new(program.clone()),
        program,
        facts: &facts,
        returning: LazyRegister::default(),
    };
    for routine in affected {
        // A separate register for each routine: a routine is called while the register of its
        // caller is in use.
        lowering.returning = LazyRegister::default();
        let around = EnclosingScopes {
            construct: Construct::None,
            tail: true,
        };
        lowering.lower_block(program.routines[routine].body, around);
    }
    Some(lowering.builder.finish().0)
}

/// Exits of all blocks.
#[derive(Default)]
struct ExitSummary {
    exits: IndexVec<BlockId, Exits>,
    /// True if a loop or switch that was visited contains a return.
    returns_inside: bool,
}

impl ExitSummary {
    /// Collects the exits of a block and of those in it.
    fn collect(&mut self, program: &Program, id: BlockId) {
        let mut exits = Exits::empty();
        for &node in program.block(id) {
            for inner in program.inner_blocks(node) {
                self.collect(program, inner);
            }
            let inner = self.find_inner_exits(program, node);
            if matches!(node, Node::Loop { .. } | Node::Switch(_)) {
                self.returns_inside |= inner.contains(Exits::RETURN);
            }
            exits |= inner.propagate_through(node) | Exits::from_node(node);
        }
        self.exits[id] = exits;
    }

    /// Returns the exits of the blocks of a node.
    fn find_inner_exits(&self, program: &Program, node: Node) -> Exits {
        let blocks = program.inner_blocks(node).map(|block| self.exits[block]);
        blocks.fold(Exits::empty(), Exits::union)
    }
}

/// The innermost loop or switch around a node, classified by the code after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Construct {
    /// None.
    None,
    /// A construct without returns inside, or that the end of the routine follows.
    Plain,
    /// A loop that is left by returns only; a return follows.
    LeftByReturns,
    /// A loop followed by a test of a register that each exit sets.
    TestedLoop,
    /// A switch followed by a test of a register that is cleared before it.
    TestedSwitch,
}

impl Construct {
    /// Returns the node that leaves the construct; without a construct, the routine.
    const fn find_exit(self) -> Node {
        match self {
            Self::None => Node::Return,
            Self::Plain | Self::LeftByReturns | Self::TestedLoop | Self::TestedSwitch => {
                Node::Break
            }
        }
    }
}

/// Context of a node.
#[derive(Clone, Copy)]
struct EnclosingScopes {
    construct: Construct,
    /// True if the routine ends at the end of the block.
    tail: bool,
}

struct Lowering<'p> {
    builder: Builder,
    program: &'p Program,
    facts: &'p ExitSummary,
    /// Lane x is 1 if the routine returns after the construct that control leaves.
    returning: LazyRegister,
}

impl Lowering<'_> {
    /// Rewrites a block; it retains its id.
    fn lower_block(&mut self, id: BlockId, around: EnclosingScopes) {
        self.builder.open_block();
        let nodes = self.program.block(id);
        for (index, &node) in nodes.iter().enumerate() {
            let tail = match nodes.get(index + 1) {
                None => around.tail,
                Some(next) => *next == Node::Return,
            };
            self.lower_node(node, EnclosingScopes { tail, ..around });
        }
        self.builder.close_block_as(id);
    }

    fn lower_node(&mut self, node: Node, around: EnclosingScopes) {
        let exits = self.facts.find_inner_exits(self.program, node);
        match node {
            Node::Run { .. } | Node::Call(..) | Node::Continue => self.builder.node(node),
            Node::Break => {
                if around.construct == Construct::TestedLoop {
                    self.emit_set(0);
                }
                self.builder.node(node);
            }
            Node::Return => self.emit_exit(around),
            Node::If { .. } => {
                if exits.intersects(Exits::RETURN | Exits::BREAK) {
                    self.lower_inner_blocks(node, around);
                }
                self.builder.node(node);
            }
            Node::Loop { span, .. } => {
                let construct = if !exits.contains(Exits::RETURN) {
                    return self.builder.node(node);
                } else if around.tail {
                    Construct::Plain
                } else if exits.contains(Exits::BREAK) {
                    Construct::TestedLoop
                } else {
                    Construct::LeftByReturns
                };
                let tail = false;
                self.lower_inner_blocks(node, EnclosingScopes { construct, tail });
                self.builder.node(node);
                self.emit_exit_after(construct, around, span);
            }
            Node::Switch(id) => {
                let construct = if !exits.contains(Exits::RETURN) {
                    return self.builder.node(node);
                } else if around.tail {
                    Construct::Plain
                } else {
                    self.emit_set(0);
                    Construct::TestedSwitch
                };
                self.lower_inner_blocks(
                    node,
                    EnclosingScopes {
                        construct,
                        ..around
                    },
                );
                self.builder.node(node);
                self.emit_exit_after(construct, around, self.program.switches[id].span);
            }
        }
    }

    fn lower_inner_blocks(&mut self, node: Node, around: EnclosingScopes) {
        for block in self.program.inner_blocks(node) {
            self.lower_block(block, around);
        }
    }

    fn emit_set(&mut self, value: u32) {
        let register = self.returning.get(&mut self.builder);
        code::emit_set(&mut self.builder, register, value);
    }

    /// Emits the replacement of a return in the innermost construct.
    fn emit_exit(&mut self, around: EnclosingScopes) {
        match around.construct {
            Construct::TestedLoop | Construct::TestedSwitch => self.emit_set(1),
            Construct::None | Construct::Plain | Construct::LeftByReturns => {}
        }
        self.builder.node(around.construct.find_exit());
    }

    /// Emits the code after a construct that returns may have left; `around` is the context of the
    /// construct.
    fn emit_exit_after(&mut self, construct: Construct, around: EnclosingScopes, span: Span) {
        match construct {
            Construct::None | Construct::Plain => {}
            Construct::LeftByReturns => self.emit_exit(around),
            Construct::TestedLoop | Construct::TestedSwitch => {
                let register = self.returning.get(&mut self.builder);
                // In a tested construct the register already has its value.
                let leave = around.construct.find_exit();
                code::emit_if_at(
                    &mut self.builder,
                    code::test_non_zero(register),
                    span,
                    |builder| {
                        builder.node(leave);
                    },
                );
            }
        }
    }
}
