//! Bindings of GL state. NV_gpu_program4 tables X.3 to X.11.

use crate::lang::bindings::Number;
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
    /// The parameter for a number.
    pub param: fn(u32) -> StateParam,
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
}

/// Matrices. Table X.11.
pub static MATRICES: &[MatrixInfo] = &[
    MatrixInfo {
        name: "modelview",
        number: Number::Optional(32),
        matrix: MatrixName::Modelview,
    },
    MatrixInfo {
        name: "projection",
        number: Number::None,
        matrix: |_| MatrixName::Projection,
    },
    MatrixInfo {
        name: "mvp",
        number: Number::None,
        matrix: |_| MatrixName::Mvp,
    },
    MatrixInfo {
        name: "texture",
        number: Number::Optional(32),
        matrix: MatrixName::Texture,
    },
    MatrixInfo {
        name: "program",
        number: Number::Required(32),
        matrix: MatrixName::Program,
    },
];

/// What may follow the matrix.
pub static FORMS: &[(&str, MatrixForm)] = &[
    ("inverse", MatrixForm::Inverse),
    ("transpose", MatrixForm::Transpose),
    ("invtrans", MatrixForm::InverseTranspose),
];

macro_rules! number {
    () => {
        Number::None
    };
    ([$limit:literal]) => {
        Number::Required($limit)
    };
    ([? $limit:literal]) => {
        Number::Optional($limit)
    };
}

macro_rules! state {
    ($($path:literal $number:tt $param:expr;)*) => {
        /// All state bindings but matrices.
        pub static STATE: &[StateInfo] = &[$(StateInfo { path: $path, number: number! $number, param: $param },)*];
    };
}

use ColorTerm::{Ambient, Diffuse, Emission, Specular};
use Face::{Back, Front};
use StateParam as P;

state! {
    // path, (number), parameter
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
    "light[].ambient" ([8]) |n| P::Light(n, Ambient);
    "light[].diffuse" ([8]) |n| P::Light(n, Diffuse);
    "light[].specular" ([8]) |n| P::Light(n, Specular);
    "light[].position" ([8]) P::LightPosition;
    "light[].attenuation" ([8]) P::LightAttenuation;
    "light[].spot.direction" ([8]) P::LightSpotDirection;
    "light[].half" ([8]) P::LightHalf;
    "lightmodel.ambient" () |_| P::LightModelAmbient;
    "lightmodel.scenecolor" () |_| P::LightModelSceneColor(Front);
    "lightmodel.front.scenecolor" () |_| P::LightModelSceneColor(Front);
    "lightmodel.back.scenecolor" () |_| P::LightModelSceneColor(Back);
    "lightprod[].ambient" ([8]) |n| P::LightProduct(n, Front, Ambient);
    "lightprod[].diffuse" ([8]) |n| P::LightProduct(n, Front, Diffuse);
    "lightprod[].specular" ([8]) |n| P::LightProduct(n, Front, Specular);
    "lightprod[].front.ambient" ([8]) |n| P::LightProduct(n, Front, Ambient);
    "lightprod[].front.diffuse" ([8]) |n| P::LightProduct(n, Front, Diffuse);
    "lightprod[].front.specular" ([8]) |n| P::LightProduct(n, Front, Specular);
    "lightprod[].back.ambient" ([8]) |n| P::LightProduct(n, Back, Ambient);
    "lightprod[].back.diffuse" ([8]) |n| P::LightProduct(n, Back, Diffuse);
    "lightprod[].back.specular" ([8]) |n| P::LightProduct(n, Back, Specular);
    "texgen[].eye.s" ([? 32]) |n| P::TexGen(n, TexGenPlane::Eye, TexGenCoord::S);
    "texgen[].eye.t" ([? 32]) |n| P::TexGen(n, TexGenPlane::Eye, TexGenCoord::T);
    "texgen[].eye.r" ([? 32]) |n| P::TexGen(n, TexGenPlane::Eye, TexGenCoord::R);
    "texgen[].eye.q" ([? 32]) |n| P::TexGen(n, TexGenPlane::Eye, TexGenCoord::Q);
    "texgen[].object.s" ([? 32]) |n| P::TexGen(n, TexGenPlane::Object, TexGenCoord::S);
    "texgen[].object.t" ([? 32]) |n| P::TexGen(n, TexGenPlane::Object, TexGenCoord::T);
    "texgen[].object.r" ([? 32]) |n| P::TexGen(n, TexGenPlane::Object, TexGenCoord::R);
    "texgen[].object.q" ([? 32]) |n| P::TexGen(n, TexGenPlane::Object, TexGenCoord::Q);
    "texenv[].color" ([? 32]) P::TexEnvColor;
    "fog.color" () |_| P::FogColor;
    "fog.params" () |_| P::FogParams;
    "clip[].plane" ([8]) P::ClipPlane;
    "point.size" () |_| P::PointSize;
    "point.attenuation" () |_| P::PointAttenuation;
    "depth.range" () |_| P::DepthRange;
    "thread.warpsize" () |_| P::Thread(ThreadProperty::WarpSize);
    "thread.warpspersm" () |_| P::Thread(ThreadProperty::WarpsPerSm);
    "thread.smcount" () |_| P::Thread(ThreadProperty::SmCount);
}
