//! Limits that options lower, and limits on the components of all attributes and results.
//! NV_gpu_program4 sections 2.X.3.2 and 2.X.3.5; NV_vertex_program4 and NV_fragment_program4 section 2.X.6.Y.

use super::Checker;
use crate::codes::Code;
use crate::lang::limits;
use crate::lang::options::Features;
use crate::vars::IoBinding;
use rustc_hash::FxHashSet;

/// What code that options add to a program takes from its limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Reserved {
    pub(super) temporaries: u64,
    pub(super) parameters: u64,
    attribs: u32,
    instructions: usize,
}

/// What options take; of several the first one counts, as fog options exclude each other.
/// ARB_fragment_program section 3.11.4.5.1, ARB_vertex_program section 2.14.4.5.1.
static RESERVED: &[(Features, Reserved)] = &[
    (Features::FOG_EXP, Reserved::fog(3)),
    (Features::FOG_EXP2, Reserved::fog(4)),
    (Features::FOG_LINEAR, Reserved::fog(2)),
    (
        Features::POSITION_INVARIANT,
        Reserved {
            temporaries: 0,
            parameters: 0,
            attribs: 0,
            // Four dot products with the rows of the matrix.
            instructions: 4,
        },
    ),
];

impl Reserved {
    /// Fog needs its coordinate, two parameters of state and a place for the factor.
    const fn fog(instructions: usize) -> Self {
        Self {
            temporaries: 1,
            parameters: 2,
            // "2 params, 1 temp, 1 attribute": ARB_fragment_program issue 29 has the code that does it.
            attribs: 1,
            instructions,
        }
    }
}

impl Checker<'_> {
    /// What options have taken from the limits.
    pub(super) fn reserved(&self) -> Reserved {
        let enabled =
            |(feature, _): &&(Features, Reserved)| self.program.features.contains(*feature);
        let found = RESERVED.iter().find(enabled);
        found.map_or_else(Reserved::default, |&(_, reserved)| reserved)
    }

    /// Limits that count over the whole program.
    pub(super) fn whole_limits(&mut self) {
        let reserved = self.reserved();
        // Options take less than the limit, so this cannot be negative; so in all differences below.
        let limit = limits::INSTRUCTIONS - reserved.instructions;
        // The parser has reported programs beyond the limit itself.
        if (limit + 1..=limits::INSTRUCTIONS).contains(&(self.ast.inst_count as usize)) {
            let message = format!("more than {limit} instructions");
            self.whole(Code::TooManyInstructions, message);
        }
        if let Some(limit) = self.facts.attributes {
            // ARB programs have a limit of attributes, whatever components of them are used.
            return self.whole_attribs(limit - reserved.attribs as usize);
        }
        let [attribs, results] = self.may_exceed_components();
        if attribs {
            let limit = limits::ATTRIB_COMPONENTS - reserved.attribs;
            let count = self.program.attrib_components();
            let what = "components of attributes are used";
            self.component_limit(count, limit, Code::TooManyAttribComponents, what);
        }
        // Apart from the limits of results: each vertex that is emitted counts anew.
        if self.may_exceed_output() {
            self.output_components();
        }
        if results {
            let limit = limits::RESULT_COMPONENTS;
            let count = self.program.result_components();
            let what = "components of results are written";
            self.component_limit(count, limit, Code::TooManyResultComponents, what);
        }
    }

    /// Whether there are so many attributes, so many results that their components have to be counted: each has four at most.
    pub(super) fn may_exceed_components(&self) -> [bool; 2] {
        if self.facts.attributes.is_some() {
            return [false; 2];
        }
        let attribs = limits::ATTRIB_COMPONENTS - self.reserved().attribs;
        [
            may_exceed(&self.program.attribs, attribs),
            may_exceed(&self.program.results, limits::RESULT_COMPONENTS),
        ]
    }

    fn component_limit(&mut self, count: u32, limit: u32, code: Code, what: &str) {
        if count > limit {
            self.whole(code, format!("{count} {what}; the limit is {limit}"));
        }
    }
}

/// Whether bindings may have more components than a limit. Those of several vertices count once.
fn may_exceed(bindings: &[IoBinding], limit: u32) -> bool {
    let is_many = |count: usize| 4 * count as u32 > limit;
    is_many(bindings.len()) && {
        let semantics: FxHashSet<_> = bindings.iter().map(IoBinding::counted).collect();
        is_many(semantics.len())
    }
}
