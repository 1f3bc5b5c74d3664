//! Changes to program texts, for tests of what no compiler should have to read.

use proptest::prelude::*;

/// A change to a program text.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    Remove(usize, usize),
    Copy(usize, usize, usize),
    Put(usize, Vec<u8>),
    Cut(usize),
}

/// Any change; `words` may be put in.
pub(crate) fn edit(words: &'static [&'static str]) -> impl Strategy<Value = Edit> {
    let word = prop::sample::select(words);
    prop_oneof![
        (any::<usize>(), 1usize..12).prop_map(|(at, count)| Edit::Remove(at, count)),
        (any::<usize>(), any::<usize>(), 1usize..40)
            .prop_map(|(from, to, count)| Edit::Copy(from, to, count)),
        (any::<usize>(), word).prop_map(|(at, word)| Edit::Put(at, word.as_bytes().to_vec())),
        (any::<usize>(), prop::collection::vec(any::<u8>(), 1..3))
            .prop_map(|(at, bytes)| Edit::Put(at, bytes)),
        any::<usize>().prop_map(Edit::Cut),
    ]
}

/// Changes a text. Places count from its start, again and again.
pub(crate) fn apply(text: &mut Vec<u8>, edit: &Edit) {
    if text.is_empty() {
        return;
    }
    let length = text.len();
    match edit {
        Edit::Remove(at, count) => {
            let at = at % length;
            text.drain(at..(at + count).min(length));
        }
        Edit::Copy(from, to, count) => {
            let from = from % length;
            let part = text[from..(from + count).min(length)].to_vec();
            let to = to % length;
            text.splice(to..to, part);
        }
        Edit::Put(at, bytes) => {
            let at = at % length;
            text.splice(at..at, bytes.iter().copied());
        }
        Edit::Cut(at) => text.truncate(at % length),
    }
}
