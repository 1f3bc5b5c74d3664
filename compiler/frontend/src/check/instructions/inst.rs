//! Instructions: availability, modifiers, types, operands. NV_gpu_program4 sections 2.X.4 and
//! 2.X.4.1.

use crate::ast::{Dst, Inst, InstTypes, Operand, OperandBase};
use crate::check::context::RuleCx;
use crate::check::instructions::arb::{
    check_arb_form, check_loop_operand, check_plain_syntax, check_three_components,
    choose_scalar_shape,
};
use crate::check::instructions::types::{check_types, common_operand_type, result_type};
use crate::check::operands::context::{MemoryKind, OperandRules, OperandShape};
use crate::check::operands::memory_operand::check_counter_operation;
use crate::check::program::CheckedProgram;
use crate::check::registers::fp1::{check_packed_register, check_three_component_result};
use crate::check::registers::register_limits::check_register_form;
use crate::codes::{Code, LenientRule};
use crate::lang::modifiers::{self, ModifierFlags, TypeClass, register_type};
use crate::lang::opcodes::{
    OpcodeInfo, OperandKind, OperandRule, PackedSize, ResultKind, TypeRule,
};
use crate::lang::options::{Declaration, Features};
use crate::lang::stage_name;
use crate::source::Version;
use crate::variables::VarSize;
use glasm_ir::Stage;
use glasm_ir::primitive::OutputPrimitive;
use glasm_ir::types::{BaseType, Type, Width};

/// Modifiers with rules beyond the opcode table.
const MODIFIERS_WITH_RULES: ModifierFlags = ModifierFlags::ANY_CLAMP
    .union(ModifierFlags::HI)
    .union(ModifierFlags::ANY_DERIVATIVE);

/// Modifiers of language version 5.0.
const MODIFIERS_SINCE_5_0: ModifierFlags = ModifierFlags::PREC
    .union(ModifierFlags::COH)
    .union(ModifierFlags::VOL)
    .union(ModifierFlags::SPARSE)
    .union(ModifierFlags::LODCLAMP);

impl OperandRules<'_, '_> {
    /// Checks an instruction and reports violations; names in its result and operands become
    /// variables. `info` is the table entry of its opcode. Returns the types of the instruction,
    /// also after errors. An instruction with a syntax error or of an unavailable opcode is checked
    /// for its types and modifiers only.
    #[inline(always)]
    pub(crate) fn check_inst(
        &mut self,
        inst: &mut Inst,
        operands: &mut [Operand],
        info: &OpcodeInfo,
    ) -> InstTypes {
        // Types first, so that a modifier that needs a version or an option is reported even if the
        // rest could not be parsed.
        let mut types = check_types(&mut self.resolver.cx, inst, operands, info);
        types.result = result_type(info, types);
        if inst.has_syntax_error
            || !check_availability(&mut self.resolver.cx, inst, operands, info, types)
        {
            return types;
        }
        let untyped = inst.modifiers.mods().contains(ModifierFlags::NTC);
        // An unresolved result retains its name; `Dst::to_resolved` leaves it out.
        if let Some(dst) = &mut inst.dst {
            if info.result == ResultKind::Address {
                self.check_address_result(dst);
            } else {
                self.check_result(dst, types.result, untyped);
            }
        }
        // Labels, textures and similar kinds take no operand from the list: only kinds with a shape
        // do, and CALI.
        let mut remaining_operands = operands.iter_mut();
        let common = common_operand_type(info, types);
        for &kind in info.operands {
            let form = find_form(&self.resolver.cx, kind, types.ty, common);
            if form.is_none() && kind != OperandKind::Subroutine {
                continue;
            }
            // Too few operands were reported as a syntax error.
            let Some(operand) = remaining_operands.next() else {
                break;
            };
            match form {
                Some((shape, ty)) => self.check_value(operand, shape, ty, untyped),
                None => self.check_subroutine_operand(operand),
            }
        }
        if self.resolver.cx.traits.registers.is_some() {
            self.check_register_operands(operands);
            // Only results that are variables can be recorded as written.
            if let Some(dst) = inst.dst.and_then(Dst::as_resolved) {
                self.check_register_result(&dst);
            }
        }
        if info.is_special() || inst.modifiers.atomic().is_some() {
            self.check_special_rules(inst, operands, info, types);
        }
        types
    }

    /// Checks the rules of single opcodes and reports violations: required options, texture and
    /// image accesses, whose operands are resolved, atomic operations, and relations between
    /// operands.
    // A separate function leaves registers enough for the instructions without such rules.
    #[inline(never)]
    fn check_special_rules(
        &mut self,
        inst: &Inst,
        operands: &mut [Operand],
        info: &OpcodeInfo,
        types: InstTypes,
    ) {
        // Before all other rules of the opcode, because it decides if the opcode exists.
        check_needed_option(&mut self.resolver.cx, inst, info);
        if let Some(op) = info.texture_op() {
            self.check_texture(inst, operands, op);
        } else if let Some(op) = info.image_op() {
            self.check_image(inst, info, op);
        }
        // ADD, MIN and others are both opcodes and operations of atomics.
        if inst.modifiers.atomic().is_some() && info.rule != TypeRule::Atomic {
            report_stray_atomic(&mut self.resolver.cx, inst, info);
        }
        self.check_operand_rule(inst, operands, info, types);
    }

    /// Checks the rule of the opcode that relates its operands and its result, such as their sizes,
    /// and reports violations; nothing for opcodes without such a rule. An opcode that only shipped
    /// programs use is reported by its lenient rule.
    fn check_operand_rule(
        &mut self,
        inst: &Inst,
        operands: &[Operand],
        info: &OpcodeInfo,
        types: InstTypes,
    ) {
        match info.operand_rule {
            OperandRule::None => {}
            OperandRule::Size(size) if self.resolver.cx.traits.fragment_names().is_some() => {
                check_packed_register(
                    &mut self.resolver.cx,
                    self.resolver.program,
                    inst,
                    operands,
                    size,
                );
            }
            OperandRule::Size(size) => check_packed_size(
                &mut self.resolver.cx,
                self.resolver.program,
                inst,
                operands,
                size,
            ),
            OperandRule::Attribute => {
                check_interpolated_operand(&mut self.resolver.cx, self.resolver.program, operands)
            }
            OperandRule::SharedBounds => self.check_shared_access(operands, types),
            OperandRule::Emission => self.check_emission(inst),
            OperandRule::CounterOperation => check_counter_operation(&mut self.resolver.cx, inst),
            OperandRule::ParameterCount => {
                check_loop_operand(&mut self.resolver.cx, self.resolver.program, operands)
            }
            OperandRule::ThreeComponents if self.resolver.cx.traits.fragment_names().is_some() => {
                check_three_component_result(&mut self.resolver.cx, inst, info);
            }
            OperandRule::ThreeComponents => {
                check_three_components(&mut self.resolver.cx, inst, info)
            }
            OperandRule::Shipped(rule) => {
                let span = self.resolver.cx.opcode_span(inst);
                let message = format!("unknown opcode `{}`", info.name);
                self.resolver.cx.report_lenient(rule, span, message);
            }
        }
    }

    /// Reports EMIT, EMITS or ENDPRIM in a program that passes its primitive through, and EMITS,
    /// once, with an output primitive other than points. Does nothing in other stages, in which the
    /// opcode itself is an error.
    pub(crate) fn check_emission(&mut self, inst: &Inst) {
        // The stage was reported with the opcode.
        if self.resolver.cx.stage != Stage::Geometry {
            return;
        }
        let name = inst.opcode.mnemonic();
        if self.resolver.cx.is_passthrough() {
            let span = self.resolver.cx.opcode_span(inst);
            let message = format!("a program that passes its primitive on has no {name}");
            return self
                .resolver
                .cx
                .report_error(Code::PassthroughNotAllowed, span, message);
        }
        // EMITS has the stream as its operand, EMIT and ENDPRIM have none.
        let writes_streams = !inst.opcode.info().operands.is_empty();
        // Earlier versions have no EMITS, and that is the error then.
        if !writes_streams || self.resolver.cx.version < Version::V5_0 {
            return;
        }
        // NV_gpu_program5 section 2.14.6.2. Without PRIMITIVE_OUT its absence is the error.
        if self
            .resolver
            .program_declarations
            .contains(Declaration::PrimitiveOut)
            && self.resolver.program.modes.primitive_out != OutputPrimitive::Points
        {
            let (code, span) = (Code::EmitsOutput, self.resolver.cx.opcode_span(inst));
            if self.resolver.program_declarations.is_new_error(
                Declaration::PrimitiveOut,
                (code, 0),
                span,
            ) {
                self.resolver
                    .cx
                    .report_error(code, span, "EMITS needs PRIMITIVE_OUT POINTS");
            }
        }
    }
}

/// Returns shape and type of the operands of a kind, of an instruction with the type `ty`; `common`
/// is the type of kinds that have none. `None` for kinds that other functions check. Table X.13,
/// input column.
fn find_form(
    cx: &RuleCx<'_>,
    kind: OperandKind,
    ty: Type,
    common: Type,
) -> Option<(OperandShape, Type)> {
    Some(match kind {
        OperandKind::V | OperandKind::Kill | OperandKind::Count => (OperandShape::Vector, common),
        // Always floats, as wide as the type of the instruction.
        OperandKind::Vf => {
            let width = register_type(ty).width();
            (
                OperandShape::Vector,
                Type::from_base(BaseType::Float, width),
            )
        }
        OperandKind::Vs => (OperandShape::Vector, Type::S32),
        OperandKind::Vu => (
            OperandShape::Vector,
            Type::from_base(BaseType::UnsignedInt, ty.width()),
        ),
        OperandKind::S => (OperandShape::Scalar, common),
        // `Su` and the address of LOAD and STORE: "su" in table X.13 of NV_gpu_program5.
        OperandKind::Su => (OperandShape::Scalar, Type::U32),
        OperandKind::Address => (OperandShape::Scalar, Type::U64),
        OperandKind::Plain => (OperandShape::Plain, common),
        OperandKind::Sv => (choose_scalar_shape(cx), common),
        OperandKind::AddressRegister => (OperandShape::AddressRegister, common),
        OperandKind::ConstMem => (OperandShape::Memory(MemoryKind::Constant), common),
        OperandKind::SharedMem => (OperandShape::Memory(MemoryKind::Shared), common),
        OperandKind::StorageMem => (OperandShape::Memory(MemoryKind::Storage), common),
        OperandKind::CounterMem => (OperandShape::Memory(MemoryKind::Counter), common),
        OperandKind::ExtSwizzle
        | OperandKind::Texture
        | OperandKind::Image
        | OperandKind::ImageUnit
        | OperandKind::ImageTarget
        | OperandKind::Label
        | OperandKind::Subroutine
        | OperandKind::Cond
        | OperandKind::OptCond => return None,
    })
}

/// Returns true if opcode and modifiers exist in the language, with the options of the program;
/// reports them if not. False if further checks of the instruction would only report consequential
/// errors; typed languages always return true.
fn check_availability(
    cx: &mut RuleCx<'_>,
    inst: &Inst,
    operands: &[Operand],
    info: &OpcodeInfo,
    types: InstTypes,
) -> bool {
    if let Some(registers) = cx.traits.registers {
        return check_register_form(cx, inst, operands, (registers, info));
    }
    if cx.traits.forms_by_options {
        let is_known_form = check_arb_form(cx, inst, info);
        if is_known_form && cx.is_plain_arb() {
            check_plain_syntax(cx, inst, operands);
        }
        return is_known_form;
    }
    if !has_opcode(cx, info) {
        report_unavailable(cx, inst, info);
    }
    if !has_modifiers(cx, inst, info) {
        check_modifiers(cx, inst, info, types);
    }
    true
}

/// Returns true if the language version and the program type have an opcode without an option.
pub(crate) fn has_opcode(cx: &RuleCx<'_>, info: &OpcodeInfo) -> bool {
    info.since <= cx.version && info.stages.contains_stage(cx.stage)
}

/// Returns true if an opcode takes the modifiers of an instruction and no rule restricts them.
/// False does not mean an error: modifiers with rules, and any before version 5.0, must be checked
/// by [`check_modifiers`].
pub(crate) fn has_modifiers(cx: &RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) -> bool {
    let mods = inst.modifiers.mods();
    // Before 5.0 some modifiers of the table are missing; they are checked elsewhere.
    let old = cx.version < Version::V5_0 && !mods.is_empty();
    info.mods.contains(mods) && !mods.intersects(MODIFIERS_WITH_RULES) && !old
}

/// Reports why an opcode of a typed language is not available: the stage, the language version, or
/// a missing option. Does nothing if the version is sufficient or an option of the program enables
/// the opcode.
#[cold]
fn report_unavailable(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) {
    let (name, span) = (info.name, cx.opcode_span(inst));
    // Such as CBUFFER's LDC, which OPTION NV_parameter_buffer_object2 enables in versions before
    // 5.0.
    let enabled = !info.early.is_empty() && cx.has_option(info.early);
    if !info.stages.contains_stage(cx.stage) {
        let stage = stage_name(cx.stage);
        let message = format!("`{name}` is not available in {stage} programs");
        // NV_compute_program5 has BAR for compute programs only, but drivers take it here, too.
        if cx.stage == Stage::TessControl && info.is_workgroup_barrier() {
            cx.report_lenient(LenientRule::PatchBarrier, span, message);
        } else {
            cx.report_error(Code::FeatureStage, span, message);
        }
    } else if info.since > cx.version && !enabled {
        let feature = format!("`{name}` needs");
        // If an option enables the opcode in earlier versions, that is the nearer remedy.
        if info.early.is_empty() {
            cx.require_version(info.since, span, feature)
        } else {
            cx.require_option(info.early, span, feature)
        };
    }
}

/// Checks the modifiers that are not types, such as clamps and roundings, against the opcode, the
/// types, the version and the options, and reports violations. A clamp of an integer is a lenient
/// rule, except of CVT.
#[cold]
fn check_modifiers(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo, types: InstTypes) {
    let result = types.result;
    let clamp = inst.modifiers.mods().intersection(ModifierFlags::ANY_CLAMP);
    let convert = info.rule == TypeRule::Convert;
    // An opcode without a result takes no clamp at all, which is reported below.
    let clamped = !clamp.is_empty() && info.result != ResultKind::None && !result.is_float();
    // CVT alone clamps integers: SAT limits the converted value to the range of the result type.
    let integer_clamp = convert && clamp == ModifierFlags::SAT;
    if clamped && !integer_clamp {
        let span = cx.flag_span(inst, ModifierFlags::ANY_CLAMP);
        let message = "only float results can be clamped";
        // CVT has a separate clamp of integers, SAT, so that SSAT there is not an old habit.
        if convert {
            cx.report_error(Code::ClampOnInteger, span, message);
            return;
        }
        if !cx.report_lenient(LenientRule::ClampOnInteger, span, message) {
            return;
        }
    }
    // A clamp that was accepted is not reported again below.
    let allowed_mods = if clamped && !convert {
        info.mods.union(ModifierFlags::ANY_CLAMP)
    } else {
        info.mods
    };
    let disallowed_mods = inst.modifiers.mods().difference(allowed_mods);
    if !disallowed_mods.is_empty() {
        let span = cx.flag_span(inst, disallowed_mods);
        let message = format!("`{}` does not take this modifier", info.name);
        cx.report_error(Code::ModifierUnsupported, span, message);
        return;
    }
    if cx.version < Version::V5_0 && inst.modifiers.mods().intersects(MODIFIERS_SINCE_5_0) {
        let span = cx.flag_span(inst, MODIFIERS_SINCE_5_0);
        cx.require_version(Version::V5_0, span, "this modifier needs");
    }
    check_derivative_modifier(cx, inst);
    check_high_modifier(cx, inst, types);
}

/// Reports the modifiers FINE and COARSE in programs without the option of ARB_derivative_control.
fn check_derivative_modifier(cx: &mut RuleCx<'_>, inst: &Inst) {
    if inst
        .modifiers
        .mods()
        .intersects(ModifierFlags::ANY_DERIVATIVE)
    {
        let span = cx.flag_span(inst, ModifierFlags::ANY_DERIVATIVE);
        cx.require_option(Features::DERIVATIVE_CONTROL, span, "FINE and COARSE need");
    }
}

/// Reports the modifier HI of an instruction that is not of 32-bit integers or whose type is not
/// written.
fn check_high_modifier(cx: &mut RuleCx<'_>, inst: &Inst, types: InstTypes) {
    let modifiers = inst.modifiers;
    let mul24 = modifiers.data_type(0).info().class == TypeClass::Mul24;
    // "HI multiplies two 32-bit integer operands": table X.14 of NV_gpu_program4.
    let wrong =
        modifiers.type_count() == 0 || types.ty.is_float() || types.ty.width() == Width::W64;
    if modifiers.mods().contains(ModifierFlags::HI) && (wrong || mul24) {
        let span = cx.flag_span(inst, ModifierFlags::HI);
        let message = "HI needs one of the modifiers S, U, S32 and U32";
        cx.report_error(Code::MulSpecial, span, message);
    }
}

/// Reports an opcode whose option the program lacks, in the stages and versions that have the
/// opcode; in others that itself is the error.
fn check_needed_option(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) {
    // Otherwise its absence was reported for the stage or the version, which no option can change.
    let is_there = info.stages.contains_stage(cx.stage) && cx.version >= info.since;
    if is_there && !cx.has_option(info.required_features) {
        let span = cx.opcode_span(inst);
        cx.require_option(
            info.required_features,
            span,
            format_args!("`{}` needs", info.name),
        );
    }
}

/// Reports an operand of IPAC, IPAO or IPAS, which evaluate it at another position, that is not an
/// interpolated attribute. NV_gpu_program5 section 2.X.8.Z.
fn check_interpolated_operand(cx: &mut RuleCx<'_>, program: &CheckedProgram, operands: &[Operand]) {
    let Some(operand) = operands.first() else {
        return;
    };
    let is_interpolated = match operand.base {
        // Unresolved bases were reported already.
        OperandBase::Name(_) | OperandBase::Path(_) => true,
        OperandBase::Var(var) => program.is_interpolated(var),
        OperandBase::Scalar(_) | OperandBase::Vector { .. } => false,
    };
    if !is_interpolated {
        let message = "only attributes can be interpolated, except facing and primitive number";
        cx.report_error(Code::InterpolationOperand, operand.span, message);
    }
}

/// Reports an atomic operation such as `ADD` as modifier of an opcode that takes none, at the
/// modifier.
#[cold]
fn report_stray_atomic(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) {
    let is_atomic = |word: &[u8]| {
        let modifier = modifiers::find_modifier(word);
        matches!(modifier, Some(modifiers::Modifier::Atomic(_)))
    };
    let span = cx.modifier_span(inst, is_atomic);
    let message = format!("`{}` does not take this modifier", info.name);
    cx.report_error(Code::ModifierUnsupported, span, message);
}

/// Checks the sizes of result and first operand of instructions that pack and unpack components, of
/// which `rule` restricts one, and reports a violation. Unresolved ones, which were reported, pass.
fn check_packed_size(
    cx: &mut RuleCx<'_>,
    program: &CheckedProgram,
    inst: &Inst,
    operands: &[Operand],
    rule: PackedSize,
) {
    let (Some(dst), Some(source)) = (&inst.dst, operands.first()) else {
        return;
    };
    // A result without a size could not be resolved, and was reported.
    let dst_size = program.find_base_var(dst.base).map(|(_, var)| var.size);
    let source_size = program.find_base_var(source.base).map(|(_, var)| var.size);
    // An unresolved name was reported already.
    let resolved = !matches!(source.base, OperandBase::Name(_) | OperandBase::Path(_));
    let (is_wrong, code, span, restriction) = match rule {
        PackedSize::LongResult => (
            dst_size.is_some_and(|size| size != VarSize::Long),
            Code::PackLong,
            dst.span,
            "writes LONG variables only",
        ),
        PackedSize::LongSource => (
            resolved && source_size != Some(VarSize::Long),
            Code::PackLong,
            source.span,
            "reads LONG variables only",
        ),
        PackedSize::NoShortResult => (
            dst_size == Some(VarSize::Short),
            Code::PackShort,
            dst.span,
            "cannot write a SHORT variable",
        ),
        PackedSize::NoShortSource => (
            source_size == Some(VarSize::Short),
            Code::PackShort,
            source.span,
            "cannot read a SHORT variable",
        ),
    };
    if is_wrong {
        let message = format!("{} {restriction}", inst.opcode.mnemonic());
        cx.report_error(code, span, message);
    }
}
