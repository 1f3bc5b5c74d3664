//! The parameter block of a shader: its values.

use crate::ffi_args::{self, CallerStruct, Versioned, require};
use crate::ffi_guard::{Failure, catch_to_result, glasm_result};
use crate::shader::glasm_shader;
use crate::state::glasm_state;
use glasm::state::{GlState, ParameterValues};

/// Values that an application has set, in addition to GL's state. A value past the end of a list is
/// (0, 0, 0, 0), or the initial value of a named parameter.
///
/// All that it points to belongs to the caller and is read only during the call that gets it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_parameter_values {
    /// Size of the structure in bytes, as the caller knows it.
    pub size: usize,
    /// program.env of the program's target: four floats each.
    pub env: *const f32,
    /// Number of vectors.
    pub env_count: usize,
    /// program.local: four floats each.
    pub local: *const f32,
    /// Number of vectors.
    pub local_count: usize,
    /// Parameters with names, in the order of the reflection: four floats each.
    pub named: *const f32,
    /// Number of vectors.
    pub named_count: usize,
    /// Numbers of subroutines, by program.subroutine.
    pub subroutine_indices: *const u32,
    /// Number of them.
    pub subroutine_count: usize,
    /// Argument with which a vertex state program is executed.
    pub state_program_argument: [f32; 4],
}

// SAFETY: it begins with the size.
unsafe impl Versioned for glasm_parameter_values {}

// SAFETY: numbers and pointers.
unsafe impl CallerStruct for glasm_parameter_values {}

/// Reads values of the caller; NULL denotes none.
///
/// # Safety
/// `values` must be null, or as [`ffi_args::read_struct`] requires, and what it points to must be there
/// during the call.
unsafe fn read_parameter_lists<'a>(
    values: *const glasm_parameter_values,
) -> Result<ParameterValues<'a>, Failure> {
    let given = if values.is_null() {
        glasm_parameter_values::initial()
    } else {
        // SAFETY: the caller of this function guarantees it.
        unsafe { ffi_args::read_struct(values, "values") }?
    };
    // SAFETY: as above; an array of four floats is four floats.
    unsafe {
        Ok(ParameterValues {
            env: ffi_args::read_list(given.env.cast(), given.env_count, "env")?,
            local: ffi_args::read_list(given.local.cast(), given.local_count, "local")?,
            named: ffi_args::read_list(given.named.cast(), given.named_count, "named")?,
            subroutines: ffi_args::read_list(
                given.subroutine_indices,
                given.subroutine_count,
                "subroutines",
            )?,
            argument: given.state_program_argument,
        })
    }
}

/// Fills the parameter block of a shader: the bytes for the buffer at `parameter_block_slot` of its
/// reflection, 16 for each of `parameter_count` vectors. Values come from GL's state, from values
/// that the application has set, and from the program.
///
/// `shader`, `state` and `values` stay the caller's; NULL for `state` is GL's initial state, NULL
/// for `values` none. `block` points to memory of the caller for `vector_count` vectors, at least
/// as many as the block has; it may be mapped memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_shader_fill_parameter_block(
    shader: Option<&glasm_shader>,
    state: Option<&glasm_state>,
    values: *const glasm_parameter_values,
    block: *mut f32,
    vector_count: usize,
) -> glasm_result {
    catch_to_result(|| {
        let reflection = &require(shader, "shader")?.shader().reflection;
        // SAFETY: the caller answers for the structure and all that it points to.
        let values = unsafe { read_parameter_lists(values) }?;
        let sources = reflection.parameter_block.as_ref();
        let slots = sources.map_or(&[][..], |block| &block.parameters);
        if slots.is_empty() {
            return Ok(());
        }
        if block.is_null() || vector_count < slots.len() {
            return Err(Failure::invalid_argument(format!(
                "`block` is NULL or too small: the parameter block has {} vectors",
                slots.len()
            )));
        }
        let initial = GlState::default();
        let state = state.map_or(&initial, glasm_state::state);
        for (index, source) in slots.iter().enumerate() {
            let bits = values.evaluate_param(*source, state, reflection);
            // SAFETY: the caller provides memory for more vectors than there are slots; an array of
            // four words is as large as four floats.
            unsafe { block.cast::<[u32; 4]>().add(index).write_unaligned(bits) };
        }
        Ok(())
    })
}
