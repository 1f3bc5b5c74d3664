//! Commands about programs, as the specifications define them: ARB_vertex_program section 2.14,
//! NV_vertex_program sections 2.14.1 and 2.14.4, NV_fragment_program section 5.7,
//! EXT_gpu_program_parameters, EXT_direct_state_access, NV_gpu_program4 section 2.14.1.

use crate::context::{Groups, State};
use crate::draw;
use crate::evaluators::Map;
use crate::ffi::{driver, query};
use crate::log;
use crate::objects::{Bits, ENV_PARAMETERS, LOCAL_PARAMETERS, Program};
use crate::pipeline;
use crate::pixels::{self, Bitmap, Image};
use crate::target::{TARGETS, Target};
use glasm::state::{MatrixForm, TrackedMatrix, Tracking};
use glasm::{Limits, Program as Loaded, Source};
use std::ffi::CString;
use std::sync::{Arc, LazyLock};

pub(crate) const INVALID_ENUM: u32 = 0x0500;
pub(crate) const INVALID_VALUE: u32 = 0x0501;
pub(crate) const INVALID_OPERATION: u32 = 0x0502;
pub(crate) const OUT_OF_MEMORY: u32 = 0x0505;

pub(crate) const VERTEX_STATE_PROGRAM_NV: u32 = 0x8621;

/// Base that names of lists are relative to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    /// No base.
    Zero,
    /// `glListBase`
    ListBase,
}

/// Command in display lists.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// `BindProgram`
    Bind(u32, u32),
    /// `Enable` or `Disable` of a target.
    Enable(Target, bool),
    /// `ProgramEnvParameter`: target, first, values.
    Env(u32, u32, Vec<Bits>),
    /// `ProgramLocalParameter`: target, first, values.
    Local(u32, u32, Vec<Bits>),
    /// `NamedProgramLocalParameter`: program, target, first, values.
    NamedLocal(u32, u32, u32, Vec<Bits>),
    /// `ProgramNamedParameter`: program, name, value.
    Named(u32, Vec<u8>, Bits),
    /// `LoadProgram`: target, program, text.
    Load(u32, u32, Vec<u8>),
    /// `ProgramString`: target, format, text.
    LoadBound(u32, u32, Vec<u8>),
    /// `NamedProgramString`: program, target, format, text.
    LoadNamed(u32, u32, u32, Vec<u8>),
    /// `TrackMatrix`: target, address, matrix, transform.
    Track(u32, u32, u32, u32),
    /// `ExecuteProgram`: program, argument.
    Execute(u32, [f32; 4]),
    /// `UseProgram`
    Use(u32),
    /// `CallList`: a name. `CallLists`: offsets from the list base of the time when it is executed.
    CallLists(Vec<u32>, Base),
    /// `Map1` and `Map2` of a numbered attribute.
    Map(u32, Map),
    /// `Enable` or `Disable` of such a map.
    EnableMap(u32, bool),
    /// `PushAttrib`
    PushAttributes(u32),
    /// `PopAttrib`
    PopAttributes,
    /// `RasterPos`: object coordinates.
    RasterPosition([f32; 4]),
    /// `DrawPixels`
    Image(Arc<Image>),
    /// `CopyPixels`: position, size, type.
    Copy([i32; 2], [i32; 2], u32),
    /// `Bitmap`, with the driver's list that draws it.
    Bitmap(Arc<Bitmap>, u32),
    /// Error of arguments that are invalid in any state: it is raised when the command would be
    /// executed.
    Fail(u32),
    /// Prepares the programs of this library for a draw, with the mode of its primitives if it has
    /// one.
    Ready(Option<u32>),
}

/// Compiles a command into the display list, or executes it, or both.
pub(crate) fn issue(state: &mut State, command: Command) {
    if state.is_inside {
        return state.fail(INVALID_OPERATION);
    }
    if !state.record(&command) {
        execute(state, &command);
    }
}

/// Executes a command.
pub(crate) fn execute(state: &mut State, command: &Command) {
    match command {
        Command::Bind(target, name) => bind(state, *target, *name),
        Command::Enable(target, enabled) => enable(state, *target, *enabled),
        Command::Env(target, first, values) => set_env(state, *target, *first, values),
        Command::Local(target, first, values) => set_local(state, *target, *first, values),
        Command::NamedLocal(program, target, first, values) => {
            set_named_local(state, *program, *target, *first, values)
        }
        Command::Named(program, name, value) => set_named(state, *program, name, *value),
        Command::Load(target, program, text) => load_nv(state, *target, *program, text),
        Command::LoadBound(target, format, text) => load_bound(state, *target, *format, text),
        Command::LoadNamed(program, target, format, text) => {
            load_named(state, *program, *target, *format, text)
        }
        Command::Track(target, address, matrix, transform) => {
            track(state, *target, *address, *matrix, *transform)
        }
        Command::Execute(program, argument) => {
            crate::params::execute_state_program(state, *program, *argument)
        }
        Command::Use(program) => use_program(state, *program),
        Command::CallLists(names, base) => state.call_each(names.iter().copied(), *base, 1),
        Command::Map(target, map) => state.set_map(*target, map.clone()),
        Command::EnableMap(target, enabled) => state.enable_map(*target, *enabled),
        Command::PushAttributes(mask) => {
            state.drawing.overridden.restore();
            state.drawing.lookups.restore_depth_modes();
            state.push_enables(*mask);
            driver::PushAttrib(*mask);
        }
        Command::PopAttributes => {
            driver::PopAttrib();
            state.pop_enables();
        }
        Command::RasterPosition(coordinates) => crate::raster::set(state, *coordinates),
        Command::Image(image) => pixels::draw_image(state, image),
        Command::Copy(place, size, kind) => pixels::copy(state, *place, *size, *kind),
        Command::Bitmap(bitmap, list) => pixels::draw_bitmap(
            state,
            |_| Some(Arc::clone(bitmap)),
            || driver::CallList(*list),
        ),
        Command::Fail(error) => state.fail(*error),
        Command::Ready(primitive) => draw::prepare_list(state, *primitive),
    }
}

/// Executes `GenPrograms`, [`NAMES_AT_A_TIME`](crate::arguments::NAMES_AT_A_TIME). The driver
/// generates the names, so that they are valid for its programs, too.
pub(crate) fn generate(state: &mut State, count: usize) -> Vec<u32> {
    let names = query::program_names(count);
    let mut share = state.shared();
    let names = names.unwrap_or_else(|| {
        let first = share.free_names(count as u32);
        (first..first + count as u32).collect()
    });
    for &name in &names {
        share.programs.entry(name).or_default();
    }
    names
}

/// Executes `DeletePrograms`: bindings of deleted programs revert to program 0.
pub(crate) fn delete(state: &mut State, names: impl Iterator<Item = u32>) {
    for name in names.filter(|&name| name != 0) {
        query::delete_programs(&[name]);
        let gone = state.shared().programs.remove(&name).flatten();
        for row in &TARGETS {
            if state.bound(row.target).program.name == name {
                state.bound_mut(row.target).program = Arc::new(Program::new(0));
                state.touch(Groups::PROGRAMS);
            }
        }
        draw::purge_program(state, gone.map_or(0, |it| it.serial()));
    }
}

/// Executes `BindProgram`: ARB_vertex_program section 2.14.1.
fn bind(state: &mut State, number: u32, name: u32) {
    let Some(target) = Target::of(number) else {
        return state.fail(INVALID_ENUM);
    };
    let program = match name {
        0 => Arc::new(Program::new(0)),
        name => state.shared().program(name),
    };
    let mut contents = program.contents();
    if contents.target.is_some_and(|it| it != target) {
        drop(contents);
        return state.fail(INVALID_OPERATION);
    }
    contents.target = Some(target);
    drop(contents);
    if target.row().is_drivers {
        driver::BindProgramARB(number, name);
    }
    if state.bound(target).program.name != name || name == 0 {
        state.bound_mut(target).program = program;
        state.touch(Groups::PROGRAMS);
    }
}

/// Executes `Enable` or `Disable` of a target.
fn enable(state: &mut State, target: Target, enabled: bool) {
    let row = target.row();
    if row.is_drivers {
        if enabled {
            driver::Enable(row.number)
        } else {
            driver::Disable(row.number)
        }
    }
    if state.bound(target).enabled != enabled {
        state.bound_mut(target).enabled = enabled;
        state.touch(Groups::PROGRAMS);
    }
}

/// Executes `UseProgram`: the application's own programs of GLSL take precedence over bound ones.
fn use_program(state: &mut State, program: u32) {
    draw::release(state);
    driver::UseProgram(program);
    state.used_program = query::integer(driver::constants::CURRENT_PROGRAM) as u32;
    state.touch(Groups::PROGRAMS);
}

/// Loads a program string into the bound program: `ProgramStringARB`.
fn load_bound(state: &mut State, number: u32, format: u32, text: &[u8]) {
    let Some(target) = Target::of(number) else {
        return state.fail(INVALID_ENUM);
    };
    if format != 0x8875 {
        return state.fail(INVALID_ENUM);
    }
    let program = Arc::clone(&state.bound(target).program);
    load(state, target, &program, text);
}

/// Loads a program string into a program that is named: `NamedProgramStringEXT`.
fn load_named(state: &mut State, name: u32, number: u32, format: u32, text: &[u8]) {
    let target = Target::of(number).filter(|_| format == 0x8875);
    let Some(target) = target else {
        return state.fail(INVALID_ENUM);
    };
    let program = state.shared().program(name);
    let other = *program.contents().target.get_or_insert(target) != target;
    if other {
        return state.fail(INVALID_OPERATION);
    }
    if !target.row().is_drivers {
        return load(state, target, &program, text);
    }
    // The driver loads the string into the bound program.
    driver::BindProgramARB(number, name);
    let bound = std::mem::replace(&mut state.bound_mut(target).program, Arc::clone(&program));
    load(state, target, &program, text);
    driver::BindProgramARB(number, bound.name);
    state.bound_mut(target).program = bound;
}

/// Executes `ProgramVertexLimitNV`: NV_geometry_program4 section 2.14.6.
pub(crate) fn set_vertex_limit(state: &mut State, number: u32, limit: i32) {
    if number != Target::Geometry.row().number {
        return state.fail(INVALID_ENUM);
    }
    let program = Arc::clone(&state.bound(Target::Geometry).program);
    let mut contents = program.contents();
    let Some(loaded) = &contents.loaded else {
        drop(contents);
        return state.fail(INVALID_OPERATION);
    };
    let most = loaded.ir().modes.vertices_out;
    let limit = u32::try_from(limit)
        .ok()
        .filter(|limit| (1..=most).contains(limit));
    if limit.is_none() {
        drop(contents);
        return state.fail(INVALID_VALUE);
    }
    contents.vertex_limit = limit;
    drop(contents);
    draw::purge_program(state, program.reloaded());
    state.touch(Groups::PROGRAMS);
}

/// Executes `ProgramSubroutineParametersuivNV`: NV_gpu_program5 section 2.14.1.
pub(crate) fn set_subroutines(state: &mut State, number: u32, values: Vec<u32>) {
    let Some(target) = Target::of(number) else {
        return state.fail(INVALID_ENUM);
    };
    let program = &state.bound(target).program;
    program.contents().subroutines = values;
    program.parameter_changed();
}

/// Executes `LoadProgramNV`: the target determines the language of the string, and no program is
/// bound.
fn load_nv(state: &mut State, number: u32, name: u32, text: &[u8]) {
    if name == 0 {
        return state.fail(INVALID_VALUE);
    }
    let target = match number {
        VERTEX_STATE_PROGRAM_NV => Some(Target::Compute),
        number => Target::of(number),
    };
    let Some(target) = target else {
        return state.fail(INVALID_ENUM);
    };
    // A name becomes a program when a program string is loaded.
    let known = state.shared().find(name);
    let program = known.unwrap_or_else(|| Arc::new(Program::new(name)));
    let other = program.contents().target.is_some_and(|it| it != target);
    if other {
        return state.fail(INVALID_OPERATION);
    }
    if number == VERTEX_STATE_PROGRAM_NV {
        let source = Source::new("", text).for_type(glasm::ProgramType::VertexState);
        translate(state, target, &program, source);
    } else {
        load(state, target, &program, text);
    }
    if program.serial() != 0 {
        state.shared().programs.insert(name, Some(program));
    }
}

/// Loads a program string: into the driver if it accepts it, otherwise into a program of this
/// library.
fn load(state: &mut State, target: Target, program: &Program, text: &[u8]) {
    let row = target.row();
    let is_bound = state.bound(target).program.name == program.name;
    let is_arb = text.starts_with(b"!!ARB");
    let may_be_drivers = row.is_drivers && is_bound && is_arb && !draw::takes_all();
    let is_tried = may_be_drivers && is_within_limits(state, target, text);
    if is_tried {
        state.keep_error();
    }
    if is_tried && query::load_arb_program(row.number, text) == -1 {
        let mut contents = program.contents();
        contents.text = text.to_vec();
        contents.loaded = None;
        contents.is_drivers = true;
        drop(contents);
        draw::purge_program(state, program.reloaded());
        state.error_position = -1;
        state.error_text = CString::default();
        state.touch(Groups::PROGRAMS);
        return;
    }
    translate(
        state,
        target,
        program,
        Source::new("", text).for_stage(row.stage),
    );
}

/// Returns true if the driver may execute a program with regard to the parameters of this library:
/// parameters beyond its limits could not be set.
fn is_within_limits(state: &State, target: Target, text: &[u8]) -> bool {
    if !state.capabilities.has_more_parameters {
        return true;
    }
    let source = Source::new("", text).for_stage(target.row().stage);
    // A program that does not load here has errors that the driver reports in its own way.
    Loaded::load(&source).is_ok_and(|loaded| {
        loaded
            .check_limits(&limits_of_loading(state, target))
            .is_ok()
    })
}

/// Returns the limits for loading programs. They exclude the depth of calls: a full call stack ends
/// a program at run time (NV_gpu_program4, section 2.X.5).
fn limits_of_loading(state: &State, target: Target) -> Limits {
    Limits {
        call_depth: u32::MAX,
        ..state.capabilities.limits(target)
    }
}

/// Returns true if violations that shipped programs contain are errors: `GLASM_STRICT=1`.
pub(crate) fn is_strict() -> bool {
    static STRICT: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("GLASM_STRICT").is_some_and(|it| it == "1"));
    *STRICT
}

/// Loads a program string into a program of this library. An error leaves the program unchanged.
fn translate(state: &mut State, target: Target, program: &Program, source: Source<'_>) {
    let name = format!("program {}", program.name);
    let mut source = Source {
        name: &name,
        ..source
    };
    if is_strict() {
        source = source.strict();
    }
    let limits = limits_of_loading(state, target);
    let within_limits = |loaded: Loaded| loaded.check_limits(&limits).map(|()| loaded);
    match Loaded::load(&source).and_then(within_limits) {
        Ok(loaded) => {
            log::info(format_args!(
                "{name}: {} bytes, {:?}",
                source.text.len(),
                loaded.dialect()
            ));
            let compiler = &mut state.drawing.compiler;
            pipeline::warm_up(&state.capabilities, compiler, &loaded);
            let mut contents = program.contents();
            contents.target = Some(target);
            contents.text = source.text.to_vec();
            contents.named = Vec::new();
            contents.loaded = Some(loaded);
            contents.is_drivers = false;
            drop(contents);
            draw::purge_program(state, program.reloaded());
            state.error_position = -1;
            state.error_text = CString::default();
            state.touch(Groups::PROGRAMS);
            state.start_mirroring();
        }
        Err(errors) => {
            let text = errors.render(&source);
            log::error(&text);
            let position = errors.gl_error_position(&source).unwrap_or(0);
            state.error_position = i32::try_from(position).unwrap_or(i32::MAX);
            state.error_text = CString::new(text.replace('\0', " ")).unwrap_or_default();
            state.fail(INVALID_OPERATION);
        }
    }
}

/// Returns the number of values, or the error if they reach past the last parameter.
fn checked(state: &mut State, first: u32, count: usize, most: u32) -> Option<()> {
    let end = u32::try_from(count)
        .ok()
        .and_then(|count| first.checked_add(count));
    if end.is_none_or(|end| end > most) {
        state.fail(INVALID_VALUE);
        return None;
    }
    Some(())
}

fn set_env(state: &mut State, number: u32, first: u32, values: &[Bits]) {
    let Some(target) = Target::of(number) else {
        return state.fail(INVALID_ENUM);
    };
    if checked(state, first, values.len(), ENV_PARAMETERS).is_none() {
        return;
    }
    let bound = state.bound_mut(target);
    crate::objects::set(&mut bound.env, first, values);
    bound.env_version += 1;
    if target.row().is_drivers {
        for (index, value) in (first..).zip(values) {
            query::set_env_parameter(number, index, value.map(f32::from_bits));
        }
    }
}

fn set_local(state: &mut State, number: u32, first: u32, values: &[Bits]) {
    let Some(target) = Target::of(number) else {
        return state.fail(INVALID_ENUM);
    };
    if checked(state, first, values.len(), LOCAL_PARAMETERS).is_none() {
        return;
    }
    let program = &state.bound(target).program;
    let mut contents = program.contents();
    contents.set_locals(first, values);
    let is_drivers = contents.is_drivers;
    drop(contents);
    program.parameter_changed();
    if is_drivers {
        for (index, value) in (first..).zip(values) {
            query::set_local_parameter(number, index, value.map(f32::from_bits));
        }
    }
}

fn set_named_local(state: &mut State, name: u32, number: u32, first: u32, values: &[Bits]) {
    let Some(target) = Target::of(number) else {
        return state.fail(INVALID_ENUM);
    };
    if checked(state, first, values.len(), LOCAL_PARAMETERS).is_none() {
        return;
    }
    let program = state.shared().program(name);
    let mut contents = program.contents();
    if *contents.target.get_or_insert(target) != target {
        drop(contents);
        return state.fail(INVALID_OPERATION);
    }
    contents.set_locals(first, values);
    let is_drivers = contents.is_drivers;
    drop(contents);
    program.parameter_changed();
    if is_drivers {
        for (index, value) in (first..).zip(values) {
            let [x, y, z, w] = value.map(f32::from_bits);
            driver::NamedProgramLocalParameter4fEXT(name, number, index, x, y, z, w);
        }
    }
}

/// Executes `ProgramNamedParameter4fNV`: NV_fragment_program section 5.7.
fn set_named(state: &mut State, program: u32, name: &[u8], value: Bits) {
    let program = state.shared().find(program).filter(|it| it.is_fragment());
    let Some(program) = program else {
        return state.fail(INVALID_OPERATION);
    };
    let Ok(name) = std::str::from_utf8(name) else {
        return state.fail(INVALID_VALUE);
    };
    let mut contents = program.contents();
    let is_known = contents.loaded.as_ref().is_some_and(|it| {
        let ir = it.ir();
        ir.named_params
            .iter()
            .any(|param| ir.names.get(param.name) == name)
    });
    if !is_known {
        drop(contents);
        return state.fail(INVALID_VALUE);
    }
    match contents.named.iter_mut().find(|(known, _)| known == name) {
        Some((_, old)) => *old = value,
        None => contents.named.push((name.to_owned(), value)),
    }
    drop(contents);
    program.parameter_changed();
}

/// Executes `TrackMatrixNV`: NV_vertex_program section 2.14.5.
fn track(state: &mut State, number: u32, address: u32, matrix: u32, transform: u32) {
    if number != Target::Vertex.row().number {
        return state.fail(INVALID_ENUM);
    }
    if !address.is_multiple_of(4) || address >= 96 {
        return state.fail(INVALID_VALUE);
    }
    let form = match transform {
        0x862A => MatrixForm::Plain,
        0x862B => MatrixForm::Inverse,
        0x862C => MatrixForm::Transpose,
        0x862D => MatrixForm::InverseTranspose,
        _ => return state.fail(INVALID_ENUM),
    };
    let matrix = match matrix {
        0 => None,
        0x1700 => Some(TrackedMatrix::Modelview),
        0x1701 => Some(TrackedMatrix::Projection),
        0x1702 => Some(TrackedMatrix::Texture(
            (query::integer(0x84E0) - 0x84C0).max(0) as u32,
        )),
        0x1800 => Some(TrackedMatrix::Color),
        0x8629 => Some(TrackedMatrix::Mvp),
        0x84C0..=0x84DF => Some(TrackedMatrix::Texture(matrix - 0x84C0)),
        0x8630..=0x8637 => Some(TrackedMatrix::Program(matrix - 0x8630)),
        _ => return state.fail(INVALID_ENUM),
    };
    state.touch(Groups::MATRIX | Groups::PROGRAMS);
    let tracking = matrix.map(|matrix| Tracking { matrix, form });
    crate::params::read_tracked(state, address);
    if let Some(rows) = state.gl.track_matrix(address, tracking) {
        // Parameters retain their last value when tracking ends.
        let rows = rows.map(|row| row.map(f32::to_bits));
        let bound = state.bound_mut(Target::Vertex);
        crate::objects::set(&mut bound.env, address, &rows);
    }
    state.bound_mut(Target::Vertex).env_version += 1;
}
