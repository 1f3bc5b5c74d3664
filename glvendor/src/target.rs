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
pub(crate) struct Row {
    /// Target.
    pub(crate) target: Target,
    /// Enumerant for `Enable` and `BindProgram`.
    pub(crate) number: u32,
    /// Number of its buffer bindings: NV_parameter_buffer_object.
    pub(crate) buffers: u32,
    /// Stage of its programs.
    pub(crate) stage: Stage,
    /// True if the driver may support it: ARB_vertex_program, ARB_fragment_program.
    pub(crate) is_drivers: bool,
}

/// All targets, in the order of [`Target`].
pub(crate) static TARGETS: [Row; 7] = [
    row(Target::Vertex, 0x8620, 0x8DA2, Stage::Vertex),
    row(Target::Fragment, 0x8804, 0x8DA4, Stage::Fragment),
    row(Target::FragmentNv, 0x8870, 0, Stage::Fragment),
    row(Target::Geometry, 0x8C26, 0x8DA3, Stage::Geometry),
    row(Target::TessControl, 0x891E, 0x8C74, Stage::TessControl),
    row(Target::TessEvaluation, 0x891F, 0x8C75, Stage::TessEval),
    row(Target::Compute, 0x90FB, 0x90FC, Stage::Compute),
];

const fn row(target: Target, number: u32, buffers: u32, stage: Stage) -> Row {
    Row {
        target,
        number,
        buffers,
        stage,
        is_drivers: matches!(target, Target::Vertex | Target::Fragment),
    }
}

impl Target {
    /// Returns the target of an enumerant: `GL_VERTEX_PROGRAM_ARB`.
    pub(crate) fn of(number: u32) -> Option<Self> {
        let row = TARGETS.iter().find(|row| row.number == number)?;
        Some(row.target)
    }

    /// Returns the target of an enumerant of buffer bindings:
    /// `GL_VERTEX_PROGRAM_PARAMETER_BUFFER_NV`.
    pub(crate) fn of_buffers(number: u32) -> Option<Self> {
        let row = TARGETS
            .iter()
            .find(|row| row.buffers == number && number != 0)?;
        Some(row.target)
    }

    /// Returns the properties of the target.
    pub(crate) fn row(self) -> &'static Row {
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
                (row.target as usize, Target::of(row.number)),
                (place, Some(row.target))
            );
            assert_eq!(
                Target::of_buffers(row.buffers),
                (row.buffers != 0).then_some(row.target)
            );
        }
        assert_eq!((Target::of(0), Target::of_buffers(0)), (None, None));
    }
}
