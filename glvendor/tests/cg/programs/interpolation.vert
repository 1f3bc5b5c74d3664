#version 130
flat out vec4 last;
noperspective out vec4 linear_one;
void main() {
    gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex;
    last = gl_Color;
    linear_one = vec4(gl_MultiTexCoord0.xy, 0, 1);
}
