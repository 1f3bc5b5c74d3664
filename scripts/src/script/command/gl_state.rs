//! Changes of GL state: state that programs read, and state that only draws without a program see.

use glasm::PointOrigin;
use glasm::fixed_function::{
    ColorMaterial, CombineFunction, CombineOperand, CombineScale, CombineSource, CombinerInput,
    CombinerRegister, CullMode, DotProductMapping, FogMode, FogSource, OutputScale,
    ShaderOperation, TexGenMode,
};
use glasm::state::{Color, Face, TexGenCoord, TexGenPlane};

/// Change of GL state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum StateUpdate {
    /// Property of a light.
    Light(u32, LightUpdate),
    /// Property of the material of one face or both.
    Material(Faces, MaterialUpdate),
    /// Ambient color of the light model.
    LightModelAmbient(Color),
    /// Property of fog.
    Fog(FogUpdate),
    /// Property of points.
    Point(PointUpdate),
    /// Texture environment color of a unit.
    TexEnvColor(u32, Color),
    /// Plane of texture coordinate generation; eye planes are in object space.
    TexGen(u32, TexGenCoord, TexGenPlane, [f32; 4]),
    /// Clip plane in object space.
    ClipPlane(u32, [f32; 4]),
    /// State that only affects draws without a program.
    Fixed(FixedUpdate),
    /// Register combiners, which draws without a fragment program see.
    Combiner(CombinerUpdate),
    /// Texture shader stage of a unit, which draws without a fragment program see.
    TextureShader(usize, TextureShaderUpdate),
}

/// Faces of a material.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Faces {
    /// This one.
    One(Face),
    /// `GL_FRONT_AND_BACK`
    Both,
}

/// Invokes a macro with the tables of the properties that commands set. Columns: variant with its
/// value, word of the command, function that parses the value, change of the state. The type in
/// brackets is that of the light or face of the command, an argument of the change.
macro_rules! state_properties {
    ($callback:ident) => { $callback! {
        /// Property of a light; position and direction are in object space.
        LightUpdate LIGHT [u32] {
            /// `GL_AMBIENT`
            Ambient(Color) "ambient" parse_color |state, n, it| state.light_mut(n).ambient = it;
            /// `GL_DIFFUSE`
            Diffuse(Color) "diffuse" parse_color |state, n, it| state.light_mut(n).diffuse = it;
            /// `GL_SPECULAR`
            Specular(Color) "specular" parse_color |state, n, it| state.light_mut(n).specular = it;
            /// `GL_POSITION`
            Position([f32; 4]) "position" parse_coordinates |state, n, it| state.set_light_position(n, it);
            /// `GL_SPOT_DIRECTION`
            SpotDirection([f32; 3]) "spot_direction" parse_coordinates |state, n, it| state.set_light_spot_direction(n, it);
            /// `GL_SPOT_EXPONENT`, 0 to 128.
            SpotExponent(f32) "spot_exponent" parse_exponent |state, n, it| state.light_mut(n).spot_exponent = it;
            /// `GL_SPOT_CUTOFF` in degrees, 0 to 90 or 180.
            SpotCutoff(f32) "spot_cutoff" parse_cutoff |state, n, it| state.light_mut(n).spot_cutoff = it;
            /// `GL_CONSTANT_ATTENUATION`
            ConstantAttenuation(f32) "constant_attenuation" parse_not_negative |state, n, it| state.light_mut(n).attenuation[0] = it;
            /// `GL_LINEAR_ATTENUATION`
            LinearAttenuation(f32) "linear_attenuation" parse_not_negative |state, n, it| state.light_mut(n).attenuation[1] = it;
            /// `GL_QUADRATIC_ATTENUATION`
            QuadraticAttenuation(f32) "quadratic_attenuation" parse_not_negative |state, n, it| state.light_mut(n).attenuation[2] = it;
        }
        /// Property of a material.
        MaterialUpdate MATERIAL [Face] {
            /// `GL_AMBIENT`
            Ambient(Color) "ambient" parse_color |state, face, it| state.material_mut(face).ambient = it;
            /// `GL_DIFFUSE`
            Diffuse(Color) "diffuse" parse_color |state, face, it| state.material_mut(face).diffuse = it;
            /// `GL_SPECULAR`
            Specular(Color) "specular" parse_color |state, face, it| state.material_mut(face).specular = it;
            /// `GL_EMISSION`
            Emission(Color) "emission" parse_color |state, face, it| state.material_mut(face).emission = it;
            /// `GL_AMBIENT_AND_DIFFUSE`
            AmbientAndDiffuse(Color) "ambient_and_diffuse" parse_color |state, face, it| {
                let material = state.material_mut(face);
                (material.ambient, material.diffuse) = (it, it);
            };
            /// `GL_SHININESS`, 0 to 128.
            Shininess(f32) "shininess" parse_exponent |state, face, it| state.material_mut(face).shininess = it;
        }
        /// Property of fog.
        FogUpdate FOG [()] {
            /// `GL_FOG_COLOR`
            Color(Color) "color" parse_color |state, (), it| state.fog.color = it;
            /// `GL_FOG_DENSITY`, not negative.
            Density(f32) "density" parse_not_negative |state, (), it| state.fog.density = it;
            /// `GL_FOG_START`, a distance in eye space.
            Start(f32) "start" parse_distance |state, (), it| state.fog.start = it;
            /// `GL_FOG_END`, a distance in eye space.
            End(f32) "end" parse_distance |state, (), it| state.fog.end = it;
        }
        /// Property of points.
        PointUpdate POINT [()] {
            /// `GL_POINT_SIZE` in pixels.
            Size(f32) "size" parse_positive |state, (), it| state.point.size = it;
            /// `GL_POINT_SIZE_MIN` in pixels.
            Min(f32) "min" parse_not_negative |state, (), it| state.point.min = it;
            /// `GL_POINT_SIZE_MAX` in pixels.
            Max(f32) "max" parse_not_negative |state, (), it| state.point.max = it;
            /// `GL_POINT_FADE_THRESHOLD_SIZE` in pixels.
            Fade(f32) "fade" parse_not_negative |state, (), it| state.point.fade_threshold = it;
            /// `GL_POINT_DISTANCE_ATTENUATION`: factors of the distance to the powers 0, 1 and 2.
            Attenuation([f32; 3]) "attenuation" parse_factors |state, (), it| state.point.attenuation = it;
            /// `GL_POINT_SPRITE_COORD_ORIGIN`, for which programs are compiled.
            SpriteOrigin(PointOrigin) "sprite_origin" parse_origin |_, (), _| ();
        }
    } };
}
pub(crate) use state_properties;

macro_rules! enumerations {
    ($($(#[$doc:meta])* $update:ident $table:ident [$named:ty] {
        $($(#[$property:meta])* $variant:ident($value:ty) $word:literal $parse:ident $set:expr;)*
    })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub enum $update {
            $($(#[$property])* $variant($value),)*
        }
    )* };
}

state_properties! { enumerations }

/// Change of the register combiners: NV_register_combiners, NV_register_combiners2.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum CombinerUpdate {
    /// `GL_NUM_GENERAL_COMBINERS_NV`
    Count(u8),
    /// `GL_COLOR_SUM_CLAMP_NV`
    ColorSumClamp(Switch),
    /// `GL_CONSTANT_COLOR0_NV` and `GL_CONSTANT_COLOR1_NV`, then those of each stage, by number.
    Constant(usize, Color),
    /// `glCombinerInputNV`: stage, portion, variable.
    Input(usize, CombinerChannels, usize, CombinerInput),
    /// `glCombinerOutputNV`: stage, portion.
    Output(usize, CombinerChannels, CombinerOutputs),
    /// `glFinalCombinerInputNV`: variable.
    FinalInput(usize, CombinerInput),
}

/// Outputs of a portion of a general combiner stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CombinerOutputs {
    /// Registers of AB, CD and their sum; `None` discards the output.
    pub registers: [Option<CombinerRegister>; 3],
    /// Scale of all outputs.
    pub scale: OutputScale,
    /// -1/2 is added before the scale.
    pub has_bias: bool,
    /// AB and CD are dot products.
    pub dot_products: [bool; 2],
    /// The sum is AB or CD.
    pub selects: bool,
}

/// Change of a texture shader stage: NV_texture_shader, NV_texture_shader3.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TextureShaderUpdate {
    /// `GL_SHADER_OPERATION_NV`
    Operation(ShaderOperation),
    /// `GL_PREVIOUS_TEXTURE_INPUT_NV`
    PreviousInput(u8),
    /// `GL_RGBA_UNSIGNED_DOT_PRODUCT_MAPPING_NV`
    Mapping(DotProductMapping),
    /// `GL_CULL_MODES_NV`
    CullModes([CullMode; 4]),
    /// `GL_OFFSET_TEXTURE_MATRIX_NV`
    OffsetMatrix([f32; 4]),
    /// `GL_OFFSET_TEXTURE_SCALE_NV`
    OffsetScale(f32),
    /// `GL_OFFSET_TEXTURE_BIAS_NV`
    OffsetBias(f32),
    /// `GL_CONST_EYE_NV`
    ConstantEye([f32; 3]),
}

/// State of a capability: on or off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switch {
    /// `enable`
    On,
    /// `disable`
    Off,
}

/// Change of state that only draws without a program see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FixedUpdate {
    /// `enable` and `disable`.
    Enable(FixedCapability, Switch),
    /// `GL_LIGHT_MODEL_LOCAL_VIEWER`
    LocalViewer(Switch),
    /// `GL_LIGHT_MODEL_TWO_SIDE`
    TwoSide(Switch),
    /// `GL_LIGHT_MODEL_COLOR_CONTROL`: on for `GL_SEPARATE_SPECULAR_COLOR`.
    SeparateSpecular(Switch),
    /// `glColorMaterial`
    ColorMaterial(ColorMaterial),
    /// `GL_FOG_MODE`
    FogMode(FogMode),
    /// `GL_FOG_COORD_SRC`
    FogSource(FogSource),
    /// `GL_TEXTURE_GEN_MODE` of a coordinate of a unit.
    TexGenMode(u32, TexGenCoord, TexGenMode),
    /// Texture environment of a unit.
    TexEnv(u32, TexEnvUpdate),
}

/// Capabilities that `enable` accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FixedCapability {
    /// `GL_COLOR_MATERIAL`
    ColorMaterial,
    /// `GL_COLOR_SUM`
    ColorSum,
    /// `GL_FOG`
    Fog,
    /// `GL_LIGHTn`
    Light(u32),
    /// `GL_LIGHTING`
    Lighting,
    /// `GL_NORMALIZE`
    Normalize,
    /// `GL_PER_STAGE_CONSTANTS_NV`
    PerStageConstants,
    /// `GL_REGISTER_COMBINERS_NV`
    RegisterCombiners,
    /// `GL_RESCALE_NORMAL`
    RescaleNormal,
    /// `GL_TEXTURE_GEN_S`, `GL_TEXTURE_GEN_T`, `GL_TEXTURE_GEN_R` or `GL_TEXTURE_GEN_Q` of a unit.
    TexGen(u32, TexGenCoord),
    /// `GL_TEXTURE_SHADER_NV`
    TextureShader,
}

/// Property of a texture environment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TexEnvUpdate {
    /// `GL_TEXTURE_ENV_MODE`
    Mode(EnvironmentMode),
    /// `GL_COMBINE_RGB` or `GL_COMBINE_ALPHA`
    Function(CombinerChannels, CombineFunction),
    /// `GL_SRCn_RGB` or `GL_SRCn_ALPHA`
    Source(CombinerChannels, usize, CombineSource),
    /// `GL_OPERANDn_RGB` or `GL_OPERANDn_ALPHA`
    Operand(CombinerChannels, usize, CombineOperand),
    /// `GL_RGB_SCALE` or `GL_ALPHA_SCALE`
    Scale(CombinerChannels, CombineScale),
}

/// `GL_TEXTURE_ENV_MODE`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EnvironmentMode {
    /// `GL_MODULATE`
    #[default]
    Modulate,
    /// `GL_REPLACE`
    Replace,
    /// `GL_DECAL`
    Decal,
    /// `GL_BLEND`
    Blend,
    /// `GL_ADD`
    Add,
    /// `GL_COMBINE`
    Combine,
    /// `GL_COMBINE4_NV`
    Combine4,
    /// `GL_NONE`: NV_texture_shader.
    None,
}

/// Components that a function of texture combiners computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CombinerChannels {
    /// Red, green and blue.
    Rgb,
    /// Alpha.
    Alpha,
}
