//! WGSL back to SPIR-V, to run the source instead of the module from which it was written.

use crate::naga_backend::{SAMPLER_BINDING_OFFSET, catch_panic};
use naga::back::spv;
use naga::front::wgsl;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Module, TypeInner};
use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Operand, load_words};
use rspirv::spirv::{Capability, ExecutionMode, Op};

/// Compiles a WGSL source to a module. Sets, bindings and locations are those of the module that
/// the source was written from: textures and samplers, which are separate in WGSL, share a binding
/// and take a combined descriptor.
///
/// # Errors
/// If naga refuses the source.
pub fn wgsl_to_spirv(wgsl_source: &str) -> Result<Vec<u32>, String> {
    catch_panic(|| compile_wgsl(wgsl_source))
}

/// Compiles the first entry point of a WGSL source; the error is the message of naga. Panics of
/// naga are not caught.
fn compile_wgsl(wgsl_source: &str) -> Result<Vec<u32>, String> {
    let mut module =
        wgsl::parse_str(wgsl_source).map_err(|error| error.emit_to_string(wgsl_source))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| error.emit_to_string(wgsl_source))?;
    let entry = module.entry_points.first().ok_or("no entry point")?;
    let pipeline = spv::PipelineOptions {
        shader_stage: entry.stage,
        entry_point: entry.name.clone(),
    };
    merge_sampler_bindings(&mut module);
    let options = spv::Options {
        lang_version: (1, 3),
        // Points have one pixel in WGSL; Vulkan requires that to be written.
        flags: spv::WriterFlags::FORCE_POINT_SIZE,
        force_loop_bounding: false,
        // Clearing large memory takes too long on implementations for the CPU.
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        ..spv::Options::default()
    };
    let words = spv::write_vec(&module, &info, &options, Some(&pipeline))
        .map_err(|error| error.to_string())?;
    declare_float_controls(&words)
}

/// Returns the module with the mode that requires infinities, NaN and signed zeros as IEEE 754 has
/// them, which WGSL leaves to implementations. Fails if it cannot be parsed.
fn declare_float_controls(words: &[u32]) -> Result<Vec<u32>, String> {
    let mut module = load_words(words).map_err(|error| error.to_string())?;
    let entry = module
        .entry_points
        .first()
        .and_then(|entry| entry.operands.get(1).cloned());
    let instruction = |op, operands| Instruction::new(op, None, None, operands);
    module.capabilities.push(instruction(
        Op::Capability,
        vec![Operand::Capability(Capability::SignedZeroInfNanPreserve)],
    ));
    let extension = Operand::LiteralString("SPV_KHR_float_controls".to_owned());
    module
        .extensions
        .push(instruction(Op::Extension, vec![extension]));
    let mode = Operand::ExecutionMode(ExecutionMode::SignedZeroInfNanPreserve);
    let mode = entry
        .into_iter()
        .chain([mode, Operand::LiteralBit32(32)])
        .collect();
    module
        .execution_modes
        .push(instruction(Op::ExecutionMode, mode));
    Ok(module.assemble())
}

/// Sets the bindings of samplers to those of their textures, from which the writer separated them
/// by [`SAMPLER_BINDING_OFFSET`].
fn merge_sampler_bindings(module: &mut Module) {
    let Module {
        types,
        global_variables,
        ..
    } = module;
    for (_, global) in global_variables.iter_mut() {
        let is_sampler = matches!(types[global.ty].inner, TypeInner::Sampler { .. });
        if let Some(binding) = global.binding.as_mut().filter(|_| is_sampler) {
            binding.binding = binding.binding.saturating_sub(SAMPLER_BINDING_OFFSET);
        }
    }
}
