//! The opcodes of all families, and the table of the family with data types. Columns follow table
//! X.13 of NV_gpu_program4 and NV_gpu_program5.

pub(crate) use crate::lang::opcode_info::{
    Expansion, FlowOp, ImageOp, OperandRule, PackedSize, TextureOp, Translation,
};
pub use crate::lang::opcode_info::{OpcodeInfo, OperandKind, ResultKind, Support, TypeRule};

pub(crate) use crate::lang::opcode_macros::{op, operand, operand_rule, result};

use crate::keyword_table::KeywordTable;
use crate::lang::arb::ArbAvailability;
use crate::lang::modifiers::ModifierFlags;
use crate::lang::options::Features;
use crate::lang::register::{fp1, vp1, vp2};
use crate::lang::{Stages, arb};
use crate::source::{Family, Version};
use Translation::{Expand, Flow};
use glasm_ir::Op;
use glasm_ir::inst::Rounding;
use glasm_ir::types::BaseType;
use std::sync::OnceLock;

macro_rules! support {
    (-) => {
        Support::Unsupported
    };
    (X) => {
        Support::Narrow
    };
    (6) => {
        Support::Wide
    };
}
macro_rules! mods {
    // "-" and "X" are those of the table: the opcode takes the modifiers of a column with X.
    (- $flags:ident) => {
        ModifierFlags::empty()
    };
    (X $flags:ident) => {
        ModifierFlags::$flags
    };
}
macro_rules! base {
    (F) => {
        BaseType::Float
    };
    (S) => {
        BaseType::SignedInt
    };
    (U) => {
        BaseType::UnsignedInt
    };
    (-) => {
        BaseType::Float
    };
}

macro_rules! opcodes {
    ($($name:literal $since:ident $stages:ident [$f:tt $i:tt $c:tt $s:tt $h:tt $d:tt] $out:tt ($($in:ident)*)
       $rule:ident ($extra:expr) $lower:expr, $description:literal
       $(early $early:ident)? $(requires $required:ident)? $(rule $operand_rule:expr)?;)*) => {
        /// The opcodes of the family with types, in alphabetical order.
        const TYPED: &[OpcodeInfo] = &[$(OpcodeInfo {
            name: $name,
            since: Version::$since,
            stages: Stages::$stages,
            early: Features::empty()$(.union(Features::$early))?,
            required_features: Features::empty()$(.union(Features::$required))?,
            arb: ArbAvailability::NONE,
            float: support!($f),
            int: support!($i),
            mods: mods!($c ANY_CC).union(mods!($s ANY_CLAMP)).union(mods!($h HALF)).union(float_suffix(support!($f))).union($extra),
            default: base!($d),
            rule: TypeRule::$rule,
            result: result!($out),
            operands: &[$(operand!($in)),*],
            lower: $lower,
            description: $description,
            operand_rule: operand_rule!($($operand_rule)?),
        },)*];
    };
}

/// Returns the modifier of the suffix R, which means 32-bit precision, if an opcode has float
/// types; else none.
const fn float_suffix(float: Support) -> ModifierFlags {
    match float {
        Support::Unsupported => ModifierFlags::empty(),
        Support::Narrow | Support::Wide => ModifierFlags::FULL,
    }
}

const NO: ModifierFlags = ModifierFlags::empty();
/// Arithmetic.
const A: ModifierFlags = ModifierFlags::NTC.union(ModifierFlags::PREC);
/// Accesses to memory.
const M: ModifierFlags = ModifierFlags::NTC
    .union(ModifierFlags::COH)
    .union(ModifierFlags::VOL);
/// Accesses to atomic counters.
const C: ModifierFlags = ModifierFlags::NTC.union(ModifierFlags::ANY_COUNTER);
/// Modifiers without arithmetic.
const T: ModifierFlags = ModifierFlags::NTC;
/// Accesses to texels.
const S: ModifierFlags = ModifierFlags::NTC.union(ModifierFlags::SPARSE);
/// Accesses to texels whose level of detail is computed. EXT_sparse_texture2 section 2.X.4.1.
const L: ModifierFlags = S.union(ModifierFlags::LODCLAMP);

opcodes! {
    // Columns: name, version, program types, F I C S H D, result, operands, types, further
    // modifiers, translation, description; then, where there is one, the option that enables it in
    // earlier versions, the option that it needs, and the rule for operands.
    "ABS" V4_0 ALL [6 6 X X X F] v (v) Arithmetic (A) Expand(Expansion::Abs), "absolute value";
    "ADD" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::Add), "add";
    "AND" V4_0 ALL [- 6 X - - S] v (v v) Arithmetic (A) op(Op::And), "bitwise and";
    // Atomics take a storage modifier and an operation instead of a data type: NV_gpu_program5
    // section 2.X.8.Z.
    "ATOM" V5_0 ALL [- - X - - S] s (v a) Atomic (M) Expand(Expansion::AtomicGlobal), "atomic access to global memory";
    "ATOMB" V5_0 ALL [- - X - - S] s (v bm) Atomic (M) Expand(Expansion::AtomicElement), "atomic access to a storage buffer" requires STORAGE_BUFFER;
    "ATOMCTR" V5_0 ALL [- X X - - U] s (ctr) Arithmetic (C) Expand(Expansion::Counter), "atomic access to a counter" requires ATOMIC_COUNTERS rule OperandRule::CounterOperation;
    "ATOMIM" V5_0 ALL [- - X - - S] s (v vs im) Atomic (M.union(ModifierFlags::SPARSE)) Expand(Expansion::Image(ImageOp::Atomic)), "atomic access to an image";
    "ATOMS" V5_0 COMPUTE [- - X - - S] s (v sm) Atomic (M) Expand(Expansion::AtomicElement), "atomic access to shared memory" rule OperandRule::SharedBounds;
    // Control programs have it, too, but with a warning: see `LenientRule::PatchBarrier`.
    "BAR" V5_0 COMPUTE [- - - - - -] - () None (NO) Expand(Expansion::Barrier(Op::Barrier)), "barrier of the work group";
    "BFE" V5_0 ALL [- X X - - S] v (v v) Arithmetic (A) Expand(Expansion::BitExtract), "extract bits: (count, offset), value";
    "BFI" V5_0 ALL [- X X - - S] v (v v v) Arithmetic (A) Expand(Expansion::BitInsert), "insert bits: (count, offset), bits, value";
    "BFR" V5_0 ALL [- X X - - S] v (v) Arithmetic (A) op(Op::BitReverse), "reverse bits";
    // "c" in the table is optional for all but IF: section 2.X.5.
    "BRK" V4_0 ALL [- - - - - -] - (oc) None (NO) Flow(FlowOp::Brk), "leave the loop";
    "BTC" V5_0 ALL [- X X - - S] v (v) Arithmetic (A) op(Op::BitCount), "count one bits";
    "BTFL" V5_0 ALL [- X X - - S] v (v) Arithmetic (A) op(Op::FindLsb), "find the lowest one bit";
    "BTFM" V5_0 ALL [- X X - - S] v (v) Arithmetic (A) op(Op::FindMsb), "find the highest significant bit";
    "CAL" V4_0 ALL [- - - - - -] - (l oc) None (NO) Flow(FlowOp::Cal), "call a subroutine";
    "CALI" V5_0 ALL [- - - - - -] - (i oc) None (NO) Flow(FlowOp::Cali), "call the subroutine that a parameter names";
    "CEIL" V4_0 ALL [6 6 X X X F] v (vf) Arithmetic (A) Expand(Expansion::Round(Op::Ceil, Rounding::Ceil)), "round up";
    "CMP" V4_0 ALL [6 6 X X X F] v (v v v) Arithmetic (A) op(Op::SelLt), "choose by sign: a < 0 ? b : c";
    "CONT" V4_0 ALL [- - - - - -] - (oc) None (NO) Flow(FlowOp::Cont), "continue with the next iteration of the loop";
    "COS" V4_0 ALL [X - X X X F] s (s) Arithmetic (A) op(Op::Cos), "cosine";
    // Both columns are empty: its two types are not data type modifiers.
    "CVT" V5_0 ALL [- - X X - F] v (v) Convert (A.union(ModifierFlags::ANY_ROUNDING)) Expand(Expansion::Convert), "convert between types";
    "DDX" V4_0 FRAGMENT [X - X X X F] v (v) Arithmetic (A.union(ModifierFlags::ANY_DERIVATIVE)) Expand(Expansion::DerivativeX), "derivative in x";
    "DDY" V4_0 FRAGMENT [X - X X X F] v (v) Arithmetic (A.union(ModifierFlags::ANY_DERIVATIVE)) Expand(Expansion::DerivativeY), "derivative in y";
    // The divisor is one component for all four, as that of MOD and the counts of shifts.
    "DIV" V4_0 ALL [6 6 X X X F] v (v s) Arithmetic (A) op(Op::Div), "divide by a scalar";
    "DP2" V4_0 ALL [X - X X X F] s (v v) Arithmetic (A) op(Op::Dp2), "dot product of two components";
    "DP2A" V4_0 ALL [X - X X X F] s (v v v) Arithmetic (A) Expand(Expansion::Dp2a), "dot product of two components plus a scalar";
    "DP3" V4_0 ALL [X - X X X F] s (v v) Arithmetic (A) op(Op::Dp3), "dot product of three components";
    "DP4" V4_0 ALL [X - X X X F] s (v v) Arithmetic (A) op(Op::Dp4), "dot product of four components";
    "DPH" V4_0 ALL [X - X X X F] s (v v) Arithmetic (A) Expand(Expansion::Dph), "homogeneous dot product";
    "DST" V4_0 ALL [X - X X X F] v (v v) Arithmetic (A) Expand(Expansion::Dst), "distance vector";
    "ELSE" V4_0 ALL [- - - - - -] - () None (NO) Flow(FlowOp::Else), "otherwise";
    // EMIT and ENDPRIM are from NV_geometry_program4, EMITS is from NV_gpu_program5.
    "EMIT" V4_0 GEOMETRY [- - - - - -] - () None (NO) Expand(Expansion::EmitVertex), "emit a vertex" rule OperandRule::Emission;
    "EMITS" V5_0 GEOMETRY [- X - - - S] - (s) Arithmetic (NO) Expand(Expansion::EmitVertex), "emit a vertex to a stream" rule OperandRule::Emission;
    "ENDIF" V4_0 ALL [- - - - - -] - () None (NO) Flow(FlowOp::EndIf), "end of IF";
    "ENDPRIM" V4_0 GEOMETRY [- - - - - -] - () None (NO) Expand(Expansion::EndPrimitive), "end of the primitive" rule OperandRule::Emission;
    "ENDREP" V4_0 ALL [- - - - - -] - () None (NO) Flow(FlowOp::EndRep), "end of REP";
    "EX2" V4_0 ALL [X - X X X F] s (s) Arithmetic (A) op(Op::Exp2), "2 to the power of";
    "FLR" V4_0 ALL [6 6 X X X F] v (vf) Arithmetic (A) Expand(Expansion::Round(Op::Floor, Rounding::Floor)), "round down";
    "FRC" V4_0 ALL [6 - X X X F] v (v) Arithmetic (A) op(Op::Fract), "fraction";
    // Any of four options adds these two, which `check::control::flow` checks together with their
    // positions.
    "FSIB" V4_0 FRAGMENT [- - - - - -] - () None (NO) Flow(FlowOp::InterlockBegin), "begin the critical section";
    "FSIE" V4_0 FRAGMENT [- - - - - -] - () None (NO) Flow(FlowOp::InterlockEnd), "end the critical section";
    "I2F" V4_0 ALL [- 6 X - - S] vf (v) Arithmetic (A) Expand(Expansion::IntToFloat), "integer to float";
    "IF" V4_0 ALL [- - - - - -] - (c) None (NO) Flow(FlowOp::If), "conditional block";
    "IMQ" V5_0 ALL [- - - - - S] vs (im) None (NO) Expand(Expansion::Image(ImageOp::QuerySize)), "size of an image" requires IMAGE_SIZE;
    "IMQS" V5_0 ALL [- - - - - S] s (im) None (NO) Expand(Expansion::Image(ImageOp::QuerySamples)), "number of samples of an image" requires IMAGE_SAMPLES;
    // Neither R nor H: column H is empty.
    "IPAC" V5_0 FRAGMENT [X - X X - F] v (v) Arithmetic (A) op(Op::InterpCentroid), "interpolate at the centroid" rule OperandRule::Attribute;
    "IPAO" V5_0 FRAGMENT [X - X X - F] v (v v) Arithmetic (A) op(Op::InterpOffset), "interpolate with an offset" rule OperandRule::Attribute;
    "IPAS" V5_0 FRAGMENT [X - X X - F] v (v su) Arithmetic (A) Expand(Expansion::InterpolateAtSample), "interpolate at a sample" rule OperandRule::Attribute;
    "KIL" V4_0 FRAGMENT [X X - - X F] - (vc) Arithmetic (T) Expand(Expansion::Kill), "discard the fragment";
    "LDB" V5_0 ALL [- - X X - F] v (bm) Storage (M) Expand(Expansion::LoadElement), "load from a storage buffer" requires STORAGE_BUFFER;
    // Table X.13 lists this and LOAD under 4.0, where options add them.
    "LDC" V5_0 ALL [- - X X - F] v (cm) Storage (M) Expand(Expansion::LoadElement), "load from a constant buffer" early CBUFFER;
    "LDS" V5_0 COMPUTE [- - X X - F] v (sm) Storage (M) Expand(Expansion::LoadElement), "load from shared memory" rule OperandRule::SharedBounds;
    "LG2" V4_0 ALL [X - X X X F] s (s) Arithmetic (A) op(Op::Log2), "logarithm to base 2";
    "LIT" V4_0 ALL [X - X X X F] v (v) Arithmetic (A) Expand(Expansion::Lit), "lighting coefficients";
    "LOAD" V5_0 ALL [- - X X - F] v (a) Storage (M) Expand(Expansion::LoadGlobal), "load from global memory" early BUFFER_LOAD;
    "LOADIM" V5_0 ALL [- - X X - F] v (vs im) Image (M.union(ModifierFlags::SPARSE)) Expand(Expansion::Image(ImageOp::Load)), "load from an image";
    "LOD" V4_1 ALL [X - X X - F] v (vf t) Arithmetic (T) Expand(Expansion::Texture(TextureOp::QueryLod)), "level of detail of a texture access";
    "LRP" V4_0 ALL [X - X X X F] v (v v v) Arithmetic (A) Expand(Expansion::Lrp), "linear interpolation: a * b + (1 - a) * c";
    "MAD" V4_0 ALL [6 6 X X X F] v (v v v) Arithmetic (A) op(Op::Mad), "multiply and add";
    "MAX" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::Max), "maximum";
    // CTA: of the work group only. NV_compute_program5 section 2.X.4.1.
    "MEMBAR" V5_0 ALL [- - - - - -] - () None (ModifierFlags::CTA) Expand(Expansion::Barrier(Op::MemoryBarrier)), "memory barrier";
    "MIN" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::Min), "minimum";
    "MOD" V4_0 ALL [- 6 X - - S] v (v s) Arithmetic (A) op(Op::Mod), "remainder of the division by a scalar";
    "MOV" V4_0 ALL [6 6 X X X F] v (v) Arithmetic (A) op(Op::Mov), "move";
    // Only this opcode has HI, S24 and U24.
    "MUL" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A.union(ModifierFlags::HI)) Expand(Expansion::Multiply), "multiply";
    "NOT" V4_0 ALL [- 6 X - - S] v (v) Arithmetic (A) op(Op::Not), "bitwise not";
    "NRM" V4_0 ALL [X - X X X F] v (v) Arithmetic (A) Expand(Expansion::Nrm), "normalize three components";
    "OR" V4_0 ALL [- 6 X - - S] v (v v) Arithmetic (A) op(Op::Or), "bitwise or";
    // The data type is that of the packed bits; the operand is always of floats. Neither condition
    // codes nor clamps.
    "PK2H" V4_0 ALL [X X - - - F] s (vf) Arithmetic (T) Expand(Expansion::Pack(Op::PackHalf2)), "pack two half floats" rule OperandRule::Size(PackedSize::NoShortResult);
    "PK2US" V4_0 ALL [X X - - - F] s (vf) Arithmetic (T) Expand(Expansion::Pack(Op::PackUnorm2)), "pack two unsigned normalized 16-bit values" rule OperandRule::Size(PackedSize::NoShortResult);
    "PK4B" V4_0 ALL [X X - - - F] s (vf) Arithmetic (T) Expand(Expansion::PackSignedBytes), "pack four signed normalized bytes" rule OperandRule::Size(PackedSize::NoShortResult);
    "PK4UB" V4_0 ALL [X X - - - F] s (vf) Arithmetic (T) Expand(Expansion::Pack(Op::PackUnorm4)), "pack four unsigned normalized bytes" rule OperandRule::Size(PackedSize::NoShortResult);
    "PK64" V5_0 ALL [X X - - - F] v (v) Pack64 (T) Expand(Expansion::Pack64), "pack pairs of 32-bit values into 64 bits" rule OperandRule::Size(PackedSize::LongResult);
    "POW" V4_0 ALL [X - X X X F] s (s s) Arithmetic (A) Expand(Expansion::Pow), "power; anything to the power 0 is 1";
    // NV_shader_thread_group: the second operand is added to the value of another fragment of the
    // quad.
    "QSWZ0" V5_0 FRAGMENT [X - - - - F] v (v v) Arithmetic (T) op(Op::Quad0), "add a value of fragment 0 of the quad" requires THREAD_GROUP;
    "QSWZ1" V5_0 FRAGMENT [X - - - - F] v (v v) Arithmetic (T) op(Op::Quad1), "add a value of fragment 1 of the quad" requires THREAD_GROUP;
    "QSWZ2" V5_0 FRAGMENT [X - - - - F] v (v v) Arithmetic (T) op(Op::Quad2), "add a value of fragment 2 of the quad" requires THREAD_GROUP;
    "QSWZ3" V5_0 FRAGMENT [X - - - - F] v (v v) Arithmetic (T) op(Op::Quad3), "add a value of fragment 3 of the quad" requires THREAD_GROUP;
    "QSWZX" V5_0 FRAGMENT [X - - - - F] v (v v) Arithmetic (T) op(Op::QuadX), "add a value of the neighbor in x" requires THREAD_GROUP;
    "QSWZY" V5_0 FRAGMENT [X - - - - F] v (v v) Arithmetic (T) op(Op::QuadY), "add a value of the neighbor in y" requires THREAD_GROUP;
    "RCC" V4_0 ALL [X - X X X F] s (s) Arithmetic (A) Expand(Expansion::Rcc), "clamped reciprocal";
    "RCP" V4_0 ALL [6 - X X X F] s (s) Arithmetic (A) op(Op::Rcp), "reciprocal";
    // The type decides the interpretation of the count; without a count the loop needs a way out,
    // see `check::control::flow`.
    "REP" V4_0 ALL [6 6 - - X F] - (ov) Arithmetic (T) Flow(FlowOp::Rep), "loop";
    "RET" V4_0 ALL [- - - - - -] - (oc) None (NO) Flow(FlowOp::Ret), "return from a subroutine";
    "RFL" V4_0 ALL [X - X X X F] v (v v) Arithmetic (A) Expand(Expansion::Rfl), "reflection vector";
    "ROUND" V4_0 ALL [6 6 X X X F] v (vf) Arithmetic (A) Expand(Expansion::Round(Op::Round, Rounding::Even)), "round to nearest, ties to even";
    "RSQ" V4_0 ALL [6 - X X X F] s (s) Arithmetic (A) op(Op::Rsq), "reciprocal square root";
    // Sum and third operand are unsigned, regardless of the type of the differences.
    "SAD" V4_0 ALL [- 6 X - - S] vu (v v vu) Arithmetic (A) Expand(Expansion::Sad), "sum of absolute differences";
    "SCS" V4_0 ALL [X - X X X F] v (s) Arithmetic (A) Expand(Expansion::Scs), "cosine and sine";
    "SEQ" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::SetEq), "set on equal";
    "SFL" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) Expand(Expansion::SetFalse), "set on false";
    "SGE" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::SetGe), "set on greater or equal";
    "SGT" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::SetGt), "set on greater";
    "SHFDOWN" V5_0 ALL [X X - - - F] v (v vu vu) Arithmetic (T) Expand(Expansion::Shuffle(Op::ShuffleDown)), "value of another invocation with a higher number: value, number, range" requires THREAD_SHUFFLE;
    "SHFIDX" V5_0 ALL [X X - - - F] v (v vu vu) Arithmetic (T) Expand(Expansion::Shuffle(Op::ShuffleIndex)), "value of another invocation by number: value, number, range" requires THREAD_SHUFFLE;
    "SHFUP" V5_0 ALL [X X - - - F] v (v vu vu) Arithmetic (T) Expand(Expansion::Shuffle(Op::ShuffleUp)), "value of another invocation with a lower number: value, number, range" requires THREAD_SHUFFLE;
    "SHFXOR" V5_0 ALL [X X - - - F] v (v vu vu) Arithmetic (T) Expand(Expansion::Shuffle(Op::ShuffleXor)), "value of another invocation by exclusive or of numbers: value, number, range" requires THREAD_SHUFFLE;
    "SHL" V4_0 ALL [- 6 X - - S] v (v s) Arithmetic (A) op(Op::Shl), "shift left";
    "SHR" V4_0 ALL [- 6 X - - S] v (v s) Arithmetic (A) op(Op::Shr), "shift right";
    "SIN" V4_0 ALL [X - X X X F] s (s) Arithmetic (A) op(Op::Sin), "sine";
    "SLE" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::SetLe), "set on less or equal";
    "SLT" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::SetLt), "set on less";
    "SNE" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::SetNe), "set on not equal";
    "SSG" V4_0 ALL [6 - X X X F] v (v) Arithmetic (A) op(Op::Sign), "sign";
    "STB" V5_0 ALL [- - - - - -] - (v bm) Storage (M) Expand(Expansion::StoreElement), "store to a storage buffer" requires STORAGE_BUFFER;
    "STORE" V5_0 ALL [- - - - - -] - (v a) Storage (M) Expand(Expansion::StoreGlobal), "store to global memory";
    // The image is the first operand and its target the last one, unlike in LOADIM.
    "STOREIM" V5_0 ALL [- - - - - F] - (iu v vs it) Image (M) Expand(Expansion::Image(ImageOp::Store)), "store to an image";
    "STR" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) Expand(Expansion::SetTrue), "set on true";
    "STS" V5_0 COMPUTE [- - - - - -] - (v sm) Storage (M) Expand(Expansion::StoreElement), "store to shared memory" rule OperandRule::SharedBounds;
    "SUB" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::Sub), "subtract";
    // The first operand is <instOperandVNS>, without swizzle and sign.
    "SWZ" V4_0 ALL [X - X X X F] v (p x) Arithmetic (A) Expand(Expansion::Swz), "extended swizzle";
    "TEX" V4_0 ALL [X X X X - F] v (vf t) Arithmetic (L) Expand(Expansion::Texture(TextureOp::Sample)), "texture sample";
    "TGALL" V5_0 ALL [X X X X - F] v (v) Arithmetic (T) op(Op::GroupAll), "test for all non-zero in a thread group";
    "TGANY" V5_0 ALL [X X X X - F] v (v) Arithmetic (T) op(Op::GroupAny), "test for any non-zero in a thread group";
    "TGBALLOT" V5_0 ALL [X X X X - F] vu (v) Arithmetic (T) op(Op::GroupBallot), "mask of the invocations with a value that is not zero" requires THREAD_GROUP;
    "TGEQ" V5_0 ALL [X X X X - F] v (v) Arithmetic (T) op(Op::GroupEqual), "test for all equal in a thread group";
    "TRUNC" V4_0 ALL [6 6 X X X F] v (vf) Arithmetic (A) Expand(Expansion::Round(Op::Trunc, Rounding::Trunc)), "round toward zero";
    "TXB" V4_0 ALL [X X X X - F] v (vf t) Arithmetic (L) Expand(Expansion::Texture(TextureOp::Bias)), "texture sample with bias";
    "TXD" V4_0 ALL [X X X X - F] v (vf vf vf t) Arithmetic (L) Expand(Expansion::Texture(TextureOp::Grad)), "texture sample with derivatives";
    "TXF" V4_0 ALL [X X X X - F] v (vs t) Arithmetic (S) Expand(Expansion::Texture(TextureOp::Fetch)), "texel fetch";
    // Its targets need an option, so the opcode itself needs none.
    "TXFMS" V4_0 ALL [X X X X - F] v (vs t) Arithmetic (S) Expand(Expansion::Texture(TextureOp::FetchSample)), "multisample texel fetch";
    "TXG" V4_1 ALL [X X X X - F] v (vf t) Arithmetic (S) Expand(Expansion::Texture(TextureOp::Gather)), "texture gather";
    // Operands two and three are offsets of four texels, in x and in y.
    "TXGO" V5_0 ALL [X X X X - F] v (vf vs vs t) Arithmetic (S) Expand(Expansion::Texture(TextureOp::GatherOffsets)), "texture gather with offsets per texel";
    "TXL" V4_0 ALL [X X X X - F] v (vf t) Arithmetic (S) Expand(Expansion::Texture(TextureOp::Lod)), "texture sample with level of detail";
    "TXP" V4_0 ALL [X X X X - F] v (vf t) Arithmetic (S) Expand(Expansion::Texture(TextureOp::Project)), "texture sample with projection";
    "TXQ" V4_0 ALL [- - - - - S] vs (vs t) Arithmetic (T) Expand(Expansion::Texture(TextureOp::QuerySize)), "texture size";
    "TXQS" V5_0 ALL [- - - - - S] s (t) None (NO) Expand(Expansion::Texture(TextureOp::QuerySamples)), "number of samples of a texture" requires IMAGE_SAMPLES;
    // The data type is that of the packed bits; the result is always of floats.
    "UP2H" V4_0 ALL [X X X X - F] vf (s) Arithmetic (T) Expand(Expansion::Unpack(Op::UnpackHalf2)), "unpack two half floats" rule OperandRule::Size(PackedSize::NoShortSource);
    "UP2US" V4_0 ALL [X X X X - F] vf (s) Arithmetic (T) Expand(Expansion::Unpack(Op::UnpackUnorm2)), "unpack two unsigned normalized 16-bit values" rule OperandRule::Size(PackedSize::NoShortSource);
    "UP4B" V4_0 ALL [X X X X - F] vf (s) Arithmetic (T) Expand(Expansion::UnpackSignedBytes), "unpack four signed normalized bytes" rule OperandRule::Size(PackedSize::NoShortSource);
    "UP4UB" V4_0 ALL [X X X X - F] vf (s) Arithmetic (T) Expand(Expansion::Unpack(Op::UnpackUnorm4)), "unpack four unsigned normalized bytes" rule OperandRule::Size(PackedSize::NoShortSource);
    "UP64" V5_0 ALL [X X X X - F] v (v) Unpack64 (T) Expand(Expansion::Unpack64), "unpack 64-bit values into pairs of 32 bits" rule OperandRule::Size(PackedSize::LongSource);
    "X2D" V4_0 ALL [X - X X X F] v (v v v) Arithmetic (A) Expand(Expansion::X2d), "two-dimensional coordinate transformation";
    "XOR" V4_0 ALL [- 6 X - - S] v (v v) Arithmetic (A) op(Op::Xor), "bitwise exclusive or";
    // w of the result is undefined: only three components are computed.
    "XPD" V4_0 ALL [X - X X X F] v (v v) Arithmetic (A) Expand(Expansion::Xpd), "cross product";
}

/// The tables of all families, one after the other, each in alphabetical order.
static ROWS: [OpcodeInfo; first_row_of_family(Family::ALL.len())] = {
    let mut rows = [TYPED[0]; first_row_of_family(Family::ALL.len())];
    let mut family = 0;
    while family < Family::ALL.len() {
        let table = family_table(Family::ALL[family]);
        let mut index = 0;
        while index < table.len() {
            rows[first_row_of_family(family) + index] = table[index];
            index += 1;
        }
        family += 1;
    }
    rows
};

/// Returns the opcode table of a family; empty for TGSI, whose table is `tgsi::opcodes`.
const fn family_table(family: Family) -> &'static [OpcodeInfo] {
    match family {
        Family::Typed => TYPED,
        Family::Arb => arb::ROWS,
        Family::Vertex1 => vp1::ROWS,
        Family::Vertex2 => vp2::ROWS,
        Family::Fragment1 => fp1::ROWS,
        // `tgsi::opcodes` has them.
        Family::Tgsi => &[],
    }
}

/// Returns the index of the first opcode of a family in the table of all families; `family` is its
/// index in `Family::ALL`.
const fn first_row_of_family(family: usize) -> usize {
    let (mut first, mut before) = (0, 0);
    while before < family {
        first += family_table(Family::ALL[before]).len();
        before += 1;
    }
    first
}

/// Returns the table entries of the opcodes of a family, in alphabetical order.
pub fn family_opcodes(family: Family) -> &'static [OpcodeInfo] {
    // Families are numbered in the order of `ALL`.
    let first = first_row_of_family(family as usize);
    &ROWS[first..first + family_table(family).len()]
}

/// An opcode of one of the families.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Opcode(u16);

impl Opcode {
    /// Returns the table entry of the opcode.
    pub fn info(self) -> &'static OpcodeInfo {
        &ROWS[self.0 as usize]
    }

    /// Returns the mnemonic without suffixes.
    pub fn mnemonic(self) -> &'static str {
        self.info().name
    }

    /// Returns the opcode of a family that is spelled exactly `name`, without suffixes; `None` if
    /// there is none.
    pub fn from_mnemonic(family: Family, name: &[u8]) -> Option<Self> {
        static TABLES: [OnceLock<KeywordTable<Opcode>>; Family::ALL.len()] =
            [const { OnceLock::new() }; Family::ALL.len()];
        let table = TABLES[family as usize].get_or_init(|| named_opcodes(family).collect());
        table.get(name).copied()
    }
}

/// Returns the opcodes of a family with their names, without suffixes, in alphabetical order.
pub(crate) fn named_opcodes(family: Family) -> impl Iterator<Item = (&'static str, Opcode)> {
    let names = family_opcodes(family).iter().map(|row| row.name);
    names.zip((first_row_of_family(family as usize) as u16..).map(Opcode))
}

/// Splits a word into its opcode and the modifiers of its suffixes: the longest opcode that leaves
/// valid suffixes wins. `None` if the word is not an opcode of the family. Whether the opcode takes
/// the suffixes is not tested. NV_gpu_program4 table X.15.
pub fn split_suffixes(family: Family, word: &[u8]) -> Option<(Opcode, ModifierFlags)> {
    if let Some(opcode) = Opcode::from_mnemonic(family, word) {
        return Some((opcode, ModifierFlags::empty()));
    }
    // Suffixes end with these characters, most names that programs define do not.
    let (b'R' | b'H' | b'X' | b'C' | b'0' | b'1' | b'T') = word.last()? else {
        return None;
    };
    // All suffixes together are at most as long as `RC0_SSAT`.
    let shortest = word.len().saturating_sub(8);
    // From the longest opcode on: RCC is one itself, not RC with two updates.
    (shortest..word.len()).rev().find_map(|length| {
        let mods = parse_suffixes(family, &word[length..])?;
        Some((Opcode::from_mnemonic(family, &word[..length])?, mods))
    })
}

/// Parses the modifiers of opcode suffixes: precision, condition code, clamp, in this order.
/// Returns `None` if `text` is not such suffixes as a whole. A number after C is recorded as a
/// modifier in all families but the typed one.
fn parse_suffixes(family: Family, text: &[u8]) -> Option<ModifierFlags> {
    let (precision, rest) = match (text, family) {
        ([b'R', rest @ ..], _) => (ModifierFlags::FULL, rest),
        ([b'H', rest @ ..], _) => (ModifierFlags::HALF, rest),
        // Only fragment programs have fixed-point numbers; in other families the X is part of a
        // name.
        ([b'X', rest @ ..], Family::Arb | Family::Fragment1) => (ModifierFlags::FIXED, rest),
        _ => (ModifierFlags::empty(), text),
    };
    let numbered = match family {
        // C and C0 are equivalent; in ARB programs a number needs NV_vertex_program3, so that it is
        // recorded.
        Family::Typed => ModifierFlags::empty(),
        Family::Arb | Family::Vertex1 | Family::Vertex2 | Family::Fragment1 | Family::Tgsi => {
            ModifierFlags::NUMBERED
        }
    };
    // The suffixes of these programs have neither numbers nor a clamp with sign.
    // NV_fragment_program section 3.11.4.
    if family == Family::Fragment1 && !matches!(rest, b"" | b"C" | b"_SAT" | b"C_SAT") {
        return None;
    }
    let (update, rest) = match rest {
        [b'C', b'0', rest @ ..] => (ModifierFlags::CC0.union(numbered), rest),
        [b'C', b'1', rest @ ..] => (ModifierFlags::CC1.union(numbered), rest),
        [b'C', rest @ ..] => (ModifierFlags::CC0, rest),
        _ => (ModifierFlags::empty(), rest),
    };
    let clamp = match rest {
        [] => ModifierFlags::empty(),
        b"_SAT" => ModifierFlags::SAT,
        b"_SSAT" => ModifierFlags::SSAT,
        _ => return None,
    };
    Some(precision | update | clamp)
}

/// Returns the entries of an opcode, at most one of each family; `name` may have suffixes and is in
/// upper or lower case. TGSI has none.
pub fn find_in_all_families(name: &str) -> impl Iterator<Item = &'static OpcodeInfo> {
    let name = name.to_ascii_uppercase();
    Family::ALL
        .iter()
        .filter_map(move |&family| split_suffixes(family, name.as_bytes()))
        .map(|(opcode, _)| opcode.info())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted() {
        for pair in Family::ALL
            .iter()
            .flat_map(|&family| family_opcodes(family).windows(2))
        {
            assert!(
                pair[0].name < pair[1].name,
                "{} before {}",
                pair[0].name,
                pair[1].name
            );
        }
    }

    #[test]
    fn suffixes_split_off_the_longest_opcode() {
        let case = |word: &str| {
            split_suffixes(Family::Typed, word.as_bytes())
                .map(|(opcode, mods)| (opcode.mnemonic(), mods))
        };
        assert_eq!(
            case("ADDRC1_SSAT"),
            Some((
                "ADD",
                ModifierFlags::FULL | ModifierFlags::CC1 | ModifierFlags::SSAT
            ))
        );
        assert_eq!(
            case("MULHC_SAT"),
            Some((
                "MUL",
                ModifierFlags::HALF | ModifierFlags::CC0 | ModifierFlags::SAT
            ))
        );
        assert_eq!(case("RCC"), Some(("RCC", ModifierFlags::empty())));
        assert_eq!(case("FRCC"), Some(("FRC", ModifierFlags::CC0)));
        assert_eq!(case("STRC"), Some(("STR", ModifierFlags::CC0)));
        assert_eq!(case("SGTC0"), Some(("SGT", ModifierFlags::CC0)));
        assert_eq!(case("PK2H"), Some(("PK2H", ModifierFlags::empty())));
        assert_eq!(case("SCS"), Some(("SCS", ModifierFlags::empty())));
        assert_eq!(case("ADD_SATC"), None);
        assert_eq!(case("ADDCR"), None);
        assert_eq!(case("ADDX"), None);
        assert_eq!(case(""), None);
    }

    #[test]
    fn lookup_is_for_people() {
        let names: Vec<&str> = find_in_all_families("addc").map(|row| row.name).collect();
        assert_eq!(names, ["ADD"; 5]);
        assert_eq!(
            find_in_all_families("ADD")
                .next()
                .map(OpcodeInfo::type_modifiers),
            Some(vec![
                "F", "F32", "F64", "S", "U", "S32", "U32", "S64", "U64"
            ])
        );
        assert!(find_in_all_families("NOSUCH").next().is_none());
    }
}
