//! Times the stages of a translation: nanoseconds per instruction of program files.
use glasm_frontend::stages::{Reports, check, lex, lower, parse, start};
use glasm_frontend::{Source, translate};
use std::time::Instant;

fn best(mut run: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    let begin = Instant::now();
    while begin.elapsed().as_millis() < 400 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e9
}

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read(&path).expect("readable file");
        let source = Source::new(&path, &text);
        let (program, diagnostics) = translate(&source);
        if program.is_none() {
            println!("{path}: {:?}", diagnostics.list.first());
            continue;
        }
        let (dialect, body) = start(&source).expect("a header");
        let tokens = lex(&text, body);
        let (ast, _) = parse(dialect, &text, tokens.clone(), Reports::new());
        let count = ast.insts.len() as f64;
        let (checked, _) = check(ast.clone(), Reports::new());
        let checked = checked.expect("no errors");
        let lexing = best(|| drop(std::hint::black_box(lex(&text, body))));
        let parsing = best(|| {
            drop(std::hint::black_box(parse(
                dialect,
                &text,
                tokens.clone(),
                Reports::new(),
            )))
        });
        let cloning = best(|| drop(std::hint::black_box(ast.clone())));
        let checking =
            best(|| drop(std::hint::black_box(check(ast.clone(), Reports::new())))) - cloning;
        let lowering = best(|| drop(std::hint::black_box(lower(&checked))));
        let total = best(|| drop(std::hint::black_box(translate(&source))));
        println!(
            "{path}: {count} instructions, ns each: lex {:.1} parse {:.1} check {:.1} lower {:.1} all {:.1}",
            lexing / count,
            parsing / count,
            checking / count,
            lowering / count,
            total / count
        );
    }
}
