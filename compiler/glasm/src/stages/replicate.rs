//! The geometry stage that replicates primitives to several viewports and views.
//!
//! It follows a program whose reflection has a [`Replication`]. There is an invocation for every
//! viewport, first for the first view, then for the second one, and each emits the primitive if its
//! bit in the mask is set: so copies have the order of NV_viewport_array2 and
//! NV_stereo_view_rendering, primitive by primitive, view by view, viewport by viewport. The
//! selection of the first vertex of a primitive applies. Everything else passes through: varyings,
//! clip distances, point size, the primitive index.
//!
//! The cost is a geometry stage with that number of invocations for each primitive; without it a
//! device would need `VK_NV_viewport_array2`, and Vulkan has no equivalent of second views.

use super::ir_text_builder::{IrTextBuilder, format_bits};
use super::passthrough::{find_keyword, get_own_vertices};
use crate::compiler::{Compiler, Shader};
use glasm_codegen::options::{InterfaceTypes, MAX_VIEWPORTS, Options, Place, Varyings};
use glasm_codegen::reflect::{InterfaceVariable, Replication, ViewportChoice};
use glasm_codegen::{Reflection, varyings};
use glasm_frontend::Diagnostics;
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive};
use glasm_ir::{Program, Semantic, TypeBase};

/// Returns the geometry stage after a program, for draws of such primitives on a device with
/// `viewports` viewports; `None` if the program needs none. Of the options, target and device
/// apply.
///
/// # Errors
/// If the device lacks a required feature, or no varying is free for the selection of the program.
pub fn replication_stage(
    before: &Reflection,
    primitive: InputPrimitive,
    viewports: u32,
    options: &Options,
) -> Option<Result<Shader, Diagnostics>> {
    let replication = before.replication?;
    let choice = free_varying(&before.outputs);
    let program = Stage {
        replication,
        viewports: viewports.clamp(1, MAX_VIEWPORTS),
        choice,
    }
    .build_program(&before.outputs, primitive);
    let place = |semantic, location| Place::vector(semantic, location, TypeBase::Float);
    let located = before.outputs.iter();
    let mut places: Vec<Place> = located
        .filter_map(|output| Some(place(output.semantic, output.location?)))
        .collect();
    let outputs = Varyings::Placed(places.clone());
    places.push(place(choice, replication.location));
    let options = Options {
        interface: InterfaceTypes {
            inputs: Varyings::Placed(places),
            outputs,
            ..InterfaceTypes::default()
        },
        target: options.target,
        device: options.device,
        ..Options::default()
    };
    Some(Compiler::new().compile_ir(&program, &options))
}

/// Returns a varying that the previous program does not write. The program has at most as many
/// varyings as there are locations, one of which is free.
fn free_varying(outputs: &[InterfaceVariable]) -> Semantic {
    let is_free = |semantic: &Semantic| outputs.iter().all(|it| it.semantic != *semantic);
    let mut generic = (0..varyings::VARYING_LOCATIONS as u8).map(Semantic::Generic);
    generic.find(is_free).unwrap_or(Semantic::Generic(0))
}

/// The stage under construction.
struct Stage {
    replication: Replication,
    viewports: u32,
    /// The varying with the selection of the previous program.
    choice: Semantic,
}

/// A value that passes through: names of the input and of the register of the output.
type Copy = (String, String);

/// Registers for the destination of an invocation.
struct Destination {
    /// All ones in the second view, in lane x.
    second: String,
    /// Layer, viewport, bit of the viewport in the mask.
    place: String,
    layer: Option<String>,
    viewport: Option<String>,
}

impl Stage {
    fn build_program(&self, outputs: &[InterfaceVariable], primitive: InputPrimitive) -> Program {
        let (kept, output) = get_own_vertices(primitive);
        let (input, output) = (
            find_keyword(InputPrimitive::ALL, primitive),
            find_keyword(OutputPrimitive::ALL, output),
        );
        let (vertices, invocations) = (kept.len(), self.count_invocations());
        let mut builder = IrTextBuilder::new(
            "geometry",
            format_args!(
                "primitive_in {input}\nprimitive_out {output}\nvertices_out {vertices}\ninvocations {invocations}\n"
            ),
        );
        let chosen = builder.declare_input(self.choice, "float per_vertex");
        let invocation = builder.declare_input(Semantic::InvocationId, "signed");
        let number = builder.declare_input(Semantic::PrimitiveId, "signed");
        let copies = declare_copies(&mut builder, outputs);
        let position = (
            builder.declare_input(Semantic::Position, "float per_vertex"),
            builder.declare_output(Semantic::Position),
        );
        let number = (number, builder.declare_output(Semantic::PrimitiveId));
        let layer = self.replication.has_layer;
        let layer = layer.then(|| builder.declare_output(Semantic::Layer));
        let viewport = self.has_viewport();
        let viewport = viewport.then(|| builder.declare_output(Semantic::ViewportIndex));
        let to = Destination {
            layer,
            viewport,
            second: builder.declare_temp(),
            place: builder.declare_temp(),
        };
        self.emit_choice(
            &mut builder,
            &to,
            &format!("{chosen}[0 of 1, vertex {}]", kept[0]),
            &invocation,
        );
        builder.push_line(format_args!("if nonzero.u32 {}.z {{", to.place));
        for vertex in kept {
            self.emit_vertex(
                &mut builder,
                &to,
                &chosen,
                (&position, &copies, &number),
                *vertex,
            );
        }
        builder.push_line(format_args!("endprim.u32\n}}"));
        builder.finish()
    }

    fn has_mask(&self) -> bool {
        self.replication.viewports == ViewportChoice::Mask || self.replication.has_second_mask
    }

    fn has_viewport(&self) -> bool {
        self.replication.viewports != ViewportChoice::First || self.has_mask()
    }

    fn has_second(&self) -> bool {
        self.replication.has_second_position || self.replication.has_second_mask
    }

    fn count_invocations(&self) -> u32 {
        let viewports = if self.has_mask() { self.viewports } else { 1 };
        let views = if self.has_second() { 2 } else { 1 };
        views * viewports
    }

    /// Emits the computation of the destination of this invocation, from the selection of the first
    /// vertex.
    fn emit_choice(
        &self,
        builder: &mut IrTextBuilder,
        to: &Destination,
        chosen: &str,
        invocation: &str,
    ) {
        let Destination { second, place, .. } = to;
        let half = format_bits(if self.has_second() {
            self.count_invocations() / 2
        } else {
            self.count_invocations()
        });
        builder.push_line(format_args!(
            "{second}.x = setge.u32 {invocation}.xxxx, {half}"
        ));
        builder.push_line(format_args!("{place}.xyz = mov.u32 {{0, 0, 1, 0}}"));
        if self.replication.viewports != ViewportChoice::First {
            builder.push_line(format_args!("{place}.y = mov.u32 {chosen}.yyyy"));
        }
        if self.has_mask() {
            if self.replication.viewports == ViewportChoice::Mask {
                builder.push_line(format_args!("{place}.z = mov.u32 {chosen}.yyyy"));
            } else {
                // A view without a mask is drawn to the viewport that the program selected.
                builder.push_line(format_args!("{place}.z = and.u32 {place}.yyyy, {{31}}"));
                builder.push_line(format_args!("{place}.z = shl.u32 {{1}}, {place}.zzzz"));
            }
            if self.replication.has_second_mask {
                builder.push_line(format_args!(
                    "{place}.z = selnz.u32 {second}.xxxx, {chosen}.zzzz, {place}.zzzz"
                ));
            }
            let count = format_bits(self.viewports);
            builder.push_line(format_args!(
                "{place}.y = mod.u32 {invocation}.xxxx, {count}"
            ));
            builder.push_line(format_args!(
                "{place}.z = shr.u32 {place}.zzzz, {place}.yyyy"
            ));
            builder.push_line(format_args!("{place}.z = and.u32 {place}.zzzz, {{1}}"));
        }
        if self.replication.has_layer {
            self.emit_layer_choice(builder, to, chosen);
        }
    }

    fn emit_layer_choice(&self, builder: &mut IrTextBuilder, to: &Destination, chosen: &str) {
        let Destination { second, place, .. } = to;
        builder.push_line(format_args!("{place}.x = mov.u32 {chosen}.xxxx"));
        if self.replication.viewport_relative_layer {
            builder.push_line(format_args!(
                "{place}.x = add.u32 {place}.xxxx, {place}.yyyy"
            ));
        }
        let offset = format_bits(self.replication.second_layer_offset as u32);
        builder.push_line(format_args!("{place}.w = and.u32 {second}.xxxx, {offset}"));
        builder.push_line(format_args!(
            "{place}.x = add.u32 {place}.xxxx, {place}.wwww"
        ));
    }

    /// Emits a vertex. Each vertex writes all outputs, which are undefined after the previous one.
    fn emit_vertex(
        &self,
        builder: &mut IrTextBuilder,
        to: &Destination,
        chosen: &str,
        (position, copies, number): (&Copy, &[Copy], &Copy),
        vertex: u32,
    ) {
        let at = format!("[0 of 1, vertex {vertex}]");
        let (from, register) = position;
        builder.push_line(format_args!("{register}.xyzw = mov.u32 {from}{at}.xyzw"));
        if self.replication.has_second_position {
            let second = &to.second;
            builder.push_line(format_args!(
                "{register}.x = selnz.u32 {second}.xxxx, {chosen}{at}.wwww, {from}{at}.xxxx"
            ));
        }
        for (from, register) in copies {
            builder.push_line(format_args!("{register}.xyzw = mov.u32 {from}{at}.xyzw"));
        }
        let (from, register) = number;
        builder.push_line(format_args!("{register}.x = mov.u32 {from}.xxxx"));
        for (register, lane) in [(&to.layer, "xxxx"), (&to.viewport, "yyyy")] {
            if let Some(register) = register {
                builder.push_line(format_args!("{register}.x = mov.u32 {}.{lane}", to.place));
            }
        }
        builder.push_line(format_args!("emit.s32 {{0}}"));
    }
}

/// Declares inputs and outputs for the varyings that the previous program writes, except the
/// position; returns their names.
fn declare_copies(builder: &mut IrTextBuilder, outputs: &[InterfaceVariable]) -> Vec<Copy> {
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
