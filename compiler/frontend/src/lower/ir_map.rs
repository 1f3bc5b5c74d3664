//! Tables of the IR declarations for the variables and bindings of a program; consecutive
//! translations reuse their memory.

use super::hidden_registers::HiddenRegisters;
use crate::ast::Index;
use crate::variables::{Direction, Var, VarKind, VarSize};
use glasm_ir::inst::{IndexId, LiteralId};
use glasm_ir::resource::BufferKind;
use glasm_ir::types::{BaseType, Type, Width};
use glasm_ir::{
    BufferId, InputId, OperandBase, OutputId, ParamId, ParamSource, RegisterId, Semantic, Texture,
    TextureId, WriteMask,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Identity of a buffer: accesses with equal keys share one buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum BufferKey {
    /// First binding point, and the number of them for arrays.
    Bound(BufferKind, u32, Option<u32>),
    Shared,
}

/// Current declarations of the IR program for variables, bindings and literals.
#[derive(Debug, Default)]
pub(crate) struct IrMap {
    /// Location of each variable.
    pub(super) locations: Vec<VarLocation>,
    /// Locations of the elements of arrays that are not indexed dynamically, once they are known.
    elements: Vec<Option<OperandBase>>,
    pub(super) literals: FxHashMap<[u64; 4], LiteralId>,
    pub(super) params: FxHashMap<ParamSource, ParamId>,
    pub(super) inputs: FxHashMap<(Semantic, Width), InputId>,
    /// Inputs of vertices.
    pub(super) vertex_inputs: FxHashMap<Semantic, InputId>,
    pub(super) vertex_indices: FxHashMap<glasm_ir::Index, IndexId>,
    /// Elements of arrays that share slots; empty except while the slots are assigned.
    pub(super) shared_slots: Vec<(Direction, Semantic, usize, BaseType)>,
    /// Attributes of vertices by variable and constant index.
    pub(super) vertex_attribs: FxHashMap<(u32, Option<u32>), (OperandBase, Option<IndexId>)>,
    /// Outputs of tessellation control programs.
    pub(super) outputs: FxHashMap<Semantic, OutputId>,
    /// Register of each result, and the element if it is an array.
    pub(super) result_registers: FxHashMap<Semantic, (RegisterId, Option<(u32, u32)>)>,
    pub(super) textures: FxHashMap<Texture, TextureId>,
    /// Textures that only queries have named up to now.
    pub(super) query_only_textures: FxHashSet<Texture>,
    pub(super) buffers: FxHashMap<BufferKey, BufferId>,
    /// Registers for intermediate values, used again by every instruction.
    pub(super) hidden_registers: HiddenRegisters,
    pub(super) condition_codes: [Option<RegisterId>; 3],
    /// The condition codes that KIL with an operand tests.
    pub(super) kill_condition_code: Option<RegisterId>,
    /// Parameters that were written and not stored yet: number, register, components.
    pub(super) pending_param_stores: Vec<(u32, RegisterId, WriteMask)>,
    /// The iterations of the open loops that can run.
    pub(super) loop_counters: Vec<Option<LoopCounter>>,
}

/// The iterations that a loop has left, and its index.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopCounter {
    /// The iterations left, negated, so that it counts up to 0: compilers of drivers recognize
    /// loops that count up, and the test for 0 is free.
    pub(super) count: RegisterId,
    pub(super) ty: Type,
    pub(super) index: Option<LoopIndex>,
}

/// The index of a LOOP.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopIndex {
    /// Index and step.
    pub(super) index_register: RegisterId,
    /// The register that is the address register inside the loop: it holds the index, but never
    /// less than zero.
    pub(super) address_register: RegisterId,
    /// Base of the address register outside of the loop.
    pub(super) outer_address: Option<OperandBase>,
}

/// Location of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct VarLocation {
    /// Its base in the IR, once that is known; not of arrays whose elements have separate
    /// locations.
    base: Option<OperandBase>,
    /// First of [`IrMap::elements`]; beyond the end if there are none.
    first_element: u32,
    flags: VarFlags,
}

bitflags::bitflags! {
    /// Properties of a variable that operands and results must check before they use its location.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) struct VarFlags: u8 {
        const LONG = 1;
        const SHORT = 2;
        /// An array with dynamic index.
        const RELATIVE = 4;
        /// Parameters in a buffer, to which writes are stored.
        const STORED = 8;
    }
}

impl VarFlags {
    /// Returns the flags of a variable of this width that has no other properties.
    fn from_width(width: Width) -> Self {
        match width {
            Width::W64 => Self::LONG,
            Width::W8 | Width::W16 | Width::W32 => Self::empty(),
        }
    }
}

/// Forms that only matter to results.
const RESULT_ONLY_FLAGS: VarFlags = VarFlags::SHORT.union(VarFlags::STORED);

impl VarLocation {
    /// Creates the location of a variable that was not accessed yet. Its elements, if they have
    /// separate locations, begin at `next_element` of the list of elements.
    fn from_var(var: &Var, next_element: u32) -> Self {
        let mut flags = VarFlags::empty();
        flags.set(VarFlags::LONG, var.is_long());
        flags.set(VarFlags::SHORT, var.size == VarSize::Short);
        flags.set(VarFlags::RELATIVE, var.has_relative_access);
        flags.set(VarFlags::STORED, matches!(var.kind, VarKind::WritableParam));
        let has_elements = var.count_separate_elements() > 0;
        Self {
            base: None,
            first_element: if has_elements { next_element } else { u32::MAX },
            flags,
        }
    }
}

impl IrMap {
    /// Clears all tables, registers and pending stores for the next program and retains their
    /// memory.
    pub(super) fn clear(&mut self) {
        // Listed by name, so that a list that is added later is not omitted.
        let Self {
            locations,
            elements,
            literals,
            params,
            inputs,
            vertex_inputs,
            vertex_indices,
            shared_slots,
            vertex_attribs,
            outputs,
            result_registers,
            textures,
            query_only_textures,
            buffers,
            hidden_registers,
            condition_codes,
            kill_condition_code,
            pending_param_stores,
            loop_counters,
        } = self;
        locations.clear();
        elements.clear();
        literals.clear();
        params.clear();
        inputs.clear();
        vertex_inputs.clear();
        vertex_indices.clear();
        shared_slots.clear();
        vertex_attribs.clear();
        outputs.clear();
        result_registers.clear();
        textures.clear();
        query_only_textures.clear();
        buffers.clear();
        hidden_registers.clear();
        *condition_codes = [None; 3];
        *kill_condition_code = None;
        pending_param_stores.clear();
        loop_counters.clear();
    }

    /// Appends locations, still without operands, for all variables of a program, and reserves the
    /// elements of those that need separate locations; the tables must be empty.
    pub(super) fn reserve_locations(&mut self, vars: &[Var]) {
        for var in vars {
            let next = self.elements.len();
            self.locations.push(VarLocation::from_var(var, next as u32));
            let count = var.count_separate_elements();
            self.elements.resize(next + count as usize, None);
        }
    }

    /// Returns the operand that holds a variable or an element of an array. `None` if it was not
    /// accessed yet, if its width is not `width`, so that it must be converted, if it is
    /// dynamically indexed anywhere, or if the index is dynamic.
    pub(super) fn cached_location(
        &self,
        var: u32,
        index: Index,
        width: Width,
    ) -> Option<OperandBase> {
        let location = &self.locations[var as usize];
        // Properties that only matter for results do not prevent the use of the location by an
        // operand.
        (location.flags.difference(RESULT_ONLY_FLAGS) == VarFlags::from_width(width))
            .then(|| self.cached_element(location, index))
            .flatten()
    }

    /// Returns the operand that holds a result variable, as
    /// [`cached_location`](Self::cached_location) does; `None` also for results of reduced
    /// precision and for those that are stored to a buffer.
    pub(super) fn cached_result_location(
        &self,
        var: u32,
        index: Index,
        width: Width,
    ) -> Option<OperandBase> {
        let location = &self.locations[var as usize];
        (location.flags == VarFlags::from_width(width))
            .then(|| self.cached_element(location, index))
            .flatten()
    }

    /// Returns the operand that holds an element of a variable, without an index the variable
    /// itself; `None` if it was not accessed yet or if the index is dynamic.
    #[inline(always)]
    fn cached_element(&self, location: &VarLocation, index: Index) -> Option<OperandBase> {
        match index {
            Index::None => location.base,
            Index::Const(element) => {
                // A variable without elements begins beyond the end, where nothing is found.
                let elements = self.elements.get(location.first_element as usize..)?;
                elements.get(element as usize).copied().flatten()
            }
            Index::Relative(_) | Index::Pair(_) => None,
        }
    }

    /// Returns the operand and the index that hold an attribute of a vertex or a patch; `None` if
    /// it was not accessed yet, for 64 bits, or if the index is dynamic.
    pub(super) fn cached_vertex_attrib(
        &self,
        var: u32,
        index: Index,
        width: Width,
    ) -> Option<(OperandBase, Option<IndexId>)> {
        // Most programs do not have such attributes, and no attribute has 64 bits.
        if self.vertex_attribs.is_empty() || width == Width::W64 {
            return None;
        }
        let index = match index {
            Index::None => None,
            Index::Const(number) => Some(number),
            Index::Relative(_) | Index::Pair(_) => return None,
        };
        self.vertex_attribs.get(&(var, index)).copied()
    }

    /// Returns true if a variable is declared with reduced precision (`SHORT`).
    pub(super) fn is_short(&self, var: u32) -> bool {
        self.locations[var as usize].flags.contains(VarFlags::SHORT)
    }

    /// Returns the operand that holds an element of a variable, to be read or set; that of the
    /// variable itself, regardless of the element, if its elements have no separate locations.
    pub(super) fn location_mut(&mut self, var: u32, element: u32) -> &mut Option<OperandBase> {
        let variable = &mut self.locations[var as usize];
        let elements = self.elements.get_mut(variable.first_element as usize..);
        let location = elements.and_then(|elements| elements.get_mut(element as usize));
        location.unwrap_or(&mut variable.base)
    }
}
