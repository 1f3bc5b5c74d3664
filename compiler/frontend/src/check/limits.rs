//! Limits that options lower, and limits on the components of all attributes and results.
//! NV_gpu_program4 sections 2.X.3.2 and 2.X.3.5; NV_vertex_program4 and NV_fragment_program4 section 2.X.6.Y.

use super::Checker;
use crate::codes::Code;
use crate::lang::limits;
use crate::lang::options::Features;

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

    /// Checks limits that count over the whole program.
    pub(super) fn check_program_limits(&mut self) {
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
            return self.check_program_attribs(limit - reserved.attribs as usize);
        }
        self.check_attrib_components(limits::ATTRIB_COMPONENTS - reserved.attribs);
        self.check_result_components(limits::RESULT_COMPONENTS);
    }

    fn check_attrib_components(&mut self, limit: u32) {
        // Four components for each binding are the most, so that most programs need no count; so for results.
        if 4 * self.program.attribs.len() as u32 <= limit {
            return;
        }
        let count = self.program.attrib_components();
        if count > limit {
            let message =
                format!("{count} components of attributes are used; the limit is {limit}");
            self.whole(Code::TooManyAttribComponents, message);
        }
    }

    fn check_result_components(&mut self, limit: u32) {
        let most = 4 * self.program.results.len() as u32;
        let total_limit = limits::TOTAL_OUTPUT_COMPONENTS;
        if most <= limit && self.count_emitted_components(most) <= total_limit {
            return;
        }
        let count = self.program.result_components();
        // Apart from the limit of results: each vertex that is emitted counts anew.
        let total = self.count_emitted_components(count);
        if total > total_limit {
            let message = format!("{total} components in all vertices; the limit is {total_limit}");
            self.whole(Code::TooManyOutputComponents, message);
        }
        if count > limit {
            let message =
                format!("{count} components of results are written; the limit is {limit}");
            self.whole(Code::TooManyResultComponents, message);
        }
    }
}
