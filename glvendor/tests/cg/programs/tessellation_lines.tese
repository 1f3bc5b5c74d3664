#version 400 compatibility
layout(isolines, fractional_even_spacing) in;
in vec4 color[];
out vec4 o_color;
void main() {
    vec2 uv = gl_TessCoord.xy;
    vec4 low = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, uv.x), high = mix(gl_in[3].gl_Position, gl_in[2].gl_Position, uv.x);
    gl_Position = mix(low, high, uv.y) + vec4(0, 0.5 * uv.x * (1 - uv.x), 0, 0);
    o_color = mix(color[0], color[2], uv.x);
}
