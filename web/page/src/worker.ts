// Worker: runs the functions of the WebAssembly module.

import { Session, explainWord, formatPrograms, initSync, listForms } from "../generated/glasm.js";
import type {
  CallMessage,
  CallName,
  Calls,
  DrawResult,
  Failed,
  GpuScene,
  ReplyMessage,
  SceneRequest,
  StartMessage,
} from "./protocol";
import { isFailed } from "./protocol";

let session: Session;

type Functions = { [Name in CallName]: (...values: Calls[Name]["arguments"]) => Calls[Name]["result"] };

function draw(request: SceneRequest): DrawResult | Failed {
  const result = JSON.parse(session.draw(JSON.stringify(request)));
  if (isFailed(result)) {
    return result;
  }
  const [width, height] = request.size;
  const bytes = session.takeBytes();
  const pixels = new Uint8ClampedArray(bytes.length);
  pixels.set(bytes);
  return { ...(result as DrawResult), width, height, pixels };
}

function describeForGpu(request: SceneRequest): GpuScene | Failed {
  const result = JSON.parse(session.describeForGpu(JSON.stringify(request)));
  return isFailed(result) ? result : { ...(result as GpuScene), bytes: new Uint8Array(session.takeBytes()) };
}

const functions: Functions = {
  analyze: (editor, text) => JSON.parse(session.analyze(editor, text)),
  explain: (editor, at) => JSON.parse(session.explain(editor, at)),
  complete: (editor, at) => JSON.parse(session.complete(editor, at)),
  signature: (editor, at) => JSON.parse(session.signature(editor, at)),
  definition: (editor, at) => JSON.parse(session.definition(editor, at)),
  explainWord: (word) => JSON.parse(explainWord(word)),
  forms: () => JSON.parse(listForms()),
  output: (text, form) => JSON.parse(formatPrograms(text, form)),
  setTexture: (unit, file) => {
    session.setTexture(unit, file);
    return null;
  },
  inputs: (request) => JSON.parse(session.inputs(JSON.stringify(request))),
  draw,
  describeForGpu,
  trace: (request, x, y) => JSON.parse(session.trace(JSON.stringify(request), x, y)),
};

function answer(message: CallMessage): ReplyMessage {
  try {
    const call = functions[message.name] as (...values: unknown[]) => unknown;
    return { id: message.id, result: call(...message.arguments) };
  } catch (error) {
    return { id: message.id, fault: String(error) };
  }
}

self.addEventListener("message", (event: MessageEvent<StartMessage | CallMessage>) => {
  const message = event.data;
  if ("module" in message) {
    initSync({ module: message.module });
    session = new Session();
    return;
  }
  self.postMessage(answer(message));
});
