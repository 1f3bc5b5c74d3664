//! Commands that set parameters and matrices: `parameter`, `matrix`, `ortho`, `frustum`; and the
//! location of a parameter, which probes name, too.

use super::buffer_ranges::parse_addresses;
use super::draws::{parse_divisor, parse_vertex_limit};
use super::parser::{TEXTURE_IMAGE_UNITS, TestParser};
use super::stage_names::{parse_entry_point, parse_stage_suffix};
use crate::data::{DataType, Scalar};
use crate::script::command::{
    Command, HandleUnit, MatrixTarget, MatrixUpdate, ParamBank, ParamType, ParamValue,
};
use crate::script::tokenizer::{LineError, WordCursor};
use crate::script::vertex_data::{ATTRIBUTES, attribute_location};
use glasm::ir::Stage;
use glasm::state::matrix;
use glasm::state::matrix::Matrix;

/// Parameters that a program can have at most.
const MAX_PARAMS: u32 = 16384;

/// Parses a parameter bank with its program, such as `env_vp` or `local_fp`; `None` if either part
/// is unknown.
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

/// Parses the arguments of `parameter BANK N [TYPE] (X, Y, Z, W)`, `parameter BANK N address BUFFER
/// [+OFFSET] [BUFFER [+OFFSET]]`, `parameter BANK N handle texture|image UNIT [texture|image UNIT]`
/// or `parameter subroutine_STAGE N NUMBER`, and appends the command; `named_STAGE NAME` is a bank
/// with its number, too.
pub(super) fn parse_parameter(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let (bank, stage, index) = parse_param_location(parser, words)?;
    let value = match words.take_if("address") {
        _ if bank == ParamBank::Subroutine => {
            let number = words.parse_u32("a subroutine number")?;
            ParamValue::Words(Some(ParamType::Uint), [number, 0, 0, 0])
        }
        Some(()) => ParamValue::Addresses(parse_addresses(parser, words, 2)?),
        None if words.take_if("handle").is_some() => ParamValue::Handles(parse_handles(words)?),
        None => {
            let (ty, value) = parse_param_words(words)?;
            ParamValue::Words(ty, value)
        }
    };
    parser.push_command(
        words,
        Command::Parameter {
            bank,
            stage,
            index,
            value,
        },
    )
}

/// Consumes the bank with its program, and the number of a parameter or its name, and returns bank,
/// stage and index. Names are added to those of the script.
pub(super) fn parse_param_location(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(ParamBank, Stage, u32), LineError> {
    let (bank, stage) = words.parse_with(
        "env_, local_, named_ or subroutine_ with vp, tcp, tep, gp, fp or cp",
        parse_bank,
    )?;
    let index = match bank {
        ParamBank::Named => parse_param_name(parser, words)?,
        ParamBank::Env | ParamBank::Local | ParamBank::Subroutine => {
            words.parse_below("a parameter number", MAX_PARAMS)?
        }
    };
    Ok((bank, stage, index))
}

/// Consumes the name of a parameter and returns its index among those of the script, to which it is
/// added if it is new. Returns an error if there are too many.
fn parse_param_name(parser: &mut TestParser, words: &mut WordCursor<'_>) -> Result<u32, LineError> {
    let name = words.next_word("the name of a parameter")?;
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

/// Consumes four components of 32 bits or two of 64, preceded by their type unless they are floats.
/// Returns the type of GL's queries, `None` for 64 bits, and the bits, low words first.
fn parse_param_words(
    words: &mut WordCursor<'_>,
) -> Result<(Option<ParamType>, [u32; 4]), LineError> {
    let named = words
        .peek()
        .and_then(DataType::parse)
        .filter(|ty| ty.components() == 1);
    let scalar = match named {
        Some(ty) => {
            words.next_word("a type")?;
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
    Ok((ParamType::from_scalar(scalar), value))
}

/// Consumes `texture UNIT` or `image UNIT` once, or twice if words remain, and returns the units.
pub(super) fn parse_handles(words: &mut WordCursor<'_>) -> Result<Vec<HandleUnit>, LineError> {
    let mut handles = Vec::new();
    while handles.is_empty() || (handles.len() < 2 && !words.is_empty()) {
        let of_unit = words.parse_with("`texture` or `image`", |word| match word {
            "texture" => Some(HandleUnit::Texture as fn(u32) -> HandleUnit),
            "image" => Some(HandleUnit::Image as fn(u32) -> HandleUnit),
            _ => None,
        })?;
        let what = format!("a unit below {TEXTURE_IMAGE_UNITS}");
        let unit = |word: &str| word.parse().ok().filter(|unit| *unit < TEXTURE_IMAGE_UNITS);
        handles.push(of_unit(words.parse_with(&what, unit)?));
    }
    Ok(handles)
}

/// Parses the four components of commands such as `color R G B A`, and appends the command that
/// sets the current value of the attribute at `location`.
pub(super) fn parse_current_value(
    parser: &mut TestParser,
    location: u32,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let value = words.parse_floats("a component")?;
    parser.push_command(words, Command::Attribute { location, value })
}

/// Parses the arguments of `texcoord UNIT (S, T, R, Q)`, and appends the command that sets the
/// current value of attribute 8 + UNIT.
pub(super) fn parse_texcoord(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    // Conventional attributes alias generic ones: texture coordinate set n is attribute 8 + n.
    let unit = words.parse_below("a texture coordinate set", 8)?;
    parse_current_value(parser, 8 + unit, words)
}

/// Parses the arguments of `vertex attrib NAME (X, Y, Z, W)` or `vertex limit N [fails]`, and
/// appends the command; or of `vertex divisor NAME N` or `vertex entrypoint NAME`, which are stored
/// for later draws.
pub(super) fn parse_vertex_attrib(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    if words.peek() == Some("entrypoint") {
        return parse_entry_point(parser, Stage::Vertex, words);
    }
    if words.take_if("divisor").is_some() {
        return parse_divisor(parser, words);
    }
    if words.take_if("limit").is_some() {
        return parse_vertex_limit(parser, words);
    }
    words.parse_with("`attrib`, `divisor`, `limit` or `entrypoint`", |word| {
        (word == "attrib").then_some(())
    })?;
    let what = format!("an attribute name or a number below {ATTRIBUTES}");
    let location = words.parse_with(&what, attribute_location)?;
    parse_current_value(parser, location, words)
}

/// Matrices of a kind that GL state can have at most.
const MAX_MATRICES: u32 = 64;

/// Matrices that can be pushed on a stack at most.
const MAX_PUSHED: u32 = 32;

/// Parses the arguments of `matrix TARGET OPERATION`, and appends the command. Returns an error for
/// a `pop` without a `push`, and for more than [`MAX_PUSHED`] pushes.
pub(super) fn parse_matrix(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let target = match words.next_word("a matrix")? {
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
    update_stack_depth(parser, target, update).map_err(|message| words.error_at_last(message))?;
    parser.push_command(words, Command::Matrix { target, update })
}

/// Consumes the number of a matrix, less than [`MAX_MATRICES`].
pub(super) fn parse_matrix_number(words: &mut WordCursor<'_>) -> Result<u32, LineError> {
    words.parse_below("a matrix number", MAX_MATRICES)
}

/// Tracks the number of pushed matrices of a target. Returns an error for a `pop` without a `push`,
/// and for more than [`MAX_PUSHED`] pushes.
fn update_stack_depth(
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

/// Parser of the operands of a matrix operation.
type ParseMatrix = fn(&mut WordCursor<'_>) -> Result<MatrixUpdate, LineError>;

/// Matrix operations. All but `identity`, `load`, `push` and `pop` multiply from the right.
pub(crate) const MATRIX_OPERATIONS: &[(&str, ParseMatrix)] = &[
    ("identity", |_| Ok(MatrixUpdate::Load(matrix::IDENTITY))),
    ("load", |words| parse_rows(words).map(MatrixUpdate::Load)),
    ("push", |_| Ok(MatrixUpdate::Push)),
    ("pop", |_| Ok(MatrixUpdate::Pop)),
    ("multiply", |words| {
        parse_rows(words).map(MatrixUpdate::Multiply)
    }),
    ("translate", |words| {
        let offset = words.parse_floats("a number")?;
        Ok(MatrixUpdate::Multiply(matrix::translation(offset)))
    }),
    ("scale", |words| {
        let factors = words.parse_floats("a number")?;
        Ok(MatrixUpdate::Multiply(matrix::scaling(factors)))
    }),
    ("rotate", |words| {
        let angle = words.parse_number("an angle in degrees")?;
        let rotation = matrix::rotation(angle, words.parse_floats("an axis")?);
        Ok(MatrixUpdate::Multiply(rotation))
    }),
    ("ortho", |words| {
        let [left, right, bottom, top, near, far] = words.parse_floats("a number")?;
        let projection = matrix::ortho(left, right, bottom, top, near, far);
        Ok(MatrixUpdate::Multiply(projection))
    }),
    ("frustum", |words| {
        let [left, right, bottom, top, near, far] = words.parse_floats("a number")?;
        let projection = matrix::frustum(left, right, bottom, top, near, far);
        Ok(MatrixUpdate::Multiply(projection))
    }),
    ("perspective", |words| {
        let [fov_y, aspect, near, far] = words.parse_floats("a number")?;
        let projection = matrix::perspective(fov_y, aspect, near, far);
        Ok(MatrixUpdate::Multiply(projection))
    }),
    ("lookat", |words| {
        let mut point = || words.parse_floats("a number");
        let camera = matrix::look_at(point()?, point()?, point()?);
        Ok(MatrixUpdate::Multiply(camera))
    }),
];

/// Consumes a matrix operation, such as `load`, and its operands with the parser that
/// [`MATRIX_OPERATIONS`] has for it.
fn parse_matrix_update(words: &mut WordCursor<'_>) -> Result<MatrixUpdate, LineError> {
    let word = words.next_word("a matrix operation")?;
    match MATRIX_OPERATIONS.iter().find(|(name, _)| *name == word) {
        Some((_, parse)) => parse(words),
        None => Err(words.error_at_last(format!("unknown matrix operation `{word}`"))),
    }
}

/// Consumes 16 numbers in row-major order, and returns the matrix in GL's order, by columns.
fn parse_rows(words: &mut WordCursor<'_>) -> Result<Matrix, LineError> {
    let rows: [f32; 16] = words.parse_floats("a matrix element")?;
    // Scripts specify rows as in mathematical notation; matrices of GL are stored by columns.
    Ok(std::array::from_fn(|column| {
        std::array::from_fn(|row| rows[4 * row + column])
    }))
}

/// Parses the arguments of `ortho` (in pixels of the framebuffer) or `ortho LEFT RIGHT BOTTOM TOP`,
/// and appends the commands that load the projection and reset the modelview matrix, as in piglit.
pub(super) fn parse_piglit_ortho(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let [left, right, bottom, top] = if words.is_empty() {
        [
            0.0,
            parser.framebuffer[0] as f32,
            0.0,
            parser.framebuffer[1] as f32,
        ]
    } else {
        words.parse_floats("a number")?
    };
    load_projection(
        parser,
        words,
        matrix::ortho(left, right, bottom, top, -1.0, 1.0),
    )
}

/// Parses the arguments of `frustum LEFT RIGHT BOTTOM TOP NEAR FAR`, and appends the commands that
/// load the projection and reset the modelview matrix, as in piglit.
pub(super) fn parse_piglit_frustum(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let [left, right, bottom, top, near, far] = words.parse_floats("a number")?;
    load_projection(
        parser,
        words,
        matrix::frustum(left, right, bottom, top, near, far),
    )
}

/// Appends the commands that reset modelview matrix 0 to the identity and load the projection
/// matrix. Returns an error if words remain.
fn load_projection(
    parser: &mut TestParser,
    words: &WordCursor<'_>,
    projection: Matrix,
) -> Result<(), LineError> {
    let identity = MatrixUpdate::Load(matrix::IDENTITY);
    parser.push_command(
        words,
        Command::Matrix {
            target: MatrixTarget::Modelview(0),
            update: identity,
        },
    )?;
    let update = MatrixUpdate::Load(projection);
    parser.push_command(
        words,
        Command::Matrix {
            target: MatrixTarget::Projection,
            update,
        },
    )
}
