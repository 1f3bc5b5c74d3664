//! Context of the rules for declarations, and tables of bindable declarations.

use crate::ast::DeclKind;
use crate::check::names::resolver::Resolver;
use crate::lang::bindings::BindingInfo;
use crate::lang::options::Features;
use crate::names::NameId;
use crate::vars::BufferLayout;
use rustc_hash::FxHashMap;

/// Requirement for a declaration to exist.
#[derive(Clone, Copy)]
pub(super) enum Needs {
    Nothing,
    /// Language version 5.0.
    Version,
    Option(Features),
    /// An option before language version 5.0.
    VersionOrOption(Features),
}

/// Declarations that take bindings: kind, word, description of the bindings, requirement.
pub(super) static BOUND: &[(DeclKind, &str, &str, Needs)] = &[
    (DeclKind::Attrib, "ATTRIB", "an attribute", Needs::Nothing),
    (DeclKind::Output, "OUTPUT", "a result", Needs::Nothing),
    (
        DeclKind::Param,
        "PARAM",
        "a parameter or a constant",
        Needs::Nothing,
    ),
    (DeclKind::Buffer, "BUFFER", "program.buffer", Needs::Nothing),
    (
        DeclKind::Buffer4,
        "BUFFER4",
        "program.buffer",
        Needs::Nothing,
    ),
    (
        DeclKind::Cbuffer,
        "CBUFFER",
        "program.buffer",
        Needs::VersionOrOption(Features::CBUFFER),
    ),
    (
        DeclKind::Storage,
        "STORAGE",
        "program.storage",
        Needs::Option(Features::STORAGE_BUFFER),
    ),
    (
        DeclKind::Counter,
        "COUNTER",
        "program.counter",
        Needs::Option(Features::ATOMIC_COUNTERS),
    ),
    (
        DeclKind::Shared,
        "SHARED",
        "program.sharedmem",
        Needs::Nothing,
    ),
    (
        DeclKind::Texture,
        "TEXTURE",
        "a texture image unit",
        Needs::Version,
    ),
    (DeclKind::Image, "IMAGE", "an image unit", Needs::Version),
    (
        DeclKind::Subroutine,
        "SUBROUTINE",
        "program.subroutine",
        Needs::Version,
    ),
];

/// State that declarations count and compare.
#[derive(Debug, Default)]
pub(crate) struct DeclarationState {
    /// Attributes or results of the current declaration, by entry and number.
    pub(crate) io_elements: Vec<(&'static BindingInfo, u32)>,
    /// Number of elements of temporaries.
    pub(crate) temporaries: u64,
    /// Number of address registers.
    pub(crate) addresses: u64,
    /// Number of elements of parameter arrays.
    pub(crate) parameters: u64,
    /// The type of each `program.subroutine[n]`.
    pub(crate) subroutine_params: FxHashMap<u32, NameId>,
    /// Layout of each program parameter buffer, BUFFER or BUFFER4.
    pub(crate) buffer_layouts: FxHashMap<u32, BufferLayout>,
}

impl DeclarationState {
    /// Removes all entries.
    pub(crate) fn reset(&mut self) {
        self.io_elements.clear();
        (self.temporaries, self.addresses, self.parameters) = (0, 0, 0);
        self.subroutine_params.clear();
        self.buffer_layouts.clear();
    }
}

/// Rules for declarations, which create variables.
pub(crate) struct DeclarationRules<'r, 'a, 's> {
    pub(crate) resolver: &'r mut Resolver<'a, 's>,
    pub(crate) state: &'r mut DeclarationState,
}
