//! Which programs of a script the driver accepts, and where it finds their errors.

use super::assembler::{error_place, load};
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

#[cfg(test)]
mod tests {
    use super::*;

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
