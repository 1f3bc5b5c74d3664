!!ARBfp1.0
# Lights a surface whose normals are in texture 0. The light follows program.local[0].
PARAM light = program.local[0];
PARAM tint = program.local[1];
TEMP normal, direction, diffuse;

TEX normal, fragment.texcoord[0], texture[0], 2D;
MAD normal.xyz, normal, 2, -1;
DP3 normal.w, normal, normal;
RSQ normal.w, normal.w;
MUL normal.xyz, normal, normal.w;

DP3 direction.w, light, light;
RSQ direction.w, direction.w;
MUL direction.xyz, light, direction.w;

DP3_SAT diffuse, normal, direction;
MUL result.color, diffuse, tint;
END
