//! Sources of GL state in shaders: structures for C and their conversion.

use crate::enums::{CNumber, read_number};
use crate::ffi_guard::Failure;
use glasm::StateSources;
use glasm::reflect::StateSpecConstant;
use glasm_capi_macros::c_struct;

/// Sources of each state in shaders: each is a glasm_state_source. Stages that are compiled
/// separately must agree about them.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct glasm_state_sources {
    /// `two_sided_color`.
    pub two_sided_color: u32,
    /// `flat_colors`. The last stage before rasterization then writes each color twice: up to four
    /// locations more.
    pub flat_colors: u32,
    /// `clamp_vertex_colors`.
    pub clamp_vertex_colors: u32,
    /// `clamp_fragment_colors`.
    pub clamp_fragment_colors: u32,
    /// `coord_replace_mask`, for which the options have the sprites that may be on, and `point_origin`.
    pub point_sprites: u32,
    /// `forced_point_size` and `default_point_size`.
    pub point_size: u32,
    /// `clip_plane_mask`, for which the options have the planes that may be on.
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
#[c_struct(StateSpecConstant)]
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct glasm_state_spec_constant {
    /// Number of the constant, for VkSpecializationMapEntry.
    pub id: u32,
    /// Number of the word.
    pub word_index: u32,
}

impl From<&StateSources> for glasm_state_sources {
    fn from(sources: &StateSources) -> Self {
        macro_rules! numbers {
            ($($state:ident)*) => {
                Self { $($state: sources.$state.to_number(),)* }
            };
        }
        numbers! {
            two_sided_color flat_colors clamp_vertex_colors clamp_fragment_colors point_sprites point_size clip_planes alpha_test
            line_stipple polygon_stipple depth_modes texture_wraps
        }
    }
}

/// Reads the forms in which the caller provides each state; fails for unknown numbers.
pub(crate) fn read_state_sources(given: &glasm_state_sources) -> Result<StateSources, Failure> {
    macro_rules! forms {
        ($($state:ident)*) => {
            StateSources { $($state: read_number(
                given.$state,
                concat!("state_sources.", stringify!($state))
            )?,)* }
        };
    }
    Ok(forms! {
        two_sided_color flat_colors clamp_vertex_colors clamp_fragment_colors point_sprites point_size clip_planes alpha_test
        line_stipple polygon_stipple depth_modes texture_wraps
    })
}
