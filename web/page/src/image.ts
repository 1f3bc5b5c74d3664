// The image: its pixels, and the selection of a pixel with the mouse or the keyboard.

export interface ImageEvents {
  /** The selected pixel has changed. */
  onSelect: (x: number, y: number) => void;
  /** The selected pixel is to be traced. */
  onTrace: (x: number, y: number) => void;
}

export class ImageView {
  readonly canvas: HTMLCanvasElement;
  private readonly context: CanvasRenderingContext2D;
  private selected: [number, number] | null = null;
  /** Size of the image in pixels, which may be larger than that of a coarse one. */
  private size: [number, number] = [256, 256];

  constructor(
    private readonly frame: HTMLElement,
    private readonly crosshair: HTMLElement,
    private readonly events: ImageEvents,
  ) {
    this.canvas = frame.querySelector("canvas") as HTMLCanvasElement;
    this.context = this.canvas.getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
    this.canvas.addEventListener("click", (event) => {
      const box = this.canvas.getBoundingClientRect();
      const [width, height] = this.size;
      const x = Math.floor(((event.clientX - box.left) / box.width) * width);
      const y = Math.floor(((event.clientY - box.top) / box.height) * height);
      this.select(x, y);
      this.events.onTrace(...this.pixel);
    });
    frame.addEventListener("keydown", (event) => this.handleKey(event));
  }

  private handleKey(event: KeyboardEvent) {
    const step = event.shiftKey ? 16 : 1;
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-step, 0],
      ArrowRight: [step, 0],
      ArrowUp: [0, -step],
      ArrowDown: [0, step],
    };
    const move = moves[event.key];
    if (move) {
      const [x, y] = this.pixel;
      this.select(x + move[0], y + move[1]);
    } else if (event.key === "Enter" || event.key === " ") {
      this.select(...this.pixel);
      this.events.onTrace(...this.pixel);
    } else {
      return;
    }
    event.preventDefault();
  }

  /** The selected pixel, the middle of the image if none was selected. */
  get pixel(): [number, number] {
    const [width, height] = this.size;
    return this.selected ?? [width >> 1, height >> 1];
  }

  /** Returns true if a pixel was selected. */
  get hasSelection(): boolean {
    return this.selected !== null;
  }

  private select(x: number, y: number) {
    const [width, height] = this.size;
    this.selected = [
      Math.min(width - 1, Math.max(0, x)),
      Math.min(height - 1, Math.max(0, y)),
    ];
    this.placeCrosshair();
    this.events.onSelect(...this.selected);
  }

  private placeCrosshair() {
    this.crosshair.hidden = this.selected === null;
    if (this.selected) {
      const [width, height] = this.size;
      const [x, y] = this.selected;
      this.crosshair.style.left = `${((x + 0.5) / width) * 100}%`;
      this.crosshair.style.top = `${((y + 0.5) / height) * 100}%`;
    }
  }

  /** Sets the size of the final image, and keeps the selected position. */
  setSize(width: number, height: number) {
    if (this.selected) {
      const [x, y] = this.selected;
      this.selected = [
        Math.floor((x * width) / this.size[0]),
        Math.floor((y * height) / this.size[1]),
      ];
    }
    this.size = [width, height];
    this.placeCrosshair();
  }

  /** Shows pixels, which may be fewer than those of the final image. */
  show(width: number, height: number, pixels: Uint8ClampedArray<ArrayBuffer>) {
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.context.putImageData(new ImageData(pixels, width, height), 0, 0);
  }

  /** Returns the color of the selected pixel as it is shown. */
  readColor(): [number, number, number, number] {
    const [x, y] = this.pixel;
    const [width, height] = this.size;
    const column = Math.floor((x * this.canvas.width) / width);
    const row = Math.floor((y * this.canvas.height) / height);
    const [r = 0, g = 0, b = 0, a = 0] = this.context.getImageData(column, row, 1, 1).data;
    return [r, g, b, a];
  }

  /** Dims the image while it is not that of the programs. */
  setStale(isStale: boolean) {
    this.frame.classList.toggle("stale", isStale);
  }
}
