//! Fog that the options ARB_fog_exp, ARB_fog_exp2 and ARB_fog_linear append to a program.
//! ARB_fragment_program section 3.11.4.5.1 and issue 29.

use super::Lowerer;
use super::context::splat;
use super::formula::{F, Formulas};
use crate::check::IoBinding;
use crate::lang::options::Features;
use glasm_ir::inst::{Aux, Index};
use glasm_ir::types::{Base as TypeBase, Width};
use glasm_ir::{
    Base, Dst, IndexTerm, Op, ParamSource, Saturate, Semantic, Span, Src, StateParam, WriteMask,
};

/// Fog blends the color of draw buffer 0.
const COLOR: Semantic = Semantic::FragColor {
    buffer: 0,
    index: 0,
};

/// Location at which fog is applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FogPlace {
    /// At the end of the main routine, which every invocation reaches.
    EndOfMain,
    /// A new main routine, after a call of the program's main routine.
    AroundMain,
}

/// Returns the location at which fog is applied, if the program requests it.
pub(super) fn find_fog_place(l: &Lowerer<'_>, main_returns: bool) -> Option<FogPlace> {
    let place = if main_returns {
        FogPlace::AroundMain
    } else {
        FogPlace::EndOfMain
    };
    let wanted = l.resources.checked.features.intersects(Features::FOG);
    wanted.then_some(place)
}

/// Blends the final color with the fog color, both clamped; alpha is only clamped. A color that is
/// not written or not of floats is left alone. ARB_fragment_program section 3.11.4.5.1: fog is
/// applied to the final clamped color.
pub(super) fn add_fog(l: &mut Lowerer<'_>) {
    let Some(&(register, element)) = l.resources.tables.results.get(&COLOR) else {
        return;
    };
    // An integer color cannot be blended.
    let mut outputs = l.resources.builder.program.outputs.iter();
    if outputs.any(|output| output.semantic == COLOR && output.base != TypeBase::Float) {
        return;
    }
    let index = element.map(|(number, len)| {
        let element = IndexTerm::constant(number as i32);
        l.resources.builder.program.indices.push(Index {
            element,
            len,
            vertex: None,
        })
    });
    l.span = Span::default();
    l.hidden_used = [0; 2];
    let color = Src {
        index,
        ..Src::register(register)
    };
    let dst = |mask| Dst {
        index,
        ..Dst::new(register, WriteMask(mask))
    };
    let factor = compute_fog_factor(l);
    let fog = get_state_source(l, StateParam::FogColor);
    let fog = compute_clamped(l, Op::Mov, &[fog]);
    let color = compute_clamped(l, Op::Mov, &[color]);
    let distance = l.compute(Op::Sub, F, &[color, fog]);
    let blended = [factor, distance, fog];
    l.inst(Op::Mad, F, Some(dst(0b0111)), Aux::None, &blended);
    l.inst(Op::Mov, F, Some(dst(0b1000)), Aux::None, &[color]);
}

/// Computes the remaining fraction of the color: exp(-dc), exp(-(dc)^2) or (end - c) / (end -
/// start), from 0 to 1.
fn compute_fog_factor(l: &mut Lowerer<'_>) -> Src {
    let binding = IoBinding::float(Semantic::FogCoord);
    let coordinate = Base::Input(l.resources.get_input(binding, TypeBase::Float, Width::W32));
    // The coordinate is in x; the other components are ignored.
    let coordinate = splat(Src::new(coordinate), 0);
    let params = get_state_source(l, StateParam::FogParams);
    let [density, end, scale] = [0, 2, 3].map(|lane| splat(params, lane));
    if l.resources.checked.features.contains(Features::FOG_LINEAR) {
        let rest = l.compute(Op::Sub, F, &[end, coordinate]);
        return compute_clamped(l, Op::Mul, &[rest, scale]);
    }
    let mut depth = l.compute(Op::Mul, F, &[density, coordinate]);
    if l.resources.checked.features.contains(Features::FOG_EXP2) {
        depth = l.compute(Op::Mul, F, &[depth, depth]);
    }
    // The IR has the power of two only: exp(-d) is 2^(-d * log2(e)).
    let to_base_2 = l.float(std::f32::consts::LOG2_E);
    let power = l.compute(Op::Mul, F, &[depth, to_base_2]);
    compute_clamped(l, Op::Exp2, &[power.negated()])
}

/// Returns the source operand that reads a parameter of GL state, which is declared if necessary.
pub(super) fn get_state_source(l: &mut Lowerer<'_>, state: StateParam) -> Src {
    Src::new(Base::Param(
        l.resources.get_param(ParamSource::State(state)),
    ))
}

/// Returns a hidden register that holds the result of an operation, clamped to [0, 1].
fn compute_clamped(l: &mut Lowerer<'_>, op: Op, sources: &[Src]) -> Src {
    let register = l.hidden(F.width());
    let dst = Dst {
        saturate: Saturate::Unsigned,
        ..Dst::new(register, WriteMask::XYZW)
    };
    l.inst(op, F, Some(dst), Aux::None, sources);
    Src::register(register)
}
