//! `glasm draw`: draws programs without a script.
//!
//! The script of the scene runs in a worker process, as those of `glasm run`, which saves its
//! images to a temporary directory. This file loads the programs and runs the script; `settings`
//! converts the command line to those of the scene, `animation` combines images. Without a device,
//! the simulation of draws that traces use renders the images.

mod animation;
mod settings;

use crate::args::{DrawArgs, SourceOptions, WorkerArgs};
use crate::batch::catch_panic;
use crate::console::{Console, Fatal, Status, replace_control_characters};
use crate::inputs::{EmbeddedProgram, Input, starts_with_header};
use crate::loaded_input::LoadedInput;
use crate::progress::Progress;
use crate::report::{Fault, ScriptResult};
use crate::run::worker::Worker;
use animation::{Frame, ImageContents};
use glasm::Options;
use glasm_scene::{Scene, SceneInput, SceneProgram, build_scene};
use glasm_scripts::script::Script;
use glasm_scripts::software::render_images;
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum number of steps of an invocation of the interpreter.
const MAX_STEPS: u64 = 1 << 20;

/// Draws the programs, and prints the inputs that the command line does not set. Returns `Failed`
/// if a program has errors or the device cannot draw it.
pub(crate) fn draw(args: &DrawArgs, console: Console) -> Result<Status, Fatal> {
    let Some(programs) = load_programs(&args.programs, console)? else {
        return Ok(Status::Failed);
    };
    let options = settings::read_settings(args).map_err(Fatal)?;
    let scene = build_scene(&programs, &options).map_err(Fatal)?;
    if scene.images.is_empty() {
        return Err(Fatal(
            "the programs draw nothing: there is no program of a graphics stage, and no compute \
             program that writes a two-dimensional image or a storage buffer"
                .to_owned(),
        ));
    }
    if let Some(path) = &args.write_script {
        write_file(path, scene.text.as_bytes())?;
    }
    let dir = tempfile::tempdir().map_err(|error| Fatal::from_io("temporary files", &error))?;
    let rendered = if args.interpreter {
        interpret_scene(&scene, dir.path(), console)?
    } else {
        let hint = programs
            .iter()
            .any(SceneProgram::reads_memory)
            .then_some(ADDRESS_HINT);
        run_scene(&scene, (dir.path(), hint), args, console)?
    };
    let Some(rendered) = rendered else {
        return Ok(Status::Failed);
    };
    let contents = write_image(dir.path(), &scene, &args.output)?;
    print_result(args, &scene, &rendered, console)?;
    if contents == ImageContents::OneColor {
        console.write_err(&console.format_warning(
            "all pixels have the same color: with the values above, the programs draw nothing that \
             is visible, or the same color everywhere",
        ));
    }
    if args.open {
        open::that_detached(&args.output)
            .map_err(|error| Fatal(format!("--open: {}: {error}", args.output.display())))?;
    }
    Ok(Status::Success)
}

/// Images that exist in the directory of a run.
struct Rendered {
    /// Name of the device.
    device: String,
    /// Lines that the script has printed.
    output: Vec<String>,
}

/// What to do if a device crashes that draws programs with addresses.
const ADDRESS_HINT: &str = "the programs access memory through addresses, and addresses outside of \
     buffers crash devices; --local and --env set the parameters, `glasm draw --interpreter` reads 0 \
     outside of buffers";

/// Runs the script of a scene on a device, which saves its images to a directory. Prints the
/// reasons, with `crash_hint` if the device crashes, and returns `None` if it does not.
fn run_scene(
    scene: &Scene,
    (dir, crash_hint): (&Path, Option<&str>),
    args: &DrawArgs,
    console: Console,
) -> Result<Option<Rendered>, Fatal> {
    let script = dir.join("scene.shader_test");
    write_file(&script, scene.text.as_bytes())?;
    let worker_args = WorkerArgs::for_drawing(args.device.clone(), dir.to_owned());
    let mut worker = Worker::start(&worker_args, &Progress::new(console, 0))?;
    let result = worker.run_script(&script, 0);
    if result.images.len() != scene.images.len() {
        report_failures(&result, &script, args, console);
        if let Some(hint) = crash_hint.filter(|_| result.fault == Some(Fault::Crash)) {
            console.write_err(&console.format_warning(hint));
        }
        return Ok(None);
    }
    Ok(Some(Rendered {
        device: result.device,
        output: result.output,
    }))
}

/// Draws a scene with the interpreter, and saves its images to a directory. Prints what is not
/// simulated, and returns `None` if that is a draw or dispatch.
fn interpret_scene(scene: &Scene, dir: &Path, console: Console) -> Result<Option<Rendered>, Fatal> {
    let script = Script::parse_runnable(scene.text.as_bytes()).map_err(|errors| {
        let message = errors.first().map(|error| error.message.clone());
        Fatal(message.unwrap_or_default())
    })?;
    let rendered = catch_panic(|| render_images(&script, MAX_STEPS))
        .map_err(|panic| Fatal(format!("internal error of glasm: {panic}")))?
        .map_err(|error| Fatal(format!("--interpreter: {error}")))?;
    for limitation in &rendered.limitations {
        let message = format!("--interpreter: {limitation}");
        console.write_err(&if rendered.is_complete {
            console.format_warning(&message)
        } else {
            console.format_error(None, &message)
        });
    }
    if !rendered.is_complete {
        return Ok(None);
    }
    let [width, height] = script.requirements.framebuffer;
    for image in &rendered.images {
        let bytes = image.to_rgba8(width, script.requirements.convention);
        let frame = Frame::new(width, height, bytes);
        frame.write(&dir.join(&image.name))?;
    }
    Ok(Some(Rendered {
        device: "interpreter".to_owned(),
        output: Vec::new(),
    }))
}

/// Loads the programs of all inputs. Prints the errors of programs and returns `None` if there are
/// any; warnings are printed, too.
fn load_programs(paths: &[PathBuf], console: Console) -> Result<Option<Vec<SceneProgram>>, Fatal> {
    let mut programs = Vec::new();
    let mut is_valid = true;
    for path in paths {
        let input = if path.as_os_str() == "-" {
            Input::Stdin
        } else {
            Input::File(path.clone())
        };
        let name = input.name();
        let text = input
            .read()
            .map_err(|error| Fatal(format!("{name}: {error}")))?;
        if input.is_script(&text) {
            return Err(Fatal(format!(
                "{name} is a script; `glasm run {name} --save-images .` draws it"
            )));
        }
        let found = SceneProgram::split(&text);
        if found.is_empty() {
            return Err(Fatal(describe_missing_program(&name, &text)));
        }
        is_valid &= report_diagnostics(&input, &name, &text, console);
        programs.extend(found);
    }
    Ok(is_valid.then_some(programs))
}

/// Returns the message about an input without programs.
fn describe_missing_program(name: &str, text: &[u8]) -> String {
    if starts_with_header(text) {
        return format!(
            "{name}: the header is unknown; `glasm explain languages` lists the headers"
        );
    }
    match EmbeddedProgram::find(text) {
        Some(content) => format!(
            "{name}:{}: {}; `glasm extract {name}` finds it",
            content.line,
            content.describe()
        ),
        None => format!("{name}: no program found: no line starts with !! or is a TGSI processor"),
    }
}

/// Prints the errors and warnings of the programs of an input. Returns true if it has only
/// warnings.
fn report_diagnostics(input: &Input, name: &str, text: &[u8], console: Console) -> bool {
    let Ok(content) = LoadedInput::load(input, name, text, SourceOptions::default()) else {
        return false;
    };
    let mut is_valid = true;
    for program in content.list_programs(None, &Options::default()) {
        // Errors of code generation for a program alone may not exist for the linked pipeline.
        let (_, diagnostics) = glasm::frontend::translate(&program.source);
        is_valid &= diagnostics.error_count() == 0;
        console.write_err(&content.format_diagnostics(&program, &diagnostics, console));
    }
    is_valid
}

/// Prints why the script of a scene, in a temporary file, has not saved its images.
fn report_failures(result: &ScriptResult, script: &Path, args: &DrawArgs, console: Console) {
    let temporary = script.display().to_string();
    let name = match &args.write_script {
        Some(path) => path.display().to_string(),
        None => "scene.shader_test".to_owned(),
    };
    let mut lines: Vec<String> = result
        .failures
        .iter()
        .map(|failure| match failure.line {
            Some(line) => format!("line {line} of the script: {}", failure.message),
            None => failure.message.clone(),
        })
        .collect();
    if lines.is_empty() {
        let reason = result.reason.clone().unwrap_or_default();
        lines.push(format!("{} cannot draw this: {reason}", result.device));
    }
    for line in lines {
        let line = replace_control_characters(&line.replace(&temporary, &name));
        console.write_err(&console.format_error(None, &line));
    }
    if args.write_script.is_none() && !result.failures.is_empty() {
        let hint = "--write-script FILE writes the script, for `glasm run FILE`";
        console.write_err(&console.format_warning(hint));
    }
}

/// Writes the image, or the animation of several ones, from those in a directory. Returns what the
/// first one contains.
fn write_image(dir: &Path, scene: &Scene, output: &Path) -> Result<ImageContents, Fatal> {
    if let Some(parent) = output.parent() {
        fs::create_dir_all(parent).map_err(|error| Fatal::from_io(parent.display(), &error))?;
    }
    let paths: Vec<PathBuf> = scene.images.iter().map(|name| dir.join(name)).collect();
    let [first, ..] = &paths[..] else {
        return Err(Fatal("the script has saved no image".to_owned()));
    };
    let contents = Frame::read(first)?.contents();
    if paths.len() > 1 {
        animation::write_animation(&paths, output)?;
    } else {
        fs::copy(first, output).map_err(|error| Fatal::from_io(output.display(), &error))?;
    }
    Ok(contents)
}

/// Writes a file; the directory must exist.
fn write_file(path: &Path, contents: &[u8]) -> Result<(), Fatal> {
    fs::write(path, contents).map_err(|error| Fatal::from_io(path.display(), &error))
}

/// Prints the path of the image, what the script has printed, and the inputs that the command line
/// does not set; as a JSON object if messages are JSON.
fn print_result(
    args: &DrawArgs,
    scene: &Scene,
    rendered: &Rendered,
    console: Console,
) -> Result<(), Fatal> {
    let path = args.output.display().to_string();
    if console.is_json() {
        let input = |input: &SceneInput| serde_json::json!({ "name": input.name, "value": input.value, "option": input.option });
        let inputs: Vec<serde_json::Value> = scene.inputs.iter().map(input).collect();
        let record = serde_json::json!({
            "image": path, "device": rendered.device, "output": rendered.output, "inputs": inputs,
        });
        return console.write_out(format!("{record}\n"));
    }
    let [width, height] = args.size;
    let mut text = format!("{path}: {width} x {height}, {}\n", rendered.device);
    for line in &rendered.output {
        text += &format!("{}\n", replace_control_characters(line));
    }
    if !scene.inputs.is_empty() {
        text += "not set:\n";
        text += &format_inputs(&scene.inputs);
    }
    console.write_out(text)
}

/// Inputs that are listed for users.
const LISTED_INPUTS: usize = 64;

/// Formats inputs, one on each line in columns: name, value, option; of many inputs the first ones
/// and the number of the others.
fn format_inputs(all: &[SceneInput]) -> String {
    let (inputs, others) = all.split_at(all.len().min(LISTED_INPUTS));
    let width = |text: fn(&SceneInput) -> &str| {
        let widths = inputs.iter().map(|input| text(input).chars().count());
        widths.max().unwrap_or(0)
    };
    let (names, values) = (width(|it| &it.name), width(|it| &it.value));
    let line = |input: &SceneInput| {
        let SceneInput {
            name,
            value,
            option,
            ..
        } = input;
        format!("  {name:names$}  {value:values$}  {option}\n")
    };
    let mut text: String = inputs.iter().map(line).collect();
    if !others.is_empty() {
        text += &format!("  {} more; --message-format json lists all\n", others.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_scene::InputSetting;

    #[test]
    fn inputs_are_columns() {
        let input = |name: &str, value: &str| SceneInput {
            name: name.to_owned(),
            value: value.to_owned(),
            option: "--x".to_owned(),
            setting: InputSetting::None,
        };
        let two = [input("a", "1 2"), input("bcd", "3")];
        assert_eq!(format_inputs(&two), "  a    1 2  --x\n  bcd  3    --x\n");
        let many: Vec<SceneInput> = (0..70).map(|_| input("a", "1")).collect();
        let text = format_inputs(&many);
        assert_eq!(text.lines().count(), LISTED_INPUTS + 1);
        assert!(text.ends_with("  6 more; --message-format json lists all\n"));
    }

    #[test]
    fn inputs_without_programs_are_described() {
        let describe = |text: &str| describe_missing_program("a", text.as_bytes());
        assert!(describe("!!nonsense").contains("header is unknown"));
        assert!(describe("char *p = \"!!VP1.0\\nEND\";").contains("glasm extract a"));
        assert!(describe("text").contains("no program found"));
    }
}
