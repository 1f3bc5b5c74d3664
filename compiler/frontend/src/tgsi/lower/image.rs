//! Accesses of images, and handles. TGSI, section "Resource Access Opcodes".

use super::memory::Resource;
use crate::codes::Code;
use crate::lower::formula::Formulas;
use crate::tgsi::check::Parsed;
use crate::tgsi::files::File;
use crate::tgsi::inst::Inst;
use crate::tgsi::lower::memory::MemoryAccess;
use crate::tgsi::operand::{Register, splat};
use crate::tgsi::symbols::{ImageRow, row};
use glasm_ir::inst::Aux;
use glasm_ir::resource::AtomicOp;
use glasm_ir::types::{Type, Width};
use glasm_ir::units::Units;
use glasm_ir::{
    Image, ImageAccess, ImageTexels, IndexTerm, Op, Src, Swizzle, TexTarget, WriteMask,
};

/// The image of an access: its id, the dynamic element of an array, and its known properties.
#[derive(Clone, Copy)]
pub(in crate::tgsi) struct ImageOf {
    pub(in crate::tgsi) units: Units,
    pub(in crate::tgsi) element: Option<IndexTerm>,
    pub(in crate::tgsi) row: ImageRow,
}

impl MemoryAccess<'_, '_> {
    /// Returns the texel coordinate of a byte address, plus `lane` texels.
    fn raw_place(&mut self, address: Src, lane: u8) -> Src {
        // Texels of raw images are words, addresses count bytes.
        let (two, offset) = (self.cx.emit.word(2), self.cx.emit.word(lane.into()));
        let word = self
            .cx
            .emit
            .compute(Op::Shr, Type::U32, &[splat(address, 0), two]);
        match lane {
            0 => word,
            _ => self.cx.emit.compute(Op::Add, Type::U32, &[word, offset]),
        }
    }

    /// Loads consecutive texels of an image of words from a byte address on, those in `lanes`.
    pub(in crate::tgsi) fn raw_texels(&mut self, inst: &Inst, image: ImageOf, lanes: u8) -> Src {
        let register = self.cx.emit.hidden(Width::W32);
        for lane in (0..4).filter(|lane| lanes >> lane & 1 != 0) {
            let place = self.raw_place(inst.sources[1], lane);
            let aux = self.image_aux(inst, image, ImageTexels::Raw(32), None);
            // Separately, because each of them may be outside of the image.
            let texel = self
                .cx
                .emit
                .compute_with(Op::ImageLoad, Type::U32, aux, &[place]);
            let mask = WriteMask(1 << lane);
            self.cx
                .emit
                .put(register, mask, Op::Mov, Type::U32, &[splat(texel, 0)]);
        }
        Src::register(register)
    }

    pub(in crate::tgsi) fn store_raw_texels(
        &mut self,
        inst: &Inst,
        image: ImageOf,
        value: Src,
        mask: u8,
    ) {
        for lane in (0..4).filter(|lane| mask >> lane & 1 != 0) {
            let place = self.raw_place(inst.sources[0], lane);
            let aux = self.image_aux(inst, image, ImageTexels::Raw(32), None);
            let sources = [splat(value, lane), place];
            self.cx
                .emit
                .inst(Op::ImageStore, Type::U32, None, aux, &sources);
        }
    }

    pub(in crate::tgsi) fn lower_image_atomic(
        &mut self,
        inst: &Inst,
        image: ImageOf,
        (op, ty): (AtomicOp, Type),
        value: Src,
    ) -> Parsed<()> {
        let register = inst.registers[0];
        let row = image.row;
        if !row.writable {
            return Err(self.cx.check.report_read_only_image(&register));
        }
        if !row.atomic {
            let message = "atomics are for images of 32-bit integers";
            return Err(self
                .cx
                .check
                .error(Code::ImageAccess, register.span, message));
        }
        // An exchange moves bits and works on any word.
        let takes_floats = ty == Type::F32 || op == AtomicOp::Exchange;
        if row.ty == Some(Type::F32) && !takes_floats {
            let message = "of atomics, images of floats have ATOMFADD and ATOMXCHG";
            return Err(self
                .cx
                .check
                .error(Code::ImageAccess, register.span, message));
        }
        let aux = self.image_aux(inst, image, ImageTexels::Raw(32), Some(op));
        let (sources, count) = image_sources(&image, Some(value), inst.sources[1]);
        // Always executed, even if the old value is unused.
        let old = self
            .cx
            .emit
            .compute_with(Op::ImageAtomic, ty, aux, &sources[..count]);
        if inst.dst.is_some() {
            self.cx.emit.finish(inst, Op::Mov, ty, &[splat(old, 0)]);
        }
        Ok(())
    }

    /// Lowers the query of width, height and layers of an image, and in w the samples of each
    /// texel.
    pub(in crate::tgsi) fn lower_image_size(&mut self, inst: &Inst, image: ImageOf) {
        let aux = self.image_aux(inst, image, ImageTexels::Unseen, None);
        let size = self
            .cx
            .emit
            .compute_with(Op::ImageSize, Type::S32, aux, &[]);
        let register = self.cx.emit.hidden(Width::W32);
        let zero = self.cx.emit.word(0);
        // Components that the target does not have are 0.
        self.cx
            .emit
            .put(register, WriteMask::XYZW, Op::Mov, Type::S32, &[zero]);
        let target = image.row.target;
        let lanes = WriteMask((1 << target.size_components()) - 1);
        self.cx
            .emit
            .put(register, lanes, Op::Mov, Type::S32, &[size]);
        if target.is_multisample() {
            let samples = self
                .cx
                .emit
                .compute_with(Op::ImageSamples, Type::S32, aux, &[]);
            let mask = WriteMask(0b1000);
            self.cx
                .emit
                .put(register, mask, Op::Mov, Type::S32, &[splat(samples, 0)]);
        }
        self.cx
            .emit
            .finish(inst, Op::Mov, Type::S32, &[Src::register(register)]);
    }

    pub(in crate::tgsi) fn image_aux(
        &mut self,
        inst: &Inst,
        ImageOf {
            units,
            element,
            row,
        }: ImageOf,
        texels: ImageTexels,
        atomic: Option<AtomicOp>,
    ) -> Aux {
        let image = Image {
            units,
            target: row.target,
            texels,
            // Raw texels are interpreted in a format of their size.
            format: match texels {
                ImageTexels::Formatted(_) => row.format,
                ImageTexels::Raw(_) | ImageTexels::Unseen => None,
            },
        };
        let access = ImageAccess {
            image: self.cx.emit.image_id(image),
            element,
            components: match texels {
                ImageTexels::Raw(_) => 1,
                ImageTexels::Formatted(_) | ImageTexels::Unseen => 4,
            },
            atomic,
            flags: inst.access.flags,
        };
        Aux::Image(self.cx.emit.builder.program.image_accesses.push(access))
    }

    /// Returns the image that a register of images names.
    pub(in crate::tgsi) fn image_resource(
        &mut self,
        inst: &Inst,
        register: &Register,
    ) -> Parsed<Resource> {
        let images = &self.cx.declared.images;
        let (units, element, row) = match register.number.known() {
            Some(number) => {
                let row = row(images, number.max(0) as usize);
                // Negative numbers were refused before, for all kinds of resources.
                (Units::One(number as u32), None, row)
            }
            None => {
                let count = images.len() as u32;
                let mut rows = images.iter().flatten().copied();
                let mut row = rows.next();
                // One type of images serves all elements.
                if let Some(first) = &mut row
                    && rows.any(|other| other.format != first.format)
                {
                    first.format = None;
                }
                let units = Units::Array { first: 0, count };
                (units, Some(register.number.term), row)
            }
        };
        let Some(row) = row else {
            return Err(self.cx.report_undeclared(register));
        };
        Ok(Resource::Image(ImageOf {
            units,
            element,
            row: with_access(row, inst),
        }))
    }

    /// Returns an image by its handle, whose low word is the first lane of a register.
    pub(in crate::tgsi) fn handle_resource(
        &mut self,
        inst: &Inst,
        register: &Register,
    ) -> Parsed<Resource> {
        // STORE has the handle as its result, which has a mask instead of a swizzle.
        let swizzle = if inst.registers[0] == *register {
            inst.sources[0].swizzle
        } else {
            Swizzle::XYZW
        };
        let handle = self.cx.resolve_source(register)?.swizzled(swizzle);
        // Through a handle any image is possible: the properties of the access decide.
        let row = ImageRow {
            target: TexTarget::D2,
            ty: None,
            writable: true,
            atomic: true,
            raw: false,
            is_word: inst.access.is_word,
            format: None,
        };
        let relative = Some(self.cx.emit.index_of(handle));
        let element = IndexTerm {
            relative,
            offset: 0,
        };
        Ok(Resource::Image(ImageOf {
            units: Units::Handle,
            element: Some(element),
            row: with_access(row, inst),
        }))
    }

    /// Lowers IMG2HND and SAMP2HND: the handle of a unit is its number.
    pub(in crate::tgsi) fn lower_unit_handle(&mut self, inst: &Inst, file: File) -> Parsed<()> {
        let register = inst.registers[0];
        let fits = register.file == file || (file == File::Image && register.file == File::Res);
        if !fits {
            let message = format!("a register of `{}` is expected here", file.word());
            return Err(self
                .cx
                .check
                .error(Code::HandleOperand, register.span, message));
        }
        let result = self.cx.emit.hidden(Width::W32);
        let zero = self.cx.emit.word(0);
        // The high word of a handle is 0, and so are the following lanes.
        self.cx
            .emit
            .put(result, WriteMask::XYZW, Op::Mov, Type::U32, &[zero]);
        let term = register.number.term;
        let offset = self.cx.emit.word(term.offset as u32);
        let number = match term.relative {
            None => offset,
            Some((index, lane)) => {
                let index = splat(Src::register(index), lane);
                self.cx.emit.compute(Op::Add, Type::U32, &[index, offset])
            }
        };
        self.cx
            .emit
            .put(result, WriteMask::X, Op::Mov, Type::U32, &[number]);
        self.cx
            .emit
            .finish(inst, Op::Mov, Type::U32, &[Src::register(result)]);
        Ok(())
    }
}

/// Returns the image with the properties of an access, which take precedence over its declaration.
fn with_access(row: ImageRow, inst: &Inst) -> ImageRow {
    let target = inst.access.target;
    ImageRow {
        target: target.map_or(row.target, |target| target.target),
        ty: inst.access.ty.or(row.ty),
        ..row
    }
}

/// Returns the interpretation of texels. Through a handle the format of the image is not known when
/// code is generated, so that those of one word are bits.
pub(in crate::tgsi) fn texels_of(image: &ImageOf) -> ImageTexels {
    if image.row.is_word && image.units == Units::Handle {
        ImageTexels::Raw(32)
    } else {
        ImageTexels::Formatted(image.row.ty.unwrap_or(Type::F32))
    }
}

/// Returns the sources of an image operation, and their number: the value of those that have one,
/// the coordinate, the sample.
pub(in crate::tgsi) fn image_sources(
    image: &ImageOf,
    value: Option<Src>,
    coordinate: Src,
) -> ([Src; 3], usize) {
    let mut sources = [coordinate; 3];
    let mut count = 0;
    for source in value.into_iter().chain([coordinate]) {
        sources[count] = source;
        count += 1;
    }
    if image.row.target.is_multisample() {
        sources[count] = splat(coordinate, 3);
        count += 1;
    }
    (sources, count)
}
