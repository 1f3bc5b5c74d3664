//! Lists and strings that applications hand over, and places that they want answers in.

/// A list of the application; empty where there is none.
///
/// # Safety
/// `first` is null or has `count` elements, which nobody changes meanwhile.
pub(super) unsafe fn list<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(first, count) }
}

/// A list whose length is what GL calls a size; empty if that is negative.
///
/// # Safety
/// As for [`list`].
pub(super) unsafe fn sized<'a, T>(first: *const T, count: i32) -> &'a [T] {
    // SAFETY: the caller says so.
    unsafe { list(first, usize::try_from(count).unwrap_or(0)) }
}

/// Writes elements to a place of the application, if there is one.
///
/// # Safety
/// `place` is null or has room for them.
pub(super) unsafe fn write<T: Copy>(place: *mut T, values: &[T]) {
    if !place.is_null() {
        // SAFETY: the caller says so.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), place, values.len()) };
    }
}

/// Four components as bits; lists of GL need not be aligned.
///
/// # Safety
/// `first` is null or has four components for each vector.
pub(super) unsafe fn vectors<T: Copy>(
    first: *const T,
    count: i32,
    bits: fn(T) -> u32,
) -> Vec<[u32; 4]> {
    let count = usize::try_from(count).unwrap_or(0);
    if first.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller says so.
    let component = |n: usize| bits(unsafe { first.add(n).read_unaligned() });
    (0..count)
        .map(|vector| std::array::from_fn(|n| component(4 * vector + n)))
        .collect()
}
