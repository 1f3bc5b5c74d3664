//! The programs of a script as data.

use super::origin::Origin;
use super::section::ProgramForm;
use glasm::ProgramType;
use glasm::ir::Stage;

/// A program section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramSection {
    /// The type that the program must have.
    pub program_type: ProgramType,
    /// The stage that the program is for.
    pub stage: Stage,
    /// In what form the program is given.
    pub form: ProgramForm,
    /// The program's bytes; those of a SPIR-V module for [`ProgramForm::SpirvWords`].
    pub text: Vec<u8>,
    /// Line of the header.
    pub line: u32,
    /// Where its bytes stand in the script.
    pub origin: Origin,
}

/// A program string that may be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spare {
    /// By which `load` finds it; one name may stand for a program of each stage.
    pub name: String,
    /// The program.
    pub program: ProgramSection,
}
