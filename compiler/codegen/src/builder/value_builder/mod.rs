//! Values of the open function: instructions, scopes, and what was computed of each value before.
//!
//! Values derived from parameters, inputs and other values of the function's prologue stay in the
//! prologue, so they dominate the whole function; values derived in a branch are dropped when the
//! branch ends.

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

/// A cached derived value that is dropped at the end of a branch.
#[derive(Clone, Copy, Debug)]
enum Cached {
    Part(ValueWord, u8),
    Cast(ValueWord, u8),
    Result(ValueWord, ResultKey),
}

/// Builder of the values of the open function, around the writer of the rest of the module.
#[derive(Debug, Default)]
pub(crate) struct ValueBuilder {
    module: ModuleWriter,
    /// Whether zero times anything is zero.
    pub(crate) zero_product: bool,
    /// Whether all results of 32 bits are declared exact. OpenGL has no float controls unless its
    /// driver knows them from Vulkan: drivers take for granted that infinities and NaN cancel each
    /// other out, and sums in another order for the same, unless results are declared exact.
    is_exact: bool,
    /// Whether numbers with few bits are left unchanged.
    pub(crate) fast_precision: bool,
    /// Whether code flushes denormals, because the device does not.
    pub(crate) flushes_denormals: bool,
    /// Flags of the open instruction.
    pub(crate) flags: InstFlags,
    /// The open block.
    pub(crate) block: LabelWord,
    /// Whether control reaches the end of the open block.
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
    /// Empties the module and retains the memory.
    pub(crate) fn reset(&mut self, stage: Stage, modes: &Modes, options: &Options) {
        self.module.reset(stage, options);
        self.zero_product = options.legacy_multiply || modes.zero_product;
        self.fast_precision = options.fast_precision;
        self.flushes_denormals = flushes_denormals(stage, modes, options);
        self.is_exact = !options.fast_precision
            && if self.device.signed_zero_inf_nan_preserve_float32 {
                // With the execution mode special numbers are preserved without it. Equal
                // instructions of the register languages, which are those without denormals, give
                // equal results in all programs (rules X and X+1 of NV_vertex_program's additions
                // to appendix A), and where zero wins no device could fuse products with sums
                // anyway: products are selections then.
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

    /// Returns what follows the head of a module, in the order that SPIR-V wants.
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

    /// Does what [`op`](Self::op) does with any number of operands.
    pub(crate) fn long_op(&mut self, op: Op, scalar: Scalar, size: u8, operands: &[u32]) -> Val {
        let id = self.derive_long(Home::Body, op, scalar, size, operands);
        Val { id, scalar, size }
    }

    /// Appends an instruction with a value to the part of the function where values with this home
    /// live.
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

    /// Does what [`derive`](Self::derive) does with any number of operands.
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

    /// Returns the part of the function where values with this home live.
    #[inline]
    pub(crate) fn section(&mut self, home: Home) -> &mut Words {
        match home {
            Home::Prologue => &mut self.prologue,
            // Nothing that needs an instruction is a constant; what is derived from one goes to the
            // body.
            Home::Constant | Home::Body => &mut self.body,
        }
    }

    /// Starts a branch whose derived values end with it; the mark goes to
    /// [`close_scope`](Self::close_scope).
    pub(crate) fn open_scope(&mut self) -> usize {
        self.scopes += 1;
        self.cached.len()
    }

    /// Drops what was derived since the mark.
    pub(crate) fn close_scope(&mut self, mark: usize) {
        self.scopes -= 1;
        while self.cached.len() > mark {
            let Some(cached) = self.cached.pop() else {
                return;
            };
            // The blocks that follow are not dominated by the branch, so its values must not be
            // found again.
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

    /// Returns whether a branch is open.
    pub(crate) fn is_in_branch(&self) -> bool {
        self.scopes > 0
    }

    /// Notes that a derived value was cached, so that it is dropped with the branch.
    #[inline]
    fn remember(&mut self, cached: Cached) {
        // Outside of all branches a value dominates the rest of the function.
        if self.scopes > 0 {
            self.cached.push(cached);
        }
    }

    /// Finds what was computed of `id` before.
    #[inline]
    pub(super) fn find_result(&self, id: ValueWord, key: ResultKey) -> Option<ValueWord> {
        self.results.find(self.derived(id).results, key)
    }

    /// Retains what was computed of `id`, until the function ends.
    pub(super) fn keep_result(&mut self, id: ValueWord, key: ResultKey, value: ValueWord) {
        let before = self.derived(id).results;
        self.derived_mut(id).results = self.results.add(before, key, value);
    }

    /// Retains what was computed of `id`, until the branch or the function ends.
    pub(super) fn keep_result_in_branch(
        &mut self,
        id: ValueWord,
        key: ResultKey,
        value: ValueWord,
    ) {
        self.keep_result(id, key, value);
        self.remember(Cached::Result(id, key));
    }

    /// Appends the open function to those that are finished.
    pub(crate) fn finish_function(&mut self) {
        self.module.functions.append(&self.prologue);
        self.module.functions.append(&self.body);
        self.prologue.clear();
        self.body.clear();
    }

    /// Clears every test result; at function ends.
    pub(crate) fn forget_function(&mut self) {
        self.results.forget_function();
        self.cached.clear();
    }
}

/// Decides whether a program needs code to be without denormals. Compute programs that flush are
/// state programs, which run once: they can afford it.
fn flushes_denormals(stage: Stage, modes: &Modes, options: &Options) -> bool {
    let is_left = modes.flush_denormals && !options.device.denorm_flush_to_zero_float32;
    is_left && (options.exact_denormals || stage == Stage::Compute)
}
