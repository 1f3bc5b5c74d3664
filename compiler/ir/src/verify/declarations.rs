//! Checks of the tables of a program.

use super::{Subject, Verifier};
use crate::arena::Id;
use crate::image::ImageTexels;
use crate::primitive::{InputPrimitive, MAX_PATCH_VERTICES};
use crate::program::{Register, Stage, Storage};
use crate::resource::UnitSet;
use crate::resource::{Buffer, BufferKind, ParamSource};
use crate::semantic::Output;
use crate::state::StateParam;
use crate::types::{Type, Width};
use std::collections::HashSet;

/// Maximum number of elements of all register arrays together.
const MAX_REGISTER_ELEMENTS: u64 = 1 << 18;

/// Maximum size of the private memory of a program in bytes.
const MAX_PRIVATE_BYTES: u32 = 1 << 20;

impl Verifier<'_> {
    /// Checks the declarations of the program and reports violations: registers, outputs, modes of
    /// primitives, and resources.
    pub(super) fn verify_tables(&mut self) {
        self.verify_registers();
        self.verify_output_registers();
        self.verify_primitives();
        self.verify_resources();
    }

    /// Checks the modes of primitives and the passthrough lanes of outputs.
    fn verify_primitives(&mut self) {
        self.subject = Subject::Program;
        let (stage, modes) = (self.program.stage, self.program.modes);
        let counts_vertices = matches!(stage, Stage::TessControl | Stage::Geometry);
        if counts_vertices != (modes.vertices_out > 0) {
            self.report_error("vertices_out is required in tessellation control and geometry programs, and allowed only there");
        }
        if stage == Stage::TessControl && modes.vertices_out > MAX_PATCH_VERTICES {
            self.report_error("the patch has too many vertices");
        }
        if modes.invocations > 0 && stage != Stage::Geometry {
            self.report_error("only geometry programs run several times for a primitive");
        }
        if modes.lockstep && stage != Stage::TessControl {
            self.report_error("only invocations of tessellation control programs run in lock step");
        }
        self.verify_passthrough();
    }

    /// Checks that passthrough programs are geometry programs on points, lines or triangles, and
    /// that no other program has passthrough outputs.
    fn verify_passthrough(&mut self) {
        let modes = self.program.modes;
        let has_passthrough = |output: &Output| !output.passthrough.is_empty();
        if !modes.passthrough {
            if self.program.outputs.iter().any(has_passthrough) {
                self.report_error("passthrough outputs require a passthrough program");
            }
        } else if self.program.stage != Stage::Geometry
            || !matches!(
                modes.primitive_in,
                InputPrimitive::Points | InputPrimitive::Lines | InputPrimitive::Triangles
            )
        {
            self.report_error(
                "passthrough requires a geometry program whose input is points, lines or triangles",
            );
        }
    }

    /// Checks all registers, and that they do not have too many elements together.
    fn verify_registers(&mut self) {
        let mut elements = 0;
        for (id, register) in self.program.registers.iter_enumerated() {
            self.subject = Subject::Register(id);
            elements += u64::from(register.array_len.unwrap_or(1));
            self.verify_register(register);
        }
        self.subject = Subject::Program;
        if elements > MAX_REGISTER_ELEMENTS {
            self.report_error(format!(
                "the registers have more than {MAX_REGISTER_ELEMENTS} elements"
            ));
        }
    }

    /// Checks width, array length, storage and name of a register.
    fn verify_register(&mut self, register: &Register) {
        if register.width == Width::W8 {
            self.report_error("registers are not 8 bits wide");
        }
        if register.array_len == Some(0) {
            self.report_error("an array has at least one element");
        }
        if register.storage == Storage::Cond
            && (register.width != Width::W32 || register.array_len.is_some())
        {
            self.report_error("condition codes are 32 bits wide and no array");
        }
        if register
            .name
            .is_some_and(|name| !self.program.names.contains(name))
        {
            self.report_error("the name is not in the table");
        }
    }

    /// Checks that every output register names outputs that exist, and no output belongs to two
    /// registers.
    fn verify_output_registers(&mut self) {
        let mut used = vec![false; self.program.outputs.len()];
        for (id, register) in self.program.registers.iter_enumerated() {
            let Storage::Output(first) = register.storage else {
                continue;
            };
            self.subject = Subject::Register(id);
            let end = first
                .index()
                .saturating_add(register.array_len.unwrap_or(1) as usize);
            match used.get_mut(first.index()..end) {
                None => self.report_error("the output is not in the table"),
                Some(outputs) if outputs.contains(&true) => {
                    self.report_error("the output belongs to another register")
                }
                Some(outputs) => outputs.fill(true),
            }
        }
    }

    /// Checks the tables of parameters, textures, images and buffers.
    fn verify_resources(&mut self) {
        for (id, param) in self.program.params.iter_enumerated() {
            self.subject = Subject::Param(id);
            if matches!(
                param.source,
                ParamSource::State(StateParam::MatrixRow { row: 4.., .. })
            ) {
                self.report_error("a matrix has the rows 0 to 3");
            }
            let named = self.program.named_params.len();
            if matches!(param.source, ParamSource::Named(number) if number as usize >= named) {
                self.report_error("the named parameter is not in the table");
            }
            if param.source == ParamSource::Argument && self.program.stage != Stage::Compute {
                self.report_error("only compute programs have an argument");
            }
        }
        self.verify_named_params();
        for (id, texture) in self.program.textures.iter_enumerated() {
            self.subject = Subject::Texture(id);
            if !matches!(texture.texel_type, Type::F32 | Type::S32 | Type::U32) {
                self.report_error("texels are f32, s32 or u32");
            }
            if texture.shadow && texture.texel_type != Type::F32 {
                self.report_error("texels of shadow textures are f32");
            }
            self.verify_units(texture.units);
            if texture.sampler.is_some() && !matches!(texture.units, UnitSet::Single(_)) {
                self.report_error("only a texture of one unit has a sampler of another");
            }
        }
        self.subject = Subject::Program;
        for image in self.program.images.iter() {
            self.verify_units(image.units);
            if let ImageTexels::Formatted(ty) = image.texels
                && !matches!(ty, Type::F32 | Type::S32 | Type::U32)
            {
                self.report_error("texels are f32, s32 or u32");
            }
        }
        let mut buffers = self.program.buffers.iter();
        if buffers.any(|buffer| buffer.array_len == Some(0)) {
            self.report_error("an array has at least one element");
        }
        self.verify_private_buffers();
        self.verify_state_buffers();
    }

    /// Checks that private memory has a declared size up to a limit and is not an array, so that
    /// each invocation can allocate it.
    fn verify_private_buffers(&mut self) {
        let mut buffers = self.program.buffers.iter();
        let is_wrong = |buffer: &Buffer| {
            let sized = buffer.size.is_some_and(|size| size <= MAX_PRIVATE_BYTES);
            buffer.kind == BufferKind::Private && (!sized || buffer.array_len.is_some())
        };
        if buffers.any(is_wrong) {
            self.report_error(format!(
                "private memory is no array and has a size of at most {MAX_PRIVATE_BYTES} bytes"
            ));
        }
    }

    /// Checks that the name of every named parameter is in the table and unique.
    fn verify_named_params(&mut self) {
        self.subject = Subject::Program;
        let program = self.program;
        let mut names = HashSet::new();
        for named in &program.named_params {
            if !program.names.contains(named.name) {
                self.report_error("the name is not in the table");
            } else if !names.insert(program.names.get(named.name)) {
                self.report_error("two parameters have the same name");
            }
        }
    }

    /// Checks that programs with the parameters of state programs are compute programs with one set
    /// of them.
    fn verify_state_buffers(&mut self) {
        let program = self.program;
        let is_state = |buffer: &&Buffer| buffer.kind == BufferKind::VertexStateParameters;
        let mut found = program.buffers.iter().filter(is_state);
        let Some(first) = found.next() else { return };
        if program.stage != Stage::Compute {
            self.report_error("only compute programs have the parameters of state programs");
        }
        if found.next().is_some() || first.binding != 0 || first.array_len.is_some() {
            self.report_error("the parameters of state programs are one buffer, number 0");
        }
    }

    /// Reports an array of units without elements.
    fn verify_units(&mut self, units: UnitSet) {
        if matches!(units, UnitSet::Array { count: 0, .. }) {
            self.report_error("an array has at least one element");
        }
    }
}
