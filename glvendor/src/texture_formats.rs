//! Texture formats of NV_texture_shader and NV_texture_shader3: the formats of the driver that
//! store them, and the images that have them.
//!
//! The driver stores an image in a format that it knows. Which format the application has specified
//! is recorded by texture, target and level, together with the driver's format: an entry whose
//! image has another format in the driver, because a command that this library does not see has
//! replaced it, is ignored.

use crate::context::State;
use crate::ffi::{driver, driver_state};
use crate::texture_state;
use glasm::fixed_function::TextureFormatType;
use std::sync::atomic::{AtomicBool, Ordering};

/// Base internal formats for which pixels of another kind than colors are specified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PixelGroup {
    /// Format of pixels, such as `HILO_NV`.
    pub(crate) format: u32,
    /// Components in memory.
    pub(crate) components: usize,
    /// First scale of the components among those of pixel transfers: [`TRANSFER_NAMES`].
    pub(crate) first_transfer: usize,
}

/// Internal format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FormatRow {
    /// Enumerant that the application specifies.
    pub(crate) internal: u32,
    /// Internal format of the driver.
    pub(crate) driver: u32,
    /// Format type of texels.
    pub(crate) format_type: TextureFormatType,
    /// Pixels other than colors; `None` for colors.
    pub(crate) group: Option<PixelGroup>,
}

/// `HILO_NV`, `DSDT_NV`, `DSDT_MAG_NV`, `DSDT_MAG_VIB_NV`: formats of pixels.
const HILO: PixelGroup = PixelGroup {
    format: 0x86F4,
    components: 2,
    first_transfer: 0,
};
const DSDT: PixelGroup = PixelGroup {
    format: 0x86F5,
    components: 2,
    first_transfer: 2,
};
const DSDT_MAG: PixelGroup = PixelGroup {
    format: 0x86F6,
    components: 3,
    first_transfer: 2,
};
const DSDT_MAG_VIB: PixelGroup = PixelGroup {
    format: 0x86F7,
    components: 4,
    first_transfer: 2,
};

/// Formats of pixels other than colors.
const GROUPS: [PixelGroup; 4] = [HILO, DSDT, DSDT_MAG, DSDT_MAG_VIB];

/// Number of scales of pixel transfers: HI, LO, DS, DT, MAGNITUDE, VIBRANCE.
pub(crate) const TRANSFERS: usize = 6;

macro_rules! formats {
    ($($internal:literal $driver:literal $ty:ident $group:expr;)*) => {
        /// Internal formats: tables 3.15 and 3.16. Columns: enumerant, format of the driver, type,
        /// kind of pixels.
        static FORMATS: &[FormatRow] = &[$(FormatRow {
            internal: $internal,
            driver: $driver,
            format_type: TextureFormatType::$ty,
            group: $group,
        }),*];
    };
}

// Formats of the driver: those of EXT_texture_snorm; RGB16 for unsigned HILO, whose blue is 1;
// formats of 16 bits for unsigned components next to signed ones.
formats! {
    0x86FB 0x8F93 SignedRgba None;
    0x86FC 0x8F97 SignedRgba None;
    0x86FE 0x8F92 SignedRgba None;
    0x86FF 0x8F96 SignedRgba None;
    0x8701 0x9011 SignedRgba None;
    0x8702 0x9015 SignedRgba None;
    0x8703 0x9012 SignedRgba None;
    0x8704 0x9016 SignedRgba None;
    0x8705 0x9010 SignedRgba None;
    0x8706 0x9014 SignedRgba None;
    0x8707 0x9013 SignedRgba None;
    0x8708 0x9017 SignedRgba None;
    0x870C 0x8F9B SignedRgbUnsignedAlpha None;
    0x870D 0x8F9B SignedRgbUnsignedAlpha None;
    0x86F4 0x8054 UnsignedHilo Some(HILO);
    0x86F8 0x8054 UnsignedHilo Some(HILO);
    0x885E 0x8054 UnsignedHilo Some(HILO);
    0x86F9 0x8F99 SignedHilo Some(HILO);
    0x86FA 0x8F99 SignedHilo Some(HILO);
    0x885F 0x8F99 SignedHilo Some(HILO);
    0x86F5 0x8F95 Dsdt Some(DSDT);
    0x8709 0x8F95 Dsdt Some(DSDT);
    0x86F6 0x8F9A DsdtMag Some(DSDT_MAG);
    0x870A 0x8F9A DsdtMag Some(DSDT_MAG);
    0x86DC 0x8F9B DsdtMagIntensity Some(DSDT_MAG_VIB);
    0x870B 0x8F9B DsdtMagIntensity Some(DSDT_MAG_VIB);
}

/// Returns the entry of an internal format; `None` for formats of the driver.
pub(crate) fn find_format(internal: u32) -> Option<&'static FormatRow> {
    FORMATS.iter().find(|row| row.internal == internal)
}

/// Returns the kind of pixels that a format of pixels denotes; `None` for colors and others.
pub(crate) fn find_group(format: u32) -> Option<PixelGroup> {
    GROUPS.into_iter().find(|group| group.format == format)
}

/// Returns an entry with pixels of a kind.
pub(crate) fn find_any_format(group: PixelGroup) -> Option<&'static FormatRow> {
    FORMATS.iter().find(|row| row.group == Some(group))
}

/// Returns true for types whose components are packed into one number.
pub(crate) fn is_packed_group_type(ty: u32) -> bool {
    matches!(ty, UNSIGNED_INT_S8_S8_8_8 | UNSIGNED_INT_8_8_S8_S8_REV)
}

/// `UNSIGNED_INT_S8_S8_8_8_NV`
pub(crate) const UNSIGNED_INT_S8_S8_8_8: u32 = 0x86DA;
/// `UNSIGNED_INT_8_8_S8_S8_REV_NV`
pub(crate) const UNSIGNED_INT_8_8_S8_S8_REV: u32 = 0x86DB;

/// Image of a texture: name, target (of cube maps a face), level.
pub(crate) type ImageKey = (u32, u32, i32);

/// `TEXTURE_INTERNAL_FORMAT`
const INTERNAL_FORMAT: u32 = 0x1003;

/// Entries beyond which those of deleted textures are dropped.
const MAX_IMAGES: usize = 4096;

/// Returns the name of the texture that is bound to the target of an image of the active unit; 0
/// for proxies.
fn query_bound_texture(target: u32) -> u32 {
    let target = match target {
        0x8515..=0x851A => 0x8513,
        0x0DE0 | 0x0DE1 | 0x806F | 0x84F5 => target,
        _ => return 0,
    };
    driver_state::integer(texture_state::binding_query(target)) as u32
}

/// Returns the key of an image of the active unit.
fn find_key(target: u32, level: i32) -> ImageKey {
    (query_bound_texture(target), target, level)
}

/// Returns the format of NV_texture_shader of an image of the texture that is bound to a target of
/// the active unit; `None` if it has a format of the driver.
pub(crate) fn find_image_format(
    state: &State,
    target: u32,
    level: i32,
) -> Option<&'static FormatRow> {
    if !are_formats_used(state) {
        return None;
    }
    let key = find_key(target, level);
    // Levels that the driver has generated have the format of the first one.
    let first = (key.0, target, 0);
    let share = state.lock_share_group();
    let formats = &share.texture_formats;
    let internal = formats.get(&key).or_else(|| formats.get(&first)).copied();
    drop(share);
    let internal = internal?;
    let row = find_format(internal)?;
    let [known] = driver_state::tex_level_parameter(target, level, INTERNAL_FORMAT);
    (known as u32 == row.driver).then_some(row)
}

/// Records the format that the application has specified for an image, or with `None` that it has a
/// format of the driver.
pub(crate) fn record_image_format(
    state: &State,
    target: u32,
    level: i32,
    row: Option<&'static FormatRow>,
) {
    if row.is_none() && !are_formats_used(state) {
        return;
    }
    let key = find_key(target, level);
    let mut share = state.lock_share_group();
    let formats = &mut share.texture_formats;
    match row {
        None => {
            formats.remove(&key);
        }
        Some(row) => {
            if formats.len() >= MAX_IMAGES {
                formats.retain(|(texture, ..), _| driver::IsTexture(*texture) != 0);
            }
            formats.insert(key, row.internal);
            ARE_FORMATS_USED.store(true, Ordering::Relaxed);
        }
    }
}

/// True if a texture of any context has had a format of NV_texture_shader: draws of other processes
/// need not lock the share group.
static ARE_FORMATS_USED: AtomicBool = AtomicBool::new(false);

/// Returns true if a texture of any context has had a format of NV_texture_shader.
pub(crate) fn have_formats_been_used() -> bool {
    ARE_FORMATS_USED.load(Ordering::Relaxed)
}

/// Returns true if a texture of the share group may have a format of NV_texture_shader.
pub(crate) fn are_formats_used(state: &State) -> bool {
    have_formats_been_used() && !state.lock_share_group().texture_formats.is_empty()
}

/// Returns the value of a parameter of an image of the texture that is bound to a target of the
/// active unit, for images with a format of NV_texture_shader and for its parameters. `None` leaves
/// the query to the driver.
pub(crate) fn query_level_parameter(
    state: &State,
    target: u32,
    level: i32,
    name: u32,
) -> Option<i32> {
    const HI_SIZE: u32 = 0x871B;
    const LO_SIZE: u32 = 0x871C;
    const DS_SIZE: u32 = 0x871D;
    const DT_SIZE: u32 = 0x871E;
    const MAG_SIZE: u32 = 0x871F;
    const RED_SIZE: u32 = 0x805C;
    const GREEN_SIZE: u32 = 0x805D;
    const BLUE_SIZE: u32 = 0x805E;
    const ALPHA_SIZE: u32 = 0x805F;
    const INTENSITY_SIZE: u32 = 0x8061;
    let is_own = (HI_SIZE..=MAG_SIZE).contains(&name);
    let is_size = (RED_SIZE..=INTENSITY_SIZE).contains(&name);
    if !is_own && !is_size && name != INTERNAL_FORMAT {
        return None;
    }
    let row = find_image_format(state, target, level);
    if let Some(row) = row.filter(|_| name == INTERNAL_FORMAT) {
        return Some(row.internal as i32);
    }
    let group = row.and_then(|row| row.group);
    if !is_own && group.is_none() {
        return None;
    }
    let stored = match (group.map_or(0, |group| group.format), name) {
        (0x86F4, HI_SIZE) | (0x86F5..=0x86F7, DS_SIZE) => Some(RED_SIZE),
        (0x86F4, LO_SIZE) | (0x86F5..=0x86F7, DT_SIZE) => Some(GREEN_SIZE),
        (0x86F6 | 0x86F7, MAG_SIZE) => Some(BLUE_SIZE),
        (0x86F7, INTENSITY_SIZE) => Some(ALPHA_SIZE),
        (_, _) => None,
    };
    Some(stored.map_or(0, |name| {
        driver_state::tex_level_parameter::<1>(target, level, name)[0]
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the tokens are those of NV_texture_shader and NV_texture_shader3, "New Tokens",
    /// and that each has one entry.
    #[test]
    fn each_internal_format_has_a_row() {
        let signed = (0x86FB..=0x86FC)
            .chain(0x86FE..=0x86FF)
            .chain(0x8701..=0x8708);
        for internal in signed {
            let row = find_format(internal).map(|row| (row.format_type, row.group));
            assert_eq!(
                row,
                Some((TextureFormatType::SignedRgba, None)),
                "{internal:#x}"
            );
        }
        for (internal, format) in [
            (0x86F4, 0x86F4),
            (0x86F8, 0x86F4),
            (0x86F9, 0x86F4),
            (0x86FA, 0x86F4),
            (0x885E, 0x86F4),
            (0x885F, 0x86F4),
            (0x86F5, 0x86F5),
            (0x8709, 0x86F5),
            (0x86F6, 0x86F6),
            (0x870A, 0x86F6),
            (0x86DC, 0x86F7),
            (0x870B, 0x86F7),
        ] {
            let group = find_format(internal).and_then(|row| row.group);
            assert_eq!(group.map(|it| it.format), Some(format), "{internal:#x}");
        }
        let mut tokens: Vec<u32> = FORMATS.iter().map(|row| row.internal).collect();
        tokens.sort_unstable();
        tokens.dedup();
        assert_eq!(tokens.len(), 26);
        assert_eq!(find_format(0x8058), None);
    }
}
