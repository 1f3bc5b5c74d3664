//! Typed numbers in buffers: type names, layouts, encoding and decoding.

mod layout;
mod types;
mod values;

pub use layout::{DataLayout, MajorAxis, Packing};
pub use types::{DataType, Scalar, Value};
pub use values::{DataRange, Literal, Radix, Sequence, TypedData, Written};
