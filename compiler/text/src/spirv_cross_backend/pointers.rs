//! Atomic comparisons in global memory: SPIRV-Cross writes the pointer where GLSL has the value
//! that it points to.

const ATOMIC_COMP_SWAP: &str = "atomicCompSwap(";

/// Appends `.value` to the first argument of each atomic compare-and-swap in a GLSL source, if it
/// is a pointer.
pub(super) fn dereference_atomic_pointers(text: String) -> String {
    if !text.contains(ATOMIC_COMP_SWAP) || !text.contains("Pointer") {
        return text;
    }
    let mut written = String::with_capacity(text.len() + 64);
    let mut rest = text.as_str();
    while let Some(found) = rest.find(ATOMIC_COMP_SWAP) {
        let (before, after) = rest.split_at(found + ATOMIC_COMP_SWAP.len());
        written.push_str(before);
        let end = find_argument_end(after);
        let (argument, following) = after.split_at(end);
        written.push_str(argument);
        if is_pointer(argument, &text) {
            written.push_str(".value");
        }
        rest = following;
    }
    written.push_str(rest);
    written
}

/// Returns the length of the argument that the text begins with, up to a comma outside of brackets
/// or the end.
fn find_argument_end(text: &str) -> usize {
    let mut depth = 0;
    for (position, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => return position,
            _ => {}
        }
    }
    text.len()
}

/// Returns true if an expression of the GLSL source `text` is a pointer: one that a constructor
/// returns, or a variable of such a type.
fn is_pointer(expression: &str, text: &str) -> bool {
    let made = |open: usize| expression[..open].ends_with("Pointer") && expression.ends_with(')');
    expression.find('(').is_some_and(made)
        || text.contains(&format!("Pointer {expression} "))
        || text.contains(&format!("Pointer {expression};"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_followed() {
        let text = "uintPointer _4 = uintPointer(a);\natomicCompSwap(_4, b, c) + atomicCompSwap(uintPointer(a + 8ul), b, c) + atomicCompSwap(s.data[1], b, c)";
        let expected = "uintPointer _4 = uintPointer(a);\natomicCompSwap(_4.value, b, c) + atomicCompSwap(uintPointer(a + 8ul).value, b, c) + atomicCompSwap(s.data[1], b, c)";
        assert_eq!(dereference_atomic_pointers(text.to_owned()), expected);
    }
}
