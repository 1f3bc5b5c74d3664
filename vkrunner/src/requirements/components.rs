//! Components of the outputs and inputs that a program has between stages.

use super::capabilities::Capabilities;
use glasm::Reflection;
use glasm::ir::{Semantic, Stage};
use glasm::reflect::InterfaceVariable;

/// Components of all locations up to the last one.
fn located(variables: &[InterfaceVariable]) -> u32 {
    let locations = variables.iter().filter_map(|variable| variable.location);
    locations.max().map_or(0, |last| 4 * (last + 1))
}

/// Components of built-ins, clip distances from plane 0 on.
fn built_in(variables: &[InterfaceVariable]) -> u32 {
    let mut planes = 0;
    let mut others = 0;
    for variable in variables {
        if let Semantic::ClipDistance(plane) = variable.semantic {
            planes = planes.max(u32::from(plane) + 1);
        } else if variable.location.is_none() {
            others += u32::from(variable.components);
        }
    }
    planes + others
}

/// Why a device has not enough components for a program between stages; `None` if it has.
pub(crate) fn missing_components(
    reflection: &Reflection,
    capabilities: &Capabilities,
) -> Option<String> {
    // Devices count the built-ins among the outputs.
    let (needed, limit, what) = match reflection.stage {
        Stage::Vertex => (
            located(&reflection.outputs) + built_in(&reflection.outputs),
            capabilities.max_vertex_outputs,
            "outputs of vertex programs",
        ),
        Stage::Fragment => (
            located(&reflection.inputs),
            capabilities.max_fragment_inputs,
            "inputs of fragment programs",
        ),
        Stage::TessControl | Stage::TessEval | Stage::Geometry | Stage::Compute => return None,
    };
    (needed > limit).then(|| format!("the device lacks {needed} components of {what}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use glasm::{Options, Source};

    fn reason(results: &str) -> Option<String> {
        let text = format!("!!NVvp4.0\nMOV result.position, vertex.position;\n{results}END");
        let shader = glasm::compile(&Source::new("test", &text), &Options::default()).unwrap();
        let capabilities = Capabilities {
            max_vertex_outputs: 128,
            ..Capabilities::default()
        };
        missing_components(&shader.reflection, &capabilities)
    }

    #[test]
    fn built_ins_count_beside_all_locations() {
        let high = "MOV result.attrib[30], 1;\n";
        assert_eq!(reason(high), None);
        let missing = "the device lacks 131 components of outputs of vertex programs";
        let planes = format!("{high}MOV result.clip[0].x, 1;\nMOV result.clip[2].x, 1;\n");
        assert_eq!(reason(&planes).as_deref(), Some(missing));
    }

    #[test]
    fn most_results_go_with_all_built_ins() {
        let mut all = "MOV result.pointsize.x, 1;\nMOV result.clip[7].x, 1;\n".to_owned();
        for number in 0..28 {
            all.push_str(&format!("MOV result.attrib[{number}], 1;\n"));
        }
        assert_eq!(reason(&all), None);
    }
}
