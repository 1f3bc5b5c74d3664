//! Builder of the SPIR-V module, in two layers.
//!
//! The inner layer, [`ModuleWriter`], owns all of the module except the open function: types,
//! constants, variables, decorations, names and the capabilities that they require. It cannot
//! compute values. The outer layer, [`ValueBuilder`], owns the open function: it gathers lanes into
//! vectors, reads values as other types and emits single instructions, which are folded if their
//! operands are constants.
//!
//! Sequences of several instructions are in modules of functions that only compute values:
//! [`arith`], [`condition_code`], [`convert`], [`float_narrowing`], [`int`] and
//! [`int64_emulation`]. They use the same interface of the builder as emission.

pub(crate) mod arith;
pub(crate) mod condition_code;
pub(crate) mod convert;
pub(crate) mod float_narrowing;
pub(crate) mod int;
pub(crate) mod int64_emulation;
pub(crate) mod lane;
pub(crate) mod masked;
mod module_writer;
mod value;
mod value_builder;

pub(crate) use lane::{Lane, LaneSelection, blend};
pub(crate) use module_writer::ModuleWriter;
use value::{
    DerivedValues, NO_VALUE, ResultKey, SCALAR_COUNT, STORAGE_CLASS_COUNT, TypeDeclarations,
    ValueCache, ValueInfo, WideIntRepr,
};
pub(crate) use value::{
    Extreme, OverflowCarry, Scalar, Val, ValueOrigin, arithmetic_scalar, bool_scalar,
    half_to_single_bits, select_by_base, select_by_sign,
};
pub(crate) use value_builder::{ValueBuilder, choose_loop_control};
