//! Texture shaders as a program: NV_texture_shader, NV_texture_shader2, NV_texture_shader3.
//!
//! A stage of each texture unit computes the texel of the unit from its texture coordinates and
//! from the results of previous stages. The texels then are the inputs of the texture environments
//! or of the register combiners. Offset matrices, scales, biases and eye vectors are local
//! parameters of the program: they change without a new program.

mod consistency;
mod operations;
mod stages;

pub use consistency::find_consistent_stages;
pub use operations::ShaderOperation;

use super::enumerants::enumerants;
use super::{
    BaseFormat, COMBINER_CONSTANTS, CombinerKey, FixedFragmentKey, MAX_TEXTURE_UNITS,
    RegisterCombiners, TextureTarget, fragment, register_combiners,
};
use stages::StageBuilder;

/// Number of local parameters of texture shaders, three for each stage: the offset matrix, scale
/// and bias, and the eye vector.
pub const TEXTURE_SHADER_CONSTANTS: usize = 3 * MAX_TEXTURE_UNITS;

enumerants! {
    /// Mappings of unsigned RGBA results before dot products:
    /// `RGBA_UNSIGNED_DOT_PRODUCT_MAPPING_NV`.
    DotProductMapping {
        /// `UNSIGNED_IDENTITY_NV`: (r, g, b)
        UnsignedIdentity "unsigned_identity" 0x8536;
        /// `EXPAND_NORMAL_NV`: (2 r - 1, 2 g - 1, 2 b - 1)
        ExpandNormal "expand_normal" 0x8538;
        /// `FORCE_BLUE_TO_ONE_NV`: (r, g, 1)
        ForceBlueToOne "force_blue_to_one" 0x8860;
    }
}

enumerants! {
    /// Comparisons of `CULL_FRAGMENT_NV` with 0: `CULL_MODES_NV`.
    CullMode {
        /// `LESS`
        Less "less" 0x0201;
        /// `GEQUAL`
        GreaterEqual "gequal" 0x0206;
    }
}

/// Format types of textures with the signedness of their components: NV_texture_shader tables 3.15
/// and 3.16.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum TextureFormatType {
    /// Colors without signed components.
    #[default]
    UnsignedRgba,
    /// Colors whose components are signed.
    SignedRgba,
    /// `SIGNED_RGB_UNSIGNED_ALPHA_NV`
    SignedRgbUnsignedAlpha,
    /// `HILO_NV`: HI in red and LO in green.
    UnsignedHilo,
    /// `SIGNED_HILO_NV`: HI in red and LO in green.
    SignedHilo,
    /// `DSDT_NV`: DS in red and DT in green.
    Dsdt,
    /// `DSDT_MAG_NV`: DS in red, DT in green and MAG in blue.
    DsdtMag,
    /// `DSDT_MAG_INTENSITY_NV`: DS in red, DT in green, MAG in blue and VIB in alpha.
    DsdtMagIntensity,
}

/// State of a texture shader stage, except for its vectors. The default is GL's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct TextureShaderStage {
    /// `SHADER_OPERATION_NV`
    pub operation: ShaderOperation,
    /// `PREVIOUS_TEXTURE_INPUT_NV`: the number of a texture unit.
    pub previous_input: u8,
    /// `RGBA_UNSIGNED_DOT_PRODUCT_MAPPING_NV`
    pub mapping: DotProductMapping,
    /// `CULL_MODES_NV`: comparisons of s, t, r and q.
    pub cull_modes: [CullMode; 4],
}

impl Default for TextureShaderStage {
    fn default() -> Self {
        Self {
            operation: ShaderOperation::None,
            previous_input: 0,
            mapping: DotProductMapping::UnsignedIdentity,
            cull_modes: [CullMode::GreaterEqual; 4],
        }
    }
}

/// Key of the program for texture shaders, and for textures whose formats NV_texture_shader adds.
/// The default is GL's initial state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct TextureShaderKey {
    /// Textures, their environments, color sum, fog and clamping. With stages, the target of a unit
    /// is that of its operation, if the texture is complete.
    pub fragment: FixedFragmentKey,
    /// Bit n: the texture of unit n has depths.
    pub depth_texture_mask: u8,
    /// State of the register combiners, if they are enabled.
    pub combiners: Option<RegisterCombiners>,
    /// Format types of the textures.
    pub format_types: [TextureFormatType; MAX_TEXTURE_UNITS],
    /// Bit n: the texture environment of unit n is `NONE`.
    pub passing_units: u8,
    /// Texture shader stages; `None` if texture shaders are disabled.
    pub stages: Option<[TextureShaderStage; MAX_TEXTURE_UNITS]>,
}

/// Returns the source of the ARB fragment program of texture shaders, followed by the register
/// combiners or by texture environments, color sum and fog.
///
/// Local parameters are those of [`generate_combiner_program`](super::generate_combiner_program),
/// and from [`COMBINER_CONSTANTS`] on for each stage: `OFFSET_TEXTURE_MATRIX_NV`;
/// `OFFSET_TEXTURE_SCALE_NV` and `OFFSET_TEXTURE_BIAS_NV`; `CONST_EYE_NV`. NV_texture_shader
/// section 3.8.13.
pub fn generate_texture_shader_program(key: &TextureShaderKey) -> String {
    let register: fn(usize) -> String = match key.combiners {
        Some(_) => |unit| format!("texture{unit}"),
        None => fragment::format_texel_name,
    };
    let texels = StageBuilder::new(key, register).build_texels();
    let fragment = derive_environments(key);
    match key.combiners {
        Some(combiners) => {
            let key = CombinerKey {
                fragment,
                depth_texture_mask: key.depth_texture_mask,
                combiners,
            };
            register_combiners::generate_program(&key, Some(texels))
        }
        None => fragment::generate_program(&fragment, Some(texels)),
    }
}

/// Returns the state of the units with the base formats that their environments see: texels of
/// `DSDT_MAG_INTENSITY_NV` are intensities, and colors of stages without texture are RGBA. With
/// stages, all units have texels.
fn derive_environments(key: &TextureShaderKey) -> FixedFragmentKey {
    let mut fragment = key.fragment;
    for (number, unit) in fragment.texture_units.iter_mut().enumerate() {
        if let Some(stages) = key.stages
            && stages[number].operation.texture_target().is_none()
        {
            unit.base_format = BaseFormat::Rgba;
            unit.compares_depth = false;
        } else if key.format_types[number] == TextureFormatType::DsdtMagIntensity {
            unit.base_format = BaseFormat::Intensity;
        }
        if key.stages.is_some() {
            unit.target = unit.target.or(Some(TextureTarget::D2));
        }
    }
    fragment
}

/// Returns the number of a local parameter of a stage: 0 for the offset matrix, 1 for scale and
/// bias, 2 for the eye vector.
const fn compute_parameter_index(stage: usize, vector: usize) -> usize {
    COMBINER_CONSTANTS + 3 * stage + vector
}
