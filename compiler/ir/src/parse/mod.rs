//! Parses the text form that `compiler/ir/TEXT.md` defines.
//!
//! A recursive-descent parser with one token of lookahead. It checks the grammar and that ids are
//! declared; the verifier checks the semantics. Nesting is limited, and the parser does not panic
//! for any input.

mod declarations;
mod inst;
mod lexer;

use std::fmt;

use lexer::{Lexer, Token};

use crate::arena::{Id, IndexVec};
use crate::builder::Builder;
use crate::program::{
    BlockId, Case, MAX_NESTING, NameId, Node, Program, Routine, RoutineId, Stage, Switch,
};
use crate::span::Span;
use crate::text_keywords::Keyword;

/// Error of a text that is not a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Description of the error.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Parses a program in text form.
///
/// # Errors
/// The first error of the text. The program is not verified.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let mut parser = Parser::new(text);
    parser
        .parse_program()
        .map_err(|error| locate_error(text, error))?;
    Ok(parser.builder.program)
}

/// An error at a byte of the text.
struct OffsetError {
    offset: usize,
    message: String,
}

type ParseResult<T> = Result<T, OffsetError>;

/// Converts the byte offset of an error to line and column, both from 1; columns count characters.
fn locate_error(text: &str, error: OffsetError) -> ParseError {
    let before = &text[..error.offset.min(text.len())];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    ParseError {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        message: error.message,
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The next token and its start.
    token: Token<'a>,
    token_start: usize,
    /// Start of the previous token.
    previous_start: usize,
    builder: Builder,
    block_depth: usize,
}

/// Tokens.
impl<'a> Parser<'a> {
    /// Returns a parser at the first token, whose program has no blocks and routines.
    fn new(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let (start, token) = lexer.next_token();
        let mut program = Program::new(Stage::Vertex);
        program.blocks = IndexVec::new();
        program.routines = IndexVec::new();
        Self {
            lexer,
            token,
            token_start: start,
            previous_start: 0,
            builder: Builder::new(program),
            block_depth: 0,
        }
    }

    /// Reads the next token, and returns the one that was current.
    fn advance(&mut self) -> Token<'a> {
        let (start, token) = self.lexer.next_token();
        self.previous_start = std::mem::replace(&mut self.token_start, start);
        std::mem::replace(&mut self.token, token)
    }

    /// Returns an error at the next token.
    fn err_at_next<T>(&self, message: impl Into<String>) -> ParseResult<T> {
        Err(OffsetError {
            offset: self.token_start,
            message: message.into(),
        })
    }

    /// Returns an error at the previous token.
    fn err_at_previous<T>(&self, message: impl Into<String>) -> ParseResult<T> {
        Err(OffsetError {
            offset: self.previous_start,
            message: message.into(),
        })
    }

    /// Parses an identifier; the error names `expected` as missing.
    fn parse_identifier(&mut self, expected: &str) -> ParseResult<&'a str> {
        let Token::Identifier(word) = self.token else {
            return self.err_at_next(format!("expected {expected}"));
        };
        self.advance();
        Ok(word)
    }

    /// Parses a keyword of the enum `T` and returns its variant. For other words returns an error
    /// that names `expected` as missing.
    fn parse_keyword<T: Keyword>(&mut self, expected: &str) -> ParseResult<T> {
        let variant = if let Token::Identifier(word) | Token::Number(word) = self.token {
            T::from_keyword(word)
        } else {
            None
        };
        let Some(found) = variant else {
            return self.err_at_next(format!("expected {expected}"));
        };
        self.advance();
        Ok(found)
    }

    /// Skips the next token and returns true if it is the identifier `word`.
    fn eat_keyword(&mut self, word: &str) -> bool {
        let found = self.token == Token::Identifier(word);
        if found {
            self.advance();
        }
        found
    }

    /// Skips the next token and returns true if it is `mark`.
    fn eat_punctuation(&mut self, mark: char) -> bool {
        let found = self.token == Token::Punctuation(mark);
        if found {
            self.advance();
        }
        found
    }

    /// Skips the next token, which must be `mark`. Returns an error at any other token.
    fn expect_punctuation(&mut self, mark: char) -> ParseResult<()> {
        if self.eat_punctuation(mark) {
            Ok(())
        } else {
            self.err_at_next(format!("expected `{mark}`"))
        }
    }

    /// Skips the next token, which must be the identifier `word`. Returns an error at any other
    /// token.
    fn expect_keyword(&mut self, word: &str) -> ParseResult<()> {
        if self.eat_keyword(word) {
            Ok(())
        } else {
            self.err_at_next(format!("expected `{word}`"))
        }
    }

    /// Parses a decimal number without a sign that fits the type.
    fn parse_number<T: std::str::FromStr>(&mut self) -> ParseResult<T> {
        let Token::Number(digits) = self.token else {
            return self.err_at_next("expected a number");
        };
        let Ok(number) = digits.parse() else {
            return self.err_at_next("the number is out of range");
        };
        self.advance();
        Ok(number)
    }

    /// Parses a decimal number with an optional minus sign that fits the type.
    fn parse_signed_number<T: TryFrom<i64>>(&mut self) -> ParseResult<T> {
        let at = self.token_start;
        let sign = if self.eat_punctuation('-') { -1 } else { 1 };
        let magnitude: u32 = self.parse_number()?;
        T::try_from(sign * i64::from(magnitude)).map_err(|_| OffsetError {
            offset: at,
            message: "the number is out of range".to_owned(),
        })
    }

    /// Parses a decimal number in brackets, `[n]`.
    fn parse_bracketed_number<T: std::str::FromStr>(&mut self) -> ParseResult<T> {
        self.expect_punctuation('[')?;
        let number = self.parse_number()?;
        self.expect_punctuation(']')?;
        Ok(number)
    }

    /// Parses an id with this prefix, such as `fn0`, which need not be declared.
    fn parse_id<I: Id>(&mut self, prefix: &str) -> ParseResult<I> {
        let parts = if let Token::Identifier(word) = self.token {
            split_id(word)
        } else {
            None
        };
        match parts {
            Some((found, number)) if found == prefix => {
                self.advance();
                Ok(I::new(number))
            }
            _ => self.err_at_next(format!("expected an id such as `{prefix}0`")),
        }
    }

    /// Parses an id with this prefix that has an entry in a table of the program. Returns an error
    /// if it has none.
    fn parse_declared_id<I: Id, T>(
        &mut self,
        prefix: &str,
        table: impl Fn(&Program) -> &IndexVec<I, T>,
    ) -> ParseResult<I> {
        let at = self.token_start;
        let id = self.parse_id::<I>(prefix)?;
        match table(&self.builder.program).get(id) {
            Some(_) => Ok(id),
            None => Err(OffsetError {
                offset: at,
                message: format!("{id:?} is not declared"),
            }),
        }
    }

    /// Parses the end of a line, or of the text; returns the span in the comment before it, else
    /// the default span.
    fn parse_line_end(&mut self) -> ParseResult<Span> {
        let span = if let Token::Span(span) = self.token {
            span
        } else {
            Span::default()
        };
        if matches!(self.token, Token::Span(_)) {
            self.advance();
        }
        match self.token {
            Token::End => Ok(span),
            Token::LineEnd => {
                self.advance();
                Ok(span)
            }
            Token::Identifier(_)
            | Token::Number(_)
            | Token::Quoted(_)
            | Token::Punctuation(_)
            | Token::Span(_) => self.err_at_next("expected the end of the line"),
        }
    }

    /// Skips line ends, and span comments on lines without code.
    fn skip_empty_lines(&mut self) {
        while matches!(self.token, Token::LineEnd | Token::Span(_)) {
            self.advance();
        }
    }

    /// Parses an optional quoted name and adds it to the names of the program; `None` if there is
    /// none.
    fn parse_name(&mut self) -> ParseResult<Option<NameId>> {
        let Token::Quoted(text) = self.token else {
            return Ok(None);
        };
        let Some(name) = unescape(text) else {
            return self.err_at_next("invalid escape sequence in a name");
        };
        self.advance();
        Ok(Some(self.builder.program.names.push(&name)))
    }
}

/// Splits an id into its prefix and its number. Returns `None` without a number, for leading zeros,
/// and for numbers that ids cannot have.
fn split_id(word: &str) -> Option<(&str, usize)> {
    let prefix = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &word[prefix.len()..];
    let number: u32 = digits.parse().ok()?;
    let canonical = digits == "0" || !digits.starts_with('0');
    (canonical && number < u32::MAX).then_some((prefix, number as usize))
}

/// Returns a quoted name with its escapes `\"`, `\\` and `\u{...}` replaced; `None` if one is
/// invalid.
fn unescape(text: &str) -> Option<String> {
    let mut name = String::new();
    let mut remaining = text;
    while let Some((before, escape)) = remaining.split_once('\\') {
        name.push_str(before);
        if let Some(code) = escape.strip_prefix("u{") {
            let (digits, after) = code.split_once('}')?;
            name.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
            remaining = after;
        } else {
            let quoted = escape.chars().next().filter(|&c| matches!(c, '"' | '\\'))?;
            name.push(quoted);
            remaining = &escape[1..];
        }
    }
    name.push_str(remaining);
    Some(name)
}

/// Routines and control flow.
impl Parser<'_> {
    /// Parses the whole text into the program of the builder: stage, declarations and routines, and
    /// the name of the main routine, which is the last line.
    fn parse_program(&mut self) -> ParseResult<()> {
        self.skip_empty_lines();
        self.expect_keyword("program")?;
        self.builder.program.stage = self.parse_keyword("a stage")?;
        self.parse_line_end()?;
        loop {
            self.skip_empty_lines();
            if self.eat_keyword("main") {
                break;
            } else if self.eat_keyword("routine") {
                self.parse_routine()?;
            } else {
                self.parse_declaration()?;
            }
        }
        self.builder.program.main = self.parse_declared_id("fn", |program| &program.routines)?;
        self.parse_line_end()?;
        self.skip_empty_lines();
        if self.token == Token::End {
            Ok(())
        } else {
            self.err_at_next("expected the end of the text")
        }
    }

    /// Parses a routine after its keyword and adds it to the program: id, which must be the next
    /// one, optional name, and body.
    fn parse_routine(&mut self) -> ParseResult<()> {
        let next = self.builder.program.routines.next_id();
        if self.parse_id::<RoutineId>("fn")? != next {
            return self.err_at_previous(format!("the next routine is {next}"));
        }
        let name = self.parse_name()?;
        let (body, _) = self.parse_block()?;
        self.parse_line_end()?;
        self.builder.program.routines.push(Routine { name, body });
        Ok(())
    }

    /// Parses a block up to its closing brace; returns it with the span after its opening brace.
    /// Returns an error if blocks are nested too deeply.
    fn parse_block(&mut self) -> ParseResult<(BlockId, Span)> {
        self.expect_punctuation('{')?;
        let span = self.parse_line_end()?;
        self.block_depth += 1;
        if self.block_depth > MAX_NESTING {
            return self.err_at_next(format!("blocks are nested more than {MAX_NESTING} deep"));
        }
        self.builder.open_block();
        loop {
            self.skip_empty_lines();
            if self.eat_punctuation('}') {
                break;
            }
            self.parse_statement()?;
        }
        self.block_depth -= 1;
        Ok((self.builder.close_block(), span))
    }

    /// Parses a line of a block, a node or an instruction, and appends it to the open block.
    fn parse_statement(&mut self) -> ParseResult<()> {
        let Token::Identifier(word) = self.token else {
            return self.err_at_next("expected a statement or `}`");
        };
        match word {
            "if" => self.parse_branch(),
            "loop" => self.parse_loop(),
            "switch" => self.parse_switch(),
            "break" => self.parse_exit(Node::Break),
            "continue" => self.parse_exit(Node::Continue),
            "return" => self.parse_exit(Node::Return),
            "call" => self.parse_call(),
            _ => self.parse_inst(),
        }
    }

    /// Parses a line of one keyword that leaves a block, and appends `node`.
    fn parse_exit(&mut self, node: Node) -> ParseResult<()> {
        self.advance();
        self.parse_line_end()?;
        self.builder.push_node(node);
        Ok(())
    }

    /// Parses a call and appends it; its routine may be declared later, and the parser does not
    /// check that it is.
    fn parse_call(&mut self) -> ParseResult<()> {
        self.advance();
        let routine = self.parse_id("fn")?;
        let span = self.parse_line_end()?;
        self.builder.push_node(Node::Call(routine, span));
        Ok(())
    }

    /// Parses a branch and appends it: condition, block, and optional `else` block.
    fn parse_branch(&mut self) -> ParseResult<()> {
        self.advance();
        let cond = self.parse_cond()?;
        let (then, span) = self.parse_block()?;
        let otherwise = self.parse_optional_block("else")?;
        self.builder.push_branch(cond, then, otherwise, span);
        Ok(())
    }

    /// Parses a loop and appends it: body and optional `continuing` block.
    fn parse_loop(&mut self) -> ParseResult<()> {
        self.advance();
        let (body, span) = self.parse_block()?;
        let continuing = self.parse_optional_block("continuing")?;
        self.builder.push_node(Node::Loop {
            body,
            continuing,
            span,
        });
        Ok(())
    }

    /// Parses the optional second block of a node, which `word` introduces, and the end of the
    /// node's last line. Returns `None` if it is missing.
    fn parse_optional_block(&mut self, word: &str) -> ParseResult<Option<BlockId>> {
        let block = if self.eat_keyword(word) {
            Some(self.parse_block()?.0)
        } else {
            None
        };
        self.parse_line_end()?;
        Ok(block)
    }

    /// Parses a switch with its cases and default block, which must be the last one, and appends
    /// its node.
    fn parse_switch(&mut self) -> ParseResult<()> {
        self.advance();
        let selector = self.parse_lane()?;
        self.expect_punctuation('{')?;
        let span = self.parse_line_end()?;
        let mut cases = Vec::new();
        let mut default = None;
        loop {
            self.skip_empty_lines();
            if self.eat_punctuation('}') {
                break;
            } else if default.is_none() && self.eat_keyword("default") {
                default = self.parse_case_block()?.into();
            } else if default.is_none() && self.eat_keyword("case") {
                cases.push(self.parse_case()?);
            } else {
                return self
                    .err_at_next("expected `}`, or `case` or `default` before the default block");
            }
        }
        self.parse_line_end()?;
        let switch = self.builder.program.switches.push(Switch {
            selector,
            cases,
            default,
            span,
        });
        self.builder.push_node(Node::Switch(switch));
        Ok(())
    }

    /// Parses a case after its keyword up to the end of its last line: values separated by commas,
    /// and a block.
    fn parse_case(&mut self) -> ParseResult<Case> {
        let mut values = Vec::new();
        loop {
            values.push(self.parse_number()?);
            if !self.eat_punctuation(',') {
                break;
            }
        }
        Ok(Case {
            values,
            block: self.parse_case_block()?,
        })
    }

    /// Parses the block of a case and the end of its last line.
    fn parse_case_block(&mut self) -> ParseResult<BlockId> {
        let (block, _) = self.parse_block()?;
        self.parse_line_end()?;
        Ok(block)
    }
}

#[cfg(test)]
mod tests;
