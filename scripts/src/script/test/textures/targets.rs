//! Targets of textures by their names.

use glasm::ir::TexTarget;

/// Names of targets; the first one of each is the one that messages use.
const TARGETS: &[(&str, TexTarget)] = &[
    ("1D", TexTarget::D1),
    ("2D", TexTarget::D2),
    ("3D", TexTarget::D3),
    ("cube", TexTarget::Cube),
    ("Cube", TexTarget::Cube),
    ("1DArray", TexTarget::D1Array),
    ("2DArray", TexTarget::D2Array),
    ("cubeArray", TexTarget::CubeArray),
    ("CubeArray", TexTarget::CubeArray),
    ("Rect", TexTarget::Rect),
    ("rect", TexTarget::Rect),
    ("buffer", TexTarget::Buffer),
    ("2DMS", TexTarget::D2Ms),
    ("2DMSArray", TexTarget::D2MsArray),
];

/// The target of that name.
pub(super) fn find_target(name: &str) -> Option<TexTarget> {
    TARGETS
        .iter()
        .find(|(text, _)| *text == name)
        .map(|(_, target)| *target)
}

/// How scripts call a target.
pub fn target_name(target: TexTarget) -> &'static str {
    TARGETS
        .iter()
        .find(|(_, known)| *known == target)
        .map_or("texture", |(text, _)| text)
}
