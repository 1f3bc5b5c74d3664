"""Panda3D with a shader of Cg: a lit and textured sphere, and what the window shows of it.

Arguments: `basic` for the profiles arbvp1 and arbfp1, else the newest that there are; file of the picture; edge of the window."""

import math
import sys

from panda3d.core import (
    Geom, GeomNode, GeomTriangles, GeomVertexData, GeomVertexFormat, GeomVertexWriter, LVector4, PNMImage, SamplerState, Shader, Texture,
    loadPrcFileData)

PROFILES, PICTURE, SIZE = sys.argv[1:4]
BASIC = "#t" if PROFILES == "basic" else "#f"
loadPrcFileData("", f"win-size {SIZE} {SIZE}\nbasic-shaders-only {BASIC}\naudio-library-name null\nload-display pandagl\nsync-video 0")

from direct.showbase.ShowBase import ShowBase

SHADER = """//Cg

void vshader(float4 vtx_position : POSITION, float3 vtx_normal : NORMAL, float4 vtx_color : COLOR, float2 vtx_texcoord0 : TEXCOORD0,
             uniform float4x4 mat_modelproj, out float4 l_position : POSITION, out float4 l_color : COLOR0,
             out float3 l_normal : TEXCOORD0, out float2 l_uv : TEXCOORD1) {
    l_position = mul(mat_modelproj, vtx_position);
    l_color = vtx_color;
    l_normal = vtx_normal;
    l_uv = vtx_texcoord0;
}

void fshader(float4 l_color : COLOR0, float3 l_normal : TEXCOORD0, float2 l_uv : TEXCOORD1, uniform sampler2D tex_0, uniform float4 k_tint,
             out float4 o_color : COLOR) {
    float light = saturate(dot(normalize(l_normal), normalize(float3(1, -2, 2))));
    float3 texel = tex2D(tex_0, l_uv).rgb;
    o_color = float4(k_tint.rgb * (0.2 + 0.8 * light) * (0.4 * l_color.rgb + 0.6 * texel), 1);
}
"""


def sphere(rows):
    """Triangles between points of as many rows, and twice as many in each row."""
    data = GeomVertexData("sphere", GeomVertexFormat.getV3n3c4t2(), Geom.UHStatic)
    vertex, normal, color, uv = (GeomVertexWriter(data, name) for name in ("vertex", "normal", "color", "texcoord"))
    columns = 2 * rows
    for i in range(rows + 1):
        for j in range(columns + 1):
            down, around = math.pi * i / rows, 2 * math.pi * j / columns
            at = (math.sin(down) * math.cos(around), math.sin(down) * math.sin(around), math.cos(down))
            vertex.addData3(*at)
            normal.addData3(*at)
            color.addData4(i / rows, j / columns, 0.5, 1)
            uv.addData2(j / columns, i / rows)
    triangles = GeomTriangles(Geom.UHStatic)
    for i in range(rows):
        for j in range(columns):
            a = i * (columns + 1) + j
            b = a + columns + 1
            triangles.addVertices(a, b, a + 1)
            triangles.addVertices(a + 1, b, b + 1)
    geom = Geom(data)
    geom.addPrimitive(triangles)
    node = GeomNode("sphere")
    node.addGeom(geom)
    return node


def checkers():
    image = PNMImage(16, 16)
    for x in range(16):
        for y in range(16):
            image.setXel(x, y, (x / 15, y / 15, float((x ^ y) & 1)))
    texture = Texture()
    texture.load(image)
    texture.setMinfilter(SamplerState.FT_linear)
    texture.setMagfilter(SamplerState.FT_linear)
    return texture


base = ShowBase()
base.disableMouse()
shader = Shader.make(SHADER, Shader.SL_Cg)
if not shader or shader.getErrorFlag():
    sys.exit("the shader does not compile")
node = base.render.attachNewNode(sphere(24))
node.setTexture(checkers())
node.setPos(0, 4, 0)
node.setHpr(20, 30, 10)
node.setShader(shader)
node.setShaderInput("tint", LVector4(1, 0.8, 0.6, 1))
for _ in range(3):
    base.graphicsEngine.renderFrame()
picture = PNMImage()
base.win.getScreenshot(picture)
with open(PICTURE, "wb") as file:
    file.write(f"P7\nWIDTH {SIZE}\nHEIGHT {SIZE}\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n".encode())
    for y in range(int(SIZE)):
        for x in range(int(SIZE)):
            pixel = picture.getXelVal(x, y)
            file.write(bytes([pixel[0], pixel[1], pixel[2], 255]))
