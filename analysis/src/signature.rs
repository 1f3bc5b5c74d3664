//! Operands of the instruction at a position.

use crate::explain::{Category, find_program_entries};
use crate::outline::{StatementKind, TokenClass};
use crate::program::Program;
use std::ops::Range;

/// Syntax of an instruction, with the operand at a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The syntax, such as `MAD result, a, b, c;`.
    pub label: String,
    /// The operands, as bytes of the label.
    pub parameters: Vec<Range<usize>>,
    /// Index of the operand at the position; the last one for any after it.
    pub active: usize,
    /// The summary and the properties of the opcode.
    pub description: String,
}

/// Returns the syntax of the instruction at a byte; `None` outside of instructions, and if the byte
/// is not after the opcode.
pub fn find_signature(program: &Program, offset: u32) -> Option<Signature> {
    let outline = &program.outline;
    let after = outline
        .tokens
        .partition_point(|token| token.span.start < offset);
    let index = after.checked_sub(1)?;
    let statement = &outline.statements[outline.find_statement(index)?];
    if !matches!(statement.kind, StatementKind::Instruction(_)) {
        return None;
    }
    let tokens = outline.statement_tokens(statement);
    let opcode = tokens
        .iter()
        .position(|it| it.class == TokenClass::Opcode)?;
    let before = tokens[opcode..]
        .iter()
        .take_while(|token| token.span.end <= offset);
    let (mut depth, mut commas, mut count) = (0usize, 0, 0);
    for token in before {
        match program.token_bytes(token) {
            b"[" | b"{" | b"(" => depth += 1,
            b"]" | b"}" | b")" => depth = depth.saturating_sub(1),
            b"," if depth == 0 => commas += 1,
            b";" => return None,
            _ => {}
        }
        count += 1;
    }
    // The position is in the opcode or directly after it.
    let opcode_end = tokens[opcode].span.end;
    if count == 0 || offset <= opcode_end {
        return None;
    }
    let name = program.token_text(&tokens[opcode]);
    let entries = find_program_entries(Category::Opcode, name, program.dialect()?);
    let entry = entries.first()?;
    let label = entry.syntax.clone()?;
    let parameters = find_parameters(&label);
    let fields = entry.fields.iter();
    let fields: String = fields
        .map(|(name, value)| format!("\n{name}: {value}"))
        .collect();
    Some(Signature {
        active: commas.min(parameters.len().saturating_sub(1)),
        parameters,
        description: format!("{}\n{fields}", entry.summary),
        label,
    })
}

/// Returns the operands in the syntax of an instruction: what is between its commas.
fn find_parameters(label: &str) -> Vec<Range<usize>> {
    let Some(start) = label.find(' ') else {
        return Vec::new();
    };
    let end = label.trim_end_matches(';').len();
    let mut at = start;
    let mut parameters = Vec::new();
    for part in label[start..end].split(',') {
        let blanks = part.len() - part.trim_start().len();
        parameters.push(at + blanks..at + part.len());
        at += part.len() + 1;
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_between_commas() {
        assert_eq!(
            find_parameters("MAD result, a, b, c;"),
            [4..10, 12..13, 15..16, 18..19]
        );
        assert!(find_parameters("ENDIF;").is_empty());
    }
}
