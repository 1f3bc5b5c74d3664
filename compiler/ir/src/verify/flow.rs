//! Checks of the tree of blocks and of the call graph.

use rustc_hash::FxHashSet;

use super::{Fault, Subject, Verifier};
use crate::arena::{Id, IndexVec};
use crate::inst::Cond;
use crate::op::TypeClass;
use crate::program::{BlockId, MAX_NESTING, Node, RoutineId, SwitchId};

/// Context of a block.
#[derive(Clone, Copy)]
struct Context {
    routine: RoutineId,
    depth: usize,
    /// True if a loop or switch can be left by a break, without leaving a `continuing` block.
    breaks: Allowed,
    /// True if a loop can be continued, without leaving a `continuing` block.
    continues: Allowed,
    returns: Allowed,
}

#[derive(Clone, Copy, PartialEq)]
enum Allowed {
    Yes,
    No,
}

/// State of the walk over the tree.
struct Walk {
    /// Blocks to visit.
    pending: Vec<(BlockId, Context)>,
    blocks: Vec<bool>,
    switches: Vec<bool>,
    insts: Vec<bool>,
    /// Callees of each routine.
    calls: IndexVec<RoutineId, Vec<RoutineId>>,
}

impl Walk {
    fn push(&mut self, block: BlockId, context: Context) {
        self.pending.push((
            block,
            Context {
                depth: context.depth + 1,
                ..context
            },
        ));
    }
}

impl Verifier<'_> {
    pub(super) fn verify_tree(&mut self) {
        let program = self.program;
        let mut walk = Walk {
            pending: Vec::new(),
            blocks: vec![false; program.blocks.len()],
            switches: vec![false; program.switches.len()],
            insts: vec![false; program.insts.len()],
            calls: IndexVec::new(),
        };
        for (id, routine) in program.routines.iter_enumerated() {
            self.place = Subject::Routine(id);
            if routine
                .name
                .is_some_and(|name| !program.names.contains(name))
            {
                self.report_error("the name is not in the table");
            }
            walk.calls.push(Vec::new());
            let (no, yes) = (Allowed::No, Allowed::Yes);
            walk.push(
                routine.body,
                Context {
                    routine: id,
                    depth: 0,
                    breaks: no,
                    continues: no,
                    returns: yes,
                },
            );
            while let Some((block, context)) = walk.pending.pop() {
                self.verify_block(&mut walk, block, context);
            }
        }
        self.place = Subject::Program;
        if program.routines.get(program.main).is_none() {
            self.report_error("main is not in the table");
        }
        self.verify_all_used(&walk);
        self.verify_call_graph(&walk.calls);
    }

    fn verify_all_used(&mut self, walk: &Walk) {
        for (index, _) in walk.blocks.iter().enumerate().filter(|(_, used)| !**used) {
            let id = BlockId::new(index);
            self.place = Subject::Block(id);
            // Transformations leave empty blocks and switches behind.
            if self.program.blocks[id].len > 0 {
                self.report_error("the block is not used");
            }
        }
        for (index, _) in walk.switches.iter().enumerate().filter(|(_, used)| !**used) {
            let id = SwitchId::new(index);
            self.place = Subject::Switch(id);
            let switch = &self.program.switches[id];
            if !switch.cases.is_empty() || switch.default.is_some() {
                self.report_error("the switch is not used");
            }
        }
    }

    fn verify_block(&mut self, walk: &mut Walk, id: BlockId, context: Context) {
        self.place = Subject::Block(id);
        match walk.blocks.get_mut(id.index()) {
            None => return self.report_error("the block is not in the table"),
            Some(true) => return self.report_error("the block is used twice"),
            Some(used) => *used = true,
        }
        if context.depth > MAX_NESTING {
            self.report_fault(
                Fault::Nesting,
                format!("blocks are nested more than {MAX_NESTING} deep"),
            );
        }
        let block = self.program.blocks[id];
        let range = block.first as usize..block.first as usize + block.len as usize;
        let Some(nodes) = self.program.nodes.get(range) else {
            return self.report_error("the nodes are not in the table");
        };
        for node in nodes {
            self.place = Subject::Block(id);
            self.verify_node(walk, node, context);
        }
    }

    fn verify_node(&mut self, walk: &mut Walk, node: &Node, context: Context) {
        match *node {
            Node::Run { first, len } => self.verify_run(walk, first, len),
            Node::If {
                cond,
                then,
                otherwise,
                span: _,
            } => {
                self.verify_cond(cond);
                walk.push(then, context);
                otherwise
                    .into_iter()
                    .for_each(|block| walk.push(block, context));
            }
            Node::Loop {
                body,
                continuing,
                span: _,
            } => {
                walk.push(
                    body,
                    Context {
                        breaks: Allowed::Yes,
                        continues: Allowed::Yes,
                        ..context
                    },
                );
                let (no, inner) = (Allowed::No, continuing.into_iter());
                inner.for_each(|block| {
                    walk.push(
                        block,
                        Context {
                            breaks: no,
                            continues: no,
                            returns: no,
                            ..context
                        },
                    )
                });
            }
            Node::Switch(id) => self.verify_switch(walk, id, context),
            Node::Break => self.verify_exit(context.breaks, "a loop or switch to break from"),
            Node::Continue => self.verify_exit(context.continues, "a loop to continue"),
            Node::Return => self.verify_exit(context.returns, "a routine to return from"),
            Node::Call(routine, _) => match self.program.routines.get(routine) {
                Some(_) => walk.calls[context.routine].push(routine),
                None => self.report_error(format!("{routine} is not in the table")),
            },
        }
    }

    fn verify_exit(&mut self, allowed: Allowed, target: &str) {
        if allowed == Allowed::No {
            self.report_error(format!("there is not {target} here"));
        }
    }

    fn verify_run(&mut self, walk: &mut Walk, first: u32, len: u32) {
        let range = first as usize..first as usize + len as usize;
        let Some(insts) = self.program.insts.get(range.clone()) else {
            return self.report_error("the instructions are not in the table");
        };
        for (position, inst) in range.zip(insts) {
            self.place = Subject::Inst(position as u32, inst.span);
            if std::mem::replace(&mut walk.insts[position], true) {
                self.report_error("the instruction is used twice");
            }
            self.verify_inst(inst);
        }
    }

    fn verify_cond(&mut self, cond: Cond) {
        match cond {
            Cond::Any(guard) => self.verify_cond_register(guard.cc),
            Cond::NonZero(register, lane, ty) => {
                if !TypeClass::Any.contains(ty) {
                    self.report_error(format!("{} is not a type of conditions", ty.name()));
                }
                self.verify_scalar(register, lane, ty.width());
            }
        }
    }

    fn verify_switch(&mut self, walk: &mut Walk, id: SwitchId, context: Context) {
        let Some(switch) = self.program.switches.get(id) else {
            return self.report_error(format!("{id} is not in the table"));
        };
        self.place = Subject::Switch(id);
        if std::mem::replace(&mut walk.switches[id.index()], true) {
            return self.report_error("the switch is used twice");
        }
        self.verify_scalar(
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
                self.report_error("a value stands in one case only");
            }
        }
        let context = Context {
            breaks: Allowed::Yes,
            ..context
        };
        switch
            .cases
            .iter()
            .for_each(|case| walk.push(case.block, context));
        switch
            .default
            .into_iter()
            .for_each(|block| walk.push(block, context));
    }

    /// Checks the call graph by depth-first search for a cycle: a call of a routine that is being
    /// visited.
    fn verify_call_graph(&mut self, calls: &IndexVec<RoutineId, Vec<RoutineId>>) {
        #[derive(Clone, Copy, PartialEq)]
        enum Visit {
            Not,
            Open,
            Done,
        }
        let mut visits = vec![Visit::Not; calls.len()];
        for start in calls.ids() {
            if visits[start.index()] == Visit::Done {
                continue;
            }
            visits[start.index()] = Visit::Open;
            let mut path = vec![(start, 0)];
            while let Some((routine, next)) = path.last_mut() {
                let Some(&callee) = calls[*routine].get(*next) else {
                    visits[routine.index()] = Visit::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                match visits[callee.index()] {
                    Visit::Done => {}
                    Visit::Open => {
                        self.place = Subject::Routine(callee);
                        self.report_fault(
                            Fault::Recursion,
                            format!("{callee} calls itself, directly or through others"),
                        );
                    }
                    Visit::Not => {
                        visits[callee.index()] = Visit::Open;
                        path.push((callee, 0));
                    }
                }
            }
        }
    }
}
