//! Vectors whose memory the next program reuses, so that emission only allocates its results after
//! a few programs.

/// Returns `vec` without its items.
pub(crate) fn emptied<T>(mut vec: Vec<T>) -> Vec<T> {
    vec.clear();
    vec
}

/// Returns `vec` with `len` default items.
pub(crate) fn filled<T: Clone + Default>(mut vec: Vec<T>, len: usize) -> Vec<T> {
    refill(&mut vec, len, T::default());
    vec
}

/// Replaces the items of `vec` by `len` copies of `item`.
pub(crate) fn refill<T: Clone>(vec: &mut Vec<T>, len: usize, item: T) {
    vec.clear();
    vec.resize(len, item);
}
