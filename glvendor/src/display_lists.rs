//! Display lists that contain commands of this library between those of the driver.
//!
//! The driver compiles its own commands. At a command of this library its list ends and another one
//! begins under a name that applications do not use, so that a list is a sequence of parts: lists
//! of the driver, and commands of this library. Before a draw, state that has changed within the
//! list must be passed to the programs of this library; this is such a command, too.

use crate::context::{SAVED_ATTRIB_BITS, State, StateGroups};
use crate::draw;
use crate::extension_commands::ExtensionCommand;
use crate::ffi::{driver, driver_state};
use crate::primitives::PrimitiveClass;
use crate::program_commands::{self, Command, ListNameBase};
use crate::target::Target;
use crate::texture_shaders::TextureShaderCommand;
use std::ops::Range;
use std::sync::Arc;

/// First name of parts, far above those that `GenLists` returns.
const FIRST_PART: u32 = 0x7000_0000;

/// Lists that call each other deeper than this end: MAX_LIST_NESTING.
const MAX_NESTING: u32 = 64;

/// Part of a list.
#[derive(Clone, Debug)]
pub(crate) enum ListPart {
    /// List of the driver.
    Driver(u32),
    /// Command of this library.
    Emulated(Command),
}

/// List of several parts.
#[derive(Debug, Default)]
pub(crate) struct CompositeList {
    parts: Vec<ListPart>,
}

/// List that is being compiled.
#[derive(Debug)]
pub(crate) struct Recording {
    name: u32,
    /// `GL_COMPILE` or `GL_COMPILE_AND_EXECUTE`.
    mode: u32,
    list_parts: Vec<ListPart>,
    /// Open list of the driver.
    open_list: u32,
    /// True if state has changed since the last part that prepares the programs of this library.
    pub(crate) needs_preparation: bool,
    /// Entries of the attribute stack since the list began: true for those that are commands of
    /// this library.
    pushed_attributes: Vec<bool>,
    /// True if primitives are open: between `Begin` and `End`, lists do not end.
    pub(crate) is_inside_begin_end: bool,
    /// Names that `GenLists` has returned since then.
    reserved_names: Vec<Range<u32>>,
    /// True if a geometry program is enabled at this point of the list.
    pub(crate) has_geometry: bool,
    /// Shape of the last draw that the programs of this library were prepared for.
    primitive_class: PrimitiveClass,
}

impl Recording {
    /// Ends the driver's list that is open and appends it to the parts of the recorded list. The
    /// caller opens another one.
    fn close_driver_list(&mut self) {
        driver::EndList();
        self.list_parts.push(ListPart::Driver(self.open_list));
    }

    /// Returns true if commands are also executed while they are recorded
    /// (`GL_COMPILE_AND_EXECUTE`).
    pub(crate) fn executes_immediately(&self) -> bool {
        self.mode == driver::constants::COMPILE_AND_EXECUTE
    }
}

impl State {
    /// Executes `NewList`. The driver validates name and mode, and reports their errors. If a part
    /// of another list has this name in the driver, the list is compiled under another name, as a
    /// list of parts.
    pub(crate) fn new_list(&mut self, name: u32, mode: u32) {
        let works = self.capabilities.works && !self.is_inside_begin_end;
        let valid = name != 0
            && matches!(
                mode,
                driver::constants::COMPILE | driver::constants::COMPILE_AND_EXECUTE
            );
        let records = works && valid && self.recording.is_none();
        let open = if records && self.is_part(name) {
            self.allocate_part_name()
        } else {
            name
        };
        driver::NewList(open, mode);
        if records {
            let mut share = self.lock_share_group();
            share.last_list_name = share.last_list_name.max(name);
            drop(share);
            self.recording = Some(Recording {
                name,
                mode,
                list_parts: Vec::new(),
                open_list: open,
                needs_preparation: true,
                pushed_attributes: Vec::new(),
                is_inside_begin_end: false,
                reserved_names: Vec::new(),
                has_geometry: self.target_state(Target::Geometry).enabled,
                primitive_class: PrimitiveClass::default(),
            });
        }
    }

    /// Executes `GenLists`: returns the first of `count` names, which are those that the driver
    /// would return if it had no parts of lists. The lists are empty ones, created when the list
    /// that is being compiled ends. `None` leaves the command to the driver, also between `Begin`
    /// and `End` and for a count that is not positive.
    pub(crate) fn generate_lists(&mut self, count: i32) -> Option<u32> {
        if self.is_inside_begin_end || !self.capabilities.works {
            return None;
        }
        let count = u32::try_from(count).ok().filter(|count| *count > 0)?;
        let mut share = self.lock_share_group();
        if share.part_count == 0 {
            let first_name = driver::GenLists(count as i32);
            share.last_list_name = share
                .last_list_name
                .max(first_name.saturating_add(count - 1));
            return Some(first_name);
        }
        let first = share.last_list_name.checked_add(1)?;
        let names = first..first.checked_add(count)?;
        // No application has that many, and the names of parts follow.
        if names.end >= FIRST_PART || names.clone().any(|name| driver::IsList(name) != 0) {
            return None;
        }
        share.last_list_name = names.end - 1;
        drop(share);
        match &mut self.recording {
            None => create_empty_lists(names),
            Some(recording) => recording.reserved_names.push(names),
        }
        Some(first)
    }

    /// Executes `EndList`: ends the driver's list, creates the lists that `GenLists` has reserved
    /// while it was compiled, and replaces the list of that name, whose parts are deleted. A
    /// recorded list without commands of this library is the driver's alone.
    pub(crate) fn end_list(&mut self) {
        driver::EndList();
        let Some(mut recording) = self.recording.take() else {
            return;
        };
        recording
            .reserved_names
            .drain(..)
            .for_each(create_empty_lists);
        let mut share = self.lock_share_group();
        // Only now the old list of the name is replaced.
        let old = share.lists.remove(&recording.name);
        if !recording.list_parts.is_empty() || recording.open_list != recording.name {
            recording
                .list_parts
                .push(ListPart::Driver(recording.open_list));
            let list = CompositeList {
                parts: recording.list_parts,
            };
            share.lists.insert(recording.name, Arc::new(list));
        }
        drop(share);
        if let Some(old) = old {
            self.delete_parts(&old, recording.name);
        }
    }

    /// Compiles a command of this library into the list that is being compiled, and executes it if
    /// the mode of the list requires it. Returns `false` if the caller must execute it: there is no
    /// list, or the list is within `Begin` and `End` and executes its commands. If it is within
    /// these and does not execute them, the command is an error that is dropped.
    pub(crate) fn record(&mut self, command: &Command) -> bool {
        match self.recording.take() {
            None => false,
            // Such commands are errors between `Begin` and `End`.
            Some(recording) if recording.is_inside_begin_end => {
                let executes = recording.executes_immediately();
                self.recording = Some(recording);
                !executes
            }
            Some(mut recording) => {
                recording.close_driver_list();
                self.append_command(recording, command);
                true
            }
        }
    }

    /// Compiles a command of this library that represents one of the driver: `compile_native`
    /// compiles that into a separate list, and `create_command` receives the name of this list.
    /// Returns `false`, and calls neither, if no list is being compiled or it is between `Begin`
    /// and `End`.
    pub(crate) fn record_with_native(
        &mut self,
        compile_native: impl FnOnce(),
        create_command: impl FnOnce(&mut Self, u32) -> Command,
    ) -> bool {
        let Some(mut recording) = self.recording.take_if(|it| !it.is_inside_begin_end) else {
            return false;
        };
        recording.close_driver_list();
        let list = self.allocate_part_name();
        driver::NewList(list, driver::constants::COMPILE);
        compile_native();
        driver::EndList();
        let command = create_command(self, list);
        self.append_command(recording, &command);
        true
    }

    /// Adds a command to a recording whose driver list is closed, executes it if the mode of the
    /// list requires it, and opens the next list of the driver. The recording is that of the
    /// context afterwards.
    fn append_command(&mut self, mut recording: Recording, command: &Command) {
        recording
            .list_parts
            .push(ListPart::Emulated(command.clone()));
        recording.needs_preparation |= !matches!(command, Command::PrepareDraw(_));
        if let Command::EnableTarget(Target::Geometry, enabled) = command {
            recording.has_geometry = *enabled;
        }
        // The driver compiles no part of it.
        if recording.executes_immediately() {
            program_commands::execute_command(self, command);
        }
        recording.open_list = self.allocate_part_name();
        driver::NewList(recording.open_list, recording.mode);
        self.recording = Some(recording);
    }

    /// Registers and returns an unused name for a part. Names above [`FIRST_PART`] that the driver
    /// has lists for are skipped: its `GenLists` may continue after the last part.
    fn allocate_part_name(&self) -> u32 {
        let mut share = self.lock_share_group();
        loop {
            share.part_count += 1;
            let name = FIRST_PART + share.part_count;
            if driver::IsList(name) == 0 {
                share.part_names.insert(name);
                return name;
            }
        }
    }

    /// Returns true if the driver's list of a name is an internal part of another list.
    fn is_part(&self, name: u32) -> bool {
        self.lock_share_group().part_names.contains(&name)
    }

    /// Returns the result of `IsList` for lists of this library, true, and their parts, false.
    /// `None` leaves the query to the driver, also between `Begin` and `End`.
    pub(crate) fn query_is_list(&self, name: u32) -> Option<bool> {
        if self.is_inside_begin_end {
            return None;
        }
        let share = self.lock_share_group();
        if share.lists.contains_key(&name) {
            return Some(true);
        }
        share.part_names.contains(&name).then_some(false)
    }

    /// Executes `PushAttrib`, or compiles it into the list. In a list it is a command of this
    /// library if it saves the enabled targets, some of which are unknown to the driver, otherwise
    /// one of the driver.
    pub(crate) fn push_attributes(&mut self, mask: u32) {
        let keeps_enables = mask & SAVED_ATTRIB_BITS != 0;
        if let Some(recording) = &mut self.recording {
            recording.pushed_attributes.push(keeps_enables);
            if keeps_enables && self.record(&Command::PushAttributes(mask)) {
                return;
            }
        }
        match self.recording {
            None => program_commands::execute_command(self, &Command::PushAttributes(mask)),
            Some(_) => driver::PushAttrib(mask),
        }
    }

    /// Executes `PopAttrib`, or compiles it into the list: as a command of this library if the
    /// corresponding `PushAttrib` is one, or is not in the list. Marks all state but arrays as
    /// changed.
    pub(crate) fn pop_attributes(&mut self) {
        let is_ours = match &mut self.recording {
            Some(recording) => recording.pushed_attributes.pop().unwrap_or(true),
            None => true,
        };
        if is_ours && self.record(&Command::PopAttributes) {
            return;
        }
        if is_ours {
            return program_commands::execute_command(self, &Command::PopAttributes);
        }
        driver::PopAttrib();
        self.mark_list_changed(StateGroups::all() - StateGroups::ARRAYS);
    }

    /// Compiles the preparation of this library's programs into the list, if one is being compiled
    /// and state or the class of primitives has changed since the last preparation. Returns true if
    /// the draw is also executed now.
    pub(crate) fn record_draw(&mut self, primitive: Option<u32>) -> bool {
        let Some(recording) = &mut self.recording else {
            return true;
        };
        let executes = recording.executes_immediately();
        let shape = PrimitiveClass::from_mode(primitive);
        if (recording.needs_preparation || recording.primitive_class != shape)
            && !recording.is_inside_begin_end
        {
            recording.needs_preparation = false;
            recording.primitive_class = shape;
            self.record(&Command::PrepareDraw(primitive));
        }
        executes
    }

    /// Returns the name, as the application knows it, of the list that is being compiled; `None` if
    /// there is none.
    pub(crate) fn recorded_list_name(&self) -> Option<i32> {
        self.recording.as_ref().map(|it| it.name as i32)
    }

    /// Stores the list base before primitives begin, since it cannot be queried between `Begin` and
    /// `End`. Does nothing if no list has commands of this library.
    pub(crate) fn save_list_base(&mut self) {
        let is_needed = !self.is_inside_begin_end && !self.lock_share_group().lists.is_empty();
        if is_needed {
            self.list_base = driver_state::integer(driver::constants::LIST_BASE) as u32;
        }
    }

    /// Returns true if the driver calls lists directly: between `Begin` and `End` of a list that is
    /// being compiled, where commands of this library are errors; without one, between `Begin` and
    /// `End` if no list has commands of this library.
    pub(crate) fn driver_calls_lists(&self) -> bool {
        match &self.recording {
            Some(recording) => recording.is_inside_begin_end,
            None => self.is_inside_begin_end && self.lock_share_group().lists.is_empty(),
        }
    }

    /// Executes `CallList`: by the driver where it calls lists directly, by recording it in the
    /// list that is being compiled, and otherwise by replaying the list. Marks all state as changed
    /// if the driver has called a list.
    pub(crate) fn call_list(&mut self, name: u32) {
        if self.driver_calls_lists() {
            driver::CallList(name);
            return self.mark_changed(StateGroups::all());
        }
        if self.record(&Command::CallLists(vec![name], ListNameBase::Zero)) {
            return;
        }
        self.call_list_at_depth(name, 0);
    }

    /// Calls lists in order, each name relative to the list base or to zero, as
    /// [`Self::call_list_at_depth`]. `depth` is the number of lists that are calling; beyond the
    /// maximum nothing is called. Between `Begin` and `End` the list base is the one that was saved
    /// before.
    pub(crate) fn call_lists(
        &mut self,
        names: impl Iterator<Item = u32>,
        base: ListNameBase,
        depth: u32,
    ) {
        let first = match base {
            ListNameBase::Zero => 0,
            ListNameBase::ListBase if self.is_inside_begin_end => self.list_base,
            ListNameBase::ListBase => driver_state::integer(driver::constants::LIST_BASE) as u32,
        };
        for name in names {
            self.call_list_at_depth(first.wrapping_add(name), depth);
        }
    }

    /// Calls a list that `depth` other lists are calling: its parts in order if this library
    /// recorded it, the driver's list otherwise, for which programs are prepared. Marks all state
    /// as changed. Does nothing at the maximum of the nesting depth, and for names of parts.
    pub(crate) fn call_list_at_depth(&mut self, name: u32, depth: u32) {
        let list = self.lock_share_group().lists.get(&name).cloned();
        match list {
            _ if depth >= MAX_NESTING => {}
            None if self.is_part(name) => {}
            None => {
                draw::prepare_draw(self, None);
                driver::CallList(name);
                self.mark_changed(StateGroups::all());
            }
            Some(list) => {
                for part in &list.parts {
                    match part {
                        ListPart::Driver(name) => {
                            driver::CallList(*name);
                            self.restore_material_attributes();
                            self.mark_changed(StateGroups::all());
                        }
                        ListPart::Emulated(Command::CallLists(names, base)) => {
                            self.call_lists(names.iter().copied(), *base, depth + 1)
                        }
                        ListPart::Emulated(command) => {
                            program_commands::execute_command(self, command)
                        }
                    }
                }
            }
        }
    }

    /// Executes `DeleteLists`; lists with commands of this library are deleted with their parts.
    /// Names in the range that are parts of other lists are preserved: for the application they do
    /// not exist. The driver reports a negative count.
    pub(crate) fn delete_lists(&mut self, first: u32, count: i32) {
        if self.is_inside_begin_end || count < 0 {
            return driver::DeleteLists(first, count);
        }
        let count = u32::try_from(count).unwrap_or(0);
        let mut share = self.lock_share_group();
        let deleted: Vec<_> = share
            .lists
            .extract_if(|name, _| name.wrapping_sub(first) < count)
            .collect();
        drop(share);
        for (name, list) in deleted {
            self.delete_parts(&list, name);
        }
        // The driver deletes the ranges between parts of other lists.
        let end = first.saturating_add(count);
        let parts: Vec<u32> = self
            .lock_share_group()
            .part_names
            .range(first..end)
            .copied()
            .collect();
        let mut next = first;
        for part in parts {
            driver::DeleteLists(next, (part - next) as i32);
            next = part + 1;
        }
        driver::DeleteLists(next, (end - next) as i32);
    }

    /// Deletes a list of the driver that is a part of a display list, and releases its name.
    fn delete_part(&self, name: u32) {
        driver::DeleteLists(name, 1);
        self.lock_share_group().part_names.remove(&name);
    }

    /// Deletes the driver's lists and textures that belong to the parts of a list, but for the
    /// driver list that has the application's name `name`, unless that is itself a part.
    fn delete_parts(&self, list: &CompositeList, name: u32) {
        for part in &list.parts {
            match part {
                ListPart::Driver(part) if *part != name || self.is_part(*part) => {
                    self.delete_part(*part)
                }
                ListPart::Emulated(Command::Bitmap(_, list)) => self.delete_part(*list),
                ListPart::Emulated(Command::Extension(ExtensionCommand::TextureShader(
                    TextureShaderCommand::NativeImage(list, ..),
                ))) => self.delete_part(*list),
                ListPart::Emulated(Command::DrawPixels(image)) => {
                    self.delete_part(image.driver_list);
                    image.texture.iter().for_each(|it| self.delete_texture(it));
                }
                ListPart::Driver(_) | ListPart::Emulated(_) => {}
            }
        }
    }
}

/// Creates empty lists in the driver for those names that have none, as `GenLists` does.
fn create_empty_lists(names: Range<u32>) {
    for name in names.filter(|name| driver::IsList(*name) == 0) {
        driver::NewList(name, driver::constants::COMPILE);
        driver::EndList();
    }
}
