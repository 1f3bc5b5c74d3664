#version 450
layout(location = 0) out vec4 color;
void main()
{
    vec4 p = gl_FragCoord.xyxy * vec4(0.0015, 0.002, 0.00125, 0.0018);
    vec4 s = vec4(0.0);
    for (int i = 0; i < 24; i++) {
        if (p.x > p.y) {
            p.x = p.x * 0.5 + 0.125;
            s.x += p.z;
        } else {
            p.y = p.y * 0.75 + 0.0625;
            s.y += p.w;
        }
        if (p.z < 0.5) {
            if (p.w > 0.25)
                p.zw = p.zw * 1.5 + 0.1;
            s.z += 0.25;
        }
        p.zw *= 0.875;
    }
    if (s.x > s.y)
        s.w = s.x * 0.5;
    else
        s.w = s.y * 0.25;
    color = s * 0.0625;
}
