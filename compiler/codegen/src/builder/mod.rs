//! The module under construction: its sections, types, constants and what is known about each value.
//!
//! Types and constants exist once. Values derived from parameters, inputs and other values of the function's prologue stay
//! in the prologue, so they dominate the whole function; values derived in a branch are forgotten when the branch ends.

mod arith;
mod basic;
mod cast;
mod constant;
mod construct;
mod convert;
mod declared;
mod fold;
mod fused;
mod gather;
mod halves;
mod int;
mod lane;
mod narrow;
mod precision;
mod results;
mod round;
mod steps;
mod test;
mod types;
mod value;
mod wide;

use declared::Declared;
pub(crate) use lane::{Lane, Picks, blend};
use results::{ResultKey, Results};
use value::{Derived, NO_VALUE, OfType, SCALARS, ValueInfo, WideInts};
pub(crate) use value::{
    Extreme, Flags, Home, Scalar, Val, by_base, by_sign, compute_scalar, single, truth_scalar,
};

use crate::capability::{Need, Needs};
use crate::error::Failure;
use crate::kept::refill;
use crate::options::{DeviceFeatures, Options, Target};
use crate::words::{LabelWord, TypeWord, ValueWord, Words};
use glasm_ir::program::Modes;
use glasm_ir::{InstFlags, Stage};
use spirv::{BuiltIn, Decoration, Op};

// Zeros, truth values, numbers of elements and shift counts of words are below it: of what code is made of beside the
// constants of the program, nearly all.
/// Constants whose bits are below this number are found by index, without a hash.
const SMALL: usize = 32;

/// A cached derived value that is forgotten at the end of a branch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cached {
    Part(ValueWord, u8),
    Cast(ValueWord, u8),
    Result(ValueWord, ResultKey),
}

/// The module under construction.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    /// Capabilities and what they bring.
    pub(crate) needs: Needs,
    /// Whether values get names.
    pub(crate) has_names: bool,
    /// What the module is for.
    stage: Option<Stage>,
    pub(crate) target: Target,
    pub(crate) device: DeviceFeatures,
    pub(crate) wide_ints: WideInts,
    /// Whether zero times anything is zero.
    pub(crate) zero_product: bool,
    /// Whether all results of 32 bits are told to be exact. OpenGL has no float controls unless its driver knows them from Vulkan: drivers take for granted that
    /// infinities and NaN cancel each other out, and sums in another order for the same, unless results are told to be exact.
    is_exact: bool,
    /// Whether numbers with few bits are left as they are.
    pub(crate) fast_precision: bool,
    /// Whether code flushes denormals, because the device is not told to.
    pub(crate) flushes_denormals: bool,
    /// Flags of the open instruction.
    pub(crate) flags: InstFlags,
    /// The open block.
    pub(crate) block: LabelWord,
    /// Whether control reaches the end of the open block.
    pub(crate) reachable: bool,
    /// `OpString`.
    pub(crate) strings: Words,
    /// `OpName`.
    pub(crate) names: Words,
    /// Decorations.
    pub(crate) annotations: Words,
    /// Types, constants, variables.
    pub(crate) globals: Words,
    /// All functions but the newest; of that one the head.
    pub(crate) functions: Words,
    /// Start of the entry block of the newest function.
    pub(crate) prologue: Words,
    /// Rest of the newest function.
    pub(crate) body: Words,
    /// Variables for the interface of the entry point: inputs and outputs, from SPIR-V 1.4 on all.
    pub(crate) interface: Vec<u32>,
    /// What is known about each id.
    values: Vec<ValueInfo>,
    derived: Vec<Derived>,
    results: Results,
    /// What was declared for each type that something was declared for.
    of_types: Vec<OfType>,
    scalar_types: [[TypeWord; 4]; SCALARS],
    void: TypeWord,
    /// Types that are neither scalars, vectors nor pointers, by where their declarations end.
    types: Declared,
    /// Constants of less than [`SMALL`], which are asked for most.
    small_constants: [[ValueWord; SMALL]; SCALARS],
    /// Other scalars, and vectors.
    constants: Declared,
    cached: Vec<Cached>,
    scopes: u32,
    glsl: ValueWord,
}

impl Builder {
    /// Empties the module and keeps the memory.
    pub(crate) fn reset(&mut self, stage: Stage, modes: &Modes, options: &Options) {
        self.stage = Some(stage);
        self.target = options.target;
        self.device = options.device;
        // Pairs in all of the module, since an id has one type whatever instruction reads it.
        self.wide_ints = match self.device.int64 {
            true => WideInts::Native,
            false => WideInts::Pairs,
        };
        self.zero_product = options.legacy_multiply || modes.zero_product;
        self.fast_precision = options.fast_precision;
        self.flushes_denormals = flushes_denormals(stage, modes, options);
        self.has_names = options.debug.names;
        self.is_exact = !options.fast_precision
            && match self.device.signed_zero_inf_nan_preserve_float32 {
                // With the execution mode special numbers are preserved without it. Equal
                // instructions of the register languages, which are those without denormals, give
                // equal results in all programs (rules X and X+1 of NV_vertex_program's additions
                // to appendix A), and where zero wins no device could fuse products with sums
                // anyway: products are selections then.
                true => self.zero_product || modes.flush_denormals,
                false => options.target.is_opengl(),
            };
        self.flags = InstFlags::empty();
        self.needs = Needs::default();
        self.needs.insert(Need::Shader);
        self.reset_sections();
        self.reset_values();
        self.reset_declarations();
    }

    fn reset_sections(&mut self) {
        self.strings.clear();
        self.names.clear();
        self.annotations.clear();
        self.globals.clear();
        self.functions.clear();
        self.prologue.clear();
        self.body.clear();
        self.interface.clear();
    }

    fn reset_values(&mut self) {
        // Id 0 does not exist in SPIR-V. Its entry lets ids be indices, and answers for lanes without a value.
        refill(&mut self.values, 1, NO_VALUE);
        // Entry 0 is shared by all values of which nothing is known yet; `derived_mut` never hands it out.
        refill(&mut self.derived, 1, Derived::default());
        self.results.reset();
        self.cached.clear();
        self.scopes = 0;
    }

    fn reset_declarations(&mut self) {
        // Entry 0 stands for types for which nothing was declared.
        refill(&mut self.of_types, 1, OfType::default());
        self.scalar_types = [[TypeWord::default(); 4]; SCALARS];
        self.void = TypeWord::default();
        self.types.clear();
        self.small_constants = [[ValueWord::NONE; SMALL]; SCALARS];
        self.constants.clear();
        self.glsl = ValueWord::NONE;
    }

    /// Notes a need, or gives an error if the device lacks it.
    pub(crate) fn require(&mut self, need: Need) -> Result<(), Failure> {
        self.needs.require(&self.device, need)
    }

    /// The stage that the module is for.
    pub(crate) fn stage(&self) -> Stage {
        self.stage.expect("the module was started")
    }

    /// One past the largest id.
    pub(crate) fn bound(&self) -> u32 {
        self.values.len() as u32
    }

    #[inline]
    fn fresh(&mut self) -> u32 {
        let id = self.bound();
        self.values.push(NO_VALUE);
        id
    }

    /// A new label.
    pub(crate) fn label(&mut self) -> LabelWord {
        LabelWord(self.fresh())
    }

    /// A new id for something that is no computed value: a variable, a function, a pointer.
    pub(crate) fn object(&mut self) -> ValueWord {
        ValueWord(self.fresh())
    }

    /// A new id for a value of the body.
    #[inline]
    pub(crate) fn value(&mut self, scalar: Scalar, size: u8, home: Home) -> ValueWord {
        let id = ValueWord(self.bound());
        self.values.push(ValueInfo {
            scalar,
            size,
            home,
            ..NO_VALUE
        });
        id
    }

    /// What is known about `id`.
    #[inline]
    pub(crate) fn info(&self, id: ValueWord) -> ValueInfo {
        self.values[id.0 as usize]
    }

    /// What follows the head of a module, in the order that SPIR-V wants.
    pub(crate) fn sections(&self) -> [&Words; 7] {
        [
            // SPIR-V section 2.4: debug information, annotations, then types, constants and global variables, then functions.
            &self.strings,
            &self.names,
            &self.annotations,
            &self.globals,
            &self.functions,
            &self.prologue,
            &self.body,
        ]
    }

    /// What was derived from `id`.
    #[inline]
    pub(crate) fn derived(&self, id: ValueWord) -> &Derived {
        &self.derived[self.values[id.0 as usize].derived as usize]
    }

    pub(crate) fn derived_mut(&mut self, id: ValueWord) -> &mut Derived {
        let place = &mut self.values[id.0 as usize].derived;
        if *place == 0 {
            *place = self.derived.len() as u32;
            self.derived.push(Derived::default());
        }
        &mut self.derived[*place as usize]
    }

    /// `id` with its type.
    pub(crate) fn val(&self, id: ValueWord) -> Val {
        let ValueInfo { scalar, size, .. } = self.info(id);
        Val::new(id, scalar, size)
    }

    /// The id of the GLSL.std.450 instructions.
    pub(crate) fn glsl(&mut self) -> ValueWord {
        if !self.glsl.is_some() {
            self.glsl = self.object();
        }
        self.glsl
    }

    /// The id of the GLSL.std.450 instructions if any was used.
    pub(crate) fn glsl_if_used(&self) -> Option<ValueWord> {
        self.glsl.is_some().then_some(self.glsl)
    }

    /// Names an object, if the module has names.
    pub(crate) fn name(&mut self, id: ValueWord, name: impl FnOnce() -> String) {
        if self.has_names {
            self.names.op_string(Op::Name, &[id.0], &name(), &[]);
        }
    }

    /// Names a type, if the module has names.
    pub(crate) fn name_type(&mut self, ty: TypeWord, name: &str) {
        if self.has_names {
            self.names.op_string(Op::Name, &[ty.0], name, &[]);
        }
    }

    /// Names a member of a structure, if the module has names.
    pub(crate) fn name_member(&mut self, ty: TypeWord, member: u32, name: &str) {
        if self.has_names {
            self.names
                .op_string(Op::MemberName, &[ty.0, member], name, &[]);
        }
    }

    /// Decorates `id`.
    pub(crate) fn decorate<const N: usize>(
        &mut self,
        id: impl Into<u32>,
        decoration: Decoration,
        operands: &[u32; N],
    ) {
        let leading = [id.into(), decoration as u32];
        self.annotations.about(Op::Decorate, leading, operands);
    }

    /// Makes a variable one of SPIR-V's own.
    pub(crate) fn decorate_builtin(&mut self, id: ValueWord, builtin: BuiltIn) {
        self.decorate(id, Decoration::BuiltIn, &[builtin as u32]);
    }

    // Instructions.

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

    /// [`op`](Self::op) with any number of operands.
    pub(crate) fn long_op(&mut self, op: Op, scalar: Scalar, size: u8, operands: &[u32]) -> Val {
        let id = self.derive_long(Home::Body, op, scalar, size, operands);
        Val { id, scalar, size }
    }

    /// Appends an instruction with a value to the part of the function where values with this home live.
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

    /// [`derive`](Self::derive) with any number of operands.
    pub(crate) fn derive_long(
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

    /// The part of the function where values with this home live.
    #[inline]
    pub(crate) fn section(&mut self, home: Home) -> &mut Words {
        match home {
            Home::Prologue => &mut self.prologue,
            // Nothing that needs an instruction is a constant; what is derived from one goes to the body.
            Home::Constant | Home::Body => &mut self.body,
        }
    }

    /// Starts a branch whose derived values end with it; the mark goes to [`close_scope`](Self::close_scope).
    pub(crate) fn open_scope(&mut self) -> usize {
        self.scopes += 1;
        self.cached.len()
    }

    /// Forgets what was derived since the mark.
    pub(crate) fn close_scope(&mut self, mark: usize) {
        self.scopes -= 1;
        while self.cached.len() > mark {
            let Some(cached) = self.cached.pop() else {
                return;
            };
            // The blocks that follow are not dominated by the branch, so its values must not be found again.
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

    /// Whether a branch is open.
    pub(crate) fn in_branch(&self) -> bool {
        self.scopes > 0
    }

    /// Notes that a derived value was cached, so that it is forgotten with the branch.
    #[inline]
    pub(crate) fn remember(&mut self, cached: Cached) {
        // Outside of all branches a value dominates the rest of the function.
        if self.scopes > 0 {
            self.cached.push(cached);
        }
    }

    /// What was computed of `id` before.
    #[inline]
    fn known_result(&self, id: ValueWord, key: ResultKey) -> Option<ValueWord> {
        self.results.find(self.derived(id).results, key)
    }

    /// Keeps what was computed of `id`, until the function ends.
    fn keep_result(&mut self, id: ValueWord, key: ResultKey, value: ValueWord) {
        let before = self.derived(id).results;
        self.derived_mut(id).results = self.results.add(before, key, value);
    }

    /// Makes room for the next function.
    pub(crate) fn finish_function(&mut self) {
        self.functions.append(&self.prologue);
        self.functions.append(&self.body);
        self.prologue.clear();
        self.body.clear();
    }

    /// Forgets every test result; at function ends.
    pub(crate) fn forget_function(&mut self) {
        self.results.forget_function();
        self.cached.clear();
    }
}

/// Whether a program needs code to be without denormals. Compute programs that flush are state programs, which run once: they can
/// afford it.
fn flushes_denormals(stage: Stage, modes: &Modes, options: &Options) -> bool {
    let is_left = modes.flush_denormals && !options.device.denorm_flush_to_zero_float32;
    is_left && (options.exact_denormals || stage == Stage::Compute)
}

impl Builder {
    /// Ends the open block, after which another one is begun at once.
    pub(crate) fn jump(&mut self, label: LabelWord) {
        self.body.op(Op::Branch, &[label.0]);
    }

    /// Ends the open block; what comes next is not reached from here.
    pub(crate) fn branch(&mut self, label: LabelWord) {
        self.jump(label);
        self.reachable = false;
    }

    pub(crate) fn begin_block(&mut self, label: LabelWord) {
        self.body.op(Op::Label, &[label.0]);
        self.block = label;
        self.reachable = true;
    }

    /// The scalar in which 64-bit integers are kept.
    pub(crate) fn wide_int(&self) -> Scalar {
        match self.wide_ints {
            WideInts::Native => Scalar::U64,
            WideInts::Pairs => Scalar::Pair,
        }
    }
}
