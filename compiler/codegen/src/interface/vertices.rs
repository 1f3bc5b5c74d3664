//! Inputs of the vertices of a primitive or patch: arrays with an element for each vertex.
//!
//! The module also loads the tessellation levels of a patch, which evaluation programs read.

use super::builtin::BuiltinRow;
use super::names::input_name;
use super::vars::{Io, base_scalar};
use super::vars::{derive_at_start, load_element_at_start, make_one};
use crate::builder::{Home, Lane, Scalar, ValueBuilder};
use crate::capability::Need;
use crate::error::{Error, Failure};
use crate::interface::location::decorate_varying;
use crate::options::Options;
use crate::reflect::InterfaceVariable;
use crate::varyings::{Distances, Place, varying_location};
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::primitive::{InputPrimitive, MAX_PATCH_VERTICES};
use glasm_ir::{InputId, Program, Semantic, Stage, TypeBase};
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
struct Element {
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
        && options.fixed.quadrilaterals
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
    let vertices = options.fixed.patch_vertices;
    InputPrimitive::of_vertices(vertices.into()).ok_or_else(|| {
        Error::unsupported(format!(
            "a geometry program on patches of {vertices} vertices: Vulkan has no such primitive"
        ))
    })
}

impl Io<'_> {
    /// Returns the maximum number of vertices of the input primitive in the program.
    pub(crate) fn vertex_count(&self) -> Result<u32, Failure> {
        if takes_quadrilaterals(self.program, self.options) {
            Ok(3)
        } else {
            self.declared_vertices()
        }
    }

    /// Returns the maximum number of vertices of the input primitive in the module.
    // The number of vertices of a patch is state of the pipeline: arrays have the maximum length,
    // as `gl_in[gl_MaxPatchVertices]` in GLSL.
    fn declared_vertices(&self) -> Result<u32, Failure> {
        match self.program.stage {
            Stage::Geometry => {
                let primitive = input_primitive(self.program, self.options)?;
                Ok(primitive.vertices().unwrap_or(MAX_PATCH_VERTICES))
            }
            Stage::TessControl | Stage::TessEval => Ok(MAX_PATCH_VERTICES),
            stage @ (Stage::Vertex | Stage::Fragment | Stage::Compute) => Err(Error::unsupported(
                format!("{} programs have no inputs per vertex", stage.name()),
            )),
        }
    }

    /// Returns the lanes of an input of a vertex.
    pub(crate) fn vertex_lanes(
        &mut self,
        id: InputId,
        vertex: Vertex,
    ) -> Result<[Lane; 4], Failure> {
        let Vertex::Constant(number) = vertex else {
            return self.load_vertex(id, vertex);
        };
        if let Some(lanes) = self.vars.inputs.vertices.get(&(id, number)) {
            return Ok(*lanes);
        }
        let lanes = self.load_vertex(id, vertex)?;
        self.vars.inputs.vertices.insert((id, number), lanes);
        Ok(lanes)
    }

    fn load_vertex(&mut self, id: InputId, vertex: Vertex) -> Result<[Lane; 4], Failure> {
        let semantic = self.program.inputs[id].semantic;
        let place = self.options.interface.inputs.place(semantic);
        // Missing components read as (0, 0, 0, 1). Zeros of all types have the same bits, ones do
        // not.
        let one = make_one(self.w, place.map_or(TypeBase::Float, |place| place.base));
        let zero = self.w.float(0.0);
        let pad = [zero, zero, zero, one].map(Lane::scalar);
        // Built-ins first, which have no location.
        let element = if semantic == Semantic::Position {
            Element::builtin(BuiltIn::Position, 4)
        } else if semantic == Semantic::PointSize {
            Element::builtin(BuiltIn::PointSize, 1)
        } else if let Some((distances, plane)) = Distances::of(semantic) {
            Element {
                plane: Some(plane),
                ..Element::builtin(distances.builtin(), 1)
            }
        } else if semantic == Semantic::SecondaryPosition {
            return self.second_position(id, vertex, place.as_ref());
        } else if varying_location(semantic).is_none() || semantic.is_per_patch() {
            return Err(Error::unsupported(format!(
                "{semantic:?} is no input of the vertices of {} programs",
                self.program.stage.name()
            )));
        } else if let Some(place) = place {
            Element::placed(&place)
        } else {
            // The previous stage is known, and does not write it.
            return Ok(pad);
        };
        let variable = self.vertex_variable(id, element)?;
        let value = self.load_of_vertex(variable, vertex, element);
        Ok(Lane::first_of(value, element.size, pad))
    }

    /// Returns the position of a vertex in the second view: x is written by the previous stage, the
    /// other components are those of the position. NV_stereo_view_rendering section 2.X.3.2.
    fn second_position(
        &mut self,
        id: InputId,
        vertex: Vertex,
        place: Option<&Place>,
    ) -> Result<[Lane; 4], Failure> {
        let element = Element::builtin(BuiltIn::Position, 4);
        // The program need not declare the position as an input.
        let position = match self.known_builtin(BuiltIn::Position) {
            Some(variable) => variable,
            None => self.declare_vertex_builtin(BuiltIn::Position, element)?,
        };
        let mut lanes = Lane::all_of(self.load_of_vertex(position, vertex, element));
        if let Some(place) = place {
            let element = Element::placed(place);
            let variable = self.vertex_variable(id, element)?;
            lanes[0] = Lane::all_of(self.load_of_vertex(variable, vertex, element))[0];
        }
        Ok(lanes)
    }

    /// Loads an element: at the start of the function if the number of the vertex is constant.
    fn load_of_vertex(
        &mut self,
        variable: ValueWord,
        vertex: Vertex,
        element: Element,
    ) -> ValueWord {
        let takes_quadrilaterals = takes_quadrilaterals(self.program, self.options);
        if let (true, true, Vertex::Constant(number)) = (
            takes_quadrilaterals,
            self.options.target.is_opengl(),
            vertex,
        ) {
            return self.load_of_either(variable, number, element);
        }
        let (home, vertex) = match vertex {
            Vertex::Constant(number) => (Home::Prologue, self.w.uint(number)),
            Vertex::Dynamic(number) => (Home::Body, number),
        };
        let vertex = if takes_quadrilaterals {
            self.vertex_of_triangle(home, vertex)
        } else {
            vertex
        };
        load_element_of(self.w, variable, home, vertex, element)
    }

    /// Loads an element of a vertex of the triangle of this run, with constant numbers of vertices:
    /// Mesa 25.0 reads wrong bytes with dynamic ones.
    fn load_of_either(&mut self, variable: ValueWord, number: u32, element: Element) -> ValueWord {
        let home = Home::Prologue;
        let [first, second] = [number, number + 1].map(|number| self.w.uint(number));
        let first = load_element_of(self.w, variable, home, first, element);
        if number == 0 {
            return first;
        }
        let second = load_element_of(self.w, variable, home, second, element);
        let operands = [self.triangle().0, self.w.uint(0).0];
        let is_first = self
            .w
            .derive(home, Op::IEqual, Scalar::BoolInt, 1, &operands);
        let operands = [self.w.splat(is_first, element.size).0, first.0, second.0];
        self.w
            .derive(home, Op::Select, element.scalar, element.size, &operands)
    }

    /// Computes the number of a vertex of the triangle of this run in the quadrilateral: triangle n
    /// has the vertices 0, 1 + n and 2 + n.
    fn vertex_of_triangle(&mut self, home: Home, vertex: ValueWord) -> ValueWord {
        let triangle = self.triangle();
        let zero = self.w.uint(0);
        let operands = [vertex.0, zero.0];
        let is_first = self
            .w
            .derive(home, Op::IEqual, Scalar::BoolInt, 1, &operands);
        let operands = [vertex.0, triangle.0];
        let moved = self.w.derive(home, Op::IAdd, Scalar::U32, 1, &operands);
        let operands = [is_first.0, zero.0, moved.0];
        self.w.derive(home, Op::Select, Scalar::U32, 1, &operands)
    }

    /// Returns the number of the triangle of this run. The runs for the first triangle precede
    /// those for the second.
    fn triangle(&mut self) -> ValueWord {
        let runs = self.runs_of_triangle();
        let run = self.own_vertex();
        let runs = self.w.uint(runs);
        derive_at_start(self.w, Op::UDiv, Scalar::U32, &[run.0, runs.0])
    }

    /// Returns the number of runs of a geometry program that receives quadrilaterals for one of
    /// their triangles.
    pub(crate) fn runs_of_triangle(&self) -> u32 {
        self.program.modes.invocations.max(1) * self.vars.outputs.copies.count()
    }

    /// Returns the array of an input. Inputs of one semantic share it, and so do all distances of a
    /// kind.
    fn vertex_variable(&mut self, id: InputId, element: Element) -> Result<ValueWord, Failure> {
        if let Some(builtin) = element.builtin {
            return self.vertex_builtin(id, builtin, element);
        }
        let semantic = self.program.inputs[id].semantic;
        let known = self.vars.inputs.loaded[id.index()].variable;
        if known.is_some() {
            return Ok(known);
        }
        self.check_location(id)?;
        let variable = match self.variable_of(semantic) {
            Some(variable) => variable,
            None => self.declare_vertex_location(id, element)?,
        };
        self.vars.inputs.loaded[id.index()].variable = variable;
        Ok(variable)
    }

    fn declare_vertex_location(
        &mut self,
        id: InputId,
        element: Element,
    ) -> Result<ValueWord, Failure> {
        let semantic = self.program.inputs[id].semantic;
        let place = self.options.interface.inputs.place(semantic);
        let count = self.declared_vertices()?;
        let ty = self.w.ty(element.scalar, element.size);
        let array = self.w.declare_array(ty, count);
        let variable = self.variable(StorageClass::Input, array);
        if let Some(place) = place {
            decorate_varying(self.w, variable, &place);
        }
        self.w
            .name(variable, || input_name(self.program.stage, semantic));
        let location = place.map(|place| place.location);
        self.reflect_vertex_input(semantic, location, element);
        Ok(variable)
    }

    fn vertex_builtin(
        &mut self,
        id: InputId,
        builtin: BuiltIn,
        element: Element,
    ) -> Result<ValueWord, Failure> {
        let semantic = self.program.inputs[id].semantic;
        if !self.vars.inputs.loaded[id.index()].variable.is_some() {
            self.reflect_vertex_input(semantic, None, element);
        }
        let variable = match self.known_builtin(builtin) {
            Some(variable) => variable,
            None => self.declare_vertex_builtin(builtin, element)?,
        };
        self.vars.inputs.loaded[id.index()].variable = variable;
        Ok(variable)
    }

    fn declare_vertex_builtin(
        &mut self,
        builtin: BuiltIn,
        element: Element,
    ) -> Result<ValueWord, Failure> {
        let mut ty = self.w.ty(Scalar::F32, element.size);
        if let Some(distances) = Distances::of_builtin(builtin) {
            self.w.needs.insert(Need::of(distances));
            let semantics = self.program.inputs.iter().map(|input| input.semantic);
            ty = self.w.declare_array(ty, distances.len(semantics));
        } else if builtin == BuiltIn::PointSize {
            self.need_point_size();
        }
        let count = self.declared_vertices()?;
        let array = self.w.declare_array(ty, count);
        Ok(self.declare_builtin(StorageClass::Input, array, builtin))
    }

    /// Returns the number of the vertex that the invocation outputs.
    pub(crate) fn own_vertex(&mut self) -> ValueWord {
        let known = self.vars.inputs.own_vertex;
        if known.is_some() {
            return known;
        }
        let row = BuiltinRow {
            builtin: BuiltIn::InvocationId,
            scalar: Scalar::U32,
            size: 1,
            need: None,
        };
        let (_, number) = self.load_builtin_value(row);
        self.vars.inputs.own_vertex = number;
        number
    }

    /// Returns the number of the patch in a tessellation control program, loaded at the start of
    /// the function.
    pub(crate) fn patch_number(&mut self) -> ValueWord {
        let known = self.vars.inputs.patch_number;
        if known.is_some() {
            return known;
        }
        let row = BuiltinRow {
            builtin: BuiltIn::PrimitiveId,
            scalar: Scalar::U32,
            size: 1,
            need: None,
        };
        let (_, number) = self.load_builtin_value(row);
        self.vars.inputs.patch_number = number;
        number
    }

    /// Loads a tessellation level of the patch, at the start of the function.
    pub(crate) fn load_tess_level(&mut self, builtin: BuiltIn, number: u8) -> ValueWord {
        let known = self.known_builtin(builtin);
        let variable =
            known.unwrap_or_else(|| self.declare_tess_levels(builtin, StorageClass::Input));
        // The number in the IR may exceed the number of elements.
        let number = u32::from(number).min(tess_levels(builtin) - 1);
        load_element_at_start(self.w, variable, number, Scalar::F32)
    }

    /// Declares the array of tessellation levels of a patch.
    pub(crate) fn declare_tess_levels(
        &mut self,
        builtin: BuiltIn,
        class: StorageClass,
    ) -> ValueWord {
        let float = self.w.ty(Scalar::F32, 1);
        let array = self.w.declare_array(float, tess_levels(builtin));
        let variable = self.declare_builtin(class, array, builtin);
        self.w.decorate(variable, Decoration::Patch, &[]);
        variable
    }

    /// Requires the capability of point sizes, read or written by the stages between vertices and
    /// rasterization.
    pub(crate) fn need_point_size(&mut self) {
        match self.program.stage {
            // SPIR-V has a capability for each kind of stage, Vulkan one feature for both.
            Stage::Geometry => self.w.needs.insert(Need::GeometryPointSize),
            Stage::TessControl | Stage::TessEval => self.w.needs.insert(Need::TessPointSize),
            // Vertex programs write it without a capability; the others never write it.
            Stage::Vertex | Stage::Fragment | Stage::Compute => {}
        }
    }

    fn reflect_vertex_input(
        &mut self,
        semantic: Semantic,
        location: Option<u32>,
        element: Element,
    ) {
        self.vars.reflected.inputs.push(InterfaceVariable {
            per_vertex: true,
            ..InterfaceVariable::new(semantic, location, element.scalar, element.size)
        });
    }
}

/// Loads an element of the vertex with this number.
fn load_element_of(
    w: &mut ValueBuilder,
    variable: ValueWord,
    home: Home,
    vertex: ValueWord,
    element: Element,
) -> ValueWord {
    let ty = w.ty(element.scalar, element.size);
    let pointer_ty = w.pointer(StorageClass::Input, ty);
    // The index of the vertex comes first: per-vertex inputs are arrays of the type of the
    // semantic.
    let mut operands = vec![variable.0, vertex.0];
    if let Some(plane) = element.plane {
        operands.push(w.uint(plane).0);
    }
    let pointer = w.object();
    let section = w.section(home);
    section.long_result(Op::AccessChain, pointer_ty, pointer, &operands);
    let operands = [pointer.0];
    w.derive(home, Op::Load, element.scalar, element.size, &operands)
}

/// Returns the number of levels of a built-in.
pub(crate) fn tess_levels(builtin: BuiltIn) -> u32 {
    // Independent of the levels that the domain uses: VUID-TessLevelOuter-TessLevelOuter-04393,
    // VUID-TessLevelInner-TessLevelInner-04397.
    if builtin == BuiltIn::TessLevelOuter {
        4
    } else {
        2
    }
}

impl Element {
    const fn placed(place: &Place) -> Self {
        Self {
            builtin: None,
            scalar: base_scalar(place.base),
            size: place.components,
            plane: None,
        }
    }

    const fn builtin(builtin: BuiltIn, size: u8) -> Self {
        Self {
            builtin: Some(builtin),
            scalar: Scalar::F32,
            size,
            plane: None,
        }
    }
}
