//! Prints a generated program as GLSL 4.50 for Vulkan.

use super::gp::letter;
use super::{
    ALL_LANES, Generated, IMMEDIATES, ITERATIONS, Mask, Op, Operand, PARAMS, Sign, Stmt, Value,
};
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// The shader text.
pub(super) fn print(program: &Generated) -> String {
    let mut text = String::from("#version 450\n");
    let _ = writeln!(
        text,
        "layout(set = 0, binding = 4) uniform Params {{ vec4 c[{PARAMS}]; }};"
    );
    for unit in 0..2 {
        let _ = writeln!(
            text,
            "layout(set = 1, binding = {}) uniform texture2D t{unit};",
            2 * unit
        );
        let _ = writeln!(
            text,
            "layout(set = 1, binding = {}) uniform sampler s{unit};",
            2 * unit + 1
        );
    }
    for index in 0..2 {
        let _ = writeln!(text, "layout(location = {index}) in vec4 v{index};");
    }
    text.push_str("layout(location = 0) out vec4 o;\nvoid main() {\n");
    for (index, [x, y, z, w]) in IMMEDIATES.iter().enumerate() {
        let _ = writeln!(
            text,
            "  const vec4 k{index} = vec4({x:?}, {y:?}, {z:?}, {w:?});"
        );
    }
    let temps = (0..program.temps).map(|index| format!("R{index}"));
    let scratch = (0..program.scratch).map(|index| format!("H{index}"));
    let names: Vec<String> = temps.chain(scratch).collect();
    let _ = writeln!(text, "  vec4 {};", names.join(", "));
    statements(&mut text, &program.body, 1);
    text.push_str("}\n");
    text
}

fn statements(text: &mut String, body: &[Stmt], depth: usize) {
    let indent = "  ".repeat(depth);
    for stmt in body {
        match stmt {
            Stmt::Op { op, to, mask, from } => {
                let _ = writeln!(
                    text,
                    "{indent}{}{} = {};",
                    name(*to),
                    lanes(*mask),
                    expression(*op, *mask, from)
                );
            }
            Stmt::Loop(body) => {
                let _ = writeln!(text, "{indent}for (int i = 0; i < {ITERATIONS}; i++) {{");
                statements(text, body, depth + 1);
                let _ = writeln!(text, "{indent}}}");
            }
            Stmt::If {
                left,
                right,
                then,
                otherwise,
            } => {
                const X: Mask = [true, false, false, false];
                let _ = writeln!(
                    text,
                    "{indent}if ({} > {}) {{",
                    operand(left, X),
                    operand(right, X)
                );
                statements(text, then, depth + 1);
                let _ = writeln!(text, "{indent}}} else {{");
                statements(text, otherwise, depth + 1);
                let _ = writeln!(text, "{indent}}}");
            }
        }
    }
}

fn expression(op: Op, mask: Mask, from: &[Operand]) -> String {
    let [a, b, c] = [0, 1, 2].map(|index| {
        from.get(index)
            .map(|from| operand(from, mask))
            .unwrap_or_default()
    });
    match op {
        Op::Mad => format!("{a} * {b} + {c}"),
        Op::Mul => format!("{a} * {b}"),
        Op::Add => format!("{a} + {b}"),
        Op::Sub => format!("{a} - {b}"),
        Op::Dp4 => widen(
            mask,
            &format!(
                "dot({}, {})",
                operand(&from[0], ALL_LANES),
                operand(&from[1], ALL_LANES)
            ),
        ),
        Op::Min => format!("min({a}, {b})"),
        Op::Max => format!("max({a}, {b})"),
        Op::Rsq => widen(
            mask,
            &format!(
                "inversesqrt({})",
                operand(&from[0], [true, false, false, false])
            ),
        ),
        Op::Mov => a,
        Op::Tex(unit) => {
            let coordinate = operand(&from[0], [true, true, false, false]);
            format!("texture(sampler2D(t{unit}, s{unit}), {coordinate})")
        }
    }
}

/// A scalar as a value of as many components as `mask` has.
fn widen(mask: Mask, scalar: &str) -> String {
    match mask.into_iter().filter(|lane| *lane).count() {
        1 => scalar.to_owned(),
        count => format!("vec{count}({scalar})"),
    }
}

/// The components of an operand that the lanes of `mask` read.
fn operand(from: &Operand, mask: Mask) -> String {
    let sign = if from.sign == Sign::Negated { "-" } else { "" };
    let letters: String = (0..4)
        .filter(|lane| mask[*lane])
        .map(|lane| letter(from.swizzle[lane]))
        .collect();
    match letters.as_str() {
        "xyzw" => format!("{sign}{}", name(from.value)),
        letters => format!("{sign}{}.{letters}", name(from.value)),
    }
}

fn lanes(mask: Mask) -> String {
    if mask == ALL_LANES {
        return String::new();
    }
    let letters: String = (0..4).filter(|lane| mask[*lane]).map(letter).collect();
    format!(".{letters}")
}

fn name(value: Value) -> String {
    match value {
        Value::Temp(index) => format!("R{index}"),
        Value::Scratch(index) => format!("H{index}"),
        Value::Attrib(index) => format!("v{index}"),
        Value::Param(index) => format!("c[{index}]"),
        Value::Immediate(index) => format!("k{index}"),
        Value::Result => "o".to_owned(),
    }
}
