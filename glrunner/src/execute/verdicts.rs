//! Which programs of a script the driver accepts, and where it finds their errors.

use super::programs::load;
use crate::error::Error;
use crate::gl::{Gl, LoadError};
use glasm::Code;
use glasm_scripts::observation::{Rejection, Verdict, assembly_programs};
use glasm_scripts::script::{Command, Script};
use std::rc::Rc;

/// Which programs of a script the driver accepts.
///
/// # Errors
/// If the driver fails in another way than by refusing a program.
pub(crate) fn verdicts(gl: &Rc<Gl>, script: &Script) -> Result<Vec<Verdict>, Error> {
    let mut verdicts = Vec::new();
    for (number, program) in assembly_programs(script) {
        let rejected = match load(gl, program)? {
            Ok(_) => None,
            Err(error) => Some(reject(error, &program.text)),
        };
        verdicts.push(Verdict {
            stage: program.stage,
            number,
            rejected,
        });
    }
    Ok(verdicts)
}

/// Why a script cannot be asked of a driver that expects an error: whether programs are too large is up to each implementation, and what
/// only glasm lacks is no error.
pub(crate) fn surplus_error(script: &Script) -> Option<String> {
    let expected = script.steps.iter().filter_map(|step| {
        if let Command::ExpectError(error) = &step.command {
            return Some(error.code);
        }
        None
    });
    let own = expected.into_iter().find(|code| is_own(*code))?;
    Some(format!("{} depends on the implementation", own.id()))
}

fn is_own(code: Code) -> bool {
    matches!(code, Code::Unsupported | Code::FeatureMissing) || code.id().starts_with("E10")
}

fn reject(error: LoadError, text: &[u8]) -> Rejection {
    Rejection {
        position: error_place(&error, text),
        message: error.message,
    }
}

/// The byte of a program where a driver finds its error, if it says.
pub(super) fn error_place(error: &LoadError, text: &[u8]) -> Option<usize> {
    let position = place_in_message(&error.message, text);
    position.or_else(|| usize::try_from(error.position).ok())
}

/// The byte that a message of Mesa's parser means: `line 3, char 9: error: ...`. Its error position is the end of the token, less all of
/// the first token but one byte, and with two bytes for each line end, so it cannot be compared with other drivers'.
fn place_in_message(message: &str, text: &[u8]) -> Option<usize> {
    let (line, rest) = message.strip_prefix("line ")?.split_once(", char ")?;
    let (column, _) = rest.split_once(": error: ")?;
    let (line, column): (usize, usize) = (line.parse().ok()?, column.parse().ok()?);
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    let before = lines.by_ref().take(line.checked_sub(1)?);
    let start: usize = before.map(<[u8]>::len).sum();
    Some((start + column.checked_sub(1)?).min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_mesa_have_places() {
        let text = b"!!ARBfp1.0\nTEMP t;\nMOV t, |t|;\nEND\n";
        let place = |message: &str| place_in_message(message, text);
        assert_eq!(place("line 3, char 8: error: syntax error"), Some(26));
        assert_eq!(text[26], b'|');
        assert_eq!(place("line 1, char 1: error: invalid header"), Some(0));
        assert_eq!(
            place("line 9, char 9: error: unexpected end"),
            Some(text.len())
        );
        for other in [
            "line 0, char 1: error: x",
            "line 3: error",
            "error 3",
            "line x, char 1: error: y",
        ] {
            assert_eq!(place(other), None);
        }
    }

    #[test]
    fn limits_are_up_to_the_implementation() {
        let surplus = |code: &str| {
            let text = format!("[vertex program]\n!!ARBvp1.0\nEND\n[test]\nexpect error {code}\n");
            surplus_error(&Script::parse(text.as_bytes()).unwrap())
        };
        assert!(surplus("E1002").is_some() && surplus("E0906").is_some());
        assert_eq!(surplus("E0201"), None);
    }
}
