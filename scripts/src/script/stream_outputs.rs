//! Outputs of the programs of a script that stream outputs capture, and the lines of `[require]`
//! that declare them: `stream_output` and `stream_stride`.

use super::model::Requirements;
use super::model::Script;
use super::section::{ProgramForm, ProgramSection};
use super::tokenizer::{LineError, ScriptError, WordCursor};
use glasm::ir::{Semantic, Stage};
use glasm::{Capture, TransformFeedback};

impl StreamOutput {
    /// Returns the captures of a register with these semantics: one of the specified components if
    /// it has one semantic; otherwise each component has a separate semantic and capture. Empty
    /// without semantics.
    fn captures(&self, semantics: &[Semantic]) -> Vec<Capture> {
        let capture = |semantic, first, count, word_index: u32| Capture {
            semantic,
            first_component: first,
            component_count: count,
            buffer: self.buffer,
            offset: 4 * (self.offset + word_index),
            stream: self.stream,
        };
        if let [semantic] = semantics {
            return vec![capture(
                *semantic,
                self.first_component,
                self.component_count,
                0,
            )];
        }
        let taken = semantics.iter().skip(usize::from(self.first_component));
        let taken = taken.take(usize::from(self.component_count));
        let indexed = taken.zip(0..);
        indexed
            .map(|(semantic, place)| capture(*semantic, 0, 1, place))
            .collect()
    }
}

impl Script {
    /// Sets the transform feedback of the script to its stream outputs, which are registers of the
    /// last program before rasterization. Reports an error if the program has no such registers, or
    /// if the script also has captures. Does nothing without stream outputs.
    pub(super) fn resolve_stream_outputs(&mut self, errors: &mut Vec<ScriptError>) {
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

    /// Returns the transform feedback that captures the stream outputs of the last program before
    /// rasterization; `None` if that has no registers. Reports outputs whose register the program
    /// does not write.
    pub(super) fn stream_captures(
        &self,
        errors: &mut Vec<ScriptError>,
    ) -> Option<TransformFeedback> {
        let registers = self.output_registers(self.last_program()?)?;
        let streams = &self.requirements.streams;
        let mut captures = Vec::new();
        for output in &streams.outputs {
            let matching = registers
                .iter()
                .filter(|(register, _)| *register == output.register);
            let semantics: Vec<Semantic> = matching.map(|(_, semantic)| *semantic).collect();
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

    /// Returns the last stage before rasterization that the script's programs have; the vertex
    /// stage without any.
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

    /// Returns the program of the last stage before rasterization; `None` if the script has none.
    fn last_program(&self) -> Option<&ProgramSection> {
        let stage = self.last_stage();
        self.programs.iter().find(|program| program.stage == stage)
    }

    /// Returns the output registers of a TGSI or IR program with their semantics; `None` for other
    /// forms and languages, and for invalid programs. Registers of a program of the intermediate
    /// representation are numbered from 0 in their order.
    fn output_registers(&self, section: &ProgramSection) -> Option<Vec<(u32, Semantic)>> {
        match section.form {
            ProgramForm::Assembly => {
                let outputs =
                    glasm::find_tgsi_output_registers(&self.requirements.source("", section));
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
    pub first_component: u8,
    /// Number of components.
    pub component_count: u8,
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

/// Buffers that can be named, as in Gallium.
const MAX_BUFFERS: u32 = 4;

/// Vertex streams that can be named, similarly.
const MAX_STREAMS: u32 = 4;

/// Outputs that a script can list.
const MAX_OUTPUTS: usize = 256;

/// Words of a vertex in a buffer at most.
const MAX_WORDS: u32 = 1 << 14;

/// Parses the arguments of `stream_output REGISTER FIRST COUNT BUFFER OFFSET [STREAM]`, with the
/// offset in words, and appends the output. Returns an error if there are more than [`MAX_OUTPUTS`]
/// outputs.
pub(super) fn parse_output(
    requirements: &mut Requirements,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let line = requirements.line;
    let outputs = &mut requirements.streams.outputs;
    if outputs.len() == MAX_OUTPUTS {
        return Err(words.error_at_last(format!("at most {MAX_OUTPUTS} outputs are captured")));
    }
    let register = words.parse_u32("the number of an output register")?;
    let first = words.parse_with("a first component, 0 to 3", |word| parse_below(word, 4))?;
    let what = format!("a number of components, 1 to {}", 4 - first);
    let count = words.parse_with(&what, |word| {
        parse_below(word, 5 - first).filter(|count| *count > 0)
    })?;
    let buffer = parse_buffer(words)?;
    let what = format!("a number of words, below {MAX_WORDS}");
    let offset = words.parse_with(&what, |word| parse_below(word, MAX_WORDS))?;
    let stream = if words.is_empty() {
        0
    } else {
        words.parse_with("a stream, 0 to 3", |word| parse_below(word, MAX_STREAMS))?
    };
    outputs.push(StreamOutput {
        line,
        register,
        first_component: first as u8,
        component_count: count as u8,
        buffer,
        offset,
        stream,
    });
    Ok(())
}

/// Parses the arguments of `stream_stride BUFFER WORDS` and stores the stride of the buffer.
pub(super) fn parse_stride(
    requirements: &mut Requirements,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let buffer = parse_buffer(words)? as usize;
    let what = format!("a number of words, 1 to {MAX_WORDS}");
    let stride = words.parse_with(&what, |word| {
        parse_below(word, MAX_WORDS + 1).filter(|count| *count > 0)
    })?;
    let strides = &mut requirements.streams.strides;
    strides.resize(strides.len().max(buffer + 1), 0);
    strides[buffer] = stride;
    Ok(())
}

/// Consumes the number of a buffer, less than [`MAX_BUFFERS`].
fn parse_buffer(words: &mut WordCursor<'_>) -> Result<u32, LineError> {
    words.parse_with("a buffer, 0 to 3", |word| parse_below(word, MAX_BUFFERS))
}

/// Parses a number less than `end`; `None` for any other word.
fn parse_below(word: &str, end: u32) -> Option<u32> {
    word.parse().ok().filter(|number| *number < end)
}
