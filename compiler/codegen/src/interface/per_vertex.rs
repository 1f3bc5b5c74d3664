//! Inputs of the vertices of a primitive or patch: arrays with an element for each vertex.
//!
//! The module also loads the tessellation levels of a patch, which evaluation programs read.

use super::builtin::BuiltinInput;
use super::names::input_name;
use super::{Io, base_scalar};
use super::{constant_one, emit_at_start, load_element_at_start};
use crate::builder::{Lane, Scalar, ValueBuilder, ValueOrigin};
use crate::capability::Requirement;
use crate::error::{Error, Failure};
use crate::interface::inputs::decorate_varying;
use crate::options::Options;
use crate::reflect::InterfaceVariable;
use crate::spirv_writer::ValueWord;
use crate::varyings::{DistanceKind, VaryingLocation, varying_location};
use glasm_ir::arena::Id;
use glasm_ir::primitive::{InputPrimitive, MAX_PATCH_VERTICES};
use glasm_ir::{BaseType, InputId, Program, Semantic, Stage};
use spirv::{BuiltIn, Decoration, Op, StorageClass};

/// Vertex of the input primitive.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Vertex {
    /// Constant number.
    Constant(u32),
    /// Dynamic number, which is in range.
    Dynamic(ValueWord),
}

/// Element of the array of an input.
#[derive(Clone, Copy)]
struct VertexElement {
    builtin: Option<BuiltIn>,
    scalar: Scalar,
    size: u8,
    /// Distance in an array of distances.
    plane: Option<u32>,
}

/// Returns true if a geometry program for triangles receives quadrilaterals, which are lines with
/// adjacency, and runs for both of their triangles.
pub(crate) fn takes_quadrilaterals(program: &Program, options: &Options) -> bool {
    program.stage == Stage::Geometry
        && program.modes.primitive_in == InputPrimitive::Triangles
        && options.pipeline_state.draws_quads_as_line_adjacency
}

/// Returns the input primitive of a geometry program: patches are primitives with the same number
/// of vertices, quadrilaterals are lines with adjacency.
///
/// # Errors
/// Returns an error if no primitive of Vulkan has the same number of vertices as the patches.
pub(crate) fn input_primitive(
    program: &Program,
    options: &Options,
) -> Result<InputPrimitive, Failure> {
    if takes_quadrilaterals(program, options) {
        return Ok(InputPrimitive::LinesAdjacency);
    }
    if program.modes.primitive_in != InputPrimitive::Patches {
        return Ok(program.modes.primitive_in);
    }
    let vertices = options.pipeline_state.patch_vertices;
    InputPrimitive::from_vertex_count(vertices.into()).ok_or_else(|| {
        Error::unsupported(format!(
            "a geometry program on patches of {vertices} vertices: Vulkan has no such primitive"
        ))
    })
}

impl Io<'_> {
    /// Returns the maximum number of vertices of the input primitive in the program: three if it
    /// receives quadrilaterals. Returns an error for stages without inputs per vertex.
    pub(crate) fn vertex_count(&self) -> Result<u32, Failure> {
        if takes_quadrilaterals(self.program, self.options) {
            Ok(3)
        } else {
            self.declared_vertices()
        }
    }

    /// Returns the maximum number of vertices of the input primitive in the module, the length of
    /// arrays of inputs. Returns an error for stages without inputs per vertex.
    // The number of vertices of a patch is state of the pipeline: arrays have the maximum length,
    // as `gl_in[gl_MaxPatchVertices]` in GLSL.
    fn declared_vertices(&self) -> Result<u32, Failure> {
        match self.program.stage {
            Stage::Geometry => {
                let primitive = input_primitive(self.program, self.options)?;
                Ok(primitive.vertex_count().unwrap_or(MAX_PATCH_VERTICES))
            }
            Stage::TessControl | Stage::TessEval => Ok(MAX_PATCH_VERTICES),
            stage @ (Stage::Vertex | Stage::Fragment | Stage::Compute) => Err(Error::unsupported(
                format!("{} programs have no inputs per vertex", stage.name()),
            )),
        }
    }

    /// Returns the lanes of an input of a vertex. Retains the lanes of vertices with constant
    /// numbers, so that they are loaded once per function. Returns an error for semantics that
    /// vertices lack.
    pub(crate) fn get_vertex_lanes(
        &mut self,
        id: InputId,
        vertex: Vertex,
    ) -> Result<[Lane; 4], Failure> {
        let Vertex::Constant(number) = vertex else {
            return self.load_vertex(id, vertex);
        };
        if let Some(lanes) = self.interface.inputs.vertex_lanes.get(&(id, number)) {
            return Ok(*lanes);
        }
        let lanes = self.load_vertex(id, vertex)?;
        self.interface
            .inputs
            .vertex_lanes
            .insert((id, number), lanes);
        Ok(lanes)
    }

    /// Loads an input of one vertex of the primitive or patch, padded with (0, 0, 0, 1). An input
    /// that the previous stage does not write has only these values. Returns an error for semantics
    /// that vertices lack.
    fn load_vertex(&mut self, id: InputId, vertex: Vertex) -> Result<[Lane; 4], Failure> {
        let semantic = self.program.inputs[id].semantic;
        let varying = self.options.interface.inputs.find_varying(semantic);
        // Missing components read as (0, 0, 0, 1). Zeros of all types have the same bits, ones do
        // not.
        let one = constant_one(
            self.builder,
            varying.map_or(BaseType::Float, |varying| varying.base_type),
        );
        let zero = self.builder.constant_f32(0.0);
        let pad = [zero, zero, zero, one].map(Lane::scalar);
        // Built-ins first, which have no location.
        let element = if semantic == Semantic::Position {
            VertexElement::from_builtin(BuiltIn::Position, 4)
        } else if semantic == Semantic::PointSize {
            VertexElement::from_builtin(BuiltIn::PointSize, 1)
        } else if let Some((distances, plane)) = DistanceKind::from_semantic(semantic) {
            VertexElement {
                plane: Some(plane),
                ..VertexElement::from_builtin(distances.builtin(), 1)
            }
        } else if semantic == Semantic::SecondaryPosition {
            return self.load_second_position(id, vertex, varying.as_ref());
        } else if varying_location(semantic).is_none() || semantic.is_per_patch() {
            return Err(Error::unsupported(format!(
                "{semantic:?} is not an input of the vertices of {} programs",
                self.program.stage.name()
            )));
        } else if let Some(varying) = varying {
            VertexElement::from_location(&varying)
        } else {
            // The previous stage is known, and does not write it.
            return Ok(pad);
        };
        let variable = self.get_vertex_variable(id, element)?;
        let value = self.load_vertex_element(variable, vertex, element);
        Ok(Lane::with_first_components(value, element.size, pad))
    }

    /// Returns the position of a vertex in the second view: x is written by the previous stage, the
    /// other components are those of the position. NV_stereo_view_rendering section 2.X.3.2.
    /// Without `varying` x is that of the position as well.
    fn load_second_position(
        &mut self,
        id: InputId,
        vertex: Vertex,
        varying: Option<&VaryingLocation>,
    ) -> Result<[Lane; 4], Failure> {
        let element = VertexElement::from_builtin(BuiltIn::Position, 4);
        // The program need not declare the position as an input.
        let position = match self.find_builtin_variable(BuiltIn::Position) {
            Some(variable) => variable,
            None => self.declare_vertex_builtin(BuiltIn::Position, element)?,
        };
        let mut lanes = Lane::all_components(self.load_vertex_element(position, vertex, element));
        if let Some(varying) = varying {
            let element = VertexElement::from_location(varying);
            let variable = self.get_vertex_variable(id, element)?;
            lanes[0] = Lane::all_components(self.load_vertex_element(variable, vertex, element))[0];
        }
        Ok(lanes)
    }

    /// Loads an element of a vertex: in the prologue if the number of the vertex is constant. In
    /// quadrilaterals the vertex is that of the triangle of this run.
    fn load_vertex_element(
        &mut self,
        variable: ValueWord,
        vertex: Vertex,
        element: VertexElement,
    ) -> ValueWord {
        let takes_quadrilaterals = takes_quadrilaterals(self.program, self.options);
        if let (true, true, Vertex::Constant(number)) = (
            takes_quadrilaterals,
            self.options.target.is_opengl(),
            vertex,
        ) {
            return self.load_triangle_vertex(variable, number, element);
        }
        let (origin, vertex) = match vertex {
            Vertex::Constant(number) => (ValueOrigin::Prologue, self.builder.constant_u32(number)),
            Vertex::Dynamic(number) => (ValueOrigin::Body, number),
        };
        let vertex = if takes_quadrilaterals {
            self.compute_triangle_vertex(origin, vertex)
        } else {
            vertex
        };
        load_element_at(self.builder, variable, origin, vertex, element)
    }

    /// Loads an element of vertex `number` of the triangle of this run in a quadrilateral. Loads
    /// the vertices of both triangles with constant numbers and selects one: Mesa 25.0 reads wrong
    /// bytes with dynamic ones.
    fn load_triangle_vertex(
        &mut self,
        variable: ValueWord,
        number: u32,
        element: VertexElement,
    ) -> ValueWord {
        let origin = ValueOrigin::Prologue;
        let [first, second] = [number, number + 1].map(|number| self.builder.constant_u32(number));
        let first = load_element_at(self.builder, variable, origin, first, element);
        if number == 0 {
            return first;
        }
        let second = load_element_at(self.builder, variable, origin, second, element);
        let operands = [
            self.compute_triangle_index().0,
            self.builder.constant_u32(0).0,
        ];
        let is_first = self
            .builder
            .emit_op_at(origin, Op::IEqual, Scalar::BoolInt, 1, &operands);
        let operands = [
            self.builder.splat(is_first, element.size).0,
            first.0,
            second.0,
        ];
        self.builder
            .emit_op_at(origin, Op::Select, element.scalar, element.size, &operands)
    }

    /// Computes, in the section of `origin`, the number in the quadrilateral of a vertex of the
    /// triangle of this run: triangle n has the vertices 0, 1 + n and 2 + n.
    fn compute_triangle_vertex(&mut self, origin: ValueOrigin, vertex: ValueWord) -> ValueWord {
        let triangle = self.compute_triangle_index();
        let zero = self.builder.constant_u32(0);
        let operands = [vertex.0, zero.0];
        let is_first = self
            .builder
            .emit_op_at(origin, Op::IEqual, Scalar::BoolInt, 1, &operands);
        let operands = [vertex.0, triangle.0];
        let moved = self
            .builder
            .emit_op_at(origin, Op::IAdd, Scalar::U32, 1, &operands);
        let operands = [is_first.0, zero.0, moved.0];
        self.builder
            .emit_op_at(origin, Op::Select, Scalar::U32, 1, &operands)
    }

    /// Returns the number of the triangle of this run, 0 or 1, computed in the prologue. The runs
    /// for the first triangle precede those for the second.
    fn compute_triangle_index(&mut self) -> ValueWord {
        let runs = self.count_runs_per_triangle();
        let run = self.load_invocation_id();
        let runs = self.builder.constant_u32(runs);
        emit_at_start(self.builder, Op::UDiv, Scalar::U32, &[run.0, runs.0])
    }

    /// Returns the number of runs of a geometry program that receives quadrilaterals for one of
    /// their triangles.
    pub(crate) fn count_runs_per_triangle(&self) -> u32 {
        self.program.modes.invocations.max(1) * self.interface.outputs.copies.count()
    }

    /// Returns the array of an input, which it declares and reflects on first use. Inputs of one
    /// semantic share it, and so do all distances of a kind. Returns an error if its location is
    /// not available.
    fn get_vertex_variable(
        &mut self,
        id: InputId,
        element: VertexElement,
    ) -> Result<ValueWord, Failure> {
        if let Some(builtin) = element.builtin {
            return self.get_vertex_builtin(id, builtin, element);
        }
        let semantic = self.program.inputs[id].semantic;
        let known = self.interface.inputs.loaded[id.index()].variable;
        if known.is_some() {
            return Ok(known);
        }
        self.check_location(id)?;
        let variable = match self.find_semantic_variable(semantic) {
            Some(variable) => variable,
            None => self.declare_vertex_location(id, element)?,
        };
        self.interface.inputs.loaded[id.index()].variable = variable;
        Ok(variable)
    }

    /// Declares and names the array of a varying with an element for each vertex, and reflects it.
    /// Returns an error for stages without inputs per vertex.
    fn declare_vertex_location(
        &mut self,
        id: InputId,
        element: VertexElement,
    ) -> Result<ValueWord, Failure> {
        let semantic = self.program.inputs[id].semantic;
        let varying = self.options.interface.inputs.find_varying(semantic);
        let count = self.declared_vertices()?;
        let ty = self.builder.get_type(element.scalar, element.size);
        let array = self.builder.declare_array(ty, count);
        let variable = self.declare_in_out_variable(StorageClass::Input, array);
        if let Some(varying) = varying {
            decorate_varying(self.builder, variable, &varying);
        }
        self.builder
            .name_object(variable, || input_name(self.program.stage, semantic));
        let location = varying.map(|varying| varying.location);
        self.reflect_vertex_input(semantic, location, element);
        Ok(variable)
    }

    /// Returns the array of a built-in with an element for each vertex, which it declares and
    /// reflects on first use.
    fn get_vertex_builtin(
        &mut self,
        id: InputId,
        builtin: BuiltIn,
        element: VertexElement,
    ) -> Result<ValueWord, Failure> {
        let semantic = self.program.inputs[id].semantic;
        if !self.interface.inputs.loaded[id.index()].variable.is_some() {
            self.reflect_vertex_input(semantic, None, element);
        }
        let variable = match self.find_builtin_variable(builtin) {
            Some(variable) => variable,
            None => self.declare_vertex_builtin(builtin, element)?,
        };
        self.interface.inputs.loaded[id.index()].variable = variable;
        Ok(variable)
    }

    /// Declares the array of a built-in with an element for each vertex. Adds the requirements of
    /// distances and point sizes. Returns an error for stages without inputs per vertex.
    fn declare_vertex_builtin(
        &mut self,
        builtin: BuiltIn,
        element: VertexElement,
    ) -> Result<ValueWord, Failure> {
        let mut ty = self.builder.get_type(Scalar::F32, element.size);
        if let Some(distances) = DistanceKind::from_builtin(builtin) {
            self.builder
                .requirements
                .insert(Requirement::for_distances(distances));
            let semantics = self.program.inputs.iter().map(|input| input.semantic);
            ty = self.builder.declare_array(ty, distances.len(semantics));
        } else if builtin == BuiltIn::PointSize {
            self.require_point_size();
        }
        let count = self.declared_vertices()?;
        let array = self.builder.declare_array(ty, count);
        Ok(self.declare_builtin(StorageClass::Input, array, builtin))
    }

    /// Returns the built-in `InvocationId`, which it loads in the prologue on first use in the
    /// function. In tessellation control programs it is the number of the vertex that the
    /// invocation writes.
    pub(crate) fn load_invocation_id(&mut self) -> ValueWord {
        let known = self.interface.inputs.invocation_id;
        if known.is_some() {
            return known;
        }
        let input = BuiltinInput {
            builtin: BuiltIn::InvocationId,
            scalar: Scalar::U32,
            size: 1,
            requirement: None,
        };
        let (_, number) = self.load_builtin_value(input);
        self.interface.inputs.invocation_id = number;
        number
    }

    /// Returns the number of the patch in a tessellation control program, which it loads in the
    /// prologue on first use in the function.
    pub(crate) fn load_patch_id(&mut self) -> ValueWord {
        let known = self.interface.inputs.patch_id;
        if known.is_some() {
            return known;
        }
        let input = BuiltinInput {
            builtin: BuiltIn::PrimitiveId,
            scalar: Scalar::U32,
            size: 1,
            requirement: None,
        };
        let (_, number) = self.load_builtin_value(input);
        self.interface.inputs.patch_id = number;
        number
    }

    /// Loads a tessellation level of the patch in the prologue. Declares the array of levels on
    /// first use. A number beyond the array reads its last level.
    pub(crate) fn load_tess_level(&mut self, builtin: BuiltIn, number: u8) -> ValueWord {
        let known = self.find_builtin_variable(builtin);
        let variable =
            known.unwrap_or_else(|| self.declare_tess_levels(builtin, StorageClass::Input));
        // The number in the IR may exceed the number of elements.
        let number = u32::from(number).min(tess_level_count(builtin) - 1);
        load_element_at_start(self.builder, variable, number, Scalar::F32)
    }

    /// Declares the array of outer or inner tessellation levels of a patch, which `builtin`
    /// selects, and decorates it as a variable of the patch.
    pub(crate) fn declare_tess_levels(
        &mut self,
        builtin: BuiltIn,
        class: StorageClass,
    ) -> ValueWord {
        let float = self.builder.get_type(Scalar::F32, 1);
        let array = self.builder.declare_array(float, tess_level_count(builtin));
        let variable = self.declare_builtin(class, array, builtin);
        self.builder.decorate(variable, Decoration::Patch, &[]);
        variable
    }

    /// Adds the requirement of point sizes in stages between vertices and rasterization; does
    /// nothing in others.
    pub(crate) fn require_point_size(&mut self) {
        match self.program.stage {
            // SPIR-V has a capability for each kind of stage, Vulkan one feature for both.
            Stage::Geometry => self
                .builder
                .requirements
                .insert(Requirement::GeometryPointSize),
            Stage::TessControl | Stage::TessEval => {
                self.builder.requirements.insert(Requirement::TessPointSize)
            }
            // Vertex programs write it without a capability; the others never write it.
            Stage::Vertex | Stage::Fragment | Stage::Compute => {}
        }
    }

    /// Records an input per vertex for the reflection.
    fn reflect_vertex_input(
        &mut self,
        semantic: Semantic,
        location: Option<u32>,
        element: VertexElement,
    ) {
        self.interface.reflected.inputs.push(InterfaceVariable {
            is_per_vertex: true,
            ..InterfaceVariable::new(semantic, location, element.scalar, element.size)
        });
    }
}

/// Emits the load of an element of the input vertex with number `vertex`, in the section of
/// `origin`.
fn load_element_at(
    builder: &mut ValueBuilder,
    variable: ValueWord,
    origin: ValueOrigin,
    vertex: ValueWord,
    element: VertexElement,
) -> ValueWord {
    let ty = builder.get_type(element.scalar, element.size);
    let pointer_ty = builder.pointer_type(StorageClass::Input, ty);
    // The index of the vertex comes first: per-vertex inputs are arrays of the type of the
    // semantic.
    let mut operands = vec![variable.0, vertex.0];
    if let Some(plane) = element.plane {
        operands.push(builder.constant_u32(plane).0);
    }
    let pointer = builder.new_object();
    let section = builder.section_mut(origin);
    section.push_variadic_result_inst(Op::AccessChain, pointer_ty, pointer, &operands);
    let operands = [pointer.0];
    builder.emit_op_at(origin, Op::Load, element.scalar, element.size, &operands)
}

/// Returns the number of levels in the built-in: four outer or two inner ones.
pub(crate) fn tess_level_count(builtin: BuiltIn) -> u32 {
    // Independent of the levels that the domain uses: VUID-TessLevelOuter-TessLevelOuter-04393,
    // VUID-TessLevelInner-TessLevelInner-04397.
    if builtin == BuiltIn::TessLevelOuter {
        4
    } else {
        2
    }
}

impl VertexElement {
    /// Returns the element of a varying with a location.
    const fn from_location(varying: &VaryingLocation) -> Self {
        Self {
            builtin: None,
            scalar: base_scalar(varying.base_type),
            size: varying.component_count,
            plane: None,
        }
    }

    /// Returns the element of a built-in of `size` floats.
    const fn from_builtin(builtin: BuiltIn, size: u8) -> Self {
        Self {
            builtin: Some(builtin),
            scalar: Scalar::F32,
            size,
            plane: None,
        }
    }
}
