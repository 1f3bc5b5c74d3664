//! The context that is current on a thread, and all contexts by the handles of the window system.
//!
//! The state of a context is accessed by one thread at a time, the owner of the context.

use super::platform::thread_token;
use crate::context::{Context, ShareGroupRef, State};
use crate::lock::Mutex;
use crate::log;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// Context of GLX or EGL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct NativeContext(pub(crate) usize);

/// Context, for the thread that owns it.
///
/// GLX and EGL forbid to make a context current that is current on another thread, but libGLX and
/// Mesa do not prevent it. Therefore a context has an owner, the first thread that uses it: on
/// another one, commands do not find the context until the owner has made another one current, or
/// ends.
struct OwnedContext {
    /// Owner's [`thread_token`]; 0 for none.
    owner: AtomicUsize,
    /// True while the owner uses the context. Only the owner accesses it.
    is_busy: Cell<bool>,
    /// Retains the context while it is used, after the application has released it. Only the
    /// owner accesses it, while the context is busy.
    keep_alive: Cell<Option<Arc<OwnedContext>>>,
    context: UnsafeCell<Context>,
    /// State that it shares with other contexts, for contexts that are created on other threads.
    share_group: Mutex<ShareGroupRef>,
}

// SAFETY: `owner` is atomic. A thread accesses the cells only while it is the owner, which one
// thread is at a time: it becomes the owner by an exchange that reads 0 with acquire ordering, and
// the owner before has written 0 with release ordering when it did not use the context any more. A
// thread that reads its own token has written it itself. `share_group` has a lock.
unsafe impl Sync for OwnedContext {}
// SAFETY: all of a context may be sent. Addresses of memory that the driver has mapped are
// integers, used below the lock of their store.
unsafe impl Send for OwnedContext {}

impl OwnedContext {
    /// Acquires ownership for this thread. Returns true if it is the owner afterwards, false if
    /// another thread is.
    #[inline]
    fn acquire(&self) -> bool {
        let token = thread_token();
        let owner = self.owner.load(Ordering::Relaxed);
        owner == token
            || owner == 0
                && self
                    .owner
                    .compare_exchange(0, token, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok()
    }

    /// Returns true if this thread is within a call that uses the context's state, so that a nested
    /// call must not use it.
    fn is_busy_here(&self) -> bool {
        self.owner.load(Ordering::Relaxed) == thread_token() && self.is_busy.get()
    }

    /// Gives ownership up, after which another thread can acquire the context; if this thread is
    /// within a call that uses it, at the end of that call. Does nothing if another thread owns it.
    fn release(self: Arc<Self>) {
        if self.is_busy_here() {
            let this = Arc::clone(&self);
            self.keep_alive.set(Some(this));
        } else if self.owner.load(Ordering::Relaxed) == thread_token() {
            self.owner.store(0, Ordering::Release);
        }
    }
}

/// Use of a context by its owner.
struct ContextUse<'a>(&'a OwnedContext);

impl<'a> ContextUse<'a> {
    /// Begins the use of a context; `None` if another thread owns it, or if this thread uses it
    /// already.
    #[inline]
    fn begin(context: &'a OwnedContext) -> Option<Self> {
        if !context.acquire() || context.is_busy.get() {
            return None;
        }
        context.is_busy.set(true);
        Some(Self(context))
    }

    /// Calls `work` with the state of a context, which need not be current. Returns `None` without
    /// calling it if another thread owns the context, or if this thread uses it already.
    fn with_state<R>(context: &'a OwnedContext, work: impl FnOnce(&mut State) -> R) -> Option<R> {
        let using = Self::begin(context)?;
        // SAFETY: this thread owns the context and did not use it yet, so that no other reference
        // exists; the caller retains it.
        let state = unsafe { &mut (*using.0.context.get()).state };
        Some(work(state))
    }
}

impl Drop for ContextUse<'_> {
    #[inline]
    fn drop(&mut self) {
        let retained = self.0.keep_alive.take();
        self.0.is_busy.set(false);
        if !std::ptr::eq(CURRENT.get(), self.0) {
            // The application has released it in between.
            self.0.owner.store(0, Ordering::Release);
        }
        drop(retained);
    }
}

static CONTEXTS: LazyLock<Mutex<FxHashMap<NativeContext, Arc<OwnedContext>>>> =
    LazyLock::new(Mutex::default);

thread_local! {
    static CURRENT: Cell<*const OwnedContext> = const { Cell::new(std::ptr::null()) };
    /// Owns the current context, which may be destroyed while it is current.
    static HELD: RefCell<ThreadState> = const { RefCell::new(ThreadState(None)) };
}

/// Context of a thread. Applications call commands from exit handlers, too, after the main thread
/// has dropped this value: the context is still current then, unless nothing else retains it.
struct ThreadState(Option<Arc<OwnedContext>>);

impl Drop for ThreadState {
    fn drop(&mut self) {
        let Some(context) = self.0.take() else { return };
        if context.is_busy_here() {
            // The process ends within a command.
            std::mem::forget(context);
            return;
        }
        // Windows ends other threads before it drops the values of the last one: the lock may be held
        // for ever.
        let contexts = if cfg!(windows) {
            CONTEXTS.lock_or_give_up()
        } else {
            Some(CONTEXTS.lock())
        };
        let is_known = |it: &Arc<OwnedContext>| Arc::ptr_eq(it, &context);
        if !contexts.is_some_and(|contexts| contexts.values().any(is_known)) {
            CURRENT.set(std::ptr::null());
        }
        context.release();
    }
}

/// Registers the state of a created context, which joins the share group of `sharing`, or begins a
/// new one if that is `None` or unknown. Replaces a context of the same name.
pub(crate) fn register_created(native: NativeContext, sharing: Option<NativeContext>) {
    let mut contexts = CONTEXTS.lock();
    let shared = sharing.and_then(|it| contexts.get(&it).cloned());
    let share = shared
        .map(|it| Arc::clone(&it.share_group.lock()))
        .unwrap_or_default();
    let context = OwnedContext {
        owner: AtomicUsize::new(0),
        is_busy: Cell::new(false),
        keep_alive: Cell::new(None),
        context: UnsafeCell::new(Context::new(Arc::clone(&share))),
        share_group: Mutex::new(share),
    };
    let replaced = contexts.insert(native, Arc::new(context));
    drop(contexts);
    drop(replaced);
}

/// Moves a context to the share group of another one, after the window system has done so for its
/// objects: objects of programs that it had are lost. Does nothing if one of them is unknown; logs
/// an error if another thread uses the context.
#[cfg_attr(unix, allow(dead_code, reason = "GLX and EGL share at creation"))]
pub(crate) fn join_share_group(native: NativeContext, other: NativeContext) {
    let contexts = CONTEXTS.lock();
    let found = [native, other].map(|it| contexts.get(&it).cloned());
    drop(contexts);
    let [Some(context), Some(other)] = found else {
        return;
    };
    let share = Arc::clone(&other.share_group.lock());
    let moved = ContextUse::with_state(&context, |state| state.share_group = Arc::clone(&share));
    match moved {
        Some(()) => *context.share_group.lock() = share,
        None => log::error("a context that another thread uses cannot share objects"),
    }
}

/// Copies the state of this library that belongs to groups of state of `PushAttrib` from a context
/// to another. Does nothing if one of them is unknown or used by another thread.
#[cfg_attr(
    unix,
    allow(dead_code, reason = "the direct contexts of GLX do not copy state")
)]
pub(crate) fn copy_enables(source: NativeContext, target: NativeContext, groups: u32) {
    let contexts = CONTEXTS.lock();
    let found = [source, target].map(|it| contexts.get(&it).cloned());
    drop(contexts);
    let [Some(source), Some(target)] = found else {
        return;
    };
    let copied = ContextUse::with_state(&source, |state| state.copy_enables(groups));
    if let Some(copied) = copied {
        ContextUse::with_state(&target, |state| state.restore_enables(copied));
    }
}

/// Context that the window system is about to destroy, whose name may be another one's from then
/// on.
pub(crate) struct RemovedContext(NativeContext, Option<Arc<OwnedContext>>);

/// Removes the state of a context that is about to be destroyed from the known contexts. The caller
/// completes the removal, or restores the context if the destruction fails; both do nothing if the
/// context is unknown.
pub(crate) fn remove_context(native: NativeContext) -> RemovedContext {
    let mut contexts = CONTEXTS.lock();
    RemovedContext(native, contexts.remove(&native))
}

impl RemovedContext {
    /// Completes the removal of a context that has been destroyed; its state is dropped when it is
    /// no longer current on any thread.
    pub(crate) fn complete_removal(self) {
        let Some(context) = self.1 else { return };
        let is_held = HELD.try_with(|_| ()).is_ok();
        if !is_held && std::ptr::eq(CURRENT.get(), Arc::as_ptr(&context)) {
            CURRENT.set(std::ptr::null());
            context.release();
        }
    }

    /// Registers the context again if the window system has failed to destroy it, unless its name
    /// is another context's now.
    pub(crate) fn restore(self) {
        let mut contexts = CONTEXTS.lock();
        if let Some(context) = self.1 {
            contexts.entry(self.0).or_insert(context);
        }
    }
}

/// Restores the depth modes of the application's textures before another context, or none, is made
/// current on this thread: contexts that share them see the application's state. Does nothing
/// between `Begin` and `End` or without a current context.
pub(crate) fn prepare_switch() {
    with(|state| {
        if !state.is_inside_begin_end {
            state.draw_state.lookups.restore_depth_modes();
        }
    });
}

/// Records that a context, or none, has been made current on this thread, and releases the previous
/// one. Updates the state of the new one by [`State::on_made_current`]; an unknown context is
/// treated as none.
pub(crate) fn set_current(native: Option<NativeContext>) {
    let contexts = CONTEXTS.lock();
    let context = native.and_then(|it| contexts.get(&it).cloned());
    drop(contexts);
    let current = context.as_ref().map_or(std::ptr::null(), Arc::as_ptr);
    // After the thread has dropped its value, `CONTEXTS` retains the context.
    let previous = HELD.try_with(|held| held.replace(ThreadState(context)).0.take());
    let old = previous.unwrap_or_else(|_| find_by_address(CURRENT.get()));
    CURRENT.set(current);
    match old {
        Some(old) if std::ptr::eq(Arc::as_ptr(&old), current) => {}
        Some(old) => old.release(),
        None => {}
    }
    with(|state| state.on_made_current());
}

/// Returns the context at an address; `None` if it is destroyed or null.
fn find_by_address(context: *const OwnedContext) -> Option<Arc<OwnedContext>> {
    let contexts = CONTEXTS.lock();
    let mut known = contexts.values();
    known
        .find(|it| std::ptr::eq(Arc::as_ptr(it), context))
        .cloned()
}

/// Calls `work` with the state of the current context. Returns `None` without calling it if there
/// is no context, if another thread owns it, or if a command of the driver has called back into the
/// application, which OpenGL does not allow to call commands.
///
/// If `work` panics, logs an error and returns `None`, so that the caller continues with the
/// driver's command.
#[inline]
pub(crate) fn with<R>(work: impl FnOnce(&mut State) -> R) -> Option<R> {
    let context = CURRENT.get();
    if context.is_null() {
        return None;
    }
    // SAFETY: it is alive: `HELD`, or `CONTEXTS` if the thread has dropped that, owns it while it
    // is current.
    let context = unsafe { &*context };
    let using = ContextUse::begin(context)?;
    // SAFETY: this thread owns the context and did not use it yet, so that no other reference
    // exists. `HELD` retains the context, and `keep_alive` does if the application makes another
    // one current or destroys it during the call, for instance in a callback of the driver.
    let state = unsafe { &mut (*using.0.context.get()).state };
    let caught = catch_unwind(AssertUnwindSafe(|| work(state)));
    drop(using);
    caught
        .map_err(|_| log::error("a fault inside the library; the driver goes on alone"))
        .ok()
}
