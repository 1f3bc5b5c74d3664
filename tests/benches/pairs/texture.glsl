#version 450
layout(set = 1, binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 color;
void main()
{
    vec2 row = gl_FragCoord.xy * vec2(0.0015625, 0.002083333) - 0.02;
    vec4 sum = vec4(0.0);
    for (int j = 0; j < 5; j++) {
        vec2 at = row;
        for (int i = 0; i < 5; i++) {
            sum = texture(image, at) * 0.04 + sum;
            at.x += 0.01;
        }
        row.y += 0.01;
    }
    color = sum;
}
