//! Declarations.

use std::fmt::{self, Write};

use super::Printer;
use crate::image::ImageTexels;
use crate::program::{Modes, NameId, Register, Stage, Storage};
use crate::resource::ParamSource;
use crate::resource::UnitSet;
use crate::semantic::{Input, Interpolation, Output, Sampling, Semantic};
use crate::text_keywords::Keyword;
use crate::types::{Type, Width};

impl Printer<'_, '_, '_> {
    /// Prints the stage and the modes that differ from the default, one line per mode.
    pub(super) fn print_header(&mut self) -> fmt::Result {
        let program = self.program;
        let mut modes = program.modes;
        writeln!(self.f, "program {}", program.stage.keyword())?;
        if modes.workgroup_size != [1; 3] {
            let [x, y, z] = modes.workgroup_size;
            writeln!(self.f, "workgroup_size {x} {y} {z}")?;
        }
        self.print_primitive_modes(modes)?;
        for (word, flag) in Modes::FLAGS {
            if *flag(&mut modes) {
                writeln!(self.f, "{word}")?;
            }
        }
        let offset = modes.secondary_view_layer_offset;
        if offset != 0 {
            writeln!(self.f, "secondary_view_layer_offset {offset}")?;
        }
        if let Some(interlock) = modes.interlock {
            writeln!(self.f, "{}", interlock.name())?;
        }
        Ok(())
    }

    /// Prints the modes of primitives that the stage has, and the numbers of vertices and
    /// invocations that are not 0.
    fn print_primitive_modes(&mut self, modes: Modes) -> fmt::Result {
        match self.program.stage {
            Stage::Geometry => {
                writeln!(self.f, "primitive_in {}", modes.primitive_in.keyword())?;
                writeln!(self.f, "primitive_out {}", modes.primitive_out.keyword())?;
            }
            Stage::TessEval => {
                writeln!(self.f, "tess_mode {}", modes.tess_mode.keyword())?;
                writeln!(self.f, "tess_spacing {}", modes.tess_spacing.keyword())?;
                writeln!(self.f, "tess_order {}", modes.tess_order.keyword())?;
            }
            Stage::Vertex | Stage::TessControl | Stage::Fragment | Stage::Compute => {}
        }
        for (word, number) in [
            ("vertices_out", modes.vertices_out),
            ("invocations", modes.invocations),
        ] {
            if number != 0 {
                writeln!(self.f, "{word} {number}")?;
            }
        }
        Ok(())
    }

    /// Prints the declarations of all registers, one per line.
    pub(super) fn print_registers(&mut self) -> fmt::Result {
        for (id, register) in self.program.registers.iter_enumerated() {
            self.print_register(id)?;
            self.print_register_declaration(register)?;
        }
        Ok(())
    }

    /// Prints storage, width, array length, output and name of a register after its id.
    pub(super) fn print_register_declaration(&mut self, register: &Register) -> fmt::Result {
        let word = match register.storage {
            Storage::Temp => "temp",
            Storage::Output(_) => "output",
            Storage::Cond => "cond",
        };
        write!(self.f, ": {word}{}", register.width.bits())?;
        self.print_array_len(register.array_len)?;
        if let Storage::Output(output) = register.storage {
            write!(self.f, " {output}")?;
        }
        self.print_name(register.name)?;
        self.f.write_char('\n')
    }

    /// Prints the length of an array in brackets; nothing for `None`.
    pub(super) fn print_array_len(&mut self, len: Option<u32>) -> fmt::Result {
        len.map_or(Ok(()), |len| write!(self.f, "[{len}]"))
    }

    /// Prints the units of a texture or image, such as `unit 3[2]` or `handle`.
    fn print_units(&mut self, units: UnitSet) -> fmt::Result {
        match units {
            UnitSet::Single(unit) => write!(self.f, "unit {unit}"),
            UnitSet::Array { first, count } => write!(self.f, "unit {first}[{count}]"),
            UnitSet::Handle => self.f.write_str("handle"),
            UnitSet::QueryHandle => self.f.write_str("query_handle"),
        }
    }

    /// Prints a name in quotes; quotes, backslashes and all characters except printable ASCII are
    /// escaped. Prints nothing for `None`, and only the id as a comment if the name is not in the
    /// table.
    pub(super) fn print_name(&mut self, name: Option<NameId>) -> fmt::Result {
        let Some(name) = name else { return Ok(()) };
        if !self.program.names.contains(name) {
            return write!(self.f, " ; {name}");
        }
        self.f.write_str(" \"")?;
        for c in self.program.names.get(name).chars() {
            match c {
                '"' | '\\' => write!(self.f, "\\{c}")?,
                ' '..='~' => self.f.write_char(c)?,
                _ => write!(self.f, "\\u{{{:x}}}", u32::from(c))?,
            }
        }
        self.f.write_char('"')
    }

    /// Prints the tables of parameters, inputs, outputs, textures, images and buffers, one line per
    /// entry.
    pub(super) fn print_resources(&mut self) -> fmt::Result {
        let program = self.program;
        for (number, named) in program.named_params.iter().enumerate() {
            write!(self.f, "np{number}:")?;
            self.print_name(Some(named.name))?;
            self.f.write_char(' ')?;
            self.print_literal_lanes(named.initial.map(u64::from), Type::F32)?;
            self.f.write_char('\n')?;
        }
        for (id, param) in program.params.iter_enumerated() {
            write!(self.f, "{id}: ")?;
            self.print_param_source(param.source)?;
            self.f.write_char('\n')?;
        }
        for (id, input) in program.inputs.iter_enumerated() {
            write!(self.f, "{id}: ")?;
            self.print_input(input)?;
        }
        for (id, output) in program.outputs.iter_enumerated() {
            write!(self.f, "{id}: ")?;
            self.print_output(output)?;
        }
        for (id, texture) in program.textures.iter_enumerated() {
            write!(self.f, "{id}: ")?;
            self.print_units(texture.units)?;
            let shadow = if texture.shadow { " shadow" } else { "" };
            let (target, texel) = (texture.target.keyword(), texture.texel_type.keyword());
            write!(self.f, " {target}{shadow} {texel}")?;
            texture
                .sampler
                .map_or(Ok(()), |unit| write!(self.f, " sampler {unit}"))?;
            self.f.write_char('\n')?;
        }
        for (id, buffer) in program.buffers.iter_enumerated() {
            write!(self.f, "{id}: {} {}", buffer.kind.keyword(), buffer.binding)?;
            self.print_array_len(buffer.array_len)?;
            buffer
                .size
                .map_or(Ok(()), |size| write!(self.f, " size {size}"))?;
            self.f.write_char('\n')?;
        }
        for (id, image) in program.images.iter_enumerated() {
            write!(self.f, "{id}: ")?;
            self.print_units(image.units)?;
            let texels = match image.texels {
                ImageTexels::Formatted(ty) => ty.keyword(),
                ImageTexels::Raw(bits) => ImageTexels::RAW
                    .iter()
                    .find(|(size, _)| *size == bits)
                    .map_or("?", |(_, word)| word),
                ImageTexels::Unused => "unused",
            };
            write!(self.f, " {} {texels}", image.target.keyword())?;
            let format = image.format;
            format.map_or(Ok(()), |format| write!(self.f, " format {format}"))?;
            self.f.write_char('\n')?;
        }
        Ok(())
    }

    /// Prints a semantic with its numbers in brackets.
    pub(super) fn print_semantic(&mut self, semantic: Semantic) -> fmt::Result {
        write!(self.f, "{semantic}")
    }

    /// Prints an input after its id, and the end of the line. Properties with default values are
    /// omitted.
    pub(super) fn print_input(&mut self, input: &Input) -> fmt::Result {
        self.print_semantic(input.semantic)?;
        write!(self.f, " {}", input.base.keyword())?;
        if input.interpolation != Interpolation::Smooth {
            write!(self.f, " {}", input.interpolation.keyword())?;
        }
        if input.sampling != Sampling::Center {
            write!(self.f, " {}", input.sampling.keyword())?;
        }
        if input.width == Width::W64 {
            self.f.write_str(" width64")?;
        }
        self.f.write_str(if input.per_vertex {
            " per_vertex\n"
        } else {
            "\n"
        })
    }

    /// Prints an output after its id: semantic, base type, flags and passthrough lanes, and the end
    /// of the line.
    pub(super) fn print_output(&mut self, output: &Output) -> fmt::Result {
        self.print_semantic(output.semantic)?;
        let invariant = if output.invariant { " invariant" } else { "" };
        write!(self.f, " {}{invariant}", output.base.keyword())?;
        if !output.passthrough.is_empty() {
            write!(self.f, " passthrough.{:?}", output.passthrough)?;
        }
        self.f.write_char('\n')
    }

    /// Prints the source of a parameter in the form that the parser reads.
    pub(super) fn print_param_source(&mut self, source: ParamSource) -> fmt::Result {
        match source {
            ParamSource::Env(n) => write!(self.f, "env[{n}]"),
            ParamSource::Local(n) => write!(self.f, "local[{n}]"),
            ParamSource::Subroutine(n) => write!(self.f, "subroutine[{n}]"),
            ParamSource::State(state) => write!(self.f, "{state}"),
            ParamSource::Named(n) => write!(self.f, "named[{n}]"),
            ParamSource::Argument => self.f.write_str("argument"),
            ParamSource::Literal(bits) => self.print_literal_lanes(bits.map(u64::from), Type::F32),
        }
    }
}
