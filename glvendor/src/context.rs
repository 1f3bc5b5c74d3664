//! State of a context: bound programs, parameters, changes since the last draw.

use crate::capabilities::Capabilities;
use crate::display_lists::Recording;
use crate::draw::{DrawDecision, DrawState};
use crate::evaluators::{AttributeMaps, EvaluationState};
use crate::extension_commands::ExtensionState;
use crate::ffi::{driver, driver_state};
use crate::lock::Mutex;
use crate::multisample_hint::MultisampleHint;
use crate::program_parameters::{BufferBinding, MAX_BUFFER_BINDINGS};
use crate::register_combiners::{self, CombinerState};
use crate::share_group::{OrphanedObjects, Program, ShareGroup, VectorBits};
use crate::target::{TARGETS, Target};
use crate::texture_formats;
use crate::texture_shaders::{self, TextureShaderState};
use bitflags::bitflags;
use glasm::state::GlState;
use std::ffi::CString;
use std::sync::{Arc, MutexGuard};

/// Shared state of contexts, protected by its lock.
pub(crate) type ShareGroupRef = Arc<Mutex<ShareGroup>>;

bitflags! {
    /// Groups of GL state that a pipeline may depend on.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub(crate) struct StateGroups: u32 {
        /// Matrices.
        const MATRIX = 1;
        /// Lights and the light model.
        const LIGHT = 1 << 1;
        /// Materials.
        const MATERIAL = 1 << 2;
        /// Texture coordinate generation.
        const TEXGEN = 1 << 3;
        /// Texture environments.
        const TEXENV = 1 << 4;
        /// Fog.
        const FOG = 1 << 5;
        /// Clip planes.
        const CLIP = 1 << 6;
        /// Points.
        const POINT = 1 << 7;
        /// Viewport and depth range.
        const VIEWPORT = 1 << 8;
        /// Shade model and clamps.
        const RASTER = 1 << 9;
        /// Textures and samplers.
        const TEXTURE = 1 << 10;
        /// Framebuffers and draw buffers.
        const FRAMEBUFFER = 1 << 11;
        /// Enabled capabilities.
        const ENABLES = 1 << 12;
        /// Bound and enabled programs.
        const PROGRAMS = 1 << 13;
        /// Arrays.
        const ARRAYS = 1 << 14;
        /// Image units.
        const IMAGES = 1 << 15;
        /// Patches: their vertices, their levels.
        const PATCH = 1 << 16;
    }
}

/// Context of the application.
pub(crate) struct Context {
    pub(crate) state: State,
}

impl Context {
    /// Creates the state of a context in its initial values, with the objects of a share group.
    pub(crate) fn new(share: ShareGroupRef) -> Self {
        Self {
            state: State::new(share),
        }
    }
}

impl Drop for Context {
    /// Passes the objects of the driver to the other contexts: the next one that is current deletes
    /// them.
    fn drop(&mut self) {
        let orphans = OrphanedObjects {
            sync_objects: self.state.extensions.fences.take_sync_objects(),
            ..self.state.draw_state.take_orphaned_objects()
        };
        self.state.lock_share_group().orphaned_objects.push(orphans);
    }
}

/// State of a target in a context.
pub(crate) struct TargetState {
    /// Program.
    pub(crate) program: Arc<Program>,
    /// True if it is enabled.
    pub(crate) enabled: bool,
    /// Environment parameters, up to the last one that was set.
    pub(crate) env_parameters: Vec<VectorBits>,
    /// Version that is incremented when a parameter changes.
    pub(crate) env_version: u64,
}

/// Bits of `PushAttrib` for which state of this library is saved, too.
pub(crate) const SAVED_ATTRIB_BITS: u32 = SAVED_MAP_BITS
    | driver::constants::HINT_BIT
    | driver::constants::PIXEL_MODE_BIT
    | driver::constants::TEXTURE_BIT;

/// Bits of `PushAttrib` that enabled maps are part of.
const SAVED_MAP_BITS: u32 = driver::constants::ENABLE_BIT | driver::constants::EVAL_BIT;

/// State that `PushAttrib` has saved.
#[derive(Default)]
pub(crate) struct AttribStackEntry {
    /// Enabled targets.
    enabled_targets: Option<[bool; TARGETS.len()]>,
    /// Enabled maps of numbered attributes, by dimension.
    enabled_maps: Option<[u32; 2]>,
    /// `OCCLUSION_TEST_HP`
    is_testing_occlusion: Option<bool>,
    /// Register combiners: all of their state, and whether they and their constant colors by stage
    /// are enabled.
    combiners: Option<Box<CombinerState>>,
    enabled_combiners: Option<[bool; 2]>,
    /// `MULTISAMPLE_FILTER_HINT_NV`
    multisample_hint: Option<MultisampleHint>,
    /// Texture shaders: all of their state, and whether they are enabled.
    texture_shaders: Option<Box<TextureShaderState>>,
    is_texture_shader_enabled: Option<bool>,
    /// Scales and biases of pixel transfers.
    transfers: Option<[[f32; 2]; texture_formats::TRANSFERS]>,
}

/// State of a context.
pub(crate) struct State {
    pub(crate) share_group: ShareGroupRef,
    pub(crate) capabilities: Capabilities,
    /// State by target.
    pub(crate) targets: [TargetState; TARGETS.len()],
    /// State that `PushAttrib` has saved; the driver saves its own state.
    attrib_stack: Vec<AttribStackEntry>,
    /// True if the application has defined maps.
    pub(crate) has_maps: bool,
    /// Maps of numbered attributes, by dimension.
    pub(crate) maps: [AttributeMaps; 2],
    /// Evaluators between `Begin` and `End`, if this library executes them.
    pub(crate) evaluation: Option<Box<EvaluationState>>,
    /// Groups of state that have changed since parameters were read.
    pub(crate) changed_since_read: StateGroups,
    /// Groups of state that have changed since the pipeline was selected.
    pub(crate) changed_since_selection: StateGroups,
    /// GL's state that was read from the driver, and the matrices that parameters track.
    pub(crate) gl: GlState,
    /// Error that `GetError` returns first.
    pub(crate) error: u32,
    /// Position of the error in the last program string; -1 if there was none.
    pub(crate) error_position: i32,
    /// Message of that error.
    pub(crate) error_text: CString,
    /// Application's own program object of GLSL.
    pub(crate) glsl_program: u32,
    /// Application's own pipeline object of GLSL programs.
    pub(crate) glsl_pipeline: u32,
    /// Parameter buffers, by target and binding.
    pub(crate) buffers: [[BufferBinding; MAX_BUFFER_BINDINGS as usize]; TARGETS.len()],
    /// Between `Begin` and `End`.
    pub(crate) is_inside_begin_end: bool,
    /// True if the driver was not informed of that `Begin`.
    is_begin_rejected: bool,
    /// List base between `Begin` and `End`.
    pub(crate) list_base: u32,
    /// True if the matrix mode has a name of NV_vertex_program.
    pub(crate) is_matrix_nv: bool,
    /// Parameter buffers that are bound to a target, in addition to those of its numbered bindings.
    pub(crate) bound_buffers: [u32; TARGETS.len()],
    /// Display list that is being compiled.
    pub(crate) recording: Option<Recording>,
    /// True if conventional attributes are set as numbered ones, too.
    pub(crate) is_aliasing_attributes: bool,
    /// State of extensions that do not concern programs.
    pub(crate) extensions: ExtensionState,
    /// State of draws.
    pub(crate) draw_state: DrawState,
}

impl State {
    /// Returns the initial state of a context: no programs, all groups of GL state still to be
    /// read.
    fn new(share: ShareGroupRef) -> Self {
        Self {
            share_group: share,
            capabilities: Capabilities::default(),
            targets: std::array::from_fn(|_| TargetState {
                program: Arc::new(Program::new(0)),
                enabled: false,
                env_parameters: Vec::new(),
                env_version: 0,
            }),
            attrib_stack: Vec::new(),
            has_maps: false,
            maps: Default::default(),
            evaluation: None,
            changed_since_read: StateGroups::all(),
            changed_since_selection: StateGroups::all(),
            gl: GlState::default(),
            error: 0,
            error_position: -1,
            error_text: CString::default(),
            glsl_program: 0,
            glsl_pipeline: 0,
            buffers: Default::default(),
            is_inside_begin_end: false,
            is_begin_rejected: false,
            list_base: 0,
            is_matrix_nv: false,
            bound_buffers: [0; TARGETS.len()],
            recording: None,
            is_aliasing_attributes: false,
            extensions: ExtensionState::default(),
            draw_state: DrawState::default(),
        }
    }

    /// Completes the selection of the context as the current one: queries the capabilities of the
    /// driver the first time, deletes the objects of deleted contexts of the share group, and marks
    /// all state as changed.
    pub(crate) fn on_made_current(&mut self) {
        if !self.capabilities.is_queried {
            self.capabilities = Capabilities::query();
            self.extensions.occlusion.driver_version = self.capabilities.version;
        }
        let orphans = std::mem::take(&mut self.lock_share_group().orphaned_objects);
        orphans.iter().for_each(|it| it.delete_objects(self));
        self.mark_changed(StateGroups::all());
    }

    /// Locks the objects that the context shares with other contexts. Blocks while another thread
    /// holds the lock; a second lock on the same thread deadlocks.
    pub(crate) fn lock_share_group(&self) -> MutexGuard<'_, ShareGroup> {
        self.share_group.lock()
    }

    /// Returns the state of a program target.
    pub(crate) fn target_state(&self, target: Target) -> &TargetState {
        &self.targets[target as usize]
    }

    /// Returns the state of a program target, to change it.
    pub(crate) fn target_state_mut(&mut self, target: Target) -> &mut TargetState {
        &mut self.targets[target as usize]
    }

    /// Records an error that `GetError` will return, unless one is recorded already. GL returns the
    /// first one: a pending error of the driver is recorded instead, except between `Begin` and
    /// `End`, where it cannot be queried.
    pub(crate) fn record_error(&mut self, error: u32) {
        if self.error != 0 {
            return;
        }
        // Between `Begin` and `End` the driver allows no queries.
        let driver_error = if self.is_inside_begin_end {
            0
        } else {
            driver::GetError()
        };
        self.error = if driver_error == 0 {
            error
        } else {
            driver_error
        };
    }

    /// Records a pending error of the driver for the application, so that errors of the driver's
    /// next commands can be queried.
    pub(crate) fn save_driver_error(&mut self) {
        let error = driver::GetError();
        if error != 0 {
            self.record_error(error);
        }
    }

    /// Marks groups of state as possibly changed by the application, so that they are read from the
    /// driver again and the pipeline of the next draw is selected again.
    #[inline]
    pub(crate) fn mark_changed(&mut self, groups: StateGroups) {
        self.changed_since_read |= groups;
        self.changed_since_selection |= groups;
    }

    /// Marks groups of state as possibly changed, now or when the list that is being compiled is
    /// called: the list prepares programs again before its next draw.
    #[inline]
    pub(crate) fn mark_list_changed(&mut self, groups: StateGroups) {
        if let Some(recording) = &mut self.recording {
            recording.needs_preparation = true;
        }
        self.mark_changed(groups);
    }

    /// Returns true if conventional attributes are set as numbered ones, too: as soon as a program
    /// exists that may read them as such, and in display lists, which may be called when it exists.
    #[inline]
    pub(crate) fn aliases_attributes(&self) -> bool {
        self.is_aliasing_attributes || self.recording.is_some()
    }

    /// Sets the numbered attribute that aliases a conventional one, after the driver has set the
    /// latter, and its saved value if an evaluation is in progress. Attribute 0 is not set: GL
    /// aliases it itself. Attribute 3, the color, marks materials as changed.
    #[inline]
    pub(crate) fn set_aliased_attribute(&mut self, number: u32, [x, y, z, w]: [f32; 4]) {
        self.update_saved_attribute(number, [x, y, z, w]);
        // GL itself aliases attribute 0 and the position.
        if number > 0 {
            driver::VertexAttrib4f(number, x, y, z, w);
        }
        // With COLOR_MATERIAL a color is a material.
        if number == 3 {
            self.mark_changed(StateGroups::MATERIAL);
        }
    }

    /// Sets the numbered attributes to the current values of the conventional ones that alias them;
    /// from then on both are set together. Does nothing if that is so already, if the library does
    /// not work with the driver, or between `Begin` and `End`.
    pub(crate) fn start_mirroring(&mut self) {
        if self.is_aliasing_attributes || !self.capabilities.works || self.is_inside_begin_end {
            return;
        }
        self.is_aliasing_attributes = true;
        for (number, name) in [(2, 0x0B02), (3, 0x0B00), (4, 0x8459)] {
            let [x, y, z, w] = driver_state::floats(name);
            let w = if number == 2 { 1.0 } else { w };
            driver::VertexAttrib4f(number, x, y, z, w);
        }
        let [fog] = driver_state::floats(0x8453);
        driver::VertexAttrib4f(5, fog, 0.0, 0.0, 1.0);
        let active = driver_state::integer(0x84E0);
        for unit in 0..self.capabilities.texture_coordinates.min(8) {
            driver::ActiveTexture(driver::constants::TEXTURE0 + unit);
            let [x, y, z, w] = driver_state::floats(0x0B03);
            driver::VertexAttrib4f(8 + unit, x, y, z, w);
        }
        driver::ActiveTexture(active as u32);
    }

    /// Records `Begin`: primitives are open, now or in the list that is being compiled, or both.
    /// `in_driver` is false if the draw was rejected, so that the driver has no open primitives.
    pub(crate) fn begin_primitives(&mut self, in_driver: bool) {
        let executes = match &mut self.recording {
            Some(recording) => {
                recording.is_inside_begin_end = true;
                recording.executes_immediately()
            }
            None => true,
        };
        self.is_inside_begin_end = executes;
        self.is_begin_rejected = !in_driver;
    }

    /// Records `End` and restores the numbered attributes that had material properties. Returns
    /// [`DrawDecision::Skip`] if the corresponding `Begin` was rejected, so that the driver must
    /// not receive `End`.
    pub(crate) fn end_primitives(&mut self) -> DrawDecision {
        if let Some(recording) = &mut self.recording {
            recording.is_inside_begin_end = false;
        }
        self.is_inside_begin_end = false;
        if self.recording.is_none() {
            self.restore_material_attributes();
        }
        if std::mem::take(&mut self.is_begin_rejected) {
            DrawDecision::Skip
        } else {
            DrawDecision::Forward
        }
    }

    /// Saves the state of this library for `PushAttrib`: enabled targets are part of `ENABLE_BIT`
    /// (ARB_vertex_program, table X.6), enabled maps of that and of `EVAL_BIT`. Saves nothing
    /// beyond 64 entries. The caller executes the command in the driver.
    pub(crate) fn push_enables(&mut self, attrib_bits: u32) {
        const MOST: usize = 64;
        if self.attrib_stack.len() < MOST {
            let enables = self.copy_enables(attrib_bits);
            self.attrib_stack.push(enables);
        }
    }

    /// Returns a copy of the state that [`Self::push_enables`] saves.
    pub(crate) fn copy_enables(&self, attrib_bits: u32) -> AttribStackEntry {
        let enables = std::array::from_fn(|n| self.targets[n].enabled);
        let maps = self.maps.each_ref().map(|it| it.enabled_mask);
        let combiners = &self.extensions.combiners.state;
        let shaders = &self.extensions.texture_shaders.state;
        let has = |bits: u32| attrib_bits & bits != 0;
        AttribStackEntry {
            enabled_targets: has(driver::constants::ENABLE_BIT).then_some(enables),
            enabled_maps: has(SAVED_MAP_BITS).then_some(maps),
            is_testing_occlusion: has(driver::constants::ENABLE_BIT)
                .then_some(self.extensions.occlusion.is_testing),
            combiners: has(driver::constants::TEXTURE_BIT).then(|| Box::new(*combiners)),
            enabled_combiners: has(driver::constants::ENABLE_BIT).then_some([
                combiners.is_enabled,
                combiners.combiners.per_stage_constants,
            ]),
            multisample_hint: has(driver::constants::HINT_BIT)
                .then_some(self.extensions.multisample_hint),
            texture_shaders: has(driver::constants::TEXTURE_BIT).then(|| Box::new(*shaders)),
            is_texture_shader_enabled: has(driver::constants::ENABLE_BIT)
                .then_some(shaders.is_enabled),
            transfers: has(driver::constants::PIXEL_MODE_BIT).then_some(shaders.transfers),
        }
    }

    /// Restores the enabled targets and maps that the last [`Self::push_enables`] has saved, and
    /// marks all state but arrays as changed. The caller executes `PopAttrib` in the driver.
    pub(crate) fn pop_enables(&mut self) {
        let pushed = self.attrib_stack.pop().unwrap_or_default();
        self.restore_enables(pushed);
    }

    /// Sets the enabled targets and maps that were saved, and marks all state but arrays as
    /// changed.
    pub(crate) fn restore_enables(&mut self, saved: AttribStackEntry) {
        for (bound, enabled) in self
            .targets
            .iter_mut()
            .zip(saved.enabled_targets.into_iter().flatten())
        {
            bound.enabled = enabled;
        }
        for (maps, enabled) in self
            .maps
            .iter_mut()
            .zip(saved.enabled_maps.into_iter().flatten())
        {
            maps.enabled_mask = enabled;
        }
        if let Some(enabled) = saved.is_testing_occlusion {
            self.extensions.occlusion.set_testing(enabled);
        }
        if let Some(combiners) = saved.combiners {
            register_combiners::restore(self, *combiners);
        }
        if let Some([enabled, per_stage]) = saved.enabled_combiners {
            let combiners = &mut self.extensions.combiners.state;
            combiners.is_enabled = enabled;
            combiners.combiners.per_stage_constants = per_stage;
        }
        if let Some(hint) = saved.multisample_hint {
            self.extensions.multisample_hint = hint;
        }
        if let Some(shaders) = saved.texture_shaders {
            texture_shaders::restore(self, *shaders);
        }
        let shaders = &mut self.extensions.texture_shaders.state;
        if let Some(enabled) = saved.is_texture_shader_enabled {
            shaders.is_enabled = enabled;
        }
        if let Some(transfers) = saved.transfers {
            shaders.transfers = transfers;
        }
        self.mark_list_changed(StateGroups::all() - StateGroups::ARRAYS);
    }
}
