//! Takes arrays of resources apart whose elements are all known: WGSL has no such arrays.

use crate::rewriter::{Code, Rewriter};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass, Word};
use std::collections::{BTreeMap, HashMap, HashSet};

const EXTENSION: &str = "arrays of resources that are indexed at run time are an extension of wgpu";

const SPLIT: &str =
    "arrays of resources are resources of their own, each at a binding one further on";

/// An array of resources.
#[derive(Clone, Copy)]
struct Array {
    class: StorageClass,
    element: Word,
}

/// Makes a variable of each element that is used. Its binding is that of the array, and the number of the element further on.
pub(super) fn split_arrays(rewriter: &mut Rewriter) -> Result<(), String> {
    let arrays = arrays(rewriter);
    if arrays.is_empty() {
        return Ok(());
    }
    let mut used: BTreeMap<(Word, u32), Word> = BTreeMap::new();
    let mut whole: HashSet<Word> = HashSet::new();
    for instruction in rewriter
        .module
        .functions
        .iter()
        .flat_map(|function| function.all_inst_iter())
    {
        for (place, operand) in instruction.operands.iter().enumerate() {
            if let Operand::IdRef(id) = operand
                && arrays.contains_key(id)
            {
                match element(rewriter, instruction).filter(|_| place == 0) {
                    Some(index) => used.insert((*id, index), 0),
                    None => whole.insert(*id).then_some(0),
                };
            }
        }
    }
    if !whole.is_empty() {
        rewriter.warn(EXTENSION);
    }
    if whole.len() < arrays.len() {
        rewriter.warn(SPLIT);
    }
    used.retain(|(array, _), _| !whole.contains(array));
    for (&(array, index), variable) in &mut used {
        *variable = element_variable(rewriter, array, arrays[&array], index)?;
    }
    let mut aliases: HashMap<Word, Word> = HashMap::new();
    rewriter.rewrite(|code, instruction| {
        replace(code, &used, &mut aliases, instruction);
        Ok(())
    })?;
    let split = arrays.into_keys().filter(|array| !whole.contains(array));
    let split: HashSet<Word> = split.collect();
    let types = unused_types(rewriter, &split);
    rewriter.remove(&split);
    rewriter.remove(&types);
    Ok(())
}

/// All arrays of resources, by their variables.
fn arrays(rewriter: &Rewriter) -> HashMap<Word, Array> {
    let globals = rewriter.module.types_global_values.iter();
    let array = |global: &Instruction| {
        let class = match (global.class.opcode, global.operands.first()) {
            (Op::Variable, Some(Operand::StorageClass(class))) => *class,
            _ => return None,
        };
        let is_resource = matches!(
            class,
            StorageClass::UniformConstant | StorageClass::Uniform | StorageClass::StorageBuffer
        );
        let ty = rewriter.definition(super::interface::pointee(rewriter, global.result_id?))?;
        let is_array = matches!(ty.class.opcode, Op::TypeArray | Op::TypeRuntimeArray);
        let element = ty.operands.first()?.id_ref_any()?;
        (is_resource && is_array).then_some((global.result_id?, Array { class, element }))
    };
    globals.filter_map(array).collect()
}

/// The types of arrays that no other variable has, and of pointers to them: naga does not like them.
fn unused_types(rewriter: &Rewriter, split: &HashSet<Word>) -> HashSet<Word> {
    let pointers: HashSet<Word> = split.iter().map(|array| rewriter.type_of(*array)).collect();
    let arrays: HashSet<Word> = split
        .iter()
        .map(|array| super::interface::pointee(rewriter, *array))
        .collect();
    let globals = rewriter.module.types_global_values.iter();
    let mut users = globals.filter(|global| {
        let is_split = global
            .result_id
            .is_some_and(|id| split.contains(&id) || pointers.contains(&id));
        let ids = global.operands.iter().filter_map(Operand::id_ref_any);
        !is_split
            && ids
                .chain(global.result_type)
                .any(|id| arrays.contains(&id) || pointers.contains(&id))
    });
    if users.next().is_some() {
        return HashSet::new();
    }
    pointers.into_iter().chain(arrays).collect()
}

/// The element that an address is in, if it is known.
fn element(rewriter: &Rewriter, instruction: &Instruction) -> Option<u32> {
    let is_address = matches!(
        instruction.class.opcode,
        Op::AccessChain | Op::InBoundsAccessChain
    );
    let index = instruction.operands.get(1)?.id_ref_any()?;
    rewriter.constant_bits(index).filter(|_| is_address)
}

/// The variable of an element: one that has its place already, or a new one.
fn element_variable(
    rewriter: &mut Rewriter,
    array: Word,
    of: Array,
    index: u32,
) -> Result<Word, String> {
    let place = |rewriter: &Rewriter, id| {
        let number = |decoration| match rewriter.decoration(id, decoration) {
            Some(Operand::LiteralBit32(number)) => number,
            _ => 0,
        };
        (
            number(Decoration::DescriptorSet),
            number(Decoration::Binding),
        )
    };
    let (set, binding) = place(rewriter, array);
    let binding = binding + index;
    let pointer = rewriter.pointer(of.class, of.element);
    let globals = rewriter.module.types_global_values.iter();
    let mut others = globals.filter(|global| {
        global.class.opcode == Op::Variable
            && global
                .result_id
                .is_some_and(|id| id != array && place(rewriter, id) == (set, binding))
            && rewriter
                .decoration(global.result_id.unwrap_or_default(), Decoration::Binding)
                .is_some()
    });
    if let Some(other) = others.next() {
        let is_same = other.result_type == Some(pointer);
        let known = other.result_id.filter(|_| is_same);
        return known.ok_or_else(|| "resources of several kinds at one binding".to_owned());
    }
    let operands = vec![Operand::StorageClass(of.class)];
    let variable = rewriter.declare(Op::Variable, Some(pointer), operands);
    describe_element(rewriter, array, variable, (index, binding));
    Ok(variable)
}

/// Gives the variable of an element what is said about its array: decorations, name, place in the interface.
fn describe_element(
    rewriter: &mut Rewriter,
    array: Word,
    variable: Word,
    (index, binding): (u32, u32),
) {
    let copied: Vec<Instruction> = rewriter
        .module
        .annotations
        .iter()
        .filter(|annotation| annotation.operands.first() == Some(&Operand::IdRef(array)))
        .cloned()
        .collect();
    for mut annotation in copied {
        annotation.operands[0] = Operand::IdRef(variable);
        if annotation.operands.get(1) == Some(&Operand::Decoration(Decoration::Binding)) {
            annotation.operands[2] = Operand::LiteralBit32(binding);
        }
        rewriter.module.annotations.push(annotation);
    }
    let names = rewriter.module.debug_names.iter();
    let name = names.clone().find_map(|name| match &name.operands[..] {
        [Operand::IdRef(id), Operand::LiteralString(name)] if *id == array => Some(name.clone()),
        _ => None,
    });
    if let Some(name) = name {
        rewriter.name(variable, &format!("{name}_{index}"));
    }
    for entry in &mut rewriter.module.entry_points {
        if entry.operands.contains(&Operand::IdRef(array)) {
            entry.operands.push(Operand::IdRef(variable));
        }
    }
}

fn replace(
    code: &mut Code<'_>,
    used: &BTreeMap<(Word, u32), Word>,
    aliases: &mut HashMap<Word, Word>,
    mut instruction: Instruction,
) {
    for operand in &mut instruction.operands {
        if let Operand::IdRef(id) = operand
            && let Some(variable) = aliases.get(id)
        {
            *id = *variable;
        }
    }
    let array = instruction.operands.first().and_then(Operand::id_ref_any);
    let variable = array
        .zip(element(code.rewriter, &instruction))
        .and_then(|place| used.get(&place).copied());
    let Some(variable) = variable else {
        code.keep(instruction);
        return;
    };
    if instruction.operands.len() == 2 {
        aliases.extend(instruction.result_id.map(|id| (id, variable)));
        return;
    }
    instruction.operands.remove(1);
    instruction.operands[0] = Operand::IdRef(variable);
    code.keep(instruction);
}
