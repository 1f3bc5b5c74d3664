//! Memory and register arrays: valid modules for every type, missing features by name.

use crate::support::*;
use glasm_codegen::options::DeviceFeatures;
use glasm_codegen::reflect::DescriptorSlot;
use glasm_codegen::{ErrorKind, Options, emit};
use glasm_ir::resource::*;
use glasm_ir::*;

/// A compute program that loads, stores and updates memory of a space with every type.
fn memory(
    space: impl Fn(&mut Make) -> (MemorySpace, Src),
    types: &[Type],
    stores: bool,
) -> Program {
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

/// Declares a memory and gives an address in it.
type Space = dyn Fn(&mut Make) -> (MemorySpace, Src);

fn global(m: &mut Make) -> (MemorySpace, Src) {
    let param = m.param();
    let address = m.wide();
    m.op(Op::Pack64, Type::U64, d(address, "x"), &[param]);
    let id = m.input(Semantic::GlobalInvocationId);
    let offset = m.wide();
    let from = InstData::Cvt {
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
    (MemorySpace::Global, r(address, "x"))
}

fn buffer(kind: BufferKind, array: Option<u32>) -> impl Fn(&mut Make) -> (MemorySpace, Src) {
    move |m| {
        let id = m.b.program.buffers.push(Buffer {
            kind,
            binding: 2,
            array_len: array,
            size: (kind == BufferKind::Private).then_some(200),
        });
        (
            MemorySpace::Buffer(id),
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
    check(&memory(buffer(BufferKind::Private, None), Type::ALL, true));
    check(&memory(
        buffer(BufferKind::ProgramParameter, None),
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
        emit(program, &options).unwrap_err().kind
    };
    let all = DeviceFeatures::default();
    let program = memory(global, &[Type::U32], true);
    let kind = lacks(
        DeviceFeatures {
            buffer_device_address: false,
            ..all
        },
        &program,
    );
    assert_eq!(kind, ErrorKind::MissingFeature("bufferDeviceAddress"));
    let program = memory(global, &[Type::U8], true);
    let kind = lacks(DeviceFeatures { int8: false, ..all }, &program);
    assert_eq!(kind, ErrorKind::MissingFeature("shaderInt8"));
}

#[test]
fn known_places_of_shared_memory_are_not_compared_with_its_end() {
    let mut m = Make::new(Stage::Compute);
    let (space, _) = buffer(BufferKind::Shared, None)(&mut m);
    let (value, offset) = (m.input(Semantic::LocalInvocationId), m.int(64));
    let access = MemAccess {
        space,
        element: None,
        components: 1,
        offset: 8,
        atomic: None,
        flags: MemFlags::empty(),
    };
    m.mem(Op::Store, Type::U32, access, None, &[value, offset]);
    // Byte 72 is word 18; the last of the 4096 words that are declared is compared with nothing.
    let text = check(&m.finish());
    assert!(text.contains("OpAccessChain"), "{text}");
    assert_eq!(count(&text, "18") + count(&text, "4096"), 2, "{text}");
    assert_eq!(count(&text, "4095"), 0, "{text}");
}

/// A compute program that updates memory and stores the old value after it.
fn atomic(space: &Space, op: AtomicOp, ty: Type) -> Program {
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
    m.inst(Op::Barrier, Type::U32, None, InstData::None, &[]);
    m.finish()
}

/// SPIR-V has an instruction for each of these updates of words, so none is a loop around a compare-exchange.
#[test]
fn updates_of_words_are_single_instructions() {
    let storage = buffer(BufferKind::Storage, None);
    for (op, unsigned, signed) in [
        (AtomicOp::Add, "IAdd", "IAdd"),
        (AtomicOp::Min, "UMin", "SMin"),
        (AtomicOp::Max, "UMax", "SMax"),
        (AtomicOp::And, "And", "And"),
        (AtomicOp::Or, "Or", "Or"),
        (AtomicOp::Xor, "Xor", "Xor"),
        (AtomicOp::Exchange, "Exchange", "Exchange"),
    ] {
        for (ty, name) in [(Type::U32, unsigned), (Type::S32, signed)] {
            let text = check(&atomic(&storage, op, ty));
            let found = [format!("OpAtomic{name}"), "OpLoopMerge".to_owned()];
            assert_eq!(
                found.map(|it| count(&text, &it)),
                [1, 0],
                "{op:?} {ty:?}\n{text}"
            );
        }
    }
}

/// One number of 64 bits may begin inside a buffer and end outside, one of 32 bits may not.
#[test]
fn both_words_of_a_number_are_compared_with_the_end() {
    let options = Options {
        device: DeviceFeatures {
            robust_buffer_access2: false,
            ..DeviceFeatures::default()
        },
        ..Options::default()
    };
    for (ty, comparisons) in [(Type::U64, 2), (Type::U32, 1)] {
        let mut m = Make::new(Stage::Compute);
        let (space, address) = buffer(BufferKind::Storage, None)(&mut m);
        let result = if ty == Type::U64 { m.wide() } else { m.temp() };
        let access = MemAccess {
            space,
            element: None,
            components: 1,
            offset: 0,
            atomic: None,
            flags: MemFlags::empty(),
        };
        m.mem(Op::Load, ty, access, Some(d(result, "x")), &[address]);
        // Shared memory, which no comparison guards, shows the result.
        let (space, _) = buffer(BufferKind::Shared, None)(&mut m);
        let (access, start) = (MemAccess { space, ..access }, m.int(0));
        m.mem(Op::Store, ty, access, None, &[r(result, "x"), start]);
        let text = disassemble(&check_with(&m.finish(), &options).words);
        assert_eq!(count(&text, "OpULessThan"), comparisons, "{text}");
    }
}

#[test]
fn every_atomic() {
    let spaces: [&Space; 5] = [
        &global,
        &buffer(BufferKind::Storage, None),
        &buffer(BufferKind::Private, None),
        &buffer(BufferKind::Shared, None),
        &buffer(BufferKind::AtomicCounter, None),
    ];
    for space in spaces {
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
                if ty.is_float() && (bitwise || wraps) {
                    continue;
                }
                check(&atomic(space, op, ty));
            }
        }
    }
}

#[test]
fn register_arrays() {
    let mut m = Make::new(Stage::Vertex);
    let position = m.output(Semantic::Position);
    let input = m.input(Semantic::VertexAttribute(0));
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
            ..Src::from_register(array)
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
        ..Src::from_register(wide)
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

/// A vertex program with so many parameters, of which it reads the last one.
fn with_params(count: u32) -> Program {
    let mut m = Make::new(Stage::Vertex);
    let position = m.output(Semantic::Position);
    let last = (0..count).map(|_| m.param()).last().unwrap();
    m.f(Op::Mov, d(position, "xyzw"), &[last]);
    m.finish()
}

#[test]
fn parameters_beyond_64_kib_are_a_storage_buffer() {
    for (count, class, storage) in [(4096, "Uniform", false), (4097, "StorageBuffer", true)] {
        let module = check_with(&with_params(count), &Options::default());
        assert_eq!(
            module.reflection.parameter_block.unwrap().is_storage_buffer,
            storage
        );
        let text = disassemble(&module.words);
        let variable = |line: &&str| line.contains("OpVariable") && line.ends_with(class);
        assert_eq!(text.lines().filter(variable).count(), 1, "{count}");
        assert_eq!(text.contains("NonWritable"), storage);
    }
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
    let attributes = [0, 1, 2].map(|number| m.input(Semantic::VertexAttribute(number)));
    let [input, others @ ..] = attributes;
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
    let params = module.reflection.parameter_block.unwrap();
    assert_eq!(params.slot, DescriptorSlot { set: 0, binding: 0 });
    assert_eq!(params.parameters, [0, 1, 2].map(ParamSource::Local));
    let locations: Vec<_> = module
        .reflection
        .outputs
        .iter()
        .map(|output| output.location)
        .collect();
    assert_eq!(locations, [None, Some(5), Some(6), Some(7), Some(8)]);
}
