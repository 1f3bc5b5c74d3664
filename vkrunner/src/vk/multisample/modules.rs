//! The runner's own shaders: they copy a layer of an array texture, texel by pixel, to a color or
//! depth attachment.
//!
//! Vertices 3 n to 3 n + 2 of a draw copy layer n.

use crate::error::Error;
use crate::own_shader::{compile, texel_words};
use crate::requirements::Capabilities;
use glasm_scripts::format::{Aspect, Format};

/// Three vertices span a triangle around the whole viewport, with corners at -1 and 3. The layer is
/// passed to the fragments.
const VERTEX: &str = "program vertex
r0: temp32
r1: output32 out0
r2: output32 out1
in0: vertex_id unsigned
out0: position float
out1: generic[0] float
routine fn0 {
  r2.x = div.u32 in0.xxxx, {3}
  r0.x = mod.u32 in0.xxxx, {3}
  r0.x = cvt.f32 (u32 even) r0.xxxx
  r0.xy = seteq.f32 r0.xxxx, {1.0, 2.0, 0.0, 0.0}
  r1.xy = mad.f32 r0.xyxx, {4.0}, {-1.0}
  r1.zw = mov.f32 {0.0, 0.0, 0.0, 1.0}
}
main fn0
";

/// Returns the vertex shader.
pub(super) fn vertex_module(capabilities: &Capabilities) -> Result<Vec<u32>, Error> {
    compile(VERTEX, capabilities).map(|shader| shader.words)
}

/// Returns the fragment shader: the texel at the pixel's position in the layer, of the texture at
/// set 0, binding 0, becomes the color or depth.
pub(super) fn fragment_module(
    format: &Format,
    capabilities: &Capabilities,
) -> Result<Vec<u32>, Error> {
    let (texel, base) = texel_words(format.encoding.base());
    let (output, lane, value) = match format.aspect {
        Aspect::Color => (format!("frag_color[0][0] {base}"), "xyzw", "r0.xyzw"),
        Aspect::Depth => ("frag_depth float".to_owned(), "z", "r0.xxxx"),
    };
    let text = format!(
        "program fragment
r0: temp32
r1: output32 out0
in0: position float
in1: generic[0] float flat
out0: {output}
tex0: unit 0 2darray {texel}
routine fn0 {{
  r0.xy = cvt.s32 (f32 trunc) in0.xyzw
  r0.z = mov.u32 in1.xxxx
  r0.xyzw = tex.{texel} (tex0 fetch) r0.xyzw, {{0}}
  r1.{lane} = mov.{texel} {value}
}}
main fn0
"
    );
    compile(&text, capabilities).map(|shader| shader.words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::assert_valid;

    #[test]
    fn modules_are_valid() {
        let capabilities = Capabilities {
            version: [1, 1, 0],
            ..Capabilities::default()
        };
        assert_valid(&vertex_module(&capabilities).unwrap());
        for name in ["R8_UNORM", "R8_UINT", "R8_SINT", "D16_UNORM"] {
            let format = Format::parse_texture(name).unwrap();
            assert_valid(&fragment_module(&format, &capabilities).unwrap());
        }
    }
}
