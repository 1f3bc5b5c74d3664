//! SPIR-V to the shading languages through naga, which is the only one that writes WGSL, and needs
//! no C++.

mod arrays;
mod constants;
mod discards;
mod guard;
mod images;
mod interface;
mod interpolation;
mod names;
mod operations;
mod refusal;
mod repair;
mod samples;
mod separate;
mod slots;

use crate::Language;
use crate::passes::{compare, multiply};
use crate::spirv_edit::ModuleEditor;
pub(crate) use guard::catch_panic;
use naga::back::{glsl, hlsl, msl, wgsl};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, front::spv};
use names::Names;
use rspirv::dr::load_words;
use rspirv::spirv::Op;
#[cfg(feature = "round-trip")]
pub(crate) use separate::SAMPLER_BINDING_OFFSET;
use std::error::Error;

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
pub(crate) struct Written {
    /// The source.
    pub(crate) text: String,
    /// Differences from the module that the language makes necessary; one line each.
    pub(crate) differences: Vec<String>,
}

/// Writes a module.
pub(crate) fn translate(
    words: &[u32],
    language: Language,
    positions: Positions,
) -> Result<Written, String> {
    catch_panic(|| translate_unguarded(words, language, positions))
}

fn translate_unguarded(
    words: &[u32],
    language: Language,
    positions: Positions,
) -> Result<Written, String> {
    // The GLSL writer converts positions itself.
    let adjust_coordinate_space = match language {
        Language::Wgsl | Language::Msl(_) | Language::Hlsl(_) => positions == Positions::FromVulkan,
        Language::Glsl(_) | Language::Essl(_) | Language::VulkanGlsl => false,
    };
    let options = spv::Options {
        adjust_coordinate_space,
        // `refusal` checks the capabilities.
        strict_capabilities: false,
        ..spv::Options::default()
    };
    let mut prepared = prepare(words, language)?;
    let mut module = spv::Frontend::new(prepared.assemble().into_iter(), &options)
        .parse()
        .map_err(|error| format!("naga cannot read the module: {}", format_chain(&error)))?;
    if repair::has_cube_images(&module) {
        return Err("WGSL has no images of cube maps".to_owned());
    }
    repair::restore_layer_queries(&mut module);
    repair::restore_sampling(&prepared, &mut module);
    repair::simplify_shifts(&mut module);
    Names::new(&prepared).apply(&mut module);
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| {
            format!(
                "naga rejects the module: {}",
                format_chain(error.as_inner())
            )
        })?;
    let written = match language {
        Language::Wgsl => wgsl::write_string(&module, &info, wgsl::WriterFlags::empty())
            .map(|text| format!("{}{text}", format_uniformity_directive(&prepared)))
            .map_err(|error| format_chain(&error)),
        Language::Msl(version) => write_msl(&module, &info, version),
        Language::Hlsl(model) => write_hlsl(&module, &info, model),
        Language::Glsl(version) => {
            let version = glsl::Version::Desktop(version as u16);
            write_glsl(&module, &info, version, positions)
        }
        Language::Essl(version) => {
            let version = glsl::Version::new_gles(version as u16);
            write_glsl(&module, &info, version, positions)
        }
        Language::VulkanGlsl => Err("naga has no GLSL for Vulkan".to_owned()),
    };
    let text = written.map_err(|error| format!("naga cannot write the module: {error}"))?;
    let differences = prepared.differences().iter().cloned().collect();
    Ok(Written { text, differences })
}

/// Edits a module such that naga can read it.
fn prepare(words: &[u32], language: Language) -> Result<ModuleEditor, String> {
    let broken = |error: String| format!("naga cannot read the module: {error}");
    let module = load_words(words).map_err(|error| broken(error.to_string()))?;
    guard::check_nesting(&module).map_err(|what| format!("the program has {what}"))?;
    let mut editor = ModuleEditor::new(module);
    rewrite(&mut editor, language)
        .map_err(|what| format!("{} has no {what}", language.family().to_uppercase()))?;
    separate::separate_samplers(&mut editor);
    operations::sign_integers(&mut editor).map_err(broken)?;
    operations::select_vectors(&mut editor);
    editor.clear_extensions();
    names::name_loads(&mut editor);
    names::name_deep_values(&mut editor);
    Ok(editor)
}

/// Replaces operations that naga or the language does not have.
///
/// # Errors
/// Returns the name of an operation that cannot be replaced.
fn rewrite(editor: &mut ModuleEditor, language: Language) -> Result<(), String> {
    refusal::refuse(editor)?;
    arrays::split_arrays(editor)?;
    interface::mark_integers(editor);
    interface::drop_decorations(editor);
    interpolation::replace_functions(editor);
    interface::drop_builtins(editor, language);
    interface::flatten_sample_masks(editor);
    interface::add_position(editor);
    interface::add_first_source(editor);
    images::rewrite_images(editor)?;
    multiply::split_pairs(editor);
    operations::negate_unordered(editor);
    compare::order_equalities(editor);
    discards::guard_discards(editor);
    constants::hide_constants(editor);
    interface::freeze_specialization(editor);
    Ok(())
}

/// Returns the directive of programs with branches and derivatives: implementations of WGSL refuse
/// derivatives where not all fragments of a quad may be active, and the languages of the programs
/// leave that to them.
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

fn write_msl(module: &Module, info: &ModuleInfo, version: u32) -> Result<String, String> {
    let entry = module.entry_points.first().ok_or("no entry point")?;
    let options = msl::Options {
        lang_version: ((version / 10) as u8, (version % 10) as u8),
        per_entry_point_map: [(entry.name.clone(), slots::collect_msl_resources(module))].into(),
        ..msl::Options::default()
    };
    let (text, translation) =
        msl::write_string(module, info, &options, &msl::PipelineOptions::default())
            .map_err(|error| format_chain(&error))?;
    match translation
        .entry_point_names
        .into_iter()
        .find_map(Result::err)
    {
        Some(error) => Err(format_chain(&error)),
        None => Ok(text),
    }
}

fn write_hlsl(module: &Module, info: &ModuleInfo, model: u32) -> Result<String, String> {
    let options = hlsl::Options {
        shader_model: to_shader_model(model),
        ..hlsl::Options::default()
    };
    let pipeline = hlsl::PipelineOptions::default();
    let mut text = String::new();
    let reflection = hlsl::Writer::new(&mut text, &options, &pipeline)
        .write(module, info, None)
        .map_err(|error| format_chain(&error))?;
    match reflection
        .entry_point_names
        .into_iter()
        .find_map(Result::err)
    {
        Some(error) => Err(format_chain(&error)),
        None => Ok(text),
    }
}

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

fn write_glsl(
    module: &Module,
    info: &ModuleInfo,
    version: glsl::Version,
    positions: Positions,
) -> Result<String, String> {
    let entry = module.entry_points.first().ok_or("no entry point")?;
    let writer_flags = match positions {
        Positions::Unchanged => glsl::WriterFlags::empty(),
        Positions::FromVulkan => glsl::WriterFlags::ADJUST_COORDINATE_SPACE,
    };
    let options = glsl::Options {
        version,
        binding_map: slots::collect_glsl_bindings(module),
        writer_flags,
        ..glsl::Options::default()
    };
    let pipeline = glsl::PipelineOptions {
        shader_stage: entry.stage,
        entry_point: entry.name.clone(),
        multiview: None,
    };
    let mut text = String::new();
    glsl::Writer::new(
        &mut text,
        module,
        info,
        &options,
        &pipeline,
        naga::proc::BoundsCheckPolicies::default(),
    )
    .and_then(|mut writer| writer.write())
    .map_err(|error| format_chain(&error))?;
    Ok(text)
}

/// Returns an error with all its causes, on one line.
fn format_chain(error: &dyn Error) -> String {
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

    #[test]
    fn modules_that_are_none_are_refused() {
        for words in [&[][..], &[0x0723_0203], &[1, 2, 3, 4, 5]] {
            let error = translate(words, Language::Wgsl, Positions::Unchanged).unwrap_err();
            assert!(
                error.starts_with("naga cannot read the module: "),
                "{error}"
            );
        }
    }
}
