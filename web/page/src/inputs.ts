// Controls for the inputs of the programs.

import type { InputInfo } from "./protocol";

export interface InputEvents {
  /** A control has set a value; null resets it. */
  onValue: (key: string, value: string | null) => void;
  /** A file was chosen for a texture. */
  onFile: (unit: number, key: string, file: File) => void;
}

const COMPONENTS = ["x", "y", "z", "w"];

/** Returns the numbers of a value; null if it is described in words. */
function parseNumbers(value: string): number[] | null {
  const words = value.split(/[\s,]+/).filter((word) => word !== "");
  const numbers = words.map(Number);
  return numbers.length > 0 && numbers.every(Number.isFinite) ? numbers : null;
}

function formatNumber(number: number): string {
  return String(Math.round(number * 1000) / 1000);
}

function toHex(numbers: number[]): string {
  const bytes = numbers.slice(0, 3).map((number) => Math.round(Math.min(1, Math.max(0, number)) * 255));
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function fromHex(text: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16) / 255);
}

/** Controls for a list of numbers: a slider and a field for each, and a color for vectors. */
function createNumbers(input: InputInfo, isVector: boolean, set: (value: string) => void): HTMLElement {
  const group = document.createElement("div");
  group.className = "numbers";
  const numbers = parseNumbers(input.value);
  if (!numbers) {
    const customize = document.createElement("button");
    customize.type = "button";
    customize.textContent = "Set";
    customize.setAttribute("aria-label", `Set ${input.name}`);
    customize.addEventListener("click", () => set("0.5, 0.5, 0.5, 1"));
    const words = document.createElement("span");
    words.className = "words";
    words.textContent = input.value;
    group.append(words, customize);
    return group;
  }
  const fields: { slider: HTMLInputElement; field: HTMLInputElement }[] = [];
  const color = document.createElement("input");
  const publish = () => set(numbers.map(formatNumber).join(", "));
  const show = () => {
    fields.forEach(({ slider, field }, index) => {
      slider.value = String(numbers[index]);
      field.value = formatNumber(numbers[index] ?? 0);
    });
    color.value = toHex(numbers);
  };
  if (isVector && numbers.length >= 3) {
    color.type = "color";
    color.setAttribute("aria-label", `${input.name}, color`);
    color.addEventListener("input", () => {
      fromHex(color.value).forEach((number, index) => {
        numbers[index] = number;
      });
      show();
      publish();
    });
    group.append(color);
  }
  const sliders = document.createElement("div");
  sliders.className = "sliders";
  numbers.forEach((number, index) => {
    const name = numbers.length > 4 ? String(index) : (COMPONENTS[index] ?? "");
    const row = document.createElement("div");
    row.className = "slider";
    const limit = Math.max(1, Math.ceil(Math.abs(number)) * (Math.abs(number) > 1 ? 2 : 1));
    const slider = document.createElement("input");
    slider.type = "range";
    slider.min = String(number < 0 || limit > 1 ? -limit : 0);
    slider.max = String(limit);
    slider.step = String(limit / 100);
    slider.setAttribute("aria-label", `${input.name}, ${name}`);
    slider.addEventListener("input", () => {
      numbers[index] = Number(slider.value);
      show();
      publish();
    });
    const field = document.createElement("input");
    field.type = "number";
    field.step = "any";
    field.setAttribute("aria-label", `${input.name}, ${name}, number`);
    field.addEventListener("change", () => {
      if (field.value !== "" && Number.isFinite(Number(field.value))) {
        numbers[index] = Number(field.value);
        publish();
      }
      show();
    });
    const label = document.createElement("span");
    label.textContent = name;
    row.append(label, slider, field);
    sliders.append(row);
    fields.push({ slider, field });
  });
  show();
  group.append(sliders);
  return group;
}

function createSelect(input: InputInfo, names: string[], set: (value: string) => void): HTMLSelectElement {
  const select = document.createElement("select");
  select.setAttribute("aria-label", input.name);
  if (!input.isSet) {
    select.append(new Option(`default (${input.initial})`, "", true, true));
  }
  for (const name of names) {
    select.append(new Option(name, name, false, input.isSet && input.value === name));
  }
  select.addEventListener("change", () => {
    if (select.value !== "") {
      set(select.value);
    }
  });
  return select;
}

function createTexture(
  input: InputInfo,
  control: { unit: number; names: string[] },
  events: InputEvents,
): HTMLElement {
  const key = input.key ?? "";
  const group = document.createElement("div");
  group.className = "texture";
  const names = input.value === "file" ? [...control.names, "file"] : control.names;
  group.append(createSelect(input, names, (value) => events.onValue(key, value)));
  const picker = document.createElement("input");
  picker.type = "file";
  picker.accept = "image/*";
  picker.setAttribute("aria-label", `${input.name}, image file`);
  picker.addEventListener("change", () => {
    const file = picker.files?.[0];
    if (file) {
      events.onFile(control.unit, key, file);
    }
  });
  group.append(picker);
  return group;
}

function createControl(input: InputInfo, events: InputEvents): HTMLElement {
  const key = input.key ?? "";
  const set = (value: string) => events.onValue(key, value);
  switch (input.control.kind) {
    case "vector":
      return createNumbers(input, true, set);
    case "numbers":
      return createNumbers(input, false, set);
    case "attribute":
      return createSelect(input, input.control.names, set);
    case "texture":
      return createTexture(input, input.control, events);
    case "none": {
      const words = document.createElement("span");
      words.className = "words";
      words.textContent = input.value;
      return words;
    }
  }
}

/** Identity of the controls of some inputs: they are created again only if it changes, and so not
 * while a slider moves. */
function identify(inputs: InputInfo[]): string {
  const list = inputs.map((input) => {
    const hasNumbers = input.control.kind === "vector" || input.control.kind === "numbers";
    const state = hasNumbers ? parseNumbers(input.value)?.length : [input.isSet, input.value];
    return [input.key, input.name, input.control, input.initial, state];
  });
  return JSON.stringify(list);
}

/** Kinds of controls that are shown beside the name. */
const INLINE_KINDS = ["attribute", "none"];

/** Returns the inputs with those first that change most often. */
function sortInputs(inputs: InputInfo[]): InputInfo[] {
  const rank = (input: InputInfo) => Number(INLINE_KINDS.includes(input.control.kind));
  return [...inputs].sort((a, b) => rank(a) - rank(b));
}

export class InputPanel {
  private shown = "";
  private resets = new Map<string, HTMLButtonElement>();

  constructor(
    private readonly parent: HTMLElement,
    private readonly events: InputEvents,
  ) {}

  /** Shows the controls of inputs. */
  show(inputs: InputInfo[]) {
    const identity = identify(inputs);
    if (identity !== this.shown) {
      this.shown = identity;
      this.create(inputs);
    }
    for (const input of inputs) {
      const reset = this.resets.get(input.key ?? "");
      if (reset) {
        reset.hidden = !input.isSet;
      }
    }
  }

  private create(inputs: InputInfo[]) {
    this.resets.clear();
    const focused = document.activeElement?.getAttribute("aria-label") ?? null;
    const list = document.createElement("ul");
    list.className = "input-list";
    for (const input of sortInputs(inputs)) {
      const item = document.createElement("li");
      item.className = INLINE_KINDS.includes(input.control.kind) ? "inline" : "";
      const header = document.createElement("div");
      header.className = "input-name";
      const name = document.createElement("span");
      name.textContent = input.name;
      name.title = `glasm draw ${input.option}`;
      header.append(name);
      if (input.key !== null) {
        const reset = document.createElement("button");
        reset.type = "button";
        reset.className = "small";
        reset.textContent = "Reset";
        reset.setAttribute("aria-label", `Reset ${input.name}`);
        const key = input.key;
        reset.addEventListener("click", () => {
          this.refresh();
          this.events.onValue(key, null);
        });
        this.resets.set(key, reset);
        header.append(reset);
      }
      item.append(header, createControl(input, this.events));
      list.append(item);
    }
    if (inputs.length === 0) {
      const none = document.createElement("p");
      none.className = "empty";
      none.textContent = "The programs read no inputs that can be set.";
      this.parent.replaceChildren(none);
    } else {
      this.parent.replaceChildren(list);
    }
    if (focused !== null) {
      const controls = this.parent.querySelectorAll<HTMLElement>("[aria-label]");
      [...controls].find((it) => it.getAttribute("aria-label") === focused)?.focus();
    }
  }

  /** Forgets what is shown, so that the next inputs are shown with their values. */
  refresh() {
    this.shown = "";
  }
}
