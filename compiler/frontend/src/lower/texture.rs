//! Texture instructions. NV_gpu_program4 section 2.X.4.4 and tables X.17, X.18.

use super::context::splat;
use super::formula::{F, Formulas, Sources};
use super::handle::find_chosen_unit;
use super::handle::find_units;
use super::handle::{Purpose, part};
use super::{InstCx, Lowerer, sparse};
use crate::ast::{Offset, SuffixKind};
use crate::lang::modifiers::Mods;
use crate::lang::opcodes::TextureOp;
use crate::lang::targets::{Reference, TargetInfo};
use crate::line::TextureSource;
use glasm_ir::inst::Aux;
use glasm_ir::resource::{TexAccess, TexMode, TexelOffset, Texture};
use glasm_ir::types::Type;
use glasm_ir::{Op, Src, TexTarget, TextureId, WriteMask};

/// Lowers a texture instruction.
pub(super) fn lower_texture(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: TextureOp) {
    if op == TextureOp::QuerySamples {
        let unused = l.bits(0);
        return access(l, cx, TexMode::QuerySamples, unused, &[]);
    }
    // TXQ has its level instead of the coordinate.
    let coordinate = l.value(cx, 0, op.coordinate());
    let w = splat(coordinate, 3);
    match op {
        TextureOp::Sample => access(l, cx, TexMode::Implicit, coordinate, &[]),
        TextureOp::Bias => {
            let bias = level(l, cx, w);
            access(l, cx, TexMode::Bias, coordinate, &[bias]);
        }
        TextureOp::Lod => {
            let level = level(l, cx, w);
            access(l, cx, TexMode::Lod, coordinate, &[level]);
        }
        // Coordinates of cube maps have directions only. NV_fragment_program section 3.11.5.40.
        TextureOp::Project if keeps_direction(l, cx) => {
            access(l, cx, TexMode::Implicit, coordinate, &[]);
        }
        TextureOp::Project => {
            // The reference in z is divided as well: TXP divides the first three components.
            // Targets that need w for something else do not have it. NV_gpu_program4 section
            // 2.X.8.Z.
            let coordinate = l.compute(Op::Div, F, &[coordinate, w]);
            access(l, cx, TexMode::Implicit, coordinate, &[]);
        }
        TextureOp::Grad => {
            let own = [l.value(cx, 1, F), l.value(cx, 2, F)];
            access(l, cx, TexMode::Grad, coordinate, &own);
        }
        TextureOp::Fetch => {
            // Textures of buffers have one level.
            let is_buffer = part(l, cx).1.target == TexTarget::Buffer;
            let level = if is_buffer { l.bits(0) } else { w };
            access(l, cx, TexMode::Fetch, coordinate, &[level]);
        }
        TextureOp::FetchSample => access(l, cx, TexMode::FetchSample, coordinate, &[w]),
        TextureOp::Gather => {
            let mode = TexMode::Gather(component(l, cx));
            access(l, cx, mode, coordinate, &[]);
        }
        TextureOp::GatherOffsets => {
            let own = [l.value(cx, 1, Type::S32), l.value(cx, 2, Type::S32)];
            let mode = TexMode::GatherOffsets(component(l, cx));
            access(l, cx, mode, coordinate, &own);
        }
        TextureOp::QuerySize => {
            // TXQ has a vector operand, of which only x is used.
            let level = splat(coordinate, 0);
            access(l, cx, TexMode::QuerySize, coordinate, &[level]);
        }
        TextureOp::QueryLod => access(l, cx, TexMode::QueryLod, coordinate, &[]),
        // Without a coordinate, it was translated above.
        TextureOp::QuerySamples => {}
    }
}

/// Returns true if a lookup with projection does not divide.
fn keeps_direction(l: &Lowerer<'_>, cx: &InstCx<'_>) -> bool {
    l.resources.has_exact_precision() && part(l, cx).1.is_cube()
}

/// Returns bias or level: w of the coordinate; x of the second operand, or y if x is the reference.
/// EXT_sparse_texture2 table X.17.
fn level(l: &mut Lowerer<'_>, cx: &InstCx<'_>, w: Src) -> Src {
    let (part, target) = part(l, cx);
    // The last kind of operand in the entry is the texture itself.
    let own = cx.info.operands.len() - 1;
    // A dynamic offset is an operand after those of the opcode, too.
    let before = own + usize::from(part.offset == Offset::Dynamic);
    if usize::from(cx.line.source_count) <= before || !target.is_full() {
        return w;
    }
    let second = l.value(cx, own, F);
    splat(second, u8::from(target.reference == Reference::Operand))
}

/// Returns the component that TXG and TXGO select.
fn component(l: &Lowerer<'_>, cx: &InstCx<'_>) -> u8 {
    match part(l, cx).0.texture.suffix.kind() {
        SuffixKind::One(lane) => lane,
        SuffixKind::None | SuffixKind::Four => 0,
    }
}

/// Emits the access. The IR requires its sources in this order: coordinate, reference, sources of
/// the mode, least level, dynamic offset.
fn access(l: &mut Lowerer<'_>, cx: &InstCx<'_>, mode: TexMode, coordinate: Src, own: &[Src]) {
    let (part, target) = part(l, cx);
    let (id, texture) = texture(l, cx, part, target, mode);
    let mut access = TexAccess::new(id, &texture, mode);
    access.element = find_chosen_unit(l, part, texture.units);
    let coordinate = if target.is_stack() {
        layer_of_stack(l, coordinate, &texture, id)
    } else {
        coordinate
    };
    let mut sources = Sources::new();
    if mode.has_coordinate() {
        sources.push(coordinate);
    }
    // The operand after those of the opcode.
    let further = cx.info.operands.len() - 1;
    if access.reference {
        sources.push(match target.reference {
            Reference::Lane(lane) => splat(coordinate, lane),
            Reference::Operand | Reference::None => splat(l.value(cx, further, F), 0),
        });
    }
    own.iter().for_each(|&source| sources.push(source));
    if cx.line.modifiers.mods().contains(Mods::LODCLAMP) {
        access.min_lod = true;
        // TXD has the least level in w of its third operand. ARB_sparse_texture_clamp section
        // 2.X.8.Z.
        sources.push(if mode == TexMode::Grad {
            splat(own[1], 3)
        } else {
            splat(l.value(cx, further, F), target.clamp_lane())
        });
    }
    access.offset = offset(l, cx, part.offset, &mut sources);
    let aux = Aux::Tex(l.resources.builder.program.tex_accesses.push(access));
    let late = sparse::update(l, cx, aux, sources.all());
    l.finish_with(cx, Op::Tex, cx.result, aux, sources.all());
    sparse::update_after(l, late);
}

/// Returns the texel offset of an access; a dynamic one is the last operand and the last source.
fn offset(
    l: &mut Lowerer<'_>,
    cx: &InstCx<'_>,
    offset: Offset,
    sources: &mut Sources,
) -> TexelOffset {
    match offset {
        // Zeros are allowed for every target, but SPIR-V takes no offset operand with cubes.
        Offset::None | Offset::Constant([0, 0, 0]) => TexelOffset::None,
        // No truncation: the rules accept -8 to 7 only.
        Offset::Constant(offset) => TexelOffset::Constant(offset.map(|it| it as i8)),
        Offset::Dynamic => {
            let last = cx.line.source_count as usize - 1;
            sources.push(l.value(cx, last, Type::S32));
            TexelOffset::Dynamic
        }
    }
}

/// Returns the coordinate of an array texture for that of a stack, whose layers are in [0, 1]: they
/// are not blended with each other, as filters of 3D textures would, and coordinates beyond the
/// ends are clamped to the ends.
fn layer_of_stack(l: &mut Lowerer<'_>, coordinate: Src, texture: &Texture, id: TextureId) -> Src {
    let access = TexAccess::new(id, texture, TexMode::QuerySize);
    let aux = Aux::Tex(l.resources.builder.program.tex_accesses.push(access));
    let level = l.bits(0);
    let size = l.compute_with(Op::Tex, Type::S32, aux, &[level]);
    let layers = l.converted(size, Type::S32, F);
    // The layer follows the coordinates of the image: y of 1D_STACK, z of 2D_STACK.
    let lane = texture.target.dimensions();
    let stacked = l.hidden(F.width());
    l.put(stacked, WriteMask::XYZW, Op::Mov, F, &[coordinate]);
    let layer = l.compute(Op::Mul, F, &[coordinate, layers]);
    l.put(stacked, WriteMask(1 << lane), Op::Floor, F, &[layer]);
    Src::register(stacked)
}

/// Returns the texture of an access.
fn texture(
    l: &mut Lowerer<'_>,
    cx: &InstCx<'_>,
    part: &TextureSource,
    target: &TargetInfo,
    mode: TexMode,
) -> (TextureId, Texture) {
    // The type of the result defines the interpretation of texels, which is irrelevant for a query.
    let (purpose, texel) = if mode.reads_texels() {
        (Purpose::Texels, cx.result)
    } else {
        (Purpose::Query, F)
    };
    let units = find_units(l, part, purpose);
    let texture = Texture {
        units,
        target: target.target,
        shadow: target.is_shadow(),
        texel,
        sampler: None,
    };
    let id = if purpose == Purpose::Query && !units.is_handle() {
        queried_texture(l, texture)
    } else {
        accessed_texture(l, texture)
    };
    (id, texture)
}

/// Returns the texture of a query: texels of any type will do. As long as no other instruction
/// accesses it, the type is open.
fn queried_texture(l: &mut Lowerer<'_>, texture: Texture) -> TextureId {
    let types = [F, Type::S32, Type::U32];
    let known = types.iter().find_map(|&texel| {
        l.resources
            .tables
            .textures
            .get(&Texture { texel, ..texture })
    });
    if let Some(&id) = known {
        return id;
    }
    let id = l.resources.builder.program.textures.push(texture);
    l.resources.tables.textures.insert(texture, id);
    l.resources.tables.queried_textures.insert(texture);
    id
}

/// Returns the texture of an access that reads texels: their type is that of the result.
fn accessed_texture(l: &mut Lowerer<'_>, texture: Texture) -> TextureId {
    let open = Texture {
        texel: F,
        ..texture
    };
    let textures = &mut l.resources.builder.program.textures;
    if l.resources.tables.queried_textures.remove(&open)
        && let Some(id) = l.resources.tables.textures.remove(&open)
    {
        textures[id].texel = texture.texel;
        l.resources.tables.textures.insert(texture, id);
        return id;
    }
    *l.resources
        .tables
        .textures
        .entry(texture)
        .or_insert_with(|| textures.push(texture))
}
