//! Hints for misspelt words.

/// A hint that names the candidate closest to `text`, if one is close.
pub(crate) fn suggest<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    closest(text, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// The candidate closest to `text`, whatever the case of letters, if one is close: a letter or two are added, missing or wrong.
pub fn closest<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Of a short word little may differ, else every other short word is close to it.
    let limit = match text.len() {
        0 | 1 => return None,
        2..=4 => 1,
        _ => 2,
    };
    // No word of the languages is as long, and the distance takes time in proportion to both lengths.
    if text.len() > 64 {
        return None;
    }
    // Programs in the wrong case are a common mistake: the languages tell cases apart.
    let upper = text.to_ascii_uppercase();
    candidates
        // A word that is the text itself is no hint; so is one whose length alone makes it too far.
        .filter(|candidate| candidate.len().abs_diff(text.len()) <= limit && *candidate != text)
        .map(|candidate| (distance(&upper, &candidate.to_ascii_uppercase()), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Number of insertions, removals and replacements between two words.
fn distance(a: &str, b: &str) -> usize {
    let b = b.as_bytes();
    // One row of the table of distances between all beginnings of both words: each row needs the one above only.
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
