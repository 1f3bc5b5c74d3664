#version 400 compatibility
in vec4 o_color;
in vec2 corner;
void main() {
    vec2 from = corner - 0.507;
    if (dot(from, from) > 0.25) discard;
    gl_FragColor = o_color * (1 - dot(from, from));
}
