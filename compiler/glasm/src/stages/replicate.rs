//! The geometry stage that replicates primitives to several viewports and views.
//!
//! It follows a program whose reflection has a [`ViewReplication`]. There is an invocation for
//! every viewport, first for the first view, then for the second one, and each emits the primitive
//! if its bit in the mask is set: so copies have the order of NV_viewport_array2 and
//! NV_stereo_view_rendering, primitive by primitive, view by view, viewport by viewport. The
//! selection of the first vertex of a primitive applies. Everything else passes through: varyings,
//! clip distances, point size, the primitive index.
//!
//! The cost is a geometry stage with that number of invocations for each primitive; without it a
//! device would need `VK_NV_viewport_array2`, and Vulkan has no equivalent of second views.

use super::ir_text_builder::{IrTextBuilder, format_bits_literal};
use super::passthrough::{find_keyword, get_primitive_vertices};
use crate::program::{Compiler, Shader};
use glasm_codegen::options::{InterfaceTypes, MAX_VIEWPORTS, Options, VaryingLocation, Varyings};
use glasm_codegen::reflect::{InterfaceVariable, ViewReplication, ViewportSelection};
use glasm_codegen::{Reflection, varyings};
use glasm_frontend::Diagnostics;
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive};
use glasm_ir::{BaseType, Program, Semantic};

/// Returns the geometry stage that replicates the primitives of a program to the viewports and
/// views that it selects; `None` if the reflection has no [`ViewReplication`]. `primitive` is that
/// of the draws, `viewports` the number of viewports of the device, clamped to 1 to
/// [`MAX_VIEWPORTS`]. Of the options, only target, device and shading language apply.
///
/// # Errors
/// If the device lacks a required feature, or no varying is free for the selection of the program.
pub fn build_replication_stage(
    previous: &Reflection,
    primitive: InputPrimitive,
    viewports: u32,
    options: &Options,
) -> Option<Result<Shader, Diagnostics>> {
    let replication = previous.view_replication?;
    let selection_varying = find_free_varying(&previous.outputs);
    let program = ReplicationStage {
        replication,
        viewports: viewports.clamp(1, MAX_VIEWPORTS),
        selection_varying,
    }
    .build_program(&previous.outputs, primitive);
    let make_location =
        |semantic, location| VaryingLocation::vector(semantic, location, BaseType::Float);
    let located = previous.outputs.iter();
    let mut locations: Vec<VaryingLocation> = located
        .filter_map(|output| Some(make_location(output.semantic, output.location?)))
        .collect();
    let outputs = Varyings::Explicit(locations.clone());
    locations.push(make_location(selection_varying, replication.location));
    let options = Options {
        interface: InterfaceTypes {
            inputs: Varyings::Explicit(locations),
            outputs,
            ..InterfaceTypes::default()
        },
        target: options.target,
        device: options.device,
        text_target: options.text_target.clone(),
        ..Options::default()
    };
    Some(Compiler::new().compile_ir(&program, &options))
}

/// Returns a generic varying that the previous program does not write; varying 0 if it writes all
/// of them. The program has at most as many varyings as there are locations, one of which is free.
fn find_free_varying(outputs: &[InterfaceVariable]) -> Semantic {
    let is_free = |semantic: &Semantic| outputs.iter().all(|it| it.semantic != *semantic);
    let mut generic = (0..varyings::VARYING_LOCATIONS as u8).map(Semantic::GenericVarying);
    generic.find(is_free).unwrap_or(Semantic::GenericVarying(0))
}

/// The stage under construction.
struct ReplicationStage {
    replication: ViewReplication,
    viewports: u32,
    /// The varying with the selection of the previous program.
    selection_varying: Semantic,
}

/// A value that passes through: names of the input and of the register of the output.
type VaryingCopy = (String, String);

/// Registers for the destination of an invocation.
struct Destination {
    /// All ones in the second view, in lane x.
    second_view: String,
    /// Layer, viewport, bit of the viewport in the mask.
    destination: String,
    layer: Option<String>,
    viewport: Option<String>,
}

impl ReplicationStage {
    /// Returns the geometry program that emits each primitive once per selected viewport or view,
    /// with these varyings.
    fn build_program(&self, outputs: &[InterfaceVariable], primitive: InputPrimitive) -> Program {
        let (own_vertices, output) = get_primitive_vertices(primitive);
        let (input, output) = (
            find_keyword(InputPrimitive::ALL, primitive),
            find_keyword(OutputPrimitive::ALL, output),
        );
        let (vertices, invocations) = (own_vertices.len(), self.count_invocations());
        let mut builder = IrTextBuilder::new(
            "geometry",
            format_args!(
                "primitive_in {input}\nprimitive_out {output}\nvertices_out {vertices}\ninvocations {invocations}\n"
            ),
        );
        let selection = builder.declare_input(self.selection_varying, "float per_vertex");
        let invocation = builder.declare_input(Semantic::InvocationId, "signed");
        let primitive_id = builder.declare_input(Semantic::PrimitiveId, "signed");
        let copies = declare_copies(&mut builder, outputs);
        let position = (
            builder.declare_input(Semantic::Position, "float per_vertex"),
            builder.declare_output(Semantic::Position),
        );
        let number = (primitive_id, builder.declare_output(Semantic::PrimitiveId));
        let layer = self.replication.has_layer;
        let layer = layer.then(|| builder.declare_output(Semantic::Layer));
        let viewport = self.has_viewport();
        let viewport = viewport.then(|| builder.declare_output(Semantic::ViewportIndex));
        let to = Destination {
            layer,
            viewport,
            second_view: builder.declare_temp(),
            destination: builder.declare_temp(),
        };
        self.emit_destination(
            &mut builder,
            &to,
            &format!("{selection}[0 of 1, vertex {}]", own_vertices[0]),
            &invocation,
        );
        builder.push_line(format_args!("if nonzero.u32 {}.z {{", to.destination));
        for vertex in own_vertices {
            self.emit_vertex(
                &mut builder,
                &to,
                &selection,
                (&position, &copies, &number),
                *vertex,
            );
        }
        builder.push_line(format_args!("endprim.u32\n}}"));
        builder.finish()
    }

    /// Returns true if a view selects its viewports by a mask, so that a primitive may have
    /// several.
    fn has_mask(&self) -> bool {
        self.replication.viewport_selection == ViewportSelection::Mask
            || self.replication.has_second_view_mask
    }

    /// Returns true if the replicated program writes a viewport index.
    fn has_viewport(&self) -> bool {
        self.replication.viewport_selection != ViewportSelection::Zero || self.has_mask()
    }

    /// Returns true if the program has a position or viewport mask for a second view.
    fn has_second_view(&self) -> bool {
        self.replication.has_second_view_position || self.replication.has_second_view_mask
    }

    /// Returns the number of invocations of the geometry program: one for each combination of view
    /// and viewport.
    fn count_invocations(&self) -> u32 {
        let viewports = if self.has_mask() { self.viewports } else { 1 };
        let views = if self.has_second_view() { 2 } else { 1 };
        views * viewports
    }

    /// Emits the computation of the destination of this invocation, from the selection of the first
    /// vertex: layer in x, viewport in y, and whether the primitive is drawn there in z. Also
    /// whether the invocation is of the second view.
    fn emit_destination(
        &self,
        builder: &mut IrTextBuilder,
        to: &Destination,
        selection: &str,
        invocation: &str,
    ) {
        let Destination {
            second_view: second,
            destination: place,
            ..
        } = to;
        let half = format_bits_literal(if self.has_second_view() {
            self.count_invocations() / 2
        } else {
            self.count_invocations()
        });
        builder.push_line(format_args!(
            "{second}.x = setge.u32 {invocation}.xxxx, {half}"
        ));
        builder.push_line(format_args!("{place}.xyz = mov.u32 {{0, 0, 1, 0}}"));
        if self.replication.viewport_selection != ViewportSelection::Zero {
            builder.push_line(format_args!("{place}.y = mov.u32 {selection}.yyyy"));
        }
        if self.has_mask() {
            if self.replication.viewport_selection == ViewportSelection::Mask {
                builder.push_line(format_args!("{place}.z = mov.u32 {selection}.yyyy"));
            } else {
                // A view without a mask is drawn to the viewport that the program selected.
                builder.push_line(format_args!("{place}.z = and.u32 {place}.yyyy, {{31}}"));
                builder.push_line(format_args!("{place}.z = shl.u32 {{1}}, {place}.zzzz"));
            }
            if self.replication.has_second_view_mask {
                builder.push_line(format_args!(
                    "{place}.z = selnz.u32 {second}.xxxx, {selection}.zzzz, {place}.zzzz"
                ));
            }
            let count = format_bits_literal(self.viewports);
            builder.push_line(format_args!(
                "{place}.y = mod.u32 {invocation}.xxxx, {count}"
            ));
            builder.push_line(format_args!(
                "{place}.z = shr.u32 {place}.zzzz, {place}.yyyy"
            ));
            builder.push_line(format_args!("{place}.z = and.u32 {place}.zzzz, {{1}}"));
        }
        if self.replication.has_layer {
            self.emit_layer(builder, to, selection);
        }
    }

    /// Emits the layer of a destination to its x from the selected layer, with the viewport if it
    /// is relative to that, and the offset of the second view. Overwrites w.
    fn emit_layer(&self, builder: &mut IrTextBuilder, to: &Destination, selection: &str) {
        let Destination {
            second_view: second,
            destination: place,
            ..
        } = to;
        builder.push_line(format_args!("{place}.x = mov.u32 {selection}.xxxx"));
        if self.replication.is_layer_viewport_relative {
            builder.push_line(format_args!(
                "{place}.x = add.u32 {place}.xxxx, {place}.yyyy"
            ));
        }
        let offset = format_bits_literal(self.replication.second_view_layer_offset as u32);
        builder.push_line(format_args!("{place}.w = and.u32 {second}.xxxx, {offset}"));
        builder.push_line(format_args!(
            "{place}.x = add.u32 {place}.xxxx, {place}.wwww"
        ));
    }

    /// Emits vertex `vertex` of the input primitive. Each vertex writes all outputs, which are
    /// undefined after the previous one.
    fn emit_vertex(
        &self,
        builder: &mut IrTextBuilder,
        to: &Destination,
        selection: &str,
        (position, copies, number): (&VaryingCopy, &[VaryingCopy], &VaryingCopy),
        vertex: u32,
    ) {
        let at = format!("[0 of 1, vertex {vertex}]");
        let (from, register) = position;
        builder.push_line(format_args!("{register}.xyzw = mov.u32 {from}{at}.xyzw"));
        if self.replication.has_second_view_position {
            let second = &to.second_view;
            builder.push_line(format_args!(
                "{register}.x = selnz.u32 {second}.xxxx, {selection}{at}.wwww, {from}{at}.xxxx"
            ));
        }
        for (from, register) in copies {
            builder.push_line(format_args!("{register}.xyzw = mov.u32 {from}{at}.xyzw"));
        }
        let (from, register) = number;
        builder.push_line(format_args!("{register}.x = mov.u32 {from}.xxxx"));
        for (register, lane) in [(&to.layer, "xxxx"), (&to.viewport, "yyyy")] {
            if let Some(register) = register {
                builder.push_line(format_args!(
                    "{register}.x = mov.u32 {}.{lane}",
                    to.destination
                ));
            }
        }
        builder.push_line(format_args!("emit.s32 {{0}}"));
    }
}

/// Declares inputs and outputs for the varyings that the previous program writes, with clip and
/// cull distances and the point size, except the position; returns their names.
fn declare_copies(builder: &mut IrTextBuilder, outputs: &[InterfaceVariable]) -> Vec<VaryingCopy> {
    let passed = |output: &&InterfaceVariable| {
        let is_built_in = matches!(
            output.semantic,
            Semantic::ClipDistance(_) | Semantic::CullDistance(_) | Semantic::PointSize
        );
        output.location.is_some() || is_built_in
    };
    let semantics = outputs.iter().filter(passed).map(|it| it.semantic);
    semantics
        .map(|semantic| {
            let from = builder.declare_input(semantic, "float per_vertex");
            (from, builder.declare_output(semantic))
        })
        .collect()
}
