//! What instructions compute, run by the IR's interpreter. Expected values are worked out from the formulas of
//! NV_gpu_program4 and NV_gpu_program5 section 2.X.8.Z.

use glasm_frontend::{Source, translate};
use glasm_ir::interp::{Environment, Interpreter};
use glasm_ir::{ParamSource, Semantic};

/// Runs a vertex or fragment program; the lanes of `result.attrib[0]` or `result.color`. Attribute n is (n, n + 0.5, -n, 1), local parameter n
/// (10n, 10n + 1, 10n + 2, 10n + 3).
#[track_caller]
fn run_program(text: &str) -> [u32; 4] {
    let (program, diagnostics) = translate(&Source::new("test", text));
    let Some(program) = program else {
        panic!("{text}\n{:#?}", diagnostics.list)
    };
    let interpreter = match Interpreter::new(&program) {
        Ok(interpreter) => interpreter,
        Err(errors) => panic!("{text}\n{program}\n{errors:#?}"),
    };
    let mut environment = Environment::default();
    for input in program.inputs.iter() {
        let lanes = if let Semantic::VertexAttribute(n) | Semantic::GenericVarying(n) =
            input.semantic
        {
            [f32::from(n), f32::from(n) + 0.5, -f32::from(n), 1.0].map(|x| u64::from(x.to_bits()))
        } else if input.semantic == Semantic::VertexId {
            [7, 0, 0, 0]
        } else {
            [0; 4]
        };
        environment.inputs.push(lanes);
    }
    for param in program.params.iter() {
        environment.params.push(match param.source {
            ParamSource::Local(n) => {
                [0, 1, 2, 3].map(|lane| (10.0 * n as f32 + lane as f32).to_bits())
            }
            ParamSource::Literal(bits) => bits,
            ParamSource::Env(n) => [n; 4],
            ParamSource::State(_)
            | ParamSource::Subroutine(_)
            | ParamSource::Named(_)
            | ParamSource::Argument => [0; 4],
        });
    }
    let outcome = interpreter
        .run_main(&mut environment)
        .expect("the program ends");
    let output = program
        .outputs
        .iter()
        .position(|output| {
            matches!(
                output.semantic,
                Semantic::GenericVarying(0) | Semantic::FragColor { .. }
            )
        })
        .expect("a result");
    outcome.outputs[output].map(|bits| bits as u32)
}

/// Runs statements over some temporaries; the result is `r`, which starts as -77 in every lane.
#[track_caller]
fn run_statements(statements: &str) -> [u32; 4] {
    run_program(&format!(
        "!!NVvp5.0 TEMP r, a, b, c, i; LONG TEMP l, m; MOV.S r, -77; {statements} MOV.U result.attrib[0], r; END"
    ))
}

#[track_caller]
fn check_floats(statements: &str, expected: [f32; 4]) {
    let found = run_statements(statements).map(f32::from_bits);
    let close = |(found, expected): (&f32, &f32)| {
        found.to_bits() == expected.to_bits()
            || found.is_nan() && expected.is_nan()
            || (found - expected).abs() <= expected.abs() * 2e-6
    };
    assert!(
        found.iter().zip(&expected).all(close),
        "{statements}: {found:?}, expected {expected:?}"
    );
}

#[track_caller]
fn check_ints(statements: &str, expected: [i32; 4]) {
    let found = run_statements(statements).map(|bits| bits as i32);
    assert_eq!(found, expected, "{statements}");
}

#[test]
fn moves_and_operands() {
    check_floats("MOV r, {1, 2, 3, 4};", [1.0, 2.0, 3.0, 4.0]);
    check_floats("MOV r, {1, 2};", [1.0, 2.0, 0.0, 1.0]);
    check_floats("MOV r, {5};", [5.0, 0.0, 0.0, 1.0]);
    check_floats("MOV r, 5;", [5.0; 4]);
    check_floats("MOV r, -{1, 2, 3, 4};", [-1.0, -2.0, -3.0, -4.0]);
    check_floats("MOV r, |{-1, 2, -3, 4}|;", [1.0, 2.0, 3.0, 4.0]);
    check_floats("MOV r, -|{-1, 2, -3, 4}|;", [-1.0, -2.0, -3.0, -4.0]);
    check_floats("MOV a, {2, 8, 9, 0}; MOV r, a.yzzx;", [8.0, 9.0, 9.0, 2.0]);
    check_floats("MOV a, {2, 8, 9, 0}; MOV r, a.g;", [8.0; 4]);
    check_floats("MOV r, {1, 2, 3, 4}; MOV r, r.wzyx;", [4.0, 3.0, 2.0, 1.0]);
    check_floats("MOV r, 0; MOV r.yw, 3;", [0.0, 3.0, 0.0, 3.0]);
    check_floats("MOV r, {1, 0}.xyyx;", [1.0, 0.0, 0.0, 1.0]);
    check_ints("MOV.S r, {1, 2};", [1, 2, 0, 1]);
    check_ints("MOV.U a, 3; MOV.U r, -a;", [-3; 4]);
    check_ints("MOV.U a, 3; MOV.U r, -|-a|;", [3; 4]);
    check_ints("MOV.S a, 3; MOV.S r, -|-a|;", [-3; 4]);
    // A move without modifiers keeps all bits, here those of a signalling NaN.
    check_ints("MOV.U a, 0x7F800001; MOV.F r, a;", [0x7F80_0001; 4]);
}

#[test]
fn attributes_and_parameters() {
    check_floats("MOV r, vertex.attrib[3];", [3.0, 3.5, -3.0, 1.0]);
    check_floats("MOV r, vertex.normal;", [2.0, 2.5, -2.0, 1.0]);
    check_floats("MOV r, program.local[2].w;", [23.0; 4]);
    check_floats("PARAM two = 2; MOV.U r, two;", [2.0; 4]);
    check_ints("INT PARAM two = 2; MOV.S r, two;", [2; 4]);
    check_ints("MOV.U r, program.env[9];", [9; 4]);
    check_ints("MOV.S r.x, vertex.id;", [7, -77, -77, -77]);
    check_floats(
        "PARAM k[] = { 5, program.local[0..1], {7, 8} }; MOV r, k[3];",
        [7.0, 8.0, 0.0, 1.0],
    );
    check_floats(
        "PARAM k[] = { 5, program.local[0..1], {7, 8} }; MOV r, k[2];",
        [10.0, 11.0, 12.0, 13.0],
    );
    check_floats(
        "PARAM k[] = { 5, program.local[0..1], {7, 8} }; MOV.S i.y, 1; MOV r, k[i.y + 1];",
        [10.0, 11.0, 12.0, 13.0],
    );
    check_floats(
        "ATTRIB v[] = { vertex.attrib[4..6] }; MOV.S i, 1; MOV r, v[i];",
        [5.0, 5.5, -5.0, 1.0],
    );
    check_floats("ALIAS other = a; MOV other, 6; MOV r, a;", [6.0; 4]);
}

#[test]
fn arrays_of_temporaries() {
    check_floats(
        "TEMP t[4]; MOV.S i.x, 2; MOV t[i.x + 1], 9; MOV t[2], 8; MOV r.x, t[3]; MOV r.y, t[i.x]; MOV r.zw, 0;",
        [9.0, 8.0, 0.0, 0.0],
    );
    check_floats(
        "TEMP t[3]; MOV t[0], 1; MOV t[2], 3; ADD r, t[0], t[2];",
        [4.0; 4],
    );
}

#[test]
fn results_in_arrays() {
    let program = "!!NVvp5.0 OUTPUT o[] = { result.attrib[0..2] }; TEMP i; MOV.S i, 1; MOV o[i.x], 4; MOV o[0], 1; \
                   MOV result.attrib[0].y, 2; END";
    let found = run_program(program).map(f32::from_bits);
    assert_eq!(found, [1.0, 2.0, 1.0, 1.0]);
}

#[test]
fn float_arithmetic() {
    check_floats("ADD r, {1, 2, 3, 4}, 0.5;", [1.5, 2.5, 3.5, 4.5]);
    check_floats("SUB r, {1, 2, 3, 4}, 0.5;", [0.5, 1.5, 2.5, 3.5]);
    check_floats("MAD r, {1, 2, 3, 4}, 2, -1;", [1.0, 3.0, 5.0, 7.0]);
    check_floats("DIV r, {1, 2, 3, 4}, {2}.x;", [0.5, 1.0, 1.5, 2.0]);
    check_floats("MIN r, {1, -2, 3, 4}, 2;", [1.0, -2.0, 2.0, 2.0]);
    check_floats("MAX r, {1, -2, 3, 4}, 2;", [2.0, 2.0, 3.0, 4.0]);
    check_floats("ABS r, {-1, 2, -3, 0};", [1.0, 2.0, 3.0, 0.0]);
    check_floats("ABS r, -{-1, 2, -3, 4};", [1.0, 2.0, 3.0, 4.0]);
    check_floats("FRC r, {-1.7, 1.25, 0, -0.25};", [0.3, 0.25, 0.0, 0.75]);
    check_floats("CMP r, {-1, 0, 1, -0.0}, 5, 6;", [5.0, 6.0, 6.0, 6.0]);
    check_floats("SSG r, {-3, 0, 2, -0.5};", [-1.0, 0.0, 1.0, -1.0]);
    check_floats("RCP r, 4;", [0.25; 4]);
    check_floats("RSQ r, {0, 16}.y;", [0.25; 4]);
    check_floats("EX2 r.y, 3; MOV r.xzw, 0;", [0.0, 8.0, 0.0, 0.0]);
    check_floats("LG2 r, 8;", [3.0; 4]);
    check_floats("POW r, 3, 2;", [9.0; 4]);
    check_floats("COS r, 0;", [1.0; 4]);
    check_floats("SIN r, 0.5;", [0.479_425_55; 4]);
    check_floats("SEQ r, {1, 2, 3, 4}, {1, 3, 3, 5};", [1.0, 0.0, 1.0, 0.0]);
    check_floats("SNE r, {1, 2, 3, 4}, {1, 3, 3, 5};", [0.0, 1.0, 0.0, 1.0]);
    check_floats("SLT r, {1, 2, 3, 4}, 3;", [1.0, 1.0, 0.0, 0.0]);
    check_floats("SLE r, {1, 2, 3, 4}, 3;", [1.0, 1.0, 1.0, 0.0]);
    check_floats("SGT r, {1, 2, 3, 4}, 3;", [0.0, 0.0, 0.0, 1.0]);
    check_floats("SGE r, {1, 2, 3, 4}, 3;", [0.0, 0.0, 1.0, 1.0]);
    check_floats("SFL r, 1, 1;", [0.0; 4]);
    check_floats("STR r, 1, 1;", [1.0; 4]);
    check_floats("ADD.SAT r, {1, -2, 0.25, 0}, 0.5;", [1.0, 0.0, 0.75, 0.5]);
    check_floats("ADD_SSAT r, {1, -2, 0.25, 0}, 0.5;", [1.0, -1.0, 0.75, 0.5]);
}

#[test]
fn dot_products_and_geometry() {
    let operands = "MOV a, {1, 2, 3, 4}; MOV b, {5, 6, 7, 8};";
    check_floats(&format!("{operands} DP2 r, a, b;"), [17.0; 4]);
    check_floats(&format!("{operands} DP3 r, a, b;"), [38.0; 4]);
    check_floats(&format!("{operands} DP4 r, a, b;"), [70.0; 4]);
    check_floats(&format!("{operands} DPH r, a, b;"), [46.0; 4]);
    check_floats(&format!("{operands} DP2A r, a, b, b;"), [22.0; 4]);
    check_floats(&format!("{operands} DST r, a, b;"), [1.0, 12.0, 3.0, 8.0]);
    // (2*7 - 3*6, 3*5 - 1*7, 1*6 - 2*5)
    check_floats(
        &format!("{operands} XPD r.xyz, a, b; MOV r.w, 0;"),
        [-4.0, 8.0, -4.0, 0.0],
    );
    check_floats("NRM r.xyz, {3, 0, 4, 9}; MOV r.w, 0;", [0.6, 0.0, 0.8, 0.0]);
    // axis (0, 2, 0): the y component stays, the others change their sign.
    check_floats(
        "RFL r.xyz, {0, 2, 0, 5}, {1, 2, 3, 4}; MOV r.w, 0;",
        [-1.0, 2.0, -3.0, 0.0],
    );
    check_floats(
        &format!("{operands} X2D r, a, b, {{10, 20, 30, 40}};"),
        [171.0, 392.0, 171.0, 392.0],
    );
    check_floats("LRP r, {0.25, 0, 1, 2}, 8, 4;", [5.0, 4.0, 8.0, 12.0]);
    check_floats("SCS r.xy, 0; MOV r.zw, 3;", [1.0, 0.0, 3.0, 3.0]);
    check_floats(
        "SWZ r, vertex.attrib[4], -x, 1, 0, +w;",
        [-4.0, 1.0, 0.0, 1.0],
    );
    check_floats(
        "MOV a, {1, 2, 3, 4}; SWZ r, a, -w, -z, -y, -x;",
        [-4.0, -3.0, -2.0, -1.0],
    );
    check_floats(
        "MOV a, {1, 2, 3, 4}; SWZ r, a, b, g, r, a;",
        [3.0, 2.0, 1.0, 4.0],
    );
}

#[test]
fn lighting() {
    check_floats("LIT r, {0.5, 3, 9, 2};", [1.0, 0.5, 9.0, 1.0]);
    check_floats("LIT r, {-0.5, 3, 9, 2};", [1.0, 0.0, 0.0, 1.0]);
    check_floats("LIT r, {0.5, -3, 9, 2};", [1.0, 0.5, 0.0, 1.0]);
    check_floats("LIT r, {0.5, 0, 9, 0};", [1.0, 0.5, 1.0, 1.0]);
    check_floats("LIT r, {1, 1, 0, 1000};", [1.0, 1.0, 1.0, 1.0]);
    check_floats("RCC r, 0;", [18_446_744_073_709_551_616.0; 4]);
    check_floats("RCC r, -1e30;", [-5.421_011e-20; 4]);
    check_floats("RCC r, 4;", [0.25; 4]);
}

#[test]
fn rounding_and_conversion() {
    let values = "MOV a, {-1.7, 1.0, 3.7, 2.5};";
    check_floats(&format!("{values} FLR r, a;"), [-2.0, 1.0, 3.0, 2.0]);
    check_floats(&format!("{values} CEIL r, a;"), [-1.0, 1.0, 4.0, 3.0]);
    check_floats(&format!("{values} TRUNC r, a;"), [-1.0, 1.0, 3.0, 2.0]);
    check_floats(&format!("{values} ROUND r, a;"), [-2.0, 1.0, 4.0, 2.0]);
    check_ints(&format!("{values} FLR.S r, a;"), [-2, 1, 3, 2]);
    check_ints(&format!("{values} CEIL.S r, a;"), [-1, 1, 4, 3]);
    check_ints(&format!("{values} TRUNC.S r, a;"), [-1, 1, 3, 2]);
    check_ints(&format!("{values} ROUND.S r, a;"), [-2, 1, 4, 2]);
    check_floats("I2F r, {-5, 6, 7, 8};", [-5.0, 6.0, 7.0, 8.0]);
    check_floats("I2F.U r, 0x80000000;", [2_147_483_648.0; 4]);
    check_ints(
        "MOV a, {-1.5, 2.5, 300.0, 7}; CVT.S32.F32 r, a;",
        [-2, 2, 300, 7],
    );
    check_ints(
        "MOV a, {-1.5, 2.5, 300.0, 7}; CVT.U8.F32.SAT r, a;",
        [0, 2, 255, 7],
    );
    check_ints(
        "MOV a, {-1.5, 2.5, 3.0, 7}; CVT.S32.F32.CEIL r, a;",
        [-1, 3, 3, 7],
    );
    // A plus changes nothing, so CVT takes it: NV_gpu_program4 section 2.X.4.2.
    check_ints(
        "MOV a, {-1.5, 2.5, 3.0, 7}; CVT.S32.F32.TRUNC r, +a;",
        [-1, 2, 3, 7],
    );
    check_ints("MOV.U a, 0x1FE; CVT.S32.S8 r, a;", [-2; 4]);
    check_floats("MOV.U a, 0x3C00; CVT.F32.F16 r, a;", [1.0; 4]);
    check_ints("MOV a, 1; CVT.F16.F32 r, a;", [0x3C00; 4]);
}

#[test]
fn integer_arithmetic() {
    check_ints("ADD.S r, {1, -2, 3, 2147483647}, 1;", [2, -1, 4, i32::MIN]);
    check_ints(
        "MUL.S r, {3, -4, 65536, 7}, {5, 6, 65536, -1};",
        [15, -24, 0, -7],
    );
    check_ints("MUL.HI.U r, {0x80000000, 1, 2, 3}, 2;", [1, 0, 0, 0]);
    check_ints("MUL.S.HI r, {-1, 1, -3, 3}, 2;", [-1, 0, -1, 0]);
    check_ints("MUL.S24 r, {3, -4, 5, 6}, 7;", [21, -28, 35, 42]);
    check_ints("MAD.S r, {1, 2, 3, 4}, 10, -1;", [9, 19, 29, 39]);
    check_ints("DIV.S r, {7, -7, 100, 0}, 2;", [3, -3, 50, 0]);
    check_ints("MOD.S r, {7, 8, 9, 10}, 4;", [3, 0, 1, 2]);
    check_ints("AND r, {12, 10, 3, -1}, 6;", [4, 2, 2, 6]);
    check_ints("OR r, {12, 10, 3, 0}, 6;", [14, 14, 7, 6]);
    check_ints("XOR r, {12, 10, 3, 0}, 6;", [10, 12, 5, 6]);
    check_ints("NOT r, {0, 1, -1, 5};", [-1, -2, 0, -6]);
    check_ints("SHL r, {1, 2, 3, -1}, 4;", [16, 32, 48, -16]);
    check_ints("SHR r, {16, -16, 3, -1}, 2;", [4, -4, 0, -1]);
    check_ints(
        "SHR.U r, {16, 0xFFFFFFF0, 3, 1}, 2;",
        [4, 0x3FFF_FFFC, 0, 0],
    );
    check_ints("SLT.S r, {1, 2, 3, -4}, 2;", [-1, 0, 0, -1]);
    check_ints("SLT.U r, {1, 2, 3, 0xFFFFFFFC}, 2;", [-1, 0, 0, 0]);
    check_ints("STR.S r, 0, 0;", [-1; 4]);
    check_ints(
        "SAD.S r, {1, -2, 5, 0}, {4, 3, 5, -1}, 10;",
        [13, 15, 10, 11],
    );
    check_ints(
        "SAD.U r, {1, 0, 0xFFFFFFFF, 7}, {4, 0xFFFFFFFF, 0, 7}, 0;",
        [3, -1, -1, 0],
    );
    check_ints("MIN.U r, {1, 0xFFFFFFFF, 3, 4}, 2;", [1, 2, 2, 2]);
    check_ints("ABS.S r, {-1, 2, -3, 4};", [1, 2, 3, 4]);
    check_ints("ABS.U r, {0xFFFFFFFF, 2, 3, 4};", [-1, 2, 3, 4]);
    check_ints("CMP.S r, {-1, 0, 1, -5}, 8, 9;", [8, 9, 9, 8]);
}

#[test]
fn bit_fields() {
    check_ints(
        "BFE.U r, {4, 8}, {0xABCD, 0xF00, 0, 0xFFFFFFFF};",
        [0xB, 0xF, 0, 0xF],
    );
    check_ints("BFE.S r, {4, 8}, {0xABCD, 0x700, 0, -1};", [-5, 7, 0, -1]);
    check_ints("BFE.U r, {0, 8}, 0xFFFF;", [0; 4]);
    check_ints(
        "BFI.U r, {4, 8}, 0xE, {0xABCD, 0, 0xF00, 0xFFFFFFFF};",
        [0xAECD, 0xE00, 0xE00, 0xFFFF_FEFFu32 as i32],
    );
    check_ints("BFI.U r, {32, 0}, 5, 9;", [5; 4]);
    check_ints(
        "BFR r, {1, 0, 3, -1};",
        [i32::MIN, 0, 0xC000_0000u32 as i32, -1],
    );
    check_ints("BTC r, {1, 0, 255, -1};", [1, 0, 8, 32]);
    check_ints("BTFL r, {1, 0, 12, 0x80000000};", [0, -1, 2, 31]);
    check_ints("BTFM r, {1, 0, 12, -1};", [0, -1, 3, -1]);
    check_ints("BTFM.U r, {1, 0, 12, 0xFFFFFFFF};", [0, -1, 3, 31]);
}

#[test]
fn packing() {
    check_ints("PK2H r, {1, -2, 9, 9};", [0xC000_3C00u32 as i32; 4]);
    check_ints("PK2US r, {1, 0.5, 9, 9};", [0x8000_FFFFu32 as i32; 4]);
    check_ints("PK4UB r, {0, 1, 2, 0.2};", [0x33FF_FF00; 4]);
    // 127v + 128: 128, 255, 1 and, clamped, 0.
    check_ints("PK4B r, {0, 1, -1, -3};", [0x0001_FF80; 4]);
    check_floats("MOV.U a, 0xC0003C00; UP2H r, a.x;", [1.0, -2.0, 1.0, -2.0]);
    check_floats("MOV.U a, 0x0000FFFF; UP2US r, a.x;", [1.0, 0.0, 1.0, 0.0]);
    check_floats("MOV.U a, 0x33FF00FF; UP4UB.U r, a.x;", [1.0, 0.0, 1.0, 0.2]);
    check_floats(
        "MOV.U a, 0x0001FF80; UP4B.U r, a.x;",
        [0.0, 1.0, -1.0, -128.0 / 127.0],
    );
    check_floats(
        "MOV.U a, {0, 0x3C000000}; UP2H.U r, a.y;",
        [0.0, 1.0, 0.0, 1.0],
    );
}

#[test]
fn long_variables() {
    check_ints("PK64.U l, {1, 2, 3, 4}; UP64.U r, l;", [1, 2, 3, 4]);
    check_ints("MOV.U64 l, 0x100000002; UP64.U r, l;", [2, 1, 2, 1]);
    check_ints(
        "MOV.S a, -3; ADD.S64 l, a, 0; UP64.S r, l;",
        [-3, -1, -3, -1],
    );
    check_ints(
        "MOV.U a, -a; MOV.U a, 0xFFFFFFFF; ADD.U64 l, a, 1; UP64.U r, l;",
        [0, 1, 0, 1],
    );
    // Clamps see the words as floats.
    check_floats(
        "PK64.F l, {2.5, -0.5, 0.25, -3}; UP64.F.SAT r, l;",
        [1.0, 0.0, 0.25, 0.0],
    );
    check_ints("MOV.U64 l, 0x100000002; MOV.U r, l;", [2; 4]);
    check_floats("MOV a, 1.5; ADD.F64 l, a, 1; MOV.F r, l;", [2.5; 4]);
    check_floats("ADD.F l, 1.5, 1; MOV.F64 m, l; MOV r, m;", [2.5; 4]);
    check_ints("SLT.S64 r, {1, 2, 3, 4}, 3;", [-1, -1, 0, 0]);
    check_ints(
        "MOV.S64 l, -4294967296; FLR.S64 m, 2.5; ADD.S64 l, l, m; UP64.S r, l;",
        [2, -1, 2, -1],
    );
    check_floats("MOV.S64 l, 4294967296; I2F.S64 r, l;", [4_294_967_296.0; 4]);
    check_floats("MOV.F64 l, 1e300; MOV.F r, l;", [f32::INFINITY; 4]);
    check_ints("MOV.U64 l, 5; SHL.U64 l, l, 32; UP64.U r, l;", [0, 5, 0, 5]);
}

#[test]
fn condition_codes() {
    check_floats(
        "MOV r, 0; SUB.CC a, {1, 2, 3, 4}, 2; MOV r (LT), 1; MOV r (EQ), 2; MOV r (GT), 3;",
        [1.0, 2.0, 3.0, 3.0],
    );
    check_floats(
        "MOV r, 0; SUBC1 a, {1, 2, 3, 4}, 2; MOV r (LE1), 1; MOV r (GE1.w), 2;",
        [2.0; 4],
    );
    check_floats(
        "MOV r, 0; MOV.CC a, {1, 2, 3, 0}; MOV r (NE.wzyx), 1;",
        [0.0, 1.0, 1.0, 1.0],
    );
    check_floats(
        "MOV r, 0; MOV.CC a, {0, 1, -1, 0}; MOV r.xy (EQ), 1;",
        [1.0, 0.0, 0.0, 0.0],
    );
    // The mask reads the old codes, then the codes of the written lanes change.
    check_floats(
        "MOV r, 0; MOV.CC a, {1, 0, 1, 0}; MOV.CC b (NE), 0; MOV r (EQ), 1;",
        [1.0; 4],
    );
    // NaN passes NE only.
    check_floats(
        "MOV r, 0; MUL.CC a, 0, {1e39, 1, 2, 3}; MOV r (NE), 1; MOV r (NAN), 2;",
        [2.0, 0.0, 0.0, 0.0],
    );
    // Unsigned compare by subtraction: a >= b sets carry.
    check_ints(
        "MOV.S r, 0; SUB.U.CC a, {1, 2, 3, 0xFFFFFFFF}, 2; MOV.S r (CF), 1; MOV.S r (AB), 2;",
        [0, 1, 2, 2],
    );
    // Signed compare stays right when the difference overflows.
    check_ints(
        "MOV.S r, 0; SUB.S.CC a, {-2147483648, 2147483647, 0, 5}, {1, -1, 0, 4}; MOV.S r (LT), 1; MOV.S r (GT), 2;",
        [1, 2, 0, 2],
    );
    check_ints(
        "MOV.S r, 0; ADD.S.CC a, {2147483647, 1, -1, 0}, 1; MOV.S r (OF), 1; MOV.S r (CF), 2;",
        [1, 0, 2, 0],
    );
    check_floats(
        "MOV r, 0; MOV.SAT.CC a, {-1, 2, 0.5, 0}; MOV r (EQ), 1;",
        [1.0, 0.0, 0.0, 1.0],
    );
    check_floats(
        "MOV r, 4; MOV r (FL), 5; MOV r.x (TR), 6;",
        [6.0, 4.0, 4.0, 4.0],
    );
    // 64-bit results into 32-bit variables: the codes follow the bits written.
    check_ints(
        "MOV.S r, 0; MOV.U64.CC a, 0x100000000; MOV.S r (EQ), 1;",
        [1; 4],
    );
}

#[test]
fn branches() {
    let program = |x: &str| {
        format!(
            "MOV r, 0; MOV.CC a.x, {x}; IF GT.x; MOV r.x, 1; ELSE; MOV r.x, 2; ENDIF; ADD r.y, r.x, 10;"
        )
    };
    check_floats(&program("3"), [1.0, 11.0, 0.0, 0.0]);
    check_floats(&program("-3"), [2.0, 12.0, 0.0, 0.0]);
    // Any of the four tested lanes decides.
    check_floats(
        "MOV r, 0; MOV.CC a, {0, 0, 0, 1}; IF NE; MOV r, 1; ENDIF;",
        [1.0; 4],
    );
    check_floats(
        "MOV r, 0; MOV.CC a, {0, 0, 0, 1}; IF (NE.x); MOV r, 1; ENDIF;",
        [0.0; 4],
    );
    check_floats(
        "MOV r, 0; MOV.CC a, 1; IF NE; MOV.CC a, 0; MOV r, 1; ENDIF;",
        [1.0; 4],
    );
}

#[test]
fn loops() {
    let count = |count: &str| format!("MOV r, 0; REP{count}; ADD r, r, 1; ENDREP;");
    check_floats(&count(" 5"), [5.0; 4]);
    check_floats(&count(" 2.9"), [2.0; 4]);
    check_floats(&count(" -1"), [0.0; 4]);
    check_floats(&count(" 0.5"), [0.0; 4]);
    check_floats(&count(" {3}"), [3.0; 4]);
    check_floats(&count(".S {3}.x"), [3.0; 4]);
    check_floats(&count(".U 4"), [4.0; 4]);
    check_floats(&count(".S64 4"), [4.0; 4]);
    check_floats(
        "MOV r, 0; MOV a, 3; REP a; ADD r, r, 1; MOV a, 100; ENDREP;",
        [3.0; 4],
    );
    check_floats(
        "MOV r, 0; REP; ADD r, r, 1; SUB.CC a, r, 4; BRK (GE.x); ENDREP;",
        [4.0; 4],
    );
    check_floats(
        "MOV r, 0; REP 10; ADD r.x, r.x, 1; SUB.CC a, r.x, 4; CONT (GT.x); ADD r.y, r.y, 1; ENDREP;",
        [10.0, 4.0, 0.0, 0.0],
    );
    check_floats(
        "MOV r, 0; REP 3; REP 2; ADD r, r, 1; ENDREP; ENDREP;",
        [6.0; 4],
    );
    check_floats(
        "MOV r, 0; REP 3; REP 5; ADD r, r, 1; BRK; ADD r, r, 100; ENDREP; ENDREP;",
        [3.0; 4],
    );
}

#[test]
fn subroutines() {
    let program = "!!NVvp5.0 TEMP r; two: MUL r, r, 2; RET; MUL r, r, 100; main: MOV r, 3; CAL two; CAL three; CAL two (FL); \
                   MOV result.attrib[0], r; RET; MOV result.attrib[0], 0; three: ADD r, r, 1; next: MOV r, 0; END";
    assert_eq!(run_program(program).map(f32::from_bits), [7.0; 4]);
    // Without main the first instruction starts, even behind a label; the next label ends the program.
    let program = "!!NVvp5.0 start: MOV result.attrib[0], 1; other: MOV result.attrib[0], 2; END";
    assert_eq!(run_program(program).map(f32::from_bits), [1.0; 4]);
    // RET leaves the enclosing blocks.
    let program = "!!NVvp5.0 TEMP r; main: MOV r, 0; CAL f; MOV result.attrib[0], r; RET; \
                   f: REP 9; IF TR; ADD r, r, 1; RET; ENDIF; ENDREP; END";
    assert_eq!(run_program(program).map(f32::from_bits), [1.0; 4]);
}

/// Runs a shuffle in the only thread of a group, whose number is 0; returns x and y of its result.
fn run_shuffle(instruction: &str) -> [u32; 2] {
    let [in_range, value, ..] = run_program(&format!(
        "!!NVvp5.0 OPTION NV_shader_thread_group; OPTION NV_shader_thread_shuffle; TEMP r; {instruction} \
        MOV.U result.attrib[0], r; END"
    ));
    [in_range, value]
}

/// Checks the ranges of NV_shader_thread_shuffle section 2.X.8.Z. `minThreadId` is 0 in thread 0, `maxThreadId` the clamp
/// value without the bits of the segmentation mask.
#[test]
fn values_of_threads() {
    let (inside, outside) = ([u32::MAX, 9], [0, 9]);
    let cases = [
        // Up to `maxThreadId`, the lowest thread that is read.
        ("SHFUP.U r, 9, 0, 0;", inside),
        ("SHFUP.U r, 9, 0, 1;", outside),
        ("SHFUP.U r, 9, 0, 0x101;", inside),
        ("SHFUP.U r, 9, 1, 0;", outside),
        // Down to `maxThreadId`, the highest one.
        ("SHFDOWN.U r, 9, 0, 0;", inside),
        ("SHFDOWN.U r, 9, 1, 0;", outside),
        ("SHFDOWN.U r, 9, 2, 0xD01;", outside),
        ("SHFXOR.U r, 9, 1, 0;", outside),
        ("SHFXOR.U r, 9, 4, 3;", outside),
        // The index counts without the bits of the segmentation mask, too.
        ("SHFIDX.U r, 9, 0, 0;", inside),
        ("SHFIDX.U r, 9, 1, 0;", outside),
        ("SHFIDX.U r, 9, 1, 0x100;", inside),
    ];
    for (instruction, expected) in cases {
        assert_eq!(run_shuffle(instruction), expected, "{instruction}");
    }
}

/// Checks that an attribute of one invocation has the same value everywhere.
#[test]
fn attributes_elsewhere() {
    for instruction in [
        "IPAC r, fragment.attrib[3];",
        "IPAO r, fragment.attrib[3], {0.25, 0.5};",
        "IPAS r, fragment.attrib[3], 1;",
    ] {
        let text =
            format!("!!NVfp5.0 TEMP r; MOV r, 9; {instruction} MOV result.color, r.wzyx; END");
        let found = run_program(&text).map(f32::from_bits);
        assert_eq!(found, [1.0, -3.0, 3.5, 3.0], "{instruction}");
    }
}

#[test]
fn literals() {
    check_ints("MOV.U r, {0x10, 0xfF, 010, 4294967295};", [16, 255, 10, -1]);
    check_floats("MOV r, {.5, 1., 1e2, 1.5e-3};", [0.5, 1.0, 100.0, 0.0015]);
    check_floats(
        "MOV r, {1E+2, 0x10, -.5E1, 16777217};",
        [100.0, 16.0, -5.0, 16_777_216.0],
    );
    // Rounded once: half way between two floats in double precision.
    check_floats("MOV r, 1.00000017881393432617187499;", [1.000_000_1; 4]);
    // A scalar stands for all components, also as the first element of an array.
    let program = "!!NVvp5.0 PARAM p[] = { 5, { 6 }, -7 }; TEMP r, i; MOV.S i, 1; MAD r, p[i.x], 100, p[0]; \
                   ADD result.attrib[0], r, p[2]; END";
    assert_eq!(
        run_program(program).map(f32::from_bits),
        [598.0, -2.0, -2.0, 98.0]
    );
}
