//! State of draws without a program that affects the programs generated for them.

use super::command::{
    CombinerChannels, CombinerUpdate, Command, EnvironmentMode, FixedCapability, FixedUpdate,
    LightUpdate, MatrixTarget, PointUpdate, StateUpdate, Switch, TexEnvUpdate, TextureEnables,
    TextureShaderUpdate,
};
use crate::format::{Aspect, Encoding};
use crate::texture::{DepthMode, Sampling, TextureShape};
use glasm::fixed_function::{
    BaseFormat, COMBINER_CONSTANTS, ColorMaterial, Combine, CombinerKey, CombinerPortion,
    FixedFragmentKey, FixedVertexKey, FogMode, FogSource, LightKey, LightingKey, MAX_TEXTURE_UNITS,
    NormalScaling, RegisterCombiners, ShaderOperation, TEXTURE_SHADER_CONSTANTS, TexCoordSet,
    TexGenMode, TextureEnvironment, TextureFormatType, TextureShaderKey, TextureShaderStage,
    TextureTarget, TextureUnit, generate_combiner_program, generate_fragment_program,
    generate_texture_shader_program,
};
use glasm::ir::TexTarget;

/// Inputs of the fragment stage that a fixed-function vertex stage produces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FixedVertexOutputs {
    /// Bit for each set of texture coordinates.
    pub texcoords: u8,
    /// Fog coordinate.
    pub fog_coordinate: bool,
}

/// Unit that processes the vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VertexProcessing {
    /// Program.
    Program,
    /// GL itself.
    Fixed,
}

/// State at a draw: GL's initial state except for the fog coordinate, which is an attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixedFunctionState {
    lighting: bool,
    /// Lighting state except for the colors of materials.
    light: LightingKey,
    is_color_material: bool,
    color_material: ColorMaterial,
    normalizes: bool,
    rescales: bool,
    point_attenuation: bool,
    /// True if the size of points has bounds other than the initial ones.
    point_bounds: bool,
    fog: bool,
    fog_mode: FogMode,
    fog_source: FogSource,
    color_sum: bool,
    units: [FixedTextureUnit; MAX_TEXTURE_UNITS],
    has_combiners: bool,
    combiners: RegisterCombiners,
    has_texture_shaders: bool,
    shader_stages: [TextureShaderStage; MAX_TEXTURE_UNITS],
    /// Local parameters of the fragment program, as bits: constant colors of the combiners, vectors
    /// of texture shader stages.
    parameters: [[u32; 4]; PARAMETERS],
}

/// Number of local parameters of the fragment program.
const PARAMETERS: usize = COMBINER_CONSTANTS + TEXTURE_SHADER_CONSTANTS;

/// Texture unit with the set of texture coordinates of the same number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FixedTextureUnit {
    transformed: bool,
    generates: [bool; 4],
    modes: [TexGenMode; 4],
    environment: EnvironmentMode,
    combine: Combine,
    base_format: BaseFormat,
    is_depth: bool,
    compares: bool,
    components: usize,
    /// Base format that the script specifies.
    explicit_format: Option<BaseFormat>,
    depth_modes: [DepthMode; 2],
    /// Target of the texture; `None` without texture.
    target: Option<TexTarget>,
    has_signed_components: bool,
    /// Format type that the script specifies.
    explicit_type: Option<TextureFormatType>,
}

impl Default for FixedTextureUnit {
    fn default() -> Self {
        let depth_mode = Sampling::INITIAL.depth_mode;
        Self {
            transformed: false,
            generates: [false; 4],
            modes: [TexGenMode::EyeLinear; 4],
            environment: EnvironmentMode::default(),
            combine: Combine::default(),
            base_format: BaseFormat::default(),
            is_depth: false,
            compares: false,
            components: 4,
            explicit_format: None,
            depth_modes: [depth_mode; 2],
            target: None,
            has_signed_components: false,
            explicit_type: None,
        }
    }
}

impl Default for FixedFunctionState {
    fn default() -> Self {
        Self {
            lighting: false,
            light: LightingKey::default(),
            is_color_material: false,
            color_material: ColorMaterial::default(),
            normalizes: false,
            rescales: false,
            point_attenuation: false,
            point_bounds: false,
            fog: false,
            fog_mode: FogMode::Exp,
            fog_source: FogSource::FogCoord,
            color_sum: false,
            units: [FixedTextureUnit::default(); MAX_TEXTURE_UNITS],
            has_combiners: false,
            combiners: RegisterCombiners::default(),
            has_texture_shaders: false,
            shader_stages: [TextureShaderStage::default(); MAX_TEXTURE_UNITS],
            parameters: build_initial_parameters(),
        }
    }
}

impl FixedFunctionState {
    /// Records the effect of a command on the state that programs are generated for: changes of GL
    /// state, texture matrices, texture formats and sampling. All other commands are ignored.
    /// Values that programs read at run time are not recorded, only that they may differ from the
    /// initial ones.
    pub(super) fn apply_command(&mut self, command: &Command) {
        if let Command::GlState(update) = command {
            self.apply_state(*update);
        } else if let Command::Matrix {
            target: MatrixTarget::Texture(unit),
            ..
        } = command
        {
            // The program for any matrix is right for the identity, too.
            self.change_unit(*unit, |unit| unit.transformed = true);
        } else if let Command::Texture { unit, update } = command {
            self.change_unit(*unit, |unit| unit.set_shape(&update.shape));
        } else if let Command::Sampling { unit, sampling } = command {
            self.change_unit(*unit, |unit| unit.set_sampling(sampling));
        }
    }

    /// Changes a texture unit; does nothing if draws without programs do not have the unit.
    fn change_unit(&mut self, number: u32, change: impl FnOnce(&mut FixedTextureUnit)) {
        if let Some(unit) = self.units.get_mut(number as usize) {
            change(unit);
        }
    }

    /// Applies a change of GL state to the parts on which the generated programs depend; ignores
    /// values that they read at run time.
    fn apply_state(&mut self, update: StateUpdate) {
        match update {
            StateUpdate::Light(number, update) => {
                if let Some(light) = self.light.lights.get_mut(number as usize) {
                    apply_light(light, update);
                }
            }
            StateUpdate::Point(PointUpdate::Attenuation(factors)) => {
                self.point_attenuation = factors != [1.0, 0.0, 0.0];
            }
            // The program for any bounds is right for the initial ones, too.
            StateUpdate::Point(PointUpdate::Min(_) | PointUpdate::Max(_)) => {
                self.point_bounds = true;
            }
            StateUpdate::Fixed(update) => self.apply_fixed(update),
            StateUpdate::Combiner(update) => self.apply_combiner(update),
            StateUpdate::TextureShader(unit, update) => self.apply_texture_shader(unit, update),
            StateUpdate::Point(_)
            | StateUpdate::Material(..)
            | StateUpdate::LightModelAmbient(_)
            | StateUpdate::Fog(_)
            | StateUpdate::TexEnvColor(..)
            | StateUpdate::TexGen(..)
            | StateUpdate::ClipPlane(..) => {}
        }
    }

    /// Applies a change of the state that only draws without a program see. Ignores lights and
    /// texture units that do not exist.
    fn apply_fixed(&mut self, update: FixedUpdate) {
        match update {
            FixedUpdate::Enable(capability, switch) => {
                if let Some(state) = self.capability_flag(capability) {
                    *state = switch == Switch::On;
                }
            }
            FixedUpdate::LocalViewer(switch) => self.light.local_viewer = switch == Switch::On,
            FixedUpdate::TwoSide(switch) => self.light.two_sided = switch == Switch::On,
            FixedUpdate::SeparateSpecular(switch) => {
                self.light.separate_specular = switch == Switch::On;
            }
            FixedUpdate::ColorMaterial(color_material) => self.color_material = color_material,
            FixedUpdate::FogMode(mode) => self.fog_mode = mode,
            FixedUpdate::FogSource(source) => self.fog_source = source,
            FixedUpdate::TexGenMode(unit, coord, mode) => {
                self.change_unit(unit, |unit| unit.modes[coord as usize] = mode);
            }
            FixedUpdate::TexEnv(unit, update) => {
                self.change_unit(unit, |unit| unit.apply_environment(update));
            }
        }
    }

    /// Applies a change of the register combiners. Constant colors are clamped to [0, 1].
    fn apply_combiner(&mut self, update: CombinerUpdate) {
        match update {
            CombinerUpdate::Count(count) => self.combiners.count = count,
            CombinerUpdate::ColorSumClamp(switch) => {
                self.combiners.clamps_color_sum = switch == Switch::On;
            }
            CombinerUpdate::Constant(number, color) => {
                if let Some(constant) = self.parameters[..COMBINER_CONSTANTS].get_mut(number) {
                    *constant = color.map(|component| component.clamp(0.0, 1.0).to_bits());
                }
            }
            CombinerUpdate::Input(stage, channels, variable, input) => {
                if let Some(portion) = self.find_combiner_portion(stage, channels)
                    && let Some(assigned) = portion.inputs.get_mut(variable)
                {
                    *assigned = input;
                }
            }
            CombinerUpdate::Output(stage, channels, outputs) => {
                if let Some(portion) = self.find_combiner_portion(stage, channels) {
                    portion.outputs = outputs.registers;
                    portion.scale = outputs.scale;
                    portion.has_bias = outputs.has_bias;
                    portion.dot_products = outputs.dot_products;
                    portion.selects = outputs.selects;
                }
            }
            CombinerUpdate::FinalInput(variable, input) => {
                if let Some(assigned) = self.combiners.final_inputs.get_mut(variable) {
                    *assigned = input;
                }
            }
        }
    }

    /// Applies a change of a texture shader stage. Ignores units that do not exist.
    fn apply_texture_shader(&mut self, unit: usize, update: TextureShaderUpdate) {
        let Some(stage) = self.shader_stages.get_mut(unit) else {
            return;
        };
        let first = COMBINER_CONSTANTS + 3 * unit;
        match update {
            TextureShaderUpdate::Operation(operation) => stage.operation = operation,
            TextureShaderUpdate::PreviousInput(unit) => stage.previous_input = unit,
            TextureShaderUpdate::Mapping(mapping) => stage.mapping = mapping,
            TextureShaderUpdate::CullModes(modes) => stage.cull_modes = modes,
            TextureShaderUpdate::OffsetMatrix(matrix) => {
                self.parameters[first] = matrix.map(f32::to_bits);
            }
            TextureShaderUpdate::OffsetScale(scale) => {
                self.parameters[first + 1][0] = scale.to_bits();
            }
            TextureShaderUpdate::OffsetBias(bias) => {
                self.parameters[first + 1][1] = bias.to_bits();
            }
            TextureShaderUpdate::ConstantEye([x, y, z]) => {
                self.parameters[first + 2] = [x, y, z, 0.0].map(f32::to_bits);
            }
        }
    }

    /// Returns a portion of a general combiner stage; `None` for stages that do not exist.
    fn find_combiner_portion(
        &mut self,
        stage: usize,
        channels: CombinerChannels,
    ) -> Option<&mut CombinerPortion> {
        let stage = self.combiners.general.get_mut(stage)?;
        Some(match channels {
            CombinerChannels::Rgb => &mut stage.rgb,
            CombinerChannels::Alpha => &mut stage.alpha,
        })
    }

    /// Returns the flag that `enable` and `disable` set for a capability; `None` for a light or
    /// texture unit that does not exist.
    fn capability_flag(&mut self, capability: FixedCapability) -> Option<&mut bool> {
        Some(match capability {
            FixedCapability::ColorMaterial => &mut self.is_color_material,
            FixedCapability::ColorSum => &mut self.color_sum,
            FixedCapability::Fog => &mut self.fog,
            FixedCapability::Light(number) => {
                &mut self.light.lights.get_mut(number as usize)?.enabled
            }
            FixedCapability::Lighting => &mut self.lighting,
            FixedCapability::Normalize => &mut self.normalizes,
            FixedCapability::PerStageConstants => &mut self.combiners.per_stage_constants,
            FixedCapability::RegisterCombiners => &mut self.has_combiners,
            FixedCapability::RescaleNormal => &mut self.rescales,
            FixedCapability::TextureShader => &mut self.has_texture_shaders,
            FixedCapability::TexGen(unit, coord) => {
                &mut self.units.get_mut(unit as usize)?.generates[coord as usize]
            }
        })
    }

    /// Returns true if back faces have separate colors: lighting is on and two-sided.
    pub fn is_two_sided(&self) -> bool {
        self.lighting && self.light.two_sided
    }

    /// Returns true if the vertex stage has to compute the size of points, because attenuation or
    /// bounds of the size are set.
    pub fn computes_point_size(&self) -> bool {
        self.point_attenuation || self.point_bounds
    }

    /// Returns the key from which the fixed-function vertex program is generated; `reads` are the
    /// outputs that the following stage reads.
    pub fn vertex_key(&self, reads: FixedVertexOutputs) -> FixedVertexKey {
        let color_material = self.is_color_material.then_some(self.color_material);
        let lighting = LightingKey {
            color_material,
            ..self.light
        };
        FixedVertexKey {
            normal_scaling: match (self.normalizes, self.rescales) {
                (true, _) => NormalScaling::Normalize,
                (false, true) => NormalScaling::Rescale,
                (false, false) => NormalScaling::None,
            },
            lighting: self.lighting.then_some(lighting),
            fog_coordinate_source: reads.fog_coordinate.then_some(self.fog_source),
            computes_point_size: self.computes_point_size(),
            tex_coord_sets: std::array::from_fn(|set| {
                let unit = &self.units[set];
                TexCoordSet {
                    is_read: reads.texcoords >> set & 1 != 0,
                    generation_modes: std::array::from_fn(|coord| {
                        if unit.generates[coord] {
                            unit.modes[coord]
                        } else {
                            TexGenMode::None
                        }
                    }),
                    has_texture_matrix: unit.transformed,
                }
            }),
        }
    }

    /// Returns the key from which the fixed-function fragment program is generated; `enables` are
    /// the enabled textures by unit, and `vertices` is the unit that processes the vertices. Colors
    /// are clamped, as in GL's initial state.
    pub fn fragment_key(
        &self,
        enables: &[TextureEnables],
        vertices: VertexProcessing,
    ) -> FixedFragmentKey {
        FixedFragmentKey {
            texture_units: std::array::from_fn(|number| {
                let unit = &self.units[number];
                TextureUnit {
                    target: enables
                        .get(number)
                        .and_then(|enables| enables.effective_target()),
                    base_format: unit.base_format,
                    compares_depth: unit.is_depth && unit.compares,
                    environment: unit.environment_key(),
                }
            }),
            color_sum: self.color_sum || (self.lighting && vertices == VertexProcessing::Fixed),
            fog_mode: self.fog.then_some(self.fog_mode),
            unclamped_colors: false,
        }
    }
}

impl FixedFunctionState {
    /// Returns the mask of the texture coordinate sets that the fragment program for draws without
    /// one reads, or may read: those of texture shader stages, otherwise of enabled units.
    pub fn fragment_coordinate_sets(&self, enables: &[TextureEnables]) -> u8 {
        let is_read = |number: &usize| {
            if self.has_texture_shaders {
                self.shader_stages[*number].operation != ShaderOperation::None
            } else {
                let enables = enables.get(*number);
                enables.is_some_and(|enables| enables.effective_target().is_some())
            }
        };
        let sets = (0..MAX_TEXTURE_UNITS).filter(is_read);
        sets.fold(0, |mask, number| mask | 1 << number)
    }

    /// Returns true if the fragment program is that of texture shaders: they are enabled, or a
    /// texture or an environment is of NV_texture_shader.
    fn needs_texture_shaders(&self) -> bool {
        self.has_texture_shaders
            || self.units.iter().any(|unit| {
                unit.explicit_type.is_some() || unit.environment == EnvironmentMode::None
            })
    }

    /// Returns the key of the program of texture shaders. `fragment` is that of conventional
    /// textures.
    fn texture_shader_key(&self, fragment: FixedFragmentKey) -> TextureShaderKey {
        let mut key = TextureShaderKey {
            fragment,
            depth_texture_mask: self.find_units(|unit| unit.is_depth),
            combiners: self.has_combiners.then_some(self.combiners),
            format_types: self.units.map(|unit| unit.format_type()),
            passing_units: self.find_units(|unit| unit.environment == EnvironmentMode::None),
            stages: self.has_texture_shaders.then_some(self.shader_stages),
        };
        if self.has_texture_shaders {
            for (number, unit) in key.fragment.texture_units.iter_mut().enumerate() {
                let target = self.shader_stages[number].operation.texture_target();
                let own = self.units[number].target;
                unit.target = target.filter(|target| own == Some(get_texture_target(*target)));
            }
        }
        key
    }

    /// Returns the mask of the texture units for which a predicate holds.
    fn find_units(&self, is_wanted: impl Fn(&FixedTextureUnit) -> bool) -> u8 {
        let units = self.units.iter().enumerate();
        let units = units.filter(|(_, unit)| is_wanted(unit));
        units.fold(0, |mask, (number, _)| mask | 1 << number)
    }

    /// Returns the fragment program for draws without one: that of texture shaders or of the
    /// register combiners, if they are enabled, with its parameters as literals, otherwise that of
    /// the fixed functions. `unclamped` states that colors are not clamped; see
    /// [`Self::fragment_key`].
    pub fn generate_fragment_text(
        &self,
        enables: &[TextureEnables],
        vertices: VertexProcessing,
        unclamped: bool,
    ) -> String {
        let key = FixedFragmentKey {
            unclamped_colors: unclamped,
            ..self.fragment_key(enables, vertices)
        };
        let text = if self.needs_texture_shaders() {
            generate_texture_shader_program(&self.texture_shader_key(key))
        } else if self.has_combiners {
            generate_combiner_program(&CombinerKey {
                fragment: key,
                depth_texture_mask: self.find_units(|unit| unit.is_depth),
                combiners: self.combiners,
            })
        } else {
            return generate_fragment_program(&key);
        };
        let constants = self.parameters.iter().enumerate();
        constants.fold(text, |text, (number, color)| {
            let [x, y, z, w] = color.map(f32::from_bits);
            let literal = format!("{{{x:?}, {y:?}, {z:?}, {w:?}}}");
            text.replace(&format!("program.local[{number}]"), &literal)
        })
    }
}

/// Returns the initial parameters: constant colors are 0, offset matrices the identity, scales 1,
/// biases 0, eye vectors (0, 0, -1).
fn build_initial_parameters() -> [[u32; 4]; PARAMETERS] {
    let mut parameters = [[0.0_f32; 4]; PARAMETERS];
    let (stages, _) = parameters[COMBINER_CONSTANTS..].as_chunks_mut();
    for [matrix, scale, eye] in stages {
        *matrix = [1.0, 0.0, 0.0, 1.0];
        *scale = [1.0, 0.0, 0.0, 0.0];
        *eye = [0.0, 0.0, -1.0, 0.0];
    }
    parameters.map(|vector| vector.map(f32::to_bits))
}

/// Returns the target of textures for programs.
fn get_texture_target(target: TextureTarget) -> TexTarget {
    match target {
        TextureTarget::D1 => TexTarget::D1,
        TextureTarget::D2 => TexTarget::D2,
        TextureTarget::D3 => TexTarget::D3,
        TextureTarget::Cube => TexTarget::Cube,
        TextureTarget::Rectangle => TexTarget::Rect,
    }
}

/// Records the properties of a light that the generated program depends on: positional, spot light,
/// attenuated. The modelview matrices of scripts with lights are affine, so that w is unchanged.
fn apply_light(light: &mut LightKey, update: LightUpdate) {
    match update {
        LightUpdate::Position([.., w]) => light.positional = w != 0.0,
        LightUpdate::SpotCutoff(degrees) => light.spot = degrees != 180.0,
        // The program for any attenuation is right for the initial one, too.
        LightUpdate::ConstantAttenuation(_)
        | LightUpdate::LinearAttenuation(_)
        | LightUpdate::QuadraticAttenuation(_) => light.attenuated = true,
        LightUpdate::Ambient(_)
        | LightUpdate::Diffuse(_)
        | LightUpdate::Specular(_)
        | LightUpdate::SpotDirection(_)
        | LightUpdate::SpotExponent(_) => {}
    }
}

impl FixedTextureUnit {
    /// Records target and format of the unit's texture, and derives the base format of the texture
    /// function from it.
    fn set_shape(&mut self, shape: &TextureShape) {
        let format = &shape.format;
        self.target = Some(shape.target);
        self.has_signed_components = format.encoding == Encoding::Snorm;
        self.is_depth = format.aspect == Aspect::Depth;
        self.components = format.channels.len();
        self.resolve_base_format();
    }

    /// Records the depth comparison, base format and depth modes of the unit's sampling, and
    /// derives the base format of the texture function from them.
    fn set_sampling(&mut self, sampling: &Sampling) {
        self.compares = sampling.compare_enable;
        self.explicit_format = sampling.base_format;
        self.explicit_type = sampling.format_type;
        self.depth_modes = [sampling.depth_mode, sampling.comparison_depth_mode];
        self.resolve_base_format();
    }

    /// Returns the format type of the texture: the one that the script specifies, else that of
    /// colors, which are signed if the components of the format are.
    fn format_type(&self) -> TextureFormatType {
        self.explicit_type.unwrap_or(if self.has_signed_components {
            TextureFormatType::SignedRgba
        } else {
            TextureFormatType::UnsignedRgba
        })
    }

    /// Sets the base format of the texture function: that of the depth mode for depth textures,
    /// else the one that the script specifies. Without one, formats of fewer than four components
    /// are treated as RGB, as GL treats red and red with green.
    fn resolve_base_format(&mut self) {
        let resolved = match self.components {
            4 => BaseFormat::Rgba,
            _ => BaseFormat::Rgb,
        };
        self.base_format = if self.is_depth {
            match self.depth_modes[usize::from(self.compares)] {
                DepthMode::Luminance => BaseFormat::Luminance,
                DepthMode::Intensity => BaseFormat::Intensity,
                DepthMode::Alpha => BaseFormat::Alpha,
                DepthMode::Red => BaseFormat::Rgb,
            }
        } else {
            self.explicit_format.unwrap_or(resolved)
        };
    }

    /// Applies a change of the texture environment of a unit: its mode, or a function, source,
    /// operand or scale of its combiner for RGB or alpha.
    fn apply_environment(&mut self, update: TexEnvUpdate) {
        let lanes = match update {
            TexEnvUpdate::Mode(mode) => {
                self.environment = mode;
                return;
            }
            TexEnvUpdate::Function(lanes, _)
            | TexEnvUpdate::Source(lanes, ..)
            | TexEnvUpdate::Operand(lanes, ..)
            | TexEnvUpdate::Scale(lanes, _) => lanes,
        };
        let combiner = match lanes {
            CombinerChannels::Rgb => &mut self.combine.rgb,
            CombinerChannels::Alpha => &mut self.combine.alpha,
        };
        match update {
            TexEnvUpdate::Mode(_) => {}
            TexEnvUpdate::Function(_, function) => combiner.function = function,
            TexEnvUpdate::Source(_, place, source) => combiner.arguments[place].source = source,
            TexEnvUpdate::Operand(_, place, operand) => {
                combiner.arguments[place].operand = operand;
            }
            TexEnvUpdate::Scale(_, scale) => combiner.scale = scale,
        }
    }

    /// Returns the texture environment as a part of the key. `combine4` becomes `combine` with the
    /// equivalent combiners.
    fn environment_key(&self) -> TextureEnvironment {
        match self.environment {
            EnvironmentMode::Modulate | EnvironmentMode::None => TextureEnvironment::Modulate,
            EnvironmentMode::Replace => TextureEnvironment::Replace,
            EnvironmentMode::Decal => TextureEnvironment::Decal,
            EnvironmentMode::Blend => TextureEnvironment::Blend,
            EnvironmentMode::Add => TextureEnvironment::Add,
            EnvironmentMode::Combine => TextureEnvironment::Combine(self.combine),
            EnvironmentMode::Combine4 => TextureEnvironment::Combine(Combine {
                rgb: self.combine.rgb.with_combine4_semantics(),
                alpha: self.combine.alpha.with_combine4_semantics(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Script;
    use super::*;
    use glasm::fixed_function::{
        CombineFunction, CombineScale, CombineSource, MaterialFaces, MaterialMode, TextureTarget,
    };

    /// Returns the state after all commands of a test section.
    fn state(commands: &str) -> FixedFunctionState {
        let text = format!("[require]\nGL >= 1.3\n[test]\n{commands}\n");
        let script = Script::parse(text.as_bytes()).unwrap();
        let mut state = FixedFunctionState::default();
        for step in &script.steps {
            state.apply_command(&step.command);
        }
        state
    }

    #[test]
    fn the_initial_state_is_that_of_the_library() {
        let state = state("");
        assert_eq!(
            state.vertex_key(FixedVertexOutputs::default()),
            FixedVertexKey::default()
        );
        assert_eq!(
            state.fragment_key(&[], VertexProcessing::Fixed),
            FixedFragmentKey::default()
        );
    }

    #[test]
    fn what_is_off_does_not_count() {
        let state = state(
            "enable GL_LIGHT0\nlight 0 position 1 2 3 1\nlightmodel two_side on\ncolormaterial front specular\nfog mode linear\n\
             texgen 0 s mode sphere_map\npoint attenuation 1 0 0",
        );
        let mut expected = FixedVertexKey::default();
        expected.tex_coord_sets[0].is_read = true;
        let reads = FixedVertexOutputs {
            texcoords: 1,
            fog_coordinate: false,
        };
        assert_eq!(state.vertex_key(reads), expected);
        assert_eq!(
            state.fragment_key(&[], VertexProcessing::Fixed),
            FixedFragmentKey::default()
        );
        assert!(!state.is_two_sided());
    }

    #[test]
    fn lighting_by_its_commands() {
        let state = state(
            "enable GL_LIGHTING\nenable GL_LIGHT1\nlight 1 position 1 2 3 1\nlight 1 spot_cutoff 30\nlight 1 linear_attenuation 1\n\
             enable GL_LIGHT2\nlight 2 position 1 2 3 0\nlightmodel two_side on\nlightmodel local_viewer on\nenable GL_COLOR_MATERIAL\n\
             colormaterial back diffuse\nenable GL_RESCALE_NORMAL",
        );
        let key = state.vertex_key(FixedVertexOutputs::default());
        let lighting = key.lighting.unwrap();
        let [first, second, third, ..] = lighting.lights;
        assert_eq!(first, LightKey::default());
        assert!(second.enabled && second.positional && second.spot && second.attenuated);
        assert!(third.enabled && !third.positional && !third.spot && !third.attenuated);
        assert!(lighting.two_sided && lighting.local_viewer && !lighting.separate_specular);
        let color_material = ColorMaterial {
            faces: MaterialFaces::Back,
            mode: MaterialMode::Diffuse,
        };
        assert_eq!(lighting.color_material, Some(color_material));
        assert_eq!(key.normal_scaling, NormalScaling::Rescale);
        // Lighting enables the color sum if there is no vertex program.
        assert!(
            state.fragment_key(&[], VertexProcessing::Fixed).color_sum
                && !state.fragment_key(&[], VertexProcessing::Program).color_sum
        );
    }

    #[test]
    fn units_by_their_commands() {
        let state = state(
            "texture 2D 1 R8_UNORM (1, 1) 1\ntexparameter 2D base_format intensity\nenable GL_TEXTURE_2D\n\
             texenv 1 mode combine\ntexenv 1 combine_alpha add\ntexenv 1 src1_rgb texture0\ntexenv 1 rgb_scale 4\n\
             texture 2D 2 D32_SFLOAT (1, 1) 1\ntexparameter 2D depth_mode alpha\ntexparameter 2D compare_mode ref_to_texture\n\
             matrix texture 2 scale 2 2 2\nenable GL_TEXTURE_GEN_T\ntexgen 2 t mode object_linear",
        );
        let mut enables = [TextureEnables::default(); 2];
        enables[1].set("GL_TEXTURE_2D", Switch::On);
        let [first, second, third, ..] = state
            .fragment_key(&enables, VertexProcessing::Fixed)
            .texture_units;
        assert_eq!(first, TextureUnit::default());
        assert_eq!(second.target, Some(TextureTarget::D2));
        assert_eq!(second.base_format, BaseFormat::Intensity);
        let mut combine = Combine::default();
        combine.alpha.function = CombineFunction::Add;
        combine.rgb.arguments[1].source = CombineSource::TextureUnit(0);
        combine.rgb.scale = CombineScale::Four;
        assert_eq!(second.environment, TextureEnvironment::Combine(combine));
        assert_eq!(third.base_format, BaseFormat::Alpha);
        assert!(third.compares_depth && third.target.is_none());
        let reads = FixedVertexOutputs {
            texcoords: 0b100,
            fog_coordinate: true,
        };
        let key = state.vertex_key(reads);
        assert_eq!(key.fog_coordinate_source, Some(FogSource::FogCoord));
        let set = key.tex_coord_sets[2];
        assert!(set.is_read && set.has_texture_matrix && !key.tex_coord_sets[1].is_read);
        let mut generated = [TexGenMode::None; 4];
        generated[1] = TexGenMode::ObjectLinear;
        assert_eq!(set.generation_modes, generated);
    }
}
