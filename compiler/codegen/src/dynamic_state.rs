//! GL state that modules may read at run time instead of having it compiled in.
//!
//! The state fits into 84 words. A word is a specialization constant or a word of a uniform block,
//! depending on the [`StateSource`] that the options select for its state; the word numbers are
//! identical. [`StateBlock::new`] computes the words from the same [`Options`] that would compile
//! the state in.
//!
//! | words | state |
//! |---|---|
//! | 0 | 1: [`two_sided_color`](PipelineState::two_sided_color) |
//! | 1 | 1: [`flat_colors`](PipelineState::flat_colors) |
//! | 2, 3 | 1: [`clamp_vertex_colors`](PipelineState::clamp_vertex_colors), [`clamp_fragment_colors`](PipelineState::clamp_fragment_colors) |
//! | 4, 5 | [`coord_replace_mask`](PipelineState::coord_replace_mask); 1: their origin is [`PointOrigin::LowerLeft`] |
//! | 6, 7 | size of points, a float; 1: programs that write a size have their own |
//! | 8 | [`clip_plane_mask`](PipelineState::clip_plane_mask) |
//! | 9, 10 | [`AlphaTest`]: function, reference (a float) |
//! | 11 | [`LineStipple`]: pattern, and the factor less one from bit 16 on |
//! | 12 to 15 | viewport of line stipples, floats |
//! | 16, 17 | 1: polygons are stippled; [`PolygonStipple::window_height`] |
//! | 18, 19 | [`DepthMode`]s of 32 texture image units, two bits each |
//! | 20 to 51 | lines of the polygon stipple |
//! | 52 to 83 | [`TextureWrap`]s of 32 texture image units |

#[cfg(doc)]
use crate::options::PipelineState;
use crate::options::{
    DepthMode, MipFilter, Options, PointOrigin, TexelFilter, TextureWrap, WrapMode,
};

/// Source from which a module reads a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum StateSource {
    /// Compiled in from the options: another value requires another module. The module contains no
    /// code for unused state.
    #[default]
    CompileTime,
    /// Specialization constants: another value requires another pipeline. Drivers remove code that
    /// the state does not need. The defaults of the constants are those of [`Options::default`],
    /// regardless of the options, so that one module is for all values: the caller specializes all
    /// [`spec_constants`](crate::reflect::StateBinding::spec_constants).
    SpecConstant,
    /// Uniform block: another value requires a write to its buffer.
    UniformBlock,
}

impl StateSource {
    /// Returns true if the state is compiled into modules, so that a change requires another
    /// module.
    pub const fn is_fixed(self) -> bool {
        matches!(self, Self::CompileTime)
    }
}

/// Source of each state.
///
/// Interface variables that a state requires between stages are declared in all modules if the form
/// is not [`CompileTime`](StateSource::CompileTime), so stages that are compiled separately must
/// use the same forms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct StateSources {
    /// [`PipelineState::two_sided_color`](crate::options::PipelineState::two_sided_color).
    pub two_sided_color: StateSource,
    /// [`PipelineState::flat_colors`](crate::options::PipelineState::flat_colors). The last stage before rasterization then writes each color a
    /// second time as [`Semantic::FlatColor`](glasm_ir::Semantic::FlatColor): up to four additional
    /// locations.
    pub flat_colors: StateSource,
    /// [`PipelineState::clamp_vertex_colors`](crate::options::PipelineState::clamp_vertex_colors).
    pub clamp_vertex_colors: StateSource,
    /// [`PipelineState::clamp_fragment_colors`](crate::options::PipelineState::clamp_fragment_colors).
    pub clamp_fragment_colors: StateSource,
    /// [`PipelineState::coord_replace_mask`](crate::options::PipelineState::coord_replace_mask), for which the options contain the sprites that may be
    /// enabled, and [`PipelineState::point_origin`](crate::options::PipelineState::point_origin).
    pub point_sprites: StateSource,
    /// [`PipelineState::forced_point_size`](crate::options::PipelineState::forced_point_size) and [`PipelineState::default_point_size`](crate::options::PipelineState::default_point_size). The last
    /// stage before rasterization then always writes a size.
    pub point_size: StateSource,
    /// [`PipelineState::clip_plane_mask`](crate::options::PipelineState::clip_plane_mask), for which the options contain the planes that may be
    /// enabled: each of them costs a distance.
    pub clip_planes: StateSource,
    /// [`PipelineState::alpha_test`](crate::options::PipelineState::alpha_test).
    pub alpha_test: StateSource,
    /// [`PipelineState::line_stipple`](crate::options::PipelineState::line_stipple). The last stage before rasterization then writes the start
    /// position of a line, at one additional location.
    pub line_stipple: StateSource,
    /// [`Options::polygon_stipple`].
    pub polygon_stipple: StateSource,
    /// [`Options::depth_modes`].
    pub depth_modes: StateSource,
    /// [`Options::texture_wraps`].
    pub texture_wraps: StateSource,
}

impl StateSources {
    /// Returns the sources by which all state is read from `form`.
    pub const fn all(form: StateSource) -> Self {
        Self {
            two_sided_color: form,
            flat_colors: form,
            clamp_vertex_colors: form,
            clamp_fragment_colors: form,
            point_sprites: form,
            point_size: form,
            clip_planes: form,
            alpha_test: form,
            line_stipple: form,
            polygon_stipple: form,
            depth_modes: form,
            texture_wraps: form,
        }
    }

    /// Returns these sources with each replaced by the result of `change` for it.
    #[must_use]
    pub fn map(self, change: impl Fn(StateSource) -> StateSource) -> Self {
        Self {
            two_sided_color: change(self.two_sided_color),
            flat_colors: change(self.flat_colors),
            clamp_vertex_colors: change(self.clamp_vertex_colors),
            clamp_fragment_colors: change(self.clamp_fragment_colors),
            point_sprites: change(self.point_sprites),
            point_size: change(self.point_size),
            clip_planes: change(self.clip_planes),
            alpha_test: change(self.alpha_test),
            line_stipple: change(self.line_stipple),
            polygon_stipple: change(self.polygon_stipple),
            depth_modes: change(self.depth_modes),
            texture_wraps: change(self.texture_wraps),
        }
    }

    /// Returns these sources with all state of vertices set to [`StateSource::CompileTime`], for a
    /// stage that is not the last one before rasterization and thus ignores that state.
    #[must_use]
    pub const fn without_vertex_state(mut self) -> Self {
        self.flat_colors = StateSource::CompileTime;
        self.clamp_vertex_colors = StateSource::CompileTime;
        self.point_size = StateSource::CompileTime;
        self.line_stipple = StateSource::CompileTime;
        self
    }
}

/// Comparison functions: `GL_NEVER` to `GL_ALWAYS`, in their order and in that of `VkCompareOp`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum CompareFunction {
    /// No fragment passes.
    Never,
    /// `<`
    Less,
    /// `=`
    Equal,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `!=`
    NotEqual,
    /// `>=`
    GreaterEqual,
    /// All fragments pass.
    #[default]
    Always,
}

impl CompareFunction {
    /// Returns the function with a number of OpenGL, such as an argument of `glAlphaFunc`; `None`
    /// for other numbers.
    pub const fn from_gl(function: u32) -> Option<Self> {
        Some(match function {
            0x200 => Self::Never,
            0x201 => Self::Less,
            0x202 => Self::Equal,
            0x203 => Self::LessEqual,
            0x204 => Self::Greater,
            0x205 => Self::NotEqual,
            0x206 => Self::GreaterEqual,
            0x207 => Self::Always,
            _ => return None,
        })
    }
}

/// GL's alpha test: GL 2.1 section 4.1.4. Fragments pass if the comparison of the alpha of their
/// color for draw buffer 0 with the reference is true. Integer colors pass.
///
/// In GL, alpha and reference are clamped to [0, 1] before the comparison, unless fragment colors
/// are not clamped. This implementation clamps them with
/// [`clamp_fragment_colors`](PipelineState::clamp_fragment_colors), which therefore also matters
/// for fixed-point attachments. They are compared as floats. NaN passes only with
/// [`Always`](CompareFunction::Always).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct AlphaTest {
    /// Comparison; [`Always`](CompareFunction::Always) without an alpha test.
    pub function: CompareFunction,
    /// Bits of the reference, a float.
    pub reference: u32,
}

impl AlphaTest {
    /// Returns the state of `glAlphaFunc` with the alpha test enabled.
    pub const fn new(function: CompareFunction, reference: f32) -> Self {
        Self {
            function,
            reference: reference.to_bits(),
        }
    }
}

/// GL's line stipple: GL 2.1 section 3.4.2, for pipelines that draw lines.
///
/// Pixels are counted from the start of each line, along its longer side, which the fragment
/// program computes from the first vertex of the line. Lines must therefore be `LINES` (in strips
/// and loops each segment restarts the pattern), and the provoking vertex must be the first, which
/// is Vulkan's default. Lines that are wider than a pixel are stippled correctly except for their
/// ends. Devices with `VK_EXT_line_rasterization` can stipple without the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(deny_unknown_fields)
)]
pub struct LineStipple {
    /// Pattern, starting with bit 0.
    pub pattern: u16,
    /// Number of pixels for each bit: 1 to 256.
    pub factor: u16,
    /// Bits of x, y, width and height of the viewport, floats as in `VkViewport`: a height may be
    /// negative.
    pub viewport: [u32; 4],
}

impl LineStipple {
    /// Returns the state of `glLineStipple` with stippled lines, in a viewport (x, y, width,
    /// height) with Vulkan's conventions. The factor is clamped to 1 to 256.
    pub fn new(factor: u16, pattern: u16, viewport: [f32; 4]) -> Self {
        Self {
            pattern,
            // GL clamps it to this range, too.
            factor: factor.clamp(1, 256),
            viewport: viewport.map(f32::to_bits),
        }
    }

    /// Packs the stipple into a word: the pattern in the low 16 bits, the factor less one above.
    fn pack_word(&self) -> u32 {
        // Stores the factor less one, so that 256 fits in eight bits.
        let factor = u32::from(self.factor.clamp(1, 256)) - 1;
        u32::from(self.pattern) | factor << 16
    }
}

/// GL's polygon stipple: GL 2.1 section 3.5.2, for pipelines that draw polygons as areas.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct PolygonStipple {
    /// 32 lines of pixels, the lowest first; bit 31 is the first pixel of a line. Fragments whose
    /// bit is 0 are dropped.
    pub rows: [u32; 32],
    /// 0 if y = 0 of the framebuffer is at GL's bottom of the window; else the height of the
    /// window, whose y coordinates then count from the top.
    pub window_height: u32,
}

impl PolygonStipple {
    /// Converts the pattern from the format of `glPolygonStipple` with GL's initial pixel storage:
    /// four bytes for each line of 32 pixels, the leftmost pixel in the highest bit. The height of
    /// the window is 0.
    pub fn new(pattern: &[u8; 128]) -> Self {
        let mut rows = [0; 32];
        for (row, bytes) in rows.iter_mut().zip(pattern.chunks_exact(4)) {
            // `UNPACK_LSB_FIRST` is initially false: the first pixel of a byte is its highest bit.
            *row = bytes
                .iter()
                .fold(0, |row, byte| row << 8 | u32::from(*byte));
        }
        Self {
            rows,
            window_height: 0,
        }
    }
}

/// Number of texture image units whose state has words; the state of further units is compiled in.
pub(crate) const STATE_UNITS: u32 = 32;

/// State that modules may read at run time; the value is its first word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StateField {
    TwoSidedColor = 0,
    FlatColors = 1,
    ClampVertexColors = 2,
    ClampFragmentColors = 3,
    PointSprites = 4,
    PointOrigin = 5,
    PointSize = 6,
    ProgramPointSize = 7,
    ClipPlanes = 8,
    AlphaFunction = 9,
    AlphaReference = 10,
    LineStipple = 11,
    // A multiple of 4: its words are one vector of the block.
    Viewport = 12,
    PolygonStipple = 16,
    WindowHeight = 17,
    DepthModes = 18,
    PolygonRows = 20,
    TextureWraps = 52,
}

impl StateField {
    /// Returns the source of this state: compiled in, specialization constant or uniform block.
    pub(crate) const fn source(self, forms: &StateSources) -> StateSource {
        match self {
            Self::TwoSidedColor => forms.two_sided_color,
            Self::FlatColors => forms.flat_colors,
            Self::ClampVertexColors => forms.clamp_vertex_colors,
            Self::ClampFragmentColors => forms.clamp_fragment_colors,
            Self::PointSprites | Self::PointOrigin => forms.point_sprites,
            Self::PointSize | Self::ProgramPointSize => forms.point_size,
            Self::ClipPlanes => forms.clip_planes,
            Self::AlphaFunction | Self::AlphaReference => forms.alpha_test,
            Self::LineStipple | Self::Viewport => forms.line_stipple,
            Self::PolygonStipple | Self::WindowHeight | Self::PolygonRows => forms.polygon_stipple,
            Self::DepthModes => forms.depth_modes,
            Self::TextureWraps => forms.texture_wraps,
        }
    }

    /// Returns true if the word has the bits of a float; all others are integers.
    pub(crate) const fn is_float(self) -> bool {
        matches!(
            self,
            Self::PointSize | Self::AlphaReference | Self::Viewport
        )
    }
}

/// Words of the state in [`Options`].
///
/// As a uniform block they are an array of 21 vectors of four words; word n as a specialization
/// constant has the number
/// [`BindingLayout::first_state_spec_constant_id`](crate::options::BindingLayout::first_state_spec_constant_id)
/// `+ n`. [`Reflection::state_block`](crate::Reflection::state_block) lists the words that a module
/// reads: only these have an effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StateBlock(pub [u32; Self::LEN]);

impl StateBlock {
    /// Number of words.
    // A multiple of 4, because the block is an array of vectors: 20 words, 32 lines of the polygon
    // stipple, 32 texture image units.
    pub const LEN: usize = 84;

    /// Computes the words of `pipeline_state`, `polygon_stipple`, `depth_modes` and `texture_wraps`
    /// in the options. Other options are ignored. The alpha reference is clamped if fragment colors
    /// are; without a point size it is 1.
    pub fn new(options: &Options) -> Self {
        let fixed = &options.pipeline_state;
        let mut words = Self([0; Self::LEN]);
        let point_size = fixed.forced_point_size.or(fixed.default_point_size);
        words.set(StateField::TwoSidedColor, fixed.two_sided_color.into());
        words.set(StateField::FlatColors, fixed.flat_colors.into());
        words.set(
            StateField::ClampVertexColors,
            fixed.clamp_vertex_colors.into(),
        );
        words.set(
            StateField::ClampFragmentColors,
            fixed.clamp_fragment_colors.into(),
        );
        words.set(StateField::PointSprites, fixed.coord_replace_mask.into());
        let from_below = fixed.point_origin == PointOrigin::LowerLeft;
        words.set(StateField::PointOrigin, from_below.into());
        // 1 is the initial `POINT_SIZE` of GL.
        let point_size = point_size.unwrap_or(1.0.into());
        words.set(StateField::PointSize, point_size.to_bits());
        // `VERTEX_PROGRAM_POINT_SIZE` is on if no size is fixed.
        words.set(
            StateField::ProgramPointSize,
            fixed.forced_point_size.is_none().into(),
        );
        words.set(StateField::ClipPlanes, fixed.clip_plane_mask.into());
        words.set(StateField::AlphaFunction, fixed.alpha_test.function as u32);
        let reference = f32::from_bits(fixed.alpha_test.reference);
        // Clamped when it is used, as the colors are: ARB_color_buffer_float issue 16.
        let reference = if fixed.clamp_fragment_colors {
            reference.clamp(0.0, 1.0)
        } else {
            reference
        };
        words.set(StateField::AlphaReference, reference.to_bits());
        let lines = fixed.line_stipple.as_ref();
        // Solid lines are a pattern that drops nothing.
        words.set(
            StateField::LineStipple,
            lines.map_or(u16::MAX.into(), LineStipple::pack_word),
        );
        let viewport = lines.map_or([0; 4], |lines| lines.viewport);
        words.set_all(StateField::Viewport, &viewport);
        if let Some(polygons) = &options.polygon_stipple {
            words.set(StateField::PolygonStipple, 1);
            words.set(StateField::WindowHeight, polygons.window_height);
            words.set_all(StateField::PolygonRows, &polygons.rows);
        }
        words.set_textures(&options.depth_modes, &options.texture_wraps);
        words
    }

    /// Writes the fields of all texture units: depth modes with two bits per unit, wrap modes with
    /// one word per unit. Units beyond the fields are ignored. Requires that the fields are 0.
    fn set_textures(&mut self, depth_modes: &[DepthMode], wraps: &[TextureWrap]) {
        for (unit, mode) in depth_modes.iter().take(STATE_UNITS as usize).enumerate() {
            // Four modes need two bits, so that a word has 16 units.
            self.0[StateField::DepthModes as usize + unit / 16] |=
                (*mode as u32) << (unit % 16 * 2);
        }
        for (unit, wrap) in wraps.iter().take(STATE_UNITS as usize).enumerate() {
            self.0[StateField::TextureWraps as usize + unit] = WrapBits::pack(wrap);
        }
    }

    /// Sets one word of the state block.
    fn set(&mut self, word: StateField, value: u32) {
        self.0[word as usize] = value;
    }

    /// Sets consecutive words of the state block, from that of `first` on. Panics if they exceed
    /// the block.
    fn set_all(&mut self, first: StateField, values: &[u32]) {
        let first = first as usize;
        self.0[first..first + values.len()].copy_from_slice(values);
    }

    /// Returns the contents of the uniform block as little-endian bytes.
    pub fn bytes(&self) -> [u8; 4 * Self::LEN] {
        let mut bytes = [0; 4 * Self::LEN];
        for (bytes, word) in bytes.chunks_exact_mut(4).zip(self.0) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

/// Layout of the word of a texture image unit: three bits for each mode, then the filters.
pub(crate) struct WrapBits;

impl WrapBits {
    // Five modes need three bits; three dimensions take bits 0 to 8.
    pub(crate) const MODE: u32 = 3;
    pub(crate) const MAGNIFY: u32 = 9;
    pub(crate) const MINIFY: u32 = 10;
    pub(crate) const LEVELS: u32 = 11;

    /// Packs the wrap modes and filters of a unit into the bits of its word; returns 0 if the
    /// sampler does all wrapping.
    fn pack(wrap: &TextureWrap) -> u32 {
        let modes = (0..).zip(wrap.wrap_modes);
        let modes = modes.fold(0, |bits, (axis, mode)| {
            bits | (mode as u32) << (axis * Self::MODE)
        });
        // Zero indicates that the sampler does all wrapping, regardless of its filters.
        if wrap.wrap_modes == [WrapMode::BySampler; 3] {
            return 0;
        }
        let linear = |filter| u32::from(filter == TexelFilter::Linear);
        // Only this distinction matters between levels: nearest and linear filters use the size of
        // the nearer level.
        let levels = u32::from(wrap.mip_filter != MipFilter::None);
        modes
            | linear(wrap.mag_filter) << Self::MAGNIFY
            | linear(wrap.min_filter) << Self::MINIFY
            | levels << Self::LEVELS
    }
}
