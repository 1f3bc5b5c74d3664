//! Functions, variables and types that versions of GLSL and GLSL ES have, and the extensions that
//! add them to older versions.
//!
//! SPIRV-Cross writes some of them in versions that do not have them.

use crate::Language;
use glasm::ir::Stage;

/// An identifier, and the versions that have it.
struct Word {
    /// Its spelling in sources.
    text: &'static str,
    /// The name of its feature in messages.
    what: &'static str,
    /// First version of GLSL.
    desktop: u32,
    /// First version of GLSL ES; [`NEVER`] if none.
    es: u32,
    /// Extension that adds it to older versions of GLSL, from a version on.
    desktop_extension: Option<(&'static str, u32)>,
    /// Extension that adds it to older versions of GLSL ES, from a version on.
    es_extension: Option<(&'static str, u32)>,
}

const NEVER: u32 = u32::MAX;

const fn define_word(text: &'static str, what: &'static str, desktop: u32, es: u32) -> Word {
    Word {
        text,
        what,
        desktop,
        es,
        desktop_extension: None,
        es_extension: None,
    }
}

const fn with_desktop(word: Word, extension: &'static str, since: u32) -> Word {
    Word {
        desktop_extension: Some((extension, since)),
        ..word
    }
}

const fn with_es(word: Word, extension: &'static str, since: u32) -> Word {
    Word {
        es_extension: Some((extension, since)),
        ..word
    }
}

const PACKING: &str = "GL_ARB_shading_language_packing";
const LAYERS: &str = "GL_ARB_shader_viewport_layer_array";
const CUBE_ARRAYS: &str = "GL_ARB_texture_cube_map_array";

static WORDS: &[Word] = &[
    define_word("gl_CullDistance", "cull distances", 450, 300),
    define_word("gl_InvocationID", "numbers of invocations", 400, 320),
    define_word("clock2x32ARB(", "clocks", 330, NEVER),
    with_desktop(
        define_word("out gl_PerVertex", "blocks of built-in variables", 410, 300),
        "GL_ARB_separate_shader_objects",
        150,
    ),
    define_word("layout(local_size_x", "compute programs", 430, 310),
    define_word("std430", "storage buffers", 430, 310),
    define_word("image2D", "images", 420, 310),
    define_word("image3D", "images", 420, 310),
    define_word("imageLoad(", "images", 420, 310),
    define_word("imageStore(", "images", 420, 310),
    define_word("imageSize(", "sizes of images", 430, 310),
    define_word("imageSamples(", "sample counts of images", 450, NEVER),
    with_es(
        define_word("imageAtomic", "atomic operations on images", 420, 320),
        "GL_OES_shader_image_atomic",
        310,
    ),
    define_word("early_fragment_tests", "early fragment tests", 420, 310),
    with_desktop(
        define_word("packHalf2x16(", "packing", 420, 300),
        PACKING,
        330,
    ),
    with_desktop(
        define_word("packUnorm4x8(", "packing", 400, 310),
        PACKING,
        330,
    ),
    with_desktop(
        define_word("packSnorm4x8(", "packing", 400, 310),
        PACKING,
        330,
    ),
    with_desktop(
        define_word("ackUnorm2x16(", "packing", 400, 300),
        PACKING,
        330,
    ),
    with_desktop(
        define_word("ackSnorm2x16(", "packing", 400, 300),
        PACKING,
        330,
    ),
    with_desktop(
        define_word("unpackHalf2x16(", "packing", 420, 300),
        PACKING,
        330,
    ),
    with_desktop(
        define_word("unpackUnorm4x8(", "packing", 400, 310),
        PACKING,
        330,
    ),
    with_desktop(
        define_word("unpackSnorm4x8(", "packing", 400, 310),
        PACKING,
        330,
    ),
    define_word("bitfieldExtract(", "bit fields", 400, 310),
    define_word("bitfieldInsert(", "bit fields", 400, 310),
    define_word("bitfieldReverse(", "bit fields", 400, 310),
    define_word("bitCount(", "bit counts", 400, 310),
    define_word("findLSB(", "bit searches", 400, 310),
    define_word("findMSB(", "bit searches", 400, 310),
    define_word("umulExtended(", "products of 64 bits", 400, 310),
    define_word("imulExtended(", "products of 64 bits", 400, 310),
    define_word("uaddCarry(", "carries", 400, 310),
    define_word("usubBorrow(", "borrows", 400, 310),
    define_word("textureGather(", "gathering texels", 400, 310),
    define_word("textureGatherOffset(", "gathering texels", 400, 310),
    define_word(
        "textureGatherOffsets(",
        "gathering texels at four offsets",
        400,
        320,
    ),
    with_es(
        define_word("textureQueryLod", "levels of detail", 330, NEVER),
        "GL_EXT_texture_query_lod",
        300,
    ),
    define_word("textureQueryLevels(", "numbers of levels", 430, NEVER),
    define_word("textureSamples(", "sample counts of textures", 450, NEVER),
    with_es(
        with_desktop(
            define_word("samplerCubeArray", "cube map arrays", 400, 320),
            CUBE_ARRAYS,
            330,
        ),
        "GL_EXT_texture_cube_map_array",
        310,
    ),
    define_word("sampler2DMS", "multisample textures", 330, 310),
    with_es(
        define_word(
            "sampler2DMSArray",
            "arrays of multisample textures",
            330,
            320,
        ),
        "GL_OES_texture_storage_multisample_2d_array",
        310,
    ),
    with_es(
        define_word("samplerBuffer", "buffer textures", 330, 320),
        "GL_EXT_texture_buffer",
        310,
    ),
    define_word("gl_SampleMask", "sample masks", 400, 320),
    define_word("gl_SampleID", "sample numbers", 400, 320),
    define_word("interpolateAt", "interpolation functions", 400, 320),
    define_word("gl_BaseInstanceARB", "base instances", 450, NEVER),
    define_word("gl_BaseVertexARB", "base vertices", 450, NEVER),
    define_word("gl_DrawIDARB", "draw numbers", 450, NEVER),
    define_word(", index = ", "second color sources", 330, NEVER),
    define_word("gl_HelperInvocation", "helper invocations", 450, 310),
    with_desktop(
        define_word("dFdxFine(", "fine derivatives", 450, NEVER),
        "GL_ARB_derivative_control",
        400,
    ),
    with_desktop(
        define_word("dFdyFine(", "fine derivatives", 450, NEVER),
        "GL_ARB_derivative_control",
        400,
    ),
    with_desktop(
        define_word("dFdxCoarse(", "coarse derivatives", 450, NEVER),
        "GL_ARB_derivative_control",
        400,
    ),
    with_desktop(
        define_word("dFdyCoarse(", "coarse derivatives", 450, NEVER),
        "GL_ARB_derivative_control",
        400,
    ),
    define_word("\nsample ", "inputs by sample", 400, 320),
    define_word(" sample in ", "inputs by sample", 400, 320),
    define_word(" sample noperspective in ", "inputs by sample", 400, 320),
    define_word("rg32ui)", "images of 64-bit texels", 420, NEVER),
    define_word("double", "doubles", 400, NEVER),
    define_word("dvec", "doubles", 400, NEVER),
];

/// Words whose version depends on the stage.
static FRAGMENT_WORDS: &[Word] = &[
    define_word("gl_Layer", "layers as inputs", 430, 320),
    define_word("gl_ViewportIndex", "viewports as inputs", 430, NEVER),
    define_word("gl_PrimitiveID", "primitive numbers", 330, 320),
];

static VERTEX_WORDS: &[Word] = &[
    define_word("gl_Layer", "layers of vertex programs", 410, NEVER),
    define_word(
        "gl_ViewportIndex",
        "viewports of vertex programs",
        410,
        NEVER,
    ),
];

static GEOMETRY_WORDS: &[Word] = &[
    define_word("gl_Layer", "layers of geometry programs", 150, 320),
    define_word(
        "gl_ViewportIndex",
        "viewports of geometry programs",
        410,
        NEVER,
    ),
];

/// SPIRV-Cross asks for the extension in vertex programs only, from 4.10 on; versions before have
/// no such outputs.
static EVALUATION_WORDS: &[Word] = &[
    with_desktop(
        define_word("gl_Layer", "layers of evaluation programs", NEVER, NEVER),
        LAYERS,
        410,
    ),
    with_desktop(
        define_word(
            "gl_ViewportIndex",
            "viewports of evaluation programs",
            NEVER,
            NEVER,
        ),
        LAYERS,
        410,
    ),
];

/// Adds the extensions that a source needs.
///
/// # Errors
/// Returns the feature that the version does not have, and the versions that have it.
pub(super) fn check(
    text: String,
    language: Language,
    stage: Stage,
    textures_1d: Textures1d,
) -> Result<String, String> {
    check_multisample_atomics(&text, language)?;
    let own = match stage {
        Stage::Fragment => FRAGMENT_WORDS,
        Stage::TessEval => EVALUATION_WORDS,
        Stage::Geometry => GEOMETRY_WORDS,
        Stage::Vertex | Stage::TessControl | Stage::Compute => VERTEX_WORDS,
    };
    let mut extensions: Vec<&str> = Vec::new();
    for word in WORDS.iter().chain(own) {
        let (version, first, extension) = match language {
            Language::Glsl(version) => (version, word.desktop, word.desktop_extension),
            Language::VulkanGlsl => (460, word.desktop, word.desktop_extension),
            Language::Essl(version) => (version, word.es, word.es_extension),
            Language::Wgsl | Language::Hlsl(_) | Language::Msl(_) => {
                return Ok(text);
            }
        };
        if version >= first || !text.contains(word.text) {
            continue;
        }
        match extension {
            Some((name, since)) if version >= since => extensions.push(name),
            _ => return Err(format_refusal(language, word)),
        }
    }
    let text = remove_idle_extension(text);
    if matches!(language, Language::Glsl(..430) | Language::Essl(_))
        && text.contains("sampler2DArrayShadow")
        && text.contains("textureOffset(")
    {
        return Err(format!(
            "{language} has no offsets in arrays of shadow textures; glsl430 has them"
        ));
    }
    if matches!(language, Language::Essl(_)) {
        check_embedded(&text, language, textures_1d)?;
    }
    extensions.sort_unstable();
    extensions.dedup();
    extensions.retain(|name| !text.contains(&format!("#extension {name} ")));
    let lines: String = extensions
        .iter()
        .map(|name| format!("#extension {name} : require\n"))
        .collect();
    // After the line of the version.
    let place = text.find('\n').map_or(text.len(), |end| end + 1);
    let (version, rest) = text.split_at(place);
    Ok(format!("{version}{lines}{rest}"))
}

/// The presence of one-dimensional textures or images in a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Textures1d {
    /// Absence of the capability.
    Absent,
    /// Presence of the capability.
    Present,
}

/// Removes an extension that SPIRV-Cross requires even if nothing uses it.
fn remove_idle_extension(text: String) -> String {
    if text.contains("textureQueryLevels(") {
        text
    } else {
        text.replace("#extension GL_ARB_texture_query_levels : require\n", "")
    }
}

/// Refuses atomic operations on multisample images: SPIRV-Cross omits the sample.
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

/// Refuses features that GLSL ES does not have for other reasons than an identifier.
fn check_embedded(text: &str, language: Language, textures_1d: Textures1d) -> Result<(), String> {
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
            "{language} has no depth behind early fragment tests; glsl450 has it"
        ));
    }
    Ok(())
}

fn format_refusal(language: Language, word: &Word) -> String {
    let desktop = (word.desktop != NEVER).then(|| Language::Glsl(word.desktop.max(330)));
    let es = (word.es != NEVER).then_some(Language::Essl(word.es));
    let known: Vec<String> = [desktop, es]
        .into_iter()
        .flatten()
        .map(|language| language.to_string())
        .collect();
    let what = word.what;
    match known.as_slice() {
        [] => format!("{language} has no {what}"),
        known => format!("{language} has no {what}; {} has them", known.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared() {
        let text = || "#version 330\nx = bitCount(y);\n".to_owned();
        assert_eq!(
            check(
                text(),
                Language::Glsl(330),
                Stage::Fragment,
                Textures1d::Absent
            )
            .unwrap_err(),
            "glsl330 has no bit counts; glsl400 or essl310 has them"
        );
        assert_eq!(
            check(
                text(),
                Language::Glsl(400),
                Stage::Fragment,
                Textures1d::Absent
            ),
            Ok(text())
        );
        let layer = "gl_ViewportIndex".to_owned();
        assert!(
            check(
                layer.clone(),
                Language::Essl(320),
                Stage::Fragment,
                Textures1d::Absent
            )
            .is_err()
        );
        assert!(
            check(
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
    fn extensions_stand_behind_the_version() {
        let text = "#version 330\nx = packHalf2x16(y);\n".to_owned();
        assert_eq!(
            check(
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
