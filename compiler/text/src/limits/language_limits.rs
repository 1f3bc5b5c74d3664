//! Contents of modules that languages do not support: HLSL and MSL as SPIRV-Cross writes them, GLSL
//! and GLSL ES as both writers do. Modules are checked before they are written, such that errors
//! name the contents in one way.
//!
//! [`glsl_features`](super::glsl_features) checks what appears in the finished GLSL only, and
//! [`module_features`](super::module_features) has the predicates.

use super::module_features::{
    ModuleFeature::{self, Accesses, Declares, Images, Input, Mode, Ops, Other, Stages},
    TESSELLATION, compares_with_bias_or_gradients, has_buffer_arrays, has_element_atomics,
    has_invariant_decoration, has_multiple_invocations, is_essl_image_format, passes_nested_arrays,
    reads_and_writes_wide_images, reads_clip_distances, reads_helper_invocation,
    reads_primitive_id, reads_unsupported_subgroups, samples_integer_textures,
};
use crate::Language;
use crate::spirv_edit::ModuleEditor;
use rspirv::spirv::{BuiltIn, Capability, Dim, ExecutionMode, ExecutionModel, ImageFormat, Op};

/// Something that modules may contain, and the first version of each language that has it.
struct Limit {
    /// The name in messages, a plural.
    what: &'static str,
    /// The predicate about modules.
    content: ModuleFeature,
    /// First version of GLSL; [`VULKAN`] for GLSL for Vulkan only.
    glsl: u32,
    /// First version of GLSL ES.
    essl: u32,
    /// First shader model.
    hlsl: u32,
    /// First version of MSL.
    msl: u32,
}

/// No version.
const NEVER: u32 = u32::MAX;
/// GLSL for Vulkan only.
const VULKAN: u32 = 1000;

macro_rules! limits {
    ($($what:literal, $content:expr => $glsl:expr, $essl:expr, $hlsl:expr, $msl:expr;)*) => {
        /// The limits. Versions with 0 have no separate limit: the writer has it in all of them, or
        /// the compiler refuses it first.
        static LIMITS: &[Limit] = &[$(Limit {
            what: $what,
            content: $content,
            glsl: $glsl,
            essl: $essl,
            hlsl: $hlsl,
            msl: $msl,
        }),*];
    };
}

// First versions of GLSL, GLSL ES, HLSL and MSL.
limits! {
    "geometry programs", Stages(&[ExecutionModel::Geometry]) => 330, 320, 50, NEVER;
    "tessellation programs", Stages(TESSELLATION) => 400, 320, NEVER, 20;
    "compute programs", Stages(&[ExecutionModel::GLCompute]) => 430, 310, 50, 20;
    "tessellation of isolines", Mode(ExecutionMode::Isolines) => 400, 320, NEVER, NEVER;
    "vertex streams", Ops(&[Op::EmitStreamVertex, Op::EndStreamPrimitive]) => 400, NEVER, NEVER, NEVER;
    "several invocations of geometry programs", Other(has_multiple_invocations) => 400, 320, NEVER, 0;
    "clip distances as inputs of geometry programs", Other(reads_clip_distances) => 0, 0, NEVER, NEVER;
    "point sizes as inputs", Input(BuiltIn::PointSize) => 0, 0, NEVER, 0;
    "numbers within subgroups in vertex and tessellation programs", Other(reads_unsupported_subgroups) => 0, 0, 0, NEVER;
    "viewports as inputs", Input(BuiltIn::ViewportIndex) => 430, NEVER, NEVER, 0;
    "positions of samples", Input(BuiltIn::SamplePosition) => 400, 320, NEVER, 0;
    "draw numbers", Input(BuiltIn::DrawIndex) => 0, NEVER, NEVER, NEVER;
    "helper invocations", Other(reads_helper_invocation) => 450, 310, 60, 21;
    "stencil values of fragments", Declares(Capability::StencilExportEXT) => 0, NEVER, NEVER, 21;
    "numbers of levels", Ops(&[Op::ImageQueryLevels]) => 430, NEVER, 0, 0;
    // For other images, the writer with naga marks queries of layers by this operation.
    "sample counts of textures and images", Accesses(&[Op::ImageQuerySamples], |it| it.is_multisample) => 450, NEVER, 0, 0;
    "gathering texels", Ops(&[Op::ImageGather, Op::ImageDrefGather]) => 400, 310, 0, 0;
    "fine and coarse derivatives", Declares(Capability::DerivativeControl) => 400, NEVER, 0, 0;
    "images", Images(|it| it.is_storage) => 420, 310, 0, 0;
    "images without formats", Images(|it| it.is_storage && it.format == ImageFormat::Unknown) => 0, NEVER, 0, 0;
    "images of this format", Images(|it| it.is_storage && it.format != ImageFormat::Unknown && !is_essl_image_format(it.format)) => 0, NEVER, 0, 0;
    "images of this format that are read and written", Other(reads_and_writes_wide_images) => 0, NEVER, 0, 0;
    // SPIRV-Cross makes coordinates of them with a component too many.
    "images of one-dimensional arrays", Images(|it| it.is_storage && it.is_arrayed && it.dim == Dim::Dim1D) => 0, NEVER, 0, 0;
    "images of cube map arrays", Images(|it| it.is_storage && it.is_arrayed && it.dim == Dim::DimCube) => 420, 320, NEVER, 0;
    "images with several samples", Images(|it| it.is_storage && it.is_multisample) => 420, NEVER, 67, 0;
    "images of cube maps", Images(|it| it.is_storage && it.dim == Dim::DimCube) => 420, 310, NEVER, 0;
    "filtered integer textures", Other(samples_integer_textures) => 0, 0, 67, 0;
    "arrays of uniform buffers", Other(has_buffer_arrays) => 0, 0, 51, 0;
    "levels of detail of one-dimensional textures", Accesses(&[Op::ImageQueryLod], |it| it.dim == Dim::Dim1D) => 0, 0, 0, NEVER;
    "arrays of images with atomic operations", Other(has_element_atomics) => 0, 0, 0, 31;
    "invariant positions", Other(has_invariant_decoration) => 0, 0, 0, 21;
    "arrays of textures with several samples", Images(|it| it.is_arrayed && it.is_multisample) => 0, 0, 0, 21;
    "sample masks after the depth test", Mode(ExecutionMode::PostDepthCoverage) => 0, 0, 0, 23;
    "queries of levels of detail", Ops(&[Op::ImageQueryLod]) => 0, 0, 0, 22;
    "numbers of primitives", Other(reads_primitive_id) => 0, 0, 0, 22;
    // Unused ones are not written: in GLSL they show in the finished source only.
    "interpolation functions", Declares(Capability::InterpolationFunction) => 0, 0, 0, 23;
    "biases and gradients of comparisons", Other(compares_with_bias_or_gradients) => 0, 0, 0, 23;
    "arrays of arrays between programs", Other(passes_nested_arrays) => 0, 0, 0, NEVER;
    "samplers of other textures", Ops(&[Op::SampledImage]) => VULKAN, NEVER, 0, 0;
    "gradients and levels of shadow cube map arrays",
        Accesses(&[Op::ImageSampleDrefExplicitLod], |it| it.is_depth && it.is_arrayed && it.dim == Dim::DimCube) => NEVER, NEVER, 0, 0;
    // As for interpolation functions.
    "clocks", Ops(&[Op::ReadClockKHR]) => 0, 0, NEVER, NEVER;
    "shuffles within subgroups",
        Ops(&[Op::GroupNonUniformShuffle, Op::GroupNonUniformQuadSwap, Op::GroupNonUniformQuadBroadcast]) => VULKAN, NEVER, 0, 0;
}

/// Refuses a module with contents that the language does not support; the message names the first
/// of them and a language that has it.
pub(crate) fn check_limits(editor: &ModuleEditor, language: Language) -> Result<(), String> {
    let is_exceeded =
        |limit: &&Limit| find_first_version(limit, language) > get_comparable_version(language);
    match LIMITS
        .iter()
        .filter(is_exceeded)
        .find(|limit| limit.content.is_in(editor))
    {
        Some(limit) => Err(format_unsupported(limit, language)),
        None => Ok(()),
    }
}

/// Returns the version of a language for comparison with the versions of a [`Limit`]; [`VULKAN`]
/// for languages that follow Vulkan.
fn get_comparable_version(language: Language) -> u32 {
    match language {
        Language::VulkanGlsl | Language::Wgsl => VULKAN,
        Language::Glsl(version)
        | Language::Essl(version)
        | Language::Hlsl(version)
        | Language::Msl(version) => version,
    }
}

/// Returns the first version of a language that supports the content of a limit; 0 if all versions
/// do.
fn find_first_version(limit: &Limit, language: Language) -> u32 {
    match language {
        Language::Glsl(_) | Language::VulkanGlsl => limit.glsl,
        Language::Essl(_) => limit.essl,
        Language::Hlsl(_) => limit.hlsl,
        Language::Msl(_) => limit.msl,
        Language::Wgsl => 0,
    }
}

/// Returns the message: the missing feature, and the first version of the same language that has
/// it, else one of GLSL, GLSL ES or Vulkan's GLSL.
fn format_unsupported(limit: &Limit, language: Language) -> String {
    let least = |of: Language| {
        let mut all = Language::ALL.iter().copied();
        all.find(|it| {
            it.family() == of.family()
                && get_comparable_version(*it) >= find_first_version(limit, *it)
        })
    };
    let able: Vec<String> = match least(language) {
        Some(newer) => vec![newer.to_string()],
        None => [Language::Glsl(0), Language::Essl(0), Language::VulkanGlsl]
            .into_iter()
            .filter(|other| other.family() != language.family())
            .filter_map(least)
            .take(1)
            .map(|it| it.to_string())
            .collect(),
    };
    let what = limit.what;
    match able.as_slice() {
        [] => format!("{language} has no {what}; SPIR-V has them"),
        able => format!("{language} has no {what}; {} has them", able.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rspirv::dr::Builder;

    fn geometry_module(streams: bool) -> ModuleEditor {
        let mut builder = Builder::new();
        let void = builder.type_void();
        let kind = builder.type_function(void, []);
        let main = builder
            .begin_function(void, None, rspirv::spirv::FunctionControl::NONE, kind)
            .unwrap();
        builder.begin_block(None).unwrap();
        if streams {
            let uint = builder.type_int(32, 0);
            let stream = builder.constant_bit32(uint, 1);
            builder.emit_stream_vertex(stream).unwrap();
        }
        builder.ret().unwrap();
        builder.end_function().unwrap();
        builder.entry_point(ExecutionModel::Geometry, main, "main", []);
        ModuleEditor::new(builder.module())
    }

    #[test]
    fn languages_are_named_that_have_it() {
        let check = |language| check_limits(&geometry_module(true), language);
        assert_eq!(
            check(Language::Msl(24)).unwrap_err(),
            "msl24 has no geometry programs; glsl330 has them"
        );
        assert_eq!(
            check(Language::Glsl(330)).unwrap_err(),
            "glsl330 has no vertex streams; glsl400 has them"
        );
        assert_eq!(
            check(Language::Essl(320)).unwrap_err(),
            "essl320 has no vertex streams; glsl400 has them"
        );
        assert_eq!(
            check(Language::Hlsl(60)).unwrap_err(),
            "hlsl60 has no vertex streams; glsl400 has them"
        );
        assert_eq!(check(Language::Glsl(400)), Ok(()));
    }

    #[test]
    fn programs_within_the_limits_pass() {
        for language in [Language::Glsl(330), Language::Essl(320), Language::Hlsl(60)] {
            assert_eq!(check_limits(&geometry_module(false), language), Ok(()));
        }
    }
}
