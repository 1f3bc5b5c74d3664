//! Textures: every target and mode gives a valid module; offsets, arrays.

use crate::support::*;
use glasm_codegen::Options;
use glasm_codegen::options::{DepthMode, DeviceFeatures};
use glasm_codegen::reflect::DescriptorSlot;
use glasm_ir::inst::IndexTerm;
use glasm_ir::resource::*;
use glasm_ir::*;

fn sampled(stage: Stage, texture: Texture, access: impl FnOnce(TextureId) -> TexAccess) -> Program {
    let mut m = Make::new(stage);
    let result = if stage == Stage::Fragment {
        m.color()
    } else {
        m.output(Semantic::Position)
    };
    let semantic = if stage == Stage::Fragment {
        Semantic::TexCoord(0)
    } else {
        Semantic::VertexAttribute(0)
    };
    let input = m.input(semantic);
    let id = m.b.program.textures.push(texture);
    let access = access(id);
    let t = m.temp();
    let (cc, scratch) = (m.cc(), m.temp());
    m.f(
        Op::Sub,
        Dst {
            cc: Some(cc),
            ..d(scratch, "xyzw")
        },
        &[input, r(scratch, "x")],
    );
    let sources: Vec<Src> = (0..access.source_count())
        .map(|number| input.swizzled(swizzle(["xyzw", "wzyx", "x", "zxyw"][number % 4])))
        .collect();
    m.tex(access, d(t, "xyzw"), &sources);
    m.f(Op::Mov, d(result, "xyzw"), &[r(t, "xyzw")]);
    m.finish()
}

const TEXTURE: Texture = Texture {
    units: UnitSet::Single(3),
    target: TexTarget::D2,
    shadow: false,
    texel_type: Type::F32,
    sampler: None,
};

/// Whether the languages have this mode for this texture.
fn exists(texture: &Texture, mode: TexMode) -> bool {
    use TexTarget as T;
    let target = texture.target;
    let fetched_only = target.is_multisample() || target == T::Buffer;
    let can_shadow = !matches!(target, T::D3) && !fetched_only;
    if texture.shadow && (!can_shadow || texture.texel_type != Type::F32) {
        return false;
    }
    match mode {
        TexMode::Implicit | TexMode::Bias | TexMode::Lod | TexMode::QueryLod => !fetched_only,
        TexMode::Grad => !fetched_only,
        TexMode::Fetch => !target.is_multisample() && !matches!(target, T::Cube | T::CubeArray),
        TexMode::FetchSample | TexMode::QuerySamples => target.is_multisample(),
        TexMode::Gather(_) => matches!(
            target,
            T::D2 | T::D2Array | T::Cube | T::CubeArray | T::Rect
        ),
        TexMode::GatherOffsets(_) => matches!(target, T::D2 | T::D2Array | T::Rect),
        TexMode::QuerySize => true,
    }
}

const MODES: [TexMode; 11] = [
    TexMode::Implicit,
    TexMode::Bias,
    TexMode::Lod,
    TexMode::Grad,
    TexMode::Fetch,
    TexMode::FetchSample,
    TexMode::Gather(2),
    TexMode::GatherOffsets(1),
    TexMode::QuerySize,
    TexMode::QueryLod,
    TexMode::QuerySamples,
];

#[test]
fn every_texture_target_and_mode() {
    for &(target, _) in TexTarget::ALL {
        for mode in MODES {
            for (shadow, texel) in [
                (false, Type::F32),
                (true, Type::F32),
                (false, Type::S32),
                (false, Type::U32),
            ] {
                let texture = Texture {
                    target,
                    shadow,
                    texel_type: texel,
                    ..TEXTURE
                };
                if !exists(&texture, mode) {
                    continue;
                }
                for stage in [Stage::Fragment, Stage::Vertex] {
                    let program = sampled(stage, texture, |id| TexAccess::new(id, &texture, mode));
                    check(&program);
                }
            }
        }
    }
}

#[test]
fn textures_take_samplers_of_other_units() {
    for &(target, _) in TexTarget::ALL {
        for (mode, shadow) in MODES
            .into_iter()
            .flat_map(|mode| [(mode, false), (mode, true)])
        {
            let texture = Texture {
                target,
                shadow,
                sampler: Some(5),
                ..TEXTURE
            };
            if exists(&texture, mode) {
                let program = sampled(Stage::Fragment, texture, |id| {
                    TexAccess::new(id, &texture, mode)
                });
                let reflection = check_with(&program, &Options::default()).reflection;
                assert_eq!(reflection.textures[0].unit, 3);
                let has_sampler = !target.is_multisample() && target != TexTarget::Buffer;
                let units: Vec<u32> = reflection.samplers.iter().map(|it| it.unit).collect();
                assert_eq!(units, if has_sampler { vec![5] } else { vec![] });
            }
        }
    }
    // The texture's own sampler by its number is no other one.
    let texture = Texture {
        sampler: Some(3),
        ..TEXTURE
    };
    let program = sampled(Stage::Fragment, texture, |id| {
        TexAccess::new(id, &texture, TexMode::Implicit)
    });
    let reflection = check_with(&program, &Options::default()).reflection;
    assert!(reflection.samplers.is_empty());
}

#[test]
fn texel_offsets() {
    for target in [
        TexTarget::D1,
        TexTarget::D2,
        TexTarget::D3,
        TexTarget::D2Array,
        TexTarget::Rect,
    ] {
        let texture = Texture { target, ..TEXTURE };
        for mode in [TexMode::Implicit, TexMode::Lod, TexMode::Fetch] {
            let offset = TexelOffset::Constant([-8, 7, 1]);
            check(&sampled(Stage::Fragment, texture, |id| TexAccess {
                offset,
                ..TexAccess::new(id, &texture, mode)
            }));
        }
        let dynamic = |mode| {
            sampled(Stage::Fragment, texture, |id| TexAccess {
                offset: TexelOffset::Dynamic,
                ..TexAccess::new(id, &texture, mode)
            })
        };
        for mode in [
            TexMode::Fetch,
            TexMode::Implicit,
            TexMode::Bias,
            TexMode::Lod,
        ] {
            check(&dynamic(mode));
        }
    }
    let texture = TEXTURE;
    let gather = sampled(Stage::Fragment, texture, |id| TexAccess {
        offset: TexelOffset::Dynamic,
        ..TexAccess::new(id, &texture, TexMode::Gather(0))
    });
    let module = check_with(&gather, &Options::default());
    assert!(
        module
            .reflection
            .requirements
            .features
            .contains(&"shaderImageGatherExtended")
    );
}

#[test]
fn texture_arrays_are_indexed_at_run_time() {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let input = m.input(Semantic::TexCoord(0));
    let texture = Texture {
        units: UnitSet::Array { first: 3, count: 4 },
        ..TEXTURE
    };
    let id = m.b.program.textures.push(texture);
    let index = m.temp();
    m.op(Op::And, Type::S32, d(index, "x"), &[input, input]);
    for relative in [None, Some((index, 0))] {
        let element = Some(IndexTerm {
            relative,
            offset: 1,
        });
        let access = TexAccess {
            element,
            ..TexAccess::new(id, &texture, TexMode::Implicit)
        };
        m.tex(access, d(color, "xyzw"), &[input]);
        m.f(Op::Add, d(color, "xyzw"), &[r(color, "xyzw"), input]);
    }
    let program = m.finish();
    // The index comes from an input, so it may differ between invocations; without the feature every texture is a case.
    for (divergent, features) in [
        (true, &["shaderSampledImageArrayNonUniformIndexing"][..]),
        (false, &[]),
    ] {
        let options = Options {
            device: DeviceFeatures {
                sampled_image_non_uniform_indexing: divergent,
                ..DeviceFeatures::default()
            },
            ..Options::default()
        };
        let module = check_with(&program, &options);
        let [binding] = &module.reflection.textures[..] else {
            panic!()
        };
        assert_eq!(
            (binding.descriptor_count, binding.slot),
            (4, DescriptorSlot { set: 1, binding: 3 })
        );
        assert_eq!(module.reflection.requirements.features, features);
    }
}

/// Comparisons fill what the depth mode of their unit says, with references from 0 to 1.
#[test]
fn comparisons() {
    let texture = Texture {
        shadow: true,
        ..TEXTURE
    };
    let program = sampled(Stage::Fragment, texture, |id| {
        TexAccess::new(id, &texture, TexMode::Implicit)
    });
    use DepthMode::{Alpha, Intensity, Luminance, Red};
    let modules = [Luminance, Intensity, Alpha, Red].map(|mode| {
        let options = Options {
            depth_modes: vec![Alpha, Red, Alpha, mode],
            ..Options::default()
        };
        let module = check_with(&program, &options);
        let text = disassemble(&module.words);
        assert!(text.contains("NClamp"), "{text}");
        module.words
    });
    assert_eq!(modules[0], check_with(&program, &Options::default()).words);
    for (index, module) in modules.iter().enumerate() {
        assert!(!modules[..index].contains(module));
    }
}
