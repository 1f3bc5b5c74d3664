//! Textures and images of kinds that WGSL does not have, and accesses that it does not have or that
//! naga drops without a message.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V has many operations, few of which count here"
)]

use super::samples::{rewrite_level_query, rewrite_sample};
use crate::spirv_edit::{Code, ImageType, InstructionExt, ModuleEditor};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Dim, GlslStd450Op as GlslOp, ImageOperands, Op, Word};
use std::collections::HashMap;

impl ImageType {
    /// Returns true if it becomes two-dimensional, because WGSL has no such textures or fewer
    /// operations on them.
    fn is_widened(&self) -> bool {
        self.dim == Dim::DimBuffer || self.dim == Dim::Dim1D && (self.is_sampled || self.is_arrayed)
    }

    /// Returns the number of components of a coordinate in the declared dimensions, without the
    /// layer.
    fn count_dimensions(&self) -> u32 {
        match self.dim {
            Dim::Dim1D | Dim::DimBuffer => 1,
            Dim::Dim3D | Dim::DimCube => 3,
            _ => 2,
        }
    }

    /// Returns the number of components of a size in the dimensions that are written.
    fn count_size_dimensions(&self) -> u32 {
        match self.dim {
            Dim::Dim3D => 3,
            Dim::Dim1D if !self.is_widened() => 1,
            _ => 2,
        }
    }
}

const ONE_DIMENSION: &str = "1D textures are 2D textures of height 1, because others have no levels, arrays and comparisons";
const BUFFERS: &str =
    "buffer textures are 2D textures, whose rows hold one part of the buffer after the other";

/// Converts textures of one dimension and of buffers to two-dimensional ones, and rewrites all
/// accesses into forms that naga reads.
///
/// # Errors
/// Fails on accesses that have no such form.
pub(super) fn rewrite_images(editor: &mut ModuleEditor) -> Result<(), String> {
    let types = editor.image_types(|_| true);
    editor.try_rewrite(|code, instruction| rewrite_access(code, &types, instruction))?;
    for image in types.values().filter(|image| image.is_widened()) {
        editor.warn(match image.dim {
            Dim::DimBuffer => BUFFERS,
            _ => ONE_DIMENSION,
        });
    }
    editor.rewrite_globals(|editor, mut global| {
        if ImageType::from_type(&global).is_some_and(|image| image.is_widened()) {
            global.operands[1] = Operand::Dim(Dim::Dim2D);
        }
        editor.add_global(global);
    });
    declare_coordinates(editor);
    Ok(())
}

/// Declares the types of coordinates without layer, which naga looks up.
fn declare_coordinates(editor: &mut ModuleEditor) {
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

fn rewrite_access(
    code: &mut Code<'_>,
    types: &HashMap<Word, ImageType>,
    instruction: Instruction,
) -> Result<(), String> {
    let image = instruction.id(0);
    let Some(&image) = image.and_then(|image| types.get(&code.editor.type_of(image))) else {
        code.keep(instruction);
        return Ok(());
    };
    match instruction.op() {
        Op::ImageSampleImplicitLod
        | Op::ImageSampleExplicitLod
        | Op::ImageSampleDrefImplicitLod
        | Op::ImageSampleDrefExplicitLod
        | Op::ImageGather
        | Op::ImageDrefGather => return rewrite_sample(code, image, instruction),
        Op::ImageFetch | Op::ImageRead | Op::ImageWrite => rewrite_texel(code, image, instruction),
        Op::ImageQuerySize | Op::ImageQuerySizeLod => rewrite_size(code, image, &instruction),
        Op::ImageQueryLod => rewrite_level_query(code, image, &instruction),
        _ => code.keep(instruction),
    }
    Ok(())
}

/// Optional operands of an access.
#[derive(Clone, Default, Debug)]
pub(super) struct Extras(Vec<(ImageOperands, Vec<Word>)>);

/// Optional operands in their order, with the number of their values.
const EXTRAS: &[(ImageOperands, usize)] = &[
    (ImageOperands::BIAS, 1),
    (ImageOperands::LOD, 1),
    (ImageOperands::GRAD, 2),
    (ImageOperands::CONST_OFFSET, 1),
    (ImageOperands::OFFSET, 1),
    (ImageOperands::CONST_OFFSETS, 1),
    (ImageOperands::SAMPLE, 1),
    (ImageOperands::MIN_LOD, 1),
];

impl Extras {
    /// Returns the optional operands that a mask starts.
    pub(super) fn parse(operands: &[Operand]) -> Self {
        let Some(Operand::ImageOperands(mask)) = operands.first() else {
            return Self::default();
        };
        let mut values = operands[1..].iter().filter_map(Operand::id_ref_any);
        let present = EXTRAS.iter().filter(|(bit, _)| mask.contains(*bit));
        Self(
            present
                .map(|&(bit, count)| (bit, values.by_ref().take(count).collect()))
                .collect(),
        )
    }

    /// Returns the values of one.
    pub(super) fn get(&self, bit: ImageOperands) -> Option<&[Word]> {
        self.0
            .iter()
            .find(|(found, _)| *found == bit)
            .map(|(_, values)| &values[..])
    }

    /// Returns the only value of one.
    pub(super) fn one(&self, bit: ImageOperands) -> Option<Word> {
        self.get(bit)?.first().copied()
    }

    /// Removes one and returns its values.
    pub(super) fn take(&mut self, bit: ImageOperands) -> Option<Vec<Word>> {
        let index = self.0.iter().position(|(found, _)| *found == bit)?;
        Some(self.0.remove(index).1)
    }

    /// Changes the values of one.
    pub(super) fn map(&mut self, bit: ImageOperands, mut change: impl FnMut(Word) -> Word) {
        for (found, values) in &mut self.0 {
            if *found == bit {
                values.iter_mut().for_each(|value| *value = change(*value));
            }
        }
    }

    /// Sets the only value of one.
    pub(super) fn put(&mut self, bit: ImageOperands, value: Word) {
        self.take(bit);
        self.0.push((bit, vec![value]));
        self.0.sort_by_key(|(bit, _)| bit.bits());
    }

    /// Appends them to operands.
    pub(super) fn write(&self, operands: &mut Vec<Operand>) {
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

/// Appends components of some bits to a vector, up to `size` components.
pub(super) fn pad(code: &mut Code<'_>, value: Word, size: u32, bits: u32) -> Word {
    let mut parts = code.extract_components(value);
    let scalar = code.editor.type_of(parts[0]);
    let pad = code.editor.intern_constant(scalar, bits);
    parts.resize(size as usize, pad);
    if parts.iter().all(|part| code.editor.is_constant(*part)) {
        let ty = code.editor.intern_vector(scalar, size);
        return code.editor.intern_composite(ty, &parts);
    }
    code.construct(&parts)
}

/// Rewrites reads and writes of single texels.
fn rewrite_texel(code: &mut Code<'_>, image: ImageType, mut instruction: Instruction) {
    let (Some(object), Some(mut coordinate)) = (instruction.id(0), instruction.id(1)) else {
        return code.keep(instruction);
    };
    let first_extra = match instruction.op() {
        Op::ImageWrite => 3,
        _ => 2,
    };
    let mut extras = Extras::parse(instruction.operands.get(first_extra..).unwrap_or_default());
    for bit in [ImageOperands::CONST_OFFSET, ImageOperands::OFFSET] {
        if let Some(offset) = extras.take(bit).and_then(|values| values.first().copied()) {
            coordinate = move_texel(code, image, coordinate, offset);
        }
    }
    if image.dim == Dim::DimBuffer {
        coordinate = locate_texel(code, object, image, coordinate);
    } else if image.is_widened() {
        coordinate = widen_coordinate(code, image, coordinate, 0);
    }
    if image.dim == Dim::DimBuffer && image.is_sampled {
        let sint = code.editor.intern_sint();
        let base = code.editor.intern_constant(sint, 0);
        extras.put(ImageOperands::LOD, base);
    }
    instruction.operands[1] = Operand::IdRef(coordinate);
    instruction.operands.truncate(first_extra);
    extras.write(&mut instruction.operands);
    code.keep(instruction);
}

/// Adds an offset, which may be an integer of the other sign, to a coordinate.
fn move_texel(code: &mut Code<'_>, image: ImageType, coordinate: Word, offset: Word) -> Word {
    let mut parts = code.extract_components(coordinate);
    let offsets = code.extract_components(offset);
    for (part, offset) in parts
        .iter_mut()
        .zip(&offsets[..image.count_dimensions().min(offsets.len() as u32) as usize])
    {
        let ty = code.editor.type_of(*part);
        let offset = if code.editor.type_of(*offset) == ty {
            *offset
        } else {
            code.emit_op(Op::Bitcast, ty, &[*offset])
        };
        *part = code.emit_op(Op::IAdd, ty, &[*part, offset]);
    }
    code.construct(&parts)
}

/// Computes the coordinate in the two-dimensional texture that replaces a one-dimensional one.
pub(super) fn widen_coordinate(
    code: &mut Code<'_>,
    image: ImageType,
    coordinate: Word,
    bits: u32,
) -> Word {
    let parts = code.extract_components(coordinate);
    let row = code.intern_constant_like(parts[0], bits);
    if image.is_arrayed {
        code.construct(&[parts[0], row, parts[1]])
    } else {
        code.construct(&[parts[0], row])
    }
}

/// Computes column and row of a texel of a buffer.
fn locate_texel(code: &mut Code<'_>, object: Word, image: ImageType, number: Word) -> Word {
    let number = code.extract_component(number, 0);
    let uint = code.editor.intern_uint();
    let number = if code.editor.type_of(number) == uint {
        number
    } else {
        code.emit_op(Op::Bitcast, uint, &[number])
    };
    let size = query_plane_size(code, object, image, None);
    let width = code.extract_component(size, 0);
    let column = code.emit_op(Op::UMod, uint, &[number, width]);
    let row = code.emit_op(Op::UDiv, uint, &[number, width]);
    code.construct(&[column, row])
}

/// Queries width, height and depth in the dimensions that are written.
pub(super) fn query_plane_size(
    code: &mut Code<'_>,
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

/// Rewrites queries of sizes: naga knows no layers, and widened textures have a height.
fn rewrite_size(code: &mut Code<'_>, image: ImageType, query: &Instruction) {
    let (Some(object), level) = (query.id(0), query.id(1)) else {
        return;
    };
    let plane = query_plane_size(code, object, image, level);
    let mut parts = code.extract_components(plane);
    let uint = code.editor.intern_uint();
    if image.dim == Dim::DimBuffer {
        parts = vec![code.emit_op(Op::IMul, uint, &[parts[0], parts[1]])];
    } else if image.is_widened() {
        parts.truncate(1);
    }
    if image.is_arrayed {
        // `ask_for_layers` makes this the number of layers.
        parts.push(code.emit_op(Op::ImageQuerySamples, uint, &[object]));
    }
    let size = code.construct(&parts);
    let wanted = query.result_type.unwrap_or_default();
    if code.editor.type_of(size) == wanted {
        code.define(query, size);
    } else {
        let cast = code.emit_op(Op::Bitcast, wanted, &[size]);
        code.define(query, cast);
    }
}

/// Computes the base-2 logarithm of the longer distance, in texels of the base level, between a
/// pixel and its neighbors.
pub(super) fn compute_pixel_level(
    code: &mut Code<'_>,
    object: Word,
    image: ImageType,
    coordinate: Word,
) -> Word {
    let texels = scale_to_texels(code, object, image, coordinate);
    let derivatives = [Op::DPdx, Op::DPdy].map(|op| code.emit_same_type(op, &[texels]));
    compute_level(code, derivatives)
}

/// Scales a coordinate, without layer, to texels of the base level; for cubes the point on the
/// cube.
pub(super) fn scale_to_texels(
    code: &mut Code<'_>,
    object: Word,
    image: ImageType,
    coordinate: Word,
) -> Word {
    let float = code.editor.intern_float();
    let size = query_plane_size(code, object, image, None);
    let ty = code.with_scalar(size, float);
    let size = code.emit_op(Op::ConvertUToF, ty, &[size]);
    let mut point = code.extract_components(coordinate);
    point.truncate(if image.is_widened() {
        2
    } else {
        image.count_dimensions() as usize
    });
    let point = code.construct(&point);
    if image.dim != Dim::DimCube {
        return code.emit_same_type(Op::FMul, &[point, size]);
    }
    // The distance between both faces that meet in an axis is two units.
    let half = code.intern_constant_like(point, 0.5f32.to_bits());
    let halved = code.emit_same_type(Op::FMul, &[point, half]);
    let parts = code.extract_components(halved);
    let mut most = code.emit_glsl(GlslOp::FAbs, float, &[parts[0]]);
    for part in &parts[1..] {
        let part = code.emit_glsl(GlslOp::FAbs, float, &[*part]);
        most = code.emit_glsl(GlslOp::FMax, float, &[most, part]);
    }
    let two = code.editor.intern_float_constant(2.0);
    let most = code.emit_same_type(Op::FMul, &[most, two]);
    let width = code.extract_component(size, 0);
    let scale = code.emit_same_type(Op::FDiv, &[width, most]);
    let scale = code.construct(&[scale, scale, scale]);
    code.emit_same_type(Op::FMul, &[halved, scale])
}

/// Computes the base-2 logarithm of the longer of two distances.
pub(super) fn compute_level(code: &mut Code<'_>, distances: [Word; 2]) -> Word {
    let float = code.editor.intern_float();
    let lengths = distances.map(|distance| code.emit_glsl(GlslOp::Length, float, &[distance]));
    let most = code.emit_glsl(GlslOp::FMax, float, &lengths);
    code.emit_glsl(GlslOp::Log2, float, &[most])
}
