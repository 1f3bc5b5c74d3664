//! Emits the blocks of a shape as a tree.
//!
//! The walk has an explicit stack of tasks. It runs three times: the first run finds the constructs
//! that some branch must break out of, the second the branches that leave several constructs, the
//! third emits.

use super::graph::{Exit, FlowId, Graph, StepBound, StepTest, StructurizeLimit};
use super::regions::{BlockPosition, TreeLayout};
use super::selector::{self, LazyRegister};
use crate::arena::Id;
use crate::builder::Builder;
use crate::inst::Cond;
use crate::program::{BlockId, Case, Node, RegisterId, Switch};
use crate::span::Span;

/// Number of open arms beyond which the second arm of a branch is emitted after the branch, and the
/// first arm leaves a construct around both.
const MAX_NESTED_ARMS: usize = 24;
/// Maximum number of open constructs, including constructs that are not emitted.
const MAX_OPEN_CONSTRUCTS: usize = 4096;

/// Successor at the end of the code under construction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FallThroughTarget {
    Block(FlowId),
    Return,
    /// The end must not be reached.
    Unreachable,
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

pub(super) struct OpenConstruct {
    pub(super) construct: Construct,
    /// Targets of branches that leave this construct and outer ones.
    pub(super) outer_targets: Vec<FlowId>,
    /// True if branches that also leave inner constructs continue after this one.
    pub(super) has_arrivals: bool,
}

/// One arm of a branch.
#[derive(Clone, Copy)]
enum Arm {
    /// A block that is emitted here.
    Inline(FlowId),
    /// A branch.
    Jump(FlowId),
}

enum Task {
    /// A block with the blocks that are nested in it.
    Tree(FlowId, FallThroughTarget),
    /// The end of the innermost construct.
    Close(Span),
    /// The end of the first arm of a branch. With `flat` the second arm is emitted after the
    /// branch.
    SecondArm {
        cond: Cond,
        arm: Arm,
        fall: FallThroughTarget,
        is_flat: bool,
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
        remaining: Vec<(Vec<u32>, Arm)>,
        /// Values of the open arm; none for the default.
        values: Vec<u32>,
        finished: Vec<(Vec<u32>, Option<BlockId>)>,
        selector: (RegisterId, u8),
        fall: FallThroughTarget,
        span: Span,
    },
}

/// Purpose of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    MarkBreaks,
    CollectJumps,
    Emit,
}

pub(super) struct TreeEmitter<'a> {
    pub(super) graph: &'a Graph,
    pub(super) layout: &'a TreeLayout,
    pub(super) builder: &'a mut Builder,
    pass: Pass,
    /// True for blocks that a branch reaches by breaking out of the construct before them.
    pub(super) has_break: Vec<bool>,
    /// The register of targets, and one for tests.
    pub(super) registers: Option<[RegisterId; 2]>,
    bound: Option<StepBound>,
    pub(super) open_constructs: Vec<OpenConstruct>,
    /// Empty lists of closed constructs, reused by the next ones.
    pub(super) spare_lists: Vec<Vec<FlowId>>,
    tasks: Vec<Task>,
    /// Open blocks of the tree.
    depth: usize,
    /// Open arms of branches and switches: the same in every run.
    open_arms: usize,
    max_depth: usize,
    /// Register for the test of [`StepBound`].
    scratch: LazyRegister,
}

/// Emits the structured tree of a graph whose layout is `shape` into the open block, in three
/// passes. `bound` limits the number of steps. Returns an error if blocks are nested deeper than
/// `max_depth`; the tree is then incomplete.
pub(super) fn emit_layout(
    builder: &mut Builder,
    graph: &Graph,
    shape: &TreeLayout,
    bound: Option<StepBound>,
    max_depth: usize,
) -> Result<(), StructurizeLimit> {
    let mut walk = TreeEmitter {
        graph,
        layout: shape,
        builder,
        pass: Pass::MarkBreaks,
        has_break: vec![false; graph.blocks.len()],
        registers: None,
        bound,
        open_constructs: Vec::new(),
        spare_lists: Vec::new(),
        tasks: Vec::new(),
        depth: 0,
        open_arms: 0,
        max_depth,
        scratch: LazyRegister::default(),
    };
    walk.run_pass()?;
    walk.pass = Pass::CollectJumps;
    walk.run_pass()?;
    walk.pass = Pass::Emit;
    if let Some([target, _]) = walk.registers {
        // 0 denotes that no branch out of several constructs is in progress.
        selector::emit_set_word(walk.builder, target, 0);
    }
    walk.run_pass()
}

impl TreeEmitter<'_> {
    /// Walks the tree of the layout once, with an explicit stack of tasks, and does what the
    /// current pass requires. Returns an error if blocks or constructs are nested too deeply.
    fn run_pass(&mut self) -> Result<(), StructurizeLimit> {
        self.tasks
            .push(Task::Tree(self.graph.entry, FallThroughTarget::Return));
        while let Some(task) = self.tasks.pop() {
            if self.depth > self.max_depth || self.open_constructs.len() > MAX_OPEN_CONSTRUCTS {
                return Err(StructurizeLimit);
            }
            self.run_task(task);
        }
        Ok(())
    }

    /// Runs a pending task: emits a tree or an arm, or closes a construct whose parts are complete.
    /// May schedule further tasks.
    fn run_task(&mut self, task: Task) {
        match task {
            Task::Tree(block, fall) => self.emit_tree(block, fall),
            Task::Close(span) => self.close_construct(span),
            Task::SecondArm {
                cond,
                arm,
                fall,
                is_flat: flat,
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
                remaining,
                values,
                finished: mut done,
                selector,
                fall,
                span,
            } => {
                let block = self.close_arm();
                done.push((values, block));
                self.emit_next_arm(remaining, done, selector, fall, span);
            }
        }
    }

    // Blocks.

    /// Returns true in the last pass, which emits the tree.
    pub(super) fn is_emitting(&self) -> bool {
        self.pass == Pass::Emit
    }

    /// Enters a block of the tree; the builder opens it only in the pass that emits.
    fn open_block(&mut self) {
        self.depth += 1;
        if self.is_emitting() {
            self.builder.open_block();
        }
    }

    /// Leaves a block of the tree; returns it in the pass that emits, else `None`.
    pub(super) fn close_block(&mut self) -> Option<BlockId> {
        self.depth -= 1;
        self.is_emitting().then(|| self.builder.close_block())
    }

    /// Enters an arm of a branch or switch, which is a block.
    fn open_arm(&mut self) {
        self.open_arms += 1;
        self.open_block();
    }

    /// Leaves an arm of a branch or switch; returns its block in the pass that emits, else `None`.
    fn close_arm(&mut self) -> Option<BlockId> {
        self.open_arms -= 1;
        self.close_block()
    }

    /// Appends a branch with these arms. Does nothing in passes that do not emit, in which `then`
    /// is `None`. A missing `otherwise` is empty.
    fn emit_branch(
        &mut self,
        cond: Cond,
        then: Option<BlockId>,
        otherwise: Option<BlockId>,
        span: Span,
    ) {
        if let Some(then) = then {
            self.builder.push_branch(cond, then, otherwise, span);
        }
    }

    /// Appends a node to the open block; does nothing in passes that do not emit.
    pub(super) fn emit_node(&mut self, node: Node) {
        if self.is_emitting() {
            self.builder.push_node(node);
        }
    }

    /// Emits the code of a block, opens the constructs whose branches lead to the blocks after it,
    /// and schedules those blocks. `fall` is the target that the end of the tree reaches without a
    /// jump.
    fn emit_tree(&mut self, block: FlowId, fall: FallThroughTarget) {
        let (shape, span) = (self.layout, self.graph.blocks[block].span);
        let mut inner_fall = fall;
        // Tasks are taken from the end: the code after the loop is pushed before the loop itself.
        if shape.is_header(block) {
            let after_loop = shape.get_loop_followers(block);
            self.open_constructs_before(after_loop.get(1..).unwrap_or_default(), fall, span);
            let first = after_loop.first().copied();
            if let Some(first) = first {
                self.tasks.push(Task::Tree(
                    first,
                    self.find_fall_through(after_loop, 0, fall),
                ));
            }
            self.open_construct(Construct::Loop(block, first));
            self.tasks.push(Task::Close(span));
            inner_fall = FallThroughTarget::Block(block);
        }
        let after = shape.get_followers(block);
        self.open_constructs_before(after, inner_fall, span);
        let own_fall = after
            .first()
            .map_or(inner_fall, |first| FallThroughTarget::Block(*first));
        self.emit_block_code(block, own_fall);
    }

    /// Returns the target that the end of block `index` of `list` reaches without a jump: the next
    /// block of the list, or `fall` after the last one.
    fn find_fall_through(
        &self,
        list: &[FlowId],
        index: usize,
        fall: FallThroughTarget,
    ) -> FallThroughTarget {
        list.get(index + 1)
            .map_or(fall, |next| FallThroughTarget::Block(*next))
    }

    /// Opens the constructs before blocks, the last one first, which contains all others, and
    /// schedules their ends and the blocks.
    fn open_constructs_before(&mut self, blocks: &[FlowId], fall: FallThroughTarget, span: Span) {
        for (index, &block) in blocks.iter().enumerate().rev() {
            let fall = self.find_fall_through(blocks, index, fall);
            self.tasks.push(Task::Tree(block, fall));
            self.tasks.push(Task::Close(span));
            self.open_construct(Construct::Before(block));
        }
    }

    /// Opens a construct, and the block of its body if the construct is emitted.
    fn open_construct(&mut self, construct: Construct) {
        if self.is_emitted(construct) {
            self.open_block();
        }
        self.push_open(construct);
    }

    /// Pushes an open construct that no branch has left or reached.
    fn push_open(&mut self, construct: Construct) {
        self.open_constructs.push(OpenConstruct {
            construct,
            outer_targets: self.spare_lists.pop().unwrap_or_default(),
            has_arrivals: false,
        });
    }

    /// Returns true if the construct is emitted: loops and switches always, constructs before a
    /// block only if a break leaves them, which the first pass determines.
    pub(super) fn is_emitted(&self, construct: Construct) -> bool {
        match construct {
            Construct::Before(block) => {
                self.pass != Pass::MarkBreaks && self.has_break[block.index()]
            }
            Construct::Loop(..) | Construct::Switch => true,
        }
    }

    /// Emits the nodes of a block, its step count and its exit, whose arms may be scheduled; `fall`
    /// is the target that needs no jump.
    fn emit_block_code(&mut self, block: FlowId, fall: FallThroughTarget) {
        let graph = self.graph;
        let code = &graph.blocks[block];
        if self.is_emitting() {
            self.emit_step_count(block);
            self.builder.append_nodes(code.nodes);
        }
        match &code.exit {
            Exit::Jump(target) => {
                let arm = self.classify_target(*target);
                self.emit_arm(arm, fall);
            }
            // The end of the routine follows in any case.
            Exit::Return if fall == FallThroughTarget::Return => {}
            Exit::Return => self.emit_node(Node::Return),
            Exit::Branch {
                cond,
                then,
                otherwise,
            } => {
                let arms = [
                    self.classify_target(*then),
                    self.classify_target(*otherwise),
                ];
                self.emit_two_arms(*cond, arms, fall, code.span);
            }
            Exit::Switch {
                selector,
                cases,
                default,
            } => {
                let arms = self.collect_switch_arms(cases, *default);
                self.open_switch_construct();
                self.emit_next_arm(arms, Vec::new(), *selector, fall, code.span);
            }
        }
    }

    /// Emits the count of the steps of a block, and the test of the bound where the kind of test
    /// requires it: in every block, or in the headers of loops. Does nothing without a bound.
    fn emit_step_count(&mut self, block: FlowId) {
        let Some(bound) = self.bound else { return };
        let steps = self.graph.blocks[block].steps;
        match bound.test {
            StepTest::Blocks => {
                let scratch = self.scratch.get_or_create(self.builder);
                selector::emit_step_count_and_test(self.builder, bound, steps, scratch);
            }
            StepTest::Loops if self.layout.is_in_loop(block) => {
                if self.layout.is_header(block) {
                    let scratch = self.scratch.get_or_create(self.builder);
                    // Every iteration of a loop passes its header: one test there is enough.
                    selector::emit_bound_test(self.builder, bound, scratch);
                }
                selector::emit_step_count(self.builder, bound, steps);
            }
            StepTest::Loops => {}
        }
    }

    /// Returns the way to reach a branch target: its code inline, or a jump to code elsewhere, as
    /// for the entry and the header of an open loop.
    fn classify_target(&self, target: FlowId) -> Arm {
        let back = self.layout.is_header(target)
            && self.open_constructs.iter().any(
                |open| matches!(open.construct, Construct::Loop(header, _) if header == target),
            );
        if self.layout.get_block_position(target) == BlockPosition::Inline
            && !back
            && target != self.graph.entry
        {
            Arm::Inline(target)
        } else {
            Arm::Jump(target)
        }
    }

    /// Schedules the code of an inline arm, or emits the jump to code elsewhere. `fall` is the
    /// target that the end of the arm reaches without a jump.
    fn emit_arm(&mut self, arm: Arm, fall: FallThroughTarget) {
        match arm {
            Arm::Inline(block) => self.tasks.push(Task::Tree(block, fall)),
            Arm::Jump(target) => self.emit_jump(target, fall),
        }
    }

    /// Emits a two-way branch, whose second arm may be scheduled. An arm that leaves the construct
    /// comes first, so that the other one follows the branch without nesting. `fall` is the target
    /// that needs no jump.
    fn emit_two_arms(
        &mut self,
        cond: Cond,
        [then, otherwise]: [Arm; 2],
        fall: FallThroughTarget,
        span: Span,
    ) {
        let falls =
            |arm| matches!(arm, Arm::Jump(target) if fall == FallThroughTarget::Block(target));
        let leaves = |arm| matches!(arm, Arm::Jump(_)) && !falls(arm);
        self.open_arm();
        if leaves(otherwise) && !leaves(then) {
            // `if (cond) {} else { leave }`, followed by the other code.
            let empty = self.close_arm();
            self.open_arm();
            self.emit_arm(otherwise, FallThroughTarget::Unreachable);
            let block = self.close_arm();
            self.emit_branch(cond, empty, block, span);
            self.emit_arm(then, fall);
            return;
        }
        let deep = self.open_arms > MAX_NESTED_ARMS && matches!(otherwise, Arm::Inline(_));
        let flat = leaves(then) || falls(otherwise) || deep;
        // The code after the branch must not be reached from the first arm.
        let first_fall = if flat && !falls(otherwise) {
            FallThroughTarget::Unreachable
        } else {
            fall
        };
        self.tasks.push(Task::SecondArm {
            cond,
            arm: otherwise,
            fall,
            is_flat: flat,
            span,
        });
        self.emit_arm(then, first_fall);
    }

    // Switches of the graph.

    /// Returns the arms of a switch, last one first: each target once, with its values. The
    /// default, which has no values, is the last arm, and cases with its target are part of it.
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
        let mut arms = vec![(Vec::new(), self.classify_target(default))];
        for chunk in sorted.chunk_by(|a, b| a.0 == b.0) {
            let values = chunk.iter().map(|(_, value)| *value).collect();
            arms.push((values, self.classify_target(chunk[0].0)));
        }
        arms
    }

    /// Opens the construct of a switch, which branches inside its arms may leave.
    fn open_switch_construct(&mut self) {
        // The blocks of the switch are those of the arms.
        self.push_open(Construct::Switch);
    }

    /// Opens the next arm of a switch, with a task that continues after it; ends the switch if no
    /// arm is left.
    fn emit_next_arm(
        &mut self,
        mut remaining: Vec<(Vec<u32>, Arm)>,
        finished: Vec<(Vec<u32>, Option<BlockId>)>,
        selector: (RegisterId, u8),
        fall: FallThroughTarget,
        span: Span,
    ) {
        let Some((values, arm)) = remaining.pop() else {
            self.end_switch(finished, selector, span);
            return;
        };
        self.open_arm();
        self.tasks.push(Task::NextArm {
            remaining,
            values,
            finished,
            selector,
            fall,
            span,
        });
        self.emit_arm(arm, fall);
    }

    /// Appends the switch node of the finished arms, where arms with values are cases and the other
    /// is the default, and closes the construct of the switch.
    fn end_switch(
        &mut self,
        finished: Vec<(Vec<u32>, Option<BlockId>)>,
        selector: (RegisterId, u8),
        span: Span,
    ) {
        let mut cases = Vec::new();
        let mut default = None;
        for (values, block) in finished {
            match block {
                Some(block) if !values.is_empty() => cases.push(Case { values, block }),
                block => default = block,
            }
        }
        if self.is_emitting() {
            let switch = Switch {
                selector,
                cases,
                default,
                span,
            };
            let switch = self.builder.program.switches.push(switch);
            self.builder.push_node(Node::Switch(switch));
        }
        self.pop_construct();
    }
}
