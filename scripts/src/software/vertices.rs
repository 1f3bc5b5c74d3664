//! Vertices: their attributes, as draws fetch them, and the results of vertex programs.

use super::environment::ProgramEnvironment;
use super::programs::StageProgram;
use super::state::SceneState;
use crate::format::{Encoding, Format};
use crate::script::{Column, Draw, DrawSource, VertexData};
use glasm::ir::interp::Interpreter;
use glasm::ir::{BaseType, Input, Semantic, Width};

/// A vertex of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct VertexNumber {
    /// Index of the vertex, with the offset of the draw.
    pub(super) index: i64,
    /// Number of the instance, from 0 in every draw.
    pub(super) instance: u32,
}

/// Results of a vertex that is assembled to primitives.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct VertexResult {
    /// Position in clip space.
    pub(super) position: [f64; 4],
    /// Lanes of the results that the program writes.
    outputs: Vec<(Semantic, [u32; 4])>,
}

impl VertexResult {
    /// Returns the results of a program with these lanes of its outputs. Results that it does not
    /// write are omitted.
    pub(super) fn new(program: &StageProgram, lanes: &[[u64; 4]]) -> Self {
        let outputs = program.ir.outputs.iter().zip(lanes);
        let written = outputs.filter(|(output, _)| program.writes(output.semantic));
        let written =
            written.map(|(output, lanes)| (output.semantic, lanes.map(|bits| bits as u32)));
        let outputs: Vec<(Semantic, [u32; 4])> = written.collect();
        let mut result = Self {
            position: [0.0; 4],
            outputs,
        };
        if let Some(lanes) = result.find_lanes(Semantic::Position) {
            result.position = lanes.map(|bits| f64::from(f32::from_bits(bits)));
        }
        result
    }

    /// Returns the lanes of a result; `None` if the program does not write it.
    pub(super) fn find_lanes(&self, semantic: Semantic) -> Option<[u32; 4]> {
        let found = self.outputs.iter().find(|(known, _)| *known == semantic);
        found.map(|(_, lanes)| *lanes)
    }

    /// Returns the numbers of the results that are distances to clip planes.
    pub(super) fn clip_distances(&self) -> impl Iterator<Item = u8> {
        self.outputs.iter().filter_map(|(semantic, _)| {
            if let Semantic::ClipDistance(number) = semantic {
                Some(*number)
            } else {
                None
            }
        })
    }

    /// Returns the results by which primitives are culled, each with its distance.
    pub(super) fn cull_distances(&self) -> impl Iterator<Item = (Semantic, f32)> {
        let distances = self.outputs.iter();
        let distances = distances.filter(|(it, _)| matches!(it, Semantic::CullDistance(_)));
        distances.map(|(semantic, lanes)| (*semantic, f32::from_bits(lanes[0])))
    }

    /// Clamps the colors to 0 and 1.
    pub(super) fn clamp_colors(&mut self) {
        for (semantic, lanes) in &mut self.outputs {
            if matches!(semantic, Semantic::Color(_) | Semantic::BackColor(_)) {
                *lanes = lanes.map(|bits| f32::from_bits(bits).clamp(0.0, 1.0).to_bits());
            }
        }
    }
}

impl SceneState<'_> {
    /// Returns the inputs of a vertex program for a vertex, by input. `data` are the vertices of the
    /// draw.
    ///
    /// # Errors
    /// If a vertex or an attribute does not exist.
    pub(super) fn load_vertex_inputs(
        &self,
        program: &StageProgram,
        draw: &Draw,
        data: Option<&VertexData>,
        vertex: VertexNumber,
    ) -> Result<Vec<[u64; 4]>, String> {
        let (first, offset) = match draw.source {
            DrawSource::Rect { .. } => (0, 0),
            DrawSource::Arrays { first, .. } => (first, 0),
            DrawSource::Indexed { vertex_offset, .. } => (0, vertex_offset),
        };
        let base = i64::from(first) + i64::from(offset);
        let number = |value: i64| Ok([value as u32 as u64, 0, 0, 1]);
        let load = |input: &Input| {
            if let Semantic::VertexAttribute(attribute) = input.semantic {
                self.load_attribute((attribute, input), draw, data, vertex)
            } else if input.semantic == Semantic::VertexId {
                number(vertex.index)
            } else if input.semantic == Semantic::InstanceId {
                number(i64::from(vertex.instance))
            } else if input.semantic == Semantic::BaseVertex {
                number(base)
            } else if input.semantic == Semantic::BaseInstance {
                number(i64::from(draw.first_instance))
            } else {
                number(0)
            }
        };
        program.ir.inputs.iter().map(load).collect()
    }

    /// Returns the lanes of an attribute of a vertex: from the vertex data, else the current value.
    fn load_attribute(
        &self,
        (attribute, input): (u8, &Input),
        draw: &Draw,
        data: Option<&VertexData>,
        vertex: VertexNumber,
    ) -> Result<[u64; 4], String> {
        let number = u32::from(attribute);
        let columns = data.map_or(&[][..], |data| &data.columns);
        let find = |location| columns.iter().find(|column| column.location == location);
        let is_wide = input.width == Width::W64;
        let fetch = |column: &Column| {
            let divisor = draw.divisors.0.get(usize::from(attribute)).copied();
            fetch_texel(draw, data, column, (vertex, divisor.unwrap_or(0)))
        };
        if let Some(column) = find(number) {
            let texel = fetch(column)?;
            return Ok(match (column.format.has_64_bit_channels(), is_wide) {
                (true, true) => load_doubles(&column.format, texel),
                (true, false) => load_halves(&column.format, texel, 0),
                (false, _) => load_words(&column.format, texel),
            });
        }
        let before = number.checked_sub(1).and_then(find);
        if let Some(column) = before
            && column.format.has_64_bit_channels()
            && !is_wide
        {
            return Ok(load_halves(&column.format, fetch(column)?, 2));
        }
        let current = self.attributes.get(usize::from(attribute));
        let Some(current) = current.filter(|_| !is_wide) else {
            return Err(format!("attribute {attribute} has no current value"));
        };
        Ok(current.map(|value| match input.base {
            BaseType::Float => u64::from(value.to_bits()),
            BaseType::SignedInt => u64::from(value as i32 as u32),
            BaseType::UnsignedInt => u64::from(value as u32),
        }))
    }

    /// Runs the vertex program for a vertex with these inputs and returns its results, and the number
    /// of its steps.
    ///
    /// # Errors
    /// If it exceeds the step limit.
    pub(super) fn run_vertex(
        &self,
        program: &StageProgram,
        environment: &mut ProgramEnvironment,
        inputs: Vec<[u64; 4]>,
        step_limit: u64,
    ) -> Result<(VertexResult, u64), String> {
        environment.inputs = inputs;
        let mut interpreter = Interpreter::new(&program.ir).map_err(|_| "invalid program")?;
        interpreter.step_limit = step_limit;
        let result = interpreter.run_main(environment);
        let result = result.map_err(|error| error.to_string())?;
        Ok((self.collect_vertex(program, &result.outputs), result.steps))
    }

    /// Returns the results of a vertex with these lanes of the outputs of its program.
    pub(super) fn collect_vertex(
        &self,
        program: &StageProgram,
        lanes: &[[u64; 4]],
    ) -> VertexResult {
        let mut vertex = VertexResult::new(program, lanes);
        let is_last = self.script.last_stage() == program.stage();
        if self.script.requirements.fixed.clamp_vertex_colors && is_last {
            vertex.clamp_colors();
        }
        vertex
    }
}

/// Returns the bytes of a column for a vertex.
fn fetch_texel<'d>(
    draw: &Draw,
    data: Option<&'d VertexData>,
    column: &Column,
    (vertex, divisor): (VertexNumber, u16),
) -> Result<&'d [u8], String> {
    let row = if divisor > 0 {
        i64::from(draw.first_instance) + i64::from(vertex.instance / u32::from(divisor))
    } else {
        vertex.index
    };
    let texel = data.and_then(|data| {
        let row = usize::try_from(row).ok()?;
        let start = row.checked_mul(data.stride as usize)? + column.offset as usize;
        data.bytes.get(start..start + column.format.texel_size())
    });
    texel.ok_or_else(|| format!("the draw has no vertex {row}"))
}

/// Returns the lanes of an attribute of up to 32 bits: floats, or integers of integer formats.
fn load_words(format: &Format, texel: &[u8]) -> [u64; 4] {
    format.decode(texel).map(|value| match format.encoding {
        Encoding::Uint => value as u32 as u64,
        Encoding::Sint => u64::from(value as i32 as u32),
        Encoding::Unorm
        | Encoding::Snorm
        | Encoding::Uscaled
        | Encoding::Sscaled
        | Encoding::Sfloat
        | Encoding::Ufloat
        | Encoding::SharedExponent
        | Encoding::Srgb => u64::from((value as f32).to_bits()),
    })
}

/// Returns the lanes of an attribute of 64 bits; missing components are 0 and 1.
fn load_doubles(format: &Format, texel: &[u8]) -> [u64; 4] {
    let one = match format.encoding.base() {
        BaseType::Float => 1.0f64.to_bits(),
        BaseType::SignedInt | BaseType::UnsignedInt => 1,
    };
    std::array::from_fn(|lane| {
        let missing = if lane == 3 { one } else { 0 };
        format.bits(texel, lane).unwrap_or(missing)
    })
}

/// Returns two components of an attribute of 64 bits, from `first` on, as words.
fn load_halves(format: &Format, texel: &[u8], first: usize) -> [u64; 4] {
    std::array::from_fn(|lane| {
        let bits = format.bits(texel, first + lane / 2).unwrap_or(0);
        bits >> (32 * (lane % 2)) & u64::from(u32::MAX)
    })
}
