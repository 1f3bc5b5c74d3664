//! What the tests, benchmarks and fuzz targets of glasm share: generated programs, the script files, mutations.

pub mod arb_scripts;
pub mod cg;
pub mod clock;
pub mod generator;
pub mod gp_scripts;
pub mod manual;
pub mod memory;
pub mod mutate;
pub mod register_scripts;
pub mod rng;
pub mod scripts;
pub mod shapes;
pub mod skip;

/// Fails with the messages of the compiler if it refuses a program.
#[cfg(test)]
#[track_caller]
fn assert_loads(text: &str) {
    let source = glasm::Source::new("random", text);
    if let Err(errors) = glasm::compile(&source, &glasm::Options::default()) {
        panic!("{}", errors.render(&source));
    }
}
