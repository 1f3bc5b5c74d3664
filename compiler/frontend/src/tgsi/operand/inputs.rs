//! Inputs and system values, with the conversions from the form in which the device has them.

use super::{Number, Register};
use crate::codes::Code;
use crate::lang::limits;
use crate::lower::formula::Formulas;
use crate::tgsi::check::Parsed;
use crate::tgsi::files::File;
use crate::tgsi::lower::emitter::Kept;
use crate::tgsi::operand::TgsiResolver;
use crate::tgsi::semantics::{Content, Source};
use crate::tgsi::symbols::{InputArray, InputRow, row, slot, within};
use glasm_ir::semantic::Sampling;
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    Base, Id, Index, IndexTerm, Input, InputId, Interpolation, Op, RegisterId, Semantic, Src,
    Stage, TypeBase, WriteMask,
};

impl TgsiResolver<'_> {
    /// Returns an input.
    pub(in crate::tgsi) fn input(&mut self, register: &Register) -> Parsed<Src> {
        let vertex = register.outer.map(|outer| outer.term);
        let Some(number) = register.number.known() else {
            return self.resolve_indexed_input(register, vertex);
        };
        let known = row(&self.declared.inputs, number as usize);
        let row = match known {
            Some(row) => row,
            None => self.declare_missing_input(register, number)?,
        };
        if row.per_vertex {
            self.check
                .check_vertex(register, self.properties.vertices_in())?;
        }
        if let Content::Input(semantic, base) = row.content
            // The window position depends on properties, so it is computed into a register.
            && !(semantic == Semantic::Position && self.check.stage == Stage::Fragment)
        {
            let id = match row.input {
                Some(id) => id,
                None => self.new_input((semantic, base), row, File::In, number as usize),
            };
            return Ok(self
                .emit
                .of_vertex(Base::Input(id), vertex.filter(|_| row.per_vertex)));
        }
        if row.per_vertex
            && let Content::Lanes(lanes) = row.content
        {
            return Ok(self.emit.vertex_lanes(lanes, vertex));
        }
        // Values of the caller are the same for all vertices.
        Ok(self.content(Kept::Input(number as u32), &row))
    }

    /// Declares an attribute that no declaration has.
    #[cold]
    fn declare_missing_input(&mut self, register: &Register, number: i32) -> Parsed<InputRow> {
        if self.check.stage != Stage::Vertex || number < 0 {
            return Err(self.report_undeclared(register));
        }
        self.declare_leniently(register)?;
        let semantic = Semantic::Attrib(number.min(255) as u8);
        let row = InputRow {
            content: Content::Input(semantic, TypeBase::Float),
            interpolation: Interpolation::Smooth,
            sampling: Sampling::Center,
            per_vertex: false,
            input: None,
        };
        *slot(&mut self.declared.inputs, number as usize) = Some(row);
        Ok(row)
    }

    /// Creates the input of a declared register. Created on first use: inputs that no instruction
    /// reads are not part of the program.
    #[inline]
    fn new_input(
        &mut self,
        (semantic, base): (Semantic, TypeBase),
        row: InputRow,
        file: File,
        number: usize,
    ) -> InputId {
        // Vulkan requires Flat at every integer input of fragment shaders
        // (VUID-StandaloneSpirv-Flat-04744).
        let integer = base != TypeBase::Float && self.check.stage == Stage::Fragment;
        let interpolation = if integer {
            Interpolation::Flat
        } else {
            row.interpolation
        };
        let id = self.emit.builder.program.inputs.push(Input {
            base,
            interpolation,
            sampling: row.sampling,
            per_vertex: row.per_vertex,
            ..Input::new(semantic)
        });
        let input = Some(id);
        self.declared.input_rows(file)[number] = Some(InputRow { input, ..row });
        id
    }

    /// Resolves an input with a dynamic index.
    fn resolve_indexed_input(
        &mut self,
        register: &Register,
        vertex: Option<IndexTerm>,
    ) -> Parsed<Src> {
        let Number { term, array: id } = register.number;
        let mut known = self.declared.input_arrays.iter();
        let known =
            // Without an id, the number that the index is added to selects the array.
            known.find(|it| it.id == id && (id != 0 || within(term.offset, it.first, it.len)));
        let array = match known.copied() {
            Some(array) => array,
            None => {
                let Some((first, last)) = self.inputs_around(term.offset) else {
                    return Err(self.report_undeclared(register));
                };
                self.input_array(id, first, last)?
            }
        };
        let per_vertex = self.emit.builder.program.inputs[array.input].per_vertex;
        if per_vertex {
            self.check
                .check_vertex(register, self.properties.vertices_in())?;
        }
        let index = Index {
            element: register.number.from(array.first),
            len: array.len,
            vertex: vertex.filter(|_| per_vertex),
        };
        Ok(self.emit.indexed(Base::Input(array.input), index))
    }

    /// Returns the first and the last of the inputs that an index without the id of an array may
    /// select: the consecutive inputs around the register that it is added to which are per vertex,
    /// or per primitive, as that one is.
    fn inputs_around(&self, number: i32) -> Option<(u32, u32)> {
        let inputs = &self.declared.inputs;
        let start = usize::try_from(number).ok();
        let start = start.filter(|&it| row(inputs, it).is_some());
        // The number may be outside, as in `IN[ADDR[0].x-1]`.
        let start = start.or_else(|| inputs.iter().position(Option::is_some))?;
        let per_vertex = row(inputs, start)?.per_vertex;
        // Inputs of vertices are arrays in SPIR-V, those of the primitive are not, so that no index
        // spans both.
        let differs = |row: &Option<InputRow>| row.is_some_and(|it| it.per_vertex != per_vertex);
        let first = inputs[..start].iter().rposition(differs);
        let last = inputs[start..].iter().position(differs);
        let last = last.map_or(inputs.len(), |offset| start + offset) - 1;
        Some((first.map_or(0, |it| it + 1) as u32, last as u32))
    }

    /// Returns a system value.
    pub(in crate::tgsi) fn system_value(&mut self, register: &Register) -> Parsed<Src> {
        let number = self
            .check
            .known_number(register, limits::TGSI_REGISTERS as usize)?;
        let Some(row) = row(&self.declared.values, number) else {
            return Err(self.report_undeclared(register));
        };
        if let Content::Input(semantic, base) = row.content
            && semantic != Semantic::Position
        {
            let id = match row.input {
                Some(id) => id,
                None => self.new_input((semantic, base), row, File::Sv, number),
            };
            return Ok(Src::new(Base::Input(id)));
        }
        Ok(self.content(Kept::Value(number as u32), &row))
    }

    /// Computes the register contents from inputs, once in a block.
    fn content(&mut self, key: Kept, row: &InputRow) -> Src {
        match row.content {
            Content::Words(source) => return self.option_words(source),
            Content::Helper => return Src::register(self.emit.helper_register()),
            Content::Input(..) | Content::Lanes(_) | Content::FaceBits | Content::VertexNumber => {}
        }
        if let Some(kept) = self.emit.kept(key) {
            return kept;
        }
        let register = self.emit.register(Width::W32);
        match row.content {
            Content::Input(..) => self.window_position(register, row),
            Content::Lanes(lanes) => self.emit.put_lanes(register, lanes, |it, semantic| {
                let input = Input {
                    interpolation: row.interpolation,
                    sampling: row.sampling,
                    ..Input::new(semantic)
                };
                Src::new(Base::Input(it.builder.program.inputs.push(input)))
            }),
            Content::FaceBits => self.emit.face_bits(register),
            Content::VertexNumber => self.emit.vertex_number(register),
            Content::Words(_) | Content::Helper => {}
        }
        self.emit.keep(key, register);
        Src::register(register)
    }

    /// Computes the window position of a fragment, counted as the properties define. TGSI, section
    /// "Properties", `FS_COORD_ORIGIN`.
    fn window_position(&mut self, register: RegisterId, row: &InputRow) {
        let input = Input {
            sampling: row.sampling,
            ..Input::new(Semantic::Position)
        };
        let id = self.emit.builder.program.inputs.push(input);
        let position = Src::new(Base::Input(id));
        self.emit
            .put(register, WriteMask::XYZW, Op::Mov, Type::F32, &[position]);
        // If lines are counted in the opposite direction, y is the height less y.
        let [scale, offset] = self.emit.window_origin(self.properties.lower_left);
        let sources = [position, scale, offset];
        self.emit
            .put(register, WriteMask(0b0010), Op::Mad, Type::F32, &sources);
        // The device counts centers of pixels, which are halves.
        if self.properties.integer_center {
            let half = self.emit.float(-0.5);
            let sources = [Src::register(register), half];
            self.emit
                .put(register, WriteMask(0b0011), Op::Add, Type::F32, &sources);
        }
    }

    /// Assigns consecutive locations to inputs that instructions index dynamically.
    pub(in crate::tgsi) fn input_array(
        &mut self,
        id: u32,
        first: u32,
        last: u32,
    ) -> Parsed<InputArray> {
        let start = self.emit.builder.program.inputs.len();
        let mut previous = None;
        for number in first..=last {
            // A gap is filled with an input like the one before it, so that locations and numbers
            // correspond.
            let Some(row) = row(&self.declared.inputs, number as usize).or(previous) else {
                continue;
            };
            previous = Some(row);
            let Content::Input(semantic, base) = row.content else {
                let message = format!("`IN[{number}]` has no run-time index");
                return Err(self
                    .check
                    .error(Code::IndexVariable, self.emit.span, message));
            };
            let input = Input {
                base,
                interpolation: row.interpolation,
                sampling: row.sampling,
                per_vertex: row.per_vertex,
                ..Input::new(semantic)
            };
            let pushed = self.emit.builder.program.inputs.push(input);
            if let Some(Some(row)) = self.declared.inputs.get_mut(number as usize) {
                row.input = Some(pushed);
            }
        }
        let array = InputArray {
            id,
            first,
            len: last - first + 1,
            input: InputId::new(start),
        };
        self.declared.input_arrays.push(array);
        Ok(array)
    }

    /// Returns values that the options define.
    fn option_words(&mut self, source: Source) -> Src {
        let options = self.check.options;
        let [a, b, c, d, e, f] = options.default_levels;
        self.emit.words(match source {
            Source::WorkDim => [options.work_dim, 0, 0, 0],
            Source::UserData => options.user_data,
            Source::OuterLevels => [a, b, c, d],
            Source::InnerLevels => [e, f, 0, 0],
        })
    }
}
