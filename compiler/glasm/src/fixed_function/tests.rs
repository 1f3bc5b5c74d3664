//! Checks that all keys yield programs that load.

use super::*;
use crate::{Options, Source, compile};
use glasm_tests::clock;
use glasm_tests::rng::Rng;
use std::time::Duration;

/// Generator of random keys.
struct KeyGenerator(Rng);

impl KeyGenerator {
    fn next(&mut self) -> u64 {
        self.0.bits()
    }

    fn pick_bool(&mut self) -> bool {
        self.next() & 1 == 0
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        *self.0.pick(all)
    }

    fn pick_option<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.pick_bool().then(|| make(self))
    }

    fn generate_vertex_key(&mut self) -> FixedVertexKey {
        FixedVertexKey {
            normal_scaling: self.pick(&[
                NormalScaling::None,
                NormalScaling::Rescale,
                NormalScaling::Normalize,
            ]),
            lighting: self.pick_option(Self::generate_lighting),
            fog_coordinate_source: self.pick(&[
                None,
                Some(FogSource::FragmentDepth),
                Some(FogSource::EyePlane),
                Some(FogSource::EyeRadial),
                Some(FogSource::FogCoord),
            ]),
            computes_point_size: self.pick_bool(),
            tex_coord_sets: std::array::from_fn(|_| TexCoordSet {
                is_read: self.pick_bool(),
                generation_modes: std::array::from_fn(|_| {
                    self.pick(&[
                        TexGenMode::None,
                        TexGenMode::ObjectLinear,
                        TexGenMode::EyeLinear,
                        TexGenMode::SphereMap,
                        TexGenMode::ReflectionMap,
                        TexGenMode::NormalMap,
                    ])
                }),
                has_texture_matrix: self.pick_bool(),
            }),
        }
    }

    fn generate_lighting(&mut self) -> LightingKey {
        LightingKey {
            lights: std::array::from_fn(|_| LightKey {
                enabled: self.pick_bool(),
                positional: self.pick_bool(),
                attenuated: self.pick_bool(),
                spot: self.pick_bool(),
            }),
            local_viewer: self.pick_bool(),
            two_sided: self.pick_bool(),
            separate_specular: self.pick_bool(),
            color_material: self.pick_option(|it| ColorMaterial {
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

    fn generate_fragment_key(&mut self) -> FixedFragmentKey {
        FixedFragmentKey {
            texture_units: std::array::from_fn(|_| self.generate_texture_unit()),
            color_sum: self.pick_bool(),
            fog_mode: self.pick(&[
                None,
                Some(FogMode::Linear),
                Some(FogMode::Exp),
                Some(FogMode::Exp2),
            ]),
            unclamped_colors: self.pick_bool(),
        }
    }

    fn generate_texture_unit(&mut self) -> TextureUnit {
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
            compares_depth: self.pick_bool(),
            environment: match self.next() % 7 {
                0 => TextureEnvironment::Modulate,
                1 => TextureEnvironment::Replace,
                2 => TextureEnvironment::Decal,
                3 => TextureEnvironment::Blend,
                4 => TextureEnvironment::Add,
                _ => TextureEnvironment::Combine(Combine {
                    rgb: self.generate_combiner(),
                    alpha: self.generate_combiner(),
                }),
            },
        }
    }

    fn generate_combiner(&mut self) -> Combiner {
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
            arguments: std::array::from_fn(|_| CombineArgument {
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
            scale: self.pick(&[CombineScale::One, CombineScale::Two, CombineScale::Four]),
        }
    }
}

#[track_caller]
fn assert_loads(text: &str) {
    let source = Source::new("fixed functions", text.as_bytes());
    match compile(&source, &Options::default()) {
        Ok(shader) => assert!(shader.warnings.list.is_empty(), "{text}"),
        Err(errors) => panic!("{text}\n{}", errors.render(&source)),
    }
}

/// Checks random keys, in limited processor time.
#[test]
fn random_keys_load() {
    let mut numbers = KeyGenerator(Rng::new(2026));
    let time = clock::time(|| {
        for _ in 0..1000 {
            assert_loads(&generate_vertex_program(&numbers.generate_vertex_key()));
            assert_loads(&generate_fragment_program(&numbers.generate_fragment_key()));
        }
    });
    assert!(time < Duration::from_secs(30), "{time:?}");
}

/// Checks that keys survive a conversion to JSON and back.
#[cfg(feature = "serde")]
#[test]
fn keys_survive_json() {
    let mut numbers = KeyGenerator(Rng::new(11));
    for _ in 0..100 {
        let (vertex, fragment) = (
            numbers.generate_vertex_key(),
            numbers.generate_fragment_key(),
        );
        let text = serde_json::to_string(&vertex).unwrap();
        assert_eq!(
            serde_json::from_str::<FixedVertexKey>(&text).unwrap(),
            vertex
        );
        let text = serde_json::to_string(&fragment).unwrap();
        assert_eq!(
            serde_json::from_str::<FixedFragmentKey>(&text).unwrap(),
            fragment
        );
    }
    assert_eq!(
        serde_json::from_str::<FixedVertexKey>("{}").unwrap(),
        FixedVertexKey::default()
    );
}

/// Checks attributes that are materials: the indices of the front's diffuse color and shininess,
/// and of the back's emission unless set 2 is needed.
#[test]
fn materials_can_be_attributes() {
    let mut key = FixedVertexKey {
        lighting: Some(LightingKey {
            lights: [LightKey {
                enabled: true,
                ..LightKey::default()
            }; MAX_LIGHTS],
            two_sided: true,
            material_attributes: 1 << 1 | 1 << 4 | 1 << 8,
            ..LightingKey::default()
        }),
        ..FixedVertexKey::default()
    };
    assert_eq!(key.find_material_attributes(), 1 << 1 | 1 << 4 | 1 << 8);
    let text = generate_vertex_program(&key);
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
    key.tex_coord_sets[2].is_read = true;
    assert_eq!(key.find_material_attributes(), 1 << 1 | 1 << 4);
}

/// Returns keys with all features: eight positional spots on both sides, eight units with all
/// possible coordinates.
fn make_largest_keys() -> (FixedVertexKey, FixedFragmentKey) {
    let light = LightKey {
        enabled: true,
        positional: true,
        attenuated: true,
        spot: true,
    };
    let vertex = FixedVertexKey {
        normal_scaling: NormalScaling::Normalize,
        lighting: Some(LightingKey {
            lights: [light; MAX_LIGHTS],
            local_viewer: true,
            two_sided: true,
            separate_specular: true,
            color_material: Some(ColorMaterial::default()),
            material_attributes: 0x3FF,
        }),
        fog_coordinate_source: Some(FogSource::FragmentDepth),
        computes_point_size: true,
        tex_coord_sets: [TexCoordSet {
            is_read: true,
            generation_modes: [TexGenMode::SphereMap; 4],
            has_texture_matrix: true,
        }; MAX_TEXTURE_UNITS],
    };
    let combiner = |number: u8, operand| Combiner {
        function: CombineFunction::Interpolate,
        arguments: std::array::from_fn(|place| CombineArgument {
            source: CombineSource::TextureUnit((number + place as u8) % 8),
            operand,
        }),
        scale: CombineScale::Four,
    };
    let unit = |number| TextureUnit {
        target: Some(TextureTarget::D2),
        compares_depth: true,
        environment: TextureEnvironment::Combine(Combine {
            rgb: combiner(number, CombineOperand::OneMinusColor),
            alpha: combiner(number, CombineOperand::OneMinusAlpha),
        }),
        ..TextureUnit::default()
    };
    let fragment = FixedFragmentKey {
        texture_units: std::array::from_fn(|number| unit(number as u8)),
        color_sum: true,
        fog_mode: Some(FogMode::Exp2),
        unclamped_colors: false,
    };
    (vertex, fragment)
}

/// Checks the limits of GPUs of that time: NV40 and R420 for vertices, R420 for fragments.
#[test]
fn the_largest_programs_load_and_fit_gpus() {
    let (vertex, fragment) = make_largest_keys();
    let count = |text: String| {
        assert_loads(&text);
        let source = Source::new("fixed functions", text.as_bytes());
        crate::Program::load(&source).unwrap().counts().to_owned()
    };
    let vertex = count(generate_vertex_program(&vertex));
    assert!(vertex.instructions <= 512, "{vertex:?}");
    assert!(vertex.temporaries <= 32, "{vertex:?}");
    assert!(vertex.parameters <= 256, "{vertex:?}");
    let fragment = count(generate_fragment_program(&fragment));
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
    let mut key = FixedFragmentKey::default();
    key.texture_units[0].target = Some(TextureTarget::D2);
    key.texture_units[0].environment = TextureEnvironment::Combine(combine);
    let nothing = generate_fragment_program(&FixedFragmentKey::default());
    assert_eq!(generate_fragment_program(&key), nothing);
    key.texture_units[3].target = Some(TextureTarget::D2);
    key.texture_units[3].environment = TextureEnvironment::Decal;
    key.texture_units[3].base_format = BaseFormat::Alpha;
    let text = generate_fragment_program(&key);
    assert!(text.contains("MOV_SAT color.xyz, texel3;"), "{text}");
    assert!(
        text.contains("fragment.texcoord[3], texture[3], 2D"),
        "{text}"
    );
    // An argument that the function does not have is ignored.
    combine.rgb.arguments[1].source = CombineSource::TextureUnit(200);
    key.texture_units[0].environment = TextureEnvironment::Combine(combine);
    assert_eq!(generate_fragment_program(&key), text);
    combine.rgb.arguments[0].source = CombineSource::TextureUnit(200);
    key.texture_units[0].environment = TextureEnvironment::Combine(combine);
    assert!(!generate_fragment_program(&key).contains("200"));
}

/// Checks that maps that GL does not support for a coordinate use the vertex coordinate, and that
/// sets that are not read are not written.
#[test]
fn coordinates_that_gl_cannot_make_come_from_the_vertex() {
    let mut key = FixedVertexKey::default();
    let plain = generate_vertex_program(&key);
    key.tex_coord_sets[5].generation_modes = [TexGenMode::SphereMap; 4];
    key.tex_coord_sets[5].has_texture_matrix = true;
    assert_eq!(generate_vertex_program(&key), plain);
    key.tex_coord_sets[5].is_read = true;
    key.tex_coord_sets[5].has_texture_matrix = false;
    let text = generate_vertex_program(&key);
    assert!(
        text.contains("MOV result.texcoord[5].zw, vertex.texcoord[5];"),
        "{text}"
    );
    assert!(
        text.contains("MOV result.texcoord[5].xy, sphere;"),
        "{text}"
    );
    key.tex_coord_sets[5].generation_modes = [TexGenMode::NormalMap; 4];
    let text = generate_vertex_program(&key);
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
    let (vertex, fragment) = make_largest_keys();
    for text in [
        generate_vertex_program(&vertex),
        generate_fragment_program(&fragment),
    ] {
        let source = Source::new("fixed functions", text.as_bytes());
        let shader = compile(&source, &Options::default()).unwrap();
        let slots = shader.reflection.parameter_block.unwrap().parameters;
        assert!(!slots.is_empty());
        for slot in slots {
            assert!(matches!(slot, crate::ParamSource::State(_)), "{slot:?}");
        }
    }
}
