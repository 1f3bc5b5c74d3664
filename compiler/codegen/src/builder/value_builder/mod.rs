//! Values of the open function: instructions, scopes, and cached results of each value.
//!
//! Values derived from parameters, inputs and other values of the function's prologue are also in
//! the prologue, so they dominate the whole function; values derived in a branch are dropped when
//! the branch ends.

mod basic;
mod blocks;
mod cast;
mod construct;
mod fold;
mod gather;

pub(crate) use blocks::choose_loop_control;

use super::results::{ResultKey, Results};
use super::{Home, Lane, ModuleWriter, Picks, Scalar, Val};
use crate::options::Options;
use crate::words::{LabelWord, ValueWord, Words};
use glasm_ir::program::Modes;
use glasm_ir::{InstFlags, Stage};
use spirv::Op;
use std::ops::{Deref, DerefMut};

/// Cached derived value that is dropped at the end of a branch.
#[derive(Clone, Copy, Debug)]
enum Cached {
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
    pub(crate) prologue: Words,
    /// Rest of the newest function.
    pub(crate) body: Words,
    results: Results,
    cached: Vec<Cached>,
    scopes: u32,
}

impl Deref for ValueBuilder {
    type Target = ModuleWriter;

    #[inline]
    fn deref(&self) -> &ModuleWriter {
        &self.module
    }
}

impl DerefMut for ValueBuilder {
    #[inline]
    fn deref_mut(&mut self) -> &mut ModuleWriter {
        &mut self.module
    }
}

impl ValueBuilder {
    /// Clears the module and retains the memory.
    pub(crate) fn reset(&mut self, stage: Stage, modes: &Modes, options: &Options) {
        self.module.reset(stage, options);
        self.zero_product = options.legacy_multiply || modes.zero_product;
        self.fast_precision = options.fast_precision;
        self.flushes_denormals = flushes_denormals(stage, modes, options);
        self.is_exact = !options.fast_precision
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
        self.results.reset();
        self.cached.clear();
        self.scopes = 0;
    }

    /// Returns the sections after the head of a module, in the order that SPIR-V requires.
    pub(crate) fn sections(&self) -> [&Words; 7] {
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

    /// Appends an instruction with a value to the body.
    #[inline(always)]
    pub(crate) fn op<const N: usize>(
        &mut self,
        op: Op,
        scalar: Scalar,
        size: u8,
        operands: &[u32; N],
    ) -> Val {
        let ty = self.ty(scalar, size);
        let id = self.value(scalar, size, Home::Body);
        self.body.result(op, ty, id, operands);
        Val { id, scalar, size }
    }

    /// Appends an instruction with a value and any number of operands to the body.
    pub(crate) fn long_op(&mut self, op: Op, scalar: Scalar, size: u8, operands: &[u32]) -> Val {
        let id = self.derive_long(Home::Body, op, scalar, size, operands);
        Val { id, scalar, size }
    }

    /// Appends an instruction with a value to the part of the function for values with this home.
    #[inline]
    pub(crate) fn derive<const N: usize>(
        &mut self,
        home: Home,
        op: Op,
        scalar: Scalar,
        size: u8,
        operands: &[u32; N],
    ) -> ValueWord {
        let ty = self.ty(scalar, size);
        let id = self.value(scalar, size, home);
        self.section(home).result(op, ty, id, operands);
        id
    }

    /// Appends an instruction with any number of operands to the part of the function for values
    /// with this home.
    fn derive_long(
        &mut self,
        home: Home,
        op: Op,
        scalar: Scalar,
        size: u8,
        operands: &[u32],
    ) -> ValueWord {
        let ty = self.ty(scalar, size);
        let id = self.value(scalar, size, home);
        self.section(home).long_result(op, ty, id, operands);
        id
    }

    /// Returns the part of the function for values with this home.
    #[inline]
    pub(crate) fn section(&mut self, home: Home) -> &mut Words {
        match home {
            Home::Prologue => &mut self.prologue,
            // Results of instructions are not constants; values derived from constants are appended
            // to the body.
            Home::Constant | Home::Body => &mut self.body,
        }
    }

    /// Starts a branch whose derived values are dropped at its end; the mark is the argument of
    /// [`close_scope`](Self::close_scope).
    pub(crate) fn open_scope(&mut self) -> usize {
        self.scopes += 1;
        self.cached.len()
    }

    /// Drops the values derived since the mark.
    pub(crate) fn close_scope(&mut self, mark: usize) {
        self.scopes -= 1;
        while self.cached.len() > mark {
            let Some(cached) = self.cached.pop() else {
                return;
            };
            // The following blocks are not dominated by the branch, so its values must not be
            // reused.
            match cached {
                Cached::Part(id, index) => {
                    self.derived_mut(id).parts[index as usize] = ValueWord::NONE;
                }
                Cached::Cast(id, index) => {
                    self.derived_mut(id).casts[index as usize] = ValueWord::NONE;
                }
                Cached::Result(id, key) => {
                    let end = self.derived(id).results;
                    self.derived_mut(id).results = self.results.remove(end, key);
                }
            }
        }
    }

    /// Returns true if a branch is open.
    pub(crate) fn is_in_branch(&self) -> bool {
        self.scopes > 0
    }

    /// Records that a derived value was cached, so that it is dropped with the branch.
    #[inline]
    fn remember(&mut self, cached: Cached) {
        // Outside of all branches a value dominates the rest of the function.
        if self.scopes > 0 {
            self.cached.push(cached);
        }
    }

    /// Returns a cached result of `id`.
    #[inline]
    pub(super) fn find_result(&self, id: ValueWord, key: ResultKey) -> Option<ValueWord> {
        self.results.find(self.derived(id).results, key)
    }

    /// Caches a result of `id` until the function ends.
    pub(super) fn keep_result(&mut self, id: ValueWord, key: ResultKey, value: ValueWord) {
        let before = self.derived(id).results;
        self.derived_mut(id).results = self.results.add(before, key, value);
    }

    /// Caches a result of `id` until the branch or the function ends.
    pub(super) fn keep_result_in_branch(
        &mut self,
        id: ValueWord,
        key: ResultKey,
        value: ValueWord,
    ) {
        self.keep_result(id, key, value);
        self.remember(Cached::Result(id, key));
    }

    /// Appends the open function to the finished functions.
    pub(crate) fn finish_function(&mut self) {
        self.module.functions.append(&self.prologue);
        self.module.functions.append(&self.body);
        self.prologue.clear();
        self.body.clear();
    }

    /// Invalidates every test result at the end of a function.
    pub(crate) fn forget_function(&mut self) {
        self.results.forget_function();
        self.cached.clear();
    }
}

/// Decides whether a program needs code to flush denormals. Compute programs that flush are state
/// programs, which run once, so the cost is acceptable.
fn flushes_denormals(stage: Stage, modes: &Modes, options: &Options) -> bool {
    let is_left = modes.flush_denormals && !options.device.denorm_flush_to_zero_float32;
    is_left && (options.exact_denormals || stage == Stage::Compute)
}
