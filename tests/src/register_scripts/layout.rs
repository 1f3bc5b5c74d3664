//! What stands around the instructions, and the script with its expected values.

use super::Kind;
use super::machine::{Machine, State};
use super::ops::Vector;
use super::program::{Place, Printer, Stmt};
use super::writer::{
    ATTRIBUTES, COUNTS, FRAGMENT_ATTRIBUTES, FUEL, PARAMETERS, TEMPS, Writer, numbers,
};
use crate::rng::Rng;
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// Numbers of loops, and those that approximations are made exact with.
const FIXED: [[f64; 4]; 3] = [
    [1.0, 2.0, 3.0, 4.0],
    [4.0, 0.25, 16.0, 1.0],
    [256.0, 0.5, 1.0 / 256.0, 0.0],
];
/// The first parameter that shows a temporary of a state program.
const SHOWN: usize = 40;
/// Parameters of fragment programs that choose the register to show.
const CHOICE: usize = 20;

/// A script while it is written.
pub(super) struct Script {
    writer: Writer,
    seed: u64,
    /// The parameters before the program, which state programs change.
    parameters: Vec<[f64; 4]>,
    main: Vec<Stmt>,
}

impl Script {
    pub(super) fn new(seed: u64, kind: Kind) -> Self {
        // Kinds of one seed have programs of their own.
        let mut rng = Rng::new(seed.wrapping_mul(5).wrapping_add(kind as u64) ^ 0x5e61);
        let count = match kind {
            Kind::State => 1,
            _ => 3 + rng.below(4),
        };
        let states = (0..count).map(|who| State::new(attributes(&mut rng, kind, who)));
        let states = states.collect();
        // All parameters that a program has: those without values are zero.
        let all = match kind {
            Kind::Vertex10 | Kind::Vertex11 | Kind::State => 96,
            _ => 256,
        };
        let mut parameters = vec![[0.0; 4]; all];
        for parameter in &mut parameters[..PARAMETERS] {
            *parameter = numbers(&mut rng);
        }
        parameters[COUNTS..COUNTS + FIXED.len()].copy_from_slice(&FIXED);
        let machine = Machine {
            kind,
            states,
            parameters,
            names: names(&mut rng),
            routines: Vec::new(),
            fuel: FUEL,
        };
        Self {
            parameters: machine.parameters.clone(),
            writer: Writer::new(rng, kind, machine),
            seed,
            main: Vec::new(),
        }
    }

    /// All temporaries get values.
    pub(super) fn begin(&mut self) {
        for number in 0..TEMPS {
            self.main.push(self.writer.first(Place::Full(number)));
            if self.writer.kind == Kind::Fragment {
                self.main.push(self.writer.first(Place::Half(number)));
            }
        }
    }

    pub(super) fn body(&mut self) {
        let count = 6 + self.writer.rng.below(22);
        let active = self.writer.machine.all();
        self.main.extend(self.writer.block(count, &active));
    }

    /// The script.
    pub(super) fn text(&self) -> String {
        let machine = &self.writer.machine;
        let mut text = format!("# Random programs, seed {}.\n", self.seed);
        if self.writer.kind == Kind::State {
            self.state(&mut text);
            return text;
        }
        let _ = write!(text, "[require]\nfbsize {} 1\n", machine.states.len());
        match self.writer.kind {
            Kind::Fragment => self.fragment(&mut text),
            _ => self.vertex(&mut text),
        }
        text
    }

    /// A state program, whose temporaries go to parameters of their own at the end.
    fn state(&self, text: &mut String) {
        let machine = &self.writer.machine;
        let program = Printer(Kind::State).block(&self.main);
        let _ = write!(text, "[vertex state program]\n!!VSP1.0\n{program}");
        for number in 0..TEMPS {
            let _ = writeln!(text, "MOV c[{}], R{number};", SHOWN + number);
        }
        text.push_str("END\n\n[test]\n");
        self.parameters(text, "env_vp");
        let state = &machine.states[0];
        let _ = writeln!(text, "state program ({})", known(state.attributes[0]));
        for number in (0..PARAMETERS).chain(COUNTS..COUNTS + FIXED.len()) {
            let value = list(machine.parameters[number]);
            let _ = writeln!(text, "probe parameter env_vp {number} == ({value})");
        }
        for (number, value) in state.full[..TEMPS].iter().enumerate() {
            let (number, value) = (SHOWN + number, known(*value));
            let _ = writeln!(text, "probe parameter env_vp {number} == ({value})");
        }
    }

    fn vertex(&self, text: &mut String) {
        for number in 0..2 * TEMPS {
            let _ = writeln!(text, "framebuffer {number} R32G32B32A32_SFLOAT");
        }
        let _ = write!(text, "\n[vertex program]\n{}", self.vertex_program());
        text.push_str("\n[fragment program]\n!!NVfp4.0\nOPTION ARB_draw_buffers;\n");
        for number in 0..2 * TEMPS {
            let _ = writeln!(text, "FLAT ATTRIB a{number} = fragment.texcoord[{number}];");
        }
        for number in 0..2 * TEMPS {
            let _ = writeln!(text, "MOV result.color[{number}], a{number};");
        }
        text.push_str("END\n");
        self.vertex_data(text, 1..ATTRIBUTES);
        text.push_str("\n[test]\ntolerance 0\n");
        self.parameters(text, "env_vp");
        let machine = &self.writer.machine;
        let _ = writeln!(text, "draw arrays POINTS 0 {}", machine.states.len());
        for (who, state) in machine.states.iter().enumerate() {
            for number in 0..2 * TEMPS {
                let shown = if number < TEMPS {
                    state.full[number]
                } else {
                    state.results[number]
                };
                let _ = writeln!(
                    text,
                    "probe attachment {number} rgba {who} 0 {}",
                    line(shown)
                );
            }
        }
    }

    fn vertex_program(&self) -> String {
        let header = match self.writer.kind {
            Kind::Vertex10 => "!!VP1.0",
            Kind::Vertex11 => "!!VP1.1",
            _ => "!!VP2.0",
        };
        let printer = Printer(self.writer.kind);
        let mut text = format!("{header}\n{}", printer.block(&self.main));
        for number in 0..TEMPS {
            let _ = writeln!(text, "MOV o[TEX{number}], R{number};");
        }
        text.push_str("MOV o[HPOS], v[OPOS];\n");
        let routines = &self.writer.machine.routines;
        if !routines.is_empty() {
            text.push_str("RET;\n");
        }
        for (number, body) in routines.iter().enumerate() {
            let _ = write!(text, "S{number}:\n{}RET;\n", printer.block(body));
        }
        text + "END\n"
    }

    fn fragment(&self, text: &mut String) {
        let machine = &self.writer.machine;
        text.push_str("framebuffer R32G32B32A32_SFLOAT\n\n[vertex program]\n!!NVvp4.0\n");
        text.push_str("MOV result.position, vertex.attrib[0];\nMOV result.pointsize.x, 1;\n");
        for (number, to) in [(1, 0), (2, 3), (3, 7)] {
            let _ = writeln!(text, "MOV result.texcoord[{to}], vertex.attrib[{number}];");
        }
        let _ = write!(
            text,
            "END\n\n[fragment program]\n{}",
            self.fragment_program()
        );
        self.vertex_data(text, 1..FRAGMENT_ATTRIBUTES);
        text.push_str("\n[test]\ntolerance 0\nclear color 77 77 77 77\n");
        self.parameters(text, "local_fp");
        let _ = writeln!(
            text,
            "parameter named_fp light ({})",
            list(machine.names[0])
        );
        for shown in 0..2 * TEMPS {
            for half in 0..2 {
                let one = |lane| f64::from(u8::from(half * TEMPS + lane == shown));
                let choice = list(std::array::from_fn(one));
                let _ = writeln!(text, "parameter local_fp {} ({choice})", CHOICE + half);
            }
            let _ = writeln!(text, "clear\ndraw arrays POINTS 0 {}", machine.states.len());
            for (who, state) in machine.states.iter().enumerate() {
                let value = match shown < TEMPS {
                    _ if state.dead => [Some(77.0); 4],
                    true => state.full[shown],
                    false => state.half[shown - TEMPS],
                };
                let _ = writeln!(text, "probe rgba {who} 0 {}", line(value));
            }
        }
    }

    fn fragment_program(&self) -> String {
        let [_, scale, two] = self.writer.machine.names;
        let mut text = format!(
            "!!FP1.0\nDECLARE light = {{1, 2, 3, 4}};\nDECLARE scale = {{{}}};\nDEFINE two = {{{}}};\n",
            list(scale),
            list(two)
        );
        text.push_str(&Printer(Kind::Fragment).block(&self.main));
        text.push_str("MOVR R31, 0;\n");
        for (bank, letter) in ['R', 'H'].into_iter().enumerate() {
            for (number, lane) in ['x', 'y', 'z', 'w'].into_iter().enumerate() {
                let choice = CHOICE + bank;
                let _ = writeln!(text, "MADR R31, {letter}{number}, p[{choice}].{lane}, R31;");
            }
        }
        text + "MOVR o[COLR], R31;\nEND\n"
    }

    /// Commands for parameters.
    fn parameters(&self, text: &mut String, bank: &str) {
        let parameters = &self.parameters;
        for number in (0..PARAMETERS).chain(COUNTS..COUNTS + FIXED.len()) {
            let _ = writeln!(
                text,
                "parameter {bank} {number} ({})",
                list(parameters[number])
            );
        }
    }

    fn vertex_data(&self, text: &mut String, columns: std::ops::Range<usize>) {
        text.push_str("\n[vertex data]\n0/R32G32_SFLOAT");
        for number in columns.clone() {
            let _ = write!(text, " {number}/R32G32B32A32_SFLOAT");
        }
        text.push('\n');
        let states = &self.writer.machine.states;
        for (who, state) in states.iter().enumerate() {
            let x = (2 * who + 1) as f64 / states.len() as f64 - 1.0;
            let _ = write!(text, "{x:?} 0");
            for number in columns.clone() {
                let _ = write!(text, "  {}", line(state.attributes[number]));
            }
            text.push('\n');
        }
    }
}

/// What differs between invocations. The position of vertices is not read; of that of fragments x and y are known.
fn attributes(rng: &mut Rng, kind: Kind, who: usize) -> Vec<Vector> {
    let (count, position) = match kind {
        Kind::Fragment => (
            FRAGMENT_ATTRIBUTES,
            [Some(who as f64 + 0.5), Some(0.5), None, None],
        ),
        Kind::State => return vec![numbers(rng).map(Some)],
        _ => (ATTRIBUTES, [None; 4]),
    };
    let others = (1..count).map(|_| numbers(rng).map(Some));
    std::iter::once(position).chain(others).collect()
}

/// Values of names: all of them fit all precisions.
fn names(rng: &mut Rng) -> [[f64; 4]; 3] {
    std::array::from_fn(|_| std::array::from_fn(|_| (rng.below(15) as f64 - 7.0) / 4.0))
}

fn list(numbers: [f64; 4]) -> String {
    numbers.map(|number| number.to_string()).join(", ")
}

/// The components of a vector of which all are known: the writer of state programs leaves none open.
fn known(vector: Vector) -> String {
    list(vector.map(Option::unwrap_or_default))
}

/// The components; one that nobody knows is open.
fn line(vector: Vector) -> String {
    let word = |number: Option<f64>| number.map_or_else(|| "open".to_owned(), |it| it.to_string());
    vector.map(word).join(" ")
}
