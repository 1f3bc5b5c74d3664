//! Runs a translation many times, for profiling.
fn main() {
    let path = std::env::args().nth(1).expect("a file");
    let text = std::fs::read(&path).expect("readable file");
    for _ in 0..3000 {
        let source = glasm_frontend::Source::new(&path, &text);
        std::hint::black_box(glasm_frontend::translate(&source));
    }
}
