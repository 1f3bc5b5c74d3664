//! Inputs of the fragments of a quad.

use super::environment::ProgramEnvironment;
use super::programs::StageProgram;
use super::raster::{Shape, Weights};
use super::sampler::Interpolant;
use super::state::SceneState;
use super::vertices::VertexResult;
use crate::script::Convention;
use glasm::ir::interp::QuadFragment;
use glasm::ir::{BaseType, Input, Interpolation, ParamSource, Semantic, StateParam};
use glasm::{PointOrigin, PrimitiveIdMode};
use std::rc::Rc;

/// A primitive that may cover the pixel.
#[derive(Debug)]
pub(super) struct RasterPrimitive {
    pub(super) shape: Shape,
    /// Three vertices, or one.
    pub(super) vertices: Vec<Rc<VertexResult>>,
    /// Index of the vertex whose values are not interpolated.
    pub(super) provoking: usize,
    pub(super) is_front: bool,
    /// Number of the primitive in the draw.
    pub(super) number: u32,
    /// Bit for each clip distance that clips.
    pub(super) clip_mask: u32,
}

impl RasterPrimitive {
    /// Returns the value of a result of the vertices at a position; `None` if the vertices do not
    /// have it.
    fn interpolate(&self, semantic: Semantic, weights: &[f64; 3]) -> Option<[u64; 4]> {
        let mut sum = [0.0; 4];
        for (vertex, weight) in self.vertices.iter().zip(weights) {
            let lanes = vertex.find_lanes(semantic)?;
            for (total, bits) in sum.iter_mut().zip(lanes) {
                *total += weight * f64::from(f32::from_bits(bits));
            }
        }
        Some(sum.map(|value| u64::from((value as f32).to_bits())))
    }

    /// Returns the value of a result of the provoking vertex; `None` if it does not have it.
    fn find_provoking(&self, semantic: Semantic) -> Option<[u64; 4]> {
        let lanes = self.vertices.get(self.provoking)?.find_lanes(semantic)?;
        Some(lanes.map(u64::from))
    }

    /// Returns true if clip distances clip the primitive at a position.
    pub(super) fn is_clipped(&self, weights: &Weights) -> bool {
        let Some(first) = self.vertices.first() else {
            return true;
        };
        first.clip_distances().any(|number| {
            let is_enabled = self.clip_mask >> (number & 31) & 1 != 0;
            let lanes = self.interpolate(Semantic::ClipDistance(number), &weights.perspective);
            let is_negative = |lanes: [u64; 4]| f32::from_bits(lanes[0] as u32) < 0.0;
            is_enabled && lanes.is_some_and(is_negative)
        })
    }
}

/// The varyings of a primitive at any position, with the state on which they depend.
#[derive(Debug)]
pub(super) struct Varyings {
    primitive: Rc<RasterPrimitive>,
    has_two_sided_colors: bool,
    has_flat_colors: bool,
    coord_replace_mask: u8,
    /// True if t of point coordinates grows with y of the framebuffer.
    counts_from_first_row: bool,
    /// Inputs of the program.
    inputs: Vec<Input>,
    /// Pixel with the smallest x and y of the quad.
    corner: [u32; 2],
}

impl Varyings {
    /// Returns the varyings of a primitive for the quad of a pixel.
    pub(super) fn new(
        state: &SceneState<'_>,
        program: &StageProgram,
        primitive: &Rc<RasterPrimitive>,
        pixel: [u32; 2],
    ) -> Self {
        let fixed = &state.script.requirements.fixed;
        let has_lower_origin = state.program_state.point_origin == PointOrigin::LowerLeft;
        let is_gl = state.script.requirements.convention == Convention::OpenGl;
        Self {
            primitive: Rc::clone(primitive),
            has_two_sided_colors: state.has_two_sided_colors(),
            has_flat_colors: fixed.flat_colors,
            coord_replace_mask: fixed.coord_replace_mask,
            // A lower origin and a framebuffer that begins at the bottom each flip t; both together cancel
            // out.
            counts_from_first_row: has_lower_origin == is_gl,
            inputs: program.ir.inputs.iter().copied().collect(),
            corner: pixel.map(|place| place & !1),
        }
    }

    /// Returns the center of the pixel of a fragment of the quad.
    fn find_center(&self, fragment: usize) -> [f64; 2] {
        let fragment = fragment as u32;
        let steps = [fragment & 1, fragment >> 1 & 1];
        [0, 1].map(|axis| f64::from(self.corner[axis] + steps[axis]) + 0.5)
    }

    /// Returns the lanes of a varying at a position; `None` if the vertices do not have it.
    fn load(&self, input: &Input, place: [f64; 2]) -> Option<[u64; 4]> {
        let primitive = &self.primitive;
        let mut semantic = input.semantic;
        let is_color = matches!(semantic, Semantic::Color(_));
        if let Semantic::Color(number) = semantic
            && self.has_two_sided_colors
            && !primitive.is_front
        {
            let back = Semantic::BackColor(number);
            if primitive.find_provoking(back).is_some() {
                semantic = back;
            }
        }
        if let Semantic::TexCoord(set) = semantic
            && matches!(primitive.shape, Shape::Point(_))
            && self.coord_replace_mask >> (set & 7) & 1 != 0
        {
            return Some(self.load_point_coordinate(place));
        }
        let is_flat = input.interpolation == Interpolation::Flat
            || input.base != BaseType::Float
            || is_color && self.has_flat_colors;
        let weights = primitive.shape.find_weights(place);
        let lanes = if is_flat {
            primitive.find_provoking(semantic)?
        } else if input.interpolation == Interpolation::NoPerspective {
            primitive.interpolate(semantic, &weights.linear)?
        } else {
            primitive.interpolate(semantic, &weights.perspective)?
        };
        if semantic == Semantic::FogCoord {
            let one = u64::from(1.0f32.to_bits());
            return Some([lanes[0], 0, 0, one]);
        }
        Some(lanes)
    }

    /// Returns the coordinate in a point.
    fn load_point_coordinate(&self, place: [f64; 2]) -> [u64; 4] {
        let Shape::Point(point) = &self.primitive.shape else {
            return to_float_lanes([0.0, 0.0, 0.0, 1.0]);
        };
        let [s, t] = point.find_coordinate(place);
        let t = if self.counts_from_first_row {
            t
        } else {
            1.0 - t
        };
        to_float_lanes([s, t, 0.0, 1.0])
    }
}

impl Interpolant for Varyings {
    fn interpolate(&self, fragment: usize, input: usize, offset: [f64; 2]) -> Option<[u64; 4]> {
        let center = self.find_center(fragment);
        let place = [0, 1].map(|axis| center[axis] + offset[axis]);
        self.load(self.inputs.get(input)?, place)
    }
}

/// Sources of the inputs of fragments.
pub(super) struct FragmentInputs<'a> {
    pub(super) state: &'a SceneState<'a>,
    pub(super) program: &'a StageProgram,
    pub(super) environment: &'a ProgramEnvironment,
    pub(super) varyings: &'a Varyings,
    /// Depth in the window for a depth in normalized device coordinates.
    pub(super) depth_range: [f64; 2],
    /// Colors of the pixel before the fragment, by attachment.
    pub(super) colors: &'a [Option<[f64; 4]>],
}

impl FragmentInputs<'_> {
    /// Returns the fragments of the quad.
    pub(super) fn build_quad(&self) -> [QuadFragment; 4] {
        let shape = &self.varyings.primitive.shape;
        std::array::from_fn(|index| {
            let center = self.varyings.find_center(index);
            let weights = shape.find_weights(center);
            let is_helper = !shape.covers(center);
            let inputs = self.program.ir.inputs.iter();
            QuadFragment {
                inputs: inputs
                    .map(|input| self.load_input(input, center, &weights, is_helper))
                    .collect(),
                is_helper,
            }
        })
    }

    /// Returns the lanes of an input of a fragment.
    fn load_input(
        &self,
        input: &Input,
        center: [f64; 2],
        weights: &Weights,
        is_helper: bool,
    ) -> [u64; 4] {
        let words = |x: u32| [u64::from(x), 0, 0, 1];
        let semantic = input.semantic;
        if semantic == Semantic::Position {
            return self.load_window_position(center, weights);
        }
        if semantic == Semantic::FaceSign {
            let sign = if self.varyings.primitive.is_front {
                1.0
            } else {
                -1.0
            };
            return to_float_lanes([sign, 0.0, 0.0, 1.0]);
        }
        if semantic == Semantic::PointCoord {
            return self.varyings.load_point_coordinate(center);
        }
        if semantic == Semantic::SamplePosition {
            return to_float_lanes([0.5, 0.5, 0.0, 1.0]);
        }
        if semantic == Semantic::SampleMask {
            return words(u32::from(!is_helper));
        }
        if semantic == Semantic::HelperInvocation {
            return words(if is_helper { u32::MAX } else { 0 });
        }
        if let Semantic::FragColor { buffer, .. } = semantic {
            return self.load_color(buffer, input.base);
        }
        let found = self.varyings.load(input, center);
        found.unwrap_or_else(|| self.load_missing(input))
    }

    /// Returns the lanes of an input that the vertices do not have.
    fn load_missing(&self, input: &Input) -> [u64; 4] {
        if input.semantic == Semantic::PrimitiveId {
            let number = self.varyings.primitive.number;
            let number = match self.state.program_state.primitive_numbers {
                PrimitiveIdMode::PerPrimitive => number,
                PrimitiveIdMode::PerQuad => number / 2,
                PrimitiveIdMode::Constant => 0,
            };
            return [u64::from(number), 0, 0, 1];
        }
        match input.base {
            BaseType::Float => to_float_lanes([0.0, 0.0, 0.0, 1.0]),
            BaseType::SignedInt | BaseType::UnsignedInt => [0, 0, 0, 1],
        }
    }

    /// Returns x, y, depth and 1/w of a fragment, in the conventions of the program.
    fn load_window_position(&self, center: [f64; 2], weights: &Weights) -> [u64; 4] {
        let modes = self.program.ir.modes;
        let [mut x, mut y] = center.map(|coordinate| coordinate as f32);
        let origin = ParamSource::State(StateParam::WindowOrigin);
        let mut params = self.program.ir.params.iter();
        let origin = params.position(|param| param.source == origin);
        if modes.origin_upper_left
            && let Some(terms) = origin.and_then(|param| self.environment.params.get(param))
        {
            y = y * f32::from_bits(terms[0]) + f32::from_bits(terms[1]);
        }
        if modes.pixel_center_integer {
            (x, y) = (x - 0.5, y - 0.5);
        }
        let [near, far] = self.depth_range;
        let depth = near + (far - near) * weights.depth;
        let rest = [depth, weights.reciprocal_w].map(|value| u64::from((value as f32).to_bits()));
        [x.to_bits().into(), y.to_bits().into(), rest[0], rest[1]]
    }

    /// Returns the color of an attachment before the fragment.
    fn load_color(&self, buffer: u8, base: BaseType) -> [u64; 4] {
        let color = self.colors.get(usize::from(buffer)).copied().flatten();
        let color = color.unwrap_or_default();
        match base {
            BaseType::Float => to_float_lanes(color),
            BaseType::SignedInt => color.map(|value| u64::from(value as i32 as u32)),
            BaseType::UnsignedInt => color.map(|value| u64::from(value as u32)),
        }
    }
}

/// Returns the bits of 32-bit floats.
fn to_float_lanes(values: [f64; 4]) -> [u64; 4] {
    values.map(|value| u64::from((value as f32).to_bits()))
}
