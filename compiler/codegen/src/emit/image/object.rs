//! Variables of images: storage images and storage texel buffers, arrays of them.

use crate::builder::{Builder, Lane, Scalar};
use crate::capability::Need;
use crate::emit::Emit;
use crate::emit::memory::buffer::require_stores;
use crate::emit::memory::member::{Descriptor, Indexing, access_descriptor, choices};
use crate::emit::memory::resource_use::{ResourceUse, image_use};
use crate::emit::texture::object::{STORAGE, declare_image_type, find_target_row, no_handles};
use crate::error::{Error, Failure};
use crate::handles::texel;
use crate::interface::{ImageVariable, base_scalar, bind};
use crate::options::{IMAGE_UNITS, TexelFormat};
use crate::reflect::HandleKind;
use crate::reflect::{DescriptorSlot, ImageBinding, ImageFormat};
use crate::words::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{Image, ImageAccess, ImageId, ImageTexels, TexTarget, TypeBase, Units};
use spirv::{Decoration, StorageClass};

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
            Some(count) => self.w.array_type(object, count),
            None => object,
        };
        let variable = self.w.variable(StorageClass::UniformConstant, ty);
        decorate_image(self.w, variable, uses);
        self.bind_image(variable, &image, uses, count.unwrap_or(1))?;
        let result = ImageVariable { variable, object };
        self.interface.resources.images[id.index()] = result;
        Ok(result)
    }

    fn image_count(&self, units: Units) -> Option<u32> {
        choices(units, self.options.handles.images)
    }

    /// Binds the variable of an image and says so in the reflection.
    fn bind_image(
        &mut self,
        variable: ValueWord,
        image: &Image,
        uses: ResourceUse,
        count: u32,
    ) -> Result<(), Failure> {
        let format = reflected_format(image.texels);
        let written = uses.contains(ResourceUse::WRITTEN);
        if let Some(kind) = HandleKind::of_image(image.units, format) {
            if self.options.target.is_opengl() {
                return Err(no_handles());
            }
            self.bind_handle_array(variable, kind, image.target, count);
            let mut arrays = self.interface.reflected.handles.iter_mut();
            let own = arrays.find(|array| (array.kind, array.target) == (kind, image.target));
            // Several images of the program may be the same array, of which one that is written counts.
            own.into_iter().for_each(|own| own.written |= written);
            return Ok(());
        }
        let unit = image.units.first().unwrap_or(0);
        let slot = DescriptorSlot {
            set: self.options.bindings.storage_set,
            binding: self.image_binding(image),
        };
        let bound = &mut self.interface.reflected.images;
        if (bound.iter()).any(|other| other.slot == slot && other.target != image.target) {
            let message = format!("image unit {unit} is accessed with two targets");
            return Err(Error::unsupported(message));
        }
        bound.push(ImageBinding {
            slot,
            unit,
            count,
            target: image.target,
            format,
            written,
        });
        bind(self.w, variable, slot);
        self.w.name(variable, || format!("image{unit}"));
        Ok(())
    }

    /// The binding of an image. OpenGL has few image units, each of which takes one view.
    fn image_binding(&self, image: &Image) -> u32 {
        let first = self.options.bindings.first_image_binding;
        let unit = image.units.first().unwrap_or(0);
        let view = view_number(image.texels);
        if !self.options.target.is_opengl() {
            return first.saturating_add(IMAGE_UNITS * view + unit);
        }
        let mut bound = self.interface.reflected.images.iter();
        let format = reflected_format(image.texels);
        match bound.find(|other| (other.unit, other.format) == (unit, format)) {
            Some(same) => same.slot.binding,
            None => {
                let bound = self.interface.reflected.images.iter();
                let ends = bound.map(|other| other.slot.binding.saturating_add(other.count));
                // Arrays take as many units as they have elements.
                ends.max().unwrap_or(first)
            }
        }
    }

    fn image_type(&mut self, image: &Image, uses: ResourceUse) -> Result<TypeWord, Failure> {
        let component = self.w.ty(texel_component(image.texels), 1);
        let format = match image.texels {
            ImageTexels::Formatted(ty) => self.own_format(image, ty.base(), uses)?,
            ImageTexels::Raw(bits) => TexelFormat::raw(bits),
            ImageTexels::Unseen => None,
        };
        if format.is_some_and(TexelFormat::is_extended) {
            self.w.needs.insert(Need::ImageExtendedFormats);
        }
        let row = find_target_row(self.w, image.target);
        row.of_images
            .iter()
            .for_each(|need| self.w.needs.insert(*need));
        // `Unknown` is a format, too: it leaves the question to the device.
        let number = format.map_or(
            spirv::ImageFormat::Unknown as u32,
            TexelFormat::spirv_number,
        );
        // Storage images compare nothing.
        let settings = [0, STORAGE, number];
        Ok(declare_image_type(
            self.w,
            component,
            image.target,
            settings,
        ))
    }

    /// The format that the module names for formatted accesses; none if the device finds it out.
    fn own_format(
        &mut self,
        image: &Image,
        base: TypeBase,
        uses: ResourceUse,
    ) -> Result<Option<TexelFormat>, Failure> {
        let own = self.format_of_units(image);
        // The format in the program holds for any image that is bound, unless the caller says
        // otherwise.
        if own.is_none()
            && let Some(format) = image.format.and_then(TexelFormat::from_vulkan_name)
            && format.base() == base
            && (!format.is_extended() || Need::ImageExtendedFormats.check(&self.w.device).is_ok())
        {
            return Ok(Some(format));
        }
        let needs = [
            (ResourceUse::READ, Need::ImageReadWithoutFormat),
            (ResourceUse::WRITTEN, Need::ImageWriteWithoutFormat),
        ];
        let needs = needs.iter().filter(|(usage, _)| uses.contains(*usage));
        // The features hold for images; views of buffers need them of their format, too, so that it is named where it is known.
        if image.target == TexTarget::Buffer
            && let Some(format) = own
            && format.base() == base
        {
            return Ok(Some(format));
        }
        let device = &self.w.device;
        // With these features the device finds out the format of whatever image is bound. Without one of them the module must name it.
        let mut checks = needs.clone().map(|(_, need)| need.check(device));
        let Some(missing) = checks.find_map(Result::err) else {
            needs.for_each(|(_, need)| self.w.needs.insert(*need));
            return Ok(None);
        };
        match own {
            None => Err(missing),
            Some(format) if format.base() != base => {
                let unit = image.units.first().unwrap_or(0);
                let other = "have another type than the program accesses";
                let message = format!("texels of image unit {unit} {other}");
                Err(Error::unsupported(message))
            }
            Some(format) => Ok(Some(format)),
        }
    }

    /// The format of an image unit, or of all units of an array.
    fn format_of_units(&self, image: &Image) -> Option<TexelFormat> {
        let first = image.units.first()? as usize;
        let count = self.image_count(image.units).unwrap_or(1) as usize;
        let formats = &self.options.image_formats;
        let formats = formats.get(first..first.checked_add(count)?)?;
        let format = *formats.first()?;
        format.filter(|_| formats.iter().all(|other| *other == format))
    }

    /// Runs `access` with the pointer to one image: several times if there must be a case for each element of an array.
    pub(super) fn with_image(
        &mut self,
        data: &ImageAccess,
        mut access: impl FnMut(&mut Self, Descriptor) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        let image = self.program.images[data.image];
        let ImageVariable { variable, object } = self.image_variable(data.image)?;
        let Some(len) = self.image_count(image.units) else {
            let image = Descriptor {
                pointer: variable,
                object,
                divergent: false,
            };
            return access(self, image);
        };
        let member = self.member(data.element, len)?;
        self.at_member(
            Indexing::of_images(image.target),
            member,
            len,
            |emit, it| {
                let image = access_descriptor(emit.w, variable, object, it);
                access(emit, image)
            },
        )
    }
}

/// Images are aliased, because any two units may show the same memory.
fn decorate_image(w: &mut Builder, variable: ValueWord, uses: ResourceUse) {
    w.decorate(variable, Decoration::Aliased, &[]);
    for decoration in uses.decorations() {
        w.decorate(variable, decoration, &[]);
    }
    if uses.contains(ResourceUse::WRITTEN) {
        require_stores(w);
    }
}

/// Which of the views of an image unit is bound.
fn view_number(texels: ImageTexels) -> u32 {
    match texels {
        ImageTexels::Formatted(_) => 0,
        // Sizes from 8 to 128 bits have the numbers 1 to 5.
        ImageTexels::Raw(bits) => bits.trailing_zeros().saturating_sub(2),
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
