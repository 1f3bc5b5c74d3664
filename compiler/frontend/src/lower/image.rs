//! Image instructions. EXT_shader_image_load_store sections 2.X.8.Z and 3.9.X.

use super::handle::Purpose;
use super::operand::splat;
use super::{InstCx, Lowerer, sparse};
use crate::ast::Extra;
use crate::lang::modifiers::{TypeClass, register_type};
use crate::lang::opcodes::ImageOp;
use crate::lang::targets::TARGETS;
use crate::line::TextureSource;
use glasm_ir::inst::Aux;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Image, ImageAccess, ImageTexels, Op, Src, TexTarget, WriteMask};

/// Translates an image instruction.
pub(super) fn lower_image(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: ImageOp) {
    match op {
        ImageOp::Load => load(l, cx),
        ImageOp::Store => store(l, cx),
        ImageOp::Atomic => atomic(l, cx),
        ImageOp::QuerySize => query(l, cx, Op::ImageSize),
        ImageOp::QuerySamples => query(l, cx, Op::ImageSamples),
    }
}

/// LOADIM.
fn load(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let (aux, image) = access(l, cx, texels(cx));
    let (sources, count) = place(l, cx, 0, image.target);
    let sources = &sources[..count];
    let late = sparse::update(l, cx, aux, sources);
    accessed(l, cx, Op::ImageLoad, aux, sources);
    sparse::update_after(l, late);
}

/// Appends a load or an atomic; half floats are converted.
fn accessed(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: Op, aux: Aux, sources: &[Src]) {
    let ty = cx.types.ty;
    if ty != Type::F16 {
        return l.finish_with(cx, op, ty, aux, sources);
    }
    let register = l.hidden(Width::W32);
    let dst = glasm_ir::Dst::new(register, WriteMask::XYZW);
    l.inst(op, ty, Some(dst), aux, sources);
    let value = super::convert::cvt(l, Src::register(register), ty, Type::F32);
    l.finish_mov(cx, value);
}

/// STOREIM.
fn store(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let ty = cx.types.ty;
    let mut value = l.value(cx, 0, register_type(ty));
    if ty == Type::F16 {
        value = super::convert::cvt(l, value, Type::F32, ty);
    } else if value.has_modifier() && ty.width() < Width::W32 {
        // Signs are those of the value in its register, and the store reads only the low bits of it.
        value = l.compute(Op::Mov, register_type(ty), &[value]);
    }
    let (aux, image) = access(l, cx, texels(cx));
    let (place, count) = place(l, cx, 1, image.target);
    let sources = [value, place[0], place[1]];
    l.inst(Op::ImageStore, ty, None, aux, &sources[..1 + count]);
}

/// ATOMIM.
fn atomic(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let ty = cx.types.ty;
    let mut value = l.value(cx, 0, register_type(ty));
    if ty == Type::F16 {
        value = super::convert::cvt(l, value, Type::F32, ty);
    }
    let (aux, image) = access(l, cx, texels(cx));
    let (place, count) = place(l, cx, 1, image.target);
    let sources = [value, place[0], place[1]];
    let late = sparse::update_with(l, cx, |l| read_aux(l, aux), &sources[1..1 + count]);
    accessed(l, cx, Op::ImageAtomic, aux, &sources[..1 + count]);
    sparse::update_after(l, late);
}

/// The access data of a load from the texel that an atomic updates.
fn read_aux(l: &mut Lowerer<'_>, aux: Aux) -> Aux {
    let Aux::Image(id) = aux else { return aux };
    let accesses = &mut l.builder.program.image_accesses;
    let access = ImageAccess {
        atomic: None,
        ..accesses[id]
    };
    Aux::Image(accesses.push(access))
}

/// IMQ, IMQS.
fn query(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: Op) {
    let (aux, _) = access(l, cx, ImageTexels::Unseen);
    l.finish_with(cx, op, Type::S32, aux, &[]);
}

/// How the texels of an access are seen.
fn texels(cx: &InstCx<'_>) -> ImageTexels {
    let modifiers = cx.line.modifiers;
    let ty = cx.types.ty;
    let formatted =
        modifiers.type_count() == 0 || modifiers.data_type(0).info().class == TypeClass::Base;
    let raw = ImageTexels::raw(ty, cx.types.components);
    // The checker accepts no other storage modifiers.
    raw.filter(|_| !formatted)
        .unwrap_or(ImageTexels::Formatted(ty))
}

fn part<'c>(l: &Lowerer<'c>, cx: &InstCx<'_>) -> &'c TextureSource {
    let number = match cx.line.extra {
        Extra::Texture(number) => number as usize,
        // Only instructions with an image operand get here.
        Extra::None | Extra::Label(..) | Extra::ExtSwizzle(_) => 0,
    };
    &l.checked.lines.textures[number]
}

/// The access data, and the image.
fn access(l: &mut Lowerer<'_>, cx: &InstCx<'_>, texels: ImageTexels) -> (Aux, Image) {
    let part = part(l, cx);
    let image = Image {
        units: l.units(part, Purpose::Texels),
        target: TARGETS[part.target as usize].target,
        texels,
    };
    let images = &mut l.builder.program.images;
    let known = images.iter_enumerated().find(|(_, known)| **known == image);
    let id = match known {
        Some((id, _)) => id,
        None => images.push(image),
    };
    let element = l.chosen_unit(part, image.units);
    let components = match texels {
        ImageTexels::Raw(_) => cx.types.components,
        ImageTexels::Formatted(_) | ImageTexels::Unseen => 4,
    };
    let access = ImageAccess {
        image: id,
        element,
        components,
        atomic: cx.line.modifiers.atomic(),
        flags: Lowerer::mem_flags(cx),
    };
    let aux = Aux::Image(l.builder.program.image_accesses.push(access));
    (aux, image)
}

/// Coordinate and sample of operand `number`: table X.5. The layer of one-dimensional arrays stands in z by that table, in y by
/// the texts of size queries and shaders; the other one has to be 0, so the sum serves both.
fn place(
    l: &mut Lowerer<'_>,
    cx: &InstCx<'_>,
    number: usize,
    target: TexTarget,
) -> ([Src; 2], usize) {
    let coordinate = l.value(cx, number, Type::S32);
    let sample = splat(coordinate, 3);
    let coordinate = if target == TexTarget::D1Array {
        let register = l.hidden(Width::W32);
        l.put(register, WriteMask(1), Op::Mov, Type::S32, &[coordinate]);
        let sources = [splat(coordinate, 1), splat(coordinate, 2)];
        l.put(register, WriteMask(2), Op::Add, Type::S32, &sources);
        Src::register(register)
    } else {
        coordinate
    };
    (
        [coordinate, sample],
        1 + usize::from(target.is_multisample()),
    )
}
