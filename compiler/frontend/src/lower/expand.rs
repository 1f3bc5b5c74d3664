//! Dispatch of opcodes to the functions that lower them.

use super::context::Precision;
use super::powers::Rules;
use super::{
    InstCx, Lowerer, alu, angles, composite, convert, image, kill, memory, ordered, pack, powers,
    texture, vertices,
};
use crate::lang::modifiers::Mods;
use crate::lang::opcodes::{Expansion, Lower, OpcodeInfo};
use crate::line::Line;
use glasm_ir::{InstFlags, Op};

impl Lowerer<'_> {
    /// Lowers an instruction other than flow control.
    #[inline]
    pub(super) fn lower_instruction(&mut self, line: &Line, info: &'static OpcodeInfo) {
        let cx = InstCx::new(line, info);
        self.begin_line(line);
        let mods = line.modifiers.mods();
        (self.flags, self.precision) = (InstFlags::empty(), Precision::default());
        let is_short = line
            .dst
            .is_some_and(|dst| self.resources.tables.is_short(dst.var));
        // Few instructions have a precision.
        if is_short || mods.intersects(Mods::PREC.union(Mods::HALF).union(Mods::FIXED)) {
            self.set_precision(line, info);
        }
        match info.lower {
            Lower::Op(op) => self.lower_direct_fast(&cx, op),
            Lower::Expand(expansion) => expand(self, &cx, expansion),
            // Lines of flow control are lowered elsewhere.
            Lower::Flow(_) => {}
        }
    }
}

impl Lowerer<'_> {
    /// Sets the precision that an instruction requests: in some languages it is exact, in the
    /// others a hint.
    fn set_precision(&mut self, line: &Line, info: &'static OpcodeInfo) {
        if self.resources.has_exact_precision() {
            self.precision = self.resources.find_precision(line, info);
            return;
        }
        let mods = line.modifiers.mods();
        self.flags
            .set(InstFlags::PRECISE, mods.contains(Mods::PREC));
        self.flags
            .set(InstFlags::RELAXED, mods.contains(Mods::HALF));
    }
}

/// Lowers an instruction that is more than one operation.
#[expect(clippy::too_many_lines, reason = "one line per expansion")]
fn expand(l: &mut Lowerer<'_>, cx: &InstCx<'_>, expansion: Expansion) {
    match expansion {
        Expansion::Abs => alu::abs(l, cx),
        Expansion::AddAddresses => composite::ara(l, cx),
        Expansion::AddShortAddresses => composite::short_ara(l, cx),
        Expansion::AtomicElement | Expansion::AtomicGlobal => memory::atomic(l, cx),
        Expansion::Barrier(op) => memory::barrier(l, op),
        Expansion::BitExtract => alu::bit_extract(l, cx),
        Expansion::BitInsert => alu::bit_insert(l, cx),
        Expansion::Convert => convert::convert(l, cx),
        Expansion::CosineExact => angles::cosine(l, cx),
        Expansion::Counter => memory::counter(l, cx),
        Expansion::DerivativeX => alu::derivative(l, cx, [Op::Ddx, Op::DdxFine, Op::DdxCoarse]),
        Expansion::DerivativeY => alu::derivative(l, cx, [Op::Ddy, Op::DdyFine, Op::DdyCoarse]),
        Expansion::Dp2a => composite::dp2a(l, cx),
        Expansion::Dph => composite::dph(l, cx),
        Expansion::Dst => composite::dst(l, cx),
        Expansion::EmitVertex => vertices::emit_vertex(l, cx),
        Expansion::EndPrimitive => vertices::end_primitive(l),
        Expansion::Exp2Exact => powers::exp2(l, cx),
        Expansion::ExpBounded => powers::exp(l, cx, Rules::Vertex1),
        Expansion::ExpOrdered => powers::exp(l, cx, Rules::Vertex2),
        Expansion::ExpParts => composite::exp(l, cx),
        Expansion::FractionOrNan => powers::fraction(l, cx),
        Expansion::Image(op) => image::lower_image(l, cx, op),
        Expansion::InterpolateAtSample => alu::interpolate_at_sample(l, cx),
        Expansion::IntToFloat => convert::int_to_float(l, cx),
        Expansion::Kill => kill::kill(l, cx),
        Expansion::Lit => composite::lit(l, cx),
        Expansion::LitOrdered => powers::lit(l, cx, Rules::Vertex2),
        Expansion::LitUnbounded => powers::lit_unbounded(l, cx),
        Expansion::LitZeroWins => powers::lit(l, cx, Rules::Vertex1),
        Expansion::LoadAddress(rounding) => composite::arl(l, cx, rounding),
        Expansion::LoadShortAddress(rounding) => composite::short_arl(l, cx, rounding),
        Expansion::LoadElement | Expansion::LoadGlobal => memory::load(l, cx),
        Expansion::LogFlushed => powers::log(l, cx),
        Expansion::LogParts => composite::log(l, cx),
        Expansion::Lrp => composite::lrp(l, cx),
        Expansion::MaxOrNan => ordered::max_or_nan(l, cx),
        Expansion::MaxOrSecond => ordered::max_or_second(l, cx),
        Expansion::MinOrNan => ordered::min_or_nan(l, cx),
        Expansion::MinOrSecond => ordered::min_or_second(l, cx),
        Expansion::Multiply => alu::mul(l, cx),
        Expansion::Nrm => composite::nrm(l, cx),
        Expansion::Pack(op) => pack::pack(l, cx, op),
        Expansion::Pack64 => pack::pk64(l, cx),
        Expansion::PackSignedBytes => pack::pk4b(l, cx),
        Expansion::Pow => composite::pow(l, cx),
        Expansion::PowExact => powers::pow(l, cx),
        Expansion::Rcc => composite::rcc(l, cx),
        Expansion::RccSigned => powers::rcc(l, cx),
        Expansion::Rfl => composite::rfl(l, cx),
        Expansion::RootOfAbsolute => composite::rsq(l, cx),
        Expansion::RootOfSigned => powers::rsq(l, cx),
        Expansion::RootWithCodes => powers::rsq_with_codes(l, cx),
        Expansion::Round(op, rounding) => convert::round(l, cx, op, rounding),
        Expansion::Sad => composite::sad(l, cx),
        Expansion::Scs => composite::scs(l, cx),
        Expansion::SetFalse => alu::set_false(l, cx),
        Expansion::SetInTotalOrder(op) => ordered::set_in_total_order(l, cx, op),
        Expansion::SetOrNan(op) => ordered::set_or_nan(l, cx, op),
        Expansion::SetTrue => alu::set_true(l, cx),
        Expansion::Shuffle(op) => alu::shuffle(l, cx, op),
        Expansion::SignOrNan => ordered::sign_or_nan(l, cx),
        Expansion::SineExact => angles::sine(l, cx),
        Expansion::StoreElement | Expansion::StoreGlobal => memory::store(l, cx),
        Expansion::Swz => composite::swz(l, cx),
        Expansion::Texture(op) => texture::lower_texture(l, cx, op),
        Expansion::Unpack(op) => pack::unpack(l, cx, op),
        Expansion::Unpack64 => pack::up64(l, cx),
        Expansion::UnpackSignedBytes => pack::up4b(l, cx),
        Expansion::X2d => composite::x2d(l, cx),
        Expansion::Xpd => composite::xpd(l, cx),
    }
}
