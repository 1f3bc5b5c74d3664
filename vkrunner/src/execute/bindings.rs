//! Current buffer bindings of programs. Pure.

use glasm::ir::Stage;
use glasm_scripts::script::{
    BindTarget, BufferDecl, BufferId, BufferKey, BufferKind, BufferRange, Command, Step,
    captured_ranges,
};
use std::collections::HashMap;

/// Bind target that a descriptor takes its buffer from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BufferPlace {
    /// For parameter buffers: bindings for this stage take precedence over those for all stages.
    pub(super) stage: Option<Stage>,
    pub(super) kind: BufferKind,
    pub(super) set: u32,
    pub(super) binding: u32,
    pub(super) presence: Presence,
}

/// Requirement that a buffer is bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Presence {
    /// The program uses it.
    Needed,
    /// The program may use it: without a binding it gets the first that the script binds there
    /// later.
    Offered,
    /// Without a binding the program reads zeros.
    Zeros,
}

/// Bound buffers by bind target.
pub(super) struct Bound {
    ranges: HashMap<BindTarget, BufferRange>,
    /// First binding of each target by the script.
    first: HashMap<BindTarget, BufferRange>,
}

impl Bound {
    /// Creates the initial bindings: buffers that are named after a bind target are bound there.
    pub(super) fn new(buffers: &[BufferDecl], steps: &[Step]) -> Self {
        let mut ranges = HashMap::new();
        for (decl, index) in buffers.iter().zip(0..) {
            if let BufferKey::Bound { kind, set, binding } = decl.key {
                let range = BufferRange {
                    buffer: BufferId(index),
                    offset: 0,
                    size: None,
                };
                ranges.insert(BindTarget::Bound { kind, set, binding }, range);
            }
        }
        let mut first = HashMap::new();
        for step in steps {
            if let Command::BindBuffer { target, range } = &step.command {
                first.entry(*target).or_insert(*range);
            }
        }
        Self { ranges, first }
    }

    /// Binds a range of a buffer.
    pub(super) fn bind(&mut self, target: BindTarget, range: BufferRange) {
        self.ranges.insert(target, range);
    }

    /// Finds the buffer that is bound for a descriptor; none if the program reads zeros.
    pub(super) fn find(&self, place: &BufferPlace) -> Result<Option<BufferRange>, String> {
        let BufferPlace {
            stage,
            kind,
            set,
            binding,
            presence,
        } = *place;
        let own = stage.map(|stage| BindTarget::Param {
            stage,
            index: binding,
        });
        let shared = BindTarget::Bound { kind, set, binding };
        let later = || match presence {
            Presence::Needed | Presence::Zeros => None,
            Presence::Offered => self.first.get(&shared),
        };
        let found = own
            .and_then(|own| self.ranges.get(&own))
            .or_else(|| self.ranges.get(&shared))
            .or_else(later);
        match (found, presence) {
            (Some(range), _) => Ok(Some(*range)),
            (None, Presence::Zeros) => Ok(None),
            (None, Presence::Needed | Presence::Offered) => Err(format!(
                "no buffer is bound where the program looks for one: {shared}"
            )),
        }
    }
}

impl Bound {
    /// Returns the ranges of buffers that vertices are captured into, with their numbers, in order.
    pub(super) fn captured(&self) -> Vec<(u32, BufferRange)> {
        captured_ranges(&self.ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(buffer: usize) -> BufferRange {
        BufferRange {
            buffer: BufferId(buffer),
            offset: 0,
            size: None,
        }
    }

    #[test]
    fn what_is_bound_for_a_stage_goes_first() {
        let decl = BufferDecl {
            key: BufferKey::Bound {
                kind: BufferKind::Uniform,
                set: 0,
                binding: 2,
            },
            size: 16,
            line: 1,
        };
        let mut bound = Bound::new(&[decl], &[]);
        let place = |stage| BufferPlace {
            stage,
            kind: BufferKind::Uniform,
            set: 0,
            binding: 2,
            presence: Presence::Needed,
        };
        let target = BindTarget::Param {
            stage: Stage::Fragment,
            index: 2,
        };
        bound.bind(target, range(7));
        assert_eq!(
            bound.find(&place(Some(Stage::Fragment))),
            Ok(Some(range(7)))
        );
        assert_eq!(bound.find(&place(Some(Stage::Vertex))), Ok(Some(range(0))));
        assert_eq!(bound.find(&place(None)), Ok(Some(range(0))));
        let other = BufferPlace {
            kind: BufferKind::Counter,
            ..place(None)
        };
        assert_eq!(
            bound.find(&other).unwrap_err(),
            "no buffer is bound where the program looks for one: counter 0:2"
        );
    }

    #[test]
    fn what_may_be_used_is_there_before_it_is_bound() {
        let target = BindTarget::Bound {
            kind: BufferKind::Storage,
            set: 0,
            binding: 3,
        };
        let bind = |buffer| Step {
            line: 1,
            command: Command::BindBuffer {
                target,
                range: range(buffer),
            },
        };
        let mut bound = Bound::new(&[], &[bind(4), bind(5)]);
        let place = |presence| BufferPlace {
            stage: None,
            kind: BufferKind::Storage,
            set: 0,
            binding: 3,
            presence,
        };
        assert_eq!(bound.find(&place(Presence::Offered)), Ok(Some(range(4))));
        assert!(bound.find(&place(Presence::Needed)).is_err());
        assert_eq!(bound.find(&place(Presence::Zeros)), Ok(None));
        bound.bind(target, range(5));
        assert_eq!(bound.find(&place(Presence::Offered)), Ok(Some(range(5))));
    }
}
