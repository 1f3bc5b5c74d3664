//! Textures and images of kinds that WGSL does not have, and accesses that it does not have or that
//! naga drops without a message.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V has many operations, few of which count here"
)]

use super::sampled_access::{rewrite_lod_query, rewrite_sampled_access};
use crate::spirv_edit::{ImageType, InstructionBuilder, InstructionExt, ModuleEditor};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Dim, GlslStd450Op as GlslOp, ImageOperands, Op, Word};
use std::collections::HashMap;

impl ImageType {
    /// Returns true if it becomes two-dimensional, because WGSL has no such textures or fewer
    /// operations on them.
    fn is_lowered_to_2d(&self) -> bool {
        self.dim == Dim::DimBuffer || self.dim == Dim::Dim1D && (self.is_sampled || self.is_arrayed)
    }

    /// Returns the number of components of a coordinate in the declared dimensions, 3 for cubes,
    /// without the layer.
    fn count_coordinate_dimensions(&self) -> u32 {
        match self.dim {
            Dim::Dim1D | Dim::DimBuffer => 1,
            Dim::Dim3D | Dim::DimCube => 3,
            _ => 2,
        }
    }

    /// Returns the number of components of a size in the dimensions that are written, without the
    /// layer: 2 for images that become two-dimensional.
    fn count_size_dimensions(&self) -> u32 {
        match self.dim {
            Dim::Dim3D => 3,
            Dim::Dim1D if !self.is_lowered_to_2d() => 1,
            _ => 2,
        }
    }
}

const TEXTURE_1D_WARNING: &str = "1D textures are 2D textures of height 1, because others have no levels, arrays and comparisons";
const BUFFER_TEXTURE_WARNING: &str =
    "buffer textures are 2D textures, whose rows hold one part of the buffer after the other";

/// Converts textures of one dimension and of buffers to two-dimensional ones, and rewrites all
/// accesses into forms that naga reads. Records these as differences from the program.
///
/// # Errors
/// Fails on accesses that have no such form.
pub(super) fn rewrite_images(editor: &mut ModuleEditor) -> Result<(), String> {
    let types = editor.find_image_types(|_| true);
    editor.try_rewrite_instructions(|code, instruction| {
        rewrite_image_access(code, &types, instruction)
    })?;
    for image in types.values().filter(|image| image.is_lowered_to_2d()) {
        editor.record_difference(match image.dim {
            Dim::DimBuffer => BUFFER_TEXTURE_WARNING,
            _ => TEXTURE_1D_WARNING,
        });
    }
    editor.rewrite_globals(|editor, mut global| {
        if ImageType::from_type(&global).is_some_and(|image| image.is_lowered_to_2d()) {
            global.operands[1] = Operand::Dim(Dim::Dim2D);
        }
        editor.add_global(global);
    });
    declare_coordinate_types(editor);
    Ok(())
}

/// Declares the vectors of two and three components, which naga looks up for coordinates without
/// layer.
fn declare_coordinate_types(editor: &mut ModuleEditor) {
    let scalars = [
        editor.intern_float(),
        editor.intern_uint(),
        editor.intern_sint(),
    ];
    for scalar in scalars {
        for size in [2, 3] {
            editor.intern_vector(scalar, size);
        }
    }
}

/// Rewrites an image instruction for the dimensions that naga supports; emits instructions without
/// an image of `types` unchanged. Fails for accesses that naga cannot express.
fn rewrite_image_access(
    code: &mut InstructionBuilder<'_>,
    types: &HashMap<Word, ImageType>,
    instruction: Instruction,
) -> Result<(), String> {
    let image = instruction.id_operand(0);
    let Some(&image) = image.and_then(|image| types.get(&code.editor.type_of(image))) else {
        code.emit_unchanged(instruction);
        return Ok(());
    };
    match instruction.op() {
        Op::ImageSampleImplicitLod
        | Op::ImageSampleExplicitLod
        | Op::ImageSampleDrefImplicitLod
        | Op::ImageSampleDrefExplicitLod
        | Op::ImageGather
        | Op::ImageDrefGather => return rewrite_sampled_access(code, image, instruction),
        Op::ImageFetch | Op::ImageRead | Op::ImageWrite => {
            rewrite_texel_access(code, image, instruction)
        }
        Op::ImageQuerySize | Op::ImageQuerySizeLod => rewrite_size_query(code, image, &instruction),
        Op::ImageQueryLod => rewrite_lod_query(code, image, &instruction),
        _ => code.emit_unchanged(instruction),
    }
    Ok(())
}

/// Optional operands of an access.
#[derive(Clone, Default, Debug)]
pub(super) struct ImageOperandList(Vec<(ImageOperands, Vec<Word>)>);

/// Optional operands in their order, with the number of their values.
const IMAGE_OPERANDS: &[(ImageOperands, usize)] = &[
    (ImageOperands::BIAS, 1),
    (ImageOperands::LOD, 1),
    (ImageOperands::GRAD, 2),
    (ImageOperands::CONST_OFFSET, 1),
    (ImageOperands::OFFSET, 1),
    (ImageOperands::CONST_OFFSETS, 1),
    (ImageOperands::SAMPLE, 1),
    (ImageOperands::MIN_LOD, 1),
];

impl ImageOperandList {
    /// Returns the optional image operands: a mask, and the values of each of its bits. `operands`
    /// begins with the mask; the list is empty without one.
    pub(super) fn parse(operands: &[Operand]) -> Self {
        let Some(Operand::ImageOperands(mask)) = operands.first() else {
            return Self::default();
        };
        let mut values = operands[1..].iter().filter_map(Operand::id_ref_any);
        let present = IMAGE_OPERANDS.iter().filter(|(bit, _)| mask.contains(*bit));
        Self(
            present
                .map(|&(bit, count)| (bit, values.by_ref().take(count).collect()))
                .collect(),
        )
    }

    /// Returns the values of the image operand `bit`; `None` if it is absent.
    pub(super) fn get(&self, bit: ImageOperands) -> Option<&[Word]> {
        self.0
            .iter()
            .find(|(found, _)| *found == bit)
            .map(|(_, values)| &values[..])
    }

    /// Returns the only value of one.
    pub(super) fn get_single(&self, bit: ImageOperands) -> Option<Word> {
        self.get(bit)?.first().copied()
    }

    /// Removes the image operand `bit` and returns its values; `None` if it is absent.
    pub(super) fn remove(&mut self, bit: ImageOperands) -> Option<Vec<Word>> {
        let index = self.0.iter().position(|(found, _)| *found == bit)?;
        Some(self.0.remove(index).1)
    }

    /// Replaces the values of the image operand `bit`, if present, by the results of `change`.
    pub(super) fn map_values(&mut self, bit: ImageOperands, mut change: impl FnMut(Word) -> Word) {
        for (found, values) in &mut self.0 {
            if *found == bit {
                values.iter_mut().for_each(|value| *value = change(*value));
            }
        }
    }

    /// Adds the image operand `bit` with one value, or replaces its values. The list remains in the
    /// order of the bits.
    pub(super) fn set(&mut self, bit: ImageOperands, value: Word) {
        self.remove(bit);
        self.0.push((bit, vec![value]));
        self.0.sort_by_key(|(bit, _)| bit.bits());
    }

    /// Appends mask and values to the operands of an instruction; nothing if no operand is present.
    pub(super) fn append_to(&self, operands: &mut Vec<Operand>) {
        if self.0.is_empty() {
            return;
        }
        let mask = self
            .0
            .iter()
            .fold(ImageOperands::NONE, |mask, (bit, _)| mask | *bit);
        operands.push(Operand::ImageOperands(mask));
        let values = self.0.iter().flat_map(|(_, values)| values);
        operands.extend(values.copied().map(Operand::IdRef));
    }
}

/// Appends components with the bits `fill_bits` to a vector until it has `size` components, or
/// removes those beyond it, and returns it; a constant remains one.
pub(super) fn pad_vector(
    code: &mut InstructionBuilder<'_>,
    value: Word,
    size: u32,
    fill_bits: u32,
) -> Word {
    let mut parts = code.extract_components(value);
    let scalar = code.editor.type_of(parts[0]);
    let pad = code.editor.intern_constant(scalar, fill_bits);
    parts.resize(size as usize, pad);
    if parts.iter().all(|part| code.editor.is_constant(*part)) {
        let ty = code.editor.intern_vector(scalar, size);
        return code.editor.intern_composite(ty, &parts);
    }
    code.construct_vector(&parts)
}

/// Emits a fetch, read or write of a texel, with its coordinate and offset converted for the
/// dimensions that naga supports.
fn rewrite_texel_access(
    code: &mut InstructionBuilder<'_>,
    image: ImageType,
    mut instruction: Instruction,
) {
    let (Some(object), Some(mut coordinate)) =
        (instruction.id_operand(0), instruction.id_operand(1))
    else {
        return code.emit_unchanged(instruction);
    };
    let first_image_operand = match instruction.op() {
        Op::ImageWrite => 3,
        _ => 2,
    };
    let mut image_operands = ImageOperandList::parse(
        instruction
            .operands
            .get(first_image_operand..)
            .unwrap_or_default(),
    );
    for bit in [ImageOperands::CONST_OFFSET, ImageOperands::OFFSET] {
        if let Some(offset) = image_operands
            .remove(bit)
            .and_then(|values| values.first().copied())
        {
            coordinate = add_texel_offset(code, image, coordinate, offset);
        }
    }
    if image.dim == Dim::DimBuffer {
        coordinate = compute_buffer_texel_position(code, object, image, coordinate);
    } else if image.is_lowered_to_2d() {
        coordinate = lower_coordinate_to_2d(code, image, coordinate, 0);
    }
    if image.dim == Dim::DimBuffer && image.is_sampled {
        let sint = code.editor.intern_sint();
        let base = code.editor.intern_constant(sint, 0);
        image_operands.set(ImageOperands::LOD, base);
    }
    instruction.operands[1] = Operand::IdRef(coordinate);
    instruction.operands.truncate(first_image_operand);
    image_operands.append_to(&mut instruction.operands);
    code.emit_unchanged(instruction);
}

/// Emits the sum of a coordinate and an offset in texels, whose integers may be of the other sign,
/// and returns it. The layer is unchanged.
fn add_texel_offset(
    code: &mut InstructionBuilder<'_>,
    image: ImageType,
    coordinate: Word,
    offset: Word,
) -> Word {
    let mut parts = code.extract_components(coordinate);
    let offsets = code.extract_components(offset);
    for (part, offset) in parts.iter_mut().zip(
        &offsets[..image
            .count_coordinate_dimensions()
            .min(offsets.len() as u32) as usize],
    ) {
        let ty = code.editor.type_of(*part);
        let offset = if code.editor.type_of(*offset) == ty {
            *offset
        } else {
            code.emit_op(Op::Bitcast, ty, &[*offset])
        };
        *part = code.emit_op(Op::IAdd, ty, &[*part, offset]);
    }
    code.construct_vector(&parts)
}

/// Emits the coordinate in the two-dimensional texture that replaces a one-dimensional one, and
/// returns it: `row_bits` are the bits of the added component, the layer follows it.
pub(super) fn lower_coordinate_to_2d(
    code: &mut InstructionBuilder<'_>,
    image: ImageType,
    coordinate: Word,
    row_bits: u32,
) -> Word {
    let parts = code.extract_components(coordinate);
    let row = code.intern_constant_like(parts[0], row_bits);
    if image.is_arrayed {
        code.construct_vector(&[parts[0], row, parts[1]])
    } else {
        code.construct_vector(&[parts[0], row])
    }
}

/// Emits column and row of a texel of a buffer, whose texels are in the rows of a two-dimensional
/// texture, from its index, and returns them.
fn compute_buffer_texel_position(
    code: &mut InstructionBuilder<'_>,
    object: Word,
    image: ImageType,
    texel_index: Word,
) -> Word {
    let number = code.extract_component(texel_index, 0);
    let uint = code.editor.intern_uint();
    let number = if code.editor.type_of(number) == uint {
        number
    } else {
        code.emit_op(Op::Bitcast, uint, &[number])
    };
    let size = emit_size_query(code, object, image, None);
    let width = code.extract_component(size, 0);
    let column = code.emit_op(Op::UMod, uint, &[number, width]);
    let row = code.emit_op(Op::UDiv, uint, &[number, width]);
    code.construct_vector(&[column, row])
}

/// Emits a query of width, height and depth in the dimensions that are written, as unsigned
/// integers, and returns the result. `level` is the base level if it is `None`.
pub(super) fn emit_size_query(
    code: &mut InstructionBuilder<'_>,
    object: Word,
    image: ImageType,
    level: Option<Word>,
) -> Word {
    let uint = code.editor.intern_uint();
    let ty = code
        .editor
        .intern_vector(uint, image.count_size_dimensions());
    if image.is_multisample || !image.is_sampled {
        return code.emit_op(Op::ImageQuerySize, ty, &[object]);
    }
    let level = level.unwrap_or_else(|| code.editor.intern_constant(uint, 0));
    code.emit_op(Op::ImageQuerySizeLod, ty, &[object, level])
}

/// Emits a size query with the result of the instruction `query`: naga knows no layers, and widened
/// textures have a height.
fn rewrite_size_query(code: &mut InstructionBuilder<'_>, image: ImageType, query: &Instruction) {
    let (Some(object), level) = (query.id_operand(0), query.id_operand(1)) else {
        return;
    };
    let size_2d = emit_size_query(code, object, image, level);
    let mut parts = code.extract_components(size_2d);
    let uint = code.editor.intern_uint();
    if image.dim == Dim::DimBuffer {
        parts = vec![code.emit_op(Op::IMul, uint, &[parts[0], parts[1]])];
    } else if image.is_lowered_to_2d() {
        parts.truncate(1);
    }
    if image.is_arrayed {
        // `restore_layer_queries` makes this the number of layers.
        parts.push(code.emit_op(Op::ImageQuerySamples, uint, &[object]));
    }
    let size = code.construct_vector(&parts);
    let result_type = query.result_type.unwrap_or_default();
    if code.editor.type_of(size) == result_type {
        code.replace_with_value(query, size);
    } else {
        let cast = code.emit_op(Op::Bitcast, result_type, &[size]);
        code.replace_with_value(query, cast);
    }
}

/// Emits the base-2 logarithm of the longer distance, in texels of the base level, between a pixel
/// and its neighbors, and returns it.
pub(super) fn emit_implicit_lod(
    code: &mut InstructionBuilder<'_>,
    object: Word,
    image: ImageType,
    coordinate: Word,
) -> Word {
    let texels = emit_texel_coordinates(code, object, image, coordinate);
    let derivatives = [Op::DPdx, Op::DPdy].map(|op| code.emit_op_same_type(op, &[texels]));
    emit_lod_from_derivatives(code, derivatives)
}

/// Emits a coordinate, without layer, scaled to texels of the base level, and returns it; for cubes
/// it is the point on the cube.
pub(super) fn emit_texel_coordinates(
    code: &mut InstructionBuilder<'_>,
    object: Word,
    image: ImageType,
    coordinate: Word,
) -> Word {
    let float = code.editor.intern_float();
    let size = emit_size_query(code, object, image, None);
    let ty = code.intern_vector_like(size, float);
    let size = code.emit_op(Op::ConvertUToF, ty, &[size]);
    let mut point = code.extract_components(coordinate);
    point.truncate(if image.is_lowered_to_2d() {
        2
    } else {
        image.count_coordinate_dimensions() as usize
    });
    let point = code.construct_vector(&point);
    if image.dim != Dim::DimCube {
        return code.emit_op_same_type(Op::FMul, &[point, size]);
    }
    // The distance between both faces that meet in an axis is two units.
    let half = code.intern_constant_like(point, 0.5f32.to_bits());
    let halved = code.emit_op_same_type(Op::FMul, &[point, half]);
    let parts = code.extract_components(halved);
    let mut major_axis = code.emit_glsl(GlslOp::FAbs, float, &[parts[0]]);
    for part in &parts[1..] {
        let part = code.emit_glsl(GlslOp::FAbs, float, &[*part]);
        major_axis = code.emit_glsl(GlslOp::FMax, float, &[major_axis, part]);
    }
    let two = code.editor.intern_float_constant(2.0);
    let most = code.emit_op_same_type(Op::FMul, &[major_axis, two]);
    let width = code.extract_component(size, 0);
    let scale = code.emit_op_same_type(Op::FDiv, &[width, most]);
    let scale = code.construct_vector(&[scale, scale, scale]);
    code.emit_op_same_type(Op::FMul, &[halved, scale])
}

/// Emits the base-2 logarithm of the length of the longer of two distances, and returns it.
pub(super) fn emit_lod_from_derivatives(
    code: &mut InstructionBuilder<'_>,
    distances: [Word; 2],
) -> Word {
    let float = code.editor.intern_float();
    let lengths = distances.map(|distance| code.emit_glsl(GlslOp::Length, float, &[distance]));
    let longest = code.emit_glsl(GlslOp::FMax, float, &lengths);
    code.emit_glsl(GlslOp::Log2, float, &[longest])
}
