#version 450
layout(location = 0) out vec4 color;
void main()
{
    const vec4 k = vec4(0.01, 0.02, 0.5, 0.25);
    vec4 p = gl_FragCoord.xyxy * k.xyyx;
    vec4 s = vec4(0.0);
    for (int j = 0; j < 12; j++) {
        vec4 q = p * p.yzwx;
        for (int i = 0; i < 8; i++) {
            q = q * k.z + p;
            s = q * k.w + s;
        }
        if (q.x > q.y)
            p = q * k.w + k.x;
        else
            p = q * k.z + k.y;
    }
    color = s * 0.0078125;
}
