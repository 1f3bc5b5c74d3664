#version 450
layout(location = 0) out vec4 color;
// CVT drops high bits of what is beyond the range, where `uvec2()` leaves the result open.
uvec2 low_bits(vec2 number)
{
    vec2 whole = floor(number);
    vec2 magnitude = abs(whole);
    uvec2 low = uvec2(max(magnitude - floor(magnitude * (1.0 / 4294967296.0)) * 4294967296.0, 0.0));
    return mix(low, -low, lessThan(whole, vec2(0.0)));
}
void main()
{
    uvec4 h = low_bits(gl_FragCoord.xy).xyxy * uvec4(73u, 179u, 283u, 419u);
    for (int i = 0; i < 48; i++) {
        h ^= h >> 13;
        h *= 1540483477u;
        h += h.yzwx << 7;
        h ^= (h & 255u).wzyx;
    }
    color = vec4(h & 255u) * 0.003921569;
}
