//! The context: commands, version, extensions, limits, and errors: the results of `glGetError`, and
//! messages of KHR_debug, which have more detail.

use super::bindings::Commands;
use super::bindings::constants::{
    COMPRESSED_TEXTURE_FORMATS, CONTEXT_LOST, DEBUG_OUTPUT, DEBUG_OUTPUT_SYNCHRONOUS,
    DEBUG_SEVERITY_HIGH, DEBUG_TYPE_ERROR, DEBUG_TYPE_UNDEFINED_BEHAVIOR, EXTENSIONS, INVALID_ENUM,
    INVALID_FRAMEBUFFER_OPERATION, INVALID_OPERATION, INVALID_VALUE, NO_ERROR, NUM_EXTENSIONS,
    NUM_SPIR_V_EXTENSIONS, OUT_OF_MEMORY, PACK_ALIGNMENT, PROGRAM_BINARY_FORMATS, RENDERER,
    SHADER_BINARY_FORMATS, SHADING_LANGUAGE_VERSION, SPIR_V_EXTENSIONS, STACK_OVERFLOW,
    STACK_UNDERFLOW, UNPACK_ALIGNMENT, VENDOR, VERSION,
};
use super::devices::{DeviceInfo, Version};
use super::platform::{CurrentContext, Device, WindowSystem};
use crate::error::Error;
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_void};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// Extensions that drivers need not name, each with one that implies it: see "Name Strings" and
/// "Dependencies" of their specifications.
const IMPLIED_EXTENSIONS: &[(&str, &str)] = &[
    ("GL_NV_fragment_program4", "GL_NV_gpu_program4"),
    ("GL_NV_geometry_program4", "GL_NV_gpu_program4"),
    ("GL_NV_parameter_buffer_object", "GL_NV_gpu_program4"),
    ("GL_NV_shader_buffer_store", "GL_NV_gpu_program5"),
    ("GL_NV_shader_buffer_store", "GL_NV_gpu_shader5"),
    ("GL_NV_tessellation_program5", "GL_NV_gpu_program5"),
    ("GL_NV_vertex_program4", "GL_NV_gpu_program4"),
];

/// Returns true if the driver names an extension or one that implies it ([`IMPLIED_EXTENSIONS`]).
fn has_extension(named: &BTreeSet<String>, extension: &str) -> bool {
    let implies = |(implied, by): &(&str, &str)| *implied == extension && named.contains(*by);
    named.contains(extension) || IMPLIED_EXTENSIONS.iter().any(implies)
}

/// Upper bound on the number of values of any state with a known number; lists of unknown length
/// are rejected.
const MAX_VALUES: usize = 64;

/// Context, current on this thread until it is dropped. Its commands are methods, see [`Commands`].
pub(crate) struct Gl {
    commands: Commands,
    info: DeviceInfo,
    version: Version,
    extensions: BTreeSet<String>,
    // Before the log, which must outlive it.
    _context: CurrentContext,
    message_log: Option<Arc<MessageLog>>,
}

impl Deref for Gl {
    type Target = Commands;

    fn deref(&self) -> &Commands {
        &self.commands
    }
}

impl Gl {
    /// Opens the device of this number. A thread has at most one context at a time.
    pub(super) fn open_device(index: usize, device: Device) -> Result<Self, Error> {
        let system = WindowSystem::load()?;
        let context = CurrentContext::new(system, device)?;
        // SAFETY: EGL and WGL return commands by name, and this type is dropped together with the context,
        // which is bound to its thread.
        let commands = unsafe { Commands::new(Box::new(|name| system.proc_address(name))) };
        let version_text = string(&commands, VERSION)?;
        let version = parse_version(&version_text).ok_or_else(|| {
            Error::NoContext(format!("the driver calls its version {version_text:?}"))
        })?;
        if version < Version(2, 1) {
            return Err(Error::NoContext(format!(
                "the driver has version {version}"
            )));
        }
        let extensions = read_extensions(&commands, version)?;
        for name in [PACK_ALIGNMENT, UNPACK_ALIGNMENT] {
            // SAFETY: this sets the packing that the wrappers here rely on.
            unsafe { commands.PixelStorei(name, 1) }?;
        }
        let debug = version >= Version(4, 3) || extensions.contains("GL_KHR_debug");
        let log = if debug {
            MessageLog::install(&commands)
        } else {
            None
        };
        let info = DeviceInfo {
            index,
            name: string(&commands, RENDERER)?,
            vendor: string(&commands, VENDOR)?,
            version,
            driver: driver_description(&version_text).to_owned(),
            extensions: extensions.iter().cloned().collect(),
        };
        let gl = Self {
            commands,
            info,
            version,
            extensions,
            _context: context,
            message_log: log,
        };
        gl.check_errors("opening the context")?;
        Ok(gl)
    }

    /// Returns the properties of the device that the context belongs to.
    pub(crate) fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Returns the version of OpenGL that the context supports.
    pub(crate) fn version(&self) -> Version {
        self.version
    }

    /// Returns true if the driver has the extension, as `GL_ARB_vertex_program`, or another one
    /// that implies it.
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        has_extension(&self.extensions, extension)
    }

    /// Returns the extensions of SPIR-V that modules may have (ARB_spirv_extensions); none if the
    /// driver has no such list.
    pub(crate) fn spirv_extensions(&self) -> Result<BTreeSet<String>, Error> {
        let mut names = BTreeSet::new();
        if self.version() < Version(4, 6) && !self.has_extension("GL_ARB_spirv_extensions") {
            return Ok(names);
        }
        for index in 0..self.integer(NUM_SPIR_V_EXTENSIONS)?.unsigned_abs() {
            // SAFETY: the index is below the number of extensions; the result is checked for null.
            names.insert(unsafe { self.GetStringi(SPIR_V_EXTENSIONS, index) }.map(copy_string)?);
        }
        Ok(names)
    }

    /// Returns the names of the extensions that the driver lists, with the prefix `GL_`.
    #[cfg(test)]
    pub(crate) fn extensions(&self) -> impl Iterator<Item = &str> {
        self.extensions.iter().map(String::as_str)
    }

    /// Queries one integer of the context, such as a limit.
    pub(crate) fn integer(&self, name: u32) -> Result<i32, Error> {
        self.integers::<1>(name).map(|[value]| value)
    }

    /// Returns the first `N` integers of a state with at least as many values, such as
    /// `GL_VIEWPORT`; zeros for lists whose length depends on the driver.
    pub(crate) fn integers<const N: usize>(&self, name: u32) -> Result<[i32; N], Error> {
        const { assert!(N <= MAX_VALUES) };
        let mut values = [0; MAX_VALUES];
        if !has_variable_length(name) {
            // SAFETY: only such lists have more values.
            unsafe { self.GetIntegerv(name, values.as_mut_ptr()) }?;
        }
        self.check_errors("glGetIntegerv")?;
        Ok(std::array::from_fn(|index| values[index]))
    }

    /// Returns the first `N` floats of a state with at least as many values; zeros for lists whose
    /// length depends on the driver.
    #[cfg(test)]
    pub(crate) fn floats<const N: usize>(&self, name: u32) -> Result<[f32; N], Error> {
        const { assert!(N <= MAX_VALUES) };
        let mut values = [0.0; MAX_VALUES];
        if !has_variable_length(name) {
            // SAFETY: only such lists have more values.
            unsafe { self.GetFloatv(name, values.as_mut_ptr()) }?;
        }
        self.check_errors("glGetFloatv")?;
        Ok(std::array::from_fn(|index| values[index]))
    }

    /// Returns the newest version of GLSL that the driver supports, as in `#version 430`; 0 if it
    /// supports none.
    pub(crate) fn glsl_version(&self) -> Result<u32, Error> {
        let text = self.string(SHADING_LANGUAGE_VERSION)?;
        let version = parse_version(&text);
        Ok(version.map_or(0, |Version(major, minor)| 100 * major + minor))
    }

    /// Returns a string of the driver, such as `GL_PROGRAM_ERROR_STRING_ARB`; empty if it has none.
    pub(super) fn string(&self, name: u32) -> Result<String, Error> {
        string(&self.commands, name)
    }

    /// Returns and clears the messages of the driver about errors, undefined behavior and severe
    /// problems, at most 64. A driver without KHR_debug has none, only the errors of
    /// [`check_errors`](Self::check_errors).
    pub(crate) fn take_messages(&self) -> Vec<String> {
        self.message_log
            .as_ref()
            .map(|log| log.take())
            .unwrap_or_default()
    }

    /// Returns and clears the errors of `glGetError`, in order, at most 16.
    pub(crate) fn take_errors(&self) -> Result<Vec<u32>, Error> {
        take_errors(&self.commands)
    }

    /// Returns [`Error::Gl`] with all errors and messages of the driver since the last check, which
    /// are cleared; `operation` names the cause.
    pub(crate) fn check_errors(&self, operation: &'static str) -> Result<(), Error> {
        let errors = self.take_errors()?;
        let said = self.take_messages();
        if errors.is_empty() && said.is_empty() {
            return Ok(());
        }
        let mut messages: Vec<String> = errors.into_iter().map(error_name).collect();
        messages.extend(said);
        Err(Error::Gl {
            what: operation,
            messages,
        })
    }
}

#[cfg(test)]
impl Gl {
    /// Returns the same context with additional extensions; `find_mock` returns commands that
    /// replace those of the driver.
    ///
    /// # Safety
    ///
    /// The commands that `find_mock` returns have the signatures of the registry.
    pub(super) unsafe fn with_mock_commands(
        mut self,
        extensions: &[&str],
        find_mock: fn(&str) -> Option<*const c_void>,
    ) -> Result<Self, Error> {
        let system = WindowSystem::load()?;
        let load = move |name: &str| find_mock(name).unwrap_or_else(|| system.proc_address(name));
        // SAFETY: EGL and WGL return commands by name, and the caller ensures the same for the others.
        self.commands = unsafe { Commands::new(Box::new(load)) };
        let names = extensions.iter().map(|name| (*name).to_owned());
        self.extensions.extend(names);
        Ok(self)
    }
}

/// Returns true for state whose number of values depends on the driver, such as lists of formats.
fn has_variable_length(name: u32) -> bool {
    matches!(
        name,
        COMPRESSED_TEXTURE_FORMATS | PROGRAM_BINARY_FORMATS | SHADER_BINARY_FORMATS
    )
}

/// Queries a string of the driver; empty if it has none.
fn string(commands: &Commands, name: u32) -> Result<String, Error> {
    // SAFETY: the name denotes a string that is valid as long as the context.
    let text = unsafe { commands.GetString(name) }?;
    Ok(copy_string(text))
}

/// Copies a null-terminated string of the driver; a null pointer is an empty string, and invalid
/// UTF-8 is replaced.
fn copy_string(text: *const u8) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: strings that OpenGL returns end with a zero and are valid as long as the context.
    let text = unsafe { CStr::from_ptr(text.cast()) };
    text.to_string_lossy().into_owned()
}

/// Returns the names of the driver's extensions: from one string before OpenGL 3.0, by index since.
fn read_extensions(commands: &Commands, version: Version) -> Result<BTreeSet<String>, Error> {
    if version < Version(3, 0) {
        let list = string(commands, EXTENSIONS)?;
        return Ok(list.split_whitespace().map(str::to_owned).collect());
    }
    let mut count = 0;
    // SAFETY: this state has one value.
    unsafe { commands.GetIntegerv(NUM_EXTENSIONS, &mut count) }?;
    (0..count.unsigned_abs())
        .map(|index| {
            // SAFETY: the index is below the number of extensions; the result is checked for null.
            unsafe { commands.GetStringi(EXTENSIONS, index) }.map(copy_string)
        })
        .collect()
}

/// Parses a version: `4.5 (Compatibility Profile) Mesa 22.3.6` is version 4.5. `None` if the text
/// does not begin with two numbers.
fn parse_version(text: &str) -> Option<Version> {
    let number = text.split(' ').next()?;
    let mut parts = number.split('.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next()?.parse().ok()?;
    Some(Version(major, minor))
}

/// Returns name and version of the driver, which follow the version of OpenGL; empty if nothing
/// follows.
fn driver_description(version_text: &str) -> &str {
    let description = version_text
        .split_once(' ')
        .map_or("", |(_, description)| description);
    description
        .trim_start_matches("(Compatibility Profile)")
        .trim()
}

/// Maximum number of pending errors: a context has at most one flag for each error, but a lost
/// context may report its loss forever.
const MAX_ERRORS: usize = 16;

/// More messages than anyone reads.
const MAX_MESSAGES: usize = 64;

/// Messages since the last call of `take_messages`. The driver stores the address, so it must
/// outlive the context.
#[derive(Default)]
pub(super) struct MessageLog(Mutex<Vec<String>>);

impl MessageLog {
    /// Enables synchronous debug output of the current context and installs a log for its messages,
    /// which must outlive the context. `None` if the driver lacks one of the commands.
    pub(super) fn install(commands: &Commands) -> Option<Arc<Self>> {
        let log = Arc::<Self>::default();
        // Unlike a box, an `Arc` may be moved while others store its address.
        let user = Arc::as_ptr(&log).cast::<c_void>();
        commands.Enable(DEBUG_OUTPUT).ok()?;
        commands.Enable(DEBUG_OUTPUT_SYNCHRONOUS).ok()?;
        // SAFETY: the function has the type that KHR_debug demands, and the log outlives the
        // context by the order of the fields of `Gl`.
        unsafe { commands.DebugMessageCallback(Some(receive_message), user) }.ok()?;
        Some(log)
    }

    /// Removes and returns the debug messages that the driver has sent since the last call.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Appends a message to the log whose address is `log`, if it is about an error or undefined
/// behavior, or severe; other messages, and those after the 64th, are dropped. The driver calls it.
unsafe extern "system" fn receive_message(
    _source: u32,
    kind: u32,
    _id: u32,
    severity: u32,
    length: i32,
    message: *const c_char,
    log: *mut c_void,
) {
    let is_severe = severity == DEBUG_SEVERITY_HIGH
        || matches!(kind, DEBUG_TYPE_ERROR | DEBUG_TYPE_UNDEFINED_BEHAVIOR);
    let Ok(length) = usize::try_from(length) else {
        return;
    };
    if !is_severe || message.is_null() {
        return;
    }
    // SAFETY: `log` is the pointer that `install` passed; it is alive, and threads may share it.
    let log = unsafe { &*log.cast::<MessageLog>() };
    // SAFETY: KHR_debug passes `length` bytes for the duration of the call.
    let text = unsafe { std::slice::from_raw_parts(message.cast::<u8>(), length) };
    let mut messages = log.0.lock().unwrap_or_else(PoisonError::into_inner);
    if messages.len() < MAX_MESSAGES {
        messages.push(String::from_utf8_lossy(text).trim().to_owned());
    }
}

/// Returns and clears the errors that `glGetError` has, the first one first, at most
/// [`MAX_ERRORS`].
pub(super) fn take_errors(commands: &Commands) -> Result<Vec<u32>, Error> {
    let mut errors = Vec::new();
    while errors.len() < MAX_ERRORS {
        match commands.GetError()? {
            NO_ERROR => break,
            error => errors.push(error),
        }
    }
    Ok(errors)
}

/// Returns the name of an error, such as `GL_INVALID_VALUE`.
pub(crate) fn error_name(error: u32) -> String {
    match error {
        INVALID_ENUM => "GL_INVALID_ENUM".to_owned(),
        INVALID_VALUE => "GL_INVALID_VALUE".to_owned(),
        INVALID_OPERATION => "GL_INVALID_OPERATION".to_owned(),
        INVALID_FRAMEBUFFER_OPERATION => "GL_INVALID_FRAMEBUFFER_OPERATION".to_owned(),
        STACK_OVERFLOW => "GL_STACK_OVERFLOW".to_owned(),
        STACK_UNDERFLOW => "GL_STACK_UNDERFLOW".to_owned(),
        OUT_OF_MEMORY => "GL_OUT_OF_MEMORY".to_owned(),
        CONTEXT_LOST => "GL_CONTEXT_LOST".to_owned(),
        other => format!("error {other:#06x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_named_or_implied() {
        let named = BTreeSet::from(["GL_NV_gpu_program4", "GL_NV_gpu_shader5"].map(str::to_owned));
        let has = |extension| has_extension(&named, extension);
        assert!(has("GL_NV_gpu_program4") && has("GL_NV_geometry_program4"));
        assert!(has("GL_NV_shader_buffer_store") && has("GL_NV_parameter_buffer_object"));
        assert!(!has("GL_NV_tessellation_program5") && !has("GL_NV_shader_buffer_load"));
    }

    #[test]
    fn versions_are_read_off_the_text_of_the_driver() {
        let mesa = "4.5 (Compatibility Profile) Mesa 22.3.6";
        assert_eq!(parse_version(mesa), Some(Version(4, 5)));
        assert_eq!(driver_description(mesa), "Mesa 22.3.6");
        let nvidia = "4.6.0 NVIDIA 550.54.15";
        assert_eq!(parse_version(nvidia), Some(Version(4, 6)));
        assert_eq!(driver_description(nvidia), "NVIDIA 550.54.15");
        assert_eq!(parse_version("OpenGL ES 3.2"), None);
        assert_eq!(driver_description("2.1"), "");
    }
}
