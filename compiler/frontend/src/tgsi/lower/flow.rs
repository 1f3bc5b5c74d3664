//! Flow control: the tree of each routine. All of it can run.

use super::TgsiLowerer;
use super::inst::{LoweredInst, splat};
use crate::lower::op_builder::OpBuilder;
use crate::tgsi::checked::{CheckedGuard, CheckedInst, InstDetails};
use crate::tgsi::opcodes::Flow;
use glasm_ir::cfg::{BasicBlockId, LabelId};
use glasm_ir::inst::InstData;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Cond, Guard, Op, OperandBase, Src, Storage, WriteMask};

impl TgsiLowerer<'_> {
    /// Begins the main routine in the control tree, where helper invocations are recorded if the
    /// program asks for them.
    pub(super) fn begin_main(&mut self) {
        let emitter = &mut self.operands.emitter;
        self.tree
            .begin_block(&mut emitter.builder, BasicBlockId::default(), None);
        if self.operands.program.reads_helper {
            let register = emitter.get_helper_register();
            // Before anything can demote the invocation.
            emitter.emit_to_register(register, WriteMask::XYZW, Op::IsHelper, Type::U32, &[]);
        }
    }

    /// Lowers an instruction of flow control to nodes of the tree. Cached values are dropped where
    /// control flow joins.
    pub(super) fn lower_flow(&mut self, flow: Flow, inst: &LoweredInst, checked: &CheckedInst) {
        let span = checked.span;
        let builder = &mut self.operands.emitter.builder;
        match flow {
            Flow::If(ty) => self.begin_if(inst, ty),
            Flow::Loop => {
                self.tree.begin_loop(builder, Vec::new(), span);
                self.begin_cache_scope();
            }
            Flow::Switch => self.begin_switch(inst),
            Flow::Else => {
                self.tree.begin_else(builder);
                self.reset_cache_scope();
            }
            Flow::Case | Flow::Default => {
                self.tree
                    .begin_switch_section(builder, checked.details.case_value());
                self.reset_cache_scope();
            }
            Flow::EndIf => {
                self.tree.end_if(builder);
                self.end_cache_scope();
            }
            Flow::EndLoop => {
                if self.tree.end_loop_body(builder).is_some() {
                    self.tree.end_loop(builder, None);
                }
                self.end_cache_scope();
            }
            Flow::EndSwitch => {
                self.tree.end_switch(builder, span);
                self.end_cache_scope();
            }
            Flow::Break => self.tree.emit_break(builder, None, span),
            Flow::BreakIf => {
                let cond = Some(self.load_condition(inst, Type::U32));
                let builder = &mut self.operands.emitter.builder;
                self.tree.emit_break(builder, cond, span);
            }
            Flow::Continue => self.tree.emit_continue(builder, None, span),
            Flow::Call | Flow::Subroutine => self.lower_routine(checked),
            Flow::Return => self.tree.emit_return(builder, None, span),
            Flow::Kill => self.lower_kill(checked),
            // No code.
            Flow::EndSubroutine | Flow::End | Flow::Nothing | Flow::Unsupported => {}
        }
    }

    /// Begins a block: values that are cached from here on are valid only in it.
    fn begin_cache_scope(&mut self) {
        let count = self.operands.emitter.cached_count();
        self.cache_scopes.push(count);
    }

    /// Drops the values that the innermost block has cached, at the beginning of its other branch.
    fn reset_cache_scope(&mut self) {
        if let Some(&count) = self.cache_scopes.last() {
            self.operands.emitter.truncate_cache(count);
        }
    }

    /// Drops the values that the innermost block has cached, at its end.
    fn end_cache_scope(&mut self) {
        if let Some(count) = self.cache_scopes.pop() {
            self.operands.emitter.truncate_cache(count);
        }
    }

    /// Begins IF or UIF, whose condition is read as type `ty`; IF of 2010 tests the bits.
    fn begin_if(&mut self, inst: &LoweredInst, ty: Type) {
        // IF tested bits in 2010, when programs had no UIF.
        let is_old = self.operands.options.legacy_semantics;
        let cond = self.load_condition(inst, if is_old { Type::U32 } else { ty });
        self.begin_cache_scope();
        let emitter = &mut self.operands.emitter;
        self.tree.begin_if(&mut emitter.builder, cond, emitter.span);
    }

    /// Returns the condition that the first lane of the source is not zero.
    fn load_condition(&mut self, inst: &LoweredInst, ty: Type) -> Cond {
        let source = inst.sources[0];
        let emitter = &mut self.operands.emitter;
        // The IR tests a lane of a plain register; all else is copied to one.
        if let (OperandBase::Register(register), None, false) =
            (source.base, source.index, source.has_modifier())
            && emitter.builder.program.registers[register].storage == Storage::Temp
        {
            return Cond::NonZero(register, source.swizzle.lane(0) as u8, ty);
        }
        let test = emitter.alloc_hidden(Width::W32);
        emitter.emit_to_register(test, WriteMask::X, Op::Mov, Type::F32, &[splat(source, 0)]);
        Cond::NonZero(test, 0, ty)
    }

    /// Begins the cases of SWITCH after its selector is copied to a register.
    fn begin_switch(&mut self, inst: &LoweredInst) {
        let source = splat(inst.sources[0], 0);
        let emitter = &mut self.operands.emitter;
        let selector = emitter.add_register(Width::W32);
        emitter.emit_to_register(selector, WriteMask::X, Op::Mov, Type::F32, &[source]);
        self.begin_cache_scope();
        let emitter = &mut self.operands.emitter;
        self.tree
            .begin_switch(&mut emitter.builder, selector, emitter.span);
    }

    /// Lowers CAL and BGNSUB.
    fn lower_routine(&mut self, checked: &CheckedInst) {
        match checked.details {
            InstDetails::Call(routine) => self.lower_call(routine, checked),
            InstDetails::Subroutine(block) => self.begin_subroutine(block),
            InstDetails::None
            | InstDetails::SecondResult(_)
            | InstDetails::Lookup(_)
            | InstDetails::View(_)
            | InstDetails::Access(_)
            | InstDetails::Case(_) => {}
        }
    }

    /// Emits a call of a subroutine.
    fn lower_call(&mut self, routine: LabelId, checked: &CheckedInst) {
        let builder = &mut self.operands.emitter.builder;
        let span = checked.span;
        self.tree.emit_call(builder, None, (routine, span), span);
    }

    /// Begins a subroutine.
    fn begin_subroutine(&mut self, block: BasicBlockId) {
        // Values that the main program holds in registers are not valid in a subroutine, which may
        // be called from anywhere.
        self.operands.emitter.truncate_cache(0);
        self.cache_scopes.clear();
        let builder = &mut self.operands.emitter.builder;
        self.tree.begin_block(builder, block, None);
    }

    /// Lowers KILL: demotes the invocation to a helper and leaves the routine. `KILP` after a
    /// predicate discards the fragment where it passes.
    fn lower_kill(&mut self, checked: &CheckedInst) {
        if let Some(guard) = checked.guard {
            let guard = self.make_guard(guard);
            self.operands.emitter.emit_discard(Cond::Any(guard));
            return;
        }
        let emitter = &mut self.operands.emitter;
        // Demoted and then left: neighbors may still take derivatives of values that this
        // invocation has computed before.
        emitter.emit_inst(Op::Demote, Type::U32, None, InstData::None, &[]);
        self.tree
            .emit_return(&mut emitter.builder, None, checked.span);
    }

    /// Emits the condition codes of a predicate register and returns the guard for results.
    pub(super) fn make_guard(&mut self, guard: u32) -> Guard {
        let CheckedGuard {
            register,
            test,
            swizzle,
        } = self.operands.program.guards[guard as usize];
        let predicate = Src::from_register(register);
        Guard {
            cc: self.operands.emitter.test_value(predicate),
            test,
            swizzle,
        }
    }
}

impl InstDetails {
    /// Returns the value of CASE; `None` for DEFAULT.
    const fn case_value(self) -> Option<u32> {
        match self {
            Self::Case(value) => Some(value),
            Self::None
            | Self::SecondResult(_)
            | Self::Lookup(_)
            | Self::View(_)
            | Self::Access(_)
            | Self::Call(_)
            | Self::Subroutine(_) => None,
        }
    }
}
