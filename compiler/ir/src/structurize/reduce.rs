//! Makes a graph reducible: every loop, and every loop inside it, is entered at one block.

use super::code::{self, Lazy, value_of};
use super::graph::{Exit, FlowBlock, FlowId, Graph, TooHard};
use crate::arena::Id;
use crate::builder::Builder;
use crate::span::Span;

/// How often, on average, a block may be looked at.
const MAX_ROUNDS: usize = 64;

/// Entries of loops with several of them, in small graphs. Where they are many, branches go anywhere, and the tree would do nothing but dispatch.
const MAX_ENTRIES: usize = 32;

/// A search for components.
#[derive(Default)]
struct Search {
    open: Vec<FlowId>,
    components: Vec<Vec<FlowId>>,
    count: u32,
}

/// Blocks that branch to each block; once for each, reachable ones only. Lists in one vector: position and block before it.
#[derive(Default)]
struct Preds {
    last: Vec<Option<u32>>,
    links: Vec<(FlowId, Option<u32>)>,
}

impl Preds {
    fn of(&self, block: FlowId) -> impl Iterator<Item = FlowId> {
        let mut next = self.last[block.index()];
        std::iter::from_fn(move || {
            let (pred, before) = self.links[next? as usize];
            next = before;
            Some(pred)
        })
    }

    fn add(&mut self, block: FlowId, pred: FlowId) {
        let before = self.last[block.index()].replace(self.links.len() as u32);
        self.links.push((pred, before));
    }

    /// Makes `pred` the only one.
    fn replace(&mut self, block: FlowId, pred: FlowId) {
        self.last[block.index()] = None;
        self.add(block, pred);
    }
}

struct Reducer<'a> {
    builder: &'a mut Builder,
    graph: &'a mut Graph,
    preds: Preds,
    /// The set that each block belongs to at the moment.
    set: Vec<u32>,
    sets: u32,
    /// Numbers of the search for components, by block.
    visits: Vec<Visit>,
    selector: Lazy,
    /// Entries that loops with several of them may have together.
    entries_left: usize,
}

/// What Tarjan's algorithm knows about a block.
#[derive(Clone, Copy, Default)]
struct Visit {
    /// Order of discovery, from 1; 0 before.
    number: u32,
    low: u32,
    is_open: bool,
}

/// Gives every loop a single entry.
pub(super) fn reduce(builder: &mut Builder, graph: &mut Graph) -> Result<(), TooHard> {
    let count = graph.blocks.len();
    let mut reducer = Reducer {
        builder,
        graph,
        preds: Preds {
            last: vec![None; count],
            links: Vec::with_capacity(2 * count),
        },
        set: vec![0; count],
        sets: 0,
        visits: vec![Visit::default(); count],
        selector: Lazy::default(),
        entries_left: 0,
    };
    let all = reducer.reachable();
    reducer.entries_left = MAX_ENTRIES + all.len() / 16;
    let mut budget = MAX_ROUNDS * (all.len() + 64);
    let mut pending = vec![all];
    while let Some(blocks) = pending.pop() {
        budget = budget.checked_sub(blocks.len()).ok_or(TooHard)?;
        for component in reducer.components(&blocks) {
            let inner = reducer.enter_at_one_block(component)?;
            if inner.len() > 1 {
                pending.push(inner);
            }
        }
    }
    Ok(())
}

impl Reducer<'_> {
    /// Finds the blocks that can be reached, and who branches to them.
    fn reachable(&mut self) -> Vec<FlowId> {
        let mut seen = vec![false; self.graph.blocks.len()];
        let mut found = vec![self.graph.entry];
        seen[self.graph.entry.index()] = true;
        let mut next = 0;
        while let Some(&block) = found.get(next) {
            next += 1;
            let preds = &mut self.preds;
            self.graph.blocks[block].exit.targets(|target| {
                // The targets of a block come one after the other, so it can only be the last one.
                if preds.of(target).next() != Some(block) {
                    preds.add(target, block);
                }
                if !std::mem::replace(&mut seen[target.index()], true) {
                    found.push(target);
                }
            });
        }
        found
    }

    /// The strongly connected components of more than one block among `blocks`. Tarjan's algorithm with a stack of its own.
    fn components(&mut self, blocks: &[FlowId]) -> Vec<Vec<FlowId>> {
        self.sets += 1;
        for block in blocks {
            self.set[block.index()] = self.sets;
            self.visits[block.index()] = Visit::default();
        }
        let mut search = Search::default();
        for &root in blocks {
            if self.visits[root.index()].number == 0 {
                self.search(root, &mut search);
            }
        }
        search.components
    }

    fn search(&mut self, root: FlowId, search: &mut Search) {
        self.open(root, search);
        let mut stack = vec![(root, 0)];
        while let Some((block, next)) = stack.last_mut() {
            let at = block.index();
            if let Some(target) = self.graph.blocks[*block].exit.target_from_end(*next) {
                *next += 1;
                let to = self.visits[target.index()];
                if self.set[target.index()] != self.sets {
                    continue;
                }
                if to.number == 0 {
                    self.open(target, search);
                    stack.push((target, 0));
                } else if to.is_open {
                    self.visits[at].low = self.visits[at].low.min(to.number);
                }
                continue;
            }
            stack.pop();
            let Visit { number, low, .. } = self.visits[at];
            if let Some((parent, _)) = stack.last() {
                let parent = &mut self.visits[parent.index()];
                parent.low = parent.low.min(low);
            }
            if low == number {
                self.close(FlowId::new(at), search);
            }
        }
    }

    fn open(&mut self, block: FlowId, search: &mut Search) {
        search.count += 1;
        search.open.push(block);
        self.visits[block.index()] = Visit {
            number: search.count,
            low: search.count,
            is_open: true,
        };
    }

    /// The open blocks from `first` on are a component.
    fn close(&mut self, first: FlowId, search: &mut Search) {
        let start = search.open.iter().rposition(|other| *other == first);
        let component = search.open.split_off(start.unwrap_or(0));
        for member in &component {
            self.visits[member.index()].is_open = false;
        }
        if component.len() > 1 {
            search.components.push(component);
        }
    }

    /// Makes sure that a component has one entry; gives its other blocks.
    fn enter_at_one_block(&mut self, component: Vec<FlowId>) -> Result<Vec<FlowId>, TooHard> {
        self.sets += 1;
        let set = self.sets;
        for block in &component {
            self.set[block.index()] = set;
        }
        let is_entry = |block: &FlowId| {
            let from_outside = |pred: FlowId| self.set[pred.index()] != set;
            *block == self.graph.entry || self.preds.of(*block).any(from_outside)
        };
        let entries: Vec<FlowId> = component.iter().copied().filter(is_entry).collect();
        let mut inner = component;
        match entries[..] {
            [entry] => inner.retain(|block| *block != entry),
            [] => {}
            _ => {
                let left = self.entries_left.checked_sub(entries.len());
                self.entries_left = left.ok_or(TooHard)?;
                self.dispatch(&entries, set, &mut inner);
            }
        }
        Ok(inner)
    }

    /// Puts a block in front of a component that goes to one of its entries; all branches to them go through it.
    fn dispatch(&mut self, entries: &[FlowId], set: u32, inner: &mut Vec<FlowId>) {
        let selector = self.selector.get(self.builder);
        // One entry is the default, so that every value of the register leads somewhere.
        let last = entries[entries.len() - 1];
        let front = &entries[..entries.len() - 1];
        let cases = front
            .iter()
            .map(|entry| (value_of(*entry), *entry))
            .collect();
        let exit = Exit::Switch {
            selector: (selector, 0),
            cases,
            default: last,
        };
        let dispatcher = self.add(Vec::new(), exit, set);
        for &entry in entries {
            // A detour of branches from inside is a block of the loop, that of branches from outside is not.
            let (inside, outside): (Vec<_>, Vec<_>) =
                (self.preds.of(entry)).partition(|pred| self.set[pred.index()] == set);
            self.preds.replace(entry, dispatcher);
            if !inside.is_empty() {
                inner.push(self.detour(entry, dispatcher, inside, set));
            }
            if !outside.is_empty() || entry == self.graph.entry {
                // The set of the detour is none: nothing asks for it before it is part of a set again.
                let detour = self.detour(entry, dispatcher, outside, 0);
                if entry == self.graph.entry {
                    self.graph.entry = detour;
                }
            }
        }
    }

    /// A block that names `entry` and goes to the dispatcher; `preds` go there instead of to `entry`.
    fn detour(
        &mut self,
        entry: FlowId,
        dispatcher: FlowId,
        preds: Vec<FlowId>,
        set: u32,
    ) -> FlowId {
        let selector = self.selector.get(self.builder);
        self.builder.open_block();
        code::set(self.builder, selector, value_of(entry));
        let nodes = self.builder.take_nodes();
        let detour = self.add(nodes, Exit::Jump(dispatcher), set);
        for pred in &preds {
            self.graph.blocks[*pred].exit.retarget(entry, detour);
        }
        for pred in preds {
            self.preds.add(detour, pred);
        }
        self.preds.add(dispatcher, detour);
        detour
    }

    fn add(&mut self, nodes: Vec<crate::Node>, exit: Exit, set: u32) -> FlowId {
        self.preds.last.push(None);
        self.set.push(set);
        self.visits.push(Visit::default());
        self.graph.blocks.push(FlowBlock {
            nodes,
            exit,
            span: Span::default(),
            steps: 0,
        })
    }
}
