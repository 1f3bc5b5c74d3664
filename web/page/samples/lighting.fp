!!ARBfp1.0
# Blinn-Phong lighting with a light from program.local[0].
PARAM light = program.local[0];      # direction in eye space
PARAM shine = program.local[1];      # color of the highlight
PARAM ambient = { 0.18, 0.16, 0.22, 1 };
TEMP n, l, h, lit, color;

DP3 n.w, fragment.texcoord[0], fragment.texcoord[0];
RSQ n.w, n.w;
MUL n.xyz, fragment.texcoord[0], n.w;

DP3 l.w, light, light;
RSQ l.w, l.w;
MUL l.xyz, light, l.w;

# The eye is at the origin.
DP3 h.w, fragment.texcoord[1], fragment.texcoord[1];
RSQ h.w, h.w;
MAD h.xyz, -fragment.texcoord[1], h.w, l;
DP3 h.w, h, h;
RSQ h.w, h.w;
MUL h.xyz, h, h.w;

DP3 lit.x, n, l;
DP3 lit.y, n, h;
MOV lit.w, 40;
LIT lit, lit;

ADD color, ambient, lit.y;
MUL color, fragment.color, color;
MAD result.color.xyz, lit.z, shine, color;
MOV result.color.w, 1;
END
