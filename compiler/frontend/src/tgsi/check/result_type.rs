//! The type of the last operation of each opcode, which writes the result. A clamp of a result that
//! is an integer is a lenient rule.

use crate::tgsi::opcodes::{Formula, OpcodeLowering};
use glasm_ir::types::Type;

impl OpcodeLowering {
    /// Returns the type of the result; `None` for opcodes without one, for those that write it in
    /// another way, and for those whose operands determine the type.
    pub(super) fn result_type(self) -> Option<Type> {
        match self {
            Self::Direct(_, ty) | Self::First(_, ty) => Some(ty),
            Self::Formula(formula) => Some(formula.result_type()),
            Self::Move | Self::Interpolate(_) => Some(Type::F32),
            Self::Convert(_, to, _) => Some(to),
            Self::Bits(..) | Self::WideBits(..) | Self::Vote(_) | Self::Ballot => Some(Type::U32),
            Self::Wide(..)
            | Self::WideFormula(_)
            | Self::WideShift(..)
            | Self::Widen(..)
            | Self::Narrow(..)
            | Self::WideConvert(..)
            | Self::Lookup(_)
            | Self::ViewLookup(_)
            | Self::Memory(_)
            | Self::Flow(_)
            | Self::KillIf
            | Self::Demote
            | Self::Emit
            | Self::EndPrimitive
            | Self::Barrier
            | Self::MemoryBarrier => None,
        }
    }
}

impl Formula {
    /// Returns the type of the last operation of the formula.
    const fn result_type(self) -> Type {
        match self {
            Self::Absolute | Self::AddPairs | Self::Negate => Type::S32,
            Self::DivideSigned
            | Self::InsertBits
            | Self::PackSignedBytes
            | Self::SadInt
            | Self::ShiftLeft
            | Self::SignlessShift => Type::U32,
            Self::ExtractBits(ty) => ty,
            Self::AbsoluteFloat
            | Self::Clamp
            | Self::Condition
            | Self::Dot2Add
            | Self::DotHomogeneous
            | Self::DstVector
            | Self::ExpParts
            | Self::Interpolate
            | Self::IsFalse
            | Self::Larger
            | Self::IsTrue
            | Self::Lit
            | Self::LogParts
            | Self::Normalize3
            | Self::Normalize4
            | Self::PackUnorm2
            | Self::Power
            | Self::RccBounded
            | Self::Reflect
            | Self::RoundNearest
            | Self::RsqRoot
            | Self::ScaleByPower
            | Self::SelectBits
            | Self::SetSign
            | Self::SinCos
            | Self::Texture2dTransform
            | Self::UnpackSignedBytes
            | Self::CrossProduct
            | Self::DerivativeY(_) => Type::F32,
        }
    }
}
