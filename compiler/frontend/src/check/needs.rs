//! What features of the languages need: a version, an option.

use super::Checker;
use crate::codes::Code;
use crate::lang::options::Features;
use crate::source::Version;
use glasm_ir::Span;
use std::fmt::Display;

impl Checker<'_> {
    /// Whether the program is of this version or a later one; if not, reports that `feature`, such as "handles need", wants it.
    pub(super) fn need_version(
        &mut self,
        since: Version,
        span: Span,
        feature: impl Display,
    ) -> bool {
        let is_there = self.version >= since;
        if !is_there {
            let message = format!("{feature} language version {}", since.name());
            self.error(Code::FeatureNewer, span, message);
        }
        is_there
    }

    /// Whether options have enabled `needs`; if not, reports that `feature`, such as "handles need", wants the option for it.
    pub(super) fn need_option(
        &mut self,
        needs: Features,
        span: Span,
        feature: impl Display,
    ) -> bool {
        // One option may bring several of the missing features; the message names such a one.
        let missing = needs.difference(self.program.features);
        // No features needed is always fulfilled: rows without a need have the empty set.
        if !missing.is_empty() {
            let message = format!("{feature} OPTION {}", missing.option());
            self.error(Code::FeatureOption, span, message);
        }
        missing.is_empty()
    }
}
