#version 400 compatibility
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
in vec4 color[];
out vec4 o_color;
out vec2 corner;
void main() {
    for (int i = 0; i < 4; i++) {
        corner = vec2(i & 1, i >> 1);
        gl_Position = gl_in[0].gl_Position + vec4((corner - 0.5) * 1.5, 0, 0);
        o_color = color[0];
        EmitVertex();
    }
}
