#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Source { vec4 source[]; };
layout(std430, binding = 1) buffer Sums { vec4 sums[]; };
void main()
{
    uint to = gl_WorkGroupID.x * 64 + gl_LocalInvocationIndex;
    // Bytes, as LDB and STB have them.
    uint at = (to & 63u) * 64;
    vec4 s = vec4(0.0);
    for (int i = 0; i < 64; i++) {
        s = s * 0.5 + source[at >> 4];
        at += 16;
    }
    sums[(to * 16) >> 4] = s;
}
