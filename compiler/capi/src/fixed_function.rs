//! The fixed functions of OpenGL as programs.

use crate::compiler::glasm_compiler;
use crate::enums::{glasm_bool, read_number};
use crate::ffi_args::{self, CallerStruct, Versioned, require, require_out_handle};
use crate::ffi_guard::{Failure, catch_to_result, glasm_result};
use crate::program::{glasm_program, load_program};
use crate::state::glasm_state;
use glasm::Source;
use glasm::fixed_function::{
    BaseFormat, ColorMaterial, Combine, CombineArgument, CombineFunction, CombineOperand,
    CombineScale, CombineSource, Combiner, FixedFragmentKey, FixedVertexKey, FogMode, FogSource,
    LightKey, LightingKey, MAX_LIGHTS, MAX_TEXTURE_UNITS, MaterialFaces, MaterialMode,
    NormalScaling, TexCoordSet, TexGenMode, TextureEnvironment, TextureTarget, TextureUnit,
    generate_fragment_program, generate_vertex_program,
};
use glasm_capi_macros::c_enum;
use std::mem::MaybeUninit;

/// NORMALIZE and RESCALE_NORMAL.
#[c_enum(NormalScaling)]
#[repr(u32)]
pub enum glasm_normal_scaling {
    /// Normals are not scaled.
    None = 0,
    /// RESCALE_NORMAL.
    Rescale = 1,
    /// NORMALIZE, with or without RESCALE_NORMAL.
    Normalize = 2,
}

/// Faces of glColorMaterial. 0 is not one, so that a key of zeros is an error.
#[c_enum(MaterialFaces)]
#[repr(u32)]
pub enum glasm_material_faces {
    /// FRONT
    Front = 1,
    /// BACK
    Back = 2,
    /// FRONT_AND_BACK
    Both = 3,
}

/// Mode of glColorMaterial. 0 is not one, so that a key of zeros is an error.
#[c_enum(MaterialMode)]
#[repr(u32)]
pub enum glasm_material_mode {
    /// AMBIENT
    Ambient = 1,
    /// DIFFUSE
    Diffuse = 2,
    /// SPECULAR
    Specular = 3,
    /// EMISSION
    Emission = 4,
    /// AMBIENT_AND_DIFFUSE
    AmbientAndDiffuse = 5,
}

/// Source of the fog coordinate: FOG_COORD_SRC and FOG_DISTANCE_MODE_NV.
#[c_enum(FogSource)]
#[repr(u32)]
pub enum glasm_fog_source {
    /// FRAGMENT_DEPTH, the absolute value of z in eye space.
    FragmentDepth = 0,
    /// FRAGMENT_DEPTH, z in eye space with its sign: EYE_PLANE.
    EyePlane = 1,
    /// FRAGMENT_DEPTH, the distance from the eye: EYE_RADIAL_NV.
    EyeRadial = 2,
    /// FOG_COORD: the fog coordinate of the vertex.
    FogCoord = 3,
}

/// TEXTURE_GEN_MODE of a coordinate.
#[c_enum(TexGenMode)]
#[repr(u32)]
pub enum glasm_texgen_mode {
    /// The coordinate of the vertex.
    None = 0,
    /// OBJECT_LINEAR
    ObjectLinear = 1,
    /// EYE_LINEAR
    EyeLinear = 2,
    /// SPHERE_MAP
    SphereMap = 3,
    /// REFLECTION_MAP
    ReflectionMap = 4,
    /// NORMAL_MAP
    NormalMap = 5,
}

/// FOG_MODE.
#[c_enum(FogMode)]
#[repr(u32)]
pub enum glasm_fog_mode {
    /// LINEAR
    Linear = 0,
    /// EXP
    Exp = 1,
    /// EXP2
    Exp2 = 2,
}

/// Targets of textures of the fixed functions.
#[c_enum(TextureTarget)]
#[repr(u32)]
pub enum glasm_fixed_texture_target {
    /// TEXTURE_1D
    #[from(D1)]
    _1d = 0,
    /// TEXTURE_2D
    #[from(D2)]
    _2d = 1,
    /// TEXTURE_3D
    #[from(D3)]
    _3d = 2,
    /// TEXTURE_CUBE_MAP
    Cube = 3,
    /// TEXTURE_RECTANGLE
    Rectangle = 4,
}

/// Base internal formats of color textures.
#[c_enum(BaseFormat)]
#[repr(u32)]
pub enum glasm_base_format {
    /// ALPHA
    Alpha = 0,
    /// LUMINANCE
    Luminance = 1,
    /// LUMINANCE_ALPHA
    LuminanceAlpha = 2,
    /// INTENSITY
    Intensity = 3,
    /// RGB
    Rgb = 4,
    /// RGBA
    Rgba = 5,
}

/// TEXTURE_ENV_MODE.
#[c_enum]
#[repr(u32)]
pub enum glasm_texture_environment {
    /// MODULATE
    Modulate = 0,
    /// REPLACE
    Replace = 1,
    /// DECAL
    Decal = 2,
    /// BLEND
    Blend = 3,
    /// ADD
    Add = 4,
    /// COMBINE: the combiners of the unit.
    Combine = 5,
}

/// Functions of texture combiners, of arguments a0 to a3.
#[c_enum(CombineFunction)]
#[repr(u32)]
pub enum glasm_combine_function {
    /// REPLACE: a0
    Replace = 0,
    /// MODULATE: a0 a1
    Modulate = 1,
    /// ADD: a0 + a1
    Add = 2,
    /// ADD_SIGNED: a0 + a1 - 1/2
    AddSigned = 3,
    /// INTERPOLATE: a0 a2 + a1 (1 - a2)
    Interpolate = 4,
    /// SUBTRACT: a0 - a1
    Subtract = 5,
    /// DOT3_RGB: 4 (a0 - 1/2) . (a1 - 1/2)
    Dot3Rgb = 6,
    /// DOT3_RGBA: the same, also for alpha.
    Dot3Rgba = 7,
    /// MODULATE_ADD_ATI: a0 a2 + a1
    ModulateAdd = 8,
    /// MODULATE_SIGNED_ADD_ATI: a0 a2 + a1 - 1/2
    ModulateSignedAdd = 9,
    /// MODULATE_SUBTRACT_ATI: a0 a2 - a1
    ModulateSubtract = 10,
    /// ADD of the mode COMBINE4_NV: a0 a1 + a2 a3
    AddProducts = 11,
    /// ADD_SIGNED of the mode COMBINE4_NV: a0 a1 + a2 a3 - 1/2
    AddProductsSigned = 12,
}

/// Color sources of texture combiners.
#[c_enum]
#[repr(u32)]
pub enum glasm_combine_source {
    /// TEXTURE: the texel of the unit.
    Texture = 0,
    /// TEXTUREn: the texel of the unit `unit`.
    TextureUnit = 1,
    /// CONSTANT: the environment color of the unit.
    Constant = 2,
    /// PRIMARY_COLOR
    PrimaryColor = 3,
    /// PREVIOUS: the result of the previous unit.
    Previous = 4,
    /// ZERO
    Zero = 5,
    /// ONE
    One = 6,
}

/// Operands of texture combiners.
#[c_enum(CombineOperand)]
#[repr(u32)]
pub enum glasm_combine_operand {
    /// SRC_COLOR
    Color = 0,
    /// ONE_MINUS_SRC_COLOR
    OneMinusColor = 1,
    /// SRC_ALPHA
    Alpha = 2,
    /// ONE_MINUS_SRC_ALPHA
    OneMinusAlpha = 3,
}

/// Properties of a light that determine the program for vertices.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct glasm_light_key {
    /// LIGHTn is enabled.
    pub enabled: glasm_bool,
    /// w of its position is not 0.
    pub positional: glasm_bool,
    /// Its attenuation is not (1, 0, 0).
    pub attenuated: glasm_bool,
    /// Its cutoff is not 180 degrees.
    pub spot: glasm_bool,
}

/// A texture coordinate set.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct glasm_tex_coord_set_key {
    /// The fragment stage reads it. Other sets are not written.
    pub is_read: glasm_bool,
    /// Generation of s, t, r and q: glasm_texgen_mode.
    pub generation_modes: [u32; 4],
    /// The texture matrix is not the identity.
    pub has_texture_matrix: glasm_bool,
}

/// State that determines the program for GL's vertex processing. `glasm_fixed_vertex_key_init`
/// fills it with GL's initial state. All other state is read as state.* parameters.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_fixed_vertex_key {
    /// Size of the structure in bytes, as the caller knows it.
    pub size: usize,
    /// A glasm_normal_scaling.
    pub normal_scaling: u32,
    /// LIGHTING; without it colors pass through unchanged.
    pub lighting: glasm_bool,
    /// The lights.
    pub lights: [glasm_light_key; 8],
    /// LIGHT_MODEL_LOCAL_VIEWER
    pub local_viewer: glasm_bool,
    /// LIGHT_MODEL_TWO_SIDE: back colors are written, too, of which `two_sided_color` selects.
    pub two_sided: glasm_bool,
    /// LIGHT_MODEL_COLOR_CONTROL is SEPARATE_SPECULAR_COLOR.
    pub separate_specular: glasm_bool,
    /// COLOR_MATERIAL: the next two members name the material colors that are the vertex color.
    pub color_material: glasm_bool,
    /// A glasm_material_faces.
    pub color_material_faces: u32,
    /// A glasm_material_mode.
    pub color_material_mode: u32,
    /// Bit n: the part n of the material changes between glBegin and glEnd, and is a vertex
    /// attribute: ambient, diffuse, specular and emissive color and shininess of the front, then of
    /// the back, in attributes 7, 6, 1, 15, 14, 12, 13, 11, 10 and 9. See
    /// `glasm_fixed_vertex_material_attributes`.
    pub material_attribute_mask: u32,
    /// The fragment stage reads the fog coordinate.
    pub has_fog_coordinate: glasm_bool,
    /// Its source: a glasm_fog_source.
    pub fog_coordinate_source: u32,
    /// The program computes the size of points.
    pub computes_point_size: glasm_bool,
    /// Texture coordinates by set.
    pub tex_coord_sets: [glasm_tex_coord_set_key; 8],
}

// SAFETY: it begins with the size.
unsafe impl Versioned for glasm_fixed_vertex_key {}

// SAFETY: numbers.
unsafe impl CallerStruct for glasm_fixed_vertex_key {
    /// Returns GL's initial state.
    fn initial() -> Self {
        Self {
            color_material_faces: glasm_material_faces::Both as u32,
            color_material_mode: glasm_material_mode::AmbientAndDiffuse as u32,
            ..Self::zeroed()
        }
    }
}

/// An argument of a texture combiner.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct glasm_combine_argument {
    /// A glasm_combine_source.
    pub source: u32,
    /// Texture unit of GLASM_COMBINE_SOURCE_TEXTURE_UNIT.
    pub unit: u32,
    /// A glasm_combine_operand.
    pub operand: u32,
}

/// A function of arguments with a scale.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct glasm_combiner {
    /// A glasm_combine_function.
    pub function: u32,
    /// Its arguments.
    pub arguments: [glasm_combine_argument; 4],
    /// RGB_SCALE or ALPHA_SCALE: 1, 2 or 4.
    pub scale: u32,
}

/// A texture unit.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct glasm_texture_unit_key {
    /// A texture is enabled and complete.
    pub has_texture: glasm_bool,
    /// Its target: a glasm_fixed_texture_target.
    pub target: u32,
    /// Its format: a glasm_base_format; of depth textures the one that DEPTH_TEXTURE_MODE names.
    pub base_format: u32,
    /// It is a depth texture whose TEXTURE_COMPARE_MODE is not NONE.
    pub compares_depth: glasm_bool,
    /// A glasm_texture_environment.
    pub environment: u32,
    /// Combiner of red, green and blue.
    pub combine_rgb: glasm_combiner,
    /// Combiner of alpha.
    pub combine_alpha: glasm_combiner,
}

/// State that determines the program for GL's texturing, color sum and fog.
/// `glasm_fixed_fragment_key_init` fills it with GL's initial state.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_fixed_fragment_key {
    /// Size of the structure in bytes, as the caller knows it.
    pub size: usize,
    /// Texture units.
    pub texture_units: [glasm_texture_unit_key; 8],
    /// The secondary color is added: COLOR_SUM, and also LIGHTING without a vertex program.
    pub color_sum: glasm_bool,
    /// FOG
    pub has_fog: glasm_bool,
    /// A glasm_fog_mode.
    pub fog_mode: u32,
    /// CLAMP_FRAGMENT_COLOR is off.
    pub unclamped_colors: glasm_bool,
}

// SAFETY: it begins with the size.
unsafe impl Versioned for glasm_fixed_fragment_key {}

// SAFETY: numbers.
unsafe impl CallerStruct for glasm_fixed_fragment_key {
    /// Returns GL's initial state.
    fn initial() -> Self {
        let combine = Combine::default();
        let unit = glasm_texture_unit_key {
            has_texture: 0,
            target: glasm_fixed_texture_target::_2d as u32,
            base_format: glasm_base_format::Rgba as u32,
            compares_depth: 0,
            environment: glasm_texture_environment::Modulate as u32,
            combine_rgb: combine.rgb.into(),
            combine_alpha: combine.alpha.into(),
        };
        Self {
            texture_units: [unit; 8],
            fog_mode: glasm_fog_mode::Exp as u32,
            ..Self::zeroed()
        }
    }
}

const _: () = assert!(MAX_LIGHTS == 8 && MAX_TEXTURE_UNITS == 8);

impl From<Combiner> for glasm_combiner {
    fn from(combiner: Combiner) -> Self {
        use crate::enums::CNumber;
        let argument = |argument: CombineArgument| {
            use glasm_combine_source as Source;
            let (source, unit) = match argument.source {
                CombineSource::Texture => (Source::Texture, 0),
                CombineSource::TextureUnit(unit) => (Source::TextureUnit, unit),
                CombineSource::Constant => (Source::Constant, 0),
                CombineSource::PrimaryColor => (Source::PrimaryColor, 0),
                CombineSource::Previous => (Source::Previous, 0),
                CombineSource::Zero => (Source::Zero, 0),
                CombineSource::One => (Source::One, 0),
            };
            glasm_combine_argument {
                source: source as u32,
                unit: unit.into(),
                operand: argument.operand.to_number(),
            }
        };
        Self {
            function: combiner.function.to_number(),
            arguments: combiner.arguments.map(argument),
            scale: match combiner.scale {
                CombineScale::One => 1,
                CombineScale::Two => 2,
                CombineScale::Four => 4,
            },
        }
    }
}

/// Reads the combiner of a texture unit; fails for unknown numbers.
fn read_combiner(given: &glasm_combiner) -> Result<Combiner, Failure> {
    use glasm_combine_source as Source;
    let mut arguments = Combine::default().rgb.arguments;
    for (argument, given) in arguments.iter_mut().zip(&given.arguments) {
        let source = match read_number(given.source, "source")? {
            Source::Texture => CombineSource::Texture,
            Source::TextureUnit => CombineSource::TextureUnit(read_number(given.unit, "unit")?),
            Source::Constant => CombineSource::Constant,
            Source::PrimaryColor => CombineSource::PrimaryColor,
            Source::Previous => CombineSource::Previous,
            Source::Zero => CombineSource::Zero,
            Source::One => CombineSource::One,
        };
        let operand = read_number(given.operand, "operand")?;
        *argument = CombineArgument { source, operand };
    }
    Ok(Combiner {
        function: read_number(given.function, "function")?,
        arguments,
        scale: match given.scale {
            1 => CombineScale::One,
            2 => CombineScale::Two,
            4 => CombineScale::Four,
            0 => {
                return Err(Failure::invalid_argument(
                    "`scale` is 0: glasm_fixed_fragment_key_init sets the initial values",
                ));
            }
            _ => return Err(Failure::invalid_argument("`scale` is not 1, 2 or 4")),
        },
    })
}

/// Reads the key of a texture unit; fails for unknown numbers.
fn read_unit(given: &glasm_texture_unit_key) -> Result<TextureUnit, Failure> {
    use glasm_texture_environment as Mode;
    let target = || read_number(given.target, "target");
    // Also without COMBINE: the scales distinguish a key of zeros from GL's initial state.
    let combine = Combine {
        rgb: read_combiner(&given.combine_rgb)?,
        alpha: read_combiner(&given.combine_alpha)?,
    };
    Ok(TextureUnit {
        target: (given.has_texture != 0).then(target).transpose()?,
        base_format: read_number(given.base_format, "base_format")?,
        compares_depth: given.compares_depth != 0,
        environment: match read_number(given.environment, "environment")? {
            Mode::Modulate => TextureEnvironment::Modulate,
            Mode::Replace => TextureEnvironment::Replace,
            Mode::Decal => TextureEnvironment::Decal,
            Mode::Blend => TextureEnvironment::Blend,
            Mode::Add => TextureEnvironment::Add,
            Mode::Combine => TextureEnvironment::Combine(combine),
        },
    })
}

/// Reads the key of a program for fragments; fails for unknown numbers.
///
/// # Safety
/// `key` must be null, or as [`ffi_args::read_struct`] requires.
unsafe fn read_fragment_key(
    key: *const glasm_fixed_fragment_key,
) -> Result<FixedFragmentKey, Failure> {
    // SAFETY: the caller of this function guarantees it.
    let given = unsafe { ffi_args::read_struct(key, "key") }?;
    let mut texture_units = [TextureUnit::default(); MAX_TEXTURE_UNITS];
    for (unit, given) in texture_units.iter_mut().zip(&given.texture_units) {
        *unit = read_unit(given)?;
    }
    let fog = || read_number::<FogMode>(given.fog_mode, "fog_mode");
    Ok(FixedFragmentKey {
        texture_units,
        color_sum: given.color_sum != 0,
        fog_mode: (given.has_fog != 0).then(fog).transpose()?,
        unclamped_colors: given.unclamped_colors != 0,
    })
}

/// Number of the parts of the material.
const MATERIAL_ATTRIBUTES: u32 = 10;

/// Reads the key of lighting; fails for unknown numbers.
fn read_lighting(given: &glasm_fixed_vertex_key) -> Result<LightingKey, Failure> {
    let material = || -> Result<ColorMaterial, Failure> {
        Ok(ColorMaterial {
            faces: read_number(given.color_material_faces, "color_material_faces")?,
            mode: read_number(given.color_material_mode, "color_material_mode")?,
        })
    };
    let attributes = u16::try_from(given.material_attribute_mask).ok();
    let attributes = attributes.filter(|mask| mask >> MATERIAL_ATTRIBUTES == 0);
    Ok(LightingKey {
        lights: given.lights.map(|light| LightKey {
            enabled: light.enabled != 0,
            positional: light.positional != 0,
            attenuated: light.attenuated != 0,
            spot: light.spot != 0,
        }),
        local_viewer: given.local_viewer != 0,
        two_sided: given.two_sided != 0,
        separate_specular: given.separate_specular != 0,
        color_material: (given.color_material != 0).then(material).transpose()?,
        material_attributes: attributes.ok_or_else(|| {
            Failure::invalid_argument("`material_attribute_mask` has more than 10 bits")
        })?,
    })
}

/// Reads the key of a program for vertices; fails for unknown numbers.
///
/// # Safety
/// `key` must be null, or as [`ffi_args::read_struct`] requires.
unsafe fn read_vertex_key(key: *const glasm_fixed_vertex_key) -> Result<FixedVertexKey, Failure> {
    // SAFETY: the caller of this function guarantees it.
    let given = unsafe { ffi_args::read_struct(key, "key") }?;
    if given.color_material_faces == 0 || given.color_material_mode == 0 {
        return Err(Failure::invalid_argument(
            "`color_material_faces` or `color_material_mode` is 0: glasm_fixed_vertex_key_init sets the initial values",
        ));
    }
    let mut tex_coord_sets = [TexCoordSet::default(); MAX_TEXTURE_UNITS];
    for (set, given) in tex_coord_sets.iter_mut().zip(&given.tex_coord_sets) {
        set.is_read = given.is_read != 0;
        set.has_texture_matrix = given.has_texture_matrix != 0;
        for (mode, number) in set.generation_modes.iter_mut().zip(given.generation_modes) {
            *mode = read_number(number, "generation_modes")?;
        }
    }
    let lighting = || read_lighting(&given);
    let fog = || read_number::<FogSource>(given.fog_coordinate_source, "fog_coordinate_source");
    Ok(FixedVertexKey {
        normal_scaling: read_number(given.normal_scaling, "normal_scaling")?,
        lighting: (given.lighting != 0).then(lighting).transpose()?,
        fog_coordinate_source: (given.has_fog_coordinate != 0).then(fog).transpose()?,
        computes_point_size: given.computes_point_size != 0,
        tex_coord_sets,
    })
}

/// Fills the key of a program for vertices with GL's initial state. `size` is
/// `sizeof(glasm_fixed_vertex_key)`.
///
/// `key` belongs to the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_fixed_vertex_key_init(
    key: *mut glasm_fixed_vertex_key,
    size: usize,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller's structure has this size.
        unsafe { ffi_args::init_struct(key, size, "key") }
    })
}

/// Fills the key of a program for fragments with GL's initial state. `size` is
/// `sizeof(glasm_fixed_fragment_key)`.
///
/// `key` belongs to the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_fixed_fragment_key_init(
    key: *mut glasm_fixed_fragment_key,
    size: usize,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller's structure has this size.
        unsafe { ffi_args::init_struct(key, size, "key") }
    })
}

/// Loads the program that does what GL does without a vertex program: lighting, texture coordinate
/// generation, fog coordinate, sizes of points. It is position-invariant.
///
/// `compiler` may be NULL; it and `key` stay the caller's. `program` is set to a program that the
/// caller owns and frees with `glasm_program_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_program_create_fixed_vertex(
    compiler: Option<&glasm_compiler>,
    key: *const glasm_fixed_vertex_key,
    program: Option<&mut MaybeUninit<*mut glasm_program>>,
) -> glasm_result {
    catch_to_result(|| {
        let program = require_out_handle(program, "program")?;
        // SAFETY: the caller's structure has the size that it states.
        let text = generate_vertex_program(&unsafe { read_vertex_key(key) }?);
        let source = Source::new("fixed vertex functions", text.as_bytes());
        load_program(compiler, &source, program, None)
    })
}

/// Loads the program that does what GL does without a fragment program: texture environments, color
/// sum, fog.
///
/// `compiler` may be NULL; it and `key` stay the caller's. `program` is set to a program that the
/// caller owns and frees with `glasm_program_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_program_create_fixed_fragment(
    compiler: Option<&glasm_compiler>,
    key: *const glasm_fixed_fragment_key,
    program: Option<&mut MaybeUninit<*mut glasm_program>>,
) -> glasm_result {
    catch_to_result(|| {
        let program = require_out_handle(program, "program")?;
        // SAFETY: the caller's structure has the size that it states.
        let text = generate_fragment_program(&unsafe { read_fragment_key(key) }?);
        let source = Source::new("fixed fragment functions", text.as_bytes());
        load_program(compiler, &source, program, None)
    })
}

/// Gets the properties of an enabled light that determine the program for vertices, from its
/// position, attenuation and spot.
///
/// `state` stays the caller's; NULL denotes GL's initial state. `light` is below 8. `key` is the
/// caller's, and is set.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_light_key(
    state: Option<&glasm_state>,
    light: u32,
    key: Option<&mut MaybeUninit<glasm_light_key>>,
) -> glasm_result {
    catch_to_result(|| {
        let place = require(key, "key")?;
        if light as usize >= MAX_LIGHTS {
            return Err(Failure::invalid_argument(format!(
                "`light` is {light}, but must be below {MAX_LIGHTS}"
            )));
        }
        let light = match state {
            Some(state) => state.state().light(light),
            None => glasm::state::GlState::default().light(light),
        };
        let key = LightKey::from_light(&light);
        place.write(glasm_light_key {
            enabled: key.enabled.into(),
            positional: key.positional.into(),
            attenuated: key.attenuated.into(),
            spot: key.spot.into(),
        });
        Ok(())
    })
}

/// Gets the parts of the material that are vertex attributes: those of `material_attribute_mask`
/// whose attribute is not a texture coordinate that the fragment stage reads.
///
/// `key` stays the caller's. `mask` is the caller's, and is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_fixed_vertex_material_attributes(
    key: *const glasm_fixed_vertex_key,
    mask: Option<&mut MaybeUninit<u32>>,
) -> glasm_result {
    catch_to_result(|| {
        let mask = require(mask, "mask")?;
        mask.write(0);
        // SAFETY: the caller's structure has the size that it states.
        let key = unsafe { read_vertex_key(key) }?;
        mask.write(key.find_material_attributes().into());
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The initial keys are those of the library, whose default is GL's initial state.
    #[test]
    fn what_is_initial_is_default() {
        let (vertex, fragment) = (
            glasm_fixed_vertex_key::initial(),
            glasm_fixed_fragment_key::initial(),
        );
        // SAFETY: the structures are whole.
        let read = unsafe {
            (
                read_vertex_key(&raw const vertex),
                read_fragment_key(&raw const fragment),
            )
        };
        assert_eq!(read.0.unwrap(), FixedVertexKey::default());
        assert_eq!(read.1.unwrap(), FixedFragmentKey::default());
        assert_eq!(
            read_combiner(&fragment.texture_units[0].combine_alpha).unwrap(),
            Combine::default().alpha
        );
    }

    /// Zeros would be other values than the initial ones: textures would be one-dimensional.
    #[test]
    fn structures_with_only_a_size_are_refused() {
        let (vertex, fragment) = (
            glasm_fixed_vertex_key::zeroed(),
            glasm_fixed_fragment_key::zeroed(),
        );
        // SAFETY: the structures are whole.
        let (vertex, fragment) = unsafe {
            (
                read_vertex_key(&raw const vertex).unwrap_err(),
                read_fragment_key(&raw const fragment).unwrap_err(),
            )
        };
        let message = vertex.message();
        assert!(message.contains("glasm_fixed_vertex_key_init"), "{message}");
        let message = fragment.message();
        assert!(
            message.contains("glasm_fixed_fragment_key_init"),
            "{message}"
        );
    }

    #[test]
    fn combiners_come_back() {
        let sources = [
            CombineSource::TextureUnit(3),
            CombineSource::One,
            CombineSource::PrimaryColor,
            CombineSource::Zero,
        ];
        let combiner = Combiner {
            function: CombineFunction::ModulateSubtract,
            arguments: sources.map(|source| CombineArgument {
                source,
                operand: CombineOperand::OneMinusAlpha,
            }),
            scale: CombineScale::Four,
        };
        let given = glasm_combiner::from(combiner);
        assert_eq!(read_combiner(&given).unwrap(), combiner);
        assert!(read_combiner(&glasm_combiner { scale: 3, ..given }).is_err());
    }
}
