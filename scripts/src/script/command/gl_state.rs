//! Changes of GL state that programs read.

use super::fixed_state::FixedUpdate;
use glasm::state::{Color, ColorTerm, Face, TexGenCoord, TexGenPlane};

/// A change of GL state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum StateUpdate {
    /// A property of a light.
    Light(u32, LightUpdate),
    /// A property of the material of one face or both.
    Material(Faces, MaterialUpdate),
    /// Ambient color of the light model.
    LightModelAmbient(Color),
    /// A property of fog.
    Fog(FogUpdate),
    /// A property of points.
    Point(PointUpdate),
    /// Texture environment color of a unit.
    TexEnvColor(u32, Color),
    /// A plane of texture coordinate generation; eye planes are in object space.
    TexGen(u32, TexGenCoord, TexGenPlane, [f32; 4]),
    /// A clip plane in object space.
    ClipPlane(u32, [f32; 4]),
    /// What only draws without a program see.
    Fixed(FixedUpdate),
}

/// A property of a light; position and direction are in object space.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LightUpdate {
    /// `GL_AMBIENT`
    Ambient(Color),
    /// `GL_DIFFUSE`
    Diffuse(Color),
    /// `GL_SPECULAR`
    Specular(Color),
    /// `GL_POSITION`
    Position([f32; 4]),
    /// `GL_SPOT_DIRECTION`
    SpotDirection([f32; 3]),
    /// `GL_SPOT_EXPONENT`, 0 to 128.
    SpotExponent(f32),
    /// `GL_SPOT_CUTOFF` in degrees, 0 to 90 or 180.
    SpotCutoff(f32),
    /// Factor of the distance to this power, 0 to 2.
    Attenuation(usize, f32),
}

/// Faces of a material.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Faces {
    /// This one.
    One(Face),
    /// `GL_FRONT_AND_BACK`
    Both,
}

/// A property of a material.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum MaterialUpdate {
    /// One of its colors.
    Color(ColorTerm, Color),
    /// `GL_AMBIENT_AND_DIFFUSE`
    AmbientAndDiffuse(Color),
    /// `GL_SHININESS`, 0 to 128.
    Shininess(f32),
}

/// A property of fog.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FogUpdate {
    /// `GL_FOG_COLOR`
    Color(Color),
    /// `GL_FOG_DENSITY`, not negative.
    Density(f32),
    /// `GL_FOG_START`, a distance in eye space.
    Start(f32),
    /// `GL_FOG_END`, a distance in eye space.
    End(f32),
}

/// A property of points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PointUpdate {
    /// `GL_POINT_SIZE` in pixels.
    Size(f32),
    /// `GL_POINT_SIZE_MIN` in pixels.
    Min(f32),
    /// `GL_POINT_SIZE_MAX` in pixels.
    Max(f32),
    /// `GL_POINT_FADE_THRESHOLD_SIZE` in pixels.
    Fade(f32),
    /// `GL_POINT_DISTANCE_ATTENUATION`: factors of the distance to the powers 0, 1 and 2.
    Attenuation([f32; 3]),
    /// `GL_POINT_SPRITE_COORD_ORIGIN`
    SpriteOrigin(glasm::PointOrigin),
}
