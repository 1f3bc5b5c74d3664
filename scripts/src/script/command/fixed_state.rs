//! Changes of state that only draws without a program see.

use glasm::fixed_function::{
    ColorMaterial, CombineFunction, CombineOperand, CombineSource, FogMode, FogSource, Scale,
    TexGenMode,
};
use glasm::state::TexGenCoord;

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
    /// `GL_RESCALE_NORMAL`
    RescaleNormal,
    /// `GL_TEXTURE_GEN_S`, `GL_TEXTURE_GEN_T`, `GL_TEXTURE_GEN_R` or `GL_TEXTURE_GEN_Q` of a unit.
    TexGen(u32, TexGenCoord),
}

/// Property of a texture environment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TexEnvUpdate {
    /// `GL_TEXTURE_ENV_MODE`
    Mode(EnvironmentMode),
    /// `GL_COMBINE_RGB` or `GL_COMBINE_ALPHA`
    Function(CombinedLanes, CombineFunction),
    /// `GL_SRCn_RGB` or `GL_SRCn_ALPHA`
    Source(CombinedLanes, usize, CombineSource),
    /// `GL_OPERANDn_RGB` or `GL_OPERANDn_ALPHA`
    Operand(CombinedLanes, usize, CombineOperand),
    /// `GL_RGB_SCALE` or `GL_ALPHA_SCALE`
    Scale(CombinedLanes, Scale),
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
}

/// Components that a function of texture combiners computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CombinedLanes {
    /// Red, green and blue.
    Rgb,
    /// Alpha.
    Alpha,
}
