//! Vertex state programs: what they do to parameters, run by the IR's interpreter, and what they must not do. NV_vertex_program section
//! 2.14.4.

use crate::support::errors;
use glasm_frontend::{Code, Dialect, ProgramType, Source, translate};
use glasm_ir::interp::{Environment, Interpreter, ProgramMemory};
use glasm_ir::{BufferKind, Op, ParamSource, Program, Stage};

fn load_program(body: &str) -> Program {
    let text = format!("!!VSP1.0\n{body}\nEND");
    let source = Source::new("test", &text).for_type(ProgramType::VertexState);
    let (program, diagnostics) = translate(&source);
    program.unwrap_or_else(|| panic!("{text}\n{:#?}", diagnostics.list))
}

/// Runs a program on parameters; all others are (9, 9, 9, 9).
#[track_caller]
fn run_program(body: &str, argument: [f32; 4], set: &[(usize, [u32; 4])]) -> Vec<[u32; 4]> {
    let program = load_program(body);
    let interpreter = Interpreter::new(&program).unwrap();
    let mut vectors = vec![[9f32.to_bits(); 4]; 96];
    for &(number, bits) in set {
        vectors[number] = bits;
    }
    let bytes = vectors.iter().flatten().flat_map(|word| word.to_le_bytes());
    let mut environment = Environment {
        params: (program.params.iter())
            .map(|param| {
                assert_eq!(param.source, ParamSource::Argument);
                argument.map(f32::to_bits)
            })
            .collect(),
        memory: ProgramMemory {
            buffers: vec![vec![bytes.collect()]],
            ..ProgramMemory::default()
        },
        ..Environment::default()
    };
    interpreter.run_main(&mut environment).unwrap();
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    let vector = |bytes: &[u8]| std::array::from_fn(|lane| word(&bytes[4 * lane..][..4]));
    let bytes = &environment.memory.buffers[0][0];
    bytes.chunks_exact(16).map(vector).collect()
}

fn to_floats(vector: [u32; 4]) -> [f32; 4] {
    vector.map(f32::from_bits)
}

fn to_bits(vector: [f32; 4]) -> [u32; 4] {
    vector.map(f32::to_bits)
}

/// How often a program has an operation.
fn count_operations(program: &Program, op: Op) -> usize {
    program.insts.iter().filter(|inst| inst.op == op).count()
}

#[test]
fn state_programs_are_compute_programs_of_one_invocation() {
    let program = load_program("MOV c[0], v[0];");
    assert_eq!(program.stage, Stage::Compute);
    assert_eq!(program.modes.workgroup_size, [1; 3]);
    let kinds: Vec<_> = program.buffers.iter().map(|buffer| buffer.kind).collect();
    assert_eq!(kinds, [BufferKind::VertexStateParameters]);
    assert_eq!(Dialect::NvVsp1_0.program_type(), ProgramType::VertexState);
}

#[test]
fn components_that_are_not_written_keep_their_bits() {
    // A NaN with a payload, denormals, -0.
    let before = [0x7fa1_2345, 1, 0x8000_0000, 0x8000_0001];
    let names = "xyzw";
    for mask in 1..16usize {
        let written = |lane: &usize| mask >> lane & 1 != 0;
        let letters: String = (0..4)
            .filter(written)
            .map(|lane| &names[lane..=lane])
            .collect();
        let found = run_program(
            &format!("MOV c[95].{letters}, v[0];"),
            [1.0, 2.0, 3.0, 4.0],
            &[(95, before)],
        );
        let argument = to_bits([1.0, 2.0, 3.0, 4.0]);
        let expected = [0, 1, 2, 3].map(|lane| {
            if written(&lane) {
                argument[lane]
            } else {
                before[lane]
            }
        });
        assert_eq!(found[95], expected, "{letters}");
        assert!(
            found[..95]
                .iter()
                .all(|vector| *vector == to_bits([9.0; 4]))
        );
    }
}

#[test]
fn parameters_read_what_was_written() {
    let body = "MOV c[0].xy, v[0]; ADD c[1], c[0], c[0]; MOV R0, c[1]; MUL c[0].w, R0.x, c[0].w; MOV c[2], c[0].wzyx;";
    let found = run_program(
        body,
        [5.0, 6.0, 7.0, 8.0],
        &[(0, to_bits([1.0, 2.0, 3.0, 4.0]))],
    );
    assert_eq!(to_floats(found[0]), [5.0, 6.0, 3.0, 40.0]);
    assert_eq!(to_floats(found[1]), [10.0, 12.0, 6.0, 8.0]);
    assert_eq!(to_floats(found[2]), [40.0, 3.0, 6.0, 5.0]);
}

#[test]
fn relative_reads_find_what_was_written() {
    let body = "MOV c[7].z, v[0]; ARL A0.x, v[0].x; MOV c[1], c[A0.x+2]; MOV c[7].x, c[1].z; ADD c[2], c[A0.x+2], c[A0.x+2];
        MOV c[7], v[0].w; MOV c[3].w, c[A0.x+2].x;";
    let found = run_program(
        body,
        [5.5, 0.0, 3.0, 2.0],
        &[(7, to_bits([1.0, 20.0, 0.0, 40.0]))],
    );
    assert_eq!(to_floats(found[1]), [1.0, 20.0, 3.0, 40.0]);
    assert_eq!(to_floats(found[2]), [6.0, 40.0, 6.0, 80.0]);
    assert_eq!(to_floats(found[3]), [9.0, 9.0, 9.0, 2.0]);
    assert_eq!(to_floats(found[7]), [2.0; 4]);
}

#[test]
fn relative_reads_outside_are_zero() {
    // 2^28 vectors are 2^32 bytes.
    let outside = [
        -1.0,
        96.0,
        1e9,
        -1e9,
        268_435_456.0,
        268_435_457.0,
        -268_435_456.0,
        1e30,
        -1e30,
    ];
    for address in outside {
        let found = run_program(
            "ARL A0.x, v[0].x; MOV c[1], c[A0.x];",
            [address, 0.0, 0.0, 0.0],
            &[],
        );
        assert_eq!(to_floats(found[1]), [0.0; 4], "{address}");
    }
    for (address, offset, number) in [
        (159.0, -64, 95),
        (64.0, -64, 0),
        (32.0, 63, 95),
        (-63.0, 63, 0),
    ] {
        let body = format!("ARL A0.x, v[0].x; MOV c[1], c[A0.x + {offset}].w;").replace("+ -", "-");
        let found = run_program(
            &body,
            [address, 0.0, 0.0, 0.0],
            &[(number, to_bits([1.0, 2.0, 3.0, 4.0]))],
        );
        assert_eq!(to_floats(found[1]), [4.0; 4], "{address} {offset}");
    }
    for (address, offset) in [(160.0, "-64"), (63.0, "-64"), (33.0, "+63"), (-64.0, "+63")] {
        let body = format!("ARL A0.x, v[0].x; MOV c[1], c[A0.x{offset}];");
        let found = run_program(&body, [address, 0.0, 0.0, 0.0], &[]);
        assert_eq!(to_floats(found[1]), [0.0; 4], "{address} {offset}");
    }
}

#[test]
fn registers_start_with_zeros() {
    let found = run_program(
        "ADD c[0], R0, R11; MOV c[1], c[A0.x+20];",
        [1.0; 4],
        &[(20, to_bits([1.0, 2.0, 3.0, 4.0]))],
    );
    assert_eq!(to_floats(found[0]), [0.0; 4]);
    assert_eq!(to_floats(found[1]), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn parameters_are_loaded_and_stored_once() {
    let program = load_program(
        "MOV c[0], v[0]; ADD c[0], c[0], c[0]; MAD c[0].x, c[1], c[1], c[1]; MOV c[2].w, c[1].x; MOV c[2].w, c[2];",
    );
    // c[1] and c[2]; c[0] is written as a whole before it is read.
    assert_eq!(count_operations(&program, Op::Load), 2);
    // All of c[0], and c[2].w.
    assert_eq!(count_operations(&program, Op::Store), 2);
    let read = load_program("ARL A0.x, c[3].x; MOV R0, c[A0.x]; MOV R0, c[A0.x+1]; MOV c[4], R0;");
    assert_eq!(count_operations(&read, Op::Load), 3);
    assert_eq!(count_operations(&read, Op::Store), 1);
    // What was written is stored before a relative read, and again only if it was written again.
    let both = load_program(
        "MOV c[3], v[0]; MOV R0, c[A0.x]; MOV R0, c[A0.x+1]; MOV c[4], c[3]; MOV c[3].y, R0;",
    );
    assert_eq!(count_operations(&both, Op::Store), 3);
}

#[test]
fn only_absolute_parameters_and_temporaries_are_written() {
    errors(
        "!!VSP1.0 MOV «c[A0.x]», R0; MOV «c[A0.x + 1]».xy, R0; MOV «v[0]», R0; MOV «o[HPOS]», R0; MOV c[0], R0; END",
        &[
            Code::WriteReadOnly,
            Code::WriteReadOnly,
            Code::WriteReadOnly,
            Code::UnknownRegister,
        ],
    );
}

#[test]
fn the_only_attribute_is_number_0() {
    errors(
        "!!VSP1.0 MOV R0, «v[1]»; MOV R0, «v[OPOS]»; MOV R0, «v[15]»; ADD R0, v[0], -v[0]; MOV R1, «o[COL0]»; MOV c[0], v[0]; END",
        &[
            Code::BindingRange,
            Code::UnknownRegister,
            Code::BindingRange,
            Code::UnknownRegister,
        ],
    );
}

#[test]
fn instructions_read_one_parameter() {
    errors(
        "!!VSP1.0 ADD R0, c[0], «c[1]»; ADD c[5], v[0], c[0]; ADD R0, c[0], «c[A0.x]»; MAD c[1], c[0].x, -c[0], c[0].wzyx; END",
        &[Code::TwoParameters, Code::TwoParameters],
    );
}

#[test]
fn a_parameter_is_written() {
    errors("!!VSP1.0 MOV R0, c[0]; END", &[Code::NoParameterWritten]);
    errors("!!VSP1.0 END", &[Code::NoParameterWritten]);
    errors("!!VSP1.0 MOV c[0].w, c[0]; END", &[]);
}

#[test]
fn the_target_is_their_own() {
    let of = |text: &str, wanted| {
        let source = Source::new("test", text).for_type(wanted).strict();
        let (program, diagnostics) = translate(&source);
        let codes = diagnostics
            .list
            .iter()
            .map(|it| (it.code, it.message.clone()));
        assert_eq!(program.is_none(), !diagnostics.list.is_empty());
        codes.collect::<Vec<_>>()
    };
    let program = "!!VSP1.0 MOV c[0], v[0]; END";
    assert_eq!(of(program, ProgramType::VertexState), []);
    for (text, wanted, message) in [
        (
            program,
            ProgramType::Stage(Stage::Compute),
            "this is the header of a vertex state program, not of a compute program",
        ),
        (
            program,
            ProgramType::Stage(Stage::Vertex),
            "this is the header of a vertex state program, not of a vertex program",
        ),
        (
            "!!NVcp5.0 GROUP_SIZE 1; END",
            ProgramType::VertexState,
            "this is the header of a compute program, not of a vertex state program",
        ),
        (
            "!!VP1.0 MOV o[HPOS], v[0]; END",
            ProgramType::VertexState,
            "this is the header of a vertex program, not of a vertex state program",
        ),
    ] {
        assert_eq!(of(text, wanted), [(Code::HeaderStage, message.to_owned())]);
    }
}
