//! The compiler, the interpreter and the text output for the playground, a page in the browser.
//!
//! The page is in `page`, written in TypeScript, and calls the functions of the module `interface`
//! in workers, which it ends when they take too long. Everything else also runs natively, where the
//! tests are: `document` for the editor, `output` for the tabs, `scene` for images and
//! traces, `gpu` for draws by the browser.
//! Results are JSON values; positions in sources are code units of UTF-16. Sources and values are
//! untrusted: no function panics, and invocations have a step limit.

mod document;
mod gpu;
#[cfg(target_arch = "wasm32")]
pub mod interface;
mod output;
mod positions;
mod scene;

pub use document::{Document, MAX_TEXT_BYTES, explain_word};
pub use gpu::GpuScene;
pub use output::{OUTPUT_FORMS, OutputForm, format_programs};
pub use scene::{DrawnImage, SceneRequest, TextureFiles};
