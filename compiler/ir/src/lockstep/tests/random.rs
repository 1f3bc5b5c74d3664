//! Random programs: the lowered program has the results of lock step in any order of the
//! invocations.

use super::runs::check_orders;
use crate::program::Stage;
use crate::testgen::{self, GenerateOptions};
use crate::{lockstep, verify};

fn check_random_programs(seeds: std::ops::Range<u64>, options: &GenerateOptions) {
    let mut lowered_programs = 0;
    for seed in seeds.clone() {
        let program = testgen::generate_program(seed, options);
        assert_eq!(verify(&program), Ok(()), "seed {seed}\n{program}");
        let Some(lowered) = lockstep::lower(&program) else {
            continue;
        };
        lowered_programs += 1;
        assert_eq!(verify(&lowered), Ok(()), "seed {seed}\n{lowered}");
        let environment = testgen::generate_environment(seed, &program);
        check_orders(&program, &lowered, &environment, 6);
    }
    let count = (seeds.end - seeds.start) as usize;
    assert!(lowered_programs > count / 4, "few programs have barriers");
}

#[test]
fn small_programs() {
    check_random_programs(0..400, &GenerateOptions::new(Stage::TessControl, 12));
}

#[test]
fn programs() {
    check_random_programs(0..100, &GenerateOptions::new(Stage::TessControl, 50));
}
