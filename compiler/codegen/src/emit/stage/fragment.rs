//! Instructions of fragment programs: derivatives, interpolation at other positions, demotion.

use crate::builder::{Lane, Picks, Scalar, Val, ValueBuilder, arith};
use crate::capability::Need;
use crate::emit::cx::{FunctionEmitter, InstCx, Outcome};
use crate::emit::memory::array::Element;
use crate::emit::memory::atomic::load_is_helper;
use crate::error::{Error, Failure};
use crate::interface::Io;
use crate::words::{OperandList, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{Base, InputId, Op, Semantic, Src, Stage, Type};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Position at which an input is evaluated.
#[derive(Clone, Copy)]
enum At {
    Centroid,
    /// Offset from the center in pixels.
    Offset(Val),
    Sample(Val),
}

/// Emits the difference between neighbors of a quad; 0 outside fragment programs.
pub(in crate::emit) fn emit_derivative(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
    op: Spv,
) -> Result<Val, Failure> {
    let a = f.load_source(cx.inst, 0, cx.lanes)?;
    if f.program.stage != Stage::Fragment || f.w.splat_bits(a).is_some() {
        // The derivative of a constant is 0; other stages have no neighbors and no such instruction
        // in SPIR-V.
        return Ok(f.w.constant_like(a, 0));
    }
    // The precision of the plain instructions depends on the device; they require no capability.
    if !matches!(op, Spv::DPdx | Spv::DPdy) {
        f.w.needs.insert(Need::DerivativeControl);
    }
    let val = f.w.unary(op, a);
    // A flipped viewport reverses neighbors in y.
    let in_y = matches!(op, Spv::DPdy | Spv::DPdyFine | Spv::DPdyCoarse);
    Ok(if in_y && f.options.conventions.negate_ddy {
        f.w.unary(Spv::FNegate, val)
    } else {
        val
    })
}

/// Emits an input evaluated at another position than its declaration specifies: NV_gpu_program5
/// section 2.X.8.Z, IPAC, IPAO and IPAS.
pub(in crate::emit) fn emit_interpolation(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Val, Failure> {
    // Not loaded like other sources: the instruction requires the variable.
    let src = f.program.source(cx.inst, 0);
    let Base::Input(first) = src.base else {
        return Err(Error::unsupported("only inputs are interpolated"));
    };
    let at = if cx.inst.op == Op::InterpOffset {
        At::Offset(load_interpolation_offset(f, cx)?)
    } else if cx.inst.op == Op::InterpSample {
        // IPAS leaves samples that do not exist undefined, so the number is passed to the device
        // unchanged.
        let sample = f.load_source_as(f.program.source(cx.inst, 1), Type::U32, 1)?;
        // The operand is a signed integer.
        At::Sample(f.w.reread(sample, Scalar::S32))
    } else {
        At::Centroid
    };
    let lanes = load_interpolated_lanes(f, first, src, at)?;
    let picks = Picks::new(src.swizzle, cx.lanes);
    let val = f.w.gather_picks(&lanes, picks, Scalar::F32);
    Ok(if src.has_modifier() {
        arith::apply_modifiers(f.w, val, src, Type::F32)
    } else {
        val
    })
}

fn load_interpolation_offset(f: &mut FunctionEmitter<'_>, cx: InstCx<'_>) -> Result<Val, Failure> {
    // IPAO ignores z and w, and leaves offsets out of range undefined: NV_gpu_program5 section
    // 2.X.8.Z.
    let offset = f.load_source_as(f.program.source(cx.inst, 1), Type::F32, 0b11)?;
    let offset = f.w.widen(offset, 2);
    if !f.options.conventions.negate_ddy {
        return Ok(offset);
    }
    // The viewport is flipped, so the y axis of the device has the opposite direction.
    let y = f.w.component(offset, 1);
    let y = f.w.unary(Spv::FNegate, y);
    let lanes = [offset.lane(0), y.lane(0)];
    Ok(f.w.gather_vector(&lanes, Scalar::F32))
}

/// Returns the lanes of an input, or of the element of an input array that the index selects.
fn load_interpolated_lanes(
    f: &mut FunctionEmitter<'_>,
    first: InputId,
    src: &Src,
    at: At,
) -> Result<[Lane; 4], Failure> {
    let Some(index) = src.index else {
        return load_interpolated_input(&mut f.io(), first, at);
    };
    let available = (f.program.inputs.len() - first.index()) as u32;
    let len = f.program.indices[index].len.min(available);
    let input = |element: u32| InputId::new(first.index() + element as usize);
    let number = match f.find_element(Some(index), len)? {
        Element::Constant(element) => {
            return load_interpolated_input(&mut f.io(), input(element), at);
        }
        Element::Dynamic(number) => f.w.val(number),
    };
    // Each element is a separate variable, and GLSL.std.450 requires the variable itself, which no
    // dynamic index can select: every element is evaluated.
    let mut chosen = load_interpolated_vector(&mut f.io(), input(0), at)?;
    for element in 1..len {
        let value = load_interpolated_vector(&mut f.io(), input(element), at)?;
        let is_it = f.w.compare_bits(Spv::IEqual, number, u64::from(element));
        chosen = f.w.select(is_it, value, chosen);
    }
    Ok(chosen.lanes())
}

/// Emits the start or the end of a critical section. The program has one only if its modes specify
/// the order of invocations.
pub(in crate::emit) fn emit_interlock(f: &mut FunctionEmitter<'_>, op: Spv) -> Outcome {
    if f.program.modes.interlock.is_some() {
        f.w.body.op(op, &[]);
    }
    Outcome::None
}

/// Emits `IsHelper`.
pub(in crate::emit) fn emit_is_helper(f: &mut FunctionEmitter<'_>) -> Result<Val, Failure> {
    if f.program.stage != Stage::Fragment {
        return Err(Error::unsupported("only fragments are helper invocations"));
    }
    // If the device cannot demote, demoted invocations are terminated.
    Ok(load_is_helper(&mut f.io()))
}

fn load_interpolated_vector(io: &mut Io<'_>, input: InputId, at: At) -> Result<Val, Failure> {
    let lanes = load_interpolated_input(io, input, at)?;
    Ok(io.w.gather_vector(&lanes, Scalar::F32))
}

fn load_interpolated_input(io: &mut Io<'_>, input: InputId, at: At) -> Result<[Lane; 4], Failure> {
    let lanes = io.input(input)?;
    // Flat inputs are unchanged (NV_gpu_program5 section 2.X.8.Z, IPAC, IPAO, IPAS), and so are
    // inputs other than varyings.
    let Some(variable) = io.interpolant(input) else {
        return Ok(lanes);
    };
    io.w.require(Need::Interpolation)?;
    let val = interpolate_at(io.w, variable, at);
    let semantic = io.program.inputs[input].semantic;
    if matches!(semantic, Semantic::Color(_) | Semantic::TexCoord(_)) {
        // The back side and the flat copy of colors are evaluated at the same position.
        let color = io.with_color_state(input, val.lanes(), |io, variable| {
            interpolate_at(io.w, variable, at).id
        })?;
        return Ok(io.with_point_sprite(input, color));
    }
    // Lanes that are not in the variable are constants.
    Ok(std::array::from_fn(|lane| {
        if io.w.info(lanes[lane].id()).size == 4 {
            val.lane(lane)
        } else {
            lanes[lane]
        }
    }))
}

/// Demotes the invocation: it has no further effect on any result.
pub(in crate::emit) fn emit_demote(w: &mut ValueBuilder) -> Result<Outcome, Failure> {
    if w.stage() != Stage::Fragment {
        return Err(Error::unsupported("only fragments can be discarded"));
    }
    if w.device.demote_to_helper_invocation {
        w.needs.insert(Need::Demote);
        // The invocation continues as a helper, so that derivatives of its neighbors remain
        // defined.
        w.body.op(Spv::DemoteToHelperInvocation, &[]);
    } else {
        // `OpKill` ends its block; the following code is an unreachable block.
        w.body.op(Spv::Kill, &[]);
        let label = w.label();
        w.begin_block(label);
    }
    Ok(Outcome::None)
}

fn interpolate_at(w: &mut ValueBuilder, variable: ValueWord, at: At) -> Val {
    let (op, place) = match at {
        At::Centroid => (GlslOp::InterpolateAtCentroid, None),
        At::Offset(place) => (GlslOp::InterpolateAtOffset, Some(place.id)),
        At::Sample(place) => (GlslOp::InterpolateAtSample, Some(place.id)),
    };
    let mut operands = OperandList::default();
    operands.extend([w.glsl().0, op as u32, variable.0]);
    operands.extend(place);
    w.long_op(Spv::ExtInst, Scalar::F32, 4, &operands)
}
