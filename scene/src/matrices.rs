//! Parameters of a program that are vectors of a matrix: groups of dot products (rows), or of
//! products with one component each that are added (columns).
//!
//! Applications passed matrices in parameters that have no name, and only the way in which a
//! program uses them shows which matrix it expects. The instructions are visited in their order;
//! control flow is ignored.

use super::vectors::{
    MatrixRole, MatrixVector, ProductVectors, VectorBank, VectorSource, VectorUse,
    find_position_register, get_vector_source,
};
use glasm::ir::resource::MemorySpace;
use glasm::ir::{
    BufferKind, Id as _, Inst, InstData, Op, OperandBase, Program, RegisterId, Semantic, Src,
    WriteMask,
};
use std::collections::{BTreeMap, HashMap};

/// Products that a program may have at most; others are ignored, so that the time of the analysis
/// is limited.
const MAX_PRODUCTS: usize = 256;

/// Vector that a matrix is multiplied with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Operand {
    Input(usize),
    Register(RegisterId),
}

/// Vectors that have been combined with one operand into one register.
#[derive(Clone, PartialEq, Debug)]
struct Product {
    destination: RegisterId,
    operand: Operand,
    is_column: bool,
    is_indexed: bool,
    vectors: [Option<VectorSource>; 4],
}

impl Product {
    /// Returns the first vector if the following ones have consecutive numbers: those of y and z,
    /// for two dot products that of y.
    fn first_vector(&self) -> Option<VectorSource> {
        let first = self.vectors[0]?;
        let has_two = self.count() == 2 && self.vectors[2].is_none();
        let is_pair = has_two && !self.is_column && !self.is_indexed;
        (self.count() >= 3 || is_pair).then_some(first)
    }

    /// Returns the number of vectors from the first one on that have consecutive numbers.
    fn count(&self) -> usize {
        let Some(first) = self.vectors[0] else {
            return 0;
        };
        let is_next = |(vector, distance): &(&Option<VectorSource>, u32)| {
            let expected = first.number.checked_add(*distance);
            vector.is_some_and(|it| it.bank == first.bank && Some(it.number) == expected)
        };
        self.vectors.iter().zip(0..).take_while(is_next).count()
    }
}

/// Returns the vectors of matrices among those that a program reads, with the matrix of each, and
/// the use of the others.
pub(super) fn find_product_vectors(program: &Program) -> ProductVectors {
    let mut finder = Finder::new(program);
    for inst in &program.insts {
        finder.visit(inst);
    }
    let matrices = finder.classify();
    let products = finder.complete.iter();
    let direction_inputs = products.filter_map(|product| match product.operand {
        Operand::Input(index) if product.is_column && product.count() == 3 => Some(index),
        Operand::Input(_) | Operand::Register(_) => None,
    });
    let direction_inputs = direction_inputs.collect();
    let mut uses = finder.uses;
    uses.retain(|vector, _| !matrices.contains_key(vector));
    ProductVectors {
        matrices,
        uses,
        direction_inputs,
    }
}

/// Search for products of matrices.
struct Finder<'a> {
    program: &'a Program,
    /// Constant vector in a register that a load has filled.
    constants: HashMap<RegisterId, VectorSource>,
    /// Product that a register contains.
    current: HashMap<RegisterId, Product>,
    /// Copies of registers: destination and source.
    copies: Vec<(RegisterId, RegisterId)>,
    /// All products of several vectors.
    complete: Vec<Product>,
    /// Use of vectors; of several uses the last variant.
    uses: BTreeMap<VectorSource, VectorUse>,
}

impl<'a> Finder<'a> {
    /// Creates a search that has visited nothing.
    fn new(program: &'a Program) -> Self {
        Self {
            program,
            constants: HashMap::new(),
            current: HashMap::new(),
            copies: Vec::new(),
            complete: Vec::new(),
            uses: BTreeMap::new(),
        }
    }

    /// Visits an instruction, and stores the product that it begins or continues.
    fn visit(&mut self, inst: &Inst) {
        let Some(dst) = inst.dst else { return };
        let sources = self.program.sources(inst);
        self.add_uses(inst.op, sources);
        let product = match (inst.op, sources) {
            (Op::Dp3 | Op::Dp4, [a, b]) => self.extend_rows(dst.register, dst.mask, a, b),
            (Op::Mul, [a, b]) => self.extend_columns(dst.register, (a, b), None),
            (Op::Mad | Op::Fma, [a, b, c]) => self.extend_columns(dst.register, (a, b), Some(c)),
            (Op::Add, [a, b]) => self.add_last_column(dst.register, a, b),
            (Op::Mov, [a]) => self.copy(dst.register, a),
            (Op::Load, _) => {
                let loaded = self.find_loaded_vector(inst);
                self.current.remove(&dst.register);
                match loaded {
                    Some(vector) => self.constants.insert(dst.register, vector),
                    None => self.constants.remove(&dst.register),
                };
                return;
            }
            _ => None,
        };
        self.constants.remove(&dst.register);
        let Some(product) = product else {
            // Other components of a vector are often written separately.
            if dst.mask == WriteMask::XYZW {
                self.current.remove(&dst.register);
            }
            return;
        };
        if product.first_vector().is_some() {
            let is_same = |other: &Product| {
                let is_begun_sum = other.is_column && other.vectors[3].is_none();
                other.vectors[0] == product.vectors[0]
                    && (other.destination == product.destination || is_begun_sum)
            };
            self.complete.retain(|other| !is_same(other));
            if self.complete.len() < MAX_PRODUCTS {
                self.complete.push(product.clone());
            }
        }
        self.current.insert(product.destination, product);
    }

    /// Adds the use of the vectors that an instruction reads.
    fn add_uses(&mut self, op: Op, sources: &[Src]) {
        let is_position = |source: &Src| {
            let Some(Operand::Input(index)) = self.find_operand(source) else {
                return false;
            };
            let input = self.program.inputs.as_slice().get(index);
            input.is_some_and(|input| input.semantic == Semantic::VertexAttribute(0))
        };
        let subtracts = op == Op::Sub || op == Op::Add && sources.iter().any(|it| it.negate);
        let has_position = subtracts && sources.iter().any(is_position);
        for (number, source) in sources.iter().enumerate() {
            let Some((vector, _)) = self.find_vector(source) else {
                continue;
            };
            let found = if op == Op::Dp3 {
                VectorUse::Direction
            } else if has_position {
                VectorUse::Position
            } else if op == Op::Add || matches!(op, Op::Mad | Op::Fma) && number == 2 {
                VectorUse::Addend
            } else {
                VectorUse::Other
            };
            let known = self.uses.entry(vector).or_insert(found);
            *known = found.max(*known);
        }
    }

    /// Returns the vector that a load reads from a constant buffer at a constant address.
    fn find_loaded_vector(&self, inst: &Inst) -> Option<VectorSource> {
        let InstData::Mem(id) = inst.data else {
            return None;
        };
        let access = self.program.mem_accesses.get(id)?;
        let MemorySpace::Buffer(buffer) = access.space else {
            return None;
        };
        let buffer = self.program.buffers.get(buffer)?;
        let address = self.program.sources(inst).first()?;
        let OperandBase::Literal(literal) = address.base else {
            return None;
        };
        let base = self.program.literals.get(literal)?[0];
        let byte = base.checked_add_signed(access.offset.into())?;
        let is_vector = byte % 16 == 0 && access.components == 4;
        let is_constant = buffer.kind == BufferKind::ProgramParameter && access.element.is_none();
        (is_vector && is_constant).then_some(VectorSource {
            bank: VectorBank::Constant(buffer.binding),
            number: u32::try_from(byte / 16).ok()?,
        })
    }

    /// Returns the vector that an operand reads, and whether an index selects it at run time.
    fn find_vector(&self, source: &Src) -> Option<(VectorSource, bool)> {
        if let OperandBase::Register(register) = source.base {
            return Some((*self.constants.get(&register)?, false));
        }
        let OperandBase::Param(id) = source.base else {
            return None;
        };
        let param = self.program.params.get(id)?;
        let vector = get_vector_source(param.source)?;
        let Some(index) = source.index else {
            return Some((vector, false));
        };
        let term = self.program.indices.get(index)?.element;
        let number = i64::from(vector.number) + i64::from(term.offset);
        let vector = VectorSource {
            number: u32::try_from(number).ok()?,
            ..vector
        };
        Some((vector, term.relative.is_some()))
    }

    /// Returns the operand that a source reads.
    fn find_operand(&self, source: &Src) -> Option<Operand> {
        match source.base {
            OperandBase::Input(id) if source.index.is_none() => Some(Operand::Input(id.index())),
            OperandBase::Register(register) => Some(Operand::Register(register)),
            OperandBase::Input(_)
            | OperandBase::Param(_)
            | OperandBase::Output(_)
            | OperandBase::Literal(_) => None,
        }
    }

    /// Returns the product of a register after a dot product of a vector and an operand, if one
    /// lane receives it.
    fn extend_rows(
        &self,
        destination: RegisterId,
        mask: WriteMask,
        a: &Src,
        b: &Src,
    ) -> Option<Product> {
        let lane = mask.lanes().next().filter(|_| mask.count() == 1)?;
        let ((vector, is_indexed), operand) = match (self.find_vector(a), self.find_vector(b)) {
            (Some(vector), _) => (vector, self.find_operand(b)?),
            (None, Some(vector)) => (vector, self.find_operand(a)?),
            (None, None) => return None,
        };
        let begun = self.current.get(&destination);
        let begun = begun.filter(|it| it.operand == operand && !it.is_column);
        let mut product = begun.cloned().unwrap_or(Product {
            destination,
            operand,
            is_column: false,
            is_indexed,
            vectors: [None; 4],
        });
        product.vectors[lane] = Some(vector);
        Some(product)
    }

    /// Returns the product of a register after a component of an operand times a vector, which is
    /// added to `sum`: another such product, the last column, or nothing.
    fn extend_columns(
        &self,
        destination: RegisterId,
        (a, b): (&Src, &Src),
        sum: Option<&Src>,
    ) -> Option<Product> {
        let (component, vector) = if b.swizzle.is_splat() && self.find_vector(a).is_some() {
            (b, a)
        } else {
            (a, b)
        };
        if !component.swizzle.is_splat() {
            return None;
        }
        let operand = self.find_operand(component)?;
        let (vector, is_indexed) = self.find_vector(vector)?;
        let register = match sum.map(|sum| sum.base) {
            Some(OperandBase::Register(register)) => Some(register),
            _ => None,
        };
        let begun = register.and_then(|register| self.current.get(&register));
        let begun = begun.filter(|it| it.operand == operand && it.is_column);
        let mut product = begun.cloned().unwrap_or(Product {
            destination,
            operand,
            is_column: true,
            is_indexed,
            vectors: [None; 4],
        });
        product.destination = destination;
        product.vectors[component.swizzle.lane(0)] = Some(vector);
        if let Some((last, _)) = sum.and_then(|sum| self.find_vector(sum)) {
            product.vectors[3] = Some(last);
        }
        Some(product)
    }

    /// Returns the product of a register after a vector was added to a sum of columns.
    fn add_last_column(&self, destination: RegisterId, a: &Src, b: &Src) -> Option<Product> {
        let (sum, (vector, _)) = match (self.find_vector(a), self.find_vector(b)) {
            (Some(vector), None) => (b, vector),
            (None, Some(vector)) => (a, vector),
            (None, None) | (Some(_), Some(_)) => return None,
        };
        let OperandBase::Register(register) = sum.base else {
            return None;
        };
        let begun = self.current.get(&register).filter(|it| it.is_column)?;
        let mut product = begun.clone();
        product.destination = destination;
        product.vectors[3] = Some(vector);
        Some(product)
    }

    /// Stores that a register is copied, and returns the product that it contains.
    fn copy(&mut self, destination: RegisterId, source: &Src) -> Option<Product> {
        let OperandBase::Register(register) = source.base else {
            return None;
        };
        self.copies.push((destination, register));
        let mut product = self.current.get(&register)?.clone();
        product.destination = destination;
        Some(product)
    }

    /// Returns the matrix of each vector of the products: those that compute the position are that
    /// of the view, others depend on the operand.
    fn classify(&self) -> BTreeMap<VectorSource, MatrixVector> {
        let position = find_position_register(self.program);
        let mut found = BTreeMap::new();
        for product in &self.complete {
            let is_position = Some(product.destination) == position;
            let role = if product.is_indexed || position.is_none() {
                Some(MatrixRole::Identity)
            } else if is_position && self.find_product_of(product.operand).is_some() {
                Some(MatrixRole::Projection)
            } else if is_position {
                Some(MatrixRole::ModelviewProjection)
            } else {
                self.find_other_role(product)
            };
            if let Some(role) = role {
                self.add_vectors(product, role, &mut found);
            }
        }
        found
    }

    /// Returns the complete product of three or four vectors that an operand contains, unless an
    /// index selects the vectors.
    fn find_product_of(&self, operand: Operand) -> Option<&Product> {
        let Operand::Register(register) = operand else {
            return None;
        };
        let mut products = self.complete.iter();
        products.find(|it| it.destination == register && !it.is_indexed)
    }

    /// Returns the matrix of a product that is not the position: the modelview matrix for the
    /// position and the normal of vertices, the identity for other inputs, `None` if the operand
    /// is computed.
    fn find_other_role(&self, product: &Product) -> Option<MatrixRole> {
        let Operand::Input(index) = product.operand else {
            return None;
        };
        let input = self.program.inputs.as_slice().get(index)?;
        let is_copied = self.copies.iter().any(|(destination, source)| {
            *source == product.destination
                && Some(*destination) == find_position_register(self.program)
        });
        let count = product.count();
        let is_vertex = |semantic| {
            matches!(
                semantic,
                Semantic::VertexAttribute(0 | 2) | Semantic::Position
            )
        };
        let is_position = matches!(
            input.semantic,
            Semantic::VertexAttribute(0) | Semantic::Position
        );
        // Without a fourth column the operand is a direction.
        let is_direction = product.is_column
            && count == 3
            && matches!(input.semantic, Semantic::VertexAttribute(_));
        Some(if is_position && is_copied {
            MatrixRole::ModelviewProjection
        } else if is_direction || is_vertex(input.semantic) && count > 2 {
            MatrixRole::Modelview
        } else {
            MatrixRole::Identity
        })
    }

    /// Adds the vectors of a product to `found`, unless they have a matrix already. If an index
    /// selects them, all vectors of the array are matrices.
    fn add_vectors(
        &self,
        product: &Product,
        role: MatrixRole,
        found: &mut BTreeMap<VectorSource, MatrixVector>,
    ) {
        let Some(first) = product.first_vector() else {
            return;
        };
        let count = product.count();
        let mut add = |number: u32, index: usize| {
            let bank = first.bank;
            let is_column = product.is_column;
            let vector = MatrixVector {
                role,
                is_column,
                index,
            };
            found.entry(VectorSource { bank, number }).or_insert(vector);
        };
        if !product.is_indexed {
            for (number, index) in (first.number..).zip(0..count) {
                add(number, index);
            }
            return;
        }
        for param in self.program.params.iter() {
            let source = get_vector_source(param.source).filter(|it| it.bank == first.bank);
            if let Some(VectorSource { number, .. }) = source {
                let distance = i64::from(number) - i64::from(first.number);
                add(number, distance.rem_euclid(count as i64) as usize);
            }
        }
    }
}
