//! Builds programs of the IR in a few words and checks modules with rspirv and, where it is installed, spirv-val.

use glasm_codegen::error::ErrorKind;
use glasm_codegen::options::{BindingLayout, DeviceFeatures, Target};
use glasm_codegen::{Module, Options, emit};
use glasm_ir::arena::Id;
use glasm_ir::inst::{IndexTerm, LiteralId};
use glasm_ir::resource::ParamSource;
use glasm_ir::*;
use rspirv::binary::Disassemble;
use std::io::Write;
use std::process::{Command, Stdio};

/// A program under construction; the body of main is open.
pub(crate) struct Make {
    pub(crate) b: Builder,
}

/// A write mask by letters.
pub(crate) fn mask(letters: &str) -> WriteMask {
    WriteMask(
        letters
            .bytes()
            .fold(0, |mask, letter| mask | 1 << lane(letter)),
    )
}

fn lane(letter: u8) -> u8 {
    b"xyzw".iter().position(|&known| known == letter).unwrap() as u8
}

/// A swizzle by one or four letters.
pub(crate) fn swizzle(letters: &str) -> Swizzle {
    let letters = letters.as_bytes();
    Swizzle::new(std::array::from_fn(|index| {
        lane(letters[index % letters.len()])
    }))
}

/// A register with a swizzle.
pub(crate) fn r(register: RegisterId, letters: &str) -> Src {
    Src::from_register(register).swizzled(swizzle(letters))
}

/// A destination by letters.
pub(crate) fn d(register: RegisterId, letters: &str) -> Dst {
    Dst::new(register, mask(letters))
}

impl Make {
    pub(crate) fn new(stage: Stage) -> Self {
        let mut b = Builder::new(Program::new(stage));
        b.open_block();
        Self { b }
    }

    pub(crate) fn temp(&mut self) -> RegisterId {
        self.register(Storage::Temp, Width::W32, None)
    }

    pub(crate) fn wide(&mut self) -> RegisterId {
        self.register(Storage::Temp, Width::W64, None)
    }

    pub(crate) fn array(&mut self, len: u32) -> RegisterId {
        self.register(Storage::Temp, Width::W32, Some(len))
    }

    pub(crate) fn cc(&mut self) -> RegisterId {
        self.register(Storage::Cond, Width::W32, None)
    }

    pub(crate) fn register(
        &mut self,
        storage: Storage,
        width: Width,
        array: Option<u32>,
    ) -> RegisterId {
        self.b.program.registers.push(Register {
            storage,
            width,
            array_len: array,
            name: None,
        })
    }

    pub(crate) fn output(&mut self, semantic: Semantic) -> RegisterId {
        let output = self.b.program.outputs.push(Output::new(semantic));
        self.register(Storage::Output(output), Width::W32, None)
    }

    pub(crate) fn color(&mut self) -> RegisterId {
        self.output(Semantic::FragColor {
            buffer: 0,
            index: 0,
        })
    }

    pub(crate) fn input(&mut self, semantic: Semantic) -> Src {
        Src::new(OperandBase::Input(
            self.b.program.inputs.push(Input::new(semantic)),
        ))
    }

    pub(crate) fn param(&mut self) -> Src {
        let number = self.b.program.params.len() as u32;
        let source = ParamSource::Local(number);
        Src::new(OperandBase::Param(
            self.b.program.params.push(Param { source }),
        ))
    }

    pub(crate) fn bits(&mut self, bits: [u64; 4]) -> Src {
        Src::new(OperandBase::Literal(self.b.program.literals.push(bits)))
    }

    pub(crate) fn floats(&mut self, values: [f32; 4]) -> Src {
        self.bits(values.map(|value| u64::from(value.to_bits())))
    }

    pub(crate) fn ints(&mut self, values: [i32; 4]) -> Src {
        self.bits(values.map(|value| u64::from(value as u32)))
    }

    pub(crate) fn float(&mut self, value: f32) -> Src {
        self.floats([value; 4])
    }

    pub(crate) fn int(&mut self, value: i32) -> Src {
        self.ints([value; 4])
    }

    pub(crate) fn op(&mut self, op: Op, ty: Type, dst: Dst, sources: &[Src]) {
        self.inst(op, ty, Some(dst), InstData::None, sources);
    }

    pub(crate) fn f(&mut self, op: Op, dst: Dst, sources: &[Src]) {
        self.op(op, Type::F32, dst, sources);
    }

    pub(crate) fn inst(
        &mut self,
        op: Op,
        ty: Type,
        dst: Option<Dst>,
        aux: InstData,
        sources: &[Src],
    ) {
        let inst = Inst {
            op,
            ty,
            flags: InstFlags::empty(),
            source_count: 0,
            first_source: 0,
            dst,
            data: aux,
            span: Span::default(),
        };
        self.b.push_inst(inst, sources);
    }

    pub(crate) fn tex(&mut self, access: TexAccess, dst: Dst, sources: &[Src]) {
        let ty = self.b.program.textures[access.texture].texel_type;
        let id = self.b.program.tex_accesses.push(access);
        self.inst(Op::Tex, ty, Some(dst), InstData::Tex(id), sources);
    }

    pub(crate) fn mem(
        &mut self,
        op: Op,
        ty: Type,
        access: MemAccess,
        dst: Option<Dst>,
        sources: &[Src],
    ) {
        let id = self.b.program.mem_accesses.push(access);
        self.inst(op, ty, dst, InstData::Mem(id), sources);
    }

    /// `register[lane of relative + offset]`
    pub(crate) fn index(
        &mut self,
        relative: Option<(RegisterId, u8)>,
        offset: i32,
        len: u32,
    ) -> inst::IndexId {
        self.b.program.indices.push(Index {
            element: IndexTerm { relative, offset },
            len,
            vertex: None,
        })
    }

    /// A block with what `body` appends.
    pub(crate) fn block(&mut self, body: impl FnOnce(&mut Self)) -> BlockId {
        self.b.open_block();
        body(self);
        self.b.close_block()
    }

    pub(crate) fn if_(&mut self, cond: Cond, then: impl FnOnce(&mut Self)) {
        let then = self.block(then);
        self.b.push_branch(cond, then, None, Span::default());
    }

    pub(crate) fn if_else(
        &mut self,
        cond: Cond,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let then = self.block(then);
        let otherwise = self.block(otherwise);
        self.b
            .push_branch(cond, then, Some(otherwise), Span::default());
    }

    pub(crate) fn loop_(
        &mut self,
        body: impl FnOnce(&mut Self),
        continuing: impl FnOnce(&mut Self),
    ) {
        let body = self.block(body);
        let continuing = self.block(continuing);
        self.b.push_node(Node::Loop {
            body,
            continuing: Some(continuing),
            span: Span::default(),
        });
    }

    pub(crate) fn node(&mut self, node: Node) {
        self.b.push_node(node);
    }

    /// A routine with what `body` appends.
    pub(crate) fn routine(&mut self, body: impl FnOnce(&mut Self)) -> RoutineId {
        let body = self.block(body);
        self.b.program.routines.push(Routine { name: None, body })
    }

    pub(crate) fn call(&mut self, routine: RoutineId) {
        self.b.push_node(Node::Call(routine, Span::default()));
    }

    pub(crate) fn finish(mut self) -> Program {
        let main = self.b.program.main;
        let body = self.b.program.routines[main].body;
        self.b.close_block_as(body);
        self.b.program
    }
}

/// A test of `cc` with one lane for all.
pub(crate) fn guard(cc: RegisterId, test: CondTest, letters: &str) -> Guard {
    Guard {
        cc,
        test,
        swizzle: swizzle(letters),
    }
}

pub(crate) fn any(cc: RegisterId, test: CondTest, letters: &str) -> Cond {
    Cond::Any(guard(cc, test, letters))
}

pub(crate) fn literal(id: usize) -> LiteralId {
    LiteralId::new(id)
}

pub(crate) const TARGETS: [(Target, &str); 3] = [
    (Target::Vulkan1_1, "vulkan1.1"),
    (Target::Vulkan1_2, "vulkan1.2"),
    (Target::Vulkan1_3, "vulkan1.3"),
];

/// Disassembles a module; fails if its structure is broken.
pub(crate) fn disassemble(words: &[u32]) -> String {
    let mut loader = rspirv::dr::Loader::new();
    rspirv::binary::parse_words(words, &mut loader).expect("rspirv reads the module");
    loader.module().disassemble()
}

/// Runs spirv-val, if it is installed.
pub(crate) fn validate(words: &[u32], environment: &str) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let child = Command::new("spirv-val")
        .args(["--target-env", environment, "--scalar-block-layout", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else { return };
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "spirv-val ({environment}): {}{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        disassemble(words)
    );
}

/// Emits for all targets with these options, checks every module, returns the last.
pub(crate) fn check_with(program: &Program, options: &Options) -> Module {
    let mut last = None;
    for (target, environment) in TARGETS {
        let options = Options {
            target,
            ..options.clone()
        };
        let module =
            emit(program, &options).unwrap_or_else(|error| panic!("{environment}: {error}"));
        disassemble(&module.words);
        validate(&module.words, environment);
        last = Some(module);
    }
    check_for_opengl(program, options);
    last.unwrap()
}

/// Emits for OpenGL with those of the features that it has, and checks the module, unless OpenGL lacks what the program needs.
fn check_for_opengl(program: &Program, options: &Options) {
    let opengl = DeviceFeatures::of_opengl(450, |_| true);
    let lacks = |name: &str| opengl.lacks(name, program.stage).unwrap_or(false);
    let mut device = options.device.without(lacks);
    device.subgroups = opengl.subgroups;
    let options = Options {
        target: Target::OpenGl4_5,
        device,
        bindings: BindingLayout::opengl(84, 8),
        ..options.clone()
    };
    match emit(program, &options) {
        Ok(module) => validate(&module.words, Target::OpenGl4_5.name()),
        Err(error) => {
            let is_missing = matches!(error.kind, ErrorKind::MissingFeature(_));
            assert!(is_missing || error.message.contains("OpenGL"), "{error}");
        }
    }
}

/// Emits for one target with these options and checks the module; `number` picks the target.
pub(crate) fn check_one(program: &Program, options: &Options, number: usize) {
    let (target, environment) = TARGETS[number % TARGETS.len()];
    let options = Options {
        target,
        ..options.clone()
    };
    let module = emit(program, &options).unwrap_or_else(|error| panic!("{environment}: {error}"));
    disassemble(&module.words);
    validate(&module.words, environment);
}

/// Emits for all targets, checks every module, returns the last one's text.
pub(crate) fn check(program: &Program) -> String {
    disassemble(&check_with(program, &Options::default()).words)
}

/// How often `word` occurs in `text`.
pub(crate) fn count(text: &str, word: &str) -> usize {
    text.split_whitespace()
        .filter(|&token| token == word)
        .count()
}
