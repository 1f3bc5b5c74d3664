//! Wrap modes that programs apply themselves: every mode gives a valid module for every target and access, and costs only what it must.

use crate::support::*;
use glasm_codegen::Options;
use glasm_codegen::options::{MipFilter, StateSource, TexelFilter, TextureWrap, WrapMode};
use glasm_ir::resource::*;
use glasm_ir::*;

const TEXTURE: Texture = Texture {
    units: UnitSet::Single(1),
    target: TexTarget::D2,
    shadow: false,
    texel_type: Type::F32,
    sampler: None,
};

/// A program with one access.
fn sampled(stage: Stage, texture: Texture, mode: TexMode, offset: TexelOffset) -> Program {
    let mut m = Make::new(stage);
    let (result, semantic) = if stage == Stage::Fragment {
        (m.color(), Semantic::TexCoord(0))
    } else {
        (m.output(Semantic::Position), Semantic::VertexAttribute(0))
    };
    let input = m.input(semantic);
    let id = m.b.program.textures.push(texture);
    let access = TexAccess {
        offset,
        ..TexAccess::new(id, &texture, mode)
    };
    let sources: Vec<Src> = (0..access.source_count())
        .map(|number| input.swizzled(swizzle(["xyzw", "wzyx", "zxyw"][number % 3])))
        .collect();
    m.tex(access, d(result, "xyzw"), &sources);
    m.finish()
}

fn options(wrap: TextureWrap) -> Options {
    Options {
        texture_wraps: vec![TextureWrap::default(), wrap],
        ..Options::default()
    }
}

fn all(mode: WrapMode, filter: TexelFilter, levels: MipFilter) -> TextureWrap {
    TextureWrap {
        wrap_modes: [mode; 3],
        mag_filter: filter,
        min_filter: filter,
        mip_filter: levels,
    }
}

fn text(program: &Program, wrap: TextureWrap) -> String {
    disassemble(&check_with(program, &options(wrap)).words)
}

const TARGETS: [TexTarget; 8] = [
    TexTarget::D1,
    TexTarget::D2,
    TexTarget::D3,
    TexTarget::Cube,
    TexTarget::Rect,
    TexTarget::D1Array,
    TexTarget::D2Array,
    TexTarget::CubeArray,
];

const MODES: [TexMode; 6] = [
    TexMode::Implicit,
    TexMode::Bias,
    TexMode::Lod,
    TexMode::Grad,
    TexMode::Gather(1),
    TexMode::GatherOffsets(0),
];

/// Whether the languages have such an access.
fn exists(texture: &Texture, mode: TexMode, offset: TexelOffset) -> bool {
    use TexTarget as T;
    let gathers = matches!(mode, TexMode::Gather(_) | TexMode::GatherOffsets(_));
    let is_cube = matches!(texture.target, T::Cube | T::CubeArray);
    let flat = matches!(texture.target, T::D2 | T::D2Array | T::Rect);
    let can_shadow = texture.target != T::D3 && texture.texel_type == Type::F32;
    (!texture.shadow || can_shadow)
        && !(is_cube && offset != TexelOffset::None)
        && (!gathers || flat || is_cube && matches!(mode, TexMode::Gather(_)))
        && (!matches!(mode, TexMode::GatherOffsets(_)) || offset == TexelOffset::None)
}

#[test]
fn every_target_access_and_mode() {
    let offsets = [
        TexelOffset::None,
        TexelOffset::Constant([-8, 7, 1]),
        TexelOffset::Dynamic,
    ];
    let mixed = TextureWrap {
        wrap_modes: [
            WrapMode::MirrorClamp,
            WrapMode::Clamp,
            WrapMode::MirrorClampToEdge,
        ],
        mag_filter: TexelFilter::Linear,
        min_filter: TexelFilter::Nearest,
        mip_filter: MipFilter::Linear,
    };
    let border = all(
        WrapMode::MirrorClampToBorder,
        TexelFilter::Linear,
        MipFilter::Nearest,
    );
    let nearest = all(WrapMode::Clamp, TexelFilter::Nearest, MipFilter::None);
    let mut number = 0;
    for target in TARGETS {
        for (mode, offset) in MODES
            .iter()
            .flat_map(|mode| offsets.map(|offset| (*mode, offset)))
        {
            for (shadow, texel) in [(false, Type::F32), (true, Type::F32), (false, Type::U32)] {
                let texture = Texture {
                    target,
                    shadow,
                    texel_type: texel,
                    ..TEXTURE
                };
                if !exists(&texture, mode, offset) {
                    continue;
                }
                for stage in [Stage::Fragment, Stage::Vertex] {
                    let program = sampled(stage, texture, mode, offset);
                    // Each program with one of the settings, and for one target.
                    let wrap = [mixed, border, nearest][number % 3];
                    check_one(&program, &options(wrap), number / 3);
                    number += 1;
                }
            }
        }
    }
}

#[test]
fn other_units_and_cubes_are_left_alone() {
    let wrap = all(WrapMode::Clamp, TexelFilter::Linear, MipFilter::Linear);
    for texture in [
        Texture {
            units: UnitSet::Single(0),
            ..TEXTURE
        },
        Texture {
            units: UnitSet::Single(2),
            ..TEXTURE
        },
        Texture {
            target: TexTarget::Cube,
            ..TEXTURE
        },
    ] {
        let program = sampled(
            Stage::Fragment,
            texture,
            TexMode::Implicit,
            TexelOffset::None,
        );
        let plain = check_with(&program, &Options::default());
        assert_eq!(check_with(&program, &options(wrap)).words, plain.words);
    }
    let program = sampled(
        Stage::Fragment,
        TEXTURE,
        TexMode::Implicit,
        TexelOffset::None,
    );
    let plain = check_with(&program, &Options::default());
    let third = TextureWrap {
        wrap_modes: [WrapMode::BySampler, WrapMode::BySampler, WrapMode::Clamp],
        ..wrap
    };
    assert_eq!(check_with(&program, &options(third)).words, plain.words);
}

/// A clamp, and derivatives only where the level of detail matters.
#[test]
fn costs() {
    let program = sampled(
        Stage::Fragment,
        TEXTURE,
        TexMode::Implicit,
        TexelOffset::None,
    );
    let clamp = |filter, levels| text(&program, all(WrapMode::Clamp, filter, levels));
    let (linear, nearest) = (TexelFilter::Linear, TexelFilter::Nearest);
    let cheapest = clamp(linear, MipFilter::None);
    assert_eq!(count(&cheapest, "NClamp"), 1);
    for word in ["OpDPdx", "OpImageQuerySizeLod", "OpImageQueryLod"] {
        assert_eq!(count(&cheapest, word), 0, "{word}");
    }
    let levels = clamp(linear, MipFilter::Linear);
    assert_eq!((count(&levels, "OpDPdx"), count(&levels, "OpDPdy")), (1, 1));
    assert_eq!(count(&levels, "OpImageQuerySizeLod"), 0);
    let sizes = clamp(nearest, MipFilter::None);
    assert_eq!(
        (
            count(&sizes, "OpImageQuerySizeLod"),
            count(&sizes, "OpDPdx")
        ),
        (1, 0)
    );
    let mirror = |levels| text(&program, all(WrapMode::MirrorClamp, linear, levels));
    assert_eq!(count(&mirror(MipFilter::None), "OpImageQueryLod"), 0);
    assert_eq!(count(&mirror(MipFilter::Nearest), "OpImageQueryLod"), 1);
}

#[test]
fn biases_scale_derivatives() {
    let wrap = all(WrapMode::Clamp, TexelFilter::Linear, MipFilter::Nearest);
    for (stage, exponents) in [(Stage::Fragment, 1), (Stage::Vertex, 0)] {
        let program = sampled(stage, TEXTURE, TexMode::Bias, TexelOffset::None);
        assert_eq!(count(&text(&program, wrap), "Exp2"), exponents);
    }
}

/// Devices without offsets that are no constants for gathers do not need them here.
#[test]
fn moved_gathers_need_no_feature() {
    let wrap = all(WrapMode::Clamp, TexelFilter::Linear, MipFilter::None);
    let program = sampled(
        Stage::Fragment,
        TEXTURE,
        TexMode::GatherOffsets(0),
        TexelOffset::None,
    );
    let mut options = options(wrap);
    options.device.image_gather_extended = false;
    check_with(&program, &options);
}

/// Derivatives are those of the coordinate before any clamp, whichever mode the module reads when it runs.
#[test]
fn wraps_by_state_keep_the_level_of_detail() {
    let mut options = Options::default();
    options.state_sources.texture_wraps = StateSource::UniformBlock;
    let program = sampled(
        Stage::Fragment,
        TEXTURE,
        TexMode::Implicit,
        TexelOffset::None,
    );
    let text = disassemble(&check_with(&program, &options).words);
    assert_eq!((count(&text, "OpDPdx"), count(&text, "OpDPdy")), (1, 1));
}

#[test]
fn wraps_that_modules_read() {
    let forms = [StateSource::SpecConstant, StateSource::UniformBlock];
    for (stage, mode) in [
        (Stage::Fragment, TexMode::Implicit),
        (Stage::Vertex, TexMode::Lod),
    ] {
        for form in forms {
            let mut options = options(TextureWrap::default());
            options.state_sources.texture_wraps = form;
            let program = sampled(stage, TEXTURE, mode, TexelOffset::None);
            let text = disassemble(&check_with(&program, &options).words);
            // Nearest and linear filters are bits of the word that a module reads.
            assert_ne!(count(&text, "OpLogicalOr"), 0, "{text}");
        }
    }
}

/// The numbers are those of OpenGL's registry.
#[test]
fn modes_and_filters_of_gl() {
    const REPEAT: u32 = 0x2901;
    const NEAREST: u32 = 0x2600;
    const LINEAR: u32 = 0x2601;
    const LINEAR_MIPMAP_NEAREST: u32 = 0x2701;
    const NEAREST_MIPMAP_LINEAR: u32 = 0x2702;
    let mode = |wrap: u32| TextureWrap::from_gl([REPEAT, wrap, REPEAT], NEAREST, NEAREST);
    for (wrap, expected) in [
        (REPEAT, WrapMode::BySampler),
        (0x812d, WrapMode::BySampler), // CLAMP_TO_BORDER
        (0x812f, WrapMode::BySampler), // CLAMP_TO_EDGE
        (0x8370, WrapMode::BySampler), // MIRRORED_REPEAT
        (0x2900, WrapMode::Clamp),
        (0x8742, WrapMode::MirrorClamp),
        (0x8743, WrapMode::MirrorClampToEdge),
        (0x8912, WrapMode::MirrorClampToBorder),
    ] {
        let expected = [WrapMode::BySampler, expected, WrapMode::BySampler];
        assert_eq!(
            mode(wrap).map(|it| it.wrap_modes),
            Some(expected),
            "{wrap:#x}"
        );
    }
    assert_eq!(mode(LINEAR), None);

    let filters = |mag_filter, min_filter| {
        let wrap = TextureWrap::from_gl([REPEAT; 3], mag_filter, min_filter)?;
        Some((wrap.mag_filter, wrap.min_filter, wrap.mip_filter))
    };
    let (nearest, linear) = (TexelFilter::Nearest, TexelFilter::Linear);
    for (mag_filter, min_filter, expected) in [
        (NEAREST, LINEAR, Some((nearest, linear, MipFilter::None))),
        (
            LINEAR,
            LINEAR_MIPMAP_NEAREST,
            Some((linear, linear, MipFilter::Nearest)),
        ),
        (
            LINEAR,
            NEAREST_MIPMAP_LINEAR,
            Some((linear, nearest, MipFilter::Linear)),
        ),
        (LINEAR, 0x2704, None),
        // Magnification has no levels.
        (LINEAR_MIPMAP_NEAREST, LINEAR, None),
        (REPEAT, LINEAR, None),
    ] {
        assert_eq!(filters(mag_filter, min_filter), expected, "{mag_filter:#x}");
    }
}
