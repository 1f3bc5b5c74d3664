//! The instructions, each by its document. A component whose value is not decided exactly is `None`.

use super::Kind;
use super::exact::Precision;

/// A vector, as far as its components are known.
pub(super) type Vector = [Option<f64>; 4];
/// Computes a result in a precision.
type Evaluate = fn(&[Vector], Precision) -> Vector;

/// An instruction, or some lines that are one only together.
#[derive(Debug)]
pub(super) struct Op {
    pub(super) name: &'static str,
    pub(super) operands: usize,
    /// Whether operands are one component each.
    pub(super) scalar: bool,
    /// Which precisions its opcode may name, apart from that of its result: none, R and H, or all.
    pub(super) precisions: usize,
    pub(super) kinds: &'static [Kind],
    pub(super) evaluate: Evaluate,
    /// Lines with `{to}` and `{0}`; without them it is one instruction.
    pub(super) lines: &'static str,
}

use Kind::{Fragment as F, State as S, Vertex10 as A, Vertex11 as B, Vertex20 as C};
const ALL: &[Kind] = &[A, B, C, S, F];
const VERTEX: &[Kind] = &[A, B, C, S];
const NEW_VERTEX: &[Kind] = &[B, C];
const NEW: &[Kind] = &[C, F];

const fn op(name: &'static str, operands: usize, kinds: &'static [Kind], evaluate: Evaluate) -> Op {
    Op {
        name,
        operands,
        scalar: false,
        precisions: 3,
        kinds,
        evaluate,
        lines: "",
    }
}

/// Instructions without fixed-point forms.
const fn half(op: Op) -> Op {
    Op {
        precisions: 2,
        ..op
    }
}

const fn scalar(op: Op) -> Op {
    Op { scalar: true, ..op }
}

/// Applies a function to each component.
fn each<const N: usize>(from: &[Vector], function: impl Fn([f64; N]) -> Option<f64>) -> Vector {
    std::array::from_fn(|lane| {
        let mut numbers = [0.0; N];
        for (number, vector) in numbers.iter_mut().zip(from) {
            *number = vector[lane]?;
        }
        function(numbers)
    })
}

/// The sum of products of components, and one more term.
fn dot(from: &[Vector], lanes: usize, last: Option<f64>, precision: Precision) -> Vector {
    let products: Option<Vec<f64>> = (0..lanes)
        .map(|lane| Some(from[0][lane]? * from[1][lane]?))
        .chain(last.map(Some))
        .collect();
    [products.and_then(|terms| precision.sum(&terms)); 4]
}

fn test(from: &[Vector], holds: fn(&f64, &f64) -> bool) -> Vector {
    each(from, |[a, b]| Some(f64::from(u8::from(holds(&a, &b)))))
}

/// The same with zeros apart, whose signs count in NV_vertex_program. NV_vertex_program section 2.14.1.11.
fn test_order(from: &[Vector], holds: fn(&f64, &f64) -> bool) -> Vector {
    each(from, |[a, b]| {
        let ordered = a != 0.0 || b != 0.0;
        ordered.then(|| f64::from(u8::from(holds(&a, &b))))
    })
}

fn lerp(from: &[Vector], precision: Precision) -> Vector {
    each(from, |[a, b, c]| {
        // a * b + (1 - a) * c, or a * (b - c) + c.
        precision.sum(&[1.0, -a])?;
        precision.sum(&[b, -c])?;
        precision.sum(&[a * (b - c), c])?;
        precision.sum(&[a * b, c, -(a * c)])
    })
}

fn rotate(from: &[Vector], precision: Precision) -> Vector {
    let [a, b, c] = [from[0], from[1], from[2]];
    let row = |lane: usize| {
        let terms = [a[lane]?, b[0]? * c[2 * lane]?, b[1]? * c[2 * lane + 1]?];
        precision.sum(&terms)
    };
    [row(0), row(1), row(0), row(1)]
}

fn distance(from: &[Vector], precision: Precision) -> Vector {
    let [a, b] = [from[0], from[1]];
    let product = a[1].zip(b[1]).and_then(|(a, b)| precision.sum(&[a * b]));
    [Some(1.0), product, a[2], b[3]]
}

/// The power is an approximation, but not where there is no light.
fn light(from: &[Vector], _: Precision) -> Vector {
    let x = from[0][0].map(|x| x.max(0.0));
    let dark = x.filter(|&x| x == 0.0);
    [Some(1.0), x, dark, Some(1.0)]
}

/// Components z and for EXP x are approximations.
fn exponential(from: &[Vector], precision: Precision) -> Vector {
    let part = from[0][0].and_then(|x| precision.sum(&[x, -x.floor()]));
    [None, part, None, Some(1.0)]
}

fn logarithm(from: &[Vector], _: Precision) -> Vector {
    let exponent = from[0][0].filter(|&x| x != 0.0).map(|x| {
        let mut exponent = -13;
        while x.abs() >= f64::from(exponent + 1).exp2() {
            exponent += 1;
        }
        f64::from(exponent)
    });
    let mantissa = exponent.zip(from[0][0]).map(|(e, x)| x.abs() / e.exp2());
    [exponent, mantissa, None, Some(1.0)]
}

/// An approximation that the lines bring to a multiple of 1/256.
fn snapped(from: &[Vector], function: fn(f64) -> f64) -> Vector {
    let exact =
        |x: f64| Some(function(x)).filter(|y| (y * 256.0).fract() == 0.0 && y.abs() <= 16.0);
    [from[0][0].filter(|&x| x > 0.0).and_then(exact); 4]
}

fn packed(from: &[Vector], _: Precision) -> Vector {
    let half = |lane: usize| from[0][lane].filter(|&x| Precision::Half.holds(x));
    [half(0), half(1), half(0), half(1)]
}

const VERTEX_SNAP: &str =
    "MAD R14.x, R14.x, c[32].x, c[32].y;\nFLR R14.x, R14.x;\nMUL {to}, R14.x, c[32].z;\n";
const FRAGMENT_SNAP: &str =
    "MADR R30.x, R30.x, 256, 0.5;\nFLRR R30.x, R30.x;\nMULR {to}, R30.x, 0.00390625;\n";

/// A function with an approximate result in a register, and the end of its lines.
const fn approximate(lines: &'static str, kinds: &'static [Kind], evaluate: Evaluate) -> Op {
    Op {
        lines,
        ..scalar(op("", 1, kinds, evaluate))
    }
}

/// What stands behind the first line of an approximation.
pub(super) fn snap(kind: Kind) -> &'static str {
    match kind {
        Kind::Fragment => FRAGMENT_SNAP,
        _ => VERTEX_SNAP,
    }
}

/// All instructions.
pub(super) const OPS: &[Op] = &[
    op("ABS", 1, NEW_VERTEX, |a, _| each(a, |[a]| Some(a.abs()))),
    op("ADD", 2, ALL, |a, p| each(a, |[a, b]| p.sum(&[a, b]))),
    op("DP3", 2, ALL, |a, p| dot(a, 3, None, p)),
    op("DP4", 2, ALL, |a, p| dot(a, 4, None, p)),
    op("DPH", 2, NEW_VERTEX, |a, p| match a[1][3] {
        Some(last) => dot(a, 3, Some(last), p),
        None => [None; 4],
    }),
    half(op("DST", 2, ALL, distance)),
    scalar(op("EXP", 1, VERTEX, exponential)),
    op("FLR", 1, NEW, |a, _| each(a, |[a]| Some(a.floor()))),
    op("FRC", 1, NEW, |a, p| each(a, |[a]| p.sum(&[a, -a.floor()]))),
    half(op("LIT", 1, ALL, light)),
    scalar(op("LOG", 1, VERTEX, logarithm)),
    op("LRP", 3, &[F], lerp),
    op("MAD", 3, ALL, |a, p| {
        each(a, |[a, b, c]| p.sum(&[a * b, c]))
    }),
    op("MAD", 3, ALL, |a, p| {
        each(a, |[a, b, c]| p.sum(&[a * b, c]))
    }),
    op("MAX", 2, ALL, |a, _| each(a, |[a, b]| Some(a.max(b)))),
    op("MIN", 2, ALL, |a, _| each(a, |[a, b]| Some(a.min(b)))),
    op("MOV", 1, ALL, |a, _| a[0]),
    op("MUL", 2, ALL, |a, p| each(a, |[a, b]| p.sum(&[a * b]))),
    op("SEQ", 2, NEW, |a, _| test(a, |a, b| a == b)),
    op("SFL", 2, NEW, |_, _| [Some(0.0); 4]),
    op("SGE", 2, ALL, |a, _| test_order(a, |a, b| a >= b)),
    op("SGT", 2, NEW, |a, _| test(a, |a, b| a > b)),
    op("SLE", 2, NEW, |a, _| test(a, |a, b| a <= b)),
    op("SLT", 2, ALL, |a, _| test_order(a, |a, b| a < b)),
    op("SNE", 2, NEW, |a, _| test(a, |a, b| a != b)),
    op("SSG", 1, &[C], |a, _| {
        each(a, |[a]| Some(if a == 0.0 { 0.0 } else { a.signum() }))
    }),
    op("STR", 2, NEW, |_, _| [Some(1.0); 4]),
    op("SUB", 2, &[B, C, F], |a, p| {
        each(a, |[a, b]| p.sum(&[a, -b]))
    }),
    half(op("X2D", 3, &[F], rotate)),
    approximate("RCP R14.x, {0};\n", &[C], |a, _| snapped(a, |x| 1.0 / x)),
    approximate("RSQ R14.x, {0};\n", &[C], |a, _| {
        snapped(a, |x| 1.0 / x.sqrt())
    }),
    approximate("EX2 R14.x, {0};\n", &[C], |a, _| snapped(a, f64::exp2)),
    approximate("LG2 R14.x, {0};\n", &[C], |a, _| snapped(a, f64::log2)),
    approximate("RCPR R30.x, {0};\n", &[F], |a, _| snapped(a, |x| 1.0 / x)),
    approximate("RSQR R30.x, {0};\n", &[F], |a, _| {
        snapped(a, |x| 1.0 / x.sqrt())
    }),
    approximate("EX2R R30.x, {0};\n", &[F], |a, _| snapped(a, f64::exp2)),
    approximate("LG2R R30.x, {0};\n", &[F], |a, _| snapped(a, f64::log2)),
    Op {
        lines: "PK2H R30.x, {0};\nUP2H {to}, R30.x;\n",
        ..op("", 1, &[F], packed)
    },
];
