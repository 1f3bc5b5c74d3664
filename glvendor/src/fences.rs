//! Fences: NV_fence, by sync objects of the driver.

use crate::context::State;
use crate::ffi::async_objects::SyncObject;
use crate::program_commands::{INVALID_ENUM, INVALID_OPERATION};
use rustc_hash::FxHashMap;

/// `ALL_COMPLETED_NV`
const ALL_COMPLETED: u32 = 0x84F2;
/// `FENCE_STATUS_NV`
const FENCE_STATUS: u32 = 0x84F3;
/// `FENCE_CONDITION_NV`
const FENCE_CONDITION: u32 = 0x84F4;

/// Fence that was set.
#[derive(Debug)]
struct Fence {
    /// Sync object; `None` if the fence was found to be complete.
    pending: Option<SyncObject>,
}

/// Fences of a context.
#[derive(Debug, Default)]
pub(crate) struct Fences {
    /// Fences by name; `None` for names that were generated only.
    fences: FxHashMap<u32, Option<Fence>>,
    /// Last name that was generated.
    last_name: u32,
}

impl Fences {
    /// Returns an unused name and marks it as used.
    pub(crate) fn generate_name(&mut self) -> u32 {
        loop {
            self.last_name = self.last_name.wrapping_add(1).max(1);
            if !self.fences.contains_key(&self.last_name) {
                self.fences.insert(self.last_name, None);
                return self.last_name;
            }
        }
    }

    /// Deletes a fence; ignores unused names.
    pub(crate) fn delete(&mut self, name: u32) {
        if let Some(Some(fence)) = self.fences.remove(&name) {
            fence.pending.iter().for_each(SyncObject::delete);
        }
    }

    /// Returns true if a name is that of a fence that was set.
    pub(crate) fn is_fence(&self, name: u32) -> bool {
        matches!(self.fences.get(&name), Some(Some(_)))
    }

    /// Removes and returns the sync objects of all fences.
    pub(crate) fn take_sync_objects(&mut self) -> Vec<SyncObject> {
        let fences = std::mem::take(&mut self.fences);
        let fences = fences.into_values().flatten();
        fences.filter_map(|fence| fence.pending).collect()
    }

    /// Returns the status of a fence after waiting for at most `nanoseconds`; `None` if there is no
    /// fence of this name.
    fn wait(&mut self, name: u32, nanoseconds: u64) -> Option<bool> {
        let fence = self.fences.get_mut(&name)?.as_mut()?;
        let Some(object) = &fence.pending else {
            return Some(true);
        };
        let is_complete = object.wait(nanoseconds);
        if is_complete && let Some(object) = fence.pending.take() {
            object.delete();
        }
        Some(is_complete)
    }
}

/// Executes `SetFenceNV`: creates the fence if there is none. Records `GL_INVALID_ENUM` for a
/// condition other than `ALL_COMPLETED_NV`.
pub(crate) fn set_fence(state: &mut State, name: u32, condition: u32) {
    if condition != ALL_COMPLETED {
        return state.record_error(INVALID_ENUM);
    }
    state.extensions.fences.delete(name);
    let pending = SyncObject::create();
    let fences = &mut state.extensions.fences.fences;
    fences.insert(name, Some(Fence { pending }));
}

/// Returns the status of a fence. Records `GL_INVALID_OPERATION` between `Begin` and `End` and for
/// names of no fence, and returns true then (section 5.X).
pub(crate) fn test_fence(state: &mut State, name: u32) -> bool {
    read_status(state, name, 0).unwrap_or(true)
}

/// Waits until a fence is complete. Errors are those of [`test_fence`].
pub(crate) fn finish_fence(state: &mut State, name: u32) {
    /// One second, after which the wait starts again.
    const PATIENCE: u64 = 1_000_000_000;
    while read_status(state, name, PATIENCE) == Some(false) {}
}

/// Returns the status of a fence after waiting for at most `nanoseconds`. Records
/// `GL_INVALID_OPERATION` and returns `None` between `Begin` and `End` and for names of no fence.
fn read_status(state: &mut State, name: u32, nanoseconds: u64) -> Option<bool> {
    let status = (!state.is_inside_begin_end)
        .then(|| state.extensions.fences.wait(name, nanoseconds))
        .flatten();
    if status.is_none() {
        state.record_error(INVALID_OPERATION);
    }
    status
}

/// Returns a property of a fence, for `GetFenceivNV`. Records `GL_INVALID_ENUM` for other
/// properties, otherwise the errors of [`test_fence`], and returns `None`.
pub(crate) fn query_fence(state: &mut State, name: u32, property: u32) -> Option<i32> {
    if !matches!(property, FENCE_STATUS | FENCE_CONDITION) {
        state.record_error(INVALID_ENUM);
        return None;
    }
    let status = read_status(state, name, 0)?;
    Some(if property == FENCE_STATUS {
        status.into()
    } else {
        ALL_COMPLETED as i32
    })
}
