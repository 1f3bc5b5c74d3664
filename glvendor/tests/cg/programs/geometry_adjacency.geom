#version 400 compatibility
layout(lines_adjacency) in;
layout(line_strip, max_vertices = 16) out;
in vec4 color[];
out vec4 o_color;
uniform vec4 limits;
void main() {
    int steps = int(limits.z);
    for (int i = 0; i <= steps; i++) {
        float t = float(i) / float(steps), s = 1 - t;
        gl_Position = s * s * s * gl_in[0].gl_Position + 3 * s * s * t * gl_in[1].gl_Position + 3 * s * t * t * gl_in[2].gl_Position +
                      t * t * t * gl_in[3].gl_Position;
        o_color = mix(color[0], color[3], t);
        EmitVertex();
        if (i == steps / 2) EndPrimitive();
    }
}
