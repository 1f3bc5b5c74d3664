//! Quality of multisample filtering: NV_multisample_filter_hint. The driver resolves samples in one
//! way, which the extension permits for every hint; the hint is state without an effect.

use crate::context::State;
use crate::ffi::driver::constants::{DONT_CARE, FASTEST, NICEST};
use crate::program_commands::INVALID_ENUM;

/// `MULTISAMPLE_FILTER_HINT_NV`
pub(crate) const MULTISAMPLE_FILTER_HINT: u32 = 0x8534;

/// Hint of a context, which `PushAttrib` saves: `HINT_BIT`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MultisampleHint(u32);

impl Default for MultisampleHint {
    fn default() -> Self {
        Self(DONT_CARE)
    }
}

impl MultisampleHint {
    /// Returns the hint for `GetIntegerv` of its name; `None` for other names.
    pub(crate) fn query_integer(self, name: u32) -> Option<i32> {
        (name == MULTISAMPLE_FILTER_HINT).then_some(self.0 as i32)
    }
}

/// Executes `Hint` of `MULTISAMPLE_FILTER_HINT_NV`. Records `GL_INVALID_ENUM` for an unknown mode.
pub(crate) fn set_hint(state: &mut State, mode: u32) {
    match mode {
        DONT_CARE | FASTEST | NICEST => state.extensions.multisample_hint = MultisampleHint(mode),
        _ => state.record_error(INVALID_ENUM),
    }
}
