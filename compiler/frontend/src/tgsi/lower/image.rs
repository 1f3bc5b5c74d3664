//! Accesses of images, and handles. TGSI, section "Resource Access Opcodes".

use super::inst::{LoweredInst, splat};
use super::memory::MemoryLowerer;
use crate::lower::op_builder::OpBuilder;
use crate::tgsi::ast::ImageDecl;
use glasm_ir::inst::InstData;
use glasm_ir::resource::AtomicOp;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Image, ImageAccess, ImageTexels, IndexTerm, Op, Src, UnitSet, WriteMask};

/// The image of an access: its id, the dynamic element of an array, and its known properties.
#[derive(Clone, Copy)]
pub(super) struct ImageRef {
    pub(super) units: UnitSet,
    pub(super) element: Option<IndexTerm>,
    pub(super) decl: ImageDecl,
}

impl MemoryLowerer<'_, '_> {
    /// Returns the texel coordinate of a byte address, plus `lane` texels.
    fn compute_raw_coordinate(&mut self, address: Src, lane: u8) -> Src {
        // Texels of raw images are words, addresses count bytes.
        let (two, offset) = (
            self.operands.emitter.splat_word(2),
            self.operands.emitter.splat_word(lane.into()),
        );
        let word = self
            .operands
            .emitter
            .compute(Op::Shr, Type::U32, &[splat(address, 0), two]);
        match lane {
            0 => word,
            _ => self
                .operands
                .emitter
                .compute(Op::Add, Type::U32, &[word, offset]),
        }
    }

    /// Loads consecutive texels of an image of words from a byte address on, those in `lanes`.
    pub(super) fn load_raw_texels(
        &mut self,
        inst: &LoweredInst,
        image: ImageRef,
        lanes: u8,
    ) -> Src {
        let register = self.operands.emitter.alloc_hidden(Width::W32);
        for lane in (0..4).filter(|lane| lanes >> lane & 1 != 0) {
            let place = self.compute_raw_coordinate(inst.sources[1], lane);
            let aux = self.make_image_aux(inst, image, ImageTexels::Raw(32), None);
            // Separately, because each of them may be outside of the image.
            let texel =
                self.operands
                    .emitter
                    .compute_with_aux(Op::ImageLoad, Type::U32, aux, &[place]);
            let mask = WriteMask(1 << lane);
            self.operands.emitter.emit_to_register(
                register,
                mask,
                Op::Mov,
                Type::U32,
                &[splat(texel, 0)],
            );
        }
        Src::from_register(register)
    }

    /// Stores the components in `mask` of a value to an untyped image, one word for each texel of
    /// 32 bits.
    pub(super) fn store_raw_texels(
        &mut self,
        inst: &LoweredInst,
        image: ImageRef,
        value: Src,
        mask: u8,
    ) {
        for lane in (0..4).filter(|lane| mask >> lane & 1 != 0) {
            let place = self.compute_raw_coordinate(inst.sources[0], lane);
            let aux = self.make_image_aux(inst, image, ImageTexels::Raw(32), None);
            let sources = [splat(value, lane), place];
            self.operands
                .emitter
                .emit_inst(Op::ImageStore, Type::U32, None, aux, &sources);
        }
    }

    /// Lowers an atomic operation on an image.
    pub(super) fn lower_image_atomic(
        &mut self,
        inst: &LoweredInst,
        image: ImageRef,
        (op, ty): (AtomicOp, Type),
        value: Src,
    ) {
        let aux = self.make_image_aux(inst, image, ImageTexels::Raw(32), Some(op));
        let (sources, count) = collect_image_sources(&image, Some(value), inst.sources[1]);
        // Always executed, even if the old value is unused.
        let old_value =
            self.operands
                .emitter
                .compute_with_aux(Op::ImageAtomic, ty, aux, &sources[..count]);
        if inst.dst.is_some() {
            self.operands
                .emitter
                .emit_result(inst, Op::Mov, ty, &[splat(old_value, 0)]);
        }
    }

    /// Lowers the query of width, height and layers of an image, and in w the samples of each
    /// texel.
    pub(super) fn lower_image_size(&mut self, inst: &LoweredInst, image: ImageRef) {
        let aux = self.make_image_aux(inst, image, ImageTexels::Unused, None);
        let size = self
            .operands
            .emitter
            .compute_with_aux(Op::ImageSize, Type::S32, aux, &[]);
        let register = self.operands.emitter.alloc_hidden(Width::W32);
        let zero = self.operands.emitter.splat_word(0);
        // Components that the target does not have are 0.
        self.operands.emitter.emit_to_register(
            register,
            WriteMask::XYZW,
            Op::Mov,
            Type::S32,
            &[zero],
        );
        let target = image.decl.target;
        let lanes = WriteMask((1 << target.size_components()) - 1);
        self.operands
            .emitter
            .emit_to_register(register, lanes, Op::Mov, Type::S32, &[size]);
        if target.is_multisample() {
            let samples =
                self.operands
                    .emitter
                    .compute_with_aux(Op::ImageSamples, Type::S32, aux, &[]);
            let mask = WriteMask(0b1000);
            self.operands.emitter.emit_to_register(
                register,
                mask,
                Op::Mov,
                Type::S32,
                &[splat(samples, 0)],
            );
        }
        self.operands.emitter.emit_result(
            inst,
            Op::Mov,
            Type::S32,
            &[Src::from_register(register)],
        );
    }

    /// Adds image and access of an instruction to the program; `texels` is the interpretation of
    /// the texels, `atomic` the operation of an atomic access.
    pub(super) fn make_image_aux(
        &mut self,
        inst: &LoweredInst,
        ImageRef {
            units,
            element,
            decl: row,
        }: ImageRef,
        texels: ImageTexels,
        atomic: Option<AtomicOp>,
    ) -> InstData {
        let image = Image {
            units,
            target: row.target,
            texels,
            // Raw texels are interpreted in a format of their size.
            format: match texels {
                ImageTexels::Formatted(_) => row.format,
                ImageTexels::Raw(_) | ImageTexels::Unused => None,
            },
        };
        let access = ImageAccess {
            image: self.operands.emitter.intern_image(image),
            element,
            components: match texels {
                ImageTexels::Raw(_) => 1,
                ImageTexels::Formatted(_) | ImageTexels::Unused => 4,
            },
            atomic,
            flags: self.find_flags(inst),
        };
        InstData::Image(
            self.operands
                .emitter
                .builder
                .program
                .image_accesses
                .push(access),
        )
    }

    /// Lowers IMG2HND and SAMP2HND: the handle of a unit is its number.
    pub(super) fn lower_unit_handle(&mut self, inst: &LoweredInst) {
        let result = self.operands.emitter.alloc_hidden(Width::W32);
        let zero = self.operands.emitter.splat_word(0);
        // The high word of a handle is 0, and so are the following lanes.
        self.operands.emitter.emit_to_register(
            result,
            WriteMask::XYZW,
            Op::Mov,
            Type::U32,
            &[zero],
        );
        let term = inst.resource.index;
        let offset = self.operands.emitter.splat_word(term.offset as u32);
        let number = match term.relative {
            None => offset,
            Some((index, lane)) => {
                let index = splat(Src::from_register(index), lane);
                self.operands
                    .emitter
                    .compute(Op::Add, Type::U32, &[index, offset])
            }
        };
        self.operands
            .emitter
            .emit_to_register(result, WriteMask::X, Op::Mov, Type::U32, &[number]);
        self.operands
            .emitter
            .emit_result(inst, Op::Mov, Type::U32, &[Src::from_register(result)]);
    }
}

/// Returns the interpretation of texels. Through a handle the format of the image is not known when
/// code is generated, so that those of one word are bits.
pub(super) fn texel_interpretation(image: &ImageRef) -> ImageTexels {
    if image.decl.has_32bit_texels && image.units == UnitSet::Handle {
        ImageTexels::Raw(32)
    } else {
        ImageTexels::Formatted(image.decl.ty.unwrap_or(Type::F32))
    }
}

/// Returns the sources of an image operation, and their number: the value of those that have one,
/// the coordinate, the sample.
pub(super) fn collect_image_sources(
    image: &ImageRef,
    value: Option<Src>,
    coordinate: Src,
) -> ([Src; 3], usize) {
    let mut sources = [coordinate; 3];
    let mut count = 0;
    for source in value.into_iter().chain([coordinate]) {
        sources[count] = source;
        count += 1;
    }
    if image.decl.target.is_multisample() {
        sources[count] = splat(coordinate, 3);
        count += 1;
    }
    (sources, count)
}
