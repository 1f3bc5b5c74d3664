//! Gathering of lanes: reads lanes of any values as one vector (or one scalar, if all are equal) of
//! a given type, in as few instructions as possible.
//! Casts read a value as another type of the same width, or a boolean as a number.

use super::{
    CachedValue, Lane, LaneSelection, ResultKey, Scalar, Val, ValueBuilder, ValueOrigin,
    vector_construct,
};
use crate::builder::ValueInfo;
use crate::builder::lane::{is_prefix, share_one_value};
use crate::spirv_writer::ValueWord;
use glasm_ir::{Swizzle, WriteMask};
use spirv::Op;

impl ValueBuilder {
    /// Gathers one to four `lanes` into a vector of type `to`, or returns a scalar if all are
    /// equal. Reuses an existing value, if possible.
    pub(crate) fn gather(&mut self, lanes: &[Lane], to: Scalar) -> Val {
        // Comparisons always read four lanes.
        let four = std::array::from_fn(|index| *lanes.get(index).unwrap_or(&lanes[0]));
        self.gather_prefix(&four, lanes.len() as u8, to)
    }

    /// Gathers the first `size` of `lanes` like [`gather`](Self::gather). Requires that the lanes
    /// from `size` on are equal to the first one.
    pub(crate) fn gather_prefix(&mut self, lanes: &[Lane; 4], size: u8, to: Scalar) -> Val {
        if let Some(val) = self.find_whole_value(lanes, size, to) {
            return val;
        }
        if lanes[1..] == [lanes[0]; 3] {
            return Val::new(self.read_lane(lanes[0], to), to, 1);
        }
        // A swizzle of one value is one instruction in any order.
        let from_one_value = if share_one_value(lanes) {
            self.gather_from_value(lanes, size, to)
        } else {
            None
        };
        let id = match from_one_value {
            Some(id) => id,
            None => vector_construct::gather_mixed(self, &lanes[..usize::from(size)], to),
        };
        Val::new(id, to, size)
    }

    /// Gathers the selected lanes of `base` like [`gather`](Self::gather); returns 0 if there are
    /// none. Of pairs only the first selected lane is read.
    pub(crate) fn gather_selected(
        &mut self,
        base: &[Lane; 4],
        selection: LaneSelection,
        to: Scalar,
    ) -> Val {
        let from = selection.select(base);
        match (selection.size, to) {
            (0, _) => {
                let zero = self.constant(to, 0);
                self.val(zero)
            }
            // Instructions on pairs process lanes individually and request one lane at a time.
            (_, Scalar::Pair) => self.gather_prefix(&[from[0]; 4], 1, to),
            (size, _) => self.gather_prefix(&from, size, to),
        }
    }

    /// Gathers the lanes of `from` that are in the mask `lanes` like [`gather`](Self::gather);
    /// returns 0 if the mask is empty.
    pub(crate) fn gather_lanes(&mut self, lanes: u8, from: &[Lane; 4], to: Scalar) -> Val {
        match self.find_available(from, Swizzle::XYZW, lanes, to) {
            Some(val) => val,
            None => self.gather_selected(from, LaneSelection::new(Swizzle::XYZW, lanes), to),
        }
    }

    /// Returns the value of type `to` that a source reads, if no instruction is needed: a whole
    /// value, or a component that was extracted before. Returns `None` otherwise.
    #[inline(always)]
    pub(crate) fn find_available(
        &self,
        base: &[Lane; 4],
        swizzle: Swizzle,
        lanes: u8,
        to: Scalar,
    ) -> Option<Val> {
        if swizzle == Swizzle::XYZW && is_prefix(lanes) {
            return self.find_whole_value(base, WriteMask(lanes).count() as u8, to);
        }
        // More than one lane, and not all from one component.
        if lanes & lanes.wrapping_sub(1) != 0 && !swizzle.is_splat() {
            return None;
        }
        let lane = base[swizzle.lane(lanes.trailing_zeros() as usize & 3)];
        let info = self.value_info(lane.id());
        let id = match info.size {
            1 => lane.id(),
            _ => self.derived(lane.id()).parts[lane.component()],
        };
        let is_known = id.is_some() && info.scalar == to && lanes != 0;
        is_known.then_some(Val::new(id, to, 1))
    }

    /// Returns the value of type `to` whose components are the first `size` of `lanes`, or the
    /// scalar that all of them are. Returns `None` without such a value; lanes from `size` on
    /// are ignored.
    #[inline(always)]
    pub(crate) fn find_whole_value(&self, lanes: &[Lane; 4], size: u8, to: Scalar) -> Option<Val> {
        let first = lanes[0];
        let info = self.value_info(first.id());
        if info.scalar != to || !first.is_some() {
            return None;
        }
        let step = match info.size {
            // A scalar is the value of all lanes: they must be equal, not consecutive.
            1 => 0,
            own if own == size => 1,
            _ => return None,
        };
        // Bits that differ from those of consecutive lanes, without a branch for each lane.
        let second = lanes[1].diff_bits(first, step);
        let third = lanes[2].diff_bits(first, 2 * step);
        let fourth = lanes[3].diff_bits(first, 3 * step);
        // Scalars are compared with step 0, vectors of `size` components with step 1; lanes beyond
        // `size` are arbitrary.
        let is_whole = match size {
            4 => second | third | fourth == 0,
            3 => second | third == 0,
            2 => second == 0,
            _ => size == 1,
        };
        is_whole.then_some(Val::new(first.id(), to, info.size))
    }

    /// Gathers the selected lanes of `base` if these are the components, in order, of a vector of
    /// type `to` that is not a constant. Returns `None` for other lanes and for an empty selection.
    /// Equal components are a scalar.
    #[inline(always)]
    pub(crate) fn gather_from_vector(
        &mut self,
        base: &[Lane; 4],
        selection: LaneSelection,
        to: Scalar,
    ) -> Option<Val> {
        let id = base[0].id();
        let info = self.value_info(id);
        // Registers that were written as a whole, which are most of them.
        let is_vector = info.size == 4 && info.scalar == to && info.origin != ValueOrigin::Constant;
        if !is_vector || *base != Lane::all_components(id) || selection.size == 0 {
            return None;
        }
        let (id, size) = if selection.components.is_splat() {
            (self.extract(id, selection.components.lane(0)), 1)
        } else if selection == LaneSelection::new(Swizzle::XYZW, 15) {
            (id, 4)
        } else {
            (self.swizzle(id, selection), selection.size)
        };
        Some(Val::new(id, to, size))
    }

    /// Gathers the first `size` of `lanes`, which are components of one value, in any order.
    /// Returns `None` if they have to be read individually: from constants, pairs, and values whose
    /// cast is not a separate value.
    fn gather_from_value(&mut self, lanes: &[Lane; 4], size: u8, to: Scalar) -> Option<ValueWord> {
        let id = lanes[0].id();
        let info = self.value_info(id);
        // A pair is a vector in SPIR-V, which has no vectors of vectors: pairs are always processed
        // lane by lane.
        if to == Scalar::Pair || info.scalar == Scalar::Pair {
            return None;
        }
        if info.scalar == to {
            // Constants are decomposed, so that vectors of them are constants again.
            let selection = LaneSelection::from_components(lanes, size);
            return (info.origin != ValueOrigin::Constant).then(|| self.swizzle(id, selection));
        }
        // The value may already have the right type.
        let cast = self.cast(id, to);
        if cast == id {
            return None;
        }
        let same = lanes.map(|lane| Lane::from_component(cast, lane.component()));
        Some(self.gather_prefix(&same, size, to).id)
    }

    /// Gathers `lanes` into a vector of the same number of components, including splats.
    pub(crate) fn gather_vector(&mut self, lanes: &[Lane], to: Scalar) -> Val {
        let val = self.gather(lanes, to);
        self.widen(val, lanes.len() as u8)
    }

    /// Returns `val` with `size` components: a scalar is repeated. A vector must already have
    /// `size` components.
    pub(crate) fn widen(&mut self, val: Val, size: u8) -> Val {
        if val.size == size {
            return val;
        }
        let id = self.splat(val.id, size);
        Val { id, size, ..val }
    }

    /// Returns the id of a lane as a scalar with its bits read as type `to`, or as a number if it
    /// is a boolean; undefined lanes are 0. Emits extraction and cast unless they are cached.
    pub(crate) fn read_lane(&mut self, lane: Lane, to: Scalar) -> ValueWord {
        if !lane.is_some() {
            return self.constant(to, 0);
        }
        let info = self.value_info(lane.id());
        if info.size == 1 {
            return self.cast(lane.id(), to);
        }
        if info.scalar != to {
            // If the whole vector has been cast, its component already has the right type.
            let cast = self.derived(lane.id()).casts[usize::from(to.is_float())];
            if cast.is_some() && self.value_info(cast).scalar == to {
                return self.extract(cast, lane.component());
            }
        }
        let part = self.extract(lane.id(), lane.component());
        self.cast(part, to)
    }

    /// Returns component `component` of a vector, extracted once per function or branch. A scalar
    /// is its only component.
    pub(crate) fn extract(&mut self, id: ValueWord, component: usize) -> ValueWord {
        let info = self.value_info(id);
        if info.size == 1 {
            return id;
        }
        let known = self.derived(id).parts[component];
        if known.is_some() {
            return known;
        }
        self.emit_extract(id, component)
    }

    /// Emits `OpCompositeExtract` where the vector is defined, and caches the component.
    fn emit_extract(&mut self, id: ValueWord, component: usize) -> ValueWord {
        let info = self.value_info(id);
        let operands = [id.0, component as u32];
        let part = self.emit_op_at(info.origin, Op::CompositeExtract, info.scalar, 1, &operands);
        self.cache_part(id, component, part);
        part
    }

    /// Caches the value of a component, or of a splat, until the branch ends. Values outside of the
    /// function body are cached for the whole function.
    fn cache_part(&mut self, id: ValueWord, index: usize, part: ValueWord) {
        self.derived_mut(id).parts[index] = part;
        if self.value_info(id).origin == ValueOrigin::Body {
            self.record_scoped(CachedValue::Part(id, index as u8));
        }
    }

    /// Returns the vector of `size` copies of a scalar, emitted once per function or branch. The
    /// splat of a constant is a constant; with size 1 it is the scalar.
    pub(crate) fn splat(&mut self, id: ValueWord, size: u8) -> ValueWord {
        if size == 1 {
            return id;
        }
        // Slot 0 is free: a vector of one component is the scalar itself.
        let last = usize::from(size) - 1;
        // Scalars have no components, so their splats by size are cached in these slots.
        let known = self.derived(id).parts[last];
        if known.is_some() {
            return known;
        }
        let info = self.value_info(id);
        if info.origin == ValueOrigin::Constant {
            return self.constant_composite(info.scalar, &[id; 4][..=last]);
        }
        let splat = self.emit_splat(id, size);
        self.cache_part(id, last, splat);
        splat
    }

    /// Emits a vector whose components all are the scalar `id`.
    fn emit_splat(&mut self, id: ValueWord, size: u8) -> ValueWord {
        let ValueInfo { origin, scalar, .. } = self.value_info(id);
        let op = Op::CompositeConstruct;
        match size {
            2 => self.emit_op_at(origin, op, scalar, size, &[id.0; 2]),
            3 => self.emit_op_at(origin, op, scalar, size, &[id.0; 3]),
            _ => self.emit_op_at(origin, op, scalar, size, &[id.0; 4]),
        }
    }

    /// Emits the vector of the selected components of one vector, or returns the value of an equal
    /// shuffle that is still available.
    pub(super) fn swizzle(&mut self, id: ValueWord, selection: LaneSelection) -> ValueWord {
        let key = ResultKey::from_swizzle(selection);
        if let Some(known) = self.find_cached_result(id, key) {
            return known;
        }
        let value = self.emit_swizzle(id, selection);
        self.cache_result(id, key, value);
        if self.value_info(id).origin == ValueOrigin::Body {
            self.record_scoped(CachedValue::Result(id, key));
        }
        value
    }

    /// Emits `OpVectorShuffle` of the selected components of one vector.
    fn emit_swizzle(
        &mut self,
        id: ValueWord,
        LaneSelection { components, size }: LaneSelection,
    ) -> ValueWord {
        let ValueInfo { origin, scalar, .. } = self.value_info(id);
        let [a, b, c, d] = [0, 1, 2, 3].map(|index| components.lane(index) as u32);
        let op = Op::VectorShuffle;
        match size {
            2 => self.emit_op_at(origin, op, scalar, size, &[id.0, id.0, a, b]),
            3 => self.emit_op_at(origin, op, scalar, size, &[id.0, id.0, a, b, c]),
            _ => self.emit_op_at(origin, op, scalar, size, &[id.0, id.0, a, b, c, d]),
        }
    }

    /// Returns a lane as a scalar with its bits read as type `to`, or as a number if it is a
    /// boolean; undefined lanes are 0. Like [`Self::read_lane`], but returns the id with its type.
    pub(crate) fn read_lane_val(&mut self, lane: Lane, to: Scalar) -> Val {
        let id = self.read_lane(lane, to);
        self.val(id)
    }

    /// Returns the components of a vector as lanes, followed by zeros.
    pub(crate) fn pad_with_zeros(&mut self, val: Val) -> [Lane; 4] {
        let zero = Lane::scalar(self.constant(val.scalar, 0));
        Lane::with_first_components(val.id, val.size, [zero; 4])
    }

    /// Returns the first `size` components of a value; the whole value if it has fewer.
    pub(crate) fn take_components(&mut self, val: Val, size: u8) -> Val {
        if val.size <= size {
            return val;
        }
        self.gather_vector(&val.lanes()[..usize::from(size)], val.scalar)
    }
}

impl ValueBuilder {
    /// Returns a whole value with its bits read as type `to`, or as a number if it is a boolean.
    /// Emits instructions unless the value has the type or the cast is cached.
    #[inline(always)]
    pub(crate) fn cast(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        if self.value_info(id).scalar == to {
            return id;
        }
        self.cast_slow(id, to)
    }

    /// Reads a value of another type as type `to`: by a constant, a cached cast, or new
    /// instructions. Caches the cast and, unless a boolean is cast, its inverse.
    fn cast_slow(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let info = self.value_info(id);
        if info.origin == ValueOrigin::Constant {
            return self.cast_constant(id, to);
        }
        // One slot is for all types other than floats, so the type is compared below.
        let index = usize::from(to.is_float());
        let known = self.derived(id).casts[index];
        if known.is_some() && self.value_info(known).scalar == to {
            return known;
        }
        let cast = self.emit_cast(id, to);
        if !info.scalar.is_bool() && cast != id {
            // The inverse cast needs no instruction.
            self.derived_mut(cast).casts[usize::from(info.scalar.is_float())] = id;
        }
        // There is one slot for integers and one for floats: the first type requested occupies it.
        if !known.is_some() {
            self.derived_mut(id).casts[index] = cast;
            if info.origin == ValueOrigin::Body {
                self.record_scoped(CachedValue::Cast(id, index as u8));
            }
        }
        cast
    }

    /// Returns the constant of type `to` with the bits of another constant, or with the number of a
    /// boolean. Vectors are cast component by component.
    fn cast_constant(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let info = self.value_info(id);
        let known = *self.derived(id);
        if info.size > 1 {
            // A vector is cast component by component, so that the result is a constant again.
            let parts = known.parts.map(|part| {
                if part.is_some() {
                    self.cast(part, to)
                } else {
                    part
                }
            });
            return self.constant_composite(to, &parts[..info.size as usize]);
        }
        let bits = match (info.scalar, to) {
            (Scalar::BoolFloat | Scalar::BoolInt, Scalar::BoolFloat | Scalar::BoolInt) => {
                known.bits
            }
            (Scalar::BoolFloat, Scalar::F64) if known.bits != 0 => 1.0f64.to_bits(),
            (Scalar::BoolFloat, _) if known.bits != 0 => u64::from(1.0f32.to_bits()),
            // As many ones as the type has bits; `constant` truncates the rest.
            (Scalar::BoolInt, _) if known.bits != 0 => u64::MAX,
            _ => known.bits,
        };
        self.constant(to, bits)
    }

    /// Emits the instructions that read a value as another type: booleans become numbers and vice
    /// versa, all others keep their bits, which are zero-extended or truncated.
    fn emit_cast(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let info = self.value_info(id);
        let (origin, size, from) = (info.origin, info.size, info.scalar);
        match (from.is_bool(), to.is_bool()) {
            // Both are `OpTypeBool`. The representation of a boolean is recorded with its original
            // id.
            (true, true) => return id,
            // Lanes of 64 bits get the bits of the 32-bit boolean, zero-extended below.
            (true, false) if !to.is_wide() => return self.emit_bool_to_number(id, to),
            (false, true) => return self.emit_number_to_bool(id, to),
            (true | false, false) => {}
        }
        match (from, to) {
            (Scalar::U32, Scalar::U64) | (Scalar::U64, Scalar::U32) => {
                self.emit_op_at(origin, Op::UConvert, to, size, &[id.0])
            }
            (Scalar::U32, Scalar::Pair) => {
                let zero = self.constant_u32(0);
                self.emit_op_at(origin, Op::CompositeConstruct, to, 1, &[id.0, zero.0])
            }
            (Scalar::Pair, Scalar::U32) => {
                self.emit_op_at(origin, Op::CompositeExtract, to, 1, &[id.0, 0])
            }
            // `OpBitcast` requires the same number of bits on both sides.
            _ if from.is_wide() == to.is_wide() => {
                self.emit_op_at(origin, Op::Bitcast, to, size, &[id.0])
            }
            _ => self.cast_by_words(id, to),
        }
    }

    /// Casts between 32 and 64 bits as integers, by zero extension and truncation.
    fn cast_by_words(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let wide_int = |scalar| {
            if scalar == Scalar::Pair {
                Scalar::Pair
            } else {
                Scalar::U64
            }
        };
        let from = self.value_info(id).scalar;
        let steps = if to.is_wide() {
            [Scalar::U32, wide_int(to), to]
        } else {
            [wide_int(from), Scalar::U32, to]
        };
        steps.into_iter().fold(id, |id, step| self.cast(id, step))
    }

    /// Emits the numeric form of a boolean as type `to`: the bits of 1.0 for a boolean of floats,
    /// or all ones for one of integers, if it is true, and 0 otherwise.
    fn emit_bool_to_number(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let info = self.value_info(id);
        let bits = if info.scalar == Scalar::BoolFloat {
            1.0f32.to_bits()
        } else {
            u32::MAX
        };
        let yes = self.constant_splat(to, u64::from(bits), info.size);
        let no = self.constant_splat(to, 0, info.size);
        let operands = [id.0, yes.id.0, no.id.0];
        self.emit_op_at(info.origin, Op::Select, to, info.size, &operands)
    }

    /// Emits the test that the bits of a number are not zero, as a boolean.
    fn emit_number_to_bool(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let info = self.value_info(id);
        let bits = info.scalar.as_int();
        let value = self.cast(id, bits);
        let zero = self.constant_splat(bits, 0, info.size);
        let operands = [value.0, zero.id.0];
        self.emit_op_at(info.origin, Op::INotEqual, to, info.size, &operands)
    }
}
