#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 1) buffer Sums { float sums[]; };
shared float cells[64];
void main()
{
    uint at = gl_LocalInvocationIndex;
    float v = float(at);
    cells[at] = v;
    barrier();
    uint k = 1;
    for (int i = 0; i < 32; i++) {
        v = cells[at] * 0.5 + cells[(at + k) & 63u];
        barrier();
        cells[at] = v;
        barrier();
        k++;
    }
    sums[gl_WorkGroupID.x * 64 + at] = v;
}
