#version 400 compatibility
layout(vertices = 4) out;
in vec4 vertex_color[];
out vec4 color[];
uniform vec4 levels;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    color[gl_InvocationID] = vertex_color[gl_InvocationID].yzxw;
    gl_TessLevelOuter[0] = levels.x;
    gl_TessLevelOuter[1] = levels.y;
    gl_TessLevelOuter[2] = levels.z;
    gl_TessLevelOuter[3] = levels.w;
    gl_TessLevelInner[0] = levels.x + 2;
    gl_TessLevelInner[1] = levels.y + 1;
}
