//! Texture lookups of programs, which determine the state of texture units. Pure.

use super::sampling::Comparing;
use super::texture_objects::gl_target;
use crate::gl;
use glasm::ir::TexTarget;
use glasm::reflect::{HandleKind, Reflection};

/// Texture that a program accesses by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lookup {
    pub(super) unit: u32,
    pub(super) target: TexTarget,
    /// OpenGL's name of the target.
    pub(super) gl_target: u32,
    pub(super) comparing: Comparing,
}

/// Texture accesses of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Lookups {
    pub(super) units: Vec<Lookup>,
    /// True if it compares depths of textures that handles name.
    pub(super) compares_by_handle: bool,
}

impl Lookups {
    /// Returns the lookups of a program with this source and reflection.
    pub(super) fn of(text: &[u8], reflection: &Reflection) -> Self {
        let renderbuffers = renderbuffers(text);
        let mut handles = reflection.handle_arrays.iter();
        let units = reflection.textures.iter().flat_map(|texture| {
            let units = texture.unit..texture.unit + texture.count;
            units.map(|unit| Lookup {
                unit,
                target: texture.target,
                gl_target: if renderbuffers.contains(&unit) {
                    gl::TEXTURE_RENDERBUFFER_NV
                } else {
                    gl_target(texture.target)
                },
                comparing: if texture.shadow {
                    Comparing::On
                } else {
                    Comparing::Off
                },
            })
        });
        Self {
            units: units.collect(),
            compares_by_handle: handles.any(|array| array.kind == HandleKind::Comparison),
        }
    }
}

/// Returns the units that a program reads with the target `RENDERBUFFER`, which the reflection does
/// not distinguish from `2DMS`.
fn renderbuffers(text: &[u8]) -> Vec<u32> {
    let text = String::from_utf8_lossy(text);
    let operands = text.split("texture[").skip(1);
    let unit = |operand: &str| {
        let (unit, rest) = operand.split_once(']')?;
        let target = rest.trim_start().strip_prefix(',')?.trim_start();
        let is_renderbuffer = target.starts_with("RENDERBUFFER");
        unit.trim().parse().ok().filter(|_| is_renderbuffer)
    };
    operands.filter_map(unit).collect()
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
        let found = Lookups::of(text.as_bytes(), &shader.reflection);
        let lookup = |unit, target, comparing| Lookup {
            unit,
            target,
            gl_target: gl_target(target),
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
    fn renderbuffers_are_a_target_of_their_own() {
        let text =
            b"TXFMS r, a, texture[3], RENDERBUFFER;\nTXFMS r, a, texture[ 12 ] , RENDERBUFFER;\n\
            TXFMS r, a, texture[4], 2DMS;\nTEX r, a, texture[x], 2D; texture[";
        assert_eq!(renderbuffers(text), [3, 12]);
    }
}
