//! Textures by texture image unit.

use super::resource_requests::{RequestedTexture, UnboundResult, texel_scalar};
use crate::error::CommandError;
use crate::vk::{Comparing, Device, SampledTexture, Texture, TextureUse};
use ash::vk::CompareOp;
use glasm::ir::TexTarget;
use glasm::reflect::ScalarType;
use glasm_scripts::format::{Aspect, Format};
use glasm_scripts::resource_table::{TextureObjects, TextureTable, TextureUnit};
use glasm_scripts::script::{Convention, target_name};
use glasm_scripts::texture::{
    Contents, Pattern, Sampling, TextureData, TextureShape, TextureUpdate,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Objects of a texture image unit, once a program needs them.
#[derive(Default)]
struct UnitObjects {
    texture: Option<Rc<Texture>>,
    views: BTreeMap<Comparing, SampledTexture>,
}

impl TextureObjects for UnitObjects {
    fn invalidate_texels(&mut self) {
        self.views.clear();
        self.texture = None;
    }

    fn invalidate_sampling(&mut self, _before: &Sampling, _after: &Sampling) {
        self.views.clear();
    }
}

type Unit = TextureUnit<UnitObjects>;

/// All units that a script sets, or that programs read nevertheless.
#[derive(Default)]
pub(super) struct Textures {
    table: TextureTable<UnitObjects>,
    /// Textures of units that no command has set, by target and type.
    placeholders: Vec<(RequestedTexture, SampledTexture)>,
    /// True if incomplete textures are treated as not set, as in GL.
    complete_only: bool,
}

impl Textures {
    /// Creates units without textures, which follow the rules of GL or of Vulkan.
    pub(super) fn new(convention: Convention) -> Self {
        Self {
            complete_only: convention == Convention::OpenGl,
            ..Self::default()
        }
    }

    /// Begins or extends the texture of a unit. Its previous object and views are dropped, and
    /// created again by the next program that reads it.
    pub(super) fn update(&mut self, number: u32, update: &TextureUpdate) {
        self.table.update(number, update);
    }

    /// Sets how the texture of a unit is sampled. Its views and samplers are created again by the
    /// next program that reads it.
    pub(super) fn set_sampling(&mut self, number: u32, sampling: Sampling) {
        self.table.set_sampling(number, sampling);
    }

    /// Creates the objects that `count` units from `first` on lack, for a program that reads them
    /// as `requested`. Units without a texture, and in GL with an incomplete one, share a
    /// placeholder. Returns an error if the program cannot read the texture of a unit.
    pub(super) fn prepare(
        &mut self,
        device: &Rc<Device>,
        first: u32,
        count: u32,
        requested: RequestedTexture,
    ) -> Result<(), CommandError> {
        let complete_only = self.complete_only;
        for number in first..first + count {
            match self.table.get_mut(number) {
                Some(unit) if is_set(unit, complete_only) => {
                    prepare_unit(unit, device, number, requested)?;
                }
                _ => self.prepare_placeholder(device, requested)?,
            }
        }
        Ok(())
    }

    /// Creates and caches the texture that GL samples instead of missing and incomplete ones:
    /// black, with an alpha that depends on the language of the program. Does nothing if it exists.
    fn prepare_placeholder(
        &mut self,
        device: &Rc<Device>,
        requested: RequestedTexture,
    ) -> Result<(), CommandError> {
        if self
            .placeholders
            .iter()
            .any(|(known, _)| *known == requested)
        {
            return Ok(());
        }
        let (shape, sampling) = placeholder_texture(requested);
        let alpha = match requested.unbound_result {
            UnboundResult::Black => 1.0,
            UnboundResult::Transparent => 0.0,
        };
        let black = Contents::Pattern(Pattern::Solid([0.0, 0.0, 0.0, alpha]));
        let data = TextureData::from_update(&TextureUpdate::full_texture(shape, Some(black)));
        let texture = Rc::new(create_texture(device, &data, TextureUse::Sampled)?);
        let comparing = requested.comparing.unwrap_or(Comparing::Off);
        let sampled = SampledTexture::new(device, &texture, &sampling, comparing)?;
        self.placeholders.push((requested, sampled));
        Ok(())
    }

    /// Returns the texture and sampler of a unit, or the placeholder if the unit has none.
    /// [`Self::prepare`] must have been called for the unit.
    pub(super) fn get(&self, number: u32, requested: RequestedTexture) -> &SampledTexture {
        let unit = self.table.get(number);
        match unit.filter(|unit| is_set(unit, self.complete_only)) {
            Some(unit) => unit
                .objects
                .views
                .get(&comparing_mode(unit, requested))
                .expect("the caller prepared this unit"),
            None => self.get_placeholder(requested),
        }
    }
}

impl Textures {
    /// Returns the scalar type of the texels of a unit; `None` if it has no texture.
    pub(super) fn texel_type(&self, number: u32) -> Option<ScalarType> {
        let unit = self.table.get(number)?;
        Some(texel_scalar(unit.data.as_ref()?.shape.format.encoding))
    }

    /// Returns the texture of a unit if the program can read it with this target and type,
    /// otherwise a placeholder. Creates objects that do not exist yet.
    pub(super) fn matching_texture(
        &mut self,
        device: &Rc<Device>,
        number: u32,
        requested: RequestedTexture,
    ) -> Result<&SampledTexture, CommandError> {
        let shape = |unit: &Unit| unit.data.as_ref().map(|data| data.shape.clone());
        let shape = self.table.get(number).and_then(shape);
        if shape.is_some_and(|shape| check_texture(&shape, requested).is_ok()) {
            self.prepare(device, number, 1, requested)?;
            return Ok(self.get(number, requested));
        }
        self.prepare_placeholder(device, requested)?;
        Ok(self.get_placeholder(requested))
    }

    /// Returns the sampler of a unit for descriptors that use no texture, created on first use. It
    /// is combined with the texture of the unit, or with a texture of one texel if the unit has
    /// none.
    pub(super) fn get_or_create_sampler(
        &mut self,
        device: &Rc<Device>,
        number: u32,
        comparing: Comparing,
    ) -> Result<&SampledTexture, CommandError> {
        let unit = self.table.get_or_insert(number);
        match &unit.data {
            _ if unit.objects.views.contains_key(&comparing) => {}
            Some(data) => unit
                .objects
                .add_view(device, data, &unit.sampling, comparing)?,
            None => {
                let (shape, _) = placeholder_texture(RequestedTexture {
                    target: TexTarget::D2,
                    texel_type: ScalarType::Float32,
                    comparing: Some(comparing),
                    unbound_result: UnboundResult::Black,
                });
                let data = TextureData::from_update(&TextureUpdate::full_texture(shape, None));
                let objects = &mut unit.objects;
                objects.add_view(device, &data, &unit.sampling, comparing)?;
                objects.texture = None;
            }
        }
        let view = unit.objects.views.get(&comparing);
        Ok(view.expect("it has been made"))
    }

    /// Returns the placeholder that [`Self::prepare_placeholder`] has created. Panics if it does
    /// not exist.
    fn get_placeholder(&self, requested: RequestedTexture) -> &SampledTexture {
        let unset = self
            .placeholders
            .iter()
            .find(|(known, _)| *known == requested);
        let object = unset.map(|(_, object)| object);
        object.expect("the caller prepared this texture")
    }
}

impl UnitObjects {
    /// Creates and stores the view and sampler for a comparison mode, and the texture with its
    /// texels if it does not exist.
    fn add_view(
        &mut self,
        device: &Rc<Device>,
        data: &TextureData,
        sampling: &Sampling,
        comparing: Comparing,
    ) -> Result<(), CommandError> {
        let texture = match &self.texture {
            Some(texture) => Rc::clone(texture),
            None => Rc::new(create_texture(device, data, TextureUse::Sampled)?),
        };
        let view = SampledTexture::new(device, &texture, sampling, comparing)?;
        self.views.insert(comparing, view);
        self.texture = Some(texture);
        Ok(())
    }
}

/// Returns true if programs read the texture of a unit: it has one, which must be complete if
/// `complete_only`.
fn is_set(unit: &Unit, complete_only: bool) -> bool {
    let is_readable = |data: &TextureData| !complete_only || data.is_complete(&unit.sampling);
    unit.data.as_ref().is_some_and(is_readable)
}

/// Returns the comparison mode of lookups: the one that an assembly program specifies, else that of
/// the unit's sampling state.
fn comparing_mode(unit: &Unit, requested: RequestedTexture) -> Comparing {
    let of_unit = if unit.sampling.compare_enable {
        Comparing::On
    } else {
        Comparing::Off
    };
    requested.comparing.unwrap_or(of_unit)
}

/// Creates the texture, view and sampler of a unit if they do not exist yet; does nothing without a
/// texture. Returns an error that names the unit if the program cannot read the texture.
fn prepare_unit(
    unit: &mut Unit,
    device: &Rc<Device>,
    number: u32,
    requested: RequestedTexture,
) -> Result<(), CommandError> {
    let comparing = comparing_mode(unit, requested);
    let Some(data) = &unit.data else {
        return Ok(());
    };
    check_texture(&data.shape, requested)
        .map_err(|message| format!("texture image unit {number}: {message}"))?;
    if unit.objects.views.contains_key(&comparing) {
        return Ok(());
    }
    unit.objects
        .add_view(device, data, &unit.sampling, comparing)
}

/// Creates a texture on the device and fills its planes with the data.
pub(super) fn create_texture(
    device: &Rc<Device>,
    data: &TextureData,
    usage: TextureUse,
) -> Result<Texture, crate::error::Error> {
    let mut texture = Texture::new(device, &data.shape, usage)?;
    texture.fill_planes(|id| data.plane(id))?;
    Ok(texture)
}

/// Returns an error if the target or scalar type of a texture is not the one that a program reads,
/// or if the program compares and the texture has no depths. Rectangles match two-dimensional
/// textures.
fn check_texture(shape: &TextureShape, requested: RequestedTexture) -> Result<(), String> {
    // Rectangles are two-dimensional textures; the program scales the coordinates.
    let kind = |target| {
        if target == TexTarget::Rect {
            TexTarget::D2
        } else {
            target
        }
    };
    if kind(shape.target) != kind(requested.target) {
        return Err(format!(
            "the texture has target {}, but the program reads target {}",
            target_name(shape.target),
            target_name(requested.target)
        ));
    }
    let scalar = texel_scalar(shape.format.encoding);
    if scalar != requested.texel_type {
        return Err(format!(
            "{:?} has {} texels, but the program reads {} ones",
            shape.format.vk,
            scalar_name(scalar),
            scalar_name(requested.texel_type)
        ));
    }
    if requested.comparing == Some(Comparing::On) && shape.format.aspect == Aspect::Color {
        return Err(format!(
            "the program compares depths, but {:?} has none",
            shape.format.vk
        ));
    }
    Ok(())
}

/// Returns the kind of numbers of a scalar type, without its size, for messages.
fn scalar_name(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::Float32 | ScalarType::Float64 => "float",
        ScalarType::Sint32 => "signed integer",
        ScalarType::Uint32 => "unsigned integer",
    }
}

/// Returns the shape and sampling state of a texture of one texel, in a format that all devices
/// support. With comparison it is a depth texture whose comparison always fails, which reads as 0.
fn placeholder_texture(requested: RequestedTexture) -> (TextureShape, Sampling) {
    let compares = requested.comparing == Some(Comparing::On);
    let format = match requested.texel_type {
        _ if compares => "D16_UNORM",
        ScalarType::Float32 | ScalarType::Float64 => "R8G8B8A8_UNORM",
        ScalarType::Sint32 => "R8G8B8A8_SINT",
        ScalarType::Uint32 => "R8G8B8A8_UINT",
    };
    let layers = if requested.target.is_cube() { 6 } else { 1 };
    let shape = TextureShape {
        target: requested.target,
        format: Format::parse_color_or_depth(format).expect("the format exists"),
        extent: [1; 3],
        levels: 1,
        layers,
        samples: if requested.target.is_multisample() {
            4
        } else {
            1
        },
    };
    let sampling = Sampling {
        compare_op: CompareOp::NEVER,
        ..Sampling::INITIAL
    };
    (shape, sampling)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(target: TexTarget, format: &str) -> TextureShape {
        TextureShape {
            target,
            format: Format::parse_color_or_depth(format).unwrap(),
            extent: [1; 3],
            levels: 1,
            layers: 1,
            samples: 1,
        }
    }

    fn wanted(target: TexTarget, texel: ScalarType, comparing: Comparing) -> RequestedTexture {
        RequestedTexture {
            target,
            texel_type: texel,
            comparing: Some(comparing),
            unbound_result: UnboundResult::Black,
        }
    }

    #[test]
    fn programs_read_what_fits() {
        let plain = wanted(TexTarget::D2, ScalarType::Float32, Comparing::Off);
        assert_eq!(
            check_texture(&shape(TexTarget::D2, "R8_UNORM"), plain),
            Ok(())
        );
        assert_eq!(
            check_texture(&shape(TexTarget::Rect, "D16_UNORM"), plain),
            Ok(())
        );
        let error = |shape: &TextureShape, wanted| check_texture(shape, wanted).unwrap_err();
        assert_eq!(
            error(&shape(TexTarget::D3, "R8_UNORM"), plain),
            "the texture has target 3D, but the program reads target 2D"
        );
        assert_eq!(
            error(&shape(TexTarget::D2, "R8_UINT"), plain),
            "R8_UINT has unsigned integer texels, but the program reads float ones"
        );
        let shadow = wanted(TexTarget::D2, ScalarType::Float32, Comparing::On);
        assert_eq!(
            error(&shape(TexTarget::D2, "R8_UNORM"), shadow),
            "the program compares depths, but R8_UNORM has none"
        );
        assert_eq!(
            check_texture(&shape(TexTarget::D2, "D32_SFLOAT"), shadow),
            Ok(())
        );
    }

    #[test]
    fn unset_textures_suit_what_is_wanted() {
        for (target, _) in TexTarget::ALL {
            for texel in [ScalarType::Float32, ScalarType::Sint32, ScalarType::Uint32] {
                let wanted = wanted(*target, texel, Comparing::Off);
                assert_eq!(
                    check_texture(&placeholder_texture(wanted).0, wanted),
                    Ok(())
                );
            }
        }
        let shadow = wanted(TexTarget::Cube, ScalarType::Float32, Comparing::On);
        let (shape, sampling) = placeholder_texture(shadow);
        assert_eq!(check_texture(&shape, shadow), Ok(()));
        assert_eq!((shape.layers, sampling.compare_op), (6, CompareOp::NEVER));
    }
}
