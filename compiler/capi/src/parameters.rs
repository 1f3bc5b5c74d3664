//! Parameters: where the values of the parameter block come from.

use crate::enums::read_number;
use crate::ffi_guard::Failure;
use crate::state_parameter::{convert_state_parameter, glasm_state_parameter, read_parameter};
use glasm::ir::ParamSource;
use glasm_capi_macros::c_enum;

/// Source of the value of a parameter.
#[c_enum]
#[repr(u32)]
pub enum glasm_parameter_source {
    /// program.env: `index`.
    Env = 0,
    /// program.local: `index`.
    Local = 1,
    /// program.subroutine: `index`. The first component is the number of a subroutine, an integer.
    Subroutine = 2,
    /// state.*: `state`.
    GlState = 3,
    /// A constant: `literal`.
    Literal = 4,
    /// A parameter with a name: `index` among the named parameters of the reflection.
    Named = 5,
    /// Argument with which a vertex state program is executed, its `v[0]`.
    StateProgramArgument = 6,
}

/// A vector of the parameter block. Members that the source does not name are 0.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct glasm_block_parameter {
    /// Source of its value: a glasm_parameter_source.
    pub source: u32,
    /// Its number.
    pub index: u32,
    /// Parameter of GL's state that it reads.
    pub state: glasm_state_parameter,
    /// Bits of its value.
    pub literal_bits: [u32; 4],
}

/// Converts the source of a parameter slot; the members that its kind does not use are 0.
pub(crate) fn convert_parameter(source: ParamSource) -> glasm_block_parameter {
    use glasm_parameter_source as Source;
    let of = |source: Source, index| glasm_block_parameter {
        source: source as u32,
        index,
        state: glasm_state_parameter::default(),
        literal_bits: [0; 4],
    };
    match source {
        ParamSource::Env(index) => of(Source::Env, index),
        ParamSource::Local(index) => of(Source::Local, index),
        ParamSource::Subroutine(index) => of(Source::Subroutine, index),
        ParamSource::State(param) => glasm_block_parameter {
            state: convert_state_parameter(param),
            ..of(Source::GlState, 0)
        },
        ParamSource::Literal(literal) => glasm_block_parameter {
            literal_bits: literal,
            ..of(Source::Literal, 0)
        },
        ParamSource::Named(index) => of(Source::Named, index),
        ParamSource::Argument => of(Source::StateProgramArgument, 0),
    }
}

/// Reads the source of a parameter; fails for an unknown source or state.
pub(crate) fn read_parameter_source(
    parameter: &glasm_block_parameter,
) -> Result<ParamSource, Failure> {
    use glasm_parameter_source as Source;
    let index = parameter.index;
    Ok(match read_number(parameter.source, "source")? {
        Source::Env => ParamSource::Env(index),
        Source::Local => ParamSource::Local(index),
        Source::Subroutine => ParamSource::Subroutine(index),
        Source::GlState => ParamSource::State(read_parameter(&parameter.state)?),
        Source::Literal => ParamSource::Literal(parameter.literal_bits),
        Source::Named => ParamSource::Named(index),
        Source::StateProgramArgument => ParamSource::Argument,
    })
}
