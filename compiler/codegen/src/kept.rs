//! Vectors whose memory the next program uses again, so that emission allocates nothing but its results once it has seen a few programs.

/// `vec` without its items.
pub(crate) fn emptied<T>(mut vec: Vec<T>) -> Vec<T> {
    vec.clear();
    vec
}

/// `vec` with `len` default items.
pub(crate) fn filled<T: Clone + Default>(mut vec: Vec<T>, len: usize) -> Vec<T> {
    refill(&mut vec, len, T::default());
    vec
}

/// Makes `vec` hold `len` times `item`.
pub(crate) fn refill<T: Clone>(vec: &mut Vec<T>, len: usize, item: T) {
    vec.clear();
    vec.resize(len, item);
}
