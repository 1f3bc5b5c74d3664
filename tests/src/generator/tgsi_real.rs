//! Programs like real ones as TGSI, spelled as Mesa prints it for virtual GPUs, and the same instructions as ARB programs: what each spelling
//! costs can be compared instruction by instruction.

use super::gp::letter;
use super::like_real::{BOUND, LITERAL, MODIFIED, Operand, SIZES, TEXTURED, Temps, weighted};
use super::real::Real;
use super::register::{RegisterLanguage, Spelling};
use crate::rng::Rng;
use Operand::{Scalar as S, Vector as V};
use std::fmt::{Display, Formatter, Result, Write};

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// Parameters; those from [`ARRAY`] on are indexed at run time, too.
pub(super) const PARAMS: usize = 24;
/// The first parameter of those that are indexed, and how far an index goes.
pub(super) const ARRAY: usize = 8;
/// The parameter whose components are indices.
pub(super) const INDICES: usize = 7;

/// What an operand names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Temp(usize),
    Input(usize),
    Param(usize),
    /// A parameter at a distance from the address register.
    Indexed(usize),
    /// A literal vector, by its number.
    Literal(usize),
    /// The position or color.
    Last,
    /// A texture coordinate.
    Result(usize),
}

/// How an instruction of one spelling is written in the other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Same,
    /// SUB is ADD with a sign.
    Subtract,
    /// The absolute value of the only operand: TGSI has no ABS, and its RSQ takes none.
    Absolute,
}

/// Weight, name in TGSI and in ARB programs, operands.
type Opcode = (usize, &'static str, &'static str, &'static [Operand], Form);

const OPCODES: &[Opcode] = &[
    (17, "MOV", "MOV", &[V], Form::Same),
    (17, "MUL", "MUL", &[V, V], Form::Same),
    (12, "ADD", "ADD", &[V, V], Form::Same),
    (12, "MAD", "MAD", &[V, V, V], Form::Same),
    (10, "DP4", "DP4", &[V, V], Form::Same),
    (8, "DP3", "DP3", &[V, V], Form::Same),
    (4, "ADD", "SUB", &[V, V], Form::Subtract),
    (4, "RCP", "RCP", &[S], Form::Same),
    (3, "RSQ", "RSQ", &[S], Form::Absolute),
    (3, "MAX", "MAX", &[V, V], Form::Same),
    (2, "MIN", "MIN", &[V, V], Form::Same),
    (2, "SLT", "SLT", &[V, V], Form::Same),
    (1, "SGE", "SGE", &[V, V], Form::Same),
    (1, "FRC", "FRC", &[V], Form::Same),
    (1, "FLR", "FLR", &[V], Form::Same),
    (1, "LG2", "LG2", &[S], Form::Same),
    (1, "EX2", "EX2", &[S], Form::Same),
    (1, "MOV", "ABS", &[V], Form::Absolute),
];

/// Those that only fragment programs have in both spellings.
const FRAGMENT_OPCODES: &[Opcode] = &[
    (4, "LRP", "LRP", &[V, V, V], Form::Same),
    (2, "CMP", "CMP", &[V, V, V], Form::Same),
];

/// An operand of an instruction.
#[derive(Clone, Copy)]
struct Source {
    name: Name,
    swizzle: [usize; 4],
    negated: bool,
    scalar: bool,
}

/// An instruction.
struct Line {
    opcode: &'static Opcode,
    saturated: bool,
    to: Name,
    mask: &'static str,
    from: Vec<Source>,
    /// The unit of a texture read.
    unit: Option<usize>,
}

const TEX: &Opcode = &(0, "TEX", "TEX", &[V], Form::Same);
const MOV: &Opcode = &(0, "MOV", "MOV", &[V], Form::Same);
const ARL: &Opcode = &(0, "ARL", "ARL", &[S], Form::Same);

/// The program of this number in one of its spellings; equal numbers give the same instructions in both.
pub(super) fn tgsi_real(language: RegisterLanguage, spelling: Spelling, number: usize) -> Real {
    let mut rng = Rng::new(0x7651 ^ ((number as u64) << 16) ^ language as u64);
    let &(_, least, more) = weighted(&mut rng, &SIZES, |size| size.0);
    let size = least + rng.below(more + 1);
    let mut drawer = Drawer {
        rng,
        is_vertex: language == RegisterLanguage::TgsiVertex,
        temps: Temps::for_size(size),
        has_address: false,
        lines: Vec::new(),
        literals: Vec::new(),
    };
    drawer.body(size);
    Real {
        text: match spelling {
            Spelling::Registers => drawer.tgsi(),
            Spelling::Declared => drawer.arb(),
        },
        instructions: drawer.lines.len(),
    }
}

/// Draws the instructions, and prints them.
struct Drawer {
    rng: Rng,
    is_vertex: bool,
    temps: Temps,
    has_address: bool,
    lines: Vec<Line>,
    literals: Vec<[f32; 4]>,
}

impl Line {
    /// The line as TGSI, with its number.
    fn write_tgsi(&self, text: &mut String, number: usize) {
        let suffix = if self.saturated { "_SAT" } else { "" };
        let _ = write!(
            text,
            "{number:3}: {}{suffix} {}",
            self.opcode.1,
            Tgsi(self.to)
        );
        let _ = mask(text, self.mask);
        for (operand, source) in self.from.iter().enumerate() {
            let negates = self.opcode.4 == Form::Subtract && operand == 1;
            let sign = if source.negated != negates { "-" } else { "" };
            let bar = if self.opcode.4 == Form::Absolute {
                "|"
            } else {
                ""
            };
            // The absolute value of a negated one is that of the plain one.
            let sign = if bar.is_empty() { sign } else { "" };
            let _ = write!(text, ", {sign}{bar}{}", Tgsi(source.name));
            let letters = source.swizzle.map(letter);
            if letters != ['x', 'y', 'z', 'w'] {
                let _ = write!(text, ".{}", String::from_iter(letters));
            }
            text.push_str(bar);
        }
        if let Some(unit) = self.unit {
            let _ = write!(text, ", SAMP[{unit}], 2D");
        }
        text.push('\n');
    }
}

impl Drawer {
    fn body(&mut self, size: usize) {
        self.push(MOV, Name::Temp(0), vec![plain(Name::Input(0))]);
        self.temps.wrote(0);
        while self.lines.len() + 1 < size {
            match self.rng.percent(TEXTURED) && !self.is_vertex {
                true => self.texture(),
                false if self.rng.percent(2) && self.is_vertex => self.address(),
                false => self.instruction(),
            }
        }
        let last = self.read();
        self.push(MOV, Name::Last, vec![plain(last)]);
    }

    fn push(&mut self, opcode: &'static Opcode, to: Name, from: Vec<Source>) {
        let mask = if opcode == ARL { "x" } else { "" };
        self.lines.push(Line {
            opcode,
            saturated: false,
            to,
            mask,
            from,
            unit: None,
        });
    }

    fn address(&mut self) {
        let lane = self.rng.below(4);
        let source = Source {
            swizzle: [lane; 4],
            scalar: true,
            ..plain(Name::Param(INDICES))
        };
        self.push(ARL, Name::Indexed(0), vec![source]);
        self.has_address = true;
    }

    fn texture(&mut self) {
        let unit = self.rng.below(4);
        let coordinate = if self.rng.percent(50) {
            Name::Input(unit)
        } else {
            self.read()
        };
        let to = self.rng.below(self.temps.count);
        self.push(TEX, Name::Temp(to), vec![plain(coordinate)]);
        if let Some(line) = self.lines.last_mut() {
            line.unit = Some(unit);
        }
        self.temps.wrote(to);
    }

    fn instruction(&mut self) {
        let rows: Vec<&'static Opcode> = if self.is_vertex {
            OPCODES.iter().collect()
        } else {
            OPCODES.iter().chain(FRAGMENT_OPCODES).collect()
        };
        let opcode = *weighted(&mut self.rng, &rows, |row| row.0);
        let modified = self.rng.percent(MODIFIED);
        let from = self.sources(opcode.3, modified);
        let to_result = self.is_vertex && self.rng.percent(BOUND * 35 / 100);
        let temp = self.temps.next(&mut self.rng);
        let to = if to_result {
            Name::Result(self.rng.below(8))
        } else {
            Name::Temp(temp)
        };
        let may_mask = to_result || self.temps.has_value(temp);
        let mask = if modified && self.rng.percent(70) && may_mask {
            *self.rng.pick(&["x", "xyz", "w", "xy", "y"])
        } else {
            ""
        };
        let saturated = !self.is_vertex && self.rng.percent(10);
        self.lines.push(Line {
            opcode,
            saturated,
            to,
            mask,
            from,
            unit: None,
        });
        if !to_result {
            self.temps.wrote(temp);
        }
    }

    /// The operands of an instruction, with at most one input and one parameter, which a literal is, too.
    fn sources(&mut self, operands: &[Operand], modified: bool) -> Vec<Source> {
        let mut input = self.rng.percent(BOUND * 4 / 10);
        let mut param = false;
        let mut sources = Vec::new();
        for (number, &operand) in operands.iter().enumerate() {
            let last = number + 1 == operands.len();
            let name = if std::mem::take(&mut input) {
                Name::Input(self.rng.below(4))
            } else if !param && number == 1 && self.rng.percent(45) {
                param = true;
                self.param()
            } else if !param && last && self.rng.percent(LITERAL) {
                param = true;
                self.literal()
            } else {
                self.read()
            };
            let source = match operand {
                S => Source {
                    swizzle: [self.rng.below(4); 4],
                    scalar: true,
                    ..plain(name)
                },
                V if modified => self.modified(name),
                V => plain(name),
            };
            sources.push(source);
        }
        sources
    }

    fn modified(&mut self, name: Name) -> Source {
        let negated = self.rng.percent(20);
        let swizzle = match self.rng.below(100) {
            0..30 => [self.rng.below(4); 4],
            30..50 => [0, 1, 2, 2],
            50..60 => [(); 4].map(|()| self.rng.below(4)),
            _ => [0, 1, 2, 3],
        };
        Source {
            negated,
            swizzle,
            ..plain(name)
        }
    }

    fn param(&mut self) -> Name {
        if self.has_address && self.rng.percent(20) {
            Name::Indexed(ARRAY + self.rng.below(8))
        } else {
            Name::Param(self.rng.below(INDICES))
        }
    }

    fn literal(&mut self) -> Name {
        let number = self.rng.below(1000) as f32 / 250.0;
        self.literals.push([number, 0.5, 1.0, 0.0]);
        Name::Literal(self.literals.len() - 1)
    }

    fn read(&mut self) -> Name {
        Name::Temp(self.temps.read(&mut self.rng))
    }

    fn names(&self) -> impl Iterator<Item = Name> {
        let of_line = |line: &Line| {
            let from: Vec<Name> = line.from.iter().map(|source| source.name).collect();
            std::iter::once(line.to).chain(from)
        };
        self.lines.iter().flat_map(of_line)
    }

    fn inputs(&self) -> impl Iterator<Item = usize> {
        let mut read = [false; 8];
        for name in self.names() {
            if let Name::Input(number) = name {
                read[number] = true;
            }
        }
        (0..8).filter(move |&number| read[number])
    }

    fn results(&self) -> impl Iterator<Item = usize> {
        let mut written = [false; 8];
        for name in self.names() {
            if let Name::Result(number) = name {
                written[number] = true;
            }
        }
        (0..8).filter(move |&number| written[number])
    }

    fn tgsi(&self) -> String {
        let mut text = String::from(if self.is_vertex { "VERT\n" } else { "FRAG\n" });
        for number in self.inputs() {
            let _ = if self.is_vertex {
                writeln!(text, "DCL IN[{number}]")
            } else {
                writeln!(text, "DCL IN[{number}], TEXCOORD[{number}], PERSPECTIVE")
            };
        }
        let last = if self.is_vertex { "POSITION" } else { "COLOR" };
        let _ = writeln!(text, "DCL OUT[0], {last}");
        for number in self.results() {
            let _ = writeln!(text, "DCL OUT[{}], TEXCOORD[{number}]", number + 1);
        }
        for unit in 0..4 {
            if self.lines.iter().any(|line| line.unit == Some(unit)) {
                let _ = writeln!(text, "DCL SAMP[{unit}]\nDCL SVIEW[{unit}], 2D, FLOAT");
            }
        }
        let _ = writeln!(text, "DCL CONST[0][0..{}]", PARAMS - 1);
        let _ = writeln!(text, "DCL TEMP[0..{}], LOCAL", self.temps.count - 1);
        if self.has_address {
            text.push_str("DCL ADDR[0]\n");
        }
        for (number, literal) in self.literals.iter().enumerate() {
            let [x, y, z, w] = literal.map(f32::to_bits);
            let _ = writeln!(
                text,
                "IMM[{number}] FLT32 {{0x{x:08x}, 0x{y:08x}, 0x{z:08x}, 0x{w:08x}}}"
            );
        }
        for (number, line) in self.lines.iter().enumerate() {
            line.write_tgsi(&mut text, number);
        }
        let _ = writeln!(text, "{:3}: END", self.lines.len());
        text
    }

    fn arb(&self) -> String {
        let header = if self.is_vertex {
            "!!ARBvp1.0"
        } else {
            "!!ARBfp1.0"
        };
        let mut text = format!("{header}\n");
        let _ = writeln!(
            text,
            "PARAM c[{PARAMS}] = {{ program.env[0..{}] }};",
            PARAMS - 1
        );
        if self.has_address {
            text.push_str("ADDRESS A0;\n");
        }
        let names: Vec<String> = (0..self.temps.count)
            .map(|temp| format!("R{temp}"))
            .collect();
        let _ = writeln!(text, "TEMP {};", names.join(", "));
        for line in &self.lines {
            let suffix = if line.saturated { "_SAT" } else { "" };
            let _ = write!(text, "{}{suffix} ", line.opcode.2);
            let _ = if line.opcode == ARL {
                write!(text, "A0")
            } else {
                self.arb_name(&mut text, line.to)
            };
            let _ = mask(&mut text, line.mask);
            for source in &line.from {
                let sign = if source.negated { "-" } else { "" };
                let _ = write!(text, ", {sign}");
                let _ = self.arb_name(&mut text, source.name);
                let [x, y, z, w] = source.swizzle.map(letter);
                let _ = match source.swizzle {
                    _ if source.scalar => write!(text, ".{x}"),
                    [0, 1, 2, 3] => Ok(()),
                    _ if x == y && x == z && x == w => write!(text, ".{x}"),
                    _ => write!(text, ".{x}{y}{z}{w}"),
                };
            }
            if let Some(unit) = line.unit {
                let _ = write!(text, ", texture[{unit}], 2D");
            }
            text.push_str(";\n");
        }
        text.push_str("END\n");
        text
    }

    fn arb_name(&self, text: &mut String, name: Name) -> Result {
        match name {
            Name::Temp(number) => write!(text, "R{number}"),
            Name::Input(number) if self.is_vertex => write!(text, "vertex.attrib[{number}]"),
            Name::Input(number) => write!(text, "fragment.texcoord[{number}]"),
            Name::Param(number) => write!(text, "c[{number}]"),
            Name::Indexed(offset) => write!(text, "c[A0.x + {offset}]"),
            Name::Literal(number) => {
                let [x, y, z, w] = self.literals[number];
                write!(text, "{{ {x:?}, {y:?}, {z:?}, {w:?} }}")
            }
            Name::Last if self.is_vertex => write!(text, "result.position"),
            Name::Last => write!(text, "result.color"),
            Name::Result(number) => write!(text, "result.texcoord[{number}]"),
        }
    }
}

/// An operand without swizzle and sign.
fn plain(name: Name) -> Source {
    Source {
        name,
        swizzle: [0, 1, 2, 3],
        negated: false,
        scalar: false,
    }
}

fn mask(text: &mut String, mask: &str) -> Result {
    match mask {
        "" => Ok(()),
        _ => write!(text, ".{mask}"),
    }
}

/// A register of TGSI.
struct Tgsi(Name);

impl Display for Tgsi {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0 {
            Name::Temp(number) => write!(f, "TEMP[{number}]"),
            Name::Input(number) => write!(f, "IN[{number}]"),
            Name::Param(number) => write!(f, "CONST[0][{number}]"),
            Name::Indexed(0) => write!(f, "ADDR[0]"),
            Name::Indexed(offset) => write!(f, "CONST[0][ADDR[0].x+{offset}]"),
            Name::Literal(number) => write!(f, "IMM[{number}]"),
            Name::Last => write!(f, "OUT[0]"),
            Name::Result(number) => write!(f, "OUT[{}]", number + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ARRAY, INDICES, PARAMS};
    use crate::generator::{RegisterLanguage, Spelling, register_real};
    use glasm::ir::interp::{Environment, Interpreter, ProgramMemory, TexRequest};
    use glasm::ir::{ParamSource, Program, Semantic};

    /// Some number for a place, not 0.
    fn value(place: usize, lane: usize) -> f32 {
        ((place * 37 + lane * 11) % 41) as f32 / 8.0 - 2.4375
    }

    fn vector(place: usize) -> [u32; 4] {
        [0, 1, 2, 3].map(|lane| value(place, lane).to_bits())
    }

    fn parameter(number: usize) -> [u32; 4] {
        match number {
            INDICES => [0.0f32, 3.0, 5.0, 8.0].map(f32::to_bits),
            _ => vector(100 + number),
        }
    }

    fn texel(request: &TexRequest) -> [u32; 4] {
        let unit = if let glasm::ir::UnitSet::Single(unit) = request.texture.units {
            unit as usize
        } else {
            99
        };
        let [s, t, ..] = request.coordinate.map(f32::from_bits);
        [0, 1, 2, 3].map(|lane| (value(unit, lane) + s * 0.25 + t * 0.5).to_bits())
    }

    /// The outputs of a program by their semantics.
    fn results(program: &Program) -> Vec<(Semantic, [u32; 4])> {
        let inputs = program.inputs.iter().map(|input| {
            let (Semantic::VertexAttribute(number) | Semantic::TexCoord(number)) = input.semantic
            else {
                panic!("{:?} is no input of these programs", input.semantic);
            };
            vector(number.into()).map(u64::from)
        });
        let params = program.params.iter().map(|param| {
            if let ParamSource::Literal(words) = param.source {
                return words;
            }
            let ParamSource::Env(number) = param.source else {
                panic!("{:?} is no parameter of these programs", param.source);
            };
            parameter(number as usize)
        });
        let bytes = (0..PARAMS).flat_map(parameter).flat_map(u32::to_le_bytes);
        let mut environment = Environment {
            inputs: inputs.collect(),
            params: params.collect(),
            memory: ProgramMemory {
                buffers: vec![vec![bytes.collect()]],
                ..ProgramMemory::default()
            },
            ..Environment::default()
        }
        .with_textures(texel);
        let interpreter = Interpreter::new(program).expect("the program is valid");
        let outcome = interpreter
            .run_main(&mut environment)
            .expect("the program ends");
        let semantics = program.outputs.iter().map(|output| output.semantic);
        let values = outcome
            .outputs
            .into_iter()
            .map(|lanes| lanes.map(|lane| lane as u32));
        let mut all: Vec<_> = semantics.zip(values).collect();
        all.sort_by_key(|(semantic, _)| format!("{semantic:?}"));
        all
    }

    /// Whether two numbers are equal; `None` if one is none: the languages differ in what MAX makes of a NaN.
    fn same(one: u32, other: u32) -> Option<bool> {
        let [a, b] = [one, other].map(f32::from_bits);
        (a.is_finite() && b.is_finite()).then_some(a == b)
    }

    #[test]
    fn both_spellings_mean_the_same() {
        const { assert!(ARRAY + 8 + 8 <= PARAMS) };
        let (mut compared, mut all) = (0, 0);
        for language in [RegisterLanguage::TgsiVertex, RegisterLanguage::TgsiFragment] {
            for number in 0..200 {
                let texts = [Spelling::Registers, Spelling::Declared]
                    .map(|spelling| register_real(language, spelling, number).text);
                let [one, other] = texts.each_ref().map(|text| {
                    let source = glasm::Source::new("generated", text);
                    match glasm::frontend::translate(&source) {
                        (Some(program), _) => results(&program),
                        (None, errors) => panic!("{}\n{text}", errors.render(&source)),
                    }
                });
                assert_eq!(one.len(), other.len(), "{number}");
                for ((semantic, one), (_, other)) in one.iter().zip(&other) {
                    let lanes = one.iter().zip(other);
                    let same: Vec<_> = lanes.map(|(&one, &other)| same(one, other)).collect();
                    let [text, arb] = &texts;
                    assert!(
                        !same.contains(&Some(false)),
                        "{number}: {semantic:?} {one:x?} {other:x?}\n{text}{arb}"
                    );
                    compared += same.iter().flatten().count();
                    all += same.len();
                }
            }
        }
        assert!(compared * 4 > all * 3, "{compared} of {all}");
    }
}
