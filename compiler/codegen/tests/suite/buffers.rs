//! Buffers over several binding points and atomics, by what the device can do.

use crate::support::*;
use glasm_codegen::options::{DeviceFeatures, Target};
use glasm_codegen::{ErrorKind, Options, Reflection, emit};
use glasm_ir::inst::IndexTerm;
use glasm_ir::resource::*;
use glasm_ir::*;

/// Declares a memory and gives an address in it.
type Space = dyn Fn(&mut Make) -> (MemorySpace, Src);

fn buffer(kind: BufferKind) -> impl Fn(&mut Make) -> (MemorySpace, Src) {
    move |m| {
        let id = m.b.program.buffers.push(Buffer {
            kind,
            binding: 2,
            array_len: None,
            size: None,
        });
        (
            MemorySpace::Buffer(id),
            m.input(Semantic::LocalInvocationIndex),
        )
    }
}

/// A fragment program that adds to an element of a storage buffer among four; the number is a parameter or an attribute.
fn one_of_four(uniform: bool) -> Program {
    let mut m = Make::new(Stage::Fragment);
    let id = m.b.program.buffers.push(Buffer {
        kind: BufferKind::Storage,
        binding: 1,
        array_len: Some(4),
        size: None,
    });
    let number = if uniform {
        m.param()
    } else {
        m.input(Semantic::TexCoord(0))
    };
    let (register, result) = (m.temp(), m.temp());
    m.op(Op::Mov, Type::S32, d(register, "x"), &[number]);
    let access = MemAccess {
        space: MemorySpace::Buffer(id),
        element: Some(IndexTerm {
            relative: Some((register, 0)),
            offset: 0,
        }),
        components: 1,
        offset: 8,
        atomic: None,
        flags: MemFlags::COHERENT,
    };
    m.mem(
        Op::Load,
        Type::U32,
        access,
        Some(d(result, "x")),
        &[r(register, "y")],
    );
    m.mem(
        Op::Store,
        Type::U32,
        access,
        None,
        &[r(result, "x"), r(register, "y")],
    );
    m.finish()
}

#[test]
fn arrays_of_buffers() {
    let all = DeviceFeatures::default();
    let compile = |uniform, device| {
        let options = Options {
            device,
            ..Options::default()
        };
        let module = check_with(&one_of_four(uniform), &options);
        (disassemble(&module.words), module.reflection)
    };
    let needs =
        |reflection: &Reflection, feature| reflection.requirements.features.contains(&feature);
    let dynamic = "shaderStorageBufferArrayDynamicIndexing";
    let divergent = "shaderStorageBufferArrayNonUniformIndexing";

    let (text, reflection) = compile(true, all);
    assert!(!text.contains("NonUniform") && !text.contains("OpSwitch"));
    assert!(needs(&reflection, dynamic) && !needs(&reflection, divergent));
    assert!(needs(&reflection, "fragmentStoresAndAtomics"));
    assert!(text.contains("Coherent") && text.contains("Aliased"));

    // The lengths come out of a switch, the accesses go everywhere at once.
    let (text, reflection) = compile(false, all);
    assert!(text.contains("NonUniform") && needs(&reflection, divergent));

    let none = DeviceFeatures {
        storage_buffer_dynamic_indexing: false,
        storage_buffer_non_uniform_indexing: false,
        ..all
    };
    for uniform in [true, false] {
        let (text, reflection) = compile(uniform, none);
        assert!(text.contains("OpSwitch") && !text.contains("NonUniform"));
        assert!(!needs(&reflection, dynamic));
    }

    let robust = DeviceFeatures {
        robust_buffer_access2: true,
        ..all
    };
    let (text, reflection) = compile(false, robust);
    assert!(!text.contains("OpArrayLength") && !text.contains("OpSwitch"));
    let slots = &reflection.buffers;
    assert_eq!(
        (
            slots.len(),
            slots[0].program_binding,
            slots[0].descriptor_count
        ),
        (1, 1, 4)
    );
}

/// A buffer may end within an element of 64 bits: both of its words are compared with the end.
#[test]
fn words_of_loads_are_compared_with_the_end() {
    for (ty, op, comparisons) in [(Type::U32, Op::Mov, 1), (Type::U64, Op::Unpack64, 2)] {
        let mut m = Make::new(Stage::Fragment);
        let id = m.b.program.buffers.push(Buffer {
            kind: BufferKind::Storage,
            binding: 1,
            array_len: None,
            size: None,
        });
        let value = if ty == Type::U64 { m.wide() } else { m.temp() };
        let access = MemAccess {
            space: MemorySpace::Buffer(id),
            element: None,
            components: 1,
            offset: 0,
            atomic: None,
            flags: MemFlags::empty(),
        };
        let (address, color) = (m.param(), m.color());
        m.mem(Op::Load, ty, access, Some(d(value, "x")), &[address]);
        m.op(op, Type::U32, d(color, "xy"), &[r(value, "xxxx")]);
        let text = disassemble(&check_with(&m.finish(), &Options::default()).words);
        assert_eq!(count(&text, "OpULessThan"), comparisons, "{text}");
    }
}

/// A compute program that adds to memory.
fn add(space: &Space, ty: Type) -> Program {
    update(space, ty, AtomicOp::Add)
}

/// A compute program that updates memory.
fn update(space: &Space, ty: Type, op: AtomicOp) -> Program {
    let mut m = Make::new(Stage::Compute);
    let (space, address) = space(&mut m);
    let value = match ty.width() {
        Width::W64 => m.wide(),
        Width::W8 | Width::W16 | Width::W32 => m.temp(),
    };
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
        Some(d(value, "x")),
        &[r(value, "x"), address],
    );
    m.finish()
}

#[test]
fn atomics_by_device() {
    let all = DeviceFeatures::default();
    let with = |program: &Program, device| {
        let options = Options {
            device,
            ..Options::default()
        };
        disassemble(&check_with(program, &options).words)
    };
    let storage = buffer(BufferKind::Storage);
    let shared = buffer(BufferKind::Shared);
    for (ty, op, instruction) in [
        (Type::U32, AtomicOp::Add, "OpAtomicIAdd"),
        (Type::U32, AtomicOp::Min, "OpAtomicUMin"),
        (Type::U32, AtomicOp::Max, "OpAtomicUMax"),
        (Type::S32, AtomicOp::Min, "OpAtomicSMin"),
        (Type::S32, AtomicOp::Max, "OpAtomicSMax"),
    ] {
        let text = with(&update(&storage, ty, op), all);
        assert_eq!(count(&text, instruction), 1, "{text}");
    }
    let less = DeviceFeatures {
        buffer_float32_atomic_add: false,
        ..all
    };
    let float = add(&storage, Type::F32);
    assert!(with(&float, all).contains("OpAtomicFAddEXT"));
    let text = with(&float, less);
    assert!(!text.contains("OpAtomicFAddEXT") && text.contains("OpAtomicCompareExchange"));
    assert!(with(&add(&shared, Type::F32), all).contains("OpAtomicCompareExchange"));
    let wide = add(&shared, Type::U64);
    assert!(with(&wide, all).contains("OpAtomicIAdd"));
    for (program, feature, device) in [
        (
            &wide,
            "shaderSharedInt64Atomics",
            DeviceFeatures {
                shared_int64_atomics: false,
                ..all
            },
        ),
        (
            &add(&storage, Type::S64),
            "shaderBufferInt64Atomics",
            DeviceFeatures {
                int64_atomics: false,
                ..all
            },
        ),
    ] {
        let options = Options {
            device,
            ..Options::default()
        };
        let error = emit(program, &options).unwrap_err();
        assert_eq!(error.kind, ErrorKind::MissingFeature(feature));
        assert!(error.message.contains(feature), "{}", error.message);
    }
}

/// A stage of OpenGL has as many bindings as the options say; the number of the first one is 0.
#[test]
fn program_parameter_buffers_end_with_the_bindings_of_opengl() {
    let mut options = Options {
        target: Target::OpenGl4_5,
        ..Options::default()
    };
    options.bindings.parameter_buffers_per_stage = 4;
    let refusal = |binding, array| {
        let mut m = Make::new(Stage::Vertex);
        let (position, input) = (
            m.output(Semantic::Position),
            m.input(Semantic::VertexAttribute(0)),
        );
        m.b.program.buffers.push(Buffer {
            kind: BufferKind::ProgramParameter,
            binding,
            array_len: array,
            size: None,
        });
        m.f(Op::Mov, d(position, "xyzw"), &[input]);
        emit(&m.finish(), &options).err().map(|error| error.message)
    };
    for (binding, array) in [(3, None), (3, Some(1)), (2, Some(2))] {
        assert_eq!(refusal(binding, array), None);
    }
    for (binding, array) in [(4, None), (4, Some(1)), (3, Some(2))] {
        let message = refusal(binding, array).unwrap();
        let start = format!("program parameter buffer {binding}: OpenGL has bindings for 4");
        assert!(message.starts_with(&start), "{message}");
    }
}
