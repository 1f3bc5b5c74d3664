//! Analyses before emission: registers that need memory, routines that are inlined, reachable ends
//! of blocks, upward-exposed reads of loops.
//!
//! All analyses are linear in the program including inlined copies, which a budget limits.

mod routines;
mod upward_exposed;

use crate::builder::Scalar;
use crate::error::{Error, Failure};
use crate::spirv_writer::refill;
use crate::varyings::written_lanes;
use glasm_ir::arena::Id;
use glasm_ir::inst::{IndexId, IndexTerm, compute_read_lanes, find_common_read_lanes};
use glasm_ir::{
    Cond, Inst, InstData, Node, Op, OpFlags, OperandBase, OutputId, Program, Register, RegisterId,
    RoutineId, Semantic, Stage, Storage, Width,
};
use routines::{BlockPosition, ControlTreeScan};
use rustc_hash::FxHashMap;
use upward_exposed::UpwardExposedScan;

/// Maximum nesting of blocks, including inlined routines: analysis, liveness and emission walk the
/// tree recursively.
pub(crate) const MAX_NESTING: u32 = 200;
/// Maximum depth of routines inlined into each other.
const MAX_INLINE_DEPTH: u32 = 16;
/// Maximum length of a register array in SSA values if it is never indexed dynamically: each
/// element is a slot in all joins.
const MAX_VALUE_ARRAY: u32 = 64;
/// Maximum length of a register array.
// 256 KiB of Private memory for lanes of 32 bits.
const MAX_ARRAY: u32 = 16_384;

/// Slot value for registers in memory.
const NO_SLOT: u32 = u32::MAX;

/// Storage of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RegisterClass {
    /// SSA values.
    Values,
    /// Private variable.
    Memory,
}

/// Reachability of the end of a block.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct BlockInfo {
    /// Number of reachable nodes.
    pub(crate) reachable_nodes: u32,
    /// True if control reaches the end.
    pub(crate) falls_through: bool,
    /// True if its end is the end of the routine, so that a `Return` there needs no jump.
    pub(crate) tail: bool,
}

/// Properties of a routine.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct RoutineInfo {
    /// True if its calls are replaced by its body.
    pub(crate) inlined: bool,
    /// True if it returns before its end.
    pub(crate) early_return: bool,
    /// True if it can be reached from main.
    pub(crate) used: bool,
    size: u32,
    depth: u32,
}

/// Receiver of the reads of instructions.
pub(crate) trait ReadVisitor {
    /// Returns true if reads of any lanes of a slot have no effect, so that they need not be
    /// reported.
    fn is_saturated(&self, slot: u32) -> bool;
    /// Records that an instruction reads lanes of a slot.
    fn visit_read(&mut self, slot: u32, lanes: u8);
}

/// Results of the analysis. Reused between programs for its allocations.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    /// Class of each register.
    pub(crate) classes: Vec<RegisterClass>,
    /// First slot of each register. A slot is four lanes.
    pub(crate) slot_base: Vec<u32>,
    /// First slot of each register in values, [`NO_SLOT`] for registers in memory.
    value_slots: Vec<u32>,
    /// Number of slots of each register that an index may reach.
    pub(crate) slot_len: Vec<u32>,
    /// Register of each slot.
    pub(crate) slot_register: Vec<RegisterId>,
    /// Blocks.
    pub(crate) blocks: Vec<BlockInfo>,
    /// Routines.
    pub(crate) routines: Vec<RoutineInfo>,
    /// Routines that become functions, main first.
    pub(crate) functions: Vec<RoutineId>,
    /// True if any test reads overflow or carry.
    pub(crate) reads_overflow: bool,
    /// True for registers that any instruction writes.
    pub(crate) written: Vec<bool>,
    /// True for output registers whose variables the invocations of a patch share: they are stored
    /// at each writing instruction.
    pub(crate) shared_outputs: Vec<bool>,
    /// Kinds of values that each condition-code register may hold.
    cond_kinds: Vec<CondKinds>,
    /// Upward-exposed reads of each loop: ranges of `exposed`, by node.
    loops: FxHashMap<u32, (u32, u32)>,
    exposed: Vec<(u32, u8)>,
    /// True if the program has loops.
    pub(crate) has_loops: bool,
    /// Number of instructions and nodes, including inlined copies.
    pub(crate) expanded_size: u32,
    /// Pairs of caller and callee.
    calls: Vec<(RoutineId, RoutineId)>,
    call_scan: CallScan,
    break_counts: Vec<u32>,
    exposed_scan: UpwardExposedScan,
}

/// Working memory for the selection of functions; one item per routine.
#[derive(Debug, Default)]
struct CallScan {
    /// Number of copies of the routine that its callers need.
    copy_counts: Vec<u32>,
    /// Depth of inlining down to this routine.
    inline_depth: Vec<u32>,
    /// Maximum nesting of blocks around the calls of the routine.
    nesting_depth: Vec<u32>,
    visit_state: Vec<VisitState>,
    /// Routines reachable from main, each after all its callers.
    order: Vec<RoutineId>,
    /// Open routines and the numbers of their calls that were followed.
    stack: Vec<(RoutineId, usize)>,
    /// Visited routines in the search for shared registers, and the routines still to visit.
    seen: Vec<bool>,
    pending: Vec<RoutineId>,
}

bitflags::bitflags! {
    /// Kinds of values that update a condition-code register.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    struct CondKinds: u8 {
        const BOOL_FLOAT = 1;
        const BOOL_INT = 2;
        const INT = 4;
        const FLOAT = 8;
        const WIDE_INT = 16;
        const WIDE_FLOAT = 32;
    }
}

/// Returns true if an operation compares: its result is true or false.
pub(crate) const fn is_comparison(op: Op) -> bool {
    op.has(OpFlags::BOOLEAN)
}

/// Returns the type of the values that an instruction writes to the condition codes. With carry the
/// width is that of the destination register.
fn classify_cond_update(program: &Program, inst: &Inst) -> CondKinds {
    let ty = glasm_ir::inst::get_result_type(inst);
    let width = match inst.dst {
        // The condition codes are those of the written value.
        Some(dst) if ty.is_int() && inst.op.has_carry() => program.registers[dst.register].width,
        _ => ty.width(),
    };
    let wide = width == Width::W64;
    match (is_comparison(inst.op), ty.is_float(), wide) {
        (true, true, _) => CondKinds::BOOL_FLOAT,
        (true, false, _) => CondKinds::BOOL_INT,
        (false, true, false) => CondKinds::FLOAT,
        (false, true, true) => CondKinds::WIDE_FLOAT,
        (false, false, false) => CondKinds::INT,
        (false, false, true) => CondKinds::WIDE_INT,
    }
}

impl Analysis {
    /// Runs all analyses of `program` and replaces the results of the previous one. Returns an
    /// error for recursion, for control flow that is nested too deeply, and for register arrays
    /// with more than `MAX_ARRAY` elements.
    pub(crate) fn run(&mut self, program: &Program) -> Result<(), Failure> {
        let too_long = |register: &Register| register.array_len.is_some_and(|len| len > MAX_ARRAY);
        if program.registers.iter().any(too_long) {
            return Err(Error::limit(format!(
                "a register array has more than {MAX_ARRAY} elements"
            )));
        }
        self.reset(program);
        // The layout of slots depends on the classes of registers, which in turn depend on the
        // instructions and on functions that share registers.
        self.scan_insts(program);
        if program.stage == Stage::TessControl {
            self.find_shared_outputs(program);
        }
        for routine in program.routines.ids() {
            self.scan_routine(program, routine)?;
        }
        self.choose_functions(program)?;
        if self.functions.len() > 1 {
            self.move_shared_registers(program);
        }
        self.assign_slots(program);
        if self.has_loops {
            self.find_exposed_reads(program);
        }
        Ok(())
    }

    /// Clears the results for another program and retains their memory.
    fn reset(&mut self, program: &Program) {
        let registers = program.registers.len();
        refill(&mut self.classes, registers, RegisterClass::Values);
        refill(&mut self.written, registers, false);
        refill(&mut self.shared_outputs, registers, false);
        refill(&mut self.cond_kinds, registers, CondKinds::empty());
        refill(&mut self.blocks, program.blocks.len(), BlockInfo::default());
        refill(
            &mut self.routines,
            program.routines.len(),
            RoutineInfo::default(),
        );
        self.slot_base.clear();
        self.value_slots.clear();
        self.slot_len.clear();
        self.slot_register.clear();
        self.functions.clear();
        self.loops.clear();
        self.exposed.clear();
        self.calls.clear();
        self.break_counts.clear();
        self.has_loops = false;
        self.reads_overflow = false;
        self.expanded_size = 0;
    }

    // Instructions, in any order.

    /// Records written registers, types of condition codes, and reads of overflow, over all
    /// instructions and branch conditions. Assigns memory to registers with dynamic indices and to
    /// arrays with more than `MAX_VALUE_ARRAY` elements.
    fn scan_insts(&mut self, program: &Program) {
        for inst in &program.insts {
            let Some(dst) = &inst.dst else { continue };
            self.written[dst.register.index()] = true;
            if let Some(cc) = dst.cc {
                self.cond_kinds[cc.index()] |= classify_cond_update(program, inst);
            }
            if let Some(guard) = dst.guard {
                self.reads_overflow |= guard.test.is_reading_overflow();
            }
            if let Some(index) = dst.index {
                self.record_index(program, dst.register, index);
            }
        }
        // Most programs have no indices, so their sources need not be visited.
        if !program.indices.is_empty() {
            for src in &program.srcs {
                if let (OperandBase::Register(register), Some(index)) = (src.base, src.index) {
                    self.record_index(program, register, index);
                }
            }
        }
        for node in &program.nodes {
            if let Node::If {
                cond: Cond::Any(guard),
                ..
            } = node
            {
                self.reads_overflow |= guard.test.is_reading_overflow();
            }
        }
        // Long arrays are in memory even if every index is constant: each element would be a slot.
        for (id, register) in program.registers.iter_enumerated() {
            if register.array_len.is_some_and(|len| len > MAX_VALUE_ARRAY) {
                self.classes[id.index()] = RegisterClass::Memory;
            }
        }
    }

    /// Assigns memory to a register if its index is dynamic; does nothing for a constant index.
    fn record_index(&mut self, program: &Program, register: RegisterId, index: IndexId) {
        if program.indices[index].element.relative.is_some() {
            self.classes[register.index()] = RegisterClass::Memory;
        }
    }

    // Control flow of each routine.

    /// Scans the control tree of a routine and records its size, its nesting depth, its calls and
    /// the facts about its blocks. Returns an error if it is nested too deeply.
    fn scan_routine(&mut self, program: &Program, routine: RoutineId) -> Result<(), Failure> {
        let mut scan = ControlTreeScan {
            analysis: self,
            program,
            routine,
            size: 0,
            max_depth: 0,
        };
        let body = program.routines[routine].body;
        scan.visit_block(
            body,
            BlockPosition {
                depth: 0,
                tail: true,
            },
        )?;
        let (size, depth) = (scan.size, scan.max_depth);
        let info = &mut self.routines[routine.index()];
        (info.size, info.depth) = (size, depth);
        Ok(())
    }

    // Selection of the routines that become functions.

    /// Determines the used routines, which of them are inlined, the functions of the module and the
    /// size with inlined copies. Sorts `calls` by caller. Returns an error for recursion.
    fn choose_functions(&mut self, program: &Program) -> Result<(), Failure> {
        let main = program.main;
        if self.calls.is_empty() {
            // Only main is reached, as in most programs.
            let info = &mut self.routines[main.index()];
            info.used = true;
            self.expanded_size = info.size;
            self.functions.push(main);
            return Ok(());
        }
        // The sort is stable: calls of one routine remain in program order.
        self.calls.sort_by_key(|call| call.0);
        let mut scan = std::mem::take(&mut self.call_scan);
        let ordered = self.order_calls(program, &mut scan);
        if ordered.is_ok() {
            self.inline_calls(program, &mut scan);
        }
        self.call_scan = scan;
        ordered
    }

    /// Decides for each reachable routine, callers first, if its calls are inlined, within limits
    /// of size and depth. All others are appended to `functions`. Marks the routines as used and
    /// adds up `expanded_size`.
    fn inline_calls(&mut self, program: &Program, scan: &mut CallScan) {
        let main = program.main;
        let total: u32 = self.routines.iter().map(|info| info.size).sum();
        // Twice the program in total: beyond that, inlining would cost drivers more than calls.
        let mut budget = total.saturating_mul(2).saturating_add(1024);
        for counts in [
            &mut scan.copy_counts,
            &mut scan.inline_depth,
            &mut scan.nesting_depth,
        ] {
            refill(counts, program.routines.len(), 0);
        }
        scan.copy_counts[main.index()] = 1;
        // Callers come first, so that the number of copies of a routine, at least one, is known
        // when it is visited.
        for &routine in &scan.order {
            let index = routine.index();
            let info = &mut self.routines[index];
            info.used = true;
            let copies = scan.copy_counts[index];
            // The first copy replaces the function.
            let extra = info.size.saturating_mul(copies - 1);
            info.inlined = routine != main
                && extra <= budget
                && scan.inline_depth[index] <= MAX_INLINE_DEPTH
                && scan.nesting_depth[index] + info.depth <= MAX_NESTING;
            if info.inlined {
                budget -= extra;
                self.expanded_size += info.size * copies;
            } else {
                // Resets the nesting of callees: the function has its own nesting, and its body
                // exists once.
                (
                    scan.copy_counts[index],
                    scan.inline_depth[index],
                    scan.nesting_depth[index],
                ) = (1, 0, 0);
                self.expanded_size += info.size;
                self.functions.push(routine);
            }
            // Uses the deepest nesting of the caller for all its calls, because the nesting of each
            // call is not recorded. The additional level is the switch that early returns leave.
            let inner = scan.nesting_depth[index] + info.depth + 1;
            for &(_, callee) in self.calls_in(routine) {
                let callee = callee.index();
                // Routines that call each other twice at every level would have exponentially many
                // copies; the budget prevents that.
                let copies = scan.copy_counts[callee].saturating_add(scan.copy_counts[index]);
                scan.copy_counts[callee] = copies;
                scan.inline_depth[callee] =
                    scan.inline_depth[callee].max(scan.inline_depth[index] + 1);
                scan.nesting_depth[callee] = scan.nesting_depth[callee].max(inner);
            }
        }
    }

    /// Returns the calls in a routine in program order, as pairs of caller and callee. Requires
    /// that `calls` is sorted by caller.
    fn calls_in(&self, routine: RoutineId) -> &[(RoutineId, RoutineId)] {
        let first = self.calls.partition_point(|&(caller, _)| caller < routine);
        let calls = &self.calls[first..];
        &calls[..calls.partition_point(|&(caller, _)| caller == routine)]
    }

    /// Sorts the routines that main reaches with callers before callees, into `scan.order`. Returns
    /// an error for recursion.
    fn order_calls(&self, program: &Program, scan: &mut CallScan) -> Result<(), Failure> {
        refill(
            &mut scan.visit_state,
            program.routines.len(),
            VisitState::New,
        );
        scan.order.clear();
        scan.stack.clear();
        scan.stack.push((program.main, 0));
        scan.visit_state[program.main.index()] = VisitState::Open;
        while let Some((routine, next)) = scan.stack.pop() {
            let Some(&(_, callee)) = self.calls_in(routine).get(next) else {
                scan.visit_state[routine.index()] = VisitState::Done;
                scan.order.push(routine);
                continue;
            };
            scan.stack.push((routine, next + 1));
            match scan.visit_state[callee.index()] {
                VisitState::New => {
                    scan.visit_state[callee.index()] = VisitState::Open;
                    scan.stack.push((callee, 0));
                }
                // Front ends convert recursion to loops or reject it; IR from other sources may
                // contain it.
                VisitState::Open => return Err(Error::unsupported("a routine calls itself")),
                VisitState::Done => {}
            }
        }
        // A routine is appended after all its callees, so the reversed order has callers first.
        scan.order.reverse();
        Ok(())
    }

    // Registers.

    /// Assigns consecutive slots to the elements of registers in values, one slot to each register
    /// in memory, and two more to each condition code if the program reads overflow or carry.
    fn assign_slots(&mut self, program: &Program) {
        for (id, register) in program.registers.iter_enumerated() {
            let in_values = self.classes[id.index()] == RegisterClass::Values;
            let first = self.slot_register.len() as u32;
            let elements = register
                .array_len
                .filter(|_| in_values)
                .map_or(1, |len| len.max(1));
            self.slot_base.push(first);
            self.value_slots
                .push(if in_values { first } else { NO_SLOT });
            self.slot_len.push(elements);
            self.slot_register.push(id);
            // Condition codes with overflow and carry use two more slots for these flags.
            let has_flags = register.storage == Storage::Cond && self.reads_overflow;
            let more = if has_flags { 2 } else { elements - 1 };
            (0..more).for_each(|_| self.slot_register.push(id));
        }
    }

    /// Returns the slot of a register element with a constant index, or `None` if the register is
    /// in memory. An index beyond the array finds the nearest element.
    pub(crate) fn find_slot(
        &self,
        program: &Program,
        register: RegisterId,
        index: Option<IndexId>,
    ) -> Option<u32> {
        let base = self.value_slots[register.index()];
        if base == NO_SLOT {
            return None;
        }
        let Some(index) = index else {
            return Some(base);
        };
        // The verifier rejects constant indices out of range; a program that was not verified uses
        // the nearest element.
        let last = self.slot_len[register.index()] - 1;
        let element = program.indices[index].element.offset.max(0) as u32;
        Some(base + element.min(last))
    }

    /// Assigns memory to a register that was represented by values, and removes its slot.
    pub(crate) fn move_to_memory(&mut self, register: RegisterId) {
        self.classes[register.index()] = RegisterClass::Memory;
        self.value_slots[register.index()] = NO_SLOT;
    }

    /// Records that condition codes are read before they are written: the initial codes are float
    /// booleans.
    pub(crate) fn record_initial_codes_read(&mut self, register: RegisterId) {
        // Initial flags are those of a positive number: 1.0 or any other, but not of an integer
        // boolean.
        self.cond_kinds[register.index()] |= CondKinds::BOOL_FLOAT;
    }

    /// Returns the component type that represents a condition-code register in phis and memory: the
    /// narrowest one that preserves the flags of all values written to it. `wide_int` is the type
    /// of 64-bit integers, a pair of words if the device lacks them.
    pub(crate) fn cond_scalar(&self, register: RegisterId, wide_int: Scalar) -> Scalar {
        let kinds = self.cond_kinds[register.index()];
        // In memory a code has 32 bits.
        let in_values = self.classes[register.index()] == RegisterClass::Values;
        let within = |allowed: CondKinds| allowed.contains(kinds);
        // The narrowest type that preserves the flags of all kinds: only a float preserves those of
        // NaN.
        if within(CondKinds::BOOL_FLOAT) {
            Scalar::BoolFloat
        } else if in_values && within(CondKinds::BOOL_INT) {
            Scalar::BoolInt
        } else if within(CondKinds::BOOL_FLOAT | CondKinds::BOOL_INT | CondKinds::INT) {
            Scalar::U32
        } else if in_values
            && wide_int != Scalar::Pair
            && within(CondKinds::BOOL_FLOAT | CondKinds::WIDE_INT)
        {
            wide_int
        } else if in_values && within(CondKinds::BOOL_FLOAT | CondKinds::WIDE_FLOAT) {
            Scalar::F64
        } else {
            Scalar::F32
        }
    }

    /// Reports to `reads` every slot and its lanes that `inst` reads to produce the lanes `needed`.
    // Passes spend most of their time in this function; a separate function would save and restore
    // more than it computes.
    #[inline(always)]
    pub(crate) fn visit_reads(
        &self,
        program: &Program,
        inst: &Inst,
        needed: u8,
        reads: &mut impl ReadVisitor,
    ) {
        let common = find_common_read_lanes(inst, needed);
        for (number, src) in program.sources(inst).iter().enumerate() {
            if let OperandBase::Register(register) = src.base
                && let Some(slot) = self.find_slot(program, register, src.index)
                // The lanes that are read are looked up in tables of operations, so reads without
                // effect are filtered first.
                && !reads.is_saturated(slot)
            {
                let lanes =
                    common.unwrap_or_else(|| compute_read_lanes(program, inst, number, needed));
                reads.visit_read(slot, src.swizzle.find_source_lanes(lanes));
            }
            if let Some(index) = src.index {
                self.visit_index(program, index, reads);
            }
        }
        // Outputs are values until a vertex is emitted; no operand names them.
        if inst.op == Op::EmitVertex {
            self.visit_outputs(program, reads);
        }
        if let Some(dst) = &inst.dst {
            if let Some(guard) = dst.guard
                && let Some(slot) = self.find_slot(program, guard.cc, None)
            {
                reads.visit_read(slot, guard.swizzle.find_source_lanes(needed));
            }
            if let Some(index) = dst.index {
                self.visit_index(program, index, reads);
            }
        }
        if inst.data != InstData::None
            && let Some(term) = access_element(program, inst)
        {
            self.visit_term(program, term, reads);
        }
    }

    /// Visits reads of all outputs at the emission of a vertex, which contains their values.
    /// Outputs in memory and unwritten outputs are not visited.
    fn visit_outputs(&self, program: &Program, reads: &mut impl ReadVisitor) {
        for (slot, semantic) in self.output_slots(program) {
            reads.visit_read(slot, written_lanes(semantic));
        }
    }

    /// Returns the slots of outputs in values that instructions write, with their semantics.
    pub(crate) fn output_slots(&self, program: &Program) -> impl Iterator<Item = (u32, Semantic)> {
        let written = program.output_registers().filter(|(id, _)| {
            self.classes[id.index()] == RegisterClass::Values && self.written[id.index()]
        });
        written.flat_map(move |(id, outputs)| {
            let slots = self.slot_base[id.index()]..;
            let outputs = outputs.map(|output| program.outputs[OutputId::new(output)].semantic);
            slots.zip(outputs)
        })
    }

    /// Visits the register lanes that an index reads, for its element and its vertex. Constant
    /// terms read none.
    fn visit_index(&self, program: &Program, index: IndexId, reads: &mut impl ReadVisitor) {
        let index = program.indices[index];
        self.visit_term(program, index.element, reads);
        if let Some(vertex) = index.vertex {
            self.visit_term(program, vertex, reads);
        }
    }

    /// Passes the register lane that one term of an index reads to `reads`. Does nothing for
    /// constant terms and registers in memory.
    fn visit_term(&self, program: &Program, term: IndexTerm, reads: &mut impl ReadVisitor) {
        if let Some((register, lane)) = term.relative
            && let Some(slot) = self.find_slot(program, register, None)
        {
            reads.visit_read(slot, 1 << (lane & 3));
        }
    }

    /// Returns the slot and lanes that a branch condition reads, or `None` for a register in
    /// memory. A guard reads the lanes that its swizzle selects.
    pub(crate) fn find_cond_read(&self, program: &Program, cond: Cond) -> Option<(u32, u8)> {
        let slot = self.find_slot(program, cond_register(cond), None)?;
        Some(match cond {
            Cond::Any(guard) => (slot, guard.swizzle.find_source_lanes(15)),
            Cond::NonZero(_, lane, _) => (slot, 1 << (lane & 3)),
        })
    }

    /// Returns the slots and lanes that the loop at node `node` reads before it writes them.
    /// Returns an empty list for unreachable loops.
    pub(crate) fn loop_reads(&self, node: u32) -> &[(u32, u8)] {
        // Unreachable loops were not scanned.
        let (first, len) = self.loops.get(&node).copied().unwrap_or_default();
        &self.exposed[first as usize..(first + len) as usize]
    }

    /// Computes the upward-exposed reads of all loops in all functions and stores them in `loops`
    /// and `exposed`.
    fn find_exposed_reads(&mut self, program: &Program) {
        let mut scan = std::mem::take(&mut self.exposed_scan);
        scan.reset(self.slot_register.len());
        for index in 0..self.functions.len() {
            let routine = self.functions[index];
            scan.visit_block(self, program, program.routines[routine].body);
        }
        self.exposed_scan = scan;
    }
}

/// Returns the register that a branch condition reads.
pub(crate) fn cond_register(cond: Cond) -> RegisterId {
    match cond {
        Cond::Any(guard) => guard.cc,
        Cond::NonZero(register, ..) => register,
    }
}

/// Returns the element of a texture, buffer or image array that an instruction accesses, or `None`
/// for other instructions and resources that are not in an array.
pub(crate) fn access_element(program: &Program, inst: &Inst) -> Option<IndexTerm> {
    match inst.data {
        InstData::Tex(id) => program.tex_accesses[id].element,
        InstData::Mem(id) => program.mem_accesses[id].element,
        InstData::Image(id) => program.image_accesses[id].element,
        InstData::None | InstData::Cvt { .. } => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum VisitState {
    New,
    Open,
    Done,
}
