//! The fixed functions: GL state of the driver that determines the stages without program. GL 2.1
//! sections 2.11 to 2.14, 3.8.13, 3.9, 3.10.

use crate::capabilities::Capabilities;
use crate::context::State;
use crate::ffi::{driver, driver_state};
use crate::state_snapshot;
use crate::temporary_state::FRONT_PROPERTIES;
use crate::texture_formats;
use crate::texture_state;
use glasm::Program as Loaded;
use glasm::fixed_function::{
    BaseFormat, ColorMaterial, Combine, CombineFunction, CombineOperand, CombineScale,
    CombineSource, Combiner, CombinerKey, FixedFragmentKey, FixedVertexKey, FogMode, FogSource,
    GeneralCombiner, LightKey, LightingKey, MAX_LIGHTS, MAX_TEXTURE_UNITS, MaterialFaces,
    MaterialMode, NormalScaling, RegisterCombiners, TexCoordSet, TexGenMode, TextureEnvironment,
    TextureFormatType, TextureShaderStage, TextureTarget, TextureUnit,
};
use glasm::{Semantic, state::Light};

/// Reads the state of the fixed functions of vertices from the driver. Texture coordinates are
/// those that `programs`, the later ones, read and those of `units`, the mask of the fixed
/// functions of fragments. `materials` is the mask of the material properties that are attributes.
pub(crate) fn read_vertex_state(
    capabilities: &Capabilities,
    programs: &[Loaded],
    units: u32,
    materials: u16,
) -> FixedVertexKey {
    let inputs = programs.iter().flat_map(|program| program.inputs());
    let read = inputs.fold(units, |mask, input| {
        let set =
            (0..MAX_TEXTURE_UNITS as u8).find(|&set| input.semantic == Semantic::TexCoord(set));
        set.map_or(mask, |set| mask | 1 << set)
    });
    let mut state = FixedVertexKey {
        normal_scaling: match (
            driver_state::is_enabled(0x0BA1),
            driver_state::is_enabled(0x803A),
        ) {
            (true, _) => NormalScaling::Normalize,
            (false, true) => NormalScaling::Rescale,
            (false, false) => NormalScaling::None,
        },
        lighting: driver_state::is_enabled(0x0B50).then(|| {
            let lighting = read_lighting();
            // Each property that is an attribute is read from the driver before primitives begin;
            // those of the back only if it has a color.
            let read = if lighting.two_sided {
                materials
            } else {
                materials & FRONT_PROPERTIES
            };
            LightingKey {
                material_attributes: read,
                ..lighting
            }
        }),
        fog_coordinate_source: Some(read_fog_source(capabilities)),
        computes_point_size: driver_state::floats(0x8129) != [1.0, 0.0, 0.0] || clamps_point_size(),
        ..FixedVertexKey::default()
    };
    let coordinate_sets = capabilities
        .texture_coordinates
        .min(MAX_TEXTURE_UNITS as u32);
    let sets = read & ((1_u32 << coordinate_sets) - 1);
    state_snapshot::for_each_unit(sets, |unit| {
        // Matrices change more often than they matter: a product with the identity is exact.
        let generation_modes = std::array::from_fn(|coordinate| read_tex_gen(coordinate as u32));
        state.tex_coord_sets[unit as usize] = TexCoordSet {
            is_read: true,
            generation_modes,
            has_texture_matrix: true,
        };
    });
    state
}

/// Returns the source of the fog coordinate. GL 2.1 section 3.10, NV_fog_distance.
fn read_fog_source(capabilities: &Capabilities) -> FogSource {
    const FOG_COORD_SRC: u32 = 0x8450;
    const FOG_COORD: i32 = 0x8451;
    const FOG_DISTANCE_MODE: u32 = 0x855A;
    const EYE_PLANE: i32 = 0x2502;
    const EYE_RADIAL: i32 = 0x855B;
    if driver_state::integer(FOG_COORD_SRC) == FOG_COORD {
        return FogSource::FogCoord;
    }
    if !capabilities.fog_distance {
        return FogSource::FragmentDepth;
    }
    match driver_state::integer(FOG_DISTANCE_MODE) {
        EYE_PLANE => FogSource::EyePlane,
        EYE_RADIAL => FogSource::EyeRadial,
        _ => FogSource::FragmentDepth,
    }
}

/// Returns true if the size of points that the application has set is outside of the range that GL
/// clamps it to, without attenuation, too (GL 2.1 section 3.3).
fn clamps_point_size() -> bool {
    const POINT_SIZE: u32 = 0x0B11;
    const POINT_SIZE_MIN: u32 = 0x8126;
    let [size] = driver_state::floats(POINT_SIZE);
    let [least] = driver_state::floats(POINT_SIZE_MIN);
    let [most] = driver_state::floats(POINT_SIZE_MIN + 1);
    size < least || size > most
}

/// Queries the lighting state that fixed-function vertex programs are compiled for; materials that
/// are attributes are added by the caller.
fn read_lighting() -> LightingKey {
    let mut lighting = LightingKey {
        local_viewer: driver_state::integer(0x0B51) != 0,
        two_sided: driver_state::integer(0x0B52) != 0,
        separate_specular: has_separate_specular(),
        color_material: driver_state::is_enabled(0x0B57).then(read_color_material),
        ..LightingKey::default()
    };
    for number in (0..MAX_LIGHTS as u32).filter(|n| driver_state::is_enabled(0x4000 + n)) {
        let name = 0x4000 + number;
        let [spot_cutoff] = driver_state::light(name, 0x1206);
        let attenuation =
            [0x1207, 0x1208, 0x1209].map(|term| driver_state::light::<1>(name, term)[0]);
        lighting.lights[number as usize] = LightKey::from_light(&Light {
            position: driver_state::light(name, 0x1203),
            attenuation,
            spot_cutoff,
            ..Light::default()
        });
    }
    lighting
}

/// Returns true if lighting computes a separate specular color: `GL_LIGHT_MODEL_COLOR_CONTROL` is
/// `GL_SEPARATE_SPECULAR_COLOR`.
fn has_separate_specular() -> bool {
    driver_state::integer(0x81F8) == 0x81FA
}

/// Queries the faces and the material property that follow the color (`glColorMaterial`),
/// regardless of whether that is enabled.
fn read_color_material() -> ColorMaterial {
    ColorMaterial {
        faces: match driver_state::integer(0x0B55) {
            0x0404 => MaterialFaces::Front,
            0x0405 => MaterialFaces::Back,
            _ => MaterialFaces::Both,
        },
        mode: match driver_state::integer(0x0B56) {
            0x1200 => MaterialMode::Ambient,
            0x1201 => MaterialMode::Diffuse,
            0x1202 => MaterialMode::Specular,
            0x1600 => MaterialMode::Emission,
            _ => MaterialMode::AmbientAndDiffuse,
        },
    }
}

/// Reads how a coordinate of the active unit is generated: 0 for s, 3 for q. `TexGenMode::None` if
/// generation is disabled.
fn read_tex_gen(coordinate: u32) -> TexGenMode {
    if !driver_state::is_enabled(0x0C60 + coordinate) {
        return TexGenMode::None;
    }
    let [mode] = driver_state::tex_gen_mode(0x2000 + coordinate, 0x2500);
    match mode {
        0x2401 => TexGenMode::ObjectLinear,
        0x2402 => TexGenMode::SphereMap,
        0x8511 => TexGenMode::NormalMap,
        0x8512 => TexGenMode::ReflectionMap,
        _ => TexGenMode::EyeLinear,
    }
}

/// Reads the state of the fixed functions of fragments from the driver. `has_vertex_program` is
/// true if they follow a vertex program, so that lighting does not add a separate specular color.
pub(crate) fn read_fragment_state(
    capabilities: &Capabilities,
    has_vertex_program: bool,
) -> FixedFragmentKey {
    let adds_specular =
        !has_vertex_program && driver_state::is_enabled(0x0B50) && has_separate_specular();
    let mut state = FixedFragmentKey {
        color_sum: adds_specular || driver_state::is_enabled(0x8458),
        fog_mode: driver_state::is_enabled(0x0B60).then(|| match driver_state::integer(0x0B65) {
            0x2601 => FogMode::Linear,
            0x0801 => FogMode::Exp2,
            _ => FogMode::Exp,
        }),
        unclamped_colors: !is_clamped(capabilities, driver::constants::CLAMP_FRAGMENT_COLOR),
        ..FixedFragmentKey::default()
    };
    let units = driver_state::integer(0x84E2).clamp(0, MAX_TEXTURE_UNITS as i32) as u32;
    state_snapshot::for_each_unit((1 << units) - 1, |unit| {
        state.texture_units[unit as usize] = read_texture_unit()
    });
    state
}

/// Reads the state of textures and fog from the driver for the program of register combiners. State
/// that this program does not depend on has its default.
pub(crate) fn read_combiner_key(
    capabilities: &Capabilities,
    combiners: RegisterCombiners,
) -> CombinerKey {
    let fragment = read_fragment_state(capabilities, true);
    let mut key = CombinerKey {
        fragment: FixedFragmentKey {
            color_sum: false,
            ..fragment
        },
        depth_texture_mask: 0,
        combiners: reset_inactive_stages(combiners),
    };
    state_snapshot::for_each_unit(enabled_units(&fragment), |unit| {
        let state = &mut key.fragment.texture_units[unit as usize];
        state.environment = TextureEnvironment::default();
        if has_depths(state.target) {
            key.depth_texture_mask |= 1 << unit;
        } else {
            state.base_format = BaseFormat::default();
        }
    });
    key
}

/// Returns register combiners whose inactive general stages have their default.
pub(crate) fn reset_inactive_stages(combiners: RegisterCombiners) -> RegisterCombiners {
    let mut combiners = combiners;
    for inactive in combiners.general.iter_mut().skip(combiners.count.into()) {
        *inactive = GeneralCombiner::default();
    }
    combiners
}

/// Textures of the program of texture shaders.
pub(crate) struct ShaderTextures {
    /// Textures, environments, color sum, fog and clamping.
    pub(crate) fragment: FixedFragmentKey,
    /// Bit n: the texture of unit n has depths.
    pub(crate) depth_texture_mask: u8,
    pub(crate) format_types: [TextureFormatType; MAX_TEXTURE_UNITS],
}

/// Reads the state of textures, environments and fog from the driver for the program of texture
/// shaders: the textures of the targets that the operations of `stages` access, or without stages
/// of the enabled ones. State that register combiners replace has its default if they are enabled.
pub(crate) fn read_shader_textures(
    state: &State,
    stages: Option<&[TextureShaderStage; MAX_TEXTURE_UNITS]>,
    has_vertex_program: bool,
) -> ShaderTextures {
    let has_combiners = state.extensions.combiners.state.is_enabled;
    let mut fragment = read_fragment_state(&state.capabilities, has_vertex_program);
    let mut textures = ShaderTextures {
        fragment,
        depth_texture_mask: 0,
        format_types: Default::default(),
    };
    let units = driver_state::integer(0x84E2).clamp(0, MAX_TEXTURE_UNITS as i32) as u32;
    state_snapshot::for_each_unit((1 << units) - 1, |unit| {
        let index = unit as usize;
        let target = match stages {
            Some(stages) => stages[index].operation.texture_target(),
            None => fragment.texture_units[index].target,
        };
        let row = TEXTURE_TARGETS
            .iter()
            .find(|(_, known, _)| Some(*known) == target);
        let read = match row {
            Some((name, target, image)) => read_bound_texture(*name, *target, *image),
            None => TextureUnit::default(),
        };
        if let Some((name, target, image)) = row {
            let base = read_base_level(*name, *target);
            let format = texture_formats::find_image_format(state, *image, base);
            textures.format_types[index] = match format {
                Some(format) => format.format_type,
                None if has_signed_components(*image, base) => TextureFormatType::SignedRgba,
                None => TextureFormatType::UnsignedRgba,
            };
        }
        if has_depths(read.target) {
            textures.depth_texture_mask |= 1 << unit;
        }
        // Stages have environments without an enabled target, too.
        let environment = if has_combiners {
            TextureEnvironment::default()
        } else {
            read_environment()
        };
        fragment.texture_units[index] = TextureUnit {
            environment,
            ..read
        };
    });
    if has_combiners {
        fragment.color_sum = false;
    }
    textures.fragment = fragment;
    textures
}

/// Returns true if an image of the active unit has a format of the driver with signed components.
fn has_signed_components(image: u32, level: i32) -> bool {
    const TEXTURE_RED_TYPE: u32 = 0x8C10;
    const SIGNED_NORMALIZED: i32 = 0x8F9C;
    let names = TEXTURE_RED_TYPE..TEXTURE_RED_TYPE + 6;
    names.into_iter().any(|name| {
        driver_state::tex_level_parameter::<1>(image, level, name) == [SIGNED_NORMALIZED]
    })
}

/// Returns true if the texture that is bound to a target of the active unit has depths.
fn has_depths(target: Option<TextureTarget>) -> bool {
    let row = TEXTURE_TARGETS
        .iter()
        .find(|(_, of_row, _)| Some(*of_row) == target);
    row.is_some_and(|(name, target, image)| {
        let base = read_base_level(*name, *target);
        driver_state::tex_level_parameter::<1>(*image, base, TEXTURE_DEPTH_SIZE)[0] != 0
    })
}

/// Returns true if colors are clamped, by the state `CLAMP_VERTEX_COLOR` or `CLAMP_FRAGMENT_COLOR`,
/// which `name` selects; `FIXED_ONLY` clamps unless the framebuffer is floating-point.
/// ARB_color_buffer_float sections 2.14.6 and 3.6.4.
pub(crate) fn is_clamped(capabilities: &Capabilities, name: u32) -> bool {
    const FIXED_ONLY: i32 = 0x891D;
    const RGBA_FLOAT_MODE: u32 = 0x8820;
    match driver_state::integer(name) {
        0 => false,
        FIXED_ONLY => !capabilities.float_buffers || driver_state::integer(RGBA_FLOAT_MODE) == 0,
        _ => true,
    }
}

/// Returns the mask of the texture units that have an enabled target.
pub(crate) fn enabled_units(state: &FixedFragmentKey) -> u32 {
    let enabled = state
        .texture_units
        .iter()
        .enumerate()
        .filter(|(_, unit)| unit.target.is_some());
    enabled.fold(0, |mask, (unit, _)| mask | 1 << unit)
}

/// Targets in order of precedence (GL 2.1 section 3.8.15, ARB_texture_rectangle), with the names of
/// their levels.
const TEXTURE_TARGETS: [(u32, TextureTarget, u32); 5] = [
    (0x8513, TextureTarget::Cube, 0x8515),
    (0x806F, TextureTarget::D3, 0x806F),
    (0x84F5, TextureTarget::Rectangle, 0x84F5),
    (0x0DE1, TextureTarget::D2, 0x0DE1),
    (0x0DE0, TextureTarget::D1, 0x0DE0),
];

/// `TEXTURE_DEPTH_SIZE`
const TEXTURE_DEPTH_SIZE: u32 = 0x884A;

/// Returns the base level of the texture that is bound to a target of the active unit.
fn read_base_level(name: u32, target: TextureTarget) -> i32 {
    match target {
        TextureTarget::Rectangle => 0,
        TextureTarget::D1 | TextureTarget::D2 | TextureTarget::D3 | TextureTarget::Cube => {
            driver_state::tex_parameter::<1>(name, 0x813C)[0]
        }
    }
}

/// Reads the state of fixed functions of the active texture unit, for the enabled target of highest
/// precedence. Returns the default state, which is disabled, if no target is enabled or its texture
/// has no base image.
fn read_texture_unit() -> TextureUnit {
    let enabled = TEXTURE_TARGETS
        .into_iter()
        .find(|(name, ..)| driver_state::is_enabled(*name));
    match enabled {
        Some((name, target, image)) => TextureUnit {
            environment: read_environment(),
            ..read_bound_texture(name, target, image)
        },
        None => TextureUnit::default(),
    }
}

/// Reads the texture that is bound to a target of the active unit. Returns the default state, which
/// is disabled, if it has no base image; the environment is always the default.
fn read_bound_texture(name: u32, target: TextureTarget, image: u32) -> TextureUnit {
    let base = read_base_level(name, target);
    let level = |value: u32| driver_state::tex_level_parameter::<1>(image, base, value)[0];
    // Without an image texturing is disabled.
    if level(0x1000) == 0 {
        return TextureUnit::default();
    }
    let is_depth = level(TEXTURE_DEPTH_SIZE) != 0;
    TextureUnit {
        target: Some(target),
        base_format: base_format(is_depth, level, name),
        compares_depth: is_depth && texture_state::is_compared(name),
        environment: TextureEnvironment::default(),
    }
}

/// Returns the base internal format by the components that an image has, or, for depths, by the
/// depth mode of the texture of `target`. `level` queries a parameter of the image. GL 2.1 table
/// 3.15.
fn base_format(is_depth: bool, level: impl Fn(u32) -> i32, target: u32) -> BaseFormat {
    if is_depth {
        let [mode] = driver_state::tex_parameter(target, 0x884B);
        return match mode {
            0x1906 => BaseFormat::Alpha,
            0x8049 => BaseFormat::Intensity,
            _ => BaseFormat::Luminance,
        };
    }
    let has = |name: u32| level(name) != 0;
    let (red, alpha, luminance, intensity) = (has(0x805C), has(0x805F), has(0x8060), has(0x8061));
    match (red, luminance, alpha) {
        _ if intensity => BaseFormat::Intensity,
        (_, true, true) => BaseFormat::LuminanceAlpha,
        (_, true, false) => BaseFormat::Luminance,
        (true, false, true) => BaseFormat::Rgba,
        (true, false, false) => BaseFormat::Rgb,
        (false, false, _) => BaseFormat::Alpha,
    }
}

/// Reads an enumerant of the texture environment of the active unit from the driver.
fn read_env_mode(name: u32) -> u32 {
    driver_state::tex_env_mode::<1>(0x2300, name)[0] as u32
}

/// Names of a combiner: its function, its first source, its first operand, its scale.
type CombinerNames = [u32; 4];
const RGB_COMBINER: CombinerNames = [0x8571, 0x8580, 0x8590, 0x8573];
const ALPHA_COMBINER: CombinerNames = [0x8572, 0x8588, 0x8598, 0x0D1C];

/// Reads the texture environment of the active unit; `MODULATE` for unknown modes. GL 2.1 section
/// 3.8.13, NV_texture_env_combine4.
fn read_environment() -> TextureEnvironment {
    const COMBINE4: u32 = 0x8503;
    match read_env_mode(0x2200) {
        0x2101 => TextureEnvironment::Decal,
        0x0BE2 => TextureEnvironment::Blend,
        0x1E01 => TextureEnvironment::Replace,
        0x0104 => TextureEnvironment::Add,
        0x8570 => TextureEnvironment::Combine(read_combine(3)),
        COMBINE4 => {
            let combine = read_combine(4);
            TextureEnvironment::Combine(Combine {
                rgb: combine.rgb.with_combine4_semantics(),
                alpha: combine.alpha.with_combine4_semantics(),
            })
        }
        _ => TextureEnvironment::Modulate,
    }
}

const DOT3_RGB_EXT: u32 = 0x8740;
const DOT3_RGBA_EXT: u32 = 0x8741;

/// Reads the RGB and alpha combiners of the active unit, whose functions have `count` arguments, 3
/// or 4.
fn read_combine(count: u32) -> Combine {
    let mut combine = Combine {
        rgb: read_combiner(RGB_COMBINER, count),
        alpha: read_combiner(ALPHA_COMBINER, count),
    };
    // The product that is alpha, too, has no scale at all.
    if read_env_mode(RGB_COMBINER[0]) == DOT3_RGBA_EXT {
        combine.alpha.scale = CombineScale::One;
    }
    combine
}

/// Reads the RGB or alpha combiner of the active texture unit from the driver, with `count`
/// arguments; others have their default. Dot products are not scaled if they are those of
/// `EXT_texture_env_dot3`.
fn read_combiner([function, source, operand, scale]: CombinerNames, count: u32) -> Combiner {
    let [factor] = driver_state::tex_env::<1>(0x2300, scale);
    let name = read_env_mode(function);
    let mut combiner = Combiner {
        function: parse_combine_function(name),
        scale: match factor {
            // EXT_texture_env_dot3 ignores the scale.
            _ if matches!(name, DOT3_RGB_EXT | DOT3_RGBA_EXT) => CombineScale::One,
            4.0 => CombineScale::Four,
            2.0 => CombineScale::Two,
            _ => CombineScale::One,
        },
        ..Combine::default().rgb
    };
    for (argument, number) in combiner.arguments.iter_mut().zip(0..count) {
        argument.source = parse_combine_source(read_env_mode(source + number));
        argument.operand = parse_combine_operand(read_env_mode(operand + number));
    }
    combiner
}

/// Returns the combine function that an enumerant of OpenGL denotes; `MODULATE` for all others.
fn parse_combine_function(name: u32) -> CombineFunction {
    match name {
        0x1E01 => CombineFunction::Replace,
        0x0104 => CombineFunction::Add,
        0x8574 => CombineFunction::AddSigned,
        0x8575 => CombineFunction::Interpolate,
        0x84E7 => CombineFunction::Subtract,
        0x86AE | 0x8740 => CombineFunction::Dot3Rgb,
        0x86AF | 0x8741 => CombineFunction::Dot3Rgba,
        0x8744 => CombineFunction::ModulateAdd,
        0x8745 => CombineFunction::ModulateSignedAdd,
        0x8746 => CombineFunction::ModulateSubtract,
        _ => CombineFunction::Modulate,
    }
}

/// Returns the source of a combiner that an enumerant of OpenGL denotes; the unit's texture for all
/// others.
fn parse_combine_source(name: u32) -> CombineSource {
    match name {
        0x8576 => CombineSource::Constant,
        0x8577 => CombineSource::PrimaryColor,
        0x8578 => CombineSource::Previous,
        0 => CombineSource::Zero,
        1 => CombineSource::One,
        0x84C0..=0x84C7 => CombineSource::TextureUnit((name - 0x84C0) as u8),
        _ => CombineSource::Texture,
    }
}

/// Returns the operand of a combiner that an enumerant of OpenGL denotes; `SRC_ALPHA` for all
/// others.
fn parse_combine_operand(name: u32) -> CombineOperand {
    match name {
        0x0300 => CombineOperand::Color,
        0x0301 => CombineOperand::OneMinusColor,
        0x0303 => CombineOperand::OneMinusAlpha,
        _ => CombineOperand::Alpha,
    }
}
