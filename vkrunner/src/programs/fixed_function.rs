//! What GL does where a draw has no program, as programs. Pure.

use glasm_scripts::script::TextureEnables;
use std::fmt::Write;

/// Attributes of fixed-function vertices.
const FIXED_ATTRIBUTES: &str = "MOV result.color, vertex.color;
MOV result.color.secondary, vertex.color.secondary;
MOV result.fogcoord.x, vertex.fogcoord.x;
";

/// GL's vertex processing without lighting, as a program; texture coordinates are those that the fragment stage reads.
pub(super) fn vertex_text(texcoords: &[u8]) -> String {
    let mut text = "!!NVvp4.0\nPARAM mvp[] = { state.matrix.mvp };\n".to_owned();
    let mut transform = |matrix: &str, result: &str, vertex: &str| {
        for (component, row) in ["x", "y", "z", "w"].iter().zip(0..) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "DP4 {result}.{component}, {matrix}[{row}], {vertex};");
        }
    };
    transform("mvp", "result.position", "vertex.position");
    let mut declarations = String::new();
    for unit in texcoords {
        let _ = writeln!(
            declarations,
            "PARAM texture{unit}[] = {{ state.matrix.texture[{unit}] }};"
        );
        transform(
            &format!("texture{unit}"),
            &format!("result.texcoord[{unit}]"),
            &format!("vertex.texcoord[{unit}]"),
        );
    }
    let text = text.replacen('\n', &format!("\n{declarations}"), 1);
    format!("{text}{FIXED_ATTRIBUTES}END\n")
}

/// GL's fragment processing as a program: the primary color, modulated by the textures that are enabled, which is the initial
/// texture environment. GL 2.1 section 3.8.13.
pub(super) fn fragment_text(enables: &[TextureEnables]) -> String {
    let mut text = "!!NVfp4.0\nTEMP color, texel;\nMOV color, fragment.color;\n".to_owned();
    for (unit, enables) in enables.iter().enumerate() {
        let Some(target) = enables.target() else {
            continue;
        };
        // The coordinate of a cube map is a direction, which has no divisor.
        let opcode = match target {
            "CUBE" => "TEX",
            _ => "TXP",
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{opcode} texel, fragment.texcoord[{unit}], texture[{unit}], {target};\nMUL color, color, texel;"
        );
    }
    text + "MOV result.color, color;\nEND\n"
}

/// Texture coordinates that [`fragment_text`] reads.
pub(super) fn texture_units(enables: &[TextureEnables]) -> impl Iterator<Item = u8> {
    let units = (0u8..).zip(enables);
    units.filter_map(|(unit, enables)| enables.target().map(|_| unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_scripts::script::Switch;

    #[test]
    fn programs_load() {
        let mut enables = Vec::new();
        for name in TextureEnables::NAMES {
            let mut unit = TextureEnables::default();
            unit.set(name, Switch::On).unwrap();
            enables.push(unit);
        }
        enables.push(TextureEnables::default());
        let units: Vec<u8> = texture_units(&enables).collect();
        assert_eq!(units, [0, 1, 2, 3, 4]);
        for text in [
            fragment_text(&enables),
            fragment_text(&[]),
            vertex_text(&units),
        ] {
            let source = glasm::Source::new("fixed function", text.as_bytes());
            assert!(
                glasm::compile(&source, &glasm::Options::default()).is_ok(),
                "{text}"
            );
        }
    }
}
