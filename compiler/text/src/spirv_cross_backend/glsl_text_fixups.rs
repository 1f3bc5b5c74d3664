//! Comparisons with shadow textures for which SPIRV-Cross writes functions that GLSL does not have.
//!
//! Coordinates of comparisons with one-dimensional textures: GLSL has three components of which the
//! second is ignored, and SPIRV-Cross writes two.

use crate::spirv_edit::{ImageType, InstructionExt, ModuleEditor};
use rspirv::dr::Operand;
use rspirv::spirv::{Dim, ExecutionModel, ImageOperands, Op, StorageClass, Word};
use std::collections::HashSet;

/// Returns the names of the variables that are one-dimensional shadow textures, or arrays of them.
pub(super) fn collect_1d_shadow_textures(editor: &ModuleEditor) -> Vec<String> {
    let is_shadow =
        |image: &ImageType| image.dim == Dim::Dim1D && image.is_depth && !image.is_arrayed;
    let types = editor.find_image_types(is_shadow);
    let mut textures: HashSet<Word> = HashSet::new();
    for (id, _) in editor.iter_variables(&[StorageClass::UniformConstant]) {
        let ty = editor.pointee_type(id).unwrap_or_default();
        if types.contains_key(&editor.array_element_type(ty).unwrap_or(ty)) {
            textures.insert(id);
        }
    }
    let names = editor.module().debug_names.iter();
    let named = names.filter_map(|name| match &name.operands[..] {
        [Operand::IdRef(id), Operand::LiteralString(name)] if textures.contains(id) => {
            Some(name.clone())
        }
        _ => None,
    });
    named.collect()
}

/// Replaces comparisons with cube map arrays at the base level by `texture()`, except in fragment
/// programs: GLSL has no overloads of `textureLod` and `textureGrad` for them, and without implicit
/// derivatives `texture()` accesses the base level.
pub(super) fn lower_base_level_comparisons(editor: &mut ModuleEditor) {
    let compares = editor.has_op(&[Op::ImageSampleDrefExplicitLod]);
    if !compares || editor.has_execution_model(&[ExecutionModel::Fragment]) {
        return;
    }
    let types = editor
        .find_image_types(|image| image.dim == Dim::DimCube && image.is_depth && image.is_arrayed);
    editor.rewrite_instructions(|code, access| match access.operands[..] {
        [
            Operand::IdRef(image),
            _,
            _,
            Operand::ImageOperands(ImageOperands::LOD),
            Operand::IdRef(level),
        ] if access.op() == Op::ImageSampleDrefExplicitLod
            && types.contains_key(&code.editor.type_of(image))
            && code.editor.constant_bits(level) == Some(0) =>
        {
            let operands = access.operands[..3].to_vec();
            code.replace_with_op(&access, Op::ImageSampleDrefImplicitLod, operands);
        }
        _ => code.emit_unchanged(access),
    });
}

/// Inserts a zero between coordinate and reference of the accesses to the one-dimensional shadow
/// textures `names` in a GLSL source.
pub(super) fn widen_1d_shadow_coordinates(text: &str, names: &[String]) -> String {
    let mut text = text.to_owned();
    for name in names {
        let mut from = 0;
        while let Some(found) = text[from..].find(name.as_str()) {
            let end = from + found + name.len();
            from = end;
            let Some(open) = find_vec2_arguments(&text[end..]) else {
                continue;
            };
            let open = end + open;
            if let Some(comma) = find_last_comma(&text[open..]) {
                let number = open - 2;
                text.insert_str(open + comma, ", 0.0");
                text.replace_range(number..number + 1, "3");
            }
        }
    }
    text
}

/// Returns the offset of the arguments of `, vec2(`, with which `rest` begins after an optional
/// array index; `None` if it does not.
fn find_vec2_arguments(rest: &str) -> Option<usize> {
    let after_index = match rest.strip_prefix('[') {
        Some(index) => 1 + find_closing_bracket(index)? + 1,
        None => 0,
    };
    let start = ", vec2(";
    rest[after_index..]
        .starts_with(start)
        .then_some(after_index + start.len())
}

/// Returns the position of the bracket that closes the one preceding `text`; `None` if it is
/// missing.
fn find_closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (position, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return Some(position),
            ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the position of the last comma before the closing bracket that is in no other bracket;
/// `None` without a comma or a closing bracket.
fn find_last_comma(text: &str) -> Option<usize> {
    let end = find_closing_bracket(text)?;
    let mut depth = 0;
    let mut last = None;
    for (position, character) in text[..end].char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => last = Some(position),
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
            assert_eq!(widen_1d_shadow_coordinates(text, &names), expected);
        }
    }
}
