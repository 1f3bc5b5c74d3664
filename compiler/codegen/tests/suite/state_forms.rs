//! State that modules read when they run: which words they read, from where, and what these are.

use crate::support::*;
use glasm_codegen::options::{
    AlphaTest, CompareFunction, DepthMode, LineStipple, MipFilter, PipelineState, PointOrigin,
    PolygonStipple, StateBlock, StateSource, StateSources, TexelFilter, TextureWrap, WrapMode,
};
use glasm_codegen::reflect::DescriptorSlot;
use glasm_codegen::{Module, Options};
use glasm_ir::*;

/// A fragment program of a color and a texture coordinate.
fn fragment() -> Program {
    let mut m = Make::new(Stage::Fragment);
    let [primary, place] = [Semantic::Color(0), Semantic::TexCoord(3)].map(|it| m.input(it));
    let color = m.color();
    m.f(Op::Add, d(color, "xyzw"), &[primary, place]);
    m.finish()
}

/// A vertex program of a position and a color.
fn vertex() -> Program {
    let mut m = Make::new(Stage::Vertex);
    let input = m.input(Semantic::VertexAttribute(1));
    for semantic in [Semantic::Position, Semantic::Color(0)] {
        let result = m.output(semantic);
        m.f(Op::Mov, d(result, "xyzw"), &[input]);
    }
    m.finish()
}

fn with(set: impl FnOnce(&mut StateSources)) -> Options {
    let mut options = Options::default();
    set(&mut options.state_sources);
    options.pipeline_state.coord_replace_mask = 0b1000;
    options
}

/// The words that a module reads, whichever way.
fn read(module: &Module) -> Vec<u32> {
    let state = module.reflection.state_block.as_ref();
    let constants = state.iter().flat_map(|state| &state.spec_constants);
    let words = state.iter().flat_map(|state| &state.words_read);
    let words = words.copied();
    words
        .chain(constants.map(|constant| constant.word_index))
        .collect()
}

#[test]
fn modules_read_what_is_not_fixed() {
    type Set = fn(&mut StateSources, StateSource);
    let cases: [(Set, Vec<u32>, Vec<u32>); 9] = [
        (|forms, form| forms.two_sided_color = form, vec![0], vec![]),
        (|forms, form| forms.flat_colors = form, vec![1], vec![]),
        (
            |forms, form| forms.clamp_vertex_colors = form,
            vec![],
            vec![2],
        ),
        (
            |forms, form| forms.clamp_fragment_colors = form,
            vec![3],
            vec![],
        ),
        (|forms, form| forms.point_sprites = form, vec![4, 5], vec![]),
        (|forms, form| forms.point_size = form, vec![], vec![6]),
        (|forms, form| forms.alpha_test = form, vec![9, 10], vec![]),
        (
            |forms, form| forms.line_stipple = form,
            vec![11],
            vec![12, 13, 14, 15],
        ),
        (
            |forms, form| forms.polygon_stipple = form,
            [16, 17].into_iter().chain(20..52).collect(),
            vec![],
        ),
    ];
    for (set, of_fragments, of_vertices) in cases {
        for form in [StateSource::SpecConstant, StateSource::UniformBlock] {
            let options = with(|forms| set(forms, form));
            let modules = [fragment(), vertex()].map(|it| check_with(&it, &options));
            let words = modules.each_ref().map(read);
            assert_eq!(
                words,
                [of_fragments.clone(), of_vertices.clone()],
                "{form:?}"
            );
        }
        let options = with(|forms| set(forms, StateSource::CompileTime));
        for program in [fragment(), vertex()] {
            assert_eq!(check_with(&program, &options).reflection.state_block, None);
        }
    }
}

/// Two bits of the words 18 and 19 are the mode of a unit, the low ones that of units 0 and 16. The constant is named after the word.
#[test]
fn depth_modes_are_read_for_the_unit() {
    for (unit, word, shift) in [
        (0, 18, 0),
        (15, 18, 30),
        (16, 19, 0),
        (17, 19, 2),
        (31, 19, 30),
    ] {
        let text = format!(
            "program fragment\nout0: frag_color[0][0] float\nr0: output32 out0\np0: env[0]\ntex0: unit {unit} 2d shadow f32\n\
             routine fn0 {{\nr0.xyzw = tex.f32 (tex0 implicit) p0.xyzw, p0.zzzz\n}}\nmain fn0\n"
        );
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut options = Options::default();
        options.state_sources.depth_modes = StateSource::SpecConstant;
        options.debug.names = true;
        let module = check_with(&program, &options);
        assert_eq!(read(&module), [word]);
        let text = disassemble(&module.words);
        assert!(text.contains(&format!("\"state_{word}\"")), "{text}");
        let shifted = text
            .lines()
            .find(|line| line.contains("OpShiftRightLogical"));
        let distance = shifted.unwrap().split_whitespace().last().unwrap();
        let constant = text
            .lines()
            .find(|line| line.starts_with(&format!("{distance} = ")));
        assert!(constant.unwrap().ends_with(&format!("  {shift}")), "{text}");
    }
}

/// GL 2.1 section 2.12 enables planes that clip; nothing enables distances that cull.
#[test]
fn enabled_planes_are_read_for_clip_distances_only() {
    let options = with(|forms| forms.clip_planes = StateSource::UniformBlock);
    let options = Options {
        pipeline_state: PipelineState {
            clip_plane_mask: 1,
            ..options.pipeline_state
        },
        ..options
    };
    for (semantic, words) in [
        (Semantic::ClipDistance(0), vec![8]),
        (Semantic::CullDistance(0), vec![]),
    ] {
        let mut m = Make::new(Stage::Vertex);
        let input = m.input(Semantic::VertexAttribute(1));
        let distance = m.output(semantic);
        m.f(Op::Mov, d(distance, "x"), &[input]);
        let mut program = m.finish();
        program.modes.enabled_clip_distances = true;
        assert_eq!(read(&check_with(&program, &options)), words, "{semantic:?}");
    }
}

#[test]
fn constants_and_block_are_where_the_options_say() {
    let mut options = with(|forms| *forms = StateSources::all(StateSource::UniformBlock));
    options.bindings.state_block_set = 2;
    options.bindings.state_block_binding = 7;
    options.bindings.first_state_spec_constant_id = 100;
    let state = check_with(&fragment(), &options)
        .reflection
        .state_block
        .unwrap();
    assert_eq!(state.slot, Some(DescriptorSlot { set: 2, binding: 7 }));
    assert_eq!(state.spec_constants, []);
    options.state_sources = StateSources::all(StateSource::SpecConstant);
    let state = check_with(&fragment(), &options)
        .reflection
        .state_block
        .unwrap();
    assert_eq!((state.slot, state.words_read.len()), (None, 0));
    let shifted = |constant: &glasm_codegen::reflect::StateSpecConstant| {
        constant.id == 100 + constant.word_index
    };
    assert!(state.spec_constants.iter().all(shifted));
    // What is compiled in is there besides: the sprite of one coordinate set of eight.
    assert!(
        state
            .spec_constants
            .iter()
            .any(|constant| constant.word_index == 4)
    );
}

/// One module is for all values of the state, so the defaults of its constants are independent of
/// the options: 7 is `GL_ALWAYS - GL_NEVER`, 1.0 the initial size of points.
#[test]
fn constants_have_the_same_defaults_for_all_options() {
    let plain = with(|forms| *forms = StateSources::all(StateSource::SpecConstant));
    let mut changed = plain.clone();
    changed.pipeline_state = PipelineState {
        two_sided_color: true,
        flat_colors: true,
        clamp_vertex_colors: true,
        clamp_fragment_colors: true,
        point_origin: PointOrigin::LowerLeft,
        forced_point_size: Some(3.0.into()),
        alpha_test: AlphaTest::new(CompareFunction::Less, 0.25),
        line_stipple: Some(LineStipple::new(2, 0xf0f0, [1.0; 4])),
        ..plain.pipeline_state
    };
    changed.polygon_stipple = Some(Box::new(PolygonStipple::new(&[0x55; 128])));
    for program in [fragment(), vertex()] {
        let modules = [&plain, &changed].map(|options| check_with(&program, options));
        assert!(modules[0].words == modules[1].words);
        assert!(!read(&modules[0]).is_empty());
    }
    let text = disassemble(&check_with(&fragment(), &changed).words);
    let defaults: Vec<_> = text
        .lines()
        .filter(|line| line.contains("OpSpecConstant "))
        .collect();
    let is_set = |line: &&&str| !line.ends_with("  0");
    let set = defaults.iter().filter(is_set).count();
    // The alpha function is always, and the pattern of lines has all bits.
    assert_eq!(set, 2, "{defaults:?}");
    assert!(defaults.iter().any(|line| line.ends_with("  7")));
    assert!(defaults.iter().any(|line| line.ends_with("  65535")));
}

/// Numbers that an application gives may be any; those past the last one are the last one.
#[test]
fn numbers_of_constants_end() {
    let mut options = with(|forms| *forms = StateSources::all(StateSource::SpecConstant));
    options.bindings.first_state_spec_constant_id = u32::MAX - 2;
    let module = glasm_codegen::emit(&fragment(), &options).unwrap();
    for constant in module.reflection.state_block.unwrap().spec_constants {
        assert_eq!(constant.id, u32::MAX - 2 + constant.word_index.min(2));
    }
}

#[test]
fn what_state_adds_to_the_interface_is_on_both_sides() {
    let options = with(|forms| {
        forms.flat_colors = StateSource::UniformBlock;
        forms.line_stipple = StateSource::UniformBlock;
    });
    let added = |list: &[glasm_codegen::reflect::InterfaceVariable]| -> Vec<_> {
        let mut found: Vec<_> = list.iter().map(|it| (it.semantic, it.location)).collect();
        found.retain(|(semantic, _)| {
            matches!(
                semantic,
                Semantic::FlatColor(_) | Semantic::LineStippleStart
            )
        });
        found.sort_unstable();
        found
    };
    let expected = [
        (Semantic::FlatColor(0), Some(27)),
        (Semantic::LineStippleStart, Some(23)),
    ];
    let module = check_with(&vertex(), &options);
    assert_eq!(added(&module.reflection.outputs), expected);
    let module = check_with(&fragment(), &options);
    assert_eq!(added(&module.reflection.inputs), expected);
}

#[test]
fn generic_varyings_give_way_or_are_refused() {
    let mut m = Make::new(Stage::Vertex);
    let input = m.input(Semantic::VertexAttribute(1));
    for semantic in [Semantic::Color(0), Semantic::GenericVarying(14)] {
        let result = m.output(semantic);
        m.f(Op::Mov, d(result, "xyzw"), &[input]);
    }
    let program = m.finish();
    let options = with(|forms| forms.flat_colors = StateSource::UniformBlock);
    let error = glasm_codegen::emit(&program, &options).unwrap_err();
    assert!(error.message.contains("FlatColor(0)"), "{}", error.message);
    assert!(glasm_codegen::emit(&program, &Options::default()).is_ok());
}

#[test]
fn words_are_those_of_the_options() {
    let fixed = PipelineState {
        two_sided_color: true,
        clamp_fragment_colors: true,
        coord_replace_mask: 0b101,
        point_origin: PointOrigin::LowerLeft,
        forced_point_size: Some(2.5.into()),
        clip_plane_mask: 0b11,
        alpha_test: AlphaTest::new(CompareFunction::GreaterEqual, 1.5),
        line_stipple: Some(LineStipple::new(256, 0xa5a5, [1.0, 2.0, 3.0, -4.0])),
        ..PipelineState::default()
    };
    let mut pattern = [0; 128];
    pattern[..5].copy_from_slice(&[1, 2, 3, 4, 5]);
    let wrap = TextureWrap {
        wrap_modes: [
            WrapMode::Clamp,
            WrapMode::MirrorClampToEdge,
            WrapMode::BySampler,
        ],
        min_filter: TexelFilter::Linear,
        mip_filter: MipFilter::Nearest,
        ..TextureWrap::default()
    };
    let mut depth_modes = vec![DepthMode::Luminance; 18];
    (depth_modes[1], depth_modes[17]) = (DepthMode::Red, DepthMode::Alpha);
    let options = Options {
        pipeline_state: fixed,
        polygon_stipple: Some(Box::new(PolygonStipple {
            window_height: 9,
            ..PolygonStipple::new(&pattern)
        })),
        depth_modes,
        texture_wraps: vec![TextureWrap::default(), wrap],
        ..Options::default()
    };
    let words = StateBlock::new(&options).0;
    let viewport = [1.0f32, 2.0, 3.0, -4.0].map(f32::to_bits);
    assert_eq!(words[..4], [1, 0, 0, 1]);
    assert_eq!(words[4..8], [0b101, 1, 2.5f32.to_bits(), 0]);
    // The reference is clamped as alpha is.
    assert_eq!(words[8..12], [0b11, 6, 1.0f32.to_bits(), 0x00ff_a5a5]);
    assert_eq!(words[12..16], viewport);
    assert_eq!(words[16..20], [1, 9, 3 << 2, 2 << 2]);
    assert_eq!(words[20..23], [0x0102_0304, 0x0500_0000, 0]);
    // Modes 1, 4 and 0; nearest, linear, with levels.
    assert_eq!(words[52..54], [0, 1 | 4 << 3 | 1 << 10 | 1 << 11]);
    assert_eq!(StateBlock::new(&options).bytes()[..5], [1, 0, 0, 0, 0]);
}

#[test]
fn initial_state_lets_everything_pass() {
    let words = StateBlock::new(&Options::default()).0;
    let set: Vec<(usize, u32)> = words
        .into_iter()
        .enumerate()
        .filter(|it| it.1 != 0)
        .collect();
    // Size 1, the program's own sizes, all alphas, all pixels of lines.
    let one = 1f32.to_bits();
    assert_eq!(set, [(6, one), (7, 1), (9, 7), (11, 0xffff)]);
}

#[test]
fn what_is_compiled_in_costs_only_what_it_needs() {
    let alpha = |function| {
        let fixed = PipelineState {
            alpha_test: AlphaTest::new(function, 0.5),
            ..PipelineState::default()
        };
        let options = Options {
            pipeline_state: fixed,
            ..Options::default()
        };
        disassemble(&check_with(&fragment(), &options).words)
    };
    assert_eq!(count(&alpha(CompareFunction::Always), "OpKill"), 0);
    let less = alpha(CompareFunction::Less);
    assert_eq!(
        (count(&less, "OpKill"), count(&less, "OpFOrdLessThan")),
        (1, 1)
    );
    assert_eq!(count(&less, "OpFOrdEqual"), 0);
}
