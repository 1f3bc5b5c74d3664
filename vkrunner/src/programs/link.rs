//! Interface check of modules that run together, to the extent that their inputs and outputs are
//! known.

use super::interface::{EntryPoint, StageInterface, Varying};
use super::module::Module;
use glasm::Reflection;
use glasm::ir::{Semantic, Stage};
use glasm::reflect::{InterfaceVariable, Scalar};

/// Returns the varyings of a program of the compiler.
fn varyings(variables: &[InterfaceVariable]) -> Vec<Varying> {
    let varying = |variable: &InterfaceVariable| {
        Some(Varying {
            location: variable.location?,
            component: 0,
            scalar: variable.scalar,
            components: u32::from(variable.components),
            patch: variable.semantic.is_per_patch(),
            flat: variable.interpolation == glasm::ir::Interpolation::Flat,
        })
    };
    variables.iter().filter_map(varying).collect()
}

impl StageInterface {
    /// Reads the inputs and outputs of a module; `None` if it cannot be parsed.
    pub(super) fn of(module: &Module, entry: Option<&EntryPoint>) -> Option<Self> {
        let stage = module.stage;
        let (inputs, outputs) = match (&module.reflection, entry) {
            (_, Some(entry)) => (entry.inputs.clone(), entry.outputs.clone()),
            (Some(reflection), None) => {
                (varyings(&reflection.inputs), varyings(&reflection.outputs))
            }
            (None, None) => return None,
        };
        Some(Self {
            stage,
            inputs,
            outputs,
        })
    }
}

/// Returns the semantic of a location in a program.
fn describe(reflection: Option<&Reflection>, input: &Varying) -> String {
    let semantic = reflection.and_then(|reflection| {
        let mut inputs = reflection.inputs.iter();
        inputs.find(|known| known.location == Some(input.location))
    });
    match semantic.map(|known| known.semantic) {
        Some(Semantic::Color(0)) => "the primary color".to_owned(),
        Some(Semantic::Color(_)) => "the secondary color".to_owned(),
        Some(Semantic::FogCoord) => "the fog coordinate".to_owned(),
        Some(Semantic::TexCoord(unit)) => format!("texture coordinates {unit}"),
        Some(Semantic::Generic(number)) => format!("attribute {number}"),
        _ => format!("location {}", input.location),
    }
}

/// Checks that every input of a stage of a draw is written by the previous one. Modules that cannot
/// be analyzed are accepted.
pub(crate) fn check_interfaces(
    modules: &[&Module],
    entry_name: impl Fn(Stage) -> String,
) -> Result<(), String> {
    let mut sorted = modules.to_vec();
    sorted.sort_by_key(|module| module.stage);
    let mut before: Option<(Option<StageInterface>, Stage)> = None;
    for module in sorted {
        let entry = module.entry_point(&entry_name(module.stage))?;
        // Templates match the previous stage.
        let interface = match &module.template {
            Some(template) => Some(template.interface(module.stage)),
            None => StageInterface::of(module, entry),
        };
        if let (Some((Some(producer), _)), Some(consumer)) = (&before, &interface) {
            check_pair(producer, consumer, module)?;
        }
        before = Some((interface, module.stage));
    }
    Ok(())
}

fn check_pair(
    producer: &StageInterface,
    consumer: &StageInterface,
    module: &Module,
) -> Result<(), String> {
    for input in &consumer.inputs {
        let same = |output: &&Varying| {
            output.location == input.location
                && output.component <= input.component
                && output.patch == input.patch
        };
        let Some(output) = producer.outputs.iter().find(same) else {
            return Err(format!(
                "the {} module reads {}, which the {} module does not write",
                consumer.stage.name(),
                describe(module.reflection.as_ref(), input),
                producer.stage.name(),
            ));
        };
        if output.scalar != input.scalar {
            return Err(format!(
                "the {} module reads {} as {}, but the {} module writes it as {}",
                consumer.stage.name(),
                describe(module.reflection.as_ref(), input),
                scalar_name(input.scalar),
                producer.stage.name(),
                scalar_name(output.scalar),
            ));
        }
    }
    Ok(())
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Float => "float",
        Scalar::Int => "int",
        Scalar::Uint => "uint",
        Scalar::Double => "double",
    }
}
