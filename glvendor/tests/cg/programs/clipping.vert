#version 130
out float gl_ClipDistance[2];
void main() {
    gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex;
    gl_FrontColor = gl_Color;
    gl_ClipDistance[0] = gl_Vertex.x + 0.513;
    gl_ClipDistance[1] = gl_Vertex.y + 0.777 - gl_Vertex.x;
}
