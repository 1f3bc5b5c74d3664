//! Operands as IR sources. Order: load, convert to the width of the operation, swizzle, absolute
//! value, negation.

use super::address::{Address, point_and_element, view_address, view_buffer};
use super::context::const_index;
use super::formula::Formulas;
use super::{InstCx, Lowerer};
use crate::ast::{Index as AstIndex, Signs};
use crate::check::{Var, VarKind, VarSize, literal_bits};
use crate::line::{Source, Value};
use crate::vars::{BufferView, Holder};
use glasm_ir::inst::IndexId;
use glasm_ir::types::{Base as TypeBase, Type, Width};
use glasm_ir::{
    Base, Index, IndexTerm, Op, ParamSource, RegisterId, Semantic, Src, Swizzle, WriteMask,
};

impl Lowerer<'_> {
    /// Returns operand `number` read as `ty`, signs and swizzle included.
    #[inline]
    pub(crate) fn value(&mut self, cx: &InstCx<'_>, number: usize, ty: Type) -> Src {
        let source = &self.resources.checked.lines.sources[cx.line.first_source as usize + number];
        self.load_operand(source, ty)
    }

    /// Loads an operand read as `ty`.
    #[inline]
    pub(crate) fn load_operand(&mut self, operand: &Source, ty: Type) -> Src {
        let mut signs = operand.signs;
        let mut src = match operand.base {
            Value::Var(var) => {
                match self
                    .resources
                    .tables
                    .known_place(var, operand.index, ty.width())
                {
                    Some(base) => Src::new(base),
                    None => self.load_variable(var, operand.index, ty),
                }
            }
            Value::Scalar(_) | Value::Vector { .. } => {
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
            sign(&mut src, signs, ty);
        }
        match self.precision.operands {
            None => src,
            Some(op) => self.round_operand(operand, op, src),
        }
    }

    /// Returns a constant with its signs, before its suffix.
    ///
    /// By the grammar of operands the sign before a number is one of the operand, like that before
    /// a variable: it turns an integer addition into a subtraction, which has other overflow and
    /// carry. Floats have neither, so it is applied to their bits. NV_gpu_program4 sections 2.X.2
    /// and 2.X.4.3.
    #[inline]
    pub(super) fn make_constant(&mut self, operand: &Source, ty: Type) -> Src {
        let mut signs = operand.signs;
        let base = match operand.base {
            Value::Scalar(literal) if signs.contains(Signs::INNER) => {
                // The literal has its sign, too, which must be applied once.
                let mut literal = self.resources.ast.literals[literal as usize];
                if ty.is_float() {
                    signs.remove(Signs::INNER);
                } else {
                    literal.negative = false;
                }
                // Numbers out of range of the type were reported by the checker; here they only
                // must not panic.
                let bits = literal_bits(self.resources.ast.text, literal, ty).unwrap_or(0);
                Base::Literal(self.resources.literal_id([bits; 4]))
            }
            base @ (Value::Scalar(_) | Value::Vector { .. } | Value::Var(_)) => {
                self.resources.get_literal(base, ty)
            }
        };
        let mut src = Src::new(base);
        if !signs.is_empty() {
            sign(&mut src, signs, ty);
        }
        src
    }

    /// Loads a variable read as `ty`, without swizzle and signs.
    pub(super) fn load_variable(&mut self, var: u32, index: AstIndex, ty: Type) -> Src {
        let info = &self.resources.checked.vars[var as usize];
        let source = match info.kind {
            VarKind::Temp | VarKind::Address => self.load_temp(var, info, index),
            VarKind::Attrib { first } => self.load_attrib(var, info, first, index, ty),
            VarKind::Param { first } | VarKind::Subroutine { first, .. } => {
                self.load_parameter(var, info, first, index)
            }
            VarKind::WritableParam => self.load_writable_param(var, info, index),
            VarKind::Argument => self.resources.get_argument(var),
            VarKind::Buffer(view) => {
                let address = self.find_element_address(view, index);
                self.load_element(view, &address)
            }
            VarKind::Result { first } => self.load_result(var, first, index, ty),
            // The rules refuse these as operands.
            VarKind::Codes
            | VarKind::Texture { .. }
            | VarKind::Image { .. }
            | VarKind::Shared { .. }
            | VarKind::Poisoned => self.bits(0),
        };
        self.convert_width(source, var, ty)
    }

    /// Converts a source to the width of `ty` if its variable has another.
    #[inline]
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
        self.converted(source, from, ty)
    }

    fn load_temp(&mut self, var: u32, info: &Var, index: AstIndex) -> Src {
        let (register, index) = self.get_temp_register(var, info, index);
        Src {
            index,
            ..Src::register(register)
        }
    }

    /// Returns the register and index of a temporary.
    pub(super) fn get_temp_register(
        &mut self,
        var: u32,
        info: &Var,
        index: AstIndex,
    ) -> (RegisterId, Option<IndexId>) {
        // An array without dynamic index is a separate register for each element.
        let element = if info.relative { 0 } else { const_index(index) };
        let register = match *self.resources.tables.place(var, element) {
            Some(Base::Register(register)) => register,
            _ => {
                let register = self
                    .resources
                    .add_named_register(info, info.array.filter(|_| info.relative));
                *self.resources.tables.place(var, element) = Some(Base::Register(register));
                register
            }
        };
        let index = match info.array {
            Some(count) if info.relative => Some(self.make_index(index, count)),
            _ => None,
        };
        (register, index)
    }

    fn load_attrib(&mut self, var: u32, info: &Var, first: u32, index: AstIndex, ty: Type) -> Src {
        if self.resources.checked.attribs[first as usize].holder != Holder::default() {
            return self.load_held_attrib((var, info), first, index);
        }
        if info.relative {
            return self.select_element(var, info, index);
        }
        let element = const_index(index);
        if let Some(base) = *self.resources.tables.place(var, element) {
            return Src::new(base);
        }
        let binding = self.resources.checked.attribs[(first + element) as usize];
        // The type of the first read defines the type of an attribute without one.
        let base = info.base.unwrap_or(if binding.typeless {
            ty.base()
        } else {
            binding.base
        });
        let mut input = Base::Input(self.resources.get_input(binding, base, info.width()));
        if binding.semantic == Semantic::FogCoord && self.resources.has_exact_precision() {
            input = self.copy_fog_coordinate(input);
        }
        *self.resources.tables.place(var, element) = Some(input);
        Src::new(input)
    }

    /// Returns a register with f[FOGC], whose components y, z and w are 0, unlike those of the same
    /// attribute in other languages. The language has no flow control, so that the register has its
    /// value from the first use on. NV_fragment_program table X.1.
    fn copy_fog_coordinate(&mut self, input: Base) -> Base {
        let register = self.resources.add_register(Width::W32);
        let zero = self.bits(0);
        self.put(register, WriteMask(0b1110), Op::Mov, Type::F32, &[zero]);
        let coordinate = [Src::new(input)];
        self.put(register, WriteMask::X, Op::Mov, Type::F32, &coordinate);
        Base::Register(register)
    }

    fn load_parameter(&mut self, var: u32, info: &Var, first: u32, index: AstIndex) -> Src {
        if info.relative {
            return self.select_element(var, info, index);
        }
        let element = const_index(index);
        if let Some(base) = *self.resources.tables.place(var, element) {
            return Src::new(base);
        }
        let source = self.resources.checked.params[(first + element) as usize];
        let base = match source {
            // A constant of a PARAM declaration: it cannot be set, so it takes no slot among the
            // parameters.
            ParamSource::Literal(bits) => {
                Base::Literal(self.resources.literal_id(bits.map(u64::from)))
            }
            ParamSource::Env(_)
            | ParamSource::Local(_)
            | ParamSource::Subroutine(_)
            | ParamSource::Named(_)
            | ParamSource::Argument
            | ParamSource::State(_) => Base::Param(self.resources.get_param(source)),
        };
        *self.resources.tables.place(var, element) = Some(base);
        Src::new(base)
    }

    /// Returns an element of an array that is indexed at run time somewhere.
    fn select_element(&mut self, var: u32, info: &Var, index: AstIndex) -> Src {
        // A binding such as `vertex.attrib[A0.x]` is a variable that contains all attributes of its
        // kind and its own index.
        let index = info.element.map_or(index, AstIndex::Relative);
        // Such arrays get their registers before the first line.
        let Some(base) = *self.resources.tables.place(var, 0) else {
            return self.bits(0);
        };
        let mut index = Index {
            element: self.make_index_term(index),
            len: info.array.unwrap_or(1),
            vertex: None,
        };
        if self.resources.has_zero_ends(info) {
            // An index that wraps beyond 32 bits is out of bounds, too.
            index.element.offset = index.element.offset.wrapping_add(1);
            index.len += 2;
        }
        Src {
            index: Some(self.resources.builder.program.indices.push(index)),
            ..Src::new(base)
        }
    }

    /// Returns an index into an array of `len` elements.
    pub(crate) fn make_index(&mut self, index: AstIndex, len: u32) -> IndexId {
        let element = self.make_index_term(index);
        self.resources.builder.program.indices.push(Index {
            element,
            len,
            vertex: None,
        })
    }

    /// Returns the address of an element of a buffer variable.
    pub(super) fn find_element_address(&mut self, view: BufferView, index: AstIndex) -> Address {
        let (point, index) = point_and_element(self.resources.ast, view, index);
        let buffer = view_buffer(self, view);
        let point = point.map(|point| self.make_index_term(point));
        let index = self.make_index_term(index);
        view_address(self, (view, buffer), point, index)
    }

    /// Returns the run-time or constant term of an index.
    pub(crate) fn make_index_term(&mut self, index: AstIndex) -> IndexTerm {
        let AstIndex::Relative(number) = index else {
            return IndexTerm::constant(const_index(index) as i32);
        };
        // Truncated to 32 bits if the variable has 64: larger indices select no element, whose
        // value is undefined. NV_gpu_program4 section 2.X.4.2.
        let relative = self.resources.checked.relatives[number as usize];
        let Value::Var(var) = relative.base else {
            return IndexTerm::constant(0);
        };
        let source = self.load_variable(var, AstIndex::None, Type::S32);
        let register = if let (Base::Register(register), None) = (source.base, source.index) {
            register
        } else {
            // Inputs and parameters go through a register.
            let register = self.hidden(Width::W32);
            self.put(register, WriteMask::XYZW, Op::Mov, Type::S32, &[source]);
            register
        };
        IndexTerm {
            relative: Some((register, relative.lane)),
            // Offsets in ARB programs may be of any size (`Rule::LargeOffset`), but no array is
            // longer than 32 bits can represent.
            offset: relative.offset.clamp(i32::MIN.into(), i32::MAX.into()) as i32,
        }
    }
}

/// Applies signs and bars. The absolute value of an unsigned integer is itself.
pub(super) fn sign(src: &mut Src, signs: Signs, ty: Type) {
    let inner = signs.contains(Signs::INNER);
    let outer = signs.contains(Signs::OUTER);
    if !signs.contains(Signs::ABS) {
        src.negate = inner;
    } else if ty.base() == TypeBase::Unsigned {
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

/// Returns the lanes of a source in another order.
pub(crate) fn lanes(src: Src, order: [u8; 4]) -> Src {
    src.swizzled(Swizzle::new(order))
}

/// Applies suffix and signs of an operand to a value that was loaded for it.
pub(super) fn apply_modifiers(source: Src, operand: &Source, ty: Type) -> Src {
    let mut source = source.swizzled(operand.suffix.swizzle());
    sign(&mut source, operand.signs, ty);
    source
}
