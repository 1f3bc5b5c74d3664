//! Makes a graph reducible: every loop, including nested loops, is entered at one block.

use super::graph::Predecessors;
use super::graph::{Exit, FlowBlock, FlowId, Graph, StructurizeLimit};
use super::selector::{self, LazyRegister, encode_block};
use crate::arena::Id;
use crate::builder::Builder;
use crate::program::Block;
use crate::span::Span;

/// Maximum number of visits of a block, on average.
const MAX_VISITS: usize = 64;

/// Maximum number of entries of multiple-entry loops, in small graphs. A graph with more of them
/// branches arbitrarily, and its tree would consist of dispatchers.
const MAX_ENTRIES: usize = 32;

/// State of a search for components.
#[derive(Default)]
struct ComponentSearch {
    open: Vec<FlowId>,
    /// The path to the visited block: blocks with the number of their next target.
    path: Vec<(FlowId, usize)>,
    components: Vec<Vec<FlowId>>,
    discovered: u32,
}

struct Reducer<'a> {
    builder: &'a mut Builder,
    graph: &'a mut Graph,
    /// The targets of each block from the last one on, except for switches: a compact copy, because
    /// the searches visit blocks repeatedly.
    last_targets: Vec<LastTargets>,
    /// Original exits of changed blocks.
    changed: &'a mut Vec<(FlowId, Exit)>,
    /// Predecessors, without duplicates; reachable ones only.
    predecessors: Predecessors,
    last_set: u32,
    visits: Vec<BlockVisit>,
    search: ComponentSearch,
    selector: LazyRegister,
    /// Number of entries that further multiple-entry loops may have in total.
    entries_left: usize,
}

/// Up to two targets.
type LastTargets = [Option<FlowId>; 2];

/// Returns the targets of an exit from the last one on; none for switches, whose targets are not
/// copied, and for returns.
fn get_last_targets(exit: &Exit) -> LastTargets {
    match exit {
        Exit::Jump(target) => [Some(*target), None],
        Exit::Branch {
            then, otherwise, ..
        } => [Some(*otherwise), Some(*then)],
        Exit::Switch { .. } | Exit::Return => [None; 2],
    }
}

/// State of a block in Tarjan's algorithm.
#[derive(Clone, Copy, Default)]
struct BlockVisit {
    /// The set that currently contains the block.
    set: u32,
    /// Order of discovery, from 1; 0 before.
    discovery_index: u32,
    low: u32,
    is_open: bool,
}

/// Transforms every loop into a loop with a single entry, by dispatching blocks. Original exits of
/// changed blocks are appended to `changed`, in the order of the changes. Returns an error if that
/// requires too many blocks or visits; the graph is then partly changed.
pub(super) fn make_reducible(
    builder: &mut Builder,
    graph: &mut Graph,
    changed: &mut Vec<(FlowId, Exit)>,
) -> Result<(), StructurizeLimit> {
    let count = graph.blocks.len();
    // Capacity for the blocks that are added.
    let capacity = count + count / 2;
    let (mut ends, mut visits) = (Vec::new(), Vec::new());
    ends.reserve(capacity);
    ends.extend(
        graph
            .blocks
            .iter()
            .map(|block| get_last_targets(&block.exit)),
    );
    visits.reserve(capacity);
    visits.resize(count, BlockVisit::default());
    let mut predecessors = Predecessors::new(count);
    let all = graph.find_reachable(|from, to| predecessors.add_once(to, from));
    let mut reducer = Reducer {
        builder,
        last_targets: ends,
        changed,
        graph,
        predecessors,
        last_set: 0,
        visits,
        search: ComponentSearch::default(),
        selector: LazyRegister::default(),
        entries_left: MAX_ENTRIES + all.len() / 16,
    };
    let mut budget = MAX_VISITS * (all.len() + 64);
    let mut pending = vec![all];
    while let Some(blocks) = pending.pop() {
        budget = budget.checked_sub(blocks.len()).ok_or(StructurizeLimit)?;
        for component in reducer.find_components(&blocks) {
            // Without its entry a loop decomposes into the loops inside it.
            let inner = reducer.ensure_single_entry(component)?;
            if inner.len() > 1 {
                pending.push(inner);
            }
        }
    }
    Ok(())
}

impl Reducer<'_> {
    /// Returns the strongly connected components of more than one block among `blocks`, without
    /// branches to other blocks. Tarjan's algorithm with an explicit stack.
    fn find_components(&mut self, blocks: &[FlowId]) -> Vec<Vec<FlowId>> {
        self.last_set += 1;
        for block in blocks {
            self.visits[block.index()] = BlockVisit {
                set: self.last_set,
                ..BlockVisit::default()
            };
        }
        let mut search = std::mem::take(&mut self.search);
        for &root in blocks {
            if self.visits[root.index()].discovery_index == 0 {
                self.search_from(root, &mut search);
            }
        }
        let found = std::mem::take(&mut search.components);
        self.search = search;
        found
    }

    /// Searches strongly connected components from a block on, in the current set of blocks, and
    /// appends them to the components of `search`. Tarjan's algorithm with a stack instead of
    /// recursion.
    fn search_from(&mut self, root: FlowId, search: &mut ComponentSearch) {
        self.open_block(root, search);
        search.path.push((root, 0));
        while let Some((block, next)) = search.path.last_mut() {
            let at = block.index();
            if let Some(target) = self.get_target_from_end(*block, *next) {
                *next += 1;
                let to = self.visits[target.index()];
                if to.set != self.last_set {
                    continue;
                }
                if to.discovery_index == 0 {
                    self.open_block(target, search);
                    search.path.push((target, 0));
                } else if to.is_open {
                    self.visits[at].low = self.visits[at].low.min(to.discovery_index);
                }
                continue;
            }
            search.path.pop();
            let BlockVisit {
                discovery_index: number,
                low,
                ..
            } = self.visits[at];
            if let Some((parent, _)) = search.path.last() {
                let parent = &mut self.visits[parent.index()];
                parent.low = parent.low.min(low);
            }
            if low == number {
                self.close_component(FlowId::new(at), search);
            }
        }
    }

    /// Returns the target of a block at an index that counts from the last target on; `None` past
    /// the first one.
    fn get_target_from_end(&self, block: FlowId, number: usize) -> Option<FlowId> {
        let ends = &self.last_targets[block.index()];
        match ends.get(number).copied().flatten() {
            // Only switches have targets that are not listed.
            None if ends[0].is_none() => self.graph.blocks[block].exit.get_target_from_end(number),
            listed => listed,
        }
    }

    /// Visits a block for the first time in Tarjan's algorithm: assigns its discovery index and
    /// pushes it on the stack of open blocks.
    fn open_block(&mut self, block: FlowId, search: &mut ComponentSearch) {
        search.discovered += 1;
        search.open.push(block);
        self.visits[block.index()] = BlockVisit {
            set: self.last_set,
            discovery_index: search.discovered,
            low: search.discovered,
            is_open: true,
        };
    }

    /// Closes a strongly connected component of Tarjan's algorithm: the open blocks from `first`
    /// on. Components of one block are not recorded.
    fn close_component(&mut self, first: FlowId, search: &mut ComponentSearch) {
        // Most blocks are single-block components: no list is created for them.
        if search.open.last() == Some(&first) {
            self.visits[first.index()].is_open = false;
            search.open.pop();
            return;
        }
        let start = search.open.iter().rposition(|other| *other == first);
        let component = search.open.split_off(start.unwrap_or(0));
        for member in &component {
            self.visits[member.index()].is_open = false;
        }
        search.components.push(component);
    }

    /// Ensures that a component has one entry, if necessary by a dispatching block; returns its
    /// other blocks, with those that were added. Returns an error if there are too many entries in
    /// total.
    fn ensure_single_entry(
        &mut self,
        component: Vec<FlowId>,
    ) -> Result<Vec<FlowId>, StructurizeLimit> {
        self.last_set += 1;
        let set = self.last_set;
        for block in &component {
            self.visits[block.index()].set = set;
        }
        let is_entry = |block: &FlowId| {
            let from_outside = |pred: FlowId| self.visits[pred.index()].set != set;
            *block == self.graph.entry || self.predecessors.get(*block).any(from_outside)
        };
        let entries: Vec<FlowId> = component.iter().copied().filter(is_entry).collect();
        let mut inner = component;
        match entries[..] {
            [entry] => inner.retain(|block| *block != entry),
            [] => {}
            _ => {
                let left = self.entries_left.checked_sub(entries.len());
                self.entries_left = left.ok_or(StructurizeLimit)?;
                self.insert_dispatcher(&entries, set, &mut inner);
            }
        }
        Ok(inner)
    }

    /// Inserts a dispatching block before a component, which branches to one of its entries; all
    /// branches to the entries are redirected to it by blocks that set the selector. Appends those
    /// of branches from inside to `inner`.
    fn insert_dispatcher(&mut self, entries: &[FlowId], set: u32, inner: &mut Vec<FlowId>) {
        let selector = self.selector.get_or_create(self.builder);
        // One entry is the default, so that every value of the register has a target.
        let last = entries[entries.len() - 1];
        let front = &entries[..entries.len() - 1];
        let cases = front
            .iter()
            .map(|entry| (encode_block(*entry), *entry))
            .collect();
        let exit = Exit::Switch {
            selector: (selector, 0),
            cases,
            default: last,
        };
        let dispatcher = self.add_block(Block::default(), exit, set);
        for &entry in entries {
            // A detour of branches from inside is a block of the loop; a detour of branches from
            // outside is not.
            let (inside, outside): (Vec<_>, Vec<_>) = (self.predecessors.get(entry))
                .partition(|pred| self.visits[pred.index()].set == set);
            self.predecessors.replace_all(entry, dispatcher);
            if !inside.is_empty() {
                inner.push(self.add_detour(entry, dispatcher, inside, set));
            }
            if !outside.is_empty() || entry == self.graph.entry {
                // The detour has no set: the set is not read before the block becomes part of one.
                let detour = self.add_detour(entry, dispatcher, outside, 0);
                if entry == self.graph.entry {
                    self.graph.entry = detour;
                }
            }
        }
    }

    /// Returns a new block that selects `entry` and jumps to the dispatcher; the branches of
    /// `predecessors` to `entry` are redirected to it, and their original exits recorded.
    fn add_detour(
        &mut self,
        entry: FlowId,
        dispatcher: FlowId,
        predecessors: Vec<FlowId>,
        set: u32,
    ) -> FlowId {
        let selector = self.selector.get_or_create(self.builder);
        self.builder.open_block();
        selector::emit_set_word(self.builder, selector, encode_block(entry));
        let nodes = self.builder.close_nodes();
        let detour = self.add_block(nodes, Exit::Jump(dispatcher), set);
        for pred in &predecessors {
            let exit = &mut self.graph.blocks[*pred].exit;
            // The original exits are restored if no tree can be found.
            self.changed.push((*pred, exit.clone()));
            exit.replace_target(entry, detour);
            self.last_targets[pred.index()] = get_last_targets(exit);
        }
        for pred in predecessors {
            self.predecessors.add(detour, pred);
        }
        self.predecessors.add(dispatcher, detour);
        detour
    }

    /// Adds a block to the graph and to the tables of the analysis, as member of the set `set`.
    fn add_block(&mut self, nodes: Block, exit: Exit, set: u32) -> FlowId {
        self.predecessors.add_block();
        self.visits.push(BlockVisit {
            set,
            ..BlockVisit::default()
        });
        self.last_targets.push(get_last_targets(&exit));
        self.graph.blocks.push(FlowBlock {
            nodes,
            exit,
            span: Span::default(),
            steps: 0,
        })
    }
}
