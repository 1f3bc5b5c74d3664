//! Shapes of the ARB languages and of those whose programs name registers.

use super::{Row, count, grow, list};

/// Position and value of a vertex program of the register languages.
const POSITION: &str = "MOV o[HPOS], R0;\nEND";

/// A program of NV_vertex_program2 with a label and a branch for each number, to the label that `target` says.
fn branches(size: usize, target: impl Fn(usize, usize) -> usize) -> String {
    let labels = count(size, 36);
    let text = list(labels, |number| {
        let to = target(number, labels);
        format!("L{number}: ADDC R0, R0, c[0];\nBRA L{to} (GT.x);\n")
    });
    format!("!!VP2.0\n{text}{POSITION}")
}

/// A fragment program of the ARB language with a repeated part.
fn fragment(unit: impl Fn(usize) -> String, size: usize) -> String {
    let head = "!!ARBfp1.0\nTEMP a;\nMOV a, fragment.color;\n";
    grow(head, unit, "MOV result.color, a;\nEND", size)
}

pub(super) static SHAPES: &[Row] = &[
    ("ARBfp1.0 instructions", |size| {
        fragment(|number| format!("MAD a, a, a, {{{}}};\n", number % 9), size)
    }),
    ("ARBfp1.0 KIL and lookups", |size| {
        fragment(|_| "KIL a;\nTEX a, a, texture[0], 2D;\n".to_owned(), size)
    }),
    ("ARBfp1.0 options", |size| {
        let unit = |_| "OPTION ARB_fog_exp;\n".to_owned();
        grow(
            "!!ARBfp1.0\n",
            unit,
            "MOV result.color, fragment.color;\nEND",
            size,
        )
    }),
    ("ARBfp1.0 chain of subroutines", |size| {
        let last = count(size, 38);
        let text = list(last, |number| {
            format!("l{number}:\nADD a, a, 1;\nCAL l{};\nRET;\n", number + 1)
        });
        format!(
            "!!ARBfp1.0\nOPTION NV_fragment_program2;\nTEMP a;\nMOV a, fragment.color;\nCAL l0;\n\
             MOV result.color, a;\nRET;\n{text}l{last}:\nRET;\nEND"
        )
    }),
    ("ARBfp1.0 headers", |size| {
        grow("", |_| "!!ARBfp1.0\nEND\n".to_owned(), "", size)
    }),
    ("ARBfp1.0 NUL bytes", |size| {
        grow("!!ARBfp1.0\n", |_| "\0".to_owned(), "", size)
    }),
    ("ARBvp1.0 options", |size| {
        let unit = |_| "OPTION ARB_position_invariant;\n".to_owned();
        grow(
            "!!ARBvp1.0\n",
            unit,
            "MOV result.color, vertex.color;\nEND",
            size,
        )
    }),
    ("ARBvp1.0 state", |size| {
        let unit = |number| {
            let (matrix, row) = (number / 4 % 32, number % 4);
            format!("DP4 a.x, a, state.matrix.program[{matrix}].row[{row}];\n")
        };
        let head = "!!ARBvp1.0\nTEMP a;\nMOV a, vertex.position;\n";
        grow(head, unit, "MOV result.position, a;\nEND", size)
    }),
    ("ARBvp1.0 relative parameters", |size| {
        let head = "!!ARBvp1.0\nTEMP a;\nADDRESS k;\nPARAM p[96] = {program.env[0..95]};\n\
                    ARL k.x, vertex.position.x;\nMOV a, p[0];\n";
        let unit = |number| format!("ADD a, a, p[k.x + {}];\n", number % 64);
        grow(head, unit, "MOV result.position, a;\nEND", size)
    }),
    ("VP1.0 instructions", |size| {
        let unit = |number| {
            let (to, from) = (number % 12, (number + 1) % 12);
            format!("MAD R{to}, R{from}, c[{}], v[0];\n", number % 96)
        };
        grow("!!VP1.0\n", unit, POSITION, size)
    }),
    ("VP1.0 relative parameters", |size| {
        let unit = |_| "ARL A0.x, v[0].x;\nMOV R0, c[A0.x + 3];\n".to_owned();
        grow("!!VP1.0\n", unit, POSITION, size)
    }),
    ("VP2.0 scattered branches", |size| {
        branches(size, |number, labels| (number * 7919 + 3) % labels)
    }),
    ("VP2.0 branches back", |size| {
        branches(size, |number, _| number / 2)
    }),
    ("VP2.0 branches ahead", |size| {
        branches(size, |number, labels| (number + 2).min(labels - 1))
    }),
    ("VP2.0 branches of long blocks", |size| {
        let block = "MAD R1, R1, R2, R3;\n".repeat(count(size / 16, 20));
        let text = list(16, |number| {
            let to = (number * 7 + 3) % 16;
            format!("L{number}: ADDC R0, R0, c[0];\n{block}BRA L{to} (GT.x);\n")
        });
        format!("!!VP2.0\n{text}{POSITION}")
    }),
    ("VP2.0 recursion", |size| {
        let labels = count(size, 45);
        let text = list(labels, |number| {
            let next = (number + 1) % labels;
            format!("L{number}: ADDC R0, R0, c[0];\nCAL L{next} (GT.x);\nRET;\n")
        });
        format!("!!VP2.0\nCAL L0;\nMOV o[HPOS], R0;\nRET;\n{text}END")
    }),
    ("VP2.0 chain of subroutines", |size| {
        let last = count(size, 41);
        let text = list(last, |number| {
            format!("L{number}: ADD R0, R0, c[0];\nCAL L{};\nRET;\n", number + 1)
        });
        format!("!!VP2.0\nCAL L0;\nMOV o[HPOS], R0;\nRET;\n{text}L{last}: RET;\nEND")
    }),
    ("VSP1.0 instructions", |size| {
        let unit = |number| {
            let (register, to) = (number % 12, number % 90);
            format!("MAD R{register}, v[0], c[1], R0;\nMOV c[{to}], R0;\n")
        };
        grow("!!VSP1.0\n", unit, "END", size)
    }),
    ("FP1.0 instructions", |size| {
        let unit = |number| {
            let (to, from) = (number % 30, (number + 1) % 30);
            format!(
                "MAD R{to}, R{from}, f[COL0], {{{}, 1, 1, 1}};\n",
                number % 9
            )
        };
        grow("!!FP1.0\n", unit, "MOV o[COLR], R0;\nEND", size)
    }),
    ("FP1.0 named parameters", |size| {
        let unit = |number| format!("DECLARE d{number} = {{1, 2, 3, {number}}};\n");
        grow("!!FP1.0\n", unit, "MOV o[COLR], f[COL0];\nEND", size)
    }),
    ("FP1.0 packing", |size| {
        let unit = |_| "PK4B R0.x, f[COL0];\nUP4B R1, R0.x;\nPK2H H0.x, R1;\n".to_owned();
        grow("!!FP1.0\n", unit, "MOV o[COLR], R0;\nEND", size)
    }),
];
