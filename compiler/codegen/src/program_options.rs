//! Reduction of options to those on which the module of a program depends.
//!
//! Callers that change GL state before each draw would otherwise compile, and keep in caches, a
//! module for each combination of states, although most programs depend on few of them. Each
//! function here repeats the condition under which emission reads a state; `tests/program_options.rs`
//! of the library compares both for every option.

mod textures;

use crate::added_outputs::{find_missing_locations, find_requested_locations};
use crate::dynamic_state::{AlphaTest, CompareFunction, LineStipple, StateSource};
use crate::options::{
    ClipDepth, DefaultTessLevels, Options, PointOrigin, PointSize, PrimitiveIdMode, Varyings,
};
use crate::varyings::{flat_color_copy, varying_location};
use glasm_ir::arena::Id;
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive};
use glasm_ir::semantic::Sampling;
use glasm_ir::{BaseType, Interpolation, Op, Output, Program, Semantic, Stage, Width};

/// Color that programs without numbered colors write, and that the alpha test reads.
const COLOR_0: Semantic = Semantic::FragColor {
    buffer: 0,
    index: 0,
};

/// Locations of colors and back colors in the fixed table.
const COLOR_LOCATIONS: u32 = 0b1111;

impl Options {
    /// Returns these options with all state that cannot change the module of a program set to its
    /// default: state of other stages, of inputs, outputs and textures that the program has not,
    /// and values that the module reads at run time ([`Options::state_sources`]). Options with the
    /// same result give the same module, so the result is the key of a module in a cache.
    ///
    /// The result is for this program alone: it is a key, and compiling the program with it gives
    /// the same module as with these options. A pipeline is linked with the options themselves, as
    /// the result lacks the state of all other stages; the keys of its programs together are the
    /// key of the pipeline.
    ///
    /// Target, device features, bindings, debug information and options of arithmetic remain as
    /// they are: an application has one value of each. So do captures of transform feedback, and
    /// state that may concern a stage that [`link`](https://docs.rs/glasm) generates for
    /// tessellation control programs.
    #[must_use]
    pub fn for_program(&self, program: &impl AsRef<Program>) -> Self {
        let program = &ProgramUses::new(program.as_ref());
        let mut options = self.clone();
        reduce_interface(&mut options, program);
        reduce_colors(&mut options, program);
        reduce_color_clamps(&mut options, program);
        reduce_fragment_tests(&mut options, program);
        reduce_line_stipple(&mut options, program);
        reduce_points(&mut options, program);
        reduce_clip_planes(&mut options, program);
        reduce_primitives(&mut options, program);
        reduce_conventions(&mut options, program);
        textures::reduce_textures(&mut options, program.program);
        // The alpha test and the buffers that are drawn to are known now.
        reduce_interface_types(&mut options, program);
        if options.transform_feedback.is_empty() {
            options.transform_feedback.strides.clear();
        }
        options
    }
}

/// A program with the results that its instructions write.
struct ProgramUses<'p> {
    program: &'p Program,
    /// By output.
    is_written: Vec<bool>,
}

impl<'p> ProgramUses<'p> {
    /// Collects the results that a program, or a stage that linking generates from it, writes.
    fn new(program: &'p Program) -> Self {
        let mut is_written: Vec<bool> = program
            .outputs
            .iter()
            .map(|output| !output.passthrough.is_empty())
            .collect();
        let mut registers = vec![false; program.registers.len()];
        for dst in program.insts.iter().filter_map(|inst| inst.dst) {
            registers[dst.register.index()] = true;
        }
        for (register, outputs) in program.output_registers() {
            if registers[register.index()] {
                is_written[outputs].fill(true);
            }
        }
        if program.stage == Stage::TessControl {
            // The evaluation stage that linking may add writes all results of the vertices.
            is_written.fill(true);
        }
        Self {
            program,
            is_written,
        }
    }

    /// Returns the shader stage.
    fn get_stage(&self) -> Stage {
        self.program.stage
    }

    /// Returns true for the stage of fragments.
    fn is_fragment(&self) -> bool {
        self.get_stage() == Stage::Fragment
    }

    /// Returns true if the vertices of the stage may be rasterized. Linking may split a control
    /// program, whose options then apply to the added evaluation stage.
    fn may_be_rasterized(&self) -> bool {
        !matches!(self.get_stage(), Stage::Fragment | Stage::Compute)
    }

    /// Returns the results that instructions write or that are passed through.
    fn iter_written(&self) -> impl Iterator<Item = &'p Output> {
        let outputs = self.program.outputs.iter().zip(&self.is_written);
        outputs
            .filter(|(_, is_written)| **is_written)
            .map(|it| it.0)
    }

    /// Returns true if a result with this semantic is written.
    fn writes(&self, semantic: Semantic) -> bool {
        self.iter_written()
            .any(|output| output.semantic == semantic)
    }

    /// Returns true if the program reads an input with this semantic.
    fn reads(&self, semantic: Semantic) -> bool {
        let mut inputs = self.program.inputs.iter();
        inputs.any(|input| input.semantic == semantic)
    }
}

/// Returns true if a varying may be passed with these options of one side. Linking replaces lists
/// of varyings by those that both stages have, all of which are in the fixed table, so a list alone
/// does not exclude any of these.
fn may_be_passed(varyings: &Varyings, semantic: Semantic) -> bool {
    varyings.location(semantic).is_some() || varying_location(semantic).is_some()
}

/// Sets the source of a state that no code reads to [`StateSource::CompileTime`].
fn reset_source_unless(source: &mut StateSource, is_read: bool) {
    if !is_read {
        *source = StateSource::CompileTime;
    }
}

/// Resets the locations of varyings to the fixed table where the program does not depend on them:
/// inputs of stages that have none, and outputs that cannot be rasterized. Of `AllLocations`
/// retains only the locations for which the program has no output, for tessellation control
/// programs all.
fn reduce_interface(options: &mut Options, program: &ProgramUses<'_>) {
    let has_inputs = !matches!(program.get_stage(), Stage::Vertex | Stage::Compute);
    // `AllLocations` concerns outputs.
    if !has_inputs || matches!(options.interface.inputs, Varyings::AllLocations(_)) {
        options.interface.inputs = Varyings::FixedTable;
    }
    if !program.may_be_rasterized() {
        options.interface.outputs = Varyings::FixedTable;
    } else if matches!(options.interface.outputs, Varyings::AllLocations(_)) {
        let missing = if program.get_stage() == Stage::TessControl {
            // Linking may add an evaluation stage with these options, which has no results of
            // patches.
            find_requested_locations(options)
        } else {
            find_missing_locations(program.program, options)
        };
        options.interface.outputs = match missing {
            0 => Varyings::FixedTable,
            missing => Varyings::AllLocations(missing),
        };
    }
}

/// Returns true if options add outputs at locations of colors.
fn adds_colors(options: &Options) -> bool {
    matches!(options.interface.outputs, Varyings::AllLocations(added) if added & COLOR_LOCATIONS != 0)
}

/// Clears two-sided and flat colors unless they are compiled in and the program is a fragment
/// program that depends on them. Sets the state source of two-sided colors to
/// [`StateSource::CompileTime`] unless the program reads the colors of both faces, and that of flat
/// colors unless it reads or may write copies for flat shading. For programs that may write copies,
/// replaces every run-time source of flat colors by [`StateSource::UniformBlock`]: their modules do
/// not depend on which one it is.
fn reduce_colors(options: &mut Options, program: &ProgramUses<'_>) {
    let inputs = &options.interface.inputs;
    let is_passed = |semantic| program.is_fragment() && may_be_passed(inputs, semantic);
    let colors = program.program.inputs.iter();
    let colors = || colors.clone().filter(|input| is_passed(input.semantic));
    let has_two_sides = colors().any(
        |input| matches!(input.semantic, Semantic::Color(n) if is_passed(Semantic::BackColor(n))),
    );
    let is_interpolated = colors().any(|input| {
        matches!(input.semantic, Semantic::Color(_) | Semantic::BackColor(_))
            && (input.interpolation, input.sampling) != (Interpolation::Flat, Sampling::Center)
    });
    let reads_copies = colors().any(|input| {
        matches!(input.semantic, Semantic::Color(_))
            && flat_color_copy(input.semantic).is_some_and(is_passed)
    });
    let outputs = &options.interface.outputs;
    let writes_copies = program.may_be_rasterized()
        && (adds_colors(options)
            || program
                .program
                .outputs
                .iter()
                .filter_map(|output| flat_color_copy(output.semantic))
                .any(|copy| may_be_passed(outputs, copy)));

    // In shading languages outputs have the qualifiers of inputs: `find_text_interpolation`.
    let qualifies_outputs = options.text_target.is_some() && program.may_be_rasterized();

    let (state, sources) = (&mut options.pipeline_state, &mut options.state_sources);
    reset_source_unless(&mut sources.two_sided_color, has_two_sides);
    state.two_sided_color &= has_two_sides && sources.two_sided_color.is_fixed();
    // Back colors that are inputs have no copies: they are not flat if the state is read at run time.
    state.flat_colors &= (is_interpolated || qualifies_outputs) && sources.flat_colors.is_fixed();
    if writes_copies && !sources.flat_colors.is_fixed() {
        // Vertices have both colors, wherever the fragment program reads the state from.
        sources.flat_colors = StateSource::UniformBlock;
    }
    reset_source_unless(&mut sources.flat_colors, reads_copies || writes_copies);
}

/// Clears the clamps of vertex and fragment colors unless they are compiled in and the program
/// writes such colors; sets the state source of a clamp to [`StateSource::CompileTime`] if it does
/// not. If fragment colors are clamped, clamps the compiled-in reference of the alpha test to 0 to
/// 1.
fn reduce_color_clamps(options: &mut Options, program: &ProgramUses<'_>) {
    let is_color =
        |output: &Output| matches!(output.semantic, Semantic::Color(_) | Semantic::BackColor(_));
    let has_vertex_color = program.may_be_rasterized()
        && (program.iter_written().any(is_color) || adds_colors(options));
    let is_float_color = |output: &Output| {
        matches!(output.semantic, Semantic::FragColor { .. }) && output.base == BaseType::Float
    };
    let has_fragment_color = program.is_fragment() && program.iter_written().any(is_float_color);

    let (state, sources) = (&mut options.pipeline_state, &mut options.state_sources);
    reset_source_unless(&mut sources.clamp_vertex_colors, has_vertex_color);
    state.clamp_vertex_colors &= has_vertex_color && sources.clamp_vertex_colors.is_fixed();
    if state.clamp_fragment_colors && sources.alpha_test.is_fixed() {
        // The reference is clamped together with the colors, and remains so without that state.
        let reference = f32::from_bits(state.alpha_test.reference).clamp(0.0, 1.0);
        state.alpha_test.reference = reference.to_bits();
    }
    reset_source_unless(&mut sources.clamp_fragment_colors, has_fragment_color);
    state.clamp_fragment_colors &= has_fragment_color && sources.clamp_fragment_colors.is_fixed();
}

/// Resets the alpha test unless it is compiled in, can fail, and the program is a fragment program
/// whose color 0 is a float, and the stipple of polygons unless it is compiled in and the program
/// is a fragment program. Sets their state sources to [`StateSource::CompileTime`] for programs
/// that do not use them. Resets the mask of buffers that are drawn to unless a fragment program
/// without separate colors writes color 0 and the mask is not that of buffer 0 alone.
fn reduce_fragment_tests(options: &mut Options, program: &ProgramUses<'_>) {
    let color = program
        .iter_written()
        .find(|output| output.semantic == COLOR_0);
    let color = color.filter(|_| program.is_fragment());
    let tested_type = |output: &Output| {
        let attachment = options.interface.colors.first();
        attachment.copied().unwrap_or(output.base)
    };
    let has_alpha = color.map(tested_type) == Some(BaseType::Float);

    let (state, sources) = (&mut options.pipeline_state, &mut options.state_sources);
    reset_source_unless(&mut sources.alpha_test, has_alpha);
    let is_tested = has_alpha && sources.alpha_test.is_fixed();
    if !is_tested || state.alpha_test.function == CompareFunction::Always {
        state.alpha_test = AlphaTest::default();
    } else if state.alpha_test.function == CompareFunction::Never {
        // Nothing is compared.
        state.alpha_test.reference = AlphaTest::default().reference;
    }
    reset_source_unless(&mut sources.polygon_stipple, program.is_fragment());
    if !program.is_fragment() || !sources.polygon_stipple.is_fixed() {
        options.polygon_stipple = None;
    }
    // No buffers are buffer 0 alone.
    let is_first = state.draw_buffer_mask == 1;
    if color.is_none() || program.program.modes.separate_colors || is_first {
        state.draw_buffer_mask = 0;
    }
}

/// Removes the stipple of lines unless it is compiled in and used: fragment programs that may read
/// the start of the line retain pattern and factor, programs with a position that may be rasterized
/// retain the viewport. Sets the state source to [`StateSource::CompileTime`] for all others.
fn reduce_line_stipple(options: &mut Options, program: &ProgramUses<'_>) {
    let inputs = &options.interface.inputs;
    let reads_start = program.is_fragment() && may_be_passed(inputs, Semantic::LineStippleStart);
    let mut outputs = program.program.outputs.iter();
    let writes_start =
        program.may_be_rasterized() && outputs.any(|output| output.semantic == Semantic::Position);

    let (state, sources) = (&mut options.pipeline_state, &mut options.state_sources);
    reset_source_unless(&mut sources.line_stipple, reads_start || writes_start);
    let is_read = sources.line_stipple.is_fixed() && (reads_start || writes_start);
    state.line_stipple = state.line_stipple.filter(|_| is_read).map(|stipple| {
        if reads_start {
            LineStipple {
                viewport: [0; 4],
                ..stipple
            }
        } else {
            LineStipple {
                pattern: u16::MAX,
                factor: 1,
                ..stipple
            }
        }
    });
}

/// Resets the state of point sprites and the sizes of points that the module does not store or that
/// it reads at run time. A forced size becomes 1 if the module only removes the size that the
/// program writes, and the default size if the program writes none. Sets the state source of sizes to [`StateSource::CompileTime`] if the program
/// does not write a size and the module stores none. Does not change sizes for tessellation control
/// programs.
fn reduce_points(options: &mut Options, program: &ProgramUses<'_>) {
    reduce_point_sprites(options, program);
    if program.get_stage() == Stage::TessControl {
        return;
    }
    let writes_size = program.may_be_rasterized() && program.writes(Semantic::PointSize);
    let stores_size = stores_point_size(options, program);
    let (state, sources) = (&mut options.pipeline_state, &mut options.state_sources);
    reset_source_unless(&mut sources.point_size, stores_size || writes_size);
    if !sources.point_size.is_fixed() || !(stores_size || writes_size) {
        (state.forced_point_size, state.default_point_size) = (None, None);
        return;
    }
    if !stores_size {
        // The size of the program is dropped, whichever size replaces it.
        state.forced_point_size = state.forced_point_size.map(|_| PointSize::from(1.0));
    }
    if !stores_size || writes_size {
        state.default_point_size = None;
    } else if let Some(size) = state.forced_point_size.take() {
        // It overrides nothing.
        state.default_point_size = Some(size);
    }
    // Without a size, Vulkan requires 1 from these stages.
    let is_default_one = program.get_stage() != Stage::Vertex;
    if is_default_one && state.default_point_size == Some(PointSize::from(1.0)) {
        state.default_point_size = None;
    }
}

/// Returns true if the module may store a size of points that the state determines.
fn stores_point_size(options: &Options, program: &ProgramUses<'_>) -> bool {
    let modes = &program.program.modes;
    let emits_points = match program.get_stage() {
        Stage::Vertex => return true,
        Stage::TessEval => modes.point_mode,
        // What passes through are the input primitives.
        Stage::Geometry if modes.passthrough => {
            modes.primitive_in == InputPrimitive::Points
                || modes.primitive_in == InputPrimitive::Patches
                    && options.pipeline_state.patch_vertices == 1
        }
        Stage::Geometry => modes.primitive_out == OutputPrimitive::Points,
        Stage::TessControl | Stage::Fragment | Stage::Compute => false,
    };
    emits_points && options.device.tessellation_and_geometry_point_size
}

/// Removes texture coordinates that a fragment program does not read from those that the coordinate
/// of a point replaces; removes all for other stages. If none remains and the program does not read
/// the coordinate of the point, sets the state source to [`StateSource::CompileTime`] and clears
/// `flip_point_coord`. In that case, and if modules read it at run time, resets the origin.
fn reduce_point_sprites(options: &mut Options, program: &ProgramUses<'_>) {
    let sets = program.program.inputs.iter().map(|input| {
        if let Semantic::TexCoord(set) = input.semantic {
            1u8 << (set & 7)
        } else {
            0
        }
    });
    let sets = sets.fold(0, |all, set| all | set);
    let (state, sources) = (&mut options.pipeline_state, &mut options.state_sources);
    state.coord_replace_mask &= if program.is_fragment() { sets } else { 0 };
    let has_coordinate = state.coord_replace_mask != 0
        || program.is_fragment() && program.reads(Semantic::PointCoord);
    reset_source_unless(&mut sources.point_sprites, has_coordinate);
    if !has_coordinate || !sources.point_sprites.is_fixed() {
        state.point_origin = PointOrigin::default();
    }
    options.conventions.flip_point_coord &= has_coordinate;
}

/// Removes user clip planes that the program cannot clip by. Programs with an invariant position
/// and a float attribute 0 can clip by all, others by those of their declared clip distances if the
/// mode `enabled_clip_distances` is set. Sets the state source to [`StateSource::CompileTime`] if
/// no plane remains.
fn reduce_clip_planes(options: &mut Options, program: &ProgramUses<'_>) {
    let mut outputs = program.program.outputs.iter();
    let is_invariant = outputs
        .any(|output| output.semantic == Semantic::Position && output.invariant)
        && program.program.inputs.iter().any(|input| {
            (input.semantic, input.base, input.width)
                == (Semantic::VertexAttribute(0), BaseType::Float, Width::W32)
        });
    // The last distance that is declared, written or not, determines the length of their array.
    let declared = program.program.outputs.iter().map(|output| {
        if let Semantic::ClipDistance(plane @ 0..8) = output.semantic {
            1u8 << plane
        } else {
            0
        }
    });
    let usable = if is_invariant {
        u8::MAX
    } else if program.program.modes.enabled_clip_distances {
        declared.fold(0, |all, plane| all | plane)
    } else {
        0
    };
    options.pipeline_state.clip_plane_mask &= usable;
    let is_read = options.pipeline_state.clip_plane_mask != 0;
    reset_source_unless(&mut options.state_sources.clip_planes, is_read);
}

/// Resets the state of primitives and framebuffers that the program does not depend on: the number
/// of patch vertices unless a geometry program receives patches; default tessellation levels unless
/// linking must generate a control stage for these; quads as lines with adjacency unless a geometry
/// program receives triangles; the limit of output vertices of other stages, and if it is the
/// declared one; the mode of primitive numbers unless one is read; unlayered framebuffers unless
/// outputs select a layer.
fn reduce_primitives(options: &mut Options, program: &ProgramUses<'_>) {
    let modes = &program.program.modes;
    let is_geometry = program.get_stage() == Stage::Geometry;
    let state = &mut options.pipeline_state;
    let takes_patches = is_geometry && modes.primitive_in == InputPrimitive::Patches;
    if !takes_patches {
        state.patch_vertices = 0;
    }
    // For a control stage that linking generates if such patches are no primitives of Vulkan.
    let vertices = u32::from(state.patch_vertices);
    let mut inputs = program.program.inputs.iter();
    let reads_levels = inputs.any(|input| input.semantic.is_per_patch());
    let is_primitive = InputPrimitive::from_vertex_count(vertices).is_some() && !reads_levels;
    if vertices == 0 || is_primitive {
        state.default_tess_levels = DefaultTessLevels::default();
    }
    state.draws_quads_as_line_adjacency &=
        is_geometry && modes.primitive_in == InputPrimitive::Triangles;
    // More than 0 vertices, as in `vertex_limit`.
    let declared = modes.vertices_out.max(1);
    let limit = state.max_output_vertices.map(|limit| limit.max(1));
    state.max_output_vertices = limit.filter(|limit| is_geometry && *limit != declared);
    if !program.reads(Semantic::PrimitiveId) {
        state.primitive_id_mode = PrimitiveIdMode::default();
    }
    let selects_layer = program.writes(Semantic::Layer)
        || modes.layer_viewport_relative
        || modes.secondary_view_layer_offset != 0;
    state.is_framebuffer_unlayered &= program.may_be_rasterized() && selects_layer;
}

/// Resets the conventions that the program does not depend on: the clip depth without a position
/// that may be rasterized, the negation of derivatives in fragment programs without derivatives in
/// y and interpolation at offsets and in other stages, the base of instance numbers if none is
/// read.
fn reduce_conventions(options: &mut Options, program: &ProgramUses<'_>) {
    let mut outputs = program.program.outputs.iter();
    let has_position = outputs.any(|it| {
        matches!(
            it.semantic,
            Semantic::Position | Semantic::SecondaryPosition
        )
    });
    let conventions = &mut options.conventions;
    if !(program.may_be_rasterized() && has_position) {
        conventions.clip_depth = ClipDepth::default();
    }
    let is_derivative = |op| matches!(op, Op::Ddy | Op::DdyFine | Op::DdyCoarse | Op::InterpOffset);
    let mut insts = program.program.insts.iter();
    conventions.negate_ddy &= program.is_fragment() && insts.any(|inst| is_derivative(inst.op));
    conventions.is_instance_index_zero_based &= program.reads(Semantic::InstanceId);
}

/// Applies [`reduce_types`] to the types of attributes, which only vertex programs read, and of
/// color attachments, which only fragment programs access.
fn reduce_interface_types(options: &mut Options, program: &ProgramUses<'_>) {
    let mut attributes = Vec::new();
    let mut colors = Vec::new();
    for input in &program.program.inputs {
        let semantic = input.semantic;
        if let (Stage::Vertex, Semantic::VertexAttribute(number)) = (program.get_stage(), semantic)
        {
            attributes.push((number, input.base));
        }
        if let (Stage::Fragment, Semantic::FragColor { buffer, .. }) =
            (program.get_stage(), semantic)
        {
            colors.push((buffer, input.base));
        }
    }
    let state = &options.pipeline_state;
    let is_tested = !options.state_sources.alpha_test.is_fixed()
        || state.alpha_test.function != CompareFunction::Always;
    for output in program.iter_written() {
        let Semantic::FragColor { buffer, .. } = output.semantic else {
            continue;
        };
        let drawn = state.draw_buffer_mask;
        if output.semantic != COLOR_0 || drawn == 0 || is_tested {
            colors.push((buffer, output.base));
        }
        if output.semantic == COLOR_0 {
            let drawn = (0..8).filter(|buffer| drawn >> buffer & 1 != 0);
            colors.extend(drawn.map(|buffer| (buffer, output.base)));
        }
    }
    reduce_types(&mut options.interface.attributes, &attributes);
    reduce_types(&mut options.interface.colors, &colors);
}

/// Sets types of locations without a declaration to floats, then removes elements from the end of
/// the list as long as no declaration of their location differs from them. `declared` has a
/// location and a type per element; a location may occur several times, or not at all if the
/// program does not use it.
fn reduce_types(types: &mut Vec<BaseType>, declared: &[(u8, BaseType)]) {
    let declarations = |index: usize| {
        let all = declared.iter();
        all.filter(move |(own, _)| usize::from(*own) == index)
    };
    for (index, ty) in types.iter_mut().enumerate() {
        if declarations(index).next().is_none() {
            *ty = BaseType::Float;
        }
    }
    while let Some(last) = types.last()
        && declarations(types.len() - 1).all(|(_, ty)| ty == last)
    {
        types.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_unused_locations_are_floats() {
        use BaseType::{Float, SignedInt, UnsignedInt};
        let mut types = vec![SignedInt, UnsignedInt, SignedInt];
        reduce_types(&mut types, &[(1, Float)]);
        assert_eq!(types, [Float, UnsignedInt]);
        // Types that the program declares need not be listed.
        reduce_types(&mut types, &[(0, SignedInt), (1, UnsignedInt)]);
        assert_eq!(types, [Float]);
    }
}
