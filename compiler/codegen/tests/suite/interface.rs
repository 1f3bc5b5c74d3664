//! Inputs, outputs, reflection and debug information.

use crate::support::*;
use glasm_codegen::options::{
    ClipDepth, Conventions, DebugInfo, DeviceFeatures, InterfaceTypes, Varyings,
};
use glasm_codegen::reflect::{DescriptorSlot, ScalarType};
use glasm_codegen::{ErrorKind, Module, Options, SourceText, emit, emit_with_source};
use glasm_ir::resource::*;
use glasm_ir::semantic::{Interpolation, Sampling};
use glasm_ir::*;

/// Outputs of vertex programs besides arrays.
const VERTEX_OUTPUTS: [Semantic; 14] = [
    Semantic::Position,
    Semantic::PointSize,
    Semantic::Color(0),
    Semantic::Color(1),
    Semantic::BackColor(0),
    Semantic::BackColor(1),
    Semantic::FogCoord,
    Semantic::TexCoord(7),
    Semantic::GenericVarying(0),
    Semantic::GenericVarying(30),
    Semantic::ClipDistance(0),
    Semantic::ClipDistance(5),
    Semantic::Layer,
    Semantic::ViewportIndex,
];

#[test]
fn every_vertex_output_and_input() {
    let mut m = Make::new(Stage::Vertex);
    let semantics = [
        Semantic::VertexId,
        Semantic::InstanceId,
        Semantic::BaseVertex,
        Semantic::BaseInstance,
        Semantic::DrawId,
        Semantic::VertexAttribute(15),
    ];
    let mut sum = m.input(Semantic::VertexAttribute(0));
    for semantic in semantics {
        let input = m.input(semantic);
        let t = m.temp();
        m.op(Op::Add, Type::U32, d(t, "xyzw"), &[sum, input]);
        sum = r(t, "xyzw");
    }
    for semantic in VERTEX_OUTPUTS {
        let output = m.output(semantic);
        m.f(Op::Mov, d(output, "xw"), &[sum]);
    }
    let options = Options {
        interface: InterfaceTypes {
            attributes: vec![BaseType::SignedInt, BaseType::Float],
            ..InterfaceTypes::default()
        },
        ..Options::default()
    };
    let options = Options {
        conventions: Conventions {
            clip_depth: ClipDepth::NegativeOneToOne,
            ..options.conventions
        },
        ..options
    };
    let module = check_with(&m.finish(), &options);
    let find = |semantic| {
        let all = module
            .reflection
            .inputs
            .iter()
            .chain(&module.reflection.outputs);
        all.filter(|variable| variable.semantic == semantic)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        find(Semantic::VertexAttribute(0))[0].scalar_type,
        ScalarType::Sint32
    );
    assert_eq!(find(Semantic::VertexAttribute(15))[0].location, Some(15));
    assert_eq!(find(Semantic::GenericVarying(30))[0].location, Some(30));
    assert_eq!(find(Semantic::InstanceId).len(), 1);
    let expected = [
        "shaderClipDistance",
        "shaderDrawParameters",
        "shaderOutputLayer",
        "shaderOutputViewportIndex",
    ];
    assert_eq!(module.reflection.requirements.features, expected);
}

#[test]
fn clip_depth_is_remapped() {
    let mut m = Make::new(Stage::Vertex);
    let position = m.output(Semantic::Position);
    let input = m.input(Semantic::VertexAttribute(0));
    m.f(Op::Mov, d(position, "xyzw"), &[input]);
    let program = m.finish();
    let mut options = Options::default();
    let plain = disassemble(&check_with(&program, &options).words);
    assert_eq!(count(&plain, "OpFMul"), 0);
    options.conventions.clip_depth = ClipDepth::NegativeOneToOne;
    let remapped = disassemble(&check_with(&program, &options).words);
    assert_eq!(
        (count(&remapped, "OpFAdd"), count(&remapped, "OpFMul")),
        (1, 1)
    );
}

#[test]
fn two_varyings_of_one_location_clash() {
    let mut m = Make::new(Stage::Vertex);
    let input = m.input(Semantic::VertexAttribute(0));
    for semantic in [Semantic::Color(0), Semantic::GenericVarying(27)] {
        let output = m.output(semantic);
        m.f(Op::Mov, d(output, "xyzw"), &[input]);
    }
    let error = emit(&m.finish(), &Options::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
}

#[test]
fn two_inputs_of_one_location_clash() {
    let mut m = Make::new(Stage::Fragment);
    let inputs =
        [Semantic::FogCoord, Semantic::GenericVarying(17)].map(|semantic| m.input(semantic));
    let color = m.color();
    m.f(Op::Add, d(color, "xyzw"), &inputs);
    let program = m.finish();
    let error = emit(&program, &Options::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
    let list = vec![Semantic::FogCoord, Semantic::GenericVarying(17)];
    let options = Options {
        interface: InterfaceTypes {
            inputs: Varyings::Packed(list),
            ..InterfaceTypes::default()
        },
        ..Options::default()
    };
    check_with(&program, &options);
}

/// The sum of all fragment inputs.
fn fragment_inputs(m: &mut Make) -> Src {
    let mut sum = m.input(Semantic::Color(0));
    for semantic in [
        Semantic::Position,
        Semantic::Color(1),
        Semantic::FogCoord,
        Semantic::TexCoord(3),
        Semantic::GenericVarying(4),
        Semantic::ClipDistance(2),
        Semantic::Layer,
        Semantic::ViewportIndex,
        Semantic::PrimitiveId,
        Semantic::FaceSign,
        Semantic::PointCoord,
        Semantic::SampleId,
        Semantic::SampleMask,
        Semantic::HelperInvocation,
    ] {
        let input = m.input(semantic);
        let t = m.temp();
        m.f(Op::Add, d(t, "xyzw"), &[sum, input]);
        sum = r(t, "xyzw");
    }
    sum
}

#[test]
fn inputs_that_the_device_lacks_are_named() {
    let all = DeviceFeatures::default();
    let per_sample = Input {
        sampling: Sampling::Sample,
        ..Input::new(Semantic::GenericVarying(1))
    };
    let without = |change: fn(&mut DeviceFeatures)| {
        let mut device = all;
        change(&mut device);
        device
    };
    let no_geometry = without(|device| device.geometry_shader = false);
    let one_viewport = without(|device| device.multi_viewport = false);
    let no_samples = without(|device| device.sample_rate_shading = false);
    for (input, device, feature) in [
        (Input::new(Semantic::Layer), no_geometry, "geometryShader"),
        (
            Input::new(Semantic::PrimitiveId),
            no_geometry,
            "geometryShader",
        ),
        (
            Input::new(Semantic::ViewportIndex),
            one_viewport,
            "multiViewport",
        ),
        (
            Input::new(Semantic::SampleId),
            no_samples,
            "sampleRateShading",
        ),
        (per_sample, no_samples, "sampleRateShading"),
    ] {
        let mut m = Make::new(Stage::Fragment);
        let color = m.color();
        let input = Src::new(OperandBase::Input(m.b.program.inputs.push(input)));
        m.f(Op::Mov, d(color, "xyzw"), &[input]);
        let program = m.finish();
        let of = |device| Options {
            device,
            ..Options::default()
        };
        assert!(emit(&program, &of(all)).is_ok());
        let error = emit(&program, &of(device)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::MissingFeature(feature));
        assert!(error.message.ends_with(feature), "{}", error.message);
    }
}

#[test]
fn every_fragment_input_and_output() {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let second = m.output(Semantic::FragColor {
        buffer: 0,
        index: 1,
    });
    let (depth, samples) = (
        m.output(Semantic::FragDepth),
        m.output(Semantic::SampleMask),
    );
    let sum = fragment_inputs(&mut m);
    for (index, interpolation) in [Interpolation::Flat, Interpolation::NoPerspective]
        .into_iter()
        .enumerate()
    {
        let mut data = Input::new(Semantic::GenericVarying(10 + index as u8));
        data.interpolation = interpolation;
        data.sampling = [Sampling::Center, Sampling::Sample][index];
        let input = Src::new(OperandBase::Input(m.b.program.inputs.push(data)));
        m.f(Op::Add, d(color, "xyzw"), &[sum, input]);
    }
    m.b.program.modes.pixel_center_integer = true;
    m.b.program.modes.early_fragment_tests = true;
    for output in [second, depth, samples] {
        m.f(Op::Mov, d(output, "xyz"), &[sum]);
    }
    let options = Options {
        interface: InterfaceTypes {
            colors: vec![BaseType::UnsignedInt],
            ..InterfaceTypes::default()
        },
        ..Options::default()
    };
    let module = check_with(&m.finish(), &options);
    assert_eq!(module.reflection.outputs[0].scalar_type, ScalarType::Uint32);
    let text = disassemble(&module.words);
    assert_eq!(count(&text, "DepthReplacing"), 1);
    assert_eq!(count(&text, "EarlyFragmentTests"), 1);
}

#[test]
fn compute_inputs() {
    let mut m = Make::new(Stage::Compute);
    m.b.program.modes.workgroup_size = [16, 2, 0];
    let id = m.b.program.buffers.push(Buffer {
        kind: BufferKind::Storage,
        binding: 0,
        array_len: None,
        size: None,
    });
    let sum = m.temp();
    for semantic in [
        Semantic::WorkgroupId,
        Semantic::WorkgroupCount,
        Semantic::WorkgroupSize,
        Semantic::LocalInvocationId,
        Semantic::GlobalInvocationId,
        Semantic::LocalInvocationIndex,
    ] {
        let input = m.input(semantic);
        m.op(Op::Add, Type::U32, d(sum, "xyzw"), &[r(sum, "xyzw"), input]);
    }
    let access = MemAccess {
        space: MemorySpace::Buffer(id),
        element: None,
        components: 4,
        offset: 0,
        atomic: None,
        flags: MemFlags::COHERENT,
    };
    m.mem(
        Op::Store,
        Type::U32,
        access,
        None,
        &[r(sum, "xyzw"), r(sum, "x")],
    );
    let module = check_with(&m.finish(), &Options::default());
    assert_eq!(module.reflection.workgroup_size, Some([16, 2, 1]));
    assert_eq!(
        module.reflection.buffers[0].slot,
        DescriptorSlot { set: 3, binding: 0 }
    );
    assert_eq!(module.reflection.requirements.capabilities, ["Shader"]);
}

/// A single 0 counts as 1, for programs that read the size, too.
#[test]
fn group_sizes_without_invocations() {
    let mut m = Make::new(Stage::Compute);
    m.b.program.modes.workgroup_size = [0, 32, 0];
    let id = m.b.program.buffers.push(Buffer {
        kind: BufferKind::Storage,
        binding: 0,
        array_len: None,
        size: None,
    });
    let access = MemAccess {
        space: MemorySpace::Buffer(id),
        element: None,
        components: 1,
        offset: 0,
        atomic: None,
        flags: MemFlags::empty(),
    };
    let (size, product) = (m.input(Semantic::WorkgroupSize), m.temp());
    let lane = |letters| Src {
        swizzle: swizzle(letters),
        ..size
    };
    let ten = m.int(10);
    m.op(Op::Mul, Type::U32, d(product, "x"), &[lane("x"), ten]);
    m.op(
        Op::Mad,
        Type::U32,
        d(product, "x"),
        &[lane("y"), lane("z"), r(product, "x")],
    );
    let address = m.int(0);
    m.mem(
        Op::Store,
        Type::U32,
        access,
        None,
        &[r(product, "x"), address],
    );
    let module = check_with(&m.finish(), &Options::default());
    // 1 * 10 + 32 * 1
    let text = disassemble(&module.words);
    let store = text.lines().find(|line| line.starts_with("OpStore"));
    let value = store.and_then(|line| line.split(' ').next_back()).unwrap();
    let definition = text
        .lines()
        .find(|line| line.starts_with(&format!("{value} =")));
    assert!(
        definition.is_some_and(|line| line.ends_with(" 42")),
        "{text}"
    );
}

#[test]
fn group_sizes_that_the_pipeline_gives() {
    for reads in [false, true] {
        let mut m = Make::new(Stage::Compute);
        m.b.program.modes.workgroup_size = [0; 3];
        if reads {
            let size = m.input(Semantic::WorkgroupSize);
            let sum = m.temp();
            m.op(Op::Add, Type::U32, d(sum, "xyz"), &[size, size]);
        }
        let module = check_with(&m.finish(), &Options::default());
        assert_eq!(module.reflection.workgroup_size, Some([0; 3]));
        let text = disassemble(&module.words);
        for number in 0..3 {
            assert!(text.contains(&format!("SpecId {number}")), "{text}");
        }
        assert_eq!(count(&text, "OpSpecConstant"), 3);
        assert_eq!(count(&text, "WorkgroupSize"), 1);
    }
}

fn named() -> Program {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let input = m.input(Semantic::Color(0));
    let name = m.b.program.names.push("shade");
    let shade = m.temp();
    m.b.program.registers[shade].name = Some(name);
    m.f(Op::Mul, d(shade, "xyzw"), &[input, input]);
    m.b.program.insts[0].span = Span::new(7, 12);
    m.f(Op::Add, d(color, "xyzw"), &[r(shade, "xyzw"), input]);
    m.finish()
}

/// The value in which the branches of an IF meet has the name of its register, a counter of a loop another one.
#[test]
fn joined_values_have_names() {
    let mut m = Make::new(Stage::Fragment);
    let (color, input, cc) = (m.color(), m.input(Semantic::Color(0)), m.cc());
    let name = m.b.program.names.push("shade");
    let shade = m.temp();
    m.b.program.registers[shade].name = Some(name);
    let tested = Dst {
        cc: Some(cc),
        ..d(shade, "x")
    };
    m.f(Op::Mov, tested, &[input]);
    let one = m.float(1.0);
    let positive = any(cc, CondTest::Gt, "x");
    m.if_(positive, |m| {
        m.f(Op::Add, d(shade, "x"), &[r(shade, "x"), one])
    });
    m.f(Op::Mov, d(color, "xyzw"), &[r(shade, "x")]);
    let options = Options {
        debug: DebugInfo {
            names: true,
            lines: false,
        },
        ..Options::default()
    };
    let module = emit(&m.finish(), &options).unwrap();
    let text = disassemble(&module.words);
    let phi = text.lines().find(|line| line.contains("OpPhi")).unwrap();
    let id = phi.split_whitespace().next().unwrap();
    assert!(text.contains(&format!("OpName {id} \"shade\"")), "{text}");
}

/// Textures are named by unit and by what they are read for.
#[test]
fn textures_have_names() {
    let options = Options {
        debug: DebugInfo {
            names: true,
            lines: false,
        },
        ..Options::default()
    };
    for (word, name) in [("2d", "texture3"), ("2d shadow", "texture3_shadow")] {
        let text = format!(
            "program fragment\nout0: frag_color[0][0] float\nr0: output32 out0\np0: env[0]\ntex0: unit 3 {word} f32\nroutine fn0 {{\nr0.xyzw = tex.f32 (tex0 implicit) p0.xyzw\n}}\nmain fn0\n"
        );
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let module = emit(&program, &options).unwrap();
        let text = disassemble(&module.words);
        assert!(text.contains(&format!("\"{name}\"")), "{text}");
    }
}

/// Up to 4096 parameters have a member each, more are one array.
#[test]
fn members_of_large_blocks_have_no_names() {
    let options = Options {
        debug: DebugInfo {
            names: true,
            lines: false,
        },
        ..Options::default()
    };
    for (parameters, members) in [(4096, 4096), (4097, 1)] {
        let mut m = Make::new(Stage::Fragment);
        let color = m.color();
        let first = m.param();
        for _ in 1..parameters {
            m.param();
        }
        m.f(Op::Mov, d(color, "xyzw"), &[first]);
        let module = check_with(&m.finish(), &options);
        let text = disassemble(&module.words);
        assert_eq!(count(&text, "OpMemberName"), members);
    }
}

#[test]
fn debug_information() {
    let options = Options {
        debug: DebugInfo {
            names: true,
            lines: true,
        },
        ..Options::default()
    };
    let source = SourceText {
        name: "shade.fp",
        text: b"line 1\nline 2\n",
    };
    let module: Module = emit_with_source(&named(), &options, Some(source)).unwrap();
    validate(&module.words, "vulkan1.1");
    let text = disassemble(&module.words);
    assert!(
        text.contains("OpString \"shade.fp\"") || text.contains("\"shade.fp\""),
        "{text}"
    );
    assert!(text.contains("\"shade\""), "{text}");
    // Byte 7 is the first of line 2.
    let line = text
        .lines()
        .find(|line| line.starts_with("OpLine"))
        .unwrap();
    assert_eq!(
        line.split_whitespace().skip(2).collect::<Vec<_>>(),
        ["2", "1"]
    );
    let plain = emit(&named(), &Options::default()).unwrap();
    let text = disassemble(&plain.words);
    assert_eq!(
        count(&text, "OpName") + count(&text, "OpLine") + count(&text, "OpString"),
        0
    );
}

#[test]
fn names_are_cut_between_characters() {
    let options = Options {
        debug: DebugInfo {
            names: true,
            lines: true,
        },
        ..Options::default()
    };
    // The thousandth byte is the first of two.
    let name = format!("{}é", "a".repeat(999));
    let source = SourceText {
        name: &name,
        text: b"line 1\nline 2\n",
    };
    let module = emit_with_source(&named(), &options, Some(source)).unwrap();
    validate(&module.words, "vulkan1.1");
    let bytes: Vec<u8> = module
        .words
        .iter()
        .flat_map(|it| it.to_le_bytes())
        .collect();
    let whole = [&b"a".repeat(999)[..], &[0]].concat();
    assert!(bytes.windows(whole.len()).any(|bytes| bytes == whole));
}

#[test]
fn precise_and_relaxed_decorate_their_own_results() {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let input = m.input(Semantic::Color(0));
    m.f(
        Op::Mad,
        d(color, "xyzw"),
        &[input, input.swizzled(swizzle("wzyx")), input],
    );
    m.f(Op::Add, d(color, "xyzw"), &[r(color, "xyzw"), input]);
    m.b.program.insts[0].flags = InstFlags::PRECISE;
    m.b.program.insts[1].flags = InstFlags::RELAXED;
    let text = check(&m.finish());
    assert_eq!(count(&text, "NoContraction"), 2, "{text}");
    assert_eq!(count(&text, "RelaxedPrecision"), 1, "{text}");
}

#[test]
fn precise_dot_products_have_a_fixed_order() {
    for (flags, dots, sums) in [(InstFlags::empty(), 1, 0), (InstFlags::PRECISE, 0, 3)] {
        let mut m = Make::new(Stage::Fragment);
        let color = m.color();
        let input = m.input(Semantic::Color(0));
        m.f(Op::Dp4, d(color, "xyzw"), &[input, input]);
        m.b.program.insts[0].flags = flags;
        let text = check(&m.finish());
        assert_eq!(count(&text, "OpDot"), dots, "{text}");
        assert_eq!(count(&text, "OpFAdd"), sums, "{text}");
    }
}

/// Attributes of 64-bit components are read as words, z and w at a location of their own, and only if they are read.
#[test]
fn wide_attributes() {
    use glasm_codegen::reflect::AttributeHalf;
    for int64 in [true, false] {
        let mut m = Make::new(Stage::Vertex);
        let position = m.output(Semantic::Position);
        let wide = |number| Input {
            width: Width::W64,
            ..Input::new(Semantic::VertexAttribute(number))
        };
        let first = m.b.program.inputs.push(wide(0));
        let second = m.b.program.inputs.push(wide(2));
        let narrow = m.input(Semantic::VertexAttribute(1));
        let sum = m.wide();
        let source = |id, lanes| Src::new(OperandBase::Input(id)).swizzled(swizzle(lanes));
        m.op(
            Op::Add,
            Type::U64,
            d(sum, "xy"),
            &[source(first, "wzzz"), source(second, "xyyy")],
        );
        m.op(
            Op::Unpack64,
            Type::U64,
            d(position, "xyzw"),
            &[r(sum, "xyxy")],
        );
        m.f(Op::Add, d(position, "x"), &[r(position, "x"), narrow]);
        let options = Options {
            device: DeviceFeatures {
                int64,
                ..DeviceFeatures::default()
            },
            ..Options::default()
        };
        let reflection = check_with(&m.finish(), &options).reflection;
        let mut found: Vec<_> = reflection
            .inputs
            .iter()
            .map(|input| (input.semantic, input.location, input.attribute_half))
            .collect();
        found.sort_by_key(|input| input.1);
        assert_eq!(
            found,
            [
                (Semantic::VertexAttribute(1), Some(1), None),
                (
                    Semantic::VertexAttribute(2),
                    Some(2),
                    Some(AttributeHalf::Xy)
                ),
                (
                    Semantic::VertexAttribute(0),
                    Some(3),
                    Some(AttributeHalf::Zw)
                ),
            ]
        );
    }
}
