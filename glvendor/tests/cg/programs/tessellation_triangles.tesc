#version 400 compatibility
layout(vertices = 3) out;
in vec4 vertex_color[];
out vec4 control_color[];
out vec4 middle[];
uniform vec4 levels;
void main() {
    int next = (gl_InvocationID + 1) % 3;
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    control_color[gl_InvocationID] = vertex_color[gl_InvocationID];
    middle[gl_InvocationID] = (gl_in[gl_InvocationID].gl_Position + gl_in[next].gl_Position) * 0.5;
    gl_TessLevelOuter[0] = levels.x;
    gl_TessLevelOuter[1] = levels.y;
    gl_TessLevelOuter[2] = levels.z;
    gl_TessLevelInner[0] = levels.w;
}
