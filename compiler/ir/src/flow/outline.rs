//! What a program's labels, branches and calls come to: what can run, what can call itself.

use super::rules::{AtLabel, FullStack, LabelId, Rules};
use crate::arena::{Id, IndexVec};
use rustc_hash::FxHashMap;

define_ids! {
    /// A piece of the text: from a label or branch to the next one. Numbers are those of the text's order.
    PieceId = "piece";
}

/// A position in [`Plan::regions`].
pub(super) type RegionId = usize;

/// How a piece ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// Goes on with the next piece.
    Next,
    Branch {
        to: LabelId,
        conditional: bool,
    },
    Return,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    end: End,
    /// Whether a label begins it.
    labeled: bool,
}

/// The labels, branches, calls and returns of a program, in the order of the text.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Complete ones.
    pieces: IndexVec<PieceId, Piece>,
    current: Piece,
    labels: FxHashMap<LabelId, PieceId>,
    calls: Vec<(PieceId, LabelId)>,
    keeps_addresses: bool,
}

impl Default for Outline {
    fn default() -> Self {
        Self {
            pieces: IndexVec::new(),
            current: Piece {
                end: End::Next,
                labeled: false,
            },
            labels: FxHashMap::default(),
            calls: Vec::new(),
            keeps_addresses: false,
        }
    }
}

impl Outline {
    fn begin(&mut self, labeled: bool) {
        let end = End::Next;
        let complete = std::mem::replace(&mut self.current, Piece { end, labeled });
        self.pieces.push(complete);
    }

    /// Ends the open piece, which can have ended before.
    fn end(&mut self, end: End) {
        if self.current.end == End::Next {
            self.current.end = end;
        }
    }

    /// The piece that is being written.
    pub fn here(&self) -> PieceId {
        self.pieces.next_id()
    }

    /// A label; the piece that it stood for before, if it has one already.
    pub fn label(&mut self, label: LabelId) -> Option<PieceId> {
        self.begin(true);
        let here = self.here();
        self.labels.insert(label, here)
    }

    /// A branch, taken always or under a condition.
    pub fn branch(&mut self, to: LabelId, conditional: bool) {
        self.end(End::Branch { to, conditional });
        self.begin(false);
    }

    /// A call in a piece.
    pub fn call(&mut self, from: PieceId, to: LabelId) {
        self.calls.push((from, to));
    }

    /// A return without condition, outside of all blocks.
    pub fn ret(&mut self) {
        self.end(End::Return);
    }

    /// Something else than a place to go on at is put on the stack of calls, or taken from it.
    pub fn keep_address(&mut self) {
        self.keeps_addresses = true;
    }

    /// The piece that a label begins.
    pub fn piece_of(&self, label: LabelId) -> Option<PieceId> {
        self.labels.get(&label).copied()
    }

    /// All labels.
    pub fn labels(&self) -> impl Iterator<Item = LabelId> {
        self.labels.keys().copied()
    }

    /// An empty outline with the memory of this one.
    pub fn emptied(mut self) -> Self {
        self.pieces.clear();
        self.calls.clear();
        Self {
            pieces: self.pieces,
            calls: self.calls,
            ..Self::default()
        }
    }

    /// What the program comes to if it begins at `entry`. It takes the labels along; another program may follow when the rest was
    /// [`emptied`](Self::emptied).
    pub fn plan(&mut self, entry: PieceId, rules: Rules) -> Plan {
        if self.pieces.is_empty() && !self.keeps_addresses {
            return Plan {
                entry,
                ..Plan::default()
            };
        }
        // Completes the open piece; the one that begins here is not part of the text.
        self.begin(false);
        let mut calls = IndexVec::new();
        calls.grow(self.pieces.len(), Vec::new());
        for &(from, to) in &self.calls {
            if let Some(to) = self.piece_of(to) {
                calls[from].push(to);
            }
        }
        let mut plan = Search::new(self, &calls, rules).plan(entry);
        plan.labels = std::mem::take(&mut self.labels);
        plan
    }

    /// The pieces that can run behind `piece` before the region that it is in returns. The end of the program is a piece, too.
    fn successors(&self, piece: PieceId, rules: Rules) -> [Option<PieceId>; 2] {
        let next = PieceId::new(piece.index() + 1);
        let returns = rules.at_label == AtLabel::Return
            && self.pieces.get(next).is_none_or(|next| next.labeled);
        let next = (!returns).then_some(next);
        match self.pieces[piece].end {
            End::Next => [next, None],
            End::Return => [None; 2],
            End::Branch { to, conditional } => [self.piece_of(to), next.filter(|_| conditional)],
        }
    }
}

/// An entry and what runs from there.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) entry: PieceId,
    /// In the order of the text.
    pub(super) pieces: Vec<PieceId>,
    /// Regions of the same group can call each other; without one a region cannot call itself.
    pub(super) group: Option<u32>,
    /// Whether a region that is not in its group calls it.
    pub(super) called: bool,
}

/// What stands at the start of a piece.
#[derive(Clone, Copy, Debug)]
struct Shape {
    labeled: bool,
    target: bool,
}

/// What a program comes to.
#[derive(Clone, Default, Debug)]
pub struct Plan {
    entry: PieceId,
    labels: FxHashMap<LabelId, PieceId>,
    /// The entry's first. None in a program without labels and branches.
    pub(super) regions: Vec<Region>,
    /// The region that begins at each piece.
    pub(super) region_at: IndexVec<PieceId, Option<RegionId>>,
    /// A region that each piece is in.
    region_of: IndexVec<PieceId, Option<RegionId>>,
    groups: u32,
    longest_chain: usize,
    repeats: bool,
    most_runs: u64,
    shapes: IndexVec<PieceId, Shape>,
}

impl Plan {
    /// The piece that runs first.
    pub fn entry(&self) -> PieceId {
        self.entry
    }

    /// Whether the program is one piece without branches.
    pub fn is_simple(&self) -> bool {
        self.regions.is_empty()
    }

    /// Number of pieces of the text.
    pub(super) fn pieces(&self) -> usize {
        self.shapes.len()
    }

    /// Whether a piece can run.
    pub fn is_reached(&self, piece: PieceId) -> bool {
        self.is_simple() || self.region_of.get(piece).is_some_and(Option::is_some)
    }

    /// Whether a piece runs without a call.
    pub fn is_in_main(&self, piece: PieceId) -> bool {
        let main = self.regions.first();
        main.is_none_or(|region| region.pieces.binary_search(&piece).is_ok())
    }

    /// The group of regions that can call each other which `piece` is in, if it can call itself.
    pub fn group_of(&self, piece: PieceId) -> Option<u32> {
        let region = (*self.region_of.get(piece)?)?;
        self.regions[region].group
    }

    /// The same for the piece that a label begins.
    pub fn group_of_label(&self, label: LabelId) -> Option<u32> {
        self.group_of(self.piece_of(label)?)
    }

    /// Number of groups of regions that can call each other.
    pub fn groups(&self) -> u32 {
        self.groups
    }

    /// Calls in the longest chain that does not come back to a region.
    pub fn longest_chain(&self) -> usize {
        self.longest_chain
    }

    /// Whether branches lead back, or the whole program is one group.
    pub fn repeats(&self) -> bool {
        self.repeats
    }

    /// How often regions run in all, at most, where nothing repeats.
    pub fn most_runs(&self) -> u64 {
        self.most_runs
    }

    pub(super) fn piece_of(&self, label: LabelId) -> Option<PieceId> {
        self.labels.get(&label).copied()
    }

    /// Whether control goes on with a piece because no label begins it.
    pub(super) fn goes_on(&self, piece: PieceId) -> bool {
        self.shapes.get(piece).is_some_and(|shape| !shape.labeled)
    }

    /// Whether a branch or call goes to a piece, or the start of the program.
    pub(super) fn is_target(&self, piece: PieceId) -> bool {
        self.shapes.get(piece).is_some_and(|shape| shape.target)
    }
}

/// The search for regions.
struct Search<'o> {
    outline: &'o Outline,
    calls: &'o IndexVec<PieceId, Vec<PieceId>>,
    rules: Rules,
    regions: Vec<Region>,
    region_at: IndexVec<PieceId, Option<RegionId>>,
    region_of: IndexVec<PieceId, Option<RegionId>>,
    /// Pieces that further regions may have: regions may share pieces, and together they must not become much larger than the program.
    left: usize,
}

/// Regions cannot be routines: the end of the program is reached from a called one, or they are too many.
struct NeedStack;

impl<'o> Search<'o> {
    fn new(outline: &'o Outline, calls: &'o IndexVec<PieceId, Vec<PieceId>>, rules: Rules) -> Self {
        let count = outline.pieces.len();
        let mut none = IndexVec::new();
        none.grow(count, None);
        Self {
            outline,
            calls,
            rules,
            regions: Vec::new(),
            region_at: none.clone(),
            region_of: none,
            left: 2 * count + 64,
        }
    }

    fn plan(mut self, entry: PieceId) -> Plan {
        let mut whole = self.find_regions(entry).is_err();
        let (mut groups, mut longest_chain) = (0, 0);
        let mut most_runs = 1;
        if !whole {
            let graph = self.region_calls();
            let chains = Chains::find(&graph);
            (groups, longest_chain) = (chains.groups, chains.height);
            let ends = self.rules.full == FullStack::EndProgram;
            // A routine cannot end the program when the stack is full; where no chain of calls fills it, none has to.
            whole = ends && (groups > 0 || longest_chain > self.rules.depth as usize);
            self.mark_groups(&graph, chains.group);
            if groups == 0 {
                most_runs = self.most_runs(&chains.callees_first);
            }
        }
        if whole {
            groups = 1;
            self.one_region(entry);
        }
        let repeats = whole || self.branches_back();
        let shapes = self.shapes(entry);
        Plan {
            entry,
            labels: FxHashMap::default(),
            regions: self.regions,
            region_at: self.region_at,
            region_of: self.region_of,
            groups,
            longest_chain,
            repeats,
            most_runs,
            shapes,
        }
    }

    /// Returns how often regions run in total when the first one runs once, saturated. No chain of calls may contain a region twice, and
    /// `callees_first` must list the regions so that each follows all regions that it calls: one pass then suffices, however long chains are.
    fn most_runs(&self, callees_first: &[usize]) -> u64 {
        let mut runs = vec![1u64; self.regions.len()];
        for &region in callees_first {
            let calls = self.regions[region].pieces.iter();
            let callees = calls.flat_map(|&piece| &self.calls[piece]);
            let counts = callees.filter_map(|&callee| Some(runs[self.region_at[callee]?]));
            runs[region] = counts.fold(1, u64::saturating_add);
        }
        runs.first().copied().unwrap_or(1)
    }

    fn find_regions(&mut self, entry: PieceId) -> Result<(), NeedStack> {
        if self.outline.keeps_addresses {
            return Err(NeedStack);
        }
        self.find_region(entry)?;
        let mut next = 0;
        while next < self.regions.len() {
            for place in 0..self.regions[next].pieces.len() {
                let piece = self.regions[next].pieces[place];
                for &callee in &self.calls[piece] {
                    self.find_region(callee)?;
                }
            }
            next += 1;
        }
        Ok(())
    }

    /// The region that begins at `entry`.
    fn find_region(&mut self, entry: PieceId) -> Result<(), NeedStack> {
        if self.region_at[entry].is_some() {
            return Ok(());
        }
        let id = self.regions.len();
        let mut pieces = Vec::new();
        let mut open = vec![entry];
        while let Some(piece) = open.pop() {
            // The end of the program ends it, whatever called. Only for the region that runs first is that a return.
            if piece.index() == self.region_of.len() {
                if id > 0 {
                    return Err(NeedStack);
                }
                continue;
            }
            if self.region_of[piece].replace(id) != Some(id) {
                pieces.push(piece);
                let next = self.outline.successors(piece, self.rules);
                open.extend(next.into_iter().flatten());
            }
        }
        self.left = self.left.checked_sub(pieces.len()).ok_or(NeedStack)?;
        pieces.sort_unstable();
        self.region_at[entry] = Some(id);
        self.regions.push(Region {
            entry,
            pieces,
            group: None,
            called: false,
        });
        Ok(())
    }

    /// The regions that each region calls, in the order of the text.
    fn region_calls(&self) -> Vec<Vec<usize>> {
        let callees = |region: &Region| {
            let pieces = region.pieces.iter();
            let mut callees: Vec<PieceId> = pieces
                .flat_map(|&piece| self.calls[piece].iter().copied())
                .collect();
            callees.sort_unstable();
            callees.dedup();
            let regions = callees.iter().filter_map(|&callee| self.region_at[callee]);
            regions.collect()
        };
        self.regions.iter().map(callees).collect()
    }

    fn mark_groups(&mut self, graph: &[Vec<usize>], group: Vec<Option<u32>>) {
        for (caller, callees) in graph.iter().enumerate() {
            for &callee in callees {
                if group[callee].is_none() || group[callee] != group[caller] {
                    self.regions[callee].called = true;
                }
            }
        }
        for (region, group) in self.regions.iter_mut().zip(group) {
            region.group = group;
        }
    }

    /// Makes a group of everything that runs.
    fn one_region(&mut self, entry: PieceId) {
        for region in [&mut self.region_at, &mut self.region_of] {
            let count = region.len();
            region.clear();
            region.grow(count, None);
        }
        let id = 0;
        let mut pieces = Vec::new();
        let mut open = vec![entry];
        while let Some(piece) = open.pop() {
            if piece.index() < self.region_of.len() && self.region_of[piece].replace(id).is_none() {
                pieces.push(piece);
                let next = self.outline.successors(piece, self.rules);
                open.extend(next.into_iter().flatten());
                open.extend(&self.calls[piece]);
            }
        }
        pieces.sort_unstable();
        self.region_at[entry] = Some(id);
        self.regions.clear();
        self.regions.push(Region {
            entry,
            pieces,
            group: Some(0),
            called: false,
        });
    }

    fn shapes(&self, entry: PieceId) -> IndexVec<PieceId, Shape> {
        let mut shapes = IndexVec::new();
        for &Piece { labeled, .. } in &self.outline.pieces {
            let target = false;
            shapes.push(Shape { labeled, target });
        }
        for (id, piece) in self.outline.pieces.iter_enumerated() {
            let to = match piece.end {
                End::Branch { to, .. } if self.region_of[id].is_some() => self.outline.piece_of(to),
                End::Branch { .. } | End::Next | End::Return => None,
            };
            for &target in to.iter().chain(&self.calls[id]) {
                shapes[target].target = true;
            }
        }
        shapes[entry].target = true;
        shapes
    }

    fn branches_back(&self) -> bool {
        let mut pieces = self.outline.pieces.iter_enumerated();
        pieces.any(|(id, piece)| match piece.end {
            End::Branch { to, .. } => {
                let back = self.outline.piece_of(to).is_some_and(|to| to <= id);
                back && self.region_of[id].is_some()
            }
            End::Next | End::Return => false,
        })
    }
}

/// Who can call itself, and how long chains of calls are.
struct Chains {
    group: Vec<Option<u32>>,
    groups: u32,
    height: usize,
    /// The regions that run, in the order in which the search leaves them. Without recursion each follows all regions that it calls.
    callees_first: Vec<usize>,
}

/// What the search knows about a region.
#[derive(Clone, Copy, Default)]
struct Visit {
    /// Order of discovery, from 1; 0 before.
    number: u32,
    low: u32,
    /// Whether its component is not complete.
    is_open: bool,
    /// Calls in the longest chain from it, once all its calls were looked at.
    height: Option<usize>,
}

impl Chains {
    /// Tarjan's algorithm from the first region on, with a stack of its own: an entry is a region, the number of its calls looked at and
    /// the longest chain found there.
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
            if let Some(region) = found.take() {
                count += 1;
                visits[region] = Visit {
                    number: count,
                    low: count,
                    is_open: true,
                    height: None,
                };
                open.push(region);
                stack.push((region, 0, 0));
            }
            let Some((region, next, height)) = stack.last_mut() else {
                return chains;
            };
            let at = *region;
            if let Some(&callee) = graph[at].get(*next) {
                *next += 1;
                let visit = visits[callee];
                // A region on the stack has no height yet: a chain through it would come back to it.
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
                chains.complete(graph, at, &mut open, &mut visits);
            }
        }
    }

    /// The open regions from `first` on are a component.
    fn complete(
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
