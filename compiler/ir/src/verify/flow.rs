//! Checks of the tree of blocks and of the call graph.

use rustc_hash::FxHashSet;

use super::{ErrorKind, Subject, Verifier};
use crate::arena::{Id, IndexVec};
use crate::inst::Cond;
use crate::op::TypeClass;
use crate::program::{BlockId, MAX_NESTING, Node, RoutineId, SwitchId};

/// Context of a block.
#[derive(Clone, Copy)]
struct BlockContext {
    routine: RoutineId,
    depth: usize,
    /// True if a loop or switch can be left by a break, without leaving a `continuing` block.
    can_break: Permission,
    /// True if a loop can be continued, without leaving a `continuing` block.
    can_continue: Permission,
    can_return: Permission,
}

#[derive(Clone, Copy, PartialEq)]
enum Permission {
    Yes,
    No,
}

/// State of the walk over the tree.
struct TreeWalk {
    /// Blocks to visit.
    pending: Vec<(BlockId, BlockContext)>,
    used_blocks: Vec<bool>,
    used_switches: Vec<bool>,
    used_insts: Vec<bool>,
    /// Callees of each routine.
    calls: IndexVec<RoutineId, Vec<RoutineId>>,
}

impl TreeWalk {
    /// Schedules a block for checking, one level deeper than `context`.
    fn push_block(&mut self, block: BlockId, context: BlockContext) {
        self.pending.push((
            block,
            BlockContext {
                depth: context.depth + 1,
                ..context
            },
        ));
    }
}

impl Verifier<'_> {
    /// Checks the blocks of all routines and reports violations: nesting, exits, single use of
    /// blocks, switches and instructions, and calls without recursion. Afterwards the subject of
    /// errors is arbitrary.
    pub(super) fn verify_tree(&mut self) {
        let program = self.program;
        let mut walk = TreeWalk {
            pending: Vec::new(),
            used_blocks: vec![false; program.blocks.len()],
            used_switches: vec![false; program.switches.len()],
            used_insts: vec![false; program.insts.len()],
            calls: IndexVec::new(),
        };
        for (id, routine) in program.routines.iter_enumerated() {
            self.subject = Subject::Routine(id);
            if routine
                .name
                .is_some_and(|name| !program.names.contains(name))
            {
                self.report_error("the name is not in the table");
            }
            walk.calls.push(Vec::new());
            let (no, yes) = (Permission::No, Permission::Yes);
            walk.push_block(
                routine.body,
                BlockContext {
                    routine: id,
                    depth: 0,
                    can_break: no,
                    can_continue: no,
                    can_return: yes,
                },
            );
            while let Some((block, context)) = walk.pending.pop() {
                self.verify_block(&mut walk, block, context);
            }
        }
        self.subject = Subject::Program;
        if program.routines.get(program.main).is_none() {
            self.report_error("main is not in the table");
        }
        self.verify_all_used(&walk);
        self.verify_call_graph(&walk.calls);
    }

    /// Reports nonempty blocks and switches that the walk has not reached. Unused instructions are
    /// permitted.
    fn verify_all_used(&mut self, walk: &TreeWalk) {
        for (index, _) in walk
            .used_blocks
            .iter()
            .enumerate()
            .filter(|(_, used)| !**used)
        {
            let id = BlockId::new(index);
            self.subject = Subject::Block(id);
            // Transformations may leave empty blocks and switches in the tables.
            if self.program.blocks[id].len > 0 {
                self.report_error("the block is not used");
            }
        }
        for (index, _) in walk
            .used_switches
            .iter()
            .enumerate()
            .filter(|(_, used)| !**used)
        {
            let id = SwitchId::new(index);
            self.subject = Subject::Switch(id);
            let switch = &self.program.switches[id];
            if !switch.cases.is_empty() || switch.default.is_some() {
                self.report_error("the switch is not used");
            }
        }
    }

    /// Checks that a block is in the table, used once and not nested too deeply, and checks its
    /// nodes.
    fn verify_block(&mut self, walk: &mut TreeWalk, id: BlockId, context: BlockContext) {
        self.subject = Subject::Block(id);
        match walk.used_blocks.get_mut(id.index()) {
            None => return self.report_error("the block is not in the table"),
            Some(true) => return self.report_error("the block is used twice"),
            Some(used) => *used = true,
        }
        if context.depth > MAX_NESTING {
            self.report_error_of_kind(
                ErrorKind::Nesting,
                format!("blocks are nested more than {MAX_NESTING} deep"),
            );
        }
        let block = self.program.blocks[id];
        let range = block.first as usize..block.first as usize + block.len as usize;
        let Some(nodes) = self.program.nodes.get(range) else {
            return self.report_error("the nodes are not in the table");
        };
        for node in nodes {
            self.subject = Subject::Block(id);
            self.verify_node(walk, node, context);
        }
    }

    /// Checks a node, and appends its inner blocks to the pending blocks and its callee to the
    /// calls of the walk.
    fn verify_node(&mut self, walk: &mut TreeWalk, node: &Node, context: BlockContext) {
        match *node {
            Node::Run { first, len } => self.verify_run(walk, first, len),
            Node::If {
                cond,
                then,
                otherwise,
                span: _,
            } => {
                self.verify_cond(cond);
                walk.push_block(then, context);
                otherwise
                    .into_iter()
                    .for_each(|block| walk.push_block(block, context));
            }
            Node::Loop {
                body,
                continuing,
                span: _,
            } => {
                walk.push_block(
                    body,
                    BlockContext {
                        can_break: Permission::Yes,
                        can_continue: Permission::Yes,
                        ..context
                    },
                );
                let (no, inner) = (Permission::No, continuing.into_iter());
                inner.for_each(|block| {
                    walk.push_block(
                        block,
                        BlockContext {
                            can_break: no,
                            can_continue: no,
                            can_return: no,
                            ..context
                        },
                    )
                });
            }
            Node::Switch(id) => self.verify_switch(walk, id, context),
            Node::Break => self.verify_exit(context.can_break, "loop or switch"),
            Node::Continue => self.verify_exit(context.can_continue, "loop"),
            Node::Return => self.verify_exit(context.can_return, "routine"),
            Node::Call(routine, _) => match self.program.routines.get(routine) {
                Some(_) => walk.calls[context.routine].push(routine),
                None => self.report_error(format!("{routine} is not in the table")),
            },
        }
    }

    /// Reports an exit for which the block has no permission; `target` names the missing enclosing
    /// construct.
    fn verify_exit(&mut self, allowed: Permission, target: &str) {
        if allowed == Permission::No {
            self.report_error(format!("no enclosing {target}"));
        }
    }

    /// Checks that the instructions of a run are in the table and used once, and checks each of
    /// them.
    fn verify_run(&mut self, walk: &mut TreeWalk, first: u32, len: u32) {
        let range = first as usize..first as usize + len as usize;
        let Some(insts) = self.program.insts.get(range.clone()) else {
            return self.report_error("the instructions are not in the table");
        };
        for (position, inst) in range.zip(insts) {
            self.subject = Subject::Inst(position as u32, inst.span);
            if std::mem::replace(&mut walk.used_insts[position], true) {
                self.report_error("the instruction is used twice");
            }
            self.verify_inst(inst);
        }
    }

    /// Checks the condition-code register of a guard, or the type, register and lane of a test for
    /// zero.
    fn verify_cond(&mut self, cond: Cond) {
        match cond {
            Cond::Any(guard) => self.verify_cond_register(guard.cc),
            Cond::NonZero(register, lane, ty) => {
                if !TypeClass::Any.contains(ty) {
                    self.report_error(format!("{} is not a type of conditions", ty.name()));
                }
                self.verify_register_lane(register, lane, ty.width());
            }
        }
    }

    /// Checks the selector and the cases of a switch, and that it is used once; appends its blocks
    /// to the pending ones of the walk. Each value may occur in one case only.
    fn verify_switch(&mut self, walk: &mut TreeWalk, id: SwitchId, context: BlockContext) {
        let Some(switch) = self.program.switches.get(id) else {
            return self.report_error(format!("{id} is not in the table"));
        };
        self.subject = Subject::Switch(id);
        if std::mem::replace(&mut walk.used_switches[id.index()], true) {
            return self.report_error("the switch is used twice");
        }
        self.verify_register_lane(
            switch.selector.0,
            switch.selector.1,
            crate::types::Width::W32,
        );
        let mut values = FxHashSet::default();
        for case in &switch.cases {
            if case.values.is_empty() {
                self.report_error("a case has at least one value");
            }
            if !case.values.iter().all(|&value| values.insert(value)) {
                self.report_error("a value occurs in two cases of the switch");
            }
        }
        let context = BlockContext {
            can_break: Permission::Yes,
            ..context
        };
        switch
            .cases
            .iter()
            .for_each(|case| walk.push_block(case.block, context));
        switch
            .default
            .into_iter()
            .for_each(|block| walk.push_block(block, context));
    }

    /// Reports each call of a routine that is being visited in a depth-first search: a cycle of
    /// calls. The callees must be in the table.
    fn verify_call_graph(&mut self, calls: &IndexVec<RoutineId, Vec<RoutineId>>) {
        #[derive(Clone, Copy, PartialEq)]
        enum VisitState {
            Unvisited,
            InProgress,
            Done,
        }
        let mut visits = vec![VisitState::Unvisited; calls.len()];
        for start in calls.ids() {
            if visits[start.index()] == VisitState::Done {
                continue;
            }
            visits[start.index()] = VisitState::InProgress;
            let mut path = vec![(start, 0)];
            while let Some((routine, next)) = path.last_mut() {
                let Some(&callee) = calls[*routine].get(*next) else {
                    visits[routine.index()] = VisitState::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                match visits[callee.index()] {
                    VisitState::Done => {}
                    VisitState::InProgress => {
                        self.subject = Subject::Routine(callee);
                        self.report_error_of_kind(
                            ErrorKind::Recursion,
                            format!("{callee} calls itself, directly or through others"),
                        );
                    }
                    VisitState::Unvisited => {
                        visits[callee.index()] = VisitState::InProgress;
                        path.push((callee, 0));
                    }
                }
            }
        }
    }
}
