//! Where programs find buffers at the moment. Pure.

use crate::script::{
    BindTarget, BufferDecl, BufferId, BufferKey, BufferKind, BufferRange, Command, Script,
};
use glasm::ir::Stage;
use std::collections::HashMap;

/// Where a descriptor looks for its buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BufferPlace {
    /// For parameter buffers: what is bound for this stage goes before what is bound for all.
    pub(super) stage: Option<Stage>,
    pub(super) kind: BufferKind,
    pub(super) set: u32,
    pub(super) binding: u32,
}

/// All places to which a script binds buffers.
pub(super) fn targets(script: &Script) -> Vec<BindTarget> {
    let own = script.buffers.iter().filter_map(|decl| match decl.key {
        BufferKey::Bound { kind, set, binding } => Some(BindTarget::Bound { kind, set, binding }),
        BufferKey::Named(_) => None,
    });
    let mut targets: Vec<BindTarget> = own.collect();
    for step in &script.steps {
        if let Command::BindBuffer { target, .. } = &step.command
            && !targets.contains(target)
        {
            targets.push(*target);
        }
    }
    targets
}

/// The buffers that are bound, by place.
pub(super) struct Bound {
    ranges: HashMap<BindTarget, BufferRange>,
}

impl Bound {
    /// Buffers that are called after their place are bound there.
    pub(super) fn new(buffers: &[BufferDecl]) -> Self {
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
        Self { ranges }
    }

    /// Binds a part of a buffer.
    pub(super) fn bind(&mut self, target: BindTarget, range: BufferRange) {
        self.ranges.insert(target, range);
    }

    /// What is bound at a place.
    pub(super) fn find(&self, place: &BufferPlace) -> Result<BufferRange, String> {
        let BufferPlace {
            stage,
            kind,
            set,
            binding,
        } = *place;
        let own = stage.map(|stage| BindTarget::Param {
            stage,
            index: binding,
        });
        let shared = BindTarget::Bound { kind, set, binding };
        own.and_then(|own| self.ranges.get(&own))
            .or_else(|| self.ranges.get(&shared))
            .copied()
            .ok_or_else(|| format!("no buffer is bound where the program looks for one: {shared}"))
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
        let mut bound = Bound::new(&[decl]);
        let place = |stage| BufferPlace {
            stage,
            kind: BufferKind::Uniform,
            set: 0,
            binding: 2,
        };
        let target = BindTarget::Param {
            stage: Stage::Fragment,
            index: 2,
        };
        bound.bind(target, range(7));
        assert_eq!(bound.find(&place(Some(Stage::Fragment))), Ok(range(7)));
        assert_eq!(bound.find(&place(Some(Stage::Vertex))), Ok(range(0)));
        assert_eq!(bound.find(&place(None)), Ok(range(0)));
        let other = BufferPlace {
            kind: BufferKind::Counter,
            ..place(None)
        };
        assert_eq!(
            bound.find(&other).unwrap_err(),
            "no buffer is bound where the program looks for one: counter 0:2"
        );
    }
}
