//! Checked program to IR.
//!
//! Most instructions become one IR instruction. Composite ones are spelled out by the functions that the opcode table names:
//! they compute into hidden registers and write the result with one last instruction, so that all operands are read before
//! anything is written, and mask, guard, clamp and condition codes apply once.

mod alu;
mod arb;
mod composite;
mod convert;
mod derivative;
mod expand;
mod flow;
mod fog;
mod handle;
mod image;
mod loops;
mod memory;
mod operand;
mod pack;
mod resource;
mod result;
mod sparse;
mod texture;
mod thread;

use crate::ast::{Base as AstBase, Index as AstIndex, Inst as Line};
use crate::check::{Checked, InstTypes};
use crate::kept::Memory;
use crate::lang::modifiers::Mods;
use crate::lang::opcodes::{Lower, OpcodeInfo};
use crate::lang::options::Features;
use crate::source::Family;
use glasm_ir::arena::Id;
use glasm_ir::inst::LiteralId;
use glasm_ir::program::Modes;
use glasm_ir::structurize::StepBound;
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    Builder, Inst, InstFlags, Op, ParamId, ParamSource, Program, Register, RegisterId, Semantic,
    Span, Src, Storage, Texture, TextureId, WriteMask,
};
use resource::BufferKey;
use rustc_hash::{FxHashMap, FxHashSet};

/// The instruction being translated.
#[derive(Clone, Copy)]
pub(crate) struct Job<'c> {
    pub(crate) line: &'c Line,
    pub(crate) info: &'static OpcodeInfo,
    pub(crate) types: InstTypes,
    /// Type of the result.
    pub(crate) result: Type,
}

/// State of the translation.
pub(crate) struct Lowerer<'c> {
    pub(crate) checked: &'c Checked<'c>,
    pub(crate) builder: Builder,
    /// First place of each variable in `places`.
    first_place: Vec<u32>,
    /// Where variables live, once that is known; for arrays that are not indexed at run time a place for each element.
    places: Vec<Option<glasm_ir::Base>>,
    condition_codes: [Option<RegisterId>; 3],
    kill_code: Option<RegisterId>,
    literals: FxHashMap<[u64; 4], LiteralId>,
    params: FxHashMap<ParamSource, ParamId>,
    inputs: FxHashMap<(Semantic, Width), glasm_ir::InputId>,
    /// Register of each result, and the element if it is an array.
    results: FxHashMap<Semantic, (RegisterId, Option<(u32, u32)>)>,
    textures: FxHashMap<Texture, TextureId>,
    /// Textures that only queries have named so far.
    queried_textures: FxHashSet<Texture>,
    buffers: FxHashMap<BufferKey, glasm_ir::BufferId>,
    /// Hidden registers of 32 and 64 bits, used again by every instruction.
    hidden: [Vec<RegisterId>; 2],
    hidden_used: [usize; 2],
    flags: InstFlags,
    span: Span,
    /// See [`Source::step_limit`](crate::Source::step_limit).
    step_limit: Option<u32>,
    /// The count of executed instructions that ends loops, in programs that need one.
    bound: Option<StepBound>,
}

/// Translates a checked program.
pub(crate) fn lower(checked: &Checked<'_>, memory: &mut Memory) -> Program {
    let mut lowerer = Lowerer::new(checked, memory);
    lowerer.modes();
    lowerer.relative_arrays();
    lowerer.routines();
    lowerer.builder.program
}

impl<'c> Lowerer<'c> {
    fn new(checked: &'c Checked<'c>, memory: &mut Memory) -> Self {
        let mut program = memory.program(checked.ast.dialect.stage());
        let count = checked.ast.insts.len();
        program.insts.reserve(count + count / 4);
        program.srcs.reserve(checked.ast.operands.len() + count / 2);
        let mut places = 0;
        let first_place = checked.vars.iter().map(|var| {
            if !var.has_places() {
                return NO_PLACE;
            }
            let first = places;
            places += if var.relative {
                1
            } else {
                var.array.unwrap_or(1)
            };
            first
        });
        let first_place = first_place.collect();
        Self {
            checked,
            builder: Builder::new(program),
            first_place,
            places: vec![None; places as usize],
            condition_codes: [None; 3],
            kill_code: None,
            literals: FxHashMap::default(),
            params: FxHashMap::default(),
            inputs: FxHashMap::default(),
            results: FxHashMap::default(),
            textures: FxHashMap::default(),
            queried_textures: FxHashSet::default(),
            buffers: FxHashMap::default(),
            hidden: [Vec::new(), Vec::new()],
            hidden_used: [0; 2],
            flags: InstFlags::empty(),
            span: Span::default(),
            step_limit: checked.step_limit,
            bound: None,
        }
    }

    fn modes(&mut self) {
        let features = self.checked.features;
        let workgroup_size = match features.contains(Features::VARIABLE_GROUP_SIZE) {
            true => [0; 3],
            false => self.checked.group_size,
        };
        self.builder.program.modes = Modes {
            workgroup_size,
            secondary_view_layer_offset: self.checked.second_layer_offset.unwrap_or(0),
            ..self.checked.modes
        };
    }

    /// Translates an instruction that is no flow control.
    #[inline]
    fn instruction(&mut self, number: u32) {
        let job = self.job(number);
        let (line, info) = (job.line, job.info);
        self.flags = InstFlags::empty();
        if line
            .modifiers
            .mods()
            .intersects(Mods::PREC.union(Mods::HALF))
        {
            self.flags.set(
                InstFlags::PRECISE,
                line.modifiers.mods().contains(Mods::PREC),
            );
            self.flags.set(
                InstFlags::RELAXED,
                line.modifiers.mods().contains(Mods::HALF),
            );
        }
        match info.lower {
            Lower::Op(op) => self.direct(&job, op),
            Lower::Expand(expansion) => expand::expand(self, &job, expansion),
            Lower::Flow(_) | Lower::Missing => {}
        }
    }

    /// Whether the program is of the ARB family.
    pub(crate) fn is_arb(&self) -> bool {
        self.checked.ast.dialect.family() == Family::Arb
    }

    /// Begins an instruction.
    #[inline]
    fn job(&mut self, number: u32) -> Job<'c> {
        let checked = self.checked;
        let line = &checked.ast.insts[number as usize];
        let info = line.opcode.info();
        let types = checked.types[number as usize];
        self.span = line.span;
        self.hidden_used = [0; 2];
        Job {
            line,
            info,
            types,
            result: crate::check::result_type(info, types),
        }
    }

    /// One operation whose sources are the operands in order.
    ///
    /// Sources that are plain variables go straight into the program's table.
    #[inline]
    pub(crate) fn direct(&mut self, job: &Job<'_>, op: Op) {
        let checked = self.checked;
        let ty = job.types.ty;
        let first = job.line.first_operand as usize;
        let operands = &checked.ast.operands[first..first + job.line.operand_count as usize];
        let first_source = self.builder.program.srcs.len();
        for operand in operands {
            let base = match operand.base {
                AstBase::Var(var) => self.known_place(var, operand.index, ty.width()),
                AstBase::Scalar(_) | AstBase::Vector { .. } => {
                    let mut source = self.constant(operand, ty);
                    source.swizzle = operand.suffix.swizzle();
                    self.builder.program.srcs.push(source);
                    continue;
                }
                AstBase::Name(_) | AstBase::Path(_) => None,
            };
            let Some(base) = base else {
                return self.direct_slowly(job, op, first_source);
            };
            let mut source = Src {
                base,
                index: None,
                swizzle: operand.suffix.swizzle(),
                abs: false,
                negate: false,
            };
            if !operand.signs.is_empty() {
                operand::sign(&mut source, operand.signs, ty);
            }
            self.builder.program.srcs.push(source);
        }
        self.finish_pushed(job, op, ty, first_source as u32, operands.len() as u8);
    }

    /// What a variable, or an element of an array, is called in the program: if that is settled, no conversion is needed, and
    /// the index is a constant.
    #[inline]
    fn known_place(&self, var: u32, index: AstIndex, width: Width) -> Option<glasm_ir::Base> {
        let element = match index {
            AstIndex::None => 0,
            AstIndex::Const(element) => element,
            AstIndex::Relative(_) | AstIndex::Pair(_) => return None,
        };
        let info = &self.checked.vars[var as usize];
        if info.is_long() != (width == Width::W64) || info.relative {
            return None;
        }
        self.places
            .get(self.first_place[var as usize] as usize + element as usize)
            .copied()
            .flatten()
    }

    /// Like [`direct`](Self::direct) for all operands, after some were pushed in vain.
    fn direct_slowly(&mut self, job: &Job<'_>, op: Op, first_source: usize) {
        self.builder.program.srcs.truncate(first_source);
        let ty = job.types.ty;
        let mut sources = [placeholder(); 4];
        let count = (job.line.operand_count as usize).min(4);
        for (number, source) in sources.iter_mut().enumerate().take(count) {
            *source = self.value(job, number, ty);
        }
        self.finish(job, op, ty, &sources[..count]);
    }

    /// Appends an instruction that writes lanes of a hidden register.
    pub(crate) fn put(
        &mut self,
        register: RegisterId,
        mask: WriteMask,
        op: Op,
        ty: Type,
        sources: &[Src],
    ) {
        self.inst(
            op,
            ty,
            Some(glasm_ir::Dst::new(register, mask)),
            glasm_ir::inst::Aux::None,
            sources,
        );
    }

    /// A hidden register that holds the result of an operation in all lanes.
    pub(crate) fn compute(&mut self, op: Op, ty: Type, sources: &[Src]) -> Src {
        let register = self.hidden(ty.width());
        self.put(register, WriteMask::XYZW, op, ty, sources);
        Src::register(register)
    }

    /// Appends an instruction.
    #[inline]
    pub(crate) fn inst(
        &mut self,
        op: Op,
        ty: Type,
        dst: Option<glasm_ir::Dst>,
        aux: glasm_ir::inst::Aux,
        sources: &[Src],
    ) {
        let inst = Inst {
            op,
            ty,
            flags: self.flags,
            source_count: 0,
            first_source: 0,
            dst,
            aux,
            span: self.span,
        };
        self.builder.inst(inst, sources);
    }

    /// A register for intermediate values of this instruction.
    pub(crate) fn hidden(&mut self, width: Width) -> RegisterId {
        let pool = usize::from(width == Width::W64);
        let used = self.hidden_used[pool];
        self.hidden_used[pool] += 1;
        if let Some(&register) = self.hidden[pool].get(used) {
            return register;
        }
        let register = self.new_register(if pool == 1 { Width::W64 } else { Width::W32 });
        self.hidden[pool].push(register);
        register
    }

    /// A register of its own.
    pub(crate) fn new_register(&mut self, width: Width) -> RegisterId {
        self.builder.program.registers.push(Register {
            storage: Storage::Temp,
            width,
            array: None,
            name: None,
        })
    }

    /// The condition-code register `number`.
    pub(crate) fn condition_code(&mut self, number: u8) -> RegisterId {
        let slot = usize::from(number).min(self.condition_codes.len() - 1);
        if let Some(register) = self.condition_codes[slot] {
            return register;
        }
        let register = self.new_condition_code();
        self.condition_codes[slot] = Some(register);
        register
    }

    fn new_condition_code(&mut self) -> RegisterId {
        let register = Register {
            storage: Storage::Cond,
            width: Width::W32,
            array: None,
            name: None,
        };
        self.builder.program.registers.push(register)
    }

    /// The literal vector with these bits.
    pub(crate) fn literal_id(&mut self, bits: [u64; 4]) -> LiteralId {
        let program = &mut self.builder.program;
        *self
            .literals
            .entry(bits)
            .or_insert_with(|| program.literals.push(bits))
    }

    /// The same bits in all lanes.
    pub(crate) fn bits(&mut self, bits: u64) -> Src {
        Src::new(glasm_ir::Base::Literal(self.literal_id([bits; 4])))
    }

    /// A float in all lanes.
    pub(crate) fn float(&mut self, value: f32) -> Src {
        self.bits(u64::from(value.to_bits()))
    }
}

/// First place of variables that have none.
const NO_PLACE: u32 = u32::MAX;

/// Fills source arrays until the sources are known.
pub(crate) fn placeholder() -> Src {
    Src::new(glasm_ir::Base::Literal(LiteralId::new(0)))
}
