//! Programs made of statements that mostly parse, so that the fuzzer reaches checks, lowering and code generation.
#![no_main]

use arbitrary::Arbitrary;
use glasm::{DebugInfo, Options, Target};
use libfuzzer_sys::fuzz_target;

/// A program.
#[derive(Arbitrary, Debug)]
struct Input {
    stage: Stage,
    target: Version,
    names: bool,
    lines: bool,
    body: Vec<Stmt>,
}

/// Its header.
#[derive(Arbitrary, Debug)]
enum Stage {
    Vertex,
    Fragment,
    Compute,
}

/// Its target.
#[derive(Arbitrary, Debug)]
enum Version {
    V1_1,
    V1_2,
    V1_3,
}

/// A statement.
#[derive(Arbitrary, Debug)]
enum Stmt {
    Unary {
        op: u8,
        suffix: Suffix,
        to: Dst,
        a: Src,
    },
    Binary {
        op: u8,
        suffix: Suffix,
        to: Dst,
        a: Src,
        b: Src,
    },
    Ternary {
        op: u8,
        suffix: Suffix,
        to: Dst,
        a: Src,
        b: Src,
        c: Src,
    },
    If {
        test: u8,
        then: Vec<Stmt>,
        otherwise: Option<Vec<Stmt>>,
    },
    Rep {
        count: Option<Src>,
        body: Vec<Stmt>,
    },
    Brk(u8),
    Cont(u8),
    Cal(u8),
    Ret(u8),
    Label(u8),
    Kil(Src),
    Tex(Dst, Src, Option<Src>),
    Load(Dst, Src),
    Store(Src, Src),
    Atom(Dst, Src, Src),
}

/// Modifiers of an opcode.
#[derive(Arbitrary, Debug)]
struct Suffix {
    ty: u8,
    saturate: bool,
    update: bool,
}

/// A destination.
#[derive(Arbitrary, Debug)]
struct Dst {
    name: u8,
    mask: u8,
    guard: Option<u8>,
}

/// An operand.
#[derive(Arbitrary, Debug)]
struct Src {
    name: u8,
    negate: bool,
    absolute: bool,
    swizzle: u8,
    literal: i16,
}

const UNARY: &[&str] = &[
    "MOV", "ABS", "FLR", "CEIL", "FRC", "TRUNC", "ROUND", "I2F", "NOT", "RCP", "RSQ", "EX2", "LG2",
    "SIN", "COS", "BTC", "BFR", "BTFL", "BTFM", "LIT", "SSG", "NRM", "PK2H", "UP2H", "DDX", "DDY",
    "CVT",
];
const BINARY: &[&str] = &[
    "ADD", "SUB", "MUL", "MIN", "MAX", "AND", "OR", "XOR", "SHL", "SHR", "SLT", "SGE", "SGT",
    "SLE", "SEQ", "SNE", "DP2", "DP3", "DP4", "DPH", "DST", "XPD", "POW", "DIV", "MOD", "RFL",
    "BFE",
];
const TERNARY: &[&str] = &["MAD", "CMP", "LRP", "DP2A", "SAD", "X2D", "BFI", "MADC"];
const TYPES: &[&str] = &[
    "", ".F", ".U", ".S", ".F32", ".U64", ".S64", ".F64", ".F16", ".S8", ".R", ".H",
];
const TESTS: &[&str] = &[
    "EQ.x", "NE.x", "GT.y", "GE.z", "LT.w", "LE.x", "TR", "FL", "CF.x", "NCF", "NE0.xyzw", "GT1.x",
    "AB", "RESIDENT", "NONRESIDENT.y",
];
const WRITABLE: &[&str] = &[
    "t0",
    "t1",
    "t2",
    "l0",
    "l1",
    "result.color",
    "result.position",
    "t3[1]",
    "RC",
];
const READABLE: &[&str] = &[
    "t0",
    "t1",
    "t2",
    "l0",
    "l1",
    "t3[0]",
    "t3[i.x]",
    "program.local[1]",
    "p[i.x + 1]",
    "fragment.position",
    "vertex.attrib[1]",
    "invocation.globalid",
    "state.matrix.mvp.row[0]",
    "c",
];
const MASKS: &[&str] = &["", ".x", ".xy", ".xyz", ".w", ".yz", ".xw", ".xyzw"];
const SWIZZLES: &[&str] = &["", ".x", ".y", ".wzyx", ".xxyy", ".xyzz", ".w", ".zzzz"];

fn pick(list: &'static [&'static str], index: u8) -> &'static str {
    list[index as usize % list.len()]
}

struct Printer {
    text: String,
}

impl Printer {
    fn put(&mut self, words: &[&str]) {
        self.text.extend(words.iter().copied());
    }

    fn op(&mut self, name: &str, suffix: &Suffix, to: &Dst) {
        self.put(&[name, pick(TYPES, suffix.ty)]);
        self.put(&[
            if suffix.saturate { ".SAT" } else { "" },
            if suffix.update { ".CC" } else { "" },
            " ",
        ]);
        self.dst(to);
    }

    fn dst(&mut self, to: &Dst) {
        self.put(&[pick(WRITABLE, to.name), pick(MASKS, to.mask)]);
        if let Some(guard) = to.guard {
            self.put(&[" (", pick(TESTS, guard), ")"]);
        }
    }

    fn src(&mut self, from: &Src) {
        if from.negate {
            self.put(&["-"]);
        }
        let bar = if from.absolute { "|" } else { "" };
        if from.name > 240 {
            self.put(&[&from.literal.to_string()]);
        } else {
            self.put(&[
                bar,
                pick(READABLE, from.name),
                pick(SWIZZLES, from.swizzle),
                bar,
            ]);
        }
    }

    fn sources(&mut self, sources: &[&Src]) {
        for from in sources {
            self.put(&[", "]);
            self.src(from);
        }
        self.put(&[";\n"]);
    }

    fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Unary { op, suffix, to, a } => {
                self.op(pick(UNARY, *op), suffix, to);
                self.sources(&[a]);
            }
            Stmt::Binary {
                op,
                suffix,
                to,
                a,
                b,
            } => {
                self.op(pick(BINARY, *op), suffix, to);
                self.sources(&[a, b]);
            }
            Stmt::Ternary {
                op,
                suffix,
                to,
                a,
                b,
                c,
            } => {
                self.op(pick(TERNARY, *op), suffix, to);
                self.sources(&[a, b, c]);
            }
            Stmt::If {
                test,
                then,
                otherwise,
            } => {
                self.put(&["IF ", pick(TESTS, *test), ";\n"]);
                self.body(then);
                if let Some(otherwise) = otherwise {
                    self.put(&["ELSE;\n"]);
                    self.body(otherwise);
                }
                self.put(&["ENDIF;\n"]);
            }
            Stmt::Rep { count, body } => {
                self.put(&["REP "]);
                count.iter().for_each(|count| self.src(count));
                self.put(&[";\n"]);
                self.body(body);
                self.put(&["ENDREP;\n"]);
            }
            Stmt::Brk(test) => self.put(&["BRK (", pick(TESTS, *test), ");\n"]),
            Stmt::Cont(test) => self.put(&["CONT (", pick(TESTS, *test), ");\n"]),
            Stmt::Ret(test) => self.put(&["RET (", pick(TESTS, *test), ");\n"]),
            Stmt::Cal(label) => self.put(&["CAL s", &(label % 4).to_string(), ";\n"]),
            Stmt::Label(label) => self.put(&["s", &(label % 4).to_string(), ":\n"]),
            Stmt::Kil(from) => {
                self.put(&["KIL "]);
                self.src(from);
                self.put(&[";\n"]);
            }
            Stmt::Tex(to, from, least) => {
                let modifiers = [" ", ".LODCLAMP.SPARSE "];
                self.put(&["TEX", modifiers[usize::from(least.is_some())]]);
                self.dst(to);
                for source in [Some(from), least.as_ref()].into_iter().flatten() {
                    self.put(&[", "]);
                    self.src(source);
                }
                self.put(&[", texture[0], 2D;\n"]);
            }
            Stmt::Load(to, from) => {
                self.put(&["LOAD.F32X4 "]);
                self.dst(to);
                self.sources(&[from]);
            }
            Stmt::Store(value, address) => {
                self.put(&["STORE.U32 "]);
                self.src(value);
                self.sources(&[address]);
            }
            Stmt::Atom(to, value, address) => {
                self.put(&["ATOM.ADD.U32 "]);
                self.dst(to);
                self.sources(&[value, address]);
            }
        }
    }
}

fuzz_target!(|input: Input| {
    let mut printer = Printer {
        text: String::new(),
    };
    printer.put(&[match input.stage {
        Stage::Vertex => "!!NVvp5.0\n",
        Stage::Fragment => "!!NVfp5.0\n",
        Stage::Compute => "!!NVcp5.0\nGROUP_SIZE 4;\n",
    }]);
    printer.put(&["TEMP t0, t1, t2, t3[4];\nLONG TEMP l0, l1;\nINT TEMP i;\n"]);
    printer.put(&["PARAM p[8] = { program.local[0..7] };\nPARAM c = { 1, 2.5, -3, 0 };\n"]);
    printer.body(&input.body);
    printer.put(&["END\n"]);
    let target = match input.target {
        Version::V1_1 => Target::Vulkan1_1,
        Version::V1_2 => Target::Vulkan1_2,
        Version::V1_3 => Target::Vulkan1_3,
    };
    let debug = DebugInfo {
        names: input.names,
        lines: input.lines,
    };
    let options = Options {
        target,
        debug,
        ..Options::default()
    };
    glasm_fuzz::check_repaired(printer.text, &options);
});
