//! SPIR-V to the shading languages through naga, which is the only one that writes WGSL, and needs
//! no C++.

mod builtins;
mod catch_panic;
mod flat_bindings;
#[cfg(test)]
mod glsl_versions;
mod images;
mod interpolate_at;
mod nonfinite_constants;
mod post_fixups;
mod sampled_access;
mod scalarize_arrays;
mod split_combined_samplers;
mod unsupported;
mod value_names;
mod value_operations;
mod wrap_kills;

use crate::limits::{Textures1d, add_required_extensions, check_limits};
use crate::passes::{compare, extended_mul};
use crate::spirv_edit::ModuleEditor;
use crate::{Language, Resource};
pub(crate) use catch_panic::catch_panic;
use glasm::Shader;
use naga::back::{glsl, hlsl, msl, wgsl};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Binding, BuiltIn, Module, StructMember, TypeInner, front::spv};
use rspirv::dr::load_words;
use rspirv::spirv::Op;
#[cfg(feature = "round-trip")]
pub(crate) use split_combined_samplers::SAMPLER_BINDING_OFFSET;
use std::error::Error;
use value_names::ResultNames;

/// The conversion of the positions that the module writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Positions {
    /// They reach the clip space of the language unchanged.
    Unchanged,
    /// They are Vulkan's, with depth from 0 to w and y down, and are converted.
    FromVulkan,
}

/// A module in a shading language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NagaOutput {
    /// The source.
    pub(crate) text: String,
    /// The resources with their names and numbers; empty for languages other than GLSL, in which
    /// the slots and the numbers of `flat_bindings` follow from the text.
    pub(crate) resources: Vec<Resource>,
    /// Differences from the module that the language makes necessary; one line each.
    pub(crate) differences: Vec<String>,
}

/// Writes a module in a shading language with naga, and returns the source and the differences from
/// the program. Fails if naga cannot read or write it, or panics.
pub(crate) fn translate(
    shader: &Shader,
    language: Language,
    positions: Positions,
) -> Result<NagaOutput, String> {
    catch_panic(|| translate_without_guard(shader, language, positions))
}

/// Writes a module: prepares it, reads it with naga, fixes and validates naga's module, and writes
/// the source. Fails if a step does; panics of naga are not caught.
fn translate_without_guard(
    shader: &Shader,
    language: Language,
    positions: Positions,
) -> Result<NagaOutput, String> {
    // The GLSL writer converts positions itself.
    let adjust_coordinate_space = match language {
        Language::Wgsl | Language::Msl(_) | Language::Hlsl(_) => positions == Positions::FromVulkan,
        Language::Glsl(_) | Language::Essl(_) | Language::VulkanGlsl => false,
    };
    let options = spv::Options {
        adjust_coordinate_space,
        // `unsupported` checks the capabilities.
        strict_capabilities: false,
        ..spv::Options::default()
    };
    let mut prepared = prepare_module(&shader.words, language)?;
    let mut module = spv::Frontend::new(prepared.assemble().into_iter(), &options)
        .parse()
        .map_err(|error| {
            format!(
                "naga cannot read the module: {}",
                format_error_chain(&error)
            )
        })?;
    if post_fixups::has_cube_images(&module) {
        return Err("WGSL has no images of cube maps".to_owned());
    }
    post_fixups::restore_layer_queries(&mut module);
    post_fixups::restore_input_sampling(&prepared, &mut module);
    post_fixups::remove_shift_casts(&mut module);
    ResultNames::new(&prepared).apply(&mut module);
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| {
            format!(
                "naga rejects the module: {}",
                format_error_chain(error.as_inner())
            )
        })?;
    let (text, resources) = write_module((&module, &info), &prepared, shader, language, positions)?;
    let differences = prepared.differences().iter().cloned().collect();
    Ok(NagaOutput {
        text,
        resources,
        differences,
    })
}

/// Writes naga's module in a language and returns the source and its resources. Fails if naga does,
/// or if the source needs a feature that the version of GLSL lacks.
fn write_module(
    (module, info): (&Module, &ModuleInfo),
    prepared: &ModuleEditor,
    shader: &Shader,
    language: Language,
    positions: Positions,
) -> Result<(String, Vec<Resource>), String> {
    let written = match language {
        Language::Wgsl => wgsl::write_string(module, info, wgsl::WriterFlags::empty())
            .map(|text| format!("{}{text}", format_uniformity_directive(prepared)))
            .map(without_resources)
            .map_err(|error| format_error_chain(&error)),
        Language::Msl(version) => write_msl(module, info, version).map(without_resources),
        Language::Hlsl(model) => write_hlsl(module, info, model).map(without_resources),
        Language::Glsl(version) => {
            let version = glsl::Version::Desktop(version as u16);
            write_glsl((module, info), shader, version, positions)
        }
        Language::Essl(version) => {
            let version = glsl::Version::new_gles(version as u16);
            write_glsl((module, info), shader, version, positions)
        }
        Language::VulkanGlsl => Err("naga has no GLSL for Vulkan".to_owned()),
    };
    let (text, resources) =
        written.map_err(|error| format!("naga cannot write the module: {error}"))?;
    // The prepared module has two-dimensional textures instead.
    let textures_1d = Textures1d::Absent;
    let text = add_required_extensions(text, language, shader.reflection.stage, textures_1d)?;
    Ok((text, resources))
}

/// Returns a text with an empty list of resources.
fn without_resources(text: String) -> (String, Vec<Resource>) {
    (text, Vec::new())
}

/// Loads a module and rewrites the parts that naga cannot read or the language cannot express;
/// fails for those without a replacement.
fn prepare_module(words: &[u32], language: Language) -> Result<ModuleEditor, String> {
    let broken = |error: String| format!("naga cannot read the module: {error}");
    let module = load_words(words).map_err(|error| broken(error.to_string()))?;
    catch_panic::check_block_nesting(&module).map_err(|what| format!("the program has {what}"))?;
    let mut editor = ModuleEditor::new(module);
    lower_for_language(&mut editor, language)
        .map_err(|what| format!("{} has no {what}", language.family().to_uppercase()))?;
    if matches!(language, Language::Glsl(_) | Language::Essl(_)) {
        check_limits(&editor, language)?;
        unsupported::check_gathers(&editor)?;
    }
    split_combined_samplers::split_combined_samplers(&mut editor);
    value_operations::cast_signed_operations(&mut editor).map_err(broken)?;
    value_operations::lower_logical_vectors(&mut editor);
    if matches!(language, Language::Glsl(..450) | Language::Essl(..310)) {
        value_operations::split_integer_selections(&mut editor);
    }
    editor.clear_extensions();
    value_names::name_loads_and_entry_function(&mut editor);
    value_names::name_deep_values(&mut editor);
    Ok(editor)
}

/// Replaces operations that naga or the language does not have, and records the differences from
/// the program.
///
/// # Errors
/// Returns the name of an operation that cannot be replaced.
fn lower_for_language(editor: &mut ModuleEditor, language: Language) -> Result<(), String> {
    unsupported::check_supported(editor)?;
    scalarize_arrays::split_resource_arrays(editor)?;
    builtins::decorate_integers_flat(editor);
    builtins::drop_unread_decorations(editor);
    interpolate_at::lower_interpolate_at(editor);
    builtins::replace_missing_builtins(editor, language);
    builtins::flatten_sample_masks(editor);
    builtins::declare_missing_position(editor);
    builtins::declare_first_color_source(editor);
    images::rewrite_images(editor)?;
    extended_mul::lower_extended_arithmetic(editor);
    value_operations::lower_unordered_comparisons(editor);
    compare::lower_ordered_not_equal(editor);
    wrap_kills::wrap_kills_in_selections(editor);
    nonfinite_constants::lower_nonfinite_constants(editor);
    builtins::freeze_spec_constants(editor);
    Ok(())
}

/// Returns the directive of WGSL for programs with branches and derivatives, for others an empty
/// string: implementations of WGSL refuse derivatives where not all fragments of a quad may be
/// active, and the languages of the programs leave that to them.
fn format_uniformity_directive(editor: &ModuleEditor) -> &'static str {
    const DERIVATIVES: &[Op] = &[
        Op::DPdx,
        Op::DPdy,
        Op::Fwidth,
        Op::DPdxFine,
        Op::DPdyFine,
        Op::FwidthFine,
        Op::DPdxCoarse,
        Op::DPdyCoarse,
        Op::FwidthCoarse,
        Op::ImageSampleImplicitLod,
        Op::ImageSampleDrefImplicitLod,
    ];
    if editor.has_op(&[Op::BranchConditional, Op::Switch]) && editor.has_op(DERIVATIVES) {
        "diagnostic(off, derivative_uniformity);\n\n"
    } else {
        ""
    }
}

/// Writes naga's module in Metal's language; `version` is ten times the major version plus the
/// minor one. Fails if the module or its entry point cannot be written.
fn write_msl(module: &Module, info: &ModuleInfo, version: u32) -> Result<String, String> {
    let entry = module.entry_points.first().ok_or("no entry point")?;
    let options = msl::Options {
        lang_version: ((version / 10) as u8, (version % 10) as u8),
        per_entry_point_map: [(
            entry.name.clone(),
            flat_bindings::collect_msl_resources(module),
        )]
        .into(),
        ..msl::Options::default()
    };
    let pipeline = msl::PipelineOptions {
        // naga drops sizes without it, and adds the size 1 to modules that have none with it.
        allow_and_force_point_size: writes_point_size(module),
        ..msl::PipelineOptions::default()
    };
    let (text, translation) = msl::write_string(module, info, &options, &pipeline)
        .map_err(|error| format_error_chain(&error))?;
    match translation
        .entry_point_names
        .into_iter()
        .find_map(Result::err)
    {
        Some(error) => Err(format_error_chain(&error)),
        None => Ok(text),
    }
}

/// Returns true if a structure of the module, as results of entry points are, has the size of points.
fn writes_point_size(module: &Module) -> bool {
    let size = Some(Binding::BuiltIn(BuiltIn::PointSize));
    let has_size = |members: &[StructMember]| members.iter().any(|member| member.binding == size);
    module
        .types
        .iter()
        .any(|(_, ty)| matches!(&ty.inner, TypeInner::Struct { members, .. } if has_size(members)))
}

/// Writes naga's module in HLSL for a shader model such as 51 for 5.1. Fails if the module or its
/// entry point cannot be written.
fn write_hlsl(module: &Module, info: &ModuleInfo, model: u32) -> Result<String, String> {
    let options = hlsl::Options {
        shader_model: to_shader_model(model),
        ..hlsl::Options::default()
    };
    let pipeline = hlsl::PipelineOptions::default();
    let mut text = String::new();
    let reflection = hlsl::Writer::new(&mut text, &options, &pipeline)
        .write(module, info, None)
        .map_err(|error| format_error_chain(&error))?;
    match reflection
        .entry_point_names
        .into_iter()
        .find_map(Result::err)
    {
        Some(error) => Err(format_error_chain(&error)),
        None => Ok(text),
    }
}

/// Returns naga's name of a shader model such as 51 for 5.1; 6.0 for 60 and unknown ones.
fn to_shader_model(number: u32) -> hlsl::ShaderModel {
    match number {
        50 => hlsl::ShaderModel::V5_0,
        51 => hlsl::ShaderModel::V5_1,
        61 => hlsl::ShaderModel::V6_1,
        62 => hlsl::ShaderModel::V6_2,
        63 => hlsl::ShaderModel::V6_3,
        64 => hlsl::ShaderModel::V6_4,
        65 => hlsl::ShaderModel::V6_5,
        66 => hlsl::ShaderModel::V6_6,
        67 => hlsl::ShaderModel::V6_7,
        68 => hlsl::ShaderModel::V6_8,
        _ => hlsl::ShaderModel::V6_0,
    }
}

/// Writes naga's module in GLSL or GLSL ES, with the bindings of [`flat_bindings`]; returns the text
/// and its resources. Fails if the module cannot be written.
fn write_glsl(
    (module, info): (&Module, &ModuleInfo),
    shader: &Shader,
    version: glsl::Version,
    positions: Positions,
) -> Result<(String, Vec<Resource>), String> {
    let entry = module.entry_points.first().ok_or("no entry point")?;
    let writer_flags = match positions {
        Positions::Unchanged => glsl::WriterFlags::empty(),
        Positions::FromVulkan => glsl::WriterFlags::ADJUST_COORDINATE_SPACE,
    };
    let options = glsl::Options {
        version,
        binding_map: flat_bindings::collect_glsl_bindings(module, shader),
        writer_flags,
        ..glsl::Options::default()
    };
    let pipeline = glsl::PipelineOptions {
        shader_stage: entry.stage,
        entry_point: entry.name.clone(),
        multiview: None,
    };
    let mut text = String::new();
    let reflection = glsl::Writer::new(
        &mut text,
        module,
        info,
        &options,
        &pipeline,
        naga::proc::BoundsCheckPolicies::default(),
    )
    .and_then(|mut writer| writer.write())
    .map_err(|error| format_error_chain(&error))?;
    let numbers = supports_resource_numbers(version).then_some(&options.binding_map);
    let resources = flat_bindings::collect_glsl_resources(module, &reflection, numbers);
    Ok((restore_sample_types(text), resources))
}

/// Returns a source of GLSL in which sample numbers, which are signed there, and sample masks,
/// which are arrays, are converted to and from the unsigned integers that naga has instead.
fn restore_sample_types(text: String) -> String {
    if !text.contains("gl_Sample") {
        return text;
    }
    let mut lines = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line
            .split_once("gl_SampleMask = ")
            .map(|(indent, rest)| (indent, rest.split_once(';')))
        {
            Some((indent, Some((value, end)))) => {
                lines += &format!("{indent}gl_SampleMask[0] = int({value});{end}");
            }
            _ => {
                lines += &line
                    .replace("= gl_SampleMaskIn;", "= uint(gl_SampleMaskIn[0]);")
                    .replace("= gl_SampleID;", "= uint(gl_SampleID);");
            }
        }
    }
    lines
}

/// Returns true if a version of GLSL can express the numbers of resources.
fn supports_resource_numbers(version: glsl::Version) -> bool {
    match version {
        glsl::Version::Desktop(version) => version >= 420,
        glsl::Version::Embedded { version, .. } => version >= 310,
    }
}

/// Returns the messages of an error and of all its causes, separated by colons.
fn format_error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ResourceKind;

    #[test]
    fn resources_of_glsl_have_the_names_of_the_text() {
        let text = "!!ARBfp1.0\nTEMP t;\nTEX t, fragment.texcoord[0], texture[3], 2D;\n\
            MUL result.color, t, program.local[0];\nEND";
        let source = glasm::Source::new("textured", text);
        let options = crate::compiler_options(&crate::Options::new(Language::Glsl(330)));
        let shader = glasm::compile(&source, &options).unwrap();
        for (version, numbers) in [(330, [None, None]), (450, [Some(18), Some(3)])] {
            let written =
                translate(&shader, Language::Glsl(version), Positions::Unchanged).unwrap();
            let found = written.resources.iter();
            let found: Vec<_> = found
                .map(|it| (it.kind, it.slot, it.binding_number))
                .collect();
            let slot = |set, binding| glasm::reflect::DescriptorSlot { set, binding };
            let expected = [
                (ResourceKind::UniformBuffer, slot(0, 4), numbers[0]),
                (ResourceKind::Texture, slot(1, 3), numbers[1]),
            ];
            assert_eq!(found, expected, "{version}");
            for resource in &written.resources {
                let name = &resource.name;
                assert!(
                    written.text.contains(&format!(" {name}")),
                    "{name}: {}",
                    written.text
                );
            }
        }
    }

    /// The numbers of the table "Numbers of resources" in docs/text-output.md: the stages of a
    /// pipeline share them, so that blocks of different stages differ, and both have one state block.
    #[test]
    fn uniform_blocks_of_a_pipeline_have_different_numbers() {
        let texts = [
            "!!NVvp4.0\nBUFFER4 b[] = { program.buffer[2] };\n\
                ADD result.position, vertex.position, program.local[0];\n\
                MOV result.color, b[0];\nEND",
            "!!NVfp4.0\nBUFFER4 b[] = { program.buffer[2] };\nTEMP t;\n\
                MUL t, fragment.color, program.local[0];\nADD result.color, t, b[0];\nEND",
        ];
        let programs =
            texts.map(|text| glasm::Program::load(&glasm::Source::new("test", text)).unwrap());
        let mut options = crate::Options::new(Language::Glsl(450));
        options.compiler.state_sources = glasm::StateSources::all(glasm::StateSource::UniformBlock);
        let options = crate::compiler_options(&options);
        let linked = glasm::link(&[&programs[0], &programs[1]], &options);
        let shaders = linked.into_shaders().unwrap();
        // Parameters, state, program.buffer[2].
        for (shader, expected) in shaders.iter().zip([[0, 17, 3], [18, 17, 21]]) {
            let written = translate(shader, Language::Glsl(450), Positions::Unchanged).unwrap();
            let state = shader
                .reflection
                .state_block
                .as_ref()
                .and_then(|it| it.slot);
            let parameters = shader.reflection.parameter_block.as_ref().map(|it| it.slot);
            let buffer = Some(shader.reflection.buffers[0].slot);
            let number = |slot| {
                let resource = written.resources.iter().find(|it| Some(it.slot) == slot);
                resource.unwrap().binding_number.unwrap()
            };
            assert_eq!([parameters, state, buffer].map(number), expected);
            for number in expected {
                let layout = format!("binding = {number})");
                assert!(written.text.contains(&layout), "{layout}: {}", written.text);
            }
        }
    }

    /// A vertex program that writes no size has none, which naga would add.
    #[test]
    fn metal_has_the_sizes_of_points() {
        let text = "!!ARBvp1.0\nMOV result.position, vertex.position;\n";
        let sized = "MOV result.pointsize.x, vertex.attrib[7].x;\n";
        for (program, is_expected) in [
            (format!("{text}END"), false),
            (format!("{text}{sized}END"), true),
        ] {
            let source = glasm::Source::new("points", &program);
            let options = crate::compiler_options(&crate::Options::new(Language::Msl(24)));
            let shader = glasm::compile(&source, &options).unwrap();
            let written = translate(&shader, Language::Msl(24), Positions::Unchanged).unwrap();
            assert_eq!(
                written.text.contains("[[point_size]]"),
                is_expected,
                "{}",
                written.text
            );
        }
    }

    #[test]
    fn modules_that_are_none_are_refused() {
        let source = glasm::Source::new("black", "!!ARBfp1.0\nMOV result.color, 0;\nEND");
        let mut shader = glasm::compile(&source, &glasm::Options::default()).unwrap();
        for words in [&[][..], &[0x0723_0203], &[1, 2, 3, 4, 5]] {
            shader.words = words.to_vec();
            let error = translate(&shader, Language::Wgsl, Positions::Unchanged).unwrap_err();
            assert!(
                error.starts_with("naga cannot read the module: "),
                "{error}"
            );
        }
    }
}
