//! Texture instructions. NV_gpu_program4 section 2.X.4.4 and tables X.17, X.18.

use super::image::{
    AccessPurpose, find_texture_source, find_unit_index, find_units, update_sparse_code,
    update_sparse_code_after,
};
use super::op_builder::{F32, OpBuilder, SourceList};
use super::splat;
use super::{InstContext, Lowerer};
use crate::ast::{SuffixKind, TexelOffsetArg};
use crate::lang::modifiers::ModifierFlags;
use crate::lang::opcodes::TextureOp;
use crate::lang::texture_targets::{Reference, TargetInfo};
use crate::resolved_inst::TextureSource;
use glasm_ir::inst::InstData;
use glasm_ir::resource::{TexAccess, TexMode, TexelOffset, Texture};
use glasm_ir::types::Type;
use glasm_ir::{Op, Src, TexTarget, TextureId, WriteMask};

/// Lowers a texture instruction: a lookup, fetch, gather or query, with its result and the sparse
/// condition code.
pub(super) fn lower_texture(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>, op: TextureOp) {
    if op == TextureOp::QuerySamples {
        let unused = lowerer.splat_bits(0);
        return emit_access(lowerer, cx, TexMode::QuerySamples, unused, &[]);
    }
    // TXQ has its level instead of the coordinate.
    let coordinate = lowerer.load_source(cx, 0, op.coordinate_type());
    let w = splat(coordinate, 3);
    match op {
        TextureOp::Sample => emit_access(lowerer, cx, TexMode::Implicit, coordinate, &[]),
        TextureOp::Bias => {
            let bias = load_bias_or_level(lowerer, cx, w);
            emit_access(lowerer, cx, TexMode::Bias, coordinate, &[bias]);
        }
        TextureOp::Lod => {
            let level = load_bias_or_level(lowerer, cx, w);
            emit_access(lowerer, cx, TexMode::Lod, coordinate, &[level]);
        }
        // Coordinates of cube maps have directions only. NV_fragment_program section 3.11.5.40.
        TextureOp::Project if skips_projection(lowerer, cx) => {
            emit_access(lowerer, cx, TexMode::Implicit, coordinate, &[]);
        }
        TextureOp::Project => {
            // The reference in z is divided as well: TXP divides the first three components.
            // Targets that need w for something else do not have it. NV_gpu_program4 section
            // 2.X.8.Z.
            let coordinate = lowerer.compute(Op::Div, F32, &[coordinate, w]);
            emit_access(lowerer, cx, TexMode::Implicit, coordinate, &[]);
        }
        TextureOp::Grad => {
            let own = [
                lowerer.load_source(cx, 1, F32),
                lowerer.load_source(cx, 2, F32),
            ];
            emit_access(lowerer, cx, TexMode::Grad, coordinate, &own);
        }
        TextureOp::Fetch => {
            // Textures of buffers have one level.
            let is_buffer = find_texture_source(lowerer, cx).1.target == TexTarget::Buffer;
            let level = if is_buffer { lowerer.splat_bits(0) } else { w };
            emit_access(lowerer, cx, TexMode::Fetch, coordinate, &[level]);
        }
        TextureOp::FetchSample => emit_access(lowerer, cx, TexMode::FetchSample, coordinate, &[w]),
        TextureOp::Gather => {
            let mode = TexMode::Gather(find_gather_component(lowerer, cx));
            emit_access(lowerer, cx, mode, coordinate, &[]);
        }
        TextureOp::GatherOffsets => {
            let own = [
                lowerer.load_source(cx, 1, Type::S32),
                lowerer.load_source(cx, 2, Type::S32),
            ];
            let mode = TexMode::GatherOffsets(find_gather_component(lowerer, cx));
            emit_access(lowerer, cx, mode, coordinate, &own);
        }
        TextureOp::QuerySize => {
            // TXQ has a vector operand, of which only x is used.
            let level = splat(coordinate, 0);
            emit_access(lowerer, cx, TexMode::QuerySize, coordinate, &[level]);
        }
        TextureOp::QueryLod => emit_access(lowerer, cx, TexMode::QueryLod, coordinate, &[]),
        // Without a coordinate, it was translated above.
        TextureOp::QuerySamples => {}
    }
}

/// Returns true if a lookup with projection does not divide: in NV_fragment_program, of cube maps.
fn skips_projection(l: &Lowerer<'_>, cx: &InstContext<'_>) -> bool {
    l.resources.has_exact_precision() && find_texture_source(l, cx).1.is_cube()
}

/// Returns bias or level: `w`, that of the coordinate, or, if the target uses all components and
/// the instruction has a second operand, its x, or its y if x is the reference. EXT_sparse_texture2
/// table X.17.
fn load_bias_or_level(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>, w: Src) -> Src {
    let (part, target) = find_texture_source(lowerer, cx);
    // The last kind of operand in the entry is the texture itself.
    let opcode_operands = cx.info.operands.len() - 1;
    // A dynamic offset is an operand after those of the opcode, too.
    let preceding_operands = opcode_operands + usize::from(part.offset == TexelOffsetArg::Dynamic);
    if usize::from(cx.inst.source_count) <= preceding_operands || !target.uses_all_lanes() {
        return w;
    }
    let second = lowerer.load_source(cx, opcode_operands, F32);
    splat(second, u8::from(target.reference == Reference::Operand))
}

/// Returns the component that TXG and TXGO gather, which the suffix of the texture selects; x
/// without one.
fn find_gather_component(l: &Lowerer<'_>, cx: &InstContext<'_>) -> u8 {
    match find_texture_source(l, cx).0.texture.suffix.kind() {
        SuffixKind::Component(lane) => lane,
        SuffixKind::None | SuffixKind::Swizzle => 0,
    }
}

/// Emits the access and the update of the sparse condition code; adds access and texture to the
/// program. The IR requires its sources in this order: coordinate, reference, sources of the mode,
/// least level, dynamic offset.
fn emit_access(
    lowerer: &mut Lowerer<'_>,
    cx: &InstContext<'_>,
    mode: TexMode,
    coordinate: Src,
    mode_sources: &[Src],
) {
    let (part, target) = find_texture_source(lowerer, cx);
    let (id, texture) = get_texture(lowerer, cx, part, target, mode);
    let mut access = TexAccess::new(id, &texture, mode);
    access.element = find_unit_index(lowerer, part, texture.units);
    let coordinate = if target.is_stack() {
        compute_stack_layer(lowerer, coordinate, &texture, id)
    } else {
        coordinate
    };
    let mut sources = SourceList::new();
    if mode.has_coordinate() {
        sources.push(coordinate);
    }
    // The operand after those of the opcode.
    let next_operand = cx.info.operands.len() - 1;
    if access.has_reference {
        sources.push(match target.reference {
            Reference::Lane(lane) => splat(coordinate, lane),
            Reference::Operand | Reference::None => {
                splat(lowerer.load_source(cx, next_operand, F32), 0)
            }
        });
    }
    mode_sources.iter().for_each(|&source| sources.push(source));
    if cx.inst.modifiers.mods().contains(ModifierFlags::LODCLAMP) {
        access.has_min_lod = true;
        // TXD has the least level in w of its third operand. ARB_sparse_texture_clamp section
        // 2.X.8.Z.
        sources.push(if mode == TexMode::Grad {
            splat(mode_sources[1], 3)
        } else {
            splat(
                lowerer.load_source(cx, next_operand, F32),
                target.lod_clamp_lane(),
            )
        });
    }
    access.offset = make_offset(lowerer, cx, part.offset, &mut sources);
    let aux = InstData::Tex(lowerer.resources.builder.program.tex_accesses.push(access));
    let post_access = update_sparse_code(lowerer, cx, aux, sources.as_slice());
    lowerer.emit_result_with_aux(cx, Op::Tex, cx.types.result, aux, sources.as_slice());
    update_sparse_code_after(lowerer, post_access);
}

/// Returns the texel offset of an access; a dynamic one, the last operand, is appended to the
/// sources. Constant zeros are not an offset.
fn make_offset(
    lowerer: &mut Lowerer<'_>,
    cx: &InstContext<'_>,
    offset: TexelOffsetArg,
    sources: &mut SourceList,
) -> TexelOffset {
    match offset {
        // Zeros are allowed for every target, but SPIR-V takes no offset operand with cubes.
        TexelOffsetArg::None | TexelOffsetArg::Constant([0, 0, 0]) => TexelOffset::None,
        // No truncation: the rules accept -8 to 7 only.
        TexelOffsetArg::Constant(offset) => TexelOffset::Constant(offset.map(|it| it as i8)),
        TexelOffsetArg::Dynamic => {
            let last = cx.inst.source_count as usize - 1;
            sources.push(lowerer.load_source(cx, last, Type::S32));
            TexelOffset::Dynamic
        }
    }
}

/// Emits the computation of the coordinate of an array texture from that of a stack, whose layers
/// are in [0, 1], and returns it: layers are not blended with each other, as filters of 3D textures
/// would, and coordinates beyond the ends are clamped to the ends.
fn compute_stack_layer(
    lowerer: &mut Lowerer<'_>,
    coordinate: Src,
    texture: &Texture,
    id: TextureId,
) -> Src {
    let access = TexAccess::new(id, texture, TexMode::QuerySize);
    let aux = InstData::Tex(lowerer.resources.builder.program.tex_accesses.push(access));
    let level = lowerer.splat_bits(0);
    let size = lowerer.compute_with_aux(Op::Tex, Type::S32, aux, &[level]);
    let layers = lowerer.compute_conversion(size, Type::S32, F32);
    // The layer follows the coordinates of the image: y of 1D_STACK, z of 2D_STACK.
    let lane = texture.target.dimensions();
    let stacked = lowerer.alloc_hidden(F32.width());
    lowerer.emit_to_register(stacked, WriteMask::XYZW, Op::Mov, F32, &[coordinate]);
    let layer = lowerer.compute(Op::Mul, F32, &[coordinate, layers]);
    lowerer.emit_to_register(stacked, WriteMask(1 << lane), Op::Floor, F32, &[layer]);
    Src::from_register(stacked)
}

/// Returns the texture of an access and its id; it is added to the program at the first access with
/// these units, target and type of texels. Queries share the texture of other accesses.
fn get_texture(
    lowerer: &mut Lowerer<'_>,
    cx: &InstContext<'_>,
    part: &TextureSource,
    target: &TargetInfo,
    mode: TexMode,
) -> (TextureId, Texture) {
    // The type of the result defines the interpretation of texels, which is irrelevant for a query.
    let (purpose, texel) = if mode.reads_texels() {
        (AccessPurpose::Texels, cx.types.result)
    } else {
        (AccessPurpose::Query, F32)
    };
    let units = find_units(lowerer, part, purpose);
    let texture = Texture {
        units,
        target: target.target,
        shadow: target.is_shadow(),
        texel_type: texel,
        sampler: None,
    };
    let id = if purpose == AccessPurpose::Query && !units.is_handle() {
        get_queried_texture(lowerer, texture)
    } else {
        get_accessed_texture(lowerer, texture)
    };
    (id, texture)
}

/// Returns the texture of a query, whose type of texels is irrelevant: one that the program has, or
/// a new one. The type of a new one remains open until another instruction accesses it.
fn get_queried_texture(lowerer: &mut Lowerer<'_>, texture: Texture) -> TextureId {
    let types = [F32, Type::S32, Type::U32];
    let existing = types.iter().find_map(|&texel| {
        lowerer.resources.ir_map.textures.get(&Texture {
            texel_type: texel,
            ..texture
        })
    });
    if let Some(&id) = existing {
        return id;
    }
    let id = lowerer.resources.builder.program.textures.push(texture);
    lowerer.resources.ir_map.textures.insert(texture, id);
    lowerer.resources.ir_map.query_only_textures.insert(texture);
    id
}

/// Returns the texture of an access that reads texels, whose type is that of the result. A texture
/// that only queries have used gets this type; otherwise a new one is added at the first access.
fn get_accessed_texture(lowerer: &mut Lowerer<'_>, texture: Texture) -> TextureId {
    let open = Texture {
        texel_type: F32,
        ..texture
    };
    let textures = &mut lowerer.resources.builder.program.textures;
    if lowerer.resources.ir_map.query_only_textures.remove(&open)
        && let Some(id) = lowerer.resources.ir_map.textures.remove(&open)
    {
        textures[id].texel_type = texture.texel_type;
        lowerer.resources.ir_map.textures.insert(texture, id);
        return id;
    }
    *lowerer
        .resources
        .ir_map
        .textures
        .entry(texture)
        .or_insert_with(|| textures.push(texture))
}
