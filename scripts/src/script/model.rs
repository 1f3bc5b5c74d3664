//! Parsed scripts, to the extent that they do not depend on a device.

use super::command::{
    BindTarget, BufferDecl, BufferId, BufferKey, BufferKind, Command, ParamValue, Step,
};
use super::requirements::Requirements;
use super::section::{ProgramSection, Spare};
use super::vertex_data::VertexData;
use ash::vk::{PolygonMode, PrimitiveTopology};
use glasm::TransformFeedback;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Script, ready to run.
#[derive(Clone, PartialEq, Debug)]
pub struct Script {
    /// Text of the script.
    pub text: Arc<[u8]>,
    /// Requirements on the device and the framebuffer.
    pub requirements: Requirements,
    /// Programs of the stages, in the order of the script; a stage has several only in GLSL.
    pub programs: Vec<ProgramSection>,
    /// Programs that commands load.
    pub spares: Vec<Spare>,
    /// Vertices; `None` without such a section.
    pub vertex_data: Option<VertexData>,
    /// Numbers of `[indices]`.
    pub indices: Vec<u32>,
    /// Buffers with their final sizes; a [`BufferId`] is an index into it.
    pub buffers: Vec<BufferDecl>,
    /// Bytes of push constants.
    pub push_size: u32,
    /// Names of entry points, `main` first.
    pub entry_names: Vec<String>,
    /// Names of parameters that commands set or probe.
    pub param_names: Vec<String>,
    /// Outputs that are captured.
    pub feedback: TransformFeedback,
    /// Commands, in order.
    pub steps: Vec<Step>,
}

impl Script {
    /// Returns true if a command concerns the framebuffer.
    pub fn uses_framebuffer(&self) -> bool {
        self.steps.iter().any(|step| {
            matches!(
                &step.command,
                Command::Clear(_)
                    | Command::Draw(_)
                    | Command::ProbePixels(_)
                    | Command::SaveImage { .. }
            )
        })
    }

    /// Returns true if a draw generates points.
    pub fn draws_points(&self) -> bool {
        self.steps.iter().any(|step| {
            matches!(&step.command, Command::Draw(draw)
                if draw.topology == PrimitiveTopology::POINT_LIST || draw.state.polygon_mode == PolygonMode::POINT)
        })
    }

    /// Returns the buffers that vertices are captured into.
    pub fn captured_buffers(&self) -> BTreeSet<BufferId> {
        let is_feedback = |decl: &BufferDecl| {
            matches!(
                decl.key,
                BufferKey::Bound {
                    kind: BufferKind::Feedback,
                    ..
                }
            )
        };
        let own = self.buffers.iter().zip(0..);
        let own = own.filter(|(decl, _)| is_feedback(decl));
        let mut found: BTreeSet<BufferId> = own.map(|(_, index)| BufferId(index)).collect();
        for step in &self.steps {
            if let Command::BindBuffer { target, range } = &step.command
                && target.kind() == BufferKind::Feedback
            {
                found.insert(range.buffer);
            }
        }
        found
    }

    /// Returns all bindings to which the script binds buffers.
    pub fn bind_targets(&self) -> Vec<BindTarget> {
        let own = self.buffers.iter().filter_map(|decl| match decl.key {
            BufferKey::Bound { kind, set, binding } => {
                Some(BindTarget::Bound { kind, set, binding })
            }
            BufferKey::Named(_) => None,
        });
        let bound = self.steps.iter().filter_map(|step| {
            if let Command::BindBuffer { target, .. } = &step.command {
                Some(*target)
            } else {
                None
            }
        });
        let mut seen = HashSet::new();
        own.chain(bound)
            .filter(|target| seen.insert(*target))
            .collect()
    }

    /// Returns the buffers whose address is used by a command.
    pub fn addressed_buffers(&self) -> BTreeSet<BufferId> {
        let mut found = BTreeSet::new();
        for step in &self.steps {
            if let Command::Parameter {
                value: ParamValue::Addresses(addresses),
                ..
            }
            | Command::BufferAddresses { addresses, .. } = &step.command
            {
                found.extend(addresses.iter().map(|address| address.buffer));
            }
        }
        found
    }

    /// Returns the lengths of the arrays that handles index: an element for every unit that the
    /// script uses.
    pub fn handle_limits(&self) -> glasm::HandleLimits {
        let mut limits = glasm::HandleLimits {
            textures: 1,
            images: 1,
        };
        for step in &self.steps {
            if let Command::Texture { unit, .. } = &step.command {
                limits.textures = limits.textures.max(unit + 1);
            } else if let Command::Image { key, .. } | Command::BindImage { place: key, .. } =
                &step.command
                && let Some(unit) = key.unit()
            {
                limits.images = limits.images.max(unit + 1);
            }
        }
        limits
    }
}
