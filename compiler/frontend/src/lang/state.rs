//! Bindings of GL state. NV_gpu_program4 tables X.3 to X.11.

use crate::lang::Stages;
use crate::lang::bindings::{Number, number, numbered};
use crate::lang::numbered::Numbered;
use crate::lang::options::Features;
use crate::source::{Dialect, Family, Version};
use glasm_ir::StateParam;
use glasm_ir::state::{
    ColorTerm, Face, MatrixForm, MatrixName, TexGenCoord, TexGenPlane, ThreadProperty,
};

/// A state binding other than matrices.
#[derive(Clone, Copy, Debug)]
pub struct StateInfo {
    /// Words after `state`; `[]` marks the position of the number.
    pub path: &'static str,
    /// Number in brackets.
    pub number: Number,
    /// Kind of the numbered items, if GL limits their number.
    pub numbered: Option<Numbered>,
    /// The parameter for a number.
    pub param: fn(u32) -> StateParam,
    /// ARB programs that have it. Programs with types have all.
    pub arb: Stages,
    /// Features that options must have enabled.
    pub needs: Features,
    /// True if a range of numbers is a binding, too.
    pub ranges: bool,
}

/// A matrix.
#[derive(Clone, Copy, Debug)]
pub struct MatrixInfo {
    /// Word after `state.matrix`.
    pub name: &'static str,
    /// Number in brackets.
    pub number: Number,
    /// The matrix of a number.
    pub matrix: fn(u32) -> MatrixName,
    /// First version of the family with types; 1.0 if only ARB programs have it.
    pub since: Version,
}

impl StateInfo {
    /// Returns true if programs of a language have the binding.
    pub fn known_in(&self, dialect: Dialect) -> bool {
        match dialect.family() {
            Family::Typed => true,
            Family::Arb => self.arb.has(dialect.stage()),
            Family::Vertex1 | Family::Vertex2 | Family::Fragment1 | Family::Tgsi => false,
        }
    }
}

impl MatrixInfo {
    /// Returns true if a family has the matrix.
    pub fn known_in(&self, family: Family) -> bool {
        // Only called for the two families with bindings of state.
        family == Family::Arb || self.since > Version::V1_0
    }
}

macro_rules! matrices {
    ($($name:literal $number:tt $matrix:expr, $since:ident;)*) => {
        /// Matrices. Table X.11.
        pub static MATRICES: &[MatrixInfo] = &[$(MatrixInfo {
            name: $name,
            number: number! $number,
            matrix: $matrix,
            since: Version::$since,
        },)*];
    };
}

matrices! {
    // Columns: name, (number), matrix, version.
    //
    // Without a number the name denotes matrix 0; program matrices always have one. Table X.11.
    "modelview" ([? 32]) MatrixName::Modelview, V4_0;
    "projection" () |_| MatrixName::Projection, V4_0;
    "mvp" () |_| MatrixName::Mvp, V4_0;
    "texture" ([? 32]) MatrixName::Texture, V4_0;
    "program" ([32]) MatrixName::Program, V4_0;
    // NV_gpu_program4 has no palette, which only ARB_matrix_palette fills.
    "palette" ([32]) MatrixName::Palette, V1_0;
}

/// Forms that may follow the matrix.
pub static FORMS: &[(&str, MatrixForm)] = &[
    ("inverse", MatrixForm::Inverse),
    ("transpose", MatrixForm::Transpose),
    ("invtrans", MatrixForm::InverseTranspose),
];

macro_rules! state {
    (@arb) => { Stages::ARB };
    (@arb $arb:ident) => { Stages::$arb };
    (@ranges) => { false };
    (@ranges RANGES) => { true };
    ($([$($variant:tt)*] $($driver:ident)? $text:literal $(as $name:literal)? $meaning:literal { $(
        $path:literal $number:tt $param:expr $(=> $arb:ident $(needs $need:ident)? $(, $ranges:ident)?)?;
    )* })*) => {
        /// All state bindings but matrices.
        pub static STATE: &[StateInfo] = &[$($(StateInfo {
            path: $path,
            number: number! $number,
            numbered: numbered! $number,
            param: $param,
            arb: state!(@arb $($arb)?),
            needs: Features::empty()$($(.union(Features::$need))?)?,
            ranges: state!(@ranges $($($ranges)?)?),
        },)*)*];
    };
}

use ColorTerm::{Ambient, Diffuse, Emission, Specular};
use Face::{Back, Front};
use StateParam as P;
use TexGenCoord::{Q, R, S, T};
use TexGenPlane::{Eye, Object};
use ThreadProperty::{SmCount, WarpSize, WarpsPerSm};

glasm_ir::state_params! { state }
