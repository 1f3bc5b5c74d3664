// Draws the scene: with WebGPU if the browser has it, otherwise in a worker with the interpreter, first
// a coarse image, then the final one. A new scene ends the drawing of the previous one.

import { CallError, WorkerClient } from "./client";
import { GpuRenderer } from "./gpu";
import type { DrawResult, InputsResult, SceneRequest, TraceResult } from "./protocol";
import { isFailed } from "./protocol";

/** Time of an image or trace at most, in milliseconds. */
const LIMIT = 30_000;

/** Coarse images have a fraction of the width and height. */
const COARSE = 4;

/** Selection of the renderer: the first one that can draw the scene, or one. */
export type Renderer = "auto" | "webgpu" | "interpreter";

/** An image and how it was drawn. */
export interface DrawnImage extends DrawResult {
  renderer: string;
  isFinal: boolean;
  milliseconds: number;
}

export interface SceneEvents {
  onInputs: (inputs: InputsResult) => void;
  onImage: (image: DrawnImage) => void;
  onFailure: (message: string) => void;
}

export class SceneRunner {
  private readonly client: WorkerClient;
  private readonly files = new Map<number, Uint8Array>();
  private readonly gpu = new GpuRenderer();
  private version = 0;

  constructor(
    module: WebAssembly.Module,
    private readonly events: SceneEvents,
  ) {
    this.client = new WorkerClient(module, (client) => this.restore(client));
  }

  private restore(client: WorkerClient) {
    for (const [unit, file] of this.files) {
      client.call("setTexture", LIMIT, unit, file).catch(() => {});
    }
  }

  /** Sets the PNG file of a texture. */
  setTexture(unit: number, file: Uint8Array) {
    this.files.set(unit, file);
    this.client.call("setTexture", LIMIT, unit, file).catch(() => {});
  }

  /** Shows the inputs and the image of a scene. Only the last call has results. */
  async update(request: SceneRequest, renderer: Renderer): Promise<void> {
    this.client.cancel();
    const version = ++this.version;
    const isCurrent = () => version === this.version;
    try {
      const inputs = await this.client.call("inputs", LIMIT, request);
      if (!isCurrent()) {
        return;
      }
      if (isFailed(inputs)) {
        throw new Error(inputs.error);
      }
      this.events.onInputs(inputs);
      if (!inputs.hasImage) {
        throw new Error("the programs draw nothing");
      }
      const reason = await this.drawWithGpu(request, renderer, isCurrent);
      if (reason !== null && isCurrent()) {
        if (renderer === "webgpu") {
          throw new Error(reason);
        }
        await this.interpret(request, isCurrent);
      }
    } catch (error) {
      if (isCurrent() && !(error instanceof CallError && error.reason === "cancelled")) {
        this.events.onFailure(error instanceof Error ? error.message : String(error));
      }
    }
  }

  /** Draws with WebGPU; returns the reason if that is not possible. */
  private async drawWithGpu(
    request: SceneRequest,
    renderer: Renderer,
    isCurrent: () => boolean,
  ): Promise<string | null> {
    if (renderer === "interpreter") {
      return "not requested";
    }
    if (!(await this.gpu.isAvailable())) {
      return "the browser has no WebGPU";
    }
    const start = performance.now();
    const scene = await this.client.call("describeForGpu", LIMIT, request);
    if (!isCurrent()) {
      return null;
    }
    if (isFailed(scene)) {
      return scene.error;
    }
    try {
      const pixels = await this.gpu.draw(scene);
      if (isCurrent()) {
        const { width, height } = scene;
        const milliseconds = performance.now() - start;
        const image = { width, height, pixels, limitations: [], isFinal: true, milliseconds };
        this.events.onImage({ ...image, renderer: "WebGPU" });
      }
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  private async interpret(request: SceneRequest, isCurrent: () => boolean): Promise<void> {
    const start = performance.now();
    const [width, height] = request.size;
    const coarse: SceneRequest = {
      ...request,
      size: [Math.max(1, width / COARSE), Math.max(1, height / COARSE)],
    };
    for (const step of [coarse, request]) {
      const image = await this.client.call("draw", LIMIT, step);
      if (!isCurrent()) {
        return;
      }
      if (isFailed(image)) {
        throw new Error(image.error);
      }
      const milliseconds = performance.now() - start;
      const isFinal = step === request;
      this.events.onImage({ ...image, renderer: "Interpreter", isFinal, milliseconds });
    }
  }

  /** Traces a pixel of a scene. */
  async trace(request: SceneRequest, x: number, y: number): Promise<TraceResult | string> {
    try {
      const trace = await this.client.call("trace", LIMIT, request, x, y);
      return isFailed(trace) ? trace.error : trace;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
