//! DEFINE and DECLARE: names of constants and of parameters. NV_fragment_program section 3.11.2.

use super::cursor::{Expected, Failure, Parsed, Syntax};
use super::decl::new_name;
use super::operand::{signed_number, vector};
use crate::codes::Code;
use crate::lex::Kind;
use crate::names::Named;
use crate::statement::{Decl, DeclKind, Item, Literal, Size};
use glasm_ir::Span;

/// The name and its value, without which a parameter is zero.
pub(super) fn value(input: &mut Syntax<'_>, decl: &mut Decl) -> Parsed<()> {
    decl.name = Some(new_name(input)?);
    if decl.kind == DeclKind::Declare && !input.is_at(Kind::Equals) {
        return Ok(());
    }
    input.expect(Kind::Equals, Expected::Token(Kind::Equals))?;
    let item = constant(input)?;
    input.reading.items.push(item);
    Ok(())
}

/// A number, a vector, or the name of one.
fn constant(input: &mut Syntax<'_>) -> Parsed<Item> {
    if input.is_at_name() {
        let (name, span) = input.take_name();
        return Ok(Item::Name(name, Size::Single, span));
    }
    if input.is_at(Kind::OpenBrace) {
        let (first, count, span) = vector(input)?;
        return Ok(Item::Vector { first, count, span });
    }
    signed_number(input).map(Item::Scalar)
}

/// The name of a number as a component of a vector: its number is one more literal.
pub(super) fn named_number(input: &mut Syntax<'_>) -> Parsed<u32> {
    let (name, span) = input.take_name();
    let literal = match input.reading.numbers.get(&name) {
        Some(&literal) => literal,
        None => match input.words[name.index()].named {
            Named::Nothing | Named::Poisoned => not_defined(input, span),
            Named::Var(_) | Named::SubroutineType => return Err(no_number(input, span)),
        },
    };
    let literals = &mut input.reading.literals;
    literals.push(literal);
    Ok(literals.len() as u32 - 1)
}

/// A name that nothing has defined before, read as zero.
#[cold]
fn not_defined(input: &mut Syntax<'_>, span: Span) -> Literal {
    let name = input.intern(span);
    if input.words[name.index()].named == Named::Nothing {
        input.words[name.index()].named = Named::Poisoned;
        let message = format!("`{}` is not declared", input.reading.names.display(name));
        input.reports.error(Code::UndeclaredName, span, message);
    }
    Literal {
        negative: false,
        int: Some(0),
        overflow: false,
        span: Span::new(span.start, span.start),
    }
}

#[cold]
fn no_number(input: &mut Syntax<'_>, span: Span) -> Failure {
    input.go_to(span.start);
    input.fail_with(Expected::Number, Code::UnexpectedToken)
}
