//! Textures that programs compare: what their depth mode is, and whether they are compared at all.

use crate::ffi::query;
use crate::reader;
use glasm::{DepthMode, Dialect, Program as Loaded, TexTarget};

/// Texture image units that are looked at; programs of the ARB languages have no more.
const UNITS: usize = 32;

/// The targets that programs access and that may be compared, by texture image unit, as `GL_TEXTURE_2D`; 0 for other units.
pub(crate) type Compared = [u32; UNITS];

/// What the textures of these units are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Depths {
    /// Two bits for each unit: its depth mode.
    modes: u64,
    /// A bit for each unit: it is not compared.
    plain: u32,
    /// A bit for each unit: it is.
    compared: u32,
}

/// Whether the texture decides about lookups, not their target: NV_fragment_program section 3.11.5.38.
fn asks_texture(program: &Loaded) -> bool {
    program.dialect() == Some(Dialect::NvFp1_0)
}

/// Adds the targets of a program that are compared, or may be.
pub(crate) fn add_compared(compared: &mut Compared, program: &Loaded) {
    let all = asks_texture(program);
    for texture in program.ir().textures.iter().filter(|it| all || it.shadow) {
        let unit = texture
            .units
            .first()
            .and_then(|unit| compared.get_mut(unit as usize));
        if let Some(target) = unit {
            *target = number(texture.target);
        }
    }
}

/// `GL_TEXTURE_2D` and its kin.
fn number(target: TexTarget) -> u32 {
    match target {
        TexTarget::D1 => 0x0DE0,
        TexTarget::D2 => 0x0DE1,
        TexTarget::D3 => 0x806F,
        TexTarget::Rect => 0x84F5,
        TexTarget::Cube => 0x8513,
        TexTarget::D1Array => 0x8C18,
        TexTarget::D2Array => 0x8C1A,
        TexTarget::CubeArray => 0x9009,
        TexTarget::Buffer => 0x8C2A,
        TexTarget::D2Ms => 0x9100,
        TexTarget::D2MsArray => 0x9102,
    }
}

/// Asks the driver about the textures that programs may compare.
pub(crate) fn read(compared: &Compared) -> Depths {
    let units = compared
        .iter()
        .enumerate()
        .filter(|(_, target)| **target != 0);
    let units = units.fold(0, |mask, (unit, _)| mask | 1 << unit);
    let mut depths = Depths::default();
    reader::with_units(units, |unit| {
        let target = compared[unit as usize];
        let [mode] = query::tex_parameter(target, 0x884B);
        let mode = match mode {
            0x1909 => DepthMode::Luminance,
            0x8049 => DepthMode::Intensity,
            0x1906 => DepthMode::Alpha,
            _ => DepthMode::Red,
        };
        depths.modes |= (mode as u64) << (2 * unit);
        match is_compared(target) {
            true => depths.compared |= 1 << unit,
            false => depths.plain |= 1 << unit,
        }
    });
    depths
}

/// Whether the texture of a target of the active unit holds depths, and its sampler compares them.
fn is_compared(target: u32) -> bool {
    const SAMPLER_BINDING: u32 = 0x8919;
    const COMPARE_MODE: u32 = 0x884C;
    const CUBE_FACE: u32 = 0x8515;
    let [mode] = match query::integer(SAMPLER_BINDING) {
        0 => query::tex_parameter(target, COMPARE_MODE),
        sampler => query::sampler_parameter(sampler as u32, COMPARE_MODE),
    };
    let image = if target == 0x8513 { CUBE_FACE } else { target };
    let [base] = match target {
        0x84F5 => [0],
        target => query::tex_parameter(target, 0x813C),
    };
    let [bits] = query::tex_level_parameter::<1>(image, base, 0x884A);
    mode != 0 && bits != 0
}

impl Depths {
    /// The program whose lookups are what these textures make of them.
    pub(crate) fn fit(&self, program: Loaded) -> Loaded {
        match asks_texture(&program) {
            true if self.compared != 0 => program.with_compared_lookups(self.compared),
            false if self.plain != 0 => program.with_plain_lookups(self.plain),
            true | false => program,
        }
    }

    /// The depth modes for the options of the compiler.
    pub(crate) fn modes(&self) -> Vec<DepthMode> {
        const MODES: [DepthMode; 4] = [
            DepthMode::Luminance,
            DepthMode::Intensity,
            DepthMode::Alpha,
            DepthMode::Red,
        ];
        if self.modes == 0 {
            return Vec::new();
        }
        (0..UNITS)
            .map(|unit| MODES[(self.modes >> (2 * unit)) as usize & 3])
            .collect()
    }
}
