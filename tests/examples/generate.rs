//! Prints a generated program: `cargo run -p glasm-tests --example generate -- straight|loop|if|mix SIZE gp|tgsi|glsl [SEED]`, or
//! `-- VP1.1|VP2.0|FP1.0|"TGSI VERT"|"TGSI FRAG" NUMBER registers|arb` for a program that names registers and the same one in ARB syntax.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line program talks through these"
)]

use glasm_tests::generator::{RegisterLanguage, Spelling, Variant, mix, program, register_real};
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match text(&words) {
        Some(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("usage: generate straight|loop|if|mix SIZE gp|tgsi|glsl [SEED]");
            eprintln!(
                "       generate VP1.1|VP2.0|FP1.0|\"TGSI VERT\"|\"TGSI FRAG\" NUMBER registers|arb"
            );
            ExitCode::from(2)
        }
    }
}

fn text(words: &[String]) -> Option<String> {
    let [variant, size, language, rest @ ..] = words else {
        return None;
    };
    let size = size.parse().ok()?;
    let seed = rest.first().map_or(Some(1), |seed| seed.parse().ok())?;
    if variant == "mix" {
        return (language == "gp").then(|| mix(size, seed).0);
    }
    let mut languages = RegisterLanguage::ALL.into_iter();
    if let Some(known) = languages.find(|known| known.name() == variant) {
        let spelling = match language.as_str() {
            "registers" => Spelling::Registers,
            "arb" => Spelling::Declared,
            _ => return None,
        };
        return Some(register_real(known, spelling, size).text);
    }
    let variant = Variant::ALL
        .into_iter()
        .find(|known| known.name() == variant)?;
    let program = program(variant, size, seed);
    match language.as_str() {
        "gp" => Some(program.assembly()),
        "tgsi" => Some(program.tgsi()),
        "glsl" => Some(program.glsl()),
        _ => None,
    }
}
