//! Strings for C: NUL-terminated UTF-8.

use std::ffi::{CString, c_char};

/// Converts a string for C. Messages quote programs, which may hold anything: a NUL becomes U+FFFD.
pub(crate) fn to_c_string(text: &str) -> CString {
    let text = text.replace('\0', "\u{fffd}");
    CString::new(text).expect("no NUL is left")
}

/// Strings with the list of pointers that C reads.
#[derive(Debug, Default)]
pub(crate) struct CStringList {
    pointers: Vec<*const c_char>,
    /// The strings that the pointers point to.
    _strings: Vec<CString>,
}

// SAFETY: the pointers are to strings on the heap that the list owns and never modifies.
unsafe impl Send for CStringList {}
// SAFETY: as above.
unsafe impl Sync for CStringList {}

impl CStringList {
    /// Copies strings as NUL-terminated ones, and lists the pointers to them in the same order.
    pub(crate) fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let strings: Vec<CString> = texts.into_iter().map(to_c_string).collect();
        Self {
            pointers: strings.iter().map(|string| string.as_ptr()).collect(),
            _strings: strings,
        }
    }

    /// Returns the list of pointers that C reads; it is valid as long as `self` is.
    pub(crate) fn as_ptr(&self) -> *const *const c_char {
        self.pointers.as_ptr()
    }

    /// Returns the pointers as a slice, for lists that are valid for ever.
    pub(crate) fn pointers(&self) -> &[*const c_char] {
        &self.pointers
    }

    /// Returns the number of strings.
    pub(crate) fn len(&self) -> usize {
        self.pointers.len()
    }
}
