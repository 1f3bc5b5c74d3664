//! One instruction.

use super::convert::convert;
use super::texture::Textures;
use super::{Machine, alu, group, pack};
use crate::inst::{Aux, Inst};
use crate::op::Op;
use crate::types::Type;

impl<T: Textures> Machine<'_, '_, T> {
    #[expect(clippy::too_many_lines, reason = "one line per operation")]
    pub(super) fn execute(&mut self, inst: &Inst) {
        match inst.op {
            Op::Mov => self.each(inst, alu::mov),
            Op::Add => self.each(inst, alu::add),
            Op::Sub => self.each(inst, alu::sub),
            Op::Mul => self.each(inst, alu::mul),
            Op::MulHi => self.each(inst, alu::mul_hi),
            Op::Mad => self.each(inst, alu::mad),
            Op::Div => self.each(inst, alu::div),
            Op::Mod => self.each(inst, alu::modulo),
            Op::Min => self.each(inst, alu::min),
            Op::Max => self.each(inst, alu::max),
            Op::NMin => self.each(inst, alu::nmin),
            Op::NMax => self.each(inst, alu::nmax),
            Op::Floor => self.each(inst, alu::floor),
            Op::Ceil => self.each(inst, alu::ceil),
            Op::Trunc => self.each(inst, alu::trunc),
            Op::Round => self.each(inst, alu::round),
            Op::Fract => self.each(inst, alu::fract),
            Op::Sign => self.each(inst, alu::sign),
            Op::Rcp => self.each(inst, alu::rcp),
            Op::Rsq => self.each(inst, alu::rsq),
            Op::Sqrt => self.each(inst, alu::sqrt),
            Op::Exp2 => self.each(inst, alu::exp2),
            Op::Log2 => self.each(inst, alu::log2),
            Op::Pow => self.each(inst, alu::pow),
            Op::Sin => self.each(inst, alu::sin),
            Op::Cos => self.each(inst, alu::cos),
            Op::And => self.each(inst, alu::and),
            Op::Or => self.each(inst, alu::or),
            Op::Xor => self.each(inst, alu::xor),
            Op::Not => self.each(inst, alu::not),
            Op::Shl => self.each(inst, alu::shl),
            Op::Shr => self.each(inst, alu::shr),
            Op::BitExtract => self.each(inst, alu::bit_extract),
            Op::BitInsert => self.each(inst, alu::bit_insert),
            Op::BitReverse => self.each(inst, alu::bit_reverse),
            Op::BitCount => self.each(inst, alu::bit_count),
            Op::FindLsb => self.each(inst, alu::find_lsb),
            Op::FindMsb => self.each(inst, alu::find_msb),
            Op::SetEq => self.each(inst, alu::set_eq),
            Op::SetNe => self.each(inst, alu::set_ne),
            Op::SetLt => self.each(inst, alu::set_lt),
            Op::SetLe => self.each(inst, alu::set_le),
            Op::SetGt => self.each(inst, alu::set_gt),
            Op::SetGe => self.each(inst, alu::set_ge),
            Op::SelLt => self.each(inst, alu::sel_lt),
            Op::SelNz => self.each(inst, alu::sel_nz),
            Op::Dp2 => self.vector(inst, pack::dp2),
            Op::Dp3 => self.vector(inst, pack::dp3),
            Op::Dp4 => self.vector(inst, pack::dp4),
            Op::Cvt => self.cvt(inst),
            Op::PackHalf2 => self.vector(inst, pack::pack_half2),
            Op::PackUnorm2 => self.vector(inst, pack::pack_unorm2),
            Op::PackUnorm4 => self.vector(inst, pack::pack_unorm4),
            Op::UnpackHalf2 => self.vector(inst, pack::unpack_half2),
            Op::UnpackUnorm2 => self.vector(inst, pack::unpack_unorm2),
            Op::UnpackUnorm4 => self.vector(inst, pack::unpack_unorm4),
            Op::Pack64 => self.vector(inst, pack::pack64),
            Op::Unpack64 => self.vector(inst, pack::unpack64),
            // There are no neighbors to differ from.
            Op::Ddx | Op::Ddy | Op::DdxFine | Op::DdyFine | Op::DdxCoarse | Op::DdyCoarse => {
                self.store(inst, [0; 4])
            }
            // An input has one value here.
            Op::InterpCentroid | Op::InterpOffset | Op::InterpSample => {
                let value = self.load(inst, 0);
                self.store(inst, value);
            }
            // The group has one invocation.
            Op::GroupAll | Op::GroupAny => self.each(inst, group::any),
            Op::GroupEqual => self.each(inst, group::equal),
            Op::GroupBallot => self.each(inst, group::ballot),
            Op::ShuffleUp | Op::ShuffleDown | Op::ShuffleXor | Op::ShuffleIndex => {
                let op = inst.op;
                let sources = self.load_all::<3>(inst);
                self.store(inst, group::shuffle(op, inst.ty, sources));
            }
            // Nor has the quad all its fragments.
            Op::Quad0 | Op::Quad1 | Op::Quad2 | Op::Quad3 | Op::QuadX | Op::QuadY => {
                self.store(inst, [0; 4]);
            }
            Op::Tex => self.texture_access(inst),
            Op::Resident => self.residency(inst),
            Op::Load => self.load_memory(inst),
            Op::Store => self.store_memory(inst),
            Op::Atomic => self.atomic(inst),
            // There are no images: their texels do not exist.
            Op::ImageLoad | Op::ImageAtomic | Op::ImageSize => self.store(inst, [0; 4]),
            Op::ImageSamples => self.store(inst, [1; 4]),
            Op::ImageStore => {}
            Op::MemoryBarrier | Op::Barrier | Op::InterlockBegin | Op::InterlockEnd => {}
            Op::Demote => self.demoted = true,
        }
    }

    /// An operation lane by lane.
    fn each<const N: usize>(&mut self, inst: &Inst, operation: fn(Type, [u64; N]) -> u64) {
        let sources = self.load_all::<N>(inst);
        let lane = |lane: usize| operation(inst.ty, sources.map(|source| source[lane]));
        self.store(inst, std::array::from_fn(lane));
    }

    /// An operation on whole vectors.
    fn vector<const N: usize>(
        &mut self,
        inst: &Inst,
        operation: fn(Type, [[u64; 4]; N]) -> [u64; 4],
    ) {
        let sources = self.load_all::<N>(inst);
        self.store(inst, operation(inst.ty, sources));
    }

    fn cvt(&mut self, inst: &Inst) {
        let Aux::Cvt {
            from,
            rounding,
            saturate,
        } = inst.aux
        else {
            return;
        };
        let lanes = self.load(inst, 0);
        self.store(
            inst,
            lanes.map(|bits| convert(from, inst.ty, bits, rounding, saturate)),
        );
    }
}
