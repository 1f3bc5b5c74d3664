//! What a layer of OpenGL on Vulkan does with a pair of programs: modules, layouts, buffers, a cache,
//! and output in GLSL and MSL. `cargo run -p glasm-examples --bin layer -- PROGRAMS RESULTS` reads
//! `light.vp` and `fog.fp` in the first directory (examples/layer), and writes to the second one.
//! `compiler/capi/examples/layer.c` does the same in C.

#![expect(
    clippy::print_stdout,
    reason = "a layer passes to Vulkan what is printed here"
)]

use glasm::state::{GlState, MatrixMode, ParameterValues, StateChanges, matrix};
use glasm::vulkan::PipelineInfo;
use glasm::{Linked, Options, PipelineCache, PipelineState, Program, Shader, Stage, Target};
use glasm_text::Language;
use std::error::Error;
use std::fs;
use std::path::Path;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Prints `PROGRAM_ERROR_POSITION_ARB` and `PROGRAM_ERROR_STRING_ARB` after `glProgramStringARB`.
fn report_errors(text: &str) {
    let (position, message) = match Program::load_string("broken", Stage::Vertex, text) {
        Ok(_) => (-1, String::new()),
        Err(errors) => errors.gl_error(),
    };
    println!("position {position}: {message:?}");
}

/// Returns what the application has set that parameter blocks depend on.
fn build_state() -> GlState {
    let mut state = GlState::default();
    let (projection, modelview) = (MatrixMode::Projection, MatrixMode::Modelview(0));
    state.multiply_matrix(projection, &matrix::perspective(90.0, 1.0, 1.0, 100.0));
    state.translate(modelview, [0.0, 0.0, -10.0]);
    state.rotate(modelview, 90.0, [0.0, 1.0, 0.0]);
    state.set_light_position(0, [1.0, 2.0, 3.0, 1.0]);
    state.light_mut(0).diffuse = [1.0, 0.5, 0.25, 1.0];
    state.fog.density = 0.25;
    state
}

/// Prints the structures that `vkCreateDescriptorSetLayout` and `vkCreateGraphicsPipelines` take.
fn describe_pipeline(pipeline: &Linked) -> Outcome<()> {
    let info = PipelineInfo::new(pipeline)?;
    for (set, bindings) in info.set_bindings.iter().enumerate() {
        for it in bindings {
            let (binding, ty, stages) = (it.binding, it.descriptor_type, it.stage_flags);
            println!("set {set}, binding {binding}: {ty:?}, {stages:?}");
        }
    }
    for it in &info.attributes {
        println!("attribute at location {}: {:?}", it.location, it.format);
    }
    println!("{} inputs are not written", pipeline.unwritten.len());
    Ok(())
}

/// Prints the parameters, and which of two draws with equal values upload them.
fn fill_block(shader: &Shader, state: &GlState, changes: &mut StateChanges) -> Outcome<()> {
    // In GL, each target has environment parameters, and each program local ones; here all are equal.
    let mut env = [[0.0; 4]; 8];
    (env[0], env[7]) = ([0.1, 0.1, 0.1, 1.0], [0.5, 0.5, 1.0, 1.0]);
    let values = ParameterValues {
        env: &env,
        local: &[[0.0; 4], [0.0; 4], [1.0, 0.75, 0.5, 1.0]],
        ..ParameterValues::default()
    };
    for it in shader.list_parameters(state, &values) {
        println!("offset {}: {} = {:?}", it.offset, it.source, it.value);
    }
    let (mut block, mut revision) = (vec![0; shader.parameter_block_size()], 0);
    for draw in 0..2 {
        let is_changed =
            shader.update_parameter_block(state, changes, &values, &mut revision, &mut block)?;
        println!("draw {draw}: upload {is_changed}");
    }
    Ok(())
}

/// Draws with other state, and prints which stages have other modules for it.
fn draw_variants(
    cache: &mut PipelineCache,
    programs: &[&Program],
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
        let pipeline = cache.get_or_link(programs, &variant)?;
        let changed = pipeline.find_changed_stages(Some(&base));
        println!("variant {number}: new modules: {changed:?}");
    }
    Ok(())
}

fn write_sources(
    programs: &[&Program],
    options: &Options,
    language: Language,
    directory: &Path,
) -> Outcome<()> {
    let text_options = glasm_text::Options {
        compiler: options.clone(),
        ..glasm_text::Options::new(language)
    };
    for text in glasm_text::link(programs, &text_options)? {
        let extension = text.reflection.stage.file_extension();
        let name = format!("{language}.{extension}");
        fs::write(directory.join(name), text.source)?;
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let [_, programs, results] = &std::env::args().collect::<Vec<_>>()[..] else {
        return Err("usage: layer PROGRAMS RESULTS".into());
    };
    let (sources, results) = (Path::new(programs), Path::new(results));
    let load = |name: &str, stage| -> Outcome<Program> {
        let text = fs::read(sources.join(name))?;
        Ok(Program::load_string(name, stage, &text)?)
    };
    let vertex = load("light.vp", Stage::Vertex)?;
    let fragment = load("fog.fp", Stage::Fragment)?;
    report_errors("!!ARBvp1.0\nMOV result.position, tint;\nEND");
    report_errors("!!ARBfp1.0\nMOV result.color, 1;\nEND");
    report_errors("!!ARBvp1.0\nMOV result.position, vertex.position;\nEND");

    let programs = [&vertex, &fragment];
    // What the application has set that modules depend on.
    let mut options = Options::for_gl_context(Target::Vulkan1_2);
    options.pipeline_state.draw_buffer_mask = 3;
    let mut cache = PipelineCache::default();
    let pipeline = cache.get_or_link(&programs, &options)?;
    describe_pipeline(&pipeline)?;
    let state = build_state();
    let mut changes = StateChanges::new(&state);
    for shader in pipeline.shaders() {
        let extension = shader.reflection.stage.file_extension();
        fs::write(results.join(format!("{extension}.spv")), shader.to_bytes())?;
        fill_block(shader, &state, &mut changes)?;
    }
    draw_variants(&mut cache, &programs, &options)?;
    write_sources(&programs, &options, Language::Glsl(330), results)?;
    write_sources(&programs, &options, Language::Msl(24), results)
}
