//! Requirements of the buffers of a script and its transform feedback on a device.

use super::capabilities::Capabilities;
use glasm_scripts::script::{
    BindTarget, BufferKey, BufferKind, CaptureCount, Command, ProgramForm, Script,
};

/// Returns the requirement of transform feedback that the device does not meet: feature, buffer,
/// stream, bytes for a vertex, or counts of primitives; `None` if it meets all, or if the script
/// captures nothing.
pub(super) fn missing_feedback(script: &Script, capabilities: &Capabilities) -> Option<String> {
    let limits = capabilities.feedback;
    let mut feature = (!script.captured_buffers().is_empty()).then_some("transformFeedback");
    let (mut stream, mut buffer, mut counts) = (0, 0, false);
    for step in &script.steps {
        if matches!(step.command, Command::BeginCapture) {
            feature = Some("transformFeedback");
        } else if let Command::ProbeCapture { count, .. } = &step.command {
            match count {
                CaptureCount::Primitives { stream: probed }
                | CaptureCount::Needed { stream: probed } => {
                    (stream, counts) = (stream.max(*probed), true)
                }
                CaptureCount::Bytes { buffer: probed } => buffer = buffer.max(*probed),
            }
        } else if let Command::BindBuffer { target, .. } = &step.command
            && let BindTarget::Descriptor {
                kind: BufferKind::Feedback,
                binding,
                ..
            } = target
        {
            buffer = buffer.max(*binding);
        }
    }
    for decl in &script.buffers {
        if let BufferKey::Descriptor {
            kind: BufferKind::Feedback,
            binding,
            ..
        } = decl.key
        {
            buffer = buffer.max(binding);
        }
    }
    for capture in &script.feedback.captures {
        (stream, buffer) = (stream.max(capture.stream), buffer.max(capture.buffer));
    }
    if stream > 0 {
        feature = feature.map(|_| "geometryStreams");
    }
    let stride = (0..=buffer)
        .map(|buffer| script.feedback.stride(buffer))
        .max();
    let stride = stride.unwrap_or(0);
    let lacks = |what: String| Some(format!("the device lacks {what}"));
    match feature {
        None => None,
        Some(feature) if !capabilities.has_feature(feature) => lacks(feature.to_owned()),
        Some(_) if buffer >= limits.buffers.max_count => {
            lacks(format!("transform feedback buffer {buffer}"))
        }
        Some(_) if stream >= limits.max_streams => lacks(format!("vertex stream {stream}")),
        Some(_) if stride > limits.max_stride => {
            lacks(format!("transform feedback of {stride} bytes for a vertex"))
        }
        Some(_) if counts && !limits.counts_primitives => {
            lacks("transformFeedbackQueries".to_owned())
        }
        Some(_) => None,
    }
}

/// Returns the reason why the script binds more uniform or storage buffers than a stage of the
/// device has. Only checked for scripts with modules of other compilers, which access all buffers;
/// `None` for others.
pub(super) fn excess_buffers(script: &Script, capabilities: &Capabilities) -> Option<String> {
    let is_plain = |form| match form {
        ProgramForm::Glsl | ProgramForm::SpirvText | ProgramForm::SpirvWords => true,
        ProgramForm::Assembly
        | ProgramForm::Ir
        | ProgramForm::PassThrough
        | ProgramForm::FixedFunction => false,
    };
    if !script.programs.iter().any(|program| is_plain(program.form)) {
        return None;
    }
    let count = |kind| {
        let targets = script.bind_targets();
        targets
            .iter()
            .filter(|target| target.kind() == kind)
            .count()
    };
    for (kind, limits, what) in [
        (BufferKind::Uniform, capabilities.uniform_buffers, "uniform"),
        (BufferKind::Storage, capabilities.storage_buffers, "storage"),
    ] {
        if count(kind) > limits.max_count as usize {
            let max = limits.max_count;
            return Some(format!(
                "the device lacks more than {max} {what} buffers in a stage"
            ));
        }
    }
    None
}

/// Returns the limit that a bound buffer violates by its size or the alignment of its start, in
/// bytes; `None` if there is none. Checks the buffers that are named after a bind target, and the
/// ranges of all `bind buffer` commands.
pub(super) fn missing_buffer_limit(script: &Script, capabilities: &Capabilities) -> Option<String> {
    let named_bindings = script.buffers.iter().filter_map(|decl| match decl.key {
        BufferKey::Descriptor { kind, .. } => Some((kind, 0, decl.size)),
        BufferKey::Named(_) => None,
    });
    let bound = script.steps.iter().filter_map(|step| {
        let Command::BindBuffer { target, range } = &step.command else {
            return None;
        };
        let rest = script.buffers[range.buffer.0].size - range.offset;
        Some((target.kind(), range.offset, range.size.unwrap_or(rest)))
    });
    for (kind, offset, size) in named_bindings.chain(bound) {
        let (limits, what) = match kind {
            BufferKind::Uniform => (capabilities.uniform_buffers, "uniform"),
            BufferKind::Storage | BufferKind::AtomicCounter => {
                (capabilities.storage_buffers, "storage")
            }
            BufferKind::Feedback => (capabilities.feedback.buffers, "transform feedback"),
        };
        if size > limits.max_size {
            let max = limits.max_size;
            return Some(format!(
                "the device lacks {what} buffers larger than {max} bytes"
            ));
        }
        if !offset.is_multiple_of(limits.alignment.max(1)) {
            let alignment = limits.alignment;
            return Some(format!(
                "the device lacks {what} buffers at offsets that are no multiples of {alignment} bytes"
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::tests::{capable, reason};
    use super::super::{BufferLimits, FeedbackLimits, skip_reason};
    use super::*;

    #[test]
    fn captures_need_features_and_limits() {
        let mut device = capable();
        let reason = |device: &Capabilities, test: &str| {
            let script = Script::parse(format!("[test]\n{test}\n").as_bytes()).unwrap();
            skip_reason(&script, device)
        };
        let lacks = |what: &str| Some(format!("the device lacks {what}"));
        let buffer = "xfb 1 size 64";
        assert_eq!(reason(&device, buffer), lacks("transformFeedback"));
        assert_eq!(
            reason(&device, "buffer b size 4\nbind xfb 0 b"),
            lacks("transformFeedback")
        );
        device.features.insert("transformFeedback");
        device.feedback = FeedbackLimits {
            buffers: BufferLimits {
                max_size: 1024,
                alignment: 4,
                max_count: 2,
            },
            max_streams: 3,
            max_stride: 128,
            counts_primitives: false,
        };
        assert_eq!(reason(&device, buffer), None);
        for (test, what) in [
            ("xfb 2 size 64", "transform feedback buffer 2"),
            (
                "xfb 0 size 2048",
                "transform feedback buffers larger than 1024 bytes",
            ),
            (
                "xfb 0 size 64\nxfb stride 0 132",
                "transform feedback of 132 bytes for a vertex",
            ),
            (
                "xfb 0 size 64\nprobe xfb primitives == 0",
                "transformFeedbackQueries",
            ),
            (
                "xfb 0 size 64\nprobe xfb needed stream 1 == 0",
                "geometryStreams",
            ),
        ] {
            assert_eq!(reason(&device, test), lacks(what), "{test}");
        }
        device.features.insert("geometryStreams");
        device.feedback.counts_primitives = true;
        assert_eq!(
            reason(&device, "xfb 0 size 64\nprobe xfb needed stream 3 == 0"),
            lacks("vertex stream 3")
        );
        assert_eq!(
            reason(&device, "xfb 0 size 64\nprobe xfb needed stream 2 == 0"),
            None
        );
    }

    #[test]
    fn plain_modules_see_all_buffers() {
        let buffers: String = (0..9).map(|n| format!("ssbo {n} size 4\n")).collect();
        let shader = "[compute shader]\nvoid main() {}\n";
        assert_eq!(
            reason(&format!("{shader}[test]\n{buffers}")).as_deref(),
            Some("the device lacks more than 8 storage buffers in a stage")
        );
        assert_eq!(reason(&format!("[test]\n{buffers}")), None);
    }
}
