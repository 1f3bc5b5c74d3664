//! Image instructions. EXT_shader_image_load_store sections 2.X.8.Z and 3.9.X.

use super::context::splat;
use super::formula::{Formulas, Sources};
use super::handle::find_chosen_unit;
use super::handle::find_units;
use super::handle::{Purpose, part};
use super::memory::{find_mem_flags, finish_access, stored_value};
use super::{InstCx, Lowerer, sparse};
use crate::lang::modifiers::TypeClass;
use crate::lang::opcodes::ImageOp;
use glasm_ir::inst::Aux;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Image, ImageAccess, ImageTexels, Op, Src, TexTarget, WriteMask};

/// Lowers an image instruction.
pub(super) fn lower_image(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: ImageOp) {
    match op {
        ImageOp::Load => load(l, cx),
        ImageOp::Store => store(l, cx),
        ImageOp::Atomic => atomic(l, cx),
        ImageOp::QuerySize => query(l, cx, Op::ImageSize),
        ImageOp::QuerySamples => query(l, cx, Op::ImageSamples),
    }
}

/// Lowers LOADIM.
fn load(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let mut sources = Sources::new();
    let aux = texel(l, cx, 0, &mut sources);
    let late = sparse::update(l, cx, aux, sources.all());
    finish_access(l, cx, Op::ImageLoad, aux, sources.all());
    sparse::update_after(l, late);
}

/// Lowers STOREIM.
fn store(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let mut sources = Sources::new();
    sources.push(stored_value(l, cx));
    let aux = texel(l, cx, 1, &mut sources);
    l.inst(Op::ImageStore, cx.types.ty, None, aux, sources.all());
}

/// Lowers ATOMIM.
fn atomic(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let mut sources = Sources::new();
    sources.push(stored_value(l, cx));
    let aux = texel(l, cx, 1, &mut sources);
    // Residency is queried by a load from the texel, which takes no value.
    let late = sparse::update_with(l, cx, |l| read_aux(l, aux), &sources.all()[1..]);
    finish_access(l, cx, Op::ImageAtomic, aux, sources.all());
    sparse::update_after(l, late);
}

/// Returns the access data of a load from the texel that an atomic updates.
fn read_aux(l: &mut Lowerer<'_>, aux: Aux) -> Aux {
    let Aux::Image(id) = aux else { return aux };
    let accesses = &mut l.resources.builder.program.image_accesses;
    let access = ImageAccess {
        atomic: None,
        ..accesses[id]
    };
    Aux::Image(accesses.push(access))
}

/// Lowers IMQ and IMQS.
fn query(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: Op) {
    let (aux, _) = access(l, cx, ImageTexels::Unseen);
    l.finish_with(cx, op, Type::S32, aux, &[]);
}

/// Returns the interpretation of the texels of an access.
fn texels(cx: &InstCx<'_>) -> ImageTexels {
    let modifiers = cx.line.modifiers;
    let ty = cx.types.ty;
    // Without a storage type, or with a base type only, texels are converted from the format of the
    // image; other types access its bits.
    let formatted =
        modifiers.type_count() == 0 || modifiers.data_type(0).info().class == TypeClass::Base;
    let raw = ImageTexels::raw(ty, cx.types.components);
    // The rules accept no other storage modifiers.
    raw.filter(|_| !formatted)
        .unwrap_or(ImageTexels::Formatted(ty))
}

/// Returns the access data, and the target.
fn access(l: &mut Lowerer<'_>, cx: &InstCx<'_>, texels: ImageTexels) -> (Aux, TexTarget) {
    let (part, target) = part(l, cx);
    let image = Image {
        units: find_units(l, part, Purpose::Texels),
        target: target.target,
        texels,
        format: None,
    };
    let images = &mut l.resources.builder.program.images;
    // Programs have few images: a search is cheaper than a map.
    let known = images.iter_enumerated().find(|(_, known)| **known == image);
    let id = match known {
        Some((id, _)) => id,
        None => images.push(image),
    };
    let components = match texels {
        ImageTexels::Raw(_) => cx.types.components,
        ImageTexels::Formatted(_) | ImageTexels::Unseen => 4,
    };
    let access = ImageAccess {
        image: id,
        element: find_chosen_unit(l, part, image.units),
        components,
        atomic: cx.line.modifiers.atomic(),
        flags: find_mem_flags(cx),
    };
    let aux = Aux::Image(l.resources.builder.program.image_accesses.push(access));
    (aux, image.target)
}

/// Returns the access data of a texel; adds its location, operand `number`, to the sources:
/// coordinate and sample, table X.5.
fn texel(l: &mut Lowerer<'_>, cx: &InstCx<'_>, number: usize, sources: &mut Sources) -> Aux {
    let (aux, target) = access(l, cx, texels(cx));
    let coordinate = l.value(cx, number, Type::S32);
    sources.push(if target == TexTarget::D1Array {
        layered(l, coordinate)
    } else {
        coordinate
    });
    if target.is_multisample() {
        sources.push(splat(coordinate, 3));
    }
    aux
}

/// Returns the coordinate in an array of one-dimensional images. Its layer is in z by table X.5, in
/// y by the specifications of size queries and shaders; the other one has to be 0, so the sum
/// serves both.
fn layered(l: &mut Lowerer<'_>, coordinate: Src) -> Src {
    let register = l.hidden(Width::W32);
    l.put(register, WriteMask::X, Op::Mov, Type::S32, &[coordinate]);
    let layers = [splat(coordinate, 1), splat(coordinate, 2)];
    l.put(register, WriteMask(0b0010), Op::Add, Type::S32, &layers);
    Src::register(register)
}
