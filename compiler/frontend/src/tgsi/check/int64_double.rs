//! Rules of opcodes on pairs of components: 64-bit floats and integers, the low word first. TGSI,
//! sections "Double ISA" and "64-bit Integer ISA".

use super::checker::{CheckResult, Reported};
use super::contexts::StatementChecker;
use super::registers::TgsiInst;
use crate::codes::{Code, LenientRule};
use crate::tgsi::checked::{InstDetails, SECOND_PAIR, add, expand_to_pairs, find_pairs};
use crate::tgsi::opcodes::WideFormula;

impl StatementChecker<'_> {
    /// Checks an opcode whose first `count` sources and whose result are 64-bit values.
    pub(super) fn check_wide(&mut self, inst: &TgsiInst, count: usize) -> CheckResult<()> {
        self.check_wide_sources(inst, count)?;
        self.check_pair_result(inst)
    }

    /// Checks that the first `count` sources of an instruction are valid as 64-bit values: without
    /// modifiers, and with a swizzle that does not split a pair of lanes that the mask writes.
    /// Split pairs are reported by a lenient rule.
    pub(super) fn check_wide_sources(&mut self, inst: &TgsiInst, count: usize) -> CheckResult<()> {
        let written = find_pairs(inst.mask);
        (0..count).try_for_each(|number| self.check_pair(inst, number, written))
    }

    /// Checks an opcode with 64-bit results that is more than one operation, and returns its second
    /// result; [`InstDetails::None`] if the instruction has none.
    pub(super) fn check_wide_formula(
        &mut self,
        inst: &TgsiInst,
        formula: WideFormula,
    ) -> CheckResult<InstDetails> {
        let count = if formula == WideFormula::DivideSigned {
            2
        } else {
            1
        };
        self.check_wide(inst, count)?;
        let Some(second) = inst.second_dst else {
            return Ok(InstDetails::None);
        };
        let id = add(&mut self.resolver.program.second_results, second);
        Ok(InstDetails::SecondResult(id))
    }

    /// Checks a conversion of 64-bit values to 32 bits: both pairs are read if two components are
    /// written, else the first one.
    pub(super) fn check_narrow(&mut self, inst: &TgsiInst) -> CheckResult<()> {
        let needed = match inst.write_mask().count() {
            1 => 0b01,
            _ => 0b11,
        };
        self.check_pair(inst, 0, needed)
    }

    /// Checks that a source is valid as 64-bit values: without modifiers, and with a swizzle that
    /// does not split a pair in the mask `written`. Split pairs are reported by a lenient rule.
    fn check_pair(&mut self, inst: &TgsiInst, number: usize, written: u8) -> CheckResult<()> {
        let source = self.sources(inst)[number];
        if source.negate || source.absolute {
            let message = "values of 64 bits have no signs and no absolute values";
            let span = self.source_span(inst, number);
            return Err(self.report_error(Code::ModifierUnsupported, span, message));
        }
        // virglrenderer reads the first pair where only the second one is written.
        let is_swapped = self.resolver.checker.options.virgl && written == SECOND_PAIR;
        let lane = |lane: usize| {
            source
                .swizzle
                .lane(if is_swapped { lane % 2 } else { lane })
        };
        // Only pairs that are written have to be whole.
        let is_split = |pair: usize| {
            written >> pair & 1 != 0
                && !(lane(2 * pair) % 2 == 0 && lane(2 * pair + 1) == lane(2 * pair) + 1)
        };
        if is_split(0) || is_split(1) {
            let message = "this swizzle puts a value of 64 bits together from two";
            let span = self.source_span(inst, number);
            let checker = &mut self.resolver.checker;
            if !checker.report_lenient(LenientRule::HalfPair, span, message) {
                return Err(Reported);
            }
        }
        Ok(())
    }

    /// Checks a result of 64-bit values: it has no clamp and no half pair. Half pairs are reported
    /// by a lenient rule.
    pub(super) fn check_pair_result(&mut self, inst: &TgsiInst) -> CheckResult<()> {
        // The document does not specify a clamp of doubles.
        if inst.saturates {
            let name = inst.opcode_row.name;
            let message = format!("the 64-bit result of `{name}` cannot be clamped");
            return Err(self.report_error(Code::ClampOnInteger, inst.opcode_span, message));
        }
        let mask = inst.mask;
        if expand_to_pairs(mask) != mask {
            let message = "this mask splits a value of 64 bits, which is not written";
            let span = self.result_span(inst);
            let checker = &mut self.resolver.checker;
            if !checker.report_lenient(LenientRule::HalfPair, span, message) {
                return Err(Reported);
            }
        }
        Ok(())
    }
}
