//! Inputs and outputs of the entry points of a module, derived from its words.
//!
//! Modules come from the compiler, from tools and, as numbers, from scripts: a module that cannot
//! be analyzed has no interface, and the caller continues without one. Arrays, matrices and blocks
//! are decomposed: every variable here is a scalar or vector at a location.

use glasm::ir::Stage;
use glasm::reflect::{DescriptorSlot, ScalarType};
use rspirv::dr::{Instruction, Operand, load_words};
use rspirv::spirv::{Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use std::collections::{HashMap, HashSet};

/// Maximum location: variables past it are ignored, and so are longer arrays.
const MAX_LOCATION: u32 = 128;
/// Maximum number of analyzed parts of a variable.
const MAX_PARTS: u32 = 1024;
/// Types inside types that are followed.
const MAX_DEPTH: u32 = 8;

/// Stage input or output with a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Varying {
    pub(crate) location: u32,
    /// First component.
    pub(crate) component: u32,
    pub(crate) scalar: ScalarType,
    /// Number of components.
    pub(crate) components: u32,
    /// True for varyings of a patch.
    pub(crate) patch: bool,
    /// True for varyings that are not interpolated.
    pub(crate) flat: bool,
}

/// Entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EntryPoint {
    pub(crate) name: String,
    pub(crate) stage: Stage,
    pub(crate) inputs: Vec<Varying>,
    pub(crate) outputs: Vec<Varying>,
    /// Number of vertices of the patches that a tessellation control module writes, or of the
    /// primitives that a geometry module writes.
    pub(crate) output_vertices: Option<u32>,
    /// Input primitive of a geometry module, or the domain of a tessellation evaluation module.
    pub(crate) primitive: Option<Primitive>,
    /// True if the size of points is written.
    pub(crate) writes_point_size: bool,
}

/// Kinds of primitives that stages declare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Primitive {
    Points,
    Lines,
    LinesAdjacency,
    Triangles,
    TrianglesAdjacency,
    Quads,
    Isolines,
}

/// Entry points of a module, and the descriptors that its code names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Interface {
    pub(crate) entry_points: Vec<EntryPoint>,
    pub(crate) descriptors: Vec<DescriptorSlot>,
}

impl Interface {
    /// Parses the entry points of a module, and the descriptors that instructions of its functions
    /// use, in ascending order; `None` if the module is invalid. Entry points of stages that
    /// scripts do not have are omitted.
    pub(crate) fn parse(words: &[u32]) -> Option<Self> {
        let module = load_words(words).ok()?;
        let reader = ModuleReader::new(&module);
        let mut entry_points = Vec::new();
        for entry in &module.entry_points {
            entry_points.extend(reader.read_entry_point(&module, entry));
        }
        let used: HashSet<u32> = module
            .functions
            .iter()
            .flat_map(|function| &function.blocks)
            .flat_map(|block| &block.instructions)
            .flat_map(|instruction| instruction.operands.iter().filter_map(Operand::id_ref_any))
            .collect();
        let mut descriptors: Vec<_> = reader
            .decorations
            .iter()
            .filter(|(id, _)| used.contains(id))
            .filter_map(|(_, found)| {
                Some(DescriptorSlot {
                    set: found.set?,
                    binding: found.binding?,
                })
            })
            .collect();
        descriptors.sort_unstable();
        descriptors.dedup();
        Some(Self {
            entry_points,
            descriptors,
        })
    }

    /// Returns the entry point of a stage with a name.
    pub(crate) fn entry_point(&self, stage: Stage, name: &str) -> Option<&EntryPoint> {
        self.entry_points
            .iter()
            .find(|entry| entry.stage == stage && entry.name == name)
    }
}

/// Decorations of an id or of a member of a structure.
#[derive(Clone, Copy, Default)]
struct Decorations {
    location: Option<u32>,
    component: Option<u32>,
    set: Option<u32>,
    binding: Option<u32>,
    patch: bool,
    flat: bool,
    built_in: Option<rspirv::spirv::BuiltIn>,
}

impl Decorations {
    /// Stores the decoration of an instruction whose operands begin with the decoration: location,
    /// component, descriptor set, binding, `Patch`, `Flat` or built-in. Ignores all others.
    fn apply_decoration(&mut self, operands: &[Operand]) {
        let number = match operands.get(1) {
            Some(Operand::LiteralBit32(number)) => Some(*number),
            _ => None,
        };
        match operands.first() {
            Some(Operand::Decoration(Decoration::Location)) => self.location = number,
            Some(Operand::Decoration(Decoration::Component)) => self.component = number,
            Some(Operand::Decoration(Decoration::DescriptorSet)) => self.set = number,
            Some(Operand::Decoration(Decoration::Binding)) => self.binding = number,
            Some(Operand::Decoration(Decoration::Patch)) => self.patch = true,
            Some(Operand::Decoration(Decoration::Flat)) => self.flat = true,
            Some(Operand::Decoration(Decoration::BuiltIn)) => {
                if let Some(Operand::BuiltIn(found)) = operands.get(1) {
                    self.built_in = Some(*found);
                }
            }
            _ => {}
        }
    }

    /// Combines the decorations of a block with those of a member. The location of the member takes
    /// precedence; component and built-in are only those of the member.
    fn with_member(self, member: Self) -> Self {
        Self {
            location: member.location.or(self.location),
            component: member.component,
            patch: self.patch || member.patch,
            flat: self.flat || member.flat,
            built_in: member.built_in,
            ..self
        }
    }
}

/// Module by its ids.
struct ModuleReader<'a> {
    definitions: HashMap<u32, &'a Instruction>,
    decorations: HashMap<u32, Decorations>,
    members: HashMap<(u32, u32), Decorations>,
}

/// Returns the value of an operand that is a 32-bit literal; `None` if it is missing or of another
/// kind.
fn literal_operand(operand: Option<&Operand>) -> Option<u32> {
    if let Operand::LiteralBit32(number) = operand? {
        Some(*number)
    } else {
        None
    }
}

/// Returns the id in an operand; `None` if it is missing or of another kind.
fn id_operand(operand: Option<&Operand>) -> Option<u32> {
    operand?.id_ref_any()
}

/// Returns the stage of a SPIR-V execution model; `None` for models that scripts do not have, such
/// as mesh shaders.
fn stage_from_model(model: ExecutionModel) -> Option<Stage> {
    [
        (ExecutionModel::Vertex, Stage::Vertex),
        (ExecutionModel::TessellationControl, Stage::TessControl),
        (ExecutionModel::TessellationEvaluation, Stage::TessEval),
        (ExecutionModel::Geometry, Stage::Geometry),
        (ExecutionModel::Fragment, Stage::Fragment),
        (ExecutionModel::GLCompute, Stage::Compute),
    ]
    .into_iter()
    .find_map(|(known, stage)| (known == model).then_some(stage))
}

/// Returns the primitive that an execution mode of geometry and tessellation programs declares;
/// `None` for other modes.
fn primitive_from_mode(mode: ExecutionMode) -> Option<Primitive> {
    [
        (ExecutionMode::InputPoints, Primitive::Points),
        (ExecutionMode::InputLines, Primitive::Lines),
        (
            ExecutionMode::InputLinesAdjacency,
            Primitive::LinesAdjacency,
        ),
        (ExecutionMode::Triangles, Primitive::Triangles),
        (
            ExecutionMode::InputTrianglesAdjacency,
            Primitive::TrianglesAdjacency,
        ),
        (ExecutionMode::Quads, Primitive::Quads),
        (ExecutionMode::Isolines, Primitive::Isolines),
    ]
    .into_iter()
    .find_map(|(known, primitive)| (known == mode).then_some(primitive))
}

impl<'a> ModuleReader<'a> {
    /// Indexes the types, constants and global variables, the decorations and the member
    /// decorations of a module by result id.
    fn new(module: &'a rspirv::dr::Module) -> Self {
        let definitions = module
            .types_global_values
            .iter()
            .filter_map(|instruction| Some((instruction.result_id?, instruction)))
            .collect();
        let mut decorations: HashMap<u32, Decorations> = HashMap::new();
        let mut members: HashMap<(u32, u32), Decorations> = HashMap::new();
        for instruction in &module.annotations {
            let operands = &instruction.operands;
            let Some(target) = id_operand(operands.first()) else {
                continue;
            };
            if instruction.class.opcode == Op::Decorate {
                decorations
                    .entry(target)
                    .or_default()
                    .apply_decoration(&operands[1..]);
            }
            if let (Op::MemberDecorate, Some(member)) =
                (instruction.class.opcode, literal_operand(operands.get(1)))
            {
                let entry = members.entry((target, member)).or_default();
                entry.apply_decoration(&operands[2..]);
            }
        }
        Self {
            definitions,
            decorations,
            members,
        }
    }

    /// Reads an `OpEntryPoint` instruction and the execution modes of its function: name, stage,
    /// primitive, and inputs and outputs sorted by location. `None` if its stage is not supported.
    fn read_entry_point(
        &self,
        module: &rspirv::dr::Module,
        entry: &Instruction,
    ) -> Option<EntryPoint> {
        let (model, function, name) = match entry.operands.as_slice() {
            [
                Operand::ExecutionModel(model),
                Operand::IdRef(function),
                Operand::LiteralString(name),
                ..,
            ] => (*model, *function, name.clone()),
            _ => return None,
        };
        let mut entry_point = EntryPoint {
            name,
            stage: stage_from_model(model)?,
            inputs: Vec::new(),
            outputs: Vec::new(),
            output_vertices: None,
            primitive: None,
            writes_point_size: false,
        };
        for mode in &module.execution_modes {
            if id_operand(mode.operands.first()) != Some(function) {
                continue;
            }
            if let Some(Operand::ExecutionMode(kind)) = mode.operands.get(1) {
                entry_point.primitive = entry_point.primitive.or(primitive_from_mode(*kind));
                if *kind == ExecutionMode::OutputVertices {
                    entry_point.output_vertices = literal_operand(mode.operands.get(2));
                }
            }
        }
        for variable in entry.operands[3..].iter().filter_map(Operand::id_ref_any) {
            self.add_variable(&mut entry_point, variable);
        }
        entry_point.inputs.sort_by_key(|input| input.location);
        entry_point.outputs.sort_by_key(|output| output.location);
        Some(entry_point)
    }

    /// Adds the scalars and vectors of a global variable to the inputs or outputs of an entry
    /// point; the array over vertices of some stages is omitted. Returns `None`, and adds nothing,
    /// if it is neither an input nor an output, or its definition is incomplete.
    fn add_variable(&self, entry: &mut EntryPoint, variable: u32) -> Option<()> {
        let definition = self.definitions.get(&variable)?;
        let Some(Operand::StorageClass(class)) = definition.operands.first() else {
            return None;
        };
        let pointer = self.definitions.get(&definition.result_type?)?;
        let mut ty = id_operand(pointer.operands.get(1))?;
        let decorations = self.decorations.get(&variable).copied().unwrap_or_default();
        let is_input = *class == StorageClass::Input;
        if !is_input && *class != StorageClass::Output {
            return None;
        }
        let per_vertex = match entry.stage {
            Stage::TessControl => !decorations.patch,
            Stage::TessEval => is_input && !decorations.patch,
            Stage::Geometry => is_input,
            Stage::Vertex | Stage::Fragment | Stage::Compute => false,
        };
        if per_vertex && let Some((element, _)) = self.array_type(ty) {
            ty = element;
        }
        let mut flattened = FlattenedVaryings::default();
        self.flatten_type(
            ty,
            decorations,
            decorations.location,
            MAX_DEPTH,
            &mut flattened,
        );
        if is_input {
            entry.inputs.extend(flattened.varyings);
        } else {
            entry.writes_point_size |= flattened.point_size;
            entry.outputs.extend(flattened.varyings);
        }
        Some(())
    }

    /// Returns the element type and length of an array type; 1 for lengths that are unknown. `None`
    /// if the type is not an array.
    fn array_type(&self, ty: u32) -> Option<(u32, u32)> {
        let definition = self.definitions.get(&ty)?;
        if definition.class.opcode == Op::TypeRuntimeArray {
            return Some((id_operand(definition.operands.first())?, 1));
        }
        if definition.class.opcode != Op::TypeArray {
            return None;
        }
        let length = self
            .definitions
            .get(&id_operand(definition.operands.get(1))?)?;
        let length = literal_operand(length.operands.first()).unwrap_or(1);
        Some((id_operand(definition.operands.first())?, length))
    }

    /// Returns the types and decorations of the members of a structure, the columns of a matrix, or
    /// the elements of an array, at most [`MAX_LOCATION`]; empty for other types. `decorations` are
    /// those of the whole.
    fn type_members(
        &self,
        ty: u32,
        definition: &Instruction,
        decorations: Decorations,
    ) -> Vec<(u32, Decorations)> {
        if definition.class.opcode == Op::TypeStruct {
            let member = |(number, member): (u32, &Operand)| {
                let member_decorations = self.members.get(&(ty, number)).copied();
                let own = member_decorations.unwrap_or_default();
                Some((member.id_ref_any()?, decorations.with_member(own)))
            };
            (0u32..)
                .zip(&definition.operands)
                .filter_map(member)
                .collect()
        } else if definition.class.opcode == Op::TypeMatrix {
            let columns = literal_operand(definition.operands.get(1))
                .unwrap_or(0)
                .min(4);
            let column = id_operand(definition.operands.first()).unwrap_or(0);
            vec![(column, decorations); columns as usize]
        } else if let Some((element, length)) = self.array_type(ty) {
            vec![(element, decorations); length.min(MAX_LOCATION) as usize]
        } else {
            Vec::new()
        }
    }

    /// Decomposes a type into scalars and vectors, which are appended to `flattened` with
    /// consecutive locations from `location` on; without a location, for built-ins and for
    /// locations from [`MAX_LOCATION`] on none is added. Returns the number of locations that the
    /// type occupies, 0 if it is nested deeper than `depth`.
    fn flatten_type(
        &self,
        ty: u32,
        decorations: Decorations,
        location: Option<u32>,
        depth: u32,
        flattened: &mut FlattenedVaryings,
    ) -> u32 {
        let Some(definition) = self.definitions.get(&ty) else {
            return 0;
        };
        if decorations.built_in == Some(rspirv::spirv::BuiltIn::PointSize) {
            flattened.point_size = true;
        }
        if let Some((scalar, components)) = self.vector_type(ty) {
            if let Some(location) = location
                && location < MAX_LOCATION
                && decorations.built_in.is_none()
            {
                flattened.varyings.push(Varying {
                    location,
                    component: decorations.component.unwrap_or(0),
                    scalar,
                    components,
                    patch: decorations.patch,
                    flat: decorations.flat,
                });
            }
            return 1 + u32::from(scalar == ScalarType::Float64 && components > 2);
        }
        let Some(depth) = depth.checked_sub(1) else {
            return 0;
        };
        let parts = self.type_members(ty, definition, decorations);
        let is_block = definition.class.opcode == Op::TypeStruct;
        let mut used = 0;
        for (part, part_decorations) in parts {
            flattened.parts += 1;
            if flattened.parts > MAX_PARTS {
                break;
            }
            let start = match (is_block, part_decorations.location, location) {
                // A member that names its own location starts over.
                (true, Some(own), _) if Some(own) != decorations.location => {
                    used = location.map_or(0, |first| own.saturating_sub(first));
                    Some(own)
                }
                (_, _, first) => first.map(|first| first.saturating_add(used)),
            };
            let taken = self.flatten_type(part, part_decorations, start, depth, flattened);
            used = used.saturating_add(taken);
        }
        used
    }

    /// Returns the scalar type and the number of components of a scalar or vector type; `None` for
    /// any other type.
    fn vector_type(&self, ty: u32) -> Option<(ScalarType, u32)> {
        let definition = self.definitions.get(&ty)?;
        if definition.class.opcode == Op::TypeVector {
            let (scalar, _) = self.vector_type(id_operand(definition.operands.first())?)?;
            return Some((scalar, literal_operand(definition.operands.get(1))?));
        }
        let bits = literal_operand(definition.operands.first());
        let signed = literal_operand(definition.operands.get(1)).unwrap_or(0) != 0;
        let scalar = match (definition.class.opcode, bits?) {
            (Op::TypeFloat, 64) => ScalarType::Float64,
            (Op::TypeFloat, _) => ScalarType::Float32,
            (Op::TypeInt, _) if signed => ScalarType::Sint32,
            (Op::TypeInt, _) => ScalarType::Uint32,
            _ => return None,
        };
        Some((scalar, 1))
    }
}

/// Result of decomposing a type.
#[derive(Default)]
struct FlattenedVaryings {
    varyings: Vec<Varying>,
    point_size: bool,
    /// Number of analyzed parts.
    parts: u32,
}

/// Inputs and outputs of a stage that are passed between stages.
#[derive(Clone, Debug)]
pub(super) struct StageInterface {
    pub(super) stage: Stage,
    pub(super) inputs: Vec<Varying>,
    pub(super) outputs: Vec<Varying>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::stages::{self, PatchVarying};

    #[test]
    fn modules_say_what_they_read_and_write() {
        let varying = Varying {
            location: 3,
            component: 1,
            scalar: ScalarType::Float32,
            components: 2,
            patch: false,
            flat: false,
        };
        let semantic = glasm::ir::Semantic::GenericVarying(0);
        let place = glasm::VaryingLocation {
            semantic,
            location: 3,
            first_component: 1,
            base_type: glasm::ir::BaseType::Float,
            component_count: 2,
        };
        let mut options = glasm::Options::default();
        options.interface.inputs = glasm::Varyings::Explicit(vec![place]);
        options.interface.outputs = glasm::Varyings::Explicit(vec![place]);
        let read = |program: &glasm::ir::Program| {
            let shader = glasm::Compiler::new().compile_ir(program, &options);
            Interface::parse(&shader.unwrap().words).unwrap()
        };
        let interface = read(&stages::build_passthrough_control(
            &[semantic],
            5,
            glasm::DefaultTessLevels::default(),
        ));
        let entry = interface.entry_point(Stage::TessControl, "main").unwrap();
        assert_eq!(
            (&entry.inputs, &entry.outputs),
            (&vec![varying], &vec![varying])
        );
        assert_eq!(entry.output_vertices, Some(5));
        assert!(interface.entry_point(Stage::TessEval, "main").is_none());
        let passed = [PatchVarying::Interpolated(semantic)];
        let interface = read(&stages::build_passthrough_evaluation(&passed, 3));
        assert_eq!(
            interface.entry_points[0].primitive,
            Some(Primitive::Triangles)
        );
    }

    #[test]
    fn words_that_are_no_module_have_no_interface() {
        assert_eq!(Interface::parse(&[]), None);
        assert_eq!(Interface::parse(&[0x0723_0203, 0x10000, 0, 9, 0, 7]), None);
    }

    /// Tests a vertex module whose output is `float[128][128][128][128]` at the last valid
    /// location.
    #[test]
    fn huge_types_end() {
        let mut words = vec![0x0723_0203, 0x10300, 0, 100, 0];
        let mut op = |opcode: Op, operands: &[u32]| {
            words.push((operands.len() as u32 + 1) << 16 | opcode as u32);
            words.extend_from_slice(operands);
        };
        op(Op::Capability, &[1]);
        op(Op::MemoryModel, &[0, 1]);
        op(Op::EntryPoint, &[0, 1, u32::from_le_bytes(*b"main"), 0, 2]);
        op(Op::Decorate, &[2, 30, u32::MAX]);
        op(Op::TypeFloat, &[10, 32]);
        op(Op::TypeInt, &[11, 32, 0]);
        op(Op::Constant, &[11, 12, u32::MAX]);
        for level in 0..6 {
            let element = if level == 0 { 10 } else { 19 + level };
            op(Op::TypeArray, &[20 + level, element, 12]);
        }
        op(Op::TypePointer, &[30, 3, 25]);
        op(Op::Variable, &[30, 2, 3]);
        let interface = Interface::parse(&words).unwrap();
        assert!(interface.entry_points[0].outputs.is_empty());
    }
}
