// Starts the language server `glasm lsp`, and shows the explanations that its diagnostics link to.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** The client of the running server. */
let client;

/** Starts the server for programs, scripts and the other languages of the settings. */
async function activate(context) {
  const settings = vscode.workspace.getConfiguration("glasm");
  const languages = ["glasm", "glasm-script", ...settings.get("languages", [])];
  const command = settings.get("command", "glasm");
  client = new LanguageClient(
    "glasm",
    "glasm",
    { command, args: ["lsp"] },
    {
      documentSelector: languages.map((language) => ({ language })),
      initializationOptions: { explainLinks: true },
    },
  );
  const explanations = {
    provideTextDocumentContent: async (uri) => {
      const answer = await client.sendRequest("glasm/explain", { topic: uri.path });
      return answer.text;
    },
  };
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider("glasm-explain", explanations),
  );
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `glasm: \`${command} lsp\` does not start; the setting glasm.command names the command (${error})`,
    );
  }
}

/** Ends the server. */
async function deactivate() {
  if (client?.isRunning()) {
    await client.stop();
  }
}

module.exports = { activate, deactivate };
