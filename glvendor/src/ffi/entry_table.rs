//! The entry points: functions that the system gets for commands that this library intercepts.
//!
//! The build script defines their set and their handling; all other commands are the driver's own
//! functions.

#![allow(
    non_snake_case,
    non_upper_case_globals,
    clippy::too_many_arguments,
    reason = "names and parameters are those of the registry"
)]

use super::driver::types::*;
use super::{current_context, driver, entry_points};
use crate::context::StateGroups;
use std::ffi::c_void;

/// Component of an attribute.
trait Component: Copy {
    /// Converts the value to a float without normalization.
    fn number(self) -> f32;
    /// Returns the value as a fraction of the largest value: GL 2.1 table 2.9.
    fn fraction(self) -> f32;
}

macro_rules! components {
    ($($ty:ty: $number:expr, $fraction:expr;)*) => {
        $(impl Component for $ty {
            #[inline]
            fn number(self) -> f32 {
                let number: fn($ty) -> f32 = $number;
                number(self)
            }

            #[inline]
            fn fraction(self) -> f32 {
                let fraction: fn($ty) -> f32 = $fraction;
                fraction(self)
            }
        })*
    };
}

components! {
    i8: f32::from, |it| (2.0 * f32::from(it) + 1.0) / 255.0;
    i16: f32::from, |it| (2.0 * f32::from(it) + 1.0) / 65535.0;
    i32: |it| it as f32, |it| ((2.0 * f64::from(it) + 1.0) / 4_294_967_295.0) as f32;
    u8: f32::from, |it| f32::from(it) / 255.0;
    u16: f32::from, |it| f32::from(it) / 65535.0;
    u32: |it| it as f32, |it| (f64::from(it) / 4_294_967_295.0) as f32;
    f32: |it| it, |it| it;
    f64: |it| it as f32, |it| it as f32;
}

/// Reads a component of an application's list, which may be unaligned.
///
/// # Safety
/// The list has more than `index` components.
#[inline]
unsafe fn component<T: Copy>(list: *const T, index: usize) -> T {
    // SAFETY: ensured by the caller.
    unsafe { list.add(index).read_unaligned() }
}

/// Returns the numbered attribute that aliases the coordinates of a texture unit (`GL_TEXTURE0`): 8
/// to 15; 0 for units that none aliases.
#[inline]
fn texture_coordinates(unit: GLenum) -> u32 {
    match unit.wrapping_sub(driver::constants::TEXTURE0) {
        unit if unit < 8 => 8 + unit,
        _ => 0,
    }
}

macro_rules! entry {
    // Implemented elsewhere; the rest is that function's type.
    (own $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty) => {
        pub(in crate::ffi) const $name: unsafe extern "system" fn($($ty),*) -> $result = entry_points::$name;
    };
    (draw $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty = $mode:expr, $nothing:expr) => {
        #[allow(unused_mut, reason = "only the mode changes")]
        pub(in crate::ffi) unsafe extern "system" fn $name($(mut $parameter: $ty),*) -> $result {
            let Some(mode) = entry_points::primitives($mode) else { return };
            $mode = mode;
            #[allow(unused_unsafe, reason = "some commands have no pointers")]
            // SAFETY: the application follows the specification.
            unsafe { driver::$name($($parameter),*) }
        }
    };
    (arrays $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty) => {
        pub(in crate::ffi) unsafe extern "system" fn $name($($parameter: $ty),*) -> $result {
            current_context::with(|state| state.arrays_change());
            #[allow(unused_unsafe, reason = "some commands have no pointers")]
            // SAFETY: the application follows the specification.
            unsafe { driver::$name($($parameter),*) }
        }
    };
    (rectangle $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty = $number:expr, $values:expr) => {
        pub(in crate::ffi) unsafe extern "system" fn $name($($parameter: $ty),*) -> $result {
            #[allow(unused_unsafe, reason = "some commands have no lists")]
            // SAFETY: lists of the command have two components each.
            let values = unsafe { $values };
            if !entry_points::rectangle(values) {
                #[allow(unused_unsafe, reason = "some commands have no pointers")]
                // SAFETY: the application follows the specification.
                unsafe { driver::$name($($parameter),*) }
            }
        }
    };
    (raster $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty = $number:expr, $values:expr) => {
        pub(in crate::ffi) unsafe extern "system" fn $name($($parameter: $ty),*) -> $result {
            #[allow(unused_unsafe, reason = "some commands have no lists")]
            // SAFETY: lists of the command have the number of components in its name.
            let values = unsafe { $values };
            entry_points::raster_position(values);
        }
    };
    (textures $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty) => {
        pub(in crate::ffi) unsafe extern "system" fn $name($($parameter: $ty),*) -> $result {
            current_context::with(|state| state.textures_change());
            #[allow(unused_unsafe, reason = "some commands have no pointers")]
            // SAFETY: the application follows the specification.
            unsafe { driver::$name($($parameter),*) }
        }
    };
    (attribute $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty = $number:expr, $values:expr) => {
        pub(in crate::ffi) unsafe extern "system" fn $name($($parameter: $ty),*) -> $result {
            #[allow(unused_unsafe, reason = "some commands have no pointers")]
            // SAFETY: the application follows the specification.
            unsafe { driver::$name($($parameter),*) }
            current_context::with(|state| {
                if state.aliases_attributes() {
                    #[allow(unused_unsafe, reason = "some commands have no lists")]
                    // SAFETY: lists of the command have the number of components in its name.
                    let values = unsafe { $values };
                    state.set_aliased_attribute($number, values);
                }
            });
        }
    };
    (numbered $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty = $number:expr, $values:expr) => {
        pub(in crate::ffi) unsafe extern "system" fn $name($($parameter: $ty),*) -> $result {
            #[allow(unused_unsafe, reason = "some commands have no lists")]
            // SAFETY: lists of the command have the number of components in its name.
            let values = unsafe { $values };
            entry_points::numbered_attribute($number, values);
        }
    };
    ($group:ident $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty) => {
        pub(in crate::ffi) unsafe extern "system" fn $name($($parameter: $ty),*) -> $result {
            current_context::with(|state| state.mark_list_changed(StateGroups::$group));
            #[allow(unused_unsafe, reason = "some commands have no pointers")]
            // SAFETY: the application follows the specification.
            unsafe { driver::$name($($parameter),*) }
        }
    };
}

macro_rules! entries {
    ($($class:ident $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty $(= $number:expr, $values:expr)?;)*) => {
        pub(super) mod points {
            use super::*;

            $(entry! { $class $name($($parameter: $ty),*) -> $result $(= $number, $values)? })*
        }

        /// Returns the entry point of a command without `gl`, except for the handling of names of
        /// objects; `None` for commands that are the driver's alone.
        fn find_point(command: &str) -> Option<*mut c_void> {
            Some(match command {
                $(stringify!($name) => {
                    let point: unsafe extern "system" fn($($ty),*) -> $result = points::$name;
                    point as *mut c_void
                })*
                _ => return None,
            })
        }
    };
}

/// Finds the entry point of a command: `glBindProgramARB`. `None` for commands that are the
/// driver's alone.
pub(crate) fn find(name: &str) -> Option<*mut c_void> {
    let command = name.strip_prefix("gl")?;
    find_guarded(command).or_else(|| find_point(command))
}

/// Returns true if a command, such as `glLoadProgramNV`, is implemented by this library alone, so
/// that it exists even if the driver lacks it.
#[cfg(windows)]
pub(super) fn is_provided(name: &str) -> bool {
    const PROVIDED: &[&str] = include!(concat!(env!("OUT_DIR"), "/provided.rs"));
    PROVIDED.binary_search(&name).is_ok()
}

macro_rules! guarded {
    (seen $name:ident($($parameter:ident),*)) => { points::$name($($parameter),*) };
    (unseen $name:ident($($parameter:ident),*)) => { driver::$name($($parameter),*) };
}

macro_rules! guards {
    ($($seen:ident $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty = { $($statement:tt)* };)*) => {
        /// Commands that name objects which this library may have, too: `crate::object_names`.
        pub(super) mod guards {
            use super::*;

            $(
                #[allow(unused_unsafe, reason = "some commands have no pointers")]
                pub(in crate::ffi) unsafe extern "system" fn $name($($parameter: $ty),*) -> $result {
                    // SAFETY: the application follows the specification: lists of names have
                    // `count` elements, which is not negative if they are read.
                    unsafe {
                        $($statement)*
                        guarded!($seen $name($($parameter),*))
                    }
                }
            )*
        }

        /// Returns the entry point of a command, without `gl`, that names objects which this
        /// library may have, too; `None` for other commands.
        fn find_guarded(command: &str) -> Option<*mut c_void> {
            Some(match command {
                $(stringify!($name) => {
                    let point: unsafe extern "system" fn($($ty),*) -> $result = guards::$name;
                    point as *mut c_void
                })*
                _ => return None,
            })
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/entries.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests GL 2.1 table 2.9: the largest value is 1, the smallest signed one -1.
    #[test]
    fn integers_are_fractions_of_the_largest() {
        assert_eq!(
            [i8::MIN.fraction(), i8::MAX.fraction(), 0_i8.fraction()],
            [-1.0, 1.0, 1.0 / 255.0]
        );
        assert_eq!(
            [0_u8.fraction(), u8::MAX.fraction(), 51_u8.fraction()],
            [0.0, 1.0, 0.2]
        );
        assert_eq!([i16::MIN.fraction(), i16::MAX.fraction()], [-1.0, 1.0]);
        assert_eq!(
            [
                i32::MIN.fraction(),
                i32::MAX.fraction(),
                u32::MAX.fraction()
            ],
            [-1.0, 1.0, 1.0]
        );
        assert_eq!([7_i16.number(), 7.0_f64.number()], [7.0, 7.0]);
    }

    #[test]
    fn units_behind_the_eighth_have_no_numbered_attribute() {
        assert_eq!(
            [0x84C0, 0x84C7, 0x84C8, 0].map(texture_coordinates),
            [8, 15, 0, 0]
        );
    }

    #[test]
    fn commands_about_programs_are_seen_and_others_are_not() {
        for name in [
            "glBindProgramARB",
            "glBindProgramNV",
            "glProgramLocalParameter4fARB",
            "glRotatef",
            "glColor4ub",
            "glDrawArrays",
        ] {
            assert!(find(name).is_some(), "{name}");
        }
        for name in [
            "glClear",
            "glBlendFunc",
            "glXSwapBuffers",
            "",
            "BindProgramARB",
        ] {
            assert!(find(name).is_none(), "{name}");
        }
    }
}
