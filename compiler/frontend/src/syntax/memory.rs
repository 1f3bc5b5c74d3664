//! Lists that readers of programs use one after the other.

use super::vocabulary::Word;
use crate::memory::{take, take_map};
use crate::names::{NameId, NameTables, Names};
use crate::source::Dialect;
use crate::statement::{
    Decl, Index, Item, Literal, Operand, Path, Reading, Relative, Segment, TexPart,
};
use rustc_hash::FxHashMap;

/// What is kept of a text that was read.
#[derive(Debug, Default)]
pub(crate) struct SyntaxMemory {
    names: NameTables,
    pub(super) words: Vec<Word>,
    decls: Vec<Decl>,
    items: Vec<Item>,
    operands: Vec<Operand>,
    paths: Vec<Path>,
    segments: Vec<Segment>,
    pairs: Vec<[Index; 2]>,
    relatives: Vec<Relative>,
    literals: Vec<Literal>,
    numbers: FxHashMap<NameId, Literal>,
    textures: Vec<TexPart>,
}

impl SyntaxMemory {
    /// Nothing that was read yet of a text.
    pub(super) fn reading<'s>(&mut self, dialect: Dialect, text: &'s [u8]) -> Reading<'s> {
        let names = std::mem::take(&mut self.names);
        Reading {
            names: Names::new(text, dialect.facts().reserved_words, names),
            decls: take(&mut self.decls),
            items: take(&mut self.items),
            operands: take(&mut self.operands),
            paths: take(&mut self.paths),
            segments: take(&mut self.segments),
            pairs: take(&mut self.pairs),
            relatives: take(&mut self.relatives),
            literals: take(&mut self.literals),
            numbers: take_map(&mut self.numbers),
            textures: take(&mut self.textures),
            ..Reading::new(dialect, text)
        }
    }

    /// Takes the lists of a program that was read.
    pub(super) fn keep(&mut self, reading: Reading<'_>) {
        self.names = reading.names.into_tables();
        self.decls = reading.decls;
        self.items = reading.items;
        self.operands = reading.operands;
        self.paths = reading.paths;
        self.segments = reading.segments;
        self.pairs = reading.pairs;
        self.relatives = reading.relatives;
        self.literals = reading.literals;
        self.numbers = reading.numbers;
        self.textures = reading.textures;
    }
}
