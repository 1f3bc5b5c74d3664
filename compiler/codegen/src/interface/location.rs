//! Inputs that have a location.

use super::names::input_name;
use super::vars::{Io, reflected};
use crate::builder::Scalar;
use crate::capability::Need;
use crate::error::{Error, Failure};
use crate::options::Options;
use crate::reflect::InterfaceVariable;
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::semantic::{Interpolation, Sampling};
use glasm_ir::{Input, InputId, Semantic, Stage};
use spirv::{Decoration, StorageClass};

impl Io<'_> {
    /// Two varyings of one location cannot both be read, and not all devices evaluate them at samples.
    pub(crate) fn check_location(&self, id: InputId) -> Result<(), Failure> {
        let input = self.program.inputs[id];
        if shaded(self.options, input).sampling == Sampling::Sample {
            Need::SampleRate.check(&self.options.device)?;
        }
        let varyings = &self.options.interface.inputs;
        let semantic = input.semantic;
        let location = varyings.location(semantic);
        let clash = self.program.inputs.iter_enumerated().find(|(other, data)| {
            data.semantic != semantic
                && self.vars.inputs.loaded[other.index()].variable.is_some()
                && varyings.location(data.semantic) == location
        });
        match clash {
            Some((_, other)) => Err(Error::unsupported(format!(
                "{:?} and {semantic:?} need the same location unless their programs are linked",
                other.semantic
            ))),
            None => Ok(()),
        }
    }

    /// The value of a variable with a location. Inputs of one semantic share the variable.
    pub(crate) fn load_location(
        &mut self,
        id: InputId,
        location: u32,
        scalar: Scalar,
    ) -> ValueWord {
        let input = self.program.inputs[id];
        let twin = self.program.inputs.iter_enumerated().find(|(other, data)| {
            data.semantic == input.semantic
                && self.vars.inputs.loaded[other.index()].variable.is_some()
        });
        let variable = match twin {
            Some((other, _)) => self.vars.inputs.loaded[other.index()].variable,
            None => self.declare_location(input, location, scalar),
        };
        self.vars.inputs.loaded[id.index()].variable = variable;
        self.load(variable, scalar, 4)
    }

    pub(crate) fn declare_location(
        &mut self,
        input: Input,
        location: u32,
        scalar: Scalar,
    ) -> ValueWord {
        let input = shaded(self.options, input);
        let ty = self.w.ty(scalar, 4);
        let variable = self.variable(StorageClass::Input, ty);
        self.w.decorate(variable, Decoration::Location, &[location]);
        self.w
            .name(variable, || input_name(self.program.stage, input.semantic));
        if self.program.stage == Stage::Fragment {
            self.decorate_interpolation(variable, input);
        }
        self.vars.reflected.inputs.push(InterfaceVariable {
            semantic: input.semantic,
            location: Some(location),
            scalar: reflected(scalar),
            components: 4,
            interpolation: input.interpolation,
            half: None,
        });
        variable
    }

    fn decorate_interpolation(&mut self, variable: ValueWord, input: Input) {
        match input.interpolation {
            Interpolation::Smooth => {}
            Interpolation::NoPerspective => {
                self.w.decorate(variable, Decoration::NoPerspective, &[])
            }
            Interpolation::Flat => self.w.decorate(variable, Decoration::Flat, &[]),
        }
        match input.sampling {
            Sampling::Center => {}
            Sampling::Centroid => self.w.decorate(variable, Decoration::Centroid, &[]),
            Sampling::Sample => {
                self.w.needs.insert(Need::SampleRate);
                self.w.decorate(variable, Decoration::Sample, &[]);
            }
        }
    }
}

/// How an input is interpolated: GL state may make colors flat.
fn shaded(options: &Options, mut input: Input) -> Input {
    if options.fixed.flat_colors
        && matches!(input.semantic, Semantic::Color(_) | Semantic::BackColor(_))
    {
        // A flat value is the same at all places; evaluating it at samples would only ask for `SampleRateShading`.
        (input.interpolation, input.sampling) = (Interpolation::Flat, Sampling::Center);
    }
    input
}
