//! What only fragments have: derivatives, interpolation at other places.

use crate::builder::{Builder, Lane, Picks, Scalar, Val};
use crate::capability::Need;
use crate::emit::Emit;
use crate::emit::cx::{InstCx, Outcome};
use crate::emit::memory::array::Element;
use crate::error::{Error, Failure};
use crate::words::{OperandList, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{Base, InputId, Op, Semantic, Src, Stage, Type};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Where an input is evaluated.
#[derive(Clone, Copy)]
enum At {
    Centroid,
    /// Pixels from the center.
    Offset(Val),
    Sample(Val),
}

impl Emit<'_> {
    /// Difference between neighbors of a quad; 0 outside fragment programs.
    pub(in crate::emit) fn derivative(&mut self, cx: InstCx<'_>, op: Spv) -> Result<Val, Failure> {
        let a = self.source(cx.inst, 0, cx.lanes)?;
        if self.program.stage != Stage::Fragment || self.w.splat_bits(a).is_some() {
            // A constant differs nowhere; other stages have no neighbors, and SPIR-V no such instruction there.
            return Ok(self.w.constant_like(a, 0));
        }
        // The plain ones leave to the device how exact they are, and need no capability.
        if !matches!(op, Spv::DPdx | Spv::DPdy) {
            self.w.needs.insert(Need::DerivativeControl);
        }
        let val = self.w.unary(op, a);
        // A flipped viewport reverses the neighbors in y.
        let in_y = matches!(op, Spv::DPdy | Spv::DPdyFine | Spv::DPdyCoarse);
        Ok(match in_y && self.options.conventions.negate_ddy {
            true => self.w.unary(Spv::FNegate, val),
            false => val,
        })
    }

    /// An input evaluated elsewhere than where its declaration says: NV_gpu_program5 section 2.X.8.Z, IPAC, IPAO and IPAS.
    pub(in crate::emit) fn interpolate(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        // Not loaded like other sources: the instruction wants the variable.
        let src = self.program.source(cx.inst, 0);
        let Base::Input(first) = src.base else {
            return Err(Error::unsupported("only inputs are interpolated"));
        };
        let at = if cx.inst.op == Op::InterpOffset {
            At::Offset(self.interpolation_offset(cx)?)
        } else if cx.inst.op == Op::InterpSample {
            // IPAS leaves samples that do not exist undefined, so the number goes to the device as it is.
            let sample = self.source_as(self.program.source(cx.inst, 1), Type::U32, 1)?;
            // The operand is a signed integer.
            At::Sample(self.w.reread(sample, Scalar::S32))
        } else {
            At::Centroid
        };
        let lanes = self.interpolated_lanes(first, src, at)?;
        let picks = Picks::new(src.swizzle, cx.lanes);
        let val = self.w.gather_picks(&lanes, picks, Scalar::F32);
        Ok(match src.has_modifier() {
            true => self.w.modify(val, src, Type::F32),
            false => val,
        })
    }

    fn interpolation_offset(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        // IPAO ignores z and w, and leaves offsets out of range undefined: NV_gpu_program5 section 2.X.8.Z.
        let offset = self.source_as(self.program.source(cx.inst, 1), Type::F32, 0b11)?;
        let offset = self.w.widen(offset, 2);
        if !self.options.conventions.negate_ddy {
            return Ok(offset);
        }
        // The viewport is flipped, so the y axis of the device points the other way.
        let y = self.w.component(offset, 1);
        let y = self.w.unary(Spv::FNegate, y);
        let lanes = [offset.lane(0), y.lane(0)];
        Ok(self.w.gather_vector(&lanes, Scalar::F32))
    }

    /// The lanes of an input, or of the element of an input array that the index names.
    fn interpolated_lanes(
        &mut self,
        first: InputId,
        src: &Src,
        at: At,
    ) -> Result<[Lane; 4], Failure> {
        let Some(index) = src.index else {
            return self.interpolated_input(first, at);
        };
        let available = (self.program.inputs.len() - first.index()) as u32;
        let len = self.program.indices[index].len.min(available);
        let input = |element: u32| InputId::new(first.index() + element as usize);
        let number = match self.element(Some(index), len)? {
            Element::Constant(element) => return self.interpolated_input(input(element), at),
            Element::Dynamic(number) => self.w.val(number),
        };
        // Each element is a variable of its own, and GLSL.std.450 takes the variable itself, which no index can choose at run time:
        // every element is evaluated.
        let mut chosen = self.interpolated_vector(input(0), at)?;
        for element in 1..len {
            let value = self.interpolated_vector(input(element), at)?;
            let is_it = self.w.compare_bits(Spv::IEqual, number, u64::from(element));
            chosen = self.w.select(is_it, value, chosen);
        }
        Ok(chosen.lanes())
    }

    fn interpolated_vector(&mut self, input: InputId, at: At) -> Result<Val, Failure> {
        let lanes = self.interpolated_input(input, at)?;
        Ok(self.w.gather_vector(&lanes, Scalar::F32))
    }

    fn interpolated_input(&mut self, input: InputId, at: At) -> Result<[Lane; 4], Failure> {
        let lanes = self.io().input(input)?;
        // Flat inputs stay what they are (NV_gpu_program5 section 2.X.8.Z, IPAC, IPAO, IPAS), and so do inputs that are no varyings.
        let Some(variable) = self.io().interpolant(input) else {
            return Ok(lanes);
        };
        self.w.require(Need::Interpolation)?;
        let val = interpolate_at(self.w, variable, at);
        let semantic = self.program.inputs[input].semantic;
        if matches!(semantic, Semantic::Color(_) | Semantic::TexCoord(_)) {
            let mut io = self.io();
            // Of colors the back side and the flat copy are evaluated at the same place.
            let color = io.with_color_state(input, val.lanes(), |io, variable| {
                interpolate_at(io.w, variable, at).id
            })?;
            return Ok(io.with_point_sprite(input, color));
        }
        // Lanes that do not come from the variable are constants.
        Ok(std::array::from_fn(|lane| {
            match self.w.info(lanes[lane].id()).size == 4 {
                true => val.lane(lane),
                false => lanes[lane],
            }
        }))
    }

    /// The beginning or the end of a critical section. The program has one only if its modes say how invocations are ordered.
    pub(in crate::emit) fn interlock(&mut self, op: Spv) -> Outcome {
        if self.program.modes.interlock.is_some() {
            self.w.body.op(op, &[]);
        }
        Outcome::None
    }

    /// `IsHelper`
    pub(in crate::emit) fn is_helper(&mut self) -> Result<Val, Failure> {
        if self.program.stage != Stage::Fragment {
            return Err(Error::unsupported("only fragments are helper invocations"));
        }
        // Where the device cannot demote, those that are demoted end.
        Ok(self.helps())
    }

    /// Ends the invocation's part in all results.
    pub(in crate::emit) fn demote(&mut self) -> Result<Outcome, Failure> {
        if self.program.stage != Stage::Fragment {
            return Err(Error::unsupported("only fragments can be discarded"));
        }
        if self.w.device.demote_to_helper_invocation {
            self.w.needs.insert(Need::Demote);
            // The invocation goes on as a helper, so that derivatives of its neighbors stay defined.
            self.w.body.op(Spv::DemoteToHelperInvocation, &[]);
        } else {
            // `OpKill` ends its block; what follows is a block that nothing reaches in the same place.
            self.w.body.op(Spv::Kill, &[]);
            let label = self.w.label();
            self.w.begin_block(label);
        }
        Ok(Outcome::None)
    }
}

fn interpolate_at(w: &mut Builder, variable: ValueWord, at: At) -> Val {
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
