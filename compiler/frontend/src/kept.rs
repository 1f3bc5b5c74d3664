//! Memory that translations use one after the other: the long lists of every stage.
//!
//! Without it, a caller that translates often would give back and ask for the same pages each time, which costs as much as a
//! whole stage.

use crate::lang::bindings::BindingInfo;
use crate::lang::options::Group;
use crate::line::Lines;
use crate::lower::tables::Tables;
use crate::names::{NameId, NameTables};
use crate::rules::{Flow, Uses};
use crate::statement::{
    Decl, Index, Item, Literal, Operand, Path, Reading, Relative, Segment, TexPart, VarMods,
};
use crate::syntax::Word;
use crate::tgsi;
use crate::vars::{BufferLayout, Implicit, IoBinding, Var, VarSize};
use glasm_ir::{BuilderMemory, ParamSource, Program, Semantic, Stage};
use rustc_hash::FxHashMap;

/// Empty lists that keep their memory for the next program. Memory grows to what the largest program needed.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) names: NameTables,
    pub(crate) words: Vec<Word>,
    pub(crate) decls: Vec<Decl>,
    pub(crate) items: Vec<Item>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) paths: Vec<Path>,
    pub(crate) segments: Vec<Segment>,
    pub(crate) pairs: Vec<[Index; 2]>,
    pub(crate) relatives: Vec<Relative>,
    pub(crate) literals: Vec<Literal>,
    pub(crate) numbers: FxHashMap<NameId, Literal>,
    pub(crate) textures: Vec<TexPart>,
    pub(crate) vars: Vec<Var>,
    pub(crate) attribs: Vec<IoBinding>,
    pub(crate) params: Vec<ParamSource>,
    pub(crate) named_params: Vec<(NameId, [u32; 4])>,
    pub(crate) results: Vec<IoBinding>,
    pub(crate) implicit: FxHashMap<Implicit, u32>,
    pub(crate) io_elements: Vec<(&'static BindingInfo, u32)>,
    pub(crate) uses: Vec<Uses>,
    pub(crate) maps: RuleMaps,
    pub(crate) flow: Flow,
    pub(crate) lines: Lines,
    pub(crate) lowering: Tables,
    pub(crate) builder: BuilderMemory,
    pub(crate) tgsi: tgsi::Memory,
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

    /// Takes the lists of a program that was read.
    pub(crate) fn keep_lists(&mut self, reading: Reading<'_>) {
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

/// What rules note by number or meaning.
#[derive(Debug, Default)]
pub(crate) struct RuleMaps {
    pub(crate) option_groups: Vec<(Group, &'static str)>,
    pub(crate) interpolation: FxHashMap<Semantic, VarMods>,
    pub(crate) result_sizes: FxHashMap<Semantic, VarSize>,
    pub(crate) unit_targets: FxHashMap<u32, u8>,
    pub(crate) buffer_layouts: FxHashMap<u32, BufferLayout>,
}

/// A kept list, emptied.
pub(crate) fn take<T>(kept: &mut Vec<T>) -> Vec<T> {
    let mut list = std::mem::take(kept);
    list.clear();
    list
}

/// A kept map, emptied.
pub(crate) fn take_map<K, V>(kept: &mut FxHashMap<K, V>) -> FxHashMap<K, V> {
    let mut map = std::mem::take(kept);
    map.clear();
    map
}
