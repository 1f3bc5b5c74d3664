//! Results that have another form in Vulkan: single distances and levels, clip planes, positions in
//! the window.

use crate::lower::formula::Formulas;
use crate::source::TgsiOptions;
use crate::tgsi::lower::emitter::Emitter;
use crate::tgsi::modes::Properties;
use crate::tgsi::operand::TgsiResolver;
use crate::tgsi::operand::{Target, splat};
use crate::tgsi::semantics::{Name, Sink};
use crate::tgsi::symbols::Declared;
use crate::tgsi::symbols::{OutputRow, TempPlace, row};
use glasm_ir::types::Type;
use glasm_ir::{Op, RegisterId, Semantic, Stage, StateParam, Storage, Swizzle, WriteMask};

/// Lowers written outputs to the outputs that the device has instead.
pub(in crate::tgsi) struct Outputs<'r> {
    emit: &'r mut Emitter,
    declared: &'r Declared,
    properties: &'r Properties,
    stage: Stage,
    options: &'r TgsiOptions,
}

impl<'r> Outputs<'r> {
    /// Returns the context of outputs.
    pub(in crate::tgsi) fn new(cx: &'r mut TgsiResolver<'_>) -> Self {
        Self {
            emit: &mut cx.emit,
            declared: &cx.declared,
            properties: &cx.properties,
            stage: cx.check.stage,
            options: cx.check.options,
        }
    }
}

impl Outputs<'_> {
    /// Copies the components of an output to the outputs of the device after a write.
    #[inline]
    pub(in crate::tgsi) fn spread(&mut self, target: &Target) {
        match target.register.number.known() {
            Some(number) => {
                if let Some(row) = row(&self.declared.outputs, number as usize) {
                    self.spread_row(row, target.mask.0);
                }
            }
            // Any of the array may have been written.
            None => {
                let Some(array) = self.declared.array_of_output(target.register.number) else {
                    return;
                };
                for number in array.first..array.first + array.len {
                    if let Some(row) = row(&self.declared.outputs, number as usize) {
                        self.spread_row(row, WriteMask::XYZW.0);
                    }
                }
            }
        }
    }

    /// Stores the lanes of a register as clip or cull distances `first` to `first + 3`.
    #[inline]
    fn store_distances(&mut self, place: TempPlace, mask: u8, first: u8) {
        let semantics = [0, 1, 2, 3].map(|lane| self.properties.distance(first + lane));
        self.single(place, mask, |lane| semantics[usize::from(lane)]);
    }

    fn spread_row(&mut self, row: OutputRow, mask: u8) {
        // Components that are not declared are not outputs of the device.
        let mask = mask & row.usage.0;
        match row.sink {
            Sink::Output(Semantic::Position, _) => self.spread_position(row.place),
            Sink::Output(Semantic::Layer | Semantic::ViewportIndex, _)
                if self.properties.layer_of_viewport =>
            {
                self.layer_of_viewport();
            }
            Sink::Output(..) | Sink::Dropped => {}
            Sink::Distances(first) => self.store_distances(row.place, mask, first),
            Sink::CullDistances(first) => {
                self.single(row.place, mask, |lane| {
                    Some(Semantic::CullDistance(first + lane))
                });
            }
            Sink::OuterLevels => {
                self.single(row.place, mask, |lane| Some(Semantic::TessOuter(lane)));
            }
            Sink::InnerLevels => {
                // Patches have two inner levels.
                let first_two = mask & 0b0011;
                self.single(row.place, first_two, |lane| Some(Semantic::TessInner(lane)));
            }
            Sink::ClipVertex => {
                self.clip_planes(row.place);
                self.pass_clip_vertex(row.place);
            }
        }
    }

    /// Computes the layer that a primitive is rendered to, counted from the number of its viewport.
    fn layer_of_viewport(&mut self) {
        let place = |semantic: Semantic| {
            let mut rows = self.declared.outputs.iter().flatten();
            let is_it =
                |row: &&OutputRow| matches!(row.sink, Sink::Output(it, _) if it == semantic);
            rows.find(is_it).map(|row| row.place)
        };
        let places = [Semantic::Layer, Semantic::ViewportIndex].map(place);
        let register = self.emit.output_register(Semantic::Layer);
        let [layer, viewport] = places.map(|place| match place {
            Some(place) => splat(self.emit.place(place), 0),
            None => self.emit.word(0),
        });
        let sources = [layer, viewport];
        self.emit
            .put(register, WriteMask::X, Op::Add, Type::U32, &sources);
    }

    /// Copies each component of a temporary to lane x of a separate output.
    fn single(&mut self, place: TempPlace, mask: u8, semantic: impl Fn(u8) -> Option<Semantic>) {
        for lane in (0..4).filter(|lane| mask >> lane & 1 != 0) {
            let Some(semantic) = semantic(lane) else {
                continue;
            };
            let register = self.emit.output_register(semantic);
            let source = splat(self.emit.place(place), lane);
            self.emit
                .put(register, WriteMask::X, Op::Mov, Type::F32, &[source]);
        }
    }

    /// Computes the distances of a vector from the user clip planes.
    fn clip_planes(&mut self, place: TempPlace) {
        let planes = self.options.clip_planes;
        let mut rows = self.declared.outputs.iter().flatten();
        let clips = rows.any(|row| row.name == Name::ClipDistance);
        // Distances of the program replace those of the planes.
        if self.properties.prohibits_planes || clips {
            return;
        }
        for plane in (0..8).filter(|plane| planes >> plane & 1 != 0) {
            let coefficients = self.emit.state(StateParam::ClipPlane(plane));
            let register = self
                .emit
                .output_register(Semantic::ClipDistance(plane as u8));
            let sources = [coefficients, self.emit.place(place)];
            self.emit
                .put(register, WriteMask::X, Op::Dp4, Type::F32, &sources);
        }
    }

    /// Writes the vector for the next stage, unless only rasterization follows.
    fn pass_clip_vertex(&mut self, place: TempPlace) {
        if matches!(self.stage, Stage::Vertex | Stage::TessEval) {
            let register = self.emit.output_register(Semantic::ClipVertex);
            let source = self.emit.place(place);
            self.emit
                .put(register, WriteMask::XYZW, Op::Mov, Type::F32, &[source]);
        }
    }

    fn spread_position(&mut self, place: TempPlace) {
        let mut rows = self.declared.outputs.iter().flatten();
        let has_clip_vertex = rows.any(|row| row.sink == Sink::ClipVertex);
        // Planes clip by CLIPVERTEX where a program has one, else by the position.
        if self.options.clip_planes != 0 && !has_clip_vertex && !self.properties.window_space {
            self.clip_planes(place);
        }
        if self.stage == Stage::Fragment {
            return;
        }
        let (TempPlace::Own(aside) | TempPlace::Element(aside, _)) = place;
        // The register is the output itself: no temporary was used.
        if self.emit.builder.program.registers[aside].storage != Storage::Temp {
            return;
        }
        let register = self.emit.output_register(Semantic::Position);
        if self.properties.window_space {
            self.convert_window_to_clip(place, register)
        } else {
            let source = self.emit.place(place);
            self.emit
                .put(register, WriteMask::XYZW, Op::Mov, Type::F32, &[source]);
        }
    }

    /// Converts a window position, whose w is 1/w, to clip coordinates: the inverse of the viewport
    /// and the division.
    fn convert_window_to_clip(&mut self, place: TempPlace, register: RegisterId) {
        // x, y, width and height; then near, far and their difference.
        let viewport = self.emit.state(StateParam::Viewport);
        let depths = self.emit.state(StateParam::DepthRange);
        let source = self.emit.place(place);
        let two = self.emit.float(2.0);
        // Clip coordinates are divided by w later, so each is multiplied by it here.
        let w = self.emit.compute(Op::Rcp, Type::F32, &[splat(source, 3)]);
        let from = self.emit.compute(Op::Sub, Type::F32, &[source, viewport]);
        let size = viewport.swizzled(Swizzle::new([2, 3, 2, 3]));
        let part = self.emit.compute(Op::Div, Type::F32, &[from, size]);
        let minus = self.emit.float(-1.0);
        let unit = self.emit.compute(Op::Mad, Type::F32, &[part, two, minus]);
        self.emit
            .put(register, WriteMask(0b0011), Op::Mul, Type::F32, &[unit, w]);
        let near = self
            .emit
            .compute(Op::Sub, Type::F32, &[source, splat(depths, 0)]);
        let depth = self
            .emit
            .compute(Op::Div, Type::F32, &[splat(near, 2), splat(depths, 2)]);
        self.emit
            .put(register, WriteMask(0b0100), Op::Mul, Type::F32, &[depth, w]);
        self.emit
            .put(register, WriteMask(0b1000), Op::Mov, Type::F32, &[w]);
    }
}
