//! The functions that JavaScript calls. Arguments and results are JSON, except for bytes.

use crate::document::{Document, explain_word};
use crate::output::{OUTPUT_FORMS, OutputForm, format_programs};
use crate::scene::{SceneRequest, TextureFiles};
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// State of a worker: the documents of its editors and the files of textures.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Session {
    documents: Vec<Document>,
    files: TextureFiles,
    /// Bytes of the last image or scene.
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl Session {
    /// Creates a session without documents.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Analyzes the text of an editor and returns its description.
    pub fn analyze(&mut self, editor: usize, text: &str) -> String {
        let missing = (editor + 1).min(8).saturating_sub(self.documents.len());
        let empty = || Document::new("");
        self.documents
            .extend(std::iter::repeat_with(empty).take(missing));
        let Some(document) = self.documents.get_mut(editor) else {
            return Value::Null.to_string();
        };
        *document = Document::new(text);
        document.describe().to_string()
    }

    /// Returns the explanation of the word at a position of an editor.
    pub fn explain(&self, editor: usize, at: u32) -> String {
        self.ask(editor, |document| document.explain_at(at))
    }

    /// Returns the words that may be written at a position of an editor.
    pub fn complete(&self, editor: usize, at: u32) -> String {
        self.ask(editor, |document| document.complete_at(at))
    }

    /// Returns the operands of the instruction at a position of an editor.
    pub fn signature(&self, editor: usize, at: u32) -> String {
        self.ask(editor, |document| document.find_signature_at(at))
    }

    /// Returns the declaration of the name at a position of an editor.
    pub fn definition(&self, editor: usize, at: u32) -> String {
        self.ask(editor, |document| document.find_definition_at(at))
    }

    /// Sets the PNG file of a texture.
    #[wasm_bindgen(js_name = setTexture)]
    pub fn set_texture(&mut self, unit: u32, file: Vec<u8>) {
        self.files.insert(unit, file);
    }

    /// Returns the inputs of a scene.
    pub fn inputs(&self, request: &str) -> String {
        format_result(parse_request(request).and_then(|it| it.describe_inputs(&self.files)))
    }

    /// Draws a scene; `take_bytes` returns the pixels.
    pub fn draw(&mut self, request: &str) -> String {
        let image = parse_request(request).and_then(|it| it.draw(&self.files));
        format_result(image.map(|image| {
            self.bytes = image.bytes;
            json!({ "limitations": image.limitations })
        }))
    }

    /// Describes a scene for WebGPU; `take_bytes` returns the contents of its resources.
    #[wasm_bindgen(js_name = describeForGpu)]
    pub fn describe_for_gpu(&mut self, request: &str) -> String {
        let scene = parse_request(request).and_then(|it| it.describe_for_gpu(&self.files));
        format_result(scene.map(|scene| {
            self.bytes = scene.bytes;
            scene.description
        }))
    }

    /// Returns the bytes of the last image or scene, once.
    #[wasm_bindgen(js_name = takeBytes)]
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Traces a pixel of a scene.
    pub fn trace(&self, request: &str, x: u32, y: u32) -> String {
        format_result(parse_request(request).and_then(|it| it.trace([x, y], &self.files)))
    }

    /// Asks a document; null if there is none.
    fn ask(&self, editor: usize, question: impl FnOnce(&Document) -> Value) -> String {
        let document = self.documents.get(editor);
        document.map_or(Value::Null, question).to_string()
    }
}

/// Returns the names and titles of the forms of programs.
#[wasm_bindgen(js_name = listForms)]
pub fn list_forms() -> String {
    let forms = OUTPUT_FORMS.iter();
    let forms = forms.map(|(name, title, _)| json!({ "name": name, "title": title }));
    forms.collect::<Value>().to_string()
}

/// Returns the programs of a text in a form.
#[wasm_bindgen(js_name = formatPrograms)]
pub fn format_text_programs(text: &str, form: &str) -> String {
    let form = OutputForm::find(form);
    let programs = form.map_or(Value::Null, |form| format_programs(text, form));
    programs.to_string()
}

/// Returns the text of `glasm explain` about a word.
#[wasm_bindgen(js_name = explainWord)]
pub fn explain_any_word(word: &str) -> String {
    explain_word(word).to_string()
}

/// Parses a request.
fn parse_request(text: &str) -> Result<SceneRequest, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Formats a result: its value, or an object with the error.
fn format_result(result: Result<Value, String>) -> String {
    result
        .unwrap_or_else(|error| json!({ "error": error }))
        .to_string()
}
