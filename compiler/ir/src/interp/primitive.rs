//! Vertices that geometry programs emit for a primitive.

use super::environment::Textures;
use super::machine::Machine;
use crate::semantic::{Input, Output};

impl<T: Textures> Machine<'_, '_, T> {
    /// Ends a vertex. Vertices beyond the limit are dropped, which NV_geometry_program4 section
    /// 2.14.6.4 leaves undefined.
    pub(super) fn emit_vertex(&mut self, stream: u64) {
        let Some(left) = self.own.vertices_left.checked_sub(1) else {
            return;
        };
        self.own.vertices_left = left;
        self.emitted.add_vertex(stream, self.collect_outputs());
    }

    /// Emits the vertices of a primitive that is passed through.
    pub(super) fn emit_passthrough(&mut self) {
        let own = self.collect_outputs();
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
            self.emitted.add_vertex(0, passed.collect());
        }
    }
}

fn is_same(input: &Input, output: &Output) -> bool {
    input.per_vertex && input.semantic == output.semantic
}
