#version 450
layout(location = 0) out vec4 color;
void main()
{
    vec4 p = gl_FragCoord.xyxy * vec4(0.01, 0.02, 0.015, 0.025);
    p *= p.yzwx;
    vec4 s = vec4(0.0);
    for (int i = 0; i < 40; i++) {
        vec4 x = dFdx(p);
        vec4 y = dFdy(p);
        s = x * y + s;
        p = p * 0.96875 + x.wxyz;
    }
    color = abs(s) * 0.125;
}
