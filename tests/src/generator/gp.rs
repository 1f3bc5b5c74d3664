//! Prints a generated program as `!!NVfp5.0` assembly.

use super::{
    ALL_LANES, Generated, IMMEDIATES, ITERATIONS, Mask, Op, Operand, PARAMS, Sign, Stmt, Value,
    Variant,
};
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// The program text.
pub(super) fn print(program: &Generated) -> String {
    let mut text = String::from("!!NVfp5.0\n");
    declarations(&mut text, program);
    statements(&mut text, &program.body);
    text.push_str("END\n");
    text
}

fn declarations(text: &mut String, program: &Generated) {
    let _ = writeln!(
        text,
        "PARAM c[{PARAMS}] = {{ program.local[0..{}] }};",
        PARAMS - 1
    );
    for (index, row) in IMMEDIATES.iter().enumerate() {
        let [x, y, z, w] = row;
        let _ = writeln!(text, "PARAM k{index} = {{ {x:?}, {y:?}, {z:?}, {w:?} }};");
    }
    if program.variant == Variant::Loop {
        let _ = writeln!(
            text,
            "PARAM count = {{ {:?}, 0.0, 1.0, 0.0 }};",
            f64::from(ITERATIONS)
        );
    }
    for index in 0..2 {
        let _ = writeln!(text, "ATTRIB v{index} = fragment.attrib[{index}];");
    }
    text.push_str("OUTPUT o = result.color;\n");
    let temps = (0..program.temps).map(|index| format!("R{index}"));
    let scratch = (0..program.scratch).map(|index| format!("H{index}"));
    let names: Vec<String> = temps.chain(scratch).collect();
    let _ = writeln!(text, "TEMP {};", names.join(", "));
}

fn statements(text: &mut String, body: &[Stmt]) {
    for stmt in body {
        match stmt {
            Stmt::Op { op, to, mask, from } => operation(text, *op, *to, *mask, from),
            Stmt::Loop(body) => {
                text.push_str("REP count.x;\n");
                statements(text, body);
                text.push_str("ENDREP;\n");
            }
            Stmt::If {
                left,
                right,
                then,
                otherwise,
            } => {
                let _ = writeln!(text, "SGT.CC H3.x, {}, {};", Scalar(left), Scalar(right));
                text.push_str("IF NE.x;\n");
                statements(text, then);
                text.push_str("ELSE;\n");
                statements(text, otherwise);
                text.push_str("ENDIF;\n");
            }
        }
    }
}

fn operation(text: &mut String, op: Op, to: Value, mask: Mask, from: &[Operand]) {
    let _ = write!(text, "{} {}{}", mnemonic(op), Name(to), Lanes(mask));
    for operand in from {
        let _ = if op == Op::Rsq {
            write!(text, ", {}", Scalar(operand))
        } else {
            write!(text, ", {}", Vector(operand))
        };
    }
    if let Op::Tex(unit) = op {
        let _ = write!(text, ", texture[{unit}], 2D");
    }
    text.push_str(";\n");
}

fn mnemonic(op: Op) -> &'static str {
    match op {
        Op::Mad => "MAD",
        Op::Mul => "MUL",
        Op::Add => "ADD",
        Op::Sub => "SUB",
        Op::Dp4 => "DP4",
        Op::Min => "MIN",
        Op::Max => "MAX",
        Op::Rsq => "RSQ",
        Op::Mov => "MOV",
        Op::Tex(_) => "TEX",
    }
}

struct Name(Value);

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Value::Temp(index) => write!(f, "R{index}"),
            Value::Scratch(index) => write!(f, "H{index}"),
            Value::Attrib(index) => write!(f, "v{index}"),
            Value::Param(index) => write!(f, "c[{index}]"),
            Value::Immediate(index) => write!(f, "k{index}"),
            Value::Result => write!(f, "o"),
        }
    }
}

/// A write mask.
pub(super) struct Lanes(pub(super) Mask);

impl std::fmt::Display for Lanes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 == ALL_LANES {
            return Ok(());
        }
        f.write_char('.')?;
        (0..4)
            .filter(|lane| self.0[*lane])
            .try_for_each(|lane| f.write_char(letter(lane)))
    }
}

/// A component's letter.
pub(super) fn letter(component: usize) -> char {
    ['x', 'y', 'z', 'w'][component]
}

struct Vector<'a>(&'a Operand);

impl std::fmt::Display for Vector<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Operand {
            value,
            swizzle,
            sign,
        } = self.0;
        if *sign == Sign::Negated {
            f.write_char('-')?;
        }
        write!(f, "{}", Name(*value))?;
        match *swizzle {
            [0, 1, 2, 3] => Ok(()),
            [x, y, z, w] if x == y && x == z && x == w => write!(f, ".{}", letter(x)),
            all => {
                f.write_char('.')?;
                all.into_iter()
                    .try_for_each(|component| f.write_char(letter(component)))
            }
        }
    }
}

struct Scalar<'a>(&'a Operand);

impl std::fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Operand {
            value,
            swizzle,
            sign,
        } = self.0;
        if *sign == Sign::Negated {
            f.write_char('-')?;
        }
        write!(f, "{}.{}", Name(*value), letter(swizzle[0]))
    }
}
