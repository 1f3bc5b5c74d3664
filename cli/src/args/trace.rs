//! Options of `glasm trace`.

use clap::Args;
use std::path::PathBuf;

/// Help after the options.
pub(super) const TRACE_HELP: &str = "\
The interpreter of glasm executes one invocation of a program of a script and prints each statement with its line, the
values that it reads and writes, condition codes, branches, iterations and calls. A fragment runs with the other three of
its quad, so that it has derivatives; textures of the script are sampled. The result is compared with that of the device.
A program is traced in the script that `glasm run PROGRAM` prints around it, with the textures and parameters in it set.

It also reports instructions that make a NaN or an infinity of finite operands, that read a register which nothing has
written, and whose index or address is out of bounds; the first of each kind is named so. (Registers of !!VP1.x, !!VP2.0 and !!FP1.0 are
initially 0, so that reading them is no mistake there.)

X and Y count pixels from 0; Y = 0 is row 0 of the framebuffer: the top, or the bottom in scripts with OpenGL's rules.
Not simulated: multisampling, layers, several views, depth bias, logical operations; what is left out is reported.

Exit status: 0 the device agrees or is not asked, 1 the results differ, 2 invalid usage or nothing to trace.

Examples:
  glasm trace lit.shader_test --at 12,40       the last fragment that determines the color of a pixel
  glasm trace bump.fp --first-nan              where the first NaN or infinity comes from
  glasm trace lit.shader_test --at 3,3 --last-write R2
  glasm trace lit.shader_test --vertex 2 --watch result.position
  glasm trace sum.shader_test --invocation 5,0,0 --json
  glasm trace old.fp --diff new.fp             the first statement with another result";

/// `glasm trace`.
#[derive(Args, Debug)]
pub(crate) struct TraceArgs {
    /// Script, or program
    #[arg(value_name = "SCRIPT|PROGRAM")]
    pub(crate) input: PathBuf,
    /// Trace the fragment that determines the color of this pixel [default: 0,0]
    #[arg(long, value_name = "X,Y", value_parser = parse_numbers::<2>, group = "selection")]
    pub(crate) at: Option<[u32; 2]>,
    /// Trace the vertex program for the vertex with this index
    #[arg(long, value_name = "N", group = "selection")]
    pub(crate) vertex: Option<u32>,
    /// Trace the invocation of a compute program with this global index
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_numbers::<3>, group = "selection")]
    pub(crate) invocation: Option<[u32; 3]>,
    /// Trace the geometry program for this primitive of the draw, or the tessellation control program
    /// for this patch
    #[arg(long, value_name = "N", group = "selection")]
    pub(crate) primitive: Option<u32>,
    /// Line of the draw or dispatch [default: the last one, or the last one that covers the pixel]
    #[arg(long, value_name = "LINE")]
    pub(crate) draw: Option<u32>,
    /// Show only statements that read or write this register, variable or binding; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) watch: Vec<String>,
    /// Show only the last statement that wrote this register or variable
    #[arg(long, value_name = "NAME", conflicts_with_all = ["watch", "first_nan"])]
    pub(crate) last_write: Option<String>,
    /// Show only the first statement that makes a NaN or infinity of finite operands
    #[arg(long, conflicts_with = "watch")]
    pub(crate) first_nan: bool,
    /// Show the instructions of the intermediate representation below each statement
    #[arg(long)]
    pub(crate) ir: bool,
    /// Show values as hexadecimal bits
    #[arg(long)]
    pub(crate) bits: bool,
    /// Print one JSON object; docs/tools.md describes its keys
    #[arg(long)]
    pub(crate) json: bool,
    /// Run a second script, or a second program on the same inputs, and show the first statement
    /// with another result
    #[arg(long, value_name = "OTHER", conflicts_with_all = ["watch", "last_write", "first_nan"])]
    pub(crate) diff: Option<PathBuf>,
    /// Maximum number of steps of an invocation
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub(crate) max_steps: u64,
    /// Maximum number of statements that are shown
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_statements: usize,
    /// Device whose result is compared, by number or a part of its name
    #[arg(long, value_name = "DEVICE")]
    pub(crate) device: Option<String>,
    /// Do not compare with a device
    #[arg(long, conflicts_with = "device")]
    pub(crate) no_device: bool,
}

/// Parses `N` numbers with commas between them.
fn parse_numbers<const N: usize>(text: &str) -> Result<[u32; N], String> {
    let numbers: Result<Vec<u32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let numbers = numbers.ok().and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| format!("expected {N} numbers with commas between them"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_between_them() {
        assert_eq!(parse_numbers::<2>("3,40"), Ok([3, 40]));
        assert_eq!(parse_numbers::<3>("1, 2, 3"), Ok([1, 2, 3]));
        for text in ["", "1", "1,2,3", "-1,2", "a,b", "1,,2"] {
            assert!(parse_numbers::<2>(text).is_err(), "{text}");
        }
    }
}
