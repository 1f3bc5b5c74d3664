//! Operands and results of instructions.

pub(crate) mod constant;
pub(crate) mod context;
pub(crate) mod index;
pub(crate) mod memory_operand;
pub(crate) mod operand;
pub(crate) mod texture;
pub(crate) mod unit_operand;
