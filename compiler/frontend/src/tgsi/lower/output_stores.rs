//! Results that have another form in Vulkan: single distances and levels, clip planes, positions in
//! the window.

use super::emitter::Emitter;
use super::inst::splat;
use super::operand::OperandLowerer;
use crate::lower::op_builder::OpBuilder;
use crate::source::TgsiOptions;
use crate::tgsi::checked::{CheckedInst, OutputDecl, RelatedOutputs, TempStorage, WrittenOutputs};
use crate::tgsi::properties::Properties;
use crate::tgsi::semantics::OutputTarget;
use glasm_ir::types::Type;
use glasm_ir::{Op, RegisterId, Semantic, Stage, StateParam, Storage, Swizzle, WriteMask};

/// Lowers written outputs to the outputs that the device has instead.
pub(super) struct OutputStores<'r> {
    emitter: &'r mut Emitter,
    /// Output registers by their numbers.
    outputs: &'r [Option<OutputDecl>],
    related: &'r RelatedOutputs,
    properties: &'r Properties,
    stage: Stage,
    options: &'r TgsiOptions,
}

impl<'r> OutputStores<'r> {
    /// Returns the context that stores outputs.
    pub(super) fn new(operands: &'r mut OperandLowerer<'_>) -> Self {
        Self {
            emitter: &mut operands.emitter,
            outputs: &operands.program.output_registers,
            related: &operands.program.related_outputs,
            properties: &operands.properties,
            stage: operands.stage,
            options: operands.options,
        }
    }
}

impl OutputStores<'_> {
    /// Copies the components of the outputs that an instruction has written to the outputs of the
    /// device.
    pub(super) fn store_device_outputs(&mut self, inst: &CheckedInst) {
        let (numbers, mask) = match inst.written_outputs {
            WrittenOutputs::None => return,
            WrittenOutputs::Register(number) => (number..number + 1, inst.mask),
            WrittenOutputs::Array { first, len } => (first..first + len, WriteMask::XYZW),
        };
        for number in numbers {
            if let Some(&Some(row)) = self.outputs.get(number as usize) {
                self.store_device_output(row, mask.0);
            }
        }
    }

    /// Stores the lanes of a register as clip or cull distances `first` to `first + 3`.
    fn store_distances(&mut self, storage: TempStorage, mask: u8, first: u8) {
        let semantics = [0, 1, 2, 3].map(|lane| self.properties.distance_semantic(first + lane));
        self.store_separate_outputs(storage, mask, |lane| semantics[usize::from(lane)]);
    }

    /// Copies the components in `mask` of a written output to the outputs of the device that
    /// replace it. Outputs that the device has in the same form need no copy.
    fn store_device_output(&mut self, decl: OutputDecl, mask: u8) {
        // Components that are not declared are not outputs of the device.
        let mask = mask & decl.write_mask.0;
        match decl.target {
            OutputTarget::Output(Semantic::Position, _) => self.store_position(decl.storage),
            OutputTarget::Output(Semantic::Layer | Semantic::ViewportIndex, _)
                if self.properties.layer_viewport_relative =>
            {
                self.store_viewport_layer();
            }
            OutputTarget::Output(..) | OutputTarget::Dropped => {}
            OutputTarget::Distances(first) => self.store_distances(decl.storage, mask, first),
            OutputTarget::CullDistances(first) => {
                self.store_separate_outputs(decl.storage, mask, |lane| {
                    Some(Semantic::CullDistance(first + lane))
                });
            }
            OutputTarget::OuterLevels => {
                self.store_separate_outputs(decl.storage, mask, |lane| {
                    Some(Semantic::TessLevelOuter(lane))
                });
            }
            OutputTarget::InnerLevels => {
                // Patches have two inner levels.
                let first_two = mask & 0b0011;
                self.store_separate_outputs(decl.storage, first_two, |lane| {
                    Some(Semantic::TessLevelInner(lane))
                });
            }
            OutputTarget::ClipVertex => {
                self.store_clip_plane_distances(decl.storage);
                self.store_clip_vertex(decl.storage);
            }
        }
    }

    /// Computes the layer that a primitive is rendered to, counted from the number of its viewport.
    fn store_viewport_layer(&mut self) {
        let places = [self.related.layer, self.related.viewport];
        let register = self.emitter.get_output_register(Semantic::Layer);
        let [layer, viewport] = places.map(|place| match place {
            Some(place) => splat(self.emitter.make_storage_source(place), 0),
            None => self.emitter.splat_word(0),
        });
        let sources = [layer, viewport];
        self.emitter
            .emit_to_register(register, WriteMask::X, Op::Add, Type::U32, &sources);
    }

    /// Copies each component of a temporary to lane x of a separate output.
    fn store_separate_outputs(
        &mut self,
        storage: TempStorage,
        mask: u8,
        semantic: impl Fn(u8) -> Option<Semantic>,
    ) {
        for lane in (0..4).filter(|lane| mask >> lane & 1 != 0) {
            let Some(semantic) = semantic(lane) else {
                continue;
            };
            let register = self.emitter.get_output_register(semantic);
            let source = splat(self.emitter.make_storage_source(storage), lane);
            self.emitter
                .emit_to_register(register, WriteMask::X, Op::Mov, Type::F32, &[source]);
        }
    }

    /// Emits the distances of a position from the user clip planes, unless the program itself
    /// writes clip distances.
    fn store_clip_plane_distances(&mut self, storage: TempStorage) {
        let planes = self.options.clip_plane_mask;
        // Distances of the program replace those of the planes.
        if self.properties.disables_clip_planes || self.related.has_clip_distances {
            return;
        }
        for plane in (0..8).filter(|plane| planes >> plane & 1 != 0) {
            let coefficients = self.emitter.get_state_source(StateParam::ClipPlane(plane));
            let register = self
                .emitter
                .get_output_register(Semantic::ClipDistance(plane as u8));
            let sources = [coefficients, self.emitter.make_storage_source(storage)];
            self.emitter
                .emit_to_register(register, WriteMask::X, Op::Dp4, Type::F32, &sources);
        }
    }

    /// Stores the clip vertex as an output for the next stage, unless only rasterization follows.
    fn store_clip_vertex(&mut self, storage: TempStorage) {
        if matches!(self.stage, Stage::Vertex | Stage::TessEval) {
            let register = self.emitter.get_output_register(Semantic::ClipVertex);
            let source = self.emitter.make_storage_source(storage);
            self.emitter
                .emit_to_register(register, WriteMask::XYZW, Op::Mov, Type::F32, &[source]);
        }
    }

    /// Stores the position to the output of the device: with distances to user clip planes, and
    /// converted from window coordinates where the program has those.
    fn store_position(&mut self, storage: TempStorage) {
        // Planes clip by CLIPVERTEX where a program has one, else by the position.
        if self.options.clip_plane_mask != 0
            && !self.related.has_clip_vertex
            && !self.properties.window_space_position
        {
            self.store_clip_plane_distances(storage);
        }
        if self.stage == Stage::Fragment {
            return;
        }
        let (TempStorage::Register(aside) | TempStorage::ArrayElement(aside, _)) = storage;
        // The register is the output itself: no temporary was used.
        if self.emitter.builder.program.registers[aside].storage != Storage::Temp {
            return;
        }
        let register = self.emitter.get_output_register(Semantic::Position);
        if self.properties.window_space_position {
            self.convert_window_to_clip(storage, register)
        } else {
            let source = self.emitter.make_storage_source(storage);
            self.emitter
                .emit_to_register(register, WriteMask::XYZW, Op::Mov, Type::F32, &[source]);
        }
    }

    /// Converts a window position, whose w is 1/w, to clip coordinates: the inverse of the viewport
    /// and the division.
    fn convert_window_to_clip(&mut self, storage: TempStorage, register: RegisterId) {
        // x, y, width and height; then near, far and their difference.
        let viewport = self.emitter.get_state_source(StateParam::Viewport);
        let depths = self.emitter.get_state_source(StateParam::DepthRange);
        let source = self.emitter.make_storage_source(storage);
        let two = self.emitter.splat_float(2.0);
        // Clip coordinates are divided by w later, so each is multiplied by it here.
        let w = self
            .emitter
            .compute(Op::Rcp, Type::F32, &[splat(source, 3)]);
        let from = self
            .emitter
            .compute(Op::Sub, Type::F32, &[source, viewport]);
        let size = viewport.swizzled(Swizzle::new([2, 3, 2, 3]));
        let part = self.emitter.compute(Op::Div, Type::F32, &[from, size]);
        let minus = self.emitter.splat_float(-1.0);
        let unit = self
            .emitter
            .compute(Op::Mad, Type::F32, &[part, two, minus]);
        self.emitter
            .emit_to_register(register, WriteMask(0b0011), Op::Mul, Type::F32, &[unit, w]);
        let near = self
            .emitter
            .compute(Op::Sub, Type::F32, &[source, splat(depths, 0)]);
        let depth = self
            .emitter
            .compute(Op::Div, Type::F32, &[splat(near, 2), splat(depths, 2)]);
        self.emitter
            .emit_to_register(register, WriteMask(0b0100), Op::Mul, Type::F32, &[depth, w]);
        self.emitter
            .emit_to_register(register, WriteMask(0b1000), Op::Mov, Type::F32, &[w]);
    }
}
