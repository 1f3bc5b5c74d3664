//! Compiling the programs of scripts.

#![allow(dead_code, reason = "each test file uses a part of it")]

use glasm::{
    Code, Diagnostics, Dialect, Options, PipelineState, ProgramType, Shader, Source, TgsiOptions,
};
use glasm_tests::scripts::Program;

/// The largest patch that is a primitive of Vulkan.
const PATCH_VERTICES: u8 = 6;

/// The text of a program, as one of the type of its section.
pub(crate) fn source(program: &Program) -> Source<'_> {
    let header = program
        .name
        .rsplit_once(" [")
        .map_or("", |(_, header)| header);
    // The longest name counts: `vertex state` before `vertex`.
    let named = ProgramType::all()
        .filter(|it| header.starts_with(it.identifier()) || header.starts_with(it.name()));
    Source {
        program_type: named.max_by_key(|it| it.name().len()),
        tgsi: TgsiOptions {
            legacy_semantics: program.tgsi_old,
            ..TgsiOptions::default()
        },
        ..Source::new(&program.name, &program.text)
    }
}

/// Compiles a program alone or, if it cannot stand alone, together with the other stages of its script, which are among `all`.
///
/// # Errors
/// All errors of the program.
pub(crate) fn compile(
    subject: &Program,
    all: &[Program],
    options: &Options,
) -> Result<Shader, Diagnostics> {
    let source = source(subject);
    // Callers say how many vertices the patches have that geometry programs get.
    let fixed = PipelineState {
        patch_vertices: PATCH_VERTICES,
        ..options.pipeline_state
    };
    let options = &Options {
        pipeline_state: fixed,
        ..options.clone()
    };
    let alone = glasm::compile(&source, options);
    let can_link = |errors: &Diagnostics| {
        let mut list = errors.list.iter();
        list.all(|error| error.code == Code::Unsupported)
    };
    if !alone.as_ref().is_err_and(can_link) {
        return alone;
    }
    let file = |program: &Program| program.name.split(" [").next().map(str::to_owned);
    let others = all.iter().filter(|other| file(other) == file(subject));
    let mut sources: Vec<_> = others.map(self::source).collect();
    sources.sort_by_key(|source| Dialect::detect(source.text).map(Dialect::stage));
    let programs = sources.iter().map(glasm::Program::load);
    let Ok(programs) = programs.collect::<Result<Vec<_>, _>>() else {
        return alone;
    };
    let stages: Vec<_> = programs.iter().map(|program| (program, options)).collect();
    let linked = glasm::link_with(&stages).stages.into_iter().zip(&sources);
    let mut own = linked.filter(|(_, source)| source.name == subject.name);
    own.next().map_or(alone, |(shader, _)| shader)
}
