//! Options, reflections, modules and messages as JSON and back.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::ir::BufferKind;
use glasm::reflect::Reflection;
use glasm::state::MatrixName;
use glasm::{
    Acceptance, AlphaTest, BaseType, BindingLayout, Capture, ClipDepth, Code, CompareFunction,
    Conventions, DebugInfo, DepthMode, DeviceFeatures, Diagnostics, Dialect, HandleLimits,
    InterfaceTypes, Interpolation, LineStipple, LodBias, MipFilter, Options, PipelineState,
    PointOrigin, PolygonStipple, PrimitiveIdMode, ProgramType, Semantic, Severity, Shader, Source,
    Stage, StateSource, StateSources, Target, TexTarget, TexelFilter, TexelFormat, TextTarget,
    TextureWrap, TgsiOptions, TransformFeedback, VaryingLocation, Varyings, WrapMode, compile,
    compute_cache_key,
};
use glasm_tests::scripts::distinct_programs;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};

/// Options with something in every list, and no variant that is the default.
#[expect(clippy::too_many_lines, reason = "a value for every option")]
fn make_nondefault_options() -> Options {
    Options {
        target: Target::Vulkan1_2,
        device: DeviceFeatures {
            float64: false,
            ..DeviceFeatures::default()
        },
        bindings: BindingLayout {
            parameter_block_binding: Some(7),
            ..BindingLayout::default()
        },
        conventions: Conventions {
            clip_depth: ClipDepth::NegativeOneToOne,
            ..Conventions::default()
        },
        pipeline_state: PipelineState {
            point_origin: PointOrigin::LowerLeft,
            // All bits of floats are preserved, also those of a NaN.
            forced_point_size: Some(f32::NAN.into()),
            default_point_size: Some(f32::from_bits(1).into()),
            max_output_vertices: Some(3),
            primitive_id_mode: PrimitiveIdMode::PerQuad,
            draws_quads_as_line_adjacency: true,
            alpha_test: AlphaTest::new(CompareFunction::GreaterEqual, -0.0),
            line_stipple: Some(LineStipple::new(3, 0xaaaa, [1.0, 2.0, 3.0, -4.0])),
            ..PipelineState::default()
        },
        state_sources: StateSources {
            alpha_test: StateSource::UniformBlock,
            ..StateSources::all(StateSource::SpecConstant)
        },
        polygon_stipple: Some(Box::new(PolygonStipple::new(&[0x81; 128]))),
        debug: DebugInfo::default(),
        interface: InterfaceTypes {
            attributes: vec![BaseType::Float, BaseType::UnsignedInt],
            colors: vec![BaseType::SignedInt],
            inputs: Varyings::Packed(vec![Semantic::Color(1), Semantic::FogCoord]),
            outputs: Varyings::Explicit(vec![VaryingLocation::vector(
                Semantic::GenericVarying(3),
                4,
                BaseType::Float,
            )]),
        },
        handles: HandleLimits::default(),
        depth_modes: vec![DepthMode::Red],
        signed_hilo_textures: vec![true],
        image_formats: vec![None, Some(TexelFormat::R11fG11fB10f)],
        texture_wraps: vec![TextureWrap {
            wrap_modes: [
                WrapMode::Clamp,
                WrapMode::MirrorClampToEdge,
                WrapMode::BySampler,
            ],
            mag_filter: TexelFilter::Linear,
            min_filter: TexelFilter::Nearest,
            mip_filter: MipFilter::None,
        }],
        lod_biases: vec![LodBias::from(-0.0)],
        transform_feedback: TransformFeedback {
            captures: vec![Capture {
                semantic: Semantic::FragColor {
                    buffer: 1,
                    index: 0,
                },
                first_component: 1,
                component_count: 2,
                buffer: 3,
                offset: 4,
                stream: 0,
            }],
            strides: vec![16],
        },
        zero_wins_multiply: true,
        skip_precision_rounding: true,
        emulate_denormal_flush: true,
        text_target: Some(TextTarget {
            language: "hlsl60".to_owned(),
            conventions: Conventions::opengl(),
            interpolations: vec![(Semantic::Color(0), Interpolation::Flat)],
        }),
    }
}

fn compute_key(options: &Options) -> glasm::CacheKey {
    compute_cache_key(&Source::new("", ""), options)
}

/// Returns variants of a tree, each with a different number, boolean or missing value at one
/// position; other values have no variant that is certainly valid.
fn list_changed_values(value: &Value) -> Vec<Value> {
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
                list_changed_values(item)
                    .into_iter()
                    .map(move |item| (index, item))
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
                list_changed_values(field)
                    .into_iter()
                    .map(move |field| (name, field))
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
    let options = make_nondefault_options();
    let text = serde_json::to_string(&options).unwrap();
    assert_eq!(serde_json::from_str::<Options>(&text).unwrap(), options);
    assert_eq!(
        serde_json::from_value::<Options>(json!({})).unwrap(),
        Options::default()
    );

    let mut value = serde_json::to_value(&options).unwrap();
    // A format has no variant, so that an adjacent missing format has none either.
    value["image_formats"] = json!(["Rgba8"]);
    let neighbors = list_changed_values(&value);
    assert!(neighbors.len() > 100, "{}", neighbors.len());
    let mut keys = HashSet::from([compute_key(&serde_json::from_value(value).unwrap())]);
    for neighbor in &neighbors {
        let options: Options = serde_json::from_value(neighbor.clone()).unwrap();
        assert_eq!(&serde_json::to_value(&options).unwrap(), neighbor);
        assert!(keys.insert(compute_key(&options)), "{neighbor}");
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
        json!({"pipeline_state": {"clip_plane_mask": 256}}),
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
        legacy_semantics: true,
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

/// Checks values whose names in JSON do not follow from those in Rust, or once were others than in C:
/// `GLASM_TEXTURE_TARGET_2D_ARRAY` is `2d_array`.
#[test]
fn values_have_the_names_of_the_c_interface() {
    let targets = [
        (TexTarget::D1, "1d"),
        (TexTarget::D2, "2d"),
        (TexTarget::D3, "3d"),
        (TexTarget::Cube, "cube"),
        (TexTarget::Rect, "rect"),
        (TexTarget::D1Array, "1d_array"),
        (TexTarget::D2Array, "2d_array"),
        (TexTarget::CubeArray, "cube_array"),
        (TexTarget::Buffer, "buffer"),
        (TexTarget::D2Multisample, "2d_multisample"),
        (TexTarget::D2MultisampleArray, "2d_multisample_array"),
    ];
    assert_eq!(targets.len(), TexTarget::ALL.len());
    let targets = targets.map(|(target, name)| (serde_json::to_value(target), json!(name)));
    let others = [
        (
            serde_json::to_value(Severity::InternalError),
            json!("internal_error"),
        ),
        (
            serde_json::to_value(BaseType::SignedInt),
            json!("signed_int"),
        ),
        (
            serde_json::to_value(BaseType::UnsignedInt),
            json!("unsigned_int"),
        ),
        (
            serde_json::to_value(BufferKind::ProgramParameter),
            json!("program_parameter"),
        ),
        (
            serde_json::to_value(BufferKind::AtomicCounter),
            json!("atomic_counter"),
        ),
        (
            serde_json::to_value(BufferKind::VertexStateParameters),
            json!("vertex_state_parameters"),
        ),
        (
            serde_json::to_value(Semantic::VertexAttribute(1)),
            json!({"vertex_attribute": 1}),
        ),
        (
            serde_json::to_value(Semantic::FogCoordVec4),
            json!("fog_coord_vec4"),
        ),
        (serde_json::to_value(Semantic::FaceSign), json!("face_sign")),
        (
            serde_json::to_value(MatrixName::ModelviewProjection),
            json!("modelview_projection"),
        ),
    ];
    for (value, name) in targets.into_iter().chain(others) {
        assert_eq!(value.unwrap(), name);
    }
}

/// Checks the form that readers in other languages rely on. Changes of it must be listed in the
/// changelog.
#[test]
fn reflections_keep_their_form() {
    let text = "!!NVfp5.0\nMUL result.color, fragment.color, program.local[0];\nEND";
    let shader = compile(&Source::new("tint", text), &Options::default()).unwrap();
    let variable = |semantic: Value, location: u32| {
        json!({
            "semantic": semantic, "location": location, "scalar_type": "float32", "component_count": 4,
            "interpolation": "smooth", "attribute_half": null,
        })
    };
    assert_eq!(
        serde_json::to_value(&shader.reflection).unwrap(),
        json!({
            "stage": "fragment",
            "entry_point": "main",
            "parameter_block": {
                "slot": {"set": 0, "binding": 4},
                "parameters": [{"local": 0}],
                "is_storage_buffer": false,
            },
            "textures": [],
            "images": [],
            "handle_arrays": [],
            "buffers": [],
            "image_lock_slot": null,
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
    for program in distinct_programs() {
        let tgsi = TgsiOptions {
            legacy_semantics: program.tgsi_old,
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
