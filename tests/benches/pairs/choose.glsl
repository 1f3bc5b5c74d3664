#version 450
layout(location = 0) out vec4 color;
void main()
{
    vec4 p = gl_FragCoord.xyxy * vec4(0.01, 0.02, 0.015, 0.025) - vec4(2.0, 3.0, 4.0, 5.0);
    vec4 s = vec4(0.0);
    for (int i = 0; i < 24; i++) {
        vec4 q = min(p, p.yzwx);
        q = max(q, -p.wxyz);
        q = mix(p.zwxy, q, lessThan(p, vec4(0.0)));
        p = vec4(lessThan(q, s));
        s = mix(s, q, vec4(0.25, 0.5, 0.75, 0.125));
        p = clamp(p * 0.5 + s.yzwx, 0.0, 1.0) - 0.5;
    }
    color = s * 0.25 + 0.5;
}
