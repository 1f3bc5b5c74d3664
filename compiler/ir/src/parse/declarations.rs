//! Declarations: one line each, in the order of their ids.

use super::lexer::Token;
use super::{OffsetError, ParseResult, Parser, split_id};
use crate::image::{IMAGE_FORMATS, Image, ImageTexels};
use crate::operand::WriteMask;
use crate::program::{Register, Storage};
use crate::resource::UnitSet;
use crate::resource::{Buffer, NamedParam, Param, ParamSource, Texture};
use crate::semantic::{Input, Interpolation, Output, Sampling, Semantic};
use crate::state::{MatrixForm, MatrixName, StateParam};
use crate::state_params::Part;
use crate::text_keywords::Keyword;
use crate::types::{Type, Width};

impl<'a> Parser<'a> {
    /// Parses a line before the routines, a mode or an entry of a table, and applies it to the
    /// program.
    pub(super) fn parse_declaration(&mut self) -> ParseResult<()> {
        let word = self.parse_identifier("a declaration, `routine` or `main`")?;
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
                self.builder.program.modes.secondary_view_layer_offset =
                    self.parse_signed_number()?;
            }
            _ if self.builder.program.modes.set_mode_by_name(word) => {}
            _ if self.parse_primitive_mode(word)? => {}
            _ => self.parse_table_entry(word)?,
        }
        self.parse_line_end()?;
        Ok(())
    }

    /// Parses the value of a mode of primitives after its keyword `word`, and sets the mode.
    /// Returns `false` if `word` is not such a mode.
    fn parse_primitive_mode(&mut self, word: &str) -> ParseResult<bool> {
        match word {
            "primitive_in" => {
                self.builder.program.modes.primitive_in =
                    self.parse_keyword("an input primitive")?;
            }
            "primitive_out" => {
                self.builder.program.modes.primitive_out =
                    self.parse_keyword("an output primitive")?;
            }
            "vertices_out" => self.builder.program.modes.vertices_out = self.parse_number()?,
            "invocations" => self.builder.program.modes.invocations = self.parse_number()?,
            "tess_mode" => {
                self.builder.program.modes.tess_mode =
                    self.parse_keyword("`triangles`, `quads` or `isolines`")?;
            }
            "tess_spacing" => {
                self.builder.program.modes.tess_spacing = self.parse_keyword("a spacing")?;
            }
            "tess_order" => {
                self.builder.program.modes.tess_order = self.parse_keyword("`ccw` or `cw`")?
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Parses a declaration `id: ...` after its id `word`, which must be the next one of its table,
    /// and adds it to the table.
    fn parse_table_entry(&mut self, word: &str) -> ParseResult<()> {
        let Some((prefix, number)) = split_id(word) else {
            return self.err_at_previous(format!("`{word}` is not a declaration"));
        };
        let Some(next) = self.get_table_len(prefix) else {
            return self.err_at_previous(format!("`{word}` is not an id that can be declared"));
        };
        if number != next {
            return self.err_at_previous(format!(
                "ids are declared in order: number {next} comes next"
            ));
        }
        self.expect_punctuation(':')?;
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
                let register = self.parse_register_declaration(prefix)?;
                self.builder.program.registers.push(register);
            }
        }
        Ok(())
    }

    /// Returns the number of entries of the table that ids of a prefix index; `None` if no
    /// declaration has the prefix.
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

    /// Parses `temp32[4] "name"`, `output32 out0` or `cond32`. Returns an error if the kind does
    /// not match the prefix of the id. The output need not be declared.
    fn parse_register_declaration(&mut self, prefix: &str) -> ParseResult<Register> {
        let at = self.token_start;
        let word = self.parse_identifier("a kind of register and its width")?;
        let error = |message: String| {
            Err(OffsetError {
                offset: at,
                message,
            })
        };
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
            array_len: array,
            name: self.parse_name()?,
        })
    }

    /// Parses an optional array length in brackets; `None` if no bracket follows.
    fn parse_array(&mut self) -> ParseResult<Option<u32>> {
        if self.token == Token::Punctuation('[') {
            self.parse_bracketed_number().map(Some)
        } else {
            Ok(None)
        }
    }

    /// Parses a semantic with up to two numbers in brackets. Returns an error if there is none with
    /// this name and as many numbers.
    fn parse_semantic(&mut self) -> ParseResult<Semantic> {
        let word = self.parse_identifier("a semantic")?;
        let mut numbers = Vec::new();
        while numbers.len() < 2 && self.token == Token::Punctuation('[') {
            numbers.push(self.parse_bracketed_number()?);
        }
        match Semantic::from_parts(word, &numbers) {
            Some(semantic) => Ok(semantic),
            None => self.err_at_previous(format!(
                "`{word}` with {} numbers is not a semantic",
                numbers.len()
            )),
        }
    }

    /// Parses an input after its id: semantic, base type, then interpolation, sampling and flags in
    /// any order. Omitted properties have their default values.
    fn parse_input(&mut self) -> ParseResult<Input> {
        let semantic = self.parse_semantic()?;
        let base = self.parse_keyword("`float`, `signed` or `unsigned`")?;
        let mut input = Input {
            base,
            ..Input::new(semantic)
        };
        while let Token::Identifier(word) = self.token {
            if let Some(interpolation) = Interpolation::from_keyword(word) {
                input.interpolation = interpolation;
            } else if let Some(sampling) = Sampling::from_keyword(word) {
                input.sampling = sampling;
            } else if word == "width64" {
                input.width = Width::W64;
            } else if word == "per_vertex" {
                input.per_vertex = true;
            } else {
                return self.err_at_next(format!("`{word}` is no property of an input"));
            }
            self.advance();
        }
        Ok(input)
    }

    /// Parses an output after its id: semantic, base type, flag for invariance and passthrough
    /// lanes.
    fn parse_output(&mut self) -> ParseResult<Output> {
        let semantic = self.parse_semantic()?;
        let base = self.parse_keyword("`float`, `signed` or `unsigned`")?;
        let invariant = self.eat_keyword("invariant");
        let passthrough = if self.eat_keyword("passthrough") {
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

    /// Parses a texture after its id: units, target, shadow flag, texel type and sampler.
    fn parse_texture(&mut self) -> ParseResult<Texture> {
        let units = self.parse_units()?;
        let target = self.parse_keyword("a texture target")?;
        let shadow = self.eat_keyword("shadow");
        let texel = self.parse_keyword::<Type>("a type")?;
        let sampler = if self.eat_keyword("sampler") {
            Some(self.parse_number()?)
        } else {
            None
        };
        Ok(Texture {
            units,
            target,
            shadow,
            texel_type: texel,
            sampler,
        })
    }

    /// Parses the units of a texture or image: `handle`, `query_handle`, `unit 3`, or the array
    /// `unit 3[2]`.
    fn parse_units(&mut self) -> ParseResult<UnitSet> {
        if self.eat_keyword("handle") {
            return Ok(UnitSet::Handle);
        }
        if self.eat_keyword("query_handle") {
            return Ok(UnitSet::QueryHandle);
        }
        self.expect_keyword("unit")?;
        let first = self.parse_number()?;
        Ok(UnitSet::new(first, self.parse_array()?))
    }

    /// Parses an image after its id: units, target, texels and format.
    fn parse_image(&mut self) -> ParseResult<Image> {
        Ok(Image {
            units: self.parse_units()?,
            target: self.parse_keyword("a texture target")?,
            texels: self.parse_image_texels()?,
            format: self.parse_image_format()?,
        })
    }

    /// Parses an optional `format` with its name. Returns `None` without it, and an error for names
    /// that are not in [`IMAGE_FORMATS`].
    fn parse_image_format(&mut self) -> ParseResult<Option<&'static str>> {
        if !self.eat_keyword("format") {
            return Ok(None);
        }
        let name = self.parse_identifier("a format")?;
        match IMAGE_FORMATS.iter().find(|known| **known == name) {
            Some(format) => Ok(Some(format)),
            None => self.err_at_next(format!("`{name}` is no format of images")),
        }
    }

    /// Parses the texels of an image: `unused`, the keyword of raw texels, or a type.
    fn parse_image_texels(&mut self) -> ParseResult<ImageTexels> {
        if self.eat_keyword("unused") {
            return Ok(ImageTexels::Unused);
        }
        let raw = ImageTexels::RAW
            .into_iter()
            .find(|(_, word)| self.eat_keyword(word));
        match raw {
            Some((bits, _)) => Ok(ImageTexels::Raw(bits)),
            None => Ok(ImageTexels::Formatted(self.parse_keyword("a type")?)),
        }
    }

    /// Parses a buffer after its id: kind, binding, and optionally array length and size in bytes.
    fn parse_buffer(&mut self) -> ParseResult<Buffer> {
        let kind = self.parse_keyword("a kind of buffer")?;
        let binding = self.parse_number()?;
        let array = self.parse_array()?;
        let size = if self.eat_keyword("size") {
            Some(self.parse_number()?)
        } else {
            None
        };
        Ok(Buffer {
            kind,
            binding,
            array_len: array,
            size,
        })
    }

    /// Parses a named parameter after its id: quoted name and initial value, such as
    /// `"tint" {1, 0, 0, 1}`.
    fn parse_named_param(&mut self) -> ParseResult<NamedParam> {
        let Some(name) = self.parse_name()? else {
            return self.err_at_next("expected the name of a parameter");
        };
        let lanes = self.parse_literal_lanes(Type::F32)?;
        Ok(NamedParam {
            name,
            initial: lanes.map(|lane| lane as u32),
        })
    }

    /// Parses the source of a parameter: literal, environment or local parameter, state,
    /// subroutine, named parameter or argument.
    fn parse_param_source(&mut self) -> ParseResult<ParamSource> {
        if self.token == Token::Punctuation('{') {
            let lanes = self.parse_literal_lanes(Type::F32)?;
            return Ok(ParamSource::Literal(lanes.map(|lane| lane as u32)));
        }
        match self.parse_identifier("the source of a parameter")? {
            "env" => Ok(ParamSource::Env(self.parse_bracketed_number()?)),
            "local" => Ok(ParamSource::Local(self.parse_bracketed_number()?)),
            "subroutine" => Ok(ParamSource::Subroutine(self.parse_bracketed_number()?)),
            "state" => self.parse_state_param().map(ParamSource::State),
            "named" => Ok(ParamSource::Named(self.parse_bracketed_number()?)),
            "argument" => Ok(ParamSource::Argument),
            word => self.err_at_previous(format!("`{word}` is not the source of a parameter")),
        }
    }

    /// Parses `.word`.
    fn parse_state_name_segment(&mut self) -> ParseResult<&'a str> {
        self.expect_punctuation('.')?;
        self.parse_identifier("a part of a state name")
    }

    /// Parses a state parameter, in the text form of `StateParam`. Returns an error if there is
    /// none with this name and these indices.
    fn parse_state_param(&mut self) -> ParseResult<StateParam> {
        let first = self.parse_state_name_segment()?;
        if first == "matrix" {
            return self.parse_matrix_param();
        }
        let at = self.previous_start;
        let mut parts = vec![Part::Word(first)];
        while let Token::Punctuation(mark @ ('.' | '[')) = self.token {
            parts.push(match mark {
                '.' => Part::Word(self.parse_state_name_segment()?),
                _ => Part::Number(self.parse_bracketed_number()?),
            });
        }
        StateParam::from_parts(&parts).ok_or_else(|| OffsetError {
            offset: at,
            message: "unknown state parameter".to_owned(),
        })
    }

    /// Parses a parameter after `matrix`: a row of a state matrix, by the matrix, the form unless it
    /// is the matrix itself, and the number of the row; or the scale of normals.
    fn parse_matrix_param(&mut self) -> ParseResult<StateParam> {
        let matrix = match self.parse_state_name_segment()? {
            "modelview" => MatrixName::Modelview(self.parse_bracketed_number()?),
            "projection" => MatrixName::Projection,
            "mvp" => MatrixName::ModelviewProjection,
            "texture" => MatrixName::Texture(self.parse_bracketed_number()?),
            "palette" => MatrixName::Palette(self.parse_bracketed_number()?),
            "program" => MatrixName::Program(self.parse_bracketed_number()?),
            "normalscale" => return Ok(StateParam::NormalScale),
            _ => return self.err_at_previous("this is not a matrix"),
        };
        let form = match self.parse_state_name_segment()? {
            "row" => MatrixForm::Plain,
            word => {
                let form = MatrixForm::from_keyword(word).filter(|form| *form != MatrixForm::Plain);
                let Some(form) = form else {
                    return self.err_at_previous("this is not a form of a matrix");
                };
                self.expect_punctuation('.')?;
                self.expect_keyword("row")?;
                form
            }
        };
        Ok(StateParam::MatrixRow {
            matrix,
            form,
            row: self.parse_bracketed_number()?,
        })
    }
}

/// Returns the width of 8, 16, 32 or 64 bits; `None` for other numbers.
const fn find_width(bits: usize) -> Option<Width> {
    match bits {
        8 => Some(Width::W8),
        16 => Some(Width::W16),
        32 => Some(Width::W32),
        64 => Some(Width::W64),
        _ => None,
    }
}
