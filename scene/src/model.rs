//! Meshes from files of Wavefront OBJ.

use super::mesh::{Mesh, Vertex, color_at, cross, normalize};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes of a file at most.
const MAX_BYTES: u64 = 64 << 20;

/// Vertices and triangles of a model at most, so that the script remains readable for its parser.
const MAX_VERTICES: usize = 200_000;

/// Radius of the sphere in which models fit, about that of the default scene.
const RADIUS: f32 = 1.42;

/// Reads a model, with its center moved to the origin and scaled to the size of the default scene.
/// Missing normals are those of the surface, missing texture coordinates follow from the position.
///
/// # Errors
/// If the file cannot be read, is too large, is not a model, or has no triangles.
pub fn read_model(path: &Path) -> Result<Mesh, String> {
    let with_path = |message: String| format!("{}: {message}", path.display());
    let text = read_limited(path).map_err(with_path)?;
    parse_model(&text).map_err(with_path)
}

/// Reads a file of at most [`MAX_BYTES`] bytes.
fn read_limited(path: &Path) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("not a file".to_owned());
    }
    let mut text = Vec::new();
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut text);
    read.map_err(|error| error.to_string())?;
    if text.len() as u64 > MAX_BYTES {
        return Err(format!("a model may have {} MiB", MAX_BYTES >> 20));
    }
    Ok(text)
}

/// Parses a model.
fn parse_model(text: &[u8]) -> Result<Mesh, String> {
    check_counts(text)?;
    let options = tobj::LoadOptions {
        single_index: true,
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
    };
    // Materials are other files, which scenes do not use.
    let no_materials = |_: &Path| Err(tobj::LoadError::GenericFailure);
    let loaded = tobj::load_obj_buf(&mut &*text, &options, no_materials);
    let (models, _) = loaded.map_err(|error| format!("not a valid model: {error}"))?;
    let mut mesh = Mesh {
        topology: "TRIANGLES",
        vertices: Vec::new(),
        indices: Vec::new(),
    };
    for model in &models {
        append_model(&mut mesh, &model.mesh)?;
    }
    if mesh.indices.is_empty() {
        return Err("the model has no faces".to_owned());
    }
    fit_to_view(&mut mesh);
    let lacks_normals = models.iter().any(|model| model.mesh.normals.is_empty());
    if lacks_normals {
        compute_normals(&mut mesh);
    }
    for vertex in &mut mesh.vertices {
        vertex.color = color_at(vertex.position);
        let [x, y, z] = vertex.normal;
        // The direction to the right on an upright surface.
        vertex.tangent = normalize(cross([0.0, 1.0, 0.0], [x, y, z]), [1.0, 0.0, 0.0]);
    }
    Ok(mesh)
}

/// Returns an error if the lines of a file define more vertices or faces than [`MAX_VERTICES`],
/// before memory is reserved for them.
fn check_counts(text: &[u8]) -> Result<(), String> {
    let (mut vertices, mut faces) = (0_usize, 0_usize);
    for line in text.split(|byte| *byte == b'\n') {
        match line.trim_ascii_start() {
            [b'v', b' ' | b'\t', ..] => vertices += 1,
            [b'f', b' ' | b'\t', rest @ ..] => {
                let corners = rest.split(u8::is_ascii_whitespace);
                let corners = corners.filter(|word| !word.is_empty()).count();
                faces += corners.saturating_sub(2);
            }
            _ => {}
        }
    }
    for (count, what) in [(vertices, "vertices"), (faces, "triangles")] {
        if count > MAX_VERTICES {
            return Err(format!(
                "the model has {count} {what}; at most {MAX_VERTICES} are drawn"
            ));
        }
    }
    Ok(())
}

/// Appends the triangles of a part of a model. Returns an error for coordinates that are not
/// finite, and for indices past the end of the vertices.
fn append_model(mesh: &mut Mesh, part: &tobj::Mesh) -> Result<(), String> {
    let base = mesh.vertices.len();
    let count = part.positions.len() / 3;
    let triple = |values: &[f32], index: usize| -> Option<[f32; 3]> {
        values.get(3 * index..3 * index + 3)?.try_into().ok()
    };
    for index in 0..count {
        let position = triple(&part.positions, index).unwrap_or_default();
        let texcoord = part.texcoords.get(2 * index..2 * index + 2);
        let texcoord = texcoord.and_then(|pair| pair.try_into().ok());
        let normal = triple(&part.normals, index).unwrap_or_default();
        let texcoord: [f32; 2] = texcoord.unwrap_or([position[0], position[1]]);
        let mut numbers = position.iter().chain(&normal).chain(&texcoord);
        if !numbers.all(|number| number.is_finite()) {
            return Err(format!(
                "vertex {} has a number that is not finite",
                index + 1
            ));
        }
        mesh.vertices.push(Vertex {
            position,
            normal: normalize(normal, [0.0, 0.0, 1.0]),
            texcoord,
            ..Vertex::default()
        });
    }
    if mesh.vertices.len() > MAX_VERTICES {
        return Err(format!(
            "the model has more than {MAX_VERTICES} different vertices"
        ));
    }
    for index in &part.indices {
        if *index as usize >= count {
            return Err(format!("a face names vertex {} of {count}", index + 1));
        }
        mesh.indices.push(base as u32 + index);
    }
    Ok(())
}

/// Moves the center of the bounding box of a mesh to the origin, and scales the mesh to
/// [`RADIUS`].
fn fit_to_view(mesh: &mut Mesh) {
    let bound = |axis: usize, pick: fn(f64, f64) -> f64, start: f64| {
        let values = mesh.vertices.iter();
        values.fold(start, |bound, vertex| {
            pick(bound, vertex.position[axis].into())
        })
    };
    let center: [f64; 3] = std::array::from_fn(|axis| {
        0.5 * (bound(axis, f64::min, f64::INFINITY) + bound(axis, f64::max, f64::NEG_INFINITY))
    });
    let relative = |vertex: &Vertex| -> [f64; 3] {
        std::array::from_fn(|axis| f64::from(vertex.position[axis]) - center[axis])
    };
    let length = |[x, y, z]: [f64; 3]| (x * x + y * y + z * z).sqrt();
    let radius = mesh
        .vertices
        .iter()
        .map(|vertex| length(relative(vertex)))
        .fold(0.0, f64::max);
    let factor = if radius > 0.0 {
        f64::from(RADIUS) / radius
    } else {
        1.0
    };
    for vertex in &mut mesh.vertices {
        vertex.position = relative(vertex).map(|value| (value * factor) as f32);
    }
}

/// Sets the normal of each vertex to the mean of those of its triangles, by their areas.
fn compute_normals(mesh: &mut Mesh) {
    let mut sums = vec![[0.0_f32; 3]; mesh.vertices.len()];
    for triangle in mesh.indices.chunks_exact(3) {
        let corner = |index: usize| {
            let vertex = mesh.vertices.get(*triangle.get(index)? as usize)?;
            Some(vertex.position)
        };
        let (Some(a), Some(b), Some(c)) = (corner(0), corner(1), corner(2)) else {
            continue;
        };
        let edge = |to: [f32; 3]| -> [f32; 3] { std::array::from_fn(|axis| to[axis] - a[axis]) };
        let normal = cross(edge(b), edge(c));
        for index in triangle {
            if let Some(sum) = sums.get_mut(*index as usize) {
                *sum = std::array::from_fn(|axis| sum[axis] + normal[axis]);
            }
        }
    }
    for (vertex, sum) in mesh.vertices.iter_mut().zip(sums) {
        vertex.normal = normalize(sum, [0.0, 0.0, 1.0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_fill_the_view_and_have_normals() {
        let square = "v 1 1 5\nv 3 1 5\nv 3 3 5\nv 1 3 5\nf 1 2 3 4\n";
        let mesh = parse_model(square.as_bytes()).unwrap();
        assert_eq!(mesh.indices.len(), 6);
        // The half diagonal of the square becomes the radius.
        let side = RADIUS / 2f32.sqrt();
        let corner = mesh.vertices[0];
        assert!((corner.position[0] + side).abs() < 1e-5, "{corner:?}");
        assert_eq!(corner.position[2], 0.0);
        assert_eq!(corner.normal, [0.0, 0.0, 1.0]);
        let given = format!("{square}vn 0 1 0\nvt 0.25 0.75\nf 1/1/1 2/1/1 3/1/1\n");
        let given = given.replace("f 1 2 3 4\n", "");
        let mesh = parse_model(given.as_bytes()).unwrap();
        assert_eq!(mesh.vertices[0].normal, [0.0, 1.0, 0.0]);
        assert_eq!(mesh.vertices[0].texcoord, [0.25, 0.75]);
    }

    #[test]
    fn bad_models_are_errors() {
        let error = |text: &str| parse_model(text.as_bytes()).unwrap_err();
        assert_eq!(error(""), "the model has no faces");
        assert!(error("v 0 0 0\nf 1 2 9\n").starts_with("not a valid model"));
        assert!(error("v 0 0 0\nv 1 0 0\nv nan 1 0\nf 1 2 3\n").contains("finite"));
        assert!(error("v a b c\n").starts_with("not a valid model"));
        let many = "v 0 0 0\n".repeat(MAX_VERTICES + 1);
        assert!(error(&many).contains("200001 vertices; at most 200000"));
        let fan = format!("v 0 0 0\nf{}\n", " 1".repeat(MAX_VERTICES + 3));
        assert!(error(&fan).contains("200001 triangles"));
    }
}
