#version 400 compatibility
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in vec4 color[];
out vec4 o_color;
void main() {
    vec4 middle = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3;
    vec4 own = (color[0] + color[1] + color[2]) / 3;
    own.b = float(gl_PrimitiveIDIn % 8) / 7;
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_ModelViewProjectionMatrix * mix(middle, gl_in[i].gl_Position, 0.8);
        o_color = own;
        EmitVertex();
    }
}
