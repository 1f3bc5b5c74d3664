//! The mesh of a scene: the primitives that the programs expect.

use super::mesh::Mesh;
use super::options::SceneOptions;
use super::program::Pipeline;
use super::view::ViewKind;
use glasm::ir::primitive::{InputPrimitive, MAX_PATCH_VERTICES, OutputPrimitive, TessMode};
use glasm::ir::{Program, Semantic, Stage};

/// Mesh of a scene, and the way in which it is drawn.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Shape {
    /// The mesh.
    pub(super) mesh: Mesh,
    /// Vertices of a patch, if the mesh consists of patches.
    pub(super) patch_vertices: Option<u32>,
    /// True for a rectangle that covers the image.
    pub(super) is_flat: bool,
    /// True if points are rasterized whose size no program writes.
    pub(super) has_points_without_size: bool,
    /// Orientation of the view.
    pub(super) view: ViewKind,
}

/// Quadrilaterals of the torus, along the ring and around the tube.
const FINE: [u32; 2] = [64, 32];

/// Those for primitives that are visible one by one.
const COARSE: [u32; 2] = [32, 16];

/// Those for patches, which programs subdivide.
const PATCHES: [u32; 2] = [16, 8];

/// Chooses the mesh for programs that draw: the model, a rectangle for fragment programs alone and
/// for vertex programs that copy their position, else a torus; as triangles, or as the primitives
/// that tessellation or geometry programs require.
///
/// # Errors
/// If a model cannot consist of the primitives.
pub(super) fn choose_shape(
    pipeline: Pipeline<'_>,
    options: &SceneOptions,
) -> Result<Shape, String> {
    let patch_vertices = find_patch_vertices(pipeline);
    let is_flat = options.model.is_none() && patch_vertices.is_none() && is_flat(pipeline);
    let mut mesh = if let Some(vertices) = patch_vertices {
        build_patches(options.model.as_ref(), vertices)?
    } else {
        let geometry = pipeline.find(Stage::Geometry).map(|program| {
            let ir = program.ir.as_ref();
            ir.map_or(InputPrimitive::Triangles, |ir| ir.modes.primitive_in)
        });
        build_primitives(options.model.as_ref(), geometry, is_flat)
    };
    let vertex = pipeline.find(Stage::Vertex).and_then(|it| it.ir.as_ref());
    if vertex.is_some_and(reads_vertex_number) {
        mesh = mesh.without_indices();
    }
    Ok(Shape {
        has_points_without_size: has_points(pipeline, &mesh) && !writes_point_size(pipeline),
        mesh,
        patch_vertices,
        is_flat,
        view: if options.model.is_some() {
            ViewKind::Model
        } else {
            ViewKind::Torus
        },
    })
}

/// Returns true if no program before rasterization changes positions.
fn is_flat(pipeline: Pipeline<'_>) -> bool {
    if pipeline.has(Stage::Geometry) {
        return false;
    }
    let vertex = pipeline.find(Stage::Vertex);
    vertex.is_none_or(|vertex| vertex.usage.copies_position)
}

/// Returns the number of vertices of a patch; `None` if no program requires patches.
fn find_patch_vertices(pipeline: Pipeline<'_>) -> Option<u32> {
    let find = |stage| pipeline.find(stage).map(|program| program.ir.as_ref());
    let (control, evaluation) = (find(Stage::TessControl), find(Stage::TessEval));
    let geometry = find(Stage::Geometry).flatten();
    let patches = geometry.filter(|ir| ir.modes.primitive_in == InputPrimitive::Patches);
    if control.is_none() && evaluation.is_none() && patches.is_none() {
        return None;
    }
    let count = if let Some(control) = control {
        let outputs = control.map_or(4, |ir| ir.modes.vertices_out);
        outputs.max(control.map_or(0, count_named_vertices))
    } else if let Some(evaluation) = evaluation {
        let mode = evaluation.map(|ir| ir.modes.tess_mode).unwrap_or_default();
        let corners = match mode {
            TessMode::Triangles => 3,
            TessMode::Quads => 4,
            TessMode::Isolines => 2,
        };
        evaluation.map_or(0, count_named_vertices).max(corners)
    } else {
        patches.map_or(0, count_named_vertices).max(3)
    };
    Some(count.clamp(1, MAX_PATCH_VERTICES))
}

/// Returns the number of vertices of the input primitive up to the highest one that a program
/// reads by a constant number; 0 if it reads none.
fn count_named_vertices(program: &Program) -> u32 {
    let vertices = program.indices.iter().filter_map(|index| index.vertex);
    let constants = vertices.filter(|term| term.relative.is_none());
    let numbers = constants.filter_map(|term| u32::try_from(term.offset).ok());
    numbers.max().map_or(0, |number| number.saturating_add(1))
}

/// Returns a mesh of patches with a number of vertices.
fn build_patches(model: Option<&Mesh>, vertices: u32) -> Result<Mesh, String> {
    let [ring, tube] = PATCHES;
    let surface = || model.cloned().unwrap_or_else(|| Mesh::torus(ring, tube));
    let mesh = match (vertices, model) {
        (1, _) => surface().into_points(),
        (2, _) => surface().into_lines(),
        (3, _) => surface(),
        (_, Some(_)) => {
            return Err(format!(
                "--model: the programs read patches of {vertices} vertices, and a model has \
                 triangles"
            ));
        }
        (4, None) => Mesh::torus_patches(ring, tube),
        (_, None) => Mesh::single_patch(vertices),
    };
    Ok(Mesh {
        topology: "PATCHES",
        ..mesh
    })
}

/// Returns a mesh of the input primitives of a geometry program, or of triangles without one.
fn build_primitives(model: Option<&Mesh>, input: Option<InputPrimitive>, is_flat: bool) -> Mesh {
    let surface = |[ring, tube]: [u32; 2]| {
        if is_flat {
            Mesh::rectangle()
        } else {
            model.cloned().unwrap_or_else(|| Mesh::torus(ring, tube))
        }
    };
    match input {
        None => surface(FINE),
        Some(InputPrimitive::Triangles | InputPrimitive::Patches) => surface(COARSE),
        Some(InputPrimitive::Points) => surface(COARSE).into_points(),
        Some(InputPrimitive::Lines) => surface(COARSE).into_lines(),
        Some(InputPrimitive::LinesAdjacency) => surface(COARSE).into_lines_with_adjacency(),
        Some(InputPrimitive::TrianglesAdjacency) => surface(COARSE).into_triangles_with_adjacency(),
    }
}

/// Returns true if a vertex program reads the number of the vertex.
fn reads_vertex_number(program: &Program) -> bool {
    let mut inputs = program.inputs.iter();
    inputs.any(|input| input.semantic == Semantic::VertexId)
}

/// Returns true if points are rasterized.
fn has_points(pipeline: Pipeline<'_>, mesh: &Mesh) -> bool {
    let modes = |stage| {
        let program = pipeline.find(stage)?;
        program.ir.as_ref().map(|ir| ir.modes)
    };
    if let Some(modes) = modes(Stage::Geometry) {
        return modes.primitive_out == OutputPrimitive::Points;
    }
    if let Some(modes) = modes(Stage::TessEval) {
        return modes.point_mode;
    }
    mesh.topology == "POINTS" || pipeline.has(Stage::TessControl)
}

/// Returns true if the last program before rasterization writes the size of points.
fn writes_point_size(pipeline: Pipeline<'_>) -> bool {
    let last = pipeline.find_last_before_rasterization();
    let ir = last.and_then(|program| program.ir.as_ref());
    ir.is_some_and(|ir| {
        let mut outputs = ir.outputs.iter();
        outputs.any(|output| output.semantic == Semantic::PointSize)
    })
}

#[cfg(test)]
mod tests {
    use super::super::program::SceneProgram;
    use super::*;

    fn shape(text: &str) -> Shape {
        let programs = SceneProgram::split(text.as_bytes());
        choose_shape(Pipeline::new(&programs).unwrap(), &SceneOptions::default()).unwrap()
    }

    #[test]
    fn programs_get_the_primitives_that_they_read() {
        // 32 x 16 quadrilaterals: two triangles and, with the seams, three edges each.
        let edges = 32 * 16 * 3 + 32 + 16;
        for (primitive, topology, count) in [
            ("POINTS", "POINTS", 0),
            ("LINES", "LINES", 2 * edges),
            ("LINES_ADJACENCY", "LINES_ADJACENCY", 4 * edges),
            ("TRIANGLES", "TRIANGLES", 32 * 16 * 6),
            ("TRIANGLES_ADJACENCY", "TRIANGLES_ADJACENCY", 32 * 16 * 12),
            ("PATCHES", "PATCHES", 16 * 8 * 6),
        ] {
            let text = format!(
                "!!NVgp5.0\nPRIMITIVE_IN {primitive};\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\nEMIT;\nEND"
            );
            let Shape { mesh, .. } = shape(&text);
            assert_eq!((mesh.topology, mesh.indices.len()), (topology, count));
        }
    }

    #[test]
    fn patches_have_the_vertices_of_the_programs() {
        let vertices = |text: &str| shape(text).patch_vertices;
        assert_eq!(vertices("!!NVtep5.0\nTESS_MODE QUADS;\nEND"), Some(4));
        assert_eq!(vertices("!!NVtcp5.0\nVERTICES_OUT 16;\nEND"), Some(16));
        assert_eq!(
            vertices(
                "!!NVtep5.0\nTESS_MODE TRIANGLES;\nMOV result.position, vertex[5].position;\nEND"
            ),
            Some(6)
        );
    }

    #[test]
    fn rectangles_are_for_images() {
        assert!(shape("!!ARBfp1.0\nMOV result.color, 1;\nEND").is_flat);
        assert!(shape("!!ARBvp1.0\nMOV result.position, vertex.position;\nEND").is_flat);
        assert!(!shape("!!ARBvp1.0\nADD result.position, vertex.position, 0.5;\nEND").is_flat);
    }
}
