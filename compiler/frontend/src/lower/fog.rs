//! Fog that the options ARB_fog_exp, ARB_fog_exp2 and ARB_fog_linear append to a program. ARB_fragment_program section 3.11.4.5.1
//! and issue 29.

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

/// Where fog is applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FogPlace {
    /// At the end of the main routine, which every invocation reaches.
    EndOfMain,
    /// In a new main routine, after a call of the program's own.
    AroundMain,
}

impl Lowerer<'_> {
    /// Where fog is applied, if the program asks for it.
    pub(super) fn fog_place(&self, main_returns: bool) -> Option<FogPlace> {
        let place = match main_returns {
            true => FogPlace::AroundMain,
            false => FogPlace::EndOfMain,
        };
        let wanted = self.checked.features.intersects(Features::FOG);
        wanted.then_some(place)
    }

    /// Blends the final color with the fog color, both clamped; alpha is clamped and else stays. A color that is not written or not of
    /// floats is left alone. ARB_fragment_program section 3.11.4.5.1: fog is applied to the final clamped color.
    pub(super) fn fog(&mut self) {
        let Some(&(register, element)) = self.tables.results.get(&COLOR) else {
            return;
        };
        // An integer color cannot be blended.
        let mut outputs = self.builder.program.outputs.iter();
        if outputs.any(|output| output.semantic == COLOR && output.base != TypeBase::Float) {
            return;
        }
        let index = element.map(|(number, len)| {
            let element = IndexTerm::constant(number as i32);
            self.builder.program.indices.push(Index {
                element,
                len,
                vertex: None,
            })
        });
        self.span = Span::default();
        self.hidden_used = [0; 2];
        let color = Src {
            index,
            ..Src::register(register)
        };
        let dst = |mask| Dst {
            index,
            ..Dst::new(register, WriteMask(mask))
        };
        let factor = self.fog_factor();
        let fog = self.state(StateParam::FogColor);
        let fog = self.clamped(Op::Mov, &[fog]);
        let color = self.clamped(Op::Mov, &[color]);
        let distance = self.compute(Op::Sub, F, &[color, fog]);
        let blended = [factor, distance, fog];
        self.inst(Op::Mad, F, Some(dst(0b0111)), Aux::None, &blended);
        self.inst(Op::Mov, F, Some(dst(0b1000)), Aux::None, &[color]);
    }

    /// How much of the color is left: exp(-dc), exp(-(dc)^2) or (end - c) / (end - start), from 0 to 1.
    fn fog_factor(&mut self) -> Src {
        let binding = IoBinding::float(Semantic::FogCoord);
        let coordinate = Base::Input(self.input(binding, TypeBase::Float, Width::W32));
        // The coordinate is in x, whatever the other components are.
        let coordinate = splat(Src::new(coordinate), 0);
        let params = self.state(StateParam::FogParams);
        let [density, end, scale] = [0, 2, 3].map(|lane| splat(params, lane));
        if self.checked.features.contains(Features::FOG_LINEAR) {
            let rest = self.compute(Op::Sub, F, &[end, coordinate]);
            return self.clamped(Op::Mul, &[rest, scale]);
        }
        let mut depth = self.compute(Op::Mul, F, &[density, coordinate]);
        if self.checked.features.contains(Features::FOG_EXP2) {
            depth = self.compute(Op::Mul, F, &[depth, depth]);
        }
        // The IR has the power of two only: exp(-d) is 2^(-d * log2(e)).
        let to_base_2 = self.float(std::f32::consts::LOG2_E);
        let power = self.compute(Op::Mul, F, &[depth, to_base_2]);
        self.clamped(Op::Exp2, &[power.negated()])
    }

    /// A parameter of GL state.
    pub(super) fn state(&mut self, state: StateParam) -> Src {
        Src::new(Base::Param(self.param_id(ParamSource::State(state))))
    }

    /// A hidden register that holds the result of an operation, clamped to [0, 1].
    fn clamped(&mut self, op: Op, sources: &[Src]) -> Src {
        let register = self.hidden(F.width());
        let dst = Dst {
            saturate: Saturate::Unsigned,
            ..Dst::new(register, WriteMask::XYZW)
        };
        self.inst(op, F, Some(dst), Aux::None, sources);
        Src::register(register)
    }
}
