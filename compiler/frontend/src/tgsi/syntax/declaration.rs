//! Declarations. TGSI, section "Declaration".

use super::immediate::parse_immx_vectors;
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
    DclBody, DclHeader, DclModifier, Declaration, Dimension, ImageDecl, MemoryKind, StatementKind,
    ViewDecl,
};
use crate::tgsi::declaration_tables::DclModifierKind;
use crate::tgsi::declaration_tables::RegisterFile;
use crate::tgsi::lex::{TokenKind, Word};
use crate::tgsi::semantics::SemanticName;
use crate::tgsi::syntax_error::{SyntaxError, SyntaxErrorKind};
use crate::tgsi::texture_targets::{self, TextureTarget};
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
    let start = peek(input).start();
    let mut head = DclHeader {
        file: parse_file(input)?,
        dimension: None,
        first: 0,
        last: 0,
        write_mask: WriteMask::XYZW,
        span: Span::new(start, start),
    };
    let mut body = DclBody::Broken;
    let mut parsed = parse_register_dcl(input, &mut head);
    let has_registers = parsed.is_ok();
    if has_registers {
        parsed = parse_body(input, &head, &mut body);
    }
    let declarations = &mut input.state.ast.declarations;
    let id = Some(declarations.len() as u32);
    *kind = StatementKind::Declaration { keyword, id };
    declarations.push(Declaration {
        header: head,
        has_registers,
        body,
    });
    parsed
}

/// Parses the registers of a declaration, whose file was parsed, and their usage mask.
fn parse_register_dcl(input: &mut Input<'_, '_>, head: &mut DclHeader) -> Result<()> {
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
    head.write_mask = parse_opt_writemask(input)?;
    head.span.end = last_end(input);
    Ok(())
}

/// Parses the part of a declaration after the registers, which depends on the register file.
fn parse_body(input: &mut Input<'_, '_>, head: &DclHeader, body: &mut DclBody) -> Result<()> {
    match head.file {
        RegisterFile::Image | RegisterFile::Res => *body = parse_image(input, head)?,
        RegisterFile::Sview => *body = DclBody::View(parse_view(input, head)?),
        RegisterFile::Buffer => {
            parse_buffer(input)?;
            *body = DclBody::Buffer;
        }
        RegisterFile::Memory => *body = DclBody::Memory(parse_memory(input)?),
        RegisterFile::ImmX => {
            accept(input, TokenKind::Comma);
            let (first, count) = parse_immx_vectors(input, head.last + 1)?;
            *body = DclBody::ImmxVectors { first, count };
        }
        RegisterFile::Null
        | RegisterFile::Const
        | RegisterFile::In
        | RegisterFile::Out
        | RegisterFile::Temp
        | RegisterFile::Samp
        | RegisterFile::Addr
        | RegisterFile::Imm
        | RegisterFile::Pred
        | RegisterFile::Sv
        | RegisterFile::TempX
        | RegisterFile::ConstBuf
        | RegisterFile::HwAtomic => {
            let first = input.state.ast.dcl_modifiers.len() as u32;
            let parsed = parse_modifiers(input, head.file);
            let count = input.state.ast.dcl_modifiers.len() as u32 - first;
            *body = DclBody::Modifiers { first, count };
            return parsed;
        }
    }
    Ok(())
}

/// Parses the modifiers of a declaration, in their order; each may be missing.
fn parse_modifiers(input: &mut Input<'_, '_>, file: RegisterFile) -> Result<()> {
    let mut has_semantic = false;
    let mut step = 0;
    while accept(input, TokenKind::Comma) {
        let word = take_word(input);
        // COLOR is a semantic first, and an interpolation after one.
        let semantic = SemanticName::from_word(&word).filter(|_| !has_semantic);
        let kind = match semantic {
            Some(name) => Some(DclModifierKind::Semantic(name, 0, word.span().end)),
            None => DclModifierKind::from_word(&word, file),
        };
        let Some(kind) = kind else {
            return Err(fail_at_suffix(input, file, &word));
        };
        has_semantic |= semantic.is_some();
        parse_modifier(input, kind, word.span())?;
        // After the arguments of the modifier: an error in there is the first mistake.
        if kind.order() <= step {
            let message = SyntaxErrorKind::TokenPredicate(
                "is out of order: it must precede the modifiers before it",
            );
            return Err(SyntaxError::new(word.span(), Code::Declaration, message));
        }
        step = kind.order();
    }
    Ok(())
}

/// Returns the error about a word that is not a modifier of a declaration of `file`, or about a
/// missing one.
fn fail_at_suffix(input: &Input<'_, '_>, file: RegisterFile, word: &Word<'_>) -> Box<SyntaxError> {
    if word.text.is_empty() {
        return fail_with(input, Code::Declaration, "a part of a declaration");
    }
    let message = SyntaxErrorKind::UnknownDclModifier(file);
    SyntaxError::new(word.span(), Code::Declaration, message)
}

/// Parses the arguments of a modifier, and adds the modifier to the tree.
fn parse_modifier(input: &mut Input<'_, '_>, kind: DclModifierKind, word: Span) -> Result<()> {
    // Added first: rules about the word precede syntax errors after it.
    let at = input.state.ast.dcl_modifiers.len();
    input
        .state
        .ast
        .dcl_modifiers
        .push(DclModifier { kind, word });
    let kind = match kind {
        DclModifierKind::Array(_) => {
            DclModifierKind::Array(parse_array_id(input, Code::Declaration)?)
        }
        DclModifierKind::Semantic(name, ..) => {
            let index = parse_opt_semantic_index(input)?;
            DclModifierKind::Semantic(name, index, last_end(input))
        }
        DclModifierKind::Stream => {
            parse_streams(input)?;
            kind
        }
        DclModifierKind::Local
        | DclModifierKind::Interpolation(_)
        | DclModifierKind::Sampling(_)
        | DclModifierKind::Wrap
        | DclModifierKind::Invariant => kind,
    };
    input.state.ast.dcl_modifiers[at].kind = kind;
    Ok(())
}

/// Parses the vertex streams of the four components: `(a, b, c, d)`. Fails for numbers above 3.
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
        if token.kind() != TokenKind::Int || int_value(input, token) > 3 {
            let message = SyntaxErrorKind::Text("streams are numbered from 0 to 3");
            return Err(SyntaxError::new(place, Code::Declaration, message));
        }
        input.next_token();
    }
    mark(CloseParen, unexpected, "`)`").parse_next(input)?;
    Ok(())
}

/// Parses target, format and qualifiers of an image, in any order.
fn parse_image(input: &mut Input<'_, '_>, head: &DclHeader) -> Result<DclBody> {
    let mut image = ImageDecl {
        target: TexTarget::D2,
        ty: None,
        writable: false,
        // Until a format is parsed that says otherwise.
        atomic: true,
        raw: false,
        has_32bit_texels: false,
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
        } else if let Some(target) = TextureTarget::from_word(&word).filter(|_| !has_target) {
            image.target = target.target;
            has_target = true;
        } else if let Some(ty) = texture_targets::parse_format_type(&word) {
            image.ty = ty;
            image.atomic = texture_targets::is_atomic_format(word.text);
            image.format = texture_targets::parse_vulkan_format(word.text);
        } else if head.file == RegisterFile::Res
            && has_target
            && texture_targets::parse_view_type(&word).is_some()
        {
            // For a year views had the name that images were given then.
            input.reset(&before);
            let ty = parse_view_type(input, head.span.start)?;
            let target = image.target;
            return Ok(DclBody::View(ViewDecl { target, ty }));
        } else {
            return Err(fail_at_target(input, &word));
        }
        before = input.checkpoint();
    }
    if !has_target {
        return Err(fail_with(input, Code::TargetUnknown, "a target"));
    }
    Ok(DclBody::Image(image))
}

/// Parses texture target and component type of a sampler view.
fn parse_view(input: &mut Input<'_, '_>, head: &DclHeader) -> Result<ViewDecl> {
    if !accept(input, TokenKind::Comma) {
        let message = SyntaxErrorKind::Text("a view has a target and a type");
        return Err(SyntaxError::new(head.span, Code::Declaration, message));
    }
    let word = take_word(input);
    let Some(target) = TextureTarget::from_word(&word) else {
        return Err(fail_at_target(input, &word));
    };
    Ok(ViewDecl {
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
        let Some(found) = texture_targets::parse_view_type(&word) else {
            return Err(fail_at_view_type(input, &word));
        };
        ty.get_or_insert(found);
        count += 1;
    }
    ty.filter(|_| matches!(count, 1 | 4)).ok_or_else(|| {
        let message = SyntaxErrorKind::Text("a view has one type, or one for each component");
        let span = Span::new(start, last_end(input));
        SyntaxError::new(span, Code::Declaration, message)
    })
}

/// Returns the error about a word that is not a type of sampler views, or about a missing one.
fn fail_at_view_type(input: &Input<'_, '_>, word: &Word<'_>) -> Box<SyntaxError> {
    if word.text.is_empty() {
        return fail_with(input, Code::Declaration, "a type");
    }
    SyntaxError::new(word.span(), Code::Declaration, SyntaxErrorKind::ViewType)
}

/// Parses the optional qualifier `ATOMIC` of storage buffers.
fn parse_buffer(input: &mut Input<'_, '_>) -> Result<()> {
    if accept(input, TokenKind::Comma) {
        let word = take_word(input);
        if !word.is("ATOMIC") {
            let message = SyntaxErrorKind::UnknownDclPart(RegisterFile::Buffer);
            return Err(SyntaxError::new(word.span(), Code::Declaration, message));
        }
    }
    Ok(())
}

/// Parses the optional kind of memory, such as `SHARED`; global memory is the default.
fn parse_memory(input: &mut Input<'_, '_>) -> Result<MemoryKind> {
    if !accept(input, TokenKind::Comma) {
        return Ok(MemoryKind::Global);
    }
    let word = take_word(input);
    let found = MEMORIES.iter().find(|(name, _)| word.is(name));
    found.map(|&(_, kind)| kind).ok_or_else(|| {
        let message = SyntaxErrorKind::UnknownDclPart(RegisterFile::Memory);
        SyntaxError::new(word.span(), Code::Declaration, message)
    })
}
