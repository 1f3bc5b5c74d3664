//! Lists that checkers use one after the other.

use super::blocks::Flow;
use super::checker::Symbol;
use super::usage::Usage;
use crate::ast::{Literal, Relative, VarMods};
use crate::lang::bindings::BindingInfo;
use crate::lang::options::Group;
use crate::line::{Lines, Value};
use crate::names::NameId;
use crate::syntax::SyntaxMemory;
use crate::vars::{BufferLayout, Implicit, IoBinding, Var, VarSize};
use glasm_ir::flow::Cfg;
use glasm_ir::{ParamSource, Semantic};
use rustc_hash::FxHashMap;

/// What is kept of a program that was checked.
#[derive(Debug, Default)]
pub(crate) struct RuleMemory {
    pub(crate) syntax: SyntaxMemory,
    pub(super) vars: Vec<Var>,
    pub(super) attribs: Vec<IoBinding>,
    pub(super) params: Vec<ParamSource>,
    pub(super) named_params: Vec<(NameId, [u32; 4])>,
    pub(super) results: Vec<IoBinding>,
    pub(super) implicit: FxHashMap<Implicit, u32>,
    pub(super) io_elements: Vec<(&'static BindingInfo, u32)>,
    pub(super) symbols: Vec<Symbol>,
    pub(super) numbers: FxHashMap<NameId, Literal>,
    pub(super) relatives: Vec<Relative<Value>>,
    pub(super) flow: Flow,
    pub(super) cfg: Option<Cfg>,
    pub(super) lines: Lines,
    pub(super) usage: Usage,
    pub(super) option_groups: Vec<(Group, &'static str)>,
    pub(super) interpolation: FxHashMap<Semantic, VarMods>,
    pub(super) result_sizes: FxHashMap<Semantic, VarSize>,
    pub(super) unit_targets: FxHashMap<u32, u8>,
    pub(super) buffer_layouts: FxHashMap<u32, BufferLayout>,
}
