//! Immediates: vectors of numbers. TGSI, section "Declaration", and the document of 2010.

use super::input::{
    Input, Result, accept, fail, mark, parse_uint, peek, peek_kind, peek_span, seek, take_word,
};
use crate::codes::Code;
use crate::tgsi::ast::{Immediate, StatementKind};
use crate::tgsi::lex::{TokenKind, is_word};
use crate::tgsi::syntax_error::{SyntaxError, SyntaxErrorKind};
use glasm_ir::Span;
use winnow::Parser as _;

/// The type of the numbers of an immediate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NumberType {
    Float,
    Unsigned,
    Signed,
    Double,
    Unsigned64,
    Signed64,
}

const NUMBER_TYPES: [(&str, NumberType); 6] = [
    ("FLT32", NumberType::Float),
    ("UINT32", NumberType::Unsigned),
    ("INT32", NumberType::Signed),
    ("FLT64", NumberType::Double),
    ("UINT64", NumberType::Unsigned64),
    ("INT64", NumberType::Signed64),
];

impl NumberType {
    /// Returns true if numbers of this type have 64 bits, which are two words of a vector.
    const fn is_wide(self) -> bool {
        matches!(self, Self::Double | Self::Unsigned64 | Self::Signed64)
    }

    /// Returns the name of numbers of this type for messages.
    const fn name(self) -> &'static str {
        match self {
            Self::Float | Self::Double => "number",
            Self::Unsigned => "unsigned integer of 32 bits",
            Self::Signed => "integer of 32 bits",
            Self::Unsigned64 => "unsigned integer of 64 bits",
            Self::Signed64 => "integer of 64 bits",
        }
    }

    /// Returns the error of a word that is not a number of this kind.
    #[cold]
    fn error_code(self, text: &str) -> Code {
        if matches!(self, Self::Float | Self::Double) {
            return Code::BadNumber;
        }
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_unsigned = matches!(self, Self::Unsigned | Self::Unsigned64);
        match (is_integer, parse_float(text)) {
            (true, _) if is_unsigned && text.starts_with('-') => Code::NegativeUnsigned,
            (true, _) => Code::LiteralTooLarge,
            (false, Some(_)) => Code::FloatAsInteger,
            (false, None) => Code::BadNumber,
        }
    }

    /// Parses a decimal number and returns its bits; `None` if it is malformed or out of range.
    fn parse_decimal(self, text: &str) -> Option<u64> {
        match self {
            Self::Float => parse_float(text).map(|number| u64::from((number as f32).to_bits())),
            Self::Unsigned => text.parse().ok().map(u32::into),
            Self::Signed => text
                .parse()
                .ok()
                .map(|number: i32| u64::from(number as u32)),
            Self::Double => parse_float(text).map(f64::to_bits),
            Self::Unsigned64 => text.parse().ok(),
            Self::Signed64 => text.parse().ok().map(|number: i64| number as u64),
        }
    }
}

/// Parses an immediate after its keyword, and adds it to the tree. With a syntax error it is zeros.
pub(super) fn parse_immediate(
    input: &mut Input<'_, '_>,
    keyword: Span,
    kind: &mut StatementKind,
) -> Result<()> {
    let mut immediate = Immediate::default();
    let parsed = parse_immediate_parts(input, &mut immediate);
    let immediates = &mut input.state.ast.immediates;
    let id = immediates.len() as u32;
    // It has its number even with a syntax error.
    *kind = StatementKind::Immediate { keyword, id };
    immediates.push(immediate);
    parsed
}

/// Parses number, type and data of an immediate: `[0] FLT32 { 1.0, 2.0 }`. The number is optional.
fn parse_immediate_parts(input: &mut Input<'_, '_>, immediate: &mut Immediate) -> Result<()> {
    if accept(input, TokenKind::OpenBracket) {
        let word = peek_span(input);
        let (number, _) = parse_uint(input, Code::RegisterIndex)?;
        immediate.number = Some((number, word));
        mark(TokenKind::CloseBracket, Code::UnexpectedToken, "`]`").parse_next(input)?;
    }
    let place = peek_span(input);
    let word = take_word(input);
    let Some(&(_, kind)) = NUMBER_TYPES.iter().find(|(name, _)| word.is(name)) else {
        let message = if word.text.is_empty() {
            SyntaxErrorKind::ImmediateTypeMissing
        } else {
            SyntaxErrorKind::ImmediateType
        };
        return Err(SyntaxError::new(place, Code::Immediate, message));
    };
    mark(TokenKind::OpenBrace, Code::Immediate, "`{`").parse_next(input)?;
    immediate.words = parse_immediate_data(input, kind)?;
    Ok(())
}

/// Parses the numbers after an opening brace, and the closing one.
fn parse_immediate_data(input: &mut Input<'_, '_>, kind: NumberType) -> Result<[u32; 4]> {
    let wide = kind.is_wide();
    let mut words = [0; 4];
    let mut count = 0;
    let mut halves = false;
    loop {
        if count >= 4 {
            let message = SyntaxErrorKind::Text("an immediate has four numbers, or two of 64 bits");
            return Err(SyntaxError::new(peek_span(input), Code::Immediate, message));
        }
        let span = consume_number(input);
        let text = &input.state.ast.text[span.range()];
        if !wide {
            let is_strict = kind == NumberType::Unsigned && !input.state.is_extended;
            words[count] = parse_32bit_number(kind, is_strict, (text, span))?;
            count += 1;
        } else if kind == NumberType::Double && is_hexadecimal(text) {
            // Two words instead of a number, the low one first.
            words[count] = parse_32bit_number(NumberType::Float, false, (text, span))?;
            count += 1;
            halves = true;
        } else {
            let bits = parse_64bit_number(kind, (text, span))?;
            words[count] = bits as u32;
            // Within the array also where three words are taken already: then the count is wrong,
            // which is reported below.
            words[(count + 1).min(3)] = (bits >> 32) as u32;
            count += 2;
        }
        // The words of a number of 64 bits need no comma between them.
        let continues = halves && count % 2 == 1 && peek_kind(input) != TokenKind::CloseBrace;
        if !accept(input, TokenKind::Comma) && !continues {
            break;
        }
    }
    if count != 4 {
        let message = if wide && !halves {
            "this immediate needs two numbers"
        } else {
            "this immediate needs four numbers"
        };
        let message = SyntaxErrorKind::Text(message);
        return Err(SyntaxError::new(peek_span(input), Code::Immediate, message));
    }
    mark(TokenKind::CloseBrace, Code::Immediate, "`,` or `}`").parse_next(input)?;
    Ok(words)
}

/// Consumes the tokens of a number, at least one, and returns their span.
fn consume_number(input: &mut Input<'_, '_>) -> Span {
    let text = input.state.ast.text;
    let start = peek(input).start() as usize;
    let byte = |at: usize| text.get(at).copied().unwrap_or(0);
    // A sign, then all characters of numbers: a sign within is one after an exponent.
    let mut end = start;
    if matches!(byte(end), b'-' | b'+') {
        end += 1;
    }
    while is_word(byte(end))
        || byte(end) == b'.'
        || (matches!(byte(end), b'-' | b'+')
            && matches!(byte(end - 1), b'e' | b'E')
            && byte(end - 2).is_ascii_digit() | (byte(end - 2) == b'.'))
    {
        end += 1;
    }
    // At least one byte, so that the loop over numbers ends.
    let end = end.max(start + usize::from(start < text.len())) as u32;
    seek(input, end);
    Span::new(start as u32, end)
}

/// Returns the error that the token at `span` is not a `wanted`.
fn fail_at_number(span: Span, wanted: &'static str, code: Code) -> Box<SyntaxError> {
    SyntaxError::new(span, code, SyntaxErrorKind::UnknownName(wanted))
}

/// Returns the error that `text` at `span` is not a number of this kind.
fn fail_as(kind: NumberType, text: &str, span: Span) -> Box<SyntaxError> {
    fail_at_number(span, kind.name(), kind.error_code(text))
}

/// Decodes a number of 32 bits. Strict readers accept no hexadecimal digits of unsigned integers.
fn parse_32bit_number(
    kind: NumberType,
    is_strict: bool,
    (text, span): (&[u8], Span),
) -> Result<u32> {
    if is_strict && is_hexadecimal(text) {
        return Err(fail_at_number(span, kind.name(), Code::BadNumber));
    }
    if let Some(bits) = parse_hexadecimal(text) {
        let too_large = |_| fail_at_number(span, "number of 32 bits", Code::LiteralTooLarge);
        return u32::try_from(bits).map_err(too_large);
    }
    let text = std::str::from_utf8(text).unwrap_or_default();
    let found = kind.parse_decimal(text).map(|bits| bits as u32);
    found.ok_or_else(|| fail_as(kind, text, span))
}

/// Parses a number of a 64-bit type, which may have a prefix of its base, and returns its bits.
fn parse_64bit_number(kind: NumberType, (text, span): (&[u8], Span)) -> Result<u64> {
    let text = std::str::from_utf8(text).unwrap_or_default();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let negative = text.starts_with('-');
    // `strtoll` and `strtoull` read integers: after a sign `0x` denotes hexadecimal, a leading zero
    // alone octal.
    let has_base = match kind {
        NumberType::Signed64 => has_base_prefix(digits),
        NumberType::Unsigned64 => has_base_prefix(digits) && !negative,
        NumberType::Float | NumberType::Unsigned | NumberType::Signed | NumberType::Double => false,
    };
    if !has_base {
        let found = kind.parse_decimal(text);
        return found.ok_or_else(|| fail_as(kind, text, span));
    }
    let octal = || u64::from_str_radix(&digits[1..], 8).ok();
    let magnitude = parse_hexadecimal(digits.as_bytes()).or_else(octal);
    let bits = magnitude.map(|bits| if negative { bits.wrapping_neg() } else { bits });
    bits.ok_or_else(|| fail_at_number(span, "octal number", Code::BadNumber))
}

/// Parses the vectors of `DCL IMMX[0..n] {{a, b, c, d}, ...}` and adds them to the tree. Returns
/// the first one and their number.
pub(super) fn parse_immx_vectors(input: &mut Input<'_, '_>, count: u32) -> Result<(u32, u32)> {
    parse_brace(input, TokenKind::OpenBrace, "`{`")?;
    let place = peek_span(input);
    let first = input.state.ast.immx_vectors.len();
    loop {
        parse_brace(input, TokenKind::OpenBrace, "`{`")?;
        let row = parse_immediate_data(input, NumberType::Float)?;
        input.state.ast.immx_vectors.push(row);
        if !accept(input, TokenKind::Comma) {
            break;
        }
    }
    parse_brace(input, TokenKind::CloseBrace, "`}`")?;
    let rows = (input.state.ast.immx_vectors.len() - first) as u32;
    if rows != count {
        let message = SyntaxErrorKind::VectorCount(rows, count);
        return Err(SyntaxError::new(place, Code::ArraySizeMismatch, message));
    }
    Ok((first as u32, rows))
}

/// Parses a brace of this kind; `name` is the expected token in the error.
fn parse_brace(input: &mut Input<'_, '_>, kind: TokenKind, name: &'static str) -> Result<()> {
    if accept(input, kind) {
        Ok(())
    } else {
        Err(fail(input, name))
    }
}

/// Returns true if digits have a prefix that denotes their base.
fn has_base_prefix(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0')
}

/// Returns true if a word begins with `0x`.
fn is_hexadecimal(text: &[u8]) -> bool {
    matches!(text, [b'0', b'x' | b'X', ..])
}

/// Parses a hexadecimal number of up to 64 bits; `None` if it is malformed or too large.
fn parse_hexadecimal(text: &[u8]) -> Option<u64> {
    let digits = text.strip_prefix(b"0x").or(text.strip_prefix(b"0X"))?;
    let number = |number: u64, &digit: &u8| {
        let digit = char::from(digit).to_digit(16)?;
        (number >> 60 == 0).then_some(number << 4 | u64::from(digit))
    };
    (!digits.is_empty())
        .then_some(digits)?
        .iter()
        .try_fold(0, number)
}

/// Parses a decimal number, also in the spellings that printers write: `inf`, `-nan`, `1.#INF`.
fn parse_float(text: &str) -> Option<f64> {
    // The parser of the standard library accepts `inf` and signs, but no sign before NaN.
    let plain = text.trim_start_matches(['-', '+']);
    let negative = text.starts_with('-');
    let sign = |number: f64| if negative { -number } else { number };
    if plain.eq_ignore_ascii_case("nan") {
        return Some(sign(f64::NAN));
    }
    plain.parse::<f64>().ok().map(sign)
}
