//! Names of values, which the front end of naga leaves behind, and of values in expressions that would nest too deep.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V has many operations, few of which count here"
)]

use naga::{Expression, Function, Handle};
use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How deep expressions nest before a part gets a name: readers give up, and so do the stacks of parsers.
const DEEPEST: u32 = 12;

/// Names what is read from named variables after them, samplers after their textures, and the function of the entry point.
pub(super) fn name_loads(module: &mut Module) {
    let names: HashMap<Word, String> = all_names(module)
        .into_iter()
        .map(|(id, name)| (id, name.to_owned()))
        .collect();
    let members = Members::new(module);
    let mut variables: HashMap<Word, String> = HashMap::new();
    let mut added = Vec::new();
    for function in &module.functions {
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let base = instruction.operands.first().and_then(Operand::id_ref_any);
            let (Some(base), Some(id)) = (base, instruction.result_id) else {
                continue;
            };
            let known = || names.get(&base).or_else(|| variables.get(&base)).cloned();
            match instruction.class.opcode {
                Op::AccessChain => {
                    let member = members.member(base, &instruction.operands);
                    if let Some(name) = member.or_else(known) {
                        variables.insert(id, name);
                    }
                }
                Op::Load if !names.contains_key(&id) => {
                    added.extend(known().map(|name| (id, name)));
                }
                _ => {}
            }
        }
    }
    let entry = module.entry_points.first();
    let function = entry.and_then(|entry| entry.operands.get(1)?.id_ref_any());
    added.extend(
        function
            .filter(|id| !names.contains_key(id))
            .map(|id| (id, "run".to_owned())),
    );
    for (id, name) in added {
        push_name(module, id, name);
    }
}

fn push_name(module: &mut Module, id: Word, name: String) {
    let operands = vec![Operand::IdRef(id), Operand::LiteralString(name)];
    let name = Instruction::new(Op::Name, None, None, operands);
    module.debug_names.push(name);
}

/// Names of members of structures.
struct Members<'a> {
    /// By structure and number.
    names: HashMap<(Word, u32), String>,
    globals: HashMap<Word, &'a Instruction>,
}

impl<'a> Members<'a> {
    fn new(module: &'a Module) -> Self {
        let names = module.debug_names.iter();
        let names = names.filter_map(|name| match &name.operands[..] {
            [
                Operand::IdRef(ty),
                Operand::LiteralBit32(member),
                Operand::LiteralString(name),
            ] => Some(((*ty, *member), name.clone())),
            _ => None,
        });
        let globals = module.types_global_values.iter();
        Self {
            names: names.collect(),
            globals: globals
                .filter_map(|global| Some((global.result_id?, global)))
                .collect(),
        }
    }

    /// The name of the member that a chain of indices goes to, if it goes no further.
    fn member(&self, variable: Word, chain: &[Operand]) -> Option<String> {
        let [_, Operand::IdRef(index)] = chain else {
            return None;
        };
        let pointer = self.globals.get(&variable)?.result_type?;
        let structure = self.globals.get(&pointer)?.operands.get(1)?.id_ref_any()?;
        let Some(Operand::LiteralBit32(member)) = self.globals.get(index)?.operands.first() else {
            return None;
        };
        self.names.get(&(structure, *member)).cloned()
    }
}

fn all_names(module: &Module) -> HashMap<Word, &str> {
    let names = module.debug_names.iter();
    names
        .filter_map(|name| match &name.operands[..] {
            [Operand::IdRef(id), Operand::LiteralString(text)] => Some((*id, text.as_str())),
            _ => None,
        })
        .collect()
}

/// Whether an expression is a place in memory. A name would make it a value, which a pointer to a component of a vector cannot be.
fn is_place(function: &Function, mut handle: Handle<Expression>) -> bool {
    while let Expression::Access { base, .. } | Expression::AccessIndex { base, .. } =
        function.expressions[handle]
    {
        handle = base;
    }
    matches!(
        function.expressions[handle],
        Expression::GlobalVariable(_) | Expression::LocalVariable(_)
    )
}

/// Names values such that no expression nests too deep.
pub(super) fn name_parts(module: &mut Module) {
    let named: HashSet<Word> = module
        .debug_names
        .iter()
        .filter_map(|name| name.operands.first()?.id_ref_any())
        .collect();
    let mut depths: HashMap<Word, u32> = HashMap::new();
    let mut parts = Vec::new();
    for function in &module.functions {
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Some(id) = instruction.result_id else {
                continue;
            };
            if named.contains(&id) || instruction.class.opcode == Op::Phi {
                continue;
            }
            let operands = instruction.operands.iter().filter_map(Operand::id_ref_any);
            let below = operands.filter_map(|id| depths.get(&id)).max();
            let depth = below.map_or(1, |depth| depth + 1);
            // Places in memory get no names ([`is_place`]): the value that is loaded gets the name.
            let is_pointer = instruction.class.opcode == Op::AccessChain;
            if depth < DEEPEST || is_pointer {
                depths.insert(id, depth);
            } else {
                parts.push(id);
            }
        }
    }
    for id in parts {
        push_name(module, id, "part".to_owned());
    }
}

/// Names by the instructions that make the values: where those end, in bytes, as naga counts them.
pub(super) struct Names(BTreeMap<u32, Option<String>>);

impl Names {
    /// The names of a module as it will be assembled.
    pub(super) fn new(module: &Module) -> Self {
        let mut names = all_names(module);
        // naga has no expressions for copies.
        for copy in module.all_inst_iter() {
            if copy.class.opcode == Op::CopyObject
                && let (Some(id), Some(Operand::IdRef(original))) =
                    (copy.result_id, copy.operands.first())
                && let Some(&name) = names.get(&id)
            {
                names.entry(*original).or_insert(name);
            }
        }
        let mut ends = BTreeMap::new();
        let mut words = 5;
        let mut assembled = Vec::new();
        for instruction in module.all_inst_iter() {
            assembled.clear();
            instruction.assemble_into(&mut assembled);
            words += assembled.len() as u32;
            let name = instruction.result_id.and_then(|id| names.get(&id));
            ends.insert(words * 4, name.map(|name| (*name).to_owned()));
        }
        Self(ends)
    }

    /// Names the values of a module.
    pub(super) fn apply(&self, module: &mut naga::Module) {
        let functions = module.functions.iter_mut().map(|(_, function)| function);
        for function in functions {
            self.name_values(function);
        }
    }

    fn name_values(&self, function: &mut Function) {
        // An instruction may take several expressions, of which the last is its result.
        let mut results: HashMap<&str, Vec<(u32, Handle<Expression>)>> = HashMap::new();
        for (handle, expression) in function.expressions.iter() {
            // Spans start before an instruction or in it, but end in it.
            let Some(range) = function.expressions.get_span(handle).to_range() else {
                continue;
            };
            let Some((&end, Some(name))) = self.0.range(range.end as u32..).next() else {
                continue;
            };
            if let Expression::LocalVariable(local) = *expression {
                function.local_variables.get_mut(local).name = Some(name.clone());
            } else if !expression.needs_pre_emit() && !is_place(function, handle) {
                let list = results.entry(name).or_default();
                match list.last_mut() {
                    Some(last) if last.0 == end => last.1 = handle,
                    _ => list.push((end, handle)),
                }
            }
        }
        let results = results.into_iter().flat_map(|(name, list)| {
            list.into_iter()
                .map(move |(_, handle)| (handle, name.to_owned()))
        });
        let mut results: Vec<_> = results.collect();
        results.sort_unstable_by_key(|(handle, _)| handle.index());
        function.named_expressions.extend(results);
    }
}
