//! Results of queries about programs: ARB_vertex_program section 6.1.12, NV_vertex_program section
//! 6.1.13, and the tables of state of each specification.

use crate::commands::{INVALID_ENUM, INVALID_OPERATION, INVALID_VALUE};
use crate::context::State;
use crate::evaluators;
use crate::extensions::interned;
use crate::ffi::{driver, query};
use crate::limits;
use crate::objects::{Bits, ENV_PARAMETERS, LOCAL_PARAMETERS, Program};
use crate::overrides;
use crate::params::{self, TRACKING};
use crate::target::Target;
use glasm::Counts;
use glasm::state::{MatrixForm, TrackedMatrix};
use std::ffi::c_char;

/// Returns an environment parameter.
pub(crate) fn env_parameter(state: &mut State, number: u32, index: u32) -> Option<Bits> {
    let target = target(state, number)?;
    if index >= ENV_PARAMETERS {
        state.fail(INVALID_VALUE);
        return None;
    }
    Some(params::env(state, target, index))
}

/// Returns a local parameter of the bound program.
pub(crate) fn local_parameter(state: &mut State, number: u32, index: u32) -> Option<Bits> {
    let target = target(state, number)?;
    let program = state.bound(target).program.clone();
    local(state, &program, index)
}

/// Returns a local parameter of a program.
pub(crate) fn named_local_parameter(state: &mut State, name: u32, index: u32) -> Option<Bits> {
    let program = state.shared().program(name);
    local(state, &program, index)
}

fn local(state: &mut State, program: &Program, index: u32) -> Option<Bits> {
    if index >= LOCAL_PARAMETERS {
        state.fail(INVALID_VALUE);
        return None;
    }
    Some(
        program
            .contents()
            .locals
            .get(index as usize)
            .copied()
            .unwrap_or([0; 4]),
    )
}

/// Returns a parameter with a name. NV_fragment_program section 5.7.
pub(crate) fn named_parameter(state: &mut State, name: u32, parameter: &[u8]) -> Option<Bits> {
    let program = state.shared().find(name).filter(|it| it.is_fragment());
    if program.is_none() {
        state.fail(INVALID_OPERATION);
        return None;
    }
    let found = program.and_then(|program| {
        let contents = program.contents();
        let set = contents
            .named
            .iter()
            .find(|(known, _)| known.as_bytes() == parameter);
        set.map(|(_, value)| *value).or_else(|| {
            let ir = contents.loaded.as_ref()?.ir();
            let known = ir
                .named_params
                .iter()
                .find(|it| ir.names.get(it.name).as_bytes() == parameter)?;
            Some(known.initial)
        })
    });
    if found.is_none() {
        state.fail(INVALID_VALUE);
    }
    found
}

/// Returns a subroutine parameter of the bound program: NV_gpu_program5.
pub(crate) fn subroutine(state: &mut State, number: u32, index: u32) -> Option<u32> {
    let target = target(state, number)?;
    let contents = state.bound(target).program.contents();
    Some(
        contents
            .subroutines
            .get(index as usize)
            .copied()
            .unwrap_or(0),
    )
}

/// Returns the target of a number; an error if it is none.
pub(crate) fn target(state: &mut State, number: u32) -> Option<Target> {
    let target = Target::of(number);
    if target.is_none() {
        state.fail(INVALID_ENUM);
    }
    target
}

/// Returns true if all names are programs.
pub(crate) fn are_programs(state: &mut State, mut names: impl Iterator<Item = u32>) -> bool {
    let all = names.all(|name| state.shared().find(name).is_some());
    if !all {
        state.fail(INVALID_VALUE);
    }
    all
}

/// Returns the matrix that four parameters track: NV_vertex_program section 6.1.13.
pub(crate) fn track_matrix(state: &mut State, number: u32, address: u32, name: u32) -> Option<i32> {
    if number != Target::Vertex.row().number {
        state.fail(INVALID_ENUM);
        return None;
    }
    if !address.is_multiple_of(4) || address >= TRACKING {
        state.fail(INVALID_VALUE);
        return None;
    }
    let tracking = state.gl.tracking(address);
    let matrix = match tracking.map(|it| it.matrix) {
        None => 0,
        Some(TrackedMatrix::Modelview) => 0x1700,
        Some(TrackedMatrix::Projection) => 0x1701,
        Some(TrackedMatrix::Color) => 0x1800,
        Some(TrackedMatrix::Mvp) => 0x8629,
        Some(TrackedMatrix::Texture(n)) => 0x84C0 + n as i32,
        Some(TrackedMatrix::Program(n)) => 0x8630 + n as i32,
    };
    let form = match tracking.map_or(MatrixForm::Plain, |it| it.form) {
        MatrixForm::Plain => 0x862A,
        MatrixForm::Inverse => 0x862B,
        MatrixForm::Transpose => 0x862C,
        MatrixForm::InverseTranspose => 0x862D,
    };
    match name {
        0x8648 => Some(matrix),
        0x8649 => Some(form),
        _ => {
            state.fail(INVALID_ENUM);
            None
        }
    }
}

/// GL's enumerant of a count, and the function that returns it.
type CountRow = (u32, fn(&Counts) -> u32);

/// Counts and limits of `GetProgramiv`, by the number of the count; the limit, and both native
/// ones, are the next numbers.
static COUNTS: [CountRow; 5] = [
    (0x88A0, |it| it.instructions),
    (0x88A4, |it| it.temporaries),
    (0x88A8, |it| it.parameters),
    (0x88AC, |it| it.attribs),
    (0x88B0, |it| it.address_registers),
];

/// Counts and limits of fragment programs, in the order of [`FRAGMENT_NAMES`]: ALU, TEX,
/// indirections.
static FRAGMENT_COUNTS: [fn(&Counts) -> u32; 3] = [
    |it| it.alu_instructions,
    |it| it.texture_instructions,
    |it| it.texture_indirections,
];
/// `PROGRAM_ALU_INSTRUCTIONS_ARB` and the next ones: counts, native counts, limits, native limits.
const FRAGMENT_NAMES: std::ops::Range<u32> = 0x8805..0x8811;

/// Executes `GetProgramivARB` of a program. The driver executes it for its own programs.
///
/// Must not be called between `Begin` and `End`.
pub(crate) fn program_value(
    state: &mut State,
    target: Target,
    program: &Program,
    name: u32,
) -> Option<i32> {
    if state.is_inside {
        state.fail(INVALID_OPERATION);
        return None;
    }
    let contents = program.contents();
    let counts = contents
        .loaded
        .as_ref()
        .map(|it| *it.counts())
        .unwrap_or_default();
    let (length, is_drivers) = (contents.text.len() as i32, contents.is_drivers);
    drop(contents);
    let limits = state.capabilities.limits(target);
    // Counts and limits alternate, native or not, except for those of fragment programs.
    let is_limit = matches!(name, 0x88A0..=0x88B3) && name % 2 == 1
        || FRAGMENT_NAMES.contains(&name) && name - FRAGMENT_NAMES.start >= 6;
    let is_count = matches!(name, 0x88A0..=0x88B3) || FRAGMENT_NAMES.contains(&name);
    // Limits apply to all programs of the target: programs that the driver rejects are loaded here.
    if is_drivers && is_count && !is_limit {
        let number = target.row().number;
        return Some(if state.bound(target).program.name == program.name {
            query::arb_program::<1>(number, name)[0]
        } else {
            query::named_arb_program::<1>(program.name, number, name)[0]
        });
    }
    let row = COUNTS
        .iter()
        .find(|(first, _)| (*first..first + 4).contains(&name))
        .map(|(_, count)| *count);
    let fragment_row = FRAGMENT_NAMES
        .contains(&name)
        .then(|| FRAGMENT_COUNTS[(name - FRAGMENT_NAMES.start) as usize % 3]);
    if let Some(count) = row.or(fragment_row) {
        return Some(count(if is_limit { &limits.counts } else { &counts }) as i32);
    }
    other_value(state, target, &counts, length, name)
}

/// Returns the values of queries other than the counts of ARB_vertex_program or
/// ARB_fragment_program: the program string, limits of parameters, and values of later extensions.
fn other_value(
    state: &mut State,
    target: Target,
    counts: &Counts,
    length: i32,
    name: u32,
) -> Option<i32> {
    let limits = state.capabilities.limits(target);
    Some(match name {
        0x8627 => length,
        0x8876 => 0x8875,
        0x8677 => state.bound(target).program.name as i32,
        0x88B4 => limits.local_parameters as i32,
        0x88B5 => limits.env_parameters as i32,
        0x88B6 => 1,
        // NV_vertex_program2_option, NV_fragment_program2: executed instructions, call depth, if
        // depth, loop depth, loop count.
        0x88F4 => 65_536,
        0x88F5 => limits.call_depth as i32,
        0x88F6 => limits.if_depth as i32,
        0x88F7 => limits.loop_depth as i32,
        0x88F8 => 255,
        // NV_gpu_program4: components of attributes and of results, and their limits.
        0x8906 => counts.attrib_components as i32,
        0x8907 => counts.result_components as i32,
        0x8908 => glasm::limits::ATTRIB_COMPONENTS as i32,
        0x8909 => glasm::limits::RESULT_COMPONENTS as i32,
        // NV_gpu_program5: subroutine parameters, subroutines of each.
        0x8F44 => limits.subroutine_parameters as i32,
        0x8F45 => limits.subroutine_numbers as i32,
        // NV_tessellation_program5: generic attributes of patches.
        0x86D8 => limits.patch_attributes as i32,
        // NV_geometry_program4: maximum number of emitted vertices, and of their total components.
        0x8C27 if target == Target::Geometry => {
            query::integer(driver::constants::MAX_GEOMETRY_OUTPUT_VERTICES)
        }
        0x8C28 if target == Target::Geometry => {
            query::integer(driver::constants::MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS)
        }
        0x8DA0 => limits.parameter_buffers as i32,
        0x8DA1 => crate::buffers::WORDS,
        // NV_gpu_program4 table X.21: "separate limits for each program type".
        0x8DA5 => limits.generic_attributes as i32,
        0x8DA6 => limits.generic_results as i32,
        _ => {
            state.fail(INVALID_ENUM);
            return None;
        }
    })
}

/// Executes `GetProgramivNV`.
pub(crate) fn nv_program_value(state: &mut State, name: u32, value: u32) -> Option<i32> {
    let Some(program) = state.shared().find(name) else {
        state.fail(INVALID_OPERATION);
        return None;
    };
    let contents = program.contents();
    let (length, target) = (contents.text.len() as i32, contents.target);
    let is_state_program = contents.text.starts_with(b"!!VSP");
    drop(contents);
    Some(match value {
        // VERTEX_STATE_PROGRAM_NV
        0x8646 if is_state_program => 0x8621,
        0x8646 => target.map_or(0, |it| it.row().number as i32),
        0x8627 => length,
        0x8647 => 1,
        _ => {
            state.fail(INVALID_ENUM);
            return None;
        }
    })
}

/// Returns the property of a GLSL program object that this library overrides: the separability that
/// the application has set.
pub(crate) fn object_value(state: &mut State, program: u32, name: u32) -> Option<i32> {
    if name != driver::constants::PROGRAM_SEPARABLE {
        return None;
    }
    let partial = state.shared().partial.get(&program).copied()?;
    Some(partial.is_separable.into())
}

/// Returns the program string of the bound program.
pub(crate) fn bound_text(state: &mut State, number: u32, name: u32) -> Option<Vec<u8>> {
    let target = target(state, number)?;
    let bound = state.bound(target).program.clone();
    program_text(state, Some(&bound), name)
}

/// Returns the program string of a program.
pub(crate) fn text(state: &mut State, program: u32, name: u32) -> Option<Vec<u8>> {
    let found = state.shared().find(program);
    program_text(state, found.as_deref(), name)
}

fn program_text(state: &mut State, program: Option<&Program>, name: u32) -> Option<Vec<u8>> {
    const PROGRAM_STRING: u32 = 0x8628;
    match program {
        _ if name != PROGRAM_STRING => state.fail(INVALID_ENUM),
        None => state.fail(INVALID_OPERATION),
        Some(program) => return Some(program.contents().text.clone()),
    }
    None
}

/// Returns strings that this library defines.
pub(crate) fn string(state: &mut State, name: u32) -> Option<*const c_char> {
    const PROGRAM_ERROR_STRING: u32 = 0x8874;
    // The driver reports that queries are not allowed between `Begin` and `End`.
    if !state.capabilities.works || state.is_inside {
        return None;
    }
    match name {
        driver::constants::EXTENSIONS => Some(state.capabilities.extension_text.as_ptr()),
        PROGRAM_ERROR_STRING => Some(interned(state.error_text.clone()).as_ptr()),
        _ => None,
    }
}

/// Returns the extension of a number.
pub(crate) fn indexed_string(state: &mut State, name: u32, index: u32) -> Option<*const c_char> {
    if !state.capabilities.works || state.is_inside || name != driver::constants::EXTENSIONS {
        return None;
    }
    Some(state.capabilities.extensions.get(index as usize)?.as_ptr())
}

/// Returns the state of a target or of an array of NV_vertex_program; `None` for other
/// capabilities.
pub(crate) fn is_enabled(state: &mut State, capability: u32) -> Option<bool> {
    if !state.capabilities.works {
        return None;
    }
    if overrides::is_overridden(capability) {
        state.drawing.overridden.restore();
    }
    if let Some((dimension, attribute)) = evaluators::numbered(capability) {
        return Some(state.maps[dimension].enabled & 1 << attribute != 0);
    }
    if let 0x8650..=0x865F = capability {
        return Some(query::attribute_array::<1>(capability - 0x8650, 0x8622) != [0]);
    }
    Some(state.bound(Target::of(capability)?).enabled)
}

/// Returns integers that this library defines.
pub(crate) fn integer(state: &mut State, name: u32) -> Option<i32> {
    if !state.capabilities.works {
        return None;
    }
    if let Some(enabled) = Target::of(name).map(|target| state.bound(target).enabled) {
        return Some(enabled.into());
    }
    if evaluators::numbered(name).is_some() {
        return is_enabled(state, name).map(i32::from);
    }
    if overrides::is_overridden(name) {
        state.drawing.overridden.restore();
        return None;
    }
    if let Some(target) = Target::of_buffers(name) {
        return Some(state.bound_buffers[target as usize] as i32);
    }
    Some(match name {
        0x821D => state.capabilities.extensions.len() as i32,
        0x864B => state.error_position,
        // VERTEX_PROGRAM_BINDING_NV, FRAGMENT_PROGRAM_BINDING_NV
        0x864A => state.bound(Target::Vertex).program.name as i32,
        0x8873 => state.bound(Target::FragmentNv).program.name as i32,
        0x8B8D => state.used_program as i32,
        0x825A => state.used_pipeline as i32,
        // MAX_TRACK_MATRICES_NV, MAX_TRACK_MATRIX_STACK_DEPTH_NV
        0x862F => state.capabilities.limits(Target::Vertex).program_matrices as i32,
        // MAX_FRAGMENT_PROGRAM_LOCAL_PARAMETERS_NV
        0x8868 => LOCAL_PARAMETERS as i32,
        // MATRIX_MODE: matrices of NV_vertex_program have names of ARB_vertex_program in the
        // driver.
        0x0BA0 if state.is_matrix_nv => query::integer(0x0BA0) - 0x88C0 + 0x8630,
        0x0B33 => state.recorded_list()?,
        0x8DA0 => crate::buffers::BINDINGS as i32,
        0x8DA1 => crate::buffers::WORDS,
        _ => return limits::lowered(name),
    })
}
