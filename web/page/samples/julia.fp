!!NVfp4.0
# A Julia set: the constant of the iteration is program.local[0].
PARAM constant = program.local[0];
PARAM view = { 1.5, 1.5, -0.02, 0 };
TEMP z, t, color;
INT TEMP count;

MAD z.xy, fragment.texcoord[0], 2, -1;
MUL z.xy, z, view;
MOV.S count.x, 0;
REP.S 32;
  MUL t.xy, z, z;
  ADD t.z, t.x, t.y;
  SGT.CC t.w, t.z, 16;
  BRK (GT.w);
  SUB t.x, t.x, t.y;
  MUL t.y, z.x, z.y;
  MUL t.y, t.y, 2;
  SUB z.xy, t, { 0.5, 0.5, 0, 0 };
  ADD z.xy, z, constant;
  ADD.S count.x, count.x, 1;
ENDREP;

I2F color.x, count.x;
MUL color, color.x, { 0.1, 0.07, 0.04, 0 };
MUL color, color, 6.28;
COS t.x, color.x;
COS t.y, color.y;
COS t.z, color.z;
MAD result.color, t, { -0.5, -0.5, -0.5, 0 }, { 0.5, 0.5, 0.5, 1 };
END
