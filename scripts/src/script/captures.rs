//! Outputs of the programs of a script that stream outputs capture.

use super::model::Script;
use super::section::{ProgramForm, ProgramSection};
use super::words::ScriptError;
use glasm::ir::{Semantic, Stage};
use glasm::{Capture, TransformFeedback};

impl StreamOutput {
    /// Returns the captures of a register of these semantics: one for all components, or one for
    /// each.
    fn captures(&self, semantics: &[Semantic]) -> Vec<Capture> {
        let capture = |semantic, first, count, place: u32| Capture {
            semantic,
            first,
            count,
            buffer: self.buffer,
            offset: 4 * (self.offset + place),
            stream: self.stream,
        };
        if let [semantic] = semantics {
            return vec![capture(*semantic, self.first, self.count, 0)];
        }
        let taken = semantics.iter().skip(usize::from(self.first));
        let taken = taken.take(usize::from(self.count));
        let places = taken.zip(0..);
        places
            .map(|(semantic, place)| capture(*semantic, 0, 1, place))
            .collect()
    }
}

impl Script {
    /// Converts the stream outputs to captures.
    pub(super) fn resolve_streams(&mut self, errors: &mut Vec<ScriptError>) {
        let Some(first) = self.requirements.streams.outputs.first() else {
            return;
        };
        if !self.feedback.captures.is_empty() {
            let message = "a script has either `stream_output` or `xfb capture`";
            errors.push(ScriptError::new(first.line, 1, message));
            return;
        }
        match self.stream_captures(errors) {
            Some(feedback) => self.feedback = feedback,
            None => {
                let message = "stream outputs are registers of a TGSI or IR program, and the last stage before rasterization has none";
                errors.push(ScriptError::new(first.line, 1, message));
            }
        }
    }

    /// Returns the captures of the stream outputs from the last program before rasterization, if it
    /// has registers.
    pub(super) fn stream_captures(
        &self,
        errors: &mut Vec<ScriptError>,
    ) -> Option<TransformFeedback> {
        let registers = self.output_registers(self.last_program()?)?;
        let streams = &self.requirements.streams;
        let mut captures = Vec::new();
        for output in &streams.outputs {
            let own = registers
                .iter()
                .filter(|(register, _)| *register == output.register);
            let semantics: Vec<Semantic> = own.map(|(_, semantic)| *semantic).collect();
            if semantics.is_empty() {
                let register = output.register;
                let message = format!("the program has no output {register} that can be captured");
                errors.push(ScriptError::new(output.line, 1, message));
            }
            captures.extend(output.captures(&semantics));
        }
        Some(TransformFeedback {
            captures,
            strides: streams.strides.iter().map(|words| 4 * words).collect(),
        })
    }

    /// Returns the last stage before rasterization.
    pub fn last_stage(&self) -> Stage {
        let has = |stage: &Stage| {
            let mut programs = self.programs.iter();
            programs.any(|program| program.stage == *stage)
        };
        // After a control program alone there is an evaluation stage that has its options.
        [Stage::Geometry, Stage::TessEval, Stage::TessControl]
            .into_iter()
            .find(has)
            .unwrap_or(Stage::Vertex)
    }

    /// Returns the program of that stage.
    fn last_program(&self) -> Option<&ProgramSection> {
        let stage = self.last_stage();
        self.programs.iter().find(|program| program.stage == stage)
    }

    /// Returns the output registers of a program with their semantics, if it has any. Registers of
    /// a program of the intermediate representation are numbered from 0 in their order.
    fn output_registers(&self, section: &ProgramSection) -> Option<Vec<(u32, Semantic)>> {
        match section.form {
            ProgramForm::Assembly => {
                let outputs = glasm::tgsi_outputs(&self.requirements.source("", section));
                Some(outputs).filter(|outputs| !outputs.is_empty())
            }
            ProgramForm::Ir => {
                let program = glasm::ir::parse(&String::from_utf8_lossy(&section.text)).ok()?;
                let semantics = program.outputs.iter().map(|output| output.semantic);
                Some((0..).zip(semantics).collect())
            }
            ProgramForm::Glsl
            | ProgramForm::SpirvText
            | ProgramForm::SpirvWords
            | ProgramForm::PassThrough
            | ProgramForm::FixedFunction => None,
        }
    }
}

/// Components of an output register that are captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StreamOutput {
    /// Line of the script.
    pub line: u32,
    /// Register.
    pub register: u32,
    /// First component.
    pub first: u8,
    /// Number of components.
    pub count: u8,
    /// Number of the buffer.
    pub buffer: u32,
    /// Words from the start of a vertex in the buffer.
    pub offset: u32,
    /// Vertex stream.
    pub stream: u32,
}

/// Captures of a script that are specified by registers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StreamOutputs {
    /// Outputs, in the order of the script.
    pub outputs: Vec<StreamOutput>,
    /// Words from a vertex to the next, by buffer; 0 if the last output ends a vertex.
    pub strides: Vec<u32>,
}
