//! What the tests, benchmarks and fuzz targets of glasm share: generated programs, the script files, mutations.

pub mod arb_scripts;
pub mod generator;
pub mod gp_scripts;
pub mod manual;
pub mod memory;
pub mod mutate;
pub mod rng;
pub mod scripts;
pub mod skip;
