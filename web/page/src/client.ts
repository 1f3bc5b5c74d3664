// Calls of a worker with time limits. A worker that exceeds one, or fails, is replaced by a new one,
// so that no program can stop the page.

import type { CallMessage, CallName, Calls, ReplyMessage, StartMessage } from "./protocol";

/** Reason for a call without result. */
export class CallError extends Error {
  constructor(
    readonly reason: "timeout" | "cancelled" | "fault",
    message: string,
  ) {
    super(message);
  }
}

interface PendingCall {
  resolve: (result: unknown) => void;
  reject: (error: CallError) => void;
  timer: number;
}

export class WorkerClient {
  private worker: Worker;
  private pending = new Map<number, PendingCall>();
  private nextId = 0;

  /** `restore` runs after a new worker has replaced one, to repeat what the old one was told. */
  constructor(
    private readonly module: WebAssembly.Module,
    private readonly restore: (client: WorkerClient) => void = () => {},
  ) {
    this.worker = this.start();
  }

  private start(): Worker {
    const worker = new Worker(new URL("worker.js", document.baseURI), { type: "module" });
    const message: StartMessage = { module: this.module };
    worker.postMessage(message);
    worker.addEventListener("message", (event: MessageEvent<ReplyMessage>) => {
      if (worker === this.worker) {
        this.receive(event.data);
      }
    });
    worker.addEventListener("error", (event) => {
      if (worker === this.worker) {
        this.replace(new CallError("fault", event.message));
      }
    });
    return worker;
  }

  private receive(reply: ReplyMessage) {
    const call = this.pending.get(reply.id);
    if (!call) {
      return;
    }
    this.pending.delete(reply.id);
    clearTimeout(call.timer);
    if (reply.fault === undefined) {
      call.resolve(reply.result);
    } else {
      // The memory of a module that has trapped may be inconsistent.
      const error = new CallError("fault", `internal error: ${reply.fault}`);
      call.reject(error);
      this.replace(error);
    }
  }

  /** Ends the worker, rejects all calls with an error, and starts a new worker. */
  private replace(error: CallError) {
    this.worker.terminate();
    const calls = [...this.pending.values()];
    this.pending.clear();
    for (const call of calls) {
      clearTimeout(call.timer);
      call.reject(error);
    }
    this.worker = this.start();
    this.restore(this);
  }

  /** Ends all calls that have not returned. */
  cancel() {
    if (this.pending.size > 0) {
      this.replace(new CallError("cancelled", "cancelled"));
    }
  }

  /** Calls a function; `limit` is its time in milliseconds, with that of calls before it. */
  call<Name extends CallName>(
    name: Name,
    limit: number,
    ...values: Calls[Name]["arguments"]
  ): Promise<Calls[Name]["result"]> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      const timer = window.setTimeout(() => {
        const seconds = limit / 1000;
        this.replace(new CallError("timeout", `stopped after ${seconds} s`));
      }, limit);
      this.pending.set(id, {
        resolve: (result) => resolve(result as Calls[Name]["result"]),
        reject,
        timer,
      });
      const message: CallMessage = { id, name, arguments: values };
      this.worker.postMessage(message);
    });
  }
}
