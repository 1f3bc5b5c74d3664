//! SPIR-V to GLSL, GLSL ES, HLSL and MSL through SPIRV-Cross, which takes every instruction that glasm emits and writes all versions.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "opcodes of SPIR-V, of which a few matter"
)]

mod barriers;
mod bindings;
mod builtins;
mod compare;
mod contents;
mod doubles;
mod glsl_words;
mod group_size;
mod hlsl;
mod image_types;
mod limits;
mod names;
mod nan;
mod numbers;
mod parts;
mod pointers;
mod precise;
mod shadow;
mod shifts;
mod signs;
mod wide_bounds;

use crate::multiply;
use crate::resources::Resource;
use crate::rewriter::Rewriter;
use crate::through_naga::Positions;
use crate::{Language, Nan, Options};
use glasm::{Shader, Target};
use glsl_words::Textures1d;
use numbers::Numbering;
use rspirv::binary::Assemble;
use rspirv::dr::{self, Operand, load_words};
use rspirv::spirv::{ExecutionMode, LoopControl, Op};
use spirv_cross2::compile::glsl::GlslVersion;
use spirv_cross2::compile::hlsl::HlslShaderModel;
use spirv_cross2::compile::msl::MslVersion;
use spirv_cross2::compile::{CommonOptions, CompilableTarget};
use spirv_cross2::targets::{Glsl, Hlsl, Msl};
use spirv_cross2::{Compiler, Module, SpirvCrossError};

/// Writes a module; tells where the resources are in the text.
pub(crate) fn translate(
    shader: &Shader,
    options: &Options,
    positions: Positions,
) -> Result<(String, Vec<Resource>), String> {
    let language = options.language;
    let numbering = match language {
        Language::Wgsl | Language::VulkanGlsl => Numbering::Kept,
        Language::Glsl(_) if options.compiler.target == Target::OpenGl4_5 => Numbering::Kept,
        Language::Glsl(_) | Language::Essl(_) => Numbering::Shared,
        Language::Hlsl(_) => Numbering::Registers,
        Language::Msl(_) => Numbering::Metal,
    };
    let mut module = load_words(&shader.words).map_err(|error| error.to_string())?;
    prepare(&mut module, options)?;
    let shadows = shadow::one_dimensional_shadows(&module);
    let mut resources = bindings::number_resources(&mut module, &shader.reflection, numbering);
    if !has_numbers(language) {
        resources.iter_mut().for_each(|it| it.number = None);
    }
    let strides = bindings::feedback_strides(&module);
    let words = module.assemble();
    let module = Module::from_words(&words);
    let written = match language {
        Language::Wgsl => return Err("SPIRV-Cross writes no WGSL".to_owned()),
        Language::Glsl(_) | Language::Essl(_) | Language::VulkanGlsl => {
            let needs = Needs::of(shader, options.compiler.target);
            write_glsl(module, language, positions, needs, &strides)
                .map(|text| pointers::dereference(shadow::widen_coordinates(&text, &shadows)))
        }
        Language::Hlsl(model) => write_hlsl(module, model, positions)
            .map(|text| hlsl::declare_input(doubles::write_bodies(text))),
        Language::Msl(version) => write_msl(module, version, positions),
    };
    let text = written.map_err(|error| refusal(language, &error))?;
    let capabilities = &shader.reflection.requirements.capabilities;
    let textures_1d = match ["Sampled1D", "Image1D"]
        .iter()
        .any(|it| capabilities.contains(it))
    {
        true => Textures1d::Present,
        false => Textures1d::Absent,
    };
    let text = glsl_words::check(text, language, shader.reflection.stage, textures_1d)?;
    let text = match language {
        Language::Glsl(version) if options.nan == Nan::Exact => {
            precise::make_precise(&text, version)
        }
        _ => text,
    };
    Ok((text, resources))
}

/// Removes what the loops of a module say about unrolling. HLSL would have `[loop]` of it, for which compilers refuse loops with derivatives in
/// them; the hint is for a driver that reads SPIR-V.
fn leave_unrolling_open(module: &mut dr::Module) {
    let merges = module
        .all_inst_iter_mut()
        .filter(|it| it.class.opcode == Op::LoopMerge);
    for merge in merges {
        if let Some(control) = merge.operands.get_mut(2) {
            *control = Operand::LoopControl(LoopControl::NONE);
        }
    }
}

/// Puts what SPIRV-Cross would write otherwise into words of SPIR-V that it takes as they are meant.
fn prepare(module: &mut dr::Module, options: &Options) -> Result<(), String> {
    let language = options.language;
    names::make_plain(module);
    prepare_functions(module, language)?;
    parts::name_parts(module);
    if matches!(language, Language::Hlsl(_)) {
        hlsl::exchange_stores(module)?;
        hlsl::unname_written_results(module);
    }
    signs::fit_signs(module);
    barriers::keep_reads(module);
    leave_unrolling_open(module);
    let is_glsl = matches!(
        language,
        Language::Glsl(_) | Language::Essl(_) | Language::VulkanGlsl
    );
    if is_glsl {
        shadow::sample_base_level(module);
        shifts::shift_by_words(module);
        wide_bounds::select(module);
        builtins::read_as_int(module);
    }
    limits::check(module, language)?;
    if is_glsl && !barriers::are_outside_flow(module) {
        return Err(format!(
            "{language} has no barriers in flow control; SPIR-V has them"
        ));
    }
    if matches!(language, Language::Glsl(version) if version < 400) {
        leave_out_one_run(module);
    }
    compare::order_inequalities(module);
    group_size::read_group_size(module);
    let has_exact = matches!(language, Language::Hlsl(_) | Language::Msl(_));
    if options.nan == Nan::Open && !has_exact {
        nan::leave_open(module);
    }
    Ok(())
}

/// Removes that a geometry program runs once for a primitive, for which GLSL has no word before 4.00.
fn leave_out_one_run(module: &mut dr::Module) {
    let one_run = [
        Operand::ExecutionMode(ExecutionMode::Invocations),
        Operand::LiteralBit32(1),
    ];
    module
        .execution_modes
        .retain(|mode| mode.operands.get(1..) != Some(&one_run[..]));
}

/// Rewrites what GLSL and HLSL have other functions for than those that SPIRV-Cross writes.
fn prepare_functions(module: &mut dr::Module, language: Language) -> Result<(), String> {
    use doubles::Conversion;
    let (splits, conversion) = match language {
        Language::Glsl(version) => (version < 400, Some(Conversion::Extended)),
        Language::Essl(version) => (version < 310, None),
        Language::VulkanGlsl => (false, Some(Conversion::Extended)),
        Language::Hlsl(_) => (true, Some(Conversion::Functions)),
        Language::Msl(_) | Language::Wgsl => (false, None),
    };
    if splits {
        let mut rewriter = Rewriter::new(std::mem::take(module));
        let split = multiply::split_pairs(&mut rewriter);
        (*module, _) = rewriter.finish();
        split?;
    }
    match conversion {
        Some(conversion) => doubles::convert_by_words(module, conversion),
        None => Ok(()),
    }
}

/// What SPIRV-Cross says against a module.
fn refusal(language: Language, error: &SpirvCrossError) -> String {
    match error {
        SpirvCrossError::UnsupportedSpirv(reason) => format!("{language}: {reason}"),
        other => format!("SPIRV-Cross fails on the module: {other}"),
    }
}

/// Whether a language has a place for the numbers of resources.
fn has_numbers(language: Language) -> bool {
    match language {
        Language::Glsl(version) => version >= 420,
        Language::Essl(version) => version >= 310,
        Language::Wgsl | Language::VulkanGlsl | Language::Hlsl(_) | Language::Msl(_) => true,
    }
}

fn set_common(options: &mut CommonOptions, positions: Positions) {
    options.flip_vertex_y = positions == Positions::FromVulkan;
}

fn write_glsl(
    module: Module<'_>,
    language: Language,
    positions: Positions,
    needs: Needs,
    strides: &[(u32, u32)],
) -> Result<String, SpirvCrossError> {
    let mut options = Glsl::options();
    if language != Language::VulkanGlsl {
        set_common(&mut options.common, positions);
        // Here the option makes of 0..w what is -w..w.
        options.common.fixup_clipspace = positions == Positions::FromVulkan;
    }
    options.vulkan_semantics = language == Language::VulkanGlsl;
    options.version = glsl_version(language);
    options.enable_420pack_extension = false;
    // The module does not add the base instance.
    options.support_nonzero_base_instance = false;
    options.es_default_float_precision_highp = true;
    let mut compiler = Compiler::<Glsl>::new(module)?;
    if needs.layers_of_vertices && !matches!(language, Language::Essl(_)) {
        compiler.require_extension("GL_ARB_shader_viewport_layer_array")?;
    }
    if needs.origin_upper_left && language != Language::VulkanGlsl {
        // SPIRV-Cross leaves the mode of the module out.
        compiler.add_header_line("layout(origin_upper_left) in vec4 gl_FragCoord;")?;
    }
    for (buffer, stride) in strides {
        // Captured variables say it, too; compilers read it here.
        let line = format!("layout(xfb_buffer = {buffer}, xfb_stride = {stride}) out;");
        compiler.add_header_line(line)?;
    }
    if needs.float_controls && language == Language::VulkanGlsl {
        compiler.require_extension("GL_EXT_spirv_intrinsics")?;
        compiler.add_header_line(PRESERVE_INFINITIES)?;
    }
    Ok(compiler.compile(&options)?.to_string())
}

/// The execution mode SignedZeroInfNanPreserve for 32 bits, for which GLSL has no word.
const PRESERVE_INFINITIES: &str = "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [4466], 4461, 32);";

/// What SPIRV-Cross does not say of itself.
#[derive(Clone, Copy, Debug)]
struct Needs {
    /// Vertex programs choose layers or viewports.
    layers_of_vertices: bool,
    /// Infinities and NaN keep their meaning.
    float_controls: bool,
    /// Window coordinates start at the upper left corner in a module for OpenGL.
    origin_upper_left: bool,
}

impl Needs {
    fn of(shader: &Shader, target: Target) -> Self {
        let capabilities = &shader.reflection.requirements.capabilities;
        let has = |name: &str| capabilities.contains(&name);
        Self {
            layers_of_vertices: shader.reflection.stage == glasm::ir::Stage::Vertex
                && [
                    "ShaderLayer",
                    "ShaderViewportIndex",
                    "ShaderViewportIndexLayerEXT",
                ]
                .into_iter()
                .any(has),
            float_controls: has("SignedZeroInfNanPreserve"),
            origin_upper_left: target == Target::OpenGl4_5 && starts_above(shader),
        }
    }
}

/// Whether a fragment program reads its place in the window from a module whose origin is the upper left corner.
fn starts_above(shader: &Shader) -> bool {
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

fn glsl_version(language: Language) -> GlslVersion {
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

fn write_hlsl(
    module: Module<'_>,
    model: u32,
    positions: Positions,
) -> Result<String, SpirvCrossError> {
    let mut options = Hlsl::options();
    set_common(&mut options.common, positions);
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

fn write_msl(
    module: Module<'_>,
    version: u32,
    positions: Positions,
) -> Result<String, SpirvCrossError> {
    let mut options = Msl::options();
    set_common(&mut options.common, positions);
    options.version = MslVersion::new(version / 10, version % 10, 0);
    options.enable_decoration_binding = true;
    let compiler = Compiler::<Msl>::new(module)?;
    Ok(compiler.compile(&options)?.to_string())
}
