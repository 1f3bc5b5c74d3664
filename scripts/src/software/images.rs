//! Storage images: texels that programs read, write and update.

use crate::format::Format;
use crate::image::Image as Picture;
use crate::observation::{Observation, plane_name};
use crate::resource_table::ImageTable;
use crate::script::{Command, ImageKey};
use crate::texture::{ImagePart, PlaneId, TextureData, TextureShape};
use glasm::ir::interp::ImageRequest;
use glasm::ir::resource::UnitSet;
use glasm::ir::{BaseType, ImageTexels, TexTarget, Width};
use std::rc::Rc;

/// Images of a script.
#[derive(Clone, Debug, Default)]
pub(super) struct SceneImages(Rc<ImageTable<()>>);

/// Image that is accessible at a unit, with the format in which its texels are accessed.
struct BoundView {
    image: ImageKey,
    part: ImagePart,
    format: Format,
}

/// Texel of an image.
struct TexelPlace {
    plane: PlaneId,
    pixel: [u32; 2],
}

impl SceneImages {
    /// Applies a command that sets or binds an image; does nothing for others.
    ///
    /// # Errors
    /// If an image grows that programs have used.
    pub(super) fn apply(&mut self, command: &Command) -> Result<(), String> {
        if let Command::Image { key, update } = command {
            let table = Rc::make_mut(&mut self.0);
            return table.update(*key, update, |(), _, _| Ok(()));
        }
        if let Command::BindImage { binding, bound } = command {
            Rc::make_mut(&mut self.0).bind(*binding, bound.clone());
        }
        Ok(())
    }

    /// Returns the view that an access selects; `None` without an image, or if the program cannot
    /// access its texels.
    fn find_view(&self, request: &ImageRequest) -> Option<BoundView> {
        let unit = match request.image.units {
            UnitSet::Single(unit) => unit,
            UnitSet::Array { first, .. } => first.saturating_add(request.element),
            UnitSet::Handle | UnitSet::QueryHandle => request.element,
        };
        let bound = self.0.bound_image(ImageKey::from_unit(unit));
        let shape = &self.0.data(bound.image).ok()?.shape;
        let format = bound.format.unwrap_or_else(|| shape.format.clone());
        let fits = match request.image.texels {
            ImageTexels::Formatted(ty) => format.encoding.base() == ty.base(),
            ImageTexels::Raw(bits) => usize::from(bits) == 8 * shape.format.texel_size(),
            ImageTexels::Unused => true,
        };
        let is_accessible = bound
            .part
            .is_accessible_as(shape.target, request.image.target);
        let exists = bound.part.exists_in(shape);
        let has_size = format.texel_size() == shape.format.texel_size();
        (fits && is_accessible && exists && has_size).then_some(BoundView {
            image: bound.image,
            part: bound.part,
            format,
        })
    }

    /// Returns the lanes of a texel; `None` if it does not exist.
    pub(super) fn load(&self, request: &ImageRequest) -> Option<[u32; 4]> {
        let view = self.find_view(request)?;
        let data = self.0.data(view.image).ok()?;
        let place = find_place(request, &view, &data.shape)?;
        let texel = data.find_texel(place.plane, place.pixel)?;
        Some(match request.image.texels {
            ImageTexels::Raw(_) => load_elements(request, &texel),
            ImageTexels::Formatted(_) | ImageTexels::Unused => load_converted(&view.format, &texel),
        })
    }

    /// Writes a texel.
    pub(super) fn store(&mut self, request: &ImageRequest, lanes: [u32; 4]) {
        let Some(view) = self.find_view(request) else {
            return;
        };
        let Some(data) = Rc::make_mut(&mut self.0).data_mut(view.image) else {
            return;
        };
        let Some(place) = find_place(request, &view, &data.shape) else {
            return;
        };
        let texel = match request.image.texels {
            ImageTexels::Raw(_) => store_elements(request, lanes),
            ImageTexels::Formatted(_) | ImageTexels::Unused => {
                view.format.encode(convert_lanes(&view.format, lanes))
            }
        };
        data.set_texel(place.plane, place.pixel, &texel);
    }

    /// Returns the dimensions of an image, and after them the number of layers or cubes.
    pub(super) fn get_size(&self, request: &ImageRequest) -> [u32; 4] {
        let Some(view) = self.find_view(request) else {
            return [0; 4];
        };
        let Ok(data) = self.0.data(view.image) else {
            return [0; 4];
        };
        let [width, height, depth] = data.shape.level_extent(view.part.level);
        let target = request.image.target;
        let mut size = [width, height, depth, 0];
        let dimensions = usize::from(target.plane_dimensions());
        size[dimensions..].fill(0);
        if target.is_array() {
            let layers = view.part.slice.map_or(data.shape.layers, |_| 1);
            size[dimensions] = if target.is_cube() { layers / 6 } else { layers };
        }
        size
    }

    /// Returns the number of samples of an image; 1 without one.
    pub(super) fn get_samples(&self, request: &ImageRequest) -> u32 {
        let view = self.find_view(request);
        let data = view.and_then(|view| self.0.data(view.image).ok());
        data.map_or(1, |data| data.shape.samples)
    }

    /// Returns the contents of all images, as runners observe them at the end of a script.
    pub(super) fn observe(&self) -> Vec<Observation> {
        let planes = self.0.iter_images().flat_map(|(key, data)| {
            let ids = data.shape.planes();
            ids.map(move |id| observe_plane(key, data, id))
        });
        planes.collect()
    }
}

/// Returns the observation of a plane of an image.
fn observe_plane(key: ImageKey, data: &TextureData, id: PlaneId) -> Observation {
    let [width, height, _] = data.shape.level_extent(id.level);
    let picture = Picture {
        width,
        height,
        format: data.shape.format.clone(),
        is_color: true,
        data: data.plane(id),
    };
    Observation::from_image(plane_name(key, id), &picture)
}

/// Returns the texel that an access selects in an image of a shape; `None` if a coordinate is
/// negative, or selects another layer than the only one that is bound.
fn find_place(
    request: &ImageRequest,
    view: &BoundView,
    shape: &TextureShape,
) -> Option<TexelPlace> {
    let target = request.image.target;
    let mut coordinate = [0; 4];
    let count = usize::from(request.image.coordinate_lanes());
    for (own, given) in coordinate.iter_mut().zip(request.coordinate).take(count) {
        *own = u32::try_from(given).ok()?;
    }
    let dimensions = usize::from(target.plane_dimensions());
    let pixel = match dimensions {
        1 => [coordinate[0], 0],
        _ => [coordinate[0], coordinate[1]],
    };
    let is_layered = target.is_array() || matches!(target, TexTarget::Cube | TexTarget::D3);
    let layer = match (is_layered, target) {
        (false, _) => 0,
        (true, TexTarget::D3) => coordinate[2],
        (true, _) => coordinate[dimensions],
    };
    let slice = match view.part.slice {
        None => layer,
        Some(slice) if layer == 0 => slice,
        Some(_) => return None,
    };
    let is_multisample = target.is_multisample();
    let sample = if is_multisample { request.sample } else { 0 };
    (slice < shape.slices(view.part.level)).then_some(TexelPlace {
        plane: PlaneId {
            level: view.part.level,
            slice,
            sample,
        },
        pixel,
    })
}

/// Returns the bytes of an element of a raw texel.
fn element_bytes(request: &ImageRequest) -> usize {
    match request.ty.width() {
        Width::W8 => 1,
        Width::W16 => 2,
        Width::W32 | Width::W64 => 4,
    }
}

/// Returns the elements of a raw texel, extended to 32 bits; 0 and 1 for lanes past them.
fn load_elements(request: &ImageRequest, texel: &[u8]) -> [u32; 4] {
    let size = element_bytes(request);
    let one = match request.ty.base() {
        BaseType::Float => 1.0f32.to_bits(),
        BaseType::SignedInt | BaseType::UnsignedInt => 1,
    };
    let count = usize::from(request.access.components);
    let mut elements = texel.chunks_exact(size).take(count);
    std::array::from_fn(|lane| {
        let Some(element) = elements.next() else {
            return if lane == 3 { one } else { 0 };
        };
        let word = element.iter().rev();
        let bits = word.fold(0, |bits, byte| bits << 8 | u32::from(*byte));
        let unused = 32 - 8 * size as u32;
        if request.ty.base() == BaseType::SignedInt {
            ((bits << unused) as i32 >> unused) as u32
        } else {
            bits
        }
    })
}

/// Returns the bytes of a raw texel.
fn store_elements(request: &ImageRequest, lanes: [u32; 4]) -> Vec<u8> {
    let size = element_bytes(request);
    let count = usize::from(request.access.components);
    let bytes = lanes.iter().take(count);
    bytes
        .flat_map(|lane| lane.to_le_bytes().into_iter().take(size))
        .collect()
}

/// Returns the lanes of a texel of a format.
fn load_converted(format: &Format, texel: &[u8]) -> [u32; 4] {
    let base = format.encoding.base();
    format.decode(texel).map(|value| match base {
        BaseType::Float => (value as f32).to_bits(),
        BaseType::SignedInt => value as i32 as u32,
        BaseType::UnsignedInt => value as u32,
    })
}

/// Returns the values of lanes that are stored in a format.
fn convert_lanes(format: &Format, lanes: [u32; 4]) -> [f64; 4] {
    let base = format.encoding.base();
    lanes.map(|bits| match base {
        BaseType::Float => f64::from(f32::from_bits(bits)),
        BaseType::SignedInt => f64::from(bits as i32),
        BaseType::UnsignedInt => f64::from(bits),
    })
}
