//! What state adds to the results of a program, so that fragment programs can choose at run time: flat colors, starts of lines.

use crate::builder::{Builder, Lane, Scalar, Val};
use crate::emit::Emit;
use crate::emit::stage::output_variable::{OutputPlace, store_output_lanes};
use crate::error::Failure;
use crate::interface::location::decorate_varying;
use crate::interface::names::output_name;
use crate::interface::{base_scalar, find};
use crate::state::Word;
use crate::varyings::{Place, add_state, flat_copy};
use crate::words::ValueWord;
use glasm_ir::{Output, Semantic, Stage};
use spirv::{Op as Spv, StorageClass};

impl Emit<'_> {
    /// Stores what goes with a result that has been stored.
    pub(super) fn store_added(
        &mut self,
        semantic: Semantic,
        lanes: [Lane; 4],
    ) -> Result<(), Failure> {
        if !self.makes_vertices() {
            return Ok(());
        }
        if semantic == Semantic::Position && self.options.stipples_lines() {
            return self.store_line_start(lanes);
        }
        match flat_copy(semantic) {
            Some(copy) if !self.options.forms.flat_colors.is_fixed() => {
                self.store_beside(copy, lanes)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Stores where a vertex is in the window, which fragments of a line get of its first vertex.
    fn store_line_start(&mut self, position: [Lane; 4]) -> Result<(), Failure> {
        let place = position.map(|lane| self.w.lane_val(lane, Scalar::F32));
        let mut lanes = [Lane::scalar(self.w.float(0.0)); 4];
        for axis in 0..2 {
            let corner = self.io().state_at(Word::Viewport, axis as u32);
            let size = self.io().state_at(Word::Viewport, axis as u32 + 2);
            let [corner, size] = [corner, size].map(|id| self.w.val(id));
            lanes[axis] = map_to_window(self.w, place[axis], place[3], corner, size);
        }
        self.store_beside(Semantic::LineStart, lanes)
    }

    /// Stores a varying that is no output of the program.
    fn store_beside(&mut self, semantic: Semantic, lanes: [Lane; 4]) -> Result<(), Failure> {
        let varyings = &self.options.interface.outputs;
        let Some(place) = varyings.place(semantic) else {
            return Ok(());
        };
        let others = self.program.outputs.iter().map(|output| output.semantic);
        // The program may have a generic result at the place in the fixed table.
        varyings.check_apart(semantic, others)?;
        let variable = self.variable_beside(semantic, &place);
        store_output_lanes(self.w, variable, &OutputPlace::varying(&place), lanes);
        Ok(())
    }

    fn variable_beside(&mut self, semantic: Semantic, place: &Place) -> ValueWord {
        if let Some(variable) = find(&self.interface.outputs.added, semantic) {
            return variable;
        }
        let scalar = base_scalar(place.base);
        let ty = self.w.ty(scalar, place.components);
        let variable = self.io().variable(StorageClass::Output, ty);
        decorate_varying(self.w, variable, place);
        self.w.name(variable, || output_name(semantic));
        let output = Output::new(semantic);
        self.interface
            .reflect_output(&output, Some(place.location), scalar, place.components);
        self.interface.outputs.added.push((semantic, variable));
        variable
    }

    /// Declares what the fragment program reads where no vertex is ever finished, so that nothing was stored.
    pub(in crate::emit) fn declare_added(&mut self) {
        let is_asked = self.options.stipples_lines() || !self.options.forms.flat_colors.is_fixed();
        if !is_asked || !self.makes_vertices() {
            return;
        }
        let outputs = self.program.outputs.iter();
        let mut semantics: Vec<_> = outputs.map(|output| output.semantic).collect();
        add_state(&mut semantics, self.program, self.options);
        // What `add_state` appends stands behind the outputs of the program.
        for semantic in semantics.split_off(self.program.outputs.len()) {
            if let Some(place) = self.options.interface.outputs.place(semantic) {
                self.variable_beside(semantic, &place);
            }
        }
    }

    fn makes_vertices(&self) -> bool {
        matches!(
            self.program.stage,
            Stage::Vertex | Stage::TessEval | Stage::Geometry
        )
    }
}

/// A coordinate of clip space in pixels.
fn map_to_window(w: &mut Builder, coordinate: Val, divisor: Val, corner: Val, size: Val) -> Lane {
    // Vulkan, "Controlling the Viewport": the center plus the normalized coordinate times half of the size.
    let half = w.binary_float(Spv::FMul, size, 0.5);
    let center = w.binary(Spv::FAdd, corner, half);
    let normalized = w.binary(Spv::FDiv, coordinate, divisor);
    let scaled = w.binary(Spv::FMul, normalized, half);
    w.binary(Spv::FAdd, scaled, center).lane(0)
}
