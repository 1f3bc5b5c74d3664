//! TGSI: the shaders of Mesa's Gallium, as drivers print them and virtual GPUs send them.
//!
//! The text has numbered registers in files, whose components are words without a type; each opcode says how it reads them. Declarations
//! give registers a meaning. One pass over the bytes reads a statement, checks it and appends it to the program; only how registers are
//! indexed at run time is looked up first (`scan`). Three generations of the text are read: that of 2010, the one that virgl sends, and
//! the current one.

pub mod catalog;
mod covered;
mod cursor;
mod declare;
mod files;
mod filled;
mod flow;
mod immediate;
mod inst;
mod instruction;
mod lower;
mod modes;
mod nesting;
mod numbers;
mod opcodes;
mod operand;
mod property;
mod scan;
mod semantics;
mod state;
mod targets;

pub(crate) use state::TgsiMemory;

use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::memory::ProgramMemory;
use crate::report::Reports;
use crate::start::Start;
use cursor::{Cursor, Word};
use files::File;
use glasm_ir::{CondTest, Program, Semantic, Span};
use inst::{Inst, Predicate};
use operand::{ADDRESSES, Register};
use semantics::Sink;
use state::{Parsed, Reported, Translation};

/// Reads, checks and translates a program. Without an error the result is the program; all errors are reported.
pub(crate) fn translate(
    start: Start<'_>,
    memory: &mut TgsiMemory,
    programs: &mut ProgramMemory,
) -> (Option<Program>, Reports) {
    let mut translation = Translation::new(start, memory, programs);
    translation.statements();
    let (program, reports) = translation.end(memory, programs);
    match reports.has_errors() {
        true => {
            programs.recycle(program);
            (None, reports)
        }
        false => (Some(program), reports),
    }
}

/// The output registers of a program with what pipelines call them, in the order of their numbers. There is something of what was read, also
/// if the program has errors.
pub(crate) fn outputs(start: Start<'_>) -> Vec<(u32, Semantic)> {
    let mut translation = Translation::new(
        start,
        &mut TgsiMemory::default(),
        &mut ProgramMemory::default(),
    );
    translation.statements();
    let rows = translation.declared.outputs.iter();
    let declared = (0..)
        .zip(rows)
        .filter_map(|(number, row)| Some((number, (*row)?)));
    let semantics = declared.flat_map(|(number, row)| {
        let semantics = translation.semantics_of(row.sink).into_iter().flatten();
        semantics.map(move |semantic| (number, semantic))
    });
    semantics.collect()
}

/// How many bytes stand before the first word of a text.
pub(crate) fn leading_bytes(text: &[u8]) -> usize {
    let mut cursor = Cursor {
        text,
        at: 0,
        extended: true,
    };
    // The byte order mark of UTF-8, which some editors put in front.
    if text.starts_with(b"\xEF\xBB\xBF") {
        cursor.at = 3;
    }
    cursor.blanks();
    cursor.at
}

/// The number that a word is. `None` if it is none, or beyond 32 bits.
fn decimal(word: &[u8]) -> Option<u32> {
    word.iter().try_fold(0u32, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

impl<'s> Translation<'s> {
    /// Reads all statements.
    fn statements(&mut self) {
        let mut inst = Inst::before_all();
        // `recover` goes on by at least one byte, so that a text of mistakes ends, too.
        while !self.cursor.is_at_end() && !self.reports.is_full() {
            let start = self.cursor.at;
            if self.statement(&mut inst).is_err() {
                self.recover(start);
            }
        }
        // Behind the last statement: declarations may follow instructions where the rule is not strict.
        self.overlapping_constants();
        self.settle_properties();
        self.end_of_text();
    }

    /// What pipelines call an output: a register may hold up to four distances.
    fn semantics_of(&self, sink: Sink) -> [Option<Semantic>; 4] {
        match sink {
            Sink::Output(semantic, _) => [Some(semantic), None, None, None],
            Sink::Distances(first) => [0, 1, 2, 3].map(|lane| self.distance(first + lane)),
            Sink::CullDistances(first) => {
                [0, 1, 2, 3].map(|lane| Some(Semantic::CullDistance(first + lane)))
            }
            Sink::ClipVertex => [Some(Semantic::ClipVertex), None, None, None],
            Sink::OuterLevels | Sink::InnerLevels | Sink::Dropped => [None; 4],
        }
    }

    /// Reads a statement.
    #[inline]
    fn statement(&mut self, inst: &mut Inst) -> Parsed<()> {
        // Most often an instruction has its number before it, which few digits are.
        let mut printed = self.cursor.plain_number_before(b':');
        let mut word = self.cursor.word();
        if printed.is_none() {
            printed = self.printed_number(&mut word);
        }
        // Declarations have no number, so that behind one these words are no keywords.
        if printed.is_none() {
            match word.text.len() {
                3 if word.is("DCL") => return self.behind(word.span(), Self::declaration),
                3 if word.is("IMM") => return self.behind(word.span(), Self::immediate_statement),
                8 if word.is("PROPERTY") => return self.property(),
                _ => {}
            }
        }
        let mut guard = None;
        // Guards of 2010 stand between the number and the opcode.
        if word.text.is_empty() && self.cursor.sees(b'(') {
            guard = Some(self.predicate_guard()?);
            word = self.cursor.word();
        }
        if word.text.is_empty() {
            return Err(self.unexpected_character());
        }
        // A second END has a message of its own.
        if self.expects_subroutines() && !word.is("BGNSUB") && !word.is("END") {
            self.misplaced(word.span())?;
        }
        self.instruction(inst, &word, printed, guard)
    }

    /// The number before an instruction, which is decoration but for labels. Then the word becomes that behind it.
    #[inline(never)]
    fn printed_number(&mut self, word: &mut Word<'s>) -> Option<u32> {
        if !word.text.first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        // Copied, because a word that begins with a digit is no number before a colon is seen.
        let mut ahead = self.cursor;
        if !ahead.eat(b':') {
            return None;
        }
        self.cursor = ahead;
        let number = decimal(word.text);
        *word = self.cursor.word();
        number
    }

    /// A declaration or an immediate, which come before instructions.
    fn behind(&mut self, word: Span, read: impl FnOnce(&mut Self) -> Parsed<()>) -> Parsed<()> {
        if self.in_code {
            let message = "declarations and immediates come before instructions";
            self.lenient(Rule::LateDeclaration, word, message);
        }
        self.span = word;
        read(self)
    }

    #[cold]
    fn unexpected_character(&mut self) -> Reported {
        let span = self.cursor.token();
        match self.foreign_byte(span) {
            Some(reported) => reported,
            None => self.unexpected("a declaration or an instruction"),
        }
    }

    /// `(PRED[0].x)` or `(!PRED[0].x)` of the text of 2010.
    #[cold]
    fn predicate_guard(&mut self) -> Parsed<Predicate> {
        self.expect(b'(')?;
        let test = match self.cursor.eat(b'!') {
            true => CondTest::Eq,
            false => CondTest::Ne,
        };
        let mut register = Register::NONE;
        self.register_operand(&mut register)?;
        if register.file != File::Pred {
            let message = "a predicate is expected here";
            return Err(self.error(Code::OperandNotVariable, register.span, message));
        }
        let swizzle = self.optional_swizzle()?;
        self.expect(b')')?;
        let number = self.known_number(&register, ADDRESSES)?;
        Ok(Predicate {
            register: self.predicate(number),
            test,
            swizzle,
        })
    }

    /// Goes on behind a statement that could not be read: at the next line, or at the next number of an instruction.
    #[cold]
    fn recover(&mut self, start: usize) {
        let text = self.cursor.text;
        // At least a byte behind the start of the statement, wherever it failed.
        let mut at = self.cursor.at.max(start + 1).min(text.len());
        // Blanks behind what was read may hold the end of its line.
        while at > start + 1 && text[at - 1] <= b' ' {
            at -= 1;
        }
        while at < text.len() {
            if text[at] == b'\n' {
                break;
            }
            let digits = text[at..].iter().take_while(|byte| byte.is_ascii_digit());
            let digits = digits.count();
            // Digits at the end of a word number nothing.
            let is_word = at > 0 && cursor::is_word(text[at - 1]);
            if digits > 0 && !is_word && text.get(at + digits) == Some(&b':') {
                break;
            }
            at += digits.max(1);
        }
        self.cursor.at = at;
    }
}
