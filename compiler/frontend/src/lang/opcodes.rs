//! The opcodes of all families, and the table of the declaration family with types. Columns follow table X.13 of NV_gpu_program4 and NV_gpu_program5.

use crate::lang::Stages;
use crate::lang::arb::Forms;
use crate::lang::arb::opcodes as arb;
use crate::lang::modifiers::Mods;
pub(crate) use crate::lang::opcode_info::{FlowOp, Lower};
pub use crate::lang::opcode_info::{OpcodeInfo, OperandKind, ResultKind, Support, TypeRule};
use crate::lang::options::Feature;
use crate::lower::{
    alu, composite, convert, derivative, flow, image, memory, pack, texture, thread,
};
use crate::source::{Family, Version};
use glasm_ir::Op;
use glasm_ir::types::Base;

macro_rules! support {
    (-) => {
        Support::No
    };
    (X) => {
        Support::Narrow
    };
    (6) => {
        Support::Wide
    };
}
macro_rules! mods {
    (- $flags:ident) => {
        Mods::empty()
    };
    (X $flags:ident) => {
        Mods::$flags
    };
}
macro_rules! base {
    (F) => {
        Base::Float
    };
    (S) => {
        Base::Signed
    };
    (U) => {
        Base::Unsigned
    };
    (-) => {
        Base::Float
    };
}
macro_rules! option {
    () => {
        None
    };
    ($feature:ident) => {
        Some(Feature::$feature)
    };
}
macro_rules! result {
    (-) => {
        $crate::lang::opcode_info::ResultKind::None
    };
    (v) => {
        $crate::lang::opcode_info::ResultKind::V
    };
    (vf) => {
        $crate::lang::opcode_info::ResultKind::Vf
    };
    (vs) => {
        $crate::lang::opcode_info::ResultKind::Vs
    };
    (vu) => {
        $crate::lang::opcode_info::ResultKind::Vu
    };
    (s) => {
        $crate::lang::opcode_info::ResultKind::S
    };
    (ar) => {
        $crate::lang::opcode_info::ResultKind::Address
    };
}
macro_rules! operand {
    (v) => {
        $crate::lang::opcode_info::OperandKind::V
    };
    (vf) => {
        $crate::lang::opcode_info::OperandKind::Vf
    };
    (vs) => {
        $crate::lang::opcode_info::OperandKind::Vs
    };
    (vu) => {
        $crate::lang::opcode_info::OperandKind::Vu
    };
    (s) => {
        $crate::lang::opcode_info::OperandKind::S
    };
    (su) => {
        $crate::lang::opcode_info::OperandKind::Su
    };
    (a) => {
        $crate::lang::opcode_info::OperandKind::Address
    };
    (p) => {
        $crate::lang::opcode_info::OperandKind::Plain
    };
    (x) => {
        $crate::lang::opcode_info::OperandKind::ExtSwizzle
    };
    (t) => {
        $crate::lang::opcode_info::OperandKind::Texture
    };
    (im) => {
        $crate::lang::opcode_info::OperandKind::Image
    };
    (iu) => {
        $crate::lang::opcode_info::OperandKind::ImageUnit
    };
    (it) => {
        $crate::lang::opcode_info::OperandKind::ImageTarget
    };
    (l) => {
        $crate::lang::opcode_info::OperandKind::Label
    };
    (i) => {
        $crate::lang::opcode_info::OperandKind::Subroutine
    };
    (c) => {
        $crate::lang::opcode_info::OperandKind::Cond
    };
    (oc) => {
        $crate::lang::opcode_info::OperandKind::OptCond
    };
    (vc) => {
        $crate::lang::opcode_info::OperandKind::Kill
    };
    (ov) => {
        $crate::lang::opcode_info::OperandKind::Count
    };
    (cm) => {
        $crate::lang::opcode_info::OperandKind::ConstMem
    };
    (sm) => {
        $crate::lang::opcode_info::OperandKind::SharedMem
    };
    (bm) => {
        $crate::lang::opcode_info::OperandKind::StorageMem
    };
    (ctr) => {
        $crate::lang::opcode_info::OperandKind::CounterMem
    };
    (sv) => {
        $crate::lang::opcode_info::OperandKind::Sv
    };
    (ad) => {
        $crate::lang::opcode_info::OperandKind::AddressRegister
    };
}
pub(crate) use {operand, result};

macro_rules! opcodes {
    ($($name:literal $since:ident $stages:ident [$f:tt $i:tt $c:tt $s:tt $h:tt $d:tt] $out:tt ($($in:ident)*)
       $rule:ident ($extra:expr) $lower:expr, $text:literal $($feature:ident)?;)*) => {
        /// The opcodes of the family with types, in alphabetical order.
        const TYPED: &[OpcodeInfo] = &[$(OpcodeInfo {
            name: $name,
            since: Version::$since,
            stages: Stages::$stages,
            option: option!($($feature)?),
            arb: Forms::NONE,
            float: support!($f),
            int: support!($i),
            mods: mods!($c ANY_CC).union(mods!($s ANY_CLAMP)).union(mods!($h HALF)).union(float_suffix(support!($f))).union($extra),
            default: base!($d),
            rule: TypeRule::$rule,
            result: result!($out),
            operands: &[$(operand!($in)),*],
            lower: $lower,
            text: $text,
            plain: all_plain(&[$(operand!($in)),*]),
            special: has_rules($name, &[$(operand!($in)),*]),
        },)*];
    };
}

pub(crate) const fn all_plain(operands: &[OperandKind]) -> bool {
    let mut index = 0;
    while index < operands.len() {
        if !operands[index].is_value() {
            return false;
        }
        index += 1;
    }
    true
}

/// Textures, memory, packing, interpolation, thread groups.
pub(crate) const fn has_rules(name: &str, operands: &[OperandKind]) -> bool {
    let last = if operands.is_empty() {
        OperandKind::V
    } else {
        operands[operands.len() - 1]
    };
    let named = matches!(
        name.as_bytes(),
        [b'P', b'K', ..]
            | [b'U', b'P', ..]
            | [b'I', b'P', b'A', ..]
            | [b'Q', b'S', ..]
            | [b'S', b'H', b'F', ..]
            | [b'T', b'G', ..]
            | b"LOOP"
            | b"REP"
            | b"RFL"
    );
    let memory = matches!(
        last,
        OperandKind::SharedMem | OperandKind::StorageMem | OperandKind::CounterMem
    );
    let image = matches!(last, OperandKind::Image | OperandKind::ImageTarget);
    named || memory || image || matches!(last, OperandKind::Texture)
}

/// Where a float type is allowed, so is the suffix R.
const fn float_suffix(float: Support) -> Mods {
    match float {
        Support::No => Mods::empty(),
        Support::Narrow | Support::Wide => Mods::FULL,
    }
}

const NO: Mods = Mods::empty();
/// Arithmetic.
const A: Mods = Mods::NTC.union(Mods::PREC);
/// Accesses to memory.
const M: Mods = Mods::NTC.union(Mods::COH).union(Mods::VOL);
/// Accesses to atomic counters.
const C: Mods = Mods::NTC.union(Mods::ANY_COUNTER);
/// Without arithmetic.
const T: Mods = Mods::NTC;
/// Accesses to texels.
const S: Mods = Mods::NTC.union(Mods::SPARSE);
/// Accesses to texels whose level of detail is computed. EXT_sparse_texture2 section 2.X.4.1.
const L: Mods = S.union(Mods::LODCLAMP);

use Lower::{Flow, Fn, Missing};

pub(crate) const fn op(op: Op) -> Lower {
    Lower::Op(op)
}

opcodes! {
    // name, version, program types, F I C S H D, result, operands, types, further modifiers, translation, text, option
    "ABS" V4_0 ALL [6 6 X X X F] v (v) Arithmetic (A) Fn(alu::abs), "absolute value";
    "ADD" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::Add), "add";
    "AND" V4_0 ALL [- 6 X - - S] v (v v) Arithmetic (A) op(Op::And), "bitwise and";
    "ATOM" V5_0 ALL [- - X - - S] s (v a) Atomic (M) Fn(memory::atomic), "atomic access to global memory";
    "ATOMB" V5_0 ALL [- - X - - S] s (v bm) Atomic (M) Fn(memory::atomic_view), "atomic access to a storage buffer";
    "ATOMCTR" V5_0 ALL [- X X - - U] s (ctr) Arithmetic (C) Fn(memory::counter), "atomic access to a counter";
    "ATOMIM" V5_0 ALL [- - X - - S] s (v vs im) Atomic (M.union(Mods::SPARSE)) Fn(image::atomic), "atomic access to an image";
    "ATOMS" V5_0 COMPUTE [- - X - - S] s (v sm) Atomic (M) Fn(memory::atomic_view), "atomic access to shared memory";
    "BAR" V5_0 COMPUTE [- - - - - -] - () None (NO) Fn(memory::barrier), "barrier of the work group";
    "BFE" V5_0 ALL [- X X - - S] v (v v) Arithmetic (A) Fn(alu::bit_extract), "extract bits: (count, offset), value";
    "BFI" V5_0 ALL [- X X - - S] v (v v v) Arithmetic (A) Fn(alu::bit_insert), "insert bits: (count, offset), bits, value";
    "BFR" V5_0 ALL [- X X - - S] v (v) Arithmetic (A) op(Op::BitReverse), "reverse bits";
    "BRK" V4_0 ALL [- - - - - -] - (oc) None (NO) Flow(FlowOp::Brk), "leave the loop";
    "BTC" V5_0 ALL [- X X - - S] v (v) Arithmetic (A) op(Op::BitCount), "count one bits";
    "BTFL" V5_0 ALL [- X X - - S] v (v) Arithmetic (A) op(Op::FindLsb), "find the lowest one bit";
    "BTFM" V5_0 ALL [- X X - - S] v (v) Arithmetic (A) op(Op::FindMsb), "find the highest significant bit";
    "CAL" V4_0 ALL [- - - - - -] - (l oc) None (NO) Flow(FlowOp::Cal), "call a subroutine";
    "CALI" V5_0 ALL [- - - - - -] - (i oc) None (NO) Flow(FlowOp::Cali), "call the subroutine that a parameter names";
    "CEIL" V4_0 ALL [6 6 X X X F] v (vf) Arithmetic (A) Fn(convert::ceil), "round up";
    "CMP" V4_0 ALL [6 6 X X X F] v (v v v) Arithmetic (A) op(Op::SelLt), "choose by sign: a < 0 ? b : c";
    "CONT" V4_0 ALL [- - - - - -] - (oc) None (NO) Flow(FlowOp::Cont), "go on with the next round of the loop";
    "COS" V4_0 ALL [X - X X X F] s (s) Arithmetic (A) op(Op::Cos), "cosine";
    "CVT" V5_0 ALL [- - X X - F] v (v) Convert (A.union(Mods::ANY_ROUNDING)) Fn(convert::convert), "convert between types";
    "DDX" V4_0 FRAGMENT [X - X X X F] v (v) Arithmetic (A.union(Mods::ANY_DERIVATIVE)) Fn(derivative::ddx), "derivative in x";
    "DDY" V4_0 FRAGMENT [X - X X X F] v (v) Arithmetic (A.union(Mods::ANY_DERIVATIVE)) Fn(derivative::ddy), "derivative in y";
    "DIV" V4_0 ALL [6 6 X X X F] v (v s) Arithmetic (A) op(Op::Div), "divide by a scalar";
    "DP2" V4_0 ALL [X - X X X F] s (v v) Arithmetic (A) op(Op::Dp2), "dot product of two components";
    "DP2A" V4_0 ALL [X - X X X F] s (v v v) Arithmetic (A) Fn(composite::dp2a), "dot product of two components plus a scalar";
    "DP3" V4_0 ALL [X - X X X F] s (v v) Arithmetic (A) op(Op::Dp3), "dot product of three components";
    "DP4" V4_0 ALL [X - X X X F] s (v v) Arithmetic (A) op(Op::Dp4), "dot product of four components";
    "DPH" V4_0 ALL [X - X X X F] s (v v) Arithmetic (A) Fn(composite::dph), "homogeneous dot product";
    "DST" V4_0 ALL [X - X X X F] v (v v) Arithmetic (A) Fn(composite::dst), "distance vector";
    "ELSE" V4_0 ALL [- - - - - -] - () None (NO) Flow(FlowOp::Else), "otherwise";
    "EMIT" V4_0 GEOMETRY [- - - - - -] - () None (NO) Missing, "emit a vertex";
    "EMITS" V5_0 GEOMETRY [- X - - - S] - (s) Arithmetic (NO) Missing, "emit a vertex to a stream";
    "ENDIF" V4_0 ALL [- - - - - -] - () None (NO) Flow(FlowOp::EndIf), "end of IF";
    "ENDPRIM" V4_0 GEOMETRY [- - - - - -] - () None (NO) Missing, "end of the primitive";
    "ENDREP" V4_0 ALL [- - - - - -] - () None (NO) Flow(FlowOp::EndRep), "end of REP";
    "EX2" V4_0 ALL [X - X X X F] s (s) Arithmetic (A) op(Op::Exp2), "2 to the power of";
    "FLR" V4_0 ALL [6 6 X X X F] v (vf) Arithmetic (A) Fn(convert::floor), "round down";
    "FRC" V4_0 ALL [6 - X X X F] v (v) Arithmetic (A) op(Op::Fract), "fraction";
    "FSIB" V4_0 FRAGMENT [- - - - - -] - () None (NO) Flow(FlowOp::InterlockBegin), "begin the critical section";
    "FSIE" V4_0 FRAGMENT [- - - - - -] - () None (NO) Flow(FlowOp::InterlockEnd), "end the critical section";
    "I2F" V4_0 ALL [- 6 X - - S] vf (v) Arithmetic (A) Fn(convert::int_to_float), "integer to float";
    "IF" V4_0 ALL [- - - - - -] - (c) None (NO) Flow(FlowOp::If), "conditional block";
    "IMQ" V5_0 ALL [- - - - - S] vs (im) None (NO) Fn(image::query_size), "size of an image";
    "IMQS" V5_0 ALL [- - - - - S] s (im) None (NO) Fn(image::query_samples), "number of samples of an image";
    "IPAC" V5_0 FRAGMENT [X - X X - F] v (v) Arithmetic (A) op(Op::InterpCentroid), "interpolate at the centroid";
    "IPAO" V5_0 FRAGMENT [X - X X - F] v (v v) Arithmetic (A) op(Op::InterpOffset), "interpolate with an offset";
    "IPAS" V5_0 FRAGMENT [X - X X - F] v (v su) Arithmetic (A) Fn(derivative::interpolate_at_sample), "interpolate at a sample";
    "KIL" V4_0 FRAGMENT [X X - - X F] - (vc) Arithmetic (T) Fn(flow::kill), "discard the fragment";
    "LDB" V5_0 ALL [- - X X - F] v (bm) Storage (M) Fn(memory::load_view), "load from a storage buffer";
    "LDC" V5_0 ALL [- - X X - F] v (cm) Storage (M) Fn(memory::load_view), "load from a constant buffer" Cbuffer;
    "LDS" V5_0 COMPUTE [- - X X - F] v (sm) Storage (M) Fn(memory::load_view), "load from shared memory";
    "LG2" V4_0 ALL [X - X X X F] s (s) Arithmetic (A) op(Op::Log2), "logarithm to base 2";
    "LIT" V4_0 ALL [X - X X X F] v (v) Arithmetic (A) Fn(composite::lit), "lighting coefficients";
    "LOAD" V5_0 ALL [- - X X - F] v (a) Storage (M) Fn(memory::load), "load from global memory" BufferLoad;
    "LOADIM" V5_0 ALL [- - X X - F] v (vs im) Image (M.union(Mods::SPARSE)) Fn(image::load), "load from an image";
    "LOD" V4_1 ALL [X - X X - F] v (vf t) Arithmetic (T) Fn(texture::query_lod), "level of detail of a texture access";
    "LRP" V4_0 ALL [X - X X X F] v (v v v) Arithmetic (A) Fn(composite::lrp), "linear interpolation: a * b + (1 - a) * c";
    "MAD" V4_0 ALL [6 6 X X X F] v (v v v) Arithmetic (A) op(Op::Mad), "multiply and add";
    "MAX" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::Max), "maximum";
    "MEMBAR" V5_0 ALL [- - - - - -] - () None (Mods::CTA) Fn(memory::memory_barrier), "memory barrier";
    "MIN" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::Min), "minimum";
    "MOD" V4_0 ALL [- 6 X - - S] v (v s) Arithmetic (A) op(Op::Mod), "remainder of the division by a scalar";
    "MOV" V4_0 ALL [6 6 X X X F] v (v) Arithmetic (A) op(Op::Mov), "move";
    "MUL" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A.union(Mods::HI)) Fn(alu::mul), "multiply";
    "NOT" V4_0 ALL [- 6 X - - S] v (v) Arithmetic (A) op(Op::Not), "bitwise not";
    "NRM" V4_0 ALL [X - X X X F] v (v) Arithmetic (A) Fn(composite::nrm), "normalize three components";
    "OR" V4_0 ALL [- 6 X - - S] v (v v) Arithmetic (A) op(Op::Or), "bitwise or";
    "PK2H" V4_0 ALL [X X - - - F] s (vf) Arithmetic (T) Fn(pack::pk2h), "pack two half floats";
    "PK2US" V4_0 ALL [X X - - - F] s (vf) Arithmetic (T) Fn(pack::pk2us), "pack two unsigned normalized 16-bit values";
    "PK4B" V4_0 ALL [X X - - - F] s (vf) Arithmetic (T) Fn(pack::pk4b), "pack four signed normalized bytes";
    "PK4UB" V4_0 ALL [X X - - - F] s (vf) Arithmetic (T) Fn(pack::pk4ub), "pack four unsigned normalized bytes";
    "PK64" V5_0 ALL [X X - - - F] v (v) Pack64 (T) Fn(pack::pk64), "pack pairs of 32-bit values into 64 bits";
    "POW" V4_0 ALL [X - X X X F] s (s s) Arithmetic (A) op(Op::Pow), "power";
    "QSWZ0" V5_0 FRAGMENT [X - - - - F] v (v v) Arithmetic (T) op(Op::Quad0), "add a value of fragment 0 of the quad";
    "QSWZ1" V5_0 FRAGMENT [X - - - - F] v (v v) Arithmetic (T) op(Op::Quad1), "add a value of fragment 1 of the quad";
    "QSWZ2" V5_0 FRAGMENT [X - - - - F] v (v v) Arithmetic (T) op(Op::Quad2), "add a value of fragment 2 of the quad";
    "QSWZ3" V5_0 FRAGMENT [X - - - - F] v (v v) Arithmetic (T) op(Op::Quad3), "add a value of fragment 3 of the quad";
    "QSWZX" V5_0 FRAGMENT [X - - - - F] v (v v) Arithmetic (T) op(Op::QuadX), "add a value of the neighbor in x";
    "QSWZY" V5_0 FRAGMENT [X - - - - F] v (v v) Arithmetic (T) op(Op::QuadY), "add a value of the neighbor in y";
    "RCC" V4_0 ALL [X - X X X F] s (s) Arithmetic (A) Fn(composite::rcc), "clamped reciprocal";
    "RCP" V4_0 ALL [6 - X X X F] s (s) Arithmetic (A) op(Op::Rcp), "reciprocal";
    "REP" V4_0 ALL [6 6 - - X F] - (ov) Arithmetic (T) Flow(FlowOp::Rep), "loop";
    "RET" V4_0 ALL [- - - - - -] - (oc) None (NO) Flow(FlowOp::Ret), "return from a subroutine";
    "RFL" V4_0 ALL [X - X X X F] v (v v) Arithmetic (A) Fn(composite::rfl), "reflection vector";
    "ROUND" V4_0 ALL [6 6 X X X F] v (vf) Arithmetic (A) Fn(convert::round), "round to nearest, ties to even";
    "RSQ" V4_0 ALL [6 - X X X F] s (s) Arithmetic (A) op(Op::Rsq), "reciprocal square root";
    "SAD" V4_0 ALL [- 6 X - - S] vu (v v vu) Arithmetic (A) Fn(composite::sad), "sum of absolute differences";
    "SCS" V4_0 ALL [X - X X X F] v (s) Arithmetic (A) Fn(composite::scs), "cosine and sine";
    "SEQ" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::SetEq), "set on equal";
    "SFL" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) Fn(alu::set_false), "set on false";
    "SGE" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::SetGe), "set on greater or equal";
    "SGT" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::SetGt), "set on greater";
    "SHFDOWN" V5_0 ALL [X X - - - F] v (v vu vu) Arithmetic (T) Fn(thread::shuffle_down), "value of another invocation with a higher number: value, number, range";
    "SHFIDX" V5_0 ALL [X X - - - F] v (v vu vu) Arithmetic (T) Fn(thread::shuffle_index), "value of another invocation by number: value, number, range";
    "SHFUP" V5_0 ALL [X X - - - F] v (v vu vu) Arithmetic (T) Fn(thread::shuffle_up), "value of another invocation with a lower number: value, number, range";
    "SHFXOR" V5_0 ALL [X X - - - F] v (v vu vu) Arithmetic (T) Fn(thread::shuffle_xor), "value of another invocation by exclusive or of numbers: value, number, range";
    "SHL" V4_0 ALL [- 6 X - - S] v (v s) Arithmetic (A) op(Op::Shl), "shift left";
    "SHR" V4_0 ALL [- 6 X - - S] v (v s) Arithmetic (A) op(Op::Shr), "shift right";
    "SIN" V4_0 ALL [X - X X X F] s (s) Arithmetic (A) op(Op::Sin), "sine";
    "SLE" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::SetLe), "set on less or equal";
    "SLT" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::SetLt), "set on less";
    "SNE" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::SetNe), "set on not equal";
    "SSG" V4_0 ALL [6 - X X X F] v (v) Arithmetic (A) op(Op::Sign), "sign";
    "STB" V5_0 ALL [- - - - - -] - (v bm) Storage (M) Fn(memory::store_view), "store to a storage buffer";
    "STORE" V5_0 ALL [- - - - - -] - (v a) Storage (M) Fn(memory::store), "store to global memory";
    "STOREIM" V5_0 ALL [- - - - - F] - (iu v vs it) Image (M) Fn(image::store), "store to an image";
    "STR" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) Fn(alu::set_true), "set on true";
    "STS" V5_0 COMPUTE [- - - - - -] - (v sm) Storage (M) Fn(memory::store_view), "store to shared memory";
    "SUB" V4_0 ALL [6 6 X X X F] v (v v) Arithmetic (A) op(Op::Sub), "subtract";
    "SWZ" V4_0 ALL [X - X X X F] v (p x) Arithmetic (A) Fn(composite::swz), "extended swizzle";
    "TEX" V4_0 ALL [X X X X - F] v (vf t) Arithmetic (L) Fn(texture::sample), "texture sample";
    "TGALL" V5_0 ALL [X X X X - F] v (v) Arithmetic (T) op(Op::GroupAll), "test for all non-zero in a thread group";
    "TGANY" V5_0 ALL [X X X X - F] v (v) Arithmetic (T) op(Op::GroupAny), "test for any non-zero in a thread group";
    "TGBALLOT" V5_0 ALL [X X X X - F] vu (v) Arithmetic (T) op(Op::GroupBallot), "mask of the invocations with a value that is not zero";
    "TGEQ" V5_0 ALL [X X X X - F] v (v) Arithmetic (T) op(Op::GroupEqual), "test for all equal in a thread group";
    "TRUNC" V4_0 ALL [6 6 X X X F] v (vf) Arithmetic (A) Fn(convert::trunc), "round toward zero";
    "TXB" V4_0 ALL [X X X X - F] v (vf t) Arithmetic (L) Fn(texture::sample_bias), "texture sample with bias";
    "TXD" V4_0 ALL [X X X X - F] v (vf vf vf t) Arithmetic (L) Fn(texture::sample_grad), "texture sample with derivatives";
    "TXF" V4_0 ALL [X X X X - F] v (vs t) Arithmetic (S) Fn(texture::fetch), "texel fetch";
    "TXFMS" V4_0 ALL [X X X X - F] v (vs t) Arithmetic (S) Fn(texture::fetch_sample), "multisample texel fetch";
    "TXG" V4_1 ALL [X X X X - F] v (vf t) Arithmetic (S) Fn(texture::gather), "texture gather";
    "TXGO" V5_0 ALL [X X X X - F] v (vf vs vs t) Arithmetic (S) Fn(texture::gather_offsets), "texture gather with offsets per texel";
    "TXL" V4_0 ALL [X X X X - F] v (vf t) Arithmetic (S) Fn(texture::sample_lod), "texture sample with level of detail";
    "TXP" V4_0 ALL [X X X X - F] v (vf t) Arithmetic (S) Fn(texture::sample_project), "texture sample with projection";
    "TXQ" V4_0 ALL [- - - - - S] vs (vs t) Arithmetic (T) Fn(texture::query_size), "texture size";
    "TXQS" V5_0 ALL [- - - - - S] s (t) None (NO) Fn(texture::query_samples), "number of samples of a texture";
    "UP2H" V4_0 ALL [X X X X - F] vf (s) Arithmetic (T) Fn(pack::up2h), "unpack two half floats";
    "UP2US" V4_0 ALL [X X X X - F] vf (s) Arithmetic (T) Fn(pack::up2us), "unpack two unsigned normalized 16-bit values";
    "UP4B" V4_0 ALL [X X X X - F] vf (s) Arithmetic (T) Fn(pack::up4b), "unpack four signed normalized bytes";
    "UP4UB" V4_0 ALL [X X X X - F] vf (s) Arithmetic (T) Fn(pack::up4ub), "unpack four unsigned normalized bytes";
    "UP64" V5_0 ALL [X X X X - F] v (v) Unpack64 (T) Fn(pack::up64), "unpack 64-bit values into pairs of 32 bits";
    "X2D" V4_0 ALL [X - X X X F] v (v v v) Arithmetic (A) Fn(composite::x2d), "two-dimensional coordinate transformation";
    "XOR" V4_0 ALL [- 6 X - - S] v (v v) Arithmetic (A) op(Op::Xor), "bitwise exclusive or";
    "XPD" V4_0 ALL [X - X X X F] v (v v) Arithmetic (A) Fn(composite::xpd), "cross product";
}

/// Opcodes and declarations of older languages that this family does not have. NV_gpu_program4 issue 2.
pub static OLD_WORDS: &[&str] = &[
    "ADDRESS", "ARA", "ARL", "ARR", "BRA", "ENDLOOP", "EXP", "LOG", "LOOP", "PUSHA", "POPA",
];

/// The tables of all families, one after the other, each in alphabetical order.
static ROWS: [OpcodeInfo; TYPED.len() + arb::ROWS.len()] = {
    let mut rows = [TYPED[0]; TYPED.len() + arb::ROWS.len()];
    let mut index = 0;
    while index < rows.len() {
        rows[index] = if index < TYPED.len() {
            TYPED[index]
        } else {
            arb::ROWS[index - TYPED.len()]
        };
        index += 1;
    }
    rows
};

const fn first_row(family: Family) -> usize {
    match family {
        Family::Typed => 0,
        Family::Arb => TYPED.len(),
    }
}

/// The opcodes of a family, in alphabetical order.
pub fn rows(family: Family) -> &'static [OpcodeInfo] {
    let (typed, arb) = ROWS.split_at(TYPED.len());
    match family {
        Family::Typed => typed,
        Family::Arb => arb,
    }
}

/// An opcode of one of the families.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Opcode(u16);

impl Opcode {
    /// The row.
    #[inline]
    pub fn info(self) -> &'static OpcodeInfo {
        &ROWS[self.0 as usize]
    }

    /// The mnemonic without suffixes.
    pub fn mnemonic(self) -> &'static str {
        self.info().name
    }

    /// The opcode of a family that is spelled exactly `name`.
    pub fn exact(family: Family, name: &[u8]) -> Option<Self> {
        rows(family)
            .binary_search_by(|row| row.name.as_bytes().cmp(name))
            .ok()
            .map(|index| Self((first_row(family) + index) as u16))
    }
}

/// The opcode of a word with suffixes, and what the suffixes mean: the longest opcode that leaves valid suffixes wins.
/// NV_gpu_program4 table X.15.
pub fn split(family: Family, word: &[u8]) -> Option<(Opcode, Mods)> {
    if let Some(opcode) = Opcode::exact(family, word) {
        return Some((opcode, Mods::empty()));
    }
    (1..word.len()).rev().find_map(|length| {
        let mods = suffixes(family, &word[length..])?;
        Some((Opcode::exact(family, &word[..length])?, mods))
    })
}

/// The modifiers of opcode suffixes: precision, condition code, clamp, in this order.
fn suffixes(family: Family, text: &[u8]) -> Option<Mods> {
    let mut mods = Mods::empty();
    let mut rest = text;
    let steps: [&[(&str, Mods)]; 3] = [
        match family {
            Family::Typed => &[("R", Mods::FULL), ("H", Mods::HALF)],
            Family::Arb => &[("R", Mods::FULL), ("H", Mods::HALF), ("X", Mods::FIXED)],
        },
        match family {
            Family::Typed => &[("C0", Mods::CC0), ("C1", Mods::CC1), ("C", Mods::CC0)],
            Family::Arb => &[
                ("C0", Mods::CC0.union(Mods::NUMBERED)),
                ("C1", Mods::CC1.union(Mods::NUMBERED)),
                ("C", Mods::CC0),
            ],
        },
        &[("_SAT", Mods::SAT), ("_SSAT", Mods::SSAT)],
    ];
    for step in steps {
        if let Some((suffix, flag)) = step
            .iter()
            .find(|(suffix, _)| rest.starts_with(suffix.as_bytes()))
        {
            mods |= *flag;
            rest = &rest[suffix.len()..];
        }
    }
    rest.is_empty().then_some(mods)
}

/// The rows of an opcode in all families, suffixes allowed; letters of either case.
pub fn lookup(name: &str) -> impl Iterator<Item = &'static OpcodeInfo> {
    let name = name.to_ascii_uppercase();
    Family::ALL
        .iter()
        .filter_map(move |&family| split(family, name.as_bytes()))
        .map(|(opcode, _)| opcode.info())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted() {
        for pair in Family::ALL
            .iter()
            .flat_map(|&family| rows(family).windows(2))
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
            split(Family::Typed, word.as_bytes()).map(|(opcode, mods)| (opcode.mnemonic(), mods))
        };
        assert_eq!(
            case("ADDRC1_SSAT"),
            Some(("ADD", Mods::FULL | Mods::CC1 | Mods::SSAT))
        );
        assert_eq!(
            case("MULHC_SAT"),
            Some(("MUL", Mods::HALF | Mods::CC0 | Mods::SAT))
        );
        assert_eq!(case("RCC"), Some(("RCC", Mods::empty())));
        assert_eq!(case("FRCC"), Some(("FRC", Mods::CC0)));
        assert_eq!(case("STRC"), Some(("STR", Mods::CC0)));
        assert_eq!(case("SGTC0"), Some(("SGT", Mods::CC0)));
        assert_eq!(case("PK2H"), Some(("PK2H", Mods::empty())));
        assert_eq!(case("SCS"), Some(("SCS", Mods::empty())));
        assert_eq!(case("ADD_SATC"), None);
        assert_eq!(case("ADDCR"), None);
        assert_eq!(case("ADDX"), None);
        assert_eq!(case(""), None);
    }

    #[test]
    fn lookup_is_for_people() {
        let names: Vec<&str> = lookup("addc").map(|row| row.name).collect();
        assert_eq!(names, ["ADD", "ADD"]);
        assert_eq!(
            lookup("ADD").next().map(OpcodeInfo::types),
            Some(vec![
                "F", "F32", "F64", "S", "U", "S32", "U32", "S64", "U64"
            ])
        );
        assert!(lookup("NOSUCH").next().is_none());
    }
}
