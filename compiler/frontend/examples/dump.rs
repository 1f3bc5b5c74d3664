//! Prints the IR of a program file, or its diagnostics.
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read(&path).expect("readable file");
        let source = glasm_frontend::Source::new(&path, &text);
        let (program, diagnostics) = glasm_frontend::translate(&source);
        for diagnostic in &diagnostics.list {
            println!(
                "{} {:?} {} {:?}",
                diagnostic.code.id(),
                diagnostic.location,
                diagnostic.message,
                diagnostic.notes
            );
        }
        if let Some(program) = program {
            println!("{program}");
        }
    }
}
