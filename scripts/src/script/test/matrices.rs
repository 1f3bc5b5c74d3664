//! Commands that set matrices: `matrix`, `ortho`, `frustum`.

use super::parser::TestParser;
use crate::script::command::{Command, MatrixTarget, MatrixUpdate};
use crate::script::words::{LineError, Words};
use glasm::state::matrix::{self, Matrix};

/// Matrices of a kind that GL state can have at most.
const MAX_MATRICES: u32 = 64;

/// Matrices that can be pushed on a stack at most.
const MAX_PUSHED: u32 = 32;

/// Parses `matrix TARGET OPERATION`.
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
    words.below("a matrix number", MAX_MATRICES)
}

/// Tracks the number of pushed matrices, so that each `pop` has one.
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

/// Parser of the operands of a matrix operation.
type ParseMatrix = fn(&mut Words<'_>) -> Result<MatrixUpdate, LineError>;

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

/// Parses 16 numbers in row-major order.
fn parse_rows(words: &mut Words<'_>) -> Result<Matrix, LineError> {
    let rows: [f32; 16] = words.floats("a matrix element")?;
    // Scripts specify rows as in mathematical notation; matrices of GL are stored by columns.
    Ok(std::array::from_fn(|column| {
        std::array::from_fn(|row| rows[4 * row + column])
    }))
}

/// Parses `ortho` (pixels), `ortho LEFT RIGHT BOTTOM TOP`: projection, with the modelview matrix
/// reset, as in piglit.
pub(super) fn parse_piglit_ortho(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let [left, right, bottom, top] = if words.is_empty() {
        [
            0.0,
            parser.framebuffer[0] as f32,
            0.0,
            parser.framebuffer[1] as f32,
        ]
    } else {
        words.floats("a number")?
    };
    load_projection(
        parser,
        words,
        matrix::ortho(left, right, bottom, top, -1.0, 1.0),
    )
}

/// Parses `frustum LEFT RIGHT BOTTOM TOP NEAR FAR`: projection, with the modelview matrix reset, as
/// in piglit.
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
