//! Stage inputs: variables and loads.

use super::builtin::{BuiltinRow, builtin_input, is_thread_number, is_unknown, thread_value};
use super::vars::{Io, base_scalar, reflected};
use crate::builder::{Home, Lane, Scalar};
use crate::capability::{Need, check_subgroups};
use crate::error::{Error, Failure};
use crate::reflect::InterfaceVariable;
use crate::varyings::clip_planes;
use crate::varyings::varying_location;
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::semantic::Interpolation;
use glasm_ir::{InputId, Semantic, Stage, Width};
use spirv::{BuiltIn, Decoration, Op, StorageClass};

impl Io<'_> {
    /// The lanes of an input.
    pub(crate) fn input(&mut self, id: InputId) -> Result<[Lane; 4], Failure> {
        if let Some(lanes) = self.vars.inputs.loaded[id.index()].lanes {
            return Ok(lanes);
        }
        if self.program.inputs[id].per_vertex {
            return Err(Error::unsupported(
                "per-vertex inputs are not supported yet",
            ));
        }
        let lanes = self.load_input(id)?;
        self.vars.inputs.loaded[id.index()].lanes = Some(lanes);
        Ok(lanes)
    }

    fn load_input(&mut self, id: InputId) -> Result<[Lane; 4], Failure> {
        let input = self.program.inputs[id];
        let (zero, one) = (self.w.float(0.0), self.w.float(1.0));
        let pad = [zero, zero, zero, one].map(Lane::scalar);
        match (input.semantic, self.program.stage) {
            (Semantic::Attrib(_), Stage::Vertex) if input.width == Width::W64 => {
                Ok(self.load_wide(id))
            }
            // Vulkan wants the type of the format that the caller binds. Lanes are bits, so the program need not declare that type.
            (Semantic::Attrib(number), Stage::Vertex) => {
                let declared = self
                    .options
                    .interface
                    .attributes
                    .get(number as usize)
                    .copied();
                let scalar = base_scalar(declared.unwrap_or(input.base));
                let value = self.load_location(id, u32::from(number), scalar);
                Ok(Lane::all_of(value))
            }
            (Semantic::WorkgroupSize, _) => {
                let size = self.workgroup_size().map(Lane::scalar);
                let one = Lane::scalar(self.w.uint(1));
                Ok([size[0], size[1], size[2], one])
            }
            (Semantic::ClipDistance(plane), Stage::Fragment) => {
                let value = self.load_clip_distance(plane);
                Ok([Lane::scalar(value), pad[1], pad[2], pad[3]])
            }
            (semantic, _) if is_unknown(self.options, semantic) => {
                let zero = Lane::scalar(self.w.uint(0));
                let one = Lane::scalar(self.w.uint(1));
                Ok([zero, zero, zero, one])
            }
            (semantic, stage) => match builtin_input(stage, semantic) {
                Some(row) => self.load_builtin(id, row),
                None => self.load_varying(id, pad),
            },
        }
    }

    /// What the stage before writes; `pad` is what it gives where that is nothing.
    fn load_varying(&mut self, id: InputId, pad: [Lane; 4]) -> Result<[Lane; 4], Failure> {
        let semantic = self.program.inputs[id].semantic;
        let stage = self.program.stage;
        if stage != Stage::Fragment || varying_location(semantic).is_none() {
            return Err(Error::unsupported(format!(
                "{semantic:?} is no input of {} programs",
                stage.name()
            )));
        }
        if self.is_point_sprite(semantic) {
            let [s, t] = self.point_coordinate();
            return Ok([s, t, pad[2], pad[3]]);
        }
        // The stage before is known, and does not write it. NV_vertex_program section 2.14.1.5.
        let Some(location) = self.options.interface.inputs.location(semantic) else {
            return Ok(pad);
        };
        self.check_location(id)?;
        let value = self.load_location(id, location, Scalar::F32);
        if let Semantic::Color(number) = semantic
            && self.options.fixed.two_sided_color
        {
            return Ok(self.two_sided_color(id, number, value));
        }
        // Fog coordinates are (f, 0, 0, 1): ARB_fragment_program section 3.11.3.1.
        Ok(if semantic == Semantic::FogCoord {
            [Lane::of(value, 0), pad[1], pad[2], pad[3]]
        } else {
            Lane::all_of(value)
        })
    }

    fn load_clip_distance(&mut self, plane: u8) -> ValueWord {
        self.w.needs.insert(Need::ClipDistance);
        let float = self.w.ty(Scalar::F32, 1);
        if !self.vars.inputs.clip_distances.is_some() {
            let len = self.w.uint(clip_planes(
                self.program.inputs.iter().map(|input| input.semantic),
            ));
            let array = self.w.declare_type(Op::TypeArray, &[float.0, len.0]);
            self.vars.inputs.clip_distances = self.variable(StorageClass::Input, array);
            self.w.decorate(
                self.vars.inputs.clip_distances,
                Decoration::BuiltIn,
                &[BuiltIn::ClipDistance as u32],
            );
        }
        let pointer_ty = self.w.pointer(StorageClass::Input, float);
        let index = self.w.uint(u32::from(plane));
        let pointer = self.w.object();
        self.w.prologue.result(
            Op::AccessChain,
            pointer_ty,
            pointer,
            &[self.vars.inputs.clip_distances.0, index.0],
        );
        self.w
            .derive(Home::Prologue, Op::Load, Scalar::F32, 1, &[pointer.0])
    }

    fn load_builtin(&mut self, id: InputId, row: BuiltinRow) -> Result<[Lane; 4], Failure> {
        let input = self.program.inputs[id];
        self.need_builtin(row)?;
        if !self.vars.inputs.loaded[id.index()].variable.is_some() {
            self.vars.reflected.inputs.push(InterfaceVariable {
                semantic: input.semantic,
                location: None,
                scalar: reflected(row.scalar),
                components: row.size,
                interpolation: Interpolation::Flat,
                half: None,
            });
        }
        let (variable, value) = self.load_builtin_value(row);
        self.vars.inputs.loaded[id.index()].variable = variable;
        let (zero, one) = if row.scalar == Scalar::F32 {
            (self.w.float(0.0), self.w.float(1.0))
        } else {
            (self.w.uint(0), self.w.uint(1))
        };
        let mut lanes = [zero, zero, zero, one].map(Lane::scalar);
        for (lane, place) in lanes[..row.size as usize].iter_mut().enumerate() {
            *place = Lane::of(value, lane);
        }
        if input.semantic == Semantic::FullyCovered {
            // As an integer lane the truth value would be -1; full coverage is 1.
            let operands = [value.0, self.w.uint(1).0, self.w.uint(0).0];
            let number = self
                .w
                .derive(Home::Prologue, Op::Select, Scalar::U32, 1, &operands);
            lanes[0] = Lane::scalar(number);
        } else if input.semantic == Semantic::Facing {
            // NV_fragment_program2 section 3.11.3.1 has (f, 0, 0, 1); NV_fragment_program4 leaves all but x undefined.
            let (front, back) = (self.w.float(1.0), self.w.float(-1.0));
            let operands = [value.0, front.0, back.0];
            let facing = self
                .w
                .derive(Home::Prologue, Op::Select, Scalar::F32, 1, &operands);
            let pad = [self.w.float(0.0), self.w.float(1.0)].map(Lane::scalar);
            lanes = [Lane::scalar(facing), pad[0], pad[0], pad[1]];
        } else if input.semantic == Semantic::Position {
            self.move_window_position(&mut lanes);
        } else if input.semantic == Semantic::PointCoord {
            [lanes[0], lanes[1]] = self.point_coordinate();
        } else if is_thread_number(input.semantic) {
            lanes[0] = Lane::scalar(thread_value(self.w, input.semantic, value));
        } else if input.semantic == Semantic::InstanceId
            && self.options.device.draw_parameters
            && !self.options.conventions.instances_from_zero
        {
            // Vulkan counts from the base instance, the languages from 0.
            self.w.needs.insert(Need::DrawParameters);
            let base_row = BuiltinRow {
                builtin: BuiltIn::BaseInstance,
                ..row
            };
            let (_, base) = self.load_builtin_value(base_row);
            let operands = [value.0, base.0];
            let number = self
                .w
                .derive(Home::Prologue, Op::ISub, Scalar::U32, 1, &operands);
            lanes[0] = Lane::scalar(number);
        }
        Ok(lanes)
    }

    /// The variable of a fragment input that has been loaded, if the value depends on the place where it is evaluated.
    pub(crate) fn interpolant(&self, id: InputId) -> Option<ValueWord> {
        let input = self.program.inputs[id];
        let is_flat =
            self.options.fixed.flat_colors && matches!(input.semantic, Semantic::Color(_));
        let varies = varying_location(input.semantic).is_some()
            && !is_flat
            && !self.is_point_sprite(input.semantic)
            && input.interpolation != Interpolation::Flat
            && self.program.stage == Stage::Fragment;
        let variable = self.vars.inputs.loaded[id.index()].variable;
        (varies && variable.is_some()).then_some(variable)
    }

    /// Notes what a built-in needs, if the device has it.
    fn need_builtin(&mut self, row: BuiltinRow) -> Result<(), Failure> {
        let Some(need) = row.need else { return Ok(()) };
        if need == Need::Group {
            check_subgroups(&self.options.device, self.program.stage)?;
        }
        self.w.needs.require(&self.options.device, need)
    }
}
