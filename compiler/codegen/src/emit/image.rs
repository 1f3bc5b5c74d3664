//! Image accesses. Texels that do not exist read 0 and are not written (EXT_shader_image_load_store, issue 30), which the module
//! sees to itself.

use super::Emit;
use super::cx::{InstCx, Outcome};
use super::image_object::texel_component;
use crate::builder::{Builder, Lane, Scalar, Val};
use crate::capability::Need;
use crate::error::{Error, Failure};
use crate::words::ValueWord;
use glasm_ir::{Aux, Image, ImageAccess, ImageTexels, Op, TexTarget, Type, Width, WriteMask};
use spirv::{ImageOperands, Op as Spv};

/// Where a texel is.
#[derive(Clone, Copy)]
pub(super) struct Texel {
    image: Image,
    pub(super) coordinate: Val,
    pub(super) sample: Option<Val>,
}

impl Emit<'_> {
    pub(super) fn image_access(&self, cx: InstCx<'_>) -> Result<(ImageAccess, Image), Failure> {
        let Aux::Image(id) = cx.inst.aux else {
            return Err(Error::unsupported(
                "an image instruction without access data",
            ));
        };
        let access = self.program.image_accesses[id];
        Ok((access, self.program.images[access.image]))
    }

    /// The texel that the sources from `first` on name.
    pub(super) fn texel(
        &mut self,
        cx: InstCx<'_>,
        image: Image,
        first: usize,
    ) -> Result<Texel, Failure> {
        let program = self.program;
        let sources = &program.srcs[cx.inst.source_range()];
        let lanes = image.coordinate_lanes();
        let coordinate = self.source_as(&sources[first], Type::S32, (1 << lanes) - 1)?;
        let coordinate = self.w.widen(coordinate, lanes);
        let sample = match sources.get(first + 1) {
            Some(src) => Some(self.source_as(src, Type::S32, 1)?),
            None => None,
        };
        Ok(Texel {
            image,
            coordinate,
            sample,
        })
    }

    /// Whether the texel of an image access is populated. One that does not exist touches no memory that is not.
    pub(super) fn image_residency(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let (access, image) = self.image_access(cx)?;
        let texel = self.texel(cx, image, 0)?;
        let lanes = self.with_image(&access, |emit, pointer| {
            let object = emit.w.loaded_image(pointer);
            let (texel, inside) = emit.w.inside(object, texel);
            emit.lanes_if(inside, |emit| {
                emit.ask_residency();
                emit.read_texel(object, texel);
                let resident = emit.residency_answer();
                let mut lanes = [Lane::UNDEFINED; 4];
                // Negated, because a skipped block gives zeros: a texel that does not exist counts as resident.
                lanes[0] = emit.w.not(resident).lane(0);
                Ok(lanes)
            })
        })?;
        let is_missing = self.w.val(lanes[0].id());
        Ok(self.w.not(is_missing))
    }

    /// `ImageLoad`
    pub(super) fn image_load(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let (access, image) = self.image_access(cx)?;
        let texel = self.texel(cx, image, 0)?;
        let ty = cx.inst.ty;
        let lanes = self.with_image(&access, |emit, pointer| {
            let object = emit.w.loaded_image(pointer);
            let (texel, inside) = emit.w.inside(object, texel);
            emit.lanes_if(inside, |emit| {
                let read = emit.read_texel(object, texel);
                Ok(emit.w.elements(read, ty, &access, image.texels))
            })
        })?;
        Ok(Outcome::Lanes(lanes))
    }

    /// A texel as a vector of four components.
    pub(super) fn read_texel(&mut self, object: ValueWord, texel: Texel) -> Val {
        let mut operands = [object.0, texel.coordinate.id.0, 0, 0];
        let count = 2 + sample_operand(texel, &mut operands[2..]);
        let scalar = texel_component(texel.image.texels);
        self.texel_op(Spv::ImageRead, scalar, 4, &operands[..count])
    }

    /// `ImageStore`
    pub(super) fn image_store(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let (access, image) = self.image_access(cx)?;
        let program = self.program;
        let src = &program.srcs[cx.inst.first_source as usize];
        // Narrow values are in the low bits; a store takes them as they are.
        let narrow = cx.inst.ty.width() < Width::W32;
        let ty = if narrow { Type::U32 } else { cx.inst.ty };
        let value = self.source_as(src, ty, access.element_lanes())?;
        let value = self.w.texel_value(value, cx.inst.ty, &access, image.texels);
        let texel = self.texel(cx, image, 1)?;
        self.with_image(&access, |emit, pointer| {
            let object = emit.w.loaded_image(pointer);
            let (texel, inside) = emit.w.inside(object, texel);
            emit.lanes_if(inside, |emit| {
                emit.w.write_texel(object, texel, value);
                Ok([Lane::UNDEFINED; 4])
            })
        })?;
        Ok(Outcome::None)
    }

    /// `ImageSize`, `ImageSamples`
    pub(super) fn image_query(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let (access, image) = self.image_access(cx)?;
        let is_size = cx.inst.op == Op::ImageSize;
        let lanes = self.with_image(&access, |emit, pointer| {
            let object = emit.w.loaded_image(pointer);
            if is_size {
                let size = emit.w.image_dimensions(object, &image);
                let zero = Lane::scalar(emit.w.uint(0));
                let mut lanes = [zero; 4];
                for lane in WriteMask((1 << size.size) - 1).lanes() {
                    lanes[lane] = size.lane(lane);
                }
                return Ok(lanes);
            }
            if !image.target.is_multisample() {
                return Err(Error::unsupported("only multisample images have samples"));
            }
            emit.w.needs.insert(Need::ImageQuery);
            let samples = emit
                .w
                .op(Spv::ImageQuerySamples, Scalar::U32, 1, &[object.0]);
            Ok([samples.lane(0); 4])
        })?;
        Ok(Outcome::Lanes(lanes))
    }
}

impl Builder {
    /// Writes a texel from a vector of four components.
    pub(super) fn write_texel(&mut self, object: ValueWord, texel: Texel, value: Val) {
        let mut operands = [object.0, texel.coordinate.id.0, value.id.0, 0, 0];
        let count = 3 + sample_operand(texel, &mut operands[3..]);
        self.body.op(Spv::ImageWrite, &operands[..count]);
    }

    /// The elements of a texel that was read, and (0, 0, 0, 1) past them: EXT_shader_image_load_store section 2.X.8.Z, LOADIM.
    fn elements(
        &mut self,
        read: Val,
        ty: Type,
        access: &ImageAccess,
        texels: ImageTexels,
    ) -> [Lane; 4] {
        if matches!(texels, ImageTexels::Formatted(_)) {
            return std::array::from_fn(|lane| read.lane(lane));
        }
        let one = if ty == Type::F32 {
            self.float(1.0)
        } else {
            self.uint(if ty == Type::F16 { 0x3c00 } else { 1 })
        };
        let zero = self.uint(0);
        let mut lanes = [zero, zero, zero, one].map(Lane::scalar);
        let bits = ty.width().bits();
        for (number, lane) in (0u32..).zip(&mut lanes[..usize::from(access.components)]) {
            let (word, shift) = (number * bits / 32, number * bits % 32);
            let word = self.component(read, word as usize);
            *lane = if bits == 32 {
                word.lane(0)
            } else {
                let shift = self.constant_like(word, u64::from(shift));
                let value = self.binary(Spv::ShiftRightLogical, word, shift);
                self.extend(value, bits, ty.is_signed_int()).lane(0)
            };
        }
        lanes
    }

    /// A value as the vector that is written.
    fn texel_value(
        &mut self,
        value: Val,
        ty: Type,
        access: &ImageAccess,
        texels: ImageTexels,
    ) -> Val {
        let lanes: [Lane; 4] = std::array::from_fn(|lane| value.lane(lane));
        if matches!(texels, ImageTexels::Formatted(_)) {
            return self.gather_vector(&lanes, texel_component(texels));
        }
        let zero = Lane::scalar(self.uint(0));
        let mut words = [zero; 4];
        let bits = ty.width().bits();
        for (number, lane) in (0u32..).zip(&lanes[..usize::from(access.components)]) {
            let place = (number * bits / 32) as usize;
            let value = self.scalar(*lane, Scalar::U32);
            let value = self.val(value);
            if bits == 32 {
                words[place] = value.lane(0);
                continue;
            }
            let mask = self.constant_like(value, (1 << bits) - 1);
            let value = self.binary(Spv::BitwiseAnd, value, mask);
            let shift = self.constant_like(value, u64::from(number * bits % 32));
            let value = self.binary(Spv::ShiftLeftLogical, value, shift);
            let old = self.val(words[place].id());
            words[place] = self.binary(Spv::BitwiseOr, old, value).lane(0);
        }
        self.gather_vector(&words, Scalar::U32)
    }

    /// Whether the texel exists. Samples that do not are brought into range: which one is accessed then is undefined
    /// (EXT_shader_image_load_store section 3.9.X).
    pub(super) fn inside(&mut self, object: ValueWord, texel: Texel) -> (Texel, Val) {
        let size = self.image_dimensions(object, &texel.image);
        let mut bounds: [Lane; 4] = std::array::from_fn(|lane| size.lane(lane));
        let faces = texel.image.coordinate_lanes() as usize;
        if texel.image.target == TexTarget::Cube {
            bounds[2] = Lane::scalar(self.uint(6));
        } else if texel.image.target == TexTarget::CubeArray {
            // The size counts cubes, the coordinate counts faces.
            let cubes = self.component(size, 2);
            let six = self.constant_like(cubes, 6);
            bounds[2] = self.binary(Spv::IMul, cubes, six).lane(0);
        }
        let bounds = self.gather_vector(&bounds[..faces], Scalar::U32);
        // Unsigned, so that negative coordinates are beyond any size.
        let below = self.compare(Spv::ULessThan, Scalar::BoolInt, texel.coordinate, bounds);
        let inside = if below.size == 1 {
            below
        } else {
            self.op(Spv::All, Scalar::BoolInt, 1, &[below.id.0])
        };
        let sample = texel.sample.map(|sample| {
            let samples = self.op(Spv::ImageQuerySamples, Scalar::U32, 1, &[object.0]);
            let one = self.constant_like(samples, 1);
            let last = self.binary(Spv::ISub, samples, one);
            self.int_min(sample, last)
        });
        (Texel { sample, ..texel }, inside)
    }

    /// Width, height and depth or layers, as many as the target has.
    fn image_dimensions(&mut self, object: ValueWord, image: &Image) -> Val {
        self.needs.insert(Need::ImageQuery);
        let count = image.target.plane_dimensions() + u8::from(image.target.is_array());
        self.op(Spv::ImageQuerySize, Scalar::U32, count, &[object.0])
    }
}

/// Adds the sample to the operands of an access; gives their number.
fn sample_operand(texel: Texel, operands: &mut [u32]) -> usize {
    match texel.sample {
        Some(sample) => {
            operands[0] = ImageOperands::SAMPLE.bits();
            operands[1] = sample.id.0;
            2
        }
        None => 0,
    }
}
