!!FP1.0
# Three steps of brightness, and dark edges.
DEFINE light = { 0.4, 0.5, 0.77, 0 };
DEFINE steps = { 0.25, 0.6, 0.9, 0.3 };
DP3R R0.w, f[TEX0], f[TEX0];
RSQR R0.w, R0.w;
MULR R0.xyz, f[TEX0], R0.w;
DP3R R1.x, R0, light;
SGTR R2.xyz, R1.x, steps;
DP3R R1.y, R2, { 0.22, 0.22, 0.22, 0 };
ADDR R1.y, R1.y, { 0.3, 0.3, 0.3, 0.3 };
MULR R3.xyz, f[COL0], R1.y;
SGTR R1.z, R0.z, steps.w;
MULR o[COLR].xyz, R3, R1.z;
MOVR o[COLR].w, { 1, 1, 1, 1 };
END
