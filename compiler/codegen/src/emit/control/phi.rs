//! Control-flow joins: inserts phis for live lanes whose reaching definitions differ.
//!
//! The first edge determines the grouping of the lanes of a slot: lanes of one type form one
//! vector, in loops each lane is separate. Later edges conform to it. Loops around a switch with
//! many cases dispatch branches of unstructured control flow: their lanes form vectors, too,
//! because phis of each lane would be most of the code.

use crate::analysis::RegisterClass;
use crate::builder::{Lane, LaneSelection, Scalar, ValueOrigin, condition_code};
use crate::emit::context::FunctionEmitter;
use crate::liveness::{JoinList, Liveness};
use crate::spirv_writer::{LabelWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{Storage, Swizzle, Width};
use spirv::Op;
use std::ops::Range;

/// Open join: a position in [`Joins`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct JoinId(usize);

/// Lanes of one slot that one phi merges.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhiGroup {
    slot: u32,
    mask: u8,
    scalar: Scalar,
}

#[derive(Debug, Default)]
struct Join {
    label: LabelWord,
    list: JoinList,
    groups: Vec<PhiGroup>,
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
    groups: Vec<PhiGroup>,
    /// Phis of the headers of open loops.
    loop_phis: Vec<LoopPhi>,
    /// True if each lane has a separate phi.
    pub(super) scalar_phis: bool,
}

/// Loop-carried value of a group.
#[derive(Clone, Copy, Debug)]
struct LoopPhi {
    group: PhiGroup,
    /// Value before the first iteration.
    initial: ValueWord,
    phi: ValueWord,
}

impl Joins {
    /// Clears all joins for another program: one that failed may have left some open.
    pub(in crate::emit) fn reset(&mut self) {
        self.free.clear();
        self.free.extend(0..self.joins.len());
        self.loop_phis.clear();
        self.scalar_phis = false;
    }
}

/// New lanes of a slot, which are set together: the groups of a slot are consecutive.
#[derive(Clone, Copy, Default)]
struct SlotUpdate {
    slot: u32,
    mask: u8,
    values: [Lane; 4],
}

impl SlotUpdate {
    /// Adds the lanes of a group whose value is `value`. If the group starts another slot, returns
    /// the lanes of the preceding slot and begins a new update.
    fn add(&mut self, group: PhiGroup, value: ValueWord) -> Option<Self> {
        let is_next = group.slot != self.slot;
        let complete = is_next.then(|| std::mem::take(self));
        self.slot = group.slot;
        self.mask |= group.mask;
        for (component, lane) in glasm_ir::WriteMask(group.mask).lanes().enumerate() {
            self.values[lane] = Lane::from_component(value, component);
        }
        complete
    }
}

/// Header of an open loop.
pub(super) struct LoopHeader {
    label: LabelWord,
    entry: LabelWord,
    /// Positions of its phis in [`Joins::loop_phis`].
    loop_phis: Range<usize>,
    /// Position of the first phi in the body.
    first_phi: usize,
}

/// Context of joins.
pub(super) struct JoinEmitter<'e, 'a> {
    pub(super) f: &'e mut FunctionEmitter<'a>,
    pub(super) liveness: &'e Liveness,
    pub(super) joins: &'e mut Joins,
}

impl JoinEmitter<'_, '_> {
    /// Creates a join without edges, with a new label, for the slots and lanes in `list`. Reuses
    /// the memory of a closed one.
    pub(super) fn new_join(&mut self, list: JoinList) -> JoinId {
        let index = self.joins.free.pop().unwrap_or_else(|| {
            self.joins.joins.push(Join::default());
            self.joins.joins.len() - 1
        });
        let label = self.f.builder.new_label();
        let join = &mut self.joins.joins[index];
        join.label = label;
        join.list = list;
        join.groups.clear();
        join.lanes.clear();
        join.values.clear();
        join.edges = 0;
        JoinId(index)
    }

    /// Returns the label of the block that a join begins, for branches to it.
    pub(super) fn get_label(&self, join: JoinId) -> LabelWord {
        self.joins.joins[join.0].label
    }

    /// Adds an edge from the open block to a join. Emits the values of the phis here, before the
    /// branch; the first edge determines the groups of lanes. A join with a single edge records the
    /// lanes instead.
    pub(super) fn add_edge(&mut self, id: JoinId) {
        // Taken out temporarily, because computing the values needs all of emission.
        let mut join = std::mem::take(&mut self.joins.joins[id.0]);
        // The lanes of a single edge need no phi: they are unchanged.
        if join.list.edges <= 1 {
            for &(slot, mask) in self.liveness.list_entries(join.list) {
                join.lanes.extend(
                    glasm_ir::WriteMask(mask)
                        .lanes()
                        .map(|lane| self.f.lanes.get(slot, lane)),
                );
                if self.has_flags(slot) {
                    for flags in [slot + 1, slot + 2] {
                        join.lanes.extend(self.f.lanes.get_slot(flags));
                    }
                }
            }
        } else {
            if join.edges == 0 {
                // All edges must have the same groups, so the first one determines them.
                self.choose_phi_groups(join.list, &mut join.groups);
                if self.joins.scalar_phis {
                    split_groups(&mut join.groups);
                }
            }
            join.values.push(self.f.builder.block.0);
            for &group in &join.groups {
                join.values.push(self.compute_phi_input(group).0);
            }
        }
        join.edges += 1;
        self.joins.joins[id.0] = join;
    }

    /// Begins the block of a join, sets its lanes to the merged values of all edges, and releases
    /// the join for reuse. A join without edges gets an unreachable block.
    pub(super) fn begin_join(&mut self, id: JoinId) {
        let join = std::mem::take(&mut self.joins.joins[id.0]);
        self.f.builder.begin_block(join.label);
        if join.edges == 0 {
            // A merge instruction names the block, so it must exist.
            self.f.builder.body.push_inst(Op::Unreachable, &[]);
            self.f.builder.reachable = false;
        } else if join.list.edges <= 1 {
            self.set_unchanged_lanes(&join);
        } else {
            let mut update = SlotUpdate::default();
            for (index, &group) in join.groups.iter().enumerate() {
                let value = self.write_phi(&join, index, group);
                if let Some(complete) = update.add(group, value) {
                    self.apply_update(&complete);
                }
            }
            self.apply_update(&update);
        }
        self.joins.joins[id.0] = join;
        self.joins.free.push(id.0);
    }

    /// Begins the continue block of a loop and releases its join for reuse. With edges it does what
    /// [`begin_join`](Self::begin_join) does. Without edges the block remains reachable and the
    /// lanes are unchanged, because the caller must emit the branch to the header nevertheless.
    pub(super) fn begin_continue(&mut self, id: JoinId) {
        if self.joins.joins[id.0].edges > 0 {
            return self.begin_join(id);
        }
        let label = self.get_label(id);
        self.f.builder.begin_block(label);
        self.joins.free.push(id.0);
    }

    /// Sets the lanes of a join with a single edge to the values of that edge.
    fn set_unchanged_lanes(&mut self, join: &Join) {
        let mut lanes = join.lanes.iter();
        for index in join.list.first..join.list.first + join.list.len {
            let (slot, mask) =
                self.liveness.list_entries(join.list)[(index - join.list.first) as usize];
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

    /// Emits the phi of the group with number `index`, or returns the common value if all edges
    /// have the same one.
    fn write_phi(&mut self, join: &Join, index: usize, group: PhiGroup) -> ValueWord {
        // The values of an edge follow its block.
        let stride = 1 + join.groups.len();
        let edges = join.values.chunks_exact(stride);
        let first = join.values[1 + index];
        if edges.clone().all(|edge| edge[1 + index] == first) {
            // A value that is the same at the end of every edge dominates the join.
            return ValueWord(first);
        }
        let size = group.mask.count_ones() as u8;
        let ty = self.f.builder.get_type(group.scalar, size);
        let id = self
            .f
            .builder
            .new_value(group.scalar, size, ValueOrigin::Body);
        self.f.name_phi(group.slot, id);
        // After type and result: for each edge a value and its predecessor block.
        self.f
            .builder
            .body
            .push_head(Op::Phi, 2 + 2 * join.edges as usize);
        self.f.builder.body.0.extend([ty.0, id.0]);
        self.f
            .builder
            .body
            .0
            .extend(edges.flat_map(|edge| [edge[1 + index], edge[0]]));
        id
    }

    /// Sets the lanes of a slot to the values that an update has collected; does nothing if it is
    /// empty.
    fn apply_update(&mut self, update: &SlotUpdate) {
        if update.mask != 0 {
            self.f
                .lanes
                .set_lanes(update.slot, update.mask, &update.values);
        }
    }

    /// Returns true if the slot contains condition codes that are followed by two slots of flags.
    pub(super) fn has_flags(&self, slot: u32) -> bool {
        self.f.analysis.reads_overflow && self.is_cond(slot)
    }

    /// Returns true if the slot contains condition codes.
    fn is_cond(&self, slot: u32) -> bool {
        let register = self.f.analysis.slot_register[slot as usize];
        self.f.program.registers[register].storage == Storage::Cond
    }

    /// Appends the groups of lanes that share a phi, for the slots of a join list that are in
    /// values. Condition codes have further groups for overflow and carry if the program reads
    /// these.
    fn choose_phi_groups(&mut self, list: JoinList, groups: &mut Vec<PhiGroup>) {
        for index in 0..list.len as usize {
            let (slot, mask) = self.liveness.list_entries(list)[index];
            let register = self.f.analysis.slot_register[slot as usize];
            if self.f.analysis.classes[register.index()] == RegisterClass::Memory {
                continue;
            }
            if self.f.program.registers[register].storage == Storage::Cond {
                let scalar = self
                    .f
                    .analysis
                    .cond_scalar(register, self.f.builder.wide_int_scalar());
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

    /// Appends a group for each type of the lanes; constants and lanes without a value are
    /// compatible with any type. Pairs of words have one group for each lane.
    fn split_by_type(&self, slot: u32, mask: u8, groups: &mut Vec<PhiGroup>) {
        let first = groups.len();
        let mut untyped = 0;
        for lane in glasm_ir::WriteMask(mask).lanes() {
            let value = self.f.lanes.get(slot, lane);
            let info = self.f.builder.value_info(value.id());
            if !value.id().is_some() || info.origin == ValueOrigin::Constant {
                untyped |= 1 << lane;
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
        if untyped == 0 {
            return;
        }
        match groups.get_mut(first) {
            Some(group) if group.scalar != Scalar::Pair => group.mask |= untyped,
            _ => {
                let scalar = self.choose_untyped_scalar(slot, untyped);
                if scalar != Scalar::Pair {
                    return push_group(groups, slot, untyped, scalar);
                }
                // Pairs are vectors themselves, and vectors of vectors do not exist: each forms a
                // separate group.
                for lane in glasm_ir::WriteMask(untyped).lanes() {
                    push_group(groups, slot, 1 << lane, scalar);
                }
            }
        }
    }

    /// Chooses the type for lanes that are constants or have no value: a 64-bit integer by the
    /// width of the register, else the type of the first constant, and floats without one.
    fn choose_untyped_scalar(&self, slot: u32, lanes: u8) -> Scalar {
        let register = self.f.analysis.slot_register[slot as usize];
        if self.f.program.registers[register].width == Width::W64 {
            return self.f.builder.wide_int_scalar();
        }
        glasm_ir::WriteMask(lanes)
            .lanes()
            .map(|lane| self.f.lanes.get(slot, lane).id())
            .find(|id| id.is_some())
            // The most common type of instructions on 32-bit lanes; constants are converted to
            // another type at no cost.
            .map_or(Scalar::F32, |id| {
                match self.f.builder.value_info(id).scalar {
                    Scalar::U32 | Scalar::S32 | Scalar::BoolInt => Scalar::U32,
                    Scalar::F32
                    | Scalar::BoolFloat
                    | Scalar::U8
                    | Scalar::U16
                    | Scalar::U64
                    | Scalar::F64
                    | Scalar::Pair => Scalar::F32,
                }
            })
    }

    /// Computes the value of a group at the end of the open block, as an operand of its phi. Emits
    /// conversions if the lanes are in other values or have another type.
    fn compute_phi_input(&mut self, group: PhiGroup) -> ValueWord {
        let PhiGroup { slot, mask, scalar } = group;
        let mut lanes = *self.f.lanes.get_slot(slot);
        let size = mask.count_ones() as u8;
        // Codes of the type of the group already have the representation of the phi.
        if size == 1 {
            let lane = lanes[mask.trailing_zeros() as usize & 3];
            if lane.is_some() && self.f.builder.value_info(lane.id()).scalar == scalar {
                return self.f.builder.extract(lane.id(), lane.component());
            }
        } else if let Some(val) = self
            .f
            .builder
            .find_available(&lanes, Swizzle::XYZW, mask, scalar)
        {
            return self.f.builder.widen(val, size).id;
        }
        if self.is_cond(slot) && !scalar.is_bool() {
            for lane in glasm_ir::WriteMask(mask).lanes() {
                lanes[lane] = Lane::scalar(condition_code::convert_code_lane(
                    self.f.builder,
                    lanes[lane],
                    scalar,
                ));
            }
        }
        let selection = LaneSelection::new(Swizzle::XYZW, mask);
        let val = self.f.builder.gather_selected(&lanes, selection, scalar);
        self.f.builder.widen(val, size).id
    }

    /// Collects the groups of the phis of a loop with their initial values, and ends the open block
    /// with a branch to the header.
    pub(super) fn enter_loop(&mut self, list: JoinList) -> LoopHeader {
        let mut groups = std::mem::take(&mut self.joins.groups);
        groups.clear();
        self.choose_phi_groups(list, &mut groups);
        if self.joins.scalar_phis {
            split_groups(&mut groups);
        }
        let first = self.joins.loop_phis.len();
        for &group in &groups {
            // In the block before the header, which is the predecessor of the entry edge.
            let initial = self.compute_phi_input(group);
            self.joins.loop_phis.push(LoopPhi {
                group,
                initial,
                phi: ValueWord::NONE,
            });
        }
        self.joins.groups = groups;
        let label = self.f.builder.new_label();
        let entry = self.f.builder.block;
        self.f.builder.emit_branch(label);
        LoopHeader {
            label,
            entry,
            loop_phis: first..self.joins.loop_phis.len(),
            first_phi: 0,
        }
    }

    /// Begins the header block with the phis of the loop, which become the values of their lanes.
    /// Their operands for the back edge are filled in by [`close_loop`](Self::close_loop).
    pub(super) fn begin_loop_header(&mut self, header: &mut LoopHeader) {
        // No instruction may be between the label and the phis.
        self.f.builder.begin_block(header.label);
        header.first_phi = self.f.builder.body.len();
        for index in header.loop_phis.clone() {
            let LoopPhi { group, initial, .. } = self.joins.loop_phis[index];
            let size = group.mask.count_ones() as u8;
            let ty = self.f.builder.get_type(group.scalar, size);
            let id = self
                .f
                .builder
                .new_value(group.scalar, size, ValueOrigin::Body);
            self.f.name_phi(group.slot, id);
            self.f.builder.body.push_result_inst(
                Op::Phi,
                ty,
                id,
                &[initial.0, header.entry.0, 0, 0],
            );
            self.joins.loop_phis[index].phi = id;
        }
        self.set_header_lanes(header);
    }

    /// Computes the loop-carried values of the next iteration while the body is still open, so that
    /// only the counter changes in the continue block: some drivers treat copies of vectors there
    /// as changes of all their lanes.
    pub(super) fn compute_loop_carried(&mut self, header: &LoopHeader) {
        let mut update = SlotUpdate::default();
        for index in header.loop_phis.clone() {
            let group = self.joins.loop_phis[index].group;
            let value = self.compute_phi_input(group);
            if let Some(complete) = update.add(group, value) {
                self.apply_update(&complete);
            }
        }
        self.apply_update(&update);
    }

    /// Sets the lanes that a loop assigns to the phis of its header block.
    pub(super) fn set_header_lanes(&mut self, header: &LoopHeader) {
        let mut update = SlotUpdate::default();
        for index in header.loop_phis.clone() {
            let LoopPhi { group, phi, .. } = self.joins.loop_phis[index];
            if let Some(complete) = update.add(group, phi) {
                self.apply_update(&complete);
            }
        }
        self.apply_update(&update);
    }

    /// Completes the phis of a loop header with the values at its end, removes them from the list
    /// of open loops, and emits the branch back to the header.
    pub(super) fn close_loop(&mut self, header: &LoopHeader) {
        for (number, index) in header.loop_phis.clone().enumerate() {
            let value = self.compute_phi_input(self.joins.loop_phis[index].group);
            // Seven words per phi, with the back edge in the last two.
            let position = header.first_phi + 7 * number + 5;
            self.f.builder.body.0[position] = value.0;
            self.f.builder.body.0[position + 1] = self.f.builder.block.0;
        }
        // Loops nest: the phis of this loop are the last.
        self.joins.loop_phis.truncate(header.loop_phis.start);
        // Computing a value does not open a block, so this is still the block that was recorded
        // above.
        self.f.builder.emit_branch(header.label);
        self.f.builder.reachable = false;
    }
}

/// Splits groups into single lanes: some drivers store a loop-carried vector in memory, lane by
/// lane, and do not detect which lanes change.
fn split_groups(groups: &mut Vec<PhiGroup>) {
    let whole = groups.len();
    for index in 0..whole {
        let group = groups[index];
        for lane in glasm_ir::WriteMask(group.mask).lanes() {
            push_group(groups, group.slot, 1 << lane, group.scalar);
        }
    }
    groups.drain(..whole);
}

/// Appends a group of lanes of a slot that one phi merges.
fn push_group(groups: &mut Vec<PhiGroup>, slot: u32, mask: u8, scalar: Scalar) {
    groups.push(PhiGroup { slot, mask, scalar });
}
