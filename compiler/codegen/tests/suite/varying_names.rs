//! Names of varyings: languages that link by name need the same name on both sides of an interface.

use crate::support::*;
use glasm_codegen::Options;
use glasm_codegen::options::{DebugInfo, InterfaceTypes, Varyings};
use glasm_ir::*;
use std::collections::BTreeMap;

/// Returns the names of the variables of a storage class by location.
fn names_by_location(program: &Program, options: &Options, class: &str) -> BTreeMap<u32, String> {
    let text = disassemble(&check_with(program, options).words);
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let variables = lines.iter().filter_map(|line| match line.as_slice() {
        [id, "=", "OpVariable", _, own, ..] if *own == class => Some(*id),
        _ => None,
    });
    let found = variables.filter_map(|id| {
        let location = lines.iter().find_map(|line| match line.as_slice() {
            ["OpDecorate", target, "Location", number] if *target == id => number.parse().ok(),
            _ => None,
        })?;
        let name = lines.iter().find_map(|line| match line.as_slice() {
            ["OpName", target, name] if *target == id => Some(name.trim_matches('"').to_owned()),
            _ => None,
        })?;
        Some((location, name))
    });
    found.collect()
}

/// A complete interface has every name that a fragment program reads at the same location.
#[test]
fn complete_interfaces_have_the_names_that_fragment_programs_read() {
    let mut options = Options {
        debug: DebugInfo {
            names: true,
            lines: false,
        },
        interface: InterfaceTypes {
            outputs: Varyings::AllLocations(Varyings::GUARANTEED),
            ..InterfaceTypes::default()
        },
        ..Options::default()
    };
    let mut m = Make::new(Stage::Vertex);
    let (place, position) = (
        m.input(Semantic::VertexAttribute(0)),
        m.output(Semantic::Position),
    );
    m.f(Op::Mov, d(position, "xyzw"), &[place]);
    let written = names_by_location(&m.finish(), &options, "Output");
    assert_eq!(written.len(), 28);

    options.pipeline_state.two_sided_color = true;
    let colors = (0..2).map(Semantic::Color);
    let varyings = colors
        .chain([Semantic::FogCoord, Semantic::FogCoordVec4])
        .chain((0..8).map(Semantic::TexCoord))
        .chain((0..15).map(Semantic::GenericVarying));
    let mut read = BTreeMap::new();
    for semantic in varyings {
        let mut m = Make::new(Stage::Fragment);
        let (input, color) = (m.input(semantic), m.color());
        m.f(Op::Mov, d(color, "xyzw"), &[input]);
        let names = names_by_location(&m.finish(), &options, "Input");
        assert!(!names.is_empty(), "{semantic:?}");
        for (location, name) in names {
            assert_eq!(written.get(&location), Some(&name), "{semantic:?}");
            read.insert(location, name);
        }
    }
    // Nothing is written that no fragment program reads.
    assert_eq!(read, written);
}
