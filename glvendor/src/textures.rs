//! Textures that programs compare: their depth modes, and whether they are compared at all. LOD
//! biases for accesses with a minimum LOD. Completeness of textures, for programs that depend on
//! it.

use crate::context::{Groups, State};
use crate::ffi::{driver, query};
use crate::reader;
use glasm::fixed_function::{FixedFragment, TextureTarget, TextureUnit};
use glasm::{DepthMode, Dialect, LodBias, Program as Loaded, TexTarget};
use rustc_hash::FxHashSet;

/// Number of tracked texture image units; programs of the ARB languages have no more.
const UNITS: usize = 32;

/// `DEPTH_TEXTURE_MODE`
const DEPTH_TEXTURE_MODE: u32 = 0x884B;
const LUMINANCE: u32 = 0x1909;
const INTENSITY: u32 = 0x8049;
const ALPHA: u32 = 0x1906;
const SAMPLER_BINDING: u32 = 0x8919;
const TEXTURE_MIN_FILTER: u32 = 0x2801;
/// `TEXTURE_CUBE_MAP_POSITIVE_X`
const CUBE_FACE: u32 = 0x8515;

/// Targets that programs access in some way, by texture image unit, as `GL_TEXTURE_2D`; 0 for units
/// that they do not.
type Accessed = [u32; UNITS];

/// Depth state of the textures of these units.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Depths {
    /// Two bits for each unit: its depth mode.
    modes: u64,
    /// Units whose textures are not compared, one bit each.
    plain: u32,
    /// Units whose textures are compared, one bit each.
    compared: u32,
}

/// Returns true if textures determine comparison of lookups, not their targets: NV_fragment_program
/// section 3.11.5.38.
fn asks_textures(program: &Loaded) -> bool {
    program.dialect() == Some(Dialect::NvFp1_0)
}

/// Adds the targets of a program that are compared, or may be.
fn add_compared(compared: &mut Accessed, program: &Loaded) {
    let all = asks_textures(program);
    for texture in program.ir().textures.iter().filter(|it| all || it.shadow) {
        set(compared, texture.units.first(), texture.target);
    }
}

/// Adds the targets that a program accesses from a least level on.
fn add_clamped(clamped: &mut Accessed, program: &Loaded) {
    let ir = program.ir();
    for access in ir.tex_accesses.iter().filter(|it| it.min_lod) {
        let texture = &ir.textures[access.texture];
        set(clamped, texture.units.first(), texture.target);
    }
}

/// Adds the targets that a program accesses, if lookups of incomplete textures return zeros.
fn add_transparent(transparent: &mut Accessed, program: &Loaded) {
    if program.ir().modes.transparent_missing {
        for texture in program.ir().textures.iter() {
            set(transparent, texture.units.first(), texture.target);
        }
    }
}

fn set(accessed: &mut Accessed, unit: Option<u32>, target: TexTarget) {
    if let Some(place) = unit.and_then(|unit| accessed.get_mut(unit as usize)) {
        *place = number(target);
    }
}

/// Adds the textures that the fixed functions of fragments compare.
fn add_fixed(compared: &mut Accessed, fixed: &FixedFragment) {
    for (place, unit) in compared.iter_mut().zip(&fixed.units) {
        match unit.target.filter(|_| unit.compared) {
            Some(TextureTarget::D1) => *place = number(TexTarget::D1),
            Some(TextureTarget::D2) => *place = number(TexTarget::D2),
            Some(TextureTarget::Rectangle) => *place = number(TexTarget::Rect),
            Some(TextureTarget::D3 | TextureTarget::Cube) | None => {}
        }
    }
}

/// Disables the units of fixed functions whose textures are not complete. GL 2.1 section 3.8.10.
fn disable_missing(fixed: &mut FixedFragment, complete: &mut FxHashSet<(u32, bool)>) {
    let mut enabled = Accessed::default();
    for (place, unit) in enabled.iter_mut().zip(&fixed.units) {
        *place = match unit.target {
            Some(TextureTarget::D1) => number(TexTarget::D1),
            Some(TextureTarget::D2) => number(TexTarget::D2),
            Some(TextureTarget::D3) => number(TexTarget::D3),
            Some(TextureTarget::Cube) => number(TexTarget::Cube),
            Some(TextureTarget::Rectangle) => number(TexTarget::Rect),
            None => 0,
        };
    }
    let missing = read_missing(&enabled, complete);
    for (number, unit) in fixed.units.iter_mut().enumerate() {
        if missing >> number & 1 != 0 {
            *unit = TextureUnit::default();
        }
    }
}

/// Returns the units of a list.
fn units_of(accessed: &Accessed) -> u32 {
    let units = accessed
        .iter()
        .enumerate()
        .filter(|(_, target)| **target != 0);
    units.fold(0, |mask, (unit, _)| mask | 1 << unit)
}

/// Returns the enumerant of a target: `GL_TEXTURE_2D` and others.
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

/// Reads the depth modes of textures that programs may compare.
fn read_depths(compared: &Accessed) -> Depths {
    let mut depths = Depths::default();
    reader::with_units(units_of(compared), |unit| {
        let target = compared[unit as usize];
        let [mode] = query::tex_parameter(target, DEPTH_TEXTURE_MODE);
        let mode = match mode as u32 {
            LUMINANCE => DepthMode::Luminance,
            INTENSITY => DepthMode::Intensity,
            ALPHA => DepthMode::Alpha,
            _ => DepthMode::Red,
        };
        depths.modes |= (mode as u64) << (2 * unit);
        if is_compared(target) {
            depths.compared |= 1 << unit
        } else {
            depths.plain |= 1 << unit
        }
    });
    depths
}

/// Reads a sampling parameter of the texture of a target: that of the sampler of the active unit,
/// otherwise of the texture.
fn sampling(target: u32, name: u32) -> i32 {
    let [value] = match query::integer(SAMPLER_BINDING) {
        0 => query::tex_parameter(target, name),
        sampler => query::sampler_parameter(sampler as u32, name),
    };
    value
}

/// Reads the units among these whose textures are not complete: GL 2.1 section 3.8.10. Complete
/// ones are known from then on.
fn read_missing(accessed: &Accessed, complete: &mut FxHashSet<(u32, bool)>) -> u32 {
    let mut missing = 0;
    reader::with_units(units_of(accessed), |unit| {
        let target = accessed[unit as usize];
        let filter = sampling(target, TEXTURE_MIN_FILTER);
        let has_levels = matches!(filter, 0x2700..=0x2703);
        let texture = query::integer(binding(target)) as u32;
        if complete.contains(&(texture, has_levels)) {
            return;
        }
        match is_complete(target, has_levels) {
            false => missing |= 1 << unit,
            true if texture != 0 => {
                complete.insert((texture, has_levels));
            }
            true => {}
        }
    });
    missing
}

/// Returns an image: its sizes, 1 for missing dimensions, and its internal format.
fn image(target: u32, face: u32, level: i32) -> [i32; 4] {
    const SIZES: [u32; 3] = [0x1000, 0x1001, 0x8071];
    const INTERNAL_FORMAT: u32 = 0x1003;
    let sizes = match target {
        0x0DE0 => 1,
        0x806F => 3,
        _ => 2,
    };
    let value = |name: u32| query::tex_level_parameter::<1>(face, level, name)[0];
    let mut image = [1, 1, 1, value(INTERNAL_FORMAT)];
    for (size, name) in image.iter_mut().zip(SIZES).take(sizes) {
        *size = value(name);
    }
    image
}

/// Returns true if the texture of a target of the active unit has all images that lookups need; the
/// filter uses several levels or one.
fn is_complete(target: u32, has_levels: bool) -> bool {
    const CUBE: u32 = 0x8513;
    const RECTANGLE: u32 = 0x84F5;
    let faces = match target {
        CUBE => CUBE_FACE..CUBE_FACE + 6,
        target => target..target + 1,
    };
    let [base, most] = match target {
        RECTANGLE => [0, 0],
        target => [0x813C, 0x813D].map(|name| query::tex_parameter::<1>(target, name)[0]),
    };
    let [width, height, depth, format] = image(target, faces.start, base);
    if [width, height, depth].contains(&0) || target == CUBE && width != height {
        return false;
    }
    let largest = width.max(height).max(depth);
    let last = match has_levels {
        _ if target == RECTANGLE => 0,
        true if base > most => return false,
        true => most.min(base + largest.ilog2() as i32),
        false => base,
    };
    (base..=last).all(|level| {
        let sizes = [width, height, depth].map(|size| (size >> (level - base)).max(1));
        let wanted = [sizes[0], sizes[1], sizes[2], format];
        faces
            .clone()
            .all(|face| image(target, face, level) == wanted)
    })
}

/// Returns the biases that the driver adds to the levels of these units: the bias of the unit and
/// that of its sampler, or of its texture (GL 3.3 section 3.8.8). The list ends at the last unit
/// with a bias.
fn read_biases(clamped: &Accessed) -> Vec<LodBias> {
    const TEXTURE_LOD_BIAS: u32 = 0x8501;
    const TEXTURE_FILTER_CONTROL: u32 = 0x8500;
    const MAX_TEXTURE_LOD_BIAS: u32 = 0x84FD;
    let mut biases = Vec::new();
    reader::with_units(units_of(clamped), |unit| {
        let [sampler] = match query::integer(SAMPLER_BINDING) {
            0 => query::tex_parameter_float(clamped[unit as usize], TEXTURE_LOD_BIAS),
            sampler => query::sampler_parameter_float(sampler as u32, TEXTURE_LOD_BIAS),
        };
        let [environment] = query::tex_env::<1>(TEXTURE_FILTER_CONTROL, TEXTURE_LOD_BIAS);
        let [most] = query::floats(MAX_TEXTURE_LOD_BIAS);
        let bias = (sampler + environment).min(most).max(-most);
        if bias != 0.0 {
            biases.resize(unit as usize, LodBias::default());
            biases.push(bias.into());
        }
    });
    biases
}

/// Returns true if the texture of a target of the active unit has depths, and its sampler compares
/// them.
pub(crate) fn is_compared(target: u32) -> bool {
    const COMPARE_MODE: u32 = 0x884C;
    let mode = sampling(target, COMPARE_MODE);
    let image = if target == 0x8513 { CUBE_FACE } else { target };
    let [base] = match target {
        0x84F5 => [0],
        target => query::tex_parameter(target, 0x813C),
    };
    let [bits] = query::tex_level_parameter::<1>(image, base, 0x884A);
    mode != 0 && bits != 0
}

/// Returns the name of the query for a texture of this target: `GL_TEXTURE_BINDING_2D`.
fn binding(target: u32) -> u32 {
    match target {
        0x0DE0 => 0x8068,
        0x0DE1 => 0x8069,
        0x806F => 0x806A,
        0x84F5 => 0x84F6,
        0x8513 => 0x8514,
        0x8C18 => 0x8C1C,
        0x8C1A => 0x8C1D,
        _ => 0x900A,
    }
}

/// Textures of the current programs whose state decides about lookups.
#[derive(Default, Debug)]
pub(crate) struct Lookups {
    /// Targets that the programs compare, or may.
    shadows: Accessed,
    /// Same units, and those that fixed functions compare.
    compared: Accessed,
    /// Targets that the programs access from a least level on.
    clamped: Accessed,
    /// Targets whose lookups return zeros if the texture is not complete.
    transparent: Accessed,
    /// Textures that are complete, with several levels or with one.
    complete: FxHashSet<(u32, bool)>,
    /// Units that are compared with depth mode `ALPHA`.
    alpha: u32,
    /// Textures, with their targets, whose depth mode is luminance in the driver and `ALPHA` in the
    /// application.
    luminances: Vec<(u32, u32)>,
}

impl Lookups {
    /// Collects the targets that programs access. Returns the groups of state that decide about
    /// them.
    pub(crate) fn set_programs(&mut self, programs: impl Iterator<Item = Loaded>) -> Groups {
        let none = Accessed::default();
        (self.shadows, self.clamped, self.transparent) = (none, none, none);
        for loaded in programs {
            add_compared(&mut self.shadows, &loaded);
            add_clamped(&mut self.clamped, &loaded);
            add_transparent(&mut self.transparent, &loaded);
        }
        let clamps = self.clamped != none;
        let mut groups = Groups::empty();
        groups.set(Groups::TEXENV, clamps);
        groups.set(
            Groups::TEXTURE,
            clamps || self.shadows != none || self.transparent != none,
        );
        groups
    }

    /// Adds the comparisons of the fixed functions of fragments, if these are part of the pipeline.
    pub(crate) fn set_fixed(&mut self, fixed: Option<&FixedFragment>) {
        self.compared = self.shadows;
        if let Some(fixed) = fixed {
            add_fixed(&mut self.compared, fixed);
        }
    }

    /// Disables the units of fixed functions whose textures are not complete. GL 2.1 section
    /// 3.8.10.
    pub(crate) fn disable_missing(&mut self, fixed: &mut FixedFragment) {
        disable_missing(fixed, &mut self.complete);
    }

    /// Returns the units whose lookups return zeros.
    pub(crate) fn read_missing(&mut self) -> u32 {
        read_missing(&self.transparent, &mut self.complete)
    }

    /// Reads the biases of units that are accessed from a least level on.
    pub(crate) fn read_biases(&self) -> Vec<LodBias> {
        read_biases(&self.clamped)
    }

    /// Reads the depth modes of textures that are compared.
    pub(crate) fn read_depths(&self) -> Depths {
        read_depths(&self.compared)
    }

    /// Sets the depth modes that the pipeline is compiled for.
    pub(crate) fn set_depths(&mut self, depths: &Depths) {
        self.alpha = depths.alpha();
    }

    /// Changes depth mode `ALPHA` to luminance in the driver. Modules apply depth modes to
    /// comparisons themselves. A comparison returns one number, which is the red component after
    /// the driver has applied its depth mode: with `ALPHA` that is 0.
    pub(crate) fn apply_depth_modes(&mut self) {
        if self.alpha == 0 || !self.luminances.is_empty() {
            return;
        }
        let (compared, luminances) = (&self.compared, &mut self.luminances);
        reader::with_units(self.alpha, |unit| {
            let target = compared[unit as usize];
            let texture = query::integer(binding(target)) as u32;
            driver::TexParameteri(target, DEPTH_TEXTURE_MODE, LUMINANCE as i32);
            luminances.push((target, texture));
        });
    }

    /// Restores the depth modes that the application has set.
    pub(crate) fn restore_depth_modes(&mut self) {
        for (target, texture) in self.luminances.drain(..) {
            // Binding the name of a deleted texture would create it again.
            if texture != 0 && driver::IsTexture(texture) == 0 {
                continue;
            }
            let bound = query::integer(binding(target)) as u32;
            driver::BindTexture(target, texture);
            // A display list may have set another one.
            if query::tex_parameter(target, DEPTH_TEXTURE_MODE) == [LUMINANCE as i32] {
                driver::TexParameteri(target, DEPTH_TEXTURE_MODE, ALPHA as i32);
            }
            driver::BindTexture(target, bound);
        }
    }
}

impl State {
    /// Prepares for a command that defines textures or queries their parameters.
    pub(crate) fn textures_change(&mut self) {
        self.drawing.lookups.complete.clear();
        self.drawing.lookups.restore_depth_modes();
        self.changed(Groups::TEXTURE);
    }
}

impl Depths {
    /// Returns the program with lookups that fit these textures.
    pub(crate) fn fit(&self, program: Loaded) -> Loaded {
        match asks_textures(&program) {
            true if self.compared != 0 => program.with_compared_lookups(self.compared),
            false if self.plain != 0 => program.with_plain_lookups(self.plain),
            true | false => program,
        }
    }

    /// Returns the units that are compared with depth mode `ALPHA`.
    pub(crate) fn alpha(&self) -> u32 {
        let is_alpha = |unit: &u32| self.modes >> (2 * unit) & 3 == DepthMode::Alpha as u64;
        let units = (0..UNITS as u32).filter(is_alpha);
        units.fold(0, |mask, unit| mask | 1 << unit) & !self.plain
    }

    /// Returns the depth modes for the options of the compiler.
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
