//! Names of values, which the front end of naga drops, and of values in expressions that would nest
//! too deep.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V has many operations, few of which count here"
)]

use crate::spirv_edit::{InstructionExt, ModuleEditor};
use naga::{Expression, Function, Handle};
use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};
use std::collections::{BTreeMap, HashMap};

/// Depth of expressions at which a part gets a name: readers and the stacks of parsers have limits.
const MAX_EXPRESSION_DEPTH: u32 = 12;

/// Gives each unnamed load from a named variable the name of the variable, or of the member that it
/// reads. If the function of the entry point has no name, names it `run`.
pub(super) fn name_loads_and_entry_function(editor: &mut ModuleEditor) {
    let mut pointers: HashMap<Word, String> = HashMap::new();
    let members = collect_member_names(editor);
    editor.name_results(|editor, instruction, names| {
        let base = instruction.id_operand(0)?;
        let known = names.get(&base).or_else(|| pointers.get(&base));
        match instruction.op() {
            Op::AccessChain => {
                let member = find_accessed_member(editor, instruction);
                let member = member.and_then(|member| members.get(&member));
                let name = member.or(known)?.clone();
                pointers.extend(instruction.result_id.map(|id| (id, name)));
                None
            }
            Op::Load => known.cloned(),
            _ => None,
        }
    });
    if let Some(function) = editor.find_entry_function()
        && !editor.collect_names().contains_key(&function)
    {
        editor.set_name(function, "run");
    }
}

/// Returns the names of members of structures, by structure and index.
fn collect_member_names(editor: &ModuleEditor) -> HashMap<(Word, u32), String> {
    let names = editor.module().debug_names.iter();
    names
        .filter_map(|name| match &name.operands[..] {
            [
                Operand::IdRef(ty),
                Operand::LiteralBit32(member),
                Operand::LiteralString(name),
            ] => Some(((*ty, *member), name.clone())),
            _ => None,
        })
        .collect()
}

/// Returns the structure and the index of the member that an access chain with one constant index
/// points to; `None` for other chains.
fn find_accessed_member(editor: &ModuleEditor, chain: &Instruction) -> Option<(Word, u32)> {
    let [Operand::IdRef(variable), Operand::IdRef(index)] = chain.operands[..] else {
        return None;
    };
    let index = editor.find_global(index)?;
    match index.operands.first() {
        Some(Operand::LiteralBit32(member)) => Some((editor.pointee_type(variable)?, *member)),
        _ => None,
    }
}

/// Names intermediate values, so that naga writes them to variables and no expression nests deeper
/// than [`MAX_EXPRESSION_DEPTH`].
pub(super) fn name_deep_values(editor: &mut ModuleEditor) {
    let mut depths: HashMap<Word, u32> = HashMap::new();
    editor.name_results(|_, instruction, _| {
        if instruction.op() == Op::Phi {
            return None;
        }
        let operands = instruction.id_operands().filter_map(|id| depths.get(&id));
        let depth = 1 + operands.max().unwrap_or(&0);
        // Pointers get no names ([`is_pointer`]): the value that is loaded gets the name.
        if depth < MAX_EXPRESSION_DEPTH || instruction.op() == Op::AccessChain {
            depths.extend(instruction.result_id.map(|id| (id, depth)));
            return None;
        }
        Some("part".to_owned())
    });
}

/// Returns true if an expression is a pointer. A name would make it a value, which a pointer to a
/// component of a vector cannot be.
fn is_pointer(function: &Function, mut handle: Handle<Expression>) -> bool {
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

/// Names by the ends of the instructions that compute the values, in bytes, as naga counts them.
pub(super) struct ResultNames(BTreeMap<u32, Option<String>>);

impl ResultNames {
    /// Returns the names of a module by the byte positions at which its instructions end when
    /// assembled. A value without a name has that of its copy.
    pub(super) fn new(editor: &ModuleEditor) -> Self {
        let module = editor.module();
        let mut names = editor.collect_names();
        // naga has no expressions for copies.
        for copy in module.all_inst_iter() {
            if copy.op() == Op::CopyObject
                && let (Some(id), Some(original)) = (copy.result_id, copy.id_operand(0))
                && let Some(&name) = names.get(&id)
            {
                names.entry(original).or_insert(name);
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

    /// Names the values of all functions of naga's module after the instructions that compute them.
    pub(super) fn apply(&self, module: &mut naga::Module) {
        let functions = module.functions.iter_mut().map(|(_, function)| function);
        for function in functions {
            self.name_values(function);
        }
    }

    /// Names the local variables and the named expressions of a function after the results of the
    /// instructions from which naga made them.
    fn name_values(&self, function: &mut Function) {
        // An instruction may become several expressions, of which the last is its result.
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
            } else if !expression.needs_pre_emit() && !is_pointer(function, handle) {
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
