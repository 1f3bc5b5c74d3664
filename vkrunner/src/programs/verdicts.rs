//! Acceptance of the programs of a script by the compiler, for comparisons with other compilers.

use super::context::CompileContext;
use glasm::frontend::lang::languages::Language;
use glasm::{Code, Diagnostic, Diagnostics, Severity, Source};
use glasm_scripts::observation::{Rejection, Verdict, assembly_programs};

impl CompileContext<'_> {
    /// Returns the verdict on each assembly program, including those that the script loads later.
    /// Programs that only the device cannot run have none.
    pub(crate) fn verdicts(&self) -> Vec<Verdict> {
        let compiler = self.compiler();
        let mut verdicts = Vec::new();
        for (number, section) in assembly_programs(self.script) {
            if Language::missing(&section.text).is_some() {
                continue;
            }
            let rejected = match compiler.compile(section) {
                Ok(_) => None,
                Err(diagnostics) => match reject(&diagnostics, &compiler.source(section)) {
                    None => continue,
                    rejection => rejection,
                },
            };
            verdicts.push(Verdict {
                stage: section.stage,
                number,
                rejected,
            });
        }
        verdicts
    }
}

/// Returns the reason why a program is not accepted; `None` if it only needs features that the
/// device lacks.
fn reject(diagnostics: &Diagnostics, source: &Source<'_>) -> Option<Rejection> {
    let counts = |found: &&Diagnostic| {
        found.severity != Severity::Warning && found.code != Code::FeatureMissing
    };
    let errors: Vec<Diagnostic> = diagnostics.list.iter().filter(counts).cloned().collect();
    let errors = Diagnostics { list: errors };
    let position = errors.gl_error_position(source)?;
    let message = errors.list.first()?.message.clone();
    Some(Rejection {
        position: Some(position),
        message,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::ir::Span;

    #[test]
    fn programs_that_the_device_cannot_run_are_not_rejected() {
        let source = Source::new("x", b"!!ARBvp1.0\nEND\n");
        let missing = Diagnostic::error(Code::FeatureMissing, Span::new(3, 4), "no doubles");
        let wrong = Diagnostic::error(Code::UndeclaredName, Span::new(11, 12), "no name");
        let late = Diagnostic::whole_program(Code::FeatureMissing, "no room");
        let of = |list: Vec<Diagnostic>| reject(&Diagnostics { list }, &source);
        assert_eq!(of(vec![missing.clone(), late.clone()]), None);
        let rejection = of(vec![missing, wrong, late]).unwrap();
        assert_eq!(
            (rejection.position, rejection.message.as_str()),
            (Some(11), "no name")
        );
    }
}
