//! Any input gives a program or an error: no panic, no hang. What loads passes the verifier of the IR.

use crate::support::edits::{apply, edit};
use glasm_frontend::{Dialect, Source, translate};
use proptest::prelude::*;

/// Programs that use most of the grammar.
const PROGRAMS: &[&str] = &[
    "!!ARBvp1.0 OPTION ARB_position_invariant; PARAM m[4] = { state.matrix.mvp }; PARAM c[] = { {1, 2}, program.local[0..3], 5 };
     ATTRIB a = vertex.weight[4]; OUTPUT o = result.texcoord[1]; TEMP r, q; ADDRESS A; ALIAS b = A; ARL b.x, a.y; EXP r, 2.x;
     MAD o.xw, c[A.x - 3], m[2].wzyx, -vertex.attrib[3]; LOG q, r.w; SWZ r, q, -x, 0, 1, w; MOV result.color.back, r; END",
    "!!ARBvp1.0 OPTION NV_vertex_program3; OPTION ARB_fragment_program_shadow; ADDRESS a, b; TEMP r, s; PARAM p[] = { program.env[0..7] };
     OUTPUT o = result.texcoord[b.x - 1]; ATTRIB t = vertex.attrib[a.w + 2]; ARLC1 a.yz (NE), |t|; loop: PUSHA a; CAL sub (GT1.x);
     POPA b; BRA loop (LT.wzyx); ADDC0_SAT o.xw (GE1.y), -|p[a.y + 300]|, 2; MOVC CC, r; ARA a, b; TXL r, t, texture[20], SHADOW2D;
     MOV result.clip[3].x, -r.y; BRA out; sub: SSG s, r; RET (EQ); SIN r.x, s.w; BRA loop; out: RCC result.position, r.x; END",
    "!!ARBfp1.0 OPTION ARB_fog_exp2; OPTION ARB_fragment_program_shadow; OPTION ARB_draw_buffers; TEMP r; ATTRIB t = fragment.texcoord;
     KIL t.wzyx; TXP_SAT r, t, texture[3], SHADOW2D; TXB r.rg, r, texture, CUBE; SCS r.xy, 3.14.x; CMP r, r, {1, 2, 3}.b, state.depth.range;
     MOV result.color[2], r; MOV result.color, fragment.fogcoord; MOV result.depth.z, r.x; END",
    "!!NVvp5.0 OPTION NV_gpu_program_fp64; PARAM m[4] = { state.matrix.mvp }; PARAM c[] = { {1, 2}, program.local[0..3], 0x1F };
     ATTRIB a[] = { vertex.attrib[0..3] }; OUTPUT o[] = { result.texcoord[0..1] }; TEMP r, t[4]; LONG TEMP l; INT TEMP i;
     DP4 result.position.x, m[0], a[0]; MOV.S i.x, 1; MOV o[i.x], a[i.x + 1]; MOV t[i.x].xy (GT1.wzyx), -|c[2].x|;
     PK64.U l, r; ADD.U64.CC1 l, l, 0x100000000; REP.S i; BRK (EQ.x); CONT (NE1); ENDREP; MOV o[0], t[3]; END",
    "!!NVfp5.0 OPTION ARB_draw_buffers; TEXTURE t[] = { texture[0..3] }; FLAT INT ATTRIB id = primitive.id; TEMP r, q; INT TEMP i;
     PARAM p = { -1.5, .5, 2e3 }; BUFFER4 b[] = { program.buffer[1] }; MOV.S i.x, id.x;
     TEX r, fragment.texcoord[0], t[i.x], 2D, (1, -1); TXP q, r, texture[7], SHADOW2D; KIL LT.x; KIL -r; MUL_SAT r, r, b[i.x + 2];
     SGTC q.x, r, p.y; IF NE.x; LIT r, q; ELSE; IF EQ1; SWZ r, q, -x, 0, 1, w; ENDIF; ENDIF; CAL f (TR); MOV result.color[1], r;
     MOV result.depth.z, q.x; RET; f: PK2H r.x, q; UP4B q, r.x; RET (NE); DDX r, q; END",
    "!!NVcp5.0 GROUP_SIZE 8 8; SHARED_MEMORY 1024; SHARED s[] = { program.sharedmem[16..511] }; CBUFFER c[] = { program.buffer[0] };
     TEMP r, i; LONG TEMP a; PARAM p = program.env[3]; PK64.U a, p; SHL.U i.x, invocation.globalid.x, 2; CVT.U64.U32 a.y, i.x;
     ADD.U64 a.x, a.x, a.y; LOAD.F32X4.COH r, a.x; LDC.U8 i.y, c[i.x + 4]; ATOMS.ADD.U32 r.y, r, s[i.x]; BAR; LDS.S16 r.z, s[2];
     ATOM.U32.CSWAP r.w, i, a.x; MEMBAR.CTA; STORE.U32X2 r, a.x; BFE.S r, {4, 8}, r; SAD.U r, r, i, 1; END",
    "!!NVgp5.0 OPTION NV_viewport_array2; PRIMITIVE_IN TRIANGLES_ADJACENCY; PRIMITIVE_OUT POINTS; VERTICES_OUT 6; INVOCATIONS 3; TEMP r; INT TEMP i;
     ATTRIB p = vertex.position; ATTRIB a[] = { vertex.attrib[2..4] }; ATTRIB b[3] = { vertex[1].texcoord[0..2] }; OUTPUT o[] = { result.attrib[0..1] };
     MOV.S i, primitive.invocation; REP.S i; MOV r, p[i.x]; MAD o[i.y], a[i.x + 1][i.z], b[2], vertex[5].color.back; EMITS i.x; ENDREP; CAL f;
     MOV.S result.viewportmask.x, i; EMIT; ENDPRIM; RET; f: MOV result.position, -|p[1]|; MOV.S result.primid.x, primitive.vertexcount; END",
    "!!NVgp4.0 OPTION NV_geometry_program_passthrough; PRIMITIVE_IN LINES; PASSTHROUGH result.attrib[1..3].xz; PASSTHROUGH result.position;
     ATTRIB p = vertex[1].position; MOV.S result.layer.x, primitive.id.x; MOV result.color.back, p; END",
    "!!NVtcp5.0 VERTICES_OUT 4; TEMP r; INT TEMP i; ATTRIB p = vertex.in.position; ATTRIB q = vertex.out.position; OUTPUT t[] = { result.patch.tessouter[0..3] };
     ATTRIB a[] = { vertex.out.attrib[1..3] }; ATTRIB l[] = { primitive.out.tessouter[1..2] }; MOV.S i, primitive.out.invocation; MOV result.position, p[i.x];
     IF NE.x; ADD r, q[i.x + 1], a[i.y][i.x]; MOV t[i.x].x, r; ELSE; MUL r, l[i.x], primitive.out.patch.attrib[29]; ENDIF; MOV result.patch.tessinner[1], r;
     MOV result.attrib[2], vertex.out[3].attrib[2]; END",
    "!!NVtep5.0 TESS_MODE ISOLINES; TESS_SPACING FRACTIONAL_ODD; TESS_VERTEX_ORDER CW; TESS_POINT_MODE; TEMP r; ATTRIB c = vertex.tesscoord; INT TEMP i;
     ATTRIB p = vertex.position; ATTRIB l[] = { primitive.in.tessouter[0..3] }; MOV.S i, primitive.in.vertexcount; LRP r, c.x, p[0], p[i.x - 0];
     MAD result.position, r, l[i.x], vertex.in[2].texcoord; MOV result.clip[0].x, primitive.patch.attrib[7]; END",
    "!!FP1.0 OPTION ARB_fragment_coord_origin_upper_left; DECLARE tint = {0.5, 1}; DECLARE $2; DEFINE two = -2e0; DEFINE v = {two, .5, two, 1};
     DEFINE w = v; MADX_SAT H0.xw (GT.wzyx), -|f[COL0].x|, two, |v|; TXP R1.xyz, f[TEX7], TEX15, CUBE; KIL LE.x; MOVHC HC, $2.y;
     PK4UB R2.x, R1; UP2H H3, -R2.x; RFLC R4.xyz, H0, p[4095]; TXDC_SAT R5, R1, R4, R4, TEX0, RECT; LRP o[COLH].xz, R5, tint, f[FOGC];
     POWR R3, w.y, +3; DDX R31, f[WPOS]; X2DH H63, R31, H3, {1}; LITC RC.x (FL), R3; MOV o[DEPR], R3.wzyx; END",
    "!!VP1.1 OPTION NV_position_invariant; ARL A0.x, v[WGHT].y; MAD o[TEX3].xw, c[A0.x - 3], -v[4].wzyx, c[A0.x-3]; DPH R11.x, v[OPOS], R0; \
     RCC o[FOGC].x, R1 . w; LOG R2, c[95].x; MOV R3 . x y, R2.x; EXP o[BFC0], R3.x; END",
    "!!VP2.0 main: ARLC A1.yz (NE), |v[3]|; loop: CAL sub (GT.x); ARAC A0.xy, A1; BRA loop (LT.wzyx); ADDC R0.xw (GE.y), -|c[A1.y + 255]|, R2; \
     MOVC CC, R15; MOV o[CLP5].x, -R0.y; BRA out; sub: SSG R1, R0; RET (EQ); SIN R1.x, R2.w; BRA loop; out: RCC o[HPOS], R1.x; END",
];

/// Translates; a program that loads must be a valid one.
fn check_translation(text: &[u8], dialect: Option<Dialect>) {
    let (program, diagnostics) = translate(&Source {
        dialect,
        ..Source::new("test", text)
    });
    assert_eq!(program.is_none(), diagnostics.has_errors());
    if let Some(program) = program {
        let verified = glasm_ir::verify::verify(&program);
        assert!(
            verified.is_ok(),
            "{}\n{program}\n{verified:?}",
            String::from_utf8_lossy(text)
        );
    }
}

#[test]
fn the_programs_load() {
    for text in PROGRAMS {
        let (program, diagnostics) = translate(&Source::new("test", text));
        assert!(program.is_some(), "{:#?}", diagnostics.list);
        check_translation(text.as_bytes(), None);
    }
}

/// What edits put into programs.
const WORDS: &[&str] = &[
    ";",
    ",",
    ".",
    "..",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "|",
    "-",
    "+",
    ":",
    "=",
    " ",
    "IF NE.x;",
    "ENDIF;",
    "ELSE;",
    "REP;",
    "ENDREP;",
    "BRK;",
    "RET;",
    "CAL f;",
    "f:",
    "main:",
    "TEMP",
    "r",
    "i.x",
    "[i.x]",
    "[4294967295]",
    "1e99",
    "0x",
    "-1",
    "END",
    "LONG",
    ".S",
    ".U64",
    ".CC",
    ".SAT",
    "C1_SSAT",
    "(NAN1.x)",
    "texture[0], CUBE",
    "R0",
    "H1",
    "v[OPOS]",
    "o[HPOS]",
    "c[A0.x+1]",
    "f[TEX0]",
    "p[1]",
    ". x y",
    "TEX0, 2D",
    "DECLARE d;",
    "DEFINE e = 1;",
    "MOVC RC (GT.x), ",
    "program.local[0..4095]",
    "state.",
    "\u{e9}",
    "PRIMITIVE_IN PATCHES;",
    "VERTICES_OUT 2;",
    "TESS_MODE QUADS;",
    "PASSTHROUGH result.color;",
    "vertex[1].position",
    "vertex.out[2].attrib[0..1]",
    "primitive.out.tessouter[3]",
    "p[i.x][2]",
    "EMIT;",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check_translation(&bytes, None);
        for &dialect in Dialect::ALL {
            check_translation(&bytes, Some(dialect));
        }
    }

    #[test]
    fn changed_programs(number in 0..PROGRAMS.len(), edits in prop::collection::vec(edit(WORDS), 1..6)) {
        let mut text = PROGRAMS[number].as_bytes().to_vec();
        edits.iter().for_each(|edit| apply(&mut text, edit));
        check_translation(&text, None);
        check_translation(&text, Some(Dialect::NvFp5_0));
        check_translation(&text, Some(Dialect::ArbVp1_0));
        check_translation(&text, Some(Dialect::NvVp2_0));
        check_translation(&text, Some(Dialect::NvGp5_0));
        check_translation(&text, Some(Dialect::NvTcp5_0));
        check_translation(&text, Some(Dialect::NvTep5_0));
        check_translation(&text, Some(Dialect::NvFp1_0));
    }

    #[test]
    fn shuffled_statements(number in 0..PROGRAMS.len(), order in prop::collection::vec(any::<usize>(), 1..40)) {
        let (header, body) = PROGRAMS[number].split_once(' ').expect("a header");
        let statements: Vec<&str> = body.split_inclusive(';').collect();
        let picked: String = order.iter().map(|&index| statements[index % statements.len()]).collect();
        let text = format!("{header} {picked} END");
        check_translation(text.as_bytes(), None);
    }
}

/// Inputs that would be slow or deep if something grew faster than the text.
#[test]
fn large_inputs_end_soon() {
    let repeat = |head: &str, part: &str, tail: &str| {
        format!(
            "!!NVfp5.0 TEMP r;{head}{}{tail} END",
            part.repeat(200_000 / part.len())
        )
    };
    let texts = [
        repeat("", "IF TR;", ""),
        repeat("", "REP;", ""),
        repeat("", "BRK;", ""),
        repeat("", "TEMP r;", ""),
        repeat("TEMP ", "r,", "r;"),
        repeat("MOV r, ", "state[", ";"),
        repeat("MOV r, ", "r[", ";"),
        repeat("MOV r, ", "|", ";"),
        repeat("MOV r, ", "-", ";"),
        repeat("MOV r, fragment", ".color", ";"),
        repeat("PARAM p[] = {", "program.local[0..4095],", "1};"),
        repeat("TEXTURE t[] = {", "texture[0..127],", "texture[0]};"),
        repeat("MOV r, {", "1,", "1};"),
        repeat("MOV r, ", "1", ";"),
        repeat("", "TEX r, r, r, r ", ""),
        repeat("", "f: CAL f;", ""),
        repeat("", "KIL r;", ""),
        repeat("", "LIT r, r;", ""),
        repeat("CAL f; RET; f:", "IF TR; RET; ENDIF;", ""),
        repeat("", "a", ";"),
        repeat("#", "#", ""),
        (0..20_000)
            .map(|n| format!("f{n}: CAL f{};", n + 1))
            .fold("!!NVfp5.0 CAL f0;".to_owned(), |text, part| text + &part)
            + " END",
    ];
    for text in texts {
        check_translation(text.as_bytes(), None);
    }
}

/// The same where programs name registers.
#[test]
fn large_inputs_with_registers_end_soon() {
    for header in ["!!VP1.0 ", "!!VP2.0 ", "!!FP1.0 "] {
        for [head, part, tail] in [
            ["MOV R0, R1. ", "x ", ";"],
            ["MOV R0. ", "x y ", ", R1;"],
            ["", "MOV R0 . x y z w, R1 . w z y x;", ""],
            ["ADD R0, ", "v[0], ", "v[1];"],
            ["ADD R0, ", "c[A0.x+1], ", "c[A0.x];"],
            ["", "ADD R0, p[1], {1, 2, 3, 4};", ""],
            ["MOV R0, v[A0.", "x ", "];"],
            ["MOV R0, c[", "c[", "0];"],
            ["", "ARL A0.x, R0.x;", ""],
            ["", "DECLARE d = 1;", ""],
            ["DEFINE e = {", "1, ", "1};"],
            ["", "L: BRA L (GT.x);", ""],
            ["", "TEX R0, f[TEX0], TEX0, 2D;", ""],
            ["", " ", ""],
        ] {
            let middle = part.repeat(200_000 / part.len());
            check_translation(format!("{header}{head}{middle}{tail} END").as_bytes(), None);
        }
        let number = |form: &dyn Fn(usize) -> String| (0..20_000).map(form).collect::<String>();
        for many in [
            number(&|n| format!("DECLARE d{n} = {n}; ADD R0, d{n}, R1;")),
            number(&|n| format!("MOV R0, Q{n};")),
            number(&|n| format!("MOV R{n}, c[{n}];")),
        ] {
            check_translation(format!("{header}{many} END").as_bytes(), None);
        }
    }
}
