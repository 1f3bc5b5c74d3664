//! Storage images as programs see them. Pure.

use super::shape::Shape;
use ash::vk;
use glasm::ir::TexTarget;

/// Bound part of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImagePart {
    /// Level, from 0.
    pub level: u32,
    /// Layer, face or slice, which is an image of a lower target; `None` for all of them.
    pub slice: Option<u32>,
}

/// Part of an image as a program accesses it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StorageView {
    /// Target that the program names.
    pub target: TexTarget,
    /// Bound part of the image.
    pub part: ImagePart,
    /// Format in which its texels are accessed.
    pub format: vk::Format,
}

impl ImagePart {
    /// Returns true if an image has the part.
    pub fn exists(self, shape: &Shape) -> bool {
        let slices = || shape.slices(self.level);
        self.level < shape.levels && self.slice.is_none_or(|slice| slice < slices())
    }

    /// Returns the target of the part of an image.
    pub fn target(self, target: TexTarget) -> TexTarget {
        match self.slice {
            Some(_) => plane_target(target),
            None => target,
        }
    }

    /// Returns true if the part of an image can be accessed with a target. One layer of an array
    /// can also be accessed as an array of one layer.
    pub fn suits(self, target: TexTarget, wanted: TexTarget) -> bool {
        let part = plain(self.target(target));
        let wanted = plain(wanted);
        part == wanted || (target == wanted && !is_cube(target) && wanted != TexTarget::D3)
    }
}

/// Returns the target of a layer, a face or a slice.
fn plane_target(target: TexTarget) -> TexTarget {
    match target {
        TexTarget::D1 | TexTarget::D1Array => TexTarget::D1,
        TexTarget::D2
        | TexTarget::D3
        | TexTarget::Cube
        | TexTarget::Rect
        | TexTarget::D2Array
        | TexTarget::CubeArray => TexTarget::D2,
        TexTarget::Buffer => TexTarget::Buffer,
        TexTarget::D2Ms | TexTarget::D2MsArray => TexTarget::D2Ms,
    }
}

/// Converts rectangle targets to two-dimensional ones.
fn plain(target: TexTarget) -> TexTarget {
    if target == TexTarget::Rect {
        TexTarget::D2
    } else {
        target
    }
}

fn is_cube(target: TexTarget) -> bool {
    target.is_cube()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    const LAYER: ImagePart = ImagePart {
        level: 1,
        slice: Some(2),
    };

    #[test]
    fn a_layer_is_an_image_of_a_lower_target() {
        for (target, expected) in [
            (TexTarget::D1Array, TexTarget::D1),
            (TexTarget::D2Array, TexTarget::D2),
            (TexTarget::D3, TexTarget::D2),
            (TexTarget::Cube, TexTarget::D2),
            (TexTarget::CubeArray, TexTarget::D2),
            (TexTarget::D2MsArray, TexTarget::D2Ms),
        ] {
            assert_eq!(LAYER.target(target), expected);
            assert!(LAYER.suits(target, expected));
            assert_eq!(ImagePart::default().target(target), target);
            assert!(ImagePart::default().suits(target, target));
            assert!(!ImagePart::default().suits(target, expected));
        }
        assert!(LAYER.suits(TexTarget::D2Array, TexTarget::D2Array));
        assert!(LAYER.suits(TexTarget::D2Array, TexTarget::Rect));
        assert!(!LAYER.suits(TexTarget::Cube, TexTarget::Cube));
        assert!(!LAYER.suits(TexTarget::D3, TexTarget::D3));
    }

    #[test]
    fn parts_beyond_an_image_do_not_exist() {
        let shape = Shape {
            target: TexTarget::D3,
            format: Format::parse("R8_UINT").unwrap(),
            extent: [4, 4, 6],
            levels: 2,
            layers: 1,
            samples: 1,
        };
        let part = |level, slice| ImagePart { level, slice };
        assert!(part(1, Some(2)).exists(&shape) && part(1, None).exists(&shape));
        assert!(!part(1, Some(3)).exists(&shape) && !part(2, None).exists(&shape));
    }
}
