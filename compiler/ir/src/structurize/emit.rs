//! Emits the blocks of a shape as a tree.
//!
//! The walk has an explicit stack of tasks. It runs three times: the first run finds the constructs
//! that some branch must break out of, the second the branches that leave several constructs, the
//! third emits.

use super::code::{self, LazyRegister};
use super::graph::{Exit, FlowId, Graph, StepBound, StepTest, StructurizeLimit};
use super::regions::{BlockPosition, Shape};
use crate::arena::Id;
use crate::builder::Builder;
use crate::inst::Cond;
use crate::program::{BlockId, Case, Node, RegisterId, Switch};
use crate::span::Span;

/// Number of open arms beyond which the second arm of a branch is emitted after the branch, and the
/// first arm leaves a construct around both.
const FLAT_DEPTH: usize = 24;
/// Maximum number of open constructs, including constructs that are not emitted.
const MAX_OPEN: usize = 4096;

/// Successor at the end of the code under construction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fall {
    To(FlowId),
    Return,
    /// The end must not be reached.
    Nowhere,
}

/// An open construct.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Construct {
    /// Code before a block; a switch without cases, if a branch breaks out of it.
    Before(FlowId),
    /// A loop: its header, and the block after it if that block has no other construct.
    Loop(FlowId, Option<FlowId>),
    /// A switch of the graph.
    Switch,
}

pub(super) struct Open {
    pub(super) construct: Construct,
    /// Targets of branches that leave this construct and outer ones.
    pub(super) passing: Vec<FlowId>,
    /// True if branches that also leave inner constructs continue after this one.
    pub(super) arrives: bool,
}

/// One arm of a branch.
#[derive(Clone, Copy)]
enum Arm {
    /// A block that is emitted here.
    Inline(FlowId),
    /// A branch.
    Go(FlowId),
}

enum Task {
    /// A block with the blocks that are nested in it.
    Tree(FlowId, Fall),
    /// The end of the innermost construct.
    Close(Span),
    /// The end of the first arm of a branch. With `flat` the second arm is emitted after the
    /// branch.
    SecondArm {
        cond: Cond,
        arm: Arm,
        fall: Fall,
        flat: bool,
        span: Span,
    },
    /// The end of the second arm.
    EndBranch {
        cond: Cond,
        then: Option<BlockId>,
        span: Span,
    },
    /// The end of an arm of a switch, and the remaining arms, last one first.
    NextArm {
        rest: Vec<(Vec<u32>, Arm)>,
        /// Values of the open arm; none for the default.
        values: Vec<u32>,
        done: Vec<(Vec<u32>, Option<BlockId>)>,
        selector: (RegisterId, u8),
        fall: Fall,
        span: Span,
    },
}

/// Purpose of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Marks,
    Jumps,
    Write,
}

pub(super) struct Walk<'a> {
    pub(super) graph: &'a Graph,
    pub(super) shape: &'a Shape,
    pub(super) builder: &'a mut Builder,
    run: Run,
    /// True for blocks that a branch reaches by breaking out of the construct before them.
    pub(super) is_left: Vec<bool>,
    /// The register of targets, and one for tests.
    pub(super) registers: Option<[RegisterId; 2]>,
    bound: Option<StepBound>,
    pub(super) open: Vec<Open>,
    /// Empty lists of closed constructs, reused by the next ones.
    pub(super) spare: Vec<Vec<FlowId>>,
    tasks: Vec<Task>,
    /// Open blocks of the tree.
    depth: usize,
    /// Open arms of branches and switches: the same in every run.
    arms: usize,
    max_depth: usize,
    /// Register for the test of [`StepBound`].
    scratch: LazyRegister,
}

/// Emits the tree of a shape.
pub(super) fn emit(
    builder: &mut Builder,
    graph: &Graph,
    shape: &Shape,
    bound: Option<StepBound>,
    max_depth: usize,
) -> Result<(), StructurizeLimit> {
    let mut walk = Walk {
        graph,
        shape,
        builder,
        run: Run::Marks,
        is_left: vec![false; graph.blocks.len()],
        registers: None,
        bound,
        open: Vec::new(),
        spare: Vec::new(),
        tasks: Vec::new(),
        depth: 0,
        arms: 0,
        max_depth,
        scratch: LazyRegister::default(),
    };
    walk.walk()?;
    walk.run = Run::Jumps;
    walk.walk()?;
    walk.run = Run::Write;
    if let Some([target, _]) = walk.registers {
        // 0 denotes that no branch out of several constructs is in progress.
        code::emit_set(walk.builder, target, 0);
    }
    walk.walk()
}

impl Walk<'_> {
    fn walk(&mut self) -> Result<(), StructurizeLimit> {
        self.tasks.push(Task::Tree(self.graph.entry, Fall::Return));
        while let Some(task) = self.tasks.pop() {
            if self.depth > self.max_depth || self.open.len() > MAX_OPEN {
                return Err(StructurizeLimit);
            }
            self.run_task(task);
        }
        Ok(())
    }

    fn run_task(&mut self, task: Task) {
        match task {
            Task::Tree(block, fall) => self.emit_tree(block, fall),
            Task::Close(span) => self.close(span),
            Task::SecondArm {
                cond,
                arm,
                fall,
                flat,
                span,
            } => {
                let then = self.close_arm();
                if flat {
                    self.emit_branch(cond, then, None, span);
                    self.emit_arm(arm, fall);
                } else {
                    self.open_arm();
                    self.tasks.push(Task::EndBranch { cond, then, span });
                    self.emit_arm(arm, fall);
                }
            }
            Task::EndBranch { cond, then, span } => {
                let otherwise = self.close_arm();
                self.emit_branch(cond, then, otherwise, span);
            }
            Task::NextArm {
                rest,
                values,
                mut done,
                selector,
                fall,
                span,
            } => {
                let block = self.close_arm();
                done.push((values, block));
                self.next_arm(rest, done, selector, fall, span);
            }
        }
    }

    // Blocks.

    pub(super) fn is_writing(&self) -> bool {
        self.run == Run::Write
    }

    fn open_block(&mut self) {
        self.depth += 1;
        if self.is_writing() {
            self.builder.open_block();
        }
    }

    pub(super) fn close_block(&mut self) -> Option<BlockId> {
        self.depth -= 1;
        self.is_writing().then(|| self.builder.close_block())
    }

    fn open_arm(&mut self) {
        self.arms += 1;
        self.open_block();
    }

    fn close_arm(&mut self) -> Option<BlockId> {
        self.arms -= 1;
        self.close_block()
    }

    fn emit_branch(
        &mut self,
        cond: Cond,
        then: Option<BlockId>,
        otherwise: Option<BlockId>,
        span: Span,
    ) {
        if let Some(then) = then {
            self.builder.branch(cond, then, otherwise, span);
        }
    }

    pub(super) fn emit_node(&mut self, node: Node) {
        if self.is_writing() {
            self.builder.node(node);
        }
    }

    /// Emits a block, the constructs whose branches lead to the blocks after it, and those blocks.
    fn emit_tree(&mut self, block: FlowId, fall: Fall) {
        let (shape, span) = (self.shape, self.graph.blocks[block].span);
        let mut inner_fall = fall;
        // Tasks are taken from the end: the code after the loop is pushed before the loop itself.
        if shape.is_header(block) {
            let after_loop = shape.get_after_loop(block);
            self.open_before(after_loop.get(1..).unwrap_or_default(), fall, span);
            let first = after_loop.first().copied();
            if let Some(first) = first {
                self.tasks
                    .push(Task::Tree(first, self.find_fall(after_loop, 0, fall)));
            }
            self.open_construct(Construct::Loop(block, first));
            self.tasks.push(Task::Close(span));
            inner_fall = Fall::To(block);
        }
        let after = shape.get_after(block);
        self.open_before(after, inner_fall, span);
        let own_fall = after.first().map_or(inner_fall, |first| Fall::To(*first));
        self.emit_block_code(block, own_fall);
    }

    /// Returns the successor at the end of a block of a list.
    fn find_fall(&self, list: &[FlowId], index: usize, fall: Fall) -> Fall {
        list.get(index + 1).map_or(fall, |next| Fall::To(*next))
    }

    /// Opens the constructs before blocks, the last one first: it contains all others.
    fn open_before(&mut self, blocks: &[FlowId], fall: Fall, span: Span) {
        for (index, &block) in blocks.iter().enumerate().rev() {
            let fall = self.find_fall(blocks, index, fall);
            self.tasks.push(Task::Tree(block, fall));
            self.tasks.push(Task::Close(span));
            self.open_construct(Construct::Before(block));
        }
    }

    fn open_construct(&mut self, construct: Construct) {
        if self.is_emitted(construct) {
            self.open_block();
        }
        self.push_open(construct);
    }

    fn push_open(&mut self, construct: Construct) {
        self.open.push(Open {
            construct,
            passing: self.spare.pop().unwrap_or_default(),
            arrives: false,
        });
    }

    /// Returns true if the construct is emitted: a construct without breaks out of it is not.
    pub(super) fn is_emitted(&self, construct: Construct) -> bool {
        match construct {
            Construct::Before(block) => self.run != Run::Marks && self.is_left[block.index()],
            Construct::Loop(..) | Construct::Switch => true,
        }
    }

    /// Emits the nodes of a block and its exit.
    fn emit_block_code(&mut self, block: FlowId, fall: Fall) {
        let graph = self.graph;
        let code = &graph.blocks[block];
        if self.is_writing() {
            self.count_steps(block);
            self.builder.append_nodes(code.nodes);
        }
        match &code.exit {
            Exit::Jump(target) => {
                let arm = self.find_arm(*target);
                self.emit_arm(arm, fall);
            }
            // The end of the routine follows in any case.
            Exit::Return if fall == Fall::Return => {}
            Exit::Return => self.emit_node(Node::Return),
            Exit::Branch {
                cond,
                then,
                otherwise,
            } => {
                let arms = [self.find_arm(*then), self.find_arm(*otherwise)];
                self.emit_two_arms(*cond, arms, fall, code.span);
            }
            Exit::Switch {
                selector,
                cases,
                default,
            } => {
                let arms = self.collect_switch_arms(cases, *default);
                self.open_construct_of_switch();
                self.next_arm(arms, Vec::new(), *selector, fall, code.span);
            }
        }
    }

    fn count_steps(&mut self, block: FlowId) {
        let Some(bound) = self.bound else { return };
        let steps = self.graph.blocks[block].steps;
        match bound.test {
            StepTest::Blocks => {
                let scratch = self.scratch.get(self.builder);
                code::emit_count_and_test(self.builder, bound, steps, scratch);
            }
            StepTest::Rounds if self.shape.is_in_loop(block) => {
                if self.shape.is_header(block) {
                    let scratch = self.scratch.get(self.builder);
                    // Every iteration of a loop passes its header: one test there is enough.
                    code::emit_bound_test(self.builder, bound, scratch);
                }
                code::emit_count(self.builder, bound, steps);
            }
            StepTest::Rounds => {}
        }
    }

    fn find_arm(&self, target: FlowId) -> Arm {
        let back = self.shape.is_header(target)
            && self.open.iter().any(
                |open| matches!(open.construct, Construct::Loop(header, _) if header == target),
            );
        if self.shape.get_block_position(target) == BlockPosition::Inline
            && !back
            && target != self.graph.entry
        {
            Arm::Inline(target)
        } else {
            Arm::Go(target)
        }
    }

    fn emit_arm(&mut self, arm: Arm, fall: Fall) {
        match arm {
            Arm::Inline(block) => self.tasks.push(Task::Tree(block, fall)),
            Arm::Go(target) => self.emit_jump(target, fall),
        }
    }

    fn emit_two_arms(&mut self, cond: Cond, [then, otherwise]: [Arm; 2], fall: Fall, span: Span) {
        let falls = |arm| matches!(arm, Arm::Go(target) if fall == Fall::To(target));
        let leaves = |arm| matches!(arm, Arm::Go(_)) && !falls(arm);
        self.open_arm();
        if leaves(otherwise) && !leaves(then) {
            // `if (cond) {} else { leave }`, followed by the other code.
            let empty = self.close_arm();
            self.open_arm();
            self.emit_arm(otherwise, Fall::Nowhere);
            let block = self.close_arm();
            self.emit_branch(cond, empty, block, span);
            self.emit_arm(then, fall);
            return;
        }
        let deep = self.arms > FLAT_DEPTH && matches!(otherwise, Arm::Inline(_));
        let flat = leaves(then) || falls(otherwise) || deep;
        // The code after the branch must not be reached from the first arm.
        let first_fall = if flat && !falls(otherwise) {
            Fall::Nowhere
        } else {
            fall
        };
        self.tasks.push(Task::SecondArm {
            cond,
            arm: otherwise,
            fall,
            flat,
            span,
        });
        self.emit_arm(then, first_fall);
    }

    // Switches of the graph.

    /// Returns the arms of a switch, last one first: targets with their values, none for the
    /// default.
    fn collect_switch_arms(
        &self,
        cases: &[(u32, FlowId)],
        default: FlowId,
    ) -> Vec<(Vec<u32>, Arm)> {
        let mut sorted: Vec<(FlowId, u32)> = cases
            .iter()
            .filter(|(_, target)| *target != default)
            .map(|&(value, target)| (target, value))
            .collect();
        sorted.sort_unstable();
        let mut arms = vec![(Vec::new(), self.find_arm(default))];
        for chunk in sorted.chunk_by(|a, b| a.0 == b.0) {
            let values = chunk.iter().map(|(_, value)| *value).collect();
            arms.push((values, self.find_arm(chunk[0].0)));
        }
        arms
    }

    fn open_construct_of_switch(&mut self) {
        // The blocks of the switch are those of the arms.
        self.push_open(Construct::Switch);
    }

    fn next_arm(
        &mut self,
        mut rest: Vec<(Vec<u32>, Arm)>,
        done: Vec<(Vec<u32>, Option<BlockId>)>,
        selector: (RegisterId, u8),
        fall: Fall,
        span: Span,
    ) {
        let Some((values, arm)) = rest.pop() else {
            self.end_switch(done, selector, span);
            return;
        };
        self.open_arm();
        self.tasks.push(Task::NextArm {
            rest,
            values,
            done,
            selector,
            fall,
            span,
        });
        self.emit_arm(arm, fall);
    }

    fn end_switch(
        &mut self,
        done: Vec<(Vec<u32>, Option<BlockId>)>,
        selector: (RegisterId, u8),
        span: Span,
    ) {
        let mut cases = Vec::new();
        let mut default = None;
        for (values, block) in done {
            match block {
                Some(block) if !values.is_empty() => cases.push(Case { values, block }),
                block => default = block,
            }
        }
        if self.is_writing() {
            let switch = Switch {
                selector,
                cases,
                default,
                span,
            };
            let switch = self.builder.program.switches.push(switch);
            self.builder.node(Node::Switch(switch));
        }
        self.leave_construct();
    }
}
