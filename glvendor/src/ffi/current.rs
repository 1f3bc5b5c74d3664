//! The context that is current on a thread, and all contexts by what the window system calls them.
//!
//! A context is current on one thread at a time, and its state is touched on that thread alone.

use crate::context::{Context, State};
use crate::log;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// A context of GLX or EGL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Native(pub(crate) usize);

/// A context, for the thread on which it is current.
struct Cellular(RefCell<Context>);

// SAFETY: GLX and EGL refuse to make a context current that is current on another thread, and only `with` reaches the cell, on the thread
// where the context is current.
unsafe impl Sync for Cellular {}
// SAFETY: all of a context may be sent; the pointers in it belong to buffers of the driver, which any thread may write to.
unsafe impl Send for Cellular {}

static CONTEXTS: LazyLock<Mutex<HashMap<Native, Arc<Cellular>>>> = LazyLock::new(Mutex::default);

thread_local! {
    static CURRENT: Cell<*const Cellular> = const { Cell::new(std::ptr::null()) };
    static HELD: RefCell<Held> = const { RefCell::new(Held { _context: None }) };
}

/// Keeps the current context alive when it is destroyed while it is current.
struct Held {
    _context: Option<Arc<Cellular>>,
}

impl Drop for Held {
    fn drop(&mut self) {
        // Commands may come behind it, while a thread ends.
        CURRENT.set(std::ptr::null());
    }
}

/// A context has been created.
pub(crate) fn created(native: Native, sharing: Option<Native>) {
    let mut contexts = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let shared = sharing.and_then(|it| contexts.get(&it).cloned());
    // The other context may be current elsewhere: what contexts share is behind a lock of its own.
    let share = shared.map(|it| it.share()).unwrap_or_default();
    let context = Context::new(share);
    contexts.insert(native, Arc::new(Cellular(RefCell::new(context))));
}

impl Cellular {
    fn share(&self) -> crate::context::Shared {
        // SAFETY: the field is written when the context is made and never again.
        unsafe { (*self.0.as_ptr()).share.clone() }
    }
}

/// A context has been destroyed; it lives on as long as it is current.
pub(crate) fn destroyed(native: Native) {
    let mut contexts = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    contexts.remove(&native);
}

/// Another context is about to be made current on this thread, or none: others that share its textures see them as the application made them.
pub(crate) fn leaving() {
    with(|state| {
        if !state.is_inside {
            state.restore_depth_modes();
        }
    });
}

/// A context has been made current on this thread, or none.
pub(crate) fn made_current(native: Option<Native>) {
    let contexts = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let context = native.and_then(|it| contexts.get(&it).cloned());
    drop(contexts);
    let place = context.as_ref().map_or(std::ptr::null(), Arc::as_ptr);
    // A thread that ends holds nothing any more.
    if HELD
        .try_with(|held| held.replace(Held { _context: context }))
        .is_ok()
    {
        CURRENT.set(place);
    }
    with(|state| state.made_current());
}

/// Does something with the state of the current context. `None` if there is no context, or if a command of the driver has called back into the
/// application, which OpenGL does not let call commands.
///
/// A panic ends here: the application goes on, with what the driver makes of the command.
#[inline]
pub(crate) fn with<R>(work: impl FnOnce(&mut State) -> R) -> Option<R> {
    let context = CURRENT.get();
    if context.is_null() {
        return None;
    }
    // SAFETY: `HELD` keeps it alive while it is current.
    let context = unsafe { &*context };
    let mut context = context.0.try_borrow_mut().ok()?;
    let caught = catch_unwind(AssertUnwindSafe(|| work(&mut context.state)));
    caught
        .map_err(|_| log::error("a fault inside the library; the driver goes on alone"))
        .ok()
}
