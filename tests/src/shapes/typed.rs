//! Shapes of the languages with data types, NV_gpu_program4 and NV_gpu_program5.

use super::{Row, count, grow, list, nest};

const FRAGMENT: &str = "!!NVfp5.0\n";
/// A fragment program up to its repeated part: `a` is a color, and condition codes hold its signs.
const COLOR: &str = "!!NVfp5.0\nTEMP a, b;\nMOV.CC a, fragment.color;\nMOV b, a;\n";
const WRITE: &str = "MOV result.color, a;\nEND";
const PASS: &str = "MOV result.color, fragment.color;\nEND";

/// A fragment program with a repeated part that uses `a`.
fn color(unit: impl Fn(usize) -> String, size: usize) -> String {
    grow(COLOR, unit, WRITE, size)
}

/// A fragment program with a repeated part that it does not use.
fn unused(unit: impl Fn(usize) -> String, size: usize) -> String {
    grow(FRAGMENT, unit, PASS, size)
}

/// A fragment program that calls, and its subroutines.
fn calls(main: &str, subroutines: &str) -> String {
    format!(
        "{FRAGMENT}TEMP a;\nmain:\nMOV.CC a, fragment.color;\n{main}MOV result.color, a;\nRET;\n{subroutines}END"
    )
}

pub(super) static SHAPES: &[Row] = &[
    ("typed instructions", |size| {
        color(|number| format!("MAD a, b, a, {}.0;\n", number % 7), size)
    }),
    ("typed chain of temporaries", |size| {
        let unit = |number: usize| {
            let (next, back) = (number + 1, number.saturating_sub(5));
            format!("TEMP t{next};\nADD t{next}, t{number}, t{back};\n")
        };
        let head = "!!NVfp5.0\nTEMP t0;\nMOV t0, fragment.color;\n";
        grow(head, unit, "MOV result.color, t0;\nEND", size)
    }),
    ("typed temporaries in a loop", |size| {
        let temporaries = count(size, 70);
        let written = list(temporaries, |number| {
            format!("TEMP t{number};\nMOV t{number}, fragment.color;\n")
        });
        let round = list(temporaries, |number| {
            format!(
                "ADD t{number}, t{number}, t{};\n",
                (number + 1) % temporaries
            )
        });
        format!("{FRAGMENT}{written}REP 10;\n{round}ENDREP;\nMOV result.color, t0;\nEND")
    }),
    ("typed temporaries and loops", |size| {
        let [temporaries, loops] = [count(size, 110), count(size, 80)];
        let written = list(temporaries, |number| {
            format!("TEMP t{number};\nMOV t{number}, fragment.color;\n")
        });
        let blocks = list(loops, |number| {
            format!(
                "REP 3;\nADD t{0}, t{0}, 1;\nENDREP;\n",
                number % temporaries
            )
        });
        let sum = list(temporaries, |number| format!("ADD r, r, t{number};\n"));
        format!("{FRAGMENT}{written}TEMP r;\nMOV r, 0;\n{blocks}{sum}MOV result.color, r;\nEND")
    }),
    ("typed subroutines", |size| {
        let subroutines = count(size, 34);
        calls(
            &list(subroutines, |number| format!("CAL l{number};\n")),
            &list(subroutines, |number| {
                format!("l{number}:\nADD a, a, 1;\nRET;\n")
            }),
        )
    }),
    ("typed chain of subroutines", |size| {
        let last = count(size, 38);
        let subroutines = list(last, |number| {
            format!("l{number}:\nADD a, a, 1;\nCAL l{};\nRET;\n", number + 1)
        });
        calls("CAL l0;\n", &format!("{subroutines}l{last}:\nRET;\n"))
    }),
    ("typed tree of subroutines", |size| {
        let subroutines = list(30, |number| {
            format!(
                "l{number}:\nADD a, a, 1;\nCAL l{0};\nCAL l{0};\nRET;\n",
                number + 1
            )
        });
        let last = "ADD a, a, 1;\n".repeat(count(size - 1500, 13));
        calls("CAL l0;\n", &format!("{subroutines}l30:\n{last}RET;\n"))
    }),
    ("typed recursion", |size| {
        let subroutines = count(size, 46);
        let text = list(subroutines, |number| {
            let next = (number + 1) % subroutines;
            format!("l{number}:\nADD a, a, 1;\nCAL l{next} (GT.x);\nRET;\n")
        });
        calls("CAL l0;\n", &text)
    }),
    ("typed subroutines that nothing calls", |size| {
        let text = list(count(size, 27), |number| {
            format!("l{number}:\nADD a, a, 1;\nRET;\n")
        });
        calls("", &text)
    }),
    ("typed indirect calls", |size| {
        let subroutines = count(size, 48);
        let types = list(subroutines, |number| format!(", s{number}"));
        let text = list(subroutines, |number| {
            format!("s{number} SUBROUTINENUM({number}):\nADD a, a, 1;\nRET;\n")
        });
        format!(
            "{FRAGMENT}TEMP a;\nSUBROUTINETYPE t {{{}}};\nSUBROUTINE t k = program.subroutine[0];\nmain:\nCALI k;\n\
             MOV result.color, a;\nRET;\n{text}END",
            types.trim_start_matches(", ")
        )
    }),
    ("typed returns", |size| {
        let returns = "ADD.CC a, a, 1;\nRET (GT.x);\n".repeat(count(size, 28));
        calls("CAL s;\n", &format!("s:\n{returns}RET;\n"))
    }),
    ("typed nested IF", |size| {
        nest(
            [COLOR, "IF GT.x;\n", "ADD a, a, 1;\n", "ENDIF;\n", WRITE],
            size,
        )
    }),
    ("typed IF", |size| {
        let unit = |_| "IF GT.x;\nADD.CC a, a, 1;\nELSE;\nMUL a, a, a;\nENDIF;\n".to_owned();
        color(unit, size)
    }),
    ("typed REP", |size| {
        color(
            |_| "REP 3;\nADD.CC a, a, 1;\nBRK (GT.x);\nENDREP;\n".to_owned(),
            size,
        )
    }),
    ("typed nested REP", |size| {
        nest(
            [COLOR, "REP 3;\n", "ADD.CC a, a, 1;\n", "ENDREP;\n", WRITE],
            size,
        )
    }),
    ("typed BRK and CONT", |size| {
        let unit = |_| "ADD.CC a, a, 1;\nBRK (GT.x);\nCONT (LT.y);\n".to_owned();
        grow(
            &format!("{COLOR}REP 100;\n"),
            unit,
            &format!("ENDREP;\n{WRITE}"),
            size,
        )
    }),
    ("typed unknown opcodes", |size| {
        unused(|number| format!("XYZ a{number};\n"), size)
    }),
    ("typed unknown opcodes of a line", |size| {
        unused(|number| format!("XYZ a{number}; "), size)
    }),
    ("typed undeclared names", |size| {
        unused(|number| format!("MOV u{number}, v{number};\n"), size)
    }),
    ("typed names declared twice", |size| {
        color(|_| "TEMP a;\n".to_owned(), size)
    }),
    ("typed long name", |size| {
        let name = "a".repeat(size / 3);
        format!(
            "{FRAGMENT}TEMP {name};\nMOV {name}, fragment.color;\nMOV result.color, {name};\nEND"
        )
    }),
    ("typed long names", |size| {
        let name = "a".repeat(200);
        unused(|number| format!("TEMP {name}{number};\n"), size)
    }),
    ("typed long comment", |size| {
        unused(|_| "#".to_owned(), size) + "\n"
    }),
    ("typed comments", |size| {
        unused(|_| "# x\n".to_owned(), size)
    }),
    ("typed options", |size| {
        unused(|_| "OPTION ARB_fog_exp;\n".to_owned(), size)
    }),
    ("typed excluding options", |size| {
        let unit = |number| format!("OPTION ARB_fog_exp{};\n", ["", "2"][number % 2]);
        unused(unit, size)
    }),
    ("typed unknown options", |size| {
        unused(|number| format!("OPTION x{number};\n"), size)
    }),
    ("typed parameters", |size| {
        unused(
            |number| format!("PARAM p{number} = {{{number}, 1, 2, 3}};\n"),
            size,
        )
    }),
    ("typed constants", |size| {
        color(
            |number| format!("ADD a, a, {{{number}.5, 1, 2, 3}};\n"),
            size,
        )
    }),
    ("typed arrays of parameters", |size| {
        unused(
            |number| format!("PARAM p{number}[4] = {{program.local[0..3]}};\n"),
            size,
        )
    }),
    ("typed large array of parameters", |size| {
        let tail = "};\nINT TEMP k;\nMOV.S k.x, fragment.color;\nMOV result.color, p[k.x];\nEND";
        let unit = |number| format!(", {{{number}, 2, 3, 4}}");
        grow("!!NVfp5.0\nPARAM p[] = {{1, 2, 3, 4}", unit, tail, size)
    }),
    ("typed aliases", |size| {
        let unit = |number| format!("ALIAS a{} = a{number};\n", number + 1);
        grow("!!NVfp5.0\nTEMP a0;\n", unit, PASS, size)
    }),
    ("typed attributes", |size| {
        unused(
            |number| format!("ATTRIB a{number} = fragment.color;\n"),
            size,
        )
    }),
    ("typed outputs", |size| {
        unused(|number| format!("OUTPUT o{number} = result.color;\n"), size)
    }),
    ("typed large arrays", |size| {
        unused(|number| format!("TEMP b{number}[4096];\n"), size)
    }),
    ("typed braces", |size| color(|_| "{".to_owned(), size)),
    ("typed brackets", |size| {
        grow(
            "!!NVfp5.0\nMOV result.color, program.local",
            |_| "[".to_owned(),
            "\nEND",
            size,
        )
    }),
    ("typed signs", |size| {
        grow(
            "!!NVfp5.0\nMOV result.color, ",
            |_| "-".to_owned(),
            "1;\nEND",
            size,
        )
    }),
    ("typed bars", |size| {
        grow(
            "!!NVfp5.0\nMOV result.color, ",
            |_| "|".to_owned(),
            "1;\nEND",
            size,
        )
    }),
    ("typed semicolons", |size| unused(|_| ";".to_owned(), size)),
    ("typed digits", |size| {
        grow(
            "!!NVfp5.0\nMOV result.color, ",
            |_| "1".to_owned(),
            ";\nEND",
            size,
        )
    }),
    ("typed digits of a fraction", |size| {
        grow(
            "!!NVfp5.0\nMOV result.color, 0.",
            |_| "1".to_owned(),
            "e-300;\nEND",
            size,
        )
    }),
    ("typed suffixes", |size| {
        grow(
            "!!NVfp5.0\nMOV",
            |_| ".x".to_owned(),
            " result.color, 1;\nEND",
            size,
        )
    }),
    ("typed lookups", |size| {
        color(
            |number| format!("TEX a, a, texture[{}], 2D;\n", number % 16),
            size,
        )
    }),
    ("typed array elements", |size| {
        let head = format!("{COLOR}TEMP c[64];\nINT TEMP k;\nFLR.S k.x, a;\n");
        let unit = |number| format!("MOV c[k.x + {}], a;\nADD a, a, c[k.x];\n", number % 60);
        grow(&head, unit, WRITE, size)
    }),
    ("typed condition codes", |size| {
        let unit = |_| "ADD.CC1 a (GT.x), a, 1;\nMOV.CC0 a.x (LT1.y), a.y;\n".to_owned();
        color(unit, size)
    }),
    ("typed doubles", |size| {
        let head =
            "!!NVfp5.0\nOPTION NV_gpu_program_fp64;\nLONG TEMP d;\nMOV.F64 d, {1, 2, 3, 4};\n";
        let unit = |_| "ADD.F64 d.x, d.x, d.y;\nMUL.F64 d.y, d.x, d.x;\n".to_owned();
        grow(head, unit, PASS, size)
    }),
    ("typed packing", |size| {
        color(
            |_| "PK4B a.x, a;\nUP4B a, a.x;\nPK2H a.y, a;\n".to_owned(),
            size,
        )
    }),
    ("typed emitted vertices", |size| {
        let head = "!!NVgp5.0\nPRIMITIVE_IN TRIANGLES;\nPRIMITIVE_OUT TRIANGLE_STRIP;\nVERTICES_OUT 128;\n";
        let unit = |number| {
            format!(
                "MOV result.position, vertex[{}].position;\nEMIT;\n",
                number % 3
            )
        };
        grow(head, unit, "END", size)
    }),
    ("typed empty lines", |size| {
        unused(|_| "\n".to_owned(), size)
    }),
    ("typed carriage returns", |size| {
        unused(|_| "\r".to_owned(), size)
    }),
    ("typed wide characters", |size| {
        unused(|_| "\u{e9}".to_owned(), size)
    }),
];
