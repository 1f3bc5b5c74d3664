//! The parameter block of a shader: its values.

use crate::enums::glasm_bool;
use crate::ffi_args::{self, CallerStruct, Versioned, require, write_out};
use crate::ffi_guard::{Failure, catch_to_result, glasm_result};
use crate::shader::glasm_shader;
use crate::state::glasm_state;
use glasm::Shader;
use glasm::state::{GlState, ParameterValue, ParameterValues, ShortBlock};
use std::ffi::c_char;
use std::mem::MaybeUninit;

/// Bytes of a vector of a parameter block.
const VECTOR_SIZE: usize = size_of::<[f32; 4]>();

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

/// Returns the memory of the caller for the parameter block of a shader, not longer than the block.
/// Fails if there is none, except for a shader without a block.
///
/// # Safety
/// `block` must be null, or point to memory for `vector_count` vectors that is not accessed
/// otherwise during the call.
unsafe fn get_memory<'a>(
    shader: &Shader,
    block: *mut f32,
    vector_count: usize,
) -> Result<&'a mut [u8], Failure> {
    let size = shader.parameter_block_size();
    if size == 0 {
        return Ok(&mut []);
    }
    if block.is_null() {
        return Err(Failure::invalid_argument("`block` is NULL"));
    }
    let length = size.min(vector_count.saturating_mul(VECTOR_SIZE));
    // SAFETY: it has as many bytes, none of which is invalid. Their values are read only after an
    // earlier call has written them.
    Ok(unsafe { std::slice::from_raw_parts_mut(block.cast(), length) })
}

/// Returns the failure of memory that is too short.
fn refuse_memory(error: ShortBlock) -> Failure {
    let (needed, given) = (error.needed / VECTOR_SIZE, error.given / VECTOR_SIZE);
    Failure::invalid_argument(format!(
        "`vector_count` is {given}, but the parameter block has {needed} vectors"
    ))
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
        let shader = require(shader, "shader")?.shader();
        let initial = GlState::default();
        let state = state.map_or(&initial, glasm_state::state);
        // SAFETY: the caller provides memory for that many vectors.
        let block = unsafe { get_memory(shader, block, vector_count) }?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let values = unsafe { read_parameter_lists(values) }?;
        let filled = shader.fill_parameter_block(state, &values, block);
        filled.map_err(refuse_memory)
    })
}

/// Updates the parameter block of a shader: fills it like `glasm_shader_fill_parameter_block` if it was
/// never filled, or last for another state; otherwise computes the vectors again whose state has changed, and compares those of
/// `values` with the block. Calls for blocks of other programs and targets with other values have no
/// influence on this block.
///
/// `shader`, `state` and `values` stay the caller's; NULL for `values` is none. `revision` is that of
/// the block, which the caller has set to 0 before the first call, and stays the caller's. `block`
/// points to memory of the caller for `vector_count` vectors, at least as many as the block has, with
/// the contents that the last call left in it. It is read, which is slow in mapped memory.
/// `is_changed` may be NULL; it is set to 1 if the contents have changed, so that they are uploaded
/// again, else to 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_shader_update_parameter_block(
    shader: Option<&glasm_shader>,
    state: Option<&mut glasm_state>,
    values: *const glasm_parameter_values,
    revision: Option<&mut u64>,
    block: *mut f32,
    vector_count: usize,
    mut is_changed: Option<&mut MaybeUninit<glasm_bool>>,
) -> glasm_result {
    catch_to_result(|| {
        write_out(is_changed.as_deref_mut(), 0);
        let shader = require(shader, "shader")?.shader();
        let state = require(state, "state")?;
        let revision = require(revision, "revision")?;
        // SAFETY: the caller provides memory for that many vectors.
        let block = unsafe { get_memory(shader, block, vector_count) }?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let values = unsafe { read_parameter_lists(values) }?;
        let updated = state.update_block(shader, &values, revision, block);
        write_out(is_changed, updated.map_err(refuse_memory)?.into());
        Ok(())
    })
}

/// Bytes of the name of a parameter, with the NUL at its end.
const NAME_SIZE: usize = 64;

/// A vector of a parameter block with its name and its value, for logs and debuggers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_parameter_value {
    /// Source of the value as `glasm_parameter_format` writes it, such as "state.fog.params"; longer
    /// ones end after 63 bytes.
    pub name: [c_char; 64],
    /// The value. Integers, such as numbers of subroutines, have their bits.
    pub value: [f32; 4],
    /// Offset in the block in bytes.
    pub offset: u32,
}

impl glasm_parameter_value {
    /// Returns a vector with its name.
    fn new(parameter: &ParameterValue) -> Self {
        let mut name = [0; NAME_SIZE];
        // The last byte is the NUL at the end.
        let bytes = parameter.source.to_string().into_bytes();
        for (to, byte) in name[..NAME_SIZE - 1].iter_mut().zip(bytes) {
            *to = byte as c_char;
        }
        Self {
            name,
            value: parameter.value,
            offset: parameter.offset as u32,
        }
    }
}

/// Lists the vectors of the parameter block of a shader with their names and the values with which
/// `glasm_shader_fill_parameter_block` fills it.
///
/// `shader`, `state` and `values` stay the caller's; NULL for `state` is GL's initial state, NULL
/// for `values` none. `parameters` points to memory of the caller for `capacity` of them, and may be
/// NULL if that is zero. `count` is set to the number of vectors; GLASM_RESULT_INVALID_ARGUMENT if
/// `parameters` is not NULL and there are more than `capacity`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_shader_list_parameters(
    shader: Option<&glasm_shader>,
    state: Option<&glasm_state>,
    values: *const glasm_parameter_values,
    parameters: *mut glasm_parameter_value,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
) -> glasm_result {
    catch_to_result(|| {
        let count = require(count, "count")?;
        count.write(0);
        let shader = require(shader, "shader")?.shader();
        // SAFETY: the caller answers for the structure and all that it points to.
        let values = unsafe { read_parameter_lists(values) }?;
        let initial = GlState::default();
        let state = state.map_or(&initial, glasm_state::state);
        let list = shader.list_parameters(state, &values);
        let list: Vec<_> = list.iter().map(glasm_parameter_value::new).collect();
        count.write(list.len());
        // SAFETY: the caller provides memory for that many.
        unsafe { ffi_args::write_list(parameters, capacity, &list, "parameters") }
    })
}
