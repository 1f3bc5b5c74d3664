//! What programs look up in textures, which decides how their units are set. Pure.

use super::sampling::Comparing;
use glasm::ir::TexTarget;
use glasm::reflect::{HandleKind, Reflection};

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
    /// Those of a program with this reflection.
    pub(super) fn of(reflection: &Reflection) -> Self {
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

    #[test]
    fn programs_say_what_they_compare() {
        let text = "!!ARBfp1.0\nOPTION ARB_fragment_program_shadow;\nTEMP a, b;\n\
             TEX a, fragment.texcoord[0], texture[3], SHADOW2D;\n\
             TEX b, fragment.texcoord[0], texture[1], RECT;\n\
             ADD result.color, a, b;\nEND";
        let source = glasm::Source::new("program", text);
        let shader = glasm::compile(&source, &glasm::Options::default()).unwrap();
        let found = Lookups::of(&shader.reflection);
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
}
