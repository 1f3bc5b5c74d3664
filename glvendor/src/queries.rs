//! Results of queries about programs: ARB_vertex_program section 6.1.12, NV_vertex_program section
//! 6.1.13, and the tables of state of each specification.

use crate::capabilities::leak_string;
use crate::context::State;
use crate::evaluators;
use crate::extension_commands;
use crate::ffi::{driver, driver_state};
use crate::program_commands::{INVALID_ENUM, INVALID_OPERATION, INVALID_VALUE};
use crate::program_limits;
use crate::program_parameters::{self, TRACKING_PARAMETERS};
use crate::share_group::{ENV_PARAMETERS, LOCAL_PARAMETERS, Program, ProgramContents, VectorBits};
use crate::target::Target;
use crate::temporary_state;
use glasm::ResourceCounts;
use glasm::ir::primitive::{InputPrimitive, OutputPrimitive};
use glasm::state::{MatrixForm, TrackedMatrix};
use std::ffi::c_char;

/// Returns the bits of an environment parameter as the application sees it, tracked matrices
/// included. Otherwise returns `None` and records `GL_INVALID_ENUM` for an unknown target,
/// `GL_INVALID_VALUE` for an index beyond the limit.
pub(crate) fn env_parameter(state: &mut State, number: u32, index: u32) -> Option<VectorBits> {
    let target = find_target(state, number)?;
    if index >= ENV_PARAMETERS {
        state.record_error(INVALID_VALUE);
        return None;
    }
    Some(program_parameters::env_parameter_value(
        state, target, index,
    ))
}

/// Returns the bits of a local parameter of the program that is bound to a target; zeros if it was
/// never set. Otherwise returns `None` and records `GL_INVALID_ENUM` for an unknown target,
/// `GL_INVALID_VALUE` for an index beyond the limit.
pub(crate) fn local_parameter(state: &mut State, number: u32, index: u32) -> Option<VectorBits> {
    let target = find_target(state, number)?;
    let program = state.target_state(target).program.clone();
    read_local_parameter(state, &program, index)
}

/// Returns the bits of a local parameter of a program by name; zeros if it was never set
/// (EXT_direct_state_access). A program that does not exist is created. Returns `None` and records
/// `GL_INVALID_VALUE` for an index beyond the limit.
pub(crate) fn named_local_parameter(
    state: &mut State,
    name: u32,
    index: u32,
) -> Option<VectorBits> {
    let program = state.lock_share_group().get_or_create_program(name);
    read_local_parameter(state, &program, index)
}

/// Returns a local parameter of a program, zero if it was not set. Records `INVALID_VALUE` and
/// returns `None` for indices beyond the limit.
fn read_local_parameter(state: &mut State, program: &Program, index: u32) -> Option<VectorBits> {
    if index >= LOCAL_PARAMETERS {
        state.record_error(INVALID_VALUE);
        return None;
    }
    Some(
        program
            .contents()
            .local_parameters
            .get(index as usize)
            .copied()
            .unwrap_or([0; 4]),
    )
}

/// Returns the bits of a parameter that a fragment program declares by name: the value that was
/// set, otherwise the declared one. Returns `None` and records `GL_INVALID_OPERATION` unless `name`
/// is that of a fragment program, `GL_INVALID_VALUE` for an unknown parameter. NV_fragment_program
/// section 5.7.
pub(crate) fn named_parameter(
    state: &mut State,
    name: u32,
    parameter: &[u8],
) -> Option<VectorBits> {
    let program = state
        .lock_share_group()
        .find_program(name)
        .filter(|it| it.is_fragment());
    if program.is_none() {
        state.record_error(INVALID_OPERATION);
        return None;
    }
    let program_object = program.and_then(|program| {
        let contents = program.contents();
        let set = contents
            .named_parameters
            .iter()
            .find(|(entry_name, _)| entry_name.as_bytes() == parameter);
        set.map(|(_, value)| *value).or_else(|| {
            let ir = contents.translated.as_ref()?.ir();
            let known = ir
                .named_params
                .iter()
                .find(|it| ir.names.get(it.name).as_bytes() == parameter)?;
            Some(known.initial)
        })
    });
    if program_object.is_none() {
        state.record_error(INVALID_VALUE);
    }
    program_object
}

/// Returns a subroutine parameter of the program that is bound to a target, 0 if it was never set:
/// NV_gpu_program5. Returns `None` and records `GL_INVALID_ENUM` for an unknown target.
pub(crate) fn query_subroutine(state: &mut State, number: u32, index: u32) -> Option<u32> {
    let target = find_target(state, number)?;
    let contents = state.target_state(target).program.contents();
    Some(
        contents
            .subroutines
            .get(index as usize)
            .copied()
            .unwrap_or(0),
    )
}

/// Returns the program target of an enumerant; otherwise records `GL_INVALID_ENUM` and returns
/// `None`.
pub(crate) fn find_target(state: &mut State, target_enum: u32) -> Option<Target> {
    let target = Target::from_enumerant(target_enum);
    if target.is_none() {
        state.record_error(INVALID_ENUM);
    }
    target
}

/// Returns true if all names are those of programs; otherwise records `GL_INVALID_VALUE`.
pub(crate) fn are_all_programs(state: &mut State, mut names: impl Iterator<Item = u32>) -> bool {
    let all = names.all(|name| state.lock_share_group().find_program(name).is_some());
    if !all {
        state.record_error(INVALID_VALUE);
    }
    all
}

/// Returns the value of `GetTrackMatrixivNV` for the four parameters from `address` on: the matrix
/// that they track, 0 for none, or its transformation, as `name` selects. Returns `None` and
/// records `GL_INVALID_ENUM` for an unknown target or name, `GL_INVALID_VALUE` for an address that
/// is not a multiple of 4 below 96. NV_vertex_program section 6.1.13.
pub(crate) fn query_track_matrix(
    state: &mut State,
    target_enum: u32,
    address: u32,
    name: u32,
) -> Option<i32> {
    if target_enum != Target::Vertex.properties().enumerant {
        state.record_error(INVALID_ENUM);
        return None;
    }
    if !address.is_multiple_of(4) || address >= TRACKING_PARAMETERS {
        state.record_error(INVALID_VALUE);
        return None;
    }
    let tracking = state.gl.get_tracking(address);
    let matrix = match tracking.map(|it| it.matrix) {
        None => 0,
        Some(TrackedMatrix::Modelview) => 0x1700,
        Some(TrackedMatrix::Projection) => 0x1701,
        Some(TrackedMatrix::Color) => 0x1800,
        Some(TrackedMatrix::ModelviewProjection) => 0x8629,
        Some(TrackedMatrix::Texture(n)) => 0x84C0 + n as i32,
        Some(TrackedMatrix::Program(n)) => 0x8630 + n as i32,
    };
    let transform_index = match tracking.map_or(MatrixForm::Plain, |it| it.form) {
        MatrixForm::Plain => 0x862A,
        MatrixForm::Inverse => 0x862B,
        MatrixForm::Transpose => 0x862C,
        MatrixForm::InverseTranspose => 0x862D,
    };
    match name {
        0x8648 => Some(matrix),
        0x8649 => Some(transform_index),
        _ => {
            state.record_error(INVALID_ENUM);
            None
        }
    }
}

/// GL's enumerant of a count, and the function that returns it.
type CountQuery = (u32, fn(&ResourceCounts) -> u32);

/// Counts and limits of `GetProgramiv`, by the number of the count; the limit, and both native
/// ones, are the next numbers.
static COUNTS: [CountQuery; 5] = [
    (0x88A0, |it| it.instructions),
    (0x88A4, |it| it.temporaries),
    (0x88A8, |it| it.parameters),
    (0x88AC, |it| it.attributes),
    (0x88B0, |it| it.address_registers),
];

/// Counts and limits of fragment programs, in the order of [`FRAGMENT_NAMES`]: ALU, TEX,
/// indirections.
static FRAGMENT_COUNTS: [fn(&ResourceCounts) -> u32; 3] = [
    |it| it.alu_instructions,
    |it| it.texture_instructions,
    |it| it.texture_indirections,
];
/// `PROGRAM_ALU_INSTRUCTIONS_ARB` and the next ones: counts, native counts, limits, native limits.
const FRAGMENT_NAMES: std::ops::Range<u32> = 0x8805..0x8811;

/// Executes `GetProgramivARB` of a program of a target. The driver executes it for counts of its
/// own programs; limits are always those of this library. Returns `None` and records
/// `GL_INVALID_OPERATION` between `Begin` and `End`, `GL_INVALID_ENUM` for an unknown name.
pub(crate) fn query_program_value(
    state: &mut State,
    target: Target,
    program: &Program,
    name: u32,
) -> Option<i32> {
    if state.is_inside_begin_end {
        state.record_error(INVALID_OPERATION);
        return None;
    }
    let contents = program.contents();
    let counts = contents
        .translated
        .as_ref()
        .map(|it| *it.counts())
        .unwrap_or_default();
    let geometry = (target == Target::Geometry).then(|| query_geometry_value(&contents, name));
    if let Some(value) = geometry.flatten() {
        return Some(value);
    }
    let (length, is_drivers) = (
        contents.program_string.len() as i32,
        contents.is_driver_program,
    );
    drop(contents);
    let limits = state.capabilities.limits(target);
    // Counts and limits alternate, native or not, except for those of fragment programs.
    let is_limit = matches!(name, 0x88A0..=0x88B3) && name % 2 == 1
        || FRAGMENT_NAMES.contains(&name) && name - FRAGMENT_NAMES.start >= 6;
    let is_count = matches!(name, 0x88A0..=0x88B3) || FRAGMENT_NAMES.contains(&name);
    // Limits apply to all programs of the target: programs that the driver rejects are loaded here.
    if is_drivers && is_count && !is_limit {
        let target_enum = target.properties().enumerant;
        return Some(if state.target_state(target).program.name == program.name {
            driver_state::arb_program::<1>(target_enum, name)[0]
        } else {
            driver_state::named_arb_program::<1>(program.name, target_enum, name)[0]
        });
    }
    let count_query = COUNTS
        .iter()
        .find(|(first, _)| (*first..first + 4).contains(&name))
        .map(|(_, count)| *count);
    let fragment_row = FRAGMENT_NAMES
        .contains(&name)
        .then(|| FRAGMENT_COUNTS[(name - FRAGMENT_NAMES.start) as usize % 3]);
    if let Some(count) = count_query.or(fragment_row) {
        return Some(count(if is_limit { &limits.counts } else { &counts }) as i32);
    }
    query_other_program_value(state, target, &counts, length, name)
}

/// Returns the vertex limit, the input or the output primitive of a geometry program, 0 if none is
/// loaded: NV_geometry_program4, "New State". `None` for other names.
fn query_geometry_value(contents: &ProgramContents, name: u32) -> Option<i32> {
    let modes = contents.translated.as_ref().map(|it| &it.ir().modes);
    let value = match name {
        // GEOMETRY_VERTICES_OUT_EXT
        0x8DDA => modes.map(|modes| contents.vertex_limit.unwrap_or(modes.vertices_out)),
        // GEOMETRY_INPUT_TYPE_EXT
        0x8DDB => modes.map(|modes| match modes.primitive_in {
            InputPrimitive::Points => driver::constants::POINTS,
            InputPrimitive::Lines => driver::constants::LINES,
            InputPrimitive::LinesAdjacency => driver::constants::LINES_ADJACENCY,
            InputPrimitive::Triangles => driver::constants::TRIANGLES,
            InputPrimitive::TrianglesAdjacency => driver::constants::TRIANGLES_ADJACENCY,
            InputPrimitive::Patches => driver::constants::PATCHES,
        }),
        // GEOMETRY_OUTPUT_TYPE_EXT
        0x8DDC => modes.map(|modes| match modes.primitive_out {
            OutputPrimitive::Points => driver::constants::POINTS,
            OutputPrimitive::LineStrip => driver::constants::LINE_STRIP,
            OutputPrimitive::TriangleStrip => driver::constants::TRIANGLE_STRIP,
        }),
        _ => return None,
    };
    Some(value.unwrap_or(0) as i32)
}

/// Returns the values of queries other than the counts of ARB_vertex_program or
/// ARB_fragment_program: the program string's length and format, limits of parameters, and values
/// of later extensions. `counts` and `length` are those of the queried program. Returns `None` and
/// records `GL_INVALID_ENUM` for other names.
fn query_other_program_value(
    state: &mut State,
    target: Target,
    counts: &ResourceCounts,
    length: i32,
    name: u32,
) -> Option<i32> {
    let limits = state.capabilities.limits(target);
    Some(match name {
        0x8627 => length,
        0x8876 => 0x8875,
        0x8677 => state.target_state(target).program.name as i32,
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
        0x8906 => counts.attribute_components as i32,
        0x8907 => counts.result_components as i32,
        0x8908 => glasm::limits::ATTRIB_COMPONENTS as i32,
        0x8909 => glasm::limits::RESULT_COMPONENTS as i32,
        // NV_gpu_program5: subroutine parameters, subroutines of each.
        0x8F44 => limits.subroutine_parameters as i32,
        0x8F45 => limits.subroutines as i32,
        // NV_tessellation_program5: generic attributes of patches.
        0x86D8 => limits.patch_attributes as i32,
        // NV_geometry_program4: maximum number of emitted vertices, and of their total components.
        0x8C27 if target == Target::Geometry => program_limits::query_output_vertex_limit() as i32,
        0x8C28 if target == Target::Geometry => {
            program_limits::query_output_component_limit() as i32
        }
        0x8DA0 => limits.parameter_buffer_bindings as i32,
        0x8DA1 => program_parameters::MAX_BUFFER_WORDS,
        // NV_gpu_program4 table X.21: "separate limits for each program type".
        0x8DA5 => limits.generic_attributes as i32,
        0x8DA6 => limits.generic_results as i32,
        _ => {
            state.record_error(INVALID_ENUM);
            return None;
        }
    })
}

/// Executes `GetProgramivNV`: target, length in bytes or residency of a program, all of which are
/// resident. Returns `None` and records `GL_INVALID_OPERATION` for an unknown program,
/// `GL_INVALID_ENUM` for another property.
pub(crate) fn query_nv_program_value(state: &mut State, name: u32, value: u32) -> Option<i32> {
    let Some(program) = state.lock_share_group().find_program(name) else {
        state.record_error(INVALID_OPERATION);
        return None;
    };
    let contents = program.contents();
    let (length, target) = (contents.program_string.len() as i32, contents.target);
    let is_state_program = contents.program_string.starts_with(b"!!VSP");
    drop(contents);
    Some(match value {
        // VERTEX_STATE_PROGRAM_NV
        0x8646 if is_state_program => 0x8621,
        0x8646 => target.map_or(0, |it| it.properties().enumerant as i32),
        0x8627 => length,
        0x8647 => 1,
        _ => {
            state.record_error(INVALID_ENUM);
            return None;
        }
    })
}

/// Returns the separability that the application has set for a GLSL program object, if `name`
/// queries it and this library has linked the object as separable for its own use. `None` leaves
/// the query to the driver.
pub(crate) fn query_glsl_program_value(state: &mut State, program: u32, name: u32) -> Option<i32> {
    if name != driver::constants::PROGRAM_SEPARABLE {
        return None;
    }
    let partial = state
        .lock_share_group()
        .incomplete_programs
        .get(&program)
        .copied()?;
    Some(partial.is_separable.into())
}

/// Returns the program string of the program that is bound to a target, empty if it has none.
/// Returns `None` and records `GL_INVALID_ENUM` for an unknown target or property.
pub(crate) fn bound_program_string(state: &mut State, number: u32, name: u32) -> Option<Vec<u8>> {
    let target = find_target(state, number)?;
    let bound = state.target_state(target).program.clone();
    read_program_string(state, Some(&bound), name)
}

/// Returns the program string of a program by name. Returns `None` and records `GL_INVALID_ENUM`
/// for an unknown property, `GL_INVALID_OPERATION` for an unknown program.
pub(crate) fn named_program_string(state: &mut State, program: u32, name: u32) -> Option<Vec<u8>> {
    let found = state.lock_share_group().find_program(program);
    read_program_string(state, found.as_deref(), name)
}

/// Returns the string of a program, empty if none was loaded. Returns `None` and records
/// `GL_INVALID_ENUM` if `name` is not `PROGRAM_STRING_NV`, otherwise `GL_INVALID_OPERATION` if
/// there is no program.
fn read_program_string(state: &mut State, program: Option<&Program>, name: u32) -> Option<Vec<u8>> {
    const PROGRAM_STRING: u32 = 0x8628;
    match program {
        _ if name != PROGRAM_STRING => state.record_error(INVALID_ENUM),
        None => state.record_error(INVALID_OPERATION),
        Some(program) => return Some(program.contents().program_string.clone()),
    }
    None
}

/// Returns a string of `GetString` that this library replaces, which is valid until the process
/// ends: the extensions, with its own, and the error message of programs. Between `Begin` and `End`
/// the result is null, and an error is recorded. `None` leaves the query to the driver.
pub(crate) fn advertised_string(state: &mut State, name: u32) -> Option<*const c_char> {
    const PROGRAM_ERROR_STRING: u32 = 0x8874;
    if !state.capabilities.works {
        return None;
    }
    let text = match name {
        driver::constants::EXTENSIONS => state.capabilities.extension_text,
        PROGRAM_ERROR_STRING => leak_string(state.error_text.clone()),
        _ => return None,
    };
    // Wine would return its list of extensions.
    if state.is_inside_begin_end {
        state.record_error(driver::constants::INVALID_OPERATION);
        return Some(std::ptr::null());
    }
    Some(text.as_ptr())
}

/// Returns extension number `index` of `GetStringi`, from the driver's extensions and those of this
/// library. `None` leaves the query to the driver: other names, an index beyond the list, and all
/// queries between `Begin` and `End`.
pub(crate) fn advertised_extension(
    state: &mut State,
    name: u32,
    index: u32,
) -> Option<*const c_char> {
    if !state.capabilities.replaces_extensions()
        || state.is_inside_begin_end
        || name != driver::constants::EXTENSIONS
    {
        return None;
    }
    Some(state.capabilities.extensions.get(index as usize)?.as_ptr())
}

/// Returns whether a program target, a map of a numbered attribute, or an array of
/// NV_vertex_program is enabled. `None` leaves the query of another capability to the driver, whose
/// value is restored to the application's before if this library has overridden it.
pub(crate) fn is_enabled(state: &mut State, capability: u32) -> Option<bool> {
    if !state.capabilities.works {
        return None;
    }
    if temporary_state::is_overridden(capability) {
        state.draw_state.overridden_state.restore();
    }
    if let Some((dimension, attribute)) = evaluators::numbered_map_target(capability) {
        return Some(state.maps[dimension].enabled_mask & 1 << attribute != 0);
    }
    if let 0x8650..=0x865F = capability {
        return Some(driver_state::attribute_array::<1>(capability - 0x8650, 0x8622) != [0]);
    }
    if let Some(enabled) = extension_commands::is_enabled(state, capability) {
        return Some(enabled);
    }
    Some(
        state
            .target_state(Target::from_enumerant(capability)?)
            .enabled,
    )
}

/// Returns a color that `GetFloatv` has under a name, of those that this library defines. `None` for
/// other names, and between `Begin` and `End`, where the driver reports the error.
pub(crate) fn query_color(state: &mut State, name: u32) -> Option<[f32; 4]> {
    if !state.capabilities.works || state.is_inside_begin_end {
        return None;
    }
    state.extensions.combiners.query_color(name)
}

/// Returns a number of `GetFloatv` that this library defines: scales and biases of pixel transfers;
/// `None` for other names.
pub(crate) fn query_float(state: &mut State, name: u32) -> Option<f32> {
    if !state.capabilities.works {
        return None;
    }
    state.extensions.texture_shaders.query_float(name)
}

/// Returns an integer of `GetIntegerv` that this library defines: enabled targets, maps of numbered
/// attributes, limits and bindings. `None` leaves the query to the driver, whose value is restored
/// to the application's before if this library has overridden it.
pub(crate) fn query_integer(state: &mut State, name: u32) -> Option<i32> {
    if name == driver::constants::NUM_EXTENSIONS && state.capabilities.replaces_extensions() {
        return Some(state.capabilities.extensions.len() as i32);
    }
    if !state.capabilities.works {
        return None;
    }
    if let Some(enabled) =
        Target::from_enumerant(name).map(|target| state.target_state(target).enabled)
    {
        return Some(enabled.into());
    }
    if evaluators::numbered_map_target(name).is_some() {
        return is_enabled(state, name).map(i32::from);
    }
    if temporary_state::is_overridden(name) {
        state.draw_state.overridden_state.restore();
        return None;
    }
    if let Some(target) = Target::from_buffer_enumerant(name) {
        return Some(state.bound_buffers[target as usize] as i32);
    }
    if let Some(value) = extension_commands::query_integer(state, name) {
        return Some(value);
    }
    Some(match name {
        0x864B => state.error_position,
        // VERTEX_PROGRAM_BINDING_NV, FRAGMENT_PROGRAM_BINDING_NV
        0x864A => state.target_state(Target::Vertex).program.name as i32,
        0x8873 => state.target_state(Target::FragmentNv).program.name as i32,
        0x8B8D => state.glsl_program as i32,
        0x825A => state.glsl_pipeline as i32,
        // MAX_TRACK_MATRICES_NV, MAX_TRACK_MATRIX_STACK_DEPTH_NV
        0x862F => state.capabilities.limits(Target::Vertex).program_matrices as i32,
        // MAX_FRAGMENT_PROGRAM_LOCAL_PARAMETERS_NV
        0x8868 => LOCAL_PARAMETERS as i32,
        // MATRIX_MODE: matrices of NV_vertex_program have names of ARB_vertex_program in the
        // driver.
        0x0BA0 if state.is_matrix_nv => driver_state::integer(0x0BA0) - 0x88C0 + 0x8630,
        0x0B33 => state.recorded_list_name()?,
        0x8DA0 => program_parameters::MAX_BUFFER_BINDINGS as i32,
        0x8DA1 => program_parameters::MAX_BUFFER_WORDS,
        driver::constants::MIN_PROGRAM_TEXEL_OFFSET => program_limits::query_min_texel_offset(),
        _ => return program_limits::lowered_limit(&state.capabilities, name),
    })
}
