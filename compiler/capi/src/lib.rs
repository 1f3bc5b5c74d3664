//! The C interface of glasm: `include/glasm.h`.
//!
//! Functions and types have the names that they have in C; the header is generated from these
//! files, so that their documentation is the header's. Rules for all of them:
//!
//! - Every function runs inside of `ffi_guard::catch_or`: no panic reaches the caller.
//! - Pointers that may be null and that C owns are `Option<&T>`, pointers to results of a call are
//!   `Option<&mut MaybeUninit<T>>`, and objects that a call frees are `Option<Box<T>>`. So nearly
//!   all functions need no unsafe code; the rest is in `ffi_args` and in functions with raw pointers
//!   whose length is another argument or a field.
//! - Values of an enumeration that C passes are `u32` and are looked up (`enums`): an enumeration
//!   of Rust must never hold another value than its own. Results of a call are enumerations.
//! - Types that mirror one of the library have the attributes `c_enum` and `c_struct` (`macros`),
//!   which write the conversions. They are ordinary items nevertheless: the header comes from the
//!   sources before macros are expanded.
//! - Structures that the caller allocates begin with their size; see `ffi_args::Versioned`. Elements
//!   of lists do not, and remain unchanged in all versions with the same shared library name.

#![expect(
    non_camel_case_types,
    reason = "types have the names that they have in C"
)]
#![allow(
    clippy::missing_safety_doc,
    reason = "what callers owe is said once, at the top of the header, and for each pointer in its own words"
)]

mod abi_sizes;
pub mod cache;
pub mod compiler;
pub mod descriptors;
pub mod diagnostics;
pub mod enums;
mod ffi_args;
pub mod ffi_guard;
pub mod fixed_function;
pub mod limits;
pub mod link;
pub mod matrix;
pub mod matrix_commands;
pub mod names;
pub mod options;
mod options_from_c;
pub mod owned_options;
pub mod parameter_block;
pub mod parameters;
pub mod pipeline_cache;
pub mod program;
pub mod reflection;
mod reflection_lists;
pub mod semantic;
pub mod set_layouts;
pub mod shader;
pub mod source;
pub mod stages;
pub mod state;
pub mod state_forms;
pub mod state_groups;
pub mod state_parameter;
pub mod state_words;
mod strings;
pub mod text;
pub mod text_output;
pub mod validate;
pub mod variables;
pub mod variants;
pub mod varyings;

#[cfg(test)]
mod tests {
    /// Checks the statement of the header about threads.
    #[test]
    fn threads_may_share_handles() {
        fn shared<T: Send + Sync>() {}
        shared::<crate::compiler::glasm_compiler>();
        shared::<crate::diagnostics::glasm_diagnostics>();
        shared::<crate::set_layouts::glasm_set_layouts>();
        shared::<crate::link::glasm_pipeline>();
        shared::<crate::pipeline_cache::glasm_pipeline_cache>();
        shared::<crate::program::glasm_program>();
        shared::<crate::shader::glasm_shader>();
        shared::<crate::text_output::glasm_text>();
    }
}
