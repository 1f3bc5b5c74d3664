//! Draws: programs, state, vertices.

use super::buffers::finish_stores;
use super::execution::Execution;
use super::modules::Work;
use super::pipeline::set_pipeline_state;
use super::programs::Programs;
use super::refusals::check_outcome;
use super::state_names::{TOPOLOGIES, gl_name};
use super::support::{Feature, STAGES};
use crate::error::Problem;
use crate::gl::{self, Buffer, DrawCall, Elements, Gl, IndexType, Query, Version};
use ash::vk::PrimitiveTopology;
use glasm::ir::Stage;
use glasm_scripts::format::Format;
use glasm_scripts::script::pipeline_state::PipelineState;
use glasm_scripts::script::{Assembly, Command, Draw, DrawSource, GlOutcome, IndexWidth, Script};
use glasm_scripts::vertices::check_bounds;

const BASE_INSTANCE: Feature = feature(Version(4, 2), &["GL_ARB_base_instance"]);
const BASE_VERTEX: Feature = feature(Version(3, 2), &["GL_ARB_draw_elements_base_vertex"]);
const GEOMETRY: Feature = feature(Version(3, 2), &["GL_NV_geometry_program4"]);
const INSTANCES: Feature = feature(Version(3, 1), &[]);
const RESTART: Feature = feature(Version(3, 1), &[]);
const TESSELLATION: Feature = feature(Version(4, 0), &["GL_ARB_tessellation_shader"]);

const fn feature(core: Version, extensions: &'static [&'static str]) -> Feature {
    Feature { core, extensions }
}

impl Execution<'_> {
    /// Executes `draw`.
    pub(super) fn run_draw(&mut self, draw: &Draw) -> Result<(), Problem> {
        if self.modules.is_some() && draw.outcome == GlOutcome::Refused {
            let reason = "modules do not tell which draws are errors".to_owned();
            return Err(Problem::Lacking(reason));
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
        self.check_colors(colors)?;
        self.use_programs()?;
        self.prepare_state()?;
        if let Some(modules) = &modules {
            self.bind_module_resources(modules)?;
        }
        self.framebuffer()?.bind()?;
        set_pipeline_state(&self.gl, &script.requirements, &draw.state, colors)?;
        if modules.is_some_and(|modules| modules.clamps_depth()) {
            self.gl.Enable(gl::DEPTH_CLAMP)?;
        }
        set_primitives(&self.gl, draw)?;
        let data = script.vertex_data.as_ref();
        let arrays = self
            .vertices
            .of_draw(&self.gl, &self.programs, data, draw)?;
        let indices = used_indices(&script.indices, &draw.source);
        // Objects that are created before may be drawn with other shaders.
        if let Some(shaders) = self.shaders.get(Stage::Vertex) {
            shaders.bind()?;
        }
        let call = DrawCall {
            mode: self.select_mode(draw)?,
            arrays: &arrays.of_draw(draw),
            elements: elements(draw, indices),
            instances: draw.instances,
            first_instance: draw.first_instance,
        };
        let query = probes_samples(script)
            .then(|| Query::begin(&self.gl, gl::SAMPLES_PASSED))
            .transpose()?;
        let drawn = self.draw_captured(draw, &arrays.buffer, &call);
        if let Some(query) = query {
            self.samples = query.end()?;
        }
        check_outcome(draw.outcome, drawn, "the draw")?;
        finish_stores(&self.gl)
    }

    /// Draws, and captures the vertices if a capture has begun.
    fn draw_captured(
        &mut self,
        draw: &Draw,
        arrays: &Buffer,
        call: &DrawCall<'_>,
    ) -> Result<(), Problem> {
        self.capture().resume(draw)?;
        let drawn = self.gl.draw(arrays, call);
        self.capture().pause()?;
        Ok(drawn?)
    }

    /// Returns the primitives that OpenGL draws.
    fn select_mode(&self, draw: &Draw) -> Result<u32, Problem> {
        let stages = self.programs.stages();
        let assembles = stages.contains(&Stage::Geometry) || stages.contains(&Stage::TessEval);
        if self.modules.is_some() && assembles && draw.assembly != Assembly::Direct {
            let reason = "shaders behind the vertex stage get no quadrilaterals and polygons";
            return Err(Problem::Lacking(reason.to_owned()));
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
            count => Err(Problem::Lacking(format!(
                "no primitive of OpenGL has {count} vertices"
            ))),
        }
    }

    /// Checks that only typed programs draw to integers. EXT_texture_integer, "Errors".
    fn check_colors(&self, writes: u32) -> Result<(), Problem> {
        let colors = self.script.requirements.attachments.colors.iter().zip(0..);
        let mut integers = colors.filter(|(color, number)| {
            let is_integer = |color: &Format| color.encoding.is_integer();
            writes >> number & 1 != 0 && color.as_ref().is_some_and(is_integer)
        });
        match integers.next() {
            Some((_, number)) if !self.programs.writes_integers() => {
                let reason =
                    format!("attachment {number} holds integers, the program writes floats");
                Err(Problem::Lacking(reason))
            }
            _ => Ok(()),
        }
    }

    /// Binds and enables the programs of all stages; OpenGL processes stages without one.
    pub(super) fn use_programs(&self) -> Result<(), Problem> {
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
                None if self.gl.has(extension) => self.gl.Disable(*target)?,
                None => {}
            }
        }
        Ok(self.gl.check("enabling programs")?)
    }
}

/// Returns true if a script queries the number of samples that a draw passes.
fn probes_samples(script: &Script) -> bool {
    let mut steps = script.steps.iter();
    steps.any(|step| matches!(step.command, Command::ProbeSamples { .. }))
}

/// Returns a bit for each color that draws write. Without a fragment stage they write none. The
/// fixed functions of OpenGL, which a script declares as its fragment stage, write all.
fn written_colors(script: &Script, programs: &Programs) -> u32 {
    let mut sections = script.programs.iter();
    if sections.any(|section| section.stage == Stage::Fragment) {
        programs.written_colors()
    } else {
        0
    }
}

/// Checks that the driver supports a draw.
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

/// Sets primitive restart and the size of patches.
fn set_primitives(gl: &Gl, draw: &Draw) -> Result<(), Problem> {
    if let Some(restart) = restart_index(draw) {
        gl.Enable(gl::PRIMITIVE_RESTART)?;
        gl.PrimitiveRestartIndex(restart)?;
    } else if RESTART.is_in(gl) {
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
    Ok(gl.check("setting primitives")?)
}

/// Returns the index that restarts primitives.
fn restart_index(draw: &Draw) -> Option<u32> {
    match draw.source {
        DrawSource::Indexed { width, .. } => draw.state.primitive_restart.then(|| width.max()),
        DrawSource::Rect { .. } | DrawSource::Arrays { .. } => None,
    }
}

/// Returns the indices of a draw, which the caller has checked to exist.
fn used_indices<'a>(indices: &'a [u32], source: &DrawSource) -> &'a [u32] {
    match *source {
        DrawSource::Indexed { first, count, .. } => {
            let from = indices.get(first as usize..).unwrap_or_default();
            from.get(..count as usize).unwrap_or_default()
        }
        DrawSource::Rect { .. } | DrawSource::Arrays { .. } => &[],
    }
}

fn elements<'a>(draw: &Draw, indices: &'a [u32]) -> Elements<'a> {
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
