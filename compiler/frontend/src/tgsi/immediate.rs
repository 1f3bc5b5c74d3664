//! Immediates: vectors of numbers. TGSI, section "Declaration" and the text of 2010.

use super::cursor::{Word, is_word};
use super::state::{Parsed, Reported, Translation, quoted};
use crate::codes::Code;
use crate::lang::limits;
use glasm_ir::Span;

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

const KINDS: [(&str, NumberType); 6] = [
    ("FLT32", NumberType::Float),
    ("UINT32", NumberType::Unsigned),
    ("INT32", NumberType::Signed),
    ("FLT64", NumberType::Double),
    ("UINT64", NumberType::Unsigned64),
    ("INT64", NumberType::Signed64),
];

impl NumberType {
    /// Whether its numbers take two words.
    const fn is_wide(self) -> bool {
        matches!(self, Self::Double | Self::Unsigned64 | Self::Signed64)
    }

    /// What its numbers are, for messages.
    const fn name(self) -> &'static str {
        match self {
            Self::Float | Self::Double => "number",
            Self::Unsigned => "unsigned integer of 32 bits",
            Self::Signed => "integer of 32 bits",
            Self::Unsigned64 => "unsigned integer of 64 bits",
            Self::Signed64 => "integer of 64 bits",
        }
    }

    /// What is wrong with a text that is no number of this kind.
    #[cold]
    fn mistake(self, text: &str) -> Code {
        if matches!(self, Self::Float | Self::Double) {
            return Code::BadNumber;
        }
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_unsigned = matches!(self, Self::Unsigned | Self::Unsigned64);
        match (is_integer, float(text)) {
            (true, _) if is_unsigned && text.starts_with('-') => Code::NegativeUnsigned,
            (true, _) => Code::LiteralTooLarge,
            (false, Some(_)) => Code::FloatAsInteger,
            (false, None) => Code::BadNumber,
        }
    }

    /// The bits of a decimal number.
    fn decimal(self, text: &str) -> Option<u64> {
        match self {
            Self::Float => float(text).map(|number| u64::from((number as f32).to_bits())),
            Self::Unsigned => text.parse().ok().map(u32::into),
            Self::Signed => text
                .parse()
                .ok()
                .map(|number: i32| u64::from(number as u32)),
            Self::Double => float(text).map(f64::to_bits),
            Self::Unsigned64 => text.parse().ok(),
            Self::Signed64 => text.parse().ok().map(|number: i64| number as u64),
        }
    }
}

impl Translation<'_> {
    /// `IMM`, behind its keyword.
    pub(super) fn immediate_statement(&mut self) -> Parsed<()> {
        let words = self.immediate_words();
        if self.declared.immediates.len() >= limits::IMMEDIATES {
            let message = format!("more than {} immediates", limits::IMMEDIATES);
            self.reports.whole(Code::TooManyParameters, message);
        } else {
            // It has its number, whatever is wrong with it.
            self.declare_immediate(words.unwrap_or_default());
        }
        words.map(drop)
    }

    /// The words of an immediate.
    fn immediate_words(&mut self) -> Parsed<[u32; 4]> {
        if self.cursor.eat(b'[') {
            self.number_in_brackets()?;
        }
        let word = self.cursor.word();
        let Some(&(_, kind)) = KINDS.iter().find(|(name, _)| word.is(name)) else {
            return Err(self.unknown_kind(&word));
        };
        if !self.cursor.eat(b'{') {
            return Err(self.unexpected_as(Code::Immediate, "`{`"));
        }
        self.vector(kind)
    }

    /// The number that the text gives an immediate.
    #[inline]
    fn number_in_brackets(&mut self) -> Parsed<()> {
        let count = self.declared.immediates.len() as u32;
        let mut before = self.cursor;
        let Some(number) = self.cursor.number() else {
            return Err(self.unexpected_as(Code::RegisterIndex, "a number"));
        };
        // Operands name immediates by their place, so a wrong number would mean others than the writer meant.
        if number != count {
            let message = format!("this is immediate {count}, not {number}");
            self.error(Code::ImmediateOrder, before.token(), message);
        }
        self.expect(b']')
    }

    #[cold]
    fn unknown_kind(&mut self, word: &Word<'_>) -> Reported {
        let hint = Some("the types are FLT32, UINT32, INT32, FLT64, UINT64, INT64".to_owned());
        if word.text.is_empty() {
            let place = self.cursor.token();
            return self.error_with(Code::Immediate, place, "an immediate lacks its type", hint);
        }
        let message = format!("`{}` is no type of immediates", quoted(word.text));
        self.error_with(Code::Immediate, word.span(), message, hint)
    }

    /// The numbers behind an opening brace, and the closing one.
    fn vector(&mut self, kind: NumberType) -> Parsed<[u32; 4]> {
        let wide = kind.is_wide();
        let mut words = [0; 4];
        let mut count = 0;
        let mut halves = false;
        loop {
            if count >= 4 {
                let span = self.cursor.token();
                let message = "an immediate has four numbers, or two of 64 bits";
                return Err(self.error(Code::Immediate, span, message));
            }
            self.cursor.blanks();
            let start = self.cursor.at;
            let token = self.number_token();
            if !wide {
                words[count] = self.narrow_number(kind, token)?;
                count += 1;
            } else if kind == NumberType::Double && is_hexadecimal(self.bytes(token)) {
                // Two words in place of a number, the low one first.
                words[count] = self.narrow_number(NumberType::Float, token)?;
                count += 1;
                halves = true;
            } else {
                let bits = self.wide_number(kind, token)?;
                words[count] = bits as u32;
                // Within the array also where three words are taken already: then the count is wrong, which is reported below.
                words[(count + 1).min(3)] = (bits >> 32) as u32;
                count += 2;
            }
            debug_assert!(self.cursor.at > start);
            // The words of a number of 64 bits need no comma between them.
            let goes_on = halves && count % 2 == 1 && !self.cursor.sees(b'}');
            if !self.cursor.eat(b',') && !goes_on {
                break;
            }
        }
        let wanted = if wide && !halves { "two" } else { "four" };
        self.end_of_vector(count, wanted)?;
        Ok(words)
    }

    /// The closing brace behind so many words.
    #[inline]
    fn end_of_vector(&mut self, count: usize, wanted: &str) -> Parsed<()> {
        if count != 4 {
            let span = self.cursor.token();
            let message = format!("this immediate needs {wanted} numbers");
            return Err(self.error(Code::Immediate, span, message));
        }
        match self.cursor.eat(b'}') {
            true => Ok(()),
            false => Err(self.unexpected_as(Code::Immediate, "`,` or `}`")),
        }
    }

    fn bytes(&self, span: Span) -> &[u8] {
        &self.cursor.text[span.range()]
    }

    /// The bytes of a number.
    fn number_token(&mut self) -> Span {
        let start = self.cursor.at;
        let byte = |at: usize| self.cursor.text.get(at).copied().unwrap_or(0);
        // A sign, then all that numbers consist of: a sign within is one behind an exponent.
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
        // At least one byte, so that the loop over numbers goes on.
        self.cursor.at = end.max(start + usize::from(start < self.cursor.text.len()));
        Span::new(start as u32, self.cursor.at as u32)
    }

    #[cold]
    fn bad_number(&mut self, span: Span, wanted: &str, code: Code) -> Reported {
        if let Some(reported) = self.foreign_byte(span) {
            return reported;
        }
        let text = self.text_of(span);
        self.error(code, span, format!("`{text}` is no {wanted}"))
    }

    #[cold]
    fn no_number_of(&mut self, kind: NumberType, span: Span) -> Reported {
        let text = std::str::from_utf8(self.bytes(span)).unwrap_or_default();
        let mistake = kind.mistake(text);
        self.bad_number(span, kind.name(), mistake)
    }

    /// The bits of a number of 32 bits.
    fn narrow_number(&mut self, kind: NumberType, span: Span) -> Parsed<u32> {
        let text = self.bytes(span);
        // Strict readers know no hexadecimal digits of unsigned integers.
        if kind == NumberType::Unsigned && !self.cursor.extended && is_hexadecimal(text) {
            return Err(self.bad_number(span, kind.name(), Code::BadNumber));
        }
        if let Some(bits) = hexadecimal(text) {
            return match u32::try_from(bits) {
                Ok(bits) => Ok(bits),
                Err(_) => Err(self.bad_number(span, "number of 32 bits", Code::LiteralTooLarge)),
            };
        }
        let text = std::str::from_utf8(text).unwrap_or_default();
        let found = kind.decimal(text).map(|bits| bits as u32);
        found.ok_or_else(|| self.no_number_of(kind, span))
    }

    /// The bits of a number of 64 bits.
    fn wide_number(&mut self, kind: NumberType, span: Span) -> Parsed<u64> {
        let text = std::str::from_utf8(self.bytes(span)).unwrap_or_default();
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let negative = text.starts_with('-');
        // `strtoll` and `strtoull` read integers: behind a sign `0x` makes them hexadecimal, a leading zero alone octal.
        let has_base = match kind {
            NumberType::Signed64 => is_prefixed(digits),
            NumberType::Unsigned64 => is_prefixed(digits) && !negative,
            NumberType::Float | NumberType::Unsigned | NumberType::Signed | NumberType::Double => {
                false
            }
        };
        if !has_base {
            let found = kind.decimal(text);
            return found.ok_or_else(|| self.no_number_of(kind, span));
        }
        let octal = || u64::from_str_radix(&digits[1..], 8).ok();
        let magnitude = hexadecimal(digits.as_bytes()).or_else(octal);
        let bits = magnitude.map(|bits| if negative { bits.wrapping_neg() } else { bits });
        bits.ok_or_else(|| self.bad_number(span, "octal number", Code::BadNumber))
    }

    /// The rows of `DCL IMMX[0..n] {{a, b, c, d}, ...}`.
    pub(super) fn immediate_rows(&mut self, count: u32) -> Parsed<()> {
        self.expect(b'{')?;
        let start = self.cursor.token();
        self.declared.rows.clear();
        loop {
            self.expect(b'{')?;
            let row = self.vector(NumberType::Float)?;
            self.declared.rows.push(row);
            if !self.cursor.eat(b',') {
                break;
            }
        }
        self.expect(b'}')?;
        let rows = self.declared.rows.len();
        if rows != count as usize {
            let message = format!("{rows} rows for {count} immediates");
            return Err(self.error(Code::ArraySizeMismatch, start, message));
        }
        Ok(())
    }
}

/// Whether digits have a prefix that says their base.
fn is_prefixed(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0')
}

fn is_hexadecimal(text: &[u8]) -> bool {
    matches!(text, [b'0', b'x' | b'X', ..])
}

/// A hexadecimal number of up to 64 bits.
fn hexadecimal(text: &[u8]) -> Option<u64> {
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

/// A decimal number, perhaps with words that printers write: `inf`, `-nan`, `1.#INF`.
fn float(text: &str) -> Option<f64> {
    // The parser of the standard library knows `inf` and signs, but no sign before NaN.
    let plain = text.trim_start_matches(['-', '+']);
    let negative = text.starts_with('-');
    let sign = |number: f64| if negative { -number } else { number };
    if plain.eq_ignore_ascii_case("nan") {
        return Some(sign(f64::NAN));
    }
    plain.parse::<f64>().ok().map(sign)
}
