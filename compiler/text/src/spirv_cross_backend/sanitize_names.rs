//! Names of results, and names that languages could misunderstand.

use crate::spirv_edit::{InstructionExt, ModuleEditor};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Keywords, reserved words, types and functions of GLSL, HLSL and MSL that users give as names to
/// their registers. SPIRV-Cross knows more of each language, but not all of these.
static RESERVED_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "\
    abs active all any asm asuint atomic attribute auto bool break buffer case cast ceil centroid \
    char clamp class coherent common compile const constant continue cos cross default degrees \
    device discard distance do dot double else enum equal exp exp2 export extern external false \
    filter fixed flat float floor fma for fract fragment fwidth goto half highp if in inline inout \
    input int interface invariant inverse isinf isnan kernel layout length lerp line lit log log2 \
    long lowp main matrix max mediump metal min mix mod mul namespace new noinline noise \
    noperspective normalize not out output packoffset partition pass patch point pow precise \
    precision private public radians ray_data rcp readonly reflect refract register resource \
    restrict return round rsqrt sample sampler saturate shared short sign signed sin sincos sizeof \
    smooth smoothstep sqrt stage static step string struct subroutine superp switch tan tanh \
    technique template texture this thread threadgroup transpose triangle true trunc typedef uint \
    ulong uniform union unsigned using varying vector vertex void volatile while writeonly"
        .split_ascii_whitespace()
        .collect()
});

/// Changes the debug names of a module that a language could misunderstand or that it reserves.
pub(super) fn sanitize_names(editor: &mut ModuleEditor) {
    let names = editor.names_mut().iter_mut();
    for operand in names.flat_map(|name| &mut name.operands) {
        if let Operand::LiteralString(name) = operand {
            *name = sanitize_name(name);
        }
    }
}

/// Returns the name with one underscore at a time and none at its ends, other characters being
/// replaced by underscores; with a prefix or suffix if it is empty, begins with a digit, or is
/// reserved.
fn sanitize_name(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    for character in name.chars() {
        let character = if character.is_ascii_alphanumeric() {
            character
        } else {
            '_'
        };
        if character != '_' || !(text.is_empty() || text.ends_with('_')) {
            text.push(character);
        }
    }
    while text.ends_with('_') {
        text.pop();
    }
    let lower = text.to_ascii_lowercase();
    if text.is_empty() || text.starts_with(|first: char| first.is_ascii_digit()) {
        text.insert_str(0, "r_");
    } else if lower.starts_with("gl_") || lower.starts_with("spv") || is_type_name(&lower) {
        text.insert_str(0, "my_");
    } else if RESERVED_WORDS.contains(lower.as_str()) {
        text.push_str("_value");
    }
    text
}

/// Returns true if an identifier in lower case has the form of a type in one of the languages:
/// that of a vector, matrix or sized scalar (`vec4`, `mat3x4`, `float16_t2`), or of a sampler,
/// texture or image (`sampler2d...`). More identifiers have it than there are types.
fn is_type_name(word: &str) -> bool {
    let ends_in_number = word.ends_with(|last: char| last.is_ascii_digit());
    let vector = [
        "vec", "ivec", "uvec", "bvec", "dvec", "mat", "dmat", "float", "int", "uint", "half",
        "bool", "double",
    ];
    let opaque = [
        "sampler",
        "isampler",
        "usampler",
        "texture",
        "itexture",
        "utexture",
        "image",
        "iimage",
        "uimage",
        "rwtexture",
    ];
    let strip_type = |prefix: &&str| word.strip_prefix(*prefix).map(str::to_owned);
    ends_in_number
        && vector.iter().filter_map(strip_type).any(|suffix| {
            suffix
                .chars()
                .all(|c| c.is_ascii_digit() || c == 'x' || c == '_' || c == 't')
        })
        || opaque.iter().filter_map(strip_type).any(|suffix| {
            let mut characters = suffix.chars();
            characters.next().is_some_and(|c| ('1'..='3').contains(&c))
                && characters.next() == Some('d')
        })
}

/// Names components `tint_x`, and values that are constructed from parts after the first of them
/// that has a name: it is the same variable of the source with other components.
pub(super) fn name_components(editor: &mut ModuleEditor) {
    editor.name_results(|_, instruction, names| infer_name(instruction, names));
}

/// Returns the name of the result of an instruction that extracts, inserts or combines components
/// of named values; `None` for other instructions and unnamed operands.
fn infer_name(instruction: &Instruction, names: &HashMap<Word, String>) -> Option<String> {
    match (instruction.op(), &instruction.operands[..]) {
        (Op::CompositeExtract, [Operand::IdRef(whole), Operand::LiteralBit32(index)]) => {
            let suffix = ["x", "y", "z", "w"].get(*index as usize)?;
            Some(format!("{}_{suffix}", names.get(whole)?))
        }
        (Op::CompositeInsert, _) => names.get(&instruction.id_operand(1)?).cloned(),
        (Op::CompositeConstruct | Op::VectorShuffle, _) => instruction
            .id_operands()
            .find_map(|part| names.get(&part).cloned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_plain() {
        for (name, expected) in [
            ("tint", "tint"),
            ("half", "half_value"),
            ("Out", "Out_value"),
            ("a__b", "a_b"),
            ("_a$", "a"),
            ("$", "r_"),
            ("gl_Position", "my_gl_Position"),
            ("vec4", "my_vec4"),
            ("texture0", "texture0"),
            ("texture2D", "my_texture2D"),
            ("texture2_shadow", "texture2_shadow"),
            ("3", "r_3"),
        ] {
            assert_eq!(sanitize_name(name), expected);
        }
    }

    fn instruction(op: Op, operands: Vec<Operand>) -> Instruction {
        Instruction::new(op, Some(1), Some(9), operands)
    }

    #[test]
    fn parts_have_the_name_of_the_whole() {
        let names = HashMap::from([(5, "tint".to_owned())]);
        let name = |op, operands| infer_name(&instruction(op, operands), &names);
        let part = |index| vec![Operand::IdRef(5), Operand::LiteralBit32(index)];
        assert_eq!(
            name(Op::CompositeExtract, part(3)).as_deref(),
            Some("tint_w")
        );
        assert_eq!(name(Op::CompositeExtract, part(4)), None);
        let both = vec![Operand::IdRef(4), Operand::IdRef(5)];
        assert_eq!(
            name(Op::CompositeInsert, both.clone()).as_deref(),
            Some("tint")
        );
        assert_eq!(
            name(Op::CompositeConstruct, both.clone()).as_deref(),
            Some("tint")
        );
        assert_eq!(name(Op::FAdd, both), None);
    }
}
