//! Critical sections of fragment programs: FSIB and FSIE. NV_fragment_shader_interlock section 2.X.8.Z.

use super::Checker;
use super::blocks::Section;
use crate::codes::Code;
use crate::lang::opcodes::FlowOp;
use crate::lang::options::Features;
use glasm_ir::flow::BasicBlockId;

impl Checker<'_> {
    /// Checks that with an interlock option there are exactly one FSIB and, after it, one FSIE, both at the outermost level of the main
    /// routine.
    pub(super) fn check_interlocks(&mut self, sections: &[Section], main: BasicBlockId) {
        if !self.program.features.intersects(Features::INTERLOCK) {
            if let Some(section) = sections.first() {
                let message = "FSIB and FSIE need OPTION NV_pixel_interlock_ordered or one like it";
                self.error(Code::FeatureOption, section.span, message);
            }
            return;
        }
        // One message for each section; where it stands comes before how many there are.
        for (number, section) in sections.iter().enumerate() {
            let mut before = sections[..number].iter();
            let message = if section.in_block {
                "FSIB and FSIE stand outside of IF and REP"
            } else if section.block != main {
                "FSIB and FSIE stand in the main routine"
            } else if before.any(|other| other.op == section.op) {
                "a program has one FSIB and one FSIE"
            } else if number == 0 && section.op == FlowOp::InterlockEnd {
                "FSIE without FSIB before it"
            } else {
                continue;
            };
            self.error(Code::Interlock, section.span, message);
        }
        let has = |op| sections.iter().any(|section| section.op == op);
        if !has(FlowOp::InterlockBegin) || !has(FlowOp::InterlockEnd) {
            let message = "a program with an interlock option needs FSIB and FSIE";
            // Of the program, not of a place: what is missing has none.
            self.whole(Code::Interlock, message);
        }
    }
}
