//! Writes the commands and constants of OpenGL as Rust, from the registry of the Khronos group: for
//! the build scripts of `glrunner` and `glvendor`, whose sources include the text.
//!
//! The generated code has the modules `types` and `constants`, and tables of commands as macro
//! calls: the including crate's macro defines the expansion of each command. Names are those of the
//! registry, less `gl` and `GL_`.

use gl_generator::{Api, Fallbacks, Profile, Registry};
pub use gl_generator::{Binding, Cmd};

/// Types of parameters. Those of `gl_generator` are not portable: `char` of C is unsigned on some
/// machines.
const TYPES: &str = "\
/// Types of parameters.
#[allow(clippy::upper_case_acronyms, non_camel_case_types, dead_code, reason = \"names are those of the registry\")]
pub(crate) mod types {
    use std::ffi::{c_char, c_void};

    pub(crate) type GLenum = u32;
    pub(crate) type GLboolean = u8;
    pub(crate) type GLbitfield = u32;
    pub(crate) type GLbyte = i8;
    pub(crate) type GLubyte = u8;
    pub(crate) type GLshort = i16;
    pub(crate) type GLushort = u16;
    pub(crate) type GLint = i32;
    pub(crate) type GLuint = u32;
    pub(crate) type GLsizei = i32;
    pub(crate) type GLint64 = i64;
    pub(crate) type GLuint64 = u64;
    pub(crate) type GLint64EXT = i64;
    pub(crate) type GLuint64EXT = u64;
    pub(crate) type GLfloat = f32;
    pub(crate) type GLdouble = f64;
    pub(crate) type GLclampf = f32;
    pub(crate) type GLclampd = f64;
    pub(crate) type GLhalfNV = u16;
    pub(crate) type GLchar = c_char;
    pub(crate) type GLcharARB = c_char;
    pub(crate) type GLhandleARB = u32;
    pub(crate) type GLintptr = isize;
    pub(crate) type GLsizeiptr = isize;
    pub(crate) type GLintptrARB = isize;
    pub(crate) type GLsizeiptrARB = isize;
    pub(crate) type GLsync = *const c_void;
    pub(crate) type GLDEBUGPROC = Option<
        unsafe extern \"system\" fn(
            source: GLenum,
            kind: GLenum,
            id: GLuint,
            severity: GLenum,
            length: GLsizei,
            message: *const GLchar,
            user: *mut c_void,
        ),
    >;
    pub(crate) type GLDEBUGPROCKHR = GLDEBUGPROC;
}
";

/// A version of OpenGL, 4.6 if not specified, with the compatibility profile and extensions.
pub struct Commands(Registry);

impl Commands {
    /// Loads the registry with these extensions, such as `GL_ARB_vertex_program`.
    pub fn with_extensions(extensions: &[&str]) -> Self {
        Self::of_version((4, 6), extensions)
    }

    /// Loads the registry of a version (major and minor number) with these extensions.
    pub fn of_version(version: (u8, u8), extensions: &[&str]) -> Self {
        Self(Registry::new(
            Api::Gl,
            version,
            Profile::Compatibility,
            Fallbacks::None,
            extensions,
        ))
    }

    /// Returns all commands, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Cmd> {
        self.0.cmds.iter()
    }

    /// Returns the modules `types` and `constants`.
    pub fn types_and_constants(&self) -> String {
        let constants = self.0.enums.iter().filter(|row| row.ty != "&'static str");
        let lines = constants.map(|constant| {
            let (name, value) = (&constant.ident, &constant.value);
            let ty = match constant.ty.trim_start_matches("types::") {
                "GLenum" if value.starts_with('-') => "GLint",
                ty => ty,
            };
            let cast = if constant.cast { " as _" } else { "" };
            format!("pub(crate) const {name}: super::types::{ty} = {value}{cast};\n")
        });
        let lines: String = lines.collect();
        format!(
            "{TYPES}\n/// Constants.\n\
             #[allow(non_upper_case_globals, dead_code, reason = \"names are those of the registry\")]\n\
             pub(crate) mod constants {{\n{lines}}}\n"
        )
    }

    /// Returns a call of the macro `commands` with an entry for each command: `safe` or `unsafe`,
    /// the [`signature`], and a semicolon.
    pub fn commands_macro(&self, is_unsafe: impl Fn(&Cmd) -> bool) -> String {
        let rows = self.iter().map(|command| {
            let safety = if is_unsafe(command) { "unsafe" } else { "safe" };
            format!("{safety} {};\n", signature(command))
        });
        let rows: String = rows.collect();
        format!("commands! {{\n{rows}}}\n")
    }
}

/// Returns `Name(a_: T, b_: U) -> R`: parameters with an underscore, because some are keywords of
/// Rust.
pub fn signature(command: &Cmd) -> String {
    let parameters: Vec<String> = command
        .params
        .iter()
        .map(|parameter| format!("{}_: {}", parameter.ident, rust_type(&parameter.ty)))
        .collect();
    let (name, result) = (&command.proto.ident, rust_type(&command.proto.ty));
    format!("{name}({}) -> {result}", parameters.join(", "))
}

/// Returns the type without a path.
fn rust_type(ty: &str) -> String {
    ty.replace("__gl_imports::raw::", "").replace("types::", "")
}

/// Returns true if a command has a pointer as parameter or result.
pub fn has_pointer(command: &Cmd) -> bool {
    let mut types = command.params.iter().chain([&command.proto]);
    types.any(|it| {
        ["*", "DEBUGPROC", "GLsync", "GLegl"]
            .iter()
            .any(|part| it.ty.contains(part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_rows_with_their_signatures() {
        let commands = Commands::with_extensions(&["GL_NV_vertex_program"]);
        let table = commands.commands_macro(has_pointer);
        let rows = [
            "safe Finish() -> ();",
            "safe VertexAttrib1fNV(index_: GLuint, x_: GLfloat) -> ();",
            "unsafe GetString(name_: GLenum) -> *const GLubyte;",
            "unsafe ShaderSource(shader_: GLuint, count_: GLsizei, string_: *const *const GLchar, length_: *const GLint) -> ();",
            "unsafe DeleteSync(sync_: GLsync) -> ();",
        ];
        for row in rows {
            assert!(table.lines().any(|line| line == row), "{row}");
        }
        assert!(!table.contains("ProgramStringARB"));
    }

    /// Tests that versions have their commands alone: textures in three dimensions are of
    /// OpenGL 1.2.
    #[test]
    fn versions_have_their_commands() {
        let commands = Commands::of_version((1, 1), &["GL_NV_vertex_program"]);
        let has = |name: &str| commands.iter().any(|it| it.proto.ident == name);
        assert!(has("Begin") && has("DrawArrays") && has("LoadProgramNV"));
        assert!(!has("TexImage3D") && !has("ProgramStringARB"));
    }

    #[test]
    fn constants_have_the_type_of_their_value() {
        let text = Commands::with_extensions(&[]).types_and_constants();
        for line in [
            "pub(crate) const TEXTURE0: super::types::GLenum = 0x84C0;",
            "pub(crate) const TRUE: super::types::GLboolean = 1;",
            "pub(crate) const TIMEOUT_IGNORED: super::types::GLuint64 = 0xFFFFFFFFFFFFFFFF;",
        ] {
            assert!(text.lines().any(|known| known == line), "{line}");
        }
    }
}
