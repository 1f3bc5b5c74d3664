//! Lists and strings of the application, and memory for results.
//!
//! Pointers of OpenGL need not be aligned, and other threads of the application may write to the
//! memory: values are copied one by one, and no reference to memory of the application is made.
//! Counts and names are validated before anything is read.

/// Returns the values of a list; none for a null pointer or a negative count. Each is read on
/// demand.
///
/// # Safety
/// `first` is null or has `count` values for the lifetime of the iterator.
pub(super) unsafe fn values<T: Copy>(
    first: *const T,
    count: i32,
) -> impl ExactSizeIterator<Item = T> {
    let count = if first.is_null() {
        0
    } else {
        usize::try_from(count).unwrap_or(0)
    };
    // SAFETY: the caller ensures that the list has as many values.
    (0..count).map(move |index| unsafe { value(first, index) })
}

/// Returns a value of a list.
///
/// # Safety
/// `first` has more than `index` values.
pub(super) unsafe fn value<T: Copy>(first: *const T, index: usize) -> T {
    // SAFETY: ensured by the caller.
    unsafe { first.add(index).read_unaligned() }
}

/// Returns a copy of the bytes of a string; empty if it is null or the length is negative.
///
/// # Safety
/// `first` is null or has `length` bytes.
pub(super) unsafe fn bytes(first: *const u8, length: i32) -> Vec<u8> {
    let length = if first.is_null() {
        0
    } else {
        usize::try_from(length).unwrap_or(0)
    };
    let mut copy = Vec::with_capacity(length);
    if length > 0 {
        // SAFETY: the caller ensures that there are as many bytes, and the vector has the capacity.
        unsafe {
            std::ptr::copy_nonoverlapping(first, copy.as_mut_ptr(), length);
            copy.set_len(length);
        }
    }
    copy
}

/// Writes values to memory of the application; nothing for a null pointer.
///
/// # Safety
/// `first` is null or has space for them.
pub(super) unsafe fn write<T: Copy>(first: *mut T, values: &[T]) {
    if first.is_null() {
        return;
    }
    for (index, value) in values.iter().enumerate() {
        // SAFETY: the caller ensures that there is memory for as many values.
        unsafe { first.add(index).write_unaligned(*value) };
    }
}

/// Returns vectors of four components, each converted by `bits`; none for a null pointer or a
/// negative count.
///
/// # Safety
/// `first` is null or has four components for each vector.
pub(super) unsafe fn vectors<T: Copy>(
    first: *const T,
    count: i32,
    bits: fn(T) -> u32,
) -> Vec<[u32; 4]> {
    // SAFETY: ensured by the caller; `read_unaligned` has no alignment requirement for four values
    // of `T`.
    let vectors = unsafe { values(first.cast::<[T; 4]>(), count) };
    vectors.map(|vector| vector.map(bits)).collect()
}
