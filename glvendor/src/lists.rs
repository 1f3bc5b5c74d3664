//! Display lists that contain commands of this library between those of the driver.
//!
//! The driver compiles its own commands. At a command of this library its list ends and another one
//! begins under a name that applications do not use, so that a list is a sequence of parts: lists
//! of the driver, and commands of this library. Before a draw, state that has changed within the
//! list must be passed to the programs of this library; this is such a command, too.

use crate::commands::{self, Base, Command};
use crate::context::{Groups, KEEPING, State};
use crate::draw;
use crate::ffi::{driver, query};
use crate::shapes::Shape;
use crate::target::Target;
use std::ops::Range;
use std::sync::Arc;

/// First name of parts, far above those that `GenLists` returns.
const FIRST_PART: u32 = 0x7000_0000;

/// Lists that call each other deeper than this end: MAX_LIST_NESTING.
const MAX_NESTING: u32 = 64;

/// Part of a list.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// List of the driver.
    Driver(u32),
    /// Command of this library.
    Own(Command),
}

/// List of several parts.
#[derive(Debug, Default)]
pub(crate) struct List {
    parts: Vec<Part>,
}

/// List that is being compiled.
#[derive(Debug)]
pub(crate) struct Recording {
    name: u32,
    /// `GL_COMPILE` or `GL_COMPILE_AND_EXECUTE`.
    mode: u32,
    parts: Vec<Part>,
    /// Open list of the driver.
    open: u32,
    /// True if state has changed since the last part that prepares the programs of this library.
    pub(crate) is_changed: bool,
    /// Entries of the attribute stack since the list began: true for those that are commands of
    /// this library.
    pushed: Vec<bool>,
    /// True if primitives are open: between `Begin` and `End`, lists do not end.
    pub(crate) is_inside: bool,
    /// Names that `GenLists` has returned since then.
    reserved: Vec<Range<u32>>,
    /// True if a geometry program is enabled at this point of the list.
    pub(crate) has_geometry: bool,
    /// Shape of the last draw that the programs of this library were prepared for.
    shape: Shape,
}

impl Recording {
    /// Ends the open list of the driver and adds it as a part.
    fn close(&mut self) {
        driver::EndList();
        self.parts.push(Part::Driver(self.open));
    }

    /// Returns true if commands are executed while they are compiled.
    pub(crate) fn executes(&self) -> bool {
        self.mode == driver::constants::COMPILE_AND_EXECUTE
    }
}

impl State {
    /// Executes `NewList`. The driver validates name and mode. If the library has a part of that
    /// name, the application's list is a list of parts.
    pub(crate) fn new_list(&mut self, name: u32, mode: u32) {
        let works = self.capabilities.works && !self.is_inside;
        let valid = name != 0
            && matches!(
                mode,
                driver::constants::COMPILE | driver::constants::COMPILE_AND_EXECUTE
            );
        let records = works && valid && self.recording.is_none();
        let open = if records && self.is_part(name) {
            self.part_name()
        } else {
            name
        };
        driver::NewList(open, mode);
        if records {
            let mut share = self.shared();
            share.last_list = share.last_list.max(name);
            drop(share);
            self.recording = Some(Recording {
                name,
                mode,
                parts: Vec::new(),
                open,
                is_changed: true,
                pushed: Vec::new(),
                is_inside: false,
                reserved: Vec::new(),
                has_geometry: self.bound(Target::Geometry).enabled,
                shape: Shape::default(),
            });
        }
    }

    /// Executes `GenLists`: the names are those that the driver would return if it had no parts of
    /// lists. `None` if the driver itself can return them.
    pub(crate) fn generate_lists(&mut self, count: i32) -> Option<u32> {
        if self.is_inside || !self.capabilities.works {
            return None;
        }
        let count = u32::try_from(count).ok().filter(|count| *count > 0)?;
        let mut share = self.shared();
        if share.parts == 0 {
            let first = driver::GenLists(count as i32);
            share.last_list = share.last_list.max(first.saturating_add(count - 1));
            return Some(first);
        }
        let first = share.last_list.checked_add(1)?;
        let names = first..first.checked_add(count)?;
        // No application has that many, and the names of parts follow.
        if names.end >= FIRST_PART || names.clone().any(|name| driver::IsList(name) != 0) {
            return None;
        }
        share.last_list = names.end - 1;
        drop(share);
        match &mut self.recording {
            None => make_empty(names),
            Some(recording) => recording.reserved.push(names),
        }
        Some(first)
    }

    /// Executes `EndList`.
    pub(crate) fn end_list(&mut self) {
        driver::EndList();
        let Some(mut recording) = self.recording.take() else {
            return;
        };
        recording.reserved.drain(..).for_each(make_empty);
        let mut share = self.shared();
        // Only now the old list of the name is replaced.
        let old = share.lists.remove(&recording.name);
        if !recording.parts.is_empty() || recording.open != recording.name {
            recording.parts.push(Part::Driver(recording.open));
            let list = List {
                parts: recording.parts,
            };
            share.lists.insert(recording.name, Arc::new(list));
        }
        drop(share);
        if let Some(old) = old {
            self.delete_parts(&old, recording.name);
        }
    }

    /// Compiles a command of this library into the list that is being compiled, and executes it if
    /// the mode of the list requires it. Returns `false` if there is no list.
    pub(crate) fn record(&mut self, command: &Command) -> bool {
        match self.recording.take() {
            None => false,
            // Such commands are errors between `Begin` and `End`.
            Some(recording) if recording.is_inside => {
                let executes = recording.executes();
                self.recording = Some(recording);
                !executes
            }
            Some(mut recording) => {
                recording.close();
                self.add(recording, command);
                true
            }
        }
    }

    /// Compiles a command of this library that represents one of the driver: `native` compiles that
    /// into a separate list, and `make` receives the name of this list. `false` between `Begin` and
    /// `End`.
    pub(crate) fn record_instead(
        &mut self,
        native: impl FnOnce(),
        make: impl FnOnce(&mut Self, u32) -> Command,
    ) -> bool {
        let Some(mut recording) = self.recording.take_if(|it| !it.is_inside) else {
            return false;
        };
        recording.close();
        let list = self.part_name();
        driver::NewList(list, driver::constants::COMPILE);
        native();
        driver::EndList();
        let command = make(self, list);
        self.add(recording, &command);
        true
    }

    /// Adds a command between the driver's list that is closed and the one that is opened then.
    fn add(&mut self, mut recording: Recording, command: &Command) {
        recording.parts.push(Part::Own(command.clone()));
        recording.is_changed |= !matches!(command, Command::Ready(_));
        if let Command::Enable(Target::Geometry, enabled) = command {
            recording.has_geometry = *enabled;
        }
        // The driver compiles no part of it.
        if recording.executes() {
            commands::execute(self, command);
        }
        recording.open = self.part_name();
        driver::NewList(recording.open, recording.mode);
        self.recording = Some(recording);
    }

    /// Returns an unused name for a part: `GenLists` of the driver may continue after the last
    /// part.
    fn part_name(&self) -> u32 {
        let mut share = self.shared();
        loop {
            share.parts += 1;
            let name = FIRST_PART + share.parts;
            if driver::IsList(name) == 0 {
                share.part_names.insert(name);
                return name;
            }
        }
    }

    /// Returns true if the driver's list of a name is a part.
    fn is_part(&self, name: u32) -> bool {
        self.shared().part_names.contains(&name)
    }

    /// Returns the result of `IsList`, if the driver does not know it.
    pub(crate) fn is_list(&self, name: u32) -> Option<bool> {
        if self.is_inside {
            return None;
        }
        let share = self.shared();
        if share.lists.contains_key(&name) {
            return Some(true);
        }
        share.part_names.contains(&name).then_some(false)
    }

    /// Executes `PushAttrib`. In a list it is a command of this library if it saves the enabled
    /// targets, some of which are unknown to the driver.
    pub(crate) fn push_attributes(&mut self, mask: u32) {
        let keeps_enables = mask & KEEPING != 0;
        if let Some(recording) = &mut self.recording {
            recording.pushed.push(keeps_enables);
            if keeps_enables && self.record(&Command::PushAttributes(mask)) {
                return;
            }
        }
        match self.recording {
            None => commands::execute(self, &Command::PushAttributes(mask)),
            Some(_) => driver::PushAttrib(mask),
        }
    }

    /// Executes `PopAttrib`, which corresponds to the last `PushAttrib` in the list, or to one
    /// before it.
    pub(crate) fn pop_attributes(&mut self) {
        let is_ours = match &mut self.recording {
            Some(recording) => recording.pushed.pop().unwrap_or(true),
            None => true,
        };
        if is_ours && self.record(&Command::PopAttributes) {
            return;
        }
        if is_ours {
            return commands::execute(self, &Command::PopAttributes);
        }
        driver::PopAttrib();
        self.changed(Groups::all() - Groups::ARRAYS);
    }

    /// Records a draw: within a list the programs of this library are prepared when it is called.
    /// Returns true if the draw is also executed now.
    pub(crate) fn record_draw(&mut self, primitive: Option<u32>) -> bool {
        let Some(recording) = &mut self.recording else {
            return true;
        };
        let executes = recording.executes();
        let shape = Shape::of(primitive);
        if (recording.is_changed || recording.shape != shape) && !recording.is_inside {
            recording.is_changed = false;
            recording.shape = shape;
            self.record(&Command::Ready(primitive));
        }
        executes
    }

    /// Returns the name of the list that is being compiled, if the driver uses another one.
    pub(crate) fn recorded_list(&self) -> Option<i32> {
        self.recording.as_ref().map(|it| it.name as i32)
    }

    /// Stores the list base before primitives begin, since it cannot be queried between `Begin` and
    /// `End`.
    pub(crate) fn remember_list_base(&mut self) {
        let is_needed = !self.is_inside && !self.shared().lists.is_empty();
        if is_needed {
            self.list_base = query::integer(driver::constants::LIST_BASE) as u32;
        }
    }

    /// Returns true if the driver calls lists directly: between `Begin` and `End` of a list that is
    /// being compiled, where commands of this library are errors, and if no list has any.
    pub(crate) fn lists_are_drivers(&self) -> bool {
        match &self.recording {
            Some(recording) => recording.is_inside,
            None => self.is_inside && self.shared().lists.is_empty(),
        }
    }

    /// Executes `CallList`.
    pub(crate) fn call_list(&mut self, name: u32) {
        if self.lists_are_drivers() {
            driver::CallList(name);
            return self.touch(Groups::all());
        }
        if self.record(&Command::CallLists(vec![name], Base::Zero)) {
            return;
        }
        self.call(name, 0);
    }

    /// Calls lists in order.
    pub(crate) fn call_each(&mut self, names: impl Iterator<Item = u32>, base: Base, depth: u32) {
        let first = match base {
            Base::Zero => 0,
            Base::ListBase if self.is_inside => self.list_base,
            Base::ListBase => query::integer(driver::constants::LIST_BASE) as u32,
        };
        for name in names {
            self.call(first.wrapping_add(name), depth);
        }
    }

    /// Calls lists of a list.
    fn call_each_kept(&mut self, names: &[u32], base: Base, depth: u32) {
        self.call_each(names.iter().copied(), base, depth);
    }

    pub(crate) fn call(&mut self, name: u32, depth: u32) {
        let list = self.shared().lists.get(&name).cloned();
        match list {
            _ if depth >= MAX_NESTING => {}
            None if self.is_part(name) => {}
            None => {
                draw::prepare_draw(self, None);
                driver::CallList(name);
                self.touch(Groups::all());
            }
            Some(list) => {
                for part in &list.parts {
                    match part {
                        Part::Driver(name) => {
                            driver::CallList(*name);
                            self.restore_materials();
                            self.touch(Groups::all());
                        }
                        Part::Own(Command::CallLists(names, base)) => {
                            self.call_each_kept(names, *base, depth + 1)
                        }
                        Part::Own(command) => commands::execute(self, command),
                    }
                }
            }
        }
    }

    /// Executes `DeleteLists`. The driver validates the count.
    pub(crate) fn delete_lists(&mut self, first: u32, count: i32) {
        if self.is_inside || count < 0 {
            return driver::DeleteLists(first, count);
        }
        let count = u32::try_from(count).unwrap_or(0);
        let mut share = self.shared();
        let gone: Vec<_> = share
            .lists
            .extract_if(|name, _| name.wrapping_sub(first) < count)
            .collect();
        drop(share);
        for (name, list) in gone {
            self.delete_parts(&list, name);
        }
        // Parts of other lists are unaffected.
        let end = first.saturating_add(count);
        let parts: Vec<u32> = self
            .shared()
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

    fn delete_part(&self, name: u32) {
        driver::DeleteLists(name, 1);
        self.shared().part_names.remove(&name);
    }

    /// Deletes the driver's lists of a list, but for the one that has its name.
    fn delete_parts(&self, list: &List, name: u32) {
        for part in &list.parts {
            match part {
                Part::Driver(part) if *part != name || self.is_part(*part) => {
                    self.delete_part(*part)
                }
                Part::Own(Command::Bitmap(_, list)) => self.delete_part(*list),
                Part::Own(Command::Image(image)) => {
                    self.delete_part(image.list);
                    image.texture.iter().for_each(|it| self.delete_texture(it));
                }
                Part::Driver(_) | Part::Own(_) => {}
            }
        }
    }
}

/// Creates empty lists, as `GenLists` does for new names.
fn make_empty(names: Range<u32>) {
    for name in names.filter(|name| driver::IsList(*name) == 0) {
        driver::NewList(name, driver::constants::COMPILE);
        driver::EndList();
    }
}
