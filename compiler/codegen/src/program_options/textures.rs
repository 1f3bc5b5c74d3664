//! Reduction of the state of texture image units and images.

use crate::dynamic_state::{STATE_UNITS, StateSource};
use crate::options::{
    DepthMode, LodBias, MipFilter, Options, TexelFilter, TextureWrap, WrapMode, wrapped_dimensions,
};
use glasm_ir::image::ImageTexels;
use glasm_ir::resource::{TexAccess, TexMode};
use glasm_ir::{Image, Program, Stage, TexTarget, Texture, Type, UnitSet};

/// Returns true for modes that sample with filters.
const fn is_sample(mode: TexMode) -> bool {
    matches!(
        mode,
        TexMode::Implicit | TexMode::Bias | TexMode::Lod | TexMode::Grad
    )
}

/// Resets the state of textures and images of units whose module does not depend on it, and the
/// limits of handles that the program does not access. Sets the state sources of depth modes and
/// wrap modes to [`StateSource::CompileTime`] if no access depends on the state block.
pub(super) fn reduce_textures(options: &mut Options, program: &Program) {
    let accesses: Vec<(TexAccess, Texture)> = program
        .tex_accesses
        .iter()
        .map(|access| (*access, program.textures[access.texture]))
        .collect();
    reduce_depth_modes(options, &accesses);
    reduce_hilo(options, &accesses);
    reduce_wraps(options, &accesses);
    reduce_lod_biases(options, program.stage, &accesses);
    let is_by_handle = |units| matches!(units, UnitSet::Handle | UnitSet::QueryHandle);
    let images = || {
        let accesses = program.image_accesses.iter();
        accesses.map(|access| program.images[access.image])
    };
    let default = Options::default().handles;
    let has_texture_handles = accesses
        .iter()
        .any(|(_, texture)| is_by_handle(texture.units));
    let has_image_handles = images().any(|image| is_by_handle(image.units));
    // Arrays have at least one element.
    let limits = &mut options.handles;
    limits.textures = if has_texture_handles {
        limits.textures.max(1)
    } else {
        default.textures
    };
    limits.images = if has_image_handles {
        limits.images.max(1)
    } else {
        default.images
    };
    reduce_image_formats(options, images());
}

/// Resets the elements of a list by unit for which `is_read` returns false, and removes the
/// defaults at its end.
fn reset_unread_units<T: Default + PartialEq>(list: &mut Vec<T>, is_read: impl Fn(u32) -> bool) {
    for (unit, value) in (0..).zip(list.iter_mut()) {
        if !is_read(unit) {
            *value = T::default();
        }
    }
    while list.last().is_some_and(|last| *last == T::default()) {
        list.pop();
    }
}

/// Resets the depth modes of units whose texture is not compared. Sets the state source to
/// [`StateSource::CompileTime`] if no unit of the state block is compared. If modules read the
/// modes of that block at run time, resets these, too.
fn reduce_depth_modes(options: &mut Options, accesses: &[(TexAccess, Texture)]) {
    let compared = accesses
        .iter()
        .filter(|(access, texture)| texture.shadow && is_sample(access.mode));
    let units: Vec<u32> = compared
        .filter_map(|(_, texture)| texture.units.first())
        .collect();
    let source = &mut options.state_sources.depth_modes;
    if !units.iter().any(|unit| *unit < STATE_UNITS) {
        *source = StateSource::CompileTime;
    }
    // The modes of units beyond those in the block are compiled in.
    let first_compiled = if source.is_fixed() { 0 } else { STATE_UNITS };
    reset_unread_units::<DepthMode>(&mut options.depth_modes, |unit| {
        unit >= first_compiled && units.contains(&unit)
    });
}

/// Clears the flags of signed HILO textures of units without accesses that read texels as floats
/// without a comparison.
fn reduce_hilo(options: &mut Options, accesses: &[(TexAccess, Texture)]) {
    let converted = accesses.iter().filter(|(access, texture)| {
        let reads_texel = is_sample(access.mode) || access.mode.has_integer_coordinate();
        reads_texel && !texture.shadow && texture.texel_type == Type::F32
    });
    let units: Vec<u32> = converted
        .filter_map(|(_, texture)| texture.units.first())
        .collect();
    reset_unread_units(&mut options.signed_hilo_textures, |unit| {
        units.contains(&unit)
    });
}

/// Returns the number of dimensions of an access that have wrap modes.
fn count_wrapped_dimensions(options: &Options, access: &TexAccess, texture: &Texture) -> usize {
    let mode = access.mode;
    // OpenGL's samplers support all modes of rectangles.
    let is_rectangle = texture.target == TexTarget::Rect && options.target.is_opengl();
    if is_rectangle || !mode.reads_texels() || mode.has_integer_coordinate() {
        return 0;
    }
    wrapped_dimensions(texture.target)
}

/// Resets the wrap modes that no access depends on: those of other units and dimensions, and the
/// filters of units without filtered accesses. Clears all of them if modules read the modes at run
/// time. Sets the state source to [`StateSource::CompileTime`] if no access uses a unit of the
/// state block.
fn reduce_wraps(options: &mut Options, accesses: &[(TexAccess, Texture)]) {
    let wrapped: Vec<_> = accesses
        .iter()
        .filter_map(|(access, texture)| {
            let dimensions = count_wrapped_dimensions(options, access, texture);
            let unit = texture.sampler_unit().filter(|_| dimensions > 0)?;
            Some((unit, dimensions, access.mode, texture.target))
        })
        .collect();
    let source = &mut options.state_sources.texture_wraps;
    if !wrapped.iter().any(|(unit, ..)| *unit < STATE_UNITS) {
        *source = StateSource::CompileTime;
    }
    if !source.is_fixed() {
        // Samplers implement the modes of units beyond those in the block.
        options.texture_wraps.clear();
        return;
    }
    for (unit, wrap) in (0..).zip(&mut options.texture_wraps) {
        let uses = wrapped.iter().filter(|(own, ..)| *own == unit);
        let dimensions = uses.clone().map(|(_, dimensions, ..)| *dimensions).max();
        wrap.wrap_modes[dimensions.unwrap_or(0)..].fill(WrapMode::BySampler);
        // Gathers select texels like linear filters, in the base level.
        let samples = uses.filter(|(_, _, mode, _)| is_sample(*mode));
        if samples.clone().next().is_none() {
            (wrap.mag_filter, wrap.min_filter) = (TexelFilter::Nearest, TexelFilter::Nearest);
        }
        let mut leveled = samples.filter(|(.., target)| *target != TexTarget::Rect);
        if leveled.next().is_none() {
            wrap.mip_filter = MipFilter::None;
        } else if wrap.mip_filter == MipFilter::Linear {
            // Both use the size of the nearer level.
            wrap.mip_filter = MipFilter::Nearest;
        }
        if wrap.wrap_modes == [WrapMode::BySampler; 3] {
            *wrap = TextureWrap::default();
        }
        reduce_filters(wrap);
    }
    reset_unread_units(&mut options.texture_wraps, |_| true);
}

/// Replaces two different filters by a pair for which the module is the same, unless a mode clamps
/// to the texture: only such modes need the filter of each sample.
fn reduce_filters(wrap: &mut TextureWrap) {
    if wrap.any_mode(WrapMode::clamps_to_texture) {
        return;
    }
    if wrap.mag_filter == wrap.min_filter {
        return;
    }
    // Mirrors need to know whether any filter is nearest and, if they have a border, linear. That
    // filters differ matters without levels, where it makes the level of detail necessary.
    let has_border = wrap.any_mode(|mode| mode.mirrors() && mode.has_border());
    let is_nearest_only = !has_border && wrap.mip_filter != MipFilter::None;
    wrap.mag_filter = TexelFilter::Nearest;
    wrap.min_filter = if is_nearest_only {
        TexelFilter::Nearest
    } else {
        TexelFilter::Linear
    };
}

/// Resets the biases of samplers of units without accesses with a minimum level that the device
/// does not support, and biases of -0.
fn reduce_lod_biases(options: &mut Options, stage: Stage, accesses: &[(TexAccess, Texture)]) {
    let has_native = options.device.resource_min_lod;
    let is_rectangle =
        |texture: &Texture| texture.target == TexTarget::Rect && options.target.is_opengl();
    let emulated = accesses.iter().filter(|(access, texture)| {
        let mode = access.mode;
        // As in `texture::min_lod`.
        let has_computed_level =
            mode == TexMode::Grad || mode.uses_derivatives() && stage == Stage::Fragment;
        access.has_min_lod
            && is_sample(mode)
            && !is_rectangle(texture)
            && !(has_native && has_computed_level)
    });
    let units: Vec<u32> = emulated
        .filter_map(|(_, texture)| texture.sampler_unit())
        .collect();
    for bias in &mut options.lod_biases {
        // Negative zero is no bias either.
        if bias.levels() == 0.0 {
            *bias = LodBias::default();
        }
    }
    reset_unread_units(&mut options.lod_biases, |unit| units.contains(&unit));
}

/// Resets the formats of images of units for which the module does not declare a format.
fn reduce_image_formats(options: &mut Options, images: impl Iterator<Item = Image>) {
    let device = &options.device;
    let needs_none =
        device.storage_image_read_without_format && device.storage_image_write_without_format;
    let mut units = Vec::new();
    for image in images {
        let Some(first) = image.units.first() else {
            continue;
        };
        let count = match image.units {
            UnitSet::Array { count, .. } => count.max(1),
            UnitSet::Single(_) | UnitSet::Handle | UnitSet::QueryHandle => 1,
        };
        // A format of the caller replaces the format in the program.
        let is_declared =
            image.target == TexTarget::Buffer || image.format.is_some() || !needs_none;
        if matches!(image.texels, ImageTexels::Formatted(_)) && is_declared {
            units.push(first..first.saturating_add(count));
        }
    }
    reset_unread_units(&mut options.image_formats, |unit| {
        units.iter().any(|units| units.contains(&unit))
    });
}
