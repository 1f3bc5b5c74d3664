//! Variables of images: storage images and storage texel buffers, arrays of them.

use crate::bindings::texel_scalar_kind;
use crate::builder::{Lane, ModuleWriter, Scalar};
use crate::capability::Requirement;
use crate::emit::context::ImageEmitter;
use crate::emit::memory::buffer::require_stores;
use crate::emit::memory::descriptor_index::{
    Descriptor, IndexingRequirements, access_descriptor, choose_descriptor_index,
    descriptor_array_len, emit_for_descriptor,
};
use crate::emit::memory::resource_use::{ResourceUse, find_image_use};
use crate::emit::texture::texture_variable::{
    STORAGE, bind_handle_array, declare_image_type, err_handles_unsupported, find_target_properties,
};
use crate::error::{Error, Failure};
use crate::interface::{ImageVariable, Io, base_scalar, decorate_binding};
use crate::options::{DeviceFeatures, IMAGE_UNITS, Options, TexelFormat};
use crate::reflect::HandleKind;
use crate::reflect::{DescriptorSlot, ImageBinding, ImageFormat};
use crate::spirv_writer::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{BaseType, Image, ImageAccess, ImageId, ImageTexels, TexTarget, UnitSet};
use spirv::{Decoration, StorageClass};

/// Returns the component type of texels in the module: that of the format, or words.
pub(super) fn texel_component(texels: ImageTexels) -> Scalar {
    match texels {
        ImageTexels::Formatted(ty) => base_scalar(ty.base()),
        ImageTexels::Raw(_) | ImageTexels::Unused => Scalar::U32,
    }
}

impl ImageEmitter<'_, '_> {
    /// Calls `access` with the pointer to one image: several times if an array needs a case for
    /// each element. Declares the image on first use. Returns the lanes of the executed case.
    pub(super) fn emit_with_image(
        &mut self,
        data: &ImageAccess,
        mut access: impl FnMut(&mut Self, Descriptor) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        let image = self.function.program.images[data.image];
        let ImageVariable { variable, object } =
            declare_image(&mut self.function.io(), data.image)?;
        let Some(len) = image_array_len(self.function.options, image.units) else {
            let image = Descriptor {
                pointer: variable,
                object,
                divergent: false,
            };
            return access(self, image);
        };
        let member = choose_descriptor_index(self.function, data.element, len)?;
        emit_for_descriptor(
            self,
            IndexingRequirements::for_images(image.target),
            member,
            len,
            |emit, index| {
                let image = access_descriptor(emit.function.builder, variable, object, index);
                access(emit, image)
            },
        )
    }
}

/// Returns the variable of an image, or of an array of images, which it declares, decorates, binds
/// and reflects on first use. Returns an error if the target or the device does not support the
/// image.
fn declare_image(io: &mut Io<'_>, id: ImageId) -> Result<ImageVariable, Failure> {
    let known = io.interface.resources.images[id.index()];
    if known.variable.is_some() {
        return Ok(known);
    }
    let image = io.program.images[id];
    let uses = find_image_use(io.program, id);
    let object = choose_image_type(io, &image, uses)?;
    let count = image_array_len(io.options, image.units);
    let ty = match count {
        Some(count) => io.builder.declare_array(object, count),
        None => object,
    };
    let variable = io
        .builder
        .declare_variable(StorageClass::UniformConstant, ty);
    decorate_image(io.builder, variable, uses);
    bind_image(io, variable, &image, uses, count.unwrap_or(1))?;
    let result = ImageVariable { variable, object };
    io.interface.resources.images[id.index()] = result;
    Ok(result)
}

/// Returns the length of the array of descriptors that an image access indexes; `None` for a single
/// image.
fn image_array_len(options: &Options, units: UnitSet) -> Option<u32> {
    descriptor_array_len(units, options.handles.images)
}

/// Decorates the variable of `count` images with set and binding, names it and adds it to the
/// reflection. Returns an error for handles in OpenGL, and if two targets have the same binding.
fn bind_image(
    io: &mut Io<'_>,
    variable: ValueWord,
    image: &Image,
    uses: ResourceUse,
    count: u32,
) -> Result<(), Failure> {
    let format = reflected_format(image.texels);
    let written = uses.contains(ResourceUse::WRITTEN);
    if let Some(kind) = HandleKind::from_image(image.units, format) {
        if io.options.target.is_opengl() {
            return Err(err_handles_unsupported());
        }
        bind_handle_array(io, variable, kind, image.target, count);
        let mut arrays = io.interface.reflected.handles.iter_mut();
        let own = arrays.find(|array| (array.kind, array.target) == (kind, image.target));
        // Several images of the program may be the same array: it is written if any of them is.
        own.into_iter().for_each(|own| own.is_written |= written);
        return Ok(());
    }
    let unit = image.units.first().unwrap_or(0);
    let slot = DescriptorSlot {
        set: io.options.bindings.storage_set,
        binding: choose_image_binding(io, image),
    };
    let bound = &mut io.interface.reflected.images;
    if (bound.iter()).any(|other| other.slot == slot && other.target != image.target) {
        let message = format!("image unit {unit} is accessed with two targets");
        return Err(Error::unsupported(message));
    }
    bound.push(ImageBinding {
        slot,
        unit,
        descriptor_count: count,
        target: image.target,
        format,
        is_written: written,
    });
    decorate_binding(io.builder, variable, slot);
    io.builder.name_object(variable, || format!("image{unit}"));
    Ok(())
}

/// Chooses the binding of an image: in Vulkan by its unit and the view that its texels require, in
/// OpenGL that of an earlier image with this unit and format, or the first free one. OpenGL has few
/// image units, and each is bound to one view.
fn choose_image_binding(io: &Io<'_>, image: &Image) -> u32 {
    let first = io.options.bindings.first_image_binding;
    let unit = image.units.first().unwrap_or(0);
    let view = image_view_index(image.texels);
    if !io.options.target.is_opengl() {
        return first.saturating_add(IMAGE_UNITS * view + unit);
    }
    let mut bound = io.interface.reflected.images.iter();
    let format = reflected_format(image.texels);
    match bound.find(|other| (other.unit, other.format) == (unit, format)) {
        Some(same) => same.slot.binding,
        None => {
            let bound = io.interface.reflected.images.iter();
            let ends = bound.map(|other| other.slot.binding.saturating_add(other.descriptor_count));
            // Arrays occupy as many units as they have elements.
            ends.max().unwrap_or(first)
        }
    }
}

/// Declares the type of an image by its target, texels and format, and adds the requirements of
/// these. Returns an error if the device cannot access images without a format and none is known.
fn choose_image_type(
    io: &mut Io<'_>,
    image: &Image,
    uses: ResourceUse,
) -> Result<TypeWord, Failure> {
    let component = io.builder.get_type(texel_component(image.texels), 1);
    let format = match image.texels {
        ImageTexels::Formatted(ty) => choose_format(io, image, ty.base(), uses)?,
        ImageTexels::Raw(bits) => TexelFormat::from_raw_bits(bits).filter(|format| {
            // The bound view has the format in any case. Views of buffers are declared with theirs.
            is_available(*format, &io.builder.device)
                || image.target == TexTarget::Buffer
                || require_unknown_format(io.builder, uses).is_err()
        }),
        ImageTexels::Unused => None,
    };
    if format.is_some_and(TexelFormat::is_extended) {
        io.builder
            .requirements
            .insert(Requirement::ImageExtendedFormats);
    }
    let properties = find_target_properties(io.builder, image.target);
    properties
        .image_requirements
        .iter()
        .for_each(|requirement| io.builder.requirements.insert(*requirement));
    // `Unknown` is a format, too: the device determines the actual one.
    let number = format.map_or(
        spirv::ImageFormat::Unknown as u32,
        TexelFormat::spirv_number,
    );
    // Storage images do not compare.
    let settings = [0, STORAGE, number];
    Ok(declare_image_type(
        io.builder,
        component,
        image.target,
        settings,
    ))
}

/// Returns the format that the module declares for formatted accesses, `None` if the device
/// determines it; in that case adds the required features to those of the module. Fails if the
/// device lacks these features and the format of the unit is unknown or of another type.
fn choose_format(
    io: &mut Io<'_>,
    image: &Image,
    base: BaseType,
    uses: ResourceUse,
) -> Result<Option<TexelFormat>, Failure> {
    let unit_format = find_unit_format(io.options, image);
    // The format in the program applies to any image that is bound, unless the caller specifies
    // another.
    if unit_format.is_none()
        && let Some(format) = image.format.and_then(TexelFormat::from_vulkan_name)
        && format.base() == base
        && is_available(format, &io.builder.device)
    {
        return Ok(Some(format));
    }
    // The features apply to images; for views of buffers the format must support them, too, so a
    // known format is declared.
    if image.target == TexTarget::Buffer
        && let Some(format) = unit_format
        && format.base() == base
    {
        return Ok(Some(format));
    }
    // Where the device cannot determine the format of the bound image, the module must declare it.
    let Err(missing) = require_unknown_format(io.builder, uses) else {
        return Ok(None);
    };
    match unit_format {
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

/// Returns true if modules for the device may declare images of a format.
fn is_available(format: TexelFormat, device: &DeviceFeatures) -> bool {
    !format.is_extended() || Requirement::ImageExtendedFormats.is_met(device)
}

/// Adds the requirements of an image with these uses whose format the module does not declare.
/// Returns an error, and adds none, if the device lacks one of them.
fn require_unknown_format(module: &mut ModuleWriter, uses: ResourceUse) -> Result<(), Failure> {
    let requirements = [
        (ResourceUse::READ, Requirement::ImageReadWithoutFormat),
        (ResourceUse::WRITTEN, Requirement::ImageWriteWithoutFormat),
    ];
    let requirements = requirements
        .iter()
        .filter(|(usage, _)| uses.contains(*usage))
        .map(|(_, requirement)| *requirement);
    requirements
        .clone()
        .try_for_each(|requirement| requirement.check(&module.device))?;
    requirements.for_each(|requirement| module.requirements.insert(requirement));
    Ok(())
}

/// Returns the format that the options specify for the image unit, or for each unit of an array;
/// `None` if they specify none, or different ones.
fn find_unit_format(options: &Options, image: &Image) -> Option<TexelFormat> {
    let first = image.units.first()? as usize;
    let count = image_array_len(options, image.units).unwrap_or(1) as usize;
    let formats = &options.image_formats;
    let formats = formats.get(first..first.checked_add(count)?)?;
    let format = *formats.first()?;
    format.filter(|_| formats.iter().all(|other| *other == format))
}

/// Decorates images as aliased, because any two units may access the same memory, and by their
/// uses. Requires stores if the program writes the images.
fn decorate_image(module: &mut ModuleWriter, variable: ValueWord, uses: ResourceUse) {
    module.decorate(variable, Decoration::Aliased, &[]);
    for decoration in uses.decorations() {
        module.decorate(variable, decoration, &[]);
    }
    if uses.contains(ResourceUse::WRITTEN) {
        require_stores(module);
    }
}

/// Returns the number of the view of an image unit that has these texels, each with its own
/// binding: 0 for texels of a format, 1 to 5 by the size of raw texels, 6 for images that are only
/// queried.
fn image_view_index(texels: ImageTexels) -> u32 {
    match texels {
        ImageTexels::Formatted(_) => 0,
        // Sizes from 8 to 128 bits have the numbers 1 to 5.
        ImageTexels::Raw(bits) => bits.trailing_zeros().saturating_sub(2),
        ImageTexels::Unused => 6,
    }
}

/// Returns the format that the application must bind, as the reflection reports it.
fn reflected_format(texels: ImageTexels) -> ImageFormat {
    match texels {
        ImageTexels::Formatted(ty) => ImageFormat::Native(texel_scalar_kind(ty)),
        ImageTexels::Raw(bits) => ImageFormat::RawUint(bits),
        ImageTexels::Unused => ImageFormat::AnyUint,
    }
}
