//! Fragments: the fog that options append (ARB_fragment_program section 3.11.4.5.1 and issue 29),
//! KIL, and depths out of range, which discard their fragments (NV_fragment_program section
//! 3.11.6).

use super::op_builder::{F32, OpBuilder};
use super::resource::Resources;
use super::splat;
use super::{InstContext, Lowerer};
use crate::check::IoBinding;
use crate::lang::options::Features;
use glasm_ir::inst::{Index, InstData};
use glasm_ir::types::{BaseType, Type, Width};
use glasm_ir::{
    Cond, CondTest, Dst, Guard, IndexTerm, InstFlags, Op, OperandBase, ParamSource, Saturate,
    Semantic, Span, Src, StateParam, Swizzle, WriteMask,
};

/// Fog blends the color of draw buffer 0.
const COLOR: Semantic = Semantic::FragColor {
    buffer: 0,
    index: 0,
};

/// Location at which fog is applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FogInsertion {
    /// At the end of the main routine, which every invocation reaches.
    EndOfMain,
    /// A new main routine, after a call of the program's main routine.
    AroundMain,
}

/// Returns the location at which fog is applied, `None` if the program requests none: around the
/// main routine if that can return before its end.
pub(super) fn find_fog_insertion(l: &Lowerer<'_>, main_returns: bool) -> Option<FogInsertion> {
    let insertion = if main_returns {
        FogInsertion::AroundMain
    } else {
        FogInsertion::EndOfMain
    };
    let wanted = l.resources.checked.features.intersects(Features::FOG);
    wanted.then_some(insertion)
}

/// Emits the instructions that blend the final color with the fog color, both clamped; alpha is
/// only clamped. A color that is not written or not of floats is unchanged. ARB_fragment_program
/// section 3.11.4.5.1: fog is applied to the final clamped color.
pub(super) fn add_fog(lowerer: &mut Lowerer<'_>) {
    let Some(&(register, element)) = lowerer.resources.ir_map.result_registers.get(&COLOR) else {
        return;
    };
    // An integer color cannot be blended.
    let mut outputs = lowerer.resources.builder.program.outputs.iter();
    if outputs.any(|output| output.semantic == COLOR && output.base != BaseType::Float) {
        return;
    }
    let index = element.map(|(number, len)| {
        let element = IndexTerm::from_constant(number as i32);
        lowerer.resources.builder.program.indices.push(Index {
            element,
            len,
            vertex: None,
        })
    });
    lowerer.span = Span::default();
    lowerer.resources.ir_map.hidden_registers.free_all();
    let color = Src {
        index,
        ..Src::from_register(register)
    };
    let dst = |mask| Dst {
        index,
        ..Dst::new(register, WriteMask(mask))
    };
    let factor = compute_fog_factor(lowerer);
    let fog = get_state_source(lowerer, StateParam::FogColor);
    let fog = compute_clamped(lowerer, Op::Mov, &[fog]);
    let color = compute_clamped(lowerer, Op::Mov, &[color]);
    let distance = lowerer.compute(Op::Sub, F32, &[color, fog]);
    let blended = [factor, distance, fog];
    lowerer.emit_inst(Op::Mad, F32, Some(dst(0b0111)), InstData::None, &blended);
    lowerer.emit_inst(Op::Mov, F32, Some(dst(0b1000)), InstData::None, &[color]);
}

/// Computes the remaining fraction of the color, from 0 to 1, of the mode that the options select:
/// exp(-dc), exp(-(dc)^2) or (end - c) / (end - start). Adds fog coordinate and fog parameters to
/// the program.
fn compute_fog_factor(lowerer: &mut Lowerer<'_>) -> Src {
    let binding = IoBinding::new_float(Semantic::FogCoord);
    let coordinate = OperandBase::Input(lowerer.resources.get_input(
        binding,
        BaseType::Float,
        Width::W32,
    ));
    // The coordinate is in x; the other components are ignored.
    let coordinate = splat(Src::new(coordinate), 0);
    let params = get_state_source(lowerer, StateParam::FogParams);
    let [density, end, scale] = [0, 2, 3].map(|lane| splat(params, lane));
    if lowerer
        .resources
        .checked
        .features
        .contains(Features::FOG_LINEAR)
    {
        let rest = lowerer.compute(Op::Sub, F32, &[end, coordinate]);
        return compute_clamped(lowerer, Op::Mul, &[rest, scale]);
    }
    let mut depth = lowerer.compute(Op::Mul, F32, &[density, coordinate]);
    if lowerer
        .resources
        .checked
        .features
        .contains(Features::FOG_EXP2)
    {
        depth = lowerer.compute(Op::Mul, F32, &[depth, depth]);
    }
    // The IR has the power of two only: exp(-d) is 2^(-d * log2(e)).
    let to_base_2 = lowerer.splat_float(std::f32::consts::LOG2_E);
    let power = lowerer.compute(Op::Mul, F32, &[depth, to_base_2]);
    compute_clamped(lowerer, Op::Exp2, &[power.negated()])
}

/// Returns the source that reads a parameter of GL state, which is added to the program at its
/// first use.
pub(super) fn get_state_source(l: &mut Lowerer<'_>, state: StateParam) -> Src {
    Src::new(OperandBase::Param(
        l.resources.get_param(ParamSource::State(state)),
    ))
}

/// Emits an operation on floats and returns the hidden register that holds its result, clamped to
/// [0, 1].
fn compute_clamped(l: &mut Lowerer<'_>, op: Op, sources: &[Src]) -> Src {
    let register = l.alloc_hidden(F32.width());
    let dst = Dst {
        saturate: Saturate::Unsigned,
        ..Dst::new(register, WriteMask::XYZW)
    };
    l.emit_inst(op, F32, Some(dst), InstData::None, sources);
    Src::from_register(register)
}

/// Lowers KIL: discards the fragment if any component of its condition holds, or if any component
/// of its vector is negative; never for unsigned integers. NV_fragment_program4 section 2.X.8.Z.
pub(super) fn lower_kil(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let ty = cx.types.ty;
    let cond = match cx.inst.source_count {
        0 => l.resources.make_any_condition(cx.inst.cond),
        // An unsigned component is never negative, so no fragment is discarded.
        _ if ty.base() == BaseType::UnsignedInt => return,
        _ => test_any_negative(l, cx, ty),
    };
    add_discard(l, cond, cx.inst.span);
}

/// Adds a branch that demotes the fragment to a helper invocation where a condition holds.
pub(super) fn add_discard(l: &mut Lowerer<'_>, cond: Cond, span: Span) {
    l.resources.builder.open_block();
    // The invocation continues without effect instead of ending: lookups of its neighbors take
    // derivatives from it.
    l.emit_inst(Op::Demote, Type::U32, None, InstData::None, &[]);
    let then = l.resources.builder.close_block();
    l.resources.builder.push_branch(cond, then, None, span);
}

/// Emits the test of operand 0 and returns the condition that any component is negative. It has a
/// separate condition-code register: KIL leaves those of the program unchanged.
fn test_any_negative(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>, ty: Type) -> Cond {
    let source = lowerer.load_source(cx, 0, ty);
    let cc = match lowerer.resources.ir_map.kill_condition_code {
        Some(cc) => cc,
        None => lowerer.resources.add_condition_code(),
    };
    lowerer.resources.ir_map.kill_condition_code = Some(cc);
    let unused = lowerer.alloc_hidden(Width::W32);
    let dst = Dst {
        cc: Some(cc),
        ..Dst::new(unused, WriteMask::XYZW)
    };
    lowerer.emit_inst(Op::Mov, ty, Some(dst), InstData::None, &[source]);
    Cond::Any(Guard {
        cc,
        test: CondTest::Lt,
        swizzle: Swizzle::XYZW,
    })
}

impl Resources<'_> {
    /// Returns true if the program writes the depth of its fragments and the language,
    /// NV_fragment_program, defines the result for depths out of range.
    pub(super) fn discards_out_of_range_depth(&self) -> bool {
        self.has_exact_precision()
            && self
                .ir_map
                .result_registers
                .contains_key(&Semantic::FragDepth)
    }
}

/// Emits the discard of the fragment if the depth that it writes is out of the range of the depth
/// bounds; NaN is not. Does nothing if the program writes no depth.
pub(super) fn discard_out_of_range_depth(lowerer: &mut Lowerer<'_>) {
    let Some(&(register, _)) = lowerer
        .resources
        .ir_map
        .result_registers
        .get(&Semantic::FragDepth)
    else {
        return;
    };
    lowerer.span = Span::default();
    lowerer.flags = InstFlags::empty();
    lowerer.resources.ir_map.hidden_registers.free_all();
    let depth = splat(Src::from_register(register), 2);
    let bounds = get_state_source(lowerer, StateParam::DepthBounds);
    let cc = lowerer.resources.add_condition_code();
    let unused = lowerer.alloc_hidden(Width::W32);
    let mut compare = |mask, sources: &[Src]| {
        let dst = Dst {
            cc: Some(cc),
            ..Dst::new(unused, WriteMask(mask))
        };
        lowerer.emit_inst(Op::SetLt, F32, Some(dst), InstData::None, sources);
    };
    // NaN is less than no bound and no bound is less than NaN: such a fragment is retained.
    compare(0b0001, &[depth, splat(bounds, 0)]);
    compare(0b0010, &[splat(bounds, 1), depth]);
    let is_outside = Cond::Any(Guard {
        cc,
        test: CondTest::Ne,
        // z and w of these codes were never set.
        swizzle: Swizzle::new([0, 1, 0, 1]),
    });
    add_discard(lowerer, is_outside, Span::default());
}
