//! Makes a graph reducible: every loop, including nested loops, is entered at one block.

use super::code::{self, LazyRegister, encode_target};
use super::graph::{Exit, FlowBlock, FlowId, Graph, StructurizeLimit};
use super::predecessors::Predecessors;
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
struct Search {
    open: Vec<FlowId>,
    /// The path to the visited block: blocks with the number of their next target.
    path: Vec<(FlowId, usize)>,
    components: Vec<Vec<FlowId>>,
    count: u32,
}

struct Reducer<'a> {
    builder: &'a mut Builder,
    graph: &'a mut Graph,
    /// The targets of each block from the last one on, except for switches: a compact copy, because
    /// the searches visit blocks repeatedly.
    ends: Vec<Ends>,
    /// Original exits of changed blocks.
    changed: &'a mut Vec<(FlowId, Exit)>,
    /// Predecessors, without duplicates; reachable ones only.
    predecessors: Predecessors,
    sets: u32,
    visits: Vec<Visit>,
    search: Search,
    selector: LazyRegister,
    /// Number of entries that further multiple-entry loops may have in total.
    entries_left: usize,
}

/// Up to two targets.
type Ends = [Option<FlowId>; 2];

fn get_ends(exit: &Exit) -> Ends {
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
struct Visit {
    /// The set that currently contains the block.
    set: u32,
    /// Order of discovery, from 1; 0 before.
    number: u32,
    low: u32,
    is_open: bool,
}

/// Transforms every loop into a loop with a single entry. Original exits of changed blocks are
/// appended to `changed`.
pub(super) fn make_reducible(
    builder: &mut Builder,
    graph: &mut Graph,
    changed: &mut Vec<(FlowId, Exit)>,
) -> Result<(), StructurizeLimit> {
    let count = graph.blocks.len();
    // Capacity for the blocks that are added.
    let room = count + count / 2;
    let (mut ends, mut visits) = (Vec::new(), Vec::new());
    ends.reserve(room);
    ends.extend(graph.blocks.iter().map(|block| get_ends(&block.exit)));
    visits.reserve(room);
    visits.resize(count, Visit::default());
    let mut predecessors = Predecessors::new(count);
    let all = graph.find_reachable(|from, to| predecessors.add_once(to, from));
    let mut reducer = Reducer {
        builder,
        ends,
        changed,
        graph,
        predecessors,
        sets: 0,
        visits,
        search: Search::default(),
        selector: LazyRegister::default(),
        entries_left: MAX_ENTRIES + all.len() / 16,
    };
    let mut budget = MAX_VISITS * (all.len() + 64);
    let mut pending = vec![all];
    while let Some(blocks) = pending.pop() {
        budget = budget.checked_sub(blocks.len()).ok_or(StructurizeLimit)?;
        for component in reducer.find_components(&blocks) {
            // Without its entry a loop decomposes into the loops inside it.
            let inner = reducer.enter_at_one_block(component)?;
            if inner.len() > 1 {
                pending.push(inner);
            }
        }
    }
    Ok(())
}

impl Reducer<'_> {
    /// Returns the strongly connected components of more than one block among `blocks`. Tarjan's
    /// algorithm with an explicit stack.
    fn find_components(&mut self, blocks: &[FlowId]) -> Vec<Vec<FlowId>> {
        self.sets += 1;
        for block in blocks {
            self.visits[block.index()] = Visit {
                set: self.sets,
                ..Visit::default()
            };
        }
        let mut search = std::mem::take(&mut self.search);
        for &root in blocks {
            if self.visits[root.index()].number == 0 {
                self.run_search(root, &mut search);
            }
        }
        let found = std::mem::take(&mut search.components);
        self.search = search;
        found
    }

    fn run_search(&mut self, root: FlowId, search: &mut Search) {
        self.open(root, search);
        search.path.push((root, 0));
        while let Some((block, next)) = search.path.last_mut() {
            let at = block.index();
            if let Some(target) = self.get_target_from_end(*block, *next) {
                *next += 1;
                let to = self.visits[target.index()];
                if to.set != self.sets {
                    continue;
                }
                if to.number == 0 {
                    self.open(target, search);
                    search.path.push((target, 0));
                } else if to.is_open {
                    self.visits[at].low = self.visits[at].low.min(to.number);
                }
                continue;
            }
            search.path.pop();
            let Visit { number, low, .. } = self.visits[at];
            if let Some((parent, _)) = search.path.last() {
                let parent = &mut self.visits[parent.index()];
                parent.low = parent.low.min(low);
            }
            if low == number {
                self.close(FlowId::new(at), search);
            }
        }
    }

    /// Returns the target of a block at an index that counts from the last target on; `None` past
    /// the first one.
    #[inline]
    fn get_target_from_end(&self, block: FlowId, number: usize) -> Option<FlowId> {
        let ends = &self.ends[block.index()];
        match ends.get(number).copied().flatten() {
            // Only switches have targets that are not listed.
            None if ends[0].is_none() => self.graph.blocks[block].exit.get_target_from_end(number),
            listed => listed,
        }
    }

    fn open(&mut self, block: FlowId, search: &mut Search) {
        search.count += 1;
        search.open.push(block);
        self.visits[block.index()] = Visit {
            set: self.sets,
            number: search.count,
            low: search.count,
            is_open: true,
        };
    }

    /// Closes a component: the open blocks from `first` on.
    fn close(&mut self, first: FlowId, search: &mut Search) {
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

    /// Ensures that a component has one entry; returns its other blocks.
    fn enter_at_one_block(
        &mut self,
        component: Vec<FlowId>,
    ) -> Result<Vec<FlowId>, StructurizeLimit> {
        self.sets += 1;
        let set = self.sets;
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
                self.dispatch(&entries, set, &mut inner);
            }
        }
        Ok(inner)
    }

    /// Inserts a dispatching block before a component, which branches to one of its entries; all
    /// branches to the entries are redirected to it.
    fn dispatch(&mut self, entries: &[FlowId], set: u32, inner: &mut Vec<FlowId>) {
        let selector = self.selector.get(self.builder);
        // One entry is the default, so that every value of the register has a target.
        let last = entries[entries.len() - 1];
        let front = &entries[..entries.len() - 1];
        let cases = front
            .iter()
            .map(|entry| (encode_target(*entry), *entry))
            .collect();
        let exit = Exit::Switch {
            selector: (selector, 0),
            cases,
            default: last,
        };
        let dispatcher = self.add(Block::default(), exit, set);
        for &entry in entries {
            // A detour of branches from inside is a block of the loop; a detour of branches from
            // outside is not.
            let (inside, outside): (Vec<_>, Vec<_>) = (self.predecessors.get(entry))
                .partition(|pred| self.visits[pred.index()].set == set);
            self.predecessors.replace(entry, dispatcher);
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

    /// Returns a block that selects `entry` and jumps to the dispatcher; the branches of `predecessors` to
    /// `entry` are redirected to it.
    fn add_detour(
        &mut self,
        entry: FlowId,
        dispatcher: FlowId,
        predecessors: Vec<FlowId>,
        set: u32,
    ) -> FlowId {
        let selector = self.selector.get(self.builder);
        self.builder.open_block();
        code::emit_set(self.builder, selector, encode_target(entry));
        let nodes = self.builder.close_nodes();
        let detour = self.add(nodes, Exit::Jump(dispatcher), set);
        for pred in &predecessors {
            let exit = &mut self.graph.blocks[*pred].exit;
            // The original exits are restored if no tree can be found.
            self.changed.push((*pred, exit.clone()));
            exit.replace_target(entry, detour);
            self.ends[pred.index()] = get_ends(exit);
        }
        for pred in predecessors {
            self.predecessors.add(detour, pred);
        }
        self.predecessors.add(dispatcher, detour);
        detour
    }

    fn add(&mut self, nodes: Block, exit: Exit, set: u32) -> FlowId {
        self.predecessors.push_block();
        self.visits.push(Visit {
            set,
            ..Visit::default()
        });
        self.ends.push(get_ends(&exit));
        self.graph.blocks.push(FlowBlock {
            nodes,
            exit,
            span: Span::default(),
            steps: 0,
        })
    }
}
