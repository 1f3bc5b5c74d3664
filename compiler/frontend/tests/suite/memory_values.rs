//! What programs do to memory, run by the IR's interpreter. Expected values are worked out from the formulas of NV_gpu_program5
//! section 2.X.4.5, NV_shader_storage_buffer_object and NV_shader_atomic_counters section 2.X.8.Z.

use glasm_frontend::{Source, translate};
use glasm_ir::interp::{Environment, Interpreter, ProgramMemory, Region};
use glasm_ir::{BufferKind, ParamSource, Semantic, Width};

fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn to_words(bytes: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

/// What a run starts with: the words of each storage, parameter and counter buffer, by binding point, and of address 0x1000.
#[derive(Clone, Default)]
struct InitialMemory<'a> {
    storage: &'a [&'a [u32]],
    parameter: &'a [&'a [u32]],
    counters: &'a [u32],
    global: &'a [u32],
    locals: &'a [[u32; 4]],
    attribute: [u64; 4],
}

/// Runs a program; the words of storage buffer 0, those of the counters, those of global memory.
#[track_caller]
fn run_program(text: &str, start: &InitialMemory<'_>) -> [Vec<u32>; 3] {
    let (program, diagnostics) = translate(&Source::new("test", text));
    let Some(program) = program else {
        panic!("{text}\n{:#?}", diagnostics.list)
    };
    let interpreter = match Interpreter::new(&program) {
        Ok(interpreter) => interpreter,
        Err(errors) => panic!("{text}\n{program}\n{errors:#?}"),
    };
    let buffer = |kind, binding: u32| match kind {
        BufferKind::Storage => to_bytes(start.storage.get(binding as usize).unwrap_or(&&[][..])),
        BufferKind::ProgramParameter => {
            to_bytes(start.parameter.get(binding as usize).unwrap_or(&&[][..]))
        }
        BufferKind::AtomicCounter => to_bytes(start.counters),
        BufferKind::Shared | BufferKind::Private => vec![0; 256],
        BufferKind::VertexStateParameters => vec![0; 96 * 16],
    };
    let buffers = program.buffers.iter().map(|data| {
        let points = data.binding..data.binding + data.array_len.unwrap_or(1);
        points.map(|point| buffer(data.kind, point)).collect()
    });
    let mut environment = Environment {
        memory: ProgramMemory {
            regions: vec![Region {
                address: 0x1000,
                bytes: to_bytes(start.global),
            }],
            buffers: buffers.collect(),
        },
        ..Environment::default()
    };
    environment.inputs = program.inputs.iter().map(|_| start.attribute).collect();
    let locals = program.params.iter().map(|param| match param.source {
        ParamSource::Local(n) => start.locals[n as usize],
        ParamSource::Literal(bits) => bits,
        ParamSource::Env(_)
        | ParamSource::State(_)
        | ParamSource::Subroutine(_)
        | ParamSource::Named(_)
        | ParamSource::Argument => [0; 4],
    });
    environment.params = locals.collect();
    interpreter
        .run_main(&mut environment)
        .expect("the program ends");
    let of_kind = |kind| {
        let found = program
            .buffers
            .iter()
            .position(|buffer| buffer.kind == kind);
        found.map_or(Vec::new(), |found| {
            to_words(&environment.memory.buffers[found][0])
        })
    };
    let global = to_words(&environment.memory.regions[0].bytes);
    [
        of_kind(BufferKind::Storage),
        of_kind(BufferKind::AtomicCounter),
        global,
    ]
}

/// Runs statements over storage buffer `s` and counters `c`; the words of the buffer.
#[track_caller]
fn run_on_storage(statements: &str, before: &[u32]) -> Vec<u32> {
    let options = "OPTION NV_shader_storage_buffer; OPTION NV_shader_atomic_counters; OPTION NV_shader_atomic_fp16_vector; \
        OPTION NV_gpu_program5_mem_extended;";
    let text = format!(
        "!!NVcp5.0 {options} GROUP_SIZE 1; STORAGE s[] = {{ program.storage[0] }}; LONG TEMP l; TEMP r, i; {statements} END"
    );
    let start = InitialMemory {
        storage: &[before],
        ..InitialMemory::default()
    };
    let [after, _, _] = run_program(&text, &start);
    after
}

#[test]
fn loads_and_stores() {
    let copy = run_on_storage("LDB.U32X2 r, s[0]; STB.U32X4 r, s[8];", &[1, 2, 9, 9, 9, 9]);
    assert_eq!(copy, [1, 2, 1, 2, 0, 0]);
    let narrow = run_on_storage(
        "LDB.S8 r, s[1]; STB.U32 r, s[4]; STB.U8 r, s[2];",
        &[0x0000_9000, 0],
    );
    assert_eq!(narrow, [0x0090_9000, 0xffff_ff90]);
    let halves = run_on_storage(
        "LDB.F16X2 r, s[0]; STB.F32X2 r, s[4]; STB.F16 r.y, s[2];",
        &[0xc000_3c00, 0, 0],
    );
    assert_eq!(halves, [0xc000_3c00, 1f32.to_bits(), (-2f32).to_bits()]);
    let outside = run_on_storage(
        "LDB.U32X2 r, s[4]; STB.U32X2 r, s[4]; LDB.U32 r, s[4000]; STB.U32 r, s[0];",
        &[7, 8],
    );
    assert_eq!(outside, [0, 8]);
    let moved = run_on_storage(
        "MOV.S i.x, 4; LDB.U32 r, s[i.x + 4]; STB.U32 r, s[i.x];",
        &[1, 2, 3],
    );
    assert_eq!(moved, [1, 3, 3]);
}

#[test]
fn atomics() {
    let sums = run_on_storage(
        "ATOMB.ADD.U32 r, {5}, s[0]; STB.U32 r, s[4];",
        &[0xffff_ffff, 0],
    );
    assert_eq!(sums, [4, 0xffff_ffff]);
    let halves = "ATOMB.ADD.F16X2 r, {1, 2}, s[0]; STB.F32X2 r, s[4];";
    assert_eq!(
        run_on_storage(halves, &[0x4000_3c00, 0, 0]),
        [0x4400_4000, 1f32.to_bits(), 2f32.to_bits()]
    );
    let swap = "PK64.U l, {1, 0, 7, 8}; ATOMB.CSWAP.U64 l, l, s[0]; STB.U64 l, s[8];";
    assert_eq!(run_on_storage(swap, &[1, 0, 0, 0]), [7, 8, 1, 0]);
    assert_eq!(run_on_storage(swap, &[1, 1, 0, 0]), [1, 1, 1, 1]);
    let outside = run_on_storage(
        "MOV.U r, 3; ATOMB.ADD.U32 r, {5}, s[8]; STB.U32 r, s[0];",
        &[1, 2],
    );
    assert_eq!(outside, [0, 2]);
}

#[test]
fn counters() {
    let text = "!!NVvp5.0 OPTION NV_shader_atomic_counters; OPTION NV_shader_storage_buffer; COUNTER c[] = { program.counter[3][1..3] }; \
        STORAGE s[] = { program.storage[0] }; TEMP r; ATOMCTR.INCR r.x, c[0]; ATOMCTR.DECR r.y, c[1]; ATOMCTR.GET r.z, c[2]; \
        ATOMCTR.GET.CC r.w, c[0]; STB.U32X4 r, s[0]; END";
    let start = InitialMemory {
        storage: &[&[9; 4]],
        counters: &[50, u32::MAX, 0, 52],
        ..InitialMemory::default()
    };
    let [storage, counters, _] = run_program(text, &start);
    assert_eq!(storage, [u32::MAX, u32::MAX, 52, 0]);
    assert_eq!(counters, [50, 0, u32::MAX, 52]);
}

#[test]
fn several_binding_points() {
    let text = "!!NVvp5.0 OPTION NV_shader_storage_buffer; STORAGE s[] = { program.storage[0] }; \
        BUFFER b[][] = { program.buffer[0..1] }; BUFFER4 v[] = { program.buffer[2..3][1] }; \
        CBUFFER c[2][] = { program.buffer[0..1] }; TEMP r, i; MOV.S i, program.local[0]; MOV.U r.x, b[1][2]; \
        MOV.U r.y, b[i.x][i.y + 1]; MOV.U r.z, v[i.x].w; LDC.U32 r.w, c[i.y][i.z].x; STB.U32X4 r, s[0]; END";
    let start = InitialMemory {
        storage: &[&[9; 4]],
        parameter: &[
            &[0, 1, 2],
            &[10, 11, 12],
            &[20; 8],
            &[30, 31, 32, 33, 34, 35, 36, 37],
        ],
        locals: &[[1, 0, 8, 0]],
        ..InitialMemory::default()
    };
    let [storage, _, _] = run_program(text, &start);
    assert_eq!(storage, [12, 11, 37, 2]);
}

/// Addresses in 32 bits are extended by zeros. NV_shader_buffer_load issue 15.
#[test]
fn narrow_addresses() {
    let text = "!!NVvp4.0 OPTION NV_shader_buffer_load; TEMP r; LOAD.U32X2 r, program.local[0].y; MOV.U result.attrib[0], r; END";
    let start = InitialMemory {
        global: &[5, 6, 7],
        locals: &[[0, 0x1004, 0xffff_f000, 0]],
        ..InitialMemory::default()
    };
    let _ = run_program(text, &start);
    let text = "!!NVvp5.0 TEMP r; LOAD.U32 r, program.local[0].y; ADD.U r, r, 1; STORE.U32 r, program.local[0].y; \
        ATOM.ADD.U32 r.x, {2}, program.local[0].x; STORE.U32 r, program.local[0].z; END";
    let start = InitialMemory {
        locals: &[[0x1000, 0x1004, 0x1008, 0]],
        ..start
    };
    let [_, _, global] = run_program(text, &start);
    assert_eq!(global, [7, 7, 5]);
}

#[test]
fn long_attributes() {
    let text = "!!NVvp5.0 OPTION NV_shader_storage_buffer; LONG ATTRIB a = vertex.attrib[3]; STORAGE s[] = { program.storage[0] }; \
        LONG TEMP l; TEMP r; ADD.U64 l, a.yxwz, a; STB.U64X2 l, s[0]; MOV.U r, a; STB.U32X2 r, s[16]; END";
    let (program, _) = translate(&Source::new("test", text));
    let inputs = program.expect("the program loads").inputs;
    let found: Vec<_> = inputs
        .iter()
        .map(|input| (input.semantic, input.width))
        .collect();
    assert_eq!(found, [(Semantic::VertexAttribute(3), Width::W64)]);
    let start = InitialMemory {
        storage: &[&[0; 6]],
        attribute: [0xffff_ffff, 1, 2, 3],
        ..InitialMemory::default()
    };
    let [storage, _, _] = run_program(text, &start);
    assert_eq!(storage, [0, 1, 0, 1, 0xffff_ffff, 1]);
}

/// Sign and zero flag are those of what is written, overflow and carry those of the operation.
#[test]
fn flags_of_results_of_another_size() {
    let flags = "MOV.U i, 0; OR.U i (SF), i, 1; OR.U i (EQ), i, 2; OR.U i (CF), i, 4; OR.U i (OF), i, 8; STB.U32X4 i, s[0];";
    let of = |operation: &str| run_on_storage(&format!("MOV.U r, 1; {operation} {flags}"), &[0; 4]);
    assert_eq!(
        of("ADD.U.CC l, {0xffffffff, 0x7fffffff, 0x80000000, 1}, r;"),
        [6, 8, 0, 0]
    );
    assert_eq!(of("ADD.S.CC l, {-1, 0x7fffffff, -5, 1}, r;"), [6, 9, 1, 0]);
    assert_eq!(of("SUB.U.CC l, {0, 1, 2, 0x80000000}, r;"), [0, 6, 4, 12]);
    assert_eq!(
        of("PK64.U l, {0xffffffff, 0, 0xffffffff, 0xffffffff}; ADD.U64.CC r.xy, l, 1;")[..2],
        [2, 6]
    );
    assert_eq!(
        of("PK64.U l, {0xffffffff, 0x7fffffff, 0x80000000, 1}; ADD.S64.CC r.xy, l, 1;")[..2],
        [10, 1]
    );
}
