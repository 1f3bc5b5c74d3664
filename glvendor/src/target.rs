//! Targets of programs: applications bind and enable programs and set parameters by target.

use glasm::Stage;

/// Target that programs are bound to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Target {
    /// `VERTEX_PROGRAM_ARB`, which is `VERTEX_PROGRAM_NV`.
    Vertex,
    /// `FRAGMENT_PROGRAM_ARB`
    Fragment,
    /// `FRAGMENT_PROGRAM_NV`: NV_fragment_program.
    FragmentNv,
    /// `GEOMETRY_PROGRAM_NV`
    Geometry,
    /// `TESS_CONTROL_PROGRAM_NV`
    TessControl,
    /// `TESS_EVALUATION_PROGRAM_NV`
    TessEvaluation,
    /// `COMPUTE_PROGRAM_NV`
    Compute,
}

/// Properties of a target.
pub(crate) struct TargetProperties {
    /// Target.
    pub(crate) target: Target,
    /// Enumerant for `Enable` and `BindProgram`.
    pub(crate) enumerant: u32,
    /// Number of its buffer bindings: NV_parameter_buffer_object.
    pub(crate) buffer_bindings: u32,
    /// Stage of its programs.
    pub(crate) stage: Stage,
    /// True if the driver may support it: ARB_vertex_program, ARB_fragment_program.
    pub(crate) is_driver_supported: bool,
}

/// All targets, in the order of [`Target`].
pub(crate) static TARGETS: [TargetProperties; 7] = [
    target_properties(Target::Vertex, 0x8620, 0x8DA2, Stage::Vertex),
    target_properties(Target::Fragment, 0x8804, 0x8DA4, Stage::Fragment),
    target_properties(Target::FragmentNv, 0x8870, 0, Stage::Fragment),
    target_properties(Target::Geometry, 0x8C26, 0x8DA3, Stage::Geometry),
    target_properties(Target::TessControl, 0x891E, 0x8C74, Stage::TessControl),
    target_properties(Target::TessEvaluation, 0x891F, 0x8C75, Stage::TessEval),
    target_properties(Target::Compute, 0x90FB, 0x90FC, Stage::Compute),
];

/// Returns the properties of a target from its enumerant, that of the limit of its buffer bindings,
/// and the stage. Only vertex and fragment targets of ARB programs may be supported by drivers.
const fn target_properties(
    target: Target,
    number: u32,
    buffers: u32,
    stage: Stage,
) -> TargetProperties {
    TargetProperties {
        target,
        enumerant: number,
        buffer_bindings: buffers,
        stage,
        is_driver_supported: matches!(target, Target::Vertex | Target::Fragment),
    }
}

impl Target {
    /// Returns the program target of an enumerant such as `GL_VERTEX_PROGRAM_ARB`; `None` for
    /// others.
    pub(crate) fn from_enumerant(number: u32) -> Option<Self> {
        let row = TARGETS.iter().find(|row| row.enumerant == number)?;
        Some(row.target)
    }

    /// Returns the target of an enumerant of buffer bindings, such as
    /// `GL_VERTEX_PROGRAM_PARAMETER_BUFFER_NV`; `None` for others.
    pub(crate) fn from_buffer_enumerant(number: u32) -> Option<Self> {
        let row = TARGETS
            .iter()
            .find(|row| row.buffer_bindings == number && number != 0)?;
        Some(row.target)
    }

    /// Returns the table entry of the target: enumerants, stage, and whether drivers may support
    /// it.
    pub(crate) fn properties(self) -> &'static TargetProperties {
        &TARGETS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_targets() {
        for (place, row) in TARGETS.iter().enumerate() {
            assert_eq!(
                (row.target as usize, Target::from_enumerant(row.enumerant)),
                (place, Some(row.target))
            );
            assert_eq!(
                Target::from_buffer_enumerant(row.buffer_bindings),
                (row.buffer_bindings != 0).then_some(row.target)
            );
        }
        assert_eq!(
            (Target::from_enumerant(0), Target::from_buffer_enumerant(0)),
            (None, None)
        );
    }
}
