//! GLSL 330 and GLSL ES 300 link stages by name: a complete interface has the names of all inputs.
#![cfg(feature = "spirv-cross")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::Varyings;
use glasm_text::{Language, Options, Source, write};
use std::collections::BTreeSet;

/// Returns the declarations of a stage that begin with `keyword`, without their qualifiers.
fn list_declarations(program: &str, options: &Options, keyword: &str) -> BTreeSet<String> {
    let written = write(&Source::new("test", program), options).unwrap();
    let lines = written.source.lines();
    let declarations = lines.filter_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let place = words.iter().position(|word| *word == keyword)?;
        let is_located = line.starts_with("layout");
        (!is_located).then(|| words[place + 1..].join(" "))
    });
    declarations.collect()
}

#[test]
fn complete_interfaces_link_by_name() {
    for language in [Language::Glsl(330), Language::Essl(300)] {
        let mut options = Options::new(language);
        options.compiler.interface.outputs = Varyings::AllLocations(Varyings::GUARANTEED);
        options.compiler.pipeline_state.two_sided_color = true;
        let vertex = "!!NVvp4.0\nMOV result.position, vertex.position;\nEND";
        let written = list_declarations(vertex, &options, "out");
        assert_eq!(written.len(), 28, "{written:?}");
        let plain = ["color", "color.secondary", "fogcoord"].map(str::to_owned);
        let sets = (0..8).map(|number| format!("texcoord[{number}]"));
        let generic = (0..15).map(|number| format!("attrib[{number}]"));
        let mut read = BTreeSet::new();
        for input in plain.into_iter().chain(sets).chain(generic) {
            let fragment = format!("!!NVfp4.0\nMOV result.color, fragment.{input};\nEND");
            let inputs = list_declarations(&fragment, &options, "in");
            assert!(!inputs.is_empty(), "{input}");
            assert!(inputs.is_subset(&written), "{language}: {inputs:?}");
            read.extend(inputs);
        }
        assert_eq!(read, written);
    }
}
