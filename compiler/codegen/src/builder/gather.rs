//! Lanes to vectors: reads lanes that lie in any values as one vector (or one scalar, where all are equal) of a given type,
//! in as few instructions as possible.

use super::{Builder, Cached, Home, Scalar, Val, ValueInfo};
use crate::words::ValueWord;
use glasm_ir::WriteMask;
use spirv::Op;

/// Where a lane's value is now: an id and the component of it. Lanes that lie in order in one value are numbers in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Lane(u32);

impl Lane {
    /// A lane that was never written; reads as 0.
    pub(crate) const UNDEFINED: Self = Self::scalar(ValueWord::NONE);

    /// A scalar value.
    #[inline]
    pub(crate) const fn scalar(id: ValueWord) -> Self {
        Self(id.0 << 2)
    }

    /// Component `component` of a vector.
    #[inline]
    pub(crate) const fn of(id: ValueWord, component: usize) -> Self {
        Self(id.0 << 2 | component as u32 & 3)
    }

    /// All components of a vector.
    #[inline]
    pub(crate) fn all_of(id: ValueWord) -> [Self; 4] {
        std::array::from_fn(|component| Self::of(id, component))
    }

    /// The value, or `NONE` for a lane that was never written.
    #[inline]
    pub(crate) const fn id(self) -> ValueWord {
        ValueWord(self.0 >> 2)
    }

    /// Which component of the value.
    #[inline]
    pub(crate) const fn component(self) -> usize {
        (self.0 & 3) as usize
    }

    /// Whether the lane was ever written.
    #[inline]
    pub(crate) const fn is_some(self) -> bool {
        self.0 >> 2 != 0
    }
}

/// Whether lanes are components of one value, in order.
#[inline]
fn is_run(lanes: &[Lane]) -> bool {
    (0u32..)
        .zip(lanes)
        .all(|(index, lane)| lane.0 == lanes[0].0 + index)
        && lanes[0].component() + lanes.len() <= 4
}

impl Val {
    /// Where component `index` is; a scalar stands for all of them.
    pub(crate) fn lane(self, index: usize) -> Lane {
        Lane::of(self.id, if self.size == 1 { 0 } else { index })
    }

    /// The components by lane of a destination; lanes besides `lanes` hold anything.
    #[inline]
    pub(crate) fn spread(self, lanes: u8) -> [Lane; 4] {
        if self.size == 1 {
            return [Lane::scalar(self.id); 4];
        }
        let mut values = Lane::all_of(self.id);
        if !is_prefix(lanes) {
            for (component, lane) in WriteMask(lanes).lanes().enumerate() {
                values[lane] = self.lane(component);
            }
        }
        values
    }
}

/// Whether lanes are the first ones, without a gap.
#[inline]
pub(crate) const fn is_prefix(lanes: u8) -> bool {
    lanes & (lanes + 1) == 0
}

impl Builder {
    /// `lanes` as a vector of type `to`; a scalar if all are equal.
    #[inline]
    pub(crate) fn gather(&mut self, lanes: &[Lane], to: Scalar) -> Val {
        let mut four = [Lane::UNDEFINED; 4];
        four[..lanes.len()].copy_from_slice(lanes);
        self.gather_first(&four, lanes.len() as u8, to)
    }

    /// [`gather`](Self::gather) of the first `size` of `lanes`.
    #[inline(always)]
    pub(crate) fn gather_first(&mut self, lanes: &[Lane; 4], size: u8, to: Scalar) -> Val {
        if let Some(val) = self.whole(lanes, size, to) {
            return val;
        }
        let lanes = &lanes[..usize::from(size)];
        if lanes.iter().all(|&lane| lane == lanes[0]) {
            return Val {
                id: self.scalar(lanes[0], to),
                scalar: to,
                size: 1,
            };
        }
        self.gather_mixed(lanes, to)
    }

    /// The value whose components are the first `size` of `lanes`, if there is one.
    #[inline(always)]
    pub(crate) fn whole(&self, lanes: &[Lane; 4], size: u8, to: Scalar) -> Option<Val> {
        let first = lanes[0];
        let info = self.info(first.id());
        let is_whole = info.size == size
            && info.scalar == to
            && first.is_some()
            && (size < 2 || lanes[1].0 == first.0 + 1)
            && (size < 3 || lanes[2].0 == first.0 + 2)
            && (size < 4 || lanes[3].0 == first.0 + 3);
        is_whole.then_some(Val {
            id: first.id(),
            scalar: to,
            size,
        })
    }

    /// `lanes` as a vector of as many components, splats included.
    pub(crate) fn gather_vector(&mut self, lanes: &[Lane], to: Scalar) -> Val {
        let val = self.gather(lanes, to);
        self.widen(val, lanes.len() as u8)
    }

    /// `val` with `size` components: a scalar is repeated.
    pub(crate) fn widen(&mut self, val: Val, size: u8) -> Val {
        if val.size == size {
            return val;
        }
        Val {
            id: self.splat(val.id, size),
            scalar: val.scalar,
            size,
        }
    }

    /// The lane as a scalar of type `to`.
    pub(crate) fn scalar(&mut self, lane: Lane, to: Scalar) -> ValueWord {
        if !lane.is_some() {
            return self.constant(to, 0);
        }
        let info = self.info(lane.id());
        if info.size == 1 {
            return self.cast(lane.id(), to);
        }
        if info.scalar != to {
            // If the whole vector was cast before, its component has the right type already.
            let cast = self.derived(lane.id()).casts[usize::from(to.is_float())];
            if cast.is_some() && self.info(cast).scalar == to {
                return self.extract(cast, lane.component());
            }
        }
        let part = self.extract(lane.id(), lane.component());
        self.cast(part, to)
    }

    /// Component `component` of a vector.
    pub(crate) fn extract(&mut self, id: ValueWord, component: usize) -> ValueWord {
        let ValueInfo {
            size, home, scalar, ..
        } = self.info(id);
        if size == 1 {
            return id;
        }
        let known = self.derived(id).parts[component];
        if known.is_some() {
            return known;
        }
        let operands = &[id.0, component as u32];
        let part = self.derive(home, Op::CompositeExtract, scalar, 1, operands);
        self.keep_part(id, component, part);
        part
    }

    /// Keeps the value of a component, or of a splat, until the branch ends.
    fn keep_part(&mut self, id: ValueWord, index: usize, part: ValueWord) {
        self.derived_mut(id).parts[index] = part;
        if self.info(id).home == Home::Body {
            self.remember(Cached::Part(id, index as u8));
        }
    }

    /// A vector of `size` copies of a scalar.
    pub(crate) fn splat(&mut self, id: ValueWord, size: u8) -> ValueWord {
        if size == 1 {
            return id;
        }
        let known = self.derived(id).parts[size as usize - 1];
        if known.is_some() {
            return known;
        }
        let ValueInfo { home, scalar, .. } = self.info(id);
        if home == Home::Constant {
            return self.composite(scalar, &[id; 4][..size as usize]);
        }
        let words = &[id.0; 4][..size as usize];
        let splat = self.derive(home, Op::CompositeConstruct, scalar, size, words);
        self.keep_part(id, size as usize - 1, splat);
        splat
    }

    /// The whole value read as type `to`.
    #[inline(always)]
    pub(crate) fn cast(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        if self.info(id).scalar == to {
            return id;
        }
        self.cast_other(id, to)
    }

    fn cast_other(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let info = self.info(id);
        if info.home == Home::Constant {
            return self.cast_constant(id, to);
        }
        let index = usize::from(to.is_float());
        let known = self.derived(id).casts[index];
        if known.is_some() && self.info(known).scalar == to {
            return known;
        }
        let cast = self.write_cast(id, to);
        if !info.scalar.is_bool() && cast != id {
            // The way back needs no instruction.
            self.derived_mut(cast).casts[usize::from(info.scalar.is_float())] = id;
        }
        // There is one place for integers and one for floats: the first type asked for keeps it.
        if !known.is_some() {
            self.derived_mut(id).casts[index] = cast;
            if info.home == Home::Body {
                self.remember(Cached::Cast(id, index as u8));
            }
        }
        cast
    }

    fn cast_constant(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let info = self.info(id);
        let known = *self.derived(id);
        if info.size > 1 {
            let parts = known.parts.map(|part| {
                if part.is_some() {
                    self.cast(part, to)
                } else {
                    part
                }
            });
            return self.composite(to, &parts[..info.size as usize]);
        }
        let bits = match (info.scalar, to) {
            (Scalar::BoolFloat | Scalar::BoolInt, Scalar::BoolFloat | Scalar::BoolInt) => {
                known.bits
            }
            (Scalar::BoolFloat, Scalar::F64) if known.bits != 0 => 1.0f64.to_bits(),
            (Scalar::BoolFloat, _) if known.bits != 0 => u64::from(1.0f32.to_bits()),
            (Scalar::BoolInt, _) if known.bits != 0 => u64::MAX,
            _ => known.bits,
        };
        self.constant(to, bits)
    }

    fn write_cast(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let info = self.info(id);
        let (home, size) = (info.home, info.size);
        match (info.scalar, to) {
            (Scalar::BoolFloat | Scalar::BoolInt, Scalar::BoolFloat | Scalar::BoolInt) => id,
            (Scalar::BoolFloat | Scalar::BoolInt, Scalar::F32 | Scalar::U32 | Scalar::S32) => {
                let bits = if info.scalar == Scalar::BoolFloat {
                    1.0f32.to_bits()
                } else {
                    u32::MAX
                };
                let yes = self.constant_splat(to, u64::from(bits), size);
                let no = self.constant_splat(to, 0, size);
                self.derive(home, Op::Select, to, size, &[id.0, yes.id.0, no.id.0])
            }
            (Scalar::F32 | Scalar::U32 | Scalar::S32, Scalar::F32 | Scalar::U32 | Scalar::S32)
            | (
                Scalar::F64 | Scalar::U64 | Scalar::Pair,
                Scalar::F64 | Scalar::U64 | Scalar::Pair,
            ) => self.derive(home, Op::Bitcast, to, size, &[id.0]),
            (Scalar::U32, Scalar::U64) => self.derive(home, Op::UConvert, to, size, &[id.0]),
            (Scalar::U64, Scalar::U32) => self.derive(home, Op::UConvert, to, size, &[id.0]),
            (Scalar::U32, Scalar::Pair) => {
                let zero = self.uint(0);
                self.derive(home, Op::CompositeConstruct, to, 1, &[id.0, zero.0])
            }
            (Scalar::Pair, Scalar::U32) => {
                self.derive(home, Op::CompositeExtract, to, 1, &[id.0, 0])
            }
            (_, Scalar::F64 | Scalar::U64 | Scalar::Pair) => {
                let words = self.cast(id, Scalar::U32);
                let wide = if to == Scalar::Pair {
                    Scalar::Pair
                } else {
                    Scalar::U64
                };
                let wide = self.cast(words, wide);
                self.cast(wide, to)
            }
            (_, Scalar::BoolFloat | Scalar::BoolInt) => {
                let bits = if info.scalar.is_wide() {
                    Scalar::U64
                } else {
                    Scalar::U32
                };
                let value = self.cast(id, bits);
                let zero = self.constant_splat(bits, 0, size);
                self.derive(home, Op::INotEqual, to, size, &[value.0, zero.id.0])
            }
            (from, _) => {
                let wide = if from == Scalar::Pair {
                    Scalar::Pair
                } else {
                    Scalar::U64
                };
                let wide = self.cast(id, wide);
                let words = self.cast(wide, Scalar::U32);
                self.cast(words, to)
            }
        }
    }

    /// Lanes of different values: a constant, a shuffle, an insertion or a construction.
    fn gather_mixed(&mut self, lanes: &[Lane], to: Scalar) -> Val {
        let size = lanes.len();
        let first = lanes[0].id();
        if first.is_some() && lanes.iter().all(|lane| lane.id() == first) {
            let info = self.info(first);
            if info.scalar == to && info.home != Home::Constant && to != Scalar::Pair {
                return Val {
                    id: self.swizzle(first, lanes),
                    scalar: to,
                    size: size as u8,
                };
            }
            // In the right type the value may do as it is.
            let id = self.cast(first, to);
            // A pair is a vector in SPIR-V, and there are no vectors of vectors: pairs always go lane by lane.
            if id != first && to != Scalar::Pair && info.scalar != Scalar::Pair {
                let mut same = [Lane::UNDEFINED; 4];
                for (same, lane) in same.iter_mut().zip(lanes) {
                    *same = Lane::of(id, lane.component());
                }
                return self.gather(&same[..size], to);
            }
        }
        let mut cast = [Lane::UNDEFINED; 4];
        for (to_lane, &lane) in cast.iter_mut().zip(lanes) {
            *to_lane = self.cast_lane(lane, to);
        }
        let cast = &cast[..size];
        let id = if cast
            .iter()
            .all(|lane| self.info(lane.id()).home == Home::Constant)
        {
            let mut parts = [ValueWord::NONE; 4];
            for (part, lane) in parts.iter_mut().zip(cast) {
                *part = self.extract(lane.id(), lane.component());
            }
            self.composite(to, &parts[..size])
        } else {
            self.shuffle(cast, to)
                .or_else(|| self.insert(cast, to))
                .unwrap_or_else(|| self.construct(cast, to))
        };
        Val {
            id,
            scalar: to,
            size: size as u8,
        }
    }

    fn cast_lane(&mut self, lane: Lane, to: Scalar) -> Lane {
        if !lane.is_some() {
            return Lane::scalar(self.constant(to, 0));
        }
        let info = self.info(lane.id());
        if info.scalar == Scalar::Pair || to == Scalar::Pair {
            return Lane::scalar(self.scalar(lane, to));
        }
        // Constants are taken apart, so that vectors made of them are constants again.
        if info.home == Home::Constant {
            let part = self.extract(lane.id(), lane.component());
            return Lane::scalar(self.cast(part, to));
        }
        Lane::of(self.cast(lane.id(), to), lane.component())
    }

    /// The part of the function where a value derived from all of `lanes` can live.
    fn common_home(&self, lanes: &[Lane]) -> Home {
        lanes
            .iter()
            .map(|lane| self.info(lane.id()).home)
            .max()
            .unwrap_or(Home::Body)
    }

    /// One `OpVectorShuffle`, if the lanes come from at most two vectors (constants count as one).
    fn shuffle(&mut self, lanes: &[Lane], to: Scalar) -> Option<ValueWord> {
        let mut vectors = [ValueWord::NONE; 2];
        let mut constants = [ValueWord::NONE; 4];
        let (mut vector_count, mut constant_count) = (0, 0);
        for lane in lanes {
            let info = self.info(lane.id());
            if info.home == Home::Constant {
                if !constants[..constant_count].contains(&lane.id()) {
                    constants[constant_count] = lane.id();
                    constant_count += 1;
                }
            } else if info.size == 1 {
                return None;
            } else if !vectors[..vector_count].contains(&lane.id()) {
                if vector_count == 2 {
                    return None;
                }
                vectors[vector_count] = lane.id();
                vector_count += 1;
            }
        }
        if constant_count > 0 {
            if vector_count == 2 || self.is_construction(lanes) {
                return None;
            }
            // Vectors have at least two components.
            let parts = if constant_count == 1 {
                &[constants[0]; 2][..]
            } else {
                &constants[..constant_count]
            };
            vectors[1] = self.composite(to, parts);
        } else if vector_count == 1 {
            return Some(self.swizzle(vectors[0], lanes));
        } else if self.is_construction(lanes) {
            return None;
        }
        let first_size = u32::from(self.info(vectors[0]).size);
        let mut operands = [vectors[0].0, vectors[1].0, 0, 0, 0, 0];
        for (operand, lane) in operands[2..].iter_mut().zip(lanes) {
            *operand = if lane.id() == vectors[0] {
                lane.component() as u32
            } else if let Some(position) = constants.iter().position(|&id| id == lane.id()) {
                first_size + position as u32
            } else {
                first_size + lane.component() as u32
            };
        }
        let home = self.common_home(lanes);
        Some(self.derive(
            home,
            Op::VectorShuffle,
            to,
            lanes.len() as u8,
            &operands[..2 + lanes.len()],
        ))
    }

    /// Components of one vector; the same ones twice are the same value.
    fn swizzle(&mut self, id: ValueWord, lanes: &[Lane]) -> ValueWord {
        // The number of components stands before the picks, so that (x, x) and (x, x, x) differ. Bit 63 tells these keys from those
        // of tests, which the map holds as well.
        let picks = lanes.iter().fold(lanes.len() as u64, |picks, lane| {
            picks << 4 | lane.component() as u64
        });
        let key = 1 << 63 | u64::from(id.0) << 24 | picks;
        if let Some(&known) = self.results.get(&key) {
            return known;
        }
        let (home, scalar) = (self.info(id).home, self.info(id).scalar);
        let mut operands = [id.0, id.0, 0, 0, 0, 0];
        for (operand, lane) in operands[2..].iter_mut().zip(lanes) {
            *operand = lane.component() as u32;
        }
        let size = lanes.len();
        let value = self.derive(
            home,
            Op::VectorShuffle,
            scalar,
            size as u8,
            &operands[..2 + size],
        );
        self.results.insert(key, value);
        if home == Home::Body {
            self.remember(Cached::Key(key));
        }
        value
    }

    /// Whether the lanes are whole values in a row, so that one construction suffices.
    fn is_construction(&self, lanes: &[Lane]) -> bool {
        let mut rest = lanes;
        while let Some(first) = rest.first() {
            let size = self.info(first.id()).size as usize;
            if size > rest.len() || !is_run(&rest[..size]) || first.component() != 0 {
                return false;
            }
            rest = &rest[size..];
        }
        true
    }

    /// One `OpCompositeInsert`, if all lanes but one are in place in a vector.
    fn insert(&mut self, lanes: &[Lane], to: Scalar) -> Option<ValueWord> {
        if self.is_construction(lanes) {
            return None;
        }
        // All lanes but one come from the base, so one of the first two does.
        let (odd, base) = (0..2).map(|index| lanes[index].id()).find_map(|base| {
            if self.info(base).size as usize != lanes.len() {
                return None;
            }
            let mut odd = None;
            for (index, lane) in lanes.iter().enumerate() {
                if lane.id() != base || lane.component() != index {
                    if odd.is_some() {
                        return None;
                    }
                    odd = Some(index);
                }
            }
            odd.map(|odd| (odd, base))
        })?;
        let value = self.extract(lanes[odd].id(), lanes[odd].component());
        let home = self.common_home(lanes);
        Some(self.derive(
            home,
            Op::CompositeInsert,
            to,
            lanes.len() as u8,
            &[value.0, base.0, odd as u32],
        ))
    }

    /// An `OpCompositeConstruct` of whole vectors, parts of vectors and scalars.
    fn construct(&mut self, lanes: &[Lane], to: Scalar) -> ValueWord {
        let mut operands = [0; 4];
        let mut count = 0;
        let mut rest = lanes;
        while let Some(&first) = rest.first() {
            let size = self.info(first.id()).size;
            let run = if size == 1 {
                1
            } else {
                rest.iter()
                    .take_while(|lane| lane.id() == first.id())
                    .count()
            };
            operands[count] = if run == 1 {
                self.extract(first.id(), first.component()).0
            } else {
                self.gather(&rest[..run], to).id.0
            };
            // A repeated component came back as one scalar.
            if run > 1 && self.info(ValueWord(operands[count])).size == 1 {
                operands[count] = self.splat(ValueWord(operands[count]), run as u8).0;
            }
            count += 1;
            rest = &rest[run..];
        }
        let home = self.common_home(lanes);
        let value = self.derive(
            home,
            Op::CompositeConstruct,
            to,
            lanes.len() as u8,
            &operands[..count],
        );
        // Each operand is one component: these need no extraction later.
        if count == lanes.len() {
            self.derived_mut(value).parts = operands.map(ValueWord);
        }
        value
    }
}
