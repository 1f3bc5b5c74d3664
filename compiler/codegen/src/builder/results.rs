//! Cache of results computed from a value: swizzles of vectors, tests of condition codes. Each
//! value has a separate list.

use super::lane::Picks;
use crate::words::ValueWord;
use glasm_ir::CondTest;

/// Kind of a result computed from a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ResultKey(u16);

impl ResultKey {
    /// Value without denormals. No swizzle has this key.
    // Swizzles use bits up to 10, because sizes are at most 4; tests use bit 15.
    pub(super) const FLUSHED: Self = Self(0x4000);
    /// The value itself, if it is a number above zero.
    pub(super) const POSITIVE: Self = Self(0x4001);
    /// The value itself, if it is a number that is not below zero.
    pub(super) const NOT_NEGATIVE: Self = Self(0x4002);

    /// Returns the key of components of a vector.
    #[inline]
    pub(super) fn swizzle(picks: Picks) -> Self {
        // The number of components is part of the key, so that (x, x) and (x, x, x) differ.
        Self(u16::from(picks.components.0) | u16::from(picks.size) << 8)
    }

    /// Returns the key of a test of condition codes.
    pub(super) const fn test(test: CondTest) -> Self {
        // The highest bit distinguishes tests from swizzles.
        Self(test as u16 | 0x8000)
    }
}

/// Values of all lists.
#[derive(Debug, Default)]
pub(super) struct Results {
    computed: Vec<Computed>,
    /// First entry of the current function; earlier entries belong to finished functions.
    first: u32,
}

/// End of a list, as a number of [`Results`] from 1 on.
pub(super) type ListEnd = u32;

#[derive(Clone, Copy, Debug)]
struct Computed {
    key: ResultKey,
    value: ValueWord,
    /// Previously computed result of the same value.
    before: ListEnd,
}

impl Results {
    /// Removes all lists and their values.
    pub(super) fn reset(&mut self) {
        self.computed.clear();
        self.forget_function();
    }

    /// Invalidates all lists, because a function ends.
    pub(super) fn forget_function(&mut self) {
        self.first = self.computed.len() as u32 + 1;
    }

    fn get(&self, end: ListEnd) -> Option<&Computed> {
        // At least 1, so that a list that was never used is empty, too.
        (end >= self.first).then(|| &self.computed[end as usize - 1])
    }

    /// Returns the result of a kind in a list.
    #[inline]
    pub(super) fn find(&self, mut end: ListEnd, key: ResultKey) -> Option<ValueWord> {
        while let Some(computed) = self.get(end) {
            if computed.key == key {
                return Some(computed.value);
            }
            end = computed.before;
        }
        None
    }

    /// Appends to a list and returns its new end.
    pub(super) fn add(&mut self, before: ListEnd, key: ResultKey, value: ValueWord) -> ListEnd {
        self.computed.push(Computed { key, value, before });
        self.computed.len() as ListEnd
    }

    /// Removes a result from a list and returns its new end.
    pub(super) fn remove(&mut self, end: ListEnd, key: ResultKey) -> ListEnd {
        // The newest result is usually removed first, so the search is short.
        let (mut behind, mut next) = (None, end);
        while let Some(&computed) = self.get(next) {
            if computed.key != key {
                (behind, next) = (Some(next), computed.before);
                continue;
            }
            let Some(behind) = behind else {
                return computed.before;
            };
            self.computed[behind as usize - 1].before = computed.before;
            break;
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_ir::Swizzle;

    const KEYS: [ResultKey; 3] = [ResultKey(1), ResultKey(2), ResultKey(3)];

    #[test]
    fn values_are_found_until_they_are_removed() {
        let mut results = Results::default();
        results.reset();
        let mut end = 0;
        for (number, &key) in KEYS.iter().enumerate() {
            assert_eq!(results.find(end, key), None);
            end = results.add(end, key, ValueWord(number as u32 + 10));
        }
        for removed in [1, 2, 0] {
            assert!(results.find(end, KEYS[removed]).is_some());
            end = results.remove(end, KEYS[removed]);
            assert_eq!(results.find(end, KEYS[removed]), None);
        }
        assert!(KEYS.iter().all(|&key| results.find(end, key).is_none()));
    }

    #[test]
    fn functions_do_not_see_results_of_others() {
        let mut results = Results::default();
        results.reset();
        let before = results.add(0, KEYS[0], ValueWord(7));
        results.forget_function();
        assert_eq!(results.find(before, KEYS[0]), None);
        let end = results.add(before, KEYS[1], ValueWord(8));
        assert_eq!(results.find(end, KEYS[1]), Some(ValueWord(8)));
        assert_eq!(results.find(end, KEYS[0]), None);
    }

    #[test]
    fn keys_tell_sizes_and_tests_apart() {
        let keys = [
            ResultKey::swizzle(Picks::new(Swizzle::splat(0), 0b0011)),
            ResultKey::swizzle(Picks::new(Swizzle::splat(0), 0b0111)),
            ResultKey::test(CondTest::Eq),
            ResultKey::test(CondTest::Ne),
        ];
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[index + 1..].contains(key));
        }
    }
}
