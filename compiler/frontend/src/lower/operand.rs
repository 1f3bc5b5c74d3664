//! Operands as IR sources. Order: load, convert to the width of the operation, swizzle, absolute
//! value, negation.

use super::Lowerer;
use super::const_index_or_zero;
use super::memory::{MemAddress, get_view_buffer, make_view_address, split_buffer_index};
use super::op_builder::OpBuilder;
use crate::ast::{Index as AstIndex, Signs};
use crate::check::{Var, VarKind, VarSize, encode_literal};
use crate::resolved_inst::{InstSource, OperandValue};
use crate::variables::{AttribOwner, BufferView};
use glasm_ir::inst::IndexId;
use glasm_ir::types::{BaseType, Type, Width};
use glasm_ir::{
    Index, IndexTerm, Op, OperandBase, ParamSource, RegisterId, Semantic, Src, Swizzle, WriteMask,
};

impl Lowerer<'_> {
    /// Returns the source that reads an operand as `ty`, with index, suffix, signs and conversions
    /// applied. Emits the instructions that it needs, such as loads, conversions and roundings of
    /// operands, and adds inputs, parameters, registers and literals to the program.
    pub(crate) fn load_operand(&mut self, operand: &InstSource, ty: Type) -> Src {
        let mut signs = operand.signs;
        let mut src = match operand.base {
            OperandValue::Var(var) => {
                match self
                    .resources
                    .ir_map
                    .cached_location(var, operand.index, ty.width())
                {
                    Some(base) => Src::new(base),
                    None => self.load_variable(var, operand.index, ty),
                }
            }
            OperandValue::Scalar(_) | OperandValue::Vector { .. } => {
                // `make_constant` applies them: not before that is it known if the bits of the
                // number include one of them.
                signs = Signs::empty();
                self.make_constant(operand, ty)
            }
        };
        // Only a value that was loaded as a scalar has a swizzle already, such as an element of a
        // BUFFER variable.
        if src.swizzle == Swizzle::XYZW {
            src.swizzle = operand.suffix.swizzle();
        } else {
            src = src.swizzled(operand.suffix.swizzle());
        }
        if !signs.is_empty() {
            apply_signs(&mut src, signs, ty);
        }
        match self.precision.operands {
            None => src,
            Some(op) => self.round_operand(operand, op, src),
        }
    }

    /// Returns the source of a constant read as `ty`, with its signs and without its suffix; the
    /// literal is added to the program.
    ///
    /// By the grammar of operands the sign before a number is one of the operand, like that before
    /// a variable: it turns an integer addition into a subtraction, which has other overflow and
    /// carry. Floats have neither, so it is applied to their bits. NV_gpu_program4 sections 2.X.2
    /// and 2.X.4.3.
    pub(super) fn make_constant(&mut self, operand: &InstSource, ty: Type) -> Src {
        let mut signs = operand.signs;
        let base = match operand.base {
            OperandValue::Scalar(literal) if signs.contains(Signs::INNER) => {
                // The literal has its sign, too, which must be applied once.
                let mut literal = self.resources.ast.literals[literal as usize];
                if ty.is_float() {
                    signs.remove(Signs::INNER);
                } else {
                    literal.negative = false;
                }
                // Numbers out of range of the type were reported by the checker; here they only
                // must not panic.
                let bits = encode_literal(self.resources.ast.text, literal, ty).unwrap_or(0);
                OperandBase::Literal(self.resources.intern_literal([bits; 4]))
            }
            base @ (OperandValue::Scalar(_)
            | OperandValue::Vector { .. }
            | OperandValue::Var(_)) => self.resources.make_literal(base, ty),
        };
        let mut src = Src::new(base);
        if !signs.is_empty() {
            apply_signs(&mut src, signs, ty);
        }
        src
    }

    /// Returns the source that reads an element of a variable as `ty`, without signs; values of
    /// another width are converted. Emits the instructions that it needs, and adds the variable to
    /// the program at its first access. Variables that the rules refuse as operands are 0.
    pub(super) fn load_variable(&mut self, var: u32, index: AstIndex, ty: Type) -> Src {
        let info = &self.resources.checked.vars[var as usize];
        let source = match info.kind {
            VarKind::Temp | VarKind::Address => self.load_temp(var, info, index),
            VarKind::Attrib { first } => self.load_attrib(var, info, first, index, ty),
            VarKind::Param { first } | VarKind::Subroutine { first, .. } => {
                self.load_param(var, info, first, index)
            }
            VarKind::WritableParam => self.load_writable_param(var, info, index),
            VarKind::Argument => self.resources.load_argument(var),
            VarKind::Buffer(view) => {
                let address = self.find_element_address(view, index);
                self.load_element(view, &address)
            }
            VarKind::Result { first } => self.load_result(var, first, index, ty),
            // The rules refuse these as operands.
            VarKind::CondCodes
            | VarKind::Texture { .. }
            | VarKind::Image { .. }
            | VarKind::Shared { .. }
            | VarKind::Poisoned => self.splat_bits(0),
        };
        self.convert_width(source, var, ty)
    }

    /// Emits a conversion of a source to the width of `ty` if its variable has another, and returns
    /// the result; else returns the source itself.
    fn convert_width(&mut self, source: Src, var: u32, ty: Type) -> Src {
        // There are two sizes of registers: SHORT variables and narrow types have 32 bits, too.
        let long = self.resources.checked.vars[var as usize].size == VarSize::Long;
        if long == (ty.width() == Width::W64) {
            return source;
        }
        let from = if long {
            ty.with_width(Width::W64)
        } else {
            ty.with_width(Width::W32)
        };
        self.compute_conversion(source, from, ty)
    }

    /// Returns the source that reads a temporary, or an element of an array of temporaries.
    fn load_temp(&mut self, var: u32, info: &Var, index: AstIndex) -> Src {
        let (register, index) = self.get_temp_register(var, info, index);
        Src {
            index,
            ..Src::from_register(register)
        }
    }

    /// Returns the register of a temporary and the index of its element, if it is a dynamically
    /// indexed array; other arrays are a separate register for each element. The register is added
    /// to the program at its first access.
    pub(super) fn get_temp_register(
        &mut self,
        var: u32,
        info: &Var,
        index: AstIndex,
    ) -> (RegisterId, Option<IndexId>) {
        // An array without dynamic index is a separate register for each element.
        let element = if info.has_relative_access {
            0
        } else {
            const_index_or_zero(index)
        };
        let register = match *self.resources.ir_map.location_mut(var, element) {
            Some(OperandBase::Register(register)) => register,
            _ => {
                let register = self.resources.add_temp_var_register(
                    info,
                    info.array_size.filter(|_| info.has_relative_access),
                );
                *self.resources.ir_map.location_mut(var, element) =
                    Some(OperandBase::Register(register));
                register
            }
        };
        let index = match info.array_size {
            Some(count) if info.has_relative_access => Some(self.make_index(index, count)),
            _ => None,
        };
        (register, index)
    }

    /// Returns the source that reads an attribute, which becomes an input of the program at its
    /// first read; `ty` is the base type of attributes that are declared without one. Elements of
    /// dynamically indexed arrays and attributes of other vertices are selected by instructions.
    fn load_attrib(&mut self, var: u32, info: &Var, first: u32, index: AstIndex, ty: Type) -> Src {
        if self.resources.checked.attribs[first as usize].holder != AttribOwner::default() {
            return self.load_vertex_attrib((var, info), first, index);
        }
        if info.has_relative_access {
            return self.select_element(var, info, index);
        }
        let element = const_index_or_zero(index);
        if let Some(base) = *self.resources.ir_map.location_mut(var, element) {
            return Src::new(base);
        }
        let binding = self.resources.checked.attribs[(first + element) as usize];
        // The type of the first read defines the type of an attribute without one.
        let base = info.base.unwrap_or(if binding.typeless {
            ty.base()
        } else {
            binding.base
        });
        let mut input = OperandBase::Input(self.resources.get_input(binding, base, info.width()));
        if binding.semantic == Semantic::FogCoord && self.resources.has_exact_precision() {
            input = self.copy_fog_coordinate(input);
        }
        *self.resources.ir_map.location_mut(var, element) = Some(input);
        Src::new(input)
    }

    /// Copies `f[FOGC]` to a new register, whose components y, z and w are 0, unlike those of the
    /// same attribute in other languages, and returns it. The language has no flow control, so that
    /// the register has its value from the first use on. NV_fragment_program table X.1.
    fn copy_fog_coordinate(&mut self, input: OperandBase) -> OperandBase {
        let register = self.resources.add_register(Width::W32);
        let zero = self.splat_bits(0);
        self.emit_to_register(register, WriteMask(0b1110), Op::Mov, Type::F32, &[zero]);
        let coordinate = [Src::new(input)];
        self.emit_to_register(register, WriteMask::X, Op::Mov, Type::F32, &coordinate);
        OperandBase::Register(register)
    }

    /// Returns the source that reads a parameter: a literal if it is a constant of the program,
    /// else a parameter of the program, which is added at its first read. Elements of dynamically
    /// indexed arrays are selected by index.
    fn load_param(&mut self, var: u32, info: &Var, first: u32, index: AstIndex) -> Src {
        if info.has_relative_access {
            return self.select_element(var, info, index);
        }
        let element = const_index_or_zero(index);
        if let Some(base) = *self.resources.ir_map.location_mut(var, element) {
            return Src::new(base);
        }
        let source = self.resources.checked.params[(first + element) as usize];
        let base = match source {
            // A constant of a PARAM declaration: it cannot be set, so it takes no slot among the
            // parameters.
            ParamSource::Literal(bits) => {
                OperandBase::Literal(self.resources.intern_literal(bits.map(u64::from)))
            }
            ParamSource::Env(_)
            | ParamSource::Local(_)
            | ParamSource::Subroutine(_)
            | ParamSource::Named(_)
            | ParamSource::Argument
            | ParamSource::State(_) => OperandBase::Param(self.resources.get_param(source)),
        };
        *self.resources.ir_map.location_mut(var, element) = Some(base);
        Src::new(base)
    }

    /// Returns the source that reads an element of an array that some instruction indexes
    /// dynamically. The array must have its slots; 0 is returned for one without elements.
    fn select_element(&mut self, var: u32, info: &Var, index: AstIndex) -> Src {
        // A binding such as `vertex.attrib[A0.x]` is a variable that contains all attributes of its
        // kind and its own index.
        let index = info.relative_element.map_or(index, AstIndex::Relative);
        // Such arrays get their registers before the first instruction.
        let Some(base) = *self.resources.ir_map.location_mut(var, 0) else {
            return self.splat_bits(0);
        };
        let mut index = Index {
            element: self.make_index_term(index),
            len: info.array_size.unwrap_or(1),
            vertex: None,
        };
        if self.resources.has_zero_padding(info) {
            // An index that wraps beyond 32 bits is out of bounds, too.
            index.element.offset = index.element.offset.wrapping_add(1);
            index.len += 2;
        }
        Src {
            index: Some(self.resources.builder.program.indices.push(index)),
            ..Src::new(base)
        }
    }

    /// Adds an index into an array of `len` elements to the program and returns its id.
    pub(crate) fn make_index(&mut self, index: AstIndex, len: u32) -> IndexId {
        let element = self.make_index_term(index);
        self.resources.builder.program.indices.push(Index {
            element,
            len,
            vertex: None,
        })
    }

    /// Returns the address of an element of a buffer variable, whose index may include the binding
    /// point. Adds the buffer and the instructions that compute the index.
    pub(super) fn find_element_address(&mut self, view: BufferView, index: AstIndex) -> MemAddress {
        let (point, index) = split_buffer_index(self.resources.ast, view, index);
        let buffer = get_view_buffer(self, view);
        let point = point.map(|point| self.make_index_term(point));
        let index = self.make_index_term(index);
        make_view_address(self, (view, buffer), point, index)
    }

    /// Returns the IR's term of an index: a constant, or a lane of a register plus an offset, which
    /// is limited to 32 bits. An index that is not in a register is copied to one.
    pub(crate) fn make_index_term(&mut self, index: AstIndex) -> IndexTerm {
        let AstIndex::Relative(number) = index else {
            return IndexTerm::from_constant(const_index_or_zero(index) as i32);
        };
        // Truncated to 32 bits if the variable has 64: larger indices select no element, whose
        // value is undefined. NV_gpu_program4 section 2.X.4.2.
        let relative = self.resources.checked.relative_indices[number as usize];
        let OperandValue::Var(var) = relative.base else {
            return IndexTerm::from_constant(0);
        };
        let source = self.load_variable(var, AstIndex::None, Type::S32);
        let register = if let (OperandBase::Register(register), None) = (source.base, source.index)
        {
            register
        } else {
            // Inputs and parameters go through a register.
            let register = self.alloc_hidden(Width::W32);
            self.emit_to_register(register, WriteMask::XYZW, Op::Mov, Type::S32, &[source]);
            register
        };
        IndexTerm {
            relative: Some((register, relative.lane)),
            // Offsets in ARB programs may be of any size (`LenientRule::LargeOffset`), but no array
            // is longer than 32 bits can represent.
            offset: relative.offset.clamp(i32::MIN.into(), i32::MAX.into()) as i32,
        }
    }
}

/// Sets the negation and the absolute value of a source according to the signs and bars of an
/// operand. The absolute value of an unsigned integer is itself. The source must not have any yet.
pub(super) fn apply_signs(src: &mut Src, signs: Signs, ty: Type) {
    let inner = signs.contains(Signs::INNER);
    let outer = signs.contains(Signs::OUTER);
    if !signs.contains(Signs::ABS) {
        src.negate = inner;
    } else if ty.base() == BaseType::UnsignedInt {
        // The absolute value has no effect and the negation is that of two's complement, so two
        // signs cancel each other.
        src.negate = inner != outer;
    } else {
        // A sign between the bars has no effect: the absolute value is taken after it.
        // NV_gpu_program4 section 2.X.4.2.
        src.abs = true;
        src.negate = outer;
    }
}

/// Returns a source that reads the lanes of `src` in the given order.
pub(crate) fn reorder_lanes(src: Src, order: [u8; 4]) -> Src {
    src.swizzled(Swizzle::new(order))
}

/// Applies suffix and signs of an operand to a value that was loaded for it.
pub(super) fn apply_modifiers(source: Src, operand: &InstSource, ty: Type) -> Src {
    let mut source = source.swizzled(operand.suffix.swizzle());
    apply_signs(&mut source, operand.signs, ty);
    source
}
