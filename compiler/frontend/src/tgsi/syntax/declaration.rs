//! Declarations. TGSI, section "Declaration".

use super::immediate::parse_immediate_rows;
use super::input::{
    Input, Result, accept, fail_with, int_value, last_end, mark, parse_open_bracket, peek,
    peek_kind, peek_span, take_word,
};
use super::instruction::fail_at_target;
use super::operand::{
    parse_array_id, parse_file, parse_opt_semantic_index, parse_opt_writemask,
    parse_register_dcl_bracket,
};
use crate::codes::Code;
use crate::tgsi::ast::{
    Body, Declaration, Dimension, Head, Image, MemoryKind, StatementKind, Suffix, View,
};
use crate::tgsi::failure::{Failure, Message};
use crate::tgsi::files::File;
use crate::tgsi::lex::{TokenKind, Word};
use crate::tgsi::semantics::Name;
use crate::tgsi::suffixes::SuffixKind;
use crate::tgsi::targets::{self, Target};
use glasm_ir::types::Type;
use glasm_ir::{Span, TexTarget, WriteMask};
use winnow::Parser as _;
use winnow::stream::Stream as _;

/// The words of memories.
const MEMORIES: [(&str, MemoryKind); 4] = [
    ("GLOBAL", MemoryKind::Global),
    ("SHARED", MemoryKind::Shared),
    ("PRIVATE", MemoryKind::Private),
    ("INPUT", MemoryKind::Input),
];

/// Parses a declaration after its keyword, and adds it to the tree. With a syntax error after the
/// registers the tree has the parts before it.
pub(super) fn parse_declaration(
    input: &mut Input<'_, '_>,
    keyword: Span,
    kind: &mut StatementKind,
) -> Result<()> {
    *kind = StatementKind::Declaration { keyword, id: None };
    let start = peek(input).start;
    let mut head = Head {
        file: parse_file(input)?,
        dimension: None,
        first: 0,
        last: 0,
        usage: WriteMask::XYZW,
        span: Span::new(start, start),
    };
    let mut body = Body::Broken;
    let mut parsed = parse_register_dcl(input, &mut head);
    let has_registers = parsed.is_ok();
    if has_registers {
        parsed = parse_body(input, &head, &mut body);
    }
    let declarations = &mut input.state.ast.declarations;
    let id = Some(declarations.len() as u32);
    *kind = StatementKind::Declaration { keyword, id };
    declarations.push(Declaration {
        head,
        has_registers,
        body,
    });
    parsed
}

/// Parses the registers of a declaration, whose file was parsed, and their usage mask.
fn parse_register_dcl(input: &mut Input<'_, '_>, head: &mut Head) -> Result<()> {
    parse_open_bracket(input)?;
    let bracket = peek(input).span();
    if accept(input, TokenKind::CloseBracket) {
        head.dimension = Some(Dimension::Implied(bracket));
    } else {
        (head.first, head.last) = parse_register_dcl_bracket(input)?;
    }
    if peek_kind(input) == TokenKind::OpenBracket {
        // The part that was parsed as the range was the first of two brackets.
        head.dimension = head.dimension.or(Some(Dimension::Number(head.first)));
        input.next_token();
        (head.first, head.last) = parse_register_dcl_bracket(input)?;
    } else if head.dimension.is_some() {
        return Err(fail_with(input, Code::RegisterIndex, "`[`"));
    }
    head.usage = parse_opt_writemask(input)?;
    head.span.end = last_end(input);
    Ok(())
}

/// Parses the part of a declaration after the registers.
fn parse_body(input: &mut Input<'_, '_>, head: &Head, body: &mut Body) -> Result<()> {
    match head.file {
        File::Image | File::Res => *body = parse_image(input, head)?,
        File::Sview => *body = Body::View(parse_view(input, head)?),
        File::Buffer => {
            parse_buffer(input)?;
            *body = Body::Buffer;
        }
        File::Memory => *body = Body::Memory(parse_memory(input)?),
        File::ImmX => {
            accept(input, TokenKind::Comma);
            let (first, count) = parse_immediate_rows(input, head.last + 1)?;
            *body = Body::Rows { first, count };
        }
        File::Null
        | File::Const
        | File::In
        | File::Out
        | File::Temp
        | File::Samp
        | File::Addr
        | File::Imm
        | File::Pred
        | File::Sv
        | File::TempX
        | File::ConstBuf
        | File::HwAtomic => {
            let first = input.state.ast.suffixes.len() as u32;
            let parsed = parse_suffixes(input, head.file);
            let count = input.state.ast.suffixes.len() as u32 - first;
            *body = Body::Suffixes { first, count };
            return parsed;
        }
    }
    Ok(())
}

/// Parses the suffixes of a declaration, in their order; each may be missing.
fn parse_suffixes(input: &mut Input<'_, '_>, file: File) -> Result<()> {
    let mut has_semantic = false;
    let mut step = 0;
    while accept(input, TokenKind::Comma) {
        let word = take_word(input);
        // COLOR is a semantic first, and an interpolation after one.
        let semantic = Name::of(&word).filter(|_| !has_semantic);
        let kind = match semantic {
            Some(name) => Some(SuffixKind::Semantic(name, 0, word.span().end)),
            None => SuffixKind::of(&word, file),
        };
        let Some(kind) = kind else {
            return Err(fail_at_suffix(input, file, &word));
        };
        has_semantic |= semantic.is_some();
        parse_suffix(input, kind, word.span())?;
        // After the arguments of the suffix: an error in there is the first mistake.
        if kind.step() <= step {
            let message = Message::Is("stands behind what it has to stand before");
            return Err(Failure::new(word.span(), Code::Declaration, message));
        }
        step = kind.step();
    }
    Ok(())
}

#[cold]
fn fail_at_suffix(input: &Input<'_, '_>, file: File, word: &Word<'_>) -> Failure {
    if word.text.is_empty() {
        return fail_with(input, Code::Declaration, "a part of a declaration");
    }
    let message = Message::DeclarationSuffix(file);
    Failure::new(word.span(), Code::Declaration, message)
}

/// Parses the arguments of a suffix, and adds the suffix to the tree.
fn parse_suffix(input: &mut Input<'_, '_>, kind: SuffixKind, word: Span) -> Result<()> {
    // Added first: rules about the word precede syntax errors after it.
    let at = input.state.ast.suffixes.len();
    input.state.ast.suffixes.push(Suffix { kind, word });
    let kind = match kind {
        SuffixKind::Array(_) => SuffixKind::Array(parse_array_id(input, Code::Declaration)?),
        SuffixKind::Semantic(name, ..) => {
            let index = parse_opt_semantic_index(input)?;
            SuffixKind::Semantic(name, index, last_end(input))
        }
        SuffixKind::Stream => {
            parse_streams(input)?;
            kind
        }
        SuffixKind::Local
        | SuffixKind::Interpolation(_)
        | SuffixKind::Sampling(_)
        | SuffixKind::Wrap
        | SuffixKind::Invariant => kind,
    };
    input.state.ast.suffixes[at].kind = kind;
    Ok(())
}

/// Parses the stream of each component: `(a, b, c, d)`.
fn parse_streams(input: &mut Input<'_, '_>) -> Result<()> {
    use TokenKind::{CloseParen, Comma, OpenParen};
    let unexpected = Code::UnexpectedToken;
    for (before, name) in [
        (OpenParen, "`(`"),
        (Comma, "`,`"),
        (Comma, "`,`"),
        (Comma, "`,`"),
    ] {
        mark(before, unexpected, name).parse_next(input)?;
        let place = peek_span(input);
        let token = peek(input);
        if token.kind != TokenKind::Int || int_value(input, token) > 3 {
            let message = Message::Fixed("streams are numbered from 0 to 3");
            return Err(Failure::new(place, Code::Declaration, message));
        }
        input.next_token();
    }
    mark(CloseParen, unexpected, "`)`").parse_next(input)?;
    Ok(())
}

/// Parses target, format and qualifiers of an image, in any order.
fn parse_image(input: &mut Input<'_, '_>, head: &Head) -> Result<Body> {
    let mut image = Image {
        target: TexTarget::D2,
        ty: None,
        writable: false,
        // Until a format is parsed that says otherwise.
        atomic: true,
        raw: false,
        is_word: false,
        format: None,
    };
    let mut has_target = false;
    let mut before = input.checkpoint();
    while accept(input, TokenKind::Comma) {
        let word = take_word(input);
        if word.is("WR") {
            image.writable = true;
        } else if word.is("RAW") {
            image.raw = true;
        // The first target only: a second one is a mistake.
        } else if let Some(target) = Target::of(&word).filter(|_| !has_target) {
            image.target = target.target;
            has_target = true;
        } else if let Some(ty) = targets::format_type(&word) {
            image.ty = ty;
            image.atomic = targets::is_atomic_format(word.text);
            image.format = targets::parse_stated_format(word.text);
        } else if head.file == File::Res && has_target && targets::view_type(&word).is_some() {
            // For a year views had the name that images were given then.
            input.reset(&before);
            let ty = parse_view_type(input, head.span.start)?;
            let target = image.target;
            return Ok(Body::View(View { target, ty }));
        } else {
            return Err(fail_at_target(input, &word));
        }
        before = input.checkpoint();
    }
    if !has_target {
        return Err(fail_with(input, Code::TargetUnknown, "a target"));
    }
    Ok(Body::Image(image))
}

/// Parses target and type of a view.
fn parse_view(input: &mut Input<'_, '_>, head: &Head) -> Result<View> {
    if !accept(input, TokenKind::Comma) {
        let message = Message::Fixed("a view has a target and a type");
        return Err(Failure::new(head.span, Code::Declaration, message));
    }
    let word = take_word(input);
    let Some(target) = Target::of(&word) else {
        return Err(fail_at_target(input, &word));
    };
    Ok(View {
        target: target.target,
        ty: parse_view_type(input, head.span.start)?,
    })
}

/// Parses the type of a view: one for all components, or the first of one for each. `start` is that
/// of the registers.
fn parse_view_type(input: &mut Input<'_, '_>, start: u32) -> Result<Type> {
    let mut ty = None;
    // Components of a view have one type where shaders use them, so the first one is taken.
    let mut count = 0;
    while count < 4 && accept(input, TokenKind::Comma) {
        let word = take_word(input);
        let Some(found) = targets::view_type(&word) else {
            return Err(fail_at_view_type(input, &word));
        };
        ty.get_or_insert(found);
        count += 1;
    }
    ty.filter(|_| matches!(count, 1 | 4)).ok_or_else(|| {
        let message = Message::Fixed("a view has one type, or one for each component");
        let span = Span::new(start, last_end(input));
        Failure::new(span, Code::Declaration, message)
    })
}

#[cold]
fn fail_at_view_type(input: &Input<'_, '_>, word: &Word<'_>) -> Failure {
    if word.text.is_empty() {
        return fail_with(input, Code::Declaration, "a type");
    }
    Failure::new(word.span(), Code::Declaration, Message::ViewType)
}

/// Parses the qualifier of buffers.
fn parse_buffer(input: &mut Input<'_, '_>) -> Result<()> {
    if accept(input, TokenKind::Comma) {
        let word = take_word(input);
        if !word.is("ATOMIC") {
            let message = Message::DeclarationPart(File::Buffer);
            return Err(Failure::new(word.span(), Code::Declaration, message));
        }
    }
    Ok(())
}

/// Parses the kind of memory.
fn parse_memory(input: &mut Input<'_, '_>) -> Result<MemoryKind> {
    if !accept(input, TokenKind::Comma) {
        return Ok(MemoryKind::Global);
    }
    let word = take_word(input);
    let found = MEMORIES.iter().find(|(name, _)| word.is(name));
    found.map(|&(_, kind)| kind).ok_or_else(|| {
        let message = Message::DeclarationPart(File::Memory);
        Failure::new(word.span(), Code::Declaration, message)
    })
}
