//! Transform feedback: decorations of captured results, and copies of captures that need a separate
//! variable.

use crate::builder::{Lane, Scalar};
use crate::capability::Need;
use crate::capture::{self, Home};
use crate::emit::cx::OutputEmitter;
use crate::error::Failure;
use crate::interface::names::output_name;
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::{OutputId, Semantic};
use spirv::{Decoration, StorageClass};

impl OutputEmitter<'_, '_> {
    /// Selects the variable of each capture.
    pub(in crate::emit) fn plan_captures(&mut self) -> Result<(), Failure> {
        if self.f.options.transform_feedback.is_empty() {
            return Ok(());
        }
        let written = self.find_written_results();
        let homes = capture::plan(self.f.program, self.f.options, &written)?;
        let captures = &self.f.options.transform_feedback.captures;
        self.f.w.needs.insert(Need::TransformFeedback);
        if captures.iter().any(|capture| capture.stream > 0) {
            self.f.w.needs.insert(Need::GeometryStreams);
        }
        let without_variable = homes.into_iter().map(|home| (home, ValueWord::NONE));
        self.captures.extend(without_variable);
        Ok(())
    }

    fn find_written_results(&self) -> Vec<Semantic> {
        let registers = self.f.program.output_registers();
        let written = registers.filter(|(id, _)| self.f.analysis.written[id.index()]);
        let outputs = self.f.program.outputs.as_slice();
        let written = written.flat_map(|(_, numbers)| &outputs[numbers]);
        written.map(|output| output.semantic).collect()
    }

    /// Decorates the variable of a result that is captured directly.
    pub(super) fn capture_in_place(&mut self, semantic: Semantic, variable: ValueWord) {
        for index in 0..self.captures.len() {
            let capture = self.f.options.transform_feedback.captures[index];
            if capture.semantic == semantic && self.captures[index].0 == Home::InPlace {
                self.decorate_capture(index, variable);
            }
        }
    }

    /// Stores the captured components of a result that have a separate variable.
    pub(super) fn store_captures(&mut self, id: OutputId, lanes: &[Lane; 4]) {
        let output = self.f.program.outputs[id];
        let is_integer = matches!(
            output.semantic,
            Semantic::Layer | Semantic::ViewportIndex | Semantic::PrimitiveId | Semantic::VertexId
        );
        // Varyings are floats, regardless of the type of their contents.
        let scalar = if is_integer { Scalar::U32 } else { Scalar::F32 };
        for index in 0..self.captures.len() {
            let capture = self.f.options.transform_feedback.captures[index];
            let (Home::Copy(location), known) = self.captures[index] else {
                continue;
            };
            if capture.semantic == output.semantic {
                let variable = if known.is_some() {
                    known
                } else {
                    self.declare_copy(index, location, scalar)
                };
                let (first, count) = (usize::from(capture.first), usize::from(capture.count));
                // `capture::check` ensures that the range is valid.
                let value = match &lanes[first..first + count] {
                    [lane] => self.f.w.scalar(*lane, scalar),
                    part => self.f.w.gather_vector(part, scalar).id,
                };
                self.f.w.store(variable, value);
            }
        }
    }

    fn declare_copy(&mut self, index: usize, location: u32, scalar: Scalar) -> ValueWord {
        let capture = self.f.options.transform_feedback.captures[index];
        let ty = self.f.w.ty(scalar, capture.count);
        let variable = self.f.io().variable(StorageClass::Output, ty);
        self.f
            .w
            .decorate(variable, Decoration::Location, &[location]);
        self.f.w.name(variable, || {
            format!("captured_{}", output_name(capture.semantic))
        });
        self.decorate_capture(index, variable);
        self.captures[index].1 = variable;
        variable
    }

    fn decorate_capture(&mut self, index: usize, variable: ValueWord) {
        let feedback = &self.f.options.transform_feedback;
        let capture = feedback.captures[index];
        let stride = feedback.stride(capture.buffer);
        let w = &mut self.f.w;
        // All three are required together (VUID-StandaloneSpirv-Offset-04716); captures without a
        // stream are in stream 0.
        w.decorate(variable, Decoration::XfbBuffer, &[capture.buffer]);
        w.decorate(variable, Decoration::XfbStride, &[stride]);
        w.decorate(variable, Decoration::Offset, &[capture.offset]);
        if capture.stream > 0 {
            w.decorate(variable, Decoration::Stream, &[capture.stream]);
        }
    }
}
