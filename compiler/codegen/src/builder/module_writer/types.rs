//! Types of the module, and variables of these types. Types are unique: SPIR-V forbids equal
//! declarations of types other than aggregates and pointers.

use super::hash;
use super::{ModuleWriter, Scalar, ValueWord};
use crate::builder::arithmetic_scalar;
use crate::builder::{STORAGE_CLASS_COUNT, TypeDeclarations, WideIntRepr};
use crate::capability::Requirement;
use crate::spirv_writer::TypeWord;
use glasm_ir::Type;
use spirv::{Decoration, Op, StorageClass};

impl ModuleWriter {
    /// Returns the type of a vector of `size` components, or of a scalar if `size` is 1, which it
    /// declares on first use, with the requirement of the scalar.
    #[inline(always)]
    pub(crate) fn get_type(&mut self, scalar: Scalar, size: u8) -> TypeWord {
        let known = self.scalar_types[scalar as usize][size as usize - 1];
        if known.0 != 0 {
            return known;
        }
        self.declare_numeric_type(scalar, size)
    }

    /// Declares a scalar or vector type and records it for `get_type`. Types that SPIR-V does not
    /// distinguish share a declaration.
    fn declare_numeric_type(&mut self, scalar: Scalar, size: u8) -> TypeWord {
        // Both booleans are `OpTypeBool`, and a pair is the vector of two words: SPIR-V forbids a
        // second declaration of either.
        let ty = match (scalar, size) {
            (Scalar::Pair, _) => self.get_type(Scalar::U32, 2),
            (Scalar::BoolInt, _) => self.get_type(Scalar::BoolFloat, size),
            (_, 1) => self.declare_scalar_type(scalar),
            _ => {
                let component = self.get_type(scalar, 1);
                self.declare_distinct_type(Op::TypeVector, &[component.0, u32::from(size)])
            }
        };
        self.scalar_types[scalar as usize][size as usize - 1] = ty;
        ty
    }

    /// Declares a scalar type and adds the capability that it requires.
    fn declare_scalar_type(&mut self, scalar: Scalar) -> TypeWord {
        let requirement = match scalar {
            Scalar::U8 => Some(Requirement::Int8),
            Scalar::U16 => Some(Requirement::Int16),
            Scalar::U64 => Some(Requirement::Int64),
            Scalar::F64 => Some(Requirement::Float64),
            Scalar::BoolFloat | Scalar::BoolInt | Scalar::Pair => None,
            Scalar::U32 | Scalar::S32 | Scalar::F32 => None,
        };
        requirement
            .into_iter()
            .for_each(|requirement| self.requirements.insert(requirement));
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
    /// type. Scalars and vectors are declared by [`get_type`](Self::get_type), pointers by
    /// [`pointer_type`](Self::pointer_type).
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

    /// Declares a type even if an equal one exists, so that it can have its decorations.
    pub(crate) fn declare_distinct_type<const N: usize>(
        &mut self,
        op: Op,
        operands: &[u32; N],
    ) -> TypeWord {
        let id = self.new_id();
        self.globals.push_prefixed_inst(op, [id], operands);
        TypeWord(id)
    }

    /// Declares an array of vectors of four words with a stride of 16 bytes, for blocks.
    pub(crate) fn declare_strided_array(&mut self, vector: TypeWord, len: ValueWord) -> TypeWord {
        // A distinct type: variables outside of blocks must not have types with a stride.
        let array = self.declare_distinct_type(Op::TypeArray, &[vector.0, len.0]);
        // The size of a vector, and the minimum stride in a uniform block (std140).
        self.decorate(array, Decoration::ArrayStride, &[16]);
        array
    }

    /// Declares the structure of a block with one member at offset 0, with the decoration `Block`
    /// or `BufferBlock`. Equal blocks are different types.
    pub(crate) fn declare_block(&mut self, member: TypeWord, decoration: Decoration) -> TypeWord {
        let block = self.declare_distinct_type(Op::TypeStruct, &[member.0]);
        self.decorate(block, decoration, &[]);
        // Members of blocks have an explicit offset: SPIR-V section 2.16.2, explicit layout.
        let offset = [Decoration::Offset as u32, 0];
        self.annotations
            .push_prefixed_inst(Op::MemberDecorate, [block.0, 0], &offset);
        block
    }

    /// Declares a type with any number of operands, even if an equal one exists; see
    /// [`declare_distinct_type`](Self::declare_distinct_type).
    pub(crate) fn declare_long_type(&mut self, op: Op, operands: &[u32]) -> TypeWord {
        let id = self.new_id();
        self.globals.push_head(op, operands.len() + 1);
        self.globals.0.push(id);
        self.globals.0.extend_from_slice(operands);
        TypeWord(id)
    }

    /// Returns `OpTypeVoid`, which is declared on the first call.
    pub(crate) fn void_type(&mut self) -> TypeWord {
        if self.void == TypeWord::default() {
            self.void = self.declare_type(Op::TypeVoid, &[]);
        }
        self.void
    }

    /// Returns the declarations derived from a type, such as pointers to it, for writing. The
    /// record is created on the first call.
    fn type_declarations_mut(&mut self, ty: TypeWord) -> &mut TypeDeclarations {
        // Nothing is derived from types, which are not values.
        let index = &mut self.values[ty.0 as usize].derived;
        if *index == 0 {
            *index = self.type_declarations.len() as u32;
            self.type_declarations.push(TypeDeclarations::default());
        }
        &mut self.type_declarations[*index as usize]
    }

    /// Returns the type of pointers to `pointee` in a storage class, which is declared if it is
    /// new.
    pub(crate) fn pointer_type(&mut self, class: StorageClass, pointee: TypeWord) -> TypeWord {
        let operands = [class as u32, pointee.0];
        // `PhysicalStorageBuffer`, whose number is 5349.
        if class as usize >= STORAGE_CLASS_COUNT {
            return self.declare_type(Op::TypePointer, &operands);
        }
        let known = self.type_declarations_mut(pointee).pointers[class as usize];
        if known != TypeWord::default() {
            return known;
        }
        let pointer = self.declare_distinct_type(Op::TypePointer, &operands);
        self.type_declarations_mut(pointee).pointers[class as usize] = pointer;
        pointer
    }

    /// Declares a module-scope variable of type `pointee`, initialized to zero if its class is
    /// `Private`, and adds it to the interface.
    pub(crate) fn declare_variable(&mut self, class: StorageClass, pointee: TypeWord) -> ValueWord {
        if class != StorageClass::Private {
            return self.declare_uninitialized(class, pointee);
        }
        // Registers that were never written read as 0, in memory as in values; they would be
        // undefined without an initializer.
        let pointer = self.pointer_type(class, pointee);
        let id = self.new_object();
        let zero = self.null_constant(pointee);
        self.globals
            .push_result_inst(Op::Variable, pointer, id, &[class as u32, zero.0]);
        // Since SPIR-V 1.4 the entry point lists variables of any class.
        self.interface.push(id.0);
        id
    }

    /// Declares a module-scope variable without an initializer and adds it to the interface.
    pub(crate) fn declare_uninitialized(
        &mut self,
        class: StorageClass,
        pointee: TypeWord,
    ) -> ValueWord {
        let pointer = self.pointer_type(class, pointee);
        let id = self.new_object();
        self.globals
            .push_result_inst(Op::Variable, pointer, id, &[class as u32]);
        self.interface.push(id.0);
        id
    }

    /// Returns a constant of type `ty` whose components are all 0 (`OpConstantNull`). It is
    /// declared on first use.
    pub(crate) fn null_constant(&mut self, ty: TypeWord) -> ValueWord {
        let known = self.type_declarations_mut(ty).null_constant;
        if known.is_some() {
            return known;
        }
        let id = self.new_object();
        self.globals.push_result_inst(Op::ConstantNull, ty, id, &[]);
        self.type_declarations_mut(ty).null_constant = id;
        id
    }

    /// Returns the type of arrays of `len` elements, without a stride.
    pub(crate) fn declare_array(&mut self, element: TypeWord, len: u32) -> TypeWord {
        let len = self.constant_u32(len);
        self.declare_type(Op::TypeArray, &[element.0, len.0])
    }

    /// Returns the component type of 64-bit integers: native ones, or pairs of words if the device
    /// lacks them.
    pub(crate) fn wide_int_scalar(&self) -> Scalar {
        match self.wide_ints {
            WideIntRepr::Native => Scalar::U64,
            WideIntRepr::Pairs => Scalar::Pair,
        }
    }

    /// Returns the component type as which lanes of type `ty` are read; half floats are words.
    pub(crate) fn lane_scalar(&self, ty: Type) -> Scalar {
        // Registers contain halves as bits in the low 16 bits of a word (NV_gpu_program5 section
        // 2.X.8.Z, CVT).
        if ty == Type::F16 {
            return Scalar::U32;
        }
        arithmetic_scalar(ty, self.wide_ints)
    }

    /// Returns the scalar of lanes of type `ty` that are only moved: doubles are moved as bits on
    /// devices without them.
    pub(crate) fn copy_scalar(&self, ty: Type) -> Scalar {
        if ty == Type::F64 && !self.device.float64 {
            self.wide_int_scalar()
        } else {
            self.lane_scalar(ty)
        }
    }
}
