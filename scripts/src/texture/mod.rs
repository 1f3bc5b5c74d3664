//! Textures and storage images as data: shape, texels, sampling. Pure.
//!
//! Texels are stored in planes: the rows of one level, of one layer (of one face, of one slice of a
//! 3D texture) and of one sample.

mod patterns;
mod procedural;
mod sampling;
mod shape;

use glasm::ir::TexTarget;
use std::collections::BTreeMap;
use std::ops::Range;

pub use patterns::{Pattern, StoredComponents};
pub use sampling::{DepthMode, Sampling, SrgbDecode, Swizzle, Wrap};
pub(crate) use shape::find_target;
pub use shape::{ImagePart, StorageView};
pub use shape::{PlaneId, TextureShape, target_name};

/// Start of an update: begins a texture, or adds to one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpdateKind {
    /// Begins a texture; previous contents are discarded.
    Create,
    /// Adds to the existing texture.
    Extend,
}

/// Contents of planes.
#[derive(Clone, PartialEq, Debug)]
pub enum Contents {
    /// Texels in the order of levels, slices, rows, texels and samples.
    Texels(Vec<u8>),
    /// Values of a function.
    Pattern(Pattern),
}

/// Update of a part of a texture.
#[derive(Clone, PartialEq, Debug)]
pub struct TextureUpdate {
    /// Start of the update.
    pub kind: UpdateKind,
    /// Texture after the update.
    pub shape: TextureShape,
    /// Levels that are filled.
    pub levels: Range<u32>,
    /// Layer, face or slice; `None` updates all of each level.
    pub slice: Option<u32>,
    /// Sample; `None` updates all.
    pub sample: Option<u32>,
    /// Zeros unless given.
    pub contents: Option<Contents>,
}

impl TextureUpdate {
    /// Creates an update that fills a whole texture.
    pub fn full_texture(shape: TextureShape, contents: Option<Contents>) -> Self {
        Self {
            kind: UpdateKind::Create,
            levels: 0..shape.levels,
            shape,
            slice: None,
            sample: None,
            contents,
        }
    }

    /// Returns the slices, layers or faces of a level that are filled.
    fn slices(&self, level: u32) -> Range<u32> {
        match self.slice {
            Some(slice) => slice..slice + 1,
            None => 0..self.shape.slices(level),
        }
    }

    /// Returns the numbers of the samples that are filled.
    fn samples(&self) -> Range<u32> {
        match self.sample {
            Some(sample) => sample..sample + 1,
            None => 0..self.shape.samples,
        }
    }

    /// Returns the number of texels that are filled.
    pub fn texels(&self) -> u64 {
        let level_texels = |level: u32| {
            let [width, height, _] = self.shape.level_extent(level);
            u64::from(width) * u64::from(height) * self.slices(level).len() as u64
        };
        let planes: u64 = self.levels.clone().map(level_texels).sum();
        planes * self.samples().len() as u64
    }

    /// Returns the planes that are filled, by level, slice and sample.
    pub fn planes(&self) -> Vec<PlaneId> {
        let of_level = |level| {
            self.slices(level).flat_map(move |slice| {
                self.samples().map(move |sample| PlaneId {
                    level,
                    slice,
                    sample,
                })
            })
        };
        self.levels.clone().flat_map(of_level).collect()
    }

    /// Stores the texels of all planes that the update fills. An update without contents stores
    /// nothing: missing planes are zeros.
    fn fill_planes(&self, planes: &mut BTreeMap<PlaneId, Vec<u8>>) {
        let mut start = 0;
        for level in self.levels.clone() {
            for slice in self.slices(level) {
                let bytes = self.shape.plane_bytes(level) * self.samples().len();
                for (sample, number) in self.samples().zip(0..) {
                    let id = PlaneId {
                        level,
                        slice,
                        sample,
                    };
                    let plane = match &self.contents {
                        None => continue,
                        Some(Contents::Texels(texels)) => {
                            self.extract_sample(&texels[start..start + bytes], number)
                        }
                        Some(Contents::Pattern(pattern)) => pattern.generate_plane(&self.shape, id),
                    };
                    planes.insert(id, plane);
                }
                start += bytes;
            }
        }
    }

    /// Returns the texels of one sample, given by its index among the updated ones, from those of a
    /// slice, in which the samples of a texel are adjacent.
    fn extract_sample(&self, texels: &[u8], sample: usize) -> Vec<u8> {
        let (size, samples) = (self.shape.format.texel_size(), self.samples().len());
        if samples == 1 {
            return texels.to_vec();
        }
        texels
            .chunks_exact(size)
            .skip(sample)
            .step_by(samples)
            .flatten()
            .copied()
            .collect()
    }
}

/// Texture with its texels.
#[derive(Clone, PartialEq, Debug)]
pub struct TextureData {
    /// Size and format.
    pub shape: TextureShape,
    /// Missing planes contain zeros.
    planes: BTreeMap<PlaneId, Vec<u8>>,
}

impl TextureData {
    /// Creates the texture that an update begins.
    pub fn from_update(update: &TextureUpdate) -> Self {
        let mut data = Self {
            shape: update.shape.clone(),
            planes: BTreeMap::new(),
        };
        update.fill_planes(&mut data.planes);
        data
    }

    /// Returns true if it has all levels that a filter between them needs, and a cube all faces or
    /// none at level 0. GL 2.1 section 3.8.10.
    pub fn is_complete(&self, sampling: &Sampling) -> bool {
        let TextureShape { target, levels, .. } = self.shape;
        let last = sampling.max_level.min(self.shape.max_levels() - 1);
        let has_levels = sampling.mipmap_mode.is_none() || levels > last;
        let faces = self.planes.keys().filter(|plane| plane.level == 0).count();
        has_levels && (target != TexTarget::Cube || matches!(faces, 0 | 6))
    }

    /// Applies an update to this texture: discards all planes if it begins a texture, takes over
    /// the shape, and stores the planes that it fills.
    pub fn update(&mut self, update: &TextureUpdate) {
        if update.kind == UpdateKind::Create {
            self.planes.clear();
        }
        self.shape = update.shape.clone();
        update.fill_planes(&mut self.planes);
    }

    /// Returns true if an update has filled a plane.
    pub fn has_plane(&self, id: PlaneId) -> bool {
        self.planes.contains_key(&id)
    }

    /// Returns true if no update has filled any plane of a level.
    pub fn is_level_empty(&self, level: u32) -> bool {
        !self.planes.keys().any(|plane| plane.level == level)
    }

    /// Returns the values of a texel, which must be within its plane; zeros, as the format stores
    /// them, if no update has filled the plane.
    pub(crate) fn decode_texel(&self, id: PlaneId, x: u32, y: u32) -> [f64; 4] {
        let size = self.shape.format.texel_size();
        let [width, ..] = self.shape.level_extent(id.level);
        let start = (y as usize * width as usize + x as usize) * size;
        let plane = self.planes.get(&id);
        match plane.and_then(|plane| plane.get(start..start + size)) {
            Some(texel) => self.shape.format.decode(texel),
            None => self.shape.format.decode(&vec![0; size]),
        }
    }

    /// Returns the bytes of a texel; `None` if the texture does not have it.
    pub(crate) fn find_texel(&self, id: PlaneId, [x, y]: [u32; 2]) -> Option<Vec<u8>> {
        let range = self.find_texel_range(id, [x, y])?;
        let size = range.len();
        let plane = self.planes.get(&id);
        let texel = plane.and_then(|plane| plane.get(range));
        Some(texel.map_or_else(|| vec![0; size], <[u8]>::to_vec))
    }

    /// Replaces the bytes of a texel; ignores texels that the texture does not have.
    pub(crate) fn set_texel(&mut self, id: PlaneId, place: [u32; 2], texel: &[u8]) {
        let Some(range) = self.find_texel_range(id, place) else {
            return;
        };
        let bytes = self.shape.plane_bytes(id.level);
        let plane = self.planes.entry(id).or_insert_with(|| vec![0; bytes]);
        if let Some(target) = plane.get_mut(range)
            && target.len() == texel.len()
        {
            target.copy_from_slice(texel);
        }
    }

    /// Returns the range of the bytes of a texel in its plane; `None` if the texture does not have
    /// it.
    fn find_texel_range(&self, id: PlaneId, [x, y]: [u32; 2]) -> Option<Range<usize>> {
        let [width, height, _] = self.shape.level_extent(id.level);
        let exists = id.level < self.shape.levels
            && id.slice < self.shape.slices(id.level)
            && id.sample < self.shape.samples
            && x < width
            && y < height;
        let size = self.shape.format.texel_size();
        let start = (y as usize * width as usize + x as usize) * size;
        exists.then_some(start..start + size)
    }

    /// Returns the texels of a plane; zeros if no update has filled it.
    pub fn plane(&self, id: PlaneId) -> Vec<u8> {
        let zeros = || vec![0; self.shape.plane_bytes(id.level)];
        self.planes.get(&id).cloned().unwrap_or_else(zeros)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    fn shape(target: TexTarget, extent: [u32; 3], levels: u32, layers: u32) -> TextureShape {
        TextureShape {
            target,
            format: Format::parse("R8_UNORM").unwrap(),
            extent,
            levels,
            layers,
            samples: 1,
        }
    }

    fn id(level: u32, slice: u32, sample: u32) -> PlaneId {
        PlaneId {
            level,
            slice,
            sample,
        }
    }

    #[test]
    fn sides_halve_down_to_one() {
        let shape = shape(TexTarget::D3, [5, 2, 8], 4, 1);
        assert_eq!(shape.level_extent(1), [2, 1, 4]);
        assert_eq!(shape.level_extent(3), [1, 1, 1]);
        assert_eq!(shape.level_extent(40), [1, 1, 1]);
        assert_eq!(shape.max_levels(), 4);
        assert_eq!((shape.slices(0), shape.slices(2)), (8, 2));
        assert_eq!(shape.planes().count(), 8 + 4 + 2 + 1);
    }

    #[test]
    fn texels_go_level_by_level_and_slice_by_slice() {
        let update = TextureUpdate::full_texture(
            shape(TexTarget::D2Array, [2, 1, 1], 2, 2),
            Some(Contents::Texels(vec![1, 2, 3, 4, 5, 6])),
        );
        assert_eq!(update.texels(), 6);
        let data = TextureData::from_update(&update);
        assert_eq!(data.plane(id(0, 1, 0)), [3, 4]);
        assert_eq!(data.plane(id(1, 0, 0)), [5]);
        assert_eq!(data.plane(id(1, 1, 0)), [6]);
    }

    #[test]
    fn samples_of_a_texel_stand_together() {
        let shape = TextureShape {
            samples: 2,
            ..shape(TexTarget::D2Multisample, [3, 1, 1], 1, 1)
        };
        let texels = Contents::Texels(vec![1, 2, 3, 4, 5, 6]);
        let data = TextureData::from_update(&TextureUpdate::full_texture(shape, Some(texels)));
        assert_eq!(data.plane(id(0, 0, 0)), [1, 3, 5]);
        assert_eq!(data.plane(id(0, 0, 1)), [2, 4, 6]);
    }

    #[test]
    fn missing_planes_hold_zeros_and_updates_replace() {
        let shape = shape(TexTarget::Cube, [1, 1, 1], 1, 6);
        let face = |start, slice, texel| TextureUpdate {
            kind: start,
            slice: Some(slice),
            ..TextureUpdate::full_texture(shape.clone(), Some(Contents::Texels(vec![texel])))
        };
        let mut data = TextureData::from_update(&face(UpdateKind::Create, 4, 9));
        assert_eq!(
            (data.plane(id(0, 4, 0)), data.plane(id(0, 0, 0))),
            (vec![9], vec![0])
        );
        data.update(&face(UpdateKind::Extend, 0, 7));
        assert_eq!(
            (data.plane(id(0, 4, 0)), data.plane(id(0, 0, 0))),
            (vec![9], vec![7])
        );
        data.update(&face(UpdateKind::Create, 1, 5));
        assert_eq!(
            (data.plane(id(0, 4, 0)), data.plane(id(0, 1, 0))),
            (vec![0], vec![5])
        );
    }

    #[test]
    fn textures_are_complete_with_all_levels_and_faces() {
        let with_levels = Sampling {
            mipmap_mode: Some(ash::vk::SamplerMipmapMode::NEAREST),
            ..Sampling::INITIAL
        };
        let two_levels = Sampling {
            max_level: 1,
            ..with_levels
        };
        let whole = |levels| {
            TextureData::from_update(&TextureUpdate::full_texture(
                shape(TexTarget::D2, [4; 3], levels, 1),
                None,
            ))
        };
        assert!(whole(1).is_complete(&Sampling::INITIAL));
        assert!(!whole(2).is_complete(&with_levels));
        assert!(whole(2).is_complete(&two_levels) && whole(3).is_complete(&with_levels));
        let cube = shape(TexTarget::Cube, [1, 1, 1], 1, 6);
        let texels = |texels| Some(Contents::Texels(vec![5; texels]));
        let face = TextureUpdate {
            slice: Some(2),
            ..TextureUpdate::full_texture(cube.clone(), texels(1))
        };
        assert!(!TextureData::from_update(&face).is_complete(&Sampling::INITIAL));
        assert!(
            TextureData::from_update(&TextureUpdate::full_texture(cube, texels(6)))
                .is_complete(&Sampling::INITIAL)
        );
    }

    #[test]
    fn what_updates_filled_is_known() {
        let shape = shape(TexTarget::Cube, [1, 1, 1], 1, 6);
        let face = TextureUpdate {
            slice: Some(4),
            ..TextureUpdate::full_texture(shape.clone(), Some(Contents::Texels(vec![9])))
        };
        let data = TextureData::from_update(&face);
        assert!(data.has_plane(id(0, 4, 0)) && !data.has_plane(id(0, 0, 0)));
        assert!(!data.is_level_empty(0));
        assert!(
            TextureData::from_update(&TextureUpdate::full_texture(shape, None)).is_level_empty(0)
        );
    }

    #[test]
    fn huge_shapes_are_not_bearable() {
        assert!(shape(TexTarget::D2, [16384, 16384, 1], 1, 1).is_within_size_limit());
        assert!(!shape(TexTarget::D2, [16384, 16384, 1], 1, 2).is_within_size_limit());
        assert!(!shape(TexTarget::D3, [u32::MAX; 3], 1, 1).is_within_size_limit());
    }
}
