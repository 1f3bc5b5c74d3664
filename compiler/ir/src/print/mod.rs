//! Prints a [`Program`] in the text form that `compiler/ir/TEXT.md` defines and
//! [`parse`](crate::parse()) parses.
//!
//! Any program can be printed, including programs that the verifier rejects: ids without an entry
//! are printed unchanged, and a block that is used a second time is printed as a comment.

mod declarations;
mod inst;

use std::fmt::{self, Display, Formatter, Write};

use crate::arena::Id;
use crate::inst::{Cond, Inst};
use crate::program::{BlockId, Node, Program, SwitchId};
use crate::span::Span;
use crate::text_keywords::Keyword;

/// Maximum nesting depth of blocks; deeper blocks are printed as a comment.
const MAX_DEPTH: usize = 512;

/// Returns the text form of `program`.
pub fn print(program: &Program) -> String {
    program.to_string()
}

/// Returns the text form of one instruction, without its span.
pub fn print_inst(program: &Program, inst: &Inst) -> String {
    DisplayInst { program, inst }.to_string()
}

impl Display for Program {
    /// Writes the text form of the program, which need not be valid.
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

struct DisplayInst<'a> {
    program: &'a Program,
    inst: &'a Inst,
}

impl Display for DisplayInst<'_> {
    /// Writes the instruction on one line, without its span.
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
    /// Prints all routines, and the line that names the main one.
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

    /// Prints two spaces for each open block.
    fn print_indentation(&mut self) -> fmt::Result {
        (0..self.depth).try_for_each(|_| self.f.write_str("  "))
    }

    /// Prints a span as a comment; nothing for the default span.
    fn print_span(&mut self, span: Span) -> fmt::Result {
        if span == Span::default() {
            Ok(())
        } else {
            write!(self.f, "    ; {span:?}")
        }
    }

    /// Prints `{ ... }`, without a line end; `span` follows the opening brace. A block that has
    /// been printed, is nested too deeply or is not in the table is printed as its id in a comment.
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
                self.print_indentation()?;
                writeln!(self.f, "; {id}")?;
            }
        }
        self.depth -= 1;
        self.print_indentation()?;
        self.f.write_char('}')
    }

    /// Prints the nodes of a block; omits those that are not in the table.
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

    /// Prints a node with its inner blocks; a run is printed as its instructions.
    fn print_node(&mut self, node: &Node) -> fmt::Result {
        if let Node::Run { first, len } = *node {
            return self.print_run(first, len);
        }
        self.print_indentation()?;
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
                self.print_optional_block("else", otherwise)?;
            }
            Node::Loop {
                body,
                continuing,
                span,
            } => {
                self.f.write_str("loop ")?;
                self.print_block(body, span)?;
                self.print_optional_block("continuing", continuing)?;
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

    /// Prints the keyword `word` and a block; nothing for `None`.
    fn print_optional_block(&mut self, word: &str, block: Option<BlockId>) -> fmt::Result {
        let Some(block) = block else { return Ok(()) };
        write!(self.f, " {word} ")?;
        self.print_block(block, Span::default())
    }

    /// Prints the instructions of a run with their spans, one per line; omits those that are not in
    /// the table.
    fn print_run(&mut self, first: u32, len: u32) -> fmt::Result {
        let program = self.program;
        for inst in program.insts.iter().skip(first as usize).take(len as usize) {
            self.print_indentation()?;
            self.print_inst(inst)?;
            self.print_span(inst.span)?;
            self.f.write_char('\n')?;
        }
        Ok(())
    }

    /// Prints a switch with its cases and its default; only its id, as a comment, if it is not in
    /// the table.
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
            self.print_indentation()?;
            self.f.write_str("case ")?;
            for (position, value) in case.values.iter().enumerate() {
                write!(self.f, "{}{value}", if position == 0 { "" } else { ", " })?;
            }
            self.f.write_char(' ')?;
            self.print_block(case.block, Span::default())?;
            self.f.write_char('\n')?;
        }
        if let Some(default) = switch.default {
            self.print_indentation()?;
            self.f.write_str("default ")?;
            self.print_block(default, Span::default())?;
            self.f.write_char('\n')?;
        }
        self.depth -= 1;
        self.print_indentation()?;
        self.f.write_char('}')
    }

    /// Prints a condition: `any(...)` with a guard, or `nonzero` with type and register lane.
    fn print_cond(&mut self, cond: Cond) -> fmt::Result {
        match cond {
            Cond::Any(guard) => {
                self.f.write_str("any(")?;
                self.print_guard(guard)?;
                self.f.write_char(')')
            }
            Cond::NonZero(register, lane, ty) => {
                write!(self.f, "nonzero.{} ", ty.keyword())?;
                self.print_lane((register, lane))
            }
        }
    }
}
