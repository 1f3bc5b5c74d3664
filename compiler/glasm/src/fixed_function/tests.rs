//! Checks that all keys yield programs that load.

use super::*;
use crate::{Options, Source, compile};
use std::time::{Duration, Instant};

/// A deterministic sequence of pseudorandom numbers (SplitMix64).
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
                Some(FogSource::EyePlane),
                Some(FogSource::EyeRadial),
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
            material_attributes: self.pick(&[0, 0x3FF, 0x155, 0x2A]),
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
                CombineFunction::ModulateAdd,
                CombineFunction::ModulateSignedAdd,
                CombineFunction::ModulateSubtract,
                CombineFunction::AddProducts,
                CombineFunction::AddProductsSigned,
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

/// Checks random keys. The time limit allows for a busy machine: the test needs a twentieth of it.
#[test]
fn random_keys_load() {
    let mut numbers = Numbers(2026);
    let start = Instant::now();
    for _ in 0..1000 {
        loads(&vertex_program(&numbers.vertex()));
        loads(&fragment_program(&numbers.fragment()));
    }
    assert!(start.elapsed() < Duration::from_secs(100));
}

/// Checks that keys survive a conversion to JSON and back.
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

/// Checks attributes that are materials: the indices of the front's diffuse color and shininess,
/// and of the back's emission unless set 2 is needed.
#[test]
fn materials_can_be_attributes() {
    let mut key = FixedVertex {
        lighting: Some(Lighting {
            lights: [LightForm {
                enabled: true,
                ..LightForm::default()
            }; LIGHTS],
            two_sided: true,
            material_attributes: 1 << 1 | 1 << 4 | 1 << 8,
            ..Lighting::default()
        }),
        ..FixedVertex::default()
    };
    assert_eq!(key.material_attributes(), 1 << 1 | 1 << 4 | 1 << 8);
    let text = vertex_program(&key);
    for part in [
        "vertex.attrib[6], state.light[7].diffuse",
        "temp.w, vertex.attrib[14].x",
        "vertex.attrib[10]",
        "state.material.back.shininess",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(
        !text.contains("lightprod[0].front.diffuse") && text.contains("lightprod[0].back.diffuse")
    );
    key.texcoords[2].needed = true;
    assert_eq!(key.material_attributes(), 1 << 1 | 1 << 4);
}

/// Returns keys with all features: eight positional spots on both sides, eight units with all
/// possible coordinates.
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
            material_attributes: 0x3FF,
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

/// Checks the limits of GPUs of that time: NV40 and R420 for vertices, R420 for fragments.
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

/// Checks ARB_texture_env_crossbar: a unit that names the texture of a disabled unit leaves the
/// color unchanged, and so does a disabled unit.
#[test]
fn units_that_name_textures_that_are_off_do_nothing() {
    let mut combine = Combine::default();
    combine.rgb.function = CombineFunction::Replace;
    combine.rgb.arguments[0].source = CombineSource::TextureUnit(3);
    let mut key = FixedFragment::default();
    key.units[0].target = Some(TextureTarget::D2);
    key.units[0].environment = Environment::Combine(combine);
    let nothing = fragment_program(&FixedFragment::default());
    assert_eq!(fragment_program(&key), nothing);
    key.units[3].target = Some(TextureTarget::D2);
    key.units[3].environment = Environment::Decal;
    key.units[3].base_format = BaseFormat::Alpha;
    let text = fragment_program(&key);
    assert!(text.contains("MOV_SAT color.xyz, texel3;"), "{text}");
    assert!(
        text.contains("fragment.texcoord[3], texture[3], 2D"),
        "{text}"
    );
    // An argument that the function does not have is ignored.
    combine.rgb.arguments[1].source = CombineSource::TextureUnit(200);
    key.units[0].environment = Environment::Combine(combine);
    assert_eq!(fragment_program(&key), text);
    combine.rgb.arguments[0].source = CombineSource::TextureUnit(200);
    key.units[0].environment = Environment::Combine(combine);
    assert!(!fragment_program(&key).contains("200"));
}

/// Checks that maps that GL does not support for a coordinate use the vertex coordinate, and that
/// sets that are not read are not written.
#[test]
fn coordinates_that_gl_cannot_make_come_from_the_vertex() {
    let mut key = FixedVertex::default();
    let plain = vertex_program(&key);
    key.texcoords[5].generated = [TexGenMode::SphereMap; 4];
    key.texcoords[5].transformed = true;
    assert_eq!(vertex_program(&key), plain);
    key.texcoords[5].needed = true;
    key.texcoords[5].transformed = false;
    let text = vertex_program(&key);
    assert!(
        text.contains("MOV result.texcoord[5].zw, vertex.texcoord[5];"),
        "{text}"
    );
    assert!(
        text.contains("MOV result.texcoord[5].xy, sphere;"),
        "{text}"
    );
    key.texcoords[5].generated = [TexGenMode::NormalMap; 4];
    let text = vertex_program(&key);
    assert!(
        text.contains("MOV result.texcoord[5].w, vertex.texcoord[5];"),
        "{text}"
    );
    assert!(
        text.contains("MOV result.texcoord[5].xyz, normal;"),
        "{text}"
    );
}

/// Checks that both stages have the same uniform parameters for all values of state: they only name
/// state and literals.
#[test]
fn parameters_follow_gl_state() {
    let (vertex, fragment) = largest();
    for text in [vertex_program(&vertex), fragment_program(&fragment)] {
        let source = Source::new("fixed functions", text.as_bytes());
        let shader = compile(&source, &Options::default()).unwrap();
        let slots = shader.reflection.params.unwrap().slots;
        assert!(!slots.is_empty());
        for slot in slots {
            assert!(matches!(slot, crate::ParamSource::State(_)), "{slot:?}");
        }
    }
}
