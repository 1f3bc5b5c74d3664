// The page: connects the editors, the image, the inputs and the tabs.

import { CallError, WorkerClient } from "./client";
import { ProgramEditor } from "./editor";
import { ImageView } from "./image";
import { InputPanel } from "./inputs";
import { decodeScene, encodeScene } from "./link";
import { createListing, createNote, OutputTabs } from "./output";
import type { Description, SceneRequest, TraceResult } from "./protocol";
import { SAMPLES } from "./samples";
import { type Renderer, SceneRunner } from "./scene";
import { connectTheme } from "./theme";
import { renderTrace } from "./trace";

/** Delay between a change and its image, in milliseconds. */
const IMAGE_DELAY = 120;

/** Time of an output at most, in milliseconds. */
const OUTPUT_LIMIT = 8000;

const EDITORS = [
  { label: "Vertex program", hint: "Empty: the scene adds a vertex program." },
  { label: "Fragment program", hint: "Empty: the scene adds a fragment program." },
];

function find<Type extends HTMLElement>(id: string): Type {
  const element = document.getElementById(id);
  if (!element) {
    throw new Error(`the page has no element ${id}`);
  }
  return element as Type;
}

class Playground {
  private readonly analysis: WorkerClient;
  private readonly editors: ProgramEditor[];
  private readonly scene: SceneRunner;
  private readonly image: ImageView;
  private readonly inputs: InputPanel;
  private readonly tabs: OutputTabs;
  private values: Record<string, string> = {};
  private trace: TraceResult | string | null = null;
  private timer = 0;
  private outputVersion = 0;
  private toastTimer = 0;

  constructor(module: WebAssembly.Module) {
    this.analysis = new WorkerClient(module, () => {
      for (const editor of this.editors) {
        editor.forget();
      }
    });
    this.scene = new SceneRunner(module, {
      onInputs: ({ inputs }) => {
        this.inputs.show(inputs);
        find<HTMLButtonElement>("reset").disabled = !inputs.some((input) => input.isSet);
      },
      onImage: (image) => {
        const { isFinal, renderer, milliseconds } = image;
        this.image.show(image.width, image.height, image.pixels);
        this.image.setStale(false);
        const notes = image.limitations.map((note) => `; ${note}`).join("");
        this.showProgress(
          isFinal ? `${renderer}, ${Math.round(milliseconds)} ms${notes}` : "Drawing…",
          isFinal ? "done" : "busy",
        );
        if (isFinal) {
          this.showPixel();
          if (this.image.hasSelection && this.trace !== null) {
            void this.runTrace();
          }
        }
      },
      onFailure: (message) => {
        this.image.setStale(true);
        this.showProgress(message, "failed");
      },
    });
    this.image = new ImageView(find("image"), find("crosshair"), {
      onSelect: () => this.showPixel(),
      onTrace: () => {
        this.trace = "Tracing…";
        this.tabs.select("trace");
        void this.runTrace();
      },
    });
    this.inputs = new InputPanel(find("inputs"), {
      onValue: (key, value) => {
        if (value === null) {
          delete this.values[key];
        } else {
          this.values[key] = value;
        }
        this.schedule(0);
      },
      onFile: (unit, key, file) => void this.loadTexture(unit, key, file),
    });
    this.tabs = new OutputTabs(find("tabs"), find("panel"), () => void this.showOutput());
    this.editors = EDITORS.map(
      ({ label, hint }, index) =>
        new ProgramEditor(find(`editor-${index}`), index, this.analysis, label, hint, {
          onChange: () => this.schedule(IMAGE_DELAY),
          onDescription: (description) => this.showDescription(index, description),
          onSignature: (text, active) => this.showSignature(index, text, active),
          onFailure: (message) => this.showState(index, message, "failed"),
        }),
    );
  }

  async start() {
    connectTheme(find("theme"));
    const samples = find<HTMLSelectElement>("sample");
    samples.append(new Option("Choose…", ""));
    SAMPLES.forEach(({ title }, index) => {
      samples.append(new Option(title, String(index)));
    });
    samples.addEventListener("change", () => {
      const sample = SAMPLES[Number(samples.value)];
      if (samples.value !== "" && sample) {
        this.load(sample.texts, {});
      }
    });
    find("share").addEventListener("click", () => void this.share());
    find("reset").addEventListener("click", () => {
      this.values = {};
      this.inputs.refresh();
      this.schedule(0);
    });
    find("size").addEventListener("change", () => this.schedule(0));
    find("renderer").addEventListener("change", () => this.schedule(0));
    find("which").addEventListener("change", () => void this.showOutput());
    find("copy").addEventListener("click", () => void this.copyOutput());
    const help = find<HTMLDialogElement>("help");
    find("help-open").addEventListener("click", () => help.showModal());
    window.addEventListener("hashchange", () => void this.loadLink());
    const forms = await this.analysis.call("forms", OUTPUT_LIMIT);
    this.tabs.create([{ name: "trace", title: "Trace" }], forms);
    if (!(await this.loadLink())) {
      samples.value = "0";
      this.load(SAMPLES[0]?.texts ?? ["", ""], {});
    }
  }

  /** Loads the scene of the address; returns false if it has none. */
  private async loadLink(): Promise<boolean> {
    try {
      const scene = await decodeScene(location.hash);
      if (scene) {
        this.load(scene.texts, scene.values);
      }
      return scene !== null;
    } catch {
      this.showToast("The link is not valid.");
      return false;
    }
  }

  private load(texts: string[], values: Record<string, string>) {
    this.values = { ...values };
    this.trace = null;
    this.inputs.refresh();
    this.editors.forEach((editor, index) => {
      editor.text = texts[index] ?? "";
      void editor.analyze();
    });
    this.schedule(0);
  }

  private get request(): SceneRequest {
    const side = Number(find<HTMLSelectElement>("size").value);
    return {
      texts: this.editors.map((editor) => editor.text),
      values: { ...this.values },
      size: [side, side],
    };
  }

  /** Draws the scene after a delay in milliseconds. */
  private schedule(delay: number) {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const { request } = this;
      this.image.setSize(...request.size);
      this.showProgress("Drawing…", "busy");
      void this.scene.update(request, find<HTMLSelectElement>("renderer").value as Renderer);
      void this.showOutput();
    }, delay);
  }

  private showProgress(text: string, state: "busy" | "done" | "failed") {
    const progress = find("progress");
    progress.textContent = text;
    progress.dataset.state = state;
  }

  private showState(index: number, text: string, state: "good" | "failed" | "warned" | "empty") {
    const element = find(`state-${index}`);
    element.textContent = text;
    element.dataset.state = state;
  }

  private showDescription(index: number, description: Description) {
    const known = description.programs.filter((program) => program.language !== null);
    const names = known.map((program) => `${program.language} · ${program.type}`);
    find(`language-${index}`).textContent = names.join(", ");
    const count = (severity: string) =>
      description.diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    const [errors, warnings] = [count("error"), count("warning")];
    const format = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
    if (this.editors[index]?.text.trim() === "") {
      this.showState(index, "empty", "empty");
    } else if (errors > 0) {
      this.showState(index, format(errors, "error"), "failed");
    } else if (warnings > 0) {
      this.showState(index, format(warnings, "warning"), "warned");
    } else {
      this.showState(index, "no errors", "good");
    }
  }

  private showSignature(index: number, text: string, active: [number, number] | null) {
    const element = find(`signature-${index}`);
    if (!active) {
      element.textContent = text;
      return;
    }
    const strong = document.createElement("strong");
    strong.textContent = text.slice(active[0], active[1]);
    element.replaceChildren(text.slice(0, active[0]), strong, text.slice(active[1]));
  }

  private showPixel() {
    if (!this.image.hasSelection) {
      find("pixel").textContent = "Click a pixel to trace it.";
      return;
    }
    const [x, y] = this.image.pixel;
    find("pixel").textContent = `Pixel (${x}, ${y}): ${this.image.readColor().slice(0, 3).join(", ")}`;
  }

  private async runTrace() {
    const [x, y] = this.image.pixel;
    this.trace = await this.scene.trace(this.request, x, y);
    await this.showOutput();
  }

  private markLine(line: number | null) {
    const pane = typeof this.trace === "object" ? (this.trace?.pane ?? null) : null;
    this.editors.forEach((editor, index) => {
      editor.markLine(index === pane ? line : null);
    });
  }

  /** Shows the contents of the selected tab. */
  private async showOutput() {
    const { panel, selected } = this.tabs;
    const version = ++this.outputVersion;
    const tools = document.querySelector<HTMLElement>(".tab-tools");
    if (tools) {
      tools.hidden = selected === "trace";
    }
    if (selected === "trace") {
      if (this.trace === null) {
        panel.replaceChildren(createNote("Click a pixel of the image, or press Enter on it, to trace its program."));
      } else if (typeof this.trace === "string") {
        panel.replaceChildren(createNote(this.trace));
      } else {
        const color = this.image.readColor();
        panel.replaceChildren(...renderTrace(this.trace, color, (line) => this.markLine(line)));
      }
      return;
    }
    const which = find<HTMLSelectElement>("which");
    try {
      const lists = await Promise.all(
        this.editors.map((editor) => this.analysis.call("output", OUTPUT_LIMIT, editor.text, selected)),
      );
      if (version !== this.outputVersion) {
        return;
      }
      const programs = lists.flat();
      const index = Math.min(Math.max(0, which.selectedIndex), Math.max(0, programs.length - 1));
      const names = programs.map((program) => program.language);
      if (names.join() !== [...which.options].map((option) => option.text).join()) {
        which.replaceChildren(...names.map((name) => new Option(name)));
        which.selectedIndex = programs.length > 0 ? index : -1;
      }
      const program = programs[index];
      if (!program) {
        panel.replaceChildren(createNote("There is no program."));
      } else if (program.text === undefined) {
        panel.replaceChildren(createNote(program.error ?? "", "note failed"));
      } else {
        panel.replaceChildren(createListing(program.text));
      }
    } catch (error) {
      if (version === this.outputVersion && error instanceof CallError) {
        panel.replaceChildren(createNote(error.message, "note failed"));
      }
    }
  }

  private async copyOutput() {
    await this.copy(this.tabs.panel.textContent ?? "", "Copied.");
  }

  private async share() {
    const { texts, values } = this.request;
    const fragment = await encodeScene({ texts, values });
    history.replaceState(null, "", fragment);
    await this.copy(location.href, "The link was copied. It contains the programs.");
  }

  private async copy(text: string, message: string) {
    try {
      await navigator.clipboard.writeText(text);
      this.showToast(message);
    } catch {
      this.showToast("The browser does not permit copying. The link is in the address bar.");
    }
  }

  private showToast(text: string) {
    const toast = find("toast");
    toast.textContent = text;
    toast.dataset.visible = "";
    clearTimeout(this.toastTimer);
    this.toastTimer = window.setTimeout(() => {
      delete toast.dataset.visible;
    }, 4000);
  }

  private async loadTexture(unit: number, key: string, file: File) {
    try {
      const bitmap = await createImageBitmap(file);
      const scale = Math.min(1, 512 / Math.max(bitmap.width, bitmap.height));
      const canvas = document.createElement("canvas");
      canvas.width = Math.max(1, Math.round(bitmap.width * scale));
      canvas.height = Math.max(1, Math.round(bitmap.height * scale));
      canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
      if (!blob) {
        throw new Error("not an image");
      }
      this.scene.setTexture(unit, new Uint8Array(await blob.arrayBuffer()));
      this.values[key] = "file";
      this.schedule(0);
    } catch {
      this.showToast(`${file.name} is not an image.`);
    }
  }
}

async function main() {
  const response = fetch(new URL("glasm.wasm", document.baseURI));
  const module = await WebAssembly.compileStreaming(response);
  await new Playground(module).start();
}

main().catch((error: unknown) => {
  const progress = find("progress");
  progress.textContent = `The playground cannot start: ${error instanceof Error ? error.message : error}`;
  progress.dataset.state = "failed";
});
