//! Buffers as arrays of words: constant buffers are vectors of four words or floats in a uniform
//! block, storage buffers and atomic counters single words in a storage block, the parameters of
//! state programs vectors in a storage block, shared and private memory single words.
//!
//! Atomics on types other than words, and accesses to whole vectors, use additional variables with
//! the same descriptor as views of a storage block. Shared memory has no second view: if the
//! program updates 64 bits of it at once, all of it is an array of 64-bit integers.

use crate::builder::{ModuleWriter, Scalar, Val, ValueBuilder, int};
use crate::capability::Requirement;
use crate::emit::context::BufferEmitter;
use crate::emit::memory::buffer_address::BufferAddress;
use crate::emit::memory::descriptor_index::{DescriptorIndex, get_index_word};
use crate::emit::memory::resource_use::{ResourceUse, find_buffer_uses};
use crate::error::{Error, Failure};
use crate::interface::names::stage_block_prefix;
use crate::interface::{decorate_binding, stage_binding_index};
use crate::options::{Options, Target};
use crate::reflect::{BufferBinding, DescriptorSlot};
use crate::spirv_writer::{OperandList, TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::resource::{Buffer, BufferKind, MemorySpace};
use glasm_ir::{BufferId, InstData, Op, Program, Stage, Type};
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
pub(super) struct BufferView {
    pub(super) scalar: Scalar,
    pub(super) size: u8,
}

impl BufferView {
    /// Returns the view as an array of vectors of `size` words.
    pub(super) fn from_vector_size(size: u8) -> Self {
        let scalar = Scalar::U32;
        Self { scalar, size }
    }

    /// Returns the stride between elements in bytes.
    pub(super) fn stride(self) -> u32 {
        u32::from(self.size) * if self.scalar.is_wide() { 8 } else { 4 }
    }
}

/// View as an array of words.
const WORD_VIEW: BufferView = BufferView {
    scalar: Scalar::U32,
    size: 1,
};

impl From<Scalar> for BufferView {
    fn from(scalar: Scalar) -> Self {
        Self { scalar, size: 1 }
    }
}

/// Returns the index of a view in the lists of `BufferVariables`.
// Six: words, 64-bit integers, floats, doubles, vectors of two and of four words.
fn buffer_view_index(view: BufferView) -> usize {
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
    /// Returns how the program uses a buffer; scans the program on the first call.
    fn get_buffer_use(&mut self, id: BufferId) -> ResourceUse {
        if self.buffer_uses.is_empty() {
            *self.buffer_uses = find_buffer_uses(self.function.program);
        }
        self.buffer_uses[id.index()]
    }

    /// Chooses the component type of the vectors of a constant buffer, once per buffer: floats if
    /// most loads of it are floats, else words. Returns `None` for other buffers.
    pub(super) fn choose_constant_scalar(&mut self, id: BufferId) -> Option<Scalar> {
        if self.function.program.buffers[id].kind != BufferKind::ProgramParameter {
            return None;
        }
        let program = self.function.program;
        let known = &mut self.function.interface.resources.buffers[id.index()].constant;
        Some(*known.get_or_insert_with(|| find_most_loaded_scalar(program, id)))
    }

    /// Returns the variable of a buffer for `view`, which it declares on first use. Constant
    /// buffers have one view, and words of state parameters are accessed in the view of vectors.
    fn get_buffer_variable(&mut self, id: BufferId, view: BufferView) -> ValueWord {
        let view = match self.function.program.buffers[id].kind {
            // Constant buffers are arrays of vectors, regardless of the types that are loaded.
            BufferKind::ProgramParameter => WORD_VIEW,
            // So are parameters: some shading languages do not support a second view of a buffer.
            BufferKind::VertexStateParameters if view == WORD_VIEW => {
                BufferView::from_vector_size(4)
            }
            BufferKind::Storage
            | BufferKind::Shared
            | BufferKind::Private
            | BufferKind::AtomicCounter
            | BufferKind::VertexStateParameters => view,
        };
        let number = buffer_view_index(view);
        let known = self.function.interface.resources.buffers[id.index()].variables[number];
        if known.is_some() {
            return known;
        }
        let variable = self.declare_buffer(id, view);
        self.function.interface.resources.buffers[id.index()].variables[number] = variable;
        variable
    }

    /// Declares the variable of a buffer for a view: an array in Workgroup or Private memory, or a
    /// block, which it decorates and reflects.
    fn declare_buffer(&mut self, id: BufferId, view: BufferView) -> ValueWord {
        match self.function.program.buffers[id].kind {
            BufferKind::Shared => {
                let word = self.function.builder.get_type(view.scalar, 1);
                let len = self.count_shared_elements(id, view.scalar);
                let ty = self.function.builder.declare_array(word, len);
                self.function
                    .builder
                    .declare_variable(StorageClass::Workgroup, ty)
            }
            BufferKind::Private => {
                let word = self.function.builder.get_type(Scalar::U32, 1);
                let count_private_words = self.count_private_words(id);
                let ty = self
                    .function
                    .builder
                    .declare_array(word, count_private_words);
                self.function
                    .builder
                    .declare_variable(StorageClass::Private, ty)
            }
            BufferKind::ProgramParameter => {
                let scalar = self.choose_constant_scalar(id);
                let vector = self
                    .function
                    .builder
                    .get_type(scalar.unwrap_or(Scalar::U32), 4);
                let len = self.function.builder.constant_u32(CONSTANT_VECTORS);
                let array = self.function.builder.declare_strided_array(vector, len);
                self.declare_block(id, array, view)
            }
            BufferKind::Storage | BufferKind::AtomicCounter | BufferKind::VertexStateParameters => {
                let element = [self.function.builder.get_type(view.scalar, view.size).0];
                let array = self
                    .function
                    .builder
                    .declare_distinct_type(Spv::TypeRuntimeArray, &element);
                let stride = [view.stride()];
                self.function
                    .builder
                    .decorate(array, Decoration::ArrayStride, &stride);
                self.declare_block(id, array, view)
            }
        }
    }

    /// Returns the size of private memory in 32-bit words, at least 1.
    pub(super) fn count_private_words(&self, id: BufferId) -> u32 {
        let size = self.function.program.buffers[id].size.unwrap_or(0);
        // Arrays have at least one element (`OpTypeArray`).
        size.div_ceil(4).max(1)
    }

    /// Returns the number of elements of shared memory if it is an array of `view`. Memory without
    /// a declared size has `SHARED_WORDS` words.
    pub(super) fn count_shared_elements(&self, id: BufferId, view: Scalar) -> u32 {
        let size = self.function.program.buffers[id].size;
        let words = size.map_or(SHARED_WORDS, |bytes| bytes.div_ceil(4).max(1));
        // Rounded up, because the last integer contains the last word.
        words.div_ceil(if view.is_wide() { 2 } else { 1 })
    }

    /// Returns true if a buffer is shared memory that is declared as 64-bit integers, because
    /// 64-bit atomics access it.
    pub(super) fn is_wide_shared(&mut self, id: BufferId) -> bool {
        self.function.program.buffers[id].kind == BufferKind::Shared
            && self.get_buffer_use(id).contains(ResourceUse::WIDE_ATOMIC)
    }

    /// Declares the block variable of a buffer that has a descriptor, or of an array of such
    /// buffers, decorates, binds and names it, and adds it to the reflection. Views of one buffer
    /// are reflected once.
    fn declare_block(&mut self, id: BufferId, array: TypeWord, view: BufferView) -> ValueWord {
        let buffer = self.function.program.buffers[id];
        let (class, decoration) = block_class(buffer.kind, self.function.options.target);
        // Every view has a separate structure: `ArrayStride` belongs to the type.
        let block = self.function.builder.declare_block(array, decoration);
        self.function.interface.resources.buffers[id.index()].blocks[buffer_view_index(view)] =
            block;
        let ty = match buffer.array_len {
            Some(len) => self.function.builder.declare_array(block, len.max(1)),
            None => block,
        };
        let variable = self.function.builder.declare_variable(class, ty);
        if buffer.kind != BufferKind::ProgramParameter {
            self.decorate_storage(id, block, variable);
        }
        let slot = self.choose_descriptor_slot(buffer.kind, buffer.binding);
        decorate_binding(self.function.builder, variable, slot);
        self.name_buffer(variable, block, buffer.kind, buffer.binding);
        let reflected = BufferBinding {
            slot,
            program_binding: buffer.binding,
            descriptor_count: buffer.array_len.unwrap_or(1).max(1),
            kind: buffer.kind,
        };
        let buffers = &mut self.function.interface.reflected.buffers;
        // Views of one buffer share its descriptor.
        if !buffers.contains(&reflected) {
            buffers.push(reflected);
        }
        variable
    }

    /// Chooses descriptor set and binding of a buffer by its kind, its number, the stage of the
    /// program and the options.
    fn choose_descriptor_slot(&self, kind: BufferKind, number: u32) -> DescriptorSlot {
        let bindings = &self.function.options.bindings;
        let (set, first) = match kind {
            BufferKind::ProgramParameter => {
                let stage = stage_binding_index(self.function.program.stage);
                let first = bindings.parameter_buffers_per_stage.saturating_mul(stage);
                let first = bindings
                    .first_parameter_buffer_binding
                    .saturating_add(first);
                (bindings.parameter_buffer_set, first)
            }
            BufferKind::AtomicCounter => {
                (bindings.storage_set, bindings.first_atomic_counter_binding)
            }
            // Shared and private memory has no descriptor.
            BufferKind::Storage
            | BufferKind::Shared
            | BufferKind::Private
            | BufferKind::VertexStateParameters => {
                (bindings.storage_set, bindings.first_storage_binding)
            }
        };
        DescriptorSlot {
            set,
            binding: first.saturating_add(number),
        }
    }

    /// Names the block type, its member and the variable of a buffer if the module has names.
    fn name_buffer(&mut self, variable: ValueWord, block: TypeWord, kind: BufferKind, number: u32) {
        let stage = stage_block_prefix(self.function.program.stage);
        let (ty, name) = match kind {
            BufferKind::ProgramParameter => ("Buffer", "buffer"),
            BufferKind::Storage | BufferKind::Shared | BufferKind::Private => {
                ("Storage", "storage")
            }
            BufferKind::AtomicCounter => ("Counter", "counter"),
            BufferKind::VertexStateParameters => ("State", "state"),
        };
        if self.function.options.debug.names {
            self.function
                .builder
                .name_type(block, &format!("{stage}{ty}{number}"));
            self.function.builder.name_member(block, 0, "data");
            self.function
                .builder
                .name_object(variable, || format!("{name}{number}"));
        }
    }

    /// Decorates a storage block according to its uses in the program, and requires stores if the
    /// program writes it. Any two storage blocks may be the same memory.
    fn decorate_storage(&mut self, id: BufferId, block: TypeWord, variable: ValueWord) {
        // GL may bind one buffer object to several points, and views of a descriptor are the same
        // memory anyway; SPIR-V assumes that variables are distinct otherwise.
        self.function
            .builder
            .decorate(variable, Decoration::Aliased, &[]);
        let uses = self.get_buffer_use(id);
        if uses.contains(ResourceUse::WRITTEN) {
            require_stores(self.function.builder);
        }
        for decoration in uses.decorations() {
            let operands = [block.0, 0, decoration as u32];
            self.function
                .builder
                .annotations
                .push_inst(Spv::MemberDecorate, &operands);
        }
    }

    /// Returns the pointer to the block of a buffer, which an array of buffers selects by its
    /// index. Declares the variable on first use.
    pub(super) fn compute_block_pointer(
        &mut self,
        address: BufferAddress,
        view: BufferView,
    ) -> ValueWord {
        let variable = self.get_buffer_variable(address.buffer, view);
        let buffer = self.function.program.buffers[address.buffer];
        if buffer.array_len.is_none() {
            return variable;
        }
        let variables = &self.function.interface.resources.buffers[address.buffer.index()];
        let block = variables.blocks[buffer_view_index(view)];
        let operands = [
            variable.0,
            get_index_word(self.function.builder, address.descriptor).0,
        ];
        let class = buffer_storage_class(buffer.kind, self.function.options.target);
        emit_access_chain(self.function.builder, address, class, block, &operands)
    }

    /// Computes a pointer to element `number` of the buffer at a position, for `view`. The byte
    /// offset of the position is ignored. Numbers beyond constant buffers and shared memory are
    /// clamped; all others must be in range or bounds-checked by the device.
    pub(super) fn compute_element_pointer(
        &mut self,
        address: BufferAddress,
        view: impl Into<BufferView>,
        number: Val,
    ) -> ValueWord {
        let view = view.into();
        let id = address.buffer;
        let buffer = self.function.program.buffers[id];
        let variable = self.get_buffer_variable(id, view);
        let mut operands = OperandList::default();
        operands.push(variable);
        if buffer.array_len.is_some() {
            operands.push(get_index_word(self.function.builder, address.descriptor));
        }
        let number = self.clamp_element_index(id, view, number);
        let (is_block, is_of_vectors) = match buffer.kind {
            BufferKind::Private | BufferKind::Shared => (false, false),
            BufferKind::Storage | BufferKind::AtomicCounter => (true, false),
            // A word in a vector has two indices, a whole vector has one.
            BufferKind::ProgramParameter => (true, view.size == 1),
            BufferKind::VertexStateParameters => (true, view == WORD_VIEW),
        };
        // The member of the structure of a block.
        if is_block {
            operands.push(self.function.builder.constant_u32(0));
        }
        if is_of_vectors {
            operands.push(
                self.function
                    .builder
                    .emit_binary_bits(Spv::ShiftRightLogical, number, 2)
                    .id,
            );
            operands.push(
                self.function
                    .builder
                    .emit_binary_bits(Spv::BitwiseAnd, number, 3)
                    .id,
            );
        } else {
            operands.push(number.id);
        }
        let element = self.function.builder.get_type(view.scalar, view.size);
        let class = buffer_storage_class(buffer.kind, self.function.options.target);
        emit_access_chain(self.function.builder, address, class, element, &operands)
    }

    /// Clamps a number to the elements of shared memory or a constant buffer. Other numbers are
    /// unchanged, because another mechanism ensures that their accesses are in range.
    fn clamp_element_index(&mut self, id: BufferId, view: BufferView, number: Val) -> Val {
        let last = match self.function.program.buffers[id].kind {
            // Shared memory has no robust access.
            BufferKind::Shared => self.count_shared_elements(id, view.scalar) - 1,
            // Values beyond the limit are undefined, but the element must exist.
            BufferKind::ProgramParameter => 16 * CONSTANT_VECTORS / view.stride() - 1,
            // Compared earlier with the result of `compute_bound`, or bounds-checked by the device.
            BufferKind::Private
            | BufferKind::Storage
            | BufferKind::AtomicCounter
            | BufferKind::VertexStateParameters => {
                return number;
            }
        };
        // A constant number needs no comparison, which would add the last number to the constants
        // of the module.
        let known = self.function.builder.constant_bits(number.id);
        if known.is_some_and(|known| known <= last.into()) {
            return number;
        }
        let last = self.function.builder.constant_like(number, last.into());
        int::select_min(self.function.builder, number, last)
    }
}

/// Returns an error if the target is OpenGL and a program parameter buffer exceeds the bindings of
/// its stage, which are followed by those of the next stage. Compute programs may use the bindings
/// of all stages.
pub(in crate::emit) fn check_buffers(program: &Program, options: &Options) -> Result<(), Failure> {
    let available_bindings = match program.stage {
        // Compute programs are not linked to others, and may use the bindings of all stages.
        Stage::Compute => options
            .bindings
            .parameter_buffers_per_stage
            .saturating_mul(5),
        Stage::Vertex
        | Stage::TessControl
        | Stage::TessEval
        | Stage::Geometry
        | Stage::Fragment => options.bindings.parameter_buffers_per_stage,
    };
    let mut constant = program.buffers.iter();
    let has_binding = |buffer: &Buffer| {
        let count = buffer.array_len.unwrap_or(1);
        buffer.kind != BufferKind::ProgramParameter
            || buffer.binding.saturating_add(count) <= available_bindings
    };
    match constant.find(|buffer| options.target.is_opengl() && !has_binding(buffer)) {
        Some(buffer) => Err(Error::unsupported(format!(
            "program parameter buffer {}: OpenGL has bindings for {available_bindings} of the stage",
            buffer.binding
        ))),
        None => Ok(()),
    }
}

/// Adds the requirement that the stage can write to memory.
pub(in crate::emit) fn require_stores(module: &mut ModuleWriter) {
    let requirement = match module.stage() {
        Stage::Fragment => Requirement::FragmentStores,
        // Compute stages may always store.
        Stage::Compute => Requirement::Shader,
        Stage::Vertex | Stage::TessControl | Stage::TessEval | Stage::Geometry => {
            Requirement::VertexStores
        }
    };
    module.requirements.insert(requirement);
}

/// Emits the access chain to an element of a buffer, decorated if the descriptor differs between
/// invocations.
fn emit_access_chain(
    builder: &mut ValueBuilder,
    address: BufferAddress,
    class: StorageClass,
    pointee: TypeWord,
    operands: &[u32],
) -> ValueWord {
    let pointer = builder.emit_access_chain(class, pointee, operands);
    if let DescriptorIndex::Divergent(_) = address.descriptor {
        builder.decorate_divergent(pointer);
    }
    pointer
}

/// Returns the component type of most loads of a buffer, 32-bit floats or words, which needs the
/// fewest casts. Returns words if both are equally frequent.
fn find_most_loaded_scalar(program: &Program, id: BufferId) -> Scalar {
    let loads = program.insts.iter().filter(|inst| inst.op == Op::Load);
    let of_buffer = loads.filter(|inst| match inst.data {
        InstData::Mem(access) => program.mem_accesses[access].space == MemorySpace::Buffer(id),
        InstData::None | InstData::Cvt { .. } | InstData::Tex(_) | InstData::Image(_) => false,
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

/// Returns the storage class of the variables of a kind of buffer.
fn buffer_storage_class(kind: BufferKind, target: Target) -> StorageClass {
    block_class(kind, target).0
}

/// Returns the storage class of a buffer, and the decoration of its type if it is a block.
fn block_class(kind: BufferKind, target: Target) -> (StorageClass, Decoration) {
    match kind {
        BufferKind::ProgramParameter => (StorageClass::Uniform, Decoration::Block),
        BufferKind::Storage | BufferKind::AtomicCounter | BufferKind::VertexStateParameters => {
            target.storage_block()
        }
        // These two are not blocks, so their decoration is unused.
        BufferKind::Shared => (StorageClass::Workgroup, Decoration::Block),
        BufferKind::Private => (StorageClass::Private, Decoration::Block),
    }
}
