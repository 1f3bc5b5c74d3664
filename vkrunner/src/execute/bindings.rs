//! Current buffer bindings of programs.

use glasm::ir::Stage;
use glasm_scripts::script::{
    BindTarget, BufferDecl, BufferId, BufferKey, BufferKind, BufferRange, Command, ScriptStep,
    capture_ranges,
};
use std::collections::HashMap;

/// Bind target that a descriptor takes its buffer from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BufferSource {
    /// For parameter buffers: bindings for this stage take precedence over those for all stages.
    pub(super) stage: Option<Stage>,
    pub(super) kind: BufferKind,
    pub(super) set: u32,
    pub(super) binding: u32,
    pub(super) requirement: BindingRequirement,
}

/// Requirement that a buffer is bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BindingRequirement {
    /// The program uses it.
    Required,
    /// The program may use it: without a binding it gets the first that the script binds there
    /// later.
    Optional,
    /// Without a binding the program reads zeros.
    ZeroIfUnbound,
}

/// Bound buffers by bind target.
pub(super) struct BoundBuffers {
    ranges: HashMap<BindTarget, BufferRange>,
    /// First binding of each target by the script.
    first_bindings: HashMap<BindTarget, BufferRange>,
}

impl BoundBuffers {
    /// Creates the initial bindings: buffers that are named after a bind target are bound there.
    /// Also records the first `bind buffer` command of each target in `steps`, for optional
    /// requirements.
    pub(super) fn new(buffers: &[BufferDecl], steps: &[ScriptStep]) -> Self {
        let mut ranges = HashMap::new();
        for (decl, index) in buffers.iter().zip(0..) {
            if let BufferKey::Descriptor { kind, set, binding } = decl.key {
                let range = BufferRange {
                    buffer: BufferId(index),
                    offset: 0,
                    size: None,
                };
                ranges.insert(BindTarget::Descriptor { kind, set, binding }, range);
            }
        }
        let mut first = HashMap::new();
        for step in steps {
            if let Command::BindBuffer { target, range } = &step.command {
                first.entry(*target).or_insert(*range);
            }
        }
        Self {
            ranges,
            first_bindings: first,
        }
    }

    /// Binds a range of a buffer to a descriptor or another target.
    pub(super) fn bind(&mut self, target: BindTarget, range: BufferRange) {
        self.ranges.insert(target, range);
    }

    /// Finds the buffer range that is bound for a descriptor: for its stage, else for all stages,
    /// else, if the requirement is optional, the first range that the script binds there later.
    /// `None` means that the program reads zeros; without a binding all other requirements are
    /// errors.
    pub(super) fn find_range(&self, source: &BufferSource) -> Result<Option<BufferRange>, String> {
        let BufferSource {
            stage,
            kind,
            set,
            binding,
            requirement: presence,
        } = *source;
        let stage_target = stage.map(|stage| BindTarget::Param {
            stage,
            index: binding,
        });
        let shared = BindTarget::Descriptor { kind, set, binding };
        let later = || match presence {
            BindingRequirement::Required | BindingRequirement::ZeroIfUnbound => None,
            BindingRequirement::Optional => self.first_bindings.get(&shared),
        };
        let range = stage_target
            .and_then(|own| self.ranges.get(&own))
            .or_else(|| self.ranges.get(&shared))
            .or_else(later);
        match (range, presence) {
            (Some(range), _) => Ok(Some(*range)),
            (None, BindingRequirement::ZeroIfUnbound) => Ok(None),
            (None, BindingRequirement::Required | BindingRequirement::Optional) => Err(format!(
                "no buffer is bound to {shared}, which the program reads"
            )),
        }
    }
}

impl BoundBuffers {
    /// Returns the ranges of buffers that vertices are captured into, with their numbers, in order.
    pub(super) fn capture_ranges(&self) -> Vec<(u32, BufferRange)> {
        capture_ranges(&self.ranges)
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
            key: BufferKey::Descriptor {
                kind: BufferKind::Uniform,
                set: 0,
                binding: 2,
            },
            size: 16,
            line: 1,
        };
        let mut bound = BoundBuffers::new(&[decl], &[]);
        let place = |stage| BufferSource {
            stage,
            kind: BufferKind::Uniform,
            set: 0,
            binding: 2,
            requirement: BindingRequirement::Required,
        };
        let target = BindTarget::Param {
            stage: Stage::Fragment,
            index: 2,
        };
        bound.bind(target, range(7));
        assert_eq!(
            bound.find_range(&place(Some(Stage::Fragment))),
            Ok(Some(range(7)))
        );
        assert_eq!(
            bound.find_range(&place(Some(Stage::Vertex))),
            Ok(Some(range(0)))
        );
        assert_eq!(bound.find_range(&place(None)), Ok(Some(range(0))));
        let other = BufferSource {
            kind: BufferKind::AtomicCounter,
            ..place(None)
        };
        assert_eq!(
            bound.find_range(&other).unwrap_err(),
            "no buffer is bound to counter 0:2, which the program reads"
        );
    }

    #[test]
    fn what_may_be_used_is_there_before_it_is_bound() {
        let target = BindTarget::Descriptor {
            kind: BufferKind::Storage,
            set: 0,
            binding: 3,
        };
        let bind = |buffer| ScriptStep {
            line: 1,
            command: Command::BindBuffer {
                target,
                range: range(buffer),
            },
        };
        let mut bound = BoundBuffers::new(&[], &[bind(4), bind(5)]);
        let place = |presence| BufferSource {
            stage: None,
            kind: BufferKind::Storage,
            set: 0,
            binding: 3,
            requirement: presence,
        };
        assert_eq!(
            bound.find_range(&place(BindingRequirement::Optional)),
            Ok(Some(range(4)))
        );
        assert!(
            bound
                .find_range(&place(BindingRequirement::Required))
                .is_err()
        );
        assert_eq!(
            bound.find_range(&place(BindingRequirement::ZeroIfUnbound)),
            Ok(None)
        );
        bound.bind(target, range(5));
        assert_eq!(
            bound.find_range(&place(BindingRequirement::Optional)),
            Ok(Some(range(5)))
        );
    }
}
