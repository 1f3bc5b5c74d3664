//! What GL's queries give about programs and their parameters.

use super::{Execution, Problem};
use glasm::Source;
use glasm::ir::Stage;
use glasm_scripts::probe::Comparison;
use glasm_scripts::script::{ComponentKind, ParamType, ProgramForm};

impl Execution<'_> {
    /// Compares the components that the program of a stage, as it is loaded now, uses.
    pub(super) fn probe_components(
        &self,
        stage: Stage,
        kind: ComponentKind,
        comparison: Comparison,
        expected: u32,
    ) -> Result<(), Problem> {
        let script = self.script.with_loaded(&self.state.loaded);
        let mut programs = script.programs.iter();
        let program = programs
            .find(|program| (program.stage, program.form) == (stage, ProgramForm::Assembly))
            .ok_or_else(|| format!("there is no {} program", stage.name()))?;
        let source = Source::new(self.files.script, &program.text).for_stage(stage);
        let components =
            glasm::count_components(&source).map_err(|diagnostics| diagnostics.render(&source))?;
        let (observed, what) = match kind {
            ComponentKind::Attribs => (components.attribs, "attributes"),
            ComponentKind::Results => (components.results, "results"),
        };
        if comparison.holds_for_counts(u64::from(observed), u64::from(expected)) {
            return Ok(());
        }
        let (sign, stage) = (comparison.sign(), stage.name());
        let message = format!(
            "components of {what} of the {stage} program: expected {sign} {expected}, observed {observed}"
        );
        Err(message.into())
    }
}

/// Compares what a query gives with what it should; `None` for a parameter of another type.
pub(super) fn check_parameter(
    observed: Option<[u32; 4]>,
    expected: Option<[u32; 4]>,
    ty: ParamType,
) -> Result<(), String> {
    // NaN is equal to itself here, and zeros have signs.
    if observed == expected {
        return Ok(());
    }
    let text = |words: Option<[u32; 4]>| match (words, ty) {
        (None, _) => "a value of another type".to_owned(),
        (Some(words), ParamType::Float) => format!("{:?}", words.map(f32::from_bits)),
        (Some(words), ParamType::Int) => format!("{:?}", words.map(|word| word as i32)),
        (Some(words), ParamType::Uint) => format!("{words:?}"),
    };
    Err(format!(
        "expected {}, observed {}",
        text(expected),
        text(observed)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_compared_by_bits() {
        let one = Some([1f32.to_bits(); 4]);
        let check = |observed, expected| check_parameter(observed, expected, ParamType::Float);
        assert_eq!(check(one, one), Ok(()));
        assert_eq!(check(None, None), Ok(()));
        assert_eq!(
            check(None, one).unwrap_err(),
            "expected [1.0, 1.0, 1.0, 1.0], observed a value of another type"
        );
        let minus = check_parameter(Some([u32::MAX; 4]), None, ParamType::Int);
        assert_eq!(
            minus.unwrap_err(),
            "expected a value of another type, observed [-1, -1, -1, -1]"
        );
    }
}
