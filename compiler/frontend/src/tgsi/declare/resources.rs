//! Declarations of images, views, buffers and memory.

use super::head::Head;
use crate::codes::Code;
use crate::suggest::suggest;
use crate::tgsi::files::File;
use crate::tgsi::state::{ImageRow, MemoryKind, Parsed, Reported, Translation, View, slot};
use crate::tgsi::targets::{self, Target};
use glasm_ir::types::Type;
use glasm_ir::{Span, TexTarget};
use std::mem::replace;

/// The words of memories.
const MEMORIES: [(&str, MemoryKind); 4] = [
    ("GLOBAL", MemoryKind::Global),
    ("SHARED", MemoryKind::Shared),
    ("PRIVATE", MemoryKind::Private),
    ("INPUT", MemoryKind::Input),
];

impl Translation<'_> {
    pub(super) fn image(&mut self, head: &Head) -> Parsed<()> {
        let mut row = ImageRow {
            target: TexTarget::D2,
            ty: None,
            writable: false,
            // Until a format is read that says otherwise.
            atomic: true,
            raw: false,
            is_word: false,
            format: None,
        };
        let mut has_target = false;
        let mut place = self.cursor.at;
        while self.cursor.eat(b',') {
            let word = self.cursor.word();
            if word.is("WR") {
                row.writable = true;
            } else if word.is("RAW") {
                row.raw = true;
            // The first target only: a second one is a mistake.
            } else if let Some(target) = Target::of(&word).filter(|_| !has_target) {
                row.target = target.target;
                has_target = true;
            } else if let Some(ty) = targets::format_type(&word) {
                row.ty = ty;
                row.atomic = targets::is_atomic_format(word.text);
                row.format = targets::parse_stated_format(word.text);
            } else if head.file == File::Res && has_target && targets::view_type(&word).is_some() {
                // For a year views had the name that images got then.
                self.cursor.at = place;
                return self.view_of(head, row.target);
            } else {
                return Err(self.unknown_target(word.span()));
            }
            place = self.cursor.at;
        }
        if !has_target {
            return Err(self.unexpected_as(Code::TargetUnknown, "a target"));
        }
        self.each_once(head, |it, number| {
            slot(&mut it.declared.images, number).replace(row).is_some()
        });
        Ok(())
    }

    #[cold]
    pub(crate) fn unknown_target(&mut self, span: Span) -> Reported {
        if span.range().is_empty() {
            return self.unexpected_as(Code::TargetUnknown, "a target");
        }
        let text = self.text_of(span);
        let hint = suggest(&text, Target::words());
        let message = format!("`{text}` is no texture target");
        self.error_with(Code::TargetUnknown, span, message, hint)
    }

    pub(super) fn view(&mut self, head: &Head) -> Parsed<()> {
        if !self.cursor.eat(b',') {
            let message = "a view has a target and a type";
            return Err(self.error(Code::Declaration, head.span, message));
        }
        let word = self.cursor.word();
        let Some(target) = Target::of(&word) else {
            return Err(self.unknown_target(word.span()));
        };
        self.view_of(head, target.target)
    }

    /// A view of this target, behind which its type stands.
    fn view_of(&mut self, head: &Head, target: TexTarget) -> Parsed<()> {
        let view = View {
            target,
            ty: self.view_type(head)?,
        };
        self.each_once(head, |it, number| {
            slot(&mut it.declared.views, number).replace(view).is_some()
        });
        Ok(())
    }

    /// The type of a view: one for all components, or the first of one for each.
    fn view_type(&mut self, head: &Head) -> Parsed<Type> {
        let mut ty = None;
        // Components of a view have one type where shaders use them, so the first one stands for all.
        let mut count = 0;
        while count < 4 && self.cursor.eat(b',') {
            let word = self.cursor.word();
            let Some(found) = targets::view_type(&word) else {
                return Err(self.unknown_type(word.span()));
            };
            ty.get_or_insert(found);
            count += 1;
        }
        ty.filter(|_| matches!(count, 1 | 4)).ok_or_else(|| {
            let message = "a view has one type, or one for each component";
            let span = self.cursor.since(head.span.start);
            self.error(Code::Declaration, span, message)
        })
    }

    #[cold]
    fn unknown_type(&mut self, place: Span) -> Reported {
        if place.range().is_empty() {
            return self.unexpected_as(Code::Declaration, "a type");
        }
        let message = format!("`{}` is no type of views", self.text_of(place));
        let hint = "the types are UNORM, SNORM, SINT, UINT, FLOAT".to_owned();
        self.error_with(Code::Declaration, place, message, Some(hint))
    }

    pub(super) fn buffer_registers(&mut self, head: &Head) -> Parsed<()> {
        if self.cursor.eat(b',') {
            let word = self.cursor.word();
            if !word.is("ATOMIC") {
                return Err(self.bad_suffix(word.span(), File::Buffer));
            }
        }
        self.each_once(head, |it, number| {
            replace(slot(&mut it.declared.buffers, number), true)
        });
        Ok(())
    }

    #[cold]
    fn bad_suffix(&mut self, span: Span, file: File) -> Reported {
        let (text, file) = (self.text_of(span), file.word());
        let message = format!("`{text}` is nothing that a declaration of `{file}` has");
        self.error(Code::Declaration, span, message)
    }

    pub(super) fn memory(&mut self, head: &Head) -> Parsed<()> {
        let mut kind = MemoryKind::Global;
        if self.cursor.eat(b',') {
            let word = self.cursor.word();
            let Some(&(_, found)) = MEMORIES.iter().find(|(name, _)| word.is(name)) else {
                return Err(self.bad_suffix(word.span(), File::Memory));
            };
            kind = found;
        }
        self.each_once(head, |it, number| {
            slot(&mut it.declared.memories, number)
                .replace(kind)
                .is_some()
        });
        Ok(())
    }
}
