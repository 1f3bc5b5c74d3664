//! Results: register, mask, guard, clamp, condition codes, conversion to the width of the variable.
//!
//! [`find_result_fast`](Lowerer::find_result_fast) saves 229 of 600 retired instructions that
//! lowering a MAD would take without it, 7 % of the front end on straight code.

use super::context::const_index;
use super::context::{nearest, placeholder};
use super::formula::Formulas;
use super::resource::Resources;
use super::{InstCx, Lowerer};
use crate::ast::{Cond as AstCond, Index as AstIndex};
use crate::check::{IoBinding, Var, VarKind, VarSize};
use crate::lang::conditions::SPARSE_REGISTER;
use crate::lang::modifiers::Mods;
use crate::lang::opcodes::TypeRule;
use crate::lang::options::Features;
use crate::line::Target;
use glasm_ir::inst::{Aux, InstFlags};
use glasm_ir::types::{Base as TypeBase, Type, Width};
use glasm_ir::{
    Base, Cond, CondTest, Dst, Guard, IndexTerm, Inst, Op, Output, RegisterId, Saturate, Semantic,
    Src, Storage, Swizzle, WriteMask,
};

impl Lowerer<'_> {
    /// Appends the last operation of an instruction: `op` writes the result.
    #[inline]
    pub(crate) fn finish(&mut self, cx: &InstCx<'_>, op: Op, ty: Type, sources: &[Src]) {
        self.finish_with(cx, op, ty, Aux::None, sources);
    }

    /// Finishes like [`finish`](Self::finish) with sources that are in the program's table already,
    /// from `first_source` on.
    #[inline]
    pub(super) fn finish_pushed(&mut self, cx: &InstCx<'_>, op: Op, ty: Type, first_source: usize) {
        let source_count = self.resources.builder.program.srcs.len() - first_source;
        // Other results may append instructions, which would come between the sources: the sources
        // are removed again.
        let Some(dst) = self.find_result_fast(cx) else {
            let mut sources = [placeholder(); 4];
            let sources = &mut sources[..source_count.min(4)];
            sources.copy_from_slice(
                &self.resources.builder.program.srcs[first_source..][..sources.len()],
            );
            self.resources.builder.program.srcs.truncate(first_source);
            return self.finish(cx, op, ty, sources);
        };
        self.resources.builder.inst_of_pushed(Inst {
            op,
            ty,
            flags: self.flags,
            source_count: source_count as u8,
            first_source: first_source as u32,
            dst: Some(dst),
            aux: Aux::None,
            span: self.span,
        });
    }

    /// Returns the destination of a result if it needs no work of
    /// [`finish_with`](Self::finish_with) and [`make_dst`](Self::make_dst) other than the look-up
    /// of the register. This is the common case.
    #[inline]
    fn find_result_fast(&self, cx: &InstCx<'_>) -> Option<Dst> {
        // Only modifiers are tested here: variables that need more than a write are left out by
        // `known_result`.
        let excluded = Mods::ANY_CC.union(Mods::ANY_CLAMP).union(Mods::FIXED);
        let result = cx.line.dst.as_ref()?;
        let mods = cx.line.modifiers.mods();
        if result.guard.is_some() || mods.intersects(excluded) || self.precision.result.is_some() {
            return None;
        }
        let width = cx.result.width();
        match self
            .resources
            .tables
            .known_result(result.var, result.index, width)?
        {
            Base::Register(register) => Some(Dst::new(register, result.mask)),
            Base::Param(_) | Base::Input(_) | Base::Output(_) | Base::Literal(_) => None,
        }
    }

    /// Finishes like [`finish`](Self::finish) an operation with auxiliary data.
    #[inline]
    pub(crate) fn finish_with(
        &mut self,
        cx: &InstCx<'_>,
        op: Op,
        ty: Type,
        aux: Aux,
        sources: &[Src],
    ) {
        let Some(result) = &cx.line.dst else { return };
        let (dst, width) = self.make_dst(cx, result);
        if let Some(rounding) = self.precision.result {
            return self.finish_rounded(dst, rounding, (op, ty, aux), sources);
        }
        if cx.line.modifiers.mods().contains(Mods::FIXED) && !self.resources.has_exact_precision() {
            return self.finish_fixed(dst, op, ty, aux, sources);
        }
        // The rest is for integers and sizes, which the languages with these precisions do not
        // have.
        let clamped = cx.line.modifiers.mods().intersects(Mods::ANY_CLAMP);
        // CVT limits integers itself: its clamp is that of the conversion, in `aux`.
        if clamped && !cx.result.is_float() && cx.info.rule != TypeRule::Convert {
            let unclamped = self.hidden(cx.result.width());
            self.put_with(unclamped, op, ty, aux, sources);
            let clamped = self.clamp_bits(cx, unclamped);
            return self.finish_from(cx, dst, width, clamped);
        }
        if width == cx.result.width() {
            return self.inst(op, ty, Some(dst), aux, sources);
        }
        if dst.cc.is_some() && op.adds() && ty.is_int() {
            // Overflow and carry are those of the operation, regardless of the size of the
            // variable.
            return self.inst(op, ty, Some(dst), aux, sources);
        }
        if ty == Type::F16 {
            return self.finish_half_in_long(dst, aux, sources);
        }
        // The result has another size than the variable: convert it with the last write.
        let hidden = self.hidden(cx.result.width());
        self.put_with(hidden, op, ty, aux, sources);
        self.finish_from(cx, dst, width, hidden);
    }

    /// Writes a result that a hidden register holds to a variable of this width. NV_gpu_program4
    /// section 2.X.4.3.
    fn finish_from(&mut self, cx: &InstCx<'_>, dst: Dst, width: Width, hidden: RegisterId) {
        let (op, aux) = if width == cx.result.width() {
            (Op::Mov, Aux::None)
        } else {
            (Op::Cvt, nearest(cx.result))
        };
        // The base remains that of the result: signed integers are extended with their sign,
        // unsigned ones with zeros, and clamp and condition codes see a value of that type.
        let ty = cx.result.with_width(width);
        self.inst(op, ty, Some(dst), aux, &[Src::register(hidden)]);
    }

    /// Finishes CVT to half precision with a LONG result: the 16 bits are written to the low part
    /// of the 64-bit register as those of narrow integers are. Converting the 32-bit register to a
    /// double as every other result would take these bits for a number, which is a denormal.
    #[cold]
    fn finish_half_in_long(&mut self, dst: Dst, aux: Aux, sources: &[Src]) {
        let half = self.hidden(Width::W32);
        let clamped = Dst {
            saturate: dst.saturate,
            ..Dst::new(half, WriteMask::XYZW)
        };
        self.inst(Op::Cvt, Type::F16, Some(clamped), aux, sources);
        let half = [Src::register(half)];
        let bits = Dst {
            saturate: Saturate::None,
            cc: None,
            ..dst
        };
        self.inst(Op::Cvt, Type::U64, Some(bits), nearest(Type::U32), &half);
        if dst.cc.is_none() {
            return;
        }
        // Condition codes are those of the number. They are written last: the guard of both writes
        // reads the old ones.
        let codes = Dst {
            register: self.hidden(Width::W32),
            index: None,
            saturate: Saturate::None,
            ..dst
        };
        self.inst(Op::Cvt, Type::F32, Some(codes), nearest(Type::F16), &half);
    }

    /// Finishes a result that is converted to a precision below 32 bits.
    fn finish_rounded(
        &mut self,
        dst: Dst,
        rounding: Op,
        (op, ty, aux): (Op, Type, Aux),
        sources: &[Src],
    ) {
        // The conversion moves, too. The clamp, which `dst` has, is applied after the conversion
        // although the specification applies it before: 0 and 1 are numbers of every precision, so
        // the results are the same. NV_fragment_program section 3.11.4.4.
        if op == Op::Mov {
            return self.inst(rounding, Type::F32, Some(dst), Aux::None, sources);
        }
        let hidden = self.hidden(Width::W32);
        self.put_with(hidden, op, ty, aux, sources);
        let exact = [Src::register(hidden)];
        self.inst(rounding, Type::F32, Some(dst), Aux::None, &exact);
    }

    /// Finishes a result of precision X: results beyond the range of signed fixed point numbers
    /// with ten fraction bits are clamped to it. NV_fragment_program_option section 3.11.4.X.
    #[cold]
    fn finish_fixed(&mut self, dst: Dst, op: Op, ty: Type, aux: Aux, sources: &[Src]) {
        let hidden = self.hidden(Width::W32);
        self.inst(
            op,
            ty,
            Some(Dst::new(hidden, WriteMask::XYZW)),
            aux,
            sources,
        );
        // Only the ends are promised: the precision of the option is a minimum, which floats of 32
        // bits exceed.
        let (low, high) = (self.float(-2.0), self.float(2047.0 / 1024.0));
        let value = self.compute(Op::Max, Type::F32, &[Src::register(hidden), low]);
        self.inst(Op::Min, Type::F32, Some(dst), Aux::None, &[value, high]);
    }

    /// Clamps an integer result, which drivers take for one of the float that has its bits
    /// ([`Rule::ClampOnInteger`](crate::lang::lenient::Rule::ClampOnInteger)). Condition codes are
    /// those of the resulting integer.
    #[cold]
    fn clamp_bits(&mut self, cx: &InstCx<'_>, unclamped: RegisterId) -> RegisterId {
        let signed = cx.line.modifiers.mods().contains(Mods::SSAT);
        let clamped = self.hidden(cx.result.width());
        let saturate = if signed {
            Saturate::Signed
        } else {
            Saturate::Unsigned
        };
        let float = Type::of(TypeBase::Float, cx.result.width());
        let as_float = Dst {
            saturate,
            ..Dst::new(clamped, WriteMask::XYZW)
        };
        let source = [Src::register(unclamped)];
        self.inst(Op::Mov, float, Some(as_float), Aux::None, &source);
        clamped
    }

    /// Appends an instruction that writes all lanes of a hidden register.
    fn put_with(&mut self, register: RegisterId, op: Op, ty: Type, aux: Aux, sources: &[Src]) {
        let dst = Dst::new(register, WriteMask::XYZW);
        self.inst(op, ty, Some(dst), aux, sources);
    }

    /// Returns destination and width of the variable.
    #[inline]
    fn make_dst(&mut self, cx: &InstCx<'_>, result: &Target) -> (Dst, Width) {
        let checked = self.resources.checked;
        let var = result.var;
        let info = &checked.vars[var as usize];
        let (register, index) = if let VarKind::Result { first } = info.kind {
            self.get_result_register(var, first, result.index, cx.result)
        } else if info.kind == VarKind::WritableParam {
            (self.write_param(info, result), None)
        } else {
            self.get_temp_register(var, info, result.index)
        };
        // If precisions are exact, conversions already apply them: a relaxed operation might be
        // less than half precision.
        if info.size == VarSize::Short && !self.resources.has_exact_precision() {
            self.flags |= InstFlags::RELAXED;
        }
        let mut dst = Dst {
            index,
            ..Dst::new(register, result.mask)
        };
        if let Some(guard) = result.guard {
            dst.guard = Some(self.resources.make_guard(guard));
        }
        if cx
            .line
            .modifiers
            .mods()
            .intersects(Mods::ANY_CC.union(Mods::ANY_CLAMP))
        {
            self.resources
                .set_effects(&mut dst, cx.line.modifiers.mods(), cx.result);
        }
        (
            dst,
            if info.is_long() {
                Width::W64
            } else {
                Width::W32
            },
        )
    }

    /// Returns the register and index of a result variable.
    fn get_result_register(
        &mut self,
        var: u32,
        first: u32,
        index: AstIndex,
        ty: Type,
    ) -> (RegisterId, Option<glasm_ir::inst::IndexId>) {
        let checked = self.resources.checked;
        let info = &checked.vars[var as usize];
        let index = info.element.map_or(index, AstIndex::Relative);
        if let AstIndex::Relative(_) = index {
            let semantic = self.resources.checked.results[first as usize].semantic;
            let register = self
                .resources
                .tables
                .results
                .get(&semantic)
                .map(|&(register, _)| register);
            // Arrays with dynamic index have their register from the start.
            if let Some(register) = register {
                return (
                    register,
                    Some(self.make_index(index, info.array.unwrap_or(1))),
                );
            }
        }
        // Elements whose number is known are looked up by their semantic: the array may be another
        // variable's.
        let number = const_index(index);
        let binding = self.resources.checked.results[(first + number) as usize];
        let (register, element) = match self.resources.tables.results.get(&binding.semantic) {
            Some(&found) => found,
            None => (self.resources.add_result(info, binding, ty), None),
        };
        // A cached base holds no index, so that elements of a register are looked up each time.
        if element.is_none() && !info.relative {
            *self.resources.tables.place(var, number) = Some(Base::Register(register));
        }
        // A result that belongs to an array is an element of its register, whichever variable names
        // it.
        let index = element.map(|(number, len)| {
            let element = IndexTerm::constant(number as i32);
            self.resources
                .builder
                .program
                .indices
                .push(glasm_ir::Index {
                    element,
                    len,
                    vertex: None,
                })
        });
        (register, index)
    }

    /// Loads a result as operand: the last value written to it.
    pub(super) fn load_result(&mut self, var: u32, first: u32, index: AstIndex, ty: Type) -> Src {
        let (register, index) = self.get_result_register(var, first, index, ty);
        Src {
            index,
            ..Src::register(register)
        }
    }
}

impl Resources<'_> {
    fn set_effects(&mut self, dst: &mut Dst, mods: Mods, ty: Type) {
        if ty.is_float() {
            let signed = mods.contains(Mods::SSAT);
            let keeps_nan = self.ast.dialect.facts().clamp_keeps_nan;
            // The clamp precedes the condition codes, which are those of the clamped result.
            // NV_gpu_program4 section 2.X.4.1.
            dst.saturate = match (signed, keeps_nan) {
                _ if !mods.intersects(Mods::ANY_CLAMP) => Saturate::None,
                (true, false) => Saturate::Signed,
                (false, false) => Saturate::Unsigned,
                (true, true) => Saturate::SignedOrNan,
                (false, true) => Saturate::UnsignedOrNan,
            };
        }
        if mods.contains(Mods::CC0) {
            dst.cc = Some(self.get_condition_code(0));
        } else if mods.contains(Mods::CC1) {
            dst.cc = Some(self.get_condition_code(1));
        }
    }

    /// Returns the branch condition: any of the four tested components. NV_gpu_program4 section
    /// 2.X.5.
    pub(super) fn make_any_condition(&mut self, cond: Option<AstCond>) -> Cond {
        let guard = match cond {
            Some(cond) => self.make_guard(cond),
            None => Guard {
                cc: self.get_condition_code(0),
                test: CondTest::True,
                swizzle: Swizzle::XYZW,
            },
        };
        Cond::Any(guard)
    }

    /// Returns the guard of a condition.
    pub(crate) fn make_guard(&mut self, cond: AstCond) -> Guard {
        // The sparse condition code has one component. EXT_sparse_texture2 section 2.X.3.7.
        let swizzle = if cond.test.register == SPARSE_REGISTER {
            Swizzle::splat(0)
        } else {
            cond.swizzle
        };
        Guard {
            cc: self.get_condition_code(cond.test.register),
            test: cond.test.test,
            swizzle,
        }
    }

    /// Adds the register of a result that was not named before.
    fn add_result(&mut self, info: &Var, binding: IoBinding, ty: Type) -> RegisterId {
        let semantic = binding.semantic;
        // A color without declared type has that of its first access; the types of other results
        // depend on their binding.
        let is_color = matches!(semantic, Semantic::FragColor { .. });
        let natural = if is_color && binding.typeless {
            ty.base()
        } else {
            binding.base
        };
        let output = Output {
            base: info.base.unwrap_or(natural),
            ..Output::new(semantic)
        };
        let storage = if self.is_fixed_function(semantic) {
            Storage::Temp
        } else {
            Storage::Output(self.add_output(output))
        };
        let register = self.add_output_register(info, storage, None);
        self.tables.results.insert(semantic, (register, None));
        register
    }

    /// Returns true if fixed functions compute a result instead of a position-invariant program:
    /// its clip distances, which user clip planes replace (NV_vertex_program2_option section 2.11),
    /// and the position itself ([`Rule::OwnPosition`]).
    ///
    /// [`Rule::OwnPosition`]: crate::lang::lenient::Rule::OwnPosition
    fn is_fixed_function(&self, semantic: Semantic) -> bool {
        let features = self.checked.features;
        matches!(semantic, Semantic::ClipDistance(_) | Semantic::Position)
            && features.contains(Features::POSITION_INVARIANT)
    }

    fn add_output_register(
        &mut self,
        info: &Var,
        storage: Storage,
        array: Option<u32>,
    ) -> RegisterId {
        self.add_register_of(info, (storage, Width::W32), array)
    }

    /// Adds the register of a result array with dynamic index.
    pub(super) fn add_result_array(&mut self, info: &Var, first: u32, count: u32) {
        let start = self.checked.results[first as usize].semantic;
        // Each operand `result.texcoord[A0.x]` is a separate variable; the first one has created
        // the array of all of them.
        if info.element.is_some() && self.tables.results.contains_key(&start) {
            return;
        }
        // Outputs of the array are consecutive: the register names only the first one.
        let mut start = None;
        for number in first..first + count {
            let binding = self.checked.results[number as usize];
            let output = self.add_output(Output {
                base: info.base.unwrap_or(binding.base),
                ..Output::new(binding.semantic)
            });
            start.get_or_insert(output);
        }
        let Some(start) = start else { return };
        let register = self.add_output_register(info, Storage::Output(start), Some(count));
        for number in first..first + count {
            let semantic = self.checked.results[number as usize].semantic;
            self.tables
                .results
                .insert(semantic, (register, Some((number - first, count))));
        }
    }
}
