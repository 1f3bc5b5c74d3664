//! Descriptors in arrays: the descriptor that an access selects, and the ways in which the device
//! can index it.
//!
//! A number that may differ between invocations indexes an array of descriptors only if the device
//! supports that; otherwise a switch has a case for each of them.

use crate::builder::{Home, Lane, ModuleWriter, ValueBuilder};
use crate::capability::Need;
use crate::emit::control::guarded::run_by_case;
use crate::emit::cx::FunctionEmitter;
use crate::emit::memory::array::Element;
use crate::error::Failure;
use crate::words::{TypeWord, ValueWord};
use glasm_ir::inst::IndexTerm;
use glasm_ir::resource::BufferKind;
use glasm_ir::{TexTarget, Units};
use spirv::{Op as Spv, StorageClass};

/// Descriptor in an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::emit) enum Member {
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
pub(in crate::emit) struct Indexing {
    uniform: Need,
    divergent: Need,
}

impl Indexing {
    const fn new(uniform: Need, divergent: Need) -> Self {
        Self { uniform, divergent }
    }

    pub(in crate::emit) fn of_textures(target: TexTarget) -> Self {
        if target == TexTarget::Buffer {
            Self::new(Need::TexelBufferIndexing, Need::TexelBufferDivergence)
        } else {
            Self::new(Need::TextureIndexing, Need::TextureDivergence)
        }
    }

    pub(in crate::emit) fn of_images(target: TexTarget) -> Self {
        if target == TexTarget::Buffer {
            Self::new(Need::ImageBufferIndexing, Need::ImageBufferDivergence)
        } else {
            Self::new(Need::ImageIndexing, Need::ImageDivergence)
        }
    }

    pub(super) fn of_buffers(kind: BufferKind) -> Self {
        if kind == BufferKind::Constant {
            Self::new(Need::UniformIndexing, Need::UniformDivergence)
        } else {
            Self::new(Need::StorageIndexing, Need::StorageDivergence)
        }
    }
}

/// Returns the number of textures or images from which an access selects, if handles select from
/// `by_handle`; `None` if there is only one.
pub(in crate::emit) fn choices(units: Units, by_handle: u32) -> Option<u32> {
    match units {
        Units::One(_) => None,
        // Arrays have at least one element (`OpTypeArray`).
        Units::Array { count, .. } => Some(count.max(1)),
        Units::Handle | Units::QueriedHandle => Some(by_handle.max(1)),
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

/// Chooses the member of an array of `len` descriptors that an access selects; the first one if it
/// has no index.
pub(in crate::emit) fn choose_member(
    f: &mut FunctionEmitter<'_>,
    element: Option<IndexTerm>,
    len: u32,
) -> Result<Member, Failure> {
    let Some(term) = element else {
        return Ok(Member::Constant(0));
    };
    let uniform = match term.relative {
        Some((register, lane)) => {
            // Tests the number before the offset is added: the sum is a value of the body.
            let number = f.load_index(register, lane)?;
            is_uniform(f, number)
        }
        None => true,
    };
    Ok(match f.compute_element(term, len)? {
        Element::Constant(number) => Member::Constant(number),
        Element::Dynamic(number) if uniform => Member::Uniform(number),
        Element::Dynamic(number) => Member::Divergent(number),
    })
}

/// Returns true if a value is definitely the same in all invocations: a component of a parameter.
fn is_uniform(f: &mut FunctionEmitter<'_>, id: ValueWord) -> bool {
    if f.w.info(id).home == Home::Constant {
        return true;
    }
    // Values computed from parameters are uniform as well, but following them would cost more than
    // it saves.
    if let Some(&known) = f.tables.uniform.get(&id) {
        return known;
    }
    let params = f.interface.params.loaded.iter();
    let mut loaded = params.copied().filter(|param| param.is_some());
    let found = loaded.any(|param| is_part_of(f.w, id, param));
    f.tables.uniform.insert(id, found);
    found
}

/// Runs `access` with a member of an array of `len` that the device can index: several times if it
/// needs a case for each.
pub(in crate::emit) fn run_at_member<C: AsMut<ValueBuilder>>(
    cx: &mut C,
    indexing: Indexing,
    member: Member,
    len: u32,
    mut access: impl FnMut(&mut C, Member) -> Result<[Lane; 4], Failure>,
) -> Result<[Lane; 4], Failure> {
    // The capability is declared only for accesses that use it: other modules must run on devices
    // without it.
    let Some(number) = find_number_for_cases(cx.as_mut(), indexing, member) else {
        require_indexing(cx.as_mut(), indexing, member);
        return access(cx, member);
    };
    let number = cx.as_mut().val(number);
    run_by_case(cx, number, len, |cx, case| {
        access(cx, Member::Constant(case))
    })
}

/// Returns the dynamic number of a member by which the device cannot index, or `None` if it can.
pub(in crate::emit) fn find_number_for_cases(
    w: &ModuleWriter,
    indexing: Indexing,
    member: Member,
) -> Option<ValueWord> {
    let (number, need) = match member {
        Member::Constant(_) => return None,
        Member::Uniform(number) => (number, indexing.uniform),
        Member::Divergent(number) => (number, indexing.divergent),
    };
    (!need.is_met(&w.device)).then_some(number)
}

fn require_indexing(w: &mut ModuleWriter, indexing: Indexing, member: Member) {
    let needs: &[Need] = match member {
        Member::Constant(_) => &[],
        Member::Uniform(_) => &[indexing.uniform],
        // Two capabilities: that of the kind of descriptor, and `ShaderNonUniform` for the
        // decoration `NonUniform`.
        Member::Divergent(_) => &[indexing.divergent, Need::NonUniform],
    };
    needs.iter().for_each(|need| w.needs.insert(*need));
}

/// Returns true if `id` is a value of the prologue extracted from a parameter: a component of it,
/// or a cast of either.
fn is_part_of(w: &ModuleWriter, id: ValueWord, param: ValueWord) -> bool {
    let info = w.derived(param);
    let near =
        |value: ValueWord| value.is_some() && (value == id || w.derived(value).casts.contains(&id));
    let mut casts = info.casts.into_iter().filter(|cast| cast.is_some());
    near(param)
        || info.parts.into_iter().any(near)
        // A component of a cast vector, and a cast of a component, are two derivations of the same
        // lane.
        || casts.any(|cast| w.derived(cast).parts.contains(&id))
}

/// Returns the number of a member as an index.
pub(super) fn get_member_word(w: &mut ModuleWriter, member: Member) -> ValueWord {
    match member {
        Member::Constant(member) => w.uint(member),
        Member::Uniform(id) | Member::Divergent(id) => id,
    }
}

/// Accesses a member of an array of textures or images.
pub(in crate::emit) fn access_descriptor(
    w: &mut ValueBuilder,
    array: ValueWord,
    object: TypeWord,
    member: Member,
) -> Descriptor {
    let number = get_member_word(w, member);
    let operands = [array.0, number.0];
    let pointer = w.chain(StorageClass::UniformConstant, object, &operands);
    let divergent = matches!(member, Member::Divergent(_));
    // Vulkan requires the decoration on the operand by which an instruction accesses the resource:
    // a pointer or the loaded object.
    if divergent {
        w.decorate_divergent(pointer);
    }
    Descriptor {
        pointer,
        object,
        divergent,
    }
}

/// Loads the texture or image that a pointer points to.
pub(in crate::emit) fn load_descriptor(w: &mut ValueBuilder, descriptor: Descriptor) -> ValueWord {
    let loaded = w.object();
    let (ty, pointer) = (descriptor.object, descriptor.pointer);
    w.body.result(Spv::Load, ty, loaded, &[pointer.0]);
    if descriptor.divergent {
        w.decorate_divergent(loaded);
    }
    loaded
}
