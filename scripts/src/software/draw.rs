//! Draws: from vertices to the primitives that cover a pixel.

use super::environment::ProgramEnvironment;
use super::fragment::RasterPrimitive;
use super::line::Line;
use super::patches::StageInputs;
use super::primitives::{PrimitiveKind, PrimitiveList, append_strip, assemble_primitives};
use super::programs::StageProgram;
use super::raster::{Point, Shape, Triangle, Viewport};
use super::state::SceneState;
use super::vertices::{VertexNumber, VertexResult};
use crate::script::pipeline_state::PipelineState;
use crate::script::stages::ProvokingVertex;
use crate::script::{Draw, DrawSource, VertexData};
use crate::vertices::check_bounds;
use ash::vk;
use glasm::ir::interp::Interpreter;
use glasm::ir::primitive::OutputPrimitive;
use glasm::ir::{Semantic, Stage};
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// Kind of primitives, and the vertices of each.
pub(super) type AssembledPrimitives = (PrimitiveKind, Vec<Vec<Rc<VertexResult>>>);

/// A draw whose primitives are rasterized.
pub(super) struct DrawRun<'a, 's> {
    pub(super) state: &'a SceneState<'s>,
    pub(super) draw: &'a Draw,
    pub(super) vertex_program: Rc<StageProgram>,
    pub(super) control_program: Option<Rc<StageProgram>>,
    pub(super) evaluation_program: Option<Rc<StageProgram>>,
    pub(super) geometry_program: Option<Rc<StageProgram>>,
    pub(super) step_limit: u64,
    /// Steps that its programs may still execute.
    pub(super) steps_left: u64,
    environment: ProgramEnvironment,
    data: Option<Cow<'a, VertexData>>,
    results: HashMap<VertexNumber, Rc<VertexResult>>,
}

impl<'a, 's> DrawRun<'a, 's> {
    /// Returns the run of a draw in a state, with its programs.
    ///
    /// # Errors
    /// If the draw has stages that are not simulated, or vertices that do not exist.
    pub(super) fn new(
        state: &'a mut SceneState<'s>,
        draw: &'a Draw,
        step_limit: u64,
    ) -> Result<Self, String> {
        let control_program = state.find_control_program()?;
        let evaluation_program = state.find_program(Stage::TessEval)?;
        if control_program.is_some() && evaluation_program.is_none() {
            return Err("control programs without evaluation program are not simulated".to_owned());
        }
        let vertex_program = state.find_program(Stage::Vertex)?;
        let vertex_program = vertex_program.ok_or("there is no vertex program")?;
        let geometry_program = state.find_program(Stage::Geometry)?;
        let state = &*state;
        let data = match draw.source {
            DrawSource::Rect { position, texcoord } => {
                Some(Cow::Owned(VertexData::rectangle(position, texcoord)))
            }
            DrawSource::Arrays { .. } | DrawSource::Indexed { .. } => {
                state.script.vertex_data.as_ref().map(Cow::Borrowed)
            }
        };
        check_bounds(draw, data.as_deref(), &state.script.indices)?;
        Ok(Self {
            environment: state.build_environment(&vertex_program),
            state,
            draw,
            vertex_program,
            control_program,
            evaluation_program,
            geometry_program,
            step_limit,
            steps_left: u64::MAX,
            data,
            results: HashMap::new(),
        })
    }

    /// Returns the vertex program, and its environment with what it has written.
    pub(super) fn into_results(self) -> (Rc<StageProgram>, ProgramEnvironment) {
        (self.vertex_program, self.environment)
    }

    /// Returns the primitives of the draw before a geometry program.
    pub(super) fn list_primitives(&self) -> Result<PrimitiveList, String> {
        assemble_primitives(self.draw, &self.state.script.indices)
    }

    /// Returns the inputs of the vertex program for a vertex.
    pub(super) fn load_inputs(&self, vertex: VertexNumber) -> Result<Vec<[u64; 4]>, String> {
        let data = self.data.as_deref();
        self.state
            .load_vertex_inputs(&self.vertex_program, self.draw, data, vertex)
    }

    /// Returns the environment of the vertex program for a vertex.
    pub(super) fn vertex_environment(
        &self,
        vertex: VertexNumber,
    ) -> Result<ProgramEnvironment, String> {
        Ok(ProgramEnvironment {
            inputs: self.load_inputs(vertex)?,
            ..self.environment.clone()
        })
    }

    /// Returns the results of the vertex program for a vertex, which is run once.
    fn process_vertex(&mut self, vertex: VertexNumber) -> Result<Rc<VertexResult>, String> {
        if let Some(known) = self.results.get(&vertex) {
            return Ok(Rc::clone(known));
        }
        let inputs = self.load_inputs(vertex)?;
        let (program, limit) = (Rc::clone(&self.vertex_program), self.step_limit);
        let result = self
            .state
            .run_vertex(&program, &mut self.environment, inputs, limit)?;
        let (result, steps) = result;
        self.steps_left = count_steps(self.steps_left, steps)?;
        let result = Rc::new(result);
        self.results.insert(vertex, Rc::clone(&result));
        Ok(result)
    }

    /// Returns the primitives of an instance that are rasterized.
    ///
    /// # Errors
    /// If a program exceeds the step limit, or the primitives are patches that are not tessellated.
    pub(super) fn process_instance(
        &mut self,
        instance: u32,
    ) -> Result<Vec<RasterPrimitive>, String> {
        let list = self.list_primitives()?;
        let mut primitives = Vec::new();
        for (primitive, number) in list.iter().zip(0..) {
            let mut vertices = Vec::with_capacity(primitive.len());
            for index in primitive {
                vertices.push(self.process_vertex(VertexNumber {
                    index: *index,
                    instance,
                })?);
            }
            let (kind, assembled) = match self.evaluation_program.clone() {
                Some(evaluation) => self.run_tessellation(&evaluation, vertices, number)?,
                None => (list.kind, vec![vertices]),
            };
            for vertices in assembled {
                let (kind, emitted) = match self.geometry_program.clone() {
                    Some(geometry) => self.run_geometry(&geometry, &vertices, number)?,
                    None => (kind, vec![vertices]),
                };
                for vertices in emitted {
                    self.append_primitive(&mut primitives, kind, vertices, number)?;
                }
            }
        }
        Ok(primitives)
    }

    /// Returns the results of the vertices of a primitive.
    pub(super) fn process_primitive(
        &mut self,
        primitive: &[i64],
        instance: u32,
    ) -> Result<Vec<Rc<VertexResult>>, String> {
        let numbers = primitive.iter().map(|index| VertexNumber {
            index: *index,
            instance,
        });
        numbers.map(|number| self.process_vertex(number)).collect()
    }

    /// Runs a geometry program for a primitive, and returns the vertices of each primitive that it
    /// emits.
    pub(super) fn run_geometry(
        &self,
        program: &StageProgram,
        vertices: &[Rc<VertexResult>],
        number: u32,
    ) -> Result<AssembledPrimitives, String> {
        let inputs = StageInputs::new(vertices, number);
        let mut environment = self.stage_environment(program, &inputs);
        let mut interpreter = Interpreter::new(&program.ir).map_err(|_| "invalid program")?;
        interpreter.step_limit = self.step_limit;
        let emitted = interpreter.run_primitive(&mut environment);
        let emitted = emitted.map_err(|error| error.to_string())?;
        let strips = emitted.streams[0].iter().map(|strip| {
            let vertices = strip.iter();
            vertices
                .map(|lanes| Rc::new(self.state.collect_vertex(program, lanes)))
                .collect::<Vec<_>>()
        });
        let is_first = self.draw.state.provoking_vertex == ProvokingVertex::First;
        let mut primitives = Vec::new();
        let kind = match program.ir.modes.primitive_out {
            OutputPrimitive::Points => {
                primitives.extend(strips.flatten().map(|vertex| vec![vertex]));
                PrimitiveKind::Points
            }
            OutputPrimitive::LineStrip => {
                for strip in strips {
                    primitives.extend(strip.windows(2).map(<[_]>::to_vec));
                }
                PrimitiveKind::Lines
            }
            OutputPrimitive::TriangleStrip => {
                for strip in strips {
                    let order: Vec<i64> = (0..strip.len() as i64).collect();
                    let mut list = Vec::new();
                    append_strip(&mut list, is_first, &order);
                    let triangles = list.chunks_exact(3);
                    primitives.extend(triangles.map(|triangle| {
                        let vertices = triangle.iter();
                        vertices
                            .map(|index| Rc::clone(&strip[*index as usize]))
                            .collect()
                    }));
                }
                PrimitiveKind::Triangles
            }
        };
        Ok((kind, primitives))
    }

    /// Appends a primitive in the form in which it is rasterized, unless it has no area or is
    /// culled.
    fn append_primitive(
        &self,
        primitives: &mut Vec<RasterPrimitive>,
        kind: PrimitiveKind,
        vertices: Vec<Rc<VertexResult>>,
        number: u32,
    ) -> Result<(), String> {
        let state = &self.draw.state;
        let is_first = state.provoking_vertex == ProvokingVertex::First;
        let provoking = if is_first { 0 } else { vertices.len() - 1 };
        let viewport = self.find_viewport(&vertices[provoking]);
        let is_other_layer = self.state.script.requirements.attachments.layers > 1
            && find_number(&vertices[provoking], Semantic::Layer) != 0;
        if is_other_layer || is_culled_by_distance(&vertices) {
            return Ok(());
        }
        let (shape, is_front) = match (kind, &vertices[..]) {
            (PrimitiveKind::Triangles, [a, b, c]) => {
                let Some(triangle) = Triangle::new([a, b, c], viewport) else {
                    return Ok(());
                };
                let is_front =
                    triangle.is_clockwise() == (state.front_face == vk::FrontFace::CLOCKWISE);
                (Shape::Triangle(Box::new(triangle)), is_front)
            }
            (PrimitiveKind::Lines, [a, b]) => {
                let width = f64::from(state.line_width);
                let Some(line) = Line::new([a, b], width, viewport) else {
                    return Ok(());
                };
                (Shape::Line(Box::new(line)), true)
            }
            (PrimitiveKind::Points, [vertex]) => {
                let size = self.find_point_size(vertex);
                let Some(point) = Point::new(vertex, size, viewport) else {
                    return Ok(());
                };
                (Shape::Point(point), true)
            }
            (PrimitiveKind::TrianglesAdjacency, [a, _, b, _, c, _]) => {
                let vertices = vec![Rc::clone(a), Rc::clone(b), Rc::clone(c)];
                let kind = PrimitiveKind::Triangles;
                return self.append_primitive(primitives, kind, vertices, number);
            }
            (PrimitiveKind::LinesAdjacency, [_, a, b, _]) => {
                let vertices = vec![Rc::clone(a), Rc::clone(b)];
                let kind = PrimitiveKind::Lines;
                return self.append_primitive(primitives, kind, vertices, number);
            }
            _ => return Err("patches without tessellation are not rasterized".to_owned()),
        };
        if !is_culled(state, &shape, is_front) {
            primitives.push(RasterPrimitive {
                shape,
                provoking,
                vertices,
                is_front,
                number,
                clip_mask: self.find_clip_mask(),
            });
        }
        Ok(())
    }

    /// Returns the clip distances that clip: all, or those of the enabled planes in languages in which
    /// planes are enabled separately.
    fn find_clip_mask(&self) -> u32 {
        let programs = [&self.geometry_program, &self.evaluation_program];
        let program = programs.into_iter().flatten().next();
        let program = program.unwrap_or(&self.vertex_program);
        if program.ir.modes.enabled_clip_distances {
            u32::from(self.state.script.requirements.fixed.clip_plane_mask)
        } else {
            u32::MAX
        }
    }

    /// Returns the size of a point: that of the state, else that of its vertex, else 1.
    fn find_point_size(&self, vertex: &VertexResult) -> f64 {
        let fixed = &self.state.script.requirements.fixed;
        let forced = self.state.program_state.point_size;
        let forced = forced.or(fixed.forced_point_size.map(|size| size.pixels().to_bits()));
        // The fixed functions compute the size themselves if it depends on the distance.
        let forced = forced.filter(|_| {
            !self.vertex_program.is_generated()
                || !self.state.program_state.fixed.computes_point_size()
        });
        let written = vertex.find_lanes(Semantic::PointSize).map(|lanes| lanes[0]);
        let unwritten = self.state.program_state.unwritten_point_size;
        let bits = forced.or(written).or(unwritten);
        f64::from(bits.map_or(1.0, f32::from_bits)).max(f64::MIN_POSITIVE)
    }

    /// Returns the viewport that the provoking vertex of a primitive selects.
    fn find_viewport(&self, vertex: &VertexResult) -> Viewport {
        let [width, height] = self.state.script.requirements.framebuffer;
        let whole = [0.0, 0.0, width as f32, height as f32];
        let index = find_number(vertex, Semantic::ViewportIndex) as usize;
        let count = self.draw.state.viewport_count();
        let index = if index < count { index } else { 0 };
        let rectangle = self.draw.state.viewports[index];
        Viewport(rectangle.unwrap_or(whole).map(f64::from))
    }
}

/// Returns the number of steps that are left after `steps` more.
///
/// # Errors
/// If there are not as many.
pub(super) fn count_steps(left: u64, steps: u64) -> Result<u64, String> {
    let left = left.checked_sub(steps);
    left.ok_or_else(|| "the draws execute too many steps".to_owned())
}

/// Returns lane x of an integer result of a vertex; 0 if the program does not write it.
fn find_number(vertex: &VertexResult, semantic: Semantic) -> u32 {
    vertex.find_lanes(semantic).map_or(0, |lanes| lanes[0])
}

/// Returns true if a distance of all vertices of a primitive is negative.
fn is_culled_by_distance(vertices: &[Rc<VertexResult>]) -> bool {
    let Some((first, others)) = vertices.split_first() else {
        return true;
    };
    first.cull_distances().any(|(semantic, distance)| {
        let is_negative = |vertex: &Rc<VertexResult>| {
            let lanes = vertex.find_lanes(semantic);
            lanes.is_some_and(|lanes| f32::from_bits(lanes[0]) < 0.0)
        };
        distance < 0.0 && others.iter().all(is_negative)
    })
}

/// Returns true if a triangle is not drawn because of its orientation.
fn is_culled(state: &PipelineState, shape: &Shape, is_front: bool) -> bool {
    let face = if is_front {
        vk::CullModeFlags::FRONT
    } else {
        vk::CullModeFlags::BACK
    };
    matches!(shape, Shape::Triangle(_)) && state.cull_mode.contains(face)
}
