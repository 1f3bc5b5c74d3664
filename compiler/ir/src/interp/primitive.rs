//! Geometry programs: the vertices that they emit for a primitive.

use super::texture::Textures;
use super::{Environment, Interpreter, Machine, StepLimit};
use crate::primitive::MAX_VERTEX_STREAMS;
use crate::semantic::{Input, Output, Semantic};

/// Lanes of the outputs of a vertex, by [`OutputId`](crate::OutputId).
pub type Vertex = Vec<[u64; 4]>;

/// What a geometry program makes of a primitive: for each vertex stream its strips. No strip is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Emitted {
    /// The strips of each stream. Streams other than the first have points.
    pub streams: [Vec<Vec<Vertex>>; MAX_VERTEX_STREAMS as usize],
    /// Whether the next vertex of the first stream begins a strip.
    ended: bool,
}

impl Emitted {
    fn add(&mut self, stream: u64, vertex: Vertex) {
        let number = usize::try_from(stream).unwrap_or(usize::MAX);
        let Some(strips) = self.streams.get_mut(number) else {
            return;
        };
        let begins = number > 0 || std::mem::take(&mut self.ended);
        match strips.last_mut() {
            Some(strip) if !begins => strip.push(vertex),
            Some(_) | None => strips.push(vec![vertex]),
        }
    }

    pub(super) fn end_strip(&mut self) {
        self.ended = true;
    }
}

impl<T: Textures> Machine<'_, '_, T> {
    /// Ends a vertex. Beyond the vertex limit nothing is emitted, which NV_geometry_program4 section 2.14.6.4 leaves open.
    pub(super) fn emit_vertex(&mut self, stream: u64) {
        let Some(left) = self.own.vertices_left.checked_sub(1) else {
            return;
        };
        self.own.vertices_left = left;
        self.emitted.add(stream, self.outputs());
    }

    /// The vertices of a primitive that is passed on.
    fn pass_on(&mut self) {
        let own = self.outputs();
        for vertex in &self.environment.vertices {
            let outputs = self.program.outputs.iter().zip(&own);
            let passed = outputs.map(|(output, own)| {
                let input = self
                    .program
                    .inputs
                    .iter()
                    .position(|input| is_same(input, output));
                let lanes = input.and_then(|input| vertex.get(input));
                std::array::from_fn(|lane| match lanes {
                    Some(lanes) if output.passthrough.has(lane) => lanes[lane],
                    Some(_) | None => own[lane],
                })
            });
            self.emitted.add(0, passed.collect());
        }
    }
}

fn is_same(input: &Input, output: &Output) -> bool {
    input.per_vertex && input.semantic == output.semantic
}

impl Interpreter<'_> {
    /// Runs a geometry program for a primitive, whose vertices are [`Environment::vertices`]: one invocation after the other.
    pub fn run_primitive<T: Textures>(
        &self,
        environment: &mut Environment<T>,
    ) -> Result<Emitted, StepLimit> {
        let modes = self.program.modes;
        let count = environment.vertices.len() as u32;
        let mut machine = Machine::new(self.program, environment, self.step_limit);
        for number in 0..modes.invocations.max(1) {
            let inputs = [
                (Semantic::InvocationId, [number, 0, 0, 0]),
                (Semantic::VertexCount, [count, 0, 0, 0]),
            ];
            machine.begin(number as usize, &inputs);
            machine.finish()?;
            if modes.passthrough {
                machine.pass_on();
            }
            // The strips of invocations are not connected.
            machine.emitted.end_strip();
        }
        Ok(machine.emitted)
    }
}
