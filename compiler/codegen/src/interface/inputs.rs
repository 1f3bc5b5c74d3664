//! Stage inputs: variables and loads.

use super::builtin::{BuiltinRow, builtin_input, is_unknown, thread_value};
use super::location::are_colors_flat;
use super::vars::make_one;
use super::vars::{Io, derive_at_start, load_at_start, load_element_at_start};
use super::vertices::takes_quadrilaterals;
use crate::builder::{Lane, ModuleWriter, Scalar};
use crate::capability::{Need, check_subgroups};
use crate::error::{Error, Failure};
use crate::options::PrimitiveNumbers;
use crate::reflect::InterfaceVariable;
use crate::varyings::{Distances, Place, varying_location};
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::semantic::Interpolation;
use glasm_ir::{InputId, Semantic, Stage, Width};
use spirv::{BuiltIn, Op, StorageClass};

impl Io<'_> {
    /// Returns the lanes of an input.
    pub(crate) fn input(&mut self, id: InputId) -> Result<[Lane; 4], Failure> {
        if let Some(lanes) = self.vars.inputs.loaded[id.index()].lanes {
            return Ok(lanes);
        }
        if self.program.inputs[id].per_vertex {
            return Err(Error::unsupported(
                "an input per vertex is read without a vertex",
            ));
        }
        let lanes = self.load_input(id)?;
        self.vars.inputs.loaded[id.index()].lanes = Some(lanes);
        Ok(lanes)
    }

    fn load_input(&mut self, id: InputId) -> Result<[Lane; 4], Failure> {
        let input = self.program.inputs[id];
        let pad = self.w.float_pad();
        match (input.semantic, self.program.stage) {
            // SPIR-V has no built-in for it in this stage, because primitives have a fixed number
            // of vertices.
            (Semantic::VertexCount, Stage::Geometry) => {
                let count = self.vertex_count()?;
                let count = self.w.uint(count);
                Ok(Lane::first_of(count, 1, make_int_pad(self.w)))
            }
            (Semantic::TessOuter(number), Stage::TessEval) => {
                let value = self.load_tess_level(BuiltIn::TessLevelOuter, number);
                Ok(Lane::first_of(value, 1, pad))
            }
            (Semantic::TessInner(number), Stage::TessEval) => {
                let value = self.load_tess_level(BuiltIn::TessLevelInner, number);
                Ok(Lane::first_of(value, 1, pad))
            }
            (Semantic::Attrib(_), Stage::Vertex) if input.width == Width::W64 => {
                Ok(self.load_wide(id))
            }
            (Semantic::Attrib(number), Stage::Vertex) => Ok(self.load_attribute(id, number)),
            // Not the SPIR-V built-in: a constant with that decoration sets the size, and cannot be
            // read as an input.
            (Semantic::WorkgroupSize, _) => {
                let [x, y, z] = self.workgroup_size().map(Lane::scalar);
                Ok([x, y, z, Lane::scalar(self.w.uint(1))])
            }
            (Semantic::FragColor { buffer, index: 0 }, Stage::Fragment) => {
                Ok(Lane::all_of(self.load_attachment(id, buffer)?))
            }
            (Semantic::ClipDistance(plane), Stage::Fragment) => {
                let value = self.load_distance(Distances::Clip, u32::from(plane));
                Ok(Lane::first_of(value, 1, pad))
            }
            (Semantic::CullDistance(plane), Stage::Fragment) => {
                let value = self.load_distance(Distances::Cull, u32::from(plane));
                Ok(Lane::first_of(value, 1, pad))
            }
            (semantic, _) if is_unknown(self.options, semantic) => Ok(make_int_pad(self.w)),
            (semantic, stage) => match builtin_input(stage, semantic) {
                Some(row) => self.load_builtin(id, row),
                None => self.load_varying(id, pad),
            },
        }
    }

    /// Loads a vertex attribute. Vulkan requires the type of the format that the caller binds.
    /// Lanes are bits, so the program need not declare that type.
    fn load_attribute(&mut self, id: InputId, number: u8) -> [Lane; 4] {
        let bound = self.options.interface.attributes.get(number as usize);
        let base = bound.copied().unwrap_or(self.program.inputs[id].base);
        let semantic = Semantic::Attrib(number);
        let place = Place::vector(semantic, u32::from(number), base);
        Lane::all_of(self.load_location(id, &place))
    }

    /// Loads a varying; returns `pad` if the previous stage does not write it.
    fn load_varying(&mut self, id: InputId, pad: [Lane; 4]) -> Result<[Lane; 4], Failure> {
        let semantic = self.program.inputs[id].semantic;
        let stage = self.program.stage;
        let is_passed = match stage {
            Stage::Fragment => varying_location(semantic).is_some() && !semantic.is_per_patch(),
            // Inputs of vertices are read with a vertex: `vertex_lanes`.
            Stage::TessEval => matches!(semantic, Semantic::PatchGeneric(_)),
            Stage::Vertex | Stage::TessControl | Stage::Geometry | Stage::Compute => false,
        };
        if !is_passed {
            return Err(Error::unsupported(format!(
                "{semantic:?} is no input of {} programs",
                stage.name()
            )));
        }
        // The varying is then not read, and the previous stage need not write it.
        if self.is_point_sprite(semantic) {
            return Ok(self.with_point_sprite(id, pad));
        }
        let lanes = self.load_passed(id, pad)?;
        Ok(self.with_point_sprite(id, lanes))
    }

    /// Loads a varying that the previous stage passes.
    fn load_passed(&mut self, id: InputId, pad: [Lane; 4]) -> Result<[Lane; 4], Failure> {
        let semantic = self.program.inputs[id].semantic;
        // The previous stage is known, and does not write it. NV_vertex_program section 2.14.1.5.
        let Some(place) = self.options.interface.inputs.place(semantic) else {
            return Ok(pad);
        };
        self.check_location(id)?;
        let value = self.load_location(id, &place);
        // Fog coordinates are (f, 0, 0, 1): ARB_fragment_program section 3.11.3.1.
        if semantic == Semantic::FogCoord {
            return Ok(Lane::first_of(value, 1, pad));
        }
        let lanes = pad_lanes(self.w, &place, value);
        if self.program.stage != Stage::Fragment {
            return Ok(lanes);
        }
        self.with_color_state(id, lanes, |io, variable| {
            load_at_start(io.w, variable, Scalar::F32, 4)
        })
    }

    fn load_distance(&mut self, distances: Distances, plane: u32) -> ValueWord {
        self.w.needs.insert(Need::of(distances));
        let float = self.w.ty(Scalar::F32, 1);
        if !self.vars.inputs.distances[distances as usize].is_some() {
            let semantics = self.program.inputs.iter().map(|input| input.semantic);
            let array = self.w.declare_array(float, distances.len(semantics));
            let variable = self.variable(StorageClass::Input, array);
            self.w.decorate_builtin(variable, distances.builtin());
            self.vars.inputs.distances[distances as usize] = variable;
        }
        let variable = self.vars.inputs.distances[distances as usize];
        load_element_at_start(self.w, variable, plane, Scalar::F32)
    }

    fn load_builtin(&mut self, id: InputId, row: BuiltinRow) -> Result<[Lane; 4], Failure> {
        self.need_builtin(row)?;
        let semantic = self.program.inputs[id].semantic;
        if !self.vars.inputs.loaded[id.index()].variable.is_some() {
            self.vars.reflected.inputs.push(InterfaceVariable {
                interpolation: Interpolation::Flat,
                ..InterfaceVariable::new(semantic, None, row.scalar, row.size)
            });
        }
        let (variable, value) = self.load_builtin_value(row);
        self.vars.inputs.loaded[id.index()].variable = variable;
        let pad = if row.scalar == Scalar::F32 {
            self.w.float_pad()
        } else {
            make_int_pad(self.w)
        };
        let mut lanes = Lane::first_of(value, row.size, pad);
        self.adapt_builtin(semantic, row, value, &mut lanes);
        Ok(lanes)
    }

    /// Converts the value of a built-in of Vulkan to that of the languages.
    fn adapt_builtin(
        &mut self,
        semantic: Semantic,
        row: BuiltinRow,
        value: ValueWord,
        lanes: &mut [Lane; 4],
    ) {
        if semantic == Semantic::FullyCovered {
            // As an integer lane the boolean would be -1; full coverage is 1.
            let operands = [value.0, self.w.uint(1).0, self.w.uint(0).0];
            let number = derive_at_start(self.w, Op::Select, Scalar::U32, &operands);
            lanes[0] = Lane::scalar(number);
        } else if semantic == Semantic::Facing {
            // NV_fragment_program2 section 3.11.3.1 defines (f, 0, 0, 1); NV_fragment_program4
            // leaves all but x undefined.
            let (front, back) = (self.w.float(1.0), self.w.float(-1.0));
            let facing =
                derive_at_start(self.w, Op::Select, Scalar::F32, &[value.0, front.0, back.0]);
            *lanes = Lane::first_of(facing, 1, self.w.float_pad());
        } else if semantic == Semantic::Position {
            self.move_window_position(lanes);
        } else if semantic == Semantic::PointCoord {
            [lanes[0], lanes[1]] = self.point_coordinate();
        } else if semantic.is_thread_number() {
            lanes[0] = Lane::scalar(thread_value(self.w, semantic, value));
        } else if semantic == Semantic::InstanceId {
            lanes[0] = Lane::scalar(self.instance_number(row, value));
        } else if (self.program.stage, semantic) == (Stage::Geometry, Semantic::InvocationId) {
            lanes[0] = Lane::scalar(self.invocation_number(value));
        } else if semantic == Semantic::PrimitiveId {
            lanes[0] = Lane::scalar(self.primitive_number(value));
        }
    }

    /// Computes the invocation number of the program: runs for other viewports and views are one
    /// invocation of the program, and so are the runs for both triangles of a quadrilateral.
    fn invocation_number(&mut self, mut value: ValueWord) -> ValueWord {
        if takes_quadrilaterals(self.program, self.options) {
            let runs = self.runs_of_triangle();
            let runs = self.w.uint(runs);
            value = derive_at_start(self.w, Op::UMod, Scalar::U32, &[value.0, runs.0]);
        }
        let copies = self.vars.outputs.copies.count();
        if copies == 1 {
            return value;
        }
        // Copies are 2, 16 or 32: a power of two.
        let operands = [value.0, self.w.uint(copies.trailing_zeros()).0];
        derive_at_start(self.w, Op::ShiftRightLogical, Scalar::U32, &operands)
    }

    /// Computes the primitive number: triangles of a quadrilateral have its number.
    fn primitive_number(&mut self, value: ValueWord) -> ValueWord {
        match self.options.fixed.primitive_numbers {
            PrimitiveNumbers::Own => value,
            PrimitiveNumbers::Halved => {
                let operands = [value.0, self.w.uint(1).0];
                derive_at_start(self.w, Op::ShiftRightLogical, Scalar::U32, &operands)
            }
            PrimitiveNumbers::Zero => self.w.uint(0),
        }
    }

    /// Computes the instance number: Vulkan counts from the base instance, the languages from 0.
    fn instance_number(&mut self, row: BuiltinRow, value: ValueWord) -> ValueWord {
        let from_zero =
            self.options.conventions.instances_from_zero || self.options.target.is_opengl();
        // Without the built-in the base is unknown and assumed to be 0.
        if !self.options.device.draw_parameters || from_zero {
            return value;
        }
        self.w.needs.insert(Need::DrawParameters);
        let (_, base) = self.load_builtin_value(BuiltinRow {
            builtin: BuiltIn::BaseInstance,
            ..row
        });
        derive_at_start(self.w, Op::ISub, Scalar::U32, &[value.0, base.0])
    }

    /// Returns the variable of a fragment input that has been loaded, if the value depends on the
    /// position at which it is evaluated.
    pub(crate) fn interpolant(&self, id: InputId) -> Option<ValueWord> {
        let input = self.program.inputs[id];
        let is_flat = are_colors_flat(self.options) && matches!(input.semantic, Semantic::Color(_));
        let varies = varying_location(input.semantic).is_some()
            && !is_flat
            && !self.is_point_sprite(input.semantic)
            && input.interpolation != Interpolation::Flat
            && self.program.stage == Stage::Fragment;
        let variable = self.vars.inputs.loaded[id.index()].variable;
        (varies && variable.is_some()).then_some(variable)
    }

    /// Requires the capability of a built-in. Returns an error if the device lacks it.
    fn need_builtin(&mut self, row: BuiltinRow) -> Result<(), Failure> {
        let Some(need) = row.need else { return Ok(()) };
        if matches!(need, Need::Group | Need::GroupBallot) {
            check_subgroups(&self.options.device, self.program.stage)?;
        }
        self.w.require(need)
    }
}

/// Returns (0, 0, 0, 1) of integers.
fn make_int_pad(w: &mut ModuleWriter) -> [Lane; 4] {
    let [zero, one] = [0, 1].map(|number| Lane::scalar(w.uint(number)));
    [zero, zero, zero, one]
}

/// Returns the lanes of a varying, padded with those of (0, 0, 0, 1) in its type.
fn pad_lanes(w: &mut ModuleWriter, place: &Place, value: ValueWord) -> [Lane; 4] {
    if place.components >= 4 {
        return Lane::all_of(value);
    }
    let (zero, one) = (w.uint(0), make_one(w, place.base));
    let pad = [zero, zero, zero, one].map(Lane::scalar);
    Lane::first_of(value, place.components, pad)
}
