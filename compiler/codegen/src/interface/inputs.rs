//! Stage inputs: variables and loads, locations, and the size of work groups, which are constants
//! or specialization constants.

use super::builtin::{
    BuiltinInput, compute_thread_value, find_builtin_input, is_unsupported_builtin,
};
use super::names::input_name;
use super::per_vertex::takes_quadrilaterals;
use super::{Io, base_scalar, constant_one, emit_at_start, load_at_start, load_element_at_start};
use crate::builder::{Lane, ModuleWriter, Scalar, ValueOrigin};
use crate::capability::{Requirement, check_subgroups};
use crate::error::{Error, Failure};
use crate::options::{Options, PrimitiveIdMode};
use crate::reflect::InterfaceVariable;
use crate::spirv_writer::ValueWord;
use crate::varyings::{DistanceKind, VaryingLocation, varying_location};
use glasm_ir::arena::Id;
use glasm_ir::semantic::{Interpolation, Sampling};
use glasm_ir::{Input, InputId, Semantic, Stage, Width};
use spirv::{BuiltIn, Decoration, Op, StorageClass};

impl Io<'_> {
    /// Returns the lanes of an input that is not per vertex. Loads it on first use in the function
    /// and retains the lanes. Returns an error for inputs per vertex and inputs that the stage
    /// lacks.
    pub(crate) fn get_input(&mut self, id: InputId) -> Result<[Lane; 4], Failure> {
        if let Some(lanes) = self.interface.inputs.loaded[id.index()].lanes {
            return Ok(lanes);
        }
        if self.program.inputs[id].per_vertex {
            return Err(Error::unsupported(
                "an input per vertex is read without a vertex",
            ));
        }
        let lanes = self.load_input(id)?;
        self.interface.inputs.loaded[id.index()].lanes = Some(lanes);
        Ok(lanes)
    }

    /// Loads an input that is not per vertex, by its semantic and stage: tessellation levels,
    /// attributes, built-ins or varyings. Built-ins that the target lacks are (0, 0, 0, 1). Returns
    /// an error for inputs that the stage lacks.
    fn load_input(&mut self, id: InputId) -> Result<[Lane; 4], Failure> {
        let input = self.program.inputs[id];
        let pad = self.builder.float_padding();
        match (input.semantic, self.program.stage) {
            // SPIR-V has no built-in for it in this stage, because primitives have a fixed number
            // of vertices.
            (Semantic::InputVertexCount, Stage::Geometry) => {
                let count = self.vertex_count()?;
                let count = self.builder.constant_u32(count);
                Ok(Lane::with_first_components(
                    count,
                    1,
                    make_int_pad(self.builder),
                ))
            }
            (Semantic::TessLevelOuter(number), Stage::TessEval) => {
                let value = self.load_tess_level(BuiltIn::TessLevelOuter, number);
                Ok(Lane::with_first_components(value, 1, pad))
            }
            (Semantic::TessLevelInner(number), Stage::TessEval) => {
                let value = self.load_tess_level(BuiltIn::TessLevelInner, number);
                Ok(Lane::with_first_components(value, 1, pad))
            }
            (Semantic::VertexAttribute(_), Stage::Vertex) if input.width == Width::W64 => {
                Ok(self.load_wide_attribute(id))
            }
            (Semantic::VertexAttribute(number), Stage::Vertex) => {
                Ok(self.load_attribute(id, number))
            }
            // Not the SPIR-V built-in: a constant with that decoration sets the size, and cannot be
            // read as an input.
            (Semantic::WorkgroupSize, _) => {
                let [x, y, z] = self.get_workgroup_size().map(Lane::scalar);
                Ok([x, y, z, Lane::scalar(self.builder.constant_u32(1))])
            }
            (Semantic::FragColor { buffer, index: 0 }, Stage::Fragment) => {
                Ok(Lane::all_components(self.load_attachment(id, buffer)?))
            }
            (Semantic::ClipDistance(plane), Stage::Fragment) => {
                let value = self.load_distance(DistanceKind::Clip, u32::from(plane));
                Ok(Lane::with_first_components(value, 1, pad))
            }
            (Semantic::CullDistance(plane), Stage::Fragment) => {
                let value = self.load_distance(DistanceKind::Cull, u32::from(plane));
                Ok(Lane::with_first_components(value, 1, pad))
            }
            (semantic, _) if is_unsupported_builtin(self.options, semantic) => {
                Ok(make_int_pad(self.builder))
            }
            (semantic, stage) => match find_builtin_input(stage, semantic) {
                Some(builtin) => self.load_builtin(id, builtin),
                None => self.load_varying(id, pad),
            },
        }
    }

    /// Loads a vertex attribute. Vulkan requires the type of the format that the caller binds.
    /// Lanes are bits, so the program need not declare that type. It is the type in the options, or
    /// that of the declaration for attributes that the options do not list.
    fn load_attribute(&mut self, id: InputId, number: u8) -> [Lane; 4] {
        let bound = self.options.interface.attributes.get(number as usize);
        let base = bound.copied().unwrap_or(self.program.inputs[id].base);
        let semantic = Semantic::VertexAttribute(number);
        let varying = VaryingLocation::vector(semantic, u32::from(number), base);
        Lane::all_components(self.load_located_input(id, &varying))
    }

    /// Loads a varying. Returns `pad` if the previous stage does not write it or a point sprite
    /// replaces it, and an error if it is not an input of this stage.
    fn load_varying(&mut self, id: InputId, pad: [Lane; 4]) -> Result<[Lane; 4], Failure> {
        let semantic = self.program.inputs[id].semantic;
        let stage = self.program.stage;
        let is_passed = match stage {
            Stage::Fragment => varying_location(semantic).is_some() && !semantic.is_per_patch(),
            // Inputs of vertices are read with a vertex: `load_vertex`.
            Stage::TessEval => matches!(semantic, Semantic::GenericPatchVarying(_)),
            Stage::Vertex | Stage::TessControl | Stage::Geometry | Stage::Compute => false,
        };
        if !is_passed {
            return Err(Error::unsupported(format!(
                "{semantic:?} is not an input of {} programs",
                stage.name()
            )));
        }
        // The varying is then not read, and the previous stage need not write it.
        if self.is_point_sprite(semantic) {
            return Ok(self.select_point_sprite(id, pad));
        }
        let lanes = self.load_passed_varying(id, pad)?;
        Ok(self.select_point_sprite(id, lanes))
    }

    /// Loads a varying that the previous stage writes, padded with (0, 0, 0, 1), and selects colors
    /// in fragment programs by GL state. Returns `pad` if the previous stage does not write it.
    /// Returns an error if its location is not available.
    fn load_passed_varying(&mut self, id: InputId, pad: [Lane; 4]) -> Result<[Lane; 4], Failure> {
        let semantic = self.program.inputs[id].semantic;
        // The previous stage is known, and does not write it. NV_vertex_program section 2.14.1.5.
        let Some(varying) = self.options.interface.inputs.find_varying(semantic) else {
            return Ok(pad);
        };
        self.check_location(id)?;
        let value = self.load_located_input(id, &varying);
        // Fog coordinates are (f, 0, 0, 1): ARB_fragment_program section 3.11.3.1.
        if semantic == Semantic::FogCoord {
            return Ok(Lane::with_first_components(value, 1, pad));
        }
        let lanes = pad_lanes(self.builder, &varying, value);
        if self.program.stage != Stage::Fragment {
            return Ok(lanes);
        }
        self.apply_color_state(id, lanes, |io, variable| {
            load_at_start(io.builder, variable, Scalar::F32, 4)
        })
    }

    /// Loads a clip or cull distance from its built-in array in the prologue. Declares the array on
    /// first use, with as many elements as the inputs of the program need, and adds the
    /// requirement.
    fn load_distance(&mut self, distances: DistanceKind, plane: u32) -> ValueWord {
        self.builder
            .requirements
            .insert(Requirement::for_distances(distances));
        let float = self.builder.get_type(Scalar::F32, 1);
        if !self.interface.inputs.distances[distances as usize].is_some() {
            let semantics = self.program.inputs.iter().map(|input| input.semantic);
            let array = self.builder.declare_array(float, distances.len(semantics));
            let variable = self.declare_in_out_variable(StorageClass::Input, array);
            self.builder.decorate_builtin(variable, distances.builtin());
            self.interface.inputs.distances[distances as usize] = variable;
        }
        let variable = self.interface.inputs.distances[distances as usize];
        load_element_at_start(self.builder, variable, plane, Scalar::F32)
    }

    /// Loads a built-in input, reflects it on first use, pads it and converts it to the value of
    /// the languages. Returns an error if the device lacks its requirement.
    fn load_builtin(&mut self, id: InputId, builtin: BuiltinInput) -> Result<[Lane; 4], Failure> {
        self.require_builtin(builtin)?;
        let semantic = self.program.inputs[id].semantic;
        if !self.interface.inputs.loaded[id.index()].variable.is_some() {
            self.interface.reflected.inputs.push(InterfaceVariable {
                interpolation: Interpolation::Flat,
                ..InterfaceVariable::new(semantic, None, builtin.scalar, builtin.size)
            });
        }
        let (variable, value) = self.load_builtin_value(builtin);
        self.interface.inputs.loaded[id.index()].variable = variable;
        let pad = if builtin.scalar == Scalar::F32 {
            self.builder.float_padding()
        } else {
            make_int_pad(self.builder)
        };
        let mut lanes = Lane::with_first_components(value, builtin.size, pad);
        self.adapt_builtin(semantic, builtin, value, &mut lanes);
        Ok(lanes)
    }

    /// Converts the value of a built-in of Vulkan to that of the languages: replaces `lanes` for
    /// facing, window positions, point coordinates, coverage, and the numbers of threads,
    /// instances, invocations and primitives. Other built-ins are unchanged.
    fn adapt_builtin(
        &mut self,
        semantic: Semantic,
        builtin: BuiltinInput,
        value: ValueWord,
        lanes: &mut [Lane; 4],
    ) {
        if semantic == Semantic::FullyCovered {
            // As an integer lane the boolean would be -1; full coverage is 1.
            let operands = [
                value.0,
                self.builder.constant_u32(1).0,
                self.builder.constant_u32(0).0,
            ];
            let number = emit_at_start(self.builder, Op::Select, Scalar::U32, &operands);
            lanes[0] = Lane::scalar(number);
        } else if semantic == Semantic::FaceSign {
            // NV_fragment_program2 section 3.11.3.1 defines (f, 0, 0, 1); NV_fragment_program4
            // leaves all but x undefined.
            let (front, back) = (
                self.builder.constant_f32(1.0),
                self.builder.constant_f32(-1.0),
            );
            let facing = emit_at_start(
                self.builder,
                Op::Select,
                Scalar::F32,
                &[value.0, front.0, back.0],
            );
            *lanes = Lane::with_first_components(facing, 1, self.builder.float_padding());
        } else if semantic == Semantic::Position {
            self.convert_window_position(lanes);
        } else if semantic == Semantic::PointCoord {
            [lanes[0], lanes[1]] = self.load_point_coordinate();
        } else if semantic.is_thread_index() {
            lanes[0] = Lane::scalar(compute_thread_value(self.builder, semantic, value));
        } else if semantic == Semantic::InstanceId {
            lanes[0] = Lane::scalar(self.compute_instance_number(builtin, value));
        } else if (self.program.stage, semantic) == (Stage::Geometry, Semantic::InvocationId) {
            lanes[0] = Lane::scalar(self.compute_invocation_number(value));
        } else if semantic == Semantic::PrimitiveId {
            lanes[0] = Lane::scalar(self.compute_primitive_number(value));
        }
    }

    /// Computes the invocation number of the program: runs for other viewports and views are one
    /// invocation of the program, and so are the runs for both triangles of a quadrilateral.
    fn compute_invocation_number(&mut self, mut value: ValueWord) -> ValueWord {
        if takes_quadrilaterals(self.program, self.options) {
            let runs = self.count_runs_per_triangle();
            let runs = self.builder.constant_u32(runs);
            value = emit_at_start(self.builder, Op::UMod, Scalar::U32, &[value.0, runs.0]);
        }
        let copies = self.interface.outputs.copies.count();
        if copies == 1 {
            return value;
        }
        // Copies are 2, 16 or 32: a power of two.
        let operands = [
            value.0,
            self.builder.constant_u32(copies.trailing_zeros()).0,
        ];
        emit_at_start(self.builder, Op::ShiftRightLogical, Scalar::U32, &operands)
    }

    /// Computes the primitive number according to the options: unchanged, half of it, because both
    /// triangles of a quadrilateral have its number, or always 0.
    fn compute_primitive_number(&mut self, value: ValueWord) -> ValueWord {
        match self.options.pipeline_state.primitive_id_mode {
            PrimitiveIdMode::PerPrimitive => value,
            PrimitiveIdMode::PerQuad => {
                let operands = [value.0, self.builder.constant_u32(1).0];
                emit_at_start(self.builder, Op::ShiftRightLogical, Scalar::U32, &operands)
            }
            PrimitiveIdMode::Constant => self.builder.constant_u32(0),
        }
    }

    /// Computes the instance number: Vulkan counts from the base instance, the languages from 0.
    /// Unchanged if the caller counts from 0, or if the device lacks the built-in for the base
    /// instance, which is then assumed to be 0.
    fn compute_instance_number(&mut self, builtin: BuiltinInput, value: ValueWord) -> ValueWord {
        let from_zero = self.options.conventions.is_instance_index_zero_based
            || self.options.target.is_opengl();
        // Without the built-in the base is unknown and assumed to be 0.
        if !self.options.device.draw_parameters || from_zero {
            return value;
        }
        self.builder
            .requirements
            .insert(Requirement::DrawParameters);
        let (_, base) = self.load_builtin_value(BuiltinInput {
            builtin: BuiltIn::BaseInstance,
            ..builtin
        });
        emit_at_start(self.builder, Op::ISub, Scalar::U32, &[value.0, base.0])
    }

    /// Returns the variable of a fragment input that has been loaded, if the value depends on the
    /// position at which it is evaluated. Returns `None` for flat inputs, point sprites, inputs
    /// that are not varyings, and other stages.
    pub(crate) fn find_interpolant(&self, id: InputId) -> Option<ValueWord> {
        let input = self.program.inputs[id];
        let is_flat = are_colors_flat(self.options) && matches!(input.semantic, Semantic::Color(_));
        let varies = varying_location(input.semantic).is_some()
            && !is_flat
            && !self.is_point_sprite(input.semantic)
            && input.interpolation != Interpolation::Flat
            && self.program.stage == Stage::Fragment;
        let variable = self.interface.inputs.loaded[id.index()].variable;
        (varies && variable.is_some()).then_some(variable)
    }

    /// Adds the requirement of a built-in, if it has one. Returns an error if the device lacks it,
    /// or lacks subgroups in this stage for built-ins of subgroups.
    fn require_builtin(&mut self, builtin: BuiltinInput) -> Result<(), Failure> {
        let Some(requirement) = builtin.requirement else {
            return Ok(());
        };
        if matches!(requirement, Requirement::Group | Requirement::GroupBallot) {
            check_subgroups(&self.options.device, self.program.stage)?;
        }
        self.builder.require(requirement)
    }
}

/// Returns the lanes (0, 0, 0, 1) of integers, which complete inputs with fewer components.
fn make_int_pad(module: &mut ModuleWriter) -> [Lane; 4] {
    let [zero, one] = [0, 1].map(|number| Lane::scalar(module.constant_u32(number)));
    [zero, zero, zero, one]
}

/// Returns the lanes of a varying, padded with those of (0, 0, 0, 1) in its type. Varyings of four
/// components need no padding.
fn pad_lanes(module: &mut ModuleWriter, varying: &VaryingLocation, value: ValueWord) -> [Lane; 4] {
    if varying.component_count >= 4 {
        return Lane::all_components(value);
    }
    let (zero, one) = (
        module.constant_u32(0),
        constant_one(module, varying.base_type),
    );
    let pad = [zero, zero, zero, one].map(Lane::scalar);
    Lane::with_first_components(value, varying.component_count, pad)
}

impl Io<'_> {
    /// Returns the sizes of a work group: constants, at least 1, or specialization constants 0 to 2
    /// if the program declares the size 0 in all dimensions and the pipeline specifies it. These
    /// are declared on first use.
    pub(crate) fn get_workgroup_size(&mut self) -> [ValueWord; 3] {
        let size = self.program.modes.workgroup_size;
        if size != [0; 3] {
            return size.map(|size| self.builder.constant_u32(size.max(1)));
        }
        if let Some(known) = self.interface.inputs.group_size {
            return known;
        }
        let ty = self.builder.get_type(Scalar::U32, 1);
        let sizes = [0, 1, 2].map(|number| {
            // Its value is unknown at compile time, so it must not be folded like other constants.
            let id = self
                .builder
                .new_value(Scalar::U32, 1, ValueOrigin::Prologue);
            // The default size if the pipeline does not specialize it; 0 would be invalid.
            self.builder
                .globals
                .push_result_inst(Op::SpecConstant, ty, id, &[1]);
            self.builder.decorate(id, Decoration::SpecId, &[number]);
            id
        });
        // The mode `LocalSize` has literal operands only; an object decorated with `WorkgroupSize`
        // overrides it.
        let vector = self.builder.get_type(Scalar::U32, 3);
        let id = self.builder.new_object();
        let words = sizes.map(|size| size.0);
        self.builder
            .globals
            .push_result_inst(Op::SpecConstantComposite, vector, id, &words);
        self.builder.decorate_builtin(id, BuiltIn::WorkgroupSize);
        self.interface.inputs.group_size = Some(sizes);
        sizes
    }
}

impl Io<'_> {
    /// Returns an error if a loaded varying with another semantic overlaps this one, or if the
    /// input is evaluated at samples and the device lacks that.
    pub(crate) fn check_location(&self, id: InputId) -> Result<(), Failure> {
        let input = self.program.inputs[id];
        if apply_shade_model(self.options, input).sampling == Sampling::Sample {
            Requirement::SampleRate.check(&self.options.device)?;
        }
        let loaded = self.program.inputs.iter_enumerated();
        let loaded = loaded.filter(|(other, _)| {
            self.interface.inputs.loaded[other.index()]
                .variable
                .is_some()
        });
        // Inputs of one semantic share their variable.
        let others = loaded
            .map(|(_, other)| other.semantic)
            .filter(|other| *other != input.semantic);
        let inputs = &self.options.interface.inputs;
        inputs.check_no_overlap(input.semantic, others)
    }

    /// Loads the value of a variable with a location in the prologue. Declares the variable on
    /// first use; inputs of one semantic share it.
    pub(crate) fn load_located_input(
        &mut self,
        id: InputId,
        varying: &VaryingLocation,
    ) -> ValueWord {
        let input = self.program.inputs[id];
        let known = self.find_semantic_variable(input.semantic);
        let variable = known.unwrap_or_else(|| self.declare_located_input(input, varying));
        self.interface.inputs.loaded[id.index()].variable = variable;
        load_at_start(
            self.builder,
            variable,
            base_scalar(varying.base_type),
            varying.component_count,
        )
    }

    /// Returns the variable of an input of a semantic, if it has been declared.
    pub(crate) fn find_semantic_variable(&self, semantic: Semantic) -> Option<ValueWord> {
        let inputs = self.program.inputs.iter_enumerated();
        let mut twins = inputs.filter(|(_, input)| input.semantic == semantic);
        twins.find_map(|(id, _)| {
            let variable = self.interface.inputs.loaded[id.index()].variable;
            variable.is_some().then_some(variable)
        })
    }

    /// Declares, decorates, names and reflects an input variable with a location.
    pub(crate) fn declare_located_input(
        &mut self,
        input: Input,
        varying: &VaryingLocation,
    ) -> ValueWord {
        let input = apply_shade_model(self.options, input);
        let scalar = base_scalar(varying.base_type);
        let ty = self.builder.get_type(scalar, varying.component_count);
        let variable = self.declare_in_out_variable(StorageClass::Input, ty);
        decorate_varying(self.builder, variable, varying);
        self.builder
            .name_object(variable, || input_name(self.program.stage, input.semantic));
        // Interpolation decorations on other inputs have no effect, and Vulkan forbids some of them
        // on vertex inputs (VUID-StandaloneSpirv-Flat-06202).
        if self.program.stage == Stage::Fragment {
            decorate_interpolation(self.builder, variable, input);
        } else if input.semantic.is_per_patch() {
            self.builder.decorate(variable, Decoration::Patch, &[]);
        }
        let location = Some(varying.location);
        self.interface.reflected.inputs.push(InterfaceVariable {
            interpolation: input.interpolation,
            ..InterfaceVariable::new(input.semantic, location, scalar, varying.component_count)
        });
        variable
    }
}

/// Decorates a fragment input with its interpolation and sampling, unless they are the default, and
/// adds the requirement for sampling at samples.
fn decorate_interpolation(module: &mut ModuleWriter, variable: ValueWord, input: Input) {
    match input.interpolation {
        // This, and the center below, is the default without decorations.
        Interpolation::Smooth => {}
        Interpolation::NoPerspective => module.decorate(variable, Decoration::NoPerspective, &[]),
        Interpolation::Flat => module.decorate(variable, Decoration::Flat, &[]),
    }
    match input.sampling {
        Sampling::Center => {}
        Sampling::Centroid => module.decorate(variable, Decoration::Centroid, &[]),
        Sampling::Sample => {
            // Checked by `check_location`, which can report an error.
            module.requirements.insert(Requirement::SampleRate);
            module.decorate(variable, Decoration::Sample, &[]);
        }
    }
}

/// Decorates a variable with its location and, unless that is 0, its component.
pub(crate) fn decorate_varying(
    module: &mut ModuleWriter,
    variable: ValueWord,
    varying: &VaryingLocation,
) {
    module.decorate(variable, Decoration::Location, &[varying.location]);
    if varying.first_component > 0 {
        let component = u32::from(varying.first_component);
        module.decorate(variable, Decoration::Component, &[component]);
    }
}

/// Returns an input with the interpolation that GL state selects for it: colors may be flat.
fn apply_shade_model(options: &Options, mut input: Input) -> Input {
    if are_colors_flat(options)
        && matches!(input.semantic, Semantic::Color(_) | Semantic::BackColor(_))
    {
        // A flat value is the same at all positions; evaluating it at samples would only require
        // `SampleRateShading`.
        (input.interpolation, input.sampling) = (Interpolation::Flat, Sampling::Center);
    }
    input
}

/// Returns true if colors are flat in all pipelines of the module.
pub(crate) fn are_colors_flat(options: &Options) -> bool {
    options.state_sources.flat_colors.is_fixed() && options.pipeline_state.flat_colors
}
