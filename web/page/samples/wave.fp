!!NVfp5.0
# The texture, with the color of the vertex program.
TEMP texel;
TEX texel, fragment.texcoord[0], texture[0], 2D;
LRP result.color, 0.6, texel, fragment.color;
MOV result.color.w, 1;
END
