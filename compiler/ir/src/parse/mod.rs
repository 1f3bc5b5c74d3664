//! Parses the text form that `compiler/ir/TEXT.md` defines.
//!
//! A recursive-descent parser with one token of lookahead. It checks the grammar and that ids are
//! declared; the verifier checks the semantics. Nesting is limited, and the parser does not panic
//! for any input.

mod decl;
mod inst;
mod lex;

use std::fmt;

use lex::{Lexer, Token};

use crate::arena::{Id, IndexVec};
use crate::builder::Builder;
use crate::program::{
    BlockId, Case, MAX_NESTING, NameId, Node, Program, Routine, RoutineId, Stage, Switch,
};
use crate::span::Span;
use crate::text_keywords::Word;

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
/// The first error of the text.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let mut parser = Parser::new(text);
    parser
        .parse_program()
        .map_err(|error| locate(text, error))?;
    Ok(parser.builder.program)
}

/// An error at a byte of the text.
struct Error {
    at: usize,
    message: String,
}

type Parse<T> = Result<T, Error>;

fn locate(text: &str, error: Error) -> ParseError {
    let before = &text[..error.at.min(text.len())];
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
    start: usize,
    /// Start of the previous token.
    last: usize,
    builder: Builder,
    depth: usize,
}

/// Tokens.
impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let (start, token) = lexer.next_token();
        let mut program = Program::new(Stage::Vertex);
        program.blocks = IndexVec::new();
        program.routines = IndexVec::new();
        Self {
            lexer,
            token,
            start,
            last: 0,
            builder: Builder::new(program),
            depth: 0,
        }
    }

    fn advance(&mut self) -> Token<'a> {
        let (start, token) = self.lexer.next_token();
        self.last = std::mem::replace(&mut self.start, start);
        std::mem::replace(&mut self.token, token)
    }

    /// Returns an error at the next token.
    fn error<T>(&self, message: impl Into<String>) -> Parse<T> {
        Err(Error {
            at: self.start,
            message: message.into(),
        })
    }

    /// Returns an error at the previous token.
    fn error_at_last<T>(&self, message: impl Into<String>) -> Parse<T> {
        Err(Error {
            at: self.last,
            message: message.into(),
        })
    }

    fn parse_word(&mut self, what: &str) -> Parse<&'a str> {
        let Token::Word(word) = self.token else {
            return self.error(format!("expected {what}"));
        };
        self.advance();
        Ok(word)
    }

    /// Parses a variant of an enum of keywords.
    fn parse_named<T: Word>(&mut self, what: &str) -> Parse<T> {
        let found = if let Token::Word(word) | Token::Number(word) = self.token {
            T::from_word(word)
        } else {
            None
        };
        let Some(found) = found else {
            return self.error(format!("expected {what}"));
        };
        self.advance();
        Ok(found)
    }

    /// Consumes the next token if it is this keyword.
    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.token == Token::Word(word);
        if found {
            self.advance();
        }
        found
    }

    fn eat(&mut self, mark: char) -> bool {
        let found = self.token == Token::Mark(mark);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, mark: char) -> Parse<()> {
        if self.eat(mark) {
            Ok(())
        } else {
            self.error(format!("expected `{mark}`"))
        }
    }

    fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word) {
            Ok(())
        } else {
            self.error(format!("expected `{word}`"))
        }
    }

    /// Parses a decimal number that fits the type.
    fn parse_number<T: std::str::FromStr>(&mut self) -> Parse<T> {
        let Token::Number(digits) = self.token else {
            return self.error("expected a number");
        };
        let Ok(number) = digits.parse() else {
            return self.error("the number is out of range");
        };
        self.advance();
        Ok(number)
    }

    /// Parses a decimal number with an optional sign.
    fn parse_signed<T: TryFrom<i64>>(&mut self) -> Parse<T> {
        let at = self.start;
        let sign = if self.eat('-') { -1 } else { 1 };
        let magnitude: u32 = self.parse_number()?;
        T::try_from(sign * i64::from(magnitude)).map_err(|_| Error {
            at,
            message: "the number is out of range".to_owned(),
        })
    }

    /// Parses `[n]`.
    fn parse_bracketed<T: std::str::FromStr>(&mut self) -> Parse<T> {
        self.expect('[')?;
        let number = self.parse_number()?;
        self.expect(']')?;
        Ok(number)
    }

    /// Parses an id with this prefix.
    fn parse_id<I: Id>(&mut self, prefix: &str) -> Parse<I> {
        let number = if let Token::Word(word) = self.token {
            split_id(word)
        } else {
            None
        };
        match number {
            Some((found, number)) if found == prefix => {
                self.advance();
                Ok(I::new(number))
            }
            _ => self.error(format!("expected an id such as `{prefix}0`")),
        }
    }

    /// Parses an id with this prefix that has an entry in a table.
    fn parse_declared_id<I: Id, T>(
        &mut self,
        prefix: &str,
        table: impl Fn(&Program) -> &IndexVec<I, T>,
    ) -> Parse<I> {
        let at = self.start;
        let id = self.parse_id::<I>(prefix)?;
        match table(&self.builder.program).get(id) {
            Some(_) => Ok(id),
            None => Err(Error {
                at,
                message: format!("{id:?} is not declared"),
            }),
        }
    }

    /// Parses the end of a line; returns the span in its comment.
    fn parse_line_end(&mut self) -> Parse<Span> {
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
            Token::Word(_)
            | Token::Number(_)
            | Token::Quoted(_)
            | Token::Mark(_)
            | Token::Span(_) => self.error("expected the end of the line"),
        }
    }

    fn skip_empty_lines(&mut self) {
        while matches!(self.token, Token::LineEnd | Token::Span(_)) {
            self.advance();
        }
    }

    fn parse_name(&mut self) -> Parse<Option<NameId>> {
        let Token::Quoted(text) = self.token else {
            return Ok(None);
        };
        let Some(name) = unescape(text) else {
            return self.error("wrong escape in a name");
        };
        self.advance();
        Ok(Some(self.builder.program.names.push(&name)))
    }
}

/// Splits an id into its prefix and its number; numbers have no leading zeros.
fn split_id(word: &str) -> Option<(&str, usize)> {
    let prefix = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &word[prefix.len()..];
    let number: u32 = digits.parse().ok()?;
    let canonical = digits == "0" || !digits.starts_with('0');
    (canonical && number < u32::MAX).then_some((prefix, number as usize))
}

fn unescape(text: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        name.push_str(before);
        if let Some(code) = escape.strip_prefix("u{") {
            let (digits, after) = code.split_once('}')?;
            name.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
            rest = after;
        } else {
            let quoted = escape.chars().next().filter(|&c| matches!(c, '"' | '\\'))?;
            name.push(quoted);
            rest = &escape[1..];
        }
    }
    name.push_str(rest);
    Some(name)
}

/// Routines and control flow.
impl Parser<'_> {
    fn parse_program(&mut self) -> Parse<()> {
        self.skip_empty_lines();
        self.expect_word("program")?;
        self.builder.program.stage = self.parse_named("a stage")?;
        self.parse_line_end()?;
        loop {
            self.skip_empty_lines();
            if self.eat_word("main") {
                break;
            } else if self.eat_word("routine") {
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
            self.error("expected the end of the text")
        }
    }

    fn parse_routine(&mut self) -> Parse<()> {
        let next = self.builder.program.routines.next_id();
        if self.parse_id::<RoutineId>("fn")? != next {
            return self.error_at_last(format!("the next routine is {next}"));
        }
        let name = self.parse_name()?;
        let (body, _) = self.parse_block()?;
        self.parse_line_end()?;
        self.builder.program.routines.push(Routine { name, body });
        Ok(())
    }

    /// Parses a block; returns it with the span after its opening brace.
    fn parse_block(&mut self) -> Parse<(BlockId, Span)> {
        self.expect('{')?;
        let span = self.parse_line_end()?;
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return self.error(format!("blocks are nested more than {MAX_NESTING} deep"));
        }
        self.builder.open_block();
        loop {
            self.skip_empty_lines();
            if self.eat('}') {
                break;
            }
            self.parse_statement()?;
        }
        self.depth -= 1;
        Ok((self.builder.close_block(), span))
    }

    fn parse_statement(&mut self) -> Parse<()> {
        let Token::Word(word) = self.token else {
            return self.error("expected a statement or `}`");
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

    fn parse_exit(&mut self, node: Node) -> Parse<()> {
        self.advance();
        self.parse_line_end()?;
        self.builder.node(node);
        Ok(())
    }

    fn parse_call(&mut self) -> Parse<()> {
        self.advance();
        let routine = self.parse_id("fn")?;
        let span = self.parse_line_end()?;
        self.builder.node(Node::Call(routine, span));
        Ok(())
    }

    fn parse_branch(&mut self) -> Parse<()> {
        self.advance();
        let cond = self.parse_cond()?;
        let (then, span) = self.parse_block()?;
        let otherwise = self.parse_second_block("else")?;
        self.builder.branch(cond, then, otherwise, span);
        Ok(())
    }

    fn parse_loop(&mut self) -> Parse<()> {
        self.advance();
        let (body, span) = self.parse_block()?;
        let continuing = self.parse_second_block("continuing")?;
        self.builder.node(Node::Loop {
            body,
            continuing,
            span,
        });
        Ok(())
    }

    /// Parses the optional second block of a node, and the end of the node's last line.
    fn parse_second_block(&mut self, word: &str) -> Parse<Option<BlockId>> {
        let block = if self.eat_word(word) {
            Some(self.parse_block()?.0)
        } else {
            None
        };
        self.parse_line_end()?;
        Ok(block)
    }

    fn parse_switch(&mut self) -> Parse<()> {
        self.advance();
        let selector = self.parse_lane()?;
        self.expect('{')?;
        let span = self.parse_line_end()?;
        let mut cases = Vec::new();
        let mut default = None;
        loop {
            self.skip_empty_lines();
            if self.eat('}') {
                break;
            } else if default.is_none() && self.eat_word("default") {
                default = self.parse_case_block()?.into();
            } else if default.is_none() && self.eat_word("case") {
                cases.push(self.parse_case()?);
            } else {
                return self.error("expected `}`, or `case` or `default` before the default block");
            }
        }
        self.parse_line_end()?;
        let switch = self.builder.program.switches.push(Switch {
            selector,
            cases,
            default,
            span,
        });
        self.builder.node(Node::Switch(switch));
        Ok(())
    }

    fn parse_case(&mut self) -> Parse<Case> {
        let mut values = Vec::new();
        loop {
            values.push(self.parse_number()?);
            if !self.eat(',') {
                break;
            }
        }
        Ok(Case {
            values,
            block: self.parse_case_block()?,
        })
    }

    fn parse_case_block(&mut self) -> Parse<BlockId> {
        let (block, _) = self.parse_block()?;
        self.parse_line_end()?;
        Ok(block)
    }
}

#[cfg(test)]
mod tests;
