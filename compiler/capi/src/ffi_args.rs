//! Memory of the caller: arguments that must be there, lists, and structures that carry their size.

use crate::ffi_guard::{Failure, catch_or};
use std::borrow::Cow;
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::ptr;

/// Returns an argument, or an error that contains `name` if it is null.
pub(crate) fn require<T>(argument: Option<T>, name: &str) -> Result<T, Failure> {
    argument.ok_or_else(|| Failure::invalid_argument(format!("`{name}` is NULL")))
}

/// Returns an element of a list, or an error that contains list and index if it is null.
fn require_element<T>(element: Option<T>, list: &str, index: usize) -> Result<T, Failure> {
    element.ok_or_else(|| Failure::invalid_argument(format!("`{list}[{index}]` is NULL")))
}

/// Writes a result of a call, if the caller requests it.
pub(crate) fn write_out<T>(out: Option<&mut MaybeUninit<T>>, value: T) {
    if let Some(out) = out {
        out.write(value);
    }
}

/// Returns the pointer to which a handle is written, and sets the handle to NULL until it exists.
/// Returns an error that contains `name` if the pointer is null.
pub(crate) fn require_out_handle<'a, T>(
    out: Option<&'a mut MaybeUninit<*mut T>>,
    name: &str,
) -> Result<&'a mut MaybeUninit<*mut T>, Failure> {
    let out = require(out, name)?;
    out.write(ptr::null_mut());
    Ok(out)
}

/// Writes a handle that the caller owns from now on.
pub(crate) fn write_handle<T>(out: &mut MaybeUninit<*mut T>, handle: T) {
    out.write(Box::into_raw(Box::new(handle)));
}

/// Drops an object that the caller frees, if there is one.
pub(crate) fn drop_handle<T>(handle: Option<Box<T>>) {
    catch_or((), || {
        drop(handle);
        Ok(())
    });
}

/// Returns a list of an object: a pointer to its first element, with `count` set to the number of
/// elements; NULL for a missing object.
pub(crate) fn return_list<'a, T: 'a>(
    mut count: Option<&mut MaybeUninit<usize>>,
    body: impl FnOnce() -> Result<&'a [T], Failure>,
) -> *const T {
    write_out(count.as_deref_mut(), 0);
    catch_or(ptr::null(), || {
        let list = body()?;
        write_out(count, list.len());
        Ok(list.as_ptr())
    })
}

/// Returns a list of `count` values of the caller. An empty one may be null; returns an error that
/// contains `name` if another one is null or misaligned, or exceeds the address space.
///
/// # Safety
/// `first` must be null, or point to `count` values that are not modified during the call.
pub(crate) unsafe fn read_list<'a, T>(
    first: *const T,
    count: usize,
    name: &str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if first.is_null() {
        return Err(Failure::invalid_argument(format!("`{name}` is NULL")));
    }
    if !first.is_aligned() || count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Failure::invalid_argument(format!(
            "`{name}` is misaligned or its count is too large"
        )));
    }
    // SAFETY: it is neither null nor unaligned nor larger than any memory; the caller guarantees
    // the rest.
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

/// Reads an array of the caller of a fixed length. Returns an error that contains `name` if it is
/// null or misaligned.
///
/// # Safety
/// `first` must be null, or point to `N` values that are not modified during the call.
pub(crate) unsafe fn read_array<T: Copy, const N: usize>(
    first: *const T,
    name: &str,
) -> Result<[T; N], Failure> {
    // SAFETY: the caller of this function guarantees it.
    let list = unsafe { read_list(first, N, name) }?;
    Ok(std::array::from_fn(|index| list[index]))
}

/// Writes an array of a fixed length. Returns an error that contains `name` if it is null.
///
/// # Safety
/// `first` must be null, or point to memory for `N` values that are not accessed otherwise during
/// the call.
pub(crate) unsafe fn write_array<T, const N: usize>(
    first: *mut T,
    values: [T; N],
    name: &str,
) -> Result<(), Failure> {
    if first.is_null() {
        return Err(Failure::invalid_argument(format!("`{name}` is NULL")));
    }
    // SAFETY: it is not null; the caller guarantees the rest. The memory may be unaligned, and
    // uninitialized.
    unsafe { first.cast::<[T; N]>().write_unaligned(values) };
    Ok(())
}

/// Writes a list into memory of the caller, who requests only its length if that is null.
///
/// # Safety
/// `first` must be null, or point to memory for `capacity` values that are not accessed otherwise
/// during the call.
pub(crate) unsafe fn write_list<T: Copy>(
    first: *mut T,
    capacity: usize,
    values: &[T],
    name: &str,
) -> Result<(), Failure> {
    if first.is_null() && capacity == 0 {
        return Ok(());
    }
    if first.is_null() || capacity < values.len() {
        return Err(Failure::invalid_argument(format!(
            "`{name}` is NULL or too short"
        )));
    }
    for (index, value) in values.iter().enumerate() {
        // SAFETY: it is not null and has space for more values than these; the caller guarantees
        // the rest.
        unsafe { first.add(index).write_unaligned(*value) };
    }
    Ok(())
}

/// Writes as many bytes of a string as fit, with a terminating NUL, and returns its whole length.
///
/// # Safety
/// `text` must be null, or point to memory for `capacity` bytes that is not accessed otherwise
/// during the call.
pub(crate) unsafe fn write_text(text: *mut c_char, capacity: usize, value: &str) -> usize {
    if let Some(last) = capacity.checked_sub(1).filter(|_| !text.is_null()) {
        let count = value.len().min(last);
        // SAFETY: the memory has more bytes than these; the caller guarantees the rest.
        unsafe {
            ptr::copy_nonoverlapping(value.as_ptr().cast(), text, count);
            text.add(count).write(0);
        }
    }
    value.len()
}

/// Reads a string of the caller; invalid UTF-8 is replaced.
///
/// # Safety
/// `text` must be null, or point to a NUL-terminated string that is not modified during the call.
pub(crate) unsafe fn read_string<'a>(text: *const c_char) -> Option<Cow<'a, str>> {
    if text.is_null() {
        return None;
    }
    // SAFETY: it is not null; the caller guarantees the rest.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy())
}

/// Reads a list of `count` strings of the caller. Returns an error that contains `name` as
/// [`read_list`] does, and if one of its elements is null.
///
/// # Safety
/// `first` must be null, or point to `count` pointers, each of them null or as [`read_string`]
/// requires.
pub(crate) unsafe fn read_strings<'a>(
    first: *const *const c_char,
    count: usize,
    name: &str,
) -> Result<Vec<Cow<'a, str>>, Failure> {
    // SAFETY: the caller of this function guarantees it.
    let pointers = unsafe { read_list(first, count, name) }?;
    let strings = pointers.iter().enumerate().map(|(index, &text)| {
        // SAFETY: as above.
        let text = unsafe { read_string(text) };
        require_element(text, name, index)
    });
    strings.collect()
}

/// Reads a list of `count` handles of the caller. Returns an error that contains `name` as
/// [`read_list`] does, and if one of its elements is null.
///
/// # Safety
/// `first` must be null, or point to `count` pointers, each of them null or to an object that lives
/// during the call.
pub(crate) unsafe fn read_handles<'a, T>(
    first: *const *const T,
    count: usize,
    name: &str,
) -> Result<Vec<&'a T>, Failure> {
    // SAFETY: the caller of this function guarantees it.
    let pointers = unsafe { read_list(first, count, name) }?;
    let handles = pointers.iter().enumerate().map(|(index, &handle)| {
        // SAFETY: as above.
        let handle = unsafe { handle.as_ref() };
        require_element(handle, name, index)
    });
    handles.collect()
}

/// Returns an error that contains `count`, the name of the argument with the length of a list, if the
/// list is empty.
pub(crate) fn require_elements<T>(list: &[T], count: &str) -> Result<(), Failure> {
    if list.is_empty() {
        return Err(Failure::invalid_argument(format!("`{count}` is 0")));
    }
    Ok(())
}

/// A structure that begins with its size in bytes, as the caller knows it: a later version may have
/// more members at its end.
///
/// # Safety
/// `repr(C)`, with a first member of type `usize`.
pub(crate) unsafe trait Versioned: Copy {
    /// Size of the structure in the first version of the library, which every caller knows. A
    /// structure that gains members overrides it.
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// A structure that the caller fills.
///
/// # Safety
/// No bits are invalid in it: numbers, raw pointers, and arrays of them, without padding that would
/// be read as something else.
pub(crate) unsafe trait CallerStruct: Versioned {
    /// Returns the initial values of members that the caller does not know.
    fn initial() -> Self {
        Self::zeroed()
    }

    /// Returns the structure with its size, and zeros in the other members.
    fn zeroed() -> Self {
        let mut value = MaybeUninit::<Self>::zeroed();
        // SAFETY: the first member is a `usize`, and all bits are valid in the others.
        unsafe {
            value.as_mut_ptr().cast::<usize>().write(size_of::<Self>());
            value.assume_init()
        }
    }
}

/// Reads the size in bytes that a structure of the caller states in its first member.
///
/// # Safety
/// `structure` must be null, or point to a structure whose first member is set.
unsafe fn read_struct_size<T: Versioned>(
    structure: *const T,
    name: &str,
) -> Result<usize, Failure> {
    if structure.is_null() {
        return Err(Failure::invalid_argument(format!("`{name}` is NULL")));
    }
    // SAFETY: it is not null, and the size is the first member; the caller guarantees the rest.
    let size = unsafe { structure.cast::<usize>().read_unaligned() };
    if size < T::FIRST_SIZE || size > 64 * 1024 {
        return Err(Failure::invalid_argument(format!(
            "`{name}->size` is {size}, not the size of the structure"
        )));
    }
    Ok(size)
}

/// Reads as many bytes of a structure of the caller as its size says. Members of a newer caller
/// after those known here must be zero: they would request something that this version does not
/// support.
///
/// # Safety
/// `structure` must be null, or point to as many bytes as the first member says, which are not
/// modified during the call.
pub(crate) unsafe fn read_struct<T: CallerStruct>(
    structure: *const T,
    name: &str,
) -> Result<T, Failure> {
    // SAFETY: the caller of this function guarantees it.
    let size = unsafe { read_struct_size(structure, name) }?;
    // SAFETY: the structure has that many bytes.
    let given = unsafe { std::slice::from_raw_parts(structure.cast::<MaybeUninit<u8>>(), size) };
    let known_size = size.min(size_of::<T>());
    for byte in &given[known_size..] {
        // SAFETY: the caller has initialized as many bytes as the size states.
        if unsafe { byte.assume_init() } != 0 {
            return Err(Failure::invalid_argument(format!(
                "`{name}` sets members that this version of the library does not support"
            )));
        }
    }
    let mut value = T::initial();
    // SAFETY: `value` has at least `known_size` bytes, and any bits are valid in it.
    unsafe {
        ptr::copy_nonoverlapping(given.as_ptr(), (&raw mut value).cast(), known_size);
    }
    Ok(value)
}

/// Fills as many bytes of a structure of the caller as its size says; the size is unchanged.
///
/// # Safety
/// `structure` must be null, or point to as many bytes as the first member says, which are not
/// accessed otherwise during the call.
pub(crate) unsafe fn write_struct<T: Versioned>(
    structure: *mut T,
    value: T,
    name: &str,
) -> Result<(), Failure> {
    // SAFETY: the caller of this function guarantees it.
    let size = unsafe { read_struct_size(structure, name) }?;
    let known_size = size.min(size_of::<T>());
    let (first, rest) = (size_of::<usize>(), known_size - size_of::<usize>());
    // SAFETY: both have `known_size` bytes; members of a newer caller after these become zero.
    unsafe {
        let from = (&raw const value).cast::<MaybeUninit<u8>>();
        let to = structure.cast::<MaybeUninit<u8>>();
        ptr::copy_nonoverlapping(from.add(first), to.add(first), rest);
        ptr::write_bytes(to.add(known_size), 0, size - known_size);
    }
    Ok(())
}

/// Fills a structure with its initial values: for functions that get the size as an argument.
///
/// # Safety
/// `structure` must be null, or point to `size` bytes that are not accessed otherwise during the
/// call.
pub(crate) unsafe fn init_struct<T: CallerStruct>(
    structure: *mut T,
    size: usize,
    name: &str,
) -> Result<(), Failure> {
    if structure.is_null() {
        return Err(Failure::invalid_argument(format!("`{name}` is NULL")));
    }
    if size < T::FIRST_SIZE {
        return Err(Failure::invalid_argument(format!(
            "`size` is {size}: too small"
        )));
    }
    // SAFETY: it is not null and has space for a size; the caller guarantees the rest.
    unsafe { structure.cast::<usize>().write_unaligned(size) };
    // SAFETY: the first member is set.
    unsafe { write_struct(structure, T::initial(), name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq, Debug)]
    #[repr(C)]
    struct Now {
        size: usize,
        old: u32,
        new: u32,
    }

    // SAFETY: it begins with the size.
    unsafe impl Versioned for Now {
        const FIRST_SIZE: usize = size_of::<usize>() + 4;
    }

    // SAFETY: numbers.
    unsafe impl CallerStruct for Now {
        fn initial() -> Self {
            Self {
                size: size_of::<Self>(),
                old: 1,
                new: 2,
            }
        }
    }

    #[repr(C)]
    struct Later {
        now: Now,
        later: u64,
    }

    fn later(later: u64) -> Later {
        let now = Now {
            size: size_of::<Later>(),
            old: 5,
            new: 6,
        };
        Later { now, later }
    }

    #[test]
    fn older_callers_get_what_is_initial() {
        let given = [size_of::<usize>() + 4, usize::MAX];
        // SAFETY: there are as many bytes as the size states.
        let read = unsafe { read_struct(given.as_ptr().cast::<Now>(), "given") }.unwrap();
        assert_eq!((read.old, read.new), (u32::MAX, 2));
    }

    #[test]
    fn newer_callers_may_ask_for_nothing_new() {
        // SAFETY: there are as many bytes as the size states.
        let asked =
            |given: Later| unsafe { read_struct((&raw const given).cast::<Now>(), "given") };
        assert_eq!(asked(later(0)).unwrap().new, 6);
        assert!(asked(later(1)).is_err());
    }

    #[test]
    fn nothing_is_written_past_the_size() {
        let mut place = later(u64::MAX);
        let now = (&raw mut place).cast::<Now>();
        let first = size_of::<usize>() + 4;
        // SAFETY: the structure is larger than both sizes.
        unsafe { init_struct(now, first, "place") }.unwrap();
        assert_eq!(
            (place.now.size, place.now.old, place.now.new),
            (first, 1, 6)
        );
        assert_eq!(place.later, u64::MAX);
        // SAFETY: it has this size.
        unsafe { init_struct((&raw mut place).cast::<Now>(), size_of::<Later>(), "place") }
            .unwrap();
        assert_eq!((place.now.new, place.later), (2, 0));
    }

    #[test]
    fn missing_elements_of_lists_are_named() {
        let names = [c"a".as_ptr(), ptr::null()];
        // SAFETY: there are two pointers.
        let refused = unsafe { read_strings(names.as_ptr(), 2, "names") }.unwrap_err();
        assert_eq!(refused.message(), "`names[1]` is NULL");
        let handles = [ptr::null::<u32>()];
        // SAFETY: there is one pointer.
        let refused = unsafe { read_handles(handles.as_ptr(), 1, "programs") }.unwrap_err();
        assert_eq!(refused.message(), "`programs[0]` is NULL");
    }

    #[test]
    fn wrong_sizes_are_refused() {
        for size in [0, size_of::<usize>() + 3, usize::MAX] {
            let place = [size, 0];
            // SAFETY: the first member exists, and its value is refused.
            assert!(unsafe { read_struct(place.as_ptr().cast::<Now>(), "place") }.is_err());
        }
        // SAFETY: null is allowed.
        assert!(unsafe { read_struct::<Now>(ptr::null(), "place") }.is_err());
    }
}
