//! Facts about ARB_vertex_program, ARB_fragment_program and their options that no other family
//! shares.

pub mod limits;
pub mod opcodes;

use crate::lang::modifiers::Mods;
use crate::lang::options::Features;
use glasm_ir::Stage;

/// An opcode in programs of one type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// Features that options must have enabled.
    pub needs: Features,
    /// Suffixes that exist once the options for them are enabled.
    pub mods: Mods,
    /// Suffixes that one more feature adds.
    pub more: (Features, Mods),
}

/// An opcode in vertex and in fragment programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Forms {
    /// Form in vertex programs.
    pub vertex: Option<Form>,
    /// Form in fragment programs.
    pub fragment: Option<Form>,
}

impl Forms {
    /// Opcodes of other families.
    pub const NONE: Self = Self {
        vertex: None,
        fragment: None,
    };

    /// Returns the form in programs of a type.
    #[inline]
    pub fn of(&self, stage: Stage) -> Option<Form> {
        if stage == Stage::Vertex {
            self.vertex
        } else {
            self.fragment
        }
    }
}

/// Returns the feature that each suffix needs in programs of a type; suffixes that are not listed
/// do not exist there.
pub fn suffix_needs(stage: Stage) -> &'static [(Mods, Features)] {
    if stage == Stage::Vertex {
        VERTEX_SUFFIXES
    } else {
        FRAGMENT_SUFFIXES
    }
}

static VERTEX_SUFFIXES: &[(Mods, Features)] = &[
    // NV_vertex_program2_option has the suffix C only; NV_vertex_program3 adds C0, C1 and _SAT.
    (Mods::CC0, Features::NV_VERTEX_2),
    (Mods::CC1, Features::NV_VERTEX_3),
    (Mods::NUMBERED, Features::NV_VERTEX_3),
    (Mods::SAT, Features::NV_VERTEX_3),
];

static FRAGMENT_SUFFIXES: &[(Mods, Features)] = &[
    // ARB_fragment_program itself defines _SAT.
    (Mods::SAT, Features::empty()),
    (Mods::SSAT, Features::NV_FRAGMENT_2),
    (Mods::CC0, Features::NV_FRAGMENT),
    (Mods::FULL, Features::NV_FRAGMENT),
    (Mods::HALF, Features::NV_FRAGMENT),
    (Mods::FIXED, Features::NV_FRAGMENT),
];
