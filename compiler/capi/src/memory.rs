//! Memory of the caller: arguments that must be there, lists, and structures that carry their size.

use crate::call::{Failure, guarded};
use std::borrow::Cow;
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::ptr;

/// An argument that must not be null.
pub(crate) fn required<T>(argument: Option<T>, name: &str) -> Result<T, Failure> {
    argument.ok_or_else(|| Failure::argument(format!("`{name}` is NULL")))
}

/// Writes what a call gives, if the caller wants it.
pub(crate) fn give<T>(place: Option<&mut MaybeUninit<T>>, value: T) {
    if let Some(place) = place {
        place.write(value);
    }
}

/// The place for a handle, which must be there. It holds NULL until there is one.
pub(crate) fn emptied<'a, T>(
    place: Option<&'a mut MaybeUninit<*mut T>>,
    name: &str,
) -> Result<&'a mut MaybeUninit<*mut T>, Failure> {
    let place = required(place, name)?;
    place.write(ptr::null_mut());
    Ok(place)
}

/// Writes a handle that the caller owns from now on.
pub(crate) fn give_handle<T>(place: &mut MaybeUninit<*mut T>, handle: T) {
    place.write(Box::into_raw(Box::new(handle)));
}

/// Drops an object that the caller gives back, if there is one.
pub(crate) fn free<T>(handle: Option<Box<T>>) {
    guarded((), || {
        drop(handle);
        Ok(())
    });
}

/// Gives a list of an object: its first element, of which there are `count`; NULL if there is no such object.
pub(crate) fn give_list<'a, T: 'a>(
    mut count: Option<&mut MaybeUninit<usize>>,
    body: impl FnOnce() -> Result<&'a [T], Failure>,
) -> *const T {
    give(count.as_deref_mut(), 0);
    guarded(ptr::null(), || {
        let list = body()?;
        give(count, list.len());
        Ok(list.as_ptr())
    })
}

/// A list of the caller; the empty one may be null.
///
/// # Safety
/// `first` must be null, or point to `count` values that nobody changes during the call.
pub(crate) unsafe fn list<'a, T>(
    first: *const T,
    count: usize,
    name: &str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if first.is_null() {
        return Err(Failure::argument(format!("`{name}` is NULL")));
    }
    if !first.is_aligned() || count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Failure::argument(format!("`{name}` is no list")));
    }
    // SAFETY: it is neither null nor unaligned nor larger than any memory; the caller answers for the rest.
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

/// An array of the caller of a length that both know.
///
/// # Safety
/// `first` must be null, or point to `N` values that nobody changes during the call.
pub(crate) unsafe fn array<T: Copy, const N: usize>(
    first: *const T,
    name: &str,
) -> Result<[T; N], Failure> {
    // SAFETY: what the caller of this function answers for.
    let list = unsafe { list(first, N, name) }?;
    Ok(std::array::from_fn(|index| list[index]))
}

/// Writes an array of a length that both know.
///
/// # Safety
/// `first` must be null, or point to room for `N` values that nobody else uses during the call.
pub(crate) unsafe fn give_array<T, const N: usize>(
    first: *mut T,
    values: [T; N],
    name: &str,
) -> Result<(), Failure> {
    if first.is_null() {
        return Err(Failure::argument(format!("`{name}` is NULL")));
    }
    // SAFETY: it is not null; the caller answers for the rest. The room may be unaligned, and hold anything.
    unsafe { first.cast::<[T; N]>().write_unaligned(values) };
    Ok(())
}

/// Writes a list into room of the caller, who asks only for its length if there is none.
///
/// # Safety
/// `first` must be null, or point to room for `capacity` values that nobody else uses during the call.
pub(crate) unsafe fn give_some<T: Copy>(
    first: *mut T,
    capacity: usize,
    values: &[T],
    name: &str,
) -> Result<(), Failure> {
    if first.is_null() && capacity == 0 {
        return Ok(());
    }
    if first.is_null() || capacity < values.len() {
        return Err(Failure::argument(format!("`{name}` is NULL or too short")));
    }
    for (place, value) in values.iter().enumerate() {
        // SAFETY: it is not null and has room for more values than these; the caller answers for the rest.
        unsafe { first.add(place).write_unaligned(*value) };
    }
    Ok(())
}

/// A string of the caller; what is not UTF-8 is replaced.
///
/// # Safety
/// `text` must be null, or point to a string with a NUL behind it that nobody changes during the call.
pub(crate) unsafe fn string<'a>(text: *const c_char) -> Option<Cow<'a, str>> {
    if text.is_null() {
        return None;
    }
    // SAFETY: it is not null; the caller answers for the rest.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy())
}

/// Strings of the caller.
///
/// # Safety
/// `first` must be null, or point to `count` pointers, each of them null or as [`string`] has it.
pub(crate) unsafe fn strings<'a>(
    first: *const *const c_char,
    count: usize,
    name: &str,
) -> Result<Vec<Cow<'a, str>>, Failure> {
    // SAFETY: what the caller of this function answers for.
    let pointers = unsafe { list(first, count, name) }?;
    let strings = pointers.iter().map(|&text| {
        // SAFETY: as above.
        let text = unsafe { string(text) };
        required(text, name)
    });
    strings.collect()
}

/// Handles of the caller.
///
/// # Safety
/// `first` must be null, or point to `count` pointers, each of them null or to an object that lives during the call.
pub(crate) unsafe fn handles<'a, T>(
    first: *const *const T,
    count: usize,
    name: &str,
) -> Result<Vec<&'a T>, Failure> {
    // SAFETY: what the caller of this function answers for.
    let pointers = unsafe { list(first, count, name) }?;
    let handles = pointers.iter().map(|&handle| {
        // SAFETY: as above.
        let handle = unsafe { handle.as_ref() };
        required(handle, name)
    });
    handles.collect()
}

/// A structure that begins with its size in bytes, as the caller knows it: a later version may have more members at its end.
///
/// # Safety
/// `repr(C)`, with a first member of type `usize`.
pub(crate) unsafe trait Versioned: Copy {}

/// A structure that the caller fills.
///
/// # Safety
/// No bits are invalid in it: numbers, raw pointers, and arrays of them, without padding that would be read as something else.
pub(crate) unsafe trait FromC: Versioned {
    /// Returns what members have that the caller does not know.
    fn initial() -> Self {
        Self::zero()
    }

    /// Returns the structure with its size, and zeros in the other members.
    fn zero() -> Self {
        let mut value = MaybeUninit::<Self>::zeroed();
        // SAFETY: the first member is a `usize`, and all bits are valid in the others.
        unsafe {
            value.as_mut_ptr().cast::<usize>().write(size_of::<Self>());
            value.assume_init()
        }
    }
}

/// The size that a structure of the caller says it has.
///
/// # Safety
/// `place` must be null, or point to a structure whose first member is set.
unsafe fn size_of_callers<T: Versioned>(place: *const T, name: &str) -> Result<usize, Failure> {
    if place.is_null() {
        return Err(Failure::argument(format!("`{name}` is NULL")));
    }
    // SAFETY: it is not null, and the size is the first member; the caller answers for the rest.
    let size = unsafe { place.cast::<usize>().read_unaligned() };
    if size < size_of::<usize>() || size > 64 * 1024 {
        return Err(Failure::argument(format!(
            "`{name}->size` is {size}, not the size of the structure"
        )));
    }
    Ok(size)
}

/// A structure of the caller, as far as its size says. What a newer caller has behind the members that are known here must be zero: it
/// would ask for something that this version does not do.
///
/// # Safety
/// `place` must be null, or point to as many bytes as the first member says, which nobody changes during the call.
pub(crate) unsafe fn read<T: FromC>(place: *const T, name: &str) -> Result<T, Failure> {
    // SAFETY: what the caller of this function answers for.
    let size = unsafe { size_of_callers(place, name) }?;
    // SAFETY: the structure has so many bytes.
    let given = unsafe { std::slice::from_raw_parts(place.cast::<MaybeUninit<u8>>(), size) };
    let known = size.min(size_of::<T>());
    for byte in &given[known..] {
        // SAFETY: the caller has set what it says is there.
        if unsafe { byte.assume_init() } != 0 {
            return Err(Failure::argument(format!(
                "`{name}` asks for what this version of the library does not know"
            )));
        }
    }
    let mut value = T::initial();
    // SAFETY: `value` has at least `known` bytes, and any bits are valid in it.
    unsafe {
        ptr::copy_nonoverlapping(given.as_ptr(), (&raw mut value).cast(), known);
    }
    Ok(value)
}

/// Fills a structure of the caller as far as its size says; the size stays.
///
/// # Safety
/// `place` must be null, or point to as many bytes as the first member says, which nobody else uses during the call.
pub(crate) unsafe fn write<T: Versioned>(
    place: *mut T,
    value: T,
    name: &str,
) -> Result<(), Failure> {
    // SAFETY: what the caller of this function answers for.
    let size = unsafe { size_of_callers(place, name) }?;
    let known = size.min(size_of::<T>());
    let (first, rest) = (size_of::<usize>(), known - size_of::<usize>());
    // SAFETY: both have `known` bytes; what a newer caller has behind them becomes zero.
    unsafe {
        let from = (&raw const value).cast::<MaybeUninit<u8>>();
        let to = place.cast::<MaybeUninit<u8>>();
        ptr::copy_nonoverlapping(from.add(first), to.add(first), rest);
        ptr::write_bytes(to.add(known), 0, size - known);
    }
    Ok(())
}

/// Fills a structure with what it has at first: for functions that get the size beside it.
///
/// # Safety
/// `place` must be null, or point to `size` bytes that nobody else uses during the call.
pub(crate) unsafe fn init<T: FromC>(place: *mut T, size: usize, name: &str) -> Result<(), Failure> {
    if place.is_null() {
        return Err(Failure::argument(format!("`{name}` is NULL")));
    }
    if size < size_of::<usize>() {
        return Err(Failure::argument(format!("`size` is {size}: too small")));
    }
    // SAFETY: it is not null and has room for a size; the caller answers for the rest.
    unsafe { place.cast::<usize>().write_unaligned(size) };
    // SAFETY: the first member is set.
    unsafe { write(place, T::initial(), name) }
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
    unsafe impl Versioned for Now {}

    // SAFETY: numbers.
    unsafe impl FromC for Now {
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
        // SAFETY: there are as many bytes as it says.
        let read = unsafe { read(given.as_ptr().cast::<Now>(), "given") }.unwrap();
        assert_eq!((read.old, read.new), (u32::MAX, 2));
    }

    #[test]
    fn newer_callers_may_ask_for_nothing_new() {
        // SAFETY: there are as many bytes as it says.
        let asked = |given: Later| unsafe { read((&raw const given).cast::<Now>(), "given") };
        assert_eq!(asked(later(0)).unwrap().new, 6);
        assert!(asked(later(1)).is_err());
    }

    #[test]
    fn nothing_is_written_past_the_size() {
        let mut place = later(u64::MAX);
        let now = (&raw mut place).cast::<Now>();
        let first = size_of::<usize>() + 4;
        // SAFETY: the place is larger than both sizes.
        unsafe { init(now, first, "place") }.unwrap();
        assert_eq!(
            (place.now.size, place.now.old, place.now.new),
            (first, 1, 6)
        );
        assert_eq!(place.later, u64::MAX);
        // SAFETY: it has this size.
        unsafe { init((&raw mut place).cast::<Now>(), size_of::<Later>(), "place") }.unwrap();
        assert_eq!((place.now.new, place.later), (2, 0));
    }

    #[test]
    fn wrong_sizes_are_refused() {
        for size in [0, 7, usize::MAX] {
            let place = [size, 0];
            // SAFETY: the first member is there, and what it says is refused.
            assert!(unsafe { read(place.as_ptr().cast::<Now>(), "place") }.is_err());
        }
        // SAFETY: null is allowed.
        assert!(unsafe { read::<Now>(ptr::null(), "place") }.is_err());
    }
}
