//! Transform feedback: decorations of captured results, and copies of those that are not captured in place.

use crate::builder::{Lane, Scalar};
use crate::capability::Need;
use crate::capture::{self, Home};
use crate::emit::Emit;
use crate::error::Failure;
use crate::interface::names::output_name;
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::{OutputId, Semantic};
use spirv::{Decoration, StorageClass};

impl Emit<'_> {
    /// Decides where the value of each capture is.
    pub(in crate::emit) fn plan_captures(&mut self) -> Result<(), Failure> {
        if self.options.transform_feedback.is_empty() {
            return Ok(());
        }
        let written = self.written_results();
        let homes = capture::plan(self.program, self.options, &written)?;
        let captures = &self.options.transform_feedback.captures;
        self.w.needs.insert(Need::TransformFeedback);
        if captures.iter().any(|capture| capture.stream > 0) {
            self.w.needs.insert(Need::GeometryStreams);
        }
        let without_variable = homes.into_iter().map(|home| (home, ValueWord::NONE));
        self.tables.captures.extend(without_variable);
        Ok(())
    }

    fn written_results(&self) -> Vec<Semantic> {
        let registers = self.program.output_registers();
        let written = registers.filter(|(id, _)| self.analysis.written[id.index()]);
        let outputs = self.program.outputs.as_slice();
        let written = written.flat_map(|(_, numbers)| &outputs[numbers]);
        written.map(|output| output.semantic).collect()
    }

    /// Decorates the variable of a result that is captured in place.
    pub(super) fn capture_in_place(&mut self, semantic: Semantic, variable: ValueWord) {
        for index in 0..self.tables.captures.len() {
            let capture = self.options.transform_feedback.captures[index];
            if capture.semantic == semantic && self.tables.captures[index].0 == Home::InPlace {
                self.decorate_capture(index, variable);
            }
        }
    }

    /// Stores the captured components of a result that are not captured in place.
    pub(super) fn store_captures(&mut self, id: OutputId, lanes: &[Lane; 4]) {
        let output = self.program.outputs[id];
        let is_integer = matches!(
            output.semantic,
            Semantic::Layer | Semantic::ViewportIndex | Semantic::PrimitiveId | Semantic::VertexId
        );
        // Varyings travel as floats, whatever the program puts into them.
        let scalar = match is_integer {
            true => Scalar::U32,
            false => Scalar::F32,
        };
        for index in 0..self.tables.captures.len() {
            let capture = self.options.transform_feedback.captures[index];
            let (Home::Copy(location), known) = self.tables.captures[index] else {
                continue;
            };
            if capture.semantic == output.semantic {
                let variable = match known.is_some() {
                    true => known,
                    false => self.declare_copy(index, location, scalar),
                };
                let (first, count) = (usize::from(capture.first), usize::from(capture.count));
                // `capture::check` keeps the range inside.
                let value = match &lanes[first..first + count] {
                    [lane] => self.w.scalar(*lane, scalar),
                    part => self.w.gather_vector(part, scalar).id,
                };
                self.w.store(variable, value);
            }
        }
    }

    fn declare_copy(&mut self, index: usize, location: u32, scalar: Scalar) -> ValueWord {
        let capture = self.options.transform_feedback.captures[index];
        let ty = self.w.ty(scalar, capture.count);
        let variable = self.io().variable(StorageClass::Output, ty);
        self.w.decorate(variable, Decoration::Location, &[location]);
        self.w.name(variable, || {
            format!("captured_{}", output_name(capture.semantic))
        });
        self.decorate_capture(index, variable);
        self.tables.captures[index].1 = variable;
        variable
    }

    fn decorate_capture(&mut self, index: usize, variable: ValueWord) {
        let feedback = &self.options.transform_feedback;
        let capture = feedback.captures[index];
        let stride = feedback.stride(capture.buffer);
        let w = &mut self.w;
        // All three are needed together (VUID-StandaloneSpirv-Offset-04716); without a stream it is stream 0.
        w.decorate(variable, Decoration::XfbBuffer, &[capture.buffer]);
        w.decorate(variable, Decoration::XfbStride, &[stride]);
        w.decorate(variable, Decoration::Offset, &[capture.offset]);
        if capture.stream > 0 {
            w.decorate(variable, Decoration::Stream, &[capture.stream]);
        }
    }
}
