#version 400 compatibility
layout(vertices = 4) out;
in vec4 vertex_color[];
out vec4 color[];
uniform vec4 levels;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    color[gl_InvocationID] = vertex_color[gl_InvocationID];
    gl_TessLevelOuter[0] = levels.x;
    gl_TessLevelOuter[1] = levels.y;
}
