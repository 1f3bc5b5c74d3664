//! Applies the commands that set GL state. Pure.

use crate::script::{
    Faces, FogUpdate, LightUpdate, MaterialUpdate, PointUpdate, StateUpdate, state_properties,
};
use glasm::PointOrigin;
use glasm::state::{Color, Face, GlState, TexGenPlane};

/// Changes `state` as the GL command of the same name does. Updates of fixed functions change
/// nothing: programs are generated for their state.
pub fn apply(state: &mut GlState, update: StateUpdate) {
    match update {
        StateUpdate::Light(number, update) => update.apply(state, number),
        StateUpdate::Material(Faces::One(face), update) => update.apply(state, face),
        StateUpdate::Material(Faces::Both, update) => {
            update.apply(state, Face::Front);
            update.apply(state, Face::Back);
        }
        StateUpdate::LightModelAmbient(color) => state.light_model_ambient = color,
        StateUpdate::Fog(update) => update.apply(state, ()),
        StateUpdate::Point(update) => update.apply(state, ()),
        StateUpdate::TexEnvColor(unit, color) => *state.texenv_color_mut(unit) = color,
        StateUpdate::TexGen(set, coord, TexGenPlane::Eye, plane) => {
            state.set_texgen_eye_plane(set, coord, plane);
        }
        StateUpdate::TexGen(set, coord, TexGenPlane::Object, plane) => {
            state.texgen_mut(set).object[coord as usize] = plane;
        }
        StateUpdate::ClipPlane(number, plane) => state.set_clip_plane(number, plane),
        // Programs are written for it.
        StateUpdate::Fixed(_) | StateUpdate::Combiner(_) | StateUpdate::TextureShader(..) => {}
    }
}

macro_rules! changes {
    ($($(#[$doc:meta])* $update:ident $table:ident [$named:ty] {
        $($(#[$property:meta])* $variant:ident($value:ty) $word:literal $parse:ident $set:expr;)*
    })*) => { $(
        impl $update {
            /// Sets the property, of a light or a face if the command has one.
            fn apply(self, state: &mut GlState, named: $named) {
                match self {
                    $(Self::$variant(value) => {
                        let set: fn(&mut GlState, $named, $value) = $set;
                        set(state, named, value);
                    })*
                }
            }
        }
    )* };
}

state_properties! { changes }

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::state::TexGenCoord;

    const COLOR: Color = [0.1, 0.2, 0.3, 0.4];

    fn applied(updates: &[StateUpdate]) -> GlState {
        let mut state = GlState::default();
        for update in updates {
            apply(&mut state, *update);
        }
        state
    }

    #[test]
    fn each_update_changes_what_it_names_and_nothing_else() {
        let light = |update| StateUpdate::Light(1, update);
        let state = applied(&[
            light(LightUpdate::Specular(COLOR)),
            light(LightUpdate::QuadraticAttenuation(5.0)),
            light(LightUpdate::SpotExponent(6.0)),
            StateUpdate::Fog(FogUpdate::End(7.0)),
            StateUpdate::Point(PointUpdate::Fade(8.0)),
        ]);
        let mut expected = GlState::default();
        expected.light_mut(1).specular = COLOR;
        expected.light_mut(1).attenuation = [1.0, 0.0, 5.0];
        expected.light_mut(1).spot_exponent = 6.0;
        expected.fog.end = 7.0;
        expected.point.fade_threshold = 8.0;
        assert_eq!(state, expected);
    }

    #[test]
    fn materials_of_one_face_and_of_both() {
        let state = applied(&[
            StateUpdate::Material(Faces::Both, MaterialUpdate::AmbientAndDiffuse(COLOR)),
            StateUpdate::Material(Faces::One(Face::Back), MaterialUpdate::Shininess(9.0)),
        ]);
        for face in [Face::Front, Face::Back] {
            assert_eq!(state.material(face).ambient, COLOR);
            assert_eq!(state.material(face).diffuse, COLOR);
            assert_eq!(state.material(face).specular, [0.0, 0.0, 0.0, 1.0]);
        }
        assert_eq!(state.material(Face::Front).shininess, 0.0);
        assert_eq!(state.material(Face::Back).shininess, 9.0);
    }

    #[test]
    fn what_is_specified_in_object_space_goes_through_the_modelview_matrix() {
        let mut state = GlState::default();
        *state.modelview_mut(0) = glasm::state::matrix::scaling([2.0, 2.0, 2.0]);
        let point = [1.0, 2.0, 3.0, 1.0];
        apply(
            &mut state,
            StateUpdate::Light(0, LightUpdate::Position(point)),
        );
        apply(&mut state, StateUpdate::ClipPlane(0, point));
        for plane in [TexGenPlane::Eye, TexGenPlane::Object] {
            apply(
                &mut state,
                StateUpdate::TexGen(0, TexGenCoord::R, plane, point),
            );
        }
        assert_eq!(state.light(0).position, [2.0, 4.0, 6.0, 1.0]);
        assert_eq!(state.clip_planes, [[0.5, 1.0, 1.5, 1.0]]);
        assert_eq!(state.texgen[0].eye[2], [0.5, 1.0, 1.5, 1.0]);
        assert_eq!(state.texgen[0].object[2], point);
    }
}
