//! Texture instructions. NV_gpu_program4 section 2.X.4.4 and tables X.17, X.18.

use super::handle::Purpose;
use super::operand::splat;
use super::{InstCx, Lowerer, sparse};
use crate::ast::{Extra, Offset, SuffixKind};
use crate::lang::modifiers::Mods;
use crate::lang::opcodes::TextureOp;
use crate::lang::targets::{Reference, TARGETS, TargetInfo};
use crate::line::TextureSource;
use glasm_ir::inst::Aux;
use glasm_ir::resource::{TexAccess, TexMode, TexelOffset, Texture};
use glasm_ir::types::Type;
use glasm_ir::{Dst, Op, Src, TexTarget, TextureId, WriteMask};

const F: Type = Type::F32;

/// The texture part of an instruction.
fn part<'c>(l: &Lowerer<'c>, cx: &InstCx<'_>) -> (&'c TextureSource, &'static TargetInfo) {
    let number = match cx.line.extra {
        Extra::Texture(number) => number as usize,
        // Only instructions with a texture operand get here.
        Extra::None | Extra::Label(..) | Extra::ExtSwizzle(_) => 0,
    };
    let part = &l.checked.lines.textures[number];
    (part, &TARGETS[part.target as usize])
}

/// Translates a texture instruction.
pub(super) fn lower_texture(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: TextureOp) {
    match op {
        TextureOp::Sample => sample(l, cx),
        TextureOp::Bias => sample_bias(l, cx),
        TextureOp::Lod => sample_lod(l, cx),
        TextureOp::Project => sample_project(l, cx),
        TextureOp::Grad => sample_grad(l, cx),
        TextureOp::Fetch => fetch(l, cx),
        TextureOp::FetchSample => fetch_sample(l, cx),
        TextureOp::Gather => gather(l, cx),
        TextureOp::GatherOffsets => gather_offsets(l, cx),
        TextureOp::QuerySize => query_size(l, cx),
        TextureOp::QueryLod => query_lod(l, cx),
        TextureOp::QuerySamples => query_samples(l, cx),
    }
}

/// TEX.
fn sample(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let coordinate = l.value(cx, 0, F);
    access(l, cx, TexMode::Implicit, coordinate, &[]);
}

/// TXB: the bias is lane w of the coordinate, or in an operand of its own.
fn sample_bias(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let coordinate = l.value(cx, 0, F);
    let bias = level(l, cx, coordinate);
    access(l, cx, TexMode::Bias, coordinate, &[bias]);
}

/// TXL: the level is lane w of the coordinate, or in an operand of its own.
fn sample_lod(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let coordinate = l.value(cx, 0, F);
    let level = level(l, cx, coordinate);
    access(l, cx, TexMode::Lod, coordinate, &[level]);
}

/// Bias or level: w of the coordinate; x of the second operand, or y if x is the reference.
fn level(l: &mut Lowerer<'_>, cx: &InstCx<'_>, coordinate: Src) -> Src {
    let (part, target) = part(l, cx);
    let own = cx.info.operands.len() - 1;
    let before = own + usize::from(part.offset == Offset::Dynamic);
    if usize::from(cx.line.source_count) <= before || !target.is_full() {
        return splat(coordinate, 3);
    }
    let second = l.value(cx, own, F);
    splat(second, u8::from(target.reference == Reference::Operand))
}

/// TXP: x, y and z are divided by w first.
fn sample_project(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let source = l.value(cx, 0, F);
    let coordinate = l.compute(Op::Div, F, &[source, splat(source, 3)]);
    access(l, cx, TexMode::Implicit, coordinate, &[]);
}

/// TXD.
fn sample_grad(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let coordinate = l.value(cx, 0, F);
    let (ddx, ddy) = (l.value(cx, 1, F), l.value(cx, 2, F));
    access(l, cx, TexMode::Grad, coordinate, &[ddx, ddy]);
}

/// TXF: the level is lane w of the coordinate; buffers have none.
fn fetch(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let (_, target) = part(l, cx);
    let coordinate = l.value(cx, 0, Type::S32);
    let level = if target.target == TexTarget::Buffer {
        l.bits(0)
    } else {
        splat(coordinate, 3)
    };
    access(l, cx, TexMode::Fetch, coordinate, &[level]);
}

/// TXFMS: the sample is lane w of the coordinate.
fn fetch_sample(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let coordinate = l.value(cx, 0, Type::S32);
    access(
        l,
        cx,
        TexMode::FetchSample,
        coordinate,
        &[splat(coordinate, 3)],
    );
}

/// TXG.
fn gather(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let coordinate = l.value(cx, 0, F);
    let component = component(l, cx);
    access(l, cx, TexMode::Gather(component), coordinate, &[]);
}

/// TXGO.
fn gather_offsets(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let coordinate = l.value(cx, 0, F);
    let (x, y) = (l.value(cx, 1, Type::S32), l.value(cx, 2, Type::S32));
    let component = component(l, cx);
    access(
        l,
        cx,
        TexMode::GatherOffsets(component),
        coordinate,
        &[x, y],
    );
}

/// TXQ: the level is lane x.
fn query_size(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let level = l.value(cx, 0, Type::S32);
    access(l, cx, TexMode::QuerySize, level, &[splat(level, 0)]);
}

/// TXQS.
fn query_samples(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let unused = l.bits(0);
    access(l, cx, TexMode::QuerySamples, unused, &[]);
}

/// LOD.
fn query_lod(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let coordinate = l.value(cx, 0, F);
    access(l, cx, TexMode::QueryLod, coordinate, &[]);
}

/// The component that TXG and TXGO select.
fn component(l: &Lowerer<'_>, cx: &InstCx<'_>) -> u8 {
    match part(l, cx).0.texture.suffix.kind() {
        SuffixKind::One(lane) => lane,
        SuffixKind::None | SuffixKind::Four => 0,
    }
}

/// Emits the access. The IR wants its sources in this order: coordinate, reference, sources of the mode, least level, run-time offset.
fn access(l: &mut Lowerer<'_>, cx: &InstCx<'_>, mode: TexMode, coordinate: Src, own: &[Src]) {
    let (part, target) = part(l, cx);
    let (id, texture) = texture(l, cx, part, target, mode);
    let mut access = TexAccess::new(id, &texture, mode);
    access.element = l.chosen_unit(part, texture.units);
    let coordinate = match target.is_stack() {
        true => layer_of_stack(l, coordinate, &texture, id),
        false => coordinate,
    };
    let mut sources = [super::context::placeholder(); 6];
    let mut count = 0;
    let mut push = |source: Src| {
        sources[count] = source;
        count += 1;
    };
    if mode.has_coordinate() {
        push(coordinate);
    }
    let operands = cx.info.operands.len() - 1;
    if access.reference {
        push(match target.reference {
            Reference::Lane(lane) => splat(coordinate, lane),
            Reference::Operand | Reference::None => splat(l.value(cx, operands, F), 0),
        });
    }
    own.iter().copied().for_each(&mut push);
    if cx.line.modifiers.mods().contains(Mods::LODCLAMP) {
        access.min_lod = true;
        // TXD has the least level in w of its third operand. ARB_sparse_texture_clamp section 2.X.8.Z.
        push(if mode == TexMode::Grad {
            splat(own[1], 3)
        } else {
            splat(l.value(cx, operands, F), target.clamp_lane())
        });
    }
    match part.offset {
        Offset::None => {}
        // Zeros are allowed for every target, but SPIR-V takes no offset operand with cubes.
        Offset::Constant(offset) if offset == [0; 3] => {}
        Offset::Constant(offset) => {
            access.offset = TexelOffset::Constant(offset.map(|component| component as i8))
        }
        Offset::Dynamic => {
            access.offset = TexelOffset::Dynamic;
            let last = cx.line.source_count as usize - 1;
            push(l.value(cx, last, Type::S32));
        }
    }
    let aux = Aux::Tex(l.builder.program.tex_accesses.push(access));
    let sources = &sources[..count];
    let late = sparse::update(l, cx, aux, sources);
    l.finish_with(cx, Op::Tex, cx.result, aux, sources);
    sparse::update_after(l, late);
}

/// The coordinate of an array texture for that of a stack, whose layers lie between 0 and 1. Layers are not blended with each other, as
/// filters of 3D textures would, and coordinates beyond the ends stay at the ends.
fn layer_of_stack(l: &mut Lowerer<'_>, coordinate: Src, texture: &Texture, id: TextureId) -> Src {
    let access = TexAccess::new(id, texture, TexMode::QuerySize);
    let aux = Aux::Tex(l.builder.program.tex_accesses.push(access));
    let level = l.bits(0);
    let size = l.hidden(F.width());
    let dst = Dst::new(size, WriteMask::XYZW);
    l.inst(Op::Tex, Type::S32, Some(dst), aux, &[level]);
    let layers = l.converted(Src::register(size), Type::S32, F);
    let lane = texture.target.dimensions();
    let stacked = l.hidden(F.width());
    l.put(stacked, WriteMask::XYZW, Op::Mov, F, &[coordinate]);
    let layer = l.compute(Op::Mul, F, &[coordinate, layers]);
    l.put(stacked, WriteMask(1 << lane), Op::Floor, F, &[layer]);
    Src::register(stacked)
}

/// The texture of an access.
fn texture(
    l: &mut Lowerer<'_>,
    cx: &InstCx<'_>,
    part: &TextureSource,
    target: &TargetInfo,
    mode: TexMode,
) -> (TextureId, Texture) {
    let is_query = !mode.reads_texels();
    let purpose = match is_query {
        true => Purpose::Query,
        false => Purpose::Texels,
    };
    let units = l.units(part, purpose);
    let texel = if is_query { F } else { cx.result };
    let texture = Texture {
        units,
        target: target.target,
        shadow: target.is_shadow(),
        texel,
    };
    let id = if is_query && !units.is_handle() {
        queried_texture(l, texture)
    } else {
        accessed_texture(l, texture)
    };
    (id, texture)
}

/// The texture of a query: texels of any type will do. As long as nothing else accesses it, the type is open.
fn queried_texture(l: &mut Lowerer<'_>, texture: Texture) -> TextureId {
    let types = [F, Type::S32, Type::U32];
    let known = types
        .iter()
        .find_map(|&texel| l.tables.textures.get(&Texture { texel, ..texture }));
    if let Some(&id) = known {
        return id;
    }
    let id = l.builder.program.textures.push(texture);
    l.tables.textures.insert(texture, id);
    l.tables.queried_textures.insert(texture);
    id
}

/// The texture of an access that reads texels: their type is that of the result.
fn accessed_texture(l: &mut Lowerer<'_>, texture: Texture) -> TextureId {
    let open = Texture {
        texel: F,
        ..texture
    };
    let textures = &mut l.builder.program.textures;
    if l.tables.queried_textures.remove(&open)
        && let Some(id) = l.tables.textures.remove(&open)
    {
        textures[id].texel = texture.texel;
        l.tables.textures.insert(texture, id);
        return id;
    }
    *l.tables
        .textures
        .entry(texture)
        .or_insert_with(|| textures.push(texture))
}
