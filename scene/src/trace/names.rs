//! Names of operands and results, as programs write them, and values in the form of their type.

use glasm::frontend::lang::bindings::{ATTRIBS, BindingInfo, RESULTS};
use glasm::ir::inst::{get_result_type, get_source_type};
use glasm::ir::interp::{Flags, OperandValue, SelectedElement, WrittenValue, to_f64};
use glasm::ir::{
    BaseType, Id, Inst, OperandBase, ParamId, ParamSource, Program, RegisterId, Semantic, Src,
    Stage, Storage, Type, WriteMask,
};

/// Names of the lanes.
const LANES: [char; 4] = ['x', 'y', 'z', 'w'];

/// A named value: some lanes of a register, parameter, attribute or result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedValue {
    /// Name without lanes and modifiers.
    pub name: String,
    /// Name with the lanes, and with the modifiers of an operand: `-a.xy`.
    pub text: String,
    /// Type of the lanes.
    pub ty: Type,
    /// Bits of the lanes that the text names, in their order.
    pub bits: Vec<u64>,
}

/// Returns the shortest name of the binding with a semantic among `table`; `None` if there is none.
fn find_binding_name(table: &[BindingInfo], semantic: Semantic, stage: Stage) -> Option<String> {
    let own = table
        .iter()
        .filter(|info| info.stages.contains_stage(stage));
    let found = own.filter_map(|info| {
        let limit = info.number.limit().clamp(1, 256);
        let number = (0..limit).find(|number| (info.semantic)(*number as u8) == semantic)?;
        Some(info.path.replace("[]", &format!("[{number}]")))
    });
    found.min_by_key(String::len)
}

/// Returns the name of an input of a program.
pub fn name_input(semantic: Semantic, stage: Stage) -> String {
    find_binding_name(ATTRIBS, semantic, stage).unwrap_or_else(|| semantic.to_string())
}

/// Returns the name of a result of a program.
pub fn name_output(semantic: Semantic, stage: Stage) -> String {
    find_binding_name(RESULTS, semantic, stage).unwrap_or_else(|| semantic.to_string())
}

/// Returns the name of a parameter.
fn name_param(program: &Program, source: ParamSource) -> String {
    match source {
        ParamSource::Env(number) => format!("program.env[{number}]"),
        ParamSource::Local(number) => format!("program.local[{number}]"),
        ParamSource::Subroutine(number) => format!("program.subroutine[{number}]"),
        ParamSource::State(param) => format!("state.{param}"),
        ParamSource::Named(number) => {
            let named = program.named_params.get(number as usize);
            named.map_or_else(String::new, |it| program.names.get(it.name).to_owned())
        }
        ParamSource::Argument => "v[0]".to_owned(),
        ParamSource::Literal(words) => {
            let values = words.map(|word| format_value(Type::F32, u64::from(word)));
            format!("{{{}}}", values.join(", "))
        }
    }
}

/// Returns the name of a register, or of an element of a register array.
pub fn name_register(program: &Program, id: RegisterId, element: Option<u32>) -> String {
    if let Storage::Output(first) = program.registers[id].storage {
        let output = first.index() + element.unwrap_or(0) as usize;
        if let Some(output) = program.outputs.as_slice().get(output) {
            return name_output(output.semantic, program.stage);
        }
    }
    let name = program.register_name(id);
    let name = name.map_or_else(|| format!("r{}", id.index()), str::to_owned);
    match element {
        Some(element) => format!("{name}[{element}]"),
        None => name,
    }
}

/// Returns true if a register is part of the source: it has a name there or is a result, or no
/// register of the program has a name, as in TGSI.
pub fn is_visible(program: &Program, id: RegisterId) -> bool {
    program.register_name(id).is_some()
        || matches!(program.registers[id].storage, Storage::Output(_))
        || program.registers.iter().all(|it| it.name.is_none())
}

/// Returns the index as the source means it, and the length of the array: arrays of parameters that
/// begin and end with added zeros have two elements less.
pub fn find_source_index(
    program: &Program,
    src: &Src,
    element: SelectedElement,
) -> SelectedElement {
    let OperandBase::Param(first) = src.base else {
        return element;
    };
    let is_added = |index: u32| {
        let param = ParamId::new(first.index() + index as usize);
        let param = program.params.get(param);
        param.is_some_and(|param| param.source == ParamSource::Literal([0; 4]))
    };
    if element.len > 2 && is_added(0) && is_added(element.len - 1) && !is_added(1) {
        SelectedElement {
            requested: element.requested - 1,
            len: element.len - 2,
        }
    } else {
        element
    }
}

/// Returns the name of what an operand reads, without lanes.
fn name_operand(program: &Program, src: &Src, operand: &OperandValue) -> String {
    let element = operand.element.map(|element| element.clamp_to_array());
    let offset = element.unwrap_or(0) as usize;
    match src.base {
        OperandBase::Register(id) => name_register(program, id, element),
        OperandBase::Param(first) => {
            let param = program.params.get(ParamId::new(first.index() + offset));
            param.map_or_else(String::new, |param| name_param(program, param.source))
        }
        OperandBase::Input(first) => {
            let inputs = program.inputs.as_slice();
            let input = inputs.get(first.index() + offset);
            input.map_or_else(String::new, |it| name_input(it.semantic, program.stage))
        }
        OperandBase::Output(first) => {
            let outputs = program.outputs.as_slice();
            let output = outputs.get(first.index() + offset);
            output.map_or_else(String::new, |it| name_output(it.semantic, program.stage))
        }
        OperandBase::Literal(_) => String::new(),
    }
}

/// Returns the name of what an operand of an instruction reads, with the lanes that it reads.
pub fn name_operand_of(
    program: &Program,
    inst: &Inst,
    number: usize,
    operand: &OperandValue,
) -> String {
    let value = describe_operand(program, inst, number, operand);
    value.map_or_else(String::new, |value| {
        value.text.trim_start_matches('-').to_owned()
    })
}

/// Returns an operand of an instruction with its name and the lanes that the instruction reads;
/// `None` if it reads none.
pub fn describe_operand(
    program: &Program,
    inst: &Inst,
    number: usize,
    operand: &OperandValue,
) -> Option<NamedValue> {
    let src = program.source(inst, number);
    let lanes: Vec<usize> = operand.read.lanes().collect();
    if lanes.is_empty() {
        return None;
    }
    let name = name_operand(program, src, operand);
    let mut bits: Vec<u64> = lanes.iter().map(|lane| operand.lanes[*lane]).collect();
    let mut components: Vec<usize> = lanes.iter().map(|lane| src.swizzle.lane(*lane)).collect();
    // One value in all lanes is shown once.
    if components
        .iter()
        .all(|component| *component == components[0])
    {
        components.truncate(1);
        bits.truncate(1);
    }
    let components: String = components.iter().map(|lane| LANES[*lane]).collect();
    let sign = if src.negate { "-" } else { "" };
    let (before, after) = if src.abs { ("|", "|") } else { ("", "") };
    let selector = if components == "xyzw" || name.starts_with('{') || name.is_empty() {
        String::new()
    } else {
        format!(".{components}")
    };
    Some(NamedValue {
        text: format!("{sign}{before}{name}{selector}{after}"),
        name,
        ty: get_source_type(program, inst, number),
        bits,
    })
}

/// Returns the lanes of a destination that an instruction has written; `None` if it has written
/// none.
pub fn describe_result(
    program: &Program,
    inst: &Inst,
    result: &WrittenValue,
) -> Option<NamedValue> {
    let lanes: Vec<usize> = result.written.lanes().collect();
    if lanes.is_empty() {
        return None;
    }
    let element = result.element.map(|element| element.clamp_to_array());
    let name = name_register(program, result.register, element);
    let components: String = lanes.iter().map(|lane| LANES[*lane]).collect();
    let selector = if components == "xyzw" {
        String::new()
    } else {
        format!(".{components}")
    };
    Some(NamedValue {
        text: format!("{name}{selector}"),
        name,
        ty: get_result_type(inst),
        bits: lanes.iter().map(|lane| result.lanes[*lane]).collect(),
    })
}

/// Formats a value of a type: floats with the fewest digits that identify them, integers in decimal.
pub fn format_value(ty: Type, bits: u64) -> String {
    match ty.base() {
        BaseType::Float => format_float(ty, bits),
        BaseType::UnsignedInt => bits.to_string(),
        BaseType::SignedInt => {
            let shift = 64 - ty.width().bits();
            (((bits << shift) as i64) >> shift).to_string()
        }
    }
}

/// Formats a float with the fewest digits that identify it.
fn format_float(ty: Type, bits: u64) -> String {
    let value = to_f64(ty, bits);
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned()
    } else if ty == Type::F64 {
        shorten_exponent(value.abs(), format!("{value:?}"), format!("{value:e}"))
    } else {
        // Halves are exact in single precision.
        let single = value as f32;
        shorten_exponent(value.abs(), format!("{single:?}"), format!("{single:e}"))
    }
}

/// Selects one of two forms of a number by its magnitude: decimal, without a fraction of zero, or
/// with an exponent.
fn shorten_exponent(magnitude: f64, decimal: String, exponential: String) -> String {
    if magnitude != 0.0 && !(1e-4..1e9).contains(&magnitude) {
        return exponential;
    }
    decimal.strip_suffix(".0").unwrap_or(&decimal).to_owned()
}

/// Formats bits as a hexadecimal number of the width of a type.
pub fn format_bits(ty: Type, bits: u64) -> String {
    let digits = ty.width().bits() as usize / 4;
    let mask = u64::MAX >> (64 - ty.width().bits());
    format!("{:#0width$x}", bits & mask, width = digits + 2)
}

/// Formats the condition codes of lanes: the relation to 0, then `C` for a carry and `O` for an
/// overflow.
pub fn format_codes(codes: &[Flags; 4], lanes: WriteMask) -> String {
    let lanes = lanes.lanes();
    let lanes = lanes.map(|lane| format!("{}:{}", LANES[lane], format_flags(codes[lane])));
    lanes.collect::<Vec<_>>().join(" ")
}

/// Formats the condition codes that a branch tests: one if all are equal.
pub fn format_tested_codes(codes: &[Flags; 4]) -> String {
    let mut shown: Vec<String> = codes.iter().copied().map(format_flags).collect();
    if shown.iter().all(|flags| *flags == shown[0]) {
        shown.truncate(1);
    }
    shown.join(" ")
}

/// Formats the flags of a lane.
fn format_flags(flags: Flags) -> String {
    let relation = match (flags.sign, flags.zero) {
        (true, true) => "NAN",
        (true, false) => "LT",
        (false, true) => "EQ",
        (false, false) => "GT",
    };
    let carry = if flags.carry { "C" } else { "" };
    let overflow = if flags.overflow { "O" } else { "" };
    format!("{relation}{carry}{overflow}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_fewest_digits_that_identify_them() {
        let float = |value: f32| format_value(Type::F32, u64::from(value.to_bits()));
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (0.1, "0.1"),
            (1.0 / 3.0, "0.33333334"),
            (16_777_216.0, "16777216"),
            (1e10, "1e10"),
            (1.5e-7, "1.5e-7"),
            (f32::NAN, "NaN"),
            (f32::INFINITY, "+Inf"),
            (f32::NEG_INFINITY, "-Inf"),
        ] {
            assert_eq!(float(value), expected);
        }
        assert_eq!(format_value(Type::F64, 0.1f64.to_bits()), "0.1");
        assert_eq!(format_value(Type::S32, 0xffff_fffe), "-2");
        assert_eq!(format_value(Type::U32, 0xffff_fffe), "4294967294");
        assert_eq!(format_bits(Type::F32, 0x3f80_0000), "0x3f800000");
        assert_eq!(format_bits(Type::U16, 7), "0x0007");
    }

    #[test]
    fn bindings_have_their_names_in_programs() {
        let fragment = Stage::Fragment;
        assert_eq!(
            name_input(Semantic::TexCoord(2), fragment),
            "fragment.texcoord[2]"
        );
        let color = Semantic::FragColor {
            buffer: 0,
            index: 0,
        };
        assert_eq!(name_output(color, fragment), "result.color");
        assert_eq!(
            name_output(Semantic::Position, Stage::Vertex),
            "result.position"
        );
        assert_eq!(name_input(Semantic::WorkgroupId, fragment), "workgroup_id");
    }
}
