//! Prints a [`Program`] in the text form that `compiler/ir/TEXT.md` defines and
//! [`parse`](crate::parse()) parses.
//!
//! Any program can be printed, including programs that the verifier rejects: ids without an entry
//! are printed unchanged, and a block that is used a second time is printed as a comment.

mod decl;
mod inst;

use std::fmt::{self, Display, Formatter, Write};

use crate::arena::Id;
use crate::inst::{Cond, Inst};
use crate::program::{BlockId, Node, Program, SwitchId};
use crate::span::Span;
use crate::text_keywords::Word;

/// Maximum nesting depth of blocks; deeper blocks are printed as a comment.
const MAX_DEPTH: usize = 512;

/// Returns the text form of `program`.
pub fn print(program: &Program) -> String {
    program.to_string()
}

/// Returns the text form of one instruction, without its span.
pub fn print_inst(program: &Program, inst: &Inst) -> String {
    InstText { program, inst }.to_string()
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut printer = Printer {
            program: self,
            f,
            printed: vec![false; self.blocks.len()],
            depth: 0,
        };
        printer.print_header()?;
        printer.print_registers()?;
        printer.print_resources()?;
        printer.print_routines()
    }
}

struct InstText<'a> {
    program: &'a Program,
    inst: &'a Inst,
}

impl Display for InstText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Printer {
            program: self.program,
            f,
            printed: Vec::new(),
            depth: 0,
        }
        .print_inst(self.inst)
    }
}

struct Printer<'a, 'b, 'c> {
    program: &'a Program,
    f: &'b mut Formatter<'c>,
    /// True for blocks that have already been printed.
    printed: Vec<bool>,
    depth: usize,
}

impl Printer<'_, '_, '_> {
    fn print_routines(&mut self) -> fmt::Result {
        for (id, routine) in self.program.routines.iter_enumerated() {
            write!(self.f, "routine {id}")?;
            self.print_name(routine.name)?;
            self.f.write_char(' ')?;
            self.print_block(routine.body, Span::default())?;
            self.f.write_char('\n')?;
        }
        writeln!(self.f, "main {}", self.program.main)
    }

    fn begin_line(&mut self) -> fmt::Result {
        (0..self.depth).try_for_each(|_| self.f.write_str("  "))
    }

    fn print_span(&mut self, span: Span) -> fmt::Result {
        if span == Span::default() {
            Ok(())
        } else {
            write!(self.f, "    ; {span:?}")
        }
    }

    /// Prints `{ ... }`, without a line end; `span` follows the opening brace.
    fn print_block(&mut self, id: BlockId, span: Span) -> fmt::Result {
        self.f.write_char('{')?;
        self.print_span(span)?;
        self.f.write_char('\n')?;
        self.depth += 1;
        match self.printed.get_mut(id.index()) {
            Some(printed) if !*printed && self.depth <= MAX_DEPTH => {
                *printed = true;
                self.print_nodes(id)?;
            }
            _ => {
                self.begin_line()?;
                writeln!(self.f, "; {id}")?;
            }
        }
        self.depth -= 1;
        self.begin_line()?;
        self.f.write_char('}')
    }

    fn print_nodes(&mut self, id: BlockId) -> fmt::Result {
        let program = self.program;
        let block = program.blocks[id];
        for node in program
            .nodes
            .iter()
            .skip(block.first as usize)
            .take(block.len as usize)
        {
            self.print_node(node)?;
        }
        Ok(())
    }

    fn print_node(&mut self, node: &Node) -> fmt::Result {
        if let Node::Run { first, len } = *node {
            return self.print_run(first, len);
        }
        self.begin_line()?;
        match *node {
            Node::Run { .. } => {}
            Node::If {
                cond,
                then,
                otherwise,
                span,
            } => {
                self.f.write_str("if ")?;
                self.print_cond(cond)?;
                self.f.write_char(' ')?;
                self.print_block(then, span)?;
                self.print_second_block("else", otherwise)?;
            }
            Node::Loop {
                body,
                continuing,
                span,
            } => {
                self.f.write_str("loop ")?;
                self.print_block(body, span)?;
                self.print_second_block("continuing", continuing)?;
            }
            Node::Switch(id) => self.print_switch(id)?,
            Node::Break => self.f.write_str("break")?,
            Node::Continue => self.f.write_str("continue")?,
            Node::Call(routine, span) => {
                write!(self.f, "call {routine}")?;
                self.print_span(span)?;
            }
            Node::Return => self.f.write_str("return")?,
        }
        self.f.write_char('\n')
    }

    fn print_second_block(&mut self, word: &str, block: Option<BlockId>) -> fmt::Result {
        let Some(block) = block else { return Ok(()) };
        write!(self.f, " {word} ")?;
        self.print_block(block, Span::default())
    }

    fn print_run(&mut self, first: u32, len: u32) -> fmt::Result {
        let program = self.program;
        for inst in program.insts.iter().skip(first as usize).take(len as usize) {
            self.begin_line()?;
            self.print_inst(inst)?;
            self.print_span(inst.span)?;
            self.f.write_char('\n')?;
        }
        Ok(())
    }

    fn print_switch(&mut self, id: SwitchId) -> fmt::Result {
        let Some(switch) = self.program.switches.get(id) else {
            return write!(self.f, "; {id}");
        };
        self.f.write_str("switch ")?;
        self.print_lane(switch.selector)?;
        self.f.write_str(" {")?;
        self.print_span(switch.span)?;
        self.f.write_char('\n')?;
        self.depth += 1;
        for case in &switch.cases {
            self.begin_line()?;
            self.f.write_str("case ")?;
            for (position, value) in case.values.iter().enumerate() {
                write!(self.f, "{}{value}", if position == 0 { "" } else { ", " })?;
            }
            self.f.write_char(' ')?;
            self.print_block(case.block, Span::default())?;
            self.f.write_char('\n')?;
        }
        if let Some(default) = switch.default {
            self.begin_line()?;
            self.f.write_str("default ")?;
            self.print_block(default, Span::default())?;
            self.f.write_char('\n')?;
        }
        self.depth -= 1;
        self.begin_line()?;
        self.f.write_char('}')
    }

    fn print_cond(&mut self, cond: Cond) -> fmt::Result {
        match cond {
            Cond::Any(guard) => {
                self.f.write_str("any(")?;
                self.print_guard(guard)?;
                self.f.write_char(')')
            }
            Cond::NonZero(register, lane, ty) => {
                write!(self.f, "nonzero.{} ", ty.word())?;
                self.print_lane((register, lane))
            }
        }
    }
}
