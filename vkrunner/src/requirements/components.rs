//! Components of the outputs and inputs of a program between stages, and its number of vertices.

use super::capabilities::{Capabilities, PrimitiveLimits};
use glasm::Reflection;
use glasm::ir::{Semantic, Stage};
use glasm::reflect::{InterfaceVariable, PrimitiveInfo};

/// Returns the number of components of all locations up to the last one, four for each; 0 without
/// locations.
fn located_components<'a>(variables: impl Iterator<Item = &'a InterfaceVariable>) -> u32 {
    let locations = variables.filter_map(|variable| variable.location);
    locations.max().map_or(0, |last| 4 * (last + 1))
}

/// Returns the number of components of built-ins, without those of patches. Clip and cull distances
/// are counted from plane 0 to the last one.
fn built_in_components(variables: &[InterfaceVariable]) -> u32 {
    let [mut clip, mut cull] = [0; 2];
    let mut others = 0;
    for variable in variables {
        if let Semantic::ClipDistance(plane) = variable.semantic {
            clip = clip.max(u32::from(plane) + 1);
        } else if let Semantic::CullDistance(plane) = variable.semantic {
            cull = cull.max(u32::from(plane) + 1);
        } else if variable.location.is_none() && !variable.semantic.is_per_patch() {
            others += u32::from(variable.component_count);
        }
    }
    clip + cull + others
}

/// Returns the number of components of the variables of a vertex: all locations up to the last one,
/// and built-ins. Variables of patches are omitted.
fn vertex_components(variables: &[InterfaceVariable]) -> u32 {
    let own = variables.iter().filter(|it| !it.semantic.is_per_patch());
    located_components(own) + built_in_components(variables)
}

/// Returns the number of components of the locations that exist, four for each, and of built-ins.
fn present_components(variables: &[InterfaceVariable]) -> u32 {
    let mut locations: Vec<u32> = variables.iter().filter_map(|it| it.location).collect();
    locations.sort_unstable();
    locations.dedup();
    4 * locations.len() as u32 + built_in_components(variables)
}

/// Returns the number of components of the variables of patches, four for each location up to the
/// last one.
fn patch_components(variables: &[InterfaceVariable]) -> u32 {
    located_components(variables.iter().filter(|it| it.semantic.is_per_patch()))
}

/// Number that a program needs, number that the device has, and the name of the resource.
type ComponentRequirement = (u32, u32, &'static str);

/// Returns the reason why a device supports fewer components of inputs or outputs between stages,
/// or fewer geometry vertices or invocations, than a program needs; `None` if it supports all.
pub(crate) fn missing_components(
    reflection: &Reflection,
    capabilities: &Capabilities,
) -> Option<String> {
    let limits = &capabilities.primitives;
    let (inputs, outputs) = (&reflection.inputs, &reflection.outputs);
    // Devices count the built-ins, too.
    let requirements = match reflection.stage {
        Stage::Vertex => vec![(
            vertex_components(outputs),
            capabilities.max_vertex_outputs,
            "components of outputs of vertex programs",
        )],
        Stage::Fragment => vec![(
            located_components(inputs.iter()),
            capabilities.max_fragment_inputs,
            "components of inputs of fragment programs",
        )],
        Stage::TessEval => vec![
            (
                per_vertex_components(inputs),
                limits.evaluation_inputs,
                "components of inputs of tessellation evaluation programs",
            ),
            (
                vertex_components(outputs),
                limits.evaluation_outputs,
                "components of outputs of tessellation evaluation programs",
            ),
        ],
        Stage::TessControl => control_requirements(reflection, limits),
        Stage::Geometry => geometry_requirements(reflection, limits),
        Stage::Compute => Vec::new(),
    };
    let mut requirements = requirements.into_iter();
    let (needed, _, what) = requirements.find(|(needed, limit, _)| needed > limit)?;
    Some(format!("the device lacks {needed} {what}"))
}

/// Returns the number of components of the variables that are arrays over the vertices of a
/// primitive or patch, for one vertex.
fn per_vertex_components(variables: &[InterfaceVariable]) -> u32 {
    let own: Vec<_> = variables
        .iter()
        .filter(|it| it.is_per_vertex)
        .cloned()
        .collect();
    vertex_components(&own)
}

/// Returns the numbers of components of a tessellation control program, each with the limit of the
/// device.
fn control_requirements(
    reflection: &Reflection,
    limits: &PrimitiveLimits,
) -> Vec<ComponentRequirement> {
    let vertices = match reflection.primitive_info {
        Some(PrimitiveInfo::TessControl { vertices }) => vertices,
        Some(PrimitiveInfo::TessEval { .. } | PrimitiveInfo::Geometry { .. }) | None => 0,
    };
    let (vertex_outputs, patch) = (
        per_vertex_components(&reflection.outputs),
        patch_components(&reflection.outputs),
    );
    vec![
        (
            per_vertex_components(&reflection.inputs),
            limits.control_inputs,
            "components of inputs of tessellation control programs",
        ),
        (
            vertex_outputs,
            limits.control_outputs,
            "components of outputs of tessellation control programs",
        ),
        (
            patch,
            limits.patch_outputs,
            "components of outputs of patches",
        ),
        (
            vertex_outputs * vertices + patch,
            limits.control_total,
            "components of outputs of all vertices of a patch",
        ),
    ]
}

/// Returns the numbers of components and vertices of a geometry program, each with the limit of the
/// device; empty for other programs.
fn geometry_requirements(
    reflection: &Reflection,
    limits: &PrimitiveLimits,
) -> Vec<ComponentRequirement> {
    let Some(PrimitiveInfo::Geometry {
        vertices,
        invocations,
        ..
    }) = reflection.primitive_info
    else {
        return Vec::new();
    };
    let output_components = vertex_components(&reflection.outputs);
    vec![
        (
            per_vertex_components(&reflection.inputs),
            limits.geometry_inputs,
            "components of inputs of geometry programs",
        ),
        (
            output_components,
            limits.geometry_outputs,
            "components of outputs of geometry programs",
        ),
        (
            vertices,
            limits.geometry_vertices,
            "vertices that a geometry program emits",
        ),
        (
            present_components(&reflection.outputs).saturating_mul(vertices),
            limits.geometry_total,
            "components of all vertices that a geometry program emits",
        ),
        (
            invocations,
            limits.geometry_invocations,
            "invocations of geometry programs",
        ),
    ]
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use glasm::{Options, Source};

    /// Returns the reason why a device with 128 output components cannot run a vertex program whose
    /// instructions write `results` in addition to the position; `None` if it can.
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
