//! Interpretation of programs: options of the commands that read them.

use clap::{Args, value_parser};
use glasm::{Acceptance, Source, TgsiOptions};
use glasm_scripts::script::fixed::{MAX_BLOCK, MAX_MEMORY, parse_float_bits, parse_integer_bits};

const TGSI_HELP_HEADING: &str =
    "Values that TGSI programs do not specify (for scripts: see [require])";

/// Options for reading programs.
#[derive(Args, Clone, Debug)]
pub(crate) struct SourceArgs {
    /// Reject programs that break a rule even if shipped programs break it; without it, that is a
    /// warning
    #[arg(long)]
    strict: bool,
    /// Values that TGSI programs do not specify.
    #[command(flatten)]
    tgsi: TgsiArgs,
}

/// Values that TGSI programs do not specify; the defaults are those of [`TgsiOptions::default`].
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = TGSI_HELP_HEADING)]
struct TgsiArgs {
    /// Interpret TGSI according to the document of 2010 where it differs from the current one
    #[arg(long)]
    tgsi_old: bool,
    /// Interpret TGSI as sent by guests with virgl: 64-bit results in z and w are computed from the
    /// first values of sources
    #[arg(long)]
    tgsi_virgl: bool,
    /// Size in bytes of MEMORY that is SHARED [default: 32768]
    #[arg(long, value_name = "BYTES", value_parser = value_parser!(u32).range(..=i64::from(MAX_MEMORY)))]
    shared_memory: Option<u32>,
    /// Size in bytes of MEMORY that is PRIVATE [default: 4096]
    #[arg(long, value_name = "BYTES", value_parser = value_parser!(u32).range(..=i64::from(MAX_MEMORY)))]
    private_memory: Option<u32>,
    /// Threads of a block in dimensions that programs do not specify [default: 1,1,1]
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_block_size)]
    block_size: Option<[u32; 3]>,
    /// Dimensions of the grid, for WORK_DIM [default: 3]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=3))]
    work_dim: Option<u32>,
    /// Integers for CS_USER_DATA_AMD, hexadecimal ones as bits [default: 0,0,0,0]
    #[arg(long, value_name = "A,B,C,D", value_parser = parse_user_data, allow_hyphen_values = true)]
    user_data: Option<[u32; 4]>,
    /// Four outer and two inner levels for TESS_DEFAULT_OUTER_LEVEL and TESS_DEFAULT_INNER_LEVEL
    /// [default: 1,1,1,1,1,1]
    #[arg(long, value_name = "A,B,C,D,E,F", value_parser = parse_tess_levels, allow_hyphen_values = true)]
    default_tess_levels: Option<[u32; 6]>,
    /// Color 1 of fragments is the second source of the blending of attachment 0
    #[arg(long)]
    dual_source: bool,
    /// User clip plane whose distance is computed from CLIPVERTEX, 0 to 7; may be repeated
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(..8))]
    clip_plane: Vec<u32>,
    /// Number of the BGNSUB that is the entry point of a compute program made up of subroutines
    /// [default: 0]
    #[arg(long, value_name = "N")]
    entry: Option<u32>,
}

/// Values of the options.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct SourceOptions {
    /// Programs that load.
    pub(crate) acceptance: Acceptance,
    /// Values that TGSI programs do not specify.
    pub(crate) tgsi: TgsiOptions,
}

impl SourceOptions {
    /// Returns the source of a program with these options, whose type is determined from its
    /// header.
    pub(crate) fn to_source<'a>(self, name: &'a str, text: &'a [u8]) -> Source<'a> {
        Source {
            acceptance: self.acceptance,
            tgsi: self.tgsi,
            ..Source::new(name, text)
        }
    }
}

impl From<&SourceArgs> for SourceOptions {
    fn from(args: &SourceArgs) -> Self {
        Self {
            acceptance: if args.strict {
                Acceptance::Strict
            } else {
                Acceptance::Shipped
            },
            tgsi: TgsiOptions::from(&args.tgsi),
        }
    }
}

impl From<&TgsiArgs> for TgsiOptions {
    fn from(args: &TgsiArgs) -> Self {
        let defaults = Self::default();
        Self {
            legacy_semantics: args.tgsi_old,
            virgl: args.tgsi_virgl,
            shared_memory: args.shared_memory.unwrap_or(defaults.shared_memory),
            private_memory: args.private_memory.unwrap_or(defaults.private_memory),
            block_size: args.block_size.unwrap_or(defaults.block_size),
            work_dim: args.work_dim.unwrap_or(defaults.work_dim),
            user_data: args.user_data.unwrap_or(defaults.user_data),
            default_tess_levels: args
                .default_tess_levels
                .unwrap_or(defaults.default_tess_levels),
            dual_source_blending: args.dual_source,
            clip_plane_mask: args
                .clip_plane
                .iter()
                .fold(0, |all, plane| all | 1 << plane),
            entry_subroutine: args.entry.unwrap_or(defaults.entry_subroutine),
        }
    }
}

/// Parses exactly `N` elements, separated by commas, each by `parse`. The error names the elements
/// as `what`.
fn parse_list<const N: usize>(
    text: &str,
    what: &str,
    parse: fn(&str) -> Option<u32>,
) -> Result<[u32; N], String> {
    let words = text.split(',').map(|word| parse(word.trim()));
    let parsed: Option<Vec<u32>> = words.collect();
    let list = parsed.and_then(|found| <[u32; N]>::try_from(found).ok());
    list.ok_or_else(|| format!("expected {N} {what} with commas between them"))
}

/// Parses the three dimensions of a work group in threads, separated by commas, each from 1 to
/// [`MAX_BLOCK`].
fn parse_block_size(text: &str) -> Result<[u32; 3], String> {
    let what = format!("numbers from 1 to {MAX_BLOCK}");
    parse_list(text, &what, |word| {
        word.parse().ok().filter(|n| (1..=MAX_BLOCK).contains(n))
    })
}

/// Parses four integers of either sign, separated by commas, as bits; hexadecimal ones denote the
/// bits.
fn parse_user_data(text: &str) -> Result<[u32; 4], String> {
    parse_list(text, "integers of 32 bits", parse_integer_bits)
}

/// Parses six tessellation levels, separated by commas, as the bits of floats; hexadecimal ones
/// denote the bits.
fn parse_tess_levels(text: &str) -> Result<[u32; 6], String> {
    parse_list(text, "levels", parse_float_bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        reading: SourceArgs,
    }

    fn read(words: &[&str]) -> Result<SourceOptions, String> {
        let line = [&["glasm"], words].concat();
        let line = Line::try_parse_from(line).map_err(|error| error.to_string())?;
        Ok(SourceOptions::from(&line.reading))
    }

    #[test]
    fn what_is_not_said_is_as_usual() {
        assert_eq!(read(&[]), Ok(SourceOptions::default()));
        let strict = read(&["--strict"]).unwrap();
        assert_eq!(strict.acceptance, Acceptance::Strict);
    }

    #[test]
    fn options_say_what_texts_leave_open() {
        let line = "--tgsi-old --tgsi-virgl --shared-memory 64 --private-memory 0 --block-size 8,4,1 --work-dim 2 --user-data 1,-1,0x80,4294967295 \
                    --default-tess-levels 1,2,0x40400000,4,-0.5,inf --dual-source --clip-plane 0 --clip-plane 7 --entry 15";
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let floats = [1.0f32, 2.0, 3.0, 4.0, -0.5, f32::INFINITY];
        let expected = TgsiOptions {
            legacy_semantics: true,
            virgl: true,
            shared_memory: 64,
            private_memory: 0,
            block_size: [8, 4, 1],
            work_dim: 2,
            user_data: [1, u32::MAX, 128, u32::MAX],
            default_tess_levels: floats.map(f32::to_bits),
            dual_source_blending: true,
            clip_plane_mask: 0b1000_0001,
            entry_subroutine: 15,
        };
        assert_eq!(read(&words).unwrap().tgsi, expected);
        for wrong in [
            "--block-size=1,1",
            "--block-size=1,0,1",
            "--work-dim=4",
            "--user-data=1,2,3,0.5",
            "--clip-plane=8",
            "--entry=-1",
            "--shared-memory=1048577",
        ] {
            assert!(read(&[wrong]).is_err(), "{wrong}");
        }
    }
}
