//! Texture image units, and lookups of textures.

use super::filter::{Footprint, TexelFilter, find_cube_face, passes_comparison, spread_comparison};
use super::images::SceneImages;
use crate::format::Aspect;
use crate::script::Convention;
use crate::texture::{Sampling, Swizzle, TextureData, TextureUpdate};
use ash::vk;
use glasm::ir::interp::{ImageRequest, InterpolationPoint, TexRequest, TextureSource};
use glasm::ir::resource::TexMode;
use glasm::ir::{BaseType, Id, InputId, Program, Stage, TexTarget, UnitSet};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::rc::Rc;

/// A texture image unit.
#[derive(Clone, Debug)]
struct TextureUnit {
    data: Option<TextureData>,
    sampling: Sampling,
}

impl Default for TextureUnit {
    fn default() -> Self {
        Self {
            data: None,
            sampling: Sampling::INITIAL,
        }
    }
}

/// Texture image units as commands set them.
#[derive(Clone, Debug)]
pub(super) struct TextureUnits {
    units: Rc<BTreeMap<u32, TextureUnit>>,
    /// True if incomplete textures are treated as missing, as in GL.
    complete_only: bool,
}

impl TextureUnits {
    /// Returns units without textures, which follow the rules of GL or of Vulkan.
    pub(super) fn new(convention: Convention) -> Self {
        Self {
            units: Rc::default(),
            complete_only: convention == Convention::OpenGl,
        }
    }

    /// Begins or extends the texture of a unit.
    pub(super) fn update(&mut self, number: u32, update: &TextureUpdate) {
        let unit = Rc::make_mut(&mut self.units).entry(number).or_default();
        match &mut unit.data {
            Some(data) => data.update(update),
            None => unit.data = Some(TextureData::from_update(update)),
        }
    }

    /// Sets how the texture of a unit is sampled.
    pub(super) fn set_sampling(&mut self, number: u32, sampling: Sampling) {
        let unit = Rc::make_mut(&mut self.units).entry(number).or_default();
        unit.sampling = sampling;
    }

    /// Returns the texture of a unit, and how it is sampled; `None` if it has none.
    pub(super) fn find(&self, number: u32) -> Option<(&TextureData, &Sampling)> {
        let unit = self.units.get(&number)?;
        Some((unit.data.as_ref()?, &unit.sampling))
    }

    /// Returns true if a unit has an anisotropic filter.
    pub(super) fn has_anisotropy(&self) -> bool {
        self.units
            .values()
            .any(|unit| unit.sampling.anisotropy > 1.0)
    }

    /// Returns the textures for a program in their current state.
    pub(super) fn snapshot(&self, program: &Program, images: &SceneImages) -> SceneTextures {
        SceneTextures {
            units: Rc::clone(&self.units),
            complete_only: self.complete_only,
            is_fragment: program.stage == Stage::Fragment,
            missing_alpha: if program.modes.transparent_missing_textures {
                0.0
            } else {
                1.0
            },
            interpolant: None,
            images: images.clone(),
        }
    }
}

/// Inputs of the fragments of a quad at any position.
pub(super) trait Interpolant: Debug {
    /// Returns the lanes of an input of a fragment at a distance from the center of its pixel; `None`
    /// if it is the same everywhere.
    fn interpolate(&self, fragment: usize, input: usize, offset: [f64; 2]) -> Option<[u64; 4]>;
}

/// The textures that a program reads, and the inputs of a fragment program at other positions.
#[derive(Clone, Debug)]
pub(super) struct SceneTextures {
    units: Rc<BTreeMap<u32, TextureUnit>>,
    complete_only: bool,
    /// True for fragment programs, whose levels of detail follow from derivatives.
    is_fragment: bool,
    /// Alpha of missing textures.
    missing_alpha: f64,
    /// Inputs at other positions; `None` for other programs.
    pub(super) interpolant: Option<Rc<dyn Interpolant>>,
    /// Images, which the program may change.
    pub(super) images: SceneImages,
}

impl TextureSource for SceneTextures {
    fn interpolate(
        &mut self,
        fragment: usize,
        input: InputId,
        point: InterpolationPoint,
    ) -> Option<[u64; 4]> {
        // A pixel has one sample, at its center.
        let InterpolationPoint::Offset(offset) = point else {
            return None;
        };
        let interpolant = self.interpolant.as_ref()?;
        interpolant.interpolate(fragment, input.index(), offset.map(f64::from))
    }

    fn load_texel(&mut self, request: &ImageRequest) -> Option<[u32; 4]> {
        self.images.load(request)
    }

    fn store_texel(&mut self, request: &ImageRequest, lanes: [u32; 4]) {
        self.images.store(request, lanes);
    }

    fn get_image_size(&mut self, request: &ImageRequest) -> [u32; 4] {
        self.images.get_size(request)
    }

    fn get_image_samples(&mut self, request: &ImageRequest) -> u32 {
        self.images.get_samples(request)
    }

    fn access_texture(&mut self, request: &TexRequest) -> [u32; 4] {
        let unit = match request.texture.units {
            UnitSet::Single(unit) => unit,
            UnitSet::Array { first, .. } => first.saturating_add(request.element),
            UnitSet::Handle | UnitSet::QueryHandle => request.element,
        };
        let unit_state = self.units.get(&unit);
        let sampling = request
            .texture
            .sampler
            .map_or(unit_state, |sampler| self.units.get(&sampler))
            .map_or(Sampling::INITIAL, |unit| unit.sampling);
        let data = unit_state.and_then(|unit| unit.data.as_ref());
        let is_readable = |data: &&TextureData| !self.complete_only || data.is_complete(&sampling);
        let values = match data.filter(is_readable) {
            Some(data) => Lookup {
                request,
                data,
                sampling: &sampling,
                is_fragment: self.is_fragment,
            }
            .evaluate(),
            None if !request.access.mode.reads_texels() => [0.0; 4],
            None if request.access.has_reference => {
                spread_comparison(sampling.comparison_depth_mode, 0.0)
            }
            None => [0.0, 0.0, 0.0, self.missing_alpha],
        };
        to_result_bits(request, values)
    }
}

/// Returns the bits of the result lanes of an access.
fn to_result_bits(request: &TexRequest, values: [f64; 4]) -> [u32; 4] {
    let is_size = matches!(
        request.access.mode,
        TexMode::QuerySize | TexMode::QuerySamples
    );
    let base = if is_size {
        BaseType::SignedInt
    } else {
        request.texture.texel_type.base()
    };
    values.map(|value| match base {
        BaseType::Float => (value as f32).to_bits(),
        BaseType::SignedInt => value as i32 as u32,
        BaseType::UnsignedInt => value as u32,
    })
}

/// A lookup of a texture that exists.
struct Lookup<'a> {
    request: &'a TexRequest,
    data: &'a TextureData,
    sampling: &'a Sampling,
    is_fragment: bool,
}

impl Lookup<'_> {
    /// Returns the result of the access.
    fn evaluate(&self) -> [f64; 4] {
        let request = self.request;
        match request.access.mode {
            TexMode::QuerySize => self.find_size(request.mode_sources[0][0]),
            TexMode::QuerySamples => [f64::from(self.data.shape.samples); 4],
            TexMode::QueryLod => {
                let lod = self.compute_implicit_lod();
                let last = self.count_levels() - 1;
                let accessed = lod.clamp(0.0, f64::from(last));
                [accessed, lod, 0.0, 0.0]
            }
            TexMode::Fetch => self.fetch_texel(request.mode_sources[0][0], 0),
            TexMode::FetchSample => self.fetch_texel(0, request.mode_sources[0][0]),
            TexMode::Gather(component) => self.gather(component, |_| [0; 2]),
            TexMode::GatherOffsets(component) => self.gather(component, |texel| {
                [0, 1].map(|axis| request.mode_sources[axis][texel] as i32)
            }),
            TexMode::Implicit => self.sample(self.compute_implicit_lod()),
            TexMode::Bias => {
                let bias = f64::from(f32::from_bits(request.mode_sources[0][0]));
                self.sample(self.compute_implicit_lod() + bias)
            }
            TexMode::Lod => self.sample(f64::from(f32::from_bits(request.mode_sources[0][0]))),
            TexMode::Grad => self.sample(self.compute_lod(request.mode_sources)),
        }
    }

    /// Returns width, height, depth or layers of a level, and the number of levels.
    fn find_size(&self, level: u32) -> [f64; 4] {
        let shape = &self.data.shape;
        let base = self.sampling.level_range(shape.levels).start;
        let extent = shape.level_extent(base.saturating_add(level).min(31));
        let layers = if shape.target.is_cube() {
            shape.layers / 6
        } else {
            shape.layers
        };
        let plane = usize::from(shape.target.plane_dimensions());
        let mut size = [0.0; 4];
        for (axis, value) in size.iter_mut().take(plane).enumerate() {
            *value = f64::from(extent[axis]);
        }
        if shape.target.is_array() {
            size[plane.min(3)] = f64::from(layers);
        }
        if !shape.target.is_multisample() {
            size[3] = f64::from(self.count_levels());
        }
        size
    }

    /// Returns the number of accessible levels, at least 1.
    fn count_levels(&self) -> u32 {
        self.sampling.level_range(self.data.shape.levels).len() as u32
    }

    /// Returns coordinates as floats.
    fn load_coordinate(&self) -> [f64; 4] {
        let lanes = self.request.coordinate;
        lanes.map(|bits| f64::from(f32::from_bits(bits)))
    }

    /// Returns the level of detail from the derivatives of the quad; 0 in other programs than those
    /// of fragments.
    fn compute_implicit_lod(&self) -> f64 {
        if !self.is_fragment {
            return 0.0;
        }
        self.compute_lod(self.request.derivatives)
    }

    /// Returns the level of detail from derivatives of the coordinate: the logarithm of the longer
    /// side of the pixel in texels. GL 2.1 section 3.8.8.
    fn compute_lod(&self, derivatives: [[u32; 4]; 2]) -> f64 {
        let shape = &self.data.shape;
        let base = self.sampling.level_range(shape.levels).start;
        let extent = shape.level_extent(base).map(f64::from);
        let target = self.request.texture.target;
        let coordinate = self.load_coordinate();
        let lengths = derivatives.map(|step| {
            let step = step.map(|bits| f64::from(f32::from_bits(bits)));
            let step = if target.is_cube() {
                let moved = std::array::from_fn(|axis| coordinate[axis] + step[axis]);
                project_step(coordinate, moved)
            } else {
                step
            };
            let dimensions = usize::from(target.plane_dimensions());
            let squares = (0..dimensions).map(|axis| {
                let is_normalized = target != TexTarget::Rect;
                let texels = if is_normalized { extent[axis] } else { 1.0 };
                (step[axis] * texels).powi(2)
            });
            squares.sum::<f64>().sqrt()
        });
        lengths[0].max(lengths[1]).log2()
    }

    /// Returns the texel at integer coordinates; 0 outside of the texture.
    fn fetch_texel(&self, level: u32, sample: u32) -> [f64; 4] {
        let range = self.sampling.level_range(self.data.shape.levels);
        let level = range.start.saturating_add(level);
        let target = self.request.texture.target;
        let mut place = self.request.coordinate.map(|bits| i64::from(bits as i32));
        for (axis, offset) in self.request.offset.iter().enumerate() {
            place[axis] += i64::from(*offset);
        }
        let plane = usize::from(target.plane_dimensions());
        let slice = if target == TexTarget::D3 {
            place[2]
        } else if target.is_array() {
            // The offset applies to texels, never to the layer.
            i64::from(self.request.coordinate[plane.min(3)] as i32)
        } else {
            0
        };
        let y = if plane > 1 { place[1] } else { 0 };
        let filter = self.build_filter(level);
        let texel = filter.find_texel([place[0], y, slice], sample);
        texel.map_or([0.0; 4], |texel| self.apply_swizzle(texel))
    }

    /// Returns a filter for a level.
    fn build_filter(&self, level: u32) -> TexelFilter<'_> {
        TexelFilter {
            data: self.data,
            sampling: self.sampling,
            level,
        }
    }

    /// Returns the footprint of the access in a level.
    fn build_footprint(&self, level: u32, is_linear: bool) -> Footprint {
        let target = self.request.texture.target;
        let coordinate = self.load_coordinate();
        let extent = self.data.shape.level_extent(level).map(f64::from);
        let layer_lane = usize::from(target.dimensions()).min(3);
        // Vulkan specification, "Integer Texel Coordinate Operations": to the nearest, ties to even.
        let layer = coordinate[layer_lane].round_ties_even().max(0.0);
        let (mut place, mut slice) = (coordinate, 0.0);
        if target.is_cube() {
            let (face, s, t) = find_cube_face([coordinate[0], coordinate[1], coordinate[2]]);
            place = [s, t, 0.0, 0.0];
            slice = f64::from(face);
            if target.is_array() {
                let cubes = f64::from(self.data.shape.layers / 6);
                slice += 6.0 * layer.min(cubes - 1.0);
            }
        } else if target.is_array() {
            slice = layer.min(f64::from(self.data.shape.layers) - 1.0);
        }
        let texels = std::array::from_fn(|axis| {
            let scale = if target == TexTarget::Rect {
                1.0
            } else {
                extent[axis]
            };
            place[axis] * scale + f64::from(self.request.offset[axis])
        });
        Footprint {
            texels,
            dimensions: if target == TexTarget::D3 {
                3
            } else {
                target.plane_dimensions()
            },
            slice: slice as u32,
            is_cube: target.is_cube(),
            is_linear,
        }
    }

    /// Returns the filtered texels at a level of detail, before bias and clamp of the sampler.
    fn sample(&self, lod: f64) -> [f64; 4] {
        let sampling = self.sampling;
        let mut lod = lod + f64::from(sampling.lod_bias);
        let max = f64::from(sampling.max_lod).max(f64::from(sampling.min_lod));
        // Bounds that are not numbers have no effect.
        lod = lod.max(f64::from(sampling.min_lod)).min(max);
        if self.request.access.has_min_lod {
            lod = lod.max(f64::from(f32::from_bits(self.request.min_lod)));
        }
        let is_magnified = lod.is_nan() || lod <= 0.0;
        let filter = if is_magnified {
            sampling.mag_filter
        } else {
            sampling.min_filter
        };
        let is_linear = filter == vk::Filter::LINEAR;
        let range = sampling.level_range(self.data.shape.levels);
        let last = range.end - range.start - 1;
        let at = |level: u32| self.sample_level(range.start + level.min(last), is_linear);
        match sampling.mipmap_mode {
            Some(mode) if !is_magnified => {
                let lod = lod.min(f64::from(last));
                if mode == vk::SamplerMipmapMode::NEAREST {
                    return at((lod + 0.5).ceil() as u32 - 1);
                }
                let (low, high) = (at(lod.floor() as u32), at(lod.floor() as u32 + 1));
                std::array::from_fn(|lane| low[lane] + (high[lane] - low[lane]) * lod.fract())
            }
            Some(_) | None => at(0),
        }
    }

    /// Returns the filtered texels of a level, compared with the reference if the access has one.
    fn sample_level(&self, level: u32, is_linear: bool) -> [f64; 4] {
        let filter = self.build_filter(level);
        let footprint = self.build_footprint(level, is_linear);
        if self.request.access.has_reference {
            let result = filter.filter(&footprint, |texel| [self.compare_depth(texel[0]); 4]);
            return spread_comparison(self.sampling.comparison_depth_mode, result[0]);
        }
        self.apply_swizzle(filter.filter(&footprint, |texel| texel))
    }

    /// Returns 1 if the comparison of the reference with a depth passes, else 0.
    fn compare_depth(&self, depth: f64) -> f64 {
        let mut reference = f64::from(f32::from_bits(self.request.reference));
        if !self.data.shape.format.encoding.is_float() {
            reference = reference.clamp(0.0, 1.0);
        }
        f64::from(u8::from(passes_comparison(
            self.sampling.compare_op,
            reference,
            depth,
        )))
    }

    /// Returns a component of the four texels of the footprint; `offset` is an additional offset of
    /// each of them.
    fn gather(&self, component: u8, offset: impl Fn(usize) -> [i32; 2]) -> [f64; 4] {
        let level = self.sampling.level_range(self.data.shape.levels).start;
        let filter = self.build_filter(level);
        let footprint = self.build_footprint(level, true);
        let has_offsets = matches!(self.request.access.mode, TexMode::GatherOffsets(_));
        // The corners of the footprint in the order of the results. ARB_texture_gather.
        let corners = [[0, 1], [1, 1], [1, 0], [0, 0]];
        std::array::from_fn(|number| {
            let corner = if has_offsets {
                offset(number).map(i64::from)
            } else {
                corners[number]
            };
            let texel = filter.find_corner(&footprint, corner);
            if self.request.access.has_reference {
                return self.compare_depth(texel[0]);
            }
            self.apply_swizzle(texel)[usize::from(component & 3)]
        })
    }

    /// Returns a texel as programs see it: with the components that the base format, the depth mode
    /// and the swizzle of the texture define.
    fn apply_swizzle(&self, texel: [f64; 4]) -> [f64; 4] {
        let mut texel = texel;
        if self.sampling.is_signed_hilo() {
            let rest = 1.0 - texel[0] * texel[0] - texel[1] * texel[1];
            texel[2] = rest.max(0.0).sqrt();
            texel[3] = 1.0;
        }
        let swizzle = match self.data.shape.format.aspect {
            Aspect::Color => self.sampling.color_swizzle(),
            Aspect::Depth => self.sampling.depth_swizzle(),
        };
        swizzle.map(|source| match source {
            Swizzle::Component(component) => texel[usize::from(component & 3)],
            Swizzle::Zero => 0.0,
            Swizzle::One => 1.0,
        })
    }
}

/// Returns the step between two directions on the face of a cube that the first one selects.
fn project_step(from: [f64; 4], to: [f64; 4]) -> [f64; 4] {
    let direction = |lanes: [f64; 4]| [lanes[0], lanes[1], lanes[2]];
    let (face, s, t) = find_cube_face(direction(from));
    let (other_face, other_s, other_t) = find_cube_face(direction(to));
    if face == other_face {
        [other_s - s, other_t - t, 0.0, 0.0]
    } else {
        [0.0; 4]
    }
}
