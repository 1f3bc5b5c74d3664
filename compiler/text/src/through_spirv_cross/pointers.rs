//! Atomic comparisons in global memory: SPIRV-Cross writes the pointer where GLSL has the value
//! that it points to.

const CALL: &str = "atomicCompSwap(";

/// Appends `.value` to the pointers.
pub(super) fn dereference(text: String) -> String {
    if !text.contains(CALL) || !text.contains("Pointer") {
        return text;
    }
    let mut written = String::with_capacity(text.len() + 64);
    let mut rest = text.as_str();
    while let Some(found) = rest.find(CALL) {
        let (before, after) = rest.split_at(found + CALL.len());
        written.push_str(before);
        let end = measure_argument(after);
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

/// Returns the length of the argument that the text begins with.
fn measure_argument(text: &str) -> usize {
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

/// Returns true if an expression is a pointer: one that a constructor returns, or a variable of
/// such a type.
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
        assert_eq!(dereference(text.to_owned()), expected);
    }
}
