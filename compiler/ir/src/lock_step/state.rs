//! Lanes of registers that may differ between invocations, at a place of the program.

use crate::arena::Id;
use crate::program::RegisterId;

/// Lanes of each register. A new one is that of a place that nothing reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Varying(Option<Vec<u8>>);

impl Varying {
    /// At the start of a program with `registers` registers.
    pub(super) fn none(registers: usize) -> Self {
        Self(Some(vec![0; registers]))
    }

    /// Adds the lanes of another place from which invocations come here. Tells whether that is news.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        // Nobody comes from a place that nothing reaches.
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

    /// Whether any of the lanes may differ.
    pub(super) fn differ(&self, register: RegisterId, lanes: u8) -> bool {
        let own = self.0.as_ref().map(|own| own[register.index()]);
        own.is_some_and(|own| own & lanes != 0)
    }

    /// The lanes may differ now.
    pub(super) fn add(&mut self, register: RegisterId, lanes: u8) {
        if let Some(own) = &mut self.0 {
            own[register.index()] |= lanes;
        }
    }

    /// The lanes are the same now.
    pub(super) fn remove(&mut self, register: RegisterId, lanes: u8) {
        if let Some(own) = &mut self.0 {
            own[register.index()] &= !lanes;
        }
    }
}
