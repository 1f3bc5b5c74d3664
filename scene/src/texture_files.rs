//! Textures from PNG files, as texels of a script.

use glasm::ir::TexTarget;
use glasm_scripts::script::target_name;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek};
use std::path::Path;

/// Texels of a side of a texture at most; larger images are reduced by halves.
const MAX_SIDE: u32 = 512;

/// Texels of a side of a file at most.
const MAX_FILE_SIDE: u32 = 8192;

/// Image of a file: colors of 8 bits, the upper left one first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextureImage {
    /// Name of the file, for messages.
    name: String,
    width: u32,
    height: u32,
    texels: Vec<[u8; 4]>,
}

impl TextureImage {
    /// Reads an image, and halves it until it has at most [`MAX_SIDE`] texels in each direction.
    ///
    /// # Errors
    /// If the file cannot be read or is not an image.
    pub fn read(path: &Path) -> Result<Self, String> {
        let with_path = |message: String| format!("{}: {message}", path.display());
        let file = File::open(path).map_err(|error| with_path(error.to_string()))?;
        Self::decode(&path.display().to_string(), BufReader::new(file)).map_err(with_path)
    }

    /// Decodes the image of a PNG file with a name, and halves it until it has at most [`MAX_SIDE`]
    /// texels in each direction.
    ///
    /// # Errors
    /// If it is not an image.
    pub fn decode(name: &str, file: impl BufRead + Seek) -> Result<Self, String> {
        let mut decoder = png::Decoder::new(file);
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder
            .read_info()
            .map_err(|error| format!("not a PNG image: {error}"))?;
        let (width, height) = (reader.info().width, reader.info().height);
        if width.max(height) > MAX_FILE_SIDE {
            return Err(format!(
                "the image has {width} x {height} pixels; at most {MAX_FILE_SIDE} are read in each \
                 direction"
            ));
        }
        let size = reader
            .output_buffer_size()
            .ok_or("the image is too large")?;
        let mut bytes = vec![0; size];
        let info = reader
            .next_frame(&mut bytes)
            .map_err(|error| format!("not a valid PNG image: {error}"))?;
        bytes.truncate(info.buffer_size());
        let mut image = Self {
            name: name.to_owned(),
            width,
            height,
            texels: convert_texels(&bytes, info.color_type),
        };
        if image.texels.len() as u64 != u64::from(width) * u64::from(height) {
            return Err("the image is not complete".to_owned());
        }
        while image.width.max(image.height) > MAX_SIDE {
            image = image.halve();
        }
        Ok(image)
    }

    /// Returns the command that creates a texture of the image with all its levels.
    ///
    /// # Errors
    /// If textures of the target cannot have an image.
    pub(super) fn format_command(&self, unit: u32, target: TexTarget) -> Result<String, String> {
        let name = target_name(target);
        let (faces, size) = match target {
            TexTarget::D1 => (
                vec![self.crop(0, self.width, 1)],
                format!("({})", self.width),
            ),
            TexTarget::D2 | TexTarget::Rect => {
                let size = format!("({}, {})", self.width, self.height);
                (vec![self.flip()], size)
            }
            TexTarget::Cube => {
                let faces = self.split_faces()?;
                let side = faces[0].width;
                (faces, format!("({side}, {side})"))
            }
            TexTarget::D3
            | TexTarget::D1Array
            | TexTarget::D2Array
            | TexTarget::CubeArray
            | TexTarget::Buffer
            | TexTarget::D2Multisample
            | TexTarget::D2MultisampleArray => {
                return Err(format!(
                    "--texture {unit}: {}: a {name} texture cannot be an image; it can have a \
                     pattern",
                    self.name
                ));
            }
        };
        let has_levels = target != TexTarget::Rect;
        let levels = if has_levels { "levels all " } else { "" };
        let mut text = format!("texture {name} {unit} {levels}A8B8G8R8_UNORM_PACK32 {size}");
        let mut level = faces;
        loop {
            for face in &level {
                face.append_texels(&mut text);
            }
            let is_last = level.iter().all(|face| face.width.max(face.height) == 1);
            if is_last || !has_levels {
                break;
            }
            level = level.iter().map(Self::halve).collect();
        }
        text.push('\n');
        Ok(text)
    }

    /// Returns the image with half the size, rounded down, each texel the mean of four.
    fn halve(&self) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let texel = |x: u32, y: u32| {
            let right = (2 * x + 1).min(self.width - 1);
            let below = (2 * y + 1).min(self.height - 1);
            let corners = [
                self.get(2 * x, 2 * y),
                self.get(right, 2 * y),
                self.get(2 * x, below),
                self.get(right, below),
            ];
            std::array::from_fn(|channel| {
                let sum: u32 = corners
                    .iter()
                    .map(|corner| u32::from(corner[channel]))
                    .sum();
                ((sum + 2) / 4) as u8
            })
        };
        let coordinates = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        Self {
            name: self.name.clone(),
            width,
            height,
            texels: coordinates.map(|(x, y)| texel(x, y)).collect(),
        }
    }

    /// Returns the texel at coordinates, clamped to the image.
    fn get(&self, x: u32, y: u32) -> [u8; 4] {
        let (x, y) = (x.min(self.width - 1), y.min(self.height - 1));
        let index = u64::from(y) * u64::from(self.width) + u64::from(x);
        let texel = self.texels.get(index as usize);
        texel.copied().unwrap_or_default()
    }

    /// Returns the image upside down: in OpenGL the first texels are the lowest ones.
    fn flip(&self) -> Self {
        let lines = self.texels.chunks_exact(self.width as usize).rev();
        Self {
            texels: lines.flatten().copied().collect(),
            ..self.clone()
        }
    }

    /// Returns the upper part of the image from `left` on, with this size.
    fn crop(&self, left: u32, width: u32, height: u32) -> Self {
        let coordinates = (0..height).flat_map(|y| (left..left + width).map(move |x| (x, y)));
        Self {
            name: self.name.clone(),
            width,
            height,
            texels: coordinates.map(|(x, y)| self.get(x, y)).collect(),
        }
    }

    /// Returns the six faces of a cube map: of an image six times as wide as high, from left to
    /// right, otherwise six times the image.
    ///
    /// # Errors
    /// If the faces are not squares.
    fn split_faces(&self) -> Result<Vec<Self>, String> {
        let (width, height) = (self.width, self.height);
        if width == height {
            return Ok(vec![self.clone(); 6]);
        }
        // Sides of reduced images are rounded.
        if width / 6 == height {
            return Ok((0..6)
                .map(|face| self.crop(face * height, height, height))
                .collect());
        }
        Err(format!(
            "{}: an image of a cube map is a square, or six squares side by side",
            self.name
        ))
    }

    /// Appends the texels to a command, a line of the script for each line of the image.
    fn append_texels(&self, text: &mut String) {
        for line in self.texels.chunks(self.width as usize) {
            text.push_str(" \\\n");
            for [red, green, blue, alpha] in line {
                let _ = write!(text, " 0x{alpha:02x}{blue:02x}{green:02x}{red:02x}");
            }
        }
    }
}

/// Converts pixels of 8 bits for each channel to RGBA.
fn convert_texels(bytes: &[u8], color_type: png::ColorType) -> Vec<[u8; 4]> {
    let channels = color_type.samples();
    let texel = |pixel: &[u8]| match *pixel {
        [gray] => [gray, gray, gray, 255],
        [gray, alpha] => [gray, gray, gray, alpha],
        [red, green, blue] => [red, green, blue, 255],
        [red, green, blue, alpha] => [red, green, blue, alpha],
        _ => [0; 4],
    };
    bytes.chunks_exact(channels).map(texel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: u32, height: u32, texels: &[u8]) -> TextureImage {
        TextureImage {
            name: "a.png".to_owned(),
            width,
            height,
            texels: texels.iter().map(|value| [*value; 4]).collect(),
        }
    }

    #[test]
    fn images_are_upright_and_have_levels() {
        let command = image(2, 2, &[0, 1, 2, 5]).format_command(3, TexTarget::D2);
        // (0 + 1 + 2 + 5) / 4 = 2
        assert_eq!(
            command.unwrap(),
            "texture 2D 3 levels all A8B8G8R8_UNORM_PACK32 (2, 2) \\\n 0x02020202 0x05050505 \\\n \
             0x00000000 0x01010101 \\\n 0x02020202\n"
        );
        let rectangle = image(1, 1, &[7])
            .format_command(0, TexTarget::Rect)
            .unwrap();
        assert_eq!(
            rectangle,
            "texture Rect 0 A8B8G8R8_UNORM_PACK32 (1, 1) \\\n 0x07070707\n"
        );
    }

    #[test]
    fn cube_maps_have_six_faces() {
        let strip = image(6, 1, &[0, 1, 2, 3, 4, 5]).format_command(0, TexTarget::Cube);
        assert_eq!(strip.unwrap().matches(" 0x").count(), 6);
        let square = image(1, 1, &[9])
            .format_command(0, TexTarget::Cube)
            .unwrap();
        assert_eq!(square.matches(" 0x09090909").count(), 6);
        assert!(
            image(2, 1, &[0, 0])
                .format_command(0, TexTarget::Cube)
                .is_err()
        );
        assert!(image(1, 1, &[0]).format_command(0, TexTarget::D3).is_err());
    }
}
