//! Stencil tests. Vulkan specification, "Stencil Test".

use super::filter::passes_comparison;
use crate::script::pipeline_state::StencilFace;
use ash::vk;

/// Outcome of the tests of a fragment, which selects the operation on the stencil value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TestOutcome {
    StencilFailed,
    DepthFailed,
    Passed,
}

/// Returns true if a reference passes the stencil test of a face against a value.
pub(super) fn passes_stencil(face: &StencilFace, reference: u32, value: u8) -> bool {
    let masked = [reference, u32::from(value)].map(|it| f64::from(it & face.compare_mask & 0xff));
    passes_comparison(face.compare_op, masked[0], masked[1])
}

/// Returns the value after the operation that an outcome selects.
pub(super) fn update_stencil(
    face: &StencilFace,
    outcome: TestOutcome,
    reference: u32,
    value: u8,
) -> u8 {
    let op = match outcome {
        TestOutcome::StencilFailed => face.fail_op,
        TestOutcome::DepthFailed => face.depth_fail_op,
        TestOutcome::Passed => face.pass_op,
    };
    let table = [
        (vk::StencilOp::ZERO, 0),
        (vk::StencilOp::REPLACE, reference as u8),
        (vk::StencilOp::INCREMENT_AND_CLAMP, value.saturating_add(1)),
        (vk::StencilOp::DECREMENT_AND_CLAMP, value.saturating_sub(1)),
        (vk::StencilOp::INVERT, !value),
        (vk::StencilOp::INCREMENT_AND_WRAP, value.wrapping_add(1)),
        (vk::StencilOp::DECREMENT_AND_WRAP, value.wrapping_sub(1)),
    ];
    let found = table.iter().find(|(known, _)| *known == op);
    let new = found.map_or(value, |(_, new)| *new);
    let mask = face.write_mask as u8;
    value & !mask | new & mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::pipeline_state::PipelineState;

    #[test]
    fn operations_change_the_bits_of_the_mask() {
        let face = StencilFace {
            fail_op: vk::StencilOp::INCREMENT_AND_WRAP,
            depth_fail_op: vk::StencilOp::INCREMENT_AND_CLAMP,
            pass_op: vk::StencilOp::REPLACE,
            compare_op: vk::CompareOp::LESS,
            compare_mask: 0x0f,
            write_mask: 0xff,
            ..PipelineState::default().front
        };
        let update = |outcome, value| update_stencil(&face, outcome, 0x35, value);
        assert_eq!(update(TestOutcome::StencilFailed, 255), 0);
        assert_eq!(update(TestOutcome::DepthFailed, 255), 255);
        assert_eq!(update(TestOutcome::Passed, 255), 0x35);
        let masked = StencilFace {
            write_mask: 0xf0,
            ..face
        };
        let value = update_stencil(&masked, TestOutcome::Passed, 0x35, 0x0f);
        assert_eq!(value, 0x3f);
        // 5 < 6, without the upper bits.
        assert!(passes_stencil(&face, 0x35, 0x26));
        assert!(!passes_stencil(&face, 0x35, 0xf5));
    }
}
