//! Textures and images of kinds that WGSL does not have, and accesses that it does not have, or that naga drops without a word.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V and naga have many operations and types, few of which count here"
)]

use crate::rewriter::{Code, Rewriter};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Dim, GlslStd450Op as GlslOp, ImageOperands, Op, Word};
use std::collections::HashMap;

/// What accesses need to know of an image type, as it was declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ImageType {
    /// Type of texels.
    pub(super) texel: Word,
    /// Dimensions.
    pub(super) dim: Dim,
    /// Whether it is an array.
    pub(super) arrayed: bool,
    /// Whether it has several samples.
    pub(super) multisampled: bool,
    /// Whether it is read through samplers.
    pub(super) sampled: bool,
}

impl ImageType {
    fn new(instruction: &Instruction) -> Option<Self> {
        match instruction.operands[..] {
            [
                Operand::IdRef(texel),
                Operand::Dim(dim),
                Operand::LiteralBit32(_),
                Operand::LiteralBit32(arrayed),
                Operand::LiteralBit32(samples),
                Operand::LiteralBit32(sampled),
                ..,
            ] if instruction.class.opcode == Op::TypeImage => Some(Self {
                texel,
                dim,
                arrayed: arrayed != 0,
                multisampled: samples != 0,
                sampled: sampled == 1,
            }),
            _ => None,
        }
    }

    /// Whether it becomes two-dimensional, because WGSL has no such textures or fewer operations on them.
    fn is_widened(&self) -> bool {
        self.dim == Dim::DimBuffer || self.dim == Dim::Dim1D && (self.sampled || self.arrayed)
    }

    /// Components of a coordinate in the declared dimensions, without the layer.
    fn dimensions(&self) -> u32 {
        match self.dim {
            Dim::Dim1D | Dim::DimBuffer => 1,
            Dim::Dim3D | Dim::DimCube => 3,
            _ => 2,
        }
    }

    /// Components of a size in the dimensions that the text has.
    fn size_dimensions(&self) -> u32 {
        match self.dim {
            Dim::Dim3D => 3,
            Dim::Dim1D if !self.is_widened() => 1,
            _ => 2,
        }
    }
}

/// All image types, also under the ids of their sampled-image types.
pub(super) struct ImageTypes(HashMap<Word, ImageType>);

impl ImageTypes {
    /// Notes the types as they are declared.
    pub(super) fn new(rewriter: &Rewriter) -> Self {
        let mut types = HashMap::new();
        for global in &rewriter.module.types_global_values {
            let Some(id) = global.result_id else { continue };
            if let Some(ty) = ImageType::new(global) {
                types.insert(id, ty);
            } else if global.class.opcode == Op::TypeSampledImage
                && let Some(Operand::IdRef(image)) = global.operands.first()
                && let Some(&ty) = types.get(image)
            {
                types.insert(id, ty);
            }
        }
        Self(types)
    }

    fn of_value(&self, rewriter: &Rewriter, value: Word) -> Option<ImageType> {
        self.0.get(&rewriter.type_of(value)).copied()
    }
}

const ONE_DIMENSION: &str = "1D textures are 2D textures of height 1, because others have no levels, arrays and comparisons";
const BUFFERS: &str =
    "buffer textures are 2D textures, whose rows hold one part of the buffer after the other";

/// Makes textures of one dimension and of buffers two-dimensional, and brings all accesses into forms that naga reads.
pub(super) fn rewrite_images(rewriter: &mut Rewriter) -> Result<(), String> {
    let types = ImageTypes::new(rewriter);
    rewriter.rewrite(|code, instruction| rewrite_access(code, &types, instruction))?;
    for (&id, ty) in &types.0 {
        if !ty.is_widened() {
            continue;
        }
        rewriter.warn(if ty.dim == Dim::DimBuffer {
            BUFFERS
        } else {
            ONE_DIMENSION
        });
        rewriter.redefine(id, |ty| {
            if ty.class.opcode == Op::TypeImage {
                ty.operands[1] = Operand::Dim(Dim::Dim2D);
            }
        });
    }
    declare_coordinates(rewriter);
    Ok(())
}

/// naga wants the types of coordinates without layer among those of the module.
fn declare_coordinates(rewriter: &mut Rewriter) {
    let scalars = [rewriter.float(), rewriter.uint(), rewriter.sint()];
    for scalar in scalars {
        for size in [2, 3] {
            rewriter.vector(scalar, size);
        }
    }
}

fn rewrite_access(
    code: &mut Code<'_>,
    types: &ImageTypes,
    instruction: Instruction,
) -> Result<(), String> {
    let image = instruction
        .operands
        .first()
        .and_then(Operand::id_ref_any)
        .and_then(|image| types.of_value(code.rewriter, image));
    let Some(image) = image else {
        code.keep(instruction);
        return Ok(());
    };
    match instruction.class.opcode {
        Op::ImageSampleImplicitLod
        | Op::ImageSampleExplicitLod
        | Op::ImageSampleDrefImplicitLod
        | Op::ImageSampleDrefExplicitLod
        | Op::ImageGather
        | Op::ImageDrefGather => super::samples::rewrite_sample(code, image, instruction),
        Op::ImageFetch | Op::ImageRead | Op::ImageWrite => {
            rewrite_texel(code, image, instruction);
            Ok(())
        }
        Op::ImageQuerySize | Op::ImageQuerySizeLod => {
            rewrite_size(code, image, &instruction);
            Ok(())
        }
        Op::ImageQueryLod => {
            super::samples::rewrite_level_query(code, image, &instruction);
            Ok(())
        }
        _ => {
            code.keep(instruction);
            Ok(())
        }
    }
}

/// The optional operands of an access.
#[derive(Clone, Default, Debug)]
pub(super) struct Extras(Vec<(ImageOperands, Vec<Word>)>);

/// Optional operands in the order in which they stand, with their number of values.
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
    /// Those that stand from an operand on.
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

    /// The values of one.
    pub(super) fn get(&self, bit: ImageOperands) -> Option<&[Word]> {
        self.0
            .iter()
            .find(|(found, _)| *found == bit)
            .map(|(_, values)| &values[..])
    }

    /// The one value of one.
    pub(super) fn one(&self, bit: ImageOperands) -> Option<Word> {
        self.get(bit)?.first().copied()
    }

    /// Takes one out.
    pub(super) fn take(&mut self, bit: ImageOperands) -> Option<Vec<Word>> {
        let place = self.0.iter().position(|(found, _)| *found == bit)?;
        Some(self.0.remove(place).1)
    }

    /// Changes the values of one.
    pub(super) fn map(&mut self, bit: ImageOperands, mut change: impl FnMut(Word) -> Word) {
        for (found, values) in &mut self.0 {
            if *found == bit {
                values.iter_mut().for_each(|value| *value = change(*value));
            }
        }
    }

    /// Puts one in.
    pub(super) fn put(&mut self, bit: ImageOperands, value: Word) {
        self.take(bit);
        self.0.push((bit, vec![value]));
        self.0.sort_by_key(|(bit, _)| bit.bits());
    }

    /// As operands.
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

/// The vector with zeros behind its components, up to `size` of them.
pub(super) fn padded(code: &mut Code<'_>, value: Word, size: u32, bits: u32) -> Word {
    let mut parts = code.components(value);
    let scalar = code.rewriter.type_of(parts[0]);
    let pad = code.rewriter.constant(scalar, bits);
    parts.resize(size as usize, pad);
    if parts.iter().all(|part| code.rewriter.is_constant(*part)) {
        let ty = code.rewriter.vector(scalar, size);
        return code.rewriter.composite(ty, &parts);
    }
    code.construct(&parts)
}

/// Reads and writes of single texels.
fn rewrite_texel(code: &mut Code<'_>, image: ImageType, mut instruction: Instruction) {
    let Some(&[Operand::IdRef(object), Operand::IdRef(coordinate)]) =
        instruction.operands.first_chunk()
    else {
        code.keep(instruction);
        return;
    };
    let first_extra = if instruction.class.opcode == Op::ImageWrite {
        3
    } else {
        2
    };
    let mut extras = Extras::parse(instruction.operands.get(first_extra..).unwrap_or_default());
    let mut coordinate = coordinate;
    for bit in [ImageOperands::CONST_OFFSET, ImageOperands::OFFSET] {
        if let Some(offset) = extras.take(bit).and_then(|values| values.first().copied()) {
            coordinate = moved_texel(code, image, coordinate, offset);
        }
    }
    if image.dim == Dim::DimBuffer {
        coordinate = texel_of_buffer(code, object, image, coordinate);
    } else if image.is_widened() {
        coordinate = widened(code, image, coordinate, 0);
    }
    if image.dim == Dim::DimBuffer && image.sampled {
        let sint = code.rewriter.sint();
        let base = code.rewriter.constant(sint, 0);
        extras.put(ImageOperands::LOD, base);
    }
    instruction.operands[1] = Operand::IdRef(coordinate);
    instruction.operands.truncate(first_extra);
    extras.write(&mut instruction.operands);
    code.keep(instruction);
}

/// The coordinate with an offset, which may be an integer of the other sign.
fn moved_texel(code: &mut Code<'_>, image: ImageType, coordinate: Word, offset: Word) -> Word {
    let mut parts = code.components(coordinate);
    let offsets = code.components(offset);
    for (part, offset) in parts
        .iter_mut()
        .zip(&offsets[..image.dimensions().min(offsets.len() as u32) as usize])
    {
        let ty = code.rewriter.type_of(*part);
        let offset = if code.rewriter.type_of(*offset) == ty {
            *offset
        } else {
            code.op(Op::Bitcast, ty, &[*offset])
        };
        *part = code.op(Op::IAdd, ty, &[*part, offset]);
    }
    code.construct(&parts)
}

/// The coordinate of a one-dimensional texture in the two-dimensional one.
pub(super) fn widened(code: &mut Code<'_>, image: ImageType, coordinate: Word, bits: u32) -> Word {
    let parts = code.components(coordinate);
    let row = code.like(parts[0], bits);
    if image.arrayed {
        code.construct(&[parts[0], row, parts[1]])
    } else {
        code.construct(&[parts[0], row])
    }
}

/// Column and row of a number of a texel.
fn texel_of_buffer(code: &mut Code<'_>, object: Word, image: ImageType, number: Word) -> Word {
    let number = code.component(number, 0);
    let uint = code.rewriter.uint();
    let number = if code.rewriter.type_of(number) == uint {
        number
    } else {
        code.op(Op::Bitcast, uint, &[number])
    };
    let size = plane_size(code, object, image, None);
    let width = code.component(size, 0);
    let column = code.op(Op::UMod, uint, &[number, width]);
    let row = code.op(Op::UDiv, uint, &[number, width]);
    code.construct(&[column, row])
}

/// Width, height and depth as the text has them.
pub(super) fn plane_size(
    code: &mut Code<'_>,
    object: Word,
    image: ImageType,
    level: Option<Word>,
) -> Word {
    let uint = code.rewriter.uint();
    let ty = code.rewriter.vector(uint, image.size_dimensions());
    if image.multisampled || !image.sampled {
        return code.op(Op::ImageQuerySize, ty, &[object]);
    }
    let level = level.unwrap_or_else(|| code.rewriter.constant(uint, 0));
    code.op(Op::ImageQuerySizeLod, ty, &[object, level])
}

/// Queries of sizes: naga knows no layers, and widened textures have a height.
fn rewrite_size(code: &mut Code<'_>, image: ImageType, query: &Instruction) {
    let operands: Vec<Word> = query
        .operands
        .iter()
        .filter_map(Operand::id_ref_any)
        .collect();
    let (object, level) = (operands[0], operands.get(1).copied());
    let plane = plane_size(code, object, image, level);
    let mut parts = code.components(plane);
    let uint = code.rewriter.uint();
    if image.dim == Dim::DimBuffer {
        parts = vec![code.op(Op::IMul, uint, &[parts[0], parts[1]])];
    } else if image.is_widened() {
        parts.truncate(1);
    }
    if image.arrayed {
        // `ask_for_layers` makes this the number of layers.
        parts.push(code.op(Op::ImageQuerySamples, uint, &[object]));
    }
    let size = code.construct(&parts);
    let wanted = query.result_type.unwrap_or_default();
    if code.rewriter.type_of(size) == wanted {
        code.define(query, size);
    } else {
        let cast = code.op(Op::Bitcast, wanted, &[size]);
        code.define(query, cast);
    }
}

/// Makes queries of the samples of textures that have one queries of their layers, which the front end of naga does not read.
pub(super) fn ask_for_layers(module: &mut naga::Module) {
    let naga::Module {
        types,
        global_variables,
        functions,
        entry_points,
        ..
    } = module;
    let functions = functions.iter_mut().map(|(_, function)| function);
    for function in functions.chain(entry_points.iter_mut().map(|entry| &mut entry.function)) {
        let images: Vec<_> = function
            .expressions
            .iter()
            .filter_map(|(handle, expression)| match expression {
                naga::Expression::GlobalVariable(variable) => {
                    Some((handle, global_variables[*variable].ty))
                }
                _ => None,
            })
            .collect();
        for (_, expression) in function.expressions.iter_mut() {
            if let naga::Expression::ImageQuery { image, query } = expression
                && *query == naga::ImageQuery::NumSamples
                && let Some((_, ty)) = images.iter().find(|(handle, _)| handle == image)
                && !is_multisampled(&types[*ty].inner)
            {
                *query = naga::ImageQuery::NumLayers;
            }
        }
    }
}

fn is_multisampled(ty: &naga::TypeInner) -> bool {
    use naga::{ImageClass, TypeInner};
    matches!(
        ty,
        TypeInner::Image {
            class: ImageClass::Sampled { multi: true, .. } | ImageClass::Depth { multi: true },
            ..
        }
    )
}

/// The base-2 logarithm of how many texels of the base level a pixel is apart from its neighbors at most.
pub(super) fn level_of_pixel(
    code: &mut Code<'_>,
    object: Word,
    image: ImageType,
    coordinate: Word,
) -> Word {
    let texels = coordinate_in_texels(code, object, image, coordinate);
    let derivatives = [Op::DPdx, Op::DPdy].map(|op| code.same(op, &[texels]));
    level_of_distances(code, derivatives)
}

/// The coordinate, without layer, in texels of the base level; of cubes the point on the cube.
pub(super) fn coordinate_in_texels(
    code: &mut Code<'_>,
    object: Word,
    image: ImageType,
    coordinate: Word,
) -> Word {
    let float = code.rewriter.float();
    let size = plane_size(code, object, image, None);
    let ty = code.with_scalar(size, float);
    let size = code.op(Op::ConvertUToF, ty, &[size]);
    let mut point = code.components(coordinate);
    point.truncate(if image.is_widened() {
        2
    } else {
        image.dimensions() as usize
    });
    let point = code.construct(&point);
    if image.dim != Dim::DimCube {
        return code.same(Op::FMul, &[point, size]);
    }
    // Both faces that meet in an axis are two units apart.
    let half = code.like(point, 0.5f32.to_bits());
    let halved = code.same(Op::FMul, &[point, half]);
    let parts = code.components(halved);
    let mut most = code.ext(GlslOp::FAbs, float, &[parts[0]]);
    for part in &parts[1..] {
        let part = code.ext(GlslOp::FAbs, float, &[*part]);
        most = code.ext(GlslOp::FMax, float, &[most, part]);
    }
    let two = code.rewriter.float_constant(1, 2.0);
    let most = code.same(Op::FMul, &[most, two]);
    let width = code.component(size, 0);
    let scale = code.same(Op::FDiv, &[width, most]);
    let scale = code.construct(&[scale, scale, scale]);
    code.same(Op::FMul, &[halved, scale])
}

/// The base-2 logarithm of the longer of two distances.
pub(super) fn level_of_distances(code: &mut Code<'_>, distances: [Word; 2]) -> Word {
    let float = code.rewriter.float();
    let lengths = distances.map(|distance| code.ext(GlslOp::Length, float, &[distance]));
    let most = code.ext(GlslOp::FMax, float, &lengths);
    code.ext(GlslOp::Log2, float, &[most])
}
