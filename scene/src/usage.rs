//! Use of the inputs and resources of a program: what the values of a scene should be for the
//! program to show something.

use super::matrices::find_product_vectors;
use super::vectors::{
    MatrixRole, MatrixVector, ProductVectors, VectorSource, VectorUse, find_position_register,
};
use glasm::ir::resource::{BufferId, MemorySpace};
use glasm::ir::{
    BufferKind, Id as _, Inst, InstData, Op, OperandBase, ParamSource, Program, RegisterId,
    Semantic, Src, Stage, StateParam, Storage, TexTarget, Width,
};
use glasm::state::MatrixName;
use std::collections::{BTreeMap, BTreeSet};

/// Use of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InputUse {
    /// Coordinate of textures with this target.
    Coordinate(TexTarget),
    /// Operand of dot products of three components.
    Direction,
    /// Written to a color unchanged.
    Color,
    /// Operand from which the index of an array is computed.
    ArrayIndex,
    /// Any other.
    Other,
}

/// Use of the inputs and resources of a program.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct ProgramUsage {
    /// Vectors of matrices.
    pub(super) matrices: BTreeMap<VectorSource, MatrixVector>,
    /// Use of vectors that are not of a matrix.
    pub(super) vectors: BTreeMap<VectorSource, VectorUse>,
    /// Number of vectors of each constant buffer, by its binding.
    pub(super) constants: BTreeMap<u32, u32>,
    /// True if the position of the first attribute, or of the only vertex, is written unchanged.
    pub(super) copies_position: bool,
    /// Texture image units whose texels are mapped from 0..1 to -1..1, as those of normal maps.
    pub(super) normal_maps: BTreeSet<u32>,
    /// True if memory is accessed through addresses.
    pub(super) reads_memory: bool,
    /// True if addresses of 32 bits are among them.
    pub(super) has_low_addresses: bool,
    /// True if a matrix of the view is read, or a parameter that is used as one.
    pub(super) reads_view: bool,
    /// Use of each input, by its index.
    inputs: Vec<InputUse>,
}

/// Vectors of a constant buffer in which addresses are computed.
const DEFAULT_VECTORS: u32 = 64;

/// Vectors of a constant buffer that get values at most.
const MAX_VECTORS: u32 = 256;

impl ProgramUsage {
    /// Analyzes a program.
    pub(super) fn new(program: &Program) -> Self {
        let ProductVectors {
            matrices,
            uses,
            direction_inputs,
        } = find_product_vectors(program);
        let mut inputs = find_input_uses(program);
        for index in direction_inputs {
            if let Some(known) = inputs.get_mut(index).filter(|it| **it == InputUse::Other) {
                *known = InputUse::Direction;
            }
        }
        let role_of_view = |vector: &MatrixVector| vector.role != MatrixRole::Identity;
        let reads_view = matrices.values().any(role_of_view)
            || program
                .params
                .iter()
                .any(|param| is_view_matrix(param.source));
        Self {
            matrices,
            vectors: uses,
            constants: count_constants(program),
            copies_position: copies_position(program),
            reads_memory: program
                .mem_accesses
                .iter()
                .any(|access| access.space == MemorySpace::Global),
            has_low_addresses: has_low_addresses(program),
            reads_view,
            normal_maps: find_normal_maps(program),
            inputs,
        }
    }

    /// Returns the use of an input by its index; `Other` for unknown ones.
    pub(super) fn input_use(&self, index: usize) -> InputUse {
        self.inputs.get(index).copied().unwrap_or(InputUse::Other)
    }
}

/// Returns true if a parameter is a part of the matrices that define the view.
fn is_view_matrix(source: ParamSource) -> bool {
    let ParamSource::State(StateParam::MatrixRow { matrix, .. }) = source else {
        return false;
    };
    match matrix {
        MatrixName::ModelviewProjection | MatrixName::Projection | MatrixName::Modelview(0) => true,
        MatrixName::Modelview(_)
        | MatrixName::Texture(_)
        | MatrixName::Palette(_)
        | MatrixName::Program(_) => false,
    }
}

/// Returns true if an instruction accesses memory through an address of 32 bits, which another one
/// extends to 64 bits.
fn has_low_addresses(program: &Program) -> bool {
    let extended: BTreeSet<RegisterId> = program.insts.iter().filter_map(find_extension).collect();
    let addresses = program.insts.iter();
    let mut addresses = addresses.filter_map(|inst| find_global_address(program, inst));
    addresses.any(|address| extended.contains(&address))
}

/// Returns the register to which an instruction extends an integer of 32 bits; `None` for others.
fn find_extension(inst: &Inst) -> Option<RegisterId> {
    let InstData::Cvt { from, .. } = inst.data else {
        return None;
    };
    let register = inst.dst?.register;
    (from.width() == Width::W32).then_some(register)
}

/// Returns the register with the address of an access to global memory; `None` for other
/// instructions and addresses.
fn find_global_address(program: &Program, inst: &Inst) -> Option<RegisterId> {
    let InstData::Mem(id) = inst.data else {
        return None;
    };
    if program.mem_accesses.get(id)?.space != MemorySpace::Global {
        return None;
    }
    // Stores and atomics have their value before the address.
    match program.sources(inst).last()?.base {
        OperandBase::Register(address) => Some(address),
        OperandBase::Param(_)
        | OperandBase::Input(_)
        | OperandBase::Output(_)
        | OperandBase::Literal(_) => None,
    }
}

/// Returns the number of vectors of each constant buffer: the declared one, or the one that
/// accesses show, at least [`DEFAULT_VECTORS`] if an address is computed.
fn count_constants(program: &Program) -> BTreeMap<u32, u32> {
    let mut counts = BTreeMap::new();
    for (id, buffer) in program.buffers.iter_enumerated() {
        if buffer.kind != BufferKind::ProgramParameter {
            continue;
        }
        let loads = program
            .insts
            .iter()
            .filter_map(|inst| find_load_end(program, inst, id));
        let accessed = loads.max().unwrap_or(0);
        let count = buffer.size.map_or(accessed, |bytes| bytes.div_ceil(16));
        let count = count.clamp(1, MAX_VECTORS);
        for binding in (buffer.binding..).take(buffer.array_len.unwrap_or(1).min(16) as usize) {
            let known: &mut u32 = counts.entry(binding).or_default();
            *known = count.max(*known);
        }
    }
    counts
}

/// Returns the number of the vector after those that an instruction loads from a buffer, at least
/// [`DEFAULT_VECTORS`] if the address is computed; `None` if it does not load from the buffer.
fn find_load_end(program: &Program, inst: &Inst, buffer: BufferId) -> Option<u32> {
    let InstData::Mem(id) = inst.data else {
        return None;
    };
    let access = program.mem_accesses.get(id)?;
    if access.space != MemorySpace::Buffer(buffer) {
        return None;
    }
    let end = access.offset.max(0) as u32 / 16 + 1;
    let address = program.sources(inst).first()?;
    let OperandBase::Literal(literal) = address.base else {
        return Some(end.max(DEFAULT_VECTORS));
    };
    let base = u32::try_from(program.literals.get(literal)?[0] / 16).ok()?;
    Some(end.saturating_add(base))
}

/// Returns the texture image units whose texels are doubled immediately after the lookup: normal
/// maps, which contain directions as colors.
fn find_normal_maps(program: &Program) -> BTreeSet<u32> {
    let mut texels: BTreeMap<RegisterId, u32> = BTreeMap::new();
    let mut found = BTreeSet::new();
    let is_two = |source: &Src| {
        let OperandBase::Literal(literal) = source.base else {
            return false;
        };
        let bits = program.literals.get(literal).map(|lanes| lanes[0]);
        bits == Some(u64::from(2.0_f32.to_bits()))
    };
    for inst in &program.insts {
        let sources = program.sources(inst);
        if matches!(inst.op, Op::Mad | Op::Mul | Op::Fma) && sources.iter().any(is_two) {
            found.extend(sources.iter().filter_map(|source| match source.base {
                OperandBase::Register(register) => texels.get(&register).copied(),
                OperandBase::Input(_)
                | OperandBase::Param(_)
                | OperandBase::Output(_)
                | OperandBase::Literal(_) => None,
            }));
        }
        let Some(dst) = inst.dst else { continue };
        let texture = match (inst.op, inst.data) {
            (Op::Tex, InstData::Tex(id)) => program.tex_accesses.get(id),
            _ => None,
        };
        let texture = texture.and_then(|access| program.textures.get(access.texture));
        match texture.and_then(|texture| texture.units.first()) {
            Some(unit) => texels.insert(dst.register, unit),
            None => texels.remove(&dst.register),
        };
    }
    found
}

/// Returns true if an instruction writes the position of the input unchanged to that of the output.
fn copies_position(program: &Program) -> bool {
    let position = find_position_register(program);
    let is_position = |source: &Src| {
        let OperandBase::Input(id) = source.base else {
            return false;
        };
        let semantic = program.inputs.get(id).map(|input| input.semantic);
        !source.has_modifier()
            && matches!(
                semantic,
                Some(Semantic::VertexAttribute(0) | Semantic::Position)
            )
    };
    program.insts.iter().any(|inst| {
        let writes = inst.dst.is_some_and(|dst| Some(dst.register) == position);
        let mut sources = program.sources(inst).iter();
        inst.op == Op::Mov && writes && sources.all(is_position)
    })
}

/// Returns the use of each input. A use as coordinate precedes others.
fn find_input_uses(program: &Program) -> Vec<InputUse> {
    let mut uses = vec![InputUse::Other; program.inputs.len()];
    for inst in &program.insts {
        for (number, source) in program.sources(inst).iter().enumerate() {
            let OperandBase::Input(id) = source.base else {
                continue;
            };
            let found = find_source_use(program, inst, number);
            let Some(known) = uses.get_mut(id.index()) else {
                continue;
            };
            let is_better = match (&*known, found) {
                (_, InputUse::Other) | (InputUse::Coordinate(_), _) => false,
                (
                    InputUse::Other | InputUse::Direction | InputUse::Color | InputUse::ArrayIndex,
                    _,
                ) => true,
            };
            if is_better {
                *known = found;
            }
        }
    }
    for index in find_index_inputs(program) {
        if let Some(known) = uses.get_mut(index).filter(|it| **it == InputUse::Other) {
            *known = InputUse::ArrayIndex;
        }
    }
    uses
}

/// Returns the inputs from which indices of arrays are computed, directly or through registers.
fn find_index_inputs(program: &Program) -> BTreeSet<usize> {
    let relative = program.indices.iter().map(|index| index.element.relative);
    let mut pending: Vec<RegisterId> = relative.flatten().map(|(register, _)| register).collect();
    let mut visited: BTreeSet<RegisterId> = pending.iter().copied().collect();
    // Instructions by the registers that they write.
    let mut writes: BTreeMap<RegisterId, Vec<&Inst>> = BTreeMap::new();
    for inst in &program.insts {
        if let Some(dst) = inst.dst {
            writes.entry(dst.register).or_default().push(inst);
        }
    }
    let mut inputs = BTreeSet::new();
    while let Some(register) = pending.pop() {
        let insts = writes.get(&register).into_iter().flatten();
        for source in insts.flat_map(|inst| program.sources(inst)) {
            match source.base {
                OperandBase::Input(id) => {
                    inputs.insert(id.index());
                }
                OperandBase::Register(id) if visited.insert(id) => pending.push(id),
                OperandBase::Register(_)
                | OperandBase::Param(_)
                | OperandBase::Output(_)
                | OperandBase::Literal(_) => {}
            }
        }
    }
    inputs
}

/// Returns the use of a source of an instruction.
fn find_source_use(program: &Program, inst: &Inst, number: usize) -> InputUse {
    match (inst.op, inst.data) {
        (Op::Tex, InstData::Tex(id)) if number == 0 => program
            .tex_accesses
            .get(id)
            .filter(|access| access.mode.has_coordinate())
            .and_then(|access| program.textures.get(access.texture))
            .map_or(InputUse::Other, |texture| {
                InputUse::Coordinate(texture.target)
            }),
        (Op::Dp3, _) => InputUse::Direction,
        (Op::Mov, _) if writes_color(program, inst) => InputUse::Color,
        _ => InputUse::Other,
    }
}

/// Returns true if an instruction of a program before the fragment stage writes a color.
fn writes_color(program: &Program, inst: &Inst) -> bool {
    let register = inst
        .dst
        .and_then(|dst| program.registers.get(dst.register))
        .filter(|_| program.stage != Stage::Fragment);
    let Some(Storage::Output(first)) = register.map(|register| register.storage) else {
        return false;
    };
    let semantic = program.outputs.get(first).map(|output| output.semantic);
    matches!(semantic, Some(Semantic::Color(_) | Semantic::BackColor(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::Source;

    fn analyze(text: &str) -> ProgramUsage {
        let ir = glasm::frontend::translate(&Source::new("", text)).0;
        ProgramUsage::new(&ir.unwrap())
    }

    /// Returns the matrices as `BANK NUMBER: ROLE INDEX`.
    fn matrices(text: &str) -> Vec<String> {
        let usage = analyze(text);
        let vector = |(source, vector): (&VectorSource, &MatrixVector)| {
            let VectorSource { bank, number } = source;
            let part = if vector.is_column { "column" } else { "row" };
            format!(
                "{bank:?} {number}: {:?} {part} {}",
                vector.role, vector.index
            )
        };
        usage.matrices.iter().map(vector).collect()
    }

    #[test]
    fn two_products_are_modelview_and_projection() {
        let text = "!!VP1.0\nDP4 R0.x, c[0], v[OPOS];\nDP4 R0.y, c[1], v[OPOS];\nDP4 R0.z, c[2], v[OPOS];\n\
                    DP4 R0.w, c[3], v[OPOS];\nDP4 o[HPOS].x, c[8], R0;\nDP4 o[HPOS].y, c[9], R0;\n\
                    DP4 o[HPOS].z, c[10], R0;\nDP4 o[HPOS].w, c[11], R0;\nEND";
        let found = matrices(text);
        assert_eq!(found.len(), 8);
        assert_eq!(found[2], "Env 2: Modelview row 2");
        assert_eq!(found[7], "Env 11: Projection row 3");
        assert!(analyze(text).reads_view);
    }

    #[test]
    fn copies_of_a_product_are_positions() {
        let text = "!!ARBvp1.0\nPARAM m[4] = { program.local[4..7] };\nTEMP r;\nDP4 r.x, m[0], vertex.position;\n\
                    DP4 r.y, m[1], vertex.position;\nDP4 r.z, m[2], vertex.position;\n\
                    DP4 r.w, m[3], vertex.position;\nMOV result.position, r;\nMOV result.texcoord[0], r;\nEND";
        let found = matrices(text);
        assert_eq!(found[0], "Local 4: ModelviewProjection row 0");
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn sums_of_columns_are_matrices() {
        let text = "!!ARBvp1.0\nTEMP r;\nMUL r, vertex.position.x, program.env[1];\n\
                    MAD r, vertex.position.y, program.env[2], r;\nMAD r, vertex.position.z, program.env[3], r;\n\
                    ADD result.position, r, program.env[4];\nEND";
        let found = matrices(text);
        assert_eq!(found[3], "Env 4: ModelviewProjection column 3");
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn arrays_with_dynamic_indices_are_identities() {
        let text = "!!ARBvp1.0\nPARAM bones[6] = { program.env[10..15] };\nADDRESS a;\nTEMP r;\n\
                    ARL a.x, vertex.attrib[6].x;\nDP4 r.x, bones[a.x], vertex.position;\n\
                    DP4 r.y, bones[a.x + 1], vertex.position;\nDP4 r.z, bones[a.x + 2], vertex.position;\n\
                    MOV r.w, vertex.position.w;\nMOV result.position, r;\nEND";
        let found = matrices(text);
        assert_eq!(found.len(), 6, "{found:?}");
        assert_eq!(found[4], "Env 14: Identity row 1");
        assert!(!analyze(text).reads_view);
    }

    #[test]
    fn uses_of_inputs_differ() {
        let usage = analyze(
            "!!ARBfp1.0\nTEMP r;\nTEX r, fragment.texcoord[0], texture[0], RECT;\n\
             DP3 r.w, fragment.texcoord[1], r;\nMUL result.color, r, fragment.texcoord[2];\nEND",
        );
        assert_eq!(
            [0, 1, 2, 9].map(|index| usage.input_use(index)),
            [
                InputUse::Coordinate(TexTarget::Rect),
                InputUse::Direction,
                InputUse::Other,
                InputUse::Other
            ]
        );
        let copies = "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.attrib[7];\nEND";
        assert!(analyze(copies).copies_position);
        assert!(
            !analyze(&copies.replace("MOV result.position, ", "MOV result.position, -"))
                .copies_position
        );
    }

    #[test]
    fn constants_are_counted() {
        let count = |statements: &str| {
            let declarations = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0..99]\nDCL ADDR[0]";
            analyze(&format!("{declarations}\n{statements}\nEND")).constants
        };
        assert_eq!(count("MOV OUT[0], CONST[2]"), BTreeMap::from([(0, 3)]));
        let low = "ARL ADDR[0].x, CONST[1].xxxx\nMOV OUT[0], CONST[ADDR[0].x]";
        assert_eq!(count(low), BTreeMap::from([(0, DEFAULT_VECTORS)]));
    }
}
