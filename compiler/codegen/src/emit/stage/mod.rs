//! What depends on the stage: inputs and outputs, primitives, patches, fragments, thread groups.
//!
//! `outputs`, `views` and `capture` store outputs in the variables of `output_variable`; `gl_state` is what GL state adds to
//! them, and `fragment_tests` are the tests of fragments.

pub(super) mod capture;
pub(super) mod copies;
pub(super) mod fragment;
pub(super) mod fragment_tests;
pub(super) mod gl_state;
pub(super) mod group;
pub(super) mod inputs;
pub(super) mod output_variable;
pub(super) mod outputs;
pub(super) mod patch;
pub(super) mod primitive;
pub(super) mod views;
