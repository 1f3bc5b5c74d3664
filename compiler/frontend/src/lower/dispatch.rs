//! Dispatch of opcodes to the functions that lower them, and the instructions that are one
//! operation of the IR.

use super::op_builder::OpBuilder;
use super::operand::apply_signs;
use super::transcendental::ExpSemantics;
use super::{
    InstContext, Lowerer, alu, composite_ops, fragment, image, legacy_numerics, memory, per_vertex,
    texture, transcendental,
};
use super::{PrecisionConversions, placeholder_source};
use crate::lang::modifiers::ModifierFlags;
use crate::lang::opcodes::{Expansion, OpcodeInfo, Translation};
use crate::resolved_inst::{InstSource, OperandValue, ResolvedInst};
use glasm_ir::types::Type;
use glasm_ir::{InstFlags, Op, Src};

impl Lowerer<'_> {
    /// Lowers an instruction other than flow control to one IR operation or to an expansion, and
    /// sets the flags and precision of what it emits. Emits nothing for flow control.
    pub(super) fn lower_non_flow_inst(&mut self, line: &ResolvedInst, info: &'static OpcodeInfo) {
        let cx = InstContext::new(line, info);
        self.begin_inst(line);
        let mods = line.modifiers.mods();
        (self.flags, self.precision) = (InstFlags::empty(), PrecisionConversions::default());
        let is_short = line
            .dst
            .is_some_and(|dst| self.resources.ir_map.is_short(dst.var));
        // Few instructions have a precision.
        if is_short
            || mods.intersects(
                ModifierFlags::PREC
                    .union(ModifierFlags::HALF)
                    .union(ModifierFlags::FIXED),
            )
        {
            self.set_precision(line, info);
        }
        match info.lower {
            Translation::Op(op) => self.lower_direct_fast(&cx, op),
            Translation::Expand(expansion) => lower_expansion(self, &cx, expansion),
            // Flow control is lowered by `ControlFlow`.
            Translation::Flow(_) => {}
        }
    }
}

impl Lowerer<'_> {
    /// Sets the precision that an instruction requests: in some languages exact roundings of
    /// operands and result, in the others flags of the emitted instructions as a hint.
    fn set_precision(&mut self, line: &ResolvedInst, info: &'static OpcodeInfo) {
        if self.resources.has_exact_precision() {
            self.precision = self.resources.find_conversions(line, info);
            return;
        }
        let mods = line.modifiers.mods();
        self.flags
            .set(InstFlags::PRECISE, mods.contains(ModifierFlags::PREC));
        self.flags
            .set(InstFlags::RELAXED, mods.contains(ModifierFlags::HALF));
    }
}

/// Lowers an instruction that expands to several IR operations, by the function of its expansion.
#[expect(clippy::too_many_lines, reason = "one line per expansion")]
fn lower_expansion(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>, expansion: Expansion) {
    match expansion {
        Expansion::Abs => alu::lower_abs(lowerer, cx),
        Expansion::AddAddresses => composite_ops::lower_ara(lowerer, cx),
        Expansion::AddShortAddresses => composite_ops::lower_short_ara(lowerer, cx),
        Expansion::AtomicElement | Expansion::AtomicGlobal => memory::lower_atom(lowerer, cx),
        Expansion::Barrier(op) => memory::lower_barrier(lowerer, op),
        Expansion::BitExtract => alu::lower_bfe(lowerer, cx),
        Expansion::BitInsert => alu::lower_bfi(lowerer, cx),
        Expansion::Convert => alu::lower_cvt(lowerer, cx),
        Expansion::CosineExact => transcendental::lower_cos(lowerer, cx),
        Expansion::Counter => memory::lower_atomctr(lowerer, cx),
        Expansion::DerivativeX => {
            alu::lower_derivative(lowerer, cx, [Op::Ddx, Op::DdxFine, Op::DdxCoarse])
        }
        Expansion::DerivativeY => {
            alu::lower_derivative(lowerer, cx, [Op::Ddy, Op::DdyFine, Op::DdyCoarse])
        }
        Expansion::Dp2a => composite_ops::lower_dp2a(lowerer, cx),
        Expansion::Dph => composite_ops::lower_dph(lowerer, cx),
        Expansion::Dst => composite_ops::lower_dst(lowerer, cx),
        Expansion::EmitVertex => per_vertex::lower_emit(lowerer, cx),
        Expansion::EndPrimitive => per_vertex::lower_endprim(lowerer),
        Expansion::Exp2Exact => transcendental::lower_ex2(lowerer, cx),
        Expansion::ExpBounded => transcendental::lower_exp(lowerer, cx, ExpSemantics::Vp1),
        Expansion::ExpOrdered => transcendental::lower_exp(lowerer, cx, ExpSemantics::Vp2),
        Expansion::ExpParts => composite_ops::lower_exp(lowerer, cx),
        Expansion::FractionOrNan => transcendental::lower_frc(lowerer, cx),
        Expansion::Image(op) => image::lower_image(lowerer, cx, op),
        Expansion::InterpolateAtSample => alu::lower_ipas(lowerer, cx),
        Expansion::IntToFloat => alu::lower_i2f(lowerer, cx),
        Expansion::Kill => fragment::lower_kil(lowerer, cx),
        Expansion::Lit => composite_ops::lower_lit(lowerer, cx),
        Expansion::LitOrdered => transcendental::lower_lit(lowerer, cx, ExpSemantics::Vp2),
        Expansion::LitUnbounded => transcendental::lower_lit_unbounded(lowerer, cx),
        Expansion::LitZeroWins => transcendental::lower_lit(lowerer, cx, ExpSemantics::Vp1),
        Expansion::LoadAddress(rounding) => composite_ops::lower_arl(lowerer, cx, rounding),
        Expansion::LoadShortAddress(rounding) => {
            composite_ops::lower_short_arl(lowerer, cx, rounding)
        }
        Expansion::LoadElement | Expansion::LoadGlobal => memory::lower_load(lowerer, cx),
        Expansion::LogFlushed => transcendental::lower_log(lowerer, cx),
        Expansion::LogParts => composite_ops::lower_log(lowerer, cx),
        Expansion::Lrp => composite_ops::lower_lrp(lowerer, cx),
        Expansion::MaxOrNan => legacy_numerics::lower_max_or_nan(lowerer, cx),
        Expansion::MaxOrSecond => legacy_numerics::lower_max_or_second(lowerer, cx),
        Expansion::MinOrNan => legacy_numerics::lower_min_or_nan(lowerer, cx),
        Expansion::MinOrSecond => legacy_numerics::lower_min_or_second(lowerer, cx),
        Expansion::Multiply => alu::lower_mul(lowerer, cx),
        Expansion::Nrm => composite_ops::lower_nrm(lowerer, cx),
        Expansion::Pack(op) => alu::lower_pack(lowerer, cx, op),
        Expansion::Pack64 => alu::lower_pk64(lowerer, cx),
        Expansion::PackSignedBytes => alu::lower_pk4b(lowerer, cx),
        Expansion::Pow => composite_ops::lower_pow(lowerer, cx),
        Expansion::PowExact => transcendental::lower_pow(lowerer, cx),
        Expansion::Rcc => composite_ops::lower_rcc(lowerer, cx),
        Expansion::RccSigned => transcendental::lower_rcc(lowerer, cx),
        Expansion::Rfl => composite_ops::lower_rfl(lowerer, cx),
        Expansion::RootOfAbsolute => composite_ops::lower_rsq(lowerer, cx),
        Expansion::RootOfSigned => transcendental::lower_rsq(lowerer, cx),
        Expansion::RootWithCodes => transcendental::lower_rsq_with_codes(lowerer, cx),
        Expansion::Round(op, rounding) => alu::lower_round(lowerer, cx, op, rounding),
        Expansion::Sad => composite_ops::lower_sad(lowerer, cx),
        Expansion::Scs => composite_ops::lower_scs(lowerer, cx),
        Expansion::SetFalse => alu::lower_sfl(lowerer, cx),
        Expansion::SetInTotalOrder(op) => {
            legacy_numerics::lower_set_in_total_order(lowerer, cx, op)
        }
        Expansion::SetOrNan(op) => legacy_numerics::lower_set_or_nan(lowerer, cx, op),
        Expansion::SetTrue => alu::lower_str(lowerer, cx),
        Expansion::Shuffle(op) => alu::lower_shuffle(lowerer, cx, op),
        Expansion::SignOrNan => legacy_numerics::lower_sign_or_nan(lowerer, cx),
        Expansion::SineExact => transcendental::lower_sin(lowerer, cx),
        Expansion::StoreElement | Expansion::StoreGlobal => memory::lower_store(lowerer, cx),
        Expansion::Swz => composite_ops::lower_swz(lowerer, cx),
        Expansion::Texture(op) => texture::lower_texture(lowerer, cx, op),
        Expansion::Unpack(op) => alu::lower_unpack(lowerer, cx, op),
        Expansion::Unpack64 => alu::lower_up64(lowerer, cx),
        Expansion::UnpackSignedBytes => alu::lower_up4b(lowerer, cx),
        Expansion::X2d => composite_ops::lower_x2d(lowerer, cx),
        Expansion::Xpd => composite_ops::lower_xpd(lowerer, cx),
    }
}

impl Lowerer<'_> {
    /// Lowers an instruction that is one operation whose sources are the operands in order: sources
    /// that are variables are written directly to the program's table. Uses the slow path if an
    /// operand needs an instruction.
    pub(crate) fn lower_direct_fast(&mut self, cx: &InstContext<'_>, op: Op) {
        let checked = self.resources.checked;
        let ty = cx.types.ty;
        let operands = checked.insts.sources(cx.inst);
        // Rounding an operand is an instruction, which cannot be between the sources of this one.
        if self.precision.operands.is_some() {
            return self.lower_direct_slow(cx, op, self.resources.builder.program.srcs.len());
        }
        let first_source = self.resources.builder.program.srcs.len();
        for operand in operands {
            let base = match operand.base {
                OperandValue::Var(var) => {
                    self.resources
                        .ir_map
                        .cached_location(var, operand.index, ty.width())
                }
                OperandValue::Scalar(_) | OperandValue::Vector { .. } => {
                    let mut source = self.make_constant(operand, ty);
                    source.swizzle = operand.suffix.swizzle();
                    self.resources.builder.program.srcs.push(source);
                    continue;
                }
            };
            // An operand that needs a separate instruction, such as a conversion, would come
            // between the sources that were pushed.
            let Some(base) = base else {
                if self.push_cached_vertex_attrib(operand, ty) {
                    continue;
                }
                return self.lower_direct_slow(cx, op, first_source);
            };
            let mut source = Src {
                base,
                index: None,
                swizzle: operand.suffix.swizzle(),
                abs: false,
                negate: false,
            };
            if !operand.signs.is_empty() {
                apply_signs(&mut source, operand.signs, ty);
            }
            self.resources.builder.program.srcs.push(source);
        }
        self.emit_result_from_pushed(cx, op, ty, first_source);
    }

    /// Appends an operand that is an attribute of a vertex or a patch to the program's sources and
    /// returns true, if the same attribute was read before; else returns false.
    #[inline(never)]
    fn push_cached_vertex_attrib(&mut self, operand: &InstSource, ty: Type) -> bool {
        let cached = match operand.base {
            OperandValue::Var(var) => {
                self.resources
                    .ir_map
                    .cached_vertex_attrib(var, operand.index, ty.width())
            }
            OperandValue::Scalar(_) | OperandValue::Vector { .. } => None,
        };
        let Some((base, index)) = cached else {
            return false;
        };
        let mut source = Src {
            index,
            swizzle: operand.suffix.swizzle(),
            ..Src::new(base)
        };
        apply_signs(&mut source, operand.signs, ty);
        self.resources.builder.program.srcs.push(source);
        true
    }

    /// Lowers an instruction that is one operation, with operands of any kind, of which there are
    /// four at most. Removes the sources from `first_source` on, which the fast path has pushed.
    fn lower_direct_slow(&mut self, cx: &InstContext<'_>, op: Op, first_source: usize) {
        self.resources.builder.program.srcs.truncate(first_source);
        let ty = cx.types.ty;
        let mut sources = [placeholder_source(); 4];
        let count = (cx.inst.source_count as usize).min(4);
        for (number, source) in sources.iter_mut().enumerate().take(count) {
            *source = self.load_source(cx, number, ty);
        }
        self.emit_result(cx, op, ty, &sources[..count]);
    }
}
