//! Inputs with a location.

use super::names::input_name;
use super::vars::{Io, base_scalar, load_at_start};
use crate::builder::ModuleWriter;
use crate::capability::Need;
use crate::error::Failure;
use crate::options::Options;
use crate::reflect::InterfaceVariable;
use crate::varyings::Place;
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::semantic::{Interpolation, Sampling};
use glasm_ir::{Input, InputId, Semantic, Stage};
use spirv::{Decoration, StorageClass};

impl Io<'_> {
    /// Returns an error if another loaded varying has the same location, or if the device cannot
    /// evaluate the input at samples.
    pub(crate) fn check_location(&self, id: InputId) -> Result<(), Failure> {
        let input = self.program.inputs[id];
        if shaded(self.options, input).sampling == Sampling::Sample {
            Need::SampleRate.check(&self.options.device)?;
        }
        let loaded = self.program.inputs.iter_enumerated();
        let loaded =
            loaded.filter(|(other, _)| self.vars.inputs.loaded[other.index()].variable.is_some());
        // Inputs of one semantic share their variable.
        let others = loaded
            .map(|(_, other)| other.semantic)
            .filter(|other| *other != input.semantic);
        let inputs = &self.options.interface.inputs;
        inputs.check_apart(input.semantic, others)
    }

    /// Loads the value of a variable with a location. Inputs of one semantic share the variable.
    pub(crate) fn load_location(&mut self, id: InputId, place: &Place) -> ValueWord {
        let input = self.program.inputs[id];
        let known = self.variable_of(input.semantic);
        let variable = known.unwrap_or_else(|| self.declare_location(input, place));
        self.vars.inputs.loaded[id.index()].variable = variable;
        load_at_start(self.w, variable, base_scalar(place.base), place.components)
    }

    /// Returns the variable of an input of a semantic, if it has been declared.
    pub(crate) fn variable_of(&self, semantic: Semantic) -> Option<ValueWord> {
        let inputs = self.program.inputs.iter_enumerated();
        let mut twins = inputs.filter(|(_, input)| input.semantic == semantic);
        twins.find_map(|(id, _)| {
            let variable = self.vars.inputs.loaded[id.index()].variable;
            variable.is_some().then_some(variable)
        })
    }

    pub(crate) fn declare_location(&mut self, input: Input, place: &Place) -> ValueWord {
        let input = shaded(self.options, input);
        let scalar = base_scalar(place.base);
        let ty = self.w.ty(scalar, place.components);
        let variable = self.variable(StorageClass::Input, ty);
        decorate_varying(self.w, variable, place);
        self.w
            .name(variable, || input_name(self.program.stage, input.semantic));
        // Interpolation decorations on other inputs have no effect, and Vulkan forbids some of them
        // on vertex inputs (VUID-StandaloneSpirv-Flat-06202).
        if self.program.stage == Stage::Fragment {
            decorate_interpolation(self.w, variable, input);
        } else if input.semantic.is_per_patch() {
            self.w.decorate(variable, Decoration::Patch, &[]);
        }
        let location = Some(place.location);
        self.vars.reflected.inputs.push(InterfaceVariable {
            interpolation: input.interpolation,
            ..InterfaceVariable::new(input.semantic, location, scalar, place.components)
        });
        variable
    }
}

fn decorate_interpolation(w: &mut ModuleWriter, variable: ValueWord, input: Input) {
    match input.interpolation {
        // This, and the center below, is the default without decorations.
        Interpolation::Smooth => {}
        Interpolation::NoPerspective => w.decorate(variable, Decoration::NoPerspective, &[]),
        Interpolation::Flat => w.decorate(variable, Decoration::Flat, &[]),
    }
    match input.sampling {
        Sampling::Center => {}
        Sampling::Centroid => w.decorate(variable, Decoration::Centroid, &[]),
        Sampling::Sample => {
            // Checked by `check_location`, which can report an error.
            w.needs.insert(Need::SampleRate);
            w.decorate(variable, Decoration::Sample, &[]);
        }
    }
}

/// Decorates a variable with its location and, unless that is 0, its component.
pub(crate) fn decorate_varying(w: &mut ModuleWriter, variable: ValueWord, place: &Place) {
    w.decorate(variable, Decoration::Location, &[place.location]);
    if place.component > 0 {
        let component = u32::from(place.component);
        w.decorate(variable, Decoration::Component, &[component]);
    }
}

/// Returns an input with the interpolation that GL state selects for it: colors may be flat.
fn shaded(options: &Options, mut input: Input) -> Input {
    if are_colors_flat(options)
        && matches!(input.semantic, Semantic::Color(_) | Semantic::BackColor(_))
    {
        // A flat value is the same at all positions; evaluating it at samples would only require
        // `SampleRateShading`.
        (input.interpolation, input.sampling) = (Interpolation::Flat, Sampling::Center);
    }
    input
}

/// Returns true if colors are flat in all pipelines of the module.
pub(super) fn are_colors_flat(options: &Options) -> bool {
    options.forms.flat_colors.is_fixed() && options.fixed.flat_colors
}
