//! The call graph of a program: reachable code, recursive functions, and the length of call chains.

use super::cfg::{BasicBlockId, CallConvention, Cfg, OnStackOverflow, Successor, Terminator};
use crate::arena::IndexVec;

/// A position in [`CallGraph::functions`].
pub(super) type FunctionId = usize;

/// A function: an entry block and the blocks that run from there until it returns.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) entry: BasicBlockId,
    /// Its blocks, in source order. Functions may share blocks.
    pub(super) blocks: Vec<BasicBlockId>,
    /// Recursive group: functions of one group can call each other; a function without a group
    /// cannot call itself.
    pub(super) group: Option<u32>,
    /// True if a function outside of its group calls it.
    pub(super) called: bool,
}

/// The functions of a program and their calls.
#[derive(Clone, Default, Debug)]
pub struct CallGraph {
    pub(super) convention: CallConvention,
    entry: BasicBlockId,
    /// The function that runs first, then the others. Empty for a program without labels, branches
    /// and saved addresses.
    pub(super) functions: Vec<Function>,
    /// The function whose entry is the block.
    pub(super) function_at: IndexVec<BasicBlockId, Option<FunctionId>>,
    /// One of the functions that contain the block.
    function_of: IndexVec<BasicBlockId, Option<FunctionId>>,
    /// True if a branch or call targets the block, or the program starts there.
    targets: IndexVec<BasicBlockId, bool>,
    groups: u32,
    longest_chain: usize,
    repeats: bool,
    most_runs: u64,
}

impl CallGraph {
    pub(super) fn new(cfg: &Cfg, entry: BasicBlockId, convention: CallConvention) -> Self {
        if cfg.len() == 1 && !cfg.saves_addresses {
            return Self {
                convention,
                entry,
                ..Self::default()
            };
        }
        let mut callees = IndexVec::new();
        callees.grow(cfg.len(), Vec::new());
        for &(from, to) in &cfg.calls {
            callees[from].extend(cfg.find_label(to));
        }
        Search::new(cfg, &callees, convention).build(entry)
    }

    /// Returns the block that runs first.
    pub fn entry(&self) -> BasicBlockId {
        self.entry
    }

    /// Returns true if the program is one basic block.
    pub fn is_simple(&self) -> bool {
        self.functions.is_empty()
    }

    /// Returns true if a block is reachable.
    pub fn is_reached(&self, block: BasicBlockId) -> bool {
        self.is_simple() || self.function_of.get(block).is_some_and(Option::is_some)
    }

    /// Returns true if a block is reachable without a call.
    pub fn is_in_main(&self, block: BasicBlockId) -> bool {
        let main = self.functions.first();
        main.is_none_or(|main| main.blocks.binary_search(&block).is_ok())
    }

    /// Returns the recursive group of a function that contains a block; `None` if the function
    /// cannot call itself.
    pub fn group_of(&self, block: BasicBlockId) -> Option<u32> {
        let function = (*self.function_of.get(block)?)?;
        self.functions[function].group
    }

    /// Returns the number of recursive groups.
    pub fn groups(&self) -> u32 {
        self.groups
    }

    /// Returns the number of calls in the longest chain without recursion.
    pub fn longest_chain(&self) -> usize {
        self.longest_chain
    }

    /// Returns true if there are back branches, or the entire program is one group.
    pub fn repeats(&self) -> bool {
        self.repeats
    }

    /// Returns an upper bound of the number of function runs, if nothing repeats.
    pub fn most_runs(&self) -> u64 {
        self.most_runs
    }

    pub(super) fn is_target(&self, block: BasicBlockId) -> bool {
        self.targets.get(block).is_some_and(|target| *target)
    }
}

/// Search for functions.
struct Search<'c> {
    cfg: &'c Cfg,
    /// The blocks that each block calls.
    callees: &'c IndexVec<BasicBlockId, Vec<BasicBlockId>>,
    convention: CallConvention,
    functions: Vec<Function>,
    function_at: IndexVec<BasicBlockId, Option<FunctionId>>,
    function_of: IndexVec<BasicBlockId, Option<FunctionId>>,
    /// Number of blocks that additional functions may have: functions may share blocks, and
    /// together they must not become much larger than the program.
    left: usize,
}

/// Error: functions cannot become routines, because the end of the program is reachable from a
/// called function or because they are too large.
struct NeedStack;

impl<'c> Search<'c> {
    fn new(
        cfg: &'c Cfg,
        callees: &'c IndexVec<BasicBlockId, Vec<BasicBlockId>>,
        convention: CallConvention,
    ) -> Self {
        let mut none = IndexVec::new();
        none.grow(cfg.len(), None);
        Self {
            cfg,
            callees,
            convention,
            functions: Vec::new(),
            function_at: none.clone(),
            function_of: none,
            left: 2 * cfg.len() + 64,
        }
    }

    fn build(mut self, entry: BasicBlockId) -> CallGraph {
        let mut whole = self.find_functions(entry).is_err();
        let (mut groups, mut longest_chain) = (0, 0);
        let mut most_runs = 1;
        if !whole {
            let calls = self.collect_calls();
            let chains = Chains::find(&calls);
            (groups, longest_chain) = (chains.groups, chains.height);
            let ends = self.convention.overflow == OnStackOverflow::EndProgram;
            // A routine cannot end the program when the stack is full. If no call chain fills the
            // stack, that never happens.
            whole = ends && (groups > 0 || longest_chain > self.convention.depth as usize);
            self.mark_groups(&calls, chains.group);
            if groups == 0 {
                most_runs = self.count_runs(&chains.callees_first);
            }
        }
        if whole {
            groups = 1;
            self.make_one_function(entry);
        }
        CallGraph {
            convention: self.convention,
            entry,
            targets: self.find_targets(entry),
            repeats: whole || self.has_back_branches(),
            functions: self.functions,
            function_at: self.function_at,
            function_of: self.function_of,
            groups,
            longest_chain,
            most_runs,
        }
    }

    /// Returns the total number of function runs when the first function runs once, saturated. No
    /// call chain may contain a function twice, and `callees_first` must list each function after
    /// its callees: then one pass suffices, regardless of the length of chains.
    fn count_runs(&self, callees_first: &[FunctionId]) -> u64 {
        let mut runs = vec![1u64; self.functions.len()];
        for &function in callees_first {
            let blocks = self.functions[function].blocks.iter();
            let callees = blocks.flat_map(|&block| &self.callees[block]);
            let counts = callees.filter_map(|&callee| Some(runs[self.function_at[callee]?]));
            runs[function] = counts.fold(1, u64::saturating_add);
        }
        runs.first().copied().unwrap_or(1)
    }

    fn find_functions(&mut self, entry: BasicBlockId) -> Result<(), NeedStack> {
        if self.cfg.saves_addresses {
            return Err(NeedStack);
        }
        self.find_function(entry)?;
        let mut next = 0;
        while next < self.functions.len() {
            for number in 0..self.functions[next].blocks.len() {
                let block = self.functions[next].blocks[number];
                for &callee in &self.callees[block] {
                    self.find_function(callee)?;
                }
            }
            next += 1;
        }
        Ok(())
    }

    /// Adds the function that begins at `entry`, unless it has been added before.
    fn find_function(&mut self, entry: BasicBlockId) -> Result<(), NeedStack> {
        if self.function_at[entry].is_some() {
            return Ok(());
        }
        let id = self.functions.len();
        let mut blocks = Vec::new();
        let mut open = vec![entry];
        while let Some(block) = open.pop() {
            if self.function_of[block].replace(id) == Some(id) {
                continue;
            }
            blocks.push(block);
            for successor in self.cfg.successors(block, self.convention.at_label) {
                match successor {
                    Successor::Block(next) => open.push(next),
                    // The end of the program is a return only for the function that runs first.
                    Successor::Exit if id > 0 => return Err(NeedStack),
                    Successor::Exit | Successor::Caller => {}
                }
            }
        }
        self.left = self.left.checked_sub(blocks.len()).ok_or(NeedStack)?;
        blocks.sort_unstable();
        self.function_at[entry] = Some(id);
        self.functions.push(Function {
            entry,
            blocks,
            group: None,
            called: false,
        });
        Ok(())
    }

    /// Returns the callees of each function, in source order.
    fn collect_calls(&self) -> Vec<Vec<FunctionId>> {
        let calls = |function: &Function| {
            let blocks = function.blocks.iter();
            let mut callees: Vec<BasicBlockId> = blocks
                .flat_map(|&block| self.callees[block].iter().copied())
                .collect();
            callees.sort_unstable();
            callees.dedup();
            let functions = callees
                .iter()
                .filter_map(|&callee| self.function_at[callee]);
            functions.collect()
        };
        self.functions.iter().map(calls).collect()
    }

    fn mark_groups(&mut self, calls: &[Vec<FunctionId>], group: Vec<Option<u32>>) {
        for (caller, callees) in calls.iter().enumerate() {
            for &callee in callees {
                if group[callee].is_none() || group[callee] != group[caller] {
                    self.functions[callee].called = true;
                }
            }
        }
        for (function, group) in self.functions.iter_mut().zip(group) {
            function.group = group;
        }
    }

    /// Replaces all functions by one recursive function of all reachable blocks.
    fn make_one_function(&mut self, entry: BasicBlockId) {
        for map in [&mut self.function_at, &mut self.function_of] {
            map.iter_mut().for_each(|function| *function = None);
        }
        let id = 0;
        let mut blocks = Vec::new();
        let mut open = vec![entry];
        while let Some(block) = open.pop() {
            if self.function_of[block].replace(id).is_some() {
                continue;
            }
            blocks.push(block);
            open.extend(&self.callees[block]);
            for successor in self.cfg.successors(block, self.convention.at_label) {
                if let Successor::Block(next) = successor {
                    open.push(next);
                }
            }
        }
        blocks.sort_unstable();
        self.function_at[entry] = Some(id);
        self.functions.clear();
        self.functions.push(Function {
            entry,
            blocks,
            group: Some(0),
            called: false,
        });
    }

    /// Returns the target of the branch that ends a block; `None` if the target is not reachable.
    fn branch_target(&self, block: BasicBlockId) -> Option<BasicBlockId> {
        match self.cfg.terminator(block) {
            Terminator::Branch { to, .. } if self.function_of[block].is_some() => {
                self.cfg.find_label(to)
            }
            Terminator::Branch { .. } | Terminator::FallThrough | Terminator::Return => None,
        }
    }

    fn find_targets(&self, entry: BasicBlockId) -> IndexVec<BasicBlockId, bool> {
        let mut targets = IndexVec::new();
        targets.grow(self.cfg.len(), false);
        for (block, _) in self.cfg.blocks() {
            for &target in self.branch_target(block).iter().chain(&self.callees[block]) {
                targets[target] = true;
            }
        }
        targets[entry] = true;
        targets
    }

    fn has_back_branches(&self) -> bool {
        let mut blocks = self.cfg.blocks();
        blocks.any(|(block, _)| self.branch_target(block).is_some_and(|to| to <= block))
    }
}

/// Recursive groups of functions, and the length of call chains.
struct Chains {
    group: Vec<Option<u32>>,
    groups: u32,
    height: usize,
    /// The reachable functions in postorder. Without recursion each function follows its callees.
    callees_first: Vec<usize>,
}

/// State of a function in the search.
#[derive(Clone, Copy, Default)]
struct Visit {
    /// Order of discovery, from 1; 0 before.
    number: u32,
    low: u32,
    /// True if its component is not complete.
    is_open: bool,
    /// Number of calls in the longest chain from the function, after all its calls were visited.
    height: Option<usize>,
}

impl Chains {
    /// Finds strongly connected components from the first function on, with Tarjan's algorithm. An
    /// entry of the stack is a function, the number of its calls that were visited, and the length
    /// of the longest chain found there.
    fn find(graph: &[Vec<usize>]) -> Self {
        let mut chains = Self {
            group: vec![None; graph.len()],
            groups: 0,
            height: 0,
            callees_first: Vec::with_capacity(graph.len()),
        };
        let mut visits = vec![Visit::default(); graph.len()];
        let (mut open, mut stack) = (Vec::new(), Vec::new());
        let mut count = 0;
        let mut found = Some(0);
        loop {
            if let Some(function) = found.take() {
                count += 1;
                visits[function] = Visit {
                    number: count,
                    low: count,
                    is_open: true,
                    height: None,
                };
                open.push(function);
                stack.push((function, 0, 0));
            }
            let Some((function, next, height)) = stack.last_mut() else {
                return chains;
            };
            let at = *function;
            if let Some(&callee) = graph[at].get(*next) {
                *next += 1;
                let visit = visits[callee];
                // A function on the stack has no height yet: a chain through it would be recursive.
                if let Some(below) = visit.height {
                    *height = (*height).max(below + 1);
                }
                if visit.number == 0 {
                    found = Some(callee);
                } else if visit.is_open {
                    visits[at].low = visits[at].low.min(visit.number);
                }
                continue;
            }
            let height = *height;
            stack.pop();
            chains.callees_first.push(at);
            visits[at].height = Some(height);
            let low = visits[at].low;
            match stack.last_mut() {
                Some((caller, _, longest)) => {
                    *longest = (*longest).max(height + 1);
                    visits[*caller].low = visits[*caller].low.min(low);
                }
                None => chains.height = height,
            }
            if low == visits[at].number {
                chains.close_component(graph, at, &mut open, &mut visits);
            }
        }
    }

    /// Closes a component: the open functions from `first` on.
    fn close_component(
        &mut self,
        graph: &[Vec<usize>],
        first: usize,
        open: &mut Vec<usize>,
        visits: &mut [Visit],
    ) {
        let start = open.iter().rposition(|&other| other == first);
        let members = open.split_off(start.unwrap_or(0));
        let recursive = members.len() > 1 || graph[first].contains(&first);
        for &member in &members {
            visits[member].is_open = false;
            self.group[member] = recursive.then_some(self.groups);
        }
        self.groups += u32::from(recursive);
    }
}
