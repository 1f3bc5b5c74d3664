//! Variables of images: storage images and storage texel buffers, arrays of them.

use super::Emit;
use super::place::Member;
use crate::builder::{Builder, Lane, Scalar};
use crate::capability::Need;
use crate::error::{Error, Failure};
use crate::handles::texel;
use crate::interface::{ImageVariable, base_scalar, bind};
use crate::options::{FIRST_IMAGE_BINDING, IMAGE_UNITS, TexelFormat};
use crate::reflect::HandleKind;
use crate::reflect::{DescriptorSlot, ImageBinding, ImageFormat};
use crate::words::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::resource::MemFlags;
use glasm_ir::{
    Aux, Image, ImageAccess, ImageId, ImageTexels, Op, Program, TexTarget, TypeBase, Units,
};
use spirv::{Decoration, Op as Spv, StorageClass};

bitflags::bitflags! {
    /// What a program does with an image.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    struct ImageUse: u8 {
        /// Loads or atomics.
        const READ = 1;
        /// Stores or atomics.
        const WRITTEN = 2;
        /// Accesses that other invocations see.
        const COHERENT = 4;
        /// Accesses that must stay.
        const VOLATILE = 8;
    }
}

/// What a program does with one of its images.
fn image_use(program: &Program, image: ImageId) -> ImageUse {
    let mut found = ImageUse::empty();
    for inst in &program.insts {
        let Aux::Image(id) = inst.aux else { continue };
        let access = program.image_accesses[id];
        if access.image != image {
            continue;
        }
        if matches!(inst.op, Op::ImageLoad | Op::ImageAtomic) {
            found |= ImageUse::READ;
        }
        if matches!(inst.op, Op::ImageStore | Op::ImageAtomic) {
            found |= ImageUse::WRITTEN;
        }
        // What the holder of a lock writes, the next one must see.
        let locked =
            inst.op == Op::ImageAtomic && program.images[image].texels != ImageTexels::Raw(32);
        if locked || access.flags.contains(MemFlags::COHERENT) {
            found |= ImageUse::COHERENT;
        }
        if access.flags.contains(MemFlags::VOLATILE) {
            found |= ImageUse::VOLATILE;
        }
    }
    found
}

/// The components of texels as the module declares them.
pub(super) fn texel_component(texels: ImageTexels) -> Scalar {
    match texels {
        ImageTexels::Formatted(ty) => base_scalar(ty.base()),
        ImageTexels::Raw(_) | ImageTexels::Unseen => Scalar::U32,
    }
}

impl Emit<'_> {
    fn image_variable(&mut self, id: ImageId) -> Result<ImageVariable, Failure> {
        let known = self.interface.resources.images[id.index()];
        if known.variable.is_some() {
            return Ok(known);
        }
        let image = self.program.images[id];
        let uses = image_use(self.program, id);
        let object = self.image_type(&image, uses)?;
        let count = self.image_count(image.units);
        let ty = match count {
            Some(count) => {
                let count = self.w.uint(count);
                self.w.declare_type(Spv::TypeArray, &[object.0, count.0])
            }
            None => object,
        };
        let variable = self.w.variable(StorageClass::UniformConstant, ty);
        self.w.image_decorations(variable, uses);
        self.bind_image(variable, &image, uses, count.unwrap_or(1))?;
        let result = ImageVariable { variable, object };
        self.interface.resources.images[id.index()] = result;
        Ok(result)
    }

    /// Number of images that an access chooses from; `None` if there is no choice.
    fn image_count(&self, units: Units) -> Option<u32> {
        match units {
            Units::One(_) => None,
            Units::Array { count, .. } => Some(count.max(1)),
            Units::Handle | Units::QueriedHandle => Some(self.options.handles.images.max(1)),
        }
    }

    /// Binds the variable of an image and says so in the reflection.
    fn bind_image(
        &mut self,
        variable: ValueWord,
        image: &Image,
        uses: ImageUse,
        count: u32,
    ) -> Result<(), Failure> {
        let format = reflected_format(image.texels);
        let written = uses.contains(ImageUse::WRITTEN);
        if let Some(kind) = HandleKind::of_image(image.units, format) {
            self.bind_handle_array(variable, kind, image.target, count);
            let mut arrays = self.interface.reflected.handles.iter_mut();
            let own = arrays.find(|array| (array.kind, array.target) == (kind, image.target));
            if let Some(own) = own {
                own.written |= written;
            }
            return Ok(());
        }
        let unit = image.units.first().unwrap_or(0);
        let slot = DescriptorSlot {
            set: self.options.bindings.storage_set,
            binding: FIRST_IMAGE_BINDING + IMAGE_UNITS * view_number(image.texels) + unit,
        };
        let mut bound = self.interface.reflected.images.iter();
        if bound.any(|other| other.slot == slot && other.target != image.target) {
            return Err(Error::unsupported(format!(
                "image unit {unit} is accessed with two targets"
            )));
        }
        bind(self.w, variable, slot);
        self.w.name(variable, || format!("image{unit}"));
        self.interface.reflected.images.push(ImageBinding {
            slot,
            unit,
            count,
            target: image.target,
            format,
            written,
        });
        Ok(())
    }

    fn image_type(&mut self, image: &Image, uses: ImageUse) -> Result<TypeWord, Failure> {
        let component = self.w.ty(texel_component(image.texels), 1);
        let format = match image.texels {
            ImageTexels::Formatted(ty) => self.own_format(image, ty.base(), uses)?,
            ImageTexels::Raw(bits) => TexelFormat::raw(bits),
            ImageTexels::Unseen => None,
        };
        if format.is_some_and(TexelFormat::is_extended) {
            self.w.needs.insert(Need::ImageExtendedFormats);
        }
        self.w.need_image_target(image.target);
        let operands = [
            component.0,
            super::texture_object::dim(image.target) as u32,
            0,
            u32::from(image.target.is_array()),
            u32::from(image.target.is_multisample()),
            2,
            format.map_or(
                spirv::ImageFormat::Unknown as u32,
                TexelFormat::spirv_number,
            ),
        ];
        Ok(self.w.declare_type(Spv::TypeImage, &operands))
    }

    /// The format that the module names for formatted accesses; none if the device finds it out.
    fn own_format(
        &mut self,
        image: &Image,
        base: TypeBase,
        uses: ImageUse,
    ) -> Result<Option<TexelFormat>, Failure> {
        let needs = [
            (ImageUse::READ, Need::ImageReadWithoutFormat),
            (ImageUse::WRITTEN, Need::ImageWriteWithoutFormat),
        ];
        let needs = needs.iter().filter(|(usage, _)| uses.contains(*usage));
        let device = &self.w.device;
        let mut checks = needs.clone().map(|(_, need)| need.check(device));
        let Some(missing) = checks.find_map(Result::err) else {
            needs.for_each(|(_, need)| self.w.needs.insert(*need));
            return Ok(None);
        };
        match self.format_of_units(image) {
            None => Err(missing),
            Some(format) if format.base() != base => Err(Error::unsupported(format!(
                "texels of image unit {} have another type than the program accesses",
                image.units.first().unwrap_or(0)
            ))),
            Some(format) => Ok(Some(format)),
        }
    }

    /// The format of an image unit, or of all units of an array.
    fn format_of_units(&self, image: &Image) -> Option<TexelFormat> {
        let first = image.units.first()? as usize;
        let count = self.image_count(image.units).unwrap_or(1) as usize;
        let formats = self
            .options
            .image_formats
            .get(first..first.checked_add(count)?)?;
        let format = *formats.first()?;
        format.filter(|_| formats.iter().all(|other| *other == format))
    }

    /// Runs `access` with the pointer to one image: several times if there must be a case for each element of an array.
    pub(super) fn with_image(
        &mut self,
        data: &ImageAccess,
        mut access: impl FnMut(&mut Self, ImagePointer) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        let image = self.program.images[data.image];
        let variable = self.image_variable(data.image)?;
        let Some(len) = self.image_count(image.units) else {
            let pointer = ImagePointer {
                pointer: variable.variable,
                object: variable.object,
                divergent: false,
            };
            return access(self, pointer);
        };
        let member = match data.element {
            Some(term) => self.member(term, len)?,
            None => Member::Constant(0),
        };
        match member {
            Member::Constant(number) => {
                let number = self.w.uint(number);
                let pointer = self.w.image_element(variable, number, false);
                access(self, pointer)
            }
            Member::Uniform(number) if self.w.can_index(image.target).dynamic => {
                self.w
                    .needs
                    .insert(match image.target == TexTarget::Buffer {
                        true => Need::ImageBufferIndexing,
                        false => Need::ImageIndexing,
                    });
                let pointer = self.w.image_element(variable, number, false);
                access(self, pointer)
            }
            Member::Divergent(number) if self.w.can_index(image.target).divergent => {
                self.w
                    .needs
                    .insert(match image.target == TexTarget::Buffer {
                        true => Need::ImageBufferDivergence,
                        false => Need::ImageDivergence,
                    });
                self.w.needs.insert(Need::NonUniform);
                let pointer = self.w.image_element(variable, number, true);
                access(self, pointer)
            }
            Member::Uniform(number) | Member::Divergent(number) => {
                let number = self.w.val(number);
                self.lanes_by_case(number, len, |emit, case| {
                    let case = emit.w.uint(case);
                    let pointer = emit.w.image_element(variable, case, false);
                    access(emit, pointer)
                })
            }
        }
    }
}

impl Builder {
    fn need_image_target(&mut self, target: TexTarget) {
        let need = match target {
            TexTarget::D1 | TexTarget::D1Array => Need::Image1D,
            TexTarget::CubeArray => Need::ImageCubeArray,
            TexTarget::Buffer => Need::ImageBuffer,
            TexTarget::D2Ms => Need::ImageMultisample,
            TexTarget::D2MsArray => {
                self.needs.insert(Need::ImageMultisampleArray);
                Need::ImageMultisample
            }
            TexTarget::D2
            | TexTarget::D3
            | TexTarget::Cube
            | TexTarget::Rect
            | TexTarget::D2Array => return,
        };
        self.needs.insert(need);
    }

    /// Images are aliased, because any two units may show the same memory.
    fn image_decorations(&mut self, variable: ValueWord, uses: ImageUse) {
        let written = uses.contains(ImageUse::WRITTEN);
        let decorations = [
            (true, Decoration::Aliased),
            (!written, Decoration::NonWritable),
            (uses.contains(ImageUse::COHERENT), Decoration::Coherent),
            (uses.contains(ImageUse::VOLATILE), Decoration::Volatile),
        ];
        for (_, decoration) in decorations.into_iter().filter(|(holds, _)| *holds) {
            self.decorate(variable, decoration, &[]);
        }
        if written {
            self.need_stores();
        }
    }

    fn can_index(&self, target: TexTarget) -> Indexing {
        let device = self.device;
        match target == TexTarget::Buffer {
            true => Indexing {
                dynamic: device.storage_texel_buffer_dynamic_indexing,
                divergent: device.storage_texel_buffer_non_uniform_indexing,
            },
            false => Indexing {
                dynamic: device.storage_image_dynamic_indexing,
                divergent: device.storage_image_non_uniform_indexing,
            },
        }
    }

    fn image_element(
        &mut self,
        variable: ImageVariable,
        number: ValueWord,
        divergent: bool,
    ) -> ImagePointer {
        let ty = self.pointer(StorageClass::UniformConstant, variable.object);
        let pointer = self.object();
        let operands = [variable.variable.0, number.0];
        self.body.result(Spv::AccessChain, ty, pointer, &operands);
        if divergent {
            self.decorate(pointer, Decoration::NonUniform, &[]);
        }
        ImagePointer {
            pointer,
            object: variable.object,
            divergent,
        }
    }

    /// The image behind a pointer.
    pub(super) fn loaded_image(&mut self, image: ImagePointer) -> ValueWord {
        let loaded = self.object();
        self.body
            .result(Spv::Load, image.object, loaded, &[image.pointer.0]);
        if image.divergent {
            self.decorate(loaded, Decoration::NonUniform, &[]);
        }
        loaded
    }
}

/// How a device can index arrays of images.
#[derive(Clone, Copy, Debug)]
struct Indexing {
    /// By the same number in all invocations.
    dynamic: bool,
    /// By any number.
    divergent: bool,
}

/// A pointer to one image.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImagePointer {
    pub(super) pointer: ValueWord,
    object: TypeWord,
    /// Whether it may differ between invocations.
    pub(super) divergent: bool,
}

/// Which of the views of an image unit is bound.
fn view_number(texels: ImageTexels) -> u32 {
    match texels {
        ImageTexels::Formatted(_) => 0,
        ImageTexels::Raw(bits) => match bits {
            8 => 1,
            16 => 2,
            32 => 3,
            64 => 4,
            _ => 5,
        },
        ImageTexels::Unseen => 6,
    }
}

fn reflected_format(texels: ImageTexels) -> ImageFormat {
    match texels {
        ImageTexels::Formatted(ty) => ImageFormat::Own(texel(ty)),
        ImageTexels::Raw(bits) => ImageFormat::Raw(bits),
        ImageTexels::Unseen => ImageFormat::Any,
    }
}
