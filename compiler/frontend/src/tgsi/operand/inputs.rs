//! Inputs and system values, and what is made of them where the device has them in another form.

use super::{Number, Register, splat};
use crate::codes::Code;
use crate::lang::limits;
use crate::lower::formula::Formulas;
use crate::tgsi::files::File;
use crate::tgsi::semantics::{Content, Source};
use crate::tgsi::state::{InputArray, InputRow, Kept, Parsed, Translation, row, slot, within};
use glasm_ir::semantic::Sampling;
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    Base, Id, Index, IndexTerm, Input, InputId, Interpolation, Op, RegisterId, Semantic, Src,
    Stage, StateParam, TypeBase, WriteMask,
};

impl Translation<'_> {
    /// An input.
    pub(super) fn input(&mut self, register: &Register) -> Parsed<Src> {
        let vertex = register.outer.map(|outer| outer.term);
        let Some(number) = register.number.known() else {
            return self.indexed_input(register, vertex);
        };
        let known = row(&self.declared.inputs, number as usize);
        let row = match known {
            Some(row) => row,
            None => self.undeclared_input(register, number)?,
        };
        if row.per_vertex {
            self.check_vertex(register, self.properties.vertices_in())?;
        }
        if let Content::Input(semantic, base) = row.content
            // The window position depends on properties, so it is computed into a register.
            && !(semantic == Semantic::Position && self.stage == Stage::Fragment)
        {
            let id = match row.input {
                Some(id) => id,
                None => self.new_input((semantic, base), row, File::In, number as usize),
            };
            return Ok(self.of_vertex(Base::Input(id), vertex.filter(|_| row.per_vertex)));
        }
        if row.per_vertex
            && let Content::Lanes(lanes) = row.content
        {
            return Ok(self.vertex_lanes(lanes, vertex));
        }
        // Values of the caller are the same for all vertices.
        Ok(self.content(Kept::Input(number as u32), &row))
    }

    /// Reports a register of vertices whose vertex is left out, or is none of the first `vertices`.
    pub(super) fn check_vertex(&mut self, register: &Register, vertices: u32) -> Parsed<()> {
        let Some(vertex) = register.outer else {
            let text = self.text_of(register.span);
            let message = format!(
                "`{text}` belongs to vertices: its vertex stands in a first pair of brackets"
            );
            return Err(self.error(Code::VertexMissing, register.span, message));
        };
        match vertex.known() {
            // Only a number that stands in the text can be wrong here.
            Some(number) if number < 0 || number as u32 >= vertices => {
                let message = format!("the vertices are numbered from 0 to {}", vertices - 1);
                Err(self.error(Code::VertexNumber, register.span, message))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// An attribute that no declaration has.
    #[cold]
    fn undeclared_input(&mut self, register: &Register, number: i32) -> Parsed<InputRow> {
        if self.stage != Stage::Vertex || number < 0 {
            return Err(self.missing_declaration(register));
        }
        self.undeclared(register)?;
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

    /// The input of a declared register. Made on first use: inputs that no instruction reads are none of the program.
    #[inline]
    fn new_input(
        &mut self,
        (semantic, base): (Semantic, TypeBase),
        row: InputRow,
        file: File,
        number: usize,
    ) -> InputId {
        // Vulkan wants Flat at every integer input of fragment shaders (VUID-StandaloneSpirv-Flat-04744).
        let integer = base != TypeBase::Float && self.stage == Stage::Fragment;
        let interpolation = match integer {
            true => Interpolation::Flat,
            false => row.interpolation,
        };
        let id = self.builder.program.inputs.push(Input {
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

    /// An input of a vertex, if one is named.
    fn of_vertex(&mut self, base: Base, vertex: Option<IndexTerm>) -> Src {
        let Some(vertex) = vertex else {
            return Src::new(base);
        };
        let index = Index {
            element: IndexTerm::constant(0),
            len: 1,
            vertex: Some(vertex),
        };
        self.indexed(base, index)
    }

    /// Lanes of a vertex that are inputs of their own.
    fn vertex_lanes(&mut self, lanes: [Option<Semantic>; 4], vertex: Option<IndexTerm>) -> Src {
        let register = self.hidden(Width::W32);
        self.put_lanes(register, lanes, |it, semantic| {
            let id = it.input_of(Input {
                per_vertex: true,
                ..Input::new(semantic)
            });
            it.of_vertex(Base::Input(id), vertex)
        });
        Src::register(register)
    }

    /// Fills a register with the first lanes of inputs, and with 0 where there is none.
    fn put_lanes(
        &mut self,
        register: RegisterId,
        lanes: [Option<Semantic>; 4],
        input: impl Fn(&mut Self, Semantic) -> Src,
    ) {
        for (lane, semantic) in lanes.into_iter().enumerate() {
            let source = match semantic {
                Some(semantic) => splat(input(self, semantic), 0),
                None => self.word(0),
            };
            let mask = WriteMask(1 << lane);
            self.put(register, mask, Op::Mov, Type::F32, &[source]);
        }
    }

    /// An input with a run-time index.
    fn indexed_input(&mut self, register: &Register, vertex: Option<IndexTerm>) -> Parsed<Src> {
        let Number { term, array: id } = register.number;
        let mut known = self.declared.input_arrays.iter();
        let known =
            // Without an id, the number that the index is added to tells which array is meant.
            known.find(|it| it.id == id && (id != 0 || within(term.offset, it.first, it.len)));
        let array = match known.copied() {
            Some(array) => array,
            None => {
                let Some((first, last)) = self.inputs_around(term.offset) else {
                    return Err(self.missing_declaration(register));
                };
                self.input_array(id, first, last)?
            }
        };
        let per_vertex = self.builder.program.inputs[array.input].per_vertex;
        if per_vertex {
            self.check_vertex(register, self.properties.vertices_in())?;
        }
        let index = Index {
            element: register.number.from(array.first),
            len: array.len,
            vertex: vertex.filter(|_| per_vertex),
        };
        Ok(self.indexed(Base::Input(array.input), index))
    }

    /// The first and the last of the inputs that an index without the id of an array may mean: those beside the register that it is added to
    /// which are of vertices, or of primitives, as that one is.
    fn inputs_around(&self, number: i32) -> Option<(u32, u32)> {
        let inputs = &self.declared.inputs;
        let start = usize::try_from(number).ok();
        let start = start.filter(|&it| row(inputs, it).is_some());
        // The number may lie outside, as in `IN[ADDR[0].x-1]`.
        let start = start.or_else(|| inputs.iter().position(Option::is_some))?;
        let per_vertex = row(inputs, start)?.per_vertex;
        // Inputs of vertices are arrays in SPIR-V, those of the primitive are not, so that no index goes from one to the other.
        let differs = |row: &Option<InputRow>| row.is_some_and(|it| it.per_vertex != per_vertex);
        let first = inputs[..start].iter().rposition(differs);
        let last = inputs[start..].iter().position(differs);
        let last = last.map_or(inputs.len(), |offset| start + offset) - 1;
        Some((first.map_or(0, |it| it + 1) as u32, last as u32))
    }

    /// A system value.
    pub(super) fn system_value(&mut self, register: &Register) -> Parsed<Src> {
        let number = self.known_number(register, limits::TGSI_REGISTERS as usize)?;
        let Some(row) = row(&self.declared.values, number) else {
            return Err(self.missing_declaration(register));
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

    /// What is made of inputs, once in a block.
    fn content(&mut self, key: Kept, row: &InputRow) -> Src {
        match row.content {
            Content::Words(source) => return self.option_words(source),
            Content::Helper => return Src::register(self.helper_register()),
            Content::Input(..) | Content::Lanes(_) | Content::FaceBits | Content::VertexNumber => {}
        }
        if let Some(kept) = self.kept(key) {
            return kept;
        }
        let register = self.register(Width::W32);
        match row.content {
            Content::Input(..) => self.window_position(register, row),
            Content::Lanes(lanes) => self.put_lanes(register, lanes, |it, semantic| {
                let input = Input {
                    interpolation: row.interpolation,
                    sampling: row.sampling,
                    ..Input::new(semantic)
                };
                Src::new(Base::Input(it.builder.program.inputs.push(input)))
            }),
            Content::FaceBits => self.face_bits(register),
            Content::VertexNumber => self.vertex_number(register),
            Content::Words(_) | Content::Helper => {}
        }
        self.keep(key, register);
        Src::register(register)
    }

    /// All ones for front faces, 0, 0, 1.
    fn face_bits(&mut self, register: RegisterId) {
        let facing = Input::new(Semantic::Facing);
        let id = self.builder.program.inputs.push(facing);
        let facing = splat(Src::new(Base::Input(id)), 0);
        let words = self.words([0, 0, 0, 1]);
        self.put(register, WriteMask(0b1110), Op::Mov, Type::U32, &[words]);
        let (front, back) = (self.word(u32::MAX), self.word(0));
        // Below 0 is a back face. Points and lines have +1. TGSI, section "Declaration Semantic".
        let sources = [facing, back, front];
        self.put(register, WriteMask::X, Op::SelLt, Type::F32, &sources);
    }

    /// The number of the vertex without the base vertex.
    fn vertex_number(&mut self, register: RegisterId) {
        let sources = [Semantic::VertexId, Semantic::BaseVertex].map(|semantic| {
            let input = Input {
                base: TypeBase::Unsigned,
                ..Input::new(semantic)
            };
            let id = self.builder.program.inputs.push(input);
            splat(Src::new(Base::Input(id)), 0)
        });
        self.put(register, WriteMask::XYZW, Op::Sub, Type::U32, &sources);
    }

    /// The register that tells whether the fragment was a helper invocation where the program began: DEMOTE makes helpers later.
    pub(crate) fn helper_register(&mut self) -> RegisterId {
        if let Some(register) = self.made.helper {
            return register;
        }
        let register = self.register(Width::W32);
        self.made.helper = Some(register);
        register
    }

    /// The window position of a fragment, counted as the properties say. TGSI, section "Properties", `FS_COORD_ORIGIN`.
    fn window_position(&mut self, register: RegisterId, row: &InputRow) {
        let input = Input {
            sampling: row.sampling,
            ..Input::new(Semantic::Position)
        };
        let id = self.builder.program.inputs.push(input);
        let position = Src::new(Base::Input(id));
        self.put(register, WriteMask::XYZW, Op::Mov, Type::F32, &[position]);
        // Where rows are counted the other way round, y is the height less y.
        let [scale, offset] = self.window_origin();
        let sources = [position, scale, offset];
        self.put(register, WriteMask(0b0010), Op::Mad, Type::F32, &sources);
        // The device counts centers of pixels, which are halves.
        if self.properties.integer_center {
            let half = self.float(-0.5);
            let sources = [Src::register(register), half];
            self.put(register, WriteMask(0b0011), Op::Add, Type::F32, &sources);
        }
    }

    /// The scale and the offset that make of y a count from the program's origin.
    fn window_origin(&mut self) -> [Src; 2] {
        let param = self.state(match self.properties.lower_left {
            true => StateParam::WindowOriginLower,
            false => StateParam::WindowOrigin,
        });
        [0, 1].map(|lane| splat(param, lane))
    }

    /// 1 where the device counts rows downward, as Gallium does, and -1 where it counts them upward: the sign of a step in y.
    ///
    /// `FS_COORD_ORIGIN` is about the position alone: whoever writes a program with another origin turns its derivatives and offsets in the text.
    pub(crate) fn downward(&mut self) -> Src {
        splat(self.state(StateParam::WindowOrigin), 0)
    }

    /// Gives inputs that instructions index at run time consecutive places.
    pub(crate) fn input_array(&mut self, id: u32, first: u32, last: u32) -> Parsed<InputArray> {
        let start = self.builder.program.inputs.len();
        let mut previous = None;
        for number in first..=last {
            // A gap gets an input like the one before it, so that places and numbers stay in step.
            let Some(row) = row(&self.declared.inputs, number as usize).or(previous) else {
                continue;
            };
            previous = Some(row);
            let Content::Input(semantic, base) = row.content else {
                let message = format!("`IN[{number}]` has no run-time index");
                return Err(self.error(Code::IndexVariable, self.span, message));
            };
            let input = Input {
                base,
                interpolation: row.interpolation,
                sampling: row.sampling,
                per_vertex: row.per_vertex,
                ..Input::new(semantic)
            };
            let pushed = self.builder.program.inputs.push(input);
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

    /// Values that the options give.
    fn option_words(&mut self, source: Source) -> Src {
        let options = self.options;
        let [a, b, c, d, e, f] = options.default_levels;
        self.words(match source {
            Source::WorkDim => [options.work_dim, 0, 0, 0],
            Source::UserData => options.user_data,
            Source::OuterLevels => [a, b, c, d],
            Source::InnerLevels => [e, f, 0, 0],
        })
    }
}
