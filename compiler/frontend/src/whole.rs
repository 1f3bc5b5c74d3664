//! Whether lines have to wait for the rest of the text.
//!
//! Most instructions become IR as soon as they are read. Some programs say later what earlier lines mean: a label says which lines run
//! at all, an index that is computed at run time puts its array before everything else, a loop in a loop makes ARB programs count
//! their steps from the start. The note that a program may do so is taken off the bytes when its first instruction is read. It
//! may err on the safe side: what waits in vain is translated all the same.

use crate::lang::facts::LanguageFacts;
use crate::lang::options::Features;
use crate::lex;

/// Whether `rest`, the text from the first instruction on, may say what an earlier line of it means.
pub(crate) fn is_needed(rest: &[u8], facts: &LanguageFacts, features: Features) -> bool {
    // Loops that may run too long and the stack of address registers exist under these options only; in the languages with data
    // types neither changes what lies before it.
    let has_loops = features.contains(Features::NV_FRAGMENT_2);
    let has_stack = features.contains(Features::NV_VERTEX_3);
    // Options first: without them the text is not looked through.
    has_loops && position(rest, ends_loop).is_some()
        || has_stack && position(rest, ends_push_or_pop).is_some()
        || has_label_or_index(rest, facts)
}

/// ENDREP and ENDLOOP end like this, and hardly any other word of a program.
fn ends_loop(byte: u8, next: u8) -> bool {
    // `&` and `|` of all parts instead of branches: the compiler compares many bytes at once.
    (byte == b'E') & (next == b'P') | (byte == b'O') & (next == b'P')
}

/// PUSHA and POPA.
fn ends_push_or_pop(byte: u8, next: u8) -> bool {
    (byte == b'H') & (next == b'A') | (byte == b'P') & (next == b'A')
}

/// Whether the text has a colon, as labels do, or a bracket with a name in it, outside of comments. Where words in brackets name
/// registers, only the letter of address registers counts.
fn has_label_or_index(mut rest: &[u8], facts: &LanguageFacts) -> bool {
    let begins_index = |&byte: &u8| match facts.registers {
        None => lex::is_letter(byte),
        // A0 and A1; other words in brackets name registers.
        Some(_) => byte == b'A',
    };
    let may_be =
        |byte, next: u8| (byte == b':') | (byte == b'#') | (byte == b'[') & !next.is_ascii_digit();
    while let Some(at) = position(rest, may_be) {
        let (found, behind) = (rest[at], &rest[at + 1..]);
        rest = match found {
            // Colons and brackets in comments mean nothing.
            b'#' => lex::without_blanks(&rest[at..]),
            b'[' => lex::without_blanks(behind),
            // A colon stands behind labels only.
            _ => return true,
        };
        if found == b'[' && rest.first().is_some_and(begins_index) {
            return true;
        }
    }
    false
}

/// Where `is_found` first holds for a byte and the one behind it, which is 0 at the end.
#[inline(always)]
fn position(text: &[u8], is_found: impl Fn(u8, u8) -> bool) -> Option<usize> {
    const MANY: usize = 32;
    let mut start = 0;
    // Many bytes are compared at once.
    while let Some(many) = text[start..].first_chunk::<{ MANY + 1 }>() {
        let found = |found, at: usize| found | is_found(many[at], many[at + 1]);
        if (0..MANY).fold(false, found) {
            // Which byte it is, is found out one by one below.
            break;
        }
        start += MANY;
    }
    let next = |at: usize| text.get(at + 1).copied().unwrap_or(0);
    (start..text.len()).find(|&at| is_found(text[at], next(at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Dialect;

    #[test]
    fn labels_and_names_in_brackets_count() {
        let facts = Dialect::NvFp5_0.facts();
        for text in [
            "main: RET;",
            "MOV a, b[ i.x + 1];",
            "MOV a, b[#c\n i];",
            "#\nx:",
        ] {
            assert!(has_label_or_index(text.as_bytes(), facts), "{text}");
        }
        for text in [
            "",
            "MOV a, b[1];",
            "#a:b\n#b[c]\rMOV a, b[ 0 ]; # a:",
            "[",
            "a[",
            "#",
        ] {
            assert!(!has_label_or_index(text.as_bytes(), facts), "{text}");
        }
    }

    #[test]
    fn loops_count_where_steps_are_limited() {
        let text = b"REP a;\nADD b, b, c;\nENDREP;\nEND";
        let facts = Dialect::ArbFp1_0.facts();
        assert!(is_needed(text, facts, Features::NV_FRAGMENT_2));
        assert!(!is_needed(text, facts, Features::empty()));
        assert!(is_needed(b"PUSHA A0;", facts, Features::NV_VERTEX_3));
    }
}
