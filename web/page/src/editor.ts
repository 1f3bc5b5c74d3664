// An editor of a program: CodeMirror with the classes, diagnostics and words of the analysis.

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, nextDiagnostic, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
  placeholder,
  type Tooltip,
} from "@codemirror/view";
import type { WorkerClient } from "./client";
import type { Description, ProgramDiagnostic } from "./protocol";

/** Time of an analysis at most, in milliseconds. */
const ANALYSIS_LIMIT = 4000;

/** Delay between a change and its analysis, in milliseconds. */
const ANALYSIS_DELAY = 60;

const setTokens = StateEffect.define<DecorationSet>();
const setTracedLine = StateEffect.define<number | null>();

const marks = new Map<string, Decoration>();

function findMark(classes: string): Decoration {
  let mark = marks.get(classes);
  if (!mark) {
    const names = classes.split(" ").map((name) => `tok-${name}`);
    mark = Decoration.mark({ class: names.join(" ") });
    marks.set(classes, mark);
  }
  return mark;
}

const tokenField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(tokens, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setTokens)) {
        return effect.value;
      }
    }
    return tokens.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const tracedLine = Decoration.line({ class: "cm-traced" });

const traceField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, transaction) {
    if (transaction.docChanged) {
      return Decoration.none;
    }
    for (const effect of transaction.effects) {
      if (effect.is(setTracedLine)) {
        return effect.value === null
          ? Decoration.none
          : Decoration.set([tracedLine.range(effect.value)]);
      }
    }
    return lines;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Returns an element with preformatted text. */
function createText(text: string, name: string): HTMLElement {
  const element = document.createElement("div");
  element.className = name;
  element.textContent = text.trimEnd();
  return element;
}

function renderDiagnostic(diagnostic: ProgramDiagnostic): HTMLElement {
  const element = document.createElement("div");
  element.className = "diagnostic";
  const message = createText(diagnostic.message, "diagnostic-message");
  const code = document.createElement("span");
  code.className = "diagnostic-code";
  code.textContent = diagnostic.code;
  message.prepend(code, " ");
  element.append(message);
  for (const note of [...diagnostic.notes, ...diagnostic.related.map((it) => it.message)]) {
    element.append(createText(note, "diagnostic-note"));
  }
  if (diagnostic.explanation) {
    element.append(createText(diagnostic.explanation, "explanation"));
  }
  return element;
}

export interface EditorEvents {
  /** The text has changed. */
  onChange: () => void;
  /** An analysis has ended. */
  onDescription: (description: Description) => void;
  /** The operands of the instruction at the cursor; null outside of instructions. */
  onSignature: (label: string, active: [number, number] | null) => void;
  /** An analysis has failed. */
  onFailure: (message: string) => void;
}

export class ProgramEditor {
  readonly view: EditorView;
  description: Description | null = null;
  private timer = 0;
  private version = 0;

  constructor(
    parent: HTMLElement,
    private readonly index: number,
    private readonly client: WorkerClient,
    label: string,
    hint: string,
    private readonly events: EditorEvents,
  ) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          highlightActiveLineGutter(),
          highlightActiveLine(),
          history(),
          drawSelection(),
          bracketMatching(),
          closeBrackets(),
          highlightSelectionMatches(),
          lintGutter(),
          placeholder(hint),
          autocompletion({ icons: false, override: [(context) => this.complete(context)] }),
          hoverTooltip((_, at) => this.explain(at)),
          tokenField,
          traceField,
          keymap.of([
            { key: "F1", run: () => this.showExplanation() },
            { key: "F8", run: nextDiagnostic },
            { key: "F12", run: () => this.goToDefinition() },
            ...closeBracketsKeymap,
            ...completionKeymap,
            ...searchKeymap,
            ...lintKeymap,
            ...historyKeymap,
            ...defaultKeymap,
          ]),
          EditorView.contentAttributes.of({
            "aria-label": label,
            tabindex: "0",
            spellcheck: "false",
            autocapitalize: "off",
            autocorrect: "off",
          }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) {
              this.schedule();
              this.events.onChange();
            } else if (update.selectionSet) {
              void this.updateSignature();
            }
          }),
        ],
      }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      selection: { anchor: 0 },
    });
  }

  /** Analyzes the text after a short delay. */
  private schedule() {
    this.version++;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.analyze(), ANALYSIS_DELAY);
  }

  /** Analyzes the text now; results for a text that has changed since are ignored. */
  async analyze(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = 0;
    const version = this.version;
    let description: Description;
    try {
      description = await this.client.call("analyze", ANALYSIS_LIMIT, this.index, this.text);
    } catch (error) {
      this.events.onFailure(error instanceof Error ? error.message : String(error));
      return;
    }
    if (version !== this.version) {
      return;
    }
    this.description = description;
    const length = this.view.state.doc.length;
    const tokens = description.tokens.filter(([from, to]) => from < to && to <= length);
    const ranges = tokens.map(([from, to, classes]) => findMark(classes).range(from, to));
    this.view.dispatch(
      { effects: setTokens.of(RangeSet.of(ranges, true)) },
      setDiagnostics(this.view.state, this.listDiagnostics(description, length)),
    );
    this.events.onDescription(description);
    void this.updateSignature();
  }

  private listDiagnostics(description: Description, length: number): Diagnostic[] {
    return description.diagnostics.map((diagnostic) => {
      const from = Math.min(diagnostic.span[0], length);
      return {
        from,
        to: Math.max(from, Math.min(diagnostic.span[1], length)),
        severity: diagnostic.severity,
        source: diagnostic.code,
        message: diagnostic.message,
        renderMessage: () => renderDiagnostic(diagnostic),
        actions: diagnostic.fixes.map((fix) => ({
          name: fix.title,
          apply: (view: EditorView) => {
            const [start, end] = fix.span;
            view.dispatch({ changes: { from: start, to: end, insert: fix.text } });
          },
        })),
      };
    });
  }

  /** Forgets the analysis, because the worker that had made it was replaced. */
  forget() {
    this.description = null;
  }

  /** Brings the document of the worker up to date. */
  private async synchronize() {
    if (this.description === null || this.timer !== 0) {
      await this.analyze();
    }
  }

  private async complete(context: CompletionContext): Promise<CompletionResult | null> {
    const word = context.matchBefore(/[\w!.$]+/);
    if (!word && !context.explicit) {
      return null;
    }
    try {
      await this.synchronize();
      const found = await this.client.call("complete", ANALYSIS_LIMIT, this.index, context.pos);
      if (!found || context.aborted || found.items.length === 0) {
        return null;
      }
      const options = found.items.map((item): Completion => ({
        label: item.label,
        detail: item.detail,
        type: item.kind,
        info: () => this.describeWord(item.label),
      }));
      return { from: found.span[0], options, validFor: /^[\w$]*$/ };
    } catch {
      return null;
    }
  }

  private async describeWord(word: string): Promise<HTMLElement | null> {
    const text = await this.client.call("explainWord", ANALYSIS_LIMIT, word).catch(() => null);
    return text === null ? null : createText(text, "explanation");
  }

  private async explain(at: number): Promise<Tooltip | null> {
    try {
      await this.synchronize();
      const found = await this.client.call("explain", ANALYSIS_LIMIT, this.index, at);
      if (!found) {
        return null;
      }
      return {
        pos: found.span[0],
        end: found.span[1],
        above: true,
        create: () => ({ dom: createText(found.text, "explanation") }),
      };
    } catch {
      return null;
    }
  }

  /** Shows the diagnostics and the explanation at the cursor in a dialog, for the keyboard. */
  private showExplanation(): boolean {
    void this.openExplanation();
    return true;
  }

  private async openExplanation() {
    const at = this.view.state.selection.main.head;
    await this.synchronize();
    const found = await this.client.call("explain", ANALYSIS_LIMIT, this.index, at).catch(() => null);
    const here = (this.description?.diagnostics ?? []).filter(
      ({ span }) => span[0] <= at && at <= span[1],
    );
    const dialog = document.createElement("dialog");
    dialog.className = "explanation-dialog";
    dialog.setAttribute("aria-label", "Explanation");
    dialog.append(...here.map(renderDiagnostic));
    if (found) {
      dialog.append(createText(found.text, "explanation"));
    }
    if (dialog.childElementCount === 0) {
      dialog.append(createText("There is nothing to explain here.", "explanation"));
    }
    const close = document.createElement("button");
    close.textContent = "Close";
    close.addEventListener("click", () => dialog.close());
    dialog.append(close);
    dialog.addEventListener("close", () => {
      dialog.remove();
      this.view.focus();
    });
    document.body.append(dialog);
    dialog.showModal();
  }

  private goToDefinition(): boolean {
    const at = this.view.state.selection.main.head;
    void this.synchronize()
      .then(() => this.client.call("definition", ANALYSIS_LIMIT, this.index, at))
      .then((span) => {
        if (span) {
          this.view.dispatch({ selection: { anchor: span[0], head: span[1] }, scrollIntoView: true });
        }
      })
      .catch(() => {});
    return true;
  }

  private async updateSignature() {
    const at = this.view.state.selection.main.head;
    const found = await this.client
      .call("signature", ANALYSIS_LIMIT, this.index, at)
      .catch(() => null);
    this.events.onSignature(found?.label ?? "", found?.active ?? null);
  }

  /** Marks a line, from 1, and scrolls to it; null removes the mark. */
  markLine(line: number | null) {
    const { doc } = this.view.state;
    if (line === null || line < 1 || line > doc.lines) {
      this.view.dispatch({ effects: setTracedLine.of(null) });
      return;
    }
    const from = doc.line(line).from;
    this.view.dispatch({
      effects: [setTracedLine.of(from), EditorView.scrollIntoView(from, { y: "nearest" })],
    });
  }
}
