//! Programs made of statements that mostly parse, so that the fuzzer reaches checks, lowering and code generation.
#![no_main]

use arbitrary::Arbitrary;
use glasm::{DebugInfo, Options, Target, TgsiOptions};
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
    Geometry,
    GeometryOfPatches,
    Control,
    Evaluation,
    RegisterVertex1,
    RegisterVertex2,
    RegisterFragment,
}

impl Stage {
    fn words(&self) -> &'static Words {
        match self {
            Self::Vertex | Self::Fragment | Self::Compute => &TYPED,
            Self::Geometry => &GEOMETRY,
            Self::GeometryOfPatches => &PATCHES,
            Self::Control => &CONTROL,
            Self::Evaluation => &EVALUATION,
            Self::RegisterVertex1 => &VERTEX_1,
            Self::RegisterVertex2 => &VERTEX_2,
            Self::RegisterFragment => &FRAGMENT,
        }
    }

    /// Header and declarations.
    fn head(&self) -> String {
        let header = match self {
            Self::Vertex => "!!NVvp5.0\n",
            Self::Fragment => "!!NVfp5.0\n",
            Self::Compute => "!!NVcp5.0\nGROUP_SIZE 4;\n",
            Self::Geometry => {
                "!!NVgp4.0\nPRIMITIVE_IN TRIANGLES_ADJACENCY;\nPRIMITIVE_OUT TRIANGLE_STRIP;\nVERTICES_OUT 8;\n\
                 ATTRIB v = vertex.position;\nATTRIB a[] = { vertex.attrib[1..3] };\nOUTPUT o[] = { result.attrib[0..2] };\n"
            }
            Self::GeometryOfPatches => {
                "!!NVgp5.0\nPRIMITIVE_IN PATCHES;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 8;\nINVOCATIONS 2;\n\
                 ATTRIB v = vertex.position;\nATTRIB a[] = { primitive.tessouter[0..3] };\nOUTPUT o[] = { result.attrib[0..2] };\n"
            }
            Self::Control => {
                "!!NVtcp5.0\nVERTICES_OUT 4;\nATTRIB v = vertex.out.position;\nATTRIB a[] = { vertex.out.attrib[1..3] };\n\
                 OUTPUT o[] = { result.patch.tessouter[0..3] };\n"
            }
            Self::Evaluation => {
                "!!NVtep5.0\nTESS_MODE TRIANGLES;\nATTRIB v = vertex.in.position;\nATTRIB a[] = { vertex.in.texcoord[0..2] };\n\
                 OUTPUT o[] = { result.clip[1..3] };\n"
            }
            Self::RegisterVertex1 => "!!VP1.1\n",
            Self::RegisterVertex2 => "!!VP2.0\n",
            Self::RegisterFragment => "!!FP1.0\nDECLARE d = {1, 2};\nDEFINE two = 2;\n",
        };
        if self.words().typed {
format!("{header}{DECLARATIONS}")
} else {
header.to_owned()
}
    }
}

/// What variables are called in programs that declare them.
const DECLARATIONS: &str = "TEMP t0, t1, t2, t3[4];\nLONG TEMP l0, l1;\nINT TEMP i;\n\
                            PARAM p[8] = { program.local[0..7] };\nPARAM c = { 1, 2.5, -3, 0 };\n";

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
    Emit(u8),
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
    "EQ.x",
    "NE.x",
    "GT.y",
    "GE.z",
    "LT.w",
    "LE.x",
    "TR",
    "FL",
    "CF.x",
    "NCF",
    "NE0.xyzw",
    "GT1.x",
    "AB",
    "RESIDENT",
    "NONRESIDENT.y",
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

/// The words of a language.
struct Words {
    /// Whether variables have declarations and opcodes have types.
    typed: bool,
    unary: &'static [&'static str],
    binary: &'static [&'static str],
    ternary: &'static [&'static str],
    tests: &'static [&'static str],
    writable: &'static [&'static str],
    readable: &'static [&'static str],
}

const TYPED: Words = Words {
    typed: true,
    unary: UNARY,
    binary: BINARY,
    ternary: TERNARY,
    tests: TESTS,
    writable: WRITABLE,
    readable: READABLE,
};

/// What ends vertices and strips.
const EMISSIONS: &[&str] = &["EMIT;\n", "ENDPRIM;\n", "EMITS i.x;\n", "EMITS 3;\n"];

const GEOMETRY: Words = Words {
    writable: &[
        "t0",
        "t1",
        "l0",
        "result.position",
        "result.attrib[2]",
        "result.color.back",
        "result.layer",
        "o[i.x]",
        "t3[1]",
    ],
    readable: &[
        "t0",
        "t1",
        "l0",
        "v[0]",
        "v[i.x + 1]",
        "a[i.x][2]",
        "a[5][i.y]",
        "vertex[3].position",
        "vertex[0].attrib[2]",
        "vertex[1].color.back",
        "primitive.id",
        "t3[i.x]",
        "c",
    ],
    ..TYPED
};

const PATCHES: Words = Words {
    readable: &[
        "t0",
        "t1",
        "l0",
        "v[31]",
        "v[i.x + 1]",
        "a[i.x]",
        "a[2]",
        "vertex[31].position",
        "primitive.invocation",
        "primitive.vertexcount",
        "primitive.patch.attrib[3]",
        "primitive.tessinner[1]",
        "c",
    ],
    ..GEOMETRY
};

const CONTROL: Words = Words {
    writable: &[
        "t0",
        "t1",
        "l0",
        "result.position",
        "result.attrib[2]",
        "result.patch.attrib[1]",
        "result.patch.tessinner[0]",
        "o[i.x]",
        "t3[1]",
    ],
    readable: &[
        "t0",
        "t1",
        "l0",
        "v[0]",
        "v[i.x + 1]",
        "a[i.x][2]",
        "a[3][i.y]",
        "vertex.in[3].position",
        "vertex.out[2].attrib[2]",
        "primitive.out.patch.attrib[1]",
        "primitive.out.tessouter[2]",
        "primitive.invocation",
        "c",
    ],
    ..TYPED
};

const EVALUATION: Words = Words {
    writable: &[
        "t0",
        "t1",
        "l0",
        "result.position",
        "result.attrib[2]",
        "result.pointsize",
        "result.clip[0]",
        "o[i.x]",
        "t3[1]",
    ],
    readable: &[
        "t0",
        "t1",
        "l0",
        "v[0]",
        "v[i.x + 1]",
        "a[i.x][2]",
        "a[3][i.y]",
        "vertex[3].pointsize",
        "vertex.tesscoord",
        "primitive.patch.attrib[1]",
        "primitive.in.tessouter[2]",
        "primitive.vertexcount",
        "c",
    ],
    ..TYPED
};

const VERTEX_1: Words = Words {
    typed: false,
    unary: &[
        "MOV", "ABS", "LIT", "ARL", "RCP", "RSQ", "EXP", "LOG", "RCC",
    ],
    binary: &[
        "ADD", "SUB", "MUL", "MIN", "MAX", "SLT", "SGE", "DP3", "DP4", "DPH", "DST",
    ],
    ternary: &["MAD"],
    tests: TESTS,
    writable: &[
        "R0", "R1", "R11", "o[HPOS]", "o[TEX7]", "o[PSIZ]", "A0.x", "o[BFC1]",
    ],
    readable: &[
        "R0",
        "R1",
        "R11",
        "v[OPOS]",
        "v[15]",
        "c[95]",
        "c[A0.x]",
        "c[A0.x+63]",
        "c[A0.x - 64]",
    ],
};

const VERTEX_2: Words = Words {
    unary: &[
        "MOV", "ABS", "LIT", "ARL", "ARR", "ARA", "RCP", "RSQ", "EXP", "LOG", "RCC", "SIN", "COS",
        "EX2", "LG2", "FLR", "FRC", "SSG",
    ],
    binary: &[
        "ADD", "SUB", "MUL", "MIN", "MAX", "SLT", "SGE", "SGT", "SLE", "SEQ", "SNE", "STR", "SFL",
        "DP3", "DP4", "DPH", "DST",
    ],
    writable: &[
        "R0", "R1", "R15", "o[HPOS]", "o[TEX7]", "o[CLP5]", "A0", "A1", "CC",
    ],
    readable: &[
        "R0",
        "R1",
        "R15",
        "v[OPOS]",
        "v[15]",
        "c[255]",
        "c[A0.y]",
        "c[A1.w+255]",
        "c[A0.x - 256]",
        "A0",
        "A1",
    ],
    ..VERTEX_1
};

const FRAGMENT: Words = Words {
    unary: &[
        "MOV", "MOVH", "MOVX", "LIT", "RCP", "RSQH", "SIN", "COS", "EX2", "LG2", "FLR", "FRCX",
        "DDX", "DDY", "PK2H", "PK4UB", "UP2H", "UP4B",
    ],
    binary: &[
        "ADD", "ADDX", "SUBH", "MUL", "MULR", "MIN", "MAX", "SLT", "SGE", "SGT", "SLEX", "SEQ",
        "SNE", "STR", "SFL", "DP3", "DP4H", "DST", "POW", "RFL",
    ],
    ternary: &["MAD", "MADX", "LRP", "LRPH", "X2D"],
    writable: &[
        "R0", "R1", "R31", "H0", "H63", "o[COLR]", "o[COLH]", "o[DEPR]", "RC", "HC",
    ],
    readable: &[
        "R0",
        "R1",
        "R31",
        "H0",
        "H63",
        "f[WPOS]",
        "f[TEX0]",
        "f[COL0]",
        "p[0]",
        "p[63]",
        "d",
        "two",
        "{1, 2, 3, 4}",
        "0.5",
    ],
    ..VERTEX_1
};

fn pick(list: &'static [&'static str], index: u8) -> &'static str {
    list[index as usize % list.len()]
}

struct Printer {
    text: String,
    words: &'static Words,
    /// Labels behind statements that a branch passes over.
    labels: usize,
}

impl Printer {
    fn put(&mut self, words: &[&str]) {
        self.text.extend(words.iter().copied());
    }

    fn op(&mut self, name: &str, suffix: &Suffix, to: &Dst) {
        let [ty, update, saturate] = if self.words.typed {
[pick(TYPES, suffix.ty), ".CC", ".SAT"]
} else {
["", "C", "_SAT"]
};
        self.put(&[name, ty]);
        self.put(&[
            if suffix.update { update } else { "" },
            if suffix.saturate { saturate } else { "" },
            " ",
        ]);
        self.dst(to);
    }

    fn dst(&mut self, to: &Dst) {
        self.put(&[pick(self.words.writable, to.name), pick(MASKS, to.mask)]);
        if let Some(guard) = to.guard {
            self.put(&[" (", pick(self.words.tests, guard), ")"]);
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
                pick(self.words.readable, from.name),
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
                self.op(pick(self.words.unary, *op), suffix, to);
                self.sources(&[a]);
            }
            Stmt::Binary {
                op,
                suffix,
                to,
                a,
                b,
            } => {
                self.op(pick(self.words.binary, *op), suffix, to);
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
                self.op(pick(self.words.ternary, *op), suffix, to);
                self.sources(&[a, b, c]);
            }
            Stmt::If { test, then, .. } if !self.words.typed => {
                self.labels += 1;
                let label = format!("e{}", self.labels);
                let test = pick(self.words.tests, *test);
                self.put(&["BRA ", &label, " (", test, ");\n"]);
                self.body(then);
                self.put(&[&label, ":\n"]);
            }
            Stmt::Rep { body, .. } if !self.words.typed => self.body(body),
            Stmt::Tex(to, from, _) if !self.words.typed => {
                self.put(&["TEX "]);
                self.dst(to);
                self.put(&[", "]);
                self.src(from);
                self.put(&[", TEX0, 2D;\n"]);
            }
            Stmt::If {
                test,
                then,
                otherwise,
            } => {
                self.put(&["IF ", pick(self.words.tests, *test), ";\n"]);
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
            Stmt::Brk(test) => self.put(&["BRK (", pick(self.words.tests, *test), ");\n"]),
            Stmt::Cont(test) => self.put(&["CONT (", pick(self.words.tests, *test), ");\n"]),
            Stmt::Ret(test) => self.put(&["RET (", pick(self.words.tests, *test), ");\n"]),
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
            Stmt::Emit(which) => self.put(&[pick(EMISSIONS, *which)]),
        }
    }
}

fuzz_target!(|input: Input| {
    let mut printer = Printer {
        text: input.stage.head(),
        words: input.stage.words(),
        labels: 0,
    };
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
    glasm_fuzz::check_repaired(printer.text, TgsiOptions::default(), &options);
});
