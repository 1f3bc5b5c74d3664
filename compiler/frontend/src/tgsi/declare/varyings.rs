//! Declarations of inputs, system values and outputs.

use super::suffixes::Suffixes;
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::stage_name;
use crate::tgsi::ast::Head;
use crate::tgsi::files::File;
use crate::tgsi::semantics::{Content, Name, Sink};
use crate::tgsi::state::{
    Array, InputRow, OutputRow, Parsed, Reported, TempPlace, Translation, row, slot,
};
use glasm_ir::types::Width;
use glasm_ir::{
    Id, Interpolation, Output, OutputId, RegisterId, Semantic, Span, Stage, Storage, TypeBase,
    WriteMask,
};

impl Translation<'_> {
    /// Inputs and system values.
    pub(super) fn inputs(&mut self, head: &Head, suffixes: &Suffixes) -> Parsed<()> {
        if self.stage == Stage::Compute && head.file == File::In {
            let message = "compute programs have no inputs";
            return Err(self.error(Code::FeatureStage, head.span, message));
        }
        let semantic = match self.stage == Stage::Vertex && head.file == File::In {
            true => self.check_attributes(head).map(|()| None)?,
            false => Some(self.needed_semantic(head, suffixes)?),
        };
        if let Some(semantic) = semantic.filter(|_| head.file == File::In) {
            self.add_semantic(head.file, semantic, head.len());
        }
        for number in head.first..=head.last {
            let row = match semantic {
                Some((name, index, span)) => {
                    let index = index + number - head.first;
                    self.input_row(head, suffixes, (name, index, span))?
                }
                None => self.attribute_row(number, suffixes),
            };
            let rows = self.declared.input_rows(head.file);
            // Parts of a register are declared one by one if they have different masks, with the same meaning each.
            if let Some(Some(known)) = rows.get(number as usize)
                && known.content == row.content
            {
                // Another part of a register, or the whole again.
                if head.usage == WriteMask::XYZW {
                    self.declared_again(head, number);
                }
                continue;
            }
            if slot(rows, number as usize).replace(row).is_some() {
                self.declared_twice(head.file, number, head.span);
                break;
            }
        }
        if head.file == File::In && self.ast.indexes_array(File::In, suffixes.array) {
            self.input_array(suffixes.array, head.first, head.last)?;
        }
        Ok(())
    }

    #[inline]
    fn check_attributes(&mut self, head: &Head) -> Parsed<()> {
        if head.last <= u32::from(u8::MAX) {
            return Ok(());
        }
        let message = "attributes are numbered from 0 to 255";
        Err(self.error(Code::IndexOutOfBounds, head.span, message))
    }

    /// The attribute of a number that was checked.
    #[inline]
    fn attribute_row(&self, number: u32, suffixes: &Suffixes) -> InputRow {
        let semantic = Semantic::Attrib(number.min(255) as u8);
        let content = Content::Input(semantic, TypeBase::Float);
        self.row_of(content, suffixes)
    }

    #[inline]
    fn needed_semantic(&mut self, head: &Head, suffixes: &Suffixes) -> Parsed<(Name, u32, Span)> {
        if let Some(semantic) = suffixes.semantic {
            return Ok(semantic);
        }
        let message = format!("`{}` lacks a semantic", self.text_of(head.span));
        // Such inputs "can be considered to be generic", of which number the text does not say.
        if self.stage == Stage::Fragment && head.file == File::In {
            self.lenient(Rule::InputWithoutSemantic, head.span, message);
            return Ok((Name::Generic, head.first, head.span));
        }
        Err(self.error(Code::Declaration, head.span, message))
    }

    /// A register whose declaration says what an earlier one has said.
    #[cold]
    fn declared_again(&mut self, head: &Head, number: u32) {
        let message = format!("`{}[{number}]` is declared already", head.file.word());
        self.lenient(Rule::RepeatedDeclaration, head.span, message);
    }

    /// An input or system value with a semantic.
    fn input_row(
        &mut self,
        head: &Head,
        suffixes: &Suffixes,
        (name, index, span): (Name, u32, Span),
    ) -> Parsed<InputRow> {
        let index = u8::try_from(index).ok();
        let content = index.and_then(|index| {
            name.content(index, self.stage, head.file == File::Sv, self.options.old)
        });
        let content = content.ok_or_else(|| self.no_semantic(span, "read"))?;
        // In these stages inputs belong to vertices, unless the declaration has one bracket only.
        let stages = [Stage::Geometry, Stage::TessControl, Stage::TessEval];
        let of_vertices = stages.contains(&self.stage) && head.file == File::In;
        Ok(InputRow {
            per_vertex: of_vertices && !name.is_single() && head.dimension.is_some(),
            ..self.row_of(content, suffixes)
        })
    }

    /// An input that belongs to no vertex.
    fn row_of(&self, content: Content, suffixes: &Suffixes) -> InputRow {
        InputRow {
            content,
            interpolation: self.interpolation(suffixes),
            sampling: suffixes.sampling,
            per_vertex: false,
            input: None,
        }
    }

    /// How an input of a fragment program is interpolated: not at all if nothing is said.
    fn interpolation(&self, suffixes: &Suffixes) -> Interpolation {
        // State decides about colors where code is generated.
        if self.stage == Stage::Fragment {
            suffixes.interpolation.unwrap_or(Interpolation::Flat)
        } else {
            Interpolation::Smooth
        }
    }

    /// Reports an output whose semantic another one has.
    fn check_semantic_once(&mut self, (sink, number): (Sink, u32), span: Span) -> Parsed<()> {
        // Several outputs may be dropped: none of them is anywhere.
        if sink == Sink::Dropped {
            return Ok(());
        }
        let mut others = self.declared.outputs.iter().enumerate();
        let other = others.position(|(other, row)| {
            row.is_some_and(|row| row.sink == sink) && other != number as usize
        });
        let Some(other) = other else { return Ok(()) };
        let message = format!("`OUT[{other}]` has the semantic `{}`", self.text_of(span));
        Err(self.error(Code::Semantic, span, message))
    }

    pub(super) fn outputs(&mut self, head: &Head, suffixes: &Suffixes) -> Parsed<()> {
        if self.stage == Stage::Compute {
            let message = "compute programs have no outputs";
            return Err(self.error(Code::FeatureStage, head.span, message));
        }
        let (name, index, span) = self.needed_semantic(head, suffixes)?;
        if name == Name::EdgeFlag {
            let message = "edges have no flags: all of them are drawn";
            self.lenient(Rule::EdgeFlags, span, message);
        }
        self.add_semantic(head.file, (name, index, span), head.len());
        let per_vertex =
            self.stage == Stage::TessControl && head.dimension.is_some() && !name.is_single();
        // Before the first output is made: elements of an array are consecutive outputs.
        let array = self.output_registers(head, suffixes.array, (name, index));
        for number in head.first..=head.last {
            let offset = number - head.first;
            let sink = self.sink((name, index + offset, span))?;
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
            let known = slot(&mut self.declared.outputs, number as usize).replace(row);
            if known.is_some() {
                self.declared_twice(head.file, number, head.span);
                break;
            }
        }
        Ok(())
    }

    /// Whether a declaration adds components to an output. A register may be declared in parts, which may overlap.
    #[inline]
    fn is_part_of_output(&mut self, head: &Head, number: u32, sink: Sink) -> bool {
        let outputs = &mut self.declared.outputs;
        let known = outputs.get_mut(number as usize).and_then(Option::as_mut);
        let Some(known) = known.filter(|known| known.sink == sink) else {
            return false;
        };
        let is_same = known.usage == head.usage;
        known.usage.0 |= head.usage.0;
        if is_same {
            self.declared_again(head, number);
        }
        true
    }

    /// The register of outputs that instructions index at run time, and the element of it that the first one is.
    fn output_registers(
        &mut self,
        head: &Head,
        id: u32,
        (name, index): (Name, u32),
    ) -> Option<(RegisterId, u32)> {
        let of_file = self.ast.indexes_file(File::Out);
        let is_named = self.ast.indexes_array(File::Out, id);
        // Another part of registers has their places.
        if !(of_file || is_named) || row(&self.declared.outputs, head.first as usize).is_some() {
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
        let first = OutputId::new(self.builder.program.outputs.len());
        let len = head.len();
        let register = self.storage_register(Storage::Output(first), Width::W32, Some(len));
        let array = Array {
            first: head.first,
            len,
            register,
        };
        self.declared.output_arrays.push((id, array));
        Some((register, 0))
    }

    /// The array of the declaration before this one, if this one goes on with its registers and semantics: an index without the id of an
    /// array may mean any register of the file.
    fn joined_registers(
        &mut self,
        head: &Head,
        (name, index): (Name, u32),
    ) -> Option<(RegisterId, u32)> {
        let before = u8::try_from(index.checked_sub(1)?).ok()?;
        let sink = name.sink(before, self.stage, &self.options)?;
        let last = row(&self.declared.outputs, head.first.checked_sub(1)? as usize)?;
        let last_output = OutputId::new(self.builder.program.outputs.len().checked_sub(1)?);
        let (id, array) = self.declared.output_arrays.last_mut()?;
        // Register, semantic and output have to follow those of the array without a gap.
        let follows = *id == 0 && array.first + array.len == head.first;
        if !follows || last.sink != sink || last.output != Some(last_output) {
            return None;
        }
        let element = array.len;
        array.len += head.len();
        self.builder.program.registers[array.register].array = Some(array.len);
        Some((array.register, element))
    }

    fn sink(&mut self, (name, index, span): (Name, u32, Span)) -> Parsed<Sink> {
        let index = u8::try_from(index).ok();
        let sink = index.and_then(|index| name.sink(index, self.stage, &self.options));
        sink.ok_or_else(|| self.no_semantic(span, "write"))
    }

    #[cold]
    fn no_semantic(&mut self, span: Span, what: &str) -> Reported {
        let (text, stage) = (self.text_of(span), stage_name(self.stage));
        let message = format!("{stage} programs have no `{text}` to {what}");
        self.error(Code::Semantic, span, message)
    }

    /// Where an output is until vertices or fragments end, perhaps an element of an array, and what it is in the program.
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
                    invariant: suffixes.invariant && self.options.clip_planes == 0,
                    ..Output::new(semantic)
                };
                Some(self.builder.program.outputs.push(output))
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
                    // An array whose elements become something else at the end holds plain values until then.
                    self.builder.program.registers[register].storage = Storage::Temp;
                }
                TempPlace::Element(register, number)
            }
            None => TempPlace::Own(self.storage_register(storage, Width::W32, None)),
        };
        (place, output)
    }

    /// Whether an output is a temporary until vertices or fragments end, because something else is made of it then.
    fn keeps_aside(&self, semantic: Semantic) -> bool {
        let is_moved = self.stage != Stage::Fragment && self.properties.window_space;
        semantic == Semantic::Position && is_moved
            || semantic == Semantic::Layer && self.properties.layer_of_viewport
    }
}
