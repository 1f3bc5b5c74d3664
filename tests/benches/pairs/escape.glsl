#version 450
layout(binding = 8) uniform Parameters { vec4 view; };
layout(location = 0) out vec4 color;
void main()
{
    vec2 c = (gl_FragCoord.xy - vec2(320.0, 240.0)) * view.z + view.xy;
    vec2 z = vec2(0.0);
    float n = 0.0;
    for (int i = 0; i < 256; i++) {
        z = vec2(z.x * z.x - z.y * z.y + c.x, z.x * z.y * 2.0 + c.y);
        if (dot(z, z) > 256.0)
            break;
        n += 1.0;
    }
    color = vec4(n * 0.00390625);
}
