//! Results of instructions that write only some lanes.

use super::{
    Lane, ModuleWriter, Scalar, ValueBuilder, arithmetic_scalar, blend, bool_scalar,
    float_narrowing, int64_emulation,
};
use crate::analysis::is_comparison;
use glasm_ir::{Inst, Type, Width, WriteMask};

/// Converts the lanes `lanes` of comparisons of halves and of 64-bit types to numbers: 1.0 or all
/// ones, and 0. Results of 32-bit types remain booleans until they are read as numbers; other
/// instructions are unchanged.
pub(crate) fn convert_comparisons(
    builder: &mut ValueBuilder,
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
        (builder.wide_int_scalar(), u64::MAX)
    };
    for lane in WriteMask(lanes).lanes() {
        let yes = Lane::scalar(builder.constant(scalar, bits));
        let no = Lane::scalar(builder.constant(scalar, 0));
        let truth = std::mem::replace(&mut values[lane], yes);
        select_lanes(
            builder,
            1 << lane,
            scalar,
            &[truth; 4],
            &mut values,
            &[no; 4],
        );
    }
    values
}

/// Chooses the common type of old and new lanes: the type of booleans if all of them are booleans,
/// else the type of moved lanes.
pub(crate) fn choose_common_scalar(
    module: &ModuleWriter,
    ty: Type,
    lanes: u8,
    fresh: &[Lane; 4],
    old: &[Lane; 4],
) -> Scalar {
    let scalar = module.copy_scalar(ty);
    let truth = bool_scalar(ty);
    // A lane without a value reads as 0, but has no type to look up.
    let is_truth =
        |lane: &Lane| lane.id().is_some() && module.value_info(lane.id()).scalar == truth;
    let all = WriteMask(lanes)
        .lanes()
        .all(|lane| is_truth(&fresh[lane]) && is_truth(&old[lane]));
    if all { truth } else { scalar }
}

/// Emits `values[lane] = passes[lane] ? values[lane] : old[lane]` for the lanes of a mask, as
/// values of type `scalar`; other lanes of `values` are unchanged.
pub(crate) fn select_lanes(
    builder: &mut ValueBuilder,
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
            values[lane] =
                int64_emulation::select_pair(builder, passes[lane], values[lane], old[lane]);
        }
        return;
    }
    let pass = builder.gather_lanes(lanes, passes, Scalar::BoolInt);
    let new = builder.gather_lanes(lanes, values, scalar);
    let old = builder.gather_lanes(lanes, old, scalar);
    let selected = builder.emit_select(pass, new, old).to_lanes(lanes);
    *values = blend(values, &selected, lanes);
}

/// Converts a result lane to the value that condition codes retain: with the type of the
/// instruction, of halves as a float. Results of comparisons are unchanged.
pub(crate) fn convert_to_code(builder: &mut ValueBuilder, inst: &Inst, lane: Lane) -> Lane {
    if !lane.id().is_some() {
        return lane;
    }
    let scalar = builder.value_info(lane.id()).scalar;
    if inst.ty == Type::F16 && !scalar.is_bool() {
        let half = builder.read_lane_val(lane, Scalar::U32);
        return float_narrowing::unpack_halves(builder, half).lane(0);
    }
    let compute = arithmetic_scalar(inst.ty, builder.wide_ints);
    // 1.0 has the same flags as a float and as an integer. All ones are -1 as an integer but NaN as
    // a float, so they are combined with integer types only.
    let same_kind = scalar == compute
        || scalar == Scalar::BoolFloat
        || scalar == Scalar::BoolInt && !inst.ty.is_float();
    let converted = is_comparison(inst.op) && scalar.is_bool();
    if same_kind || converted {
        lane
    } else {
        Lane::scalar(builder.read_lane(lane, compute))
    }
}
