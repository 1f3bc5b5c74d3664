//! Splits arrays of resources whose elements are all known: WGSL has no such arrays.

use crate::spirv_edit::{Companion, InstructionExt, ModuleEditor};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass, Word};
use std::collections::{BTreeMap, HashMap, HashSet};

const DYNAMIC_INDEX_WARNING: &str =
    "arrays of resources that are indexed at run time are an extension of wgpu";

const SPLIT_WARNING: &str =
    "elements of resource arrays are separate resources at consecutive bindings";

/// The storage class and the type of the elements of an array of resources.
type ResourceArray = (StorageClass, Word);

/// Replaces each array of resources that is not dynamically indexed by variables for the elements
/// that are used. The index of an element is added to the binding of the array. Records both as
/// differences from the program.
///
/// # Errors
/// Fails if an element has the binding of a resource of another kind.
pub(super) fn split_resource_arrays(editor: &mut ModuleEditor) -> Result<(), String> {
    let mut arrays = find_resource_arrays(editor);
    if arrays.is_empty() {
        return Ok(());
    }
    let mut used_elements: BTreeMap<(Word, u32), Word> = BTreeMap::new();
    let mut dynamically_indexed: HashSet<Word> = HashSet::new();
    for instruction in editor.instructions() {
        for (index, operand) in instruction.operands.iter().enumerate() {
            if let Operand::IdRef(id) = operand
                && arrays.contains_key(id)
            {
                match find_constant_index(editor, instruction).filter(|_| index == 0) {
                    Some(element) => used_elements.extend([((*id, element), 0)]),
                    None => dynamically_indexed.extend([*id]),
                }
            }
        }
    }
    if !dynamically_indexed.is_empty() {
        editor.record_difference(DYNAMIC_INDEX_WARNING);
    }
    if dynamically_indexed.len() < arrays.len() {
        editor.record_difference(SPLIT_WARNING);
    }
    arrays.retain(|array, _| !dynamically_indexed.contains(array));
    used_elements.retain(|(array, _), _| arrays.contains_key(array));
    for (&(array, element), variable) in &mut used_elements {
        *variable = resolve_element_variable(editor, array, arrays[&array], element)?;
    }
    replace_element_accesses(editor, &used_elements);
    let split: HashSet<Word> = arrays.into_keys().collect();
    let types = find_unused_array_types(editor, &split);
    editor.remove_globals(&split);
    editor.remove_globals(&types);
    Ok(())
}

/// Returns the variables that are arrays of resources, with their storage classes and element
/// types, by id.
fn find_resource_arrays(editor: &ModuleEditor) -> HashMap<Word, ResourceArray> {
    let resources = editor.iter_variables(&[
        StorageClass::UniformConstant,
        StorageClass::Uniform,
        StorageClass::StorageBuffer,
    ]);
    let array = |(id, class)| {
        Some((
            id,
            (class, editor.array_element_type(editor.pointee_type(id)?)?),
        ))
    };
    resources.filter_map(array).collect()
}

/// Returns the types of the arrays `split` and of the pointers to them; none if another declaration
/// refers to one of them: naga does not accept unused ones.
fn find_unused_array_types(editor: &ModuleEditor, split: &HashSet<Word>) -> HashSet<Word> {
    let pointers: HashSet<Word> = split.iter().map(|array| editor.type_of(*array)).collect();
    let arrays = split.iter().filter_map(|array| editor.pointee_type(*array));
    let types: HashSet<Word> = arrays.chain(pointers.iter().copied()).collect();
    let is_used = editor.module().types_global_values.iter().any(|global| {
        let is_split = |id| split.contains(&id) || pointers.contains(&id);
        let mut referred = global.id_operands().chain(global.result_type);
        !global.result_id.is_some_and(is_split) && referred.any(|id| types.contains(&id))
    });
    if is_used { HashSet::new() } else { types }
}

/// Returns the index of the element that an access chain points into, if it is a constant; `None`
/// for other instructions.
fn find_constant_index(editor: &ModuleEditor, instruction: &Instruction) -> Option<u32> {
    let is_chain = matches!(instruction.op(), Op::AccessChain | Op::InBoundsAccessChain);
    let index = instruction.id_operand(1).filter(|_| is_chain)?;
    editor.constant_bits(index)
}

/// Returns the variable of an element: one that has its binding already, or a new one with the
/// decorations of the array. Fails if the former is of another type.
fn resolve_element_variable(
    editor: &mut ModuleEditor,
    array: Word,
    (class, element): ResourceArray,
    index: u32,
) -> Result<Word, String> {
    let binding = |editor: &ModuleEditor, id| {
        let binding = editor.find_decoration_literal(id, Decoration::Binding)?;
        let set = editor.find_decoration_literal(id, Decoration::DescriptorSet);
        Some((set.unwrap_or(0), binding))
    };
    let (set, first) = binding(editor, array).unwrap_or((0, 0));
    let element_binding = Some((set, first.wrapping_add(index)));
    let pointer = editor.intern_pointer(class, element);
    let globals = editor.module().types_global_values.iter();
    let variables = globals.filter(|global| global.op() == Op::Variable);
    let mut others = variables
        .filter_map(|it| it.result_id)
        .filter(|id| *id != array);
    if let Some(other) = others.find(|id| binding(editor, *id) == element_binding) {
        return if editor.type_of(other) == pointer {
            Ok(other)
        } else {
            Err("resources of several kinds at one binding".to_owned())
        };
    }
    let operands = vec![Operand::StorageClass(class)];
    let id = editor.declare_global(Op::Variable, Some(pointer), operands);
    let companion = Companion {
        id,
        suffix: format!("_{index}"),
        binding_offset: index,
    };
    editor.decorate_companions(&HashMap::from([(array, companion)]));
    Ok(id)
}

/// Replaces the access chains into arrays by access chains into the variables of their elements, or
/// by these variables themselves.
fn replace_element_accesses(editor: &mut ModuleEditor, elements: &BTreeMap<(Word, u32), Word>) {
    let mut aliases: HashMap<Word, Word> = HashMap::new();
    editor.rewrite_instructions(|code, mut instruction| {
        for operand in &mut instruction.operands {
            if let Operand::IdRef(id) = operand
                && let Some(variable) = aliases.get(id)
            {
                *id = *variable;
            }
        }
        let element = instruction
            .id_operand(0)
            .zip(find_constant_index(code.editor, &instruction));
        let Some(&variable) = element.and_then(|element| elements.get(&element)) else {
            return code.emit_unchanged(instruction);
        };
        if instruction.operands.len() == 2 {
            aliases.extend(instruction.result_id.map(|id| (id, variable)));
        } else {
            instruction.operands.remove(1);
            instruction.operands[0] = Operand::IdRef(variable);
            code.emit_unchanged(instruction);
        }
    });
}
