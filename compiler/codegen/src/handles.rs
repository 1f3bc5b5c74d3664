//! Arrays of descriptors that handles index.
//!
//! The caller defines handles: their low 32 bits are the number of an element, the high ones are
//! ignored. There is an array for every kind of resource that a program accesses by handle and for
//! every target, at a separate binding: the caller writes a resident texture or image to the same
//! element of all arrays that the reflection lists and that it is compatible with. Thus every
//! descriptor has the type that the module declares, which requires no feature of the device.
//! Arrays have a fixed length, so that the module can clamp handles: one that is too large reads
//! the last element. That element must be a valid descriptor.

use crate::options::BindingLayout;
use crate::reflect::{DescriptorSlot, HandleKind, ImageFormat, Scalar};
use glasm_ir::{TexTarget, Texture, Type, TypeBase, Units};

/// Number of bindings of one kind: the binding of a target is its number in [`TexTarget`].
// There are eleven targets; the rest is reserved, so that an additional target moves no binding.
const TARGETS: u32 = 16;

impl HandleKind {
    /// Returns the number of a kind; its bindings start at 16 times this number.
    const fn number(self) -> u32 {
        const fn of_scalar(scalar: Scalar) -> u32 {
            match scalar {
                // Texels are never doubles.
                Scalar::Float | Scalar::Double => 0,
                Scalar::Int => 1,
                Scalar::Uint => 2,
            }
        }
        match self {
            Self::Texture(scalar) => of_scalar(scalar),
            // 0 to 2 are textures by the type of their texels.
            Self::Comparison => 3,
            Self::QueriedTexture => 4,
            // Images in their own formats have the numbers 5 to 7; raw texels of 8 to 128 bits
            // follow with 8 to 12.
            Self::Image(ImageFormat::Own(scalar)) => 5 + of_scalar(scalar),
            Self::Image(ImageFormat::Raw(bits)) => 5 + bits.trailing_zeros(),
            Self::Image(ImageFormat::Any) => 13,
        }
    }

    /// Returns the kind of an access to a texture by handle; `None` if units name the texture.
    pub(crate) fn of_texture(texture: &Texture) -> Option<Self> {
        match texture.units {
            Units::One(_) | Units::Array { .. } => None,
            Units::QueriedHandle => Some(Self::QueriedTexture),
            Units::Handle if texture.shadow => Some(Self::Comparison),
            Units::Handle => Some(Self::Texture(texel(texture.texel))),
        }
    }

    /// Returns the kind of an access to an image by handle; `None` if units name the image.
    pub(crate) fn of_image(units: Units, format: ImageFormat) -> Option<Self> {
        match units {
            Units::One(_) | Units::Array { .. } => None,
            Units::Handle | Units::QueriedHandle => Some(Self::Image(format)),
        }
    }

    /// Returns the descriptor slot of the array for a target.
    pub fn slot(self, target: TexTarget, bindings: &BindingLayout) -> DescriptorSlot {
        let binding = TARGETS * self.number() + target as u32;
        DescriptorSlot {
            set: bindings.handle_set,
            binding: bindings.first_handle_binding.saturating_add(binding),
        }
    }
}

/// Returns the type of texels in the reflection.
pub(crate) fn texel(ty: Type) -> Scalar {
    match ty.base() {
        TypeBase::Signed => Scalar::Int,
        TypeBase::Unsigned => Scalar::Uint,
        TypeBase::Float => Scalar::Float,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_bindings_of_their_own() {
        let scalars = [Scalar::Float, Scalar::Int, Scalar::Uint];
        let raw = [8, 16, 32, 64, 128].map(ImageFormat::Raw);
        let kinds = scalars
            .map(HandleKind::Texture)
            .into_iter()
            .chain([HandleKind::Comparison, HandleKind::QueriedTexture])
            .chain(scalars.map(|scalar| HandleKind::Image(ImageFormat::Own(scalar))))
            .chain(raw.map(HandleKind::Image))
            .chain([HandleKind::Image(ImageFormat::Any)]);
        let layout = BindingLayout {
            handle_set: 7,
            first_handle_binding: 100,
            ..BindingLayout::default()
        };
        let slots = kinds.enumerate().flat_map(|(number, kind)| {
            let targets = TexTarget::ALL.iter().zip(0..);
            targets.map(move |((target, _), place)| {
                (kind.slot(*target, &layout), 16 * number as u32 + place)
            })
        });
        let mut count = 0;
        for (slot, expected) in slots {
            assert_eq!((slot.set, slot.binding), (7, 100 + expected));
            count += 1;
        }
        assert_eq!(count, 14 * 11);
    }

    #[test]
    fn bindings_end() {
        let layout = BindingLayout {
            first_handle_binding: u32::MAX,
            ..BindingLayout::default()
        };
        let slot = HandleKind::QueriedTexture.slot(TexTarget::D2, &layout);
        assert_eq!(slot.binding, u32::MAX);
    }
}
