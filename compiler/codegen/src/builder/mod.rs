//! Builder of the SPIR-V module, in two layers.
//!
//! The inner layer, [`ModuleWriter`], owns all of the module except the open function: types,
//! constants, variables, decorations, names and the capabilities that they require. It cannot
//! compute values. The outer layer, [`ValueBuilder`], owns the open function: it gathers lanes into
//! vectors, reads values as other types and emits single instructions, which are folded if their
//! operands are constants.
//!
//! Sequences of several instructions are in modules of functions that only compute values:
//! [`arith`], [`convert`], [`fused`], [`int`], [`masked`], [`narrow`], [`precision`], [`mod@test`]
//! and [`wide`]. They use the same interface of the builder as emission.

pub(crate) mod arith;
pub(crate) mod convert;
pub(crate) mod fused;
pub(crate) mod int;
mod lane;
pub(crate) mod masked;
mod module_writer;
pub(crate) mod narrow;
pub(crate) mod precision;
mod results;
pub(crate) mod test;
mod value;
mod value_builder;
pub(crate) mod wide;

pub(crate) use lane::{Lane, Picks, blend};
pub(crate) use module_writer::ModuleWriter;
use results::ResultKey;
pub(crate) use value::{
    Extreme, Flags, Home, Scalar, Val, by_base, by_sign, compute_scalar, single, truth_scalar,
};
pub(crate) use value_builder::{ValueBuilder, choose_loop_control};
