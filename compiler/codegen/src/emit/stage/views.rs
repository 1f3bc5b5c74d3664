//! Outputs that select layers, viewports and views. NV_viewport_array2 and
//! NV_stereo_view_rendering.
//!
//! A primitive for one viewport needs built-ins only. A mask of viewports is a built-in of
//! `VK_NV_viewport_array2`; if the device lacks it, and for second views, which Vulkan does not
//! support, the stage writes the selected values to a varying, and a subsequent geometry stage that
//! the library creates emits every primitive the required number of times.

use crate::builder::{Lane, Scalar, ValueBuilder};
use crate::capability::Need;
use crate::emit::cx::OutputEmitter;
use crate::emit::stage::copies::store_run_views;
use crate::emit::stage::output_variable::{choose_output_target, compute_element_pointer};
use crate::error::{Error, Failure};
use crate::interface::Io;
use crate::options::{MAX_VIEWPORTS, Options, Target};
use crate::reflect::{Replication, ViewportChoice};
use crate::varyings::UNDISPUTED_LOCATIONS;
use crate::words::ValueWord;
use glasm_ir::{OutputId, Program, Semantic, Stage};
use spirv::{Decoration, Op as Spv, StorageClass};

/// Outputs of a program that select, in the order of [`CHOICES`]: each with its lane x, if the
/// program writes it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Views([Option<(OutputId, Lane)>; 5]);

const CHOICES: [Semantic; 5] = [
    Semantic::Layer,
    Semantic::ViewportIndex,
    Semantic::ViewportMask,
    Semantic::SecondaryPosition,
    Semantic::SecondaryViewportMask,
];

/// Returns true if an output selects layers, viewports or views.
pub(super) fn chooses(semantic: Semantic) -> bool {
    CHOICES.contains(&semantic)
}

impl Views {
    /// Records an output for [`OutputEmitter::store_views`].
    pub(super) fn keep(&mut self, semantic: Semantic, id: OutputId, lane: Lane) {
        let place = CHOICES.iter().position(|choice| *choice == semantic);
        if let Some(place) = place {
            self.0[place] = Some((id, lane));
        }
    }

    /// Returns the values that the program selected, in the order of [`CHOICES`].
    pub(super) fn lanes(&self) -> [Option<Lane>; 5] {
        self.0.map(|output| output.map(|(_, lane)| lane))
    }

    fn has_second(&self) -> bool {
        self.0[3].is_some() || self.0[4].is_some()
    }
}

impl OutputEmitter<'_, '_> {
    /// Stores the outputs that select layers, viewports and views.
    pub(super) fn store_views(&mut self, views: &Views) -> Result<(), Failure> {
        let [layer, viewport, mask, ..] = views.0;
        if self.f.interface.outputs.copies.count() > 1 {
            return store_run_views(&mut self.f.io(), views);
        }
        let native = self.f.w.device.viewport_array2;
        if views.has_second() || mask.is_some() && !native {
            return self.store_replication(views);
        }
        if let Some((id, lane)) = layer {
            self.store_layer(id, lane, views)?;
        }
        if let Some((id, viewport)) = viewport {
            require_layer_output(&mut self.f.io(), Need::ViewportOutput);
            self.store_view(id, viewport)?;
        }
        if let Some((id, mask)) = mask {
            self.f.w.needs.insert(Need::ViewportMask);
            self.store_view(id, mask)?;
        }
        Ok(())
    }

    fn store_layer(&mut self, id: OutputId, lane: Lane, views: &Views) -> Result<(), Failure> {
        let [_, viewport, mask, ..] = views.0;
        let relative = self.f.program.modes.layer_viewport_relative;
        // With one viewport the sum is computed here. A mask has several viewports, so the layer
        // differs between them: the decoration adds them.
        let layer = match viewport.filter(|_| relative) {
            Some((_, viewport)) => add_lanes(self.f.w, lane, viewport),
            None => lane,
        };
        require_layer_output(&mut self.f.io(), Need::LayerOutput);
        let variable = self.store_view(id, layer)?;
        if relative && mask.is_some() {
            let relative = Decoration::ViewportRelativeNV;
            self.f.w.decorate(variable, relative, &[]);
        }
        Ok(())
    }

    /// Stores a built-in of one integer and returns its variable.
    fn store_view(&mut self, id: OutputId, lane: Lane) -> Result<ValueWord, Failure> {
        let target = choose_output_target(&mut self.f.io(), id)?;
        let variable = self.get_output_variable(id, &target)?;
        let mut value = self.f.w.scalar(lane, Scalar::U32);
        if self.f.program.outputs[id].semantic == Semantic::ViewportIndex {
            value = clamp_viewport(self.f.w, value);
        }
        // In SPIR-V the mask is an array of words, one for 32 viewports each.
        let is_mask = self.f.program.outputs[id].semantic == Semantic::ViewportMask;
        let pointer = if is_mask {
            compute_element_pointer(self.f.w, variable, Scalar::U32, 0)
        } else {
            variable
        };
        self.f.w.store(pointer, value);
        Ok(variable)
    }

    fn check_replication(&mut self, views: &Views) -> Result<(), Failure> {
        let stage = self.f.program.stage;
        if !matches!(stage, Stage::Vertex | Stage::TessEval) {
            let message = format!("{} programs cannot choose several viewports", stage.name());
            return Err(Error::unsupported(message));
        }
        let what = if views.has_second() {
            "geometryShader with multiViewport for second views"
        } else {
            "VK_NV_viewport_array2"
        };
        for need in [Need::Geometry, Need::MultiViewport] {
            let required = self.f.w.require(need);
            required.map_err(|error| error.calling_it(what))?;
        }
        if !self.captures.is_empty() {
            return Err(Error::unsupported(
                "transform feedback of a program whose primitives go to several viewports or views",
            ));
        }
        Ok(())
    }

    /// Writes the selected values to a varying for the stage that replicates primitives.
    fn store_replication(&mut self, views: &Views) -> Result<(), Failure> {
        self.check_replication(views)?;
        let variable = declare_replication(&mut self.f.io(), views)?;
        let [layer, viewport, mask, second_position, second_mask] = views.lanes();
        // In the order that `Replication` specifies.
        let words = [layer, viewport.or(mask), second_mask, second_position];
        let zero = Lane::scalar(self.f.w.uint(0));
        let words = words.map(|lane| lane.unwrap_or(zero));
        // Varyings are floats; the following stage reads their bits.
        let value = self.f.w.gather_vector(&words, Scalar::F32);
        self.f.w.store(variable, value.id);
        Ok(())
    }
}

fn require_layer_output(io: &mut Io<'_>, need: Need) {
    // In geometry programs the layer belongs to the capability `Geometry`, the viewport to
    // `MultiViewport`.
    if io.program.stage == Stage::Geometry {
        return;
    }
    // One extension covers both before Vulkan 1.2.
    let needs = if io.options.target >= Target::Vulkan1_2 {
        [need; 2]
    } else {
        [Need::LayerOutputExtension, Need::ViewportOutputExtension]
    };
    needs.into_iter().for_each(|need| io.w.needs.insert(need));
}

/// Returns a varying location that no output of the program uses.
fn find_free_location(program: &Program, options: &Options) -> Result<u32, Failure> {
    let outputs = &options.interface.outputs;
    let used = outputs.locations_of(program, options);
    let free = (0..UNDISPUTED_LOCATIONS).find(|location| !used.contains(location));
    free.ok_or_else(|| Error::limit("there is no free varying location for viewports and views"))
}

fn declare_replication(io: &mut Io<'_>, views: &Views) -> Result<ValueWord, Failure> {
    if io.vars.outputs.replication.is_some() {
        return Ok(io.vars.outputs.replication_variable);
    }
    let location = find_free_location(io.program, io.options)?;
    let ty = io.w.ty(Scalar::F32, 4);
    let variable = io.variable(StorageClass::Output, ty);
    io.w.decorate(variable, Decoration::Location, &[location]);
    io.w.name(variable, || "views".to_owned());
    io.vars.outputs.replication_variable = variable;
    io.vars.outputs.replication = Some(describe_replication(
        io.program, io.options, views, location,
    ));
    Ok(variable)
}

fn describe_replication(
    program: &Program,
    options: &Options,
    views: &Views,
    location: u32,
) -> Replication {
    let chosen = views.0.map(|output| output.is_some());
    let [
        has_layer,
        has_viewport,
        has_mask,
        has_second_position,
        has_second_mask,
    ] = chosen;
    let modes = program.modes;
    let single_layer = options.fixed.single_layer;
    Replication {
        location,
        has_layer,
        viewports: match (has_viewport, has_mask) {
            (true, _) => ViewportChoice::Index,
            (false, true) => ViewportChoice::Mask,
            (false, false) => ViewportChoice::First,
        },
        has_second_position,
        has_second_mask,
        viewport_relative_layer: modes.layer_viewport_relative && !single_layer,
        second_layer_offset: if single_layer {
            0
        } else {
            modes.secondary_view_layer_offset
        },
    }
}

/// Replaces a viewport that does not exist by viewport 0: ARB_viewport_array section 2.X.2, for
/// geometry programs. For other stages the result is undefined.
fn clamp_viewport(w: &mut ValueBuilder, number: ValueWord) -> ValueWord {
    if w.stage() != Stage::Geometry {
        return number;
    }
    let number = w.val(number);
    let exists = w.compare_bits(Spv::ULessThan, number, MAX_VIEWPORTS.into());
    let first = w.constant_like(number, 0);
    w.select(exists, number, first).id
}

fn add_lanes(w: &mut ValueBuilder, a: Lane, b: Lane) -> Lane {
    let [a, b] = [a, b].map(|lane| w.lane_val(lane, Scalar::U32));
    w.binary(Spv::IAdd, a, b).lane(0)
}
