//! Descriptors in arrays: the descriptor that an access selects, and the ways in which the device
//! can index it.
//!
//! A number that may differ between invocations indexes an array of descriptors only if the device
//! supports that; otherwise a switch has a case for each of them.

use super::memory_registers::Element;
use crate::builder::{Lane, ModuleWriter, ValueBuilder, ValueOrigin};
use crate::capability::Requirement;
use crate::emit::context::FunctionEmitter;
use crate::emit::control::cond::emit_cases;
use crate::error::Failure;
use crate::spirv_writer::{TypeWord, ValueWord};
use glasm_ir::inst::IndexTerm;
use glasm_ir::resource::BufferKind;
use glasm_ir::{TexTarget, UnitSet};
use spirv::{Op as Spv, StorageClass};

/// Descriptor in an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::emit) enum DescriptorIndex {
    /// Constant; 0 for a descriptor that is not in an array.
    Constant(u32),
    /// Dynamic index, the same in all invocations.
    Uniform(ValueWord),
    /// Dynamic index that may differ between invocations.
    Divergent(ValueWord),
}

/// Capabilities that a module needs to index arrays of one kind of descriptors: by a uniform
/// number, and by any number.
#[derive(Clone, Copy)]
pub(in crate::emit) struct IndexingRequirements {
    uniform: Requirement,
    divergent: Requirement,
}

impl IndexingRequirements {
    /// Returns the capabilities for a uniform and for a divergent index.
    const fn new(uniform: Requirement, divergent: Requirement) -> Self {
        Self { uniform, divergent }
    }

    /// Returns the requirements for indexing arrays of textures of a target: with an equal index
    /// for all invocations, and with different ones.
    pub(in crate::emit) fn for_textures(target: TexTarget) -> Self {
        if target == TexTarget::Buffer {
            Self::new(
                Requirement::TexelBufferIndexing,
                Requirement::TexelBufferDivergence,
            )
        } else {
            Self::new(Requirement::TextureIndexing, Requirement::TextureDivergence)
        }
    }

    /// Returns the requirements for indexing arrays of images of a target: with an equal index for
    /// all invocations, and with different ones.
    pub(in crate::emit) fn for_images(target: TexTarget) -> Self {
        if target == TexTarget::Buffer {
            Self::new(
                Requirement::ImageBufferIndexing,
                Requirement::ImageBufferDivergence,
            )
        } else {
            Self::new(Requirement::ImageIndexing, Requirement::ImageDivergence)
        }
    }

    /// Returns the requirements for indexing arrays of buffers of a kind: with an equal index for
    /// all invocations, and with different ones.
    pub(super) fn for_buffers(kind: BufferKind) -> Self {
        if kind == BufferKind::ProgramParameter {
            Self::new(Requirement::UniformIndexing, Requirement::UniformDivergence)
        } else {
            Self::new(Requirement::StorageIndexing, Requirement::StorageDivergence)
        }
    }
}

/// Returns the number of textures or images from which an access selects, if handles select from
/// `by_handle`; `None` if there is only one.
pub(in crate::emit) fn descriptor_array_len(units: UnitSet, by_handle: u32) -> Option<u32> {
    match units {
        UnitSet::Single(_) => None,
        // Arrays have at least one element (`OpTypeArray`).
        UnitSet::Array { count, .. } => Some(count.max(1)),
        UnitSet::Handle | UnitSet::QueryHandle => Some(by_handle.max(1)),
    }
}

/// Pointer to a texture or an image.
#[derive(Clone, Copy, Debug)]
pub(in crate::emit) struct Descriptor {
    pub(in crate::emit) pointer: ValueWord,
    /// Type that the pointer points to.
    pub(in crate::emit) object: TypeWord,
    /// True if it may differ between invocations.
    pub(in crate::emit) divergent: bool,
}

/// Computes the member of an array of `len` descriptors that an access selects, clamped to the
/// array; the first one if it has no index. Divergent indices may differ between invocations.
pub(in crate::emit) fn choose_descriptor_index(
    function: &mut FunctionEmitter<'_>,
    element: Option<IndexTerm>,
    len: u32,
) -> Result<DescriptorIndex, Failure> {
    let Some(term) = element else {
        return Ok(DescriptorIndex::Constant(0));
    };
    let uniform = match term.relative {
        Some((register, lane)) => {
            // Tests the number before the offset is added: the sum is a value of the body.
            let number = function.load_index(register, lane)?;
            is_uniform(function, number)
        }
        None => true,
    };
    Ok(match function.compute_element(term, len)? {
        Element::Constant(number) => DescriptorIndex::Constant(number),
        Element::Dynamic(number) if uniform => DescriptorIndex::Uniform(number),
        Element::Dynamic(number) => DescriptorIndex::Divergent(number),
    })
}

/// Returns true if a value is definitely the same in all invocations: a constant, or a component of
/// a loaded parameter. Caches the result for values that are not constants.
fn is_uniform(function: &mut FunctionEmitter<'_>, id: ValueWord) -> bool {
    if function.builder.value_info(id).origin == ValueOrigin::Constant {
        return true;
    }
    // Values computed from parameters are uniform as well, but following them would cost more than
    // it saves.
    if let Some(&known) = function.operand_cache.uniform_values.get(&id) {
        return known;
    }
    let params = function.interface.params.loaded.iter();
    let mut loaded = params.copied().filter(|param| param.is_some());
    let is_param_part = loaded.any(|param| is_part_of(function.builder, id, param));
    function
        .operand_cache
        .uniform_values
        .insert(id, is_param_part);
    is_param_part
}

/// Calls `access` with a member of an array of `len` that the device can index: several times, each
/// in a case, if the device cannot index with `member`. Adds the requirements of the index. Returns
/// the lanes of the executed case.
pub(in crate::emit) fn emit_for_descriptor<C: AsMut<ValueBuilder>>(
    cx: &mut C,
    indexing: IndexingRequirements,
    member: DescriptorIndex,
    len: u32,
    mut access: impl FnMut(&mut C, DescriptorIndex) -> Result<[Lane; 4], Failure>,
) -> Result<[Lane; 4], Failure> {
    // The capability is declared only for accesses that use it: other modules must run on devices
    // without it.
    let Some(number) = find_switch_selector(cx.as_mut(), indexing, member) else {
        require_indexing(cx.as_mut(), indexing, member);
        return access(cx, member);
    };
    let number = cx.as_mut().val(number);
    emit_cases(cx, number, len, |cx, case| {
        access(cx, DescriptorIndex::Constant(case))
    })
}

/// Returns the dynamic number of a member by which the device cannot index, or `None` if it can.
pub(in crate::emit) fn find_switch_selector(
    module: &ModuleWriter,
    indexing: IndexingRequirements,
    member: DescriptorIndex,
) -> Option<ValueWord> {
    let (number, requirement) = match member {
        DescriptorIndex::Constant(_) => return None,
        DescriptorIndex::Uniform(number) => (number, indexing.uniform),
        DescriptorIndex::Divergent(number) => (number, indexing.divergent),
    };
    (!requirement.is_met(&module.device)).then_some(number)
}

/// Adds the requirements for a descriptor index to the module: none for constants.
fn require_indexing(
    module: &mut ModuleWriter,
    indexing: IndexingRequirements,
    member: DescriptorIndex,
) {
    let requirements: &[Requirement] = match member {
        DescriptorIndex::Constant(_) => &[],
        DescriptorIndex::Uniform(_) => &[indexing.uniform],
        // Two capabilities: that of the kind of descriptor, and `ShaderNonUniform` for the
        // decoration `NonUniform`.
        DescriptorIndex::Divergent(_) => &[indexing.divergent, Requirement::NonUniform],
    };
    requirements
        .iter()
        .for_each(|requirement| module.requirements.insert(*requirement));
}

/// Returns true if `id` is a value of the prologue extracted from a parameter: a component of it,
/// or a cast of either.
fn is_part_of(module: &ModuleWriter, id: ValueWord, param: ValueWord) -> bool {
    let info = module.derived(param);
    let near = |value: ValueWord| {
        value.is_some() && (value == id || module.derived(value).casts.contains(&id))
    };
    let mut casts = info.casts.into_iter().filter(|cast| cast.is_some());
    near(param)
        || info.parts.into_iter().any(near)
        // A component of a cast vector, and a cast of a component, are two derivations of the same
        // lane.
        || casts.any(|cast| module.derived(cast).parts.contains(&id))
}

/// Returns the id of the number of a member: a constant or a dynamic value.
pub(super) fn get_index_word(module: &mut ModuleWriter, member: DescriptorIndex) -> ValueWord {
    match member {
        DescriptorIndex::Constant(member) => module.constant_u32(member),
        DescriptorIndex::Uniform(id) | DescriptorIndex::Divergent(id) => id,
    }
}

/// Emits the pointer to an element of an array of textures or images, decorated if the index is
/// divergent. Returns it with the type of the element.
pub(in crate::emit) fn access_descriptor(
    builder: &mut ValueBuilder,
    array: ValueWord,
    object: TypeWord,
    member: DescriptorIndex,
) -> Descriptor {
    let number = get_index_word(builder, member);
    let operands = [array.0, number.0];
    let pointer = builder.emit_access_chain(StorageClass::UniformConstant, object, &operands);
    let divergent = matches!(member, DescriptorIndex::Divergent(_));
    // Vulkan requires the decoration on the operand by which an instruction accesses the resource:
    // a pointer or the loaded object.
    if divergent {
        builder.decorate_divergent(pointer);
    }
    Descriptor {
        pointer,
        object,
        divergent,
    }
}

/// Emits the load of a texture or image, decorated if its index is divergent.
pub(in crate::emit) fn load_descriptor(
    builder: &mut ValueBuilder,
    descriptor: Descriptor,
) -> ValueWord {
    let loaded = builder.new_object();
    let (ty, pointer) = (descriptor.object, descriptor.pointer);
    builder
        .body
        .push_result_inst(Spv::Load, ty, loaded, &[pointer.0]);
    if descriptor.divergent {
        builder.decorate_divergent(loaded);
    }
    loaded
}
