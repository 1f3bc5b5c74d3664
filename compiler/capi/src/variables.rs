//! Inputs and outputs of a program, before it is compiled for a target.

use crate::enums::{glasm_base_type, glasm_bool, glasm_interpolation, glasm_sampling};
use crate::ffi_args::{require, return_list};
use crate::program::glasm_program;
use crate::semantic::glasm_semantic_info;
use glasm::{Input, Output, Program, Semantic, find_tgsi_output_registers};
use glasm_capi_macros::c_struct;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// An input of a program from the preceding stage, the vertex or the system. Its location in
/// modules is in the reflection of a shader.
#[c_struct(Input)]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_program_input {
    /// Its semantic.
    pub semantic: glasm_semantic_info,
    /// Type as the program declares it.
    #[from(base)]
    pub base_type: glasm_base_type,
    /// Bits of a component: 64 for vertex attributes of such components, else 32.
    #[from(width.bits())]
    pub component_bits: u32,
    /// Interpolation of a fragment input.
    pub interpolation: glasm_interpolation,
    /// Sampling of a fragment input.
    pub sampling: glasm_sampling,
    /// True if there is one for each vertex of the input primitive or patch.
    #[from(per_vertex)]
    pub is_per_vertex: glasm_bool,
}

/// An output of a program for the following stage.
#[c_struct(Output)]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_program_output {
    /// Its semantic.
    pub semantic: glasm_semantic_info,
    /// Type as the program declares it.
    #[from(base)]
    pub base_type: glasm_base_type,
    /// True if the position must be the same, to the bit, as that of other invariant programs.
    #[from(invariant)]
    pub is_invariant: glasm_bool,
    /// Components that each vertex of a geometry program copies from the input of the same
    /// semantic: bit n for component n.
    #[from(passthrough.0)]
    pub passthrough_mask: u32,
}

/// An output register of a TGSI program.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_tgsi_output {
    /// Its number.
    pub register_index: u32,
    /// Its semantic.
    pub semantic: glasm_semantic_info,
}

/// The lists of a program as C reads them.
#[derive(Debug)]
pub(crate) struct ProgramLists {
    inputs: Vec<glasm_program_input>,
    outputs: Vec<glasm_program_output>,
    /// These require parsing the source, so they are computed on request.
    tgsi_outputs: OnceLock<Vec<glasm_tgsi_output>>,
}

impl ProgramLists {
    /// Converts the inputs and outputs of a program; those of TGSI are computed on first use.
    pub(crate) fn new(program: &Program) -> Self {
        Self {
            inputs: program.inputs().map(From::from).collect(),
            outputs: program.outputs().map(From::from).collect(),
            tgsi_outputs: OnceLock::new(),
        }
    }
}

impl From<(u32, Semantic)> for glasm_tgsi_output {
    fn from((number, semantic): (u32, Semantic)) -> Self {
        Self {
            register_index: number,
            semantic: semantic.into(),
        }
    }
}

/// Returns the inputs of a program from the preceding stage, the vertex or the system; `count` is
/// set to the number. Returns NULL for NULL.
///
/// `program` stays the caller's. The list belongs to it and is valid until it is freed. `count` may
/// be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_inputs(
    program: Option<&glasm_program>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const glasm_program_input {
    return_list(count, || Ok(&require(program, "program")?.lists().inputs))
}

/// Returns the outputs of a program for the following stage; `count` is set to the number. Returns
/// NULL for NULL.
///
/// `program` stays the caller's. The list belongs to it and is valid until it is freed. `count` may
/// be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_outputs(
    program: Option<&glasm_program>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const glasm_program_output {
    return_list(count, || Ok(&require(program, "program")?.lists().outputs))
}

/// Returns the output registers of a TGSI program in the order of their numbers, for callers who
/// name them: stream outputs are lists of registers, glasm_xfb_capture has semantics. A register of
/// distances is listed once for each of its components. `count` is set to the number, which is 0
/// for programs of other languages. Returns NULL for NULL.
///
/// `program` stays the caller's. The list belongs to it and is valid until it is freed. `count` may
/// be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_tgsi_outputs(
    program: Option<&glasm_program>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const glasm_tgsi_output {
    return_list(count, || {
        let program = require(program, "program")?;
        let read = || {
            let registers = find_tgsi_output_registers(&program.source());
            registers.into_iter().map(From::from).collect()
        };
        Ok(program.lists().tgsi_outputs.get_or_init(read).as_slice())
    })
}
