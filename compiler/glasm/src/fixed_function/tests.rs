//! All keys make programs that load.

use super::*;
use crate::{Options, Source, compile};
use std::time::{Duration, Instant};

/// A sequence of numbers that looks random and is the same in each run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn coin(&mut self) -> bool {
        self.next() & 1 == 0
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[(self.next() % all.len() as u64) as usize]
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.coin().then(|| make(self))
    }

    fn vertex(&mut self) -> FixedVertex {
        FixedVertex {
            normals: self.pick(&[
                NormalScaling::None,
                NormalScaling::Rescale,
                NormalScaling::Normalize,
            ]),
            lighting: self.maybe(Self::lighting),
            fog_coordinate: self.pick(&[
                None,
                Some(FogSource::FragmentDepth),
                Some(FogSource::FogCoord),
            ]),
            point_attenuation: self.coin(),
            texcoords: std::array::from_fn(|_| TexCoords {
                needed: self.coin(),
                generated: std::array::from_fn(|_| {
                    self.pick(&[
                        TexGenMode::None,
                        TexGenMode::ObjectLinear,
                        TexGenMode::EyeLinear,
                        TexGenMode::SphereMap,
                        TexGenMode::ReflectionMap,
                        TexGenMode::NormalMap,
                    ])
                }),
                transformed: self.coin(),
            }),
        }
    }

    fn lighting(&mut self) -> Lighting {
        Lighting {
            lights: std::array::from_fn(|_| LightForm {
                enabled: self.coin(),
                positional: self.coin(),
                attenuated: self.coin(),
                spot: self.coin(),
            }),
            local_viewer: self.coin(),
            two_sided: self.coin(),
            separate_specular: self.coin(),
            color_material: self.maybe(|it| ColorMaterial {
                faces: it.pick(&[
                    MaterialFaces::Front,
                    MaterialFaces::Back,
                    MaterialFaces::Both,
                ]),
                mode: it.pick(&[
                    MaterialMode::Ambient,
                    MaterialMode::Diffuse,
                    MaterialMode::Specular,
                    MaterialMode::Emission,
                    MaterialMode::AmbientAndDiffuse,
                ]),
            }),
        }
    }

    fn fragment(&mut self) -> FixedFragment {
        FixedFragment {
            units: std::array::from_fn(|_| self.unit()),
            color_sum: self.coin(),
            fog: self.pick(&[
                None,
                Some(FogMode::Linear),
                Some(FogMode::Exp),
                Some(FogMode::Exp2),
            ]),
            unclamped: self.coin(),
        }
    }

    fn unit(&mut self) -> TextureUnit {
        TextureUnit {
            target: self.pick(&[
                None,
                Some(TextureTarget::D1),
                Some(TextureTarget::D2),
                Some(TextureTarget::D3),
                Some(TextureTarget::Cube),
                Some(TextureTarget::Rectangle),
            ]),
            base_format: self.pick(&[
                BaseFormat::Alpha,
                BaseFormat::Luminance,
                BaseFormat::LuminanceAlpha,
                BaseFormat::Intensity,
                BaseFormat::Rgb,
                BaseFormat::Rgba,
            ]),
            compared: self.coin(),
            environment: match self.next() % 7 {
                0 => Environment::Modulate,
                1 => Environment::Replace,
                2 => Environment::Decal,
                3 => Environment::Blend,
                4 => Environment::Add,
                _ => Environment::Combine(Combine {
                    rgb: self.combiner(),
                    alpha: self.combiner(),
                }),
            },
        }
    }

    fn combiner(&mut self) -> Combiner {
        Combiner {
            function: self.pick(&[
                CombineFunction::Replace,
                CombineFunction::Modulate,
                CombineFunction::Add,
                CombineFunction::AddSigned,
                CombineFunction::Interpolate,
                CombineFunction::Subtract,
                CombineFunction::Dot3Rgb,
                CombineFunction::Dot3Rgba,
            ]),
            arguments: std::array::from_fn(|_| Argument {
                source: match self.next() % 5 {
                    0 => CombineSource::Texture,
                    1 => CombineSource::TextureUnit((self.next() % 9) as u8),
                    2 => CombineSource::Constant,
                    3 => CombineSource::PrimaryColor,
                    _ => CombineSource::Previous,
                },
                operand: self.pick(&[
                    CombineOperand::Color,
                    CombineOperand::OneMinusColor,
                    CombineOperand::Alpha,
                    CombineOperand::OneMinusAlpha,
                ]),
            }),
            scale: self.pick(&[Scale::One, Scale::Two, Scale::Four]),
        }
    }
}

#[track_caller]
fn loads(text: &str) {
    let source = Source::new("fixed functions", text.as_bytes());
    match compile(&source, &Options::default()) {
        Ok(shader) => assert!(shader.warnings.list.is_empty(), "{text}"),
        Err(errors) => panic!("{text}\n{}", errors.render(&source)),
    }
}

/// The bound on time is for a machine that does other things, too: it takes a twentieth of that.
#[test]
fn random_keys_load() {
    let mut numbers = Numbers(2026);
    let start = Instant::now();
    for _ in 0..2000 {
        loads(&vertex_program(&numbers.vertex()));
        loads(&fragment_program(&numbers.fragment()));
    }
    assert!(start.elapsed() < Duration::from_secs(100));
}

/// The same keys as strings of JSON and back.
#[cfg(feature = "serde")]
#[test]
fn keys_survive_json() {
    let mut numbers = Numbers(11);
    for _ in 0..100 {
        let (vertex, fragment) = (numbers.vertex(), numbers.fragment());
        let text = serde_json::to_string(&vertex).unwrap();
        assert_eq!(serde_json::from_str::<FixedVertex>(&text).unwrap(), vertex);
        let text = serde_json::to_string(&fragment).unwrap();
        assert_eq!(
            serde_json::from_str::<FixedFragment>(&text).unwrap(),
            fragment
        );
    }
    assert_eq!(
        serde_json::from_str::<FixedVertex>("{}").unwrap(),
        FixedVertex::default()
    );
}

/// Everything at once: eight positional spots on both sides, eight units with all that coordinates can need.
fn largest() -> (FixedVertex, FixedFragment) {
    let light = LightForm {
        enabled: true,
        positional: true,
        attenuated: true,
        spot: true,
    };
    let vertex = FixedVertex {
        normals: NormalScaling::Normalize,
        lighting: Some(Lighting {
            lights: [light; LIGHTS],
            local_viewer: true,
            two_sided: true,
            separate_specular: true,
            color_material: Some(ColorMaterial::default()),
        }),
        fog_coordinate: Some(FogSource::FragmentDepth),
        point_attenuation: true,
        texcoords: [TexCoords {
            needed: true,
            generated: [TexGenMode::SphereMap; 4],
            transformed: true,
        }; UNITS],
    };
    let combiner = |number: u8, operand| Combiner {
        function: CombineFunction::Interpolate,
        arguments: std::array::from_fn(|place| Argument {
            source: CombineSource::TextureUnit((number + place as u8) % 8),
            operand,
        }),
        scale: Scale::Four,
    };
    let unit = |number| TextureUnit {
        target: Some(TextureTarget::D2),
        compared: true,
        environment: Environment::Combine(Combine {
            rgb: combiner(number, CombineOperand::OneMinusColor),
            alpha: combiner(number, CombineOperand::OneMinusAlpha),
        }),
        ..TextureUnit::default()
    };
    let fragment = FixedFragment {
        units: std::array::from_fn(|number| unit(number as u8)),
        color_sum: true,
        fog: Some(FogMode::Exp2),
        unclamped: false,
    };
    (vertex, fragment)
}

/// What GPUs of that time had: NV40 and R420 for vertices, R420 for fragments.
#[test]
fn the_largest_programs_load_and_fit_gpus() {
    let (vertex, fragment) = largest();
    let count = |text: String| {
        loads(&text);
        let source = Source::new("fixed functions", text.as_bytes());
        crate::Program::load(&source).unwrap().counts().to_owned()
    };
    let vertex = count(vertex_program(&vertex));
    assert!(vertex.instructions <= 512, "{vertex:?}");
    assert!(vertex.temporaries <= 32, "{vertex:?}");
    assert!(vertex.parameters <= 256, "{vertex:?}");
    let fragment = count(fragment_program(&fragment));
    assert!(fragment.instructions <= 512, "{fragment:?}");
    assert!(fragment.temporaries <= 32, "{fragment:?}");
}
