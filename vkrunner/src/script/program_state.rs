//! GL state that programs are compiled for. It changes while a script runs: each state that a draw or dispatch meets has modules of
//! its own.

use super::{Command, PointUpdate, Script, StateUpdate};

/// The state at a draw or dispatch. Units without entry, and entries that say nothing else, are in the initial state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ProgramState {
    /// What depth comparisons fill, by texture image unit.
    pub(crate) depth_modes: Vec<glasm::DepthMode>,
    /// Where coordinates of points start.
    pub(crate) point_origin: glasm::PointOrigin,
    /// Numbers of the spare programs that have taken the place of others, one for a stage.
    pub(crate) loaded: Vec<usize>,
    /// Wrap modes that samplers lack, by texture image unit.
    pub(crate) texture_wraps: Vec<glasm::TextureWrap>,
    /// Biases of levels of detail, by texture image unit.
    pub(crate) lod_biases: Vec<glasm::LodBias>,
}

impl ProgramState {
    /// What a command of the script changes.
    pub(crate) fn apply(&mut self, command: &Command, script: &Script) {
        if let Command::Load { spare, error: None } = command {
            let stage = script.spare_stage(*spare);
            self.loaded.retain(|old| script.spare_stage(*old) != stage);
            self.loaded.push(*spare);
            self.loaded.sort_unstable();
        } else if let Command::GlState(StateUpdate::Point(PointUpdate::SpriteOrigin(origin))) =
            command
        {
            self.point_origin = *origin;
        } else if let Command::Sampling { unit, sampling } = command {
            let unit = *unit as usize;
            set(
                &mut self.depth_modes,
                unit,
                sampling.compared_mode.for_compiler(),
            );
            set(&mut self.texture_wraps, unit, sampling.wrap_for_compiler());
            set(&mut self.lod_biases, unit, sampling.lod_bias.into());
        }
    }
}

/// Sets an entry, without leaving initial ones at the end: equal states look the same.
fn set<T: Copy + Default + PartialEq>(list: &mut Vec<T>, index: usize, value: T) {
    if list.len() <= index {
        list.resize(index + 1, T::default());
    }
    list[index] = value;
    let end = list.iter().rposition(|entry| *entry != T::default());
    list.truncate(end.map_or(0, |last| last + 1));
}

/// Programs are compiled again for each state: this bounds how often.
pub(crate) const MAX_STATES: usize = 64;

impl Script {
    /// The states that programs meet and those that loading them makes, each once, in order; at least one, and not many more than [`MAX_STATES`].
    pub(crate) fn program_states(&self) -> Vec<ProgramState> {
        let mut states: Vec<ProgramState> = Vec::new();
        let mut state = ProgramState::default();
        for step in &self.steps {
            state.apply(&step.command, self);
            let runs = matches!(
                step.command,
                Command::Draw(_) | Command::Compute { .. } | Command::Load { .. }
            );
            if states.len() > MAX_STATES {
                break;
            }
            if runs && states.last() != Some(&state) && !states.contains(&state) {
                states.push(state.clone());
            }
        }
        if states.is_empty() {
            states.push(state);
        }
        states
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::{DepthMode, LevelFilter, LodBias, TexelFilter, TextureWrap, WrapMode};

    fn states(commands: &str) -> Vec<ProgramState> {
        let text = format!("[vertex program passthrough]\n[test]\n{commands}\n");
        Script::parse(text.as_bytes()).unwrap().program_states()
    }

    #[test]
    fn draws_see_the_state_before_them() {
        let found = states(
            "texture 2D 1 R8_UNORM (1, 1) 1\ndraw rect -1 -1 2 2\n\
             texparameter 2D wrap_t clamp\ntexparameter 2D mag linear\ndraw rect -1 -1 2 2\n\
             texparameter 2D wrap_t repeat\ncompute 1 1 1\n\
             texparameter 2D depth_mode alpha\ndraw rect -1 -1 2 2\n\
             texparameter 2D depth_mode luminance\ntexparameter 2D lod_bias 0.5\ndraw rect -1 -1 2 2\n\
             texparameter 2D wrap_s clamp",
        );
        let clamped = TextureWrap {
            modes: [WrapMode::Sampler, WrapMode::Clamp, WrapMode::Sampler],
            magnify: TexelFilter::Linear,
            minify: TexelFilter::Nearest,
            levels: LevelFilter::Base,
        };
        let expected = [
            ProgramState::default(),
            ProgramState {
                texture_wraps: vec![TextureWrap::default(), clamped],
                ..ProgramState::default()
            },
            ProgramState {
                depth_modes: vec![DepthMode::Luminance, DepthMode::Alpha],
                ..ProgramState::default()
            },
            ProgramState {
                lod_biases: vec![LodBias::default(), LodBias::from(0.5)],
                ..ProgramState::default()
            },
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn states_are_bounded() {
        let mut commands = String::new();
        for unit in 0..32 {
            for mode in ["clamp", "mirror_clamp", "mirror_clamp_to_border"] {
                commands += &format!(
                    "active_texture {unit}\ntexparameter 2D wrap_s {mode}\ndraw rect -1 -1 2 2\n"
                );
            }
        }
        assert_eq!(states(&commands).len(), MAX_STATES + 1);
    }

    #[test]
    fn scripts_that_run_nothing_have_a_state() {
        assert_eq!(states(""), [ProgramState::default()]);
    }
}
