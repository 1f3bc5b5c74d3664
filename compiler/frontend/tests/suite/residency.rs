//! Residency of texels, by the interpreter and a texture of which only the right half is populated. EXT_sparse_texture2 sections
//! 2.X.3.7, 2.X.4.1 and 2.X.4.3.

use glasm_frontend::{Source, translate};
use glasm_ir::interp::{Environment, Interpreter, TexRequest, TextureSource};

/// Texels are 8, where they are populated.
struct HalfPopulated;

impl TextureSource for HalfPopulated {
    fn access_texture(&mut self, request: &TexRequest) -> [u32; 4] {
        let populated = self.is_resident(request);
        [if populated { 8.0f32.to_bits() } else { 0 }; 4]
    }

    fn is_resident(&mut self, request: &TexRequest) -> bool {
        f32::from_bits(request.coordinate[0]) >= 0.5
    }
}

/// What a compute program stores to its storage buffer: four numbers. `at` is a coordinate of the populated half, `off` one of the other.
#[track_caller]
fn run_compute(statements: &str) -> [u32; 4] {
    let text = format!(
        "!!NVcp5.0 OPTION NV_shader_storage_buffer; GROUP_SIZE 1; STORAGE out[] = {{ program.storage[0] }};
         TEMP r, t, at, off; MOV at, 0.75; MOV off, 0.25; MOV.U r, 0; MOV.U t, 0; MOV at.w, 0; MOV off.w, 0;
         {statements} STB.U32X4 r, out[0]; END"
    );
    let (program, diagnostics) = translate(&Source::new("test", &text));
    let Some(program) = program else {
        panic!("{text}\n{:#?}", diagnostics.list)
    };
    let interpreter = match Interpreter::new(&program) {
        Ok(interpreter) => interpreter,
        Err(errors) => panic!("{text}\n{program}\n{errors:#?}"),
    };
    let mut environment = Environment::default().with_textures(HalfPopulated);
    environment.memory.buffers = vec![vec![vec![0; 16]]];
    interpreter
        .run_main(&mut environment)
        .expect("the program ends");
    let bytes = &environment.memory.buffers[0][0];
    std::array::from_fn(|word| {
        let bytes = bytes[4 * word..][..4].try_into().expect("four bytes");
        u32::from_le_bytes(bytes)
    })
}

#[test]
fn the_last_sparse_access_counts() {
    let cases = [
        ("TXL.SPARSE t, at, texture[0], 2D;", 1),
        ("TXL.SPARSE t, off, texture[0], 2D;", 2),
        (
            "TXL.SPARSE t, off, texture[0], 2D; TXL t, at, texture[0], 2D;",
            2,
        ),
        (
            "TXL.SPARSE t, at, texture[0], 2D; TXL t, off, texture[0], 2D;",
            1,
        ),
        (
            "TXL.SPARSE t, off, texture[0], 2D; TXL.SPARSE t, at, texture[0], 2D;",
            1,
        ),
        // Condition codes are others, and mask and condition of the result do not matter.
        (
            "TXL.SPARSE t, off, texture[0], 2D; MOV.S.CC0 t, 1; MOV.S.CC1 t, 1;",
            2,
        ),
        (
            "MOV.S.CC0 t, 0; TXL.SPARSE t.x (NE), off, texture[0], 2D;",
            2,
        ),
        // The result overwrites the coordinate.
        ("TXL.SPARSE off, off, texture[0], 2D;", 2),
        ("TXL.SPARSE at.x, at, texture[0], 2D;", 1),
    ];
    for (access, expected) in cases {
        let found = run_compute(&format!(
            "{access} MOV.U r (RESIDENT), 1; MOV.U r.zw (NONRESIDENT.y), 2; MOV.U r.xy (NONRESIDENT), 2;"
        ));
        assert_eq!(found, [expected; 4], "{access}");
    }
}

/// The second access writes its result where the first one found texels, and updates the code all the same.
#[test]
fn a_result_tests_what_was_before() {
    for (first, second, expected) in [
        ("at", "off", [0, 2, 0, 0]),
        ("off", "at", [7, 1, 0, 0]),
        ("at", "at", [8, 1, 0, 0]),
        ("off", "off", [7, 2, 0, 0]),
    ] {
        let found = run_compute(&format!(
            "TXL.SPARSE t, {first}, texture[0], 2D; MOV t, 7;
             TXL.SPARSE t (RESIDENT), {second}, texture[0], 2D; CVT.U32.F32.TRUNC r.x, t;
             MOV.U r.y (RESIDENT), 1; MOV.U r.y (NONRESIDENT), 2;"
        ));
        assert_eq!(found, expected, "{first} {second}");
    }
}

#[test]
fn branches_test_residency() {
    for (place, expected) in [("at", [1, 2, 3, 16]), ("off", [5, 6, 1, 1])] {
        let found = run_compute(&format!(
            "TXL.SPARSE t, {place}, texture[0], 2D;
             IF RESIDENT; MOV.U r.x, 1; ELSE; MOV.U r.x, 5; ENDIF;
             IF NONRESIDENT.w; MOV.U r.y, 6; ELSE; MOV.U r.y, 2; ENDIF;
             REP 3; ADD.U r.z, r, 1; BRK (NONRESIDENT); ENDREP;
             MOV.U r.w, 1; REP 4; CONT (NONRESIDENT); SHL.U r.w, r, 1; ENDREP;"
        ));
        assert_eq!(found, expected, "{place}");
    }
}

/// Images of the interpreter are populated.
#[test]
fn images_update_the_code() {
    let found = run_compute(
        "TXL.SPARSE t, off, texture[0], 2D; MOV.U r.x (RESIDENT), 1;
         LOADIM.U32.SPARSE t, {0, 0, 0, 0}, image[0], 2D; MOV.U r.y (RESIDENT), 1;
         TXL.SPARSE t, off, texture[0], 2D;
         ATOMIM.ADD.U32.SPARSE t.x, 1, {0, 0, 0, 0}, image[0], 2D; MOV.U r.z (RESIDENT), 1;",
    );
    assert_eq!(found, [0, 1, 1, 0]);
}
