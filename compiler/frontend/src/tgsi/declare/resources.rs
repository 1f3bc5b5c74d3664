//! Declarations of images, views, buffers and memory.

use crate::tgsi::ast::{Head, Image, MemoryKind, View};
use crate::tgsi::declare::Declarer;
use crate::tgsi::symbols::slot;
use std::mem::replace;

impl Declarer<'_, '_> {
    pub(in crate::tgsi) fn image(&mut self, head: &Head, image: Image) {
        self.each_once(head, |it, number| {
            let images = &mut it.cx.declared.images;
            slot(images, number).replace(image).is_some()
        });
    }

    pub(in crate::tgsi) fn view(&mut self, head: &Head, view: View) {
        self.each_once(head, |it, number| {
            slot(&mut it.cx.declared.views, number)
                .replace(view)
                .is_some()
        });
    }

    pub(in crate::tgsi) fn buffer_registers(&mut self, head: &Head) {
        self.each_once(head, |it, number| {
            replace(slot(&mut it.cx.declared.buffers, number), true)
        });
    }

    pub(in crate::tgsi) fn memory(&mut self, head: &Head, kind: MemoryKind) {
        self.each_once(head, |it, number| {
            let memories = &mut it.cx.declared.memories;
            slot(memories, number).replace(kind).is_some()
        });
    }
}
