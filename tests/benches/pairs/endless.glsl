#version 450
layout(location = 0) out vec4 color;
void main()
{
    float a = gl_FragCoord.x * 37.0 + gl_FragCoord.y;
    float x = a;
    float n = 0.0;
    for (;;) {
        float y = (a * (1.0 / x) + x) * 0.5;
        float d = x - y;
        x = y;
        n += 1.0;
        if (!(abs(d) > 0.001))
            break;
    }
    color = vec4(n * 0.0625, x * vec3(0.001, 0.002, 0.003));
}
