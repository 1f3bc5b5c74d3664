//! State of a context: bound programs, parameters, changes since the last draw.

use crate::buffers::{BINDINGS, Binding};
use crate::draw::{Draw, Drawing};
use crate::evaluators::{Evaluation, Maps};
use crate::extensions::Capabilities;
use crate::ffi::{driver, query};
use crate::lists::Recording;
use crate::lock::Mutex;
use crate::objects::{Bits, Program, Share};
use crate::target::{TARGETS, Target};
use bitflags::bitflags;
use glasm::state::GlState;
use std::ffi::CString;
use std::sync::{Arc, MutexGuard};

/// Shared state of contexts, protected by its lock.
pub(crate) type Shared = Arc<Mutex<Share>>;

bitflags! {
    /// Groups of GL state that a pipeline may depend on.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub(crate) struct Groups: u32 {
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
    pub(crate) fn new(share: Shared) -> Self {
        Self {
            state: State::new(share),
        }
    }
}

impl Drop for Context {
    /// Passes the objects of the driver to the other contexts: the next one that is current deletes
    /// them.
    fn drop(&mut self) {
        let orphans = self.state.drawing.orphans();
        self.state.shared().orphans.push(orphans);
    }
}

/// State of a target in a context.
pub(crate) struct Bound {
    /// Program.
    pub(crate) program: Arc<Program>,
    /// True if it is enabled.
    pub(crate) enabled: bool,
    /// Environment parameters, up to the last one that was set.
    pub(crate) env: Vec<Bits>,
    /// Version that is incremented when a parameter changes.
    pub(crate) env_version: u64,
}

/// Bits of `PushAttrib` for which state of this library is saved, too.
pub(crate) const KEEPING: u32 = driver::constants::ENABLE_BIT | driver::constants::EVAL_BIT;

/// State that `PushAttrib` has saved.
#[derive(Default)]
struct Pushed {
    /// Enabled targets.
    targets: Option<[bool; TARGETS.len()]>,
    /// Enabled maps of numbered attributes, by dimension.
    maps: Option<[u32; 2]>,
}

/// State of a context.
pub(crate) struct State {
    pub(crate) share: Shared,
    pub(crate) capabilities: Capabilities,
    /// State by target.
    pub(crate) bound: [Bound; TARGETS.len()],
    /// State that `PushAttrib` has saved; the driver saves its own state.
    pushed: Vec<Pushed>,
    /// True if the application has defined maps.
    pub(crate) has_maps: bool,
    /// Maps of numbered attributes, by dimension.
    pub(crate) maps: [Maps; 2],
    /// Evaluators between `Begin` and `End`, if this library executes them.
    pub(crate) evaluation: Option<Box<Evaluation>>,
    /// Groups of state that have changed since parameters were read.
    pub(crate) dirty: Groups,
    /// Groups of state that have changed since the pipeline was selected.
    pub(crate) undecided: Groups,
    /// GL's state as it was read from the driver, and the matrices that parameters track.
    pub(crate) gl: GlState,
    /// Error that `GetError` returns first.
    pub(crate) error: u32,
    /// Position of the error in the last program string; -1 if there was none.
    pub(crate) error_position: i32,
    /// Message of that error.
    pub(crate) error_text: CString,
    /// Application's own program object of GLSL.
    pub(crate) used_program: u32,
    /// Application's own pipeline object of GLSL programs.
    pub(crate) used_pipeline: u32,
    /// Parameter buffers, by target and binding.
    pub(crate) buffers: [[Binding; BINDINGS as usize]; TARGETS.len()],
    /// Between `Begin` and `End`.
    pub(crate) is_inside: bool,
    /// True if the driver was not informed of that `Begin`.
    is_begun_in_vain: bool,
    /// List base between `Begin` and `End`.
    pub(crate) list_base: u32,
    /// True if the matrix mode has a name of NV_vertex_program.
    pub(crate) is_matrix_nv: bool,
    /// Parameter buffers that are bound to a target, in addition to those of its numbered bindings.
    pub(crate) bound_buffers: [u32; TARGETS.len()],
    /// Display list that is being compiled.
    pub(crate) recording: Option<Recording>,
    /// True if conventional attributes are set as numbered ones, too.
    pub(crate) mirroring: bool,
    /// State of draws.
    pub(crate) drawing: Drawing,
}

impl State {
    fn new(share: Shared) -> Self {
        Self {
            share,
            capabilities: Capabilities::default(),
            bound: std::array::from_fn(|_| Bound {
                program: Arc::new(Program::new(0)),
                enabled: false,
                env: Vec::new(),
                env_version: 0,
            }),
            pushed: Vec::new(),
            has_maps: false,
            maps: Default::default(),
            evaluation: None,
            dirty: Groups::all(),
            undecided: Groups::all(),
            gl: GlState::default(),
            error: 0,
            error_position: -1,
            error_text: CString::default(),
            used_program: 0,
            used_pipeline: 0,
            buffers: Default::default(),
            is_inside: false,
            is_begun_in_vain: false,
            list_base: 0,
            is_matrix_nv: false,
            bound_buffers: [0; TARGETS.len()],
            recording: None,
            mirroring: false,
            drawing: Drawing::default(),
        }
    }

    /// Informs the context that it has been made current. Queries the capabilities of the driver
    /// the first time.
    pub(crate) fn made_current(&mut self) {
        if !self.capabilities.known {
            self.capabilities = Capabilities::read();
        }
        let orphans = std::mem::take(&mut self.shared().orphans);
        orphans.iter().for_each(|it| it.delete(self));
        self.touch(Groups::all());
    }

    pub(crate) fn shared(&self) -> MutexGuard<'_, Share> {
        self.share.lock()
    }

    pub(crate) fn bound(&self, target: Target) -> &Bound {
        &self.bound[target as usize]
    }

    pub(crate) fn bound_mut(&mut self, target: Target) -> &mut Bound {
        &mut self.bound[target as usize]
    }

    /// Records an error that `GetError` will return. GL returns the first one, which may be the
    /// driver's.
    pub(crate) fn fail(&mut self, error: u32) {
        if self.error != 0 {
            return;
        }
        // Between `Begin` and `End` the driver allows no queries.
        let first = if self.is_inside {
            0
        } else {
            driver::GetError()
        };
        self.error = if first == 0 { error } else { first };
    }

    /// Saves a pending error of the driver for the application, before errors of the driver are
    /// queried.
    pub(crate) fn keep_error(&mut self) {
        let error = driver::GetError();
        if error != 0 {
            self.fail(error);
        }
    }

    /// Marks groups of state as possibly changed.
    #[inline]
    pub(crate) fn touch(&mut self, groups: Groups) {
        self.dirty |= groups;
        self.undecided |= groups;
    }

    /// Marks groups of state as possibly changed, now or when the list that is being compiled is
    /// called.
    #[inline]
    pub(crate) fn changed(&mut self, groups: Groups) {
        if let Some(recording) = &mut self.recording {
            recording.is_changed = true;
        }
        self.touch(groups);
    }

    /// Returns true if conventional attributes are set as numbered ones, too: as soon as a program
    /// exists that may read them as such, and in display lists, which may be called when it exists.
    #[inline]
    pub(crate) fn mirrors(&self) -> bool {
        self.mirroring || self.recording.is_some()
    }

    /// Sets the numbered attribute that a conventional command has set.
    #[inline]
    pub(crate) fn mirror(&mut self, number: u32, [x, y, z, w]: [f32; 4]) {
        self.attribute_is_set(number, [x, y, z, w]);
        // GL itself aliases attribute 0 and the position.
        if number > 0 {
            driver::VertexAttrib4f(number, x, y, z, w);
        }
        // With COLOR_MATERIAL a color is a material.
        if number == 3 {
            self.touch(Groups::MATERIAL);
        }
    }

    /// Sets conventional attributes as numbered ones, too, from now on.
    pub(crate) fn start_mirroring(&mut self) {
        if self.mirroring || !self.capabilities.works || self.is_inside {
            return;
        }
        self.mirroring = true;
        for (number, name) in [(2, 0x0B02), (3, 0x0B00), (4, 0x8459)] {
            let [x, y, z, w] = query::floats(name);
            let w = if number == 2 { 1.0 } else { w };
            driver::VertexAttrib4f(number, x, y, z, w);
        }
        let [fog] = query::floats(0x8453);
        driver::VertexAttrib4f(5, fog, 0.0, 0.0, 1.0);
        let active = query::integer(0x84E0);
        for unit in 0..self.capabilities.texture_coordinates.min(8) {
            driver::ActiveTexture(driver::constants::TEXTURE0 + unit);
            let [x, y, z, w] = query::floats(0x0B03);
            driver::VertexAttrib4f(8 + unit, x, y, z, w);
        }
        driver::ActiveTexture(active as u32);
    }

    /// Executes `Begin`: opens primitives, now or in the list that is being compiled; unless the
    /// draw was rejected, they are open in the driver, too.
    pub(crate) fn begin(&mut self, in_driver: bool) {
        let executes = match &mut self.recording {
            Some(recording) => {
                recording.is_inside = true;
                recording.executes()
            }
            None => true,
        };
        self.is_inside = executes;
        self.is_begun_in_vain = !in_driver;
    }

    /// Executes `End`. Returns [`Draw::On`] if the driver has a corresponding `Begin`.
    pub(crate) fn end(&mut self) -> Draw {
        if let Some(recording) = &mut self.recording {
            recording.is_inside = false;
        }
        self.is_inside = false;
        if self.recording.is_none() {
            self.restore_materials();
        }
        if std::mem::take(&mut self.is_begun_in_vain) {
            Draw::Nothing
        } else {
            Draw::On
        }
    }

    /// Executes `PushAttrib`: enabled targets are part of `ENABLE_BIT` (ARB_vertex_program, table
    /// X.6), enabled maps of that and of `EVAL_BIT`.
    pub(crate) fn push_enables(&mut self, mask: u32) {
        const MOST: usize = 64;
        if self.pushed.len() < MOST {
            let enables = std::array::from_fn(|n| self.bound[n].enabled);
            let maps = self.maps.each_ref().map(|it| it.enabled);
            let has = |bits: u32| mask & bits != 0;
            self.pushed.push(Pushed {
                targets: has(driver::constants::ENABLE_BIT).then_some(enables),
                maps: has(KEEPING).then_some(maps),
            });
        }
    }

    /// Executes `PopAttrib`: nearly all state may have changed.
    pub(crate) fn pop_enables(&mut self) {
        let pushed = self.pushed.pop().unwrap_or_default();
        for (bound, enabled) in self
            .bound
            .iter_mut()
            .zip(pushed.targets.into_iter().flatten())
        {
            bound.enabled = enabled;
        }
        for (maps, enabled) in self.maps.iter_mut().zip(pushed.maps.into_iter().flatten()) {
            maps.enabled = enabled;
        }
        self.changed(Groups::all() - Groups::ARRAYS);
    }
}
