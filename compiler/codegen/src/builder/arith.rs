//! Arithmetic of values: sums, products, logarithms, signs, clamps; operands with their modifiers.

use super::{Builder, Extreme, Lane, ResultKey, Scalar, Val, blend, compute_scalar, truth_scalar};
use crate::analysis::is_comparison;
use glasm_ir::{Inst, Saturate, Src, Type, Width, WriteMask, interp};
use spirv::{GlslStd450Op as GlslOp, Op, Op as Spv};

impl Builder {
    pub(crate) fn sum(&mut self, a: Val, b: Val) -> Val {
        // Integers of either sign have one sum in two's complement, so registers need not know theirs.
        let op = if a.scalar.is_float() {
            Spv::FAdd
        } else {
            Spv::IAdd
        };
        self.binary(op, a, b)
    }

    /// The product of two values of one type. A vector times a scalar is one instruction.
    pub(crate) fn multiply(&mut self, a: Val, b: Val) -> Val {
        if !a.scalar.is_float() {
            // The low half of a product is the same for signed and unsigned factors.
            return self.binary(Spv::IMul, a, b);
        }
        if self.zero_product && a.scalar == Scalar::F32 {
            return self.legacy_product(a, b);
        }
        // Constant factors go on as vectors: `binary` folds products by 1, and a constant vector costs no instruction.
        // `OpVectorTimesScalar` takes the scalar as it is; a product of vectors would need a construction for it.
        match (a.size, b.size) {
            (1, 1) => self.binary(Spv::FMul, a, b),
            (_, 1) if self.splat_bits(b).is_none() => self.scaled(a, b),
            (1, _) if self.splat_bits(a).is_none() => self.scaled(b, a),
            _ => self.binary(Spv::FMul, a, b),
        }
    }

    fn scaled(&mut self, vector: Val, factor: Val) -> Val {
        let op = Spv::VectorTimesScalar;
        let operands = [vector.id.0, factor.id.0];
        let val = self.op(op, vector.scalar, vector.size, &operands);
        self.decorate_result(val, op);
        val
    }

    /// A product in which zero of either sign times anything is +0 (NV_vertex_program section 2.14.1.11).
    fn legacy_product(&mut self, a: Val, b: Val) -> Val {
        if a.id == b.id {
            // Squares need no test: 0 * 0 is +0 anyway.
            return self.binary(Spv::FMul, a, b);
        }
        let zero = match (self.known_zero(a), self.known_zero(b)) {
            // Whatever the other factor is, infinities and NaN included.
            (Some(true), _) | (_, Some(true)) => {
                return self.constant_splat(a.scalar, 0, a.size.max(b.size));
            }
            (Some(false), Some(false)) => return self.binary(Spv::FMul, a, b),
            (Some(false), None) => self.test_zero(b),
            (None, Some(false)) => self.test_zero(a),
            (None, None) => {
                let a_zero = self.test_zero(a);
                let b_zero = self.test_zero(b);
                self.test(Spv::LogicalOr, a_zero, b_zero)
            }
        };
        let product = self.binary(Spv::FMul, a, b);
        let nothing = self.constant_like(product, 0);
        self.select(zero, nothing, product)
    }

    /// Where a factor is zero. The device tests it even if it is a constant: whether it takes a denormal factor for zero is known
    /// only there, and the product must agree with the test.
    fn test_zero(&mut self, a: Val) -> Val {
        let zero = self.constant_like(a, 0);
        let operands = [a.id.0, zero.id.0];
        self.op(Spv::FOrdEqual, Scalar::BoolInt, a.size, &operands)
    }

    /// Whether all components of a constant are zero, or none is; `None` if the device has to find out.
    fn known_zero(&self, a: Val) -> Option<bool> {
        let value = f32::from_bits(self.splat_bits(a)? as u32);
        // Devices may take denormals for zero.
        (!value.is_subnormal()).then_some(value == 0.0)
    }

    /// Notes that `val` is a number and not below `bound`: if that is a constant, it tells logarithms what they need not test.
    pub(crate) fn note_lower_bound(&mut self, val: Val, bound: Val) {
        let Some(bits) = self.splat_bits(bound) else {
            return;
        };
        let bound = f32::from_bits(bits as u32);
        let is_known = val.scalar == Scalar::F32 && bound >= 0.0;
        if is_known {
            // Devices may take denormals for zero.
            let key = match bound.is_normal() {
                true => ResultKey::POSITIVE,
                false => ResultKey::NOT_NEGATIVE,
            };
            self.keep_result(val.id, key, val.id);
        }
    }

    /// `log2(a)`. GLSL.std.450 leaves it undefined for 0 and below: here 0 gives -inf; negative numbers and NaN give NaN.
    pub(crate) fn log2_of(&mut self, a: Val) -> Val {
        let log = self.ext(GlslOp::Log2, &[a]);
        if self.known_result(a.id, ResultKey::POSITIVE).is_some() {
            return log;
        }
        let infinity = self.float_like(a, f64::NEG_INFINITY);
        let is_number = self.known_result(a.id, ResultKey::NOT_NEGATIVE).is_some();
        let special = if is_number {
            infinity
        } else {
            let zero = self.compare_bits(Spv::FOrdEqual, a, 0);
            let nan = self.float_like(a, f64::NAN);
            self.select(zero, infinity, nan)
        };
        // An ordered comparison, which NaN fails: it gets the NaN of `special`.
        let positive = self.compare_bits(Spv::FOrdGreaterThan, a, 0);
        self.select(positive, log, special)
    }

    /// The scalar in which lanes of type `ty` are read.
    pub(crate) fn read_scalar(&self, ty: Type) -> Scalar {
        // Registers hold halves as bits in the low 16 bits of a word (NV_gpu_program5 section 2.X.8.Z, CVT).
        if ty == Type::F16 {
            return Scalar::U32;
        }
        compute_scalar(ty, self.wide_ints)
    }

    /// The scalar of lanes of type `ty` that are only moved: doubles are bits on devices without them.
    pub(crate) fn moved_scalar(&self, ty: Type) -> Scalar {
        match ty == Type::F64 && !self.device.float64 {
            true => self.wide_int(),
            false => self.read_scalar(ty),
        }
    }

    /// Absolute value, then negation: NV_gpu_program4 section 2.X.4.2.
    pub(crate) fn modify(&mut self, mut val: Val, src: &Src, ty: Type) -> Val {
        if self.is_constant(val.id) {
            return self.modified_constant(val, src, ty);
        }
        if src.abs {
            val = self.absolute(val, ty);
        }
        if src.negate {
            val = self.negate(val, ty);
        }
        val
    }

    fn modified_constant(&mut self, val: Val, src: &Src, ty: Type) -> Val {
        let parts = self.constant_parts(val).unwrap_or_default();
        // Halves have been converted to floats before they come here.
        let ty = if ty == Type::F16 { Type::F32 } else { ty };
        let parts = parts.map(|bits| interp::operand(src, ty, bits));
        self.constant_of(val.scalar, parts, val.size)
    }

    /// `|val|` by type; unsigned values stay (NV_gpu_program4 section 2.X.4.2).
    fn absolute(&mut self, val: Val, ty: Type) -> Val {
        if ty.is_float() {
            self.ext(GlslOp::FAbs, &[val])
        } else if !ty.is_signed_int() {
            val
        } else if val.scalar == Scalar::Pair {
            self.wide_abs(val)
        } else {
            self.ext(GlslOp::SAbs, &[val])
        }
    }

    /// `-val` by type; two's complement for integers.
    fn negate(&mut self, val: Val, ty: Type) -> Val {
        if ty.is_float() {
            self.unary(Op::FNegate, val)
        } else if val.scalar == Scalar::Pair {
            self.wide_negate(val)
        } else {
            self.unary(Op::SNegate, val)
        }
    }

    /// Makes numbers of the results of comparisons of halves and of 64-bit types. Those of 32-bit types stay booleans until they
    /// are read as numbers.
    pub(crate) fn materialize(
        &mut self,
        inst: &Inst,
        lanes: u8,
        mut values: [Lane; 4],
    ) -> [Lane; 4] {
        if !is_comparison(inst.op) || !(inst.ty == Type::F16 || inst.ty.width() == Width::W64) {
            return values;
        }
        let (scalar, bits) = match inst.ty.is_float() {
            // The bits of 1.0 in half precision.
            true if inst.ty == Type::F16 => (Scalar::U32, 0x3c00),
            true => (Scalar::F64, 1.0f64.to_bits()),
            false => (self.wide_int(), u64::MAX),
        };
        for lane in WriteMask(lanes).lanes() {
            let yes = Lane::scalar(self.constant(scalar, bits));
            let no = Lane::scalar(self.constant(scalar, 0));
            let truth = std::mem::replace(&mut values[lane], yes);
            self.select_lanes(1 << lane, scalar, &[truth; 4], &mut values, &[no; 4]);
        }
        values
    }

    /// The lesser or the greater one of two values, where `greater` tells whether that is the first.
    pub(crate) fn extreme(&mut self, which: Extreme, greater: Val, a: Val, b: Val) -> Val {
        match which {
            Extreme::Min => self.select(greater, b, a),
            Extreme::Max => self.select(greater, a, b),
        }
    }

    pub(crate) fn clamp(&mut self, val: Val, saturate: Saturate) -> Val {
        let low = self.float_like(val, saturate.low());
        let high = self.float_like(val, 1.0);
        // `FClamp` would leave open what NaN gives.
        let clamped = self.ext(GlslOp::NClamp, &[val, low, high]);
        if !saturate.keeps_nan() {
            return clamped;
        }
        // `NClamp` makes the lower bound of NaN.
        let nan = self.test(Op::FUnordNotEqual, val, val);
        self.select(nan, val, clamped)
    }

    /// The type in which old and new lanes meet: that of truth values if all of them are truth values, else that of moved lanes.
    pub(crate) fn guard_scalar(
        &self,
        ty: Type,
        lanes: u8,
        fresh: &[Lane; 4],
        old: &[Lane; 4],
    ) -> Scalar {
        let scalar = self.moved_scalar(ty);
        let truth = truth_scalar(ty);
        // A lane without a value reads as 0, but has no type that could be looked up.
        let is_truth = |lane: &Lane| lane.id().is_some() && self.info(lane.id()).scalar == truth;
        let all = WriteMask(lanes)
            .lanes()
            .all(|lane| is_truth(&fresh[lane]) && is_truth(&old[lane]));
        if all { truth } else { scalar }
    }

    /// `values[lane] = passes ? values[lane] : old[lane]`
    pub(crate) fn select_lanes(
        &mut self,
        lanes: u8,
        scalar: Scalar,
        passes: &[Lane; 4],
        values: &mut [Lane; 4],
        old: &[Lane; 4],
    ) {
        // A pair is a vector in SPIR-V, so that four of them make no vector to select at once.
        if scalar == Scalar::Pair {
            for lane in WriteMask(lanes).lanes() {
                values[lane] = self.wide_select(passes[lane], values[lane], old[lane]);
            }
            return;
        }
        let pass = self.gather_lanes(lanes, passes, Scalar::BoolInt);
        let new = self.gather_lanes(lanes, values, scalar);
        let old = self.gather_lanes(lanes, old, scalar);
        let selected = self.select(pass, new, old).spread(lanes);
        *values = blend(values, &selected, lanes);
    }

    /// The value that condition codes keep of a result lane.
    pub(crate) fn code_value(&mut self, inst: &Inst, lane: Lane) -> Lane {
        if !lane.id().is_some() {
            return lane;
        }
        let scalar = self.info(lane.id()).scalar;
        if inst.ty == Type::F16 && !scalar.is_bool() {
            let half = self.lane_val(lane, Scalar::U32);
            return self.half_to_float(half).lane(0);
        }
        let compute = compute_scalar(inst.ty, self.wide_ints);
        // The number 1.0 has the same flags as a float and as an integer. All ones are -1 as an integer but NaN as a float, so
        // those go with integer types only.
        let same_kind = scalar == compute
            || scalar == Scalar::BoolFloat
            || scalar == Scalar::BoolInt && !inst.ty.is_float();
        let converted = is_comparison(inst.op) && scalar.is_bool();
        if same_kind || converted {
            lane
        } else {
            Lane::scalar(self.scalar(lane, compute))
        }
    }
}
