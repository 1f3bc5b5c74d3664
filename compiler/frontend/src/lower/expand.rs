//! Which function translates an opcode.

use super::{
    InstCx, Lowerer, alu, arb, composite, convert, derivative, image, kill, memory, pack, texture,
    thread,
};
use crate::lang::modifiers::Mods;
use crate::lang::opcodes::{Expansion, Lower};
use glasm_ir::InstFlags;

impl Lowerer<'_> {
    /// Translates an instruction that is no flow control.
    #[inline]
    pub(super) fn instruction(&mut self, number: u32) {
        let cx = self.cx(number);
        let (line, info) = (cx.line, cx.info);
        self.flags = InstFlags::empty();
        if line
            .modifiers
            .mods()
            .intersects(Mods::PREC.union(Mods::HALF))
        {
            self.flags.set(
                InstFlags::PRECISE,
                line.modifiers.mods().contains(Mods::PREC),
            );
            self.flags.set(
                InstFlags::RELAXED,
                line.modifiers.mods().contains(Mods::HALF),
            );
        }
        match info.lower {
            Lower::Op(op) => self.direct(&cx, op),
            Lower::Expand(expansion) => expand(self, &cx, expansion),
            Lower::Flow(_) | Lower::Missing => {}
        }
    }
}

/// Translates an instruction that is more than one operation.
fn expand(l: &mut Lowerer<'_>, cx: &InstCx<'_>, expansion: Expansion) {
    match expansion {
        Expansion::Abs => alu::abs(l, cx),
        Expansion::AddAddresses => arb::add_addresses(l, cx),
        Expansion::AtomicElement => memory::atomic_element(l, cx),
        Expansion::AtomicGlobal => memory::atomic_global(l, cx),
        Expansion::Barrier(op) => memory::barrier(l, op),
        Expansion::BitExtract => alu::bit_extract(l, cx),
        Expansion::BitInsert => alu::bit_insert(l, cx),
        Expansion::Convert => convert::convert(l, cx),
        Expansion::Counter => memory::counter(l, cx),
        Expansion::DerivativeX => derivative::derivative_x(l, cx),
        Expansion::DerivativeY => derivative::derivative_y(l, cx),
        Expansion::Dp2a => composite::dp2a(l, cx),
        Expansion::Dph => composite::dph(l, cx),
        Expansion::Dst => composite::dst(l, cx),
        Expansion::ExpParts => arb::exp(l, cx),
        Expansion::Image(op) => image::lower_image(l, cx, op),
        Expansion::InterpolateAtSample => derivative::interpolate_at_sample(l, cx),
        Expansion::IntToFloat => convert::int_to_float(l, cx),
        Expansion::Kill => kill::kill(l, cx),
        Expansion::Lit => composite::lit(l, cx),
        Expansion::LoadAddress(rounding) => arb::load_address(l, cx, rounding),
        Expansion::LoadElement => memory::load_element(l, cx),
        Expansion::LoadGlobal => memory::load_global(l, cx),
        Expansion::LogParts => arb::log(l, cx),
        Expansion::Lrp => composite::lrp(l, cx),
        Expansion::Multiply => alu::mul(l, cx),
        Expansion::Nrm => composite::nrm(l, cx),
        Expansion::Pack(op) => pack::pack(l, cx, op),
        Expansion::Pack64 => pack::pk64(l, cx),
        Expansion::PackSignedBytes => pack::pk4b(l, cx),
        Expansion::Rcc => composite::rcc(l, cx),
        Expansion::Rfl => composite::rfl(l, cx),
        Expansion::RootOfAbsolute => arb::reciprocal_root(l, cx),
        Expansion::Round(op, rounding) => convert::round(l, cx, op, rounding),
        Expansion::Sad => composite::sad(l, cx),
        Expansion::Scs => composite::scs(l, cx),
        Expansion::SetFalse => alu::set_false(l, cx),
        Expansion::SetTrue => alu::set_true(l, cx),
        Expansion::Shuffle(op) => thread::shuffle(l, cx, op),
        Expansion::StoreElement => memory::store_element(l, cx),
        Expansion::StoreGlobal => memory::store_global(l, cx),
        Expansion::Swz => composite::swz(l, cx),
        Expansion::Texture(op) => texture::lower_texture(l, cx, op),
        Expansion::Unpack(op) => pack::unpack(l, cx, op),
        Expansion::Unpack64 => pack::up64(l, cx),
        Expansion::UnpackSignedBytes => pack::up4b(l, cx),
        Expansion::X2d => composite::x2d(l, cx),
        Expansion::Xpd => composite::xpd(l, cx),
    }
}
