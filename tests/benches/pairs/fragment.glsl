#version 450
layout(binding = 8) uniform Parameters { vec4 c[12]; };
layout(location = 0) out vec4 color;
vec3 shade(vec3 p, vec3 n, vec3 h)
{
    vec3 s = vec3(0.0);
    {
        vec3 d = c[0].xyz - p;
        d *= inversesqrt(dot(d, d));
        float diffuse = max(dot(d, n), 0.0);
        float gloss = pow(max(dot(d, h), 0.0009765625), 8.0);
        s = diffuse * c[1].xyz + s;
        s = gloss * c[1].w + s;
    }
    {
        vec3 d = c[2].xyz - p;
        d *= inversesqrt(dot(d, d));
        float diffuse = max(dot(d, n), 0.0);
        float gloss = pow(max(dot(d, h), 0.0009765625), 8.0);
        s = diffuse * c[3].xyz + s;
        s = gloss * c[3].w + s;
    }
    {
        vec3 d = c[4].xyz - p;
        d *= inversesqrt(dot(d, d));
        float diffuse = max(dot(d, n), 0.0);
        float gloss = pow(max(dot(d, h), 0.0009765625), 8.0);
        s = diffuse * c[5].xyz + s;
        s = gloss * c[5].w + s;
    }
    {
        vec3 d = c[6].xyz - p;
        d *= inversesqrt(dot(d, d));
        float diffuse = max(dot(d, n), 0.0);
        float gloss = pow(max(dot(d, h), 0.0009765625), 8.0);
        s = diffuse * c[7].xyz + s;
        s = gloss * c[7].w + s;
    }
    {
        vec3 d = c[8].xyz - p;
        d *= inversesqrt(dot(d, d));
        float diffuse = max(dot(d, n), 0.0);
        float gloss = pow(max(dot(d, h), 0.0009765625), 8.0);
        s = diffuse * c[9].xyz + s;
        s = gloss * c[9].w + s;
    }
    {
        vec3 d = c[10].xyz - p;
        d *= inversesqrt(dot(d, d));
        float diffuse = max(dot(d, n), 0.0);
        float gloss = pow(max(dot(d, h), 0.0009765625), 8.0);
        s = diffuse * c[11].xyz + s;
        s = gloss * c[11].w + s;
    }
    return s;
}
void main()
{
    vec3 p;
    p.xy = gl_FragCoord.xy * vec2(0.003125, 0.0041666667) - 1.0;
    p.z = p.x * p.y;
    vec3 n = vec3(-p.yx, 1.0);
    n *= inversesqrt(dot(n, n));
    color = vec4(shade(p, n, n + vec3(0.0, 0.0, 0.5)), 1.0);
}
