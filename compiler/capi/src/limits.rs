//! Resources of a program that GL limits, and limits of the caller.

use crate::diagnostics::{glasm_diagnostics, write_diagnostics};
use crate::ffi_args::{self, CallerStruct, Versioned, require, write_out};
use crate::ffi_guard::{Failure, catch_to_result, glasm_result};
use crate::program::glasm_program;
use glasm::{Limits, ResourceCounts};
use glasm_capi_macros::c_struct;
use std::mem::MaybeUninit;
use std::ptr;

/// Resources of a program that GL limits, by its text. The answers to queries of native resources
/// (PROGRAM_NATIVE_INSTRUCTIONS_ARB and so on) are the same: what options and GL state add to a
/// module is not counted. All counts of TGSI programs are 0.
#[c_struct(ResourceCounts)]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_resource_counts {
    /// Size of the structure in bytes, as the caller knows it.
    pub size: usize,
    /// PROGRAM_INSTRUCTIONS_ARB
    pub instructions: u32,
    /// PROGRAM_ALU_INSTRUCTIONS_ARB
    pub alu_instructions: u32,
    /// PROGRAM_TEX_INSTRUCTIONS_ARB: texture accesses, and KIL.
    pub texture_instructions: u32,
    /// PROGRAM_TEX_INDIRECTIONS_ARB: nodes of the longest chain of dependent texture accesses as
    /// the text has them, 1 at least.
    pub texture_indirections: u32,
    /// PROGRAM_TEMPORARIES_ARB, elements of arrays each.
    pub temporaries: u32,
    /// PROGRAM_PARAMETERS_ARB: different parameters, state vectors and constant vectors.
    pub parameters: u32,
    /// PROGRAM_ATTRIBS_ARB: different attributes; in vertex programs those that have a slot, unlike
    /// vertex.id and other system values.
    pub attributes: u32,
    /// PROGRAM_ADDRESS_REGISTERS_ARB
    pub address_registers: u32,
    /// PROGRAM_ATTRIB_COMPONENTS_NV: components of attributes that swizzles of operands read.
    pub attribute_components: u32,
    /// PROGRAM_RESULT_COMPONENTS_NV: components of results that write masks of instructions enable.
    pub result_components: u32,
}

/// Limits on programs in a GL that the caller implements. `glasm_program_limits_init` fills it with
/// 0xffffffff everywhere: no limits except those of the library.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_program_limits {
    /// Size of the structure in bytes, as the caller knows it.
    pub size: usize,
    /// MAX_PROGRAM_INSTRUCTIONS_ARB
    pub instructions: u32,
    /// MAX_PROGRAM_ALU_INSTRUCTIONS_ARB
    pub alu_instructions: u32,
    /// MAX_PROGRAM_TEX_INSTRUCTIONS_ARB
    pub texture_instructions: u32,
    /// MAX_PROGRAM_TEX_INDIRECTIONS_ARB
    pub texture_indirections: u32,
    /// MAX_PROGRAM_TEMPORARIES_ARB; TEMP[n] of TGSI programs
    pub temporaries: u32,
    /// MAX_PROGRAM_PARAMETERS_ARB; CONST[n] of TGSI programs
    pub parameters: u32,
    /// MAX_PROGRAM_ATTRIBS_ARB; IN[n] of TGSI programs
    pub attributes: u32,
    /// MAX_PROGRAM_ADDRESS_REGISTERS_ARB; ADDR[n] of TGSI programs
    pub address_registers: u32,
    /// MAX_PROGRAM_ATTRIB_COMPONENTS_NV
    pub attribute_components: u32,
    /// MAX_PROGRAM_RESULT_COMPONENTS_NV
    pub result_components: u32,
    /// MAX_PROGRAM_ENV_PARAMETERS_ARB
    pub env_parameters: u32,
    /// MAX_PROGRAM_LOCAL_PARAMETERS_ARB
    pub local_parameters: u32,
    /// MAX_TEXTURE_IMAGE_UNITS_ARB, or the limit of the program type: texture[n]
    pub texture_units: u32,
    /// MAX_TEXTURE_COORDS_ARB: also of texture matrices and texture coordinate generation
    pub texture_coordinate_sets: u32,
    /// MAX_TEXTURE_UNITS: state.texenv[n]
    pub texture_environments: u32,
    /// MAX_PROGRAM_MATRICES_ARB
    pub program_matrices: u32,
    /// MAX_VERTEX_UNITS_ARB: state.matrix.modelview[n], vertex.weight[n], vertex.matrixindex[n]
    pub vertex_units: u32,
    /// MAX_PALETTE_MATRICES_ARB
    pub palette_matrices: u32,
    /// MAX_LIGHTS
    pub lights: u32,
    /// MAX_CLIP_PLANES: state.clip[n], result.clip[n]
    pub clip_planes: u32,
    /// MAX_PROGRAM_GENERIC_ATTRIBS_NV, for vertex programs MAX_VERTEX_ATTRIBS_ARB
    pub generic_attributes: u32,
    /// MAX_PROGRAM_GENERIC_RESULTS_NV
    pub generic_results: u32,
    /// MAX_PROGRAM_PATCH_ATTRIBS_NV
    pub patch_attributes: u32,
    /// MAX_DRAW_BUFFERS: result.color[n]
    pub draw_buffers: u32,
    /// MAX_IMAGE_UNITS
    pub image_units: u32,
    /// MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV
    pub parameter_buffer_bindings: u32,
    /// MAX_SHADER_STORAGE_BUFFER_BINDINGS
    pub storage_buffer_bindings: u32,
    /// MAX_ATOMIC_COUNTER_BUFFER_BINDINGS
    pub atomic_counter_buffer_bindings: u32,
    /// MAX_PROGRAM_SUBROUTINE_PARAMETERS_NV
    pub subroutine_parameters: u32,
    /// MAX_PROGRAM_SUBROUTINE_NUM_NV
    pub subroutines: u32,
    /// MAX_PROGRAM_IF_DEPTH_NV
    pub if_depth: u32,
    /// MAX_PROGRAM_LOOP_DEPTH_NV
    pub loop_depth: u32,
    /// MAX_PROGRAM_CALL_DEPTH_NV
    pub call_depth: u32,
}

/// Writes the conversions of limits, from the members of [`ResourceCounts`] and those of [`Limits`]. None
/// is omitted by `..`, so that the compiler reports new ones.
macro_rules! limits {
    ($($member:ident)*; $($number:ident)*) => {
        impl From<Limits> for glasm_program_limits {
            fn from(limits: Limits) -> Self {
                let Limits { counts: ResourceCounts { $($member,)* }, $($number,)* } = limits;
                Self { size: size_of::<Self>(), $($member,)* $($number,)* }
            }
        }

        impl From<glasm_program_limits> for Limits {
            fn from(limits: glasm_program_limits) -> Self {
                let glasm_program_limits { size: _, $($member,)* $($number,)* } = limits;
                Self { counts: ResourceCounts { $($member,)* }, $($number,)* }
            }
        }

        /// Returns limits whose members all differ, so that a test detects exchanged ones.
        #[cfg(test)]
        fn make_distinct_limits() -> Limits {
            let mut last = 0;
            let mut next = || { last += 1; last };
            Limits { counts: ResourceCounts { $($member: next(),)* }, $($number: next(),)* }
        }
    };
}

limits! {
    instructions alu_instructions texture_instructions texture_indirections temporaries parameters attributes address_registers
    attribute_components result_components;
    env_parameters local_parameters texture_units texture_coordinate_sets texture_environments program_matrices
    vertex_units palette_matrices lights clip_planes generic_attributes generic_results patch_attributes draw_buffers
    image_units parameter_buffer_bindings storage_buffer_bindings atomic_counter_buffer_bindings subroutine_parameters subroutines if_depth
    loop_depth call_depth
}

// SAFETY: it begins with the size.
unsafe impl Versioned for glasm_resource_counts {}

// SAFETY: it begins with the size.
unsafe impl Versioned for glasm_program_limits {}

// SAFETY: numbers.
unsafe impl CallerStruct for glasm_program_limits {
    fn initial() -> Self {
        Self::from(Limits::default())
    }
}

/// Counts the resources of a program that GL limits: the results of queries of
/// PROGRAM_INSTRUCTIONS_ARB and so on. The first call for a program takes as long as loading it.
///
/// `program` stays the caller's. `counts` is the caller's, too, with its size set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_program_count_resources(
    program: Option<&glasm_program>,
    counts: *mut glasm_resource_counts,
) -> glasm_result {
    catch_to_result(|| {
        let values = require(program, "program")?.program().counts().into();
        // SAFETY: the caller's structure has the size that it states.
        unsafe { ffi_args::write_struct(counts, values, "counts") }
    })
}

/// Fills limits with their initial values: no limits. `size` is `sizeof(glasm_program_limits)`.
///
/// `limits` belongs to the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_program_limits_init(
    limits: *mut glasm_program_limits,
    size: usize,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller's structure has this size.
        unsafe { ffi_args::init_struct(limits, size, "limits") }
    })
}

/// Checks a program against limits of the caller: `glProgramStringARB` fails for programs that
/// exceed them. GLASM_RESULT_PROGRAM_ERROR if the program does.
///
/// `program` and `limits` stay the caller's. `diagnostics` may be NULL; it is set to an error for
/// each limit that the program exceeds, which the caller owns and frees with
/// `glasm_diagnostics_free`, or to NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_program_check_limits(
    program: Option<&glasm_program>,
    limits: *const glasm_program_limits,
    mut diagnostics: Option<&mut MaybeUninit<*mut glasm_diagnostics>>,
) -> glasm_result {
    catch_to_result(|| {
        write_out(diagnostics.as_deref_mut(), ptr::null_mut());
        let program = require(program, "program")?;
        // SAFETY: the caller's structure has the size that it states.
        let limits = unsafe { ffi_args::read_struct(limits, "limits") }?;
        program
            .program()
            .check_limits(&limits.into())
            .map_err(|found| {
                let failure = Failure::program(&found, &program.source());
                write_diagnostics(diagnostics, found, &program.source());
                failure
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that members which a caller has not changed set no limit, and that every member is
    /// converted to the library and back.
    #[test]
    fn limits_are_those_of_the_library() {
        assert_eq!(
            Limits::from(glasm_program_limits::initial()),
            Limits::default()
        );
        let given = make_distinct_limits();
        assert_eq!(Limits::from(glasm_program_limits::from(given)), given);
    }
}
