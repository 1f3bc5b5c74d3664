//! Packages of Debian: Debian policy, chapters 3 to 5, 8 and 12.

use super::archive::add_command_files;
use super::build::{Builds, SONAME, VENDOR_SONAME};
use super::release::Release;
use super::tree::Tree;
use anyhow::{Context as _, Result};
use glasm_ci_support::shell;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name of the maintainer.
const MAINTAINER: &str = "glasm developers";

/// Address of the maintainer, unless the variable `DEBEMAIL` has another one.
const ADDRESS: &str = "glasm@example.org";

/// Architectures: Debian's name, and the directory of its libraries below `usr/lib`.
const AMD64: (&str, &str) = ("amd64", "x86_64-linux-gnu");
const I386: (&str, &str) = ("i386", "i386-linux-gnu");

/// Trigger of packages with shared libraries in directories of the dynamic linker: Debian policy,
/// section 8.1.1.
const LDCONFIG: &str = "activate-noawait ldconfig\n";

/// Fields of the control file of a package, except those that are derived.
struct Control {
    name: &'static str,
    architecture: &'static str,
    section: &'static str,
    /// Further fields, one on each line.
    fields: String,
    synopsis: &'static str,
    /// Paragraph of the description; its lines have at most 78 characters.
    description: &'static str,
}

/// Writer of packages: what all of them share.
struct PackageWriter<'a> {
    builds: &'a Builds,
    licenses: &'a Path,
    release: &'a Release,
    output: &'a Path,
}

/// Writes all packages to the directory.
pub(super) fn write_packages(
    builds: &Builds,
    licenses: &Path,
    release: &Release,
    output: &Path,
) -> Result<()> {
    let writer = PackageWriter {
        builds,
        licenses,
        release,
        output,
    };
    writer.write_command()?;
    for (architecture, library) in [AMD64, I386].into_iter().zip(&builds.vendor_libraries) {
        writer.write_vendor_library(architecture, library)?;
    }
    writer.write_c_library()?;
    writer.write_c_development_files()
}

impl PackageWriter<'_> {
    /// Writes the package `glasm`.
    fn write_command(&self) -> Result<()> {
        let tree = self.create_tree("glasm", AMD64.0)?;
        tree.add_program("usr/bin/glasm", &self.builds.command)?;
        add_command_files(&tree, self.builds, "usr/share", true)?;
        // Debian's directory of completions for zsh.
        fs::rename(
            tree.root().join("usr/share/zsh/site-functions"),
            tree.root().join("usr/share/zsh/vendor-completions"),
        )?;
        let control = Control {
            name: "glasm",
            architecture: AMD64.0,
            section: "graphics",
            fields: format!(
                "Depends: {}\n\
                 Recommends: libvulkan1, mesa-vulkan-drivers, libglx-glasm\n\
                 Suggests: spirv-tools\n",
                self.builds.dependencies
            ),
            synopsis: "compiles legacy GPU assembly programs to SPIR-V and runs them",
            description: "\
The command checks, compiles and runs shader programs in the assembly
languages of OpenGL (ARB_vertex_program to NV_gpu_program5) and in TGSI. It
writes SPIR-V and other shading languages, runs test scripts on Vulkan and
OpenGL, and starts applications with the vendor library of libglx-glasm.",
        };
        self.finish(&tree, &control)
    }

    /// Writes the package `libglx-glasm` of an architecture.
    fn write_vendor_library(
        &self,
        (architecture, triplet): (&'static str, &str),
        library: &Path,
    ) -> Result<()> {
        let tree = self.create_tree("libglx-glasm", architecture)?;
        let directory = format!("usr/lib/{triplet}");
        tree.add_data(&format!("{directory}/{VENDOR_SONAME}"), library)?;
        tree.add_link(&format!("{directory}/libEGL_glasm.so.0"), VENDOR_SONAME)?;
        tree.add_text("DEBIAN/triggers", LDCONFIG)?;
        tree.add_text("DEBIAN/shlibs", "libGLX_glasm 0 libglx-glasm\n")?;
        let control = Control {
            name: "libglx-glasm",
            architecture,
            section: "libs",
            fields: format!(
                "Multi-Arch: same\n\
                 Depends: {}\n\
                 Recommends: libgl1, libegl1, libglx-mesa0, libegl-mesa0, libgl1-mesa-dri\n",
                self.builds.dependencies
            ),
            synopsis: "legacy GPU assembly programs for unmodified OpenGL applications",
            description: "\
This vendor library of GLVND provides the extensions NV_vertex_program to
NV_gpu_program5 on OpenGL drivers that lack them. It is used by applications
that are started with `glasm gl`, or with __GLX_VENDOR_LIBRARY_NAME=glasm in
the environment.",
        };
        self.finish(&tree, &control)
    }

    /// Writes the package `libglasm0`.
    fn write_c_library(&self) -> Result<()> {
        let tree = self.create_tree("libglasm0", AMD64.0)?;
        let directory = format!("usr/lib/{}", AMD64.1);
        let file = format!("libglasm.so.{}", self.release.version);
        let [shared, _] = &self.builds.c_libraries;
        tree.add_data(&format!("{directory}/{file}"), shared)?;
        tree.add_link(&format!("{directory}/{SONAME}"), &file)?;
        tree.add_text("DEBIAN/triggers", LDCONFIG)?;
        tree.add_text(
            "DEBIAN/shlibs",
            format!("libglasm 0 libglasm0 (>= {})\n", self.release.version),
        )?;
        let control = Control {
            name: "libglasm0",
            architecture: AMD64.0,
            section: "libs",
            fields: format!("Multi-Arch: same\nDepends: {}\n", self.builds.dependencies),
            synopsis: "compiler of legacy GPU assembly programs, C interface",
            description: "\
The library compiles shader programs in the assembly languages of OpenGL
(ARB_vertex_program to NV_gpu_program5) and in TGSI to SPIR-V and other
shading languages. It is for translation layers and emulators.",
        };
        self.finish(&tree, &control)
    }

    /// Writes the package `libglasm-dev`.
    fn write_c_development_files(&self) -> Result<()> {
        let tree = self.create_tree("libglasm-dev", AMD64.0)?;
        let directory = format!("usr/lib/{}", AMD64.1);
        let capi = Path::new("compiler/capi");
        for header in shell::find_files_below(&capi.join("include"), "h")? {
            let name = header.file_name().unwrap_or_default().to_string_lossy();
            tree.add_data(&format!("usr/include/{name}"), &header)?;
        }
        let [_, fixed] = &self.builds.c_libraries;
        tree.add_data(&format!("{directory}/libglasm.a"), fixed)?;
        tree.add_link(&format!("{directory}/libglasm.so"), SONAME)?;
        let version = &self.release.version;
        tree.add_text(
            &format!("{directory}/pkgconfig/glasm.pc"),
            format!(
                "prefix=/usr\n\
                 libdir=${{prefix}}/lib/{}\n\
                 includedir=${{prefix}}/include\n\n\
                 Name: glasm\n\
                 Description: Compiles legacy GPU assembly programs to SPIR-V\n\
                 Version: {version}\n\
                 Libs: -L${{libdir}} -lglasm\n\
                 Libs.private: -lm -lpthread -ldl -lgcc_s\n\
                 Cflags: -I${{includedir}}\n",
                AMD64.1
            ),
        )?;
        for file in shell::find_files_below(&capi.join("cmake"), "cmake")? {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            tree.add_data(&format!("usr/share/cmake/glasm/{name}"), &file)?;
        }
        let control = Control {
            name: "libglasm-dev",
            architecture: AMD64.0,
            section: "libdevel",
            fields: format!("Depends: libglasm0 (= {version}), libc6-dev\n"),
            synopsis: "compiler of legacy GPU assembly programs, development files",
            description: "\
Header, static library, and files for pkg-config and CMake of the C interface
of glasm, which compiles shader programs in the assembly languages of OpenGL
to SPIR-V.",
        };
        self.finish(&tree, &control)
    }

    /// Creates the tree of a package, with its copyright and its changelog.
    fn create_tree(&self, name: &str, architecture: &str) -> Result<Tree> {
        let directory = shell::below_target("dist/debian").join(format!("{name}_{architecture}"));
        let tree = Tree::create(directory)?;
        let documents = format!("usr/share/doc/{name}");
        tree.add_text(&format!("{documents}/copyright"), format_copyright()?)?;
        let changelog = fs::read("CHANGELOG.md").context("CHANGELOG.md")?;
        tree.add_compressed(&format!("{documents}/NEWS.md.gz"), &changelog)?;
        let licenses = fs::read(self.licenses).context("licenses")?;
        tree.add_compressed(
            &format!("{documents}/THIRD-PARTY-LICENSES.txt.gz"),
            &licenses,
        )?;
        let changelog = self.format_changelog(name)?;
        tree.add_compressed(&format!("{documents}/changelog.gz"), changelog.as_bytes())?;
        Ok(tree)
    }

    /// Formats the changelog of a package in Debian's format: Debian policy, section 4.4.
    fn format_changelog(&self, name: &str) -> Result<String> {
        let mut date = Command::new("date");
        date.args(["--utc", "--rfc-email", "--date"]);
        date.env("LC_ALL", "C");
        let date = shell::read_checked_output(date.arg(format!("@{}", self.release.epoch)))?;
        let date = String::from_utf8_lossy(&date);
        Ok(format!(
            "{name} ({}) unstable; urgency=medium\n\n  * New version, see NEWS.md.gz.\n\n -- {}  {}\n",
            self.release.version,
            format_maintainer(),
            date.trim()
        ))
    }

    /// Adds the control file and the list of hashes, and writes the package.
    fn finish(&self, tree: &Tree, control: &Control) -> Result<()> {
        let files = list_files(tree.root())?;
        let mut size = 0;
        let mut md5 = Command::new("md5sum");
        md5.current_dir(tree.root()).arg("--");
        for file in &files {
            size += fs::metadata(tree.root().join(file))?.len().div_ceil(1024);
            md5.arg(file);
        }
        tree.add_text("DEBIAN/md5sums", shell::read_checked_output(&mut md5)?)?;
        tree.add_text(
            "DEBIAN/control",
            format_control(control, &format_maintainer(), &self.release.version, size),
        )?;
        let name = format!(
            "{}_{}_{}.deb",
            control.name, self.release.version, control.architecture
        );
        let mut build = Command::new("dpkg-deb");
        let level = format!("-z{}", self.release.compression);
        build.args(["--root-owner-group", "-Zxz", &level, "--build"]);
        build.env("SOURCE_DATE_EPOCH", self.release.epoch.to_string());
        build.env("DPKG_DEB_THREADS_MAX", "1");
        shell::run_checked(build.arg(tree.root()).arg(self.output.join(name)))
    }
}

/// Returns the maintainer with the address.
fn format_maintainer() -> String {
    let address = std::env::var("DEBEMAIL").unwrap_or_else(|_| ADDRESS.to_owned());
    format!("{MAINTAINER} <{address}>")
}

/// Formats the copyright of a package.
fn format_copyright() -> Result<String> {
    let mit = fs::read_to_string("LICENSE-MIT")?;
    Ok(format!(
        "glasm\n\nCopyright (C) 2026 the glasm developers\n\nglasm may be used under the terms of the \
         Apache License, version 2.0,\nwhich Debian systems have in \
         /usr/share/common-licenses/Apache-2.0, or under\nthe following terms:\n\n{mit}\n\
         Binaries contain other packages, whose licenses are in\nTHIRD-PARTY-LICENSES.txt.gz.\n"
    ))
}

/// Returns the regular files of a package, sorted, relative to the root; without the control files.
fn list_files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let entry = entry?;
        let path = entry.path().strip_prefix(root)?;
        if entry.file_type().is_file() && !path.starts_with("DEBIAN") {
            files.push(path.to_owned());
        }
    }
    Ok(files)
}

/// Formats the control file of a package: Debian policy, section 5.3. `size` is in KiB.
fn format_control(control: &Control, maintainer: &str, version: &str, size: u64) -> String {
    let mut text = format!(
        "Package: {}\nVersion: {version}\nArchitecture: {}\nMaintainer: {maintainer}\n\
         Installed-Size: {size}\n{}Section: {}\nPriority: optional\nDescription: {}\n",
        control.name, control.architecture, control.fields, control.section, control.synopsis
    );
    for line in control.description.lines() {
        let _ = writeln!(text, " {line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_files_have_the_fields_of_the_policy() {
        let control = Control {
            name: "a",
            architecture: "amd64",
            section: "libs",
            fields: "Multi-Arch: same\nDepends: libc6 (>= 2.28)\n".to_owned(),
            synopsis: "short",
            description: "first line\nsecond line",
        };
        let expected = "\
Package: a
Version: 1.2.3
Architecture: amd64
Maintainer: a person <a@example.org>
Installed-Size: 7
Multi-Arch: same
Depends: libc6 (>= 2.28)
Section: libs
Priority: optional
Description: short
 first line
 second line
";
        assert_eq!(
            format_control(&control, "a person <a@example.org>", "1.2.3", 7),
            expected
        );
    }
}
