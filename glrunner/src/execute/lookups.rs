//! What programs look up in textures, which decides how their units are set. Pure.

use super::sampling::Comparing;
use glasm::ir::TexTarget;
use glasm::reflect::HandleKind;
use glasm_scripts::script::{ProgramForm, ProgramSection};

/// What a program reads by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lookup {
    pub(super) unit: u32,
    pub(super) target: TexTarget,
    pub(super) comparing: Comparing,
}

/// What a program reads of textures.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Lookups {
    pub(super) units: Vec<Lookup>,
    /// Whether it compares depths of textures that handles name.
    pub(super) compares_by_handle: bool,
}

impl Lookups {
    /// Those of a program; none if only the driver knows its language.
    pub(super) fn of(program: &ProgramSection) -> Self {
        if program.form != ProgramForm::Assembly {
            return Self::default();
        }
        let source = glasm::Source::new("program", &program.text).for_stage(program.stage);
        let Ok(shader) = glasm::compile(&source, &glasm::Options::default()) else {
            return Self::default();
        };
        let reflection = shader.reflection;
        let mut handles = reflection.handle_arrays.iter();
        let units = reflection.textures.iter().flat_map(|texture| {
            (texture.unit..texture.unit + texture.count).map(|unit| Lookup {
                unit,
                target: texture.target,
                comparing: match texture.shadow {
                    true => Comparing::On,
                    false => Comparing::Off,
                },
            })
        });
        Self {
            units: units.collect(),
            compares_by_handle: handles.any(|array| array.kind == HandleKind::Comparison),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_scripts::script::Script;

    fn of(text: &str) -> Lookups {
        let script = format!("[fragment program]\n{text}\n");
        let script = Script::parse(script.as_bytes()).unwrap();
        Lookups::of(&script.programs[0])
    }

    #[test]
    fn programs_say_what_they_compare() {
        let found = of(
            "!!ARBfp1.0\nOPTION ARB_fragment_program_shadow;\nTEMP a, b;\n\
             TEX a, fragment.texcoord[0], texture[3], SHADOW2D;\n\
             TEX b, fragment.texcoord[0], texture[1], RECT;\n\
             ADD result.color, a, b;\nEND",
        );
        let lookup = |unit, target, comparing| Lookup {
            unit,
            target,
            comparing,
        };
        assert_eq!(found.units.len(), 2);
        for expected in [
            lookup(3, TexTarget::D2, Comparing::On),
            lookup(1, TexTarget::Rect, Comparing::Off),
        ] {
            assert!(found.units.contains(&expected), "{expected:?}");
        }
        assert!(!found.compares_by_handle);
    }

    #[test]
    fn what_is_no_program_reads_nothing() {
        assert_eq!(of("!!ARBfp1.0\nnonsense"), Lookups::default());
    }
}
