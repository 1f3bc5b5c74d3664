// The JSON values that the WebAssembly module returns, and the messages between page and workers.

/** Start and end of a range of a text, in code units. */
export type Span = [number, number];

export interface ProgramInfo {
  span: Span;
  language: string | null;
  type: string | null;
  hasErrors: boolean;
}

export interface Fix {
  title: string;
  span: Span;
  text: string;
}

export interface ProgramDiagnostic {
  span: Span;
  severity: "error" | "warning";
  code: string;
  message: string;
  notes: string[];
  related: { span: Span; message: string }[];
  fixes: Fix[];
  explanation: string;
}

export interface Description {
  programs: ProgramInfo[];
  /** Start, end and classes of each token. */
  tokens: [number, number, string][];
  diagnostics: ProgramDiagnostic[];
}

export interface Explanation {
  span: Span;
  text: string;
}

export interface CompletionResult {
  span: Span;
  items: { label: string; detail: string; kind: string }[];
}

export interface SignatureResult {
  label: string;
  active: Span | null;
}

export interface OutputProgram {
  language: string;
  text?: string;
  error?: string;
}

export interface OutputFormInfo {
  name: string;
  title: string;
}

export interface Failed {
  error: string;
}

export type Control =
  | { kind: "vector"; count: number }
  | { kind: "texture"; unit: number; names: string[] }
  | { kind: "attribute"; names: string[] }
  | { kind: "numbers" }
  | { kind: "none" };

export interface InputInfo {
  key: string | null;
  name: string;
  initial: string;
  value: string;
  isSet: boolean;
  option: string;
  control: Control;
}

export interface InputsResult {
  inputs: InputInfo[];
  hasImage: boolean;
}

export interface DrawResult {
  limitations: string[];
  width: number;
  height: number;
  pixels: Uint8ClampedArray<ArrayBuffer>;
}

/** Offset and length in the bytes of a scene. */
export type Contents = [offset: number, length: number];

export type GpuResource = { group: number; binding: number } & (
  | { kind: "uniform"; contents: Contents }
  | { kind: "sampler"; sampler: GPUSamplerDescriptor }
  | {
      kind: "texture";
      format: GPUTextureFormat;
      texelBytes: number;
      dimension: GPUTextureViewDimension;
      levels: { size: [number, number, number]; contents: Contents }[];
    }
);

/** A draw for WebGPU. */
export interface GpuScene {
  width: number;
  height: number;
  clear: [number, number, number, number];
  shaders: { stage: string; source: string }[];
  resources: GpuResource[];
  pipeline: {
    topology: GPUPrimitiveTopology;
    frontFace: GPUFrontFace;
    depthTest: boolean;
    depthWrite: boolean;
    depthCompare: GPUCompareFunction;
    writeMask: number;
  };
  vertices: {
    count: number;
    indices: Contents | null;
    buffer: { stride: number; attributes: GPUVertexAttribute[]; contents: Contents } | null;
    constants: { location: number; contents: Contents }[];
  };
  bytes: Uint8Array<ArrayBuffer>;
}

export interface NamedValue {
  name: string;
  text: string;
  type: string;
  values: (number | string)[];
  bits: string[];
}

export interface TraceStatement {
  index: number;
  line: number | null;
  text: string | null;
  depth: number;
  operands: NamedValue[];
  results: NamedValue[];
  codes: string | null;
  flow: { kind: string; value: unknown; codes: string | null }[];
  findings: string[];
}

export interface TraceResult {
  pixel: [number, number];
  pane: number | null;
  stage: string;
  primitive: number;
  drawn: boolean;
  discarded: boolean;
  statements: TraceStatement[];
  omitted: number;
  end: string | null;
  findings: { kind: string; statement: number }[];
  results: { name: string; type: string; values: (number | string)[] }[];
  limitations: string[];
}

/** The scene of the page: what `SceneRequest` of the module has. */
export interface SceneRequest {
  texts: string[];
  values: Record<string, string>;
  size: [number, number];
}

/** The functions of a worker, by their names, with their arguments and results. */
export interface Calls {
  analyze: { arguments: [editor: number, text: string]; result: Description };
  explain: { arguments: [editor: number, at: number]; result: Explanation | null };
  complete: { arguments: [editor: number, at: number]; result: CompletionResult | null };
  signature: { arguments: [editor: number, at: number]; result: SignatureResult | null };
  definition: { arguments: [editor: number, at: number]; result: Span | null };
  explainWord: { arguments: [word: string]; result: string | null };
  forms: { arguments: []; result: OutputFormInfo[] };
  output: { arguments: [text: string, form: string]; result: OutputProgram[] };
  setTexture: { arguments: [unit: number, file: Uint8Array]; result: null };
  inputs: { arguments: [request: SceneRequest]; result: InputsResult | Failed };
  draw: { arguments: [request: SceneRequest]; result: DrawResult | Failed };
  describeForGpu: { arguments: [request: SceneRequest]; result: GpuScene | Failed };
  trace: { arguments: [request: SceneRequest, x: number, y: number]; result: TraceResult | Failed };
}

export type CallName = keyof Calls;

/** First message to a worker. */
export interface StartMessage {
  module: WebAssembly.Module;
}

export interface CallMessage {
  id: number;
  name: CallName;
  arguments: unknown[];
}

export interface ReplyMessage {
  id: number;
  result?: unknown;
  /** Message of an exception, after which the worker is replaced. */
  fault?: string;
}

export function isFailed(value: object): value is Failed {
  return "error" in value;
}
