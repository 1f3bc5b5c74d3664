//! Outputs that select layers, viewports and views. NV_viewport_array2 and
//! NV_stereo_view_rendering.
//!
//! A primitive for one viewport needs built-ins only. A mask of viewports is a built-in of
//! `VK_NV_viewport_array2`; if the device lacks it, and for second views, which Vulkan does not
//! support, the stage writes the selected values to a varying, and a subsequent geometry stage that
//! the library creates emits every primitive the required number of times.

use crate::builder::{Lane, Scalar, ValueBuilder};
use crate::capability::Requirement;
use crate::emit::context::OutputEmitter;
use crate::emit::stage::output_variable::{choose_output_target, compute_element_pointer};
use crate::emit::stage::replicate::store_run_views;
use crate::error::{Error, Failure};
use crate::interface::Io;
use crate::options::{MAX_VIEWPORTS, Options, Target};
use crate::reflect::{ViewReplication, ViewportSelection};
use crate::spirv_writer::ValueWord;
use crate::varyings::GUARANTEED_LOCATIONS;
use glasm_ir::{OutputId, Program, Semantic, Stage};
use spirv::{Decoration, Op as Spv, StorageClass};

/// Outputs of a program that select layers, viewports or views, in the order of [`VIEW_SELECTORS`]:
/// each with its lane x, if the program writes it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ViewSelection([Option<(OutputId, Lane)>; 5]);

const VIEW_SELECTORS: [Semantic; 5] = [
    Semantic::Layer,
    Semantic::ViewportIndex,
    Semantic::ViewportMask,
    Semantic::SecondaryPosition,
    Semantic::SecondaryViewportMask,
];

/// Returns true if an output selects layers, viewports or views.
pub(super) fn is_view_selector(semantic: Semantic) -> bool {
    VIEW_SELECTORS.contains(&semantic)
}

impl ViewSelection {
    /// Records the lane of an output that selects views, until [`OutputEmitter::store_views`]
    /// stores it. Ignores other outputs.
    pub(super) fn record(&mut self, semantic: Semantic, id: OutputId, lane: Lane) {
        let index = VIEW_SELECTORS.iter().position(|choice| *choice == semantic);
        if let Some(index) = index {
            self.0[index] = Some((id, lane));
        }
    }

    /// Returns the values that the program selected, in the order of [`VIEW_SELECTORS`].
    pub(super) fn lanes(&self) -> [Option<Lane>; 5] {
        self.0.map(|output| output.map(|(_, lane)| lane))
    }

    /// Returns true if the program writes the position or the viewport mask of a second view.
    fn has_second_view(&self) -> bool {
        self.0[3].is_some() || self.0[4].is_some()
    }
}

impl OutputEmitter<'_, '_> {
    /// Stores the recorded outputs that select layers, viewports and views, by the means that the
    /// device has: built-ins, separate runs of a geometry program, or a varying for a later stage
    /// that replicates primitives. Returns an error if there is none.
    pub(super) fn store_views(&mut self, views: &ViewSelection) -> Result<(), Failure> {
        let [layer, viewport, mask, ..] = views.0;
        if self.function.interface.outputs.copies.count() > 1 {
            return store_run_views(&mut self.function.io(), views);
        }
        let native = self.function.builder.device.viewport_array2;
        if views.has_second_view() || mask.is_some() && !native {
            return self.store_replication(views);
        }
        if let Some((id, lane)) = layer {
            let stored = self.store_layer(id, lane, views);
            self.check_output(id, stored)?;
        }
        if let Some((id, viewport)) = viewport {
            require_layer_output(&mut self.function.io(), Requirement::ViewportOutput);
            let stored = self.store_view_builtin(id, viewport);
            self.check_output(id, stored)?;
        }
        if let Some((id, mask)) = mask {
            self.function
                .builder
                .requirements
                .insert(Requirement::ViewportMask);
            let stored = self.store_view_builtin(id, mask);
            self.check_output(id, stored)?;
        }
        Ok(())
    }

    /// Stores the selected layer, plus the viewport index if the program requests relative layers,
    /// and adds the requirement of the built-in.
    fn store_layer(
        &mut self,
        id: OutputId,
        lane: Lane,
        views: &ViewSelection,
    ) -> Result<(), Failure> {
        let [_, viewport, mask, ..] = views.0;
        let relative = self.function.program.modes.layer_viewport_relative;
        // With one viewport the sum is computed here. A mask has several viewports, so the layer
        // differs between them: the decoration adds them.
        let layer = match viewport.filter(|_| relative) {
            Some((_, viewport)) => add_lanes(self.function.builder, lane, viewport),
            None => lane,
        };
        require_layer_output(&mut self.function.io(), Requirement::LayerOutput);
        let variable = self.store_view_builtin(id, layer)?;
        if relative && mask.is_some() {
            let relative = Decoration::ViewportRelativeNV;
            self.function.builder.decorate(variable, relative, &[]);
        }
        Ok(())
    }

    /// Stores an integer built-in such as the layer, and returns its variable, which it declares on
    /// first use. Viewport numbers of geometry programs are clamped.
    fn store_view_builtin(&mut self, id: OutputId, lane: Lane) -> Result<ValueWord, Failure> {
        let target = choose_output_target(&mut self.function.io(), id)?;
        let variable = self.get_output_variable(id, &target)?;
        let mut value = self.function.builder.read_lane(lane, Scalar::U32);
        if self.function.program.outputs[id].semantic == Semantic::ViewportIndex {
            value = clamp_viewport(self.function.builder, value);
        }
        // In SPIR-V the mask is an array of words, one for 32 viewports each.
        let is_mask = self.function.program.outputs[id].semantic == Semantic::ViewportMask;
        let pointer = if is_mask {
            compute_element_pointer(self.function.builder, variable, Scalar::U32, 0)
        } else {
            variable
        };
        self.function.builder.emit_store(pointer, value);
        Ok(variable)
    }

    /// Adds the requirements of a later geometry stage that repeats the primitives for several
    /// viewports or views. Returns an error if the stage, the device or a capture prevents it.
    fn check_replication(&mut self, views: &ViewSelection) -> Result<(), Failure> {
        let stage = self.function.program.stage;
        if !matches!(stage, Stage::Vertex | Stage::TessEval) {
            let message = format!("{} programs cannot choose several viewports", stage.name());
            return Err(Error::unsupported(message));
        }
        let features = if views.has_second_view() {
            "geometryShader with multiViewport for second views"
        } else {
            "VK_NV_viewport_array2"
        };
        for requirement in [Requirement::Geometry, Requirement::MultiViewport] {
            let required = self.function.builder.require(requirement);
            required.map_err(|error| error.describing_feature(features))?;
        }
        if !self.captures.is_empty() {
            return Err(Error::unsupported(
                "transform feedback of a program whose primitives go to several viewports or views",
            ));
        }
        Ok(())
    }

    /// Writes the selected values as bits to a varying for the stage that replicates primitives;
    /// values that the program does not select are 0. Returns an error if replication is not
    /// possible.
    fn store_replication(&mut self, views: &ViewSelection) -> Result<(), Failure> {
        self.check_replication(views)?;
        let variable = declare_replication(&mut self.function.io(), views)?;
        let [layer, viewport, mask, second_position, second_mask] = views.lanes();
        // In the order that `Replication` specifies.
        let words = [layer, viewport.or(mask), second_mask, second_position];
        let zero = Lane::scalar(self.function.builder.constant_u32(0));
        let words = words.map(|lane| lane.unwrap_or(zero));
        // Varyings are floats; the following stage reads their bits.
        let value = self.function.builder.gather_vector(&words, Scalar::F32);
        self.function.builder.emit_store(variable, value.id);
        Ok(())
    }
}

/// Adds the requirements of layer or viewport outputs, except in geometry programs. Before Vulkan
/// 1.2 an extension covers both.
fn require_layer_output(io: &mut Io<'_>, requirement: Requirement) {
    // In geometry programs the layer belongs to the capability `Geometry`, the viewport to
    // `MultiViewport`.
    if io.program.stage == Stage::Geometry {
        return;
    }
    // One extension covers both before Vulkan 1.2.
    let requirements = if io.options.target >= Target::Vulkan1_2 {
        [requirement; 2]
    } else {
        [
            Requirement::LayerOutputExtension,
            Requirement::ViewportOutputExtension,
        ]
    };
    requirements
        .into_iter()
        .for_each(|requirement| io.builder.requirements.insert(requirement));
}

/// Returns the lowest guaranteed varying location that neither an output of the program nor one
/// that state adds uses. Returns an error if there is none.
fn find_free_location(program: &Program, options: &Options) -> Result<u32, Failure> {
    let outputs = &options.interface.outputs;
    let used = outputs.used_locations(program, options);
    let free = (0..GUARANTEED_LOCATIONS).find(|location| !used.contains(location));
    free.ok_or_else(|| Error::limit("there is no free varying location for viewports and views"))
}

/// Returns the varying that carries viewport and view selections to the geometry stage that repeats
/// primitives, which it declares and reflects on first use. Returns an error if no location is
/// free.
fn declare_replication(io: &mut Io<'_>, views: &ViewSelection) -> Result<ValueWord, Failure> {
    if io.interface.outputs.replication.is_some() {
        return Ok(io.interface.outputs.replication_variable);
    }
    let location = find_free_location(io.program, io.options)?;
    let ty = io.builder.get_type(Scalar::F32, 4);
    let variable = io.declare_in_out_variable(StorageClass::Output, ty);
    io.builder
        .decorate(variable, Decoration::Location, &[location]);
    io.builder.name_object(variable, || "views".to_owned());
    io.interface.outputs.replication_variable = variable;
    io.interface.outputs.replication = Some(describe_replication(
        io.program, io.options, views, location,
    ));
    Ok(variable)
}

/// Returns the description of the varying at `location` that carries viewport and view selections,
/// for the reflection. Framebuffers without layers have no layer offsets.
fn describe_replication(
    program: &Program,
    options: &Options,
    views: &ViewSelection,
    location: u32,
) -> ViewReplication {
    let chosen = views.0.map(|output| output.is_some());
    let [
        has_layer,
        has_viewport,
        has_mask,
        has_second_position,
        has_second_mask,
    ] = chosen;
    let modes = program.modes;
    let single_layer = options.pipeline_state.is_framebuffer_unlayered;
    ViewReplication {
        location,
        has_layer,
        viewport_selection: match (has_viewport, has_mask) {
            (true, _) => ViewportSelection::Index,
            (false, true) => ViewportSelection::Mask,
            (false, false) => ViewportSelection::Zero,
        },
        has_second_view_position: has_second_position,
        has_second_view_mask: has_second_mask,
        is_layer_viewport_relative: modes.layer_viewport_relative && !single_layer,
        second_view_layer_offset: if single_layer {
            0
        } else {
            modes.secondary_view_layer_offset
        },
    }
}

/// Replaces a viewport that does not exist by viewport 0: ARB_viewport_array section 2.X.2, for
/// geometry programs. For other stages the result is undefined.
fn clamp_viewport(builder: &mut ValueBuilder, number: ValueWord) -> ValueWord {
    if builder.stage() != Stage::Geometry {
        return number;
    }
    let number = builder.val(number);
    let exists = builder.emit_compare_bits(Spv::ULessThan, number, MAX_VIEWPORTS.into());
    let first = builder.constant_like(number, 0);
    builder.emit_select(exists, number, first).id
}

/// Emits the sum of two integer lanes.
fn add_lanes(builder: &mut ValueBuilder, a: Lane, b: Lane) -> Lane {
    let [a, b] = [a, b].map(|lane| builder.read_lane_val(lane, Scalar::U32));
    builder.emit_binary(Spv::IAdd, a, b).lane(0)
}
