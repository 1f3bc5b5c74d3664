#version 130
in vec2 uv;
uniform sampler2D mapped;
void main() {
    gl_FragColor = textureLod(mapped, uv, uv.x * 4);
}
