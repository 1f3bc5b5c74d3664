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

use crate::stages::{IrTextBuilder, PatchLevels, pass_patch};
use glasm_codegen::varyings::VARYING_LOCATIONS;
use glasm_frontend::lang::stage_name;
use glasm_frontend::{Code, Diagnostic};
use glasm_ir::arena::{Id, IndexVec};
use glasm_ir::inst::{Dst, IndexTerm, InstFlags};
use glasm_ir::primitive::InputPrimitive;
use glasm_ir::{
    Aux, Base, Block, Index, Input, InputId, Inst, Node, Op, Output, Program, Register, RegisterId,
    Semantic, Span, Src, Stage, Storage, Swizzle, Type, Width, WriteMask,
};
use std::collections::{BTreeSet, HashMap};

/// Number of per-patch attributes that can have locations.
const PATCH_ATTRIBUTES: u8 = 32;

/// The evaluation program between a control program and a geometry program of patches, and both
/// programs, adapted to it.
pub(super) struct Bridge {
    pub(super) control: Program,
    pub(super) evaluation: Program,
    pub(super) geometry: Program,
}

/// Returns true if patches can be drawn as primitives with the same number of vertices: the program
/// reads no per-patch inputs.
pub(super) fn can_draw_as_primitive(geometry: &Program, vertices: u32) -> bool {
    let mut inputs = geometry.inputs.iter();
    InputPrimitive::of_vertices(vertices).is_some()
        && !inputs.any(|input| input.semantic.is_per_patch())
}

/// Returns a control program that passes the inputs of a geometry program through.
pub(super) fn build_passthrough_control(
    geometry: &Program,
    vertices: u32,
    levels: PatchLevels,
) -> Program {
    let read: BTreeSet<Semantic> = geometry
        .inputs
        .iter()
        // The position is always passed through.
        .filter(|input| input.per_vertex && input.semantic != Semantic::Position)
        .map(|input| input.semantic)
        .collect();
    let read: Vec<Semantic> = read.into_iter().collect();
    pass_patch(&read, vertices, levels)
}

/// Builds the evaluation program between a control program and a geometry program of patches.
pub(super) fn build_bridge(control: &Program, geometry: &Program) -> Result<Bridge, Diagnostic> {
    let mut control = control.clone();
    let mut geometry = geometry.clone();
    move_levels(&mut control, &mut geometry)?;
    set_levels(&mut control, &[1.0, 1.0]);
    let mut needed = 0;
    for room in SLOT_BUDGETS {
        let rewriter = Rewriter::new(&geometry, control.modes.vertices_out, room);
        let (geometry, vertices) = rewriter.rewrite();
        if vertices.iter().all(|slots| slots.len() <= room.slots) {
            return Ok(Bridge {
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
            "the geometry program reads {needed} vectors of a patch; {} reach it, as varyings of two vertices",
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
    slot_budget(16, 1),
    slot_budget(15, 2),
    slot_budget(VARYING_LOCATIONS as usize, 1),
    slot_budget(VARYING_LOCATIONS as usize - 1, 2),
];

const fn slot_budget(slots: usize, vertices: usize) -> SlotBudget {
    SlotBudget { slots, vertices }
}

/// Slots of the two vertices of the line.
type Vertices = [Vec<Slot>; 2];

/// Returns the evaluation program that generates points from the vertices of a control program's
/// patches, and the control program, adapted to it.
pub(super) fn build_points(control: &Program) -> Result<(Program, Program), Diagnostic> {
    let vertices = control.modes.vertices_out;
    if vertices < 2 {
        let name = stage_name(Stage::TessControl);
        return Err(Diagnostic::whole_program(
            Code::Unsupported,
            format!("patches of one vertex behind a {name} program that nothing takes them from"),
        ));
    }
    let mut control = control.clone();
    // An isoline of n - 1 segments has n points, and one line needs the outer levels 1 and n - 1.
    let segments = (vertices - 1) as f32;
    let mut taken = Program::new(Stage::Geometry);
    move_levels(&mut control, &mut taken)?;
    set_levels(&mut control, &[1.0, segments]);
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
    let place = builder.declare_input(Semantic::TessCoord, "float");
    let vertex = builder.declare_temp();
    builder.push_line(format_args!(
        // Points are at the multiples of 1 / (n - 1). The rounded product need not be integral, so
        // it is rounded to the nearest integer.
        "{vertex}.x = mul.f32 {place}.xxxx, {{{segments:?}}}"
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

/// Renames the levels that a control program writes to per-patch attributes, for the following
/// program that reads them.
fn move_levels(control: &mut Program, reader: &mut Program) -> Result<(), Diagnostic> {
    let is_level =
        |semantic: Semantic| matches!(semantic, Semantic::TessOuter(_) | Semantic::TessInner(_));
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
        .map(Semantic::PatchGeneric)
        .filter(|semantic| !used.contains(semantic));
    let mut moved = HashMap::new();
    for level in levels {
        let Some(place) = free.next() else {
            let message = "no attribute of the patch is left for its tessellation levels";
            return Err(Diagnostic::whole_program(Code::OutputTooLarge, message));
        };
        moved.insert(level, place);
    }
    let renamed = |semantic: Semantic| moved.get(&semantic).copied().unwrap_or(semantic);
    replace(&mut control.outputs, |output| Output {
        semantic: renamed(output.semantic),
        ..output
    });
    replace(&mut reader.inputs, |input| Input {
        semantic: renamed(input.semantic),
        ..input
    });
    Ok(())
}

fn replace<I: Id, T: Copy>(table: &mut IndexVec<I, T>, change: impl Fn(T) -> T) {
    for number in 0..table.len() {
        let id = I::new(number);
        table[id] = change(table[id]);
    }
}

/// Inserts writes of outer levels before all other code.
fn set_levels(program: &mut Program, levels: &[f32]) {
    let first = program.insts.len() as u32;
    for (number, level) in (0u8..).zip(levels) {
        let output = program
            .outputs
            .push(Output::new(Semantic::TessOuter(number)));
        let register = push_register(program, Storage::Output(output));
        let literal = program.literals.push([u64::from(level.to_bits()); 4]);
        let source = Src::new(Base::Literal(literal));
        push_inst(
            program,
            Op::Mov,
            Dst::new(register, WriteMask::X),
            &[source],
        );
    }
    move_to_start(program, first);
}

/// Moves the last instructions, from `first` on, to the start of the program.
fn move_to_start(program: &mut Program, first: u32) {
    let len = program.insts.len() as u32 - first;
    let body = program.routines[program.main].body;
    let old = program.block(body).to_vec();
    let start = program.nodes.len() as u32;
    program.nodes.push(Node::Run { first, len });
    program.nodes.extend(old);
    program.blocks[body] = Block {
        first: start,
        len: program.nodes.len() as u32 - start,
    };
}

fn push_register(program: &mut Program, storage: Storage) -> RegisterId {
    program.registers.push(Register {
        storage,
        width: Width::W32,
        array: None,
        name: None,
    })
}

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
        aux: Aux::None,
        span: Span::default(),
    });
}

/// Content of a varying of the line: an input of the geometry program, of a vertex or of the patch.
type Slot = (Semantic, Option<u32>);

/// Returns the evaluation program that writes the slots of the vertices of the line. The position
/// identifies the vertex.
fn build_bridge_stage(vertices: &Vertices, room: SlotBudget) -> Program {
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
    let place = builder.declare_input(Semantic::TessCoord, "float");
    let count = vertices.iter().map(Vec::len).max().unwrap_or(0);
    let outputs: Vec<String> = (0..count as u8)
        .map(|number| builder.declare_output(Semantic::Generic(number)))
        .collect();
    let position = (room.vertices > 1).then(|| builder.declare_output(Semantic::Position));
    let end = builder.declare_temp();
    let fill = |builder: &mut IrTextBuilder, slots: &[Slot]| {
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
        builder.push_line(format_args!("{position}.xyzw = mov.f32 {place}.xyzw"));
        // The ends of the line have the coordinates 0 and 1.
        builder.push_line(format_args!("{end}.x = setge.f32 {place}.xxxx, {{0.5}}"));
        builder.push_line(format_args!("if nonzero.f32 {end}.x {{"));
        fill(&mut builder, &vertices[1]);
        builder.push_line(format_args!("}}"));
    }
    builder.finish()
}

/// An input, and the vertex of the line that has it.
type VertexInput = (InputId, usize);

/// Rewrites a geometry program of patches to one of lines.
struct Rewriter<'a> {
    from: &'a Program,
    /// Number of vertices of the patch.
    vertices: u32,
    to: Program,
    room: SlotBudget,
    slots: Vertices,
    /// For each dynamically indexed input, the first of the consecutive inputs that replace it, one
    /// for each vertex.
    blocks: HashMap<InputId, VertexInput>,
    /// Inputs that replace an input of one vertex.
    single: HashMap<(InputId, u32), VertexInput>,
    /// Inputs that are not part of the patch.
    own: HashMap<InputId, InputId>,
    /// Indices of the vertices of the line that have the first and the second slots, if these are
    /// different.
    order: Option<RegisterId>,
    /// Registers of computed elements, one lane for each, and the number that the current
    /// instruction has used.
    scratch: Vec<RegisterId>,
    computed: usize,
}

impl<'a> Rewriter<'a> {
    fn new(from: &'a Program, vertices: u32, room: SlotBudget) -> Self {
        Self {
            from,
            vertices: vertices.max(1),
            to: Program {
                insts: Vec::new(),
                inputs: IndexVec::new(),
                ..from.clone()
            },
            room,
            slots: Vertices::default(),
            blocks: HashMap::new(),
            single: HashMap::new(),
            own: HashMap::new(),
            order: None,
            scratch: Vec::new(),
            computed: 0,
        }
    }

    fn rewrite(mut self) -> (Program, Vertices) {
        self.to.modes.primitive_in = InputPrimitive::Lines;
        if self.room.vertices > 1 {
            self.order = Some(push_register(&mut self.to, Storage::Temp));
        }
        self.assign_dynamic_slots();
        for number in 0..self.to.nodes.len() {
            let Node::Run { first, len } = self.to.nodes[number] else {
                continue;
            };
            let start = self.to.insts.len() as u32;
            for inst in self.from.run(first, len) {
                self.rewrite_inst(*inst);
            }
            self.to.nodes[number] = Node::Run {
                first: start,
                len: self.to.insts.len() as u32 - start,
            };
        }
        if let Some(order) = self.order {
            self.emit_order(order);
        }
        (self.to, self.slots)
    }

    /// Emits code at the start that determines the order of the vertices of the line.
    fn emit_order(&mut self, order: RegisterId) {
        let position = self.to.inputs.push(Input {
            per_vertex: true,
            ..Input::new(Semantic::Position)
        });
        let first_vertex = self.to.indices.push(Index {
            element: IndexTerm::constant(0),
            len: 1,
            vertex: Some(IndexTerm::constant(0)),
        });
        let place = Src {
            index: Some(first_vertex),
            ..Src::new(Base::Input(position)).swizzled(Swizzle::new([0; 4]))
        };
        let [half, one] = [0.5f32.to_bits(), 1].map(|bits| {
            let literal = self.to.literals.push([u64::from(bits); 4]);
            Src::new(Base::Literal(literal))
        });
        let first = self.to.insts.len() as u32;
        let dst = |lane: u8| Dst::new(order, WriteMask(1 << lane));
        // Bits of nonnegative floats have the same order as the floats.
        push_inst(&mut self.to, Op::SetGe, dst(0), &[place, half]);
        push_inst(&mut self.to, Op::And, dst(0), &[load_lane((order, 0)), one]);
        push_inst(&mut self.to, Op::Xor, dst(1), &[load_lane((order, 0)), one]);
        move_to_start(&mut self.to, first);
    }

    /// Assigns consecutive slots to dynamically indexed inputs.
    fn assign_dynamic_slots(&mut self) {
        for src in &self.from.srcs {
            let (Base::Input(first), Some(index)) = (src.base, src.index) else {
                continue;
            };
            let index = self.from.indices[index];
            let is_dynamic = |term: IndexTerm| term.relative.is_some();
            if is_dynamic(index.element) || index.vertex.is_some_and(is_dynamic) {
                self.assign_array_slots(first, index.len.max(1));
            }
        }
    }

    /// Assigns consecutive slots to an array of inputs, in one vertex of the line.
    // Element e of vertex v is at e * vertices + v from the first slot: the vertices of an element
    // are consecutive.
    fn assign_array_slots(&mut self, first: InputId, len: u32) {
        let end = (first.index() + len as usize).min(self.from.inputs.len());
        let vertex = self
            .find_vertex_with_capacity(end.saturating_sub(first.index()) * self.get_stride(first));
        for number in first.index()..end {
            let id = InputId::new(number);
            if self.blocks.contains_key(&id) {
                continue;
            }
            let input = self.from.inputs[id];
            let place = (self.to.inputs.next_id(), vertex);
            for own in 0..self.get_stride(id) as u32 {
                self.push_slot(vertex, (input.semantic, input.per_vertex.then_some(own)));
            }
            self.blocks.insert(id, place);
        }
    }

    /// Returns the number of slots that an input occupies.
    fn get_stride(&self, id: InputId) -> usize {
        if self.from.inputs[id].per_vertex {
            self.vertices as usize
        } else {
            1
        }
    }

    /// Returns the first vertex of the line with capacity for `count` slots; the last vertex if
    /// none has.
    // All of them in one vertex, because they may be an array: a dynamic index selects elements,
    // not vertices.
    fn find_vertex_with_capacity(&self, count: usize) -> usize {
        let last = self.room.vertices - 1;
        let mut vertices = 0..last;
        let has_capacity = |vertex: &usize| self.slots[*vertex].len() + count <= self.room.slots;
        vertices.find(has_capacity).unwrap_or(last)
    }

    fn push_slot(&mut self, vertex: usize, slot: Slot) -> InputId {
        let number = self.slots[vertex].len().min(usize::from(u8::MAX)) as u8;
        self.slots[vertex].push(slot);
        self.to.inputs.push(Input {
            per_vertex: true,
            ..Input::new(Semantic::Generic(number))
        })
    }

    fn rewrite_inst(&mut self, inst: Inst) {
        let mut sources = self.from.sources(&inst).to_vec();
        self.computed = 0;
        for src in &mut sources {
            if let Base::Input(id) = src.base {
                self.rewrite_source(id, src);
            }
        }
        let first_source = self.to.srcs.len() as u32;
        self.to.srcs.extend(sources);
        self.to.insts.push(Inst {
            first_source,
            ..inst
        });
    }

    /// Rewrites a source that is an input.
    fn rewrite_source(&mut self, id: InputId, src: &mut Src) {
        let input = self.from.inputs[id];
        let index = src.index.map(|index| self.from.indices[index]);
        if input.semantic == Semantic::VertexCount {
            let count = u64::from(self.vertices);
            let literal = self.to.literals.push([count, 0, 0, 1]);
            (src.base, src.index) = (Base::Literal(literal), None);
        } else if !input.per_vertex && !input.semantic.is_per_patch() {
            src.base = Base::Input(self.get_own_input(id));
        } else {
            let index = index.unwrap_or(Index {
                element: IndexTerm::constant(0),
                len: 1,
                vertex: None,
            });
            self.rewrite_patch_source(id, index, src);
        }
    }

    /// Returns an input that is not part of the patch.
    fn get_own_input(&mut self, id: InputId) -> InputId {
        let input = self.from.inputs[id];
        let new = self.own.entry(id);
        *new.or_insert_with(|| self.to.inputs.push(input))
    }

    /// Rewrites a source that is an element of an array of inputs of a vertex, or of the patch.
    fn rewrite_patch_source(&mut self, id: InputId, index: Index, src: &mut Src) {
        let stride = self.get_stride(id) as u32;
        let vertex = index.vertex.unwrap_or(IndexTerm::constant(0));
        let known = index.element.relative.is_none() && vertex.relative.is_none();
        let ((first, of_line), element, len) = if known {
            let number = id.index() + index.element.offset.max(0) as usize;
            let of = InputId::new(number.min(self.from.inputs.len().saturating_sub(1)));
            let vertex = (vertex.offset.max(0) as u32).min(stride - 1);
            (self.get_vertex_input(of, vertex), IndexTerm::constant(0), 1)
        } else {
            let element = self.compute_flat_element(index.element, vertex, stride);
            let place = self.blocks.get(&id).copied();
            let place = place.unwrap_or((InputId::new(0), 0));
            (place, element, index.len.max(1) * stride)
        };
        src.base = Base::Input(first);
        let of_line = match self.order {
            Some(order) => IndexTerm {
                relative: Some((order, of_line as u8)),
                offset: 0,
            },
            None => IndexTerm::constant(0),
        };
        src.index = Some(self.to.indices.push(Index {
            element,
            len,
            vertex: Some(of_line),
        }));
    }

    /// Returns the input that replaces an input of a constant vertex.
    fn get_vertex_input(&mut self, id: InputId, vertex: u32) -> VertexInput {
        if let Some((first, of_line)) = self.blocks.get(&id) {
            let place = InputId::new(first.index() + vertex as usize);
            return (place, *of_line);
        }
        if let Some(known) = self.single.get(&(id, vertex)) {
            return *known;
        }
        let input = self.from.inputs[id];
        let of_line = self.find_vertex_with_capacity(1);
        let slot = (input.semantic, input.per_vertex.then_some(vertex));
        let new = (self.push_slot(of_line, slot), of_line);
        self.single.insert((id, vertex), new);
        new
    }

    /// Returns `element * stride + vertex`; emits instructions for dynamic elements.
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
                let place = self.reserve_scratch_lane();
                let literal = self.to.literals.push([u64::from(stride); 4]);
                let dst = Dst::new(place.0, WriteMask(1 << place.1));
                let sources = [load_lane(element), Src::new(Base::Literal(literal))];
                push_inst(&mut self.to, Op::Mul, dst, &sources);
                if let Some(vertex) = vertex {
                    let sources = [load_lane(place), load_lane(vertex)];
                    push_inst(&mut self.to, Op::Add, dst, &sources);
                }
                Some(place)
            }
        };
        IndexTerm { relative, offset }
    }

    /// Returns a lane that no other source of the instruction uses.
    // Two sources with computed elements are read at the same time; following instructions may
    // reuse the lanes.
    fn reserve_scratch_lane(&mut self) -> (RegisterId, u8) {
        let (number, lane) = (self.computed / 4, self.computed % 4);
        self.computed += 1;
        if self.scratch.len() <= number {
            let register = push_register(&mut self.to, Storage::Temp);
            self.scratch.push(register);
        }
        (self.scratch[number], lane as u8)
    }
}

/// Returns an operand that reads a lane of a register in all lanes.
fn load_lane((register, lane): (RegisterId, u8)) -> Src {
    Src::register(register).swizzled(Swizzle::new([lane; 4]))
}
