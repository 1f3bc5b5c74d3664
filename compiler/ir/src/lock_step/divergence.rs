//! Lanes of registers that may differ between invocations, at a position of the program.

use crate::arena::Id;
use crate::program::RegisterId;

/// Lanes of each register. The default is the state of an unreachable position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Varying(Option<Vec<u8>>);

impl Varying {
    /// Returns the state at the start of a program with `registers` registers.
    pub(super) fn new_uniform(registers: usize) -> Self {
        Self(Some(vec![0; registers]))
    }

    /// Merges the state of a predecessor. Returns true if the state changed.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        // No invocation comes from an unreachable position.
        let Some(others) = &other.0 else {
            return false;
        };
        let Some(own) = &mut self.0 else {
            *self = other.clone();
            return true;
        };
        let mut grows = false;
        for (lanes, other) in own.iter_mut().zip(others) {
            grows |= *lanes | other != *lanes;
            *lanes |= other;
        }
        grows
    }

    /// Returns true if any of the lanes may differ.
    pub(super) fn may_differ(&self, register: RegisterId, lanes: u8) -> bool {
        let own = self.0.as_ref().map(|own| own[register.index()]);
        own.is_some_and(|own| own & lanes != 0)
    }

    /// Marks lanes as possibly different.
    pub(super) fn add(&mut self, register: RegisterId, lanes: u8) {
        if let Some(own) = &mut self.0 {
            own[register.index()] |= lanes;
        }
    }

    /// Marks lanes as equal in all invocations.
    pub(super) fn remove(&mut self, register: RegisterId, lanes: u8) {
        if let Some(own) = &mut self.0 {
            own[register.index()] &= !lanes;
        }
    }
}
