//! Gathering of lanes: reads lanes of any values as one vector (or one scalar, if all are equal) of
//! a given type, in as few instructions as possible.

use super::{Cached, Home, Lane, Picks, ResultKey, Scalar, Val, ValueBuilder, construct};
use crate::builder::lane::{are_of_one_value, is_prefix};
use crate::builder::value::ValueInfo;
use crate::words::ValueWord;
use glasm_ir::{Swizzle, WriteMask};
use spirv::Op;

impl ValueBuilder {
    /// Gathers `lanes` into a vector of type `to`; returns a scalar if all are equal.
    pub(crate) fn gather(&mut self, lanes: &[Lane], to: Scalar) -> Val {
        // Comparisons always read four lanes.
        let four = std::array::from_fn(|place| *lanes.get(place).unwrap_or(&lanes[0]));
        self.gather_first(&four, lanes.len() as u8, to)
    }

    /// Gathers the first `size` of `lanes` like [`gather`](Self::gather); the other lanes repeat
    /// the first one.
    pub(crate) fn gather_first(&mut self, lanes: &[Lane; 4], size: u8, to: Scalar) -> Val {
        if let Some(val) = self.find_whole(lanes, size, to) {
            return val;
        }
        if lanes[1..] == [lanes[0]; 3] {
            return Val::new(self.scalar(lanes[0], to), to, 1);
        }
        // A swizzle of one value is one instruction in any order.
        let of_one = if are_of_one_value(lanes) {
            self.gather_one(lanes, size, to)
        } else {
            None
        };
        let id = match of_one {
            Some(id) => id,
            None => construct::gather_mixed(self, &lanes[..usize::from(size)], to),
        };
        Val::new(id, to, size)
    }

    /// Gathers the picked lanes of `base` like [`gather`](Self::gather); returns 0 if there are
    /// none.
    pub(crate) fn gather_picks(&mut self, base: &[Lane; 4], picks: Picks, to: Scalar) -> Val {
        let from = picks.of(base);
        match (picks.size, to) {
            (0, _) => {
                let zero = self.constant(to, 0);
                self.val(zero)
            }
            // Instructions on pairs process lanes individually and request one lane at a time.
            (_, Scalar::Pair) => self.gather_first(&[from[0]; 4], 1, to),
            (size, _) => self.gather_first(&from, size, to),
        }
    }

    /// Gathers the lanes `lanes` of `from` like [`gather`](Self::gather).
    pub(crate) fn gather_lanes(&mut self, lanes: u8, from: &[Lane; 4], to: Scalar) -> Val {
        match self.find_available(from, Swizzle::XYZW, lanes, to) {
            Some(val) => val,
            None => self.gather_picks(from, Picks::new(Swizzle::XYZW, lanes), to),
        }
    }

    /// Returns the value that a source reads, if no instruction is needed: a whole value, or a
    /// component that was extracted before.
    #[inline(always)]
    pub(crate) fn find_available(
        &self,
        base: &[Lane; 4],
        swizzle: Swizzle,
        lanes: u8,
        to: Scalar,
    ) -> Option<Val> {
        if swizzle == Swizzle::XYZW && is_prefix(lanes) {
            return self.find_whole(base, WriteMask(lanes).count() as u8, to);
        }
        // More than one lane, and not all from one component.
        if lanes & lanes.wrapping_sub(1) != 0 && !swizzle.is_splat() {
            return None;
        }
        let lane = base[swizzle.lane(lanes.trailing_zeros() as usize & 3)];
        let info = self.info(lane.id());
        let id = match info.size {
            1 => lane.id(),
            _ => self.derived(lane.id()).parts[lane.component()],
        };
        let is_known = id.is_some() && info.scalar == to && lanes != 0;
        is_known.then_some(Val::new(id, to, 1))
    }

    /// Returns the value whose components are the first `size` of `lanes`, or the scalar that all
    /// of them are, if there is one.
    #[inline(always)]
    pub(crate) fn find_whole(&self, lanes: &[Lane; 4], size: u8, to: Scalar) -> Option<Val> {
        let first = lanes[0];
        let info = self.info(first.id());
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
        let second = lanes[1].differs(first, step);
        let third = lanes[2].differs(first, 2 * step);
        let fourth = lanes[3].differs(first, 3 * step);
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

    /// Gathers the picked lanes of `base` if they belong to a vector of the right type that is not
    /// a constant.
    #[inline(always)]
    pub(crate) fn gather_vector_of(
        &mut self,
        base: &[Lane; 4],
        picks: Picks,
        to: Scalar,
    ) -> Option<Val> {
        let id = base[0].id();
        let info = self.info(id);
        // Registers that were written as a whole, which are most of them.
        let is_vector = info.size == 4 && info.scalar == to && info.home != Home::Constant;
        if !is_vector || *base != Lane::all_of(id) || picks.size == 0 {
            return None;
        }
        let (id, size) = if picks.components.is_splat() {
            (self.extract(id, picks.components.lane(0)), 1)
        } else if picks == Picks::new(Swizzle::XYZW, 15) {
            (id, 4)
        } else {
            (self.swizzle(id, picks), picks.size)
        };
        Some(Val::new(id, to, size))
    }

    /// Gathers lanes of one value in any order, unless they have to be read individually.
    fn gather_one(&mut self, lanes: &[Lane; 4], size: u8, to: Scalar) -> Option<ValueWord> {
        let id = lanes[0].id();
        let info = self.info(id);
        // A pair is a vector in SPIR-V, which has no vectors of vectors: pairs are always processed
        // lane by lane.
        if to == Scalar::Pair || info.scalar == Scalar::Pair {
            return None;
        }
        if info.scalar == to {
            // Constants are decomposed, so that vectors of them are constants again.
            let picks = Picks::of_components(lanes, size);
            return (info.home != Home::Constant).then(|| self.swizzle(id, picks));
        }
        // The value may already have the right type.
        let cast = self.cast(id, to);
        if cast == id {
            return None;
        }
        let same = lanes.map(|lane| Lane::of(cast, lane.component()));
        Some(self.gather_first(&same, size, to).id)
    }

    /// Gathers `lanes` into a vector of the same number of components, including splats.
    pub(crate) fn gather_vector(&mut self, lanes: &[Lane], to: Scalar) -> Val {
        let val = self.gather(lanes, to);
        self.widen(val, lanes.len() as u8)
    }

    /// Widens `val` to `size` components: a scalar is repeated.
    #[inline]
    pub(crate) fn widen(&mut self, val: Val, size: u8) -> Val {
        if val.size == size {
            return val;
        }
        let id = self.splat(val.id, size);
        Val { id, size, ..val }
    }

    /// Reads the lane as a scalar of type `to`.
    pub(crate) fn scalar(&mut self, lane: Lane, to: Scalar) -> ValueWord {
        if !lane.is_some() {
            return self.constant(to, 0);
        }
        let info = self.info(lane.id());
        if info.size == 1 {
            return self.cast(lane.id(), to);
        }
        if info.scalar != to {
            // If the whole vector has been cast, its component already has the right type.
            let cast = self.derived(lane.id()).casts[usize::from(to.is_float())];
            if cast.is_some() && self.info(cast).scalar == to {
                return self.extract(cast, lane.component());
            }
        }
        let part = self.extract(lane.id(), lane.component());
        self.cast(part, to)
    }

    /// Extracts component `component` of a vector.
    #[inline]
    pub(crate) fn extract(&mut self, id: ValueWord, component: usize) -> ValueWord {
        let info = self.info(id);
        if info.size == 1 {
            return id;
        }
        let known = self.derived(id).parts[component];
        if known.is_some() {
            return known;
        }
        self.extract_new(id, component)
    }

    fn extract_new(&mut self, id: ValueWord, component: usize) -> ValueWord {
        let info = self.info(id);
        let operands = [id.0, component as u32];
        let part = self.derive(info.home, Op::CompositeExtract, info.scalar, 1, &operands);
        self.keep_part(id, component, part);
        part
    }

    /// Caches the value of a component, or of a splat, until the branch ends.
    fn keep_part(&mut self, id: ValueWord, index: usize, part: ValueWord) {
        self.derived_mut(id).parts[index] = part;
        if self.info(id).home == Home::Body {
            self.remember(Cached::Part(id, index as u8));
        }
    }

    /// Emits a vector of `size` copies of a scalar.
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
        let info = self.info(id);
        if info.home == Home::Constant {
            return self.composite(info.scalar, &[id; 4][..=last]);
        }
        let splat = self.new_splat(id, size);
        self.keep_part(id, last, splat);
        splat
    }

    fn new_splat(&mut self, id: ValueWord, size: u8) -> ValueWord {
        let ValueInfo { home, scalar, .. } = self.info(id);
        let op = Op::CompositeConstruct;
        match size {
            2 => self.derive(home, op, scalar, size, &[id.0; 2]),
            3 => self.derive(home, op, scalar, size, &[id.0; 3]),
            _ => self.derive(home, op, scalar, size, &[id.0; 4]),
        }
    }

    /// Shuffles components of one vector; equal shuffles return the same value.
    pub(super) fn swizzle(&mut self, id: ValueWord, picks: Picks) -> ValueWord {
        let key = ResultKey::swizzle(picks);
        if let Some(known) = self.find_result(id, key) {
            return known;
        }
        let value = self.new_swizzle(id, picks);
        self.keep_result(id, key, value);
        if self.info(id).home == Home::Body {
            self.remember(Cached::Result(id, key));
        }
        value
    }

    fn new_swizzle(&mut self, id: ValueWord, Picks { components, size }: Picks) -> ValueWord {
        let ValueInfo { home, scalar, .. } = self.info(id);
        let [a, b, c, d] = [0, 1, 2, 3].map(|index| components.lane(index) as u32);
        let op = Op::VectorShuffle;
        match size {
            2 => self.derive(home, op, scalar, size, &[id.0, id.0, a, b]),
            3 => self.derive(home, op, scalar, size, &[id.0, id.0, a, b, c]),
            _ => self.derive(home, op, scalar, size, &[id.0, id.0, a, b, c, d]),
        }
    }

    /// Reads a lane as a value of type `to`.
    pub(crate) fn lane_val(&mut self, lane: Lane, to: Scalar) -> Val {
        let id = self.scalar(lane, to);
        self.val(id)
    }

    /// Returns the components of a vector, then zeros.
    pub(crate) fn fill_with_zeros(&mut self, val: Val) -> [Lane; 4] {
        let zero = Lane::scalar(self.constant(val.scalar, 0));
        Lane::first_of(val.id, val.size, [zero; 4])
    }

    /// Gathers the first `size` components of a value.
    pub(crate) fn take_components(&mut self, val: Val, size: u8) -> Val {
        if val.size <= size {
            return val;
        }
        self.gather_vector(&val.lanes()[..usize::from(size)], val.scalar)
    }
}
