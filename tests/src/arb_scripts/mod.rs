//! Random scripts of ARB programs, for comparing one implementation with another.
//!
//! Nobody knows the results of these programs beforehand, and two implementations may round differently. So that they still have to agree
//! closely, every value is tracked: an *exact* value is a fraction of few bits that every implementation computes without rounding, anything
//! else is *rounded*. What is not continuous (comparisons, FLR, FRC, KIL, indices of arrays) takes exact values only, and functions with
//! poles take arguments that stay away from them. Equal seeds give equal scripts.

mod knowledge;
mod ops;

use crate::rng::Rng;
use knowledge::Knowledge;
use ops::{Availability, Deciding, Function, OPS, Op, ResultOf, Rule, bit};
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// Which programs a script has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A fragment program behind a vertex program that passes on attributes.
    Fragment,
    /// A vertex program in front of a fragment program that shows its results.
    Vertex,
}

/// Temporaries of a program.
const TEMPS: usize = 5;
/// Environment and local parameters that a program reads, each.
const PARAMS: usize = 3;
/// Elements of the array that vertex programs index.
const ARRAY: usize = 4;
/// Larger values are brought back.
const LARGE: f64 = 64.0;
/// A temporary whose values may be further apart gets another value.
const LARGEST_ERROR: f64 = 1e-4;

/// A value that instructions read, with its name in the program.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    known: Knowledge,
}

/// A program while it is written.
struct Writer<'a> {
    rng: &'a mut Rng,
    kind: Kind,
    text: String,
    /// What the temporaries hold.
    temps: Vec<Knowledge>,
    inputs: Vec<Named>,
}

impl Writer<'_> {
    fn temp(index: usize) -> String {
        format!("r{index}")
    }

    /// Everything that an instruction may read.
    fn readable(&self) -> Vec<Named> {
        let temps = self.temps.iter().enumerate().map(|(index, known)| Named {
            name: Self::temp(index),
            known: *known,
        });
        self.inputs.iter().cloned().chain(temps).collect()
    }

    /// A value that `fits`; there is always an exact one of small size.
    fn pick(&mut self, fits: impl Fn(Knowledge) -> bool) -> Named {
        let mut fitting = self.readable();
        fitting.retain(|value| fits(value.known));
        self.rng.pick(&fitting).clone()
    }

    /// A vector operand, with swizzle and sign.
    fn operand(&mut self, value: &Named) -> String {
        let sign = if self.rng.percent(25) { "-" } else { "" };
        let swizzle: String = match self.rng.below(4) {
            0 | 1 => String::new(),
            2 => format!(".{}", self.rng.pick(&['x', 'y', 'z', 'w'])),
            _ => {
                let lane = |rng: &mut Rng| *rng.pick(&['x', 'y', 'z', 'w']);
                let lanes: String = (0..4).map(|_| lane(self.rng)).collect();
                format!(".{lanes}")
            }
        };
        format!("{sign}{}{swizzle}", value.name)
    }

    /// One component of an operand.
    fn scalar(&mut self, value: &Named) -> String {
        let lane = self.rng.pick(&['x', 'y', 'z', 'w']);
        format!("{}.{lane}", value.name)
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    /// Writes an instruction whose result a temporary takes.
    fn instruction(&mut self) {
        let available =
            |op: &&Op| op.languages == Availability::Both || self.kind == Kind::Fragment;
        let ops: Vec<&Op> = OPS.iter().filter(available).collect();
        let op = *self.rng.pick(&ops);
        let (source, known) = self.sources(op);
        let to = self.rng.below(TEMPS);
        let saturate = self.kind == Kind::Fragment && self.rng.percent(15);
        let suffix = if saturate { "_SAT" } else { "" };
        let masks = ["", "", "", ".x", ".yz", ".xyw", ".zw", ".xyz"];
        let mask = op.mask.unwrap_or(*self.rng.pick(&masks));
        self.line(&format!("{}{suffix} r{to}{mask}, {source};", op.name));
        let known = if saturate {
            Knowledge::result(known.limit.min(1.0), known.fraction, known.error)
        } else {
            known
        };
        self.temps[to] = match mask {
            "" => known,
            _ => self.temps[to].or(known),
        };
        self.tame(to);
    }

    /// Brings a temporary back whose values have grown, or have come too far apart.
    fn tame(&mut self, index: usize) {
        if self.temps[index].error > LARGEST_ERROR {
            let value = self.pick(Knowledge::is_exact);
            self.line(&format!("MOV {}, {};", Self::temp(index), value.name));
            self.temps[index] = value.known;
        }
        if self.temps[index].limit > LARGE {
            let name = Self::temp(index);
            self.line(&format!("MIN {name}, {name}, 4.0;"));
            self.line(&format!("MAX {name}, {name}, -4.0;"));
            let known = self.temps[index];
            self.temps[index] = Knowledge::result(4.0, known.fraction, known.error);
        }
    }

    /// The operands of an instruction, and what is known of its result.
    fn sources(&mut self, op: &Op) -> (String, Knowledge) {
        match op.rule {
            Rule::Any(result) => self.vector_sources(op.operands, 0, result),
            Rule::Jumps(Deciding::First, result) => self.vector_sources(op.operands, 1, result),
            Rule::Jumps(Deciding::All, result) => {
                self.vector_sources(op.operands, op.operands, result)
            }
            Rule::Function(function) => self.function_source(function),
            Rule::Pow => self.pow_sources(),
            Rule::Lit => self.lit_source(),
            Rule::Swz => self.swz_source(),
        }
    }

    /// Vectors, the first `exact` of them without rounding.
    fn vector_sources(
        &mut self,
        count: usize,
        exact: usize,
        result: ResultOf,
    ) -> (String, Knowledge) {
        let values: Vec<Named> = (0..count)
            .map(|index| self.pick(|known| known.is_exact() || index >= exact))
            .collect();
        let text: Vec<String> = values.iter().map(|value| self.operand(value)).collect();
        let known: Vec<Knowledge> = values.iter().map(|value| value.known).collect();
        (text.join(", "), result(&known))
    }

    fn swz_source(&mut self) -> (String, Knowledge) {
        let value = self.pick(|_| true);
        let lane = |rng: &mut Rng| *rng.pick(&["x", "-y", "z", "-w", "0", "1", "-1"]);
        let lanes: Vec<&str> = (0..4).map(|_| lane(self.rng)).collect();
        let known = value.known.or(bit(&[]));
        (format!("{}, {}", value.name, lanes.join(", ")), known)
    }

    /// LIT is not continuous where its first component is 0, and its power is not where the base is.
    fn lit_source(&mut self) -> (String, Knowledge) {
        let value = self.pick(Knowledge::is_exact);
        let text = self.operand(&value);
        let power = value.known.limit.max(1.0).powf(value.known.limit);
        // The base is clamped below at 0; the exponent, from -128 to 128, must not make it large.
        if value.known.limit <= 4.0 && power <= 256.0 {
            // A base of 0 with a negative exponent is infinite.
            let positive = format!("MAX r0, {text}, 0.25;");
            self.line(&positive);
            self.temps[0] = value.known.or(Knowledge::exact(0.25, 2));
            ("r0".to_owned(), Knowledge::rounded(power))
        } else {
            ("0.5".to_owned(), Knowledge::rounded(1.0))
        }
    }

    /// Makes r1 a value from 0.5 on, as far from all poles as from large results; gives one of its components.
    fn positive(&mut self) -> (String, Knowledge) {
        let value = self.pick(|known| known.limit <= 8.0);
        let argument = self.scalar(&value);
        self.line(&format!("ABS r1, {argument};"));
        self.line("ADD r1, r1, 0.5;");
        self.temps[1] = value.known.plus(Knowledge::exact(0.5, 1));
        let lane = *self.rng.pick(&["x", "y", "z", "w"]);
        (format!("r1.{lane}"), self.temps[1])
    }

    fn function_source(&mut self, function: Function) -> (String, Knowledge) {
        let (source, known) = self.positive();
        if let Some(limit) = function.up_to {
            self.line(&format!("MIN r1, r1, {limit};"));
        }
        let result = Knowledge::rounded(function.limit);
        (source, result.with_error(function.slope * known.error))
    }

    fn pow_sources(&mut self) -> (String, Knowledge) {
        let (source, known) = self.positive();
        let exponent = *self.rng.pick(&["x", "y", "z", "w"]);
        let limit = known.limit.powi(2).max(2.0);
        let result = Knowledge::rounded(limit).with_error(4.0 * known.limit * known.error);
        (format!("{source}, exponents.{exponent}"), result)
    }
}

/// A fraction of few bits, as text.
fn fraction(rng: &mut Rng) -> String {
    let quarters = rng.below(33) as i32 - 16;
    format!("{:?}", f64::from(quarters) / 4.0)
}

fn vector(rng: &mut Rng) -> String {
    let components: Vec<String> = (0..4).map(|_| fraction(rng)).collect();
    components.join(", ")
}

const PARAMETER: Knowledge = Knowledge::exact(4.0, 2);

/// A script whose programs are decided by `seed`.
pub fn script(seed: u64, kind: Kind) -> String {
    let mut rng = Rng::new(seed);
    let mut commands = String::new();
    let stage = match kind {
        Kind::Fragment => "fp",
        Kind::Vertex => "vp",
    };
    for index in 0..PARAMS {
        let (env, local) = (vector(&mut rng), vector(&mut rng));
        let _ = writeln!(commands, "parameter env_{stage} {index} ({env})");
        let _ = writeln!(commands, "parameter local_{stage} {index} ({local})");
    }
    if kind == Kind::Fragment {
        // Within [0, 1]: whether fog colors are clamped is up to state that programs do not see.
        commands
            .push_str("fog color 0.25 0.75 0.5 1\nfog density 0.25\nfog start 0.5\nfog end 3\n");
    }
    let instructions = 4 + rng.below(20);
    let program = program(&mut rng, kind, instructions);
    let (vertex, fragment) = match kind {
        Kind::Fragment => (PASS_ON.to_owned(), program),
        Kind::Vertex => (program, SHOW.to_owned()),
    };
    format!(
        "# Random programs, seed {seed}.\n[require]\nGL_ARB_vertex_program\nGL_ARB_fragment_program\nfbsize 8 8\n\
         framebuffer R32G32B32A32_SFLOAT\n\n[vertex program]\n{vertex}\n[fragment program]\n{fragment}\n\
         [vertex data]\nvertex.position/float/vec4 vertex.color/float/vec4 vertex.texcoord[0]/float/vec4\n\
         -1 -1 0 1  0.5 -0.25 1 0.75  0.25 0.5 -0.75 1\n\
          1 -1 0 1  0.5 -0.25 1 0.75  2.25 0.5 -0.75 1\n\
         -1  1 0 1  0.5 -0.25 1 0.75  0.25 2.5 -0.75 1\n\
          1  1 0 1  0.5 -0.25 1 0.75  2.25 2.5 -0.75 1\n\n\
         [test]\n{commands}draw arrays TRIANGLE_STRIP 0 4\n"
    )
}

/// Options of fragment programs, of which one of each row may stand in a program.
const FRAGMENT_OPTIONS: &[&[&str]] = &[
    &["ARB_fog_exp", "ARB_fog_exp2", "ARB_fog_linear"],
    &["ARB_precision_hint_fastest", "ARB_precision_hint_nicest"],
    &["ARB_fragment_coord_origin_upper_left"],
    &["ARB_fragment_coord_pixel_center_integer"],
];

/// The vertex program of scripts for fragment programs.
const PASS_ON: &str = "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color;\n\
                       MOV result.texcoord[0], vertex.texcoord[0];\nMOV result.fogcoord.x, vertex.texcoord[0].x;\nEND\n";

/// The fragment program of scripts for vertex programs.
const SHOW: &str = "!!ARBfp1.0\nTEMP sum;\nADD sum, fragment.texcoord[0], fragment.texcoord[1];\n\
                    MOV result.color, sum;\nEND\n";

/// Some of the options, as lines.
fn fragment_options(rng: &mut Rng) -> String {
    let mut lines = String::new();
    for choices in FRAGMENT_OPTIONS {
        if rng.percent(25) {
            let _ = writeln!(lines, "OPTION {};", rng.pick(choices));
        }
    }
    lines
}

/// What programs read besides temporaries.
fn inputs(kind: Kind) -> Vec<Named> {
    let mut inputs = vec![
        Named {
            name: "{0.5, -1.25, 2.0, 0.75}".to_owned(),
            known: Knowledge::exact(2.0, 2),
        },
        Named {
            name: "k".to_owned(),
            known: Knowledge::exact(3.0, 1),
        },
    ];
    for index in 0..PARAMS {
        for bank in ["env", "local"] {
            inputs.push(Named {
                name: format!("program.{bank}[{index}]"),
                known: PARAMETER,
            });
        }
    }
    let attributes = match kind {
        Kind::Fragment => {
            // What is interpolated is rounded; centers of pixels are not.
            vec![
                ("fragment.color", Knowledge::rounded(1.0)),
                ("fragment.texcoord[0]", Knowledge::rounded(2.5)),
                ("fragment.position", Knowledge::exact(8.0, 1)),
            ]
        }
        Kind::Vertex => {
            vec![
                ("vertex.color", Knowledge::exact(1.0, 2)),
                ("vertex.texcoord[0]", Knowledge::exact(2.5, 2)),
            ]
        }
    };
    for (name, known) in attributes {
        let name = name.to_owned();
        inputs.push(Named { name, known });
    }
    inputs
}

fn program(rng: &mut Rng, kind: Kind, instructions: usize) -> String {
    let (header, options) = match kind {
        Kind::Fragment => ("!!ARBfp1.0", fragment_options(rng)),
        Kind::Vertex => ("!!ARBvp1.0", String::new()),
    };
    let mut writer = Writer {
        rng,
        kind,
        text: format!(
            "{header}\n{options}PARAM k = {{1.5, -3.0, 0.5, 2.0}};\nPARAM exponents = {{0.5, 1.5, 2.0, -1.0}};\n"
        ),
        temps: vec![Knowledge::exact(0.0, 0); TEMPS],
        inputs: inputs(kind),
    };
    writer.begin();
    for number in 0..instructions {
        writer.instruction();
        let last = writer.rng.below(TEMPS);
        let kills = kind == Kind::Fragment && number == instructions / 2 && writer.rng.percent(10);
        if kills && writer.temps[last].is_exact() {
            writer.line(&format!("KIL r{last};"));
        }
        if kind == Kind::Vertex && writer.rng.percent(15) {
            writer.indexed_read();
        }
    }
    writer.end()
}

impl Writer<'_> {
    /// Declarations, and temporaries that hold something.
    fn begin(&mut self) {
        let temps: Vec<String> = (0..TEMPS).map(Self::temp).collect();
        self.line(&format!("TEMP {};", temps.join(", ")));
        if self.kind == Kind::Vertex {
            self.line("ADDRESS a;");
            let rows: Vec<String> = (0..ARRAY)
                .map(|_| format!("{{{}}}", vector(self.rng)))
                .collect();
            self.line(&format!("PARAM rows[{ARRAY}] = {{ {} }};", rows.join(", ")));
        }
        for index in 0..TEMPS {
            let value = self.pick(|known| known.limit > 0.0);
            self.line(&format!("MOV r{index}, {};", value.name));
            self.temps[index] = value.known;
        }
    }

    /// Reads an element of an array whose number an exact value decides.
    fn indexed_read(&mut self) {
        let value = self.pick(Knowledge::is_exact);
        let (to, index) = (self.rng.below(TEMPS), self.scalar(&value));
        // The index is brought into the array before it is used.
        self.line(&format!("MAX r2.x, {index}, 0.0;"));
        self.line("MIN r2.x, r2.x, 3.0;");
        self.temps[2] = self.temps[2].or(Knowledge::result(3.0, value.known.fraction, 0.0));
        self.line("ARL a.x, r2.x;");
        self.line(&format!("MOV r{to}, rows[a.x];"));
        self.temps[to] = PARAMETER;
    }

    /// Shows all temporaries and ends the program.
    fn end(mut self) -> String {
        self.line("ADD r0, r0, r1;");
        self.line("MAD r2, r3, 0.5, r2;");
        match self.kind {
            Kind::Fragment => {
                self.line("ADD r0, r0, r2;");
                self.line("ADD result.color, r0, r4;");
            }
            Kind::Vertex => {
                self.line("MOV result.position, vertex.position;");
                self.line("ADD result.texcoord[0], r0, r4;");
                self.line("MOV result.texcoord[1], r2;");
            }
        }
        self.line("END");
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_scripts() {
        for kind in [Kind::Fragment, Kind::Vertex] {
            assert_eq!(script(5, kind), script(5, kind));
            assert_ne!(script(5, kind), script(6, kind));
        }
    }

    #[test]
    fn the_programs_load() {
        for seed in 0..100 {
            let mut rng = Rng::new(seed);
            for kind in [Kind::Fragment, Kind::Vertex] {
                let text = program(&mut rng, kind, 20);
                crate::assert_loads(&text);
            }
        }
    }

    #[test]
    fn exact_values_have_few_bits() {
        let third = Knowledge::exact(4.0, 2);
        assert!(third.times(third).is_exact());
        let mut product = third;
        for _ in 0..4 {
            product = product.times(third);
        }
        assert!(!product.is_exact());
        assert_eq!(third.plus(third).limit, 8.0);
        assert!(!third.plus(Knowledge::rounded(1.0)).is_exact());
    }
}
