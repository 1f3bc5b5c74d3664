// Draws scenes with WebGPU. The image is read back: it is then shown, compared and traced as that of
// the interpreter.

import type { Contents, GpuResource, GpuScene } from "./protocol";

/** Format of images. Programs write values of GL's framebuffers of 8 bits. */
const COLOR_FORMAT = "rgba8unorm";

const DEPTH_FORMAT = "depth32float";

/** Bytes of a row that is copied to a buffer are a multiple of this. */
const ROW_ALIGNMENT = 256;

/** Time of a draw at most, in milliseconds. */
const LIMIT = 10_000;

export class GpuRenderer {
  private device: GPUDevice | null = null;
  private failed = false;

  /** Returns the device; null if the browser has none. */
  private async findDevice(): Promise<GPUDevice | null> {
    if (this.device || this.failed) {
      return this.device;
    }
    try {
      const adapter = await navigator.gpu?.requestAdapter();
      const device = (await adapter?.requestDevice()) ?? null;
      device?.lost.then(() => {
        if (this.device === device) {
          this.device = null;
        }
      });
      this.device = device;
    } catch {
      this.device = null;
    }
    this.failed = this.device === null;
    return this.device;
  }

  async isAvailable(): Promise<boolean> {
    return (await this.findDevice()) !== null;
  }

  /** Draws a scene and returns its pixels, the upper left one first. Throws an error with the reason
   * if the browser cannot draw it. */
  async draw(scene: GpuScene): Promise<Uint8ClampedArray<ArrayBuffer>> {
    const device = await this.findDevice();
    if (!device) {
      throw new Error("the browser has no WebGPU");
    }
    device.pushErrorScope("validation");
    const work = new SceneDraw(device, scene);
    try {
      const pixels = await Promise.race([work.run(), rejectAfter(LIMIT)]);
      const error = await device.popErrorScope();
      if (error) {
        throw new Error(error.message);
      }
      return pixels;
    } catch (error) {
      // A device that is busy with a program that does not end is of no further use.
      if (error instanceof TimeoutError) {
        device.destroy();
        this.device = null;
      }
      throw error;
    } finally {
      work.destroy();
    }
  }
}

class TimeoutError extends Error {}

function rejectAfter(limit: number): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new TimeoutError(`stopped after ${limit / 1000} s`)), limit);
  });
}

/** A draw with its objects. */
class SceneDraw {
  private readonly objects: (GPUBuffer | GPUTexture)[] = [];

  constructor(
    private readonly device: GPUDevice,
    private readonly scene: GpuScene,
  ) {}

  destroy() {
    for (const object of this.objects) {
      object.destroy();
    }
  }

  async run(): Promise<Uint8ClampedArray<ArrayBuffer>> {
    const { device, scene } = this;
    const pipeline = await this.createPipeline();
    const encoder = device.createCommandEncoder();
    const size = [scene.width, scene.height];
    const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
    const color = this.keep(device.createTexture({ size, format: COLOR_FORMAT, usage }));
    const depth = this.keep(
      device.createTexture({ size, format: DEPTH_FORMAT, usage: GPUTextureUsage.RENDER_ATTACHMENT }),
    );
    const [r, g, b, a] = scene.clear;
    const pass = encoder.beginRenderPass({
      colorAttachments: [
        { view: color.createView(), loadOp: "clear", storeOp: "store", clearValue: { r, g, b, a } },
      ],
      depthStencilAttachment: {
        view: depth.createView(),
        depthLoadOp: "clear",
        depthStoreOp: "discard",
        depthClearValue: 1,
      },
    });
    pass.setPipeline(pipeline);
    this.bindResources(pass, pipeline);
    this.drawVertices(pass);
    pass.end();
    const stride = Math.ceil((4 * scene.width) / ROW_ALIGNMENT) * ROW_ALIGNMENT;
    const buffer = this.keep(
      device.createBuffer({
        size: stride * scene.height,
        usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
      }),
    );
    encoder.copyTextureToBuffer({ texture: color }, { buffer, bytesPerRow: stride }, size);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const rows = new Uint8Array(buffer.getMappedRange());
    const pixels = new Uint8ClampedArray(4 * scene.width * scene.height);
    for (let y = 0; y < scene.height; y++) {
      // The first row is the lowest one, as in GL.
      const start = (scene.height - 1 - y) * stride;
      pixels.set(rows.subarray(start, start + 4 * scene.width), 4 * scene.width * y);
    }
    return pixels;
  }

  private keep<Kept extends GPUBuffer | GPUTexture>(object: Kept): Kept {
    this.objects.push(object);
    return object;
  }

  private getContents([offset, length]: Contents): Uint8Array<ArrayBuffer> {
    return this.scene.bytes.subarray(offset, offset + length);
  }

  private createBuffer(contents: Contents, usage: GPUBufferUsageFlags): GPUBuffer {
    const bytes = this.getContents(contents);
    const size = Math.max(16, Math.ceil(bytes.length / 16) * 16);
    const buffer = this.keep(
      this.device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_DST, mappedAtCreation: true }),
    );
    new Uint8Array(buffer.getMappedRange()).set(bytes);
    buffer.unmap();
    return buffer;
  }

  private createPipeline(): Promise<GPURenderPipeline> {
    const { device, scene } = this;
    const { pipeline: state, vertices } = scene;
    const modules = new Map(
      scene.shaders.map(({ stage, source }) => [stage, device.createShaderModule({ code: source })]),
    );
    const [vertex, fragment] = [modules.get("vertex"), modules.get("fragment")];
    if (!vertex || !fragment) {
      throw new Error("the scene has no vertex or no fragment program");
    }
    const buffers: GPUVertexBufferLayout[] = vertices.constants.map(({ location }) => ({
      arrayStride: 0,
      attributes: [{ shaderLocation: location, offset: 0, format: "float32x4" }],
    }));
    if (vertices.buffer) {
      const { stride, attributes } = vertices.buffer;
      buffers.push({ arrayStride: stride, attributes });
    }
    const isStrip = state.topology.endsWith("strip");
    return device.createRenderPipelineAsync({
      layout: "auto",
      vertex: { module: vertex, buffers },
      fragment: {
        module: fragment,
        targets: [{ format: COLOR_FORMAT, writeMask: state.writeMask }],
      },
      primitive: {
        topology: state.topology,
        frontFace: state.frontFace,
        ...(isStrip && vertices.indices ? { stripIndexFormat: "uint32" } : {}),
      },
      depthStencil: {
        format: DEPTH_FORMAT,
        depthWriteEnabled: state.depthTest && state.depthWrite,
        depthCompare: state.depthTest ? state.depthCompare : "always",
      },
    });
  }

  private bindResources(pass: GPURenderPassEncoder, pipeline: GPURenderPipeline) {
    const groups = new Map<number, GPUBindGroupEntry[]>();
    for (const resource of this.scene.resources) {
      const entries = groups.get(resource.group) ?? [];
      entries.push({ binding: resource.binding, resource: this.createResource(resource) });
      groups.set(resource.group, entries);
    }
    for (const [group, entries] of groups) {
      const layout = pipeline.getBindGroupLayout(group);
      pass.setBindGroup(group, this.device.createBindGroup({ layout, entries }));
    }
  }

  private createResource(resource: GpuResource): GPUBindingResource {
    switch (resource.kind) {
      case "uniform":
        return { buffer: this.createBuffer(resource.contents, GPUBufferUsage.UNIFORM) };
      case "sampler":
        return this.device.createSampler(resource.sampler);
      case "texture":
        return this.createTexture(resource);
    }
  }

  private createTexture(resource: GpuResource & { kind: "texture" }): GPUTextureView {
    const size = resource.levels[0]?.size ?? [1, 1, 1];
    const texture = this.keep(
      this.device.createTexture({
        size,
        format: resource.format,
        dimension: resource.dimension === "3d" ? "3d" : "2d",
        mipLevelCount: resource.levels.length,
        usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
      }),
    );
    resource.levels.forEach((level, mipLevel) => {
      const [width, height] = level.size;
      this.device.queue.writeTexture(
        { texture, mipLevel },
        this.getContents(level.contents),
        { bytesPerRow: width * resource.texelBytes, rowsPerImage: height },
        level.size,
      );
    });
    return texture.createView({ dimension: resource.dimension });
  }

  private drawVertices(pass: GPURenderPassEncoder) {
    const { vertices } = this.scene;
    vertices.constants.forEach(({ contents }, slot) => {
      pass.setVertexBuffer(slot, this.createBuffer(contents, GPUBufferUsage.VERTEX));
    });
    if (vertices.buffer) {
      const buffer = this.createBuffer(vertices.buffer.contents, GPUBufferUsage.VERTEX);
      pass.setVertexBuffer(vertices.constants.length, buffer);
    }
    if (vertices.indices) {
      const indices = this.createBuffer(vertices.indices, GPUBufferUsage.INDEX);
      pass.setIndexBuffer(indices, "uint32");
      pass.drawIndexed(vertices.count);
    } else {
      pass.draw(vertices.count);
    }
  }
}
