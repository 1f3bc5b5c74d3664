//! Effects of modifiers, barriers and options of programs on modules that no result of a CPU device
//! shows: orders of memory accesses and of roundings.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::{Conventions, DeviceFeatures, Options, PipelineState, Source, compile};
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, GlslStd450Op, MemoryAccess, MemorySemantics, Op, Scope};

#[track_caller]
fn compile_module(text: &str) -> Module {
    compile_module_with(text, &Options::default())
}

#[track_caller]
fn compile_module_with(text: &str, options: &Options) -> Module {
    let source = Source::new("test", text);
    let shader =
        compile(&source, options).unwrap_or_else(|errors| panic!("{}", errors.render(&source)));
    let mut loader = rspirv::dr::Loader::new();
    rspirv::binary::parse_words(&shader.words, &mut loader).unwrap();
    loader.module()
}

/// Returns a compute program with statements over some variables and memories.
#[track_caller]
fn compile_compute(statements: &str) -> Module {
    compile_module(&format!(
        "!!NVcp5.0 OPTION NV_shader_storage_buffer; OPTION NV_shader_atomic_counters; GROUP_SIZE 8; \
         STORAGE s[] = {{ program.storage[0] }}; COUNTER c[] = {{ program.counter[0] }}; LONG TEMP l; TEMP r, i; \
         PK64.U l, program.local[0]; MOV.U i, invocation.localid; MOV.U r, i; {statements} END"
    ))
}

fn find_all(module: &Module, op: Op) -> Vec<&Instruction> {
    let insts = module.all_inst_iter();
    insts.filter(|inst| inst.class.opcode == op).collect()
}

fn count_op(module: &Module, op: Op) -> usize {
    find_all(module, op).len()
}

/// Returns the number of decorations of variables, results, or members of a block.
fn count_decorations(module: &Module, decoration: Decoration) -> usize {
    let is_it = |inst: &&Instruction| inst.operands.contains(&Operand::Decoration(decoration));
    module.annotations.iter().filter(is_it).count()
}

/// Returns the number of decorated instructions.
fn count_decorated(module: &Module, op: Op, decoration: Decoration) -> usize {
    let is_decorated = |inst: &&&Instruction| {
        let target = Operand::IdRef(inst.result_id.unwrap());
        let mut annotations = module.annotations.iter();
        annotations.any(|annotation| {
            annotation.operands.contains(&target)
                && annotation
                    .operands
                    .contains(&Operand::Decoration(decoration))
        })
    };
    find_all(module, op).iter().filter(is_decorated).count()
}

/// Loads and stores that are volatile, of memory that others see.
fn count_volatile_accesses(module: &Module) -> (usize, usize) {
    let is_volatile = |inst: &&&Instruction| {
        inst.operands.iter().any(|operand| {
            matches!(operand, Operand::MemoryAccess(access) if access.contains(MemoryAccess::VOLATILE))
        })
    };
    let count = |op| find_all(module, op).iter().filter(is_volatile).count();
    (count(Op::Load), count(Op::Store))
}

/// Returns the number that a constant is.
fn get_constant(module: &Module, operand: &Operand) -> u32 {
    let (Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id)) = operand
    else {
        panic!("{operand:?} is no constant")
    };
    let mut constants = module.types_global_values.iter();
    let constant = constants.find(|inst| inst.result_id == Some(*id)).unwrap();
    let Operand::LiteralBit32(bits) = constant.operands[0] else {
        panic!("{constant:?} is no word")
    };
    bits
}

/// Checks NV_gpu_program5 section 2.X.4.5.
#[test]
fn coherent_and_volatile_accesses_of_buffers() {
    for (statements, coherent, volatile, accesses) in [
        ("LDB.U32 r, s[i.x]; STB.U32 r, s[i.x];", 0, 0, (0, 0)),
        ("LDB.U32.COH r, s[i.x]; STB.U32 r, s[i.x];", 1, 0, (1, 0)),
        ("LDB.U32 r, s[i.x]; STB.U32.COH r, s[i.x];", 1, 0, (0, 1)),
        ("LDB.U32.VOL r, s[i.x]; STB.U32 r, s[i.x];", 0, 1, (1, 0)),
        ("LDB.U32 r, s[i.x]; STB.U32.VOL r, s[i.x];", 0, 1, (0, 1)),
        (
            "LDB.U32.COH r, s[i.x]; STB.U32X2.VOL r, s[i.x];",
            1,
            1,
            (1, 2),
        ),
    ] {
        let module = compile_compute(statements);
        let found = (
            count_decorations(&module, Decoration::Coherent),
            count_decorations(&module, Decoration::Volatile),
            count_volatile_accesses(&module),
        );
        assert_eq!(found, (coherent, volatile, accesses), "{statements}");
    }
}

/// Checks accesses by address, which have no variable to decorate.
#[test]
fn coherent_and_volatile_accesses_by_address() {
    for (statements, accesses) in [
        ("LOAD.U32 r, l.x; STORE.U32 r, l.y;", (0, 0)),
        ("LOAD.U32.COH r, l.x; STORE.U32 r, l.y;", (1, 0)),
        ("LOAD.U32 r, l.x; STORE.U32.COH r, l.y;", (0, 1)),
        ("LOAD.U32.VOL r, l.x; STORE.U32 r, l.y;", (1, 0)),
        ("LOAD.U32 r, l.x; STORE.F32X4.VOL r, l.y;", (0, 1)),
    ] {
        assert_eq!(
            count_volatile_accesses(&compile_compute(statements)),
            accesses,
            "{statements}"
        );
    }
}

#[test]
fn coherent_and_volatile_accesses_of_images() {
    for (statements, coherent, volatile) in [
        (
            "LOADIM.U32 r, i, image[0], 1D; STOREIM.U32 image[0], r, i, 1D;",
            0,
            0,
        ),
        (
            "LOADIM.U32.COH r, i, image[0], 1D; STOREIM.U32 image[1], r, i, 1D;",
            1,
            0,
        ),
        (
            "LOADIM.U32 r, i, image[0], 1D; STOREIM.U32.COH image[1], r, i, 1D;",
            1,
            0,
        ),
        (
            "LOADIM.U32.VOL r, i, image[0], 1D; STOREIM.U32 image[1], r, i, 1D;",
            0,
            1,
        ),
        (
            "LOADIM.U32 r, i, image[0], 1D; STOREIM.U32.VOL image[1], r, i, 1D;",
            0,
            1,
        ),
    ] {
        let module = compile_compute(statements);
        let found = (
            count_decorations(&module, Decoration::Coherent),
            count_decorations(&module, Decoration::Volatile),
        );
        assert_eq!(found, (coherent, volatile), "{statements}");
    }
}

/// Checks counters: other invocations change them, regardless of the program.
#[test]
fn counters_are_read_anew() {
    let module =
        compile_compute("ATOMCTR.GET.U r.x, c[0]; ATOMCTR.GET.U i.x, c[0]; STB.U32 r, s[i.x];");
    assert_eq!(count_volatile_accesses(&module), (2, 0));
    assert_eq!(count_decorations(&module, Decoration::Coherent), 1);
}

/// Checks NV_gpu_program5 and NV_compute_program5 section 2.X.8.Z: all accesses of the invocation,
/// for all invocations. CTA requires less.
#[test]
fn memory_barriers() {
    let all_memory = MemorySemantics::ACQUIRE_RELEASE
        | MemorySemantics::UNIFORM_MEMORY
        | MemorySemantics::IMAGE_MEMORY;
    let of_groups = all_memory | MemorySemantics::WORKGROUP_MEMORY;
    for statement in ["MEMBAR;", "MEMBAR.CTA;"] {
        let module = compile_compute(&format!("STB.U32 r, s[i.x]; {statement} STB.U32 r, s[4];"));
        let barriers = find_all(&module, Op::MemoryBarrier);
        assert_eq!(barriers.len(), 1, "{statement}");
        let [scope, semantics] = [0, 1].map(|n| get_constant(&module, &barriers[0].operands[n]));
        assert_eq!((scope, semantics), (Scope::Device as u32, of_groups.bits()));
        // The barrier is between the stores.
        let body = module.functions[0].blocks.iter();
        let insts = body.flat_map(|block| &block.instructions);
        let ops: Vec<Op> = insts.map(|inst| inst.class.opcode).collect();
        let place = |op| ops.iter().position(|&found| found == op).unwrap();
        let last_store = ops.iter().rposition(|&found| found == Op::Store).unwrap();
        let barrier = place(Op::MemoryBarrier);
        assert!(place(Op::Store) < barrier && barrier < last_store);
    }
    let fragment = compile_module(
        "!!NVfp5.0 LONG TEMP l; PK64.U l, program.local[0]; STORE.U32 program.local[1], l.x; MEMBAR; MOV result.color, 1; END",
    );
    let barriers = find_all(&fragment, Op::MemoryBarrier);
    assert_eq!(
        get_constant(&fragment, &barriers[0].operands[1]),
        all_memory.bits()
    );
}

#[test]
fn barriers_of_groups() {
    let module = compile_compute("BAR;");
    let barriers = find_all(&module, Op::ControlBarrier);
    assert_eq!(barriers.len(), 1);
    let operands = [0, 1, 2].map(|n| get_constant(&module, &barriers[0].operands[n]));
    let group = Scope::Workgroup as u32;
    let semantics = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::WORKGROUP_MEMORY;
    assert_eq!(operands, [group, group, semantics.bits()]);
    assert_eq!(count_op(&module, Op::MemoryBarrier), 0);
}

/// Returns a fragment program with statements over attributes.
#[track_caller]
fn compile_fragment(statements: &str) -> Module {
    compile_module(&format!(
        "!!NVfp5.0 ATTRIB a = fragment.texcoord[0]; ATTRIB b = fragment.texcoord[1]; LONG TEMP l; TEMP r; {statements} \
         MOV result.color, r; END"
    ))
}

/// Checks NV_gpu_program5 section 2.X.4.1: instructions with PREC must not be combined with others.
#[test]
fn precise_results_are_not_contracted() {
    for (statement, op, number) in [
        ("ADD? r, a, b;", Op::FAdd, 1),
        ("SUB? r, a, b;", Op::FSub, 1),
        ("MUL? r, a, b;", Op::FMul, 1),
        ("MUL? r, a, b.x;", Op::VectorTimesScalar, 1),
        ("MAD? r, a, b, a;", Op::FMul, 1),
        ("MAD? r, a, b, a;", Op::FAdd, 1),
        ("DIV? r, a, b.x;", Op::FDiv, 1),
        ("RCP? r, a.x;", Op::FDiv, 1),
        ("LRP? r, a, b, a;", Op::FMul, 2),
        ("LRP? r, a, b, a;", Op::FSub, 1),
        ("XPD? r, a, b;", Op::FMul, 2),
        ("MAD?.F r, a, -b, a;", Op::FNegate, 1),
    ] {
        let precise = compile_fragment(&statement.replace('?', ".PREC"));
        let plain = compile_fragment(&statement.replace('?', ""));
        let found = [&precise, &plain].map(|module| {
            let decorated = count_decorated(module, op, Decoration::NoContraction);
            (count_op(module, op), decorated)
        });
        assert_eq!(found, [(number, number), (number, 0)], "{statement}");
    }
}

/// Checks that the smallest integer divided by -1, which has no result in SPIR-V, is avoided for
/// constant and dynamic divisors.
#[test]
fn divisions_by_minus_one_are_none() {
    for statement in [
        "DIV.S r.x, i, -1;",
        "MOD.S r.x, i, -1;",
        "DIV.S r.x, i, r.x;",
    ] {
        let module = compile_compute(&format!("{statement} STB.U32 r, s[i.x];"));
        for division in find_all(&module, Op::SDiv)
            .iter()
            .chain(&find_all(&module, Op::SRem))
        {
            let constants = &module.types_global_values;
            let divisor = constants.iter().find(|inst| {
                inst.result_id.map(Operand::IdRef).as_ref() == Some(&division.operands[1])
            });
            let minus_one = [Operand::LiteralBit32(u32::MAX)];
            assert!(
                divisor.is_none_or(|inst| inst.operands != minus_one),
                "{statement}"
            );
        }
    }
}

/// Sums of dot products have an order then, too.
#[test]
fn precise_dot_products() {
    for (statement, products, sums) in [
        ("DP2? r, a, b;", 1, 1),
        ("DP3? r, a, b;", 1, 2),
        ("DP4? r, a, b;", 1, 3),
        ("DPH? r, a, b;", 1, 3),
    ] {
        let precise = compile_fragment(&statement.replace('?', ".PREC"));
        let ops = [Op::Dot, Op::FMul, Op::FAdd];
        assert_eq!(
            ops.map(|op| count_op(&precise, op)),
            [0, products, sums],
            "{statement}"
        );
        let decorated = ops.map(|op| count_decorated(&precise, op, Decoration::NoContraction));
        assert_eq!(decorated, [0, products, sums], "{statement}");
        let plain = compile_fragment(&statement.replace('?', ""));
        assert_eq!(count_op(&plain, Op::Dot), 1, "{statement}");
        assert_eq!(count_decorations(&plain, Decoration::NoContraction), 0);
    }
}

/// Checks that PREC applies to its instruction only.
#[test]
fn precision_of_one_instruction() {
    let module = compile_fragment("MUL.PREC r, a, b; ADD r, r, a; MUL r, r, b;");
    let decorated =
        [Op::FMul, Op::FAdd].map(|op| count_decorated(&module, op, Decoration::NoContraction));
    assert_eq!(decorated, [1, 0]);
    let doubles = compile_fragment("MUL.F64.PREC l, a, b; ADD.F64 l, l, a; CVT.F32.F64 r, l;");
    let ops = [Op::FMul, Op::FAdd];
    let decorated = ops.map(|op| count_decorated(&doubles, op, Decoration::NoContraction));
    assert_eq!(decorated, [1, 0]);
}

/// Checks NV_vertex_program4 section 2.X.6, ARB_vertex_program section 2.14.4.5.1: the position
/// equals that of any other program with the option.
#[test]
fn invariant_positions() {
    for header in ["!!NVvp4.0", "!!ARBvp1.0"] {
        let module = compile_module(&format!(
            "{header} OPTION ARB_position_invariant; MUL result.color, vertex.color, vertex.color; END"
        ));
        // Four rows: products, and three sums of each.
        let ops = [Op::FMul, Op::FAdd];
        let decorated = ops.map(|op| count_decorated(&module, op, Decoration::NoContraction));
        assert_eq!(decorated, [4, 12], "{header}");
        let is_position = |inst: &&Instruction| {
            let builtin = Operand::BuiltIn(BuiltIn::Position);
            inst.operands.contains(&builtin)
        };
        let position = module.annotations.iter().find(is_position).unwrap();
        let invariant = module.annotations.iter().any(|inst| {
            inst.operands[0] == position.operands[0]
                && inst
                    .operands
                    .contains(&Operand::Decoration(Decoration::Invariant))
        });
        assert!(invariant, "{header}");
    }
}

/// Precisions of at least 16 bits are a hint to the device: suffix H, and variables declared SHORT.
#[test]
fn half_precision() {
    for (statement, relaxed) in [
        ("MULH r, a, b;", 1),
        ("MULR r, a, b;", 0),
        ("MUL r, a, b;", 0),
        ("MUL s, a, b; MOV r, s;", 1),
        ("MUL.F64 s, a, b; CVT.F32.F32 r, s;", 0),
    ] {
        let module = compile_fragment(&format!("SHORT TEMP s; {statement}"));
        let found = count_decorated(&module, Op::FMul, Decoration::RelaxedPrecision);
        assert_eq!(found, relaxed, "{statement}");
    }
}

/// Checks that user clip planes clip all invariant positions at the same locations.
#[test]
fn distances_of_user_clip_planes() {
    let options = Options {
        pipeline_state: PipelineState {
            clip_plane_mask: 0b101,
            ..PipelineState::default()
        },
        ..Options::default()
    };
    let text = "!!ARBvp1.0 OPTION ARB_position_invariant; MOV result.color, vertex.color; END";
    let module = compile_module_with(text, &options);
    // Four rows of each of the two matrices, and two planes: products, and three sums of each.
    let decorated =
        [Op::FMul, Op::FAdd].map(|op| count_decorated(&module, op, Decoration::NoContraction));
    assert_eq!(decorated, [10, 30]);
}

/// Instructions of GLSL.std.450 of one kind.
fn count_glsl_op(module: &Module, op: GlslStd450Op) -> usize {
    let number = Operand::LiteralExtInstInteger(op as u32);
    let insts = find_all(module, Op::ExtInst);
    insts
        .iter()
        .filter(|inst| inst.operands[1] == number)
        .count()
}

/// Checks that out-of-bounds accesses, on which programs cannot rely, do not reach other memory:
/// indices are clamped to the range of their array.
#[test]
fn indices_stay_in_their_arrays() {
    for (statements, clamps) in [
        ("TEMP a[4]; MOV a[n.x], n; ADD r, a[n.y], a[n.x];", 3),
        ("PARAM a[3] = { program.local[1..3] }; MOV r, a[n.x];", 1),
        ("ATTRIB a[] = { fragment.attrib[0..3] }; MOV r, a[n.x];", 1),
        ("TEMP a[4]; MOV a[1], n; MOV r, a[1];", 0),
    ] {
        let (declaration, rest) = statements.split_once("; ").unwrap();
        let module = compile_module(&format!(
            "!!NVfp5.0 {declaration}; TEMP n, r; MOV.S n, program.local[0]; {rest} MOV result.color, r; END"
        ));
        let clamps_all = find_all(&module, Op::ExtInst).iter().all(|inst| {
            inst.operands[1] != Operand::LiteralExtInstInteger(GlslStd450Op::SClamp as u32)
                || get_constant(&module, &inst.operands[3]) == 0
                    && get_constant(&module, &inst.operands[4]) < 4
        });
        assert_eq!(
            (count_glsl_op(&module, GlslStd450Op::SClamp), clamps_all),
            (clamps, true),
            "{statements}"
        );
    }
}

/// Checks that divisors with undefined results in SPIR-V, 0 and the quotient of the least number by
/// -1, never reach an instruction.
#[test]
fn divisions_of_integers_are_defined() {
    for (ty, op, choices) in [("S", Op::SDiv, 2), ("U", Op::UDiv, 1)] {
        let module = compile_module(&format!(
            "!!NVfp5.0 TEMP r; DIV.{ty} r.x, program.local[0], program.local[1].x; MOV result.color, r.x; END"
        ));
        let mut divisor = find_all(&module, op)[0].operands[1].clone();
        for number in 0..choices {
            let Operand::IdRef(id) = divisor else {
                panic!("{divisor:?}")
            };
            let select = module
                .all_inst_iter()
                .find(|inst| inst.result_id == Some(id))
                .unwrap();
            assert_eq!(select.class.opcode, Op::Select, "{ty} {number}");
            divisor = select.operands[2].clone();
        }
    }
}

/// Helper invocations do not execute loops that wait for changes of memory.
#[test]
fn helpers_do_not_wait() {
    let text = "!!NVfp5.0 LONG TEMP l; TEMP r; PK64.U l, program.local[0]; ATOM.IWRAP.U32 r.x, program.local[1], l.x; \
                MOV result.color, r; END";
    for (demote, op) in [(true, Op::IsHelperInvocationEXT), (false, Op::Load)] {
        let options = Options {
            device: DeviceFeatures {
                demote_to_helper_invocation: demote,
                ..DeviceFeatures::default()
            },
            ..Options::default()
        };
        let module = compile_module_with(text, &options);
        assert!(count_op(&module, op) > 0);
        let builtin = Operand::BuiltIn(BuiltIn::HelperInvocation);
        let reads_builtin = module
            .annotations
            .iter()
            .any(|inst| inst.operands.contains(&builtin));
        assert_eq!(
            (
                count_op(&module, Op::IsHelperInvocationEXT) > 0,
                reads_builtin
            ),
            (demote, !demote)
        );
        // The condition, and the end of the loop.
        assert_eq!(count_op(&module, Op::BranchConditional), 2);
    }
}

/// Buffers may alias, and read-only ones are declared so: devices that cannot store in a stage
/// accept them.
#[test]
fn buffers_that_are_only_read() {
    let module = compile_compute("LDB.U32 r, s[i.x]; STORE.U32 r, l.x;");
    assert_eq!(count_decorations(&module, Decoration::NonWritable), 1);
    let module = compile_compute("LDB.U32 r, s[i.x]; STB.U32 r, s[i.y];");
    assert_eq!(count_decorations(&module, Decoration::NonWritable), 0);
    assert_eq!(count_decorations(&module, Decoration::Aliased), 1);
}

/// Checks that inputs with one value for a primitive are not evaluated at other locations.
#[test]
fn flat_attributes_are_not_evaluated_elsewhere() {
    let flat_colors = Options {
        pipeline_state: PipelineState {
            flat_colors: true,
            ..PipelineState::default()
        },
        ..Options::default()
    };
    let smooth = Options::default();
    for (text, options, number) in [
        (
            "ATTRIB a = fragment.attrib[0]; IPAC result.color, a;",
            &smooth,
            1,
        ),
        (
            "FLAT ATTRIB a = fragment.attrib[0]; IPAC result.color, a;",
            &smooth,
            0,
        ),
        (
            "CENTROID ATTRIB a = fragment.color; IPAC result.color, a;",
            &smooth,
            1,
        ),
        (
            "CENTROID ATTRIB a = fragment.color; IPAC result.color, a;",
            &flat_colors,
            0,
        ),
    ] {
        let module = compile_module_with(&format!("!!NVfp5.0 {text} END"), options);
        assert_eq!(
            count_glsl_op(&module, GlslStd450Op::InterpolateAtCentroid),
            number,
            "{text}"
        );
        let is_flat = number == 0;
        let found = (
            count_decorations(&module, Decoration::Flat),
            count_decorations(&module, Decoration::Centroid),
        );
        let is_centroid = !is_flat && text.starts_with("CENTROID");
        assert_eq!(
            found,
            (usize::from(is_flat), usize::from(is_centroid)),
            "{text}"
        );
    }
}

/// Checks NV_sample_mask_override_coverage, and options that become execution modes.
#[test]
fn options_of_fragment_programs() {
    let declared = |option: &str| {
        compile_module(&format!(
            "!!NVfp5.0 {option} MOV.S result.samplemask, 1; MOV result.color, 1; END"
        ))
    };
    let plain = declared("");
    let own = declared("OPTION NV_sample_mask_override_coverage;");
    let counts =
        [&plain, &own].map(|module| count_decorations(module, Decoration::OverrideCoverageNV));
    assert_eq!(counts, [0, 1]);
}

/// Checks that derivatives in y and offsets follow the direction of y.
#[test]
fn directions_of_y() {
    for (negate_ddy, negations) in [(false, 0), (true, 1)] {
        let options = Options {
            conventions: Conventions {
                negate_ddy,
                ..Conventions::vulkan()
            },
            ..Options::default()
        };
        for statement in [
            "IPAO r, a, program.local[0];",
            "DDY r, a;",
            "MOV r, a;",
            "DDX r, a;",
        ] {
            let text = format!(
                "!!NVfp5.0 ATTRIB a = fragment.attrib[0]; TEMP r; {statement} MOV result.color, r; END"
            );
            let module = compile_module_with(&text, &options);
            let turns = statement.starts_with("IPAO") || statement.starts_with("DDY");
            let expected = if turns { negations } else { 0 };
            assert_eq!(count_op(&module, Op::FNegate), expected, "{statement}");
        }
    }
}

/// Returns the instruction that defines the value of an operand.
#[track_caller]
fn find_definition<'m>(module: &'m Module, operand: &Operand) -> &'m Instruction {
    let Operand::IdRef(id) = operand else {
        panic!("{operand:?} is no value")
    };
    let mut insts = module.all_inst_iter();
    insts.find(|inst| inst.result_id == Some(*id)).unwrap()
}

/// Checks NV_shader_storage_buffer_object: out-of-bounds stores are dropped. Devices may do the
/// same, so that no result shows it.
#[test]
fn stores_stay_in_their_buffers() {
    for (statement, more) in [
        ("STB.U32 r, s[i.x];", None),
        ("STB.U64 l, s[i.x];", Some(1)),
    ] {
        let module = compile_compute(statement);
        assert_eq!(count_op(&module, Op::ULessThanEqual), 0);
        let tests = find_all(&module, Op::ULessThan);
        assert_eq!(tests.len(), 1, "{statement}");
        let [word, bound] = [0, 1].map(|n| find_definition(&module, &tests[0].operands[n]));
        assert_eq!(bound.class.opcode, Op::ArrayLength, "{statement}");
        // The last word that the store touches: the byte address over 4, and one more if it has 64
        // bits.
        let first = match more {
            Some(number) => {
                assert_eq!(word.class.opcode, Op::IAdd, "{statement}");
                assert_eq!(
                    get_constant(&module, &word.operands[1]),
                    number,
                    "{statement}"
                );
                find_definition(&module, &word.operands[0])
            }
            None => word,
        };
        assert_eq!(first.class.opcode, Op::ShiftRightLogical, "{statement}");
        assert_eq!(get_constant(&module, &first.operands[1]), 2, "{statement}");
    }
}

/// Returns true if a fragment program compiles for a device without doubles, and to a module that
/// needs none.
fn works_without_doubles(statements: &str) -> bool {
    let text = format!(
        "!!NVfp5.0 LONG TEMP a, b; TEMP r, t; PK64.F a, program.local[0]; MOV.S.CC t, program.local[1]; {statements} \
         UP64.U result.color, b; END"
    );
    let options = Options {
        device: DeviceFeatures {
            float64: false,
            ..DeviceFeatures::default()
        },
        ..Options::default()
    };
    let Ok(shader) = compile(&Source::new("test", &text), &options) else {
        return false;
    };
    let features = &shader.reflection.requirements.features;
    assert!(!features.contains(&"shaderFloat64"), "{statements}");
    true
}

#[test]
fn doubles_that_are_moved_are_bits() {
    for statements in [
        "MOV.F64 b, a.yxyx;",
        "MOV.F64 b, a; MOV.F64 b.zw (LT), a.yyyx;",
        "MOV.F64 b, 1.5; MOV.F64 b.x (GT), a;",
        "IF LT.x; MOV.F64 b, a; ELSE; MOV.F64 b, 7; ENDIF;",
    ] {
        assert!(works_without_doubles(statements), "{statements}");
    }
    for statements in [
        "MOV.F64 b, -a;",
        "MOV.F64.SAT b, a;",
        "MOV.F64 b, a; MOV.F64.CC b.x, a; MOV.F64 b.y (GT.x), a;",
        "ADD.F64 b, a, a;",
    ] {
        assert!(!works_without_doubles(statements), "{statements}");
    }
}
