//! SPIR-V to the shading languages through naga, which is the only one that writes WGSL, and needs no C++.

mod logic;
mod separate;
mod signs;
mod slots;

use crate::Language;
use naga::back::{glsl, hlsl, msl, wgsl};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, front::spv};
use rspirv::binary::Assemble;
use rspirv::dr::load_words;
use std::any::Any;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What becomes of the positions that the module writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Positions {
    /// They reach the language's clip space as they are.
    Unchanged,
    /// They are Vulkan's, with depth from 0 to w and y down, and are converted.
    FromVulkan,
}

/// Writes a module.
pub(crate) fn translate(
    words: &[u32],
    language: Language,
    positions: Positions,
) -> Result<String, String> {
    // naga panics on some modules that it was not made for.
    catch_unwind(AssertUnwindSafe(|| {
        translate_unguarded(words, language, positions)
    }))
    .unwrap_or_else(|panic| {
        Err(format!(
            "naga failed on the module: {}",
            message_of(panic.as_ref())
        ))
    })
}

/// What a panic says.
fn message_of(panic: &dyn Any) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("panic")
}

fn translate_unguarded(
    words: &[u32],
    language: Language,
    positions: Positions,
) -> Result<String, String> {
    // The GLSL writer converts positions itself.
    let adjust_coordinate_space = match language {
        Language::Wgsl | Language::Msl(_) | Language::Hlsl(_) => positions == Positions::FromVulkan,
        Language::Glsl(_) | Language::Essl(_) | Language::VulkanGlsl => false,
    };
    let options = spv::Options {
        adjust_coordinate_space,
        ..spv::Options::default()
    };
    let words = prepare(words).map_err(|error| format!("naga cannot read the module: {error}"))?;
    let module = spv::Frontend::new(words.into_iter(), &options)
        .parse()
        .map_err(|error| format!("naga cannot read the module: {}", chain(&error)))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| format!("naga rejects the module: {}", chain(error.as_inner())))?;
    let written = match language {
        Language::Wgsl => wgsl::write_string(&module, &info, wgsl::WriterFlags::empty())
            .map_err(|error| chain(&error)),
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
    written.map_err(|error| format!("naga cannot write the module: {error}"))
}

/// The module as naga can read it.
fn prepare(words: &[u32]) -> Result<Vec<u32>, String> {
    let mut module = load_words(words).map_err(|error| error.to_string())?;
    separate::separate_samplers(&mut module);
    signs::sign_integers(&mut module)?;
    logic::select_vectors(&mut module);
    Ok(module.assemble())
}

fn write_msl(module: &Module, info: &ModuleInfo, version: u32) -> Result<String, String> {
    let entry = module.entry_points.first().ok_or("no entry point")?;
    let options = msl::Options {
        lang_version: ((version / 10) as u8, (version % 10) as u8),
        per_entry_point_map: [(entry.name.clone(), slots::msl_resources(module))].into(),
        ..msl::Options::default()
    };
    let (text, translation) =
        msl::write_string(module, info, &options, &msl::PipelineOptions::default())
            .map_err(|error| chain(&error))?;
    match translation
        .entry_point_names
        .into_iter()
        .find_map(Result::err)
    {
        Some(error) => Err(chain(&error)),
        None => Ok(text),
    }
}

fn write_hlsl(module: &Module, info: &ModuleInfo, model: u32) -> Result<String, String> {
    let options = hlsl::Options {
        shader_model: shader_model(model),
        ..hlsl::Options::default()
    };
    let pipeline = hlsl::PipelineOptions::default();
    let mut text = String::new();
    let reflection = hlsl::Writer::new(&mut text, &options, &pipeline)
        .write(module, info, None)
        .map_err(|error| chain(&error))?;
    match reflection
        .entry_point_names
        .into_iter()
        .find_map(Result::err)
    {
        Some(error) => Err(chain(&error)),
        None => Ok(text),
    }
}

fn shader_model(number: u32) -> hlsl::ShaderModel {
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
        binding_map: slots::glsl_bindings(module),
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
    .map_err(|error| chain(&error))?;
    Ok(text)
}

/// An error with all its causes, on one line.
fn chain(error: &dyn Error) -> String {
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
