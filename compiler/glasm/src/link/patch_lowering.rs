//! Lowering of patches that reach geometry programs and rasterization, which Vulkan does not
//! support: there, patches end in an evaluation stage.
//!
//! A geometry program with `PRIMITIVE_IN PATCHES` receives, from an evaluation stage that is
//! generated here, one line for each patch: a subdivision as `isolines` with the outer levels 1 and
//! 1 yields exactly one line. The varyings of its vertices contain the patch, one for every
//! attribute of every vertex that the program reads, including levels and per-patch attributes.
//! Either both vertices have all of them, or each vertex has a part, selected by the tessellation
//! coordinate, as the order of the vertices is unspecified. The program is rewritten to accept
//! lines and to read its inputs there. So it can read at most 62 vectors, and 30 on devices that
//! have no more than Vulkan guarantees; dynamically indexed arrays are in one vertex. The previous
//! control program writes its levels to per-patch attributes, and sets the levels that yield one
//! line.
//!
//! Patches of a control program without a following stage become points: a subdivision in point
//! mode, as a line with that number of points.

use crate::stages::{DefaultTessLevels, IrTextBuilder, build_passthrough_control};
use glasm_codegen::varyings::VARYING_LOCATIONS;
use glasm_frontend::lang::stage_name;
use glasm_frontend::{Code, Diagnostic};
use glasm_ir::arena::{Id, IndexVec};
use glasm_ir::inst::{Dst, IndexTerm, InstFlags};
use glasm_ir::primitive::InputPrimitive;
use glasm_ir::{
    Block, Index, Input, InputId, Inst, InstData, Node, Op, OperandBase, Output, Program, Register,
    RegisterId, Semantic, Span, Src, Stage, Storage, Swizzle, Type, Width, WriteMask,
};
use std::collections::{BTreeSet, HashMap};

/// Number of per-patch attributes that can have locations.
const PATCH_ATTRIBUTES: u8 = 32;

/// The evaluation program between a control program and a geometry program of patches, and both
/// programs, adapted to it.
pub(super) struct BridgedStages {
    pub(super) control: Program,
    pub(super) evaluation: Program,
    pub(super) geometry: Program,
}

/// Returns true if patches of `vertices` vertices can be drawn as primitives with as many: there
/// are such primitives, and the geometry program reads no per-patch inputs.
pub(super) fn can_draw_as_primitive(geometry: &Program, vertices: u32) -> bool {
    let mut inputs = geometry.inputs.iter();
    InputPrimitive::from_vertex_count(vertices).is_some()
        && !inputs.any(|input| input.semantic.is_per_patch())
}

/// Returns a control program that passes the per-vertex inputs of a geometry program through, in
/// patches of `vertices` vertices, with these levels.
pub(super) fn build_control_for_geometry(
    geometry: &Program,
    vertices: u32,
    levels: DefaultTessLevels,
) -> Program {
    let read: BTreeSet<Semantic> = geometry
        .inputs
        .iter()
        // The position is always passed through.
        .filter(|input| input.per_vertex && input.semantic != Semantic::Position)
        .map(|input| input.semantic)
        .collect();
    let read: Vec<Semantic> = read.into_iter().collect();
    build_passthrough_control(&read, vertices, levels)
}

/// Returns the evaluation program between a control program and a geometry program of patches, and
/// copies of both that are adapted to it: one line is generated for each patch, whose ends have the
/// inputs of the geometry program. Fails if they are too many.
pub(super) fn build_bridge(
    control: &Program,
    geometry: &Program,
) -> Result<BridgedStages, Diagnostic> {
    let mut control = control.clone();
    let mut geometry = geometry.clone();
    move_levels_to_attributes(&mut control, &mut geometry)?;
    insert_level_writes(&mut control, &[1.0, 1.0]);
    let mut needed = 0;
    for room in SLOT_BUDGETS {
        let rewriter = GeometryRewriter::new(&geometry, control.modes.vertices_out, room);
        let (geometry, vertices) = rewriter.rewrite();
        if vertices.iter().all(|slots| slots.len() <= room.slots) {
            return Ok(BridgedStages {
                evaluation: build_bridge_stage(&vertices, room),
                control,
                geometry,
            });
        }
        needed = vertices.iter().map(Vec::len).sum();
    }
    Err(Diagnostic::whole_program(
        Code::OutputTooLarge,
        format!(
            "the geometry program reads {needed} vectors of a patch; at most {} are available",
            2 * (VARYING_LOCATIONS - 1)
        ),
    ))
}

/// Capacity of the vertices of the line.
#[derive(Clone, Copy)]
struct SlotBudget {
    slots: usize,
    /// Number of vertices with separate slots; if it is one, both vertices have the same ones.
    vertices: usize,
}

/// Capacities in the order in which they are tried. Vulkan guarantees 16 vectors
/// (`maxGeometryInputComponents`); the position that distinguishes the vertices is one of them.
const SLOT_BUDGETS: [SlotBudget; 4] = [
    make_slot_budget(16, 1),
    make_slot_budget(15, 2),
    make_slot_budget(VARYING_LOCATIONS as usize, 1),
    make_slot_budget(VARYING_LOCATIONS as usize - 1, 2),
];

/// Returns a budget of `slots` vectors for each of `vertices` vertices of the line.
const fn make_slot_budget(slots: usize, vertices: usize) -> SlotBudget {
    SlotBudget { slots, vertices }
}

/// Slots of the two vertices of the line.
type LineSlots = [Vec<PatchSlot>; 2];

/// Returns the control program, adapted to it, and the evaluation program that generates points
/// from the vertices of its patches. Fails for patches of one vertex, and without a free per-patch
/// attribute for the levels.
pub(super) fn build_point_stage(control: &Program) -> Result<(Program, Program), Diagnostic> {
    let vertices = control.modes.vertices_out;
    if vertices < 2 {
        let name = stage_name(Stage::TessControl);
        return Err(Diagnostic::whole_program(
            Code::Unsupported,
            format!(
                "patches of one vertex after a {name} program without a following stage are not supported"
            ),
        ));
    }
    let mut control = control.clone();
    // An isoline of n - 1 segments has n points, and one line needs the outer levels 1 and n - 1.
    let segments = (vertices - 1) as f32;
    let mut unused_reader = Program::new(Stage::Geometry);
    move_levels_to_attributes(&mut control, &mut unused_reader)?;
    insert_level_writes(&mut control, &[1.0, segments]);
    let mut builder = IrTextBuilder::new(
        "tess_eval",
        format_args!("tess_mode isolines\npoint_mode\n"),
    );
    let semantics: BTreeSet<Semantic> = control
        .outputs
        .iter()
        .map(|output| output.semantic)
        .filter(|semantic| !semantic.is_per_patch())
        .collect();
    let copies: Vec<_> = semantics
        .into_iter()
        .map(|semantic| {
            let from = builder.declare_input(semantic, "float per_vertex");
            (from, builder.declare_output(semantic))
        })
        .collect();
    let tess_coord = builder.declare_input(Semantic::TessCoord, "float");
    let vertex = builder.declare_temp();
    builder.push_line(format_args!(
        // Points are at the multiples of 1 / (n - 1). The rounded product need not be integral, so
        // it is rounded to the nearest integer.
        "{vertex}.x = mul.f32 {tess_coord}.xxxx, {{{segments:?}}}"
    ));
    builder.push_line(format_args!(
        "{vertex}.x = cvt.s32 (f32 even) {vertex}.xxxx"
    ));
    for (from, to) in copies {
        builder.push_line(format_args!(
            "{to}.xyzw = mov.u32 {from}[0 of 1, vertex {vertex}.x].xyzw"
        ));
    }
    Ok((control, builder.finish()))
}

/// Renames the tessellation levels that a control program writes to free per-patch attributes, also
/// in the inputs of the following program that reads them. Fails if there are not enough.
fn move_levels_to_attributes(
    control: &mut Program,
    reader: &mut Program,
) -> Result<(), Diagnostic> {
    let is_level = |semantic: Semantic| {
        matches!(
            semantic,
            Semantic::TessLevelOuter(_) | Semantic::TessLevelInner(_)
        )
    };
    let levels: BTreeSet<Semantic> = control
        .outputs
        .iter()
        .map(|output| output.semantic)
        .filter(|semantic| is_level(*semantic))
        .collect();
    let used: BTreeSet<Semantic> = control
        .outputs
        .iter()
        .map(|output| output.semantic)
        .chain(reader.inputs.iter().map(|input| input.semantic))
        .collect();
    let mut free = (0..PATCH_ATTRIBUTES)
        .map(Semantic::GenericPatchVarying)
        .filter(|semantic| !used.contains(semantic));
    let mut moved = HashMap::new();
    for level in levels {
        let Some(attribute) = free.next() else {
            let message =
                "all per-patch attributes are used; none is available for the tessellation levels";
            return Err(Diagnostic::whole_program(Code::OutputTooLarge, message));
        };
        moved.insert(level, attribute);
    }
    let renamed = |semantic: Semantic| moved.get(&semantic).copied().unwrap_or(semantic);
    update_table(&mut control.outputs, |output| Output {
        semantic: renamed(output.semantic),
        ..output
    });
    update_table(&mut reader.inputs, |input| Input {
        semantic: renamed(input.semantic),
        ..input
    });
    Ok(())
}

/// Replaces each entry of a table by the result of `change`.
fn update_table<I: Id, T: Copy>(table: &mut IndexVec<I, T>, change: impl Fn(T) -> T) {
    for number in 0..table.len() {
        let id = I::new(number);
        table[id] = change(table[id]);
    }
}

/// Adds outputs for the outer tessellation levels, from level 0 on, and inserts their writes before
/// all other code.
fn insert_level_writes(program: &mut Program, levels: &[f32]) {
    let first = program.insts.len() as u32;
    for (number, level) in (0u8..).zip(levels) {
        let output = program
            .outputs
            .push(Output::new(Semantic::TessLevelOuter(number)));
        let register = push_register(program, Storage::Output(output));
        let literal = program.literals.push([u64::from(level.to_bits()); 4]);
        let source = Src::new(OperandBase::Literal(literal));
        push_inst(
            program,
            Op::Mov,
            Dst::new(register, WriteMask::X),
            &[source],
        );
    }
    move_insts_to_start(program, first);
}

/// Moves the last instructions of the table, from `first` on, to the start of the main routine, of
/// which they are not yet a part.
fn move_insts_to_start(program: &mut Program, first: u32) {
    let len = program.insts.len() as u32 - first;
    let body = program.routines[program.main].body;
    let old = program.block_nodes(body).to_vec();
    let start = program.nodes.len() as u32;
    program.nodes.push(Node::Run { first, len });
    program.nodes.extend(old);
    program.blocks[body] = Block {
        first: start,
        len: program.nodes.len() as u32 - start,
    };
}

/// Adds an unnamed 32-bit register that is not an array, and returns it.
fn push_register(program: &mut Program, storage: Storage) -> RegisterId {
    program.registers.push(Register {
        storage,
        width: Width::W32,
        array_len: None,
        name: None,
    })
}

/// Appends an unconditional instruction on unsigned integers to the table, without a node that
/// contains it.
fn push_inst(program: &mut Program, op: Op, dst: Dst, sources: &[Src]) {
    let first_source = program.srcs.len() as u32;
    program.srcs.extend_from_slice(sources);
    program.insts.push(Inst {
        op,
        ty: Type::U32,
        flags: InstFlags::empty(),
        source_count: sources.len() as u8,
        first_source,
        dst: Some(dst),
        data: InstData::None,
        span: Span::default(),
    });
}

/// Content of a varying of the line: an input of the geometry program, of a vertex or of the patch.
type PatchSlot = (Semantic, Option<u32>);

/// Returns the evaluation program that writes the slots of the vertices of the line as generic
/// varyings. If there are several vertices, the position identifies the vertex.
fn build_bridge_stage(vertices: &LineSlots, budget: SlotBudget) -> Program {
    let mut builder = IrTextBuilder::new("tess_eval", format_args!("tess_mode isolines\n"));
    let mut inputs: HashMap<Semantic, String> = HashMap::new();
    for (semantic, vertex) in vertices.iter().flatten() {
        let properties = match vertex {
            Some(_) => "float per_vertex",
            None => "float",
        };
        let known = inputs.entry(*semantic);
        known.or_insert_with(|| builder.declare_input(*semantic, properties));
    }
    let tess_coord = builder.declare_input(Semantic::TessCoord, "float");
    let count = vertices.iter().map(Vec::len).max().unwrap_or(0);
    let outputs: Vec<String> = (0..count as u8)
        .map(|number| builder.declare_output(Semantic::GenericVarying(number)))
        .collect();
    let position = (budget.vertices > 1).then(|| builder.declare_output(Semantic::Position));
    let end = builder.declare_temp();
    let fill = |builder: &mut IrTextBuilder, slots: &[PatchSlot]| {
        for ((semantic, vertex), to) in slots.iter().zip(&outputs) {
            let from = &inputs[semantic];
            let at = match vertex {
                Some(vertex) => format!("[0 of 1, vertex {vertex}]"),
                None => String::new(),
            };
            builder.push_line(format_args!("{to}.xyzw = mov.u32 {from}{at}.xyzw"));
        }
    };
    fill(&mut builder, &vertices[0]);
    if let Some(position) = position {
        builder.push_line(format_args!("{position}.xyzw = mov.f32 {tess_coord}.xyzw"));
        // The ends of the line have the coordinates 0 and 1.
        builder.push_line(format_args!(
            "{end}.x = setge.f32 {tess_coord}.xxxx, {{0.5}}"
        ));
        builder.push_line(format_args!("if nonzero.f32 {end}.x {{"));
        fill(&mut builder, &vertices[1]);
        builder.push_line(format_args!("}}"));
    }
    builder.finish()
}

/// An input, and the vertex of the line that has it.
type VertexInput = (InputId, usize);

/// Rewrites a geometry program of patches to one of lines.
struct GeometryRewriter<'a> {
    source: &'a Program,
    /// Number of vertices of the patch.
    vertices: u32,
    target: Program,
    budget: SlotBudget,
    slots: LineSlots,
    /// For each dynamically indexed input, the first of the consecutive inputs that replace it, one
    /// for each vertex.
    dynamic_inputs: HashMap<InputId, VertexInput>,
    /// Inputs that replace an input of one vertex.
    constant_inputs: HashMap<(InputId, u32), VertexInput>,
    /// Inputs that are not part of the patch.
    other_inputs: HashMap<InputId, InputId>,
    /// Indices of the vertices of the line that have the first and the second slots, if these are
    /// different.
    vertex_order: Option<RegisterId>,
    /// Registers of computed elements, one lane for each, and the number that the current
    /// instruction has used.
    scratch: Vec<RegisterId>,
    used_scratch_lanes: usize,
}

impl<'a> GeometryRewriter<'a> {
    /// Returns a rewriter whose target is a copy of `from` without instructions and inputs;
    /// `vertices` is the size of the patch.
    fn new(from: &'a Program, vertices: u32, room: SlotBudget) -> Self {
        Self {
            source: from,
            vertices: vertices.max(1),
            target: Program {
                insts: Vec::new(),
                inputs: IndexVec::new(),
                ..from.clone()
            },
            budget: room,
            slots: LineSlots::default(),
            dynamic_inputs: HashMap::new(),
            constant_inputs: HashMap::new(),
            other_inputs: HashMap::new(),
            vertex_order: None,
            scratch: Vec::new(),
            used_scratch_lanes: 0,
        }
    }

    /// Returns the program that takes lines instead of patches, and the slots of its inputs in
    /// these lines, which may be more than the budget allows.
    fn rewrite(mut self) -> (Program, LineSlots) {
        self.target.modes.primitive_in = InputPrimitive::Lines;
        if self.budget.vertices > 1 {
            self.vertex_order = Some(push_register(&mut self.target, Storage::Temp));
        }
        self.assign_dynamic_slots();
        for number in 0..self.target.nodes.len() {
            let Node::Run { first, len } = self.target.nodes[number] else {
                continue;
            };
            let start = self.target.insts.len() as u32;
            for inst in self.source.run_insts(first, len) {
                self.rewrite_inst(*inst);
            }
            self.target.nodes[number] = Node::Run {
                first: start,
                len: self.target.insts.len() as u32 - start,
            };
        }
        if let Some(order) = self.vertex_order {
            self.emit_order(order);
        }
        (self.target, self.slots)
    }

    /// Emits code at the start that determines the order of the vertices of the line: lanes x and y
    /// of `order` become the numbers of its first and second vertex.
    fn emit_order(&mut self, order: RegisterId) {
        let position = self.target.inputs.push(Input {
            per_vertex: true,
            ..Input::new(Semantic::Position)
        });
        let first_vertex = self.target.indices.push(Index {
            element: IndexTerm::from_constant(0),
            len: 1,
            vertex: Some(IndexTerm::from_constant(0)),
        });
        let position_x = Src {
            index: Some(first_vertex),
            ..Src::new(OperandBase::Input(position)).swizzled(Swizzle::new([0; 4]))
        };
        let [half, one] = [0.5f32.to_bits(), 1].map(|bits| {
            let literal = self.target.literals.push([u64::from(bits); 4]);
            Src::new(OperandBase::Literal(literal))
        });
        let first = self.target.insts.len() as u32;
        let dst = |lane: u8| Dst::new(order, WriteMask(1 << lane));
        // Bits of nonnegative floats have the same order as the floats.
        push_inst(&mut self.target, Op::SetGe, dst(0), &[position_x, half]);
        push_inst(
            &mut self.target,
            Op::And,
            dst(0),
            &[load_lane((order, 0)), one],
        );
        push_inst(
            &mut self.target,
            Op::Xor,
            dst(1),
            &[load_lane((order, 0)), one],
        );
        move_insts_to_start(&mut self.target, first);
    }

    /// Assigns consecutive slots to the inputs that any source selects with a dynamic index.
    fn assign_dynamic_slots(&mut self) {
        for src in &self.source.srcs {
            let (OperandBase::Input(first), Some(index)) = (src.base, src.index) else {
                continue;
            };
            let index = self.source.indices[index];
            let is_dynamic = |term: IndexTerm| term.relative.is_some();
            if is_dynamic(index.element) || index.vertex.is_some_and(is_dynamic) {
                self.assign_array_slots(first, index.len.max(1));
            }
        }
    }

    /// Assigns consecutive slots at one vertex of the line to the inputs that a dynamic index can
    /// select: `len` inputs from `first` on, at each vertex of the patch. Inputs that have slots
    /// are unchanged.
    fn assign_array_slots(&mut self, first: InputId, len: u32) {
        // Element e of vertex v is at e * vertices + v from the first slot: the vertices of an
        // element are consecutive.
        let end = (first.index() + len as usize).min(self.source.inputs.len());
        let vertex = self
            .find_vertex_with_capacity(end.saturating_sub(first.index()) * self.get_stride(first));
        for number in first.index()..end {
            let id = InputId::new(number);
            if self.dynamic_inputs.contains_key(&id) {
                continue;
            }
            let input = self.source.inputs[id];
            let place = (self.target.inputs.next_id(), vertex);
            for vertex_index in 0..self.get_stride(id) as u32 {
                self.push_slot(
                    vertex,
                    (input.semantic, input.per_vertex.then_some(vertex_index)),
                );
            }
            self.dynamic_inputs.insert(id, place);
        }
    }

    /// Returns the number of slots that an input occupies: one for each vertex of the patch, or one
    /// if it is per patch.
    fn get_stride(&self, id: InputId) -> usize {
        if self.source.inputs[id].per_vertex {
            self.vertices as usize
        } else {
            1
        }
    }

    /// Returns the first vertex of the line with capacity for `count` slots; the last vertex if
    /// none has.
    fn find_vertex_with_capacity(&self, count: usize) -> usize {
        // All of them in one vertex, because they may be an array: a dynamic index selects
        // elements, not vertices.
        let last = self.budget.vertices - 1;
        let mut vertices = 0..last;
        let has_capacity = |vertex: &usize| self.slots[*vertex].len() + count <= self.budget.slots;
        vertices.find(has_capacity).unwrap_or(last)
    }

    /// Adds a slot at one vertex of the line, and returns the new input that reads it, the generic
    /// varying with the number of the slot.
    fn push_slot(&mut self, vertex: usize, slot: PatchSlot) -> InputId {
        let number = self.slots[vertex].len().min(usize::from(u8::MAX)) as u8;
        self.slots[vertex].push(slot);
        self.target.inputs.push(Input {
            per_vertex: true,
            ..Input::new(Semantic::GenericVarying(number))
        })
    }

    /// Appends an instruction to the target program, with its reads of inputs replaced by reads of
    /// their slots, before which it may append others.
    fn rewrite_inst(&mut self, inst: Inst) {
        let mut sources = self.source.sources(&inst).to_vec();
        self.used_scratch_lanes = 0;
        for src in &mut sources {
            if let OperandBase::Input(id) = src.base {
                self.rewrite_source(id, src);
            }
        }
        let first_source = self.target.srcs.len() as u32;
        self.target.srcs.extend(sources);
        self.target.insts.push(Inst {
            first_source,
            ..inst
        });
    }

    /// Rewrites a source that reads input `id`: inputs of the patch become slots of the line, the
    /// number of vertices becomes a literal, others become the target's copy.
    fn rewrite_source(&mut self, id: InputId, src: &mut Src) {
        let input = self.source.inputs[id];
        let index = src.index.map(|index| self.source.indices[index]);
        if input.semantic == Semantic::InputVertexCount {
            let count = u64::from(self.vertices);
            let literal = self.target.literals.push([count, 0, 0, 1]);
            (src.base, src.index) = (OperandBase::Literal(literal), None);
        } else if !input.per_vertex && !input.semantic.is_per_patch() {
            src.base = OperandBase::Input(self.get_own_input(id));
        } else {
            let index = index.unwrap_or(Index {
                element: IndexTerm::from_constant(0),
                len: 1,
                vertex: None,
            });
            self.rewrite_patch_source(id, index, src);
        }
    }

    /// Returns the target's copy of input `id`, which is not part of the patch; the first call adds
    /// it.
    fn get_own_input(&mut self, id: InputId) -> InputId {
        let input = self.source.inputs[id];
        let new = self.other_inputs.entry(id);
        *new.or_insert_with(|| self.target.inputs.push(input))
    }

    /// Rewrites a source that is an element of an array of inputs of a vertex, or of the patch, to
    /// read its slot of the line. May append instructions that compute the element.
    fn rewrite_patch_source(&mut self, id: InputId, index: Index, src: &mut Src) {
        let stride = self.get_stride(id) as u32;
        let vertex = index.vertex.unwrap_or(IndexTerm::from_constant(0));
        let known = index.element.relative.is_none() && vertex.relative.is_none();
        let ((first, of_line), element, len) = if known {
            let number = id.index() + index.element.offset.max(0) as usize;
            let input_id = InputId::new(number.min(self.source.inputs.len().saturating_sub(1)));
            let vertex = (vertex.offset.max(0) as u32).min(stride - 1);
            (
                self.get_vertex_input(input_id, vertex),
                IndexTerm::from_constant(0),
                1,
            )
        } else {
            let element = self.compute_flat_element(index.element, vertex, stride);
            let slot_start = self.dynamic_inputs.get(&id).copied();
            let place = slot_start.unwrap_or((InputId::new(0), 0));
            (place, element, index.len.max(1) * stride)
        };
        src.base = OperandBase::Input(first);
        let of_line = match self.vertex_order {
            Some(order) => IndexTerm {
                relative: Some((order, of_line as u8)),
                offset: 0,
            },
            None => IndexTerm::from_constant(0),
        };
        src.index = Some(self.target.indices.push(Index {
            element,
            len,
            vertex: Some(of_line),
        }));
    }

    /// Returns the input that replaces input `id` of a constant vertex, and its vertex of the line;
    /// assigns a slot to it if it has none.
    fn get_vertex_input(&mut self, id: InputId, vertex: u32) -> VertexInput {
        if let Some((first, of_line)) = self.dynamic_inputs.get(&id) {
            let input_id = InputId::new(first.index() + vertex as usize);
            return (input_id, *of_line);
        }
        if let Some(known) = self.constant_inputs.get(&(id, vertex)) {
            return *known;
        }
        let input = self.source.inputs[id];
        let of_line = self.find_vertex_with_capacity(1);
        let slot = (input.semantic, input.per_vertex.then_some(vertex));
        let new = (self.push_slot(of_line, slot), of_line);
        self.constant_inputs.insert((id, vertex), new);
        new
    }

    /// Returns `element * stride + vertex`; appends instructions for dynamic elements.
    fn compute_flat_element(
        &mut self,
        element: IndexTerm,
        vertex: IndexTerm,
        stride: u32,
    ) -> IndexTerm {
        let offset = element
            .offset
            .wrapping_mul(stride as i32)
            .wrapping_add(vertex.offset);
        let relative = match (element.relative, vertex.relative) {
            (None, relative) => relative,
            (relative, None) if stride == 1 => relative,
            (Some(element), vertex) => {
                let scratch = self.reserve_scratch_lane();
                let literal = self.target.literals.push([u64::from(stride); 4]);
                let dst = Dst::new(scratch.0, WriteMask(1 << scratch.1));
                let sources = [load_lane(element), Src::new(OperandBase::Literal(literal))];
                push_inst(&mut self.target, Op::Mul, dst, &sources);
                if let Some(vertex) = vertex {
                    let sources = [load_lane(scratch), load_lane(vertex)];
                    push_inst(&mut self.target, Op::Add, dst, &sources);
                }
                Some(scratch)
            }
        };
        IndexTerm { relative, offset }
    }

    /// Returns a lane of a temporary register that no other source of the instruction uses; adds
    /// registers to the target as needed.
    fn reserve_scratch_lane(&mut self) -> (RegisterId, u8) {
        // Two sources with computed elements are read at the same time; following instructions may
        // reuse the lanes.
        let (number, lane) = (self.used_scratch_lanes / 4, self.used_scratch_lanes % 4);
        self.used_scratch_lanes += 1;
        if self.scratch.len() <= number {
            let register = push_register(&mut self.target, Storage::Temp);
            self.scratch.push(register);
        }
        (self.scratch[number], lane as u8)
    }
}

/// Returns an operand that reads a lane of a register in all lanes.
fn load_lane((register, lane): (RegisterId, u8)) -> Src {
    Src::from_register(register).swizzled(Swizzle::new([lane; 4]))
}
