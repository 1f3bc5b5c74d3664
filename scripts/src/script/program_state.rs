//! GL state that programs are compiled for. It changes while a script runs: for each state in
//! effect at a draw or dispatch there are separate modules.

use super::command::{
    Command, Draw, GlOutcome, ParamBank, PointUpdate, PrimitiveAssembly, StateUpdate,
    TextureEnables,
};
use super::fixed_function_key::FixedFunctionState;
use super::model::Script;
use super::section::{ProgramForm, ProgramSection};
use glasm::ir::Stage;

/// State at a draw or dispatch. Units without entry, and unspecified properties of entries, are in
/// the initial state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProgramState {
    /// Components that depth comparisons write, by texture image unit.
    pub depth_modes: Vec<glasm::DepthMode>,
    /// Bits of the size of all points; `None` leaves it to programs.
    pub point_size: Option<u32>,
    /// Bits of GL's `POINT_SIZE`, the size of points of programs that write none, if it was set;
    /// otherwise that is 1. Only for scripts that draw points. NV_vertex_program section 2.14.1.5.
    pub unwritten_point_size: Option<u32>,
    /// Maximum number of vertices that the geometry program emits, which overrides its declaration.
    pub vertex_limit: Option<u32>,
    /// Input patches of geometry programs without a tessellation control program; `None` if the
    /// script has no such program, and before the first draw.
    pub patch: Option<PatchState>,
    /// Primitive numbering of the draw, if there are programs that may read it.
    pub primitive_numbers: glasm::PrimitiveIdMode,
    /// Origin of point coordinates.
    pub point_origin: glasm::PointOrigin,
    /// Indices of the loaded alternate programs, at most one per stage.
    pub loaded: Vec<usize>,
    /// Textures that are enabled for draws without fragment program, by texture image unit.
    pub texture_enables: Vec<TextureEnables>,
    /// Wrap modes that samplers lack, by texture image unit.
    pub texture_wraps: Vec<glasm::TextureWrap>,
    /// Biases of levels of detail, by texture image unit.
    pub lod_biases: Vec<glasm::LodBias>,
    /// True for signed HILO textures, by texture image unit.
    pub signed_hilo: Vec<bool>,
    /// State of the stages without program, in scripts that have some.
    pub fixed: FixedFunctionState,
}

/// Patches without tessellation programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PatchState {
    /// Number of vertices.
    pub vertices: u8,
    /// Their levels.
    pub levels: glasm::DefaultTessLevels,
}

impl Default for PatchState {
    /// Returns GL's initial state.
    fn default() -> Self {
        Self {
            vertices: 3,
            levels: glasm::DefaultTessLevels::default(),
        }
    }
}

impl ProgramState {
    /// Updates the state that programs are compiled for with the effects of a command. Failing
    /// loads and rejected limits have no effect.
    pub fn apply_command(&mut self, command: &Command, script: &Script) {
        // Among all commands only draws number primitives, each differently.
        self.primitive_numbers = glasm::PrimitiveIdMode::PerPrimitive;
        let mut programs = script.programs.iter();
        // Other scripts would have states that differ in nothing that affects compilation, and
        // compile their programs for each.
        if programs.any(|program| program.form == ProgramForm::FixedFunction) {
            self.fixed.apply_command(command);
        }
        if let Command::Draw(draw) = command {
            self.apply_draw(draw, script);
        } else if let Command::Load {
            alternate,
            error: None,
        } = command
        {
            let stage = script.alternate_stage(*alternate);
            self.loaded
                .retain(|old| script.alternate_stage(*old) != stage);
            // Each geometry program declares a separate limit: NV_geometry_program4 section
            // 2.14.6.4.
            if stage == Stage::Geometry {
                self.vertex_limit = None;
            }
            self.loaded.push(*alternate);
            self.loaded.sort_unstable();
        } else if let Command::StateProgram { alternate, .. } = command {
            // Vertex state programs are treated as programs of the compute stage. The one that is
            // executed replaces the last; one without a name is not reloadable.
            let is_other = |old: &usize| script.alternate_stage(*old) != Stage::Compute;
            self.loaded.retain(is_other);
            self.loaded.extend(*alternate);
            self.loaded.sort_unstable();
        } else if let Command::GlState(StateUpdate::Point(PointUpdate::SpriteOrigin(origin))) =
            command
        {
            self.point_origin = *origin;
        } else if let Command::GlState(StateUpdate::Point(PointUpdate::Size(size))) = command {
            // Scripts without points would compile their programs again without need.
            let bits = script.draws_points().then_some(size.to_bits());
            self.unwritten_point_size = bits;
        } else if let Command::VertexLimit {
            limit,
            outcome: GlOutcome::Accepted,
        } = command
        {
            self.vertex_limit = u32::try_from(*limit).ok();
        } else if let Command::FixedPointSize(size) = command {
            self.point_size = size.map(f32::to_bits);
        } else if let Command::TextureEnables { unit, enables } = command {
            set_and_trim(&mut self.texture_enables, *unit as usize, *enables);
        } else if let Command::Sampling { unit, sampling } = command {
            let unit = *unit as usize;
            set_and_trim(
                &mut self.depth_modes,
                unit,
                sampling.comparison_depth_mode.to_compiler(),
            );
            set_and_trim(&mut self.texture_wraps, unit, sampling.compiler_wrap());
            set_and_trim(&mut self.lod_biases, unit, sampling.lod_bias.into());
            set_and_trim(&mut self.signed_hilo, unit, sampling.is_signed_hilo());
        }
    }
}

impl ProgramState {
    /// Records the numbering of the primitives of a draw, and its patches if the script has a
    /// geometry program but no tessellation programs.
    fn apply_draw(&mut self, draw: &Draw, script: &Script) {
        let has = |stage| {
            let mut programs = script.programs.iter();
            programs.any(|program| program.stage == stage)
        };
        self.primitive_numbers = match draw.assembly {
            PrimitiveAssembly::Quads | PrimitiveAssembly::QuadStrip => {
                glasm::PrimitiveIdMode::PerQuad
            }
            PrimitiveAssembly::Polygon => glasm::PrimitiveIdMode::Constant,
            PrimitiveAssembly::Direct | PrimitiveAssembly::LineLoop => {
                glasm::PrimitiveIdMode::PerPrimitive
            }
        };
        if has(Stage::Geometry) && !has(Stage::TessControl) && !has(Stage::TessEval) {
            let [a, b, c, d, e, f] = draw.state.tess_levels;
            self.patch = Some(PatchState {
                // The parser accepts 32 at most.
                vertices: draw.state.patch_control_points as u8,
                levels: glasm::DefaultTessLevels::new([a, b, c, d], [e, f]),
            });
        }
    }

    /// Returns the program of a stage: the loaded one, else that of the script, of several that are
    /// linked together the first. `None` if the stage has no program.
    pub fn program<'s>(&self, script: &'s Script, stage: Stage) -> Option<&'s ProgramSection> {
        let mut loaded = self
            .loaded
            .iter()
            .map(|alternate| &script.alternates[*alternate].program);
        let loaded = loaded.find(|program| program.stage == stage);
        loaded.or_else(|| {
            script
                .programs
                .iter()
                .find(|program| program.stage == stage)
        })
    }
}

/// Sets an entry, extends the list if necessary, and removes default values at its end: equal
/// states have equal representations.
fn set_and_trim<T: Copy + Default + PartialEq>(list: &mut Vec<T>, index: usize, value: T) {
    if list.len() <= index {
        list.resize(index + 1, T::default());
    }
    list[index] = value;
    let end = list.iter().rposition(|entry| *entry != T::default());
    list.truncate(end.map_or(0, |last| last + 1));
}

/// Programs are compiled again for each state: this bounds how often.
pub const MAX_STATES: usize = 64;

impl Script {
    /// Returns the states in effect when programs run or are loaded, or their named parameters are
    /// accessed, each once, in order; at least one. Stops after more than [`MAX_STATES`].
    pub fn program_states(&self) -> Vec<ProgramState> {
        let mut states: Vec<ProgramState> = Vec::new();
        let mut state = ProgramState::default();
        for step in &self.steps {
            state.apply_command(&step.command, self);
            // The resources that programs name are known only for programs that are present.
            let runs = matches!(
                step.command,
                Command::Draw(_)
                    | Command::Compute { .. }
                    | Command::Load { .. }
                    | Command::StateProgram { .. }
                    | Command::Parameter {
                        bank: ParamBank::Named,
                        ..
                    }
                    | Command::ProbeParameter {
                        bank: ParamBank::Named,
                        ..
                    }
                    | Command::CompareParameter {
                        bank: ParamBank::Named,
                        ..
                    }
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
    use glasm::fixed_function::TextureTarget;
    use glasm::{DepthMode, LodBias, MipFilter, TexelFilter, TextureWrap, WrapMode};

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
            wrap_modes: [WrapMode::BySampler, WrapMode::Clamp, WrapMode::BySampler],
            mag_filter: TexelFilter::Linear,
            min_filter: TexelFilter::Nearest,
            mip_filter: MipFilter::None,
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
    fn sizes_of_points_count_while_programs_have_no_say() {
        let draw = "draw rect -1 -1 2 2";
        let found = states(&format!(
            "{draw}\npoint size 3\n{draw}\ndisable GL_PROGRAM_POINT_SIZE\n{draw}\npoint size 5\n{draw}\n\
             enable GL_PROGRAM_POINT_SIZE\n{draw}"
        ));
        let sizes: Vec<_> = found
            .iter()
            .map(|state| state.point_size.map(f32::from_bits))
            .collect();
        assert_eq!(sizes, [None, Some(3.0), Some(5.0)]);
    }

    #[test]
    fn textures_are_enabled_by_unit() {
        let found = states(
            "active_texture 2\nenable GL_TEXTURE_1D\nenable GL_TEXTURE_3D\nenable GL_TEXTURE_RECTANGLE\n\
             draw rect -1 -1 2 2\ndisable GL_TEXTURE_3D\ndraw rect -1 -1 2 2",
        );
        let targets: Vec<Vec<_>> = found
            .iter()
            .map(|state| {
                state
                    .texture_enables
                    .iter()
                    .map(|unit| unit.effective_target())
                    .collect()
            })
            .collect();
        assert_eq!(
            targets,
            [
                [None, None, Some(TextureTarget::D3)],
                [None, None, Some(TextureTarget::Rectangle)]
            ]
        );
        for (line, message) in [
            ("enable GL_TEXTURE_4D", "`GL_TEXTURE_4D` is not supported"),
            (
                "active_texture 8\nenable GL_TEXTURE_2D",
                "texture image unit 8 is for programs only",
            ),
        ] {
            let errors = Script::parse(format!("[test]\n{line}\n").as_bytes()).unwrap_err();
            assert_eq!(errors[0].message, message);
        }
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
