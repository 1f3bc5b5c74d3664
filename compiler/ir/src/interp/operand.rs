//! Operands and results: NV_gpu_program4 sections 2.X.4.2 and 2.X.4.3.
//!
//! Loading: index, swizzle, absolute value, negation. Storing: clamp, masks tested against the old
//! condition codes, write, condition-code update.

use super::environment::Textures;
use super::evaluate::{Carries, Sources, carries, magnitude, operand, written};
use super::flags::Flags;
use super::machine::Machine;
use crate::arena::Id;
use crate::inst::{Base, Guard, IndexId, IndexTerm, Inst, Src, result_type, source_type};
use crate::program::{RegisterId, Storage};
use crate::semantic::{InputId, Semantic};

impl<T: Textures> Machine<'_, '_, T> {
    /// Returns a lane of a register that is not an array.
    pub(super) fn load_lane(&self, (register, lane): (RegisterId, u8)) -> u64 {
        self.own.lanes[self.starts[register.index()]][usize::from(lane)]
    }

    pub(super) fn eval_term(&self, term: IndexTerm) -> i64 {
        let relative = term
            .relative
            .map_or(0, |lane| self.load_lane(lane) as u32 as i32);
        i64::from(relative) + i64::from(term.offset)
    }

    /// Returns the element of an array of length `len` that an index term selects, clamped.
    pub(super) fn clamp_element(&self, term: IndexTerm, len: u32) -> usize {
        self.eval_term(term).clamp(0, i64::from(len) - 1) as usize
    }

    /// Returns the element and the vertex of an operand.
    fn eval_index(&self, index: Option<IndexId>) -> (usize, Option<i64>) {
        let Some(index) = index else { return (0, None) };
        let index = self.program.indices[index];
        (
            self.clamp_element(index.element, index.len),
            index.vertex.map(|vertex| self.eval_term(vertex)),
        )
    }

    fn find_slot(&self, register: RegisterId, index: Option<IndexId>) -> usize {
        self.starts[register.index()] + self.eval_index(index).0
    }

    fn load_base(&self, src: &Src) -> [u64; 4] {
        let (element, vertex) = self.eval_index(src.index);
        match src.base {
            Base::Register(register) => self.own.lanes[self.find_slot(register, src.index)],
            Base::Param(param) => {
                let lanes = self.environment.params.get(param.index() + element);
                lanes.copied().unwrap_or_default().map(u64::from)
            }
            Base::Input(input) => self.load_input(InputId::new(input.index() + element), vertex),
            Base::Output(output) => self.patch.read(output.index() + element, vertex),
            Base::Literal(literal) => self.program.literals[literal],
        }
    }

    fn load_input(&self, input: InputId, vertex: Option<i64>) -> [u64; 4] {
        // A demoted fragment remains a helper; helpers read -1 (NV_shader_thread_group section
        // 2.X.3.2).
        if self.own.demoted && self.program.inputs[input].semantic == Semantic::HelperInvocation {
            return [u64::from(u32::MAX), 0, 0, 0];
        }
        let vertices = &self.environment.vertices;
        let inputs = match vertex {
            None => Some(&self.own.inputs),
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
        let lanes = self.load_base(src);
        std::array::from_fn(|lane| lanes[src.swizzle.lane(lane)])
    }

    /// Returns the lanes of source `number` of an instruction.
    pub(super) fn load(&self, inst: &Inst, number: usize) -> [u64; 4] {
        let src = &self.program.sources(inst)[number];
        let ty = source_type(self.program, inst, number);
        self.load_swizzled(src).map(|bits| operand(src, ty, bits))
    }

    /// Returns the `N` sources of an instruction.
    pub(super) fn load_all<const N: usize>(&self, inst: &Inst) -> [[u64; 4]; N] {
        std::array::from_fn(|number| self.load(inst, number))
    }

    /// Returns the test results of the four lanes of a guard.
    pub(super) fn test_guard(&self, guard: Guard) -> [bool; 4] {
        let codes = self.own.codes[guard.cc.index()];
        std::array::from_fn(|lane| codes[guard.swizzle.lane(lane)].passes(guard.test))
    }

    /// Writes the result of an instruction.
    pub(super) fn store(&mut self, inst: &Inst, result: [u64; 4]) {
        let Some(dst) = inst.dst else { return };
        let ty = result_type(inst);
        let width = self.program.registers[dst.register].width;
        let result = result.map(|bits| written(inst, &dst, width, bits));
        let passed = dst.guard.map_or([true; 4], |guard| self.test_guard(guard));
        let written = |lane: &usize| passed[*lane];
        // Computed before the write, which may modify the sources.
        let carries = if dst.cc.is_some() {
            self.compute_carries(inst)
        } else {
            Carries::default()
        };
        let slot = self.find_slot(dst.register, dst.index);
        let storage = self.program.registers[dst.register].storage;
        for lane in dst.mask.lanes().filter(written) {
            self.own.lanes[slot][lane] = result[lane];
            if let Storage::Output(first) = storage {
                let output = first.index() + slot - self.starts[dst.register.index()];
                self.patch
                    .write(output, self.own.number, lane, result[lane]);
            }
        }
        let Some(cc) = dst.cc else { return };
        for lane in dst.mask.lanes().filter(written) {
            let (overflow, carry) = carries[lane];
            self.own.codes[cc.index()][lane] = Flags {
                overflow,
                carry,
                ..Flags::of_result(ty, width, result[lane])
            };
        }
    }

    fn compute_carries(&self, inst: &Inst) -> Carries {
        let srcs = self.program.sources(inst);
        let mut magnitudes = Sources::default();
        for (lanes, src) in magnitudes.iter_mut().zip(srcs) {
            *lanes = self
                .load_swizzled(src)
                .map(|bits| magnitude(src, inst.ty, bits));
        }
        carries(inst, srcs, &magnitudes)
    }
}
