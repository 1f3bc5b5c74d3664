//! The state that determines the programs of the fixed functions.

use crate::state::Light;

/// Number of lights (`MAX_LIGHTS`).
pub const MAX_LIGHTS: usize = 8;
/// Number of texture units and texture coordinate sets (`MAX_TEXTURE_UNITS`).
pub const MAX_TEXTURE_UNITS: usize = 8;

/// Key of the program for GL's vertex processing. The default is GL's initial state. GL 2.1
/// sections 2.11 and 2.14.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct FixedVertexKey {
    /// Scaling of normals after the modelview matrix.
    pub normal_scaling: NormalScaling,
    /// `LIGHTING`; without it colors pass through unchanged.
    pub lighting: Option<LightingKey>,
    /// The fog coordinate for the fragment stage; `None` if it reads none.
    pub fog_coordinate_source: Option<FogSource>,
    /// The program computes the point size: `POINT_DISTANCE_ATTENUATION` is not (1, 0, 0), or
    /// `POINT_SIZE` is outside of `POINT_SIZE_MIN` and `POINT_SIZE_MAX`. Otherwise it writes none,
    /// and [`PipelineState::default_point_size`](crate::PipelineState) specifies it. GL 2.1 section
    /// 3.3.
    pub computes_point_size: bool,
    /// Texture coordinates by set.
    pub tex_coord_sets: [TexCoordSet; MAX_TEXTURE_UNITS],
}

/// `NORMALIZE` and `RESCALE_NORMAL`. GL 2.1 section 2.11.3.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum NormalScaling {
    /// Normals are not scaled.
    #[default]
    None,
    /// `RESCALE_NORMAL`: multiplied by a factor that compensates a uniform scale of the matrix.
    Rescale,
    /// `NORMALIZE`, with or without `RESCALE_NORMAL`.
    Normalize,
}

/// Key of lighting. GL 2.1 section 2.14.1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct LightingKey {
    /// The lights.
    pub lights: [LightKey; MAX_LIGHTS],
    /// `LIGHT_MODEL_LOCAL_VIEWER`
    pub local_viewer: bool,
    /// `LIGHT_MODEL_TWO_SIDE`: back colors are also written.
    /// [`PipelineState::two_sided_color`](crate::PipelineState) of the fragment stage selects one
    /// of them.
    pub two_sided: bool,
    /// `LIGHT_MODEL_COLOR_CONTROL` is `SEPARATE_SPECULAR_COLOR`. The color sum adds it:
    /// [`FixedFragmentKey::color_sum`].
    pub separate_specular: bool,
    /// `COLOR_MATERIAL`: the material colors that are the vertex color.
    pub color_material: Option<ColorMaterial>,
    /// Bit n: the part of the material changes between `glBegin` and `glEnd`, and is the vertex
    /// attribute that [`MATERIAL_ATTRIBUTES`] names; see
    /// [`FixedVertexKey::find_material_attributes`].
    pub material_attributes: u16,
}

/// Indices of vertex attributes that can be materials: ambient, diffuse, specular and emissive
/// color and shininess of the front, then of the back. Attributes 0 to 5, except the weight, are
/// conventional attributes, and those from 8 on are texture coordinates.
// Attributes without a conventional use first; texture coordinate sets from the last one down,
// because applications use low sets first.
pub const MATERIAL_ATTRIBUTES: [u8; 10] = [7, 6, 1, 15, 14, 12, 13, 11, 10, 9];

/// Key of a light. GL 2.1 section 2.14.1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct LightKey {
    /// `LIGHTn`
    pub enabled: bool,
    /// w of its position is not 0.
    pub positional: bool,
    /// Its attenuation is not (1, 0, 0). Ignored for lights that are not positional.
    pub attenuated: bool,
    /// Its cutoff is not 180 degrees.
    pub spot: bool,
}

impl FixedVertexKey {
    /// Returns a mask; bit n: attribute n of [`MATERIAL_ATTRIBUTES`] is part of the material, as
    /// [`LightingKey::material_attributes`] requests. Texture coordinates that are read have
    /// priority: their attributes are excluded.
    pub fn find_material_attributes(&self) -> u16 {
        let wanted = self.lighting.map_or(0, |it| it.material_attributes);
        let is_free = |number: u8| match number.checked_sub(8) {
            Some(set) => !self.tex_coord_sets[usize::from(set)].is_read,
            None => true,
        };
        let free = MATERIAL_ATTRIBUTES.iter().enumerate();
        let free = free.filter(|(_, number)| is_free(**number));
        free.fold(0, |mask, (place, _)| mask | 1 << place) & wanted
    }
}

impl LightKey {
    /// Returns the properties of an enabled light that determine its code: position, attenuation
    /// and spot.
    pub fn from_light(light: &Light) -> Self {
        Self {
            enabled: true,
            positional: light.position[3] != 0.0,
            attenuated: light.attenuation != [1.0, 0.0, 0.0],
            spot: light.spot_cutoff != 180.0,
        }
    }
}

/// `glColorMaterial`. The default is GL's. GL 2.1 section 2.14.3.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct ColorMaterial {
    /// Faces whose material it is.
    pub faces: MaterialFaces,
    /// Colors of the material.
    pub mode: MaterialMode,
}

/// Faces of `glColorMaterial`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum MaterialFaces {
    /// `FRONT`
    Front,
    /// `BACK`
    Back,
    /// `FRONT_AND_BACK`
    #[default]
    Both,
}

/// Mode of `glColorMaterial`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum MaterialMode {
    /// `AMBIENT`
    Ambient,
    /// `DIFFUSE`
    Diffuse,
    /// `SPECULAR`
    Specular,
    /// `EMISSION`
    Emission,
    /// `AMBIENT_AND_DIFFUSE`
    #[default]
    AmbientAndDiffuse,
}

/// Source of the fog coordinate: `FOG_COORD_SRC` (GL 2.1 section 3.10) and, for `FRAGMENT_DEPTH`,
/// `FOG_DISTANCE_MODE_NV` (NV_fog_distance, section 3.10).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum FogSource {
    /// `FRAGMENT_DEPTH`, the absolute value of z in eye space: `EYE_PLANE_ABSOLUTE_NV`, the initial
    /// mode.
    FragmentDepth,
    /// `FRAGMENT_DEPTH`, z in eye space with its sign: `EYE_PLANE`.
    EyePlane,
    /// `FRAGMENT_DEPTH`, the distance from the eye: `EYE_RADIAL_NV`.
    EyeRadial,
    /// `FOG_COORD`: the fog coordinate of the vertex.
    FogCoord,
}

/// A texture coordinate set. GL 2.1 sections 2.11.2 and 2.11.4.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct TexCoordSet {
    /// The fragment stage reads it. Other sets are not written.
    pub is_read: bool,
    /// Generation of s, t, r and q (`TEXTURE_GEN_S` and so on).
    pub generation_modes: [TexGenMode; 4],
    /// The texture matrix is not the identity.
    pub has_texture_matrix: bool,
}

/// `TEXTURE_GEN_MODE` of a coordinate. GL 2.1 section 2.11.4.
///
/// A mode that GL does not support for a coordinate (sphere maps for r and q, the other maps for q)
/// is treated as `None`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum TexGenMode {
    /// The coordinate of the vertex.
    #[default]
    None,
    /// `OBJECT_LINEAR`
    ObjectLinear,
    /// `EYE_LINEAR`
    EyeLinear,
    /// `SPHERE_MAP`
    SphereMap,
    /// `REFLECTION_MAP`
    ReflectionMap,
    /// `NORMAL_MAP`
    NormalMap,
}

/// Key of the program for GL's texturing, color sum and fog. The default is GL's initial state. GL
/// 2.1 sections 3.8.13 to 3.10.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct FixedFragmentKey {
    /// Texture units.
    pub texture_units: [TextureUnit; MAX_TEXTURE_UNITS],
    /// The secondary color is added: `COLOR_SUM`, and also `LIGHTING` if no vertex program is
    /// bound. GL 2.1 section 3.9.
    pub color_sum: bool,
    /// `FOG` and `FOG_MODE`.
    pub fog_mode: Option<FogMode>,
    /// `CLAMP_FRAGMENT_COLOR` is off: neither the inputs of the units nor their results are clamped
    /// to [0, 1]. ARB_color_buffer_float.
    pub unclamped_colors: bool,
}

/// `FOG_MODE`. GL 2.1 section 3.10.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum FogMode {
    /// `LINEAR`
    Linear,
    /// `EXP`
    Exp,
    /// `EXP2`
    Exp2,
}

/// A texture unit. GL 2.1 section 3.8.13.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct TextureUnit {
    /// The texture that is looked up: the enabled one with the highest precedence, if it is
    /// complete. GL 2.1 section 3.8.15.
    pub target: Option<TextureTarget>,
    /// Base internal format of the texture; for depth textures the format that `DEPTH_TEXTURE_MODE`
    /// names.
    pub base_format: BaseFormat,
    /// A depth texture whose `TEXTURE_COMPARE_MODE` is not `NONE`. Applies to the targets 1D, 2D
    /// and RECTANGLE.
    pub compares_depth: bool,
    /// Texture environment.
    pub environment: TextureEnvironment,
}

/// Targets of textures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum TextureTarget {
    /// `TEXTURE_1D`
    #[cfg_attr(feature = "serde", serde(rename = "1d"))]
    D1,
    /// `TEXTURE_2D`
    #[cfg_attr(feature = "serde", serde(rename = "2d"))]
    D2,
    /// `TEXTURE_3D`
    #[cfg_attr(feature = "serde", serde(rename = "3d"))]
    D3,
    /// `TEXTURE_CUBE_MAP`
    Cube,
    /// `TEXTURE_RECTANGLE`
    Rectangle,
}

/// Base internal formats of color textures. GL 2.1 table 3.15.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum BaseFormat {
    /// `ALPHA`
    Alpha,
    /// `LUMINANCE`
    Luminance,
    /// `LUMINANCE_ALPHA`
    LuminanceAlpha,
    /// `INTENSITY`
    Intensity,
    /// `RGB`
    Rgb,
    /// `RGBA`
    #[default]
    Rgba,
}

/// `TEXTURE_ENV_MODE`. GL 2.1 section 3.8.13.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum TextureEnvironment {
    /// `MODULATE`
    #[default]
    Modulate,
    /// `REPLACE`
    Replace,
    /// `DECAL`; formats for which GL has no result leave the color unchanged.
    Decal,
    /// `BLEND`
    Blend,
    /// `ADD`
    Add,
    /// `COMBINE`
    Combine(Combine),
}

/// `COMBINE_RGB` and `COMBINE_ALPHA` with their arguments and scales. The default is GL's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct Combine {
    /// Combiner of red, green and blue.
    pub rgb: Combiner,
    /// Combiner of alpha. Its operands always read alpha, and functions that GL has for colors only
    /// are treated as `Modulate`.
    pub alpha: Combiner,
}

impl Default for Combine {
    fn default() -> Self {
        let combiner = |operand| {
            let argument = |source, operand| CombineArgument { source, operand };
            Combiner {
                function: CombineFunction::Modulate,
                arguments: [
                    argument(CombineSource::Texture, operand),
                    argument(CombineSource::Previous, operand),
                    // The third source is weighted by alpha for colors, too: initially OPERAND2_RGB
                    // is SRC_ALPHA.
                    argument(CombineSource::Constant, CombineOperand::Alpha),
                    argument(
                        CombineSource::Zero,
                        match operand {
                            CombineOperand::Alpha => CombineOperand::OneMinusAlpha,
                            CombineOperand::Color
                            | CombineOperand::OneMinusColor
                            | CombineOperand::OneMinusAlpha => CombineOperand::OneMinusColor,
                        },
                    ),
                ],
                scale: CombineScale::One,
            }
        };
        Self {
            rgb: combiner(CombineOperand::Color),
            alpha: combiner(CombineOperand::Alpha),
        }
    }
}

/// A function of arguments with a scale.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(deny_unknown_fields)
)]
pub struct Combiner {
    /// The function.
    pub function: CombineFunction,
    /// Its arguments: `SRCn_RGB` and `OPERANDn_RGB`, or those of alpha. Arguments that the function
    /// does not have are ignored.
    pub arguments: [CombineArgument; 4],
    /// `RGB_SCALE` or `ALPHA_SCALE`.
    pub scale: CombineScale,
}

impl Combiner {
    /// Returns the combiner with the semantics of the mode `COMBINE4_NV`: `ADD` and `ADD_SIGNED`
    /// add two products. NV_texture_env_combine4, section 3.8.12.
    pub fn with_combine4_semantics(self) -> Self {
        let function = match self.function {
            CombineFunction::Add => CombineFunction::AddProducts,
            CombineFunction::AddSigned => CombineFunction::AddProductsSigned,
            CombineFunction::Replace
            | CombineFunction::Modulate
            | CombineFunction::Interpolate
            | CombineFunction::Subtract
            | CombineFunction::Dot3Rgb
            | CombineFunction::Dot3Rgba
            | CombineFunction::ModulateAdd
            | CombineFunction::ModulateSignedAdd
            | CombineFunction::ModulateSubtract
            | CombineFunction::AddProducts
            | CombineFunction::AddProductsSigned => self.function,
        };
        Self { function, ..self }
    }
}

/// Functions of texture combiners. GL 2.1 table 3.24; ARB_texture_env_combine,
/// ARB_texture_env_dot3, ATI_texture_env_combine3, NV_texture_env_combine4.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum CombineFunction {
    /// `REPLACE`: a0
    Replace,
    /// `MODULATE`: a0 a1
    Modulate,
    /// `ADD`: a0 + a1
    Add,
    /// `ADD_SIGNED`: a0 + a1 - 1/2
    AddSigned,
    /// `INTERPOLATE`: a0 a2 + a1 (1 - a2)
    Interpolate,
    /// `SUBTRACT`: a0 - a1
    Subtract,
    /// `DOT3_RGB`: 4 (a0 - 1/2) . (a1 - 1/2)
    Dot3Rgb,
    /// `DOT3_RGBA`: the same, also for alpha, regardless of alpha's function.
    Dot3Rgba,
    /// `MODULATE_ADD_ATI`: a0 a2 + a1
    ModulateAdd,
    /// `MODULATE_SIGNED_ADD_ATI`: a0 a2 + a1 - 1/2
    ModulateSignedAdd,
    /// `MODULATE_SUBTRACT_ATI`: a0 a2 - a1
    ModulateSubtract,
    /// `ADD` of the mode `COMBINE4_NV`: a0 a1 + a2 a3
    AddProducts,
    /// `ADD_SIGNED` of the mode `COMBINE4_NV`: a0 a1 + a2 a3 - 1/2
    AddProductsSigned,
}

/// An argument of a texture combiner.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(deny_unknown_fields)
)]
pub struct CombineArgument {
    /// The color.
    pub source: CombineSource,
    /// The operand that is read of it.
    pub operand: CombineOperand,
}

/// Color sources of texture combiners. GL 2.1 table 3.25.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum CombineSource {
    /// `TEXTURE`: the texel of the unit.
    Texture,
    /// `TEXTUREn`: the texel of another unit. If that unit is not enabled, the unit that names it
    /// leaves the color unchanged: ARB_texture_env_crossbar.
    TextureUnit(u8),
    /// `CONSTANT`: the environment color of the unit,
    /// [`GlState::texenv_color`](crate::state::GlState::texenv_color).
    Constant,
    /// `PRIMARY_COLOR`
    PrimaryColor,
    /// `PREVIOUS`: the result of the previous unit.
    Previous,
    /// `ZERO`: ATI_texture_env_combine3, NV_texture_env_combine4.
    Zero,
    /// `ONE`: ATI_texture_env_combine3.
    One,
}

/// Operands of texture combiners. GL 2.1 table 3.25.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum CombineOperand {
    /// `SRC_COLOR`
    Color,
    /// `ONE_MINUS_SRC_COLOR`
    OneMinusColor,
    /// `SRC_ALPHA`
    Alpha,
    /// `ONE_MINUS_SRC_ALPHA`
    OneMinusAlpha,
}

/// `RGB_SCALE` and `ALPHA_SCALE`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum CombineScale {
    /// 1
    #[default]
    One,
    /// 2
    Two,
    /// 4
    Four,
}
