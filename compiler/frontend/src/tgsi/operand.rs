//! Operands: registers, their indices, swizzles, signs and masks. TGSI, section "Instruction Set".

mod constants;
mod declared;
mod inputs;
mod named;
mod outputs;
mod registers;

use super::cursor::{Word, is_word};
use super::files::File;
use super::opcodes::begins_statement;
use super::state::{Parsed, Reported, Translation};
use crate::codes::Code;
use crate::lang::limits;
use crate::lower::formula::Formulas;
use crate::suggest::suggest;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Base, IndexTerm, Op, RegisterId, Span, Src, Swizzle, WriteMask};
pub(super) use named::{Number, Register, Target, splat};
pub(super) use registers::ADDRESSES;

/// Where a register stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Depth {
    Operand,
    /// In the index of another one: its own index is a number.
    Index,
}

/// Lanes by their letters: x, y, z, w, and four more for r, g, b, a; beyond them what is no letter of a lane.
static LETTERS: [u8; 256] = {
    let mut letters = [u8::MAX; 256];
    let mut lane = 0;
    while lane < 8 {
        let letter = b"xyzwrgba"[lane];
        letters[letter as usize] = lane as u8;
        letters[letter.to_ascii_uppercase() as usize] = lane as u8;
        lane += 1;
    }
    letters
};

impl Translation<'_> {
    /// A register with its indices, behind blanks.
    // It is large: what is read is written to where it stays.
    pub(super) fn register_operand(&mut self, register: &mut Register) -> Parsed<()> {
        self.cursor.blanks();
        self.register_at(register, Depth::Operand)
    }

    /// A register that stands here.
    #[inline(always)]
    fn register_at(&mut self, register: &mut Register, depth: Depth) -> Parsed<()> {
        // Nearly all registers of a text: a file in capitals and numbers in brackets, no blanks.
        let Some(usual) = self.cursor.usual_register() else {
            return self.other_register(register, depth);
        };
        *register = Register {
            file: usual.file,
            outer: usual.outer.map(Number::constant),
            number: Number::constant(usual.number),
            span: usual.span,
        };
        Ok(())
    }

    #[inline(never)]
    fn other_register(&mut self, register: &mut Register, depth: Depth) -> Parsed<()> {
        let start = self.cursor.at as u32;
        let text = self.cursor.text[self.cursor.at..].first_chunk();
        register.file = match text.and_then(|text| File::usual(*text)) {
            Some((file, length)) => {
                self.cursor.at += length;
                file
            }
            None => self.other_file()?,
        };
        register.number = self.number(depth)?;
        register.outer = None;
        // Without a blank the byte is at hand; `sees` would take blanks that do not belong to the register.
        if self.cursor.byte() == b'[' || (self.cursor.byte() <= b' ' && self.cursor.sees(b'[')) {
            register.outer = Some(register.number);
            register.number = self.number(depth)?;
        }
        register.span = self.cursor.since(start);
        Ok(())
    }

    fn other_file(&mut self) -> Parsed<File> {
        let word = self.cursor.word();
        File::of(word.text).ok_or_else(|| self.unknown_file(&word))
    }

    #[cold]
    pub(crate) fn unknown_file(&mut self, word: &Word<'_>) -> Reported {
        let span = word.span();
        if span.range().is_empty() {
            return self.unexpected_as(Code::RegisterFile, "a register");
        }
        if begins_statement(word) {
            // It is no operand: the next statement begins here.
            self.cursor.at = word.start as usize;
            let message = "an operand is missing";
            return self.error(Code::MissingOperand, self.span, message);
        }
        let text = self.text_of(span);
        let words = File::ALL.iter().map(|file| file.word());
        let hint = suggest(&text, words);
        let message = format!("`{text}` is no register file");
        self.error_with(Code::RegisterFile, span, message, hint)
    }

    /// An index in brackets, and the array id behind it.
    #[inline(always)]
    fn number(&mut self, depth: Depth) -> Parsed<Number> {
        let term = match self.cursor.plain_index() {
            Some(number) => IndexTerm::constant(number as i32),
            None => self.other_index(depth)?,
        };
        let array = match self.cursor.byte() {
            // No blank stands before the id of an array: behind one a guard begins.
            b'(' => self.array_id(Code::RegisterIndex)?,
            _ => 0,
        };
        Ok(Number { term, array })
    }

    fn other_index(&mut self, depth: Depth) -> Parsed<IndexTerm> {
        if !self.cursor.eat(b'[') {
            return Err(self.unexpected_as(Code::RegisterIndex, "`[`"));
        }
        self.cursor.blanks();
        let byte = self.cursor.byte();
        let term = match byte.is_ascii_digit() {
            true => IndexTerm::constant(self.register_number()? as i32),
            false => self.unusual_number(byte, depth)?,
        };
        self.expect_bracket()?;
        Ok(term)
    }

    /// The number of a register.
    #[inline]
    pub(super) fn register_number(&mut self) -> Parsed<u32> {
        self.cursor.blanks();
        let start = self.cursor.at as u32;
        match self.cursor.number() {
            // Tables have a row for each number up to the largest one that is declared.
            Some(number) if number < limits::TGSI_REGISTERS => Ok(number),
            Some(_) => {
                let most = limits::TGSI_REGISTERS - 1;
                let message = format!("numbers of registers go up to {most}");
                let span = self.cursor.since(start);
                Err(self.error(Code::IndexOutOfBounds, span, message))
            }
            None => Err(self.unexpected_as(Code::RegisterIndex, "a number")),
        }
    }

    /// The number of an array in parentheses; `code` is that of what else stands here.
    pub(super) fn array_id(&mut self, code: Code) -> Parsed<u32> {
        if !self.cursor.eat(b'(') {
            return Err(self.unexpected_as(code, "`(`"));
        }
        let mut before = self.cursor;
        let Some(id) = self.cursor.number() else {
            return Err(self.unexpected_as(code, "a number"));
        };
        if id >= limits::TGSI_ARRAYS {
            let message = format!("numbers of arrays go up to {}", limits::TGSI_ARRAYS - 1);
            return Err(self.error(Code::IndexOutOfBounds, before.token(), message));
        }
        self.expect(b')')?;
        Ok(id)
    }

    pub(super) fn expect_bracket(&mut self) -> Parsed<()> {
        match self.cursor.eat(b']') {
            true => Ok(()),
            false => Err(self.unexpected_as(Code::RegisterIndex, "`]`")),
        }
    }

    /// A negative number, or a register with an offset.
    #[cold]
    fn unusual_number(&mut self, byte: u8, depth: Depth) -> Parsed<IndexTerm> {
        if byte == b'-' {
            return Ok(IndexTerm::constant(self.index_offset()?));
        }
        // An index in an index would be read without end.
        if !is_word(byte) || depth == Depth::Index {
            return Err(self.unexpected_as(Code::RegisterIndex, "a number or a register"));
        }
        let mut register = Register::NONE;
        self.register_at(&mut register, Depth::Index)?;
        // Without a component the index is x.
        let lane = match self.cursor.eat(b'.') {
            true => self.index_lane()?,
            false => 0,
        };
        self.cursor.blanks();
        let offset = match self.cursor.byte() {
            b'+' | b'-' => self.index_offset()?,
            _ => 0,
        };
        let relative = Some(self.index_register(&register, lane)?);
        Ok(IndexTerm { relative, offset })
    }

    /// The lane of a register that is an index, behind its dot.
    fn index_lane(&mut self) -> Parsed<u8> {
        self.cursor.blanks();
        let letter = self.cursor.byte().to_ascii_lowercase();
        let Some(lane) = b"xyzw".iter().position(|&it| it == letter) else {
            return Err(self.unexpected_as(Code::SwizzleLetters, "x, y, z or w"));
        };
        self.cursor.at += 1;
        Ok(lane as u8)
    }

    /// A sign and a number.
    fn index_offset(&mut self) -> Parsed<i32> {
        let sign = self.cursor.byte();
        self.cursor.at += 1;
        let offset = self.register_number()? as i32;
        Ok(if sign == b'-' { -offset } else { offset })
    }

    /// The register and lane that an index reads. What is no register of its own is copied to one.
    fn index_register(&mut self, register: &Register, lane: u8) -> Parsed<(RegisterId, u8)> {
        let source = self.source_register(register)?;
        // An index of the IR names a register and a lane: immediates, constants and elements of arrays do not fit.
        if let (Base::Register(found), None) = (source.base, source.index) {
            return Ok((found, source.swizzle.lane(lane.into()) as u8));
        }
        let copy = self.hidden(Width::W32);
        self.put(copy, WriteMask::XYZW, Op::Mov, Type::U32, &[source]);
        Ok((copy, lane))
    }

    /// A source with sign, bars and swizzle.
    #[inline(always)]
    pub(super) fn source(&mut self, register: &mut Register) -> Parsed<Src> {
        self.cursor.blanks();
        match self.cursor.byte() {
            // The sign stands before the bars. TGSI has no sign within them.
            b'-' => {
                self.cursor.at += 1;
                self.cursor.blanks();
                let source = match self.cursor.byte() {
                    b'|' => self.source_in_bars(register)?,
                    _ => self.source_without_sign(register)?,
                };
                Ok(Src {
                    negate: true,
                    ..source
                })
            }
            b'|' => self.source_in_bars(register),
            _ => self.source_without_sign(register),
        }
    }

    /// A register and a swizzle.
    fn source_without_sign(&mut self, register: &mut Register) -> Parsed<Src> {
        self.register_at(register, Depth::Operand)?;
        let source = self.source_register(register)?;
        match self.cursor.sees(b'.') {
            true => Ok(source.swizzled(self.swizzle()?)),
            false => Ok(source),
        }
    }

    /// An absolute value, from its bar on.
    fn source_in_bars(&mut self, register: &mut Register) -> Parsed<Src> {
        let bar = self.cursor.at as u32;
        self.cursor.at += 1;
        self.cursor.blanks();
        let source = self.source_without_sign(register)?;
        if !self.cursor.eat(b'|') {
            let span = Span::new(bar, bar + 1);
            let message = "the bar of an absolute value has no other one";
            return Err(self.error(Code::Bars, span, message));
        }
        Ok(Src {
            abs: true,
            ..source
        })
    }

    /// A swizzle, from its dot on.
    #[inline]
    pub(super) fn swizzle(&mut self) -> Parsed<Swizzle> {
        self.cursor.at += 1;
        match self.plain_swizzle() {
            Some(swizzle) => Ok(swizzle),
            None => self.other_swizzle(),
        }
    }

    /// Takes four letters of lanes. `None` takes nothing.
    #[inline]
    fn plain_swizzle(&mut self) -> Option<Swizzle> {
        let letters: &[u8; 5] = self.cursor.text.get(self.cursor.at..)?.first_chunk()?;
        let [x, y, z, w, behind] = *letters;
        let lanes = [x, y, z, w].map(|letter| LETTERS[letter as usize]);
        // One test for all four: lanes are 0 to 3, the letters r, g, b, a 4 to 7, other bytes 255.
        if lanes[0] | lanes[1] | lanes[2] | lanes[3] > 3 || is_word(behind) {
            return None;
        }
        self.cursor.at += 4;
        Some(Swizzle::new(lanes))
    }

    fn other_swizzle(&mut self) -> Parsed<Swizzle> {
        let word = self.cursor.word();
        let mut lanes = [0; 4];
        let count = word.text.len();
        // Texts of the wild have `.x` and `.xyz`, which documents show and readers refuse.
        let letters = match self.cursor.extended {
            true => 1..=4,
            false => 4..=4,
        };
        if !letters.contains(&count) {
            return Err(self.bad_letters(word.span()));
        }
        // Where shipped texts are read, r, g, b, a are letters, too.
        let most = if self.cursor.extended { 7 } else { 3 };
        for (number, lane) in lanes.iter_mut().enumerate() {
            // Of one to three letters the last one is repeated.
            let letter = word.text[number.min(count - 1)];
            let found = LETTERS[letter as usize];
            if found > most {
                return Err(self.bad_letters(word.span()));
            }
            *lane = found % 4;
        }
        Ok(Swizzle::new(lanes))
    }

    #[cold]
    fn bad_letters(&mut self, span: Span) -> Reported {
        if span.range().is_empty() {
            return self.unexpected_as(Code::SwizzleLetters, "four of x, y, z, w");
        }
        let text = self.text_of(span);
        let message = format!("`{text}`: a swizzle is four of x, y, z, w");
        self.error(Code::SwizzleLetters, span, message)
    }

    /// A swizzle, if one stands here.
    pub(super) fn optional_swizzle(&mut self) -> Parsed<Swizzle> {
        match self.cursor.sees(b'.') {
            true => self.swizzle(),
            false => Ok(Swizzle::XYZW),
        }
    }

    /// A write mask, if one stands here.
    pub(super) fn optional_mask(&mut self) -> Parsed<WriteMask> {
        match self.cursor.sees(b'.') {
            true => self.mask(),
            false => Ok(WriteMask::XYZW),
        }
    }

    /// A write mask, from its dot on.
    #[inline]
    fn mask(&mut self) -> Parsed<WriteMask> {
        self.cursor.at += 1;
        let word = self.cursor.word();
        let mut mask = 0u8;
        let mut is_ordered = !word.text.is_empty();
        for &letter in word.text {
            // Beyond the four lanes no bit is left.
            let bit = 1u8
                .checked_shl(LETTERS[letter as usize].into())
                .unwrap_or(0)
                & 15;
            // A bit above all bits before it; no bit is above none, so letters of no lane fail here, too.
            is_ordered &= bit > mask;
            mask |= bit;
        }
        if is_ordered {
            return Ok(WriteMask(mask));
        }
        let span = word.span();
        if span.range().is_empty() {
            return Err(self.unexpected_as(Code::MaskOrder, "components"));
        }
        let text = self.text_of(span);
        let message = format!("`{text}`: a mask has some of x, y, z, w in this order");
        Err(self.error(Code::MaskOrder, span, message))
    }

    /// A result: register and mask.
    #[inline(always)]
    pub(super) fn target(&mut self, target: &mut Target) -> Parsed<()> {
        self.cursor.blanks();
        self.register_at(&mut target.register, Depth::Operand)?;
        target.mask = WriteMask::XYZW;
        target.span = target.register.span;
        if self.cursor.sees(b'.') {
            target.mask = self.mask()?;
            target.span.end = self.cursor.at as u32;
        }
        Ok(())
    }
}
