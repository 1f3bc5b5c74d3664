//! Tessellation: patches, their subdivision, and the inputs of the stages after the vertex stage.

use super::draw::{AssembledPrimitives, DrawRun, count_steps};
use super::environment::ProgramEnvironment;
use super::primitives::PrimitiveKind;
use super::programs::StageProgram;
use super::tessellator::{TessLevels, TessModes, subdivide};
use super::vertices::VertexResult;
use crate::script::Convention;
use glasm::ir::interp::{Interpreter, PatchOutputs};
use glasm::ir::primitive::{TessMode, TessWinding};
use glasm::ir::{Input, Semantic};
use std::rc::Rc;

/// Patch that is subdivided.
#[derive(Clone, PartialEq, Debug, Default)]
struct Patch {
    vertices: Vec<Rc<VertexResult>>,
    /// Results for the whole patch.
    outputs: VertexResult,
    levels: TessLevels,
}

/// Values of the inputs of a stage after the vertex stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct StageInputs<'a> {
    /// Vertices of the primitive or patch.
    pub(super) vertices: &'a [Rc<VertexResult>],
    /// Number of the primitive or patch.
    pub(super) number: u32,
    /// Results for the whole patch, and its levels.
    patch: Option<(&'a VertexResult, TessLevels)>,
    /// Coordinate in the domain of the patch.
    coordinate: [f64; 3],
}

impl<'a> StageInputs<'a> {
    /// Returns the inputs for a primitive with a number.
    pub(super) fn new(vertices: &'a [Rc<VertexResult>], number: u32) -> Self {
        Self {
            vertices,
            number,
            patch: None,
            coordinate: [0.0; 3],
        }
    }

    /// Returns the lanes of an input, of a vertex if it belongs to one. `defaults` are the levels
    /// without a control program.
    fn load(&self, input: &Input, vertex: Option<&VertexResult>, defaults: TessLevels) -> [u64; 4] {
        let semantic = input.semantic;
        if semantic == Semantic::PrimitiveId {
            return [u64::from(self.number), 0, 0, 1];
        }
        if semantic == Semantic::InputVertexCount {
            return [self.vertices.len() as u64, 0, 0, 0];
        }
        if semantic == Semantic::TessCoord {
            let [u, v, w] = self.coordinate.map(|value| value as f32);
            return [u, v, w, 1.0].map(|value| u64::from(value.to_bits()));
        }
        let levels = self.patch.map_or(defaults, |(_, levels)| levels);
        if let Some(level) = levels.find(semantic) {
            return [u64::from(level.to_bits()), 0, 0, 0];
        }
        let lanes = if semantic.is_per_patch() {
            self.patch
                .and_then(|(outputs, _)| outputs.find_lanes(semantic))
        } else {
            vertex.and_then(|vertex| vertex.find_lanes(semantic))
        };
        let missing = [0, 0, 0, 1.0f32.to_bits()];
        lanes.unwrap_or(missing).map(u64::from)
    }
}

impl TessLevels {
    /// Returns the level of a semantic; `None` for other semantics.
    fn find(&self, semantic: Semantic) -> Option<f32> {
        if let Semantic::TessLevelOuter(number) = semantic {
            Some(self.outer[usize::from(number & 3)])
        } else if let Semantic::TessLevelInner(number) = semantic {
            Some(self.inner[usize::from(number & 1)])
        } else {
            None
        }
    }
}

impl DrawRun<'_, '_> {
    /// Returns the levels that the state of the draw has.
    fn default_levels(&self) -> TessLevels {
        let [a, b, c, d, e, f] = self.draw.state.tess_levels;
        TessLevels {
            outer: [a, b, c, d],
            inner: [e, f],
        }
    }

    /// Returns the environment of a program after the vertex stage.
    pub(super) fn stage_environment(
        &self,
        program: &StageProgram,
        inputs: &StageInputs<'_>,
    ) -> ProgramEnvironment {
        let defaults = self.default_levels();
        let load = |vertex: Option<&VertexResult>| {
            let all = program.ir.inputs.iter();
            all.map(|input| inputs.load(input, vertex, defaults))
                .collect()
        };
        let vertices = inputs.vertices.iter();
        ProgramEnvironment {
            inputs: load(None),
            vertices: vertices.map(|vertex| load(Some(vertex))).collect(),
            ..self.state.build_environment(program)
        }
    }

    /// Returns the primitives into which the evaluation program subdivides a patch.
    ///
    /// # Errors
    /// If a program exceeds the step limit.
    pub(super) fn run_tessellation(
        &mut self,
        evaluation: &StageProgram,
        vertices: Vec<Rc<VertexResult>>,
        number: u32,
    ) -> Result<AssembledPrimitives, String> {
        let patch = self.run_control(vertices, number)?;
        let modes = evaluation.ir.modes;
        let modes = TessModes {
            mode: modes.tess_mode,
            spacing: modes.tess_spacing,
            winding: self.find_winding(modes.tess_order),
            has_points: modes.point_mode,
        };
        let subdivision = subdivide(modes, patch.levels);
        let mut results = Vec::with_capacity(subdivision.vertices.len());
        let mut inputs = StageInputs {
            patch: Some((&patch.outputs, patch.levels)),
            ..StageInputs::new(&patch.vertices, number)
        };
        let mut environment = self.stage_environment(evaluation, &inputs);
        let mut interpreter = Interpreter::new(&evaluation.ir).map_err(|_| "invalid program")?;
        interpreter.step_limit = self.step_limit;
        for coordinate in &subdivision.vertices {
            inputs.coordinate = *coordinate;
            let defaults = patch.levels;
            let all = evaluation.ir.inputs.iter();
            environment.inputs = all.map(|it| inputs.load(it, None, defaults)).collect();
            let result = interpreter.run_main(&mut environment);
            let result = result.map_err(|error| error.to_string())?;
            self.steps_left = count_steps(self.steps_left, result.steps)?;
            results.push(Rc::new(
                self.state.collect_vertex(evaluation, &result.outputs),
            ));
        }
        let kind = match (modes.has_points, modes.mode) {
            (true, _) => PrimitiveKind::Points,
            (false, TessMode::Isolines) => PrimitiveKind::Lines,
            (false, TessMode::Triangles | TessMode::Quads) => PrimitiveKind::Triangles,
        };
        let primitives = subdivision.indices.chunks_exact(subdivision.size.max(1));
        let primitives = primitives.map(|primitive| {
            let vertices = primitive.iter();
            vertices.map(|index| Rc::clone(&results[*index])).collect()
        });
        Ok((kind, primitives.collect()))
    }

    /// Returns the winding of a program where v grows upward: in Vulkan it grows downward.
    fn find_winding(&self, winding: TessWinding) -> TessWinding {
        match (self.state.script.requirements.convention, winding) {
            (Convention::OpenGl, _) => winding,
            (Convention::Vulkan, TessWinding::Ccw) => TessWinding::Cw,
            (Convention::Vulkan, TessWinding::Cw) => TessWinding::Ccw,
        }
    }

    /// Returns the patch that the control program outputs; without one the vertices, with the levels
    /// of the state.
    fn run_control(
        &mut self,
        vertices: Vec<Rc<VertexResult>>,
        number: u32,
    ) -> Result<Patch, String> {
        let Some(program) = self.control_program.clone() else {
            return Ok(Patch {
                vertices,
                outputs: VertexResult::default(),
                levels: self.default_levels(),
            });
        };
        let inputs = StageInputs::new(&vertices, number);
        let mut environment = self.stage_environment(&program, &inputs);
        let mut interpreter = Interpreter::new(&program.ir).map_err(|_| "invalid program")?;
        interpreter.step_limit = self.step_limit;
        let outputs = interpreter.run_patch(&mut environment, &mut |_| 0);
        let outputs = outputs.map_err(|error| error.to_string())?;
        Ok(self.collect_patch(&program, &outputs))
    }

    /// Returns the patch with the outputs of a control program. Levels that the program does not
    /// write are those of the state.
    fn collect_patch(&self, program: &StageProgram, outputs: &PatchOutputs) -> Patch {
        let own = VertexResult::new(program, &outputs.outputs);
        let mut levels = self.default_levels();
        let find = |semantic: Semantic| {
            let lanes = own.find_lanes(semantic);
            lanes.map(|lanes| f32::from_bits(lanes[0]))
        };
        for (level, number) in levels.outer.iter_mut().zip(0..) {
            *level = find(Semantic::TessLevelOuter(number)).unwrap_or(*level);
        }
        for (level, number) in levels.inner.iter_mut().zip(0..) {
            *level = find(Semantic::TessLevelInner(number)).unwrap_or(*level);
        }
        let vertices = outputs.vertices.iter();
        Patch {
            vertices: vertices
                .map(|lanes| Rc::new(VertexResult::new(program, lanes)))
                .collect(),
            outputs: own,
            levels,
        }
    }
}
