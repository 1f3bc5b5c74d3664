//! Limits of a device on work groups.

use super::capabilities::Capabilities;
use glasm::ir::Stage;
use glasm_scripts::script::{Command, Groups, Script};
use rspirv::spirv::{ExecutionMode, Op};

/// Returns the reason why a device does not run groups of a size; `None` if it does.
pub(crate) fn missing_group_size(size: [u32; 3], capabilities: &Capabilities) -> Option<String> {
    let invocations = size
        .iter()
        .fold(1, |product: u64, n| product.saturating_mul(u64::from(*n)));
    let (most, sizes) = (
        capabilities.max_group_invocations,
        capabilities.max_group_size,
    );
    if invocations > u64::from(most) {
        return Some(format!(
            "the device lacks work groups of more than {most} invocations"
        ));
    }
    let too_long = size.iter().zip(sizes).any(|(n, limit)| *n > limit);
    too_long.then(|| format!("the device lacks work groups larger than {sizes:?}"))
}

/// Returns the reason why a device does not run the groups that a module declares; `None` if it
/// does, and for other stages than compute.
pub(crate) fn missing_for_module(
    stage: Stage,
    words: &[u32],
    capabilities: &Capabilities,
) -> Option<String> {
    if stage != Stage::Compute {
        return None;
    }
    group_sizes(words).find_map(|size| missing_group_size(size, capabilities))
}

/// Returns the sizes that the entry points of a module declare.
fn group_sizes(words: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    let mut rest = words.get(5..).unwrap_or_default();
    std::iter::from_fn(move || {
        while let [first, ..] = *rest {
            let (len, op) = ((first >> 16) as usize, first & 0xffff);
            // Modes precede all code; the validation layer checks malformed modules.
            if len == 0 || len > rest.len() || op == Op::Function as u32 {
                return None;
            }
            let (inst, after) = rest.split_at(len);
            rest = after;
            if let [_, _, mode, x, y, z] = *inst
                && op == Op::ExecutionMode as u32
                && mode == ExecutionMode::LocalSize as u32
            {
                return Some([x, y, z]);
            }
        }
        None
    })
}

/// Returns the reason why a device does not run the groups that commands request; `None` if it
/// does.
pub(super) fn missing_for_commands(script: &Script, capabilities: &Capabilities) -> Option<String> {
    script.steps.iter().find_map(|step| {
        let Command::Compute { groups, size, .. } = &step.command else {
            return None;
        };
        let limits = capabilities.max_work_groups;
        let too_many = match groups {
            Groups::Given(counts) => counts.iter().zip(limits).any(|(n, limit)| *n > limit),
            // Their counts are known when they run.
            Groups::Indirect(_) => false,
        };
        if too_many {
            return Some(format!("the device lacks more than {limits:?} work groups"));
        }
        missing_group_size((*size)?, capabilities)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capable() -> Capabilities {
        Capabilities {
            max_group_size: [256, 256, 64],
            max_group_invocations: 256,
            max_work_groups: [65535; 3],
            ..Capabilities::default()
        }
    }

    #[test]
    fn sizes_within_the_limits() {
        let missing = |size| missing_group_size(size, &capable());
        assert_eq!(missing([256, 1, 1]), None);
        assert_eq!(missing([2, 2, 64]), None);
        let many = "the device lacks work groups of more than 256 invocations";
        assert_eq!(missing([16, 17, 1]).as_deref(), Some(many));
        assert_eq!(missing([u32::MAX; 3]).as_deref(), Some(many));
        let long = "the device lacks work groups larger than [256, 256, 64]";
        assert_eq!(missing([1, 1, 65]).as_deref(), Some(long));
    }

    #[test]
    fn modules_declare_their_size() {
        let compile = |size: &str| {
            let text = format!("!!NVcp5.0\nGROUP_SIZE {size};\nEND\n");
            let source = glasm::Source::new("test", text.as_bytes());
            glasm::compile(&source, &glasm::Options::default())
                .unwrap()
                .words
        };
        let missing = |words: &[u32]| missing_for_module(Stage::Compute, words, &capable());
        assert_eq!(missing(&compile("8 8 4")), None);
        assert!(missing(&compile("512")).is_some());
        assert_eq!(
            missing_for_module(Stage::Fragment, &compile("512"), &capable()),
            None
        );
        for words in [
            &[][..],
            &[1, 2, 3],
            &[0, 0, 0, 0, 0, 0],
            &[0, 0, 0, 0, 0, 0x9_0010],
        ] {
            assert_eq!(missing(words), None);
        }
    }

    #[test]
    fn commands_ask_for_groups() {
        let missing = |command: &str| {
            let text = format!("[test]\n{command}\n");
            missing_for_commands(&Script::parse(text.as_bytes()).unwrap(), &capable())
        };
        assert_eq!(missing("compute 65535 1 1 group 256 1 1"), None);
        let many = "the device lacks more than [65535, 65535, 65535] work groups";
        assert_eq!(missing("compute 1 65536 1").as_deref(), Some(many));
        let large = "the device lacks work groups of more than 256 invocations";
        assert_eq!(
            missing("compute 1 1 1 group 1 257 1").as_deref(),
            Some(large)
        );
    }
}
