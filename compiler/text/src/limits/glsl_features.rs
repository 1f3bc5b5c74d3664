//! Functions, variables and types that versions of GLSL and GLSL ES have, and the extensions that
//! add them to older versions.
//!
//! SPIRV-Cross and naga write some of them in versions that do not have them.

use crate::Language;
use glasm::ir::Stage;

/// An identifier, and the versions that have it.
struct GlslFeature {
    /// Its spelling in sources.
    spelling: &'static str,
    /// The name of its feature in messages.
    description: &'static str,
    /// First version of GLSL.
    glsl_version: u32,
    /// First version of GLSL ES; [`NEVER`] if none.
    essl_version: u32,
    /// Extension that adds it to older versions of GLSL, from a version on.
    glsl_extension: Option<(&'static str, u32)>,
    /// Extension that adds it to older versions of GLSL ES, from a version on.
    essl_extension: Option<(&'static str, u32)>,
}

const NEVER: u32 = u32::MAX;

/// Returns an entry of the table without extensions: the identifier, its description, and the first
/// versions of GLSL and GLSL ES that have it.
const fn define_feature(
    text: &'static str,
    description: &'static str,
    desktop: u32,
    es: u32,
) -> GlslFeature {
    GlslFeature {
        spelling: text,
        description,
        glsl_version: desktop,
        essl_version: es,
        glsl_extension: None,
        essl_extension: None,
    }
}

/// Returns the entry `word` with the extension that provides the feature in GLSL from version
/// `since` on.
const fn with_glsl_extension(
    word: GlslFeature,
    extension: &'static str,
    since: u32,
) -> GlslFeature {
    GlslFeature {
        glsl_extension: Some((extension, since)),
        ..word
    }
}

/// Returns the entry `word` with the extension that provides the feature in GLSL ES from version
/// `since` on.
const fn with_essl_extension(
    word: GlslFeature,
    extension: &'static str,
    since: u32,
) -> GlslFeature {
    GlslFeature {
        essl_extension: Some((extension, since)),
        ..word
    }
}

const PACKING: &str = "GL_ARB_shading_language_packing";
const LAYERS: &str = "GL_ARB_shader_viewport_layer_array";
const CUBE_ARRAYS: &str = "GL_ARB_texture_cube_map_array";

static FEATURES: &[GlslFeature] = &[
    define_feature("gl_CullDistance", "cull distances", 450, 300),
    define_feature("gl_InvocationID", "numbers of invocations", 400, 320),
    define_feature("clock2x32ARB(", "clocks", 330, NEVER),
    with_glsl_extension(
        define_feature("out gl_PerVertex", "blocks of built-in variables", 410, 300),
        "GL_ARB_separate_shader_objects",
        150,
    ),
    define_feature("layout(local_size_x", "compute programs", 430, 310),
    define_feature("std430", "storage buffers", 430, 310),
    define_feature("image2D", "images", 420, 310),
    define_feature("image3D", "images", 420, 310),
    define_feature("imageLoad(", "images", 420, 310),
    define_feature("imageStore(", "images", 420, 310),
    define_feature("imageSize(", "sizes of images", 430, 310),
    define_feature("imageSamples(", "sample counts of images", 450, NEVER),
    with_essl_extension(
        define_feature("imageAtomic", "atomic operations on images", 420, 320),
        "GL_OES_shader_image_atomic",
        310,
    ),
    define_feature("early_fragment_tests", "early fragment tests", 420, 310),
    with_glsl_extension(
        define_feature("packHalf2x16(", "packing", 420, 300),
        PACKING,
        330,
    ),
    with_glsl_extension(
        define_feature("packUnorm4x8(", "packing", 400, 310),
        PACKING,
        330,
    ),
    with_glsl_extension(
        define_feature("packSnorm4x8(", "packing", 400, 310),
        PACKING,
        330,
    ),
    with_glsl_extension(
        define_feature("ackUnorm2x16(", "packing", 400, 300),
        PACKING,
        330,
    ),
    with_glsl_extension(
        define_feature("ackSnorm2x16(", "packing", 400, 300),
        PACKING,
        330,
    ),
    with_glsl_extension(
        define_feature("unpackHalf2x16(", "packing", 420, 300),
        PACKING,
        330,
    ),
    with_glsl_extension(
        define_feature("unpackUnorm4x8(", "packing", 400, 310),
        PACKING,
        330,
    ),
    with_glsl_extension(
        define_feature("unpackSnorm4x8(", "packing", 400, 310),
        PACKING,
        330,
    ),
    define_feature("bitfieldExtract(", "bit fields", 400, 310),
    define_feature("bitfieldInsert(", "bit fields", 400, 310),
    define_feature("bitfieldReverse(", "bit fields", 400, 310),
    define_feature("bitCount(", "bit counts", 400, 310),
    define_feature("findLSB(", "bit searches", 400, 310),
    define_feature("findMSB(", "bit searches", 400, 310),
    define_feature("umulExtended(", "products of 64 bits", 400, 310),
    define_feature("imulExtended(", "products of 64 bits", 400, 310),
    define_feature("uaddCarry(", "carries", 400, 310),
    define_feature("usubBorrow(", "borrows", 400, 310),
    define_feature("textureGather(", "gathering texels", 400, 310),
    define_feature("textureGatherOffset(", "gathering texels", 400, 310),
    define_feature(
        "textureGatherOffsets(",
        "gathering texels at four offsets",
        400,
        320,
    ),
    with_essl_extension(
        define_feature("textureQueryLod", "levels of detail", 330, NEVER),
        "GL_EXT_texture_query_lod",
        300,
    ),
    define_feature("textureQueryLevels(", "numbers of levels", 430, NEVER),
    define_feature("textureSamples(", "sample counts of textures", 450, NEVER),
    with_essl_extension(
        with_glsl_extension(
            define_feature("samplerCubeArray", "cube map arrays", 400, 320),
            CUBE_ARRAYS,
            330,
        ),
        "GL_EXT_texture_cube_map_array",
        310,
    ),
    define_feature("sampler2DMS", "multisample textures", 330, 310),
    with_essl_extension(
        define_feature(
            "sampler2DMSArray",
            "arrays of multisample textures",
            330,
            320,
        ),
        "GL_OES_texture_storage_multisample_2d_array",
        310,
    ),
    with_essl_extension(
        define_feature("samplerBuffer", "buffer textures", 330, 320),
        "GL_EXT_texture_buffer",
        310,
    ),
    define_feature("gl_SampleMask", "sample masks", 400, 320),
    define_feature("gl_SampleID", "sample numbers", 400, 320),
    define_feature("interpolateAt", "interpolation functions", 400, 320),
    define_feature("gl_BaseInstanceARB", "base instances", 450, NEVER),
    define_feature("gl_BaseVertexARB", "base vertices", 450, NEVER),
    define_feature("gl_DrawIDARB", "draw numbers", 450, NEVER),
    // As naga writes them.
    define_feature("gl_BaseInstance)", "base instances", 460, NEVER),
    define_feature("gl_BaseVertex)", "base vertices", 460, NEVER),
    define_feature("gl_DrawID;", "draw numbers", 460, NEVER),
    define_feature(", index = ", "second color sources", 330, NEVER),
    define_feature("gl_HelperInvocation", "helper invocations", 450, 310),
    with_glsl_extension(
        define_feature("dFdxFine(", "fine derivatives", 450, NEVER),
        "GL_ARB_derivative_control",
        400,
    ),
    with_glsl_extension(
        define_feature("dFdyFine(", "fine derivatives", 450, NEVER),
        "GL_ARB_derivative_control",
        400,
    ),
    with_glsl_extension(
        define_feature("dFdxCoarse(", "coarse derivatives", 450, NEVER),
        "GL_ARB_derivative_control",
        400,
    ),
    with_glsl_extension(
        define_feature("dFdyCoarse(", "coarse derivatives", 450, NEVER),
        "GL_ARB_derivative_control",
        400,
    ),
    define_feature("\nsample ", "inputs by sample", 400, 320),
    define_feature(" sample in ", "inputs by sample", 400, 320),
    define_feature(" sample noperspective in ", "inputs by sample", 400, 320),
    define_feature("rg32ui)", "images of 64-bit texels", 420, NEVER),
    define_feature("double", "doubles", 400, NEVER),
    define_feature("dvec", "doubles", 400, NEVER),
];

/// Words whose version depends on the stage.
static FRAGMENT_FEATURES: &[GlslFeature] = &[
    define_feature("gl_Layer", "layers as inputs", 430, 320),
    define_feature("gl_ViewportIndex", "viewports as inputs", 430, NEVER),
    define_feature("gl_PrimitiveID", "primitive numbers", 330, 320),
];

static VERTEX_FEATURES: &[GlslFeature] = &[
    define_feature("gl_Layer", "layers of vertex programs", 410, NEVER),
    define_feature(
        "gl_ViewportIndex",
        "viewports of vertex programs",
        410,
        NEVER,
    ),
];

static GEOMETRY_FEATURES: &[GlslFeature] = &[
    define_feature("gl_Layer", "layers of geometry programs", 150, 320),
    define_feature(
        "gl_ViewportIndex",
        "viewports of geometry programs",
        410,
        NEVER,
    ),
];

/// SPIRV-Cross asks for the extension in vertex programs only, from 4.10 on; versions before have
/// no such outputs.
static TESS_EVAL_FEATURES: &[GlslFeature] = &[
    with_glsl_extension(
        define_feature("gl_Layer", "layers of evaluation programs", NEVER, NEVER),
        LAYERS,
        410,
    ),
    with_glsl_extension(
        define_feature(
            "gl_ViewportIndex",
            "viewports of evaluation programs",
            NEVER,
            NEVER,
        ),
        LAYERS,
        410,
    ),
];

/// Inserts the `#extension` lines that a GLSL or GLSL ES source needs after its first line, and
/// removes one that SPIRV-Cross writes without need. Returns sources in other languages unchanged.
///
/// # Errors
/// Returns a message if the version lacks a feature of the source and has no extension for it; the
/// message names the versions that have it, if any. Also returns one for atomic operations on
/// multisample images, for offsets in arrays of shadow textures before GLSL 4.30 and in GLSL ES,
/// and for what [`check_essl`] refuses.
pub(crate) fn add_required_extensions(
    text: String,
    language: Language,
    stage: Stage,
    textures_1d: Textures1d,
) -> Result<String, String> {
    check_multisample_atomics(&text, language)?;
    let stage_features = match stage {
        Stage::Fragment => FRAGMENT_FEATURES,
        Stage::TessEval => TESS_EVAL_FEATURES,
        Stage::Geometry => GEOMETRY_FEATURES,
        Stage::Vertex | Stage::TessControl | Stage::Compute => VERTEX_FEATURES,
    };
    let mut extensions: Vec<&str> = Vec::new();
    for feature in FEATURES.iter().chain(stage_features) {
        let (version, first, extension) = match language {
            Language::Glsl(version) => (version, feature.glsl_version, feature.glsl_extension),
            Language::VulkanGlsl => (460, feature.glsl_version, feature.glsl_extension),
            Language::Essl(version) => (version, feature.essl_version, feature.essl_extension),
            Language::Wgsl | Language::Hlsl(_) | Language::Msl(_) => {
                return Ok(text);
            }
        };
        if version >= first || !text.contains(feature.spelling) {
            continue;
        }
        match extension {
            Some((name, since)) if version >= since => extensions.push(name),
            _ => return Err(format_unsupported(language, feature)),
        }
    }
    let text = remove_unused_extension(text);
    if matches!(language, Language::Glsl(..430) | Language::Essl(_))
        && text.contains("sampler2DArrayShadow")
        && text.contains("textureOffset(")
    {
        return Err(format!(
            "{language} has no offsets in arrays of shadow textures; glsl430 has them"
        ));
    }
    if matches!(language, Language::Essl(_)) {
        check_essl(&text, language, textures_1d)?;
    }
    extensions.sort_unstable();
    extensions.dedup();
    extensions.retain(|name| !text.contains(&format!("#extension {name} ")));
    let lines: String = extensions
        .iter()
        .map(|name| format!("#extension {name} : require\n"))
        .collect();
    // After the line of the version.
    let first_line_end = text.find('\n').map_or(text.len(), |end| end + 1);
    let (version, rest) = text.split_at(first_line_end);
    Ok(format!("{version}{lines}{rest}"))
}

/// The presence of one-dimensional textures or images in a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Textures1d {
    /// Absence of the capability.
    Absent,
    /// Presence of the capability.
    Present,
}

/// Removes the `#extension` line of GL_ARB_texture_query_levels, which SPIRV-Cross writes even if
/// nothing uses it, unless the source queries levels.
fn remove_unused_extension(text: String) -> String {
    if text.contains("textureQueryLevels(") {
        text
    } else {
        text.replace("#extension GL_ARB_texture_query_levels : require\n", "")
    }
}

/// Refuses a source with atomic operations on multisample images: SPIRV-Cross omits the sample.
/// Returns the message.
fn check_multisample_atomics(text: &str, language: Language) -> Result<(), String> {
    let mut calls = text.split("imageAtomic").skip(1).filter_map(|call| {
        let arguments = call.split_once('(')?.1;
        let end = arguments.find([',', '['])?;
        Some(&arguments[..end])
    });
    let is_multisample = |name: &str| {
        ["2DMS", "2DMSArray"].iter().any(|kind| {
            text.contains(&format!("image{kind} {name};"))
                || text.contains(&format!("image{kind} {name}["))
        })
    };
    if calls.any(is_multisample) {
        Err(format!(
            "{language} has no atomic operations on multisample images; SPIR-V has them"
        ))
    } else {
        Ok(())
    }
}

/// Refuses a source with features that GLSL ES lacks and that no identifier distinguishes: special
/// accesses to one-dimensional textures, and depths after early fragment tests. Returns the
/// message.
fn check_essl(text: &str, language: Language, textures_1d: Textures1d) -> Result<(), String> {
    // One-dimensional textures are two-dimensional ones there, which SPIRV-Cross does for the plain
    // accesses.
    let special = ["textureGrad(", "Offset(", "imageAtomic", "2DArrayShadow"];
    if textures_1d == Textures1d::Present && special.iter().any(|word| text.contains(word)) {
        return Err(format!(
            "{language} has no one-dimensional textures, and none are made of others for derivatives, offsets and atomic operations; \
             glsl450 has them"
        ));
    }
    if text.contains("early_fragment_tests") && text.contains("gl_FragDepth =") {
        return Err(format!(
            "{language} has no depth result after early fragment tests; glsl450 has it"
        ));
    }
    Ok(())
}

/// Returns the message that a language lacks a feature, with the first versions of GLSL and GLSL ES
/// that have it, if any.
fn format_unsupported(language: Language, word: &GlslFeature) -> String {
    let desktop = (word.glsl_version != NEVER).then(|| Language::Glsl(word.glsl_version.max(330)));
    let es = (word.essl_version != NEVER).then_some(Language::Essl(word.essl_version));
    let known: Vec<String> = [desktop, es]
        .into_iter()
        .flatten()
        .map(|language| language.to_string())
        .collect();
    let description = word.description;
    match known.as_slice() {
        [] => format!("{language} has no {description}"),
        known => format!(
            "{language} has no {description}; {} has them",
            known.join(" or ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared() {
        let text = || "#version 330\nx = bitCount(y);\n".to_owned();
        assert_eq!(
            add_required_extensions(
                text(),
                Language::Glsl(330),
                Stage::Fragment,
                Textures1d::Absent
            )
            .unwrap_err(),
            "glsl330 has no bit counts; glsl400 or essl310 has them"
        );
        assert_eq!(
            add_required_extensions(
                text(),
                Language::Glsl(400),
                Stage::Fragment,
                Textures1d::Absent
            ),
            Ok(text())
        );
        let layer = "gl_ViewportIndex".to_owned();
        assert!(
            add_required_extensions(
                layer.clone(),
                Language::Essl(320),
                Stage::Fragment,
                Textures1d::Absent
            )
            .is_err()
        );
        assert!(
            add_required_extensions(
                layer,
                Language::Glsl(430),
                Stage::Fragment,
                Textures1d::Absent
            )
            .is_ok()
        );
    }

    #[test]
    fn atomics_on_samples_are_refused() {
        let text = |ty| format!("uniform {ty} image1;\nuint a = imageAtomicAdd(image1, p, 1u);\n");
        let check = |ty| check_multisample_atomics(&text(ty), Language::VulkanGlsl);
        assert!(check("uimage2DMS").is_err());
        assert!(check("uimage2D").is_ok());
    }

    #[test]
    fn extensions_follow_the_version() {
        let text = "#version 330\nx = packHalf2x16(y);\n".to_owned();
        assert_eq!(
            add_required_extensions(
                text,
                Language::Glsl(330),
                Stage::Fragment,
                Textures1d::Absent
            )
            .unwrap(),
            "#version 330\n#extension GL_ARB_shading_language_packing : require\nx = packHalf2x16(y);\n"
        );
    }
}
