//! The parameter block of a shader: its values.

use crate::call::{Failure, enter, glasm_result};
use crate::memory::{self, FromC, Versioned, require};
use crate::shader::glasm_shader;
use crate::state::glasm_state;
use glasm::Reflection;
use glasm::ir::{ParamSource, Stage};
use glasm::state::GlState;

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
    pub subroutines: *const u32,
    /// Number of them.
    pub subroutine_count: usize,
    /// Argument with which a vertex state program is executed.
    pub argument: [f32; 4],
}

// SAFETY: it begins with the size.
unsafe impl Versioned for glasm_parameter_values {}

// SAFETY: numbers and pointers.
unsafe impl FromC for glasm_parameter_values {}

/// The lists of a structure of values.
struct Values<'a> {
    env: &'a [[f32; 4]],
    local: &'a [[f32; 4]],
    named: &'a [[f32; 4]],
    subroutines: &'a [u32],
    argument: [f32; 4],
}

/// Reads values of the caller; NULL denotes none.
///
/// # Safety
/// `values` must be null, or as [`memory::read`] requires, and what it points to must be there
/// during the call.
unsafe fn read_values<'a>(values: *const glasm_parameter_values) -> Result<Values<'a>, Failure> {
    let given = if values.is_null() {
        glasm_parameter_values::initial()
    } else {
        // SAFETY: the caller of this function guarantees it.
        unsafe { memory::read(values, "values") }?
    };
    // SAFETY: as above; an array of four floats is four floats.
    unsafe {
        Ok(Values {
            env: memory::read_list(given.env.cast(), given.env_count, "env")?,
            local: memory::read_list(given.local.cast(), given.local_count, "local")?,
            named: memory::read_list(given.named.cast(), given.named_count, "named")?,
            subroutines: memory::read_list(
                given.subroutines,
                given.subroutine_count,
                "subroutines",
            )?,
            argument: given.argument,
        })
    }
}

impl Values<'_> {
    /// Returns the bits of the value of a parameter.
    fn evaluate(&self, source: ParamSource, state: &GlState, reflection: &Reflection) -> [u32; 4] {
        let vector = |list: &[[f32; 4]], index: u32| {
            let found = list.get(index as usize);
            found.copied()
        };
        let floats = match source {
            ParamSource::Env(index) => evaluate_tracked(state, reflection.stage, index)
                .or_else(|| vector(self.env, index))
                .unwrap_or_default(),
            ParamSource::Local(index) => vector(self.local, index).unwrap_or_default(),
            ParamSource::State(param) => state.evaluate(param),
            ParamSource::Argument => self.argument,
            ParamSource::Literal(bits) => return bits,
            ParamSource::Subroutine(index) => {
                let number = self.subroutines.get(index as usize);
                return [number.copied().unwrap_or(0), 0, 0, 0];
            }
            ParamSource::Named(index) => match vector(self.named, index) {
                Some(value) => value,
                None => {
                    let named = reflection.named.get(index as usize);
                    return named.map_or([0; 4], |named| named.initial);
                }
            },
        };
        floats.map(f32::to_bits)
    }
}

/// Returns the matrix row in a parameter of vertex programs that tracks a matrix; `None` if it
/// tracks none.
fn evaluate_tracked(state: &GlState, stage: Stage, index: u32) -> Option<[f32; 4]> {
    (stage == Stage::Vertex)
        .then(|| state.tracked_row(index))
        .flatten()
}

/// Fills the parameter block of a shader: the bytes for the buffer at `parameter_slot` of its
/// reflection, 16 for each of `parameter_count` vectors. Values come from GL's state, from values
/// that the application has set, and from the program.
///
/// `shader`, `state` and `values` stay the caller's; NULL for `state` is GL's initial state, NULL
/// for `values` none. `block` points to memory of the caller for `vector_count` vectors, at least
/// as many as the block has; it may be mapped memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_shader_parameter_block(
    shader: Option<&glasm_shader>,
    state: Option<&glasm_state>,
    values: *const glasm_parameter_values,
    block: *mut f32,
    vector_count: usize,
) -> glasm_result {
    enter(|| {
        let reflection = &require(shader, "shader")?.shader().reflection;
        // SAFETY: the caller answers for the structure and all that it points to.
        let values = unsafe { read_values(values) }?;
        let slots = reflection.params.as_ref();
        let slots = slots.map_or(&[][..], |block| &block.slots);
        if slots.is_empty() {
            return Ok(());
        }
        if block.is_null() || vector_count < slots.len() {
            return Err(Failure::argument("`block` is NULL or too small"));
        }
        let initial = GlState::default();
        let state = state.map_or(&initial, glasm_state::state);
        for (place, slot) in slots.iter().enumerate() {
            let bits = values.evaluate(*slot, state, reflection);
            // SAFETY: the caller provides memory for more vectors than there are slots; an array of
            // four words is as large as four floats.
            unsafe { block.cast::<[u32; 4]>().add(place).write_unaligned(bits) };
        }
        Ok(())
    })
}
