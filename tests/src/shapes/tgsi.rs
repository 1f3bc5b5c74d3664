//! Shapes of TGSI.

use super::{Row, count, grow, list, nest};

const HEAD: &str = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n";
/// The head with temporaries.
const TEMPS: &str = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0..3]\n";
const WRITE: &str = "MOV OUT[0], TEMP[1]\nEND\n";
const PASS: &str = "MOV OUT[0], IN[0]\nEND\n";

/// Additions, each of which writes the next temporary.
fn additions(temporaries: usize) -> String {
    list(temporaries, |number| {
        format!("ADD TEMP[{}], TEMP[{number}], IN[0]\n", number + 1)
    })
}

pub(super) static SHAPES: &[Row] = &[
    ("TGSI instructions", |size| {
        let unit = |number| {
            let (to, from) = (number % 4, (number + 1) % 4);
            format!("{number:3}: MAD TEMP[{to}], TEMP[{from}], IN[0], TEMP[0]\n")
        };
        grow(TEMPS, unit, WRITE, size)
    }),
    ("TGSI chain of temporaries", |size| {
        let last = count(size, 34);
        let text = additions(last);
        format!("{HEAD}DCL TEMP[0..{last}]\n{text}MOV OUT[0], TEMP[{last}]\nEND\n")
    }),
    ("TGSI temporaries in a loop", |size| {
        let last = count(size, 34);
        let text = additions(last);
        format!(
            "{HEAD}DCL TEMP[0..{last}]\nBGNLOOP\n{text}UIF TEMP[1].xxxx\nBRK\nENDIF\nENDLOOP\nMOV OUT[0], TEMP[{last}]\nEND\n"
        )
    }),
    ("TGSI immediates", |size| {
        let unit = |number| format!("IMM[{number}] FLT32 {{{number}.0, 1.0, 2.0, 3.0}}\n");
        grow(HEAD, unit, "MOV OUT[0], IMM[0]\nEND\n", size)
    }),
    ("TGSI relative immediates", |size| {
        let unit = |number| format!("IMM[{number}] FLT32 {{{number}.0, 1.0, 2.0, 3.0}}\n");
        let tail = "ARL ADDR[0].x, IN[0].xxxx\nMOV OUT[0], IMM[ADDR[0].x]\nEND\n";
        grow(&format!("{HEAD}DCL ADDR[0]\n"), unit, tail, size)
    }),
    ("TGSI arrays", |size| {
        let arrays = count(size, 75);
        let declared = list(arrays, |number| {
            let (first, id) = (number * 4, number + 1);
            format!("DCL TEMP[{first}..{}], ARRAY({id}), LOCAL\n", first + 3)
        });
        let written = list(arrays, |number| {
            let (first, id) = (number * 4, number + 1);
            format!("MOV TEMP[ADDR[0].x+{first}]({id}), IN[0]\n")
        });
        format!(
            "{HEAD}DCL ADDR[0]\n{declared}ARL ADDR[0].x, IN[0].xxxx\n{written}MOV OUT[0], TEMP[0]\nEND\n"
        )
    }),
    ("TGSI declarations", |size| {
        grow(HEAD, |number| format!("DCL TEMP[{number}]\n"), PASS, size)
    }),
    ("TGSI relative temporaries", |size| {
        let tail = "ARL ADDR[0].x, IN[0].xxxx\nMOV TEMP[ADDR[0].x], IN[0]\nMOV OUT[0], TEMP[ADDR[0].x]\nEND\n";
        let unit = |number| format!("DCL TEMP[{number}]\n");
        grow(&format!("{HEAD}DCL ADDR[0]\n"), unit, tail, size)
    }),
    ("TGSI large arrays", |size| {
        let unit = |number| {
            let (first, id) = (number * 60_000, number + 1);
            format!("DCL TEMP[{first}..{}], ARRAY({id})\n", first + 59_999)
        };
        let tail =
            "ARL ADDR[0].x, IN[0].xxxx\nMOV TEMP[ADDR[0].x](1), IN[0]\nMOV OUT[0], TEMP[1]\nEND\n";
        grow(&format!("{HEAD}DCL ADDR[0]\n"), unit, tail, size)
    }),
    ("TGSI constant buffers", |size| {
        let unit = |number| format!("DCL CONST[{}][0..4095]\n", number % 32);
        grow(HEAD, unit, "MOV OUT[0], CONST[0][1]\nEND\n", size)
    }),
    ("TGSI nested IF", |size| {
        nest(
            [
                TEMPS,
                "UIF TEMP[0].xxxx\n",
                "MOV TEMP[1], IN[0]\n",
                "ENDIF\n",
                WRITE,
            ],
            size,
        )
    }),
    ("TGSI IF", |size| {
        let unit = |_| {
            "UIF TEMP[0].xxxx\nMOV TEMP[1], IN[0]\nELSE\nADD TEMP[0], TEMP[0], IN[0]\nENDIF\n"
                .to_owned()
        };
        grow(TEMPS, unit, WRITE, size)
    }),
    ("TGSI loops", |size| {
        let unit = |_| {
            "BGNLOOP\nUIF TEMP[0].xxxx\nBRK\nENDIF\nADD TEMP[0], TEMP[0], IN[0]\nENDLOOP\n"
                .to_owned()
        };
        grow(TEMPS, unit, WRITE, size)
    }),
    ("TGSI subroutines", |size| {
        let subroutines = count(size, 52);
        let calls = list(subroutines, |number| {
            format!("CAL :{}\n", subroutines + 3 + number * 3)
        });
        let text = "BGNSUB\nADD TEMP[0], TEMP[0], IN[0]\nENDSUB\n".repeat(subroutines);
        format!("{TEMPS}{calls}MOV OUT[0], TEMP[1]\nRET\nEND\n{text}")
    }),
    ("TGSI chain of subroutines", |size| {
        let subroutines = count(size, 42);
        let text = list(subroutines, |number| {
            let at = 3 + 3 * number;
            format!(
                "{at}: BGNSUB\n{}: CAL :{}\n{}: ENDSUB\n",
                at + 1,
                at + 3,
                at + 2
            )
        });
        let at = 3 + 3 * subroutines;
        let last = format!("{at}: BGNSUB\n{}: ENDSUB\n{}: END\n", at + 1, at + 2);
        format!("{TEMPS}0: CAL :3\n1: MOV OUT[0], TEMP[1]\n2: RET\n{text}{last}")
    }),
    ("TGSI cases", |size| {
        let cases = "CASE IMM[0].yyyy\nADD TEMP[1], TEMP[1], IN[0]\nBRK\n".repeat(count(size, 49));
        format!(
            "{TEMPS}IMM[0] INT32 {{0, 1, 2, 3}}\nSWITCH TEMP[0].xxxx\n{cases}ENDSWITCH\n{WRITE}"
        )
    }),
    ("TGSI cases of other values", |size| {
        let cases = count(size, 82);
        let values = list(cases, |number| {
            format!("IMM[{number}] INT32 {{{number}, 1, 2, 3}}\n")
        });
        let text = list(cases, |number| {
            format!("CASE IMM[{number}].xxxx\nADD TEMP[1], TEMP[1], IN[0]\n")
        });
        format!("{TEMPS}{values}SWITCH TEMP[0].xxxx\n{text}ENDSWITCH\n{WRITE}")
    }),
    ("TGSI unknown opcodes", |size| {
        grow(
            HEAD,
            |number| format!("XYZ TEMP[{number}], foo\n"),
            PASS,
            size,
        )
    }),
    ("TGSI lookups", |size| {
        let unit = |number| {
            let (to, from) = (number % 4, (number + 1) % 4);
            format!("TEX TEMP[{to}], TEMP[{from}], SAMP[0], 2D\n")
        };
        grow(
            &format!("{TEMPS}DCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n"),
            unit,
            WRITE,
            size,
        )
    }),
    ("TGSI outputs", |size| {
        let unit = |number| format!("DCL OUT[{}], GENERIC[{number}]\n", number + 1);
        grow("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n", unit, PASS, size)
    }),
    ("TGSI properties", |size| {
        let unit = |_| "PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\n".to_owned();
        grow(HEAD, unit, PASS, size)
    }),
];
