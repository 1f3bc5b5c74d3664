//! GL state that modules may read when they run, instead of having it compiled in.
//!
//! All of it fits into 84 words. A word is a specialization constant or a word of a uniform block, whichever [`StateForm`] the options name for
//! the state that it belongs to; the numbers are the same. [`StateWords::new`] makes the words of the same [`Options`] that would compile
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
//! | 20 to 51 | rows of the polygon stipple |
//! | 52 to 83 | [`TextureWrap`]s of 32 texture image units |

#[cfg(doc)]
use crate::options::FixedState;
use crate::options::{
    DepthMode, LevelFilter, Options, PointOrigin, TexelFilter, TextureWrap, WrapMode,
};

/// Where a module has a state from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum StateForm {
    /// From the options: another value is another module. Code that the state does not need is not there.
    #[default]
    Fixed,
    /// From specialization constants, whose defaults are the values in the options: another value is another pipeline. Drivers remove
    /// code that the state does not need.
    Specialized,
    /// From a uniform block: another value is a write to its buffer.
    Uniform,
}

impl StateForm {
    /// Whether modules have the state compiled in.
    pub const fn is_fixed(self) -> bool {
        matches!(self, Self::Fixed)
    }
}

/// Where a module has each state from.
///
/// What a state needs of the interface between stages is there in all modules if it is not [`Fixed`](StateForm::Fixed), so that stages that
/// are compiled apart must agree about these forms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct StateForms {
    /// [`FixedState::two_sided_color`].
    pub two_sided_color: StateForm,
    /// [`FixedState::flat_colors`]. The last stage before rasterization then writes each color twice, once more as
    /// [`Semantic::FlatColor`](glasm_ir::Semantic::FlatColor): up to four locations more.
    pub flat_colors: StateForm,
    /// [`FixedState::clamp_vertex_colors`].
    pub clamp_vertex_colors: StateForm,
    /// [`FixedState::clamp_fragment_colors`].
    pub clamp_fragment_colors: StateForm,
    /// [`FixedState::point_sprites`], of which the options have those that may be on, and [`FixedState::point_origin`].
    pub point_sprites: StateForm,
    /// [`FixedState::point_size`] and [`FixedState::unwritten_point_size`]. The last stage before rasterization then always writes a size.
    pub point_size: StateForm,
    /// [`FixedState::clip_planes`], of which the options have those that may be on: each of them costs a distance.
    pub clip_planes: StateForm,
    /// [`FixedState::alpha_test`].
    pub alpha_test: StateForm,
    /// [`FixedState::line_stipple`]. The last stage before rasterization then writes the place where a line starts, at one location more.
    pub line_stipple: StateForm,
    /// [`Options::polygon_stipple`].
    pub polygon_stipple: StateForm,
    /// [`Options::depth_modes`].
    pub depth_modes: StateForm,
    /// [`Options::texture_wraps`].
    pub texture_wraps: StateForm,
}

impl StateForms {
    /// All state from one place.
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

    /// What is left of them for a stage that is not the last one before rasterization: what is about vertices does not concern it.
    #[must_use]
    pub const fn before_rasterization(mut self) -> Self {
        self.flat_colors = StateForm::Fixed;
        self.clamp_vertex_colors = StateForm::Fixed;
        self.point_size = StateForm::Fixed;
        self.line_stipple = StateForm::Fixed;
        self
    }
}

/// A comparison: `GL_NEVER` to `GL_ALWAYS`, in their order and in that of `VkCompareOp`.
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

/// GL's alpha test: GL 2.1 section 4.1.4. Fragments pass if the alpha of their color for draw buffer 0 compares with the reference as the
/// function says. Colors that are integers pass.
///
/// In GL alpha and reference are clamped to [0, 1] before they are compared, unless colors of fragments are not clamped. So it is here with
/// [`clamp_fragment_colors`](FixedState::clamp_fragment_colors), which therefore counts for fixed-point attachments, too. They are compared as
/// floats. NaN passes where nothing is compared, and nowhere else.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct AlphaTest {
    /// The comparison; [`Always`](CompareFunction::Always) where there is no alpha test.
    pub function: CompareFunction,
    /// Bits of the reference, a float.
    pub reference: u32,
}

impl AlphaTest {
    /// `glAlphaFunc`, of an alpha test that is enabled.
    pub const fn new(function: CompareFunction, reference: f32) -> Self {
        Self {
            function,
            reference: reference.to_bits(),
        }
    }
}

/// GL's stipple of lines: GL 2.1 section 3.4.2, for pipelines that draw lines.
///
/// Pixels count from where each line starts, along its longer side, which the fragment program finds from the first vertex of the line. So lines
/// must be `LINES` (of strips and loops each segment starts anew), and the provoking vertex must be the first, as it is in Vulkan unless it
/// is told otherwise. Lines that are wider than a pixel are stippled right but for their ends. Devices with `VK_EXT_line_rasterization` can do it
/// without the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(deny_unknown_fields)
)]
pub struct LineStipple {
    /// The pattern, from bit 0 on.
    pub pattern: u16,
    /// How many pixels each bit counts for: 1 to 256.
    pub factor: u16,
    /// Bits of x, y, width and height of the viewport, floats as `VkViewport` has them: a height may be negative.
    pub viewport: [u32; 4],
}

impl LineStipple {
    /// `glLineStipple`, of lines that are stippled, in a viewport as Vulkan has it.
    pub fn new(factor: u16, pattern: u16, viewport: [f32; 4]) -> Self {
        Self {
            pattern,
            // GL clamps it to this range, too.
            factor: factor.clamp(1, 256),
            viewport: viewport.map(f32::to_bits),
        }
    }

    fn word(&self) -> u32 {
        // One less, so that 256 has room in eight bits.
        let factor = u32::from(self.factor.clamp(1, 256)) - 1;
        u32::from(self.pattern) | factor << 16
    }
}

/// GL's stipple of polygons: GL 2.1 section 3.5.2, for pipelines that draw polygons as areas.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct PolygonStipple {
    /// 32 rows, the lowest first; bit 31 is the first pixel of a row. Fragments whose bit is 0 are dropped.
    pub rows: [u32; 32],
    /// 0 if row 0 of the framebuffer is GL's bottom row; else the height of the window, whose rows then count from the top.
    pub window_height: u32,
}

impl PolygonStipple {
    /// The pattern as `glPolygonStipple` takes it with GL's initial pixel storage: four bytes for each row.
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

/// Number of texture image units whose state has words; that of others is compiled in.
pub(crate) const UNITS: u32 = 32;

/// A state that modules may read when they run; its first word.
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
    /// Where a module has it from.
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

    /// Whether it is a float.
    pub(crate) const fn is_float(self) -> bool {
        matches!(
            self,
            Self::PointSize | Self::AlphaReference | Self::Viewport
        )
    }
}

/// The words of the state in [`Options`].
///
/// As a uniform block they are an array of 21 vectors of four words; word n as a specialization constant has the number
/// [`BindingLayout::first_state_constant`](crate::options::BindingLayout::first_state_constant) `+ n`.
/// [`Reflection::state`](crate::Reflection::state) tells which ones a module reads: only these make a difference.
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
    // A multiple of 4, since the block is an array of vectors: 20 words, 32 rows of the stipple, 32 texture image units.
    pub const LEN: usize = 84;

    /// The words of a state: of `fixed`, `polygon_stipple`, `depth_modes` and `texture_wraps` in the options. The others do not count.
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
        // `VERTEX_PROGRAM_POINT_SIZE` is on where no size is fixed.
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

    /// The bytes of the uniform block.
    pub fn bytes(&self) -> [u8; 4 * Self::LEN] {
        let mut bytes = [0; 4 * Self::LEN];
        for (bytes, word) in bytes.chunks_exact_mut(4).zip(self.0) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

/// Where the word of a texture image unit has what: three bits for each mode, then the filters.
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
        // Zero tells modules that the sampler does it all, whatever its filters are.
        if wrap.modes == [WrapMode::Sampler; 3] {
            return 0;
        }
        let linear = |filter| u32::from(filter == TexelFilter::Linear);
        // Between levels only this matters: nearest and linear ones take the size of the nearer level.
        let levels = u32::from(wrap.levels != LevelFilter::Base);
        modes
            | linear(wrap.magnify) << Self::MAGNIFY
            | linear(wrap.minify) << Self::MINIFY
            | levels << Self::LEVELS
    }
}
