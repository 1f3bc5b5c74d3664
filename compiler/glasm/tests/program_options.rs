//! `Options::for_program`: results are equal exactly if modules are, for every option of state and
//! programs that depend on few or many of them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::{
    AlphaTest, BaseType, Capture, ClipDepth, CompareFunction, Compiler, DefaultTessLevels,
    DepthMode, LineStipple, LodBias, MipFilter, Options, PointOrigin, PolygonStipple,
    PrimitiveIdMode, Program, Reflection, Semantic, Shader, Source, Stage, StateSource,
    StateSources, TexelFilter, TexelFormat, TextureWrap, VaryingLocation, Varyings, WrapMode,
};
use glasm_tests::scripts::distinct_programs;
use std::collections::HashMap;

/// Changes one option.
type Change = (&'static str, fn(&mut Options));

/// One or more changes of each option of state.
const CHANGES: &[Change] = &[
    ("two_sided_color", |o| {
        o.pipeline_state.two_sided_color = true
    }),
    ("flat_colors", |o| o.pipeline_state.flat_colors = true),
    ("clamp_vertex_colors", |o| {
        o.pipeline_state.clamp_vertex_colors = true
    }),
    ("clamp_fragment_colors", |o| {
        o.pipeline_state.clamp_fragment_colors = true
    }),
    ("coord_replace_mask 0", |o| {
        o.pipeline_state.coord_replace_mask |= 1
    }),
    ("coord_replace_mask 3", |o| {
        o.pipeline_state.coord_replace_mask |= 8
    }),
    ("point_origin", |o| {
        o.pipeline_state.point_origin = PointOrigin::LowerLeft
    }),
    ("forced_point_size", |o| {
        o.pipeline_state.forced_point_size = Some(2.0.into())
    }),
    ("forced_point_size 3", |o| {
        o.pipeline_state.forced_point_size = Some(3.0.into())
    }),
    ("default_point_size", |o| {
        o.pipeline_state.default_point_size = Some(1.0.into())
    }),
    ("default_point_size 5", |o| {
        o.pipeline_state.default_point_size = Some(5.0.into())
    }),
    ("forced_point_size 5", |o| {
        o.pipeline_state.forced_point_size = Some(5.0.into())
    }),
    ("clip_plane_mask 0", |o| {
        o.pipeline_state.clip_plane_mask |= 1
    }),
    ("clip_plane_mask 5", |o| {
        o.pipeline_state.clip_plane_mask |= 32
    }),
    ("patch_vertices", |o| o.pipeline_state.patch_vertices = 3),
    ("patch_vertices 1", |o| o.pipeline_state.patch_vertices = 1),
    ("max_output_vertices", |o| {
        o.pipeline_state.max_output_vertices = Some(2)
    }),
    ("max_output_vertices 4", |o| {
        o.pipeline_state.max_output_vertices = Some(4)
    }),
    ("primitive_id_mode", |o| {
        o.pipeline_state.primitive_id_mode = PrimitiveIdMode::PerQuad
    }),
    ("draws_quads_as_line_adjacency", |o| {
        o.pipeline_state.draws_quads_as_line_adjacency = true
    }),
    ("default_tess_levels", |o| {
        o.pipeline_state.default_tess_levels = DefaultTessLevels::new([2.0; 4], [3.0; 2]);
    }),
    ("is_framebuffer_unlayered", |o| {
        o.pipeline_state.is_framebuffer_unlayered = true
    }),
    ("draw_buffer_mask 1", |o| {
        o.pipeline_state.draw_buffer_mask = 1
    }),
    ("draw_buffer_mask 2", |o| {
        o.pipeline_state.draw_buffer_mask = 2
    }),
    ("draw_buffer_mask 7", |o| {
        o.pipeline_state.draw_buffer_mask = 7
    }),
    ("alpha reference", |o| {
        o.pipeline_state.alpha_test.reference = 0.25f32.to_bits()
    }),
    ("alpha_test", |o| {
        o.pipeline_state.alpha_test = AlphaTest::new(CompareFunction::Less, 0.5)
    }),
    ("alpha_test never", |o| {
        o.pipeline_state.alpha_test = AlphaTest::new(CompareFunction::Never, 0.5);
    }),
    ("alpha_test never 0.75", |o| {
        o.pipeline_state.alpha_test = AlphaTest::new(CompareFunction::Never, 0.75);
    }),
    ("alpha_test 1.5", |o| {
        o.pipeline_state.alpha_test = AlphaTest::new(CompareFunction::GreaterEqual, 1.5);
    }),
    ("line_stipple", |o| {
        o.pipeline_state.line_stipple = Some(LineStipple::new(1, 0xf0f0, [0.0, 0.0, 8.0, 8.0]));
    }),
    ("line_stipple factor", |o| {
        o.pipeline_state.line_stipple = Some(LineStipple::new(2, 0xf0f0, [0.0, 0.0, 8.0, 8.0]));
    }),
    ("line_stipple viewport", |o| {
        o.pipeline_state.line_stipple = Some(LineStipple::new(1, 0xf0f0, [0.0, 0.0, 9.0, 8.0]));
    }),
    ("polygon_stipple", |o| {
        o.polygon_stipple = Some(Box::new(PolygonStipple::new(&[0x55; 128])));
    }),
    ("polygon_stipple, buffer 1", |o| {
        o.polygon_stipple = Some(Box::new(PolygonStipple::new(&[0x55; 128])));
        o.pipeline_state.draw_buffer_mask = 2;
    }),
    ("polygon_stipple height", |o| {
        o.polygon_stipple = Some(Box::new(PolygonStipple {
            window_height: 9,
            ..PolygonStipple::new(&[0x55; 128])
        }));
    }),
    ("depth_modes 0", |o| {
        set(&mut o.depth_modes, 0, DepthMode::Alpha)
    }),
    ("depth_modes 3", |o| {
        set(&mut o.depth_modes, 3, DepthMode::Red)
    }),
    ("depth_modes 40", |o| {
        set(&mut o.depth_modes, 40, DepthMode::Red)
    }),
    ("signed_hilo_textures 0", |o| {
        set(&mut o.signed_hilo_textures, 0, true)
    }),
    ("signed_hilo_textures 3", |o| {
        set(&mut o.signed_hilo_textures, 3, true)
    }),
    ("texture_wraps 0", |o| {
        set(&mut o.texture_wraps, 0, wrap(WrapMode::Clamp))
    }),
    ("texture_wraps 3", |o| {
        set(&mut o.texture_wraps, 3, wrap(WrapMode::Clamp))
    }),
    ("texture_wraps filters alone", |o| {
        set(&mut o.texture_wraps, 0, wrap(WrapMode::BySampler))
    }),
    ("texture_wraps r", |o| {
        let r = TextureWrap {
            wrap_modes: [WrapMode::BySampler, WrapMode::BySampler, WrapMode::Clamp],
            ..wrap(WrapMode::BySampler)
        };
        set(&mut o.texture_wraps, 0, r);
    }),
    ("texture_wraps edge", |o| {
        set(&mut o.texture_wraps, 0, wrap(WrapMode::MirrorClampToEdge));
    }),
    ("texture_wraps edge, other filters", |o| {
        let linear = TextureWrap {
            mag_filter: TexelFilter::Linear,
            min_filter: TexelFilter::Nearest,
            ..wrap(WrapMode::MirrorClampToEdge)
        };
        set(&mut o.texture_wraps, 0, linear);
    }),
    ("texture_wraps border, magnified", |o| {
        let linear = TextureWrap {
            mag_filter: TexelFilter::Linear,
            ..wrap(WrapMode::MirrorClampToBorder)
        };
        set(&mut o.texture_wraps, 0, linear);
    }),
    ("texture_wraps border", |o| {
        set(&mut o.texture_wraps, 0, wrap(WrapMode::MirrorClampToBorder));
    }),
    ("texture_wraps mip filter", |o| {
        let linear = TextureWrap {
            mip_filter: MipFilter::Linear,
            ..wrap(WrapMode::Clamp)
        };
        set(&mut o.texture_wraps, 0, linear);
    }),
    ("lod_biases 0", |o| {
        set(&mut o.lod_biases, 0, LodBias::from(0.5))
    }),
    ("lod_biases -0", |o| {
        set(&mut o.lod_biases, 0, LodBias::from(-0.0))
    }),
    ("image_formats 0", |o| {
        set(&mut o.image_formats, 0, Some(TexelFormat::R32f))
    }),
    ("image_formats 3", |o| {
        set(&mut o.image_formats, 3, Some(TexelFormat::Rgba8))
    }),
    ("handles.textures", |o| o.handles.textures = 8),
    ("handles.images", |o| o.handles.images = 8),
    ("attributes 0", |o| {
        set(&mut o.interface.attributes, 0, BaseType::Float)
    }),
    ("attributes 3", |o| {
        set(&mut o.interface.attributes, 3, BaseType::SignedInt)
    }),
    ("colors 0", |o| {
        set(&mut o.interface.colors, 0, BaseType::Float)
    }),
    ("colors 0 signed", |o| {
        set(&mut o.interface.colors, 0, BaseType::SignedInt)
    }),
    ("colors 2", |o| {
        set(&mut o.interface.colors, 2, BaseType::UnsignedInt)
    }),
    ("inputs", |o| {
        o.interface.inputs = Varyings::AllLocations(Varyings::CONVENTIONAL)
    }),
    ("outputs", |o| {
        o.interface.outputs = Varyings::AllLocations(Varyings::CONVENTIONAL)
    }),
    ("outputs 5", |o| {
        o.interface.outputs = Varyings::AllLocations(1 << 5)
    }),
    ("outputs 23", |o| {
        o.interface.outputs = Varyings::AllLocations(0xff << 20)
    }),
    ("strides", |o| o.transform_feedback.strides = vec![64]),
    ("clip_depth", |o| {
        o.conventions.clip_depth = ClipDepth::NegativeOneToOne
    }),
    ("negate_ddy", |o| o.conventions.negate_ddy = true),
    ("flip_point_coord", |o| {
        o.conventions.flip_point_coord = true
    }),
    ("instances", |o| {
        o.conventions.is_instance_index_zero_based = true
    }),
    ("source two_sided_color", |o| {
        o.state_sources.two_sided_color = other(o, 0)
    }),
    ("source flat_colors", |o| {
        o.state_sources.flat_colors = other(o, 1)
    }),
    ("source clamp_vertex_colors", |o| {
        o.state_sources.clamp_vertex_colors = other(o, 2)
    }),
    ("source clamp_fragment_colors", |o| {
        o.state_sources.clamp_fragment_colors = other(o, 3)
    }),
    ("source point_sprites", |o| {
        o.state_sources.point_sprites = other(o, 4)
    }),
    ("source point_size", |o| {
        o.state_sources.point_size = other(o, 5)
    }),
    ("source clip_planes", |o| {
        o.state_sources.clip_planes = other(o, 6)
    }),
    ("source alpha_test", |o| {
        o.state_sources.alpha_test = other(o, 7)
    }),
    ("source line_stipple", |o| {
        o.state_sources.line_stipple = other(o, 8)
    }),
    ("source polygon_stipple", |o| {
        o.state_sources.polygon_stipple = other(o, 9)
    }),
    ("source depth_modes", |o| {
        o.state_sources.depth_modes = other(o, 10)
    }),
    ("source texture_wraps", |o| {
        o.state_sources.texture_wraps = other(o, 11)
    }),
];

/// Lists of varyings, which linking replaces: they reduce less than other options.
const LISTS: &[Change] = &[
    ("inputs packed", |o| {
        o.interface.inputs = Varyings::Packed(vec![Semantic::TexCoord(3)])
    }),
    ("inputs explicit", |o| {
        let color = VaryingLocation::vector(Semantic::Color(0), 2, BaseType::Float);
        o.interface.inputs = Varyings::Explicit(vec![color])
    }),
    ("outputs packed", |o| {
        o.interface.outputs = Varyings::Packed(Vec::new())
    }),
    ("outputs explicit", |o| {
        let back = VaryingLocation::vector(Semantic::BackColor(0), 2, BaseType::Float);
        o.interface.outputs = Varyings::Explicit(vec![back])
    }),
    ("outputs guaranteed", |o| {
        o.interface.outputs = Varyings::AllLocations(Varyings::GUARANTEED)
    }),
];

/// Returns another source than that of the state with this number.
fn other(options: &Options, state: usize) -> StateSource {
    let sources = options.state_sources;
    let all = [
        sources.two_sided_color,
        sources.flat_colors,
        sources.clamp_vertex_colors,
        sources.clamp_fragment_colors,
        sources.point_sprites,
        sources.point_size,
        sources.clip_planes,
        sources.alpha_test,
        sources.line_stipple,
        sources.polygon_stipple,
        sources.depth_modes,
        sources.texture_wraps,
    ];
    match all[state] {
        StateSource::CompileTime => StateSource::UniformBlock,
        StateSource::UniformBlock => StateSource::SpecConstant,
        StateSource::SpecConstant => StateSource::CompileTime,
    }
}

/// Sets the element of a list that has defaults before it.
fn set<T: Clone + DefaultElement>(list: &mut Vec<T>, index: usize, value: T) {
    if list.len() <= index {
        list.resize(index + 1, T::default_element());
    }
    list[index] = value;
}

/// Element of lists of options.
trait DefaultElement {
    fn default_element() -> Self;
}

impl DefaultElement for BaseType {
    fn default_element() -> Self {
        Self::Float
    }
}

macro_rules! default_elements {
    ($($ty:ty),*) => {
        $(impl DefaultElement for $ty {
            fn default_element() -> Self {
                Self::default()
            }
        })*
    };
}
default_elements!(DepthMode, bool, TextureWrap, LodBias, Option<TexelFormat>);

fn wrap(mode: WrapMode) -> TextureWrap {
    TextureWrap {
        wrap_modes: [mode, mode, WrapMode::BySampler],
        min_filter: TexelFilter::Linear,
        mip_filter: MipFilter::Nearest,
        ..TextureWrap::default()
    }
}

/// Programs of all stages.
const PROGRAMS: &[&str] = &[
    "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\nEND",
    "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.texcoord[1], vertex.texcoord[1];\nEND",
    "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.pointsize.x, vertex.attrib[3].x;\nMOV result.color.back, vertex.texcoord[1];\nEND",
    "!!NVvp4.0\nMOV result.position, vertex.attrib[3];\nMOV.S result.attrib[0].x, vertex.instance;\nMOV result.clip[5].x, 1;\nEND",
    "!!VP2.0\nMOV o[HPOS], v[OPOS];\nMOV o[CLP0].x, v[3].x;\nMOV o[CLP5].x, v[3].y;\nEND",
    "!!NVvp5.0\nTEX result.position, vertex.attrib[0], texture[3], 2D;\nEND",
    "!!VSP1.0\nMOV c[4], v[0];\nEND",
    "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND",
    "!!ARBfp1.0\nOPTION ARB_draw_buffers;\nMOV result.color[2], fragment.texcoord[3];\nEND",
    "!!ARBfp1.0\nTEMP r;\nTEX r, fragment.texcoord[0], texture[0], 2D;\nTEX result.color, r, texture[3], 3D;\nEND",
    "!!ARBfp1.0\nOPTION ARB_fragment_program_shadow;\nTEX result.color, fragment.texcoord[3], texture[3], SHADOW2D;\nEND",
    "!!ARBfp1.0\nMOV result.depth.z, fragment.texcoord[0].x;\nEND",
    "!!NVfp4.0\nFLAT ATTRIB c = fragment.color;\nDDY result.color, c;\nEND",
    "!!NVfp4.0\nINT OUTPUT o = result.color;\nMOV.S o, primitive.id;\nEND",
    "!!NVfp5.0\nMOV result.color, fragment.pointcoord;\nEND",
    "!!NVfp5.0\nOPTION NV_bindless_texture;\nLONG TEMP h;\nPK64.U h.x, program.local[0];\nTEX result.color, fragment.texcoord[0], handle(h.x), 2D;\nEND",
    "!!NVfp5.0\nOPTION EXT_sparse_texture2;\nTEX.LODCLAMP result.color, fragment.texcoord[0], fragment.texcoord[1].x, texture[0], 2D;\nEND",
    "!!NVfp5.0\nIMAGE i = image[0];\nLOADIM.F32 result.color, fragment.texcoord[0], i, 2D;\nEND",
    "!!NVgp4.0\nPRIMITIVE_IN TRIANGLES;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 3;\nMOV result.position, vertex[0].position;\nMOV.S result.layer.x, 1;\nEMIT;\nEND",
    "!!NVgp4.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT TRIANGLE_STRIP;\nVERTICES_OUT 4;\nMOV result.position, vertex[0].position;\nMOV result.pointsize.x, vertex[0].pointsize.x;\nMOV result.color, vertex[0].color;\nEMIT;\nEND",
    "!!NVgp5.0\nPRIMITIVE_IN PATCHES;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\nMOV result.position, vertex[0].position;\nEMIT;\nEND",
    "!!NVtep5.0\nTESS_MODE TRIANGLES;\nTESS_POINT_MODE;\nMOV result.position, vertex[0].position;\nMOV result.color, vertex[0].color;\nEND",
    "!!NVtep5.0\nTESS_MODE QUADS;\nMOV result.position, vertex[0].position;\nMOV result.pointsize.x, 2;\nEND",
    "FRAG\nDCL IN[0], BCOLOR, COLOR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND",
    "!!NVcp5.0\nGROUP_SIZE 8;\nTEMP r;\nMOV.U r, invocation.globalid;\nEND",
];

/// Control programs, after which linking adds an evaluation stage: with results of patches, and with
/// results that no instruction writes.
const CONTROLS: &[&str] = &[
    "!!NVtcp5.0\nVERTICES_OUT 3;\nMOV result.position, vertex[0].position;\nMOV result.color, vertex[0].color;\nEND",
    "!!NVtcp5.0\nVERTICES_OUT 3;\nMOV result.position, vertex[0].position;\nMOV result.patch.attrib[0], vertex[0].color;\nEND",
    "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], POSITION\nDCL OUT[][0], POSITION\nDCL OUT[][1], COLOR\nDCL SV[0], INVOCATIONID\nDCL ADDR[0]\n  0: UARL ADDR[0].x, SV[0].xxxx\n  1: MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]\n  2: END",
];

/// Returns the options that changes are applied to.
fn list_bases() -> Vec<Options> {
    let mut device = Options::default();
    device.device.resource_min_lod = false;
    device.device.storage_image_read_without_format = false;
    device.interface.outputs = Varyings::AllLocations(Varyings::CONVENTIONAL);
    let dynamic = [StateSource::UniformBlock, StateSource::SpecConstant].map(|source| Options {
        state_sources: StateSources::all(source),
        ..Options::default()
    });
    let mut all = vec![Options::default(), device];
    all.extend(dynamic);
    all
}

/// The problem that options differ and modules do not.
const EQUAL_MODULES: &str = "equal modules of other options";

/// Modules of a program with the reduced options that they were compiled with: either determines
/// the other.
struct Modules<'p> {
    program: &'p Program,
    by_options: HashMap<Options, Shader>,
    by_words: HashMap<Vec<u32>, Vec<(Reflection, Options)>>,
    /// Number of options that were compiled.
    count: usize,
    problems: Vec<String>,
}

impl<'p> Modules<'p> {
    fn new(program: &'p Program) -> Self {
        Self {
            program,
            by_options: HashMap::new(),
            by_words: HashMap::new(),
            count: 0,
            problems: Vec::new(),
        }
    }

    /// Compiles with options, and compares with all modules before; records what differs.
    fn check(&mut self, compiler: &mut Compiler, options: &Options, changes: &[&str]) {
        let reduced = options.for_program(self.program);
        if reduced.for_program(self.program) != reduced {
            self.record("the result changes again", changes);
        }
        let full = compiler.compile_program(self.program, options);
        if full != compiler.compile_program(self.program, &reduced) {
            self.record("another module", changes);
        }
        let Ok(shader) = full else { return };
        self.count += 1;
        let known = self.by_options.get(&reduced);
        if known.is_some_and(|known| *known != shader) {
            self.record("equal options of other modules", changes);
        }
        let same_words = self.by_words.entry(shader.words.clone()).or_default();
        let twin = same_words
            .iter()
            .find(|it| it.0 == shader.reflection && it.1.device == reduced.device);
        match twin {
            // Linking may add a stage that inherits the options of a control program.
            Some(_) if self.program.stage() == Stage::TessControl => {}
            Some((_, other)) if *other != reduced => {
                let difference = describe_difference(other, &reduced);
                self.record(&format!("{EQUAL_MODULES}: {difference}"), changes);
            }
            Some(_) => {}
            None => same_words.push((shader.reflection.clone(), reduced.clone())),
        }
        self.by_options.insert(reduced, shader);
    }

    /// Records a difference after some changes of the options.
    fn record(&mut self, problem: &str, changes: &[&str]) {
        self.problems.push(format!("{changes:?}: {problem}"));
    }

    /// Removes the records of equal modules with other options, and returns their number.
    fn forgive_equal_modules(&mut self) -> usize {
        let count = self.problems.len();
        self.problems
            .retain(|problem| !problem.contains(EQUAL_MODULES));
        count - self.problems.len()
    }

    /// Returns the number of modules. Panics if any differed.
    #[track_caller]
    fn finish(self) -> usize {
        let text = String::from_utf8_lossy(self.program.source().text).into_owned();
        let problems = &self.problems[..self.problems.len().min(20)];
        assert!(problems.is_empty(), "{text}\n{}", problems.join("\n"));
        self.count
    }
}

/// Returns the fields in which the text forms of two options differ.
fn describe_difference(one: &Options, other: &Options) -> String {
    let [one, other] = [one, other].map(|options| format!("{options:?}"));
    let [one, other]: [Vec<&str>; 2] = [&one, &other].map(|text| text.split(", ").collect());
    let of = |list: &[&str], rest: &[&str]| -> Vec<String> {
        let own = list.iter().filter(|field| !rest.contains(field));
        own.map(|field| (*field).to_owned()).collect()
    };
    format!("{:?} and {:?}", of(&one, &other), of(&other, &one))
}

fn load(text: &str) -> Program {
    let source = Source::new("program", text);
    Program::load(&source).unwrap_or_else(|errors| panic!("{}", errors.render(&source)))
}

/// Applies each change, and every two of them to one of the bases.
#[test]
fn equal_options_are_equal_modules() {
    let bases = list_bases();
    let mut compiler = Compiler::new();
    for text in PROGRAMS {
        let program = load(text);
        let mut modules = Modules::new(&program);
        for base in &bases {
            modules.check(&mut compiler, base, &[]);
            for (name, change) in CHANGES {
                let mut options = base.clone();
                change(&mut options);
                modules.check(&mut compiler, &options, &[name]);
            }
        }
        for (number, (first, change)) in CHANGES.iter().enumerate() {
            for (offset, (second, other)) in CHANGES[number + 1..].iter().enumerate() {
                let mut options = bases[(number + offset) % bases.len()].clone();
                change(&mut options);
                other(&mut options);
                modules.check(&mut compiler, &options, &[first, second]);
            }
        }
        let known = modules.problems.len();
        for (first, list) in LISTS {
            for (number, (second, change)) in CHANGES.iter().enumerate() {
                let mut options = bases[number % bases.len()].clone();
                list(&mut options);
                change(&mut options);
                modules.check(&mut compiler, &options, &[first, second]);
            }
        }
        let others = modules.problems.split_off(known);
        let others = others.into_iter().filter(|it| !it.contains(EQUAL_MODULES));
        modules.problems.extend(others);
        // Nearly all options compile; those that are errors have no module to compare.
        let count = modules.finish();
        assert!(count > 100, "{text}: {count}");
    }
}

/// Programs of the scripts: their number makes up for fewer options.
#[test]
fn programs_of_scripts_have_equal_modules_for_equal_options() {
    let bases = list_bases();
    let mut compiler = Compiler::new();
    let (mut count, mut unneeded) = (0, 0);
    for (number, program) in distinct_programs().into_iter().enumerate() {
        let source = Source::new("program", program.text.as_str());
        let Ok(program) = Program::load(&source) else {
            continue;
        };
        let mut modules = Modules::new(&program);
        // Each program is compiled with a part of the changes of one base.
        let base = &bases[number / 4 % bases.len()];
        modules.check(&mut compiler, base, &[]);
        for (name, change) in CHANGES.iter().skip(number % 4).step_by(4) {
            let mut options = base.clone();
            change(&mut options);
            modules.check(&mut compiler, &options, &[name]);
        }
        unneeded += modules.forgive_equal_modules();
        count += modules.finish();
    }
    // Programs may compute the same with another state, for example with constants.
    assert!(unneeded * 1000 < count, "{unneeded} of {count}");
    assert!(count > 1000, "{count}");
}

/// Linked stages depend on the options of both: reduced options give the same pipelines.
#[test]
fn pipelines_of_reduced_options_are_the_same() {
    let mut compiler = Compiler::new();
    let programs: Vec<Program> = PROGRAMS.iter().map(|text| load(text)).collect();
    let controls: Vec<Program> = CONTROLS.iter().map(|text| load(text)).collect();
    let of_stage = |stage| {
        programs
            .iter()
            .filter(move |program| program.stage() == stage)
    };
    let mut pipelines: Vec<Vec<&Program>> = Vec::new();
    for vertex in of_stage(Stage::Vertex) {
        pipelines.extend(of_stage(Stage::Fragment).map(|fragment| vec![vertex, fragment]));
        pipelines.extend(of_stage(Stage::Geometry).map(|geometry| vec![vertex, geometry]));
        pipelines.extend(of_stage(Stage::TessEval).map(|eval| vec![vertex, &controls[0], eval]));
        pipelines.extend(controls.iter().map(|control| vec![vertex, control]));
    }
    let none: Change = ("no list", |_| ());
    let mut added = 0;
    for (number, base) in list_bases().into_iter().enumerate() {
        for (index, (name, change)) in CHANGES.iter().chain(LISTS).enumerate() {
            // Each change with each list, of different bases.
            let lists = [&none, &LISTS[(number + index) % LISTS.len()]];
            for ((list_name, list), pipeline) in lists
                .into_iter()
                .flat_map(|it| pipelines.iter().map(move |p| (it, p)))
            {
                let mut options = base.clone();
                list(&mut options);
                change(&mut options);
                let reduced: Vec<Options> = pipeline
                    .iter()
                    .map(|program| options.for_program(*program))
                    .collect();
                let full: Vec<_> = pipeline
                    .iter()
                    .map(|program| (*program, &options))
                    .collect();
                let same: Vec<_> = pipeline.iter().copied().zip(&reduced).collect();
                let [full, same] = [full, same].map(|stages| compiler.link_with(&stages));
                assert!(
                    full == same,
                    "{name}, {list_name}: {:?}",
                    pipeline
                        .iter()
                        .map(|it| it.source().text.escape_ascii().to_string())
                        .collect::<Vec<_>>()
                );
                added += full.generated.iter().filter(|(_, it)| it.is_ok()).count();
            }
        }
    }
    assert!(added > 1000, "{added}");
}

/// Captures remain, and only they need strides.
#[test]
fn captures_remain() {
    let program = load(PROGRAMS[0]);
    let mut options = Options::default();
    options.transform_feedback.strides = vec![32];
    assert_eq!(options.for_program(&program), Options::default());
    options.transform_feedback.captures = vec![Capture {
        semantic: Semantic::Position,
        first_component: 0,
        component_count: 4,
        buffer: 0,
        offset: 0,
        stream: 0,
    }];
    assert_eq!(options.for_program(&program), options);
}
