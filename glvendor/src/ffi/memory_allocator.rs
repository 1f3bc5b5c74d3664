//! Memory that applications allocate through the window system: `glXAllocateMemoryNV`,
//! `wglAllocateMemoryNV` (NV_vertex_array_range, "Additions to the WGL interface"). It is ordinary
//! memory of the process, which all threads use with or without a context.

use crate::lock::Mutex;
use rustc_hash::FxHashMap;
use std::alloc::{Layout, alloc, dealloc};
use std::ffi::{c_int, c_void};
use std::sync::LazyLock;

/// Alignment of memory, that of pages: the first devices required 32 bytes for ranges.
const ALIGNMENT: usize = 4096;

/// Memory that is allocated: its layout by its address.
static ALLOCATED: LazyLock<Mutex<FxHashMap<usize, Layout>>> = LazyLock::new(Mutex::default);

/// Allocates memory; the hints about its use have no effect. Returns null if the size is not
/// positive, or if there is not enough memory.
unsafe extern "system" fn allocate(
    size: c_int,
    _read_frequency: f32,
    _write_frequency: f32,
    _priority: f32,
) -> *mut c_void {
    let size = usize::try_from(size).ok().filter(|size| *size > 0);
    let layout = size.and_then(|size| Layout::from_size_align(size, ALIGNMENT).ok());
    let Some(layout) = layout else {
        return std::ptr::null_mut();
    };
    // SAFETY: the size is not 0.
    let memory = unsafe { alloc(layout) };
    if !memory.is_null() {
        ALLOCATED.lock().insert(memory as usize, layout);
    }
    memory.cast()
}

/// Releases memory; ignores pointers that [`allocate`] has not returned or that were released.
unsafe extern "system" fn release(memory: *mut c_void) {
    let layout = ALLOCATED.lock().remove(&(memory as usize));
    if let Some(layout) = layout {
        // SAFETY: it was allocated with this layout, and is removed from the list only once.
        unsafe { dealloc(memory.cast(), layout) };
    }
}

/// Returns a function of the allocator by its name without the prefix of the window system; `None`
/// for other names.
pub(super) fn find_function(name: &str) -> Option<*mut c_void> {
    match name {
        "AllocateMemoryNV" => {
            let function: unsafe extern "system" fn(c_int, f32, f32, f32) -> *mut c_void = allocate;
            Some(function as *mut c_void)
        }
        "FreeMemoryNV" => {
            let function: unsafe extern "system" fn(*mut c_void) = release;
            Some(function as *mut c_void)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_released_once() {
        // SAFETY: any size is valid, and null is ignored.
        unsafe {
            assert!(allocate(0, 0.0, 1.0, 1.0).is_null());
            assert!(allocate(-1, 0.0, 1.0, 1.0).is_null());
            release(std::ptr::null_mut());
        }
        // SAFETY: the same.
        let memory = unsafe { allocate(5000, 0.0, 1.0, 1.0) };
        assert!(!memory.is_null());
        assert_eq!(memory as usize % ALIGNMENT, 0);
        // SAFETY: it has 5000 bytes.
        unsafe { memory.cast::<u8>().add(4999).write(1) };
        let is_known = || ALLOCATED.lock().contains_key(&(memory as usize));
        // A pointer into the memory is none that was returned.
        // SAFETY: unknown pointers are ignored.
        unsafe { release(memory.cast::<u8>().add(1).cast()) };
        assert!(is_known());
        // SAFETY: the memory is not used afterwards.
        unsafe { release(memory) };
        assert!(!is_known());
        // SAFETY: it is released already, which is ignored.
        unsafe { release(memory) };
    }
}
