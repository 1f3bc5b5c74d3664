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
use crate::program::BlockExits;
use crate::program::{BlockId, Node, Program, RoutineId};
use crate::span::Span;
use crate::structurize::selector::{self, LazyRegister};

#[cfg(test)]
mod tests;

/// Returns a program equivalent to the verified `program`, without returns inside of loops and
/// switches: they leave these step by step, with the help of a register. `None` if it has none
/// there.
pub fn lower(program: &Program) -> Option<Program> {
    if !program.nodes.contains(&Node::Return) {
        return None;
    }
    let mut summary = BlockExitSummary::default();
    summary
        .exits
        .grow(program.blocks.len(), BlockExits::empty());
    let mut affected: Vec<RoutineId> = Vec::new();
    for (id, routine) in program.routines.iter_enumerated() {
        summary.has_inner_return = false;
        summary.collect_exits(program, routine.body);
        if summary.has_inner_return {
            affected.push(id);
        }
    }
    if affected.is_empty() {
        return None;
    }
    let mut lowering = ReturnLowering {
        builder: Builder::new(program.clone()),
        program,
        summary: &summary,
        returning_flag: LazyRegister::default(),
    };
    for routine in affected {
        // A separate register for each routine: a routine is called while the register of its
        // caller is in use.
        lowering.returning_flag = LazyRegister::default();
        let context = ReturnContext {
            construct: EnclosingConstruct::None,
            is_routine_tail: true,
        };
        lowering.lower_block(program.routines[routine].body, context);
    }
    Some(lowering.builder.finish().0)
}

/// Exits of all blocks.
#[derive(Default)]
struct BlockExitSummary {
    exits: IndexVec<BlockId, BlockExits>,
    /// True if a loop or switch that was visited contains a return.
    has_inner_return: bool,
}

impl BlockExitSummary {
    /// Records the exits of a block and of those in it, and whether a loop or switch in it contains
    /// a return.
    fn collect_exits(&mut self, program: &Program, id: BlockId) {
        let mut exits = BlockExits::empty();
        for &node in program.block_nodes(id) {
            for inner in program.inner_blocks(node) {
                self.collect_exits(program, inner);
            }
            let inner = self.find_inner_exits(program, node);
            if matches!(node, Node::Loop { .. } | Node::Switch(_)) {
                self.has_inner_return |= inner.contains(BlockExits::RETURN);
            }
            exits |= inner.propagate_through(node) | BlockExits::from_node(node);
        }
        self.exits[id] = exits;
    }

    /// Returns the exits of the blocks of a node.
    fn find_inner_exits(&self, program: &Program, node: Node) -> BlockExits {
        let blocks = program.inner_blocks(node).map(|block| self.exits[block]);
        blocks.fold(BlockExits::empty(), BlockExits::union)
    }
}

/// The innermost loop or switch around a node, classified by the code after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EnclosingConstruct {
    /// None.
    None,
    /// A construct without returns inside, or that the end of the routine follows.
    Untested,
    /// A loop that is left by returns only; a return follows.
    LeftByReturns,
    /// A loop followed by a test of a register that each exit sets.
    TestedLoop,
    /// A switch followed by a test of a register that is cleared before it.
    TestedSwitch,
}

impl EnclosingConstruct {
    /// Returns the node that leaves the construct; without a construct, the routine.
    const fn make_exit_node(self) -> Node {
        match self {
            Self::None => Node::Return,
            Self::Untested | Self::LeftByReturns | Self::TestedLoop | Self::TestedSwitch => {
                Node::Break
            }
        }
    }
}

/// Context of a node.
#[derive(Clone, Copy)]
struct ReturnContext {
    construct: EnclosingConstruct,
    /// True if the routine ends at the end of the block.
    is_routine_tail: bool,
}

struct ReturnLowering<'p> {
    builder: Builder,
    program: &'p Program,
    summary: &'p BlockExitSummary,
    /// Lane x is 1 if the routine returns after the construct that control leaves.
    returning_flag: LazyRegister,
}

impl ReturnLowering<'_> {
    /// Rewrites a block, which retains its id. `context` describes its position in the routine.
    fn lower_block(&mut self, id: BlockId, context: ReturnContext) {
        self.builder.open_block();
        let nodes = self.program.block_nodes(id);
        for (index, &node) in nodes.iter().enumerate() {
            let tail = match nodes.get(index + 1) {
                None => context.is_routine_tail,
                Some(next) => *next == Node::Return,
            };
            self.lower_node(
                node,
                ReturnContext {
                    is_routine_tail: tail,
                    ..context
                },
            );
        }
        self.builder.close_block_as(id);
    }

    /// Copies a node with its inner blocks lowered; a return becomes an exit of the enclosing
    /// construct, with a flag if the code after the construct must test it.
    fn lower_node(&mut self, node: Node, context: ReturnContext) {
        let exits = self.summary.find_inner_exits(self.program, node);
        match node {
            Node::Run { .. } | Node::Call(..) | Node::Continue => self.builder.push_node(node),
            Node::Break => {
                if context.construct == EnclosingConstruct::TestedLoop {
                    self.emit_returning_flag(0);
                }
                self.builder.push_node(node);
            }
            Node::Return => self.emit_exit(context),
            Node::If { .. } => {
                if exits.intersects(BlockExits::RETURN | BlockExits::BREAK) {
                    self.lower_inner_blocks(node, context);
                }
                self.builder.push_node(node);
            }
            Node::Loop { span, .. } => {
                let construct = if !exits.contains(BlockExits::RETURN) {
                    return self.builder.push_node(node);
                } else if context.is_routine_tail {
                    EnclosingConstruct::Untested
                } else if exits.contains(BlockExits::BREAK) {
                    EnclosingConstruct::TestedLoop
                } else {
                    EnclosingConstruct::LeftByReturns
                };
                let tail = false;
                self.lower_inner_blocks(
                    node,
                    ReturnContext {
                        construct,
                        is_routine_tail: tail,
                    },
                );
                self.builder.push_node(node);
                self.emit_exit_test(construct, context, span);
            }
            Node::Switch(id) => {
                let construct = if !exits.contains(BlockExits::RETURN) {
                    return self.builder.push_node(node);
                } else if context.is_routine_tail {
                    EnclosingConstruct::Untested
                } else {
                    self.emit_returning_flag(0);
                    EnclosingConstruct::TestedSwitch
                };
                self.lower_inner_blocks(
                    node,
                    ReturnContext {
                        construct,
                        ..context
                    },
                );
                self.builder.push_node(node);
                self.emit_exit_test(construct, context, self.program.switches[id].span);
            }
        }
    }

    /// Lowers the blocks that a node contains, such as the arms of a branch or the cases of a
    /// switch.
    fn lower_inner_blocks(&mut self, node: Node, context: ReturnContext) {
        for block in self.program.inner_blocks(node) {
            self.lower_block(block, context);
        }
    }

    /// Emits `flag = value` for the register that records whether the routine returns; the first
    /// call of a routine creates the register.
    fn emit_returning_flag(&mut self, value: u32) {
        let register = self.returning_flag.get_or_create(&mut self.builder);
        selector::emit_set_word(&mut self.builder, register, value);
    }

    /// Emits the replacement of a return in the innermost construct: sets the flag if that is
    /// tested after the construct, and leaves the construct.
    fn emit_exit(&mut self, context: ReturnContext) {
        match context.construct {
            EnclosingConstruct::TestedLoop | EnclosingConstruct::TestedSwitch => {
                self.emit_returning_flag(1)
            }
            EnclosingConstruct::None
            | EnclosingConstruct::Untested
            | EnclosingConstruct::LeftByReturns => {}
        }
        self.builder.push_node(context.construct.make_exit_node());
    }

    /// Emits the code after a construct that returns may have left: nothing if the routine ends
    /// there, an exit if only returns reach it, else an exit under the condition of the flag.
    /// `context` is the context of the construct.
    fn emit_exit_test(
        &mut self,
        construct: EnclosingConstruct,
        context: ReturnContext,
        span: Span,
    ) {
        match construct {
            EnclosingConstruct::None | EnclosingConstruct::Untested => {}
            EnclosingConstruct::LeftByReturns => self.emit_exit(context),
            EnclosingConstruct::TestedLoop | EnclosingConstruct::TestedSwitch => {
                let register = self.returning_flag.get_or_create(&mut self.builder);
                // In a tested construct the register already has its value.
                let leave = context.construct.make_exit_node();
                selector::emit_if_at(
                    &mut self.builder,
                    selector::make_non_zero_cond(register),
                    span,
                    |builder| {
                        builder.push_node(leave);
                    },
                );
            }
        }
    }
}
