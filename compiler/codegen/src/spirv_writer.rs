//! SPIR-V words: typed ids and the writer that appends instructions to a reused vector.
//!
//! The functions on vectors reuse memory for the next program, so that emission only allocates its
//! results after a few programs.

use spirv::Op;

macro_rules! word_types {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
        pub(crate) struct $name(pub(crate) u32);

        impl From<$name> for u32 {
            fn from(word: $name) -> Self {
                word.0
            }
        }
    )*};
}

word_types! {
    /// Id of a type.
    TypeWord;
    /// Id of a value, variable or function.
    ValueWord;
    /// Id of a block.
    LabelWord;
}

impl ValueWord {
    /// No value. Id 0 does not occur in SPIR-V.
    pub(crate) const NONE: Self = Self(0);

    /// Returns true if this is the id of a value, not [`Self::NONE`].
    pub(crate) const fn is_some(self) -> bool {
        self.0 != 0
    }
}

/// Short list of operands that are collected one by one.
#[derive(Clone, Copy, Default)]
pub(crate) struct OperandList {
    // A sample has the most: image, coordinate, reference, mask, two derivatives, offset and
    // minimum level.
    words: [u32; 10],
    len: usize,
}

impl OperandList {
    /// Appends an operand word. Panics if the list is full.
    pub(crate) fn push(&mut self, word: impl Into<u32>) {
        self.words[self.len] = word.into();
        self.len += 1;
    }

    /// Appends operand words. Panics if the list is full.
    pub(crate) fn extend(&mut self, words: impl IntoIterator<Item = impl Into<u32>>) {
        words.into_iter().for_each(|word| self.push(word));
    }
}

impl std::ops::Deref for OperandList {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.words[..self.len]
    }
}

/// Sequence of SPIR-V instructions.
#[derive(Clone, Default, Debug)]
pub(crate) struct SpirvWriter(pub(crate) Vec<u32>);

impl SpirvWriter {
    /// Returns the current number of words.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Removes all words and retains the memory.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Appends an instruction without result: its head and these operand words.
    pub(crate) fn push_inst(&mut self, op: Op, operands: &[u32]) {
        self.push_head(op, operands.len());
        self.0.extend_from_slice(operands);
    }

    /// Appends an instruction with a result type, a result id and these operand words.
    pub(crate) fn push_result_inst<const N: usize>(
        &mut self,
        op: Op,
        ty: TypeWord,
        id: ValueWord,
        operands: &[u32; N],
    ) {
        let first = (N as u32 + 3) << 16 | op as u32;
        // The most common lengths are written at once. The compiler knows the length.
        match *operands.as_slice() {
            [] => self.0.extend_from_slice(&[first, ty.0, id.0]),
            [a] => self.0.extend_from_slice(&[first, ty.0, id.0, a]),
            [a, b] => self.0.extend_from_slice(&[first, ty.0, id.0, a, b]),
            [a, b, c] => self.0.extend_from_slice(&[first, ty.0, id.0, a, b, c]),
            _ => self.push_variadic_result_inst(op, ty, id, operands),
        }
    }

    /// Appends an instruction with a result type, a result id and any number of operand words.
    pub(crate) fn push_variadic_result_inst(
        &mut self,
        op: Op,
        ty: TypeWord,
        id: ValueWord,
        operands: &[u32],
    ) {
        let first = (operands.len() as u32 + 3) << 16 | op as u32;
        // One capacity check for head and operands.
        self.0.reserve(operands.len() + 3);
        self.0.extend_from_slice(&[first, ty.0, id.0]);
        self.0.extend_from_slice(operands);
    }

    /// Appends an instruction whose operands are `leading` followed by `operands`.
    pub(crate) fn push_prefixed_inst<const M: usize, const N: usize>(
        &mut self,
        op: Op,
        leading: [u32; M],
        operands: &[u32; N],
    ) {
        self.push_head(op, M + N);
        self.0.extend_from_slice(&leading);
        self.0.extend_from_slice(operands);
    }

    /// Appends the first word of an instruction that is followed by `operands` words.
    pub(crate) fn push_head(&mut self, op: Op, operands: usize) {
        // The number of words, including this one, is in the upper half (SPIR-V section 2.3).
        self.0.push((operands as u32 + 1) << 16 | op as u32);
    }

    /// Appends an instruction with leading words, a nul-terminated string and trailing words.
    /// Strings are truncated to at most 1000 bytes, between characters.
    pub(crate) fn push_string_inst(&mut self, op: Op, before: &[u32], text: &str, after: &[u32]) {
        // An instruction has at most 65535 words; names are truncated far below that limit, between
        // characters: literals are UTF-8 (SPIR-V section 2.2.1).
        let mut ends = (0..=text.len().min(1000)).rev();
        let end = ends.find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        let text = &text.as_bytes()[..end];
        // A string ends with a zero byte: a string that fills its words requires one more.
        let string_words = text.len() / 4 + 1;
        self.push_head(op, before.len() + string_words + after.len());
        self.0.extend_from_slice(before);
        for chunk in 0..string_words {
            let bytes =
                std::array::from_fn(|byte| text.get(chunk * 4 + byte).copied().unwrap_or(0));
            // The first byte is the lowest of the word, on any machine (SPIR-V section 2.2.1,
            // literals).
            self.0.push(u32::from_le_bytes(bytes));
        }
        self.0.extend_from_slice(after);
    }

    /// Appends all words of `other`.
    pub(crate) fn append(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }
}

/// Clears `vec` and returns it with its memory.
pub(crate) fn reuse_empty<T>(mut vec: Vec<T>) -> Vec<T> {
    vec.clear();
    vec
}

/// Returns `vec` with `len` default items instead of its previous items, with its memory.
pub(crate) fn reuse_filled<T: Clone + Default>(mut vec: Vec<T>, len: usize) -> Vec<T> {
    refill(&mut vec, len, T::default());
    vec
}

/// Replaces the items of `vec` by `len` copies of `item`, in the same memory if it suffices.
pub(crate) fn refill<T: Clone>(vec: &mut Vec<T>, len: usize, item: T) {
    vec.clear();
    vec.resize(len, item);
}
