//! Gives the resources of a module the numbers that they have in a text.

use super::numbers::{Numbering, Numbers};
use crate::rewriter::find_decoration;
use crate::{Resource, ResourceKind};
use glasm::Reflection;
use glasm::reflect::DescriptorSlot;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass, Word};
use std::collections::HashMap;

/// A variable that stands for a resource.
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
    module: &mut Module,
    reflection: &Reflection,
    numbering: Numbering,
) -> Vec<Resource> {
    let mut variables = variables(module);
    variables.sort_by_key(|variable| (variable.slot, variable.id));
    let mut numbers = Numbers::new(numbering, reflection);
    let mut resources = Vec::with_capacity(variables.len());
    for variable in variables {
        let number = numbers.next(variable.kind, variable.slot, variable.count);
        if numbering != Numbering::Kept {
            decorate(module, variable.id, Decoration::Binding, number);
            decorate(module, variable.id, Decoration::DescriptorSet, 0);
        }
        resources.push(Resource {
            kind: variable.kind,
            slot: variable.slot,
            name: variable.name,
            number: Some(number),
        });
    }
    resources
}

/// The buffers of transform feedback with the bytes of a vertex in them.
pub(super) fn feedback_strides(module: &Module) -> Vec<(u32, u32)> {
    let mut strides = Vec::new();
    for global in &module.types_global_values {
        let Some(id) = global
            .result_id
            .filter(|_| global.class.opcode == Op::Variable)
        else {
            continue;
        };
        let of = |decoration| literal_of(module, id, decoration);
        strides.extend(of(Decoration::XfbBuffer).zip(of(Decoration::XfbStride)));
    }
    strides.sort_unstable();
    strides.dedup();
    strides
}

fn decorate(module: &mut Module, id: Word, decoration: Decoration, value: u32) {
    for annotation in &mut module.annotations {
        let [target, kind, number] = &mut annotation.operands[..] else {
            continue;
        };
        if *target == Operand::IdRef(id) && *kind == Operand::Decoration(decoration) {
            *number = Operand::LiteralBit32(value);
        }
    }
}

/// All variables with a slot.
fn variables(module: &Module) -> Vec<Variable> {
    let globals: HashMap<Word, &Instruction> = module
        .types_global_values
        .iter()
        .filter_map(|global| Some((global.result_id?, global)))
        .collect();
    let names = names(module);
    let literal = |id, decoration| literal_of(module, id, decoration);
    let mut found = Vec::new();
    for global in &module.types_global_values {
        let (Op::Variable, Some(id)) = (global.class.opcode, global.result_id) else {
            continue;
        };
        let Some(binding) = literal(id, Decoration::Binding) else {
            continue;
        };
        // Modules for OpenGL have no sets.
        let set = literal(id, Decoration::DescriptorSet).unwrap_or(0);
        let (element, count) = element_of(&globals, global);
        let Some(kind) = kind_of(module, global, element) else {
            continue;
        };
        // Blocks are known by the names of their types.
        let named = match kind {
            ResourceKind::Uniform | ResourceKind::Storage => element.result_id.unwrap_or(id),
            ResourceKind::Texture | ResourceKind::Image => id,
        };
        found.push(Variable {
            id,
            kind,
            slot: DescriptorSlot { set, binding },
            count,
            name: names.get(&named).cloned().unwrap_or_default(),
        });
    }
    found
}

fn names(module: &Module) -> HashMap<Word, String> {
    let name = |instruction: &Instruction| match &instruction.operands[..] {
        [Operand::IdRef(id), Operand::LiteralString(name)] => Some((*id, name.clone())),
        _ => None,
    };
    module.debug_names.iter().filter_map(name).collect()
}

fn literal_of(module: &Module, id: Word, decoration: Decoration) -> Option<u32> {
    match find_decoration(module, id, decoration)? {
        [Operand::LiteralBit32(value)] => Some(*value),
        _ => None,
    }
}

/// The type of the elements of a variable, and their number.
fn element_of<'a>(
    globals: &HashMap<Word, &'a Instruction>,
    variable: &'a Instruction,
) -> (&'a Instruction, u32) {
    let referred = |operand: Option<&Operand>| {
        let id = operand.and_then(Operand::id_ref_any)?;
        globals.get(&id).copied()
    };
    let pointer = variable
        .result_type
        .and_then(|ty| globals.get(&ty).copied());
    let pointee = pointer.and_then(|pointer| referred(pointer.operands.get(1)));
    let mut element = pointee.unwrap_or(variable);
    let mut count = 1;
    while matches!(element.class.opcode, Op::TypeArray | Op::TypeRuntimeArray) {
        let len = referred(element.operands.get(1));
        count = len.and_then(literal_value).unwrap_or(count);
        match referred(element.operands.first()) {
            Some(inner) => element = inner,
            None => break,
        }
    }
    (element, count)
}

fn literal_value(constant: &Instruction) -> Option<u32> {
    match constant.operands.first() {
        Some(Operand::LiteralBit32(value)) => Some(*value),
        _ => None,
    }
}

fn kind_of(module: &Module, variable: &Instruction, element: &Instruction) -> Option<ResourceKind> {
    match variable.operands.first() {
        // Before SPIR-V 1.3 storage blocks have no class of their own.
        Some(Operand::StorageClass(StorageClass::Uniform)) if is_storage(module, element) => {
            Some(ResourceKind::Storage)
        }
        Some(Operand::StorageClass(StorageClass::Uniform)) => Some(ResourceKind::Uniform),
        Some(Operand::StorageClass(StorageClass::StorageBuffer)) => Some(ResourceKind::Storage),
        Some(Operand::StorageClass(StorageClass::UniformConstant)) => {
            Some(match element.class.opcode {
                Op::TypeSampledImage => ResourceKind::Texture,
                _ => ResourceKind::Image,
            })
        }
        _ => None,
    }
}

/// Decides whether a structure is a storage block of a module for OpenGL.
fn is_storage(module: &Module, block: &Instruction) -> bool {
    let found = |id| find_decoration(module, id, Decoration::BufferBlock);
    block.result_id.and_then(found).is_some()
}
