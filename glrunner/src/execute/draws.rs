//! Draws: programs, state, vertices.

use super::buffers::make_stores_visible;
use super::execution::Execution;
use super::expected_gl_errors::check_outcome;
use super::gl_enums::{TOPOLOGIES, gl_name};
use super::gl_features::{Feature, STAGES};
use super::modules::Work;
use super::pipeline_state::set_pipeline_state;
use super::programs::Programs;
use crate::error::Problem;
use crate::gl::{self, Buffer, DrawCall, Elements, Gl, IndexType, Query, Version};
use ash::vk::PrimitiveTopology;
use glasm::ir::Stage;
use glasm_scripts::format::Format;
use glasm_scripts::script::pipeline_state::PipelineState;
use glasm_scripts::script::{
    Command, Draw, DrawSource, GlOutcome, IndexWidth, PrimitiveAssembly, Script,
};
use glasm_scripts::vertices::check_bounds;

const BASE_INSTANCE: Feature = feature(Version(4, 2), &["GL_ARB_base_instance"]);
const BASE_VERTEX: Feature = feature(Version(3, 2), &["GL_ARB_draw_elements_base_vertex"]);
const GEOMETRY: Feature = feature(Version(3, 2), &["GL_NV_geometry_program4"]);
const INSTANCES: Feature = feature(Version(3, 1), &[]);
const RESTART: Feature = feature(Version(3, 1), &[]);
const TESSELLATION: Feature = feature(Version(4, 0), &["GL_ARB_tessellation_shader"]);

/// Returns a feature that is core since version `core` and that each of `extensions` provides
/// before it.
const fn feature(core: Version, extensions: &'static [&'static str]) -> Feature {
    Feature { core, extensions }
}

impl Execution<'_> {
    /// Executes the command `draw`: checks bounds and features, sets the state, draws, and makes
    /// stores visible. Counts passed samples if the script probes them. Skips scripts that need
    /// what OpenGL or the driver lacks; fails if the draw has another outcome than the script
    /// expects.
    pub(super) fn run_draw(&mut self, draw: &Draw) -> Result<(), Problem> {
        if self.modules.is_some() && draw.outcome == GlOutcome::Rejected {
            let reason = "modules do not tell which draws are errors".to_owned();
            return Err(Problem::Unsupported(reason));
        }
        let script = self.script;
        check_bounds(draw, script.vertex_data.as_ref(), &script.indices)?;
        check_features(&self.gl, draw)?;
        if let Some(modules) = &mut self.modules {
            modules
                .params
                .set_draw_state(&script.requirements, &draw.state);
        }
        let modules = self.prepare_modules(Work::Draw)?;
        let colors = written_colors(script, &self.programs);
        self.check_color_types(colors)?;
        self.bind_programs()?;
        self.prepare_state()?;
        if let Some(modules) = &modules {
            self.bind_module_resources(modules)?;
        }
        self.framebuffer()?.bind()?;
        set_pipeline_state(&self.gl, &script.requirements, &draw.state, colors)?;
        if modules.is_some_and(|modules| modules.clamps_depth()) {
            self.gl.Enable(gl::DEPTH_CLAMP)?;
        }
        set_primitive_state(&self.gl, draw)?;
        let data = script.vertex_data.as_ref();
        let arrays = self
            .vertices
            .prepare_arrays(&self.gl, &self.programs, data, draw)?;
        let indices = used_indices(&script.indices, &draw.source);
        // Objects that are created before may be drawn with other shaders.
        if let Some(shaders) = self.shaders.get(Stage::Vertex) {
            shaders.bind()?;
        }
        let call = DrawCall {
            mode: self.select_mode(draw)?,
            arrays: &arrays.select_for_draw(draw),
            elements: draw_elements(draw, indices),
            instances: draw.instances,
            first_instance: draw.first_instance,
        };
        let query = probes_samples(script)
            .then(|| Query::begin(&self.gl, gl::SAMPLES_PASSED))
            .transpose()?;
        let drawn = self.draw_captured(draw, &arrays.buffer, &call);
        if let Some(query) = query {
            self.passed_samples = query.end()?;
        }
        check_outcome(draw.outcome, drawn, "the draw")?;
        make_stores_visible(&self.gl)
    }

    /// Draws, and captures the vertices if a capture has begun, which is paused afterwards, also if
    /// the draw fails.
    fn draw_captured(
        &mut self,
        draw: &Draw,
        arrays: &Buffer,
        call: &DrawCall<'_>,
    ) -> Result<(), Problem> {
        self.capture_context().resume_for_draw(draw)?;
        let drawn = self.gl.draw(arrays, call);
        self.capture_context().pause_after_draw()?;
        Ok(drawn?)
    }

    /// Returns the primitive mode for OpenGL. A module receives patches that are not tessellated as
    /// the primitives with the same number of vertices. Skips scripts with modes that OpenGL lacks,
    /// and with quadrilaterals and polygons for modules after the vertex stage.
    fn select_mode(&self, draw: &Draw) -> Result<u32, Problem> {
        let stages = self.programs.stages();
        let assembles = stages.contains(&Stage::Geometry) || stages.contains(&Stage::TessEval);
        if self.modules.is_some() && assembles && draw.assembly != PrimitiveAssembly::Direct {
            let reason = "shaders after the vertex stage receive no quadrilaterals or polygons";
            return Err(Problem::Unsupported(reason.to_owned()));
        }
        let is_patch = draw.topology == PrimitiveTopology::PATCH_LIST;
        if self.modules.is_none() || !is_patch || stages.contains(&Stage::TessEval) {
            return gl_name(TOPOLOGIES, (draw.topology, draw.assembly));
        }
        // Modules of geometry programs receive patches as the primitives with the same number of
        // vertices.
        match draw.state.patch_control_points {
            1 => Ok(gl::POINTS),
            2 => Ok(gl::LINES),
            3 => Ok(gl::TRIANGLES),
            4 => Ok(gl::LINES_ADJACENCY),
            6 => Ok(gl::TRIANGLES_ADJACENCY),
            count => Err(Problem::Unsupported(format!(
                "no primitive of OpenGL has {count} vertices"
            ))),
        }
    }

    /// Skips the script if a program without integers writes one of the colors, a bit for each, to
    /// an attachment of integers. EXT_texture_integer, "Errors".
    fn check_color_types(&self, writes: u32) -> Result<(), Problem> {
        let colors = self.script.requirements.attachments.colors.iter().zip(0..);
        let mut integers = colors.filter(|(color, number)| {
            let is_integer = |color: &Format| color.encoding.is_integer();
            writes >> number & 1 != 0 && color.as_ref().is_some_and(is_integer)
        });
        match integers.next() {
            Some((_, number)) if !self.programs.writes_integers() => {
                let reason =
                    format!("attachment {number} holds integers, the program writes floats");
                Err(Problem::Unsupported(reason))
            }
            _ => Ok(()),
        }
    }

    /// Binds and enables the assembly programs of all stages but compute programs, and disables the
    /// targets of all others, which OpenGL's fixed functions process.
    pub(super) fn bind_programs(&self) -> Result<(), Problem> {
        for (stage, target, extension) in
            STAGES.iter().filter(|(stage, ..)| *stage != Stage::Compute)
        {
            let program = self.programs.get(*stage);
            match program.filter(|program| program.target() == *target) {
                Some(program) => {
                    program.bind()?;
                    self.gl.Enable(*target)?;
                }
                // Unknown enumerant if the extension is missing.
                None if self.gl.has_extension(extension) => self.gl.Disable(*target)?,
                None => {}
            }
        }
        Ok(self.gl.check_errors("enabling programs")?)
    }
}

/// Returns true if a script queries the number of samples that a draw passes.
fn probes_samples(script: &Script) -> bool {
    let mut steps = script.steps.iter();
    steps.any(|step| matches!(step.command, Command::ProbeSamples { .. }))
}

/// Returns a bit for each color that draws write. Without a fragment stage in the script they write
/// none. The fixed functions of OpenGL, which a script declares as its fragment stage, write all.
fn written_colors(script: &Script, programs: &Programs) -> u32 {
    let mut sections = script.programs.iter();
    if sections.any(|section| section.stage == Stage::Fragment) {
        programs.written_colors()
    } else {
        0
    }
}

/// Skips the script if the draw needs a feature that the driver lacks: instances, base vertices,
/// adjacency, patches or primitive restart.
fn check_features(gl: &Gl, draw: &Draw) -> Result<(), Problem> {
    let base_vertex = match draw.source {
        DrawSource::Indexed { vertex_offset, .. } => vertex_offset,
        DrawSource::Rect { .. } | DrawSource::Arrays { .. } => 0,
    };
    let adjacency = [
        PrimitiveTopology::LINE_LIST_WITH_ADJACENCY,
        PrimitiveTopology::LINE_STRIP_WITH_ADJACENCY,
        PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY,
        PrimitiveTopology::TRIANGLE_STRIP_WITH_ADJACENCY,
    ];
    let needs = [
        (draw.instances > 1, INSTANCES),
        (draw.first_instance > 0, BASE_INSTANCE),
        (base_vertex != 0, BASE_VERTEX),
        (draw.divisors.0.iter().any(|it| *it > 0), INSTANCES),
        (adjacency.contains(&draw.topology), GEOMETRY),
        (draw.topology == PrimitiveTopology::PATCH_LIST, TESSELLATION),
        (draw.state.primitive_restart, RESTART),
    ];
    let mut needed = needs.iter().filter(|(is_needed, _)| *is_needed);
    needed.try_for_each(|(_, feature)| feature.require(gl))
}

/// Sets primitive restart, with the largest index of the type, or disables it; for patches sets
/// their size and the default tessellation levels.
fn set_primitive_state(gl: &Gl, draw: &Draw) -> Result<(), Problem> {
    if let Some(restart) = restart_index(draw) {
        gl.Enable(gl::PRIMITIVE_RESTART)?;
        gl.PrimitiveRestartIndex(restart)?;
    } else if RESTART.is_supported(gl) {
        gl.Disable(gl::PRIMITIVE_RESTART)?;
    }
    if draw.topology == PrimitiveTopology::PATCH_LIST {
        let PipelineState {
            patch_control_points,
            tess_levels: [a, b, c, d, e, f],
            ..
        } = draw.state;
        gl.set_patches(patch_control_points, [a, b, c, d], [e, f])?;
    }
    Ok(gl.check_errors("setting primitives")?)
}

/// Returns the index that restarts primitives: the largest of the index type. `None` if restart is
/// disabled or the draw has no indices.
fn restart_index(draw: &Draw) -> Option<u32> {
    match draw.source {
        DrawSource::Indexed { width, .. } => {
            draw.state.primitive_restart.then(|| width.max_index())
        }
        DrawSource::Rect { .. } | DrawSource::Arrays { .. } => None,
    }
}

/// Returns the indices of a draw, which the caller has checked to exist; empty for draws without
/// indices.
fn used_indices<'a>(indices: &'a [u32], source: &DrawSource) -> &'a [u32] {
    match *source {
        DrawSource::Indexed { first, count, .. } => {
            let from = indices.get(first as usize..).unwrap_or_default();
            from.get(..count as usize).unwrap_or_default()
        }
        DrawSource::Rect { .. } | DrawSource::Arrays { .. } => &[],
    }
}

/// Returns the vertices of a draw: a range, four for a rectangle, or indices of the width that the
/// script specifies.
fn draw_elements<'a>(draw: &Draw, indices: &'a [u32]) -> Elements<'a> {
    match draw.source {
        DrawSource::Rect { .. } => Elements::Range { first: 0, count: 4 },
        DrawSource::Arrays { first, count } => Elements::Range { first, count },
        DrawSource::Indexed {
            vertex_offset,
            width,
            ..
        } => Elements::Indexed {
            indices,
            ty: match width {
                IndexWidth::U8 => IndexType::U8,
                IndexWidth::U16 => IndexType::U16,
                IndexWidth::U32 => IndexType::U32,
            },
            base: vertex_offset,
            restart: restart_index(draw),
        },
    }
}
