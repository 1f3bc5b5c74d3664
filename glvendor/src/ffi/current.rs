//! The context that is current on a thread, and all contexts by the handles of the window system.
//!
//! The state of a context is accessed by one thread at a time, the owner of the context.

use crate::context::{Context, Shared, State};
use crate::lock::Mutex;
use crate::log;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// Context of GLX or EGL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Native(pub(crate) usize);

/// Context, for the thread that owns it.
///
/// GLX and EGL forbid to make a context current that is current on another thread, but libGLX and
/// Mesa do not prevent it. Therefore a context has an owner, the first thread that uses it: on
/// another one, commands do not find the context until the owner has made another one current, or
/// ends.
struct Cellular {
    /// Owner's [`token`]; 0 for none.
    owner: AtomicUsize,
    /// True while the owner uses the context. Only the owner accesses it.
    is_busy: Cell<bool>,
    /// Keeps the context alive while it is used, after the application has released it. Only the
    /// owner accesses it, while the context is busy.
    kept: Cell<Option<Arc<Cellular>>>,
    context: UnsafeCell<Context>,
    /// State that it shares with other contexts, for contexts that are created on other threads.
    share: Shared,
}

// SAFETY: `owner` is atomic. A thread accesses the cells only while it is the owner, which one
// thread is at a time: it becomes the owner by an exchange that reads 0 with acquire ordering, and
// the owner before has written 0 with release ordering when it did not use the context any more. A
// thread that reads its own token has written it itself. `share` is never written to.
unsafe impl Sync for Cellular {}
// SAFETY: all of a context may be sent. Addresses of memory that the driver has mapped are
// integers, used below the lock of their store.
unsafe impl Send for Cellular {}

/// Returns a number of this thread that no other living thread has.
fn token() -> usize {
    thread_local! {
        static MARK: u8 = const { 0 };
    }
    MARK.with(|mark| std::ptr::from_ref(mark) as usize)
}

impl Cellular {
    /// Acquires ownership, unless another thread is the owner.
    #[inline]
    fn own(&self) -> bool {
        let token = token();
        let owner = self.owner.load(Ordering::Relaxed);
        owner == token
            || owner == 0
                && self
                    .owner
                    .compare_exchange(0, token, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok()
    }

    /// Returns true if this thread uses it.
    fn is_busy_here(&self) -> bool {
        self.owner.load(Ordering::Relaxed) == token() && self.is_busy.get()
    }

    /// Releases the context, which remains this thread's until it is not used any more.
    fn disown(self: Arc<Self>) {
        if self.is_busy_here() {
            let this = Arc::clone(&self);
            self.kept.set(Some(this));
        } else if self.owner.load(Ordering::Relaxed) == token() {
            self.owner.store(0, Ordering::Release);
        }
    }
}

/// Use of a context by its owner.
struct Use<'a>(&'a Cellular);

impl<'a> Use<'a> {
    /// Begins the use of a context; `None` if another thread owns it, or if this thread uses it
    /// already.
    #[inline]
    fn begin(context: &'a Cellular) -> Option<Self> {
        if !context.own() || context.is_busy.get() {
            return None;
        }
        context.is_busy.set(true);
        Some(Self(context))
    }
}

impl Drop for Use<'_> {
    #[inline]
    fn drop(&mut self) {
        let kept = self.0.kept.take();
        self.0.is_busy.set(false);
        if !std::ptr::eq(CURRENT.get(), self.0) {
            // The application has released it in between.
            self.0.owner.store(0, Ordering::Release);
        }
        drop(kept);
    }
}

static CONTEXTS: LazyLock<Mutex<HashMap<Native, Arc<Cellular>>>> = LazyLock::new(Mutex::default);

thread_local! {
    static CURRENT: Cell<*const Cellular> = const { Cell::new(std::ptr::null()) };
    /// Owns the current context, which may be destroyed while it is current.
    static HELD: RefCell<Held> = const { RefCell::new(Held(None)) };
}

/// Context of a thread. Applications call commands from exit handlers, too, after the main thread
/// has dropped this value: the context is still current then, unless nothing else keeps it alive.
struct Held(Option<Arc<Cellular>>);

impl Drop for Held {
    fn drop(&mut self) {
        let Some(context) = self.0.take() else { return };
        if context.is_busy_here() {
            // The process ends within a command.
            std::mem::forget(context);
            return;
        }
        let contexts = CONTEXTS.lock();
        if !contexts.values().any(|it| Arc::ptr_eq(it, &context)) {
            CURRENT.set(std::ptr::null());
        }
        drop(contexts);
        context.disown();
    }
}

/// Registers a created context.
pub(crate) fn created(native: Native, sharing: Option<Native>) {
    let mut contexts = CONTEXTS.lock();
    let shared = sharing.and_then(|it| contexts.get(&it).cloned());
    let share = shared.map(|it| Arc::clone(&it.share)).unwrap_or_default();
    let context = Cellular {
        owner: AtomicUsize::new(0),
        is_busy: Cell::new(false),
        kept: Cell::new(None),
        context: UnsafeCell::new(Context::new(Arc::clone(&share))),
        share,
    };
    let old = contexts.insert(native, Arc::new(context));
    drop(contexts);
    drop(old);
}

/// Context that the window system is about to destroy, whose name may be another one's from then
/// on.
pub(crate) struct Removed(Native, Option<Arc<Cellular>>);

/// Removes a context before it is destroyed.
pub(crate) fn remove(native: Native) -> Removed {
    let mut contexts = CONTEXTS.lock();
    Removed(native, contexts.remove(&native))
}

impl Removed {
    /// Completes the removal of a context that has been destroyed; it lives on while it is current.
    pub(crate) fn destroyed(self) {
        let Some(context) = self.1 else { return };
        let is_held = HELD.try_with(|_| ()).is_ok();
        if !is_held && std::ptr::eq(CURRENT.get(), Arc::as_ptr(&context)) {
            CURRENT.set(std::ptr::null());
            context.disown();
        }
    }

    /// Restores the context if the window system has failed to destroy it.
    pub(crate) fn restore(self) {
        let mut contexts = CONTEXTS.lock();
        if let Some(context) = self.1 {
            contexts.entry(self.0).or_insert(context);
        }
    }
}

/// Restores the textures of the application before another context, or none, is made current on
/// this thread: contexts that share them see the application's state.
pub(crate) fn leaving() {
    with(|state| {
        if !state.is_inside {
            state.drawing.lookups.restore_depth_modes();
        }
    });
}

/// Records that a context, or none, has been made current on this thread.
pub(crate) fn made_current(native: Option<Native>) {
    let contexts = CONTEXTS.lock();
    let context = native.and_then(|it| contexts.get(&it).cloned());
    drop(contexts);
    let current = context.as_ref().map_or(std::ptr::null(), Arc::as_ptr);
    // After the thread has dropped its value, `CONTEXTS` keeps the context alive.
    let old = HELD.try_with(|held| held.replace(Held(context)).0.take());
    let old = old.unwrap_or_else(|_| known(CURRENT.get()));
    CURRENT.set(current);
    match old {
        Some(old) if std::ptr::eq(Arc::as_ptr(&old), current) => {}
        Some(old) => old.disown(),
        None => {}
    }
    with(|state| state.made_current());
}

/// Returns a context that is not destroyed, by its address.
fn known(context: *const Cellular) -> Option<Arc<Cellular>> {
    let contexts = CONTEXTS.lock();
    let mut known = contexts.values();
    known
        .find(|it| std::ptr::eq(Arc::as_ptr(it), context))
        .cloned()
}

/// Calls `work` with the state of the current context. `None` if there is no context, or if a
/// command of the driver has called back into the application, which OpenGL does not allow to call
/// commands.
///
/// A panic ends here: the application continues, with the result of the driver's command.
#[inline]
pub(crate) fn with<R>(work: impl FnOnce(&mut State) -> R) -> Option<R> {
    let context = CURRENT.get();
    if context.is_null() {
        return None;
    }
    // SAFETY: it is alive: `HELD`, or `CONTEXTS` if the thread has dropped that, owns it while it
    // is current.
    let context = unsafe { &*context };
    let using = Use::begin(context)?;
    // SAFETY: this thread owns the context and did not use it yet, so that no other reference
    // exists. `Use` and `kept` keep the context alive, also if the application makes another one
    // current or destroys it during the call, for instance in a callback of the driver.
    let state = unsafe { &mut (*using.0.context.get()).state };
    let caught = catch_unwind(AssertUnwindSafe(|| work(state)));
    drop(using);
    caught
        .map_err(|_| log::error("a fault inside the library; the driver goes on alone"))
        .ok()
}
