//! The call graph of a program: reachable code, recursive functions, and the length of call chains.

use super::basic_blocks::{
    BasicBlockId, CallConvention, Cfg, OnStackOverflow, Successor, Terminator,
};
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
    pub(super) is_called_from_outside: bool,
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
    group_count: u32,
    max_call_depth: usize,
    has_cycles: bool,
    max_function_runs: u64,
}

impl CallGraph {
    /// Divides a program into the functions that its calls form. The graph of a single basic block
    /// without saved addresses is simple and has no functions.
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
        CallGraphBuilder::new(cfg, &callees, convention).build(entry)
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
    pub fn is_reachable(&self, block: BasicBlockId) -> bool {
        self.is_simple() || self.function_of.get(block).is_some_and(Option::is_some)
    }

    /// Returns true if a block is reachable without a call.
    pub fn is_in_main(&self, block: BasicBlockId) -> bool {
        let main = self.functions.first();
        main.is_none_or(|main| main.blocks.binary_search(&block).is_ok())
    }

    /// Returns the recursive group of a function that contains a block; `None` if the function
    /// cannot call itself.
    pub fn find_group(&self, block: BasicBlockId) -> Option<u32> {
        let function = (*self.function_of.get(block)?)?;
        self.functions[function].group
    }

    /// Returns the number of recursive groups.
    pub fn group_count(&self) -> u32 {
        self.group_count
    }

    /// Returns the number of calls in the longest chain without recursion.
    pub fn max_call_depth(&self) -> usize {
        self.max_call_depth
    }

    /// Returns true if there are back branches, or the entire program is one group.
    pub fn has_cycles(&self) -> bool {
        self.has_cycles
    }

    /// Returns an upper bound of the number of function runs, if nothing repeats.
    pub fn max_function_runs(&self) -> u64 {
        self.max_function_runs
    }

    /// Returns true if a branch or call targets a block, or the program starts there.
    pub(super) fn is_target(&self, block: BasicBlockId) -> bool {
        self.targets.get(block).is_some_and(|target| *target)
    }
}

/// Search for functions.
struct CallGraphBuilder<'c> {
    cfg: &'c Cfg,
    /// The blocks that each block calls.
    callees: &'c IndexVec<BasicBlockId, Vec<BasicBlockId>>,
    convention: CallConvention,
    functions: Vec<Function>,
    function_at: IndexVec<BasicBlockId, Option<FunctionId>>,
    function_of: IndexVec<BasicBlockId, Option<FunctionId>>,
    /// Number of blocks that additional functions may have: functions may share blocks, and
    /// together they must not become much larger than the program.
    block_budget: usize,
}

/// Error: functions cannot become routines, because the end of the program is reachable from a
/// called function or because they are too large.
struct NeedsCallStack;

impl<'c> CallGraphBuilder<'c> {
    /// Returns a builder without functions, whose block budget is in proportion to the program.
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
            block_budget: 2 * cfg.len() + 64,
        }
    }

    /// Returns the call graph: functions, groups of recursive functions and the longest call chain.
    /// Functions that share basic blocks, or that can fill the call stack and end the program,
    /// become one function.
    fn build(mut self, entry: BasicBlockId) -> CallGraph {
        let mut is_one_function = self.add_functions(entry).is_err();
        let (mut groups, mut longest_chain) = (0, 0);
        let mut most_runs = 1;
        if !is_one_function {
            let calls = self.collect_calls();
            let chains = CallChains::compute(&calls);
            (groups, longest_chain) = (chains.group_count, chains.max_depth);
            let ends = self.convention.on_overflow == OnStackOverflow::EndProgram;
            // A routine cannot end the program when the stack is full. If no call chain fills the
            // stack, that never happens.
            is_one_function =
                ends && (groups > 0 || longest_chain > self.convention.max_depth as usize);
            self.mark_groups(&calls, chains.group);
            if groups == 0 {
                most_runs = self.count_runs(&chains.callees_first);
            }
        }
        if is_one_function {
            groups = 1;
            self.merge_functions(entry);
        }
        CallGraph {
            convention: self.convention,
            entry,
            targets: self.find_targets(entry),
            has_cycles: is_one_function || self.has_back_branches(),
            functions: self.functions,
            function_at: self.function_at,
            function_of: self.function_of,
            group_count: groups,
            max_call_depth: longest_chain,
            max_function_runs: most_runs,
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

    /// Adds all functions that are reachable from an entry. Returns an error if they need a stack
    /// of return addresses: addresses are saved, a called function ends the program, or functions
    /// share too many blocks.
    fn add_functions(&mut self, entry: BasicBlockId) -> Result<(), NeedsCallStack> {
        if self.cfg.saves_addresses {
            return Err(NeedsCallStack);
        }
        self.add_function(entry)?;
        let mut next = 0;
        while next < self.functions.len() {
            for number in 0..self.functions[next].blocks.len() {
                let block = self.functions[next].blocks[number];
                for &callee in &self.callees[block] {
                    self.add_function(callee)?;
                }
            }
            next += 1;
        }
        Ok(())
    }

    /// Adds the function that begins at `entry`, with the basic blocks that it reaches, unless it
    /// has been added before. Returns an error if a called function reaches the end of the program
    /// or the block budget is exceeded.
    fn add_function(&mut self, entry: BasicBlockId) -> Result<(), NeedsCallStack> {
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
                    Successor::Exit if id > 0 => return Err(NeedsCallStack),
                    Successor::Exit | Successor::Caller => {}
                }
            }
        }
        self.block_budget = self
            .block_budget
            .checked_sub(blocks.len())
            .ok_or(NeedsCallStack)?;
        blocks.sort_unstable();
        self.function_at[entry] = Some(id);
        self.functions.push(Function {
            entry,
            blocks,
            group: None,
            is_called_from_outside: false,
        });
        Ok(())
    }

    /// Returns the callees of each function, each once, in source order.
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

    /// Records the recursive group of each function, and marks the functions that are called from
    /// outside their group. `calls` and `group` have an entry for each function.
    fn mark_groups(&mut self, calls: &[Vec<FunctionId>], group: Vec<Option<u32>>) {
        for (caller, callees) in calls.iter().enumerate() {
            for &callee in callees {
                if group[callee].is_none() || group[callee] != group[caller] {
                    self.functions[callee].is_called_from_outside = true;
                }
            }
        }
        for (function, group) in self.functions.iter_mut().zip(group) {
            function.group = group;
        }
    }

    /// Replaces all functions by one recursive function of all basic blocks that branches and calls
    /// reach from `entry`.
    fn merge_functions(&mut self, entry: BasicBlockId) {
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
        self.functions.clear();
        self.functions.push(Function {
            entry,
            blocks,
            group: Some(0),
            is_called_from_outside: false,
        });
    }

    /// Returns the target of the branch that ends a block; `None` if the block is not reachable,
    /// ends without a branch, or no block has the label.
    fn find_branch_target(&self, block: BasicBlockId) -> Option<BasicBlockId> {
        match self.cfg.terminator(block) {
            Terminator::Branch { to, .. } if self.function_of[block].is_some() => {
                self.cfg.find_label(to)
            }
            Terminator::Branch { .. } | Terminator::FallThrough | Terminator::Return => None,
        }
    }

    /// Returns for each basic block whether it is the entry, or a branch or call targets it.
    fn find_targets(&self, entry: BasicBlockId) -> IndexVec<BasicBlockId, bool> {
        let mut targets = IndexVec::new();
        targets.grow(self.cfg.len(), false);
        for (block, _) in self.cfg.blocks() {
            for &target in self
                .find_branch_target(block)
                .iter()
                .chain(&self.callees[block])
            {
                targets[target] = true;
            }
        }
        targets[entry] = true;
        targets
    }

    /// Returns true if a branch targets its own block or an earlier one, so that the code may loop.
    fn has_back_branches(&self) -> bool {
        let mut blocks = self.cfg.blocks();
        blocks.any(|(block, _)| self.find_branch_target(block).is_some_and(|to| to <= block))
    }
}

/// Recursive groups of functions, and the length of call chains.
struct CallChains {
    group: Vec<Option<u32>>,
    group_count: u32,
    max_depth: usize,
    /// The reachable functions in postorder. Without recursion each function follows its callees.
    callees_first: Vec<usize>,
}

/// State of a function in the search.
#[derive(Clone, Copy, Default)]
struct FunctionVisit {
    /// Order of discovery, from 1; 0 before.
    discovery_index: u32,
    low: u32,
    /// True if its component is not complete.
    is_open: bool,
    /// Number of calls in the longest chain from the function, after all its calls were visited.
    max_depth: Option<usize>,
}

impl CallChains {
    /// Finds the groups of functions that call each other, the longest call chain and an order of
    /// functions after their callees, from function 0 on: strongly connected components, with
    /// Tarjan's algorithm. Functions that function 0 does not reach are omitted. An entry of the
    /// stack is a function, the number of its calls that were visited, and the length of the
    /// longest chain found there.
    fn compute(graph: &[Vec<usize>]) -> Self {
        let mut chains = Self {
            group: vec![None; graph.len()],
            group_count: 0,
            max_depth: 0,
            callees_first: Vec::with_capacity(graph.len()),
        };
        let mut visits = vec![FunctionVisit::default(); graph.len()];
        let (mut open, mut stack) = (Vec::new(), Vec::new());
        let mut count = 0;
        let mut next_function = Some(0);
        loop {
            if let Some(function) = next_function.take() {
                count += 1;
                visits[function] = FunctionVisit {
                    discovery_index: count,
                    low: count,
                    is_open: true,
                    max_depth: None,
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
                if let Some(below) = visit.max_depth {
                    *height = (*height).max(below + 1);
                }
                if visit.discovery_index == 0 {
                    next_function = Some(callee);
                } else if visit.is_open {
                    visits[at].low = visits[at].low.min(visit.discovery_index);
                }
                continue;
            }
            let height = *height;
            stack.pop();
            chains.callees_first.push(at);
            visits[at].max_depth = Some(height);
            let low = visits[at].low;
            match stack.last_mut() {
                Some((caller, _, longest)) => {
                    *longest = (*longest).max(height + 1);
                    visits[*caller].low = visits[*caller].low.min(low);
                }
                None => chains.max_depth = height,
            }
            if low == visits[at].discovery_index {
                chains.close_component(graph, at, &mut open, &mut visits);
            }
        }
    }

    /// Closes a strongly connected component of Tarjan's algorithm, the open functions from `first`
    /// on; if it is recursive, its functions become a group.
    fn close_component(
        &mut self,
        graph: &[Vec<usize>],
        first: usize,
        open: &mut Vec<usize>,
        visits: &mut [FunctionVisit],
    ) {
        let start = open.iter().rposition(|&other| other == first);
        let members = open.split_off(start.unwrap_or(0));
        let recursive = members.len() > 1 || graph[first].contains(&first);
        for &member in &members {
            visits[member].is_open = false;
            self.group[member] = recursive.then_some(self.group_count);
        }
        self.group_count += u32::from(recursive);
    }
}
