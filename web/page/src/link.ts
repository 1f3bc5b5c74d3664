// Links that contain the programs and the values of their inputs, compressed, in the fragment of the
// address, which browsers do not send.

export interface SharedScene {
  texts: string[];
  values: Record<string, string>;
}

/** Start of the fragment, with the version of its format. */
const PREFIX = "#1:";

/** Bytes of a decompressed fragment at most. */
const MAX_BYTES = 1 << 22;

function encodeBytes(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) {
    binary += String.fromCharCode(byte);
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decodeBytes(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

async function readLimited(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return text + decoder.decode();
    }
    size += value.length;
    if (size > MAX_BYTES) {
      await reader.cancel();
      throw new Error("the link is too long");
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Returns the fragment for a scene. */
export async function encodeScene(scene: SharedScene): Promise<string> {
  const stream = new Blob([JSON.stringify(scene)])
    .stream()
    .pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return PREFIX + encodeBytes(bytes);
}

/** Returns the scene of a fragment; null if it has none. Throws an error if it is not valid. */
export async function decodeScene(fragment: string): Promise<SharedScene | null> {
  if (!fragment.startsWith(PREFIX)) {
    return null;
  }
  const stream = new Blob([decodeBytes(fragment.slice(PREFIX.length))])
    .stream()
    .pipeThrough(new DecompressionStream("deflate-raw"));
  const value: unknown = JSON.parse(await readLimited(stream));
  const scene = value as Partial<SharedScene>;
  const texts = Array.isArray(scene.texts) ? scene.texts : [];
  const values = Object.entries(scene.values ?? {});
  return {
    texts: [0, 1].map((index) => String(texts[index] ?? "")),
    values: Object.fromEntries(values.map(([key, text]) => [key, String(text)])),
  };
}
