//! Results of instructions that write only some lanes.

use super::{
    Lane, ModuleWriter, Scalar, ValueBuilder, blend, compute_scalar, narrow, truth_scalar, wide,
};
use crate::analysis::is_comparison;
use glasm_ir::{Inst, Type, Width, WriteMask};

/// Converts the results of comparisons of halves and of 64-bit types to numbers. Results of 32-bit
/// types remain booleans until they are read as numbers.
pub(crate) fn convert_comparisons(
    w: &mut ValueBuilder,
    inst: &Inst,
    lanes: u8,
    mut values: [Lane; 4],
) -> [Lane; 4] {
    if !is_comparison(inst.op) || !(inst.ty == Type::F16 || inst.ty.width() == Width::W64) {
        return values;
    }
    let (scalar, bits) = if inst.ty == Type::F16 {
        // The bits of 1.0 in half precision.
        (Scalar::U32, 0x3c00)
    } else if inst.ty.is_float() {
        (Scalar::F64, 1.0f64.to_bits())
    } else {
        (w.wide_int(), u64::MAX)
    };
    for lane in WriteMask(lanes).lanes() {
        let yes = Lane::scalar(w.constant(scalar, bits));
        let no = Lane::scalar(w.constant(scalar, 0));
        let truth = std::mem::replace(&mut values[lane], yes);
        select_lanes(w, 1 << lane, scalar, &[truth; 4], &mut values, &[no; 4]);
    }
    values
}

/// Chooses the common type of old and new lanes: the type of booleans if all of them are booleans,
/// else the type of moved lanes.
pub(crate) fn choose_scalar(
    w: &ModuleWriter,
    ty: Type,
    lanes: u8,
    fresh: &[Lane; 4],
    old: &[Lane; 4],
) -> Scalar {
    let scalar = w.moved_scalar(ty);
    let truth = truth_scalar(ty);
    // A lane without a value reads as 0, but has no type to look up.
    let is_truth = |lane: &Lane| lane.id().is_some() && w.info(lane.id()).scalar == truth;
    let all = WriteMask(lanes)
        .lanes()
        .all(|lane| is_truth(&fresh[lane]) && is_truth(&old[lane]));
    if all { truth } else { scalar }
}

/// Computes `values[lane] = passes ? values[lane] : old[lane]`.
pub(crate) fn select_lanes(
    w: &mut ValueBuilder,
    lanes: u8,
    scalar: Scalar,
    passes: &[Lane; 4],
    values: &mut [Lane; 4],
    old: &[Lane; 4],
) {
    // A pair is a vector in SPIR-V, so four of them are not a vector that one instruction could
    // select.
    if scalar == Scalar::Pair {
        for lane in WriteMask(lanes).lanes() {
            values[lane] = wide::select(w, passes[lane], values[lane], old[lane]);
        }
        return;
    }
    let pass = w.gather_lanes(lanes, passes, Scalar::BoolInt);
    let new = w.gather_lanes(lanes, values, scalar);
    let old = w.gather_lanes(lanes, old, scalar);
    let selected = w.select(pass, new, old).spread(lanes);
    *values = blend(values, &selected, lanes);
}

/// Converts a result lane to the value that condition codes retain.
pub(crate) fn convert_to_code(w: &mut ValueBuilder, inst: &Inst, lane: Lane) -> Lane {
    if !lane.id().is_some() {
        return lane;
    }
    let scalar = w.info(lane.id()).scalar;
    if inst.ty == Type::F16 && !scalar.is_bool() {
        let half = w.lane_val(lane, Scalar::U32);
        return narrow::unpack_halves(w, half).lane(0);
    }
    let compute = compute_scalar(inst.ty, w.wide_ints);
    // 1.0 has the same flags as a float and as an integer. All ones are -1 as an integer but NaN as
    // a float, so they are combined with integer types only.
    let same_kind = scalar == compute
        || scalar == Scalar::BoolFloat
        || scalar == Scalar::BoolInt && !inst.ty.is_float();
    let converted = is_comparison(inst.op) && scalar.is_bool();
    if same_kind || converted {
        lane
    } else {
        Lane::scalar(w.scalar(lane, compute))
    }
}
