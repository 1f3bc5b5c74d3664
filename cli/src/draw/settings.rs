//! Settings of a scene from the command line, with the contents of the files that it names.

use crate::args::{DrawArgs, TextureArg};
use crate::batch::catch_panic;
use glasm_scene::{
    Mesh, PATTERNS, ParameterBank, SceneOptions, TextureContents, TextureImage, TextureKind,
    read_model,
};
use std::path::Path;

/// Pixels of all images of an animation together at most.
const MAX_PIXELS: u64 = 1 << 28;

/// Returns the settings of the scene.
///
/// # Errors
/// If a file cannot be read, a name is unknown, or the animation is too large.
pub(super) fn read_settings(args: &DrawArgs) -> Result<SceneOptions, String> {
    let [width, height] = args.size.map(u64::from);
    let frames = u64::from(args.frames);
    if width * height * frames > MAX_PIXELS {
        return Err(format!(
            "{frames} frames of {width} x {height} pixels have more than {MAX_PIXELS} pixels; \
             choose a smaller --size or fewer --frames"
        ));
    }
    let banks = [
        (ParameterBank::Env, &args.env),
        (ParameterBank::Local, &args.local),
        (ParameterBank::Constant, &args.constant),
    ];
    let parameters = banks.into_iter().flat_map(|(bank, settings)| {
        let settings = settings.iter().cloned();
        settings.map(move |setting| (bank, setting))
    });
    let mut options = SceneOptions {
        size: args.size,
        frames: args.frames,
        model: args.model.as_deref().map(read_model_safely).transpose()?,
        parameters: parameters.collect(),
        attributes: args.attribute.iter().copied().collect(),
        matrices: args.matrix.clone(),
        lights: args.light.clone(),
        state: args.state.clone(),
        require: args.require.clone(),
        ..SceneOptions::default()
    };
    if let Some(name) = args.output.file_name() {
        options.image_name = name.to_string_lossy().into_owned();
    }
    for texture in &args.texture {
        options
            .textures
            .insert(texture.unit, read_texture(texture)?);
    }
    Ok(options)
}

/// Reads a model; a panic of the parser is an error.
fn read_model_safely(path: &Path) -> Result<Mesh, String> {
    let read = catch_panic(|| read_model(path));
    read.unwrap_or_else(|panic| Err(format!("{}: not a valid model: {panic}", path.display())))
}

/// Returns the contents of a texture: a pattern, or the image of a file if the name has an
/// extension or a directory.
fn read_texture(texture: &TextureArg) -> Result<TextureContents, String> {
    let name = texture.contents.as_str();
    let pattern = PATTERNS.iter().find(|(known, _)| *known == name);
    let kind = if let Some((_, pattern)) = pattern {
        TextureKind::Pattern(pattern)
    } else if name.contains(['.', '/', '\\']) {
        let image = TextureImage::read(Path::new(name));
        TextureKind::Image(image.map_err(|error| format!("--texture {}: {error}", texture.unit))?)
    } else {
        let names: Vec<&str> = PATTERNS.iter().map(|(name, _)| *name).collect();
        return Err(format!(
            "--texture {}: `{name}` is not the path of a PNG file and not one of {}",
            texture.unit,
            names.join(", ")
        ));
    };
    Ok(TextureContents {
        is_cube: texture.is_cube,
        kind,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    fn read(words: &[&str]) -> Result<SceneOptions, String> {
        let words = ["glasm", "draw", "a.fp", "-o", "out/b.png"]
            .iter()
            .chain(words);
        let Command::Draw(args) = Cli::try_parse_from(words).unwrap().command else {
            panic!("not draw")
        };
        read_settings(&args)
    }

    #[test]
    fn settings_are_those_of_the_command_line() {
        let options = read(&[
            "--env",
            "3=1",
            "--local",
            "3=2",
            "--texture",
            "1=cube:noise",
        ]);
        let options = options.unwrap();
        assert_eq!(options.image_name, "b.png");
        let banks: Vec<ParameterBank> = options.parameters.iter().map(|it| it.0).collect();
        assert_eq!(banks, [ParameterBank::Env, ParameterBank::Local]);
        let noise = TextureContents {
            is_cube: true,
            kind: TextureKind::Pattern("noise"),
        };
        assert_eq!(options.textures.get(&1), Some(&noise));
    }

    #[test]
    fn wrong_names_and_sizes_are_errors() {
        let error = |words: &[&str]| read(words).unwrap_err();
        let unknown = error(&["--texture", "0=plaid"]);
        assert!(
            unknown.contains("`plaid`") && unknown.contains("checker"),
            "{unknown}"
        );
        assert!(error(&["--texture", "0=missing.png"]).contains("missing.png"));
        assert!(error(&["--model", "missing.obj"]).contains("missing.obj"));
        let large = error(&["--size", "4096x4096", "--frames", "17"]);
        assert!(large.contains("17 frames"), "{large}");
    }
}
