//! Options, reflections, modules and messages as JSON and back.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::reflect::Reflection;
use glasm::{
    Acceptance, AlphaTest, BindingLayout, Capture, ClipDepth, Code, CompareFunction, Conventions,
    DebugInfo, DepthMode, DeviceFeatures, Diagnostics, Dialect, FixedState, HandleLimits,
    InterfaceTypes, LevelFilter, LineStipple, LodBias, Options, Place, PointOrigin, PolygonStipple,
    PrimitiveNumbers, ProgramType, Semantic, Shader, Source, Stage, StateForm, StateForms, Target,
    TexelFilter, TexelFormat, TextureWrap, TgsiOptions, TransformFeedback, TypeBase, Varyings,
    WrapMode, cache_key, compile,
};
use glasm_tests::scripts::all_programs;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};

/// Options with something in every list, and no variant that is the default.
#[expect(clippy::too_many_lines, reason = "a value for every option")]
fn all_options() -> Options {
    Options {
        target: Target::Vulkan1_2,
        device: DeviceFeatures {
            float64: false,
            ..DeviceFeatures::default()
        },
        bindings: BindingLayout {
            param_binding: Some(7),
            ..BindingLayout::default()
        },
        conventions: Conventions {
            clip_depth: ClipDepth::NegativeOneToOne,
            ..Conventions::default()
        },
        fixed: FixedState {
            point_origin: PointOrigin::LowerLeft,
            // All bits of floats are preserved, also those of a NaN.
            point_size: Some(f32::NAN.to_bits()),
            unwritten_point_size: Some(1),
            vertex_limit: Some(3),
            primitive_numbers: PrimitiveNumbers::Halved,
            quadrilaterals: true,
            alpha_test: AlphaTest::new(CompareFunction::GreaterEqual, -0.0),
            line_stipple: Some(LineStipple::new(3, 0xaaaa, [1.0, 2.0, 3.0, -4.0])),
            ..FixedState::default()
        },
        forms: StateForms {
            alpha_test: StateForm::Uniform,
            ..StateForms::all(StateForm::Specialized)
        },
        polygon_stipple: Some(Box::new(PolygonStipple::new(&[0x81; 128]))),
        debug: DebugInfo::default(),
        interface: InterfaceTypes {
            attributes: vec![TypeBase::Float, TypeBase::Unsigned],
            colors: vec![TypeBase::Signed],
            inputs: Varyings::Packed(vec![Semantic::Color(1), Semantic::FogCoord]),
            outputs: Varyings::Placed(vec![Place::vector(
                Semantic::Generic(3),
                4,
                TypeBase::Float,
            )]),
        },
        handles: HandleLimits::default(),
        depth_modes: vec![DepthMode::Red],
        signed_hilo: vec![true],
        image_formats: vec![None, Some(TexelFormat::R11fG11fB10f)],
        texture_wraps: vec![TextureWrap {
            modes: [
                WrapMode::Clamp,
                WrapMode::MirrorClampToEdge,
                WrapMode::Sampler,
            ],
            magnify: TexelFilter::Linear,
            minify: TexelFilter::Nearest,
            levels: LevelFilter::Base,
        }],
        lod_biases: vec![LodBias::from(-0.0)],
        transform_feedback: TransformFeedback {
            captures: vec![Capture {
                semantic: Semantic::FragColor {
                    buffer: 1,
                    index: 0,
                },
                first: 1,
                count: 2,
                buffer: 3,
                offset: 4,
                stream: 0,
            }],
            strides: vec![16],
        },
        legacy_multiply: true,
        fast_precision: true,
        exact_denormals: true,
    }
}

fn key(options: &Options) -> glasm::CacheKey {
    cache_key(&Source::new("", ""), options)
}

/// Returns variants of a tree, each with a different number, boolean or missing value at one
/// position; other values have no variant that is certainly valid.
fn neighbors(value: &Value) -> Vec<Value> {
    let changed = |neighbor: Value| vec![neighbor];
    match value {
        Value::Bool(truth) => changed(json!(!truth)),
        // Never past the maximum of a type: most numbers are small, and large ones are below the
        // maximum.
        Value::Number(number) => changed(json!(number.as_u64().unwrap() + 1)),
        Value::Null => changed(json!(5)),
        Value::String(_) => Vec::new(),
        Value::Array(list) => {
            let each = list.iter().enumerate().flat_map(|(index, item)| {
                neighbors(item).into_iter().map(move |item| (index, item))
            });
            let replaced = |(index, item): (usize, Value)| {
                let mut list = list.clone();
                list[index] = item;
                Value::Array(list)
            };
            each.map(replaced).collect()
        }
        Value::Object(fields) => {
            let each = fields.iter().flat_map(|(name, field)| {
                neighbors(field).into_iter().map(move |field| (name, field))
            });
            let replaced = |(name, field): (&String, Value)| {
                let mut fields = fields.clone();
                fields.insert(name.clone(), field);
                Value::Object(fields)
            };
            each.map(replaced).collect()
        }
    }
}

#[test]
fn options_come_back_and_every_field_counts() {
    let options = all_options();
    let text = serde_json::to_string(&options).unwrap();
    assert_eq!(serde_json::from_str::<Options>(&text).unwrap(), options);
    assert_eq!(
        serde_json::from_value::<Options>(json!({})).unwrap(),
        Options::default()
    );

    let mut value = serde_json::to_value(&options).unwrap();
    // A format has no variant, so that an adjacent missing format has none either.
    value["image_formats"] = json!(["Rgba8"]);
    let neighbors = neighbors(&value);
    assert!(neighbors.len() > 100, "{}", neighbors.len());
    let mut keys = HashSet::from([key(&serde_json::from_value(value).unwrap())]);
    for neighbor in &neighbors {
        let options: Options = serde_json::from_value(neighbor.clone()).unwrap();
        assert_eq!(&serde_json::to_value(&options).unwrap(), neighbor);
        assert!(keys.insert(key(&options)), "{neighbor}");
    }
}

#[test]
fn settings_are_called_as_in_the_documentation() {
    let options: Options = serde_json::from_value(json!({
        "target": "vulkan1_3",
        "device": {"int64": false, "subgroups": {"size": 64}},
        "conventions": {"clip_depth": "negative_one_to_one"},
        "interface": {"inputs": {"packed": [{"tex_coord": 2}, "position"]}},
        "image_formats": [null, "Rgba8"],
    }))
    .unwrap();
    assert_eq!(options.target, Target::Vulkan1_3);
    let opengl: Target = serde_json::from_value(json!("opengl4_5")).unwrap();
    assert_eq!(opengl, Target::OpenGl4_5);
    assert!(!options.device.int64 && options.device.int16);
    assert_eq!(options.device.subgroups.size, 64);
    assert!(options.device.subgroups.vote);
    assert_eq!(options.conventions.clip_depth, ClipDepth::NegativeOneToOne);
    let packed = vec![Semantic::TexCoord(2), Semantic::Position];
    assert_eq!(options.interface.inputs, Varyings::Packed(packed));
    assert_eq!(options.image_formats, [None, Some(TexelFormat::Rgba8)]);

    for wrong in [
        json!({"tarket": "vulkan1_3"}),
        json!({"target": "vulkan9"}),
        json!({"device": {"int65": true}}),
        json!({"fixed": {"clip_planes": 256}}),
    ] {
        assert!(
            serde_json::from_value::<Options>(wrong.clone()).is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn settings_of_sources_come_back() {
    let tgsi = TgsiOptions {
        old: true,
        user_data: [1, 2, 3, u32::MAX],
        ..TgsiOptions::default()
    };
    let text = serde_json::to_string(&tgsi).unwrap();
    assert_eq!(serde_json::from_str::<TgsiOptions>(&text).unwrap(), tgsi);
    assert_eq!(serde_json::to_value(Dialect::NvGp4_1).unwrap(), "!!NVgp4.1");
    for dialect in Dialect::ALL {
        let header = json!(dialect.header());
        assert_eq!(serde_json::from_value::<Dialect>(header).unwrap(), *dialect);
    }
    for kind in ProgramType::all() {
        let value = serde_json::to_value(kind).unwrap();
        assert_eq!(serde_json::from_value::<ProgramType>(value).unwrap(), kind);
    }
    assert_eq!(serde_json::to_value(Acceptance::Strict).unwrap(), "strict");
}

/// Checks the form that readers in other languages rely on. Changes of it must be listed in the
/// changelog.
#[test]
fn reflections_keep_their_form() {
    let text = "!!NVfp5.0\nMUL result.color, fragment.color, program.local[0];\nEND";
    let shader = compile(&Source::new("tint", text), &Options::default()).unwrap();
    let variable = |semantic: Value, location: u32| {
        json!({
            "semantic": semantic, "location": location, "scalar": "float", "components": 4,
            "interpolation": "smooth", "half": null,
        })
    };
    assert_eq!(
        serde_json::to_value(&shader.reflection).unwrap(),
        json!({
            "stage": "fragment",
            "entry_point": "main",
            "params": {"slot": {"set": 0, "binding": 4}, "slots": [{"local": 0}], "storage": false},
            "textures": [],
            "images": [],
            "handle_arrays": [],
            "buffers": [],
            "image_lock": null,
            "inputs": [variable(json!({"color": 0}), 0)],
            "outputs": [variable(json!({"frag_color": {"buffer": 0, "index": 0}}), 0)],
            "workgroup_size": null,
            "requirements": {"capabilities": ["Shader"], "extensions": [], "features": []},
        })
    );
}

/// Checks all programs of all scripts: modules with their reflections, and the errors of those that
/// do not load.
#[test]
fn shaders_and_errors_of_all_programs_come_back() {
    let device = DeviceFeatures {
        // Some programs then fail because of a missing feature, whose name is in the error.
        int64: false,
        ..DeviceFeatures::default()
    };
    let options = Options {
        device,
        ..Options::default()
    };
    let mut stages = BTreeMap::<Stage, usize>::new();
    let mut failed = BTreeMap::<Code, usize>::new();
    let mut features = HashSet::new();
    for program in all_programs() {
        let tgsi = TgsiOptions {
            old: program.tgsi_old,
            ..TgsiOptions::default()
        };
        let source = Source {
            tgsi,
            ..Source::new(&program.name, &program.text)
        };
        let made = compile(&source, &options);
        let text = serde_json::to_string(&made).unwrap();
        let read: Result<Shader, Diagnostics> = serde_json::from_str(&text).unwrap();
        assert_eq!(read, made, "{}", program.name);
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        match made {
            Ok(shader) => *stages.entry(shader.reflection.stage).or_default() += 1,
            Err(errors) => {
                features.extend(errors.list.iter().filter_map(|error| error.feature.clone()));
                *failed.entry(errors.list[0].code).or_default() += 1;
            }
        }
    }
    assert_eq!(stages.len(), 6, "{stages:?}");
    assert!(stages.values().all(|count| *count > 20), "{stages:?}");
    assert!(failed.len() > 50, "{failed:?}");
    assert!(features.contains("shaderInt64"), "{features:?}");
}

#[test]
fn names_that_no_module_needs_are_refused() {
    let source = Source::new("", "!!NVfp5.0\nMOV result.color, 1;\nEND");
    let shader = compile(&source, &Options::default()).unwrap();
    let reflection = serde_json::to_value(&shader.reflection).unwrap();
    // Names belong to one kind: a capability is not a feature.
    for (field, known, unknown) in [
        ("capabilities", "Float64", "shaderFloat64"),
        ("extensions", "SPV_KHR_float_controls", "SPV_KHR_float"),
        ("features", "shaderFloat64", "Float64"),
    ] {
        for (name, accepted) in [(known, true), (unknown, false)] {
            let mut changed = reflection.clone();
            changed["requirements"][field] = json!([name]);
            let read = serde_json::from_value::<Reflection>(changed);
            assert_eq!(read.is_ok(), accepted, "{field}: {name}");
        }
    }
}
