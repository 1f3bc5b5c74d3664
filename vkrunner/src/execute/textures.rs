//! Textures by texture image unit.

use super::wanted::{Missing, WantedTexture, texel_scalar};
use crate::error::Problem;
use crate::vk::{Comparing, Device, SampledTexture, Texture, TextureUse};
use ash::vk::CompareOp;
use glasm::ir::TexTarget;
use glasm::reflect::Scalar;
use glasm_scripts::format::{Aspect, Format};
use glasm_scripts::resource_table::{TextureObjects, TextureTable, TextureUnit};
use glasm_scripts::script::{Convention, target_name};
use glasm_scripts::texture::{Contents, Pattern, Sampling, Shape, TextureData, Update};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Objects of a texture image unit, once a program needs them.
#[derive(Default)]
struct Objects {
    texture: Option<Rc<Texture>>,
    views: BTreeMap<Comparing, SampledTexture>,
}

impl TextureObjects for Objects {
    fn invalidate_texels(&mut self) {
        self.views.clear();
        self.texture = None;
    }

    fn invalidate_sampling(&mut self, _before: &Sampling, _after: &Sampling) {
        self.views.clear();
    }
}

type Unit = TextureUnit<Objects>;

/// All units that a script sets, or that programs read nevertheless.
#[derive(Default)]
pub(super) struct Textures {
    table: TextureTable<Objects>,
    /// Textures of units that no command has set, by target and type.
    unset: Vec<(WantedTexture, SampledTexture)>,
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

    /// Begins or extends a texture.
    pub(super) fn update(&mut self, number: u32, update: &Update) {
        self.table.update(number, update);
    }

    /// Sets how a texture is sampled.
    pub(super) fn set_sampling(&mut self, number: u32, sampling: Sampling) {
        self.table.set_sampling(number, sampling);
    }

    /// Creates the objects that do not exist yet, of the units from `first` on.
    pub(super) fn prepare(
        &mut self,
        device: &Rc<Device>,
        first: u32,
        count: u32,
        wanted: WantedTexture,
    ) -> Result<(), Problem> {
        let complete_only = self.complete_only;
        for number in first..first + count {
            match self.table.get_mut(number) {
                Some(unit) if is_set(unit, complete_only) => {
                    prepare_unit(unit, device, number, wanted)?;
                }
                _ => self.prepare_unset(device, wanted)?,
            }
        }
        Ok(())
    }

    /// Creates the texture that GL samples for incomplete ones: black, whose alpha depends on the
    /// language of the program.
    fn prepare_unset(&mut self, device: &Rc<Device>, wanted: WantedTexture) -> Result<(), Problem> {
        if self.unset.iter().any(|(known, _)| *known == wanted) {
            return Ok(());
        }
        let (shape, sampling) = unset_texture(wanted);
        let alpha = match wanted.missing {
            Missing::Black => 1.0,
            Missing::Transparent => 0.0,
        };
        let black = Contents::Pattern(Pattern::Solid([0.0, 0.0, 0.0, alpha]));
        let data = TextureData::new(&Update::whole(shape, Some(black)));
        let texture = Rc::new(create(device, &data, TextureUse::Sampled)?);
        let comparing = wanted.comparing.unwrap_or(Comparing::Off);
        let sampled = SampledTexture::new(device, &texture, &sampling, comparing)?;
        self.unset.push((wanted, sampled));
        Ok(())
    }

    /// Returns the object of a unit, after [`Self::prepare`].
    pub(super) fn get(&self, number: u32, wanted: WantedTexture) -> &SampledTexture {
        let unit = self.table.get(number);
        match unit.filter(|unit| is_set(unit, self.complete_only)) {
            Some(unit) => unit
                .objects
                .views
                .get(&comparing_of(unit, wanted))
                .expect("the caller prepared this unit"),
            None => self.get_unset(wanted),
        }
    }
}

impl Textures {
    /// Returns the type of the texels of a unit, if it has a texture.
    pub(super) fn texel(&self, number: u32) -> Option<Scalar> {
        let unit = self.table.get(number)?;
        Some(texel_scalar(unit.data.as_ref()?.shape.format.encoding))
    }

    /// Returns the texture of a unit if the program can read it, otherwise an incomplete one.
    pub(super) fn fitting(
        &mut self,
        device: &Rc<Device>,
        number: u32,
        wanted: WantedTexture,
    ) -> Result<&SampledTexture, Problem> {
        let shape = |unit: &Unit| unit.data.as_ref().map(|data| data.shape.clone());
        let shape = self.table.get(number).and_then(shape);
        if shape.is_some_and(|shape| check(&shape, wanted).is_ok()) {
            self.prepare(device, number, 1, wanted)?;
            return Ok(self.get(number, wanted));
        }
        self.prepare_unset(device, wanted)?;
        Ok(self.get_unset(wanted))
    }

    /// Returns the sampler of a unit, with any texture.
    pub(super) fn sampler(
        &mut self,
        device: &Rc<Device>,
        number: u32,
        comparing: Comparing,
    ) -> Result<&SampledTexture, Problem> {
        let unit = self.table.get_or_insert(number);
        match &unit.data {
            _ if unit.objects.views.contains_key(&comparing) => {}
            Some(data) => unit
                .objects
                .add_view(device, data, &unit.sampling, comparing)?,
            None => {
                let (shape, _) = unset_texture(WantedTexture {
                    target: TexTarget::D2,
                    texel: Scalar::Float,
                    comparing: Some(comparing),
                    missing: Missing::Black,
                });
                let data = TextureData::new(&Update::whole(shape, None));
                let objects = &mut unit.objects;
                objects.add_view(device, &data, &unit.sampling, comparing)?;
                objects.texture = None;
            }
        }
        let view = unit.objects.views.get(&comparing);
        Ok(view.expect("it has been made"))
    }

    /// Returns the object for textures that are not there, after [`Self::prepare_unset`].
    fn get_unset(&self, wanted: WantedTexture) -> &SampledTexture {
        let unset = self.unset.iter().find(|(known, _)| *known == wanted);
        let object = unset.map(|(_, object)| object);
        object.expect("the caller prepared this texture")
    }
}

impl Objects {
    /// Creates a view, and the texture if it does not exist.
    fn add_view(
        &mut self,
        device: &Rc<Device>,
        data: &TextureData,
        sampling: &Sampling,
        comparing: Comparing,
    ) -> Result<(), Problem> {
        let texture = match &self.texture {
            Some(texture) => Rc::clone(texture),
            None => Rc::new(create(device, data, TextureUse::Sampled)?),
        };
        let view = SampledTexture::new(device, &texture, sampling, comparing)?;
        self.views.insert(comparing, view);
        self.texture = Some(texture);
        Ok(())
    }
}

/// Returns true if programs read the texture of a unit.
fn is_set(unit: &Unit, complete_only: bool) -> bool {
    let is_readable = |data: &TextureData| !complete_only || data.is_complete(&unit.sampling);
    unit.data.as_ref().is_some_and(is_readable)
}

/// Returns the comparison mode of lookups. Assembly programs specify it; for others the texture
/// does.
fn comparing_of(unit: &Unit, wanted: WantedTexture) -> Comparing {
    let of_unit = if unit.sampling.compares {
        Comparing::On
    } else {
        Comparing::Off
    };
    wanted.comparing.unwrap_or(of_unit)
}

/// Creates the objects of a unit that a program reads.
fn prepare_unit(
    unit: &mut Unit,
    device: &Rc<Device>,
    number: u32,
    wanted: WantedTexture,
) -> Result<(), Problem> {
    let comparing = comparing_of(unit, wanted);
    let Some(data) = &unit.data else {
        return Ok(());
    };
    check(&data.shape, wanted)
        .map_err(|message| format!("texture image unit {number}: {message}"))?;
    if unit.objects.views.contains_key(&comparing) {
        return Ok(());
    }
    unit.objects
        .add_view(device, data, &unit.sampling, comparing)
}

/// Creates a texture on the device, filled.
pub(super) fn create(
    device: &Rc<Device>,
    data: &TextureData,
    usage: TextureUse,
) -> Result<Texture, crate::error::Error> {
    let mut texture = Texture::new(device, &data.shape, usage)?;
    texture.fill(|id| data.plane(id))?;
    Ok(texture)
}

/// Checks that a program can read a texture.
fn check(shape: &Shape, wanted: WantedTexture) -> Result<(), String> {
    // Rectangles are two-dimensional textures; the program scales the coordinates.
    let kind = |target| {
        if target == TexTarget::Rect {
            TexTarget::D2
        } else {
            target
        }
    };
    if kind(shape.target) != kind(wanted.target) {
        return Err(format!(
            "the texture has target {}, but the program reads target {}",
            target_name(shape.target),
            target_name(wanted.target)
        ));
    }
    let scalar = texel_scalar(shape.format.encoding);
    if scalar != wanted.texel {
        return Err(format!(
            "{:?} has {} texels, but the program reads {} ones",
            shape.format.vk,
            scalar_name(scalar),
            scalar_name(wanted.texel)
        ));
    }
    if wanted.comparing == Some(Comparing::On) && shape.format.aspect == Aspect::Color {
        return Err(format!(
            "the program compares depths, but {:?} has none",
            shape.format.vk
        ));
    }
    Ok(())
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Float | Scalar::Double => "float",
        Scalar::Int => "signed integer",
        Scalar::Uint => "unsigned integer",
    }
}

/// Returns a texture that reads (0, 0, 0, 1), with or without comparison, in formats that all
/// devices support.
fn unset_texture(wanted: WantedTexture) -> (Shape, Sampling) {
    let compares = wanted.comparing == Some(Comparing::On);
    let format = match wanted.texel {
        _ if compares => "D16_UNORM",
        Scalar::Float | Scalar::Double => "R8G8B8A8_UNORM",
        Scalar::Int => "R8G8B8A8_SINT",
        Scalar::Uint => "R8G8B8A8_UINT",
    };
    let layers = if wanted.target.is_cube() { 6 } else { 1 };
    let shape = Shape {
        target: wanted.target,
        format: Format::parse_texture(format).expect("the format exists"),
        extent: [1; 3],
        levels: 1,
        layers,
        samples: if wanted.target.is_multisample() { 4 } else { 1 },
    };
    let sampling = Sampling {
        compare: CompareOp::NEVER,
        ..Sampling::INITIAL
    };
    (shape, sampling)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(target: TexTarget, format: &str) -> Shape {
        Shape {
            target,
            format: Format::parse_texture(format).unwrap(),
            extent: [1; 3],
            levels: 1,
            layers: 1,
            samples: 1,
        }
    }

    fn wanted(target: TexTarget, texel: Scalar, comparing: Comparing) -> WantedTexture {
        WantedTexture {
            target,
            texel,
            comparing: Some(comparing),
            missing: Missing::Black,
        }
    }

    #[test]
    fn programs_read_what_fits() {
        let plain = wanted(TexTarget::D2, Scalar::Float, Comparing::Off);
        assert_eq!(check(&shape(TexTarget::D2, "R8_UNORM"), plain), Ok(()));
        assert_eq!(check(&shape(TexTarget::Rect, "D16_UNORM"), plain), Ok(()));
        let error = |shape: &Shape, wanted| check(shape, wanted).unwrap_err();
        assert_eq!(
            error(&shape(TexTarget::D3, "R8_UNORM"), plain),
            "the texture has target 3D, but the program reads target 2D"
        );
        assert_eq!(
            error(&shape(TexTarget::D2, "R8_UINT"), plain),
            "R8_UINT has unsigned integer texels, but the program reads float ones"
        );
        let shadow = wanted(TexTarget::D2, Scalar::Float, Comparing::On);
        assert_eq!(
            error(&shape(TexTarget::D2, "R8_UNORM"), shadow),
            "the program compares depths, but R8_UNORM has none"
        );
        assert_eq!(check(&shape(TexTarget::D2, "D32_SFLOAT"), shadow), Ok(()));
    }

    #[test]
    fn unset_textures_suit_what_is_wanted() {
        for (target, _) in TexTarget::ALL {
            for texel in [Scalar::Float, Scalar::Int, Scalar::Uint] {
                let wanted = wanted(*target, texel, Comparing::Off);
                assert_eq!(check(&unset_texture(wanted).0, wanted), Ok(()));
            }
        }
        let shadow = wanted(TexTarget::Cube, Scalar::Float, Comparing::On);
        let (shape, sampling) = unset_texture(shadow);
        assert_eq!(check(&shape, shadow), Ok(()));
        assert_eq!((shape.layers, sampling.compare), (6, CompareOp::NEVER));
    }
}
