#version 450
layout(location = 0) out vec4 color;
void main()
{
    vec4 p = gl_FragCoord.xyxy * vec4(0.001, 0.002, 0.0015, 0.0025);
    vec4 s = vec4(0.0);
    for (int i = 0; i < 8; i++) {
        vec4 q = p;
        for (int j = 0; j < 12; j++) {
            q = q * 0.75 + p.wxyz;
            s = q * 0.125 + s;
        }
        p = s * 0.0078125 + p;
    }
    color = s * 0.0078125;
}
