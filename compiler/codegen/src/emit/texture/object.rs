//! Variables of textures: combined image samplers, images of buffer textures, arrays of them.

use crate::builder::{ModuleWriter, Scalar};
use crate::capability::Need;
use crate::emit::memory::member::choices;
use crate::error::{Error, Failure};
use crate::handles::texel;
use crate::interface::{Io, SamplerVariable, TextureVariable, base_scalar, bind};
use crate::options::Options;
use crate::reflect::{DescriptorSlot, SamplerBinding, TextureBinding};
use crate::reflect::{HandleArray, HandleKind};
use crate::words::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{TexTarget, Texture, TextureId, Type, Units};
use spirv::{Dim, ImageFormat, Op as Spv, StorageClass};

pub(super) fn declare_texture(io: &mut Io<'_>, id: TextureId) -> Result<TextureVariable, Failure> {
    let known = io.vars.resources.textures[id.index()];
    if known.variable.is_some() {
        return Ok(known);
    }
    let texture = io.program.textures[id];
    check_texture(io.options, &texture)?;
    let (image, object) = declare_texture_types(io.w, &texture, sampler_of(&texture));
    let count = count_textures(io.options, texture.units);
    let ty = match count {
        Some(count) => io.w.declare_array(object, count),
        None => object,
    };
    let variable = io.w.declare_variable(StorageClass::UniformConstant, ty);
    bind_texture(io, variable, &texture, count);
    let result = TextureVariable {
        variable,
        image,
        object,
        loaded: ValueWord::NONE,
    };
    io.vars.resources.textures[id.index()] = result;
    Ok(result)
}

/// Returns an error for textures that OpenGL does not support.
fn check_texture(options: &Options, texture: &Texture) -> Result<(), Failure> {
    if !options.target.is_opengl() {
        return Ok(());
    }
    if let Some(sampler) = sampler_of(texture) {
        let unit = texture.units.first().unwrap_or(0);
        let message = format!(
            "OpenGL's SPIR-V has no samplers apart from textures: texture {unit} is used with the sampler of unit {sampler}"
        );
        return Err(Error::unsupported(message));
    }
    match HandleKind::of_texture(texture) {
        Some(_) => Err(no_handles()),
        None => Ok(()),
    }
}

/// Binds the variable of a texture and adds it to the reflection.
fn bind_texture(io: &mut Io<'_>, variable: ValueWord, texture: &Texture, count: Option<u32>) {
    let count = count.unwrap_or(1);
    if let Some(kind) = HandleKind::of_texture(texture) {
        return bind_handle_array(io, variable, kind, texture.target, count);
    }
    let unit = texture.units.first().unwrap_or(0);
    let slot = DescriptorSlot {
        set: io.options.bindings.texture_set,
        binding: unit,
    };
    bind(io.w, variable, slot);
    io.w.name(variable, || {
        // Variables of one unit differ in their types, and their names must differ, too.
        let image = sampler_of(texture).map_or("", |_| "_image");
        let shadow = if texture.shadow { "_shadow" } else { "" };
        format!("texture{unit}{image}{shadow}")
    });
    io.vars.reflected.textures.push(TextureBinding {
        slot,
        unit,
        count,
        target: texture.target,
        shadow: texture.shadow,
        texel: texel(texture.texel),
    });
}

/// Binds a variable that handles index. Several variables may be the same array.
pub(in crate::emit) fn bind_handle_array(
    io: &mut Io<'_>,
    variable: ValueWord,
    kind: HandleKind,
    target: TexTarget,
    count: u32,
) {
    let slot = kind.slot(target, &io.options.bindings);
    bind(io.w, variable, slot);
    io.w.name(variable, || format!("handles{}", slot.binding));
    let arrays = &mut io.vars.reflected.handles;
    if !arrays.iter().any(|array| array.slot == slot) {
        arrays.push(HandleArray {
            slot,
            count,
            kind,
            target,
            written: false,
        });
    }
}

pub(super) fn load_texture(io: &mut Io<'_>, id: TextureId, variable: TextureVariable) -> ValueWord {
    if variable.loaded.is_some() {
        return variable.loaded;
    }
    // In the prologue, so that one load serves all accesses of the function.
    let loaded = io.w.object();
    let (ty, pointer) = (variable.object, variable.variable);
    io.w.prologue.result(Spv::Load, ty, loaded, &[pointer.0]);
    io.vars.resources.textures[id.index()].loaded = loaded;
    loaded
}

/// Loads the sampler of a texture from another unit, in the prologue.
pub(super) fn load_sampler(io: &mut Io<'_>, texture: &Texture) -> Option<ValueWord> {
    let unit = sampler_of(texture)?;
    let samplers = &io.vars.resources.samplers;
    let number = samplers.iter().position(|it| it.unit == unit);
    let number = number.unwrap_or_else(|| declare_sampler(io, unit, texture.shadow));
    let SamplerVariable {
        variable, loaded, ..
    } = io.vars.resources.samplers[number];
    if loaded.is_some() {
        return Some(loaded);
    }
    let ty = declare_sampler_type(io.w);
    let loaded = io.w.object();
    io.w.prologue.result(Spv::Load, ty, loaded, &[variable.0]);
    io.vars.resources.samplers[number].loaded = loaded;
    Some(loaded)
}

/// Declares the sampler of a unit, and returns its number. Its descriptor is the combined image
/// sampler of the unit.
fn declare_sampler(io: &mut Io<'_>, unit: u32, shadow: bool) -> usize {
    let ty = declare_sampler_type(io.w);
    let variable = io.w.declare_variable(StorageClass::UniformConstant, ty);
    let slot = DescriptorSlot {
        set: io.options.bindings.texture_set,
        // A sampler may be bound as part of a combined image sampler (Vulkan, "Shader Resource and
        // Descriptor Type Correspondence").
        binding: unit,
    };
    bind(io.w, variable, slot);
    io.w.name(variable, || format!("sampler{unit}"));
    let sampler = SamplerBinding { slot, unit, shadow };
    io.vars.reflected.samplers.push(sampler);
    let samplers = &mut io.vars.resources.samplers;
    samplers.push(SamplerVariable {
        unit,
        variable,
        loaded: ValueWord::NONE,
    });
    samplers.len() - 1
}

pub(super) fn count_textures(options: &Options, units: Units) -> Option<u32> {
    choices(units, options.handles.textures)
}

/// Declares the type of the image of a texture, and the type of its variable: the image with a
/// sampler, unless it is a buffer.
fn declare_texture_types(
    w: &mut ModuleWriter,
    texture: &Texture,
    sampler: Option<u32>,
) -> (TypeWord, TypeWord) {
    // The type of texels, which Vulkan compares with the format of the bound view.
    let component = w.ty(texel_scalar(texture.texel), 1);
    // A sampled image has the format of the bound view; SPIR-V requires a format for reads or
    // writes of texels without a sampler.
    let settings = [
        u32::from(texture.shadow),
        SAMPLED,
        ImageFormat::Unknown as u32,
    ];
    let image = declare_image_type(w, component, texture.target, settings);
    for need in find_target_row(w, texture.target).of_textures {
        w.needs.insert(*need);
    }
    let object = if is_plain_image(w, texture.target) || sampler.is_some() {
        image
    } else {
        declare_sampled_type(w, image)
    };
    (image, object)
}

/// Declares the type of an image with its sampler.
pub(super) fn declare_sampled_type(w: &mut ModuleWriter, image: TypeWord) -> TypeWord {
    w.declare_type(Spv::TypeSampledImage, &[image.0])
}

/// Returns true if textures of a target are images without samplers: buffer textures, which have
/// samplers in OpenGL.
pub(super) fn is_plain_image(w: &ModuleWriter, target: TexTarget) -> bool {
    target == TexTarget::Buffer && !w.target.is_opengl()
}

/// Returns true if textures of a target are also rectangles on the device, which is OpenGL: their
/// coordinates count texels, and they have no levels.
pub(super) fn is_rectangle(w: &ModuleWriter, target: TexTarget) -> bool {
    target == TexTarget::Rect && w.target.is_opengl()
}

/// Returns the SPIR-V properties of a target.
pub(in crate::emit) fn find_target_row(w: &ModuleWriter, target: TexTarget) -> TargetRow {
    if is_rectangle(w, target) {
        RECTANGLES
    } else {
        target_row(target)
    }
}

fn declare_sampler_type(w: &mut ModuleWriter) -> TypeWord {
    w.declare_type(Spv::TypeSampler, &[])
}

/// Declares the type of images of a target. `settings` are the operands after the dimensions: 1 for
/// depth comparisons, [`SAMPLED`] or [`STORAGE`], the number of the format.
pub(in crate::emit) fn declare_image_type(
    w: &mut ModuleWriter,
    component: TypeWord,
    target: TexTarget,
    settings: [u32; 3],
) -> TypeWord {
    let [compares, usage, format] = settings;
    let layered = u32::from(target.is_array());
    let multisample = u32::from(target.is_multisample());
    let dim = find_target_row(w, target).dim as u32;
    let operands = [
        component.0,
        dim,
        compares,
        layered,
        multisample,
        usage,
        format,
    ];
    w.declare_type(Spv::TypeImage, &operands)
}

/// Returns the unit of the sampler of a texture, if it differs from the unit of the texture.
fn sampler_of(texture: &Texture) -> Option<u32> {
    // Fetches do not use a sampler, and these targets support nothing else.
    let has_sampler = texture.target != TexTarget::Buffer && !texture.target.is_multisample();
    let sampler = texture.sampler.filter(|_| has_sampler);
    // The sampler of the same unit is in the descriptor of the texture.
    sampler.filter(|unit| texture.units != Units::One(*unit))
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
pub(in crate::emit) struct TargetRow {
    dim: Dim,
    of_textures: &'static [Need],
    pub(in crate::emit) of_images: &'static [Need],
}

/// Rectangles in OpenGL.
const RECTANGLES: TargetRow = TargetRow {
    dim: Dim::DimRect,
    of_textures: &[Need::SampledRect],
    of_images: &[Need::ImageRect],
};

/// Returns the error for textures and images by handle.
pub(in crate::emit) fn no_handles() -> Failure {
    Error::unsupported(
        "OpenGL's SPIR-V has no textures or images by handle: GL_ARB_bindless_texture is not for modules",
    )
}

const fn target_row(target: TexTarget) -> TargetRow {
    let (dim, of_textures, of_images): (Dim, &[Need], &[Need]) = match target {
        TexTarget::D1 | TexTarget::D1Array => (Dim::Dim1D, &[Need::Sampled1D], &[Need::Image1D]),
        // In Vulkan rectangles are plain images, whose coordinates are scaled by the module.
        TexTarget::D2 | TexTarget::Rect | TexTarget::D2Array => (Dim::Dim2D, &[], &[]),
        // Sampled images with several samples need no capability. Storage images do, and another
        // one if they are arrays.
        TexTarget::D2Ms => (Dim::Dim2D, &[], &[Need::ImageMultisample]),
        TexTarget::D2MsArray => {
            let needs = &[Need::ImageMultisample, Need::ImageMultisampleArray];
            (Dim::Dim2D, &[], needs)
        }
        TexTarget::D3 => (Dim::Dim3D, &[], &[]),
        // Only arrays of cubes have separate capabilities.
        TexTarget::Cube => (Dim::DimCube, &[], &[]),
        TexTarget::CubeArray => (Dim::DimCube, &[Need::CubeArray], &[Need::ImageCubeArray]),
        TexTarget::Buffer => (Dim::DimBuffer, &[Need::SampledBuffer], &[Need::ImageBuffer]),
    };
    TargetRow {
        dim,
        of_textures,
        of_images,
    }
}
