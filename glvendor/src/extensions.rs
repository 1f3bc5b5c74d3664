//! Capabilities of the driver, and the extensions that are advertised because of them.

use crate::ffi::query::Binds;
use crate::ffi::ring::Maps;
use crate::ffi::{driver, query};
use crate::limits;
use crate::lock::Mutex;
use crate::objects::{ENV_PARAMETERS, LOCAL_PARAMETERS};
use crate::target::{self, Target};
use crate::text::Writer;
use glasm::{Limits, Options, opengl};
use rustc_hash::FxHashSet;
use std::ffi::{CStr, CString};

/// Capabilities of the driver of a context.
#[derive(Debug, Default)]
pub(crate) struct Capabilities {
    /// True if they have been queried.
    pub(crate) known: bool,
    /// True if programs can be translated for it: OpenGL with fixed functions, and modules in
    /// SPIR-V or GLSL.
    pub(crate) works: bool,
    /// Writer of modules as GLSL, if the driver receives them in this form.
    pub(crate) writer: Option<Writer>,
    /// Writer of programs as GLSL that draw together with shaders of the application, if the driver
    /// supports it.
    pub(crate) mixer: Option<Writer>,
    /// Method of writing parameters to buffers.
    pub(crate) maps: Maps,
    /// Method of binding these buffers.
    pub(crate) binds: Binds,
    /// Version, as 45.
    pub(crate) version: u32,
    /// Extensions of the driver, with a space after each.
    driver_extensions: String,
    /// All advertised extensions, by index.
    pub(crate) extensions: Vec<&'static CStr>,
    /// All advertised extensions as one string.
    pub(crate) extension_text: &'static CStr,
    /// True if the driver reports whether color buffers are floating-point.
    pub(crate) float_buffers: bool,
    /// True if the driver has the modes of fog distances (NV_fog_distance).
    pub(crate) fog_distance: bool,
    /// Texture coordinate sets.
    pub(crate) texture_coordinates: u32,
    /// Compile options of modules: the driver's features, and bindings that applications do not
    /// use.
    pub(crate) options: Options,
    /// Limits of programs, by target.
    pub(crate) limits: Vec<Limits>,
    /// True if programs that the driver executes may have more parameters than programs here.
    pub(crate) has_more_parameters: bool,
    /// Required alignment of offsets in uniform buffers.
    pub(crate) uniform_alignment: usize,
}

/// Returns a string that lives as long as the process, like the results of `GetString` and
/// `GetStringi`: OpenGL defines them as static, and applications use them longer than contexts.
/// Equal strings are stored once.
pub(crate) fn interned(text: CString) -> &'static CStr {
    static KNOWN: Mutex<Option<FxHashSet<&'static CStr>>> = Mutex::new(None);
    let mut known = KNOWN.lock();
    let known = known.get_or_insert_default();
    if let Some(same) = known.get(text.as_c_str()) {
        return same;
    }
    let text: &'static CStr = Box::leak(text.into_boxed_c_str());
    known.insert(text);
    text
}

/// Extension with its requirements on the driver: the version of GL that includes it, and an
/// extension that also suffices.
struct Row(&'static str, u32, &'static str);

/// Extensions that this library adds.
static ADDED: &[Row] = &[
    Row("GL_ARB_vertex_program", 31, "GL_ARB_uniform_buffer_object"),
    Row(
        "GL_ARB_fragment_program",
        31,
        "GL_ARB_uniform_buffer_object",
    ),
    Row(
        "GL_ARB_fragment_program_shadow",
        31,
        "GL_ARB_uniform_buffer_object",
    ),
    Row(
        "GL_EXT_gpu_program_parameters",
        31,
        "GL_ARB_uniform_buffer_object",
    ),
    Row("GL_NV_vertex_program", 31, "GL_ARB_uniform_buffer_object"),
    Row(
        "GL_NV_vertex_program1_1",
        31,
        "GL_ARB_uniform_buffer_object",
    ),
    Row("GL_NV_vertex_program2", 31, "GL_ARB_uniform_buffer_object"),
    Row(
        "GL_NV_vertex_program2_option",
        31,
        "GL_ARB_uniform_buffer_object",
    ),
    Row("GL_NV_vertex_program3", 31, "GL_ARB_uniform_buffer_object"),
    Row("GL_NV_fragment_program", 31, "GL_ARB_uniform_buffer_object"),
    Row(
        "GL_NV_fragment_program_option",
        31,
        "GL_ARB_uniform_buffer_object",
    ),
    Row(
        "GL_NV_fragment_program2",
        31,
        "GL_ARB_uniform_buffer_object",
    ),
    Row("GL_NV_gpu_program4", 33, "GL_EXT_gpu_shader4"),
    Row("GL_NV_gpu_program4_1", 40, "GL_ARB_gpu_shader5"),
    Row("GL_NV_vertex_program4", 33, "GL_EXT_gpu_shader4"),
    Row("GL_NV_fragment_program4", 33, "GL_EXT_gpu_shader4"),
    Row("GL_NV_geometry_program4", 32, "GL_ARB_geometry_shader4"),
    Row("GL_NV_gpu_program5", 40, "GL_ARB_gpu_shader5"),
    Row("GL_NV_gpu_program_fp64", 40, "GL_ARB_gpu_shader_fp64"),
    Row(
        "GL_NV_tessellation_program5",
        40,
        "GL_ARB_tessellation_shader",
    ),
    Row("GL_NV_compute_program5", 43, "GL_ARB_compute_shader"),
    Row(
        "GL_NV_shader_storage_buffer_object",
        43,
        "GL_ARB_shader_storage_buffer_object",
    ),
    Row(
        "GL_NV_shader_atomic_counters",
        43,
        "GL_ARB_shader_storage_buffer_object",
    ),
    Row("GL_NV_transform_feedback", 40, "GL_ARB_transform_feedback3"),
    Row(
        "GL_NV_transform_feedback2",
        40,
        "GL_ARB_transform_feedback3",
    ),
    Row(
        "GL_NV_parameter_buffer_object",
        31,
        "GL_ARB_uniform_buffer_object",
    ),
    Row(
        "GL_NV_parameter_buffer_object2",
        31,
        "GL_ARB_uniform_buffer_object",
    ),
];

impl Capabilities {
    /// Queries the driver of the current context.
    pub(crate) fn read() -> Self {
        let text = query::string(driver::constants::VERSION);
        let Some(version) = version(&text) else {
            return Self {
                known: true,
                ..Self::default()
            };
        };
        let named = extensions(version);
        let mut capabilities = Self {
            known: true,
            version,
            driver_extensions: named.join(" ") + " ",
            texture_coordinates: query::integer(0x8871).max(0) as u32,
            uniform_alignment: query::integer(0x8A34).max(16) as usize,
            ..Self::default()
        };
        let core = capabilities.has("GL_ARB_compatibility", 0) || version < 31;
        if core && capabilities.has("GL_ARB_uniform_buffer_object", 31) {
            capabilities.choose_ways();
        }
        capabilities.float_buffers = capabilities.has_extension("GL_ARB_color_buffer_float");
        capabilities.fog_distance = capabilities.has_extension("GL_NV_fog_distance");
        if capabilities.works {
            capabilities.limits = limits::read(&capabilities);
            capabilities.has_more_parameters = capabilities.has_more_parameters();
        }
        capabilities.advertise(named);
        capabilities
    }

    /// Decides how modules and parameters reach the driver.
    fn choose_ways(&mut self) {
        let forced = forced_text();
        let options = self.module_options();
        if forced.is_none() && self.has("GL_ARB_gl_spirv", 46) {
            self.options = options;
            self.works = true;
        } else {
            self.writer = Writer::new(readable_version(forced), options);
            self.works = self.writer.is_some();
            self.options = self
                .writer
                .as_ref()
                .map(Writer::options)
                .unwrap_or_default();
        }
        if self.works && self.has("GL_ARB_separate_shader_objects", 41) {
            self.mixer = Writer::new(readable_version(forced), self.module_options());
        }
        if forced.is_some() {
            return;
        }
        if self.has("GL_ARB_buffer_storage", 44) {
            self.maps = Maps::Always;
        }
        if self.has("GL_ARB_multi_bind", 44) {
            self.binds = Binds::Several;
        }
    }

    /// Returns the options of modules: the driver's features, and bindings at the end of its range.
    fn module_options(&self) -> Options {
        let spirv = spirv_extensions();
        let has = |name: &str| self.has_extension(name) || spirv.iter().any(|it| it == name);
        let mut device = opengl::device_features(10 * self.version, has);
        // Mesa reads float controls, but OpenGL has no extension that reports it. Other drivers
        // receive modules whose operations are individually exact.
        device.signed_zero_inf_nan_preserve_float32 |=
            query::string(driver::constants::VERSION).contains("Mesa");
        let uniform_buffers =
            query::integer(driver::constants::MAX_UNIFORM_BUFFER_BINDINGS).max(0) as u32;
        let storage_buffers =
            query::integer(driver::constants::MAX_SHADER_STORAGE_BUFFER_BINDINGS).max(0) as u32;
        opengl::options(device, uniform_buffers, storage_buffers)
    }

    /// Returns true if the driver has an extension, or the version of GL that has it; 0 for no
    /// version.
    pub(crate) fn has(&self, name: &str, version: u32) -> bool {
        version != 0 && self.version >= version || self.has_extension(name)
    }

    /// Returns true if the driver names an extension.
    pub(crate) fn has_extension(&self, name: &str) -> bool {
        self.driver_extensions.split(' ').any(|it| it == name)
    }

    /// Returns the limits of programs of a target.
    pub(crate) fn limits(&self, target: Target) -> Limits {
        let limits = self.limits.get(target as usize);
        limits.copied().unwrap_or_default()
    }

    /// Returns true if the driver's own programs may have more environment or local parameters than
    /// [`Self::limits`].
    fn has_more_parameters(&self) -> bool {
        const MAX_LOCAL_PARAMETERS: u32 = 0x88B4;
        const MAX_ENV_PARAMETERS: u32 = 0x88B5;
        let has_more = |row: &target::Row| {
            let name = if row.target == Target::Vertex {
                "GL_ARB_vertex_program"
            } else {
                "GL_ARB_fragment_program"
            };
            let limit = |parameters| query::arb_program::<1>(row.number, parameters)[0];
            self.has_extension(name)
                && (limit(MAX_LOCAL_PARAMETERS) > LOCAL_PARAMETERS as i32
                    || limit(MAX_ENV_PARAMETERS) > ENV_PARAMETERS as i32)
        };
        target::TARGETS
            .iter()
            .any(|row| row.is_drivers && has_more(row))
    }

    fn advertise(&mut self, mut names: Vec<String>) {
        if self.works {
            for Row(name, version, extension) in ADDED {
                let has = match &self.writer {
                    // Written modules can use the features of their version of the language,
                    // without extensions.
                    Some(writer) => writer.version() >= text_version(name, *version),
                    None => self.has(extension, *version),
                };
                if has && !names.iter().any(|it| it == name) {
                    names.push((*name).to_owned());
                }
            }
        }
        self.extension_text = interned(CString::new(names.join(" ")).unwrap_or_default());
        self.extensions = names
            .into_iter()
            .filter_map(|name| CString::new(name).ok().map(interned))
            .collect();
    }
}

/// Returns the GLSL version that `GLASM_TEXT` requests: GLSL even if the driver accepts SPIR-V, of
/// the newest version (1) or of a specific one (330), without other features that drivers without
/// SPIR-V may lack.
fn forced_text() -> Option<u32> {
    let text = std::env::var("GLASM_TEXT").ok()?;
    text.parse().ok().filter(|version| *version > 0)
}

/// Returns the newest version of GLSL that the driver reads and that may be written.
fn readable_version(forced: Option<u32>) -> u32 {
    let most = forced.filter(|it| *it > 1).unwrap_or(u32::MAX);
    glsl_version().min(most)
}

/// Returns the version of GLSL that the driver reads, as 450.
fn glsl_version() -> u32 {
    let text = query::string(driver::constants::SHADING_LANGUAGE_VERSION);
    let mut digits = text.split(['.', ' ']).map(str::parse);
    match (digits.next(), digits.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => u32::min(major, 9) * 100 + u32::min(minor, 99),
        _ => 0,
    }
}

/// Returns the version of GLSL that can express the features of an extension, by the version of GL
/// that includes it.
fn text_version(name: &str, version: u32) -> u32 {
    if name.starts_with("GL_NV_transform_feedback") {
        // Variables specify the buffers in which they are captured.
        440
    } else {
        10 * version
    }
}

/// Parses a version: 45 of "4.5 (Compatibility Profile) Mesa 22.3.6"; `None` for OpenGL ES.
fn version(text: &str) -> Option<u32> {
    let mut digits = text.split(['.', ' ']);
    let major: u32 = digits.next()?.parse().ok()?;
    let minor: u32 = digits.next()?.parse().ok()?;
    Some(10 * major + minor.min(9))
}

fn extensions(version: u32) -> Vec<String> {
    if version < 30 {
        let text = query::string(driver::constants::EXTENSIONS);
        return text.split_ascii_whitespace().map(str::to_owned).collect();
    }
    list(
        driver::constants::NUM_EXTENSIONS,
        driver::constants::EXTENSIONS,
    )
}

/// Returns the extensions of SPIR-V that the driver reads.
fn spirv_extensions() -> Vec<String> {
    list(
        driver::constants::NUM_SPIR_V_EXTENSIONS,
        driver::constants::SPIR_V_EXTENSIONS,
    )
}

fn list(count: u32, name: u32) -> Vec<String> {
    let count = query::integer(count).max(0) as u32;
    (0..count).map(|n| query::indexed_string(name, n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_drivers_write_them() {
        assert_eq!(version("4.5 (Compatibility Profile) Mesa 22.3.6"), Some(45));
        assert_eq!(version("2.1 Mesa 22.3.6"), Some(21));
        assert_eq!(version("4.6.0 NVIDIA 535.54"), Some(46));
        assert_eq!(version("OpenGL ES 3.2 Mesa 22.3.6"), None);
        assert_eq!(version(""), None);
    }
}
