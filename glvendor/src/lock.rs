//! Locks of state that threads share.

use std::sync::{MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// Value that one thread at a time can access.
///
/// State is used unchanged after a panic: panics end in the command in which they happen, and the
/// application continues.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    /// Creates an unlocked mutex that protects `value`.
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

    /// Waits for a tenth of a second until no other thread uses the value. Returns exclusive access
    /// to it, or `None` if another thread still uses it.
    pub(crate) fn lock_or_give_up(&self) -> Option<MutexGuard<'_, T>> {
        const ATTEMPTS: u32 = 100;
        for _ in 0..ATTEMPTS {
            match self.0.try_lock() {
                Ok(guard) => return Some(guard),
                Err(TryLockError::Poisoned(error)) => return Some(error.into_inner()),
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Mutex;

    #[test]
    fn waiting_for_a_value_ends() {
        let value = Mutex::new(1);
        let guard = value.lock();
        let failed = std::thread::scope(|scope| {
            let give_up = || value.lock_or_give_up().is_none();
            scope.spawn(give_up).join()
        });
        drop(guard);
        assert!(failed.is_ok_and(|it| it));
        assert_eq!(value.lock_or_give_up().as_deref(), Some(&1));
    }

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
