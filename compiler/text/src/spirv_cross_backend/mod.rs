//! SPIR-V to GLSL, GLSL ES, HLSL and MSL through SPIRV-Cross, which supports every instruction that
//! glasm emits, and all versions.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "opcodes of SPIR-V, of which a few matter"
)]

mod barriers;
mod doubles;
mod glsl_text_fixups;
mod hlsl;
mod integers;
mod pointers;
mod precise_qualifiers;
mod prepare;
mod resource_bindings;
mod sanitize_names;
mod signs;

use crate::limits::{Textures1d, add_required_extensions};
use crate::naga_backend::Positions;
use crate::resource_numbers::Numbering;
use crate::spirv_edit::ModuleEditor;
use crate::{Language, NanMode, Options, Resource};
use glasm::{Shader, Target};
use rspirv::dr::load_words;
use rspirv::spirv::{ExecutionMode, Op};
use spirv_cross2::compile::glsl::GlslVersion;
use spirv_cross2::compile::hlsl::HlslShaderModel;
use spirv_cross2::compile::msl::MslVersion;
use spirv_cross2::compile::{CommonOptions, CompilableTarget};
use spirv_cross2::targets::{Glsl, Hlsl, Msl};
use spirv_cross2::{Compiler, Module, SpirvCrossError};

/// Writes a shader in a language with SPIRV-Cross; returns the source and its resources with their
/// numbers, `None` in versions that cannot express them. Fails if the language cannot express the
/// program, or SPIRV-Cross fails.
pub(crate) fn translate(
    shader: &Shader,
    options: &Options,
    positions: Positions,
) -> Result<(String, Vec<Resource>), String> {
    let language = options.language;
    let numbering = match language {
        Language::Wgsl | Language::VulkanGlsl => Numbering::AsInModule,
        Language::Glsl(_) if options.compiler.target == Target::OpenGl4_5 => Numbering::AsInModule,
        Language::Glsl(_) | Language::Essl(_) => Numbering::SharedByStages,
        Language::Hlsl(_) => Numbering::HlslRegisters,
        Language::Msl(_) => Numbering::MslIndices,
    };
    let module = load_words(&shader.words).map_err(|error| error.to_string())?;
    let mut editor = ModuleEditor::new(module);
    prepare::prepare_module(&mut editor, options)?;
    let shadows = glsl_text_fixups::collect_1d_shadow_textures(&editor);
    let mut resources =
        resource_bindings::assign_resource_numbers(&mut editor, &shader.reflection, numbering);
    if !supports_resource_numbers(language) {
        resources.iter_mut().for_each(|it| it.binding_number = None);
    }
    let strides = resource_bindings::collect_xfb_strides(&editor);
    let words = editor.assemble();
    let module = Module::from_words(&words);
    let written = match language {
        Language::Wgsl => return Err("SPIRV-Cross writes no WGSL".to_owned()),
        Language::Glsl(_) | Language::Essl(_) | Language::VulkanGlsl => {
            let declarations = ExtraDeclarations::from_shader(shader, options.compiler.target);
            write_glsl(module, language, positions, declarations, &strides).map(|text| {
                pointers::dereference_atomic_pointers(
                    glsl_text_fixups::widen_1d_shadow_coordinates(&text, &shadows),
                )
            })
        }
        Language::Hlsl(model) => write_hlsl(module, model, positions)
            .map(|text| hlsl::declare_missing_input(doubles::replace_helper_bodies(text))),
        Language::Msl(version) => write_msl(module, version, positions),
    };
    let text = written.map_err(|error| format_error(language, &error))?;
    let capabilities = &shader.reflection.requirements.capabilities;
    let textures_1d = if ["Sampled1D", "Image1D"]
        .iter()
        .any(|it| capabilities.contains(it))
    {
        Textures1d::Present
    } else {
        Textures1d::Absent
    };
    let text = add_required_extensions(text, language, shader.reflection.stage, textures_1d)?;
    let text = match language {
        Language::Glsl(version) if options.nan_mode == NanMode::Exact => {
            precise_qualifiers::qualify_precise(&text, version)
        }
        _ => text,
    };
    Ok((text, resources))
}

/// Returns the message for an error of SPIRV-Cross; for unsupported contents it names the language.
fn format_error(language: Language, error: &SpirvCrossError) -> String {
    match error {
        SpirvCrossError::UnsupportedSpirv(reason) => format!("{language}: {reason}"),
        other => format!("SPIRV-Cross fails on the module: {other}"),
    }
}

/// Returns true if a version of a language can express the numbers of resources.
fn supports_resource_numbers(language: Language) -> bool {
    match language {
        Language::Glsl(version) => version >= 420,
        Language::Essl(version) => version >= 310,
        Language::Wgsl | Language::VulkanGlsl | Language::Hlsl(_) | Language::Msl(_) => true,
    }
}

/// Sets the options of all writers: for positions of Vulkan, y is flipped.
fn set_common_options(options: &mut CommonOptions, positions: Positions) {
    options.flip_vertex_y = positions == Positions::FromVulkan;
}

/// Writes a module in GLSL, GLSL ES or Vulkan's GLSL, with the declarations that SPIRV-Cross omits.
/// `strides` lists transform feedback buffers with their strides in bytes.
fn write_glsl(
    module: Module<'_>,
    language: Language,
    positions: Positions,
    declarations: ExtraDeclarations,
    strides: &[(u32, u32)],
) -> Result<String, SpirvCrossError> {
    let mut options = Glsl::options();
    if language != Language::VulkanGlsl {
        set_common_options(&mut options.common, positions);
        // Here the option converts from 0..w to -w..w.
        options.common.fixup_clipspace = positions == Positions::FromVulkan;
    }
    options.vulkan_semantics = language == Language::VulkanGlsl;
    options.version = to_glsl_version(language);
    options.enable_420pack_extension = false;
    // The module does not add the base instance.
    options.support_nonzero_base_instance = false;
    options.es_default_float_precision_highp = true;
    let mut compiler = Compiler::<Glsl>::new(module)?;
    if declarations.vertex_layer_output && !matches!(language, Language::Essl(_)) {
        compiler.require_extension("GL_ARB_shader_viewport_layer_array")?;
    }
    if declarations.origin_upper_left && language != Language::VulkanGlsl {
        // SPIRV-Cross leaves the mode of the module out.
        compiler.add_header_line("layout(origin_upper_left) in vec4 gl_FragCoord;")?;
    }
    for (buffer, stride) in strides {
        // Captured variables declare it, too; compilers read it here.
        let line = format!("layout(xfb_buffer = {buffer}, xfb_stride = {stride}) out;");
        compiler.add_header_line(line)?;
    }
    if declarations.float_controls && language == Language::VulkanGlsl {
        compiler.require_extension("GL_EXT_spirv_intrinsics")?;
        compiler.add_header_line(PRESERVE_INFINITIES)?;
    }
    Ok(compiler.compile(&options)?.to_string())
}

/// The execution mode SignedZeroInfNanPreserve for 32 bits, which GLSL cannot declare.
const PRESERVE_INFINITIES: &str = "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [4466], 4461, 32);";

/// Declarations that SPIRV-Cross does not write itself.
#[derive(Clone, Copy, Debug)]
struct ExtraDeclarations {
    /// Vertex programs choose layers or viewports.
    vertex_layer_output: bool,
    /// Infinities and NaN are preserved.
    float_controls: bool,
    /// Window coordinates start at the upper left corner in a module for OpenGL.
    origin_upper_left: bool,
}

impl ExtraDeclarations {
    /// Returns the declarations that a shader needs, according to its capabilities, inputs and
    /// target.
    fn from_shader(shader: &Shader, target: Target) -> Self {
        let capabilities = &shader.reflection.requirements.capabilities;
        let has = |name: &str| capabilities.contains(&name);
        Self {
            vertex_layer_output: shader.reflection.stage == glasm::ir::Stage::Vertex
                && [
                    "ShaderLayer",
                    "ShaderViewportIndex",
                    "ShaderViewportIndexLayerEXT",
                ]
                .into_iter()
                .any(has),
            float_controls: has("SignedZeroInfNanPreserve"),
            origin_upper_left: target == Target::OpenGl4_5 && reads_upper_left_coordinates(shader),
        }
    }
}

/// Returns true if a fragment program reads window coordinates in a module whose origin is the
/// upper left corner.
fn reads_upper_left_coordinates(shader: &Shader) -> bool {
    let mut inputs = shader.reflection.inputs.iter();
    let is_fragment = shader.reflection.stage == glasm::ir::Stage::Fragment;
    let reads = inputs.any(|input| input.semantic == glasm::Semantic::Position);
    let mode = ExecutionMode::OriginUpperLeft as u32;
    // `OpExecutionMode` is three words: its number and length, the entry point, the mode.
    let head = 3 << 16 | Op::ExecutionMode as u32;
    let has_mode = shader
        .words
        .windows(3)
        .any(|words| words[0] == head && words[2] == mode);
    is_fragment && reads && has_mode
}

/// Returns SPIRV-Cross's name of a version of GLSL or GLSL ES. Defaults: 4.50 for GLSL, 3.10 for
/// GLSL ES.
fn to_glsl_version(language: Language) -> GlslVersion {
    match language {
        Language::Glsl(330) => GlslVersion::Glsl330,
        Language::Glsl(400) => GlslVersion::Glsl400,
        Language::Glsl(410) => GlslVersion::Glsl410,
        Language::Glsl(420) => GlslVersion::Glsl420,
        Language::Glsl(430) => GlslVersion::Glsl430,
        Language::Glsl(440) => GlslVersion::Glsl440,
        Language::Glsl(460) | Language::VulkanGlsl => GlslVersion::Glsl460,
        Language::Essl(300) => GlslVersion::Glsl300Es,
        Language::Essl(320) => GlslVersion::Glsl320Es,
        Language::Essl(_) => GlslVersion::Glsl310Es,
        Language::Wgsl | Language::Glsl(_) | Language::Hlsl(_) | Language::Msl(_) => {
            GlslVersion::Glsl450
        }
    }
}

/// Writes a module in HLSL for a shader model such as 51 for 5.1; unknown models are written as
/// 6.0.
fn write_hlsl(
    module: Module<'_>,
    model: u32,
    positions: Positions,
) -> Result<String, SpirvCrossError> {
    let mut options = Hlsl::options();
    set_common_options(&mut options.common, positions);
    options.shader_model = match model {
        50 => HlslShaderModel::ShaderModel5_0,
        51 => HlslShaderModel::ShaderModel5_1,
        61 => HlslShaderModel::ShaderModel6_1,
        62 => HlslShaderModel::ShaderModel6_2,
        63 => HlslShaderModel::ShaderModel6_3,
        64 => HlslShaderModel::ShaderModel6_4,
        65 => HlslShaderModel::ShaderModel6_5,
        66 => HlslShaderModel::ShaderModel6_6,
        67 => HlslShaderModel::ShaderModel6_7,
        68 => HlslShaderModel::ShaderModel6_8,
        _ => HlslShaderModel::ShaderModel6_0,
    };
    // Direct3D has no sizes and coordinates of points.
    options.point_size_compat = true;
    options.point_coord_compat = true;
    options.force_storage_buffer_as_uav = true;
    options.support_nonzero_base_vertex_base_instance = true;
    let mut compiler = Compiler::<Hlsl>::new(module)?;
    compiler.remap_num_workgroups_builtin();
    Ok(compiler.compile(&options)?.to_string())
}

/// Writes a module in Metal's language; `version` is ten times the major version plus the minor
/// one. Fails if SPIRV-Cross does.
fn write_msl(
    module: Module<'_>,
    version: u32,
    positions: Positions,
) -> Result<String, SpirvCrossError> {
    let mut options = Msl::options();
    set_common_options(&mut options.common, positions);
    options.version = MslVersion::new(version / 10, version % 10, 0);
    options.enable_decoration_binding = true;
    let compiler = Compiler::<Msl>::new(module)?;
    Ok(compiler.compile(&options)?.to_string())
}
