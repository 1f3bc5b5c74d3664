#version 400 compatibility
layout(quads) in;
in vec4 color[];
out vec4 o_color;
void main() {
    vec2 uv = gl_TessCoord.xy;
    vec4 low = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, uv.x), high = mix(gl_in[3].gl_Position, gl_in[2].gl_Position, uv.x);
    vec4 at = mix(low, high, uv.y);
    at.xy *= 1 - 0.4 * uv.x * (1 - uv.x) - 0.3 * uv.y * (1 - uv.y);
    gl_Position = at;
    o_color = mix(mix(color[0], color[1], uv.x), mix(color[3], color[2], uv.x), uv.y * uv.y);
}
