//! Image accesses. Reads of texels that do not exist return 0 and writes to them have no effect
//! (EXT_shader_image_load_store, issue 30), which the module ensures itself.
//!
//! `object` declares variables, `atomic` and `lock` implement atomic operations.

pub(super) mod atomic;
pub(super) mod lock;
pub(super) mod object;

use crate::builder::{Lane, Scalar, Val, ValueBuilder, int};
use crate::capability::Need;
use crate::emit::control::guarded::run_if;
use crate::emit::cx::{FunctionEmitter, ImageEmitter, InstCx, Outcome};
use crate::emit::image::object::texel_component;
use crate::emit::memory::member::{Descriptor, load_descriptor};
use crate::error::{Error, Failure};
use crate::words::{OperandList, ValueWord};
use glasm_ir::{Aux, Image, ImageAccess, ImageTexels, Op, TexTarget, Type, Width};
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
    /// Returns the operands of an access: image, coordinate, the value of a store, sample.
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
    /// Runs `body` with an image and a texel of it if the texel exists; returns zeros otherwise.
    pub(super) fn run_at_texel(
        &mut self,
        access: &ImageAccess,
        texel: Texel,
        mut body: impl FnMut(&mut Self, Descriptor, Texel) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        self.with_image(access, |emit, image| {
            let object = load_descriptor(emit.f.w, image);
            // Tests the image itself, case by case: sizes differ between the images of an array.
            let (texel, inside) = check_texel(emit.f.w, Texel { object, ..texel });
            run_if(emit, inside, |emit| body(emit, image, texel))
        })
    }

    /// Emits a test whether the texel of an image access is populated. A texel that does not exist
    /// is populated, because it accesses no unpopulated memory.
    pub(in crate::emit) fn emit_image_residency(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let (access, image) = find_image_access(self.f, cx)?;
        let texel = load_texel(self.f, cx, image, 0)?;
        let lanes = self.run_at_texel(&access, texel, |emit, _, texel| {
            emit.sparse.ask_residency();
            emit.read_texel(texel);
            let resident = emit.sparse.take_answer(emit.f.w);
            // Negated, because a skipped block returns zeros: a texel that does not exist is
            // treated as resident.
            Ok(emit.f.w.not(resident).alone())
        })?;
        let is_missing = self.f.w.val(lanes[0].id());
        Ok(self.f.w.not(is_missing))
    }

    /// Emits `ImageLoad`.
    pub(in crate::emit) fn emit_image_load(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let (access, image) = find_image_access(self.f, cx)?;
        let texel = load_texel(self.f, cx, image, 0)?;
        let lanes = self.run_at_texel(&access, texel, |emit, _, texel| {
            let (read, count) = (emit.read_texel(texel), access.components);
            Ok(extract_elements(
                emit.f.w,
                read,
                cx.inst.ty,
                count,
                image.texels,
            ))
        })?;
        Ok(Outcome::Lanes(lanes))
    }

    /// Reads a texel as a vector of four components.
    pub(super) fn read_texel(&mut self, texel: Texel) -> Val {
        let scalar = texel_component(texel.image.texels);
        self.sparse
            .emit_texel_op(self.f.w, Spv::ImageRead, scalar, 4, &texel.operands(None))
    }

    /// Emits `ImageStore`.
    pub(in crate::emit) fn emit_image_store(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let (access, image) = find_image_access(self.f, cx)?;
        let src = self.f.program.source(cx.inst, 0);
        // Narrow values are in the low bits; a store accepts them unchanged.
        let narrow = cx.inst.ty.width() < Width::W32;
        let ty = if narrow { Type::U32 } else { cx.inst.ty };
        let value = self.f.load_source_as(src, ty, access.element_lanes())?;
        let value = pack_texel(self.f.w, value, cx.inst.ty, &access, image.texels);
        let texel = load_texel(self.f, cx, image, 1)?;
        self.run_at_texel(&access, texel, |emit, _, texel| {
            write_texel(emit.f.w, texel, value);
            Ok([Lane::UNDEFINED; 4])
        })?;
        Ok(Outcome::None)
    }

    /// Emits `ImageSize` and `ImageSamples`.
    pub(in crate::emit) fn emit_image_query(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let (access, image) = find_image_access(self.f, cx)?;
        let is_size = cx.inst.op == Op::ImageSize;
        let lanes = self.with_image(&access, |emit, pointer| {
            let object = load_descriptor(emit.f.w, pointer);
            if is_size {
                let size = query_dimensions(emit.f.w, object, &image);
                return Ok(emit.f.w.fill_with_zeros(size));
            }
            if !image.target.is_multisample() {
                return Err(Error::unsupported("only multisample images have samples"));
            }
            emit.f.w.needs.insert(Need::ImageQuery);
            Ok([query_sample_count(emit.f.w, object).lane(0); 4])
        })?;
        Ok(Outcome::Lanes(lanes))
    }
}

pub(super) fn find_image_access(
    f: &FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<(ImageAccess, Image), Failure> {
    let Aux::Image(id) = cx.inst.aux else {
        return Err(Error::unsupported(
            "an image instruction without access data",
        ));
    };
    let access = f.program.image_accesses[id];
    Ok((access, f.program.images[access.image]))
}

/// Loads the texel position from the sources from `first` on.
pub(super) fn load_texel(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
    image: Image,
    first: usize,
) -> Result<Texel, Failure> {
    let sources = f.program.sources(cx.inst);
    let lanes = image.coordinate_lanes();
    let coordinate = f.load_source_as(&sources[first], Type::S32, (1 << lanes) - 1)?;
    let coordinate = f.w.widen(coordinate, lanes);
    // Only multisample images have a source for the sample.
    let sample = match sources.get(first + 1) {
        Some(src) => Some(f.load_source_as(src, Type::S32, 1)?),
        None => None,
    };
    Ok(Texel {
        image,
        object: ValueWord::NONE,
        coordinate,
        sample,
    })
}

/// Writes a texel from a vector of four components.
pub(super) fn write_texel(w: &mut ValueBuilder, texel: Texel, value: Val) {
    w.body.op(Spv::ImageWrite, &texel.operands(Some(value)));
}

/// Extracts the first `count` elements of a texel that was read, and (0, 0, 0, 1) past them:
/// EXT_shader_image_load_store section 2.X.8.Z, LOADIM.
fn extract_elements(
    w: &mut ValueBuilder,
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
        w.float(1.0)
    } else {
        w.uint(if ty == Type::F16 { HALF_ONE } else { 1 })
    };
    let zero = w.uint(0);
    let mut lanes = [zero, zero, zero, one].map(Lane::scalar);
    let bits = ty.width().bits();
    for (number, lane) in (0u32..).zip(&mut lanes[..usize::from(count)]) {
        // Elements are consecutive in the bits of the texel, the first one lowest.
        let word = w.component(read, (number * bits / 32) as usize);
        *lane = if bits == 32 {
            word.lane(0)
        } else {
            let shift = u64::from(number * bits % 32);
            let value = w.binary_bits(Spv::ShiftRightLogical, word, shift);
            int::extend(w, value, bits, ty.is_signed_int()).lane(0)
        };
    }
    lanes
}

/// Packs a value into the vector to write.
fn pack_texel(
    w: &mut ValueBuilder,
    value: Val,
    ty: Type,
    access: &ImageAccess,
    texels: ImageTexels,
) -> Val {
    let lanes = value.lanes();
    if matches!(texels, ImageTexels::Formatted(_)) {
        return w.gather_vector(&lanes, texel_component(texels));
    }
    let mut words = [Lane::scalar(w.uint(0)); 4];
    let bits = ty.width().bits();
    for (number, lane) in (0u32..).zip(&lanes[..usize::from(access.components)]) {
        let place = (number * bits / 32) as usize;
        let value = w.lane_val(*lane, Scalar::U32);
        words[place] = match bits {
            32 => value.lane(0),
            _ => insert_element(w, words[place], value, bits, number * bits % 32),
        };
    }
    w.gather_vector(&words, Scalar::U32)
}

/// Inserts an element of `bits` bits into a word, from bit `shift` up.
fn insert_element(w: &mut ValueBuilder, word: Lane, value: Val, bits: u32, shift: u32) -> Lane {
    // Bits above the element are not part of the value.
    let value = w.binary_bits(Spv::BitwiseAnd, value, (1 << bits) - 1);
    let value = w.binary_bits(Spv::ShiftLeftLogical, value, u64::from(shift));
    let old = w.val(word.id());
    w.binary(Spv::BitwiseOr, old, value).lane(0)
}

/// Checks that the texel exists. Samples out of range are clamped: the accessed sample is undefined
/// then (EXT_shader_image_load_store section 3.9.X).
fn check_texel(w: &mut ValueBuilder, texel: Texel) -> (Texel, Val) {
    let size = query_dimensions(w, texel.object, &texel.image);
    let mut bounds = size.lanes();
    if texel.image.target == TexTarget::Cube {
        // `OpImageQuerySize` returns the size of a face only.
        bounds[2] = Lane::scalar(w.uint(6));
    } else if texel.image.target == TexTarget::CubeArray {
        // The size counts cubes, the coordinate counts faces.
        let cubes = w.component(size, 2);
        bounds[2] = w.binary_bits(Spv::IMul, cubes, 6).lane(0);
    }
    let lanes = texel.image.coordinate_lanes() as usize;
    let bounds = w.gather_vector(&bounds[..lanes], Scalar::U32);
    // Unsigned, so that negative coordinates are beyond any size.
    let below = w.test(Spv::ULessThan, texel.coordinate, bounds);
    let inside = match below.size {
        1 => below,
        _ => w.op(Spv::All, Scalar::BoolInt, 1, &[below.id.0]),
    };
    let sample = texel.sample.map(|sample| {
        let samples = query_sample_count(w, texel.object);
        let last = w.binary_bits(Spv::ISub, samples, 1);
        int::select_min(w, sample, last)
    });
    (Texel { sample, ..texel }, inside)
}

/// Queries width, height and depth or layers, depending on the target.
fn query_dimensions(w: &mut ValueBuilder, object: ValueWord, image: &Image) -> Val {
    w.needs.insert(Need::ImageQuery);
    let count = image.target.size_components();
    w.op(Spv::ImageQuerySize, Scalar::U32, count, &[object.0])
}

/// Queries the number of samples of an image.
pub(in crate::emit) fn query_sample_count(w: &mut ValueBuilder, object: ValueWord) -> Val {
    w.op(Spv::ImageQuerySamples, Scalar::U32, 1, &[object.0])
}
