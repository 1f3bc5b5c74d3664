//! Shaders that are linked into separable program objects: from GLSL 1.50 on they must redeclare
//! the built-in varyings that they use (GLSL 4.60 section 7.1.1), which shaders of whole program
//! objects need not. The declarations are written into copies of the application's.

use crate::ffi::{driver, query};

/// Members of `gl_PerVertex` in the compatibility profile, with their types.
const MEMBERS: [(&str, &str); 11] = [
    ("vec4 gl_Position", ""),
    ("float gl_PointSize", ""),
    ("vec4 gl_ClipVertex", ""),
    ("float gl_ClipDistance", "[]"),
    ("float gl_CullDistance", "[]"),
    ("vec4 gl_FrontColor", ""),
    ("vec4 gl_BackColor", ""),
    ("vec4 gl_FrontSecondaryColor", ""),
    ("vec4 gl_BackSecondaryColor", ""),
    ("vec4 gl_TexCoord", "[]"),
    ("float gl_FogFragCoord", ""),
];

/// Returns the declarations that precede and follow the members, by kind of shader: inputs and
/// outputs.
fn blocks(kind: u32) -> &'static [(&'static str, &'static str)] {
    const ONE_OUT: (&str, &str) = ("out", "");
    const ALL_IN: (&str, &str) = ("in", " gl_in[]");
    match kind {
        0x8B31 => &[ONE_OUT],
        0x8E88 => &[ALL_IN, ("out", " gl_out[]")],
        0x8E87 | 0x8DD9 => &[ALL_IN, ONE_OUT],
        _ => &[],
    }
}

/// Returns the offset where declarations may be inserted: after the version and the extensions of a
/// source, and after conditionals around these.
fn place(text: &str) -> usize {
    let (mut place, mut at, mut depth, mut is_pending) = (0, 0, 0_u32, false);
    for line in text.split_inclusive('\n') {
        at += line.len();
        let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else {
            continue;
        };
        if directive.starts_with("if") {
            depth += 1;
        } else if directive.starts_with("endif") {
            depth = depth.saturating_sub(1);
            if depth == 0 && std::mem::take(&mut is_pending) {
                place = at;
            }
        } else if directive.starts_with("version") || directive.starts_with("extension") {
            match depth {
                0 => place = at,
                _ => is_pending = true,
            }
        }
    }
    place
}

/// Returns the sources, each with its kind of shader, with declarations of the built-in varyings
/// that one of them names; `None` if they have such declarations.
pub(crate) fn redeclared(texts: &[(u32, String)]) -> Option<Vec<(u32, String)>> {
    let names = |word: &str| texts.iter().any(|(_, text)| text.contains(word));
    if names("gl_PerVertex") {
        return None;
    }
    let used = MEMBERS.iter().filter(|(member, _)| {
        let name = member.split(' ').next_back();
        name.is_some_and(|name| name == "gl_Position" || names(name))
    });
    let members: String = used
        .map(|(member, array)| format!(" {member}{array};"))
        .collect();
    let declare = |(kind, text): &(u32, String)| {
        let (head, rest) = text.split_at(place(text));
        let mut text = head.to_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        for (direction, array) in blocks(*kind) {
            text.push_str(&format!(
                "{direction} gl_PerVertex {{{members} }}{array};\n"
            ));
        }
        (*kind, text + rest)
    };
    Some(texts.iter().map(declare).collect())
}

/// Links a program object of copies of its shaders, which declare their varyings. Its shaders
/// remain attached to it.
pub(crate) fn link(program: u32) {
    let shaders = query::attached_shaders(program);
    let texts: Vec<(u32, String)> = shaders
        .iter()
        .map(|&shader| {
            let [kind] = query::shader(shader, driver::constants::SHADER_TYPE);
            (kind as u32, query::shader_text(shader))
        })
        .collect();
    let Some(texts) = redeclared(&texts) else {
        return;
    };
    let copies = texts
        .iter()
        .map(|(kind, text)| query::create_shader_of_text(*kind, text));
    let copies: Vec<_> = copies.filter_map(Result::ok).collect();
    if copies.len() == shaders.len() {
        // Shaders that the application has deleted exist as long as they are attached.
        let holder = driver::CreateProgram();
        exchange(program, &shaders, &copies, holder);
        driver::LinkProgram(program);
        exchange(program, &copies, &shaders, 0);
        driver::DeleteProgram(holder);
    }
    copies.into_iter().for_each(driver::DeleteShader);
}

/// Attaches other shaders instead of some, which are attached to another program object from then
/// on.
fn exchange(program: u32, old: &[u32], new: &[u32], holder: u32) {
    for &shader in old {
        if holder != 0 {
            driver::AttachShader(holder, shader);
        }
        driver::DetachShader(program, shader);
    }
    for &shader in new {
        driver::AttachShader(program, shader);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_stand_behind_version_and_extensions() {
        let text = "// a\n#version 150\n#ifdef X\n #extension Y : enable\n#endif\nvoid main() {}\n#if 1\n#endif\n";
        assert_eq!(&text[place(text)..], "void main() {}\n#if 1\n#endif\n");
        assert_eq!(place("void main() {}"), 0);
        assert_eq!(place("#version 150"), 12);
    }

    #[test]
    fn what_one_shader_names_all_declare() {
        let vertex = (0x8B31, "#version 150\ngl_FrontColor".to_owned());
        let geometry = (0x8DD9, "#version 150\ngl_TexCoord[1]".to_owned());
        let texts = redeclared(&[vertex, geometry]).unwrap();
        let members = "{ vec4 gl_Position; vec4 gl_FrontColor; vec4 gl_TexCoord[]; }";
        assert_eq!(
            texts[0].1,
            format!("#version 150\nout gl_PerVertex {members};\ngl_FrontColor")
        );
        assert_eq!(
            texts[1].1,
            format!(
                "#version 150\nin gl_PerVertex {members} gl_in[];\nout gl_PerVertex {members};\ngl_TexCoord[1]"
            )
        );
        assert_eq!(redeclared(&[(0x8B31, "gl_PerVertex".to_owned())]), None);
    }
}
