//! Textures that programs compare: their depth modes, and whether they are compared at all. LOD
//! biases for accesses with a minimum LOD. Completeness of textures, for programs that depend on
//! it.

use crate::context::{State, StateGroups};
use crate::ffi::{driver, driver_state};
use crate::state_snapshot;
use crate::texture_formats;
use glasm::fixed_function::{FixedFragmentKey, TextureFormatType, TextureTarget, TextureUnit};
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
type UnitTargets = [u32; UNITS];

/// Depth state of the textures of these units.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct DepthState {
    /// Two bits for each unit: its depth mode.
    mode_bits: u64,
    /// Units whose textures are not compared, one bit each.
    uncompared_units: u32,
    /// Units whose textures are compared, one bit each.
    compared_units: u32,
}

/// Returns true if textures determine comparison of lookups, not their targets: NV_fragment_program
/// section 3.11.5.38.
fn compares_by_texture(program: &Loaded) -> bool {
    program.dialect() == Some(Dialect::NvFp1_0)
}

/// Records the targets of the textures that a program compares; of all its textures if it is one of
/// NV_fragment_program, where textures determine comparison.
fn add_compared(compared: &mut UnitTargets, program: &Loaded) {
    let all = compares_by_texture(program);
    for texture in program.ir().textures.iter().filter(|it| all || it.shadow) {
        set_unit_target(compared, texture.units.first(), texture.target);
    }
}

/// Records the targets of the textures that a program accesses with a minimum level of detail.
fn add_lod_clamped(clamped: &mut UnitTargets, program: &Loaded) {
    let ir = program.ir();
    for access in ir.tex_accesses.iter().filter(|it| it.has_min_lod) {
        let texture = &ir.textures[access.texture];
        set_unit_target(clamped, texture.units.first(), texture.target);
    }
}

/// Records the targets of all textures that a program accesses, if lookups of incomplete textures
/// return zeros in it; otherwise does nothing.
fn add_zero_if_incomplete(transparent: &mut UnitTargets, program: &Loaded) {
    if program.ir().modes.transparent_missing_textures {
        for texture in program.ir().textures.iter() {
            set_unit_target(transparent, texture.units.first(), texture.target);
        }
    }
}

/// Records the target of the texture that a program accesses on a unit. Units beyond the list and
/// textures without a unit are ignored.
fn set_unit_target(accessed: &mut UnitTargets, unit: Option<u32>, target: TexTarget) {
    if let Some(target_slot) = unit.and_then(|unit| accessed.get_mut(unit as usize)) {
        *target_slot = target_enumerant(target);
    }
}

/// Records the targets of the textures that the fixed-function fragment stage compares. Other units
/// are unchanged.
fn add_fixed_function_targets(compared: &mut UnitTargets, fixed: &FixedFragmentKey) {
    for (target_slot, unit) in compared.iter_mut().zip(&fixed.texture_units) {
        match unit.target.filter(|_| unit.compares_depth) {
            Some(TextureTarget::D1) => *target_slot = target_enumerant(TexTarget::D1),
            Some(TextureTarget::D2) => *target_slot = target_enumerant(TexTarget::D2),
            Some(TextureTarget::Rectangle) => *target_slot = target_enumerant(TexTarget::Rect),
            Some(TextureTarget::D3 | TextureTarget::Cube) | None => {}
        }
    }
}

/// Resets the units of fixed functions whose textures are not complete to their default, which is
/// disabled. GL 2.1 section 3.8.10. Adds the complete textures to `complete`, as
/// [`read_incomplete_units`].
fn disable_incomplete_units(fixed: &mut FixedFragmentKey, complete: &mut FxHashSet<(u32, bool)>) {
    let mut enabled = UnitTargets::default();
    for (target_slot, unit) in enabled.iter_mut().zip(&fixed.texture_units) {
        *target_slot = match unit.target {
            Some(TextureTarget::D1) => target_enumerant(TexTarget::D1),
            Some(TextureTarget::D2) => target_enumerant(TexTarget::D2),
            Some(TextureTarget::D3) => target_enumerant(TexTarget::D3),
            Some(TextureTarget::Cube) => target_enumerant(TexTarget::Cube),
            Some(TextureTarget::Rectangle) => target_enumerant(TexTarget::Rect),
            None => 0,
        };
    }
    let missing = read_incomplete_units(&enabled, complete);
    for (number, unit) in fixed.texture_units.iter_mut().enumerate() {
        if missing >> number & 1 != 0 {
            *unit = TextureUnit::default();
        }
    }
}

/// Returns the mask of the units with an accessed target.
fn accessed_units(accessed: &UnitTargets) -> u32 {
    let units = accessed
        .iter()
        .enumerate()
        .filter(|(_, target)| **target != 0);
    units.fold(0, |mask, (unit, _)| mask | 1 << unit)
}

/// Returns the enumerant of a texture target, such as `GL_TEXTURE_2D`.
fn target_enumerant(target: TexTarget) -> u32 {
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
        TexTarget::D2Multisample => 0x9100,
        TexTarget::D2MultisampleArray => 0x9102,
    }
}

/// Reads from the driver, for each unit with a target, the depth mode of its texture and whether it
/// is compared. The active unit is the same afterwards.
fn read_depths(compared: &UnitTargets) -> DepthState {
    let mut depths = DepthState::default();
    state_snapshot::for_each_unit(accessed_units(compared), |unit| {
        let target = compared[unit as usize];
        let [mode] = driver_state::tex_parameter(target, DEPTH_TEXTURE_MODE);
        let mode = match mode as u32 {
            LUMINANCE => DepthMode::Luminance,
            INTENSITY => DepthMode::Intensity,
            ALPHA => DepthMode::Alpha,
            _ => DepthMode::Red,
        };
        depths.mode_bits |= (mode as u64) << (2 * unit);
        if is_compared(target) {
            depths.compared_units |= 1 << unit
        } else {
            depths.uncompared_units |= 1 << unit
        }
    });
    depths
}

/// Reads a sampling parameter for the texture of a target of the active unit: that of the sampler
/// object if one is bound, otherwise of the texture.
fn read_sampling_parameter(target: u32, name: u32) -> i32 {
    let [value] = match driver_state::integer(SAMPLER_BINDING) {
        0 => driver_state::tex_parameter(target, name),
        sampler => driver_state::sampler_parameter(sampler as u32, name),
    };
    value
}

/// Returns the mask of the accessed units whose textures are not complete, by queries of the
/// driver: GL 2.1 section 3.8.10. Complete ones are added to `complete`, by name and whether
/// several levels are used, and are not queried again; texture 0 is always queried.
fn read_incomplete_units(accessed: &UnitTargets, complete: &mut FxHashSet<(u32, bool)>) -> u32 {
    let mut missing = 0;
    state_snapshot::for_each_unit(accessed_units(accessed), |unit| {
        let target = accessed[unit as usize];
        let filter = read_sampling_parameter(target, TEXTURE_MIN_FILTER);
        let has_levels = matches!(filter, 0x2700..=0x2703);
        let texture = driver_state::integer(binding_query(target)) as u32;
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

/// Returns width, height and depth of an image of the active unit, 1 for dimensions that `target`
/// does not have, and its internal format. `face` is the target of the image, which differs from
/// `target` for cube maps.
fn query_image(target: u32, face: u32, level: i32) -> [i32; 4] {
    const SIZES: [u32; 3] = [0x1000, 0x1001, 0x8071];
    const INTERNAL_FORMAT: u32 = 0x1003;
    let sizes = match target {
        0x0DE0 => 1,
        0x806F => 3,
        _ => 2,
    };
    let value = |name: u32| driver_state::tex_level_parameter::<1>(face, level, name)[0];
    let mut image = [1, 1, 1, value(INTERNAL_FORMAT)];
    for (size, name) in image.iter_mut().zip(SIZES).take(sizes) {
        *size = value(name);
    }
    image
}

/// Returns true if the texture of a target of the active unit has all images that lookups need,
/// with matching sizes and formats. `has_levels` is true if the filter uses mipmaps.
fn is_complete(target: u32, has_levels: bool) -> bool {
    const CUBE: u32 = 0x8513;
    const RECTANGLE: u32 = 0x84F5;
    let faces = match target {
        CUBE => CUBE_FACE..CUBE_FACE + 6,
        target => target..target + 1,
    };
    let [base, most] = match target {
        RECTANGLE => [0, 0],
        target => [0x813C, 0x813D].map(|name| driver_state::tex_parameter::<1>(target, name)[0]),
    };
    let [width, height, depth, format] = query_image(target, faces.start, base);
    if [width, height, depth].contains(&0) || target == CUBE && width != height {
        return false;
    }
    let largest = width.max(height).max(depth);
    let last_level = match has_levels {
        _ if target == RECTANGLE => 0,
        true if base > most => return false,
        true => most.min(base + largest.ilog2() as i32),
        false => base,
    };
    (base..=last_level).all(|level| {
        let sizes = [width, height, depth].map(|size| (size >> (level - base)).max(1));
        let expected = [sizes[0], sizes[1], sizes[2], format];
        faces
            .clone()
            .all(|face| query_image(target, face, level) == expected)
    })
}

/// Returns the biases that the driver adds to the levels of the units with a target: the bias of
/// the unit plus that of its sampler, or of its texture, clamped to the driver's maximum (GL 3.3
/// section 3.8.8). The index is the unit; the list ends at the last unit with a bias other than 0.
fn read_lod_biases(clamped: &UnitTargets) -> Vec<LodBias> {
    const TEXTURE_LOD_BIAS: u32 = 0x8501;
    const TEXTURE_FILTER_CONTROL: u32 = 0x8500;
    const MAX_TEXTURE_LOD_BIAS: u32 = 0x84FD;
    let mut biases = Vec::new();
    state_snapshot::for_each_unit(accessed_units(clamped), |unit| {
        let [sampler] = match driver_state::integer(SAMPLER_BINDING) {
            0 => driver_state::tex_parameter_float(clamped[unit as usize], TEXTURE_LOD_BIAS),
            sampler => driver_state::sampler_parameter_float(sampler as u32, TEXTURE_LOD_BIAS),
        };
        let [environment] = driver_state::tex_env::<1>(TEXTURE_FILTER_CONTROL, TEXTURE_LOD_BIAS);
        let [most] = driver_state::floats(MAX_TEXTURE_LOD_BIAS);
        let bias = (sampler + environment).min(most).max(-most);
        if bias != 0.0 {
            biases.resize(unit as usize, LodBias::default());
            biases.push(bias.into());
        }
    });
    biases
}

/// Returns true if the base level of the texture of a target of the active unit has depths, and its
/// sampler or texture has a comparison mode.
pub(crate) fn is_compared(target: u32) -> bool {
    const COMPARE_MODE: u32 = 0x884C;
    let mode = read_sampling_parameter(target, COMPARE_MODE);
    let image = if target == 0x8513 { CUBE_FACE } else { target };
    let [base] = match target {
        0x84F5 => [0],
        target => driver_state::tex_parameter(target, 0x813C),
    };
    let [bits] = driver_state::tex_level_parameter::<1>(image, base, 0x884A);
    mode != 0 && bits != 0
}

/// Returns the enumerant that queries the texture bound to a target: `GL_TEXTURE_BINDING_2D` for
/// `GL_TEXTURE_2D`. For targets without an entry it is that of cube map arrays.
pub(crate) fn binding_query(target: u32) -> u32 {
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
pub(crate) struct LookupState {
    /// Targets that the programs compare, or may.
    compared_by_programs: UnitTargets,
    /// Same units, and those that fixed functions compare.
    compared: UnitTargets,
    /// Targets that the programs access.
    accessed: UnitTargets,
    /// Targets that the programs access from a least level on.
    lod_clamped: UnitTargets,
    /// Targets whose lookups return zeros if the texture is not complete.
    zero_if_incomplete: UnitTargets,
    /// Textures that are complete, with several levels or with one.
    complete_textures: FxHashSet<(u32, bool)>,
    /// Units that are compared with depth mode `ALPHA`.
    alpha_units: u32,
    /// Textures, with their targets, whose depth mode is luminance in the driver and `ALPHA` in the
    /// application.
    changed_depth_modes: Vec<(u32, u32)>,
}

impl LookupState {
    /// Replaces the recorded targets by those that these programs compare, access with a minimum
    /// level of detail, or need completeness of. Returns the groups of state that decide about such
    /// lookups; empty if there are none.
    pub(crate) fn set_programs(&mut self, programs: impl Iterator<Item = Loaded>) -> StateGroups {
        let none = UnitTargets::default();
        (
            self.compared_by_programs,
            self.lod_clamped,
            self.zero_if_incomplete,
        ) = (none, none, none);
        self.accessed = none;
        for loaded in programs {
            for texture in loaded.ir().textures.iter() {
                set_unit_target(&mut self.accessed, texture.units.first(), texture.target);
            }
            add_compared(&mut self.compared_by_programs, &loaded);
            add_lod_clamped(&mut self.lod_clamped, &loaded);
            add_zero_if_incomplete(&mut self.zero_if_incomplete, &loaded);
        }
        let clamps = self.lod_clamped != none;
        let mut groups = StateGroups::empty();
        groups.set(StateGroups::TEXENV, clamps);
        groups.set(
            StateGroups::TEXTURE,
            clamps
                || self.compared_by_programs != none
                || self.zero_if_incomplete != none
                || texture_formats::have_formats_been_used(),
        );
        groups
    }

    /// Sets the compared targets to those of the programs, and those of the fixed functions of
    /// fragments if these are part of the pipeline.
    pub(crate) fn set_fixed_functions(&mut self, fixed: Option<&FixedFragmentKey>) {
        self.compared = self.compared_by_programs;
        if let Some(fixed) = fixed {
            add_fixed_function_targets(&mut self.compared, fixed);
        }
    }

    /// Resets the units of fixed functions whose textures are not complete to disabled ones. GL 2.1
    /// section 3.8.10. Textures that are found complete are not queried again until textures
    /// change.
    pub(crate) fn disable_incomplete_units(&mut self, fixed: &mut FixedFragmentKey) {
        disable_incomplete_units(fixed, &mut self.complete_textures);
    }

    /// Returns the mask of the units whose textures are incomplete and whose lookups must return
    /// zeros. Textures that are found complete are not queried again until textures change.
    pub(crate) fn read_incomplete_units(&mut self) -> u32 {
        read_incomplete_units(&self.zero_if_incomplete, &mut self.complete_textures)
    }

    /// Reads the biases of units that are accessed from a least level on.
    pub(crate) fn read_lod_biases(&self) -> Vec<LodBias> {
        read_lod_biases(&self.lod_clamped)
    }

    /// Reads the depth modes of the textures that the selected programs may compare from the
    /// driver.
    pub(crate) fn read_depths(&self) -> DepthState {
        read_depths(&self.compared)
    }

    /// Records the units whose depth mode `ALPHA` the pipeline is compiled for, for the next
    /// [`Self::apply_depth_modes`].
    pub(crate) fn set_depths(&mut self, depths: &DepthState) {
        self.alpha_units = depths.alpha_units();
    }

    /// Changes depth mode `ALPHA` of compared textures to luminance in the driver, and records the
    /// textures for [`Self::restore_depth_modes`]. Does nothing if that is in effect. Modules apply
    /// depth modes to comparisons themselves. A comparison returns one number, which is the red
    /// component after the driver has applied its depth mode: with `ALPHA` that is 0.
    pub(crate) fn apply_depth_modes(&mut self) {
        if self.alpha_units == 0 || !self.changed_depth_modes.is_empty() {
            return;
        }
        let (compared, luminances) = (&self.compared, &mut self.changed_depth_modes);
        state_snapshot::for_each_unit(self.alpha_units, |unit| {
            let target = compared[unit as usize];
            let texture = driver_state::integer(binding_query(target)) as u32;
            driver::TexParameteri(target, DEPTH_TEXTURE_MODE, LUMINANCE as i32);
            luminances.push((target, texture));
        });
    }

    /// Restores the depth mode `ALPHA` of the textures that [`Self::apply_depth_modes`] has
    /// changed, unless they were deleted or have another mode since. Bindings are the same
    /// afterwards.
    pub(crate) fn restore_depth_modes(&mut self) {
        for (target, texture) in self.changed_depth_modes.drain(..) {
            // Binding the name of a deleted texture would create it again.
            if texture != 0 && driver::IsTexture(texture) == 0 {
                continue;
            }
            let bound = driver_state::integer(binding_query(target)) as u32;
            driver::BindTexture(target, texture);
            // A display list may have set another one.
            if driver_state::tex_parameter(target, DEPTH_TEXTURE_MODE) == [LUMINANCE as i32] {
                driver::TexParameteri(target, DEPTH_TEXTURE_MODE, ALPHA as i32);
            }
            driver::BindTexture(target, bound);
        }
    }
}

/// Returns the mask of the units whose textures, of the targets that programs access, are signed
/// HILO.
pub(crate) fn read_signed_hilo_units(state: &State) -> u32 {
    let mut units = 0;
    if !texture_formats::are_formats_used(state) {
        return units;
    }
    let accessed = &state.draw_state.lookups.accessed;
    state_snapshot::for_each_unit(accessed_units(accessed), |unit| {
        let target = accessed[unit as usize];
        let [base] = match target {
            0x84F5 => [0],
            0x0DE0 | 0x0DE1 | 0x806F | 0x8513 => driver_state::tex_parameter(target, 0x813C),
            // Other targets have no such formats.
            _ => return,
        };
        let image = if target == 0x8513 { CUBE_FACE } else { target };
        let row = texture_formats::find_image_format(state, image, base);
        if row.is_some_and(|row| row.format_type == TextureFormatType::SignedHilo) {
            units |= 1 << unit;
        }
    });
    units
}

impl State {
    /// Prepares for a command that defines textures or queries their parameters: clears the list of
    /// complete textures, restores the application's depth modes, and marks textures as changed,
    /// also in the list that is being compiled.
    pub(crate) fn textures_change(&mut self) {
        self.draw_state.lookups.complete_textures.clear();
        self.draw_state.lookups.restore_depth_modes();
        self.mark_list_changed(StateGroups::TEXTURE);
    }
}

impl DepthState {
    /// Returns the program with lookups that compare, or do not compare, as the state of its
    /// textures requires: programs of NV_fragment_program compare where textures are compared, all
    /// others compare unless they are not. Returns it unchanged if no unit requires that.
    pub(crate) fn specialize_for_textures(&self, program: Loaded) -> Loaded {
        match compares_by_texture(&program) {
            true if self.compared_units != 0 => {
                program.with_comparison_lookups(self.compared_units)
            }
            false if self.uncompared_units != 0 => {
                program.with_non_comparison_lookups(self.uncompared_units)
            }
            true | false => program,
        }
    }

    /// Returns the mask of the units whose textures have depth mode `ALPHA` and are compared.
    pub(crate) fn alpha_units(&self) -> u32 {
        let is_alpha = |unit: &u32| self.mode_bits >> (2 * unit) & 3 == DepthMode::Alpha as u64;
        let units = (0..UNITS as u32).filter(is_alpha);
        units.fold(0, |mask, unit| mask | 1 << unit) & !self.uncompared_units
    }

    /// Returns the depth modes by unit for the options of the compiler; empty if all have the
    /// default.
    pub(crate) fn depth_modes(&self) -> Vec<DepthMode> {
        const MODES: [DepthMode; 4] = [
            DepthMode::Luminance,
            DepthMode::Intensity,
            DepthMode::Alpha,
            DepthMode::Red,
        ];
        if self.mode_bits == 0 {
            return Vec::new();
        }
        (0..UNITS)
            .map(|unit| MODES[(self.mode_bits >> (2 * unit)) as usize & 3])
            .collect()
    }
}
