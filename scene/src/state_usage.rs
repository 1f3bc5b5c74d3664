//! GL state that programs read, in the parts that commands of scripts set.

use glasm::ir::{ParamSource, Program, StateParam};
use glasm::state::MatrixName;
use std::collections::BTreeSet;

/// State that a program reads, in the parts that commands of scripts set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct StateUsage {
    /// Lights.
    pub(super) lights: BTreeSet<u32>,
    /// Units of texture environments.
    pub(super) environments: BTreeSet<u32>,
    /// True if the material is read, alone or in a product with a light.
    pub(super) material: bool,
    /// True if fog is read.
    pub(super) fog: bool,
    /// Clip planes.
    pub(super) clip_planes: BTreeSet<u32>,
    /// Matrices that are not of the view, in the words of scripts.
    pub(super) matrices: BTreeSet<String>,
}

impl StateUsage {
    /// Adds the state that a program reads.
    pub(super) fn add_program(&mut self, program: &Program) {
        for param in program.params.iter() {
            if let ParamSource::State(param) = param.source {
                self.add_param(param);
            }
        }
    }

    /// Adds the state of one parameter; state whose initial value shows something is ignored.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "a few parameters depend on state that scenes set"
    )]
    fn add_param(&mut self, param: StateParam) {
        match param {
            StateParam::LightColor(light, _)
            | StateParam::LightPosition(light)
            | StateParam::LightAttenuation(light)
            | StateParam::LightSpotDirection(light)
            | StateParam::LightHalfVector(light) => {
                self.lights.insert(light);
            }
            StateParam::LightProduct(light, ..) => {
                self.lights.insert(light);
                self.material = true;
            }
            StateParam::MaterialColor(..)
            | StateParam::MaterialShininess(_)
            | StateParam::LightModelSceneColor(_) => self.material = true,
            StateParam::TexenvColor(unit) => {
                self.environments.insert(unit);
            }
            StateParam::FogColor | StateParam::FogParams => self.fog = true,
            StateParam::ClipPlane(number) => {
                self.clip_planes.insert(number);
            }
            StateParam::MatrixRow { matrix, .. } => match matrix {
                MatrixName::Texture(number) => {
                    self.matrices.insert(format!("texture {number}"));
                }
                MatrixName::Palette(number) => {
                    self.matrices.insert(format!("palette {number}"));
                }
                MatrixName::Program(number) => {
                    self.matrices.insert(format!("program {number}"));
                }
                MatrixName::Modelview(number) if number > 0 => {
                    self.matrices.insert(format!("modelview {number}"));
                }
                MatrixName::Modelview(_)
                | MatrixName::Projection
                | MatrixName::ModelviewProjection => {}
            },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::Source;

    #[test]
    fn state_is_grouped_by_the_commands_that_set_it() {
        let text = "!!ARBvp1.0\nADD result.color, state.lightprod[2].diffuse, state.light[1].half;\n\
                    MOV result.position, state.matrix.texture[3].row[1];\n\
                    MOV result.texcoord[0], state.clip[4].plane;\n\
                    MOV result.texcoord[1], state.matrix.modelview.row[0];\nEND";
        let program = glasm::frontend::translate(&Source::new("", text)).0;
        let mut usage = StateUsage::default();
        usage.add_program(&program.unwrap());
        let expected = StateUsage {
            lights: [1, 2].into(),
            material: true,
            clip_planes: [4].into(),
            matrices: ["texture 3".to_owned()].into(),
            ..StateUsage::default()
        };
        assert_eq!(usage, expected);
    }
}
