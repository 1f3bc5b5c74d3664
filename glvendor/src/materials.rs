//! Materials of vertices between `glBegin` and `glEnd`, where the fixed functions process vertices
//! for fragment programs of this library. Parameters cannot change there, but materials can (GL 2.1
//! section 2.6.3), and no command announces it. Therefore each material property is a vertex
//! attribute there. (Programs that read `state.material` see a change at the next `glBegin`:
//! ARB_vertex_program section 2.14.3.2.)

use crate::context::{Groups, State};
use crate::ffi::{driver, query};
use glasm::fixed_function::MATERIAL_ATTRIBUTES;

/// Material properties, for each face, in the order of their attributes in [`MATERIAL_ATTRIBUTES`].
const PARTS: [u32; 5] = [0x1200, 0x1201, 0x1202, 0x1600, 0x1601];
const AMBIENT_AND_DIFFUSE: u32 = 0x1602;
/// Properties of the front.
pub(crate) const FRONT: u16 = 0x1F;

/// Properties of both faces: the lower bits in the order of [`PARTS`] for the front, then those of
/// the back.
pub(crate) const ALL: u16 = (1 << MATERIAL_ATTRIBUTES.len()) - 1;

/// Vertex attributes with the material. Masks have a bit for each attribute of
/// [`MATERIAL_ATTRIBUTES`].
#[derive(Debug, Default)]
pub(crate) struct Materials {
    /// Properties that are attributes of the current pipeline.
    used: u16,
    /// Values that the application has set these attributes to.
    saved: Vec<(u32, [f32; 4])>,
}

/// Returns the properties that a command sets.
fn parts(face: u32, name: u32) -> u16 {
    let is_set =
        |part: u32| part == name || name == AMBIENT_AND_DIFFUSE && matches!(part, 0x1200 | 0x1201);
    let set = (0..PARTS.len()).filter(|n| is_set(PARTS[*n]));
    let front = set.fold(0, |mask, n| mask | 1 << n);
    match face {
        0x0404 => front,
        0x0405 => front << 5,
        0x0408 => front | front << 5,
        _ => 0,
    }
}

/// Returns the attributes of a mask, with their indices.
fn attributes(mask: u16) -> impl Iterator<Item = (usize, u32)> {
    let all = MATERIAL_ATTRIBUTES.into_iter().map(u32::from).enumerate();
    all.filter(move |(place, _)| mask >> place & 1 != 0)
}

impl State {
    /// Records `Material`, which the driver has executed: face, name, value.
    pub(crate) fn material(&mut self, face: u32, name: u32, [x, y, z, w]: [f32; 4]) {
        self.changed(Groups::MATERIAL);
        let mut set = parts(face, name);
        match &self.recording {
            // Numbered attributes of lists are for the fixed functions where these process vertices
            // now.
            Some(recording) if recording.is_inside => {
                if self.bound(crate::target::Target::Vertex).enabled {
                    return;
                }
                if !query::is_set(0x0B52) {
                    set &= FRONT;
                }
            }
            None if self.is_inside => set &= self.drawing.materials.used,
            Some(_) | None => return,
        }
        for (_, number) in attributes(set) {
            driver::VertexAttrib4f(number, x, y, z, w);
        }
    }

    /// Sets the values of the attributes that are material properties of a pipeline.
    pub(crate) fn apply_materials(&mut self, used: u16) {
        self.restore_materials();
        if used == 0 {
            return;
        }
        self.drawing.materials.used = used;
        for (place, number) in attributes(used) {
            let face = 0x0404 + u32::from(place >= PARTS.len());
            let [x, y, z, w] = query::material(face, PARTS[place % PARTS.len()]);
            self.drawing
                .materials
                .saved
                .push((number, query::attribute(number)));
            driver::VertexAttrib4f(number, x, y, z, w);
        }
    }

    /// Restores the numbered attributes to the values of the application.
    pub(crate) fn restore_materials(&mut self) {
        let materials = &mut self.drawing.materials;
        materials.used = 0;
        for (number, [x, y, z, w]) in materials.saved.drain(..) {
            driver::VertexAttrib4f(number, x, y, z, w);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_set_parts_of_faces() {
        assert_eq!(parts(0x0404, 0x1201), 1 << 1);
        assert_eq!(parts(0x0405, 0x1601), 1 << 9);
        assert_eq!(parts(0x0408, AMBIENT_AND_DIFFUSE), 0b00011_00011);
        assert_eq!([parts(0x0404, 0x1603), parts(0x0409, 0x1200)], [0, 0]);
    }
}
