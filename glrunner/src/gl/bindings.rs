//! The constants of OpenGL, and its commands as methods of [`Commands`].
//!
//! The build script writes the table. A command is looked up when it is first called; for one that
//! the driver lacks the result is [`Error::MissingCommand`]. Drivers may also return a function for
//! a command that they do not implement: calling it is a GL error, so the availability of commands
//! is determined by version and extensions.

use crate::error::Error;
use std::cell::Cell;
use std::ffi::c_void;

/// Command with the state of its lookup.
#[derive(Clone, Copy)]
enum CommandSlot {
    Unknown,
    Missing,
    Found(*const c_void),
}

/// Commands of one context.
///
/// Each has a method with its name less `gl`, its parameters, and its result in a `Result`. Methods
/// that could access memory of this process are `unsafe`: the caller ensures that the pointers
/// refer to memory as the OpenGL specification requires.
pub(crate) struct Commands {
    get_proc_address: Box<dyn Fn(&str) -> *const c_void>,
    slots: Box<[Cell<CommandSlot>]>,
}

impl Commands {
    /// Loads the commands of the context that is current on this thread; `load` is the system's
    /// `GetProcAddress`.
    ///
    /// # Safety
    ///
    /// `load` returns null or the command of that name, with the signature of the registry. Methods
    /// are called only while the context is current on the thread.
    pub(super) unsafe fn new(load: Box<dyn Fn(&str) -> *const c_void>) -> Self {
        Self {
            get_proc_address: load,
            slots: vec![Cell::new(CommandSlot::Unknown); Command::COUNT].into(),
        }
    }

    /// Returns a command table without a context, in which no command is available.
    #[cfg(test)]
    pub(super) fn without_driver() -> Self {
        // SAFETY: there is no command to call.
        unsafe { Self::new(Box::new(|_| std::ptr::null())) }
    }

    /// Returns true if the driver provides the command, as `glFinish`. `false` for names that are
    /// not in the table.
    pub(crate) fn has_command(&self, name: &str) -> bool {
        let command = name.strip_prefix("gl").and_then(Command::of_name);
        command.is_some_and(|(command, name)| self.pointer(command, name).is_ok())
    }

    /// Returns the driver's function of a command, looked up at the first call.
    /// [`Error::MissingCommand`] if the driver has none.
    fn pointer(&self, command: Command, name: &'static str) -> Result<*const c_void, Error> {
        let slot = &self.slots[command as usize];
        if let CommandSlot::Unknown = slot.get() {
            let pointer = (self.get_proc_address)(name);
            slot.set(if pointer.is_null() {
                CommandSlot::Missing
            } else {
                CommandSlot::Found(pointer)
            });
        }
        match slot.get() {
            CommandSlot::Found(pointer) => Ok(pointer),
            CommandSlot::Missing | CommandSlot::Unknown => Err(Error::MissingCommand(name)),
        }
    }
}

macro_rules! method {
    (safe $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty) => {
        #[inline]
        pub(crate) fn $name(&self, $($parameter: $ty),*) -> Result<$result, Error> {
            let pointer = self.pointer(Command::$name, concat!("gl", stringify!($name)))?;
            // SAFETY: `new` demands that the pointer is of this type.
            let command = unsafe {
                std::mem::transmute::<*const c_void, unsafe extern "system" fn($($ty),*) -> $result>(pointer)
            };
            // SAFETY: it has no pointers, and according to the build script's list it does not
            // access memory of this process in another way.
            Ok(unsafe { command($($parameter),*) })
        }
    };
    (unsafe $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty) => {
        #[inline]
        pub(super) unsafe fn $name(&self, $($parameter: $ty),*) -> Result<$result, Error> {
            let pointer = self.pointer(Command::$name, concat!("gl", stringify!($name)))?;
            // SAFETY: `new` demands that the pointer is of this type.
            let command = unsafe {
                std::mem::transmute::<*const c_void, unsafe extern "system" fn($($ty),*) -> $result>(pointer)
            };
            // SAFETY: the caller follows the specification of the command.
            Ok(unsafe { command($($parameter),*) })
        }
    };
}

macro_rules! commands {
    ($($safety:tt $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty;)*) => {
        /// Indices into the table of commands.
        #[derive(Clone, Copy)]
        #[expect(non_camel_case_types, reason = "names are those of the registry")]
        enum Command { $($name,)* }

        impl Command {
            const ALL: &[(Self, &'static str)] = &[$((Self::$name, concat!("gl", stringify!($name))),)*];
            const COUNT: usize = Self::ALL.len();

            /// Finds a command by its registry name without the prefix `gl`; `None` if the table
            /// lacks it.
            fn of_name(name: &str) -> Option<(Self, &'static str)> {
                Self::ALL.iter().copied().find(|(_, full)| full[2..] == *name)
            }
        }

        #[expect(
            clippy::too_many_arguments,
            non_snake_case,
            reason = "names and parameters are those of the registry"
        )]
        impl Commands {
            $(method! { $safety $name($($parameter: $ty),*) -> $result })*
        }
    };
}

use types::*;

// Types, constants and the table, as the build script wrote them.
include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
