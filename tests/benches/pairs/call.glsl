#version 450
layout(location = 0) out vec4 color;
vec4 s = vec4(0.0);
vec4 turn(vec4 p)
{
    vec4 q = p * p.wzyx;
    s = q * 0.75 + s;
    return q;
}
void main()
{
    vec4 p = gl_FragCoord.xyxy * vec4(0.001, 0.0015, 0.00125, 0.0013);
    for (int i = 0; i < 20; i++) {
        p = turn(p).yzwx + 0.25;
        p = turn(p) * 0.5 + 0.125;
    }
    color = s * 0.03125;
}
