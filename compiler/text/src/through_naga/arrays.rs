//! Splits arrays of resources whose elements are all known: WGSL has no such arrays.

use crate::spirv_edit::{InstructionExt, ModuleEditor, Twin};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass, Word};
use std::collections::{BTreeMap, HashMap, HashSet};

const EXTENSION: &str = "arrays of resources that are indexed at run time are an extension of wgpu";

const SPLIT: &str =
    "arrays of resources are resources of their own, each at a binding one further on";

/// The storage class and the type of the elements of an array of resources.
type Array = (StorageClass, Word);

/// Replaces each array of resources by variables for the elements that are used, if none is
/// indexed at run time. The index of an element is added to the binding of the array.
///
/// # Errors
/// Fails if an element has the binding of a resource of another kind.
pub(super) fn split_arrays(editor: &mut ModuleEditor) -> Result<(), String> {
    let mut arrays = find_arrays(editor);
    if arrays.is_empty() {
        return Ok(());
    }
    let mut used: BTreeMap<(Word, u32), Word> = BTreeMap::new();
    let mut indexed: HashSet<Word> = HashSet::new();
    for instruction in editor.instructions() {
        for (index, operand) in instruction.operands.iter().enumerate() {
            if let Operand::IdRef(id) = operand
                && arrays.contains_key(id)
            {
                match find_constant_index(editor, instruction).filter(|_| index == 0) {
                    Some(element) => used.extend([((*id, element), 0)]),
                    None => indexed.extend([*id]),
                }
            }
        }
    }
    if !indexed.is_empty() {
        editor.warn(EXTENSION);
    }
    if indexed.len() < arrays.len() {
        editor.warn(SPLIT);
    }
    arrays.retain(|array, _| !indexed.contains(array));
    used.retain(|(array, _), _| arrays.contains_key(array));
    for (&(array, element), variable) in &mut used {
        *variable = resolve_element(editor, array, arrays[&array], element)?;
    }
    replace_accesses(editor, &used);
    let split: HashSet<Word> = arrays.into_keys().collect();
    let types = find_unused_types(editor, &split);
    editor.remove(&split);
    editor.remove(&types);
    Ok(())
}

/// Returns the arrays of resources by their variables.
fn find_arrays(editor: &ModuleEditor) -> HashMap<Word, Array> {
    let resources = editor.variables(&[
        StorageClass::UniformConstant,
        StorageClass::Uniform,
        StorageClass::StorageBuffer,
    ]);
    let array = |(id, class)| Some((id, (class, editor.element_of(editor.pointee(id)?)?)));
    resources.filter_map(array).collect()
}

/// Returns the types of arrays and of pointers to them if no other declaration refers to one of
/// them: naga does not accept them.
fn find_unused_types(editor: &ModuleEditor, split: &HashSet<Word>) -> HashSet<Word> {
    let pointers: HashSet<Word> = split.iter().map(|array| editor.type_of(*array)).collect();
    let arrays = split.iter().filter_map(|array| editor.pointee(*array));
    let types: HashSet<Word> = arrays.chain(pointers.iter().copied()).collect();
    let is_used = editor.module().types_global_values.iter().any(|global| {
        let is_split = |id| split.contains(&id) || pointers.contains(&id);
        let mut referred = global.ids().chain(global.result_type);
        !global.result_id.is_some_and(is_split) && referred.any(|id| types.contains(&id))
    });
    if is_used { HashSet::new() } else { types }
}

/// Returns the index of the element that an access chain points into, if it is a constant.
fn find_constant_index(editor: &ModuleEditor, instruction: &Instruction) -> Option<u32> {
    let is_chain = matches!(instruction.op(), Op::AccessChain | Op::InBoundsAccessChain);
    let index = instruction.id(1).filter(|_| is_chain)?;
    editor.constant_bits(index)
}

/// Returns the variable of an element: one that has its binding already, or a new one.
fn resolve_element(
    editor: &mut ModuleEditor,
    array: Word,
    (class, element): Array,
    index: u32,
) -> Result<Word, String> {
    let binding = |editor: &ModuleEditor, id| {
        let binding = editor.find_decoration_literal(id, Decoration::Binding)?;
        let set = editor.find_decoration_literal(id, Decoration::DescriptorSet);
        Some((set.unwrap_or(0), binding))
    };
    let (set, first) = binding(editor, array).unwrap_or((0, 0));
    let wanted = Some((set, first.wrapping_add(index)));
    let pointer = editor.intern_pointer(class, element);
    let globals = editor.module().types_global_values.iter();
    let variables = globals.filter(|global| global.op() == Op::Variable);
    let mut others = variables
        .filter_map(|it| it.result_id)
        .filter(|id| *id != array);
    if let Some(other) = others.find(|id| binding(editor, *id) == wanted) {
        return if editor.type_of(other) == pointer {
            Ok(other)
        } else {
            Err("resources of several kinds at one binding".to_owned())
        };
    }
    let operands = vec![Operand::StorageClass(class)];
    let id = editor.declare(Op::Variable, Some(pointer), operands);
    let twin = Twin {
        id,
        suffix: format!("_{index}"),
        binding_offset: index,
    };
    editor.describe_twins(&HashMap::from([(array, twin)]));
    Ok(id)
}

/// Replaces the access chains into arrays by access chains into the variables of their elements.
fn replace_accesses(editor: &mut ModuleEditor, elements: &BTreeMap<(Word, u32), Word>) {
    let mut aliases: HashMap<Word, Word> = HashMap::new();
    editor.rewrite(|code, mut instruction| {
        for operand in &mut instruction.operands {
            if let Operand::IdRef(id) = operand
                && let Some(variable) = aliases.get(id)
            {
                *id = *variable;
            }
        }
        let element = instruction
            .id(0)
            .zip(find_constant_index(code.editor, &instruction));
        let Some(&variable) = element.and_then(|element| elements.get(&element)) else {
            return code.keep(instruction);
        };
        if instruction.operands.len() == 2 {
            aliases.extend(instruction.result_id.map(|id| (id, variable)));
        } else {
            instruction.operands.remove(1);
            instruction.operands[0] = Operand::IdRef(variable);
            code.keep(instruction);
        }
    });
}
