//! Shader test scripts, independent of the API that runs them: from the source of a `.shader_test`
//! file to the report of its run.
//!
//! `docs/scripts.md` describes the language. A [`Script`](script::Script) is the parsed source, to
//! the extent that it does not depend on a device:
//!
//! ```
//! use glasm_scripts::script::{Command, ProgramForm, Script};
//!
//! let text = b"
//! [fragment program]
//! !!ARBfp1.0
//! MOV result.color, program.local[0];
//! END
//! [vertex program passthrough]
//! [test]
//! parameter local_fp 0 (0, 1, 0, 1)
//! draw rect -1 -1 2 2
//! probe all rgba 0 1 0 1
//! ";
//! let script = Script::parse(text).expect("every line is good");
//! assert_eq!(script.programs[0].form, ProgramForm::Assembly);
//! let commands: Vec<&Command> = script.steps.iter().map(|step| &step.command).collect();
//! assert!(matches!(commands[..], [Command::Parameter { .. }, Command::Draw(_), Command::ProbePixels(_)]));
//!
//! let errors = Script::parse(b"[test]\ndraw nothing").expect_err("nothing cannot be drawn");
//! assert_eq!((errors[0].line, errors[0].column), (2, 6));
//! ```
//!
//! A runner uses these parts in order:
//!
//! | part | purpose |
//! |---|---|
//! | [`discover`] | finds scripts in directories |
//! | [`script`] | reads a script: requirements, programs, vertices, buffers, commands |
//! | [`compile`] | compilation of its programs |
//! | [`data`], [`format`](mod@format), [`texture`] | numbers in buffers, texels and textures, as bytes |
//! | [`vertices`] | inputs of draws: bounds, current values |
//! | [`gl_state`], [`params`] | GL state and parameters as commands change them, and their bytes in programs |
//! | [`resource_table`] | textures and images with the objects that a runner creates for them |
//! | [`image`], [`probe`] | images that were read back; their contents and those of buffers, compared with the expectations of the script |
//! | [`results`], [`timing`] | the outcome of a script; failures, files and durations, which are collected while it runs; time limits |
//! | [`software`] | execution of single invocations of draws and dispatches by the interpreter of the IR |
//! | [`observation`] | the output of programs, for comparisons of runs |
//! | [`compare`] | two runs of a script, fresh or recorded, value by value |
//!
//! Nothing here calls Vulkan or OpenGL. Formats and pipeline state have Vulkan's names because the
//! language has them.
#![forbid(unsafe_code)]

pub mod compare;
pub mod compile;
pub mod data;
pub mod discover;
mod float16;
pub mod format;
pub mod gl_state;
pub mod image;
pub mod observation;
pub mod params;
pub mod probe;
pub mod resource_table;
pub mod results;
pub mod runner;
pub mod script;
pub mod software;
pub mod texture;
pub mod timing;
pub mod vertices;
mod visualize;
