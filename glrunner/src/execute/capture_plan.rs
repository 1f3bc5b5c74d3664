//! Outputs that transform feedback captures, in the terms of NV_transform_feedback and
//! ARB_transform_feedback3. Pure.

use crate::gl::{self, CapturedResult};
use ash::vk::PrimitiveTopology;
use glasm::ir::Semantic;
use glasm::reflect::{OutputPrimitive, TessMode};
use glasm::{Capture, TransformFeedback};

/// Arguments of `glTransformFeedbackStreamAttribsNV`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct CapturePlan {
    /// Results, gaps and changes to the next buffer, in order.
    pub(super) results: Vec<CapturedResult>,
    /// Vertex stream of each buffer.
    pub(super) streams: Vec<u32>,
    /// Bytes from a vertex to the next in each buffer.
    pub(super) strides: Vec<u32>,
}

impl CapturePlan {
    /// Creates the plan for the captures of a script, buffer after buffer; empty if it captures
    /// nothing. `Err` is the reason why OpenGL does not support them.
    pub(super) fn new(feedback: &TransformFeedback) -> Result<Self, String> {
        let mut plan = Self::default();
        let last = feedback.captures.iter().map(|capture| capture.buffer).max();
        let Some(last) = last else {
            return Ok(plan);
        };
        for buffer in 0..=last {
            if buffer > 0 {
                plan.results.push([gl::NEXT_BUFFER_NV, 0, 0]);
            }
            plan.add_buffer(feedback, buffer)?;
        }
        Ok(plan)
    }

    /// Creates the plan for captures of modules: streams and strides of the buffers. The modules
    /// specify the results.
    pub(super) fn from_modules(feedback: &TransformFeedback) -> Self {
        let captures = || feedback.captures.iter();
        let count = captures().map(|capture| capture.buffer + 1).max();
        let stream = |buffer| {
            let mut captures = captures();
            captures
                .find(|capture| capture.buffer == buffer)
                .map_or(0, |first| first.stream)
        };
        let buffers = || 0..count.unwrap_or(0);
        Self {
            results: Vec::new(),
            streams: buffers().map(stream).collect(),
            strides: buffers().map(|buffer| feedback.stride(buffer)).collect(),
        }
    }

    /// Adds the results that are captured to a buffer, in order of their offsets, with the gaps
    /// between them, and the buffer's stream and stride. `Err` is the reason why OpenGL does not
    /// support them.
    fn add_buffer(&mut self, feedback: &TransformFeedback, buffer: u32) -> Result<(), String> {
        let captures = feedback.captures.iter();
        let mut captures: Vec<&Capture> = captures
            .filter(|capture| capture.buffer == buffer)
            .collect();
        captures.sort_by_key(|capture| capture.offset);
        let stride = feedback.stride(buffer);
        let stream = captures.first().map_or(0, |capture| capture.stream);
        let mut end = 0;
        for capture in captures {
            if capture.stream != stream {
                return Err(format!(
                    "OpenGL captures one vertex stream into buffer {buffer}, not two"
                ));
            }
            self.skip_bytes(end, capture.offset)?;
            self.add_result(capture)?;
            end = capture.offset + 4 * u32::from(capture.component_count);
        }
        self.skip_bytes(end, stride)?;
        self.streams.push(stream);
        self.strides.push(stride);
        Ok(())
    }

    /// Adds a gap from one byte of a vertex to another, in whole components. `Err` if they are in
    /// the wrong order: captures overlap.
    fn skip_bytes(&mut self, from: u32, to: u32) -> Result<(), String> {
        let bytes = to.checked_sub(from);
        let bytes = bytes.ok_or_else(|| format!("two captures meet at byte {to} of a vertex"))?;
        let mut components = bytes / 4;
        while components > 0 {
            let (separator, skipped) = match components {
                1 => (gl::SKIP_COMPONENTS1_NV, 1),
                2 => (gl::SKIP_COMPONENTS2_NV, 2),
                3 => (gl::SKIP_COMPONENTS3_NV, 3),
                _ => (gl::SKIP_COMPONENTS4_NV, 4),
            };
            self.results.push([separator, 0, 0]);
            components -= skipped;
        }
        Ok(())
    }

    /// Adds a result by its enumerant, count of components and index (NV_transform_feedback). The
    /// error is the reason why OpenGL does not capture it.
    fn add_result(&mut self, capture: &Capture) -> Result<(), String> {
        let semantic = capture.semantic;
        let (name, index) = result_enum(semantic)
            .ok_or_else(|| format!("OpenGL captures no {semantic:?} of assembly programs"))?;
        if capture.first_component > 0 {
            return Err("OpenGL captures results from their first component on".to_owned());
        }
        let (name, index) = (name.cast_signed(), i32::from(index));
        self.results
            .push([name, i32::from(capture.component_count), index]);
        Ok(())
    }

    /// Returns the vertex streams that are captured, each once, in order.
    pub(super) fn captured_streams(&self) -> Vec<u32> {
        let mut streams = self.streams.clone();
        streams.sort_unstable();
        streams.dedup();
        streams
    }

    /// Returns true if this needs `glTransformFeedbackStreamAttribsNV`: for streams other than 0,
    /// and for results that are captured more than once, see ARB_transform_feedback3 issue 10.
    pub(super) fn needs_streams(&self) -> bool {
        let identity = |result: &CapturedResult| (result[0], result[2]);
        let repeats = |(position, result): (usize, &CapturedResult)| {
            let mut before = self.results[..position].iter();
            !is_separator(result) && before.any(|known| identity(known) == identity(result))
        };
        self.streams.iter().any(|stream| *stream > 0)
            || self.results.iter().enumerate().any(repeats)
    }

    /// Returns the extension that this needs beyond NV_transform_feedback, which captures into one
    /// buffer without gaps.
    pub(super) fn extension(&self) -> Option<&'static str> {
        let needed = self.needs_streams() || self.results.iter().any(is_separator);
        needed.then_some("GL_ARB_transform_feedback3")
    }

    /// Returns the largest number of components of a vertex in a buffer.
    pub(super) fn components(&self) -> u32 {
        let largest = self.strides.iter().max();
        largest.map_or(0, |stride| stride / 4)
    }
}

/// Returns true if it is a gap or selects the next buffer; results have positive numbers.
fn is_separator(result: &CapturedResult) -> bool {
    result[0] < 0
}

/// Returns the constant of OpenGL for a result, and its index among those of that name:
/// ARB_transform_feedback3, table X.1. `None` for results that cannot be captured.
fn result_enum(semantic: Semantic) -> Option<(u32, u8)> {
    if let Semantic::TexCoord(number) = semantic {
        return Some((gl::TEXTURE_COORD_NV, number));
    }
    if let Semantic::GenericVarying(number) = semantic {
        return Some((gl::GENERIC_ATTRIB_NV, number));
    }
    if let Semantic::ClipDistance(number) = semantic {
        return Some((gl::CLIP_DISTANCE_NV, number));
    }
    let mut names = SINGLE_RESULTS.iter();
    let (_, name) = names.find(|(known, _)| *known == semantic)?;
    Some((*name, 0))
}

/// Results that exist once.
const SINGLE_RESULTS: &[(Semantic, u32)] = &[
    (Semantic::Position, gl::POSITION),
    (Semantic::Color(0), gl::PRIMARY_COLOR),
    (Semantic::Color(1), gl::SECONDARY_COLOR_NV),
    (Semantic::BackColor(0), gl::BACK_PRIMARY_COLOR_NV),
    (Semantic::BackColor(1), gl::BACK_SECONDARY_COLOR_NV),
    (Semantic::FogCoord, gl::FOG_COORDINATE),
    (Semantic::PointSize, gl::POINT_SIZE),
    (Semantic::VertexId, gl::VERTEX_ID_NV),
    (Semantic::PrimitiveId, gl::PRIMITIVE_ID_NV),
    (Semantic::Layer, gl::LAYER_NV),
];

/// Primitives as transform feedback distinguishes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CapturedPrimitives {
    Points,
    Lines,
    Triangles,
}

impl CapturedPrimitives {
    /// Returns the primitives that a draw assembles; `None` for patches, whose primitives a program
    /// determines.
    pub(super) fn from_topology(topology: PrimitiveTopology) -> Option<Self> {
        Some(match topology {
            PrimitiveTopology::POINT_LIST => Self::Points,
            PrimitiveTopology::LINE_LIST
            | PrimitiveTopology::LINE_STRIP
            | PrimitiveTopology::LINE_LIST_WITH_ADJACENCY
            | PrimitiveTopology::LINE_STRIP_WITH_ADJACENCY => Self::Lines,
            PrimitiveTopology::TRIANGLE_LIST
            | PrimitiveTopology::TRIANGLE_STRIP
            | PrimitiveTopology::TRIANGLE_FAN
            | PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY
            | PrimitiveTopology::TRIANGLE_STRIP_WITH_ADJACENCY => Self::Triangles,
            _ => return None,
        })
    }

    /// Returns the output primitives that a geometry or tessellation evaluation program declares:
    /// NV_geometry_program4 section 2.X.7.Y, "PRIMITIVE_OUT", and NV_tessellation_program5,
    /// "TESS_MODE" and "TESS_POINT_MODE". Passthrough programs emit their input primitives. `None`
    /// if it declares none.
    pub(super) fn from_source(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text);
        let lines = text.lines();
        let statements = lines.map(|line| line.split('#').next().unwrap_or_default());
        let statements = statements.flat_map(|line| line.split(';'));
        let (mut found, mut taken, mut passes) = (None, None, false);
        for statement in statements {
            let mut words = statement.split_ascii_whitespace();
            match (words.next(), words.next()) {
                (Some("TESS_POINT_MODE"), _) => return Some(Self::Points),
                (Some("PRIMITIVE_OUT"), Some("POINTS")) => found = Some(Self::Points),
                (Some("PRIMITIVE_OUT"), Some("LINE_STRIP"))
                | (Some("TESS_MODE"), Some("ISOLINES")) => found = Some(Self::Lines),
                (Some("PRIMITIVE_OUT" | "TESS_MODE"), Some(_)) => found = Some(Self::Triangles),
                (Some("PRIMITIVE_IN"), Some("POINTS")) => taken = Some(Self::Points),
                (Some("PRIMITIVE_IN"), Some("LINES")) => taken = Some(Self::Lines),
                (Some("PRIMITIVE_IN"), Some("TRIANGLES")) => taken = Some(Self::Triangles),
                (Some("OPTION"), Some("NV_geometry_program_passthrough")) => passes = true,
                _ => {}
            }
        }
        found.or(taken.filter(|_| passes))
    }

    /// Returns the primitives that the module of a geometry or tessellation evaluation program
    /// generates; `None` for tessellation control programs.
    pub(super) fn from_reflection(reflected: &glasm::reflect::PrimitiveInfo) -> Option<Self> {
        use glasm::reflect::PrimitiveInfo as Told;
        match reflected {
            Told::TessControl { .. } => None,
            Told::TessEval {
                point_mode: true, ..
            } => Some(Self::Points),
            Told::TessEval { mode, .. } => Some(match mode {
                TessMode::Isolines => Self::Lines,
                TessMode::Triangles | TessMode::Quads => Self::Triangles,
            }),
            Told::Geometry {
                output_primitive: output,
                ..
            } => Some(match output {
                OutputPrimitive::Points => Self::Points,
                OutputPrimitive::LineStrip => Self::Lines,
                OutputPrimitive::TriangleStrip => Self::Triangles,
            }),
        }
    }

    /// Returns the primitive mode with which transform feedback of these primitives begins.
    pub(super) fn gl_mode(self) -> u32 {
        match self {
            Self::Points => gl::POINTS,
            Self::Lines => gl::LINES,
            Self::Triangles => gl::TRIANGLES,
        }
    }

    /// Returns the number of vertices of each primitive.
    pub(super) fn vertices_per_primitive(self) -> u64 {
        match self {
            Self::Points => 1,
            Self::Lines => 2,
            Self::Triangles => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_scripts::script::Script;

    #[test]
    fn streams_and_strides_of_modules() {
        let capture = |buffer, offset, stream| Capture {
            semantic: Semantic::Position,
            first_component: 1,
            component_count: 3,
            buffer,
            offset,
            stream,
        };
        let feedback = TransformFeedback {
            captures: vec![capture(2, 4, 1), capture(0, 0, 0)],
            strides: vec![32],
        };
        let plan = CapturePlan::from_modules(&feedback);
        assert!(plan.results.is_empty());
        assert_eq!(plan.streams, [0, 0, 1]);
        // Three components of four bytes after byte 4; buffer 1 is empty.
        assert_eq!(plan.strides, [32, 0, 16]);
    }

    /// Returns the plan for the captures of some script lines.
    fn plan(lines: &str) -> Result<CapturePlan, String> {
        let text = format!("[test]\n{lines}\n");
        CapturePlan::new(&Script::parse(text.as_bytes()).unwrap().feedback)
    }

    #[test]
    fn results_have_the_names_and_sizes_of_the_table() {
        // Values: the "New Tokens" of NV_transform_feedback.
        let lines = "xfb capture 0 result.position result.color.front result.color.front.secondary.xyz\n\
             xfb capture 0 result.color.back.xy result.color.back.secondary.x result.fogcoord result.pointsize\n\
             xfb capture 0 result.texcoord[3].xy result.clip[5] result.id result.primid result.attrib[7] result.layer";
        let expected = [
            [0x1203, 4, 0],
            [0x8577, 4, 0],
            [0x852D, 3, 0],
            [0x8C77, 2, 0],
            [0x8C78, 1, 0],
            [0x8451, 1, 0],
            [0x0B11, 1, 0],
            [0x8C79, 2, 3],
            [0x8C7A, 1, 5],
            [0x8C7B, 1, 0],
            [0x8C7C, 1, 0],
            [0x8C7D, 4, 7],
            [0x8DAA, 1, 0],
        ];
        let plan = plan(lines).unwrap();
        assert_eq!(plan.results, expected);
        assert_eq!((plan.extension(), plan.components()), (None, 26));
    }

    #[test]
    fn gaps_and_buffers_are_separated() {
        // ARB_transform_feedback3: NEXT_BUFFER_NV -2, SKIP_COMPONENTS4_NV to 1_NV -3 to -6.
        let lines = "xfb capture 0 result.position.xy skip 1 result.fogcoord\n\
             xfb stride 0 44\n\
             xfb capture 2 stream 1 skip 2 result.attrib[0]";
        let plan = plan(lines).unwrap();
        let expected = [
            [0x1203, 2, 0],
            [-6, 0, 0],
            [0x8451, 1, 0],
            [-3, 0, 0],
            [-4, 0, 0],
            [-2, 0, 0],
            [-2, 0, 0],
            [-5, 0, 0],
            [0x8C7D, 4, 0],
        ];
        assert_eq!(plan.results, expected);
        assert_eq!(plan.streams, [0, 0, 1]);
        assert_eq!(plan.strides, [44, 0, 24]);
        assert_eq!(plan.captured_streams(), [0, 1]);
        assert_eq!(plan.extension(), Some("GL_ARB_transform_feedback3"));
    }

    #[test]
    fn streams_and_repeated_results_take_another_command() {
        let needs = |lines| plan(lines).unwrap().needs_streams();
        assert!(needs("xfb capture 0 result.position result.position.x"));
        assert!(needs("xfb capture 1 stream 2 result.position"));
        assert!(!needs(
            "xfb capture 0 skip 1 result.texcoord[0] skip 1 result.texcoord[1]"
        ));
    }

    #[test]
    fn what_opengl_cannot_capture() {
        for lines in [
            "xfb capture 0 result.position.yz",
            "xfb capture 0 result.viewport",
            "xfb capture 0 stream 1 result.position\nxfb capture 0 stream 2 result.fogcoord",
        ] {
            assert!(plan(lines).is_err(), "{lines}");
        }
        assert_eq!(plan(""), Ok(CapturePlan::default()));
    }

    #[test]
    fn primitives_of_draws_and_programs() {
        let of = CapturedPrimitives::from_topology;
        assert_eq!(
            of(PrimitiveTopology::POINT_LIST),
            Some(CapturedPrimitives::Points)
        );
        assert_eq!(
            of(PrimitiveTopology::LINE_STRIP_WITH_ADJACENCY),
            Some(CapturedPrimitives::Lines)
        );
        assert_eq!(
            of(PrimitiveTopology::TRIANGLE_FAN),
            Some(CapturedPrimitives::Triangles)
        );
        assert_eq!(of(PrimitiveTopology::PATCH_LIST), None);
        let of = |text: &str| CapturedPrimitives::from_source(text.as_bytes());
        let geometry =
            "!!NVgp4.0\nPRIMITIVE_IN TRIANGLES;\nPRIMITIVE_OUT LINE_STRIP; VERTICES_OUT 2;";
        assert_eq!(of(geometry), Some(CapturedPrimitives::Lines));
        let through = "!!NVgp5.0\nOPTION NV_geometry_program_passthrough;\nPRIMITIVE_IN LINES;";
        assert_eq!(of(through), Some(CapturedPrimitives::Lines));
        assert_eq!(of("!!NVgp5.0\nPRIMITIVE_IN LINES;"), None);
        assert_eq!(
            of("PRIMITIVE_OUT TRIANGLE_STRIP;"),
            Some(CapturedPrimitives::Triangles)
        );
        assert_eq!(
            of("TESS_MODE QUADS;\nTESS_POINT_MODE;"),
            Some(CapturedPrimitives::Points)
        );
        assert_eq!(
            of("# TESS_MODE QUADS;\nTESS_MODE ISOLINES;"),
            Some(CapturedPrimitives::Lines)
        );
        assert_eq!(of("MOV result.position, vertex.position;"), None);
    }
}
