//! Locks of state that threads share.

use std::sync::{MutexGuard, PoisonError, TryLockError};

/// Value that one thread at a time can access.
///
/// State is used unchanged after a panic: panics end in the command in which they happen, and the
/// application continues.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    /// Waits until no other thread uses the value. Returns exclusive access to it, for the lifetime
    /// of the guard.
    #[inline]
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        // ThreadSanitizer observes code that is compiled with it: `try_lock`, which is inlined, but
        // not the waiting in `lock`, which is a function of the compiled standard library. After a
        // wait it would report all accesses that the lock orders as races.
        while cfg!(thread_sanitizer) {
            match self.0.try_lock() {
                Ok(guard) => return guard,
                Err(TryLockError::Poisoned(error)) => return error.into_inner(),
                Err(TryLockError::WouldBlock) => std::thread::yield_now(),
            }
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Mutex;

    #[test]
    fn values_are_used_after_panics() {
        let value = Mutex::new(1);
        let panicked = std::thread::scope(|scope| {
            let change = || {
                *value.lock() = 2;
                let _guard = value.lock();
                panic!("with the lock held");
            };
            scope.spawn(change).join()
        });
        assert!(panicked.is_err());
        assert_eq!(*value.lock(), 2);
    }
}
