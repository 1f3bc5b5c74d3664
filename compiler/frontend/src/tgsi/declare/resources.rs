//! Declarations of images, views, buffers and memory.

use crate::tgsi::ast::{Head, Image, MemoryKind, View};
use crate::tgsi::state::{Translation, slot};
use std::mem::replace;

impl Translation<'_> {
    pub(super) fn image(&mut self, head: &Head, image: Image) {
        self.each_once(head, |it, number| {
            let images = &mut it.declared.images;
            slot(images, number).replace(image).is_some()
        });
    }

    pub(super) fn view(&mut self, head: &Head, view: View) {
        self.each_once(head, |it, number| {
            slot(&mut it.declared.views, number).replace(view).is_some()
        });
    }

    pub(super) fn buffer_registers(&mut self, head: &Head) {
        self.each_once(head, |it, number| {
            replace(slot(&mut it.declared.buffers, number), true)
        });
    }

    pub(super) fn memory(&mut self, head: &Head, kind: MemoryKind) {
        self.each_once(head, |it, number| {
            let memories = &mut it.declared.memories;
            slot(memories, number).replace(kind).is_some()
        });
    }
}
