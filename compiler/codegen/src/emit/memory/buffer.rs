//! Buffers as arrays of words: constant buffers are vectors of four words or floats in a uniform
//! block, storage buffers and atomic counters single words in a storage block, the parameters of
//! state programs vectors in a storage block, shared and private memory single words.
//!
//! Atomics on types other than words, and accesses to whole vectors, use additional variables with
//! the same descriptor as views of a storage block. Shared memory has no second view: if the
//! program updates 64 bits of it at once, all of it is an array of 64-bit integers.

use crate::builder::{ModuleWriter, Scalar, Val, ValueBuilder, int};
use crate::capability::Need;
use crate::emit::cx::BufferEmitter;
use crate::emit::memory::member::{Member, get_member_word};
use crate::emit::memory::place::BufferPlace;
use crate::emit::memory::resource_use::{ResourceUse, buffer_uses};
use crate::error::{Error, Failure};
use crate::interface::names::stage_word;
use crate::interface::{bind, stage_number};
use crate::options::{Options, Target};
use crate::reflect::{BufferBinding, DescriptorSlot};
use crate::words::{OperandList, TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::resource::{Buffer, BufferKind, MemSpace};
use glasm_ir::{Aux, BufferId, Op, Program, Stage, Type};
use spirv::{Decoration, Op as Spv, StorageClass};

/// Number of vectors in a constant buffer: 64 KiB. Values beyond them are undefined
/// (NV_parameter_buffer_object2, issue 2).
const CONSTANT_VECTORS: u32 = 4096;
/// Number of words in a constant buffer.
pub(super) const CONSTANT_WORDS: u32 = 4 * CONSTANT_VECTORS;
/// Number of words of shared memory if the program does not declare a size: 16 KiB, which every
/// Vulkan device has.
const SHARED_WORDS: u32 = 4096;

/// Element type of a view of a buffer: scalars, or vectors of two or four words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct View {
    pub(super) scalar: Scalar,
    pub(super) size: u8,
}

impl View {
    /// Returns the view as an array of vectors of words.
    pub(super) fn of_vectors(size: u8) -> Self {
        let scalar = Scalar::U32;
        Self { scalar, size }
    }

    /// Returns the stride between elements in bytes.
    pub(super) fn stride(self) -> u32 {
        u32::from(self.size) * if self.scalar.is_wide() { 8 } else { 4 }
    }
}

/// View as an array of words.
const WORDS: View = View {
    scalar: Scalar::U32,
    size: 1,
};

impl From<Scalar> for View {
    fn from(scalar: Scalar) -> Self {
        Self { scalar, size: 1 }
    }
}

/// Returns the number of a view in `BufferVariables`.
// Six: words, 64-bit integers, floats, doubles, vectors of two and of four words.
fn view_number(view: View) -> usize {
    if view.size > 1 {
        return if view.size == 2 { 4 } else { 5 };
    }
    match view.scalar {
        Scalar::U64 | Scalar::Pair => 1,
        Scalar::F32 => 2,
        Scalar::F64 => 3,
        Scalar::BoolFloat
        | Scalar::BoolInt
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::S32 => 0,
    }
}

impl BufferEmitter<'_, '_> {
    fn find_use(&mut self, id: BufferId) -> ResourceUse {
        if self.uses.is_empty() {
            *self.uses = buffer_uses(self.f.program);
        }
        self.uses[id.index()]
    }

    /// Chooses the component type of the vectors of a constant buffer: floats if most loads of it
    /// are floats, else words. Returns `None` for other buffers.
    pub(super) fn choose_constant_scalar(&mut self, id: BufferId) -> Option<Scalar> {
        if self.f.program.buffers[id].kind != BufferKind::Constant {
            return None;
        }
        let program = self.f.program;
        let known = &mut self.f.interface.resources.buffers[id.index()].constant;
        Some(*known.get_or_insert_with(|| most_read(program, id)))
    }

    /// Returns the variable of a buffer for `view`.
    fn get_variable(&mut self, id: BufferId, view: View) -> ValueWord {
        let view = match self.f.program.buffers[id].kind {
            // Constant buffers are arrays of vectors, regardless of the types that are loaded.
            BufferKind::Constant => WORDS,
            // So are parameters: some shading languages do not support a second view of a buffer.
            BufferKind::State if view == WORDS => View::of_vectors(4),
            BufferKind::Storage
            | BufferKind::Shared
            | BufferKind::Private
            | BufferKind::Counter
            | BufferKind::State => view,
        };
        let number = view_number(view);
        let known = self.f.interface.resources.buffers[id.index()].variables[number];
        if known.is_some() {
            return known;
        }
        let variable = self.declare_buffer(id, view);
        self.f.interface.resources.buffers[id.index()].variables[number] = variable;
        variable
    }

    fn declare_buffer(&mut self, id: BufferId, view: View) -> ValueWord {
        match self.f.program.buffers[id].kind {
            BufferKind::Shared => {
                let word = self.f.w.ty(view.scalar, 1);
                let len = self.count_shared_elements(id, view.scalar);
                let ty = self.f.w.declare_array(word, len);
                self.f.w.declare_variable(StorageClass::Workgroup, ty)
            }
            BufferKind::Private => {
                let word = self.f.w.ty(Scalar::U32, 1);
                let count_private_words = self.count_private_words(id);
                let ty = self.f.w.declare_array(word, count_private_words);
                self.f.w.declare_variable(StorageClass::Private, ty)
            }
            BufferKind::Constant => {
                let scalar = self.choose_constant_scalar(id);
                let vector = self.f.w.ty(scalar.unwrap_or(Scalar::U32), 4);
                let len = self.f.w.uint(CONSTANT_VECTORS);
                let array = self.f.w.declare_strided_array(vector, len);
                self.declare_block(id, array, view)
            }
            BufferKind::Storage | BufferKind::Counter | BufferKind::State => {
                let element = [self.f.w.ty(view.scalar, view.size).0];
                let array = self
                    .f
                    .w
                    .declare_distinct_type(Spv::TypeRuntimeArray, &element);
                let stride = [view.stride()];
                self.f.w.decorate(array, Decoration::ArrayStride, &stride);
                self.declare_block(id, array, view)
            }
        }
    }

    /// Counts the words of private memory.
    pub(super) fn count_private_words(&self, id: BufferId) -> u32 {
        let size = self.f.program.buffers[id].size.unwrap_or(0);
        // Arrays have at least one element (`OpTypeArray`).
        size.div_ceil(4).max(1)
    }

    /// Counts the elements of shared memory with type `view`.
    pub(super) fn count_shared_elements(&self, id: BufferId, view: Scalar) -> u32 {
        let size = self.f.program.buffers[id].size;
        let words = size.map_or(SHARED_WORDS, |bytes| bytes.div_ceil(4).max(1));
        // Rounded up, because the last integer contains the last word.
        words.div_ceil(if view.is_wide() { 2 } else { 1 })
    }

    /// Returns true if a buffer is shared memory of 64-bit integers.
    pub(super) fn is_wide_shared(&mut self, id: BufferId) -> bool {
        self.f.program.buffers[id].kind == BufferKind::Shared
            && self.find_use(id).contains(ResourceUse::WIDE_ATOMIC)
    }

    fn declare_block(&mut self, id: BufferId, array: TypeWord, view: View) -> ValueWord {
        let buffer = self.f.program.buffers[id];
        let (class, decoration) = block_class(buffer.kind, self.f.options.target);
        // Every view has a separate structure: `ArrayStride` belongs to the type.
        let block = self.f.w.declare_block(array, decoration);
        self.f.interface.resources.buffers[id.index()].blocks[view_number(view)] = block;
        let ty = match buffer.array {
            Some(len) => self.f.w.declare_array(block, len.max(1)),
            None => block,
        };
        let variable = self.f.w.declare_variable(class, ty);
        if buffer.kind != BufferKind::Constant {
            self.decorate_storage(id, block, variable);
        }
        let slot = self.choose_slot(buffer.kind, buffer.binding);
        bind(self.f.w, variable, slot);
        self.name_buffer(variable, block, buffer.kind, buffer.binding);
        let reflected = BufferBinding {
            slot,
            index: buffer.binding,
            count: buffer.array.unwrap_or(1).max(1),
            kind: buffer.kind,
        };
        let buffers = &mut self.f.interface.reflected.buffers;
        // Views of one buffer share its descriptor.
        if !buffers.contains(&reflected) {
            buffers.push(reflected);
        }
        variable
    }

    /// Chooses the binding of a buffer of the program.
    fn choose_slot(&self, kind: BufferKind, number: u32) -> DescriptorSlot {
        let bindings = &self.f.options.bindings;
        let (set, first) = match kind {
            BufferKind::Constant => {
                let stage = stage_number(self.f.program.stage);
                let first = bindings.buffers_per_stage.saturating_mul(stage);
                let first = bindings.first_buffer_binding.saturating_add(first);
                (bindings.buffer_set, first)
            }
            BufferKind::Counter => (bindings.storage_set, bindings.first_counter_binding),
            // Shared and private memory has no descriptor.
            BufferKind::Storage | BufferKind::Shared | BufferKind::Private | BufferKind::State => {
                (bindings.storage_set, bindings.first_storage_binding)
            }
        };
        DescriptorSlot {
            set,
            binding: first.saturating_add(number),
        }
    }

    fn name_buffer(&mut self, variable: ValueWord, block: TypeWord, kind: BufferKind, number: u32) {
        let stage = stage_word(self.f.program.stage);
        let (ty, name) = match kind {
            BufferKind::Constant => ("Buffer", "buffer"),
            BufferKind::Storage | BufferKind::Shared | BufferKind::Private => {
                ("Storage", "storage")
            }
            BufferKind::Counter => ("Counter", "counter"),
            BufferKind::State => ("State", "state"),
        };
        if self.f.options.debug.names {
            self.f.w.name_type(block, &format!("{stage}{ty}{number}"));
            self.f.w.name_member(block, 0, "data");
            self.f.w.name(variable, || format!("{name}{number}"));
        }
    }

    /// Decorates a storage block according to its uses in the program. Any two storage blocks may
    /// be the same memory.
    fn decorate_storage(&mut self, id: BufferId, block: TypeWord, variable: ValueWord) {
        // GL may bind one buffer object to several points, and views of a descriptor are the same
        // memory anyway; SPIR-V assumes that variables are distinct otherwise.
        self.f.w.decorate(variable, Decoration::Aliased, &[]);
        let uses = self.find_use(id);
        if uses.contains(ResourceUse::WRITTEN) {
            require_stores(self.f.w);
        }
        for decoration in uses.decorations() {
            let operands = [block.0, 0, decoration as u32];
            self.f.w.annotations.op(Spv::MemberDecorate, &operands);
        }
    }

    /// Computes a pointer to the block at a position, for `view`.
    pub(super) fn compute_block_pointer(&mut self, place: BufferPlace, view: View) -> ValueWord {
        let variable = self.get_variable(place.buffer, view);
        let buffer = self.f.program.buffers[place.buffer];
        if buffer.array.is_none() {
            return variable;
        }
        let variables = &self.f.interface.resources.buffers[place.buffer.index()];
        let block = variables.blocks[view_number(view)];
        let operands = [variable.0, get_member_word(self.f.w, place.member).0];
        let class = storage_class(buffer.kind, self.f.options.target);
        emit_access_chain(self.f.w, place, class, block, &operands)
    }

    /// Computes a pointer to element `number` of the buffer at a position, for `view`.
    pub(super) fn compute_cell_pointer(
        &mut self,
        place: BufferPlace,
        view: impl Into<View>,
        number: Val,
    ) -> ValueWord {
        let view = view.into();
        let id = place.buffer;
        let buffer = self.f.program.buffers[id];
        let variable = self.get_variable(id, view);
        let mut operands = OperandList::default();
        operands.push(variable);
        if buffer.array.is_some() {
            operands.push(get_member_word(self.f.w, place.member));
        }
        let number = self.clamp_number(id, view, number);
        let (is_block, is_of_vectors) = match buffer.kind {
            BufferKind::Private | BufferKind::Shared => (false, false),
            BufferKind::Storage | BufferKind::Counter => (true, false),
            // A word in a vector has two indices, a whole vector has one.
            BufferKind::Constant => (true, view.size == 1),
            BufferKind::State => (true, view == WORDS),
        };
        // The member of the structure of a block.
        if is_block {
            operands.push(self.f.w.uint(0));
        }
        if is_of_vectors {
            operands.push(self.f.w.binary_bits(Spv::ShiftRightLogical, number, 2).id);
            operands.push(self.f.w.binary_bits(Spv::BitwiseAnd, number, 3).id);
        } else {
            operands.push(number.id);
        }
        let element = self.f.w.ty(view.scalar, view.size);
        let class = storage_class(buffer.kind, self.f.options.target);
        emit_access_chain(self.f.w, place, class, element, &operands)
    }

    /// Clamps a number to existing elements, unless another mechanism ensures that accesses are in
    /// range.
    fn clamp_number(&mut self, id: BufferId, view: View, number: Val) -> Val {
        let last = match self.f.program.buffers[id].kind {
            // Shared memory has no robust access.
            BufferKind::Shared => self.count_shared_elements(id, view.scalar) - 1,
            // Values beyond the limit are undefined, but the element must exist.
            BufferKind::Constant => 16 * CONSTANT_VECTORS / view.stride() - 1,
            // Compared earlier with the result of `compute_bound`, or bounds-checked by the device.
            BufferKind::Private | BufferKind::Storage | BufferKind::Counter | BufferKind::State => {
                return number;
            }
        };
        // A constant number needs no comparison, which would add the last number to the constants
        // of the module.
        let known = self.f.w.constant_bits(number.id);
        if known.is_some_and(|known| known <= last.into()) {
            return number;
        }
        let last = self.f.w.constant_like(number, last.into());
        int::select_min(self.f.w, number, last)
    }
}

/// Returns an error if the program has more program parameter buffers than OpenGL bindings of its
/// stage, which are followed by those of the next stage.
pub(in crate::emit) fn check_buffers(program: &Program, options: &Options) -> Result<(), Failure> {
    let room = match program.stage {
        // Compute programs are not linked to others, and may use the bindings of all stages.
        Stage::Compute => options.bindings.buffers_per_stage.saturating_mul(5),
        Stage::Vertex
        | Stage::TessControl
        | Stage::TessEval
        | Stage::Geometry
        | Stage::Fragment => options.bindings.buffers_per_stage,
    };
    let mut constant = program.buffers.iter();
    let has_place = |buffer: &Buffer| {
        let count = buffer.array.unwrap_or(1);
        buffer.kind != BufferKind::Constant || buffer.binding.saturating_add(count) <= room
    };
    match constant.find(|buffer| options.target.is_opengl() && !has_place(buffer)) {
        Some(buffer) => Err(Error::unsupported(format!(
            "program parameter buffer {}: OpenGL has bindings for {room} of the stage",
            buffer.binding
        ))),
        None => Ok(()),
    }
}

/// Records that the stage writes to memory. Returns an error if the device does not support that.
pub(in crate::emit) fn require_stores(w: &mut ModuleWriter) {
    let need = match w.stage() {
        Stage::Fragment => Need::FragmentStores,
        // Compute stages may always store.
        Stage::Compute => Need::Shader,
        Stage::Vertex | Stage::TessControl | Stage::TessEval | Stage::Geometry => {
            Need::VertexStores
        }
    };
    w.needs.insert(need);
}

fn emit_access_chain(
    w: &mut ValueBuilder,
    place: BufferPlace,
    class: StorageClass,
    pointee: TypeWord,
    operands: &[u32],
) -> ValueWord {
    let pointer = w.chain(class, pointee, operands);
    if let Member::Divergent(_) = place.member {
        w.decorate_divergent(pointer);
    }
    pointer
}

/// Returns the type of most loads of a buffer: floats or words.
fn most_read(program: &Program, id: BufferId) -> Scalar {
    let loads = program.insts.iter().filter(|inst| inst.op == Op::Load);
    let of_buffer = loads.filter(|inst| match inst.aux {
        Aux::Mem(access) => program.mem_accesses[access].space == MemSpace::Buffer(id),
        Aux::None | Aux::Cvt { .. } | Aux::Tex(_) | Aux::Image(_) => false,
    });
    // Either view yields the same bits; loads of the other type require a bitcast each.
    let (floats, all) = of_buffer.fold((0usize, 0), |(floats, all), inst| {
        (floats + usize::from(inst.ty == Type::F32), all + 1)
    });
    if floats > all - floats {
        Scalar::F32
    } else {
        Scalar::U32
    }
}

fn storage_class(kind: BufferKind, target: Target) -> StorageClass {
    block_class(kind, target).0
}

/// Returns the storage class of a buffer, and the decoration of its type if it is a block.
fn block_class(kind: BufferKind, target: Target) -> (StorageClass, Decoration) {
    match kind {
        BufferKind::Constant => (StorageClass::Uniform, Decoration::Block),
        BufferKind::Storage | BufferKind::Counter | BufferKind::State => target.storage_block(),
        // These two are not blocks, so their decoration is unused.
        BufferKind::Shared => (StorageClass::Workgroup, Decoration::Block),
        BufferKind::Private => (StorageClass::Private, Decoration::Block),
    }
}
