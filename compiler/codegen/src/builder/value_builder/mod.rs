//! Values of the open function: instructions, scopes, and cached results of each value.
//!
//! Values derived from parameters, inputs and other values of the function's prologue are also in
//! the prologue, so they dominate the whole function; values derived in a branch are dropped when
//! the branch ends.

mod fold;
mod gather;
mod instructions;
mod vector_construct;

pub(crate) use instructions::choose_loop_control;

use super::{Lane, LaneSelection, ModuleWriter, Scalar, Val, ValueOrigin};
use super::{ResultKey, ValueCache};
use crate::options::Options;
use crate::spirv_writer::{LabelWord, SpirvWriter, ValueWord};
use glasm_ir::program::Modes;
use glasm_ir::{InstFlags, Stage};
use spirv::Op;
use std::ops::{Deref, DerefMut};

/// Cached derived value that is dropped at the end of a branch.
#[derive(Clone, Copy, Debug)]
enum CachedValue {
    Part(ValueWord, u8),
    Cast(ValueWord, u8),
    Result(ValueWord, ResultKey),
}

/// Builder of the values of the open function, containing the writer of the rest of the module.
#[derive(Debug, Default)]
pub(crate) struct ValueBuilder {
    module: ModuleWriter,
    /// True if zero times any value is zero.
    pub(crate) zero_product: bool,
    /// True if all 32-bit results are declared exact. OpenGL has no float controls unless its
    /// driver shares them with Vulkan: drivers assume that infinities and NaN cancel out, and
    /// reorder sums, unless results are declared exact.
    is_exact: bool,
    /// True if numbers of lower precision are not rounded.
    pub(crate) fast_precision: bool,
    /// True if code flushes denormals, because the device does not.
    pub(crate) flushes_denormals: bool,
    /// Flags of the open instruction.
    pub(crate) flags: InstFlags,
    /// Open block.
    pub(crate) block: LabelWord,
    /// True if control reaches the end of the open block.
    pub(crate) reachable: bool,
    /// Start of the entry block of the newest function.
    pub(crate) prologue: SpirvWriter,
    /// Rest of the newest function.
    pub(crate) body: SpirvWriter,
    value_cache: ValueCache,
    scoped_values: Vec<CachedValue>,
    open_scopes: u32,
}

impl Deref for ValueBuilder {
    type Target = ModuleWriter;

    fn deref(&self) -> &ModuleWriter {
        &self.module
    }
}

impl DerefMut for ValueBuilder {
    fn deref_mut(&mut self) -> &mut ModuleWriter {
        &mut self.module
    }
}

impl ValueBuilder {
    /// Clears the module and the function for a stage, modes and options, and retains the memory.
    /// Determines the float arithmetic of the module: products of zero, precision, denormals and
    /// exactness.
    pub(crate) fn reset(&mut self, stage: Stage, modes: &Modes, options: &Options) {
        self.module.reset(stage, options);
        self.zero_product = options.zero_wins_multiply || modes.zero_times_inf_is_zero;
        self.fast_precision = options.skip_precision_rounding;
        self.flushes_denormals = flushes_denormals(stage, modes, options);
        self.is_exact = !options.skip_precision_rounding
            && if self.device.signed_zero_inf_nan_preserve_float32 {
                // With the execution mode special numbers are preserved without declaring results
                // exact. Equal instructions of the register languages, which are the languages
                // without denormals, have equal results in all programs (rules X and X+1 of
                // NV_vertex_program's additions to appendix A), and if zero takes precedence no
                // device could fuse products with sums anyway: products are then selections.
                self.zero_product || modes.flush_denormals
            } else {
                options.target.is_opengl()
            };
        self.flags = InstFlags::empty();
        self.prologue.clear();
        self.body.clear();
        self.value_cache.reset();
        self.scoped_values.clear();
        self.open_scopes = 0;
    }

    /// Returns the sections after the head of a module, in the order that SPIR-V requires.
    pub(crate) fn sections(&self) -> [&SpirvWriter; 7] {
        [
            // SPIR-V section 2.4: debug information, annotations, then types, constants and global
            // variables, then functions.
            &self.strings,
            &self.names,
            &self.annotations,
            &self.globals,
            &self.functions,
            &self.prologue,
            &self.body,
        ]
    }

    /// Appends an instruction with a result of `size` components of type `scalar` to the body of
    /// the open function and returns the result. It is neither folded nor decorated.
    #[inline(always)]
    pub(crate) fn emit_op<const N: usize>(
        &mut self,
        op: Op,
        scalar: Scalar,
        size: u8,
        operands: &[u32; N],
    ) -> Val {
        let ty = self.get_type(scalar, size);
        let id = self.new_value(scalar, size, ValueOrigin::Body);
        self.body.push_result_inst(op, ty, id, operands);
        Val { id, scalar, size }
    }

    /// Appends an instruction with a result and any number of operands to the body of the open
    /// function.
    pub(crate) fn emit_variadic_op(
        &mut self,
        op: Op,
        scalar: Scalar,
        size: u8,
        operands: &[u32],
    ) -> Val {
        let id = self.emit_variadic_op_at(ValueOrigin::Body, op, scalar, size, operands);
        Val { id, scalar, size }
    }

    /// Appends an instruction with a result of `size` components of type `scalar` to the part of
    /// the function for values of this origin, and returns its id.
    pub(crate) fn emit_op_at<const N: usize>(
        &mut self,
        origin: ValueOrigin,
        op: Op,
        scalar: Scalar,
        size: u8,
        operands: &[u32; N],
    ) -> ValueWord {
        let ty = self.get_type(scalar, size);
        let id = self.new_value(scalar, size, origin);
        self.section_mut(origin)
            .push_result_inst(op, ty, id, operands);
        id
    }

    /// Appends an instruction with any number of operands and a result of `size` components of type
    /// `scalar` to the part of the function for values of this origin, and returns its id.
    fn emit_variadic_op_at(
        &mut self,
        origin: ValueOrigin,
        op: Op,
        scalar: Scalar,
        size: u8,
        operands: &[u32],
    ) -> ValueWord {
        let ty = self.get_type(scalar, size);
        let id = self.new_value(scalar, size, origin);
        self.section_mut(origin)
            .push_variadic_result_inst(op, ty, id, operands);
        id
    }

    /// Returns the section of the function that contains instructions of this origin.
    pub(crate) fn section_mut(&mut self, origin: ValueOrigin) -> &mut SpirvWriter {
        match origin {
            ValueOrigin::Prologue => &mut self.prologue,
            // Results of instructions are not constants; values derived from constants are appended
            // to the body.
            ValueOrigin::Constant | ValueOrigin::Body => &mut self.body,
        }
    }

    /// Starts a branch whose derived values are dropped at its end; the mark is the argument of
    /// [`close_scope`](Self::close_scope).
    pub(crate) fn open_scope(&mut self) -> usize {
        self.open_scopes += 1;
        self.scoped_values.len()
    }

    /// Drops the derived values that were cached since `open_scope` returned `mark`. The scope must
    /// be the innermost one.
    pub(crate) fn close_scope(&mut self, mark: usize) {
        self.open_scopes -= 1;
        while self.scoped_values.len() > mark {
            let Some(cached) = self.scoped_values.pop() else {
                return;
            };
            // The following blocks are not dominated by the branch, so its values must not be
            // reused.
            match cached {
                CachedValue::Part(id, index) => {
                    self.derived_mut(id).parts[index as usize] = ValueWord::NONE;
                }
                CachedValue::Cast(id, index) => {
                    self.derived_mut(id).casts[index as usize] = ValueWord::NONE;
                }
                CachedValue::Result(id, key) => {
                    let end = self.derived(id).results;
                    self.derived_mut(id).results = self.value_cache.remove(end, key);
                }
            }
        }
    }

    /// Returns true if a scope of a branch is open, in which new values are unavailable elsewhere.
    pub(crate) fn is_in_branch(&self) -> bool {
        self.open_scopes > 0
    }

    /// Records that a derived value was cached, so that it is dropped with the branch. Does nothing
    /// outside of all branches, where values remain available until the end of the function.
    fn record_scoped(&mut self, cached: CachedValue) {
        // Outside of all branches a value dominates the rest of the function.
        if self.open_scopes > 0 {
            self.scoped_values.push(cached);
        }
    }

    /// Returns the cached result of `id` with this key; `None` if there is none.
    pub(super) fn find_cached_result(&self, id: ValueWord, key: ResultKey) -> Option<ValueWord> {
        self.value_cache.find(self.derived(id).results, key)
    }

    /// Caches a result that was computed from `id`, until the function ends.
    pub(super) fn cache_result(&mut self, id: ValueWord, key: ResultKey, value: ValueWord) {
        let before = self.derived(id).results;
        self.derived_mut(id).results = self.value_cache.add(before, key, value);
    }

    /// Caches a result of `id` until the branch or the function ends.
    pub(super) fn cache_result_in_branch(
        &mut self,
        id: ValueWord,
        key: ResultKey,
        value: ValueWord,
    ) {
        self.cache_result(id, key, value);
        self.record_scoped(CachedValue::Result(id, key));
    }

    /// Appends prologue and body of the open function to the module and clears them.
    pub(crate) fn finish_function(&mut self) {
        self.module.functions.append(&self.prologue);
        self.module.functions.append(&self.body);
        self.prologue.clear();
        self.body.clear();
    }

    /// Invalidates all cached results, because the function ends.
    pub(crate) fn end_function(&mut self) {
        self.value_cache.end_function();
        self.scoped_values.clear();
    }
}

/// Decides whether a program needs code to flush denormals. Compute programs that flush are state
/// programs, which run once, so the cost is acceptable.
fn flushes_denormals(stage: Stage, modes: &Modes, options: &Options) -> bool {
    let is_left = modes.flush_denormals && !options.device.denorm_flush_to_zero_float32;
    is_left && (options.emulate_denormal_flush || stage == Stage::Compute)
}
