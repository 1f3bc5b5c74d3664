//! Numbers of the resources of a module in the language that is written.

use super::numbers::{Numbering, Numbers};
use crate::spirv_edit::{InstructionExt, ModuleEditor};
use crate::{Resource, ResourceKind};
use glasm::Reflection;
use glasm::reflect::DescriptorSlot;
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Op, StorageClass, Word};
use std::collections::HashMap;

/// A variable that is a resource.
#[derive(Clone, Debug)]
struct Variable {
    id: Word,
    kind: ResourceKind,
    slot: DescriptorSlot,
    count: u32,
    name: String,
}

/// Numbers the resources in the decorations of the module and lists them.
pub(super) fn number_resources(
    editor: &mut ModuleEditor,
    reflection: &Reflection,
    numbering: Numbering,
) -> Vec<Resource> {
    let mut variables = find_resources(editor);
    variables.sort_by_key(|variable| (variable.slot, variable.id));
    let mut numbers = Numbers::new(numbering, reflection);
    let mut bindings = HashMap::new();
    let mut resources = Vec::with_capacity(variables.len());
    for variable in variables {
        let number = numbers.next(variable.kind, variable.slot, variable.count);
        bindings.insert(variable.id, number);
        resources.push(Resource {
            kind: variable.kind,
            slot: variable.slot,
            name: variable.name,
            number: Some(number),
        });
    }
    if numbering != Numbering::Kept {
        bind_variables(editor, &bindings);
    }
    resources
}

/// Moves variables to bindings of set 0.
fn bind_variables(editor: &mut ModuleEditor, bindings: &HashMap<Word, u32>) {
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

/// Returns the buffers of transform feedback with the bytes of a vertex in them.
pub(super) fn collect_feedback_strides(editor: &ModuleEditor) -> Vec<(u32, u32)> {
    let outputs = editor.variables(&[StorageClass::Output]);
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

/// Returns all variables with a binding.
fn find_resources(editor: &ModuleEditor) -> Vec<Variable> {
    let names = editor.names();
    let classes = [
        StorageClass::Uniform,
        StorageClass::StorageBuffer,
        StorageClass::UniformConstant,
    ];
    let resource = |(id, class)| {
        let binding = editor.find_decoration_literal(id, Decoration::Binding)?;
        // Modules for OpenGL have no sets.
        let set = editor.find_decoration_literal(id, Decoration::DescriptorSet);
        let (element, count) = resolve_element(editor, id)?;
        let kind = get_kind(editor, class, element)?;
        // Blocks are known by the names of their types.
        let named = match kind {
            ResourceKind::Uniform | ResourceKind::Storage => element,
            ResourceKind::Texture | ResourceKind::Image => id,
        };
        Some(Variable {
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
    editor.variables(&classes).filter_map(resource).collect()
}

/// Returns the type of the elements of a variable, and their count.
fn resolve_element(editor: &ModuleEditor, variable: Word) -> Option<(Word, u32)> {
    let mut ty = editor.pointee(variable)?;
    let mut count = 1;
    while let Some(element) = editor.element_of(ty) {
        let length = editor.find_definition(ty).and_then(|array| array.id(1));
        let length = length.and_then(|length| editor.constant_bits(length));
        count = length.unwrap_or(count);
        ty = element;
    }
    Some((ty, count))
}

fn get_kind(editor: &ModuleEditor, class: StorageClass, element: Word) -> Option<ResourceKind> {
    let is_combined = |ty: &rspirv::dr::Instruction| ty.op() == Op::TypeSampledImage;
    match class {
        // Before SPIR-V 1.3 storage blocks have the class of uniform blocks.
        StorageClass::Uniform if editor.is_decorated(element, Decoration::BufferBlock) => {
            Some(ResourceKind::Storage)
        }
        StorageClass::Uniform => Some(ResourceKind::Uniform),
        StorageClass::StorageBuffer => Some(ResourceKind::Storage),
        StorageClass::UniformConstant
            if editor.find_definition(element).is_some_and(is_combined) =>
        {
            Some(ResourceKind::Texture)
        }
        StorageClass::UniformConstant => Some(ResourceKind::Image),
        _ => None,
    }
}
