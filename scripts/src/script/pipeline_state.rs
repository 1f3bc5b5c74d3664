//! Fixed-function state of a draw.

use super::model::MAX_COLORS;
use ash::vk;
use glasm::ir::Stage;

/// Entry points of modules that the script does not name.
pub const DEFAULT_ENTRY_POINT: &str = "main";

/// Entry point of each stage: indices into
/// [`Script::entry_names`](crate::script::Script::entry_names).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EntryPoints([u16; 6]);

impl EntryPoints {
    /// Returns the index of a stage's entry point in the script's list of names.
    pub fn get(self, stage: Stage) -> usize {
        usize::from(self.0[stage as usize])
    }

    /// Sets the index of a stage's entry point in the script's list of names.
    pub(super) fn set(&mut self, stage: Stage, number: u16) {
        self.0[stage as usize] = number;
    }
}

/// Vertex of a primitive that provides the values that are not interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProvokingVertex {
    #[default]
    /// First vertex, the default of Vulkan.
    First,
    /// Last vertex, the initial state of GL.
    Last,
}

/// State of stencil tests on one face.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct StencilFace {
    /// Stencil operation if the stencil test fails.
    pub fail_op: vk::StencilOp,
    /// Stencil operation if both tests pass.
    pub pass_op: vk::StencilOp,
    /// Stencil operation if the stencil test passes and the depth test fails.
    pub depth_fail_op: vk::StencilOp,
    /// Comparison of the reference with the stencil value.
    pub compare_op: vk::CompareOp,
    /// Bits that are compared.
    pub compare_mask: u32,
    /// Bits that are written.
    pub write_mask: u32,
    /// Reference value of the stencil test.
    pub reference: u32,
}

/// Blending of colors into one attachment.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BlendState {
    /// `blendEnable`
    pub blend: bool,
    /// `srcColorBlendFactor`
    pub src_color_factor: vk::BlendFactor,
    /// `dstColorBlendFactor`
    pub dst_color_factor: vk::BlendFactor,
    /// `colorBlendOp`
    pub color_op: vk::BlendOp,
    /// `srcAlphaBlendFactor`
    pub src_alpha_factor: vk::BlendFactor,
    /// `dstAlphaBlendFactor`
    pub dst_alpha_factor: vk::BlendFactor,
    /// `alphaBlendOp`
    pub alpha_op: vk::BlendOp,
    /// Components that are written.
    pub color_write_mask: vk::ColorComponentFlags,
}

impl Default for BlendState {
    fn default() -> Self {
        Self {
            blend: false,
            src_color_factor: vk::BlendFactor::SRC_ALPHA,
            dst_color_factor: vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
            color_op: vk::BlendOp::ADD,
            src_alpha_factor: vk::BlendFactor::SRC_ALPHA,
            dst_alpha_factor: vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
            alpha_op: vk::BlendOp::ADD,
            color_write_mask: vk::ColorComponentFlags::RGBA,
        }
    }
}

/// Fixed-function state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PipelineState {
    /// True if the largest index of the index type begins another primitive.
    pub primitive_restart: bool,
    /// Vertices of a patch.
    pub patch_control_points: u32,
    /// Four outer and two inner levels, if no tessellation control program sets them.
    pub tess_levels: [f32; 6],
    /// Entry points of the stages.
    pub entry_points: EntryPoints,
    /// Vertex whose values are not interpolated.
    pub provoking_vertex: ProvokingVertex,
    /// True if depths are clamped instead of clipped.
    pub depth_clamp: bool,
    /// True if primitives are discarded before rasterization.
    pub rasterizer_discard: bool,
    /// Rasterization mode of polygons.
    pub polygon_mode: vk::PolygonMode,
    /// Mode of conservative rasterization: pixels that a primitive touches, or covers, are
    /// rasterized.
    pub conservative_rasterization: vk::ConservativeRasterizationModeEXT,
    /// Faces that are not drawn.
    pub cull_mode: vk::CullModeFlags,
    /// Orientation of front faces.
    pub front_face: vk::FrontFace,
    /// True if a bias is added to depths.
    pub depth_bias: bool,
    /// Bias in units of the smallest difference of depths.
    pub depth_bias_constant_factor: f32,
    /// Maximum of the bias, or if negative its minimum; 0 sets no bound.
    pub depth_bias_clamp: f32,
    /// Bias per slope of the polygon.
    pub depth_bias_slope_factor: f32,
    /// In pixels.
    pub line_width: f32,
    /// True if colors are combined by a bitwise operation instead of blended.
    pub logic_op_enable: bool,
    /// Bitwise operation on colors.
    pub logic_op: vk::LogicOp,
    /// Color of `CONSTANT_COLOR` and `CONSTANT_ALPHA`.
    pub blend_constants: [f32; 4],
    /// Blend states of the attachments, by index.
    pub attachments: [BlendState; MAX_COLORS],
    /// True if depths are tested.
    pub depth_test: bool,
    /// True if depths that pass the test are written.
    pub depth_write: bool,
    /// Comparison of a fragment's depth with that in the buffer.
    pub depth_compare_op: vk::CompareOp,
    /// True if the depth in the buffer must be within bounds.
    pub depth_bounds_test: bool,
    /// Lower bound, 0 to 1.
    pub min_depth_bounds: f32,
    /// Upper bound, 0 to 1.
    pub max_depth_bounds: f32,
    /// True if stencil values are tested.
    pub stencil_test: bool,
    /// Stencil tests of front faces, points and lines.
    pub front: StencilFace,
    /// Stencil tests of back faces.
    pub back: StencilFace,
    /// X, Y, width and height in pixels by viewport number; `None` covers the framebuffer.
    pub viewports: [Option<[f32; 4]>; MAX_VIEWPORTS],
    /// Depths of the near and of the far plane, 0 to 1 (`GL_DEPTH_RANGE`), of all viewports.
    pub depth_range: [f32; 2],
    /// X, Y, width and height in pixels; `None` covers the framebuffer.
    pub scissor: Option<[u32; 4]>,
    /// True if fragment programs are invoked per sample instead of per pixel.
    pub sample_shading: bool,
    /// Minimum fraction of samples with separate invocations, 0 to 1.
    pub min_sample_shading: f32,
    /// Bit N is sample N.
    pub sample_mask: u64,
    /// True if alpha determines the number of covered samples.
    pub alpha_to_coverage: bool,
    /// True if alpha is then replaced by 1.
    pub alpha_to_one: bool,
}

/// Viewports that a script can set.
pub const MAX_VIEWPORTS: usize = 16;

impl PipelineState {
    /// Returns the number of viewports of a draw: all up to the last one that was set, at least 1.
    pub fn viewport_count(&self) -> usize {
        let last = self.viewports.iter().rposition(Option::is_some);
        last.unwrap_or(0) + 1
    }
}

impl Default for PipelineState {
    fn default() -> Self {
        let stencil = StencilFace {
            compare_mask: u32::MAX,
            write_mask: u32::MAX,
            ..StencilFace::default()
        };
        Self {
            primitive_restart: false,
            patch_control_points: 3,
            tess_levels: [1.0; 6],
            entry_points: EntryPoints::default(),
            provoking_vertex: ProvokingVertex::First,
            depth_clamp: false,
            rasterizer_discard: false,
            polygon_mode: vk::PolygonMode::FILL,
            conservative_rasterization: vk::ConservativeRasterizationModeEXT::DISABLED,
            cull_mode: vk::CullModeFlags::NONE,
            front_face: vk::FrontFace::COUNTER_CLOCKWISE,
            depth_bias: false,
            depth_bias_constant_factor: 0.0,
            depth_bias_clamp: 0.0,
            depth_bias_slope_factor: 0.0,
            line_width: 1.0,
            logic_op_enable: false,
            logic_op: vk::LogicOp::SET,
            blend_constants: [0.0; 4],
            attachments: [BlendState::default(); MAX_COLORS],
            depth_test: false,
            depth_write: false,
            depth_compare_op: vk::CompareOp::LESS,
            depth_bounds_test: false,
            min_depth_bounds: 0.0,
            max_depth_bounds: 1.0,
            stencil_test: false,
            front: stencil,
            back: stencil,
            viewports: [None; MAX_VIEWPORTS],
            depth_range: [0.0, 1.0],
            scissor: None,
            sample_shading: false,
            min_sample_shading: 0.0,
            sample_mask: u64::MAX,
            alpha_to_coverage: false,
            alpha_to_one: false,
        }
    }
}
