#version 400 compatibility
layout(triangles, fractional_odd_spacing, ccw) in;
in vec4 control_color[];
in vec4 middle[];
out vec4 color;
void main() {
    float u = gl_TessCoord.x, v = gl_TessCoord.y, w = gl_TessCoord.z;
    vec4 flat_place = gl_in[0].gl_Position * u + gl_in[1].gl_Position * v + gl_in[2].gl_Position * w;
    vec4 pulled = 1.2 * (middle[0] * (u * v) + middle[1] * (v * w) + middle[2] * (w * u));
    gl_Position = vec4(flat_place.xy - pulled.xy, flat_place.z, 1);
    color = control_color[0] * u + control_color[1] * v + control_color[2] * w;
}
