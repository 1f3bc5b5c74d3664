//! Isolates work on one program: a panic becomes a message, and the work on other programs
//! continues.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// `None` outside of [`catch_panic`], else the message of the last panic.
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `work`; if it panics, returns the message and the source location of the panic instead of
/// printing them.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |info| {
            // The hook is that of the whole process: panics of other threads and other code are
            // printed as usual.
            let kept = LAST_PANIC.with_borrow_mut(|last| match last {
                Some(last) => {
                    *last = info.to_string().replace('\n', " ");
                    true
                }
                None => false,
            });
            if !kept {
                print(info);
            }
        }));
    });
    // Guarded work may guard parts of itself.
    let outer = LAST_PANIC.replace(Some(String::new()));
    let result = catch_unwind(AssertUnwindSafe(work));
    let message = LAST_PANIC.replace(outer).unwrap_or_default();
    result.map_err(|_| message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_become_messages() {
        assert_eq!(catch_panic(|| 3), Ok(3));
        let message = catch_panic(|| -> u8 { panic!("out of cheese") }).unwrap_err();
        assert!(
            message.contains("out of cheese") && message.contains("guard.rs"),
            "{message}"
        );
    }

    #[test]
    fn guards_nest() {
        let outer = catch_panic(|| {
            assert!(catch_panic(|| panic!("inner")).is_err());
            panic!("outer")
        });
        let message: Result<(), String> = outer;
        assert!(message.unwrap_err().contains("outer"));
    }
}
