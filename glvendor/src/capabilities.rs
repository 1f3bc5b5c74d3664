//! Capabilities of the driver, and the extensions that are advertised because of them.

use crate::ffi::driver_state::BindMethod;
use crate::ffi::ring_buffer::MapMethod;
use crate::ffi::{driver, driver_state};
use crate::glsl_output::GlslWriter;
use crate::hidden_extensions::HiddenExtensions;
use crate::lock::Mutex;
use crate::program_limits;
use crate::settings;
use crate::share_group::{ENV_PARAMETERS, LOCAL_PARAMETERS};
use crate::target::{self, Target};
use glasm::{Limits, Options, opengl};
use glasm_settings::{Limit, Profile};
use rustc_hash::FxHashSet;
use std::ffi::{CStr, CString};

/// Capabilities of the driver of a context.
#[derive(Debug, Default)]
pub(crate) struct Capabilities {
    /// True if they have been queried.
    pub(crate) is_queried: bool,
    /// True if programs can be translated for it: OpenGL with fixed functions, and modules in
    /// SPIR-V or GLSL.
    pub(crate) works: bool,
    /// Writer of modules as GLSL, if the driver receives them in this form.
    pub(crate) writer: Option<GlslWriter>,
    /// Writer of programs as GLSL that draw together with shaders of the application, if the driver
    /// supports it.
    pub(crate) separable_writer: Option<GlslWriter>,
    /// Method of writing parameters to buffers.
    pub(crate) map_method: MapMethod,
    /// Method of binding these buffers.
    pub(crate) bind_method: BindMethod,
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
    /// True if programs that the driver executes may exceed the limits of programs here.
    pub(crate) driver_has_higher_limits: bool,
    /// Extensions that settings hide.
    pub(crate) hidden: HiddenExtensions,
    /// Limits that settings lower.
    pub(crate) lowered_limits: Vec<(Limit, u32)>,
    /// Required alignment of offsets in uniform buffers.
    pub(crate) uniform_alignment: usize,
}

/// Returns a string that lives as long as the process, like the results of `GetString` and
/// `GetStringi`: OpenGL defines them as static, and applications use them longer than contexts.
/// Equal strings are stored once.
pub(crate) fn leak_string(text: CString) -> &'static CStr {
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

/// Extension with its requirements on the driver, the version of GL that includes it and an
/// extension that also suffices, and the profile that it belongs to.
struct AddedExtension(&'static str, u32, &'static str, Profile);

macro_rules! added_extensions {
    ($($name:literal $version:literal $extension:literal $profile:ident;)*) => {
        /// Extensions that this library adds.
        static ADDED: &[AddedExtension] =
            &[$(AddedExtension($name, $version, $extension, Profile::$profile),)*];
    };
}

added_extensions! {
    // Columns: name, version of GL, extension that suffices, profile.
    "GL_ARB_vertex_program" 31 "GL_ARB_uniform_buffer_object" Arb;
    "GL_ARB_fragment_program" 31 "GL_ARB_uniform_buffer_object" Arb;
    "GL_ARB_fragment_program_shadow" 31 "GL_ARB_uniform_buffer_object" Arb;
    "GL_EXT_gpu_program_parameters" 31 "GL_ARB_uniform_buffer_object" Arb;
    "GL_NV_vertex_program" 31 "GL_ARB_uniform_buffer_object" Vp20;
    "GL_NV_vertex_program1_1" 31 "GL_ARB_uniform_buffer_object" Vp20;
    "GL_NV_vertex_program2" 31 "GL_ARB_uniform_buffer_object" Vp30;
    "GL_NV_vertex_program2_option" 31 "GL_ARB_uniform_buffer_object" Vp30;
    "GL_NV_vertex_program3" 31 "GL_ARB_uniform_buffer_object" Vp40;
    "GL_NV_fragment_program" 31 "GL_ARB_uniform_buffer_object" Vp30;
    "GL_NV_fragment_program_option" 31 "GL_ARB_uniform_buffer_object" Vp30;
    "GL_NV_fragment_program2" 31 "GL_ARB_uniform_buffer_object" Vp40;
    "GL_NV_gpu_program4" 33 "GL_EXT_gpu_shader4" Gp4;
    "GL_NV_gpu_program4_1" 40 "GL_ARB_gpu_shader5" Gp4;
    "GL_NV_vertex_program4" 33 "GL_EXT_gpu_shader4" Gp4;
    "GL_NV_fragment_program4" 33 "GL_EXT_gpu_shader4" Gp4;
    "GL_NV_geometry_program4" 32 "GL_ARB_geometry_shader4" Gp4;
    "GL_NV_gpu_program5" 40 "GL_ARB_gpu_shader5" Gp5;
    "GL_NV_gpu_program_fp64" 40 "GL_ARB_gpu_shader_fp64" Gp5;
    "GL_NV_tessellation_program5" 40 "GL_ARB_tessellation_shader" Gp5;
    "GL_NV_compute_program5" 43 "GL_ARB_compute_shader" Gp5;
    "GL_NV_shader_storage_buffer_object" 43 "GL_ARB_shader_storage_buffer_object" Gp5;
    "GL_NV_shader_atomic_counters" 43 "GL_ARB_shader_storage_buffer_object" Gp5;
    "GL_NV_transform_feedback" 40 "GL_ARB_transform_feedback3" Gp4;
    "GL_NV_transform_feedback2" 40 "GL_ARB_transform_feedback3" Gp4;
    "GL_NV_parameter_buffer_object" 31 "GL_ARB_uniform_buffer_object" Gp4;
    "GL_NV_fence" 32 "GL_ARB_sync" Vp20;
    "GL_HP_occlusion_test" 15 "GL_ARB_occlusion_query" Vp20;
    "GL_NV_occlusion_query" 15 "GL_ARB_occlusion_query" Vp20;
    "GL_NV_register_combiners" 31 "GL_ARB_uniform_buffer_object" Vp20;
    "GL_NV_register_combiners2" 31 "GL_ARB_uniform_buffer_object" Vp20;
    "GL_NV_multisample_filter_hint" 13 "GL_ARB_multisample" Vp20;
    "GL_NV_vertex_array_range" 11 "GL_EXT_vertex_array" Vp20;
    "GL_NV_vertex_array_range2" 11 "GL_EXT_vertex_array" Vp20;
    "GL_NV_pixel_data_range" 11 "GL_EXT_vertex_array" Vp30;
    "GL_NV_texture_shader" 31 "GL_ARB_uniform_buffer_object" Vp20;
    "GL_NV_texture_shader2" 31 "GL_ARB_uniform_buffer_object" Vp20;
    "GL_NV_texture_shader3" 31 "GL_ARB_uniform_buffer_object" Vp30;
    "GL_NVX_conditional_render" 30 "GL_NV_conditional_render" Vp40;
    "GL_NV_parameter_buffer_object2" 31 "GL_ARB_uniform_buffer_object" Gp4;
}

/// Returns the profile of an extension that this library may add; `None` for others.
pub(crate) fn find_profile(name: &str) -> Option<Profile> {
    let row = ADDED.iter().find(|row| row.0 == name)?;
    Some(row.3)
}

impl Capabilities {
    /// Queries version, extensions and limits of the driver of the current context. A driver whose
    /// version is not readable has none of them, and this library does not work with it.
    pub(crate) fn query() -> Self {
        let text = driver_state::string(driver::constants::VERSION);
        let Some(version) = parse_version(&text) else {
            return Self {
                is_queried: true,
                ..Self::default()
            };
        };
        let named = read_extensions(version);
        let settings = settings::current();
        let mut capabilities = Self {
            is_queried: true,
            hidden: HiddenExtensions::new(settings),
            lowered_limits: settings.limits().unwrap_or_default().to_vec(),
            version,
            driver_extensions: named.join(" ") + " ",
            texture_coordinates: driver_state::integer(0x8871).max(0) as u32,
            uniform_alignment: driver_state::integer(0x8A34).max(16) as usize,
            ..Self::default()
        };
        let core = capabilities.has_extension_or_version("GL_ARB_compatibility", 0) || version < 31;
        if core && capabilities.has_extension_or_version("GL_ARB_uniform_buffer_object", 31) {
            capabilities.select_upload_path();
        }
        capabilities.float_buffers = capabilities.has_extension("GL_ARB_color_buffer_float");
        capabilities.fog_distance = capabilities.has_extension("GL_NV_fog_distance");
        if capabilities.works {
            capabilities.limits = program_limits::read_limits(&capabilities);
            capabilities.driver_has_higher_limits =
                !capabilities.lowered_limits.is_empty() || capabilities.has_more_parameters();
        }
        capabilities.advertise_extensions(named);
        capabilities
    }

    /// Decides whether modules are passed to the driver as SPIR-V or as GLSL, and sets writers and
    /// options accordingly; without either, this library does not work. Selects the methods of
    /// mapping and binding buffers, the simplest ones if `GLASM_GLSL_VERSION` forces GLSL.
    fn select_upload_path(&mut self) {
        let forced = forced_glsl_version();
        let options = self.module_options();
        if forced.is_none() && self.has_extension_or_version("GL_ARB_gl_spirv", 46) {
            self.options = options;
            self.works = true;
        } else {
            self.writer = GlslWriter::new(writable_glsl_version(forced), options);
            self.works = self.writer.is_some();
            self.options = self
                .writer
                .as_ref()
                .map(GlslWriter::options)
                .unwrap_or_default();
        }
        if self.works && self.has_extension_or_version("GL_ARB_separate_shader_objects", 41) {
            self.separable_writer =
                GlslWriter::new(writable_glsl_version(forced), self.module_options());
        }
        if forced.is_some() {
            return;
        }
        if self.has_extension_or_version("GL_ARB_buffer_storage", 44) {
            self.map_method = MapMethod::Persistent;
        }
        if self.has_extension_or_version("GL_ARB_multi_bind", 44) {
            self.bind_method = BindMethod::Multiple;
        }
    }

    /// Returns the options of modules: the features that the driver reports by version and
    /// extensions, and bindings at the end of its range, which applications do not use.
    fn module_options(&self) -> Options {
        let spirv = spirv_extensions();
        let has = |name: &str| self.has_extension(name) || spirv.iter().any(|it| it == name);
        let mut device = opengl::find_device_features(10 * self.version, has);
        // Mesa reads float controls, but OpenGL has no extension that reports it. Other drivers
        // receive modules whose operations are individually exact.
        device.signed_zero_inf_nan_preserve_float32 |=
            driver_state::string(driver::constants::VERSION).contains("Mesa");
        // Drivers may accept interlocks that they do not report: Mesa's llvmpipe runs the fragments
        // of a pixel one after the other in any case.
        device.fragment_shader_pixel_interlock = true;
        device.fragment_shader_sample_interlock = true;
        let uniform_buffers =
            driver_state::integer(driver::constants::MAX_UNIFORM_BUFFER_BINDINGS).max(0) as u32;
        let storage_buffers =
            driver_state::integer(driver::constants::MAX_SHADER_STORAGE_BUFFER_BINDINGS).max(0)
                as u32;
        opengl::build_options(device, uniform_buffers, storage_buffers)
    }

    /// Returns true if the driver lists an extension, or has the version of GL (45 for 4.5) that
    /// includes it; a `version` of 0 denotes no version.
    pub(crate) fn has_extension_or_version(&self, name: &str, version: u32) -> bool {
        version != 0 && self.version >= version || self.has_extension(name)
    }

    /// Returns true if the driver lists an extension; those that only this library provides are
    /// excluded.
    pub(crate) fn has_extension(&self, name: &str) -> bool {
        self.driver_extensions.split(' ').any(|it| it == name)
    }

    /// Returns true if the driver has the formats of textures that an extension of this library
    /// needs: those of EXT_texture_snorm for texture shaders.
    fn has_formats_of(&self, name: &str) -> bool {
        !name.starts_with("GL_NV_texture_shader") || self.has_extension("GL_EXT_texture_snorm")
    }

    /// Returns true if this library answers queries of single extensions, instead of the driver.
    pub(crate) fn replaces_extensions(&self) -> bool {
        self.works || !self.hidden.is_empty()
    }

    /// Returns the limits of programs of a target; all 0 if this library does not work with the
    /// driver.
    pub(crate) fn limits(&self, target: Target) -> Limits {
        let limits = self.limits.get(target as usize);
        limits.copied().unwrap_or_default()
    }

    /// Returns true if the driver's own vertex or fragment programs may have more environment or
    /// local parameters than programs of this library. Targets that the driver does not support are
    /// ignored.
    fn has_more_parameters(&self) -> bool {
        const MAX_LOCAL_PARAMETERS: u32 = 0x88B4;
        const MAX_ENV_PARAMETERS: u32 = 0x88B5;
        let has_more = |row: &target::TargetProperties| {
            let name = if row.target == Target::Vertex {
                "GL_ARB_vertex_program"
            } else {
                "GL_ARB_fragment_program"
            };
            let limit = |parameters| driver_state::arb_program::<1>(row.enumerant, parameters)[0];
            self.has_extension(name)
                && (limit(MAX_LOCAL_PARAMETERS) > LOCAL_PARAMETERS as i32
                    || limit(MAX_ENV_PARAMETERS) > ENV_PARAMETERS as i32)
        };
        target::TARGETS
            .iter()
            .any(|row| row.is_driver_supported && has_more(row))
    }

    /// Sets the list and the string of extensions that the application sees: `names`, which are the
    /// driver's, and, if programs work here, those of this library that the driver has the features
    /// for. Those that settings hide are excluded.
    fn advertise_extensions(&mut self, mut names: Vec<String>) {
        if self.works {
            for AddedExtension(name, version, extension, _) in ADDED {
                let has = match &self.writer {
                    // Written modules can use the features of their version of the language,
                    // without extensions.
                    Some(writer) => writer.version() >= extension_glsl_version(name, *version),
                    None => self.has_extension_or_version(extension, *version),
                };
                if has && self.has_formats_of(name) && !names.iter().any(|it| it == name) {
                    names.push((*name).to_owned());
                }
            }
        }
        names.retain(|name| !self.hidden.contains(name));
        self.extension_text = leak_string(CString::new(names.join(" ")).unwrap_or_default());
        self.extensions = names
            .into_iter()
            .filter_map(|name| CString::new(name).ok().map(leak_string))
            .collect();
    }
}

/// Returns the GLSL version that `GLASM_GLSL_VERSION` requests: GLSL even if the driver accepts
/// SPIR-V, of the newest version (1) or of a specific one (330), without other features that
/// drivers without SPIR-V may lack. `None` if it is not set.
fn forced_glsl_version() -> Option<u32> {
    settings::current().glsl_version().copied()
}

/// Returns the newest version of GLSL that the driver reads, at most `forced`, unless that is 1.
fn writable_glsl_version(forced: Option<u32>) -> u32 {
    let most = forced.filter(|it| *it > 1).unwrap_or(u32::MAX);
    glsl_version().min(most)
}

/// Returns the driver's GLSL version as its number, such as 450; 0 if it is not readable.
fn glsl_version() -> u32 {
    let text = driver_state::string(driver::constants::SHADING_LANGUAGE_VERSION);
    let mut digits = text.split(['.', ' ']).map(str::parse);
    match (digits.next(), digits.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => u32::min(major, 9) * 100 + u32::min(minor, 99),
        _ => 0,
    }
}

/// Returns the version of GLSL, such as 330, that can express the features of an extension, by the
/// version of GL (33 for 3.3) that includes it.
fn extension_glsl_version(name: &str, version: u32) -> u32 {
    if name.starts_with("GL_NV_transform_feedback") {
        // Variables specify the buffers in which they are captured.
        440
    } else {
        10 * version
    }
}

/// Parses a version: 45 of "4.5 (Compatibility Profile) Mesa 22.3.6". `None` if the text does not
/// begin with two numbers, as that of OpenGL ES.
fn parse_version(text: &str) -> Option<u32> {
    let mut digits = text.split(['.', ' ']);
    let major: u32 = digits.next()?.parse().ok()?;
    let minor: u32 = digits.next()?.parse().ok()?;
    Some(10 * major + minor.min(9))
}

/// Returns the names of the driver's extensions: from one string before OpenGL 3.0, by index since.
fn read_extensions(version: u32) -> Vec<String> {
    if version < 30 {
        let text = driver_state::string(driver::constants::EXTENSIONS);
        return text.split_ascii_whitespace().map(str::to_owned).collect();
    }
    read_string_list(
        driver::constants::NUM_EXTENSIONS,
        driver::constants::EXTENSIONS,
    )
}

/// Returns the SPIR-V extensions that the driver supports.
fn spirv_extensions() -> Vec<String> {
    read_string_list(
        driver::constants::NUM_SPIR_V_EXTENSIONS,
        driver::constants::SPIR_V_EXTENSIONS,
    )
}

/// Returns the strings of the driver by index; `count` is the enumerant of their number, `name`
/// that of the strings. Empty if the driver has none of these.
fn read_string_list(count: u32, name: u32) -> Vec<String> {
    let count = driver_state::integer(count).max(0) as u32;
    (0..count)
        .map(|n| driver_state::indexed_string(name, n))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_drivers_write_them() {
        assert_eq!(
            parse_version("4.5 (Compatibility Profile) Mesa 22.3.6"),
            Some(45)
        );
        assert_eq!(parse_version("2.1 Mesa 22.3.6"), Some(21));
        assert_eq!(parse_version("4.6.0 NVIDIA 535.54"), Some(46));
        assert_eq!(parse_version("OpenGL ES 3.2 Mesa 22.3.6"), None);
        assert_eq!(parse_version(""), None);
    }
}
