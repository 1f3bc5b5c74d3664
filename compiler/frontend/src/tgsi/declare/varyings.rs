//! Declarations of inputs, system values and outputs.

use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::tgsi::ast::Head;
use crate::tgsi::check::Parsed;
use crate::tgsi::check::Suffixes;
use crate::tgsi::declare::Declarer;
use crate::tgsi::files::File;
use crate::tgsi::semantics::{Name, Sink};
use crate::tgsi::symbols::{Array, OutputRow, TempPlace, row, slot};
use glasm_ir::types::Width;
use glasm_ir::{Id, Output, OutputId, RegisterId, Semantic, Span, Stage, Storage, WriteMask};

impl Declarer<'_, '_> {
    /// Declares inputs and system values.
    pub(in crate::tgsi) fn inputs(&mut self, head: &Head, suffixes: &Suffixes) -> Parsed<()> {
        if self.cx.check.stage == Stage::Compute && head.file == File::In {
            let message = "compute programs have no inputs";
            return Err(self.cx.check.error(Code::FeatureStage, head.span, message));
        }
        let semantic = if self.cx.check.stage == Stage::Vertex && head.file == File::In {
            self.cx.check.check_attributes(head).map(|()| None)?
        } else {
            Some(self.cx.check.needed_semantic(head, suffixes)?)
        };
        if let Some(semantic) = semantic.filter(|_| head.file == File::In) {
            self.cx.check.add_semantic(head.file, semantic, head.len());
        }
        for number in head.first..=head.last {
            let row = match semantic {
                Some((name, index, span)) => {
                    let index = index + number - head.first;
                    self.cx
                        .check
                        .input_row(head, suffixes, (name, index, span))?
                }
                None => self.cx.check.attribute_row(number, suffixes),
            };
            let rows = self.cx.declared.input_rows(head.file);
            // Parts of a register are declared separately if they have different masks, with the
            // same semantic each.
            if let Some(Some(known)) = rows.get(number as usize)
                && known.content == row.content
            {
                // Another part of a register, or the whole register again.
                if head.usage == WriteMask::XYZW {
                    self.cx.check.report_declared_again(head, number);
                }
                continue;
            }
            if slot(rows, number as usize).replace(row).is_some() {
                self.cx
                    .check
                    .report_declared_twice(head.file, number, head.span);
                break;
            }
        }
        if head.file == File::In && self.cx.check.ast.indexes_array(File::In, suffixes.array) {
            self.cx.input_array(suffixes.array, head.first, head.last)?;
        }
        Ok(())
    }

    /// Reports an output whose semantic another one has.
    fn check_semantic_once(&mut self, (sink, number): (Sink, u32), span: Span) -> Parsed<()> {
        // Several outputs may be dropped: they have no location.
        if sink == Sink::Dropped {
            return Ok(());
        }
        let mut others = self.cx.declared.outputs.iter().enumerate();
        let other = others.position(|(other, row)| {
            row.is_some_and(|row| row.sink == sink) && other != number as usize
        });
        let Some(other) = other else { return Ok(()) };
        let message = format!(
            "`OUT[{other}]` has the semantic `{}`",
            self.cx.check.text_of(span)
        );
        Err(self.cx.check.error(Code::Semantic, span, message))
    }

    pub(in crate::tgsi) fn outputs(&mut self, head: &Head, suffixes: &Suffixes) -> Parsed<()> {
        if self.cx.check.stage == Stage::Compute {
            let message = "compute programs have no outputs";
            return Err(self.cx.check.error(Code::FeatureStage, head.span, message));
        }
        let (name, index, span) = self.cx.check.needed_semantic(head, suffixes)?;
        if name == Name::EdgeFlag {
            let message = "edges have no flags: all of them are drawn";
            self.cx.check.lenient(Rule::EdgeFlags, span, message);
        }
        self.cx
            .check
            .add_semantic(head.file, (name, index, span), head.len());
        let per_vertex = self.cx.check.stage == Stage::TessControl
            && head.dimension.is_some()
            && !name.is_single();
        // Before the first output is created: elements of an array are consecutive outputs.
        let array = self.output_registers(head, suffixes.array, (name, index));
        for number in head.first..=head.last {
            let offset = number - head.first;
            let sink = self.cx.check.sink((name, index + offset, span))?;
            self.check_semantic_once((sink, number), span)?;
            if self.is_part_of_output(head, number, sink) {
                continue;
            }
            let element = array.map(|(register, first)| (register, first + offset));
            let (place, output) = self.output_place(sink, suffixes, element);
            let row = OutputRow {
                name,
                sink,
                place,
                usage: head.usage,
                output,
                per_vertex,
            };
            let known = slot(&mut self.cx.declared.outputs, number as usize).replace(row);
            if known.is_some() {
                self.cx
                    .check
                    .report_declared_twice(head.file, number, head.span);
                break;
            }
        }
        Ok(())
    }

    /// Returns true if a declaration adds components to an output. A register may be declared in
    /// parts, which may overlap.
    #[inline]
    fn is_part_of_output(&mut self, head: &Head, number: u32, sink: Sink) -> bool {
        let outputs = &mut self.cx.declared.outputs;
        let known = outputs.get_mut(number as usize).and_then(Option::as_mut);
        let Some(known) = known.filter(|known| known.sink == sink) else {
            return false;
        };
        let is_same = known.usage == head.usage;
        known.usage.0 |= head.usage.0;
        if is_same {
            self.cx.check.report_declared_again(head, number);
        }
        true
    }

    /// Returns the register array of outputs that instructions index dynamically, and the element
    /// of it that belongs to the first output.
    fn output_registers(
        &mut self,
        head: &Head,
        id: u32,
        (name, index): (Name, u32),
    ) -> Option<(RegisterId, u32)> {
        let of_file = self.cx.check.ast.indexes_file(File::Out);
        let is_named = self.cx.check.ast.indexes_array(File::Out, id);
        // Another part of the registers already has these locations.
        if !(of_file || is_named) || row(&self.cx.declared.outputs, head.first as usize).is_some() {
            return None;
        }
        let joins = of_file && id == 0 && name.is_numbered();
        if joins && let Some(joined) = self.joined_registers(head, (name, index)) {
            return Some(joined);
        }
        // A register alone is an array only if operands name it as one, or others may join it.
        if head.len() == 1 && !joins && !is_named {
            return None;
        }
        let first = OutputId::new(self.cx.emit.builder.program.outputs.len());
        let len = head.len();
        let register = self
            .cx
            .emit
            .storage_register(Storage::Output(first), Width::W32, Some(len));
        let array = Array {
            first: head.first,
            len,
            register,
        };
        self.cx.declared.output_arrays.push((id, array));
        Some((register, 0))
    }

    /// Returns the array of the preceding declaration, if this one continues its registers and
    /// semantics: an index without the id of an array may select any register of the file.
    fn joined_registers(
        &mut self,
        head: &Head,
        (name, index): (Name, u32),
    ) -> Option<(RegisterId, u32)> {
        let before = u8::try_from(index.checked_sub(1)?).ok()?;
        let sink = name.sink(before, self.cx.check.stage, self.cx.check.options)?;
        let last = row(
            &self.cx.declared.outputs,
            head.first.checked_sub(1)? as usize,
        )?;
        let last_output = OutputId::new(self.cx.emit.builder.program.outputs.len().checked_sub(1)?);
        let (id, array) = self.cx.declared.output_arrays.last_mut()?;
        // Register, semantic and output must directly follow those of the array.
        let follows = *id == 0 && array.first + array.len == head.first;
        if !follows || last.sink != sink || last.output != Some(last_output) {
            return None;
        }
        let element = array.len;
        array.len += head.len();
        self.cx.emit.builder.program.registers[array.register].array = Some(array.len);
        Some((array.register, element))
    }

    /// Returns the location of an output until vertices or fragments end, possibly an element of an
    /// array, and its output in the program.
    fn output_place(
        &mut self,
        sink: Sink,
        suffixes: &Suffixes,
        element: Option<(RegisterId, u32)>,
    ) -> (TempPlace, Option<OutputId>) {
        let output = match sink {
            Sink::Output(semantic, base) if !self.keeps_aside(semantic) => {
                let output = Output {
                    base,
                    invariant: suffixes.invariant && self.cx.check.options.clip_planes == 0,
                    ..Output::new(semantic)
                };
                Some(self.cx.emit.builder.program.outputs.push(output))
            }
            Sink::Output(..)
            | Sink::Distances(_)
            | Sink::CullDistances(_)
            | Sink::ClipVertex
            | Sink::OuterLevels
            | Sink::InnerLevels
            | Sink::Dropped => None,
        };
        let storage = output.map_or(Storage::Temp, Storage::Output);
        let place = match element {
            Some((register, number)) => {
                if output.is_none() {
                    // An array whose elements are converted at the end holds plain values until
                    // then.
                    self.cx.emit.builder.program.registers[register].storage = Storage::Temp;
                }
                TempPlace::Element(register, number)
            }
            None => TempPlace::Own(self.cx.emit.storage_register(storage, Width::W32, None)),
        };
        (place, output)
    }

    /// Returns true if an output is a temporary until vertices or fragments end, because the
    /// outputs of the device are computed from it then.
    fn keeps_aside(&self, semantic: Semantic) -> bool {
        let is_moved = self.cx.check.stage != Stage::Fragment && self.cx.properties.window_space;
        semantic == Semantic::Position && is_moved
            || semantic == Semantic::Layer && self.cx.properties.layer_of_viewport
    }
}
