#version 450
layout(location = 0) out vec4 color;
void main()
{
    uvec4 h = uvec2(gl_FragCoord.xy).xyxy * uvec4(73u, 179u, 283u, 419u);
    for (int i = 0; i < 48; i++) {
        h ^= h >> 13;
        h *= 1540483477u;
        h += h.yzwx << 7;
        h ^= (h & 255u).wzyx;
    }
    color = vec4(h & 255u) * 0.003921569;
}
