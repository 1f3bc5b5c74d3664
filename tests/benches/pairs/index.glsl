#version 450
layout(binding = 8) uniform Parameters { vec4 c[16]; };
layout(location = 0) out vec4 color;
void main()
{
    vec4 r = gl_FragCoord.xyxy * vec4(0.001, 0.002, 0.003, 0.004);
    vec4 s = vec4(0.0);
    for (int n = 0; n < 8; n++) {
        for (int i = 0; i < 16; i++) {
            s = c[i] * r + s;
            r = r.yzwx * 0.99;
        }
    }
    color = s * 0.03125;
}
