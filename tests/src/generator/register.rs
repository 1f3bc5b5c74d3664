//! Programs like real ones in the languages whose programs name registers, and the same programs in those that declare variables: what
//! each spelling costs can be compared instruction by instruction.

use super::gp::letter;
use super::like_real::{
    BOUND, LITERAL, MODIFIED, Operand, SIZES, TEXTURED, Temps, component_of, modified_source,
    weighted,
};
use super::real::Real;
use super::tgsi_real::tgsi_real;
use crate::rng::Rng;
use Operand::{Scalar as S, Vector as V};
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// A language whose programs name registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegisterLanguage {
    /// NV_vertex_program1_1.
    Vertex1,
    /// NV_vertex_program2.
    Vertex2,
    /// NV_fragment_program.
    Fragment,
    /// Vertex programs of TGSI.
    TgsiVertex,
    /// Fragment programs of TGSI.
    TgsiFragment,
}

impl RegisterLanguage {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Vertex1,
        Self::Vertex2,
        Self::Fragment,
        Self::TgsiVertex,
        Self::TgsiFragment,
    ];

    /// Name in tables: the header without its marks.
    pub fn name(self) -> &'static str {
        match self.table() {
            Some(table) => table.headers[0].trim_start_matches('!'),
            None if self == Self::TgsiVertex => "TGSI VERT",
            None => "TGSI FRAG",
        }
    }

    /// How its programs are written; `None` for TGSI, which is not made of lines that end with semicolons.
    fn table(self) -> Option<&'static Table> {
        match self {
            Self::Vertex1 => Some(&VERTEX_1),
            Self::Vertex2 => Some(&VERTEX_2),
            Self::Fragment => Some(&FRAGMENT),
            Self::TgsiVertex | Self::TgsiFragment => None,
        }
    }
}

/// In which of its two spellings a program is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spelling {
    /// The language that names registers.
    Registers,
    /// An ARB program, with the option that has the same instructions.
    Declared,
}

/// Something with its two spellings; `#` stands for a number from 0 to 7.
type Both = [&'static str; 2];

/// What differs between the languages.
struct Table {
    headers: Both,
    /// What programs declare.
    declarations: Both,
    inputs: &'static [Both],
    params: &'static [Both],
    results: &'static [Both],
    last: Both,
    opcodes: &'static [(usize, &'static str, &'static [Operand])],
    is_vertex: bool,
    /// Conditions and updates of condition codes.
    conditions: bool,
}

const VERTEX_INPUTS: &[Both] = &[
    ["v[OPOS]", "vertex.position"],
    ["v[NRML]", "vertex.normal"],
    ["v[COL0]", "vertex.color"],
    ["v[TEX#]", "vertex.texcoord[#]"],
];
const VERTEX_RESULTS: &[Both] = &[
    ["o[TEX#]", "result.texcoord[#]"],
    ["o[TEX#]", "result.texcoord[#]"],
    ["o[COL0]", "result.color"],
];

const VERTEX_1: Table = Table {
    headers: ["!!VP1.1", "!!ARBvp1.0"],
    declarations: ["", "PARAM c[96] = { program.env[0..95] };\nADDRESS A0;\n"],
    inputs: VERTEX_INPUTS,
    params: &[
        ["c[#]", "c[#]"],
        ["c[9#]", "c[9#]"],
        ["c[A0.x+#]", "c[A0.x+#]"],
    ],
    results: VERTEX_RESULTS,
    last: ["o[HPOS]", "result.position"],
    opcodes: &[
        (17, "MOV", &[V]),
        (17, "MUL", &[V, V]),
        (12, "ADD", &[V, V]),
        (12, "MAD", &[V, V, V]),
        (14, "DP4", &[V, V]),
        (8, "DP3", &[V, V]),
        (4, "SUB", &[V, V]),
        (4, "RCP", &[S]),
        (3, "RSQ", &[S]),
        (3, "MAX", &[V, V]),
        (2, "MIN", &[V, V]),
        (2, "SLT", &[V, V]),
        (1, "SGE", &[V, V]),
        (1, "DST", &[V, V]),
        (1, "LIT", &[V]),
        (1, "DPH", &[V, V]),
    ],
    is_vertex: true,
    conditions: false,
};

const VERTEX_2: Table = Table {
    headers: ["!!VP2.0", "!!ARBvp1.0\nOPTION NV_vertex_program2;"],
    opcodes: &[
        (17, "MOV", &[V]),
        (17, "MUL", &[V, V]),
        (12, "ADD", &[V, V]),
        (12, "MAD", &[V, V, V]),
        (14, "DP4", &[V, V]),
        (8, "DP3", &[V, V]),
        (4, "SUB", &[V, V]),
        (4, "RCP", &[S]),
        (3, "RSQ", &[S]),
        (3, "MAX", &[V, V]),
        (2, "MIN", &[V, V]),
        (1, "SGT", &[V, V]),
        (1, "SNE", &[V, V]),
        (1, "FRC", &[V]),
        (1, "EX2", &[S]),
        (1, "LG2", &[S]),
        (1, "ABS", &[V]),
    ],
    conditions: true,
    ..VERTEX_1
};

const FRAGMENT: Table = Table {
    headers: ["!!FP1.0", "!!ARBfp1.0\nOPTION NV_fragment_program;"],
    declarations: [
        "DECLARE light = {0.5, 0.25, 1.0, 2.0};\nDEFINE scale = {2.0, 1.0, 0.5, 4.0};\n",
        "PARAM light = program.local[8];\nPARAM scale = {2.0, 1.0, 0.5, 4.0};\n",
    ],
    inputs: &[
        ["f[TEX#]", "fragment.texcoord[#]"],
        ["f[TEX#]", "fragment.texcoord[#]"],
        ["f[COL0]", "fragment.color"],
    ],
    params: &[
        ["p[#]", "program.local[#]"],
        ["light", "light"],
        ["scale", "scale"],
    ],
    results: &[["o[COLR]", "result.color"]],
    last: ["o[COLR]", "result.color"],
    opcodes: &[
        (16, "MOV", &[V]),
        (17, "MUL", &[V, V]),
        (12, "ADD", &[V, V]),
        (12, "MAD", &[V, V, V]),
        (8, "DP3", &[V, V]),
        (2, "DP4", &[V, V]),
        (4, "SUB", &[V, V]),
        (4, "LRP", &[V, V, V]),
        (3, "RCP", &[S]),
        (3, "RSQ", &[S]),
        (3, "MAX", &[V, V]),
        (2, "MIN", &[V, V]),
        (1, "SGE", &[V, V]),
        (1, "SGT", &[V, V]),
        (1, "FRC", &[V]),
        (1, "POW", &[S, S]),
        (1, "LG2", &[S]),
        (1, "EX2", &[S]),
    ],
    is_vertex: false,
    conditions: true,
};

/// Percent of lines with a condition or an update of the condition code.
const CONDITIONAL: usize = 5;

/// The program of this number in one of its spellings; equal numbers give the same instructions in both.
pub fn register_real(language: RegisterLanguage, spelling: Spelling, number: usize) -> Real {
    let Some(table) = language.table() else {
        return tgsi_real(language, spelling, number);
    };
    let mut rng = Rng::new(0x4E56 ^ ((number as u64) << 16) ^ language as u64);
    let &(_, least, more) = weighted(&mut rng, &SIZES, |size| size.0);
    // These languages have 128 and 256 instructions.
    let size = (least + rng.below(more + 1)).min(120);
    let mut printer = Printer {
        rng,
        table,
        spelling: spelling as usize,
        temps: Temps::for_size(size),
        has_address: false,
        has_codes: false,
        lines: 0,
        text: String::new(),
    };
    printer.header();
    printer.body(size);
    Real {
        text: printer.text,
        instructions: printer.lines,
    }
}

struct Printer {
    rng: Rng,
    table: &'static Table,
    spelling: usize,
    temps: Temps,
    /// Whether the address register and the condition code have values.
    has_address: bool,
    has_codes: bool,
    lines: usize,
    text: String,
}

impl Printer {
    fn header(&mut self) {
        let _ = writeln!(self.text, "{}", self.table.headers[self.spelling]);
        if self.rng.percent(33) {
            for line in 0..10 {
                let _ = writeln!(self.text, "# {line}: what this line of the source is for");
            }
        }
        self.text.push_str(self.table.declarations[self.spelling]);
        if self.spelling == Spelling::Declared as usize {
            let names: Vec<String> = (0..self.temps.count)
                .map(|temp| format!("R{temp}"))
                .collect();
            let _ = writeln!(self.text, "TEMP {};", names.join(", "));
        }
    }

    fn line(&mut self, text: &str) {
        self.lines += 1;
        let _ = writeln!(self.text, "{text};");
    }

    fn body(&mut self, size: usize) {
        let input = self.numbered(self.table.inputs[0]);
        self.line(&format!("MOV R0, {input}"));
        self.temps.wrote(0);
        while self.lines + 1 < size {
            let conditional = self.table.conditions && self.rng.percent(CONDITIONAL);
            match self.rng.percent(TEXTURED) && !self.table.is_vertex {
                true => self.texture(),
                false if self.rng.percent(2) && self.table.is_vertex => self.address(),
                false => self.instruction(conditional),
            }
        }
        let last = self.read();
        let result = self.table.last[self.spelling];
        self.line(&format!("MOV {result}, {last}"));
        self.text.push_str("END\n");
    }

    fn address(&mut self) {
        let from = self.read();
        let letter = letter(self.rng.below(4));
        self.line(&format!("ARL A0.x, {from}.{letter}"));
        self.has_address = true;
    }

    fn texture(&mut self) {
        let unit = self.rng.below(4);
        let coordinate = if self.rng.percent(50) {
            [
                format!("f[TEX{unit}]"),
                format!("fragment.texcoord[{unit}]"),
            ][self.spelling]
                .clone()
        } else {
            self.read()
        };
        let image = [format!("TEX{unit}"), format!("texture[{unit}]")][self.spelling].clone();
        let to = self.rng.below(self.temps.count);
        self.line(&format!("TEX R{to}, {coordinate}, {image}, 2D"));
        self.temps.wrote(to);
    }

    fn instruction(&mut self, conditional: bool) {
        let &(_, opcode, operands) = weighted(&mut self.rng, self.table.opcodes, |row| row.0);
        let modified = self.rng.percent(MODIFIED);
        let to_result = self.rng.percent(BOUND * 35 / 100);
        let sources = self.sources(operands, modified);
        let (mut to, temp) = self.destination(to_result);
        if modified && self.rng.percent(70) && temp.is_none_or(|temp| self.temps.has_value(temp)) {
            to.push_str(self.rng.pick::<&str>(&[".x", ".xyz", ".w", ".xy", ".y"]));
        }
        let mut suffix = "";
        if conditional && !self.has_codes {
            suffix = "C";
            self.has_codes = true;
        } else if conditional && temp.is_none_or(|temp| self.temps.has_value(temp)) {
            to.push_str(
                self.rng
                    .pick::<&str>(&[" (GT.x)", " (EQ.y)", " (NE)", " (LE.w)"]),
            );
        }
        if !self.table.is_vertex && self.rng.percent(10) {
            suffix = if suffix.is_empty() { "_SAT" } else { "C_SAT" };
        }
        self.line(&format!("{opcode}{suffix} {to}, {}", sources.join(", ")));
        temp.into_iter().for_each(|temp| self.temps.wrote(temp));
    }

    /// The operands of an instruction, with at most one input and one parameter, which a literal is, too.
    fn sources(&mut self, operands: &[Operand], modified: bool) -> Vec<String> {
        let mut input = self.rng.percent(BOUND * 4 / 10);
        let mut param = false;
        let mut sources = Vec::new();
        for (number, &operand) in operands.iter().enumerate() {
            let last = number + 1 == operands.len();
            let source = if std::mem::take(&mut input) {
                let row = *self.rng.pick(self.table.inputs);
                self.numbered(row)
            } else if !param && number == 1 && self.rng.percent(45) {
                param = true;
                self.param()
            } else if !param && last && !self.table.is_vertex && self.rng.percent(LITERAL) {
                param = true;
                sources.push(self.literal(operand));
                continue;
            } else {
                self.read()
            };
            sources.push(match operand {
                S => component_of(&mut self.rng, &source),
                V if modified => modified_source(&mut self.rng, &source),
                V => source,
            });
        }
        sources
    }

    fn param(&mut self) -> String {
        let row = *self.rng.pick(self.table.params);
        let row = if row[0].contains("A0") && !self.has_address {
            self.table.params[0]
        } else {
            row
        };
        self.numbered(row)
    }

    fn destination(&mut self, to_result: bool) -> (String, Option<usize>) {
        if to_result {
            let result = *self.rng.pick(self.table.results);
            return (self.numbered(result), None);
        }
        let temp = self.temps.next(&mut self.rng);
        (format!("R{temp}"), Some(temp))
    }

    fn numbered(&mut self, row: Both) -> String {
        // Results, parameters and inputs with numbers that all languages have.
        let number = self
            .rng
            .below(if row[0].starts_with("c[9") { 6 } else { 8 });
        row[self.spelling].replace('#', &number.to_string())
    }

    fn literal(&mut self, operand: Operand) -> String {
        let number = self.rng.below(1000) as f64 / 250.0;
        match operand {
            S => format!("{{{number:?}}}.x"),
            V => format!("{{{number:?}, 0.5, 1.0, 0.0}}"),
        }
    }

    fn read(&mut self) -> String {
        let temp = self.temps.read(&mut self.rng);
        format!("R{temp}")
    }
}

#[cfg(test)]
mod tests {
    use super::{RegisterLanguage, Spelling, register_real};

    const DECLARATIONS: [&str; 6] = ["OPTION", "PARAM", "ADDRESS", "TEMP", "DECLARE", "DEFINE"];

    #[test]
    fn both_spellings_load_and_have_equal_instructions() {
        let all = RegisterLanguage::ALL.into_iter();
        for language in all.filter(|language| language.table().is_some()) {
            for number in 0..200 {
                let [one, other] = [Spelling::Registers, Spelling::Declared]
                    .map(|spelling| register_real(language, spelling, number));
                assert_eq!(one.instructions, other.instructions);
                crate::assert_loads(&one.text);
                crate::assert_loads(&other.text);
                let opcodes = |text: &str| -> Vec<String> {
                    let lines = text.lines().filter(|line| line.ends_with(';'));
                    let words = lines.filter_map(|line| line.split(' ').next());
                    words
                        .filter(|word| !DECLARATIONS.contains(word))
                        .map(str::to_owned)
                        .collect()
                };
                assert_eq!(opcodes(&one.text), opcodes(&other.text), "{number}");
            }
        }
    }
}
