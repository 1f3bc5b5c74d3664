//! Commands about programs, as the specifications define them: ARB_vertex_program section 2.14,
//! NV_vertex_program sections 2.14.1 and 2.14.4, NV_fragment_program section 5.7,
//! EXT_gpu_program_parameters, EXT_direct_state_access, NV_gpu_program4 section 2.14.1.

use crate::context::{State, StateGroups};
use crate::draw;
use crate::evaluators::EvaluatorMap;
use crate::extension_commands::{ExtensionCommand, execute_extension_command};
use crate::ffi::{driver, driver_state};
use crate::log;
use crate::pipeline;
use crate::pixels::{self, Bitmap, PixelImage};
use crate::program_limits;
use crate::settings;
use crate::share_group::{ENV_PARAMETERS, LOCAL_PARAMETERS, Program, VectorBits};
use crate::target::{TARGETS, Target};
use glasm::state::{MatrixForm, MatrixTracking, TrackedMatrix};
use glasm::{Limits, Program as Loaded, Source};
use glasm_settings::Setting;
use std::ffi::CString;
use std::sync::Arc;

pub(crate) const INVALID_ENUM: u32 = 0x0500;
pub(crate) const INVALID_VALUE: u32 = 0x0501;
pub(crate) const INVALID_OPERATION: u32 = 0x0502;
pub(crate) const OUT_OF_MEMORY: u32 = 0x0505;

pub(crate) const VERTEX_STATE_PROGRAM_NV: u32 = 0x8621;

/// Base that names of lists are relative to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListNameBase {
    /// No base.
    Zero,
    /// `glListBase`
    ListBase,
}

/// Command in display lists.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// `BindProgram`
    BindProgram(u32, u32),
    /// `Enable` or `Disable` of a target.
    EnableTarget(Target, bool),
    /// `ProgramEnvParameter`: target, first, values.
    Env(u32, u32, Vec<VectorBits>),
    /// `ProgramLocalParameter`: target, first, values.
    Local(u32, u32, Vec<VectorBits>),
    /// `NamedProgramLocalParameter`: program, target, first, values.
    NamedLocal(u32, u32, u32, Vec<VectorBits>),
    /// `ProgramNamedParameter`: program, name, value.
    NamedParameter(u32, Vec<u8>, VectorBits),
    /// `LoadProgram`: target, program, text.
    LoadProgram(u32, u32, Vec<u8>),
    /// `ProgramString`: target, format, text.
    ProgramString(u32, u32, Vec<u8>),
    /// `NamedProgramString`: program, target, format, text.
    NamedProgramString(u32, u32, u32, Vec<u8>),
    /// `TrackMatrix`: target, address, matrix, transform.
    TrackMatrix(u32, u32, u32, u32),
    /// `ExecuteProgram`: program, argument.
    ExecuteProgram(u32, [f32; 4]),
    /// `UseProgram`
    UseProgram(u32),
    /// `CallList`: a name. `CallLists`: offsets from the list base of the time when it is executed.
    CallLists(Vec<u32>, ListNameBase),
    /// `Map1` and `Map2` of a numbered attribute.
    DefineMap(u32, EvaluatorMap),
    /// `Enable` or `Disable` of such a map.
    EnableMap(u32, bool),
    /// `PushAttrib`
    PushAttributes(u32),
    /// `PopAttrib`
    PopAttributes,
    /// `RasterPos`: object coordinates.
    RasterPosition([f32; 4]),
    /// `DrawPixels`
    DrawPixels(Arc<PixelImage>),
    /// `CopyPixels`: position, size, type.
    CopyPixels([i32; 2], [i32; 2], u32),
    /// `Bitmap`, with the driver's list that draws it.
    Bitmap(Arc<Bitmap>, u32),
    /// Command of an extension that does not concern programs.
    Extension(ExtensionCommand),
    /// Error of arguments that are invalid in any state: it is raised when the command would be
    /// executed.
    Fail(u32),
    /// Prepares the programs of this library for a draw, with the mode of its primitives if it has
    /// one.
    PrepareDraw(Option<u32>),
}

/// Compiles a command into the display list, or executes it, or both, as the mode of the list that
/// is being compiled requires. Between `Begin` and `End` it records `GL_INVALID_OPERATION` and does
/// nothing else.
pub(crate) fn issue(state: &mut State, command: Command) {
    if state.is_inside_begin_end {
        return state.record_error(INVALID_OPERATION);
    }
    if !state.record(&command) {
        execute_command(state, &command);
    }
}

/// Executes a command on the current state: one that was just issued, or one that is replayed from
/// a display list. Records the errors of the command. Nothing is compiled into a list.
pub(crate) fn execute_command(state: &mut State, command: &Command) {
    match command {
        Command::BindProgram(target, name) => bind_program(state, *target, *name),
        Command::EnableTarget(target, enabled) => set_target_enabled(state, *target, *enabled),
        Command::Env(target, first, values) => set_env_parameters(state, *target, *first, values),
        Command::Local(target, first, values) => {
            set_local_parameters(state, *target, *first, values)
        }
        Command::NamedLocal(program, target, first, values) => {
            set_named_local_parameters(state, *program, *target, *first, values)
        }
        Command::NamedParameter(program, name, value) => {
            set_named_parameter(state, *program, name, *value)
        }
        Command::LoadProgram(target, program, text) => {
            load_nv_program(state, *target, *program, text)
        }
        Command::ProgramString(target, format, text) => {
            load_bound_program(state, *target, *format, text)
        }
        Command::NamedProgramString(program, target, format, text) => {
            load_named_program(state, *program, *target, *format, text)
        }
        Command::TrackMatrix(target, address, matrix, transform) => {
            track_matrix(state, *target, *address, *matrix, *transform)
        }
        Command::ExecuteProgram(program, argument) => {
            crate::program_parameters::execute_state_program(state, *program, *argument)
        }
        Command::UseProgram(program) => use_program(state, *program),
        Command::CallLists(names, base) => state.call_lists(names.iter().copied(), *base, 1),
        Command::DefineMap(target, map) => state.define_map(*target, map.clone()),
        Command::EnableMap(target, enabled) => state.enable_map(*target, *enabled),
        Command::PushAttributes(mask) => {
            state.draw_state.overridden_state.restore();
            state.draw_state.lookups.restore_depth_modes();
            state.push_enables(*mask);
            driver::PushAttrib(*mask);
        }
        Command::PopAttributes => {
            driver::PopAttrib();
            state.pop_enables();
        }
        Command::RasterPosition(coordinates) => {
            crate::raster_position::set_raster_position(state, *coordinates)
        }
        Command::DrawPixels(image) => pixels::draw_image(state, image),
        Command::CopyPixels(corner, size, kind) => {
            pixels::copy_pixels(state, *corner, *size, *kind)
        }
        Command::Bitmap(bitmap, list) => pixels::draw_bitmap(
            state,
            |_| Some(Arc::clone(bitmap)),
            || driver::CallList(*list),
        ),
        Command::Extension(command) => execute_extension_command(state, command),
        Command::Fail(error) => state.record_error(*error),
        Command::PrepareDraw(primitive) => draw::prepare_list(state, *primitive),
    }
}

/// Executes `GenPrograms` of `count` names, of which callers request at most
/// [`NAME_BATCH_SIZE`](crate::check_arguments::NAME_BATCH_SIZE) at a time. The driver generates the
/// names, so that they are valid for its programs, too; if it has no programs, they are unused
/// consecutive ones. Registers the names in the share group without programs.
pub(crate) fn generate_programs(state: &mut State, count: usize) -> Vec<u32> {
    let names = driver_state::generate_program_names(count);
    let mut share = state.lock_share_group();
    let names = names.unwrap_or_else(|| {
        let first = share.find_free_names(count as u32);
        (first..first + count as u32).collect()
    });
    for &name in &names {
        share.programs.entry(name).or_default();
    }
    names
}

/// Executes `DeletePrograms`, also in the driver: bindings of deleted programs revert to program 0
/// in this context, and pipelines of their strings are purged. Ignores name 0 and unknown names.
pub(crate) fn delete_programs(state: &mut State, names: impl Iterator<Item = u32>) {
    for name in names.filter(|&name| name != 0) {
        driver_state::delete_programs(&[name]);
        let removed = state.lock_share_group().programs.remove(&name).flatten();
        for row in &TARGETS {
            if state.target_state(row.target).program.name == name {
                state.target_state_mut(row.target).program = Arc::new(Program::new(0));
                state.mark_changed(StateGroups::PROGRAMS);
            }
        }
        draw::purge_program(state, removed.map_or(0, |it| it.string_serial()));
    }
}

/// Executes `BindProgram`, also in a driver that supports the target; a new name becomes a program
/// of the target, and 0 a program object that is not shared. Records `GL_INVALID_ENUM` for an
/// unknown target, `GL_INVALID_OPERATION` for a program of another target. ARB_vertex_program
/// section 2.14.1.
fn bind_program(state: &mut State, target_enum: u32, name: u32) {
    let Some(target) = Target::from_enumerant(target_enum) else {
        return state.record_error(INVALID_ENUM);
    };
    let program = match name {
        0 => Arc::new(Program::new(0)),
        name => state.lock_share_group().get_or_create_program(name),
    };
    let mut contents = program.contents();
    if contents.target.is_some_and(|it| it != target) {
        drop(contents);
        return state.record_error(INVALID_OPERATION);
    }
    contents.target = Some(target);
    drop(contents);
    if target.properties().is_driver_supported {
        driver::BindProgramARB(target_enum, name);
    }
    if state.target_state(target).program.name != name || name == 0 {
        state.target_state_mut(target).program = program;
        state.mark_changed(StateGroups::PROGRAMS);
    }
}

/// Executes `Enable` or `Disable` of a program target, also in a driver that supports the target.
/// Marks programs as changed only if the value differs from the current one.
fn set_target_enabled(state: &mut State, target: Target, enabled: bool) {
    let row = target.properties();
    if row.is_driver_supported {
        if enabled {
            driver::Enable(row.enumerant)
        } else {
            driver::Disable(row.enumerant)
        }
    }
    if state.target_state(target).enabled != enabled {
        state.target_state_mut(target).enabled = enabled;
        state.mark_changed(StateGroups::PROGRAMS);
    }
}

/// Restores the application's state in the driver, executes `UseProgram` there, and records the
/// program object that is current afterwards: the application's own programs of GLSL take
/// precedence over bound ones. Marks programs as changed.
fn use_program(state: &mut State, program: u32) {
    draw::restore_application_state(state);
    driver::UseProgram(program);
    state.glsl_program = driver_state::integer(driver::constants::CURRENT_PROGRAM) as u32;
    state.mark_changed(StateGroups::PROGRAMS);
}

/// Loads a program string into the bound program: `ProgramStringARB`. Records `GL_INVALID_ENUM` for
/// an unknown target or a format other than `GL_PROGRAM_FORMAT_ASCII_ARB`; errors of the string are
/// those of [`load_program_string`].
fn load_bound_program(state: &mut State, target_enum: u32, format: u32, text: &[u8]) {
    let Some(target) = Target::from_enumerant(target_enum) else {
        return state.record_error(INVALID_ENUM);
    };
    if format != 0x8875 {
        return state.record_error(INVALID_ENUM);
    }
    let program = Arc::clone(&state.target_state(target).program);
    load_program_string(state, target, &program, text);
}

/// Loads a program string into the program with a name, which is created if there is none:
/// `NamedProgramStringEXT`. The program is bound in the driver during the call. Records
/// `GL_INVALID_ENUM` for an unknown target or format, and `GL_INVALID_OPERATION` for a program of
/// another target; errors of the string are those of [`load_program_string`].
fn load_named_program(state: &mut State, name: u32, target_enum: u32, format: u32, text: &[u8]) {
    let target = Target::from_enumerant(target_enum).filter(|_| format == 0x8875);
    let Some(target) = target else {
        return state.record_error(INVALID_ENUM);
    };
    let program = state.lock_share_group().get_or_create_program(name);
    let bound_target = *program.contents().target.get_or_insert(target) != target;
    if bound_target {
        return state.record_error(INVALID_OPERATION);
    }
    if !target.properties().is_driver_supported {
        return load_program_string(state, target, &program, text);
    }
    // The driver loads the string into the bound program.
    driver::BindProgramARB(target_enum, name);
    let bound = std::mem::replace(
        &mut state.target_state_mut(target).program,
        Arc::clone(&program),
    );
    load_program_string(state, target, &program, text);
    driver::BindProgramARB(target_enum, bound.name);
    state.target_state_mut(target).program = bound;
}

/// Executes `ProgramVertexLimitNV` for the bound geometry program, whose pipelines are built again.
/// Records `GL_INVALID_ENUM` for another target, `GL_INVALID_OPERATION` if no program is loaded,
/// and `GL_INVALID_VALUE` for a limit that is not positive or exceeds one of the two limits of
/// vertices and of their components. NV_geometry_program4 section 2.14.6.4.
pub(crate) fn set_vertex_limit(state: &mut State, target_enum: u32, limit: i32) {
    if target_enum != Target::Geometry.properties().enumerant {
        return state.record_error(INVALID_ENUM);
    }
    let program = Arc::clone(&state.target_state(Target::Geometry).program);
    let mut contents = program.contents();
    let Some(loaded) = &contents.translated else {
        drop(contents);
        return state.record_error(INVALID_OPERATION);
    };
    let max_vertices = program_limits::query_output_vertex_limit();
    let max_components = program_limits::query_output_component_limit();
    let limit = u32::try_from(limit).ok().filter(|&limit| {
        (1..=max_vertices).contains(&limit)
            && program_limits::count_output_components(loaded, limit) <= max_components
    });
    if limit.is_none() {
        drop(contents);
        return state.record_error(INVALID_VALUE);
    }
    contents.vertex_limit = limit;
    drop(contents);
    draw::purge_program(state, program.assign_new_serial());
    state.mark_changed(StateGroups::PROGRAMS);
}

/// Executes `ProgramSubroutineParametersuivNV`: replaces all subroutine parameters of the bound
/// program. Records `GL_INVALID_ENUM` for an unknown target; the values are not checked.
/// NV_gpu_program5 section 2.14.1.
pub(crate) fn set_subroutines(state: &mut State, target_enum: u32, values: Vec<u32>) {
    let Some(target) = Target::from_enumerant(target_enum) else {
        return state.record_error(INVALID_ENUM);
    };
    let program = &state.target_state(target).program;
    program.contents().subroutines = values;
    program.increment_version();
}

/// Executes `LoadProgramNV`: the target determines the language of the string, and no binding
/// changes. A new name becomes a program only if the string loads. Records `GL_INVALID_VALUE` for
/// name 0, `GL_INVALID_ENUM` for an unknown target, and `GL_INVALID_OPERATION` for a program of
/// another target; errors of the string are those of [`load_program_string`].
fn load_nv_program(state: &mut State, target_enum: u32, name: u32, text: &[u8]) {
    if name == 0 {
        return state.record_error(INVALID_VALUE);
    }
    let target = match target_enum {
        VERTEX_STATE_PROGRAM_NV => Some(Target::Compute),
        number => Target::from_enumerant(number),
    };
    let Some(target) = target else {
        return state.record_error(INVALID_ENUM);
    };
    // A name becomes a program when a program string is loaded.
    let existing = state.lock_share_group().find_program(name);
    let program = existing.unwrap_or_else(|| Arc::new(Program::new(name)));
    let other = program.contents().target.is_some_and(|it| it != target);
    if other {
        return state.record_error(INVALID_OPERATION);
    }
    if target_enum == VERTEX_STATE_PROGRAM_NV {
        let source = Source::new("", text).for_type(glasm::ProgramType::VertexState);
        load_translated(state, target, &program, source);
    } else {
        load_program_string(state, target, &program, text);
    }
    if program.string_serial() != 0 {
        state
            .lock_share_group()
            .programs
            .insert(name, Some(program));
    }
}

/// Loads a program string into a program: into the driver's if the driver has the target, the
/// program is bound, the language is one of ARB, and the driver accepts the string, otherwise into
/// this library's by [`load_translated`]. Success purges the pipelines of the old string and resets
/// the error position and string of the context; failure is recorded as there.
fn load_program_string(state: &mut State, target: Target, program: &Program, text: &[u8]) {
    let properties = target.properties();
    let is_bound = state.target_state(target).program.name == program.name;
    let is_arb = text.starts_with(b"!!ARB");
    let driver_may_accept =
        properties.is_driver_supported && is_bound && is_arb && !draw::emulates_all_programs();
    let try_driver = driver_may_accept && may_driver_execute(state, target, text);
    if try_driver {
        state.save_driver_error();
    }
    if try_driver && driver_state::load_arb_program(properties.enumerant, text) == -1 {
        let mut contents = program.contents();
        contents.program_string = text.to_vec();
        contents.translated = None;
        contents.is_driver_program = true;
        drop(contents);
        draw::purge_program(state, program.assign_new_serial());
        state.error_position = -1;
        state.error_text = CString::default();
        state.mark_changed(StateGroups::PROGRAMS);
        return;
    }
    load_translated(
        state,
        target,
        program,
        Source::new("", text).for_stage(properties.stage),
    );
}

/// Returns true if the driver may execute a program with regard to hidden extensions and the limits
/// of this library: parameters beyond its limits could not be set. False for strings that this
/// library cannot load, unless the driver has no higher limits than this library: then true without
/// a check.
fn may_driver_execute(state: &State, target: Target, text: &[u8]) -> bool {
    let source = Source::new("", text).for_stage(target.properties().stage);
    if state.capabilities.hidden.check_program(&source).is_err() {
        return false;
    }
    if !state.capabilities.driver_has_higher_limits {
        return true;
    }
    // A program that does not load here has errors that the driver reports in its own way.
    Loaded::load(&source)
        .is_ok_and(|loaded| loaded.check_limits(&load_limits(state, target)).is_ok())
}

/// Returns the limits for loading programs. They exclude the depth of calls: a full call stack ends
/// a program at run time (NV_gpu_program4, section 2.X.5).
fn load_limits(state: &State, target: Target) -> Limits {
    Limits {
        call_depth: u32::MAX,
        ..state.capabilities.limits(target)
    }
}

/// Returns true if violations that shipped programs contain are errors: `GLASM_STRICT=1`.
pub(crate) fn is_strict_mode() -> bool {
    settings::current().flag(Setting::Strict)
}

/// Loads a program string into a program of this library, and purges the pipelines of the old
/// string. An error in the string, or a limit that it exceeds, leaves the program unchanged, sets
/// the error position and string of the context, writes to the log, and records
/// `GL_INVALID_OPERATION`.
fn load_translated(state: &mut State, target: Target, program: &Program, source: Source<'_>) {
    let name = format!("program {}", program.name);
    let mut source = Source {
        name: &name,
        ..source
    };
    if is_strict_mode() {
        source = source.strict();
    }
    let limits = load_limits(state, target);
    let within_limits = |loaded: Loaded| {
        let checked = loaded.check_limits(&limits);
        let checked = checked.and_then(|()| program_limits::check_declared_sizes(&loaded));
        checked.map(|()| loaded)
    };
    let visible = state.capabilities.hidden.check_program(&source);
    let loaded = visible.and_then(|()| Loaded::load(&source));
    match loaded.and_then(within_limits) {
        Ok(loaded) => {
            log::info(format_args!(
                "{name}: {} bytes, {:?}",
                source.text.len(),
                loaded.dialect()
            ));
            let compiler = &mut state.draw_state.compiler;
            pipeline::warm_up_compiler(&state.capabilities, compiler, &loaded);
            let mut contents = program.contents();
            contents.target = Some(target);
            contents.program_string = source.text.to_vec();
            contents.named_parameters = Vec::new();
            contents.vertex_limit = None;
            contents.translated = Some(loaded);
            contents.is_driver_program = false;
            drop(contents);
            draw::purge_program(state, program.assign_new_serial());
            state.error_position = -1;
            state.error_text = CString::default();
            state.mark_changed(StateGroups::PROGRAMS);
            state.start_mirroring();
        }
        Err(errors) => {
            let text = errors.render(&source);
            log::error(&text);
            let position = errors.gl_error_position(&source).unwrap_or(0);
            state.error_position = i32::try_from(position).unwrap_or(i32::MAX);
            state.error_text = CString::new(text.replace('\0', " ")).unwrap_or_default();
            state.record_error(INVALID_OPERATION);
        }
    }
}

/// Checks that `count` parameters from `first` on are within `max_count`. Otherwise records
/// `GL_INVALID_VALUE` and returns `None`.
fn check_parameter_range(
    state: &mut State,
    first: u32,
    count: usize,
    max_count: u32,
) -> Option<()> {
    let end = u32::try_from(count)
        .ok()
        .and_then(|count| first.checked_add(count));
    if end.is_none_or(|end| end > max_count) {
        state.record_error(INVALID_VALUE);
        return None;
    }
    Some(())
}

/// Sets consecutive environment parameters of a target and increments their version; also of the
/// driver if it has the target. Records `GL_INVALID_ENUM` for an unknown target and
/// `GL_INVALID_VALUE` if a parameter is beyond the limit; then none is set.
fn set_env_parameters(state: &mut State, target_enum: u32, first: u32, values: &[VectorBits]) {
    let Some(target) = Target::from_enumerant(target_enum) else {
        return state.record_error(INVALID_ENUM);
    };
    if check_parameter_range(state, first, values.len(), ENV_PARAMETERS).is_none() {
        return;
    }
    let bound = state.target_state_mut(target);
    crate::share_group::set_elements(&mut bound.env_parameters, first, values);
    bound.env_version += 1;
    if target.properties().is_driver_supported {
        for (index, value) in (first..).zip(values) {
            driver_state::set_env_parameter(target_enum, index, value.map(f32::from_bits));
        }
    }
}

/// Sets consecutive local parameters of the program that is bound to a target, and increments their
/// version; also in the driver if it executes the program. Records `GL_INVALID_ENUM` for an unknown
/// target and `GL_INVALID_VALUE` if a parameter is beyond the limit; then none is set.
fn set_local_parameters(state: &mut State, target_enum: u32, first: u32, values: &[VectorBits]) {
    let Some(target) = Target::from_enumerant(target_enum) else {
        return state.record_error(INVALID_ENUM);
    };
    if check_parameter_range(state, first, values.len(), LOCAL_PARAMETERS).is_none() {
        return;
    }
    let program = &state.target_state(target).program;
    let mut contents = program.contents();
    contents.set_locals(first, values);
    let is_drivers = contents.is_driver_program;
    drop(contents);
    program.increment_version();
    if is_drivers {
        for (index, value) in (first..).zip(values) {
            driver_state::set_local_parameter(target_enum, index, value.map(f32::from_bits));
        }
    }
}

/// Sets consecutive local parameters of the program with a name, which is created if there is none,
/// and increments their version; also in the driver if it executes the program
/// (EXT_direct_state_access). Records `GL_INVALID_ENUM` for an unknown target, `GL_INVALID_VALUE`
/// if a parameter is beyond the limit, and `GL_INVALID_OPERATION` if the program has another
/// target.
fn set_named_local_parameters(
    state: &mut State,
    name: u32,
    target_enum: u32,
    first: u32,
    values: &[VectorBits],
) {
    let Some(target) = Target::from_enumerant(target_enum) else {
        return state.record_error(INVALID_ENUM);
    };
    if check_parameter_range(state, first, values.len(), LOCAL_PARAMETERS).is_none() {
        return;
    }
    let program = state.lock_share_group().get_or_create_program(name);
    let mut contents = program.contents();
    if *contents.target.get_or_insert(target) != target {
        drop(contents);
        return state.record_error(INVALID_OPERATION);
    }
    contents.set_locals(first, values);
    let is_drivers = contents.is_driver_program;
    drop(contents);
    program.increment_version();
    if is_drivers {
        for (index, value) in (first..).zip(values) {
            let [x, y, z, w] = value.map(f32::from_bits);
            driver::NamedProgramLocalParameter4fEXT(name, target_enum, index, x, y, z, w);
        }
    }
}

/// Executes `ProgramNamedParameter4fNV` and increments the version of the program's parameters.
/// Records `GL_INVALID_OPERATION` unless `program` is the name of a fragment program, and
/// `GL_INVALID_VALUE` if it does not declare a parameter with this name. NV_fragment_program
/// section 5.7.
fn set_named_parameter(state: &mut State, program: u32, name: &[u8], value: VectorBits) {
    let program = state
        .lock_share_group()
        .find_program(program)
        .filter(|it| it.is_fragment());
    let Some(program) = program else {
        return state.record_error(INVALID_OPERATION);
    };
    let Ok(name) = std::str::from_utf8(name) else {
        return state.record_error(INVALID_VALUE);
    };
    let mut contents = program.contents();
    let is_known = contents.translated.as_ref().is_some_and(|it| {
        let ir = it.ir();
        ir.named_params
            .iter()
            .any(|param| ir.names.get(param.name) == name)
    });
    if !is_known {
        drop(contents);
        return state.record_error(INVALID_VALUE);
    }
    match contents
        .named_parameters
        .iter_mut()
        .find(|(known, _)| known == name)
    {
        Some((_, old)) => *old = value,
        None => contents.named_parameters.push((name.to_owned(), value)),
    }
    drop(contents);
    program.increment_version();
}

/// Executes `TrackMatrixNV`: the four parameters from `address` on track a matrix, or none; those
/// that tracked one before retain its last value. Records `GL_INVALID_ENUM` for an unknown target,
/// matrix or transformation, and `GL_INVALID_VALUE` for an address that is not a multiple of 4
/// below 96. NV_vertex_program section 2.14.5.
fn track_matrix(state: &mut State, target_enum: u32, address: u32, matrix: u32, transform: u32) {
    if target_enum != Target::Vertex.properties().enumerant {
        return state.record_error(INVALID_ENUM);
    }
    if !address.is_multiple_of(4) || address >= 96 {
        return state.record_error(INVALID_VALUE);
    }
    let transform_index = match transform {
        0x862A => MatrixForm::Plain,
        0x862B => MatrixForm::Inverse,
        0x862C => MatrixForm::Transpose,
        0x862D => MatrixForm::InverseTranspose,
        _ => return state.record_error(INVALID_ENUM),
    };
    let matrix = match matrix {
        0 => None,
        0x1700 => Some(TrackedMatrix::Modelview),
        0x1701 => Some(TrackedMatrix::Projection),
        0x1702 => Some(TrackedMatrix::Texture(
            (driver_state::integer(0x84E0) - 0x84C0).max(0) as u32,
        )),
        0x1800 => Some(TrackedMatrix::Color),
        0x8629 => Some(TrackedMatrix::ModelviewProjection),
        0x84C0..=0x84DF => Some(TrackedMatrix::Texture(matrix - 0x84C0)),
        0x8630..=0x8637 => Some(TrackedMatrix::Program(matrix - 0x8630)),
        _ => return state.record_error(INVALID_ENUM),
    };
    state.mark_changed(StateGroups::MATRIX | StateGroups::PROGRAMS);
    let tracking = matrix.map(|matrix| MatrixTracking {
        matrix,
        form: transform_index,
    });
    crate::program_parameters::read_tracked_matrix(state, address);
    if let Some(rows) = state.gl.track_matrix(address, tracking) {
        // Parameters retain their last value when tracking ends.
        let rows = rows.map(|row| row.map(f32::to_bits));
        let bound = state.target_state_mut(Target::Vertex);
        crate::share_group::set_elements(&mut bound.env_parameters, address, &rows);
    }
    state.target_state_mut(Target::Vertex).env_version += 1;
}
