//! Image accesses. Reads of texels that do not exist return 0 and writes to them have no effect
//! (EXT_shader_image_load_store, issue 30), which the module ensures itself.
//!
//! `image_variable` declares variables, `atomic` implements atomic operations.

pub(super) mod atomic;
pub(super) mod image_variable;

use crate::builder::{Lane, Scalar, Val, ValueBuilder, int};
use crate::capability::Requirement;
use crate::emit::context::{FunctionEmitter, ImageEmitter, InstContext, OpResult};
use crate::emit::control::cond::emit_guarded;
use crate::emit::image::image_variable::texel_component;
use crate::emit::memory::descriptor_index::{Descriptor, load_descriptor};
use crate::error::{Error, Failure};
use crate::spirv_writer::{OperandList, ValueWord};
use glasm_ir::{Image, ImageAccess, ImageTexels, InstData, Op, TexTarget, Type, Width};
use spirv::{ImageOperands, Op as Spv};

/// Bits of 1.0 in half precision.
const HALF_ONE: u32 = 0x3c00;

/// Position of a texel.
#[derive(Clone, Copy)]
pub(super) struct Texel {
    image: Image,
    /// Loaded image.
    object: ValueWord,
    pub(super) coordinate: Val,
    pub(super) sample: Option<Val>,
}

impl Texel {
    /// Returns the operands of an access: image, coordinate, the value of a store, if there is one,
    /// and the sample of multisample images.
    // Images with several samples must have this operand, others must not (SPIR-V, image operands).
    fn operands(&self, value: Option<Val>) -> OperandList {
        let mut operands = OperandList::default();
        operands.extend([self.object, self.coordinate.id]);
        operands.extend(value.map(|value| value.id));
        let bits = ImageOperands::SAMPLE.bits();
        let sample = self.sample.map(|sample| [bits, sample.id.0]);
        operands.extend(sample.into_iter().flatten());
        operands
    }
}

impl ImageEmitter<'_, '_> {
    /// Emits `body` with an image and a texel of it, in a branch that runs if the texel exists;
    /// returns zeros otherwise. Emits a case for each image of an array that the device cannot
    /// index. Returns the errors of `body` and of missing features.
    pub(super) fn emit_if_texel_exists(
        &mut self,
        access: &ImageAccess,
        texel: Texel,
        mut body: impl FnMut(&mut Self, Descriptor, Texel) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        self.emit_with_image(access, |emit, image| {
            let object = load_descriptor(emit.function.builder, image);
            // Tests the image itself, case by case: sizes differ between the images of an array.
            let (texel, inside) =
                test_texel_exists(emit.function.builder, Texel { object, ..texel });
            emit_guarded(emit, inside, |emit| body(emit, image, texel))
        })
    }

    /// Emits the test that the texel of an image access is populated, as a boolean. A texel that
    /// does not exist is populated, because it accesses no unpopulated memory.
    pub(in crate::emit) fn emit_image_residency(
        &mut self,
        cx: InstContext<'_>,
    ) -> Result<Val, Failure> {
        let (access, image) = find_image_access(self.function, cx)?;
        let texel = load_texel(self.function, cx, image, 0)?;
        let lanes = self.emit_if_texel_exists(&access, texel, |emit, _, texel| {
            emit.residency.begin_request();
            emit.read_texel(texel);
            let resident = emit.residency.finish_request(emit.function.builder);
            // Negated, because a skipped block returns zeros: a texel that does not exist is
            // treated as resident.
            Ok(emit.function.builder.emit_not(resident).first_lane_only())
        })?;
        let is_missing = self.function.builder.val(lanes[0].id());
        Ok(self.function.builder.emit_not(is_missing))
    }

    /// Emits `ImageLoad`: reads a texel, or zeros in all lanes if it does not exist. Returns an
    /// error if the device does not support the access.
    pub(in crate::emit) fn emit_image_load(
        &mut self,
        cx: InstContext<'_>,
    ) -> Result<OpResult, Failure> {
        let (access, image) = find_image_access(self.function, cx)?;
        let texel = load_texel(self.function, cx, image, 0)?;
        let lanes = self.emit_if_texel_exists(&access, texel, |emit, _, texel| {
            let (read, count) = (emit.read_texel(texel), access.components);
            Ok(extract_elements(
                emit.function.builder,
                read,
                cx.inst.ty,
                count,
                image.texels,
            ))
        })?;
        Ok(OpResult::Lanes(lanes))
    }

    /// Emits `OpImageRead` of a texel, which yields four components. Residency is recorded while a
    /// test requests it.
    pub(super) fn read_texel(&mut self, texel: Texel) -> Val {
        let scalar = texel_component(texel.image.texels);
        self.residency.emit_texel_op(
            self.function.builder,
            Spv::ImageRead,
            scalar,
            4,
            &texel.operands(None),
        )
    }

    /// Emits `ImageStore`: writes a texel; without effect if it does not exist. Returns an error if
    /// the device does not support the access.
    pub(in crate::emit) fn emit_image_store(
        &mut self,
        cx: InstContext<'_>,
    ) -> Result<OpResult, Failure> {
        let (access, image) = find_image_access(self.function, cx)?;
        let src = self.function.program.source(cx.inst, 0);
        // Narrow values are in the low bits; a store accepts them unchanged.
        let narrow = cx.inst.ty.width() < Width::W32;
        let ty = if narrow { Type::U32 } else { cx.inst.ty };
        let value = self
            .function
            .load_source_as(src, ty, access.element_lanes())?;
        let value = pack_texel(
            self.function.builder,
            value,
            cx.inst.ty,
            &access,
            image.texels,
        );
        let texel = load_texel(self.function, cx, image, 1)?;
        self.emit_if_texel_exists(&access, texel, |emit, _, texel| {
            write_texel(emit.function.builder, texel, value);
            Ok([Lane::UNDEFINED; 4])
        })?;
        Ok(OpResult::None)
    }

    /// Emits `ImageSize` and `ImageSamples`: queries the dimensions, padded with zeros, or the
    /// number of samples of an image in all lanes. Returns an error for samples of images without
    /// multisampling.
    pub(in crate::emit) fn emit_image_query(
        &mut self,
        cx: InstContext<'_>,
    ) -> Result<OpResult, Failure> {
        let (access, image) = find_image_access(self.function, cx)?;
        let is_size = cx.inst.op == Op::ImageSize;
        let lanes = self.emit_with_image(&access, |emit, pointer| {
            let object = load_descriptor(emit.function.builder, pointer);
            if is_size {
                let size = query_dimensions(emit.function.builder, object, &image);
                return Ok(emit.function.builder.pad_with_zeros(size));
            }
            if !image.target.is_multisample() {
                return Err(Error::unsupported("only multisample images have samples"));
            }
            emit.function
                .builder
                .requirements
                .insert(Requirement::ImageQuery);
            Ok([query_sample_count(emit.function.builder, object).lane(0); 4])
        })?;
        Ok(OpResult::Lanes(lanes))
    }
}

/// Returns the image access of an instruction and its image; an error if the instruction has no
/// such data.
pub(super) fn find_image_access(
    function: &FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<(ImageAccess, Image), Failure> {
    let InstData::Image(id) = cx.inst.data else {
        return Err(Error::unsupported(
            "an image instruction without access data",
        ));
    };
    let access = function.program.image_accesses[id];
    Ok((access, function.program.images[access.image]))
}

/// Loads the texel position, and the sample of multisample images, from the sources from `first`
/// on. The texel gets no image object yet.
pub(super) fn load_texel(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
    image: Image,
    first: usize,
) -> Result<Texel, Failure> {
    let sources = function.program.sources(cx.inst);
    let lanes = image.coordinate_lanes();
    let coordinate = function.load_source_as(&sources[first], Type::S32, (1 << lanes) - 1)?;
    let coordinate = function.builder.widen(coordinate, lanes);
    // Only multisample images have a source for the sample.
    let sample = match sources.get(first + 1) {
        Some(src) => Some(function.load_source_as(src, Type::S32, 1)?),
        None => None,
    };
    Ok(Texel {
        image,
        object: ValueWord::NONE,
        coordinate,
        sample,
    })
}

/// Emits `OpImageWrite` of a vector of four components to a texel.
pub(super) fn write_texel(builder: &mut ValueBuilder, texel: Texel, value: Val) {
    builder
        .body
        .push_inst(Spv::ImageWrite, &texel.operands(Some(value)));
}

/// Extracts the first `count` elements of a texel that was read, and (0, 0, 0, 1) past them:
/// EXT_shader_image_load_store section 2.X.8.Z, LOADIM. Texels of a format are returned unchanged.
fn extract_elements(
    builder: &mut ValueBuilder,
    read: Val,
    ty: Type,
    count: u8,
    texels: ImageTexels,
) -> [Lane; 4] {
    // The device returns (0, 0, 0, 1) for components that the format lacks.
    if matches!(texels, ImageTexels::Formatted(_)) {
        return read.lanes();
    }
    let one = if ty == Type::F32 {
        builder.constant_f32(1.0)
    } else {
        builder.constant_u32(if ty == Type::F16 { HALF_ONE } else { 1 })
    };
    let zero = builder.constant_u32(0);
    let mut lanes = [zero, zero, zero, one].map(Lane::scalar);
    let bits = ty.width().bits();
    for (number, lane) in (0u32..).zip(&mut lanes[..usize::from(count)]) {
        // Elements are consecutive in the bits of the texel, the first one lowest.
        let word = builder.extract_component(read, (number * bits / 32) as usize);
        *lane = if bits == 32 {
            word.lane(0)
        } else {
            let shift = u64::from(number * bits % 32);
            let value = builder.emit_binary_bits(Spv::ShiftRightLogical, word, shift);
            int::extend_low_bits(builder, value, bits, ty.is_signed_int()).lane(0)
        };
    }
    lanes
}

/// Packs a value into the vector of four components that a texel store takes: unchanged for texels
/// of a format, else as consecutive elements from the lowest bits up.
fn pack_texel(
    builder: &mut ValueBuilder,
    value: Val,
    ty: Type,
    access: &ImageAccess,
    texels: ImageTexels,
) -> Val {
    let lanes = value.lanes();
    if matches!(texels, ImageTexels::Formatted(_)) {
        return builder.gather_vector(&lanes, texel_component(texels));
    }
    let mut words = [Lane::scalar(builder.constant_u32(0)); 4];
    let bits = ty.width().bits();
    for (number, lane) in (0u32..).zip(&lanes[..usize::from(access.components)]) {
        let word_index = (number * bits / 32) as usize;
        let value = builder.read_lane_val(*lane, Scalar::U32);
        words[word_index] = match bits {
            32 => value.lane(0),
            _ => insert_element(builder, words[word_index], value, bits, number * bits % 32),
        };
    }
    builder.gather_vector(&words, Scalar::U32)
}

/// Inserts an element of `bits` bits into a word, from bit `shift` up, whose bits there are 0.
fn insert_element(
    builder: &mut ValueBuilder,
    word: Lane,
    value: Val,
    bits: u32,
    shift: u32,
) -> Lane {
    // Bits above the element are not part of the value.
    let value = builder.emit_binary_bits(Spv::BitwiseAnd, value, (1 << bits) - 1);
    let value = builder.emit_binary_bits(Spv::ShiftLeftLogical, value, u64::from(shift));
    let old = builder.val(word.id());
    builder.emit_binary(Spv::BitwiseOr, old, value).lane(0)
}

/// Emits the test that the texel exists, and returns the texel with its sample clamped to those of
/// the image: the accessed sample is undefined out of range (EXT_shader_image_load_store section
/// 3.9.X).
fn test_texel_exists(builder: &mut ValueBuilder, texel: Texel) -> (Texel, Val) {
    let size = query_dimensions(builder, texel.object, &texel.image);
    let mut bounds = size.lanes();
    if texel.image.target == TexTarget::Cube {
        // `OpImageQuerySize` returns the size of a face only.
        bounds[2] = Lane::scalar(builder.constant_u32(6));
    } else if texel.image.target == TexTarget::CubeArray {
        // The size counts cubes, the coordinate counts faces.
        let cubes = builder.extract_component(size, 2);
        bounds[2] = builder.emit_binary_bits(Spv::IMul, cubes, 6).lane(0);
    }
    let lanes = texel.image.coordinate_lanes() as usize;
    let bounds = builder.gather_vector(&bounds[..lanes], Scalar::U32);
    // Unsigned, so that negative coordinates are beyond any size.
    let below = builder.emit_test(Spv::ULessThan, texel.coordinate, bounds);
    let inside = match below.size {
        1 => below,
        _ => builder.emit_op(Spv::All, Scalar::BoolInt, 1, &[below.id.0]),
    };
    let sample = texel.sample.map(|sample| {
        let samples = query_sample_count(builder, texel.object);
        let last = builder.emit_binary_bits(Spv::ISub, samples, 1);
        int::select_min(builder, sample, last)
    });
    (Texel { sample, ..texel }, inside)
}

/// Emits a query of width, height and depth or layers, depending on the target, and adds its
/// requirement.
fn query_dimensions(builder: &mut ValueBuilder, object: ValueWord, image: &Image) -> Val {
    builder.requirements.insert(Requirement::ImageQuery);
    let count = image.target.size_components();
    builder.emit_op(Spv::ImageQuerySize, Scalar::U32, count, &[object.0])
}

/// Queries the number of samples of an image.
pub(in crate::emit) fn query_sample_count(builder: &mut ValueBuilder, object: ValueWord) -> Val {
    builder.emit_op(Spv::ImageQuerySamples, Scalar::U32, 1, &[object.0])
}
