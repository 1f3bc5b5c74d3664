//! Tests of the frontend: errors with positions, lowering, and values in the interpreter.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod arb_errors;
mod arb_fragment_options;
mod arb_jumps;
mod arb_relative;
mod arb_values;
mod counts;
mod errors;
mod fp1_values;
mod handles;
mod headers;
mod image_errors;
mod lenient;
mod lower;
mod memory_errors;
mod memory_reuse;
mod memory_values;
mod messages;
mod multiview;
mod primitives;
mod primitives_lower;
mod program_boundaries;
mod registers;
mod residency;
mod robust;
mod state_programs;
mod support;
mod tgsi_errors;
mod tgsi_opcodes;
mod tgsi_robust;
mod values;
mod vertex2_jumps;
