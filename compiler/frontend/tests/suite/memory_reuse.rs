//! A front end whose memory is kept allocates nothing for programs without flow control.

use allocation_counter::measure;
use glasm_frontend::{Scratch, Source, TranslationStage, run_until, translate_with};
use glasm_tests::generator::{Variant, program, real};

/// Allocations of a translation.
fn count_allocations(scratch: &mut Scratch, text: &str) -> u64 {
    let source = Source::new("test", text);
    let mut translation = None;
    let counted = measure(|| translation = Some(translate_with(scratch, &source)));
    let (program, diagnostics) = translation.unwrap();
    assert!(
        diagnostics.list.is_empty(),
        "{}",
        diagnostics.render(&source)
    );
    scratch.recycle(program.unwrap());
    counted.count_total
}

/// Programs with attributes of vertices and patches, without indices that are computed at run time.
const PRIMITIVES: [&str; 3] = [
    "!!NVgp5.0 PRIMITIVE_IN LINES; PRIMITIVE_OUT POINTS; VERTICES_OUT 2; ATTRIB p = vertex.position; ATTRIB a[] = { vertex.attrib[0..3] }; \
     OUTPUT o[] = { result.attrib[0..1] }; TEMP r; INT TEMP i; MOV.S i, primitive.id; ADD r, p[1], vertex[0].texcoord[2]; \
     MAD o[0], p[0], a[1][2], a[0][0]; MOV result.position, r; EMITS 1; ENDPRIM; END",
    "!!NVtcp5.0 VERTICES_OUT 4; ATTRIB p = vertex.out.position; ATTRIB a[] = { primitive.out.patch.attrib[0..3] }; TEMP r; INT TEMP i; \
     MOV.S i, primitive.invocation; MOV result.position, vertex[0].position; ADD r, p[1], a[2]; MOV result.patch.tessouter[1], r; END",
    "!!NVtep5.0 TESS_MODE QUADS; TESS_POINT_MODE; TEMP r; MUL r, vertex.tesscoord.x, vertex[1].position; \
     ADD result.position, r, primitive.tessinner[0]; END",
];

/// TGSI without flow control: constants, immediates, arrays with run-time indices, system values, lookups, memory, single outputs.
const TGSI: [&str; 3] = [
    "VERT DCL IN[0] DCL OUT[0], POSITION DCL OUT[1], CLIPDIST DCL OUT[2..3], ARRAY(1), GENERIC[4] DCL CONST[0][0..3] DCL TEMP[0] \
     DCL TEMP[1..4], ARRAY(1) DCL ADDR[0] DCL SV[0], VERTEXID IMM[0] FLT32 {1.0, 2.0, 3.0, 4.0} 0: UARL ADDR[0].x, SV[0].xxxx \
     1: MUL TEMP[0], IN[0], CONST[0][1] 2: MOV TEMP[ADDR[0].x](1), TEMP[0] 3: MOV OUT[ADDR[0].x](1), IMM[0] 4: LIT OUT[1], TEMP[2](1) \
     5: MAD_SAT OUT[0], TEMP[0], CONST[0][ADDR[0].x], -|IMM[0].wzyx| 6: END",
    "FRAG DCL IN[0], GENERIC[4], PERSPECTIVE DCL IN[1], POSITION, LINEAR DCL SV[0], FACE DCL OUT[0], COLOR DCL SAMP[0] DCL SVIEW[0], 2D, FLOAT \
     DCL TEMP[0..1] 0: TEX TEMP[0], IN[0], SAMP[0], 2D 1: KILL_IF -TEMP[0].wwww 2: AND TEMP[1], TEMP[0], SV[0].xxxx \
     3: ADD OUT[0], TEMP[1], IN[1] 4: END",
    "COMP DCL SV[0], THREAD_ID DCL BUFFER[0] DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR DCL MEMORY[0], SHARED DCL TEMP[0..1] \
     IMM[0] UINT32 {0, 4, 8, 12} 0: LOAD TEMP[0], BUFFER[0], IMM[0].xxxx 1: STORE MEMORY[0].x, IMM[0].yyyy, TEMP[0] 2: BARRIER \
     3: ATOMUADD TEMP[1].x, MEMORY[0], IMM[0].yyyy, SV[0].xxxx 4: STORE IMAGE[0], SV[0], TEMP[1], 2D, PIPE_FORMAT_R32_UINT 5: END",
];

#[test]
fn later_translations_allocate_nothing() {
    let mut texts: Vec<String> = (0..100).map(|number| real(number).text).collect();
    texts.push(program(Variant::Straight, 1000, 1).assembly());
    // Labels and branches make graphs, which have memory of their own.
    texts.retain(|text| !text.contains("BRA") && !text.contains("CAL"));
    assert!(texts.len() > 50);
    texts.extend(PRIMITIVES.map(str::to_owned));
    texts.extend(TGSI.map(str::to_owned));
    let mut scratch = Scratch::new();
    for text in &texts {
        count_allocations(&mut scratch, text);
    }
    for text in &texts {
        assert_eq!(count_allocations(&mut scratch, text), 0, "{text}");
    }
}

/// Programs that are dropped leave their memory to the next one.
#[test]
fn later_measurements_allocate_nothing() {
    let text = program(Variant::Straight, 100, 1).assembly();
    let source = Source::new("test", &text);
    let mut scratch = Scratch::new();
    let mut run = || run_until(&mut scratch, &source, TranslationStage::Lower).unwrap();
    run();
    assert_eq!(measure(run).count_total, 0);
}
