//! GL state that modules may read at run time instead of having it compiled in.
//!
//! The state fits into 84 words. A word is a specialization constant or a word of a uniform block,
//! depending on the [`StateForm`] that the options select for its state; the word numbers are
//! identical. [`StateWords::new`] computes the words from the same [`Options`] that would compile
//! the state in.
//!
//! | words | state |
//! |---|---|
//! | 0 | 1: [`two_sided_color`](FixedState::two_sided_color) |
//! | 1 | 1: [`flat_colors`](FixedState::flat_colors) |
//! | 2, 3 | 1: [`clamp_vertex_colors`](FixedState::clamp_vertex_colors), [`clamp_fragment_colors`](FixedState::clamp_fragment_colors) |
//! | 4, 5 | [`point_sprites`](FixedState::point_sprites); 1: their origin is [`PointOrigin::LowerLeft`] |
//! | 6, 7 | size of points, a float; 1: programs that write a size have their own |
//! | 8 | [`clip_planes`](FixedState::clip_planes) |
//! | 9, 10 | [`AlphaTest`]: function, reference (a float) |
//! | 11 | [`LineStipple`]: pattern, and the factor less one from bit 16 on |
//! | 12 to 15 | viewport of line stipples, floats |
//! | 16, 17 | 1: polygons are stippled; [`PolygonStipple::window_height`] |
//! | 18, 19 | [`DepthMode`]s of 32 texture image units, two bits each |
//! | 20 to 51 | lines of the polygon stipple |
//! | 52 to 83 | [`TextureWrap`]s of 32 texture image units |

#[cfg(doc)]
use crate::options::FixedState;
use crate::options::{
    DepthMode, LevelFilter, Options, PointOrigin, TexelFilter, TextureWrap, WrapMode,
};

/// Source from which a module reads a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum StateForm {
    /// Compiled in from the options: another value requires another module. The module contains no
    /// code for unused state.
    #[default]
    Fixed,
    /// Specialization constants, whose defaults are the values in the options: another value
    /// requires another pipeline. Drivers remove code that the state does not need.
    Specialized,
    /// Uniform block: another value requires a write to its buffer.
    Uniform,
}

impl StateForm {
    /// Returns true if modules have the state compiled in.
    pub const fn is_fixed(self) -> bool {
        matches!(self, Self::Fixed)
    }
}

/// Source of each state.
///
/// Interface variables that a state requires between stages are declared in all modules if the form
/// is not [`Fixed`](StateForm::Fixed), so stages that are compiled separately must use the same
/// forms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct StateForms {
    /// [`FixedState::two_sided_color`].
    pub two_sided_color: StateForm,
    /// [`FixedState::flat_colors`]. The last stage before rasterization then writes each color a
    /// second time as [`Semantic::FlatColor`](glasm_ir::Semantic::FlatColor): up to four additional
    /// locations.
    pub flat_colors: StateForm,
    /// [`FixedState::clamp_vertex_colors`].
    pub clamp_vertex_colors: StateForm,
    /// [`FixedState::clamp_fragment_colors`].
    pub clamp_fragment_colors: StateForm,
    /// [`FixedState::point_sprites`], for which the options contain the sprites that may be
    /// enabled, and [`FixedState::point_origin`].
    pub point_sprites: StateForm,
    /// [`FixedState::point_size`] and [`FixedState::unwritten_point_size`]. The last stage before
    /// rasterization then always writes a size.
    pub point_size: StateForm,
    /// [`FixedState::clip_planes`], for which the options contain the planes that may be enabled:
    /// each of them costs a distance.
    pub clip_planes: StateForm,
    /// [`FixedState::alpha_test`].
    pub alpha_test: StateForm,
    /// [`FixedState::line_stipple`]. The last stage before rasterization then writes the start
    /// position of a line, at one additional location.
    pub line_stipple: StateForm,
    /// [`Options::polygon_stipple`].
    pub polygon_stipple: StateForm,
    /// [`Options::depth_modes`].
    pub depth_modes: StateForm,
    /// [`Options::texture_wraps`].
    pub texture_wraps: StateForm,
}

impl StateForms {
    /// Returns forms that read all state from one source.
    pub const fn all(form: StateForm) -> Self {
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

    /// Returns these forms without the state of vertices, for a stage that is not the last one
    /// before rasterization and thus ignores that state.
    #[must_use]
    pub const fn before_rasterization(mut self) -> Self {
        self.flat_colors = StateForm::Fixed;
        self.clamp_vertex_colors = StateForm::Fixed;
        self.point_size = StateForm::Fixed;
        self.line_stipple = StateForm::Fixed;
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

/// GL's alpha test: GL 2.1 section 4.1.4. Fragments pass if the comparison of the alpha of their
/// color for draw buffer 0 with the reference is true. Integer colors pass.
///
/// In GL, alpha and reference are clamped to [0, 1] before the comparison, unless fragment colors
/// are not clamped. This implementation clamps them with
/// [`clamp_fragment_colors`](FixedState::clamp_fragment_colors), which therefore also matters for
/// fixed-point attachments. They are compared as floats. NaN passes only with
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
    /// Returns the state of `glLineStipple` with stippled lines, in a viewport with Vulkan's
    /// conventions.
    pub fn new(factor: u16, pattern: u16, viewport: [f32; 4]) -> Self {
        Self {
            pattern,
            // GL clamps it to this range, too.
            factor: factor.clamp(1, 256),
            viewport: viewport.map(f32::to_bits),
        }
    }

    fn word(&self) -> u32 {
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
    /// four bytes for each line of 32 pixels.
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
pub(crate) const UNITS: u32 = 32;

/// State that modules may read at run time; the value is its first word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Word {
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

impl Word {
    /// Returns the form of this state.
    pub(crate) const fn form(self, forms: &StateForms) -> StateForm {
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

    /// Returns true if the word is a float.
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
/// [`BindingLayout::first_state_constant`](crate::options::BindingLayout::first_state_constant)
/// `+ n`. [`Reflection::state`](crate::Reflection::state) lists the words that a module reads: only
/// these have an effect.
///
/// ```
/// use glasm_codegen::options::{FixedState, Options};
/// use glasm_codegen::state::StateWords;
///
/// let fixed = FixedState { two_sided_color: true, ..FixedState::default() };
/// let words = StateWords::new(&Options { fixed, ..Options::default() });
/// assert_eq!(words.0[..2], [1, 0]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StateWords(pub [u32; Self::LEN]);

impl StateWords {
    /// Number of words.
    // A multiple of 4, because the block is an array of vectors: 20 words, 32 lines of the polygon
    // stipple, 32 texture image units.
    pub const LEN: usize = 84;

    /// Computes the words of `fixed`, `polygon_stipple`, `depth_modes` and `texture_wraps` in the
    /// options. Other options are ignored.
    pub fn new(options: &Options) -> Self {
        let fixed = &options.fixed;
        let mut words = Self([0; Self::LEN]);
        let point_size = fixed.point_size.or(fixed.unwritten_point_size);
        words.set(Word::TwoSidedColor, fixed.two_sided_color.into());
        words.set(Word::FlatColors, fixed.flat_colors.into());
        words.set(Word::ClampVertexColors, fixed.clamp_vertex_colors.into());
        words.set(
            Word::ClampFragmentColors,
            fixed.clamp_fragment_colors.into(),
        );
        words.set(Word::PointSprites, fixed.point_sprites.into());
        let from_below = fixed.point_origin == PointOrigin::LowerLeft;
        words.set(Word::PointOrigin, from_below.into());
        // 1 is the initial `POINT_SIZE` of GL.
        words.set(Word::PointSize, point_size.unwrap_or(1f32.to_bits()));
        // `VERTEX_PROGRAM_POINT_SIZE` is on if no size is fixed.
        words.set(Word::ProgramPointSize, fixed.point_size.is_none().into());
        words.set(Word::ClipPlanes, fixed.clip_planes.into());
        words.set(Word::AlphaFunction, fixed.alpha_test.function as u32);
        let reference = f32::from_bits(fixed.alpha_test.reference);
        // Clamped when it is used, as the colors are: ARB_color_buffer_float issue 16.
        let reference = if fixed.clamp_fragment_colors {
            reference.clamp(0.0, 1.0)
        } else {
            reference
        };
        words.set(Word::AlphaReference, reference.to_bits());
        let lines = fixed.line_stipple.as_ref();
        // Solid lines are a pattern that drops nothing.
        words.set(
            Word::LineStipple,
            lines.map_or(u16::MAX.into(), LineStipple::word),
        );
        let viewport = lines.map_or([0; 4], |lines| lines.viewport);
        words.set_all(Word::Viewport, &viewport);
        if let Some(polygons) = &options.polygon_stipple {
            words.set(Word::PolygonStipple, 1);
            words.set(Word::WindowHeight, polygons.window_height);
            words.set_all(Word::PolygonRows, &polygons.rows);
        }
        words.set_textures(&options.depth_modes, &options.texture_wraps);
        words
    }

    fn set_textures(&mut self, depth_modes: &[DepthMode], wraps: &[TextureWrap]) {
        for (unit, mode) in depth_modes.iter().take(UNITS as usize).enumerate() {
            // Four modes need two bits, so that a word has 16 units.
            self.0[Word::DepthModes as usize + unit / 16] |= (*mode as u32) << (unit % 16 * 2);
        }
        for (unit, wrap) in wraps.iter().take(UNITS as usize).enumerate() {
            self.0[Word::TextureWraps as usize + unit] = WrapBits::pack(wrap);
        }
    }

    fn set(&mut self, word: Word, value: u32) {
        self.0[word as usize] = value;
    }

    fn set_all(&mut self, first: Word, values: &[u32]) {
        let first = first as usize;
        self.0[first..first + values.len()].copy_from_slice(values);
    }

    /// Returns the bytes of the uniform block.
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

    fn pack(wrap: &TextureWrap) -> u32 {
        let modes = (0..).zip(wrap.modes);
        let modes = modes.fold(0, |bits, (axis, mode)| {
            bits | (mode as u32) << (axis * Self::MODE)
        });
        // Zero indicates that the sampler does all wrapping, regardless of its filters.
        if wrap.modes == [WrapMode::Sampler; 3] {
            return 0;
        }
        let linear = |filter| u32::from(filter == TexelFilter::Linear);
        // Only this distinction matters between levels: nearest and linear filters use the size of
        // the nearer level.
        let levels = u32::from(wrap.levels != LevelFilter::Base);
        modes
            | linear(wrap.magnify) << Self::MAGNIFY
            | linear(wrap.minify) << Self::MINIFY
            | levels << Self::LEVELS
    }
}
