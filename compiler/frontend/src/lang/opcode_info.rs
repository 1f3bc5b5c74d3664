//! What a row of the opcode table says. Columns follow table X.13 of NV_gpu_program4 and NV_gpu_program5.

use crate::lang::Stages;
use crate::lang::arb::Forms;
use crate::lang::modifiers::Mods;
use crate::lang::options::{Feature, Features};
use crate::lower::LowerFn;
use crate::source::Version;
use glasm_ir::Op;
use glasm_ir::types::Base;

/// How far an opcode supports a family of data types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Support {
    /// Not at all: `-`.
    No,
    /// Up to 32 bits: `X`.
    Narrow,
    /// Up to 64 bits: `6`.
    Wide,
}

/// What the result of an instruction is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultKind {
    /// `-`: none.
    None,
    /// `v`: vector of the type of the operation.
    V,
    /// `vf`: vector of floats.
    Vf,
    /// `vs`: vector of signed integers.
    Vs,
    /// `vu`: vector of unsigned integers.
    Vu,
    /// `s`: scalar of the type of the operation, written to every component.
    S,
    /// Address register of an ARB program: vector of signed integers.
    Address,
}

/// What stands at an operand place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperandKind {
    /// `v`: vector of the type of the operation.
    V,
    /// `vf`: vector of floats.
    Vf,
    /// `vs`: vector of signed integers.
    Vs,
    /// `vu`: vector of unsigned integers.
    Vu,
    /// `s`: scalar of the type of the operation.
    S,
    /// `su`: unsigned scalar.
    Su,
    /// Global address: unsigned scalar of 32 or 64 bits.
    Address,
    /// Vector without swizzle, sign and absolute value (SWZ).
    Plain,
    /// Extended swizzle (SWZ).
    ExtSwizzle,
    /// `t`: texture, target and optional offset.
    Texture,
    /// `i`: image and target.
    Image,
    /// Image without target.
    ImageUnit,
    /// Target of the image before.
    ImageTarget,
    /// Label.
    Label,
    /// SUBROUTINE variable.
    Subroutine,
    /// `c`: condition.
    Cond,
    /// Optional condition.
    OptCond,
    /// `vc`: vector or condition (KIL).
    Kill,
    /// Optional vector (REP).
    Count,
    /// Element of a CBUFFER variable.
    ConstMem,
    /// Element of a SHARED variable.
    SharedMem,
    /// Element of a STORAGE variable.
    StorageMem,
    /// Element of a COUNTER variable.
    CounterMem,
    /// Scalar; vector with NV options (ARL in ARB programs).
    Sv,
    /// Address register without suffix and sign.
    AddressRegister,
}

impl OperandKind {
    /// Whether it is a value or an element of memory.
    pub(crate) const fn is_value(self) -> bool {
        !matches!(
            self,
            Self::ExtSwizzle
                | Self::Texture
                | Self::Image
                | Self::ImageUnit
                | Self::ImageTarget
                | Self::Label
                | Self::Subroutine
                | Self::Cond
                | Self::OptCond
                | Self::Kill
                | Self::Count
        )
    }

    /// How `explain` writes it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::V => "vector",
            Self::Vf => "vector of floats",
            Self::Vs => "vector of signed integers",
            Self::Vu => "vector of unsigned integers",
            Self::S => "scalar",
            Self::Su => "unsigned scalar",
            Self::Address => "address",
            Self::Plain => "vector without swizzle and sign",
            Self::ExtSwizzle => "four of x, y, z, w, 0, 1, each with optional sign",
            Self::Texture => "texture, target and optional offset",
            Self::Image => "image, target",
            Self::ImageUnit => "image",
            Self::ImageTarget => "target",
            Self::Label => "label",
            Self::Subroutine => "SUBROUTINE variable",
            Self::Cond => "condition",
            Self::OptCond => "optional condition",
            Self::Kill => "vector or condition",
            Self::Count => "optional count",
            Self::ConstMem => "CBUFFER element",
            Self::SharedMem => "SHARED element",
            Self::StorageMem => "STORAGE element",
            Self::CounterMem => "COUNTER element",
            Self::Sv => "scalar, vector with NV options",
            Self::AddressRegister => "address register",
        }
    }
}

/// Which data type modifiers an instruction takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeRule {
    /// At most one, as columns F and I say.
    Arithmetic,
    /// At most one, for results of 64 bits from operands of 32.
    Pack64,
    /// At most one, for results of 32 bits from operands of 64.
    Unpack64,
    /// None.
    None,
    /// Exactly one storage modifier.
    Storage,
    /// One storage modifier and one atomic operation.
    Atomic,
    /// One storage modifier, or a base type or none.
    Image,
    /// Two sized types: result, operand.
    Convert,
}

/// Instructions that change the flow of control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FlowOp {
    Bra,
    Brk,
    Cal,
    Cali,
    Cont,
    Else,
    EndIf,
    EndLoop,
    EndRep,
    If,
    InterlockBegin,
    InterlockEnd,
    Loop,
    Pop,
    Push,
    Rep,
    Ret,
}

/// How an instruction becomes IR.
#[derive(Clone, Copy)]
pub(crate) enum Lower {
    /// One operation whose sources are the operands in order.
    Op(Op),
    /// A function.
    Fn(LowerFn),
    /// Flow control.
    Flow(FlowOp),
    /// Not translated yet.
    Missing,
}

impl std::fmt::Debug for Lower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Op(op) => write!(f, "Op({op:?})"),
            Self::Fn(_) => f.write_str("Fn"),
            Self::Flow(op) => write!(f, "Flow({op:?})"),
            Self::Missing => f.write_str("Missing"),
        }
    }
}

/// A row of the opcode table.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// Mnemonic without suffixes.
    pub name: &'static str,
    /// First language version.
    pub since: Version,
    /// Program types.
    pub stages: Stages,
    /// Option that enables it in versions before `since`, if there is one.
    pub option: Option<Feature>,
    /// What it is in ARB programs; rows of other families have nothing here.
    pub arb: Forms,
    /// Float types.
    pub float: Support,
    /// Integer types.
    pub int: Support,
    /// Modifiers besides types.
    pub mods: Mods,
    /// Base type without modifier.
    pub default: Base,
    /// Rule for data type modifiers.
    pub rule: TypeRule,
    /// Result.
    pub result: ResultKind,
    /// Operands.
    pub operands: &'static [OperandKind],
    /// Translation.
    pub(crate) lower: Lower,
    /// One line for people.
    pub text: &'static str,
    /// Whether all operands are values or memory elements, separated by commas.
    pub(crate) plain: bool,
    /// Whether rules beyond the columns exist.
    pub(crate) special: bool,
}

impl OpcodeInfo {
    /// Data type modifiers that the opcode takes, for people.
    pub fn types(&self) -> Vec<&'static str> {
        match self.rule {
            TypeRule::None => Vec::new(),
            TypeRule::Storage | TypeRule::Atomic => {
                vec!["one storage modifier such as U32 or F32X4"]
            }
            TypeRule::Image => vec!["one storage modifier such as U32 or F32X4", "F", "S", "U"],
            TypeRule::Convert => vec!["two sized types: result, operand"],
            TypeRule::Arithmetic | TypeRule::Pack64 | TypeRule::Unpack64 => {
                let mut types = Vec::new();
                let families: [(Support, &[&str], &[&str]); 2] = [
                    (self.float, &["F", "F32"], &["F64"]),
                    (self.int, &["S", "U", "S32", "U32"], &["S64", "U64"]),
                ];
                for (support, narrow, wide) in families {
                    if support >= Support::Narrow {
                        types.extend_from_slice(narrow);
                    }
                    if support == Support::Wide {
                        types.extend_from_slice(wide);
                    }
                }
                types
            }
        }
    }

    /// Whether the instruction opens, divides or closes a block.
    pub(crate) fn is_block(&self) -> bool {
        let Lower::Flow(op) = self.lower else {
            return false;
        };
        matches!(
            op,
            FlowOp::If
                | FlowOp::Else
                | FlowOp::EndIf
                | FlowOp::Loop
                | FlowOp::EndLoop
                | FlowOp::Rep
                | FlowOp::EndRep
        )
    }

    /// Whether programs with the opcode can be translated, not only checked.
    pub fn is_translated(&self) -> bool {
        !matches!(self.lower, Lower::Missing)
    }

    /// Where the specification describes the opcode.
    pub fn section(&self) -> &'static str {
        if self.arb != Forms::NONE {
            return self.arb_section();
        }
        match (self.stages, self.since) {
            (Stages::COMPUTE, _) => "NV_compute_program5 section 2.X.8",
            (Stages::FRAGMENT, Version::V4_0) => "NV_fragment_program4 section 2.X.8",
            (_, Version::V1_0 | Version::V4_0) => "NV_gpu_program4 section 2.X.8",
            (_, Version::V4_1 | Version::V5_0) => "NV_gpu_program5 section 2.X.8",
        }
    }

    fn arb_section(&self) -> &'static str {
        let forms = [self.arb.vertex, self.arb.fragment];
        let needs = forms
            .into_iter()
            .flatten()
            .map(|form| form.needs)
            .reduce(Features::intersection)
            .unwrap_or_default();
        let by_option = [
            (Features::NV_VERTEX_3, "NV_vertex_program3"),
            (Features::NV_FRAGMENT_2, "NV_fragment_program2"),
            (
                Features::NV_VERTEX_2,
                "NV_vertex_program2_option section 2.14.5",
            ),
            (
                Features::NV_FRAGMENT,
                "NV_fragment_program_option section 3.11.5",
            ),
        ];
        let named = by_option
            .iter()
            .find(|(feature, _)| needs.contains(*feature));
        match (named, self.arb.vertex) {
            (Some((_, section)), _) => section,
            (None, Some(form)) if form.needs.is_empty() => "ARB_vertex_program section 2.14.5",
            (None, _) => "ARB_fragment_program section 3.11.5",
        }
    }
}
