//! Textures and images are uploaded to a driver and read back. Without one the tests print the
//! reason and do nothing.

use super::buffers::make_stores_visible;
use super::execution::Execution;
use super::test_support::{expect_skip_reason, run_steps, with_execution};
use super::texture_objects::{create_texture, gl_target, require_texel_format};
use crate::error::Problem;
use crate::gl;
use crate::gl::glsl::use_program;
use crate::gl::tests::open;
use ash::vk;
use glasm::ir::TexTarget;
use glasm_scripts::format::{Encoding, Format};
use glasm_scripts::runner::Runner;
use glasm_scripts::script::{Convention, ImageKey, Script};
use glasm_scripts::texture::{Contents, PlaneId, TextureData, TextureShape, TextureUpdate};
use glasm_tests::skip::skip;

/// Returns every format that a script can use for a texture.
fn formats() -> impl Iterator<Item = Format> {
    let named = |raw| Format::parse_color_or_depth(&format!("{:?}", vk::Format::from_raw(raw)));
    (1..131).filter_map(named)
}

/// Returns bytes that differ from texel to texel and that no format changes: no signs of zero, and
/// no numbers that are not finite.
fn texels(format: &Format, count: usize) -> Vec<u8> {
    let texel = |at: usize| {
        let number = at as f64;
        let color = match format.encoding {
            Encoding::Uint => [1.0 + number, 2.0, 3.0, 1.0],
            Encoding::Sint => [-1.0 - number, 2.0, -3.0, 1.0],
            Encoding::Snorm => [-1.0 + number / 64.0, 0.5, -0.25, 1.0],
            Encoding::Sfloat if format.aspect == glasm_scripts::format::Aspect::Color => {
                [number - 2.5, 1000.0, -0.25, 3.0]
            }
            Encoding::Unorm
            | Encoding::Uscaled
            | Encoding::Sscaled
            | Encoding::Sfloat
            | Encoding::Srgb
            | Encoding::Ufloat
            | Encoding::SharedExponent => [number / 64.0, 0.5, 0.25, 1.0],
        };
        format.encode(color)
    };
    (0..count).flat_map(texel).collect()
}

fn shape(
    target: TexTarget,
    format: Format,
    extent: [u32; 3],
    levels: u32,
    layers: u32,
) -> TextureShape {
    TextureShape {
        target,
        format,
        extent,
        levels,
        layers,
        samples: 1,
    }
}

fn filling(shape: TextureShape) -> TextureUpdate {
    let update = TextureUpdate::full_texture(shape.clone(), None);
    let contents = Contents::Texels(texels(&shape.format, update.texels() as usize));
    TextureUpdate::full_texture(shape, Some(contents))
}

fn filled(shape: TextureShape) -> TextureData {
    TextureData::from_update(&filling(shape))
}

/// Returns the result if the driver supports such textures; otherwise prints the reason.
fn made<T>(what: &str, result: Result<T, Problem>) -> Option<T> {
    match result {
        Ok(made) => Some(made),
        Err(Problem::Unsupported(reason)) => {
            eprintln!("{what}: {reason}");
            None
        }
        Err(problem) => panic!("{what}: {problem:?}"),
    }
}

#[test]
fn texels_of_all_formats_come_back() {
    let Some(gl) = open() else { return };
    let mut passed = 0;
    for format in formats() {
        let name = format!("{:?}", format.vk);
        let data = filled(shape(TexTarget::D2, format, [5, 3, 1], 1, 1));
        let made = made(
            &name,
            create_texture(&gl, &data, gl::TEXTURE_2D, Convention::OpenGl),
        );
        let Some((texture, _)) = made else { continue };
        let format = require_texel_format(&data.shape).unwrap();
        let found = texture
            .read_image(gl::TEXTURE_2D, 0, format.client_format)
            .unwrap();
        let plane = PlaneId {
            level: 0,
            slice: 0,
            sample: 0,
        };
        assert_eq!(format.client_to_script(found), data.plane(plane), "{name}");
        passed += 1;
    }
    assert!(passed > 50, "{passed}");
}

#[test]
fn planes_of_all_targets_come_back() {
    with_execution("[test]", |_, execution| {
        for (target, _) in TexTarget::ALL {
            let (extent, layers) = match target {
                TexTarget::D1 | TexTarget::Buffer => ([8, 1, 1], 1),
                TexTarget::D1Array => ([8, 1, 1], 3),
                TexTarget::D2 | TexTarget::Rect | TexTarget::D2Multisample => ([8, 4, 1], 1),
                TexTarget::D2Array | TexTarget::D2MultisampleArray => ([8, 4, 1], 3),
                TexTarget::D3 => ([8, 4, 6], 1),
                TexTarget::Cube => ([4, 4, 1], 6),
                TexTarget::CubeArray => ([4, 4, 1], 12),
            };
            let format = Format::parse("R16G16B16A16_UNORM").unwrap();
            let mut shape = shape(*target, format, extent, 1, layers);
            shape.levels = shape.max_levels();
            shape.samples = if target.is_multisample() { 4 } else { 1 };
            let text = format!("{target:?}");
            let data = filled(shape);
            images_come_back(execution, &text, data);
        }
    });
}

/// Tests a texture as an image, which is read plane by plane.
fn images_come_back(execution: &mut Execution<'_>, what: &str, data: TextureData) {
    let key = ImageKey::from_unit(0);
    let target = gl_target(data.shape.target);
    let Some(object) = made(
        what,
        create_texture(&execution.gl, &data, target, Convention::Vulkan),
    ) else {
        return;
    };
    let shape = data.shape.clone();
    let images = &mut execution.images;
    images.update_image(key, &filling(shape.clone())).unwrap();
    images
        .table
        .get_or_create(key, |_| Ok::<_, Problem>(object))
        .unwrap();
    for plane in shape.planes() {
        let found = execution.read_image(key, plane).unwrap();
        assert_eq!(found.data, data.plane(plane), "{what} {plane:?}");
    }
}

#[test]
fn samples_of_integers_depths_and_curves_come_back() {
    let Some(gl) = open() else { return };
    for name in [
        "R32_UINT",
        "R16G16_SINT",
        "R8G8B8A8_SRGB",
        "R32G32B32A32_SFLOAT",
        "D16_UNORM",
        "D32_SFLOAT",
        "X8_D24_UNORM_PACK32",
        "D24_UNORM_S8_UINT",
        "D32_SFLOAT_S8_UINT",
    ] {
        let format = Format::parse_color_or_depth(name).unwrap();
        let mut shape = shape(TexTarget::D2Multisample, format, [3, 2, 1], 1, 1);
        shape.samples = 4;
        let data = filled(shape);
        let result = create_texture(&gl, &data, gl::TEXTURE_2D_MULTISAMPLE, Convention::OpenGl);
        let Some((texture, _)) = made(name, result) else {
            continue;
        };
        let format = require_texel_format(&data.shape).unwrap();
        for plane in data.shape.planes() {
            let read = |client| texture.read_sample(format.internal_format, plane.sample, client);
            let found = if format.has_depth_or_stencil() {
                // Depths are read as floats.
                let client = gl::ClientFormat::new(gl::DEPTH_COMPONENT, gl::FLOAT);
                let depths = read(client).unwrap();
                let (depths, _) = depths.as_chunks();
                let depths = depths.iter().map(|depth| f32::from_le_bytes(*depth));
                let encode = |depth| data.shape.format.encode([f64::from(depth); 4]);
                depths.flat_map(encode).collect()
            } else {
                read(format.client_format).unwrap()
            };
            assert_eq!(found, data.plane(plane), "{name} {plane:?}");
        }
    }
}

#[test]
fn parts_of_images_are_replaced() {
    let text = "[test]\nimage 2DArray 0 R8_UINT (2, 1, 3) 1 2 3 4 5 6\nprint image 0";
    with_execution(text, |_, execution| {
        assert_eq!(run_steps(execution), ["image 0: (1) (2)"]);
        made("images", prepare_images(execution));
        let text = b"[test]\nimage 2DArray 0 R8_UINT (2, 1, 3)\nimage 2DArray 0 layer 1 R8_UINT (2, 1) 7 8\n";
        let script = Script::parse(text).unwrap();
        execution.run_step(&script.steps[1]).unwrap();
        let texels = [0, 1, 2].map(|slice| {
            let plane = PlaneId {
                level: 0,
                slice,
                sample: 0,
            };
            let key = ImageKey::from_unit(0);
            execution.read_image(key, plane).unwrap().data
        });
        assert_eq!(texels, [[1, 2], [7, 8], [5, 6]]);
    });
}

#[test]
fn sampling_reaches_the_driver() {
    let text = "[test]\ntexture 2D 3 R8G8B8A8_UNORM (4, 4) rgbw\n\
        texparameter 2D min linear_mipmap_nearest\ntexparameter 2D wrap_t clamp_to_border\n\
        texparameter 2D border_color 0.25 0.5 0.75 1\ntexparameter 2D lod_bias 1.5\n\
        texparameter 2D max_lod 2.5\ntexparameter 2D base_level 1\ntexparameter 2D swizzle bgr1\n";
    with_execution(text, |gl, execution| {
        run_steps(execution);
        prepare_textures(execution).unwrap();
        let texture = &execution.textures.object(3).unwrap().texture;
        for (name, value) in [
            (gl::TEXTURE_MIN_FILTER, gl::LINEAR_MIPMAP_NEAREST),
            (gl::TEXTURE_MAG_FILTER, gl::NEAREST),
            (gl::TEXTURE_WRAP_S, gl::REPEAT),
            (gl::TEXTURE_WRAP_T, gl::CLAMP_TO_BORDER),
            // Without an OpenGL extension in the script the existing levels are used.
            (gl::TEXTURE_BASE_LEVEL, 0),
            (gl::TEXTURE_MAX_LEVEL, 0),
            (gl::TEXTURE_SWIZZLE_R, gl::BLUE),
            (gl::TEXTURE_SWIZZLE_A, gl::ONE),
        ] {
            let found = texture.parameter(name).unwrap();
            assert_eq!(found.cast_unsigned(), value, "{name:#x}");
        }
        let floats = |name| texture.float_parameter(name).unwrap();
        assert_eq!(floats(gl::TEXTURE_BORDER_COLOR), [0.25, 0.5, 0.75, 1.0]);
        assert_eq!(floats(gl::TEXTURE_LOD_BIAS)[0], 1.5);
        assert_eq!(floats(gl::TEXTURE_MAX_LOD)[0], 2.5);
        gl.ActiveTexture(gl::TEXTURE0 + 3).unwrap();
        let bound = gl.integer(gl::TEXTURE_BINDING_2D).unwrap();
        assert_eq!(bound.cast_unsigned(), texture.name());
    });
}

#[test]
fn programs_decide_on_targets_and_comparisons() {
    let text = "[fragment program]\n!!ARBfp1.0\nOPTION ARB_fragment_program_shadow;\n\
        TEX result.color, fragment.texcoord[0], texture[0], SHADOWRECT;\nEND\n\
        [test]\ntexture 2D 0 D16_UNORM (4, 4) ramp\ntexparameter 2D wrap_s clamp_to_edge\n\
        texparameter 2D wrap_t clamp_to_edge\ntexparameter 2D wrap_r clamp_to_edge\n\
        texture 2D 1 D16_UNORM (4, 4) ramp\n";
    with_execution(text, |_, execution| {
        execution.program_loader().load_programs().unwrap();
        run_steps(execution);
        prepare_textures(execution).unwrap();
        for (unit, target, compare) in [
            (0, gl::TEXTURE_RECTANGLE, gl::COMPARE_REF_TO_TEXTURE),
            (1, gl::TEXTURE_2D, gl::NONE),
        ] {
            let texture = &execution.textures.object(unit).unwrap().texture;
            assert_eq!(texture.target(), target);
            let found = texture.parameter(gl::TEXTURE_COMPARE_MODE).unwrap();
            assert_eq!(found.cast_unsigned(), compare);
        }
    });
}

#[test]
fn rectangles_do_not_repeat() {
    let text = "[fragment program]\n!!ARBfp1.0\n\
        TEX result.color, fragment.texcoord[0], texture[0], RECT;\nEND\n\
        [test]\ntexture 2D 0 R8_UNORM (4, 4) ramp\n";
    with_execution(text, |_, execution| {
        execution.program_loader().load_programs().unwrap();
        run_steps(execution);
        let reason = expect_skip_reason(prepare_textures(execution));
        assert_eq!(reason, "OpenGL clamps the coordinates of rectangles only");
    });
}

/// Adds 10 to each texel of image 1, and writes the number of the layer of image 0.
const STORES: &str = "#version 430
layout(local_size_x = 2) in;
layout(binding = 0, r32ui) uniform uimage2DArray layers;
layout(binding = 1, r32ui) uniform uimage2D one;
void main() {
    ivec2 at = ivec2(gl_LocalInvocationID.x, 0);
    imageStore(layers, ivec3(at, 2), uvec4(2));
    imageStore(one, at, imageLoad(one, at) + 10u);
}";

#[test]
fn programs_see_images_and_parts_of_images() {
    let text = "[test]\nimage 2DArray 0 R32_UINT (2, 1, 3)\n\
        image 2DArray 5 levels 2 R32_SINT (4, 1, 2) solid 5 0 0 0\n\
        bind image 1 5 level 1 layer 1 format R32_UINT\n";
    with_execution(text, |gl, execution| {
        if gl.version() < gl::Version(4, 3) {
            skip("no compute shaders");
            return;
        }
        run_steps(execution);
        prepare_images(execution).unwrap();
        use_program(gl, &[(gl::COMPUTE_SHADER, STORES)], &[]).unwrap();
        gl.DispatchCompute(1, 1, 1).unwrap();
        make_stores_visible(&execution.gl).unwrap();
        for (unit, level, slice, expected) in [
            (0, 0, 0, [0, 0]),
            (0, 0, 2, [2, 2]),
            (5, 1, 0, [5, 5]),
            (5, 1, 1, [15, 15]),
        ] {
            let plane = PlaneId {
                level,
                slice,
                sample: 0,
            };
            let found = execution.read_image(ImageKey::from_unit(unit), plane);
            let (words, _) = found.as_ref().unwrap().data.as_chunks();
            let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
            assert_eq!(words, expected, "{unit} {plane:?}");
        }
        let used = execution.images.table.used_planes();
        assert_eq!(used.len(), 3 + 2 * 2);
    });
}

#[test]
fn what_an_image_lacks_is_not_bound() {
    let text = "[test]\nimage 2D 0 R32_UINT (2, 1) 7 8\nbind image 1 0 level 3\n";
    with_execution(text, |gl, execution| {
        if gl.version() < gl::Version(4, 3) {
            skip("no compute shaders");
            return;
        }
        run_steps(execution);
        prepare_images(execution).unwrap();
        let name = |unit| gl.indexed_integer(gl::IMAGE_BINDING_NAME, unit).unwrap();
        assert_ne!(name(0), 0);
        assert_eq!(name(1), 0);
    });
}

fn prepare_textures(execution: &mut Execution<'_>) -> Result<(), Problem> {
    let (textures, readers) = execution.textures_and_readers();
    textures.prepare_textures(&readers)
}

fn prepare_images(execution: &mut Execution<'_>) -> Result<(), Problem> {
    execution.images.prepare_images(&execution.gl)
}
