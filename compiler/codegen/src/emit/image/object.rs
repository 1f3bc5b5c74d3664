//! Variables of images: storage images and storage texel buffers, arrays of them.

use crate::builder::{Lane, ModuleWriter, Scalar};
use crate::capability::Need;
use crate::emit::cx::ImageEmitter;
use crate::emit::memory::buffer::require_stores;
use crate::emit::memory::member::{
    Descriptor, Indexing, access_descriptor, choices, choose_member, run_at_member,
};
use crate::emit::memory::resource_use::{ResourceUse, image_use};
use crate::emit::texture::object::{
    STORAGE, bind_handle_array, declare_image_type, find_target_row, no_handles,
};
use crate::error::{Error, Failure};
use crate::handles::texel;
use crate::interface::{ImageVariable, Io, base_scalar, bind};
use crate::options::{IMAGE_UNITS, Options, TexelFormat};
use crate::reflect::HandleKind;
use crate::reflect::{DescriptorSlot, ImageBinding, ImageFormat};
use crate::words::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{Image, ImageAccess, ImageId, ImageTexels, TexTarget, TypeBase, Units};
use spirv::{Decoration, StorageClass};

/// Returns the components of texels as the module declares them.
pub(super) fn texel_component(texels: ImageTexels) -> Scalar {
    match texels {
        ImageTexels::Formatted(ty) => base_scalar(ty.base()),
        ImageTexels::Raw(_) | ImageTexels::Unseen => Scalar::U32,
    }
}

impl ImageEmitter<'_, '_> {
    /// Runs `access` with the pointer to one image: several times if an array needs a case for each
    /// element.
    pub(super) fn with_image(
        &mut self,
        data: &ImageAccess,
        mut access: impl FnMut(&mut Self, Descriptor) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        let image = self.f.program.images[data.image];
        let ImageVariable { variable, object } = declare_image(&mut self.f.io(), data.image)?;
        let Some(len) = count_images(self.f.options, image.units) else {
            let image = Descriptor {
                pointer: variable,
                object,
                divergent: false,
            };
            return access(self, image);
        };
        let member = choose_member(self.f, data.element, len)?;
        run_at_member(
            self,
            Indexing::of_images(image.target),
            member,
            len,
            |emit, it| {
                let image = access_descriptor(emit.f.w, variable, object, it);
                access(emit, image)
            },
        )
    }
}

fn declare_image(io: &mut Io<'_>, id: ImageId) -> Result<ImageVariable, Failure> {
    let known = io.vars.resources.images[id.index()];
    if known.variable.is_some() {
        return Ok(known);
    }
    let image = io.program.images[id];
    let uses = image_use(io.program, id);
    let object = choose_image_type(io, &image, uses)?;
    let count = count_images(io.options, image.units);
    let ty = match count {
        Some(count) => io.w.declare_array(object, count),
        None => object,
    };
    let variable = io.w.declare_variable(StorageClass::UniformConstant, ty);
    decorate_image(io.w, variable, uses);
    bind_image(io, variable, &image, uses, count.unwrap_or(1))?;
    let result = ImageVariable { variable, object };
    io.vars.resources.images[id.index()] = result;
    Ok(result)
}

fn count_images(options: &Options, units: Units) -> Option<u32> {
    choices(units, options.handles.images)
}

/// Binds the variable of an image and adds it to the reflection.
fn bind_image(
    io: &mut Io<'_>,
    variable: ValueWord,
    image: &Image,
    uses: ResourceUse,
    count: u32,
) -> Result<(), Failure> {
    let format = reflected_format(image.texels);
    let written = uses.contains(ResourceUse::WRITTEN);
    if let Some(kind) = HandleKind::of_image(image.units, format) {
        if io.options.target.is_opengl() {
            return Err(no_handles());
        }
        bind_handle_array(io, variable, kind, image.target, count);
        let mut arrays = io.vars.reflected.handles.iter_mut();
        let own = arrays.find(|array| (array.kind, array.target) == (kind, image.target));
        // Several images of the program may be the same array: it is written if any of them is.
        own.into_iter().for_each(|own| own.written |= written);
        return Ok(());
    }
    let unit = image.units.first().unwrap_or(0);
    let slot = DescriptorSlot {
        set: io.options.bindings.storage_set,
        binding: choose_image_binding(io, image),
    };
    let bound = &mut io.vars.reflected.images;
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
    bind(io.w, variable, slot);
    io.w.name(variable, || format!("image{unit}"));
    Ok(())
}

/// Chooses the binding of an image. OpenGL has few image units, and each is bound to one view.
fn choose_image_binding(io: &Io<'_>, image: &Image) -> u32 {
    let first = io.options.bindings.first_image_binding;
    let unit = image.units.first().unwrap_or(0);
    let view = view_number(image.texels);
    if !io.options.target.is_opengl() {
        return first.saturating_add(IMAGE_UNITS * view + unit);
    }
    let mut bound = io.vars.reflected.images.iter();
    let format = reflected_format(image.texels);
    match bound.find(|other| (other.unit, other.format) == (unit, format)) {
        Some(same) => same.slot.binding,
        None => {
            let bound = io.vars.reflected.images.iter();
            let ends = bound.map(|other| other.slot.binding.saturating_add(other.count));
            // Arrays occupy as many units as they have elements.
            ends.max().unwrap_or(first)
        }
    }
}

fn choose_image_type(
    io: &mut Io<'_>,
    image: &Image,
    uses: ResourceUse,
) -> Result<TypeWord, Failure> {
    let component = io.w.ty(texel_component(image.texels), 1);
    let format = match image.texels {
        ImageTexels::Formatted(ty) => choose_format(io, image, ty.base(), uses)?,
        ImageTexels::Raw(bits) => TexelFormat::raw(bits),
        ImageTexels::Unseen => None,
    };
    if format.is_some_and(TexelFormat::is_extended) {
        io.w.needs.insert(Need::ImageExtendedFormats);
    }
    let row = find_target_row(io.w, image.target);
    row.of_images
        .iter()
        .for_each(|need| io.w.needs.insert(*need));
    // `Unknown` is a format, too: the device determines the actual one.
    let number = format.map_or(
        spirv::ImageFormat::Unknown as u32,
        TexelFormat::spirv_number,
    );
    // Storage images do not compare.
    let settings = [0, STORAGE, number];
    Ok(declare_image_type(io.w, component, image.target, settings))
}

/// Chooses the format that the module declares for formatted accesses; none if the device
/// determines it.
fn choose_format(
    io: &mut Io<'_>,
    image: &Image,
    base: TypeBase,
    uses: ResourceUse,
) -> Result<Option<TexelFormat>, Failure> {
    let own = find_unit_format(io.options, image);
    // The format in the program applies to any image that is bound, unless the caller specifies
    // another.
    if own.is_none()
        && let Some(format) = image.format.and_then(TexelFormat::from_vulkan_name)
        && format.base() == base
        && (!format.is_extended() || Need::ImageExtendedFormats.check(&io.w.device).is_ok())
    {
        return Ok(Some(format));
    }
    let needs = [
        (ResourceUse::READ, Need::ImageReadWithoutFormat),
        (ResourceUse::WRITTEN, Need::ImageWriteWithoutFormat),
    ];
    let needs = needs.iter().filter(|(usage, _)| uses.contains(*usage));
    // The features apply to images; for views of buffers the format must support them, too, so a
    // known format is declared.
    if image.target == TexTarget::Buffer
        && let Some(format) = own
        && format.base() == base
    {
        return Ok(Some(format));
    }
    let device = &io.w.device;
    // With these features the device determines the format of the bound image. Without one of them
    // the module must declare it.
    let mut checks = needs.clone().map(|(_, need)| need.check(device));
    let Some(missing) = checks.find_map(Result::err) else {
        needs.for_each(|(_, need)| io.w.needs.insert(*need));
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

/// Returns the format of an image unit, or of all units of an array.
fn find_unit_format(options: &Options, image: &Image) -> Option<TexelFormat> {
    let first = image.units.first()? as usize;
    let count = count_images(options, image.units).unwrap_or(1) as usize;
    let formats = &options.image_formats;
    let formats = formats.get(first..first.checked_add(count)?)?;
    let format = *formats.first()?;
    format.filter(|_| formats.iter().all(|other| *other == format))
}

/// Decorates images as aliased, because any two units may access the same memory.
fn decorate_image(w: &mut ModuleWriter, variable: ValueWord, uses: ResourceUse) {
    w.decorate(variable, Decoration::Aliased, &[]);
    for decoration in uses.decorations() {
        w.decorate(variable, decoration, &[]);
    }
    if uses.contains(ResourceUse::WRITTEN) {
        require_stores(w);
    }
}

/// Returns the number of the bound view of an image unit.
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
