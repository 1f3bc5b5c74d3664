//! Shaders of the runner's own: programs in the text form of the compiler's intermediate
//! representation.
//!
//! All their bindings are in descriptor set 0.

use crate::error::Error;
use crate::requirements::Capabilities;
use glasm::{BindingLayout, Options, Shader};
use glasm_scripts::compile::Withheld;

/// Binding of the parameters: greater than all bindings that depend on units.
const PARAMETER_BINDING: u32 = 1000;

/// Compiles a program for a device.
pub(crate) fn compile(text: &str, capabilities: &Capabilities) -> Result<Shader, Error> {
    let options = Options {
        target: capabilities.best_target(),
        device: capabilities.device_features(&Withheld::default()),
        bindings: BindingLayout {
            param_set: 0,
            param_binding: Some(PARAMETER_BINDING),
            texture_set: 0,
            storage_set: 0,
            ..BindingLayout::default()
        },
        ..Options::default()
    };
    let fault = |message: String| Error::OwnShader(message);
    let program = glasm::ir::parse(text).map_err(|error| fault(error.to_string()))?;
    let shader = glasm::Compiler::new().compile_ir(&program, &options);
    shader.map_err(|errors| {
        let messages = errors.list.into_iter().map(|error| error.message);
        fault(messages.collect::<Vec<_>>().join("; "))
    })
}

/// Returns the type of texels of a format in IR text, and that of inputs and outputs.
pub(crate) const fn texel_words(base: glasm::ir::TypeBase) -> (&'static str, &'static str) {
    match base {
        glasm::ir::TypeBase::Float => ("f32", "float"),
        glasm::ir::TypeBase::Signed => ("s32", "signed"),
        glasm::ir::TypeBase::Unsigned => ("u32", "unsigned"),
    }
}
