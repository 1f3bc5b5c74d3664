//! Programs that are loaded once.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::{
    Acceptance, Code, Compiler, Conventions, Counts, Limits, Linked, Options, Program, Semantic,
    Shader, Source, compile, link, link_with,
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

fn load(text: &str) -> Program {
    Program::load(&Source::new("test", text)).unwrap()
}

fn shaders(linked: Linked) -> Vec<Shader> {
    let stages = linked.stages.into_iter();
    stages.map(|stage| stage.unwrap()).collect()
}

#[test]
fn a_program_gives_what_its_text_gives_for_any_options() {
    let program = load(FRAGMENT);
    let mut options = vec![Options::default(), Options::default()];
    options[1].conventions = Conventions::opengl();
    options[1].fixed.flat_colors = true;
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
    let (all, enabled) = (load(text), load(text).with_enabled_clip_distances());
    for (planes, writes) in [(0, false), (0b101, false), (0b010, true)] {
        let mut options = Options::default();
        options.fixed.clip_planes = planes;
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
    let program = load(FRAGMENT);
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
    let program = load(FRAGMENT);
    assert!(program.warnings().list.is_empty());
    assert_eq!(program.inputs().len(), 2);
    assert_eq!(program.outputs().len(), 1);
    assert_eq!(program.source().text, FRAGMENT.as_bytes());
    let header = program.dialect().map(|dialect| dialect.header());
    assert_eq!(header, Some("!!ARBfp1.0"));
}

#[test]
fn pairs_link_again_and_again() {
    let (vertex, fragment) = (load(VERTEX), load(FRAGMENT));
    let other = load("!!ARBfp1.0\nMOV result.color, fragment.color;\nEND");
    let options = Options::default();
    let mut compiler = Compiler::new();
    let first = shaders(compiler.link(&[&vertex, &fragment], &options));
    let second = shaders(compiler.link(&[&vertex, &other], &options));
    assert_eq!(
        first[0].reflection.outputs.len(),
        1 + second[0].reflection.outputs.len()
    );
    assert_eq!(
        shaders(compiler.link(&[&vertex, &fragment], &options)),
        first
    );
    assert_eq!(shaders(link(&[&vertex, &fragment], &options)), first);
    let apart = [(&vertex, &options), (&fragment, &options)];
    assert_eq!(shaders(link_with(&apart)), first);
}

/// What is about vertices and primitives is done once: by the last stage before rasterization.
#[test]
fn options_of_a_pipeline_go_to_the_stages_that_they_are_for() {
    let vertex = load(
        "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.attrib[0], vertex.color;\nEND",
    );
    let geometry = load(
        "!!NVgp4.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\n\
         MOV result.position, vertex[0].position;\nMOV result.color, vertex[0].attrib[0];\nEMIT;\nEND",
    );
    let fragment = load("!!NVfp4.0\nMOV result.color, fragment.color;\nEND");
    let options = Options {
        conventions: Conventions::opengl(),
        ..Options::default()
    };
    let plain = Options::default();
    let all = [&vertex, &geometry, &fragment];
    let given = [(all[0], &plain), (all[1], &options), (all[2], &options)];
    assert_eq!(
        shaders(link(&all, &options))[..2],
        shaders(link_with(&given))[..2]
    );
}

#[test]
fn limits_of_the_caller_are_checked() {
    let program = load(
        "!!ARBfp1.0\nTEMP a;\nTEX a, fragment.texcoord[0], texture[0], 2D;\nTEX a, a, texture[0], 2D;\n\
         MUL a, a, program.env[3];\nMUL result.color, a, program.local[7];\nEND",
    );
    assert!(program.check_limits(&Limits::default()).is_ok());
    let exact = Limits {
        counts: Counts {
            instructions: 4,
            alu_instructions: 2,
            texture_instructions: 2,
            texture_indirections: 2,
            temporaries: 1,
            parameters: 2,
            attribs: 1,
            address_registers: 0,
            attrib_components: 4,
            result_components: 4,
        },
        env_parameters: 4,
        local_parameters: 8,
    };
    assert!(program.check_limits(&exact).is_ok());
    let codes = |limits: Limits| {
        let found = program.check_limits(&limits).unwrap_err().list;
        found.into_iter().map(|it| it.code).collect::<Vec<_>>()
    };
    let less = |change: fn(&mut Counts)| {
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
    assert_eq!(less(|it| it.attribs -= 1), [Code::TooManyAttribs]);
    let env_parameters = 3;
    assert_eq!(
        codes(Limits {
            env_parameters,
            ..exact
        }),
        [Code::IndexOutOfBounds]
    );
    let local_parameters = 7;
    assert_eq!(
        codes(Limits {
            local_parameters,
            ..exact
        }),
        [Code::IndexOutOfBounds]
    );
}

#[test]
fn the_texture_says_what_is_compared() {
    // NV_fragment_program section 3.11.5.38 and ARB_shadow: targets of three dimensions are not compared, whatever the unit.
    let text = "!!FP1.0\nTEX R0, f[TEX0], TEX0, 2D;\nTXP R1, f[TEX1], TEX1, 2D;\nTEX R2, f[TEX2], TEX2, 3D;\n\
                ADDR R0, R0, R1;\nADDR o[COLR], R0, R2;\nEND";
    let compared = |program: &Program| {
        let shader = program.compile(&Options::default()).unwrap();
        let textures = shader.reflection.textures;
        let compared = textures.iter().filter(|it| it.shadow).map(|it| it.unit);
        compared.collect::<Vec<_>>()
    };
    let program = load(text);
    assert_eq!(compared(&program), [0_u32; 0]);
    assert_eq!(compared(&program.with_compared_lookups(0b110)), [1]);
    assert_eq!(compared(&program.with_compared_lookups(!0)), [0, 1]);
    let plain = program.with_compared_lookups(!0).with_plain_lookups(0b01);
    assert_eq!(compared(&plain), [1]);
}
