//! Errors of the runner itself, and reasons why commands of a script fail.

use ash::vk;
use glasm_scripts::runner;
use std::time::Duration;

/// Errors of the runner.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The machine has no Vulkan loader.
    #[error("the Vulkan library cannot be loaded: {0}")]
    Library(String),
    /// A Vulkan call failed.
    #[error("{call} failed: {result}")]
    Vulkan {
        /// Call.
        call: &'static str,
        /// Result code of the call.
        result: vk::Result,
    },
    /// Device memory could not be allocated.
    #[error("device memory: {0}")]
    Memory(#[from] gpu_allocator::AllocationError),
    /// A buffer of a script could not be created.
    #[error("{name} of {size} bytes: {source}")]
    Buffer {
        /// Name of the buffer in messages.
        name: String,
        /// Size in bytes.
        size: u64,
        /// Cause of the failure.
        source: Box<Error>,
    },
    /// The device does not support 32-bit addresses of buffers.
    #[error("the device lacks buffers with addresses of 32 bits")]
    NoLowAddresses,
    /// The device cannot execute the script, which was detected at run time only.
    #[error("{0}")]
    Unsupported(String),
    /// A shader of the runner's own has no module for this device.
    #[error("a shader of the runner's own: {0}")]
    BuiltinShader(String),
    /// The script needs more memory than the limit of a script.
    #[error("out of memory: the script asks for more than {} MiB", .0 >> 20)]
    TooMuchMemory(u64),
    /// No device of at least Vulkan 1.1 matches the selection.
    #[error("no Vulkan device {wanted}; there {available}")]
    NoDevice {
        /// Choice.
        wanted: String,
        /// Names of the available devices.
        available: String,
    },
    /// The validation layer is required but not installed.
    #[error(
        "the validation layer VK_LAYER_KHRONOS_validation is not installed, or VK_EXT_debug_utils is missing"
    )]
    NoValidation,
    /// The device does not support the requested target.
    #[error("the device offers Vulkan {0}, which is less than the target needs")]
    TargetTooNew(String),
    /// The device exceeded the time limit.
    #[error("timed out: the device did not finish within {0:?}")]
    TimedOut(Duration),
    /// The script exceeded the time limit.
    #[error("timed out: the script did not finish within {0:?}")]
    ScriptTimedOut(Duration),
    /// A file could not be read or written.
    #[error(transparent)]
    Io(#[from] glasm_scripts::results::FileError),
}

/// Adds the name of the call to a failed `VkResult`.
pub(crate) trait CallContext<T> {
    /// Adds the name of the Vulkan command that failed to an error.
    fn call(self, call: &'static str) -> Result<T, Error>;
}

impl<T> CallContext<T> for ash::prelude::VkResult<T> {
    fn call(self, call: &'static str) -> Result<T, Error> {
        self.map_err(|result| Error::Vulkan { call, result })
    }
}

/// Reason why a command did not succeed.
pub(crate) type CommandError = runner::CommandError<Error>;

/// Result of most commands.
pub(crate) type CommandResult = Result<(), CommandError>;

impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        Self::System(error)
    }
}
