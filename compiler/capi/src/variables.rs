//! What a program reads and writes, before it is compiled for anything.

use crate::enums::{glasm_bool, glasm_interpolation, glasm_sampling, glasm_type_base};
use crate::memory::{give_list, required};
use crate::program::glasm_program;
use crate::semantic::glasm_meaning;
use glasm::{Input, Output, Program, Semantic, tgsi_outputs};
use glasm_capi_macros::c_struct;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// What a program reads of the stage before, of the vertex or of the system. Where modules have it is in the reflection of a shader.
#[c_struct(Input)]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_program_input {
    /// What it means.
    #[from(semantic)]
    pub meaning: glasm_meaning,
    /// Type as the program declares it.
    pub base: glasm_type_base,
    /// Bits of a component: 64 for vertex attributes of such components, else 32.
    #[from(width.bits())]
    pub bits: u32,
    /// Interpolation of a fragment input.
    pub interpolation: glasm_interpolation,
    /// Sampling of a fragment input.
    pub sampling: glasm_sampling,
    /// Whether there is one for each vertex of the input primitive or patch.
    pub per_vertex: glasm_bool,
}

/// What a program writes for the stage behind it.
#[c_struct(Output)]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_program_output {
    /// What it means.
    #[from(semantic)]
    pub meaning: glasm_meaning,
    /// Type as the program declares it.
    pub base: glasm_type_base,
    /// Whether the position must be the same, to the bit, as that of other invariant programs.
    pub invariant: glasm_bool,
    /// Components that each vertex of a geometry program takes over from the input of the same meaning: bit n for component n.
    #[from(passthrough.0)]
    pub passthrough: u32,
}

/// An output register of a TGSI program.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_tgsi_output {
    /// Its number.
    pub number: u32,
    /// What it means.
    pub meaning: glasm_meaning,
}

/// The lists of a program as C reads them.
#[derive(Debug)]
pub(crate) struct Tables {
    inputs: Vec<glasm_program_input>,
    outputs: Vec<glasm_program_output>,
    /// The text is read for them, so they wait until somebody asks.
    tgsi_outputs: OnceLock<Vec<glasm_tgsi_output>>,
}

impl Tables {
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
            number,
            meaning: semantic.into(),
        }
    }
}

/// What a program reads of the stage before, of the vertex or of the system; `count` is set to the number. NULL for NULL.
///
/// `program` stays the caller's. The list belongs to it and is valid until it is freed. `count` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_inputs(
    program: Option<&glasm_program>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const glasm_program_input {
    give_list(count, || Ok(&required(program, "program")?.tables().inputs))
}

/// What a program writes for the stage behind it; `count` is set to the number. NULL for NULL.
///
/// `program` stays the caller's. The list belongs to it and is valid until it is freed. `count` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_outputs(
    program: Option<&glasm_program>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const glasm_program_output {
    give_list(count, || {
        Ok(&required(program, "program")?.tables().outputs)
    })
}

/// The output registers of a TGSI program in the order of their numbers, for callers who name them: stream outputs are lists of registers,
/// glasm_capture has meanings. A register of distances is there once for each of its components. `count` is set to the number, which is 0
/// for programs of other languages. NULL for NULL.
///
/// `program` stays the caller's. The list belongs to it and is valid until it is freed. `count` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_tgsi_outputs(
    program: Option<&glasm_program>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const glasm_tgsi_output {
    give_list(count, || {
        let program = required(program, "program")?;
        let read = || {
            let registers = tgsi_outputs(&program.source());
            registers.into_iter().map(From::from).collect()
        };
        Ok(program.tables().tgsi_outputs.get_or_init(read).as_slice())
    })
}
