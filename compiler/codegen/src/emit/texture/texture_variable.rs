//! Variables of textures: combined image samplers, images of buffer textures, arrays of them.

use crate::bindings::texel_scalar_kind;
use crate::builder::{ModuleWriter, Scalar};
use crate::capability::Requirement;
use crate::emit::memory::descriptor_index::descriptor_array_len;
use crate::error::{Error, Failure};
use crate::interface::{Io, SamplerVariable, TextureVariable, base_scalar, decorate_binding};
use crate::options::Options;
use crate::reflect::{DescriptorSlot, SamplerBinding, TextureBinding};
use crate::reflect::{HandleArray, HandleKind};
use crate::spirv_writer::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{TexTarget, Texture, TextureId, Type, UnitSet};
use spirv::{Dim, ImageFormat, Op as Spv, StorageClass};

/// Returns the variable of a texture, or of the array of textures that an access may select, which
/// it declares, binds and reflects on first use. Returns an error for samplers and handles that
/// OpenGL lacks.
pub(super) fn declare_texture(io: &mut Io<'_>, id: TextureId) -> Result<TextureVariable, Failure> {
    let known = io.interface.resources.textures[id.index()];
    if known.variable.is_some() {
        return Ok(known);
    }
    let texture = io.program.textures[id];
    check_texture(io.options, &texture)?;
    let (image, object) =
        declare_texture_types(io.builder, &texture, find_separate_sampler(&texture));
    let count = texture_array_len(io.options, texture.units);
    let ty = match count {
        Some(count) => io.builder.declare_array(object, count),
        None => object,
    };
    let variable = io
        .builder
        .declare_variable(StorageClass::UniformConstant, ty);
    bind_texture(io, variable, &texture, count);
    let result = TextureVariable {
        variable,
        image,
        object,
        loaded: ValueWord::NONE,
    };
    io.interface.resources.textures[id.index()] = result;
    Ok(result)
}

/// Returns an error for textures that OpenGL's SPIR-V does not support: separate samplers and
/// handles. All textures are valid for Vulkan.
fn check_texture(options: &Options, texture: &Texture) -> Result<(), Failure> {
    if !options.target.is_opengl() {
        return Ok(());
    }
    if let Some(sampler) = find_separate_sampler(texture) {
        let unit = texture.units.first().unwrap_or(0);
        let message = format!(
            "OpenGL's SPIR-V has no samplers apart from textures: texture {unit} is used with the sampler of unit {sampler}"
        );
        return Err(Error::unsupported(message));
    }
    match HandleKind::from_texture(texture) {
        Some(_) => Err(err_handles_unsupported()),
        None => Ok(()),
    }
}

/// Binds and names the variable of a texture, or of `count` textures in an array, and adds it to
/// the reflection.
fn bind_texture(io: &mut Io<'_>, variable: ValueWord, texture: &Texture, count: Option<u32>) {
    let count = count.unwrap_or(1);
    if let Some(kind) = HandleKind::from_texture(texture) {
        return bind_handle_array(io, variable, kind, texture.target, count);
    }
    let unit = texture.units.first().unwrap_or(0);
    let slot = DescriptorSlot {
        set: io.options.bindings.texture_set,
        binding: unit,
    };
    decorate_binding(io.builder, variable, slot);
    io.builder.name_object(variable, || {
        // Variables of one unit differ in their types, and their names must differ, too.
        let image = find_separate_sampler(texture).map_or("", |_| "_image");
        let shadow = if texture.shadow { "_shadow" } else { "" };
        format!("texture{unit}{image}{shadow}")
    });
    io.interface.reflected.textures.push(TextureBinding {
        slot,
        unit,
        descriptor_count: count,
        target: texture.target,
        is_shadow: texture.shadow,
        sampled_type: texel_scalar_kind(texture.texel_type),
    });
}

/// Binds and names a variable that handles index, and adds the array to the reflection. Several
/// variables may be the same array, which is reflected once, as not written.
pub(in crate::emit) fn bind_handle_array(
    io: &mut Io<'_>,
    variable: ValueWord,
    kind: HandleKind,
    target: TexTarget,
    count: u32,
) {
    let slot = kind.slot(target, &io.options.bindings);
    decorate_binding(io.builder, variable, slot);
    io.builder
        .name_object(variable, || format!("handles{}", slot.binding));
    let arrays = &mut io.interface.reflected.handles;
    if !arrays.iter().any(|array| array.slot == slot) {
        arrays.push(HandleArray {
            slot,
            descriptor_count: count,
            kind,
            target,
            is_written: false,
        });
    }
}

/// Returns the descriptor of a texture without an array, which is loaded in the prologue on first
/// use in the function.
pub(super) fn load_texture(io: &mut Io<'_>, id: TextureId, variable: TextureVariable) -> ValueWord {
    if variable.loaded.is_some() {
        return variable.loaded;
    }
    // In the prologue, so that one load serves all accesses of the function.
    let loaded = io.builder.new_object();
    let (ty, pointer) = (variable.object, variable.variable);
    io.builder
        .prologue
        .push_result_inst(Spv::Load, ty, loaded, &[pointer.0]);
    io.interface.resources.textures[id.index()].loaded = loaded;
    loaded
}

/// Returns the sampler of a texture from another unit, which it declares on first use and loads in
/// the prologue once per function; `None` if the texture has its own sampler or none.
pub(super) fn load_sampler(io: &mut Io<'_>, texture: &Texture) -> Option<ValueWord> {
    let unit = find_separate_sampler(texture)?;
    let samplers = &io.interface.resources.samplers;
    let number = samplers.iter().position(|sampler| sampler.unit == unit);
    let number = number.unwrap_or_else(|| declare_sampler(io, unit, texture.shadow));
    let SamplerVariable {
        variable, loaded, ..
    } = io.interface.resources.samplers[number];
    if loaded.is_some() {
        return Some(loaded);
    }
    let ty = declare_sampler_type(io.builder);
    let loaded = io.builder.new_object();
    io.builder
        .prologue
        .push_result_inst(Spv::Load, ty, loaded, &[variable.0]);
    io.interface.resources.samplers[number].loaded = loaded;
    Some(loaded)
}

/// Declares, binds, names and reflects the sampler of a unit, and returns its number. Its
/// descriptor is the combined image sampler of the unit.
fn declare_sampler(io: &mut Io<'_>, unit: u32, shadow: bool) -> usize {
    let ty = declare_sampler_type(io.builder);
    let variable = io
        .builder
        .declare_variable(StorageClass::UniformConstant, ty);
    let slot = DescriptorSlot {
        set: io.options.bindings.texture_set,
        // A sampler may be bound as part of a combined image sampler (Vulkan, "Shader Resource and
        // Descriptor Type Correspondence").
        binding: unit,
    };
    decorate_binding(io.builder, variable, slot);
    io.builder
        .name_object(variable, || format!("sampler{unit}"));
    let sampler = SamplerBinding {
        slot,
        unit,
        is_shadow: shadow,
    };
    io.interface.reflected.samplers.push(sampler);
    let samplers = &mut io.interface.resources.samplers;
    samplers.push(SamplerVariable {
        unit,
        variable,
        loaded: ValueWord::NONE,
    });
    samplers.len() - 1
}

/// Returns the length of the array of descriptors that a texture access indexes; `None` for a
/// single texture.
pub(super) fn texture_array_len(options: &Options, units: UnitSet) -> Option<u32> {
    descriptor_array_len(units, options.handles.textures)
}

/// Declares the type of the image of a texture, and the type of its variable: the image with a
/// sampler, unless it is a buffer or its sampler is that of another unit, `sampler`. Adds the
/// requirements of the target.
fn declare_texture_types(
    module: &mut ModuleWriter,
    texture: &Texture,
    sampler: Option<u32>,
) -> (TypeWord, TypeWord) {
    // The type of texels, which Vulkan compares with the format of the bound view.
    let component = module.get_type(texel_scalar(texture.texel_type), 1);
    // A sampled image has the format of the bound view; SPIR-V requires a format for reads or
    // writes of texels without a sampler.
    let settings = [
        u32::from(texture.shadow),
        SAMPLED,
        ImageFormat::Unknown as u32,
    ];
    let image = declare_image_type(module, component, texture.target, settings);
    for requirement in find_target_properties(module, texture.target).texture_requirements {
        module.requirements.insert(*requirement);
    }
    let object = if is_plain_image(module, texture.target) || sampler.is_some() {
        image
    } else {
        declare_sampled_type(module, image)
    };
    (image, object)
}

/// Declares `OpTypeSampledImage`, an image combined with its sampler.
pub(super) fn declare_sampled_type(module: &mut ModuleWriter, image: TypeWord) -> TypeWord {
    module.declare_type(Spv::TypeSampledImage, &[image.0])
}

/// Returns true if textures of a target are images without samplers: buffer textures, which have
/// samplers in OpenGL.
pub(super) fn is_plain_image(module: &ModuleWriter, target: TexTarget) -> bool {
    target == TexTarget::Buffer && !module.target.is_opengl()
}

/// Returns true if textures of a target are also rectangles on the device, which is OpenGL: their
/// coordinates count texels, and they have no levels.
pub(super) fn is_rectangle(module: &ModuleWriter, target: TexTarget) -> bool {
    target == TexTarget::Rect && module.target.is_opengl()
}

/// Returns SPIR-V dimension and requirements of a target, in Vulkan or OpenGL.
pub(in crate::emit) fn find_target_properties(
    module: &ModuleWriter,
    target: TexTarget,
) -> TargetProperties {
    if is_rectangle(module, target) {
        RECTANGLE_PROPERTIES
    } else {
        vulkan_target_properties(target)
    }
}

/// Declares `OpTypeSampler`, the type of samplers that are separate from images.
fn declare_sampler_type(module: &mut ModuleWriter) -> TypeWord {
    module.declare_type(Spv::TypeSampler, &[])
}

/// Declares the type of images of a target. `settings` are the operands after the dimensions: 1 for
/// depth comparisons, [`SAMPLED`] or [`STORAGE`], the number of the format.
pub(in crate::emit) fn declare_image_type(
    module: &mut ModuleWriter,
    component: TypeWord,
    target: TexTarget,
    settings: [u32; 3],
) -> TypeWord {
    let [compares, usage, format] = settings;
    let layered = u32::from(target.is_array());
    let multisample = u32::from(target.is_multisample());
    let dim = find_target_properties(module, target).dim as u32;
    let operands = [
        component.0,
        dim,
        compares,
        layered,
        multisample,
        usage,
        format,
    ];
    module.declare_type(Spv::TypeImage, &operands)
}

/// Returns the unit of the sampler of a texture, if it differs from the unit of the texture; `None`
/// for buffer and multisample textures, which have no sampler.
fn find_separate_sampler(texture: &Texture) -> Option<u32> {
    // Fetches do not use a sampler, and these targets support nothing else.
    let has_sampler = texture.target != TexTarget::Buffer && !texture.target.is_multisample();
    let sampler = texture.sampler.filter(|_| has_sampler);
    // The sampler of the same unit is in the descriptor of the texture.
    sampler.filter(|unit| texture.units != UnitSet::Single(*unit))
}

/// Operand of `OpTypeImage` for images with a sampler.
const SAMPLED: u32 = 1;
/// Operand of `OpTypeImage` for images without a sampler.
pub(in crate::emit) const STORAGE: u32 = 2;

/// Returns the scalar type of texels in the declarations of images.
pub(super) fn texel_scalar(ty: Type) -> Scalar {
    base_scalar(ty.base())
}

/// SPIR-V properties of a target, and the capabilities of its textures and storage images.
pub(in crate::emit) struct TargetProperties {
    dim: Dim,
    texture_requirements: &'static [Requirement],
    pub(in crate::emit) image_requirements: &'static [Requirement],
}

/// Rectangles in OpenGL.
const RECTANGLE_PROPERTIES: TargetProperties = TargetProperties {
    dim: Dim::DimRect,
    texture_requirements: &[Requirement::SampledRect],
    image_requirements: &[Requirement::ImageRect],
};

/// Returns the error for textures and images by handle, which OpenGL's SPIR-V lacks.
pub(in crate::emit) fn err_handles_unsupported() -> Failure {
    Error::unsupported(
        "OpenGL's SPIR-V has no textures or images by handle: GL_ARB_bindless_texture does not apply to SPIR-V modules",
    )
}

/// Returns the SPIR-V dimension of a target in Vulkan, and the requirements of textures and of
/// images.
const fn vulkan_target_properties(target: TexTarget) -> TargetProperties {
    let (dim, of_textures, of_images): (Dim, &[Requirement], &[Requirement]) = match target {
        TexTarget::D1 | TexTarget::D1Array => (
            Dim::Dim1D,
            &[Requirement::Sampled1D],
            &[Requirement::Image1D],
        ),
        // In Vulkan rectangles are plain images, whose coordinates are scaled by the module.
        TexTarget::D2 | TexTarget::Rect | TexTarget::D2Array => (Dim::Dim2D, &[], &[]),
        // Sampled images with several samples need no capability. Storage images do, and another
        // one if they are arrays.
        TexTarget::D2Multisample => (Dim::Dim2D, &[], &[Requirement::ImageMultisample]),
        TexTarget::D2MultisampleArray => {
            let requirements = &[
                Requirement::ImageMultisample,
                Requirement::ImageMultisampleArray,
            ];
            (Dim::Dim2D, &[], requirements)
        }
        TexTarget::D3 => (Dim::Dim3D, &[], &[]),
        // Only arrays of cubes have separate capabilities.
        TexTarget::Cube => (Dim::DimCube, &[], &[]),
        TexTarget::CubeArray => (
            Dim::DimCube,
            &[Requirement::CubeArray],
            &[Requirement::ImageCubeArray],
        ),
        TexTarget::Buffer => (
            Dim::DimBuffer,
            &[Requirement::SampledBuffer],
            &[Requirement::ImageBuffer],
        ),
    };
    TargetProperties {
        dim,
        texture_requirements: of_textures,
        image_requirements: of_images,
    }
}
