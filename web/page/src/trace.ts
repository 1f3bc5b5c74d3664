// The trace of a pixel as a table of statements with the values that they read and write.

import type { NamedValue, TraceResult, TraceStatement } from "./protocol";

function formatValue(value: number | string): string {
  return typeof value === "number" ? String(Number(value.toPrecision(6))) : value;
}

function formatValues(values: (number | string)[]): string {
  const words = values.map(formatValue);
  return words.length === 1 ? (words[0] ?? "") : `(${words.join(", ")})`;
}

function formatNamed(value: NamedValue): string {
  return `${value.text} = ${formatValues(value.values)}`;
}

function createCell(lines: string[], name = ""): HTMLTableCellElement {
  const cell = document.createElement("td");
  cell.className = name;
  for (const line of lines) {
    const element = document.createElement("div");
    element.textContent = line;
    cell.append(element);
  }
  return cell;
}

function formatFlow(statement: TraceStatement): string[] {
  return statement.flow.map(({ kind, value }) => {
    if (kind === "branch") {
      return value ? "branch taken" : "branch not taken";
    }
    return value === null ? kind : `${kind} ${value}`;
  });
}

function createRow(statement: TraceStatement, select: (line: number | null) => void): HTMLElement {
  const row = document.createElement("tr");
  const { line } = statement;
  const number = document.createElement("th");
  number.scope = "row";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "line";
  button.textContent = line === null ? "-" : String(line);
  button.setAttribute("aria-label", line === null ? "no line" : `line ${line}`);
  button.disabled = line === null;
  button.addEventListener("click", () => select(line));
  button.addEventListener("focus", () => select(line));
  number.append(button);
  const text = createCell([statement.text ?? ""], "code");
  text.style.paddingInlineStart = `${0.5 + statement.depth}rem`;
  const results = statement.results.map(formatNamed);
  if (statement.codes) {
    results.push(statement.codes);
  }
  const notes = [...formatFlow(statement), ...statement.findings];
  row.append(
    number,
    text,
    createCell(statement.operands.map(formatNamed), "values"),
    createCell(results, "values"),
    createCell(notes, statement.findings.length > 0 ? "notes found" : "notes"),
  );
  row.addEventListener("mouseenter", () => select(line));
  return row;
}

/** Returns the elements that show a trace. `select` is called with the line of a statement. */
export function renderTrace(
  trace: TraceResult,
  color: [number, number, number, number],
  select: (line: number | null) => void,
): HTMLElement[] {
  const summary = document.createElement("p");
  summary.className = "trace-summary";
  const swatch = document.createElement("span");
  swatch.className = "swatch";
  const [r, g, b] = color;
  swatch.style.backgroundColor = `rgb(${r} ${g} ${b})`;
  const outcome = trace.discarded ? "discarded" : trace.drawn ? "drawn" : "hidden by a test";
  const results = trace.results.map((it) => `${it.name} = ${formatValues(it.values)}`);
  summary.append(
    swatch,
    `Pixel (${trace.pixel.join(", ")}), ${trace.stage} program, primitive ${trace.primitive}: ` +
      `${outcome}. ${results.join(", ")}`,
  );
  const elements: HTMLElement[] = [summary];
  for (const note of [...trace.limitations, ...(trace.end === null ? [] : [trace.end])]) {
    const element = document.createElement("p");
    element.className = "note";
    element.textContent = note;
    elements.push(element);
  }
  if (trace.pane === null) {
    const element = document.createElement("p");
    element.className = "note";
    element.textContent = "The program of this stage was added by the scene.";
    elements.push(element);
  }
  const table = document.createElement("table");
  table.className = "trace";
  const head = table.createTHead().insertRow();
  for (const title of ["Line", "Statement", "Reads", "Writes", "Notes"]) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = title;
    head.append(cell);
  }
  const body = table.createTBody();
  body.append(...trace.statements.map((statement) => createRow(statement, select)));
  elements.push(table);
  if (trace.omitted > 0) {
    const element = document.createElement("p");
    element.className = "note";
    element.textContent = `${trace.omitted} more statements are not shown.`;
    elements.push(element);
  }
  return elements;
}
