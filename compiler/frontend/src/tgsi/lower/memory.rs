//! Memory, images and handles. TGSI, section "Resource Access Opcodes".

use super::image::{ImageOf, image_sources, texels_of};
use crate::codes::Code;
use crate::lower::formula::Formulas;
use crate::tgsi::ast::MemoryKind;
use crate::tgsi::check::Parsed;
use crate::tgsi::files::{Access, File};
use crate::tgsi::inst::Inst;
use crate::tgsi::lower::emitter::Emitter;
use crate::tgsi::opcodes::Memory;
use crate::tgsi::operand::TgsiResolver;
use crate::tgsi::operand::{Number, Register, splat};
use crate::tgsi::semantics::Sink;
use crate::tgsi::symbols::row;
use glasm_ir::inst::Aux;
use glasm_ir::resource::{AtomicOp, MemAccess, MemSpace};
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    Base, BufferId, BufferKind, Dst, IndexTerm, Input, Op, Semantic, Src, Swizzle, WriteMask,
};

/// The constant buffer that holds `MEMORY` that is `INPUT`.
const INPUT_BUFFER: u32 = 15;

/// Most bytes of shared and private memory.
const MAX_MEMORY: u32 = 1 << 20;

/// Numbers of memories are below this.
const MEMORIES: usize = 64;

/// Resource that an operand denotes.
pub(in crate::tgsi) enum Resource {
    /// Memory, and the dynamic element of an array of buffers.
    Memory(MemSpace, Option<IndexTerm>),
    /// A counter: its buffer, and its address instead of that of the operand.
    Counter(BufferId, Option<IndexTerm>, Src),
    Image(ImageOf),
}

/// Lowers accesses to memory and images.
pub(in crate::tgsi) struct MemoryAccess<'r, 'a> {
    pub(in crate::tgsi) cx: &'r mut TgsiResolver<'a>,
}

impl<'r, 'a> MemoryAccess<'r, 'a> {
    /// Returns the context of accesses.
    pub(in crate::tgsi) fn new(cx: &'r mut TgsiResolver<'a>) -> Self {
        Self { cx }
    }
}

impl MemoryAccess<'_, '_> {
    pub(in crate::tgsi) fn lower_memory_access(
        &mut self,
        inst: &Inst,
        memory: Memory,
    ) -> Parsed<()> {
        match memory {
            Memory::Load => self.load(inst),
            Memory::Store => self.store(inst),
            Memory::Size => self.lower_resource_size(inst),
            Memory::Atomic(op, ty) => self.atomic(inst, op, ty),
            Memory::ImageHandle => self.lower_unit_handle(inst, File::Image),
            Memory::SamplerHandle => self.lower_unit_handle(inst, File::Samp),
            Memory::ReadColor => self.lower_read_color(inst),
        }
    }

    /// Lowers FBFETCH: reads the attachment at the position of the fragment.
    fn lower_read_color(&mut self, inst: &Inst) -> Parsed<()> {
        let register = inst.registers[0];
        let number = register.number.known().unwrap_or(0).max(0) as usize;
        let output = row(&self.cx.declared.outputs, number).filter(|_| register.file == File::Out);
        let sink = output.map(|row| row.sink);
        let Some(Sink::Output(semantic @ Semantic::FragColor { .. }, _)) = sink else {
            let message = "the source of `FBFETCH` is an output with the semantic COLOR";
            return Err(self
                .cx
                .check
                .error(Code::OperandNotVariable, register.span, message));
        };
        // As an input, the semantic of an output is the contents of the attachment.
        let id = self.cx.emit.input_of(Input::new(semantic));
        let color = Src::new(Base::Input(id)).swizzled(inst.sources[0].swizzle);
        self.cx.emit.finish(inst, Op::Mov, Type::F32, &[color]);
        Ok(())
    }

    /// Returns the resource that an operand names.
    fn resource_of(&mut self, inst: &Inst, register: &Register) -> Parsed<Resource> {
        let numbers = [register.outer, Some(register.number)];
        // A resource of a negative number does not exist, unlike a register, which reads 0.
        let mut known = numbers.into_iter().flatten().filter_map(Number::known);
        if known.any(|number| number < 0) {
            return Err(self.cx.check.report_no_register(register));
        }
        match register.file {
            File::Buffer => self.buffer_resource(register),
            File::Memory => self.memory_resource(register),
            File::ConstBuf => Ok(self.constant_resource(register, register.number)),
            // A target indicates that a constant holds the handle of an image.
            File::Const if inst.access.is_image() => self.handle_resource(inst, register),
            File::Const => {
                // LOAD of CONST[b][0] or CONST[b]: the number of the buffer, the address is an
                // operand.
                let buffer = register.outer.unwrap_or(register.number);
                Ok(self.constant_resource(register, buffer))
            }
            File::HwAtomic => Ok(self.counter_resource(register)),
            File::Image | File::Res => self.image_resource(inst, register),
            File::Null
            | File::In
            | File::Out
            | File::Temp
            | File::Samp
            | File::Addr
            | File::Imm
            | File::Pred
            | File::Sv
            | File::ImmX
            | File::TempX
            | File::Sview => self.handle_resource(inst, register),
        }
    }

    fn buffer_resource(&mut self, register: &Register) -> Parsed<Resource> {
        if let Some(number) = register.number.known()
            && self.cx.declared.buffers.get(number.max(0) as usize) != Some(&true)
        {
            self.cx.declare_leniently(register)?;
        }
        let count = self.cx.declared.buffers.len();
        let (id, element) = self.buffers(BufferKind::Storage, count, register.number.term);
        Ok(Resource::Memory(MemSpace::Buffer(id), element))
    }

    fn memory_resource(&mut self, register: &Register) -> Parsed<Resource> {
        let number = self.cx.check.known_number(register, MEMORIES)?;
        let memories = &self.cx.declared.memories;
        let mut declared = memories.iter().flatten();
        // Some writers number memories by their kind in declarations, and by 0 in uses.
        let only = declared.next().filter(|_| declared.next().is_none());
        match row(memories, number).or(only.copied()) {
            Some(kind) => Ok(Resource::Memory(self.memory_space(kind), None)),
            None => Err(self.cx.report_undeclared(register)),
        }
    }

    /// Returns the constant buffer of a number, which `register` names.
    fn constant_resource(&mut self, register: &Register, buffer: Number) -> Resource {
        // Constant buffers need no declaration.
        self.cx.add_register(&Register {
            file: File::ConstBuf,
            outer: None,
            number: buffer,
            span: register.span,
        });
        let number = buffer.term;
        let (id, element) = match number.relative {
            None => (self.cx.constant_buffer(number.offset.max(0) as u32), None),
            Some(_) => (self.cx.constant_buffers(), Some(number)),
        };
        Resource::Memory(MemSpace::Buffer(id), element)
    }

    fn counter_resource(&mut self, register: &Register) -> Resource {
        // Counters need no declaration.
        self.cx.add_register(register);
        let buffer = register.outer.map_or(IndexTerm::constant(0), |it| it.term);
        let count = self.cx.declared.counter_buffers as usize;
        let (id, element) = self.buffers(BufferKind::Counter, count, buffer);
        // The register selects the counter: the operand of an address repeats it, in bytes.
        let address = self.counter_address(register.number.term);
        Resource::Counter(id, element, address)
    }

    /// Returns a buffer of a kind, or `count` of them as an array if the number is dynamic.
    fn buffers(
        &mut self,
        kind: BufferKind,
        count: usize,
        number: IndexTerm,
    ) -> (BufferId, Option<IndexTerm>) {
        match number.relative {
            None => (
                self.cx.emit.buffer(kind, number.offset.max(0) as u32, None),
                None,
            ),
            Some(_) => (
                self.cx.emit.buffer_array(kind, count.max(1) as u32),
                Some(number),
            ),
        }
    }

    fn memory_space(&mut self, kind: MemoryKind) -> MemSpace {
        let (kind, size) = match kind {
            MemoryKind::Global => return MemSpace::Global,
            MemoryKind::Input => return MemSpace::Buffer(self.cx.constant_buffer(INPUT_BUFFER)),
            MemoryKind::Shared => (BufferKind::Shared, self.cx.check.options.shared_memory),
            MemoryKind::Private => (BufferKind::Private, self.cx.check.options.private_memory),
        };
        // The caller specifies the number of bytes; memory of size 0 could not be declared.
        let size = size.clamp(4, MAX_MEMORY);
        MemSpace::Buffer(self.cx.emit.buffer(kind, 0, Some(size)))
    }

    /// Computes four times the number of a counter.
    fn counter_address(&mut self, number: IndexTerm) -> Src {
        let offset = self
            .cx
            .emit
            .word((number.offset.max(0) as u32).wrapping_mul(4));
        let Some((register, lane)) = number.relative else {
            return offset;
        };
        let index = splat(Src::register(register), lane);
        let two = self.cx.emit.word(2);
        let bytes = self.cx.emit.compute(Op::Shl, Type::U32, &[index, two]);
        self.cx.emit.compute(Op::Add, Type::U32, &[bytes, offset])
    }

    fn load(&mut self, inst: &Inst) -> Parsed<()> {
        let register = inst.registers[0];
        let is_handle = match register.file.access() {
            Access::Resource => false,
            Access::Read => inst.access.is_image(),
            // A temporary or an output cannot be memory, so its value is a handle.
            Access::Write => true,
        };
        // The swizzle of a handle selects the handle.
        let swizzle = if is_handle {
            Swizzle::XYZW
        } else {
            inst.sources[0].swizzle
        };
        let resource = self.resource_of(inst, &register)?;
        // Only words that reach the result are loaded, so that words past the end of a buffer do
        // not matter.
        let needed = swizzle.source_lanes(inst.mask().0);
        let value = match resource {
            Resource::Memory(space, element) => {
                let address = self.cx.emit.memory_address(space, inst.sources[1]);
                self.loaded(inst, (space, element), address, needed)
            }
            Resource::Counter(id, element, address) => {
                self.loaded(inst, (MemSpace::Buffer(id), element), address, needed & 1)
            }
            Resource::Image(image) if image.row.raw => self.raw_texels(inst, image, needed),
            Resource::Image(image) => {
                let ty = image.row.ty.unwrap_or(Type::F32);
                let aux = self.image_aux(inst, image, texels_of(&image), None);
                let (sources, count) = image_sources(&image, None, inst.sources[1]);
                self.cx
                    .emit
                    .compute_with(Op::ImageLoad, ty, aux, &sources[..count])
            }
        };
        self.cx
            .emit
            .finish(inst, Op::Mov, Type::F32, &[value.swizzled(swizzle)]);
        Ok(())
    }

    /// Loads consecutive words of memory from an address on, those in `lanes`.
    fn loaded(
        &mut self,
        inst: &Inst,
        memory: (MemSpace, Option<IndexTerm>),
        address: Src,
        lanes: u8,
    ) -> Src {
        let register = self.cx.emit.hidden(Width::W32);
        for (lane, components) in pieces(lanes, self.cx.emit.is_aligned(address)) {
            let aux = self.mem_aux(inst, memory, |access| MemAccess {
                components,
                offset: 4 * i32::from(lane),
                ..access
            });
            if lane == 0 {
                let mask = WriteMask((1 << components) - 1);
                let dst = Some(Dst::new(register, mask));
                self.cx.emit.inst(Op::Load, Type::U32, dst, aux, &[address]);
            } else {
                let word = self
                    .cx
                    .emit
                    .compute_with(Op::Load, Type::U32, aux, &[address]);
                let mask = WriteMask(1 << lane);
                self.cx
                    .emit
                    .put(register, mask, Op::Mov, Type::U32, &[splat(word, 0)]);
            }
        }
        Src::register(register)
    }

    /// Returns the data of an access to one word of memory, modified by `change`.
    fn mem_aux(
        &mut self,
        inst: &Inst,
        (space, element): (MemSpace, Option<IndexTerm>),
        change: impl FnOnce(MemAccess) -> MemAccess,
    ) -> Aux {
        let access = change(MemAccess {
            space,
            element,
            components: 1,
            offset: 0,
            atomic: None,
            flags: inst.access.flags,
        });
        Aux::Mem(self.cx.emit.builder.program.mem_accesses.push(access))
    }

    fn store(&mut self, inst: &Inst) -> Parsed<()> {
        let target = &inst.target;
        let register = &target.register;
        let (place, value) = (inst.sources[0], inst.sources[1]);
        match self.resource_of(inst, register)? {
            Resource::Memory(space, element) => {
                self.check_writable(register, space)?;
                let address = self.cx.emit.memory_address(space, place);
                self.stored(inst, (space, element), address, value, target.mask.0);
            }
            Resource::Counter(..) => return Err(self.cx.check.read_only(register)),
            Resource::Image(image) if !image.row.writable => {
                return Err(self.cx.check.report_read_only_image(register));
            }
            Resource::Image(image) if image.row.raw => {
                self.store_raw_texels(inst, image, value, target.mask.0);
            }
            Resource::Image(image) => {
                let ty = image.row.ty.unwrap_or(Type::F32);
                let aux = self.image_aux(inst, image, texels_of(&image), None);
                let (sources, count) = image_sources(&image, Some(value), place);
                self.cx
                    .emit
                    .inst(Op::ImageStore, ty, None, aux, &sources[..count]);
            }
        }
        Ok(())
    }

    /// Reports memory that instructions only read: constant buffers, and the input of a kernel,
    /// which is one.
    fn check_writable(&mut self, register: &Register, space: MemSpace) -> Parsed<()> {
        let buffers = &self.cx.emit.builder.program.buffers;
        if matches!(space, MemSpace::Buffer(id) if buffers[id].kind == BufferKind::Constant) {
            Err(self.cx.check.read_only(register))
        } else {
            Ok(())
        }
    }

    fn stored(
        &mut self,
        inst: &Inst,
        memory: (MemSpace, Option<IndexTerm>),
        address: Src,
        value: Src,
        mask: u8,
    ) {
        for (lane, components) in pieces(mask, self.cx.emit.is_aligned(address)) {
            let aux = self.mem_aux(inst, memory, |access| MemAccess {
                components,
                offset: 4 * i32::from(lane),
                ..access
            });
            // The store takes its words from x on.
            let value = match lane {
                0 => value,
                lane => splat(value, lane),
            };
            self.cx
                .emit
                .inst(Op::Store, Type::U32, None, aux, &[value, address]);
        }
    }

    /// Lowers RESQ: bytes of a buffer; width, height, layers and samples of an image.
    fn lower_resource_size(&mut self, inst: &Inst) -> Parsed<()> {
        let register = inst.registers[0];
        let memory = match self.resource_of(inst, &register)? {
            Resource::Memory(MemSpace::Buffer(id), element)
                if self.cx.emit.builder.program.buffers[id].kind == BufferKind::Storage =>
            {
                (MemSpace::Buffer(id), element)
            }
            Resource::Memory(..) => {
                let text = self.cx.check.text_of(register.span);
                let message = format!("`{text}` has no size to ask for: buffers and images have");
                return Err(self
                    .cx
                    .check
                    .error(Code::OperandNotVariable, register.span, message));
            }
            Resource::Counter(id, element, _) => (MemSpace::Buffer(id), element),
            Resource::Image(image) => {
                self.lower_image_size(inst, image);
                return Ok(());
            }
        };
        let aux = self.mem_aux(inst, memory, |access| access);
        let start = self.cx.emit.word(0);
        self.cx
            .emit
            .finish_with(inst, Op::BufferSize, Type::U32, aux, &[start]);
        Ok(())
    }

    fn atomic(&mut self, inst: &Inst, op: AtomicOp, ty: Type) -> Parsed<()> {
        let register = inst.registers[0];
        let value = if op == AtomicOp::CompareExchange {
            self.cx.emit.assemble(&[
                (0b0001, Op::Mov, Type::U32, &[inst.scalar(2)]),
                // x is compared, y is stored.
                (0b0010, Op::Mov, Type::U32, &[inst.scalar(3)]),
            ])
        } else {
            inst.scalar(2)
        };
        let (memory, address) = match self.resource_of(inst, &register)? {
            Resource::Memory(space, element) => {
                self.check_writable(&register, space)?;
                (
                    (space, element),
                    self.cx.emit.memory_address(space, inst.sources[1]),
                )
            }
            Resource::Counter(id, element, address) => ((MemSpace::Buffer(id), element), address),
            Resource::Image(image) => return self.lower_image_atomic(inst, image, (op, ty), value),
        };
        let aux = self.mem_aux(inst, memory, |access| MemAccess {
            atomic: Some(op),
            ..access
        });
        self.cx
            .emit
            .finish_with(inst, Op::Atomic, ty, aux, &[value, address]);
        Ok(())
    }
}

impl Emitter {
    /// Returns the first lane of an immediate.
    fn known_word(&self, source: Src) -> Option<u64> {
        let Base::Literal(literal) = source.base else {
            return None;
        };
        let words = self.builder.program.literals[literal];
        Some(words[source.swizzle.lane(0)])
    }

    /// Returns the address of an operand in the form that the memory takes.
    fn memory_address(&mut self, space: MemSpace, source: Src) -> Src {
        match space {
            // 64 bits, the low word in x.
            MemSpace::Global => self.compute(Op::Pack64, Type::U64, &[source]),
            MemSpace::Buffer(_) => splat(source, 0),
        }
    }

    /// Returns true if an address is known to be that of a vector.
    fn is_aligned(&self, address: Src) -> bool {
        let known = self.known_word(address);
        known.is_some_and(|address| address.is_multiple_of(16))
    }
}

/// Splits an access into first lane and number of words. All four and the first two words are
/// accessed together at the address of a vector, the others separately, so that each of them is in
/// or out of bounds by itself.
fn pieces(lanes: u8, aligned: bool) -> impl Iterator<Item = (u8, u8)> {
    let together = match lanes {
        0b1111 if aligned => Some((0, 4)),
        0b0011 if aligned => Some((0, 2)),
        _ => None,
    };
    let single = (0..4).filter(move |lane| together.is_none() && lanes >> lane & 1 != 0);
    together.into_iter().chain(single.map(|lane| (lane, 1)))
}
