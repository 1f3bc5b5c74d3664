//! Names of pipeline state: scripts have Vulkan's, here they become OpenGL's. One table for each
//! kind.

use crate::error::Problem;
use crate::gl;
use ash::vk;
use glasm::state::TexGenCoord;
use glasm_scripts::script::PrimitiveAssembly;
use std::fmt::Debug;

/// Returns the constant of OpenGL for a value.
///
/// # Errors
/// [`Problem::Unsupported`] if it has no such value.
pub(super) fn gl_name<T: Copy + PartialEq + Debug>(
    table: &[(T, u32)],
    value: T,
) -> Result<u32, Problem> {
    let found = table.iter().find(|(known, _)| *known == value);
    found
        .map(|(_, name)| *name)
        .ok_or_else(|| Problem::Unsupported(format!("OpenGL has no {value:?}")))
}

/// Comparisons of depths and stencil values.
pub(super) const COMPARISONS: &[(vk::CompareOp, u32)] = &[
    (vk::CompareOp::NEVER, gl::NEVER),
    (vk::CompareOp::LESS, gl::LESS),
    (vk::CompareOp::EQUAL, gl::EQUAL),
    (vk::CompareOp::LESS_OR_EQUAL, gl::LEQUAL),
    (vk::CompareOp::GREATER, gl::GREATER),
    (vk::CompareOp::NOT_EQUAL, gl::NOTEQUAL),
    (vk::CompareOp::GREATER_OR_EQUAL, gl::GEQUAL),
    (vk::CompareOp::ALWAYS, gl::ALWAYS),
];

/// Stencil operations.
pub(super) const STENCIL_OPS: &[(vk::StencilOp, u32)] = &[
    (vk::StencilOp::KEEP, gl::KEEP),
    (vk::StencilOp::ZERO, gl::ZERO),
    (vk::StencilOp::REPLACE, gl::REPLACE),
    (vk::StencilOp::INCREMENT_AND_CLAMP, gl::INCR),
    (vk::StencilOp::DECREMENT_AND_CLAMP, gl::DECR),
    (vk::StencilOp::INVERT, gl::INVERT),
    (vk::StencilOp::INCREMENT_AND_WRAP, gl::INCR_WRAP),
    (vk::StencilOp::DECREMENT_AND_WRAP, gl::DECR_WRAP),
];

/// Blend factors.
pub(super) const BLEND_FACTORS: &[(vk::BlendFactor, u32)] = &[
    (vk::BlendFactor::ZERO, gl::ZERO),
    (vk::BlendFactor::ONE, gl::ONE),
    (vk::BlendFactor::SRC_COLOR, gl::SRC_COLOR),
    (
        vk::BlendFactor::ONE_MINUS_SRC_COLOR,
        gl::ONE_MINUS_SRC_COLOR,
    ),
    (vk::BlendFactor::DST_COLOR, gl::DST_COLOR),
    (
        vk::BlendFactor::ONE_MINUS_DST_COLOR,
        gl::ONE_MINUS_DST_COLOR,
    ),
    (vk::BlendFactor::SRC_ALPHA, gl::SRC_ALPHA),
    (
        vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        gl::ONE_MINUS_SRC_ALPHA,
    ),
    (vk::BlendFactor::DST_ALPHA, gl::DST_ALPHA),
    (
        vk::BlendFactor::ONE_MINUS_DST_ALPHA,
        gl::ONE_MINUS_DST_ALPHA,
    ),
    (vk::BlendFactor::CONSTANT_COLOR, gl::CONSTANT_COLOR),
    (
        vk::BlendFactor::ONE_MINUS_CONSTANT_COLOR,
        gl::ONE_MINUS_CONSTANT_COLOR,
    ),
    (vk::BlendFactor::CONSTANT_ALPHA, gl::CONSTANT_ALPHA),
    (
        vk::BlendFactor::ONE_MINUS_CONSTANT_ALPHA,
        gl::ONE_MINUS_CONSTANT_ALPHA,
    ),
    (vk::BlendFactor::SRC_ALPHA_SATURATE, gl::SRC_ALPHA_SATURATE),
    (vk::BlendFactor::SRC1_COLOR, gl::SRC1_COLOR),
    (
        vk::BlendFactor::ONE_MINUS_SRC1_COLOR,
        gl::ONE_MINUS_SRC1_COLOR,
    ),
    (vk::BlendFactor::SRC1_ALPHA, gl::SRC1_ALPHA),
    (
        vk::BlendFactor::ONE_MINUS_SRC1_ALPHA,
        gl::ONE_MINUS_SRC1_ALPHA,
    ),
];

/// Blend operations.
pub(super) const BLEND_OPS: &[(vk::BlendOp, u32)] = &[
    (vk::BlendOp::ADD, gl::FUNC_ADD),
    (vk::BlendOp::SUBTRACT, gl::FUNC_SUBTRACT),
    (vk::BlendOp::REVERSE_SUBTRACT, gl::FUNC_REVERSE_SUBTRACT),
    (vk::BlendOp::MIN, gl::MIN),
    (vk::BlendOp::MAX, gl::MAX),
];

/// Logical operations on colors.
pub(super) const LOGIC_OPS: &[(vk::LogicOp, u32)] = &[
    (vk::LogicOp::CLEAR, gl::CLEAR),
    (vk::LogicOp::AND, gl::AND),
    (vk::LogicOp::AND_REVERSE, gl::AND_REVERSE),
    (vk::LogicOp::COPY, gl::COPY),
    (vk::LogicOp::AND_INVERTED, gl::AND_INVERTED),
    (vk::LogicOp::NO_OP, gl::NOOP),
    (vk::LogicOp::XOR, gl::XOR),
    (vk::LogicOp::OR, gl::OR),
    (vk::LogicOp::NOR, gl::NOR),
    (vk::LogicOp::EQUIVALENT, gl::EQUIV),
    (vk::LogicOp::INVERT, gl::INVERT),
    (vk::LogicOp::OR_REVERSE, gl::OR_REVERSE),
    (vk::LogicOp::COPY_INVERTED, gl::COPY_INVERTED),
    (vk::LogicOp::OR_INVERTED, gl::OR_INVERTED),
    (vk::LogicOp::NAND, gl::NAND),
    (vk::LogicOp::SET, gl::SET),
];

/// Rasterization modes of polygons.
pub(super) const POLYGON_MODES: &[(vk::PolygonMode, u32)] = &[
    (vk::PolygonMode::FILL, gl::FILL),
    (vk::PolygonMode::LINE, gl::LINE),
    (vk::PolygonMode::POINT, gl::POINT),
];

/// Culled faces.
pub(super) const CULL_MODES: &[(vk::CullModeFlags, u32)] = &[
    (vk::CullModeFlags::FRONT, gl::FRONT),
    (vk::CullModeFlags::BACK, gl::BACK),
    (vk::CullModeFlags::FRONT_AND_BACK, gl::FRONT_AND_BACK),
];

/// Orientations of front faces. The y axis of Vulkan's framebuffers points down, so the same
/// vertices have the opposite orientation.
pub(super) const FRONT_FACES: &[(vk::FrontFace, u32)] = &[
    (vk::FrontFace::COUNTER_CLOCKWISE, gl::CW),
    (vk::FrontFace::CLOCKWISE, gl::CCW),
];

/// Primitives of draws. Primitives that Vulkan lacks are in the script as the list that a runner
/// may convert them to.
pub(super) const TOPOLOGIES: &[((vk::PrimitiveTopology, PrimitiveAssembly), u32)] = {
    use PrimitiveAssembly::{Direct, LineLoop, Polygon, QuadStrip, Quads};
    use vk::PrimitiveTopology as T;
    &[
        ((T::POINT_LIST, Direct), gl::POINTS),
        ((T::LINE_LIST, Direct), gl::LINES),
        ((T::LINE_STRIP, Direct), gl::LINE_STRIP),
        ((T::TRIANGLE_LIST, Direct), gl::TRIANGLES),
        ((T::TRIANGLE_STRIP, Direct), gl::TRIANGLE_STRIP),
        ((T::TRIANGLE_FAN, Direct), gl::TRIANGLE_FAN),
        ((T::LINE_LIST_WITH_ADJACENCY, Direct), gl::LINES_ADJACENCY),
        (
            (T::LINE_STRIP_WITH_ADJACENCY, Direct),
            gl::LINE_STRIP_ADJACENCY,
        ),
        (
            (T::TRIANGLE_LIST_WITH_ADJACENCY, Direct),
            gl::TRIANGLES_ADJACENCY,
        ),
        (
            (T::TRIANGLE_STRIP_WITH_ADJACENCY, Direct),
            gl::TRIANGLE_STRIP_ADJACENCY,
        ),
        ((T::PATCH_LIST, Direct), gl::PATCHES),
        ((T::TRIANGLE_LIST, Quads), gl::QUADS),
        ((T::TRIANGLE_LIST, QuadStrip), gl::QUAD_STRIP),
        ((T::TRIANGLE_LIST, Polygon), gl::POLYGON),
        ((T::LINE_LIST, LineLoop), gl::LINE_LOOP),
    ]
};

/// Returns the constant of OpenGL for a texture coordinate.
pub(super) fn texgen_coord(coord: TexGenCoord) -> u32 {
    match coord {
        TexGenCoord::S => gl::S,
        TexGenCoord::T => gl::T,
        TexGenCoord::R => gl::R,
        TexGenCoord::Q => gl::Q,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that all entries of a table differ in both columns, and that the entries are those
    /// that Vulkan numbers from 0 on.
    fn check<T: Copy + PartialEq + Debug>(table: &[(T, u32)], made: impl Fn(i32) -> T) {
        for ((value, name), raw) in table.iter().zip(0..) {
            assert_eq!(*value, made(raw));
            assert_eq!(gl_name(table, *value).unwrap(), *name);
            assert_eq!(table.iter().filter(|(_, other)| other == name).count(), 1);
        }
    }

    #[test]
    fn all_values_have_names() {
        check(COMPARISONS, vk::CompareOp::from_raw);
        check(STENCIL_OPS, vk::StencilOp::from_raw);
        check(BLEND_FACTORS, vk::BlendFactor::from_raw);
        check(BLEND_OPS, vk::BlendOp::from_raw);
        check(LOGIC_OPS, vk::LogicOp::from_raw);
        check(POLYGON_MODES, vk::PolygonMode::from_raw);
        check(FRONT_FACES, vk::FrontFace::from_raw);
        check(CULL_MODES, |raw| {
            vk::CullModeFlags::from_raw(raw.cast_unsigned() + 1)
        });
        let direct: Vec<_> = TOPOLOGIES
            .iter()
            .take(11)
            .map(|((it, _), name)| (*it, *name))
            .collect();
        check(&direct, vk::PrimitiveTopology::from_raw);
    }

    #[test]
    fn names_of_comparisons_and_operations_are_in_order() {
        // Both registries number them identically.
        for (op, name) in COMPARISONS {
            assert_eq!(op.as_raw().cast_unsigned() + gl::NEVER, *name);
        }
        for (op, name) in LOGIC_OPS {
            assert_eq!(op.as_raw().cast_unsigned() + gl::CLEAR, *name);
        }
    }

    #[test]
    fn what_opengl_lacks_is_told() {
        let problem = gl_name(POLYGON_MODES, vk::PolygonMode::FILL_RECTANGLE_NV);
        assert!(
            matches!(problem, Err(Problem::Unsupported(reason)) if reason == "OpenGL has no FILL_RECTANGLE_NV")
        );
        assert_eq!(
            gl_name(
                TOPOLOGIES,
                (
                    vk::PrimitiveTopology::LINE_LIST,
                    PrimitiveAssembly::LineLoop
                )
            )
            .unwrap(),
            gl::LINE_LOOP
        );
    }
}
