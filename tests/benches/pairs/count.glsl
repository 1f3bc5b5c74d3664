#version 450
layout(binding = 8) uniform Parameters { vec4 p; };
layout(location = 0) out vec4 color;
void main()
{
    vec4 r = gl_FragCoord.xyxy * vec4(0.001, 0.002, 0.003, 0.004);
    vec4 s = r;
    int count = int(floor(p.x));
    for (int i = 0; i < count; i++) {
        s = s * p.y + r;
        r = r * p.z + s.yzwx;
        s = min(s, vec4(p.w));
    }
    color = s * 0.25;
}
