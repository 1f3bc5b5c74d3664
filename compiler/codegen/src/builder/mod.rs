//! The module under construction: its sections, types, constants and what is known about each value.
//!
//! Types and constants exist once. Values derived from parameters, inputs and other values of the function's prologue stay
//! in the prologue, so they dominate the whole function; values derived in a branch are forgotten when the branch ends.

mod arith;
mod basic;
mod constant;
mod convert;
mod fold;
mod gather;
mod halves;
mod int;
mod round;
mod steps;
mod test;
mod value;
mod wide;

pub(crate) use constant::single;
pub(crate) use gather::{Lane, is_prefix};
pub(crate) use int::Flags;
use value::{Derived, NO_VALUE, SCALARS, ValueInfo, WideInts};
pub(crate) use value::{Home, Scalar, Val, compute_scalar, truth_scalar};

use crate::capability::{Need, Needs};
use crate::options::{DeviceFeatures, Options};
use crate::words::{LabelWord, TypeWord, ValueWord, Words};
use glasm_ir::{InstFlags, Stage};
use rustc_hash::FxHashMap;
use spirv::{Decoration, Op, StorageClass};

/// Constants whose bits are below this number are found by index, without a hash.
const SMALL: usize = 32;

/// Operation and operands of a type.
type TypeKey = (u64, u64, u64, u64);

/// A cached derived value that is forgotten at the end of a branch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cached {
    Part(ValueWord, u8),
    Cast(ValueWord, u8),
    Key(u64),
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
    pub(crate) device: DeviceFeatures,
    pub(crate) wide_ints: WideInts,
    /// Whether zero times anything is zero.
    pub(crate) legacy_multiply: bool,
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
    /// Results of condition tests by tested value and test, and of swizzles by value and picked components.
    pub(crate) results: FxHashMap<u64, ValueWord>,
    scalar_types: [[TypeWord; 4]; SCALARS],
    types: FxHashMap<TypeKey, TypeWord>,
    /// Constants of less than [`SMALL`], which are asked for most.
    small_constants: [[ValueWord; SMALL]; SCALARS],
    constants: FxHashMap<(Scalar, u64), ValueWord>,
    composites: FxHashMap<([ValueWord; 4], u8), ValueWord>,
    cached: Vec<Cached>,
    scopes: u32,
    glsl: ValueWord,
}

impl Builder {
    /// Empties the module and keeps the memory.
    pub(crate) fn reset(&mut self, stage: Stage, options: &Options) {
        self.stage = Some(stage);
        self.device = options.device;
        self.wide_ints = match self.device.int64 {
            true => WideInts::Native,
            false => WideInts::Pairs,
        };
        self.legacy_multiply = options.legacy_multiply;
        self.has_names = options.debug.names;
        self.flags = InstFlags::empty();
        self.needs = Needs::default();
        self.needs.insert(Need::Shader);
        for words in [
            &mut self.strings,
            &mut self.names,
            &mut self.annotations,
            &mut self.globals,
            &mut self.functions,
            &mut self.prologue,
            &mut self.body,
        ] {
            words.clear();
        }
        self.interface.clear();
        self.values.clear();
        // Id 0 does not exist in SPIR-V. Its entry lets ids be indices, and answers for lanes without a value.
        self.values.push(NO_VALUE);
        self.derived.clear();
        // Entry 0 is shared by all values of which nothing is known yet; `derived_mut` never hands it out.
        self.derived.push(Derived::default());
        self.results.clear();
        self.scalar_types = [[TypeWord::default(); 4]; SCALARS];
        self.types.clear();
        self.small_constants = [[ValueWord::NONE; SMALL]; SCALARS];
        self.constants.clear();
        self.composites.clear();
        self.cached.clear();
        self.scopes = 0;
        self.glsl = ValueWord::NONE;
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
        let info = self.info(id);
        Val {
            id,
            scalar: info.scalar,
            size: info.size,
        }
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

    // Types.

    /// The type of a vector of `size` components, or of a scalar if `size` is 1.
    #[inline(always)]
    pub(crate) fn ty(&mut self, scalar: Scalar, size: u8) -> TypeWord {
        let known = self.scalar_types[scalar as usize][size as usize - 1];
        if known.0 != 0 {
            return known;
        }
        self.new_ty(scalar, size)
    }

    fn new_ty(&mut self, scalar: Scalar, size: u8) -> TypeWord {
        let ty = match (scalar, size) {
            (Scalar::Pair, _) => self.ty(Scalar::U32, 2),
            (Scalar::BoolInt, _) => self.ty(Scalar::BoolFloat, size),
            (_, 1) => self.new_scalar_type(scalar),
            _ => {
                let component = self.ty(scalar, 1);
                self.declare_type(Op::TypeVector, &[component.0, u32::from(size)])
            }
        };
        self.scalar_types[scalar as usize][size as usize - 1] = ty;
        ty
    }

    fn new_scalar_type(&mut self, scalar: Scalar) -> TypeWord {
        let (op, operands): (Op, &[u32]) = match scalar {
            Scalar::BoolFloat | Scalar::BoolInt => (Op::TypeBool, &[]),
            Scalar::U8 => (Op::TypeInt, &[8, 0]),
            Scalar::U16 => (Op::TypeInt, &[16, 0]),
            Scalar::U32 | Scalar::Pair => (Op::TypeInt, &[32, 0]),
            Scalar::S32 => (Op::TypeInt, &[32, 1]),
            Scalar::F32 => (Op::TypeFloat, &[32]),
            Scalar::U64 => (Op::TypeInt, &[64, 0]),
            Scalar::F64 => (Op::TypeFloat, &[64]),
        };
        match scalar {
            Scalar::U8 => self.needs.insert(Need::Int8),
            Scalar::U16 => self.needs.insert(Need::Int16),
            Scalar::U64 => self.needs.insert(Need::Int64),
            Scalar::F64 => self.needs.insert(Need::Float64),
            Scalar::BoolFloat
            | Scalar::BoolInt
            | Scalar::U32
            | Scalar::S32
            | Scalar::F32
            | Scalar::Pair => {}
        }
        self.declare_type(op, operands)
    }

    /// The type that `op` with `operands` declares; the same declaration twice gives the same type.
    pub(crate) fn declare_type(&mut self, op: Op, operands: &[u32]) -> TypeWord {
        // SPIR-V forbids equal declarations of types that are neither aggregates nor pointers. The key has room for seven operands,
        // as many as `OpTypeImage` has; no operand is `u32::MAX`, so the padding is unambiguous.
        let word = |index| u64::from(operands.get(index).map_or(u32::MAX, |&operand| operand));
        let pair = |index| word(index) << 32 | word(index + 1);
        let key = ((op as u64) << 32 | word(0), pair(1), pair(3), pair(5));
        if let Some(&ty) = self.types.get(&key) {
            return ty;
        }
        let ty = self.declare_distinct_type(op, operands);
        self.types.insert(key, ty);
        ty
    }

    /// A type of its own, to be decorated.
    pub(crate) fn declare_distinct_type(&mut self, op: Op, operands: &[u32]) -> TypeWord {
        let id = self.fresh();
        self.globals.head(op, operands.len() + 1);
        self.globals.0.push(id);
        self.globals.0.extend_from_slice(operands);
        TypeWord(id)
    }

    /// The type of pointers to `pointee`.
    pub(crate) fn pointer(&mut self, class: StorageClass, pointee: TypeWord) -> TypeWord {
        self.declare_type(Op::TypePointer, &[class as u32, pointee.0])
    }

    /// A module-scope variable of type `pointee`, zero at the start if its class allows that.
    pub(crate) fn variable(&mut self, class: StorageClass, pointee: TypeWord) -> ValueWord {
        let pointer = self.pointer(class, pointee);
        let id = self.object();
        // Registers that were never written read as 0, in memory as in values; without an initializer they would be undefined.
        if class == StorageClass::Private {
            let zero = self.null(pointee);
            self.globals
                .result(Op::Variable, pointer, id, &[class as u32, zero.0]);
        } else {
            self.globals
                .result(Op::Variable, pointer, id, &[class as u32]);
        }
        self.interface.push(id.0);
        id
    }

    /// The zero of any type.
    pub(crate) fn null(&mut self, ty: TypeWord) -> ValueWord {
        // The key is the type. No composite has `u8::MAX` components, so it cannot meet another one.
        let key = [
            ValueWord(ty.0),
            ValueWord::NONE,
            ValueWord::NONE,
            ValueWord::NONE,
        ];
        if let Some(&id) = self.composites.get(&(key, u8::MAX)) {
            return id;
        }
        let id = self.object();
        self.globals.result(Op::ConstantNull, ty, id, &[]);
        self.composites.insert((key, u8::MAX), id);
        id
    }

    /// Decorates `id`.
    pub(crate) fn decorate(
        &mut self,
        id: impl Into<u32>,
        decoration: Decoration,
        operands: &[u32],
    ) {
        self.annotations.head(Op::Decorate, operands.len() + 2);
        self.annotations.0.push(id.into());
        self.annotations.0.push(decoration as u32);
        self.annotations.0.extend_from_slice(operands);
    }

    // Constants.

    /// The constant with these bits.
    #[inline]
    pub(crate) fn constant(&mut self, scalar: Scalar, bits: u64) -> ValueWord {
        if bits >= SMALL as u64 {
            return self.hashed_constant(scalar, bits);
        }
        let known = self.small_constants[scalar as usize][bits as usize];
        if known.is_some() {
            return known;
        }
        let id = self.hashed_constant(scalar, bits);
        self.small_constants[scalar as usize][bits as usize] = id;
        id
    }

    fn hashed_constant(&mut self, scalar: Scalar, bits: u64) -> ValueWord {
        let bits = if scalar.is_wide() {
            bits
        } else {
            bits & 0xffff_ffff
        };
        if let Some(&id) = self.constants.get(&(scalar, bits)) {
            return id;
        }
        if scalar == Scalar::Pair {
            return self.pair_constant(bits);
        }
        let ty = self.ty(scalar, 1);
        let id = self.value(scalar, 1, Home::Constant);
        self.derived_mut(id).bits = bits;
        let (low, high) = (bits as u32, (bits >> 32) as u32);
        match scalar {
            Scalar::BoolFloat | Scalar::BoolInt if bits == 0 => {
                self.globals.result(Op::ConstantFalse, ty, id, &[])
            }
            Scalar::BoolFloat | Scalar::BoolInt => {
                self.globals.result(Op::ConstantTrue, ty, id, &[])
            }
            Scalar::U64 | Scalar::F64 => self.globals.result(Op::Constant, ty, id, &[low, high]),
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::S32 | Scalar::F32 | Scalar::Pair => {
                self.globals.result(Op::Constant, ty, id, &[low]);
            }
        }
        self.constants.insert((scalar, bits), id);
        id
    }

    fn pair_constant(&mut self, bits: u64) -> ValueWord {
        let low = self.constant(Scalar::U32, bits & 0xffff_ffff);
        let high = self.constant(Scalar::U32, bits >> 32);
        let ty = self.ty(Scalar::U32, 2);
        let id = self.value(Scalar::Pair, 1, Home::Constant);
        self.derived_mut(id).bits = bits;
        self.globals
            .result(Op::ConstantComposite, ty, id, &[low.0, high.0]);
        self.constants.insert((Scalar::Pair, bits), id);
        id
    }

    /// A 32-bit integer constant.
    pub(crate) fn uint(&mut self, value: u32) -> ValueWord {
        self.constant(Scalar::U32, u64::from(value))
    }

    /// A 32-bit float constant.
    pub(crate) fn float(&mut self, value: f32) -> ValueWord {
        self.constant(Scalar::F32, u64::from(value.to_bits()))
    }

    /// The constant vector of scalar constants.
    pub(crate) fn composite(&mut self, scalar: Scalar, parts: &[ValueWord]) -> ValueWord {
        let mut key = [ValueWord::NONE; 4];
        key[..parts.len()].copy_from_slice(parts);
        if let Some(&id) = self.composites.get(&(key, parts.len() as u8)) {
            return id;
        }
        let ty = self.ty(scalar, parts.len() as u8);
        let id = self.value(scalar, parts.len() as u8, Home::Constant);
        self.globals.head(Op::ConstantComposite, parts.len() + 2);
        self.globals.0.extend([ty.0, id.0]);
        self.globals.0.extend(parts.iter().map(|part| part.0));
        self.derived_mut(id).parts = key;
        self.composites.insert((key, parts.len() as u8), id);
        id
    }

    /// A constant of `size` equal components.
    pub(crate) fn constant_splat(&mut self, scalar: Scalar, bits: u64, size: u8) -> Val {
        let one = self.constant(scalar, bits);
        let id = if size == 1 {
            one
        } else {
            self.composite(scalar, &[one; 4][..size as usize])
        };
        Val { id, scalar, size }
    }

    /// The bits of `id` if it is a scalar constant.
    pub(crate) fn constant_bits(&self, id: ValueWord) -> Option<u64> {
        let info = self.info(id);
        (info.home == Home::Constant && info.size == 1).then(|| self.derived(id).bits)
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
        let id = self.derive(Home::Body, op, scalar, size, operands);
        Val { id, scalar, size }
    }

    /// Appends an instruction with a value to the part of the function where values with this home live.
    pub(crate) fn derive(
        &mut self,
        home: Home,
        op: Op,
        scalar: Scalar,
        size: u8,
        operands: &[u32],
    ) -> ValueWord {
        let ty = self.ty(scalar, size);
        let id = self.value(scalar, size, home);
        let words = self.section(home);
        match *operands {
            [a] => words.result(op, ty, id, &[a]),
            [a, b] => words.result(op, ty, id, &[a, b]),
            [a, b, c, d] => words.result(op, ty, id, &[a, b, c, d]),
            [a, b, c, d, e, f] => words.result(op, ty, id, &[a, b, c, d, e, f]),
            _ => words.long_result(op, ty, id, operands),
        }
        id
    }

    /// The part of the function where values with this home live.
    #[inline]
    pub(crate) fn section(&mut self, home: Home) -> &mut Words {
        match home {
            Home::Prologue => &mut self.prologue,
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
                Cached::Key(key) => {
                    self.results.remove(&key);
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
        if self.scopes > 0 {
            self.cached.push(cached);
        }
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
        self.results.clear();
        self.cached.clear();
    }
}

impl Builder {
    pub(crate) fn branch(&mut self, label: LabelWord) {
        self.body.op(Op::Branch, &[label.0]);
        self.reachable = false;
    }

    pub(crate) fn begin_block(&mut self, label: LabelWord) {
        self.body.op(Op::Label, &[label.0]);
        self.block = label;
        self.reachable = true;
    }

    pub(crate) fn void(&mut self) -> TypeWord {
        self.declare_type(Op::TypeVoid, &[])
    }

    /// The scalar in which 64-bit integers are kept.
    pub(crate) fn wide_int(&self) -> Scalar {
        match self.wide_ints {
            WideInts::Native => Scalar::U64,
            WideInts::Pairs => Scalar::Pair,
        }
    }
}
