//! Any TGSI text gives a program or an error: no panic, no hang. What loads passes the verifier of the IR.

use crate::support::edits::{apply, edit};
use glasm_frontend::{Dialect, Source, TgsiOptions, translate};
use glasm_tests::clock;
use proptest::prelude::*;

/// Programs that use most of the grammar.
const PROGRAMS: &[&str] = &[
    "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2..3], ARRAY(1), GENERIC[4]\nDCL OUT[4], CLIPDIST\nDCL CONST[0..3]\n\
     DCL CONST[1][0..7]\nDCL TEMP[0..1], LOCAL\nDCL TEMP[2..5], ARRAY(1), LOCAL\nDCL ADDR[0]\nDCL SV[0], VERTEXID\n\
     IMM[0] FLT32 {    0.0000,     1.0000, -2.5, 0x3f800000}\nIMM[1] INT32 {1, -2, 3, 4}\n\
       0: MUL TEMP[0], IN[0].xxxx, CONST[0][0]\n  1: MAD TEMP[0].xyz, IN[0].yyyy, CONST[1], TEMP[0]\n  2: UARL ADDR[0].x, SV[0].xxxx\n\
       3: MOV TEMP[ADDR[0].x+2](1), -|CONST[1][ADDR[0].x+1]|\n  4: MOV_SAT OUT[1], IN[1].wzyx\n  5: LIT TEMP[1], TEMP[3](1)\n\
       6: MOV OUT[ADDR[0].x+2](1), TEMP[1]\n  7: MOV OUT[4].xy, IMM[0].xyyy\n  8: MOV OUT[0], TEMP[0]\n  9: END\n",
    "FRAG\nPROPERTY FS_COORD_ORIGIN LOWER_LEFT\nPROPERTY FS_COORD_PIXEL_CENTER INTEGER\nDCL IN[0], GENERIC[4], PERSPECTIVE, CENTROID\n\
     DCL IN[1], COLOR, COLOR\nDCL IN[2], POSITION, LINEAR\nDCL IN[3], FACE, CONSTANT\nDCL OUT[0], COLOR\nDCL OUT[1], POSITION\nDCL SAMP[0..1]\n\
     DCL SVIEW[0], 2D, FLOAT\nDCL SVIEW[1], SHADOW2D, FLOAT\nDCL TEMP[0..3]\nDCL CONST[0..1]\nIMM[0] UINT32 {0, 1, 4294967295, 0x7f800000}\n\
       0: TEX TEMP[0], IN[0], SAMP[0], 2D\n  1: TXP TEMP[1].x, IN[0], SAMP[1], SHADOW2D\n  2: KILL_IF -TEMP[0].wwww\n  3: BGNLOOP :10\n\
       4:   USGE TEMP[2].x, TEMP[3].xxxx, IMM[0].yyyy\n  5:   UIF TEMP[2].xxxx :7\n  6:     BRK\n  7:   ELSE :9\n\
       8:     UADD TEMP[3].x, TEMP[3].xxxx, IMM[0].yyyy\n  9:   ENDIF\n 10: ENDLOOP :3\n 11: SWITCH TEMP[3].xxxx\n 12: CASE IMM[0].yyyy\n\
      13: DDX TEMP[0], IN[2]\n 14: BRK\n 15: DEFAULT\n 16: LRP TEMP[0], TEMP[1].xxxx, IN[1], CONST[0]\n 17: ENDSWITCH\n 18: IF IN[3].xxxx\n 19: CAL :24\n\
      20: ENDIF\n 21: MOV OUT[0], TEMP[0]\n 22: MOV OUT[1].z, TEMP[1].xxxx\n 23: END\n 24: BGNSUB\n 25: EX2 TEMP[0].w, TEMP[0].wwww\n 26: RET\n 27: ENDSUB\n",
    "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\nPROPERTY GS_MAX_OUTPUT_VERTICES 6\nPROPERTY GS_INVOCATIONS 2\n\
     DCL IN[][0], POSITION\nDCL IN[][1..2], ARRAY(1), GENERIC[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[1], STREAM(0, 0, 0, 0)\nDCL SV[0], INVOCATIONID\n\
     DCL ADDR[0..1]\nDCL TEMP[0]\nIMM[0] INT32 {0, 1, 2, 3}\n  0: UARL ADDR[0].x, SV[0].xxxx\n  1: MOV OUT[0], IN[ADDR[0].x][0]\n\
       2: MOV OUT[1], IN[1][ADDR[0].x+1](1)\n  3: EMIT IMM[0].xxxx\n  4: ENDPRIM IMM[0].xxxx\n  5: END\n",
    "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 4\nDCL IN[][0], POSITION\nDCL OUT[][0], POSITION\nDCL OUT[1], TESSOUTER\nDCL OUT[2], TESSINNER\nDCL OUT[3], PATCH[2]\n\
     DCL SV[0], INVOCATIONID\nDCL ADDR[0]\nDCL TEMP[0]\nIMM[0] FLT32 {1, 2, 3, 4}\n  0: UARL ADDR[0].x, SV[0].xxxx\n  1: MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]\n\
       2: BARRIER\n  3: MOV TEMP[0], OUT[2][0]\n  4: MOV OUT[1], IMM[0]\n  5: MOV OUT[2].xy, IMM[0]\n  6: MOV OUT[3], TEMP[0]\n  7: END\n",
    "TESS_EVAL\nPROPERTY TES_PRIM_MODE 7\nPROPERTY TES_SPACING 2\nPROPERTY TES_VERTEX_ORDER_CW 1\nPROPERTY TES_POINT_MODE 0\nDCL IN[][0], POSITION\nDCL IN[1], PATCH[2]\n\
     DCL OUT[0], POSITION\nDCL SV[0], TESSCOORD\nDCL TEMP[0..1]\n  0: LRP TEMP[0], SV[0].xxxx, IN[1][0], IN[0][0]\n  1: LRP TEMP[1], SV[0].xxxx, IN[3][0], IN[2][0]\n\
       2: LRP OUT[0], SV[0].yyyy, TEMP[1], TEMP[0]\n  3: END\n",
    "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 8\nPROPERTY CS_FIXED_BLOCK_HEIGHT 4\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\nDCL SV[0], THREAD_ID\nDCL SV[1], BLOCK_ID\nDCL BUFFER[0]\n\
     DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\nDCL MEMORY[0], SHARED\nDCL HWATOMIC[0][1..2]\nDCL TEMP[0..3]\nIMM[0] UINT32 {0, 4, 1, 16}\nIMM[1] FLT64 {0x00000000, 0x3ff00000, 0x0, 0xbff00000}\n\
     IMM[2] INT64 {1, -2}\n  0: UMAD TEMP[0].x, SV[1].xxxx, IMM[0].wwww, SV[0].xxxx\n  1: LOAD TEMP[1], BUFFER[0], TEMP[0].xxxx, COHERENT\n\
       2: STORE MEMORY[0].xy, TEMP[0].xxxx, TEMP[1]\n  3: BARRIER\n  4: ATOMUADD TEMP[2].x, MEMORY[0], IMM[0].yyyy, TEMP[1].xxxx\n\
       5: ATOMCAS TEMP[2].y, IMAGE[0], SV[0], TEMP[1].xxxx, IMM[0].zzzz, 2D, PIPE_FORMAT_R32_UINT\n  6: ATOMUADD TEMP[2].z, HWATOMIC[0][1], IMM[0].xxxx, IMM[0].zzzz\n\
       7: DADD TEMP[3].xy, TEMP[1].xyxy, IMM[1].xyxy\n  8: U64ADD TEMP[3].zw, TEMP[1].zwzw, IMM[2].zwzw\n  9: STORE IMAGE[0], SV[0], TEMP[3], 2D, PIPE_FORMAT_R32_UINT\n\
      10: MEMBAR IMM[0].wwww\n 11: RESQ TEMP[0].x, BUFFER[0]\n 12: STORE BUFFER[0].xyzw, TEMP[0].xxxx, TEMP[3]\n 13: END\n",
];

/// Translates; a program that loads must be a valid one.
fn check_translation(text: &[u8], dialect: Option<Dialect>) {
    for old in [false, true] {
        let (program, diagnostics) = translate(&Source {
            dialect,
            tgsi: TgsiOptions {
                legacy_semantics: old,
                ..TgsiOptions::default()
            },
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
}

#[test]
fn sizes_of_memory_are_limited() {
    let text = "COMP\nDCL MEMORY[0], SHARED\nDCL MEMORY[1], PRIVATE\nIMM[0] UINT32 {0, 0, 0, 0}\n\
                STORE MEMORY[0].x, IMM[0].xxxx, IMM[0].xxxx\nSTORE MEMORY[1].x, IMM[0].xxxx, IMM[0].xxxx\nEND\n";
    let largest = 1 << 20;
    for (given, used) in [
        (0, 4),
        (largest - 4, largest - 4),
        (largest, largest),
        (largest + 4, largest),
        (u32::MAX, largest),
    ] {
        let (program, _) = translate(&Source {
            tgsi: TgsiOptions {
                shared_memory: given,
                private_memory: given,
                ..TgsiOptions::default()
            },
            ..Source::new("test", text)
        });
        let buffers = program.unwrap().buffers;
        let sizes: Vec<_> = buffers.iter().map(|buffer| buffer.size).collect();
        assert_eq!(sizes, [Some(used); 2]);
    }
}

#[test]
fn the_programs_load() {
    for text in PROGRAMS {
        let (program, diagnostics) = translate(&Source::new("test", text));
        assert!(program.is_some(), "{text}\n{:#?}", diagnostics.list);
        check_translation(text.as_bytes(), None);
    }
}

/// What someone sees who types the program, and what a broken file holds.
#[test]
fn every_prefix_and_every_wrong_byte() {
    for text in PROGRAMS {
        for end in 0..text.len() {
            check_translation(&text.as_bytes()[..end], None);
        }
        for at in 0..text.len() {
            let mut text = text.as_bytes().to_vec();
            for byte in [0, b'\n', b'[', b'9', 0xff] {
                text[at] = byte;
                check_translation(&text, None);
            }
        }
    }
}

/// A text may be on one line, and may have carriage returns.
#[test]
fn blanks_do_not_matter() {
    for text in PROGRAMS {
        let forms = [
            text.replace('\n', " "),
            text.replace('\n', "\r\n"),
            text.replace(' ', "\t"),
            text.to_ascii_lowercase(),
        ];
        for form in forms {
            let (program, diagnostics) = translate(&Source::new("test", &form));
            assert!(program.is_some(), "{form}\n{:#?}", diagnostics.list);
        }
    }
}

/// What edits put into programs.
const WORDS: &[&str] = &[
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
    ":",
    " ",
    "\n",
    "\0",
    "#",
    "/*",
    "//",
    "IF TEMP[0].xxxx\n",
    "UIF TEMP[0].xxxx :1\n",
    "ELSE\n",
    "ENDIF\n",
    "BGNLOOP\n",
    "ENDLOOP\n",
    "BRK\n",
    "CONT\n",
    "SWITCH TEMP[0].xxxx\n",
    "CASE TEMP[0].xxxx\n",
    "DEFAULT\n",
    "ENDSWITCH\n",
    "CAL :3\n",
    "BGNSUB\n",
    "ENDSUB\n",
    "RET\n",
    "END\n",
    "DCL TEMP[0..4294967295]\n",
    "DCL OUT[0..99], GENERIC[255]\n",
    "DCL SAMP[3]\n",
    "PROPERTY NEXT_SHADER FRAG\n",
    "IMM FLT32 {1, 2, 3, 4}\n",
    "TEMP",
    "[4294967295]",
    "[-1]",
    "[ADDR[0].x]",
    "[TEMP[0].y+3](1)",
    "(2)",
    ".xyzw",
    ".w",
    "_SAT",
    "_PRECISE",
    "CUBEARRAY",
    "1e99",
    "0x",
    "\u{e9}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn changed_programs(number in 0..PROGRAMS.len(), edits in prop::collection::vec(edit(WORDS), 1..6)) {
        let mut text = PROGRAMS[number].as_bytes().to_vec();
        edits.iter().for_each(|edit| apply(&mut text, edit));
        check_translation(&text, None);
        check_translation(&text, Some(Dialect::TgsiFragment));
        check_translation(&text, Some(Dialect::TgsiGeometry));
        check_translation(&text, Some(Dialect::TgsiCompute));
    }

    #[test]
    fn shuffled_lines(number in 0..PROGRAMS.len(), order in prop::collection::vec(any::<usize>(), 1..60)) {
        let (header, body) = PROGRAMS[number].split_once('\n').expect("a header");
        let lines: Vec<&str> = body.split_inclusive('\n').collect();
        let picked: String = order.iter().map(|&index| lines[index % lines.len()]).collect();
        check_translation(format!("{header}\n{picked}END\n").as_bytes(), None);
    }

    #[test]
    fn mixed_programs(first in 0..PROGRAMS.len(), second in 0..PROGRAMS.len(), at in any::<usize>()) {
        let lines: Vec<&str> = PROGRAMS[first].split_inclusive('\n').collect();
        let (head, tail) = lines.split_at(at % lines.len());
        let other = PROGRAMS[second].split_once('\n').expect("a header").1;
        check_translation(format!("{}{other}{}", head.concat(), tail.concat()).as_bytes(), None);
    }
}

/// Inputs that would be slow or deep if something grew faster than the text.
#[test]
fn large_inputs_end_soon() {
    let head = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0..3]\nDCL ADDR[0]\nDCL SAMP[0]\nIMM[0] FLT32 {1, 2, 3, 4}\n";
    let repeat = |before: &str, part: &str, behind: &str| {
        let middle = part.repeat(200_000 / part.len());
        format!("{head}{before}{middle}{behind}\nEND\n")
    };
    let texts = [
        repeat("", "IF TEMP[0].xxxx\n", ""),
        repeat("", "BGNLOOP\n", ""),
        repeat("", "BGNLOOP\nENDLOOP\n", ""),
        repeat("", "IF TEMP[0].xxxx\nELSE\nENDIF\n", ""),
        repeat("", "SWITCH TEMP[0].xxxx\n", ""),
        repeat("SWITCH TEMP[0].xxxx\n", "CASE IMM[0].xxxx\n", "ENDSWITCH\n"),
        repeat("SWITCH TEMP[0].xxxx\n", "DEFAULT\n", "ENDSWITCH\n"),
        repeat("", "BRK\n", ""),
        repeat("", "RET\n", ""),
        repeat("", "KILL\n", ""),
        repeat("", "CAL :3\n", ""),
        repeat("", "BGNSUB\nENDSUB\n", ""),
        repeat("", "LIT TEMP[0], TEMP[1]\n", ""),
        repeat("", "TEX TEMP[0], TEMP[1], SAMP[0], 2D\n", ""),
        repeat("", "MOV TEMP[ADDR[0].x], TEMP[ADDR[0].x+1]\n", ""),
        repeat("", "IMM FLT32 {1, 2, 3, 4}\n", ""),
        repeat("", "DCL TEMP[0..3], ARRAY(1)\n", ""),
        repeat("", "DCL CONST[0..4095]\n", ""),
        repeat("", "PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\n", ""),
        repeat("MOV TEMP[0], ", "TEMP[", ""),
        repeat("MOV TEMP[0], ", "|", ""),
        repeat("MOV TEMP[0], ", "-", ""),
        repeat("MOV TEMP[0]", ".x", ""),
        repeat("TEX TEMP[0], TEMP[0], SAMP[0], 2D", ", IMM[0].xyz", ""),
        repeat("DCL OUT[1], GENERIC[1]", ", LOCAL", ""),
        repeat("IMM FLT32 {", "1,", "1}"),
        repeat("", "a", ""),
        repeat("", "1", ""),
        repeat("", "1:", ""),
        repeat("", " ", ""),
        repeat("", "\n", ""),
        repeat("", "\0", ""),
        repeat("", "/*", ""),
        repeat("#", "#", ""),
    ];
    for text in texts {
        check_translation(text.as_bytes(), None);
    }
    let number = |form: &dyn Fn(usize) -> String| (0..10_000).map(form).collect::<String>();
    let repeated_inputs = |part: &str| part.repeat(5_000);
    let farthest_inputs = "DCL IN[0], GENERIC[0]\nDCL IN[65535], GENERIC[1]\n";
    for many in [
        number(&|n| format!("DCL TEMP[{n}]\n")),
        number(&|n| format!("DCL TEMP[{}..{}], ARRAY({n})\n", 4 * n, 4 * n + 3)),
        number(&|n| format!("IMM[{n}] UINT32 {{{n}, 0, 0, 0}}\n")),
        number(&|n| format!("MOV TEMP[{n}], CONST[{n}][{n}]\n")),
        number(&|n| format!("{n}: CAL :{}\n", 2 * n)),
        repeated_inputs(
            "DCL IN[0..255].x, ARRAY(1), GENERIC[0]\nDCL IN[0..255].y, ARRAY(1), GENERIC[0]\n",
        ) + "MOV TEMP[0], IN[ADDR[0].x](1)\n",
        farthest_inputs.to_owned() + &number(&|_| "MOV TEMP[0], IN[ADDR[0].x-1]\n".to_owned()),
        farthest_inputs.to_owned()
            + &number(&|n| format!("MOV TEMP[0], IN[ADDR[0].x]({})\n", n % 1024)),
        number(&|n| {
            format!(
                "DCL IN[{}], GENERIC[0]\nMOV TEMP[0], IN[ADDR[0].x+{}]\n",
                50_000 + n,
                50_000 + n
            )
        }),
        number(&|n| {
            format!(
                "{n}: BGNSUB\nCAL :{}\nCAL :{}\nENDSUB\n",
                4 * n + 4,
                4 * n + 4
            )
        }),
    ] {
        check_translation(format!("{head}{many}END\n").as_bytes(), None);
    }
}

/// Each constant of its own declaration, read once: sixteen times as many take sixteen times as long, not 256 times.
#[test]
fn constants_are_found_in_linear_time() {
    let time = |count: u32| {
        let each = |form: fn(u32, u32) -> String| {
            let places = (0..count).map(|n| (n % 64, n / 64 * 2));
            places.map(|(a, b)| form(a, b)).collect::<String>()
        };
        let declared = each(|buffer, number| format!("DCL CONST[{buffer}][{number}]\n"));
        let read =
            each(|buffer, number| format!("ADD OUT[0], OUT[0], CONST[{buffer}][{number}]\n"));
        let text = format!("VERT\nDCL OUT[0], POSITION\n{declared}{read}END\n");
        clock::time(|| {
            let (program, diagnostics) = translate(&Source::new("test", &text));
            assert!(program.is_some(), "{:#?}", diagnostics.list);
        })
    };
    let (few, many) = (time(4_000), time(64_000));
    assert!(many < few * 80, "{few:?}, {many:?}");
}

/// Heads of programs and repeated statements. `#` is the number of a register.
const NUMBERED: &[(&str, &str)] = &[
    (
        "VERT\nDCL TEMP[0]\nDCL OUT[0], POSITION\n",
        "DCL OUT[#].x, GENERIC[0]\nDCL OUT[#].y, GENERIC[0]\n",
    ),
    (
        "VERT\nDCL TEMP[0]\nDCL OUT[#], POSITION\n",
        "MOV OUT[#], TEMP[0]\n",
    ),
    (
        "VERT\nPROPERTY LAYER_VIEWPORT_RELATIVE 1\nDCL TEMP[0]\nDCL OUT[#], LAYER\n",
        "MOV OUT[#].x, TEMP[0]\n",
    ),
    (
        "COMP\nDCL TEMP[0]\nDCL ADDR[0]\nDCL IMAGE[#], 2D, PIPE_FORMAT_R32_UINT, WR\n",
        "STORE IMAGE[ADDR[0].x], TEMP[0], TEMP[0], 2D\n",
    ),
    (
        "COMP\nDCL TEMP[0]\nDCL MEMORY[#], SHARED\n",
        "LOAD TEMP[0].x, MEMORY[0], TEMP[0].xxxx\n",
    ),
    (
        "FRAG\nDCL TEMP[0]\nDCL ADDR[0]\nDCL SAMP[0]\nDCL SVIEW[#], 2D, FLOAT\n",
        "TEX TEMP[0], TEMP[0], SAMP[ADDR[0].x], 2D\n",
    ),
];

/// A table of 65,536 registers is not searched at each statement: those of a program whose only
/// register has the largest number take as long as those of one with number 9.
#[test]
fn large_register_numbers_take_no_time() {
    for (head, statement) in NUMBERED {
        let text = format!("{head}{}END\n", statement.repeat(1_000));
        let time = |number: &str| {
            let text = text.replace('#', number);
            let once = || {
                let tgsi = TgsiOptions {
                    clip_plane_mask: 1,
                    ..TgsiOptions::default()
                };
                let source = Source {
                    tgsi,
                    ..Source::new("test", &text)
                };
                clock::time(|| {
                    let (program, diagnostics) = translate(&source);
                    assert!(program.is_some(), "{:#?}", diagnostics.list);
                })
            };
            // The shortest of several times is the one that other programs disturbed least.
            (0..3).map(|_| once()).min().expect("a time")
        };
        let (small, large) = (time("9"), time("65535"));
        assert!(large < small * 8, "{head}{statement}{small:?}, {large:?}");
    }
}
