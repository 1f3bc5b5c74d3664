//! Declarations: one line each, in the order of their ids.

use super::lex::Token;
use super::{Error, Parse, Parser, split_id};
use crate::image::{FORMATS, Image, ImageTexels};
use crate::operand::WriteMask;
use crate::program::{Register, Storage};
use crate::resource::{Buffer, NamedParam, Param, ParamSource, Texture};
use crate::semantic::{Input, Interpolation, Output, Sampling, Semantic};
use crate::state::{MatrixName, StateParam};
use crate::state_params::Part;
use crate::text_keywords::Word;
use crate::types::{Type, Width};
use crate::units::Units;

impl<'a> Parser<'a> {
    pub(super) fn parse_declaration(&mut self) -> Parse<()> {
        let word = self.parse_word("a declaration, `routine` or `main`")?;
        match word {
            "workgroup_size" => {
                let size = [
                    self.parse_number()?,
                    self.parse_number()?,
                    self.parse_number()?,
                ];
                self.builder.program.modes.workgroup_size = size;
            }
            "secondary_view_layer_offset" => {
                self.builder.program.modes.secondary_view_layer_offset = self.parse_signed()?;
            }
            _ if self.builder.program.modes.set_named(word) => {}
            _ if self.parse_primitive_mode(word)? => {}
            _ => self.parse_entry(word)?,
        }
        self.parse_line_end()?;
        Ok(())
    }

    /// Parses a mode of primitives; `false` if `word` is not one.
    fn parse_primitive_mode(&mut self, word: &str) -> Parse<bool> {
        match word {
            "primitive_in" => {
                self.builder.program.modes.primitive_in = self.parse_named("an input primitive")?;
            }
            "primitive_out" => {
                self.builder.program.modes.primitive_out =
                    self.parse_named("an output primitive")?;
            }
            "vertices_out" => self.builder.program.modes.vertices_out = self.parse_number()?,
            "invocations" => self.builder.program.modes.invocations = self.parse_number()?,
            "tess_mode" => {
                self.builder.program.modes.tess_mode =
                    self.parse_named("`triangles`, `quads` or `isolines`")?;
            }
            "tess_spacing" => {
                self.builder.program.modes.tess_spacing = self.parse_named("a spacing")?;
            }
            "tess_order" => {
                self.builder.program.modes.tess_order = self.parse_named("`ccw` or `cw`")?
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Parses `id: ...`.
    fn parse_entry(&mut self, word: &str) -> Parse<()> {
        let Some((prefix, number)) = split_id(word) else {
            return self.error_at_last(format!("`{word}` is not a declaration"));
        };
        let Some(next) = self.get_table_len(prefix) else {
            return self.error_at_last(format!("`{word}` is not an id that can be declared"));
        };
        if number != next {
            return self.error_at_last(format!(
                "ids are declared in order: number {next} comes next"
            ));
        }
        self.expect(':')?;
        match prefix {
            "np" => {
                let named = self.parse_named_param()?;
                self.builder.program.named_params.push(named);
            }
            "p" => {
                let source = self.parse_param_source()?;
                self.builder.program.params.push(Param { source });
            }
            "in" => {
                let input = self.parse_input()?;
                self.builder.program.inputs.push(input);
            }
            "out" => {
                let output = self.parse_output()?;
                self.builder.program.outputs.push(output);
            }
            "tex" => {
                let texture = self.parse_texture()?;
                self.builder.program.textures.push(texture);
            }
            "buf" => {
                let buffer = self.parse_buffer()?;
                self.builder.program.buffers.push(buffer);
            }
            "img" => {
                let image = self.parse_image()?;
                self.builder.program.images.push(image);
            }
            _ => {
                let register = self.parse_register_entry(prefix)?;
                self.builder.program.registers.push(register);
            }
        }
        Ok(())
    }

    /// Returns the number of entries of the table that ids of a prefix index.
    fn get_table_len(&self, prefix: &str) -> Option<usize> {
        let program = &self.builder.program;
        match prefix {
            "r" | "cc" => Some(program.registers.len()),
            "np" => Some(program.named_params.len()),
            "p" => Some(program.params.len()),
            "in" => Some(program.inputs.len()),
            "out" => Some(program.outputs.len()),
            "tex" => Some(program.textures.len()),
            "buf" => Some(program.buffers.len()),
            "img" => Some(program.images.len()),
            _ => None,
        }
    }

    /// Parses `temp32[4] "name"`, `output32 out0` or `cond32`.
    fn parse_register_entry(&mut self, prefix: &str) -> Parse<Register> {
        let at = self.start;
        let word = self.parse_word("a kind of register and its width")?;
        let error = |message: String| Err(Error { at, message });
        let parts = split_id(word).and_then(|(kind, bits)| Some((kind, find_width(bits)?)));
        let Some((kind, width)) = parts else {
            return error(format!("`{word}` is not a kind of register"));
        };
        let array = self.parse_array()?;
        let storage = match (prefix, kind) {
            ("r", "temp") => Storage::Temp,
            ("r", "output") => Storage::Output(self.parse_id("out")?),
            ("cc", "cond") => Storage::Cond,
            _ => {
                return error(format!(
                    "registers with the prefix `{prefix}` are not `{kind}`"
                ));
            }
        };
        Ok(Register {
            storage,
            width,
            array,
            name: self.parse_name()?,
        })
    }

    fn parse_array(&mut self) -> Parse<Option<u32>> {
        if self.token == Token::Mark('[') {
            self.parse_bracketed().map(Some)
        } else {
            Ok(None)
        }
    }

    fn parse_semantic(&mut self) -> Parse<Semantic> {
        let word = self.parse_word("a semantic")?;
        let mut numbers = Vec::new();
        while numbers.len() < 2 && self.token == Token::Mark('[') {
            numbers.push(self.parse_bracketed()?);
        }
        match Semantic::from_parts(word, &numbers) {
            Some(semantic) => Ok(semantic),
            None => self.error_at_last(format!(
                "`{word}` with {} numbers is not a semantic",
                numbers.len()
            )),
        }
    }

    fn parse_input(&mut self) -> Parse<Input> {
        let semantic = self.parse_semantic()?;
        let base = self.parse_named("`float`, `signed` or `unsigned`")?;
        let mut input = Input {
            base,
            ..Input::new(semantic)
        };
        while let Token::Word(word) = self.token {
            if let Some(interpolation) = Interpolation::from_word(word) {
                input.interpolation = interpolation;
            } else if let Some(sampling) = Sampling::from_word(word) {
                input.sampling = sampling;
            } else if word == "wide" {
                input.width = Width::W64;
            } else if word == "per_vertex" {
                input.per_vertex = true;
            } else {
                return self.error(format!("`{word}` is no property of an input"));
            }
            self.advance();
        }
        Ok(input)
    }

    fn parse_output(&mut self) -> Parse<Output> {
        let semantic = self.parse_semantic()?;
        let base = self.parse_named("`float`, `signed` or `unsigned`")?;
        let invariant = self.eat_word("invariant");
        let passthrough = if self.eat_word("passthrough") {
            self.parse_mask()?
        } else {
            WriteMask::NONE
        };
        Ok(Output {
            semantic,
            base,
            invariant,
            passthrough,
        })
    }

    fn parse_texture(&mut self) -> Parse<Texture> {
        let units = self.parse_units()?;
        let target = self.parse_named("a texture target")?;
        let shadow = self.eat_word("shadow");
        let texel = self.parse_named::<Type>("a type")?;
        let sampler = if self.eat_word("sampler") {
            Some(self.parse_number()?)
        } else {
            None
        };
        Ok(Texture {
            units,
            target,
            shadow,
            texel,
            sampler,
        })
    }

    fn parse_units(&mut self) -> Parse<Units> {
        if self.eat_word("handle") {
            return Ok(Units::Handle);
        }
        if self.eat_word("queried_handle") {
            return Ok(Units::QueriedHandle);
        }
        self.expect_word("unit")?;
        let first = self.parse_number()?;
        Ok(Units::new(first, self.parse_array()?))
    }

    fn parse_image(&mut self) -> Parse<Image> {
        Ok(Image {
            units: self.parse_units()?,
            target: self.parse_named("a texture target")?,
            texels: self.parse_image_texels()?,
            format: self.parse_image_format()?,
        })
    }

    fn parse_image_format(&mut self) -> Parse<Option<&'static str>> {
        if !self.eat_word("format") {
            return Ok(None);
        }
        let name = self.parse_word("a format")?;
        match FORMATS.iter().find(|known| **known == name) {
            Some(format) => Ok(Some(format)),
            None => self.error(format!("`{name}` is no format of images")),
        }
    }

    fn parse_image_texels(&mut self) -> Parse<ImageTexels> {
        if self.eat_word("unseen") {
            return Ok(ImageTexels::Unseen);
        }
        let raw = ImageTexels::RAW
            .into_iter()
            .find(|(_, word)| self.eat_word(word));
        match raw {
            Some((bits, _)) => Ok(ImageTexels::Raw(bits)),
            None => Ok(ImageTexels::Formatted(self.parse_named("a type")?)),
        }
    }

    fn parse_buffer(&mut self) -> Parse<Buffer> {
        let kind = self.parse_named("a kind of buffer")?;
        let binding = self.parse_number()?;
        let array = self.parse_array()?;
        let size = if self.eat_word("size") {
            Some(self.parse_number()?)
        } else {
            None
        };
        Ok(Buffer {
            kind,
            binding,
            array,
            size,
        })
    }

    /// Parses `"name" literal`.
    fn parse_named_param(&mut self) -> Parse<NamedParam> {
        let Some(name) = self.parse_name()? else {
            return self.error("expected the name of a parameter");
        };
        let lanes = self.parse_literal_lanes(Type::F32)?;
        Ok(NamedParam {
            name,
            initial: lanes.map(|lane| lane as u32),
        })
    }

    fn parse_param_source(&mut self) -> Parse<ParamSource> {
        if self.token == Token::Mark('{') {
            let lanes = self.parse_literal_lanes(Type::F32)?;
            return Ok(ParamSource::Literal(lanes.map(|lane| lane as u32)));
        }
        match self.parse_word("the source of a parameter")? {
            "env" => Ok(ParamSource::Env(self.parse_bracketed()?)),
            "local" => Ok(ParamSource::Local(self.parse_bracketed()?)),
            "subroutine" => Ok(ParamSource::Subroutine(self.parse_bracketed()?)),
            "state" => self.parse_state_param().map(ParamSource::State),
            "named" => Ok(ParamSource::Named(self.parse_bracketed()?)),
            "argument" => Ok(ParamSource::Argument),
            word => self.error_at_last(format!("`{word}` is not the source of a parameter")),
        }
    }

    /// Parses `.word`.
    fn parse_part(&mut self) -> Parse<&'a str> {
        self.expect('.')?;
        self.parse_word("a part of a state name")
    }

    fn parse_state_param(&mut self) -> Parse<StateParam> {
        let first = self.parse_part()?;
        if first == "matrix" {
            return self.parse_matrix_row();
        }
        let at = self.last;
        let mut parts = vec![Part::Word(first)];
        while let Token::Mark(mark @ ('.' | '[')) = self.token {
            parts.push(match mark {
                '.' => Part::Word(self.parse_part()?),
                _ => Part::Number(self.parse_bracketed()?),
            });
        }
        StateParam::from_parts(&parts).ok_or_else(|| Error {
            at,
            message: "this is not a part of the GL state".to_owned(),
        })
    }

    fn parse_matrix_row(&mut self) -> Parse<StateParam> {
        let matrix = match self.parse_part()? {
            "modelview" => MatrixName::Modelview(self.parse_bracketed()?),
            "projection" => MatrixName::Projection,
            "mvp" => MatrixName::Mvp,
            "texture" => MatrixName::Texture(self.parse_bracketed()?),
            "palette" => MatrixName::Palette(self.parse_bracketed()?),
            "program" => MatrixName::Program(self.parse_bracketed()?),
            _ => return self.error_at_last("this is not a matrix"),
        };
        self.expect('.')?;
        let form = self.parse_named("a part of a state name")?;
        self.expect('.')?;
        self.expect_word("row")?;
        Ok(StateParam::MatrixRow {
            matrix,
            form,
            row: self.parse_bracketed()?,
        })
    }
}

const fn find_width(bits: usize) -> Option<Width> {
    match bits {
        8 => Some(Width::W8),
        16 => Some(Width::W16),
        32 => Some(Width::W32),
        64 => Some(Width::W64),
        _ => None,
    }
}
