//! The context: commands, version, extensions, limits, errors.

use super::bindings::Commands;
use super::bindings::constants::{
    COMPRESSED_TEXTURE_FORMATS, EXTENSIONS, NUM_EXTENSIONS, NUM_SPIR_V_EXTENSIONS, PACK_ALIGNMENT,
    PROGRAM_BINARY_FORMATS, RENDERER, SHADER_BINARY_FORMATS, SHADING_LANGUAGE_VERSION,
    SPIR_V_EXTENSIONS, UNPACK_ALIGNMENT, VENDOR, VERSION,
};
use super::devices::{DeviceInfo, Version};
use super::egl::{CurrentContext, Device, Egl};
use super::messages::{self, MessageLog};
use crate::error::Error;
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::ops::Deref;
use std::sync::Arc;

/// Extensions that drivers need not name, each with one that implies it: see "Name Strings" and
/// "Dependencies" of their specifications.
const IMPLIED: &[(&str, &str)] = &[
    ("GL_NV_fragment_program4", "GL_NV_gpu_program4"),
    ("GL_NV_geometry_program4", "GL_NV_gpu_program4"),
    ("GL_NV_parameter_buffer_object", "GL_NV_gpu_program4"),
    ("GL_NV_shader_buffer_store", "GL_NV_gpu_program5"),
    ("GL_NV_shader_buffer_store", "GL_NV_gpu_shader5"),
    ("GL_NV_tessellation_program5", "GL_NV_gpu_program5"),
    ("GL_NV_vertex_program4", "GL_NV_gpu_program4"),
];

fn has_extension(named: &BTreeSet<String>, extension: &str) -> bool {
    let implies = |(implied, by): &(&str, &str)| *implied == extension && named.contains(*by);
    named.contains(extension) || IMPLIED.iter().any(implies)
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
    log: Option<Arc<MessageLog>>,
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
        let egl = Egl::load()?;
        let context = CurrentContext::new(egl, device)?;
        // SAFETY: EGL returns commands by name, and this type is dropped together with the context,
        // which is bound to its thread.
        let commands = unsafe { Commands::new(Box::new(|name| egl.command(name))) };
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
            driver: driver(&version_text).to_owned(),
        };
        let gl = Self {
            commands,
            info,
            version,
            extensions,
            _context: context,
            log,
        };
        gl.check("opening the context")?;
        Ok(gl)
    }

    /// Returns the device.
    pub(crate) fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Returns the version of OpenGL.
    pub(crate) fn version(&self) -> Version {
        self.version
    }

    /// Returns true if the driver has the extension, as `GL_ARB_vertex_program`, or another one
    /// that implies it.
    pub(crate) fn has(&self, extension: &str) -> bool {
        has_extension(&self.extensions, extension)
    }

    /// Returns the extensions of SPIR-V that modules may have: ARB_spirv_extensions.
    pub(crate) fn spirv_extensions(&self) -> Result<BTreeSet<String>, Error> {
        let mut names = BTreeSet::new();
        if self.version() < Version(4, 6) && !self.has("GL_ARB_spirv_extensions") {
            return Ok(names);
        }
        for index in 0..self.integer(NUM_SPIR_V_EXTENSIONS)?.unsigned_abs() {
            // SAFETY: the index is below the number of extensions; the result is checked for null.
            names.insert(unsafe { self.GetStringi(SPIR_V_EXTENSIONS, index) }.map(copied)?);
        }
        Ok(names)
    }

    /// Returns all extensions by name.
    #[cfg(test)]
    pub(crate) fn extensions(&self) -> impl Iterator<Item = &str> {
        self.extensions.iter().map(String::as_str)
    }

    /// Returns one integer of the state, such as a limit.
    pub(crate) fn integer(&self, name: u32) -> Result<i32, Error> {
        self.integers::<1>(name).map(|[value]| value)
    }

    /// Returns the first `N` integers of a state with at least as many values, such as
    /// `GL_VIEWPORT`.
    pub(crate) fn integers<const N: usize>(&self, name: u32) -> Result<[i32; N], Error> {
        const { assert!(N <= MAX_VALUES) };
        let mut values = [0; MAX_VALUES];
        if !is_list(name) {
            // SAFETY: only such lists have more values.
            unsafe { self.GetIntegerv(name, values.as_mut_ptr()) }?;
        }
        self.check("glGetIntegerv")?;
        Ok(std::array::from_fn(|index| values[index]))
    }

    /// Returns the first `N` floats of a state with at least as many values.
    #[cfg(test)]
    pub(crate) fn floats<const N: usize>(&self, name: u32) -> Result<[f32; N], Error> {
        const { assert!(N <= MAX_VALUES) };
        let mut values = [0.0; MAX_VALUES];
        if !is_list(name) {
            // SAFETY: only such lists have more values.
            unsafe { self.GetFloatv(name, values.as_mut_ptr()) }?;
        }
        self.check("glGetFloatv")?;
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

    /// Returns the messages of the driver about errors, undefined behavior and severe problems,
    /// since the last call. A driver without KHR_debug has none, only the errors of
    /// [`check`](Self::check).
    pub(crate) fn take_messages(&self) -> Vec<String> {
        self.log.as_ref().map(|log| log.take()).unwrap_or_default()
    }

    /// Returns and clears the errors of `glGetError`, in order.
    pub(crate) fn take_errors(&self) -> Result<Vec<u32>, Error> {
        messages::take_errors(&self.commands)
    }

    /// Checks for errors of OpenGL since the last check; `what` is the operation since then.
    pub(crate) fn check(&self, what: &'static str) -> Result<(), Error> {
        let errors = self.take_errors()?;
        let said = self.take_messages();
        if errors.is_empty() && said.is_empty() {
            return Ok(());
        }
        let mut messages: Vec<String> = errors.into_iter().map(messages::error_name).collect();
        messages.extend(said);
        Err(Error::Gl { what, messages })
    }
}

#[cfg(test)]
impl Gl {
    /// Returns the same context with additional extensions; `replace` returns commands that replace
    /// those of the driver.
    ///
    /// # Safety
    ///
    /// The commands that `replace` returns have the signatures of the registry.
    pub(super) unsafe fn pretend(
        mut self,
        extensions: &[&str],
        replace: fn(&str) -> Option<*const std::ffi::c_void>,
    ) -> Result<Self, Error> {
        let egl = Egl::load()?;
        let load = move |name: &str| replace(name).unwrap_or_else(|| egl.command(name));
        // SAFETY: EGL returns commands by name, and the caller ensures the same for the others.
        self.commands = unsafe { Commands::new(Box::new(load)) };
        let names = extensions.iter().map(|name| (*name).to_owned());
        self.extensions.extend(names);
        Ok(self)
    }
}

/// Returns true for state with a variable number of values.
fn is_list(name: u32) -> bool {
    matches!(
        name,
        COMPRESSED_TEXTURE_FORMATS | PROGRAM_BINARY_FORMATS | SHADER_BINARY_FORMATS
    )
}

/// Returns a string of the driver, empty if it has none.
fn string(commands: &Commands, name: u32) -> Result<String, Error> {
    // SAFETY: the name denotes a string that is valid as long as the context.
    let text = unsafe { commands.GetString(name) }?;
    Ok(copied(text))
}

fn copied(text: *const u8) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: strings that OpenGL returns end with a zero and are valid as long as the context.
    let text = unsafe { CStr::from_ptr(text.cast()) };
    text.to_string_lossy().into_owned()
}

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
            unsafe { commands.GetStringi(EXTENSIONS, index) }.map(copied)
        })
        .collect()
}

/// Parses a version: `4.5 (Compatibility Profile) Mesa 22.3.6` is version 4.5.
fn parse_version(text: &str) -> Option<Version> {
    let number = text.split(' ').next()?;
    let mut parts = number.split('.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next()?.parse().ok()?;
    Some(Version(major, minor))
}

/// Returns name and version of the driver, which follow the version of OpenGL.
fn driver(version_text: &str) -> &str {
    let rest = version_text.split_once(' ').map_or("", |(_, rest)| rest);
    rest.trim_start_matches("(Compatibility Profile)").trim()
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
        assert_eq!(driver(mesa), "Mesa 22.3.6");
        let nvidia = "4.6.0 NVIDIA 550.54.15";
        assert_eq!(parse_version(nvidia), Some(Version(4, 6)));
        assert_eq!(driver(nvidia), "NVIDIA 550.54.15");
        assert_eq!(parse_version("OpenGL ES 3.2"), None);
        assert_eq!(driver("2.1"), "");
    }
}
