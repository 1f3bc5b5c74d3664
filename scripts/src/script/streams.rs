//! Stream outputs: `stream_output` and `stream_stride` in `[require]`. They name registers of the last program before rasterization, as callers
//! of TGSI do, where other programs have results with names.

use super::require::Requirements;
use super::section::ProgramForm;
use super::words::{LineError, Words};
use super::{ProgramSection, Script, ScriptError};
use glasm::ir::{Semantic, Stage};
use glasm::{Capture, TransformFeedback};

/// Buffers that can be named, as in Gallium.
const MAX_BUFFERS: u32 = 4;
/// Vertex streams that can be named, likewise.
const MAX_STREAMS: u32 = 4;
/// Outputs that a script can list.
const MAX_OUTPUTS: usize = 256;
/// Words of a vertex in a buffer at most.
const MAX_WORDS: u32 = 1 << 14;

/// Components of an output register that are captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StreamOutput {
    /// Line of the script.
    pub line: u32,
    /// The register.
    pub register: u32,
    /// The first component.
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

/// What a script captures by registers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StreamOutputs {
    /// The outputs, in the order of the script.
    pub outputs: Vec<StreamOutput>,
    /// Words from a vertex to the next, by buffer; 0 where the last output ends a vertex.
    pub strides: Vec<u32>,
}

/// `stream_output REGISTER FIRST COUNT BUFFER OFFSET [STREAM]`
pub(super) fn parse_output(
    requirements: &mut Requirements,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let line = requirements.line;
    let outputs = &mut requirements.streams.outputs;
    if outputs.len() == MAX_OUTPUTS {
        return Err(words.error_at_last(format!("at most {MAX_OUTPUTS} outputs are captured")));
    }
    let register = words.unsigned32("the number of an output register")?;
    let first = words.parse_with("a first component, 0 to 3", |word| below(word, 4))?;
    let what = format!("a number of components, 1 to {}", 4 - first);
    let count = words.parse_with(&what, |word| {
        below(word, 5 - first).filter(|count| *count > 0)
    })?;
    let buffer = parse_buffer(words)?;
    let what = format!("a number of words, below {MAX_WORDS}");
    let offset = words.parse_with(&what, |word| below(word, MAX_WORDS))?;
    let stream = match words.is_empty() {
        true => 0,
        false => words.parse_with("a stream, 0 to 3", |word| below(word, MAX_STREAMS))?,
    };
    outputs.push(StreamOutput {
        line,
        register,
        first: first as u8,
        count: count as u8,
        buffer,
        offset,
        stream,
    });
    Ok(())
}

/// `stream_stride BUFFER WORDS`
pub(super) fn parse_stride(
    requirements: &mut Requirements,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let buffer = parse_buffer(words)? as usize;
    let what = format!("a number of words, 1 to {MAX_WORDS}");
    let stride = words.parse_with(&what, |word| {
        below(word, MAX_WORDS + 1).filter(|count| *count > 0)
    })?;
    let strides = &mut requirements.streams.strides;
    strides.resize(strides.len().max(buffer + 1), 0);
    strides[buffer] = stride;
    Ok(())
}

fn parse_buffer(words: &mut Words<'_>) -> Result<u32, LineError> {
    words.parse_with("a buffer, 0 to 3", |word| below(word, MAX_BUFFERS))
}

fn below(word: &str, end: u32) -> Option<u32> {
    word.parse().ok().filter(|number| *number < end)
}

impl StreamOutput {
    /// What is captured of a register of these semantics: one for all components, or one for each.
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
    /// Makes captures of the stream outputs.
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

    /// What the stream outputs capture of the last program before rasterization, if it has registers.
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

    /// The last stage before rasterization.
    pub fn last_stage(&self) -> Stage {
        let has = |stage: &Stage| {
            let mut programs = self.programs.iter();
            programs.any(|program| program.stage == *stage)
        };
        // Behind a control program alone there is an evaluation stage that has its options.
        [Stage::Geometry, Stage::TessEval, Stage::TessControl]
            .into_iter()
            .find(has)
            .unwrap_or(Stage::Vertex)
    }

    /// The program of that stage.
    fn last_program(&self) -> Option<&ProgramSection> {
        let stage = self.last_stage();
        self.programs.iter().find(|program| program.stage == stage)
    }

    /// The output registers of a program with what they mean, if it has any: those of a program of the intermediate representation count from 0
    /// in their order.
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
