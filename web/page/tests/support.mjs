// Starts `glasm serve` and the browser, runs tests one after the other, and prints their results in
// the form of `cargo test`.

import { chromium } from "playwright-core";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** Command `glasm`, files of the page, and browser, which `cargo xtask test` sets. */
const { GLASM, GLASM_SITE, GLASM_BROWSER, GLASM_SCREENSHOTS } = process.env;

/** Without the flags about the background, a browser connects to servers of its vendor. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--enable-features=Vulkan",
];

/** Width and height of images that are compared, in pixels. */
export const SIDE = 128;

/** Time in milliseconds after which a test has failed. */
export const TIMEOUT = 60_000;

/** Reason why a test cannot run on this machine. */
export class Skip extends Error {}

/** Starts the server; returns its address and the process. */
async function startServer() {
  const server = spawn(GLASM, ["serve", "--port", "0", "--directory", GLASM_SITE], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: server.stdout });
  const address = await new Promise((resolve, reject) => {
    lines.once("line", resolve);
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`glasm serve has ended with ${code}`)));
  });
  return { address, server };
}

/** A page of the playground, with what it has requested and reported. */
export class TestPage {
  constructor(page, address) {
    this.page = page;
    this.address = address;
    this.requests = [];
    this.problems = [];
    page.on("request", (request) => this.requests.push(request.url()));
    page.on("pageerror", (error) => this.problems.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") {
        this.problems.push(message.text());
      }
    });
  }

  /** Loads the page and waits for its first image; then draws with a renderer. */
  async open(renderer = "auto", fragment = "") {
    await this.page.goto(this.address + fragment);
    await this.waitForImage();
    await this.page.selectOption("#size", String(SIDE));
    await this.selectRenderer(renderer);
  }

  async waitForImage() {
    // A change is drawn after a delay.
    await this.page.waitForTimeout(250);
    await this.page.waitForSelector("#progress[data-state=done]", { timeout: TIMEOUT });
  }

  editor(index) {
    return this.page.locator(`#editor-${index} .cm-content`);
  }

  /** Replaces the text of an editor as a user does who pastes. */
  async setText(index, text) {
    await this.editor(index).click();
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.press("Delete");
    if (text !== "") {
      await this.page.keyboard.insertText(text);
    }
  }

  async setTexts(vertex, fragment) {
    await this.setText(0, vertex);
    await this.setText(1, fragment);
    await this.waitForImage();
  }

  async selectRenderer(name) {
    await this.page.selectOption("#renderer", name);
    await this.waitForImage();
  }

  /** Returns the red, green, blue and alpha of all pixels that the canvas shows. */
  async readPixels() {
    return this.page.evaluate(() => {
      const canvas = document.querySelector("#canvas");
      const { width, height } = canvas;
      const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
      return { width, height, data: [...data] };
    });
  }

  /** Returns the pixels of a PNG file. */
  async decode(path) {
    const text = (await readFile(path)).toString("base64");
    return this.page.evaluate(async (text) => {
      const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes]), { colorSpaceConversion: "none" });
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext("2d");
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      return { width: bitmap.width, height: bitmap.height, data: [...data] };
    }, text);
  }

  async screenshot(name) {
    if (GLASM_SCREENSHOTS) {
      await this.page.screenshot({ path: join(GLASM_SCREENSHOTS, `${name}.png`) });
    }
  }
}

/** Draws programs with the interpreter of the command, and returns the path of the image. */
export async function drawWithCommand(directory, texts, options = []) {
  const paths = [];
  for (const [index, text] of texts.entries()) {
    if (text.trim() !== "") {
      const path = join(directory, `program-${index}`);
      await writeFile(path, text);
      paths.push(path);
    }
  }
  const image = join(directory, "image.png");
  const size = ["--size", `${SIDE}x${SIDE}`];
  const drawing = ["draw", ...paths, "--interpreter", "-o", image, ...size, ...options];
  await promisify(execFile)(GLASM, drawing);
  return image;
}

/** Returns the largest difference of a channel, and the number of pixels that differ by more than
 * `tolerance`. */
export function compareImages(a, b, tolerance) {
  if (a.width !== b.width || a.height !== b.height) {
    throw new Error(`the images have ${a.width} x ${a.height} and ${b.width} x ${b.height} pixels`);
  }
  let largest = 0;
  const different = new Set();
  a.data.forEach((value, index) => {
    const difference = Math.abs(value - b.data[index]);
    largest = Math.max(largest, difference);
    if (difference > tolerance) {
      different.add(index >> 2);
    }
  });
  return { largest, different: different.size };
}

/** Runs tests, each with a new page; returns the exit status. */
export async function runTests(tests) {
  const { address, server } = await startServer();
  const directory = await mkdtemp(join(tmpdir(), "glasm-playground-"));
  const browser = await chromium.launch({ executablePath: GLASM_BROWSER, args: FLAGS });
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const filter = process.argv[2] ?? "";
  for (const [name, test] of Object.entries(tests)) {
    if (!name.includes(filter)) {
      continue;
    }
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = new TestPage(await context.newPage(), address);
    const start = performance.now();
    let result = "ok";
    try {
      await test(page, directory);
      if (page.problems.length > 0) {
        throw new Error(`the page reported: ${page.problems.join("; ")}`);
      }
      counts.passed++;
    } catch (error) {
      if (error instanceof Skip) {
        result = `ignored, ${error.message}`;
        counts.skipped++;
      } else {
        result = `FAILED\n${error.stack}`;
        counts.failed++;
        await page.screenshot(`failed-${name.replaceAll(" ", "-")}`);
      }
    }
    console.log(`test ${name} ... ${result} (${Math.round(performance.now() - start)} ms)`);
    await context.close();
  }
  await browser.close();
  server.kill();
  await rm(directory, { recursive: true });
  const outcome = counts.failed === 0 ? "ok" : "FAILED";
  console.log(
    `test result: ${outcome}. ${counts.passed} passed; ${counts.failed} failed; ${counts.skipped} ignored`,
  );
  return counts.failed === 0 ? 0 : 1;
}
