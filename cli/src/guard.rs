//! Keeps a fault in the work on one program from ending the work on all: a panic becomes a message.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// `None` outside of [`guarded`], else what the last panic said.
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `work`; if it panics, gives the message and the place of the panic instead of printing them.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |info| {
            // The hook is that of the whole process: what other threads and other code say is printed as ever.
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
        assert_eq!(guarded(|| 3), Ok(3));
        let message = guarded(|| -> u8 { panic!("out of cheese") }).unwrap_err();
        assert!(
            message.contains("out of cheese") && message.contains("guard.rs"),
            "{message}"
        );
    }

    #[test]
    fn guards_nest() {
        let outer = guarded(|| {
            assert!(guarded(|| panic!("inner")).is_err());
            panic!("outer")
        });
        let message: Result<(), String> = outer;
        assert!(message.unwrap_err().contains("outer"));
    }
}
