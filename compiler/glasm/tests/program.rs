//! Tests of programs that are loaded once.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::{
    Acceptance, Code, Compiler, Conventions, Limits, Linked, Location, Options, Program,
    ResourceCounts, Semantic, Shader, Source, Span, TexelFormat, compile, link, link_with,
};

const VERTEX: &str = "!!ARBvp1.0
OPTION ARB_position_invariant;
MOV result.color, vertex.color;
MOV result.texcoord[1], vertex.texcoord[0];
END";

const FRAGMENT: &str = "!!ARBfp1.0
TEMP a;
TEX a, fragment.texcoord[1], texture[0], 2D;
MUL result.color, a, fragment.color;
END";

fn load_program(text: &str) -> Program {
    Program::load(&Source::new("test", text)).unwrap()
}

fn unwrap_shaders(linked: Linked) -> Vec<Shader> {
    let stages = linked.stages.into_iter();
    stages.map(|stage| stage.unwrap()).collect()
}

#[test]
fn a_program_gives_what_its_text_gives_for_any_options() {
    let program = load_program(FRAGMENT);
    let mut options = vec![Options::default(), Options::default()];
    options[1].conventions = Conventions::opengl();
    options[1].pipeline_state.flat_colors = true;
    for options in options {
        let whole = compile(&Source::new("test", FRAGMENT), &options).unwrap();
        assert_eq!(program.compile(&options).unwrap(), whole);
        assert_eq!(
            Compiler::new().compile_program(&program, &options).unwrap(),
            whole
        );
    }
}

#[test]
fn distances_clip_where_their_planes_are_enabled_if_that_is_wanted() {
    let text = "!!ARBvp1.0\nOPTION NV_vertex_program2;\nMOV result.position, vertex.position;\nMOV result.clip[1].x, vertex.position.x;\nEND";
    let (all, enabled) = (
        load_program(text),
        load_program(text).with_enabled_clip_distances(),
    );
    for (planes, writes) in [(0, false), (0b101, false), (0b010, true)] {
        let mut options = Options::default();
        options.pipeline_state.clip_plane_mask = planes;
        let has = |program: &Program| {
            let outputs = program.compile(&options).unwrap().reflection.outputs;
            let mut semantics = outputs.iter().map(|output| output.semantic);
            semantics.any(|it| it == Semantic::ClipDistance(1))
        };
        assert!(has(&all));
        assert_eq!(has(&enabled), writes, "planes {planes:b}");
    }
}

#[test]
fn programs_are_shared_between_threads() {
    fn is_shared<T: Send + Sync + Clone + 'static>(_: &T) {}
    let program = load_program(FRAGMENT);
    is_shared(&program);
    let words = program.compile(&Options::default()).unwrap().words;
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let program = program.clone();
            std::thread::spawn(move || program.compile(&Options::default()).unwrap().words)
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), words);
    }
}

#[test]
fn a_program_keeps_its_warnings_and_what_it_says_of_itself() {
    // Shipped programs access a texture image unit with two targets.
    let text = "!!ARBfp1.0\nTEMP a;\nTEX a, 0, texture[0], 2D;\nTEX a, a, texture[0], 3D;\nMOV result.color, a;\nEND";
    let strict = Source::new("test", text).strict();
    assert_eq!(strict.acceptance, Acceptance::Strict);
    let errors = Program::load(&strict).unwrap_err();
    assert_eq!(errors.list[0].code, Code::TargetConflict);
    let program = load_program(FRAGMENT);
    assert!(program.warnings().list.is_empty());
    assert_eq!(program.inputs().len(), 2);
    assert_eq!(program.outputs().len(), 1);
    assert_eq!(program.source().text, FRAGMENT.as_bytes());
    let header = program.dialect().map(|dialect| dialect.header());
    assert_eq!(header, Some("!!ARBfp1.0"));
}

#[test]
fn pairs_link_again_and_again() {
    let (vertex, fragment) = (load_program(VERTEX), load_program(FRAGMENT));
    let other = load_program("!!ARBfp1.0\nMOV result.color, fragment.color;\nEND");
    let options = Options::default();
    let mut compiler = Compiler::new();
    let first = unwrap_shaders(compiler.link(&[&vertex, &fragment], &options));
    let second = unwrap_shaders(compiler.link(&[&vertex, &other], &options));
    assert_eq!(
        first[0].reflection.outputs.len(),
        1 + second[0].reflection.outputs.len()
    );
    assert_eq!(
        unwrap_shaders(compiler.link(&[&vertex, &fragment], &options)),
        first
    );
    assert_eq!(unwrap_shaders(link(&[&vertex, &fragment], &options)), first);
    let apart = [(&vertex, &options), (&fragment, &options)];
    assert_eq!(unwrap_shaders(link_with(&apart)), first);
}

/// Checks that options for vertices and primitives apply once: to the last stage before
/// rasterization.
#[test]
fn options_of_a_pipeline_go_to_the_stages_that_they_are_for() {
    let vertex = load_program(
        "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.attrib[0], vertex.color;\nEND",
    );
    let geometry = load_program(
        "!!NVgp4.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\n\
         MOV result.position, vertex[0].position;\nMOV result.color, vertex[0].attrib[0];\nEMIT;\nEND",
    );
    let fragment = load_program("!!NVfp4.0\nMOV result.color, fragment.color;\nEND");
    let options = Options {
        conventions: Conventions::opengl(),
        ..Options::default()
    };
    let plain = Options::default();
    let all = [&vertex, &geometry, &fragment];
    let given = [(all[0], &plain), (all[1], &options), (all[2], &options)];
    assert_eq!(
        unwrap_shaders(link(&all, &options))[..2],
        unwrap_shaders(link_with(&given))[..2]
    );
}

#[test]
fn limits_of_the_caller_are_checked() {
    let program = load_program(
        "!!ARBfp1.0\nTEMP a;\nTEX a, fragment.texcoord[0], texture[0], 2D;\nTEX a, a, texture[0], 2D;\n\
         MUL a, a, program.env[3];\nMUL result.color, a, program.local[7];\nEND",
    );
    assert!(program.check_limits(&Limits::default()).is_ok());
    let exact = Limits {
        counts: ResourceCounts {
            instructions: 4,
            alu_instructions: 2,
            texture_instructions: 2,
            texture_indirections: 2,
            temporaries: 1,
            parameters: 2,
            attributes: 1,
            address_registers: 0,
            attribute_components: 4,
            result_components: 4,
        },
        env_parameters: 4,
        local_parameters: 8,
        ..Limits::default()
    };
    assert!(program.check_limits(&exact).is_ok());
    let codes = |limits: Limits| {
        let found = program.check_limits(&limits).unwrap_err().list;
        found.into_iter().map(|it| it.code).collect::<Vec<_>>()
    };
    let less = |change: fn(&mut ResourceCounts)| {
        let mut limits = exact;
        change(&mut limits.counts);
        codes(limits)
    };
    assert_eq!(
        less(|it| it.texture_indirections -= 1),
        [Code::TooManyInstructions]
    );
    assert_eq!(less(|it| it.temporaries -= 1), [Code::TooManyTemporaries]);
    assert_eq!(less(|it| it.parameters -= 1), [Code::TooManyParameters]);
    assert_eq!(less(|it| it.attributes -= 1), [Code::TooManyAttribs]);
    let env_parameters = 3;
    assert_eq!(
        codes(Limits {
            env_parameters,
            ..exact
        }),
        [Code::BindingRange]
    );
    let local_parameters = 7;
    assert_eq!(
        codes(Limits {
            local_parameters,
            ..exact
        }),
        [Code::BindingRange]
    );
}

/// A program whose largest index of a kind is 3, in quotes, the limit that it exceeds if that is 3,
/// and the error.
type NumberCase = (&'static str, fn(&mut Limits) -> &mut u32, Code);

static NUMBER_CASES: &[NumberCase] = &[
    (
        "!!ARBfp1.0 MOV result.color, program.env[«3»]; END",
        |it| &mut it.env_parameters,
        Code::BindingRange,
    ),
    (
        "!!ARBvp1.0 PARAM p[2] = { program.env[2 .. «3»] }; MOV result.position, p[0]; END",
        |it| &mut it.env_parameters,
        Code::BindingRange,
    ),
    (
        "!!NVfp4.0 MOV result.color, program.local[ «3» ]; END",
        |it| &mut it.local_parameters,
        Code::BindingRange,
    ),
    (
        "!!FP1.0 MOV o[COLR], p[«3»]; END",
        |it| &mut it.local_parameters,
        Code::BindingRange,
    ),
    (
        "!!ARBfp1.0 TEX result.color, fragment.texcoord[0], texture[«3»], 2D; END",
        |it| &mut it.texture_units,
        Code::TextureRange,
    ),
    (
        "!!NVvp5.0 TEXTURE t[] = { texture[0..«3»] }; TEX result.position, vertex.position, t[1], 2D; END",
        |it| &mut it.texture_units,
        Code::TextureRange,
    ),
    (
        "!!FP1.0 TEX o[COLR], f[TEX0], «TEX3», 2D; END",
        |it| &mut it.texture_units,
        Code::TextureRange,
    ),
    (
        "!!ARBfp1.0 MOV result.color, fragment.texcoord[«3»]; END",
        |it| &mut it.texture_coordinate_sets,
        Code::BindingRange,
    ),
    (
        "!!ARBvp1.0 MOV result.position, vertex.texcoord[«3»]; END",
        |it| &mut it.texture_coordinate_sets,
        Code::BindingRange,
    ),
    (
        "!!ARBvp1.0 MOV result.position, 0; MOV result.texcoord[«3»], 1; END",
        |it| &mut it.texture_coordinate_sets,
        Code::BindingRange,
    ),
    (
        "!!ARBvp1.0 MOV result.position, state.texgen[«3»].eye.s; END",
        |it| &mut it.texture_coordinate_sets,
        Code::BindingRange,
    ),
    (
        "!!ARBvp1.0 MOV result.position, state.matrix.texture[«3»].row[0]; END",
        |it| &mut it.texture_coordinate_sets,
        Code::BindingRange,
    ),
    (
        "!!ARBfp1.0 MOV result.color, state.texenv[«3»].color; END",
        |it| &mut it.texture_environments,
        Code::BindingRange,
    ),
    (
        "!!ARBvp1.0 PARAM m[4] = { state.matrix.program[«3»] }; MOV result.position, m[0]; END",
        |it| &mut it.program_matrices,
        Code::BindingRange,
    ),
    (
        "!!ARBvp1.0 MOV result.position, state.matrix.modelview[«3»].inverse.row[1]; END",
        |it| &mut it.vertex_units,
        Code::BindingRange,
    ),
    (
        "!!ARBvp1.0 MOV result.position, state.matrix.palette[«3»].row[2]; END",
        |it| &mut it.palette_matrices,
        Code::BindingRange,
    ),
    (
        "!!ARBvp1.0 MOV result.position, state.light[«3»].ambient; END",
        |it| &mut it.lights,
        Code::BindingRange,
    ),
    (
        "!!ARBvp1.0 MOV result.position, state.clip[«3»].plane; END",
        |it| &mut it.clip_planes,
        Code::BindingRange,
    ),
    (
        "!!NVvp4.0 MOV result.position, 0; MOV result.clip[«3»].x, 1; END",
        |it| &mut it.clip_planes,
        Code::BindingRange,
    ),
    (
        "!!ARBvp1.0 MOV result.position, vertex.attrib[«3»]; END",
        |it| &mut it.generic_attributes,
        Code::BindingRange,
    ),
    (
        "!!NVfp4.0 MOV result.color, fragment.attrib[«3»]; END",
        |it| &mut it.generic_attributes,
        Code::BindingRange,
    ),
    (
        "!!NVgp4.0 PRIMITIVE_IN POINTS; PRIMITIVE_OUT POINTS; VERTICES_OUT 1; MOV result.position, vertex[0].attrib[«3»]; EMIT; END",
        |it| &mut it.generic_attributes,
        Code::BindingRange,
    ),
    (
        "!!NVvp4.0 MOV result.position, 0; MOV result.attrib[«3»], 1; END",
        |it| &mut it.generic_results,
        Code::BindingRange,
    ),
    (
        "!!NVtcp5.0 VERTICES_OUT 1; MOV.F result.patch.attrib[«3»], 1; END",
        |it| &mut it.patch_attributes,
        Code::BindingRange,
    ),
    (
        "!!ARBfp1.0 OPTION ARB_draw_buffers; MOV result.color[«3»], 1; END",
        |it| &mut it.draw_buffers,
        Code::BindingRange,
    ),
    (
        "!!NVfp5.0 TEMP t; LOADIM.F32 t, fragment.attrib[0], image[«3»], 2D; MOV.F result.color, t; END",
        |it| &mut it.image_units,
        Code::BindingRange,
    ),
    (
        "!!NVfp4.0 BUFFER b[] = { program.buffer[«3»][0..7] }; MOV result.color, b[1]; END",
        |it| &mut it.parameter_buffer_bindings,
        Code::BindingRange,
    ),
    (
        "!!NVfp5.0 OPTION NV_shader_storage_buffer; STORAGE b[] = { program.storage[«3»] }; TEMP t; LDB.F32 t, b[0]; MOV.F result.color, t; END",
        |it| &mut it.storage_buffer_bindings,
        Code::BindingRange,
    ),
    (
        "!!NVfp5.0 OPTION NV_shader_atomic_counters; COUNTER c = program.counter[«3»][0]; TEMP t; ATOMCTR.INCR t.x, c; MOV.U result.color, t; END",
        |it| &mut it.atomic_counter_buffer_bindings,
        Code::BindingRange,
    ),
    (
        "!!NVfp5.0 SUBROUTINETYPE t { f }; SUBROUTINE t v = program.subroutine[«3»]; main: CALI v; RET; f SUBROUTINENUM(0): MOV.F result.color, 1; RET; END",
        |it| &mut it.subroutine_parameters,
        Code::BindingRange,
    ),
    (
        "!!ARBfp1.0 OPTION NV_fragment_program2; IF EQ; IF EQ; IF EQ; «IF EQ»; ENDIF; ENDIF; ENDIF; ENDIF; MOV result.color, 1; END",
        |it| &mut it.if_depth,
        Code::IfDepth,
    ),
    (
        "!!NVfp4.0 REP 1; REP 1; REP 1; «REP 1»; ENDREP; ENDREP; ENDREP; ENDREP; MOV result.color, 1; END",
        |it| &mut it.loop_depth,
        Code::LoopDepth,
    ),
    (
        "!!ARBvp1.0 TEMP r; ADD r, vertex.position, vertex.color; ADD r, r, vertex.normal; ADD r, r, vertex.color; ADD result.position, r, «vertex.fogcoord»; END",
        |it| &mut it.counts.attributes,
        Code::TooManyAttribs,
    ),
    (
        "!!ARBfp1.0 ATTRIB a = fragment.color; ATTRIB b = fragment.fogcoord; ATTRIB c = fragment.color; ATTRIB d = fragment.texcoord; ATTRIB e = # = c\n «fragment.position»; MOV result.color, a; END",
        |it| &mut it.counts.attributes,
        Code::TooManyAttribs,
    ),
    (
        "!!NVfp4.0 ATTRIB a[] = «{ fragment.texcoord[1..4] }»; MOV result.color, a[1]; END",
        |it| &mut it.counts.attributes,
        Code::TooManyAttribs,
    ),
    (
        "!!NVgp4.0 PRIMITIVE_IN LINES; PRIMITIVE_OUT POINTS; VERTICES_OUT 1; TEMP r; ADD r, vertex[0].position, vertex[1].position; ADD r, r, vertex[0].color; ADD r, r, vertex[0].texcoord; ADD result.position, r, «vertex[1].fogcoord»; EMIT; END",
        |it| &mut it.counts.attributes,
        Code::TooManyAttribs,
    ),
];

/// The same for TGSI, whose registers and semantics have indices.
static TGSI_CASES: &[NumberCase] = &[
    (
        "VERT\nDCL IN[0..«3»]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[3]\nEND",
        |it| &mut it.counts.attributes,
        Code::TooManyAttribs,
    ),
    (
        "VERT\nDCL IN[ «3» ]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[3]\nEND",
        |it| &mut it.generic_attributes,
        Code::BindingRange,
    ),
    (
        "VERT\nDCL OUT[0], POSITION\nMOV OUT[0], IN[«3»]\nEND",
        |it| &mut it.generic_attributes,
        Code::BindingRange,
    ),
    (
        "FRAG\nDCL IN[0], GENERIC[«3»], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND",
        |it| &mut it.generic_attributes,
        Code::BindingRange,
    ),
    (
        "FRAG\nDCL IN[0..2], GENERIC[«1»], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND",
        |it| &mut it.generic_attributes,
        Code::BindingRange,
    ),
    (
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\nDCL IN[3][1..«3»], GENERIC[0]\nDCL OUT[0], POSITION\nIMM[0] UINT32 {0, 0, 0, 0}\nMOV OUT[0], IN[2][3]\nEMIT IMM[0].xxxx\nEND",
        |it| &mut it.counts.attributes,
        Code::TooManyAttribs,
    ),
    (
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[«3»]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND",
        |it| &mut it.generic_results,
        Code::BindingRange,
    ),
    (
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], TEXCOORD[«3»]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND",
        |it| &mut it.texture_coordinate_sets,
        Code::BindingRange,
    ),
    (
        "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nPROPERTY TES_SPACING 2\nPROPERTY TES_VERTEX_ORDER_CW 0\nPROPERTY TES_POINT_MODE 0\nDCL IN[0], PATCH[«3»]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND",
        |it| &mut it.patch_attributes,
        Code::BindingRange,
    ),
    (
        "FRAG\nDCL OUT[0..1], COLOR[«2»]\nIMM[0] FLT32 {0, 0, 0, 0}\nMOV OUT[0], IMM[0]\nEND",
        |it| &mut it.draw_buffers,
        Code::BindingRange,
    ),
    (
        "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0..«3»]\nMOV OUT[0], TEMP[0]\nEND",
        |it| &mut it.counts.temporaries,
        Code::TooManyTemporaries,
    ),
    (
        "FRAG\nDCL OUT[0], COLOR\nMOV OUT[0], TEMP[«3»]\nEND",
        |it| &mut it.counts.temporaries,
        Code::TooManyTemporaries,
    ),
    (
        "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0..«3»]\nMOV OUT[0], CONST[0]\nEND",
        |it| &mut it.counts.parameters,
        Code::TooManyParameters,
    ),
    (
        "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0][1..«3»]\nDCL CONST[1][0..9]\nMOV OUT[0], CONST[0][1]\nEND",
        |it| &mut it.counts.parameters,
        Code::TooManyParameters,
    ),
    (
        "FRAG\nDCL OUT[0], COLOR\nDCL CONST[«3»][0..9]\nMOV OUT[0], CONST[3][1]\nEND",
        |it| &mut it.parameter_buffer_bindings,
        Code::BindingRange,
    ),
    (
        "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0..5]\nDCL ADDR[«3»]\nARL ADDR[3].x, CONST[0].xxxx\nMOV OUT[0], CONST[ADDR[3].x]\nEND",
        |it| &mut it.counts.address_registers,
        Code::TooManyTemporaries,
    ),
    (
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0..«3»]\nTEX OUT[0], IN[0], SAMP[3], 2D\nEND",
        |it| &mut it.texture_units,
        Code::TextureRange,
    ),
    (
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nTEX OUT[0], IN[0], SAMP[«3»], 2D\nEND",
        |it| &mut it.texture_units,
        Code::TextureRange,
    ),
    (
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[«3»], 2D, FLOAT\nSAMPLE OUT[0], IN[0], SVIEW[3], SAMP[0]\nEND",
        |it| &mut it.texture_units,
        Code::TextureRange,
    ),
    (
        "COMP\nDCL IMAGE[«3»], 2D, PIPE_FORMAT_R32_UINT, WR\nIMM[0] UINT32 {0, 0, 0, 0}\nSTORE IMAGE[3], IMM[0], IMM[0], 2D, PIPE_FORMAT_R32_UINT\nEND",
        |it| &mut it.image_units,
        Code::BindingRange,
    ),
    (
        "COMP\nDCL BUFFER[0..«3»]\nIMM[0] UINT32 {0, 0, 0, 0}\nSTORE BUFFER[3].x, IMM[0].xxxx, IMM[0].xxxx\nEND",
        |it| &mut it.storage_buffer_bindings,
        Code::BindingRange,
    ),
    (
        "COMP\nDCL HWATOMIC[«3»][0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 0, 0, 0}\nLOAD TEMP[0].x, HWATOMIC[3][0], IMM[0].xxxx\nEND",
        |it| &mut it.atomic_counter_buffer_bindings,
        Code::BindingRange,
    ),
    (
        "COMP\nDCL TEMP[0]\nIMM[0] UINT32 {0, 0, 0, 0}\nLOAD TEMP[0], CONSTBUF[«3»], IMM[0].xxxx\nEND",
        |it| &mut it.parameter_buffer_bindings,
        Code::BindingRange,
    ),
    (
        "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0, 1, 0, 0}\nIF IMM[0].xxxx\nIF IMM[0].xxxx\nUIF IMM[0].xxxx\n«IF IMM[0].xxxx»\nENDIF\nENDIF\nENDIF\nENDIF\nMOV OUT[0], IMM[0]\nEND",
        |it| &mut it.if_depth,
        Code::IfDepth,
    ),
    (
        "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0, 1, 0, 0}\nBGNLOOP\nBGNLOOP\nBGNLOOP\n«BGNLOOP»\nBRK\nENDLOOP\nBRK\nENDLOOP\nBRK\nENDLOOP\nBRK\nENDLOOP\nMOV OUT[0], IMM[0]\nEND",
        |it| &mut it.loop_depth,
        Code::LoopDepth,
    ),
];

#[test]
fn numbers_are_checked_where_they_stand() {
    for &(marked, member, code) in NUMBER_CASES.iter().chain(TGSI_CASES) {
        let text = marked.replace(['«', '»'], "");
        let start = marked.find('«').unwrap();
        let end = marked.find('»').unwrap() - '«'.len_utf8();
        let program = load_program(&text);
        let check = |limit: u32| {
            let mut limits = Limits::default();
            *member(&mut limits) = limit;
            program.check_limits(&limits)
        };
        assert!(check(4).is_ok(), "{text}");
        let found = check(3).unwrap_err().list;
        let [error] = &found[..] else {
            panic!("{text}: {found:?}");
        };
        let place = Location::Span(Span::new(start as u32, end as u32));
        assert_eq!((error.code, error.location), (code, place), "{text}");
        assert!(error.message.contains('3'), "{}", error.message);
    }
}

/// Checks that up to sixteen attributes may be bound in addition to `vertex.id` and
/// `vertex.instance`, to which NV_vertex_program4 section 2.X.3.2 assigns no slot.
#[test]
fn numbers_of_vertices_and_instances_are_no_attributes_of_the_limit() {
    let program = load_program(
        "!!NVvp4.0 ATTRIB a[] = { vertex.attrib[0..15] }; TEMP r; ADD.S r.x, vertex.id, vertex.instance; MOV result.position, a[0]; END",
    );
    assert_eq!(program.counts().attributes, 16);
    // In geometry programs the number of a vertex is a result of the stage before.
    let program = load_program(
        "!!NVgp4.0 PRIMITIVE_IN POINTS; PRIMITIVE_OUT POINTS; VERTICES_OUT 1; TEMP r; MOV.S r.x, vertex[0].id; MOV result.position, vertex[0].position; EMIT; END",
    );
    assert_eq!(program.counts().attributes, 2);
}

/// Checks "A vertex program will fail to load if an attribute binding specifies a matrix index
/// number <n> that is greater than or equal MAX_VERTEX_UNITS_ARB": ARB_vertex_program section
/// 2.14.3.1. The indices are multiples of four.
#[test]
fn matrix_indices_are_those_of_vertex_units() {
    let text = "!!ARBvp1.0 MOV result.position, vertex.matrixindex[4]; END";
    let check = |vertex_units| {
        load_program(text).check_limits(&Limits {
            vertex_units,
            ..Limits::default()
        })
    };
    assert!(check(5).is_ok());
    let found = check(4).unwrap_err().list;
    let start = text.find('4').unwrap() as u32;
    let place = Location::Span(Span::new(start, start + 1));
    assert_eq!(
        (found[0].code, found[0].location),
        (Code::BindingRange, place)
    );
}

/// Checks call chains, whose depth has no position in the source: the error is at the end, as for
/// counts.
#[test]
fn chains_of_calls_are_checked() {
    let program = load_program(
        "!!ARBvp1.0 OPTION NV_vertex_program2; CAL a; MOV result.position, 0; RET; a: CAL b; RET; b: CAL c; RET; c: RET; END",
    );
    let check = |call_depth| {
        program.check_limits(&Limits {
            call_depth,
            ..Limits::default()
        })
    };
    assert!(check(3).is_ok());
    let found = check(2).unwrap_err().list;
    assert_eq!(found[0].code, Code::CallDepth);
    assert_eq!(found[0].location, Location::WholeProgram);
}

/// Checks the numbers of ARB_vertex_program section 2.14.4.5.1 and ARB_fragment_program section
/// 3.11.4.5.1: instructions (and ALU instructions), temporaries, attributes and parameters that are
/// available in addition to those of the program.
#[test]
fn options_reserve_resources() {
    let fragment = |option: &str| {
        format!(
            "!!ARBfp1.0 {option} TEMP a; MUL a, fragment.color, program.env[0]; MOV result.color, a; END"
        )
    };
    let vertex = "!!ARBvp1.0 OPTION ARB_position_invariant; TEMP a; MOV a, vertex.color; MUL result.color, a, program.env[0]; END";
    for (text, instructions, others) in [
        (fragment(""), 0, [0, 0, 0]),
        (fragment("OPTION ARB_fog_exp;"), 3, [1, 1, 2]),
        (fragment("OPTION ARB_fog_exp2;"), 4, [1, 1, 2]),
        (fragment("OPTION ARB_fog_linear;"), 2, [1, 1, 2]),
        (vertex.to_owned(), 4, [0, 0, 0]),
    ] {
        let [temporaries, attributes, parameters] = others;
        let check = |required, member, code| {
            check_least_limit(&text, required, member, code);
        };
        let instructions = 2 + instructions;
        check(
            instructions,
            |it| &mut it.instructions,
            Code::TooManyInstructions,
        );
        check(
            instructions,
            |it| &mut it.alu_instructions,
            Code::TooManyInstructions,
        );
        check(
            1 + temporaries,
            |it| &mut it.temporaries,
            Code::TooManyTemporaries,
        );
        check(
            1 + attributes,
            |it| &mut it.attributes,
            Code::TooManyAttribs,
        );
        check(
            1 + parameters,
            |it| &mut it.parameters,
            Code::TooManyParameters,
        );
    }
}

/// Checks that a program is valid with a limit on a count, and that a lower one is its only error.
fn check_least_limit(
    text: &str,
    required: u32,
    member: fn(&mut ResourceCounts) -> &mut u32,
    code: Code,
) {
    let program = load_program(text);
    let check = |limit| {
        let mut limits = Limits::default();
        *member(&mut limits.counts) = limit;
        program.check_limits(&limits)
    };
    assert!(check(required).is_ok(), "{text}: {code:?}");
    let found = check(required - 1).unwrap_err().list;
    assert!(found.iter().all(|it| it.code == code), "{text}: {found:?}");
}

/// Checks that the first index that is too large is reported, not the largest one, and errors are
/// in source order.
#[test]
fn the_first_number_is_the_error() {
    let text = "!!ARBfp1.0 TEMP a; TEX a, program.env[9], texture[1], 2D; TEX a, a, texture[5], 2D; TEX a, a, texture[7], 2D;\
                MUL result.color, a, program.env[8]; END";
    let limits = Limits {
        env_parameters: 8,
        texture_units: 4,
        ..Limits::default()
    };
    let found = load_program(text).check_limits(&limits).unwrap_err();
    let at = |word: &str| text.find(word).unwrap() + word.len() - 1;
    let starts: Vec<usize> = (found.list.iter())
        .map(|it| match it.location {
            Location::Span(span) => span.start as usize,
            Location::WholeProgram => usize::MAX,
        })
        .collect();
    assert_eq!(starts, [at("program.env[9"), at("texture[5")]);
}

/// Image formats that TGSI declares are those of the image types, so that devices need not
/// determine them; formats of the caller override them.
#[test]
fn stated_formats_of_images_are_those_of_the_module() {
    const IMAGE_TYPE: u32 = 25;
    let text = |format: &str| {
        format!(
            "COMP\nDCL IMAGE[0], 2D, {format}, WR\nDCL TEMP[0]\nIMM[0] UINT32 {{1, 0, 0, 0}}\n\
             LOAD TEMP[0], IMAGE[0], IMM[0].yyyy, 2D, {format}\nSTORE IMAGE[0], IMM[0].xxxx, TEMP[0], 2D, {format}\nEND\n"
        )
    };
    let formats = |text: &str, options: &Options| -> Vec<u32> {
        let shader = load_program(text).compile(options).unwrap();
        let mut rest = &shader.words[5..];
        let mut found = Vec::new();
        while let [first, ..] = rest {
            let (length, opcode) = (*first as usize >> 16, first & 0xffff);
            if opcode == IMAGE_TYPE {
                found.push(rest[8]);
            }
            rest = &rest[length..];
        }
        found
    };
    // The numbers are those of SPIR-V's image formats.
    let mut options = Options::default();
    options.device.storage_image_read_without_format = false;
    options.device.storage_image_write_without_format = false;
    let rgba8 = text("PIPE_FORMAT_R8G8B8A8_UNORM");
    assert_eq!(formats(&rgba8, &options), [4]);
    assert_eq!(formats(&rgba8, &Options::default()), [4]);
    assert_eq!(formats(&text("PIPE_FORMAT_R32_UINT"), &options), [33]);
    assert!(
        load_program(&text("PIPE_FORMAT_NONE"))
            .compile(&options)
            .is_err()
    );
    options.image_formats = vec![Some(TexelFormat::Rgba16f)];
    assert_eq!(formats(&rgba8, &options), [2]);
}

#[test]
fn the_texture_says_what_is_compared() {
    // NV_fragment_program section 3.11.5.38 and ARB_shadow: targets of three dimensions do not
    // compare, regardless of the unit.
    let text = "!!FP1.0\nTEX R0, f[TEX0], TEX0, 2D;\nTXP R1, f[TEX1], TEX1, 2D;\nTEX R2, f[TEX2], TEX2, 3D;\n\
                ADDR R0, R0, R1;\nADDR o[COLR], R0, R2;\nEND";
    let compared = |program: &Program| {
        let shader = program.compile(&Options::default()).unwrap();
        let textures = shader.reflection.textures;
        let compared = textures.iter().filter(|it| it.is_shadow).map(|it| it.unit);
        compared.collect::<Vec<_>>()
    };
    let program = load_program(text);
    assert_eq!(compared(&program), [0_u32; 0]);
    assert_eq!(compared(&program.with_comparison_lookups(0b110)), [1]);
    assert_eq!(compared(&program.with_comparison_lookups(!0)), [0, 1]);
    let plain = program
        .with_comparison_lookups(!0)
        .with_non_comparison_lookups(0b01);
    assert_eq!(compared(&plain), [1]);
}
