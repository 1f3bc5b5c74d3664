//! Declarations of inputs, system values and outputs.

use crate::codes::{Code, LenientRule};
use crate::tgsi::ast::DclHeader;
use crate::tgsi::check::checker::CheckResult;
use crate::tgsi::check::contexts::Declarer;
use crate::tgsi::check::declaration::DclModifiers;
use crate::tgsi::check::symbols::{RegisterArray, get_entry, get_or_grow};
use crate::tgsi::checked::{OutputDecl, TempStorage};
use crate::tgsi::declaration_tables::RegisterFile;
use crate::tgsi::semantics::{OutputTarget, SemanticName};
use glasm_ir::{Id, Output, OutputId, RegisterId, Semantic, Span, Stage, Storage, WriteMask};

impl Declarer<'_, '_> {
    /// Declares inputs and system values with their semantics. Reports semantics that the stage
    /// does not read.
    pub(in crate::tgsi::check) fn declare_inputs(
        &mut self,
        head: &DclHeader,
        suffixes: &DclModifiers,
    ) -> CheckResult<()> {
        if self.resolver.checker.stage == Stage::Compute && head.file == RegisterFile::In {
            let message = "compute programs have no inputs";
            return Err(self
                .resolver
                .checker
                .report_error(Code::FeatureStage, head.span, message));
        }
        let semantic =
            if self.resolver.checker.stage == Stage::Vertex && head.file == RegisterFile::In {
                self.resolver
                    .checker
                    .check_attributes(head)
                    .map(|()| None)?
            } else {
                Some(self.resolver.checker.require_semantic(head, suffixes)?)
            };
        if let Some(semantic) = semantic.filter(|_| head.file == RegisterFile::In) {
            self.resolver
                .checker
                .record_semantic(head.file, semantic, head.len());
        }
        for number in head.first..=head.last {
            let decl = match semantic {
                Some((name, index, span)) => {
                    let index = index + number - head.first;
                    self.resolver
                        .checker
                        .make_input_decl(head, suffixes, (name, index, span))?
                }
                None => self.resolver.checker.make_attribute_decl(number, suffixes),
            };
            let decls = self.resolver.declared.input_decls_mut(head.file);
            // Parts of a register are declared separately if they have different masks, with the
            // same semantic each.
            if let Some(Some(known)) = decls.get(number as usize)
                && known.kind == decl.kind
            {
                // Another part of a register, or the whole register again.
                if head.write_mask == WriteMask::XYZW {
                    self.resolver.checker.report_declared_again(head, number);
                }
                continue;
            }
            if get_or_grow(decls, number as usize).replace(decl).is_some() {
                self.resolver
                    .checker
                    .report_declared_twice(head.file, number, head.span);
                break;
            }
        }
        if head.file == RegisterFile::In {
            self.declare_indexed_array(head, suffixes.array)?;
        }
        Ok(())
    }

    /// Declares the array `id` of inputs if instructions index it dynamically.
    fn declare_indexed_array(&mut self, head: &DclHeader, id: u32) -> CheckResult<()> {
        let resolver = &mut *self.resolver;
        if !resolver.checker.ast.is_array_indexed(RegisterFile::In, id) {
            return Ok(());
        }
        let known = resolver.declared.input_arrays.find_by_id(id);
        // Another part of the same registers has created the array.
        if known.is_none_or(|it| (it.first, it.len) != (head.first, head.len())) {
            resolver.declare_input_array(id, head.first, head.last)?;
        }
        Ok(())
    }

    /// Reports an output whose semantic an earlier output already has.
    fn check_semantic_once(
        &mut self,
        (target, number): (OutputTarget, u32),
        span: Span,
    ) -> CheckResult<()> {
        // Several outputs may be dropped: they have no location.
        if target == OutputTarget::Dropped {
            return Ok(());
        }
        let other = self.resolver.declared.output_numbers.get(&target);
        let Some(other) = other.filter(|&&other| other != number) else {
            return Ok(());
        };
        let message = format!(
            "`OUT[{other}]` has the semantic `{}`",
            self.resolver.checker.quote_source(span)
        );
        Err(self
            .resolver
            .checker
            .report_error(Code::Semantic, span, message))
    }

    /// Declares outputs with their semantics, and the registers that hold them. Reports semantics
    /// that the stage does not write.
    pub(in crate::tgsi::check) fn declare_outputs(
        &mut self,
        head: &DclHeader,
        suffixes: &DclModifiers,
    ) -> CheckResult<()> {
        if self.resolver.checker.stage == Stage::Compute {
            let message = "compute programs have no outputs";
            return Err(self
                .resolver
                .checker
                .report_error(Code::FeatureStage, head.span, message));
        }
        let (name, index, span) = self.resolver.checker.require_semantic(head, suffixes)?;
        if name == SemanticName::EdgeFlag {
            let message = "edges have no flags: all of them are drawn";
            self.resolver
                .checker
                .report_lenient(LenientRule::EdgeFlags, span, message);
        }
        self.resolver
            .checker
            .record_semantic(head.file, (name, index, span), head.len());
        let per_vertex = self.resolver.checker.stage == Stage::TessControl
            && head.dimension.is_some()
            && !name.is_per_patch_or_primitive();
        // Before the first output is created: elements of an array are consecutive outputs.
        let array = self.allocate_output_array(head, suffixes.array, (name, index));
        for number in head.first..=head.last {
            let offset = number - head.first;
            let target =
                self.resolver
                    .checker
                    .resolve_output_target((name, index + offset, span))?;
            self.check_semantic_once((target, number), span)?;
            if self.is_part_of_output(head, number, target) {
                continue;
            }
            let element = array.map(|(register, first)| (register, first + offset));
            let (storage, output) = self.allocate_output(target, suffixes, element);
            let decl = OutputDecl {
                name,
                target,
                storage,
                write_mask: head.write_mask,
                output,
                per_vertex,
            };
            let previous =
                get_or_grow(&mut self.resolver.program.output_registers, number as usize)
                    .replace(decl);
            let numbers = &mut self.resolver.declared.output_numbers;
            if let Some(previous) = previous {
                numbers.remove(&previous.target);
            }
            numbers.insert(target, number);
            if previous.is_some() {
                self.resolver
                    .checker
                    .report_declared_twice(head.file, number, head.span);
                break;
            }
        }
        Ok(())
    }

    /// Returns true if a declaration adds components to an output. A register may be declared in
    /// parts, which may overlap.
    fn is_part_of_output(&mut self, head: &DclHeader, number: u32, target: OutputTarget) -> bool {
        let outputs = &mut self.resolver.program.output_registers;
        let previous = outputs.get_mut(number as usize).and_then(Option::as_mut);
        let Some(known) = previous.filter(|known| known.target == target) else {
            return false;
        };
        let is_same = known.write_mask == head.write_mask;
        known.write_mask.0 |= head.write_mask.0;
        if is_same {
            self.resolver.checker.report_declared_again(head, number);
        }
        true
    }

    /// Returns the register array of outputs that instructions index dynamically, and the element
    /// of it that belongs to the first output.
    fn allocate_output_array(
        &mut self,
        head: &DclHeader,
        id: u32,
        (name, index): (SemanticName, u32),
    ) -> Option<(RegisterId, u32)> {
        let is_file_indexed = self.resolver.checker.ast.is_file_indexed(RegisterFile::Out);
        let is_named = self
            .resolver
            .checker
            .ast
            .is_array_indexed(RegisterFile::Out, id);
        // Another part of the registers already has these locations.
        if !(is_file_indexed || is_named)
            || get_entry(&self.resolver.program.output_registers, head.first as usize).is_some()
        {
            return None;
        }
        let may_join = is_file_indexed && id == 0 && name.is_numbered();
        if may_join && let Some(joined) = self.extend_output_array(head, (name, index)) {
            return Some(joined);
        }
        // A register alone is an array only if operands name it as one, or others may join it.
        if head.len() == 1 && !may_join && !is_named {
            return None;
        }
        let first = OutputId::new(self.resolver.program.outputs.len());
        let len = head.len();
        let register = self
            .resolver
            .program
            .add_register(Storage::Output(first), Some(len));
        let array = RegisterArray {
            first: head.first,
            len,
            register,
        };
        self.resolver.declared.output_arrays.push((id, array));
        Some((register, 0))
    }

    /// Returns the array of the preceding declaration, if this one continues its registers and
    /// semantics: an index without the id of an array may select any register of the file.
    fn extend_output_array(
        &mut self,
        head: &DclHeader,
        (name, index): (SemanticName, u32),
    ) -> Option<(RegisterId, u32)> {
        let preceding_index = u8::try_from(index.checked_sub(1)?).ok()?;
        let sink = name.output_target(
            preceding_index,
            self.resolver.checker.stage,
            self.resolver.checker.options,
        )?;
        let last = get_entry(
            &self.resolver.program.output_registers,
            head.first.checked_sub(1)? as usize,
        )?;
        let last_output = OutputId::new(self.resolver.program.outputs.len().checked_sub(1)?);
        let (id, array) = self.resolver.declared.output_arrays.last_mut()?;
        // Register, semantic and output must directly follow those of the array.
        let follows = *id == 0 && array.first + array.len == head.first;
        if !follows || last.target != sink || last.output != Some(last_output) {
            return None;
        }
        let element = array.len;
        array.len += head.len();
        self.resolver.program.registers[array.register].array_len = Some(array.len);
        Some((array.register, element))
    }

    /// Returns the location of an output until vertices or fragments end, possibly an element of an
    /// array, and its output in the program.
    fn allocate_output(
        &mut self,
        target: OutputTarget,
        suffixes: &DclModifiers,
        element: Option<(RegisterId, u32)>,
    ) -> (TempStorage, Option<OutputId>) {
        let output = match target {
            OutputTarget::Output(semantic, base) if !self.is_buffered_output(semantic) => {
                let output = Output {
                    base,
                    invariant: suffixes.invariant
                        && self.resolver.checker.options.clip_plane_mask == 0,
                    ..Output::new(semantic)
                };
                Some(self.resolver.program.outputs.push(output))
            }
            OutputTarget::Output(..)
            | OutputTarget::Distances(_)
            | OutputTarget::CullDistances(_)
            | OutputTarget::ClipVertex
            | OutputTarget::OuterLevels
            | OutputTarget::InnerLevels
            | OutputTarget::Dropped => None,
        };
        let storage = output.map_or(Storage::Temp, Storage::Output);
        let place = match element {
            Some((register, number)) => {
                if output.is_none() {
                    // An array whose elements are converted at the end holds plain values until
                    // then.
                    self.resolver.program.registers[register].storage = Storage::Temp;
                }
                TempStorage::ArrayElement(register, number)
            }
            None => TempStorage::Register(self.resolver.program.add_register(storage, None)),
        };
        (place, output)
    }

    /// Returns true if an output is held in a temporary until the vertex or fragment ends, because
    /// the outputs of the device are computed from it then.
    fn is_buffered_output(&self, semantic: Semantic) -> bool {
        let is_moved = self.resolver.checker.stage != Stage::Fragment
            && self.resolver.properties.window_space_position;
        semantic == Semantic::Position && is_moved
            || semantic == Semantic::Layer && self.resolver.properties.layer_viewport_relative
    }
}
