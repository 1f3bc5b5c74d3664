//! Textures, memory, arrays, inputs and outputs: valid modules, the right requirements, the right reflection.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use glasm_codegen::options::{ClipDepth, DebugInfo, DeviceFeatures, InterfaceTypes};
use glasm_codegen::reflect::{DescriptorSlot, Scalar};
use glasm_codegen::{ErrorKind, Module, Options, SourceText, emit, emit_with_source};
use glasm_ir::inst::IndexTerm;
use glasm_ir::resource::*;
use glasm_ir::semantic::{Interpolation, Sampling};
use glasm_ir::*;
use support::*;

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
        Semantic::Attrib(0)
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
    unit: 3,
    array: None,
    target: TexTarget::D2,
    shadow: false,
    texel: Type::F32,
};

/// Whether the languages have this mode for this texture.
fn exists(texture: &Texture, mode: TexMode) -> bool {
    use TexTarget as T;
    let target = texture.target;
    let fetched_only = target.is_multisample() || target == T::Buffer;
    let can_shadow = !matches!(target, T::D3) && !fetched_only;
    if texture.shadow && (!can_shadow || texture.texel != Type::F32) {
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
                    texel,
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
        check(&dynamic(TexMode::Fetch));
        let error = emit(&dynamic(TexMode::Implicit), &Options::default()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unsupported);
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
        array: Some(4),
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
    let module = check_with(&m.finish(), &Options::default());
    let [binding] = &module.reflection.textures[..] else {
        panic!()
    };
    assert_eq!(
        (binding.count, binding.slot),
        (4, DescriptorSlot { set: 1, binding: 3 })
    );
    assert_eq!(
        module.reflection.requirements.features,
        ["shaderSampledImageArrayDynamicIndexing"]
    );
}

/// A compute program that loads, stores and updates memory of a space with every type.
fn memory(space: impl Fn(&mut Make) -> (MemSpace, Src), types: &[Type], stores: bool) -> Program {
    let mut m = Make::new(Stage::Compute);
    m.b.program.modes.workgroup_size = [8, 4, 1];
    let (space, address) = space(&mut m);
    for &ty in types {
        for components in [1, 2, 4] {
            let access = MemAccess {
                space,
                element: None,
                components,
                offset: 16,
                atomic: None,
                flags: if components == 2 {
                    MemFlags::VOLATILE
                } else {
                    MemFlags::empty()
                },
            };
            let value = if ty.width() == Width::W64 {
                m.wide()
            } else {
                m.temp()
            };
            m.mem(Op::Load, ty, access, Some(d(value, "xyzw")), &[address]);
            if stores {
                let access = MemAccess {
                    offset: -8,
                    ..access
                };
                m.mem(Op::Store, ty, access, None, &[r(value, "yxwz"), address]);
            }
        }
    }
    m.finish()
}

fn global(m: &mut Make) -> (MemSpace, Src) {
    let param = m.param();
    let address = m.wide();
    m.op(Op::Pack64, Type::U64, d(address, "x"), &[param]);
    let id = m.input(Semantic::GlobalInvocationId);
    let offset = m.wide();
    let from = Aux::Cvt {
        from: Type::U32,
        rounding: inst::Rounding::Even,
        saturate: false,
    };
    m.inst(Op::Cvt, Type::U64, Some(d(offset, "x")), from, &[id]);
    m.op(
        Op::Add,
        Type::U64,
        d(address, "x"),
        &[r(address, "x"), r(offset, "x")],
    );
    (MemSpace::Global, r(address, "x"))
}

fn buffer(kind: BufferKind, array: Option<u32>) -> impl Fn(&mut Make) -> (MemSpace, Src) {
    move |m| {
        let id = m.b.program.buffers.push(Buffer {
            kind,
            binding: 2,
            array,
            size: None,
        });
        (
            MemSpace::Buffer(id),
            m.input(Semantic::LocalInvocationIndex),
        )
    }
}

#[test]
fn loads_and_stores_of_every_type() {
    let narrow_free: Vec<Type> = Type::ALL
        .iter()
        .copied()
        .filter(|ty| ty.width().bits() >= 32)
        .collect();
    check(&memory(global, Type::ALL, true));
    check(&memory(buffer(BufferKind::Storage, None), Type::ALL, true));
    check(&memory(
        buffer(BufferKind::Storage, Some(3)),
        Type::ALL,
        true,
    ));
    check(&memory(buffer(BufferKind::Shared, None), Type::ALL, true));
    check(&memory(
        buffer(BufferKind::Constant, None),
        Type::ALL,
        false,
    ));
    // Without 64-bit integers addresses are pairs of words.
    let options = Options {
        device: DeviceFeatures {
            int64: false,
            ..DeviceFeatures::default()
        },
        ..Options::default()
    };
    let module = check_with(&memory(global, &narrow_free, true), &options);
    assert!(
        !module
            .reflection
            .requirements
            .features
            .contains(&"shaderInt64")
    );
    assert!(
        module
            .reflection
            .requirements
            .features
            .contains(&"bufferDeviceAddress")
    );
}

#[test]
fn a_missing_feature_is_named() {
    let lacks = |device: DeviceFeatures, program: &Program| {
        let options = Options {
            device,
            ..Options::default()
        };
        let error = emit(program, &options).unwrap_err();
        assert_eq!(error.kind, ErrorKind::MissingFeature);
        error.message
    };
    let all = DeviceFeatures::default();
    let program = memory(global, &[Type::U32], true);
    let message = lacks(
        DeviceFeatures {
            buffer_device_address: false,
            ..all
        },
        &program,
    );
    assert!(message.contains("bufferDeviceAddress"));
    let program = memory(global, &[Type::U8], true);
    let message = lacks(DeviceFeatures { int8: false, ..all }, &program);
    assert!(message.contains("shaderInt8"));
}

#[test]
fn every_atomic() {
    let spaces: [&dyn Fn(&mut Make) -> (MemSpace, Src); 4] = [
        &global,
        &buffer(BufferKind::Storage, None),
        &buffer(BufferKind::Shared, None),
        &buffer(BufferKind::Counter, None),
    ];
    for (index, space) in spaces.into_iter().enumerate() {
        for &(op, _) in AtomicOp::ALL {
            for ty in [
                Type::U32,
                Type::S32,
                Type::F32,
                Type::U64,
                Type::S64,
                Type::F64,
            ] {
                let bitwise = matches!(op, AtomicOp::And | AtomicOp::Or | AtomicOp::Xor);
                let wraps = matches!(op, AtomicOp::IncWrap | AtomicOp::DecWrap);
                if ty.is_float() && (bitwise || wraps) || index > 0 && ty.width() == Width::W64 {
                    continue;
                }
                let mut m = Make::new(Stage::Compute);
                let (space, address) = space(&mut m);
                let wide = ty.width() == Width::W64;
                let value = if wide { m.wide() } else { m.temp() };
                let result = if wide { m.wide() } else { m.temp() };
                let access = MemAccess {
                    space,
                    element: None,
                    components: 1,
                    offset: 0,
                    atomic: Some(op),
                    flags: MemFlags::empty(),
                };
                m.mem(
                    Op::Atomic,
                    ty,
                    access,
                    Some(d(result, "xy")),
                    &[r(value, "xyzw"), address],
                );
                let store = MemAccess {
                    atomic: None,
                    components: 2,
                    offset: 64,
                    ..access
                };
                m.mem(Op::Store, ty, store, None, &[r(result, "xyzw"), address]);
                m.inst(Op::Barrier, Type::U32, None, Aux::None, &[]);
                check(&m.finish());
            }
        }
    }
}

#[test]
fn register_arrays() {
    let mut m = Make::new(Stage::Vertex);
    let position = m.output(Semantic::Position);
    let input = m.input(Semantic::Attrib(0));
    let (fixed, indexed, long, address) = (m.array(4), m.array(8), m.array(200), m.temp());
    let wide = m.register(Storage::Temp, Width::W64, Some(4));
    m.op(Op::And, Type::S32, d(address, "xy"), &[input, input]);
    let constant = m.index(None, 2, 4);
    let dynamic = m.index(Some((address, 1)), 3, 8);
    let dynamic_wide = m.index(Some((address, 0)), 0, 4);
    let far = m.index(None, 150, 200);
    for (array, index) in [(fixed, constant), (indexed, dynamic), (long, far)] {
        m.f(
            Op::Add,
            Dst {
                index: Some(index),
                ..d(array, "xz")
            },
            &[input, input],
        );
        let element = Src {
            index: Some(index),
            ..Src::register(array)
        };
        m.f(Op::Mul, d(position, "xyzw"), &[element, input]);
        m.f(Op::Add, d(position, "w"), &[r(position, "w"), input]);
    }
    m.op(
        Op::Pack64,
        Type::U64,
        Dst {
            index: Some(dynamic_wide),
            ..d(wide, "yz")
        },
        &[input],
    );
    let element = Src {
        index: Some(dynamic_wide),
        ..Src::register(wide)
    };
    let words = m.temp();
    m.op(
        Op::Unpack64,
        Type::U64,
        d(words, "xyzw"),
        &[element.swizzled(swizzle("yzzy"))],
    );
    m.op(
        Op::Xor,
        Type::U32,
        d(position, "x"),
        &[r(position, "x"), r(words, "w")],
    );
    let text = check(&m.finish());
    // The arrays indexed at run time and the long one; the other is in values.
    let variables = text
        .lines()
        .filter(|line| line.contains("OpVariable") && line.contains("Private"));
    assert_eq!(variables.count(), 3, "{text}");
}

#[test]
fn parameters_and_inputs_indexed_at_run_time() {
    let mut m = Make::new(Stage::Vertex);
    let position = m.output(Semantic::Position);
    let outputs = m.b.program.outputs.len();
    for set in 0..4 {
        m.b.program
            .outputs
            .push(Output::new(Semantic::TexCoord(set)));
    }
    let array = m.register(Storage::Output(OutputId::new(outputs)), Width::W32, Some(4));
    let input = m.input(Semantic::Attrib(0));
    let others = [m.input(Semantic::Attrib(1)), m.input(Semantic::Attrib(2))];
    let params = [m.param(), m.param(), m.param()];
    let address = m.temp();
    m.op(Op::And, Type::S32, d(address, "x"), &[input, input]);
    let three = m.index(Some((address, 0)), -1, 3);
    let two = m.index(Some((address, 0)), 0, 2);
    let four = m.index(Some((address, 0)), 0, 4);
    m.f(
        Op::Add,
        d(position, "xyzw"),
        &[
            Src {
                index: Some(three),
                ..params[0]
            },
            params[2],
        ],
    );
    m.f(
        Op::Mad,
        d(position, "xyzw"),
        &[
            r(position, "xyzw"),
            Src {
                index: Some(two),
                ..others[0]
            },
            others[1],
        ],
    );
    m.f(
        Op::Mov,
        Dst {
            index: Some(four),
            ..d(array, "xy")
        },
        &[input],
    );
    let module = check_with(&m.finish(), &Options::default());
    let params = module.reflection.params.unwrap();
    assert_eq!(params.slot, DescriptorSlot { set: 0, binding: 0 });
    assert_eq!(params.slots, [0, 1, 2].map(ParamSource::Local));
    let locations: Vec<_> = module
        .reflection
        .outputs
        .iter()
        .map(|output| output.location)
        .collect();
    assert_eq!(locations, [None, Some(5), Some(6), Some(7), Some(8)]);
}

#[test]
fn every_vertex_output_and_input() {
    let mut m = Make::new(Stage::Vertex);
    let semantics = [
        Semantic::VertexId,
        Semantic::InstanceId,
        Semantic::BaseVertex,
        Semantic::BaseInstance,
        Semantic::DrawId,
        Semantic::Attrib(15),
    ];
    let mut sum = m.input(Semantic::Attrib(0));
    for semantic in semantics {
        let input = m.input(semantic);
        let t = m.temp();
        m.op(Op::Add, Type::U32, d(t, "xyzw"), &[sum, input]);
        sum = r(t, "xyzw");
    }
    for semantic in [
        Semantic::Position,
        Semantic::PointSize,
        Semantic::Color(0),
        Semantic::Color(1),
        Semantic::BackColor(0),
        Semantic::BackColor(1),
        Semantic::FogCoord,
        Semantic::TexCoord(7),
        Semantic::Generic(0),
        Semantic::Generic(17),
        Semantic::ClipDistance(0),
        Semantic::ClipDistance(5),
        Semantic::Layer,
        Semantic::ViewportIndex,
    ] {
        let output = m.output(semantic);
        m.f(Op::Mov, d(output, "xw"), &[sum]);
    }
    let options = Options {
        interface: InterfaceTypes {
            attributes: vec![TypeBase::Signed, TypeBase::Float],
            colors: vec![],
        },
        ..Options::default()
    };
    let options = Options {
        conventions: glasm_codegen::options::Conventions {
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
    assert_eq!(find(Semantic::Attrib(0))[0].scalar, Scalar::Int);
    assert_eq!(find(Semantic::Attrib(15))[0].location, Some(15));
    assert_eq!(find(Semantic::Generic(17))[0].location, Some(30));
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
    let input = m.input(Semantic::Attrib(0));
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
    let input = m.input(Semantic::Attrib(0));
    for semantic in [Semantic::Color(0), Semantic::Generic(18)] {
        let output = m.output(semantic);
        m.f(Op::Mov, d(output, "xyzw"), &[input]);
    }
    let error = emit(&m.finish(), &Options::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
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
    let mut sum = m.input(Semantic::Color(0));
    for semantic in [
        Semantic::Position,
        Semantic::Color(1),
        Semantic::FogCoord,
        Semantic::TexCoord(3),
        Semantic::Generic(4),
        Semantic::ClipDistance(2),
        Semantic::Layer,
        Semantic::ViewportIndex,
        Semantic::PrimitiveId,
        Semantic::Facing,
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
    for (index, interpolation) in [Interpolation::Flat, Interpolation::NoPerspective]
        .into_iter()
        .enumerate()
    {
        let mut data = Input::new(Semantic::Generic(10 + index as u8));
        data.interpolation = interpolation;
        data.sampling = [Sampling::Center, Sampling::Sample][index];
        let input = Src::new(Base::Input(m.b.program.inputs.push(data)));
        m.f(Op::Add, d(color, "xyzw"), &[sum, input]);
    }
    m.b.program.modes.pixel_center_integer = true;
    m.b.program.modes.early_fragment_tests = true;
    for output in [second, depth, samples] {
        m.f(Op::Mov, d(output, "xyz"), &[sum]);
    }
    let options = Options {
        interface: InterfaceTypes {
            attributes: vec![],
            colors: vec![TypeBase::Unsigned],
        },
        ..Options::default()
    };
    let module = check_with(&m.finish(), &options);
    assert_eq!(module.reflection.outputs[0].scalar, Scalar::Uint);
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
        array: None,
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
        space: MemSpace::Buffer(id),
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
