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

/// A row: a state binding other than matrices.
#[derive(Clone, Copy, Debug)]
pub struct StateInfo {
    /// Words behind `state`; `[]` marks the place of the number.
    pub path: &'static str,
    /// Number in brackets.
    pub number: Number,
    /// What it counts, if GL says how many there are.
    pub numbered: Option<Numbered>,
    /// The parameter for a number.
    pub param: fn(u32) -> StateParam,
    /// ARB programs that know it. Programs with types know all.
    pub arb: Stages,
    /// What options must have enabled.
    pub needs: Features,
    /// Whether a range of numbers is a binding, too.
    pub ranges: bool,
}

/// A row: a matrix.
#[derive(Clone, Copy, Debug)]
pub struct MatrixInfo {
    /// Word behind `state.matrix`.
    pub name: &'static str,
    /// Number in brackets.
    pub number: Number,
    /// The matrix of a number.
    pub matrix: fn(u32) -> MatrixName,
    /// First version of the family with types; 1.0 if only ARB programs have it.
    pub since: Version,
}

impl StateInfo {
    /// Whether programs of a language have the binding.
    pub fn known_in(&self, dialect: Dialect) -> bool {
        match dialect.family() {
            Family::Typed => true,
            Family::Arb => self.arb.has(dialect.stage()),
            Family::Vertex1 | Family::Vertex2 | Family::Fragment1 | Family::Tgsi => false,
        }
    }
}

impl MatrixInfo {
    /// Whether a family has the matrix.
    pub fn known_in(&self, family: Family) -> bool {
        // Only the two families with bindings of state ask.
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
    // name, (number), matrix, version
    // Without a number matrix 0 is meant; program matrices always have one. Table X.11.
    "modelview" ([? 32]) MatrixName::Modelview, V4_0;
    "projection" () |_| MatrixName::Projection, V4_0;
    "mvp" () |_| MatrixName::Mvp, V4_0;
    "texture" ([? 32]) MatrixName::Texture, V4_0;
    "program" ([32]) MatrixName::Program, V4_0;
    // NV_gpu_program4 has no palette, which only ARB_matrix_palette fills.
    "palette" ([32]) MatrixName::Palette, V1_0;
}

/// What may follow the matrix.
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
    ($($path:literal $number:tt $param:expr $(=> $arb:ident $(needs $need:ident)? $(, $ranges:ident)?)?;)*) => {
        /// All state bindings but matrices.
        pub static STATE: &[StateInfo] = &[$(StateInfo {
            path: $path,
            number: number! $number,
            numbered: numbered! $number,
            param: $param,
            arb: state!(@arb $($arb)?),
            needs: Features::empty()$($(.union(Features::$need))?)?,
            ranges: state!(@ranges $($($ranges)?)?),
        },)*];
    };
}

use ColorTerm::{Ambient, Diffuse, Emission, Specular};
use Face::{Back, Front};
use StateParam as P;

state! {
    // path, (number), parameter => ARB programs, both if none are named; the option that it needs; whether it has ranges
    // "If a material face is not specified in the binding, the front property is used": table X.3.
    "material.ambient" () |_| P::Material(Front, Ambient);
    "material.diffuse" () |_| P::Material(Front, Diffuse);
    "material.specular" () |_| P::Material(Front, Specular);
    "material.emission" () |_| P::Material(Front, Emission);
    "material.shininess" () |_| P::MaterialShininess(Front);
    "material.front.ambient" () |_| P::Material(Front, Ambient);
    "material.front.diffuse" () |_| P::Material(Front, Diffuse);
    "material.front.specular" () |_| P::Material(Front, Specular);
    "material.front.emission" () |_| P::Material(Front, Emission);
    "material.front.shininess" () |_| P::MaterialShininess(Front);
    "material.back.ambient" () |_| P::Material(Back, Ambient);
    "material.back.diffuse" () |_| P::Material(Back, Diffuse);
    "material.back.specular" () |_| P::Material(Back, Specular);
    "material.back.emission" () |_| P::Material(Back, Emission);
    "material.back.shininess" () |_| P::MaterialShininess(Back);
    // Lights and clip planes: as many as glasm keeps in its state, the least number of lights that GL allows.
    "light[].ambient" ([8 Lights]) |n| P::Light(n, Ambient);
    "light[].diffuse" ([8 Lights]) |n| P::Light(n, Diffuse);
    "light[].specular" ([8 Lights]) |n| P::Light(n, Specular);
    "light[].position" ([8 Lights]) P::LightPosition;
    "light[].attenuation" ([8 Lights]) P::LightAttenuation;
    "light[].spot.direction" ([8 Lights]) P::LightSpotDirection;
    "light[].half" ([8 Lights]) P::LightHalf;
    "lightmodel.ambient" () |_| P::LightModelAmbient;
    // Scene colors and products without a face are those of the front, too: table X.4.
    "lightmodel.scenecolor" () |_| P::LightModelSceneColor(Front);
    "lightmodel.front.scenecolor" () |_| P::LightModelSceneColor(Front);
    "lightmodel.back.scenecolor" () |_| P::LightModelSceneColor(Back);
    "lightprod[].ambient" ([8 Lights]) |n| P::LightProduct(n, Front, Ambient);
    "lightprod[].diffuse" ([8 Lights]) |n| P::LightProduct(n, Front, Diffuse);
    "lightprod[].specular" ([8 Lights]) |n| P::LightProduct(n, Front, Specular);
    "lightprod[].front.ambient" ([8 Lights]) |n| P::LightProduct(n, Front, Ambient);
    "lightprod[].front.diffuse" ([8 Lights]) |n| P::LightProduct(n, Front, Diffuse);
    "lightprod[].front.specular" ([8 Lights]) |n| P::LightProduct(n, Front, Specular);
    "lightprod[].back.ambient" ([8 Lights]) |n| P::LightProduct(n, Back, Ambient);
    "lightprod[].back.diffuse" ([8 Lights]) |n| P::LightProduct(n, Back, Diffuse);
    "lightprod[].back.specular" ([8 Lights]) |n| P::LightProduct(n, Back, Specular);
    // ARB_fragment_program has neither this nor clip planes and points, ARB_vertex_program neither texture environments nor the depth range:
    // each names state of its own stage. NV_gpu_program4 has all of them.
    "texgen[].eye.s" ([? 32 TextureCoordinates]) |n| P::TexGen(n, TexGenPlane::Eye, TexGenCoord::S) => VERTEX;
    "texgen[].eye.t" ([? 32 TextureCoordinates]) |n| P::TexGen(n, TexGenPlane::Eye, TexGenCoord::T) => VERTEX;
    "texgen[].eye.r" ([? 32 TextureCoordinates]) |n| P::TexGen(n, TexGenPlane::Eye, TexGenCoord::R) => VERTEX;
    "texgen[].eye.q" ([? 32 TextureCoordinates]) |n| P::TexGen(n, TexGenPlane::Eye, TexGenCoord::Q) => VERTEX;
    "texgen[].object.s" ([? 32 TextureCoordinates]) |n| P::TexGen(n, TexGenPlane::Object, TexGenCoord::S) => VERTEX;
    "texgen[].object.t" ([? 32 TextureCoordinates]) |n| P::TexGen(n, TexGenPlane::Object, TexGenCoord::T) => VERTEX;
    "texgen[].object.r" ([? 32 TextureCoordinates]) |n| P::TexGen(n, TexGenPlane::Object, TexGenCoord::R) => VERTEX;
    "texgen[].object.q" ([? 32 TextureCoordinates]) |n| P::TexGen(n, TexGenPlane::Object, TexGenCoord::Q) => VERTEX;
    "texenv[].color" ([? 32 TextureEnvironments]) P::TexEnvColor => FRAGMENT;
    "fog.color" () |_| P::FogColor;
    "fog.params" () |_| P::FogParams;
    "clip[].plane" ([8 ClipPlanes]) P::ClipPlane => VERTEX;
    "point.size" () |_| P::PointSize => VERTEX;
    "point.attenuation" () |_| P::PointAttenuation => VERTEX;
    "depth.range" () |_| P::DepthRange => FRAGMENT;
    // Of the device, not of GL's state, but read like it.
    "thread.warpsize" () |_| P::Thread(ThreadProperty::WarpSize) => NONE needs THREAD_GROUP;
    "thread.warpspersm" () |_| P::Thread(ThreadProperty::WarpsPerSm) => NONE needs THREAD_GROUP;
    "thread.smcount" () |_| P::Thread(ThreadProperty::SmCount) => NONE needs THREAD_GROUP;
    // What NVIDIA's compiler writes for gl_NormalScale, gl_NumSamples and gl_SamplePosition of GLSL.
    "matrix.normalscale" () |_| P::NormalScale;
    "multisample.samples" () |_| P::Samples => NONE;
    "multisample.positions[]" ([32]) P::SamplePosition => NONE, RANGES;
}
