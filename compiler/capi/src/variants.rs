//! Variants of programs for state that changes what their instructions do.

use crate::enums::read_number;
use crate::ffi_args::{require, require_out_handle, write_handle};
use crate::ffi_guard::{Failure, catch_to_result, glasm_result};
use crate::program::glasm_program;
use crate::semantic::{glasm_semantic_info, read_semantic};
use glasm::Program;
use glasm::ir::{Saturate, Stage};
use glasm_capi_macros::c_enum;
use std::mem::MaybeUninit;

/// Clamp of values.
#[c_enum(Saturate)]
#[repr(u32)]
pub enum glasm_saturation {
    /// No clamp.
    None = 0,
    /// To 0 to 1; NaN becomes 0.
    Unsigned = 1,
    /// To -1 to 1; NaN becomes -1.
    Signed = 2,
    /// To 0 to 1; NaN remains NaN.
    UnsignedOrNan = 3,
    /// To -1 to 1; NaN remains NaN.
    SignedOrNan = 4,
}

/// Writes the variant of a program that `make` creates.
fn write_variant(
    program: Option<&glasm_program>,
    variant: Option<&mut MaybeUninit<*mut glasm_program>>,
    make: impl FnOnce(&Program) -> Result<Program, Failure>,
) -> glasm_result {
    catch_to_result(|| {
        let variant = require_out_handle(variant, "variant")?;
        let made = make(require(program, "program")?.program())?;
        write_handle(variant, glasm_program::new(made));
        Ok(())
    })
}

/// Creates the same program for textures that do not compare (TEXTURE_COMPARE_MODE is NONE):
/// lookups of shadow targets on `units`, a mask of texture image units, return the texel, as
/// drivers did. Otherwise their result is undefined. Arrays of units are treated as their first
/// unit.
///
/// `program` stays the caller's. `variant` is set to a program that the caller owns and frees with
/// `glasm_program_free`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_with_non_comparison_lookups(
    program: Option<&glasm_program>,
    units: u32,
    variant: Option<&mut MaybeUninit<*mut glasm_program>>,
) -> glasm_result {
    write_variant(program, variant, |program| {
        Ok(program.with_non_comparison_lookups(units))
    })
}

/// Creates the same program for depth textures that compare: lookups of ordinary targets of one and
/// two dimensions on `units`, a mask of texture image units, compare with the third coordinate, as
/// programs of NV_fragment_program do. Arrays of units are treated as their first unit.
///
/// `program` stays the caller's. `variant` is set to a program that the caller owns and frees with
/// `glasm_program_free`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_with_comparison_lookups(
    program: Option<&glasm_program>,
    units: u32,
    variant: Option<&mut MaybeUninit<*mut glasm_program>>,
) -> glasm_result {
    write_variant(program, variant, |program| {
        Ok(program.with_comparison_lookups(units))
    })
}

/// Creates the same program for missing textures on `units`, a mask of texture image units: lookups
/// return (0, 0, 0, 0), as programs of NV_fragment_program define it. Arrays of units are treated
/// as their first unit.
///
/// `program` stays the caller's. `variant` is set to a program that the caller owns and frees with
/// `glasm_program_free`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_with_missing_textures(
    program: Option<&glasm_program>,
    units: u32,
    variant: Option<&mut MaybeUninit<*mut glasm_program>>,
) -> glasm_result {
    write_variant(program, variant, |program| {
        Ok(program.with_missing_textures(units))
    })
}

/// Creates the same program with clip distances that clip only if their planes are enabled
/// (`clip_plane_mask`), as in OpenGL. Otherwise all written distances clip, except in
/// `!!VP2.0` programs. For the last stage before rasterization.
///
/// `program` stays the caller's. `variant` is set to a program that the caller owns and frees with
/// `glasm_program_free`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_with_enabled_clip_distances(
    program: Option<&glasm_program>,
    variant: Option<&mut MaybeUninit<*mut glasm_program>>,
) -> glasm_result {
    write_variant(program, variant, |program| {
        Ok(program.with_enabled_clip_distances())
    })
}

/// Creates the same fragment program with texels instead of its primary color: texels of the
/// two-dimensional texture of `unit` at the floor of `coordinate`, an input, clamped as
/// `saturation`, a glasm_saturation, specifies. So a rectangle draws the pixels of glDrawPixels.
/// GLASM_RESULT_INVALID_ARGUMENT if it is not a fragment program, evaluates its color at other
/// locations, or reads it with an index.
///
/// `program` and `coordinate` stay the caller's. `variant` is set to a program that the caller owns
/// and frees with `glasm_program_free`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_with_texel_colors(
    program: Option<&glasm_program>,
    unit: u32,
    coordinate: Option<&glasm_semantic_info>,
    saturation: u32,
    variant: Option<&mut MaybeUninit<*mut glasm_program>>,
) -> glasm_result {
    write_variant(program, variant, |program| {
        let coordinate = read_semantic(*require(coordinate, "coordinate")?)?;
        let saturation = read_number(saturation, "saturation")?;
        if program.stage() != Stage::Fragment {
            return Err(Failure::invalid_argument(
                "`program` is not a fragment program",
            ));
        }
        let made = program.with_texel_colors(unit, coordinate, saturation);
        made.ok_or_else(|| {
            Failure::invalid_argument(
                "`program` reads its color in a way that texels cannot replace",
            )
        })
    })
}
