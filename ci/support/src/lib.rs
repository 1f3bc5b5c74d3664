//! Running programs, groups of processes, test programs, Vulkan drivers, reports of scripts and
//! counts, for the crates of `ci`.
#![expect(
    clippy::print_stdout,
    reason = "command line programs print their progress"
)]

pub mod counts;
pub mod process_group;
pub mod report;
pub mod shell;
pub mod test_programs;
pub mod vulkan;
