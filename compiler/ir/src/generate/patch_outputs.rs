//! Accesses of invocations of a patch to each other's outputs.
//!
//! In lock step all accesses are defined except two accesses of an output in one instruction, or by
//! both groups of a branch, one of which is a write. So values are read into registers and written
//! from registers, branches distribute the outputs over their groups, and per-patch outputs are
//! written with values that are equal in all invocations, or by a single invocation.

use super::generator::{Generator, Pools};
use crate::inst::{Base, Cond, Dst, Src, WriteMask};
use crate::op::Op;
use crate::operand::Swizzle;
use crate::program::{Program, RegisterId, Stage, Storage};
use crate::semantic::{Output, OutputId, Semantic};
use crate::span::Span;
use crate::types::{Base as TypeBase, Type, Width};

/// Maximum number of vertices of a patch.
const MAX_VERTICES: usize = 6;
/// Number of per-vertex outputs that invocations read of each other.
const OF_VERTICES: usize = 3;
/// Number of per-patch outputs.
const OF_PATCH: usize = 3;

/// A set of outputs that statements may use: bit `n` is index `n` of [`Exchange::outputs`].
pub(super) type Allowed = u8;

/// The set of all outputs.
pub(super) const ALL: Allowed = (1 << (OF_VERTICES + OF_PATCH)) - 1;

/// Outputs and registers for the exchange of values in a tessellation control program.
pub(super) struct Exchange {
    /// Per-vertex outputs, then per-patch outputs, with the registers that write them.
    outputs: Vec<(OutputId, RegisterId)>,
    /// Lane x is the index of the invocation.
    number: RegisterId,
    /// Lanes are 0 or 1, equal in all invocations.
    same: RegisterId,
    /// Lane x is the index of the vertex that is read.
    vertex: RegisterId,
}

impl Exchange {
    /// Adds the outputs and registers; `None` if invocations run independently.
    pub(super) fn new(program: &mut Program, first_generic: u8) -> Option<Self> {
        if program.stage != Stage::TessControl {
            return None;
        }
        let of_vertices = (0..OF_VERTICES as u8).map(|n| Semantic::Generic(first_generic + n));
        let of_patch = (0..OF_PATCH as u8).map(Semantic::PatchGeneric);
        let outputs = of_vertices.chain(of_patch).map(|semantic| {
            let output = program.outputs.push(Output {
                base: TypeBase::Unsigned,
                ..Output::new(semantic)
            });
            let register = Pools::register(Storage::Output(output), Width::W32);
            (output, program.registers.push(register))
        });
        let outputs = outputs.collect();
        let [number, same, vertex] = std::array::from_fn(|_| {
            let register = Pools::register(Storage::Temp, Width::W32);
            program.registers.push(register)
        });
        Some(Self {
            outputs,
            number,
            same,
            vertex,
        })
    }
}

impl Generator {
    /// Emits the initialization of the exchanged values.
    pub(super) fn set_up_exchange(&mut self) {
        let Some(exchange) = &self.pools.exchange else {
            return;
        };
        let (number, same) = (exchange.number, exchange.same);
        let registers: Vec<RegisterId> = exchange.outputs.iter().map(|(_, id)| *id).collect();
        let input = Src::new(Base::Input(self.input));
        let x = Dst::new(number, WriteMask::X);
        self.emit(Op::Mov, Type::U32, x, &[input]);
        let (param, one) = (self.pick_param(), self.add_literal(1));
        self.emit(Op::And, Type::U32, Self::make_full_dst(same), &[param, one]);
        for (position, register) in registers.into_iter().enumerate() {
            let source = self.pick_param();
            let own = Src {
                swizzle: Swizzle::splat(0),
                ..Src::register(number)
            };
            let (op, sources) = if position < OF_VERTICES {
                (Op::Add, vec![source, own])
            } else {
                (Op::Mov, vec![source])
            };
            self.emit(op, Type::U32, Self::make_full_dst(register), &sources);
        }
    }

    /// Selects the number of vertices of the patches, and lock step.
    pub(super) fn pick_patch_size(&mut self) {
        let vertices = 1 + self.random.draw_below(MAX_VERTICES) as u32;
        let modes = &mut self.builder.program.modes;
        (modes.vertices_out, modes.lock_step) = (vertices, true);
    }

    /// Returns, sometimes, a lane that is 0 or 1, equal in all invocations. Without an exchange no
    /// random number is drawn.
    pub(super) fn pick_same_lane(&mut self) -> Option<(RegisterId, u8)> {
        let same = self.pools.exchange.as_ref()?.same;
        let chosen = self.random.draw_percent(30);
        chosen.then(|| (same, self.random.draw_below(4) as u8))
    }

    /// Distributes the allowed outputs over `count` groups. Without an exchange no random number is
    /// drawn.
    pub(super) fn split_outputs(&mut self, allowed: Allowed, count: usize) -> Vec<Allowed> {
        if self.pools.exchange.is_none() {
            return vec![allowed; count];
        }
        let mut parts = vec![0; count];
        for bit in (0..8).map(|bit| 1 << bit).filter(|bit| allowed & bit != 0) {
            parts[self.random.draw_below(count)] |= bit;
        }
        parts
    }

    /// Reads or writes one of the outputs.
    pub(super) fn generate_exchange(&mut self, allowed: Allowed) {
        let Some(exchange) = &self.pools.exchange else {
            return self.generate_computation();
        };
        let usable = (0..exchange.outputs.len()).filter(|place| allowed >> place & 1 != 0);
        let usable: Vec<usize> = usable.collect();
        if usable.is_empty() {
            return self.generate_computation();
        }
        let place = self.random.pick(&usable);
        let Some(exchange) = &self.pools.exchange else {
            return;
        };
        let (output, register) = exchange.outputs[place];
        match (self.random.draw_percent(50), place < OF_VERTICES) {
            (true, _) => self.generate_output_read(output, place < OF_VERTICES),
            (false, true) => {
                let (dst, source) = (self.pick_dst(register), self.pick_int_source());
                let op = self.random.pick(&[Op::Mov, Op::Not]);
                self.emit(op, Type::U32, dst, &[source]);
            }
            (false, false) => self.generate_patch_write(register),
        }
    }

    fn generate_output_read(&mut self, output: OutputId, of_vertex: bool) {
        let register = self.random.pick(&self.pools.int);
        let index = match &self.pools.exchange {
            Some(exchange) if of_vertex => {
                let vertex = exchange.vertex;
                Some(self.pick_vertex_index(self.builder.program.modes.vertices_out, vertex))
            }
            Some(_) | None => None,
        };
        let swizzle = self.pick_swizzle();
        let source = Src {
            index,
            swizzle,
            ..Src::new(Base::Output(output))
        };
        self.emit_combine(register, source);
    }

    fn generate_patch_write(&mut self, register: RegisterId) {
        let dst = self.pick_dst(register);
        if self.random.draw_percent(60) {
            let source = if self.random.draw_percent(50) {
                self.pick_param()
            } else {
                let bits = u64::from(self.random.draw_bits32());
                self.add_literal(bits)
            };
            return self.emit(Op::Mov, Type::U32, Dst { cc: None, ..dst }, &[source]);
        }
        let Some(exchange) = &self.pools.exchange else {
            return;
        };
        let (number, scratch) = (exchange.number, self.pools.scratch);
        let vertices = self.builder.program.modes.vertices_out as usize;
        let chosen = self.random.draw_below(vertices) as u64;
        let chosen = self.add_literal(chosen);
        let test = Dst::new(scratch, WriteMask::X);
        let sources = [Src::register(number), chosen];
        self.emit(Op::SetEq, Type::U32, test, &sources);
        self.builder.open_block();
        let source = self.pick_int_source();
        self.emit(Op::Mov, Type::U32, dst, &[source]);
        let then = self.builder.close_block();
        let cond = Cond::NonZero(scratch, 0, Type::U32);
        self.builder.branch(cond, then, None, Span::default());
    }
}
