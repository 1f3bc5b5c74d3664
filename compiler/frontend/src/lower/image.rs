//! Image instructions, and the parts of texel accesses that textures share with them: the units or
//! resident handles that an access can reach, and SPARSE, the residency of the texels.
//! EXT_shader_image_load_store sections 2.X.8.Z and 3.9.X, NV_bindless_texture changes to section
//! 2.X.4.4, EXT_sparse_texture2 sections 2.X.3.7 and 2.X.4.1.

use super::memory::{emit_access_result, find_mem_flags, load_stored_value};
use super::op_builder::{OpBuilder, SourceList};
use super::{InstContext, Lowerer, splat};
use crate::ast::{ExtraPart, Index as AstIndex};
use crate::check::VarKind;
use crate::lang::modifiers::{ModifierFlags, SPARSE_REGISTER, TypeClass};
use crate::lang::opcodes::ImageOp;
use crate::lang::texture_targets::{TARGETS, TargetInfo};
use crate::resolved_inst::{InstSource, TextureSource};
use glasm_ir::inst::InstData;
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    Dst, Image, ImageAccess, ImageTexels, IndexTerm, Op, OperandBase, Src, TexTarget, UnitSet,
    WriteMask,
};

/// Lowers an image instruction, a load, store, atomic operation or query, with the update of the
/// sparse condition code.
pub(super) fn lower_image(l: &mut Lowerer<'_>, cx: &InstContext<'_>, op: ImageOp) {
    match op {
        ImageOp::Load => lower_loadim(l, cx),
        ImageOp::Store => lower_storeim(l, cx),
        ImageOp::Atomic => lower_atomim(l, cx),
        ImageOp::QuerySize => lower_image_query(l, cx, Op::ImageSize),
        ImageOp::QuerySamples => lower_image_query(l, cx, Op::ImageSamples),
    }
}

/// Lowers LOADIM: loads the texel at operand 0, and updates the sparse condition code, if the
/// instruction has its modifier.
fn lower_loadim(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let mut sources = SourceList::new();
    let aux = make_texel_access(l, cx, 0, &mut sources);
    let late = update_sparse_code(l, cx, aux, sources.as_slice());
    emit_access_result(l, cx, Op::ImageLoad, aux, sources.as_slice());
    update_sparse_code_after(l, late);
}

/// Lowers STOREIM: stores operand 0 to the texel at the following operands.
fn lower_storeim(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let mut sources = SourceList::new();
    sources.push(load_stored_value(l, cx));
    let aux = make_texel_access(l, cx, 1, &mut sources);
    l.emit_inst(Op::ImageStore, cx.types.ty, None, aux, sources.as_slice());
}

/// Lowers ATOMIM: updates the texel at the operands after the first by operand 0; the result is its
/// old value. Updates the sparse condition code, if the instruction has its modifier.
fn lower_atomim(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let mut sources = SourceList::new();
    sources.push(load_stored_value(l, cx));
    let aux = make_texel_access(l, cx, 1, &mut sources);
    // Residency is queried by a load from the texel, which takes no value.
    let late = update_sparse_code_with(l, cx, |l| make_load_aux(l, aux), &sources.as_slice()[1..]);
    emit_access_result(l, cx, Op::ImageAtomic, aux, sources.as_slice());
    update_sparse_code_after(l, late);
}

/// Adds an access that loads the texel that the access `aux` updates atomically to the program, and
/// returns its data. Other data is returned unchanged.
fn make_load_aux(l: &mut Lowerer<'_>, aux: InstData) -> InstData {
    let InstData::Image(id) = aux else { return aux };
    let accesses = &mut l.resources.builder.program.image_accesses;
    let access = ImageAccess {
        atomic: None,
        ..accesses[id]
    };
    InstData::Image(accesses.push(access))
}

/// Lowers IMQ and IMQS by query `op`: size or number of samples of an image, as signed integers.
fn lower_image_query(l: &mut Lowerer<'_>, cx: &InstContext<'_>, op: Op) {
    let (aux, _) = make_access_aux(l, cx, ImageTexels::Unused);
    l.emit_result_with_aux(cx, op, Type::S32, aux, &[]);
}

/// Returns how an access interprets texels: as values of the image's format, if the instruction has
/// a base type or none, else as raw bits of the size of its type.
fn find_texel_interpretation(cx: &InstContext<'_>) -> ImageTexels {
    let modifiers = cx.inst.modifiers;
    let ty = cx.types.ty;
    // Without a storage type, or with a base type only, texels are converted from the format of the
    // image; other types access its bits.
    let formatted =
        modifiers.type_count() == 0 || modifiers.data_type(0).info().class == TypeClass::Base;
    let raw = ImageTexels::from_raw_elements(ty, cx.types.components);
    // The rules accept no other storage modifiers.
    raw.filter(|_| !formatted)
        .unwrap_or(ImageTexels::Formatted(ty))
}

/// Adds the image access of an instruction, and its image at the first use, to the program; returns
/// the data that refers to it and the texture target.
fn make_access_aux(
    lowerer: &mut Lowerer<'_>,
    cx: &InstContext<'_>,
    texels: ImageTexels,
) -> (InstData, TexTarget) {
    let (part, target) = find_texture_source(lowerer, cx);
    let image = Image {
        units: find_units(lowerer, part, AccessPurpose::Texels),
        target: target.target,
        texels,
        format: None,
    };
    let images = &mut lowerer.resources.builder.program.images;
    // Programs have few images: a search is cheaper than a map.
    let known = images.iter_enumerated().find(|(_, known)| **known == image);
    let id = match known {
        Some((id, _)) => id,
        None => images.push(image),
    };
    let components = match texels {
        ImageTexels::Raw(_) => cx.types.components,
        ImageTexels::Formatted(_) | ImageTexels::Unused => 4,
    };
    let access = ImageAccess {
        image: id,
        element: find_unit_index(lowerer, part, image.units),
        components,
        atomic: cx.inst.modifiers.atomic(),
        flags: find_mem_flags(cx),
    };
    let aux = InstData::Image(
        lowerer
            .resources
            .builder
            .program
            .image_accesses
            .push(access),
    );
    (aux, image.target)
}

/// Adds the access of an instruction to a texel to the program and returns its data; appends the
/// location, from operand `number`, to the sources: coordinate and, for multisample targets, sample
/// from component w. Table X.5.
fn make_texel_access(
    lowerer: &mut Lowerer<'_>,
    cx: &InstContext<'_>,
    number: usize,
    sources: &mut SourceList,
) -> InstData {
    let (aux, target) = make_access_aux(lowerer, cx, find_texel_interpretation(cx));
    let coordinate = lowerer.load_source(cx, number, Type::S32);
    sources.push(if target == TexTarget::D1Array {
        merge_layer_coordinate(lowerer, coordinate)
    } else {
        coordinate
    });
    if target.is_multisample() {
        sources.push(splat(coordinate, 3));
    }
    aux
}

/// Returns the coordinate in an array of one-dimensional images, with the layer in y, in a new
/// register. Its layer is in z by table X.5, in y by the specifications of size queries and
/// shaders; the other one has to be 0, so the sum serves both.
fn merge_layer_coordinate(l: &mut Lowerer<'_>, coordinate: Src) -> Src {
    let register = l.alloc_hidden(Width::W32);
    l.emit_to_register(register, WriteMask::X, Op::Mov, Type::S32, &[coordinate]);
    let layers = [splat(coordinate, 1), splat(coordinate, 2)];
    l.emit_to_register(register, WriteMask(0b0010), Op::Add, Type::S32, &layers);
    Src::from_register(register)
}

/// Purpose of an access: reading or writing texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AccessPurpose {
    Texels,
    Query,
}

/// Returns the texture or image operand of an instruction, which must have one, and the table entry
/// of its target.
pub(super) fn find_texture_source<'c>(
    l: &Lowerer<'c>,
    cx: &InstContext<'_>,
) -> (&'c TextureSource, &'static TargetInfo) {
    let number = match cx.inst.extra {
        ExtraPart::Texture(number) => number as usize,
        // Only instructions with such a part get here.
        ExtraPart::None | ExtraPart::Label(..) | ExtraPart::ExtSwizzle(_) => 0,
    };
    let part = &l.resources.checked.insts.textures[number];
    (part, &TARGETS[part.target as usize])
}

/// Returns the texture or image units that an access may use: one, an array that is dynamically
/// indexed, or those of a handle. Unit 0 for operands that are neither textures nor images.
pub(super) fn find_units(
    lowerer: &Lowerer<'_>,
    part: &TextureSource,
    purpose: AccessPurpose,
) -> UnitSet {
    match (part.handle, purpose) {
        // Through a handle, the type of the texels is known for accesses, but not for queries.
        (Some(_), AccessPurpose::Texels) => return UnitSet::Handle,
        (Some(_), AccessPurpose::Query) => return UnitSet::QueryHandle,
        (None, _) => {}
    }
    let Some((_, info)) = lowerer.resources.checked.find_value_var(part.texture.base) else {
        return UnitSet::Single(0);
    };
    let (VarKind::Texture { unit } | VarKind::Image { unit }) = info.kind else {
        return UnitSet::Single(0);
    };
    // Arrays without dynamic index are single units.
    match (info.array_size, part.texture.index) {
        (Some(_), AstIndex::Const(index)) if !info.has_relative_access => {
            UnitSet::Single(unit + index)
        }
        (array, _) => UnitSet::new(unit, array.filter(|_| info.has_relative_access)),
    }
}

/// Returns the dynamic index of the unit that an access selects, or the low word of its handle;
/// `None` for a single unit.
pub(super) fn find_unit_index(
    l: &mut Lowerer<'_>,
    part: &TextureSource,
    units: UnitSet,
) -> Option<IndexTerm> {
    match (units, &part.handle) {
        (UnitSet::Single(_), _) => None,
        (UnitSet::Handle | UnitSet::QueryHandle, Some(handle)) => {
            Some(load_handle_low_word(l, handle))
        }
        (UnitSet::Array { .. } | UnitSet::Handle | UnitSet::QueryHandle, _) => {
            Some(l.make_index_term(part.texture.index))
        }
    }
}

/// Returns the low word of a handle in a lane of a register, to which other operands are copied.
/// Handles of 32 bits are extended with zeros, so that they are all low word.
fn load_handle_low_word(lowerer: &mut Lowerer<'_>, handle: &InstSource) -> IndexTerm {
    let word = lowerer.load_operand(handle, Type::U32);
    let relative = match (word.base, word.index) {
        (OperandBase::Register(register), None) => (register, word.swizzle.lane(0) as u8),
        // Inputs and parameters go through a register.
        _ => {
            let register = lowerer.alloc_hidden(Width::W32);
            lowerer.emit_to_register(register, WriteMask::X, Op::Mov, Type::U32, &[word]);
            (register, 0)
        }
    };
    IndexTerm {
        relative: Some(relative),
        offset: 0,
    }
}

/// Emits the update of the sparse condition code of an instruction with the modifier SPARSE, before
/// the access itself, which may overwrite its own operands. Mask and condition of the result do not
/// matter to the code.
///
/// A result whose condition tests the sparse condition code tests the old one: then the code is
/// updated by [`update_sparse_code_after`], which takes the return value.
pub(super) fn update_sparse_code(
    l: &mut Lowerer<'_>,
    cx: &InstContext<'_>,
    aux: InstData,
    sources: &[Src],
) -> PostAccess {
    update_sparse_code_with(l, cx, |_| aux, sources)
}

/// Emits the update of [`update_sparse_code`] with access data that `aux` builds only if they are
/// needed.
pub(super) fn update_sparse_code_with(
    lowerer: &mut Lowerer<'_>,
    cx: &InstContext<'_>,
    aux: impl FnOnce(&mut Lowerer<'_>) -> InstData,
    sources: &[Src],
) -> PostAccess {
    if !cx.inst.modifiers.mods().contains(ModifierFlags::SPARSE) {
        return PostAccess(None);
    }
    let guard = cx.inst.dst.and_then(|dst| dst.guard);
    let tests_old = guard.is_some_and(|guard| guard.test.register == SPARSE_REGISTER);
    // The value itself is read only by `update_sparse_code_after`; an instruction needs some
    // destination.
    let register = lowerer.alloc_hidden(Width::W32);
    let mut dst = Dst::new(register, WriteMask::X);
    if !tests_old {
        dst.cc = Some(lowerer.resources.get_condition_code(SPARSE_REGISTER));
    }
    let aux = aux(lowerer);
    lowerer.emit_inst(Op::Resident, Type::S32, Some(dst), aux, sources);
    PostAccess(tests_old.then(|| Src::from_register(register)))
}

/// Operations that remain to be appended after the access.
#[must_use]
pub(super) struct PostAccess(Option<Src>);

/// Emits the update of the sparse condition code after the access, if that was not possible before;
/// else nothing.
pub(super) fn update_sparse_code_after(l: &mut Lowerer<'_>, post_access: PostAccess) {
    let PostAccess(Some(resident)) = post_access else {
        return;
    };
    let dst = Dst {
        cc: Some(l.resources.get_condition_code(SPARSE_REGISTER)),
        ..Dst::new(l.alloc_hidden(Width::W32), WriteMask::X)
    };
    l.emit_inst(Op::Mov, Type::S32, Some(dst), InstData::None, &[resident]);
}
