//! The control stage of evaluation programs that have no control program.

use super::passthrough::pass_patch;
use crate::compiler::{Compiler, Shader};
use glasm_codegen::Reflection;
use glasm_codegen::options::{InterfaceTypes, Options, PatchLevels, Place, Varyings};
use glasm_frontend::Diagnostics;
use glasm_ir::{Semantic, TypeBase};

/// Returns the control stage between a vertex and an evaluation program that were linked without
/// one: patches of `vertices` vertices pass through it with all varyings from the vertex program to
/// the other, and have these levels. Of the options, target and device apply.
///
/// # Errors
/// If the device lacks a required feature.
pub fn control_stage(
    vertex: &Reflection,
    evaluation: &Reflection,
    vertices: u32,
    levels: PatchLevels,
    options: &Options,
) -> Result<Shader, Diagnostics> {
    let is_read = |semantic: Semantic| {
        let mut inputs = evaluation.inputs.iter();
        inputs.any(|input| input.semantic == semantic)
    };
    let passed = vertex.outputs.iter().filter(|output| {
        let is_built_in = matches!(
            output.semantic,
            Semantic::PointSize | Semantic::ClipDistance(_) | Semantic::CullDistance(_)
        );
        output.location.is_some() || is_built_in && is_read(output.semantic)
    });
    let semantics: Vec<Semantic> = passed.clone().map(|output| output.semantic).collect();
    let places: Vec<Place> = passed
        .filter_map(|output| {
            let location = output.location?;
            Some(Place::vector(output.semantic, location, TypeBase::Float))
        })
        .collect();
    let options = Options {
        interface: InterfaceTypes {
            inputs: Varyings::Placed(places.clone()),
            outputs: Varyings::Placed(places),
            ..InterfaceTypes::default()
        },
        target: options.target,
        device: options.device,
        ..Options::default()
    };
    Compiler::new().compile_ir(&pass_patch(&semantics, vertices, levels), &options)
}
