//! Execution of one instruction.

use super::environment::Textures;
use super::evaluate::{Sources, evaluate};
use super::group;
use super::machine::Machine;
use crate::inst::Inst;
use crate::op::Op;

impl<T: Textures> Machine<'_, '_, T> {
    pub(super) fn execute(&mut self, inst: &Inst) {
        let mut sources = Sources::default();
        for (number, source) in sources.iter_mut().enumerate() {
            if number < inst.source_count as usize {
                *source = self.load(inst, number);
            }
        }
        let arithmetic = self.program.modes.arithmetic();
        match evaluate(inst.op, inst.ty, inst.aux, &sources, arithmetic) {
            Some(result) => self.store(inst, result),
            None => self.execute_effect(inst),
        }
    }

    /// Executes an instruction that is not a pure function of its sources.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other operations are functions of their sources"
    )]
    fn execute_effect(&mut self, inst: &Inst) {
        match inst.op {
            // The interpreter has one value for an input.
            Op::InterpCentroid | Op::InterpOffset | Op::InterpSample => {
                let value = self.load(inst, 0);
                self.store(inst, value);
            }
            // The group has one invocation.
            Op::GroupBallot => {
                let [value] = self.load_all::<1>(inst);
                self.store(inst, value.map(|bits| group::eval_ballot(inst.ty, bits)));
            }
            Op::GroupAllEqual => self.store(inst, [u64::from(u32::MAX); 4]),
            Op::GroupBallotWide => {
                let [value] = self.load_all::<1>(inst);
                self.store(inst, [group::eval_ballot(inst.ty, value[0]), 0, 0, 0]);
            }
            Op::GroupFirst | Op::GroupRead => {
                let value = self.load(inst, 0);
                self.store(inst, value);
            }
            Op::ShuffleUp | Op::ShuffleDown | Op::ShuffleXor | Op::ShuffleIndex => {
                let op = inst.op;
                let sources = self.load_all::<3>(inst);
                self.store(inst, group::eval_shuffle(op, inst.ty, sources));
            }
            // The quad has one fragment, too: values of other fragments do not exist.
            Op::Quad0 | Op::Quad1 | Op::Quad2 | Op::Quad3 | Op::QuadX | Op::QuadY => {
                self.store(inst, [0; 4]);
            }
            Op::Tex => self.execute_texture_access(inst),
            Op::Resident => self.execute_resident(inst),
            Op::Load => self.load_memory(inst),
            Op::Store => self.store_memory(inst),
            Op::Atomic => self.execute_atomic(inst),
            Op::BufferSize => self.load_buffer_size(inst),
            // There are no images: their texels do not exist.
            Op::ImageLoad | Op::ImageAtomic | Op::ImageSize => self.store(inst, [0; 4]),
            Op::ImageSamples => self.store(inst, [1; 4]),
            Op::ImageStore => {}
            Op::EmitVertex => {
                let [stream] = self.load_all::<1>(inst);
                self.emit_vertex(stream[0]);
            }
            Op::EndPrimitive => self.emitted.end_strip(),
            // The scheduler of the invocations implements the waiting.
            Op::MemoryBarrier | Op::Barrier | Op::InterlockBegin | Op::InterlockEnd => {}
            Op::Demote => self.own.demoted = true,
            Op::IsHelper => {
                let helper = if self.own.demoted { u32::MAX } else { 0 };
                self.store(inst, [helper.into(); 4]);
            }
            // The unit of time is unspecified: the number of steps is monotonic.
            Op::Clock => {
                let steps = self.own.steps;
                self.store(inst, [steps & u64::from(u32::MAX), steps >> 32, 0, 0]);
            }
            _ => {}
        }
    }
}
