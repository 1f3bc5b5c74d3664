//! Stream outputs, as `[require]` lists them. They name registers of the last program before rasterization, as callers
//! of TGSI do, where other programs have results with names.

/// Components of an output register that are captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StreamOutput {
    /// Line of the script.
    pub line: u32,
    /// The register.
    pub register: u32,
    /// The first component.
    pub first: u8,
    /// Number of components.
    pub count: u8,
    /// Number of the buffer.
    pub buffer: u32,
    /// Words from the start of a vertex in the buffer.
    pub offset: u32,
    /// Vertex stream.
    pub stream: u32,
}

/// What a script captures by registers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StreamOutputs {
    /// The outputs, in the order of the script.
    pub outputs: Vec<StreamOutput>,
    /// Words from a vertex to the next, by buffer; 0 where the last output ends a vertex.
    pub strides: Vec<u32>,
}
