//! The command `combiner`: state of register combiners. NV_register_combiners section 3.8.12,
//! NV_register_combiners2.

use super::TestParser;
use crate::script::command::{
    CombinerChannels, CombinerOutputs, CombinerUpdate, Command, StateUpdate, Switch,
};
use crate::script::tokenizer::{LineError, WordCursor};
use glasm::fixed_function::{
    CombinerInput, CombinerRegister, ComponentUsage, InputMapping, MAX_GENERAL_COMBINERS,
    OutputScale,
};

/// Names of the variables: the first four are those of general combiner stages.
const VARIABLES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

/// Parses the arguments of `combiner`, and appends the command.
pub(super) fn parse_combiner(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let update = match words.peek() {
        Some("count") => {
            words.next_word("count")?;
            let count = words.parse_with("a number from 1 to 8", |word| {
                let count = word.parse().ok();
                count.filter(|count| (1..=MAX_GENERAL_COMBINERS as u8).contains(count))
            })?;
            CombinerUpdate::Count(count)
        }
        Some("color_sum_clamp") => {
            words.next_word("color_sum_clamp")?;
            CombinerUpdate::ColorSumClamp(words.parse_with("on or off", |word| match word {
                "on" => Some(Switch::On),
                "off" => Some(Switch::Off),
                _ => None,
            })?)
        }
        Some("constant0" | "constant1") => parse_constant(words, 0)?,
        Some("final") => {
            words.next_word("final")?;
            parse_final_input(words)?
        }
        _ => parse_stage(words)?,
    };
    parser.push_command(words, Command::GlState(StateUpdate::Combiner(update)))
}

/// Consumes `constant0` or `constant1` and a color; `first` is the number of the former among all
/// constants.
fn parse_constant(words: &mut WordCursor<'_>, first: usize) -> Result<CombinerUpdate, LineError> {
    let number = words.parse_with("constant0 or constant1", |word| match word {
        "constant0" => Some(0),
        "constant1" => Some(1),
        _ => None,
    })?;
    let color = words.parse_floats("a color component")?;
    Ok(CombinerUpdate::Constant(first + number, color))
}

/// Consumes what follows `combiner` for a general combiner stage, from its number on.
fn parse_stage(words: &mut WordCursor<'_>) -> Result<CombinerUpdate, LineError> {
    let expected = "count, color_sum_clamp, constant0, constant1, final or a stage from 0 to 7";
    let stage = words.parse_with(expected, |word| {
        let stage = word.parse().ok();
        stage.filter(|stage| *stage < MAX_GENERAL_COMBINERS)
    })?;
    if matches!(words.peek(), Some("constant0" | "constant1")) {
        return parse_constant(words, 2 + 2 * stage);
    }
    let channels = words.parse_with("rgb, alpha, constant0 or constant1", |word| match word {
        "rgb" => Some(CombinerChannels::Rgb),
        "alpha" => Some(CombinerChannels::Alpha),
        _ => None,
    })?;
    if words.take_if("output").is_some() {
        let outputs = parse_outputs(words, channels)?;
        return Ok(CombinerUpdate::Output(stage, channels, outputs));
    }
    let variable = words.parse_with("a, b, c, d or output", |word| {
        VARIABLES[..4].iter().position(|name| *name == word)
    })?;
    let input = parse_input(words)?;
    let is_invalid = is_pseudo(input.register)
        || match input.usage {
            ComponentUsage::Rgb => channels == CombinerChannels::Alpha,
            ComponentUsage::Blue => channels == CombinerChannels::Rgb,
            ComponentUsage::Alpha => input.register == CombinerRegister::Fog,
        };
    if is_invalid {
        return Err(words.error_at_last("general combiners have no such input"));
    }
    Ok(CombinerUpdate::Input(stage, channels, variable, input))
}

/// Returns true for registers that only the final combiner has.
fn is_pseudo(register: CombinerRegister) -> bool {
    matches!(
        register,
        CombinerRegister::ETimesF | CombinerRegister::Spare0PlusSecondary
    )
}

/// Consumes a word and returns the value with this name among `all`.
fn parse_named<T: Copy>(
    words: &mut WordCursor<'_>,
    expected: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, LineError> {
    words.parse_with(expected, |word| {
        all.iter().copied().find(|value| name(*value) == word)
    })
}

/// Consumes `REGISTER MAPPING COMPONENTS`.
fn parse_input(words: &mut WordCursor<'_>) -> Result<CombinerInput, LineError> {
    let registers = CombinerRegister::ALL;
    let usages = ComponentUsage::ALL;
    Ok(CombinerInput {
        register: parse_named(
            words,
            "a register of combiners",
            registers,
            CombinerRegister::word,
        )?,
        mapping: parse_named(words, "a mapping", InputMapping::ALL, InputMapping::word)?,
        usage: parse_named(words, "rgb, alpha or blue", usages, ComponentUsage::word)?,
    })
}

/// Consumes `VARIABLE REGISTER MAPPING COMPONENTS` after `combiner final`.
fn parse_final_input(words: &mut WordCursor<'_>) -> Result<CombinerUpdate, LineError> {
    const A: usize = 0;
    const E: usize = 4;
    const G: usize = 6;
    let variable = words.parse_with("a variable from a to g", |word| {
        VARIABLES.iter().position(|name| *name == word)
    })?;
    let input = parse_input(words)?;
    let has_wrong_usage = match input.usage {
        ComponentUsage::Rgb => variable == G,
        ComponentUsage::Blue => variable != G,
        ComponentUsage::Alpha => false,
    };
    let is_unsigned = matches!(
        input.mapping,
        InputMapping::UnsignedIdentity | InputMapping::UnsignedInvert
    );
    let has_wrong_register = is_pseudo(input.register)
        && (variable >= E
            || input.usage != ComponentUsage::Rgb
            || variable == A && input.register == CombinerRegister::Spare0PlusSecondary);
    if has_wrong_usage || has_wrong_register || !is_unsigned {
        return Err(words.error_at_last("the final combiner has no such input"));
    }
    Ok(CombinerUpdate::FinalInput(variable, input))
}

/// Consumes `AB CD SUM SCALE`, and the words `bias`, `ab_dot`, `cd_dot` and `mux` that follow.
fn parse_outputs(
    words: &mut WordCursor<'_>,
    channels: CombinerChannels,
) -> Result<CombinerOutputs, LineError> {
    let mut registers = [None; 3];
    for register in &mut registers {
        *register = words.parse_with("discard or a register that is written", |word| {
            if word == "discard" {
                return Some(None);
            }
            let mut all = CombinerRegister::ALL.iter().copied();
            let found = all.find(|it| it.word() == word && it.is_writable());
            found.map(Some)
        })?;
    }
    let mut outputs = CombinerOutputs {
        registers,
        scale: parse_named(words, "a scale", OutputScale::ALL, OutputScale::word)?,
        has_bias: words.take_if("bias").is_some(),
        dot_products: [false; 2],
        selects: false,
    };
    outputs.dot_products = ["ab_dot", "cd_dot"].map(|word| words.take_if(word).is_some());
    outputs.selects = words.take_if("mux").is_some();
    let [ab, cd, sum] = registers;
    let is_same = |one: Option<_>, other| one.is_some() && one == other;
    let has_dot_products = outputs.dot_products != [false; 2];
    if is_same(ab, cd) || is_same(ab, sum) || is_same(cd, sum) {
        Err(words.error_at_last("the registers of outputs must differ"))
    } else if has_dot_products && channels == CombinerChannels::Alpha {
        Err(words.error_at_last("alpha has no dot products"))
    } else if outputs.has_bias && matches!(outputs.scale, OutputScale::Half | OutputScale::Four) {
        Err(words.error_at_last("only the scales one and two have a bias"))
    } else {
        Ok(outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    fn update(line: &str) -> Result<CombinerUpdate, String> {
        let script = Script::parse(format!("[test]\n{line}\n").as_bytes());
        let script = script.map_err(|errors| errors[0].message.clone())?;
        let Command::GlState(StateUpdate::Combiner(update)) = script.steps[0].command else {
            panic!("{line}");
        };
        Ok(update)
    }

    #[test]
    fn numbers_and_colors() {
        assert_eq!(update("combiner count 8"), Ok(CombinerUpdate::Count(8)));
        assert_eq!(
            update("combiner color_sum_clamp off"),
            Ok(CombinerUpdate::ColorSumClamp(Switch::Off))
        );
        let color = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(
            update("combiner constant1 1 2 3 4"),
            Ok(CombinerUpdate::Constant(1, color))
        );
        assert_eq!(
            update("combiner 7 constant1 1 2 3 4"),
            Ok(CombinerUpdate::Constant(17, color))
        );
    }

    #[test]
    fn inputs_and_outputs() {
        let input = |register, mapping, usage| CombinerInput {
            register,
            mapping,
            usage,
        };
        assert_eq!(
            update("combiner 3 alpha d texture7 half_bias_negate blue"),
            Ok(CombinerUpdate::Input(
                3,
                CombinerChannels::Alpha,
                3,
                input(
                    CombinerRegister::Texture7,
                    InputMapping::HalfBiasNegate,
                    ComponentUsage::Blue
                )
            ))
        );
        assert_eq!(
            update("combiner final g fog unsigned_invert alpha"),
            Ok(CombinerUpdate::FinalInput(
                6,
                input(
                    CombinerRegister::Fog,
                    InputMapping::UnsignedInvert,
                    ComponentUsage::Alpha
                )
            ))
        );
        assert_eq!(
            update("combiner 0 rgb output spare0 discard texture1 two bias cd_dot mux"),
            Ok(CombinerUpdate::Output(
                0,
                CombinerChannels::Rgb,
                CombinerOutputs {
                    registers: [
                        Some(CombinerRegister::Spare0),
                        None,
                        Some(CombinerRegister::Texture1)
                    ],
                    scale: OutputScale::Two,
                    has_bias: true,
                    dot_products: [false, true],
                    selects: true,
                }
            ))
        );
    }

    #[test]
    fn invalid_updates() {
        for (line, message) in [
            ("count 9", "`9` is not a number from 1 to 8"),
            ("count 0", "`0` is not a number from 1 to 8"),
            (
                "8 rgb a zero signed_negate rgb",
                "`8` is not count, color_sum_clamp, constant0, constant1, final or a stage from 0 to 7",
            ),
            (
                "0 rgb a zero signed_negate blue",
                "general combiners have no such input",
            ),
            (
                "0 alpha a zero signed_negate rgb",
                "general combiners have no such input",
            ),
            (
                "0 rgb a fog signed_negate alpha",
                "general combiners have no such input",
            ),
            (
                "0 rgb a e_times_f signed_negate rgb",
                "general combiners have no such input",
            ),
            (
                "0 rgb e zero signed_negate rgb",
                "`e` is not a, b, c, d or output",
            ),
        ] {
            assert_eq!(
                update(&format!("combiner {line}")),
                Err(message.to_owned()),
                "{line}"
            );
        }
    }

    #[test]
    fn invalid_outputs_and_inputs_of_the_final_combiner() {
        for (line, message) in [
            (
                "0 rgb output fog discard discard one",
                "`fog` is not discard or a register that is written",
            ),
            (
                "0 rgb output spare0 spare0 discard one",
                "the registers of outputs must differ",
            ),
            (
                "0 alpha output spare0 discard discard one ab_dot",
                "alpha has no dot products",
            ),
            (
                "0 rgb output spare0 discard discard half bias",
                "only the scales one and two have a bias",
            ),
            (
                "final a spare0_plus_secondary unsigned_identity rgb",
                "the final combiner has no such input",
            ),
            (
                "final e e_times_f unsigned_identity rgb",
                "the final combiner has no such input",
            ),
            (
                "final g spare0 unsigned_identity rgb",
                "the final combiner has no such input",
            ),
            (
                "final b spare0 signed_identity rgb",
                "the final combiner has no such input",
            ),
        ] {
            assert_eq!(
                update(&format!("combiner {line}")),
                Err(message.to_owned()),
                "{line}"
            );
        }
    }
}
