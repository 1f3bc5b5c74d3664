//! The end of the section: checks that need the whole section.

use super::parser::{Capturing, MAX_BUFFERS, TestParser};
use super::values::MAX_BUFFER;
use crate::script::command::{BufferDecl, BufferRange, Command, Step};
use crate::script::words::ScriptError;
use glasm::TransformFeedback;

/// Contents of the `[test]` section.
pub(crate) struct Test {
    pub(crate) buffers: Vec<BufferDecl>,
    pub(crate) push_size: u32,
    pub(crate) unmet: Vec<String>,
    pub(crate) entry_names: Vec<String>,
    pub(crate) param_names: Vec<String>,
    pub(crate) feedback: TransformFeedback,
    pub(crate) steps: Vec<Step>,
}

/// Performs the checks that need the whole section.
pub(crate) fn finish(parser: TestParser, errors: &mut Vec<ScriptError>) -> Test {
    check_buffers(&parser, errors);
    check_feedback(&parser, errors);
    // If a program must have an error, there is nothing to run.
    let expects_error = |step: &&Step| matches!(step.command, Command::ExpectError(_));
    if parser.steps.iter().any(|step| expects_error(&step)) {
        for step in parser.steps.iter().filter(|step| !expects_error(step)) {
            let message = "a script that expects errors can have no other commands";
            errors.push(ScriptError::new(step.line, 1, message));
        }
    }
    Test {
        buffers: parser.buffers,
        push_size: parser.push_size,
        entry_names: parser.entry_names,
        param_names: parser.param_names,
        unmet: parser.unmet,
        feedback: parser.feedback,
        steps: parser.steps,
    }
}

/// Checks sizes, which are known at the end of the section.
fn check_buffers(parser: &TestParser, errors: &mut Vec<ScriptError>) {
    // A line with an error may have been the one that determines the size of a buffer.
    if !errors.is_empty() {
        return;
    }
    let mut error = |line, message: String| errors.push(ScriptError::new(line, 1, message));
    if let Some(line) = parser.too_many_buffers {
        error(line, format!("scripts have at most {MAX_BUFFERS} buffers"));
        return;
    }
    let mut total = 0;
    for buffer in &parser.buffers {
        if buffer.size == 0 {
            let name = buffer.key.to_string();
            error(
                buffer.line,
                format!("{name} is given neither a size nor data"),
            );
        }
        total += buffer.size;
        if total > MAX_BUFFER {
            let message = format!("buffers have at most {MAX_BUFFER} bytes together");
            error(buffer.line, message);
            return;
        }
    }
    for (
        line,
        BufferRange {
            buffer,
            offset,
            size,
        },
    ) in &parser.ranges
    {
        let decl = &parser.buffers[buffer.0];
        let end = offset.saturating_add(size.unwrap_or(1));
        if end > decl.size {
            error(
                *line,
                format!(
                    "{} has {} bytes, but the part reaches to byte {end}",
                    decl.key, decl.size
                ),
            );
        }
    }
}

/// Performs the checks of transform feedback that need the whole section.
fn check_feedback(parser: &TestParser, errors: &mut Vec<ScriptError>) {
    if let Capturing::Since(line) = parser.capturing {
        errors.push(ScriptError::new(line, 1, "there is no `xfb end`"));
    }
}
