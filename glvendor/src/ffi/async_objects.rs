//! Objects of the driver that complete later: sync objects and occlusion queries.

use super::driver;
use super::driver::constants::{
    SYNC_FLUSH_COMMANDS_BIT, SYNC_GPU_COMMANDS_COMPLETE, TIMEOUT_EXPIRED,
};
use super::driver::types::GLsync;

/// Sync object of the driver, which is deleted by [`Self::delete`].
#[derive(Debug)]
pub(crate) struct SyncObject(usize);

impl SyncObject {
    /// Creates a sync object that is signaled when all previous commands are complete; `None` if the
    /// driver fails.
    pub(crate) fn create() -> Option<Self> {
        // SAFETY: it has no pointers to memory.
        let object = unsafe { driver::FenceSync(SYNC_GPU_COMMANDS_COMPLETE, 0) };
        (!object.is_null()).then_some(Self(object as usize))
    }

    /// Returns true if it is signaled, after at most `nanoseconds`. Flushes the commands before it.
    /// Returns true after a failure of the driver, such as a lost context, too: the object would not
    /// be signaled later.
    pub(crate) fn wait(&self, nanoseconds: u64) -> bool {
        // SAFETY: the object exists.
        let result = unsafe {
            driver::ClientWaitSync(self.0 as GLsync, SYNC_FLUSH_COMMANDS_BIT, nanoseconds)
        };
        result != TIMEOUT_EXPIRED
    }

    /// Deletes the object in the driver. A context that shares it must be current.
    pub(crate) fn delete(&self) {
        // SAFETY: the object exists.
        unsafe { driver::DeleteSync(self.0 as GLsync) };
    }
}

/// Generates the name of a query in the driver; 0 if the driver has none.
pub(crate) fn create_query() -> u32 {
    let mut name = 0;
    // SAFETY: there is space for one name.
    unsafe { driver::GenQueries(1, &mut name) };
    name
}

/// Deletes a query of the driver.
pub(crate) fn delete_query(name: u32) {
    // SAFETY: one name.
    unsafe { driver::DeleteQueries(1, &name) };
}

/// Returns a value of a query of the driver that is not active: its result, or whether that is
/// available.
pub(crate) fn query_value(name: u32, value: u32) -> u32 {
    let mut result = 0;
    // SAFETY: there is space for one number.
    unsafe { driver::GetQueryObjectuiv(name, value, &mut result) };
    result
}

/// Returns a property of a target of queries: the active query, or the bits of the counter.
pub(crate) fn query_target_value(target: u32, value: u32) -> u32 {
    let mut result = 0;
    // SAFETY: there is space for one number.
    unsafe { driver::GetQueryiv(target, value, &mut result) };
    result as u32
}
