// The color scheme: that of the system, or the one that the button selects.

const SCHEMES = ["system", "light", "dark"] as const;
const KEY = "glasm-theme";

function readScheme(): string {
  try {
    return localStorage.getItem(KEY) ?? "system";
  } catch {
    return "system";
  }
}

function applyScheme(scheme: string, button: HTMLElement) {
  if (scheme === "system") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = scheme;
  }
  button.textContent = `Theme: ${scheme}`;
}

/** Lets a button select the next color scheme, which is stored. */
export function connectTheme(button: HTMLElement) {
  let scheme = readScheme();
  applyScheme(scheme, button);
  button.addEventListener("click", () => {
    const index = SCHEMES.findIndex((known) => known === scheme);
    scheme = SCHEMES[(index + 1) % SCHEMES.length] ?? "system";
    applyScheme(scheme, button);
    try {
      localStorage.setItem(KEY, scheme);
    } catch {
      // The scheme is not stored in a private window.
    }
  });
}
