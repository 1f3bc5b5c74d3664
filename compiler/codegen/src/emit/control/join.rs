//! Control-flow joins: inserts phis for live lanes whose reaching definitions differ.
//!
//! The first edge determines the grouping of the lanes of a slot: lanes of one type form one
//! vector, in loops each lane is separate. Later edges conform to it. Loops around a switch with
//! many cases dispatch branches of unstructured control flow: their lanes form vectors, too,
//! because phis of each lane would be most of the code.

use crate::analysis::Class;
use crate::builder::{Home, Lane, Picks, Scalar, test};
use crate::emit::cx::FunctionEmitter;
use crate::liveness::{List, Liveness};
use crate::words::{LabelWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{Storage, Swizzle, Width};
use spirv::Op;
use std::ops::Range;

/// Open join: a position in [`Joins`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct JoinId(usize);

/// Lanes of one slot that one phi merges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    slot: u32,
    mask: u8,
    scalar: Scalar,
}

#[derive(Debug, Default)]
struct Join {
    label: LabelWord,
    list: List,
    groups: Vec<Group>,
    /// Unchanged lanes of a join with one edge.
    lanes: Vec<Lane>,
    /// Predecessor block and the value of each group, for each edge.
    values: Vec<u32>,
    edges: u32,
}

/// All open joins, a pool of free ones, and the phis of open loops.
#[derive(Debug, Default)]
pub(in crate::emit) struct Joins {
    joins: Vec<Join>,
    free: Vec<usize>,
    groups: Vec<Group>,
    /// Phis of the headers of open loops.
    rounds: Vec<Round>,
    /// True if each lane has a separate phi.
    pub(super) lanes_apart: bool,
}

/// Loop-carried value of a group.
#[derive(Clone, Copy, Debug)]
struct Round {
    group: Group,
    /// Value before the first iteration.
    initial: ValueWord,
    phi: ValueWord,
}

impl Joins {
    /// Frees all joins: a program that failed left some open.
    pub(in crate::emit) fn reset(&mut self) {
        self.free.clear();
        self.free.extend(0..self.joins.len());
        self.rounds.clear();
        self.lanes_apart = false;
    }
}

/// New lanes of a slot, which are set together: the groups of a slot are consecutive.
#[derive(Clone, Copy, Default)]
struct Arrived {
    slot: u32,
    mask: u8,
    values: [Lane; 4],
}

impl Arrived {
    /// Adds the lanes of a group; returns the lanes of the preceding slot if the group starts
    /// another slot.
    fn add(&mut self, group: Group, value: ValueWord) -> Option<Self> {
        let is_next = group.slot != self.slot;
        let complete = is_next.then(|| std::mem::take(self));
        self.slot = group.slot;
        self.mask |= group.mask;
        for (component, lane) in glasm_ir::WriteMask(group.mask).lanes().enumerate() {
            self.values[lane] = Lane::of(value, component);
        }
        complete
    }
}

/// Header of an open loop.
pub(super) struct Header {
    label: LabelWord,
    entry: LabelWord,
    /// Positions of its phis in [`Joins::rounds`].
    rounds: Range<usize>,
    /// Position of the first phi in the body.
    first_phi: usize,
}

/// Context of joins.
pub(super) struct JoinEmitter<'e, 'a> {
    pub(super) f: &'e mut FunctionEmitter<'a>,
    pub(super) live: &'e Liveness,
    pub(super) joins: &'e mut Joins,
}

impl JoinEmitter<'_, '_> {
    pub(super) fn new_join(&mut self, list: List) -> JoinId {
        let index = self.joins.free.pop().unwrap_or_else(|| {
            self.joins.joins.push(Join::default());
            self.joins.joins.len() - 1
        });
        let label = self.f.w.label();
        let join = &mut self.joins.joins[index];
        join.label = label;
        join.list = list;
        join.groups.clear();
        join.lanes.clear();
        join.values.clear();
        join.edges = 0;
        JoinId(index)
    }

    pub(super) fn get_label(&self, join: JoinId) -> LabelWord {
        self.joins.joins[join.0].label
    }

    /// Adds an edge from the open block: the values of its groups are computed here, before the
    /// branch is emitted.
    pub(super) fn add_edge(&mut self, id: JoinId) {
        // Taken out temporarily, because computing the values needs all of emission.
        let mut join = std::mem::take(&mut self.joins.joins[id.0]);
        // The lanes of a single edge need no phi: they are unchanged.
        if join.list.edges <= 1 {
            for &(slot, mask) in self.live.list(join.list) {
                join.lanes.extend(
                    glasm_ir::WriteMask(mask)
                        .lanes()
                        .map(|lane| self.f.lanes.get(slot, lane)),
                );
                if self.has_flags(slot) {
                    for flags in [slot + 1, slot + 2] {
                        join.lanes.extend(self.f.lanes.slot(flags));
                    }
                }
            }
        } else {
            if join.edges == 0 {
                // All edges must have the same groups, so the first one determines them.
                self.decide_groups(join.list, &mut join.groups);
                if self.joins.lanes_apart {
                    split_groups(&mut join.groups);
                }
            }
            join.values.push(self.f.w.block.0);
            for &group in &join.groups {
                join.values.push(self.compute_travel_value(group).0);
            }
        }
        join.edges += 1;
        self.joins.joins[id.0] = join;
    }

    /// Starts the block of a join; its lanes are set to the merged values of all edges.
    pub(super) fn begin_join(&mut self, id: JoinId) {
        let join = std::mem::take(&mut self.joins.joins[id.0]);
        self.f.w.begin_block(join.label);
        if join.edges == 0 {
            // A merge instruction names the block, so it must exist.
            self.f.w.body.op(Op::Unreachable, &[]);
            self.f.w.reachable = false;
        } else if join.list.edges <= 1 {
            self.take_lanes(&join);
        } else {
            let mut arrived = Arrived::default();
            for (index, &group) in join.groups.iter().enumerate() {
                let value = self.write_phi(&join, index, group);
                if let Some(complete) = arrived.add(group, value) {
                    self.set_arrived(&complete);
                }
            }
            self.set_arrived(&arrived);
        }
        self.joins.joins[id.0] = join;
        self.joins.free.push(id.0);
    }

    /// Starts the continue block of a loop like [`begin_join`](Self::begin_join); it must exist
    /// even if no edge reaches it.
    pub(super) fn begin_continue(&mut self, id: JoinId) {
        if self.joins.joins[id.0].edges > 0 {
            return self.begin_join(id);
        }
        let label = self.get_label(id);
        self.f.w.begin_block(label);
        self.joins.free.push(id.0);
    }

    fn take_lanes(&mut self, join: &Join) {
        let mut lanes = join.lanes.iter();
        for index in join.list.first..join.list.first + join.list.len {
            let (slot, mask) = self.live.list(join.list)[(index - join.list.first) as usize];
            for lane in glasm_ir::WriteMask(mask).lanes() {
                lanes
                    .next()
                    .into_iter()
                    .for_each(|&value| self.f.lanes.set(slot, lane, value));
            }
            if self.has_flags(slot) {
                for flags in [slot + 1, slot + 2] {
                    for lane in 0..4 {
                        lanes
                            .next()
                            .into_iter()
                            .for_each(|&value| self.f.lanes.set(flags, lane, value));
                    }
                }
            }
        }
    }

    fn write_phi(&mut self, join: &Join, index: usize, group: Group) -> ValueWord {
        // The values of an edge follow its block.
        let stride = 1 + join.groups.len();
        let edges = join.values.chunks_exact(stride);
        let first = join.values[1 + index];
        if edges.clone().all(|edge| edge[1 + index] == first) {
            // A value that is the same at the end of every edge dominates the join.
            return ValueWord(first);
        }
        let size = group.mask.count_ones() as u8;
        let ty = self.f.w.ty(group.scalar, size);
        let id = self.f.w.value(group.scalar, size, Home::Body);
        self.f.name_phi(group.slot, id);
        // After type and result: for each edge a value and its predecessor block.
        self.f.w.body.head(Op::Phi, 2 + 2 * join.edges as usize);
        self.f.w.body.0.extend([ty.0, id.0]);
        self.f
            .w
            .body
            .0
            .extend(edges.flat_map(|edge| [edge[1 + index], edge[0]]));
        id
    }

    fn set_arrived(&mut self, arrived: &Arrived) {
        if arrived.mask != 0 {
            self.f
                .lanes
                .set_lanes(arrived.slot, arrived.mask, &arrived.values);
        }
    }

    /// Returns true if the slot contains condition codes that are followed by two slots of flags.
    pub(super) fn has_flags(&self, slot: u32) -> bool {
        self.f.analysis.reads_overflow && self.is_cond(slot)
    }

    fn is_cond(&self, slot: u32) -> bool {
        let register = self.f.analysis.slot_register[slot as usize];
        self.f.program.registers[register].storage == Storage::Cond
    }

    fn decide_groups(&mut self, list: List, groups: &mut Vec<Group>) {
        for index in 0..list.len as usize {
            let (slot, mask) = self.live.list(list)[index];
            let register = self.f.analysis.slot_register[slot as usize];
            if self.f.analysis.class[register.index()] == Class::Memory {
                continue;
            }
            if self.f.program.registers[register].storage == Storage::Cond {
                let scalar = self.f.analysis.cond_scalar(register, self.f.w.wide_int());
                push_group(groups, slot, mask, scalar);
                if self.f.analysis.reads_overflow {
                    // Overflow and carry are the two slots after the slot of the codes.
                    push_group(groups, slot + 1, mask, Scalar::BoolInt);
                    push_group(groups, slot + 2, mask, Scalar::BoolInt);
                }
            } else {
                self.split_by_type(slot, mask, groups);
            }
        }
    }

    /// Adds a group for each type of the lanes; constants and lanes without a value are compatible
    /// with any type.
    fn split_by_type(&self, slot: u32, mask: u8, groups: &mut Vec<Group>) {
        let first = groups.len();
        let mut free = 0;
        for lane in glasm_ir::WriteMask(mask).lanes() {
            let value = self.f.lanes.get(slot, lane);
            let info = self.f.w.info(value.id());
            if !value.id().is_some() || info.home == Home::Constant {
                free |= 1 << lane;
                continue;
            }
            let scalar = match info.scalar {
                // Booleans are merged as the numbers that they represent.
                Scalar::BoolFloat => Scalar::F32,
                Scalar::BoolInt | Scalar::S32 | Scalar::U8 | Scalar::U16 => Scalar::U32,
                Scalar::U32 | Scalar::F32 | Scalar::U64 | Scalar::F64 | Scalar::Pair => info.scalar,
            };
            match groups[first..]
                .iter_mut()
                .find(|group| group.scalar == scalar)
            {
                Some(group) if scalar != Scalar::Pair => group.mask |= 1 << lane,
                _ => push_group(groups, slot, 1 << lane, scalar),
            }
        }
        if free == 0 {
            return;
        }
        match groups.get_mut(first) {
            Some(group) if group.scalar != Scalar::Pair => group.mask |= free,
            _ => {
                let scalar = self.choose_free_scalar(slot, free);
                if scalar != Scalar::Pair {
                    return push_group(groups, slot, free, scalar);
                }
                // Pairs are vectors themselves, and vectors of vectors do not exist: each forms a
                // separate group.
                for lane in glasm_ir::WriteMask(free).lanes() {
                    push_group(groups, slot, 1 << lane, scalar);
                }
            }
        }
    }

    /// Chooses the type for lanes that are constants or have no value.
    fn choose_free_scalar(&self, slot: u32, lanes: u8) -> Scalar {
        let register = self.f.analysis.slot_register[slot as usize];
        if self.f.program.registers[register].width == Width::W64 {
            return self.f.w.wide_int();
        }
        glasm_ir::WriteMask(lanes)
            .lanes()
            .map(|lane| self.f.lanes.get(slot, lane).id())
            .find(|id| id.is_some())
            // The most common type of instructions on 32-bit lanes; constants are converted to
            // another type at no cost.
            .map_or(Scalar::F32, |id| match self.f.w.info(id).scalar {
                Scalar::U32 | Scalar::S32 | Scalar::BoolInt => Scalar::U32,
                Scalar::F32
                | Scalar::BoolFloat
                | Scalar::U8
                | Scalar::U16
                | Scalar::U64
                | Scalar::F64
                | Scalar::Pair => Scalar::F32,
            })
    }

    /// Computes the lanes of a group as one value.
    fn compute_travel_value(&mut self, group: Group) -> ValueWord {
        let Group { slot, mask, scalar } = group;
        let mut lanes = *self.f.lanes.slot(slot);
        let size = mask.count_ones() as u8;
        // Codes of the type of the group already have the representation of the phi.
        if size == 1 {
            let lane = lanes[mask.trailing_zeros() as usize & 3];
            if lane.is_some() && self.f.w.info(lane.id()).scalar == scalar {
                return self.f.w.extract(lane.id(), lane.component());
            }
        } else if let Some(val) = self.f.w.find_available(&lanes, Swizzle::XYZW, mask, scalar) {
            return self.f.w.widen(val, size).id;
        }
        if self.is_cond(slot) && !scalar.is_bool() {
            for lane in glasm_ir::WriteMask(mask).lanes() {
                lanes[lane] = Lane::scalar(test::convert_lane(self.f.w, lanes[lane], scalar));
            }
        }
        let picks = Picks::new(Swizzle::XYZW, mask);
        let val = self.f.w.gather_picks(&lanes, picks, scalar);
        self.f.w.widen(val, size).id
    }

    /// Ends the open block with the entry of a loop.
    pub(super) fn open_header(&mut self, list: List) -> Header {
        let mut groups = std::mem::take(&mut self.joins.groups);
        groups.clear();
        self.decide_groups(list, &mut groups);
        if self.joins.lanes_apart {
            split_groups(&mut groups);
        }
        let first = self.joins.rounds.len();
        for &group in &groups {
            // In the block before the header, which is the predecessor of the entry edge.
            let initial = self.compute_travel_value(group);
            self.joins.rounds.push(Round {
                group,
                initial,
                phi: ValueWord::NONE,
            });
        }
        self.joins.groups = groups;
        let label = self.f.w.label();
        let entry = self.f.w.block;
        self.f.w.jump(label);
        Header {
            label,
            entry,
            rounds: first..self.joins.rounds.len(),
            first_phi: 0,
        }
    }

    /// Starts the header block. The values of the back edge are filled in by
    /// [`close_header`](Self::close_header).
    pub(super) fn begin_header(&mut self, header: &mut Header) {
        // No instruction may be between the label and the phis.
        self.f.w.begin_block(header.label);
        header.first_phi = self.f.w.body.len();
        for index in header.rounds.clone() {
            let Round { group, initial, .. } = self.joins.rounds[index];
            let size = group.mask.count_ones() as u8;
            let ty = self.f.w.ty(group.scalar, size);
            let id = self.f.w.value(group.scalar, size, Home::Body);
            self.f.name_phi(group.slot, id);
            self.f
                .w
                .body
                .result(Op::Phi, ty, id, &[initial.0, header.entry.0, 0, 0]);
            self.joins.rounds[index].phi = id;
        }
        self.set_header_lanes(header);
    }

    /// Computes the loop-carried values of the next iteration while the body is still open, so that
    /// only the counter changes in the continue block: some drivers treat copies of vectors there
    /// as changes of all their lanes.
    pub(super) fn compute_next_round(&mut self, header: &Header) {
        let mut arrived = Arrived::default();
        for index in header.rounds.clone() {
            let group = self.joins.rounds[index].group;
            let value = self.compute_travel_value(group);
            if let Some(complete) = arrived.add(group, value) {
                self.set_arrived(&complete);
            }
        }
        self.set_arrived(&arrived);
    }

    pub(super) fn set_header_lanes(&mut self, header: &Header) {
        let mut arrived = Arrived::default();
        for index in header.rounds.clone() {
            let Round { group, phi, .. } = self.joins.rounds[index];
            if let Some(complete) = arrived.add(group, phi) {
                self.set_arrived(&complete);
            }
        }
        self.set_arrived(&arrived);
    }

    /// Ends the open block with the back edge of a loop.
    pub(super) fn close_header(&mut self, header: &Header) {
        for (number, index) in header.rounds.clone().enumerate() {
            let value = self.compute_travel_value(self.joins.rounds[index].group);
            // Seven words per phi, with the back edge in the last two.
            let position = header.first_phi + 7 * number + 5;
            self.f.w.body.0[position] = value.0;
            self.f.w.body.0[position + 1] = self.f.w.block.0;
        }
        // Loops nest: the phis of this loop are the last.
        self.joins.rounds.truncate(header.rounds.start);
        // Computing a value does not open a block, so this is still the block that was recorded
        // above.
        self.f.w.jump(header.label);
        self.f.w.reachable = false;
    }
}

/// Splits groups into single lanes: some drivers store a loop-carried vector in memory, lane by
/// lane, and do not detect which lanes change.
fn split_groups(groups: &mut Vec<Group>) {
    let whole = groups.len();
    for index in 0..whole {
        let group = groups[index];
        for lane in glasm_ir::WriteMask(group.mask).lanes() {
            push_group(groups, group.slot, 1 << lane, group.scalar);
        }
    }
    groups.drain(..whole);
}

fn push_group(groups: &mut Vec<Group>, slot: u32, mask: u8, scalar: Scalar) {
    groups.push(Group { slot, mask, scalar });
}
