// The tabs below the editors: forms of the programs, the trace of a pixel, diagnostics.

import type { OutputFormInfo } from "./protocol";

export interface Tab {
  name: string;
  title: string;
}

export class OutputTabs {
  private tabs: Tab[] = [];
  selected = "trace";

  constructor(
    private readonly list: HTMLElement,
    readonly panel: HTMLElement,
    private readonly onSelect: () => void,
  ) {
    list.addEventListener("keydown", (event) => this.handleKey(event));
  }

  /** Creates the tabs: those of the page, then those of the forms. */
  create(own: Tab[], forms: OutputFormInfo[]) {
    this.tabs = [...own, ...forms];
    this.list.replaceChildren(
      ...this.tabs.map((tab) => {
        const button = document.createElement("button");
        button.type = "button";
        button.role = "tab";
        button.id = `tab-${tab.name}`;
        button.textContent = tab.title;
        button.setAttribute("aria-controls", this.panel.id);
        button.addEventListener("click", () => this.select(tab.name));
        return button;
      }),
    );
    this.select(this.selected);
  }

  /** Selects a tab. */
  select(name: string) {
    this.selected = name;
    for (const tab of this.tabs) {
      const button = this.find(tab.name);
      const isSelected = tab.name === name;
      button?.setAttribute("aria-selected", String(isSelected));
      button?.setAttribute("tabindex", isSelected ? "0" : "-1");
    }
    this.panel.setAttribute("aria-labelledby", `tab-${name}`);
    this.onSelect();
  }

  private find(name: string): HTMLElement | null {
    return document.getElementById(`tab-${name}`);
  }

  private handleKey(event: KeyboardEvent) {
    const index = this.tabs.findIndex((tab) => tab.name === this.selected);
    const last = this.tabs.length - 1;
    const targets: Record<string, number> = {
      ArrowLeft: index === 0 ? last : index - 1,
      ArrowRight: index === last ? 0 : index + 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    const tab = target === undefined ? undefined : this.tabs[target];
    if (tab) {
      event.preventDefault();
      this.select(tab.name);
      this.find(tab.name)?.focus();
    }
  }
}

/** Returns a paragraph for a panel without contents. */
export function createNote(text: string, name = "note"): HTMLElement {
  const note = document.createElement("p");
  note.className = name;
  note.textContent = text;
  return note;
}

/** Returns the text of a program in a form. */
export function createListing(text: string): HTMLElement {
  const listing = document.createElement("pre");
  listing.className = "listing";
  listing.textContent = text;
  return listing;
}
