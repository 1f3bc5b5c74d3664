#version 130
flat in vec4 last;
noperspective in vec4 linear_one;
void main() {
    gl_FragColor = last * 0.5 + linear_one * 0.25;
}
