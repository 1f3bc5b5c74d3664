//! Tests of reading commands about textures and images.

use crate::format::Format;
use crate::probe::pixels::Region;
use crate::script::Script;
use crate::script::command::{BoundImage, Command, ImageKey};
use crate::texture::{
    Contents, DepthMode, ImagePart, Pattern, PlaneId, Sampling, StoredComponents, Swizzle,
    TextureData, TextureUpdate, UpdateKind, Wrap,
};
use ash::vk;
use glasm::fixed_function::{BaseFormat, TextureFormatType};
use glasm::ir::TexTarget;

fn parse(lines: &str) -> Vec<Command> {
    let script = Script::parse(format!("[test]\n{lines}\n").as_bytes());
    let script = script.unwrap_or_else(|errors| panic!("{lines}: {errors:?}"));
    script.steps.into_iter().map(|step| step.command).collect()
}

fn error(lines: &str) -> String {
    match Script::parse(format!("[test]\n{lines}\n").as_bytes()) {
        Ok(_) => panic!("`{lines}` is read"),
        Err(errors) => errors[0].message.clone(),
    }
}

fn update(command: &Command) -> &TextureUpdate {
    if let Command::Texture { update, .. } | Command::Image { update, .. } = command {
        return update;
    }
    panic!("{command:?} is no texture")
}

/// Returns the texture that all texture commands of a script create together.
fn texture(lines: &str) -> TextureData {
    let mut data: Option<TextureData> = None;
    for command in parse(lines) {
        if let Command::Texture { update, .. } = &command {
            match &mut data {
                Some(data) => data.update(update),
                None => data = Some(TextureData::from_update(update)),
            }
        }
    }
    data.unwrap()
}

/// Returns the sampler state that the last command sets.
fn sampling(lines: &str) -> Sampling {
    match parse(lines).last() {
        Some(Command::Sampling { sampling, .. }) => *sampling,
        last => panic!("{last:?} is no sampling"),
    }
}

fn plane(level: u32, slice: u32, sample: u32) -> PlaneId {
    PlaneId {
        level,
        slice,
        sample,
    }
}

#[test]
fn every_target_has_its_sides() {
    for (command, target, extent, layers) in [
        ("1D 0 R8_UNORM (4)", TexTarget::D1, [4, 1, 1], 1),
        ("2D 0 R8_UNORM (4, 3)", TexTarget::D2, [4, 3, 1], 1),
        ("3D 0 R8_UNORM (4, 3, 2)", TexTarget::D3, [4, 3, 2], 1),
        ("cube 0 R8_UNORM (4, 4)", TexTarget::Cube, [4, 4, 1], 6),
        (
            "1DArray 0 R8_UNORM (4, 5)",
            TexTarget::D1Array,
            [4, 1, 1],
            5,
        ),
        (
            "2DArray 0 R8_UNORM (4, 3, 5)",
            TexTarget::D2Array,
            [4, 3, 1],
            5,
        ),
        (
            "cubeArray 0 R8_UNORM (4, 4, 12)",
            TexTarget::CubeArray,
            [4, 4, 1],
            12,
        ),
        ("Rect 0 R8_UNORM (4, 3)", TexTarget::Rect, [4, 3, 1], 1),
        ("buffer 0 R8_UNORM (400)", TexTarget::Buffer, [400, 1, 1], 1),
        (
            "2DMS 0 R8_UNORM (4, 3)",
            TexTarget::D2Multisample,
            [4, 3, 1],
            1,
        ),
        (
            "2DMSArray 0 R8_UNORM (4, 3, 2)",
            TexTarget::D2MultisampleArray,
            [4, 3, 1],
            2,
        ),
    ] {
        let commands = parse(&format!("texture {command} solid 1 0 0 1"));
        let shape = &update(&commands[0]).shape;
        assert_eq!(
            (shape.target, shape.extent, shape.layers),
            (target, extent, layers),
            "{command}"
        );
        let samples = if target.is_multisample() { 4 } else { 1 };
        assert_eq!((shape.levels, shape.samples), (1, samples), "{command}");
    }
}

#[test]
fn contents_of_channels_and_colors() {
    let numbers = texture("texture 2D 0 R8G8B8A8_UNORM (2, 1) 255 0 0 255  0 128 0 255");
    assert_eq!(
        numbers.plane(plane(0, 0, 0)),
        [255, 0, 0, 255, 0, 128, 0, 255]
    );
    let packed = texture("texture 2D 0 B10G11R11_UFLOAT_PACK32 (1, 1) 0x781e03c0");
    assert_eq!(packed.plane(plane(0, 0, 0)), 0x781e_03c0u32.to_le_bytes());
    let colors = texture("texture 1D 0 B8G8R8A8_UNORM (2) colors 1 0 0 1  0 0.2 0 0");
    assert_eq!(colors.plane(plane(0, 0, 0)), [0, 0, 255, 255, 0, 51, 0, 0]);
    let depths = texture("texture 2D 0 D16_UNORM (2, 1) 0.5 1");
    assert_eq!(depths.plane(plane(0, 0, 0)), [0x00, 0x80, 0xff, 0xff]);
    let odd = texture("texture 1D 0 R32_SFLOAT (2) inf nan");
    assert_eq!(odd.plane(plane(0, 0, 0))[..4], f32::INFINITY.to_le_bytes());
}

#[test]
fn levels_faces_layers_slices_and_samples_are_set_apart() {
    let chain = texture(
        "texture 2D 0 R8_UNORM (4, 2) solid 0 0 0 0\ntexture 2D 0 level 1 R8_UNORM (2, 1) 7 8\n\
         texture 2D 0 level 2 R8_UNORM (1, 1) 9",
    );
    assert_eq!(chain.shape.levels, 3);
    assert_eq!(chain.plane(plane(1, 0, 0)), [7, 8]);
    assert_eq!(chain.plane(plane(2, 0, 0)), [9]);
    let whole = texture("texture 1D 0 levels all R8_UNORM (4) 1 2 3 4  5 6  7");
    assert_eq!(whole.plane(plane(1, 0, 0)), [5, 6]);
    let faces = texture(
        "texture cube 0 face -z R8_UNORM (1, 1) 5\ntexture cube 0 face 0 R8_UNORM (1, 1) 6",
    );
    assert_eq!(
        (faces.plane(plane(0, 5, 0)), faces.plane(plane(0, 0, 0))),
        (vec![5], vec![6])
    );
    let layers = texture(
        "texture 2DArray 0 layer 2 R8_UNORM (1, 1) 5\ntexture 2DArray 0 layer 0 R8_UNORM (1, 1) 6",
    );
    assert_eq!(layers.shape.layers, 3);
    assert_eq!(
        (layers.plane(plane(0, 2, 0)), layers.plane(plane(0, 1, 0))),
        (vec![5], vec![0])
    );
    let slices = texture(
        "texture 3D 0 slice 1 R8_UNORM (2, 1) 5 6\ntexture 3D 0 level 1 slice 0 R8_UNORM (1, 1) 7",
    );
    assert_eq!((slices.shape.extent, slices.shape.levels), ([2, 1, 2], 2));
    assert_eq!(slices.plane(plane(1, 0, 0)), [7]);
    let samples = texture(
        "texture 2DMS 0 samples 2 R8_UNORM (1, 1) 1 2\ntexture 2DMS 0 sample 1 R8_UNORM (1, 1) 9",
    );
    assert_eq!(
        (samples.plane(plane(0, 0, 0)), samples.plane(plane(0, 0, 1))),
        (vec![1], vec![9])
    );
    let cubes = texture("texture cubeArray 0 layer 7 R8_UNORM (1, 1) 5");
    assert_eq!(cubes.shape.layers, 12);
}

#[test]
fn level_zero_begins_another_texture() {
    let lines = "texture 2D 0 levels all R8_UNORM (4, 4) gradient\n";
    for (line, start) in [
        ("texture 2D 0 R8_UNORM (4, 4) ramp", UpdateKind::Create),
        (
            "texture 2D 0 level 0 R8_UNORM (4, 4) ramp",
            UpdateKind::Create,
        ),
        (
            "texture 2D 0 level 1 R8_UNORM (2, 2) ramp",
            UpdateKind::Extend,
        ),
        (
            "texture 2DArray 0 layer 1 R8_UNORM (2, 2) ramp",
            UpdateKind::Create,
        ),
    ] {
        let commands = parse(&format!("{lines}{line}"));
        assert_eq!(update(&commands[2]).kind, start, "{line}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn parts_that_do_not_fit_are_refused() {
    let base = "texture 2D 0 R8_UNORM (4, 4) ramp\n";
    for (line, message) in [
        (
            "texture 2D 0 level 2 R8_UNORM (1, 1) 1",
            "level 2 does not follow: there are 1 of at most 3 levels",
        ),
        (
            "texture 2D 0 level 1 R8_UNORM (2, 1) 1 2",
            "level 1 is 2 x 2",
        ),
        (
            "texture 2D 0 level 1 R8_UINT (2, 2) 1 2 3 4",
            "there is no level 0 of a 2D texture of this format",
        ),
        (
            "texture 2D 1 level 1 R8_UNORM (2, 2) ramp",
            "there is no level 0 of a 2D texture of this format",
        ),
        (
            "texture 2D 0 layer 1 R8_UNORM (2, 2) ramp",
            "textures of target 2D have no `layer`",
        ),
        (
            "texture 2D 0 face 1 R8_UNORM (2, 2) ramp",
            "textures of target 2D have no `face`",
        ),
        (
            "texture 2DMS 0 level 1 R8_UNORM (2, 2) ramp",
            "textures of target 2DMS have no `level`",
        ),
        (
            "texture 2DMS 0 samples 2 sample 2 R8_UNORM (2, 2) ramp",
            "the texture has 2 samples",
        ),
        (
            "texture 2DMS 0 samples 3 R8_UNORM (2, 2) ramp",
            "`3` is not a number of samples",
        ),
        (
            "texture cube 0 R8_UNORM (2, 1) ramp",
            "faces of cubes are square",
        ),
        (
            "texture cube 0 face +w R8_UNORM (2, 2) ramp",
            "`+w` is not a face",
        ),
        (
            "texture cubeArray 0 R8_UNORM (1, 1, 7) ramp",
            "arrays of cubes have six layers for each cube",
        ),
        (
            "texture 2D 0 levels 4 R8_UNORM (4, 4) ramp",
            "a texture of this size has at most 3 levels",
        ),
        (
            "texture 2D 0 levels 2 level 1 R8_UNORM (4, 4) ramp",
            "`levels` stands for a whole texture",
        ),
        (
            "texture 2D 0 R8G8B8A8_UNORM (16384, 16384) rgbw",
            "this texture is too large",
        ),
        (
            "texture 2D 0 R8_UNORM (16385, 1) ramp",
            "`16385` is not a side from 1 to 16384",
        ),
        (
            "texture 2D 0 R8_UINT (2, 2) ramp",
            "this pattern does not suit the format",
        ),
        (
            "texture 2D 0 R8_UNORM (2, 2) coordinates",
            "this pattern does not suit the format",
        ),
        (
            "texture 2D 0 R8_UNORM (2, 2) plaid",
            "there is no pattern `plaid`",
        ),
        ("texture 2D 0 R8_UNORM (2, 2)", "expected 4 values, got 0"),
        (
            "texture 2D 0 R8G8B8A8_UNORM (1, 1) 1 2 3",
            "expected 4 values, got 3",
        ),
        (
            "texture 2D 0 R8G8B8A8_UNORM (1, 1) colors 1 2 3",
            "expected 4 values, got 3",
        ),
        (
            "texture 3D 0 D16_UNORM (1, 1, 1) 1",
            "textures of target 3D have no depths",
        ),
        (
            "texture 2D 0 BC1_RGB_UNORM_BLOCK (4, 4) rgbw",
            "`BC1_RGB_UNORM_BLOCK` is not a texture format of VkFormat",
        ),
        (
            "texture rgbw 32 (2, 2)",
            "`32` is not a texture image unit below 32",
        ),
        (
            "texture plaid 0 (2, 2)",
            "textures of kind `plaid` are not supported",
        ),
    ] {
        assert_eq!(error(&format!("{base}{line}")), message, "{line}");
    }
}

/// Tests every texture command of piglit's scripts against the output of piglit's generators.
#[test]
fn piglit_generators() {
    let rgbw = texture("texture rgbw 1 (2, 2)");
    let opaque = |r, g, b| [r, g, b, 255u8];
    let quarters = [
        opaque(255, 0, 0),
        opaque(0, 255, 0),
        opaque(0, 0, 255),
        [255; 4],
    ]
    .concat();
    assert_eq!(rgbw.plane(plane(0, 0, 0)), quarters);
    let checkerboard = texture("texture checkerboard 0 0 (4, 2) (0, 0, 0, 1) (1, 1, 1, 1)");
    let reds: Vec<u8> = checkerboard
        .plane(plane(0, 0, 0))
        .iter()
        .copied()
        .step_by(4)
        .collect();
    assert_eq!(reds, [0, 0, 255, 255, 255, 255, 0, 0]);
    let quads = texture(
        "texture quads 0 0 (4, 2) (1, 1) (0, 0, 0, 1) (0.2, 0, 0, 1) (0.4, 0, 0, 1) (0.6, 0, 0, 1)",
    );
    let reds: Vec<u8> = quads
        .plane(plane(0, 0, 0))
        .iter()
        .copied()
        .step_by(4)
        .collect();
    assert_eq!(reds, [0, 51, 0, 51, 102, 153, 102, 153]);
    let tree = texture("texture miptree 0");
    assert_eq!((tree.shape.extent, tree.shape.levels), ([8, 8, 1], 4));
    assert_eq!(tree.plane(plane(2, 0, 0))[..4], [0, 0, 255, 255]);
    let integer = texture("texture integer 0 (2, 1) (10, -20) GL_RG32I");
    let words: Vec<u8> = [10i32, -20, 11, -20]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    assert_eq!(integer.plane(plane(0, 0, 0)), words);
    let array = texture("texture rgbw 2DArray 0 (1, 1, 6)");
    assert_eq!(array.plane(plane(0, 5, 0)), [0, 255, 0, 255]);
    let lines = texture("texture rgbw 1DArray 0 (1, 3)");
    assert_eq!(lines.plane(plane(0, 2, 0)), [0, 0, 255, 255]);
    assert_eq!(texture("texture rgbw 1D 0").plane(plane(0, 0, 0)), quarters);
    assert_eq!(
        texture("texture rgbw 3D 0").plane(plane(0, 1, 0))[..4],
        [255, 255, 0, 255]
    );
    assert_eq!(texture("texture junk 2DArray 0 (4, 4, 2)").shape.layers, 2);
    let storage = texture("texture storage 0 2DArray GL_RGBA8 (2 4 4 3)");
    assert_eq!((storage.shape.levels, storage.shape.layers), (2, 3));
}

#[test]
fn shadow_textures_are_ramps_that_are_compared() {
    for (command, extent, layers) in [
        ("shadow1D 0 (3)", [3, 1, 1], 1),
        ("shadow2D 0 (3, 2)", [3, 2, 1], 1),
        ("shadowRect 0 (3, 2)", [3, 2, 1], 1),
        ("shadow1DArray 0 (3, 4)", [3, 1, 1], 4),
        ("shadow2DArray 0 (3, 2, 4)", [3, 2, 1], 4),
        ("shadowCube 0 (3, 3)", [3, 3, 1], 6),
        ("shadowCubeArray 0 (3, 3, 12)", [3, 3, 1], 12),
    ] {
        let line = format!("texture {command}");
        let made = texture(&line);
        assert_eq!(
            (made.shape.extent, made.shape.layers),
            (extent, layers),
            "{command}"
        );
        let row = [0f32, 0.5, 1.0].map(f32::to_le_bytes).concat();
        assert_eq!(made.plane(plane(0, layers - 1, 0))[..12], row, "{command}");
        let sampling = sampling(&line);
        assert!(sampling.compare_enable, "{command}");
        assert_eq!(sampling.compare_op, vk::CompareOp::GREATER);
        assert_eq!(sampling.wrap, [Wrap::ClampToEdge; 3]);
    }
}

#[test]
fn gl_formats_store_and_swizzle() {
    let alpha = texture("texture rgbw 0 (2, 2) GL_ALPHA8");
    assert_eq!(alpha.plane(plane(0, 0, 0)), [255; 4]);
    let luminance = texture("texture rgbw 0 (2, 2) GL_LUMINANCE");
    assert_eq!(luminance.plane(plane(0, 0, 0)), [255, 0, 0, 255]);
    let swizzle = sampling("texture rgbw 0 (2, 2) GL_LUMINANCE").swizzle;
    let red = Swizzle::Component(0);
    assert_eq!(swizzle, [red, red, red, Swizzle::One]);
    assert_eq!(
        error("texture rgbw 0 (2, 2) GL_PURPLE"),
        "`GL_PURPLE` is not an internal format of GL that is supported"
    );
    assert_eq!(
        error("texture integer 0 (2, 2) (1, 1) GL_RGBA8"),
        "expected a format of integers"
    );
}

#[test]
fn generated_textures_are_sampled_as_piglit_does() {
    let rgbw = sampling("texture rgbw 0 (2, 2)");
    assert_eq!(
        (rgbw.wrap, rgbw.min_filter),
        ([Wrap::ClampToEdge; 3], vk::Filter::NEAREST)
    );
    let checkerboard = sampling("texture checkerboard 0 0 (2, 2) (0, 0, 0, 0) (1, 1, 1, 1)");
    assert_eq!(checkerboard.wrap, [Wrap::ClampToBorder; 3]);
    assert_eq!(checkerboard.border_color, [1.0, 0.0, 0.0, 1.0]);
    let tree = sampling("texture miptree 0");
    assert_eq!(tree.mipmap_mode, Some(vk::SamplerMipmapMode::NEAREST));
    assert_eq!(
        sampling("texture 2D 0 R8_UNORM (1, 1) 1"),
        Sampling::INITIAL
    );
    let rect = sampling("texture Rect 0 R8_UNORM (1, 1) 1");
    assert_eq!(rect.wrap, [Wrap::ClampToEdge; 3]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn every_parameter_is_set() {
    let with = |line: &str| sampling(&format!("texparameter 2D {line}"));
    let initial = Sampling::INITIAL;
    let red = Swizzle::Component(0);
    for (line, expected) in [
        (
            "min linear_mipmap_nearest",
            Sampling {
                min_filter: vk::Filter::LINEAR,
                mipmap_mode: Some(vk::SamplerMipmapMode::NEAREST),
                ..initial
            },
        ),
        (
            "mag linear",
            Sampling {
                mag_filter: vk::Filter::LINEAR,
                ..initial
            },
        ),
        (
            "wrap_s clamp",
            Sampling {
                wrap: [Wrap::Clamp, Wrap::Repeat, Wrap::Repeat],
                ..initial
            },
        ),
        (
            "wrap_s mirror_clamp",
            Sampling {
                wrap: [Wrap::MirrorClamp, Wrap::Repeat, Wrap::Repeat],
                ..initial
            },
        ),
        (
            "wrap_r mirror_clamp_to_border",
            Sampling {
                wrap: [Wrap::Repeat, Wrap::Repeat, Wrap::MirrorClampToBorder],
                ..initial
            },
        ),
        (
            "wrap_t mirror_clamp_to_edge",
            Sampling {
                wrap: [Wrap::Repeat, Wrap::MirrorClampToEdge, Wrap::Repeat],
                ..initial
            },
        ),
        (
            "wrap_r mirrored_repeat",
            Sampling {
                wrap: [Wrap::Repeat, Wrap::Repeat, Wrap::MirroredRepeat],
                ..initial
            },
        ),
        (
            "border_color 0.1 0.2 0.3 0.4",
            Sampling {
                border_color: [0.1, 0.2, 0.3, 0.4],
                ..initial
            },
        ),
        (
            "compare_mode ref_to_texture",
            Sampling {
                compare_enable: true,
                ..initial
            },
        ),
        (
            "compare_func notequal",
            Sampling {
                compare_op: vk::CompareOp::NOT_EQUAL,
                ..initial
            },
        ),
        (
            "base_format signed_hilo",
            Sampling {
                format_type: Some(TextureFormatType::SignedHilo),
                ..initial
            },
        ),
        (
            "base_format dsdt_mag",
            Sampling {
                format_type: Some(TextureFormatType::DsdtMag),
                ..initial
            },
        ),
        (
            "base_format luminance_alpha",
            Sampling {
                base_format: Some(BaseFormat::LuminanceAlpha),
                ..initial
            },
        ),
        (
            "depth_mode alpha",
            Sampling {
                depth_mode: DepthMode::Alpha,
                comparison_depth_mode: DepthMode::Alpha,
                ..initial
            },
        ),
        (
            "lod_bias -1.5",
            Sampling {
                lod_bias: -1.5,
                ..initial
            },
        ),
        (
            "min_lod 1",
            Sampling {
                min_lod: 1.0,
                ..initial
            },
        ),
        (
            "max_lod 2",
            Sampling {
                max_lod: 2.0,
                ..initial
            },
        ),
        (
            "base_level 1",
            Sampling {
                base_level: 1,
                ..initial
            },
        ),
        (
            "max_level 2",
            Sampling {
                max_level: 2,
                ..initial
            },
        ),
        (
            "max_anisotropy 4",
            Sampling {
                anisotropy: 4.0,
                ..initial
            },
        ),
        (
            "swizzle_a zero",
            Sampling {
                swizzle: [
                    red,
                    Swizzle::Component(1),
                    Swizzle::Component(2),
                    Swizzle::Zero,
                ],
                ..initial
            },
        ),
        (
            "swizzle b0r1",
            Sampling {
                swizzle: [Swizzle::Component(2), Swizzle::Zero, red, Swizzle::One],
                ..initial
            },
        ),
    ] {
        assert_eq!(with(line), expected, "{line}");
    }
    for (line, message) in [
        (
            "2D mag linear_mipmap_linear",
            "`linear_mipmap_linear` is not a filter",
        ),
        ("2D compare_func more", "`more` is not a comparison"),
        ("2D swizzle rgb", "`rgb` is not four letters of `rgba01`"),
        ("2D lod_bias nan", "`nan` is not a number"),
        ("2D max_anisotropy 0", "`0` is not a number from 1 on"),
        (
            "2D filter linear",
            "texture parameter `filter` is not supported",
        ),
        ("4D mag linear", "`4D` is not a target"),
    ] {
        assert_eq!(error(&format!("texparameter {line}")), message, "{line}");
    }
}

#[test]
fn parameters_are_of_the_unit_named_last() {
    let lines = "texture rgbw 1 (2, 2)\ntexture rgbw 3D 2\nactive_texture 1\ntexparameter 2D mag linear\nactive_texture 2\n";
    let last = parse(&format!("{lines}texparameter 3D mag linear")).pop();
    assert!(matches!(last, Some(Command::Sampling { unit: 2, .. })));
    assert_eq!(
        error(&format!("{lines}texparameter 2D mag linear")),
        "texture image unit 2 holds a texture of target 3D"
    );
}

#[test]
fn depths_are_luminance_by_default_in_gl_scripts() {
    let script = "[require]\nGL_NV_gpu_program5\n[test]\ntexture 2D 0 D16_UNORM (1, 1) 1\n";
    let script = Script::parse(script.as_bytes()).unwrap();
    let found = script.steps.iter().any(|step| {
        matches!(&step.command, Command::Sampling { sampling, .. } if sampling.depth_mode == DepthMode::Luminance)
    });
    assert!(found);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn images_have_units_or_descriptors() {
    let commands = parse(
        "image 2DArray 1 R32_UINT (4, 2, 3)\nimage 2D 2:5 R8G8B8A8_UNORM (2, 2) rgbw\n\
         probe image 1 layer 2 rgba 3 1 7 0 0 1\nrelative probe image 2:5 rect rgb (0.5, 0, 0.5, 1) (0, 1, 0)\nprint image 1 layer 1",
    );
    let unit = ImageKey {
        set: 3,
        binding: 129,
    };
    assert!(
        matches!(&commands[0], Command::Image { key, update } if *key == unit && update.contents.is_none())
    );
    let bound = ImageKey { set: 2, binding: 5 };
    let Command::Image { key, update } = &commands[1] else {
        panic!("an image")
    };
    assert_eq!(
        (*key, &update.contents),
        (
            bound,
            &Some(Contents::Pattern(Pattern::Rgbw(StoredComponents::All)))
        )
    );
    let Command::ProbeImage {
        key,
        plane: probed,
        probe,
    } = &commands[2]
    else {
        panic!("a probe")
    };
    assert_eq!((*key, *probed), (unit, plane(0, 2, 0)));
    assert_eq!(
        probe.region,
        Region {
            x: 3,
            y: 1,
            width: 1,
            height: 1
        }
    );
    assert_eq!(probe.expected.values, [7.0, 0.0, 0.0, 1.0]);
    let Command::ProbeImage { probe, .. } = &commands[3] else {
        panic!("a probe")
    };
    assert_eq!(
        probe.region,
        Region {
            x: 1,
            y: 0,
            width: 1,
            height: 2
        }
    );
    assert_eq!(
        commands[4],
        Command::PrintImage {
            key: unit,
            plane: plane(0, 1, 0)
        }
    );
    assert_eq!(unit.to_string(), "image 1");
    assert_eq!(bound.to_string(), "image 2:5");
}

#[test]
fn parts_of_images_are_bound() {
    let image = ImageKey::from_unit(1);
    for (words, level, slice, format) in [
        ("", 0, None, None),
        ("level 3 format R8_SINT", 3, None, Format::parse("R8_SINT")),
        ("layer 70 level 1", 1, Some(70), None),
        ("face -x", 0, Some(1), None),
    ] {
        let lines = format!("image cube 1 R8_UINT (2, 2)\nbind image 0:7 1 {words}");
        let expected = Command::BindImage {
            binding: ImageKey { set: 0, binding: 7 },
            bound: BoundImage {
                image,
                part: ImagePart { level, slice },
                format,
            },
        };
        assert_eq!(parse(&lines)[1], expected, "{words}");
    }
}

#[test]
fn bad_image_lines() {
    for (line, message) in [
        ("probe image 0 all rgba 1 1 1 1", "image 0 is not set"),
        ("bind image 0 1 layer 2", "image 1 is not set"),
        (
            "image 2DMS 0 samples 2 R8_UINT (1, 1)\nprobe image 0 sample 2 all rgb 1 1 1",
            "`2` is not a sample below 2",
        ),
        ("image 2DM 0 R8_UINT (1, 1)", "`2DM` is not a target"),
        (
            "image 2D 32 R8_UINT (1, 1)",
            "`32` is not an image unit below 32, or SET:BINDING",
        ),
        (
            "image 2D 9:0 R8_UINT (1, 1)",
            "`9:0` is not an image unit below 32, or SET:BINDING",
        ),
        (
            "image 2D 0 R8_UINT (2, 2)\nprobe image 0 layer 1 all rgba 1 1 1 1",
            "`1` is not a layer below 1",
        ),
        (
            "image 2D 0 R8_UINT (2, 2)\nprobe image 0 level 1 all rgba 1 1 1 1",
            "`1` is not a level below 1",
        ),
        (
            "image 2D 0 R8_UINT (2, 2)\nimage 3D 0 R8_UINT (2, 2, 2)",
            "an image keeps its target for the whole script",
        ),
        (
            "image 2D 0 D16_UNORM (2, 2)",
            "storage images have no depths",
        ),
    ] {
        assert_eq!(error(line), message, "{line}");
    }
}

/// Checks that no line makes the parser panic or allocate much memory: truncated and malformed
/// commands all result in errors or commands.
#[test]
fn truncated_commands_are_errors() {
    let line = "texture 2DMSArray 0 samples 4 sample 1 layer 2 R8G8B8A8_UNORM (2, 2) colors 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1";
    for end in 1..line.len() {
        if let Some(cut) = line.get(..end) {
            let _ = Script::parse(format!("[test]\n{cut}\n").as_bytes());
        }
    }
    let format = Format::parse("R8G8B8A8_UNORM").unwrap();
    assert_eq!(update(&parse(line)[0]).shape.format, format);
}
