//! Results: register, mask, guard, clamp, condition codes, conversion to the width of the variable.
//!
//! [`find_result_fast`](Lowerer::find_result_fast) saves 229 of 600 retired instructions that
//! lowering a MAD would take without it, 7 % of the front end on straight code.

use super::op_builder::OpBuilder;
use super::resource::Resources;
use super::{InstContext, Lowerer, const_index_or_zero, nearest_conversion, placeholder_source};
use crate::ast::{Cond as AstCond, Index as AstIndex};
use crate::check::{IoBinding, Var, VarKind, VarSize};
use crate::lang::modifiers::{ModifierFlags, SPARSE_REGISTER};
use crate::lang::opcodes::TypeRule;
use crate::lang::options::Features;
use crate::resolved_inst::ResolvedDst;
use glasm_ir::inst::{InstData, InstFlags};
use glasm_ir::types::{BaseType, Type, Width};
use glasm_ir::{
    Cond, CondTest, Dst, Guard, IndexTerm, Inst, Op, OperandBase, Output, RegisterId, Saturate,
    Semantic, Src, Storage, Swizzle, WriteMask,
};

impl Lowerer<'_> {
    /// Emits the last operation of an instruction like [`emit_result`](OpBuilder::emit_result), with
    /// sources that are already in the program's table, from `first_source` to its end. They are
    /// removed from the table and pushed again if the result needs further instructions.
    pub(super) fn emit_result_from_pushed(
        &mut self,
        cx: &InstContext<'_>,
        op: Op,
        ty: Type,
        first_source: usize,
    ) {
        let source_count = self.resources.builder.program.srcs.len() - first_source;
        // Other results may append instructions, which would come between the sources: the sources
        // are removed again.
        let Some(dst) = self.find_result_fast(cx) else {
            let mut sources = [placeholder_source(); 4];
            let sources = &mut sources[..source_count.min(4)];
            sources.copy_from_slice(
                &self.resources.builder.program.srcs[first_source..][..sources.len()],
            );
            self.resources.builder.program.srcs.truncate(first_source);
            return self.emit_result(cx, op, ty, sources);
        };
        self.resources.builder.push_inst_with_stored_sources(Inst {
            op,
            ty,
            flags: self.flags,
            source_count: source_count as u8,
            first_source: first_source as u32,
            dst: Some(dst),
            data: InstData::None,
            span: self.span,
        });
    }

    /// Returns the destination of a result if it needs no work of
    /// [`emit_converted_result`](Self::emit_converted_result) and [`make_dst`](Self::make_dst) other
    /// than the look-up of the register. This is the common case.
    fn find_result_fast(&self, cx: &InstContext<'_>) -> Option<Dst> {
        // Only modifiers are tested here: variables that need more than a write are left out by
        // `cached_result_location`.
        let excluded = ModifierFlags::ANY_CC
            .union(ModifierFlags::ANY_CLAMP)
            .union(ModifierFlags::FIXED);
        let result = cx.inst.dst.as_ref()?;
        let mods = cx.inst.modifiers.mods();
        if result.guard.is_some() || mods.intersects(excluded) || self.precision.result.is_some() {
            return None;
        }
        let width = cx.types.result.width();
        match self
            .resources
            .ir_map
            .cached_result_location(result.var, result.index, width)?
        {
            OperandBase::Register(register) => Some(Dst::new(register, result.mask)),
            OperandBase::Param(_)
            | OperandBase::Input(_)
            | OperandBase::Output(_)
            | OperandBase::Literal(_) => None,
        }
    }

    /// Emits the last operation of an instruction, and the conversions, rounding and clamps that its
    /// result needs. An instruction without a result emits nothing.
    pub(super) fn emit_converted_result(
        &mut self,
        cx: &InstContext<'_>,
        op: Op,
        ty: Type,
        aux: InstData,
        sources: &[Src],
    ) {
        let Some(result) = &cx.inst.dst else { return };
        let (dst, width) = self.make_dst(cx, result);
        if let Some(rounding) = self.precision.result {
            return self.emit_rounded_result(dst, rounding, (op, ty, aux), sources);
        }
        if cx.inst.modifiers.mods().contains(ModifierFlags::FIXED)
            && !self.resources.has_exact_precision()
        {
            return self.emit_fixed_result(dst, op, ty, aux, sources);
        }
        // The rest is for integers and sizes, which the languages with these precisions do not
        // have.
        let clamped = cx
            .inst
            .modifiers
            .mods()
            .intersects(ModifierFlags::ANY_CLAMP);
        // CVT limits integers itself: its clamp is that of the conversion, in `aux`.
        if clamped && !cx.types.result.is_float() && cx.info.rule != TypeRule::Convert {
            let unclamped = self.alloc_hidden(cx.types.result.width());
            self.emit_to_hidden(unclamped, op, ty, aux, sources);
            let clamped = self.clamp_as_float(cx, unclamped);
            return self.emit_result_from_hidden(cx, dst, width, clamped);
        }
        if width == cx.types.result.width() {
            return self.emit_inst(op, ty, Some(dst), aux, sources);
        }
        if dst.cc.is_some() && op.has_carry() && ty.is_int() {
            // Overflow and carry are those of the operation, regardless of the size of the
            // variable.
            return self.emit_inst(op, ty, Some(dst), aux, sources);
        }
        if ty == Type::F16 {
            return self.emit_half_result_in_long(dst, aux, sources);
        }
        // The result has another size than the variable: convert it with the last write.
        let unconverted = self.alloc_hidden(cx.types.result.width());
        self.emit_to_hidden(unconverted, op, ty, aux, sources);
        self.emit_result_from_hidden(cx, dst, width, unconverted);
    }

    /// Writes a value in a hidden register, of the result type of the instruction, to the
    /// destination of a variable of this width; values of another width are converted and retain
    /// their base. NV_gpu_program4 section 2.X.4.3.
    fn emit_result_from_hidden(
        &mut self,
        cx: &InstContext<'_>,
        dst: Dst,
        width: Width,
        hidden: RegisterId,
    ) {
        let (op, aux) = if width == cx.types.result.width() {
            (Op::Mov, InstData::None)
        } else {
            (Op::Cvt, nearest_conversion(cx.types.result))
        };
        // The base remains that of the result: signed integers are extended with their sign,
        // unsigned ones with zeros, and clamp and condition codes see a value of that type.
        let ty = cx.types.result.with_width(width);
        self.emit_inst(op, ty, Some(dst), aux, &[Src::from_register(hidden)]);
    }

    /// Finishes CVT to half precision with a LONG result: the 16 bits are written to the low part
    /// of the 64-bit register as those of narrow integers are, and condition codes are updated by
    /// the number. Converting the 32-bit register to a double as every other result would take
    /// these bits for a number, which is a denormal.
    fn emit_half_result_in_long(&mut self, dst: Dst, aux: InstData, sources: &[Src]) {
        let half = self.alloc_hidden(Width::W32);
        let half_dst = Dst {
            saturate: dst.saturate,
            ..Dst::new(half, WriteMask::XYZW)
        };
        self.emit_inst(Op::Cvt, Type::F16, Some(half_dst), aux, sources);
        let half = [Src::from_register(half)];
        let bits_dst = Dst {
            saturate: Saturate::None,
            cc: None,
            ..dst
        };
        self.emit_inst(
            Op::Cvt,
            Type::U64,
            Some(bits_dst),
            nearest_conversion(Type::U32),
            &half,
        );
        if dst.cc.is_none() {
            return;
        }
        // Condition codes are those of the number. They are written last: the guard of both writes
        // reads the old ones.
        let cc_dst = Dst {
            register: self.alloc_hidden(Width::W32),
            index: None,
            saturate: Saturate::None,
            ..dst
        };
        self.emit_inst(
            Op::Cvt,
            Type::F32,
            Some(cc_dst),
            nearest_conversion(Type::F16),
            &half,
        );
    }

    /// Emits an operation whose result is rounded by the operation `rounding` to a precision below
    /// 32 bits. A move is replaced by the rounding.
    fn emit_rounded_result(
        &mut self,
        dst: Dst,
        rounding: Op,
        (op, ty, aux): (Op, Type, InstData),
        sources: &[Src],
    ) {
        // The conversion moves, too. The clamp, which `dst` has, is applied after the conversion
        // although the specification applies it before: 0 and 1 are numbers of every precision, so
        // the results are the same. NV_fragment_program section 3.11.4.4.
        if op == Op::Mov {
            return self.emit_inst(rounding, Type::F32, Some(dst), InstData::None, sources);
        }
        let hidden = self.alloc_hidden(Width::W32);
        self.emit_to_hidden(hidden, op, ty, aux, sources);
        let unrounded = [Src::from_register(hidden)];
        self.emit_inst(rounding, Type::F32, Some(dst), InstData::None, &unrounded);
    }

    /// Emits an operation whose result has precision X: results beyond the range of signed
    /// fixed-point numbers with ten fraction bits are clamped to it. NV_fragment_program_option
    /// section 3.11.4.X.
    fn emit_fixed_result(&mut self, dst: Dst, op: Op, ty: Type, aux: InstData, sources: &[Src]) {
        let hidden = self.alloc_hidden(Width::W32);
        self.emit_inst(
            op,
            ty,
            Some(Dst::new(hidden, WriteMask::XYZW)),
            aux,
            sources,
        );
        // Only the ends are promised: the precision of the option is a minimum, which floats of 32
        // bits exceed.
        let (low, high) = (self.splat_float(-2.0), self.splat_float(2047.0 / 1024.0));
        let value = self.compute(Op::Max, Type::F32, &[Src::from_register(hidden), low]);
        self.emit_inst(
            Op::Min,
            Type::F32,
            Some(dst),
            InstData::None,
            &[value, high],
        );
    }

    /// Emits a move that clamps an integer result as the float that has its bits, as drivers do
    /// ([`LenientRule::ClampOnInteger`](crate::codes::LenientRule::ClampOnInteger)); returns the
    /// hidden register that it writes. Condition codes are those of the resulting integer, which
    /// the caller writes.
    fn clamp_as_float(&mut self, cx: &InstContext<'_>, unclamped: RegisterId) -> RegisterId {
        let signed = cx.inst.modifiers.mods().contains(ModifierFlags::SSAT);
        let clamped = self.alloc_hidden(cx.types.result.width());
        let saturate = if signed {
            Saturate::Signed
        } else {
            Saturate::Unsigned
        };
        let float = Type::from_base(BaseType::Float, cx.types.result.width());
        let float_dst = Dst {
            saturate,
            ..Dst::new(clamped, WriteMask::XYZW)
        };
        let source = [Src::from_register(unclamped)];
        self.emit_inst(Op::Mov, float, Some(float_dst), InstData::None, &source);
        clamped
    }

    /// Appends an instruction that writes all lanes of a hidden register, without clamp and
    /// condition codes.
    fn emit_to_hidden(
        &mut self,
        register: RegisterId,
        op: Op,
        ty: Type,
        aux: InstData,
        sources: &[Src],
    ) {
        let dst = Dst::new(register, WriteMask::XYZW);
        self.emit_inst(op, ty, Some(dst), aux, sources);
    }

    /// Returns the destination of a result, with mask, guard, clamp and condition codes, and the
    /// width of the variable. Adds the registers that it needs to the program, and marks the
    /// instruction as relaxed if the variable has SHORT precision and precisions are not exact. A
    /// written parameter is recorded, so that [`store_params`](Self::store_params) stores it to the
    /// buffer.
    fn make_dst(&mut self, cx: &InstContext<'_>, result: &ResolvedDst) -> (Dst, Width) {
        let checked = self.resources.checked;
        let var = result.var;
        let info = &checked.vars[var as usize];
        let (register, index) = if let VarKind::Result { first } = info.kind {
            self.get_result_register(var, first, result.index, cx.types.result)
        } else if info.kind == VarKind::WritableParam {
            (self.begin_param_write(info, result), None)
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
            .inst
            .modifiers
            .mods()
            .intersects(ModifierFlags::ANY_CC.union(ModifierFlags::ANY_CLAMP))
        {
            self.resources
                .set_clamp_and_cc(&mut dst, cx.inst.modifiers.mods(), cx.types.result);
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

    /// Returns the register of a result variable and the index of its element, if the register is
    /// an array. Register and output are added to the program at the first access, and the register
    /// is cached for direct access to the variable.
    fn get_result_register(
        &mut self,
        var: u32,
        first: u32,
        index: AstIndex,
        ty: Type,
    ) -> (RegisterId, Option<glasm_ir::inst::IndexId>) {
        let checked = self.resources.checked;
        let info = &checked.vars[var as usize];
        let index = info.relative_element.map_or(index, AstIndex::Relative);
        if let AstIndex::Relative(_) = index {
            let semantic = self.resources.checked.results[first as usize].semantic;
            let register = self
                .resources
                .ir_map
                .result_registers
                .get(&semantic)
                .map(|&(register, _)| register);
            // Arrays with dynamic index have their register from the start.
            if let Some(register) = register {
                return (
                    register,
                    Some(self.make_index(index, info.array_size.unwrap_or(1))),
                );
            }
        }
        // Elements whose number is known are looked up by their semantic: the array may be another
        // variable's.
        let element_index = const_index_or_zero(index);
        let binding = self.resources.checked.results[(first + element_index) as usize];
        let (register, element) = match self
            .resources
            .ir_map
            .result_registers
            .get(&binding.semantic)
        {
            Some(&found) => found,
            None => (self.resources.add_result_register(info, binding, ty), None),
        };
        // A cached base holds no index, so that elements of a register are looked up each time.
        if element.is_none() && !info.has_relative_access {
            *self.resources.ir_map.location_mut(var, element_index) =
                Some(OperandBase::Register(register));
        }
        // A result that belongs to an array is an element of its register, whichever variable names
        // it.
        let index = element.map(|(number, len)| {
            let element = IndexTerm::from_constant(number as i32);
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

    /// Returns the source that reads a result variable: the last value written to it. The first
    /// access adds its register. `index` selects an element of an array.
    pub(super) fn load_result(&mut self, var: u32, first: u32, index: AstIndex, ty: Type) -> Src {
        let (register, index) = self.get_result_register(var, first, index, ty);
        Src {
            index,
            ..Src::from_register(register)
        }
    }
}

impl Resources<'_> {
    /// Sets the clamp and the updated condition-code register of `dst` that the modifiers of an
    /// instruction request; the first update adds the register to the program. Integer results are
    /// never clamped here.
    fn set_clamp_and_cc(&mut self, dst: &mut Dst, mods: ModifierFlags, ty: Type) {
        if ty.is_float() {
            let signed = mods.contains(ModifierFlags::SSAT);
            let keeps_nan = self.ast.dialect.traits().clamp_keeps_nan;
            // The clamp precedes the condition codes, which are those of the clamped result.
            // NV_gpu_program4 section 2.X.4.1.
            dst.saturate = match (signed, keeps_nan) {
                _ if !mods.intersects(ModifierFlags::ANY_CLAMP) => Saturate::None,
                (true, false) => Saturate::Signed,
                (false, false) => Saturate::Unsigned,
                (true, true) => Saturate::SignedOrNan,
                (false, true) => Saturate::UnsignedOrNan,
            };
        }
        if mods.contains(ModifierFlags::CC0) {
            dst.cc = Some(self.get_condition_code(0));
        } else if mods.contains(ModifierFlags::CC1) {
            dst.cc = Some(self.get_condition_code(1));
        }
    }

    /// Returns the branch condition that is true if any of the four tested components passes;
    /// without `cond` it is always true. NV_gpu_program4 section 2.X.5.
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

    /// Converts a condition of the source to a guard; the first use of a condition-code register
    /// adds it to the program. The residency of sparse textures has one component, so that its
    /// swizzle is ignored.
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

    /// Adds the register of a result variable and the output that it is stored to at the end of the
    /// program, and records it by its semantic. A result that fixed functions compute has a
    /// register, but no output.
    fn add_result_register(&mut self, info: &Var, binding: IoBinding, ty: Type) -> RegisterId {
        let semantic = binding.semantic;
        // A color without declared type has that of its first access; the types of other results
        // depend on their binding.
        let is_color = matches!(semantic, Semantic::FragColor { .. });
        let binding_base = if is_color && binding.typeless {
            ty.base()
        } else {
            binding.base
        };
        let output = Output {
            base: info.base.unwrap_or(binding_base),
            ..Output::new(semantic)
        };
        let storage = if self.is_fixed_function(semantic) {
            Storage::Temp
        } else {
            Storage::Output(self.add_output(output))
        };
        let register = self.add_output_register(info, storage, None);
        self.ir_map
            .result_registers
            .insert(semantic, (register, None));
        register
    }

    /// Returns true if the program is position-invariant and fixed functions compute this result
    /// instead: its clip distances, which user clip planes replace (NV_vertex_program2_option
    /// section 2.11), and the position itself ([`LenientRule::OwnPosition`]).
    ///
    /// [`LenientRule::OwnPosition`]: crate::codes::LenientRule::OwnPosition
    fn is_fixed_function(&self, semantic: Semantic) -> bool {
        let features = self.checked.features;
        matches!(semantic, Semantic::ClipDistance(_) | Semantic::Position)
            && features.contains(Features::POSITION_INVARIANT)
    }

    /// Adds the register of a result variable, which has 32 bits in each component, and returns it;
    /// `array` is the number of elements of an array.
    fn add_output_register(
        &mut self,
        info: &Var,
        storage: Storage,
        array: Option<u32>,
    ) -> RegisterId {
        self.add_variable_register(info, (storage, Width::W32), array)
    }

    /// Adds consecutive outputs and their register for a result array with dynamic index, and
    /// records each element by its semantic. Does nothing for an operand with dynamic index if an
    /// earlier operand has added the array.
    pub(super) fn add_result_array(&mut self, info: &Var, first: u32, count: u32) {
        let start = self.checked.results[first as usize].semantic;
        // Each operand `result.texcoord[A0.x]` is a separate variable; the first one has created
        // the array of all of them.
        if info.relative_element.is_some() && self.ir_map.result_registers.contains_key(&start) {
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
            self.ir_map
                .result_registers
                .insert(semantic, (register, Some((number - first, count))));
        }
    }
}
