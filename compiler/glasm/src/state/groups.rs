//! Groups of the state that parameter blocks read: a block must be filled again if one of its
//! groups has changed.

use super::bits::{EqualBits as _, equal_fields, equal_values};
use super::{
    Fog, GlState, Light, Material, MatrixName, MatrixTracking, Multisample, Point, TexGen,
    ThreadGroupLimits, TrackedMatrix,
};
use crate::program::Shader;
use crate::reflect::ParamSource;
use glasm_ir::{Stage, StateParam};
use std::ops::{BitAnd, BitOr, BitOrAssign};
use std::sync::atomic::{AtomicU32, Ordering};

/// A set of groups of state, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct StateGroups(u32);

/// Defines a constant for each group, in the order of their bits.
macro_rules! groups {
    ($($(#[doc = $doc:literal])+ $name:ident = $bit:literal,)*) => {
        impl StateGroups {
            $($(#[doc = $doc])+ pub const $name: Self = Self(1 << $bit);)*
            /// All groups.
            pub const ALL: Self = Self($(1 << $bit |)* 0);
        }
    };
}

groups! {
    /// [`GlState::modelview`]
    MODELVIEW = 0,
    /// [`GlState::projection`]
    PROJECTION = 1,
    /// [`GlState::texture`]
    TEXTURE_MATRICES = 2,
    /// [`GlState::palette`]
    MATRIX_PALETTE = 3,
    /// [`GlState::program`]
    PROGRAM_MATRICES = 4,
    /// Rows that parameters of vertex programs have because they track a matrix.
    TRACKED_MATRICES = 5,
    /// [`GlState::materials`]
    MATERIALS = 6,
    /// [`GlState::lights`]
    LIGHTS = 7,
    /// [`GlState::light_model_ambient`]
    LIGHT_MODEL = 8,
    /// [`GlState::texgen`]
    TEXGEN = 9,
    /// [`GlState::texenv_color`]
    TEXENV = 10,
    /// [`GlState::fog`]
    FOG = 11,
    /// [`GlState::clip_planes`]
    CLIP_PLANES = 12,
    /// [`GlState::point`]
    POINTS = 13,
    /// [`GlState::depth_range`] and [`GlState::depth_clamp`]
    DEPTH_RANGE = 14,
    /// [`GlState::viewport`]
    VIEWPORT = 15,
    /// [`GlState::lower_left_height`] and [`GlState::window_height`]
    WINDOW = 16,
    /// [`GlState::multisample`]
    MULTISAMPLE = 17,
    /// [`GlState::threads`]
    THREADS = 18,
    /// [`ParameterValues::env`](super::ParameterValues::env)
    ENV = 19,
    /// [`ParameterValues::local`](super::ParameterValues::local)
    LOCAL = 20,
    /// [`ParameterValues::named`](super::ParameterValues::named)
    NAMED = 21,
    /// [`ParameterValues::subroutines`](super::ParameterValues::subroutines)
    SUBROUTINES = 22,
    /// [`ParameterValues::argument`](super::ParameterValues::argument)
    ARGUMENT = 23,
}

impl StateGroups {
    /// No groups.
    pub const NONE: Self = Self(0);

    /// Groups of [`ParameterValues`](super::ParameterValues), which no record has.
    const OF_CALLER: Self =
        Self(Self::ENV.0 | Self::LOCAL.0 | Self::NAMED.0 | Self::SUBROUTINES.0 | Self::ARGUMENT.0);

    /// Number of groups.
    const COUNT: usize = Self::ALL.0.count_ones() as usize;

    /// Returns the groups as a mask, in the order of the constants.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Returns the groups of a mask; unknown bits are dropped.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// Returns true if a group is in both sets: a block that reads `self` is stale after changes of
    /// `other`.
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the groups that a parameter of GL state depends on.
    pub fn from_state_param(param: StateParam) -> Self {
        match param {
            StateParam::MatrixRow { matrix, .. } => Self::from_matrix(matrix),
            StateParam::MaterialColor(..) | StateParam::MaterialShininess(_) => Self::MATERIALS,
            StateParam::LightColor(..)
            | StateParam::LightPosition(_)
            | StateParam::LightAttenuation(_)
            | StateParam::LightSpotDirection(_)
            | StateParam::LightHalfVector(_) => Self::LIGHTS,
            StateParam::LightModelAmbient => Self::LIGHT_MODEL,
            StateParam::LightModelSceneColor(_) => Self::LIGHT_MODEL | Self::MATERIALS,
            StateParam::LightProduct(..) => Self::LIGHTS | Self::MATERIALS,
            StateParam::Texgen(..) => Self::TEXGEN,
            StateParam::TexenvColor(_) => Self::TEXENV,
            StateParam::FogColor | StateParam::FogParams => Self::FOG,
            StateParam::ClipPlane(_) => Self::CLIP_PLANES,
            StateParam::PointSize | StateParam::PointAttenuation => Self::POINTS,
            StateParam::DepthRange | StateParam::DepthBounds => Self::DEPTH_RANGE,
            StateParam::Viewport => Self::VIEWPORT,
            StateParam::WindowOrigin | StateParam::WindowOriginLower => Self::WINDOW,
            StateParam::NormalScale => Self::MODELVIEW,
            StateParam::Samples | StateParam::SamplePosition(_) => Self::MULTISAMPLE,
            StateParam::ThreadProperty(_) => Self::THREADS,
        }
    }

    /// Returns the groups of a matrix.
    fn from_matrix(matrix: MatrixName) -> Self {
        match matrix {
            MatrixName::Modelview(_) => Self::MODELVIEW,
            MatrixName::Projection => Self::PROJECTION,
            MatrixName::ModelviewProjection => Self::MODELVIEW | Self::PROJECTION,
            MatrixName::Texture(_) => Self::TEXTURE_MATRICES,
            MatrixName::Palette(_) => Self::MATRIX_PALETTE,
            MatrixName::Program(_) => Self::PROGRAM_MATRICES,
        }
    }

    /// Returns true if a parameter slot of a stage may have another value after changes of GL
    /// state: it reads one of the groups, or a value of the caller.
    pub(super) fn may_change(self, source: ParamSource, stage: Stage) -> bool {
        Self::from_param(source, stage).intersects(self | Self::OF_CALLER)
    }

    /// Returns the groups of a parameter slot of a stage.
    fn from_param(source: ParamSource, stage: Stage) -> Self {
        match source {
            ParamSource::State(param) => Self::from_state_param(param),
            ParamSource::Env(_) if stage == Stage::Vertex => Self::ENV | Self::TRACKED_MATRICES,
            ParamSource::Env(_) => Self::ENV,
            ParamSource::Local(_) => Self::LOCAL,
            ParamSource::Named(_) => Self::NAMED,
            ParamSource::Subroutine(_) => Self::SUBROUTINES,
            ParamSource::Argument => Self::ARGUMENT,
            ParamSource::Literal(_) => Self::NONE,
        }
    }
}

impl BitOr for StateGroups {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for StateGroups {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAnd for StateGroups {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Shader {
    /// Returns the groups of state that the parameter block reads: its contents change only if one
    /// of them changes. A block of constants reads none, and is filled once. Groups from
    /// [`StateGroups::ENV`] on are values of the caller.
    pub fn state_groups(&self) -> StateGroups {
        let sources = self.parameter_sources().iter();
        let stage = self.reflection.stage;
        sources.fold(StateGroups::NONE, |all, source| {
            all | StateGroups::from_param(*source, stage)
        })
    }
}

equal_values!(MatrixTracking, ThreadGroupLimits);

equal_fields! {
    Material { ambient, diffuse, specular, emission, shininess }
    Light {
        ambient, diffuse, specular, position, attenuation, spot_direction, spot_exponent, spot_cutoff
    }
    TexGen { eye, object }
    Fog { color, density, start, end }
    Point { size, min, max, fade_threshold, attenuation }
    Multisample { samples, locations }
}

/// Returns the groups of the fields of one state that differ from another. All fields are listed,
/// except for the color matrix and the saved matrices, which no parameter reads directly.
macro_rules! changed_groups {
    ($state:ident, $before:ident: $($field:ident => $group:ident,)*) => {{
        let GlState { color: _, matrix_stacks: _, $($field),* } = $state;
        let mut changed = StateGroups::NONE;
        $(if !$field.has_equal_bits(&$before.$field) {
            changed |= StateGroups::$group;
        })*
        changed
    }};
}

impl GlState {
    /// Returns the groups whose values differ from those of another state, −0 from 0 too. Groups
    /// of values that the caller has, from [`StateGroups::ENV`] on, are not among them.
    pub fn find_changes(&self, before: &Self) -> StateGroups {
        let changed = changed_groups! { self, before:
            modelview => MODELVIEW,
            projection => PROJECTION,
            texture => TEXTURE_MATRICES,
            palette => MATRIX_PALETTE,
            program => PROGRAM_MATRICES,
            tracked => TRACKED_MATRICES,
            materials => MATERIALS,
            lights => LIGHTS,
            light_model_ambient => LIGHT_MODEL,
            texgen => TEXGEN,
            texenv_color => TEXENV,
            fog => FOG,
            clip_planes => CLIP_PLANES,
            point => POINTS,
            depth_range => DEPTH_RANGE,
            depth_clamp => DEPTH_RANGE,
            viewport => VIEWPORT,
            lower_left_height => WINDOW,
            window_height => WINDOW,
            multisample => MULTISAMPLE,
            threads => THREADS,
        };
        let is_color_changed = !self.color.has_equal_bits(&before.color);
        if self.tracks_any(changed, is_color_changed) {
            changed | StateGroups::TRACKED_MATRICES
        } else {
            changed
        }
    }

    /// Returns true if parameters track a matrix of these groups, or the color matrix if that has
    /// changed.
    fn tracks_any(&self, changed: StateGroups, is_color_changed: bool) -> bool {
        let mut tracked = self.tracked.iter().flatten();
        tracked.any(|tracking| {
            let groups = match tracking.matrix {
                TrackedMatrix::Modelview => StateGroups::MODELVIEW,
                TrackedMatrix::Projection => StateGroups::PROJECTION,
                TrackedMatrix::ModelviewProjection => {
                    StateGroups::MODELVIEW | StateGroups::PROJECTION
                }
                TrackedMatrix::Color => return is_color_changed,
                TrackedMatrix::Texture(_) => StateGroups::TEXTURE_MATRICES,
                TrackedMatrix::Program(_) => StateGroups::PROGRAM_MATRICES,
            };
            groups.intersects(changed)
        })
    }
}

/// Record of the revisions at which groups of a state have changed, with which each of several
/// parameter blocks is filled again only if necessary. It has a copy of the state, with which later
/// states are compared. Values of the caller ([`ParameterValues`](super::ParameterValues)) are not
/// part of it: [`Shader::update_parameter_block`] compares them with those in the block.
///
/// ```
/// use glasm::state::{GlState, StateChanges, StateGroups};
/// use glasm::{Options, Source, compile};
///
/// let text = "!!ARBfp1.0\nMUL result.color, program.local[0], state.fog.color;\nEND";
/// let shader = compile(&Source::new("fog.fp", text), &Options::default())?;
/// let reads = shader.state_groups();
/// assert_eq!(reads, StateGroups::FOG | StateGroups::LOCAL);
///
/// let mut state = GlState::default();
/// let mut changes = StateChanges::new(&state);
/// let mut filled = 0; // the revision of the block, which was never filled
/// assert!(reads.intersects(changes.take(&state, &mut filled)));
/// state.projection[0][0] = 2.0;
/// assert!(!reads.intersects(changes.take(&state, &mut filled))); // the block remains valid
/// state.fog.density = 0.5;
/// assert_eq!(changes.take(&state, &mut filled), StateGroups::FOG);
/// assert_eq!(changes.take(&state, &mut filled), StateGroups::NONE);
/// # Ok::<(), glasm::Diagnostics>(())
/// ```
#[derive(Debug)]
pub struct StateChanges {
    last: GlState,
    /// Number of this record, which is the upper half of revisions: those of other records say
    /// nothing about this one.
    record: u32,
    /// Number of changes, from 1 on: 0 is the revision of blocks that were never filled.
    count: u32,
    /// Number of the last change of each group, in the order of their bits.
    changed_at: [u32; StateGroups::COUNT],
}

/// Returns a number for a record that no other one has.
fn number_record() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl StateChanges {
    /// Creates a record of changes from a state on.
    pub fn new(state: &GlState) -> Self {
        Self {
            last: state.clone(),
            record: number_record(),
            count: 1,
            changed_at: [1; StateGroups::COUNT],
        }
    }

    /// Compares the state with that of the last call, then returns the groups that have changed
    /// since a revision, and sets `revision` to the current one. Each parameter block has a
    /// revision. All groups are returned for the first one, 0, and for revisions of another record.
    /// Otherwise the groups are those of [`GlState`].
    pub fn take(&mut self, state: &GlState, revision: &mut u64) -> StateGroups {
        let changes = state.find_changes(&self.last);
        if changes != StateGroups::NONE || !state.color.has_equal_bits(&self.last.color) {
            self.last.clone_from(state);
        }
        self.record(changes);
        let changed = self.changed_at.iter().enumerate();
        let known = if *revision >> u32::BITS == u64::from(self.record) {
            *revision as u32
        } else {
            0
        };
        let changed = changed.filter(|(_, changed_at)| **changed_at > known);
        let groups = changed.fold(0, |all, (group, _)| all | 1 << group);
        *revision = u64::from(self.record) << u32::BITS | u64::from(self.count);
        StateGroups(groups)
    }

    /// Records that groups have changed.
    fn record(&mut self, groups: StateGroups) {
        if groups == StateGroups::NONE {
            return;
        }
        let Some(count) = self.count.checked_add(1) else {
            // All blocks are filled again.
            *self = Self::new(&self.last);
            return;
        };
        self.count = count;
        for (group, changed_at) in self.changed_at.iter_mut().enumerate() {
            if groups.0 >> group & 1 != 0 {
                *changed_at = count;
            }
        }
    }
}

impl Clone for StateChanges {
    /// Returns a record of the same state. Revisions of one are not those of the other, since the
    /// states may change in different ways.
    fn clone(&self) -> Self {
        Self::new(&self.last)
    }
}

impl Default for StateChanges {
    /// Creates a record of changes from GL's initial state on.
    fn default() -> Self {
        Self::new(&GlState::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{
        ColorTerm, Face, MatrixForm, MatrixTracking, Multisample, TexGenCoord, TexGenPlane,
    };
    use glasm_ir::state::ThreadProperty;

    /// A change of a field, with the group that it belongs to.
    type Change = (StateGroups, fn(&mut GlState));

    /// Returns changes of each field.
    fn list_changes() -> Vec<Change> {
        vec![
            (StateGroups::MODELVIEW, |s| s.modelview_mut(0)[0][0] = 2.0),
            (StateGroups::PROJECTION, |s| s.projection[1][1] = 3.0),
            (StateGroups::TEXTURE_MATRICES, |s| {
                s.texture_mut(1)[0][0] = 2.0
            }),
            (StateGroups::MATRIX_PALETTE, |s| {
                s.palette_mut(1)[0][0] = 2.0
            }),
            (StateGroups::PROGRAM_MATRICES, |s| {
                s.program_mut(1)[0][0] = 2.0
            }),
            (StateGroups::MATERIALS, |s| {
                s.materials[0].ambient = [0.5; 4]
            }),
            (StateGroups::MATERIALS, |s| s.materials[0].shininess = 5.0),
            (StateGroups::LIGHTS, |s| s.light_mut(1).ambient = [0.5; 4]),
            (StateGroups::LIGHTS, |s| s.set_light_position(1, [1.0; 4])),
            (StateGroups::LIGHTS, |s| s.light_mut(1).spot_cutoff = 45.0),
            (StateGroups::LIGHTS, |s| s.light_mut(1).attenuation[1] = 2.0),
            (StateGroups::LIGHT_MODEL, |s| {
                s.light_model_ambient = [0.5; 4]
            }),
            (StateGroups::TEXGEN, |s| s.texgen_mut(1).eye[0] = [5.0; 4]),
            (StateGroups::TEXENV, |s| *s.texenv_color_mut(1) = [0.5; 4]),
            (StateGroups::FOG, |s| s.fog.color = [0.5; 4]),
            (StateGroups::FOG, |s| s.fog.density = 0.5),
            (StateGroups::CLIP_PLANES, |s| s.set_clip_plane(1, [5.0; 4])),
            (StateGroups::POINTS, |s| s.point.size = 3.0),
            (StateGroups::POINTS, |s| s.point.attenuation[1] = 3.0),
            (StateGroups::DEPTH_RANGE, |s| s.depth_range = [0.25, 0.75]),
            (StateGroups::DEPTH_RANGE, |s| s.depth_clamp = true),
            (StateGroups::VIEWPORT, |s| s.viewport = [1.0; 4]),
            (StateGroups::WINDOW, |s| s.lower_left_height = Some(9.0)),
            (StateGroups::WINDOW, |s| s.window_height = 9.0),
            (StateGroups::MULTISAMPLE, |s| {
                s.multisample = Multisample::with_standard_locations(4)
            }),
            (StateGroups::THREADS, |s| s.threads.sm_count = 5),
        ]
    }

    /// One parameter of each kind, and matrices of all names.
    fn list_params() -> Vec<StateParam> {
        let (face, term) = (Face::Front, ColorTerm::Ambient);
        let mut params = vec![
            StateParam::MaterialColor(face, term),
            StateParam::MaterialShininess(face),
            StateParam::LightColor(1, term),
            StateParam::LightPosition(1),
            StateParam::LightAttenuation(1),
            StateParam::LightSpotDirection(1),
            StateParam::LightHalfVector(1),
            StateParam::LightModelAmbient,
            StateParam::LightModelSceneColor(face),
            StateParam::LightProduct(1, face, term),
            StateParam::Texgen(1, TexGenPlane::Eye, TexGenCoord::S),
            StateParam::TexenvColor(1),
            StateParam::FogColor,
            StateParam::FogParams,
            StateParam::ClipPlane(1),
            StateParam::PointSize,
            StateParam::PointAttenuation,
            StateParam::DepthRange,
            StateParam::DepthBounds,
            StateParam::Viewport,
            StateParam::WindowOrigin,
            StateParam::WindowOriginLower,
            StateParam::NormalScale,
            StateParam::Samples,
            StateParam::SamplePosition(1),
            StateParam::ThreadProperty(ThreadProperty::SmCount),
        ];
        let matrices = [
            MatrixName::Modelview(0),
            MatrixName::Projection,
            MatrixName::ModelviewProjection,
            MatrixName::Texture(1),
            MatrixName::Palette(1),
            MatrixName::Program(1),
        ];
        for matrix in matrices {
            params.extend((0..4).map(|row| StateParam::MatrixRow {
                matrix,
                form: MatrixForm::Plain,
                row,
            }));
        }
        params
    }

    /// A parameter that a change affects reads the group of the change; each change affects some.
    #[test]
    fn changes_are_those_of_the_groups_that_parameters_read() {
        let before = GlState::default();
        for (number, (group, change)) in list_changes().into_iter().enumerate() {
            let mut after = before.clone();
            change(&mut after);
            assert_eq!(after.find_changes(&before), group, "change {number}");
            let params = list_params().into_iter();
            let affected: Vec<_> = params
                .filter(|param| before.evaluate_param(*param) != after.evaluate_param(*param))
                .collect();
            assert!(!affected.is_empty(), "change {number}");
            for param in affected {
                assert!(
                    StateGroups::from_state_param(param).intersects(group),
                    "{param:?}"
                );
            }
        }
        assert_eq!(before.find_changes(&before), StateGroups::NONE);
    }

    #[test]
    fn tracked_matrices_change_with_their_matrix() {
        let mut before = GlState::default();
        let matrix = TrackedMatrix::ModelviewProjection;
        let form = MatrixForm::Plain;
        before.track_matrix(4, Some(MatrixTracking { matrix, form }));
        let mut after = before.clone();
        after.projection[0][0] = 2.0;
        let expected = StateGroups::PROJECTION | StateGroups::TRACKED_MATRICES;
        assert_eq!(after.find_changes(&before), expected);
        let mut other = before.clone();
        other.program_mut(0)[0][0] = 2.0;
        assert_eq!(other.find_changes(&before), StateGroups::PROGRAM_MATRICES);
        // The color matrix is read by parameters that track it, and by nothing else.
        let matrix = TrackedMatrix::Color;
        before.track_matrix(8, Some(MatrixTracking { matrix, form }));
        let mut colored = before.clone();
        colored.color[0][0] = 2.0;
        assert_eq!(colored.find_changes(&before), StateGroups::TRACKED_MATRICES);
        let mut changes = StateChanges::new(&before);
        let mut revision = 0;
        changes.take(&before, &mut revision);
        let taken = changes.take(&colored, &mut revision);
        assert_eq!(taken, StateGroups::TRACKED_MATRICES);
        assert_eq!(changes.take(&colored, &mut revision), StateGroups::NONE);
    }

    #[test]
    fn revisions_of_other_records_are_of_no_use() {
        let mut green = GlState::default();
        green.fog.color = [0.0, 1.0, 0.0, 1.0];
        let (red_changes, mut green_changes) = (StateChanges::default(), StateChanges::new(&green));
        let mut red_changes = red_changes.clone();
        let mut revision = 0;
        red_changes.take(&GlState::default(), &mut revision);
        let all = green_changes.take(&green, &mut revision);
        assert!(all.intersects(StateGroups::FOG) && all.intersects(StateGroups::PROJECTION));
        assert_eq!(green_changes.take(&green, &mut revision), StateGroups::NONE);
        // The last number of a change.
        green_changes.count = u32::MAX;
        green_changes.take(&green, &mut revision);
        assert_eq!(green_changes.take(&green, &mut revision), StateGroups::NONE);
        green.fog.density = 0.5;
        let taken = green_changes.take(&green, &mut revision);
        assert!(taken.intersects(StateGroups::FOG), "{taken:?}");
        assert_eq!(green_changes.take(&green, &mut revision), StateGroups::NONE);
    }

    #[test]
    fn each_block_gets_all_changes_since_it_was_filled() {
        let mut state = GlState::default();
        let mut changes = StateChanges::new(&state);
        let (mut first, mut second) = (0, 0);
        assert_eq!(changes.take(&state, &mut first), StateGroups::ALL);
        state.fog.density = 0.5;
        assert_eq!(changes.take(&state, &mut first), StateGroups::FOG);
        state.point.size = 3.0;
        state.depth_clamp = true;
        let expected = StateGroups::POINTS | StateGroups::DEPTH_RANGE;
        assert_eq!(changes.take(&state, &mut first), expected);
        assert_eq!(changes.take(&state, &mut second), StateGroups::ALL);
        assert_eq!(changes.take(&state, &mut second), StateGroups::NONE);
        state.fog.density = 0.75;
        assert_eq!(changes.take(&state, &mut second), StateGroups::FOG);
        assert_eq!(changes.take(&state, &mut first), StateGroups::FOG);
    }

    #[test]
    fn states_are_compared_by_bits() {
        let before = GlState::default();
        let mut after = before.clone();
        after.fog.start = -0.0;
        assert_eq!(after.find_changes(&before), StateGroups::FOG);
        after.fog.start = f32::NAN;
        assert_eq!(after.find_changes(&after), StateGroups::NONE);
    }

    #[test]
    fn bits_are_in_the_order_of_the_constants() {
        assert_eq!(StateGroups::MODELVIEW.bits(), 1);
        assert_eq!(StateGroups::ARGUMENT.bits(), 1 << 23);
        assert_eq!(StateGroups::ALL.bits(), (1 << 24) - 1);
        assert_eq!(StateGroups::from_bits(u32::MAX), StateGroups::ALL);
        assert_eq!(StateGroups::ALL & StateGroups::FOG, StateGroups::FOG);
    }
}
