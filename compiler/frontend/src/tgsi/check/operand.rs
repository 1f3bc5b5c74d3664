//! Rules about operands and resources.

use super::{Parsed, Reported, TgsiChecker};
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::tgsi::files::Access;
use crate::tgsi::inst::Inst;
use crate::tgsi::opcodes::Lookup;
use crate::tgsi::operand::Register;
use crate::tgsi::targets::{Reference, Target};
use glasm_ir::TexTarget;

impl TgsiChecker<'_> {
    /// Returns the number of a register whose file is not dynamically indexed.
    pub(in crate::tgsi) fn known_number(
        &mut self,
        register: &Register,
        count: usize,
    ) -> Parsed<usize> {
        match register.number.known() {
            Some(number) if (number as usize) < count => Ok(number as usize),
            Some(_) => Err(self.report_no_register(register)),
            None => {
                let file = register.file.word();
                let message = format!("registers of `{file}` have no run-time index");
                Err(self.error(Code::IndexVariable, register.span, message))
            }
        }
    }

    /// Reports that no program can have a register.
    #[cold]
    pub(in crate::tgsi) fn report_no_register(&mut self, register: &Register) -> Reported {
        let text = self.text_of(register.span);
        let message = format!("there is no `{text}`");
        self.error(Code::IndexOutOfBounds, register.span, message)
    }

    /// Reports a register of vertices whose vertex is left out, or is not one of the first
    /// `vertices`.
    pub(in crate::tgsi) fn check_vertex(
        &mut self,
        register: &Register,
        vertices: u32,
    ) -> Parsed<()> {
        let Some(vertex) = register.outer else {
            let text = self.text_of(register.span);
            let message = format!(
                "`{text}` belongs to vertices: its vertex stands in a first pair of brackets"
            );
            return Err(self.error(Code::VertexMissing, register.span, message));
        };
        match vertex.known() {
            // Only a constant can be wrong here.
            Some(number) if number < 0 || number as u32 >= vertices => {
                let message = format!("the vertices are numbered from 0 to {}", vertices - 1);
                Err(self.error(Code::VertexNumber, register.span, message))
            }
            Some(_) | None => Ok(()),
        }
    }

    #[cold]
    pub(in crate::tgsi) fn report_read_only_register(&mut self, register: &Register) -> Reported {
        let file = register.file.word();
        let message = match register.file.access() {
            Access::Read => format!("registers of `{file}` are read only"),
            Access::Resource | Access::Write => format!("registers of `{file}` take no results"),
        };
        self.error(Code::WriteReadOnly, register.span, message)
    }

    #[cold]
    pub(in crate::tgsi) fn report_read_only_image(&mut self, register: &Register) -> Reported {
        let text = self.text_of(register.span);
        let message = format!("`{text}` is declared without `WR`: it is read only");
        self.error(Code::ImageAccess, register.span, message)
    }

    #[cold]
    pub(in crate::tgsi) fn read_only(&mut self, register: &Register) -> Reported {
        let text = self.text_of(register.span);
        let message = format!("`{text}` is read only");
        self.error(Code::WriteReadOnly, register.span, message)
    }

    #[cold]
    pub(in crate::tgsi) fn report_mixed_lookups(&mut self, inst: &Inst) {
        let message = "opcodes with samplers and opcodes with views stand in one program";
        self.lenient(Rule::MixedLookups, inst.span, message);
    }

    /// Reports a target that an opcode does not take.
    pub(in crate::tgsi) fn check_target(
        &mut self,
        inst: &Inst,
        lookup: Lookup,
        target: &Target,
    ) -> Parsed<()> {
        use TexTarget::{Buffer, D1, D2, D3, Rect};
        let kind = target.target;
        let is_texels = !matches!(kind, Buffer) && !kind.is_multisample();
        let second = inst.count == 3;
        // Opcodes with a 2 in their names are for targets whose coordinate leaves no lane for the
        // additional value.
        let allowed = match lookup {
            Lookup::Sample => is_texels && second == (target.reference == Reference::Operand),
            Lookup::SampleBase => is_texels && target.reference != Reference::Operand,
            // Layers and faces cannot be divided.
            Lookup::Project => matches!(kind, D1 | D2 | D3 | Rect),
            Lookup::Bias | Lookup::Level => is_texels && second == target.is_full(),
            Lookup::Gradient => is_texels && target.reference != Reference::Operand,
            Lookup::Fetch | Lookup::FetchBase => !target.is_shadow(),
            Lookup::Gather => is_texels && !matches!(kind, D1 | D3 | TexTarget::D1Array),
            Lookup::QueryLevel => is_texels,
            Lookup::QuerySize | Lookup::QuerySamples => true,
        };
        if allowed {
            Ok(())
        } else {
            Err(self.report_refused_target(inst, target))
        }
    }

    /// Returns the target of layers for texels of the faces of a cube, or of an array of cubes; an
    /// error for strict callers.
    #[cold]
    pub(in crate::tgsi) fn faces(&mut self, inst: &Inst) -> Parsed<&'static Target> {
        let message = "texels of cubes have no addresses: these are read from layers";
        if self.lenient(Rule::FetchOfFace, inst.target_span, message) {
            Ok(Target::layers())
        } else {
            Err(Reported)
        }
    }

    #[cold]
    fn report_refused_target(&mut self, inst: &Inst, target: &Target) -> Reported {
        let name = inst.row.name;
        let message = format!("`{name}` does not take the target `{}`", target.word);
        self.error(Code::TargetNotAllowed, inst.target_span, message)
    }
}
