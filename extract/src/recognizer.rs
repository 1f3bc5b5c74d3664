//! Finds the end of a program in decoded text, and decides whether the text is a program at all.
//!
//! A recognizer receives the decoded bytes after a header one at a time, so that decoders stop
//! where the program ends. The end is the token `END` outside of comments, as all languages define
//! it.

use glasm::{Dialect, Family};

/// Bytes of a program at most; the compiler accepts no longer ones.
pub(crate) const MAX_PROGRAM_BYTES: usize = (1 << 24) - 1;

/// Whether a decoder continues after a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// The program continues.
    More,
    /// The program has ended, or the text is not a program.
    Done,
}

/// How the text of a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// With the token `END`.
    End,
    /// Where another header begins, or where the text ends.
    Cut,
}

/// Bytes of a program that follow each other in the data, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceRun {
    /// Offset of the first byte in the program; the run ends where the next one begins.
    pub program: usize,
    /// Offset of the first byte in the data.
    pub data: usize,
}

/// Runs of a program at most: a text of nothing but escapes would take more memory for them than
/// for its bytes.
const MAX_RUNS: usize = 1 << 20;

/// Text that was recognized as a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Recognized {
    /// The program from its header to `END`.
    pub(crate) text: Vec<u8>,
    /// Positions of the bytes in the data that the decoder recorded.
    pub(crate) runs: Vec<SourceRun>,
    /// How it ended.
    pub(crate) ending: Ending,
}

/// Part of the text that the next byte belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// The rest of the header line of a TGSI program, which has nothing but whitespace.
    HeaderLine,
    /// Between tokens, or in a word.
    Code,
    /// After `#`, up to the end of the line.
    Comment,
    /// After the `END` of a TGSI program: subroutines may follow.
    AfterEnd,
    /// In a comment after the `END` of a TGSI program.
    CommentAfterEnd,
    /// No further byte is accepted.
    Finished,
}

/// State of the recognition of one program.
#[derive(Debug)]
pub(crate) struct Recognizer {
    dialect: Dialect,
    text: Vec<u8>,
    state: State,
    /// Offset of the word that is being read.
    word: Option<usize>,
    /// End of the program, once `END` was read.
    end: Option<usize>,
    /// True once the first token was found to be one that begins a program.
    has_first_token: bool,
    /// True if `END` is the first token.
    has_no_statements: bool,
    /// A first word that begins a program only if a colon follows.
    needs_colon: bool,
    is_implausible: bool,
    statements: usize,
    /// True after a line of TGSI that other text does not contain: a declaration or numbered
    /// instruction.
    has_tgsi_line: bool,
    /// True in a subroutine of TGSI that follows `END`.
    is_in_subroutine: bool,
    is_at_header: bool,
    runs: Vec<SourceRun>,
}

impl Recognizer {
    /// Returns a recognizer for the text after a header, which is given verbatim.
    pub(crate) fn new(dialect: Dialect, header: &[u8]) -> Self {
        let is_tgsi = dialect.family() == Family::Tgsi;
        Self {
            dialect,
            text: header.to_vec(),
            state: if is_tgsi {
                State::HeaderLine
            } else {
                State::Code
            },
            word: None,
            end: None,
            has_first_token: false,
            has_no_statements: false,
            needs_colon: false,
            is_implausible: false,
            statements: 0,
            has_tgsi_line: false,
            is_in_subroutine: false,
            is_at_header: false,
            runs: Vec::new(),
        }
    }

    /// Records that the header is at `data`.
    pub(crate) fn locate_header(&mut self, data: usize) {
        self.runs.push(SourceRun { program: 0, data });
    }

    /// Records that the next byte to be pushed is at `data`.
    pub(crate) fn locate(&mut self, data: usize) {
        let program = self.text.len();
        let is_next =
            (self.runs.last()).is_some_and(|run| run.data + program == data + run.program);
        if !is_next && self.runs.len() < MAX_RUNS {
            self.runs.push(SourceRun { program, data });
        }
    }

    /// Removes the positions, for decoders that do not record them.
    pub(crate) fn clear_positions(&mut self) {
        self.runs.clear();
    }

    /// Appends the bytes of an inserted text.
    pub(crate) fn push_all(&mut self, bytes: &[u8]) -> Step {
        for byte in bytes {
            if self.push(*byte) == Step::Done {
                return Step::Done;
            }
        }
        Step::More
    }

    /// Returns the last byte of the text.
    pub(crate) fn last_byte(&self) -> u8 {
        self.text.last().copied().unwrap_or_default()
    }

    /// Returns true if the last two bytes that were pushed are the marks of the next header.
    pub(crate) fn is_at_header(&self) -> bool {
        self.is_at_header
    }

    /// Returns true once `END` was read.
    pub(crate) fn has_end(&self) -> bool {
        // A word is complete only with the byte after it.
        let word = self.word.map_or(&[][..], |start| &self.text[start..]);
        self.end.is_some() || self.state == State::Code && word.eq_ignore_ascii_case(b"END")
    }

    /// Appends a decoded byte.
    pub(crate) fn push(&mut self, byte: u8) -> Step {
        let is_control = byte < b' ' && !byte.is_ascii_whitespace() && byte != 0x0b || byte == 0x7f;
        if self.state == State::Finished || is_control || self.text.len() >= MAX_PROGRAM_BYTES {
            return self.finish_word_and_stop();
        }
        match self.state {
            State::HeaderLine => self.push_header_byte(byte),
            State::Code => self.push_code_byte(byte),
            State::Comment => {
                if matches!(byte, b'\n' | b'\r') {
                    self.state = State::Code;
                }
            }
            State::AfterEnd => self.push_byte_after_end(byte),
            State::CommentAfterEnd => {
                if matches!(byte, b'\n' | b'\r') {
                    self.state = State::AfterEnd;
                }
            }
            State::Finished => {}
        }
        if self.state == State::Finished {
            return Step::Done;
        }
        self.text.push(byte);
        Step::More
    }

    /// Ends the text, and returns the program if it is one. A text with nothing but a header is not
    /// one: applications compare with headers, and documents name them.
    pub(crate) fn finish(mut self) -> Option<Recognized> {
        self.finish_word_and_stop();
        let is_tgsi = self.dialect.family() == Family::Tgsi;
        let has_content = if is_tgsi {
            self.has_tgsi_line
        } else {
            self.statements > 0
        };
        if self.is_implausible {
            return None;
        }
        if let Some(end) = self.end {
            self.text.truncate(end);
            // The shortest programs consist of a header and `END`.
            let is_program = has_content || self.has_no_statements && !is_tgsi;
            return is_program.then_some(Recognized {
                text: self.text,
                runs: self.runs,
                ending: Ending::End,
            });
        }
        let length = self.text.trim_ascii_end().len();
        self.text.truncate(length);
        has_content.then_some(Recognized {
            text: self.text,
            runs: self.runs,
            ending: Ending::Cut,
        })
    }

    fn finish_word_and_stop(&mut self) -> Step {
        match self.state {
            State::Code => self.end_word(0),
            State::AfterEnd => self.end_word_after_end(),
            State::HeaderLine | State::Comment | State::CommentAfterEnd | State::Finished => {}
        }
        if self.needs_colon {
            self.is_implausible = true;
        }
        self.state = State::Finished;
        Step::Done
    }

    fn reject(&mut self) {
        self.is_implausible = true;
        self.state = State::Finished;
    }

    fn push_header_byte(&mut self, byte: u8) {
        match byte {
            b'\n' | b'\r' => self.state = State::Code,
            b'#' => self.state = State::Comment,
            b' ' | b'\t' => {}
            _ => self.reject(),
        }
    }

    fn push_code_byte(&mut self, byte: u8) {
        if is_word_byte(byte) {
            if self.word.is_none() {
                self.word = Some(self.text.len());
            }
            return;
        }
        self.end_word(byte);
        if self.state != State::Code {
            // `END` was the word. Of TGSI programs the byte after it is looked at.
            if self.state == State::AfterEnd && byte == b'#' {
                self.state = State::CommentAfterEnd;
            }
            return;
        }
        if self.needs_colon && !matches!(byte, b' ' | b'\t') {
            self.needs_colon = false;
            if byte != b':' {
                return self.reject();
            }
            self.has_first_token = true;
        }
        match byte {
            b'#' => self.state = State::Comment,
            b';' => self.statements += 1,
            // No language has `!` in its programs: here the next program begins.
            b'!' if self.last_byte() == b'!' => {
                self.text.pop();
                self.is_at_header = true;
                self.state = State::Finished;
            }
            _ => {}
        }
        let is_first = !self.has_first_token && !self.needs_colon;
        if is_first && !byte.is_ascii_whitespace() && !matches!(byte, b'#' | b'!') {
            // Placeholders of templates may begin a program; prose and code do not.
            if matches!(byte, b'%' | b'$' | b'@' | b'{') {
                self.has_first_token = true;
            } else {
                self.reject();
            }
        }
    }

    /// Examines the word that ends here, before `next`.
    fn end_word(&mut self, next: u8) {
        let Some(start) = self.word.take() else {
            return;
        };
        let word = &self.text[start..];
        let is_tgsi = self.dialect.family() == Family::Tgsi;
        let is_end = if self.is_in_subroutine {
            word.eq_ignore_ascii_case(b"ENDSUB")
        } else if is_tgsi {
            word.eq_ignore_ascii_case(b"END")
        } else {
            // In a format string `END` may follow a conversion: `%sEND`.
            let is_after_conversion = start > 0
                && self.text[start - 1] == b'%'
                && matches!(
                    word,
                    [
                        b's' | b'd' | b'i' | b'u' | b'f' | b'g' | b'c',
                        b'E',
                        b'N',
                        b'D'
                    ]
                );
            word == b"END" || is_after_conversion
        };
        if is_end {
            self.end = Some(self.text.len());
            self.has_no_statements = !self.has_first_token;
            self.has_first_token = true;
            self.state = if is_tgsi {
                State::AfterEnd
            } else {
                State::Finished
            };
            return;
        }
        let word = word.to_vec();
        if is_tgsi {
            self.examine_tgsi_word(&word, next);
        } else if !self.has_first_token {
            self.examine_first_word(&word);
        }
    }

    /// Decides by the first word after the header whether the text is a program: statements begin
    /// with words in upper case, or with labels.
    fn examine_first_word(&mut self, word: &[u8]) {
        let is_keyword = word.len() >= 2
            && word[0].is_ascii_uppercase()
            && word
                .iter()
                .all(|byte| !byte.is_ascii_lowercase() && *byte != b'$');
        // A template may begin with `${`.
        if is_keyword || word[0] == b'$' {
            self.has_first_token = true;
        } else if word[0].is_ascii_digit() || word[0] == b'.' {
            self.reject();
        } else {
            self.needs_colon = true;
        }
    }

    /// Does the same for TGSI, whose first line is a declaration or an instruction with its number.
    fn examine_tgsi_word(&mut self, word: &[u8], next: u8) {
        let is_number = word.iter().all(u8::is_ascii_digit) && next == b':';
        let is_declaration = [&b"DCL"[..], b"PROPERTY", b"IMM"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known));
        if is_number || is_declaration {
            self.has_tgsi_line = true;
            self.has_first_token = true;
        } else if !self.has_first_token {
            self.reject();
        }
    }

    /// Handles the text after the `END` of a TGSI program, which may have subroutines there.
    fn push_byte_after_end(&mut self, byte: u8) {
        if is_word_byte(byte) {
            if self.word.is_none() {
                self.word = Some(self.text.len());
            }
            return;
        }
        self.end_word_after_end();
        match byte {
            b'#' if self.state == State::AfterEnd => self.state = State::CommentAfterEnd,
            // After the number of an instruction.
            b':' => {}
            _ if byte.is_ascii_whitespace() => {}
            _ if self.state == State::AfterEnd => self.state = State::Finished,
            _ => {}
        }
    }

    fn end_word_after_end(&mut self) {
        let Some(start) = self.word.take() else {
            return;
        };
        let word = &self.text[start..];
        if word.eq_ignore_ascii_case(b"BGNSUB") {
            // Without `ENDSUB` the program ends where it did before.
            self.state = State::Code;
            self.is_in_subroutine = true;
        } else if !word.iter().all(u8::is_ascii_digit) {
            self.state = State::Finished;
        }
    }
}

/// Returns true for the bytes of words: identifiers, numbers, opcodes with suffixes.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}
