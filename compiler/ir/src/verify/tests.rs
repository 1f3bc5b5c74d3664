//! Each check has a program that fails this check only.

use super::*;
use crate::inst::{Dst, InstData, WriteMask};
use crate::program::{Block, MAX_NESTING, Node, Storage};
use crate::{Id, Stage, Width, parse};

mod primitives;

const DECLARATIONS: &str = "\
r0: temp32
r1: temp64
r2: temp16
r3: temp32[4]
cc4: cond32
r5: output32 out0
p0: env[0]
p1: env[1]
in0: generic[0] float
in1: generic[1] float per_vertex
out0: generic[0] float
tex0: unit 0 2d f32
tex1: unit 1 cube shadow f32
tex2: unit 2[3] 2dms f32
tex3: unit 3 buffer u32
tex4: handle 2d f32
tex5: query_handle 2d f32
buf0: storage 0
buf1: constant 1[2]
img0: unit 0 2darray raw64
img1: unit 1[2] 2dms raw32
img2: unit 2 1d s32
img3: handle 2d f32
img4: handle 2d unused
img5: query_handle 2d f32
";

fn parse_program(stage: &str, body: &str) -> Program {
    let text = format!("program {stage}\n{DECLARATIONS}routine fn0 {{\n{body}\n}}\nmain fn0\n");
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn list_messages(program: &Program) -> Vec<String> {
    verify(program)
        .err()
        .unwrap_or_default()
        .into_iter()
        .map(|error| error.message)
        .collect()
}

/// Checks that a program has one error, which starts with `expected`.
fn assert_error(program: &Program, expected: &str) {
    let messages = list_messages(program);
    assert!(
        messages.len() == 1 && messages[0].starts_with(expected),
        "{messages:?} is not the one error {expected:?}\n{program}"
    );
}

#[test]
fn right_bodies() {
    let bodies = [
        "r0.xyzw = add.f32.sat r3[r0.x+1 of 4].xyzw, p0[r0.y of 2].xyzw",
        "r0.x if(gt cc4.xyzw), cc4 = mov.f32 in1[0 of 1, vertex r0.x].xyzw",
        "r1.xy = pack64.u64 r0.xyzw\nr0.xyzw = unpack64.u64 r1.xyzw",
        "r0.x = cvt.s8 (f32 even clamp) r0.xyzw\nr2.x = cvt.f16 (f32 even) r0.xyzw",
        "r1.x = cvt.f64 (f16 even) r2.xyzw\nr2.x = add.f16 r2.xyzw, {0x3c00}",
        "r0.x = load.u8 (buf1[r0.x] x4) r0.xxxx\nstore.f64 (global x2) r1.xyzw, r1.zzzz",
        "atom.f32 (buf0 x1 add) r0.xxxx, {0}\nr1.x = atom.u64 (global x1 compare_exchange) r1.xyzw, r1.xxxx",
        "r0.x = tex.f32 (tex1 bias) r0.xyzw, r0.xxxx, r0.xxxx",
        "r0.x = tex.f32 (tex2[r0.x] fetch_sample) r0.xyzw, r0.xxxx",
        "r0.x = tex.f32 (tex0 grad min_lod) r0.xyzw, r0.xyzw, r0.xyzw, r0.wwww",
        "r0.x, cc4 = resident.s32 (tex1 implicit) r0.xyzw, r0.xxxx\nr0.x = resident.u32 (img2 x4) r0.xyzw",
        "r0.x = tex.f32 (tex4[r0.x] lod) r0.xyzw, r0.xxxx\nr0.x = tex.s32 (tex5[r0.x] query_size) r0.xxxx",
        "imgstore.f32 (img3[r0.x] x4) r0.xyzw, r0.xyzw\nr0.xyzw = imgsize.s32 (img4[7] x4)",
        "loop {\nif any(tr cc4.xyzw) {\nbreak\nmembar.u32\n}\ncontinue\n} continuing {\nloop {\nbreak\n}\n}",
        "return\nr0.x = mov.f32 {1.0}",
    ];
    for body in bodies {
        assert_eq!(
            list_messages(&parse_program("vertex", body)),
            Vec::<String>::new(),
            "{body}"
        );
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn wrong_operands() {
    let cases = [
        ("r0.x = mov.f64 {1.0}", "lanes of 32 bits do not hold f64"),
        ("r1.x = mov.f64 r0.xyzw", "lanes of 32 bits do not hold f64"),
        ("r1.x = mov.f64 p0.xyzw", "lanes of 32 bits do not hold f64"),
        ("r0.x = mov.f16 r2.xyzw", "lanes of 32 bits do not hold f16"),
        ("r2.x = mov.f32 r0.xyzw", "lanes of 16 bits do not hold f32"),
        (
            "r2.x = cvt.u8 (f32 even) r0.xyzw",
            "lanes of 16 bits do not hold u8",
        ),
        (
            "r1.x = load.u8 (buf0 x1) {0}",
            "lanes of 64 bits do not hold u8",
        ),
        (
            "r0.x = load.u32 (global x1) r0.xxxx",
            "lanes of 32 bits do not hold u64",
        ),
        (
            "r1.x = packh2.f32 r0.xyzw",
            "lanes of 64 bits do not hold u32",
        ),
        (
            "r0.x = pack64.u32 r0.xyzw",
            "the type is that of the 64-bit lanes",
        ),
        (
            "r0.x = mov.u32 cc4.xyzw",
            "condition codes cannot be read as a source",
        ),
        (
            "cc4.x = mov.u32 r0.xyzw",
            "results go to temporaries and outputs",
        ),
        (
            "r0.x if(eq r5.xxxx) = mov.u32 r0.xyzw",
            "r5 does not hold condition codes",
        ),
        (
            "r0.x, r5 = mov.u32 r0.xyzw",
            "r5 does not hold condition codes",
        ),
        ("r0.x = mov.u32.sat r0.xyzw", "only floats are clamped"),
        (
            "r0.x = mov.f32 r3.xyzw",
            "r3 is an array and needs an index",
        ),
        (
            "r3.x = mov.f32 r0.xyzw",
            "r3 is an array and needs an index",
        ),
        ("r0.x = mov.f32 r0[0 of 1].xyzw", "r0 is no array"),
        (
            "r0.x = mov.f32 r3[0 of 5].xyzw",
            "the index range 5 exceeds the 4 elements of the array",
        ),
        (
            "r0.x = mov.f32 p1[r0.x of 2].xyzw",
            "the index range 2 exceeds the 1 elements of the array",
        ),
        (
            "r0.x = mov.f32 r3[r0.x of 0].xyzw",
            "the index range 0 exceeds the 4 elements of the array",
        ),
        (
            "r0.x = mov.f32 r3[4 of 4].xyzw",
            "the index 4 is not below 4",
        ),
        (
            "r0.x = mov.f32 r3[-1 of 4].xyzw",
            "the index -1 is not below 4",
        ),
        (
            "r0.x = mov.f32 r3[r1.x of 4].xyzw",
            "r1 is not 32 bits wide",
        ),
        ("r0.x = mov.f32 r3[r3.x of 4].xyzw", "r3 is an array"),
        (
            "r0.x = mov.f32 r3[cc4.x of 4].xyzw",
            "r4 holds condition codes",
        ),
        (
            "r0.x = mov.f32 r3[0 of 4, vertex 0].xyzw",
            "a register has no vertices",
        ),
        (
            "r0.x = mov.f32 p0[0 of 1, vertex 0].xyzw",
            "parameters have no vertices",
        ),
        (
            "r0.x = mov.f32 in0[0 of 1, vertex 0].xyzw",
            "inputs per vertex",
        ),
        ("r0.x = mov.f32 in1.xyzw", "inputs per vertex"),
        (
            "r0.x = mov.f32 out0.xyzw",
            "only tessellation control programs read outputs",
        ),
        (
            "r0.x = mov.f32 {1.0}[0 of 1]",
            "a literal is in the table and has no index",
        ),
    ];
    for (body, expected) in cases {
        assert_error(&parse_program("vertex", body), expected);
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn wrong_instructions() {
    let cases = [
        (
            "r0.x = and.f32 r0.xyzw, r0.xyzw",
            "the operation is not defined for the type",
        ),
        (
            "r2.x = mov.u16 {1}",
            "the operation is not defined for the type",
        ),
        ("r0.x = add.f32 r0.xyzw", "the number of sources is wrong"),
        ("membar.u32 r0.xyzw", "the number of sources is wrong"),
        ("demote.u32", "vertex programs do not have the operation"),
        ("bar.u32", "vertex programs do not have the operation"),
        (
            "r0.x = ddx.f32 r0.xyzw",
            "vertex programs do not have the operation",
        ),
        ("r0.x = membar.u32", "the operation has no result"),
        (
            "r0.x = cvt.f32 r0.xyzw",
            "the access data is not that of the operation",
        ),
        (
            "r0.x = tex.f32 r0.xyzw",
            "the access data is not that of the operation",
        ),
        (
            "r0.x = resident.s32 r0.xyzw",
            "the access data is not that of the operation",
        ),
        (
            "r0.x = resident.s32 (tex0 query_size) {0}",
            "the type is not that of the texels or the query",
        ),
        (
            "r0.x = resident.f32 (tex0 implicit) r0.xyzw",
            "the operation is not defined for the type",
        ),
        (
            "r0.x = tex.f32 (tex0 lod min_lod) r0.xyzw, r0.xxxx, r0.xxxx",
            "a minimum level of detail requires a computed level",
        ),
        (
            "r0.x = cvt.f32 (f32 even clamp) r0.xyzw",
            "a conversion clamps to the range of integers only",
        ),
        (
            "r0.x = tex.f32 (tex0 bias) r0.xyzw",
            "the number of sources is wrong",
        ),
        (
            "r0.x = tex.u32 (tex0 implicit) r0.xyzw",
            "the type is not that of the texels",
        ),
        (
            "r0.x = tex.f32 (tex0 query_size) {0}",
            "the type is not that of the texels",
        ),
        (
            "r0.x = tex.f32 (tex0 implicit lanes 3) r0.xyzw",
            "coordinate lanes and reference",
        ),
        (
            "r0.x = tex.f32 (tex1 implicit no_reference) r0.xyzw",
            "coordinate lanes and reference",
        ),
        (
            "r0.x = tex.f32 (tex0 fetch_sample) r0.xyzw, {0}",
            "the texture target does not have the mode",
        ),
        (
            "r0.x = tex.u32 (tex3 implicit) r0.xyzw",
            "the texture target does not have the mode",
        ),
        (
            "r0.x = tex.f32 (tex0 gather[4]) r0.xyzw",
            "the texture target does not have the mode",
        ),
        (
            "r0.x = tex.f32 (tex1 implicit offset 1 0 0) r0.xyzw, {0.0}",
            "the texture target has no texel offsets",
        ),
        (
            "r0.x = tex.f32 (tex4 implicit) r0.xyzw",
            "a handle is missing",
        ),
        (
            "r0.x = tex.f32 (tex5[1] implicit) r0.xyzw",
            "a query handle can only be used by queries",
        ),
        (
            "r0.x = imgsize.s32 (img5[1] x4)",
            "query handles are for textures only",
        ),
        (
            "r0.x = tex.f32 (tex0[0] implicit) r0.xyzw",
            "the resource is no array",
        ),
        (
            "r0.x = tex.f32 (tex2 fetch_sample) r0.xyzw, {0}",
            "the resource is an array and needs an index",
        ),
        (
            "r0.x = tex.f32 (tex2[3] fetch_sample) r0.xyzw, {0}",
            "the index 3 is not below 3",
        ),
        (
            "r0.x = load.f32 (buf0 x3) {0}",
            "an access has 1, 2 or 4 components",
        ),
        (
            "r0.x = load.f32 (buf1 x1) {0}",
            "the resource is an array and needs an index",
        ),
        (
            "r0.x = load.f32 (global[0] x1) {0}",
            "the resource is no array",
        ),
        (
            "store.f32 (buf1[0] x1) r0.xyzw, {0}",
            "constant buffers are only read",
        ),
        (
            "r0.x = load.u32 (buf0 x1 add) {0}",
            "atomics, and only those, have an operation",
        ),
        (
            "atom.u32 (buf0 x1) {0}, {0}",
            "atomics, and only those, have an operation",
        ),
        (
            "atom.u32 (buf0 x2 add) {0}, {0}",
            "an atomic has one component",
        ),
        (
            "atom.f32 (buf0 x1 or) {0}, {0}",
            "the atomic operation is not defined for the type",
        ),
        (
            "atom.u16 (buf0 x1 add) {0}, {0}",
            "the atomic operation is not defined for the type",
        ),
    ];
    for (body, expected) in cases {
        assert_error(&parse_program("vertex", body), expected);
    }
}

#[test]
fn wrong_images() {
    let ok = "r0.x = imgload.u16 (img0 x4) r0.xyzw\nimgstore.f32 (img0 x2 coherent) r0.xyzw, r0.xyzw\n\
              r0.x = imgatom.f16 (img1[r0.x] x2 add) r0.xyzw, r0.xyzw, r0.xyzw\n\
              r0.x = imgload.s32 (img2 x4) {1}\nr0.xyz = imgsize.s32 (img1[1] x4)";
    assert_eq!(
        list_messages(&parse_program("vertex", ok)),
        Vec::<String>::new()
    );
    let texels = "type and components are not those of the texels";
    for (body, expected) in [
        ("r0.x = imgload.u32 (img0 x1) r0.xyzw", texels),
        ("r0.x = imgload.f32 (img2 x4) r0.xyzw", texels),
        ("r1.x = imgload.u64 (img0 x1) r0.xyzw", texels),
        (
            "imgstore.u32 (img1[0] x1) r0.xyzw, r0.xyzw",
            "the number of sources is wrong",
        ),
        (
            "r0.x = imgload.u32 (img1 x1) r0.xyzw, r0.xyzw",
            "the resource is an array and needs an index",
        ),
        (
            "r0.x = imgatom.u32 (img1[0] x1) r0.xyzw, r0.xyzw, r0.xyzw",
            "atomics, and only those, have an operation",
        ),
        (
            "r0.x = imgatom.f32 (img1[0] x1 and) r0.xyzw, r0.xyzw, r0.xyzw",
            "the atomic operation is not defined for the type",
        ),
        (
            "r0.x = imgload.u32 r0.xyzw",
            "the access data is not that of the operation",
        ),
    ] {
        assert_error(&parse_program("vertex", body), expected);
    }
}

#[test]
fn wrong_interpolation() {
    let ok = "r0.x = ipac.f32 -|in0.wzyx|\nr0.xy = ipao.f32 in0[r0.x of 1].xyzw, r0.xyzw\nr0.x = ipas.f32 in0.xyzw, {1}";
    assert_eq!(
        list_messages(&parse_program("fragment", ok)),
        Vec::<String>::new()
    );
    for body in [
        "r0.x = ipac.f32 r0.xyzw",
        "r0.x = ipao.f32 {1.0}, r0.xyzw",
        "r0.x = ipas.f32 p0.xyzw, r0.xyzw",
    ] {
        assert_error(
            &parse_program("fragment", body),
            "only inputs are interpolated",
        );
    }
    let body = "r0.x = ddxfine.f32 r0.xyzw";
    assert_error(
        &parse_program("vertex", body),
        "vertex programs do not have the operation",
    );
}

#[test]
fn wrong_control_flow() {
    let cases = [
        ("break", "no enclosing loop or switch"),
        ("continue", "no enclosing loop"),
        (
            "switch r0.x {\ncase 1 {\ncontinue\n}\n}",
            "no enclosing loop",
        ),
        (
            "loop {\n} continuing {\nbreak\n}",
            "no enclosing loop or switch",
        ),
        ("loop {\n} continuing {\ncontinue\n}", "no enclosing loop"),
        (
            "loop {\n} continuing {\nloop {\nreturn\n}\n}",
            "no enclosing routine",
        ),
        (
            "switch r0.x {\ncase 1, 1 {\n}\n}",
            "a value occurs in two cases of the switch",
        ),
        (
            "switch r0.x {\ncase 1 {\n}\ncase 2, 1 {\n}\n}",
            "a value occurs in two cases of the switch",
        ),
        ("switch r1.x {\n}", "r1 is not 32 bits wide"),
        (
            "if any(eq r0.xxxx) {\n}",
            "r0 does not hold condition codes",
        ),
        ("if nonzero.f64 r0.x {\n}", "r0 is not 64 bits wide"),
        ("if nonzero.u32 r3.x {\n}", "r3 is an array"),
        ("if nonzero.u32 cc4.x {\n}", "r4 holds condition codes"),
        ("call fn7", "fn7 is not in the table"),
    ];
    for (body, expected) in cases {
        assert_error(&parse_program("vertex", body), expected);
    }
    let odd_type = parse_program("vertex", "if nonzero.u16 r2.x {\n}");
    assert_error(&odd_type, "u16 is not a type of conditions");
}

#[test]
fn recursion() {
    let text = "program vertex\nroutine fn0 {\ncall fn1\n}\nroutine fn1 {\ncall fn2\ncall fn2\n}\n\
                routine fn2 {\ncall fn0\n}\nmain fn0";
    let errors = verify(&parse(text).unwrap()).unwrap_err();
    assert_eq!((errors.len(), errors[0].kind), (1, ErrorKind::Recursion));
    let text = "program vertex\nroutine fn0 {\ncall fn1\n}\nroutine fn1 {\ncall fn2\n}\n\
                routine fn2 {\ncall fn1\n}\nmain fn0";
    let errors = verify(&parse(text).unwrap()).unwrap_err();
    assert_eq!(
        (errors.len(), errors[0].kind),
        (1, ErrorKind::Recursion),
        "main is no part of it"
    );
    let text = "program vertex\nroutine fn0 {\ncall fn1\ncall fn2\n}\nroutine fn1 {\ncall fn2\n}\n\
                routine fn2 {\n}\nmain fn0";
    assert_eq!(
        verify(&parse(text).unwrap()),
        Ok(()),
        "two ways to one routine are no recursion"
    );
}

#[test]
fn nesting() {
    let mut program = Program::new(Stage::Vertex);
    let mut inner = program.routines[program.main].body;
    for _ in 0..MAX_NESTING {
        let node = Node::Loop {
            body: inner,
            continuing: None,
            span: Span::default(),
        };
        let first = program.nodes.len() as u32;
        program.nodes.push(node);
        inner = program.blocks.push(Block { first, len: 1 });
    }
    let main = program.main;
    program.routines[main].body = inner;
    let errors = verify(&program).unwrap_err();
    assert_eq!((errors.len(), errors[0].kind), (1, ErrorKind::Nesting));
}

/// Checks of damage that cannot be expressed in the text form.
#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn damaged_tables() {
    type Damage = fn(&mut Program);
    let cases: [(Damage, &str); 20] = [
        (
            |p| p.registers[RegisterId::new(2)].width = Width::W8,
            "registers are not 8 bits wide",
        ),
        (
            |p| p.registers[RegisterId::new(3)].array_len = Some(0),
            "an array has at least one element",
        ),
        (
            |p| p.registers[RegisterId::new(3)].array_len = Some(u32::MAX),
            "the registers have more than",
        ),
        (
            |p| p.registers[RegisterId::new(4)].width = Width::W64,
            "condition codes are 32 bits wide",
        ),
        (
            |p| p.registers[RegisterId::new(1)].name = Some(Id::new(9)),
            "the name is not in the table",
        ),
        (
            |p| p.registers[RegisterId::new(0)].storage = Storage::Output(Id::new(1)),
            "the output is not in the table",
        ),
        (
            |p| p.registers[RegisterId::new(0)].storage = Storage::Output(Id::new(0)),
            "the output belongs to another",
        ),
        (
            |p| p.routines[RoutineId::new(0)].name = Some(Id::new(9)),
            "the name is not in the table",
        ),
        (|p| p.main = RoutineId::new(5), "main is not in the table"),
        (
            |p| p.textures[TextureId::new(0)].texel_type = crate::Type::F64,
            "texels are f32, s32 or u32",
        ),
        (
            |p| p.textures[TextureId::new(3)].shadow = true,
            "texels of shadow textures are f32",
        ),
        (
            |p| p.textures[TextureId::new(2)].units = crate::UnitSet::new(0, Some(0)),
            "an array has at least one element",
        ),
        (
            |p| p.buffers[Id::new(1)].array_len = Some(0),
            "an array has at least one element",
        ),
        (
            |p| p.insts[0].dst = Some(Dst::new(Id::new(0), WriteMask::NONE)),
            "a write mask has one to four lanes",
        ),
        (
            |p| p.insts[0].dst = Some(Dst::new(Id::new(0), WriteMask(31))),
            "a write mask has one to four lanes",
        ),
        (
            |p| p.insts[0].first_source = 99,
            "the sources are not in the table",
        ),
        (
            |p| p.insts[0].data = InstData::Mem(Id::new(0)),
            "the access data is not that of the operation",
        ),
        (
            |p| p.srcs[0].base = crate::OperandBase::Literal(Id::new(9)),
            "a literal is in the table and has no index",
        ),
        (
            |p| p.srcs[0].base = crate::OperandBase::Register(Id::new(9)),
            "r9 is not in the table",
        ),
        (
            |p| p.srcs[0].base = crate::OperandBase::Param(Id::new(9)),
            "an operand is not in its table",
        ),
    ];
    for (damage, expected) in cases {
        let mut program = parse_program("vertex", "r0.x = mov.u32 {1}");
        damage(&mut program);
        assert_error(&program, expected);
    }
    let mut program =
        parse("program vertex\np0: state.matrix.mvp.row[4]\nroutine fn0 {\n}\nmain fn0").unwrap();
    assert_error(&program, "a matrix has the rows 0 to 3");
    program.params = crate::IndexVec::new();
    assert_eq!(verify(&program), Ok(()));
}

#[test]
fn damaged_trees() {
    let body = "r0.x = mov.u32 {1}\nif any(tr cc4.xxxx) {\n}\nswitch r0.x {\ncase 1 {\n}\n}";
    type Damage = fn(&mut Program);
    let then = BlockId::new(0);
    assert_eq!(parse_program("vertex", body).block_nodes(then), []);
    let cases: [(Damage, &str); 9] = [
        (
            |p| p.nodes.iter_mut().for_each(reuse_block),
            "the block is used twice",
        ),
        (
            |p| p.nodes.iter_mut().for_each(lose_block),
            "the block is not in the table",
        ),
        (
            |p| _ = p.blocks.push(Block { first: 0, len: 1 }),
            "the block is not used",
        ),
        (
            |p| _ = p.switches.push(p.switches[SwitchId::new(0)].clone()),
            "the switch is not used",
        ),
        (
            |p| p.blocks[BlockId::new(0)].len = 99,
            "the nodes are not in the table",
        ),
        (
            |p| p.blocks[BlockId::new(0)] = append_block(p, Node::Run { first: 0, len: 1 }),
            "the instruction is used twice",
        ),
        (
            |p| p.blocks[BlockId::new(0)] = append_block(p, Node::Run { first: 1, len: 1 }),
            "the instructions are not",
        ),
        (
            |p| p.blocks[BlockId::new(0)] = append_block(p, Node::Switch(SwitchId::new(0))),
            "the switch is used twice",
        ),
        (
            |p| p.switches[SwitchId::new(0)].cases[0].values.clear(),
            "a case has at least one value",
        ),
    ];
    for (damage, expected) in cases {
        let mut program = parse_program("vertex", body);
        damage(&mut program);
        let messages = list_messages(&program);
        assert!(
            messages.iter().any(|message| message.starts_with(expected)),
            "{messages:?}: {expected}"
        );
        // Printing must not panic.
        let _ = program.to_string();
    }
}

fn reuse_block(node: &mut Node) {
    if let Node::If {
        then, otherwise, ..
    } = node
    {
        *otherwise = Some(*then);
    }
}

fn lose_block(node: &mut Node) {
    if let Node::If { otherwise, .. } = node {
        *otherwise = Some(BlockId::new(77));
    }
}

fn append_block(program: &mut Program, node: Node) -> Block {
    program.nodes.push(node);
    Block {
        first: program.nodes.len() as u32 - 1,
        len: 1,
    }
}

#[test]
fn errors_are_many_but_not_endless() {
    let program = parse_program("vertex", &"break\n".repeat(1000));
    assert_eq!(verify(&program).unwrap_err().len(), MAX_ERRORS);
    let program = parse_program("vertex", "r0.x = and.f32 r0.xyzw, r1.xyzw    ; @4..9");
    let errors = verify(&program).unwrap_err();
    assert_eq!(
        errors[0].to_string(),
        "instruction 0 @4..9: the operation is not defined for the type: r0.x = and.f32 r0.xyzw, r1.xyzw"
    );
    assert_eq!(errors.len(), 2);
}

#[test]
fn state_programs_and_names() {
    let wrong = |text: &str, expected: &str| assert_error(&parse(text).unwrap(), expected);
    let program = |stage: &str, declarations: &str| {
        format!("program {stage}\nr0: temp32\n{declarations}\nroutine fn0 {{\n}}\nmain fn0\n")
    };
    let right = "np0: \"a\" {1.0}\nnp1: \"b\" {2.0}\np0: named[1]\np1: argument\nbuf0: state 0";
    let right = parse(&program("compute", right)).unwrap();
    assert_eq!(list_messages(&right), [""; 0]);
    let names = program("fragment", "np0: \"a\" {1.0}\nnp1: \"a\" {2.0}");
    wrong(&names, "two parameters have the same name");
    let missing = program("fragment", "np0: \"a\" {1.0}\np0: named[1]");
    wrong(&missing, "the named parameter is not in the table");
    let argument = program("vertex", "p0: argument");
    wrong(&argument, "only compute programs have an argument");
    let vertex = program("vertex", "buf0: state 0");
    wrong(&vertex, "only compute programs have the parameters");
    for buffers in [
        "buf0: state 1",
        "buf0: state 0[2]",
        "buf0: state 0\nbuf1: state 0",
    ] {
        wrong(
            &program("compute", buffers),
            "the parameters of state programs are one buffer",
        );
    }
    let mut unnamed = parse(&program("fragment", "np0: \"a\" {1.0}")).unwrap();
    unnamed.named_params[0].name = Id::new(7);
    assert_error(&unnamed, "the name is not in the table");
    // Printing must not panic.
    let _ = unnamed.to_string();
    let atomic = program("compute", "buf0: state 0").replace(
        "routine fn0 {",
        "routine fn0 {\nr0.x = atom.u32 (buf0 x1 add) {1}, {0}",
    );
    wrong(&atomic, "parameters of state programs have no atomics");
}
