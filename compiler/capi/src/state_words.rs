//! GL state that shaders read when they run, instead of having it compiled in.

use crate::call::{Failure, enter, glasm_result};
use crate::enums::choice;
use crate::memory;
use crate::options::{glasm_options, read_options};
use glasm::{AlphaTest, LineStipple, PolygonStipple, StateForm, StateForms, StateWords};

/// Number of words of the state that shaders read when they run. As a uniform buffer they have 336 bytes.
pub const GLASM_STATE_WORDS: usize = 84;

/// Where shaders have each state from: each is a glasm_state_form. Stages that are compiled apart must agree about them.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct glasm_state_forms {
    /// `two_sided_color`.
    pub two_sided_color: u32,
    /// `flat_colors`. The last stage before rasterization then writes each color twice: up to four locations more.
    pub flat_colors: u32,
    /// `clamp_vertex_colors`.
    pub clamp_vertex_colors: u32,
    /// `clamp_fragment_colors`.
    pub clamp_fragment_colors: u32,
    /// `point_sprites`, of which the options have those that may be on, and `point_origin`.
    pub point_sprites: u32,
    /// `point_size` and `unwritten_point_size`.
    pub point_size: u32,
    /// `clip_planes`, of which the options have those that may be on.
    pub clip_planes: u32,
    /// `alpha_function` and `alpha_reference`.
    pub alpha_test: u32,
    /// `line_stipple_pattern` and the like. The last stage before rasterization then has one location more.
    pub line_stipple: u32,
    /// `polygon_stipple`.
    pub polygon_stipple: u32,
    /// `depth_modes`.
    pub depth_modes: u32,
    /// `texture_wraps`.
    pub texture_wraps: u32,
}

/// A specialization constant that is a word of the state.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct glasm_state_constant {
    /// Number of the constant, for VkSpecializationMapEntry.
    pub id: u32,
    /// Number of the word.
    pub word: u32,
}

impl From<&glasm::reflect::StateConstant> for glasm_state_constant {
    fn from(constant: &glasm::reflect::StateConstant) -> Self {
        Self {
            id: constant.id,
            word: constant.word,
        }
    }
}

pub(crate) fn read_forms(given: &glasm_state_forms) -> Result<StateForms, Failure> {
    let form = |number| choice::<StateForm>(number, "forms");
    Ok(StateForms {
        two_sided_color: form(given.two_sided_color)?,
        flat_colors: form(given.flat_colors)?,
        clamp_vertex_colors: form(given.clamp_vertex_colors)?,
        clamp_fragment_colors: form(given.clamp_fragment_colors)?,
        point_sprites: form(given.point_sprites)?,
        point_size: form(given.point_size)?,
        clip_planes: form(given.clip_planes)?,
        alpha_test: form(given.alpha_test)?,
        line_stipple: form(given.line_stipple)?,
        polygon_stipple: form(given.polygon_stipple)?,
        depth_modes: form(given.depth_modes)?,
        texture_wraps: form(given.texture_wraps)?,
    })
}

pub(crate) fn alpha_test(given: &glasm_options) -> Result<AlphaTest, Failure> {
    let function = choice(given.alpha_function, "alpha_function")?;
    Ok(AlphaTest::new(function, given.alpha_reference))
}

pub(crate) fn line_stipple(given: &glasm_options) -> Result<Option<LineStipple>, Failure> {
    if given.has_line_stipple == 0 {
        return Ok(None);
    }
    let pattern = u16::try_from(given.line_stipple_pattern)
        .map_err(|_| Failure::argument("`line_stipple_pattern` has more than 16 bits"))?;
    let factor = u16::try_from(given.line_stipple_factor).ok();
    let factor = factor
        .filter(|factor| (1..=256).contains(factor))
        .ok_or_else(|| Failure::argument("`line_stipple_factor` is not 1 to 256"))?;
    let viewport = given.line_stipple_viewport;
    Ok(Some(LineStipple::new(factor, pattern, viewport)))
}

/// # Safety
/// The rows must be there during the call.
pub(crate) unsafe fn polygon_stipple(
    given: &glasm_options,
) -> Result<Option<Box<PolygonStipple>>, Failure> {
    if given.polygon_stipple.is_null() {
        return Ok(None);
    }
    let mut stipple = PolygonStipple {
        window_height: given.polygon_stipple_height,
        ..PolygonStipple::default()
    };
    let rows = stipple.rows.len();
    // SAFETY: what the caller of this function answers for.
    let rows = unsafe { memory::list(given.polygon_stipple, rows, "polygon_stipple") }?;
    stipple.rows.copy_from_slice(rows);
    Ok(Some(Box::new(stipple)))
}

/// The words of the state in the options: `two_sided_color` to `draw_buffers`, stipples, alpha test, depth modes and wraps. They are the bytes of the uniform
/// buffer of shaders that read state from one, and the values of specialization constants by the number of their word.
///
/// `options` stays the caller's; NULL stands for GL's initial state. `words` is room of the caller for GLASM_STATE_WORDS words; it may be mapped
/// memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_options_state_words(
    options: *const glasm_options,
    words: *mut u32,
) -> glasm_result {
    enter(|| {
        // SAFETY: the caller's structure has the size that it says, and its lists are there.
        let options = unsafe { read_options(options) }?;
        // SAFETY: the caller has room for so many words.
        unsafe { memory::give_array(words, StateWords::new(&options).0, "words") }
    })
}

const _: () = assert!(GLASM_STATE_WORDS == StateWords::LEN);
