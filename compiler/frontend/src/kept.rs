//! Memory that translations use one after the other: the long lists of every stage.
//!
//! Without it, a caller that translates often would give back and ask for the same pages each time, which costs as much as a
//! whole stage.

use crate::ast::{Ast, Extra, Inst, Literal, Operand, Path, Relative, Segment, Statement, TexPart};
use crate::line::Lines;
use crate::names::NameTables;
use crate::parse::Word;
use glasm_ir::{Program, Stage};

/// Lists without content that keep their memory. Every translation leaves it larger or as it was.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) names: NameTables,
    pub(crate) words: Vec<Word>,
    pub(crate) statements: Vec<Statement>,
    pub(crate) insts: Vec<Inst>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) extras: Vec<Extra>,
    pub(crate) paths: Vec<Path>,
    pub(crate) segments: Vec<Segment>,
    pub(crate) relatives: Vec<Relative>,
    pub(crate) literals: Vec<Literal>,
    pub(crate) textures: Vec<TexPart>,
    pub(crate) lines: Lines,
    program: Option<Program>,
}

impl Scratch {
    /// No memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the lists of a program that is no longer needed.
    pub fn recycle(&mut self, program: Program) {
        self.program = Some(program);
    }

    /// An empty program.
    pub(crate) fn program(&mut self, stage: Stage) -> Program {
        match self.program.take() {
            Some(program) => program.emptied(stage),
            None => Program::new(stage),
        }
    }

    /// Takes the lists of a tree that is no longer needed.
    pub(crate) fn keep_ast(&mut self, ast: Ast<'_>) {
        self.names = ast.names.into_tables();
        self.statements = ast.statements;
        self.insts = ast.insts;
        self.operands = ast.operands;
        self.extras = ast.extras;
        self.paths = ast.paths;
        self.segments = ast.segments;
        self.relatives = ast.relatives;
        self.literals = ast.literals;
        self.textures = ast.textures;
    }
}

/// A kept list, emptied, with room for so many.
pub(crate) fn take<T>(kept: &mut Vec<T>, room: usize) -> Vec<T> {
    let mut list = std::mem::take(kept);
    list.clear();
    list.reserve(room);
    list
}
