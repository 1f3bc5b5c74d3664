//! Hints for misspelt words.

/// Returns a hint that names the candidate closest to `text`, if one is close.
pub(crate) fn suggest<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    closest(text, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// Returns the candidate closest to `text`, ignoring case, if one is close: a character or two are
/// added, missing or wrong.
pub fn closest<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // A short word may differ in few characters, else every other short word is close to it.
    let limit = match text.len() {
        0 | 1 => return None,
        2..=4 => 1,
        _ => 2,
    };
    // No word of the languages is as long, and the distance takes time in proportion to both
    // lengths.
    if text.len() > 64 {
        return None;
    }
    // Wrong case is a common mistake: the languages are case-sensitive.
    let upper = text.to_ascii_uppercase();
    candidates
        // A candidate that equals the word is not a hint; nor is one whose length alone is too
        // different.
        .filter(|candidate| candidate.len().abs_diff(text.len()) <= limit && *candidate != text)
        .map(|candidate| (distance(&upper, &candidate.to_ascii_uppercase()), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the number of insertions, removals and replacements between two words.
fn distance(a: &str, b: &str) -> usize {
    let b = b.as_bytes();
    // One line of the matrix of distances between all prefixes of both words: each line depends
    // only on the preceding one.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn close_words_are_suggested() {
        let words = ["colour", "normal", "R0"];
        assert_eq!(
            suggest("color", words.into_iter()).as_deref(),
            Some("did you mean `colour`?")
        );
        assert_eq!(suggest("xyzzy", words.into_iter()), None);
        assert_eq!(suggest("R", words.into_iter()), None);
    }
}
