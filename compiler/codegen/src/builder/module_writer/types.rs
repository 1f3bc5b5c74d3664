//! Types of the module, and variables of these types. Types are unique: SPIR-V forbids equal
//! declarations of types other than aggregates and pointers.

use super::declared::hash;
use super::{ModuleWriter, Scalar, ValueWord};
use crate::builder::compute_scalar;
use crate::builder::value::{CLASSES, OfType, WideInts};
use crate::capability::Need;
use crate::words::TypeWord;
use glasm_ir::Type;
use spirv::{Decoration, Op, StorageClass};

impl ModuleWriter {
    /// Returns the type of a vector of `size` components, or of a scalar if `size` is 1.
    #[inline(always)]
    pub(crate) fn ty(&mut self, scalar: Scalar, size: u8) -> TypeWord {
        let known = self.scalar_types[scalar as usize][size as usize - 1];
        if known.0 != 0 {
            return known;
        }
        self.new_ty(scalar, size)
    }

    #[cold]
    fn new_ty(&mut self, scalar: Scalar, size: u8) -> TypeWord {
        // Both booleans are `OpTypeBool`, and a pair is the vector of two words: SPIR-V forbids a
        // second declaration of either.
        let ty = match (scalar, size) {
            (Scalar::Pair, _) => self.ty(Scalar::U32, 2),
            (Scalar::BoolInt, _) => self.ty(Scalar::BoolFloat, size),
            (_, 1) => self.new_scalar_type(scalar),
            _ => {
                let component = self.ty(scalar, 1);
                self.declare_distinct_type(Op::TypeVector, &[component.0, u32::from(size)])
            }
        };
        self.scalar_types[scalar as usize][size as usize - 1] = ty;
        ty
    }

    fn new_scalar_type(&mut self, scalar: Scalar) -> TypeWord {
        let need = match scalar {
            Scalar::U8 => Some(Need::Int8),
            Scalar::U16 => Some(Need::Int16),
            Scalar::U64 => Some(Need::Int64),
            Scalar::F64 => Some(Need::Float64),
            Scalar::BoolFloat | Scalar::BoolInt | Scalar::Pair => None,
            Scalar::U32 | Scalar::S32 | Scalar::F32 => None,
        };
        need.into_iter().for_each(|need| self.needs.insert(need));
        match scalar {
            Scalar::BoolFloat | Scalar::BoolInt => self.declare_distinct_type(Op::TypeBool, &[]),
            Scalar::U8 => self.declare_distinct_type(Op::TypeInt, &[8, 0]),
            Scalar::U16 => self.declare_distinct_type(Op::TypeInt, &[16, 0]),
            Scalar::U32 | Scalar::Pair => self.declare_distinct_type(Op::TypeInt, &[32, 0]),
            Scalar::S32 => self.declare_distinct_type(Op::TypeInt, &[32, 1]),
            Scalar::F32 => self.declare_distinct_type(Op::TypeFloat, &[32]),
            Scalar::U64 => self.declare_distinct_type(Op::TypeInt, &[64, 0]),
            Scalar::F64 => self.declare_distinct_type(Op::TypeFloat, &[64]),
        }
    }

    /// Returns the type that `op` with `operands` declares; equal declarations return the same
    /// type. Scalars and vectors are declared by [`ty`](Self::ty), pointers by
    /// [`pointer`](Self::pointer).
    pub(crate) fn declare_type(&mut self, op: Op, operands: &[u32]) -> TypeWord {
        let words = operands.iter().map(|&operand| u64::from(operand));
        let hash = hash(std::iter::once(op as u64).chain(words));
        let head = (operands.len() as u32 + 2) << 16 | op as u32;
        let globals = &self.globals.0;
        // The key is the words in the module: head, id, operands; the id is the result of the
        // search.
        let known = self.types.find(hash, |end| {
            let start = end as usize - operands.len() - 2;
            globals[start] == head && globals[start + 2..end as usize] == *operands
        });
        if let Some(end) = known {
            return TypeWord(globals[end as usize - operands.len() - 1]);
        }
        let ty = self.declare_long_type(op, operands);
        self.types.insert(hash, self.globals.len() as u32);
        ty
    }

    /// Declares a type without other uses, which may be decorated.
    pub(crate) fn declare_distinct_type<const N: usize>(
        &mut self,
        op: Op,
        operands: &[u32; N],
    ) -> TypeWord {
        let id = self.make_id();
        self.globals.about(op, [id], operands);
        TypeWord(id)
    }

    /// Declares an array of vectors of four words for a block.
    pub(crate) fn declare_strided_array(&mut self, vector: TypeWord, len: ValueWord) -> TypeWord {
        // A distinct type: variables outside of blocks must not have types with a stride.
        let array = self.declare_distinct_type(Op::TypeArray, &[vector.0, len.0]);
        // The size of a vector, and the minimum stride in a uniform block (std140).
        self.decorate(array, Decoration::ArrayStride, &[16]);
        array
    }

    /// Declares the structure of a block with one member.
    pub(crate) fn declare_block(&mut self, member: TypeWord, decoration: Decoration) -> TypeWord {
        let block = self.declare_distinct_type(Op::TypeStruct, &[member.0]);
        self.decorate(block, decoration, &[]);
        // Members of blocks have an explicit offset: SPIR-V section 2.16.2, explicit layout.
        let offset = [Decoration::Offset as u32, 0];
        self.annotations
            .about(Op::MemberDecorate, [block.0, 0], &offset);
        block
    }

    /// Declares a type without other uses, with any number of operands; see
    /// [`declare_distinct_type`](Self::declare_distinct_type).
    pub(crate) fn declare_long_type(&mut self, op: Op, operands: &[u32]) -> TypeWord {
        let id = self.make_id();
        self.globals.head(op, operands.len() + 1);
        self.globals.0.push(id);
        self.globals.0.extend_from_slice(operands);
        TypeWord(id)
    }

    /// Returns the result type of functions without a result.
    pub(crate) fn void(&mut self) -> TypeWord {
        if self.void == TypeWord::default() {
            self.void = self.declare_type(Op::TypeVoid, &[]);
        }
        self.void
    }

    fn of_type(&mut self, ty: TypeWord) -> &mut OfType {
        // Nothing is derived from types, which are not values.
        let place = &mut self.values[ty.0 as usize].derived;
        if *place == 0 {
            *place = self.of_types.len() as u32;
            self.of_types.push(OfType::default());
        }
        &mut self.of_types[*place as usize]
    }

    /// Returns the type of pointers to `pointee`.
    pub(crate) fn pointer(&mut self, class: StorageClass, pointee: TypeWord) -> TypeWord {
        let operands = [class as u32, pointee.0];
        // `PhysicalStorageBuffer`, whose number is 5349.
        if class as usize >= CLASSES {
            return self.declare_type(Op::TypePointer, &operands);
        }
        let known = self.of_type(pointee).pointers[class as usize];
        if known != TypeWord::default() {
            return known;
        }
        let pointer = self.declare_distinct_type(Op::TypePointer, &operands);
        self.of_type(pointee).pointers[class as usize] = pointer;
        pointer
    }

    /// Declares a module-scope variable of type `pointee`, initialized to zero if its class permits
    /// it.
    pub(crate) fn declare_variable(&mut self, class: StorageClass, pointee: TypeWord) -> ValueWord {
        if class != StorageClass::Private {
            return self.declare_uninitialized(class, pointee);
        }
        // Registers that were never written read as 0, in memory as in values; they would be
        // undefined without an initializer.
        let pointer = self.pointer(class, pointee);
        let id = self.object();
        let zero = self.null(pointee);
        self.globals
            .result(Op::Variable, pointer, id, &[class as u32, zero.0]);
        // Since SPIR-V 1.4 the entry point lists variables of any class.
        self.interface.push(id.0);
        id
    }

    /// Declares a module-scope variable without an initializer.
    pub(crate) fn declare_uninitialized(
        &mut self,
        class: StorageClass,
        pointee: TypeWord,
    ) -> ValueWord {
        let pointer = self.pointer(class, pointee);
        let id = self.object();
        self.globals
            .result(Op::Variable, pointer, id, &[class as u32]);
        self.interface.push(id.0);
        id
    }

    /// Returns the null constant of any type.
    pub(crate) fn null(&mut self, ty: TypeWord) -> ValueWord {
        let known = self.of_type(ty).zero;
        if known.is_some() {
            return known;
        }
        let id = self.object();
        self.globals.result(Op::ConstantNull, ty, id, &[]);
        self.of_type(ty).zero = id;
        id
    }

    /// Returns the type of arrays of `len` elements.
    pub(crate) fn declare_array(&mut self, element: TypeWord, len: u32) -> TypeWord {
        let len = self.uint(len);
        self.declare_type(Op::TypeArray, &[element.0, len.0])
    }

    /// Returns the scalar that represents 64-bit integers.
    pub(crate) fn wide_int(&self) -> Scalar {
        match self.wide_ints {
            WideInts::Native => Scalar::U64,
            WideInts::Pairs => Scalar::Pair,
        }
    }

    /// Returns the scalar as which lanes of type `ty` are read.
    pub(crate) fn read_scalar(&self, ty: Type) -> Scalar {
        // Registers contain halves as bits in the low 16 bits of a word (NV_gpu_program5 section
        // 2.X.8.Z, CVT).
        if ty == Type::F16 {
            return Scalar::U32;
        }
        compute_scalar(ty, self.wide_ints)
    }

    /// Returns the scalar of lanes of type `ty` that are only moved: doubles are moved as bits on
    /// devices without them.
    pub(crate) fn moved_scalar(&self, ty: Type) -> Scalar {
        if ty == Type::F64 && !self.device.float64 {
            self.wide_int()
        } else {
            self.read_scalar(ty)
        }
    }
}
