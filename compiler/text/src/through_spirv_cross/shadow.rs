//! Comparisons with shadow textures for which SPIRV-Cross writes functions that GLSL does not have.
//!
//! Coordinates of comparisons with one-dimensional textures: GLSL wants three components of which the second counts for nothing, and
//! SPIRV-Cross writes two.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Dim, ExecutionModel, ImageOperands, Op, Word};
use std::collections::{HashMap, HashSet};

/// Names of the variables that are such textures, or arrays of them.
pub(super) fn one_dimensional_shadows(module: &Module) -> Vec<String> {
    let mut shadow: HashMap<Word, ()> = HashMap::new();
    let mut variables = Vec::new();
    for global in &module.types_global_values {
        let Some(id) = global.result_id else { continue };
        let refers = |index: usize| {
            let operand = global.operands.get(index);
            operand
                .and_then(Operand::id_ref_any)
                .is_some_and(|it| shadow.contains_key(&it))
        };
        let is_shadow = match global.class.opcode {
            Op::TypeImage => {
                global.operands.get(1) == Some(&Operand::Dim(Dim::Dim1D))
                    && global.operands.get(2) == Some(&Operand::LiteralBit32(1))
                    && global.operands.get(3) == Some(&Operand::LiteralBit32(0))
            }
            Op::TypeSampledImage | Op::TypeArray | Op::TypeRuntimeArray => refers(0),
            Op::TypePointer => refers(1),
            Op::Variable => global
                .result_type
                .is_some_and(|ty| shadow.contains_key(&ty)),
            _ => false,
        };
        if is_shadow {
            shadow.insert(id, ());
            if global.class.opcode == Op::Variable {
                variables.push(id);
            }
        }
    }
    let named = module
        .debug_names
        .iter()
        .filter_map(|name| match &name.operands[..] {
            [Operand::IdRef(id), Operand::LiteralString(text)] if variables.contains(id) => {
                Some(text.clone())
            }
            _ => None,
        });
    named.collect()
}

/// Compares with cube map arrays at the base level by `texture()`: GLSL has no overloads of `textureLod` and `textureGrad` for them, and without
/// implicit derivatives `texture()` accesses the base level.
pub(super) fn sample_base_level(module: &mut Module) {
    let mut entries = module.entry_points.iter();
    let fragment = Operand::ExecutionModel(ExecutionModel::Fragment);
    if entries.any(|entry| entry.operands.first() == Some(&fragment)) {
        return;
    }
    let mut types = HashSet::new();
    let mut zeros = HashSet::new();
    for global in &module.types_global_values {
        let is_it = match (global.class.opcode, &global.operands[..]) {
            (
                Op::TypeImage,
                [
                    _,
                    Operand::Dim(Dim::DimCube),
                    Operand::LiteralBit32(1),
                    Operand::LiteralBit32(1),
                    ..,
                ],
            ) => true,
            (Op::TypeSampledImage, [Operand::IdRef(image)]) => types.contains(image),
            (Op::Constant, [Operand::LiteralBit32(0)]) => {
                zeros.extend(global.result_id);
                false
            }
            _ => false,
        };
        if is_it {
            types.extend(global.result_id);
        }
    }
    if types.is_empty() {
        return;
    }
    let values: HashSet<Word> = module
        .all_inst_iter()
        .filter(|value| value.result_type.is_some_and(|ty| types.contains(&ty)))
        .filter_map(|value| value.result_id)
        .collect();
    let blocks = module.functions.iter_mut().flat_map(|it| &mut it.blocks);
    for access in blocks.flat_map(|block| &mut block.instructions) {
        let is_base = match access.operands[..] {
            [
                Operand::IdRef(image),
                _,
                _,
                Operand::ImageOperands(ImageOperands::LOD),
                Operand::IdRef(level),
            ] => values.contains(&image) && zeros.contains(&level),
            _ => false,
        };
        if is_base && access.class.opcode == Op::ImageSampleDrefExplicitLod {
            let operands = access.operands[..3].to_vec();
            let (ty, id) = (access.result_type, access.result_id);
            *access = Instruction::new(Op::ImageSampleDrefImplicitLod, ty, id, operands);
        }
    }
}

/// Puts a component between coordinate and reference wherever one of these textures is accessed.
pub(super) fn widen_coordinates(text: &str, names: &[String]) -> String {
    let mut text = text.to_owned();
    for name in names {
        let mut from = 0;
        while let Some(found) = text[from..].find(name.as_str()) {
            let end = from + found + name.len();
            from = end;
            let Some(open) = start_of_vec2(&text[end..]) else {
                continue;
            };
            let open = end + open;
            if let Some(comma) = last_comma(&text[open..]) {
                let number = open - 2;
                text.insert_str(open + comma, ", 0.0");
                text.replace_range(number..number + 1, "3");
            }
        }
    }
    text
}

/// Where the arguments of `vec2(` begin, which is what follows an array index, if any, and a comma.
fn start_of_vec2(rest: &str) -> Option<usize> {
    let after_index = match rest.strip_prefix('[') {
        Some(index) => 1 + closing(index)? + 1,
        None => 0,
    };
    let start = ", vec2(";
    rest[after_index..]
        .starts_with(start)
        .then_some(after_index + start.len())
}

/// The bracket that closes what is open at the start.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (place, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return Some(place),
            ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The last comma before the closing bracket that is in no other bracket.
fn last_comma(text: &str) -> Option<usize> {
    let end = closing(text)?;
    let mut depth = 0;
    let mut last = None;
    for (place, character) in text[..end].char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => last = Some(place),
            _ => {}
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_get_a_component() {
        let names = ["t".to_owned()];
        for (text, expected) in [
            (
                "texture(t, vec2(f(a, b), min(c, d)))",
                "texture(t, vec3(f(a, b), 0.0, min(c, d)))",
            ),
            (
                "textureLod(t[g(1)], vec2(x, y), 2.0) + texture(t, vec2(x, y))",
                "textureLod(t[g(1)], vec3(x, 0.0, y), 2.0) + texture(t, vec3(x, 0.0, y))",
            ),
            ("textureSize(t, 0)", "textureSize(t, 0)"),
            ("texture(t, vec2(", "texture(t, vec2("),
        ] {
            assert_eq!(widen_coordinates(text, &names), expected);
        }
    }
}
