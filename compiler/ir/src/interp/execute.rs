//! Execution of one instruction, with its operands and results: NV_gpu_program4 sections 2.X.4.2
//! and 2.X.4.3.
//!
//! Loading: index, swizzle, absolute value, negation. Storing: clamp, masks tested against the old
//! condition codes, write, condition-code update.

use super::alu;
use super::environment::{InterpolationPoint, TextureSource};
use super::evaluate::{
    Carries, Flags, SourceLanes, apply_abs, apply_modifiers, compute_carries, convert_result,
    evaluate_op,
};
use super::machine::Machine;
use super::observer::Observer;
use crate::arena::Id;
use crate::inst::{
    Guard, IndexId, IndexTerm, Inst, OperandBase, Src, get_result_type, get_source_type,
};
use crate::op::Op;
use crate::program::{RegisterId, Storage};
use crate::semantic::{InputId, Semantic};

impl<T: TextureSource, O: Observer> Machine<'_, '_, T, O> {
    /// Executes an instruction: loads its sources, evaluates its operation, and stores the result.
    /// Operations that are not functions of their sources are executed as effects.
    pub(super) fn execute_inst(&mut self, inst: &Inst) {
        let mut sources = SourceLanes::default();
        for (number, source) in sources.iter_mut().enumerate() {
            if number < inst.source_count as usize {
                *source = self.load_source(inst, number);
            }
        }
        if self.quad.is_some()
            && let Some(result) = self.evaluate_in_quad(inst)
        {
            return self.store_result(inst, result);
        }
        let arithmetic = self.program.modes.get_arithmetic();
        match evaluate_op(inst.op, inst.ty, inst.data, &sources, arithmetic) {
            Some(result) => self.store_result(inst, result),
            None => self.execute_effect(inst),
        }
    }

    /// Executes an operation that is not a function of its sources: interpolation, group
    /// operations, accesses to memory, textures and images, emitted vertices.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other operations are functions of their sources"
    )]
    fn execute_effect(&mut self, inst: &Inst) {
        match inst.op {
            // Without a source of other values an input has one value.
            Op::InterpCentroid | Op::InterpOffset | Op::InterpSample => {
                let value = self.interpolate(inst);
                let value = value.unwrap_or_else(|| self.load_source(inst, 0));
                self.store_result(inst, value);
            }
            // The group has one invocation.
            Op::GroupBallot => {
                let [value] = self.load_sources::<1>(inst);
                self.store_result(inst, value.map(|bits| alu::eval_ballot(inst.ty, bits)));
            }
            Op::GroupAllEqual => self.store_result(inst, [u64::from(u32::MAX); 4]),
            Op::GroupBallotWide => {
                let [value] = self.load_sources::<1>(inst);
                self.store_result(inst, [alu::eval_ballot(inst.ty, value[0]), 0, 0, 0]);
            }
            Op::GroupFirst | Op::GroupRead => {
                let value = self.load_source(inst, 0);
                self.store_result(inst, value);
            }
            Op::ShuffleUp | Op::ShuffleDown | Op::ShuffleXor | Op::ShuffleIndex => {
                let op = inst.op;
                let sources = self.load_sources::<3>(inst);
                self.store_result(inst, alu::eval_shuffle(op, inst.ty, sources));
            }
            // The quad has one fragment, too: values of other fragments do not exist.
            Op::Quad0 | Op::Quad1 | Op::Quad2 | Op::Quad3 | Op::QuadX | Op::QuadY => {
                self.store_result(inst, [0; 4]);
            }
            Op::Tex => self.execute_texture_access(inst),
            Op::Resident => self.execute_resident(inst),
            Op::Load => self.execute_load(inst),
            Op::Store => self.execute_store(inst),
            Op::Atomic => self.execute_atomic(inst),
            Op::BufferSize => self.execute_buffer_size(inst),
            Op::ImageLoad | Op::ImageStore | Op::ImageAtomic | Op::ImageSize | Op::ImageSamples => {
                self.execute_image_access(inst);
            }
            Op::EmitVertex => {
                let [stream] = self.load_sources::<1>(inst);
                self.emit_vertex(stream[0]);
            }
            Op::EndPrimitive => self.emitted_vertices.end_strip(),
            // The scheduler of the invocations implements the waiting.
            Op::MemoryBarrier | Op::Barrier | Op::InterlockBegin | Op::InterlockEnd => {}
            Op::Demote => self.current.demoted = true,
            Op::IsHelper => {
                let helper = if self.current.demoted { u32::MAX } else { 0 };
                self.store_result(inst, [helper.into(); 4]);
            }
            // The unit of time is unspecified: the number of steps is monotonic.
            Op::Clock => {
                let steps = self.current.step_count;
                self.store_result(inst, [steps & u64::from(u32::MAX), steps >> 32, 0, 0]);
            }
            _ => debug_assert!(
                false,
                "{} is neither evaluated nor executed",
                inst.op.name()
            ),
        }
    }
}

impl<T: TextureSource, O: Observer> Machine<'_, '_, T, O> {
    /// Returns a lane of a register that is not an array.
    pub(super) fn load_lane(&self, (register, lane): (RegisterId, u8)) -> u64 {
        self.current.lanes[self.register_starts[register.index()]][usize::from(lane)]
    }

    /// Returns the lanes of an element of a register.
    pub(super) fn load_register(&self, register: RegisterId, element: u32) -> [u64; 4] {
        self.current.lanes[self.register_starts[register.index()] + element as usize]
    }

    /// Returns the flags of all lanes of a condition-code register.
    pub(super) fn load_codes(&self, register: RegisterId) -> [Flags; 4] {
        self.current.condition_codes[register.index()]
    }

    /// Returns the source of an interpolation at its position; `None` if the environment has no value
    /// for it.
    fn interpolate(&mut self, inst: &Inst) -> Option<[u64; 4]> {
        let src = self.program.sources(inst).first()?;
        let OperandBase::Input(first) = src.base else {
            return None;
        };
        let input = InputId::new(first.index() + self.eval_index(src.index).0);
        let point = if inst.op == Op::InterpOffset {
            let [_, offset] = self.load_sources::<2>(inst);
            InterpolationPoint::Offset([0, 1].map(|lane| f32::from_bits(offset[lane] as u32)))
        } else if inst.op == Op::InterpSample {
            let [_, sample] = self.load_sources::<2>(inst);
            InterpolationPoint::Sample(sample[0] as u32)
        } else {
            InterpolationPoint::Centroid
        };
        let fragment = self.current.index;
        let textures = &mut self.environment.textures;
        let lanes = textures.interpolate(fragment, input, point)?;
        let ty = get_source_type(self.program, inst, 0);
        Some(std::array::from_fn(|lane| {
            apply_modifiers(src, ty, lanes[src.swizzle.lane(lane)])
        }))
    }

    /// Returns the constant offset plus the signed value of the lane, if the term has one; it is
    /// not clamped.
    pub(super) fn eval_index_term(&self, term: IndexTerm) -> i64 {
        let relative = term
            .relative
            .map_or(0, |lane| self.load_lane(lane) as u32 as i32);
        i64::from(relative) + i64::from(term.offset)
    }

    /// Returns the element of an array of length `len` that an index term selects, clamped.
    pub(super) fn clamp_element(&self, term: IndexTerm, len: u32) -> usize {
        self.eval_index_term(term).clamp(0, i64::from(len) - 1) as usize
    }

    /// Returns the element that an index selects, clamped to its range, and the vertex; element 0
    /// without an index.
    fn eval_index(&self, index: Option<IndexId>) -> (usize, Option<i64>) {
        let Some(index) = index else { return (0, None) };
        let index = self.program.indices[index];
        (
            self.clamp_element(index.element, index.len),
            index.vertex.map(|vertex| self.eval_index_term(vertex)),
        )
    }

    /// Returns the position in the lanes of the invocation of a register, or of the element that
    /// the index selects.
    fn find_register_slot(&self, register: RegisterId, index: Option<IndexId>) -> usize {
        self.register_starts[register.index()] + self.eval_index(index).0
    }

    /// Returns all lanes of a source before swizzle and modifiers. Parameters and inputs that the
    /// environment lacks are 0.
    fn load_unswizzled(&self, src: &Src) -> [u64; 4] {
        let (element, vertex) = self.eval_index(src.index);
        match src.base {
            OperandBase::Register(register) => {
                self.current.lanes[self.find_register_slot(register, src.index)]
            }
            OperandBase::Param(param) => {
                let lanes = self.environment.params.get(param.index() + element);
                lanes.copied().unwrap_or_default().map(u64::from)
            }
            OperandBase::Input(input) => {
                self.load_input(InputId::new(input.index() + element), vertex)
            }
            OperandBase::Output(output) => self.patch.read_output(output.index() + element, vertex),
            OperandBase::Literal(literal) => self.program.literals[literal],
        }
    }

    /// Returns the lanes of an input, of a vertex clamped to the existing ones; 0 if the
    /// environment lacks it. The helper state of a demoted fragment is true.
    fn load_input(&self, input: InputId, vertex: Option<i64>) -> [u64; 4] {
        // A demoted fragment remains a helper; helpers read -1 (NV_shader_thread_group section
        // 2.X.3.2).
        if self.current.demoted && self.program.inputs[input].semantic == Semantic::HelperInvocation
        {
            return [u64::from(u32::MAX), 0, 0, 0];
        }
        let vertices = &self.environment.vertices;
        let inputs = match vertex {
            None => Some(&self.current.inputs),
            Some(vertex) => {
                vertices.get(vertex.clamp(0, vertices.len().max(1) as i64 - 1) as usize)
            }
        };
        inputs
            .and_then(|inputs| inputs.get(input.index()))
            .copied()
            .unwrap_or_default()
    }

    /// Returns the lanes of an operand after the swizzle.
    fn load_swizzled(&self, src: &Src) -> [u64; 4] {
        let lanes = self.load_unswizzled(src);
        std::array::from_fn(|lane| lanes[src.swizzle.lane(lane)])
    }

    /// Returns the lanes of source `index` of an instruction, with swizzle and modifiers applied.
    pub(super) fn load_source(&self, inst: &Inst, index: usize) -> [u64; 4] {
        let src = &self.program.sources(inst)[index];
        let ty = get_source_type(self.program, inst, index);
        self.load_swizzled(src)
            .map(|bits| apply_modifiers(src, ty, bits))
    }

    /// Returns the `N` sources of an instruction.
    pub(super) fn load_sources<const N: usize>(&self, inst: &Inst) -> [[u64; 4]; N] {
        std::array::from_fn(|number| self.load_source(inst, number))
    }

    /// Returns the test results of the four lanes of a guard.
    pub(super) fn test_guard(&self, guard: Guard) -> [bool; 4] {
        let codes = self.current.condition_codes[guard.cc.index()];
        std::array::from_fn(|lane| codes[guard.swizzle.lane(lane)].test(guard.test))
    }

    /// Writes the result of an instruction: converted, in the lanes of the write mask whose guard
    /// holds, with the condition codes. Outputs of the patch are written, too.
    pub(super) fn store_result(&mut self, inst: &Inst, result: [u64; 4]) {
        let Some(dst) = inst.dst else { return };
        let ty = get_result_type(inst);
        let width = self.program.registers[dst.register].width;
        let result = result.map(|bits| convert_result(inst, &dst, width, bits));
        let guard_results = dst.guard.map_or([true; 4], |guard| self.test_guard(guard));
        let written = |lane: &usize| guard_results[*lane];
        // Computed before the write, which may modify the sources.
        let carries = if dst.cc.is_some() {
            self.compute_inst_carries(inst)
        } else {
            Carries::default()
        };
        let slot = self.find_register_slot(dst.register, dst.index);
        let storage = self.program.registers[dst.register].storage;
        for lane in dst.mask.lanes().filter(written) {
            self.current.lanes[slot][lane] = result[lane];
            if let Storage::Output(first) = storage {
                let output = first.index() + slot - self.register_starts[dst.register.index()];
                self.patch
                    .write_output(output, self.current.index, lane, result[lane]);
            }
        }
        let Some(cc) = dst.cc else { return };
        for lane in dst.mask.lanes().filter(written) {
            let (overflow, carry) = carries[lane];
            self.current.condition_codes[cc.index()][lane] = Flags {
                overflow,
                carry,
                ..Flags::from_result(ty, width, result[lane])
            };
        }
    }

    /// Returns overflow and carry of each lane of an instruction; false for operations other than
    /// integer sums.
    fn compute_inst_carries(&self, inst: &Inst) -> Carries {
        let srcs = self.program.sources(inst);
        let mut magnitudes = SourceLanes::default();
        for (lanes, src) in magnitudes.iter_mut().zip(srcs) {
            *lanes = self
                .load_swizzled(src)
                .map(|bits| apply_abs(src, inst.ty, bits));
        }
        compute_carries(inst, srcs, &magnitudes)
    }
}
