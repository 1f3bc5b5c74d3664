#version 400 compatibility
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in vec4 color[];
out vec4 o_color;
void main() {
    vec4 middle = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3;
    for (int i = 0; i < 3; i++) {
        gl_Position = mix(middle, gl_in[i].gl_Position, 0.85);
        o_color = color[i];
        EmitVertex();
    }
}
