//! Accesses of invocations of a patch to each other's outputs.
//!
//! In lock step all accesses are defined except two accesses of an output in one instruction, or by
//! both groups of a branch, one of which is a write. So values are read into registers and written
//! from registers, branches distribute the outputs over their groups, and per-patch outputs are
//! written with values that are equal in all invocations, or by a single invocation.

use super::generator::{Generator, RegisterPools};
use crate::inst::{Cond, Dst, OperandBase, Src, WriteMask};
use crate::op::Op;
use crate::operand::Swizzle;
use crate::program::{Program, RegisterId, Stage, Storage};
use crate::semantic::{Output, OutputId, Semantic};
use crate::span::Span;
use crate::types::{BaseType, Type, Width};

/// Maximum number of vertices of a patch.
const MAX_VERTICES: usize = 6;
/// Number of per-vertex outputs that invocations read of each other.
const VERTEX_OUTPUTS: usize = 3;
/// Number of per-patch outputs.
const PATCH_OUTPUTS: usize = 3;

/// A set of outputs that statements may use: bit `n` is index `n` of [`PatchExchange::outputs`].
pub(super) type OutputSet = u8;

/// The set of all outputs.
pub(super) const ALL_OUTPUTS: OutputSet = (1 << (VERTEX_OUTPUTS + PATCH_OUTPUTS)) - 1;

/// Outputs and registers for the exchange of values in a tessellation control program.
pub(super) struct PatchExchange {
    /// Per-vertex outputs, then per-patch outputs, with the registers that write them.
    outputs: Vec<(OutputId, RegisterId)>,
    /// Lane x is the index of the invocation.
    invocation_index: RegisterId,
    /// Lanes are 0 or 1, equal in all invocations.
    uniform_flags: RegisterId,
    /// Lane x is the index of the vertex that is read.
    vertex_index: RegisterId,
}

impl PatchExchange {
    /// Adds the outputs and registers through which the invocations of a patch exchange values;
    /// returns `None` for other stages. The outputs of vertices are generic varyings from
    /// `first_generic` on.
    pub(super) fn new(program: &mut Program, first_generic: u8) -> Option<Self> {
        if program.stage != Stage::TessControl {
            return None;
        }
        let of_vertices =
            (0..VERTEX_OUTPUTS as u8).map(|n| Semantic::GenericVarying(first_generic + n));
        let of_patch = (0..PATCH_OUTPUTS as u8).map(Semantic::GenericPatchVarying);
        let outputs = of_vertices.chain(of_patch).map(|semantic| {
            let output = program.outputs.push(Output {
                base: BaseType::UnsignedInt,
                ..Output::new(semantic)
            });
            let register = RegisterPools::make_register(Storage::Output(output), Width::W32);
            (output, program.registers.push(register))
        });
        let outputs = outputs.collect();
        let [number, same, vertex] = std::array::from_fn(|_| {
            let register = RegisterPools::make_register(Storage::Temp, Width::W32);
            program.registers.push(register)
        });
        Some(Self {
            outputs,
            invocation_index: number,
            uniform_flags: same,
            vertex_index: vertex,
        })
    }
}

impl Generator {
    /// Emits the initialization of the outputs and registers through which invocations exchange
    /// values; nothing in other stages than tessellation control.
    pub(super) fn emit_exchange_initialization(&mut self) {
        let Some(exchange) = &self.pools.patch_exchange else {
            return;
        };
        let (number, same) = (exchange.invocation_index, exchange.uniform_flags);
        let registers: Vec<RegisterId> = exchange.outputs.iter().map(|(_, id)| *id).collect();
        let input = Src::new(OperandBase::Input(self.input));
        let x = Dst::new(number, WriteMask::X);
        self.emit_op(Op::Mov, Type::U32, x, &[input]);
        let (param, one) = (self.pick_param(), self.push_literal(1));
        self.emit_op(Op::And, Type::U32, Self::make_full_dst(same), &[param, one]);
        for (position, register) in registers.into_iter().enumerate() {
            let source = self.pick_param();
            let invocation = Src {
                swizzle: Swizzle::splat(0),
                ..Src::from_register(number)
            };
            let (op, sources) = if position < VERTEX_OUTPUTS {
                (Op::Add, vec![source, invocation])
            } else {
                (Op::Mov, vec![source])
            };
            self.emit_op(op, Type::U32, Self::make_full_dst(register), &sources);
        }
    }

    /// Sets the number of vertices of the patches to a random one, and the mode for lock step.
    pub(super) fn pick_patch_size(&mut self) {
        let vertices = 1 + self.random.draw_below(MAX_VERTICES) as u32;
        let modes = &mut self.builder.program.modes;
        (modes.vertices_out, modes.lockstep) = (vertices, true);
    }

    /// Returns, with 30% probability, a lane that is 0 or 1, equal in all invocations, else `None`.
    /// Without an exchange no random number is drawn.
    pub(super) fn pick_uniform_lane(&mut self) -> Option<(RegisterId, u8)> {
        let same = self.pools.patch_exchange.as_ref()?.uniform_flags;
        let chosen = self.random.draw_percent(30);
        chosen.then(|| (same, self.random.draw_below(4) as u8))
    }

    /// Distributes the allowed outputs randomly over `count` groups, each to one of them. Without
    /// an exchange all groups get `allowed`, and no random number is drawn.
    pub(super) fn split_outputs(&mut self, allowed: OutputSet, count: usize) -> Vec<OutputSet> {
        if self.pools.patch_exchange.is_none() {
            return vec![allowed; count];
        }
        let mut groups = vec![0; count];
        for bit in (0..8).map(|bit| 1 << bit).filter(|bit| allowed & bit != 0) {
            groups[self.random.draw_below(count)] |= bit;
        }
        groups
    }

    /// Generates a read or write of a random output of `allowed`; a computation if there is none.
    pub(super) fn generate_exchange(&mut self, allowed: OutputSet) {
        let Some(exchange) = &self.pools.patch_exchange else {
            return self.generate_computation();
        };
        let usable = (0..exchange.outputs.len()).filter(|number| allowed >> number & 1 != 0);
        let usable: Vec<usize> = usable.collect();
        if usable.is_empty() {
            return self.generate_computation();
        }
        let index = self.random.pick(&usable);
        let Some(exchange) = &self.pools.patch_exchange else {
            return;
        };
        let (output, register) = exchange.outputs[index];
        match (self.random.draw_percent(50), index < VERTEX_OUTPUTS) {
            (true, _) => self.generate_output_read(output, index < VERTEX_OUTPUTS),
            (false, true) => {
                let (dst, source) = (self.pick_dst(register), self.pick_int_source());
                let op = self.random.pick(&[Op::Mov, Op::Not]);
                self.emit_op(op, Type::U32, dst, &[source]);
            }
            (false, false) => self.generate_patch_write(register),
        }
    }

    /// Generates a read of an output of the patch into an integer register; with `of_vertex`, of
    /// the output of any vertex.
    fn generate_output_read(&mut self, output: OutputId, of_vertex: bool) {
        let register = self.random.pick(&self.pools.int);
        let index = match &self.pools.patch_exchange {
            Some(exchange) if of_vertex => {
                let vertex = exchange.vertex_index;
                Some(self.pick_vertex_index(self.builder.program.modes.vertices_out, vertex))
            }
            Some(_) | None => None,
        };
        let swizzle = self.pick_swizzle();
        let source = Src {
            index,
            swizzle,
            ..Src::new(OperandBase::Output(output))
        };
        self.emit_combine(register, source);
    }

    /// Generates a write of a per-patch output: of a value that is equal in all invocations, or by
    /// a single invocation. Overwrites the scratch register in the latter case.
    fn generate_patch_write(&mut self, register: RegisterId) {
        let dst = self.pick_dst(register);
        if self.random.draw_percent(60) {
            let source = if self.random.draw_percent(50) {
                self.pick_param()
            } else {
                let bits = u64::from(self.random.draw_bits32());
                self.push_literal(bits)
            };
            return self.emit_op(Op::Mov, Type::U32, Dst { cc: None, ..dst }, &[source]);
        }
        let Some(exchange) = &self.pools.patch_exchange else {
            return;
        };
        let (number, scratch) = (exchange.invocation_index, self.pools.scratch);
        let vertices = self.builder.program.modes.vertices_out as usize;
        let chosen = self.random.draw_below(vertices) as u64;
        let chosen = self.push_literal(chosen);
        let test = Dst::new(scratch, WriteMask::X);
        let sources = [Src::from_register(number), chosen];
        self.emit_op(Op::SetEq, Type::U32, test, &sources);
        self.builder.open_block();
        let source = self.pick_int_source();
        self.emit_op(Op::Mov, Type::U32, dst, &[source]);
        let then = self.builder.close_block();
        let cond = Cond::NonZero(scratch, 0, Type::U32);
        self.builder.push_branch(cond, then, None, Span::default());
    }
}
