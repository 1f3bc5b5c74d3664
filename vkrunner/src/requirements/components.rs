//! Components of the outputs and inputs of a program between stages, and its number of vertices.

use super::capabilities::{Capabilities, PrimitiveLimits};
use glasm::Reflection;
use glasm::ir::{Semantic, Stage};
use glasm::reflect::{InterfaceVariable, Primitives};

/// Returns the number of components of all locations up to the last one.
fn located<'a>(variables: impl Iterator<Item = &'a InterfaceVariable>) -> u32 {
    let locations = variables.filter_map(|variable| variable.location);
    locations.max().map_or(0, |last| 4 * (last + 1))
}

/// Returns the number of components of built-ins; distances of either kind count from plane 0 on.
fn built_in(variables: &[InterfaceVariable]) -> u32 {
    let [mut clip, mut cull] = [0; 2];
    let mut others = 0;
    for variable in variables {
        if let Semantic::ClipDistance(plane) = variable.semantic {
            clip = clip.max(u32::from(plane) + 1);
        } else if let Semantic::CullDistance(plane) = variable.semantic {
            cull = cull.max(u32::from(plane) + 1);
        } else if variable.location.is_none() && !variable.semantic.is_per_patch() {
            others += u32::from(variable.components);
        }
    }
    clip + cull + others
}

/// Returns the number of components of the vertices of variables, including built-ins.
fn of_vertices(variables: &[InterfaceVariable]) -> u32 {
    let own = variables.iter().filter(|it| !it.semantic.is_per_patch());
    located(own) + built_in(variables)
}

/// Returns the number of components of the existing locations, and of built-ins.
fn present(variables: &[InterfaceVariable]) -> u32 {
    let mut locations: Vec<u32> = variables.iter().filter_map(|it| it.location).collect();
    locations.sort_unstable();
    locations.dedup();
    4 * locations.len() as u32 + built_in(variables)
}

/// Returns the number of components of patches.
fn of_patches(variables: &[InterfaceVariable]) -> u32 {
    located(variables.iter().filter(|it| it.semantic.is_per_patch()))
}

/// Number that a program needs, number that the device has, and the name of the resource.
type Need = (u32, u32, &'static str);

/// Returns the reason why a device has too few components between stages; `None` if it has enough.
pub(crate) fn missing_components(
    reflection: &Reflection,
    capabilities: &Capabilities,
) -> Option<String> {
    let limits = &capabilities.primitives;
    let (inputs, outputs) = (&reflection.inputs, &reflection.outputs);
    // Devices count the built-ins, too.
    let own = match reflection.stage {
        Stage::Vertex => vec![(
            of_vertices(outputs),
            capabilities.max_vertex_outputs,
            "components of outputs of vertex programs",
        )],
        Stage::Fragment => vec![(
            located(inputs.iter()),
            capabilities.max_fragment_inputs,
            "components of inputs of fragment programs",
        )],
        Stage::TessEval => vec![
            (
                per_vertex(inputs),
                limits.evaluation_inputs,
                "components of inputs of tessellation evaluation programs",
            ),
            (
                of_vertices(outputs),
                limits.evaluation_outputs,
                "components of outputs of tessellation evaluation programs",
            ),
        ],
        Stage::TessControl => control_needs(reflection, limits),
        Stage::Geometry => geometry_needs(reflection, limits),
        Stage::Compute => Vec::new(),
    };
    let mut own = own.into_iter();
    let (needed, _, what) = own.find(|(needed, limit, _)| needed > limit)?;
    Some(format!("the device lacks {needed} {what}"))
}

/// Returns the number of components of variables that have a value for each vertex.
fn per_vertex(variables: &[InterfaceVariable]) -> u32 {
    let own: Vec<_> = variables
        .iter()
        .filter(|it| it.per_vertex)
        .cloned()
        .collect();
    of_vertices(&own)
}

fn control_needs(reflection: &Reflection, limits: &PrimitiveLimits) -> Vec<Need> {
    let vertices = match reflection.primitives {
        Some(Primitives::TessControl { vertices }) => vertices,
        Some(Primitives::TessEval { .. } | Primitives::Geometry { .. }) | None => 0,
    };
    let (own, patch) = (
        per_vertex(&reflection.outputs),
        of_patches(&reflection.outputs),
    );
    vec![
        (
            per_vertex(&reflection.inputs),
            limits.control_inputs,
            "components of inputs of tessellation control programs",
        ),
        (
            own,
            limits.control_outputs,
            "components of outputs of tessellation control programs",
        ),
        (
            patch,
            limits.patch_outputs,
            "components of outputs of patches",
        ),
        (
            own * vertices + patch,
            limits.control_total,
            "components of outputs of all vertices of a patch",
        ),
    ]
}

fn geometry_needs(reflection: &Reflection, limits: &PrimitiveLimits) -> Vec<Need> {
    let Some(Primitives::Geometry {
        vertices,
        invocations,
        ..
    }) = reflection.primitives
    else {
        return Vec::new();
    };
    let own = of_vertices(&reflection.outputs);
    vec![
        (
            per_vertex(&reflection.inputs),
            limits.geometry_inputs,
            "components of inputs of geometry programs",
        ),
        (
            own,
            limits.geometry_outputs,
            "components of outputs of geometry programs",
        ),
        (
            vertices,
            limits.geometry_vertices,
            "vertices that a geometry program emits",
        ),
        (
            present(&reflection.outputs).saturating_mul(vertices),
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
