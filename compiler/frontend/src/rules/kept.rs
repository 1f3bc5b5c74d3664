//! Lists that checkers use one after the other.

use super::blocks::Flow;
use super::usage::Usage;
use super::uses::Uses;
use crate::lang::bindings::BindingInfo;
use crate::lang::options::Group;
use crate::line::Lines;
use crate::names::NameId;
use crate::statement::VarMods;
use crate::syntax::SyntaxMemory;
use crate::vars::{BufferLayout, Implicit, IoBinding, Var, VarSize};
use glasm_ir::{ParamSource, Semantic};
use rustc_hash::FxHashMap;

/// What is kept of a program that was checked.
#[derive(Debug, Default)]
pub(crate) struct RuleMemory {
    pub(super) syntax: SyntaxMemory,
    pub(super) vars: Vec<Var>,
    pub(super) attribs: Vec<IoBinding>,
    pub(super) params: Vec<ParamSource>,
    pub(super) named_params: Vec<(NameId, [u32; 4])>,
    pub(super) results: Vec<IoBinding>,
    pub(super) implicit: FxHashMap<Implicit, u32>,
    pub(super) io_elements: Vec<(&'static BindingInfo, u32)>,
    pub(super) uses: Vec<Uses>,
    pub(super) flow: Flow,
    pub(super) lines: Lines,
    pub(super) usage: Usage,
    pub(super) option_groups: Vec<(Group, &'static str)>,
    pub(super) interpolation: FxHashMap<Semantic, VarMods>,
    pub(super) result_sizes: FxHashMap<Semantic, VarSize>,
    pub(super) unit_targets: FxHashMap<u32, u8>,
    pub(super) buffer_layouts: FxHashMap<u32, BufferLayout>,
}
