//! The functions of OpenGL that the system's library exports, for programs that link with it or look
//! them up there: those of OpenGL 1.1.

#![allow(
    non_snake_case,
    clippy::too_many_arguments,
    reason = "names and parameters are those of the registry"
)]

use crate::ffi::driver;
use crate::ffi::driver::types::*;
use crate::ffi::entry_table::{guards, points};
use std::ffi::c_void;

macro_rules! exports {
    ($($export:ident = $module:ident $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty;)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "system" fn $export($($parameter: $ty),*) -> $result {
                #[allow(unused_unsafe, reason = "some commands have no pointers")]
                // SAFETY: the application follows the specification.
                unsafe { $module::$name($($parameter),*) }
            }
        )*
    };
}

include!(concat!(env!("OUT_DIR"), "/exports.rs"));
