//! State of the driver that is temporarily changed while a pipeline of this library draws, and
//! restored before the application could see it.
//!
//! - Capabilities are enabled or disabled.
//! - Image units: programs access an image in its own format and as raw texels, which need separate
//!   units of the driver.
//! - Arrays of conventional attributes, which programs read as numbered ones: NV_vertex_program
//!   section 2.8. The driver stores them separately, so numbered arrays refer to the same memory
//!   during a draw.
//! - Materials of vertices between `glBegin` and `glEnd`, where the fixed functions process
//!   vertices for fragment programs of this library. Parameters cannot change there, but materials
//!   can (GL 2.1 section 2.6.3), and no command announces it. Therefore each material property is a
//!   vertex attribute there. (Programs that read `state.material` see a change at the next
//!   `glBegin`: ARB_vertex_program section 2.14.3.2.)

use crate::context::{State, StateGroups};
use crate::ffi::driver;
use crate::ffi::driver_state::{self, ImageUnit};
use crate::pipeline::Pipeline;
use glasm::fixed_function::MATERIAL_ATTRIBUTES;
use glasm::reflect::{ImageBinding, ImageFormat};

/// `DEPTH_CLAMP`
const DEPTH_CLAMP: u32 = 0x864F;
/// `VERTEX_PROGRAM_POINT_SIZE`, which is `PROGRAM_POINT_SIZE`.
const PROGRAM_POINT_SIZE: u32 = 0x8642;
/// `CLIP_PLANE0`, which is `CLIP_DISTANCE0`.
const CLIP_PLANE0: u32 = 0x3000;

/// Source of the size of points that a pipeline draws.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum PointSize {
    /// `VERTEX_PROGRAM_POINT_SIZE` as the application has set it: vertices are processed by a
    /// program.
    #[default]
    Application,
    /// Vertex stage, which replaces fixed functions and applies the attenuation. For fixed
    /// functions `VERTEX_PROGRAM_POINT_SIZE` has no effect: GL 2.1 section 3.3.
    Computed,
    /// `PointSize`, which needs no attenuation.
    Constant,
}

/// Overrides of a pipeline.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Overrides {
    is_unclipped: bool,
    disabled_planes: u8,
    point_size: PointSize,
}

/// Capabilities whose value in the driver differs from that of the application.
#[derive(Default, Debug)]
pub(crate) struct OverriddenState {
    /// Capabilities, with the values that the application has set.
    application_values: Vec<(u32, bool)>,
    /// Overrides that are in effect.
    active: Overrides,
}

/// Returns true if the driver's value of a capability may differ from the application's because of
/// [`OverriddenState::apply`].
pub(crate) fn is_overridden(capability: u32) -> bool {
    matches!(
        capability,
        0x3000..=0x3007 | DEPTH_CLAMP | PROGRAM_POINT_SIZE
    )
}

impl OverriddenState {
    /// Sets the capabilities in the driver for a pipeline, and stores the application's values:
    /// depths are clamped if they are not clipped (NV_fragment_program section 3.11.6), planes do
    /// not clip vertices whose program writes no distances (ARB_vertex_program section 2.11), and
    /// the size of points is computed or constant for fixed functions. Does nothing if the same
    /// overrides are in effect.
    pub(crate) fn apply(&mut self, pipeline: &Pipeline) {
        let disabled = pipeline.clip_planes & !pipeline.clip_distances;
        let required = Overrides {
            is_unclipped: pipeline.is_unclipped,
            disabled_planes: disabled,
            point_size: pipeline.point_size,
        };
        if self.active == required {
            return;
        }
        self.restore();
        if pipeline.is_unclipped && !driver_state::is_enabled(DEPTH_CLAMP) {
            driver::Enable(DEPTH_CLAMP);
            self.application_values.push((DEPTH_CLAMP, false));
        }
        for plane in (0..8).filter(|n| disabled & 1 << n != 0) {
            driver::Disable(CLIP_PLANE0 + plane);
            self.application_values.push((CLIP_PLANE0 + plane, true));
        }
        self.override_point_size(pipeline.point_size);
        self.active = required;
    }

    /// Enables or disables `VERTEX_PROGRAM_POINT_SIZE` in the driver if `source` requires another
    /// value, and stores the application's: for the driver, the stage of fixed functions is a
    /// program.
    fn override_point_size(&mut self, source: PointSize) {
        let is_enabled = driver_state::is_enabled(PROGRAM_POINT_SIZE);
        match source {
            PointSize::Computed if !is_enabled => driver::Enable(PROGRAM_POINT_SIZE),
            PointSize::Constant if is_enabled => driver::Disable(PROGRAM_POINT_SIZE),
            PointSize::Application | PointSize::Computed | PointSize::Constant => return,
        }
        self.application_values
            .push((PROGRAM_POINT_SIZE, is_enabled));
    }

    /// Returns true if the driver clamps depths for the current pipeline only.
    pub(crate) fn clamps_depths(&self) -> bool {
        self.application_values
            .iter()
            .any(|(capability, _)| *capability == DEPTH_CLAMP)
    }

    /// Restores the capabilities that this library has changed for a draw to the application's
    /// values.
    pub(crate) fn restore(&mut self) {
        self.active = Overrides::default();
        for (capability, is_enabled) in self.application_values.drain(..) {
            if is_enabled {
                driver::Enable(capability);
            } else {
                driver::Disable(capability);
            }
        }
    }
}

/// View of an image that a pipeline has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImageView {
    /// Application's image unit.
    application_unit: u32,
    /// Image unit of the driver.
    driver_unit: u32,
    /// Format, if it differs from that of the application.
    format: Option<u32>,
}

/// Returns a view for each element of an image array that the reflection of a module names: the
/// unit of the application, the unit of the module, and the format if it accesses raw texels.
pub(crate) fn image_views(image: &ImageBinding) -> impl Iterator<Item = ImageView> + use<> {
    let format = match image.format {
        // Queries read no texels: any format does that fits the texture.
        ImageFormat::Native(_) | ImageFormat::AnyUint => None,
        ImageFormat::RawUint(bits) => Some(raw_texel_format(bits)),
    };
    let (unit, binding) = (image.unit, image.slot.binding);
    (0..image.descriptor_count).map(move |n| ImageView {
        application_unit: unit + n,
        driver_unit: binding + n,
        format,
    })
}

/// Returns the enumerant of the unsigned format with texels of `bits` bits (8, 16, 32, 64 or 128),
/// such as `GL_R32UI`, which is also returned for other sizes.
fn raw_texel_format(bits: u8) -> u32 {
    match bits {
        8 => 0x8232,
        16 => 0x8234,
        64 => 0x823C,
        128 => 0x8D70,
        _ => 0x8236,
    }
}

impl State {
    /// Restores the image units of the application and marks them as changed, before a command of
    /// the application binds images.
    pub(crate) fn prepare_image_change(&mut self) {
        self.restore_images();
        self.mark_changed(StateGroups::IMAGES);
    }

    /// Binds the image views of a pipeline to the units that its modules use, and saves the
    /// application's bindings there. Does nothing without views, or while images are not marked as
    /// changed; the mark is cleared.
    pub(crate) fn apply_images(&mut self, views: &[ImageView]) {
        if views.is_empty() || !self.changed_since_read.contains(StateGroups::IMAGES) {
            return;
        }
        self.restore_images();
        self.changed_since_read -= StateGroups::IMAGES;
        let bound: Vec<ImageUnit> = views
            .iter()
            .map(|view| driver_state::query_image_unit(view.application_unit))
            .collect();
        self.draw_state.saved_images = views
            .iter()
            .map(|view| {
                (
                    view.driver_unit,
                    driver_state::query_image_unit(view.driver_unit),
                )
            })
            .collect();
        for (view, image) in views.iter().zip(bound) {
            driver_state::bind_image_unit(view.driver_unit, image.with_format(view.format));
        }
    }

    /// Binds the images that the application has bound to the units which [`Self::apply_images`]
    /// has changed, and marks images as changed. Does nothing if it has changed none.
    pub(crate) fn restore_images(&mut self) {
        for (unit, image) in std::mem::take(&mut self.draw_state.saved_images) {
            driver_state::bind_image_unit(unit, image);
            self.mark_changed(StateGroups::IMAGES);
        }
    }
}

/// Array of a conventional attribute: number of the attribute, enumerant that enables it, and the
/// names of its size, type, stride, buffer, pointer.
struct ConventionalArray {
    number: u32,
    enable: u32,
    size: u32,
    kind: u32,
    stride: u32,
    buffer: u32,
    pointer: u32,
}

/// Returns an entry of [`ARRAYS`]: the number of the attribute that aliases the array,
/// and the enumerants that query its state.
const fn conventional_array(
    number: u32,
    enable: u32,
    size: u32,
    kind: u32,
    stride: u32,
    buffer: u32,
    pointer: u32,
) -> ConventionalArray {
    ConventionalArray {
        number,
        enable,
        size,
        kind,
        stride,
        buffer,
        pointer,
    }
}

static ARRAYS: [ConventionalArray; 5] = [
    conventional_array(2, 0x8075, 0, 0x807E, 0x807F, 0x8897, 0x808F),
    conventional_array(3, 0x8076, 0x8081, 0x8082, 0x8083, 0x8898, 0x8090),
    conventional_array(4, 0x845E, 0x845A, 0x845B, 0x845C, 0x889C, 0x845D),
    conventional_array(5, 0x8457, 0, 0x8454, 0x8455, 0x889D, 0x8456),
    conventional_array(8, 0x8078, 0x8088, 0x8089, 0x808A, 0x889A, 0x8092),
];

impl State {
    /// Restores the arrays of the application, before a command that changes or queries them, and
    /// marks arrays as changed, also in the list that is being compiled.
    pub(crate) fn arrays_change(&mut self) {
        self.restore_arrays();
        self.mark_list_changed(StateGroups::ARRAYS);
    }

    /// Enables the numbered arrays of `attributes`, the mask of those that the vertex program
    /// reads, with the memory of the conventional arrays that alias them. Does nothing while arrays
    /// are not marked as changed; the mark is cleared.
    pub(crate) fn apply_arrays(&mut self, attributes: u32) {
        if !self.changed_since_read.contains(StateGroups::ARRAYS) {
            return;
        }
        self.restore_arrays();
        self.changed_since_read -= StateGroups::ARRAYS;
        for row in &ARRAYS {
            if row.number != 8 {
                self.apply_array(row, row.number, attributes);
                continue;
            }
            let units = attributes >> 8 & 0xFF;
            if units == 0 {
                continue;
            }
            let active = driver_state::integer(0x84E1);
            for unit in (0..8).filter(|n| units & 1 << n != 0) {
                driver::ClientActiveTexture(0x84C0 + unit);
                self.apply_array(row, 8 + unit, attributes);
            }
            driver::ClientActiveTexture(active as u32);
        }
    }

    /// Sets and enables the numbered array of an attribute with the memory of the conventional
    /// array, and records it for [`Self::restore_arrays`]. Does nothing unless programs read the
    /// attribute, the conventional array is enabled and the numbered one is not.
    fn apply_array(&mut self, array: &ConventionalArray, attribute: u32, attributes: u32) {
        let is_read = attributes & 1 << attribute != 0;
        if !is_read
            || !driver_state::is_enabled(array.enable)
            || driver_state::attribute_array::<1>(attribute, 0x8622) != [0]
        {
            return;
        }
        let size = match (array.size, attribute) {
            (0, 2) => 3,
            (0, _) => 1,
            (name, _) => driver_state::integer(name),
        };
        // Texture coordinates are not normalized, all other integers are.
        let is_fraction = attribute < 8;
        let bound = driver_state::integer(0x8894);
        driver::BindBuffer(0x8892, driver_state::integer(array.buffer) as u32);
        let (kind, stride) = (
            driver_state::integer(array.kind) as u32,
            driver_state::integer(array.stride),
        );
        driver_state::set_attribute_array(
            attribute,
            size,
            kind,
            is_fraction,
            stride,
            driver_state::array_pointer(array.pointer),
        );
        driver::BindBuffer(0x8892, bound as u32);
        driver::EnableVertexAttribArray(attribute);
        self.draw_state.enabled_arrays |= 1 << attribute;
    }

    /// Disables the numbered arrays that were enabled instead of conventional ones, and marks
    /// arrays as changed. Does nothing if there are none.
    pub(crate) fn restore_arrays(&mut self) {
        let arrays = std::mem::take(&mut self.draw_state.enabled_arrays);
        if arrays != 0 {
            for number in (0..16).filter(|n| arrays & 1 << n != 0) {
                driver::DisableVertexAttribArray(number);
            }
            self.mark_changed(StateGroups::ARRAYS);
        }
    }
}

/// Material properties, for each face, in the order of their attributes in [`MATERIAL_ATTRIBUTES`].
const MATERIAL_PROPERTIES: [u32; 5] = [0x1200, 0x1201, 0x1202, 0x1600, 0x1601];
const AMBIENT_AND_DIFFUSE: u32 = 0x1602;
/// Properties of the front.
pub(crate) const FRONT_PROPERTIES: u16 = 0x1F;

/// Properties of both faces: the lower bits in the order of [`MATERIAL_PROPERTIES`] for the front,
/// then those of the back.
pub(crate) const ALL_PROPERTIES: u16 = (1 << MATERIAL_ATTRIBUTES.len()) - 1;

/// Vertex attributes with the material. Masks have a bit for each attribute of
/// [`MATERIAL_ATTRIBUTES`].
#[derive(Debug, Default)]
pub(crate) struct Materials {
    /// Properties that are attributes of the current pipeline.
    attribute_mask: u16,
    /// Values that the application has set these attributes to.
    saved_attributes: Vec<(u32, [f32; 4])>,
}

/// Returns the mask of the material properties that a command sets: front properties in the low 5
/// bits, back properties in the next 5. 0 for an invalid face.
fn property_mask(face: u32, name: u32) -> u16 {
    let is_set =
        |part: u32| part == name || name == AMBIENT_AND_DIFFUSE && matches!(part, 0x1200 | 0x1201);
    let set = (0..MATERIAL_PROPERTIES.len()).filter(|n| is_set(MATERIAL_PROPERTIES[*n]));
    let front = set.fold(0, |mask, n| mask | 1 << n);
    match face {
        0x0404 => front,
        0x0405 => front << 5,
        0x0408 => front | front << 5,
        _ => 0,
    }
}

/// Returns the indices and numbers of the material attributes in a mask.
fn masked_attributes(mask: u16) -> impl Iterator<Item = (usize, u32)> {
    let all = MATERIAL_ATTRIBUTES.into_iter().map(u32::from).enumerate();
    all.filter(move |(index, _)| mask >> index & 1 != 0)
}

impl State {
    /// Marks materials as changed after the driver has executed `Material`. Between `Begin` and
    /// `End` sets the vertex attributes by which the pipeline reads the properties; while a list is
    /// compiled, those that any pipeline may read, unless vertex programs are enabled.
    pub(crate) fn record_material(&mut self, face: u32, name: u32, [x, y, z, w]: [f32; 4]) {
        self.mark_list_changed(StateGroups::MATERIAL);
        let mut set = property_mask(face, name);
        match &self.recording {
            // Numbered attributes of lists are for the fixed functions where these process vertices
            // now.
            Some(recording) if recording.is_inside_begin_end => {
                if self.target_state(crate::target::Target::Vertex).enabled {
                    return;
                }
                if !driver_state::is_true(0x0B52) {
                    set &= FRONT_PROPERTIES;
                }
            }
            None if self.is_inside_begin_end => set &= self.draw_state.materials.attribute_mask,
            Some(_) | None => return,
        }
        for (_, number) in masked_attributes(set) {
            driver::VertexAttrib4f(number, x, y, z, w);
        }
    }

    /// Saves the numbered attributes in a mask, by which a pipeline reads material properties, and
    /// sets them to the material of the driver; attributes that were saved before are restored
    /// first. A mask of 0 only restores.
    pub(crate) fn apply_materials(&mut self, attribute_mask: u16) {
        self.restore_material_attributes();
        if attribute_mask == 0 {
            return;
        }
        self.draw_state.materials.attribute_mask = attribute_mask;
        for (index, number) in masked_attributes(attribute_mask) {
            let face = 0x0404 + u32::from(index >= MATERIAL_PROPERTIES.len());
            let [x, y, z, w] = driver_state::material(
                face,
                MATERIAL_PROPERTIES[index % MATERIAL_PROPERTIES.len()],
            );
            self.draw_state
                .materials
                .saved_attributes
                .push((number, driver_state::current_attribute_value(number)));
            driver::VertexAttrib4f(number, x, y, z, w);
        }
    }

    /// Restores the numbered attributes that [`apply_materials`](Self::apply_materials) has set to
    /// the values of the application; none have material properties afterwards.
    pub(crate) fn restore_material_attributes(&mut self) {
        let materials = &mut self.draw_state.materials;
        materials.attribute_mask = 0;
        for (number, [x, y, z, w]) in materials.saved_attributes.drain(..) {
            driver::VertexAttrib4f(number, x, y, z, w);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_set_parts_of_faces() {
        assert_eq!(property_mask(0x0404, 0x1201), 1 << 1);
        assert_eq!(property_mask(0x0405, 0x1601), 1 << 9);
        assert_eq!(property_mask(0x0408, AMBIENT_AND_DIFFUSE), 0b00011_00011);
        assert_eq!(
            [property_mask(0x0404, 0x1603), property_mask(0x0409, 0x1200)],
            [0, 0]
        );
    }
}
