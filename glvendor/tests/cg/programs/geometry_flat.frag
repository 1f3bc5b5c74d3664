#version 400 compatibility
flat in vec4 o_color;
void main() {
    gl_FragColor = o_color;
}
