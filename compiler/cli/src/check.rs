//! `glasm check`: reports the errors and warnings of programs.

use crate::args::CheckArgs;
use crate::batch::{Done, run_batch};
use crate::console::{Console, Fatal, Status, plural};
use crate::inputs::{Input, find_inputs};
use glasm::{Options, Source};

/// Checks all programs and prints a closing count.
pub(crate) fn check(args: &CheckArgs, console: Console) -> Result<Status, Fatal> {
    let inputs = find_inputs(&args.inputs)?;
    let failed = run_batch(&inputs.list, console, |input, text| {
        check_one(args, input, text, console)
    })?;
    console.out(closing_line(inputs.list.len(), failed, console))?;
    Ok(Status::from_failures(failed))
}

fn check_one(args: &CheckArgs, input: &Input, text: &[u8], console: Console) -> Done {
    let name = input.name();
    let source = Source {
        stage: args.stage,
        ..Source::new(&name, text)
    };
    // Compiling finds more than reading does: what no target can express.
    let (diagnostics, failed) = match glasm::compile(&source, &Options::default()) {
        Ok(shader) => (shader.warnings, false),
        Err(diagnostics) => (diagnostics, true),
    };
    Done {
        messages: console.format_diagnostics(&diagnostics, &source),
        output: Vec::new(),
        failed,
    }
}

/// `3 files, 1 failed`.
pub(crate) fn closing_line(files: usize, failed: usize, console: Console) -> String {
    if console.is_json() {
        format!(
            "{}\n",
            serde_json::json!({ "files": files, "failed": failed })
        )
    } else {
        format!("{}, {failed} failed\n", plural(files, "file"))
    }
}
