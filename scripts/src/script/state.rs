//! Commands that set what programs read: `parameter`, `matrix`, `ortho`, `frustum`, `color`, `texcoord`, `vertex attrib`.

use super::bindings::parse_addresses;
use super::command::{Command, MatrixTarget, MatrixUpdate, ParamBank, ParamType, ParamValue};
use super::draws;
use super::handles::parse_handles;
use super::names::{ATTRIBUTES, attribute_location, is_identifier};
use super::stages;
use super::test::TestParser;
use super::words::{LineError, Words};
use crate::data::{DataType, Scalar};
use glasm::ir::Stage;
use glasm::state::matrix::{self, Matrix};

const STAGE_SUFFIXES: &[(&str, Stage)] = &[
    ("vp", Stage::Vertex),
    ("tcp", Stage::TessControl),
    ("tep", Stage::TessEval),
    ("gp", Stage::Geometry),
    ("fp", Stage::Fragment),
    ("cp", Stage::Compute),
];

/// Parameters that a program can have at most.
const MAX_PARAMS: u32 = 16384;
/// Matrices of a kind that GL state can have at most.
const MAX_MATRICES: u32 = 64;
/// Matrices that can be pushed on a stack at most.
const MAX_PUSHED: u32 = 32;

fn parse_bank(word: &str) -> Option<(ParamBank, Stage)> {
    let (bank, suffix) = word.split_once('_')?;
    let bank = match bank {
        "env" => ParamBank::Env,
        "local" => ParamBank::Local,
        "subroutine" => ParamBank::Subroutine,
        "named" => ParamBank::Named,
        _ => return None,
    };
    Some((bank, parse_stage_suffix(suffix)?))
}

/// The stage of `vp`, `tcp`, `tep`, `gp`, `fp` or `cp`.
pub(super) fn parse_stage_suffix(suffix: &str) -> Option<Stage> {
    let found = STAGE_SUFFIXES.iter().find(|(text, _)| *text == suffix);
    found.map(|(_, stage)| *stage)
}

/// `parameter BANK N [TYPE] (X, Y, Z, W)`, `parameter BANK N address BUFFER [+OFFSET] [BUFFER [+OFFSET]]`,
/// `parameter BANK N handle texture|image UNIT [texture|image UNIT]`,
/// `parameter subroutine_STAGE N NUMBER`; `named_STAGE NAME` is a bank with its number, too
pub(super) fn parse_parameter(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let (bank, stage, index) = parse_param_place(parser, words)?;
    let value = match words.take("address") {
        _ if bank == ParamBank::Subroutine => {
            let number = words.unsigned32("a subroutine number")?;
            ParamValue::Words(Some(ParamType::Uint), [number, 0, 0, 0])
        }
        Some(()) => ParamValue::Addresses(parse_addresses(parser, words, 2)?),
        None if words.take("handle").is_some() => ParamValue::Handles(parse_handles(words)?),
        None => {
            let (ty, value) = parse_param_words(words)?;
            ParamValue::Words(ty, value)
        }
    };
    parser.push(
        words,
        Command::Parameter {
            bank,
            stage,
            index,
            value,
        },
    )
}

/// Takes the bank, program and number of a parameter, or its name.
pub(super) fn parse_param_place(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(ParamBank, Stage, u32), LineError> {
    let (bank, stage) = words.parse_with(
        "env_, local_, named_ or subroutine_ with vp, tcp, tep, gp, fp or cp",
        parse_bank,
    )?;
    let index = match bank {
        ParamBank::Named => parse_param_name(parser, words)?,
        ParamBank::Env | ParamBank::Local | ParamBank::Subroutine => {
            parse_below(words, "a parameter number", MAX_PARAMS)?
        }
    };
    Ok((bank, stage, index))
}

/// Takes the name of a parameter and gives its number among those of the script.
fn parse_param_name(parser: &mut TestParser, words: &mut Words<'_>) -> Result<u32, LineError> {
    let name = words.word("the name of a parameter")?;
    let known = parser.param_names.iter().position(|known| known == name);
    let number = known.unwrap_or(parser.param_names.len());
    if known.is_none() {
        parser.param_names.push(name.to_owned());
    }
    match u32::try_from(number)
        .ok()
        .filter(|number| *number < MAX_PARAMS)
    {
        Some(number) => Ok(number),
        None => Err(words.error_at_last("too many names of parameters")),
    }
}

/// Takes a number below `limit`.
pub(super) fn parse_below(words: &mut Words<'_>, what: &str, limit: u32) -> Result<u32, LineError> {
    words.parse_with(what, |word| {
        word.parse().ok().filter(|number| *number < limit)
    })
}

/// Takes the name of a buffer.
pub(super) fn parse_buffer_name(words: &mut Words<'_>) -> Result<String, LineError> {
    words.parse_with("a buffer name", |word| {
        is_identifier(word).then(|| word.to_owned())
    })
}

/// Four components of 32 bits or two of 64, with their type; floats unless it comes first.
fn parse_param_words(words: &mut Words<'_>) -> Result<(Option<ParamType>, [u32; 4]), LineError> {
    let named = words
        .peek()
        .and_then(DataType::parse)
        .filter(|ty| ty.components() == 1);
    let scalar = match named {
        Some(ty) => {
            words.word("a type")?;
            ty.scalar
        }
        None => Scalar::F32,
    };
    let mut value = [0; 4];
    match scalar.size() {
        4 => {
            for word in &mut value {
                *word = words.parse_with("a component", |text| scalar.parse_bits(text))? as u32;
            }
        }
        8 => {
            for pair in value.chunks_exact_mut(2) {
                let bits = words.parse_with("a component", |text| scalar.parse_bits(text))?;
                (pair[0], pair[1]) = (bits as u32, (bits >> 32) as u32);
            }
        }
        _ => return Err(words.error_at_last("parameters have components of 32 or 64 bits")),
    }
    Ok((ParamType::of(scalar), value))
}

/// `matrix TARGET OPERATION`
pub(super) fn parse_matrix(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let target = match words.word("a matrix")? {
        "modelview" => {
            let is_number = words.peek().is_some_and(|word| word.parse::<u32>().is_ok());
            MatrixTarget::Modelview(if is_number {
                parse_matrix_number(words)?
            } else {
                0
            })
        }
        "projection" => MatrixTarget::Projection,
        "texture" => MatrixTarget::Texture(parse_matrix_number(words)?),
        "palette" => MatrixTarget::Palette(parse_matrix_number(words)?),
        "program" => MatrixTarget::Program(parse_matrix_number(words)?),
        "color" => MatrixTarget::Color,
        _ => {
            return Err(words.error_at_last(
                "expected modelview, projection, texture, palette, program or color",
            ));
        }
    };
    let update = parse_matrix_update(words)?;
    track_stack(parser, target, update).map_err(|message| words.error_at_last(message))?;
    parser.push(words, Command::Matrix { target, update })
}

pub(super) fn parse_matrix_number(words: &mut Words<'_>) -> Result<u32, LineError> {
    parse_below(words, "a matrix number", MAX_MATRICES)
}

/// Counts how many matrices are pushed, so that each `pop` finds one.
fn track_stack(
    parser: &mut TestParser,
    target: MatrixTarget,
    update: MatrixUpdate,
) -> Result<(), &'static str> {
    let pushed = parser.pushed_matrices.entry(target).or_default();
    match update {
        MatrixUpdate::Load(_) | MatrixUpdate::Multiply(_) => {}
        MatrixUpdate::Push if *pushed == MAX_PUSHED => {
            return Err("32 matrices are pushed already");
        }
        MatrixUpdate::Push => *pushed += 1,
        MatrixUpdate::Pop if *pushed == 0 => return Err("no matrix is pushed"),
        MatrixUpdate::Pop => *pushed -= 1,
    }
    Ok(())
}

/// What reads the values of a matrix operation.
type ParseMatrix = fn(&mut Words<'_>) -> Result<MatrixUpdate, LineError>;

/// Matrix operations. All but `identity`, `load`, `push` and `pop` multiply from the right.
pub(super) const MATRIX_OPERATIONS: &[(&str, ParseMatrix)] = &[
    ("identity", |_| Ok(MatrixUpdate::Load(matrix::IDENTITY))),
    ("load", |words| parse_rows(words).map(MatrixUpdate::Load)),
    ("push", |_| Ok(MatrixUpdate::Push)),
    ("pop", |_| Ok(MatrixUpdate::Pop)),
    ("multiply", |words| {
        parse_rows(words).map(MatrixUpdate::Multiply)
    }),
    ("translate", |words| {
        let offset = words.floats("a number")?;
        Ok(MatrixUpdate::Multiply(matrix::translation(offset)))
    }),
    ("scale", |words| {
        let factors = words.floats("a number")?;
        Ok(MatrixUpdate::Multiply(matrix::scaling(factors)))
    }),
    ("rotate", |words| {
        let angle = words.number("an angle in degrees")?;
        let rotation = matrix::rotation(angle, words.floats("an axis")?);
        Ok(MatrixUpdate::Multiply(rotation))
    }),
    ("ortho", |words| {
        let [left, right, bottom, top, near, far] = words.floats("a number")?;
        let projection = matrix::ortho(left, right, bottom, top, near, far);
        Ok(MatrixUpdate::Multiply(projection))
    }),
    ("frustum", |words| {
        let [left, right, bottom, top, near, far] = words.floats("a number")?;
        let projection = matrix::frustum(left, right, bottom, top, near, far);
        Ok(MatrixUpdate::Multiply(projection))
    }),
    ("perspective", |words| {
        let [fov_y, aspect, near, far] = words.floats("a number")?;
        let projection = matrix::perspective(fov_y, aspect, near, far);
        Ok(MatrixUpdate::Multiply(projection))
    }),
    ("lookat", |words| {
        let mut point = || words.floats("a number");
        let camera = matrix::look_at(point()?, point()?, point()?);
        Ok(MatrixUpdate::Multiply(camera))
    }),
];

fn parse_matrix_update(words: &mut Words<'_>) -> Result<MatrixUpdate, LineError> {
    let word = words.word("a matrix operation")?;
    match MATRIX_OPERATIONS.iter().find(|(name, _)| *name == word) {
        Some((_, parse)) => parse(words),
        None => Err(words.error_at_last(format!("unknown matrix operation `{word}`"))),
    }
}

/// 16 numbers, row by row.
fn parse_rows(words: &mut Words<'_>) -> Result<Matrix, LineError> {
    let rows: [f32; 16] = words.floats("a matrix element")?;
    Ok(std::array::from_fn(|column| {
        std::array::from_fn(|row| rows[4 * row + column])
    }))
}

/// `ortho` (pixels), `ortho LEFT RIGHT BOTTOM TOP`: projection, with the modelview matrix reset, as in piglit.
pub(super) fn parse_piglit_ortho(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let [left, right, bottom, top] = match words.is_empty() {
        true => [
            0.0,
            parser.framebuffer[0] as f32,
            0.0,
            parser.framebuffer[1] as f32,
        ],
        false => words.floats("a number")?,
    };
    load_projection(
        parser,
        words,
        matrix::ortho(left, right, bottom, top, -1.0, 1.0),
    )
}

/// `frustum LEFT RIGHT BOTTOM TOP NEAR FAR`: projection, with the modelview matrix reset, as in piglit.
pub(super) fn parse_piglit_frustum(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let [left, right, bottom, top, near, far] = words.floats("a number")?;
    load_projection(
        parser,
        words,
        matrix::frustum(left, right, bottom, top, near, far),
    )
}

fn load_projection(
    parser: &mut TestParser,
    words: &Words<'_>,
    projection: Matrix,
) -> Result<(), LineError> {
    let identity = MatrixUpdate::Load(matrix::IDENTITY);
    parser.push(
        words,
        Command::Matrix {
            target: MatrixTarget::Modelview(0),
            update: identity,
        },
    )?;
    let update = MatrixUpdate::Load(projection);
    parser.push(
        words,
        Command::Matrix {
            target: MatrixTarget::Projection,
            update,
        },
    )
}

/// `color R G B A` and everything else that sets the current value of the attribute at `location`.
pub(super) fn parse_current(
    parser: &mut TestParser,
    location: u32,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let value = words.floats("a component")?;
    parser.push(words, Command::Attribute { location, value })
}

/// `texcoord UNIT (S, T, R, Q)`
pub(super) fn parse_texcoord(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let unit = parse_below(words, "a texture coordinate set", 8)?;
    parse_current(parser, 8 + unit, words)
}

/// `vertex attrib NAME (X, Y, Z, W)`, `vertex divisor NAME N`, `vertex entrypoint NAME`
pub(super) fn parse_vertex_attrib(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    if words.peek() == Some("entrypoint") {
        return stages::parse_entry_point(parser, Stage::Vertex, words);
    }
    if words.take("divisor").is_some() {
        return draws::parse_divisor(parser, words);
    }
    if words.take("limit").is_some() {
        return draws::parse_vertex_limit(parser, words);
    }
    words.parse_with("`attrib`, `divisor`, `limit` or `entrypoint`", |word| {
        (word == "attrib").then_some(())
    })?;
    let what = format!("an attribute name or a number below {ATTRIBUTES}");
    let location = words.parse_with(&what, attribute_location)?;
    parse_current(parser, location, words)
}
