#version 450
layout(location = 0) out vec4 color;
void main()
{
    vec4 p = vec4(gl_FragCoord.xy * vec2(0.0015625, 0.0020833333), 0.0, 0.0);
    for (int i = 0; i < 12; i++) {
        p.z = abs(sin(p.x)) + 0.25;
        p.w = cos(p.y);
        p.x = log2(p.z) * 0.125 + p.x;
        p.y = exp2(p.w) * (1.0 / p.z) + p.y;
        p.x = inversesqrt(p.z) * 0.0625 + p.x;
    }
    color = p * 0.03125 + 0.5;
}
