//! What a layer of OpenGL on Vulkan does with a pair of programs: modules, layouts, buffers, keys of
//! a cache, and output in GLSL and MSL. `cargo run -p glasm-examples --bin layer -- PROGRAMS RESULTS`
//! reads `light.vp` and `fog.fp` in the first directory (examples/layer), and writes to the second
//! one. `compiler/capi/examples/layer.c` does the same in C.

#![expect(
    clippy::print_stdout,
    reason = "a layer passes to Vulkan what is printed here"
)]

use glasm::state::matrix::{multiply, perspective, rotation, translation};
use glasm::state::{GlState, ParameterValues};
use glasm::{
    Linked, Options, PipelineCache, PipelineState, Program, Shader, Source, Stage, Target, vulkan,
};
use glasm_text::{ClipConventions, Language};
use std::error::Error;
use std::fs;
use std::path::Path;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Does what `glProgramStringARB` does.
fn load(directory: &Path, name: &str, stage: Stage) -> Outcome<Program> {
    let text = fs::read(directory.join(name))?;
    let source = Source::new(name, &text).for_stage(stage);
    Program::load(&source).map_err(|errors| errors.render(&source).into())
}

/// Prints `PROGRAM_ERROR_POSITION_ARB` and `PROGRAM_ERROR_STRING_ARB`.
fn report_errors(text: &str) {
    let source = Source::new("broken", text).for_stage(Stage::Vertex);
    let errors = Program::load(&source).err().unwrap_or_default();
    let (position, message) = errors.gl_error(&source);
    println!("position {position}: {message:?}");
}

/// Returns what the application has set that modules depend on.
fn build_options() -> Options {
    let mut options = Options::for_gl_context(Target::Vulkan1_2);
    options.pipeline_state.draw_buffer_mask = 3;
    options
}

/// Returns what the application has set that parameter blocks depend on.
fn build_state() -> GlState {
    let mut state = GlState {
        projection: perspective(90.0, 1.0, 1.0, 100.0),
        ..GlState::default()
    };
    let turn = rotation(90.0, [0.0, 1.0, 0.0]);
    *state.modelview_mut(0) = multiply(&translation([0.0, 0.0, -10.0]), &turn);
    state.set_light_position(0, [1.0, 2.0, 3.0, 1.0]);
    state.light_mut(0).diffuse = [1.0, 0.5, 0.25, 1.0];
    state.fog.density = 0.25;
    state
}

/// Prints the structures that `vkCreateDescriptorSetLayout` and `vkCreateGraphicsPipelines` take.
fn describe_pipeline(pipeline: &Linked) -> Outcome<()> {
    for set in pipeline.build_set_layouts()? {
        for it in vulkan::build_layout_bindings(&set) {
            let (binding, ty, stages) = (it.binding, it.descriptor_type, it.stage_flags);
            println!("set {}, binding {binding}: {ty:?}, {stages:?}", set.set);
        }
    }
    let vertex = pipeline.shader(Stage::Vertex).ok_or("no vertex stage")?;
    for it in vulkan::build_attributes(&vertex.reflection) {
        println!("attribute at location {}: {:?}", it.location, it.format);
    }
    println!("{} inputs are not written", pipeline.unwritten.len());
    Ok(())
}

/// Computes the contents of the parameter block, and prints them.
fn fill_block(shader: &Shader, state: &GlState) {
    let mut env = [[0.0; 4]; 8];
    (env[0], env[7]) = ([0.1, 0.1, 0.1, 1.0], [0.5, 0.5, 1.0, 1.0]);
    let values = ParameterValues {
        env: &env,
        local: &[[0.0; 4], [0.0; 4], [1.0, 0.75, 0.5, 1.0]],
        ..ParameterValues::default()
    };
    let list = shader.list_parameters(state, &values);
    for (number, (source, value)) in list.iter().enumerate() {
        println!("offset {}: {source} = {value:?}", 16 * number);
    }
}

/// Draws with other state, and prints for which of it a pipeline and its modules are new.
fn draw_variants(
    cache: &mut PipelineCache,
    programs: &[&Program; 2],
    options: &Options,
) -> Outcome<()> {
    let base = cache.get_or_link(programs, options)?;
    let changes: [fn(&mut PipelineState); 4] = [
        |state| state.two_sided_color = true,
        |state| state.flat_colors = true,
        // Without effect on a program with ARB_draw_buffers.
        |state| state.draw_buffer_mask = 7,
        // Without effect on a program that is not position-invariant.
        |state| state.clip_plane_mask = 1,
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut variant = options.clone();
        change(&mut variant.pipeline_state);
        let count = cache.len();
        let pipeline = cache.get_or_link(programs, &variant)?;
        let pairs = base.shaders().zip(pipeline.shaders());
        let modules: Vec<bool> = pairs.map(|(old, new)| !old.is_same_module(new)).collect();
        let is_new = cache.len() > count;
        println!("variant {number}: new: pipeline {is_new}, modules {modules:?}");
    }
    Ok(())
}

fn write_texts(
    programs: &[&Program; 2],
    options: &Options,
    language: Language,
    directory: &Path,
) -> Outcome<()> {
    let mut text_options = glasm_text::Options::new(language);
    text_options.clip_conventions = ClipConventions::OpenGl;
    text_options.compiler = options.clone();
    for (text, extension) in glasm_text::link(programs, &text_options)?
        .iter()
        .zip(["vert", "frag"])
    {
        fs::write(
            directory.join(format!("{language}.{extension}")),
            &text.source,
        )?;
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let [_, programs, results] = &std::env::args().collect::<Vec<_>>()[..] else {
        return Err("usage: layer PROGRAMS RESULTS".into());
    };
    let (sources, results) = (Path::new(programs), Path::new(results));
    let vertex = load(sources, "light.vp", Stage::Vertex)?;
    let fragment = load(sources, "fog.fp", Stage::Fragment)?;
    report_errors("!!ARBvp1.0\nMOV result.position, tint;\nEND");
    report_errors("!!ARBfp1.0\nMOV result.color, 1;\nEND");
    report_errors("!!ARBvp1.0\nMOV result.position, vertex.position;\nEND");

    let programs = [&vertex, &fragment];
    let (options, state) = (build_options(), build_state());
    let mut cache = PipelineCache::default();
    let pipeline = cache.get_or_link(&programs, &options)?;
    describe_pipeline(&pipeline)?;
    for (shader, name) in pipeline.shaders().zip(["vert.spv", "frag.spv"]) {
        fs::write(results.join(name), shader.to_bytes())?;
        fill_block(shader, &state);
    }
    draw_variants(&mut cache, &programs, &options)?;
    write_texts(&programs, &options, Language::Glsl(330), results)?;
    write_texts(&programs, &options, Language::Msl(24), results)
}
