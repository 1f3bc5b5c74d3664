// Draws the scene in a worker: first a coarse image, then the final one. A new scene ends the drawing
// of the previous one.

import { CallError, WorkerClient } from "./client";
import type { DrawResult, InputsResult, SceneRequest, TraceResult } from "./protocol";
import { isFailed } from "./protocol";

/** Time of an image or trace at most, in milliseconds. */
const LIMIT = 20_000;

/** Coarse images have a fraction of the width and height. */
const COARSE = 4;

export interface SceneEvents {
  onInputs: (inputs: InputsResult) => void;
  onImage: (image: DrawResult, isFinal: boolean, milliseconds: number) => void;
  onFailure: (message: string) => void;
}

export class SceneRunner {
  private readonly client: WorkerClient;
  private readonly files = new Map<number, Uint8Array>();
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
  async update(request: SceneRequest): Promise<void> {
    this.client.cancel();
    const version = ++this.version;
    const isCurrent = () => version === this.version;
    try {
      const inputs = await this.client.call("inputs", LIMIT, request);
      if (!isCurrent()) {
        return;
      }
      if (isFailed(inputs)) {
        this.events.onFailure(inputs.error);
        return;
      }
      this.events.onInputs(inputs);
      if (!inputs.hasImage) {
        this.events.onFailure("the programs draw nothing");
        return;
      }
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
          this.events.onFailure(image.error);
          return;
        }
        this.events.onImage(image, step === request, performance.now() - start);
      }
    } catch (error) {
      if (isCurrent() && !(error instanceof CallError && error.reason === "cancelled")) {
        this.events.onFailure(error instanceof Error ? error.message : String(error));
      }
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
