#version 400 compatibility
out vec4 vertex_color;
void main() {
    gl_Position = gl_Vertex;
    vertex_color = gl_Color;
}
