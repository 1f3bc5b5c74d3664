// Programs to start from.

import blinnVertex from "../samples/lighting.vp";
import blinnFragment from "../samples/lighting.fp";
import bumpsFragment from "../samples/bumps.fp";
import cartoonVertex from "../samples/cartoon.vp";
import cartoonFragment from "../samples/cartoon.fp";
import juliaFragment from "../samples/julia.fp";
import waveVertex from "../samples/wave.vp";
import waveFragment from "../samples/wave.fp";
import tgsiFragment from "../samples/plasma.tgsi";

export interface Sample {
  title: string;
  texts: [string, string];
}

export const SAMPLES: Sample[] = [
  { title: "Lighting (ARB)", texts: [blinnVertex, blinnFragment] },
  { title: "Bump map (ARB)", texts: ["", bumpsFragment] },
  { title: "Cartoon (NV_vertex_program, NV_fragment_program)", texts: [cartoonVertex, cartoonFragment] },
  { title: "Julia set (NV_gpu_program4)", texts: ["", juliaFragment] },
  { title: "Wave (NV_gpu_program5)", texts: [waveVertex, waveFragment] },
  { title: "Plasma (TGSI)", texts: ["", tgsiFragment] },
];
