//! Sources of GL state in shaders: structures for C and their conversion.

use crate::call::Failure;
use crate::enums::read_number;
use glasm::StateForms;
use glasm::reflect::StateConstant;
use glasm_capi_macros::c_struct;

/// Sources of each state in shaders: each is a glasm_state_form. Stages that are compiled
/// separately must agree about them.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct glasm_state_forms {
    /// `two_sided_color`.
    pub two_sided_color: u32,
    /// `flat_colors`. The last stage before rasterization then writes each color twice: up to four
    /// locations more.
    pub flat_colors: u32,
    /// `clamp_vertex_colors`.
    pub clamp_vertex_colors: u32,
    /// `clamp_fragment_colors`.
    pub clamp_fragment_colors: u32,
    /// `point_sprites`, for which the options have the sprites that may be on, and `point_origin`.
    pub point_sprites: u32,
    /// `point_size` and `unwritten_point_size`.
    pub point_size: u32,
    /// `clip_planes`, for which the options have the planes that may be on.
    pub clip_planes: u32,
    /// `alpha_function` and `alpha_reference`.
    pub alpha_test: u32,
    /// `line_stipple_pattern` and the other members of the line stipple. The last stage before
    /// rasterization then has one location more.
    pub line_stipple: u32,
    /// `polygon_stipple`.
    pub polygon_stipple: u32,
    /// `depth_modes`.
    pub depth_modes: u32,
    /// `texture_wraps`.
    pub texture_wraps: u32,
}

/// A specialization constant that is a word of the state.
#[c_struct(StateConstant)]
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct glasm_state_constant {
    /// Number of the constant, for VkSpecializationMapEntry.
    pub id: u32,
    /// Number of the word.
    pub word: u32,
}

/// Returns the forms of the caller.
pub(crate) fn read_forms(given: &glasm_state_forms) -> Result<StateForms, Failure> {
    macro_rules! forms {
        ($($state:ident)*) => {
            StateForms { $($state: read_number(given.$state, "forms")?,)* }
        };
    }
    Ok(forms! {
        two_sided_color flat_colors clamp_vertex_colors clamp_fragment_colors point_sprites point_size clip_planes alpha_test
        line_stipple polygon_stipple depth_modes texture_wraps
    })
}
