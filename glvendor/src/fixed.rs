//! The fixed functions: GL state of the driver that determines the stages without program. GL 2.1
//! sections 2.11 to 2.14, 3.8.13, 3.9, 3.10.

use crate::extensions::Capabilities;
use crate::ffi::{driver, query};
use crate::materials::FRONT;
use crate::reader;
use crate::textures;
use glasm::Program as Loaded;
use glasm::fixed_function::{
    BaseFormat, ColorMaterial, Combine, CombineFunction, CombineOperand, CombineSource, Combiner,
    Environment, FixedFragment, FixedVertex, FogMode, FogSource, LIGHTS, LightForm, Lighting,
    MaterialFaces, MaterialMode, NormalScaling, Scale, TexCoords, TexGenMode, TextureTarget,
    TextureUnit, UNITS,
};
use glasm::{Semantic, state::Light};

/// Reads the state of the fixed functions of vertices, for the later programs and for the fixed
/// functions of fragments on these units. `materials` are the material properties that are
/// attributes.
pub(crate) fn vertex(
    capabilities: &Capabilities,
    programs: &[Loaded],
    units: u32,
    materials: u16,
) -> FixedVertex {
    let inputs = programs.iter().flat_map(|program| program.inputs());
    let read = inputs.fold(units, |mask, input| {
        let set = (0..UNITS as u8).find(|&set| input.semantic == Semantic::TexCoord(set));
        set.map_or(mask, |set| mask | 1 << set)
    });
    let mut state = FixedVertex {
        normals: match (query::is_enabled(0x0BA1), query::is_enabled(0x803A)) {
            (true, _) => NormalScaling::Normalize,
            (false, true) => NormalScaling::Rescale,
            (false, false) => NormalScaling::None,
        },
        lighting: query::is_enabled(0x0B50).then(|| {
            let lighting = lighting();
            // Each property that is an attribute is read from the driver before primitives begin;
            // those of the back only if it has a color.
            let read = if lighting.two_sided {
                materials
            } else {
                materials & FRONT
            };
            Lighting {
                material_attributes: read,
                ..lighting
            }
        }),
        fog_coordinate: Some(fog_source(capabilities)),
        point_attenuation: query::floats(0x8129) != [1.0, 0.0, 0.0] || clamps_point_size(),
        ..FixedVertex::default()
    };
    let coordinate_sets = capabilities.texture_coordinates.min(UNITS as u32);
    let sets = read & ((1_u32 << coordinate_sets) - 1);
    reader::with_units(sets, |unit| {
        // Matrices change more often than they matter: a product with the identity is exact.
        let generated = std::array::from_fn(|coordinate| tex_gen(coordinate as u32));
        state.texcoords[unit as usize] = TexCoords {
            needed: true,
            generated,
            transformed: true,
        };
    });
    state
}

/// Returns the source of the fog coordinate. GL 2.1 section 3.10, NV_fog_distance.
fn fog_source(capabilities: &Capabilities) -> FogSource {
    const FOG_COORD_SRC: u32 = 0x8450;
    const FOG_COORD: i32 = 0x8451;
    const FOG_DISTANCE_MODE: u32 = 0x855A;
    const EYE_PLANE: i32 = 0x2502;
    const EYE_RADIAL: i32 = 0x855B;
    if query::integer(FOG_COORD_SRC) == FOG_COORD {
        return FogSource::FogCoord;
    }
    if !capabilities.fog_distance {
        return FogSource::FragmentDepth;
    }
    match query::integer(FOG_DISTANCE_MODE) {
        EYE_PLANE => FogSource::EyePlane,
        EYE_RADIAL => FogSource::EyeRadial,
        _ => FogSource::FragmentDepth,
    }
}

/// Returns true if the size of points differs from the one that the application has set: GL clamps
/// it without attenuation, too (GL 2.1 section 3.3).
fn clamps_point_size() -> bool {
    const POINT_SIZE: u32 = 0x0B11;
    const POINT_SIZE_MIN: u32 = 0x8126;
    let [size] = query::floats(POINT_SIZE);
    let [least] = query::floats(POINT_SIZE_MIN);
    let [most] = query::floats(POINT_SIZE_MIN + 1);
    size < least || size > most
}

fn lighting() -> Lighting {
    let mut lighting = Lighting {
        local_viewer: query::integer(0x0B51) != 0,
        two_sided: query::integer(0x0B52) != 0,
        separate_specular: has_separate_specular(),
        color_material: query::is_enabled(0x0B57).then(color_material),
        ..Lighting::default()
    };
    for number in (0..LIGHTS as u32).filter(|n| query::is_enabled(0x4000 + n)) {
        let name = 0x4000 + number;
        let [spot_cutoff] = query::light(name, 0x1206);
        let attenuation = [0x1207, 0x1208, 0x1209].map(|term| query::light::<1>(name, term)[0]);
        lighting.lights[number as usize] = LightForm::of(&Light {
            position: query::light(name, 0x1203),
            attenuation,
            spot_cutoff,
            ..Light::default()
        });
    }
    lighting
}

fn has_separate_specular() -> bool {
    query::integer(0x81F8) == 0x81FA
}

fn color_material() -> ColorMaterial {
    ColorMaterial {
        faces: match query::integer(0x0B55) {
            0x0404 => MaterialFaces::Front,
            0x0405 => MaterialFaces::Back,
            _ => MaterialFaces::Both,
        },
        mode: match query::integer(0x0B56) {
            0x1200 => MaterialMode::Ambient,
            0x1201 => MaterialMode::Diffuse,
            0x1202 => MaterialMode::Specular,
            0x1600 => MaterialMode::Emission,
            _ => MaterialMode::AmbientAndDiffuse,
        },
    }
}

/// Reads how a coordinate of the active unit is generated: 0 for s, 3 for q.
fn tex_gen(coordinate: u32) -> TexGenMode {
    if !query::is_enabled(0x0C60 + coordinate) {
        return TexGenMode::None;
    }
    let [mode] = query::tex_gen_mode(0x2000 + coordinate, 0x2500);
    match mode {
        0x2401 => TexGenMode::ObjectLinear,
        0x2402 => TexGenMode::SphereMap,
        0x8511 => TexGenMode::NormalMap,
        0x8512 => TexGenMode::ReflectionMap,
        _ => TexGenMode::EyeLinear,
    }
}

/// Reads the state of the fixed functions of fragments, after a vertex program or after fixed
/// functions of vertices.
pub(crate) fn fragment(capabilities: &Capabilities, has_vertex_program: bool) -> FixedFragment {
    let adds_specular = !has_vertex_program && query::is_enabled(0x0B50) && has_separate_specular();
    let mut state = FixedFragment {
        color_sum: adds_specular || query::is_enabled(0x8458),
        fog: query::is_enabled(0x0B60).then(|| match query::integer(0x0B65) {
            0x2601 => FogMode::Linear,
            0x0801 => FogMode::Exp2,
            _ => FogMode::Exp,
        }),
        unclamped: !clamps(capabilities, driver::constants::CLAMP_FRAGMENT_COLOR),
        ..FixedFragment::default()
    };
    let units = query::integer(0x84E2).clamp(0, UNITS as i32) as u32;
    reader::with_units((1 << units) - 1, |unit| {
        state.units[unit as usize] = read_texture_unit()
    });
    state
}

/// Returns true if colors are clamped: `CLAMP_VERTEX_COLOR`, `CLAMP_FRAGMENT_COLOR`.
/// ARB_color_buffer_float sections 2.14.6 and 3.6.4.
pub(crate) fn clamps(capabilities: &Capabilities, name: u32) -> bool {
    const FIXED_ONLY: i32 = 0x891D;
    const RGBA_FLOAT_MODE: u32 = 0x8820;
    match query::integer(name) {
        0 => false,
        FIXED_ONLY => !capabilities.float_buffers || query::integer(RGBA_FLOAT_MODE) == 0,
        _ => true,
    }
}

/// Returns the enabled texture units.
pub(crate) fn enabled_units(state: &FixedFragment) -> u32 {
    let enabled = state
        .units
        .iter()
        .enumerate()
        .filter(|(_, unit)| unit.target.is_some());
    enabled.fold(0, |mask, (unit, _)| mask | 1 << unit)
}

/// Targets in order of precedence (GL 2.1 section 3.8.15, ARB_texture_rectangle), with the names of
/// their levels.
const TARGETS: [(u32, TextureTarget, u32); 5] = [
    (0x8513, TextureTarget::Cube, 0x8515),
    (0x806F, TextureTarget::D3, 0x806F),
    (0x84F5, TextureTarget::Rectangle, 0x84F5),
    (0x0DE1, TextureTarget::D2, 0x0DE1),
    (0x0DE0, TextureTarget::D1, 0x0DE0),
];

/// Reads the state of fixed functions of the active texture unit. Returns the default state if no
/// target is enabled.
fn read_texture_unit() -> TextureUnit {
    let Some((name, target, image)) = TARGETS
        .into_iter()
        .find(|(name, ..)| query::is_enabled(*name))
    else {
        return TextureUnit::default();
    };
    let base = match target {
        TextureTarget::Rectangle => 0,
        TextureTarget::D1 | TextureTarget::D2 | TextureTarget::D3 | TextureTarget::Cube => {
            query::tex_parameter::<1>(name, 0x813C)[0]
        }
    };
    let level = |value: u32| query::tex_level_parameter::<1>(image, base, value)[0];
    // Without an image texturing is disabled.
    if level(0x1000) == 0 {
        return TextureUnit::default();
    }
    let is_depth = level(0x884A) != 0;
    TextureUnit {
        target: Some(target),
        base_format: base_format(is_depth, level, name),
        compared: is_depth && textures::is_compared(name),
        environment: environment(),
    }
}

/// Returns the base internal format by the components that an image has. GL 2.1 table 3.15; depths
/// by their mode.
fn base_format(is_depth: bool, level: impl Fn(u32) -> i32, target: u32) -> BaseFormat {
    if is_depth {
        let [mode] = query::tex_parameter(target, 0x884B);
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

/// Returns a mode of the environment of the active unit.
fn mode(name: u32) -> u32 {
    query::tex_env_mode::<1>(0x2300, name)[0] as u32
}

/// Names of a combiner: its function, its first source, its first operand, its scale.
type CombinerNames = [u32; 4];
const RGB: CombinerNames = [0x8571, 0x8580, 0x8590, 0x8573];
const ALPHA: CombinerNames = [0x8572, 0x8588, 0x8598, 0x0D1C];

/// Returns the environment of the active unit. GL 2.1 section 3.8.13, NV_texture_env_combine4.
fn environment() -> Environment {
    const COMBINE4: u32 = 0x8503;
    match mode(0x2200) {
        0x2101 => Environment::Decal,
        0x0BE2 => Environment::Blend,
        0x1E01 => Environment::Replace,
        0x0104 => Environment::Add,
        0x8570 => Environment::Combine(combine(3)),
        COMBINE4 => {
            let combine = combine(4);
            Environment::Combine(Combine {
                rgb: combine.rgb.with_products(),
                alpha: combine.alpha.with_products(),
            })
        }
        _ => Environment::Modulate,
    }
}

const DOT3_RGB_EXT: u32 = 0x8740;
const DOT3_RGBA_EXT: u32 = 0x8741;

/// Returns the combiners of the active unit, whose functions have up to `count` arguments.
fn combine(count: u32) -> Combine {
    let mut combine = Combine {
        rgb: combiner(RGB, count),
        alpha: combiner(ALPHA, count),
    };
    // The product that is alpha, too, has no scale at all.
    if mode(RGB[0]) == DOT3_RGBA_EXT {
        combine.alpha.scale = Scale::One;
    }
    combine
}

/// Returns a combiner of the active unit.
fn combiner([function, source, operand, scale]: CombinerNames, count: u32) -> Combiner {
    let [factor] = query::tex_env::<1>(0x2300, scale);
    let name = mode(function);
    let mut combiner = Combiner {
        function: combine_function(name),
        scale: match factor {
            // EXT_texture_env_dot3 ignores the scale.
            _ if matches!(name, DOT3_RGB_EXT | DOT3_RGBA_EXT) => Scale::One,
            4.0 => Scale::Four,
            2.0 => Scale::Two,
            _ => Scale::One,
        },
        ..Combine::default().rgb
    };
    for (argument, number) in combiner.arguments.iter_mut().zip(0..count) {
        argument.source = combine_source(mode(source + number));
        argument.operand = combine_operand(mode(operand + number));
    }
    combiner
}

fn combine_function(name: u32) -> CombineFunction {
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

fn combine_source(name: u32) -> CombineSource {
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

fn combine_operand(name: u32) -> CombineOperand {
    match name {
        0x0300 => CombineOperand::Color,
        0x0301 => CombineOperand::OneMinusColor,
        0x0303 => CombineOperand::OneMinusAlpha,
        _ => CombineOperand::Alpha,
    }
}
