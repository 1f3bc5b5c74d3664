//! Types of instructions. NV_gpu_program4 sections 2.X.4 and 2.X.4.1, NV_gpu_program5 section
//! 2.X.4.1.

use crate::ast::{Inst, InstTypes, Operand, Signs};
use crate::check::context::RuleCx;
use crate::check::operands::unit_operand::check_image_types;
use crate::codes::{Code, LenientRule};
use crate::lang::modifiers::{
    self, AtomicMemory, DataType, ModifierFlags, TypeClass, register_type,
};
use crate::lang::opcodes::{OpcodeInfo, OperandKind, ResultKind, Support, TypeRule};
use crate::lang::options::Features;
use crate::source::Version;
use glasm_ir::types::{BaseType, Type, Width};

impl InstTypes {
    /// Returns the types of an instruction whose operands and result have one type, of one
    /// component.
    pub(crate) const fn from_type(ty: Type) -> Self {
        Self {
            ty,
            source_ty: ty,
            components: 1,
            result: ty,
        }
    }
}

/// Returns the types of an instruction, but its result has the type of the instruction until
/// [`result_type`] is applied. Reports unsuitable type modifiers; the types are then those written
/// or a default.
pub(crate) fn check_types(
    cx: &mut RuleCx<'_>,
    inst: &Inst,
    operands: &[Operand],
    info: &OpcodeInfo,
) -> InstTypes {
    let is_typed = inst.modifiers.type_count() > 0;
    match info.rule {
        TypeRule::Arithmetic | TypeRule::Pack64 | TypeRule::Unpack64 if is_typed => {
            // Errors reported here do not stop the check: the written type is used for the
            // operands.
            check_arithmetic_type(cx, inst, info);
            let data = inst.modifiers.data_type(0).info();
            InstTypes::from_type(register_type(data.ty))
        }
        // Only an opcode without types, such as BRA, reaches this with one.
        TypeRule::Arithmetic | TypeRule::Pack64 | TypeRule::Unpack64 | TypeRule::None => {
            if is_typed {
                report_unsupported_type(cx, inst, info, 0);
            }
            InstTypes::from_type(default_type(inst, info))
        }
        TypeRule::Storage | TypeRule::Atomic => check_storage_type(cx, inst, info),
        TypeRule::Image => check_image_types(cx, inst, info),
        TypeRule::Convert => check_convert_types(cx, inst, operands),
    }
}

/// Reports the data type modifier number `type_index` as one that the opcode does not take, with
/// the list of those that it takes.
fn report_unsupported_type(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo, type_index: usize) {
    let span = cx.type_span(inst, type_index);
    let message = format!(
        "`{}` does not take the data type `{}`",
        info.name,
        inst.modifiers.data_type(type_index).info().name
    );
    // The hint lists the types that table X.13 allows, none for an opcode that takes no type at
    // all.
    let types = info.type_modifiers();
    let takes = (!types.is_empty()).then(|| format!("it takes {}", types.join(", ")));
    let notes = takes.into_iter().collect();
    cx.report_error_with_notes(Code::ModifierUnsupported, span, message, notes);
}

/// Reports a second type modifier, one in addition to a suffix R or H, and one that the opcode or
/// the language version does not support.
fn check_arithmetic_type(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) {
    let data = inst.modifiers.data_type(0).info();
    if inst.modifiers.type_count() == 2 {
        return report_second_type(cx, inst, data);
    }
    // "Equivalent to the F data type modifier": table X.15.
    if inst
        .modifiers
        .mods()
        .intersects(ModifierFlags::ANY_PRECISION)
    {
        let span = cx.type_span(inst, 0);
        let message = "the suffixes R and H are data types already";
        return cx.report_error(Code::ModifierTwice, span, message);
    }
    let support = type_support(info, data);
    // Columns F and I of table X.13: X is up to 32 bits, 6 up to 64.
    let is_supported = match (data.class, data.ty.width()) {
        (TypeClass::Base, _) | (TypeClass::Sized, Width::W32) => support >= Support::Narrow,
        (TypeClass::Sized, Width::W64) => support == Support::Wide,
        // MUL is the only opcode with S24 and U24, and the only one with HI.
        (TypeClass::Mul24, _) => info.mods.contains(ModifierFlags::HI),
        // Types of 8 and 16 bits are for memory and CVT only.
        (TypeClass::Sized | TypeClass::Vector | TypeClass::Extended, _) => false,
    };
    if !is_supported {
        report_unsupported_type(cx, inst, info, 0);
    } else if data.class == TypeClass::Sized {
        check_sized_type(cx, inst, data);
    }
}

/// Reports a second data type modifier of an instruction whose first one is `data`, with the code
/// of the rule that the two types break.
#[cold]
fn report_second_type(cx: &mut RuleCx<'_>, inst: &Inst, data: &DataType) {
    let second = inst.modifiers.data_type(1).info();
    let is = |class| [data.class == class, second.class == class];
    // Each of these rules has a separate error: "may not specify both base and precision-specific
    // data type modifiers".
    let code = if is(TypeClass::Mul24) != [false; 2] {
        Code::MulSpecial
    } else if matches!(is(TypeClass::Sized), [true, false] | [false, true]) {
        Code::BaseAndSized
    } else {
        Code::ModifierTwice
    };
    let (first, second) = (data.name, second.name);
    let message = format!("`{second}` is a second data type in addition to `{first}`");
    let span = cx.type_span(inst, 1);
    cx.report_error(code, span, message);
}

/// Reports a type with a size in programs before version 5.0. The source location is determined
/// only then: that lexes the statement again.
fn check_sized_type(cx: &mut RuleCx<'_>, inst: &Inst, data: &DataType) {
    if cx.version < Version::V5_0 {
        let span = cx.type_span(inst, 0);
        cx.require_version(Version::V5_0, span, format_args!("`{}` needs", data.name));
    }
}

/// Checks that there is exactly one storage modifier, which the options of the program have;
/// atomics also need an operation that is defined for it. Returns its type and number of
/// components, 32-bit unsigned integers after an error.
pub(crate) fn check_storage_type(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) -> InstTypes {
    let atomic = info.rule == TypeRule::Atomic;
    let Some(data) = check_storage_modifier(cx, inst, info) else {
        // Any type, so that the operands are checked.
        return InstTypes::from_type(Type::U32);
    };
    // F16 is the only type of class Sized, for CVT; in memory it is one of the extension's.
    let extended = data.class == TypeClass::Extended || data.ty == Type::F16;
    // Atomics have separate options for such types, see `check_atomic`.
    if extended && !atomic && !cx.has_option(Features::MEM_EXTENDED) {
        check_extended_type(cx, inst, info, data);
    }
    if data.ty.width() == Width::W64 {
        check_sized_type(cx, inst, data);
    }
    if atomic {
        check_atomic(cx, inst, info, data);
    }
    InstTypes {
        components: data.components,
        ..InstTypes::from_type(data.ty)
    }
}

/// Returns the storage modifier of an instruction that has exactly one; `None` after reporting that
/// it has not.
fn check_storage_modifier(
    cx: &mut RuleCx<'_>,
    inst: &Inst,
    info: &OpcodeInfo,
) -> Option<&'static DataType> {
    let count = inst.modifiers.type_count();
    let data = inst.modifiers.data_type(0).info();
    if count == 1 && !matches!(data.class, TypeClass::Base | TypeClass::Mul24) {
        return Some(data);
    }
    // The last type is the superfluous one, or the only one that is wrong.
    let span = match count.checked_sub(1) {
        None => cx.opcode_span(inst),
        Some(last) => cx.type_span(inst, last),
    };
    let code = if info.rule == TypeRule::Atomic && count == 0 {
        Code::AtomModifiers
    } else {
        Code::StorageModifier
    };
    let name = info.name;
    let message = format!("`{name}` takes exactly one storage modifier such as U32");
    cx.report_error(code, span, message);
    None
}

/// Reports a type of NV_gpu_program5_mem_extended in a program without its option; half floats in
/// LDC by a lenient rule.
#[cold]
fn check_extended_type(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo, data: &DataType) {
    let span = cx.type_span(inst, 0);
    let feature = format!("`{}` needs", data.name);
    // Drivers accept this in LDC without the option.
    if info.accesses_memory(OperandKind::ConstMem) && data.ty == Type::F16 {
        let option = Features::MEM_EXTENDED.first_option();
        cx.report_lenient(
            LenientRule::HalfLoad,
            span,
            format!("{feature} OPTION {option}"),
        );
    } else {
        cx.require_option(Features::MEM_EXTENDED, span, feature);
    }
}

/// Reports an atomic instruction without operation, or whose operation is not defined for the type
/// in this kind of memory.
fn check_atomic(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo, data: &DataType) {
    let Some(op) = inst.modifiers.atomic() else {
        let message = format!("`{}` needs an operation such as ADD", info.name);
        return cx.report_error(Code::AtomModifiers, cx.opcode_span(inst), message);
    };
    // ATOMS and ATOMB have separate tables.
    let is_declared = [OperandKind::SharedMem, OperandKind::StorageMem];
    let memory = if is_declared
        .iter()
        .any(|&memory| info.accesses_memory(memory))
    {
        AtomicMemory::Declared
    } else {
        AtomicMemory::Any
    };
    let is_defined = modifiers::is_atomic_defined(op, data.ty, cx.features, memory);
    // Images have texels of up to 32 bits for atomics, but for vectors of half floats.
    let has_known_size = info.image_op().is_none() || data.ty.width() < Width::W64;
    // Half floats are vectors here, all other types are scalars.
    let is_size_supported = (data.components == 1) != (data.ty == Type::F16);
    if !is_size_supported || !has_known_size || !is_defined {
        let span = cx.type_span(inst, 0);
        let (op, name) = (modifiers::atomic_name(op), data.name);
        let message = format!("the atomic operation {op} is not defined for {name}");
        cx.report_error(Code::AtomCombination, span, message);
    }
}

/// Returns the two types of CVT, of the result and of the operand. Reports other modifiers, for
/// which both are 32-bit floats then, and an operand with minus or bars.
fn check_convert_types(cx: &mut RuleCx<'_>, inst: &Inst, operands: &[Operand]) -> InstTypes {
    let data = [0, 1].map(|number| inst.modifiers.data_type(number).info());
    let sized = data.iter().all(|data| data.class == TypeClass::Sized);
    if inst.modifiers.type_count() != 2 || !sized {
        let span = cx.opcode_span(inst);
        let message = "CVT takes two sized types: that of the result, then that of the operand";
        cx.report_error(Code::CvtModifiers, span, message);
        // Default type of CVT: column D of table X.13.
        return InstTypes::from_type(Type::F32);
    }
    // "Negation and absolute value operators are not supported on the source operand":
    // NV_gpu_program5 section 2.X.8.Z, CVT. A plus is neither.
    let changes = Signs::all().difference(Signs::WRITTEN);
    let is_changed = |operand: &&Operand| operand.signs.intersects(changes);
    if let Some(operand) = operands.first().filter(is_changed) {
        let message = "the operand of CVT has no minus and no absolute value";
        cx.report_error(Code::CvtModifiers, operand.span, message);
    }
    let [to, source_ty] = data.map(|data| data.ty);
    InstTypes {
        ty: to,
        source_ty,
        components: 1,
        result: to,
    }
}

/// Returns the type of an instruction without type modifier. The suffixes R and H are
/// floating-point types, regardless of the default of the opcode. NV_gpu_program4 section 2.X.4.1.
fn default_type(inst: &Inst, info: &OpcodeInfo) -> Type {
    if inst
        .modifiers
        .mods()
        .intersects(ModifierFlags::ANY_PRECISION)
    {
        Type::F32
    } else {
        Type::from_base(info.default, Width::W32)
    }
}

/// Returns the support of an opcode for float types if `data` is one, else for integer types.
fn type_support(info: &OpcodeInfo, data: &DataType) -> Support {
    if data.ty.is_float() {
        info.float
    } else {
        info.int
    }
}

/// Returns the type of operands whose kind specifies none, as in registers. Table X.13, input
/// column.
pub(crate) fn common_operand_type(info: &OpcodeInfo, types: InstTypes) -> Type {
    match info.rule {
        // The second type of CVT is that of the operand, which is in a register.
        TypeRule::Convert => register_type(types.source_ty),
        // The type is that of the 32-bit halves.
        TypeRule::Unpack64 => types.ty.with_width(Width::W64),
        TypeRule::Arithmetic | TypeRule::Pack64 | TypeRule::None => types.ty,
        TypeRule::Storage | TypeRule::Atomic | TypeRule::Image => register_type(types.ty),
    }
}

/// Returns the type of the result, as in registers; that of the instruction for opcodes without
/// result. Table X.13, output column.
pub(crate) fn result_type(info: &OpcodeInfo, types: InstTypes) -> Type {
    let ty = register_type(types.ty);
    match info.result {
        // The type is that of the operand's 32-bit halves.
        ResultKind::V | ResultKind::S if info.rule == TypeRule::Pack64 => ty.with_width(Width::W64),
        ResultKind::V | ResultKind::S | ResultKind::None => ty,
        ResultKind::Vf => Type::from_base(BaseType::Float, ty.width()),
        ResultKind::Vs | ResultKind::Address => Type::from_base(BaseType::SignedInt, ty.width()),
        ResultKind::Vu => Type::from_base(BaseType::UnsignedInt, ty.width()),
    }
}
