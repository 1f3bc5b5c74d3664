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

impl Checker<'_> {
    /// What options have taken from the limits.
    pub(super) fn reserved(&self) -> Reserved {
        let features = self.program.features;
        let fog = |instructions| Reserved {
            temporaries: 1,
            parameters: 2,
            attribs: 1,
            instructions,
        };
        if features.contains(Features::FOG_EXP) {
            fog(3)
        } else if features.contains(Features::FOG_EXP2) {
            fog(4)
        } else if features.contains(Features::FOG_LINEAR) {
            fog(2)
        } else if features.contains(Features::POSITION_INVARIANT) {
            Reserved {
                instructions: 4,
                ..Reserved::default()
            }
        } else {
            Reserved::default()
        }
    }

    /// Limits that count over the whole program.
    pub(super) fn whole_limits(&mut self) {
        let reserved = self.reserved();
        let limit = limits::INSTRUCTIONS - reserved.instructions;
        // The parser has reported programs beyond the limit itself.
        if (limit + 1..=limits::INSTRUCTIONS).contains(&(self.syntax.ast.inst_count as usize)) {
            let message = format!("more than {limit} instructions");
            self.whole(Code::TooManyInstructions, message);
        }
        if let Some(limit) = self.facts.attributes {
            return self.whole_attribs(limit - reserved.attribs as usize);
        }
        let attrib_limit = limits::ATTRIB_COMPONENTS - reserved.attribs;
        let result_limit = limits::RESULT_COMPONENTS;
        // Every binding has four components at most, so that small programs need no counting.
        if 4 * self.program.attribs.len() as u32 > attrib_limit {
            let count = self.program.attrib_components();
            if count > attrib_limit {
                let message = format!(
                    "{count} components of attributes are used; the limit is {attrib_limit}"
                );
                self.whole(Code::TooManyAttribComponents, message);
            }
        }
        if 4 * self.program.results.len() as u32 > result_limit {
            let count = self.program.result_components();
            if count > result_limit {
                let message = format!(
                    "{count} components of results are written; the limit is {result_limit}"
                );
                self.whole(Code::TooManyResultComponents, message);
            }
        }
    }
}
