#version 130
void main() {
    gl_FragColor = gl_Color;
}
