//! GLSL whose compilers do not transform expressions: the qualifier `precise` excludes rules that
//! hold for numbers and not for NaN, infinities and signed zeros, such as `a > b ? b : a` as
//! `min(a, b)` or `x * 0` as `0` (GLSL 4.00 section 4.9).
//!
//! GLSL has it from 4.00 on, and before with `GL_ARB_gpu_shader5`, which older versions require.

use std::fmt::Write as _;

/// Types of variables whose expressions are affected: floats, and results of comparisons of floats.
const TYPES: [&str; 12] = [
    "float", "vec2", "vec3", "vec4", "double", "dvec2", "dvec3", "dvec4", "bool", "bvec2", "bvec3",
    "bvec4",
];

/// Lines after that of the version where the language does not have the qualifier.
const COMPATIBILITY_HEADER: &str = "#extension GL_ARB_gpu_shader5 : enable
#ifdef GL_ARB_gpu_shader5
#define GLASM_PRECISE precise
#define GLASM_PRECISE_OUTPUT(name) precise name;
#else
#define GLASM_PRECISE
#define GLASM_PRECISE_OUTPUT(name)
#endif
";

/// Returns a source in this version of GLSL with its variables and outputs of floats declared as
/// precise; before 4.00 by macros, which are defined after the line of the version.
pub(super) fn qualify_precise(text: &str, version: u32) -> String {
    let is_old = version < 400;
    let word = if is_old { "GLASM_PRECISE" } else { "precise" };
    let mut written = String::with_capacity(text.len() + text.len() / 8);
    let mut outputs = Vec::new();
    let (mut is_in_function, mut follows_head) = (false, false);
    for line in text.lines() {
        let is_head = line.ends_with(')') && line.starts_with(|it: char| it.is_ascii_alphabetic());
        if is_head {
            for output in outputs.drain(..) {
                let _ = if is_old {
                    writeln!(written, "GLASM_PRECISE_OUTPUT({output})")
                } else {
                    writeln!(written, "precise {output};")
                };
            }
        }
        is_in_function |= follows_head && line == "{";
        is_in_function &= line != "}";
        follows_head = is_head;
        let own = line.trim_start();
        let is_global = own.len() == line.len();
        if (is_in_function || is_global) && is_variable_declaration(own, is_global) {
            let indent = &line[..line.len() - own.len()];
            let _ = writeln!(written, "{indent}{word} {own}");
        } else {
            let _ = writeln!(written, "{line}");
        }
        outputs.extend(parse_output_declaration(line));
        if is_old && line.starts_with("#version") {
            written.push_str(COMPATIBILITY_HEADER);
        }
    }
    written
}

/// Returns true if a line declares a variable of one of the types of [`TYPES`]; function
/// declarations at global scope do not.
fn is_variable_declaration(line: &str, is_global: bool) -> bool {
    let Some((ty, rest)) = line.split_once(' ') else {
        return false;
    };
    let is_declaration =
        rest.ends_with(';') && rest.starts_with(|it: char| it.is_alphabetic() || it == '_');
    TYPES.contains(&ty) && is_declaration && !(is_global && rest.contains('('))
}

/// Returns the name of the float output that a line of GLSL declares; `None` for other lines and
/// for arrays.
fn parse_output_declaration(line: &str) -> Option<&str> {
    let mut words = line.strip_suffix(';')?.split(' ');
    words.by_ref().find(|word| *word == "out")?;
    let (ty, name) = (words.next()?, words.next()?);
    let is_plain = TYPES.contains(&ty) && !name.contains('[') && words.next().is_none();
    is_plain.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#version 400

layout(std140) uniform P
{
    vec4 env;
} params;

vec4 held;
layout(location = 0) flat out vec4 color;
out uint number;

float f(float x)
{
    float y = x;
    return y;
}

void main()
{
    bvec4 _1 = greaterThan(held, params.env);
    {
        vec4 R0[2];
    }
    color = f(1.0) * held;
}
";

    #[test]
    fn variables_and_outputs_are_precise() {
        let wanted = TEXT
            .replace("vec4 held", "precise vec4 held")
            .replace("\nfloat f", "\nprecise color;\nfloat f")
            .replace("float y", "precise float y")
            .replace("bvec4 _1", "precise bvec4 _1")
            .replace("vec4 R0", "precise vec4 R0");
        assert_eq!(qualify_precise(TEXT, 400), wanted);
    }

    #[test]
    fn older_texts_ask_for_the_word() {
        let text = qualify_precise(
            "#version 330\nout vec4 c;\nvoid main()\n{\n    float x;\n}\n",
            330,
        );
        let wanted = format!(
            "#version 330\n{COMPATIBILITY_HEADER}out vec4 c;\nGLASM_PRECISE_OUTPUT(c)\nvoid main()\n{{\n    GLASM_PRECISE float x;\n}}\n"
        );
        assert_eq!(text, wanted);
    }
}
