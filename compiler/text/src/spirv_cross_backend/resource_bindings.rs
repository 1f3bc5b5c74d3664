//! Numbers of the resources of a module in the language that is written.

use crate::resource_numbers::{NumberAllocator, Numbering};
use crate::spirv_edit::{InstructionExt, ModuleEditor};
use crate::{Resource, ResourceKind};
use glasm::Reflection;
use glasm::reflect::DescriptorSlot;
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Op, StorageClass, Word};
use std::collections::HashMap;

/// A variable that is a resource.
#[derive(Clone, Debug)]
struct ResourceVariable {
    id: Word,
    kind: ResourceKind,
    slot: DescriptorSlot,
    count: u32,
    name: String,
}

/// Assigns numbers to the resources in the order of their slots, writes them to the decorations of
/// the module, unless those are the numbers, and returns the resources.
pub(super) fn assign_resource_numbers(
    editor: &mut ModuleEditor,
    reflection: &Reflection,
    numbering: Numbering,
) -> Vec<Resource> {
    let mut variables = collect_resource_variables(editor);
    variables.sort_by_key(|variable| (variable.slot, variable.id));
    let mut numbers = NumberAllocator::new(numbering, reflection);
    let mut bindings = HashMap::new();
    let mut resources = Vec::with_capacity(variables.len());
    for variable in variables {
        let number = numbers.allocate(variable.kind, variable.slot, variable.count);
        bindings.insert(variable.id, number);
        resources.push(Resource {
            kind: variable.kind,
            slot: variable.slot,
            name: variable.name,
            binding_number: Some(number),
        });
    }
    if numbering != Numbering::AsInModule {
        rewrite_bindings(editor, &bindings);
    }
    resources
}

/// Changes the decorations of the variables in `bindings` to these bindings, and their sets to 0.
fn rewrite_bindings(editor: &mut ModuleEditor, bindings: &HashMap<Word, u32>) {
    for annotation in editor.annotations_mut() {
        if let [
            Operand::IdRef(target),
            Operand::Decoration(decoration),
            Operand::LiteralBit32(number),
        ] = &mut annotation.operands[..]
            && let Some(binding) = bindings.get(target)
        {
            match decoration {
                Decoration::Binding => *number = *binding,
                Decoration::DescriptorSet => *number = 0,
                _ => {}
            }
        }
    }
}

/// Returns the buffers of transform feedback with the bytes of a vertex in them, in ascending
/// order, each once.
pub(super) fn collect_xfb_strides(editor: &ModuleEditor) -> Vec<(u32, u32)> {
    let outputs = editor.iter_variables(&[StorageClass::Output]);
    let stride = |(id, _)| {
        let buffer = editor.find_decoration_literal(id, Decoration::XfbBuffer)?;
        Some((
            buffer,
            editor.find_decoration_literal(id, Decoration::XfbStride)?,
        ))
    };
    let mut strides: Vec<_> = outputs.filter_map(stride).collect();
    strides.sort_unstable();
    strides.dedup();
    strides
}

/// Returns all resource variables with a binding: kind, slot, array length and name, for buffers
/// that of the type. The set is 0 if a module has none.
fn collect_resource_variables(editor: &ModuleEditor) -> Vec<ResourceVariable> {
    let names = editor.collect_names();
    let classes = [
        StorageClass::Uniform,
        StorageClass::StorageBuffer,
        StorageClass::UniformConstant,
    ];
    let resource = |(id, class)| {
        let binding = editor.find_decoration_literal(id, Decoration::Binding)?;
        // Modules for OpenGL have no sets.
        let set = editor.find_decoration_literal(id, Decoration::DescriptorSet);
        let (element, count) = peel_array_type(editor, id)?;
        let kind = get_resource_kind(editor, class, element)?;
        // Blocks are known by the names of their types.
        let named = match kind {
            ResourceKind::UniformBuffer | ResourceKind::StorageBuffer => element,
            ResourceKind::Texture | ResourceKind::Image => id,
        };
        Some(ResourceVariable {
            id,
            kind,
            slot: DescriptorSlot {
                set: set.unwrap_or(0),
                binding,
            },
            count,
            name: names.get(&named).copied().unwrap_or_default().to_owned(),
        })
    };
    editor
        .iter_variables(&classes)
        .filter_map(resource)
        .collect()
}

/// Returns the type that remains after all array levels of a variable are removed, and the number of
/// its descriptors: the product of the lengths, in which a length that is no constant is 1. Returns
/// `None` if the id is no pointer.
///
/// Resources of modules from glasm have at most one level; each element of an array of arrays would
/// take a separate number.
fn peel_array_type(editor: &ModuleEditor, variable: Word) -> Option<(Word, u32)> {
    let mut ty = editor.pointee_type(variable)?;
    let mut count = 1_u32;
    while let Some(element) = editor.array_element_type(ty) {
        let length = editor.find_global(ty).and_then(|array| array.id_operand(1));
        let length = length.and_then(|length| editor.constant_bits(length));
        count = count.saturating_mul(length.unwrap_or(1));
        ty = element;
    }
    Some((ty, count))
}

/// Returns the kind of a variable from its storage class and the type of its elements; `None` for a
/// storage class without resources.
fn get_resource_kind(
    editor: &ModuleEditor,
    class: StorageClass,
    element: Word,
) -> Option<ResourceKind> {
    let is_combined = |ty: &rspirv::dr::Instruction| ty.op() == Op::TypeSampledImage;
    match class {
        // Before SPIR-V 1.3 storage blocks have the class of uniform blocks.
        StorageClass::Uniform if editor.is_decorated(element, Decoration::BufferBlock) => {
            Some(ResourceKind::StorageBuffer)
        }
        StorageClass::Uniform => Some(ResourceKind::UniformBuffer),
        StorageClass::StorageBuffer => Some(ResourceKind::StorageBuffer),
        StorageClass::UniformConstant if editor.find_global(element).is_some_and(is_combined) => {
            Some(ResourceKind::Texture)
        }
        StorageClass::UniformConstant => Some(ResourceKind::Image),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rspirv::dr::Builder;

    #[test]
    fn arrays_of_arrays_have_the_descriptors_of_all_levels() {
        let mut builder = Builder::new();
        let uint = builder.type_int(32, 0);
        let [two, three] = [2, 3].map(|length| builder.constant_bit32(uint, length));
        let pair = builder.type_array(uint, two);
        let pairs = builder.type_array(pair, three);
        let list = builder.type_runtime_array(pair);
        let class = StorageClass::UniformConstant;
        let variables = [uint, pair, pairs, list].map(|ty| {
            let pointer = builder.type_pointer(None, class, ty);
            builder.variable(pointer, None, class, None)
        });
        let editor = ModuleEditor::new(builder.module());

        let counts = variables.map(|variable| peel_array_type(&editor, variable));
        assert_eq!(counts, [1, 2, 6, 2].map(|count| Some((uint, count))));
        assert_eq!(peel_array_type(&editor, uint), None);
    }
}
