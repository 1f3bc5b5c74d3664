//! Positions in the tables of a program, each with a separate type.

define_ids! {
    /// A register.
    RegisterId = "r";
    /// A block: a sequence of nodes.
    BlockId = "b";
    /// A routine: main or a subroutine.
    RoutineId = "fn";
    /// A switch.
    SwitchId = "sw";
    /// A name of the source.
    NameId = "name";
    /// A literal vector of a program.
    LiteralId = "lit";
    /// An operand index that is not just a constant; see [`Index`](crate::Index).
    IndexId = "idx";
    /// Texture access data of one instruction.
    TexAccessId = "txa";
    /// Memory access data of one instruction.
    MemAccessId = "mem";
    /// Image access data of one instruction.
    ImageAccessId = "ima";
    /// A parameter slot: one vec4 of the parameter block.
    ParamId = "p";
    /// A texture of the program.
    TextureId = "tex";
    /// A buffer of the program.
    BufferId = "buf";
    /// An image of the program.
    ImageId = "img";
    /// A stage input.
    InputId = "in";
    /// A stage output.
    OutputId = "out";
}
