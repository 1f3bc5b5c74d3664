#version 400 compatibility
layout(triangles) in;
layout(triangle_strip, max_vertices = 6) out;
in vec4 color[];
flat out vec4 o_color;
void main() {
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 3; i++) {
            vec4 place = gl_in[i].gl_Position;
            place.x = place.x * 0.5 + float(turn) - 0.5;
            gl_Position = gl_ModelViewProjectionMatrix * place;
            o_color = color[turn];
            EmitVertex();
        }
        EndPrimitive();
    }
}
