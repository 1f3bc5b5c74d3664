//! Limits that a caller advertises, below those of the translation.

use crate::program::Program;
use glasm_frontend::{Code, Counts, Diagnostic, Diagnostics};
use glasm_ir::ParamSource;

/// What programs may use in a GL that a caller makes: what it answers to queries of `MAX_PROGRAM_INSTRUCTIONS_ARB` and the like. Without limits
/// of its own only those of the translation hold, [`limits`](crate::frontend::lang::limits).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most of each count.
    pub counts: Counts,
    /// Parameters of the environment (`MAX_PROGRAM_ENV_PARAMETERS_ARB`).
    pub env_parameters: u32,
    /// Local parameters (`MAX_PROGRAM_LOCAL_PARAMETERS_ARB`).
    pub local_parameters: u32,
}

impl Default for Limits {
    /// No limits.
    fn default() -> Self {
        let all = u32::MAX;
        Self {
            counts: Counts {
                instructions: all,
                alu_instructions: all,
                texture_instructions: all,
                texture_indirections: all,
                temporaries: all,
                parameters: all,
                attribs: all,
                address_registers: all,
                attrib_components: all,
                result_components: all,
            },
            env_parameters: all,
            local_parameters: all,
        }
    }
}

/// What is limited, by name, with the error that more of it is.
type Row = (fn(&Counts) -> u32, &'static str, Code);

static ROWS: &[Row] = &[
    (
        |it| it.instructions,
        "instructions",
        Code::TooManyInstructions,
    ),
    (
        |it| it.alu_instructions,
        "ALU instructions",
        Code::TooManyInstructions,
    ),
    (
        |it| it.texture_instructions,
        "texture instructions",
        Code::TooManyInstructions,
    ),
    (
        |it| it.texture_indirections,
        "texture indirections",
        Code::TooManyInstructions,
    ),
    (|it| it.temporaries, "temporaries", Code::TooManyTemporaries),
    (|it| it.parameters, "parameters", Code::TooManyParameters),
    (|it| it.attribs, "attributes", Code::TooManyAttribs),
    (
        |it| it.address_registers,
        "address registers",
        Code::TooManyTemporaries,
    ),
    (
        |it| it.attrib_components,
        "components of attributes",
        Code::TooManyAttribComponents,
    ),
    (
        |it| it.result_components,
        "components of results",
        Code::TooManyResultComponents,
    ),
];

impl Program {
    /// Checks the program against limits of the caller. `glProgramStringARB` fails for what exceeds them, at the end of the text.
    ///
    /// # Errors
    /// An error for each limit that the program exceeds.
    pub fn check_limits(&self, limits: &Limits) -> Result<(), Diagnostics> {
        let counts = self.counts();
        let exceeded = ROWS.iter().filter_map(|&(count, what, code)| {
            let (count, limit) = (count(counts), count(&limits.counts));
            (count > limit).then(|| {
                Diagnostic::whole_program(code, format!("{count} {what}; the limit is {limit}"))
            })
        });
        let mut list: Vec<Diagnostic> = exceeded.collect();
        let env = |source| {
            if let ParamSource::Env(number) = source {
                Some(number)
            } else {
                None
            }
        };
        let local = |source| {
            if let ParamSource::Local(number) = source {
                Some(number)
            } else {
                None
            }
        };
        list.extend(self.beyond("program.env", env, limits.env_parameters));
        list.extend(self.beyond("program.local", local, limits.local_parameters));
        match list.is_empty() {
            true => Ok(()),
            false => Err(Diagnostics { list }),
        }
    }

    /// The error that a parameter has a number beyond a limit.
    fn beyond(
        &self,
        name: &str,
        number: impl Fn(ParamSource) -> Option<u32>,
        limit: u32,
    ) -> Option<Diagnostic> {
        let params = self.ir().params.iter();
        let last = params.filter_map(|param| number(param.source)).max()?;
        (last >= limit).then(|| {
            let message = format!("`{name}[{last}]`: the limit is {limit} parameters");
            Diagnostic::whole_program(Code::IndexOutOfBounds, message)
        })
    }
}
