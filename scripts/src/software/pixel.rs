//! A pixel of the framebuffer: tests of fragments, blending, and the formats of attachments.

use super::filter::passes_comparison;
use super::invocation::InvocationResult;
use super::programs::StageProgram;
use super::stencil::{TestOutcome, passes_stencil, update_stencil};
use crate::format::{DepthFormat, Encoding, Format};
use crate::script::Clear;
use crate::script::Requirements;
use crate::script::pipeline_state::{BlendState, PipelineState, StencilFace};
use ash::vk;
use glasm::ir::{BaseType, Semantic};
use std::rc::Rc;

/// Colors of a pixel, by attachment; `None` for numbers without attachment.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PixelColors {
    /// Values as the format stores them.
    pub colors: Vec<Option<[f64; 4]>>,
    /// Formats of the attachments.
    pub formats: Rc<[Option<Format>]>,
}

/// A pixel of the framebuffer.
#[derive(Clone, Debug)]
pub(super) struct PixelState {
    pub(super) content: PixelColors,
    depth: f64,
    stencil: u8,
    depth_format: Option<DepthFormat>,
    alpha_test: glasm::AlphaTest,
    clamps_colors: bool,
}

impl PixelState {
    /// Returns the pixel before the first command: colors of 0 and the largest depth.
    pub(super) fn new(requirements: &Requirements) -> Self {
        let formats: Rc<[_]> = requirements.attachments.colors.clone().into();
        let colors = formats
            .iter()
            .map(|format| format.as_ref().map(|_| [0.0; 4]));
        Self {
            content: PixelColors {
                colors: colors.collect(),
                formats,
            },
            depth: 1.0,
            stencil: 0,
            depth_format: requirements.attachments.depth,
            alpha_test: requirements.fixed.alpha_test,
            clamps_colors: requirements.fixed.clamp_fragment_colors,
        }
    }

    /// Applies a clear.
    pub(super) fn clear(&mut self, clear: &Clear) {
        for (number, format) in self.content.formats.iter().enumerate() {
            let is_cleared = clear.only.is_none_or(|only| only as usize == number);
            if let Some(format) = format.as_ref().filter(|_| is_cleared) {
                self.content.colors[number] =
                    Some(format.decode(&format.encode(clear.colors[number])));
            }
        }
        if clear.only.is_none() {
            self.depth = self.round_depth(f64::from(clear.depth));
            self.stencil = clear.stencil as u8;
        }
    }

    /// Returns a depth as the depth buffer stores it.
    fn round_depth(&self, depth: f64) -> f64 {
        let texels = self.depth_format.and_then(DepthFormat::depth_texels);
        texels.map_or(depth, |format| format.decode(&format.encode([depth; 4]))[0])
    }

    /// Applies the tests and the blending of a draw to a fragment of a front or back face with a
    /// depth. Returns false, and changes at most the stencil value, if the fragment fails a test.
    pub(super) fn apply_fragment(
        &mut self,
        program: &StageProgram,
        result: &InvocationResult,
        (state, is_front): (&PipelineState, bool),
        depth: f64,
    ) -> bool {
        if result.is_discarded {
            return false;
        }
        let find = |wanted: Semantic| {
            let mut outputs = result.outputs.iter();
            let found = outputs.find(|(semantic, ..)| *semantic == wanted);
            found.map(|(_, base, lanes)| (*base, *lanes))
        };
        let color_of = |buffer, index| find(Semantic::FragColor { buffer, index });
        let alpha = color_of(0, 0).map(|(_, lanes)| f32::from_bits(lanes[3] as u32));
        if !self.passes_alpha_test(alpha.unwrap_or(1.0)) {
            return false;
        }
        // The pixel has one sample.
        let mask = find(Semantic::SampleMask);
        if mask.is_some_and(|(_, lanes)| lanes[0] & 1 == 0) {
            return false;
        }
        let written = find(Semantic::FragDepth).map(|(_, lanes)| f32::from_bits(lanes[2] as u32));
        let depth = self.round_depth(written.map_or(depth, f64::from).clamp(0.0, 1.0));
        let face = if is_front { state.front } else { state.back };
        let reference = find(Semantic::FragStencil).map(|(_, lanes)| lanes[1] as u32);
        let reference = reference.unwrap_or(face.reference);
        if !self.test_stencil_and_depth(state, (&face, reference), depth) {
            return false;
        }
        for number in 0..self.content.colors.len() {
            let buffer = if program.ir.modes.separate_colors {
                number as u8
            } else {
                0
            };
            if let Some(color) = color_of(buffer, 0) {
                let second = color_of(buffer, 1);
                self.write_color(number, color, second, state);
            }
        }
        true
    }

    /// Returns true if a fragment with an alpha passes the alpha test, which integer attachments do
    /// not have.
    fn passes_alpha_test(&self, alpha: f32) -> bool {
        let first = self.content.formats.first().and_then(Option::as_ref);
        let encoding = first.map(|format| format.encoding);
        if encoding.is_some_and(Encoding::is_integer) {
            return true;
        }
        let is_clamped = matches!(encoding, Some(Encoding::Unorm | Encoding::Srgb));
        let alpha = if is_clamped || self.clamps_colors {
            alpha.clamp(0.0, 1.0)
        } else {
            alpha
        };
        passes_alpha_test(self.alpha_test, alpha)
    }

    /// Applies the stencil test of a face with a reference, then the depth test, and changes the
    /// stencil value as their outcome requires. Returns true if both pass.
    fn test_stencil_and_depth(
        &mut self,
        state: &PipelineState,
        (face, reference): (&StencilFace, u32),
        depth: f64,
    ) -> bool {
        let has_stencil = self.depth_format.is_some_and(|format| format.has_stencil);
        if !state.stencil_test || !has_stencil {
            return self.test_depth(state, depth);
        }
        let outcome = if !passes_stencil(face, reference, self.stencil) {
            TestOutcome::StencilFailed
        } else if !self.test_depth(state, depth) {
            TestOutcome::DepthFailed
        } else {
            TestOutcome::Passed
        };
        self.stencil = update_stencil(face, outcome, reference, self.stencil);
        outcome == TestOutcome::Passed
    }

    /// Compares a depth with that of the pixel, which it replaces if the test passes and the state
    /// writes depths. Returns true without a depth test.
    fn test_depth(&mut self, state: &PipelineState, depth: f64) -> bool {
        let has_depth = self.depth_format.is_some_and(|format| format.has_depth);
        if !state.depth_test || !has_depth {
            return true;
        }
        let passes = passes_comparison(state.depth_compare_op, depth, self.depth);
        if passes && state.depth_write {
            self.depth = depth;
        }
        passes
    }

    /// Writes a color to an attachment, blended as the state specifies.
    fn write_color(
        &mut self,
        number: usize,
        color: (BaseType, [u64; 4]),
        second: Option<(BaseType, [u64; 4])>,
        state: &PipelineState,
    ) {
        let Some(Some(format)) = self.content.formats.get(number) else {
            return;
        };
        let Some(Some(before)) = self.content.colors.get(number).copied() else {
            return;
        };
        let blend = state.attachments.get(number).copied().unwrap_or_default();
        let load = |lanes| {
            let color = load_color(format, lanes);
            if self.clamps_colors && !format.encoding.is_integer() {
                color.map(clamp_to_unit)
            } else {
                color
            }
        };
        let source = load(color.1);
        let second = second.map_or([0.0; 4], |(_, lanes)| load(lanes));
        let blended = if blend.blend && !format.encoding.is_integer() {
            let factors = BlendInputs {
                source,
                second,
                before,
                constant: state.blend_constants.map(f64::from),
            };
            factors.blend(&blend)
        } else {
            source
        };
        let stored = format.decode(&format.encode(blended));
        let masks = [
            vk::ColorComponentFlags::R,
            vk::ColorComponentFlags::G,
            vk::ColorComponentFlags::B,
            vk::ColorComponentFlags::A,
        ];
        let merged = std::array::from_fn(|lane| {
            if blend.color_write_mask.contains(masks[lane]) {
                stored[lane]
            } else {
                before[lane]
            }
        });
        self.content.colors[number] = Some(merged);
    }
}

/// Returns the values of a color that is written to an attachment of a format: integers for integer
/// formats, floats clamped to the range of normalized ones.
fn load_color(format: &Format, lanes: [u64; 4]) -> [f64; 4] {
    lanes.map(|bits| {
        let word = bits as u32;
        let value = f64::from(f32::from_bits(word));
        match format.encoding {
            Encoding::Uint => f64::from(word),
            Encoding::Sint => f64::from(word as i32),
            Encoding::Unorm | Encoding::Srgb => clamp_to_unit(value),
            Encoding::Snorm => value.clamp(-1.0, 1.0),
            Encoding::Uscaled
            | Encoding::Sscaled
            | Encoding::Sfloat
            | Encoding::Ufloat
            | Encoding::SharedExponent => value,
        }
    })
}

/// Returns a value clamped to 0 and 1; 0 for NaN.
fn clamp_to_unit(value: f64) -> f64 {
    if value.is_nan() {
        0.0
    } else {
        value.clamp(0.0, 1.0)
    }
}

/// Returns true if a fragment with an alpha passes the alpha test.
fn passes_alpha_test(test: glasm::AlphaTest, alpha: f32) -> bool {
    use glasm::CompareFunction as Function;
    let reference = f32::from_bits(test.reference);
    match test.function {
        Function::Never => false,
        Function::Less => alpha < reference,
        Function::Equal => alpha == reference,
        Function::LessEqual => alpha <= reference,
        Function::Greater => alpha > reference,
        Function::NotEqual => alpha != reference,
        Function::GreaterEqual => alpha >= reference,
        Function::Always => true,
    }
}

/// Colors that blending combines.
struct BlendInputs {
    source: [f64; 4],
    second: [f64; 4],
    before: [f64; 4],
    constant: [f64; 4],
}

impl BlendInputs {
    /// Returns the blended color. Vulkan specification, "Blend Operations".
    fn blend(&self, blend: &BlendState) -> [f64; 4] {
        std::array::from_fn(|lane| {
            let is_alpha = lane == 3;
            let (op, from, to) = if is_alpha {
                (
                    blend.alpha_op,
                    blend.src_alpha_factor,
                    blend.dst_alpha_factor,
                )
            } else {
                (
                    blend.color_op,
                    blend.src_color_factor,
                    blend.dst_color_factor,
                )
            };
            let (source, before) = (self.source[lane], self.before[lane]);
            let weighted_source = source * self.find_factor(from, lane);
            let weighted_before = before * self.find_factor(to, lane);
            let table = [
                (vk::BlendOp::SUBTRACT, weighted_source - weighted_before),
                (
                    vk::BlendOp::REVERSE_SUBTRACT,
                    weighted_before - weighted_source,
                ),
                (vk::BlendOp::MIN, source.min(before)),
                (vk::BlendOp::MAX, source.max(before)),
            ];
            let found = table.iter().find(|(known, _)| *known == op);
            found.map_or(weighted_source + weighted_before, |(_, value)| *value)
        })
    }

    /// Returns a blend factor for a component.
    fn find_factor(&self, factor: vk::BlendFactor, lane: usize) -> f64 {
        use vk::BlendFactor as F;
        let saturate = if lane == 3 {
            1.0
        } else {
            self.source[3].min(1.0 - self.before[3])
        };
        let table = [
            (F::ZERO, 0.0),
            (F::ONE, 1.0),
            (F::SRC_COLOR, self.source[lane]),
            (F::ONE_MINUS_SRC_COLOR, 1.0 - self.source[lane]),
            (F::DST_COLOR, self.before[lane]),
            (F::ONE_MINUS_DST_COLOR, 1.0 - self.before[lane]),
            (F::SRC_ALPHA, self.source[3]),
            (F::ONE_MINUS_SRC_ALPHA, 1.0 - self.source[3]),
            (F::DST_ALPHA, self.before[3]),
            (F::ONE_MINUS_DST_ALPHA, 1.0 - self.before[3]),
            (F::CONSTANT_COLOR, self.constant[lane]),
            (F::ONE_MINUS_CONSTANT_COLOR, 1.0 - self.constant[lane]),
            (F::CONSTANT_ALPHA, self.constant[3]),
            (F::ONE_MINUS_CONSTANT_ALPHA, 1.0 - self.constant[3]),
            (F::SRC_ALPHA_SATURATE, saturate),
            (F::SRC1_COLOR, self.second[lane]),
            (F::ONE_MINUS_SRC1_COLOR, 1.0 - self.second[lane]),
            (F::SRC1_ALPHA, self.second[3]),
            (F::ONE_MINUS_SRC1_ALPHA, 1.0 - self.second[3]),
        ];
        let found = table.iter().find(|(known, _)| *known == factor);
        found.map_or(1.0, |(_, value)| *value)
    }
}
